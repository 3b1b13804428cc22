#!/usr/bin/env python3
"""Compares the memory that validate names with the memory that render takes, with and without --memory.
Usage: memory_test.py PATH_OF_ROUNDEL
ROUNDEL_TEST_BACKEND=cuda: main memory with CUDA, on a machine with a device.
"""

import array
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROUNDEL = ""
BACKEND = os.environ.get("ROUNDEL_TEST_BACKEND", "cpu")
MIB = 1 << 20

RANDOM = """version: 1
image: {{width: {side}, height: {side}{image}}}
layers:
  - random: {{count: {count}, radius: {{uniform: [{radius}, {radius}]}}, alpha: {{uniform: [{alpha}, {alpha}]}}{more}}}
"""
NAMED = "version: 1\nimage: {{width: {side}, height: {side}{image}}}\nlayers:\n  - generator: {name}\n"
DATA = """version: 1
image: {{width: {side}, height: {side}}}
layers:
  - data: data.npy
    columns: [x, y, radius, alpha]
"""
TEXT = """version: 1
image: {{width: {side}, height: {side}}}
layers:
  - data: data.csv
    map: {{x: x, y: y, radius: 2px, alpha: 0.01, color: {{column: v, scale: rank, colormap: viridis}}}}{more}
"""
# The radius's column has one number everywhere.
SORTED = """version: 1
image: {{width: {side}, height: {side}}}
layers:
  - data: data.npy
    map: {{x: {{column: 0}}, y: {{column: 1}}, radius: 2px, alpha: 0.01{more}}}
    order: {{column: {order}, descending: true}}
"""


def random_scene(side, count, radius, alpha, image="", more=""):
    return RANDOM.format(side=side, count=count, radius=radius, alpha=alpha, image=image, more=more)


def named_scene(side, name, image=""):
    return NAMED.format(side=side, name=name, image=image)


# Zeros: circles of less than a pixel at the corner of the picture. Without antialiasing they cover no pixel's centre.
MANY = """version: 1
image: {{width: {side}, height: {side}, antialias: {smooth}}}
layers:
  - {{data: zeros.npy, map: {{x: {{column: 0}}, y: {{column: 1}}, radius: 0.3px, alpha: 0.000001}}}}
"""
ZEROS = 6_000_000  # rows, more than a chunk has

COLOURS = ", color: {uniform: [[0, 0, 0], [1, 1, 1]]}"
# name: (scene, format, values of --memory besides the least that validate names)
SCENES = {
    "few circles": (named_scene(2048, "rgb"), "png", []),
    "few circles, EXR": (named_scene(2048, "rgb"), "exr", []),
    "few circles, PFM": (named_scene(2048, "rgb"), "pfm", []),
    "alpha": (named_scene(3000, "rgb", ", alpha: true"), "png", []),
    "noise that does not compress": (random_scene(2000, 2000000, 0.0004, 1, more=COLOURS), "png", []),
    "noise, EXR": (random_scene(1500, 1000000, 0.0006, 1, more=COLOURS), "exr", []),
    "pixels unfinished after a chunk": (random_scene(1500, 5000000, 0.002, 0.001), "png",
                                        ["300M", "100M"]),
    "long lists": (random_scene(1024, 40000, 0.2, 0.00001), "png", ["38M", "30M"]),
    "saturated": (named_scene(3000, "rand1M"), "png", []),
    "specks": (named_scene(3000, "micro2M"), "png", ["150M"]),
    "simulated flakes": (named_scene(1024, "snow"), "png", []),
    "rows of data": (DATA.format(side=1024), "png", ["50M"]),
    "rows of data, sorted": (SORTED.format(side=1024, order=1, more=""), "png", ["50M"]),
    "many rows": (MANY.format(side=1024, smooth="false"), "png", ["1G"]),
    "many rows, antialiased": (MANY.format(side=1024, smooth="true"), "png", ["1G"]),
    "rows of a text": (TEXT.format(side=1024, more=""), "png", ["50M"]),
    "rows of a text, sorted": (TEXT.format(side=1024, more="\n    order: v"), "png", ["50M", "38M"]),
    "rows of data, all equal": (SORTED.format(side=1024, order=3, more=", color: {column: 1}"), "png", ["50M"]),
}


