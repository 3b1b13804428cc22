#!/usr/bin/env python3
"""Videos that ffmpeg makes of frames and streams, by the lines of docs/films.md and of messages: after decoding, flat
areas have the pictures' colours. Usage: videos_test.py PATH_OF_ROUNDEL
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from batch_case import DONE, INVALID, USAGE, png_pixels
from command_case import ROUNDEL, CommandCase

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


def lines_of_page():
    """Returns the commands of the page's section on videos."""
    section = re.search(r"^## Videos\n(.*?)^## ", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]
    return re.findall(r"^ffmpeg .*$", section, re.MULTILINE)


@unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "ffmpeg is not installed")
class Videos(CommandCase):
    is_text = True

    def setUp(self):
        super().setUp()
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

    def assert_colors(self, video, scene):
        self.run_roundel("render", scene + ".yaml", "-o", "expected.png", "-q")
        width, height, channels, pixels = png_pixels(self.read("expected.png"))
        film = self.decoded(video, channels)
        self.assertEqual(len(film), len(pixels))
        compared = set()
        for y in range(0, height - 31, 8):
            for x in range(0, width - 31, 8):
                block = {pixels[channels * (j * width + i):channels * (j * width + i + 1)]
                         for j in range(y, y + 32) for i in range(x, x + 32)}
                if len(block) > 1:
                    continue
                (expected,) = block
                at = channels * ((y + 16) * width + x + 16)
                got = film[at:at + channels]
                seen = range(channels) if channels == 3 or expected[3] > 0 else [3]
                self.assertLessEqual(max(abs(got[c] - expected[c]) for c in seen), TOLERANCE,
                                     f"{video}: {tuple(got)} for {tuple(expected)} at {x}, {y}")
                compared.add(expected)
        self.assertEqual(len(compared), 7)  # six circles and the background

    def assert_tags(self, video):
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", self.path(video)],
                               check=True, stdout=subprocess.PIPE)
        (stream,) = json.loads(probe.stdout)["streams"]
        self.assertEqual(int(stream["nb_read_frames"]), 4, video)
        if not video.endswith(".gif"):
            self.assertEqual((stream["color_space"], stream["color_range"]), ("bt709", "tv"), video)

    def test_commands_of_the_page_keep_colors(self):
        lines = lines_of_page()
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

    def test_commands_in_messages_make_the_video(self):
        for video in ("film.mp4", "film.mov", "film.mkv", "film.webm", "film.gif", "film.y4m"):
            message = self.run_roundel("render", "opaque.yaml", "--frames", "all", "-o", video, code=USAGE).stderr
            options = re.search(r"to make a video, type: (.*); docs/films.md", message)[1]
            self.shell(f"{ROUNDEL} render opaque.yaml --frames all -q {options.replace('FPS', '25')}")
            with self.subTest(options=options):
                if not video.endswith(".y4m"):  # its header cannot name the matrix
                    self.assert_colors(video, "opaque")
                    self.assert_tags(video)
            os.unlink(self.path(video))

    def test_rates_match_the_scene(self):
        for fps, rate in (("24000/1001", "24000/1001"), ("'30000/1001'", "30000/1001"), ("23.976", "24000/1001")):
            self.write("ntsc.yaml", SCENES["opaque"].replace("fps: 25", f"fps: {fps}"))
            self.shell(f"{ROUNDEL} render ntsc.yaml --frames all -o - --format y4m -q | ffmpeg -loglevel error -y -i - "
                       "-c:v libx264 -pix_fmt yuv420p ntsc.mov")
            probe = subprocess.run(["ffprobe", "-v", "error", "-show_streams", "-of", "json", self.path("ntsc.mov")], check=True,
                                   stdout=subprocess.PIPE)
            self.assertEqual(json.loads(probe.stdout)["streams"][0]["r_frame_rate"], rate)


class Messages(CommandCase):
    is_text = True

    def test_names_of_videos_are_refused_with_a_command(self):
        self.write("opaque.yaml", SCENES["opaque"])
        self.write("output.yaml", SCENES["opaque"] + "output: film.mkv\n")
        line = "-o - --format y4m | ffmpeg -i - -pix_fmt yuv420p "
        for arguments, code, message in (
                (["opaque.yaml", "-o", "film.mp4"], USAGE, line),
                (["opaque.yaml", "--frames", "all", "-o", "f.webm"], USAGE, line),
                (["opaque.yaml", "--frames", "all", "-o", "f.mov", "--format", "y4m"], USAGE, line),
                (["output.yaml"], INVALID, line),
                (["opaque.yaml", "-o", "film.gif"], USAGE, "palettegen"),
                (["opaque.yaml", "-o", "film.y4m"], USAGE, "-o - --format y4m > film.y4m")):
            self.assertIn(message, self.run_roundel("render", *arguments, code=code).stderr)
        self.assertNotIn("ffmpeg", self.run_roundel("render", "opaque.yaml", "-o", "a.bmp", code=USAGE).stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["opaque.yaml", "output.yaml"])
        self.run_roundel("render", "opaque.yaml", "-o", "a.png", code=DONE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
