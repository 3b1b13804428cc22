#!/usr/bin/env python3
"""Sixteen bits, dither, video of more than 8 bits, and metadata of EXR and PFM. Usage: samples_test.py PATH_OF_ROUNDEL
"""

import json
import os
import shutil
import struct
import subprocess
import unittest
import zlib

from command_case import CommandCase

DONE, FAILED, USAGE, INVALID, REFUSED = range(5)
WIDTH, HEIGHT = 75, 40

SCENE = """version: 1
image: {width: 75, height: 40, %s}
layers:
  - circles:
      - {x: 0.4, y: 0.5, radius: 0.3, color: "#e63946", alpha: 0.9}
      - {x: 0.8, y: 0.4, radius: 0.4, color: [0.15, 0.61, 0.55], alpha: 0.3}
animation: {fps: 30, frames: 2}
"""
GRADIENT = "background: {bottom: \"#203040\", top: \"#a0c0ff\"}"


def png_samples(path):
    """Returns width, height, bits, channels and the samples of one of our files, top row first."""
    with open(path, "rb") as file:
        png = file.read()
    at, data, header = 8, b"", ()
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        if kind == b"IDAT":
            data += body
        at += 12 + size
    width, height, bits, color = header[:4]
    channels = {2: 3, 6: 4}[color]
    row_bytes = width * channels * bits // 8
    raw, above, rows = zlib.decompress(data), bytes(row_bytes), []
    for y in range(height):
        row = raw[y * (row_bytes + 1):(y + 1) * (row_bytes + 1)]
        assert row[0] == 2
        above = bytes((a + b) & 255 for a, b in zip(row[1:], above))
        rows += struct.unpack(f">{row_bytes // 2}H", above) if bits == 16 else above
    return width, height, bits, channels, rows


def pfm_values(path):
    with open(path, "rb") as file:
        kind, size, scale, data = file.read().split(b"\n", 3)
    assert kind == b"PF" and float(scale) < 0
    width, height = map(int, size.split())
    values = struct.unpack(f"<{3 * width * height}f", data)
    return [v for y in reversed(range(height)) for v in values[3 * width * y:3 * width * (y + 1)]]


