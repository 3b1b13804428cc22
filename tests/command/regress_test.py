#!/usr/bin/env python3
"""Folders of pictures, goldens and reports from outside. Usage: regress_test.py PATH_OF_ROUNDEL"""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml
import zlib

from command_case import ROUNDEL, CommandCase

SAME, DIFFER, NOT_COMPARED = range(3)

SCENE = """version: 1
image: {width: 24, height: 16}
layers:
  - circles: [{x: 0.5, y: 0.5, radius: 0.3, color: "%s", alpha: 1}]
animation: {fps: 30, frames: 3}
"""
BAD = "version: 2\nlayers: [{generator: rgb}]\n"
RED, BLUE = SCENE % "#ff0000", SCENE % "#0000ff"


class RegressCase(CommandCase):
    is_text = True

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("goldens"))
        self.write("red.yaml", RED)
        self.write("deux bleus é.yaml", BLUE)

    def files(self, folder):
        """All files below, by path in it."""
        found = []
        for at, _, names in os.walk(self.path(folder)):
            found += [os.path.relpath(os.path.join(at, name), self.path(folder)) for name in names]
        return sorted(found)

    def regress(self, *arguments, code, scenes=("red.yaml", "deux bleus é.yaml")):
        return self.run_roundel("regress", *scenes, "--goldens", "goldens", "--backend", "cpu",
                                *arguments, code=code).stdout

    def accept_all(self):
        self.regress(code=DIFFER)
        self.run_roundel("accept", "--all", code=DIFFER)

    def snapshot(self):
        """Every file, by path, with its bytes; links with what they say."""
        return {name: os.readlink(self.path(name)) if os.path.islink(self.path(name)) else self.read(name)
                for name in self.files(".")}


