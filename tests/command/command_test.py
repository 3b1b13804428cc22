#!/usr/bin/env python3
"""The command from outside: exit codes, messages, files. Usage: command_test.py PATH_OF_ROUNDEL"""

import hashlib
import json
import os
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import time
import unittest

from command_case import MIXED, RANDOM, RGB, ROUNDEL, CommandCase

DONE, FAILED, USAGE, INVALID, REFUSED, SOME_FAILED = range(6)

SNOW = """version: 1
image: {width: 32, height: 32}
layers:
  - generator: snow
"""
# Never opaque, so every circle counts: many seconds of work.
SLOW = """version: 1
image: {width: 2048, height: 2048}
layers:
  - random: {count: 1000000, radius: 0.2, alpha: 0.00001}
"""

MALFORMED = {
    "empty": "",
    "not_a_map": "- 1\n- 2\n",
    "not_yaml": "image: {width: [\n",
    "binary": "\x00\x01\x02\x7f",
    "no_version": RGB.replace("version: 1\n", ""),
    "other_version": RGB.replace("version: 1", "version: 99"),
    "no_layers": "version: 1\nimage: {width: 8, height: 8}\n",
    "unknown_key": RGB + "backgroud: 1\n",
    "unknown_generator": RGB.replace("generator: rgb", "generator: rgbb"),
    "duplicate_key": RGB + "version: 1\n",
    "width_is_text": RGB.replace("width: 64", "width: wide"),
    "width_is_zero": RGB.replace("width: 64", "width: 0"),
    "width_is_fraction": RGB.replace("width: 64", "width: 1.5"),
    "width_is_octal": RGB.replace("width: 64", "width: 010"),
    "width_is_absurd": RGB.replace("width: 64", "width: 1000000000000"),
    "radius_is_text": MIXED.replace("radius: 0.25", "radius: big"),
    "radius_is_nan": MIXED.replace("radius: 0.25", "radius: .nan"),
    "x_is_infinite": MIXED.replace("x: 0.5", "x: .inf"),
    "alpha_beyond_1": MIXED.replace("alpha: 1", "alpha: 1.5"),
    "missing_data": "version: 1\nlayers:\n  - {data: none.npy, columns: [x, y, radius]}\n",
    "deep": "[" * 100000,
    "alias_bomb": "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"{c}: &{c} [{', '.join(['*' + chr(ord(c) - 1)] * 9)}]\n" for c in "bcdefgh"),
}
# Nothing may be read of layers that are too many.
MALFORMED.update(
    (f"1001_layers_{i}", "version: 1\nlayers:\n" + "  - generator: rgb\n" * 1000 + f"  - {last}\n")
    for i, last in enumerate((
        "{generator: rgb}",
        "{random: {count: 1, color: []}}",
        "{random: {count: 1, position: {uniform: []}}}",
        "{circles: [{x: 1, y: 1, radius: 1, color: []}]}",
        "{random: {count: 1, radius: {uniform: 5}}}",
        "{generator: {}}",
        "{circles: [{x: a, y: b, radius: c}]}",
        "{data: {}}",
        "{generator: foo}",
    ))
)

OPTIONS = {
    "render": "output overwrite watch frames renumber each resume shard split-frame format pixel-format progress size scale crop layers set seed "
              "frame backend device threads memory stats quiet verbose",
    "verify": "frames renumber each scene size scale crop layers set seed manifest delete threads quiet",
    "validate": "output format size scale crop layers set seed frame backend device threads memory quiet",
    "diff": "max-delta max-pixels max-density ignore mask ignore-antialiasing shape-tolerant flip-mean flip ppd ssim diff-image diff-image-kind manifest report "
            "junit markdown annotations output explain clusters limit size set seed frame json threads quiet",
    "regress": "goldens output frames shard strict retries explain-from manifest report junit markdown annotations json max-delta max-pixels max-density ignore mask "
               "ignore-antialiasing shape-tolerant flip-mean flip ppd ssim size set seed format backend device threads memory quiet verbose",
    "accept": "all prune add hashes output goldens quiet",
    "report": "goldens output report junit markdown annotations json quiet verbose",
    "circles": "output columns size scale layers frames set seed frame",
    "explain": "pixel limit heatmap output json size scale crop layers set seed frame threads memory quiet",
    "legend": "output size layers set",
    "info": "json",
    "selftest": "backend threads quiet verbose",
    "bench": "size set seed frame backend device threads memory repeat json quiet",
    "schema": "",
}


