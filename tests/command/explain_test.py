#!/usr/bin/env python3
"""The command `explain` from outside: tables, JSON, heat maps, errors.
Usage: explain_test.py PATH_OF_ROUNDEL"""

import json
import os
import random
import re
import resource
import struct
import subprocess
import unittest

from command_case import ROUNDEL, CommandCase

DONE, FAILED, USAGE, INVALID, REFUSED = range(5)

SCENE = """version: 1
image: {width: 120, height: 80, background: {bottom: "#ffe0c0", top: "#204060"}}
view: {center: [0.45, 0.55], zoom: 1.2}
layers:
  - generator: rgb
  - random: {count: 3000, radius: {uniform: [0.01, 0.1]},
             color: {uniform: [[0, 0, 0], [1, 1, 1]]}, alpha: {uniform: [0.2, 0.9]}}
  - random: {count: 300, radius: 0.06}
    shader: snow
  - circles: [{x: 0.5, y: 0.5, radius: 0.2, color: "#ff8000", alpha: 0.25}]
animation: {fps: 60, frames: 10, start: 2}
"""
CORNER = """version: 1
image: {width: 8, height: 4}
layers:
  - circles: [{x: -0.375, y: 0.875, radius: 0.01, color: [1, 0, 0], alpha: 1}]
"""  # covers the top left pixel only


def read_pfm(path):
    """Returns width, height and red values, rows top to bottom."""
    with open(path, "rb") as file:
        kind, size, scale, data = file.read().split(b"\n", 3)
    assert kind == b"PF" and float(scale) < 0
    width, height = map(int, size.split())
    values = struct.unpack(f"<{3 * width * height}f", data)
    rows = [values[3 * width * y:3 * width * (y + 1):3] for y in range(height)]
    return width, height, rows[::-1]


class ExplainTest(CommandCase):
    is_text = True

    def setUp(self):
        super().setUp()
        self.write("scene.yaml", SCENE)
        self.write("corner.yaml", CORNER)

    def assert_fails(self, *arguments, code=USAGE, mentions, **keywords):
        done = self.run_roundel("explain", *arguments, code=code, **keywords)
        self.assertFalse(done.stdout)
        self.assertIn(mentions, done.stderr)
        self.assertEqual([n for n in os.listdir(self.folder) if not n.endswith(".yaml")], [])

    def explain(self, *arguments):
        return json.loads(self.run_roundel("explain", *arguments, "--json").stdout)


