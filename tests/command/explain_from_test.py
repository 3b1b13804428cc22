#!/usr/bin/env python3
"""regress --explain-from: scenes of another checkout. Usage: explain_from_test.py PATH_OF_ROUNDEL"""

import json
import os
import shutil
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
    """The working directory has scenes, data and goldens; old/ is another checkout of the same project."""

    def setUp(self):
        super().setUp()
        for folder in ("scenes", "data", "goldens"):
            os.mkdir(self.path(folder))
        self.write("scenes/plain.yaml", SCENE)
        self.write("scenes/data.yaml", DATA)
        self.write("data/rows.csv", ROWS)
        self.write("scenes/film.yaml", FILM)
        for frame in range(2):
            self.write(f"scenes/p_{frame}.csv", ROWS.replace("0.5", f"0.{4 + frame}"))
        self.write("scenes/same.yaml", SCENE)
        for folder in ("scenes", "data"):
            shutil.copytree(self.path(folder), self.path(f"old/{folder}"))

    def accept(self, *scenes, more=()):
        self.run_roundel("regress", *scenes, "--goldens", "goldens", *more, code=DIFFER)
        self.run_roundel("accept", "--all", code=SAME)

    def regress(self, *arguments, code=DIFFER, checkout="old"):
        before = self.files("old")
        done = self.run_roundel("regress", *arguments, "--goldens", "goldens", "--explain-from", checkout,
                                "--json", "r.json", "--report", "report", "--junit", "r.xml", code=code)
        self.assertEqual(self.files("old"), before)
        return done.stdout.decode()

    def files(self, folder):
        return {os.path.join(at, name): self.read(os.path.join(at, name)) for at, _, names in os.walk(self.path(folder)) for name in names}

    def explanations(self):
        return {picture["name"]: picture.get("explanation") for picture in json.loads(self.read("r.json"))["pictures"]}

    def test_values_and_circles_are_in_every_result(self):
        self.accept("scenes/plain.yaml", "scenes/same.yaml")
        self.write("scenes/plain.yaml", SCENE.replace("seed: 7", "seed: 8  # other").replace("0.05}\n", "0.09}\n", 1)
                   .replace('"#ff0000"', '"#ff00ff"').replace("radius: 0.05}\n", "radius: 0.06}\n"))
        out = self.regress("scenes/plain.yaml", "scenes/same.yaml")
        self.assertIn("    scene: seed 7 -> 8\n    scene: layers[0].random.radius 0.05 -> 0.09\n", out)
        self.assertRegex(out, r"    cluster 1 of \d+: [\d,]+ pixels in ")
        self.assertRegex(out, r"layers\[1\] circles, 0 \(plain.yaml:7\) +layers\[1\] circles, 0 \(plain.yaml:7\) +colour \(1 0 0\) -> \(1 0 1\)\n")
        lines = self.explanations()
        self.assertIsNone(lines["same.png"])
        self.assertEqual([f"    {line}" for line in lines["plain.png"]], [line for line in out.splitlines() if line.startswith("    ")])
        self.assertIn('"explanation":["scene: seed 7 -> 8"', self.read("report/index.html").decode().replace("\\u003c", "<"))
        self.assertIn("&gt; 8\nscene: layers[0]", self.read("r.xml").decode())
        # Reading and reporting the results again keeps the explanation.
        report = self.read("report/index.html")
        again = self.run_roundel("report", "r.json", "--report", "again", code=DIFFER).stdout.decode()
        self.assertEqual(self.read("again/index.html"), report)
        self.assertIn("    scene: seed 7 -> 8\n", again)

    def test_data_come_from_the_checkout(self):
        self.accept("scenes/data.yaml")
        self.write("data/rows.csv", ROWS + "0.7,0.7,0.1\n")
        out = self.regress("scenes/data.yaml")
        self.assertIn("    scene: layers[0].data ../data/rows.csv has other bytes, rows 2 -> 3\n", out)
        self.assertRegex(out, r" 100 % +\d+  added +- +layers\[0\] data [^ ]*, 2 ")
        self.assertIn("    ./scenes/data.yaml draws the same\n", self.regress("scenes/data.yaml", checkout="."))
        os.remove(self.path("old/data/rows.csv"))
        self.assertIn("    not explained: old/scenes/data.yaml:4:", self.regress("./scenes/../scenes/data.yaml"))

    def test_a_film_has_one_file_for_each_frame(self):
        self.accept("scenes/film.yaml", more=("--frames", "0-1"))
        self.write("scenes/p_1.csv", ROWS.replace("0.5", "0.6"))
        self.regress("scenes/film.yaml", "--frames", "0-1")
        self.assertRegex("\n".join(self.explanations()["film/0001.png"]), r" 100 % .* changed .*old/scenes/p_1.csv, 0 ")

    def test_unexplained_pictures_keep_their_verdict(self):
        self.accept("scenes/plain.yaml")
        self.write("scenes/plain.yaml", SCENE.replace("seed: 7", "seed: 8"))

        def expect_explanation(text, scene="scenes/plain.yaml"):
            self.assertIn(f"    not explained: {text}", self.regress(scene))
            self.assertEqual(json.loads(self.read("r.json"))["counts"]["differ"], 1)

        absolute = self.path("scenes/plain.yaml")
        for scene in (absolute, f"../{os.path.basename(self.folder)}/scenes/plain.yaml"):
            expect_explanation(f"{scene}: expected a path below the working directory, which leads to the same scene in old\n", scene)
        self.write("old/scenes/plain.yaml", "version: 2\n")
        expect_explanation("old/scenes/plain.yaml:1:1: missing key \"layers\"\n    old/scenes/plain.yaml:1:10: version: expected 1, got 2\n")
        os.remove(self.path("old/scenes/plain.yaml"))
        expect_explanation("old/scenes/plain.yaml: no such file\n")

    def test_a_missing_folder_is_an_error_that_shows_how_to_make_one(self):
        self.accept("scenes/plain.yaml")
        self.write("r.json", "kept")
        for given, command in (("HEAD~1", "../old 'HEAD~1'"), ("origin/main", "../old origin/main"), ("a;b", "../old 'a;b'"),
                               ("../old", "../old origin/main"), ("--all", "../old --all")):
            done = self.run_roundel("regress", "scenes/plain.yaml", "--goldens", "goldens", f"--explain-from={given}", "--json", "r.json",
                                    code=COULD_NOT)
            self.assertEqual(done.stderr.decode(), "error: --explain-from: expected a folder with another checkout of the project, got "
                             f'"{given}"; git worktree add {command} makes one\n')
        self.assertEqual(self.read("r.json"), b"kept")
        os.mkdir(self.path(".git"))
        self.write(".git/shallow", "")
        done = self.run_roundel("regress", "scenes/plain.yaml", "--goldens", "goldens", "--explain-from", "main", code=COULD_NOT)
        self.assertIn(b"this clone is shallow: first git fetch --unshallow", done.stderr)

    def test_the_checkout_is_only_read(self):
        """A folder like a repository with its own filters, as a clone may have them."""
        self.accept("scenes/plain.yaml")
        self.write("scenes/plain.yaml", SCENE.replace("seed: 7", "seed: 8"))
        os.mkdir(self.path("bin"))
        self.write("bin/git", f"#!/bin/sh\ntouch '{self.path('PWNED')}'\n")
        os.chmod(self.path("bin/git"), 0o755)
        for folder in ("scenes", "old/scenes"):
            os.makedirs(self.path(f"{folder}/objects"))
            os.makedirs(self.path(f"{folder}/refs"))
            self.write(f"{folder}/HEAD", "ref: refs/heads/main\n")
            self.write(f"{folder}/config", f"[core]\n worktree = .\n[filter \"x\"]\n smudge = \"touch '{self.path('PWNED')}'; cat\"\n")
            self.write(f"{folder}/.gitattributes", "*.yaml filter=x\n")
        path = os.environ["PATH"]
        try:
            os.environ["PATH"] = f"{self.path('bin')}:{path}"
            self.assertIn("scene: seed 7 -> 8", self.regress("scenes/plain.yaml"))
        finally:
            os.environ["PATH"] = path
        self.assertFalse(os.path.exists(self.path("PWNED")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
