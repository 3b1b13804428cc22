#!/usr/bin/env python3
"""Folders of pictures, goldens and reports from outside. Usage: regress_test.py PATH_OF_ROUNDEL"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zlib

from command_case import ROUNDEL
from regress_case import BAD, BLUE, DIFFER, NOT_COMPARED, RED, SAME, SCENE, RegressCase


class Regress(RegressCase):
    def test_from_nothing_to_goldens(self):
        text = self.regress(code=DIFFER)
        self.assertEqual(text.splitlines(), [
            "deux bleus é.png: new: there is no golden goldens/deux bleus é.png",
            "red.png: new: there is no golden goldens/red.png",
            "2 pictures: 0 same, 2 new",
            "pictures are in regress-output, to accept them: roundel accept 'deux bleus é.png' red.png"])
        self.assertEqual(self.files("goldens"), [])
        done = self.run_roundel("accept", "red", "deux bleus é.png", code=SAME)
        self.assertEqual(done.stdout, "red.png: stored in goldens\ndeux bleus é.png: stored in goldens\n")
        self.assertEqual(self.files("goldens"), ["deux bleus é.png", "red.png"])
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")
        self.assertEqual(self.files("regress-output"), [])
        done = self.run_roundel("accept", "--all", code=SAME)
        self.assertEqual(done.stdout, "nothing to accept: no run has kept pictures in regress-output\n")
        done = self.run_roundel("accept", "red", code=NOT_COMPARED)
        self.assertIn("nothing to accept: no run has kept pictures in regress-output", done.stderr)

    def test_a_golden_equals_the_file_of_render(self):
        self.accept_all()
        self.run_roundel("render", "red.yaml", "-o", "red.png", "--backend", "cpu", code=SAME)
        self.assertEqual(self.read("goldens/red.png"), self.read("red.png"))

    def test_only_differences_are_written_and_accepted(self):
        self.accept_all()
        before = os.stat(self.path("goldens/deux bleus é.png"))
        self.write("red.yaml", SCENE % "#fe0000")
        text = self.regress(code=DIFFER)
        self.assertIn("the scene changed", text)
        self.assertTrue(text.endswith("to accept them: roundel accept red.png\n"), text)
        self.assertEqual(self.files("regress-output"), ["actual/red.png", "diff/red.png", "pending/red.png.json"])
        self.assertEqual(self.run_roundel("accept", "--all", "--check", code=DIFFER).stdout, "red.png: would be replaced in goldens\n")
        self.assertEqual(len(self.files("regress-output")), 3)
        self.run_roundel("accept", "--all", code=SAME)
        self.assertEqual(self.files("regress-output"), [])
        after = os.stat(self.path("goldens/deux bleus é.png"))
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))
        for more in ((), ("--check",)):
            self.assertEqual(self.run_roundel("accept", "--all", *more, code=SAME).stdout,
                             "nothing to accept: no run has kept pictures in regress-output\n")
        self.regress(code=SAME)

    def test_changes_of_renderer_and_scene_are_distinguished(self):
        """A golden with the scene's fingerprint and other pixels comes from another renderer."""
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
        self.write("deux bleus é.yaml", RED)  # a real failure, which the hint must leave out
        text = self.regress(code=DIFFER)
        self.assertIn("1 golden has the right pixels but another fingerprint than the scene; to store the scene's: "
                      "roundel accept red.png\n", text)
        blue = self.read("goldens/deux bleus é.png")
        self.run_roundel("accept", "red.png", code=SAME)
        self.assertEqual(self.read("goldens/red.png"), stripped)
        self.assertEqual(self.read("goldens/deux bleus é.png"), blue)
        self.write("deux bleus é.yaml", BLUE)
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")

    def test_unused_goldens_are_reported(self):
        self.accept_all()
        self.assertNotIn("unused golden", self.regress(code=SAME))
        # A process for one of many scenes is quiet about the others, unless it gets a folder.
        self.assertEqual(self.regress(code=SAME, scenes=("red.yaml",)), "1 picture: 1 same\n")
        os.mkdir(self.path("scenes"))
        shutil.copy(self.path("red.yaml"), self.path("scenes"))
        self.assertEqual(self.regress(code=SAME, scenes=("scenes",)).splitlines()[1:],
                         ["unused golden in goldens: deux bleus é.png (no scene of this run draws it)"])
        for k in range(6):
            shutil.copy(self.path("goldens/red.png"), self.path(f"goldens/old{k}.png"))
        text = self.regress(code=SAME)
        self.assertIn("6 unused goldens in goldens: old0.png, old1.png, "
                      "old2.png, old3.png, old4.png, … (no scene of this run draws them)\n", text)

    def test_frames_have_a_folder_for_each_scene(self):
        shutil.copy(self.path("red.yaml"), self.path("red_0001.yaml"))
        scenes = ("red.yaml", "red_0001.yaml")
        self.regress("--frames", "all", code=DIFFER, scenes=scenes)
        self.run_roundel("accept", "red/*", "red_0001/0002", code=SAME)
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
        self.assertEqual((done.stdout, done.stderr), ("red.png: same [goldens/goldens.yaml:3 \"r*.png\"]\n1 picture: 1 same\n", ""))
        done = self.run_roundel("regress", "red.yaml", "deux bleus é.yaml", "--goldens", "goldens", code=SAME)
        self.assertIn('goldens/goldens.yaml:4 "x": this rule matches no picture', done.stderr)
        self.write("mine.yaml", "version: 1\ntolerances: [{pictures: '*', max-delta: 0, max-pixles: 1}]\n")
        done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", "--manifest", "mine.yaml", code=NOT_COMPARED)
        self.assertIn('mine.yaml:2:44: tolerances[0]: unknown key "max-pixles" (did you mean "max-pixels"?)', done.stderr)

    def test_incomparable_pictures_are_reported_and_the_run_continues(self):
        self.accept_all()
        with open(self.path("goldens/deux bleus é.png"), "r+b") as file:
            file.truncate(70)
        text = self.regress(code=NOT_COMPARED)
        self.assertIn("deux bleus é.png: not compared: goldens/deux bleus é.png: ", text)
        self.assertIn("2 pictures: 1 same, 1 not compared\n", text)
        self.run_roundel("accept", "deux*", code=SAME)  # a broken golden can be replaced
        self.regress(code=SAME)
        self.write("bad.yaml", BAD)
        done = self.run_roundel("regress", "bad.yaml", "red.yaml", "--goldens", "goldens", code=NOT_COMPARED)
        self.assertIn("bad.yaml:1:10: version: expected 1, got 2", done.stderr)
        self.assertIn("bad.png: not compared: bad.yaml:1:10: version: expected 1, got 2", done.stdout)
        self.assertIn("2 pictures: 1 same, 1 not compared\n", done.stdout)
        done = self.run_roundel("regress", "red.yaml", "--goldens", "../nowhere", code=NOT_COMPARED)
        self.assertIn('--goldens: expected a folder, got "../nowhere"; make it with mkdir', done.stderr)
        self.run_roundel("regress", "red.yaml", code=NOT_COMPARED)

    def test_an_impossible_output_folder_is_an_error(self):
        self.write("file", "")
        text = self.regress("--output", "file/below", code=NOT_COMPARED)
        self.assertIn("red.png: not compared: there is no golden goldens/red.png, file/below/actual/red.png: cannot make its folder", text)

    def test_accepting_an_unknown_name_accepts_nothing(self):
        self.regress(code=DIFFER)
        done = self.run_roundel("accept", "red.png", "rde.png", code=NOT_COMPARED)
        self.assertIn('"rde.png": the last run kept no such picture in regress-output (did you mean "red.png"?)', done.stderr)
        done = self.run_roundel("accept", "red.yaml/rad", code=NOT_COMPARED)
        self.assertEqual(done.stderr, 'error: "red.yaml/rad": the last run kept no such picture in regress-output; '
                                      'there are deux bleus é.png and red.png\n')
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
        self.assertNotIn("origin", run["pictures"][0])  # an equal picture has no cause
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
        for scheme in ("http:", "https:"):  # the page loads nothing from the network
            self.assertNotIn(scheme, page)

    def test_another_size_has_a_picture_of_the_difference(self):
        self.accept_all()
        text = self.regress("--size", "20x30", "--align", "--json", "r.json", code=DIFFER)
        self.assertRegex(text, r"red.png: differs: they are 24x16 RGB and 20x30 RGB; \d+ of 320 shared pixels differ")
        info = json.loads(self.run_roundel("info", "--json", "regress-output/diff/red.png", code=SAME).stdout)[0]
        self.assertEqual((info["width"], info["height"]), (24, 16))
        picture = json.loads(self.read("r.json"))["pictures"][1]
        self.assertEqual((picture["name"], picture["image"]), ("red.png", "regress-output/diff/red.png"))
        self.assertEqual(picture["difference"]["kind"], "other_shape")
        self.assertEqual((picture["difference"]["overlap"]["width"], picture["difference"]["overlap"]["height"]), (20, 16))

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

    def test_empty_folders_do_not_pass(self):
        os.mkdir(self.path("a"))
        os.mkdir(self.path("b"))
        done = self.run_roundel("diff", "a", "b", code=NOT_COMPARED)
        self.assertIn("a and b: expected pictures (.png, .exr, .pfm, .jpg or .webp), got none", done.stderr)
        for arguments in (("a", "b", "--diff-image", "d.png"), ("red.yaml", "red.yaml", "--report", "r"), ("a", "red.yaml")):
            self.run_roundel("diff", *arguments, code=NOT_COMPARED)

    def test_ignored_files_are_counted(self):
        self.accept_all()
        shutil.copytree(self.path("goldens"), self.path("now"))
        for k in range(12):
            self.write(f"now/{k}.gif", "no picture")
        self.write("goldens/3.gif", "nor this")
        self.write("goldens/goldens.yaml", "version: 1\ntolerances: []\n")
        printed = "2 pictures: 2 same; 12 other files ignored\n"
        done = self.run_roundel("diff", "goldens", "now", "--json=run.json", "--markdown", "run.md", code=SAME)
        self.assertEqual(done.stdout, printed)
        self.assertIn(printed, self.read("run.md").decode())
        self.assertEqual(json.loads(self.read("run.json"))["ignored_files"], 12)
        self.assertTrue(self.run_roundel("report", "run.json", "--markdown", "all.md", code=SAME).stdout.endswith(printed))

    def test_results_are_the_same_with_any_number_of_threads(self):
        os.makedirs(self.path("now/film"))
        self.accept_all()
        for i in range(40):
            shutil.copy(self.path("goldens/red.png"), self.path(f"goldens/{i}.png"))
            shutil.copy(self.path("goldens/deux bleus é.png" if i % 3 == 0 else "goldens/red.png"), self.path(f"now/{i}.png"))
        texts = {self.run_roundel("diff", "goldens", "now", "--threads", str(n), "--ssim", code=DIFFER).stdout
                 for n in (1, 2, 5)}
        self.assertEqual(len(texts), 1)


    def test_small_and_large_pictures_are_in_order_and_match_render(self):
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

    def test_pictures_pass_if_they_match_any_golden(self):
        self.accept_all()
        self.write("red.yaml", BLUE)
        self.regress(code=DIFFER)
        done = self.run_roundel("accept", "--add", "red", code=SAME)
        self.assertEqual(done.stdout, "red.png: stored in goldens as red.alt-1.png\n")
        self.regress("--keep-same", code=SAME)
        done = self.run_roundel("accept", "--add", "red", code=SAME)
        self.assertEqual(done.stdout, "red.png: is the golden already as red.alt-1.png\n")
        for scene in (RED, BLUE):
            self.write("red.yaml", scene)
            self.assertEqual(self.regress("--strict", code=SAME), "2 pictures: 2 same\n")
        self.write("red.yaml", RED.replace("radius: 0.3", "radius: 0.31"))
        lines = self.regress(code=DIFFER).splitlines()
        self.assertIn("nearest of 2 goldens: goldens/red.png", lines[0])
        self.run_roundel("accept", "--add", "--all", code=SAME)
        self.assertEqual(self.files("goldens"), ["deux bleus é.png", "red.alt-1.png", "red.alt-2.png", "red.png"])
        self.write("red.yaml", SCENE % "#0000fe")
        lines = self.regress(code=DIFFER).splitlines()
        self.assertIn("nearest of 3 goldens: goldens/red.alt-1.png", lines[0])
        # A manifest's rule for a picture holds for all its goldens.
        self.write("goldens/goldens.yaml", 'version: 1\ntolerances: [{pictures: red.png, max-delta: 1}]\n')
        self.assertIn("red.png: same", self.regress(code=SAME))
        # Without a scene for the picture, all its goldens are unused.
        text = self.regress("--strict", code=DIFFER, scenes=("deux bleus é.yaml",))
        for name in ("red.png", "red.alt-1.png", "red.alt-2.png"):
            self.assertIn(f"{name}: missing", text)
        self.run_roundel("accept", "--prune", code=SAME)
        self.assertEqual(self.files("goldens"), ["deux bleus é.png", "goldens.yaml"])

    def test_add_without_a_golden_stores_the_first(self):
        self.regress(code=DIFFER)
        done = self.run_roundel("accept", "--add", "red", code=SAME)
        self.assertEqual(done.stdout, "red.png: stored in goldens\n")
        self.assertIn("--add: needs NAME or --all", self.run_roundel("accept", "--add", code=2).stderr)

    def test_scenes_whose_goldens_collide_are_refused(self):
        self.write("red.alt-1.yaml", RED)
        done = self.run_roundel("regress", "red.yaml", "red.alt-1.yaml", "--goldens", "goldens", code=NOT_COMPARED)
        self.assertEqual(done.stderr, "error: red.alt-1.yaml: its golden red.alt-1.png would be another golden of red.yaml\n")

    def test_frames_drawn_in_parallel_match_the_film(self):
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


