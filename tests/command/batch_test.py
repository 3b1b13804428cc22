#!/usr/bin/env python3
"""Sequences from outside: names, resuming, interruptions, failures, verifying, streams.
Usage: batch_test.py PATH_OF_ROUNDEL"""

import json
import os
import pty
import random
import re
import resource
import select
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

ROUNDEL = ""  # set by main()
IS_SLOW = "ROUNDEL_TEST_SLOW" in os.environ  # with sanitizers
DONE, FAILED, USAGE, INVALID, REFUSED, SOME_FAILED = range(6)

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
    """Width, height, channels and pixels of one of our PNG files, by the book."""
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


class BatchTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="roundel_batch_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name, text in {"balls": BALLS, "snow": SNOW, "alpha": ALPHA,
                           "film": FILM}.items():
            with open(self.path(name + ".yaml"), "w", encoding="utf-8") as file:
                file.write(text)
        os.mkdir(self.path("out"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

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
        def default_signals():  # whoever runs the test may ignore them
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)

        return subprocess.Popen([ROUNDEL, *arguments], cwd=self.folder, text=True,
                                stderr=subprocess.PIPE, preexec_fn=default_signals, **keywords)

    def wait_until(self, is_so):
        """Machines may be slow, so tests wait for what they need instead of some time."""
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


class Names(BatchTest):
    def test_all_patterns_name_the_same_frames(self):
        for pattern, expected in (("out/####.png", "0009.png"), ("out/%04d.png", "0009.png"),
                                  ("out/{frame:04}.png", "0009.png"), ("out/%d.png", "9.png"),
                                  ("out/x{frame}y.png", "x9y.png")):
            self.run_roundel("render", "balls.yaml", "--frames", "9", "-o", pattern)
            self.assertEqual(self.frames_in(), [expected])
            os.unlink(self.path("out/" + expected))

    def test_lists_of_frames(self):
        with open(self.path("list.txt"), "w", encoding="ascii") as file:
            file.write("1-2 # two\n5\n")
        for text, expected in (("1-3,7", [1, 2, 3, 7]), ("1-7x3", [1, 4, 7]), ("1-7:3", [1, 4, 7]),
                               (" 2 , 1 ", [1, 2]), ("-1-1", [-1, 0, 1]), ("@list.txt", [1, 2, 5]),
                               ("all", list(range(4, 12)))):
            self.run_roundel("render", "balls.yaml", "--frames", text, "-o", "out/%03d.png")
            self.assertEqual(self.frames_in(), sorted("%03d.png" % frame for frame in expected))
            shutil.rmtree(self.path("out"))
            os.mkdir(self.path("out"))

    def test_a_folder_and_the_scene_can_name_the_frames(self):
        self.run_roundel("render", "balls.yaml", "--frames", "3-4", "-o", "out")
        self.assertEqual(self.frames_in(), ["balls_0003.png", "balls_0004.png"])
        os.mkdir(self.path("named"))
        self.run_roundel("render", "balls.yaml", "--frames", "3-4")
        self.assertEqual(self.frames_in("named"), ["frame_0003.png", "frame_0004.png"])

    def test_several_frames_need_a_pattern(self):
        done = self.run_roundel("render", "balls.yaml", "--frames", "3-4", "-o", "out/a.png",
                                code=USAGE)
        self.assertIn("--output: expected a name with the frame number", done.stderr)
        self.run_roundel("render", "snow.yaml", "--frames", "all", "-o", "out/#.png", code=USAGE)
        self.assertEqual(self.frames_in(), [])
        self.run_roundel("render", "balls.yaml", "--frames", "3", "-o", "out/a.png")

    def test_a_missing_folder_is_made_unless_it_is_in_a_missing_one(self):
        done = self.run_roundel("render", "balls.yaml", "--frames", "3-4", "-o", "no/ne/#.png",
                                code=REFUSED)
        self.assertIn('no/ne/3.png: cannot write, there is no folder "no/ne"', done.stderr)
        self.assertFalse(os.path.exists(self.path("no")))
        for output, expected in (("new/#.png", "new/3.png"), ("new/", "new/balls_0003.png"),
                                 ("out/#/a.png", "out/3/a.png")):
            self.run_roundel("render", "balls.yaml", "--frames", "3-4", "-o", output)
            self.assertTrue(os.path.exists(self.path(expected)), output)
            shutil.rmtree(self.path("new"), ignore_errors=True)

    def test_a_new_folder_goes_with_a_run_that_made_nothing(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "new/%d.png", code=FAILED,
                         preexec_fn=limit)
        self.assertFalse(os.path.exists(self.path("new")))
        process = self.start("render", "snow.yaml", "--size", "9000x9000", "--frames", "300-400", "-o",
                             "new/%d.png", "--threads", "1")
        while not os.path.exists(self.path("new")):  # long before the first frame is there
            self.assertIsNone(process.poll())
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)  # two at once would be one for the kernel
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertFalse(os.path.exists(self.path("new")))

    def test_a_refused_folder_is_said_with_a_frame_that_was_asked_for(self):
        os.chmod(self.folder, 0o755)
        os.chmod(self.path("out"), 0o555)
        keywords, program = {}, ROUNDEL
        if os.geteuid() == 0:  # root may write anywhere
            program = shutil.copy(ROUNDEL, self.path("roundel"))
            keywords = {"user": 65534, "group": 65534}
        done = subprocess.run([program, "render", "balls.yaml", "--frames", "3-4", "-o", "out/f_##.png"],
                              cwd=self.folder, stderr=subprocess.PIPE, text=True, check=False, **keywords)
        self.assertEqual(done.returncode, REFUSED)
        self.assertIn('out/f_03.png: cannot write to the folder "out": Permission denied', done.stderr)

    def test_the_number_may_be_in_the_folder(self):
        for frame in (3, 4):
            os.mkdir(self.path(f"out/{frame}"))
        self.run_roundel("render", "balls.yaml", "--frames", "3-4", "-o", "out/#/a.png")
        self.assertEqual(self.frames_in("out/4"), ["a.png"])


