#!/usr/bin/env python3
"""Accepting pictures found by diff; reports of two files. Usage: accept_diff_test.py PATH_OF_ROUNDEL"""

import json
import os
import shutil
import subprocess
import unittest

from command_case import CommandCase

SAME, DIFFER, COULD_NOT = range(3)
SCENE = """version: 1
image: {width: 24, height: 16}
layers: [{circles: [{x: 0.5, y: 0.5, radius: %s}]}]
"""


class Case(CommandCase):
    def setUp(self):
        super().setUp()
        for folder in ("goldens", "now"):
            os.mkdir(self.path(folder))
        for name, radius in (("goldens/a.png", 0.3), ("now/a.png", 0.2), ("now/new.png", 0.1), ("goldens/gone.png", 0.1),
                             ("goldens/same.png", 0.1), ("now/same.png", 0.1), ("goldens/f.pfm", 0.1), ("now/f.pfm", 0.2)):
            self.write("s.yaml", SCENE % radius)
            self.run_roundel("render", "s.yaml", "-o", name)

    def diff(self, *arguments, code=DIFFER):
        return self.run_roundel("diff", *arguments, code=code).stdout.decode()

    def failures(self, folder):
        page = self.read(folder + "/index.html").decode()
        data = page.split('<script id="data" type="application/json">')[1].split("</script>")[0]
        return {failure["name"]: failure for failure in json.loads(data)["failures"]}