class Regress(RegressCase):
    def test_from_nothing_to_goldens(self):
        text = self.regress(code=DIFFER)
        self.assertEqual(text.splitlines(), [
            "deux bleus é.png: new: there is no golden goldens/deux bleus é.png",
            "red.png: new: there is no golden goldens/red.png",
            "2 pictures: 0 same, 2 new",
            "pictures are in regress-output, to accept them: roundel accept 'deux bleus é.png' red.png"])
        self.assertEqual(self.files("goldens"), [])
        done = self.run_roundel("accept", "red", "deux bleus é.png", code=DIFFER)
        self.assertEqual(done.stdout, "red.png: stored in goldens\ndeux bleus é.png: stored in goldens\n")
        self.assertEqual(self.files("goldens"), ["deux bleus é.png", "red.png"])
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")
        self.assertEqual(self.files("regress-output"), [])
        done = self.run_roundel("accept", "--all", code=SAME)
        self.assertEqual(done.stdout, "nothing to accept: no run has left pictures in regress-output\n")
        done = self.run_roundel("accept", "red", code=NOT_COMPARED)
        self.assertIn("nothing to accept: no run has left pictures in regress-output", done.stderr)

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
        self.write("deux bleus é.yaml", RED)  # a real failure, which the hint must not take along
        text = self.regress(code=DIFFER)
        self.assertIn("1 golden has the right pixels but not the fingerprint of the scene; to store it: "
                      "roundel accept red.png\n", text)
        blue = self.read("goldens/deux bleus é.png")
        self.run_roundel("accept", "red.png", code=DIFFER)
        self.assertEqual(self.read("goldens/red.png"), stripped)
        self.assertEqual(self.read("goldens/deux bleus é.png"), blue)
        self.write("deux bleus é.yaml", BLUE)
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
        self.write("bad.yaml", BAD)
        done = self.run_roundel("regress", "bad.yaml", "red.yaml", "--goldens", "goldens", code=NOT_COMPARED)
        self.assertIn("bad.yaml:1:10: version: expected 1, got 2", done.stderr)
        self.assertIn("bad.png: not compared: bad.yaml:1:10: version: expected 1, got 2", done.stdout)
        self.assertIn("2 pictures: 1 same, 1 not compared\n", done.stdout)
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
        self.assertNotIn("origin", run["pictures"][0])  # what is the same has no cause
        on_stdout = json.loads(self.regress("--json", "-", code=DIFFER))
        for picture in on_stdout["pictures"] + run["pictures"]:
            self.assertGreater(picture.pop("seconds"), 0)
        self.assertEqual(on_stdout, run)

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
        self.assertEqual(lines[1:], ["new.png: new: there is no golden goldens/new.png", "red.png: missing: there is no now/red.png",
                                     "3 pictures: 0 same, 1 differs, 1 new, 1 missing"])
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
        self.assertIn("a and b: expected pictures (.png, .exr, .pfm, .jpg or .webp), got none", done.stderr)
        for arguments in (("a", "b", "--diff-image", "d.png"), ("red.yaml", "red.yaml", "--report", "r"), ("a", "red.yaml")):
            self.run_roundel("diff", *arguments, code=NOT_COMPARED)

    def test_files_that_are_passed_over_are_counted(self):
        self.accept_all()
        shutil.copytree(self.path("goldens"), self.path("now"))
        for k in range(12):
            self.write(f"now/{k}.gif", "no picture")
        self.write("goldens/3.gif", "nor this")
        self.write("goldens/goldens.yaml", "version: 1\ntolerances: []\n")
        said = "2 pictures: 2 same; 12 other files passed over\n"
        done = self.run_roundel("diff", "goldens", "now", "--json=run.json", "--markdown", "run.md", code=SAME)
        self.assertEqual(done.stdout, said)
        self.assertIn(said, self.read("run.md").decode())
        self.assertEqual(json.loads(self.read("run.json"))["passed_over"], 12)
        self.assertTrue(self.run_roundel("report", "run.json", "--markdown", "all.md", code=SAME).stdout.endswith(said))

    def test_results_are_the_same_with_any_number_of_threads(self):
        os.makedirs(self.path("now/film"))
        self.accept_all()
        for i in range(40):
            shutil.copy(self.path("goldens/red.png"), self.path(f"goldens/{i}.png"))
            shutil.copy(self.path("goldens/deux bleus é.png" if i % 3 == 0 else "goldens/red.png"), self.path(f"now/{i}.png"))
        texts = {self.run_roundel("diff", "goldens", "now", "--threads", str(n), "--ssim", code=DIFFER).stdout
                 for n in (1, 2, 5)}
        self.assertEqual(len(texts), 1)


    def test_small_and_large_pictures_come_in_order_with_the_bytes_that_render_writes(self):
        scenes = []
        for i in range(30):
            scenes.append(f"s{i:02}.yaml")
            large = i % 7 == 3
            self.write(scenes[-1], "version: 2\n" if i == 11 else
                       RED.replace("width: 24, height: 16", "width: 700, height: 500") if large else RED)
        for options in (["--threads", "1"], ["--threads", "2"], ["--threads", "5"], ["--memory", "80M"]):
            with self.subTest(options):
                text = self.regress(*options, "--verbose", code=NOT_COMPARED, scenes=scenes)
                self.assertEqual([line.split(": ")[:2] for line in text.splitlines()[:30]],
                                 [[f"s{i:02}.png", "not compared" if i == 11 else "new"] for i in range(30)])
                for i in (0, 3):
                    self.run_roundel("render", scenes[i], "-o", "want.png", "--backend", "cpu", code=0)
                    self.assertEqual(self.read(f"regress-output/actual/s{i:02}.png"), self.read("want.png"))

    def test_both_backends_need_both(self):
        self.accept_all()
        arguments = ("regress", "red.yaml", "--goldens", "goldens", "--backend")
        done = subprocess.run([ROUNDEL, *arguments, "cpu,cuda"], cwd=self.folder, text=True, timeout=120,
                              capture_output=True, check=False)
        cuda = subprocess.run([ROUNDEL, *arguments, "cuda"], cwd=self.folder, text=True, timeout=120,
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (cuda.returncode, cuda.stdout, cuda.stderr))
        self.assertIn(done.returncode, (SAME, NOT_COMPARED))  # with a device, without
        done = self.run_roundel(*arguments, "both", code=NOT_COMPARED)
        self.assertIn('--backend: expected auto, cpu, cuda or cpu,cuda, got "both"', done.stderr)
        done = self.run_roundel("render", "red.yaml", "--backend", "cpu,cuda", "-o", "a.png", code=2)
        self.assertIn("--backend: expected auto, cpu or cuda", done.stderr)

    def test_several_goldens_each_of_which_does(self):
        self.accept_all()
        self.write("red.yaml", BLUE)
        self.regress(code=DIFFER)
        done = self.run_roundel("accept", "--add", "red", code=DIFFER)
        self.assertEqual(done.stdout, "red.png: stored in goldens as red.alt-1.png\n")
        done = self.run_roundel("accept", "--add", "red", code=SAME)
        self.assertEqual(done.stdout, "red.png: is the golden already as red.alt-1.png\n")
        for scene in (RED, BLUE):
            self.write("red.yaml", scene)
            self.assertEqual(self.regress("--strict", code=SAME), "2 pictures: 2 same\n")
        self.write("red.yaml", RED.replace("radius: 0.3", "radius: 0.31"))
        lines = self.regress(code=DIFFER).splitlines()
        self.assertIn("nearest of 2 goldens: goldens/red.png", lines[0])
        self.run_roundel("accept", "--add", "--all", code=DIFFER)
        self.assertEqual(self.files("goldens"), ["deux bleus é.png", "red.alt-1.png", "red.alt-2.png", "red.png"])
        self.write("red.yaml", SCENE % "#0000fe")
        lines = self.regress(code=DIFFER).splitlines()
        self.assertIn("nearest of 3 goldens: goldens/red.alt-1.png", lines[0])
        # A manifest's rule for the picture is that for all its goldens.
        self.write("goldens/goldens.yaml", 'version: 1\ntolerances: [{pictures: red.png, max-delta: 1}]\n')
        self.assertIn("red.png: same", self.regress(code=SAME))
        # Where no scene draws the picture, none of its goldens is used.
        text = self.regress("--strict", code=DIFFER, scenes=("deux bleus é.yaml",))
        for name in ("red.png", "red.alt-1.png", "red.alt-2.png"):
            self.assertIn(f"{name}: missing", text)
        self.run_roundel("accept", "--prune", code=DIFFER)
        self.assertEqual(self.files("goldens"), ["deux bleus é.png", "goldens.yaml"])

    def test_adding_to_no_golden_stores_the_first(self):
        self.regress(code=DIFFER)
        done = self.run_roundel("accept", "--add", "red", code=DIFFER)
        self.assertEqual(done.stdout, "red.png: stored in goldens\n")
        self.assertIn("--add: expected NAME or --all", self.run_roundel("accept", "--add", code=2).stderr)

    def test_a_scene_whose_golden_would_be_another_of_a_second_scene_is_refused(self):
        self.write("red.alt-1.yaml", RED)
        done = self.run_roundel("regress", "red.yaml", "red.alt-1.yaml", "--goldens", "goldens", code=NOT_COMPARED)
        self.assertEqual(done.stderr, "roundel: red.alt-1.yaml: its golden red.alt-1.png would be another golden of red.yaml\n")

    def test_frames_drawn_side_by_side_are_those_of_the_film(self):
        self.write("balls.yaml", "version: 1\nimage: {width: 24, height: 16}\nlayers: [{generator: bouncingballs}]\n"
                                 "animation: {fps: 60, frames: 40}\n")
        self.write("red.yaml", RED.replace("frames: 3", "frames: 40"))
        scenes = ("balls.yaml", "red.yaml")
        self.regress("--frames", "all", code=DIFFER, scenes=scenes)
        for name in ("balls", "red"):
            os.mkdir(self.path(f"{name}-film"))
            self.run_roundel("render", f"{name}.yaml", "--frames", "all", "--backend", "cpu",
                             "-o", f"{name}-film/####.png", code=0)
            for i in range(40):
                self.assertEqual(self.read(f"regress-output/actual/{name}/{i:04}.png"), self.read(f"{name}-film/{i:04}.png"))