class SameBytes(BatchTest):
    def test_a_frame_is_the_same_however_it_is_reached(self):
        self.run_roundel("render", "snow.yaml", "--frames", "0-20", "-o", "out/%d.png")
        expected = self.contents()
        for frame in (0, 1, 13, 20):
            self.run_roundel("render", "snow.yaml", "--frame", str(frame), "-o", "still.png")
            self.assertEqual(self.read("still.png"), expected[f"{frame}.png"], frame)
        for variant in (["--threads", "1"], ["--threads", "7"], ["--backend", "auto"]):
            self.run_roundel("render", "snow.yaml", "--frames", "0-20", "-o", "out/%d.png",
                             "--overwrite", *variant)
            self.assertEqual(self.contents(), expected, variant)

    def test_frames_in_bands_are_the_same(self):
        self.run_roundel("render", "balls.yaml", "--frame", "7", "-o", "a.png")
        self.run_roundel("render", "balls.yaml", "--frame", "7", "-o", "b.png", "--split-frame")
        self.assertEqual(self.read("a.png"), self.read("b.png"))

    def test_shards_make_the_whole(self):
        self.run_roundel("render", "balls.yaml", "--frames", "0-10", "-o", "out/%d.png")
        expected = self.contents()
        shutil.rmtree(self.path("out"))
        os.mkdir(self.path("out"))
        for index in (1, 2, 3):
            self.run_roundel("render", "balls.yaml", "--frames", "0-10", "-o", "out/%d.png",
                             "--shard", f"{index}/3")
        self.assertEqual(self.contents(), expected)
        environment = dict(os.environ, JOB_COMPLETION_INDEX="2")
        done = self.run_roundel("render", "balls.yaml", "--frames", "0-10", "-o", "out/%d.png",
                                "--shard", "auto/3", env=environment, code=REFUSED)
        self.assertIn("4 of 4 frames exist: out/7.png", done.stderr)  # the last piece: it is stepped


