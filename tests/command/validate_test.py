#!/usr/bin/env python3
"""The numbers of validate, as text and JSON, and the axes in files of pictures. Usage: validate_test.py PATH_OF_ROUNDEL
"""

import json
import os
import re
import subprocess
import unittest
import zlib

import jsonschema
import numpy as np

from command_case import RGB, ROUNDEL, CommandCase

USAGE, INVALID = 2, 3
DATA = """version: 1
image: {width: 40, height: 30}
view: {fit: data, margin: 0}
layers:
  - name: cells
    data: d.npy
    map: {x: x, y: y, radius: {column: v, scale: sqrt, range: [0, 2px]}, alpha: {column: v, scale: rank, range: [0.2, 1]},
          color: {column: v, scale: log, domain: [5%, 95%], colormap: magma, missing: "#606060"}}
    invalid: skip
  - data: d.npy
    map: {x: x, y: y, radius: 1px, color: {column: kind, categories: set2}}
"""


class Validate(CommandCase):
    is_text = True

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(3)
        self.data = np.zeros(1000, [("x", "f8"), ("y", "f8"), ("v", "f8"), ("kind", "U4")])
        self.data["x"], self.data["y"] = random.random((2, 1000)) * [[0.3], [0.1]] + 7_000_000.123456789
        self.data["v"] = random.lognormal(size=1000)
        self.data["v"][:5] = np.nan
        self.data["kind"] = random.choice(["b", "a", "\u00e9\""], 1000)
        np.save(self.path("d.npy"), self.data)
        self.write("d.yaml", DATA)

    def scene(self, *arguments, scene="s.yaml", code=0):
        found = json.loads(self.run_roundel("validate", scene, "--json", *arguments, code=code).stdout)
        jsonschema.Draft7Validator(self.schema()).validate(found)
        self.assertEqual((found["version"], len(found["scenes"])), (1, 1))
        return found["scenes"][0]

    def schema(self):
        return json.loads(self.run_roundel("schema", "validation").stdout)

    def window(self, view, *arguments, size=(640, 480)):
        self.write("s.yaml", f"version: 1\nimage: {{width: {size[0]}, height: {size[1]}}}\nview: {view}\nlayers:\n"
                             "  - generator: rgb\n")
        window = self.scene(*arguments)["window"]
        text = self.run_roundel("validate", "s.yaml", *arguments).stdout
        ends = re.search(r"  view +x (\S+) to (\S+), y (\S+) to (\S+)\n", text).groups()
        self.assertEqual([*window[0], *window[1]], [float(end) for end in ends])
        return window

    def test_windows_match_the_scene(self):
        self.assertEqual(self.window("{x: [0, 50000], y: [0, 37500]}"), [[0, 50000], [0, 37500]])
        self.assertEqual(self.window("{x: [0, 50000], y: [0, 1]}")[0], [0, 50000])
        self.assertEqual(self.window("{x: [0.1, 0.7], y: [0.3, 0.35]}", size=(333, 77))[0][0:1] +
                         self.window("{x: [0.1, 0.11], y: [0.3, 0.35]}", size=(333, 77))[1], [0.1, 0.3, 0.35])
        self.assertEqual(self.window("{x: [-1.0e-9, 2.0e-9], y: [0, 1.0e-9]}")[0], [-1e-9, 2e-9])
        self.assertEqual(self.window("{fit: square}", size=(50, 50)), [[-0.05, 1.05], [-0.05, 1.05]])
        self.assertEqual(self.window("{x: [0, 4], y: [0, 3], flip: y}"), [[0, 4], [3, 0]])
        self.assertEqual(self.window("{x: [0, 4], y: [0, 3], aspect: cover}", size=(800, 300))[0], [0, 4])

    def test_windows_of_crops_match_the_file(self):
        view, size = "{x: [0, 64], y: [0, 48]}", (640, 480)
        self.assertEqual(self.window(view, "--crop", "100,200,300,80", size=size), [[10, 40], [20, 28]])
        self.assertEqual(self.window(view, "--crop", "340,400,300,80", size=size), [[34, 64], [0, 8]])
        flipped = view.replace("}", ", flip: y}")
        self.assertEqual(self.window(flipped, "--crop", "100,200,300,80", size=size), [[10, 40], [28, 20]])
        self.run_roundel("render", "s.yaml", "--crop", "100,200,300,80", "-o", "a.png")
        self.assertEqual(json.loads(self.run_roundel("info", "a.png", "--json").stdout)[0]["window"], [[10, 40], [28, 20]])

    def test_windows_of_data_and_of_frames(self):
        x, y = self.data["x"], self.data["y"]
        found = self.scene(scene="d.yaml")
        self.assertEqual(found["window"][0], [x.min(), x.max()])  # to the last bit, seven million away
        height = (x.max() - x.min()) * 3 / 4
        middle = (y.min() + y.max()) / 2
        np.testing.assert_allclose(found["window"][1], [middle - height / 2, middle + height / 2], rtol=1e-15)
        self.write("s.yaml", "version: 1\nimage: {width: 40, height: 40}\nanimation: {frames: 11}\n"
                             "view: {center: [0.5, 0.5], zoom: {keys: {0: 1, 10: 4}}}\nlayers:\n  - generator: rgb\n")
        self.assertEqual(self.scene()["window"], [[0, 1], [0, 1]])
        found = self.scene("--frame", "10")
        self.assertEqual((found["frame"], found["window"]), (10, [[0.375, 0.625], [0.375, 0.625]]))
        self.run_roundel("render", "s.yaml", "--frames", "0,10", "-o", "f_#.png")
        for frame, window in ((0, [[0, 1], [0, 1]]), (10, [[0.375, 0.625], [0.375, 0.625]])):
            self.assertEqual(self.axes(f"f_{frame}.png")["window"], window)

    def test_layers_have_domains_and_categories(self):
        found = self.scene(scene="d.yaml")
        v = self.data["v"][5:]
        cells, kinds = found["layers"]
        ends = [float(np.sort(v)[int(np.ceil(share * len(v))) - 1]) for share in (0.05, 0.95)]
        self.assertEqual(cells["color"], {"column": "v", "scale": "log", "domain": ends, "colormap": "magma",
                                          "missing": "#606060", "missing_rows": 0})
        self.assertEqual((cells["radius"]["domain"], cells["radius"]["range"]), ([v.min(), v.max()], [0, "2px"]))
        self.assertEqual((cells["alpha"]["scale"], len(cells["alpha"]["quantiles"])), ("rank", 257))
        self.assertEqual((cells["name"], cells["kind"], cells["hidden"], cells["x"]), ("cells", "data", False, {"column": "x"}))
        self.assertEqual((cells["circles"], cells["data"]["rows"], cells["data"]["skipped"]), (995, 1000, 5))
        columns = {column["name"]: column for column in cells["data"]["columns"]}
        self.assertEqual((columns["v"]["low"], columns["v"]["high"], columns["v"]["missing"]), (v.min(), v.max(), 5))
        self.assertEqual(kinds["color"]["palette"], "set2")
        self.assertEqual([category["value"] for category in kinds["color"]["categories"]], ["a", "b", "\u00e9\""])
        self.assertEqual(kinds["color"]["categories"][0]["color"], "#66c2a5")
        self.assertEqual(found["circles"], 1995)
        text = self.run_roundel("validate", "d.yaml").stdout
        self.assertIn(f"color      v by log: {ends[0]!r} to {ends[1]!r}", text)
        self.assertIn(f"--memory     {found['memory']['option']} is enough\n", text)
        self.assertEqual(text.split()[-1], found["fingerprint"])
        self.assertEqual(found["seen"]["of"], 1995)
        self.write("s.yaml", DATA.replace("magma", '[[0, "#ff0000"], [0.25, "#00ff00"], [1, "#0000ff"]]').replace("  - name: cells", "  - name: c"))
        self.assertEqual(self.scene("--layers", "c")["layers"][0]["color"]["colormap"], [[0, "#ff0000"], [0.25, "#00ff00"], [1, "#0000ff"]])

    def axes(self, name):
        """Returns the picture's text, read by this script."""
        data, at = self.read(name), 8
        while at < len(data):
            size, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
            chunk = data[at + 8:at + 8 + size]
            self.assertEqual(int.from_bytes(data[at + 8 + size:at + 12 + size], "big"), zlib.crc32(kind + chunk))
            if kind == b"tEXt" and chunk.startswith(b"Axes\0"):
                return json.loads(chunk[5:].decode("ascii"))
            at += 12 + size
        return None

    def test_pictures_name_their_axes(self):
        found = self.scene(scene="d.yaml")
        for name in ("a.png", "a.exr"):
            self.run_roundel("render", "d.yaml", "-o", name)
            shown = json.loads(self.run_roundel("info", name, "--json").stdout)[0]
            self.assertEqual((shown["window"], shown["fingerprint"]), (found["window"], found["fingerprint"]))
            cells, kinds = shown["layers"]
            described = {key: value for key, value in found["layers"][0]["color"].items() if key != "missing_rows"}
            self.assertEqual((cells["layer"], cells["name"], cells["color"]), (0, "cells", described))
            self.assertEqual(cells["alpha"]["domain"], found["layers"][0]["alpha"]["domain"])
            self.assertEqual((kinds["layer"], kinds["color"]), (1, found["layers"][1]["color"]))
            text = self.run_roundel("info", name).stdout
            self.assertNotIn("\\x", text)
            self.assertIn("  window        x {!r} to {!r}, y".format(*found["window"][0]), text)
            self.assertIn('"domain":', text)
        self.assertEqual(self.axes("a.png")["window"], found["window"])
        self.run_roundel("render", "d.yaml", "-o", "a.pfm")
        self.assertEqual(self.run_roundel("diff", "a.exr", "a.pfm").stdout.count("same"), 1)

    def test_files_of_many_categories_stay_small(self):
        self.data["kind"] = [f"k{i % 200}" for i in range(1000)]
        np.save(self.path("d.npy"), self.data)
        self.run_roundel("render", "d.yaml", "-o", "a.png")
        color = self.axes("a.png")["layers"][1]["color"]
        self.assertEqual((len(color["categories"]), color["more_categories"]), (32, 168))
        layer = DATA[DATA.index("  - data"):]
        self.write("s.yaml", DATA + layer * 40)
        self.run_roundel("render", "s.yaml", "-o", "a.png")
        self.assertEqual(list(self.axes("a.png")), ["window"])

    def test_frames_without_axes_are_valid(self):
        """Like those of earlier versions: only their fingerprints count."""
        self.write("f.yaml", RGB + "animation: {frames: 3}\n")
        self.run_roundel("render", "f.yaml", "--frames", "all", "-o", "f_#.png")
        for frame in range(3):
            data = self.read(f"f_{frame}.png")
            at = data.index(b"tEXtAxes\0") - 4
            with open(self.path(f"f_{frame}.png"), "wb") as file:
                file.write(data[:at] + data[at + 12 + int.from_bytes(data[at:at + 4], "big"):])
        before = [self.read(f"f_{frame}.png") for frame in range(3)]
        self.run_roundel("verify", "f_#.png", "--frames", "0-2", "--scene", "f.yaml")
        self.run_roundel("render", "f.yaml", "--frames", "all", "-o", "f_#.png", "--resume")
        self.assertEqual(before, [self.read(f"f_{frame}.png") for frame in range(3)])
        info = json.loads(self.run_roundel("info", "f_0.png", "--json").stdout)[0]
        self.assertNotIn("window", info)
        self.run_roundel("render", "f.yaml", "-o", "new.png")
        self.assertIn("same", self.run_roundel("diff", "f_0.png", "new.png").stdout)

    def test_errors_are_json(self):
        self.write("bad.yaml", "version: 1\nlayers:\n  - circles: [{x: 0, y: 0, radius: big}]\n    nme: a\n")
        self.write("rgb.yaml", RGB)
        done = self.run_roundel("validate", "bad.yaml", "rgb.yaml", "none.yaml", "--json", code=INVALID)
        found = json.loads(done.stdout)
        jsonschema.Draft7Validator(self.schema()).validate(found)
        bad, rgb, none = found["scenes"]
        self.assertEqual([scene["valid"] for scene in (bad, rgb, none)], [False, True, False])
        problem = bad["problems"][0]
        self.assertEqual((problem["file"], problem["line"], problem["key"]), ("bad.yaml", 3, "layers[0].circles[0].radius"))
        self.assertIn(f"bad.yaml:3:{problem['column']}: {problem['key']}: {problem['message']}", done.stderr)
        self.assertIn("no such file", none["problems"][0]["message"])
        self.write("s.yaml", DATA.replace("    invalid: skip\n", ""))
        self.assertIn("d.npy: row 0: v: radius: expected a number >= 0 for scale: sqrt, got nan", self.scene(code=INVALID)["problems"][0]["message"])

    def test_warnings_are_json(self):
        self.write("s.yaml", "version: 1\nlayers:\n  - circles: [{x: 9, y: 9, radius: 0.1}]\n")
        found = self.scene()
        self.assertEqual(len(found["warnings"]), 1)
        self.assertIn("no circle", found["warnings"][0])
        self.assertIn(found["warnings"][0], self.run_roundel("validate", "s.yaml", "--json").stderr)

    def test_json_goes_to_its_file(self):
        self.write("rgb.yaml", RGB)
        printed = self.run_roundel("validate", "rgb.yaml", "--json=v.json")
        self.assertIn("rgb.yaml: valid", printed.stdout)
        self.assertEqual(json.loads(self.read("v.json"))["scenes"][0]["width"], 64)
        self.assertEqual(self.run_roundel("validate", "rgb.yaml", "--json=v.json", "-q").stdout, "")
        self.assertEqual(json.loads(self.run_roundel("validate", "rgb.yaml", "--json=-", "-q").stdout)["version"], 1)
        os.symlink("d.npy", self.path("link"))
        for name in ("d.yaml", "d.npy", "link"):
            before = self.read(name)
            self.run_roundel("validate", "d.yaml", f"--json={name}", code=USAGE)
            self.assertEqual(before, self.read(name))
        self.run_roundel("validate", "rgb.yaml", "--json=no/folder/v.json", code=4)

    def test_the_schema_matches_the_stored_one(self):
        schema = self.schema()
        jsonschema.Draft7Validator.check_schema(schema)
        with open(os.path.join(os.path.dirname(__file__), "../../scenes/validation.schema.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), schema,
                             "write it anew: roundel schema validation > scenes/validation.schema.json")
        for scene in subprocess.run(["ls", os.path.join(os.path.dirname(__file__), "../../scenes")], capture_output=True,
                                    text=True, check=True).stdout.split():
            if scene in ("winter.yaml", "rings.yaml", "title.yaml", "zoom.yaml", "pattern.yaml"):
                self.scene("--size", "60x40", scene=os.path.join(os.path.dirname(__file__), "../../scenes", scene))


if __name__ == "__main__":
    assert ROUNDEL
    unittest.main(verbosity=1)