class Floats(RegressCase):
    def setUp(self):
        super().setUp()
        self.scenes = {"scenes": ("red.yaml",)}

    def accept_exr(self):
        text = self.regress("--format", "exr", code=DIFFER, **self.scenes)
        self.assertIn("red.exr: new: there is no golden goldens/red.exr", text)
        self.run_roundel("render", "red.yaml", "-o", "want.exr", "--backend", "cpu", code=0)
        self.assertEqual(self.read("regress-output/actual/red.exr"), self.read("want.exr"))
        self.run_roundel("accept", "red", code=DIFFER)
        self.assertEqual(self.files("goldens"), ["red.exr"])

    def test_a_golden_of_floats_shows_what_8_bits_hide(self):
        self.write("red.yaml", SCENE.replace("alpha: 1", "alpha: 0.5") % "#0000ff")
        self.accept_exr()
        self.assertEqual(self.regress("--strict", code=SAME, **self.scenes), "1 picture: 1 same\n")
        self.write("red.yaml", SCENE.replace("alpha: 1", "alpha: 0.5") % "#0000fe")
        line = self.regress(code=DIFFER, **self.scenes).splitlines()[0]
        self.assertRegex(line, r"^red\.exr: differs: \d+ pixels differ, at most 0 may; the scene changed")
        self.assertEqual(self.files("regress-output"), ["actual/red.exr", "diff/red.exr.png", "pending.json"])
        self.write("goldens/goldens.yaml", 'version: 1\ntolerances: [{pictures: "*.exr", max-delta: 0.01}]\n')
        self.assertIn("red.exr: same", self.regress(code=SAME, **self.scenes))
        # What the run before has left is gone but for what can be accepted.
        self.assertEqual(self.files("regress-output"), [])

    def test_a_png_golden_comes_first_and_format_says_otherwise(self):
        self.accept_exr()
        self.regress("--format", "png", code=DIFFER, **self.scenes)
        self.run_roundel("accept", "red.png", code=DIFFER)
        self.assertIn("1 golden in goldens of no picture of this run: red.exr", self.regress(code=SAME, **self.scenes))
        self.regress("--strict", code=DIFFER, **self.scenes)
        self.run_roundel("accept", "--prune", code=DIFFER)
        self.assertEqual(self.files("goldens"), ["red.png"])

    def test_frames_renames_other_goldens_and_hashes(self):
        film = ("--frames", "0-1", "--format", "exr")
        self.regress(*film, code=DIFFER, **self.scenes)
        self.run_roundel("accept", "--all", code=DIFFER)
        self.assertEqual(self.files("goldens"), ["red/0000.exr", "red/0001.exr"])
        self.assertEqual(self.regress("--frames", "0-1", code=SAME, **self.scenes), "2 pictures: 2 same\n")
        shutil.rmtree(self.path("goldens/red"))
        self.accept_exr()
        shutil.copy(self.path("red.yaml"), self.path("rot.yaml"))
        self.assertIn("goldens/red.exr is of this scene and frame, under another name",
                      self.regress("--format", "exr", code=DIFFER, scenes=("rot.yaml",)))
        self.write("red.yaml", BLUE)
        self.regress(code=DIFFER, **self.scenes)
        self.run_roundel("accept", "--add", "red", code=DIFFER)
        self.assertEqual(self.files("goldens"), ["red.alt-1.exr", "red.exr"])
        self.assertEqual(self.regress(code=SAME, **self.scenes), "1 picture: 1 same\n")
        shutil.rmtree(self.path("goldens"))
        os.mkdir(self.path("goldens"))
        self.regress("--format", "exr", code=DIFFER, **self.scenes)
        self.run_roundel("accept", "--all", "--hashes", code=DIFFER)
        self.assertEqual(self.files("goldens"), ["goldens.lock"])
        for option in ((), ("--format", "exr")):
            self.assertEqual(self.regress(*option, code=SAME, **self.scenes), "1 picture: 1 same\n")

    def test_only_sound_exr_files_are_accepted(self):
        self.regress("--format", "exr", code=DIFFER, **self.scenes)
        whole = self.read("regress-output/actual/red.exr")
        self.run_roundel("render", "red.yaml", "-o", "a.png", code=0)
        for bytes_ in (whole[:len(whole) // 2], b"", self.read("a.png")):
            with open(self.path("regress-output/actual/red.exr"), "wb") as file:
                file.write(bytes_)
            self.run_roundel("accept", "red", code=NOT_COMPARED)
            self.assertEqual(self.files("goldens"), [])


class Hashes(RegressCase):
    def lock_all(self):
        self.regress(code=DIFFER)
        return self.run_roundel("accept", "--all", "--hashes", code=DIFFER).stdout

    def test_hashes_are_goldens_without_pictures(self):
        self.assertIn("red.png: stored in goldens as a hash in goldens.lock\n", self.lock_all())
        self.assertEqual(self.files("goldens"), ["goldens.lock"])
        lock = self.read("goldens/goldens.lock").decode()
        self.assertRegex(lock, r'  - \{picture: "red.png", pixels: "24x16 [0-9a-f]{32}", fingerprint: "[0-9a-f]{32}", frame: 0\}\n')
        self.run_roundel("verify", "regress-output/actual/red.png", "--frames", "0", "--manifest", "hashes", code=0)
        self.assertIn(self.read("hashes").decode().split()[2], lock)
        self.assertEqual(self.regress("--strict", code=SAME), "2 pictures: 2 same\n")
        self.write("red.yaml", BLUE)
        line = self.regress("--report", "report", "--json", "r.json", "--junit", "j.xml", "--markdown", "s.md",
                            code=DIFFER).splitlines()[0]
        self.assertEqual(line, "red.png: differs: its pixels have not the hash at goldens/goldens.lock:5; "
                               "the scene changed: the golden has another fingerprint")
        self.assertEqual(self.files("regress-output"), ["actual/red.png", "pending.json"])
        self.run_roundel("report", "r.json", "--report", "again", code=DIFFER)

    def test_accept_keeps_what_a_golden_is(self):
        self.lock_all()
        self.write("red.yaml", BLUE)
        self.regress(code=DIFFER)
        for code, what in ((DIFFER, "replaced in goldens"), (SAME, "is the golden already")):
            self.assertEqual(self.run_roundel("accept", "red", code=code).stdout,
                             f"red.png: {what} as a hash in goldens.lock\n")
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")

    def test_a_picture_becomes_a_hash_and_back(self):
        self.accept_all()
        self.write("red.yaml", BLUE)
        self.regress(code=DIFFER)
        self.run_roundel("accept", "--hashes", "red", code=DIFFER)
        self.assertEqual(self.files("goldens"), ["deux bleus é.png", "goldens.lock"])
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")
        # Beside a hash another golden may be a picture.
        self.write("red.yaml", RED)
        self.regress(code=DIFFER)
        self.run_roundel("accept", "--add", "red", code=DIFFER)
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")
        self.assertEqual(self.files("goldens"), ["deux bleus é.png", "goldens.lock", "red.alt-1.png"])
        self.write("red.yaml", BLUE)  # the hash counts still
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")

    def test_what_is_not_written_is_not_said_to_be(self):
        self.regress(code=DIFFER)
        os.symlink("nowhere", self.path("goldens/goldens.lock"))
        done = self.run_roundel("accept", "--all", "--hashes", code=NOT_COMPARED)
        self.assertEqual(done.stdout, "")
        self.assertIn("goldens.lock: expected a file; links are not followed", done.stderr)

    def test_pictures_are_kept_apart_from_the_goldens(self):
        said = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", "--output", "goldens/out",
                                code=NOT_COMPARED).stderr
        self.assertIn('--output: expected a folder apart from the goldens in goldens, got "goldens/out"', said)

    def test_the_fingerprint_is_kept_too(self):
        self.lock_all()
        self.write("red.yaml", RED.replace("layers:", "seed: 7\nlayers:"))
        text = self.regress(code=SAME)
        self.assertIn("1 golden has the right pixels but not the fingerprint of the scene; to store it: roundel accept red.png", text)
        self.run_roundel("accept", "red.png", code=DIFFER)
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")
        os.rename(self.path("red.yaml"), self.path("rot.yaml"))
        scenes = ("rot.yaml", "deux bleus é.yaml")
        text = self.regress("--strict", code=DIFFER, scenes=scenes)
        self.assertIn("rot.png: new: there is no golden goldens/rot.png, goldens/red.png is of this scene and frame", text)
        self.assertIn("red.png: missing: no scene of this run draws it", text)
        done = self.run_roundel("accept", "--all", "--hashes", "--prune", code=DIFFER)
        self.assertIn("red.png: removed from goldens\n", done.stdout)
        self.assertEqual(self.regress("--strict", code=SAME, scenes=scenes), "2 pictures: 2 same\n")
        self.assertNotIn(b"red.png", self.read("goldens/goldens.lock"))

    def test_a_damaged_lock_is_an_error_with_its_place(self):
        self.lock_all()
        sound = self.read("goldens/goldens.lock").decode()
        for damage, problem in (
                (lambda text: text.replace('red.png', '../red.png'), '5:15: goldens[1].picture: expected a picture\'s path within the folder, got "../red.png"'),
                (lambda text: text.replace('red.png', 'deux bleus é.png'), "5:15: goldens[1].picture: expected each picture once"),
                (lambda text: text.replace('pixels: "24x16 ', 'pixels: "24x16 g'), "goldens[0].pixels: expected WIDTHxHEIGHT and 32 hex digits"),
                (lambda text: text.replace("frame: 0}", "frame: 0", 1), "not valid YAML"),
                (lambda text: text.replace("<<<", "") + "<<<<<<< HEAD\n", "goldens.lock:7:1: not valid YAML"),
                (lambda text: text.replace("version: 1", "version: 2"), "2:10: version: expected 1")):
            self.write("goldens/goldens.lock", damage(sound))
            with self.subTest(problem):
                for arguments in (("regress", "red.yaml", "--goldens", "goldens"), ("accept", "--all")):
                    if arguments[0] == "accept" and not os.path.exists(self.path("regress-output/pending.json")):
                        continue
                    self.assertIn(problem, self.run_roundel(*arguments, code=NOT_COMPARED).stderr)

    def test_no_result_replaces_the_lock(self):
        self.lock_all()
        done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", "--json", "goldens/goldens.lock", code=NOT_COMPARED)
        self.assertIn("goldens/goldens.lock", done.stderr)
        self.assertIn("expected either --add or --hashes", self.run_roundel("accept", "--add", "--hashes", "--all", code=2).stderr)


class SceneFolders(RegressCase):
    def setUp(self):
        super().setUp()
        for folder in ("scenes/a/deep", "scenes/b", "scenes/goldens"):
            os.makedirs(self.path(folder))
        self.write("scenes/a/logo.yaml", RED)
        self.write("scenes/b/logo.yaml", BLUE)
        self.write("scenes/a/deep/logo.yaml", BLUE)
        self.write("scenes/top.yaml", RED)
        self.write("scenes/notes.txt", "no scene")
        self.write("scenes/goldens/goldens.yaml", "version: 1\ntolerances: []\n")
        self.write("scenes/goldens/old.yaml", RED)

    def test_goldens_lie_in_the_folders_of_their_scenes(self):
        run = ("regress", "scenes", "--goldens", "scenes/goldens", "--strict")
        lines = self.run_roundel(*run, code=DIFFER).stdout.splitlines()
        self.assertEqual(lines[:5], [f"{name}.png: new: there is no golden scenes/goldens/{name}.png"
                                     for name in ("a/deep/logo", "a/logo", "b/logo", "top")]
                         + ["4 pictures: 0 same, 4 new"])
        self.run_roundel("accept", "--all", code=DIFFER)
        self.assertEqual(self.run_roundel(*run, code=SAME).stdout, "4 pictures: 4 same\n")
        self.assertNotEqual(self.read("scenes/goldens/a/logo.png"), self.read("scenes/goldens/b/logo.png"))
        text = self.run_roundel("regress", "scenes/", "red.yaml", "--goldens", "scenes/goldens", code=DIFFER).stdout
        self.assertIn("red.png: new", text)

    def test_films(self):
        run = ("regress", "scenes", "--frames", "0-1", "--goldens", "scenes/goldens", "--strict")
        self.run_roundel(*run, code=DIFFER)
        self.run_roundel("accept", "--all", code=DIFFER)
        self.assertEqual(self.run_roundel(*run, code=SAME).stdout, "8 pictures: 8 same\n")
        self.assertIn("a/deep/logo/0001.png", self.files("scenes/goldens"))
        self.write("scenes/a/deep/logo.yaml", BAD)  # its goldens are not unused
        self.assertIn("7 pictures: 6 same, 1 not compared", self.run_roundel(*run, code=NOT_COMPARED).stdout)

    def test_folders_without_scenes_are_refused(self):
        os.mkdir(self.path("empty"))
        done = self.run_roundel("regress", "empty", "--goldens", "goldens", code=NOT_COMPARED)
        self.assertEqual(done.stderr, "roundel: empty: expected scenes, files that end in .yaml, in this folder or below\n")

    def refused(self, *scenes):
        return self.run_roundel("regress", *scenes, "--goldens", "goldens", code=NOT_COMPARED).stderr

    def test_names_that_are_one_file_on_some_systems_are_refused(self):
        self.assertEqual(self.refused("scenes/a", "scenes/b"), "roundel: scenes/a/logo.yaml and scenes/b/logo.yaml "
                                                               "would both have the golden logo.png\n")
        self.write("scenes/Top.yaml", RED)
        self.assertEqual(self.refused("scenes"),
                         "roundel: scenes/Top.yaml and scenes/top.yaml would both have the golden top.png "
                         "where file systems do not tell case apart: Top and top\n")
        self.assertIn("do not tell case apart", self.refused("scenes/Top.yaml", "scenes/top.yaml", "--frames", "0"))
        os.makedirs(self.path("greek"))
        self.write("greek/ΣΊΣΥΦΟΣ.yaml", RED)
        self.write("greek/σίσυφος.yaml", RED)
        self.assertIn("do not tell case apart", self.refused("greek"))

    def test_the_forms_of_unicode(self):
        os.makedirs(self.path("accents"))
        composed, apart = "caf\u00e9", "cafe\u0301"
        self.write(f"accents/{composed}.yaml", RED)
        self.run_roundel("regress", "accents", "--goldens", "goldens", code=DIFFER)
        self.write(f"accents/{apart}.yaml", RED)
        self.assertIn("where file systems do not tell the forms of Unicode apart: cafe\\u{301} and caf\\u{e9}\n",
                      self.refused("accents"))
        for folder, name in (("A", composed), ("B", apart)):
            os.makedirs(self.path(folder))
            self.run_roundel("render", "red.yaml", "-o", f"{folder}/{name}.png", code=0)
            self.run_roundel("render", "red.yaml", "-o", f"{folder}/{folder}.png", code=0)
        self.assertEqual(self.run_roundel("diff", "A", "B", code=DIFFER).stdout.splitlines(), [
            "A.png: missing: there is no B/A.png",
            "B.png: new: there is no golden A/B.png",
            f"{apart}.png: new: there is no golden A/{apart}.png, A/{composed}.png has this name in another form of "
            "Unicode: cafe\\u{301}.png is not caf\\u{e9}.png",
            f"{composed}.png: missing: there is no B/{composed}.png, B/{apart}.png has this name in another form of "
            "Unicode: caf\\u{e9}.png is not cafe\\u{301}.png",
            "4 pictures: 0 same, 2 new, 2 missing"])


class ForeignFolders(RegressCase):
    """What lies in the folder of a run may come from anywhere: a pull request's artifact, say."""

    def plant(self, goldens, names, **actual):
        os.makedirs(self.path("regress-output/actual"), exist_ok=True)
        with open(self.path("regress-output/pending.json"), "w", encoding="utf-8") as file:
            json.dump({"goldens": goldens, "names": names}, file)
        for name, data in actual.items():
            with open(self.path(f"regress-output/actual/{name}.png"), "wb") as file:
                file.write(data)

    def picture(self):
        self.run_roundel("render", "red.yaml", "-o", "picture.png", code=SAME)
        return self.read("picture.png")

    def refused(self, message, *arguments):
        before = self.snapshot()
        done = self.run_roundel("accept", "--all", *arguments, code=NOT_COMPARED)
        self.assertIn(message, done.stderr)
        self.assertEqual(self.snapshot(), before)

    def test_only_pngs_are_accepted(self):
        os.mkdir(self.path("ssh"))
        self.plant("../ssh", ["authorized_keys"])
        self.write("regress-output/actual/authorized_keys", "ssh-rsa EVIL")
        self.refused('expected paths of PNG or EXR files within the folder of goldens, got "authorized_keys"')
        self.plant("../ssh", ["k.png", "cut.png", "more.png"], k=b"ssh-rsa EVIL", cut=self.picture()[:-20],
                   more=self.picture() + b"ssh-rsa EVIL")
        self.refused("k.png: not a sound PNG")

    def test_goldens_are_stored_in_the_working_directory_or_where_one_says(self):
        outside = tempfile.mkdtemp(prefix="roundel_regress_outside_")
        self.addCleanup(shutil.rmtree, outside)
        os.symlink(outside, self.path("link"))
        for goldens in (outside, "../link", "../" * 20 + outside, "../goldens/../../" + os.path.basename(outside)):
            self.plant(goldens, ["k.png"], k=self.picture())
            self.refused("is not in the working directory; --goldens DIR says which it is")
        self.assertEqual(os.listdir(outside), [])
        done = self.run_roundel("accept", "--all", "--goldens", outside, code=DIFFER)
        self.assertEqual(done.stdout, f"k.png: stored in {outside}\n")
        self.assertEqual(os.listdir(outside), ["k.png"])

    def test_a_missing_folder_of_goldens_is_not_made(self):
        self.plant("../golden", ["k.png"], k=self.picture())
        self.refused('the folder of goldens that it names, "../golden", is not there; --goldens DIR says which it is')
        self.refused('--goldens: expected a folder, got "golden"', "--goldens", "golden")

    def test_accept_follows_no_link(self):
        self.write("secret", "mine")
        picture = self.picture()
        os.mkdir(self.path("elsewhere"))
        self.plant("../goldens", ["k.png"])
        os.symlink("../../picture.png", self.path("regress-output/actual/k.png"))
        self.refused("regress-output/actual/k.png: expected a file; links are not followed")
        self.plant("../goldens", ["film/k.png"])
        os.symlink("../..", self.path("regress-output/actual/film"))
        self.refused("regress-output/actual/film: expected a folder; links are not followed")
        self.plant("../goldens", ["j.png"], j=picture)
        os.symlink("../secret", self.path("goldens/j.png"))
        self.refused("goldens/j.png: expected a file; links are not followed")
        os.symlink("../elsewhere", self.path("goldens/down"))
        self.plant("../goldens", ["down/k.png"])
        os.mkdir(self.path("regress-output/actual/down"))
        shutil.copy(self.path("picture.png"), self.path("regress-output/actual/down/k.png"))
        self.refused("goldens/down: expected a folder; links are not followed")

    def test_regress_removes_nothing_through_links_and_nothing_but_pictures(self):
        self.accept_all()
        os.mkdir(self.path("precious"))
        for name in ("thesis.docx", "red.png", "photo.png"):
            self.write("precious/" + name, "precious")
        shutil.rmtree(self.path("regress-output"))
        os.mkdir(self.path("regress-output"))
        os.symlink("../precious", self.path("regress-output/actual"))
        for names in (["thesis.docx"], ["photo.png"], ["thesis.docx", "photo.png"]):
            self.write("regress-output/pending.json", json.dumps({"goldens": "../goldens", "names": names}))
            self.regress(code=SAME)
            self.assertEqual(self.files("precious"), ["photo.png", "red.png", "thesis.docx"])

    def test_regress_writes_through_no_link(self):
        self.accept_all()
        shutil.rmtree(self.path("regress-output"))
        self.write("red.yaml", BLUE)
        self.write("precious", "mine")
        for link, target in (("actual", "../aside"), ("diff", "../aside"), ("actual/red.png", "../../precious"),
                             ("diff/red.png", "../../precious"), ("pending.json", "../precious")):
            os.makedirs(self.path("aside"))
            os.makedirs(os.path.dirname(self.path("regress-output/" + link)))
            os.symlink(target, self.path("regress-output/" + link))
            text = self.regress(code=NOT_COMPARED)
            self.assertIn(f"red.png: not compared: regress-output/{link}: expected a ", text)
            self.assertEqual((self.read("precious"), os.listdir(self.path("aside"))), (b"mine", []))
            shutil.rmtree(self.path("regress-output"))
            os.rmdir(self.path("aside"))

    def test_what_ci_has_drawn_is_accepted_in_another_checkout(self):
        self.accept_all()
        self.write("red.yaml", BLUE)
        os.mkdir(self.path("ci"))
        shutil.copytree(self.path("goldens"), self.path("ci/goldens"))
        shutil.copy(self.path("red.yaml"), self.path("ci/red.yaml"))
        self.run_roundel("regress", self.path("ci/red.yaml"), "--goldens", self.path("ci/goldens"), "--output",
                         self.path("ci/regress-output"), code=DIFFER)
        shutil.rmtree(self.path("regress-output"))
        os.rename(self.path("ci/regress-output"), self.path("regress-output"))
        shutil.rmtree(self.path("ci"))
        drawn = self.read("regress-output/actual/red.png")
        done = self.run_roundel("accept", "red", code=DIFFER)
        self.assertEqual(done.stdout, "red.png: replaced in goldens\n")
        self.assertEqual(self.read("goldens/red.png"), drawn)
        self.assertFalse(os.path.exists(self.path("ci")))
        shutil.rmtree(self.path("goldens"))  # a checkout without goldens
        self.refused("is not there; --goldens DIR says which it is")

    def test_the_printed_command_names_goldens_outside_the_working_directory(self):
        outside = tempfile.mkdtemp(prefix="roundel_regress_outside_")
        self.addCleanup(shutil.rmtree, outside)
        text = self.run_roundel("regress", "red.yaml", "--goldens", outside, code=DIFFER).stdout
        self.assertIn(f"roundel accept --goldens {outside} red.png\n", text)
        self.run_roundel("accept", "--goldens", outside, "red.png", code=DIFFER)
        self.assertEqual(os.listdir(outside), ["red.png"])

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "pictures are compared while others are drawn on two cores only")
    def test_a_run_that_was_killed_leaves_nothing_to_the_next(self):
        self.accept_all()
        self.write("red.yaml", BLUE)
        self.write("slow.yaml", "version: 1\nlayers:\n  - random: {count: 300000000, radius: 0.00001}\n")
        process = subprocess.Popen([ROUNDEL, "regress", "red.yaml", "slow.yaml", "--goldens", "goldens",
                                    "--backend", "cpu"], cwd=self.folder, stdout=subprocess.DEVNULL)
        while not os.path.exists(self.path("regress-output/diff/red.png")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.kill()
        process.wait()
        done = self.run_roundel("accept", "--all", code=NOT_COMPARED)
        self.assertIn("regress-output/pending.json: the run has not come to its end", done.stderr)
        self.write("regress-output/actual/notes.png", "mine")
        self.write("regress-output/actual/.roundel-1-1.tmp", "half a picture")
        self.write("red.yaml", RED)
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")
        self.assertEqual(self.files("regress-output"), ["actual/notes.png"])

    def test_an_unreadable_list_keeps_no_run_from_being_made(self):
        self.accept_all()
        os.makedirs(self.path("regress-output"), exist_ok=True)
        for text in ("", "{", '{"goldens": "g", "names": ["../x.png"]}'):
            self.write("regress-output/pending.json", text)
            done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", code=SAME)
            self.assertRegex(done.stderr, "regress-output/pending.json: expected .* may stay in regress-output")
            done = self.run_roundel("accept", "--all", code=NOT_COMPARED)
            self.assertIn("regress-output/pending.json: expected ", done.stderr)
        self.write("red.yaml", BLUE)
        self.regress(code=DIFFER)
        self.run_roundel("accept", "red", code=DIFFER)


class Inputs(RegressCase):
    """No output replaces what the command reads, by whatever name."""

    def setUp(self):
        super().setUp()
        self.accept_all()
        shutil.rmtree(self.path("regress-output"))
        self.write("goldens/goldens.yaml", "version: 1\ntolerances: []\n")
        with open(self.path("d.npy"), "wb") as file:
            header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }"
            header += b" " * (117 - len(header)) + b"\n"
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<3f", 0, 0, 1))
        self.write("data.yaml", "version: 1\nlayers: [{data: d.npy, columns: [x, y, radius]}]\n")
        os.symlink("goldens/red.png", self.path("link.xml"))
        os.link(self.path("d.npy"), self.path("hard.json"))

    def refused(self, *arguments, message):
        before = self.snapshot()
        done = self.run_roundel(*arguments, code=NOT_COMPARED)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.snapshot(), before)

    def test_regress(self):
        for option, path in (("--junit", "goldens/red.png"), ("--json", "red.yaml"), ("--json", "./data.yaml"),
                             ("--json", "d.npy"), ("--json", "hard.json"), ("--junit", "link.xml"),
                             ("--junit", "goldens/goldens.yaml"), ("--json", self.path("goldens/deux bleus é.png"))):
            self.refused("regress", "red.yaml", "data.yaml", "--goldens", "goldens", option, path,
                         message=f"{path}: would replace ")
        self.refused("regress", "data.yaml", "--goldens", "goldens", "--json", "goldens/data.png",
                     message="goldens/data.png: would be a golden")
        self.write("bad.yaml", BAD)
        self.refused("regress", "bad.yaml", "--goldens", "goldens", "-q", "--json", "bad.yaml",
                     message="bad.yaml: would replace a file, which this command reads")
        self.refused("regress", "red.yaml", "--goldens", "goldens", "--manifest", "link.xml", "--junit", "goldens/red.png",
                     message="goldens/red.png: would replace ")
        os.mkdir(self.path("page"))
        self.write("page/index.html", SCENE % "#00ff00")
        self.refused("regress", "page/index.html", "--goldens", "goldens", "--report", "page",
                     message="page/index.html: would replace a file, which this command reads")

    def test_the_folder_for_what_differs(self):
        for folder in ("goldens", "./goldens/", self.path("goldens")):
            self.refused("regress", "red.yaml", "--goldens", "goldens", "--output", folder,
                         message="--output: expected another folder than that of the goldens")
        os.symlink("goldens", self.path("other"))
        self.refused("regress", "red.yaml", "--goldens", "goldens", "-o", "other", message="--output: expected another")
        os.makedirs(self.path("out/actual"))
        shutil.copytree(self.path("goldens"), self.path("out/actual/goldens"))
        self.refused("regress", "red.yaml", "--goldens", "out/actual/goldens", "-o", "out",
                     message="expected nothing in out/actual, where this command keeps pictures")
        self.write("out/actual/red.png", SCENE % "#00ff00")  # a scene of that name
        self.write("out/pending.json", '{"goldens": "../goldens", "names": ["red.png"]}')
        self.refused("regress", "out/actual/red.png", "--goldens", "goldens", "-o", "out",
                     message="expected nothing in out/actual")
        self.refused("regress", "out/pending.json", "--goldens", "goldens", "-o", "out",
                     message="out/pending.json: would replace ")

    def test_two_outputs_into_one_file(self):
        for arguments in (("--json", "r", "--junit", "./r"), ("--json", "out/pending.json", "--output", "out"),
                          ("--junit", "r/index.html", "--report", "r")):
            self.refused("regress", "red.yaml", "--goldens", "goldens", *arguments,
                         message="expected a file for each output, got it for two")
        self.regress("--json", "/dev/null", "--junit", "/dev/null", code=SAME)

    def test_diff_of_folders(self):
        shutil.copytree(self.path("goldens"), self.path("now"))
        for option, path in (("--json=", "now/red.png"), ("--junit=", "goldens/red.png"), ("--junit=", "link.xml"),
                             ("--junit=", "goldens/goldens.yaml")):
            self.refused("diff", "goldens", "now", option + path, message=f"{path}: would replace ")
        self.refused("diff", "goldens", "now", "--json=r", "--junit", "r", message="r: expected a file for each output")
        os.mkdir(self.path("page"))
        self.write("page/index.html", "version: 1\ntolerances: []\n")
        self.refused("diff", "goldens", "now", "--manifest", "page/index.html", "--report", "page",
                     message="page/index.html: would replace ")

    def test_diff_of_two_files(self):
        shutil.copy(self.path("goldens/red.png"), self.path("a.png"))
        shutil.copy(self.path("goldens/deux bleus é.png"), self.path("b.png"))
        shutil.copy(self.path("a.png"), self.path("a.json"))
        os.symlink("a.png", self.path("link.png"))
        for arguments in (("a.png", "b.png", "--diff-image", "a.png"), ("a.png", "b.png", "--diff-image", "./b.png"),
                          ("a.png", "b.png", "--diff-image", "link.png"), ("a.json", "b.png", "--json", "a.json"),
                          ("b.png", "a.json", "--json=a.json")):
            self.refused("diff", *arguments, message=": would replace ")
        self.refused("diff", "a.png", "b.png", "--diff-image", "d.png", "--json=d.png", message="d.png: expected a file for each")
        self.refused("diff", "--explain", "red.yaml", "data.yaml", "--json=d.npy", message="d.npy: would replace ")
        self.refused("diff", "--explain", "red.yaml", "data.yaml", "--json=red.yaml", message="red.yaml: would replace ")