class ExistingFiles(BatchTest):
    def render(self, *more, code=DONE):
        return self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png",
                                *more, code=code)

    def test_refused_kept_or_replaced(self):
        self.render()
        expected = self.contents()
        done = self.render(code=REFUSED)
        self.assertIn("9 of 9 frames exist: out/1.png, out/2.png, out/3.png and 6 more",
                      done.stderr)
        before = {name: os.stat(self.path("out/" + name)).st_mtime_ns for name in expected}
        self.assertIn("0 frames (9 kept)", self.render("--resume").stderr)
        self.assertEqual({name: os.stat(self.path("out/" + name)).st_mtime_ns for name in expected},
                         before)
        self.assertIn("9 frames (9 replaced)  ", self.render("--overwrite").stderr)
        self.assertEqual(self.contents(), expected)

    def test_frames_replace_links_and_never_write_through_them(self):
        self.render()
        expected = self.contents()
        with open(self.path("other.txt"), "w", encoding="ascii") as file:
            file.write("mine")
        for option in ("--overwrite", "--resume"):
            for frame, target in ((2, "1.png"), (3, "none.png"), (4, "../other.txt"), (5, "5.png"),
                                  (6, os.path.abspath(self.path("out/7.png")))):
                os.unlink(self.path(f"out/{frame}.png"))
                os.symlink(target, self.path(f"out/{frame}.png"))
            self.render(option)
            self.assertEqual(self.contents(), expected)
            self.assertFalse([name for name in expected if os.path.islink(self.path("out/" + name))])
            self.assertEqual(self.read("other.txt"), b"mine")

    def test_replaced_frames_keep_their_mode(self):
        self.render()
        os.chmod(self.path("out/3.png"), 0o640)
        self.render("--overwrite")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("out/3.png")).st_mode), 0o640)

    def state_of_files(self):
        return {name: (os.lstat(self.path("out/" + name)).st_mtime_ns, self.read("out/" + name))
                for name in self.frames_in()}

    def test_resuming_makes_what_is_missing_or_damaged(self):
        self.render()
        expected = self.contents()
        os.unlink(self.path("out/1.png"))
        with open(self.path("out/2.png"), "wb") as file:
            file.write(expected["2.png"][:-30])
        damaged = bytearray(expected["3.png"])
        damaged[len(damaged) // 2] ^= 1
        with open(self.path("out/3.png"), "wb") as file:
            file.write(damaged)
        with open(self.path("out/7.png"), "wb") as file:
            file.write(b"")
        with open(self.path("out/8.png"), "wb") as file:  # as after a power failure
            file.write(bytes(len(expected["8.png"])))
        done = self.render("--resume", "--stats=json")
        self.assertIn("5 frames (4 kept, 4 replaced)  ", done.stderr)
        stats = json.loads(done.stdout)
        self.assertEqual((stats["frames"], stats["kept"], stats["replaced"]), (5, 4, 4))
        self.assertEqual(self.contents(), expected)

    def test_resuming_replaces_no_frame_of_others(self):
        self.render()
        expected = self.contents()

        def other(frame, *options):
            self.run_roundel("render", "balls.yaml", "--frame", str(frame), "-o", f"out/{frame}.png",
                             *options)

        other(1, "--size", "32x20")
        other(2, "--size", "32x20")
        other(3, "--seed", "9")
        shutil.copy(self.path("out/6.png"), self.path("out/5.png"))
        self.run_roundel("render", "film.yaml", "--frame", "7", "-o", "out/7.png")
        os.unlink(self.path("out/8.png"))
        with open(self.path("out/9.png"), "wb") as file:  # a picture that decodes, by another program
            file.write(b"\x89PNG\r\n\x1a\n" + b"".join(
                struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data))
                for kind, data in ((b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)),
                                   (b"IDAT", zlib.compress(b"\0abc")), (b"IEND", b""))))
        with open(self.path("out/.roundel-1-0.tmp"), "wb") as file:
            file.write(b"half a frame")
        before = self.state_of_files()
        done = self.render("--resume", code=REFUSED)
        self.assertEqual(self.state_of_files(), before)
        self.assertEqual(done.stderr.splitlines(), [
            "roundel: 2 frames are 32x20, asked 96x64: 1-2",
            "roundel: 1 frame is of seed 9, asked 1: out/3.png",
            "roundel: 1 frame is misnamed: out/5.png is frame 6",
            "roundel: 1 frame is of another scene: out/7.png",
            "roundel: 1 frame is not Roundel's: out/9.png",
            "roundel: --resume does not replace these (with --overwrite it makes them again, too); to "
            "make only the others: --frames 8"])
        done = self.render("--resume", "--overwrite")
        self.assertIn("7 frames (2 kept, 6 replaced)  ", done.stderr)
        self.assertEqual(self.contents(), expected)
        for name in ("4.png", "6.png"):
            self.assertEqual(os.stat(self.path("out/" + name)).st_mtime_ns, before[name][0])

    def test_resuming_with_another_size_or_seed_says_so_once(self):
        self.render("--size", "48x32")
        before = self.state_of_files()
        done = self.render("--resume", code=REFUSED)
        self.assertIn("roundel: 9 frames are 48x32, asked 96x64: 1-9\n", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 2)
        done = self.render("--resume", "--size", "48x32", "--seed", "7", code=REFUSED)
        self.assertIn("roundel: 9 frames are of seed 1, asked 7: 1-9\n", done.stderr)
        done = self.render("--resume", "--shard", "1/3", code=REFUSED)
        self.assertIn("roundel: 3 frames are 48x32, asked 96x64: 1-3\n", done.stderr)
        self.assertEqual(self.state_of_files(), before)

    def test_frames_of_another_version_are_named(self):
        self.render()
        for name in self.frames_in():  # what another frame contract would have written
            data = self.read("out/" + name)
            for key, old, new in ((b"Software", b"roundel 0.", b"roundel 9."), (b"Fingerprint", None, None)):
                at = data.index(b"tEXt" + key + b"\0")
                size = int.from_bytes(data[at - 4:at], "big")
                chunk = data[at:at + 4 + size]
                chunk = chunk.replace(old, new) if old else chunk[:-4] + b"0000"
                data = data[:at] + chunk + struct.pack(">I", zlib.crc32(chunk)) + data[at + 8 + size:]
            with open(self.path("out/" + name), "wb") as file:
                file.write(data)
        done = self.render("--resume", code=REFUSED)
        self.assertRegex(done.stderr, r"9 frames are of another scene or version: by roundel 9\S*, "
                                      r"asked roundel 0\S*: 1-9\n")

    def test_files_that_do_not_begin_as_a_frame_are_somebodys(self):
        self.render()
        self.run_roundel("render", "balls.yaml", "--frame", "1", "-o", "a.exr")
        shutil.copy(self.path("a.exr"), self.path("out/1.png"))
        with open(self.path("out/2.png"), "wb") as file:
            file.write(b"\xff\xd8\xff\xe0 a photograph")
        with open(self.path("out/3.png"), "wb") as file:
            file.write(b"a letter")
        before = self.contents()
        done = self.render("--resume", code=REFUSED)
        self.assertIn("3 frames are not Roundel's: 1-3\n", done.stderr)
        self.assertEqual(self.contents(), before)

    def test_leftovers_of_killed_runs_go(self):
        self.run_roundel("render", "balls.yaml", "--frames", "1", "-o", "out/%d.png")
        for name in (".roundel-1-0.tmp", ".roundel-99999-12.tmp"):
            with open(self.path("out/" + name), "wb") as file:
                file.write(b"half a frame")
        with open(self.path("out/.roundel-keep"), "wb") as file:
            file.write(b"not a temporary file")
        self.render("--resume")
        self.assertEqual(self.frames_in(), sorted([".roundel-keep"] + [f"{i}.png" for i in range(1, 10)]))

    def test_exr_frames_are_kept_and_pfm_frames_cannot_be_judged(self):
        def render(ending, *more, code=DONE):
            return self.run_roundel("render", "balls.yaml", "--frames", "1-3", "--resume", "-o",
                                    f"out/%d.{ending}", *more, code=code).stderr

        render("exr")
        self.assertIn("0 frames (3 kept)  ", render("exr"))
        self.assertIn("3 frames are 96x64, asked 48x32: 1-3\n",
                      render("exr", "--size", "48x32", code=REFUSED))
        render("pfm")
        os.unlink(self.path("out/2.pfm"))
        before = self.state_of_files()
        said = render("pfm", code=REFUSED)
        self.assertIn("2 frames are PFM, which does not say of what scene: 1,3\n", said)
        self.assertIn("to make only the others: --frames 2\n", said)
        self.assertIn("2 frames are 96x64, asked 48x32: 1,3\n",
                      render("pfm", "--size", "48x32", code=REFUSED))
        self.assertEqual(self.state_of_files(), before)
        self.assertIn("3 frames (2 replaced)  ", render("pfm", "--overwrite"))


