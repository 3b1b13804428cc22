#!/usr/bin/env python3
"""pytest_test.py ROUNDEL: the fixture roundel_golden stores pictures, passes and fails. Needs pytest."""
import importlib.util
import subprocess
import sys
import unittest

from command_case import CommandCase

TEST = """
import pytest
import roundel
SCENE = {"version": 1, "image": {"width": 24, "height": 16}, "layers": [{"circles": [{"x": 0.5, "y": 0.5, "radius": RADIUS}]}]}

def test_path(roundel_golden):
    roundel_golden("disc.yaml", size=(32, 16))

def test_dict(roundel_golden):
    roundel_golden(SCENE, goldens="others/below", max_pixels=0)

def test_scene(roundel_golden):
    roundel_golden(roundel.Scene.from_dict(SCENE), "film/ring.exr")

class TestRing:
    @pytest.mark.parametrize("where", ["a b", "c/d"])
    def test_dict(self, roundel_golden, where):
        roundel_golden(SCENE)
"""
GOLDENS = {"goldens/disc.png", "others/below/test_it-test_dict.png", "goldens/film/ring.exr", "goldens/test_it-TestRing_test_dict_a_b_.png",
           "goldens/test_it-TestRing_test_dict_c_d_.png"}


@unittest.skipUnless(importlib.util.find_spec("pytest"), "needs pytest")
class Golden(CommandCase):
    is_text = True

    def setUp(self):
        super().setUp()
        self.scene(0.3)

    def scene(self, radius):
        self.write("test_it.py", TEST.replace("RADIUS", str(radius)))
        self.write("disc.yaml", f"version: 1\nlayers: [{{circles: [{{x: 0.5, y: 0.5, radius: {radius}}}]}}]\n")

    def pytest(self, *more, code):
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "roundel._pytest", "-p", "no:cacheprovider", *more],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def goldens(self):
        return {name: self.read(name) for name in GOLDENS}

    def test_pictures_are_stored_and_compared(self):
        text = self.pytest(code=1)
        self.assertIn(f"disc.png: new: there is no golden {self.path('goldens/disc.png')}\n", text)
        self.assertIn("if it is right: pytest --roundel-accept\n", text)
        self.pytest("--roundel-accept", code=0)
        first = self.goldens()
        self.run_roundel("render", "disc.yaml", "--size", "32x16", "-o", "want.png", code=0)
        self.assertEqual(first["goldens/disc.png"], self.read("want.png"))
        self.pytest(code=0)
        self.scene(0.2)
        text = self.pytest(code=1)
        self.assertRegex(text, r"disc\.png: differs: \d+ pixels differ, at most 0 may; the scene changed: the golden has another fingerprint\n")
        self.assertRegex(text, r"film/ring\.exr: differs: \d+ pixels differ")
        self.assertEqual(self.goldens(), first)
        self.pytest("--roundel-accept", code=0)
        self.assertEqual({name for name, data in self.goldens().items() if data != first[name]}, GOLDENS)
        self.pytest(code=0)

    @unittest.skipUnless(importlib.util.find_spec("xdist"), "needs pytest-xdist")
    def test_tests_run_at_once(self):
        self.pytest("-n", "3", "--roundel-accept", code=0)
        self.assertIn("5 passed", self.pytest("-n", "3", code=0))
        self.scene(0.2)
        self.assertIn("5 failed", self.pytest("-n", "3", code=1))

    def test_a_golden_that_was_not_fetched_stays(self):
        self.pytest("--roundel-accept", code=0)
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + 64 * "0" + "\nsize 12345\n"
        self.write("goldens/disc.png", pointer)
        self.assertIn("is a Git LFS pointer: git lfs pull", self.pytest("--roundel-accept", code=1))
        self.assertEqual(self.read("goldens/disc.png").decode(), pointer)


if __name__ == "__main__":
    unittest.main(verbosity=2)
