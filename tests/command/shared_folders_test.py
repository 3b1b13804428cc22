#!/usr/bin/env python3
"""Several runs with one output folder, several accepts with one folder of goldens. Usage: shared_folders_test.py PATH_OF_ROUNDEL"""

import os
import shutil
import signal
import subprocess
import time
import unittest

from command_case import ROUNDEL
from regress_case import BLUE, DIFFER, NOT_COMPARED, RED, SAME, SCENE, RegressCase

SLOW = "version: 1\nlayers:\n  - random: {count: 300000000, radius: 0.00001}\n"
BUSY = "another regress writes %s with --output regress-output: wait for it, or give each its own --output"


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
        return [name[:-len(".json")] for name in self.files("regress-output/pending")]


class Runs(SharedCase):
    def test_a_second_run_of_the_same_files_at_once_is_refused(self):
        self.write("slow.yaml", SLOW)
        first = self.start("regress", "red.yaml", "slow.yaml", "--goldens", "goldens", "--backend", "cpu", "--json", "r.json")
        try:
            while not os.path.exists(self.path("regress-output/actual/red.png")):
                self.assertIsNone(first.poll())
                time.sleep(0.01)
            self.write("r.json", "of another run")
            drawn = self.read("regress-output/actual/red.png")
            for arguments, name in ((("--json", "r.json"), self.path("r.json")), ((), "red.png")):
                done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", *arguments, code=NOT_COMPARED)
                self.assertEqual((done.stdout, done.stderr), ("", f"error: {BUSY % os.path.realpath(name) if arguments else BUSY % name}\n"))
            self.assertEqual((self.read("r.json"), self.read("regress-output/actual/red.png")), (b"of another run", drawn))
            os.mkdir(self.path("other"))
            self.run_roundel("render", "red.yaml", "-o", "other/red.png", code=SAME)
            done = self.run_roundel("diff", "goldens", "other", "--output", "regress-output", code=NOT_COMPARED)
            self.assertIn(BUSY % "red.png", done.stderr)
            done = self.run_roundel("accept", "red", code=NOT_COMPARED)
            self.assertIn(BUSY % "red.png", done.stderr)
            self.assertEqual(self.files("goldens"), [])
            self.regress("--output", "own", code=DIFFER)
            self.regress("--json", "r2.json", code=DIFFER, scenes=("deux bleus é.yaml",))
        finally:
            first.send_signal(signal.SIGKILL)
            first.communicate()
        self.regress(code=DIFFER)  # the claims end with their process
        self.assertEqual(self.pending(), ["deux bleus é.png", "red.png"])
        self.assertEqual(self.files("regress-output"), ["actual/deux bleus é.png", "actual/red.png", "pending/deux bleus é.png.json",
                                                        "pending/red.png.json"])

    def test_runs_at_once_lose_nothing(self):
        names = self.many_scenes(8)
        os.rmdir(self.path("goldens"))
        commands = [("regress", f"{name}.yaml", "--goldens", "goldens", "--backend", "cpu") for name in names]
        drawn = [f"{name}.png" for name in names]
        for _ in range(5):
            self.assertEqual({code for code, _, _ in self.all_at_once(*commands)}, {DIFFER})
            self.assertEqual(self.pending(), drawn)
            self.assertEqual(self.files("regress-output/actual"), drawn)
        self.run_roundel("accept", "--all", code=SAME)
        self.assertEqual(self.files("goldens"), drawn)
        # Some pass, others differ.
        for name in names[::2]:
            self.write(f"{name}.yaml", SCENE % "#00ff00")
        for _ in range(5):
            self.assertEqual([code for code, _, _ in self.all_at_once(*commands)], [DIFFER, SAME] * 4)
            self.assertEqual(self.pending(), drawn[::2])
            self.assertEqual(self.files("regress-output/diff"), drawn[::2])
        self.run_roundel("accept", "--all", code=SAME)
        self.assertEqual({code for code, _, _ in self.all_at_once(*commands)}, {SAME})
        self.assertEqual(self.files("regress-output"), [])

    def test_shares_at_once_write_to_one_folder(self):
        names = self.many_scenes(8)
        done = self.all_at_once(*(("regress", *(f"{name}.yaml" for name in names), "--goldens", "goldens", "--strict", "--shard", f"{i}/3")
                                  for i in (1, 2, 3)))
        self.assertEqual({code for code, _, _ in done}, {DIFFER})
        self.assertEqual(self.pending(), [f"{name}.png" for name in names])

    def test_goldens_of_several_folders(self):
        os.makedirs(self.path("a"))
        os.makedirs(self.path("b"))
        for folder, scene in (("a", RED), ("b", BLUE)):
            self.write(f"{folder}.yaml", scene)
            self.run_roundel("regress", f"{folder}.yaml", "--goldens", folder, code=DIFFER)
        done = self.run_roundel("regress", "a.yaml", "--goldens", "b", code=NOT_COMPARED)
        self.assertIn('regress-output/pending/a.png.json: a.png is pending for another folder of goldens, "a": accept it, delete this file, '
                      "or give this run its own --output", done.stderr)
        done = self.run_roundel("accept", "--all", "--goldens", "goldens", code=NOT_COMPARED)
        self.assertIn("regress-output has pictures for several folders of goldens, none of which is \"goldens\"", done.stderr)
        done = self.run_roundel("accept", "--all", "--goldens", "b", code=SAME)
        self.assertEqual(done.stdout, "b.png: stored in b\n")
        self.assertEqual(self.run_roundel("accept", "--all", code=SAME).stdout, "a.png: stored in a\n")
        self.assertEqual((self.files("a"), self.files("b")), (["a.png"], ["b.png"]))
        self.assertEqual(self.files("regress-output"), [])
        # A golden that is unused in one folder may be new in another.
        self.write("c.yaml", BLUE)
        self.run_roundel("regress", "c.yaml", "--goldens", "a", "--strict", code=DIFFER)
        self.run_roundel("regress", "a.yaml", "--goldens", "b", code=DIFFER)

    def test_a_missing_folder_of_goldens_is_made_by_accept(self):
        self.run_roundel("regress", "red.yaml", "--goldens", "new/goldens", code=DIFFER)
        self.assertFalse(os.path.exists(self.path("new")))
        self.run_roundel("accept", "--all", "--check", code=DIFFER)
        self.assertFalse(os.path.exists(self.path("new")))
        self.run_roundel("accept", "--all", code=SAME)
        self.assertEqual(sorted(os.listdir(self.path("new/goldens"))), ["goldens.lock", "red.png"])
        self.run_roundel("regress", "red.yaml", "--goldens", "new/goldens", code=SAME)

    def test_runs_one_after_the_other_add_to_the_folder(self):
        names = self.many_scenes(3)
        for name in names:
            text = self.regress(code=DIFFER, scenes=(f"{name}.yaml",))
        self.assertTrue(text.endswith("pictures are in regress-output, to accept them: roundel accept s2.png\n"
                                      "2 pictures of earlier runs can also be accepted from regress-output: s0.png, s1.png\n"), text)
        # A run that passes or fails keeps the pictures of the others; so does a killed one.
        self.run_roundel("accept", "s1", code=SAME)
        self.assertEqual(self.files("regress-output/actual"), ["s0.png", "s2.png"])
        self.assertIn("2 pictures of earlier runs", self.regress(code=SAME, scenes=("s1.yaml",)))
        self.write("slow.yaml", SLOW)
        killed = self.start("regress", "red.yaml", "slow.yaml", "--goldens", "goldens", "--backend", "cpu")
        while not os.path.exists(self.path("regress-output/actual/red.png")):
            self.assertIsNone(killed.poll())
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        self.assertIn("3 pictures of earlier runs", self.regress(code=SAME, scenes=("s1.yaml",)))
        self.assertEqual(self.files("regress-output/actual"), ["red.png", "s0.png", "s2.png"])
        self.run_roundel("accept", "--all", code=SAME)
        self.assertEqual(self.files("goldens"), ["red.png", "s0.png", "s1.png", "s2.png"])
        # A picture leaves the output folder once it is a golden, an alternative or a hash.
        self.assertEqual(self.regress(code=SAME, scenes=("s1.yaml",)).splitlines()[0], "1 picture: 1 same")
        self.assertEqual(self.files("regress-output"), [])

    def test_accepted_pictures_are_removed(self):
        self.accept_all()
        for options in (("--add",), ("--hashes",)):
            with self.subTest(options):
                self.write("red.yaml", BLUE if options == ("--add",) else SCENE % "#00ff00")
                self.regress(code=DIFFER, scenes=("red.yaml",))
                self.run_roundel("accept", "red", *options, code=SAME)
                self.assertEqual(self.files("regress-output"), [])

    def test_removed_files_of_other_runs_are_reported(self):
        def warning(*arguments):
            return self.run_roundel("regress", *arguments, "--backend", "cpu", code=DIFFER).stderr

        printed = "removed 1 picture of an earlier run from regress-output: red.png\n"
        self.regress(code=DIFFER, scenes=("red.yaml",))
        self.assertIn(printed, warning("deux bleus é.yaml", "--goldens", "goldens", "--strict"))
        self.regress(code=DIFFER, scenes=("red.yaml",))
        # Pictures for other goldens stay.
        self.assertEqual("", warning("red.yaml", "--goldens", "others", "--frames", "0", "--strict"))
        self.assertEqual(self.pending(), ["deux bleus é.png", "red.png", "red/0000.png"])

    def test_a_difference_is_told_even_if_it_cannot_be_kept(self):
        self.accept_all()
        self.write("red.yaml", SCENE % "#fe0000")
        shutil.rmtree(self.path("regress-output"))
        os.mkdir(self.path("regress-output"))
        self.write("regress-output/actual", "a file")
        self.assertRegex(self.regress(code=NOT_COMPARED, scenes=("red.yaml",)).splitlines()[0],
                         r"red\.png: not compared: \d+ pixels differ, at most 0 may, regress-output/actual: expected a folder")

    def test_a_run_without_failures_makes_no_folder(self):
        self.accept_all()
        self.regress("--output", "deep/er/out", code=SAME)
        self.assertFalse(os.path.exists(self.path("deep")))


