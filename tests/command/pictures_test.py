#!/usr/bin/env python3
"""The command's output: pictures, circles, times; streams and signals. Usage: pictures_test.py PATH_OF_ROUNDEL"""

import hashlib
import json
import math
import os
import re
import shutil
import signal
import struct
import subprocess
import time
import unittest

from command_case import RANDOM, RGB, ROUNDEL
from scenes_case import DONE, FAILED, INVALID, REFUSED, USAGE, ScenesCase


class Pictures(ScenesCase):
    def test_the_same_frame_is_the_same_file(self):
        self.run_roundel("render", "random.yaml", "-o", "a.png")
        expected = self.read("a.png")
        for variant in ([], ["--threads", "1"], ["--threads=2"], ["--threads", "7"],
                        ["--memory", "1M"], ["--backend=cpu", "-q"], ["--backend=auto", "-v"]):
            self.run_roundel("render", "random.yaml", "-o", "b.png", *variant)
            self.assertEqual(self.read("b.png"), expected, variant)
        self.run_roundel("render", "random.yaml", "-o", "b.png",
                         env=dict(os.environ, LC_ALL="de_DE.UTF-8"))
        self.assertEqual(self.read("b.png"), expected)
        self.run_roundel("render", "random.yaml", "-o", "b.png", "--seed", "2")
        self.assertNotEqual(self.read("b.png"), expected)

    def test_pictures_are_valid_and_name_their_origin(self):
        self.run_roundel("render", "rgb.yaml", "-o", "a.png", "--seed", "5", "--frame", "3")
        if shutil.which("pngcheck"):
            subprocess.run(["pngcheck", "-q", self.path("a.png")], check=True)
        text = self.run_roundel("info", "a.png").stdout
        self.assertRegex(text, r"a\.png\n +size +64x48 pixels\n +bit depth +8 bits\n +channels +3 ")
        (info,) = json.loads(self.run_roundel("info", "a.png", "--json").stdout)
        self.assertEqual((info["file"], info["width"], info["height"], info["bit_depth"]),
                         ("a.png", 64, 48, 8))
        self.assertEqual((info["seed"], info["frame"]), (5, 3))
        valid = self.run_roundel("validate", "rgb.yaml", "--seed", "5").stdout
        self.assertIn(info["fingerprint"], valid)

    def test_info_of_other_files(self):
        self.run_roundel("render", "rgb.yaml", "-o", "a.png")
        self.write("cut.png", self.read("a.png")[:-20].decode("latin-1"))
        done = self.run_roundel("info", "cut.png", "none.png", "rgb.yaml", "a.png", code=INVALID)
        self.assertIn("cut.png: ", done.stderr)
        self.assertIn("rgb.yaml: expected a PNG, EXR, PFM, JPEG or WebP file\n", done.stderr)
        self.assertIn("none.png: ", done.stderr)
        self.assertIn("64x48", done.stdout)

    def explained(self, scene, x, y, *arguments):
        self.write("e.yaml", "version: 1\n" + scene)
        return json.loads(self.run_roundel("explain", "e.yaml", "--pixel", f"{x},{y}", "--json", *arguments).stdout)

    def test_gradients_follow_the_schema(self):
        scene = "image: {width: 1, height: 4, background: {bottom: 0, top: 1}}\nlayers: []\n"
        self.assertEqual([self.explained(scene, 0, 3 - row)["value"][0] for row in range(4)], [0, 0.25, 0.5, 0.75])
        schema = self.run_roundel("schema").stdout
        texts = dict(re.findall(r'"(bottom|top)": \{\s*"description": "(.*?)"', schema))
        self.assertEqual(texts, {"bottom": "Colour of the lowest pixel row.", "top": "Colour above the highest pixel row."})

    def test_layers_that_add_raise_the_alpha_of_every_pixel(self):
        scene = ("image: {width: 9, height: 9, alpha: true}\nlayers:\n"
                 "  - {name: a, circles: [{x: 0.5, y: 0.5, radius: 0.4, color: [1.5, 1, 0], alpha: 0.5}]}\n")
        light = scene + "  - {circles: [], blend: add}\n"
        self.assertEqual(self.explained(scene, 4, 4)["bytes"], [255, 255, 0, 128])
        self.assertEqual(self.explained(light, 4, 4)["bytes"], [255, 170, 0, 191])
        self.assertEqual(self.explained(light, 4, 4, "--layers", "a")["bytes"], [255, 255, 0, 128])
        self.assertEqual(self.explained(light, 4, 4)["value"], self.explained(scene, 4, 4)["value"])

    def test_snow_follows_the_page(self):
        ramp = [(0, (1, 1, 1)), (0.25, (1, 1, 1)), (0.5, (0.8, 0.9, 1)), (0.75, (0.8, 0.9, 1)), (1, (0.8, 0.8, 1))]
        for antialias, radius, x, y in ((False, 0.2, 30, 20), (False, 0.2, 25, 16), (True, 0.035, 26, 23),
                                        (True, 0.05, 24, 24), (True, 0.2, 25, 16), (True, 0.02, 25, 24)):
            picture = self.explained(
                f"image: {{width: 50, height: 50, antialias: {str(antialias).lower()}}}\nlayers:\n"
                f"  - {{shader: snow, opacity: 0.7, circles: [{{x: 0.503, y: 0.511, radius: {radius}, z: 0.3}}]}}\n", x, y)
            (flake,) = picture["circles"]
            d = math.hypot((x + 0.5) / 50 - 0.503, (49.5 - y) / 50 - 0.511) / radius
            s = min(max(3 - 50 * radius, 0), 1) if antialias else 0
            alpha = 0.5 * min(0.6 + 0.4 * 0.7, 1) * 0.7 * ((1 - s) * math.exp(-4 * min(d * d, 1)) + 0.24542 * s)
            self.assertAlmostEqual(flake["alpha"], alpha * flake.get("share", 1), 5)
            at = min(d, 1) * (1 - s)
            (low, a), (high, b) = next(pair for pair in zip(ramp, ramp[1:]) if at <= pair[1][0])
            for channel in range(3):
                expected = a[channel] + (b[channel] - a[channel]) * (at - low) / (high - low)
                self.assertAlmostEqual(flake["color"][channel], expected, 5)

    def test_float_pictures(self):
        self.run_roundel("render", "rgb.yaml", "-o", "a.pfm")
        self.assertTrue(self.read("a.pfm").startswith(b"PF\n64 48\n-1"))
        self.run_roundel("render", "rgb.yaml", "-o", "a.EXR")
        self.assertTrue(self.read("a.EXR").startswith(b"\x76\x2f\x31\x01"))

    def test_a_program_without_modules_does_everything_else(self):
        os.makedirs(self.path("bin"))
        program = shutil.copy(ROUNDEL, self.path("bin/roundel"))
        self.run_roundel("render", "rgb.yaml", "-o", "a.png", program=program)
        os.unlink(self.path("a.png"))
        done = self.run_roundel("render", "rgb.yaml", "-o", "a.exr", code=FAILED, program=program)
        self.assertIn("/lib/roundel/libroundel_exr.so: no such file", done.stderr)
        os.makedirs(self.path("lib/roundel"))
        self.write("lib/roundel/libroundel_exr.so", "no library")
        done = self.run_roundel("render", "rgb.yaml", "-o", "a.exr", code=FAILED, program=program)
        self.assertRegex(done.stderr, r"^error: cannot load .*/libroundel_exr\.so: .+")
        self.assertFalse(os.path.exists(self.path("a.exr")))
        module = os.path.join(os.path.dirname(ROUNDEL), "../../lib/roundel/libroundel_exr.so")
        shutil.copy(module, self.path("lib/roundel"))
        self.run_roundel("render", "rgb.yaml", "-o", "a.exr", program=program)

    def test_a_crop_is_a_part_of_the_picture_in_every_format(self):
        self.write("s.yaml", "version: 1\nimage: {width: 96, height: 64, background: {bottom: 0.2, top: 0.9}}\nlayers:\n"
                             "  - generator: rand10k\n"
                             "  - random: {count: 50, radius: 0.05}\n    shader: snow\n")
        crop = ("--crop", "33,7,40,50")
        self.run_roundel("render", "s.yaml", "-o", "whole.pfm")
        self.run_roundel("render", "s.yaml", "-o", "part.pfm", *crop)
        whole, part = self.read("whole.pfm"), self.read("part.pfm")
        start = len(whole) - 96 * 64 * 12
        rows = [whole[start + 12 * (96 * row + 33):start + 12 * (96 * row + 73)] for row in range(64 - 57, 64 - 7)]
        self.assertEqual(part[len(part) - 40 * 50 * 12:], b"".join(rows))  # rows go up
        for ending in ("png", "exr"):
            self.run_roundel("render", "s.yaml", "-o", "part." + ending, *crop)
            drawn = self.run_roundel("info", "part." + ending).stdout if ending == "png" else "40x50"
            self.assertIn("40x50", drawn)
        ring = ("  - random: {count: 50, radius: 0.1, color: \"#ffc080\"}\n    blend: BLEND\n"
                "    stroke: {width: 2px, color: \"#204060\"}\n")
        looks = "".join(ring.replace("BLEND", mode) for mode in ("add", "multiply", "screen"))
        for image in ("", ", dither: true", ", bits: 16", ", antialias: true, dither: true"):
            pixel = 6 if "16" in image else 3
            for layers in ("", looks):
                self.write("t.yaml", self.read("s.yaml").decode().replace("height: 64", "height: 64" + image) + layers)
                part, whole = (self.raw_picture("t.yaml", *options) for options in (crop, ()))
                self.assertEqual(part, b"".join(whole[pixel * (96 * row + 33):pixel * (96 * row + 73)]
                                                for row in range(7, 57)), (image, layers))

    def raw_picture(self, scene, *options):
        return subprocess.run([ROUNDEL, "render", scene, "-o", "-", "--format", "rawvideo", "-q", *options],
                              cwd=self.folder, capture_output=True, check=True).stdout

    def test_a_crop_or_preview_differs_from_the_whole_picture(self):
        self.write("s.yaml", "version: 1\nimage: {width: 64, height: 64}\nlayers: [{generator: bouncingballs}]\n")
        film = ("render", "s.yaml", "--frames", "0-3", "-o", "f_##.png", "-q")
        for change in (("--crop", "0,0,64,32"), ("--scale", "0.5")):
            self.run_roundel(*film, *change, "--overwrite")
            self.run_roundel(*film, *change, "--resume")
            self.assertIn("asked 64x64", self.run_roundel(*film, "--resume", code=REFUSED).stderr)
            self.run_roundel("verify", "f_##.png", "--frames", "0-3", "--scene", "s.yaml", *change)
            self.run_roundel("verify", "f_##.png", "--frames", "0-3", "--scene", "s.yaml", code=1)
        # Another part of the same size.
        self.run_roundel(*film, "--crop", "0,0,64,32", "--overwrite")
        self.run_roundel(*film, "--crop", "0,32,64,32", "--resume", code=REFUSED)
        # A part of the full size is the picture itself, but its metadata records the part.
        self.run_roundel("verify", "f_##.png", "--frames", "0-3", "--crop", "0,0,64,32", code=USAGE)

    def test_scale_scales_pixels_and_crops_are_checked(self):
        self.write("d.csv", "x,y\n0.5,0.5\n")
        self.write("s.yaml", "version: 1\nimage: {width: 80, height: 80, background: 1}\nlayers:\n"
                             "  - {data: d.csv, map: {x: x, y: y, radius: 20px, alpha: 1}}\n")

        def black(*arguments):
            done = subprocess.run([ROUNDEL, "render", "s.yaml", "-o", "-", "--format", "rawvideo", "-q", *arguments],
                                  cwd=self.folder, capture_output=True, check=True)
            return done.stdout[::3].count(0)
        self.assertAlmostEqual(black() / 1257, 1, 1)
        self.assertAlmostEqual(black("--size", "160x160") / 1257, 1, 1)
        self.assertAlmostEqual(black("--scale", "2") / 5027, 1, 1)
        self.assertAlmostEqual(black("--size", "40x40", "--scale", "0.5") / 314, 1, 1)
        self.assertEqual(black("--scale", "0.5", "--crop", "20,20,1,1"), 1)
        for arguments, mentions in ((("--crop", "0,0,81,1"), "--crop: expected a part of the 80x80 pixels of the picture"),
                                (("--crop", "0,40,40,20", "--scale", "0.5"), "part of the 40x40 pixels of the picture, got 40x20 at 0,40"),
                                (("--crop", "0,0,0,1"), "--crop: expected a whole number of pixels from 1 to 65536"),
                                (("--crop", "1,2,3"), "--crop: expected X,Y,W,H"),
                                *((("--scale", wrong), "--scale: expected a number > 0 and <= 65536") for wrong in
                                  ("0", "-1", "nan", "inf", "65537", "half")),
                                (("--scale", "1000"), "--scale: expected at most 65536 pixels a side, got 80000")):
            self.assertIn(mentions, self.run_roundel("render", "s.yaml", "-o", "a.png", *arguments, code=USAGE).stderr)
        self.assertFalse(os.path.exists(self.path("a.png")))

    def test_several_scenes_go_into_a_folder(self):
        os.mkdir(self.path("out"))
        done = self.run_roundel("render", "rgb.yaml", "random.yaml", "-o", "out/", "--size", "20x15")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["random.png", "rgb.png"])
        lines = done.stderr.splitlines()
        self.assertRegex(lines[0], r"^out/rgb\.png  20x15  3 circles  [\d.]+ ms  (cpu|cuda)$")
        self.assertRegex(lines[1], r"^out/random\.png  20x15  5,000 circles  ")
        self.assertEqual(done.stdout, "")

    def test_quiet_prints_nothing_and_verbose_names_the_backend(self):
        done = self.run_roundel("render", "rgb.yaml", "-o", "a.png", "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        done = self.run_roundel("render", "rgb.yaml", "-o", "a.png", "-v", "--backend", "cpu")
        self.assertIn("backend cpu: asked for\n", done.stderr)

    def test_a_scene_can_name_its_picture(self):
        self.write("named.yaml", RGB + "output: out/frame_####.png\n")
        self.run_roundel("render", "named.yaml", "--frame", "12")
        self.assertEqual(os.listdir(self.path("out")), ["frame_0012.png"])
        # A name that was not typed is only replaced with --overwrite.
        before = self.read("out/frame_0012.png")
        done = self.run_roundel("render", "named.yaml", "--frame", "12", "--seed", "3", code=REFUSED)
        self.assertIn("out/frame_0012.png: exists", done.stderr)
        self.assertEqual(self.read("out/frame_0012.png"), before)
        self.run_roundel("render", "named.yaml", "--frame", "12", "--seed", "3", "--overwrite")
        self.assertNotEqual(self.read("out/frame_0012.png"), before)

    def test_a_scene_may_only_name_pictures(self):
        self.write("jpg.yaml", RGB + "output: a.jpg\n")
        for command in ("render", "validate"):
            done = self.run_roundel(command, "jpg.yaml", code=INVALID)
            self.assertRegex(done.stderr, r"^error: jpg\.yaml:.*output: .*\.png, \.exr or \.pfm")
        self.assert_only_scenes()

    def test_a_named_file_is_replaced(self):
        self.write("a.png", "old")
        self.run_roundel("render", "rgb.yaml", "-o", "a.png")
        self.assertTrue(self.read("a.png").startswith(b"\x89PNG"))

    def test_stats(self):
        done = self.run_roundel("render", "random.yaml", "-o", "a.png", "--stats=json")
        stats = json.loads(done.stdout)
        self.assertEqual((stats["scene"], stats["output"], stats["circles"], stats["width"]),
                         ("random.yaml", "a.png", 5000, 300))
        names = [stage["name"] for stage in stats["stages"]]
        self.assertEqual(names[:4], ["generate", "bin", "blend", "encode"])
        self.assertLessEqual(sum(stage["share"] for stage in stats["stages"]), 1.001)
        self.assertGreater(stats["overlaps"], 5000)
        done = self.run_roundel("render", "--stats", "random.yaml", "-o", "a.png")
        for text in ("stage", "share", "bytes", *names, "5,000 circles", "overlaps", "chunk"):
            self.assertIn(text, done.stderr)
        self.assertEqual(done.stdout, "")


class Formats(ScenesCase):
    MAGIC = {"png": b"\x89PNG", "exr": b"\x76\x2f\x31\x01", "pfm": b"PF\n"}

    def test_the_extension_in_a_folder_follows_the_format(self):
        for name, magic in self.MAGIC.items():
            self.run_roundel("render", "rgb.yaml", "random.yaml", "--format", name, "-o", "out/")
            self.run_roundel("render", "rgb.yaml", "--frames", "3-4", "--format", name, "-o", "out/")
            files = sorted(os.listdir(self.path("out")))
            self.assertEqual(files, sorted(f"{stem}.{name}" for stem in
                                           ("rgb", "random", "rgb_0003", "rgb_0004")))
            for file in files:
                self.assertTrue(self.read("out/" + file).startswith(magic))
            shutil.rmtree(self.path("out"))
        self.run_roundel("render", "rgb.yaml", "--frames", "3-4", "--format", "exr", "-o", "out/")
        self.run_roundel("verify", "out/rgb_####.exr", "--frames", "3-4", "--scene", "rgb.yaml")
        done = self.run_roundel("render", "rgb.yaml", "--frames", "3-4", "--format", "exr", "-o", "out/",
                                "--resume")
        self.assertIn("0 frames (2 kept)", done.stderr)

    def test_an_extension_of_another_format_is_refused(self):
        for requested in self.MAGIC:
            for ending in self.MAGIC:
                for name in (f"a.{ending}", f"a.{ending.upper()}"):
                    for more in ([], ["--frames", "3"]):
                        arguments = ["render", "rgb.yaml", "--format", requested, "-o", name, *more]
                        if requested == ending:
                            self.run_roundel(*arguments)
                            os.unlink(self.path(name))
                        else:
                            self.assert_fails(*arguments, code=USAGE, mentions=[
                                f"does not match --format {requested}"])
        self.assert_fails("render", "rgb.yaml", "--format", "exr", "--frames", "3-4", "-o", "a_##.png",
                          code=USAGE)
        self.write("named.yaml", RGB + "output: a_##.png\n")
        for more in ([], ["--frames", "3-4"]):
            self.assert_fails("render", "named.yaml", "--format", "exr", *more, code=USAGE,
                              mentions=['named.yaml: output: "a_##.png" does not match --format exr'])

    def test_validate_checks_names_like_render(self):
        for name in ("a.png", "a.exr", "a.picture"):
            self.write(name + ".yaml", RGB + f"output: {name}\n")
        self.write("none.yaml", RGB)
        outputs = ([], ["-o", "b.png"], ["-o", "b.exr"], ["-o", "b.picture"], ["-o", "out/"], ["-o", "-"])
        codes = []
        for scenes in (["a.png.yaml"], ["a.exr.yaml"], ["a.picture.yaml"], ["none.yaml", "a.picture.yaml"]):
            for output in outputs:
                for requested in ([], ["--format", "png"], ["--format", "exr"]):
                    if len(scenes) > 1 and output in ([], ["-o", "-"]):
                        continue  # render needs names, and a stream one scene
                    done = [subprocess.run([ROUNDEL, command, *scenes, *output, *requested, *overwrite], cwd=self.folder, timeout=300,
                                           capture_output=True, check=False)
                            for command, overwrite in (("render", ["--overwrite"]), ("validate", []))]
                    self.assertEqual(done[0].returncode, done[1].returncode, (scenes, output, requested, done))
                    if done[0].returncode != 0:  # equal words, except for the help's name
                        self.assertEqual(done[0].stderr.replace(b"roundel render --help", b"roundel validate --help"), done[1].stderr)
                    codes.append(done[0].returncode)
        self.assertEqual(set(codes), {0, USAGE, INVALID})

    def test_other_names_take_any_format(self):
        for name, magic in self.MAGIC.items():
            self.run_roundel("render", "rgb.yaml", "-o", "a." + name)
            self.run_roundel("render", "rgb.yaml", "--format", name, "-o", "a.picture")
            self.assertEqual(self.read("a.picture"), self.read("a." + name))
            self.assertTrue(self.read("a.picture").startswith(magic))
            self.run_roundel("render", "rgb.yaml", "--frames", "0-1", "--format", name, "-o",
                             f"{name}_##.frame")
            self.assertEqual(self.read(f"{name}_00.frame"), self.read("a." + name))
            if name != "pfm":  # PFM has no metadata
                done = self.run_roundel("render", "rgb.yaml", "--frames", "0-1", "--format", name, "-o",
                                        f"{name}_##.frame", "--resume")
                self.assertIn("0 frames (2 kept)", done.stderr)
            with open(self.path("stream"), "wb") as file:
                self.run_roundel("render", "rgb.yaml", "--format", name, "-o", "-", stdout=file)
            self.assertEqual(self.read("stream"), self.read("a." + name))
        self.run_roundel("render", "rgb.yaml", "-o", "b.picture", code=USAGE)
        for name in ("rawvideo", "y4m"):
            self.run_roundel("render", "rgb.yaml", "--format", name, "-o", "b.raw", code=USAGE)


class Circles(ScenesCase):
    def load(self, name):
        data = self.read(name)
        self.assertEqual(data[:6], b"\x93NUMPY")
        length = int.from_bytes(data[8:10], "little")
        header, values = data[10:10 + length].decode("latin-1"), data[10 + length:]
        self.assertIn("'<f4'", header)
        return re.search(r"\((\d+), (\d+)\)", header).groups(), values

    def test_rgb_has_the_reference_bits(self):
        self.run_roundel("circles", "rgb.yaml", "-o", "a.npy")
        shape, values = self.load("a.npy")
        self.assertEqual(shape, ("3", "7"))
        self.assertEqual(hashlib.sha256(values).hexdigest(),
                         "c0f34de496b8804295cbd92c546f134e859f338a45a85a018f9ef43e909a3baf")

    def test_only_mixed_scenes_of_snow_have_colours(self):
        self.run_roundel("circles", "snow.yaml", "-o", "a.npy")
        self.assertEqual(self.load("a.npy")[0], ("100000", "4"))
        self.run_roundel("circles", "mixed.yaml", "-o", "a.npy")
        shape, values = self.load("a.npy")
        self.assertEqual(shape, ("11", "7"))
        rows = list(struct.iter_unpack("<7f", values))
        self.assertEqual(rows[0], (0.5, 0.5, 0, 0.25, 1, 0.5, 0))
        self.assertTrue(all(row[4:] == (1, 1, 1) for row in rows[1:]))

    def test_seed_and_frame_count(self):
        hashes = set()
        for arguments in ([], ["--seed", "2"], ["--frame", "3"]):
            self.run_roundel("circles", "snow.yaml", "-o", "a.npy", *arguments)
            hashes.add(hashlib.sha256(self.read("a.npy")).hexdigest())
        self.assertEqual(len(hashes), 3)


class Streams(ScenesCase):
    def test_closed_pipe(self):
        for arguments in (["schema"], ["--help"], ["validate", "rgb.yaml"], ["info"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = self.run_roundel(*arguments, code=FAILED, stdout=writer)
            os.close(writer)
            self.assertIn("standard output", done.stderr)

    def test_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            done = self.run_roundel("schema", code=FAILED, stdout=full)
        self.assertIn("No space left on device", done.stderr)

    def test_closed_standard_output(self):
        self.shell('"$0" schema >&-', code=FAILED)

    def test_messages_never_reach_the_picture(self):
        self.run_roundel("render", "rgb.yaml", "-o", "a.png")
        expected = self.read("a.png")
        self.shell('"$0" render rgb.yaml -o a.png --stats -v 0<&- 1>&- 2>&-', code=DONE)
        self.assertEqual(self.read("a.png"), expected)
        reader, writer = os.pipe()
        os.close(reader)
        self.run_roundel("render", "rgb.yaml", "-o", "a.png", stderr=writer)
        os.close(writer)
        self.assertEqual(self.read("a.png"), expected)

    def shell(self, command, code):
        done = subprocess.run(["sh", "-c", command, ROUNDEL], cwd=self.folder, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, code)

    def test_schema_and_machine_are_json(self):
        self.assertIn("properties", json.loads(self.run_roundel("schema").stdout))
        machine = json.loads(self.run_roundel("info", "--json").stdout)
        self.assertEqual(machine["backends"][0], "cpu")
        self.assertGreaterEqual(machine["threads"], 1)
        text = self.run_roundel("info").stdout
        self.assertRegex(text, r"^roundel .*\n +backends +cpu")
        if machine["mpi"] is None:
            self.assertRegex(text, r"(?m)^  MPI +none \(.+\)$")
        else:
            self.assertIn("\n  MPI           " + machine["mpi"] + "\n", text)

    def test_a_quota_of_cpu_time_limits_threads(self):
        """Like a container with a limit of one core; needs the right to make a group of processes."""
        group = "/sys/fs/cgroup/roundel-test"
        if os.path.isdir("/sys/fs/cgroup/cpu"):
            group, quota = "/sys/fs/cgroup/cpu/roundel-test", {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "90000"}
        else:
            quota = {"cpu.max": "90000 100000"}
        try:
            os.mkdir(group)
            self.addCleanup(os.rmdir, group)
            for name, value in quota.items():
                with open(f"{group}/{name}", "w", encoding="ascii") as file:
                    file.write(value)
        except OSError as error:
            self.skipTest(f"no group of processes can be made here: {error}")

        def enter():
            with open(f"{group}/cgroup.procs", "w", encoding="ascii") as file:
                file.write("0")

        def threads():
            printed = subprocess.run([ROUNDEL, "info", "--json"], check=True, stdout=subprocess.PIPE, preexec_fn=enter)
            return json.loads(printed.stdout)["threads"]

        try:
            self.assertEqual(threads(), 1)
        except subprocess.SubprocessError as error:
            self.skipTest(f"the group cannot be entered: {error}")
        self.write("s.yaml", RANDOM)
        drawn = subprocess.run([ROUNDEL, "render", "s.yaml", "--frames", "0-9", "-o", "-", "--format", "rawvideo",
                                "--stats"], cwd=self.folder, check=True, capture_output=True, preexec_fn=enter)
        self.assertIn(b", 1 draw, 1 encode, ", drawn.stderr)


class Signals(ScenesCase):
    @staticmethod
    def default_signals():  # the caller of the test may ignore them
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    def start(self, *arguments):
        return subprocess.Popen([ROUNDEL, *arguments], cwd=self.folder, stderr=subprocess.PIPE,
                                preexec_fn=self.default_signals)

    def test_an_interrupted_run_leaves_no_file(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            process = self.start("render", "slow.yaml", "-o", "a.png", "--backend", "cpu")
            time.sleep(0.5)
            process.send_signal(number)
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, code)
            self.assert_only_scenes()

    def test_a_long_validation_shows_progress_and_can_be_interrupted(self):
        self.write("long.yaml", RANDOM.replace("5000", "1000000000").replace("0.002, 0.05",
                                                                             "0.00001, 0.0001"))
        process = self.start("validate", "long.yaml", "--threads", "2")
        line = process.stderr.readline().decode()
        self.assertRegex(line, r"^long\.yaml: \d+ %  ETA [\d:-]+\n$")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        process = self.start("validate", "long.yaml", "--threads", "2", "-q")
        time.sleep(2.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=30)[1], b"")
        self.assertEqual(process.returncode, 130)

    def test_interruption_at_any_time(self):
        self.write("large.yaml", RANDOM.replace("width: 300, height: 200",
                                                "width: 3000, height: 2000"))
        for delay in range(0, 600, 30):
            process = self.start("render", "large.yaml", "-o", "a.png", "--backend", "cpu")
            time.sleep(delay / 1000)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            self.assertIn(process.returncode, (DONE, 130, -signal.SIGINT))  # before main(): the signal
            if process.returncode == DONE:
                os.unlink(self.path("a.png"))
            elif os.path.exists(self.path("a.png")):  # already renamed: then it is whole
                self.run_roundel("info", "a.png")
                os.unlink(self.path("a.png"))
            self.assert_only_scenes()


if __name__ == "__main__":
    unittest.main(verbosity=2)
