#!/usr/bin/env python3
"""Rows that move between columns at keys, against NumPy. Usage: moving_rows_test.py PATH_OF_ROUNDEL"""

import json
import os
import re
import unittest

import numpy as np

from command_case import CommandCase

DONE, INVALID, SOME_FAILED = 0, 3, 5
HEAD = "version: 1\nimage: {width: 64, height: 48}\nanimation: {fps: 24, frames: 60}\n"
EASES = {"linear": lambda t: t, "in": lambda t: t * t, "out": lambda t: t * (2 - t),
         "in-out": lambda t: t * t * (3 - 2 * t), "hold": lambda t: 0 * t}
ROWS = 3000


def table(rows=ROWS, seed=1):
    random = np.random.default_rng(seed)
    return {"x0": random.uniform(-5, 5, rows), "y0": random.uniform(0, 3, rows), "x1": random.uniform(20, 30, rows),
            "x2": random.uniform(0.5, 9, rows), "y1": random.uniform(-9, 2, rows), "r0": random.uniform(0.1, 1, rows),
            "r1": random.uniform(2, 3, rows), "v0": random.lognormal(0, 1, rows), "v1": random.lognormal(2, 1, rows),
            "delay": np.round(random.uniform(-10, 30, rows), 1), "rank": random.permutation(rows).astype(float)}


def progress(frame, first, last, ease="linear"):
    """Returns the eased share of the way from a key to the next, for frames between them."""
    return EASES[ease]((frame - first) / (last - first))


def between(frame, frames, values, ease="linear"):
    """Returns the numbers at `frame`, which may be one for each row."""
    frame = np.broadcast_to(np.asarray(frame, float), values[0].shape)
    out = np.where(frame >= frames[-1], values[-1], values[0])
    for first, last, a, b in zip(frames, frames[1:], values, values[1:]):
        value = a + (b - a) * progress(frame, first, last, ease)
        out = np.where((frame >= first) & (frame < last), np.clip(value, np.minimum(a, b), np.maximum(a, b)), out)
    return out


