#!/usr/bin/env python3
"""Warnings about valid scenes that are probably mistakes. Usage: warnings_test.py PATH_OF_ROUNDEL"""

import os
import struct
import unittest

from command_case import MIXED, RANDOM, RGB, CommandCase


class Warnings(CommandCase):
    """render, films, validate and regress print the same warnings on stderr."""

    FAR = "version: 1\nlayers:\n  - circles: [{x: 50, y: 20, radius: 10}]\n"

    def printed(self, *arguments, command=("render", "-o", "a.png")):
        """Returns the warnings about a.yaml, without their beginning."""
        lines = self.run_roundel(*command, "a.yaml", *arguments).stderr.decode().splitlines()
        return [line[17:] for line in lines if line.startswith("warning: a.yaml: ")]

    def assert_warned(self, text, *arguments):
        for command in (("render", "-o", "a.png"), ("validate",)):
            lines = self.printed(*arguments, command=command)
            self.assertEqual(len(lines), 1, (command, lines))
            self.assertIn(text, lines[0])
            self.assertEqual(self.printed(*arguments, "-q", command=command), [])

    def test_usual_scenes_have_no_warnings(self):
        for text in (RGB, RANDOM, MIXED):
            self.write("a.yaml", text)
            self.assertEqual(self.printed() + self.printed(command=("validate",)), [], text)

    def test_no_circle_touches_the_picture(self):
        self.write("a.yaml", self.FAR)
        self.assert_warned("no circle touches the picture: they lie in x 40..60, y 10..30, the view "
                         "shows x 0..1, y 0..1")
        self.write("a.yaml", self.FAR + "view: {center: [500, 20], zoom: 0.01}\n")
        self.assert_warned("they lie in x 40..60, y 10..30, the view shows x 450..550, y -30..70")
        self.write("a.yaml", self.FAR + "view: {center: [50, 20], zoom: 0.01}\n")
        self.assertEqual(self.printed(), [])
        self.write("a.yaml", self.FAR.replace("50", "900002").replace("10", "0.5") + "view: {center: [900000, 20]}\n")
        self.assert_warned("they lie in x 900001.5..900002.5, y 19.5..20.5, the view shows x 899999.5..900000.5, y 19.5..20.5")
        self.write("a.yaml", self.FAR + "view: {center: [50, 20], zoom: 0.01}\n")
        self.assert_warned("they lie in x 40..60, y 10..30, --crop shows x 0..25, y 45..70", "--crop", "0,0,256,256")
        self.write("a.yaml", self.FAR + "view: {center: [50, 20], zoom: 0.01, flip: y}\n")
        self.assert_warned("they lie in x 40..60, y 10..30, --crop shows x 0..25, y -30..-5", "--crop", "0,0,256,256")
        def write_rows(inside):
            self.write("d.csv", "x,y\n" + "".join(f"{'0.5' if row < inside else '7'},0.5\n" for row in range(1000)))
        write_rows(inside=5)
        self.write("a.yaml", "version: 1\nlayers: [{data: d.csv, map: {x: x, y: y, radius: 0.1}}]\n")
        self.assert_warned("only 5 of 1,000 circles touch the picture: they lie in x 0.4..7.1, y 0.4..0.6, the view shows x 0..1, y 0..1; "
                         "write view: {fit: data}")
        write_rows(inside=10)
        self.assertEqual(self.printed(), [])
        self.write("a.yaml", RANDOM + "view: {center: [-9, 0.5]}\n")
        self.assert_warned("no circle touches the picture: they lie in x -0.0")

    def test_circles_under_a_pixel(self):
        tiny = "  - random: {count: 3000, radius: 0.0001}\n"
        self.write("a.yaml", "version: 1\nlayers:\n" + tiny)
        self.assert_warned("about 100 % of the circles are narrower than a pixel")
        self.write("a.yaml", "version: 1\nimage: {antialias: true}\nlayers:\n" + tiny)
        self.assertEqual(self.printed(), [])
        few = tiny.replace("3000", "1000") + tiny.replace("0.0001", "0.1")
        self.write("a.yaml", "version: 1\nlayers:\n" + few)
        self.assertEqual(self.printed(), [])

    def test_colours_of_0_to_255(self):
        for background in ("[20, 30, 60]", "{bottom: 0.5, top: 255}"):
            self.write("a.yaml", RGB.replace("height: 48", "height: 48, background: " + background))
            self.assert_warned("colours go far above 1")
        self.write("a.yaml", MIXED.replace("[1, 0.5, 0]", "[1, 200, 0]"))
        self.assert_warned("colours go far above 1")
        self.write("a.yaml", RANDOM.replace("[1, 1, 1]", "[255, 1, 1]"))
        self.assert_warned("colours go far above 1")
        for command in (("render", "-o", "a.exr"), ("validate", "-o", "a.exr")):
            self.assertEqual(self.printed(command=command), [])  # may be intended
        self.write("a.yaml", "version: 1\nlayers:\n  - {data: a.npy, "
                             "columns: [x, y, radius, red, green, blue]}\n")
        rows = b"".join(struct.pack("<6f", 0.5, 0.5, 0.1, 20, 200, i % 256) for i in range(1000))
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 6), }"
        header += b" " * (-(len(header) + 11) % 64) + b"\n"
        with open(self.path("a.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header + rows)
        self.assert_warned("colours go far above 1")

    def test_domains_without_length(self):
        self.write("d.csv", "x,count\n" + "".join(f"0.{x},{x if x > 90 else 0}\n" for x in range(10, 100)))
        scene = ("version: 1\nlayers:\n  - data: d.csv\n    map: {x: x, y: 0.5, radius: 0.1, "
                 "color: {column: count, domain: [1%%, %d%%], colormap: magma}}\n")
        self.write("a.yaml", scene % 80)
        self.assert_warned("d.csv: both ends of the domain of color are 0: all rows get the middle of the range")
        self.write("a.yaml", scene % 100)
        self.assertEqual(self.printed(), [])

    def test_snow_has_colours_of_its_own(self):
        self.write("d.csv", "x,y\n0.5,0.5\n")
        scene = "version: 1\nlayers:\n  - data: d.csv\n    shader: snow\n    map: {x: x, y: y, z: 0, radius: 0.2%s}\n"
        for ignored in (", color: y", ", alpha: 0.5"):
            self.write("a.yaml", scene % ignored)
            self.assert_warned("d.csv: the shader snow ignores color and alpha of the map")
        self.write("a.yaml", scene % "")
        self.assertEqual(self.printed(), [])

    def test_alpha_is_lost_in_a_pfm(self):
        self.write("a.yaml", RGB.replace("height: 48", "height: 48, alpha: true"))
        for command in (("render", "-o", "a.pfm"), ("validate", "-o", "a.pfm"),
                        ("render", "-o", "a_#.pfm", "--frames", "0", "--overwrite")):
            self.assertIn("PFM has no alpha: its colours are premultiplied; write .exr to keep alpha", self.printed(command=command)[0])
        self.assertEqual(self.printed("-q", command=("render", "-o", "a.pfm")) + self.printed(command=("render", "-o", "a.exr")), [])
        self.write("a.yaml", RGB)
        self.assertEqual(self.printed(command=("render", "-o", "a.pfm")), [])

    def test_another_aspect(self):
        self.write("a.yaml", RGB)
        self.assert_warned("--size 64x24 is wider than the scene's 64x48: the picture shows more at "
                         "the left and right", "--size", "64x24")
        self.assert_warned("narrower than the scene's 64x48: the picture is cut off", "--size", "48x48")
        self.assert_warned("--size 48x48 is narrower than", "--size", "48x48", "--crop", "4,0,40,30")
        self.assertEqual(self.printed("--crop", "4,0,20,40"), [])
        self.assertEqual(self.printed("--size", "641x480"), [])

    def test_warnings_suggest_a_remedy(self):
        self.write("a.yaml", self.FAR)
        self.assert_warned("; write view: {x: [40, 60], y: [10, 30]}")
        self.assert_warned("; remove --crop to see more", "--crop", "0,0,256,256")
        self.write("d.csv", "x,y\n120,30\n640,400\n")
        self.write("a.yaml", "version: 1\nlayers: [{data: d.csv, map: {x: x, y: y, radius: 3px}}]\n")
        self.assert_warned("; write view: {fit: data}, and flip: y if y points down, as in images")
        self.write("a.yaml", "version: 1\nlayers: [{random: {count: 3000, radius: 0.0001}}]\n")
        self.assert_warned("; write image: {antialias: true}")

    def test_one_large_circle_may_tint_other_layers(self):
        self.write("a.yaml", "version: 1\nimage: {width: 60, height: 50}\nlayers: [{generator: rgb}, "
                             "{circles: [{x: 0.5, y: 0.5, radius: 5, alpha: 0.2}]}]\n")
        self.assertEqual(self.printed() + self.printed(command=("validate",)), [])

    def test_radii_meant_in_pixels(self):
        data = "{data: d.csv, map: {x: x, y: x, radius: %s}}"
        random = "{random: {count: 9, radius: %s}}"
        inline = "{circles: [{x: 0.5, y: 0.5, radius: %s}, {x: 0.2, y: 0.4, radius: 6}]}"
        self.write("d.csv", "x,r\n0.25,5\n0.75,6\n")
        in_pixels = "write radius: 5px, or for a column radius: {column: NAME, range: [1px, 5px]}"
        for layer, remedy in ((data % 5, in_pixels), (data % "r", in_pixels),
                              (data % "{column: r, range: [5, 6]}", in_pixels),
                              (random % 5, "write radius: 0.1 for 5 pixels"), (inline % 5, "write radius: 0.1 for 5 pixels"),
                              (random % "{uniform: [5, 9]}", "write radius: 0.1 for 5 pixels")):
            self.write("a.yaml", f"version: 1\nimage: {{width: 60, height: 50}}\nlayers: [{layer}]\n")
            times = 5.42 if "uniform" in layer else 5
            self.assert_warned(f"every circle's radius is larger than the picture ({times} times its height), so it shows one "
                             "colour: radii are in scene units; " + remedy)
        for layer in (data % "5px", data % "{column: r, range: [1px, 9]}", random % "{uniform: [0.1, 9]}", random % 1,
                      inline.replace("0.4", "-6.1") % 5, (inline % 5).replace("]}", "], fill: false, stroke: {width: 1}}")):
            self.write("a.yaml", f"version: 1\nimage: {{width: 60, height: 50}}\nlayers: [{layer}]\n")
            self.assertEqual(self.printed(), [], layer)

    def test_a_scene_without_layers(self):
        self.write("a.yaml", "version: 1\nlayers: []\n")
        self.assert_warned('the picture has no circles: "layers" is empty; add a layer, as {circles: [{x: 0.5, y: 0.5, radius: 0.3}]}')
        self.write("a.yaml", "version: 1\nlayers: [{random: {count: 0}}]\n")
        self.assertEqual(self.printed(), [])

    def test_data_that_are_flat_in_their_window(self):
        scene = "version: 1\nimage: {width: 60, height: 40}\nview: {fit: data%s}\nlayers: [{data: d.csv, " \
                "map: {x: %s, y: %s, radius: 2px}}]\n"
        self.write("d.csv", "t,flux\n1600000000,1\n1600500000,3\n1601000000,2\n")
        self.write("a.yaml", scene % ("", "t", "flux"))
        self.assert_warned("the data are 1e+06 wide and 2 high, and fill 0.00027 % of the picture's height, because x and y have one "
                         "scale: multiply y by 3.3e+05, or divide x by it, in the data")
        self.write("a.yaml", scene % ("", "flux", "t"))
        self.assert_warned("the data are 2 wide and 1e+06 high, and fill 0.00012 % of the picture's width, because x and y have one "
                         "scale: multiply x by 7.5e+05, or divide y by it, in the data")
        for view, x, y in (("", "t", 7), ("", "t", "t"), (", margin: 100", "t", "t")):
            self.write("a.yaml", scene % (view, x, y))
            self.assertEqual(self.printed(), [], (view, x, y))

    def test_columns_that_count_as_texts(self):
        self.write("d.csv", "x,v\n0.2,10\n0.4,--\n0.6,9\n0.8,100\n")
        texts = 'compared as texts, because it holds texts, first in line 3: "--"; write missing numbers as empty fields, NA or nan'
        layer = "version: 1\nlayers: [{data: d.csv, map: {x: x, y: 0.5, radius: 0.1%s}%s}]\n"
        self.write("a.yaml", layer % ("", ", order: v"))
        self.assert_warned(f'd.csv: order: "v" is {texts}')
        self.write("a.yaml", layer % ("", ", where: {v: {not: 10}}"))
        self.assert_warned(f'd.csv: where: "v" is {texts}')
        self.write("a.yaml", layer % (", color: {column: v, categories: {10: 0}, missing: 1}", ""))
        self.assert_warned(f'd.csv: color: "v" is {texts}')
        self.write("d.csv", "x,v\n0.2,a\n0.4,b\n")
        self.write("a.yaml", layer % ("", ", order: v"))
        self.assertEqual(self.printed(), [])

    def test_values_missing_in_all_rows(self):
        self.write("d.csv", "x,v,kind\n0.2,-1,a\n0.4,-2,b\n")
        layer = "version: 1\nlayers: [{data: d.csv, map: {x: x, y: 0.5, radius: 0.1, color: {column: %s, missing: 0.5}}}]\n"
        self.write("a.yaml", layer % "v, scale: log")
        self.assert_warned('d.csv: color: all 2 rows get "missing": "v" has no value that is a number > 0, which scale: log needs')
        self.write("a.yaml", layer % "kind, categories: {A: 0, B: 1}")
        self.assert_warned('d.csv: color: all 2 rows get "missing": "kind" has none of the values of "categories"; write categories: '
                         'tab10 to colour the values that it has')
        self.write("a.yaml", layer % "kind, categories: {a: 0, B: 1}")
        self.assertEqual(self.printed(), [])

    def test_comments_that_look_like_rows(self):
        layer = "version: 1\nlayers: [{data: d.csv, map: {x: x, y: y, radius: 0.1}}]\n"
        self.write("a.yaml", layer)
        self.write("d.csv", "# x,y,z\nx,y,id\n# m,m,1\n0.2,0.5,a\n#0.3,0.5,b\n0.4,0.5,c\n# a note\n#0.3,0.5,d\n")
        self.assert_warned('d.csv: 2 lines like rows that begin with # are skipped as comments, first line 5; quote a field that begins '
                         'with #, as "#1"')
        self.write("d.csv", "x,y,id\n# m,m,1\n0.2,0.5,a\n#ff0000,0.5,b\n# a note\n".replace("#ff0000", "0.3"))
        self.assertEqual(self.printed(), [])
        self.write("d.csv", "id,x,y\n#1,0.2,0.5\n#2,0.4,0.5\n")
        self.assert_warned("the picture has no circles: its data have no rows, and 2 lines that begin with # are comments; quote a "
                         "field that begins with #")

    def test_films(self):
        film = ("render", "-o", "f#.png", "--frames", "0-3", "--overwrite")
        self.write("a.yaml", RGB)
        self.assertEqual(self.printed(command=film), ["nothing in this scene depends on the frame: the "
                                                   "4 pictures are the same; values with keys move, as opacity: "
                                                   "{keys: {0: 0, 3: 1}}"])
        self.assertEqual(self.printed("-q", command=film), [])
        self.write("a.yaml", RGB + "animation: {frames: 4}\n")
        self.assertEqual(len(self.printed(command=("validate",))), 1)
        self.write("a.yaml", RGB.replace("rgb", "hypnosis"))
        self.assertEqual(self.printed(command=film), [])
        self.write("a.yaml", self.FAR)
        lines = self.printed(command=film)
        self.assertEqual(len(lines), 2)
        self.assertIn("no circle touches the picture: they lie in x 40..60", lines[1])

    def test_ten_warnings_are_printed(self):
        for frame in range(12):
            self.write(f"d_{frame}.csv", f"x,y\n0.{frame + 10},0.5\nnan,0.5\n")
        self.write("a.yaml", "version: 1\nlayers: [{data: d_#.csv, map: {x: x, y: y, radius: 0.1}, invalid: skip}]\nanimation: {frames: 12}\n")
        skipped = [f"d_{frame}.csv: 1 of 2 rows cannot be drawn and is skipped; write invalid: error to see the first" for frame in range(12)]
        for frames, more in (("0-9", []), ("0-10", ["warning: and 1 more warning"]), ("all", ["warning: and 2 more warnings"])):
            lines = self.run_roundel("render", "a.yaml", "--frames", frames, "-o", "f_#.png", "--overwrite").stderr.decode().splitlines()
            self.assertEqual(lines[1:], [f"warning: a.yaml: {line}" for line in skipped[:10]] + more)
        self.assertEqual(self.printed(command=("circles", "-o", "c.npy", "--frame", "0")), skipped[:1])

    def test_regress_warns_about_pictures_without_a_golden(self):
        self.write("a.yaml", self.FAR)
        self.write("b.yaml", RGB)
        os.mkdir(self.path("goldens"))
        regress = ("regress", "b.yaml", "--goldens", "goldens")
        lines = self.run_roundel(*regress, "a.yaml", code=1).stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("warning: a.yaml: no circle touches the picture: they lie in x 40..60, y 10..30", lines[0])
        self.run_roundel("accept", "--all", "--goldens", "goldens", code=0)
        self.assertEqual(self.run_roundel(*regress, "a.yaml").stderr, b"")


if __name__ == "__main__":
    unittest.main(verbosity=2)