class Sharing(BatchTest):
    """Several exports into one folder, all with --resume."""

    ARGUMENTS = ["render", "snow.yaml", "--frames", "0-199", "--size", "256x256", "--threads", "1", "-o",
                 "out/%04d.png", "--resume"]

    def stats_of(self, process):
        output, messages = process.communicate(timeout=120)
        self.assertEqual(process.returncode, DONE, messages)
        stats = json.loads(output)
        self.assertEqual(stats["frames"] + stats["kept"], 200)
        self.assertEqual(stats["replaced"], 0)
        return stats

    def start_sharing(self):
        return self.start(*self.ARGUMENTS, "--stats=json", stdout=subprocess.PIPE)

    def expected(self):
        os.mkdir(self.path("alone"))
        self.run_roundel(*self.ARGUMENTS[:-2], "alone/%04d.png")
        return self.contents("alone")

    def test_each_frame_is_made_once(self):
        made = [self.stats_of(process)["frames"] for process in [self.start_sharing() for _ in range(3)]]
        self.assertEqual(sum(made), 200)
        self.assertEqual(self.contents(), self.expected())

    def test_frames_of_one_that_was_killed_are_made_by_the_other(self):
        for _ in range(3):
            killed, other = self.start_sharing(), self.start_sharing()
            self.wait_for_frames(20)
            killed.kill()
            killed.communicate(timeout=60)
            self.stats_of(other)
            if not os.path.exists(self.path("alone")):
                expected = self.expected()
            self.assertEqual(self.contents(), expected)  # and no temporary file
            shutil.rmtree(self.path("out"))
            os.mkdir(self.path("out"))

    def test_one_that_is_halted_is_waited_for(self):
        halted = self.start_sharing()
        self.wait_for_frames(5)
        halted.send_signal(signal.SIGSTOP)
        other = self.start_sharing()
        line = ""
        while "waiting" not in line:
            line = other.stderr.readline()
            self.assertNotEqual(line, "")
        self.assertRegex(line, r"^roundel: waiting for \d+ frames? that another export is making: [0-9,-]+$")
        there = len([name for name in self.frames_in() if not name.startswith(".")])
        self.assertGreater(there, 150)
        self.assertLess(there, 200)
        halted.send_signal(signal.SIGCONT)
        self.assertEqual(self.stats_of(halted)["frames"] + self.stats_of(other)["frames"], 200)
        self.assertEqual(self.contents(), self.expected())

    def test_waiting_ends_with_a_signal(self):
        halted = self.start_sharing()
        self.wait_for_frames(5)
        halted.send_signal(signal.SIGSTOP)
        other = self.start_sharing()
        while "waiting" not in other.stderr.readline():
            self.assertIsNone(other.poll())
        other.send_signal(signal.SIGINT)
        _, messages = other.communicate(timeout=60)
        self.assertEqual(other.returncode, 130)
        self.assertIn("of 200 frames are missing", messages)
        halted.kill()
        halted.communicate(timeout=60)

    def test_a_frame_of_others_that_comes_meanwhile_is_not_replaced(self):
        process = self.start(*self.ARGUMENTS)
        self.wait_for_frames(1)
        self.run_roundel("render", "film.yaml", "--frames", "199", "-o", "out/%04d.png", "--resume")
        foreign = self.read("out/0199.png")
        _, messages = process.communicate(timeout=120)
        self.assertEqual(process.returncode, REFUSED, messages)
        self.assertIn("1 frame is 96x64, asked 256x256: out/0199.png (it has come since this export began)\n",
                      messages)
        self.assertEqual(self.read("out/0199.png"), foreign)


