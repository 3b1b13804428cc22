#!/usr/bin/env python3
"""Folders of other programs, inputs and results of earlier runs, from outside. Usage: regress_folders_test.py
PATH_OF_ROUNDEL
"""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

from command_case import ROUNDEL
from regress_case import BAD, BLUE, DIFFER, NOT_COMPARED, RED, SAME, SCENE, RegressCase


LOCK = "version: 1\ngoldens: []\n"


class ForeignFolders(RegressCase):
    """The contents of a run's folder may come from anywhere, for example from a pull request's artifact."""

    def plant(self, goldens, names, entry=None, **actual):
        os.makedirs(self.path("regress-output/actual"), exist_ok=True)
        shutil.rmtree(self.path("regress-output/pending"), ignore_errors=True)
        for name in names:
            os.makedirs(os.path.dirname(self.path(f"regress-output/pending/{name}")), exist_ok=True)
            self.write(f"regress-output/pending/{name}.json", json.dumps({"version": 1, "goldens": goldens, **(entry or {})}))
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
        self.write("ssh/goldens.lock", LOCK)
        self.plant("../ssh", ["authorized_keys"])
        self.write("regress-output/actual/authorized_keys", "ssh-rsa EVIL")
        self.refused("regress-output/pending/authorized_keys.json: expected the name of a PNG or EXR file, and .json: delete this file")
        self.plant("../ssh", ["k.png", "cut.png", "more.png"], k=b"ssh-rsa EVIL", cut=self.picture()[:-20],
                   more=self.picture() + b"ssh-rsa EVIL")
        self.refused("k.png: not a valid PNG")

    def test_goldens_are_stored_in_the_working_directory_or_a_named_folder(self):
        outside = tempfile.mkdtemp(prefix="roundel_regress_outside_")
        self.addCleanup(shutil.rmtree, outside)
        os.symlink(outside, self.path("link"))
        for goldens in (outside, "../link", "../" * 20 + outside, "../goldens/../../" + os.path.basename(outside)):
            self.plant(goldens, ["k.png"], k=self.picture())
            self.refused("is not in the working directory; name it with --goldens DIR")
        self.assertEqual(os.listdir(outside), [])
        done = self.run_roundel("accept", "--all", "--goldens", outside, code=SAME)
        self.assertEqual(done.stdout, f"k.png: stored in {outside}\n")
        self.assertEqual(os.listdir(outside), ["k.png"])

    def test_a_missing_folder_of_goldens_outside_the_working_directory_is_an_error(self):
        missing = "../" + os.path.basename(self.folder) + "_missing"
        self.plant("../" + missing, ["k.png"], k=self.picture())
        self.refused(f'its folder of goldens "../{missing}" is not in the working directory; name it with --goldens DIR')
        self.refused(f'--goldens: expected a folder, got "{missing}"; make it with mkdir', "--goldens", missing)
        self.write("file", "")
        self.refused('--goldens: expected a folder, got "file"', "--goldens", "file")
        self.plant("../file", ["k.png"], k=self.picture())
        self.refused('its folder of goldens "../file" is not a folder')

    def test_the_list_of_an_older_version_is_refused(self):
        os.mkdir(self.path("regress-output"))
        self.write("regress-output/pending.json", json.dumps({"version": 1, "goldens": "../goldens", "names": ["k.png"]}))
        self.refused('regress-output/pending.json: the list of an older version: delete regress-output and run "roundel regress" again')

    def test_an_unconfirmed_folder_is_unchanged(self):
        """A foreign list that names the project itself as the folder of goldens."""
        os.mkdir(self.path("site"))
        shutil.copy(self.path("red.yaml"), self.path("logo.yaml"))
        self.run_roundel("render", "deux bleus é.yaml", "-o", "site/logo.png", code=SAME)
        os.mkdir(self.path("regress-output"))
        for goldens in ("..", ".", "../site", "../goldens/.."):
            self.plant(goldens, ["site/logo.png", "logo.png"], logo=self.picture())
            os.makedirs(self.path("regress-output/actual/site"), exist_ok=True)
            shutil.copy(self.path("picture.png"), self.path("regress-output/actual/site/logo.png"))
            self.refused(f'its folder of goldens "{goldens}" has no goldens.lock; name it with --goldens DIR')
            self.plant(goldens, ["site/logo.png"], {"unused": True})
            before = self.snapshot()
            self.run_roundel("accept", "--prune", code=NOT_COMPARED)
            self.assertEqual(self.snapshot(), before)
        # A link or a folder of that name does not confirm.
        self.plant("../site", ["logo.png"], logo=self.picture())
        self.write("mine.lock", LOCK)
        os.symlink("../mine.lock", self.path("site/goldens.lock"))
        self.refused("has no goldens.lock")
        os.remove(self.path("site/goldens.lock"))
        os.mkdir(self.path("site/goldens.lock"))
        self.refused("has no goldens.lock")
        os.rmdir(self.path("site/goldens.lock"))
        self.write("site/goldens.lock", LOCK)
        self.run_roundel("accept", "--all", code=SAME)
        self.assertEqual(self.read("site/logo.png"), self.read("picture.png"))

    def test_regress_confirms_its_folder(self):
        self.regress(code=DIFFER)
        lock = self.read("goldens/goldens.lock")
        self.assertTrue(lock.endswith(LOCK.encode()), lock)
        self.run_roundel("accept", "--all", code=SAME)
        os.remove(self.path("goldens/goldens.lock"))
        self.regress(code=SAME)  # it leaves nothing to accept
        self.assertFalse(os.path.exists(self.path("goldens/goldens.lock")))
        self.run_roundel("accept", "--all", "--goldens", "goldens", code=SAME)
        # Removing the last hash keeps the lock.
        self.write("red.yaml", BLUE)
        self.regress("--strict", code=DIFFER)
        self.run_roundel("accept", "red", "--hashes", code=SAME)
        os.remove(self.path("red.yaml"))
        self.regress("--strict", code=DIFFER, scenes=("deux bleus é.yaml",))
        self.run_roundel("accept", "--prune", code=SAME)
        self.assertEqual(self.read("goldens/goldens.lock"), lock)

    @unittest.skipIf(os.getuid() == 0, "root writes everywhere")
    def test_read_only_goldens_are_compared(self):
        os.chmod(self.path("goldens"), 0o555)
        text = self.regress(code=DIFFER)
        self.assertIn("to accept them: roundel accept --goldens goldens ", text)
        os.chmod(self.path("goldens"), 0o755)

    def test_accept_ignores_links(self):
        self.write("secret", "mine")
        self.write("goldens/goldens.lock", LOCK)
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
        self.refused("goldens/j.png: expected a file; links are not followed; replace it by a copy of its file (git annex unlock, ")
        os.symlink("../elsewhere", self.path("goldens/down"))
        self.plant("../goldens", ["down/k.png"])
        os.mkdir(self.path("regress-output/actual/down"))
        shutil.copy(self.path("picture.png"), self.path("regress-output/actual/down/k.png"))
        self.refused("goldens/down: expected a folder; links are not followed")

    def test_regress_removes_only_pictures_and_ignores_links(self):
        self.accept_all()
        os.mkdir(self.path("precious"))
        for name in ("thesis.docx", "red.png", "photo.png"):
            self.write("precious/" + name, "precious")
        self.plant("../goldens", ["thesis.docx", "photo.png", "red.png"])
        os.rmdir(self.path("regress-output/actual"))
        os.symlink("../precious", self.path("regress-output/actual"))
        self.regress(code=SAME)
        self.assertEqual(self.files("precious"), ["photo.png", "red.png", "thesis.docx"])
        self.assertEqual(self.files("regress-output/pending"), ["photo.png.json", "thesis.docx.json"])
        # A link in place of the lists is not followed.
        shutil.rmtree(self.path("regress-output/pending"))
        os.symlink("../precious", self.path("regress-output/pending"))
        self.write("precious/red.png.json", json.dumps({"version": 1, "goldens": "../goldens"}))
        self.regress(code=SAME)
        self.refused("regress-output/pending: expected a folder; links are not followed")
        self.assertEqual(self.files("precious"), ["photo.png", "red.png", "red.png.json", "thesis.docx"])

    def test_regress_never_writes_through_links(self):
        self.accept_all()
        shutil.rmtree(self.path("regress-output"))
        self.write("red.yaml", BLUE)
        self.write("precious", "mine")
        for link, target in (("actual", "../aside"), ("diff", "../aside"), ("actual/red.png", "../../precious"),
                             ("diff/red.png", "../../precious"), ("pending", "../aside"), ("pending/red.png.json", "../../precious")):
            os.makedirs(self.path("aside"))
            os.makedirs(os.path.dirname(self.path("regress-output/" + link)))
            os.symlink(target, self.path("regress-output/" + link))
            text = self.regress(code=NOT_COMPARED)
            self.assertRegex(text, rf"red\.png: not compared: \d+ pixels differ, at most 0 may, regress-output/{link}: expected a ")
            self.assertEqual((self.read("precious"), os.listdir(self.path("aside"))), (b"mine", []))
            shutil.rmtree(self.path("regress-output"))
            os.rmdir(self.path("aside"))

    def test_pictures_of_ci_are_accepted_in_another_checkout(self):
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
        done = self.run_roundel("accept", "red", code=SAME)
        self.assertEqual(done.stdout, "red.png: replaced in goldens\n")
        self.assertEqual(self.read("goldens/red.png"), drawn)
        self.assertFalse(os.path.exists(self.path("ci")))
        shutil.rmtree(self.path("goldens"))  # a checkout without goldens
        self.run_roundel("regress", "red.yaml", "--goldens", "goldens", code=DIFFER)
        self.run_roundel("accept", "red", code=SAME)
        self.assertEqual(self.read("goldens/red.png"), drawn)

    def test_the_printed_command_names_goldens_outside_the_working_directory(self):
        outside = tempfile.mkdtemp(prefix="roundel_regress_outside_")
        self.addCleanup(shutil.rmtree, outside)
        text = self.run_roundel("regress", "red.yaml", "--goldens", outside, code=DIFFER).stdout
        self.assertIn(f"roundel accept --goldens {outside} red.png\n", text)
        self.run_roundel("accept", "--goldens", outside, "red.png", code=SAME)
        self.assertEqual(sorted(os.listdir(outside)), ["goldens.lock", "red.png"])

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "pictures are compared while others are drawn on two cores only")
    def test_the_next_run_cleans_up_after_a_killed_run(self):
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
        # A list without its picture, as after a crash.
        self.write("regress-output/pending/deux bleus é.png.json", json.dumps({"version": 1, "goldens": "../goldens"}))
        done = self.run_roundel("accept", "deux*", code=NOT_COMPARED)
        self.assertIn('regress-output/actual/deux bleus é.png: the run did not finish; run "roundel regress" again', done.stderr)
        self.write("regress-output/actual/notes.png", "mine")
        self.write("regress-output/actual/.roundel-1-1.tmp", "half a picture")
        self.write("red.yaml", RED)
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")
        self.assertEqual(self.files("regress-output"), ["actual/notes.png"])

    def test_an_unreadable_list_does_not_stop_a_run(self):
        self.accept_all()
        os.makedirs(self.path("regress-output"), exist_ok=True)
        for text in ("", "{", '{"goldens": "../goldens"}', '{"version": 1, "goldens": 1}', '[]'):
            self.write("regress-output/pending/x.png.json", text)
            done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", code=SAME)
            self.assertRegex(done.stderr, "regress-output/pending/x.png.json: expected .* may stay in regress-output")
            done = self.run_roundel("accept", "--all", code=NOT_COMPARED)
            self.assertIn("regress-output/pending/x.png.json: expected ", done.stderr)
        os.rename(self.path("regress-output/pending/x.png.json"), self.path("regress-output/pending/red.png.json"))
        self.assertEqual(self.run_roundel("regress", "red.yaml", "--goldens", "goldens", code=SAME).stderr, "")
        self.write("red.yaml", BLUE)
        self.regress(code=DIFFER)
        self.run_roundel("accept", "red", code=SAME)


