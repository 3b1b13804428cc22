#!/usr/bin/env python3
"""threads_test.py ROUNDEL: threads, forked processes and the end of the interpreter."""
import ast
import io
import os
import signal
import struct
import subprocess
import sys
import time
import unittest
import zlib

import numpy as np
import roundel

from command_case import ROUNDEL, CommandCase

FILM = """
import multiprocessing, os, sys, threading, time
import roundel
FILM = {"version": 1, "image": {"width": 300, "height": 200}, "animation": {"frames": 200},
        "layers": [{"generator": "bouncingballs"}]}
"""


TORN = "this process was forked while another thread was drawing; start processes with multiprocessing.get_context(\"spawn\")"


def deflated_npz(names, rows):
    """Returns an archive of arrays of zeros, without packing them all."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (rows,)})
    piece = bytes(1 << 24)
    pieces = rows * 8 // len(piece)
    pack = zlib.compressobj(1, zlib.DEFLATED, -15)
    start = pack.compress(head.getvalue()) + pack.flush(zlib.Z_FULL_FLUSH)
    middle = pack.compress(piece) + pack.flush(zlib.Z_FULL_FLUSH)
    packed = start + middle * pieces + pack.flush()
    checksum = zlib.crc32(head.getvalue())
    for _ in range(pieces):
        checksum = zlib.crc32(piece, checksum)
    sizes = struct.pack("<III", checksum, len(packed), len(head.getvalue()) + pieces * len(piece))
    archive, directory = b"", b""
    for name in names:
        named = f"{name}.npy".encode()
        fields = struct.pack("<HHHHH", 20, 0, 8, 0, 0) + sizes + struct.pack("<HH", len(named), 0)
        directory += b"PK\1\2" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, len(archive)) + named
        archive += b"PK\3\4" + fields + named + packed
    return archive + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, len(names), len(names), len(directory), len(archive), 0)


class Threads(CommandCase):
    def test_ctrl_c_stops_unpacking(self):
        """Also if this thread waits for one that unpacks: there are two cores or more, and three arrays."""
        with open(self.path("d.npz"), "wb") as file:
            file.write(deflated_npz("xyr", 1 << 27))  # a gigabyte each
        self.write("s.yaml", "version: 1\nlayers:\n  - data: d.npz\n    map: {x: x, y: y, radius: r}\n")
        scene = self.path("s.yaml")
        for command in ([ROUNDEL, "validate", scene],
                        [sys.executable, "-c", "import sys, roundel\nprint('imported', flush=True)\ntry:\n    roundel.render(sys.argv[1])\n"
                         "except KeyboardInterrupt:\n    sys.exit(130)", scene]):
            for delay in (0.2, 0.7):  # the whole takes a second or more
                with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                    if command[0] != ROUNDEL:
                        self.assertEqual(process.stdout.readline(), b"imported\n")
                    time.sleep(delay)
                    process.send_signal(signal.SIGINT)
                    start = time.monotonic()
                    self.assertEqual(process.wait(60), 130)
                    self.assertLess(time.monotonic() - start, 0.5)

    def run_python(self, text):
        """Returns the output of a new process. One that hangs fails."""
        done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", FILM + text], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), text)
        return done.stdout.strip()

    def test_many_threads_may_draw_the_first_pictures(self):
        """The first function that needs NumPy loads it."""
        for _ in range(3):
            self.assertEqual(self.run_python("""
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    drawn = pool.map(lambda frame: roundel.circles(FILM).shape if frame % 2 else roundel.render(FILM, frame=frame).shape, range(8))
    print(len(set(drawn)))
"""), "2")

    def test_the_program_ends_while_threads_draw(self):
        for work in ("for _ in roundel.frames(FILM): pass", "roundel.render(FILM)"):
            self.run_python(f"""
def work():
    while True:
        {work}
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
""")

    def test_forked_processes(self):
        """A process that was forked during drawing leaks the old frames, and refuses others."""
        self.assertEqual(self.run_python("""
film = roundel.frames(FILM, "0-100")
first = next(film)
if os.fork() == 0:
    for ask in (lambda: next(film), lambda: roundel.frames(FILM, "0-9")):
        try:
            ask()
        except roundel.RenderError as error:
            print(error)
    del film
    print(int((roundel.render(FILM, frame=0, backend="cpu") != first).sum()), flush=True)
    os._exit(0)
os.wait()
"""), """frames: this iterator belongs to the parent process; call roundel.frames() in this one
frames: this process is a fork of one that has drawn; start processes with multiprocessing.get_context("spawn")
0""")
        self.assertEqual(self.run_python("""
