#!/usr/bin/env python3
"""Folders of pictures, goldens and reports from outside. Usage: regress_test.py PATH_OF_ROUNDEL"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zlib

ROUNDEL = ""  # set by main()
SAME, DIFFER, NOT_COMPARED = range(3)

SCENE = """version: 1
image: {width: 24, height: 16}
layers:
  - circles: [{x: 0.5, y: 0.5, radius: 0.3, color: "%s", alpha: 1}]
animation: {fps: 30, frames: 3}
"""
RED, BLUE = SCENE % "#ff0000", SCENE % "#0000ff"


class Regress(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="roundel_regress_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.mkdir(self.path("goldens"))
        self.write("red.yaml", RED)
        self.write("deux bleus é.yaml", BLUE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def files(self, folder):
        """All files below, by path in it."""
        found = []
        for at, _, names in os.walk(self.path(folder)):
            found += [os.path.relpath(os.path.join(at, name), self.path(folder)) for name in names]
        return sorted(found)

    def run_roundel(self, *arguments, code, **keywords):
        done = subprocess.run([ROUNDEL, *arguments], cwd=self.folder, text=True, timeout=120,
                              capture_output=True, check=False, **keywords)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout} {done.stderr}")
        return done

    def regress(self, *arguments, code, scenes=("red.yaml", "deux bleus é.yaml")):
        return self.run_roundel("regress", *scenes, "--goldens", "goldens", "--backend", "cpu",
                                *arguments, code=code).stdout

    def accept_all(self):
        self.regress(code=DIFFER)
        self.run_roundel("accept", "--all", code=DIFFER)

    def test_from_nothing_to_goldens(self):
        text = self.regress(code=DIFFER)
        self.assertEqual(text.splitlines(), [
            "deux bleus é.png: new: there is no golden goldens/deux bleus é.png",
            "red.png: new: there is no golden goldens/red.png",
            "2 pictures: 0 same, 2 new",
            "pictures are in regress-output, to accept them: roundel accept 'deux bleus é.png' red.png"])
        self.assertEqual(self.files("goldens"), [])
        done = self.run_roundel("accept", "red", "deux bleus é.png", code=DIFFER)
        self.assertEqual(done.stdout, "red.png: stored\ndeux bleus é.png: stored\n")
        self.assertEqual(self.files("goldens"), ["deux bleus é.png", "red.png"])
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")
        self.assertEqual(self.files("regress-output"), [])
        self.run_roundel("accept", "--all", code=NOT_COMPARED)  # nothing is left to accept

    def test_a_golden_is_the_file_that_render_writes(self):
        self.accept_all()
        self.run_roundel("render", "red.yaml", "-o", "red.png", "--backend", "cpu", code=SAME)
        self.assertEqual(self.read("goldens/red.png"), self.read("red.png"))

    def test_only_what_differs_is_written_and_accepted(self):
        self.accept_all()
        before = os.stat(self.path("goldens/deux bleus é.png"))
        self.write("red.yaml", SCENE % "#fe0000")
        text = self.regress(code=DIFFER)
        self.assertIn("the scene changed", text)
        self.assertTrue(text.endswith("to accept them: roundel accept red.png\n"), text)
        self.assertEqual(self.files("regress-output"), ["actual/red.png", "diff/red.png", "pending.json"])
        self.run_roundel("accept", "--all", code=DIFFER)
        after = os.stat(self.path("goldens/deux bleus é.png"))
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))
        self.run_roundel("accept", "--all", code=SAME)  # they are the goldens by now
        self.regress(code=SAME)

    def test_the_renderer_is_told_from_the_scene(self):
        """A golden with the scene's fingerprint and other pixels is what another renderer leaves."""
        self.accept_all()
        self.run_roundel("render", "deux bleus é.yaml", "-o", "blue.png", code=SAME)
        data = self.read("blue.png")
        red, blue = self.read("goldens/red.png"), self.read("goldens/deux bleus é.png")
        own, other = (one[one.index(b"Fingerprint\0") + 12:][:32] for one in (red, blue))
        self.assertNotEqual(own, other)
        at = data.index(b"Fingerprint\0") - 4  # the chunk's type; its CRC follows the text
        text = b"tEXt" + b"Fingerprint\0" + own
        forged = data[:at] + text + zlib.crc32(text).to_bytes(4, "big") + data[at + len(text) + 4:]
        with open(self.path("goldens/red.png"), "wb") as file:
            file.write(forged)
        self.assertIn("the renderer changed", self.regress(code=DIFFER))

    def test_goldens_without_a_fingerprint_pass_and_can_get_one(self):
        self.accept_all()
        stripped = self.read("goldens/red.png")
        at = stripped.index(b"tEXtSoftware") - 4
        end = stripped.index(b"IDAT") - 4
        with open(self.path("goldens/red.png"), "wb") as file:
            file.write(stripped[:at] + stripped[end:])
        text = self.regress(code=SAME)
        self.assertIn("1 golden has the right pixels but not the fingerprint of the scene", text)
        self.run_roundel("accept", "--all", code=DIFFER)
        self.assertEqual(self.read("goldens/red.png"), stripped)
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")

    def test_goldens_of_no_picture_of_the_run_are_named(self):
        self.accept_all()
        self.assertNotIn("no picture of this run", self.regress(code=SAME))
        text = self.regress(code=SAME, scenes=("red.yaml",))
        self.assertEqual(text.splitlines()[1:],
                         ["1 golden in goldens of no picture of this run: deux bleus é.png"])
        for k in range(6):
            shutil.copy(self.path("goldens/red.png"), self.path(f"goldens/old{k}.png"))
        text = self.regress(code=SAME)
        self.assertIn("6 goldens in goldens of no picture of this run: old0.png, old1.png, "
                      "old2.png, old3.png, old4.png, …\n", text)

    def test_frames_have_a_folder_for_each_scene(self):
        shutil.copy(self.path("red.yaml"), self.path("red_0001.yaml"))
        scenes = ("red.yaml", "red_0001.yaml")
        self.regress("--frames", "all", code=DIFFER, scenes=scenes)
        self.run_roundel("accept", "red/*", "red_0001/0002", code=DIFFER)
        self.assertEqual(self.files("goldens"),
                         ["red/0000.png", "red/0001.png", "red/0002.png", "red_0001/0002.png"])
        text = self.regress("--frames", "0-2", code=DIFFER, scenes=scenes)
        self.assertIn("6 pictures: 4 same, 2 new\n", text)
        os.mkdir(self.path("other"))
        shutil.copy(self.path("red.yaml"), self.path("other/red.yaml"))
        done = self.run_roundel("regress", "red.yaml", "other/red.yaml", "--goldens", "goldens", code=NOT_COMPARED)
        self.assertIn("red.yaml and other/red.yaml would both have the golden red.png", done.stderr)

    def test_the_manifest_decides_and_its_rule_is_printed(self):
        self.accept_all()
        self.write("red.yaml", SCENE % "#fe0000")
        self.write("goldens/goldens.yaml",
                   "version: 1\ntolerances:\n  - {pictures: r*.png, max-delta: 1}\n  - {pictures: x, max-delta: 1}\n")
        done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", code=SAME)
        self.assertEqual(done.stdout, "red.png: same [goldens/goldens.yaml:3 \"r*.png\"]\n1 picture: 1 same\n"
                         "1 golden in goldens of no picture of this run: deux bleus é.png\n")
        self.assertIn('goldens/goldens.yaml:4 "x": fits none of the pictures', done.stderr)
        self.write("mine.yaml", "version: 1\ntolerances: [{pictures: '*', max-delta: 0, max-pixles: 1}]\n")
        done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", "--manifest", "mine.yaml", code=NOT_COMPARED)
        self.assertIn('mine.yaml:2:44: tolerances[0]: unknown key "max-pixles" (did you mean "max-pixels"?)', done.stderr)

    def test_what_cannot_be_compared_is_named_and_the_run_goes_on(self):
        self.accept_all()
        with open(self.path("goldens/deux bleus é.png"), "r+b") as file:
            file.truncate(70)
        text = self.regress(code=NOT_COMPARED)
        self.assertIn("deux bleus é.png: not compared: goldens/deux bleus é.png: ", text)
        self.assertIn("2 pictures: 1 same, 1 not compared\n", text)
        self.run_roundel("accept", "deux*", code=DIFFER)  # a golden that is broken can be replaced
        self.regress(code=SAME)
        self.write("bad.yaml", "version: 2\n")
        done = self.run_roundel("regress", "bad.yaml", "red.yaml", "--goldens", "goldens", code=NOT_COMPARED)
        self.assertIn("bad.yaml:1:10: version: expected 1, got 2", done.stderr)
        self.run_roundel("regress", "red.yaml", "--goldens", "nowhere", code=NOT_COMPARED)
        self.run_roundel("regress", "red.yaml", code=NOT_COMPARED)

    def test_an_output_folder_that_cannot_be_made_is_an_error(self):
        self.write("file", "")
        text = self.regress("--output", "file/below", code=NOT_COMPARED)
        self.assertIn("red.png: not compared: file/below/actual/red.png: cannot make its folder", text)

    def test_accepting_what_is_not_there_accepts_nothing(self):
        self.regress(code=DIFFER)
        done = self.run_roundel("accept", "red.png", "rde.png", code=NOT_COMPARED)
        self.assertIn('"rde.png": not among what the last run has left in regress-output (did you mean "red.png"?)', done.stderr)
        self.assertEqual(self.files("goldens"), [])
        for arguments in ((), ("--all", "red.png"), ("--all", "--output", "nowhere")):
            self.run_roundel("accept", *arguments, code=NOT_COMPARED)

    def test_files_for_programs(self):
        self.accept_all()
        self.write("red.yaml", SCENE % "#fe0000")
        self.regress("--junit", "junit.xml", "--json", "run.json", code=DIFFER)
        suite = xml.parse(self.path("junit.xml")).getroot().find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), ("2", "1", "0"))
        self.assertEqual([case.get("name") for case in suite], ["deux bleus é.png", "red.png"])
        self.assertIn("the scene changed", suite[1].find("failure").text)
        run = json.loads(self.read("run.json"))
        self.assertEqual(run["counts"], {"same": 1, "differ": 1, "new": 0, "missing": 0, "not_compared": 0})
        self.assertEqual(run["pictures"][1]["difference"]["channels"]["red"]["largest"], 1)
        self.assertEqual(run["pictures"][1]["origin"], "scene changed")
        on_stdout = self.regress("--json", "-", code=DIFFER)
        self.assertEqual(json.loads(on_stdout), run)

    def test_a_report(self):
        self.accept_all()
        self.write("red.yaml", BLUE)
        self.regress("--report", "report", code=DIFFER)
        self.assertEqual(self.files("report"), ["index.html", "pictures/000000.js"])
        page = self.read("report/index.html").decode()
        self.assertIn("roundel accept red.png", page)
        for scheme in ("http:", "https:"):  # nothing is fetched from anywhere
            self.assertNotIn(scheme, page)

    def test_two_folders(self):
        self.accept_all()
        shutil.copytree(self.path("goldens"), self.path("now"))
        text = self.run_roundel("diff", "goldens", "now", code=SAME).stdout
        self.assertEqual(text, "2 pictures: 2 same\n")
        shutil.copy(self.path("goldens/red.png"), self.path("now/deux bleus é.png"))
        os.rename(self.path("now/red.png"), self.path("now/new.png"))
        done = self.run_roundel("diff", "goldens", "now", "--report", "report", "--junit", "junit.xml",
                                "--json=run.json", code=DIFFER)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], "^deux bleus é.png: differs: [0-9]+ pixels differ, at most 0 may; the scene changed")
        self.assertEqual(lines[1:], ["new.png: new", "red.png: missing", "3 pictures: 0 same, 1 differs, 1 new, 1 missing"])
        self.assertEqual(len(json.loads(self.read("run.json"))["pictures"]), 3)
        self.assertEqual(len(xml.parse(self.path("junit.xml")).getroot().find("testsuite")), 3)
        self.assertIn("index.html", self.files("report"))
        self.write("now/red.png", "no picture")
        self.assertIn("red.png: not compared: now/red.png: ",
                      self.run_roundel("diff", "goldens", "now", code=NOT_COMPARED).stdout)

    def test_folders_that_hold_nothing_do_not_pass(self):
        os.mkdir(self.path("a"))
        os.mkdir(self.path("b"))
        done = self.run_roundel("diff", "a", "b", code=NOT_COMPARED)
        self.assertIn("a and b: expected pictures (.png, .exr or .pfm), got none", done.stderr)
        for arguments in (("a", "b", "--diff-image", "d.png"), ("red.yaml", "red.yaml", "--report", "r"), ("a", "red.yaml")):
            self.run_roundel("diff", *arguments, code=NOT_COMPARED)

    def test_results_are_the_same_with_any_number_of_threads(self):
        os.makedirs(self.path("now/film"))
        self.accept_all()
        for i in range(40):
            shutil.copy(self.path("goldens/red.png"), self.path(f"goldens/{i}.png"))
            shutil.copy(self.path("goldens/deux bleus é.png" if i % 3 == 0 else "goldens/red.png"), self.path(f"now/{i}.png"))
        texts = {self.run_roundel("diff", "goldens", "now", "--threads", str(n), "--ssim", code=DIFFER).stdout
                 for n in (1, 2, 5)}
        self.assertEqual(len(texts), 1)


if __name__ == "__main__":
    ROUNDEL = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
