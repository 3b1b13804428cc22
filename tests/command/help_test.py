#!/usr/bin/env python3
"""The short helps, their examples, guesses, labels and man pages. Usage: help_test.py PATH_OF_ROUNDEL"""

import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import unittest

from command_case import RGB, ROUNDEL
from scenes_case import INVALID, USAGE, ScenesCase

SOURCE = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = "render verify validate diff regress accept report circles explain legend info selftest schema".split()
USUAL = {"render": 8, "verify": 5, "validate": 7, "diff": 8, "regress": 8, "accept": 7, "report": 7, "circles": 7, "explain": 8, "legend": 4,
         "info": 1, "selftest": 5, "schema": 0}
FILM = "version: 1\nimage: {width: 16, height: 8}\nanimation: {frames: 145}\nlayers:\n  - {random: {count: 3, radius: 0.2}, offset: {keys: {0: [0, 0], 144: [1, 0]}}}\n"
DATA = "version: 1\nimage: {width: 16, height: 8}\nlayers:\n  - {data: d.csv, map: {x: x, y: y, radius: 2px, color: {column: v, colormap: viridis}}}\n"


def on_terminal(*arguments, folder, **environment):
    """Returns the command's output on a terminal, and its exit code."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.pop("NO_COLOR", None)
        os.environ.update({"TERM": "xterm", **environment})
        os.execv(ROUNDEL, [ROUNDEL, *arguments])
    shown = b""
    try:
        while part := os.read(terminal, 4096):
            shown += part
    except OSError:
        pass
    os.close(terminal)
    return shown.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class ShortHelp(ScenesCase):
    def test_a_short_help_is_one_screen(self):
        for command in ["", *COMMANDS]:
            with self.subTest(command):
                text = self.run_roundel(*command.split(), "-h").stdout
                lines = text.splitlines()
                self.assertLessEqual(len(lines), 23)  # and the prompt
                self.assertLessEqual(max(map(len, lines)), 80)
                self.assertTrue(lines[0].startswith(f"Usage: roundel {command}"), text)
                self.assertEqual(lines[-1], " ".join(["full list: roundel", *command.split(), "--help"]))
                self.assertNotIn("\n" + " " * 26, text)  # each option has one line
                examples = text.split("Examples:\n")[1].split("\n\n")[0].splitlines()
                self.assertEqual(len(examples), 3, text)
                self.assertTrue(all(line.startswith("  roundel ") for line in examples), text)
                if command:
                    self.assertEqual(len(re.findall(r"(?m)^  (?:-., |    )--", text)), USUAL[command])
                    self.assertEqual(lines[2], "")  # one sentence tells what the command does
                    self.assertTrue(lines[1].endswith("."), text)

    def test_the_full_help_repeats_the_short_one(self):
        for command in COMMANDS:
            short, full = (" ".join(self.run_roundel(command, option).stdout.split()) for option in ("-h", "--help"))
            self.assertIn(short.split("Examples: ")[1].split(" full list:")[0], full)
            for line in re.findall(r"(?m)^  (?:-., |    )--.*$", self.run_roundel(command, "-h").stdout):
                self.assertIn(" ".join(line.split()), full)

    def test_the_full_help_names_its_page_and_where_scenes_are_described(self):
        for command in COMMANDS:
            last = self.run_roundel(command, "--help").stdout.splitlines()[-1]
            self.assertRegex(last, r"^Guide: docs/(films|command|compare|reports|explain|scenes)\.md", command)
            self.assertIn("docs/scenes.md", last)
        self.assertIn("docs/scenes.md", self.run_roundel("--help").stdout)

    def test_help_options_work_anywhere(self):
        short, full = (self.run_roundel("render", option).stdout for option in ("-h", "--help"))
        for arguments, text in ((["a.yaml", "-qh"], short), (["-h", "--nonsense"], short), (["--help", "-h"], full),
                                (["-h", "--help"], full)):
            self.assertEqual(self.run_roundel("render", *arguments).stdout, text, arguments)

    def test_a_missing_command_prints_the_short_help(self):
        done = self.run_roundel(code=USAGE)
        self.assertEqual(done.stderr, self.run_roundel("-h").stdout + "error: expected a command\n")


class Examples(ScenesCase):
    """The examples of all helps, in a folder with the files that they name."""

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("scenes/data"))
        shutil.copy(SOURCE / "scenes/rgb.yaml", self.path("scenes"))
        for name in ("galaxy", "snow", "title", "rand10k", "winter", "logo"):
            self.write(f"scenes/{name}.yaml", FILM.replace("145", "300") if name == "snow" else FILM)
        for name in ("tissue", "data/events", "data/particles"):
            self.write(f"scenes/{name}.yaml", DATA)
        for name in ("scenes/d.csv", "scenes/data/d.csv"):
            self.write(name, "x,y,v\n0,0,1\n1,1,2\n")
        self.write("old.yaml", FILM)
        self.write("new.yaml", FILM.replace("radius: 0.2", "radius: 0.3"))
        for name in ("old", "new", "goldens", "share1", "share2"):
            os.mkdir(self.path(name))
        for scene, name in (("old", "a"), ("old", "b"), ("old", "old/p"), ("new", "new/p")):
            self.run_roundel("render", f"{scene}.yaml", "-o", f"{name}.png")
        for results, share in (("results.json", "1/1"), ("share1/results.json", "1/2"), ("share2/results.json", "2/2")):
            self.run_roundel("regress", "scenes", "--goldens", "goldens", "--shard", share, "--json", results,
                              "-o", f"{os.path.dirname(results) or '.'}/regress-output", code=1)

    def test_examples_work(self):
        environment = {**os.environ, "PATH": f"{os.path.dirname(ROUNDEL)}:{os.environ['PATH']}"}
        examples = []
        for command in ["", *COMMANDS]:
            text = self.run_roundel(*command.split(), "-h").stdout
            examples += [line.strip() for line in text.split("Examples:\n")[1].split("\n\n")[0].splitlines()]
        # verify reads the film that render draws, report and accept the pictures that regress keeps; accept removes them.
        order = "-h validate render verify circles explain legend diff regress report accept info schema selftest".split()
        for example in sorted(examples, key=lambda line: order.index(line.split()[1])):
            with self.subTest(example):
                command = example.split()[1]
                for scene in re.findall(r"scenes/[\w/]+\.yaml", example):
                    self.assertTrue((SOURCE / scene).exists(), scene)
                if command == "selftest":  # takes long; the rest of the line is right
                    done = subprocess.run(f"{example} --threads 0", shell=True, cwd=self.folder, env=environment, check=False,
                                          capture_output=True, text=True)
                    self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
                    continue
                done = subprocess.run(example, shell=True, cwd=self.folder, env=environment, check=False, capture_output=True, text=True)
                self.assertIn(done.returncode, (0, 1) if command in ("diff", "regress", "accept", "report") else (0,), done.stderr)


class Guesses(ScenesCase):
    def test_options_of_other_programs(self):
        for arguments, guess in ((["--width", "300"], "--size WxH"), (["--height", "300"], "--size WxH"), (["-s", "8x8"], "--size WxH"),
                                 (["-f", "3"], "--frame N"), (["-j", "2"], "--threads N"), (["--out", "b.png"], "--output FILE")):
            done = self.assert_fails("render", "rgb.yaml", *arguments, code=USAGE, mentions=[f'unknown option (did you mean "{guess}"?)'])
            self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)

    def test_a_missing_command(self):
        self.assert_fails("rgb.yaml", "-o", "a.png", code=USAGE, mentions=['did you mean "roundel render rgb.yaml -o a.png"?'])
        self.assert_fails("--verbose", "render", "rgb.yaml", code=USAGE,
                          mentions=["options follow the command: roundel render --verbose rgb.yaml"])

    def test_a_picture_in_place_of_a_scene(self):
        self.assert_fails("render", "rgb.yaml", "out.png", code=USAGE, mentions=["to write this file: -o out.png"])
        self.assert_fails("render", "rgb.yaml", "film.mp4", code=USAGE, mentions=["to write this file: -o film.mp4"])
        self.assert_fails("render", "rgb.yaml", "-o", "film.avi", code=USAGE, mentions=["for a video, .mp4"])

    def test_a_file_other_than_a_scene(self):
        self.run_roundel("render", "rgb.yaml", "-o", "first.png")
        self.write("pts.csv", "x,y\n0,0\n")
        for command in ("render", "validate"):
            self.assertEqual(self.run_roundel(command, "first.png", code=INVALID).stderr, "error: first.png: expected a scene, got a picture\n")
            self.assertEqual(self.run_roundel(command, "pts.csv", code=INVALID).stderr,
                             "error: pts.csv: expected a scene, got a table; a scene's layer draws it: "
                             "{data: pts.csv, map: {x: NAME, y: NAME, radius: 2px}}\n")
        self.write("scene.csv", RGB)  # the extension changes only the message
        self.run_roundel("validate", "scene.csv")

    def test_scenes_in_place_of_pictures(self):
        self.assert_fails("diff", "rgb.yaml", "rgb.yml", code=2, mentions=["; to compare scenes: roundel diff --explain rgb.yaml rgb.yml\n"])

    def test_files_of_similar_names(self):
        self.write("cells.csv", "x,y\n0,0\n")
        self.write("data.yaml", "version: 1\nlayers:\n  - {data: cell.csv, map: {x: x, y: y, radius: 2px}}\n")
        for scene, mentions in (("rgb.yml", 'error: rgb.yml: no such file (did you mean "rgb.yaml"?)\n'),
                            ("./rgd.yaml", 'error: ./rgd.yaml: no such file (did you mean "./rgb.yaml"?)\n'),
                            ("data.yaml", 'cell.csv: no such file (did you mean "cells.csv"?)\n'),
                            ("elsewhere/rgb.yaml", "error: elsewhere/rgb.yaml: no such file\n")):
            self.assertIn(mentions, self.run_roundel("validate", scene, code=INVALID).stderr)

    def test_one_picture_goes_to_a_pipe_as_png_and_not_to_a_terminal(self):
        self.run_roundel("render", "rgb.yaml", "-o", "a.png")
        piped = subprocess.run([ROUNDEL, "render", "rgb.yaml", "-o", "-", "-q"], cwd=self.folder, capture_output=True, check=True).stdout
        self.assertEqual(piped, self.read("a.png"))
        for arguments in (["render", "rgb.yaml", "-o", "-"], ["circles", "rgb.yaml", "-o", "-"]):
            shown, code = on_terminal(*arguments, folder=self.folder, NO_COLOR="1")
            self.assertEqual(code, USAGE)
            self.assertIn("error: --output: standard output is a terminal; write to a file (-o ", shown)


class Labels(ScenesCase):
    def test_labels_have_colours_on_a_terminal(self):
        for environment, label in (({}, "\x1b[1;31merror:\x1b[0m "), ({"NO_COLOR": "1"}, "error: "), ({"NO_COLOR": ""}, "\x1b[1;31merror:\x1b[0m "),
                                   ({"TERM": "dumb"}, "error: ")):
            shown, code = on_terminal("validate", "none.yaml", folder=self.folder, **environment)
            self.assertEqual((shown, code), (f"{label}none.yaml: no such file\n", INVALID))
        self.write("still.yaml", RGB)
        shown, _ = on_terminal("render", "still.yaml", "--frames", "0-1", "-o", "a#.png", folder=self.folder)
        self.assertIn("\x1b[1;33mwarning:\x1b[0m still.yaml: nothing in this scene depends on the frame", shown)
        self.assertIn("error: none.yaml: no such file\n", self.run_roundel("validate", "none.yaml", code=INVALID).stderr)


class Antialias(ScenesCase):
    def test_the_option_equals_the_key(self):
        self.write("smooth.yaml", RGB.replace("height: 48", "height: 48, antialias: true"))
        for scene in ("rgb", "smooth"):
            self.run_roundel("render", f"{scene}.yaml", "-o", f"{scene}.png")
        for scene, option, other in (("rgb", "--antialias", "smooth"), ("smooth", "--antialias", "smooth"), ("smooth", "--no-antialias", "rgb")):
            self.run_roundel("render", f"{scene}.yaml", option, "-o", "a.png")
            self.assertEqual(self.read("a.png"), self.read(f"{other}.png"))
        self.assertNotEqual(self.read("rgb.png"), self.read("smooth.png"))
        done = self.run_roundel("render", "rgb.yaml", "--antialias", "--no-antialias", "-o", "a.png", code=USAGE)
        self.assertIn("error: --no-antialias: expected one of --antialias and --no-antialias\n", done.stderr)

    def test_frames_and_goldens_depend_on_antialias(self):
        self.run_roundel("render", "snow.yaml", "--frames", "0-2", "-o", "f#.png")
        done = self.run_roundel("render", "snow.yaml", "--frames", "0-2", "--resume", "--antialias", "-o", "f#.png", code=4)
        self.assertIn("of another scene", done.stderr)
        self.run_roundel("verify", "f#.png", "--frames", "0-2", "--scene", "snow.yaml")
        self.run_roundel("verify", "f#.png", "--frames", "0-2", "--scene", "snow.yaml", "--antialias", code=1)
        os.mkdir(self.path("goldens"))
        self.run_roundel("regress", "rgb.yaml", "--goldens", "goldens", "--antialias", code=1)
        self.run_roundel("accept", "--all", code=0)
        self.run_roundel("regress", "rgb.yaml", "--goldens", "goldens", "--antialias")
        self.assertIn("the scene changed", self.run_roundel("regress", "rgb.yaml", "--goldens", "goldens", code=1).stdout)
        self.run_roundel("diff", "--explain", "rgb.yaml", "rgb.yaml", "--antialias")


class ManPages(ScenesCase):
    def test_man_pages_have_the_parts_of_the_help(self):
        subprocess.run([sys.executable, SOURCE / "tools/man-pages", ROUNDEL, self.path("man")], check=True)
        self.assertEqual(sorted(os.listdir(self.path("man"))), sorted(["roundel.1", *(f"roundel-{command}.1" for command in COMMANDS)]))
        for command in COMMANDS:
            text = self.read(f"man/roundel-{command}.1").decode()
            for part in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"):
                self.assertIn(f"\n.SH {part}\n", text, command)
            self.assertIn("\n.nf\nroundel " + command, text)
        page = self.read("man/roundel-render.1").decode()
        self.assertIn("\n.SS Film\n.TP\n.B \\-\\-frames LIST\n", page)
        self.assertIn("\n.SH EXIT STATUS\n.TP\n.B 0\ndone\n", page)
        self.assertEqual(self.read("man/roundel.1").decode().count("\n.TP\n"), len(COMMANDS))


if __name__ == "__main__":
    unittest.main(verbosity=2)
