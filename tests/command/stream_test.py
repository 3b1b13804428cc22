#!/usr/bin/env python3
"""Progress, and streams to standard output. Usage: stream_test.py PATH_OF_ROUNDEL"""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest

from batch_case import BatchCase, DONE, FAILED, IS_SLOW, SOME_FAILED, USAGE, png_pixels
from command_case import ROUNDEL


class ProgressReports(BatchCase):
    def render(self, name, progress, *more):
        return self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", f"out/{name}%d.png",
                                "--progress", progress, *more).stderr

    def test_lines_for_farm_managers(self):
        text = self.render("a", "openjd")
        self.assertIn("openjd_progress: 100.0\nopenjd_status: 9/9 frames", text)
        self.assertIn("Progress: 100%\n", self.render("b", "deadline"))
        text = self.render("c", "blender", "-q")
        self.assertEqual(sorted(re.findall(r"^Fra:(\d+) ", text, re.MULTILINE)), list("123456789"))
        self.assertIn("Saved: 'out/c3.png'\n", text)
        last = json.loads(self.render("d", "json", "-q").splitlines()[-1])
        self.assertEqual((last["done"], last["total"], last["failed"], last["eta_seconds"]),
                         (9, 9, 0, 0))
        self.assertEqual(last["bytes"], sum(len(data) for name, data in self.contents().items()
                                            if name.startswith("d")))

    def test_quiet_and_none(self):
        self.assertEqual(self.render("a", "auto", "-q"), "")
        self.assertEqual(len(self.render("b", "none").splitlines()), 1)

    def test_lines_every_few_seconds(self):
        reader, writer = os.pipe()  # without a reader drawing stops after a few frames
        process = self.start("render", "snow.yaml", "--frames", "0-5000", "-o", "-", "--format", "rawvideo",
                             stdout=writer)
        os.close(writer)
        line = re.compile(r"^(\d+)/5001 frames  [\d.]+ fps  ETA [\d:-]+  [\d.]+ MB/s  queue \d+$")
        started = time.monotonic()
        for _ in range(3):
            self.assertRegex(process.stderr.readline(), line)
        self.assertGreater(time.monotonic() - started, 5)  # a line every three seconds
        os.close(reader)
        process.communicate(timeout=60)

    def test_a_bar_on_a_terminal(self):
        terminal, end = pty.openpty()
        frames = 60 if IS_SLOW else 301
        process = subprocess.Popen([ROUNDEL, "render", "snow.yaml", "--frames", f"1-{frames}", "-o",
                                    "out/%d.png"], cwd=self.folder, stderr=end)
        os.close(end)
        shown = b""
        while select.select([terminal], [], [], 60)[0]:
            try:
                shown += os.read(terminal, 4096)
            except OSError:  # the other end is closed
                break
        process.wait(timeout=60)
        os.close(terminal)
        text = shown.decode()
        self.assertRegex(text, rf"\[#* *\] \d+/{frames} frames  [\d.]+ fps  ETA [\d:-]+  [\d.]+ MB/s  "
                               r"queue \d+\r\x1b\[K")
        self.assertRegex(text, rf"\r\x1b\[Kout/%d\.png  128x128  {frames} frames  ")

    def test_stats(self):
        done = self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png",
                                "--stats=json")
        stats = json.loads(done.stdout)
        self.assertEqual((stats["frames"], stats["failed"], stats["kept"]), (9, 0, 0))
        self.assertEqual({stage["name"] for stage in stats["stages"]},
                         {"generate", "bin", "blend", "encode", "write"})
        done = self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png",
                                "--stats", "--overwrite")
        for text in ("ms a frame", "encode", "wall time", "at once at most"):
            self.assertIn(text, done.stderr)


