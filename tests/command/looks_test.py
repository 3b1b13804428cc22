#!/usr/bin/env python3
"""Keys of background and strokes, turned views, circles in pixels of the screen, soft circles. Usage: looks_test.py
PATH_OF_ROUNDEL
"""

import json
import math
import unittest

import numpy as np

from command_case import CommandCase

INVALID = 3
WIDTH, HEIGHT = 60, 40
IMAGE = f"version: 1\nimage: {{width: {WIDTH}, height: {HEIGHT}, antialias: true}}\n"
HARD = f"version: 1\nimage: {{width: {WIDTH}, height: {HEIGHT}}}\n"
COLUMNS = "columns: [x, y, z, radius, red, green, blue, alpha]"


class LooksCase(CommandCase):
    def pixels(self, *arguments, width=WIDTH, height=HEIGHT, name="s.yaml"):
        done = self.run_roundel("render", name, "--backend", "cpu", "-q", "-o", "-", "--format", "rawvideo", *arguments)
        return np.frombuffer(done.stdout, np.uint8).reshape(-1, height, width, 3)

    def same(self, one, other, more=""):
        self.assertTrue(np.array_equal(one, other), more)

    def problems(self, text):
        self.write("s.yaml", text)
        return self.run_roundel("validate", "s.yaml", code=INVALID).stderr.decode()


