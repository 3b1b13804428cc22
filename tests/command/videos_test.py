#!/usr/bin/env python3
"""Videos that ffmpeg makes, by `render -o film.mp4` and by the lines of docs/films.md: after decoding, flat areas have the
pictures' colours. Usage: videos_test.py PATH_OF_ROUNDEL
"""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import time
import unittest

from batch_case import BatchCase, DONE, FAILED, INVALID, REFUSED, USAGE, png_pixels
from command_case import ROUNDEL

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/films.md"
CIRCLES = """layers:
  - circles:
      - {x: 0.2, y: 0.25, radius: 0.19, color: "#ff0000", alpha: 1}
      - {x: 0.6, y: 0.25, radius: 0.19, color: "#00ff00", alpha: 1}
      - {x: 1.0, y: 0.25, radius: 0.19, color: "#0000ff", alpha: 1}
      - {x: 0.2, y: 0.75, radius: 0.19, color: "#f0a060", alpha: 1}
      - {x: 0.6, y: 0.75, radius: 0.19, color: "#7030c0", alpha: 0.5}
      - {x: 1.0, y: 0.75, radius: 0.19, color: "#808080", alpha: 1}
animation: {fps: 25, frames: 4}
"""
SCENES = {
    "opaque": 'version: 1\nimage: {width: 480, height: 360, background: "#336699"}\n' + CIRCLES,
    "linear": 'version: 1\nimage: {width: 480, height: 360, background: "#336699", blend: linear}\n' + CIRCLES,
    "alpha": "version: 1\nimage: {width: 480, height: 360, alpha: true}\n" + CIRCLES,
}
TOLERANCE = 4
KINDS = ("mp4", "mov", "webm", "gif", "apng")
WITH_ALPHA = ("mov", "webm", "apng")


def lines_of_page():
    """Returns the commands of the page's section on videos."""
    section = re.search(r"^## Videos\n(.*?)^## ", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]
    return re.findall(r"^ffmpeg .*$", section, re.MULTILINE)


class VideoCase(BatchCase):
    def setUp(self):
        super().setUp()
        if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
            if os.environ.get("CI"):
                self.fail("CI needs the package ffmpeg")
            self.skipTest("ffmpeg is not installed")
        for name, text in SCENES.items():
            self.write(name + ".yaml", text)

    def shell(self, line):
        done = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, f"{line}: {done.stderr[-2000:]}")

    def decoded(self, video, channels):
        decoder = ["-c:v", "libvpx-vp9"] if video.endswith(".webm") else []  # ffmpeg's own decoder drops alpha
        kind = {3: "rgb24", 4: "rgba"}[channels]
        return subprocess.run(["ffmpeg", "-loglevel", "error", *decoder, "-i", self.path(video), "-vf", "select=eq(n\\,2)",
                               "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", kind, "-"], check=True,
                              stdout=subprocess.PIPE).stdout

    def assert_colors(self, video, scene, *options):
        """Compares pixels that are 8 or more pixels from edges."""
        self.run_roundel("render", scene + ".yaml", "-o", "expected.png", "-q", *options)
        width, height, channels, pixels = png_pixels(self.read("expected.png"))
        film = self.decoded(video, channels)
        self.assertEqual(len(film), len(pixels))
        compared = set()
        for y in range(0, height - 16, 8):
            for x in range(0, width - 16, 8):
                block = {pixels[channels * (j * width + i):channels * (j * width + i + 1)]
                         for j in range(y, y + 17) for i in range(x, x + 17)}
                if len(block) > 1:
                    continue
                (expected,) = block
                at = channels * ((y + 8) * width + x + 8)
                got = film[at:at + channels]
                seen = range(channels) if channels == 3 or expected[3] > 0 else [3]
                self.assertLessEqual(max(abs(got[c] - expected[c]) for c in seen), TOLERANCE,
                                     f"{video}: {tuple(got)} for {tuple(expected)} at {x}, {y}")
                compared.add(expected)
        self.assertEqual(len(compared), 7)  # six circles and the background

    def streams(self, video):
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", self.path(video)],
                               check=True, stdout=subprocess.PIPE)
        return json.loads(probe.stdout)["streams"]

    def assert_tags(self, video):
        (stream,) = self.streams(video)
        self.assertEqual(int(stream["nb_read_frames"]), 4, video)
        if not video.endswith((".gif", ".apng")):
            tags = ("color_space", "color_primaries", "color_transfer", "color_range")
            self.assertEqual([stream[tag] for tag in tags], ["bt709", "bt709", "bt709", "tv"], video)
        return stream