class StandardOutput(BatchCase):
    def stream(self, scene, *arguments, code=DONE):
        return self.run_roundel("render", scene, "-o", "-", *arguments, "-q", text=False,
                                code=code).stdout

    def test_rawvideo_has_the_pixels_of_the_files_in_order(self):
        for scene, channels in (("balls.yaml", 3), ("alpha.yaml", 4)):
            self.run_roundel("render", scene, "--frames", "3-12", "-o", f"out/{channels}_%02d.png")
            files = [self.read(f"out/{channels}_{frame:02}.png") for frame in range(3, 13)]
            self.assertEqual(png_pixels(files[0])[:3], (96, 64, channels))
            self.assertEqual(self.stream(scene, "--frames", "3-12", "--format", "rawvideo"),
                             b"".join(png_pixels(file)[3] for file in files))

    def test_one_frame_can_be_a_stream(self):
        self.run_roundel("render", "balls.yaml", "--frame", "7", "-o", "a.png")
        self.assertEqual(self.stream("balls.yaml", "--frame", "7", "--format", "png"),
                         self.read("a.png"))

    def test_rawvideo_can_be_rgba(self):
        rgb = self.stream("balls.yaml", "--format", "rawvideo")
        rgba = self.stream("balls.yaml", "--format", "rawvideo", "--pixel-format", "rgba")
        self.assertEqual(rgba, b"".join(rgb[i:i + 3] + b"\xff" for i in range(0, len(rgb), 3)))
        self.stream("alpha.yaml", "--format", "rawvideo", "--pixel-format", "rgb24", code=USAGE)
        self.stream("alpha.yaml", "--format", "y4m", code=USAGE)

    def test_y4m_has_a_header_and_frames(self):
        data = self.stream("balls.yaml", "--frames", "1-3", "--format", "y4m")
        header = b"YUV4MPEG2 W96 H64 F30:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n"
        self.assertTrue(data.startswith(header))
        self.assertEqual(len(data), len(header) + 3 * (len(b"FRAME\n") + 96 * 64 * 3 // 2))

    def test_files_are_concatenated(self):
        for name in ("png", "exr", "pfm"):
            self.run_roundel("render", "balls.yaml", "--frames", "1-3", "-o", f"out/%d.{name}")
            self.assertEqual(self.stream("balls.yaml", "--frames", "1-3", "--format", name),
                             b"".join(self.read(f"out/{i}.{name}") for i in (1, 2, 3)))

    def test_a_reader_that_closes_early(self):
        process = self.start("render", "snow.yaml", "-o", "-", "--frames", "0-2000", "--format",
                             "rawvideo", stdout=subprocess.PIPE)
        process.stdout.close()
        with process.stderr:
            messages = process.stderr.read()
        self.assertIn(process.wait(timeout=60), (FAILED, SOME_FAILED))
        self.assertIn("Broken pipe", messages)

    def test_a_pipe_that_does_not_block_is_waited_for(self):
        frames = ["render", "snow.yaml", "-o", "-", "--frames", "0-20", "--format", "rawvideo", "-q"]
        for arguments in (frames, ["schema"]):
            reader, writer = os.pipe()
            os.set_blocking(writer, False)
            process = self.start(*arguments, stdout=writer)
            os.close(writer)
            self.wait_until(lambda: struct.unpack("i", fcntl.ioctl(reader, termios.FIONREAD, bytes(4)))[0] >= 65536)
            with os.fdopen(reader, "rb") as pipe:
                data = pipe.read()
            _, messages = process.communicate(timeout=60)
            self.assertEqual(process.returncode, DONE, messages)
            self.assertEqual(data, self.run_roundel(*arguments, text=False).stdout)

    def test_a_closed_standard_output_is_an_error(self):
        for name in ("-", "/dev/stdout"):
            done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", ROUNDEL, "render", "balls.yaml", "-o", name,
                                   "--format", "png"], cwd=self.folder, text=True, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, FAILED, done.stderr)

    def test_an_interrupted_stream_ends_with_a_whole_frame(self):
        with open(self.path("stream"), "wb") as file:
            process = self.start("render", "snow.yaml", "-o", "-", "--frames", "0-5000", "--format",
                                 "rawvideo", stdout=file)
            self.wait_until(lambda: os.path.getsize(self.path("stream")) > 0)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        size = os.path.getsize(self.path("stream"))
        self.assertGreater(size, 0)
        self.assertEqual(size % (128 * 128 * 3), 0)


class Film(BatchCase):
    def test_ffmpeg_makes_a_film(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is not installed")
        command = (f"{ROUNDEL} render film.yaml --frames all -o - --format y4m -q | "
                   "ffmpeg -loglevel error -i - -c:v libx264 -crf 4 -pix_fmt yuv420p -colorspace bt709 "
                   "-color_primaries bt709 -color_trc bt709 -movflags +faststart film.mp4")
        subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder, check=True,
                       timeout=120)
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json",
                                self.path("film.mp4")], check=True, stdout=subprocess.PIPE)
        (stream,) = json.loads(probe.stdout)["streams"]
        self.assertEqual((stream["width"], stream["height"], stream["pix_fmt"]), (96, 64, "yuv420p"))
        self.assertEqual(int(stream["nb_read_frames"]), 60)
        self.assertAlmostEqual(float(stream["duration"]), 2, places=2)
        self.assertEqual((stream["color_space"], stream["color_range"]), ("bt709", "tv"))
        # The colours of a frame, at pixels with equal neighbours, since chroma is halved.
        self.run_roundel("render", "film.yaml", "--frame", "30", "-o", "a.png")
        width, height, _, pixels = png_pixels(self.read("a.png"))
        film = subprocess.run(["ffmpeg", "-loglevel", "error", "-i", self.path("film.mp4"), "-vf",
                               "select=eq(n\\,30)", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                              check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(len(film), 96 * 64 * 3)
        differences = [abs(a - b) for a, b in zip(film, pixels)]
        self.assertLess(sum(differences) / len(differences), 3)
        compared = 0
        for y in range(0, height, 8):
            for x in range(0, width, 8):
                block = {pixels[3 * (j * width + i):3 * (j * width + i) + 3]
                         for j in range(y, y + 8) for i in range(x, x + 8)}
                if len(block) > 1:
                    continue
                compared += 1
                at = 3 * ((y + 4) * width + x + 4)
                for a, b in zip(film[at:at + 3], pixels[at:at + 3]):
                    self.assertLessEqual(abs(a - b), 8)
        self.assertGreater(compared, 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