def is_sanitized():
    with open(ROUNDEL, "rb") as program:
        return b"__asan_init" in program.read() or os.environ.get("ROUNDEL_SANITIZED") == "1"


class CommandTest(CommandCase):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        for name, text in {"rgb": RGB, "random": RANDOM, "snow": SNOW, "mixed": MIXED,
                           "slow": SLOW}.items():
            self.write(name + ".yaml", text)

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text.encode("latin-1"))
        return self.path(name)

    def run_roundel(self, *arguments, code=DONE, program=None, **keywords):
        """Runs in the test's folder; checks the exit code; returns the finished process."""
        keywords.setdefault("stdout", subprocess.PIPE)
        keywords.setdefault("stderr", subprocess.PIPE)
        done = subprocess.run([program or ROUNDEL, *arguments], cwd=self.folder, text=True,
                              timeout=120, check=False, **keywords)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout} {done.stderr}")
        return done

    def assert_only_scenes(self, folder=None):
        left = [name for name in os.listdir(folder or self.folder) if not name.endswith(".yaml")]
        self.assertEqual(left, [])

    def assert_fails(self, *arguments, code, says=(), **keywords):
        """Exit code, messages on stderr only, and no file left."""
        done = self.run_roundel(*arguments, code=code, **keywords)
        self.assertFalse(done.stdout)
        self.assertTrue(done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)
        self.assert_only_scenes()
        return done


class Help(CommandTest):
    def test_every_command_lists_its_options(self):
        for command, names in OPTIONS.items():
            text = self.run_roundel(command, "--help").stdout
            self.assertTrue(text.startswith(f"Usage: roundel {command} "), text)
            listed = re.findall(r"^  (?:-., |    )--([a-z-]+)", text, re.MULTILINE)
            self.assertEqual(listed, names.split() + ["help", "version"])
            self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
            self.assertIn("Exit codes: ", text)
            for other in (["-h"], ["no.yaml", "--nonsense", "--help"]):
                self.assertEqual(self.run_roundel(command, *other).stdout, text)
            self.assertEqual(self.run_roundel("help", command).stdout, text)

    def test_the_program_lists_its_commands(self):
        text = self.run_roundel("--help").stdout
        self.assertEqual(re.findall(r"^  ([a-z]+) ", text, re.MULTILINE), list(OPTIONS))
        for other in ("-h", "help"):
            self.assertEqual(self.run_roundel(other).stdout, text)

    def test_version(self):
        text = self.run_roundel("--version").stdout
        self.assertRegex(text, r"^roundel \d+\.\d+\.\d+\n$")
        self.assertEqual(self.run_roundel("-V").stdout, text)
        for command in OPTIONS:
            self.assertEqual(self.run_roundel(command, "--version").stdout, text)

    def test_wrong_commands(self):
        done = self.assert_fails(code=USAGE, says=["\nroundel: expected a command\n"])
        self.assertTrue(done.stderr.startswith(self.run_roundel("--help").stdout))
        self.assert_fails("version", code=USAGE, says=['(did you mean "--version"?)'])
        self.assert_fails("rendr", code=USAGE, says=['(did you mean "render"?)'])
        self.assert_fails("help", "rendr", code=USAGE, says=['(did you mean "render"?)'])


class SmallStacks(CommandTest):
    def test_drawing_needs_no_more_of_the_stack_than_starting(self):
        if is_sanitized():
            self.skipTest("sanitizers need a larger stack to start")
        # The environment lies on the stack, too.
        for limit in (32 << 10, 64 << 10, 256 << 10):
            def limit_stack(limit=limit):
                resource.setrlimit(resource.RLIMIT_STACK, (limit, limit))
            for arguments in (["render", "random.yaml", "-o", "a.png"],
                              ["render", "snow.yaml", "--frames", "0-3", "--overwrite", "-o", "f#.png"],
                              ["explain", "random.yaml", "--heatmap", "layers", "-o", "a.png"]):
                with self.subTest(limit=limit, arguments=arguments):
                    self.run_roundel(*arguments, preexec_fn=limit_stack, env={})