def largest_bound(used):
    """Returns the largest acceptable bound if `used` bytes were used."""
    return 2 * used


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="roundel_memory_")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        rows, slab = 1000000, 1000

        def start(file, shape):
            header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
            header += " " * (-(len(header) + 11) % 64) + "\n"
            file.write(b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header.encode())

        with open(os.path.join(cls.folder, "zeros.npy"), "wb") as file:  # takes no space on most disks
            start(file, (ZEROS, 2))
            file.truncate(file.tell() + ZEROS * 8)
        # In slabs: a child's peak begins with its parent's memory.
        with open(os.path.join(cls.folder, "data.npy"), "wb") as file:
            start(file, (rows, 4))
            for first in range(0, rows, slab):
                values = array.array("f")
                for i in range(first, first + slab):
                    values.extend((i * 7919 % rows / rows, i * 104729 % rows / rows, 0.005, 0.01))
                values.tofile(file)
        with open(os.path.join(cls.folder, "data.csv"), "w", encoding="ascii") as file:
            file.write("x,y,v\n")
            file.writelines(f"0.{i * 7919 % rows:06},0.{i * 104729 % rows:06},{i * 31 % rows}\n" for i in range(rows))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write_scene(self, text):
        with open(self.path("a.yaml"), "w", encoding="utf-8") as file:
            file.write(text)

    def validate(self, *options):
        """Returns validate's bytes of memory, and its MiB for --memory."""
        done = subprocess.run([ROUNDEL, "validate", "a.yaml", "--backend", BACKEND, "--threads", "2",
                               *options], cwd=self.folder, check=True, text=True,
                              stdout=subprocess.PIPE)
        memory = re.search(r"^  memory .*\((\d+) bytes\)", done.stdout, re.M)
        least = re.search(r"^  --memory +(\d+)M is enough$", done.stdout, re.M)
        return int(memory[1]), int(least[1]) if least else None

    def render(self, output, *options):
        """Renders; returns exit code, messages, and peak memory in bytes."""
        process = subprocess.Popen([ROUNDEL, "render", "a.yaml", "--backend", BACKEND, "--threads",
                                    "2", "-o", output, *options], cwd=self.folder,
                                   stderr=subprocess.PIPE, text=True)
        with process.stderr:
            messages = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, messages, usage.ru_maxrss * 1024

    def test_bounds_hold_and_less_memory_takes_less(self):
        for name, (text, ending, budgets) in SCENES.items():
            with self.subTest(name):
                self.write_scene(text)
                allowed = None
                before = None
                for budget in [None, *budgets, "least"] if BACKEND == "cpu" else [None]:
                    options = ["--memory", f"{allowed}M" if budget == "least" else budget]
                    options = options if budget else []
                    bound, least = self.validate("--format", ending, *options)
                    code, messages, used = self.render("a." + ending, *options)
                    if os.environ.get("ROUNDEL_TEST_VERBOSE"):
                        print(f"{name:32} {' '.join(options):16} bound {bound / MIB:7.1f} "
                              f"used {used / MIB:7.1f} --memory {least}M", flush=True)
                    self.assertEqual(code, 0, messages)
                    if name.startswith("few circles"):
                        self.assertNotIn("no circle touches", messages)
                    if budget != "least":  # chunks that are halved to fit may need less
                        for _ in range(9):  # threads that do not run at once use less
                            if bound > largest_bound(used):
                                used = max(used, self.render("a." + ending, *options)[2])
                        self.assertLessEqual(bound, largest_bound(used), options)
                    self.assertLessEqual(used, bound, options)
                    if before is not None:
                        most = (allowed + 20) * MIB if budget == "least" else before + 4 * MIB
                        self.assertLessEqual(used, most, options)
                        self.assertTrue(filecmp.cmp(self.path("first"), self.path("a." + ending),
                                                    shallow=False), options)
                    if before is None:
                        shutil.copy(self.path("a." + ending), self.path("first"))
                    before, allowed = used, least

    @unittest.skipIf(BACKEND == "cuda", "--memory is device memory there")
    def test_too_little_memory_is_refused_with_the_needed_amount(self):
        for name in ("few circles, EXR", "pixels unfinished after a chunk", "long lists",
                     "simulated flakes"):
            with self.subTest(name):
                text, ending, _ = SCENES[name]
                self.write_scene(text)
                budget = self.validate("--format", ending)[1]
                for less in (1, budget // 3):
                    code, messages, used = self.render("b." + ending, "--memory", f"{less}M")
                    self.assertEqual(code, 1, messages)
                    self.assertFalse(os.path.exists(self.path("b." + ending)))
                    self.assertIn(f"error: a.yaml: --memory: {less}M is too little, {budget}M is enough\n", messages)
                code, messages, used = self.render("b." + ending, "--memory", f"{budget}M")
                self.assertEqual(code, 0, messages)
                self.assertLess(used, (budget + 24) * MIB)
                os.remove(self.path("b." + ending))

    @unittest.skipIf(BACKEND == "cuda", "--memory is device memory there")
    def test_chunks_release_their_memory(self):
        self.write_scene("version: 1\nimage: {width: 200, height: 150}\nlayers:\n"
                         "  - random: {count: 1000001, radius: 0.004, alpha: 0.05}\n")
        self.assertEqual(self.render("all.png")[0], 0)
        for budget in (5, 11, 12, 13, 20, 21):  # an odd number of circles, halved
            code, messages, _ = self.render("part.png", "--memory", f"{budget}M")
            self.assertEqual(code, 0, messages)
            self.assertTrue(filecmp.cmp(self.path("all.png"), self.path("part.png"), shallow=False))

    @unittest.skipIf(BACKEND == "cuda", "--memory is device memory there")
    def test_more_memory_is_always_enough(self):
        """Lists of copies, which are faster, do not fit in each of these."""
        self.write_scene("version: 1\nlayers:\n  - generator: snow\n")
        self.assertEqual(self.render("all.png", "--threads", "1")[0], 0)
        for budget in range(9, 15):
            code, messages, _ = self.render("part.png", "--threads", "1", "--memory", f"{budget}M")
            self.assertEqual(code, 0, messages)
            self.assertTrue(filecmp.cmp(self.path("all.png"), self.path("part.png"), shallow=False))


if __name__ == "__main__":
    ROUNDEL = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
