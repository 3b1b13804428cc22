#!/usr/bin/env python3
"""The scenes and all commands of docs/first-film.md, in their order. Usage: first_film_test.py PATH_OF_ROUNDEL"""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import unittest

from batch_case import BatchCase, png_pixels

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/first-film.md"


class FirstFilm(BatchCase):
    def run_watch(self, arguments):
        process = self.start(*arguments)
        while "watching 1 file" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)

    def test_every_scene_and_command(self):
        commands = []
        for kind, text in re.findall(r"^```(yaml|sh)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            if kind == "yaml":
                name = re.match(r"# (\S+\.yaml)\n", text)[1]
                self.write(name, text)
                self.assertEqual(self.run_roundel("validate", name).stderr, "")
                continue
            for line in text.splitlines():
                program, *arguments = shlex.split(line)
                self.assertEqual(program, "roundel")
                if arguments[-1].endswith(".mp4") and not shutil.which("ffmpeg"):
                    self.skipTest("ffmpeg is not installed")
                if "--watch" in arguments:
                    self.run_watch(arguments)
                else:
                    self.assertNotIn("warning", self.run_roundel(*arguments).stderr)
                self.assertTrue(os.path.exists(self.path(arguments[-1])) or "#" in arguments[-1], line)
                commands.append(line)
        self.assertEqual(len(commands), 6)
        self.assertEqual(self.frames_in("look"), [f"f_{second * 24:03}.png" for second in range(6)])
        self.assertEqual(png_pixels(self.read("comet.png"))[:2], (480, 270))
        for video, size in (("small.mp4", (480, 270)), ("comet.mp4", (960, 540))):
            probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", self.path(video)],
                                   check=True, stdout=subprocess.PIPE)
            (stream,) = json.loads(probe.stdout)["streams"]
            self.assertEqual((int(stream["nb_read_frames"]), stream["r_frame_rate"]), (144, "24/1"))
            self.assertEqual((stream["width"], stream["height"]), size)


if __name__ == "__main__":
    unittest.main(verbosity=2)