class Recipes(VideoCase):
    def test_commands_of_the_page_keep_colors(self):
        lines = [line for line in lines_of_page() if "titled" not in line]
        self.assertEqual(len(lines), 5)
        made = []
        for line in lines:
            for name in os.listdir(self.folder):
                if name.startswith("f_"):
                    os.unlink(self.path(name))
            scene = "linear" if ".exr" in line else "alpha" if "yuva" in line else "opaque"
            pattern = re.search(r"-i (\S+)", line)[1]
            self.run_roundel("render", scene + ".yaml", "--frames", "all", "-o", pattern, "-q")
            self.shell(line)
            video = line.split()[-1]
            with self.subTest(line=line):
                self.assert_colors(video, scene)
                self.assert_tags(video)
            os.unlink(self.path(video))
            made.append(os.path.splitext(video)[1])
        self.assertEqual(made, [".mp4", ".mp4", ".mov", ".webm", ".gif"])

    def test_text_is_placed_by_ffmpeg(self):
        lines = [line for line in lines_of_page() if "titled" in line]
        self.assertEqual(len(lines), 2)
        still = SCENES["opaque"].replace("frames: 4", "frames: 40")
        self.write("film.yaml", still)
        self.run_roundel("render", "film.yaml", "-o", "film.mp4")
        self.write("title.yaml", 'version: 1\nimage: {width: 480, height: 360, alpha: true}\nlayers:\n  - circles: '
                                 '[{x: 0.66, y: 0.1, radius: 0.06, color: "#20c060", alpha: 1}]\n')
        self.run_roundel("render", "title.yaml", "-o", "title.png")
        for line in lines:
            if "drawtext" in line and not shutil.which("fc-match"):
                line = line.replace("drawtext=", "drawtext=fontfile=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:")
            self.shell(line + " -y")
            with self.subTest(line=line):
                (stream,) = self.streams("titled.mp4")
                self.assertEqual((int(stream["nb_read_frames"]), stream["color_space"], stream["color_range"]), (40, "bt709", "tv"))
                frame = subprocess.run(["ffmpeg", "-loglevel", "error", "-i", self.path("titled.mp4"), "-vf", "select=eq(n\\,30)",
                                        "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], check=True,
                                       stdout=subprocess.PIPE).stdout
                rows = [frame[3 * 480 * y:3 * 480 * (y + 1)] for y in range(360)]
                if "overlay" in line:
                    at = 3 * 297
                    self.assertLessEqual(max(abs(a - b) for a, b in zip(rows[324][at:at + 3], (0x20, 0xc0, 0x60))), TOLERANCE)
                else:
                    self.assertGreater(sum(row[i] > 230 and row[i + 2] > 230 for row in rows[270:320] for i in range(0, 1440, 3)), 100)
                self.assertLessEqual(max(abs(a - b) for a, b in zip(rows[90][3 * 72:3 * 72 + 3], (0xf0, 0xa0, 0x60))), TOLERANCE)

    def test_rates_match_the_scene(self):
        for fps, rate in (("24000/1001", "24000/1001"), ("'30000/1001'", "30000/1001"), ("23.976", "24000/1001")):
            self.write("ntsc.yaml", SCENES["opaque"].replace("fps: 25", f"fps: {fps}"))
            self.shell(f"{ROUNDEL} render ntsc.yaml --frames all -o - --format y4m -q | ffmpeg -loglevel error -y -i - "
                       "-c:v libx264 -pix_fmt yuv420p ntsc.mov")
            self.run_roundel("render", "ntsc.yaml", "-o", "ntsc.mp4", "--overwrite")
            for video in ("ntsc.mov", "ntsc.mp4"):
                self.assertEqual(self.streams(video)[0]["r_frame_rate"], rate)


class Files(VideoCase):
    def test_all_kinds_keep_colors_and_alpha(self):
        for kind in KINDS:
            for scene in ("opaque", "alpha") if kind in WITH_ALPHA else ("opaque", "linear"):
                with self.subTest(kind=kind, scene=scene):
                    video = f"{scene}.{kind}"
                    text = self.run_roundel("render", scene + ".yaml", "-o", video).stderr
                    self.assertRegex(text, rf"(?m)^{video}  480x360  4 frames  ")
                    self.assert_colors(video, scene)
                    stream = self.assert_tags(video)
                    self.assertEqual(stream["avg_frame_rate"], "25/1")
        for kind in ("mp4", "gif"):
            text = self.run_roundel("render", "alpha.yaml", "-o", "no." + kind, code=USAGE).stderr
            self.assertIn("has no alpha; expected .mov, .webm or .apng", text)
            self.assertFalse(os.path.exists(self.path("no." + kind)))

    def test_odd_sizes(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                text = self.run_roundel("render", "opaque.yaml", "-o", "odd." + kind, "--size", "481x361").stderr
                self.assertEqual("481x361 is odd" in text, kind == "mp4")
                self.assert_colors("odd." + kind, "opaque", "--size", "481x361")
                stream = self.assert_tags("odd." + kind)
                self.assertEqual((stream["width"], stream["height"]), (481, 361))
                if kind == "mp4":
                    self.assertEqual(stream["pix_fmt"], "yuv444p")

    def test_sixteen_bits_reach_files_that_keep_them(self):
        self.write("deep.yaml", SCENES["opaque"].replace("{width", "{bits: 16, width"))
        for kind, pixels in (("mp4", "yuv420p"), ("mov", "yuv422p10le"), ("apng", "rgb48be")):
            self.run_roundel("render", "deep.yaml", "-o", "deep." + kind)
            self.assert_colors("deep." + kind, "opaque")
            self.assertEqual(self.assert_tags("deep." + kind)["pix_fmt"], pixels)

    def test_rates_and_chosen_frames(self):
        self.write("ntsc.yaml", SCENES["opaque"].replace("fps: 25, frames: 4", "fps: 30000/1001, frames: 8"))
        for options, frames, rate in ((["--frames", "0-6x2"], 4, "15000/1001"), (["--frame", "3"], 1, "30000/1001"),
                                      (["--frames", "1,2,7"], 3, "30000/1001"), ([], 8, "30000/1001")):
            for kind in ("mp4", "mov", "webm"):
                with self.subTest(kind=kind, options=options):
                    self.run_roundel("render", "ntsc.yaml", "-o", "some." + kind, "--overwrite", *options)
                    (stream,) = self.streams("some." + kind)
                    self.assertEqual(int(stream["nb_read_frames"]), frames)
                    if frames > 1 or kind != "mov":
                        self.assertEqual(stream["r_frame_rate"], rate)
        self.run_roundel("render", "ntsc.yaml", "-o", "some.apng")
        data = self.read("some.apng")
        at = data.index(b"fcTL")
        self.assertEqual(struct.unpack(">HH", data[at + 24:at + 28]), (1001, 30000))

    def test_sound_ends_with_the_film(self):
        self.write("film.yaml", SCENES["opaque"].replace("frames: 4", "frames: 50"))
        for seconds, name in ((5, "long.wav"), (1, "-short.wav"), (3, "concat:a|b.wav")):
            self.shell(f"ffmpeg -loglevel error -f lavfi -i sine=duration={seconds} -c:a pcm_s16le 'file:{name}'")
            for kind in ("mp4", "mov", "webm"):
                with self.subTest(kind=kind, name=name):
                    self.run_roundel("render", "film.yaml", "--audio=" + name, "-o", "film." + kind, "--overwrite")
                    video, sound = self.streams("film." + kind)
                    self.assertEqual((int(video["nb_read_frames"]), sound["codec_type"]), (50, "audio"))
                    heard = subprocess.run(["ffmpeg", "-loglevel", "error", "-i", self.path("film." + kind), "-f", "s16le", "-ac",
                                            "1", "-ar", "8000", "-"], check=True, stdout=subprocess.PIPE).stdout
                    self.assertAlmostEqual(len(heard) / 16000, min(seconds, 2), delta=0.05)
        for arguments, code, message in (
                (["--audio", "film.yaml", "-o", "a.mp4"], FAILED, "error: ffmpeg: file:film.yaml: Invalid data"),
                (["--audio", "no.wav", "-o", "a.mp4"], INVALID, "no.wav: no such file"),
                (["--audio", "long.wav", "-o", "a.gif"], USAGE, "--audio: this file has no sound"),
                (["--audio", "long.wav", "--frames", "0", "-o", "a.png"], USAGE, "--audio: needs a video")):
            self.assertIn(message, self.run_roundel("render", "film.yaml", *arguments, code=code).stderr)
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith(("a.", ".roundel"))])

    def test_names_are_names(self):
        for name in ("-film.mp4", "http:film.mp4", "concat:a|b.webm", "sub/a b'\"$(x)%.MP4", "pipe:1.gif"):
            self.run_roundel("render", "opaque.yaml", "--output=" + name, "--frames", "0-1")
            self.assertGreater(os.path.getsize(self.path(name)), 500)

    def test_existing_files(self):
        self.write("film.mp4", "somebody's")
        os.symlink("film.mp4", self.path("link.mp4"))
        for name in ("film.mp4", "link.mp4"):
            text = self.run_roundel("render", "opaque.yaml", "-o", name, code=REFUSED).stderr
            self.assertIn(f"{name}: exists (--overwrite replaces it)", text)
        self.assertEqual(self.read("film.mp4"), b"somebody's")
        self.run_roundel("render", "opaque.yaml", "-o", "link.mp4", "--overwrite")
        self.assertTrue(os.path.islink(self.path("link.mp4")))
        self.assert_tags("film.mp4")
        os.link(self.path("opaque.yaml"), self.path("scene.mp4"))
        self.assertIn("would replace", self.run_roundel("render", "opaque.yaml", "-o", "scene.mp4", "--overwrite",
                                                        code=REFUSED).stderr)

    def test_a_failed_frame_leaves_no_video(self):
        self.write("data.yaml", "version: 1\nimage: {width: 64, height: 64}\nlayers: [{data: 'd_#.csv', columns: [x, y, radius]}]\n"
                                "animation: {fps: 25, frames: 3}\n")
        for frame in range(3):
            self.write(f"d_{frame}.csv", "x,y,radius\n0.5,0.5,0.1\n" if frame < 2 else "x,y,radius\n0.5,what,0.1\n")
        text = self.run_roundel("render", "data.yaml", "-o", "new/film.mp4", code=INVALID).stderr
        self.assertIn("d_2.csv: column 1: expected numbers, got texts", text)
        self.assertIn("new/film.mp4: the video is not made", text)
        self.assertFalse(os.path.exists(self.path("new")))

    def test_progress(self):
        text = self.run_roundel("render", "opaque.yaml", "-o", "a.mp4", "--progress", "json", "--stats=json")
        last = json.loads(text.stderr.splitlines()[-3])
        self.assertEqual((last["done"], last["total"], last["eta_seconds"]), (4, 4, 0))
        stats = json.loads(text.stdout)
        self.assertEqual((stats["frames"], stats["bytes"]), (4, os.path.getsize(self.path("a.mp4"))))


