#!/usr/bin/env python3
"""Several runs with one output folder, several accepts with one folder of goldens. Usage: shared_folders_test.py PATH_OF_ROUNDEL"""

import json
import os
import signal
import subprocess
import time
import unittest

from command_case import ROUNDEL
from regress_case import BLUE, DIFFER, NOT_COMPARED, RED, SAME, SCENE, RegressCase

SLOW = "version: 1\nlayers:\n  - random: {count: 300000000, radius: 0.00001}\n"
BUSY = "another regress writes to regress-output: give each its own --output"


class SharedCase(RegressCase):
    def start(self, *arguments, before=(), stdin=subprocess.DEVNULL):
        return subprocess.Popen([*before, ROUNDEL, *arguments], cwd=self.folder, stdin=stdin, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def all_at_once(self, *commands):
        """Runs the commands at once; returns exit code, output and messages of each."""
        reader, writer = os.pipe()
        processes = [self.start(*command, before=("sh", "-c", 'cat; exec "$@"', "sh"), stdin=reader) for command in commands]
        os.close(reader)
        os.close(writer)
        texts = [process.communicate(timeout=300) for process in processes]
        return [(process.returncode, *text) for process, text in zip(processes, texts)]

    def many_scenes(self, count):
        names = [f"s{i}" for i in range(count)]
        for i, name in enumerate(names):
            self.write(f"{name}.yaml", SCENE % f"#0000{i:02x}")
        return names

    def pending(self):
        return sorted(json.loads(self.read("regress-output/pending.json"))["names"])


class Runs(SharedCase):
    def test_a_second_run_at_once_is_refused(self):
        self.write("slow.yaml", SLOW)
        first = self.start("regress", "red.yaml", "slow.yaml", "--goldens", "goldens", "--backend", "cpu")
        try:
            while not os.path.exists(self.path("regress-output")):
                self.assertIsNone(first.poll())
                time.sleep(0.01)
            self.write("r.json", "of another run")
            done = self.run_roundel("regress", "deux bleus é.yaml", "--goldens", "goldens", "--json", "r.json", code=NOT_COMPARED)
            self.assertEqual((done.stdout, done.stderr), ("", f"error: {BUSY}\n"))
            self.assertEqual(self.read("r.json"), b"of another run")
            self.assertFalse(os.path.exists(self.path("regress-output/actual/deux bleus é.png")))
            os.mkdir(self.path("other"))
            done = self.run_roundel("diff", "goldens", "other", "--output", "regress-output", code=NOT_COMPARED)
            self.assertIn(BUSY, done.stderr)
            self.regress("--output", "own", code=DIFFER)
        finally:
            first.send_signal(signal.SIGKILL)
            first.communicate()
        self.regress(code=DIFFER)  # the lock ends with its process

    def test_runs_at_once_report_every_loss(self):
        names = self.many_scenes(8)
        done = self.all_at_once(*(("regress", f"{name}.yaml", "--goldens", "goldens", "--backend", "cpu") for name in names))
        drawn = [f"{name}.png" for name, (code, _, printed) in zip(names, done) if code == DIFFER and BUSY not in printed]
        for code, _, printed in done:
            self.assertEqual(code == NOT_COMPARED, BUSY in printed, printed)
        self.assertGreater(len(drawn), 0)
        self.assertEqual(self.pending(), drawn)
        self.assertEqual(self.files("regress-output/actual"), drawn)
        self.run_roundel("accept", "--all", code=DIFFER)
        self.assertEqual(self.files("goldens"), drawn)

    def test_runs_one_after_the_other_add_to_the_folder(self):
        names = self.many_scenes(3)
        for name in names:
            text = self.regress(code=DIFFER, scenes=(f"{name}.yaml",))
        self.assertTrue(text.endswith("pictures are in regress-output, to accept them: roundel accept s2.png\n"
                                      "2 pictures of earlier runs can also be accepted from regress-output: s0.png, s1.png\n"), text)
        # A run that passes or fails keeps the pictures of the others; so does a killed one.
        self.run_roundel("accept", "s1", code=DIFFER)
        self.assertIn("2 pictures of earlier runs", self.regress(code=SAME, scenes=("s1.yaml",)))
        self.write("slow.yaml", SLOW)
        killed = self.start("regress", "red.yaml", "slow.yaml", "--goldens", "goldens", "--backend", "cpu")
        while not os.path.exists(self.path("regress-output/actual/red.png")):
            self.assertIsNone(killed.poll())
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        self.assertIn("2 pictures of earlier runs", self.regress(code=SAME, scenes=("s1.yaml",)))
        self.assertEqual(self.files("regress-output/actual"), ["s0.png", "s2.png"])
        self.run_roundel("accept", "--all", code=DIFFER)
        self.assertEqual(self.files("goldens"), ["s0.png", "s1.png", "s2.png"])
        # A picture leaves the output folder once it is a golden, an alternative or a hash.
        self.assertEqual(self.regress(code=SAME, scenes=("s1.yaml",)).splitlines()[0], "1 picture: 1 same")
        self.assertEqual(self.files("regress-output"), [])

    def test_accepted_pictures_are_removed(self):
        self.accept_all()
        for options in (("--add",), ("--hashes",)):
            with self.subTest(options):
                self.write("red.yaml", BLUE if options == ("--add",) else SCENE % "#00ff00")
                self.regress(code=DIFFER, scenes=("red.yaml",))
                self.run_roundel("accept", "red", *options, code=DIFFER)
                self.regress(code=SAME, scenes=("deux bleus é.yaml",))
                self.assertEqual(self.files("regress-output"), [])

    def test_removed_files_of_other_runs_are_reported(self):
        def warning(*arguments):
            return self.run_roundel("regress", *arguments, "--backend", "cpu", code=DIFFER).stderr

        printed = "removed 1 picture of an earlier run from regress-output: red.png\n"
        self.regress(code=DIFFER, scenes=("red.yaml",))
        self.assertIn(printed, warning("deux bleus é.yaml", "--goldens", "goldens", "--strict"))
        self.regress(code=DIFFER, scenes=("red.yaml",))
        os.mkdir(self.path("others"))
        self.assertIn(printed.replace("red.png", "deux bleus é.png, red.png").replace("1 picture of", "2 pictures of"),
                      warning("red.yaml", "--goldens", "others", "--frames", "0"))
        self.assertEqual(self.pending(), ["red/0000.png"])

    def test_a_run_without_failures_makes_no_folder(self):
        self.accept_all()
        self.regress("--output", "deep/er/out", code=SAME)
        self.assertFalse(os.path.exists(self.path("deep")))


class Accepts(SharedCase):
    def test_all_of_many_hashes_are_kept(self):
        names = self.many_scenes(20)
        self.regress(code=DIFFER, scenes=[f"{name}.yaml" for name in names])
        for name, (code, printed, _) in zip(names, self.all_at_once(*(("accept", "--hashes", name) for name in names))):
            self.assertEqual((code, printed), (DIFFER, f"{name}.png: stored in goldens as a hash in goldens.lock\nexit code 1: goldens changed\n"))
        lock = self.read("goldens/goldens.lock").decode()
        self.assertEqual([name for name in names if f'"{name}.png"' not in lock], [])

    def test_all_of_many_other_goldens_are_kept(self):
        self.accept_all()
        outputs = []
        for i in range(8):
            self.write("red.yaml", SCENE % f"#00{i:02x}00")
            outputs.append(f"out{i}")
            self.regress("--output", outputs[-1], code=DIFFER, scenes=("red.yaml",))
        for _ in range(5):
            done = self.all_at_once(*(("accept", "--add", "--all", "--output", output) for output in outputs))
            self.assertEqual({code for code, _, _ in done}, {DIFFER})
            self.assertEqual(self.files("goldens"), ["deux bleus é.png", *(f"red.alt-{i + 1}.png" for i in range(8)), "red.png"])
            stored = {self.read(f"goldens/red.alt-{i + 1}.png") for i in range(8)}
            self.assertEqual(stored, {self.read(f"{output}/actual/red.png") for output in outputs})
            for i in range(8):
                os.remove(self.path(f"goldens/red.alt-{i + 1}.png"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
