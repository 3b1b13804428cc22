#!/usr/bin/env python3
"""Unused goldens: regress --strict, accept --prune; shares of a run. Usage: unused_goldens_test.py PATH_OF_ROUNDEL"""

import json
import os
import unittest

from command_case import CommandCase

SAME, DIFFER, COULD_NOT = range(3)
SCENE = """version: 1
image: {width: 24, height: 16}
layers: [{circles: [{x: 0.5, y: 0.5, radius: 0.3}]}]
animation: {frames: 3}
"""


class UnusedGoldensCase(CommandCase):
    def setUp(self):
        super().setUp()
        self.write("a.yaml", SCENE)
        self.write("b.yaml", SCENE)
        os.mkdir(self.path("goldens"))
        self.regress(code=DIFFER)
        self.run_roundel("accept", "--all", code=SAME)
        self.run_roundel("render", "b.yaml", "--frames", "0-1", "-o", "goldens/film_#.png")
        os.mkdir(self.path("goldens/old"))
        os.rename(self.path("goldens/film_0.png"), self.path("goldens/old/film.png"))
        os.rename(self.path("goldens/film_1.png"), self.path("goldens/-x.png"))

    def regress(self, *more, code, scenes=("a.yaml", "b.yaml")):
        return self.run_roundel("regress", *scenes, "--goldens", "goldens", *more, code=code).stdout.decode()

    def goldens(self):
        return sorted(os.path.relpath(os.path.join(folder, name), self.path("goldens"))
                      for folder, _, names in os.walk(self.path("goldens")) for name in names if name != "goldens.lock")


class UnusedGoldens(UnusedGoldensCase):
    def test_unused_goldens_fail_and_can_be_removed(self):
        self.assertIn("2 unused goldens in goldens: -x.png, old/film.png (no scene of this run draws them)", self.regress(code=SAME))
        done = self.regress("--strict", "--json", "r.json", "--junit", "r.xml", "--report", "report", code=DIFFER)
        self.assertIn("old/film.png: missing: no scene of this run draws it\n", done)
        self.assertIn("4 pictures: 2 same, 2 missing\n", done)
        self.assertIn("if these are all scenes, remove unused goldens with: roundel accept --prune\n", done)
        self.assertEqual([picture["state"] for picture in json.loads(self.read("r.json"))["pictures"]],
                         ["missing", "same", "same", "missing"])
        self.assertIn(b'failures="2"', self.read("r.xml"))
        self.assertEqual(len(self.goldens()), 4)  # a run changes none
        done = self.run_roundel("accept", "--prune", code=SAME).stdout.decode()
        self.assertEqual(done, "-x.png: removed from goldens\nold/film.png: removed from goldens\n")
        self.assertEqual(self.goldens(), ["a.png", "b.png"])
        self.run_roundel("accept", "--prune", code=SAME)
        self.regress("--strict", code=SAME)
        self.run_roundel("accept", "--prune", code=SAME)  # the run has written no files

    def test_a_renamed_scene_is_reported(self):
        self.write("b.yaml", SCENE.replace("0.3", "0.2"))
        self.regress(code=DIFFER)
        self.run_roundel("accept", "--all", code=SAME)
        os.rename(self.path("b.yaml"), self.path("c.yaml"))
        done = self.regress(code=DIFFER, scenes=("a.yaml", "c.yaml"))
        self.assertIn("c.png: new: there is no golden goldens/c.png, "
                      "goldens/b.png is of this scene and frame, under another name\n", done)
        self.write("c.yaml", SCENE.replace("0.3", "0.1"))
        self.assertNotIn("another name", self.regress(code=DIFFER, scenes=("a.yaml", "c.yaml")))

    def test_prune_needs_strict(self):
        self.write("a.yaml", SCENE.replace("0.3", "0.2"))
        self.regress(code=DIFFER, scenes=["a.yaml"])
        self.run_roundel("accept", "--prune", code=SAME)
        self.assertEqual(len(self.goldens()), 4)
        self.assertIn(b"expected NAME, --all or --prune", self.run_roundel("accept", code=COULD_NOT).stderr)

    def test_named_goldens_are_removed(self):
        self.write("a.yaml", SCENE.replace("0.3", "0.2"))
        self.regress("--strict", code=DIFFER)
        done = self.run_roundel("accept", "--prune", "a", "old/film", code=COULD_NOT).stderr
        self.assertIn(b'--prune: "a" is no unused golden that the last "regress --strict" found; there are -x.png and old/film.png', done)
        self.assertEqual(len(self.goldens()), 4)
        done = self.run_roundel("accept", "--check", "a", "--prune", "old/film", code=DIFFER).stdout
        self.assertEqual(done, b"a.png: would be replaced in goldens\nold/film.png: would be removed from goldens\n")
        self.assertEqual(len(self.goldens()), 4)
        self.run_roundel("accept", "a", "--prune", "old/film", code=SAME)
        self.assertEqual(self.goldens(), ["-x.png", "a.png", "b.png"])
        self.assertIn("3 pictures: 2 same, 1 missing\n", self.regress("--strict", code=DIFFER))
        self.run_roundel("accept", "--prune=-x.png", code=SAME)
        self.assertEqual(self.goldens(), ["a.png", "b.png"])

    def test_a_scene_that_is_back_is_not_pruned(self):
        self.regress("--strict", code=DIFFER, scenes=("a.yaml",))
        self.regress(code=SAME, scenes=("b.yaml",))
        self.run_roundel("accept", "--prune", code=SAME)
        self.assertEqual(self.goldens(), ["a.png", "b.png"])

    def test_all_and_prune_work_together(self):
        self.write("a.yaml", SCENE.replace("0.3", "0.2"))
        done = self.regress("--strict", code=DIFFER)
        self.assertIn("4 pictures: 1 same, 1 differs, 2 missing\n", done)
        self.run_roundel("accept", "--all", "--prune", code=SAME)
        self.assertEqual(self.goldens(), ["a.png", "b.png"])
        self.regress("--strict", code=SAME)

    def test_a_broken_scene_keeps_its_goldens(self):
        self.regress("--frames", "0-2", code=DIFFER)
        self.run_roundel("accept", "--all", code=SAME)
        self.write("a.yaml", "version: 2\n")
        done = self.regress("--frames", "0-2", "--strict", code=COULD_NOT)
        self.assertNotIn("a/0001.png", done)
        self.run_roundel("accept", "--prune", code=SAME)
        self.assertEqual(self.goldens(), [f"{scene}/{frame:04}.png" for scene in "ab" for frame in range(3)])

    def test_prune_skips_missing_files_and_links(self):
        self.regress("--strict", code=DIFFER)
        os.unlink(self.path("goldens/old/film.png"))
        os.rename(self.path("goldens/old"), self.path("elsewhere"))
        self.write("elsewhere/film.png", "somebody's")
        os.symlink("../elsewhere", self.path("goldens/old"))
        self.assertIn(b"links are not followed", self.run_roundel("accept", "--prune", code=COULD_NOT).stderr)
        self.assertEqual(self.read("elsewhere/film.png"), b"somebody's")
        self.assertFalse(os.path.exists(self.path("goldens/-x.png")))
        self.write("regress-output/pending/a.yaml.json", json.dumps({"version": 1, "goldens": "..", "unused": True}))
        self.assertIn(b"a.yaml.json: expected the name of a PNG or EXR file, and .json", self.run_roundel("accept", "--prune", code=COULD_NOT).stderr)
        self.assertTrue(os.path.exists(self.path("a.yaml")))


