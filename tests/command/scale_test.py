#!/usr/bin/env python3
"""A very large picture and a very long sequence, within the memory that docs/films.md states; file sizes that do not
grow. Usage: scale_test.py PATH_OF_ROUNDEL
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROUNDEL = ""
MIB = 1 << 20

SCENE = """version: 1
layers:
  - generator: bouncingballs
"""


SCENES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "scenes")
# Bytes of PNG files of 1024x1024 by the CPU's own earlier format, at 8fbdad3.
BYTES_BEFORE = {"rgb": 17659, "pattern": 128722, "rand10k": 404774, "rand1M": 1230536, "micro2M": 2690854,
                "snow": 1256682}


class Scale(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="roundel_scale_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        with open(os.path.join(self.folder, "a.yaml"), "w", encoding="utf-8") as file:
            file.write(SCENE)

    def run_roundel(self, *arguments, address_space, stdout=None):
        """Runs within this much address space; returns peak memory in bytes."""
        process = subprocess.Popen(
            [ROUNDEL, *arguments], cwd=self.folder, stdout=stdout, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space)))
        with process.stderr:
            messages = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, messages)
        return usage.ru_maxrss * 1024

    def test_a_picture_of_a_gigapixel(self):
        # In bands of 64 MiB, each with its code, written over it.
        used = self.run_roundel("render", "a.yaml", "--size", "32768x32768", "--backend", "cpu",
                                "--threads", "2", "-o", "a.png", address_space=2048 * MIB)
        self.assertLess(used, 384 * MIB)
        info = subprocess.run([ROUNDEL, "info", "a.png"], cwd=self.folder, check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        self.assertIn("32768x32768 pixels", info)

    def test_files_keep_their_size(self):
        with open(os.path.join(self.folder, "plain.yaml"), "w", encoding="utf-8") as file:
            file.write('version: 1\nimage: {background: "#305080"}\n'
                       "layers: [{circles: [{x: -9, y: -9, radius: 0.1}]}]\n")
        scenes = {os.path.join(SCENES, f"{name}.yaml"): size for name, size in BYTES_BEFORE.items()}
        for scene, before in {**scenes, "plain.yaml": 6875}.items():
            self.run_roundel("render", scene, "--size", "1024x1024", "--backend", "cpu", "-o", "size.png",
                             "--overwrite", address_space=4096 * MIB)
            self.assertLessEqual(os.path.getsize(os.path.join(self.folder, "size.png")), before, scene)

    def test_time_grows_with_the_number_of_scenes(self):
        names = [f"s{number}.yaml" for number in range(4000)]
        for name in names:
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write("version: 1\nimage: {width: 8, height: 8}\nlayers: []\n")

        def processor_seconds(count):
            process = subprocess.Popen([ROUNDEL, "render", *names[:count], "-o", "out/", "--overwrite", "-q"], cwd=self.folder)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            return usage.ru_utime + usage.ru_stime

        few = processor_seconds(1000)
        many = processor_seconds(4000)
        self.assertLess(many, 8 * few)  # 16 times if each picture were compared with each scene

    def test_ten_thousand_frames(self):
        arguments = ["render", "a.yaml", "--size", "512x512", "--backend", "cpu", "--threads", "2", "-o",
                     "%d.png", "--overwrite", "-q"]
        used = self.run_roundel(*arguments, "--frames", "0-9999", address_space=1024 * MIB)
        self.assertLess(used, 128 * MIB)
        self.assertEqual(len(os.listdir(self.folder)), 10001)
        few = self.run_roundel(*arguments, "--frames", "0-299", address_space=1024 * MIB)
        self.assertLess(used - few, 24 * MIB, f"{used} for 10,000 frames, {few} for 300")

    def test_a_million_frames(self):
        with open(os.path.join(self.folder, "b.yaml"), "w", encoding="utf-8") as file:
            file.write("version: 1\nlayers: [{circles: [{x: 0.5, y: 0.5, radius: 0.3}]}]\n")
        arguments = ["render", "b.yaml", "--size", "2x2", "--backend", "cpu", "--threads", "2", "-o", "-",
                     "--format", "rawvideo", "-q"]
        with open(os.devnull, "wb") as null:
            many = self.run_roundel(*arguments, "--frames", "0-999999", address_space=1024 * MIB, stdout=null)
            few = self.run_roundel(*arguments, "--frames", "0-299", address_space=1024 * MIB, stdout=null)
        self.assertLess(many - few, 64 * MIB, f"{many} for 1,000,000 frames, {few} for 300")

    def test_a_film_of_a_million_frames_begins_and_resumes_quickly(self):
        arguments = [ROUNDEL, "render", "a.yaml", "--size", "16x16", "--backend", "cpu", "--threads", "2", "-o",
                     "out/%d.png", "--progress", "none"]
        os.mkdir(os.path.join(self.folder, "out"))
        count = 20000
        subprocess.run([*arguments, "--frames", f"0-{count - 1}"], cwd=self.folder, check=True, stderr=subprocess.PIPE)
        start = time.monotonic()
        done = subprocess.run([*arguments, "--frames", f"0-{count - 1}", "--resume"], cwd=self.folder, check=True,
                              stderr=subprocess.PIPE, text=True)
        self.assertIn(f"({count} kept)", done.stderr)
        self.assertGreater(count / (time.monotonic() - start), 2000)
        start = time.monotonic()
        film = subprocess.Popen([*arguments, "--frames", "0-999999", "--resume"], cwd=self.folder,
                                stderr=subprocess.DEVNULL)
        while not os.path.exists(os.path.join(self.folder, "out", f"{count}.png")):
            self.assertLess(time.monotonic() - start, 5)  # on a busy machine; querying each name takes as long
            time.sleep(0.001)
        film.kill()
        film.wait()


if __name__ == "__main__":
    ROUNDEL = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
