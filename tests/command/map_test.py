#!/usr/bin/env python3
"""Layers' values from data columns, against NumPy. Usage: map_test.py PATH_OF_ROUNDEL"""

import json
import math
import os
import unittest

import numpy as np

from command_case import CommandCase, is_sanitized

DONE, INVALID = 0, 3
ROWS = 30_000


def table(rows=ROWS, seed=1):
    """Returns columns of several types, with values that scales cannot take."""
    random = np.random.default_rng(seed)
    data = np.zeros(rows, dtype=[("x", "f8"), ("y", "f8"), ("v", "f8"), ("size", "f4"), ("kind", "U8"),
                                 ("red", "u1"), ("green", "u2"), ("blue", "f4"), ("code", "i4"), ("hex", "U7")])
    data["x"], data["y"] = random.uniform(0, 1, rows), random.uniform(0, 1, rows)
    data["v"] = np.round(random.lognormal(0, 2, rows), 2) * random.choice([1, 1, 1, -1], rows)
    data["v"][random.integers(0, rows, rows // 50)] = np.nan
    data["v"][7], data["v"][8] = np.inf, -np.inf
    data["size"] = random.uniform(0.001, 0.01, rows)
    data["kind"] = np.array(["stroma", "tumour", "immune", "Ärger"])[random.integers(0, 4, rows)]
    data["red"], data["green"] = random.integers(0, 256, rows), random.integers(0, 65536, rows)
    data["blue"], data["code"] = random.uniform(0, 2, rows), random.integers(-3, 4, rows)
    data["hex"] = [f"#{value:06x}" for value in random.integers(0, 1 << 24, rows)]
    return data


def percentile(values, percent):
    """Returns the value of rank ⌈p·n/100⌉, at least 1."""
    ordered = np.sort(values)
    return float(ordered[max(math.ceil(percent * len(ordered) / 100), 1) - 1])


def taken(values, scale):
    """Returns which values a scale can take."""
    with np.errstate(invalid="ignore"):
        return np.isfinite(values) & {"log": values > 0, "sqrt": values >= 0}.get(scale, True)


def shares(values, scale, ends, threshold=1):
    """Returns t of each value, NaN for those that the scale cannot take."""
    def moved(v):
        with np.errstate(all="ignore"):
            return {"linear": lambda: v, "sqrt": lambda: np.sqrt(v), "log": lambda: np.log2(v),
                    "symlog": lambda: np.sign(v) * np.log2(1 + np.abs(v) / threshold)}[scale]()
    low, high = (moved(np.float64(end)) for end in ends)
    with np.errstate(all="ignore"):
        t = np.clip((moved(values) - low) / (high - low), 0, 1) if low != high else np.full(len(values), 0.5)
    return np.where(taken(values, scale), t, np.nan)


class MapTest(CommandCase):
    def setUp(self):
        super().setUp()
        self.data = table()
        np.save(self.path("d.npy"), self.data)

    def scene(self, layer, head=""):
        with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
            file.write(f"version: 1\n{head}\nlayers:\n  - data: d.npy\n{layer}\n")

    def circles(self, layer, head=""):
        self.scene(layer, head)
        self.run_roundel("circles", "s.yaml", "--columns", "all", "-o", "c.npy")
        return np.load(self.path("c.npy"))

    def error(self, layer):
        self.scene(layer)
        return self.run_roundel("validate", "s.yaml", code=INVALID).stderr.decode()

    def close(self, found, expected, ulps=1):
        """Compares float32 numbers within `ulps` units in the last place, since log2 is our own."""
        expected = expected.astype(np.float32)
        self.assertEqual(found.shape, expected.shape)
        self.assertTrue(np.all(np.abs(found - expected) <= ulps * np.spacing(np.maximum(np.abs(expected), 1e-3))),
                        np.abs(found - expected).max())

    def test_columns_and_constants(self):
        found = self.circles("    map: {x: x, y: {column: 1}, z: 0.25, radius: size, color: [red, green, blue],"
                             " alpha: 0.125}")
        for column, name in enumerate(["x", "y"]):
            np.testing.assert_array_equal(found[:, column], self.data[name].astype(np.float32))
        np.testing.assert_array_equal(found[:, 2], np.float32(0.25))
        np.testing.assert_array_equal(found[:, 3], self.data["size"])
        np.testing.assert_array_equal(found[:, 4], (self.data["red"] / 255).astype(np.float32))
        np.testing.assert_array_equal(found[:, 5], (self.data["green"] / 65535).astype(np.float32))
        np.testing.assert_array_equal(found[:, 6], self.data["blue"])
        np.testing.assert_array_equal(found[:, 7], np.float32(0.125))

    def test_alphas_of_small_whole_numbers_are_scaled_like_colours(self):
        layer = "    map: {x: x, y: y, radius: size, alpha: %s}"
        np.testing.assert_array_equal(self.circles(layer % "red")[:, 7], (self.data["red"] / 255).astype(np.float32))
        np.testing.assert_array_equal(self.circles(layer % "green")[:, 7], (self.data["green"] / 65535).astype(np.float32))
        self.close(self.circles(layer % "{column: red, domain: [0, 51]}")[:, 7], np.minimum(self.data["red"] / 51, 1))
        self.scene(layer % "red")
        self.assertIn(b"    alpha      red / 255\n", self.run_roundel("validate", "s.yaml").stdout)
        self.data["red"] %= 2
        np.save(self.path("d.npy"), self.data)
        for alpha, is_said in (("red", True), ("{column: red, domain: [0, 1]}", False)):
            self.scene(layer % alpha)
            self.assertEqual(is_said, b'd.npy: alpha: "red" has only 0 and 1, but is divided by 255, because its type is uint8; write '
                                      b'alpha: {column: red, domain: [0, 1]}'
                                      in self.run_roundel("render", "s.yaml", "-o", "a.png").stderr)

    def test_scales_of_radius(self):
        values = self.data["v"]
        for scale in ("linear", "sqrt", "log", "symlog"):
            for domain in ([2, 40], [40, 2], [3, 3], ["5%", "95%"], ["99.9%", 1], None):
                usable = values[taken(values, scale)]
                ends = [usable.min(), usable.max()] if domain is None else [
                    percentile(usable, float(end[:-1])) if isinstance(end, str) else end for end in domain]
                text = "" if domain is None else f", domain: [{domain[0]}, {domain[1]}]"
                found = self.circles(f"    map: {{x: x, y: y, radius: {{column: v, scale: {scale}{text}, "
                                     "range: [0.5, 8], missing: 0.25}}")
                t = shares(values, scale, ends)
                self.close(found[:, 3], np.where(np.isnan(t), 0.25, 0.5 + 7.5 * t))

    def test_ranks(self):
        usable = self.data["v"][np.isfinite(self.data["v"])]
        knots = np.array([np.sort(usable)[max(math.ceil(k * len(usable) / 256), 1) - 1] for k in range(257)])
        expected = []
        for value in self.data["v"]:
            equal = np.flatnonzero(knots == value)
            if not np.isfinite(value):
                expected.append(0)
            elif len(equal) > 0:
                expected.append((equal[0] + equal[-1]) / 2 / 256)
            else:
                above = np.searchsorted(knots, value)
                expected.append((above - 1 + (value - knots[above - 1]) / (knots[above] - knots[above - 1])) / 256)
        found = self.circles("    map: {x: x, y: y, radius: 1, alpha: {column: v, scale: rank, missing: 0}}")
        self.close(found[:, 7], np.array(expected))

    def test_colour_maps(self):
        known = {"viridis": [(0x44, 0x01, 0x54), (0x20, 0x90, 0x8c), (0xfd, 0xe7, 0x25)],
                 "magma": [(0x00, 0x00, 0x04), (0xb6, 0x36, 0x79), (0xfc, 0xfd, 0xbf)],
                 "inferno": [(0x00, 0x00, 0x04), (0xba, 0x36, 0x55), (0xfc, 0xff, 0xa4)],
                 "plasma": [(0x0d, 0x08, 0x87), (0xcb, 0x47, 0x78), (0xf0, 0xf9, 0x21)],
                 "cividis": [(0x00, 0x22, 0x4e), (0x7d, 0x7c, 0x78), (0xfe, 0xe8, 0x38)],
                 "turbo": [(0x30, 0x12, 0x3b), (0xa3, 0xfd, 0x3c), (0x7a, 0x04, 0x03)],
                 "gray": [(0, 0, 0), (0x80, 0x80, 0x80), (255, 255, 255)]}
        np.save(self.path("d.npy"), np.array([(0, 0, 0), (0, 0, 0.5), (0, 0, 1)]))
        for name, colors in known.items():
            found = self.circles(f"    map: {{x: 0, y: 0, radius: 1, color: {{column: {{column: 2}}, colormap: {name}}}}}"
                                 .replace("{column: 2}", "2"))
            for row, color in zip(found, colors):  # as 8 bits show them, within a step
                self.assertLessEqual(np.abs(row[4:7] * 255 - color).max(), 1.01, name)

    def test_own_gradients(self):
        values = self.data["v"]
        t = shares(values, "linear", [-10, 10])
        for stops, text in (([0, 0.5, 1], '["#000000", "#ff8000", "#ffffff"]'),
                            ([0.2, 0.25, 0.9], '[[0.2, "#000000"], [0.25, "#ff8000"], [0.9, "#ffffff"]]')):
            found = self.circles("    map: {x: x, y: y, radius: 1, color: {column: v, domain: [-10, 10], "
                                 f"colormap: {text}, missing: [0.1, 0.2, 0.3]}}}}")
            for channel, at_stops in enumerate(([0, 1, 1], [0, 128 / 255, 1], [0, 0, 1])):
                expected = np.interp(np.nan_to_num(t), stops, np.array(at_stops, dtype=np.float32).astype(np.float64))
                self.close(found[:, 4 + channel], np.where(np.isnan(t), (channel + 1) / 10, expected), 2)

    def test_categories_and_colours_in_texts(self):
        found = self.circles('    map: {x: x, y: y, radius: 1, color: {column: kind, missing: "#000000", categories: '
                             '{tumour: "#ff0000", Ärger: "#0000ff"}}}')
        np.testing.assert_array_equal(found[:, 4], self.data["kind"] == "tumour")
        np.testing.assert_array_equal(found[:, 6], self.data["kind"] == "Ärger")
        found = self.circles("    map: {x: x, y: y, radius: 1, color: {column: code, categories: tab10}}")
        tab10 = [0x1f, 0xff, 0x2c, 0xd6, 0x94, 0x8c, 0xe3]
        self.close(found[:, 4], np.array(tab10)[self.data["code"] + 3] / 255)
        found = self.circles("    map: {x: x, y: y, radius: 1, color: {column: kind, categories: set2}}")
        order = {"immune": 0x66, "stroma": 0xfc, "tumour": 0x8d, "Ärger": 0xe7}
        self.close(found[:, 4], np.array([order[kind] for kind in self.data["kind"]]) / 255)
        found = self.circles("    map: {x: x, y: y, radius: 1, color: hex}")
        for channel in range(3):
            part = [int(text[1 + 2 * channel:3 + 2 * channel], 16) for text in self.data["hex"]]
            self.close(found[:, 4 + channel], np.array(part) / 255)

    def test_categories_of_texts(self):
        message = self.error("    map: {x: x, y: y, radius: 1, color: {column: code, categories: {low: '#ff0000', high: '#00ff00'}}}")
        self.assertEqual(message.count("expected a number, as in \"code\" of"), 2, message)
        self.assertNotIn("twice", message)

    def test_where_keeps_rows(self):
        data = self.data
        plain = "    map: {x: x, y: y, radius: size}\n"
        with np.errstate(invalid="ignore"):
            cases = {
                "{v: {min: 0, max: 2}}": (data["v"] >= 0) & (data["v"] <= 2),
                "{kind: {in: [tumour, Ärger]}, code: {not: [0, 1]}}":
                    np.isin(data["kind"], ["tumour", "Ärger"]) & ~np.isin(data["code"], [0, 1]),
                "{kind: {not: stroma}, v: {max: -1}}": (data["kind"] != "stroma") & (data["v"] <= -1),
                "{v: {not: 1}}": data["v"] != 1,
                "{code: {in: 2}}": data["code"] == 2,
                "{code: {in: 100}}": np.zeros(len(data), bool),
            }
            some = [float(v) for v in data["v"][np.isfinite(data["v"])][:40]]  # beside missing values
            self.assertNotEqual(some, sorted(some))
            cases[f"{{v: {{in: {some}}}, kind: {{not: [tumour, immune, stroma]}}}}"] = (
                np.isin(data["v"], some) & ~np.isin(data["kind"], ["tumour", "immune", "stroma"]))
        for where, kept in cases.items():
            found = self.circles(f"{plain}    where: {where}")
            np.testing.assert_array_equal(found[:, 0], data["x"][kept].astype(np.float32), where)

    def test_the_order_of_conditions_keeps_the_file(self):
        self.write("w.csv", "x,y,kind,v\n0.2,0.3,a,1\n0.5,0.5,b,2\n0.7,0.6,a,3\n")
        files = []
        for where in ("{kind: {in: a}, v: {min: 2}, x: {max: 1}}", "{v: {min: 2}, x: {max: 1}, kind: {in: a}}"):
            self.write("s.yaml", "version: 1\nimage: {width: 40, height: 30}\nlayers:\n"
                       f"  - {{data: w.csv, map: {{x: x, y: y, radius: 0.2}}, where: {where}}}\n")
            self.run_roundel("render", "s.yaml", "-o", "w.png", "-q", "--backend", "cpu", "--overwrite")
            files.append(self.read("w.png"))
        self.assertTrue(files[0] == files[1])
        self.assertIn(b"eac0ed98923ae90c3bd76dbd846f26a0", files[0])

    def test_exported_circles_keep_opacity_and_strokes(self):
        head = "image: {width: 90, height: 60}\nview: {zoom: 1.5}"
        circles = "  - random: {count: 60, radius: {uniform: [0.02, 0.2]}, alpha: {uniform: [0.2, 1]}"
        for alpha, again in (("", ""), (", alpha: 0.8", ", alpha: 0.4")):  # times the opacity
            self.write("s.yaml", f"version: 1\n{head}\nlayers:\n{circles}}}\n    opacity: 0.5\n"
                       f"    stroke: {{width: 0.02, color: '#ff0000'{alpha}}}\n")
            self.run_roundel("circles", "s.yaml", "--columns", "all", "-o", "d.npy")
            self.run_roundel("render", "s.yaml", "-o", "a.pfm", "-q", "--backend", "cpu", "--overwrite")
            self.scene("    columns: [x, y, z, radius, red, green, blue, alpha, _]\n"
                       f"    stroke: {{width: 0.02, color: '#ff0000'{again}}}", head)
            self.run_roundel("render", "s.yaml", "-o", "b.pfm", "-q", "--backend", "cpu", "--overwrite")
            self.assertTrue(self.read("a.pfm") == self.read("b.pfm"), alpha)

    def test_undrawable_rows(self):
        message = self.error("    map: {x: x, y: y, radius: {column: v, scale: log, range: [1, 2]}}")
        bad = np.flatnonzero(~taken(self.data["v"], "log"))
        self.assertIn(f"d.npy: row {bad[0]}: v: radius: expected a number > 0 for scale: log, got ", message)
        self.assertIn(f"d.npy: {len(bad) - 1} more rows", message)
        found = self.circles("    map: {x: x, y: y, radius: {column: v, scale: log, range: [1, 2]}}\n    invalid: skip")
        np.testing.assert_array_equal(found[:, 0], np.delete(self.data["x"], bad).astype(np.float32))
        found = self.run_roundel("validate", "s.yaml").stdout.decode()
        self.assertIn(f"{len(bad):,} skipped", found)

    def test_inner_radii_of_strokes(self):
        layer = "    map: {x: x, y: y, radius: size}\n    stroke: {width: 0.002}"
        found = self.circles(layer)
        self.assertEqual(found.shape, (len(self.data), 9))
        np.testing.assert_array_equal(found[:, 8], np.maximum(found[:, 3].astype(float) - 0.002, 0).astype(np.float32))
        found = self.circles(layer.replace("0.002", "2px"), "image: {width: 500, height: 500}")
        np.testing.assert_array_equal(found[:, 8], np.maximum(found[:, 3].astype(float) - 2 * (1 / 500), 0).astype(np.float32))

    def test_filters_need_colours_up_to_1(self):
        np.save(self.path("d.npy"), self.data[self.data["blue"] > 1][:1])
        layer = "    map: {x: x, y: y, radius: 3px, color: [0.5, 0.5, blue]}"
        self.assertEqual(self.circles(layer + "\n    blend: add").shape, (1, 8))
        self.assertIn("blue: expected a number from 0 to 1, as its blend mode needs, got 1.",
                      self.error(layer + "\n    blend: multiply"))
        constant = "    map: {x: x, y: y, radius: 3px, color: [0.5, 1.5, 0]}\n    blend: screen"
        self.assertIn("map.color: expected colours from 0 to 1, which blend: screen needs, got 1.5", self.error(constant))

    def test_order_is_stable_with_nan_lowest(self):
        values = self.data["v"]
        for descending in (False, True):
            found = self.circles("    map: {x: x, y: y, radius: size}\n"
                                 f"    order: {{column: v, descending: {str(descending).lower()}}}")
            keys = np.where(np.isnan(values), -np.inf, -values if descending else values)
            keys[np.isinf(values)] = np.array([-values if descending else values])[0][np.isinf(values)]
            rank = np.where(np.isnan(values), 0, 1)
            order = np.lexsort((np.arange(len(values)), keys, rank))
            np.testing.assert_array_equal(found[:, 0], values_of(self.data["x"], order))
        found = self.circles("    map: {x: x, y: y, radius: size}\n    order: kind\n    where: {code: {min: 0}}")
        kept = self.data[self.data["code"] >= 0]
        order = sorted(range(len(kept)), key=lambda i: kept["kind"][i].encode())
        np.testing.assert_array_equal(found[:, 0], values_of(kept["x"], order))

    def test_explain_names_the_row(self):
        self.data = self.data[:500]
        np.save(self.path("d.npy"), self.data)
        with open(self.path("d.csv"), "w", encoding="utf-8") as file:
            file.write("# made by hand\nsize,code\n")
            file.writelines(f"{float(row['size'])!r},{row['code']}\n" for row in self.data)
        kept = np.flatnonzero(self.data["code"] >= 1)
        order = kept[np.argsort(self.data["size"][kept])]  # from the front
        for name, place in (("d.npy", f"row {order[0]}"), ("d.csv", f"line {order[0] + 3}")):
            with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
                file.write(f"version: 1\nlayers:\n  - data: {name}\n"
                           "    map: {x: 0.5, y: 0.5, radius: 0.3, alpha: 0}\n    where: {code: {min: 1}}\n"
                           "    order: {column: size, descending: true}\n")
            found = json.loads(self.run_roundel("explain", "s.yaml", "--pixel", "512,512", "--json").stdout)
            self.assertEqual([circle["row"] for circle in found["circles"]], list(order))
            text = self.run_roundel("explain", "s.yaml", "--pixel", "512,512", "--limit", "1").stdout.decode()
            self.assertIn(f"  {place}\n", text)

    def test_data_without_a_map_names_its_columns(self):
        self.scene("")
        printed = self.error("")
        self.assertIn('missing key "map" or "columns"', printed)
        self.assertIn('missing key "map", as map: {x: x, y: ..., radius: 2px}; there are x, y, v', printed)

    def test_pixels_and_limits(self):
        head = "image: {width: 300, height: 200}\nview: {center: [0.5, 0.5], zoom: 4}"
        found = self.circles("    map: {x: x, y: y, radius: 2px}", head)
        self.close(found[:, 3], np.full(ROWS, 2 / 200 / 4))
        found = self.circles("    map: {x: x, y: y, radius: size}\n    radius_limits: [2px, 0.005]", head)
        self.close(found[:, 3], np.clip(self.data["size"], 2 / 200 / 4, 0.005))

    def test_one_colour(self):
        np.save(self.path("d.npy"), np.array([(0.5, 0.5, 0.1)]))
        found = self.circles('    columns: [x, y, radius]\n    color: "#ff0080"\n    alpha: 0.75')
        self.close(found[0], np.array([0.5, 0.5, 0, 0.1, 1, 0, 128 / 255, 0.75]))
        self.assertIn("the layer's data already have it; remove this key",
                      self.error("    map: {x: 0, y: 0, radius: 1, color: 0.5}\n    color: 0.25"))

    def test_exported_circles_draw_the_same_picture(self):
        self.scene("    map: {x: x, y: y, radius: {column: v, scale: symlog, range: [0, 9px]}, "
                   "alpha: {column: v, scale: rank}, color: {column: v, scale: log, missing: 0.5}}\n"
                   "    order: v\n    invalid: skip", "image: {width: 256, height: 256}")
        self.run_roundel("render", "s.yaml", "-o", "a.pfm")
        self.run_roundel("circles", "s.yaml", "--columns", "all", "-o", "d2.npy")
        piped = self.run_roundel("circles", "s.yaml", "--columns", "all", "-o", "-").stdout
        with open(self.path("d2.npy"), "rb") as file:
            self.assertEqual(file.read(), piped)
        with open(self.path("again.yaml"), "w", encoding="utf-8") as file:
            file.write("version: 1\nimage: {width: 256, height: 256}\nlayers:\n"
                       "  - {data: d2.npy, columns: [x, y, z, radius, red, green, blue, alpha]}\n")
        self.run_roundel("render", "again.yaml", "-o", "b.pfm")
        self.run_roundel("diff", "a.pfm", "b.pfm")

    def test_exported_circles_draw_the_same_picture_under_a_view(self):
        """float64 data far from the origin, and layers that move, are rounded only after the view."""
        random = np.random.default_rng(8)
        far = np.column_stack([9e5 + random.random((1000, 2)), random.uniform(.01, .02, (1000, 4)), random.random(1000)])
        np.save(self.path("far.npy"), far)
        np.save(self.path("near.npy"), far.astype(np.float32) - np.float32([9e5, 9e5, 0, 0, 0, 0, 0]))
        columns = "columns: [x, y, radius, red, green, blue, alpha]"
        moved = "offset: [0.1, 0.3], scale: 0.7, rotate: 33"
        inline = "{circles: [{x: 1.0e-3, y: 0.1, radius: 0.3, color: \"#336699\", alpha: 0.5}]}"
        dust = f"{{random: {{count: 500, radius: {{uniform: [0.001, 0.03]}}}}, {moved}}}"
        x, y, z, radius, red, green, blue, alpha = (f"{{column: {column}}}" for column in range(8))
        again = f"{{x: {x}, y: {y}, z: {z}, radius: {radius}, color: [{red}, {green}, {blue}], alpha: {alpha}}}"
        written = "columns: [x, y, z, radius, red, green, blue, alpha]"
        for view, layers, number in (
                ("{center: [900000.5, 900000.5]}", [f"{{data: far.npy, {columns}}}"], np.float64),
                ("{center: [900000.3, 900000.4], zoom: 2.7, flip: y}",
                 ["{data: far.npy, map: {x: {column: 0}, y: {column: 1}, radius: {column: 2, scale: log, range: [1px, 5px]}, "
                  "color: {column: 3, colormap: viridis}, alpha: 0.5}, order: {column: 6}}"], np.float64),
                ("{center: [0.45, 0.4], zoom: 0.3}", [f"{{data: near.npy, {columns}, {moved}}}", dust, inline],
                 np.float64),
                ("{}", [f"{{data: near.npy, {columns}}}", dust, inline], np.float64),
                ("{zoom: 1.3}", [f"{{data: near.npy, {columns}}}", inline], np.float32)):
            with self.subTest(view=view, layers=layers):
                head = f"version: 1\nimage: {{width: 300, height: 200, antialias: true}}\nview: {view}\nlayers:\n"
                for name, text in (("s.yaml", "".join(f"  - {layer}\n" for layer in layers)),
                                   ("again.yaml", f"  - {{data: c.npy, map: {again}}}\n"),
                                   ("columns.yaml", f"  - {{data: c.npy, {written}}}\n")):
                    with open(self.path(name), "w", encoding="utf-8") as file:
                        file.write(head + text)
                self.run_roundel("circles", "s.yaml", "--columns", "all", "-o", "c.npy")
                rows = np.load(self.path("c.npy"))
                self.assertEqual((rows.dtype, rows.shape[1]), (number, 8))
                keeps_radii = not any("scale" in layer for layer in layers)
                for name in ("s", "again") + ("columns",) * keeps_radii:
                    self.run_roundel("render", f"{name}.yaml", "-o", f"{name}.pfm")
                    self.run_roundel("diff", "s.pfm", f"{name}.pfm")
                if "far" in layers[0]:
                    sorted_far = far[np.argsort(far[:, 6], kind="stable")] if "order" in layers[0] else far
                    np.testing.assert_array_equal(rows[:, :2], sorted_far[:, :2])

    def picture(self, head, layer="    map: {x: x, y: y, radius: 3px}", name="p.pfm"):
        """Returns [height, width, 3], the first row at the top."""
        self.scene(layer, head)
        self.run_roundel("render", "s.yaml", "-o", name)
        with open(self.path(name), "rb") as file:
            self.assertEqual(file.readline(), b"PF\n")
            width, height = map(int, file.readline().split())
            file.readline()
            return np.frombuffer(file.read(), "<f4").reshape(height, width, 3)[::-1]

    def test_windows_are_centres_and_zooms(self):
        self.data["x"] = 900_000 + self.data["x"]
        self.data["y"] = -5_400_000 + self.data["y"] / 2
        np.save(self.path("d.npy"), self.data)
        x, y = self.data["x"], self.data["y"]
        size = "image: {width: 200, height: 80}\n"
        # (window, centre, zoom): the picture is 2.5 times as wide as high.
        cases = [("x: [900000.25, 900000.75], y: [-5400000, -5399999.75]", (900000.5, -5399999.875), 4),
                 ("x: [900000, 900001], y: [-5400000, -5399999.75]", (900000.5, -5399999.875), 2.5),
                 ("x: [900000, 900001], y: [-5400000, -5399999.75], aspect: cover", (900000.5, -5399999.875), 4)]
        left, right, low, high = float(x.min()), float(x.max()), float(y.min()), float(y.max())
        longer = max(right - left, high - low)
        for text, margin in (("", 0.05), (", margin: 0.25", 0.25)):
            width, height = right - left + 2 * margin * longer, high - low + 2 * margin * longer
            cases.append((f"fit: data{text}", ((left + right) / 2, (low + high) / 2), 1 / max(width / 2.5, height)))
        for window, center, zoom in cases:
            cropped = self.picture(f"{size}view: {{{window}}}")
            plain = self.picture(f"{size}view: {{center: [{center[0]!r}, {center[1]!r}], zoom: {zoom!r}}}")
            self.assertLess(np.count_nonzero(np.any(cropped != plain, axis=2)), 20, window)
            self.assertGreater(np.count_nonzero(plain != 1), 1000)

    def test_far_points_keep_their_positions(self):
        random = np.random.default_rng(3)
        points = 900_000 + random.uniform(0, 1, (1000, 2))
        np.save(self.path("d.npy"), points)
        columns = "x: {column: 0}, y: {column: 1}"
        self.picture("image: {width: 4096, height: 4096}\nview: {x: [900000, 900001], y: [900000, 900001]}",
                     f"    map: {{{columns}, radius: 0.75px}}", "far.pfm")
        np.save(self.path("d.npy"), points - 900_000)
        near = self.picture("image: {width: 4096, height: 4096}", f"    map: {{{columns}, radius: 0.75px}}")
        with open(self.path("far.pfm"), "rb") as file:
            far = np.frombuffer(file.read()[-near.nbytes:], "<f4").reshape(near.shape)[::-1]
        self.assertLess(np.count_nonzero(np.any(far != near, axis=2)), 20)  # binary64 is 1e-10 apart there
        self.assertGreater(np.count_nonzero(far[:, :, 0] != 1), 1000)

    def test_flip_mirrors_the_picture(self):
        head = "image: {width: 150, height: 100}\nview: {x: [0, 1], y: [0.2, 0.8]"
        layer = "    map: {x: x, y: y, radius: 3px}\n    where: {v: {min: 40}}"
        up, down = self.picture(head + "}", layer), self.picture(head + ", flip: y}", layer)
        self.assertLess(np.mean(np.any(up[::-1] != down, axis=2)), 0.01)
        self.assertGreater(np.mean(np.any(up != down, axis=2)), 0.1)

    def test_skipped_rows_are_reported(self):
        self.write("a_0.csv", "x,v\n0.5,1\n0.2,0\n0.3,-1\n")
        self.write("a_1.csv", "x,v\n0.5,1\n0.2,0.5\n0.3,-1\n")
        for invalid, code in (("skip", 0), ("error", 3)):
            for name, data in (("s.yaml", "a_0.csv"), ("film.yaml", "a_#.csv")):
                self.write(name, f"version: 1\nanimation: {{frames: 2}}\nlayers:\n  - {{data: {data}, invalid: {invalid}, "
                                 "map: {x: x, y: x, radius: {column: v, scale: log, range: [0.1, 0.2]}}}\n")
            printed = self.run_roundel("render", "s.yaml", "-o", "s.png", code=code).stderr.decode()
            film = self.run_roundel("render", "film.yaml", "--frames", "all", "-o", "f_#.png", "--overwrite", code=code)
            if code == 0:
                self.assertIn("warning: s.yaml: a_0.csv: 2 of 3 rows cannot be drawn and are skipped; write invalid: error to see the "
                              "first\n", printed)
                self.assertIn("a_0.csv and the other frames' files: 3 of 6 rows cannot be drawn and are skipped",
                              film.stderr.decode())
            else:
                self.assertIn("a_0.csv: row 1", printed.replace("line 3", "row 1"))

    def test_invisible_rows_are_reported(self):
        def words(head, layer="    map: {x: x, y: y, radius: size}"):
            self.scene(layer, head)
            return self.run_roundel("render", "s.yaml", "-o", "w.png").stderr.decode()
        self.assertNotIn("touch", words(""))
        self.assertIn("no circle touches the picture: they lie in x ", words("view: {x: [5, 6], y: [5, 6]}"))
        for rows, reason in (("1\n2\n", '"where" and "invalid: skip" keep none of the 2 rows of its data'),
                             ("", "its data have no rows")):
            for name, text in (("none.csv", "x\n" + rows), ("none.yaml", "version: 1\nlayers:\n  - {data: none.csv, "
                               "map: {x: x, y: x, radius: 1}, where: {x: {min: 3}}}\n")):
                with open(self.path(name), "w", encoding="utf-8") as file:
                    file.write(text)
            for command in (("render", "none.yaml", "-o", "none.png"), ("validate", "none.yaml")):
                self.assertIn("none.yaml: the picture has no circles: " + reason,
                              self.run_roundel(*command).stderr.decode())
        self.assertRegex(words("view: {x: [0.5, 0.52], y: [0.5, 0.52]}"),
                         r"only [0-9]+ of 30,000 circles touch the picture: they lie in x -?0.0[0-9]*..1.*, the view")
        self.assertIn("narrower than a pixel", words("", "    map: {x: x, y: y, radius: 0.1px}"))
        self.assertIn("colours go far above 1", words("", "    map: {x: x, y: y, radius: 1px, color: [code, 0, 100]}\n"
                                                      "    invalid: skip"))
        self.write("faint.yaml", "version: 1\nvars: {radius: 0.1, alpha: 1, antialias: true}\n"
                                 "image: {width: 40, height: 40, antialias: $antialias}\n"
                                 "layers: [{circles: [{x: 0.51, y: 0.5, radius: $radius, alpha: $alpha}]}]\n")
        self.write("fade.yaml", "version: 1\nanimation: {frames: 9}\nlayers: [{circles: [{x: 0.5, y: 0.5, radius: 0.2}], "
                                "opacity: {keys: {0: 0, 8: 1}}}]\n")
        self.assertEqual(self.run_roundel("validate", "fade.yaml").stderr, b"")
        for name, settings, is_faint in (("f.png", ("radius=0.0001",), True), ("f.exr", ("radius=0.0001",), False),
                                         ("f.png", ("radius=0.01",), False), ("f.png", ("alpha=0",), True),
                                         ("f.exr", ("alpha=0",), True), ("f.png", ("alpha=0", "antialias=false"), True)):
            printed = self.run_roundel("render", "faint.yaml", "-o", name, *(w for s in settings for w in ("--set", s))).stderr
            self.assertEqual(is_faint, b"too faint or too small to see" in printed, (name, settings))
        self.run_roundel("render", "s.yaml", "-o", "w.png", "--size", "200x100")
        self.scene("    map: {x: x, y: y, radius: 3px}", "view: {fit: data}")
        self.assertIn("there is more around the view's window",
                      self.run_roundel("render", "s.yaml", "-o", "w.png", "--size", "200x100").stderr.decode())

    def test_scenes_may_come_from_pipes(self):
        self.scene("    map: {x: x, y: y, radius: 3px}")
        self.run_roundel("render", "s.yaml", "-o", "a.png")
        with open(self.path("s.yaml"), "rb") as file:
            text = file.read()
        for name in ("-", "/dev/stdin"):
            self.run_roundel("render", name, "-o", "b.png", stdin=text)
            with open(self.path("a.png"), "rb") as one, open(self.path("b.png"), "rb") as other:
                self.assertEqual(one.read(), other.read())
        self.assertIn("-:1:1: ", self.run_roundel("validate", "-", code=INVALID, stdin=b"nonsense: 1").stderr.decode())

    def test_circles_of_films_go_to_files(self):
        with open(self.path("f.yaml"), "w", encoding="utf-8") as file:
            file.write("version: 1\nlayers: [{generator: bouncingballs}]\n")
        self.run_roundel("circles", "f.yaml", "--frames", "0,30", "-o", "b_##.npy")
        self.run_roundel("circles", "f.yaml", "--frame", "30", "-o", "one.npy")
        np.testing.assert_array_equal(np.load(self.path("b_30.npy")), np.load(self.path("one.npy")))
        self.assertTrue(np.any(np.load(self.path("b_00.npy")) != np.load(self.path("b_30.npy"))))
        self.run_roundel("circles", "f.yaml", "--frames", "0,30", "-o", "b.npy", code=2)

    @unittest.skipIf(is_sanitized(), "minutes")
    def test_many_rows_are_streamed(self):
        """Sorted or not, many circles are made chunk by chunk, with the same picture."""
        random = np.random.default_rng(4)
        rows = 9_000_000
        data = random.random((rows, 4), dtype=np.float32)
        data[:, 2] *= 3
        data[:, 3] = np.arange(rows)
        np.save(self.path("d.npy"), data)
        layer = ("    map: {x: {column: 0}, y: {column: 1}, radius: 0.7px, alpha: 0.02,\n"
                 "          color: {column: 2, domain: [10%, 90%]}}\n    where: {\"2\": {min: 0.125}}\n")
        streamed = self.picture("image: {width: 100, height: 100}", layer)
        kept = data[:, 2][data[:, 2] >= 0.125].astype(np.float64)
        self.assertGreater(len(kept), 1 << 23)
        text = self.run_roundel("validate", "s.yaml").stdout.decode()
        self.assertIn(f"column 2 by linear: {percentile(kept, 10)!r} to {percentile(kept, 90)!r}", text)
        self.assertIn(f"{len(kept):,} of {len(kept):,} circles", text)
        in_order = self.picture("image: {width: 100, height: 100}", layer + "    order: {column: 3}")
        np.testing.assert_array_equal(streamed, in_order)

    def test_threads_keep_every_byte(self):
        self.scene("    map: {x: x, y: y, radius: {column: v, scale: rank, range: [0, 9px]}, "
                   "color: {column: v, domain: [3%, 97%]}}\n    order: v\n    invalid: skip",
                   "view: {fit: data}")
        pictures = set()
        for threads in ("1", "2", "5"):
            self.run_roundel("render", "s.yaml", "--threads", threads, "-o", "t.png", "--backend", "cpu")
            with open(self.path("t.png"), "rb") as file:
                pictures.add(file.read())
        self.assertEqual(len(pictures), 1)

    def test_domains_as_numbers_are_the_same_scene(self):
        def fingerprint(domain):
            self.scene(f"    map: {{x: x, y: y, radius: 1, color: {{column: v, missing: 0, domain: {domain}}}}}")
            return self.run_roundel("validate", "s.yaml").stdout.split()[-1]
        usable = self.data["v"][np.isfinite(self.data["v"])]
        ends = [float(percentile(usable, percent)) for percent in (2, 98)]
        self.assertEqual(fingerprint("[2%, 98%]"), fingerprint(f"[{ends[0]!r}, {ends[1]!r}]"))
        self.assertNotEqual(fingerprint("[2%, 98%]"), fingerprint("[3%, 98%]"))


def values_of(values, order):
    return values[np.array(order)].astype(np.float32)


if __name__ == "__main__":
    unittest.main(verbosity=1)
