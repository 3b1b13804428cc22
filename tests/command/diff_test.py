#!/usr/bin/env python3
"""`roundel diff` from outside: planted defects, limits, exit codes, hostile files, and the numbers of idiff and
ImageMagick. Usage: diff_test.py PATH_OF_ROUNDEL
"""

import json
import math
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import unittest
import zlib

from command_case import ROUNDEL, CommandCase

SAME, DIFFER, COULD_NOT = range(3)
CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus", "picture")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, channels, pixels, extra=b"", depth=8):
    """Returns a PNG. `pixels`: the samples' bytes, rows top to bottom."""
    color_type = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    row = width * channels * depth // 8
    raw = b"".join(b"\0" + pixels[y * row:(y + 1) * row] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, depth, color_type, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(raw, 1))
            + chunk(b"IEND", b""))


def pfm(width, height, values):
    return b"PF\n%d %d\n-1.0\n" % (width, height) + struct.pack("<%df" % len(values), *values)


def exr(width, height, channels, attributes=b"", display=None, pixel_aspect=1.0):
    """Returns uncompressed scan lines of floats. `channels`: a value for each name."""
    def attribute(name, kind, data):
        return name + b"\0" + kind + b"\0" + struct.pack("<i", len(data)) + data

    names = sorted(channels)
    listed = b"".join(name.encode() + b"\0" + struct.pack("<iBxxxii", 2, 0, 1, 1) for name in names) + b"\0"
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    header = (b"\x76\x2f\x31\x01" + struct.pack("<i", 2) + attribute(b"channels", b"chlist", listed)
              + attribute(b"compression", b"compression", b"\0") + attribute(b"dataWindow", b"box2i", window)
              + attribute(b"displayWindow", b"box2i", display or window) + attribute(b"lineOrder", b"lineOrder", b"\0")
              + attribute(b"pixelAspectRatio", b"float", struct.pack("<f", pixel_aspect))
              + attribute(b"screenWindowCenter", b"v2f", bytes(8))
              + attribute(b"screenWindowWidth", b"float", struct.pack("<f", 1)) + attributes + b"\0")
    row = b"".join(struct.pack("<%df" % width, *[channels[name]] * width) for name in names)
    rows = [struct.pack("<ii", y, len(row)) + row for y in range(height)]
    first = len(header) + 8 * height
    return header + b"".join(struct.pack("<q", first + y * len(rows[0])) for y in range(height)) + b"".join(rows)


def webp(width, height, value):
    """Returns a lossless picture of one colour: every prefix code has one symbol, so that pixels take 0 bits."""
    bits = [(0x2f, 8), (width - 1, 14), (height - 1, 14), (0, 1), (0, 3), (0, 1), (0, 1), (0, 1)]
    for symbol, size in ((value, 8), (value, 8), (value, 8), (255, 8), (0, 1)):  # green, red, blue, alpha, distance
        bits += [(1, 1), (0, 1), (size == 8, 1), (symbol, size)]
    number, shift = 0, 0
    for field, size in bits:
        number |= int(field) << shift
        shift += size
    data = number.to_bytes((shift + 15) // 16 * 2, "little")
    return b"RIFF" + struct.pack("<I", 12 + len(data)) + b"WEBPVP8L" + struct.pack("<I", len(data)) + data


def noise(count, seed):
    return bytearray(random.Random(seed).randbytes(count))


class DiffTest(CommandCase):
    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)
        return name

    def run_diff(self, *arguments, code, **keywords):
        result = subprocess.run([ROUNDEL, "diff", *arguments], cwd=self.folder, capture_output=True,
                                timeout=120, check=False, **keywords)
        result.stdout = result.stdout.decode()
        result.stderr = result.stderr.decode()
        self.assertEqual(result.returncode, code, (arguments, result.stdout, result.stderr))
        return result

    def pair(self, change, width=40, height=30, channels=3, seed=1):
        """Writes a.png of noise, and b.png after change(pixels)."""
        pixels = noise(width * height * channels, seed)
        self.write("a.png", png(width, height, channels, bytes(pixels)))
        change(pixels)
        self.write("b.png", png(width, height, channels, bytes(pixels)))


