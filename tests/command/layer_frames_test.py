#!/usr/bin/env python3
"""Layers that some frames show, and values that are the frame's number. Usage: layer_frames_test.py
PATH_OF_ROUNDEL
"""

import os
import unittest

from command_case import CommandCase

DONE, FAILED, USAGE, INVALID, REFUSED, PARTLY = 0, 1, 2, 3, 4, 5
IMAGE = "version: 1\nimage: {width: 40, height: 30, antialias: true}\n"
BELOW = "  - {name: below, generator: rgb}\n"
BESIDE = "  - {name: beside, generator: hypnosis, opacity: 0.4}\n"
ANIMATION = "animation: {fps: 10, frames: 10}\n"
LAYERS = {
    "circles": "circles: [{x: 0.5, y: 0.4, radius: 0.3, color: '#ff8000', alpha: 0.9}]",
    "keyed": "circles: [{x: {keys: {0: 0, 9: 1}}, y: 0.4, radius: 0.3, color: '#ff8000', alpha: 0.9}]",
    "random": "random: {count: 60, radius: 0.05, color: 0.3}",
    "classic": "generator: rgby",
    "simulated": "generator: fireworks, blend: add",
    "rims": "random: {count: 60, radius: 0.1}, stroke: {width: 2px}, fill: false",
    "data": "data: points.csv, map: {x: x, y: y, radius: 4px, color: {column: v, colormap: magma}}",
    "film": "data: points_####.csv, map: {x: x, y: y, radius: 4px, color: {column: v, domain: [0, 20], colormap: magma}}",
}


def points(frame):
    lines = [f"{(7 * i + frame) % 10 / 10},{(3 * i) % 10 / 10},{i + frame}" for i in range(12)]
    return "x,y,v\n" + "\n".join(lines) + "\n"


