#!/usr/bin/env python3
"""Sequences from outside: names, lists of frames, the same bytes, failures. Usage: batch_test.py PATH_OF_ROUNDEL"""

import errno
import os
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import time
import unittest

from batch_case import BatchCase, DONE, FAILED, INVALID, REFUSED, SOME_FAILED, USAGE
from command_case import ROUNDEL


class Names(BatchCase):
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
        self.assertIn("frames need a name with the frame number", done.stderr)
        self.run_roundel("render", "snow.yaml", "--frames", "all", "-o", "out/#.png", code=USAGE)
        self.assertEqual(self.frames_in(), [])
        self.run_roundel("render", "balls.yaml", "--frames", "3", "-o", "out/a.png")

    def test_missing_folders_are_made(self):
        self.write("file", "")
        done = self.run_roundel("render", "balls.yaml", "--frames", "3-4", "-o", "file/new/#.png",
                                code=REFUSED)
        self.assertIn('file/new/3.png: cannot write, expected a folder, got the file "file"', done.stderr)
        for output, expected in (("new/#.png", "new/3.png"), ("new/", "new/balls_0003.png"),
                                 ("out/#/a.png", "out/3/a.png"), ("new/v001/beauty/#.png", "new/v001/beauty/4.png"),
                                 ("new/#/a/b.png", "new/4/a/b.png")):
            self.run_roundel("render", "balls.yaml", "--frames", "3-4", "-o", output)
            self.assertTrue(os.path.exists(self.path(expected)), output)
            shutil.rmtree(self.path("new"), ignore_errors=True)

    def test_a_new_folder_is_removed_if_it_stays_empty(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        for name in ("new/%d.png", "new/v001/beauty/%d.png", "new/%d/beauty/a.png"):
            self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", name, code=FAILED,
                             preexec_fn=limit)
            self.assertFalse(os.path.exists(self.path("new")), name)
        process = self.start("render", "snow.yaml", "--size", "9000x9000", "--frames", "300-400", "-o",
                             "new/v001/%d.png", "--threads", "1")
        while not os.path.exists(self.path("new/v001")):
            self.assertIsNone(process.poll())
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)  # the kernel would merge two at once
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertFalse(os.path.exists(self.path("new")))

    def test_a_refused_folder_is_reported_with_a_requested_frame(self):
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

    def test_the_folder_may_have_the_number(self):
        for frame in (3, 4):
            os.mkdir(self.path(f"out/{frame}"))
        self.run_roundel("render", "balls.yaml", "--frames", "3-4", "-o", "out/#/a.png")
        self.assertEqual(self.frames_in("out/4"), ["a.png"])


class SameBytes(BatchCase):
    def test_frames_do_not_depend_on_previous_frames(self):
        self.run_roundel("render", "snow.yaml", "--frames", "0-20", "-o", "out/%d.png")
        expected = self.contents()
        for frame in (0, 1, 13, 20):
            self.run_roundel("render", "snow.yaml", "--frame", str(frame), "-o", "still.png")
            self.assertEqual(self.read("still.png"), expected[f"{frame}.png"], frame)
        for variant in (["--threads", "1"], ["--threads", "7"], ["--backend", "auto"]):
            self.run_roundel("render", "snow.yaml", "--frames", "0-20", "-o", "out/%d.png",
                             "--overwrite", *variant)
            self.assertEqual(self.contents(), expected, variant)

    def test_frames_in_bands_equal_whole_frames(self):
        self.run_roundel("render", "balls.yaml", "--frame", "7", "-o", "a.png")
        self.run_roundel("render", "balls.yaml", "--frame", "7", "-o", "b.png", "--split-frame")
        self.assertEqual(self.read("a.png"), self.read("b.png"))

    def test_shards_add_up_to_the_film(self):
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