class Interruptions(BatchTest):
    ARGUMENTS = ["render", "snow.yaml", "--frames", "0-30000", "-o", "out/%04d.png"]

    def test_signals_finish_what_is_drawn_and_say_what_remains(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            before = len(self.frames_in())
            process = self.start(*self.ARGUMENTS, "--resume")
            self.wait_for_frames(before + 10)
            process.send_signal(number)
            _, messages = process.communicate(timeout=60)
            self.assertEqual(process.returncode, code, messages)
            rest = re.search(r"interrupted: (\d+) of 30001 frames are missing; to make them: "
                             r"--frames ([\d,x-]+)\n", messages)
            self.assertTrue(rest, messages)
            names = self.frames_in()
            self.assertEqual(int(rest[1]), 30001 - len(names))
            self.assertFalse([name for name in names if name.startswith(".")])
            self.run_roundel("verify", "out/%04d.png", "--frames", rest[2], "--quiet", code=FAILED)
            missing = self.run_roundel("verify", "out/%04d.png", "--frames", "0-30000",
                                       "--scene", "snow.yaml", code=FAILED).stdout
            self.assertEqual(missing, f"missing: {rest[2]}\n--frames {rest[2]}\n")

    def test_a_second_signal_stops_at_once(self):
        slow = SNOW.replace("width: 128, height: 128", "width: 6000, height: 6000")
        with open(self.path("slow.yaml"), "w", encoding="utf-8") as file:
            file.write(slow)
        process = self.start("render", "slow.yaml", "--frames", "300-400", "-o", "out/%d.png",
                             "--threads", "1")
        time.sleep(1)  # somewhere in its first frame
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130)
        self.assertFalse([name for name in self.frames_in() if name.startswith(".")])

    def test_a_signal_that_comes_again_ends_whatever_came_first(self):
        slow = SNOW.replace("width: 128, height: 128", "width: 12000, height: 12000")
        with open(self.path("slow.yaml"), "w", encoding="utf-8") as file:
            file.write(slow)
        process = self.start("render", "slow.yaml", "--frames", "300-400", "-o", "out/%d.png",
                             "--threads", "1", "--backend", "cpu", "--progress", "plain")
        self.assertIn("0/101", process.stderr.readline())  # it is drawing
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGTERM):  # a launcher's, then a wish
            process.send_signal(number)
            time.sleep(0.05)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertEqual(self.frames_in(), [])

    def test_two_quick_signals_leave_no_temporary_file(self):
        choose = random.Random(2)
        for _ in range(10 if IS_SLOW else 60):
            process = self.start(*self.ARGUMENTS, "--overwrite", "--size", "16x16")
            self.wait_for_frames(5)
            process.send_signal(signal.SIGINT)
            time.sleep(choose.uniform(0, 0.002))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)
            self.assertFalse([name for name in self.frames_in() if name.startswith(".")])
            shutil.rmtree(self.path("out"))
            os.mkdir(self.path("out"))

    def test_killed_many_times_and_resumed_the_frames_are_the_same(self):
        arguments = ["render", "snow.yaml", "--frames", "0-49" if IS_SLOW else "0-199"]
        os.mkdir(self.path("expected"))
        started = time.monotonic()
        self.run_roundel(*arguments, "-o", "expected/%d.png")
        duration = time.monotonic() - started
        choose = random.Random(1)
        kills = 0
        while kills < (3 if IS_SLOW else 20):
            process = self.start(*arguments, "-o", "out/%d.png", "--resume", stdout=subprocess.DEVNULL)
            time.sleep(choose.uniform(0, duration / 10))
            process.kill()
            process.communicate(timeout=60)
            kills += process.returncode == -signal.SIGKILL
            for name in self.frames_in():  # no truncated file under a final name
                if not name.startswith("."):
                    self.assertEqual(self.read("out/" + name), self.read("expected/" + name))
            if process.returncode == DONE:  # it was faster: start anew
                shutil.rmtree(self.path("out"))
                os.mkdir(self.path("out"))
        self.run_roundel(*arguments, "-o", "out/%d.png", "--resume")
        self.assertEqual(self.contents(), self.contents("expected"))


