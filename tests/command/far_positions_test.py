#!/usr/bin/env python3
"""Inline and random circles far from 0 keep their positions. Usage: far_positions_test.py PATH_OF_ROUNDEL"""

import json
import unittest

import numpy as np

from command_case import CommandCase

FAR = 900_000
IMAGE = "image: {width: 80, height: 60, antialias: true}\n"
VIEW = f"view: {{center: [{FAR}.5, {FAR}.5]}}\n"
COLUMNS = "columns: [x, y, z, radius, red, green, blue, alpha]"
MAP = ("map: {x: {column: 0}, y: {column: 1}, z: {column: 2}, radius: {column: 3}, alpha: {column: 7}, "
       "color: [{column: 4}, {column: 5}, {column: 6}]}")  # keeps radii made by a layer's scale
INLINE = (f"circles: [{{x: {FAR}.31, y: {FAR}.52, radius: 0.12, color: '#c04000'}}, "
          f"{{x: {FAR}.71, y: {FAR}.33, radius: 0.2}}]")
LOOKS = "radius: {uniform: [0.01, 0.1]}, color: {uniform: [[0, 0, 0], [1, 1, 1]]}"
LAWS = {
    "uniform": f"{{uniform: [[{FAR}, {FAR}], [{FAR + 1}, {FAR + 1}]]}}",
    "gaussian": f"{{gaussian: {{mean: [{FAR}.5, {FAR}.5], sigma: 0.2}}}}",
    "disc": f"{{disc: {{center: [{FAR}.5, {FAR}.5], radius: 0.3}}}}",
    "ring": f"{{ring: {{center: [{FAR}.5, {FAR}.5], radius: 0.4}}}}",
    "polyline": f"{{polyline: {{points: [[{FAR}, {FAR}], [{FAR}.3, {FAR}.7], [{FAR + 1}, {FAR}.4]], width: 0.1}}}}",
    "cloud": f"{{polyline: {{points: [[{FAR}, {FAR}], [{FAR + 1}, {FAR}.4]], sigma: 0.1}}}}",
    "grid": f"{{grid: {{columns: 20, rows: 15, jitter: 0.5, box: [[{FAR}, {FAR}], [{FAR + 1}, {FAR + 1}]]}}}}",
}


def random_layer(law, more=""):
    count = "" if "grid" in law else "count: 300, "
    return f"random: {{{count}position: {law}, {LOOKS}}}{more}"