class PowerCuts(BatchCase):
    """Copies an image of a mounted disk: the state that a power cut would leave at that moment."""

    def setUp(self):
        super().setUp()
        with open(self.path("disk"), "wb") as file:
            file.truncate(24 << 20)
        if not shutil.which("mkfs.ext4") or not shutil.which("mount"):
            self.skipTest("there is no mkfs.ext4 or no mount")
        subprocess.run(["mkfs.ext4", "-q", "-F", self.path("disk")], capture_output=True, check=True)
        self.mount("disk", "out")

    def mount(self, image, folder):
        if subprocess.run(["mount", "-o", "loop", self.path(image), self.path(folder)], capture_output=True,
                          check=False).returncode != 0:
            self.skipTest("mounting is not allowed here")
        self.addCleanup(subprocess.run, ["umount", self.path(folder)], capture_output=True, check=False)

    def check_kept(self, *arguments, code=DONE):
        """Runs the command; then the contents of "out" must be whole in the copy."""
        self.run_roundel(*arguments, code=code)
        with open(self.path("disk"), "rb") as disk, open(self.path("copy"), "wb") as copy:
            os.posix_fadvise(disk.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            shutil.copyfileobj(disk, copy)
        os.mkdir(self.path("after"))
        self.mount("copy", "after")
        for folder, _, names in os.walk(self.path("out")):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.path("out"))
                self.assertTrue(os.path.exists(self.path(f"after/{path}")), (arguments, path))
                self.assertEqual(self.read(f"after/{path}"), self.read(f"out/{path}"), (arguments, path))
        subprocess.run(["umount", self.path("after")], check=True)
        os.rmdir(self.path("after"))

    def test_reported_frames_are_on_the_disk(self):
        self.check_kept("render", "snow.yaml", "--frames", "300-319", "-o", "out/v001/%d.png")
        self.check_kept("render", "snow.yaml", "--frames", "300-329", "-o", "out/v001/%d.png", "--resume")
        self.check_kept("render", "snow.yaml", "--frame", "300", "-o", "out/still/new/a.png")
        self.check_kept("render", "snow.yaml", "--frame", "301", "-o", "out/still/new/a.png")  # replaced
        self.check_kept("explain", "snow.yaml", "--heatmap", "layers", "-o", "out/map.png")
        shutil.copy(self.path("out/still/new/a.png"), self.path("golden.png"))
        self.check_kept("diff", "golden.png", "out/map.png", "--diff-image", "out/difference.png", code=1)


class Failures(BatchCase):
    def test_one_unwritable_frame(self):
        os.mkdir(self.path("out/5.png"))
        done = self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png",
                                "--overwrite", code=SOME_FAILED)
        self.assertIn("frame 5: out/5.png: cannot write: Is a directory", done.stderr)
        self.assertIn("1 of 9 frames are missing; to draw them: the same command with --resume, or with --frames 5", done.stderr)
        self.assertEqual(len(self.frames_in()), 9)

    def test_a_pipe_or_device_with_a_frames_name(self):
        os.mkfifo(self.path("out/5.png"))
        os.symlink("/dev/null", self.path("out/6.png"))  # a link, which is replaced
        for option in ("--overwrite", "--resume"):
            done = self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png",
                                    option, code=SOME_FAILED)
            self.assertIn("frame 5: out/5.png: cannot write: not a regular file", done.stderr)
            self.assertIn("to draw them: the same command with --resume, or with --frames 5\n", done.stderr)
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
            self.assertIn("stopped after these failures", done.stderr)
            rest = re.search(r"--frames (.+)\n", done.stderr)[1]
            whole = self.frames_in()
            self.assertGreater(len(whole), 2)
            self.run_roundel("verify", "out/%d.png", "--frames", "300-400", code=FAILED)
            done = self.run_roundel("verify", "out/%d.png", "--frames", "300-400", code=FAILED)
            self.assertEqual(done.stdout, f"missing: {rest}\n--frames {rest}\n")
        finally:
            subprocess.run(["umount", self.path("out")], check=True)

    def test_a_folder_without_renames_is_rejected_before_drawing(self):
        for arguments in (["--frames", "1-9"], ["--frames", "1-9", "--resume"], []):
            name = "out/%d.png" if arguments else "out/a.png"
            done = self.run_without(errno.EPERM, ["rename", "renameat", "renameat2", "link", "linkat"], "render",
                                    "balls.yaml", *arguments, "-o", name, code=REFUSED)
            self.assertRegex(done.stderr, r'^error: out/(1|a)\.png: cannot write to the folder "out/?": rename: '
                                          r"Operation not permitted \(if .*\)\n$")
            self.assertEqual(self.frames_in(), [])

    def test_a_disk_that_loses_data_is_an_error(self):
        film = ["render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png"]
        for more in ([], ["--resume"]):  # made, kept
            done = self.run_without(errno.EIO, ["syncfs"], *film, *more, code=FAILED)
            self.assertIn("out/: cannot write: syncfs: Input/output error\n", done.stderr)
        self.run_roundel(*film, "--resume")
        for arguments in (["render", "balls.yaml", "-o", "new/a.png"],
                          ["explain", "balls.yaml", "--heatmap", "layers", "-o", "new/a.png"],
                          ["circles", "balls.yaml", "-o", "new/a.npy"],
                          ["verify", "out/%d.png", "--frames", "1-9", "--manifest", "a.txt"]):
            done = self.run_without(errno.ENOSPC, ["fdatasync"], *arguments, code=FAILED)
            self.assertIn("cannot write: fdatasync: No space left on device\n", done.stderr)
            self.assertFalse(os.path.exists(self.path("new")))
            self.assertFalse(os.path.exists(self.path("a.txt")))

    def test_all_frames_are_unwritable(self):
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
        self.assertIn("stopped after these failures", messages)
        self.assertIn("frames are missing", messages)

    def test_bad_data_is_reported(self):
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