class StaleResults(RegressCase):
    """A run that fails leaves no verdict of the run before."""

    RESULTS = ("--junit", "junit.xml", "--json", "run.json", "--report", "report")

    def setUp(self):
        super().setUp()
        self.accept_all()
        self.regress(*self.RESULTS, code=SAME)

    def are_gone(self):
        return [name for name in ("junit.xml", "run.json", "report/index.html") if os.path.exists(self.path(name))] == []

    def test_a_broken_scene_is_one_error_and_the_rest_run(self):
        self.write("typo.yaml", "version: 1\nbackgroud: 1\nlayer: []\n")
        text = self.regress(*self.RESULTS, code=NOT_COMPARED, scenes=("typo.yaml", "red.yaml", "none.yaml"))
        self.assertIn("3 pictures: 1 same, 2 not compared\n", text)
        suite = xml.parse(self.path("junit.xml")).getroot().find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), ("3", "0", "2"))
        self.assertEqual([(case.get("name"), case[0].tag) for case in suite],
                         [("none.png", "error"), ("red.png", "system-out"), ("typo.png", "error")])
        self.assertIn('unknown key "backgroud"', suite[2][0].text)
        self.assertIn('unknown key "layer"', suite[2][0].text)
        run = json.loads(self.read("run.json"))
        self.assertEqual([picture["state"] for picture in run["pictures"]], ["not compared", "same", "not compared"])
        self.assertGreaterEqual(len(run["pictures"][2]["reasons"]), 2)
        self.assertIn("typo.png", self.read("report/index.html").decode())

    def test_a_broken_scene_of_a_film_is_one_error(self):
        self.write("typo.yaml", BAD)
        text = self.regress("--frames", "0-1", code=NOT_COMPARED, scenes=("typo.yaml", "red.yaml"))
        self.assertIn("typo/: not compared: typo.yaml:1:10: ", text)
        self.assertIn("3 pictures: 0 same, 2 new, 1 not compared\n", text)

    def test_what_fails_before_anything_is_drawn_leaves_no_old_results(self):
        self.write("goldens/goldens.yaml", "version: 2\n")
        self.regress(*self.RESULTS, code=NOT_COMPARED)
        self.assertTrue(self.are_gone())
        os.remove(self.path("goldens/goldens.yaml"))
        self.regress(*self.RESULTS, code=SAME)
        self.run_roundel("regress", "red.yaml", "--goldens", "nowhere", *self.RESULTS, code=NOT_COMPARED)
        self.assertTrue(self.are_gone())

    def test_a_killed_run_leaves_no_old_results(self):
        self.write("slow.yaml", "version: 1\nlayers:\n  - random: {count: 300000000, radius: 0.00001}\n")
        process = subprocess.Popen([ROUNDEL, "regress", "slow.yaml", "--goldens", "goldens", "--backend", "cpu",
                                    *self.RESULTS], cwd=self.folder, stdout=subprocess.DEVNULL)
        while not self.are_gone():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.kill()
        process.wait()
        self.assertTrue(self.are_gone())

    def test_diff(self):
        os.mkdir(self.path("now"))
        self.run_roundel("diff", "goldens", "goldens", "--junit", "junit.xml", "--json=run.json", "--report", "report", code=SAME)
        for other in ("now", "nowhere"):
            self.regress(*self.RESULTS, code=SAME)
            self.write("goldens/goldens.yaml", "version: 2\n" if other == "now" else "version: 1\ntolerances: []\n")
            self.run_roundel("diff", "goldens", other, "--junit", "junit.xml", "--json=run.json", "--report", "report",
                             code=NOT_COMPARED)
            self.assertTrue(self.are_gone())
            os.remove(self.path("goldens/goldens.yaml"))
        self.run_roundel("diff", "goldens/red.png", "goldens/deux bleus é.png", "--json", "run.json", "--diff-image", "d.png",
                         code=DIFFER)
        self.run_roundel("diff", "goldens/red.png", "none.png", "--json", "run.json", "--diff-image", "d.png", code=NOT_COMPARED)
        self.assertFalse(os.path.exists(self.path("run.json")) or os.path.exists(self.path("d.png")))
        self.write("red2.yaml", BLUE)
        self.run_roundel("diff", "--explain", "red.yaml", "red2.yaml", "--json", "run.json", code=DIFFER)
        self.run_roundel("diff", "--explain", "red.yaml", "none.yaml", "--json", "run.json", code=NOT_COMPARED)
        self.assertFalse(os.path.exists(self.path("run.json")))

    def test_what_is_not_ours_stays(self):
        self.write("report/index.html", "<p>mine</p>")
        self.write("report/pictures/000007.js", "mine")
        self.write("report/notes.txt", "mine")
        os.rename(self.path("run.json"), self.path("kept.json"))
        os.symlink("kept.json", self.path("run.json"))
        self.run_roundel("diff", "goldens", "goldens", "--junit", "junit.xml", "red.png", code=NOT_COMPARED)
        self.assertFalse(self.are_gone())  # a wrong command line removes nothing
        done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", *self.RESULTS, code=NOT_COMPARED)
        self.assertIn("report/index.html: exists and is no report of roundel's", done.stderr)
        self.assertEqual((self.read("report/index.html"), self.read("report/pictures/000007.js"),
                          self.read("report/notes.txt")), (b"<p>mine</p>", b"mine", b"mine"))
        os.chmod(self.path("junit.xml"), 0o444)
        self.write("goldens/goldens.yaml", "version: 2\n")
        self.regress("--junit", "junit.xml", code=NOT_COMPARED)
        self.assertTrue(os.path.exists(self.path("junit.xml")) or os.getuid() == 0)
        self.assertTrue(os.path.islink(self.path("run.json")))
        self.assertEqual(json.loads(self.read("kept.json"))["counts"]["same"], 1)

    def test_one_unwritable_output_does_not_cost_the_others(self):
        done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", "--json", "none/run.json", "--junit",
                                "none/junit.xml", "--report", "report", code=NOT_COMPARED)
        self.assertIn("none/run.json: cannot write", done.stderr)
        self.assertIn("none/junit.xml: cannot write", done.stderr)
        self.assertIn("report/index.html", self.files("."))
        shutil.rmtree(self.path("regress-output"))
        os.mkdir(self.path("regress-output"))
        os.symlink("nowhere", self.path("regress-output/pending.json"))
        self.write("red.yaml", BLUE)
        self.regress("--junit", "junit.xml", code=NOT_COMPARED)
        self.assertEqual(xml.parse(self.path("junit.xml")).getroot().get("errors"), "1")
        done = self.run_roundel("diff", "goldens/red.png", "goldens/deux bleus é.png", "--diff-image", "none/d.png",
                                "--json", "d.json", code=NOT_COMPARED)
        self.assertIn("differ: ", done.stdout)
        self.assertFalse(json.loads(self.read("d.json"))["same"])

    def test_a_fifo_under_the_name_of_the_report_is_not_waited_for(self):
        os.remove(self.path("report/index.html"))
        os.mkfifo(self.path("report/index.html"))
        done = self.run_roundel("diff", "goldens", "goldens", "--report", "report", code=NOT_COMPARED)
        self.assertIn("report/index.html: exists and is no report of roundel's", done.stderr)


