#!/usr/bin/env python3
"""What render and validate say of scenes that are hardly meant so. Usage: surprises_test.py PATH_OF_ROUNDEL"""

import struct
import unittest

from command_case import MIXED, RANDOM, RGB, CommandCase


class Surprises(CommandCase):
    """What a valid scene hardly means is said, once, on stderr, and by validate too."""

    FAR = "version: 1\nlayers:\n  - circles: [{x: 50, y: 20, radius: 10}]\n"

    def said(self, *arguments, command=("render", "-o", "a.png")):
        """The lines that surprise, without their beginning."""
        lines = self.run_roundel(*command, "a.yaml", *arguments).stderr.decode().splitlines()
        return [line[17:] for line in lines if line.startswith("roundel: a.yaml: ")]

    def assert_said(self, text, *arguments):
        for command in (("render", "-o", "a.png"), ("validate",)):
            lines = self.said(*arguments, command=command)
            self.assertEqual(len(lines), 1, (command, lines))
            self.assertIn(text, lines[0])
            self.assertEqual(self.said(*arguments, "-q", command=command), [])

    def test_nothing_is_said_of_the_usual(self):
        for text in (RGB, RANDOM, MIXED):
            self.write("a.yaml", text)
            self.assertEqual(self.said() + self.said(command=("validate",)), [], text)

    def test_no_circle_touches_the_picture(self):
        self.write("a.yaml", self.FAR)
        self.assert_said("no circle touches the picture: they lie in x 40..60, y 10..30, the view "
                         "shows x 0..1, y 0..1")
        self.write("a.yaml", self.FAR + "view: {center: [500, 20], zoom: 0.01}\n")
        self.assert_said("they lie in x 40..60, y 10..30, the view shows x 450..550, y -30..70")
        self.write("a.yaml", self.FAR + "view: {center: [50, 20], zoom: 0.01}\n")
        self.assertEqual(self.said(), [])
        self.write("a.yaml", self.FAR.replace("50", "900002").replace("10", "0.5") + "view: {center: [900000, 20]}\n")
        self.assert_said("they lie in x 900001.5..900002.5, y 19.5..20.5, the view shows x 899999.5..900000.5, y 19.5..20.5")
        self.write("a.yaml", self.FAR + "view: {center: [50, 20], zoom: 0.01}\n")
        self.assert_said("they lie in x 40..60, y 10..30, --crop shows x 0..25, y 45..70", "--crop", "0,0,256,256")
        self.write("a.yaml", self.FAR + "view: {center: [50, 20], zoom: 0.01, flip: y}\n")
        self.assert_said("they lie in x 40..60, y 10..30, --crop shows x 0..25, y -30..-5", "--crop", "0,0,256,256")
        self.write("a.yaml", RANDOM + "view: {center: [-9, 0.5]}\n")  # made while they are drawn
        self.assert_said("no circle touches the picture: they lie in x -0.0")

    def test_circles_under_a_pixel(self):
        tiny = "  - random: {count: 3000, radius: 0.0001}\n"
        self.write("a.yaml", "version: 1\nlayers:\n" + tiny)
        self.assert_said("about 100 % of the circles are less wide than a pixel")
        self.write("a.yaml", "version: 1\nimage: {antialias: true}\nlayers:\n" + tiny)
        self.assertEqual(self.said(), [])
        few = tiny.replace("3000", "1000") + tiny.replace("0.0001", "0.1")
        self.write("a.yaml", "version: 1\nlayers:\n" + few)
        self.assertEqual(self.said(), [])

    def test_colours_of_0_to_255(self):
        for background in ("[20, 30, 60]", "{bottom: 0.5, top: 255}"):
            self.write("a.yaml", RGB.replace("height: 48", "height: 48, background: " + background))
            self.assert_said("colours go far above 1")
        self.write("a.yaml", MIXED.replace("[1, 0.5, 0]", "[1, 200, 0]"))
        self.assert_said("colours go far above 1")
        self.write("a.yaml", RANDOM.replace("[1, 1, 1]", "[255, 1, 1]"))
        self.assert_said("colours go far above 1")
        for command in (("render", "-o", "a.exr"), ("validate", "-o", "a.exr")):
            self.assertEqual(self.said(command=command), [])  # may be meant
        self.write("a.yaml", "version: 1\nlayers:\n  - {data: a.npy, "
                             "columns: [x, y, radius, red, green, blue]}\n")
        rows = b"".join(struct.pack("<6f", 0.5, 0.5, 0.1, 20, 200, i % 256) for i in range(1000))
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 6), }"
        header += b" " * (-(len(header) + 11) % 64) + b"\n"
        with open(self.path("a.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header + rows)
        self.assert_said("colours go far above 1")

    def test_domains_without_length(self):
        self.write("d.csv", "x,count\n" + "".join(f"0.{x},{x if x > 90 else 0}\n" for x in range(10, 100)))
        scene = ("version: 1\nlayers:\n  - data: d.csv\n    map: {x: x, y: 0.5, radius: 0.1, "
                 "color: {column: count, domain: [1%%, %d%%], colormap: magma}}\n")
        self.write("a.yaml", scene % 80)
        self.assert_said("d.csv: both ends of the domain of color are 0: all rows have the middle of the range")
        self.write("a.yaml", scene % 100)
        self.assertEqual(self.said(), [])

    def test_snow_has_colours_of_its_own(self):
        self.write("d.csv", "x,y\n0.5,0.5\n")
        scene = "version: 1\nlayers:\n  - data: d.csv\n    shader: snow\n    map: {x: x, y: y, z: 0, radius: 0.2%s}\n"
        for ignored in (", color: y", ", alpha: 0.5"):
            self.write("a.yaml", scene % ignored)
            self.assert_said("d.csv: the shader snow reads no color and no alpha of the map")
        self.write("a.yaml", scene % "")
        self.assertEqual(self.said(), [])

    def test_alpha_that_a_pfm_has_not(self):
        self.write("a.yaml", RGB.replace("height: 48", "height: 48, alpha: true"))
        for command in (("render", "-o", "a.pfm"), ("validate", "-o", "a.pfm"),
                        ("render", "-o", "a_#.pfm", "--frames", "0", "--overwrite")):
            self.assertIn("PFM has no alpha: the colours are premultiplied, and .exr keeps both", self.said(command=command)[0])
        self.assertEqual(self.said("-q", command=("render", "-o", "a.pfm")) + self.said(command=("render", "-o", "a.exr")), [])
        self.write("a.yaml", RGB)
        self.assertEqual(self.said(command=("render", "-o", "a.pfm")), [])

    def test_another_aspect(self):
        self.write("a.yaml", RGB)
        self.assert_said("--size 64x24 is wider than the scene's 64x48: the picture shows more at "
                         "the left and right", "--size", "64x24")
        self.assert_said("narrower than the scene's 64x48: the picture is cut off", "--size", "48x48")
        self.assert_said("--size 48x48 is narrower than", "--size", "48x48", "--crop", "4,0,40,30")
        self.assertEqual(self.said("--crop", "4,0,20,40"), [])
        self.assertEqual(self.said("--size", "641x480"), [])

    def test_films(self):
        film = ("render", "-o", "f#.png", "--frames", "0-3", "--overwrite")
        self.write("a.yaml", RGB)
        self.assertEqual(self.said(command=film), ["nothing in this scene depends on the frame: the "
                                                   "4 pictures are the same"])
        self.assertEqual(self.said("-q", command=film), [])
        self.write("a.yaml", RGB + "animation: {frames: 4}\n")
        self.assertEqual(len(self.said(command=("validate",))), 1)
        self.write("a.yaml", RGB.replace("rgb", "hypnosis"))
        self.assertEqual(self.said(command=film), [])
        self.write("a.yaml", self.FAR)
        lines = self.said(command=film)
        self.assertEqual(len(lines), 2)
        self.assertIn("no circle touches the picture: they lie in x 40..60", lines[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