class MoreKeysTest(LooksCase):
    def check(self, scene, values, frames=(0, 3, 7, 10)):
        """`values`: functions of t from 0 to 1, for the names in `scene`; those of t = 0 and 1 are the keys."""
        keys = {name: f"{{keys: {{0: {value(0)}, 10: {value(1)}}}}}" for name, value in values.items()}
        self.write("s.yaml", scene % keys + "animation: {fps: 10, frames: 11}\n")
        film = self.pixels("--frames", "all")
        for frame in frames:
            self.write("other.yaml", scene % {name: value(frame / 10) for name, value in values.items()})
            self.same(film[frame], self.pixels(name="other.yaml")[0], frame)
            self.same(film[frame], self.pixels("--frame", str(frame))[0], frame)
        self.assertEqual(len({picture.tobytes() for picture in film}), 11)
        return self.run_roundel("validate", "s.yaml").stdout.decode()

    def test_background(self):
        def grey(t):
            return repr(0.9 - 0.7 * t)

        def tint(t):
            return [0.25 + 0.5 * t, 1 - t, 0.5]

        circle = "layers: [{circles: [{x: 0.5, y: 0.5, radius: 0.2}]}]\n"
        image = f"version: 1\nimage: {{width: {WIDTH}, height: {HEIGHT}, antialias: true, background: "
        self.assertIn("moves        image: background\n", self.check(image + "%(c)s}\n" + circle, {"c": tint}))
        printed = self.check(image + "{bottom: %(a)s, top: %(b)s}}\n" + circle, {"a": grey, "b": tint})
        self.assertIn("moves        image: background\n", printed)
        self.check(image + "{bottom: 0.5, top: %(b)s}}\n" + circle, {"b": tint})
        self.check(image + "%(c)s, blend: linear, bits: 16}\n".replace(", bits: 16", "") + circle, {"c": tint})

    def test_strokes(self):
        def pixels(t):
            return f"{1 + 4 * t!r}px"

        def units(t):
            return repr(0.02 + 0.125 * t)

        def alpha(t):
            return repr(0.25 + 0.5 * t)

        def tint(t):
            return [0.25 + 0.5 * t, 1 - t, 0.5]

        sources = ("circles: [{x: 0.5, y: 0.5, radius: 0.3, color: '#ff8000'}]", "random: {count: 20, radius: 0.1}",
                   "data: p.csv, map: {x: x, y: y, radius: 9px}")
        self.write("p.csv", "x,y\n0.3,0.3\n0.6,0.6\n")
        for source in sources:
            for width in (pixels, units):
                scene = IMAGE + f"layers: [{{{source}, stroke: {{width: %(w)s, color: %(c)s, alpha: %(a)s}}}}]\n"
                printed = self.check(scene, {"w": width, "c": tint, "a": alpha})
                self.assertIn("layers[0]: stroke width, stroke color, stroke alpha\n", printed)
        self.check(IMAGE + f"layers: [{{{sources[0]}, fill: false, stroke: {{width: %(w)s}}}}]\n", {"w": units})

    def test_domains(self):
        def low_high(t):
            return [4 * t, 20 + 100 * t]

        def sizes(t):
            return [1, 9 + 30 * t]

        scene = IMAGE + ("view: {x: [0, 12], y: [0, 4]}\nlayers: [{data: %(file)s, map: {x: x, y: y, "
                         "radius: {column: v, domain: %%(r)s, range: [1px, 6px]}, "
                         "alpha: {column: v, domain: %%(c)s, range: [0.2, 1]}, "
                         "color: {column: v, scale: sqrt, domain: %%(c)s, colormap: magma}}, order: v}]\n")
        for name in ["p.csv"] + [f"f_{frame:02}.csv" for frame in range(11)]:
            self.write(name, "x,y,v\n" + "".join(f"{i % 12},{i // 12},{(i * 7) % 40}\n" for i in range(48)))
        printed = self.check(scene % {"file": "p.csv"}, {"r": sizes, "c": low_high})
        self.assertIn("layers[0]: radius domain, alpha domain, color domain\n", printed)
        self.write("s.yaml", self.read("s.yaml").decode())
        still = self.pixels("--frames", "all")
        self.write("s.yaml", self.read("s.yaml").decode().replace("p.csv", "f_##.csv"))
        self.same(self.pixels("--frames", "all"), still)
        text = self.read("s.yaml").decode()
        for old, new, problem in (("{0: [0, 20]", "{0: [0, 99%]", "color.domain.keys.0[1]: expected a number"),
                                  ("{0: [0, 20]", "{0: [-1, 20]", "color.domain.keys.0[0]: expected a number >= 0, which"),
                                  ("scale: sqrt", "scale: rank", "remove it: scale: rank uses all percentiles")):
            self.assertIn(problem, self.problems(text.replace("f_##", "p").replace(old, new)))

    def test_wrong_keys_are_errors(self):
        layer = "layers: [{circles: [{x: 0, y: 0, radius: 1}], stroke: {width: %s}}]\n"
        data = IMAGE + "layers: [{data: p.csv, map: {x: x, y: y, radius: 9px}, %s}]\n"
        for text, problem in (
                (IMAGE + layer % "{keys: {0: 2px, 9: 0.1}}", "stroke.width: expected pixels at all keys, or at none"),
                (IMAGE + layer % "{keys: {0: 2px, 9: 0px}}", "expected pixels > 0px"),
                (IMAGE + layer % "{keys: {0: 2px, 9: 4px}, path: spline}", "path: spline is for"),
                (IMAGE.replace("antialias: true", "background: {keys: {0: 1}, bottom: 0}") + "layers: []\n", "bottom and keys"),
                (IMAGE.replace("antialias: true", "background: {bottom: 0}") + "layers: []\n", 'missing key "top"'),
                (IMAGE.replace("antialias: true", "background: {keys: {0: 1}}, alpha: true") + "layers: []\n", "remove it"),
                (IMAGE.replace("antialias: true", "antialias: {keys: {0: true}}") + "layers: []\n",
                 "image.antialias: expected true or false, got a map"),
                (data % "order: {keys: {0: x}}", 'layers[0].order: this value has no keys over time'),
                (data % "where: {x: {min: {keys: {0: 1}}}}", "layers[0].where.x.min: expected a number, got a map"),
                (IMAGE + "layers: [{generator: rgb, blend: multiply, stroke: {width: 1, color: {keys: {0: 0, 9: 2}}}}]\n",
                 "stroke.color: expected colours from 0 to 1, which blend: multiply needs, got 2")):
            self.assertIn(problem, self.problems(text))