class Ends(VideoCase):
    """Signals and failures: the folder stays as it was."""

    def setUp(self):
        super().setUp()
        self.before = sorted(os.listdir(self.folder))

    def assert_unchanged(self):
        self.wait_until(lambda: sorted(os.listdir(self.folder)) == self.before)

    def fake(self, script):
        """Returns an environment in which ffmpeg is this script."""
        os.makedirs(self.path("out/bin"), exist_ok=True)
        with open(self.path("out/bin/ffmpeg"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(self.path("out/bin/ffmpeg"), 0o755)
        return {**os.environ, "PATH": self.path("out/bin") + ":" + os.environ["PATH"]}

    def start_film(self, *options, **keywords):
        process = self.start("render", "snow.yaml", "--frames", "0-20000", "-o", "film.mp4", "--progress", "json", *options,
                             **keywords)
        self.wait_until(lambda: self.children(process))
        return process

    def children(self, process):
        path = f"/proc/{process.pid}/task/{process.pid}/children"
        with open(path, encoding="ascii") as file:
            return [int(child) for child in file.read().split()]

    def assert_gone(self, child):
        def is_gone():
            try:
                with open(f"/proc/{child}/stat", encoding="ascii") as file:
                    return file.read().split()[2] == "Z"
            except FileNotFoundError:
                return True
        self.wait_until(is_gone)

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start_film()
            (child,) = self.children(process)
            self.assertIn('"done":', process.stderr.readline())
            process.send_signal(number)
            _, messages = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number, messages)
            self.assertIn("error: interrupted: film.mp4: the video is not made\n", messages)
            self.assertNotIn("frame ", messages)
            self.assert_gone(child)
            self.assert_unchanged()

    def test_kill(self):
        process = self.start_film()
        (child,) = self.children(process)
        process.kill()
        process.communicate(timeout=60)
        self.assert_gone(child)
        self.assert_unchanged()
        process = self.start_film()
        os.kill(self.children(process)[0], signal.SIGKILL)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, FAILED, messages)
        self.assertIn("error: film.mp4: ffmpeg ended: Killed\n", messages)
        self.assert_unchanged()

    def test_the_old_video_stays(self):
        self.write("film.mp4", "old")
        process = self.start_film("--overwrite")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertEqual(self.read("film.mp4"), b"old")
        os.unlink(self.path("film.mp4"))
        self.assert_unchanged()

    def test_ffmpeg_that_is_missing_or_fails(self):
        os.mkdir(self.path("out/empty"))
        for script, code, expected in (
                (None, USAGE, ["no program ffmpeg on PATH", "apt install ffmpeg"]),
                ("seq 30 >&2; exit 3", FAILED,
                 ["error: film.mp4: ffmpeg ended: exit status 3\nerror: ffmpeg: 21\n", "error: ffmpeg: 30\n"]),
                ("exit 0", FAILED, ["film.mp4: ffmpeg ended: "]),
                ("cat > /dev/null", FAILED, ["film.mp4: ffmpeg ended: without a video"])):
            environment = self.fake(script) if script else {"PATH": self.path("out/empty")}
            done = self.run_roundel("render", "opaque.yaml", "-o", "film.mp4", code=code, env=environment)
            for text in expected:
                self.assertIn(text, done.stderr)
            self.assert_unchanged()

    def test_messages_of_a_successful_ffmpeg_are_warnings(self):
        done = self.run_roundel("render", "opaque.yaml", "-o", "film.mp4",
                                env=self.fake("cat > /dev/fd/3; echo strange >&2"))
        self.assertIn("warning: ffmpeg: strange\n", done.stderr)
        self.assertEqual(os.path.getsize(self.path("film.mp4")), 4 * 480 * 360 * 3)

    def test_signals_while_ffmpeg_does_not_answer(self):
        process = self.start_film(env=self.fake("exec sleep 1000"))
        (child,) = self.children(process)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assert_gone(child)
        process = self.start("render", "opaque.yaml", "-o", "film.mp4", env=self.fake("cat > /dev/null; exec sleep 1000"))
        self.wait_until(lambda: self.children(process))
        time.sleep(1)  # all frames are sent
        process.send_signal(signal.SIGTERM)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertIn("error: interrupted: film.mp4: the video is not made\n", messages)
        self.assert_unchanged()

    def test_full_disks(self):
        os.symlink("/dev/full", self.path("full.webm"))
        text = self.run_roundel("render", "opaque.yaml", "-o", "full.webm", "--overwrite", code=FAILED).stderr
        self.assertIn("full.webm: ffmpeg ended: exit status", text)
        self.assertIn("No space left on device", text)
        os.unlink(self.path("full.webm"))

        def limit_size():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        text = self.run_roundel("render", "opaque.yaml", "-o", "film.mov", code=FAILED, preexec_fn=limit_size).stderr
        self.assertIn("film.mov: ffmpeg ended: ", text)
        self.assert_unchanged()