class Folders(Case):
    def test_changed_and_new_pictures_can_be_accepted(self):
        text = self.diff("goldens", "now", "--output", "found", "--report", "report")
        self.assertTrue(text.endswith("pictures are in found, to accept them: roundel accept --output found --goldens goldens a.png new.png\n"
                                      "1 picture not kept: accept stores only sound PNG and EXR files with names in UTF-8\n"), text)
        self.assertEqual(sorted(os.listdir(self.path("found/actual"))), ["a.png", "new.png"])
        failures = self.failures("report")
        self.assertEqual(failures["new.png"]["accept"], "roundel accept --output found --goldens goldens new.png")
        self.assertNotIn("accept", failures["f.pfm"])
        self.assertNotIn("accept", failures["gone.png"])
        self.run_roundel("accept", "--output", "found", "--goldens", "goldens", "--all", code=SAME)
        for name in ("a.png", "new.png"):
            self.assertEqual(self.read("goldens/" + name), self.read("now/" + name))
        self.run_roundel("accept", "--output", "found", "--goldens", "goldens", "--prune", code=SAME)
        self.assertFalse(os.path.exists(self.path("goldens/gone.png")))
        os.remove(self.path("goldens/f.pfm"))
        os.remove(self.path("now/f.pfm"))
        self.assertEqual(self.diff("goldens", "now", "-o", "found", code=SAME), "3 pictures: 3 same\n")
        self.assertFalse(os.path.exists(self.path("found/pending/a.png.json")))

    def test_names_may_have_control_characters(self):
        names = ["q\x7f.png", "q\n\t'\\.png", "q\x1b[31m.png", "q\u0085\u2028\ufeff.png"]
        for name in names:
            shutil.copy(self.path("goldens/a.png"), self.path("goldens/" + name))
            shutil.copy(self.path("now/a.png"), self.path("now/" + name))
        no_text = os.fsencode(self.path("now/")) + b"q\xff.png"
        shutil.copy(self.path("now/a.png"), no_text)
        text = self.diff("goldens", "now", "--output", "found", "--json", "r.json", "--report", "report")
        self.assertIn("2 pictures not kept: accept stores only sound PNG and EXR files with names in UTF-8\n", text)
        self.assertIn(r"$'q\x7f.png'", text)
        self.assertFalse({"\x7f", "\x1b", "\t", "\ufeff"} & set(text), text)
        self.assertIn(r"q\xff.png: new: ", text)
        # The shell reads the command's words as the names.
        words = self.failures("report")[r"q\x0a\x09'\.png"]["accept"].split("--output found --goldens goldens ")[1]
        self.assertEqual(subprocess.check_output(["bash", "-c", "printf %s " + words]).decode(), names[1])
        for path in (no_text, self.path("goldens/f.pfm"), self.path("now/f.pfm")):
            os.remove(path)
        self.diff("goldens", "now", "--json", "r.json")
        read = {picture["name"] for picture in json.loads(self.read("r.json"))["pictures"]}
        self.assertLessEqual(set(names), read)
        printed = self.run_roundel("report", "r.json", "--json", "again.json", "--output", "gathered", code=DIFFER).stdout.decode()
        self.assertIn("q\\x7f.png: differs", printed)
        self.assertEqual({picture["name"] for picture in json.loads(self.read("again.json"))["pictures"]}, read)
        self.run_roundel("accept", "--output", "gathered", "--goldens", "goldens", names[0], code=SAME)
        self.run_roundel("accept", "--output", "gathered", "--goldens", "goldens", "--hashes", *names[1:], code=SAME)
        self.assertEqual(self.read("goldens/" + names[0]), self.read("now/a.png"))
        self.run_roundel("accept", "--output", "gathered", "--goldens", "goldens", "--hashes", *names[1:], code=SAME)

    def test_damaged_pictures_are_not_kept(self):
        for folder in ("goldens/deep", "now/deep"):
            os.mkdir(self.path(folder))
        good = self.read("now/a.png")
        for name, golden, now in (("t.png", good, b"bad\n"), ("cut.png", good, good[:-20]), ("healed.png", b"bad\n", good),
                                  ("fresh.png", None, good[:-20]), ("t.exr", good, good)):
            for folder, data in (("goldens", golden), ("now", now)):
                if data is not None:
                    with open(self.path(f"{folder}/deep/{name}"), "wb") as file:
                        file.write(data)
        with open(self.path("goldens/deep/t.exr"), "ab") as file:
            file.write(b"bad")
        done = self.run_roundel("diff", "goldens", "now", "--output", "found", "--report", "report", code=COULD_NOT)
        text = done.stdout.decode()
        self.assertIn("deep/t.png: not compared: now/deep/t.png: ", text)
        self.assertTrue(text.endswith("to accept them: roundel accept --output found --goldens goldens a.png deep/healed.png new.png\n"
                                      "5 pictures not kept: accept stores only sound PNG and EXR files with names in UTF-8\n"), text)
        self.assertIn(b"not kept: now/deep/fresh.png: ", done.stderr)
        self.assertEqual(os.listdir(self.path("found/actual/deep")), ["healed.png"])
        failures = self.failures("report")
        self.assertIn("accept", failures["deep/healed.png"])
        for name in ("t.png", "cut.png", "fresh.png"):
            self.assertNotIn("accept", failures["deep/" + name])
        self.run_roundel("accept", "--output", "found", "--goldens", "goldens", "--all", code=SAME)
        self.assertEqual(self.read("goldens/deep/healed.png"), good)

    def test_differences_within_the_limits_need_no_accept(self):
        self.diff("goldens", "now", "--max-pixels", "100%", "--output", "found")
        self.assertEqual(os.listdir(self.path("found/actual")), ["new.png"])

    def test_pictures_are_kept_only_on_request(self):
        self.assertNotIn("accept", self.diff("goldens", "now", "--report", "report"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["goldens", "now", "report", "s.yaml"])
        self.assertNotIn("accept", self.failures("report")["a.png"])

    def test_inputs_are_not_replaced(self):
        before = sorted(os.listdir(self.path("goldens")))
        for folder in ("goldens", "now"):
            done = self.run_roundel("diff", "goldens", "now", "--output", folder, code=COULD_NOT)
            self.assertIn(b"choose another folder", done.stderr)
        self.assertEqual(sorted(os.listdir(self.path("goldens"))), before)
        self.diff("goldens", "now", "--output", "found")
        done = self.run_roundel("diff", "goldens", "found/actual", "--output", "found", code=COULD_NOT)
        self.assertIn(b"where this command keeps pictures", done.stderr)
        self.assertEqual(sorted(os.listdir(self.path("found/actual"))), ["a.png", "new.png"])


class Files(Case):
    def test_two_files_have_a_report_and_can_be_accepted(self):
        text = self.diff("goldens/a.png", "now/a.png", "--report", "report", "-o", "found")
        self.assertIn("goldens/a.png now/a.png: differ: ", text)
        self.assertTrue(text.endswith("to accept them: roundel accept --output found --goldens goldens a.png\n"), text)
        failure, = self.failures("report").values()
        self.assertEqual(failure["name"], "a.png")
        self.assertIn("origin", failure)
        self.assertTrue(os.path.exists(self.path("report/" + failure["pictures"]["file"])))
        self.run_roundel("accept", "--output", "found", "--goldens", "goldens", "a.png", code=SAME)
        self.assertEqual(self.read("goldens/a.png"), self.read("now/a.png"))
        self.diff("goldens/a.png", "now/a.png", "--report", "report", "-o", "found", code=SAME)
        self.assertEqual(self.failures("report"), {})

    def test_the_previous_file_may_lie_in_the_working_directory(self):
        shutil.copy(self.path("goldens/a.png"), self.path("a.png"))
        self.diff("a.png", "now/a.png", "-o", "found", "-q")
        self.run_roundel("accept", "--output", "found", "--goldens", ".", "--all", code=SAME)
        self.assertEqual(self.read("a.png"), self.read("now/a.png"))

    def test_only_acceptable_pictures_are_kept(self):
        text = self.diff("goldens/a.png", "now/f.pfm", "-o", "found")
        self.assertTrue(text.endswith("1 picture not kept: accept stores only sound PNG and EXR files with names in UTF-8\n"), text)
        self.assertFalse(os.path.exists(self.path("found/actual")))

    def test_a_run_that_fails_leaves_no_report(self):
        self.diff("goldens/a.png", "now/a.png", "--report", "report")
        self.diff("goldens/a.png", "none.png", "--report", "report", code=COULD_NOT)
        self.assertFalse(os.path.exists(self.path("report/index.html")))

    def test_other_results_need_folders(self):
        done = self.run_roundel("diff", "goldens/a.png", "now/a.png", "--junit", "x.xml", code=COULD_NOT)
        self.assertIn(b"--junit, --markdown, --annotations: work with two folders", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