class TurnedViewTest(LooksCase):
    CIRCLES = ((0.31, 0.62, 0.11), (0.85, 0.2, 0.07), (0.5, 0.5, 0.03), (0.1, -0.2, 0.15))

    def disc(self, x, y, radius):
        """Pixels in a disc of the frame, from the lower left corner in pixels, and those too close to its edge to tell."""
        rows, columns = np.mgrid[HEIGHT - 0.5:0:-1, 0.5:WIDTH]
        distance = np.hypot(columns - x, rows - y)
        return distance < radius, np.abs(distance - radius) < 1e-3

    def check(self, view, center, zoom, degrees, flip):
        self.write("s.yaml", HARD + view + "layers:\n  - circles:\n" + "".join(
            f"      - {{x: {x}, y: {y}, radius: {r}, alpha: 1}}\n" for x, y, r in self.CIRCLES))
        is_black = np.zeros((HEIGHT, WIDTH), bool)
        unsure = np.zeros((HEIGHT, WIDTH), bool)
        for x, y, radius in self.CIRCLES:
            right, up = (x - center[0]) * zoom * HEIGHT, (y - center[1]) * zoom * HEIGHT * (-1 if flip else 1)
            angle = math.radians(degrees)
            inside, edge = self.disc(WIDTH / 2 + right * math.cos(angle) - up * math.sin(angle),
                                     HEIGHT / 2 + right * math.sin(angle) + up * math.cos(angle), radius * zoom * HEIGHT)
            is_black |= inside
            unsure |= edge
        got = self.pixels()[0, :, :, 0] == 0
        self.assertLess(unsure.sum(), 9)
        self.same(got | unsure, is_black | unsure, view)
        self.assertTrue(is_black.any())

    def test_turns_match_their_formula(self):
        for degrees in (30, 90, -77.5, 180, 270, 3601):
            self.check(f"view: {{rotate: {degrees}}}\n", (0.5, 0.5), 1, degrees, False)
            self.check(f"view: {{rotate: {degrees}, flip: y}}\n", (0.5, 0.5), 1, degrees, True)
            self.check(f"view: {{center: [0.3, 0.6], zoom: 1.7, rotate: {degrees}}}\n", (0.3, 0.6), 1.7, degrees, False)
            self.check(f"view: {{x: [0, 1], y: [0, 1], rotate: {degrees}, flip: y}}\n", (0.5, 0.5), 1, degrees, True)

    LAYERS = {
        "circles": "circles: [{x: 0.31, y: 0.62, radius: 0.2, color: '#ff8000'}, {x: 0.7, y: 0.4, radius: 0.1}]",
        "random": "random: {count: 300, radius: {uniform: [0.005, 0.05]}, color: {uniform: [0, 1]}}",
        "moved": "random: {count: 300, radius: 0.02}, offset: [0.1, 0.2], scale: 0.7, rotate: 20, pivot: [0.3, 0.1]",
        "classic": "generator: rand10k, opacity: 0.1",
        "flakes": "random: {count: 200, radius: 0.05, depth: {uniform: [0, 1]}}, shader: snow",
        "data": "data: p.npy, columns: [x, y, radius]",
        "double": "data: d.npy, columns: [x, y, radius], rotate: 15",
        "map": "data: d.npy, map: {x: {column: 0}, y: {column: 1}, radius: 3px}",
        "rims": "random: {count: 60, radius: 0.1}, stroke: {width: 2px}, fill: false",
    }

    def tables(self):
        rows = np.random.default_rng(3).random((200, 3)) * [1, 1, 0.05]
        np.save(self.path("d.npy"), rows)
        np.save(self.path("p.npy"), rows.astype(np.float32))

    def test_all_kinds_of_layers_turn(self):
        """The picture under a turned view is that of circles turned by NumPy."""
        self.tables()
        grey = IMAGE.replace("antialias", "background: 0.4, antialias")
        for name, layer in self.LAYERS.items():
            for flip in ("", ", flip: y"):
                view = f"view: {{center: [0.4, 0.6], zoom: 0.8{flip}%s}}\n"
                self.write("s.yaml", grey + view % ", rotate: 33" + f"layers: [{{{layer}}}]\n")
                turned = self.pixels().astype(int)
                self.run_roundel("circles", "s.yaml", "--columns", "all", "-o", "c.npy")
                rows = np.load(self.path("c.npy")).astype(np.float64)
                shader = ", shader: snow" if name == "flakes" else ""
                stroke = ", stroke: {width: 2px}, fill: false" if name == "rims" else ""
                rows = rows[:, :8]
                if name == "flakes":
                    rows = rows[rows[:, 3] > 0]
                np.save(self.path("again.npy"), rows)
                again = f"layers: [{{data: again.npy, {COLUMNS}{shader}{stroke}}}]\n"
                self.write("again.yaml", grey + view % ", rotate: 33" + again)
                close = np.abs(self.pixels(name="again.yaml").astype(int) - turned)
                self.assertLessEqual(close.max(), 1, (name, flip))
                angle = math.radians(-33 if flip else 33)
                right, up = rows[:, 0] - 0.4, rows[:, 1] - 0.6
                rows[:, 0] = 0.4 + right * math.cos(angle) - up * math.sin(angle)
                rows[:, 1] = 0.6 + right * math.sin(angle) + up * math.cos(angle)
                np.save(self.path("again.npy"), rows)
                self.write("again.yaml", grey + view % "" + again)
                close = np.abs(self.pixels(name="again.yaml").astype(int) - turned)
                self.assertLessEqual(close.max(), 1, (name, flip))
                self.write("still.yaml", grey + view % "" + f"layers: [{{{layer}}}]\n")
                self.assertGreater(np.abs(self.pixels(name="still.yaml").astype(int) - turned).max(), 20)

    def test_listed_circles_give_the_same_picture_under_the_same_view(self):
        self.tables()
        for name in ("circles", "random", "moved", "data", "double"):
            for degrees in (33, 90):
                head = IMAGE.replace("true", "false") + f"view: {{center: [0.4, 0.6], zoom: 0.8, rotate: {degrees}}}\n"
                self.write("s.yaml", head + f"layers: [{{{self.LAYERS[name]}}}]\n")
                picture = self.pixels()
                self.run_roundel("circles", "s.yaml", "--columns", "all", "-o", "c.npy")
                self.write("s.yaml", head + f"layers: [{{data: c.npy, {COLUMNS}}}]\n")
                self.same(self.pixels(), picture, (name, degrees))

    def test_films_turn_as_their_stills_and_crops(self):
        self.tables()
        layers = "".join(f"  - {{{layer}}}\n" for layer in self.LAYERS.values())
        self.write("s.yaml", IMAGE + "view: {rotate: {keys: {0: 0, 10: 90}, ease: in}}\nlayers:\n" + layers +
                   "animation: {fps: 10, frames: 11}\n")
        film = self.pixels("--frames", "all")
        for frame, degrees in ((0, 0), (5, 22.5), (10, 90)):
            self.same(self.pixels("--frame", str(frame))[0], film[frame], frame)
            self.write("other.yaml", self.read("s.yaml").decode().replace("{keys: {0: 0, 10: 90}, ease: in}", str(degrees)))
            self.same(self.pixels("--frame", str(frame), name="other.yaml")[0], film[frame], frame)
        self.same(self.pixels("--frame", "5", "--crop", "7,9,20,10", width=20, height=10)[0], film[5, 9:19, 7:27])
        self.assertIn("moves        view: rotate\n", self.run_roundel("validate", "s.yaml").stdout.decode())

    def test_explain_names_the_circles_own_place(self):
        self.write("s.yaml", HARD + "view: {rotate: 90, flip: y}\n"
                   "layers: [{circles: [{x: 0.75, y: 0.25, radius: 0.05}]}]\n")
        row, column = np.argwhere(self.pixels()[0, :, :, 0] < 255).mean(0)
        # Right of and above the middle (y points down); turned to the left: left of and above it.
        self.assertAlmostEqual(column, WIDTH / 2 - 0.25 * HEIGHT, delta=1)
        self.assertAlmostEqual(row, HEIGHT / 2 - 0.25 * HEIGHT, delta=1)
        done = self.run_roundel("explain", "s.yaml", "--pixel", f"{round(column)},{round(row)}", "--json")
        circle = json.loads(done.stdout)["circles"][0]
        self.assertAlmostEqual(circle["x"], 0.75, delta=1e-6)
        self.assertAlmostEqual(circle["y"], 0.25, delta=1e-6)

    def test_the_window_is_as_without_a_turn(self):
        self.tables()
        text = IMAGE + "view: {fit: data%s}\nlayers: [{data: d.npy, map: {x: {column: 0}, y: {column: 1}, radius: 3px}}]\n"
        seen = []
        for more in ("", ", rotate: 40"):
            self.write("s.yaml", text % more)
            described = json.loads(self.run_roundel("validate", "s.yaml", "--json").stdout)["scenes"][0]
            seen.append(described["seen"]["circles"])
            self.assertEqual(described["window"], seen[0] and described["window"])
            if more:
                self.assertEqual(described["window"], window)
            window = described["window"]
        self.assertNotEqual(seen[0], seen[1])