class Failures(BatchTest):
    def test_one_frame_that_cannot_be_written(self):
        os.mkdir(self.path("out/5.png"))
        done = self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png",
                                "--overwrite", code=SOME_FAILED)
        self.assertIn("frame 5: out/5.png: cannot write: Is a directory", done.stderr)
        self.assertIn("1 of 9 frames are missing; to make them: --frames 5", done.stderr)
        self.assertEqual(len(self.frames_in()), 9)

    def test_a_pipe_or_a_device_under_a_frames_name(self):
        os.mkfifo(self.path("out/5.png"))
        os.symlink("/dev/null", self.path("out/6.png"))  # a link, which is replaced
        for option in ("--overwrite", "--resume"):
            done = self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png",
                                    option, code=SOME_FAILED)
            self.assertIn("frame 5: out/5.png: cannot write: not a regular file", done.stderr)
            self.assertIn("to make them: --frames 5\n", done.stderr)
            self.assertTrue(stat.S_ISFIFO(os.stat(self.path("out/5.png")).st_mode))
        self.run_roundel("render", "balls.yaml", "--frames", "1", "-o", "/dev/null", "--format", "png",
                         "--overwrite", code=FAILED)

    def test_a_full_disk(self):
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs",
                                  self.path("out")], stderr=subprocess.DEVNULL, check=False)
        if mounted.returncode != 0:
            self.skipTest("mounting is not allowed here")
        try:
            done = self.run_roundel("render", "snow.yaml", "--frames", "300-400", "-o", "out/%d.png",
                                    code=SOME_FAILED)
            self.assertIn("No space left on device", done.stderr)
            self.assertIn("gave up", done.stderr)
            rest = re.search(r"--frames (.+)\n", done.stderr)[1]
            whole = self.frames_in()
            self.assertGreater(len(whole), 2)
            self.run_roundel("verify", "out/%d.png", "--frames", "300-400", code=FAILED)
            done = self.run_roundel("verify", "out/%d.png", "--frames", "300-400", code=FAILED)
            self.assertEqual(done.stdout, f"missing: {rest}\n--frames {rest}\n")
        finally:
            subprocess.run(["umount", self.path("out")], check=True)

    def test_nothing_can_be_written(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        done = self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png",
                                code=FAILED, preexec_fn=limit)
        self.assertIn("and 4 more frames failed", done.stderr)
        self.assertIn("--frames 1-9\n", done.stderr)
        self.assertEqual(self.frames_in(), [])

    def test_a_folder_that_vanishes(self):
        process = self.start("render", "snow.yaml", "--frames", "0-2000", "-o", "out/%d.png")
        self.wait_for_frames(1)
        while os.path.exists(self.path("out")):  # a frame may come in between
            shutil.rmtree(self.path("out"), ignore_errors=True)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, SOME_FAILED, messages)
        self.assertIn("gave up", messages)
        self.assertIn("frames are missing", messages)

    def test_bad_data_is_found(self):
        with open(self.path("data.yaml"), "w", encoding="utf-8") as file:
            file.write("version: 1\nlayers:\n  - {data: a.npy, columns: [x, y, radius]}\n")
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }".ljust(117) + "\n"
        with open(self.path("a.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                       struct.pack("<3f", 0, float("nan"), 1))
        done = self.run_roundel("render", "data.yaml", "--frames", "1-3", "-o", "out/%d.png",
                                code=INVALID)
        self.assertIn("a.npy: row 0", done.stderr)
        self.assertEqual(self.frames_in(), [])


class Verify(BatchTest):
    def test_sound_frames(self):
        for ending in ("png", "exr", "pfm"):
            self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", f"out/%d.{ending}")
            done = self.run_roundel("verify", f"out/%d.{ending}", "--frames", "1-9")
            self.assertEqual((done.stdout, done.stderr), ("", "9 frames are sound\n"))
            self.run_roundel("verify", f"out/%d.{ending}", "--frames", "1-9", "--scene", "balls.yaml")
        done = self.run_roundel("verify", "out/%d.png", "--frames", "7")
        self.assertEqual((done.stdout, done.stderr), ("", "1 frame is sound\n"))

    def test_missing_corrupt_and_foreign_frames(self):
        for ending in ("png", "exr"):
            name = f"out/%d.{ending}"
            self.run_roundel("render", "balls.yaml", "--frames", "1-20", "-o", name)
            for frame in (3, 4, 5):
                os.unlink(self.path(name % frame))
            with open(self.path(name % 7), "r+b") as file:
                file.truncate(os.path.getsize(self.path(name % 7)) - 100)
            shutil.copy(self.path(name % 10), self.path(name % 9))
            self.run_roundel("render", "balls.yaml", "--seed", "5", "--frame", "11", "-o", name % 11)
            done = self.run_roundel("verify", name, "--frames", "1-20", code=FAILED)
            self.assertEqual(done.stdout, "missing: 3-5\ncorrupt: 7\nforeign: 9,11\n"
                                          "--frames 3-5,7-11x2\n")
            self.assertIn(f"1 frame is misnamed: out/9.{ending} is frame 10\n", done.stderr)
            self.assertIn(f"1 frame is of seed 5, expected 1: out/11.{ending}\n", done.stderr)
            self.assertRegex(done.stderr, rf"1 frame is corrupt \(.+\): out/7\.{ending}\n")
            done = self.run_roundel("verify", name, "--frames", "10-12", "--scene", "balls.yaml",
                                    "--seed", "5", "--quiet", code=FAILED)
            self.assertEqual(done.stdout, "foreign: 10,12\n--frames 10,12\n")
            self.assertEqual(done.stderr, "")

    def test_pictures_of_others_are_foreign(self):
        self.run_roundel("render", "balls.yaml", "--frame", "1", "-o", "out/1.png")
        data = self.read("out/1.png")
        at = data.index(b"tEXtFrame")
        with open(self.path("out/1.png"), "wb") as file:  # without the chunk that names the frame
            file.write(data[:at - 4] + data[at + 4 + int.from_bytes(data[at - 4:at], "big") + 4:])
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1", code=FAILED)
        self.assertEqual(done.stderr, "1 frame is not Roundel's: out/1.png\n")

    def test_equal_reasons_are_one_line(self):
        self.run_roundel("render", "balls.yaml", "--frames", "1-40", "--size", "48x32", "-o",
                         "out/%d.png")
        for frame in (3, 9):
            os.unlink(self.path(f"out/{frame}.png"))
        os.symlink("1.png", self.path("out/9.png"))
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1-40", "--scene", "balls.yaml",
                                code=FAILED)
        self.assertEqual(done.stderr, "38 frames are 48x32, expected 96x64: 1-2,4-8,10-40\n"
                                      "1 frame is a link, no file of its own: out/9.png\n")
        self.assertEqual(done.stdout.splitlines(), ["missing: 3", "foreign: 1-2,4-40", "--frames 1-40"])
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1-40", "--scene", "balls.yaml",
                                "--size", "48x32", "--seed", "2", code=FAILED)
        self.assertIn("38 frames are of seed 1, expected 2: ", done.stderr)
        # Files shifted by one.
        for frame in range(40, 9, -1):
            os.rename(self.path(f"out/{frame}.png"), self.path(f"out/{frame + 1}.png"))
        done = self.run_roundel("verify", "out/%d.png", "--frames", "11-41", code=FAILED)
        self.assertEqual(done.stderr, "31 frames are misnamed: 11-41; out/11.png is frame 10\n")

    def test_deleting_removes_what_is_corrupt_and_nothing_else(self):
        self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png")
        expected = self.contents()
        for frame, size in ((2, -30), (3, 0)):
            with open(self.path(f"out/{frame}.png"), "wb") as file:
                file.write(expected[f"{frame}.png"][:size])
        shutil.copy(self.path("out/8.png"), self.path("out/4.png"))
        with open(self.path("out/5.png"), "wb") as file:
            file.write(b"a letter")
        os.unlink(self.path("out/6.png"))
        os.symlink("1.png", self.path("out/6.png"))
        os.unlink(self.path("out/7.png"))
        os.mkdir(self.path("out/7.png"))
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1-9", "--delete", code=FAILED)
        self.assertEqual(done.stdout, "corrupt: 2-3,7\nforeign: 4-6\n--frames 2-7\n")
        self.assertTrue(done.stderr.endswith("\n2 corrupt frames deleted\n"), done.stderr)
        self.assertEqual(self.frames_in(), sorted(f"{i}.png" for i in (1, *range(4, 10))))
        self.assertEqual(self.read("out/5.png"), b"a letter")
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1-3", "--delete", code=FAILED)
        self.assertEqual((done.stdout, done.stderr), ("missing: 2-3\n--frames 2-3\n", "0 corrupt frames deleted\n"))
        self.run_roundel("render", "balls.yaml", "--frames", "1-3", "-o", "out/%d.png", "--resume")
        self.run_roundel("verify", "out/%d.png", "--frames", "1-3", "--delete")
        self.assertEqual({n: self.read("out/" + n) for n in ("1.png", "2.png", "3.png")},
                         {n: expected[n] for n in ("1.png", "2.png", "3.png")})

    def test_a_manifest_has_the_hashes_of_pixels(self):
        self.run_roundel("render", "balls.yaml", "--frames", "8-11", "-o", "out/%d.png")
        self.run_roundel("render", "alpha.yaml", "--frames", "8-11", "-o", "out/%d.exr")
        self.run_roundel("render", "balls.yaml", "--frames", "8-11", "-o", "out/%d.pfm")

        def manifest(ending, code=DONE):
            self.run_roundel("verify", f"out/%d.{ending}", "--frames", "8-11", "--manifest", "m.txt", code=code)
            return self.read("m.txt").decode().splitlines()

        for ending in ("png", "exr", "pfm"):
            lines = manifest(ending)
            for frame, line in zip(range(8, 12), lines, strict=True):
                self.assertRegex(line, rf"^{frame} 96x64 [0-9a-f]{{32}}$")
            self.assertEqual(len({line.split()[-1] for line in lines}), 4)
        # The same pixels, packed by another program.
        lines = manifest("png")
        data = self.read("out/9.png")
        width, height, channels, pixels = png_pixels(data)
        rows = b"".join(b"\0" + pixels[y * width * channels:(y + 1) * width * channels] for y in range(height))
        at, end = data.index(b"IDAT") - 4, data.index(b"IEND") - 4
        idat = b"IDAT" + zlib.compress(rows)
        with open(self.path("out/9.png"), "wb") as file:
            file.write(data[:at] + struct.pack(">I", len(idat) - 4) + idat + struct.pack(">I", zlib.crc32(idat)) +
                       data[end:])
        self.assertEqual(manifest("png"), lines)
        # A sample more by one, and a frame that is not there.
        changed = bytearray(rows)
        changed[5] ^= 1
        idat = b"IDAT" + zlib.compress(changed)
        with open(self.path("out/9.png"), "wb") as file:
            file.write(data[:at] + struct.pack(">I", len(idat) - 4) + idat + struct.pack(">I", zlib.crc32(idat)) +
                       data[end:])
        os.unlink(self.path("out/10.png"))
        other = manifest("png", code=FAILED)
        self.assertEqual([other[0], other[2]], [lines[0], lines[3]])
        self.assertNotEqual(other[1], lines[1])

    def test_a_manifest_replaces_nothing_that_is_read(self):
        self.run_roundel("render", "balls.yaml", "--frames", "1-2", "-o", "out/%d.png")
        with open(self.path("list.txt"), "w", encoding="ascii") as file:
            file.write("1-2")
        os.symlink("out/2.png", self.path("link"))
        before = {name: self.read(name) for name in ("balls.yaml", "list.txt", "out/1.png", "out/2.png")}
        for name in ("balls.yaml", "list.txt", "out/1.png", "link", "no/m.txt", "out"):
            done = self.run_roundel("verify", "out/%d.png", "--frames", "@list.txt", "--scene", "balls.yaml",
                                    "--manifest", name, code=REFUSED)
            self.assertIn(f"roundel: {name}: ", done.stderr)
        self.assertEqual({name: self.read(name) for name in before}, before)
        self.run_roundel("verify", "out/%d.png", "--frames", "1-2", "--manifest", "-", code=USAGE)

    def test_pfm_frames_of_another_size(self):
        self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.pfm")
        self.run_roundel("render", "balls.yaml", "--frame", "4", "--size", "48x32", "-o", "out/4.pfm")
        done = self.run_roundel("verify", "out/%d.pfm", "--frames", "1-9", code=FAILED)
        self.assertEqual((done.stdout, done.stderr), ("foreign: 4\n--frames 4\n",
                                                      "1 frame is 48x32, expected 96x64: out/4.pfm\n"))

    def test_a_name_without_a_number(self):
        self.run_roundel("verify", "out/a.png", "--frames", "1-2", code=USAGE)
        self.run_roundel("verify", "out/%d.jpg", "--frames", "1-2", code=USAGE)