class LayerFramesTest(CommandCase):
    def setUp(self):
        super().setUp()
        self.write("points.csv", points(0))
        for frame in range(3, 7):
            self.write(f"points_{frame:04}.csv", points(frame))

    def scene(self, layer, name="s.yaml", rest=BESIDE, animation=ANIMATION):
        self.write(name, f"{IMAGE}layers:\n{BELOW}  - {{name: it, {layer}}}\n{rest}{animation}")

    def pixels(self, *arguments, name="s.yaml", code=DONE):
        return self.run_roundel("render", name, "--backend", "cpu", "-q", "-o", "-", "--format", "rawvideo", *arguments,
                                code=code).stdout

    def frames(self, *arguments, first=0, last=9, name="s.yaml"):
        bytes_of_film = self.pixels("--frames", f"{first}-{last}", *arguments, name=name)
        size = len(bytes_of_film) // (last - first + 1)
        self.assertEqual(size, 40 * 30 * 3)
        return [bytes_of_film[i:i + size] for i in range(0, len(bytes_of_film), size)]

    def test_each_kind_of_layer_is_hidden_outside_its_frames(self):
        for kind, layer in LAYERS.items():
            with self.subTest(kind):
                self.scene(layer + ", frames: [3, 6]")
                film = self.frames()
                without = self.frames("--layers", "below,beside")
                shown = "animation: {fps: 10, frames: 4, start: 3}\n"
                self.scene(layer, "always.yaml", animation=shown if kind == "film" else ANIMATION)
                always = self.frames(first=3, last=6, name="always.yaml")
                for frame in range(10):
                    is_shown = 3 <= frame <= 6
                    self.assertTrue(film[frame] == (always[frame - 3] if is_shown else without[frame]), frame)
                    self.assertEqual(film[frame] == without[frame], not is_shown, frame)
                for frame in (2, 3, 6, 7):
                    self.assertTrue(self.pixels("--frame", str(frame)) == film[frame], frame)

    def test_shards_resume_and_verify_know_the_frames(self):
        for kind in ("simulated", "film", "circles"):
            self.scene(LAYERS[kind] + ", frames: [3, 6]")
            common = ("render", "s.yaml", "--backend", "cpu", "--frames", "0-9")
            self.run_roundel(*common, "-o", f"{kind}/whole_##.png")
            for shard in ("1/3", "3/3", "2/3"):
                self.run_roundel(*common, "--shard", shard, "-o", f"{kind}/part_##.png")
            for frame in range(10):
                self.assertEqual(self.read(f"{kind}/whole_{frame:02}.png"), self.read(f"{kind}/part_{frame:02}.png"))
            self.run_roundel("verify", f"{kind}/part_##.png", "--frames", "0-9", "--scene", "s.yaml")
            self.scene(LAYERS[kind] + ", frames: [3, 5]")
            printed = self.run_roundel(*common, "-o", f"{kind}/part_##.png", "--resume", code=REFUSED).stderr
            self.assertIn(b"part_06.png", printed)
            printed = self.run_roundel(*common, "-o", f"{kind}/part_##.png", "--resume", "--overwrite").stderr
            self.assertIn(b"9 kept", printed)

    def test_a_film_keeps_frames_that_never_show_a_simulation(self):
        for time in ("steps", "real"):
            self.scene(LAYERS["simulated"] + ", frames: [3, 6]", rest="",
                       animation=f"animation: {{fps: 10, frames: 10, time: {time}}}\n")
            common = ("render", "s.yaml", "--backend", "cpu", "-o", f"{time}/f_##.png", "--frames")
            self.run_roundel(*common, "8-9")
            self.assertIn(b"2 kept", self.run_roundel(*common, "0-9", "--resume").stderr)

    def test_seconds_and_films_that_show_a_layer_always_or_never(self):
        self.scene(LAYERS["circles"] + ", frames: [0.3s, 0.6s]", rest="")
        film = self.frames()
        self.assertEqual([frame == film[0] for frame in film], [True] * 3 + [False] * 4 + [True] * 3)
        still = "nothing in this scene depends on the frame"
        for frames, is_still in (("3-6", True), ("0-2", True), ("7-9", True), ("2-3", False), ("6,9", False)):
            printed = self.run_roundel("render", "s.yaml", "--frames", frames, "-o", f"f{frames}/##.png").stderr.decode()
            self.assertEqual(still in printed, is_still, frames)

    def test_validate_says_when_a_layer_is_shown(self):
        self.scene(LAYERS["circles"] + ", frames: [3, 0.6s]")
        shown = self.run_roundel("validate", "s.yaml").stdout.decode()
        self.assertIn('moves        layers[1] "it": shown in frames 3 to 6\n', shown)
        self.scene(LAYERS["circles"] + ", frames: [-3, 60]")
        self.assertNotIn("shown in", self.run_roundel("validate", "s.yaml").stdout.decode())

    def test_a_window_counts_hidden_rows_and_ignores_files_of_other_frames(self):
        view = "view: {fit: data}\n"
        self.scene(LAYERS["data"] + ", frames: [3, 6]", rest="")
        self.write("s.yaml", self.read("s.yaml").decode() + view)
        windows = {self.window(frame) for frame in (0, 3, 9)}
        self.assertEqual(len(windows), 1)
        for over in ("film", "frame"):
            self.scene(LAYERS["film"] + ", frames: [3, 6]", rest="")
            self.write("s.yaml", self.read("s.yaml").decode() + f"view: {{fit: data, over: {over}}}\n")
            self.assertEqual(len({self.window(frame) for frame in (3, 4)}), 1)
            self.assertEqual(len(self.frames()), 10)

    def window(self, frame):
        text = self.run_roundel("validate", "s.yaml", "--frame", str(frame)).stdout.decode()
        return next(line for line in text.splitlines() if "view" in line)

    def test_a_missing_file_of_a_shown_frame_fails(self):
        os.unlink(self.path("points_0005.csv"))
        self.scene(LAYERS["film"] + ", frames: [3, 6]")
        printed = self.run_roundel("render", "s.yaml", "--frames", "0-9", "-o", "f/##.png", code=INVALID).stderr
        self.assertIn(b"no file for 1 of 4 frames: 5", printed)
        self.assertFalse(os.path.exists(self.path("f")))

    def test_wrong_frames_are_errors(self):
        for frames, problem in (("[6, 3]", "expected the first frame, then the last, got 6, then 3"),
                                ("[6, 0.3s]", "expected the first frame, then the last, got 6, then 0.3s"),
                                ("[1]", "expected [FIRST, LAST], frame numbers or seconds, as 2.5s, got a list of 1"),
                                ("5", "expected [FIRST, LAST], frame numbers or seconds, as 2.5s, got 5"),
                                ("[a, 2]", "expected a frame number or seconds >= 0, as 2.5s, got \"a\""),
                                ("[0, 2.5]", "expected"), ("[0, 99999999]", "expected")):
            self.scene(LAYERS["circles"] + ", frames: " + frames)
            printed = self.run_roundel("validate", "s.yaml", code=INVALID).stderr.decode()
            self.assertIn("s.yaml:5:", printed)
            self.assertIn("layers[1].frames", printed)
            self.assertIn(problem, printed)


