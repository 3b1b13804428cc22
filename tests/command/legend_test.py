#!/usr/bin/env python3
"""Legends against the output of validate for the same scenes. Usage: legend_test.py PATH_OF_ROUNDEL"""

import os
import re
import unittest
import xml.etree.ElementTree as ElementTree

from command_case import CommandCase

DONE, USAGE, INVALID, REFUSED = 0, 2, 3, 4
SVG = "{http://www.w3.org/2000/svg}"
ROWS = [("0.1", "0.2", "0.5", "tumour", "3"), ("0.5", "0.5", "25.5", "stroma <&> \"'", "40"),
        ("0.9", "0.7", "1300", "Ärger", "7"), ("0.3", "0.7", "3", "immune", "100")]


class LegendTest(CommandCase):
    def setUp(self):
        super().setUp()
        self.write("d.csv", "x,y,v,kind,area\n" + "".join(
            ",".join('"' + text.replace('"', '""') + '"' if text else "" for text in row) + "\n" for row in ROWS))

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)

    def scene(self, layer, head="image: {width: 400, height: 200}"):
        self.write("s.yaml", f"version: 1\n{head}\nlayers:\n  - data: d.csv\n    map: {{x: x, y: y, {layer}}}\n")

    def legend(self, *arguments):
        self.run_roundel("legend", "s.yaml", "-o", "l.svg", *arguments)
        svg = ElementTree.parse(self.path("l.svg")).getroot()
        self.assertEqual(svg.tag, SVG + "svg")
        for text in svg.iter(SVG + "text"):
            self.assertTrue(0 <= float(text.get("x")) <= float(svg.get("width")))
            self.assertTrue(0 <= float(text.get("y")) <= float(svg.get("height")))
        return svg

    def texts(self, svg):
        return [text.text for text in svg.iter(SVG + "text")]

    def test_hidden_encodings_have_no_legend(self):
        full = ("z: 0.5, radius: {column: area, range: [4px, 10px]}, color: v, "
                "alpha: {column: v, range: [0.1, 1]}")

        def headings(layer):
            self.scene(full)
            with open(self.path("s.yaml"), "a", encoding="utf-8") as file:
                file.write("    " + layer + "\n")
            return [text.split(":")[0] for text in self.texts(self.legend()) if ": " in text]

        self.assertEqual(headings("opacity: 1"), ["color", "alpha", "radius"])
        self.assertEqual(headings("shader: snow"), ["radius"])
        self.assertEqual(headings('fill: false\n    stroke: {width: 1px, color: "#102030"}'), ["alpha", "radius"])
        self.assertEqual(headings("fill: false\n    stroke: {width: 1px, alpha: 1}"), ["color", "radius"])

    def test_strokes_match_the_layer(self):
        kinds = 'color: {column: kind, categories: tab10}, radius: {column: area, range: [4px, 10px]}'
        self.scene(kinds)
        fills = [rect.get("fill") for rect in self.legend().iter(SVG + "rect")][1:]

        def looks(layer):
            self.scene(kinds)
            with open(self.path("s.yaml"), "a", encoding="utf-8") as file:
                file.write("    " + layer + "\n")
            svg = self.legend()
            swatches = [(r.get("fill"), r.get("stroke")) for r in svg.iter(SVG + "rect")][1:]
            return swatches, [(float(c.get("r")), float(c.get("stroke-width")), c.get("fill"), c.get("stroke"))
                              for c in svg.iter(SVG + "circle")]

        swatches, circles = looks('stroke: {width: 2px, color: "#123456"}')
        self.assertEqual(swatches, [(fill, "#123456") for fill in fills])
        self.assertEqual(circles[0], (3, 2, "#606060", "#123456"))  # the rim is at 4 pixels
        self.assertEqual(circles[-1], (9, 2, "#606060", "#123456"))
        swatches, circles = looks("fill: false\n    stroke: {width: 6px}")
        self.assertEqual(swatches, [("none", fill) for fill in fills])
        self.assertEqual(circles[0], (2, 4, "none", "#606060"))  # wider than the circle: a disc
        self.assertEqual(circles[-1], (7, 6, "none", "#606060"))

    def test_scales_match_validate(self):
        for scale in ("linear", "sqrt", "log", "symlog", "rank"):
            for domain in ("", "domain: [0.25, 700.125]", "domain: [10%, 60%]", "domain: [900, 0.125]"):
                if domain and scale == "rank":
                    continue
                law = ", ".join(filter(None, ["column: v", f"scale: {scale}", domain]))
                self.scene(f"radius: {{{law}, range: [1px, 9px]}}, color: {{{law}}}, alpha: {{{law}}}")
                printed = self.run_roundel("validate", "s.yaml").stdout.decode()
                texts = self.texts(self.legend())
                for key in ("radius", "color", "alpha"):
                    low, high = re.search(rf"{key} +v by {scale}: (\S+) to (\S+)", printed).groups()
                    self.assertIn(f"{key}: v, {scale}", texts)
                    after = texts[texts.index(f"{key}: v, {scale}") + 1:]
                    self.assertEqual(after[0], low)
                    end = next(i for i, text in enumerate(after) if not re.fullmatch(r"[-+.e0-9]+", text))
                    self.assertEqual(after[end - 1], high)
                    numbers = [float(text) for text in after[:end]]
                    self.assertEqual(numbers, sorted(numbers, reverse=numbers[0] > numbers[-1]))

    def test_ticks_follow_the_scale(self):
        self.scene("radius: 1px, color: {column: v, scale: log, domain: [0.1, 1000]}")
        svg = self.legend()
        bar = next(r for r in svg.iter(SVG + "rect") if r.get("fill") == "url(#bar1)")
        places = [float(re.match(r"M([0-9.]+)", path.get("d")).group(1)) for path in svg.iter(SVG + "path")]
        self.assertEqual(self.texts(svg)[2:], ["0.1", "1", "10", "100", "1000"])
        for k, place in enumerate(places):
            self.assertAlmostEqual(place, float(bar.get("x")) + k / 4 * float(bar.get("width")), delta=0.01)

    def test_bars_have_the_colours_of_the_map(self):
        self.scene('radius: 1px, color: {column: v, colormap: [[0, "#000000"], [0.25, "#ff8800"], [1, "#ffffff"]], '
                   'missing: "#123456"}')
        svg = self.legend()
        stops = [(float(stop.get("offset")), stop.get("stop-color")) for stop in svg.iter(SVG + "stop")]
        self.assertEqual(stops, [(0, "#000000"), (0.25, "#ff8800"), (1, "#ffffff")])
        self.assertIn("missing", self.texts(svg))
        self.assertIn("#123456", [rect.get("fill") for rect in svg.iter(SVG + "rect")])

    def test_categories_are_named_beside_their_colours(self):
        self.scene("radius: 1px, color: {column: kind, categories: tab10}")
        svg = self.legend()
        named = self.texts(svg)[2:]
        self.assertEqual(named, sorted((row[3] for row in ROWS), key=lambda text: text.encode()))
        colours = [rect.get("fill") for rect in svg.iter(SVG + "rect")][1:]
        self.assertEqual(colours, ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728"])
        self.scene('radius: 1px, color: {column: v, categories: {"25.5": "#ff0000", "3": "#0000ff"}, missing: 0.5}')
        self.assertEqual(self.texts(self.legend())[2:], ["3", "25.5", "missing"])

    def test_radii_match_the_picture(self):
        def radii(*arguments):
            return [float(circle.get("r")) for circle in self.legend(*arguments).iter(SVG + "circle")]
        self.scene("radius: {column: area, scale: linear, domain: [0, 100], range: [2px, 12px]}")
        self.assertEqual(radii(), [2, 4, 6, 8, 10, 12])
        self.assertEqual(radii("--size", "800x800"), [2, 4, 6, 8, 10, 12])
        self.scene("radius: {column: area, scale: linear, domain: [0, 100], range: [0, 0.05]}")
        self.assertEqual(radii(), [0, 2, 4, 6, 8, 10])
        self.assertEqual(radii("--size", "800x400"), [0, 4, 8, 12, 16, 20])
        self.scene("radius: {column: area, scale: linear, domain: [0, 100], range: [0, 1]}",
                   "image: {width: 400, height: 400}")
        self.assertEqual(max(radii()), 40)
        self.assertIn("drawn 10 times smaller than in the picture", self.texts(self.legend()))
        self.write("d.csv", "x,y,r\n0.5,0.5,0.01\n0.25,0.5,0.05\n")
        self.scene("radius: r")
        self.assertEqual(radii(), [2, 4, 6, 8, 10])
        self.write("s.yaml", "version: 1\nimage: {width: 400, height: 200}\nlayers: [{data: d.csv, map: {x: x, y: y, "
                             "radius: r}, radius_limits: [3px, 0.04]}]\n")
        self.assertEqual(radii(), [3, 4, 6, 8, 8])
        self.write("s.yaml", "version: 1\nimage: {width: 400, height: 200}\nlayers: [{scale: 2, data: d.csv, map: "
                             "{x: x, y: y, radius: r}, radius_limits: [3px, 0.08]}]\n")
        self.assertEqual(radii(), [4, 8, 12, 16, 16])

    def test_alphas_include_the_layers_opacity(self):
        self.write("s.yaml", "version: 1\nlayers: [{name: few, opacity: 0.5, data: d.csv, map: {x: x, y: y, "
                             "radius: 1px, alpha: {column: v, range: [0.25, 1]}}}]\n")
        svg = self.legend()
        self.assertEqual([stop.get("stop-opacity") for stop in svg.iter(SVG + "stop")], ["0.125", "0.5"])
        self.assertEqual(self.texts(svg)[0], "layers[0] few: data d.csv")

    def test_hostile_names_are_shown(self):
        self.write("d.csv", "x,y,kind\n0.5,0.5,\x01\x1b[2J\n0.5,0.5,\udcff\udcfe\n0.5,0.5,\uffff]]>\n0.5,0.5," +
                   "ß" * 100_000 + "\n")
        self.scene("radius: 1px, color: {column: kind, categories: set2}")
        texts = self.texts(self.legend())
        self.assertIn(r"\x01\x1b[2J", texts)
        self.assertIn("ß" * 30 + "…", texts)
        self.assertLess(os.path.getsize(self.path("l.svg")), 10_000)

    def test_many_categories_and_no_numbers(self):
        self.write("d.csv", "x,y,kind,none\n" + "".join(f"0.5,0.5,{k},nan\n" for k in range(5000)))
        self.scene("radius: 1px, color: {column: kind, categories: set2}")
        self.assertEqual(self.texts(self.legend())[2:], [str(k) for k in range(5000)])
        self.scene("radius: {column: none, range: [1px, 2px], missing: 1px}, color: {column: none, missing: 0}")
        self.assertEqual(self.texts(self.legend()).count("no numbers"), 2)
        self.scene("radius: {column: x, range: [1px, 2px]}, color: x")  # a domain of one number
        self.assertEqual(self.texts(self.legend()).count("0.5"), 2)

    def test_stdout_and_replaced_files_get_the_same_bytes(self):
        self.scene("radius: area, color: v")
        self.write("d.csv", "x,y,v,area\n0.5,0.5,1,1\n0.5,0.5,2,3\n")
        self.write("l.svg", "old")
        self.legend()
        with open(self.path("l.svg"), "rb") as file:
            self.assertEqual(file.read(), self.run_roundel("legend", "s.yaml", "-o", "-").stdout)
        self.run_roundel("legend", "s.yaml", "-o", "new/l.svg")
        self.run_roundel("legend", "s.yaml", "-o", "new/two/levels/l.svg")
        self.run_roundel("legend", "s.yaml", "-o", "s.yaml/ne/l.svg", code=REFUSED)
        os.symlink("s.yaml", self.path("link.svg"))
        self.assertIn("would replace", self.run_roundel("legend", "s.yaml", "-o", "link.svg",
                                                        code=REFUSED).stderr.decode())

    def test_a_missing_legend_is_reported(self):
        self.scene('radius: 1px, color: "#ff0000"')
        self.assertIn("s.yaml: nothing for a legend: expected a layer whose map",
                      self.run_roundel("legend", "s.yaml", "-o", "l.svg", code=INVALID).stderr.decode())
        self.scene("radius: 1px, color: nothing")
        self.assertIn("s.yaml:5:43: layers[0].map.color: ",
                      self.run_roundel("legend", "s.yaml", "-o", "l.svg", code=INVALID).stderr.decode())
        for arguments in (["-o", "l.png"], [], ["-o", "l.svg", "--size", "0x5"]):
            self.run_roundel("legend", "s.yaml", *arguments, code=USAGE)
        self.assertFalse(os.path.exists(self.path("l.svg")))


if __name__ == "__main__":
    unittest.main(verbosity=1)
