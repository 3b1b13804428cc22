#!/usr/bin/env python3
"""The scenes of scenes/data with a fiftieth of their rows, which their script makes first; tissue.npz and newyear.npz.
Usage: data_scenes_test.py PATH_OF_ROUNDEL
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import numpy as np

ROUNDEL = ""
SCENES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../scenes/data")
ROWS = {"particles": 60_000}  # some events are left out


class DataScenesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="roundel_data_scenes_")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        subprocess.run([os.path.join(SCENES, "make"), "0.02", cls.folder], check=True, timeout=300)
        for scene in glob.glob(os.path.join(SCENES, "*.yaml")):
            shutil.copy(scene, cls.folder)

    def run_roundel(self, *arguments):
        done = subprocess.run([ROUNDEL, *arguments], cwd=self.folder, timeout=120, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout} {done.stderr}")
        return done

    def test_scenes_are_drawn_without_warnings_and_have_legends(self):
        scenes = sorted(glob.glob(os.path.join(self.folder, "*.yaml")))
        self.assertEqual([os.path.basename(scene) for scene in scenes], ["events.yaml", "particles.yaml"])
        for scene in scenes:
            name = os.path.basename(scene).removesuffix(".yaml")
            self.assertEqual(self.run_roundel("render", scene, "-q", "-o", f"{name}.png").stderr, "")
            printed = self.run_roundel("validate", scene).stdout
            rows = int(re.search(r": ([0-9,]+) rows", printed).group(1).replace(",", ""))
            self.assertEqual(rows, ROWS.get(name, rows))
            seen, of_all = re.search(r"seen +([0-9,]+) of ([0-9,]+)", printed).groups()
            self.assertGreater(int(seen.replace(",", "")), 0.5 * int(of_all.replace(",", "")))
            self.run_roundel("legend", scene, "-o", f"{name}.svg")
            texts = [text.text for text in ElementTree.parse(os.path.join(self.folder, f"{name}.svg")).iter()]
            self.assertIn({"particles": "color: speed, log", "events": "color: kind"}[name], texts)

    def test_the_data_are_the_same_every_time(self):
        again = os.path.join(self.folder, "again")
        os.mkdir(again)
        subprocess.run([os.path.join(SCENES, "make"), "0.02", again], check=True, timeout=300)
        def content(folder, name):
            with open(os.path.join(folder, name), "rb") as file:
                return file.read()
        self.assertEqual(content(self.folder, "events.csv"), content(again, "events.csv"))
        one, other = (np.load(os.path.join(folder, "particles.npz")) for folder in (self.folder, again))
        for name in ("x_km", "y_km", "speed"):
            np.testing.assert_array_equal(one[name], other[name])

    def check_script(self, name, most_bytes, compare):
        """Runs the script of a stored file and compares each column of both."""
        made = os.path.join(self.folder, f"{name}.npz")
        subprocess.run([os.path.join(SCENES, f"make_{name}"), made], check=True, timeout=300)
        stored = os.path.join(SCENES, f"../{name}.npz")
        self.assertLess(os.path.getsize(stored), most_bytes)
        with np.load(stored) as one, np.load(made) as other:
            self.assertEqual(sorted(one), sorted(other))
            for column in one:
                compare(one[column], other[column])

    def test_the_stored_tissue_matches_its_script(self):
        self.check_script("tissue", 300_000, np.testing.assert_array_equal)

    def test_the_stored_firework_matches_its_script(self):
        def compare(one, other):  # the processor decides the last bits of exp
            if one.dtype.kind == "f":
                np.testing.assert_allclose(one, other, atol=1e-3)
            else:
                np.testing.assert_array_equal(one, other)
        self.check_script("newyear", 500_000, compare)


if __name__ == "__main__":
    ROUNDEL = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
