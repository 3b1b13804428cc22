#!/usr/bin/env python3
"""queries_test.py ROUNDEL: films as iterators, and properties of scenes and pictures, against the command."""
import json
import pathlib
import threading
import time
import unittest

import numpy as np
import roundel

from command_case import CommandCase

SCENES = pathlib.Path(__file__).parents[2] / "scenes"
SNOW = str(SCENES / "snow.yaml")


class Films(CommandCase):
    def stream(self, scene, frames, pixels="rgb24"):
        return self.run_roundel("render", str(scene), "--frames", frames, "--size", "96x64", "-o", "-", "--format",
                                "rawvideo", "--pixel-format", pixels, "--progress", "none").stdout

    def test_frames_match_the_command_in_rising_order(self):
        for name, frames in (("snow", "300-311"), ("title", "140-150x2,3"), ("fireworks", "-2-4"), ("winter", "0-3")):
            with self.subTest(name):
                drawn = list(roundel.frames(SCENES / f"{name}.yaml", frames, size=(96, 64)))
                self.assertEqual(drawn[0].shape, (64, 96, 3))
                self.assertEqual(b"".join(frame.tobytes() for frame in drawn), self.stream(SCENES / f"{name}.yaml", frames))
        words = list(roundel.frames(SNOW, range(300, 303), size=(96, 64), dtype="uint16"))
        self.assertEqual(b"".join(w.astype("<u2").tobytes() for w in words), self.stream(SNOW, "300-302", "rgb48le"))

    def test_frames_match_render(self):
        for threads in (0, 1):
            for frame, drawn in enumerate(roundel.frames(SNOW, "300-305", size=(80, 60), threads=threads)):
                np.testing.assert_array_equal(drawn, roundel.render(SNOW, frame=300 + frame, size=(80, 60)))

    def test_columns_move_with_the_view(self):
        x = np.random.default_rng(1).random(2000)
        scene = roundel.Scene(size=(60, 60), view={"zoom": {"keys": {0: 1, 9: 3}}}, animation={"frames": 10})
        scene.add(x=x, y=x[::-1].copy(), radius=0.01)
        drawn = list(roundel.frames(scene))
        self.assertEqual(len(drawn), 10)
        for frame in (0, 4, 9):
            np.testing.assert_array_equal(drawn[frame], roundel.render(scene, frame=frame))
        self.assertFalse(np.array_equal(drawn[0], drawn[9]))

    def test_an_iterator_may_be_dropped(self):
        before = threading.active_count()
        film = roundel.frames(SNOW, "0-100000", size=(64, 64))
        first = next(film).copy()
        start = time.monotonic()
        film.close()
        self.assertLess(time.monotonic() - start, 2)
        self.assertEqual(threading.active_count(), before)
        np.testing.assert_array_equal(first, roundel.render(SNOW, frame=0, size=(64, 64)))

    def test_invalid_films_are_reported(self):
        for frames, keywords, message in (("5-1", {}, 'frames: expected .* got "5-1"'),
                                          (5, {}, '^frames: expected "0-99", "all" or frame numbers, got 5'),
                                          ([1, "2"], {}, "^frames: expected a whole number, got '2'"),
                                          ([2**70], {}, "^frames: expected a whole number"),
                                          ("all", {}, "frames: \"all\" needs a scene with \"animation\"; give numbers, as \"0-99\""),
                                          ("0-3", {"dtype": "float32"}, "dtype: expected uint8 or uint16 for frames")):
            with self.assertRaisesRegex(roundel.UsageError, message):
                roundel.frames(SCENES / "rgb.yaml", frames, **keywords)
        np.save(self.path("a_0000.npy"), np.array([[0.5, 0.5, 0.1]], np.float32))
        self.write("film.yaml", "version: 1\nimage: {width: 30, height: 30}\nanimation: {frames: 3}\nlayers:\n"
                                "  - {data: a_####.npy, columns: [x, y, radius]}\n")
        with self.assertRaisesRegex(roundel.SceneError, "no file for 2 of 3 frames: 1-2"):
            roundel.frames(self.path("film.yaml"), "0-2")
        np.save(self.path("a_0001.npy"), np.array([[0.5, 0.5, np.nan]], np.float32))
        with self.assertRaisesRegex(roundel.SceneError, "a_0001.npy: row 0"):
            list(roundel.frames(self.path("film.yaml"), "0-1"))