class MovingRowsTest(CommandCase):
    def setUp(self):
        super().setUp()
        self.table = table()
        np.savez(self.path("d.npz"), **self.table)

    def scene(self, mapping, more="", head=HEAD, data="d.npz", name="s.yaml"):
        self.write(name, f"{head}layers:\n  - {{data: {data}, map: {{{mapping}}}{more}}}\n")

    def circles(self, frame, *arguments):
        """Returns the circles in scene space: x, y, z, radius, red, green, blue, alpha."""
        self.run_roundel("circles", "s.yaml", "--frame", str(frame), "-o", "c.npy", "--columns", "all",
                         *arguments)
        return np.load(self.path("c.npy"))

    def validate(self, *arguments, code=DONE):
        done = self.run_roundel("validate", "s.yaml", *arguments, code=code)
        return (done.stdout if code == DONE else done.stderr).decode()

    def pixels(self, frame, *arguments):
        return self.run_roundel("render", "s.yaml", "--frame", str(frame), "-o", "-", "--format", "rawvideo", "-q",
                                "--backend", "cpu", *arguments).stdout

    def assertMoved(self, found, expected):  # pylint: disable=invalid-name
        """Compares binary64 numbers as the circles round them: to binary32, or not."""
        if found.dtype == np.float32:
            expected = expected.astype(np.float32)
        np.testing.assert_array_equal(found, expected)

    def test_places_follow_their_keys(self):
        t = self.table
        for ease in EASES:
            self.scene(f"x: {{keys: {{10: x0, 1s: x1, 50: {{to: x2, ease: hold}}}}, ease: {ease}}}, "
                       f"y: {{keys: {{-5: {{column: y0}}, 40: y1}}, ease: {ease}}}, radius: 0.1")
            for frame in (-9, 0, 10, 11, 17, 24, 30, 49, 50, 59):
                x = between(frame, [10, 24], [t["x0"], t["x1"]], ease) if frame < 24 else t["x2" if frame >= 50 else "x1"]
                found = self.circles(frame)
                self.assertMoved(found[:, 0], x)
                self.assertMoved(found[:, 1], between(frame, [-5, 40], [t["y0"], t["y1"]], ease))

    def test_each_row_has_its_own_start(self):
        t = self.table
        self.scene("x: {keys: {0: x0, 12: x1, 24: -3}, ease: in-out}, y: {keys: {0: y0, 30: y1}}, radius: 1, "
                   "alpha: {keys: {0: 0, 7: {to: 1, ease: out}}}, start: delay")
        for frame in (-10, 0, 5, 21, 40):
            found, at = self.circles(frame), frame - t["delay"]
            self.assertMoved(found[:, 0], between(at, [0, 12, 24], [t["x0"], t["x1"], np.full(ROWS, -3.0)], "in-out"))
            self.assertMoved(found[:, 1], between(at, [0, 30], [t["y0"], t["y1"]]))
            self.assertMoved(found[:, 7].astype(np.float32),
                             between(at, [0, 7], [np.zeros(ROWS), np.ones(ROWS)], "out").astype(np.float32))

    def test_starts_may_be_texts_or_one_for_all(self):
        self.write("t.csv", "a,b,s\n0,1,0.5s\n0,1,12\n0,1,-1.5\n")
        for start, expected in (("s", [0, 0, 5.5 / 8]), ("-4", [0.5] * 3), ("0.125s", [0.125] * 3), ("{column: 2}", [0, 0, 5.5 / 8])):
            self.scene(f"x: {{keys: {{0: a, 8: b}}}}, y: 0, radius: 1, start: {start}", data="t.csv")
            found = self.circles(4 if start != "-4" else 0)[:, 0]
            np.testing.assert_array_equal(found, np.array(expected, found.dtype), err_msg=start)
        self.scene("x: {keys: {0: a, 8: b}}, y: 0, radius: 1, start: s", data="t.csv",
                   head=HEAD.replace("fps: 24", "fps: 8"))
        self.assertEqual(self.circles(6)[0, 0], 0.25)  # seconds follow fps

    def test_radius_alpha_and_colour_values_are_interpolated_before_the_scale(self):
        t = self.table
        self.scene("x: x0, y: y0, radius: {column: {keys: {0: r0, 20: r1}}, scale: sqrt, range: [0, 4]}, "
                   "alpha: {keys: {0: 0.25, 20: 0.75}}, "
                   "color: {column: {keys: {0: v0, 20: {to: v1, ease: in}}}, scale: log, colormap: ['#000000', '#ffffff']}")
        low, high = (end(np.append(t["r0"], t["r1"])) for end in (np.min, np.max))
        dark, bright = (np.log2(end(np.append(t["v0"], t["v1"]))) for end in (np.min, np.max))
        for frame in (0, 3, 13, 20):
            found = self.circles(frame)
            r = between(frame, [0, 20], [t["r0"], t["r1"]])
            share = (np.sqrt(r) - np.sqrt(low)) / (np.sqrt(high) - np.sqrt(low))
            np.testing.assert_allclose(found[:, 3], 4 * share, rtol=1e-6, atol=1e-7)
            drawn = found[:, 3] > 1e-9  # the low end of the range draws nothing
            self.assertTrue((found[drawn, 7] == np.float32(0.25 + 0.5 * frame / 20)).all())
            v = between(frame, [0, 20], [t["v0"], t["v1"]], "in")
            np.testing.assert_allclose(found[:, 4], (np.log2(v) - dark) / (bright - dark), atol=1e-6)

    def test_radii_in_units_and_in_pixels(self):
        t = self.table
        self.scene("x: x0, y: y0, radius: {keys: {0: r0, 10: 5}}")
        np.testing.assert_allclose(self.circles(5)[:, 3], t["r0"] + (5 - t["r0"]) * 0.5, rtol=1e-7)
        self.scene("x: x0, y: y0, radius: {keys: {0: 2px, 10: 12px}}")
        np.testing.assert_allclose(self.circles(5)[:, 3], 7 / 48, rtol=1e-7)

    def test_paths_and_repeats(self):
        t = self.table
        self.scene("x: {keys: {0: x2, 10: x1}, path: exponential, repeat: ping-pong}, "
                   "y: {keys: {0: y0, 10: y1, 30: 2}, path: spline, repeat: loop}, radius: 1")
        for frame in (-8, 4, 12, 27, 44):
            found = self.circles(frame)
            phase = abs((frame + 10) % 20 - 10)
            np.testing.assert_allclose(found[:, 0], t["x2"] * (t["x1"] / t["x2"]) ** (phase / 10), rtol=1e-6)
            np.testing.assert_array_equal(found[:, 1], self.circles(frame % 30)[:, 1])
        p = [t["y0"], t["y1"], np.full(ROWS, 2.0)]  # Barry and Goldman, between the first two keys at half time
        p = [2 * p[0] - p[1], *p]
        knots = np.cumsum([np.zeros(ROWS)] + [np.abs(b - a) ** 0.5 for a, b in zip(p, p[1:])], axis=0)
        u = (knots[1] + knots[2]) / 2
        def line(a, b, i, j):
            return ((knots[j] - u) * a + (u - knots[i]) * b) / (knots[j] - knots[i])
        a, b, c = (line(p[i], p[i + 1], i, i + 1) for i in range(3))
        np.testing.assert_allclose(self.circles(5)[:, 1], line(line(a, b, 0, 2), line(b, c, 1, 3), 1, 2), rtol=1e-5, atol=1e-5)

    def test_windows_and_domains_cover_all_keys(self):
        t = self.table
        mapping = ("x: {keys: {0: x0, 10: x1, 20: x2}, repeat: loop}, y: {keys: {0: y0, 15: y1}}, radius: 1, "
                   "color: {column: {keys: {0: v0, 9: v1}}, domain: [5%, 100%]}")
        self.scene(mapping, head=HEAD + "view: {fit: data, margin: 0}\n")
        layer = json.loads(self.validate("--json"))["scenes"][0]
        (left, right), (bottom, top) = layer["window"]
        x, y = (np.concatenate([t[name] for name in names]) for names in (("x0", "x1", "x2"), ("y0", "y1")))
        self.assertAlmostEqual((left + right) / 2, (x.min() + x.max()) / 2, 9)
        self.assertAlmostEqual((bottom + top) / 2, (y.min() + y.max()) / 2, 9)
        self.assertAlmostEqual(right - left, x.max() - x.min(), 9)
        values = np.sort(np.append(t["v0"], t["v1"]))
        self.assertEqual(layer["layers"][0]["color"]["domain"], [values[int(np.ceil(0.05 * 2 * ROWS)) - 1], values[-1]])
        self.assertEqual(layer["layers"][0]["color"]["keys"], {"0": "v0", "9": "v1"})
        self.assertEqual(layer["moves"], ["layers[0]: x, y and color of 3,000 rows"])
        self.scene(mapping, more=", rotate: 90", head=HEAD + "view: {fit: data, margin: 0}\n")
        (_, _), (bottom, top) = json.loads(self.validate("--json"))["scenes"][0]["window"]
        self.assertAlmostEqual((bottom + top) / 2, (x.min() + x.max()) / 2, 9)

    def test_rows_without_a_number_at_a_key(self):
        t = self.table
        t["x1"][7], t["v1"][3], t["v1"][7] = np.nan, np.nan, 2
        np.savez(self.path("d.npz"), **t)
        keys = "x: {keys: {0: x0, 9: x1}}, y: y0, radius: 1"
        self.scene(keys)
        self.assertIn("d.npz: row 7: x1: x: expected a number from -1e15 to 1e15, got nan", self.validate(code=INVALID))
        self.scene(keys, more=", invalid: skip")
        for frame in (0, 4):
            self.assertMoved(self.circles(frame)[:, 0], np.delete(between(frame, [0, 9], [t["x0"], t["x1"]]), 7))
        color = "x: x0, y: y0, radius: 1, color: {column: {keys: {0: v0, 9: v1}}, colormap: gray"
        self.scene(color + "}")
        self.assertIn("row 3: v1: color: expected a finite number", self.validate(code=INVALID))
        self.scene(color + ", missing: '#ff0000'}")
        self.assertIn(", 1 missing\n", self.validate())
        for frame, is_red in ((0, False), (1, True), (8, True), (9, True)):
            red = (self.circles(frame)[:, 4:7] == [1, 0, 0]).all(axis=1)
            self.assertEqual(np.flatnonzero(red).tolist(), [3] if is_red else [], frame)

    def test_orders_conditions_and_their_sources(self):
        t = self.table
        self.scene("x: {keys: {0: x0, 9: x1}}, y: y0, radius: 1", more=", order: rank, where: {v0: {min: 1}}")
        for frame in (0, 5):
            order = np.argsort(t["rank"])
            order = order[t["v0"][order] >= 1]
            self.assertMoved(self.circles(frame)[:, 0], between(frame, [0, 9], [t["x0"], t["x1"]])[order])

    def test_films_equal_stills_and_shards_and_resume(self):
        self.scene("x: {keys: {0: x0, 1s: x1}, ease: out}, y: {keys: {0: y0, 40: y1}}, radius: 2px, start: delay, "
                   "color: {column: {keys: {0: v0, 30: v1}}, scale: log}",
                   more=", order: {column: rank, descending: true}, where: {r0: {min: 0.2}}",
                   head=HEAD + "view: {fit: data}\n")
        def film(folder, *arguments):
            self.run_roundel("render", "s.yaml", "-o", f"{folder}/f_##.png", "--frames", "0-11", "--backend", "cpu", "-q",
                             *arguments)
        film("a")
        names = sorted(os.listdir(self.path("a")))
        for frame in (0, 3, 11):
            self.run_roundel("render", "s.yaml", "-o", "p.png", "--frame", str(frame), "-q", "--overwrite")
            self.assertEqual(self.read("p.png"), self.read(f"a/f_{frame:02}.png"))
        film("b", "--shard", "1/2")
        film("b", "--shard", "2/2", "--threads", "1")
        film("c", "--memory", "32M")
        os.remove(self.path("c/f_05.png"))
        film("c", "--resume", "--threads", "1")
        for folder in "bc":
            self.assertEqual([self.read(f"{folder}/{name}") for name in names], [self.read(f"a/{name}") for name in names])
        self.assertEqual(len({self.read(f"a/{name}") for name in names}), 12)
        self.run_roundel("verify", "a/f_##.png", "--frames", "0-11", "--scene", "s.yaml")

    def test_films_of_rows_follow_domains_with_keys(self):
        domain = "domain: {keys: {0: [0, 1], 9: [1, 9]}}"
        self.scene(f"x: {{keys: {{0: x0, 9: x1}}}}, y: y0, radius: {{column: v1, {domain}, range: [1px, 5px]}}, "
                   f"color: {{column: v0, {domain}}}, alpha: {{column: v0, {domain}}}", head=HEAD + "view: {fit: data}\n")
        self.run_roundel("render", "s.yaml", "-o", "f_#.png", "--frames", "0-9", "--backend", "cpu", "-q")
        for frame in (0, 1, 5, 9):
            self.run_roundel("render", "s.yaml", "-o", "p.png", "--frame", str(frame), "-q", "--overwrite")
            self.assertEqual(self.read("p.png"), self.read(f"f_{frame}.png"), frame)

    def test_a_film_of_rows_in_memory_equals_one_that_reads_them(self):
        rows = table(700_000, 2)
        np.savez(self.path("d.npz"), **rows)
        self.scene("x: {keys: {0: x0, 20: x1}}, y: {keys: {0: y0, 20: y1}}, radius: 0.5px, start: delay",
                   more=", order: rank", head=HEAD + "view: {fit: data}\n")
        def film(*arguments):
            return self.run_roundel("render", "s.yaml", "-o", "-", "--format", "rawvideo", "--frames", "4-6", "-q",
                                    "--backend", "cpu", *arguments).stdout
        self.assertTrue(film() == film("--memory", "100M", "--threads", "1") == b"".join(map(self.pixels, (4, 5, 6))))

    def test_frames_after_the_last_key_are_equal(self):
        self.scene("x: {keys: {5: x0, 9: x1}}, y: y0, radius: 1, start: 10")
        prints = [self.validate("--frame", str(frame)).split()[-1] for frame in (0, 15, 16, 18, 19, 40)]
        self.assertEqual([prints.index(one) for one in prints], [0, 0, 2, 3, 4, 4])
        self.assertIn("layers[0]: x of 3,000 rows", self.validate())
        self.scene("x: {keys: {5: x0, 9: x1}}, y: y0, radius: 1, start: 10", head=HEAD.replace("frames: 60", "frames: 15"))
        self.assertNotIn("moves", self.validate())
        done = self.run_roundel("render", "s.yaml", "-o", "f_##.png", "--frames", "20-25")
        self.assertIn(b"nothing in this scene depends on the frame", done.stderr)
        self.assertEqual(self.pixels(25), self.pixels(20))
        self.assertNotEqual(self.pixels(0), self.pixels(20))

    def test_fingerprints_differ_with_every_part(self):
        base = "x: {keys: {0: x0, 9: x1}}, y: y0, radius: 1"
        scenes = [base, base.replace("9:", "8:"), base.replace("x1", "x2"), base.replace("x1", "4"),
                  base.replace("x1", "{to: x1, ease: in}"), base.replace("}}", "}, ease: out}"),
                  base.replace("}}", "}, repeat: loop}"), base.replace("}}", "}, path: spline}"), base + ", start: 1",
                  base + ", start: delay", base + ", start: rank", base.replace("radius: 1", "radius: {keys: {0: 1, 9: 1}}")]
        prints = set()
        for mapping in scenes:
            self.scene(mapping)
            prints.add(self.validate("--frame", "4").split()[-1])
        self.assertEqual(len(prints), len(scenes))
        self.scene(base)
        self.assertEqual(len({self.validate("--frame", str(frame)).split()[-1] for frame in range(10)}), 10)

    def test_errors_name_their_places(self):
        self.write("t.csv", "x,y,s,k\n1,2,1s,a\n3,4,soon,b\n")
        self.write("w_0000.csv", "x,y\n1,2\n")
        keys = "x: {keys: {0: x, 9: y}}, y: y, radius: 1"
        for mapping, more, line in (
                (keys + ", start: s", "", "t.csv: line 3: column s: start: expected frames, or seconds as 2.5s, at most "
                                          '10000000, got "soon"'),
                (keys.replace("x, 9", "z, 9"), "", 's.yaml:5:39: layers[0].map.x: t.csv has no column "z"'),
                (keys.replace("x, 9", "k, 9"), "", 'layers[0].map.x: expected a column of numbers, but "k" of t.csv holds texts'),
                (keys.replace("x: {keys: {0: x, 9: y}}", "x: x") + ", start: 3", "",
                 "layers[0].map.start: needs a value with keys"),
                ("x: x, y: y, radius: {keys: {0: 2px, 9: y}}", "", "layers[0].map.radius: expected px at all keys"),
                ("x: x, y: y, radius: {keys: {0: 1, 9: 2}, path: spline}", "", "path: spline is for center"),
                (keys.replace("0: x", "0: -1").replace("}}", "}, path: exponential}"), "",
                 "layers[0].map.x: expected numbers > 0, which path: exponential needs"),
                (keys + ", z: {keys: {0: x}}", "", "layers[0].map.z: this value has no keys over time (known: column)"),
                (keys, ", order: {keys: {0: x}}", "layers[0].order: this value has no keys over time"),
                (keys, ", where: {x: {keys: {0: 1}}}", "layers[0].where.x: this value has no keys over time"),
                ("x: x, y: y, radius: 1, color: {column: {keys: {0: x, 9: y}}, categories: tab10}", "",
                 "layers[0].map.color: a column with keys has a scale, not categories"),
                (keys.replace("{0: x, 9: y}", "{1s: x, 24: y}"), "", "layers[0].map.x: two keys are at frame 24")):
            self.scene(mapping, more=more, data="t.csv")
            self.assertIn(line, self.validate(code=INVALID), mapping)
        self.scene("x: {keys: {0: x, 9: y}, path: exponential}, y: y, radius: 1", data="n.csv")
        self.write("n.csv", "x,y\n1,2\n0,4\n")
        self.assertIn("n.csv: line 3: column x: expected a number > 0, which path: exponential needs, got 0",
                      self.validate(code=INVALID))
        self.scene(keys, data="w_####.csv")
        self.assertIn("keys are for one file of all frames", self.validate(code=INVALID))

    def test_legends_show_all_keys(self):
        self.scene("x: x0, y: y0, radius: {keys: {0: r0, 9: r1}}, color: {column: {keys: {0: v0, 9: v1}}}")
        self.run_roundel("legend", "s.yaml", "-o", "l.svg")
        text = self.read("l.svg").decode()
        self.assertIn("color: v0, v1, linear", text)
        self.assertIn("radius: r0, r1, linear", text)

    def test_the_schema_of_validate_describes_keys(self):
        try:
            import jsonschema  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("needs jsonschema")
        self.scene("x: {keys: {0: x0, 9: 2}}, y: y0, radius: {keys: {0: 1px, 2s: 3px}}, start: delay")
        found = json.loads(self.validate("--json"))
        jsonschema.validate(found, json.loads(self.run_roundel("schema", "validation").stdout))
        self.assertEqual(found["scenes"][0]["layers"][0]["radius"], {"keys": {"0": "1px", "48": "3px"}})

    def test_explained_circles_have_moved(self):
        self.scene("x: {keys: {0: x0, 9: x1}}, y: y0, radius: 1", head=HEAD + "view: {fit: data}\n")
        done = self.run_roundel("explain", "s.yaml", "--frame", "5", "--pixel", "32,24").stdout.decode()
        self.assertTrue(re.search(r"row", done), done)


if __name__ == "__main__":
    unittest.main()
