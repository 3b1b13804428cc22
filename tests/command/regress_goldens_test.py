#!/usr/bin/env python3
"""Goldens of floats, hashes, and goldens in the folders of their scenes. Usage: regress_goldens_test.py PATH_OF_ROUNDEL"""

import os
import shutil
import unittest
import zlib

from regress_case import BAD, BLUE, DIFFER, NOT_COMPARED, RED, SAME, SCENE, RegressCase


class Floats(RegressCase):
    def setUp(self):
        super().setUp()
        self.scenes = {"scenes": ("red.yaml",)}

    def accept_exr(self):
        text = self.regress("--format", "exr", code=DIFFER, **self.scenes)
        self.assertIn("red.exr: new: there is no golden goldens/red.exr", text)
        self.run_roundel("render", "red.yaml", "-o", "want.exr", "--backend", "cpu", code=0)
        self.assertEqual(self.read("regress-output/actual/red.exr"), self.read("want.exr"))
        self.run_roundel("accept", "red", code=SAME)
        self.assertEqual(self.files("goldens"), ["red.exr"])

    def test_float_goldens_show_differences_below_8_bits(self):
        self.write("red.yaml", SCENE.replace("alpha: 1", "alpha: 0.5") % "#0000ff")
        self.accept_exr()
        self.assertEqual(self.regress("--strict", code=SAME, **self.scenes), "1 picture: 1 same\n")
        self.write("red.yaml", SCENE.replace("alpha: 1", "alpha: 0.5") % "#0000fe")
        line = self.regress("--json", "r.json", code=DIFFER, **self.scenes).splitlines()[0]
        self.run_roundel("report", "r.json", "--output", "gathered", code=DIFFER)
        self.assertEqual(self.files("gathered"), ["actual/red.exr", "diff/red.exr.png", "pending/red.exr.json"])
        self.assertRegex(line, r"^red\.exr: differs: \d+ pixels differ, at most 0 may; the scene changed")
        self.assertEqual(self.files("regress-output"), ["actual/red.exr", "diff/red.exr.png", "pending/red.exr.json"])
        self.write("goldens/goldens.yaml", 'version: 1\ntolerances: [{pictures: "*.exr", max-delta: 0.01}]\n')
        self.assertIn("red.exr: same", self.regress(code=SAME, **self.scenes))
        # The leftovers of the previous run are gone, except acceptable pictures.
        self.assertEqual(self.files("regress-output"), [])

    def test_png_goldens_have_priority_and_format_overrides(self):
        self.accept_exr()
        self.regress("--format", "png", code=DIFFER, **self.scenes)
        self.run_roundel("accept", "red.png", code=SAME)
        self.assertEqual(self.regress(code=SAME, **self.scenes), "1 picture: 1 same\n")
        self.assertIn("red.exr: missing", self.regress("--strict", code=DIFFER, **self.scenes))
        self.run_roundel("accept", "--prune", code=SAME)
        self.assertEqual(self.files("goldens"), ["red.png"])

    def test_frames_renames_other_goldens_and_hashes(self):
        film = ("--frames", "0-1", "--format", "exr")
        self.regress(*film, code=DIFFER, **self.scenes)
        self.run_roundel("accept", "--all", code=SAME)
        self.assertEqual(self.files("goldens"), ["red/0000.exr", "red/0001.exr"])
        self.assertEqual(self.regress("--frames", "0-1", code=SAME, **self.scenes), "2 pictures: 2 same\n")
        shutil.rmtree(self.path("goldens/red"))
        self.accept_exr()
        shutil.copy(self.path("red.yaml"), self.path("rot.yaml"))
        self.assertIn("goldens/red.exr is of this scene and frame, under another name",
                      self.regress("--format", "exr", code=DIFFER, scenes=("rot.yaml",)))
        shutil.rmtree(self.path("regress-output"))
        self.write("red.yaml", BLUE)
        self.regress(code=DIFFER, **self.scenes)
        self.run_roundel("accept", "--add", "red", code=SAME)
        self.assertEqual(self.files("goldens"), ["red.alt-1.exr", "red.exr"])
        self.assertEqual(self.regress(code=SAME, **self.scenes), "1 picture: 1 same\n")
        shutil.rmtree(self.path("goldens"))
        os.mkdir(self.path("goldens"))
        self.regress("--format", "exr", code=DIFFER, **self.scenes)
        self.run_roundel("accept", "--all", "--hashes", code=SAME)
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
        return self.run_roundel("accept", "--all", "--hashes", code=SAME).stdout

    def test_hashes_are_goldens_without_pictures(self):
        self.assertIn("red.png: stored in goldens as a hash in goldens.lock\n", self.lock_all())
        self.assertEqual(self.files("goldens"), ["goldens.lock"])
        self.regress("--keep-same", code=SAME)
        lock = self.read("goldens/goldens.lock").decode()
        self.assertRegex(lock, r'  - \{picture: "red.png", pixels: "24x16 [0-9a-f]{32}", fingerprint: "[0-9a-f]{32}", frame: 0\}\n')
        self.run_roundel("verify", "regress-output/actual/red.png", "--frames", "0", "--manifest", "hashes", code=0)
        self.assertIn(self.read("hashes").decode().split()[2], lock)
        self.assertEqual(self.regress("--strict", code=SAME), "2 pictures: 2 same\n")
        self.write("red.yaml", BLUE)
        line = self.regress("--report", "report", "--json", "r.json", "--junit", "j.xml", "--markdown", "s.md",
                            code=DIFFER).splitlines()[0]
        self.assertEqual(line, "red.png: differs: its pixels have another hash than goldens/goldens.lock:5; "
                               "the scene changed: the golden has another fingerprint")
        self.assertEqual(self.files("regress-output"), ["actual/red.png", "pending/red.png.json"])
        self.run_roundel("report", "r.json", "--report", "again", code=DIFFER)

    def test_accept_keeps_the_kind_of_a_golden(self):
        self.lock_all()
        self.write("red.yaml", BLUE)
        self.regress(code=DIFFER)
        self.assertEqual(self.run_roundel("accept", "red", code=SAME).stdout, "red.png: replaced in goldens as a hash in goldens.lock\n")
        text = self.regress("--keep-same", code=SAME)
        self.assertEqual(text, "2 pictures: 2 same\n2 pictures that are the same are kept in regress-output, too; "
                               "accept --files makes files of goldens that are hashes\n")
        self.assertEqual(self.run_roundel("accept", "red", code=SAME).stdout, "red.png: is the golden already as a hash in goldens.lock\n")

    def test_a_picture_becomes_a_hash_and_back(self):
        self.accept_all()
        self.write("red.yaml", BLUE)
        self.regress(code=DIFFER)
        self.run_roundel("accept", "--hashes", "red", code=SAME)
        self.assertEqual(self.files("goldens"), ["deux bleus é.png", "goldens.lock"])
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")
        # A hash and a picture may be goldens together.
        self.write("red.yaml", RED)
        self.regress(code=DIFFER)
        self.run_roundel("accept", "--add", "red", code=SAME)
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")
        self.assertEqual(self.files("goldens"), ["deux bleus é.png", "goldens.lock", "red.alt-1.png"])
        self.write("red.yaml", BLUE)  # the hash still counts
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")

    def test_equal_goldens_become_hashes_and_files_again(self):
        self.accept_all()
        self.run_roundel("render", "red.yaml", "-o", "goldens/mask.png", "--seed", "7", code=0)
        self.write("goldens/goldens.yaml", 'version: 1\ntolerances: [{pictures: "*", mask: mask.png}]\n')
        pictures = {name: self.read(f"goldens/{name}") for name in ("red.png", "deux bleus é.png")}
        shutil.rmtree(self.path("regress-output"))
        done = self.run_roundel("accept", "--hashes", "red", code=NOT_COMPARED)
        self.assertIn("nothing to accept", done.stderr)
        for check, code, verb in (("--check", DIFFER, "would be stored"), ("-q", SAME, "")):
            done = self.run_roundel("accept", "--hashes", "*", "--goldens", "goldens", check, code=code).stdout
            self.assertEqual(done, "".join(f"{name}: {verb} in goldens as a hash in goldens.lock\n" for name in sorted(pictures)) if verb else "")
        self.assertEqual(self.files("goldens"), ["goldens.lock", "goldens.yaml", "mask.png"])
        self.assertEqual(self.run_roundel("accept", "--hashes", "red", "--goldens", "goldens", code=SAME).stdout,
                         "red.png: is the golden already as a hash in goldens.lock\n")
        os.remove(self.path("goldens/goldens.yaml"))
        os.remove(self.path("goldens/mask.png"))
        self.assertIn("2 pictures: 2 same\n", self.regress("--keep-same", code=SAME))
        self.assertIn("red.png: would be replaced in goldens\n", self.run_roundel("accept", "--files", "--all", "--check", code=DIFFER).stdout)
        self.run_roundel("accept", "--files", "--all", code=SAME)
        self.assertEqual({name: self.read(f"goldens/{name}") for name in self.files("goldens")}, pictures)
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")
        self.assertEqual(self.files("regress-output"), [])
        self.regress("--keep-same", code=SAME, scenes=("red.yaml",))
        done = self.run_roundel("accept", "--files", "deux*", code=NOT_COMPARED)
        self.assertIn('"regress --keep-same" also keeps equal pictures', done.stderr)

    def test_invalid_fingerprints_are_not_stored(self):
        self.lock_all()
        self.write("red.yaml", BLUE)
        self.regress(code=DIFFER)
        lock, picture = self.read("goldens/goldens.lock"), self.read("regress-output/actual/red.png")
        at = picture.index(b"Fingerprint\0") - 4
        for text in (b'0" , frame: 0}\n  - {picture: "login.png"', b"x", b"0" * 31, b"A" * 32):
            chunk = b"tEXt" + b"Fingerprint\0" + text
            with open(self.path("regress-output/actual/red.png"), "wb") as file:
                file.write(picture[:at - 4] + (len(chunk) - 4).to_bytes(4, "big") + chunk +
                           zlib.crc32(chunk).to_bytes(4, "big") + picture[at + 4 + 12 + 32 + 4:])
            done = self.run_roundel("accept", "--hashes", "red", code=NOT_COMPARED)
            self.assertIn("expected the fingerprint of its scene (32 digits)", done.stderr)
            self.assertEqual(self.read("goldens/goldens.lock"), lock)

    def test_unwritten_goldens_are_not_reported_as_stored(self):
        self.regress(code=DIFFER)
        os.remove(self.path("goldens/goldens.lock"))
        os.symlink("nowhere", self.path("goldens/goldens.lock"))
        done = self.run_roundel("accept", "--all", "--hashes", "--goldens", "goldens", code=NOT_COMPARED)
        self.assertEqual(done.stdout, "")
        self.assertIn("goldens.lock: expected a file; links are not followed", done.stderr)

    def test_pictures_are_kept_apart_from_the_goldens(self):
        printed = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", "--output", "goldens/out",
                                code=NOT_COMPARED).stderr
        self.assertIn('--output: "goldens/out" lies in goldens, whose pictures are read', printed)
        os.mkdir(self.path("others"))
        for folder in ("goldens", "others"):
            printed = self.run_roundel("diff", "goldens", "others", "--output", folder + "/out", code=NOT_COMPARED).stderr
            self.assertIn(f'--output: "{folder}/out" lies in {folder}, whose pictures are read', printed)
            self.assertFalse(os.path.exists(self.path(folder + "/out")))

    def test_the_fingerprint_is_kept_too(self):
        self.lock_all()
        self.write("red.yaml", RED.replace("layers:", "seed: 7\nlayers:"))
        text = self.regress(code=SAME)
        self.assertIn("1 golden has the right pixels but another fingerprint than the scene; to store the scene's: roundel accept red.png", text)
        self.run_roundel("accept", "red.png", code=SAME)
        self.assertEqual(self.regress(code=SAME), "2 pictures: 2 same\n")
        os.rename(self.path("red.yaml"), self.path("rot.yaml"))
        scenes = ("rot.yaml", "deux bleus é.yaml")
        text = self.regress("--strict", code=DIFFER, scenes=scenes)
        self.assertIn("rot.png: new: there is no golden goldens/rot.png, goldens/red.png is of this scene and frame", text)
        self.assertIn("red.png: missing: no scene of this run draws it", text)
        done = self.run_roundel("accept", "--all", "--hashes", "--prune", code=SAME)
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
                (lambda text: text + "<<<<<<< HEAD\n", 'goldens.lock:6:1: conflict marker "<<<<<<< HEAD": keep the lines of one side, or of both, and remove the markers'),
                (lambda text: text.replace("version: 1", "version: 2"), "2:10: version: expected 1")):
            self.write("goldens/goldens.lock", damage(sound))
            with self.subTest(problem):
                for arguments in (("regress", "red.yaml", "--goldens", "goldens"), ("accept", "--all")):
                    if arguments[0] == "accept" and not self.files("regress-output"):
                        continue
                    self.assertIn(problem, self.run_roundel(*arguments, code=NOT_COMPARED).stderr)

    def test_results_never_replace_the_lock(self):
        self.lock_all()
        done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", "--json", "goldens/goldens.lock", code=NOT_COMPARED)
        self.assertIn("goldens/goldens.lock", done.stderr)
        self.assertIn("expected only one of --add, --hashes and --files", self.run_roundel("accept", "--add", "--hashes", "--all", code=2).stderr)