class Queries(CommandCase):
    def test_circles_match_the_command(self):
        for name, frame in (("rand10k", 0), ("snow", 301), ("winter", 0), ("bokeh", 0)):
            for columns in (False, True):
                made = roundel.circles(SCENES / f"{name}.yaml", frame=frame, all=columns)
                self.run_roundel("circles", str(SCENES / f"{name}.yaml"), "--frame", str(frame), "--columns",
                                 "all" if columns else "usual", "-o", "c.npy")
                np.testing.assert_array_equal(made, np.load(self.path("c.npy")), name)
                self.assertEqual(made.dtype, np.float64 if columns and name == "winter" else np.float32)  # trees move

    def test_explained_pixels_match_the_command(self):
        for name, x, y in (("rand10k", 40, 20), ("winter", 70, 50)):
            scene = str(SCENES / f"{name}.yaml")
            printed = json.loads(self.run_roundel("explain", scene, "--pixel", f"{x},{y}", "--json", "--size", "96x96",
                                               "--limit", "7").stdout)
            answer = roundel.explain_pixel(scene, x, y, size=(96, 96), limit=7)
            self.assertEqual(answer, printed)
            self.assertEqual(answer["bytes"], roundel.render(scene, size=(96, 96))[y, x].tolist())
        for wrong, message in (({"limit": -1}, "limit: expected a whole number >= 0, got -1"),
                               ({"limit": None}, "limit: expected a whole number, got None"),
                               ({"x": -1}, "x: expected a whole number from 0 to 65535, got -1"),
                               ({"y": 2**40}, "y: expected a whole number from 0 to 65535, got 1099511627776"),
                               ({"frame": 2**70}, "frame: expected a whole number from -10000000 to 10000000")):
            with self.assertRaisesRegex(roundel.UsageError, "^" + message):
                roundel.explain_pixel(scene, **{"x": 0, "y": 0, **wrong})
        with self.assertRaisesRegex(roundel.UsageError, "^frame: expected a whole number from -10000000 to 10000000"):
            roundel.circles(scene, frame=2**70)
        with self.assertRaisesRegex(roundel.UsageError, "expected x from 0 to 95 and y from 0 to 95 .* got 96, 0"):
            roundel.explain_pixel(scene, 96, 0, size=(96, 96))

    def test_circles_of_a_file_are_explained_with_their_lines(self):
        self.write("lines.yaml", "version: 1\nimage: {width: 20, height: 20}\nvars: {r: 0.2}\nlayers:\n  - circles:\n"
                                 "      - {x: 0.5, y: 0.5, radius: 0.4}\n      - {x: 0.5, y: 0.5, radius: $r}\n")
        path = self.path("lines.yaml")
        printed = json.loads(self.run_roundel("explain", path, "--pixel", "10,10", "--json").stdout)
        self.assertEqual(roundel.explain_pixel(path, 10, 10), printed)
        for scene in (path, roundel.Scene.from_file(path)):
            circles = roundel.explain_pixel(scene, 10, 10, set={"r": 0.3})["circles"]
            self.assertEqual([circle["line"] for circle in circles], [7, 6])
        changed = roundel.Scene.from_file(path).add(x=[0.5], y=[0.5], radius=0.1)  # comes from no file
        self.assertFalse(any("line" in circle for circle in roundel.explain_pixel(changed, 10, 10)["circles"]))

    def test_rows_of_columns_are_explained(self):
        scene = roundel.Scene(size=(20, 20)).add(x=[0.1, 0.5, 0.9], y=[0.5, 0.5, 0.5], radius=0.1)
        (circle,) = roundel.explain_pixel(scene, 10, 10)["circles"]
        self.assertEqual((circle["row"], circle["index"]), (1, 1))

    def test_antialias_replaces_the_scenes_key(self):
        hard = roundel.Scene(size=(40, 30)).add(x=[0.4], y=[0.5], radius=0.3)
        smooth = roundel.Scene(size=(40, 30), antialias=True).add(x=[0.4], y=[0.5], radius=0.3)
        pixels = roundel.render(smooth)
        self.assertFalse(np.array_equal(roundel.render(hard), pixels))
        np.testing.assert_array_equal(roundel.render(hard, antialias=True), pixels)
        np.testing.assert_array_equal(roundel.render(smooth, antialias=None), pixels)
        np.testing.assert_array_equal(roundel.render(smooth, antialias=np.bool_(False)), roundel.render(hard))
        np.testing.assert_array_equal(next(roundel.frames(hard, [0], antialias=True)), pixels)
        self.assertEqual(roundel.fingerprint(hard, antialias=True), roundel.fingerprint(smooth))
        self.assertEqual(roundel.validate(hard, antialias=True)["fingerprint"], roundel.validate(smooth)["fingerprint"])
        self.assertIn("share", roundel.explain_pixel(hard, 14, 15, antialias=True)["circles"][0])
        for scene, name in ((hard, "a.png"), (smooth, "b.png")):
            roundel.save(scene, self.path(name), antialias=True)
        self.assertEqual(self.read("a.png"), self.read("b.png"))
        for wrong in ("yes", 1):
            with self.assertRaisesRegex(roundel.UsageError, "antialias: expected True, False or None, got "):
                roundel.render(hard, antialias=wrong)
        with self.assertRaisesRegex(roundel.UsageError, 'antialias: .* "antialias" in image, got both'):
            roundel.Scene(antialias=True, image={"antialias": True})

    def test_windows_and_domains_match_the_command(self):
        x, y, v = np.random.default_rng(2).random((3, 500)) * 1e-8 + 187.70593
        kinds = np.where(v > v.mean(), "a", "b")
        made = roundel.Scene(size=(80, 60), view={"fit": "data", "margin": 0, "flip": "y"})
        made.add(x=x, y=y, radius={"column": "v", "range": [0, "3px"]}, values=v, data={"v": v}, domain=["2%", "98%"], colormap="turbo")
        made.add(x=x, y=y, radius="1px", values=kinds, categories={"a": "#ff0000", "b": "#00ff00"})
        made.save(self.path("s.yaml"))
        found = roundel.validate(made)
        [printed] = json.loads(self.run_roundel("validate", "s.yaml", "--json").stdout)["scenes"]
        for layer in [*found["layers"], *printed["layers"]]:
            del layer["data"]["path"]
        for key, value in found.items():
            self.assertEqual(printed[key], value, key)
        self.assertEqual(found["window"][1], [y.max(), y.min()])  # bottom, top
        ordered = np.sort(v)
        self.assertEqual(found["layers"][0]["color"]["domain"], [ordered[9], ordered[489]])
        self.assertEqual(found["layers"][0]["radius"]["domain"], [v.min(), v.max()])
        self.assertEqual(found["layers"][1]["color"]["categories"], [{"value": "a", "color": "#ff0000"}, {"value": "b", "color": "#00ff00"}])
        roundel.save(made, self.path("a.png"))
        self.assertEqual(roundel.info(self.path("a.png"))["window"], found["window"])

    def test_windows_describe_the_frame(self):
        film = {"version": 1, "image": {"width": 40, "height": 40}, "animation": {"frames": 3},
                "view": {"x": {"keys": {0: [0, 1], 2: [0, 3]}}, "y": [0, 1]}, "layers": [{"generator": "rgb"}]}
        self.assertEqual(roundel.validate(film)["window"][0], [0, 1])
        self.assertEqual(roundel.validate(film, frame=2)["window"][0], [0, 3])

    def test_differences_match_the_command(self):
        a = roundel.render(SCENES / "rand10k.yaml", size=(70, 50))
        roundel.save(SCENES / "rand10k.yaml", self.path("a.png"), size=(70, 50))
        roundel.save(SCENES / "rand10k.yaml", self.path("b.png"), size=(70, 50), seed=2)
        b = roundel.render(SCENES / "rand10k.yaml", size=(70, 50), seed=2)
        printed = json.loads(self.run_roundel("diff", "a.png", "b.png", "--max-delta", "3", "--max-pixels", "5", "--flip",
                                           "--ssim", "--json", code=1).stdout)
        del printed["a"], printed["b"]
        limits = {"max_delta": 3, "max_pixels": 5, "flip": True, "ssim": True}
        self.assertEqual(roundel.diff(self.path("a.png"), self.path("b.png"), **limits), printed)
        self.assertEqual(roundel.diff(a, b, **limits), printed)
        self.assertEqual(roundel.diff(self.path("a.png"), b, **limits), printed)
        self.assertTrue(roundel.diff(a, self.path("a.png"))["same"])
        self.assertTrue(roundel.diff(a.astype(np.float32), a.astype(np.float32) + 1, max_delta=1)["same"])
        self.assertEqual(roundel.diff(a[:, 5:], a[:, 3:-2], align=True)["shift"]["x"], 2)
        self.assertNotIn("shift", roundel.diff(a[:, 5:], a[:, 3:-2]))
        words = (a[:, :, 0].astype(np.uint16) * 257)
        self.assertEqual(roundel.diff(words, words[:, ::-1])["channels"]["grey"]["largest"],
                         int(np.abs(a[:, :, 0].astype(int) - a[:, ::-1, 0]).max()))
        with self.assertRaisesRegex(roundel.UsageError, "expected a path, or an array .* got one of float64"):
            roundel.diff(a, a.astype(float))
        self.write("broken.png", "\x89PNG and no more")
        for wrong in ("none.png", "broken.png"):
            with self.assertRaises(roundel.UsageError) as caught:
                roundel.diff(a, self.path(wrong))
            code = self.run_roundel("diff", "a.png", wrong, code=caught.exception.exit_code).returncode
            self.assertEqual((code, str(caught.exception).startswith(self.path(wrong) + ": ")), (2, True))
        for keywords in ({"max_delta": -1}, {"max_delta": float("nan")}, {"max_pixels": -1}, {"max_pixels": 1.5},
                         {"max_pixels": "1%"}, {"max_delta": "1"}, {"max_delta": None}, {"max_pixels": 2**70}):
            with self.assertRaisesRegex(roundel.UsageError, "^" + list(keywords)[0] + ": expected"):
                roundel.diff(a, b, **keywords)


if __name__ == "__main__":
    unittest.main(verbosity=1)