class Inputs(RegressCase):
    """Outputs never replace inputs, under any name."""

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

    def test_the_output_folder(self):
        for folder in ("goldens", "./goldens/", self.path("goldens")):
            self.refused("regress", "red.yaml", "--goldens", "goldens", "--output", folder,
                         message="holds the goldens, or the pictures compared with them; choose another folder")
        os.symlink("goldens", self.path("other"))
        self.refused("regress", "red.yaml", "--goldens", "goldens", "-o", "other", message="choose another folder")
        os.makedirs(self.path("out/actual"))
        shutil.copytree(self.path("goldens"), self.path("out/actual/goldens"))
        self.refused("regress", "red.yaml", "--goldens", "out/actual/goldens", "-o", "out",
                     message="lies in out/actual, where this command keeps pictures")
        self.write("out/actual/red.png", SCENE % "#00ff00")  # a scene of that name
        os.mkdir(self.path("out/pending"))
        self.write("out/pending/red.png.json", '{"version": 1, "goldens": "../goldens"}')
        for scene in ("out/actual/red.png", "out/pending/red.png.json"):
            self.refused("regress", scene, "--goldens", "goldens", "-o", "out", message="lies in " + os.path.dirname(scene))

    def test_two_outputs_into_one_file(self):
        for arguments in (("--json", "r", "--junit", "./r"), ("--junit", "r/index.html", "--report", "r")):
            self.refused("regress", "red.yaml", "--goldens", "goldens", *arguments,
                         message="two outputs have this name")
        self.regress("--json", "/dev/null", "--junit", "/dev/null", code=SAME)

    def test_diff_of_folders(self):
        shutil.copytree(self.path("goldens"), self.path("now"))
        for option, path in (("--json=", "now/red.png"), ("--junit=", "goldens/red.png"), ("--junit=", "link.xml"),
                             ("--junit=", "goldens/goldens.yaml")):
            self.refused("diff", "goldens", "now", option + path, message=f"{path}: would replace ")
        self.refused("diff", "goldens", "now", "--json=r", "--junit", "r", message="r: two outputs have this name")
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
        self.refused("diff", "a.png", "b.png", "--diff-image", "d.png", "--json=d.png", message="d.png: two outputs have this name")
        self.refused("diff", "--explain", "red.yaml", "data.yaml", "--json=d.npy", message="d.npy: would replace ")
        self.refused("diff", "--explain", "red.yaml", "data.yaml", "--json=red.yaml", message="red.yaml: would replace ")