def bayer(side):
    """Returns Bayer's matrix by its recursion, with the ranks 0 to side² - 1."""
    if side == 1:
        return [[0]]
    quarter = bayer(side // 2)
    half = side // 2
    return [[4 * quarter[y % half][x % half] + [[0, 2], [3, 1]][y // half][x // half] for x in range(side)] for y in range(side)]


def level(value, top, offset=0.5):
    return int(min(max(value, 0.0), 1.0) * top + offset)


class Samples(CommandCase):
    is_text = True

    def setUp(self):
        super().setUp()
        self.scene("deep.yaml", GRADIENT + ", bits: 16")
        self.scene("plain.yaml", GRADIENT)

    def scene(self, name, settings):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(SCENE % settings)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def render(self, scene, output):
        self.run_roundel("render", scene, "-o", output, "-q")
        return self.path(output)

    def test_sixteen_bits_are_rounded_values(self):
        shape = png_samples(self.render("deep.yaml", "deep.png"))
        self.assertEqual(shape[:4], (WIDTH, HEIGHT, 16, 3))
        self.assertEqual(shape[4], [level(v, 65535) for v in pfm_values(self.render("deep.yaml", "deep.pfm"))])
        self.assertGreater(len(set(shape[4])), 256)
        if shutil.which("pngcheck"):
            subprocess.run(["pngcheck", "-q", self.path("deep.png")], check=True)

    def test_alpha_is_straight_and_linear_light_is_encoded(self):
        self.scene("alpha.yaml", "alpha: true, blend: linear, bits: 16")
        self.scene("alpha8.yaml", "alpha: true, blend: linear")
        deep = png_samples(self.render("alpha.yaml", "deep.png"))
        flat = png_samples(self.render("alpha8.yaml", "flat.png"))
        self.assertEqual((deep[2:4], flat[2:4]), ((16, 4), (8, 4)))
        for at in range(0, len(flat[4]), 4):
            if flat[4][at + 3] > 0:
                self.assertTrue(all(abs(d / 257 - f) <= 0.51 for d, f in zip(deep[4][at:at + 4], flat[4][at:at + 4])))
            if deep[4][at + 3] == 0:
                self.assertEqual(deep[4][at:at + 3], [0, 0, 0])

    def test_dither_follows_bayer(self):
        self.scene("dither.yaml", GRADIENT + ", dither: true")
        _, _, bits, _, rows = png_samples(self.render("dither.yaml", "dither.png"))
        values = pfm_values(self.render("dither.yaml", "dither.pfm"))
        ranks = bayer(64)
        self.assertEqual(bits, 8)
        self.assertEqual(rows, [level(v, 255, (2 * ranks[i // 3 // WIDTH % 64][i // 3 % WIDTH % 64] + 1) / 8192)
                                for i, v in enumerate(values)])
        self.assertNotEqual(rows, png_samples(self.render("plain.yaml", "plain.png"))[4])

    def test_threads_keep_every_byte(self):
        pictures = set()
        for threads in (1, 3):
            self.run_roundel("render", "deep.yaml", "-o", "a.png", "-q", "--threads", str(threads))
            with open(self.path("a.png"), "rb") as file:
                pictures.add(file.read())
        self.run_roundel("render", "deep.yaml", "--frames", "0", "-o", "f_#.png", "-q")
        with open(self.path("f_0.png"), "rb") as file:
            pictures.add(file.read())
        self.assertEqual(len(pictures), 1)

    def test_raw_video_has_the_pictures_samples(self):
        words = png_samples(self.render("deep.yaml", "deep.png"))[4]
        bytes_8 = png_samples(self.render("plain.yaml", "plain.png"))[4]

        def raw(scene, *options):
            return self.run_roundel("render", scene, "-o", "-", "--format", "rawvideo", *options, "-q", text=False).stdout

        expected = struct.pack(f"<{len(words)}H", *words)
        self.assertEqual(raw("deep.yaml"), expected)
        self.assertEqual(raw("plain.yaml", "--pixel-format", "rgb48le"), expected)
        self.assertEqual(raw("deep.yaml", "--pixel-format", "rgb24"), bytes(bytes_8))
        opaque = raw("plain.yaml", "--pixel-format", "rgba64le")
        self.assertEqual([w for i, w in enumerate(struct.unpack(f"<{len(opaque) // 2}H", opaque)) if i % 4 < 3], words)
        self.assertEqual(set(opaque[6::8] + opaque[7::8]), {255})
        self.scene("alpha.yaml", "alpha: true")
        done = self.run_roundel("render", "alpha.yaml", "-o", "-", "--format", "rawvideo", "--pixel-format", "rgb48le", code=USAGE)
        self.assertIn("--pixel-format rgb48le: expected a scene without image.alpha", done.stderr)
        done = self.run_roundel("render", "deep.yaml", "-o", "-", "--format", "y4m", "--pixel-format", "rgb24", code=USAGE)
        self.assertIn("--pixel-format: this one needs --format rawvideo", done.stderr)
        done = self.run_roundel("render", "deep.yaml", "-o", "-", "--format", "rawvideo", "--pixel-format", "yuv444p", code=USAGE)
        self.assertIn("--pixel-format: this one needs --format y4m", done.stderr)

    def test_ffmpeg_reads_y4m(self):
        sizes = {"yuv420p": 1.5, "yuv444p": 3, "yuv420p10le": 3}
        for name, size in sizes.items():
            options = [] if name == "yuv420p10le" else ["--pixel-format", name]
            stream = self.run_roundel("render", "deep.yaml", "-o", "-", "--format", "y4m", *options, "-q", text=False).stdout
            header, frame = stream.split(b"\n", 1)
            tag = {"yuv420p": b"C420jpeg", "yuv444p": b"C444", "yuv420p10le": b"C420p10"}[name]
            self.assertIn(tag, header.split())
            self.assertTrue(frame.startswith(b"FRAME\n"))
            chroma = 2 * ((WIDTH + 1) // 2) * ((HEIGHT + 1) // 2)
            samples = 3 * WIDTH * HEIGHT if size == 3 and name == "yuv444p" else WIDTH * HEIGHT + chroma
            self.assertEqual(len(frame) - 6, samples * (2 if name.endswith("10le") else 1))
            if not shutil.which("ffmpeg"):
                continue
            done = subprocess.run(["ffmpeg", "-v", "error", "-i", "-", "-f", "rawvideo", "-pix_fmt", name, "-"], input=stream,
                                  capture_output=True, check=True)
            self.assertEqual(done.stdout, frame[6:])

    def test_comparing_commands_support_sixteen_bits(self):
        self.render("deep.yaml", "deep.png")
        self.render("plain.yaml", "plain.png")
        self.run_roundel("diff", "deep.png", "deep.png")
        self.assertIn("16 bits", self.run_roundel("diff", "deep.png", "plain.png", code=1).stdout)
        os.mkdir(self.path("goldens"))
        regress = ("regress", "deep.yaml", "--goldens", "goldens")
        self.run_roundel(*regress, code=1)
        self.run_roundel("accept", "--all", "--goldens", "goldens", code=0)
        golden = self.path("goldens/deep.png")
        with open(golden, "rb") as a, open(self.path("deep.png"), "rb") as b:
            self.assertEqual(a.read(), b.read())
        self.run_roundel(*regress)
        self.scene("deep.yaml", GRADIENT.replace("ff\"", "fe\"") + ", bits: 16")
        self.run_roundel(*regress, code=1)

    def test_frames_of_other_bits_are_foreign(self):
        self.run_roundel("render", "plain.yaml", "--frames", "0-1", "-o", "f_#.png", "-q")
        self.run_roundel("render", "deep.yaml", "--frames", "0-1", "-o", "f_#.png", "--resume", "-q", code=REFUSED)
        self.run_roundel("render", "deep.yaml", "--frames", "0-1", "-o", "d_#.png", "-q")
        self.run_roundel("verify", "d_#.png", "--frames", "0-1", "--scene", "deep.yaml")

    def test_an_exr_names_its_values(self):
        self.render("plain.yaml", "display.exr")
        self.scene("linear.yaml", "blend: linear, alpha: true")
        self.render("linear.yaml", "linear.exr")
        display, linear = json.loads(self.run_roundel("info", "--json", "display.exr", "linear.exr").stdout)
        self.assertEqual((display["width"], display["height"], display["values"]), (WIDTH, HEIGHT, "srgb_rec709_scene"))
        self.assertEqual((linear["values"], linear["channels"]), ("lin_rec709_scene", ["A float", "B float", "G float", "R float"]))
        self.assertEqual(display["frame"], 0)
        with open(self.path("display.exr"), "rb") as file:
            at = file.read().split(b"chromaticities\0chromaticities\0", 1)[1]
        primaries = struct.unpack("<8f", at[4:36])
        for found, expected in zip(primaries, (0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329)):
            self.assertAlmostEqual(found, expected, 5)
        self.run_roundel("explain", "plain.yaml", "--heatmap", "layers", "-o", "heat.exr", "-q")
        self.assertIn("values        data", self.run_roundel("info", "heat.exr").stdout)
        with open(self.path("cut.exr"), "wb") as file:
            file.write(b"\x76\x2f\x31\x01")
        self.assertIn("cut.exr: not a valid EXR", self.run_roundel("info", "cut.exr", code=INVALID).stderr)

    def test_storage_of_an_exr(self):
        def values(name, size):
            """Reads an uncompressed file: lines of channels in the order of their names."""
            with open(self.path(name), "rb") as file:
                data = file.read()
            channels, line = data[data.index(b"channels\0chlist\0"):].count(b"\0\0\0\1\0\0\0\1\0\0\0"), 0
            step = 8 + channels * WIDTH * size
            lines = data[len(data) - HEIGHT * step:]
            rows = []
            for y in range(HEIGHT):
                line = lines[y * step:(y + 1) * step]
                self.assertEqual(struct.unpack("<ii", line[:8]), (y, step - 8))
                planes = struct.unpack(f"<{channels * WIDTH}{'e' if size == 2 else 'f'}", line[8:])
                names = "BGR" if channels == 3 else "ABGR"
                for x in range(WIDTH):
                    rows += [planes[names.index(c) * WIDTH + x] for c in "RGBA"[:channels]]
            return rows

        self.scene("alpha.yaml", "alpha: true, blend: linear")
        for scene in ("plain.yaml", "alpha.yaml"):
            for storage in ("half,none", "float,none"):
                self.run_roundel("render", scene, "-o", storage[:4] + ".exr", "--exr", storage, "-q")
            exact = values("floa.exr", 4)
            if scene == "plain.yaml":
                self.assertEqual(exact, pfm_values(self.render(scene, "a.pfm")))
            # Python's format e rounds to nearest, ties to even.
            rounded = [struct.unpack("<e", struct.pack("<e", value))[0] for value in exact]
            self.assertNotEqual(rounded, exact)
            self.assertEqual(values("half.exr", 2), rounded)
        for kind, known in (("half", "R half"), ("float", "R float")):
            self.run_roundel("render", "plain.yaml", "-o", "none.exr", "--exr", f"none,{kind}", "-q")
            self.assertIn(known, self.run_roundel("info", "none.exr").stdout)
            for number, compression in enumerate(("none", "rle", "zips", "zip", "piz")):
                self.run_roundel("render", "plain.yaml", "-o", "a.exr", "--exr", f"{kind},{compression}", "-q")
                with open(self.path("a.exr"), "rb") as file:
                    self.assertIn(b"compression\0compression\0\1\0\0\0" + bytes([number]), file.read())
                self.run_roundel("diff", "none.exr", "a.exr")
        self.run_roundel("render", "plain.yaml", "-o", "b.exr", "-q")
        self.run_roundel("render", "plain.yaml", "-o", "a.exr", "--exr", "float", "-q")
        self.assertEqual(self.bytes_of("a.exr"), self.bytes_of("b.exr"))
        for wrong in ("double", "", "half,", "half piz"):
            self.assertIn("--exr: expected half or float", self.run_roundel("render", "plain.yaml", "-o", "c.exr", "--exr", wrong,
                                                                            code=USAGE).stderr)
        self.assertIn("--exr: needs an EXR file", self.run_roundel("render", "plain.yaml", "-o", "c.png", "--exr", "half",
                                                                   code=USAGE).stderr)

    def test_values_beyond_half(self):
        self.write("bright.yaml", 'version: 1\nimage: {width: 8, height: 8, background: "#000000", blend: linear}\nlayers:\n'
                   "  - {blend: add, random: {count: 70000, radius: 9, color: '#ffffff', alpha: 1}}\n")
        self.run_roundel("render", "bright.yaml", "-o", "a.exr")
        text = self.run_roundel("render", "bright.yaml", "-o", "h.exr", "--exr", "half", code=INVALID).stderr
        self.assertIn("70000 is beyond the range of half floats, 65504; leave out --exr half", text)
        self.assertFalse(os.path.exists(self.path("h.exr")))

    def test_frames_of_other_values_are_foreign(self):
        def film(*more, code=DONE):
            return self.run_roundel("render", "plain.yaml", "--frames", "0-1", "-o", "f_#.exr", "--resume", *more, code=code).stderr
        film("--exr", "half")
        self.assertIn("2 frames are of half values, asked float: 0-1", film(code=REFUSED))
        self.assertIn("(2 kept)", film("--exr", "half,piz"))
        self.run_roundel("verify", "f_#.exr", "--frames", "0-1", "--scene", "plain.yaml")
        self.assertIn("(2 replaced)", film("--overwrite"))

    def test_metadata_of_a_pfm(self):
        self.scene("a.yaml", "bits: 8")
        self.render("a.yaml", "a.pfm")
        self.assertRegex(self.run_roundel("info", "a.pfm").stdout, r"^a\.pfm\n +size +75x40 pixels\n +bit depth +32 bits, float, "
                                                                   r"little-endian\n +channels +3 \(RGB\)\n$")
        with open(self.path("g.pfm"), "wb") as file:
            file.write(b"Pf\n2 1\n1.0\n" + b"\0" * 8)
        self.assertEqual(json.loads(self.run_roundel("info", "g.pfm", "--json").stdout),
                         [{"file": "g.pfm", "width": 2, "height": 1, "bit_depth": 32, "channels": 1, "byte_order": "big"}])
        os.truncate(self.path("g.pfm"), os.path.getsize(self.path("g.pfm")) - 1)
        self.assertIn("g.pfm: not a valid PFM file: 7 bytes of pixels, expected 8\n",
                      self.run_roundel("info", "g.pfm", code=INVALID).stderr)

    def test_rejected_settings(self):
        self.scene("bad.yaml", "bits: 12, dither: 1")
        done = self.run_roundel("render", "bad.yaml", "-o", "a.png", code=INVALID)
        self.assertIn("bad.yaml:2:38: image.bits: expected 8 or 16, got 12", done.stderr)
        self.assertIn("image.dither: expected true or false", done.stderr)
        self.scene("bad.yaml", "bits: 16, dither: true")
        done = self.run_roundel("render", "bad.yaml", "-o", "a.png", code=INVALID)
        self.assertIn("image.dither: not allowed with bits: 16; write bits: 8", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