class Messages(BatchCase):
    def test_what_makes_no_video_is_refused(self):
        self.write("opaque.yaml", SCENES["opaque"])
        self.write("still.yaml", SCENES["opaque"].split("animation")[0])
        self.write("output.yaml", SCENES["opaque"] + "output: film.mkv\n")
        self.write("rows.csv", "a\n1\n")
        files = sorted(os.listdir(self.folder))
        film = ["opaque.yaml", "-o", "film.mp4"]
        for arguments, code, message in (
                ([*film, "--resume"], USAGE, "--resume: needs frames in files"),
                ([*film, "--shard", "1/2"], USAGE, "--shard: needs frames in files"),
                ([*film, "--frames", "0-1", "--renumber"], USAGE, "--renumber: needs frames in files"),
                ([*film, "--each", "rows.csv"], USAGE, "--each: needs pictures in files"),
                ([*film, "--format", "png"], USAGE, "--format: the video's extension chooses it"),
                ([*film, "--pixel-format", "rgba"], USAGE, "--pixel-format: the video's extension chooses it"),
                ([*film, "--watch"], USAGE, "--watch: "),
                (["opaque.yaml", "opaque.yaml", "-o", "film.mp4"], USAGE, "--output: expected one scene, got 2"),
                (["opaque.yaml", "-o", "f_####.mp4"], USAGE, "expected a name without frame number"),
                (["opaque.yaml", "-o", "f_%d.webm"], USAGE, "expected a name without frame number"),
                (["still.yaml", "-o", "film.mp4"], USAGE, '--frames all: expected an "animation" in still.yaml'),
                (["output.yaml"], INVALID, "for a video, .mp4"),
                (["opaque.yaml", "-o", "film.AVI"], USAGE, "for a video, .mp4"),
                (["opaque.yaml", "-o", "f.png", "--format", "y4m"], USAGE, "rawvideo and y4m go to standard output"),
                (["opaque.yaml", "-o", "film.y4m"], USAGE, "-o - --format y4m > film.y4m")):
            self.assertIn(message, self.run_roundel("render", *arguments, code=code).stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), files)
        self.assertNotIn("video", self.run_roundel("render", "opaque.yaml", "-o", "a.bmp", code=USAGE).stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