class Names(RegressCase):
    def test_stems_of_dots_are_refused(self):
        for name in ("..yaml", "...yaml", "....yaml"):
            self.write(name, RED)
            for frames in ((), ("--frames", "0-1")):
                done = self.run_roundel("regress", name, "--goldens", "goldens", *frames, code=NOT_COMPARED)
                self.assertIn(f"{name}: expected a name of more than dots before its ending", done.stderr)
        self.assertEqual(self.files("regress-output"), [])

    def test_the_printed_command_works_for_names_that_begin_with_a_dash(self):
        self.write("-rf.yaml", RED)
        self.write("-q.yaml", BLUE)
        bin_folder = tempfile.mkdtemp(prefix="roundel_regress_bin_")
        self.addCleanup(shutil.rmtree, bin_folder)
        os.symlink(ROUNDEL, os.path.join(bin_folder, "roundel"))
        environment = dict(os.environ, PATH=bin_folder + ":" + os.environ["PATH"])
        text = self.run_roundel("regress", "--goldens", "goldens", "--output=-out", "--report", "report", "--",
                                "-rf.yaml", "-q.yaml", code=DIFFER).stdout
        command = text.splitlines()[-1].split(": ", 1)[1]
        self.assertIn("roundel accept --output ./-out -- -q.png", self.read("report/index.html").decode())
        done = subprocess.run(command, shell=True, cwd=self.folder, env=environment, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (DIFFER, b""), command)
        self.assertEqual(self.files("goldens"), ["-q.png", "-rf.png"])

    def test_quiet_tells_what_could_not_be_compared(self):
        self.accept_all()
        self.write("goldens/red.png", "no picture")
        self.write("bad.yaml", BAD)
        done = self.run_roundel("regress", "-q", "red.yaml", "deux bleus é.yaml", "bad.yaml", "--goldens", "goldens",
                                code=NOT_COMPARED)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.splitlines(), [
            "bad.png: not compared: bad.yaml:1:10: version: expected 1, got 2",
            "red.png: not compared: goldens/red.png: expected a PNG, EXR, PFM, JPEG or WebP file"])
        shutil.copytree(self.path("regress-output/actual"), self.path("now"))
        done = self.run_roundel("diff", "-q", "goldens", "now", code=NOT_COMPARED)
        self.assertEqual(done.stdout, "")
        self.assertIn("red.png: not compared: goldens/red.png: expected a PNG, EXR, PFM, JPEG or WebP file", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