if os.fork() == 0:
    print(len(list(roundel.frames(FILM, "0-9"))), flush=True)
    os._exit(0)
os.wait()
"""), "10")

    def test_forked_processes_end(self):
        """Another thread was waiting for the GIL at the fork."""
        self.assertEqual(self.run_python("""
def work():
    while True:
        roundel.render(FILM, size=(30, 20), backend="cpu")
threading.Thread(target=work, daemon=True).start()
ended = 0
for _ in range(12):
    end = time.monotonic() + 0.03
    while time.monotonic() < end:  # with the GIL
        pass
    child = os.fork()
    if child == 0:
        sys.exit(0)
    ended += os.waitpid(child, 0) == (child, 0)
print(ended)
"""), "12")

    def test_processes_forked_while_threads_draw(self):
        """Each draws the picture or reports an error; they never wait for locks of threads that the fork has left
        behind.
        """
        self.write("make.py", """
import sys, numpy as np
x = np.random.default_rng(1).random((2, 5000))
try:
    import h5py
    with h5py.File(sys.argv[1], "w") as file:
        file["x"], file["y"] = x
except ImportError:
    pass
""")
        subprocess.run([sys.executable, self.path("make.py"), self.path("m.h5")], check=True)
        scenes = {"arrays": """
x, y = np.random.default_rng(1).random((2, 5000))
S = roundel.Scene(size=(90, 60)).add(x=x, y=y, radius="2px")
"""}
        if os.path.exists(self.path("m.h5")):
            scenes["hdf5"] = f"""
S = {{"version": 1, "image": {{"width": 90, "height": 60}},
     "layers": [{{"data": {self.path("m.h5")!r}, "map": {{"x": "x", "y": "y", "radius": "2px"}}}}]}}
"""
        for name, scene in scenes.items():
            output = self.run_python("import collections\nimport numpy as np" + scene + """
wanted = roundel.render(S, backend="cpu")
def work():
    while True:
        roundel.render(S, backend="cpu")
def answer(pipe):
    try:
        pipe.send("right" if (roundel.render(S, backend="cpu") == wanted).all() else "wrong")
    except roundel.RenderError as error:
        pipe.send(str(error))
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
fork, answers = multiprocessing.get_context("fork"), collections.Counter()
for _ in range(25):
    here, there = fork.Pipe(False)
    process = fork.Process(target=answer, args=(there,))
    process.start()
    answers[here.recv() if here.poll(20) else "hangs"] += 1
    process.kill()
    process.join()
print(dict(answers), flush=True)
os._exit(0)
""")
            answers = ast.literal_eval(output)
            self.assertEqual(sum(answers.values()), 25, name)
            self.assertLessEqual(set(answers), {"right", TORN}, name)
            self.assertGreater(answers.get("right", 0), 0, name)

    def test_processes_forked_in_the_middle_of_a_long_picture(self):
        self.assertEqual(self.run_python("""
snow = {"version": 1, "animation": {"frames": 1}, "layers": [{"generator": "snow", "shader": "snow"}]}
threading.Thread(target=lambda: roundel.render(snow, frame=9_000_000, backend="cpu"), daemon=True).start()  # a long way to go
time.sleep(0.3)
start = time.monotonic()
if os.fork() == 0:
    try:
        roundel.render(FILM)
    except roundel.RenderError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
print(time.monotonic() - start < 5, flush=True)
os._exit(0)
"""), TORN + "\nTrue")

    def test_subinterpreters_are_refused(self):
        script = "import roundel\nprint('there is a roundel')"
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            self.skipTest("needs _xxsubinterpreters")
        printed = self.run_python(f"""
import _xxsubinterpreters as interpreters
number = interpreters.create()
try:
    interpreters.run_string(number, {script!r})
except interpreters.RunFailedError as error:
    print(error)
""")
        self.assertIn("roundel works in a process's main interpreter only", printed)

    def test_diff_needs_pictures(self):
        for shape in ((1, 65537, 3), (65537, 1)):
            a = np.zeros(shape, np.uint8)
            with self.assertRaisesRegex(roundel.UsageError, "at most 65536 x 65536 pixels, got one of"):
                roundel.diff(a, a)
        a, b = np.zeros((1, 65536, 3), np.uint8), np.full((1, 65536, 3), 255, np.uint8)
        self.assertEqual(roundel.diff(a, b)["rmse"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
