#!/usr/bin/env python3
"""Files that other processes write while the command reads them: an error with their names, never a crash and never a
picture of old and new data. Usage: changing_files_test.py PATH_OF_ROUNDEL
"""

import os
import random
import struct
import subprocess
import threading
import time
import unittest
import zlib

from command_case import ROUNDEL, CommandCase

DONE, FAILED = range(2)
SAME, DIFFER, COULD_NOT = range(3)
CHANGED = "has changed while it was read"


def npy(rows, row):
    """Returns float32 [rows, len(row)], all rows equal."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {len(row)}), }}"
    header = header.ljust(117) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{len(row)}f", *row) * rows)


def png(side, seed):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    noise = random.Random(seed).randbytes(side * 3)
    rows = b"".join(b"\0" + noise[y:] + noise[:y] for y in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def pfm(side, seed):
    noise = random.Random(seed)
    row = struct.pack(f"<{3 * side}f", *(noise.random() for _ in range(3 * side)))
    return b"PF\n%d %d\n-1.0\n" % (side, side) + row * side


class Hammer:
    """Alternately truncates a file and restores it, in place, until the `with` ends."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.content = file.read()
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.stop.wait(0.003):
            os.truncate(self.path, 1000)
            self.stop.wait(0.003)
            with open(self.path, "r+b") as file:
                file.write(self.content)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