class AbsurdSizes(DiffTest):
    def test_files_beyond_the_machines_memory_are_refused_by_name(self):
        self.write("a.png", png(1, 1, 3, b"abc"))
        files = [("big.png", b"\x89PNG\r\n\x1a\n", 1 << 42)]
        if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < 80 << 30:
            files.append(("big.pfm", b"PF\n65536 65536\n-1.0\n", 20 + (12 << 32)))
        for name, start, size in files:
            self.write(name, start)
            os.truncate(os.path.join(self.folder, name), size)  # without blocks on the disk
            for pair in (("a.png", name), (name, "a.png")):
                self.assertRegex(self.run_diff(*pair, code=COULD_NOT).stderr,
                                 rf"{name}: its bytes need [0-9.]+ GiB of memory; this machine has")


class PlantedDefects(DiffTest):
    def test_equal_bytes_and_equal_pixels(self):
        pixels = bytes(noise(300, 1))
        self.write("a.png", png(10, 10, 3, pixels))
        self.write("b.png", png(10, 10, 3, pixels))
        self.assertEqual(self.run_diff("a.png", "b.png", code=SAME).stdout,
                         "a.png b.png: same: equal bytes\n")
        self.write("b.png", png(10, 10, 3, pixels, chunk(b"tEXt", b"A\0b")))
        self.assertEqual(self.run_diff("a.png", "b.png", code=SAME).stdout,
                         "a.png b.png: same: equal pixels\n")

    def test_one_level_of_one_pixel(self):
        def change(pixels):
            pixels[(7 * 40 + 11) * 3 + 1] ^= 1
        self.pair(change)
        self.assertEqual(
            self.run_diff("a.png", "b.png", code=DIFFER).stdout,
            "a.png b.png: differ: 1 of 40x30 pixels (0.0833 %); largest green 1; RMSE 6.536e-05, PSNR "
            "83.69 dB; in 1x1 pixels at (11, 7) [1 pixel differs, at most 0 may]\n")

    def test_alpha_alone(self):
        def change(pixels):
            pixels[(3 * 40 + 2) * 4 + 3] ^= 255
        self.pair(change, channels=4)
        line = self.run_diff("a.png", "b.png", code=DIFFER).stdout
        self.assertIn("; largest alpha ", line)
        self.assertNotIn("green", line)

    def test_a_shifted_picture(self):
        def change(pixels):
            pixels[:] = pixels[3:] + pixels[:3]
        self.pair(change)
        result = json.loads(self.run_diff("a.png", "b.png", "--json", code=DIFFER).stdout)
        self.assertGreater(result["pixels"], 1190)
        self.assertEqual(result["box"], {"x": 0, "y": 0, "width": 40, "height": 30})

    def test_another_size_or_channels(self):
        self.write("a.png", png(10, 10, 3, bytes(300)))
        self.write("b.png", png(10, 9, 3, bytes(270)))
        self.write("c.png", png(10, 10, 4, bytes(400)))
        self.write("d.png", png(10, 10, 3, bytes(600), depth=16))
        self.write("e.pfm", pfm(10, 10, [0.0] * 300))
        alike = "; --shape-tolerant would compare them"
        for name, shape in {"b.png": "10x9 RGB; 0 of 90 shared pixels differ",
                            "c.png": "10x10 RGBA" + alike, "d.png": "10x10 RGB of 16 bits" + alike,
                            "e.pfm": "10x10 RGB of floats"}.items():
            line = self.run_diff("a.png", name, "--max-pixels", "100%", code=DIFFER).stdout
            self.assertEqual(line, f"a.png {name}: differ: they are 10x10 RGB and {shape}\n")

    def test_pictures_shown_differently_differ(self):
        plain = bytes(noise(300, 1))
        self.write("a.png", png(10, 10, 3, plain))
        p3 = struct.pack(">8I", 31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000)
        turned = b"MM\0*\0\0\0\x08\0\x01" + struct.pack(">HHIHH", 0x112, 3, 1, 6, 0)
        for kind, data, shape, key, value in (
                (b"cICP", b"\x09\x10\0\x01", " with cICP BT.2020, PQ", "color_space", "cICP BT.2020, PQ"),
                (b"cHRM", p3, " with primaries of Display P3", "color_space", "primaries of Display P3"),
                (b"eXIf", turned, ", turned by Exif orientation 6", "orientation", 6)):
            self.write("b.png", png(10, 10, 3, plain, chunk(kind, data)))
            for option in ([], ["--shape-tolerant"]):
                line = self.run_diff("a.png", "b.png", *option, code=DIFFER).stdout
                self.assertEqual(line, f"a.png b.png: differ: they are 10x10 RGB and 10x10 RGB{shape}\n")
            printed = subprocess.check_output([ROUNDEL, "info", "--json", "b.png"], cwd=self.folder)
            self.assertEqual(json.loads(printed)[0][key], value)
            self.assertIn(str(value), subprocess.check_output([ROUNDEL, "info", "b.png"], cwd=self.folder, text=True))

    def test_other_encodings_of_the_same_pixels_may_be_tolerated(self):
        grey = bytes(noise(20 * 10, 1))
        self.write("grey.png", png(20, 10, 1, grey))
        self.write("deep.png", png(20, 10, 1, bytes(byte for value in grey for byte in (value, value)), depth=16))
        self.write("rgb.png", png(20, 10, 3, bytes(value for value in grey for _ in range(3))))
        rgba = bytearray(byte for value in grey for byte in (value, value, value, 255))
        profile = bytearray(128) + b"desc....sRGB"
        self.write("rgba.png", png(20, 10, 4, bytes(rgba), chunk(b"iCCP", b"x\0\0" + zlib.compress(bytes(profile)))))
        names = ("grey.png", "deep.png", "rgb.png", "rgba.png")
        for a in names:
            for b in names:
                self.run_diff(a, b, "--shape-tolerant", code=SAME)
                self.run_diff(a, b, code=SAME if a == b else DIFFER)
        rgba[4 * 7 + 3] = 254
        self.write("translucent.png", png(20, 10, 4, bytes(rgba)))
        for a in names:
            done = self.run_diff(a, "translucent.png", "--shape-tolerant", "--diff-image", "d.png", "--flip", code=DIFFER)
            self.assertIn("differ: 1 of 20x10 pixels", done.stdout)
            self.assertEqual(done.stderr, "")
        self.run_diff("rgb.png", "d.png", "--shape-tolerant", code=DIFFER)  # has its size
        self.write("small.png", png(10, 10, 1, grey[:100]))
        self.assertIn("they are 20x10 grey and 10x10 grey",
                      self.run_diff("grey.png", "small.png", "--shape-tolerant", code=DIFFER).stdout)

    def corpus(self, name, as_name=None):
        with open(os.path.join(CORPUS, name), "rb") as file:
            return self.write(as_name or name, file.read())

    def test_jpeg_and_webp_are_read(self):
        self.write("a.png", png(24, 17, 4, bytes(value % 256 for y in range(17) for x in range(24)
                                                 for value in (x * 10, y * 14, x * y, x * 9))))
        line = self.run_diff("a.png", self.corpus("lossless.webp"), code=SAME).stdout
        self.assertEqual(line, "a.png lossless.webp: same: equal pixels\n")
        found = json.loads(self.run_diff(self.corpus("colour.jpg"), "a.png", "--shape-tolerant", "--json", code=DIFFER).stdout)
        self.assertGreater(found["channels"]["alpha"]["mean"], 50)
        self.assertTrue(all(0 < found["channels"][name]["mean"] < 12 for name in ("red", "green", "blue")), found)
        line = self.run_diff("colour.jpg", self.corpus("progressive.jpg"), code=DIFFER).stdout
        self.assertIn("24x17 RGB and 24x17 RGB, turned by Exif orientation 6", line)
        (printed,) = json.loads(subprocess.check_output([ROUNDEL, "info", "--json", self.corpus("lossy.webp")], cwd=self.folder))
        self.assertEqual((printed["width"], printed["channels"], printed["orientation"]), (24, 3, 6))
        self.assertIn("an ICC profile", printed["color_space"])
        for name in ("cmyk.jpg", "animated.webp"):
            for other in ("a.png", name):
                self.assertIn(": is not supported: ", self.run_diff(self.corpus(name), other, code=COULD_NOT).stderr)
        for folder in ("a", "b"):
            os.mkdir(os.path.join(self.folder, folder))
            self.corpus("grey.jpg", f"{folder}/1.JPEG")
            self.corpus("lossy.webp", f"{folder}/2.webp")
        self.corpus("lossless.webp", "b/3.WEBP")
        self.corpus("colour.jpg", "b/1.JPEG")
        done = self.run_diff("a", "b", "--report", "report", "--json=run.json", code=DIFFER)
        self.assertTrue(done.stdout.endswith("3 pictures: 1 same, 1 differs, 1 new\n"), done.stdout)

    def test_a_program_without_the_modules_reports_it(self):
        os.mkdir(os.path.join(self.folder, "bin"))
        program = shutil.copy(ROUNDEL, os.path.join(self.folder, "bin"))
        done = subprocess.run([program, "diff", self.corpus("colour.jpg"), self.corpus("lossy.webp")], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, COULD_NOT)
        for module in ("jpeg", "webp"):
            self.assertIn(f"/lib/roundel/libroundel_{module}.so: no such file", done.stderr)

    def test_nan_in_floats(self):
        values = [k / 100 for k in range(300)]
        self.write("a.pfm", pfm(10, 10, values))
        values[(2 * 10 + 3) * 3] = math.nan
        self.write("b.pfm", pfm(10, 10, values))
        line = self.run_diff("a.pfm", "b.pfm", code=DIFFER).stdout
        self.assertIn("1 of 10x10 pixels (1 %), 1 by NaN or infinity", line)
        self.assertIn("in 1x1 pixels at (3, 7)", line)
        for limit in (["--flip-mean", "1"], ["--max-pixels", "1"], ["--max-pixels", "100%"], ["--max-density", "1/8x8"],
                      ["--max-delta", "1e9", "--max-pixels", "9", "--ignore-antialiasing"]):
            line = self.run_diff("a.pfm", "b.pfm", *limit, code=DIFFER).stdout
            self.assertTrue(line.endswith(" [1 pixel differs by NaN or infinity, at most 0 may]\n"), line)
        self.run_diff("a.pfm", "b.pfm", "--ignore", "3,7,1,1", code=SAME)
        result = json.loads(self.run_diff("a.pfm", "b.pfm", "--json", "--flip", code=DIFFER).stdout)
        self.assertEqual(result["not_finite"], 1)
        self.assertIsNone(result["psnr_db"])