class FarPositionsTest(CommandCase):
    is_text = True

    def scene(self, *layers, head=IMAGE + VIEW, name="s.yaml"):
        lines = "".join(f"  - {{{layer}}}\n" for layer in layers)
        self.write(name, f"version: 1\n{head}layers:\n{lines}")

    def picture(self, *arguments, scene="s.yaml"):
        self.run_roundel("render", scene, "-o", "p.pfm", "-q", "--backend", "cpu", *arguments)
        return self.read("p.pfm")

    def circles(self, *arguments):
        self.run_roundel("circles", "s.yaml", "--columns", "all", "-o", "c.npy", *arguments)
        return np.load(self.path("c.npy"))

    def test_pictures_match_the_same_circles_as_data(self):
        layers = [INLINE] + [random_layer(law) for law in LAWS.values()]
        for layer in layers:
            self.scene(layer)
            circles, picture = self.circles(), self.picture()
            self.assertEqual(circles.dtype, np.float64, layer)
            self.scene(f"data: c.npy, {COLUMNS}")
            self.assertTrue(self.picture() == picture, layer)
            np.save(self.path("c.npy"), circles.astype(np.float32))  # the centres rounded
            self.assertFalse(self.picture() == picture, layer)

    def test_moving_layers_match_data(self):
        moves = {"offset": f", offset: [-{FAR}, -{FAR}]",
                 "turned": f", rotate: 30, scale: 1.5, pivot: [{FAR}.4, {FAR}.6], offset: [-{FAR - 7}.5, 0.25]"}
        views = {"offset": "view: {zoom: 1.5}\n",
                 "turned": f"view: {{center: [7, {FAR}.5], zoom: 1.25, flip: y}}\n"}
        for kind, move in moves.items():
            for layer in (INLINE, random_layer(LAWS["disc"])):
                self.scene(layer + move, head=IMAGE + views[kind])
                circles, picture = self.circles(), self.picture()
                self.assertEqual(circles.dtype, np.float64)
                self.scene(f"data: c.npy, {MAP}", head=IMAGE + views[kind])
                self.assertTrue(self.picture() == picture, layer + move)

    def test_positions_follow_the_laws_in_binary64(self):
        self.scene(INLINE)
        places = self.circles()[:, :2] - FAR
        np.testing.assert_allclose(places, [[.31, .52], [.71, .33]], rtol=0, atol=3e-10)
        for name in ("uniform", "gaussian", "disc", "polyline", "grid"):  # near 0 the numbers are equal after rounding
            self.scene(random_layer(LAWS[name]))
            far = self.circles()[:, :2] - FAR
            near = LAWS[name].replace(str(FAR) + ".", "0.").replace(str(FAR + 1), "1").replace(str(FAR), "0")
            self.scene(random_layer(near), head=IMAGE)
            np.testing.assert_allclose(far, self.circles()[:, :2], rtol=0, atol=2e-7, err_msg=name)
        self.scene(random_layer(LAWS["ring"]))
        x, y = (self.circles()[:, :2] - FAR - 0.5).T
        np.testing.assert_allclose(np.hypot(x, y), 0.4, rtol=0, atol=1e-9)

    def test_threads_memory_crops_and_frames_keep_the_bits(self):
        self.scene(INLINE + ", stroke: {width: 2px, alpha: 0.9}", random_layer(LAWS["gaussian"], ", opacity: 0.7"),
                   "generator: rgb", random_layer(LAWS["polyline"], ", blend: screen"))
        whole = self.picture("--threads", "1")
        for threads in ("2", "7"):
            self.assertTrue(self.picture("--threads", threads) == whole)
        pixels = np.frombuffer(whole[-80 * 60 * 12:], np.float32).reshape(60, 80, 3)
        part = self.picture("--crop", "30,20,25,31")
        part = np.frombuffer(part[-25 * 31 * 12:], np.float32).reshape(31, 25, 3)
        rows = slice(60 - 20 - 31, 60 - 20)  # rows of a PFM go up
        self.assertTrue(part.tobytes() == np.ascontiguousarray(pixels[rows, 30:55]).tobytes())
        explained = json.loads(self.run_roundel("explain", "s.yaml", "--pixel", "31,28", "--json").stdout)
        self.assertEqual(np.float32(explained["value"]).tolist(), pixels[60 - 1 - 28, 31].tolist())
        self.scene(INLINE)
        explained = json.loads(self.run_roundel("explain", "s.yaml", "--pixel", "30,28", "--json").stdout)
        self.assertAlmostEqual(explained["circles"][0]["x"] - FAR, 0.31, 6)

    def test_films_decide_for_each_frame(self):
        keys = f"view: {{center: [{FAR}.31, {FAR}.52], zoom: {{keys: {{0: 0.001, 4: 100}}, ease: exponential}}}}\n"
        head = IMAGE + keys + "animation: {frames: 5}\n"
        layers = [INLINE, random_layer(LAWS["ring"])]
        for layer in layers:
            self.scene(layer, head=head)
            self.run_roundel("render", "s.yaml", "--frames", "all", "-o", "f_#.pfm", "-q", "--backend", "cpu", "--overwrite")
            types = []
            for frame in range(5):
                self.scene(layer, head=head)
                picture = self.read(f"f_{frame}.pfm")
                self.assertTrue(self.picture("--frame", str(frame)) == picture, frame)
                types.append(self.circles("--frame", str(frame)).dtype)
                self.scene(f"data: c.npy, {COLUMNS}", head=head)
                self.assertTrue(self.picture("--frame", str(frame)) == picture, frame)
            self.assertEqual(types[0], np.float32)
            self.assertEqual(types[-1], np.float64)

    def test_binary64_begins_where_rounding_moves_a_centre_by_a_64th_of_a_pixel(self):
        rounding = abs(float(np.float32(0.1)) - 0.1)
        inline = "circles: [{x: 0.1, y: 0.5, radius: 0.001}]"
        law = "random: {count: 5, position: {uniform: [[-1, 0], [0.5, 1]]}, radius: 0.001}"
        pixels = 1 / 64 / 60
        seen = 0.5 * np.hypot(1, 80 / 60)  # units, at a zoom of 1, from the middle of the picture
        for layer, limit in ((inline, pixels / rounding), (law, (pixels * 2 ** 24 - seen) / (0.5 + 0.001))):
            for zoom, dtype in ((limit * (1 - 1e-9), np.float32), (limit * (1 + 1e-9), np.float64)):
                self.scene(layer, head=IMAGE + f"view: {{center: [0.1, 0.5], zoom: {float(zoom)!r}}}\n")
                self.assertEqual(self.circles().dtype, dtype, layer)
        far = "circles: [{x: 900000.31, y: 0.5, radius: 0.001}]"
        self.scene(far, head="image: {width: 60, height: 60}\n")
        self.assertEqual(self.circles().dtype, np.float32)


if __name__ == "__main__":
    unittest.main()
