#!/usr/bin/env python3
"""Pixels that comparing ignores: regions, masks, smoothed edges. Usage: ignore_test.py PATH_OF_ROUNDEL"""

import json
import os
import unittest

from command_case import CommandCase

SAME, DIFFER, COULD_NOT = range(3)
# A clock at the upper left, whose hand points to `hand`, and a disc.
SCENE = """version: 1
vars: {hand: 0.1, disc: 1}
image: {width: 60, height: 40, antialias: %s}
layers:
  - circles: [{x: $hand, y: 0.8, radius: 0.05, color: "#ff0000"}, {x: $disc, y: 0.4, radius: 0.3, color: "#0000ff", alpha: 1}]
"""
CLOCK = "0,0,20,16"
MASK = """version: 1
image: {width: 60, height: 40, background: "#000000"}
layers: [{circles: [{x: 0.2, y: 0.8, radius: 0.3, color: "#ffffff", alpha: 1}]}]
"""


class IgnoreTest(CommandCase):
    def setUp(self):
        super().setUp()
        self.write("s.yaml", SCENE % "false")
        self.write("smooth.yaml", SCENE % "true")
        self.write("mask.yaml", MASK)
        self.run_roundel("render", "mask.yaml", "-o", "mask.png")
        self.run_roundel("render", "mask.yaml", "--size", "20x20", "-o", "small.png")
        os.mkdir(self.path("goldens"))
        os.mkdir(self.path("actual"))
        self.draw("goldens/a.png")
        self.draw("actual/a.png", "hand=0.17")

    def draw(self, name, *settings, scene="s.yaml"):
        self.run_roundel("render", scene, "-o", name, *(word for one in settings for word in ("--set", one)))

    def diff(self, *more, code, pair=("goldens/a.png", "actual/a.png")):
        return self.run_roundel("diff", *pair, *more, code=code)

    def test_regions_and_masks_are_ignored_and_counted(self):
        self.diff(code=DIFFER)
        for options in (("--ignore", CLOCK), ("--mask", "mask.png"), ("--ignore", "0,0,1,1", "--ignore", CLOCK)):
            self.assertRegex(self.diff(*options, code=SAME).stdout.decode(),
                             r": same within the limits: 0 of 60x40 pixels \(0 %\); \d+ of \d+ ignored ones differ; ")
        printed = json.loads(self.diff("--ignore", CLOCK, "--json", code=SAME).stdout)
        self.assertEqual((printed["pixels"], printed["ignored"]["pixels"], printed["rmse"]), (0, 320, 0))
        self.assertGreater(printed["ignored"]["different"], 10)
        self.diff("--ignore", "0,0,5,5", code=DIFFER)
        self.draw("actual/a.png", "hand=0.17", "disc=1.1")
        self.diff("--ignore", CLOCK, code=DIFFER)

    def test_smoothed_edges_may_be_ignored(self):
        self.draw("one.png", scene="smooth.yaml")
        self.draw("two.png", "disc=1.006", scene="smooth.yaml")
        pair = ("one.png", "two.png")
        self.diff(code=DIFFER, pair=pair)
        self.assertRegex(self.diff("--ignore-antialiasing", code=SAME, pair=pair).stdout.decode(),
                         r"(\d+) of 60x40 .*, \1 by antialiasing")
        self.draw("two.png", "disc=1.3", scene="smooth.yaml")
        self.diff("--ignore-antialiasing", code=DIFFER, pair=pair)

    def test_mistakes_are_reported(self):
        for options, printed in ((("--ignore", "1,2,3"), b"--ignore: expected X,Y,W,H, four whole numbers"),
                              (("--ignore", "0,0,0,4"), b"--ignore: expected a whole number of pixels from 1"),
                              (("--mask", "no.png"), b"--mask: no.png: no such file"),
                              (("--mask", "s.yaml"), b"--mask: s.yaml: "),
                              (("--mask", "small.png"), b"small.png: the mask has 20x20 pixels, the pictures have 60x40")):
            self.assertIn(printed, self.diff(*options, code=COULD_NOT).stderr)
        before = self.read("mask.png")
        self.assertIn(b"would replace", self.diff("--mask", "mask.png", "--diff-image", "mask.png", code=COULD_NOT).stderr)
        self.assertEqual(self.read("mask.png"), before)

    def test_regions_outside_are_reported(self):
        warning = "--ignore: the 5x5 pixels at (60, 0) lie outside of the pictures\n"
        boxes = ("--ignore", "60,0,5,5", "--ignore", "59,39,50,50")
        self.assertEqual(self.diff(*boxes, code=DIFFER).stderr.decode(), "warning: " + warning)
        self.assertEqual(self.diff(*boxes, code=DIFFER, pair=("goldens", "actual")).stderr.decode(), "warning: " + warning)
        self.assertEqual(self.diff(*boxes, "--quiet", code=DIFFER).stderr, b"")
        self.run_roundel("render", "s.yaml", "--size", "64x40", "-o", "goldens/b.png")
        self.run_roundel("render", "s.yaml", "--size", "64x40", "--set", "disc=0.9", "-o", "actual/b.png")
        self.assertEqual(self.diff(*boxes, code=DIFFER, pair=("goldens", "actual")).stderr, b"")
        os.remove(self.path("goldens/b.png"))
        self.write("goldens/goldens.yaml", """version: 1
tolerances:
  - {pictures: "a*", ignore: [{x: 0, y: 40, width: 2, height: 1}]}
""")
        self.assertIn(b'goldens.yaml:3 "a*": the 2x1 pixels at (0, 40) lie outside', self.diff(code=DIFFER, pair=("goldens", "actual")).stderr)

    def test_rules_of_folders(self):
        os.rename(self.path("mask.png"), self.path("goldens/clock.png"))  # not a golden
        folders = ("goldens", "actual")
        self.assertIn(b"a.png: differs", self.diff(code=DIFFER, pair=folders).stdout)
        for rule in ("mask: clock.png", "ignore: [{x: 0, y: 0, width: 20, height: 16}]"):
            if "mask" not in rule:
                os.unlink(self.path("goldens/clock.png"))
            self.write("goldens/goldens.yaml", f'version: 1\ntolerances:\n  - pictures: "a*"\n    {rule}\n')
            done = self.diff("--report", "report", "--json=r.json", code=SAME, pair=folders)
            self.assertIn(b"1 picture: 1 same", done.stdout)
            self.assertIn(b"a.png: same [", done.stdout)
            self.assertGreater(json.loads(self.read("r.json"))["pictures"][0]["difference"]["ignored"]["different"], 10)
            self.assertRegex(self.read("report/index.html").decode(), r'"a\.png","\d+ pixels differ within goldens')
        self.write("goldens/goldens.yaml", 'version: 1\ntolerances:\n  - pictures: "a*"\n    mask: none.png\n')
        self.assertEqual(self.diff(code=COULD_NOT, pair=folders).stderr.decode(),
                         "error: goldens/goldens.yaml:4:11: mask: goldens/none.png: no such file\n")
        self.write("goldens/goldens.yaml", 'version: 1\ntolerances:\n  - pictures: "a*"\n    mask: ../small.png\n')
        self.assertIn(b"a.png: not compared: goldens/../small.png: the mask has 20x20 pixels",
                      self.diff(code=COULD_NOT, pair=folders).stdout)

    def test_regress(self):
        self.run_roundel("render", "s.yaml", "-o", "goldens/s.png")
        os.unlink(self.path("goldens/a.png"))
        arguments = ("regress", "s.yaml", "--goldens", "goldens", "--set", "hand=0.17")
        self.run_roundel(*arguments, code=DIFFER)
        os.rename(self.path("mask.png"), self.path("goldens/clock.png"))
        self.write("goldens/goldens.yaml", 'version: 1\ntolerances: [{pictures: s.png, mask: clock.png}]\n')
        done = self.run_roundel(*arguments, code=SAME).stdout.decode()
        self.assertNotIn("unused golden", done)
        self.assertNotIn("fingerprint of the scene", done)  # its pixels are wrong


class ShapesTest(CommandCase):
    def test_regress_tolerates_shapes_by_rule(self):
        self.write("s.yaml", SCENE % "false")
        self.write("deep.yaml", (SCENE % "false").replace("height: 40", "height: 40, bits: 16"))
        os.mkdir(self.path("goldens"))
        self.run_roundel("render", "deep.yaml", "-o", "goldens/s.png")
        arguments = ("regress", "s.yaml", "--goldens", "goldens", "--report", "report")
        self.assertIn(b"they are 60x40 RGB of 16 bits and 60x40 RGB", self.run_roundel(*arguments, code=DIFFER).stdout)
        self.write("goldens/goldens.yaml", "version: 1\ntolerances: [{pictures: s.png, shape-tolerant: true, max-delta: 0.5}]\n")
        self.run_roundel(*arguments, code=SAME)
        done = self.run_roundel(*arguments, "--set", "disc=1.1", code=DIFFER)
        self.assertRegex(done.stdout.decode(), r"s\.png: differs: \d+ pixels differ")
        self.assertTrue(os.path.exists(self.path("regress-output/diff/s.png")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