class GitFiles(RegressCase):
    """Files left by git: Git LFS pointers, conflicts."""

    POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + 64 * "0" + "\nsize 12345\n"
    PROBLEM = "is a Git LFS pointer: git lfs pull"

    def setUp(self):
        super().setUp()
        self.accept_all()

    def test_an_unfetched_golden_is_reported_and_kept(self):
        self.write("red.yaml", SCENE % "#00ff00")
        for name, options in (("red.alt-1.png", ()), ("red.exr", ("--format", "exr")), ("red.png", ())):
            with self.subTest(name):
                self.write(f"goldens/{name}", self.POINTER)
                text = self.regress(*options, "--report", "report", code=NOT_COMPARED, scenes=("red.yaml",))
                self.assertIn(f"{name.replace('.alt-1', '')}: not compared: goldens/{name}: {self.PROBLEM}\n", text)
                self.assertNotIn("accept", text)
                self.assertNotIn('"accept":', self.read("report/index.html").decode())
                self.assertEqual(self.files("regress-output"), [])
                self.run_roundel("accept", "--all", code=SAME)
                self.assertEqual(self.read(f"goldens/{name}").decode(), self.POINTER)
                os.remove(self.path(f"goldens/{name}"))

    def test_accept_never_replaces_an_unfetched_golden(self):
        self.write("red.yaml", BLUE)
        self.regress(code=DIFFER)
        self.write("goldens/red.png", self.POINTER)
        for option in ((), ("--add",), ("--hashes",)):
            done = self.run_roundel("accept", "--all", *option, code=NOT_COMPARED)
            self.assertIn(f"goldens/red.png: {self.PROBLEM}\n", done.stderr)
            self.assertEqual(self.read("goldens/red.png").decode(), self.POINTER)
            self.assertEqual(self.files("goldens"), ["deux bleus é.png", "red.png"])

    def test_two_folders(self):
        for folder in ("a", "b"):
            shutil.copytree(self.path("goldens"), self.path(folder))
        self.write("a/red.png", self.POINTER)
        self.write("b/deux bleus é.png", self.POINTER)
        text = self.run_roundel("diff", "a", "b", "--output", "found", code=NOT_COMPARED).stdout
        self.assertIn(f"red.png: not compared: a/red.png: {self.PROBLEM} [default]\n", text)
        self.assertIn(f"deux bleus é.png: not compared: b/deux bleus é.png: {self.PROBLEM} [default]\n", text)
        self.assertNotIn("roundel accept", text)
        self.assertEqual(self.files("found"), [])
        self.write("a/goldens.yaml", 'version: 1\ntolerances: [{pictures: "*", mask: red.png}]\n')
        self.assertIn(f"a/red.png: {self.PROBLEM}", self.run_roundel("diff", "a", "b", code=NOT_COMPARED).stderr)

    def test_lock_and_manifest(self):
        conflict = "version: 1\n<<<<<<< HEAD\n=======\n>>>>>>> other\n"
        for name in ("goldens.lock", "goldens.yaml"):
            for text, printed in ((self.POINTER, f": {self.PROBLEM}\n"), (conflict, ':2:1: conflict marker "<<<<<<< HEAD": keep the lines of one '
                                                                    "side, or of both, and remove the markers\n")):
                with self.subTest(name + printed):
                    self.write("red.yaml", BLUE)
                    self.regress(code=DIFFER)
                    kept = self.read("goldens/goldens.lock")
                    self.write(f"goldens/{name}", text)
                    done = self.run_roundel("regress", "red.yaml", "--goldens", "goldens", code=NOT_COMPARED)
                    self.assertEqual(done.stderr, f"error: goldens/{name}{printed}")
                    if name == "goldens.lock":
                        self.assertIn(f"goldens/{name}{printed}", self.run_roundel("accept", "--all", code=NOT_COMPARED).stderr)
                    self.assertEqual(self.read(f"goldens/{name}").decode(), text)
                    os.remove(self.path(f"goldens/{name}"))
                    with open(self.path("goldens/goldens.lock"), "wb") as file:
                        file.write(kept)


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
        self.run_roundel("accept", "--all", code=SAME)
        self.assertEqual(self.run_roundel(*run, code=SAME).stdout, "4 pictures: 4 same\n")
        self.assertNotEqual(self.read("scenes/goldens/a/logo.png"), self.read("scenes/goldens/b/logo.png"))
        text = self.run_roundel("regress", "scenes/", "red.yaml", "--goldens", "scenes/goldens", code=DIFFER).stdout
        self.assertIn("red.png: new", text)

    def test_films(self):
        run = ("regress", "scenes", "--frames", "0-1", "--goldens", "scenes/goldens", "--strict")
        self.run_roundel(*run, code=DIFFER)
        self.run_roundel("accept", "--all", code=SAME)
        self.assertEqual(self.run_roundel(*run, code=SAME).stdout, "8 pictures: 8 same\n")
        self.assertIn("a/deep/logo/0001.png", self.files("scenes/goldens"))
        self.write("scenes/a/deep/logo.yaml", BAD)  # its goldens are not unused
        self.assertIn("7 pictures: 6 same, 1 not compared", self.run_roundel(*run, code=NOT_COMPARED).stdout)

    def test_folders_without_scenes_are_refused(self):
        os.mkdir(self.path("empty"))
        done = self.run_roundel("regress", "empty", "--goldens", "goldens", code=NOT_COMPARED)
        self.assertEqual(done.stderr, "error: empty: no scenes (*.yaml) in this folder or below\n")

    def refused(self, *scenes):
        return self.run_roundel("regress", *scenes, "--goldens", "goldens", code=NOT_COMPARED).stderr

    def test_names_that_collide_on_some_systems_are_refused(self):
        self.assertEqual(self.refused("scenes/a", "scenes/b"), "error: scenes/a/logo.yaml and scenes/b/logo.yaml "
                                                               "would both have the golden logo.png\n")
        self.write("scenes/Top.yaml", RED)
        self.assertEqual(self.refused("scenes"),
                         "error: scenes/Top.yaml and scenes/top.yaml would both have the golden top.png "
                         "where file systems do not tell case apart: Top and top\n")
        self.assertIn("do not tell case apart", self.refused("scenes/Top.yaml", "scenes/top.yaml", "--frames", "0"))

    def test_two_forms_of_a_name_in_unicode_are_two_names(self):
        os.makedirs(self.path("accents"))
        composed, apart = "caf\u00e9", "cafe\u0301"
        for folder, name in (("A", composed), ("B", apart)):
            self.write(f"accents/{name}.yaml", RED)
            os.makedirs(self.path(folder))
            self.run_roundel("render", "red.yaml", "-o", f"{folder}/{name}.png", code=0)
        self.run_roundel("regress", "accents", "--goldens", "goldens", code=DIFFER)
        self.run_roundel("accept", "--all", code=SAME)
        self.assertEqual(self.run_roundel("regress", "accents", "--goldens", "goldens", code=SAME).stdout,
                         "2 pictures: 2 same\n")
        self.assertEqual(self.run_roundel("diff", "A", "B", code=DIFFER).stdout.splitlines(), [
            f"{apart}.png: new: there is no golden A/{apart}.png",
            f"{composed}.png: missing: there is no B/{composed}.png",
            "2 pictures: 0 same, 1 new, 1 missing"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