class Accepts(SharedCase):
    def test_killed_accepts_leave_whole_goldens_and_no_files_for_long(self):
        names = self.many_scenes(30)
        scenes = [f"{name}.yaml" for name in names]
        drawn = [f"{name}.png" for name in names]
        self.regress("--output", "old", code=DIFFER, scenes=scenes)
        for name in names:
            self.write(f"{name}.yaml", SCENE % "#00ff00")
        self.regress("--output", "new", code=DIFFER, scenes=scenes)
        allowed = {name: {self.read(f"{output}/actual/{name}") for output in ("old", "new")} for name in drawn}
        kept = {output: self.path("kept-" + output) for output in ("old", "new")}
        for output, copy in kept.items():
            shutil.copytree(self.path(output), copy)
        for i in range(20):
            output = ("old", "new")[i % 2]
            shutil.copytree(kept[output], self.path(output), dirs_exist_ok=True)
            killed = self.start("accept", "--all", "--output", output)
            time.sleep(0.002 * i)
            killed.send_signal(signal.SIGKILL)
            killed.communicate()
            for name in drawn:
                if os.path.exists(self.path(f"goldens/{name}")):
                    self.assertIn(self.read(f"goldens/{name}"), allowed[name])
        self.write("goldens/.roundel-1-2.tmp", "of a killed process")
        shutil.copytree(kept["new"], self.path("new"), dirs_exist_ok=True)
        self.run_roundel("accept", "--all", "--output", "new", code=SAME)
        self.assertEqual(self.files("goldens"), sorted(drawn))
        self.assertEqual(self.files("new"), [])
        self.regress(code=SAME, scenes=scenes)

    def test_all_are_stored_with_few_open_files(self):
        names = self.many_scenes(30)
        self.regress(code=DIFFER, scenes=[f"{name}.yaml" for name in names])
        done = self.start("accept", "--all", before=("sh", "-c", 'ulimit -n 24; exec "$@"', "sh"))
        printed, problems = done.communicate()
        self.assertEqual((done.returncode, problems, printed.count(": stored in goldens\n")), (SAME, "", 30))
        self.assertEqual(len(self.files("goldens")), 30)

    def test_all_of_many_hashes_are_kept(self):
        names = self.many_scenes(20)
        self.regress(code=DIFFER, scenes=[f"{name}.yaml" for name in names])
        for name, (code, printed, _) in zip(names, self.all_at_once(*(("accept", "--hashes", name) for name in names))):
            self.assertEqual((code, printed), (SAME, f"{name}.png: stored in goldens as a hash in goldens.lock\n"))
        lock = self.read("goldens/goldens.lock").decode()
        self.assertEqual([name for name in names if f'"{name}.png"' not in lock], [])

    def test_all_of_many_other_goldens_are_kept(self):
        self.accept_all()
        outputs = []
        for i in range(8):
            self.write("red.yaml", SCENE % f"#00{i:02x}00")
            outputs.append(f"out{i}")
            self.regress("--output", outputs[-1], code=DIFFER, scenes=("red.yaml",))
        drawn = {self.read(f"{output}/actual/red.png") for output in outputs}
        for output in outputs:
            shutil.copytree(self.path(output), self.path("kept-" + output))
        for _ in range(5):
            done = self.all_at_once(*(("accept", "--add", "--all", "--output", output) for output in outputs))
            self.assertEqual({code for code, _, _ in done}, {SAME})
            self.assertEqual(self.files("goldens"), ["deux bleus é.png", *(f"red.alt-{i + 1}.png" for i in range(8)), "red.png"])
            stored = {self.read(f"goldens/red.alt-{i + 1}.png") for i in range(8)}
            self.assertEqual(stored, drawn)
            for output in outputs:
                shutil.copytree(self.path("kept-" + output), self.path(output), dirs_exist_ok=True)
            for i in range(8):
                os.remove(self.path(f"goldens/red.alt-{i + 1}.png"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