class ProgressReports(BatchTest):
    def render(self, name, progress, *more):
        return self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", f"out/{name}%d.png",
                                "--progress", progress, *more).stderr

    def test_for_farm_managers(self):
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
        reader, writer = os.pipe()  # nobody reads, so hardly anything is drawn in all these seconds
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


class StandardOutput(BatchTest):
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

    def test_files_follow_each_other(self):
        for name in ("png", "exr", "pfm"):
            self.run_roundel("render", "balls.yaml", "--frames", "1-3", "-o", f"out/%d.{name}")
            self.assertEqual(self.stream("balls.yaml", "--frames", "1-3", "--format", name),
                             b"".join(self.read(f"out/{i}.{name}") for i in (1, 2, 3)))

    def test_a_reader_that_goes_away(self):
        process = self.start("render", "snow.yaml", "-o", "-", "--frames", "0-2000", "--format",
                             "rawvideo", stdout=subprocess.PIPE)
        process.stdout.close()
        with process.stderr:
            messages = process.stderr.read()
        self.assertIn(process.wait(timeout=60), (FAILED, SOME_FAILED))
        self.assertIn("Broken pipe", messages)

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


class Film(BatchTest):
    def test_ffmpeg_makes_a_film_of_it(self):
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
        # The colours of a frame, where they are the same over some pixels, as chroma is halved.
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
    ROUNDEL = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