class UnsupportedContent(DiffTest):
    """Pictures that Roundel cannot compare are an error, also if their bytes are equal."""

    def not_supported(self, a, b, problem):
        result = self.run_diff(a, b, code=COULD_NOT)
        self.assertIn(f"not supported: {problem}", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_frames_of_a_png(self):
        def frames(last):
            return (chunk(b"acTL", struct.pack(">II", 2, 0)) + chunk(b"fdAT", struct.pack(">I", 1) + zlib.compress(last)))
        for name, last in (("a.png", b"\0" * 13), ("b.png", b"\0" * 12 + b"\1"), ("c.png", b"\0" * 13)):
            self.write(name, png(4, 1, 3, bytes(12), frames(last)))
        for other in ("b.png", "c.png", "a.png"):
            self.not_supported("a.png", other, "an animation; save one frame as its own file")

    def test_subsampled_and_deep_exr(self):
        deep = exr(4, 3, {"Z": 1}, b"type\0string\0" + struct.pack("<i", 12) + b"deepscanline"
                   + b"version\0int\0" + struct.pack("<ii", 4, 1) + b"name\0string\0" + struct.pack("<i", 1) + b"a"
                   + b"chunkCount\0int\0" + struct.pack("<ii", 4, 3) + b"maxSamplesPerPixel\0int\0" + struct.pack("<ii", 4, 0))
        deep = self.write("deep.exr", deep[:4] + struct.pack("<i", 2 | 0x800) + deep[8:])
        self.not_supported(deep, deep, "deep pixels")
        luma = exr(4, 2, {"BY": 1, "Y": 1})
        luma = self.write("luma.exr", luma.replace(struct.pack("<ii", 1, 1), struct.pack("<ii", 2, 2), 1))
        self.not_supported(luma, luma, "subsampled channels BY")

    def test_how_an_exr_is_shown(self):
        rgb = dict.fromkeys("RGB", 0.5)

        def primaries(*values):
            return b"chromaticities\0chromaticities\0" + struct.pack("<i8f", 32, *values)
        plain = self.write("plain.exr", exr(4, 3, rgb))
        usual = self.write("usual.exr", exr(4, 3, rgb, primaries(0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329)))
        self.assertIn("same: equal pixels", self.run_diff(plain, usual, code=SAME).stdout)
        wide = "red (0.708, 0.292), green (0.17, 0.797), blue (0.131, 0.046), white (0.3127, 0.329)"
        others = {
            "wide": (primaries(0.708, 0.292, 0.17, 0.797, 0.131, 0.046, 0.3127, 0.329), {},
                     f"chromaticities (Rec. 709's; {wide})", "primaries", "chromaticities", wide),
            "window": (b"", {"display": struct.pack("<4i", -1, 0, 8, 7)},
                       "display windows (4x3 at (0, 0); 10x8 at (-1, 0))", "display", "display_window", "10x8 at (-1, 0)"),
            "aspect": (b"", {"pixel_aspect": 2.0}, "pixel aspect ratios (1; 2)", "pixel aspect", "pixel_aspect", 2)}
        for name, (attributes, keywords, difference, row, key, value) in others.items():
            one = self.write(f"{name}.exr", exr(4, 3, rgb, attributes, **keywords))
            two = self.write(f"{name}2.exr", exr(4, 3, rgb, attributes + b"x\0int\0" + struct.pack("<ii", 4, 7), **keywords))
            for option in ([], ["--shape-tolerant"], ["--max-pixels", "100%"]):
                self.assertIn(f"differ: they are pictures of different {difference}\n",
                              self.run_diff(plain, one, *option, code=DIFFER).stdout)
            self.assertIn("same: equal pixels", self.run_diff(one, two, code=SAME).stdout)
            printed = subprocess.check_output([ROUNDEL, "info", one], cwd=self.folder, text=True)
            self.assertRegex(printed, rf"\n  {row} +{re.escape(str(value))}\n")
            (printed,) = json.loads(subprocess.check_output([ROUNDEL, "info", "--json", one], cwd=self.folder))
            self.assertEqual(printed[key], value)
        for folder in ("a", "b"):
            os.mkdir(os.path.join(self.folder, folder))
        self.write("a/x.exr", exr(4, 3, rgb))
        self.write("b/x.exr", exr(4, 3, rgb, pixel_aspect=2.0))
        self.assertIn("x.exr: differs: they are pictures of different pixel aspect ratios (1; 2)",
                      self.run_diff("a", "b", code=DIFFER).stdout)


class Limits(DiffTest):
    def setUp(self):
        super().setUp()

        def change(pixels):
            for k in range(12):
                i = ((5 + k // 4) * 40 + 20 + k % 4) * 3
                pixels[i] = pixels[i] + 5 if pixels[i] < 128 else pixels[i] - 5
        self.pair(change)

    def test_each_limit_includes_its_value(self):
        for option, holds, fails in [("--max-delta", "5", "4.9"), ("--max-pixels", "12", "11"),
                                     ("--max-pixels", "1%", "0.99%"), ("--max-density", "12/16x16", "11/16x16"),
                                     ("--max-density", "4/2x2", "3/2x2"), ("--flip-mean", "1", "0.00001")]:
            line = self.run_diff("a.png", "b.png", option, holds, code=SAME).stdout
            self.assertIn("same within the limits: 12 of 40x30 pixels", line)
            self.run_diff("a.png", "b.png", option, fails, code=DIFFER)

    def test_all_exceeded_limits_are_reported(self):
        line = self.run_diff("a.png", "b.png", "--max-pixels", "3", "--max-density", "2/3x3", "--flip-mean",
                             "0", code=DIFFER).stdout
        self.assertRegex(line, r"\[12 pixels differ, at most 3 may, 9 pixels differ in the 3x3 pixels at "
                               r"\(20, 5\), at most 2 may, FLIP's mean is 0\.\d+, at most 0 is allowed\]\n$")

    def test_json_goes_to_stdout_or_to_a_file(self):
        on_stdout = self.run_diff("a.png", "b.png", "--json", code=DIFFER).stdout
        self.run_diff("--json", "out.json", "a.png", "b.png", code=DIFFER)
        with open(os.path.join(self.folder, "out.json"), encoding="utf-8") as file:
            self.assertEqual(file.read(), on_stdout)
        result = json.loads(on_stdout)
        self.assertEqual(list(result), ["a", "b", "version", "same", "kind", "reasons", "width", "height", "pixels",
                                        "pixels_over", "not_finite", "channels", "rmse", "psnr_db", "box",
                                        "densest"])
        self.assertEqual(result["densest"], {"x": 20, "y": 5, "width": 16, "height": 16, "pixels": 12})

    def test_difference_images(self):
        for kind in "pixels", "flip":
            self.run_diff("a.png", "b.png", "--diff-image", "d.png", "--diff-image-kind", kind, "--max-pixels",
                          "50", code=SAME)
            info = subprocess.run([ROUNDEL, "info", "--json", "d.png"], cwd=self.folder, check=True,
                                  capture_output=True).stdout
            self.assertEqual([json.loads(info)[0][k] for k in ("width", "height")], [40, 30])
            os.remove(os.path.join(self.folder, "d.png"))
        self.run_diff("a.png", "a.png", "--diff-image", "d.png", code=SAME)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "d.png")))
        self.run_diff("a.png", "b.png", "--diff-image", "none/d.png", code=COULD_NOT)

    def test_difference_images_of_other_sizes(self):
        for name, size in {"wide.png": (50, 20), "small.png": (30, 25)}.items():
            self.write(name, png(*size, 3, bytes(size[0] * size[1] * 3)))
            self.run_diff("a.png", name, "--diff-image", "d.png", code=DIFFER)
            info = subprocess.run([ROUNDEL, "info", "--json", "d.png"], cwd=self.folder, check=True,
                                  capture_output=True).stdout
            self.assertEqual([json.loads(info)[0][k] for k in ("width", "height")], [40, 30])
            result = json.loads(self.run_diff("a.png", name, "--json", code=DIFFER).stdout)
            self.assertEqual([result["overlap"][k] for k in ("width", "height")], [min(40, size[0]), min(30, size[1])])

    def test_moved_content_is_explained(self):
        width, height, pixels = 80, 60, noise(80 * 60 * 3, 5)
        moved = bytearray(width * height * 3)
        for y in range(height):
            moved[(y * width + 1) * 3:(y + 1) * width * 3] = pixels[y * width * 3:((y + 1) * width - 1) * 3]
        self.write("moved.png", png(width, height, 3, bytes(moved)))
        self.write("still.png", png(width, height, 3, bytes(pixels)))
        line = self.run_diff("still.png", "moved.png", "--align", code=DIFFER).stdout
        self.assertIn("equal after a shift of 1 pixel right, 0 down; 60 pixels at the edge have no partner]", line)
        result = json.loads(self.run_diff("still.png", "moved.png", "--align", "--json", code=DIFFER).stdout)
        self.assertEqual(result["shift"], {"x": 1, "y": 0, "pixels_over": 0, "edge": 60})
        self.assertNotIn("shift", self.run_diff("still.png", "moved.png", code=DIFFER).stdout)
        for folder, name in ("A", "still.png"), ("B", "moved.png"):
            os.mkdir(os.path.join(self.folder, folder))
            os.replace(os.path.join(self.folder, name), os.path.join(self.folder, folder, "x.png"))
        self.run_diff("A", "B", "--align", "--json", "run.json", "--junit", "run.xml", code=DIFFER)
        with open(os.path.join(self.folder, "run.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["pictures"][0]["difference"]["shift"], result["shift"])
        with open(os.path.join(self.folder, "run.xml"), encoding="utf-8") as file:
            self.assertIn("after a shift of 1 pixel right", file.read())
        merged = subprocess.run([ROUNDEL, "report", "run.json", "--json", "-"], cwd=self.folder, check=False,
                                capture_output=True).stdout
        self.assertEqual(json.loads(merged)["pictures"][0]["difference"]["shift"], result["shift"])

    def test_quiet_keeps_the_exit_code(self):
        self.assertEqual(self.run_diff("-q", "a.png", "b.png", code=DIFFER).stdout, "")

    def test_wrong_command_lines(self):
        for arguments in (["a.png"], ["a.png", "b.png", "c.png"], ["a.png", "b.png", "--max-delta", "-1"],
                          ["a.png", "b.png", "--max-delta", "nan"], ["a.png", "b.png", "--max-pixels", "1.5"],
                          ["a.png", "b.png", "--max-pixels", "101%"], ["a.png", "b.png", "--max-density", "3"],
                          ["a.png", "b.png", "--max-density", "3/0x4"], ["a.png", "b.png", "--flip-mean", "2"],
                          ["a.png", "b.png", "--ppd", "0"], ["a.png", "b.png", "--diff-image-kind", "flip"], ["a.png", "b.png", "--diff-image", "d.jpg"],
                          ["a.png", "b.png", "--no-such"]):
            result = self.run_diff(*arguments, code=COULD_NOT)
            self.assertIn('"roundel diff --help" lists the options', result.stderr)
            self.assertEqual(result.stdout, "")


class HostileFiles(DiffTest):
    def refused(self, name, problem, **keywords):
        """Tests it as either file."""
        self.write("good.png", png(4, 4, 3, bytes(48)))
        for arguments in ((name, "good.png"), ("good.png", name)):
            result = self.run_diff(*arguments, code=COULD_NOT, **keywords)
            self.assertIn(problem, result.stderr)
            self.assertTrue(result.stderr.startswith("error: " + name + ":"), result.stderr)
            self.assertEqual(result.stdout, "")

    def test_files_other_than_pictures(self):
        os.mkdir(os.path.join(self.folder, "folder"))
        os.mkfifo(os.path.join(self.folder, "pipe"))
        self.refused("none.png", "no such file")
        self.refused("folder", "expected a file, got a directory")
        self.refused("pipe", "expected a regular file")
        for name, data in {"empty": b"", "text.png": b"hello", "gif.png": b"GIF89a" * 9}.items():
            self.write(name, data)
            self.refused(name, "expected a PNG, EXR, PFM, JPEG or WebP file")
            self.run_diff(name, name, code=COULD_NOT)

    def test_an_unreadable_file(self):
        self.write("secret.png", png(4, 4, 3, bytes(48)))
        os.chmod(os.path.join(self.folder, "secret.png"), 0)
        if os.access(os.path.join(self.folder, "secret.png"), os.R_OK):
            self.skipTest("this user may read everything")
        self.refused("secret.png", "cannot open")

    def test_both_problems_are_reported(self):
        result = self.run_diff("x.png", "y.png", code=COULD_NOT)
        self.assertEqual(result.stderr, "error: x.png: no such file\nerror: y.png: no such file\n")

    def test_damaged_files(self):
        good = png(50, 40, 3, bytes(noise(6000, 3)))
        with open(os.path.join(CORPUS, "zip.exr"), "rb") as file:
            exr = file.read()
        damaged = {
            "cut.png": good[:1000], "head.png": good[:20], "tail.png": good[:-1], "more.png": good + b"x",
            "flip.png": good[:500] + bytes([good[500] ^ 1]) + good[501:],
            "cut.exr": exr[:-5], "head.exr": exr[:100], "magic.exr": exr[:4],
            "cut.pfm": pfm(4, 4, [0.0] * 48)[:-1], "head.pfm": b"PF\n4 4", "nan.pfm": b"PF\nx y\n-1\n",
        }
        for name, data in damaged.items():
            self.write(name, data)
            self.refused(name, "not a valid " + name[-3:].upper())
            if name != "cut.exr":  # its header is sound
                self.assertIn("not a valid", self.run_diff(name, name, code=COULD_NOT).stderr)

    def test_bombs_take_little_memory_and_time(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        with open(ROUNDEL, "rb") as program:
            if b"__asan_init" in program.read():
                self.skipTest("sanitizers need memory of their own")
        header = struct.pack(">IIBBBBB", 65536, 65536, 8, 2, 0, 0, 0)
        bomb = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                + chunk(b"IDAT", zlib.compress(bytes(100 << 20), 9)) + chunk(b"IEND", b""))
        self.write("claim.png", bomb)
        self.refused("claim.png", "the pixels are cut off", preexec_fn=limit)
        # The file has all pixels, 12 GiB: more than the limit, or than this machine's memory.
        stream = zlib.compressobj(1)
        packed = b"".join([stream.compress(bytes(1 << 22)) for _ in range(16)])
        packed += packed[len(packed) // 2:] * 200
        self.write("many.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed + bytes(12 << 20))
                   + chunk(b"IEND", b""))
        self.write("good.png", png(4, 4, 3, bytes(48)))
        result = self.run_diff("many.png", "good.png", code=COULD_NOT, preexec_fn=limit)
        self.assertRegex(result.stderr, "memory|not a valid PNG")
        with open(os.path.join(CORPUS, "claims_an_attribute_of_gigabytes.exr"), "rb") as file:
            self.write("claim.exr", file.read())
        self.refused("claim.exr", "not a valid EXR: it is cut off", preexec_fn=limit)
        self.write("claim.pfm", b"PF\n65536 65536\n-1.0\n" + bytes(48))
        self.refused("claim.pfm", "expected 51539607552", preexec_fn=limit)

    def test_too_little_memory_is_reported_as_such(self):
        with open(ROUNDEL, "rb") as program:
            if b"__asan_init" in program.read():
                self.skipTest("sanitizers need memory of their own")
        self.write("a.webp", webp(6000, 6000, 7))
        self.write("b.webp", webp(6000, 6000, 8))
        if "libwebp" in subprocess.run([ROUNDEL, "info", "a.webp"], cwd=self.folder, capture_output=True, text=True,
                                       check=False).stderr:
            self.skipTest("built without libwebp")
        for limit in (300, 400):  # MiB; both pictures need 206, and libwebp 137 more for one
            def limit_memory(size=limit << 20):
                resource.setrlimit(resource.RLIMIT_AS, (size, size))
            done = self.run_diff("a.webp", "b.webp", "--threads", "2", code=COULD_NOT, preexec_fn=limit_memory)
            self.assertRegex(done.stderr, r"webp: (comparing them )?needs? about [0-9.]+ [MG]iB of memory, more than this process")

    def test_names_with_spaces_and_other_letters(self):
        for name in ("a b.png", "größe ☃.png", "-dash.png", "new\nline.png"):
            self.write(name, png(4, 4, 3, bytes(48)))
            self.write("other.png", png(4, 4, 3, bytes(47) + b"\1"))
            self.assertIn(name.replace("\n", r"\x0a") + " other.png: differ", self.run_diff("--", name, "other.png", code=DIFFER).stdout)
            result = json.loads(self.run_diff("--json", "--", name, "other.png", code=DIFFER).stdout)
            self.assertEqual(result["a"], name)

    def test_a_full_or_closed_standard_output_gives_no_verdict(self):
        self.write("a.png", png(4, 4, 3, bytes(48)))
        with open("/dev/full", "wb") as full:
            result = subprocess.run([ROUNDEL, "diff", "a.png", "a.png"], cwd=self.folder, stdout=full,
                                    stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, COULD_NOT)
        self.assertIn(b"standard output", result.stderr)


class Agreement(DiffTest):
    """Agrees with the numbers of OpenImageIO's idiff and ImageMagick's compare on random pairs."""

    def pairs(self):
        generator = random.Random(7)
        for seed, (width, height, share) in enumerate([(64, 48, 1.0), (131, 17, 0.1), (33, 90, 0.01)]):
            def change(pixels, share=share):
                for i in range(len(pixels)):
                    if generator.random() < share:
                        pixels[i] = max(0, min(255, pixels[i] + generator.randint(-20, 20)))
            self.pair(change, width, height, 3, seed)
            yield json.loads(self.run_diff("a.png", "b.png", "--json", code=DIFFER).stdout)

    def test_idiff(self):
        if shutil.which("idiff") is None:
            self.skipTest("idiff (openimageio-tools) is not installed")
        for ours in self.pairs():
            text = subprocess.run(["idiff", "a.png", "b.png"], cwd=self.folder, capture_output=True,
                                  check=False).stdout.decode()

            def number(name, text=text):
                return float(re.search(name + r" += ([\d.e+-]+)", text).group(1))
            channels = ours["channels"].values()
            self.assertAlmostEqual(sum(c["mean"] for c in channels) / 3 / 255, number("Mean error"), places=6)
            self.assertAlmostEqual(ours["rmse"], number("RMS error"), places=6)
            self.assertAlmostEqual(ours["psnr_db"], number("Peak SNR"), places=3)
            self.assertAlmostEqual(max(c["largest"] for c in channels) / 255, number("Max error"), places=6)
            self.assertEqual(ours["pixels"], int(re.search(r"(\d+) pixels \(.*\) over", text).group(1)))

    def test_imagemagick(self):
        if shutil.which("compare") is None:
            self.skipTest("compare (imagemagick) is not installed")
        for ours in self.pairs():
            def metric(name):
                text = subprocess.run(["compare", "-metric", name, "a.png", "b.png", "null:"], cwd=self.folder,
                                      capture_output=True, check=False).stderr.decode()
                bracket = re.search(r"\((.*)\)", text)
                return float(bracket.group(1) if bracket else text)
            self.assertAlmostEqual(ours["rmse"], metric("RMSE"), places=6)
            self.assertEqual(ours["pixels"], int(metric("AE")))
            self.assertAlmostEqual(max(c["largest"] for c in ours["channels"].values()) / 255, metric("PAE"),
                                   places=6)
            self.assertAlmostEqual(ours["psnr_db"], metric("PSNR"), places=3)


if __name__ == "__main__":
    unittest.main(verbosity=1)