class Usage(CommandTest):
    def test_all_problems_come_together(self):
        done = self.assert_fails(
            "render", "rgb.yaml", "--size", "10x", "--sead=1", "--threads", "-3", "-o", "a.jpg",
            code=USAGE,
            says=['--size: expected WIDTHxHEIGHT in pixels, 1..65536 each, got "10x"',
                  'unknown option (did you mean "--seed"?)', 'got "-3"'])
        self.assertTrue(all(line.startswith("roundel: ") for line in done.stderr.splitlines()))

    def test_a_picture_needs_a_name(self):
        self.assert_fails("render", "rgb.yaml", code=USAGE, says=["rgb.yaml: expected -o FILE"])

    def test_standard_output_needs_a_format(self):
        self.assert_fails("render", "rgb.yaml", "-o", "-", code=USAGE,
                          says=["--output: expected --format for standard output"])

    def test_two_scenes_are_not_written_to_one_file(self):
        os.mkdir(self.path("sub"))
        shutil.copy(self.path("rgb.yaml"), self.path("sub"))
        os.mkdir(self.path("out"))
        done = self.run_roundel("render", "rgb.yaml", "sub/rgb.yaml", "-o", "out", code=USAGE)
        self.assertIn("both be written to out/rgb.png", done.stderr)
        self.assertEqual(os.listdir(self.path("out")), [])


class Scenes(CommandTest):
    def test_malformed_scenes_have_a_place_and_leave_no_file(self):
        for name, text in MALFORMED.items():
            with self.subTest(name):
                self.write("bad.yaml", text)
                for arguments in (["render", "-o", "a.png"], ["validate"], ["circles", "-o", "a.npy"]):
                    started = time.monotonic()
                    done = self.assert_fails(arguments[0], "bad.yaml", *arguments[1:], code=INVALID)
                    self.assertLess(time.monotonic() - started, 20)
                    self.assertRegex(done.stderr.splitlines()[0], r"^bad\.yaml(:\d+:\d+)?: ")

    def test_messages_are_short_however_long_a_scene_s_words_are(self):
        data = "  - {data: %s.npy, columns: [x, y, radius]}\n" % ("d" * 200_000)
        for text, arguments, code in (
                (RGB + "output: " + "word " * 2_400_000 + "\n", ["render"], INVALID),
                (RGB + "output: " + "word " * 2_400_000 + "\n", ["validate"], INVALID),
                (RGB + "output: " + "o" * 200_000 + ".png\n", ["render"], REFUSED),
                ("version: 1\nlayers:\n" + data, ["render", "-o", "a.png"], INVALID)):
            self.write("long.yaml", text)
            done = self.assert_fails(arguments[0], "long.yaml", *arguments[1:], code=code)
            for line in done.stderr.splitlines():
                self.assertLessEqual(len(line), 500)
                self.assertIn("\N{HORIZONTAL ELLIPSIS}", line)

    def test_errors_of_all_scenes_come_together_and_nothing_is_rendered(self):
        self.write("bad1.yaml", MALFORMED["unknown_key"])
        self.write("bad2.yaml", MALFORMED["width_is_zero"] + "sead: 3\n")
        os.mkdir(self.path("out"))
        done = self.run_roundel("render", "rgb.yaml", "bad1.yaml", "none.yaml", "bad2.yaml", "-o",
                                "out", code=INVALID)
        for text in ("bad1.yaml:5:1: ", '"backgroud"', "none.yaml: ", "bad2.yaml:2:", '"sead"'):
            self.assertIn(text, done.stderr)
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_a_missing_scene_and_a_folder(self):
        for path in ("none.yaml", self.folder, ""):
            self.assert_fails("render", path, "-o", "a.png", code=INVALID)
            self.assert_fails("validate", path, code=INVALID)

    def test_valid_scenes_are_described(self):
        text = self.run_roundel("validate", "rgb.yaml", "random.yaml", "--size", "100x50").stdout
        self.assertRegex(text, r"rgb\.yaml: valid\n +size +100x50 pixels\n +circles +3\n"
                               r" +overlaps +\d+ .*\n +memory +.*iB \(\d+ bytes\), .*iB of it the program\n"
                               r" +--memory +\d+M\n +fingerprint +[0-9a-f]{32}\n")
        self.assertIn("circles      5,000\n", text)
        self.assertEqual(self.run_roundel("validate", "rgb.yaml", "--quiet").stdout, "")

    def test_one_invalid_scene_of_several_is_enough(self):
        self.write("bad.yaml", MALFORMED["unknown_key"])
        done = self.run_roundel("validate", "bad.yaml", "rgb.yaml", code=INVALID)
        self.assertIn("rgb.yaml: valid", done.stdout)

    def test_more_than_the_machine_has_is_refused(self):
        page = os.sysconf("SC_PAGE_SIZE")
        if os.sysconf("SC_PHYS_PAGES") * page > 30e9:
            self.skipTest("this machine has room for a billion circles")
        self.write("huge.yaml", RANDOM.replace("5000", "1000000000"))
        done = self.run_roundel("circles", "huge.yaml", "-o", "a.npy", code=FAILED)
        self.assertRegex(done.stderr, r"huge\.yaml: needs \d+\.\d GiB of memory, this machine has")
        done = self.run_roundel("render", "huge.yaml", "--split-frame", "-o", "a.png",
                                code=FAILED)  # bands are chosen from all circles
        self.assertRegex(done.stderr, r"huge\.yaml: needs \d+\.\d GiB of memory, this machine has")
        self.assert_only_scenes()

    def test_a_billion_circles(self):
        """They need not be in memory; nobody asks for those behind a saturated image."""
        self.write("huge.yaml", RANDOM.replace("5000", "1000000000").replace("300", "200"))
        self.run_roundel("render", "huge.yaml", "-o", "a.png", "--backend", "cpu")
        self.run_roundel("render", "huge.yaml", "--frames", "0-2", "-o", "film%d.png", "--backend", "cpu")
        self.assertEqual(self.read("film0.png"), self.read("a.png"))

    def test_the_end_of_memory_is_a_message(self):
        if is_sanitized():
            self.skipTest("sanitizers reserve more address space than any limit")
        self.write("large.yaml", RANDOM.replace("5000", "30000000"))
        limit = 600 << 20
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))}
        self.assert_fails("circles", "large.yaml", "-o", "a.npy", code=FAILED, says=["memory"],
                          **limited)
        # Painting takes circles in chunks, and has no need of all 0.96 GB at once.
        self.run_roundel("render", "large.yaml", "-o", "a.png", "--threads", "2", "--backend",
                         "cpu", **limited)


