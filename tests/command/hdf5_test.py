#!/usr/bin/env python3
"""Scenes of HDF5 files, which a helper program reads: little memory, large claims, unused columns. Usage: hdf5_test.py PATH_OF_ROUNDEL"""

import os
import re
import shutil
import signal
import struct
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

# A helper whose answers may be false.
FALSE_HELPER = """#!/usr/bin/python3
import socket
connection = socket.socket(fileno=0)
connection.sendall(bytes(24))
for answer in %r:
    connection.recvmsg(24, 1000)
    connection.sendall(answer)
connection.recv(1)
"""
FLOAT, TEXT, PLACE = 3, 5, 7


def packed(*numbers):
    return struct.pack(f"<{len(numbers)}Q", *numbers)


def description(runs, columns, names):
    """Returns an answer; run: rows, bytes of a record and of a run, place in the file, whether it exists; column: run,
    offset, kind, order, size.
    """
    text = packed(len(runs), len(columns)) + b"".join(packed(*numbers) for numbers in [*runs, *columns]) + names
    return packed(0, 0, len(text)) + text


def helpers(process):
    """Returns the process numbers of the helper's processes below this one."""
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

    def test_little_address_space_gives_a_picture_or_an_error(self):
        self.make()
        self.write("plain.yaml", "version: 1\nlayers: [{generator: rgb}]\n")
        outcomes = set()
        for limit in range(16, 128, 4):
            def validate(scene):
                return subprocess.run(["bash", "-c", f"ulimit -v {limit << 10}; exec \"$0\" \"$@\"", ROUNDEL, "validate", scene],  # noqa: B023
                                      cwd=self.folder, capture_output=True, text=True, check=False, timeout=30)
            try:
                if validate("plain.yaml").returncode != 0:
                    continue
            except subprocess.TimeoutExpired:  # oneTBB 2022 waits for ever if it cannot throw bad_alloc
                continue
            done = validate("s.yaml")
            outcomes.add(done.returncode)
            if done.returncode != 0:
                self.assertIn(done.returncode, (1, 3), (limit, done.stderr))
                self.assertRegex(done.stderr, r"d\.h5: |out of memory", limit)
        self.assertIn(0, outcomes)

    def test_a_helper_that_fails_to_start_is_an_error(self):
        self.make()
        for folder in ("bin", "lib/roundel"):
            os.makedirs(self.path(folder))
        program, helper = shutil.copy(ROUNDEL, self.path("bin")), self.path("lib/roundel/roundel-hdf5")
        for mode, problem in ((0o644, f"d.h5: cannot start {helper}, which reads it: Permission denied"),
                              (0o755, f"d.h5: {helper}, which reads it, ended as it started (exit status 7); ")):
            self.write("lib/roundel/roundel-hdf5", "#!/bin/sh\nexit 7\n")
            os.chmod(helper, mode)
            done = subprocess.run([program, "validate", "s.yaml"], cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(problem, done.stderr)

    def test_answers_of_the_helper_are_checked(self):
        self.make()
        for folder in ("bin", "lib/roundel"):
            os.makedirs(self.path(folder))
        program = shutil.copy(ROUNDEL, self.path("bin"))
        self.write("lib/roundel/roundel-hdf5", "")
        os.chmod(self.path("lib/roundel/roundel-hdf5"), 0o755)

        def problem(*answers, code=INVALID):
            self.write("lib/roundel/roundel-hdf5", FALSE_HELPER % (answers,))
            done = subprocess.run([program, "validate", "s.yaml"], cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            return done.stderr

        run, x, y, names = (2, 16, 32, 0, 0), (0, 0, FLOAT, 0, 8), (0, 8, FLOAT, 0, 8), b"x\0y\0"
        right, rows = description([run], [x, y], names), packed(0, 0, 32) + struct.pack("<4d", 0, 0, 1, 1)
        self.assertEqual(problem(right, rows, rows, code=0), "")
        damaged = [packed(0, 0, 1 << 62), packed(3, 0, 1 << 62), packed(0, 0, 0), packed(0, 0, 8) + packed(1 << 60),
                   description([], [], b""), description([run], [], b""), description([], [x, y], names)]
        for wrong in ((2, 0, 16, 0, 0), (2, 1 << 40, 16, 0, 0), (2, 16, 1 << 40, 0, 0), (1 << 61, 16, 16, 0, 0)):
            damaged.append(description([wrong], [x, y], names))
        for wrong in ((1, 0, FLOAT, 0, 8), (0, 9, FLOAT, 0, 8), (0, 1 << 63, FLOAT, 0, 8), (0, 0, FLOAT, 0, 3), (0, 0, FLOAT, 0, 1 << 63),
                      (0, 0, 0, 0, 8), (0, 0, 4, 0, 8), (0, 0, 6, 0, 8), (0, 0, 99, 0, 8), (0, 0, 3 + 256, 0, 8), (0, 0, PLACE, 0, 4)):
            damaged.append(description([run], [x, wrong], names))
        damaged += [description([run], [x, y], b"x\0y"), description([run], [x, y], names + b"z\0reason")]
        for answer in damaged:
            self.assertIn("d.h5: is damaged", problem(answer))
        self.assertIn("d.h5: is cut short", problem(description([(2, 16, 16, 1 << 62, 1)], [x, y], names)))
        for answer in (packed(0, 0, 31), packed(0, 0, 1 << 62)):
            self.assertIn("d.h5: is damaged", problem(right, answer))
        self.assertIn(r"d.h5: \x1b[31m", problem(packed(3, 0, 5) + b"\x1b[31m"))
        self.write("s.yaml", SCENE % ("d.h5", ", color: {column: t, categories: {a: '#ff0000'}, missing: '#0000ff'}"))
        texts = description([(2, 24, 48, 0, 0)], [x, y, (0, 16, PLACE, 0, 8)], names + b"t\0")
        rows = packed(0, 0, 50) + struct.pack("<2dQ", 0, 0, 1) + struct.pack("<2dQ", 1, 1, 1 << 63) + b"a\0"
        problem(texts, rows, rows, rows, code=0)

    def most_memory(self, *arguments):
        """Runs the command; returns its exit code, messages and the peak memory of its reading process in bytes."""
        with subprocess.Popen([ROUNDEL, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            peaks, is_done = [0], threading.Event()

            def sample():
                while not is_done.is_set():
                    try:
                        peaks.extend(peak(helper) for helper in helpers(process.pid))
                    except (OSError, TypeError):
                        pass
            thread = threading.Thread(target=sample)
            thread.start()
            messages = process.stderr.read()
            is_done.set()
            thread.join()
        return process.returncode, messages, max(peaks)

    def test_small_files_take_little_memory(self):
        def never_written(file):
            for name in "xy":
                file.create_dataset(name, (30_000_000,), "f8", chunks=(30_000_000,))

        def zeros(file, rows=1_000_000):
            for name in "xy":
                file.create_dataset(name, data=np.zeros(rows), chunks=(rows,), compression="gzip")

        def shared_text(file):
            zeros(file, 200_000)
            file["text"] = np.array(["a" * 8_000], dtype=object)
            file.flush()
            with open(self.path("d.h5"), "rb") as raw:
                raw.seek(file["text"].id.get_offset())
                place = raw.read(16)
            texts = file.create_dataset("t", (200_000,), h5py.string_dtype(), chunks=(200_000,), compression="gzip")
            texts.id.write_direct_chunk((0,), zlib.compress(place * 200_000))
        for make in (never_written, zeros, shared_text):
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
                process.stderr.read()  # ends when the last writer closes it
                while any(os.path.exists(f"/proc/{helper}") for helper in found):
                    self.assertLess(time.monotonic() - start, 5)


if __name__ == "__main__":
    unittest.main()
