#!/usr/bin/env python3
"""Motion blur (animation.samples, animation.shutter) against binary64 means of separate pictures. Usage:
motion_blur_test.py PATH_OF_ROUNDEL
"""

import array
import glob
import json
import os
import sys
import unittest

from command_case import CommandCase

INVALID = 3
WIDTH, HEIGHT = 40, 24
# The keys' frames are multiples of SCALE: frame n + (k + ½)/8 of one is frame SCALE·n + 2k + 1 of SCALE times as many.
SCALE = 16
SCENE = """version: 1
image: {{width: 40, height: 24, antialias: true{background}{image}}}
view: {{zoom: {{keys: {{0: 1, {last}: 2}}, path: exponential}}}}
layers:
  - random: {{count: 20, radius: 0.1}}
    {layer}
  - {{data: p.csv, map: {{x: {{keys: {{0: x0, {last}: x1}}}}, y: y0, start: start{scale}, radius: 0.1}}, shader: solid}}
  - circles: [{{x: {{keys: {{0: 0.1, {last}: 0.9}}, ease: in}}, y: 0.5, radius: 0.2, color: [0.9, 0.5, 1.5],
                alpha: {{keys: {{0: 1, {last}: 0.2}}}}}}]
animation: {{frames: {frames}{animation}}}
"""


def scene(scale=1, image="", layer="", animation=""):
    background = "" if "alpha" in image else f', background: {{keys: {{0: "#203040", {4 * scale}: "#ffffff"}}}}'
    return SCENE.format(image=image, layer=layer or "blend: over", last=4 * scale, scale=scale, background=background, frames=5 * scale,
                        animation=animation)


def to_light(value):
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def to_display(value):
    return value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