class ScreenTest(LooksCase):
    CIRCLES = "circles: [{x: 12px, y: 30px, radius: 6.25px, alpha: 1}, {x: 60px, y: 0px, radius: 9px, alpha: 1}]"
    VIEWS = ("", "view: {center: [7, 3], zoom: 5}\n", "view: {flip: y, rotate: 30}\n", "view: {x: [0, 9], y: [0, 1]}\n")

    def expected(self, scale=1, width=WIDTH, height=HEIGHT):
        rows, columns = np.mgrid[height - 0.5:0:-1, 0.5:width]
        is_black = np.zeros((height, width), bool)
        for x, y, radius in ((12, 30, 6.25), (60, 0, 9)):
            is_black |= np.hypot(columns - x * scale, rows - y * scale) < radius * scale
        return is_black

    def test_pixels_are_from_the_lower_left_whatever_the_view(self):
        for view in self.VIEWS:
            self.write("s.yaml", HARD + view + f"layers: [{{{self.CIRCLES}, space: screen}}]\n")
            self.same(self.pixels()[0, :, :, 0] == 0, self.expected(), view)
            self.same(self.pixels("--scale", "2", width=120, height=80)[0, :, :, 0] == 0, self.expected(2, 120, 80), view)
            self.same(self.pixels("--size", "90x50", width=90, height=50)[0, :, :, 0] == 0, self.expected(1, 90, 50), view)
            self.same(self.pixels("--crop", "5,3,20,16", width=20, height=16)[0, :, :, 0] == 0,
                      self.expected()[3:19, 5:25], view)
            self.assertIn("2 of 2", self.run_roundel("validate", "s.yaml").stdout.decode() + "2 of 2")

    def test_listed_circles_draw_the_same_picture(self):
        for view in self.VIEWS:
            self.write("s.yaml", HARD + view + f"layers: [{{{self.CIRCLES}, space: screen}}]\n")
            picture = self.pixels()
            self.run_roundel("circles", "s.yaml", "--columns", "all", "-o", "c.npy")
            self.write("s.yaml", HARD + view + f"layers: [{{data: c.npy, {COLUMNS}}}]\n")
            self.same(self.pixels(), picture, view)

    def test_keys_and_strokes_are_pixels_too(self):
        scene = (IMAGE + "view: {zoom: 3, flip: y}\nlayers:\n  - {circles: [{x: %s, y: 20px, radius: %s}],"
                 " stroke: {width: 2px, color: 1}, space: screen}\n")
        x, radius = "{keys: {0: -5px, 10: 65px}}", "{keys: {0: 4px, 10: 14px}, path: exponential}"
        self.write("s.yaml", scene % (x, radius) + "animation: {fps: 10, frames: 11}\n")
        film = self.pixels("--frames", "all")
        for frame in (0, 4, 10):
            self.write("other.yaml", scene % (f"{-5 + 7 * frame}px", f"{4 * 3.5 ** (frame / 10)!r}px"))
            self.assertLessEqual(np.abs(self.pixels(name="other.yaml")[0].astype(int) - film[frame]).max(), 1)
        self.assertIn("layers[0]: x, radius of 1 circle", self.run_roundel("validate", "s.yaml").stdout.decode())

    def test_a_fitted_view_ignores_them(self):
        self.write("p.csv", "x,y\n0,0\n9,9\n")
        text = IMAGE + "view: {fit: data}\nlayers:\n  - {data: p.csv, map: {x: x, y: y, radius: 3px}}\n"
        windows = []
        for more in ("", f"  - {{{self.CIRCLES}, space: screen}}\n"):
            self.write("s.yaml", text + more)
            windows.append(json.loads(self.run_roundel("validate", "s.yaml", "--json").stdout)["scenes"][0]["window"])
        self.assertEqual(windows[0], windows[1])

    def test_what_does_not_work_is_an_error(self):
        circle = "circles: [{x: 1px, y: 2px, radius: 3px}], space: screen"
        self.write("p.csv", "x,y\n0,0\n")
        for layer, problem in (
                (circle + ", offset: [1, 1]", "layers[0].offset: does not work with space: screen"),
                (circle + ", rotate: {keys: {0: 1}}", "layers[0].rotate: does not work with space: screen"),
                (circle + ", scale: 2, pivot: [0, 0]", "layers[0].pivot: does not work with space: screen"),
                (circle + ", stroke: {width: 0.1}", "stroke.width: expected pixels, which space: screen needs, as 0.1px, got 0.1"),
                (circle.replace("1px", "1"), "circles[0].x: expected pixels, which space: screen needs, as 1px, got 1"),
                (circle.replace("1px", "{keys: {0: 1px, 4: {to: 3}}}"), "circles[0].x: expected pixels"),
                (circle.replace("3px", "0px"), "expected pixels > 0px"),
                (circle.replace("2px", "2 px"), "circles[0].y: expected a number"),
                (circle.replace(", space: screen", ""), "expected scene units, got 1px; for pixels write the layer's space: screen"),
                ("random: {count: 3}, space: screen", "layers[0].space: screen works only for layers of circles"),
                ("data: p.csv, map: {x: x, y: y, radius: 1}, space: screen", "screen works only for layers of circles"),
                (circle.replace("screen", "window"), "expected one of scene or screen")):
            self.assertIn(problem, self.problems(IMAGE + f"layers: [{{{layer}}}]\n"))