class FrameVarTest(CommandCase):
    SCENE = (IMAGE + "seed: $frame\nlayers:\n  - {random: {count: 30, radius: 0.1, color: 0.5}}\n"
             "  - {generator: fireworks, blend: add}\n"
             "  - {circles: [{x: 0.3, y: {keys: {0: 0, 9: 1}}, radius: 0.1}], frames: [1, 3], opacity: 0.8}\n")

    pixels = LayerFramesTest.pixels
    frames = LayerFramesTest.frames

    def test_frames_have_their_number_in_films_stills_and_shards(self):
        self.write("s.yaml", self.SCENE + "animation: {fps: 10, frames: 6, start: 2}\n")
        film = self.frames(last=7)
        for frame in range(8):
            self.write("other.yaml", self.SCENE.replace("$frame", str(frame)) + "animation: {fps: 10, frames: 6}\n")
            self.assertTrue(self.pixels("--frame", str(frame), name="other.yaml") == film[frame], frame)
            self.assertTrue(self.pixels("--frame", str(frame)) == film[frame], frame)
        self.assertTrue(self.pixels() == film[2], "a still shows the animation's start")
        self.assertEqual(len(set(film)), 8)
        common = ("render", "s.yaml", "--backend", "cpu", "--frames", "all")
        self.run_roundel(*common, "-o", "a/")
        self.assertEqual(sorted(os.listdir(self.path("a"))), [f"s_{n:04}.png" for n in range(2, 8)])
        for shard in ("2/2", "1/2"):
            self.run_roundel(*common, "--shard", shard, "-o", "b/s_####.png")
        for name in os.listdir(self.path("a")):
            self.assertEqual(self.read(f"a/{name}"), self.read(f"b/{name}"))
        self.run_roundel("verify", "b/s_####.png", "--frames", "all", "--scene", "s.yaml")
        self.assertIn(b"6 kept", self.run_roundel(*common, "-o", "b/s_####.png", "--resume").stderr)
        self.assertIn("moves        values of $frame\n", self.run_roundel("validate", "s.yaml").stdout.decode())
        prints = {self.fingerprint(frame) for frame in (2, 3, 4)}
        self.assertEqual(len(prints), 3)

    def fingerprint(self, frame):
        text = self.run_roundel("validate", "s.yaml", "--frame", str(frame)).stdout.decode()
        return next(line for line in text.splitlines() if "fingerprint" in line)

    def test_any_value_can_be_the_number(self):
        self.write("s.yaml", IMAGE + "layers:\n  - {random: {count: $frame, radius: 0.1}, rotate: $frame}\n" + ANIMATION)
        film = self.frames()
        for frame in (0, 1, 9):
            self.write("other.yaml", self.read("s.yaml").decode().replace("$frame", str(frame)))
            self.assertTrue(self.pixels("--frame", str(frame), name="other.yaml") == film[frame], frame)

    def test_a_declared_var_is_another(self):
        self.write("s.yaml", IMAGE + "vars: {frame: 7}\nlayers:\n  - {random: {count: $frame, radius: 0.1}}\n" + ANIMATION)
        film = self.frames()
        self.assertEqual(len(set(film)), 1)
        self.assertTrue(self.pixels("--set", "frame=3") != film[0])

    def test_the_start_may_be_a_var(self):
        self.write("s.yaml", IMAGE + "vars: {first: 4}\nlayers:\n  - {random: {count: $frame, radius: 0.1}}\n"
                   "animation: {start: $first, frames: 5}\n")
        self.assertTrue(self.pixels() == self.pixels("--frame", "4"))
        self.assertTrue(self.pixels("--set", "first=5") == self.pixels("--frame", "5"))
        self.assertTrue(self.pixels("--frame", "5") != self.pixels("--frame", "4"))

    def test_rows_of_a_table_have_the_scenes_frame(self):
        self.write("t.csv", "tint,name\n0.2,a\n0.8,b\n")
        self.write("s.yaml", IMAGE + "vars: {tint: 0}\nlayers:\n  - {random: {count: $frame, radius: 0.1, color: $tint}}\n"
                   "animation: {start: 6}\n")
        self.run_roundel("render", "s.yaml", "--each", "t.csv", "-o", "{name}.png")
        for name, tint in (("a", "0.2"), ("b", "0.8")):
            self.run_roundel("render", "s.yaml", "--set", f"tint={tint}", "-o", "other.png")
            self.assertEqual(self.read(f"{name}.png"), self.read("other.png"))

    def test_values_that_must_not_depend_on_the_frame(self):
        for text, key, more in (
                ("layers: [{data: 'a_${frame}.csv', map: {x: x, y: y, radius: 1}}]\n", "data", "; #### in a file's name"),
                ("layers: [{data: $frame, map: {x: x, y: y, radius: 1}}]\n", "data", "; #### in a file's name"),
                ("layers: []\noutput: 'a_${frame}.png'\n", "output", "; #### in a file's name"),
                ("layers: [{circles: [{x: {keys: {0: $frame}}, y: 0, radius: 1}]}]\n", "keys", ""),
                ("layers: []\nanimation: {frames: $frame}\n", "animation", ""),
                ("layers: [{generator: rgb, frames: [0, $frame]}]\n", "frames", "")):
            self.write("s.yaml", IMAGE + text)
            printed = self.run_roundel("validate", "s.yaml", code=INVALID).stderr.decode()
            self.assertIn(f'$frame does not work in "{key}"{more}', printed)
        self.write("s.yaml", "version: 1\nimage: {width: $frame}\nlayers: []\n")
        self.assertIn('s.yaml:2:16: $frame does not work in "image"',
                      self.run_roundel("validate", "s.yaml", code=INVALID).stderr.decode())

    def test_a_frame_whose_number_is_no_value_is_an_error_before_drawing(self):
        self.write("s.yaml", IMAGE + "seed: $frame\nlayers: [{random: {count: 3}}]\n")
        printed = self.run_roundel("render", "s.yaml", "--frames", "-2-3", "-o", "f/##.png", code=INVALID).stderr.decode()
        self.assertIn("s.yaml:3:7: seed: expected an integer from 0 to 4294967295, got -2", printed)
        self.assertFalse(os.path.exists(self.path("f")))
        printed = self.run_roundel("validate", "s.yaml", "--set", "frame=2", code=USAGE).stderr.decode()
        self.assertIn("no such var", printed)


if __name__ == "__main__":
    unittest.main(verbosity=2)