class Shares(UnusedGoldensCase):
    def test_shares_add_up_to_the_run(self):
        self.write("b.yaml", SCENE.replace("0.3", "0.2"))
        whole = self.regress("--strict", "--json", "whole.json", code=DIFFER)
        self.assertIn("4 pictures: 1 same, 1 differs, 2 missing\n", whole)
        pictures = []
        for share, code in (("1/2", DIFFER), ("2/2", DIFFER)):
            self.regress("--strict", "--shard", share, "--json", "share.json", code=code)
            pictures += self.results("share.json")
        by_name = lambda picture: picture["name"]
        self.assertEqual(sorted(pictures, key=by_name), sorted(self.results("whole.json"), key=by_name))

    def test_a_share_without_pictures_says_so(self):
        note = self.run_roundel("regress", "a.yaml", "--goldens", "goldens", "--shard", "2/3", code=SAME).stderr
        self.assertEqual(note, b"note: --shard: share 2 of 3 has no picture, since there is 1 picture\n")

    def test_mistakes_are_reported_once(self):
        self.write("a.yaml", "version: 2\n")
        done = [self.regress("--shard", f"{share}/3", code=COULD_NOT if share == 1 else SAME) for share in (1, 2, 3)]
        self.assertIn("a.png: not compared", done[0])
        self.assertIn("2 unused goldens in goldens", done[0])
        self.assertEqual(sorted(done[1:]), ["0 pictures: 0 same\n", "1 picture: 1 same\n"])
        self.assertIn(b"--shard: expected", self.run_roundel("regress", "b.yaml", "--goldens", "goldens", "--shard", "3/2",
                                                             code=COULD_NOT).stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
