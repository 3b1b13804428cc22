"""Shared by the tests of sequences."""

import ctypes
import os
import platform
import signal
import struct
import subprocess
import time
import zlib

from command_case import ROUNDEL, CommandCase

IS_SLOW = "ROUNDEL_TEST_SLOW" in os.environ  # with sanitizers
DONE, FAILED, USAGE, INVALID, REFUSED, SOME_FAILED = range(6)
WARNINGS = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU, signal.SIGPWR)  # sent by schedulers

BALLS = """version: 1
image: {width: 96, height: 64}
layers:
  - generator: bouncingballs
  - random: {count: 2000, radius: 0.02, color: {uniform: [[0, 0, 0], [1, 1, 1]]}}
animation: {fps: 30, frames: 8, start: 4}
output: named/frame_####.png
"""
SNOW = """version: 1
image: {width: 128, height: 128}
layers:
  - generator: snow
"""
FILM = """version: 1
image: {width: 96, height: 64, background: "#336699"}
layers:
  - generator: bouncingballs
  - circles: [{x: 0.2, y: 0.5, radius: 0.2, color: "#ff8000", alpha: 1}]
animation: {fps: 30, frames: 60}
"""
ALPHA = BALLS.replace("height: 64", "height: 64, alpha: true")


def png_pixels(data):
    """Returns width, height, channels and pixels of one of our PNG files, decoded by the specification."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, compressed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, _, color = struct.unpack(">IIBB", data[at + 8:at + 18])
        if kind == b"IDAT":
            compressed += data[at + 8:at + 8 + length]
        at += 12 + length
    channels = {2: 3, 6: 4}[color]
    rows, stride, raw = bytearray(), width * channels, zlib.decompress(compressed)
    before = bytearray(stride)
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        assert kind in (0, 2), "only None and Up are expected here"
        if kind == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, before))
        rows += row
        before = row
    return width, height, channels, bytes(rows)


def with_text(data, key, text):
    """Returns a PNG file with another text for this key, and the right CRC."""
    at = data.index(b"tEXt" + key + b"\0")
    end = at + 4 + int.from_bytes(data[at - 4:at], "big")
    chunk = b"tEXt" + key + b"\0" + text
    return data[:at - 4] + struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) + data[end + 4:]


def failing_calls(error, *names):
    """Returns a preexec_fn under which these system calls of the program fail with this error; None if that is
    unsupported.
    """
    numbers = {"x86_64": {"fdatasync": 75, "rename": 82, "renameat": 264, "renameat2": 316, "link": 86, "linkat": 265,
                          "syncfs": 306},
               "aarch64": {"fdatasync": 83, "renameat": 38, "renameat2": 276, "linkat": 37, "syncfs": 267}}
    known = numbers.get(platform.machine())
    if known is None:
        return None
    calls = [known[name] for name in names if name in known]
    lines = [(0x20, 0, 0, 0)]  # a BPF program: load the call's number, compare, return
    for call in calls:
        lines += [(0x15, 0, 1, call), (0x06, 0, 0, 0x00050000 | error)]
    lines.append((0x06, 0, 0, 0x7fff0000))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in lines))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(lines), ctypes.addressof(code)))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]

    def apply(_keep=(code, program)):
        if prctl(38, 1, None, 0, 0) != 0 or prctl(22, 2, ctypes.addressof(program), 0, 0) != 0:
            raise OSError("no seccomp")
    return apply


class BatchCase(CommandCase):
    """Each test has an empty folder with four scenes and a folder "out"."""

    def setUp(self):
        super().setUp()
        for name, text in {"balls": BALLS, "snow": SNOW, "alpha": ALPHA,
                           "film": FILM}.items():
            self.write(name + ".yaml", text)
        os.mkdir(self.path("out"))

    def run_roundel(self, *arguments, code=DONE, **keywords):
        """Runs in the test's folder; checks the exit code; returns the finished process."""
        keywords.setdefault("stdout", subprocess.PIPE)
        keywords.setdefault("stderr", subprocess.PIPE)
        keywords.setdefault("text", True)
        done = subprocess.run([ROUNDEL, *arguments], cwd=self.folder, timeout=300, check=False,
                              **keywords)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout} {done.stderr}")
        return done

    def start(self, *arguments, **keywords):
        def default_signals():  # the caller of the test may ignore them
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, *WARNINGS):
                signal.signal(number, signal.SIG_DFL)

        return subprocess.Popen([ROUNDEL, *arguments], cwd=self.folder, text=True,
                                stderr=subprocess.PIPE, preexec_fn=default_signals, **keywords)

    def as_other_user(self):
        """Returns the start of a command line that runs as another user than root, who may write into "out"."""
        line = ["setpriv", "--reuid=65533", "--regid=65534", "--clear-groups"]
        os.chmod(self.folder, 0o755)
        os.chmod(self.path("out"), 0o777 & (os.stat(self.path("out")).st_mode | 0o222))
        if os.getuid() != 0 or subprocess.run([*line, ROUNDEL, "schema"], cwd=self.folder, capture_output=True,
                                              check=False).returncode:
            self.skipTest("only root can run the program as somebody else")
        return line

    def run_without(self, error, calls, *arguments, code):
        """Runs the command while these system calls fail."""
        apply = failing_calls(error, *calls)
        if apply is None:
            self.skipTest("numbers of system calls are not known here")
        try:
            return self.run_roundel(*arguments, code=code, preexec_fn=apply)
        except subprocess.SubprocessError:
            self.skipTest("system calls cannot be made to fail here")

    def wait_until(self, is_so):
        """Waits for a condition instead of a fixed time, since machines may be slow."""
        end = time.monotonic() + 120
        while not is_so():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.01)

    def wait_for_frames(self, count):
        self.wait_until(lambda: sum(not n.startswith(".") for n in self.frames_in()) >= count)

    def frames_in(self, folder="out"):
        return sorted(os.listdir(self.path(folder)))

    def contents(self, folder="out"):
        return {name: self.read(f"{folder}/{name}") for name in self.frames_in(folder)}