class Names(RegressCase):
    def test_stems_of_dots_are_refused(self):
        for name in ("..yaml", "...yaml", "....yaml"):
            self.write(name, RED)
            for frames in ((), ("--frames", "0-1")):
                done = self.run_roundel("regress", name, "--goldens", "goldens", *frames, code=NOT_COMPARED)
                self.assertIn(f"{name}: expected a name of more than dots", done.stderr)
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
        self.assertEqual((done.returncode, done.stderr), (SAME, b""), command)
        self.assertEqual(self.files("goldens"), ["-q.png", "-rf.png"])

    def test_quiet_reports_incomparable_pictures(self):
        self.accept_all()
        self.write("goldens/red.png", "no picture")
        self.write("bad.yaml", BAD)
        done = self.run_roundel("regress", "-q", "red.yaml", "deux bleus é.yaml", "bad.yaml", "--goldens", "goldens",
                                code=NOT_COMPARED)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.splitlines(), [
            "error: bad.png: not compared: bad.yaml:1:10: version: expected 1, got 2",
            "error: red.png: not compared: goldens/red.png: expected a PNG, EXR, PFM, JPEG or WebP file"])
        shutil.copytree(self.path("regress-output/actual"), self.path("now"))
        done = self.run_roundel("diff", "-q", "goldens", "now", code=NOT_COMPARED)
        self.assertEqual(done.stdout, "")
        self.assertIn("red.png: not compared: goldens/red.png: expected a PNG, EXR, PFM, JPEG or WebP file", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