class Pictures(CommandTest):
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

    def test_pictures_are_sound_and_know_their_origin(self):
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

    def test_info_of_what_is_no_picture(self):
        self.run_roundel("render", "rgb.yaml", "-o", "a.png")
        self.write("cut.png", self.read("a.png")[:-20].decode("latin-1"))
        done = self.run_roundel("info", "cut.png", "none.png", "rgb.yaml", "a.png", code=INVALID)
        self.assertIn("cut.png: ", done.stderr)
        self.assertIn("rgb.yaml: expected a PNG, EXR, PFM, JPEG or WebP file\n", done.stderr)
        self.assertIn("none.png: ", done.stderr)
        self.assertIn("64x48", done.stdout)

    def test_float_pictures(self):
        self.run_roundel("render", "rgb.yaml", "-o", "a.pfm")
        self.assertTrue(self.read("a.pfm").startswith(b"PF\n64 48\n-1"))
        self.run_roundel("render", "rgb.yaml", "-o", "a.EXR")
        self.assertTrue(self.read("a.EXR").startswith(b"\x76\x2f\x31\x01"))

    def test_a_program_without_its_modules_does_all_that_needs_none(self):
        os.makedirs(self.path("bin"))
        program = shutil.copy(ROUNDEL, self.path("bin/roundel"))
        self.run_roundel("render", "rgb.yaml", "-o", "a.png", program=program)
        os.unlink(self.path("a.png"))
        done = self.run_roundel("render", "rgb.yaml", "-o", "a.exr", code=FAILED, program=program)
        self.assertIn("/lib/roundel/libroundel_exr.so: no such file", done.stderr)
        os.makedirs(self.path("lib/roundel"))
        self.write("lib/roundel/libroundel_exr.so", "no library")
        done = self.run_roundel("render", "rgb.yaml", "-o", "a.exr", code=FAILED, program=program)
        self.assertRegex(done.stderr, r"^roundel: cannot load .*/libroundel_exr\.so: .+")
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

    def test_a_crop_or_preview_is_not_taken_for_the_whole_picture(self):
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
        # All of it is the picture itself, but says that it was asked for as a part.
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
        for arguments, says in ((("--crop", "0,0,81,1"), "--crop: expected a part of the picture, which has 80x80 pixels"),
                                (("--crop", "0,40,40,20", "--scale", "0.5"), "which has 40x40 pixels, got 40x20 from 0,40"),
                                (("--crop", "0,0,0,1"), "--crop: expected a whole number of pixels from 1 to 65536"),
                                (("--crop", "1,2,3"), "--crop: expected X,Y,W,H"),
                                *((("--scale", wrong), "--scale: expected a number > 0 and <= 65536") for wrong in
                                  ("0", "-1", "nan", "inf", "65537", "half")),
                                (("--scale", "1000"), "--scale: expected at most 65536 pixels a side, got 80000")):
            self.assertIn(says, self.run_roundel("render", "s.yaml", "-o", "a.png", *arguments, code=USAGE).stderr)
        self.assertFalse(os.path.exists(self.path("a.png")))

    def test_several_scenes_go_into_a_folder(self):
        os.mkdir(self.path("out"))
        done = self.run_roundel("render", "rgb.yaml", "random.yaml", "-o", "out/", "--size", "20x15")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["random.png", "rgb.png"])
        lines = done.stderr.splitlines()
        self.assertRegex(lines[0], r"^out/rgb\.png  20x15  3 circles  [\d.]+ ms  (cpu|cuda)$")
        self.assertRegex(lines[1], r"^out/random\.png  20x15  5,000 circles  ")
        self.assertEqual(done.stdout, "")

    def test_quiet_says_nothing_and_verbose_names_the_backend(self):
        done = self.run_roundel("render", "rgb.yaml", "-o", "a.png", "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        done = self.run_roundel("render", "rgb.yaml", "-o", "a.png", "-v", "--backend", "cpu")
        self.assertIn("roundel: backend cpu: asked for\n", done.stderr)

    def test_a_scene_can_name_its_picture(self):
        self.write("named.yaml", RGB + "output: out/frame_####.png\n")
        self.run_roundel("render", "named.yaml", "--frame", "12")
        self.assertEqual(os.listdir(self.path("out")), ["frame_0012.png"])
        # A name that nobody typed is not replaced without being asked to.
        before = self.read("out/frame_0012.png")
        done = self.run_roundel("render", "named.yaml", "--frame", "12", "--seed", "3", code=REFUSED)
        self.assertIn("out/frame_0012.png: exists", done.stderr)
        self.assertEqual(self.read("out/frame_0012.png"), before)
        self.run_roundel("render", "named.yaml", "--frame", "12", "--seed", "3", "--overwrite")
        self.assertNotEqual(self.read("out/frame_0012.png"), before)

    def test_a_scene_cannot_name_what_is_no_picture(self):
        self.write("jpg.yaml", RGB + "output: a.jpg\n")
        for command in ("render", "validate"):
            done = self.run_roundel(command, "jpg.yaml", code=INVALID)
            self.assertRegex(done.stderr, r"^jpg\.yaml:.*output: .*\.png, \.exr or \.pfm")
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


class Refusals(CommandTest):
    def test_missing_folder(self):
        self.assert_fails("render", "rgb.yaml", "-o", "no/ne/a.png", code=REFUSED,
                          says=['no/ne/a.png: cannot write, there is no folder "no/ne", nor one to make '
                                'it in'])
        self.assert_fails("circles", "rgb.yaml", "-o", "no/ne/a.npy", code=REFUSED, says=['"no/ne"'])

    def test_a_missing_folder_is_made_and_goes_with_a_run_that_made_nothing(self):
        for name, arguments in (("a", ["render", "rgb.yaml", "-o", "a/"]),
                                ("b", ["render", "rgb.yaml", "snow.yaml", "-o", "b/"]),
                                ("c", ["render", "rgb.yaml", "-o", "c/x.png"]),
                                ("d", ["circles", "rgb.yaml", "-o", "d/x.npy"]),
                                ("e", ["explain", "rgb.yaml", "--heatmap", "overlaps", "-o", "e/x.png"])):
            self.run_roundel(*arguments)
            self.assertEqual(len(os.listdir(self.path(name))), 2 if name == "b" else 1)
            shutil.rmtree(self.path(name))

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.assert_fails("render", "random.yaml", "-o", "new/", code=FAILED, preexec_fn=limit)
        self.assert_fails("circles", "random.yaml", "-o", "new/a.npy", code=FAILED, preexec_fn=limit)

    def test_a_single_picture_follows_links(self):
        self.run_roundel("render", "rgb.yaml", "-o", "b.png")
        os.mkdir(self.path("there"))
        self.write("there/old.png", "old")
        for target in ("there/old.png", "there/new.png", "there/made/deep.png"):
            os.symlink(target, self.path("a.png"))
            self.run_roundel("render", "rgb.yaml", "-o", "a.png")
            self.assertTrue(os.path.islink(self.path("a.png")))
            self.assertEqual(self.read(target), self.read("b.png"))
            os.unlink(self.path("a.png"))
        os.symlink("no/folder/a.png", self.path("a.png"))
        done = self.run_roundel("render", "rgb.yaml", "-o", "a.png", code=REFUSED)
        self.assertIn('a.png: cannot write, there is no folder "no/folder"', done.stderr)
        self.assertTrue(os.path.islink(self.path("a.png")))
        os.mkdir(self.path("out"))
        os.symlink("snow.png", self.path("out/rgb.png"))
        done = self.run_roundel("render", "rgb.yaml", "snow.yaml", "-o", "out", "--overwrite",
                                code=USAGE)
        self.assertIn("rgb.yaml and snow.yaml would both be written to out/snow.png", done.stderr)

    def test_a_replaced_picture_keeps_its_mode(self):
        self.write("a.png", "old")
        os.chmod(self.path("a.png"), 0o600)
        os.link(self.path("a.png"), self.path("hard.png"))
        self.run_roundel("render", "rgb.yaml", "-o", "a.png")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("a.png")).st_mode), 0o600)
        self.assertEqual(self.read("hard.png"), b"old")

    def test_a_file_where_a_folder_should_be(self):
        self.assert_fails("render", "rgb.yaml", "-o", "rgb.yaml/a.png", code=REFUSED)

    def test_a_pipe_gets_the_picture_and_stays(self):
        self.run_roundel("render", "rgb.yaml", "-o", "b.png")
        os.mkfifo(self.path("a.png"))
        reader = subprocess.Popen(["cat", self.path("a.png")], stdout=subprocess.PIPE)
        self.run_roundel("render", "rgb.yaml", "-o", "a.png")
        self.assertEqual(reader.communicate(timeout=30)[0], self.read("b.png"))
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("a.png")).st_mode))

    def test_folder_without_permission(self):
        os.mkdir(self.path("locked"))
        os.chmod(self.path("locked"), 0o555)
        program, keywords = ROUNDEL, {}
        if os.geteuid() == 0:  # root may write anywhere
            program = shutil.copy(ROUNDEL, self.path("roundel.yaml"))
            keywords = {"user": 65534, "group": 65534}
        done = self.run_roundel("render", "rgb.yaml", "-o", "locked/a.png", code=REFUSED,
                                program=program, **keywords)
        self.assertIn("locked", done.stderr)
        self.assertEqual(os.listdir(self.path("locked")), [])

    def test_file_size_limit(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.assert_fails("render", "random.yaml", "-o", "a.png", code=FAILED, says=["a.png"],
                          preexec_fn=limit)
        self.write("a.png", "old")
        self.run_roundel("render", "random.yaml", "-o", "a.png", code=FAILED, preexec_fn=limit)
        self.assertEqual(self.read("a.png"), b"old")
        os.unlink(self.path("a.png"))
        self.assert_fails("circles", "random.yaml", "-o", "a.npy", code=FAILED, preexec_fn=limit)

    def test_full_disk(self):
        os.mkdir(self.path("disk"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs",
                                  self.path("disk")], stderr=subprocess.DEVNULL, check=False)
        if mounted.returncode != 0:
            self.skipTest("mounting is not allowed here; test_file_size_limit is much the same")
        try:
            done = self.run_roundel("render", "random.yaml", "-o", "disk/a.png", code=FAILED)
            self.assertIn("No space left on device", done.stderr)
            self.assertEqual(os.listdir(self.path("disk")), [])
        finally:
            subprocess.run(["umount", self.path("disk")], check=True)

    def test_one_picture_of_two_that_fails_is_exit_code_5(self):
        os.mkdir(self.path("out"))
        os.mkdir(self.path("out/random.png"))
        self.run_roundel("render", "rgb.yaml", "random.yaml", "-o", "out", "--overwrite", code=REFUSED)
        self.assertEqual(os.listdir(self.path("out")), ["random.png"])  # seen before rendering
        os.rmdir(self.path("out/random.png"))

        def limit():  # enough for the small picture only
            resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

        done = self.run_roundel("render", "rgb.yaml", "random.yaml", "-o", "out", preexec_fn=limit,
                                code=SOME_FAILED)
        self.assertIn("out/random.png", done.stderr)
        self.assertEqual(os.listdir(self.path("out")), ["rgb.png"])


class Inputs(CommandTest):
    """No output replaces what the same command reads, by whatever name."""

    def setUp(self):
        super().setUp()
        self.run_roundel("circles", "rgb.yaml", "-o", "d.npy")
        self.write("d.yaml", "version: 1\nimage: {width: 16, height: 16}\nlayers:\n"
                             "  - {data: d.npy, columns: [x, y, _, radius, red, green, blue]}\n")
        shutil.copy(self.path("rgb.yaml"), self.path("scene.png"))
        shutil.copy(self.path("rgb.yaml"), self.path("scene.npy"))
        os.mkdir(self.path("out"))

    def everything(self):
        found = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[path] = (os.lstat(path).st_mtime_ns, file.read())
        return found

    def assert_refused(self, *arguments, reads):
        before = self.everything()
        done = self.run_roundel(*arguments, code=REFUSED)
        self.assertRegex(done.stderr, rf"would replace (a file|\"{re.escape(reads)}\"), which this command "
                                      "reads")
        self.assertEqual(self.everything(), before)

    def test_circles(self):
        self.assert_refused("circles", "d.yaml", "-o", "d.npy", reads="d.npy")
        self.assert_refused("circles", "d.yaml", "-o", "out/../d.npy", reads="d.npy")
        self.assert_refused("circles", "scene.npy", "-o", "scene.npy", reads="scene.npy")
        for make in (os.symlink, os.link):
            make(self.path("d.npy"), self.path("link.npy"))
            self.assert_refused("circles", "d.yaml", "-o", "link.npy", reads="d.npy")
            os.unlink(self.path("link.npy"))

    def test_pictures(self):
        self.assert_refused("render", "scene.png", "-o", "scene.png", reads="scene.png")
        self.assert_refused("render", "scene.png", "-o", "./", "--overwrite", reads="scene.png")
        self.assert_refused("render", "rgb.yaml", "scene.png", "-o", ".", "--overwrite",
                            reads="scene.png")
        self.assert_refused("explain", "scene.png", "--heatmap", "overlaps", "-o", "scene.png", reads="scene.png")
        for target in ("d.npy", "d.yaml"):
            for make in (os.symlink, os.link):
                make(self.path(target), self.path("out/d.png"))
                self.assert_refused("render", "d.yaml", "-o", "out/d.png", reads=target)
                self.assert_refused("render", "d.yaml", "-o", "out/", "--overwrite", reads=target)
                self.assert_refused("render", "rgb.yaml", "d.yaml", "-o", "out/", "--overwrite",
                                    reads=target)
                os.unlink(self.path("out/d.png"))

    def test_frames(self):
        for target in ("d.npy", "d.yaml"):
            for make in (os.symlink, os.link):
                make(self.path(target), self.path("out/f2.png"))
                for options in (["--overwrite"], ["--resume", "--overwrite"]):
                    self.assert_refused("render", "d.yaml", "--frames", "0-3", "-o", "out/f#.png",
                                        *options, reads=target)
                os.unlink(self.path("out/f2.png"))
        self.assert_refused("render", "scene.png", "--frames", "1", "-o", "scene.png", "--overwrite",
                            reads="scene.png")
        self.write("list1.png", "1")
        self.assert_refused("render", "rgb.yaml", "--frames", "@list1.png", "-o", "list#.png",
                            "--overwrite", reads="list1.png")
        self.assert_refused("render", "scene.png", "--split-frame", "-o", "scene.png", "--overwrite",
                            reads="scene.png")


class Formats(CommandTest):
    MAGIC = {"png": b"\x89PNG", "exr": b"\x76\x2f\x31\x01", "pfm": b"PF\n"}

    def test_the_ending_in_a_folder_follows_the_format(self):
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

    def test_an_ending_of_another_format_is_refused(self):
        for asked in self.MAGIC:
            for ending in self.MAGIC:
                for name in (f"a.{ending}", f"a.{ending.upper()}"):
                    for more in ([], ["--frames", "3"]):
                        arguments = ["render", "rgb.yaml", "--format", asked, "-o", name, *more]
                        if asked == ending:
                            self.run_roundel(*arguments)
                            os.unlink(self.path(name))
                        else:
                            self.assert_fails(*arguments, code=USAGE, says=[
                                f"--output: expected a name that ends in .{asked}, or as no picture's"])
        self.assert_fails("render", "rgb.yaml", "--format", "exr", "--frames", "3-4", "-o", "a_##.png",
                          code=USAGE)
        self.write("named.yaml", RGB + "output: a_##.png\n")
        for more in ([], ["--frames", "3-4"]):
            self.assert_fails("render", "named.yaml", "--format", "exr", *more, code=USAGE,
                              says=["named.yaml: output: expected a name that ends in .exr"])

    def test_other_names_take_any_format(self):
        for name, magic in self.MAGIC.items():
            self.run_roundel("render", "rgb.yaml", "-o", "a." + name)
            self.run_roundel("render", "rgb.yaml", "--format", name, "-o", "a.picture")
            self.assertEqual(self.read("a.picture"), self.read("a." + name))
            self.assertTrue(self.read("a.picture").startswith(magic))
            self.run_roundel("render", "rgb.yaml", "--frames", "0-1", "--format", name, "-o",
                             f"{name}_##.frame")
            self.assertEqual(self.read(f"{name}_00.frame"), self.read("a." + name))
            if name != "pfm":  # these say what they are
                done = self.run_roundel("render", "rgb.yaml", "--frames", "0-1", "--format", name, "-o",
                                        f"{name}_##.frame", "--resume")
                self.assertIn("0 frames (2 kept)", done.stderr)
            with open(self.path("stream"), "wb") as file:
                self.run_roundel("render", "rgb.yaml", "--format", name, "-o", "-", stdout=file)
            self.assertEqual(self.read("stream"), self.read("a." + name))
        self.run_roundel("render", "rgb.yaml", "-o", "b.picture", code=USAGE)
        for name in ("rawvideo", "y4m"):
            self.run_roundel("render", "rgb.yaml", "--format", name, "-o", "b.raw", code=USAGE)


class Circles(CommandTest):
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

    def test_snow_has_no_colours_and_mixed_scenes_have(self):
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


class Bench(CommandTest):
    def bench(self, *arguments):
        return self.run_roundel("bench", "rgb.yaml", "--backend", "cpu", "--size", "64x48",
                                "--repeat", "3", *arguments)

    def test_the_json_tells_what_was_timed(self):
        report = json.loads(self.bench("--json", "-").stdout)
        self.assertGreater(report["machine"]["bytes_per_second"], 1e8)
        self.assertGreater(report["machine"]["operations_per_second"], 1e8)
        self.assertIn("commit", report)
        result, = report["results"]
        self.assertEqual((result["scene"], result["backend"], result["size"], result["circles"]),
                         ("rgb.yaml", "cpu", "64x48", 3))
        for times in (result["frame_us"], result["wall_us"]):
            self.assertLessEqual(0, times["min"])
            self.assertLessEqual(times["min"], times["median"])
            self.assertLessEqual(times["median"], times["p95"])
        self.assertEqual(set(result["stages_us"]), {"bin", "blend"})
        # Three discs of radius 0.3, in pixels of 1/48.
        self.assertAlmostEqual(result["fragments"], 3 * 3.1416 * 0.09 * 48 * 48, delta=40)
        self.assertEqual(result["bytes"], 3 * 32 + 64 * 48 * 3)
        self.assertGreater(result["floor_us"], 0)

    def test_the_table_and_a_file(self):
        done = self.bench("--json", "a.json")
        self.assertRegex(done.stdout, r"(?m)^rgb\.yaml +64x48 +3 +[0-9.]+ ")
        self.assertEqual(len(json.loads(self.read("a.json"))["results"]), 1)

    def test_bad_scenes_and_numbers_are_refused(self):
        self.assert_fails("bench", "rgb.yaml", "--repeat", "0", code=USAGE, says=["--repeat"])
        self.write("bad.yaml", "version: 2\n")
        self.assert_fails("bench", "bad.yaml", "--json", "a.json", code=INVALID, says=["version"])


class Streams(CommandTest):
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

    def test_closed_messages_never_reach_the_picture(self):
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
        self.assertRegex(self.run_roundel("info").stdout, r"^roundel .*\n +backends +cpu")


class Signals(CommandTest):
    @staticmethod
    def default_signals():  # whoever runs the test may ignore them
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    def start(self, *arguments):
        return subprocess.Popen([ROUNDEL, *arguments], cwd=self.folder, stderr=subprocess.PIPE,
                                preexec_fn=self.default_signals)

    def test_an_interrupted_run_leaves_nothing(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            process = self.start("render", "slow.yaml", "-o", "a.png", "--backend", "cpu")
            time.sleep(0.5)
            process.send_signal(number)
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, code)
            self.assert_only_scenes()

    def test_a_long_validation_shows_where_it_is_and_can_be_interrupted(self):
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

    def test_at_any_time(self):
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