class Pixel(ExplainTest):
    def test_explained_pixels_match_rendered_files(self):
        engine = random.Random(1)
        for variant in ([], ["--seed", "5"], ["--size", "90x130"], ["--frame", "7"], ["--scale", "0.7"],
                        ["--scale", "2", "--crop", "30,40,50,60"]):
            self.run_roundel("render", "scene.yaml", "-o", "a.pfm", *variant)
            width, height, rows = read_pfm(self.path("a.pfm"))
            for _ in range(10):
                x, y = engine.randrange(width), engine.randrange(height)
                found = self.explain("scene.yaml", "--pixel", f"{x},{y}", *variant)
                self.assertEqual(found["value"][0], rows[y][x], (variant, x, y))
                self.assertEqual((found["x"], found["y"], found["width"]), (x, y, width))

    def test_shares_of_pixels_match_rendered_files(self):
        self.write("smooth.yaml", SCENE.replace("height: 80", "height: 80, antialias: true"))
        self.run_roundel("render", "smooth.yaml", "-o", "a.pfm")
        width, height, rows = read_pfm(self.path("a.pfm"))
        shares = set()
        engine = random.Random(2)
        for _ in range(30):
            x, y = engine.randrange(width), engine.randrange(height)
            found = self.explain("smooth.yaml", "--pixel", f"{x},{y}")
            self.assertEqual(found["value"][0], rows[y][x], (x, y))
            shares |= {circle["share"] for circle in found["circles"]}
        self.assertTrue(all(0 < share <= 1 for share in shares))
        self.assertIn(1, shares)
        self.assertGreater(len(shares), 10)
        self.assertIn(" share ", self.run_roundel("explain", "smooth.yaml", "--pixel", "60,40").stdout)

    def test_blend_modes_are_named_and_have_transmittances_by_channel(self):
        self.write("modes.yaml", "version: 1\nimage: {width: 60, height: 40, antialias: true}\nlayers:\n"
                                 "  - {generator: rgb}\n"
                                 "  - {blend: multiply, random: {count: 200, radius: 0.2, color: \"#ffc080\"}}\n"
                                 "  - {blend: screen, random: {count: 200, radius: 0.2, color: \"#102030\"}}\n"
                                 "  - {blend: add, random: {count: 200, radius: 0.2, color: \"#102030\"}}\n")
        self.run_roundel("render", "modes.yaml", "-o", "a.pfm")
        width, height, rows = read_pfm(self.path("a.pfm"))
        names = {}
        for x, y in ((30, 20), (7, 9), (55, 31)):
            found = self.explain("modes.yaml", "--pixel", f"{x},{y}")
            self.assertEqual(found["value"][0], rows[y][x], (x, y))
            self.assertEqual(len(found["transmittance"]), 3)
            for circle in found["circles"]:
                names[circle["layer"]] = circle["blend"]
                if circle["blend"] == "add":
                    self.assertEqual(circle["transmittance_before"], circle["transmittance_after"])
                if circle["blend"] == "multiply":
                    self.assertEqual(circle["contribution"], [0, 0, 0])
                    self.assertEqual(circle["transmittance_before"][0], circle["transmittance_after"][0])
                    self.assertGreater(circle["transmittance_before"][2], circle["transmittance_after"][2])
        self.assertEqual(names, {0: "over", 1: "multiply", 2: "screen", 3: "add"})
        text = self.run_roundel("explain", "modes.yaml", "--pixel", "30,20").stdout
        self.assertRegex(text, r" alpha +blend +T before .*\n(.*\n)+ +\d+  layers\[1\] random .* multiply ")

    def test_fill_and_stroke_are_named(self):
        self.write("ring.yaml", "version: 1\nimage: {width: 8, height: 8}\nlayers:\n"
                                "  - circles: [{x: 0.5, y: 0.5, radius: 2}, {x: 0.5, y: 0.5, radius: 0.4}]\n"
                                "    stroke: {width: 0.25, color: \"#ff0000\", alpha: 1}\n"
                                "  - {fill: false, stroke: {width: 1px}, circles: [{x: 0.5, y: 0.5, radius: 0.1}]}\n")
        rim = self.explain("ring.yaml", "--pixel", "1,4")
        self.assertEqual([(c["circle"], c["part"], c["index"], c["alpha"]) for c in rim["circles"]],
                         [(1, "stroke", 1, 1)])
        self.assertEqual((rim["unseen"], rim["bytes"]), (2, [255, 0, 0]))
        self.assertAlmostEqual(rim["circles"][0]["inner_radius"], 0.15, 6)
        middle = self.explain("ring.yaml", "--pixel", "4,4")
        self.assertEqual([(c["circle"], c["layer"], c["part"]) for c in middle["circles"]],
                         [(2, 1, "stroke"), (1, 0, "fill"), (0, 0, "fill")])
        self.assertEqual(middle["circles"][0]["inner_radius"], 0)
        text = self.run_roundel("explain", "ring.yaml", "--pixel", "4,4").stdout
        self.assertRegex(text, r"in layer +part +alpha ")
        self.assertRegex(text, r"\n +1  layers\[0\] circles +1 +fill +0\.5")
        valid = self.run_roundel("validate", "ring.yaml").stdout
        self.assertIn("circles      3, drawn as 5 fills and strokes", valid)
        self.write("wide.yaml", open(self.path("ring.yaml"), encoding="utf-8").read().replace("0.25", "0.35"))
        text = self.run_roundel("diff", "--explain", "ring.yaml", "wide.yaml", code=1).stdout
        self.assertRegex(text, r"changed +layers\[0\] circles, 1 stroke .* inner radius 0\.15 -> 0\.05\n")

    def test_y_counts_from_the_top(self):
        self.assertEqual(self.explain("corner.yaml", "--pixel", "0,0")["bytes"], [255, 0, 0])
        self.assertEqual(self.explain("corner.yaml", "--pixel", "0,3")["bytes"], [255, 255, 255])
        self.assertEqual(self.explain("corner.yaml", "--pixel", "7,0")["bytes"], [255, 255, 255])

    def test_circles_are_named_by_their_layers(self):
        found = self.explain("scene.yaml", "--pixel", "66,45", "--limit", "100000")
        circles = found["circles"]
        self.assertEqual(circles[0]["circle"], 3303)
        self.assertEqual((circles[0]["layer"], circles[0]["source"], circles[0]["index"]),
                         (3, "circles", 0))
        self.assertEqual((circles[0]["alpha"], circles[0]["shader"]), (0.25, "solid"))
        self.assertAlmostEqual(circles[0]["x"], 0.5, 6)
        self.assertAlmostEqual(circles[0]["radius"], 0.2, 6)
        ends = [3, 3003, 3303, 3304]
        for before, circle in zip([None, *circles], circles):
            if before:
                self.assertLess(circle["circle"], before["circle"])
                self.assertEqual(circle["transmittance_before"], before["transmittance_after"])
            self.assertEqual(circle["shader"], "snow" if circle["layer"] == 2 else "solid")
            first = ends[circle["layer"]] - [3, 3000, 300, 1][circle["layer"]]
            self.assertEqual(circle["circle"], first + circle["index"])
        self.assertEqual(len(circles), found["composited"])
        self.assertEqual(found["frame"], 2)

    def test_inline_circles_have_their_lines(self):
        scene = ("version: 1\nimage: {width: 8, height: 8}\nlayers:\n  - random: {count: 2, radius: 2}\n"
                 "  - circles:\n    - {x: 0.5, y: 0.5, radius: 1, alpha: 0.5}\n\n"
                 "    - {x: 0.5, y: 0.5, radius: 1, alpha: 0.5}\n    stroke: {width: 2}\n    fill: true\n")
        self.write("lines.yaml", scene)
        found = self.explain("lines.yaml", "--pixel", "4,4")["circles"]
        self.assertEqual([(c["layer"], c["index"], c.get("line")) for c in found[:4]],
                         [(1, 1, 8), (1, 1, 8), (1, 0, 6), (1, 0, 6)])
        self.assertEqual([(c["layer"], c.get("line")) for c in found[4:]], [(0, None), (0, None)])
        done = self.run_roundel("explain", "-", "--pixel", "4,4", stdin=scene).stdout
        self.assertEqual(re.findall("  line [0-9]+$", done, re.M), ["  line 8"] * 2 + ["  line 6"] * 2)

    def test_layers_have_names_and_hidden_layers_are_empty(self):
        self.write("named.yaml", "version: 1\nimage: {width: 8, height: 8}\nlayers:\n"
                                 "  - {name: sky, generator: rgb}\n"
                                 "  - {name: sun, circles: [{x: 0.5, y: 0.5, radius: 1}]}\n"
                                 "  - circles: [{x: 0.5, y: 0.5, radius: 1}]\n")
        arguments = ("explain", "named.yaml", "--pixel", "4,4")
        text = self.run_roundel(*arguments).stdout
        self.assertRegex(text, r"layers\[2\] circles +0")
        self.assertRegex(text, r"layers\[1\] sun: circles +0")
        self.assertRegex(text, r"layers\[0\] sky: generator rgb")
        found = self.explain(*arguments[1:], "--layers", "sun")
        self.assertEqual([(c["layer"], c["name"]) for c in found["circles"]], [(1, "sun")])
        failed = self.run_roundel(*arguments, "--layers", "moon", code=USAGE)
        self.assertIn('--layers: named.yaml has no layer named "moon" (named: sky and sun)', failed.stderr)
        failed = self.run_roundel(*arguments, "--layers", "sky,", code=USAGE)
        self.assertIn("--layers: expected names of layers with commas between them", failed.stderr)

    def test_the_table_shows_the_stop_and_the_bytes(self):
        found = self.explain("scene.yaml", "--pixel", "60,40")
        text = self.run_roundel("explain", "scene.yaml", "--pixel", "60,40").stdout
        lines = text.splitlines()
        self.assertIn("pixel 60,40 of 120x80 (y from the top): covered by", lines[0])
        self.assertRegex(text, r"\n +\d+  layers\[1\] random +\d+ +0\.\d{6} ")
        self.assertTrue(found["stopped"])
        self.assertIn(f"stopped after {found['composited']} circles: transmittance ", text)
        self.assertIn(f"{found['unseen']} circles below are not seen", text)
        self.assertEqual(lines[-1].split(), ["8", "bits", *map(str, found["bytes"])])
        text = self.run_roundel("explain", "corner.yaml", "--pixel", "7,3").stdout
        self.assertIn("not stopped: 0 circles in all, transmittance 1 is left", text)

    def test_a_limit_shortens_the_list(self):
        found = self.explain("scene.yaml", "--pixel", "60,40", "--limit=2")
        self.assertEqual(len(found["circles"]), 2)
        more = found["composited"] - 2
        text = self.run_roundel("explain", "scene.yaml", "--pixel", "60,40", "--limit=2").stdout
        self.assertIn(f"... and {more} circles more (--limit)", text)

    def test_a_crop_has_the_circles_of_the_whole(self):
        whole = self.explain("scene.yaml", "--pixel", "63,38")
        part = self.explain("scene.yaml", "--crop", "60,30,10,20", "--pixel", "3,8")
        for key in ("circles", "value", "bytes", "background"):
            self.assertEqual(part[key], whole[key])
        self.assertEqual((part["x"], part["width"], part["height"]), (3, 10, 20))
        self.assert_fails("scene.yaml", "--crop", "60,30,10,20", "--pixel", "10,8", mentions="X from 0 to 9")

    def test_samples_match_the_picture(self):
        for image, key, size in (("bits: 16", "words", 2), ("dither: true", "bytes", 1),
                                 ("alpha: true, bits: 16", "words", 2)):
            self.write("deep.yaml", SCENE.replace("height: 80", "height: 80, " + image)
                       .replace(', background: {bottom: "#ffe0c0", top: "#204060"}', ""))
            channels = 4 if "alpha" in image else 3
            for part in ([], ["--crop", "31,7,50,40"]):
                form = ["--format", "rawvideo"]
                raw = subprocess.run([ROUNDEL, "render", "deep.yaml", "--frames", "2", "-o", "-", "-q", *form, *part],
                                     cwd=self.folder, capture_output=True, check=True).stdout
                width = 50 if part else 120
                for x, y in ((0, 0), (17, 23), (49, 39)):
                    at = (y * width + x) * channels * size
                    samples = [int.from_bytes(raw[at + size * c:at + size * (c + 1)], "little") for c in range(channels)]
                    found = self.explain("deep.yaml", "--pixel", f"{x},{y}", *part)
                    self.assertEqual(found[key], samples, (image, part, x, y))
                    self.assertNotIn("bytes" if size == 2 else "words", found)
            text = self.run_roundel("explain", "deep.yaml", "--pixel", "3,3").stdout
            self.assertIn(f"\n{8 * size} bits ", text)
            self.assertEqual("(dithered)" in text, "dither" in image)

    def test_alpha_images_have_straight_alpha_bytes(self):
        self.write("alpha.yaml", CORNER.replace("height: 4", "height: 4, alpha: true")
                   .replace("alpha: 1}", "alpha: 0.5}"))
        found = self.explain("alpha.yaml", "--pixel", "0,0")
        self.assertEqual(found["bytes"], [255, 0, 0, 128])
        self.assertEqual(found["value"], [0.5, 0, 0, 0.5])
        self.assertNotIn("background", found)