class ChangingFilesTest(CommandCase):
    def write(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def start(self, *arguments):
        return subprocess.Popen([ROUNDEL, *arguments], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_roundel(self, *arguments, codes):
        with self.start(*arguments) as process:
            process.out, process.err = process.communicate(timeout=300)
        self.assertIn(process.returncode, codes, (arguments, process.out, process.err))
        return process

    def wait_until(self, is_so):
        end = time.monotonic() + 120
        while not is_so():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.0005)


class Data(ChangingFilesTest):
    def test_a_truncated_array_is_an_error(self):
        data = npy(4_000_000, (0.5, 0.5, 0.01))
        self.write("s.yaml", "version: 1\nimage: {width: 32, height: 32}\n"
                             "layers:\n  - {data: w.npy, columns: [x, y, radius]}\n")
        caught = 0
        for attempt in range(12):
            self.write("w.npy", data)
            with self.start("render", "s.yaml", "-o", "o.png") as process:
                time.sleep(0.02 * (attempt + 1))
                os.truncate(self.path("w.npy"), 4096)
                _, err = process.communicate(timeout=300)
            # 3: the header was read after the truncation.
            self.assertIn(process.returncode, (0, 1, 3), err)
            if process.returncode == FAILED:
                self.assertEqual(err, f"error: w.npy: {CHANGED}\n")
                caught += 1
            if process.returncode != DONE:
                self.assertFalse(os.path.exists(self.path("o.png")))
            else:
                os.remove(self.path("o.png"))
        self.assertGreater(caught, 0)

    def test_the_fingerprint_matches_the_drawn_data(self):
        """Draws one or the other array as a whole: picture and fingerprint."""
        arrays = [npy(4_000_000, (0.2, 0.3, 0.1)), npy(4_000_000, (0.8, 0.7, 0.1))]
        self.write("s.yaml", "version: 1\nimage: {width: 32, height: 32}\n"
                             "layers:\n  - {data: w.npy, columns: [x, y, radius]}\n")
        whole = []
        for array in arrays:
            self.write("w.npy", array)
            self.run_roundel("render", "s.yaml", "-o", "o.png", codes=[DONE])
            whole.append(self.read("o.png"))
        self.assertNotEqual(*whole)
        for attempt in range(16):
            self.write("w.npy", arrays[0])
            self.write("other.npy", arrays[1])
            with self.start("render", "s.yaml", "-o", "o.png") as process:
                time.sleep(0.01 * (attempt + 1))
                os.rename(self.path("other.npy"), self.path("w.npy"))
                _, err = process.communicate(timeout=300)
            self.assertEqual(process.returncode, DONE, err)
            self.assertIn(self.read("o.png"), whole)

    def film(self, change):
        """Exports a film of data and of something that moves; calls change() once it has begun."""
        self.write("t.npy", npy(100_000, (0.2, 0.3, 0.02)))
        self.write("f.yaml", "version: 1\nimage: {width: 64, height: 64}\nlayers:\n"
                             "  - {data: t.npy, columns: [x, y, radius]}\n"
                             "  - generator: bouncingballs\n")
        os.makedirs(self.path("out"))
        with self.start("render", "f.yaml", "--frames", "0-299", "-o", "out/f_###.png") as process:
            self.wait_until(lambda: os.path.exists(self.path("out/f_002.png")))
            change()
            _, err = process.communicate(timeout=300)
        return process.returncode, err

    def test_a_film_whose_data_is_rewritten_ends_with_an_error(self):
        def rewrite():
            with open(self.path("t.npy"), "r+b") as file:
                file.write(npy(100_000, (0.8, 0.7, 0.02)))
        code, err = self.film(rewrite)
        self.assertEqual(code, FAILED, err)
        self.assertIn(f"t.npy: {CHANGED}", err)
        first = self.read("out/f_000.png")
        frames = sorted(os.listdir(self.path("out")))
        self.assertLess(len(frames), 300)
        self.assertIn(f"{300 - len(frames)} of 300 frames are missing", err)
        # The frames do not show the new data, which lie at another place.
        self.run_roundel("render", "f.yaml", "--frames", f"0-{len(frames) - 1}", "-o", "out/n_###.png",
                         codes=[DONE])
        self.assertNotEqual(self.read("out/n_000.png"), first)
        self.write("t.npy", npy(100_000, (0.2, 0.3, 0.02)))
        self.run_roundel("render", "f.yaml", "--frames", f"0-{len(frames) - 1}", "-o", "out/o_###.png",
                         codes=[DONE])
        for frame in frames:
            self.assertEqual(self.read("out/" + frame), self.read("out/" + frame.replace("f_", "o_")))

    def test_a_film_whose_data_is_truncated_ends_with_an_error(self):
        code, err = self.film(lambda: os.truncate(self.path("t.npy"), 4096))
        self.assertEqual(code, FAILED, err)
        self.assertIn(f"t.npy: {CHANGED}", err)

    def test_a_film_keeps_its_data_if_the_file_is_replaced(self):
        def replace():
            self.write("new.npy", npy(100_000, (0.8, 0.7, 0.02)))
            os.rename(self.path("t.npy"), self.path("old.npy"))
            os.rename(self.path("new.npy"), self.path("t.npy"))
        code, err = self.film(replace)
        self.assertEqual(code, DONE, err)
        os.rename(self.path("old.npy"), self.path("t.npy"))
        self.run_roundel("render", "f.yaml", "--frames", "0-299", "-o", "out/o_###.png", codes=[DONE])
        for frame in range(300):
            self.assertEqual(self.read(f"out/f_{frame:03}.png"), self.read(f"out/o_{frame:03}.png"))
        self.run_roundel("verify", "out/f_###.png", "--frames", "0-299", "--scene", "f.yaml",
                         codes=[DONE])


class Pictures(ChangingFilesTest):
    """The other pictures of a folder are compared even if one changes."""

    def setUp(self):
        super().setUp()
        for folder in ("a", "b"):
            self.write(f"{folder}/changing.png", png(1500, folder))
            self.write(f"{folder}/changing.pfm", pfm(1000, folder))
            self.write(f"{folder}/still.png", png(16, 1))
        self.write("s.yaml", "version: 1\nimage: {width: 1000, height: 1000}\nlayers:\n"
                             "  - random: {count: 20000, radius: 0.02, color: {uniform: [0, 1]}}\n")
        for number, folder in enumerate(("a", "b")):
            self.run_roundel("render", "s.yaml", "--seed", str(number), "-o",
                             f"{folder}/changing.exr", codes=[DONE])

    def test_files_and_folders(self):
        for ending in ("png", "pfm", "exr"):
            changing = f"b/changing.{ending}"
            failed = 0
            with Hammer(self.path(changing)):
                for _ in range(8):
                    result = self.run_roundel("diff", f"a/changing.{ending}", changing,
                                              codes=[DIFFER, COULD_NOT])
                    if result.returncode == COULD_NOT:
                        self.assertIn(changing + ":", result.err)
                        failed += 1
                    result = self.run_roundel("diff", "a", "b", codes=[DIFFER, COULD_NOT])
                    self.assertIn("1 same", result.out + result.err)
            self.assertGreater(failed, 0, ending)

    def test_goldens(self):
        self.write("rgb.yaml", "version: 1\nimage: {width: 1500, height: 1500}\nlayers: "
                               "[{generator: rgb}]\n")
        self.write("rgby.yaml", "version: 1\nimage: {width: 64, height: 64}\nlayers: "
                                "[{generator: rgby}]\n")
        self.write("goldens/rgb.png", png(1500, 3))
        self.run_roundel("render", "rgby.yaml", "-o", "goldens/rgby.png", codes=[DONE])
        with Hammer(self.path("goldens/rgb.png")):
            for _ in range(8):
                result = self.run_roundel("regress", "rgb.yaml", "rgby.yaml", "--goldens", "goldens",
                                          codes=[DIFFER, COULD_NOT])
                self.assertIn("1 same", result.out + result.err)


if __name__ == "__main__":
    unittest.main(verbosity=1)
