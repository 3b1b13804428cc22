#!/usr/bin/env python3
"""EXR files as renderers write them. With files of OpenImageIO's oiiotool `roundel diff` and `idiff -a` agree, except
where Roundel also compares names and display; skipped without oiiotool. Usage: exr_test.py PATH_OF_ROUNDEL
"""

import json
import os
import shutil
import struct
import subprocess
import unittest

from command_case import CommandCase
from diff_test import COULD_NOT, DIFFER, SAME, DiffTest, exr

# Each file's oiiotool command after the files that it reads.
GRADIENT = ("--pattern", "fill:topleft=0,0.25,0.5,1:topright=1,0.25,0.5,1:bottomleft=0,1,0.5,1:bottomright=1,1,1,0.5")
FILES = {
    "rgba": [*GRADIENT, "16x12", "4", "--chnames", "R,G,B,A", "-d", "half"],
    "z": ["--pattern", "fill:top=1:bottom=9", "16x12", "1", "--chnames", "Z", "-d", "float"],
    "id": ["--pattern", "constant:color=0.25", "16x12", "1", "--chnames", "id", "-d", "uint32"],
    "id2": ["id.exr", "--fill:color=0.5", "2x1+3+3"],
    "float": ["rgba.exr", "-d", "float"],
    "tiled": ["rgba.exr", "--tile", "8", "8"],
    "aov": ["rgba.exr", "z.exr", "--chappend", "-d", "R=half", "-d", "Z=float"],
    "aov2": ["aov.exr", "--fill:color=0,0,0,0,3", "1x1+5+6"],
    "z2": ["z.exr", "--fill:color=5", "2x2+3+3"],
    "layer": ["rgba.exr", "--chnames", "diffuse.R,diffuse.G,diffuse.B,diffuse.A"],
    "views": ["rgba.exr", "rgba.exr", "--chnames", "left.R,left.G,left.B,left.A", "--chappend"],
    "views2": ["rgba.exr", "layer.exr", "--fill:color=1,0,0,1", "1x1+0+0", "--chnames", "left.R,left.G,left.B,left.A",
               "--chappend"],
    "parts": ["rgba.exr", "z.exr", "--siappend"],
    "parts2": ["rgba.exr", "z2.exr", "--siappend"],
    "mip": ["rgba.exr", "--tile", "8", "8", "-otex:wrap=clamp"],
    "mip2": ["rgba.exr", "--fill:color=0,0,0,0", "1x1+5+6", "--tile", "8", "8", "-otex:wrap=clamp"],
    "whole": ["rgba.exr", "--fill:color=0,0,0,0", "16x12", "--fill:color=1,0.5,0.25,1", "4x4+2+2"],
    "trimmed": ["whole.exr", "--crop", "4x4+2+2"],
    "trimmed2": ["whole.exr", "--crop", "3x4+2+2"],
    "whole_aov": ["whole.exr", "id.exr", "--chappend"],
    "trimmed_aov": ["whole_aov.exr", "--crop", "4x4+2+2"],
    "aspect": ["rgba.exr", "--attrib", "PixelAspectRatio", "2"],
    "window": ["rgba.exr", "--fullsize", "20x12+0+0"],
    "primaries": ["rgba.exr", "--attrib:type=float[8]", "chromaticities", "0.708,0.292,0.17,0.797,0.131,0.046,0.3127,0.329"],
}
PAIRS = [("rgba", "float", SAME), ("rgba", "tiled", SAME), ("aov", "aov2", DIFFER), ("rgba", "aov", DIFFER),
         ("z", "z2", DIFFER), ("views", "views2", DIFFER), ("views", "rgba", DIFFER), ("parts", "parts2", DIFFER),
         ("parts", "rgba", DIFFER), ("mip", "mip2", DIFFER), ("mip", "tiled", DIFFER), ("whole", "trimmed", SAME),
         ("whole", "trimmed2", DIFFER), ("whole_aov", "trimmed_aov", DIFFER),
         ("id", "id2", DIFFER)]
# Equal samples, but other names or another display.
ONLY_ROUNDEL = [("rgba", "layer", "different channels"), ("rgba", "aspect", "different pixel aspect ratios"),
                ("rgba", "window", "different display windows"), ("rgba", "primaries", "different chromaticities")]