class StaleResults(RegressCase):
    """A failing run removes the verdict of the previous run."""

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

    def test_an_early_failure_removes_old_results(self):
        self.write("goldens/goldens.yaml", "version: 2\n")
        self.regress(*self.RESULTS, code=NOT_COMPARED)
        self.assertTrue(self.are_gone())
        os.remove(self.path("goldens/goldens.yaml"))
        self.regress(*self.RESULTS, code=SAME)
        self.run_roundel("regress", "red.yaml", "--goldens", "../nowhere", *self.RESULTS, code=NOT_COMPARED)
        self.assertTrue(self.are_gone())

    def test_a_killed_run_removes_old_results(self):
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

    def test_foreign_files_stay(self):
        self.write("report/index.html", "<p>mine</p>")
        self.write("report/pictures/000007.js", "mine")
        self.write("report/notes.txt", "mine")
        os.rename(self.path("run.json"), self.path("kept.json"))
        os.symlink("kept.json", self.path("run.json"))
        self.run_roundel("diff", "goldens", "goldens", "--junit", "junit.xml", "red.png", code=NOT_COMPARED)
        self.assertFalse(self.are_gone())  # a wrong command line removes nothing
        done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", *self.RESULTS, code=NOT_COMPARED)
        self.assertIn("report/index.html: exists and is not a report of Roundel; name another folder", done.stderr)
        self.assertEqual((self.read("report/index.html"), self.read("report/pictures/000007.js"),
                          self.read("report/notes.txt")), (b"<p>mine</p>", b"mine", b"mine"))
        os.chmod(self.path("junit.xml"), 0o444)
        self.write("goldens/goldens.yaml", "version: 2\n")
        self.regress("--junit", "junit.xml", code=NOT_COMPARED)
        self.assertTrue(os.path.exists(self.path("junit.xml")) or os.getuid() == 0)
        self.assertTrue(os.path.islink(self.path("run.json")))
        self.assertEqual(json.loads(self.read("kept.json"))["counts"]["same"], 1)

    def test_one_unwritable_output_keeps_the_others(self):
        done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", "--json", "none/run.json", "--junit",
                                "none/junit.xml", "--report", "report", code=NOT_COMPARED)
        self.assertIn("none/run.json: cannot write", done.stderr)
        self.assertIn("none/junit.xml: cannot write", done.stderr)
        self.assertIn("report/index.html", self.files("."))
        shutil.rmtree(self.path("regress-output"))
        os.mkdir(self.path("regress-output"))
        os.symlink("nowhere", self.path("regress-output/pending"))
        self.write("red.yaml", BLUE)
        self.regress("--junit", "junit.xml", code=NOT_COMPARED)
        self.assertEqual(xml.parse(self.path("junit.xml")).getroot().get("errors"), "1")
        done = self.run_roundel("diff", "goldens/red.png", "goldens/deux bleus é.png", "--diff-image", "none/d.png",
                                "--json", "d.json", code=NOT_COMPARED)
        self.assertIn("differ: ", done.stdout)
        self.assertFalse(json.loads(self.read("d.json"))["same"])

    def test_a_fifo_in_place_of_the_report_is_rejected_at_once(self):
        os.remove(self.path("report/index.html"))
        os.mkfifo(self.path("report/index.html"))
        done = self.run_roundel("diff", "goldens", "goldens", "--report", "report", code=NOT_COMPARED)
        self.assertIn("report/index.html: exists and is not a report of Roundel; name another folder", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