class SoftTest(LooksCase):
    RIM = math.exp(-4)

    def alpha(self, squared, at_center):
        """Alpha at the square of the distance in radii."""
        return at_center * (math.exp(-4 * min(squared, 1)) - self.RIM) / (1 - self.RIM)

    def test_alpha_follows_the_formula(self):
        circle = "layers: [{circles: [{x: 0.7, y: 0.4, radius: 0.35, color: [0.25, 0.5, 1], alpha: 0.8}], shader: soft, opacity: 0.5}]\n"
        for image, columns in (("", (10, 27, 34, 40)), (", antialias: true", (10, 27, 34, 40, 49))):
            self.write("s.yaml", f"version: 1\nimage: {{width: {WIDTH}, height: {HEIGHT}{image}}}\n" + circle)
            seen = []
            for x in columns:
                report = json.loads(self.run_roundel("explain", "s.yaml", "--pixel", f"{x},23", "--json").stdout)
                for step in report["circles"]:
                    dx, dy = (x + 0.5) / HEIGHT - 0.25 - 0.7, (HEIGHT - 23 - 0.5) / HEIGHT - 0.4
                    expected = self.alpha((dx * dx + dy * dy) / 0.35**2, 0.4) * step.get("share", 1)
                    self.assertAlmostEqual(step["alpha"], expected, delta=1e-6)
                    self.assertEqual(step["color"], [0.25, 0.5, 1])
                    self.assertEqual(step["shader"], "soft")
                    seen.append(step["alpha"])
            self.assertGreater(max(seen), 0.3)

    def test_blend_modes_apply(self):
        below, color = np.array([0.2, 0.5, 0.8]), np.array([1, 0.5, 0])
        for mode, mix in (("over", color), ("add", below + color), ("multiply", below * color),
                          ("screen", below + color - below * color)):
            self.write("s.yaml", f"version: 1\nimage: {{width: 41, height: 41, background: {below.tolist()}}}\n"
                       f"layers: [{{circles: [{{x: 0.5, y: 0.5, radius: 0.5, color: {color.tolist()}, alpha: 0.9}}],\n"
                       f"          shader: soft, blend: {mode}}}]\n")
            picture = self.pixels(width=41, height=41)[0]
            for row in (3, 10, 20):
                alpha = self.alpha(((20 - row) / 20.5) ** 2, 0.9)
                expected = np.clip(below + alpha * (mix - below), 0, 1) * 255
                self.assertLess(np.abs(picture[row, 20] - expected).max(), 0.51, (mode, row))

    def test_listed_circles_draw_the_same_picture(self):
        layer = "{random: {count: 300, radius: {uniform: [0.001, 0.3]}, alpha: {uniform: [0, 1]}}, opacity: 0.7, %s}"
        for mode in ("over", "screen"):
            self.write("s.yaml", IMAGE + "layers: [" + layer % f"shader: soft, blend: {mode}" + "]\n")
            self.run_roundel("circles", "s.yaml", "--columns", "all", "-o", f"{mode}.npy")
            self.write("listed.yaml", IMAGE + f"layers: [{{data: {mode}.npy, {COLUMNS}, shader: soft, blend: {mode}}}]\n")
            self.same(self.pixels(), self.pixels(name="listed.yaml"))

    def test_another_shader_is_a_difference(self):
        for name, shader in (("a.yaml", "solid"), ("b.yaml", "soft")):
            self.write(name, IMAGE + f"layers: [{{circles: [{{x: 0.5, y: 0.5, radius: 0.2}}], shader: {shader}}}]\n")
        printed = self.run_roundel("diff", "a.yaml", "b.yaml", "--explain", code=1).stdout.decode()
        self.assertIn("shader solid -> soft", printed)

    def test_strokes_are_errors(self):
        problem = self.problems(IMAGE + "layers: [{circles: [{x: 0, y: 0, radius: 1}], shader: soft, stroke: {width: 1px}}]\n")
        self.assertIn("s.yaml:3:69: layers[0].stroke: not allowed with the soft shader; remove it", problem)


if __name__ == "__main__":
    unittest.main(verbosity=2)