class HeatMap(ExplainTest):
    def test_raw_values_match_the_explained_pixels(self):
        self.run_roundel("explain", "scene.yaml", "--heatmap", "layers", "-o", "layers.pfm")
        self.run_roundel("explain", "scene.yaml", "--heatmap", "stop", "-o", "stop.pfm")
        _, _, layers = read_pfm(self.path("layers.pfm"))
        _, _, stop = read_pfm(self.path("stop.pfm"))
        for x, y in ((0, 0), (60, 40), (119, 3), (17, 79)):
            found = self.explain("scene.yaml", "--pixel", f"{x},{y}")
            self.assertEqual(stop[y][x], found["composited"])
            self.assertEqual(layers[y][x], found["composited"] + found["unseen"])
        self.run_roundel("explain", "scene.yaml", "--heatmap", "stop", "-o", "part.pfm", "--crop", "11,22,40,33")
        width, height, part = read_pfm(self.path("part.pfm"))
        self.assertEqual((width, height), (40, 33))
        self.assertEqual(part, [row[11:51] for row in stop[22:55]])

    def test_overlaps_add_up_to_the_count_of_validate(self):
        self.run_roundel("explain", "scene.yaml", "--heatmap=overlaps", "-o", "a.pfm")
        width, height, rows = read_pfm(self.path("a.pfm"))
        # Bins of 32 pixels, counted from the bottom.
        total = sum(rows[height - 1 - y][x] for y in range(0, height, 32)
                    for x in range(0, width, 32))
        text = self.run_roundel("validate", "scene.yaml").stdout
        self.assertIn(f"overlaps     {int(total):,} with", text)

    def test_the_legend_shows_the_largest_value(self):
        done = self.run_roundel("explain", "scene.yaml", "--heatmap", "layers", "-o", "a.png")
        self.assertEqual(done.stdout, "")
        found = self.explain("scene.yaml", "--heatmap", "layers", "-o", "b.png")
        self.assertRegex(done.stderr, rf"^a\.png  120x80  layers: 0 \(black\) to "
                         rf"{found['largest']} \(brightest\), the largest at \d+,\d+; mean ")
        place = found["largest_at"]
        pixel = self.explain("scene.yaml", "--pixel", f"{place['x']},{place['y']}")
        self.assertEqual(pixel["composited"] + pixel["unseen"], found["largest"])
        self.assertAlmostEqual(found["mean"], found["sum"] / (120 * 80))
        with open(self.path("a.png"), "rb") as a, open(self.path("b.png"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_a_heat_map_is_foreign_to_the_film(self):
        self.run_roundel("explain", "scene.yaml", "--heatmap", "stop", "-o", "f_0002.png")
        (info,) = json.loads(self.run_roundel("info", "f_0002.png", "--json").stdout)
        self.assertIn("stop heat map of ", info["fingerprint"])
        self.run_roundel("verify", "f_####.png", "--frames", "2", "--scene", "scene.yaml",
                         code=FAILED)

    def test_threads_memory_and_quiet_keep_every_byte(self):
        for kind in ("layers", "overlaps", "stop"):
            self.run_roundel("explain", "scene.yaml", "--heatmap", kind, "-o", "a.exr")
            with open(self.path("a.exr"), "rb") as file:
                expected = file.read()
            for variant in (["--threads", "1"], ["--threads", "5", "--memory", "1M"], ["-q"]):
                done = self.run_roundel("explain", "scene.yaml", "--heatmap", kind, "-o", "b.exr",
                                        *variant)
                self.assertEqual(done.stderr == "", variant == ["-q"])
                with open(self.path("b.exr"), "rb") as file:
                    self.assertEqual(file.read(), expected)

    def test_a_picture_without_circles_is_black(self):
        self.write("empty.yaml", "version: 1\nimage: {width: 5, height: 3}\nlayers: []\n")
        found = self.explain("empty.yaml", "--heatmap", "layers", "-o", "a.png")
        self.assertEqual((found["largest"], found["sum"]), (0, 0))


class Difference(ExplainTest):
    def setUp(self):
        super().setUp()
        self.write("moved.yaml", SCENE.replace("y: 0.5, radius: 0.2", "y: 0.45, radius: 0.2"))

    def diff(self, *arguments, code=1):
        return self.run_roundel("diff", "--explain", *arguments, code=code)

    def test_a_planted_change_is_reported(self):
        text = self.diff("scene.yaml", "moved.yaml").stdout
        self.assertIn("different circles: 1\n", text)
        self.assertRegex(text, r"\n +100 % +[\d,]+  changed +layers\[3\] circles, 0 \(scene.yaml:10\) +"
                               r"layers\[3\] circles, 0 \(moved.yaml:10\) +y 0\.5 -> 0\.45\n$")

    def test_json_has_the_cluster_and_the_circles(self):
        found = json.loads(self.diff("scene.yaml", "moved.yaml", "--json").stdout)
        cluster = found["explained"][0]
        (circle,) = cluster["circles"]
        self.assertEqual((circle["change"], circle["share"]), ("changed", 1))
        self.assertEqual((circle["a"]["circle"], circle["b"]["layer"]), (3303, 3))
        self.assertLessEqual(cluster["pixels"], found["pixels"])
        # The pixel that differs most differs in the rendered files, counted from the top.
        self.run_roundel("render", "scene.yaml", "-o", "a.pfm")
        self.run_roundel("render", "moved.yaml", "-o", "b.pfm")
        a, b = read_pfm(self.path("a.pfm"))[2], read_pfm(self.path("b.pfm"))[2]
        place = cluster["largest_at"]
        self.assertNotEqual(a[place["y"]][place["x"]], b[place["y"]][place["x"]])
        self.diff("scene.yaml", "moved.yaml", "--json", "c.json", "-q")
        with open(self.path("c.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), found)

    def test_added_removed_and_reordered_circles_are_distinguished(self):
        circles = ["{x: 0.3, y: 0.3, radius: 0.2, color: [1, 0, 0]}",
                   "{x: 0.4, y: 0.4, radius: 0.2, color: [0, 1, 0]}",
                   "{x: 0.5, y: 0.5, radius: 0.2, color: [0, 0, 1]}"]

        def scene(name, numbers):
            self.write(name, "version: 1\nimage: {width: 64, height: 64}\nlayers:\n  - circles: ["
                       + ", ".join(circles[i] for i in numbers) + "]\n")

        scene("a.yaml", [0, 1, 2])
        for numbers, change, places in (([0, 2], "removed", (1, None)),
                                        ([2, 0, 1], "reordered", (2, 0))):
            scene("b.yaml", numbers)
            for one, other in (("a", "b"), ("b", "a")):
                found = json.loads(self.diff(f"{one}.yaml", f"{other}.yaml", "--json").stdout)
                (circle,) = found["explained"][0]["circles"]
                expected = change if one == "a" or change != "removed" else "added"
                self.assertEqual(circle["change"], expected)
                at = {side: circle[side] and circle[side]["index"] for side in "ab"}
                self.assertEqual((at[one if one == "a" else "b"], at["b" if one == "a" else "a"]),
                                 places)

    def test_the_same_picture_is_exit_code_0(self):
        self.assertIn("no pixel differs; different circles: 0\n",
                      self.diff("scene.yaml", "scene.yaml", code=0).stdout)
        self.diff("scene.yaml", "scene.yaml", "--seed", "3", "--frame", "1", "--limit", "2", code=0)

    def test_a_changed_background_is_reported(self):
        self.write("dark.yaml", SCENE.replace("#ffe0c0", "#000000"))
        text = self.diff("scene.yaml", "dark.yaml").stdout
        self.assertIn("different circles: 0\n", text)
        self.assertRegex(text, r"\n +100 % +the background\n$")

    def test_changed_values_of_the_files_are_listed_first(self):
        self.write("b.yaml", SCENE.replace('bottom: "#ffe0c0"', 'bottom: "#ffe0c1"').replace("zoom: 1.2", "zoom: 1.20")
                   .replace("count: 3000", "count: 3001").replace("frames: 10,", "").replace("  - generator: rgb", "  - generator: rgb\n    name: first"))
        values = ["image.background.bottom #ffe0c0 -> #ffe0c1", "layers[0].name first added",
                  "layers[1].random.count 3000 -> 3001", "animation.frames 10 removed"]
        self.assertEqual(json.loads(self.diff("scene.yaml", "b.yaml", "--json").stdout)["scene"], values)
        self.assertEqual(self.diff("scene.yaml", "b.yaml").stdout.splitlines()[2:6], [f"scene: {value}" for value in values])
        self.write("seed.yaml", SCENE + "seed: 5\n")
        self.assertIn("scene: seed 5 added\n", self.diff("scene.yaml", "seed.yaml").stdout)
        self.assertNotIn("scene: ", self.diff("scene.yaml", "seed.yaml", "--seed", "2", code=0).stdout)
        self.assertIn("scene: layers [4 items] -> [1 item]\n", self.diff("scene.yaml", "corner.yaml").stdout)

    def test_another_size_is_a_difference(self):
        done = self.diff("scene.yaml", "corner.yaml", "--json")
        found = json.loads(done.stdout)
        self.assertEqual(found["shape"], "120x80 RGB and 8x4 RGB")
        self.assertIn("image.width 120 -> 8", found["scene"])
        self.assertIn("no pixels to compare: 120x80 RGB and 8x4 RGB\n", self.diff("scene.yaml", "corner.yaml").stdout)
        self.assertIn("differ in ", self.diff("scene.yaml", "corner.yaml", "--size", "40x40").stdout)

    def test_each_cluster_is_explained(self):
        circles = [f"      - {{x: 0.{x}, y: 0.5, radius: 0.0{x}}}\n" for x in (2, 5, 8)]
        start = "version: 1\nimage: {width: 64, height: 64}\nlayers:\n  - circles:\n"
        self.write("a.yaml", start + circles[0] + "".join(circle.replace("}", ", color: '#ff0000'}") for circle in circles[1:]))
        self.write("b.yaml", start + "".join(circles))
        found = json.loads(self.diff("a.yaml", "b.yaml", "--json").stdout)
        self.assertEqual([cluster["circles"][0]["b"]["line"] for cluster in found["explained"]], [7, 6])
        self.assertEqual(found["clusters"], 2)
        text = self.diff("a.yaml", "b.yaml", "--clusters", "1").stdout
        self.assertRegex(text, r"cluster 1 of 2: [\d,]+ pixels in ")
        self.assertNotIn("cluster 2 of 2: ", text)
        self.assertIn("--clusters: expected a whole number from 1 to 1000", self.diff("a.yaml", "b.yaml", "--clusters", "0", code=2).stderr)

    def test_incomparable_pictures_are_exit_code_2(self):
        self.write("bad.yaml", SCENE.replace("count: 300,", "count: -1,"))
        for arguments, mentions in (
                (["scene.yaml", "bad.yaml"], "bad.yaml:8:"),
                (["none.yaml", "bad.yaml"], "none.yaml: "),
                (["scene.yaml"], "expected A B"),
                (["scene.yaml", "moved.yaml", "--flip"], "--explain: does not work with"),
                (["scene.yaml", "moved.yaml", "--diff-image", "d.png"], "--explain: ")):
            done = self.diff(*arguments, code=2)
            self.assertFalse(done.stdout)
            self.assertIn(mentions, done.stderr)
        done = self.run_roundel("diff", "a.png", "b.png", "--seed", "1", code=2)
        self.assertIn("work only with --explain", done.stderr)


class Errors(ExplainTest):
    def test_a_pixel_outside_of_the_image(self):
        for pixel in ("120,0", "0,80", "65535,65535"):
            self.assert_fails("scene.yaml", "--pixel", pixel,
                              mentions="--pixel: expected X from 0 to 119 and Y from 0 to 79 in an "
                                   f'image of 120x80 pixels, got "{pixel}"')
        self.assert_fails("scene.yaml", "--pixel", "10,0", "--size", "10x10", mentions="from 0 to 9")

    def test_invalid_pixels(self):
        for pixel in ("5", "5,", ",5", "-1,0", "0,-1", "1.5,0", "1,2,3", "a,b", "65536,0",
                      "99999999999999999999,0", " 1,2"):
            self.assert_fails("scene.yaml", f"--pixel={pixel}",
                              mentions="--pixel: expected X,Y in pixels")

    def test_a_pixel_needs_a_value(self):
        for pixel in (["--pixel="], ["--pixel"]):
            self.assert_fails("scene.yaml", *pixel, mentions="--pixel: expected X,Y after it")

    def test_exactly_one_task(self):
        self.assert_fails("scene.yaml", mentions="expected either --pixel X,Y or --heatmap KIND")
        self.assert_fails("scene.yaml", "--pixel", "1,1", "--heatmap", "stop", "-o", "a.png",
                          mentions="expected either --pixel X,Y or --heatmap KIND")
        self.assert_fails("scene.yaml", "--heatmap", "stop", mentions="--heatmap: needs -o FILE")
        self.assert_fails("scene.yaml", "--pixel", "1,1", "-o", "a.png",
                          mentions="--output: works only with --heatmap")
        self.assert_fails("scene.yaml", "--heatmap", "stop", "-o", "a.png", "--limit", "3",
                          mentions="--limit: works only with --pixel")
        self.assert_fails("scene.yaml", "--heatmap", "depth", "-o", "a.png",
                          mentions='--heatmap: expected layers, overlaps or stop, got "depth"')
        self.assert_fails("scene.yaml", "scene.yaml", "--pixel", "1,1", mentions="one argument only")

    def test_impossible_outputs(self):
        for name in ("a.jpg", "-", "a", "."):
            self.assert_fails("scene.yaml", "--heatmap", "stop", "-o", name, mentions="--output: ")
        self.assert_fails("scene.yaml", "--heatmap", "stop", "-o", "scene.yaml/ne/a.png", code=REFUSED,
                          mentions='expected a folder, got the file "scene.yaml"')
        self.assert_fails("scene.yaml", "--heatmap", "stop", "-o", "a.png", code=FAILED,
                          mentions="a.png",
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))

    def test_invalid_scenes(self):
        self.write("bad.yaml", SCENE.replace("count: 300,", "count: -1,"))
        for task in (["--pixel", "1,1"], ["--heatmap", "stop", "-o", "a.png"]):
            self.assert_fails("bad.yaml", *task, code=INVALID, mentions="bad.yaml:8:")
            self.assert_fails("none.yaml", *task, code=INVALID, mentions="none.yaml: ")
        self.assert_fails("scene.yaml", "--pixel", "1,1", "--frame", "-10000001", mentions="--frame: ")
        self.assert_fails("scene.yaml", "--pixel", "1,1", "--frame", "99999999", mentions="--frame: ")

    def test_more_than_the_machine_has_is_refused(self):
        self.write("huge.yaml", SCENE.replace("count: 3000", "count: 999999000"))
        if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 30e9:
            self.skipTest("this machine has room for a billion circles")
        self.assert_fails("huge.yaml", "--pixel", "1,1", code=FAILED, mentions="GiB of memory")


if __name__ == "__main__":
    unittest.main(verbosity=2)
