#!/usr/bin/env python3
"""Scenes of HDF5 files, which a helper program reads: little memory, large claims, unused columns. Usage: hdf5_test.py PATH_OF_ROUNDEL"""

import os
import re
import signal
import subprocess
import threading
import time
import unittest
import zlib

import numpy as np

from command_case import ROUNDEL, CommandCase

try:
    import h5py
except ImportError:
    h5py = None

INVALID, MIB = 3, 1 << 20
SCENE = """version: 1
image: {width: 64, height: 64}
layers: [{data: %s, map: {x: x, y: y, radius: 2px%s}}]
"""


def helpers(process):
    """Numbers of the helper's processes below this one."""
    found = []
    for task in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{task}/children", encoding="ascii") as children:
            for child in children.read().split():
                with open(f"/proc/{child}/comm", encoding="ascii") as name:
                    if name.read() == "roundel-hdf5\n":
                        found.append(int(child))
                found += helpers(child)
    return found


def peak(process):
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s*(\d+) kB", status.read())[1]) << 10


class Hdf5Test(CommandCase):
    is_text = True

    def setUp(self):
        super().setUp()
        if h5py is None:
            self.skipTest("h5py is not installed")

    def file(self):
        return h5py.File(self.path("d.h5"), "w", libver="latest")

    def make(self, rows=1000, **more):
        with self.file() as file:
            for name in "xy":
                file.create_dataset(name, data=np.random.default_rng(1).random(rows), compression="gzip")
            for name, values in more.items():
                file[name] = values
        self.write("s.yaml", SCENE % ("d.h5", ""))

    def test_unused_columns_may_be_unreadable_and_of_any_length(self):
        self.make(box=np.float32(3), edges=np.zeros(5), mark=np.zeros(1000, "V3"))
        self.run_roundel("validate", "s.yaml")
        self.write("s.yaml", SCENE % ("d.h5", ", alpha: mark"))
        done = self.run_roundel("validate", "s.yaml", code=INVALID)
        self.assertIn("d.h5: mark: expected numbers or texts", done.stderr)
        self.write("s.yaml", SCENE % ("d.h5", ", alpha: mass"))
        done = self.run_roundel("validate", "s.yaml", code=INVALID)
        self.assertIn("there are edges (5 rows), x (1,000 rows) and y (1,000 rows); not as columns: box (", done.stderr)
        self.write("s.yaml", SCENE % ("d.h5", ", alpha: edges"))
        done = self.run_roundel("validate", "s.yaml", code=INVALID)
        self.assertIn("expected columns of the same length, but ", done.stderr)

    def test_little_address_space_is_an_error_at_most(self):
        self.make()
        self.write("plain.yaml", "version: 1\nlayers: [{generator: rgb}]\n")
        outcomes = set()
        for limit in range(20, 260, 12):
            def validate(scene):
                return subprocess.run(["bash", "-c", f"ulimit -v {limit << 10}; exec \"$0\" \"$@\"", ROUNDEL, "validate", scene],  # noqa: B023
                                      cwd=self.folder, capture_output=True, text=True, check=False)
            if validate("plain.yaml").returncode != 0:
                continue
            done = validate("s.yaml")
            outcomes.add(done.returncode)
            if done.returncode != 0:
                self.assertIn(done.returncode, (1, 3), (limit, done.stderr))
                self.assertRegex(done.stderr, r"d\.h5: |out of memory", limit)
        self.assertEqual(outcomes & {0, 1}, {0, 1})

    def most_memory(self, *arguments):
        """Runs the command; returns its exit code, messages and the most memory of a process that reads for it, in bytes."""
        with subprocess.Popen([ROUNDEL, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            peaks, is_done = [0], threading.Event()

            def look():
                while not is_done.is_set():
                    try:
                        peaks.extend(peak(helper) for helper in helpers(process.pid))
                    except (OSError, TypeError):
                        pass  # it has ended
            thread = threading.Thread(target=look)
            thread.start()
            messages = process.stderr.read()
            is_done.set()
            thread.join()
        return process.returncode, messages, max(peaks)

    def test_small_files_take_little_memory(self):
        def never_written(file):
            for name in "xy":
                file.create_dataset(name, (30_000_000,), "f8", chunks=(30_000_000,))

        def packed(file, rows=2_000_000):
            for name in "xy":
                file.create_dataset(name, data=np.zeros(rows), chunks=(rows,), compression="gzip")

        def shared_text(file):
            packed(file, 200_000)
            file["text"] = np.array(["a" * 15_000], dtype=object)
            file.flush()
            with open(self.path("d.h5"), "rb") as raw:
                raw.seek(file["text"].id.get_offset())
                place = raw.read(16)
            texts = file.create_dataset("t", (200_000,), h5py.string_dtype(), chunks=(200_000,), compression="gzip")
            texts.id.write_direct_chunk((0,), zlib.compress(place * 200_000))
        for make in (never_written, packed, shared_text):
            with self.file() as file:
                make(file)
            self.assertLess(os.path.getsize(self.path("d.h5")), 25_000)
            self.write("s.yaml", SCENE % ("d.h5", ", color: {column: t, categories: tab10}" if make is shared_text else ""))
            code, messages, most = self.most_memory("validate", "s.yaml")
            self.assertLess(most, 256 * MIB, make.__name__)
            self.assertIn(code, (0, INVALID), messages)
            if code != 0:
                self.assertIn("d.h5: ", messages)

    def test_the_helper_ends_with_the_command(self):
        self.make(2_000_000)
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            with subprocess.Popen([ROUNDEL, "render", "s.yaml", "-o", "a.png"], cwd=self.folder, stderr=subprocess.PIPE) as process:
                found = []
                while len(found) < 2 and process.poll() is None:
                    try:
                        found = helpers(process.pid)
                    except OSError:
                        pass
                self.assertEqual(len(found), 2)
                process.send_signal(number)
                start = time.monotonic()
                process.stderr.read()  # nobody else has it open
                while any(os.path.exists(f"/proc/{helper}") for helper in found):
                    self.assertLess(time.monotonic() - start, 5)


if __name__ == "__main__":
    unittest.main()