class ChannelsOfAnExr(DiffTest):
    def test_are_compared_by_name(self):
        rgbz = dict.fromkeys("RGBZ", 0.5)
        a = self.write("a.exr", exr(4, 3, rgbz))
        b = self.write("b.exr", exr(4, 3, {**rgbz, "Z": 0.75}))
        self.assertIn("differ: 12 of 4x3 pixels (100 %); largest Z 0.25 at (0, 0) in 12 pixels; RMSE ",
                      self.run_diff(a, b, code=DIFFER).stdout)
        for option, code in (("Z=0.25", SAME), ("?=0.25", SAME), ("Z=0.24", DIFFER), ("R=9", DIFFER)):
            done = self.run_diff(a, b, "--channel-delta", option, "--json", "--diff-image", "d.png", code=code)
            self.assertEqual(json.loads(done.stdout)["channels"]["Z"],
                             {"largest": 0.25, "mean": 0.25, "pixels": 12, "x": 0, "y": 0})
            self.assertTrue(os.path.exists(os.path.join(self.folder, "d.png")))
        for option, warning in (("Y=1", "--channel-delta: \"Y\" fits no channel; there are B, G, R, Z\n"), ("?=1", "")):
            self.assertEqual(self.run_diff(a, b, "--channel-delta", option, "--channel-delta", "R=1", code=DIFFER if warning else SAME)
                             .stderr, warning and "warning: " + warning)
        self.assertIn("same: equal pixels", self.run_diff(
            a, self.write("c.exr", exr(4, 3, rgbz, b"x\0int\0" + struct.pack("<ii", 4, 7))), code=SAME).stdout)
        self.assertIn("same: equal bytes", self.run_diff(a, a, code=SAME).stdout)
        other = self.write("o.exr", exr(4, 3, {**dict.fromkeys("RGB", 0.5), "depth": 0.5}))
        self.assertIn("they are pictures of different channels: Z only in the first; depth only in the second",
                      self.run_diff(a, other, code=DIFFER).stdout)
        for wrong in ("Z", "=1", "Z=-1", "Z=x"):
            self.assertIn("--channel-delta", self.run_diff(a, b, "--channel-delta", wrong, code=COULD_NOT).stderr)

    def test_in_folders_results_and_rules(self):
        for folder in ("a", "b", "rep"):
            os.mkdir(os.path.join(self.folder, folder))
        rgbz = dict.fromkeys("RGBZ", 0.5)
        self.write("a/x.exr", exr(4, 3, rgbz))
        self.write("b/x.exr", exr(4, 3, {**rgbz, "Z": 0.75}))
        line = "x.exr: differs: 12 pixels differ, at most 0 may; largest Z 0.25 at (0, 0) in 12 pixels"
        done = self.run_diff("a", "b", "--junit", "j.xml", "--json", "r.json", "--report", "rep", "--markdown", "m.md",
                             code=DIFFER)
        self.assertIn(line, done.stdout)
        with open(os.path.join(self.folder, "j.xml"), encoding="utf-8") as file:
            self.assertIn(line, file.read())
        with open(os.path.join(self.folder, "r.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["pictures"][0]["difference"]["channels"]["Z"]["pixels"], 12)
        self.write("a/goldens.yaml", b'version: 1\ntolerances: [{pictures: "*", channel-delta: {Z: 0.25}}]\n')
        done = self.run_diff("a", "b", code=SAME)
        self.assertEqual((done.stderr, done.stdout.splitlines()[-1]), ("", "1 picture: 1 same"))
        self.write("a/goldens.yaml", b'version: 1\ntolerances: [{pictures: "*", channel-delta: {depth: 1}}]\n')
        self.assertIn('a/goldens.yaml:2 "*": "depth" fits no channel; there are B, G, R, Z', self.run_diff("a", "b", code=DIFFER).stderr)
        self.assertIn("not compared: flip-mean: works with EXR files of R, G, B or Y",
                      self.run_diff("a", "b", "--manifest", self.write(
                          "g.yaml", b'version: 1\ntolerances: [{pictures: "*", flip-mean: 1}]\n'), code=COULD_NOT).stdout)


@unittest.skipUnless(shutil.which("oiiotool") and shutil.which("idiff"), "needs oiiotool and idiff")
class BesideIdiff(CommandCase):
    is_text = True

    def setUp(self):
        super().setUp()
        for name, command in FILES.items():
            is_texture = command[-1].startswith("-otex")
            command = command if is_texture else [*command, "-o"]
            subprocess.run(["oiiotool", *command, f"{name}.exr"], cwd=self.folder, check=True,
                           stdout=subprocess.DEVNULL)

    def idiff(self, a, b):
        done = subprocess.run(["idiff", "-a", "-fail", "0", a, b], cwd=self.folder, check=False, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
        return SAME if done.returncode == 0 else DIFFER

    def test_agrees_with_idiff(self):
        for a, b, code in PAIRS:
            with self.subTest(a=a, b=b):
                self.run_roundel("diff", f"{a}.exr", f"{b}.exr", code=code)
                self.run_roundel("diff", f"{b}.exr", f"{a}.exr", code=code)
                self.assertEqual(self.idiff(f"{a}.exr", f"{b}.exr"), code)
        for a, b, reason in ONLY_ROUNDEL:
            with self.subTest(a=a, b=b):
                self.assertIn(reason, self.run_roundel("diff", f"{a}.exr", f"{b}.exr", code=DIFFER).stdout)
                self.assertEqual(self.idiff(f"{a}.exr", f"{b}.exr"), SAME)
        text = self.run_roundel("info", "parts.exr", "mip.exr", "id.exr").stdout
        for words in ("subimage00/R half", "subimage01/Z float", "levels        5", "id integer"):
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
