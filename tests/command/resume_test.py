#!/usr/bin/env python3
"""Existing frames; shared, interrupted and resumed exports. Usage: resume_test.py PATH_OF_ROUNDEL"""

import errno
import json
import os
import random
import re
import shutil
import signal
import stat
import struct
import subprocess
import time
import unittest
import zlib

from batch_case import BatchCase, DONE, FAILED, IS_SLOW, REFUSED, SNOW, SOME_FAILED, WARNINGS, failing_calls, with_text
from command_case import ROUNDEL


class ExistingFiles(BatchCase):
    def render(self, *more, code=DONE):
        return self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png",
                                *more, code=code)

    def test_a_writable_folder_without_read_permission(self):
        os.chmod(self.path("out"), 0o333)
        render = [*self.as_other_user(), ROUNDEL, "render", "balls.yaml", "--size", "8x8", "-o", "out/%d.png", "-q"]
        for more, code in ((["--frames", "0-3"], DONE), (["--frames", "2-1300"], REFUSED),
                           (["--frames", "2-1300", "--resume"], DONE)):
            done = subprocess.run([*render, *more], cwd=self.folder, text=True, capture_output=True, timeout=60, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            if code == REFUSED:
                self.assertIn("2 of 1299 frames exist: out/2.png, out/3.png", done.stderr)
        self.assertEqual(len(self.frames_in()), 1301)
        self.check_each_is_synced([*render, "--frames", "2000-2003"])

    def check_each_is_synced(self, line):
        """A folder that cannot be opened cannot be synced by its file system, so each file is."""
        apply = failing_calls(errno.EIO, "fdatasync")
        try:
            done = apply and subprocess.run(line, cwd=self.folder, text=True, capture_output=True, timeout=60, check=False,
                                            preexec_fn=apply)
        except subprocess.SubprocessError:
            return
        if done:
            self.assertEqual(done.returncode, FAILED, done.stderr)
            self.assertIn("out/2000.png: cannot write: fdatasync: Input/output error", done.stderr)

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

    def test_frames_replace_links_and_keep_their_targets(self):
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

    def software(self):
        return self.run_roundel("--version").stdout.strip()

    def state_of_files(self):
        return {name: (os.lstat(self.path("out/" + name)).st_mtime_ns, self.read("out/" + name))
                for name in self.frames_in()}

    def test_resuming_draws_missing_and_damaged_frames(self):
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

    def test_resuming_keeps_foreign_frames(self):
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
            "error: 2 frames are 32x20, asked 96x64: 1-2",
            "error: 1 frame is of seed 9, asked 1: out/3.png",
            "error: 1 frame is misnamed: out/5.png is frame 6",
            "error: 1 frame is of another scene: out/7.png",
            "error: 1 frame is not Roundel's: out/9.png",
            "error: --resume does not replace these; --resume --overwrite draws them again; to "
            "draw only the others: --frames 8"])
        done = self.render("--resume", "--overwrite")
        self.assertIn("7 frames (2 kept, 6 replaced)  ", done.stderr)
        self.assertEqual(self.contents(), expected)
        for name in ("4.png", "6.png"):
            self.assertEqual(os.stat(self.path("out/" + name)).st_mtime_ns, before[name][0])

    def test_resuming_with_another_size_or_seed_is_reported_once(self):
        self.render("--size", "48x32")
        before = self.state_of_files()
        done = self.render("--resume", code=REFUSED)
        self.assertIn("error: 9 frames are 48x32, asked 96x64: 1-9\n", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 2)
        done = self.render("--resume", "--size", "48x32", "--seed", "7", code=REFUSED)
        self.assertIn("error: 9 frames are of seed 1, asked 7: 1-9\n", done.stderr)
        done = self.render("--resume", "--shard", "1/3", code=REFUSED)
        self.assertIn("error: 3 frames are 48x32, asked 96x64: 1-3\n", done.stderr)
        self.assertEqual(self.state_of_files(), before)

    def test_frames_of_another_version_are_reported(self):
        self.render()
        for name in self.frames_in():  # as if written under another frame contract
            data = with_text(self.read("out/" + name), b"Software", b"roundel 99.0.0")
            self.write_bytes("out/" + name, with_text(data, b"Fingerprint", b"0" * 32))
        done = self.render("--resume", code=REFUSED)
        self.assertIn("9 frames are of another scene or program: by roundel 99.0.0, "
                      f"asked {self.software()}: 1-9\n", done.stderr)

    def test_frames_of_this_scene_by_another_version_are_foreign(self):
        own = self.software()
        other = "roundel 9" + own[len("roundel 0"):]
        for ending in ("png", "exr"):
            render = ["render", "balls.yaml", "--frames", "1-9", "-o", f"out/%d.{ending}"]
            verify = ["verify", f"out/%d.{ending}", "--frames", "1-9"]
            self.run_roundel(*render)
            expected = self.contents()
            for frame in (2, 3):
                data = expected[f"{frame}.{ending}"]
                self.assertEqual(data.count(own.encode()), 1)
                self.write_bytes(f"out/{frame}.{ending}", with_text(data, b"Software", other.encode()) if ending == "png"
                                 else data.replace(own.encode(), other.encode()))
            before = self.state_of_files()
            for more in ([], ["--scene", "balls.yaml"]):
                done = self.run_roundel(*verify, *more, code=FAILED)
                self.assertEqual((done.stdout, done.stderr), (
                    "foreign: 2-3\n--frames 2-3\n",
                    f"2 frames are of another program: by {other}, expected {own}: 2-3\n"))
            done = self.run_roundel(*render, "--resume", code=REFUSED)
            self.assertEqual(done.stderr.splitlines(), [
                f"error: 2 frames are of another program: by {other}, asked {own}: 2-3",
                "error: --resume does not replace these; --resume --overwrite draws them again"])
            self.assertEqual(self.state_of_files(), before)
            self.assertIn("2 frames (7 kept, 2 replaced)  ", self.run_roundel(*render, "--resume", "--overwrite").stderr)
            self.assertEqual(self.contents(), expected)
            self.run_roundel(*verify, "--scene", "balls.yaml")

    def test_files_other_than_frames_are_kept(self):
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

    def test_leftovers_of_killed_runs_are_removed(self):
        self.run_roundel("render", "balls.yaml", "--frames", "1", "-o", "out/%d.png")
        for name in (".roundel-1-0.tmp", ".roundel-99999-12.tmp"):
            with open(self.path("out/" + name), "wb") as file:
                file.write(b"half a frame")
        with open(self.path("out/.roundel-keep"), "wb") as file:
            file.write(b"not a temporary file")
        self.render("--resume")
        self.assertEqual(self.frames_in(), sorted([".roundel-keep"] + [f"{i}.png" for i in range(1, 10)]))

    def test_one_frame_of_many_lists_few_names(self):
        for number in range(3000):
            self.write(f"out/.roundel-1-{number}.tmp", "")
        self.run_roundel("render", "balls.yaml", "--frames", "5", "-o", "out/%d.png")
        self.assertGreaterEqual(len(self.frames_in()), 2001)
        self.run_roundel("render", "balls.yaml", "--size", "8x8", "--frames", "0-4999", "-o", "out/a%d.png", "-q")
        self.assertEqual(len(self.frames_in()), 5001)

    def test_a_finished_film_may_be_in_a_read_only_folder(self):
        self.render()
        line = self.as_other_user()
        os.chmod(self.path("out"), 0o555)
        render = [*line, ROUNDEL, "render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png", "--resume"]
        done = subprocess.run(render, cwd=self.folder, text=True, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("0 frames (9 kept)", done.stderr)
        os.unlink(self.path("out/3.png"))
        done = subprocess.run(render, cwd=self.folder, text=True, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, REFUSED, done.stderr)
        self.assertIn('out/3.png: cannot write to the folder "out": Permission denied', done.stderr)

    def test_exr_frames_are_kept_and_pfm_frames_are_refused(self):
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
        printed = render("pfm", code=REFUSED)
        self.assertIn("2 frames are PFM, which does not record its scene: 1,3\n", printed)
        self.assertIn("to draw only the others: --frames 2\n", printed)
        self.assertIn("2 frames are 96x64, asked 48x32: 1,3\n",
                      render("pfm", "--size", "48x32", code=REFUSED))
        self.assertEqual(self.state_of_files(), before)
        self.assertIn("3 frames (2 replaced)  ", render("pfm", "--overwrite"))


class Sharing(BatchCase):
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

    def test_frames_of_a_killed_export_are_drawn_by_the_other(self):
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

    def halted_and_waiting(self):
        """Starts an export and halts it, then one that waits for its frames; returns both and the second one's note."""
        for _ in range(10):
            halted = self.start_sharing()
            self.wait_for_frames(1)
            halted.send_signal(signal.SIGSTOP)
            other = self.start_sharing()
            for line in other.stderr:
                if "waiting" in line:
                    return halted, other, line
            # If it was halted between two frames, or at its end, the other does not wait.
            halted.send_signal(signal.SIGCONT)
            for process in (other, halted):
                process.communicate(timeout=120)
            shutil.rmtree(self.path("out"))
            os.mkdir(self.path("out"))
        self.fail("no process waited")

    def test_a_halted_export_is_waited_for(self):
        halted, other, line = self.halted_and_waiting()
        self.assertRegex(line, r"^note: waiting for \d+ frames? that another run is drawing: [0-9,-]+$")
        existing = len([name for name in self.frames_in() if not name.startswith(".")])
        self.assertGreater(existing, 150)
        self.assertLess(existing, 200)
        halted.send_signal(signal.SIGCONT)
        self.assertEqual(self.stats_of(halted)["frames"] + self.stats_of(other)["frames"], 200)
        self.assertEqual(self.contents(), self.expected())

    def test_waiting_ends_with_a_signal(self):
        halted, other, _ = self.halted_and_waiting()
        other.send_signal(signal.SIGINT)
        _, messages = other.communicate(timeout=60)
        self.assertEqual(other.returncode, 130)
        self.assertIn("of 200 frames are missing", messages)
        halted.kill()
        halted.communicate(timeout=60)

    def test_a_foreign_frame_that_appears_meanwhile_is_kept(self):
        process = self.start(*self.ARGUMENTS)
        self.wait_for_frames(1)
        self.run_roundel("render", "film.yaml", "--frames", "199", "-o", "out/%04d.png", "--resume")
        foreign = self.read("out/0199.png")
        _, messages = process.communicate(timeout=120)
        self.assertEqual(process.returncode, REFUSED, messages)
        self.assertIn("1 frame is 96x64, asked 256x256: out/0199.png (the file appeared after this run began)\n",
                      messages)
        self.assertEqual(self.read("out/0199.png"), foreign)


class Interruptions(BatchCase):
    ARGUMENTS = ["render", "snow.yaml", "--frames", "0-30000", "-o", "out/%04d.png"]

    def test_signals_finish_drawn_frames_and_report_the_rest(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, *WARNINGS):
            before = len(self.frames_in())
            process = self.start(*self.ARGUMENTS, "--resume")
            self.wait_for_frames(before + 10)
            process.send_signal(number)
            if number == signal.SIGXCPU:  # the system repeats it
                time.sleep(0.002)
                process.send_signal(number)
            _, messages = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number, messages)
            rest = re.search(r"interrupted: (\d+) of 30001 frames are missing; to draw them: "
                             r"the same command with --resume, or with --frames ([\d,x-]+)\n", messages)
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

    def test_a_repeated_signal_always_ends_the_run(self):
        slow = SNOW.replace("width: 128, height: 128", "width: 4000, height: 4000")
        with open(self.path("slow.yaml"), "w", encoding="utf-8") as file:  # a frame takes seconds, on any machine
            file.write(slow + "  - random: {count: 200000, radius: 0.05, alpha: 0.0001}\n")
        process = self.start("render", "slow.yaml", "--frames", "300-400", "-o", "out/%d.png",
                             "--threads", "1", "--backend", "cpu", "--progress", "plain")
        self.assertRegex(process.stderr.readline(), "^[0-9]/101 ")  # it is drawing
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGTERM):  # the launcher's signal, then a user's
            process.send_signal(number)
            time.sleep(0.05)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertFalse([name for name in self.frames_in() if name.startswith(".")])

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

    def test_too_few_threads_are_a_failure_with_a_message(self):
        other = self.as_other_user()
        for threads in range(1, 13):
            done = subprocess.run([*other, "bash", "-c", f"ulimit -u {threads}; exec {ROUNDEL} render snow.yaml --frames 0-9 "
                                           "-o out/%d.png --overwrite --threads 4 -q"],
                                  cwd=self.folder, text=True, capture_output=True, timeout=60, check=False)
            self.assertIn(done.returncode, (DONE, FAILED, SOME_FAILED), done.stderr)
            if done.returncode != DONE:
                self.assertIn("Resource temporarily unavailable", done.stderr)
            if threads == 1:
                self.assertIn("cannot start a thread: ", done.stderr)
                self.assertIn("10 of 10 frames are missing", done.stderr)
            self.assertFalse([name for name in self.frames_in() if name.startswith(".")])

    def test_frames_are_equal_after_many_kills_and_resumes(self):
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
            for name in self.frames_in():  # files under final names are never truncated
                if not name.startswith("."):
                    self.assertEqual(self.read("out/" + name), self.read("expected/" + name))
            if process.returncode == DONE:  # it was faster: start again
                shutil.rmtree(self.path("out"))
                os.mkdir(self.path("out"))
        self.run_roundel(*arguments, "-o", "out/%d.png", "--resume")
        self.assertEqual(self.contents(), self.contents("expected"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
