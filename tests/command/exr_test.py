#!/usr/bin/env python3
"""EXR files as renderers write them, made by OpenImageIO's oiiotool: `roundel diff` and `idiff -a` agree, except where
Roundel also compares names and display. Skipped without oiiotool. Usage: exr_test.py PATH_OF_ROUNDEL
"""

import shutil
import subprocess
import unittest

from command_case import CommandCase

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
SAME, DIFFER = 0, 1
PAIRS = [("rgba", "float", SAME), ("rgba", "tiled", SAME), ("aov", "aov2", DIFFER), ("rgba", "aov", DIFFER),
         ("z", "z2", DIFFER), ("views", "views2", DIFFER), ("views", "rgba", DIFFER), ("parts", "parts2", DIFFER),
         ("parts", "rgba", DIFFER), ("mip", "mip2", DIFFER), ("mip", "tiled", DIFFER), ("whole", "trimmed", SAME),
         ("whole", "trimmed2", DIFFER), ("whole_aov", "trimmed_aov", DIFFER),
         ("id", "id2", DIFFER)]
# Equal samples, but other names or another display.
ONLY_ROUNDEL = [("rgba", "layer", "different channels"), ("rgba", "aspect", "different pixel aspect ratios"),
                ("rgba", "window", "different display windows"), ("rgba", "primaries", "different chromaticities")]


@unittest.skipUnless(shutil.which("oiiotool") and shutil.which("idiff"), "needs oiiotool and idiff")
class ExrTest(CommandCase):
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
