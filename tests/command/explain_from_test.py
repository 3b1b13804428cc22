#!/usr/bin/env python3
"""regress --explain-from: scenes as git has them. Usage: explain_from_test.py PATH_OF_ROUNDEL"""

import json
import os
import subprocess
import unittest

from command_case import CommandCase

SAME, DIFFER, COULD_NOT = range(3)
SCENE = """version: 1
image: {width: 60, height: 40}
seed: 7
layers:
  - random: {count: 3, radius: 0.05}
  - circles:
      - {x: 0.2, y: 0.8, radius: 0.1, color: "#ff0000"}
      - {x: 0.8, y: 0.8, radius: 0.05}
"""
DATA = """version: 1
image: {width: 60, height: 40}
vars: {name: rows}
layers: [{data: "../data/${name}.csv", columns: [x, y, radius]}]
"""
FILM = """version: 1
image: {width: 60, height: 40}
animation: {frames: 2}
layers: [{data: "p_#.csv", columns: [x, y, radius]}]
"""
ROWS = "x,y,radius\n0.5,0.5,0.1\n0.3,0.3,0.1\n"


class ExplainFrom(CommandCase):
    def setUp(self):
        super().setUp()
        for folder in ("scenes", "data", "goldens", "temporary"):
            os.mkdir(self.path(folder))
        self.write("scenes/plain.yaml", SCENE)
        self.write("scenes/data.yaml", DATA)
        self.write("data/rows.csv", ROWS)
        self.write("scenes/film.yaml", FILM)
        for frame in range(2):
            self.write(f"scenes/p_{frame}.csv", ROWS.replace("0.5", f"0.{4 + frame}"))
        self.write("scenes/same.yaml", SCENE)
        self.git("init", "-q")
        self.git("add", "scenes", "data")
        self.git("commit", "-qm", "before")
        environment = {"TMPDIR": self.path("temporary")}
        os.environ.update(environment)

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", *words],
                       cwd=self.folder, check=True, capture_output=True)

    def accept(self, *scenes, more=()):
        self.run_roundel("regress", *scenes, "--goldens", "goldens", *more, code=DIFFER)
        self.run_roundel("accept", "--all", code=DIFFER)

    def regress(self, *arguments, code=DIFFER, revision="HEAD"):
        done = self.run_roundel("regress", *arguments, "--goldens", "goldens", "--explain-from", revision,
                                "--json", "r.json", "--report", "report", "--junit", "r.xml", code=code)
        self.assertEqual(os.listdir(self.path("temporary")), [])
        return done.stdout.decode()

    def explanations(self):
        return {picture["name"]: picture.get("explanation") for picture in json.loads(self.read("r.json"))["pictures"]}

    def test_values_and_circles_are_in_every_result(self):
        self.accept("scenes/plain.yaml", "scenes/same.yaml")
        self.write("scenes/plain.yaml", SCENE.replace("seed: 7", "seed: 8  # other").replace("0.05}\n", "0.09}\n", 1)
                   .replace('"#ff0000"', '"#ff00ff"').replace("radius: 0.05}\n", "radius: 0.06}\n"))
        out = self.regress("scenes/plain.yaml", "scenes/same.yaml")
        self.assertIn("    scene: seed 7 -> 8\n    scene: layers[0].random.radius 0.05 -> 0.09\n", out)
        self.assertRegex(out, r"    cluster 1 of \d+: ")
        self.assertRegex(out, r"layers\[1\] circles, 0 \(plain.yaml:7\) +layers\[1\] circles, 0 \(plain.yaml:7\) +colour \(1 0 0\) -> \(1 0 1\)\n")
        lines = self.explanations()
        self.assertIsNone(lines["same.png"])
        self.assertEqual([f"    {line}" for line in lines["plain.png"]], [line for line in out.splitlines() if line.startswith("    ")])
        self.assertIn('"explanation":["scene: seed 7 -> 8"', self.read("report/index.html").decode().replace("\\u003c", "<"))
        self.assertIn("&gt; 8\nscene: layers[0]", self.read("r.xml").decode())
        # Read again, and reported on, it is the same.
        report = self.read("report/index.html")
        again = self.run_roundel("report", "r.json", "--report", "again", code=DIFFER).stdout.decode()
        self.assertEqual(self.read("again/index.html"), report)
        self.assertIn("    scene: seed 7 -> 8\n", again)

    def test_data_are_those_of_the_revision(self):
        self.accept("scenes/data.yaml")
        self.write("data/rows.csv", ROWS + "0.7,0.7,0.1\n")
        self.git("commit", "-qam", "more data")
        out = self.regress("scenes/data.yaml", revision="HEAD~1")
        self.assertIn("    scene: layers[0].data ../data/rows.csv has other bytes, rows 2 -> 3\n", out)
        self.assertRegex(out, r" 100 % +\d+  added +- +layers\[0\] data [^ ]*, 2 ")
        self.assertNotIn("temporary", out)
        self.assertIn("    at HEAD it draws the same\n", self.regress("scenes/data.yaml"))

    def test_data_that_are_not_in_git_are_those_of_now(self):
        self.write("data/mine.csv", ROWS)
        self.accept("scenes/data.yaml", more=("--set", "name=mine"))
        self.write("scenes/data.yaml", DATA.replace("width: 60", "width: 61"))
        out = self.regress("scenes/data.yaml", "--set", "name=mine")
        self.assertIn("    scene: image.width 60 -> 61\n    no pixels to compare: 60x40 RGB and 61x40 RGB\n", out)

    def test_a_film_has_a_file_a_frame(self):
        self.accept("scenes/film.yaml", more=("--frames", "0-1"))
        self.write("scenes/p_1.csv", ROWS.replace("0.5", "0.6"))
        self.regress("scenes/film.yaml", "--frames", "0-1")
        lines = self.explanations()
        self.assertRegex("\n".join(lines["film/0001.png"]), r" 100 % .* changed .*HEAD:scenes/p_1.csv, 0 ")

    def test_what_cannot_be_explained_keeps_its_verdict(self):
        self.accept("scenes/plain.yaml")
        self.write("scenes/plain.yaml", SCENE.replace("seed: 7", "seed: 8"))

        def says(text, **how):
            self.assertIn(f"    not explained: {text}", self.regress("scenes/plain.yaml", **how))
            self.assertEqual(json.loads(self.read("r.json"))["counts"]["differ"], 1)

        says('"v1": no such revision in ', revision="v1")
        says('"--all": no such revision in ', revision="--all")
        self.git("mv", "scenes/plain.yaml", "scenes/other.yaml")
        self.git("commit", "-qm", "moved")
        os.rename(self.path("scenes/other.yaml"), self.path("scenes/plain.yaml"))
        says("scenes/plain.yaml is not in HEAD\n")
        path = os.environ["PATH"]
        try:
            os.environ["PATH"] = self.folder
            says("git: No such file or directory\n")
        finally:
            os.environ["PATH"] = path
        os.rename(self.path(".git"), self.path("git"))
        os.environ["GIT_CEILING_DIRECTORIES"] = os.path.dirname(self.folder)
        says("git: fatal: not a git repository")
        os.rename(self.path("git"), self.path(".git"))

    def test_a_scene_that_was_wrong_is_said_with_its_place(self):
        self.accept("scenes/plain.yaml")
        self.write("scenes/plain.yaml", "version: 2\n")
        self.git("commit", "-qam", "broken")
        self.write("scenes/plain.yaml", SCENE.replace("seed: 7", "seed: 8"))
        self.assertIn("    not explained: HEAD:scenes/plain.yaml:1:1: missing key \"layers\"\n"
                      "    HEAD:scenes/plain.yaml:1:10: version: expected 1, got 2\n", self.regress("scenes/plain.yaml"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