class MotionBlurTest(CommandCase):
    def setUp(self):
        super().setUp()
        self.write("p.csv", f"x0,x1,y0,start1,start{SCALE}\n0.1,0.9,0.2,0,0\n0.7,0.3,0.8,0.5,{SCALE // 2}\n")

    def render(self, output, *arguments, name="s.yaml"):
        self.run_roundel("render", name, "--backend", "cpu", "-q", "--overwrite", "-o", output, *arguments)

    def floats(self, name):
        data = self.read(name).split(b"\n", 3)
        values = array.array("f", data[3])
        if sys.byteorder == "big":
            values.byteswap()
        return values

    def assert_is_mean(self, frame, tolerance=1e-5, **texts):
        is_linear = "linear" in texts.get("image", "")
        self.write("s.yaml", scene(animation=", samples: 8, shutter: 1", **texts))
        self.write("many.yaml", scene(SCALE, **texts))
        self.render("mean.pfm", "--frame", str(frame))
        sums = [0.0] * (WIDTH * HEIGHT * 3)
        for k in range(8):
            self.render("one.pfm", "--frame", str(SCALE * frame + 2 * k + 1), name="many.yaml")
            for i, value in enumerate(self.floats("one.pfm")):
                sums[i] += value if is_linear else to_light(value)
        got = self.floats("mean.pfm")
        self.assertEqual(len(got), len(sums))
        wanted = [total / 8 if is_linear else to_display(total / 8) for total in sums]
        self.assertLess(max(abs(one - other) for one, other in zip(got, wanted)), tolerance)

    def test_a_frame_is_the_mean_of_its_samples(self):
        for texts in ({}, {"image": ", blend: linear"}, {"layer": "blend: add"}, {"layer": "shader: snow"}):
            with self.subTest(**texts):
                self.assert_is_mean(1, **texts)

    def test_films_stills_shards_and_threads_have_the_same_bytes(self):
        for image in ("", ", alpha: true", ", bits: 16", ", dither: true, blend: linear"):
            with self.subTest(image=image):
                self.write("s.yaml", scene(image=image, animation=", samples: 5"))
                self.render("a/f_#.png", "--frames", "all")
                self.render("b/f_#.png", "--frames", "all", "--shard", "1/2")
                self.render("b/f_#.png", "--frames", "all", "--shard", "2/2", "--threads", "1")
                self.render("c/f_#.png", "--frames", "all", "--split-frame", "--backend", "cpu")
                self.assertEqual(len(glob.glob(self.path("a/*"))), 5)
                for frame in range(5):
                    self.render("still.png", "--frame", str(frame), "--threads", "1")
                    for folder in "abc":
                        self.assertEqual(self.read("still.png"), self.read(f"{folder}/f_{frame}.png"), folder)
                self.run_roundel("verify", "a/f_#.png", "--frames", "all", "--scene", "s.yaml")

    def test_unchanged_pixels_and_frames_keep_their_values(self):
        still = "version: 1\nimage: {width: 16, height: 16, background: [0.5, 0.5, 0.5]}\nlayers:\n" \
                "  - circles: [{x: 0.3, y: 0.5, radius: 0.2, alpha: 0.5},\n" \
                "              {x: {keys: {0: 0.8, 1: 0.9, 2: 0.9}}, y: 0.5, radius: 0.1, alpha: %s}]\n" \
                "animation: {frames: 4%s}\n"
        self.write("s.yaml", still % (0, ", samples: 7"))
        self.write("plain.yaml", still % (0, ""))
        self.render("a.png", "--frame", "0")
        self.render("b.png", "--frame", "0", name="plain.yaml")
        self.run_roundel("diff", "a.png", "b.png")
        self.write("s.yaml", still % (0.5, ", samples: 7"))
        self.write("plain.yaml", still % (0.5, ""))
        for frame in (2, 3):  # at rest: the same file
            self.render("a.png", "--frame", str(frame))
            self.render("b.png", "--frame", str(frame), name="plain.yaml")
            self.assertEqual(self.read("a.png"), self.read("b.png"))
        self.render("a.png", "--frame", "0")
        self.render("b.png", "--frame", "0", name="plain.yaml")
        self.run_roundel("diff", "a.png", "b.png", code=1)

    def test_simulations_stay_at_the_frame_and_validate_says_so(self):
        film = "version: 1\nimage: {width: 64, height: 64}\nview: {zoom: {keys: {%s}}}\n" \
               "layers: [{generator: bouncingballs}]\nanimation: {frames: 9, samples: 3}\n"
        self.write("s.yaml", film % "0: 1, 8: 1")
        self.write("plain.yaml", (film % "0: 1, 8: 1").replace(", samples: 3", ""))
        self.render("a_#.png", "--frames", "all")
        self.render("b_#.png", "--frames", "all", name="plain.yaml")
        for frame in range(9):
            self.assertEqual(self.read(f"a_{frame}.png"), self.read(f"b_{frame}.png"))
        self.write("s.yaml", film % "0: 1, 8: 3")
        self.render("a_#.png", "--frames", "all")
        for frame in (0, 5, 8):
            self.render("still.png", "--frame", str(frame))
            self.assertEqual(self.read("still.png"), self.read(f"a_{frame}.png"))
        text = self.run_roundel("validate", "s.yaml").stdout.decode()
        self.assertIn("blur         the mean of 3 pictures in 0.5 of a frame; simulated layers stay at the frame", text)
        self.write("s.yaml", film.replace("{keys: {%s}}", "1"))
        self.assertIn("nothing has keys, so nothing is blurred",
                      self.run_roundel("validate", "s.yaml").stdout.decode())

    def test_the_fingerprint_belongs_to_the_samples(self):
        prints = set()
        for animation in ("", ", samples: 2", ", samples: 3", ", samples: 3, shutter: 0.25"):
            self.write("s.yaml", scene(animation=animation))
            self.render("a.png", "--frame", "1")
            prints.add(json.loads(self.run_roundel("info", "--json", "a.png").stdout)[0]["fingerprint"])
        self.assertEqual(len(prints), 4)

    def test_memory_that_validate_names_is_enough(self):
        self.write("s.yaml", scene(animation=", samples: 3").replace("width: 40, height: 24", "width: 900, height: 700"))
        text = self.run_roundel("validate", "s.yaml", "--backend", "cpu", "--json").stdout
        memory = json.loads(text)["scenes"][0]["memory"]
        enough = memory["option"]
        self.assertGreater(memory["picture_bytes"], 33 * 900 * 700)
        self.render("a.png", "--memory", enough)
        self.run_roundel("render", "s.yaml", "--backend", "cpu", "-o", "c.png", "--memory", "10M", code=1)
        self.render("b.png")
        self.assertEqual(self.read("a.png"), self.read("b.png"))

    def test_a_difference_of_blur_alone_is_named(self):
        scene = ("version: 1\nimage: {width: 60, height: 40}\n"
                 "layers: [{circles: [{x: {keys: {0: 0.2, 10: 0.9}}, y: 0.5, radius: 0.1}]}]\n"
                 "animation: {frames: 10, samples: 4, shutter: %s}\n")
        self.write("a.yaml", scene % 0.5)
        self.write("b.yaml", scene % 1)
        done = self.run_roundel("diff", "a.yaml", "b.yaml", "--explain", "--frame", "3", code=1)
        self.assertIn(b"motion blur differs\n"
                      b"no pixel differs at the frame's own time, without motion blur; different circles: 0\n", done.stdout)
        done = self.run_roundel("diff", "a.yaml", "b.yaml", "--explain", "--frame", "3", "--json", code=1)
        self.assertIs(json.loads(done.stdout)["blur_differs"], True)
        self.write("b.yaml", scene % 0.5 + "# the same\n")
        done = self.run_roundel("diff", "a.yaml", "b.yaml", "--explain", "--frame", "3")
        self.assertNotIn(b"blur differs", done.stdout)
        self.assertIn(b"no pixel differs at the frame's own time", done.stdout)

    def test_bad_values_are_refused(self):
        for animation, message in ((", samples: 1", "2 to 256"), (", samples: 257", "2 to 256"),
                                   (", samples: 4, shutter: 0", "shutter"), (", samples: 4, shutter: 1.5", "shutter"),
                                   (", shutter: 0.5", "samples")):
            self.write("s.yaml", scene(animation=animation))
            process = self.run_roundel("render", "s.yaml", "-o", "a.png", code=INVALID)
            self.assertIn(message, process.stderr.decode())
            self.assertFalse(os.path.exists(self.path("a.png")))


if __name__ == "__main__":
    unittest.main(verbosity=1)
