#!/usr/bin/env python3
"""Memory of data, for all kinds of files: bounds hold and are near, and the size that a refusal names is enough. Usage:
data_memory_test.py PATH_OF_ROUNDEL
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROUNDEL = ""
MIB = 1 << 20

SCENE = """version: 1
image: {{width: 512, height: 512}}
layers:
  - data: {file}
    map: {{x: x, y: y, radius: 2px, alpha: 0.3{color}}}{more}
"""
PERCENTILES = ", color: {column: v, domain: [1%, 99%], colormap: viridis}"
CATEGORIES = ", color: {column: name, categories: tab10}"
NUMBERS = ["stored.npz", "deflated.npz", "numbers.csv", "ascii.ply", "binary.ply", "numbers.h5", "large_chunks.h5"]
TEXTS = ["long.csv", "quoted.csv", "long.npy", "long.npz", "long.h5"]


def make_data():
    """Runs in its own process: a child's peak begins with its parent's memory."""
    import h5py
    import numpy as np

    rng = np.random.default_rng(1)
    rows = 300_000
    x, y, v = rng.random(rows), rng.random(rows), 1000 * rng.random(rows)
    np.savez("stored.npz", x=x, y=y, v=v)
    np.savez_compressed("deflated.npz", x=x, y=y, v=v)
    lines = [f"{a:.6f}{{0}}{b:.6f}{{0}}{c:.4f}\n" for a, b, c in zip(x, y, v)]
    with open("numbers.csv", "w", encoding="ascii") as file:
        file.write("x,y,v\n")
        file.writelines(line.format(",") for line in lines)
    header = f"1.0\nelement vertex {rows}\nproperty float x\nproperty float y\nproperty float v\nend_header\n"
    with open("ascii.ply", "w", encoding="ascii") as file:
        file.write("ply\nformat ascii " + header)
        file.writelines(line.format(" ") for line in lines)
    with open("binary.ply", "wb") as file:
        file.write(b"ply\nformat binary_little_endian " + header.encode())
        np.stack([x, y, v], 1).astype("<f4").tofile(file)
    for name, chunk in (("numbers.h5", 10_000), ("large_chunks.h5", rows)):
        with h5py.File(name, "w") as file:
            for key, values in (("x", x), ("y", y), ("v", v)):
                file.create_dataset(key, data=values, chunks=(chunk,), compression="gzip")

    long = 80  # rows, of 500 kB
    x, y = x[:long], y[:long]
    texts = [chr(97 + i % 26) * 500_000 + str(i) for i in range(long)]
    for name, mark in (("long.csv", ""), ("quoted.csv", '"')):
        with open(name, "w", encoding="ascii") as file:
            file.write("name,x,y\n")
            file.writelines(f"{mark}{text}{mark},{a},{b}\n" for text, a, b in zip(texts, x, y))
    table = np.zeros(long, dtype=[("x", "f8"), ("y", "f8"), ("name", "S500002")])
    table["x"], table["y"], table["name"] = x, y, [text.encode() for text in texts]
    np.save("long.npy", table)
    np.savez("long.npz", x=x, y=y, name=table["name"])
    with h5py.File("long.h5", "w") as file:
        file["x"], file["y"], file["name"] = x, y, np.array(texts, dtype=object)


class DataMemory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="roundel_data_memory_")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        subprocess.run([sys.executable, os.path.abspath(__file__), "--make-data"], cwd=cls.folder, check=True)

    def write_scene(self, file, color="", more=""):
        with open(os.path.join(self.folder, "a.yaml"), "w", encoding="utf-8") as scene:
            scene.write(SCENE.format(file=file, color=color, more=more))

    def bound(self, *options):
        done = subprocess.run([ROUNDEL, "validate", "a.yaml", "--backend", "cpu", *options], cwd=self.folder,
                              check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return int(re.search(r"^  memory .*\((\d+) bytes\)", done.stdout, re.M)[1])

    def render(self, *options):
        """Renders; returns exit code, messages, and peak memory in bytes."""
        process = subprocess.Popen([ROUNDEL, "render", "a.yaml", "--backend", "cpu", "-o", "a.png", *options],
                                   cwd=self.folder, stderr=subprocess.PIPE, text=True)
        with process.stderr:
            messages = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, messages, usage.ru_maxrss * 1024

    def check_bound(self, name, share, *options):
        bound = self.bound(*options)
        code, messages, used = self.render(*options)
        if os.environ.get("ROUNDEL_TEST_VERBOSE"):
            print(f"{name:36} bound {bound / MIB:7.1f} used {used / MIB:7.1f}", flush=True)
        self.assertEqual(code, 0, messages)
        self.assertLessEqual(used, bound)
        # For HDF5 the bound includes the reading process, but the measurement does not.
        share = 2.4 if ".h5" in name else share
        self.assertLessEqual(bound, share * used + 12 * MIB)

    def check_least(self, name, thirds=(1, 2, 3)):
        """A refusal names a sufficient size; runs with these thirds of it stay within their limit.

        Returns the memory of the refused run in bytes.
        """
        code, messages, used_to_refuse = self.render("--threads", "2", "--memory", "1M")
        self.assertEqual(code, 1, messages)
        enough = int(re.search(r"--memory: 1M is too little, (\d+)M is enough$", messages, re.M)[1])
        for budget in (third * enough // 3 for third in thirds):
            code, messages, used = self.render("--threads", "2", "--memory", f"{budget}M")
            if code != 0 and budget < enough:
                self.assertEqual(code, 1, messages)
                self.assertRegex(messages, rf"{budget}M is too little, \d+M is enough\n")
                budget = int(re.search(r"(\d+)M is enough", messages)[1])
                self.assertLessEqual(abs(budget - enough), 1 + enough // 20)  # memory for reading is measured
                code, messages, used = self.render("--threads", "2", "--memory", f"{budget}M")
            if os.environ.get("ROUNDEL_TEST_VERBOSE"):
                print(f"{name:36} --memory {budget:4}M used {used / MIB:7.1f}", flush=True)
            self.assertEqual(code, 0, messages)
            self.assertLess(used, (budget + 16) * MIB)
        return used_to_refuse

    def test_numbers(self):
        for file in NUMBERS:
            for more in ("", "\n    order: v"):
                name = file + (" in order" if more else "")
                with self.subTest(name):
                    self.write_scene(file, PERCENTILES, more)
                    self.check_bound(name, 2, "--threads", "2")
                    self.check_least(name)

    def test_extra_threads_take_little(self):
        for file in ("deflated.npz", "numbers.csv", "large_chunks.h5"):
            with self.subTest(file):
                self.write_scene(file, PERCENTILES)
                self.check_bound(file + ", 64 threads", 2, "--threads", "64")

    def test_unused_long_texts_take_nothing(self):
        for file in TEXTS:
            with self.subTest(file):
                self.write_scene(file)
                self.check_bound(file + " unused", 1, "--threads", "2")
                self.assertLess(self.render("--threads", "2")[2], 24 * MIB)

    def test_long_texts(self):
        for file in TEXTS:
            for use, color, more in (("categories", CATEGORIES, ""), ("order", "", "\n    order: name"),
                                     ("where", "", "\n    where: {name: {not: [a]}}")):
                with self.subTest(file, use=use):
                    self.write_scene(file, color, more)
                    self.check_bound(f"{file} {use}", 2, "--threads", "2")
                    # All texts are needed at once: a smaller size is refused again.
                    used = self.check_least(f"{file} {use}", thirds=(1,))
                    if use == "where":
                        self.assertLess(used, 48 * MIB, "rows are read a few at a time")


if __name__ == "__main__":
    if sys.argv[1:] == ["--make-data"]:
        make_data()
    else:
        ROUNDEL = os.path.abspath(sys.argv.pop(1))
        unittest.main(verbosity=2)
