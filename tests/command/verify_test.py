#!/usr/bin/env python3
"""Verifying frames. Usage: verify_test.py PATH_OF_ROUNDEL"""

import os
import shutil
import struct
import unittest
import zlib

from batch_case import BatchCase, DONE, FAILED, REFUSED, SNOW, USAGE, png_pixels


MOVES = """version: 1
image: {width: 96, height: 64}
layers:
  - random: {count: 20, radius: 0.05}
view: {zoom: {keys: {0: 1, 60: 4}}}
animation: {frames: 60}
"""


class Verify(BatchCase):
    def test_sound_frames(self):
        for ending in ("png", "exr", "pfm"):
            self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", f"out/%d.{ending}")
            done = self.run_roundel("verify", f"out/%d.{ending}", "--frames", "1-9")
            self.assertEqual((done.stdout, done.stderr), ("", "9 frames are sound\n"))
            self.run_roundel("verify", f"out/%d.{ending}", "--frames", "1-9", "--scene", "balls.yaml")
        done = self.run_roundel("verify", "out/%d.png", "--frames", "7")
        self.assertEqual((done.stdout, done.stderr), ("", "1 frame is sound\n"))

    def test_frames_of_a_longer_film_are_reported(self):
        def printed(command, *more):
            done = self.run_roundel(*command, *more)
            return [line for line in done.stderr.splitlines() if " more file" in line]

        def render(frames, *more, scene="snow.yaml", name="out/%02d.png"):
            return printed(["render", scene, "--frames", frames, "-o", name, "--size", "16x16", *more])

        def verify(frames, *more):
            return printed(["verify", "out/%02d.png", "--frames", frames, *more])

        self.assertEqual(render("0-29"), [])
        self.assertEqual(verify("0-29"), [])
        self.write("out/30.txt", "")
        line = "10 more files match out/%02d.png: 20-29"
        self.assertEqual(render("0-19", "--overwrite"), ["warning: " + line])
        self.assertEqual(render("0-19", "--resume"), ["warning: " + line])
        self.assertEqual(render("0-19", "--resume", "-q"), [])
        self.assertEqual(verify("0-19"), [line])
        self.assertEqual(verify("0-19", "-q"), [])
        self.assertEqual(verify("1-29"), ["1 more file matches out/%02d.png: 0"])
        self.assertEqual(render("0-19", "--resume", "--renumber"), ["warning: " + line])
        # A part of the film is valid.
        self.assertEqual(render("0-19", "--resume", "--shard", "1/2"), [])
        self.assertEqual(render("7", "--resume"), [])
        self.assertEqual(verify("7"), [])
        self.write("short.yaml", SNOW + "animation: {frames: 24}\n")
        line = "6 more files match out/%02d.png: 24-29"
        self.assertEqual(render("0-9", "--resume", scene="short.yaml"), ["warning: " + line])
        self.assertEqual(render("7", "--resume", scene="short.yaml"), ["warning: " + line])
        self.assertEqual(verify("0-9", "--scene", "short.yaml", "--size", "16x16"), [line])

    def test_missing_corrupt_and_foreign_frames(self):
        for ending in ("png", "exr"):
            name = f"out/%d.{ending}"
            self.run_roundel("render", "balls.yaml", "--frames", "1-20", "-o", name)
            for frame in (3, 4, 5):
                os.unlink(self.path(name % frame))
            with open(self.path(name % 7), "r+b") as file:
                file.truncate(os.path.getsize(self.path(name % 7)) - 100)
            shutil.copy(self.path(name % 10), self.path(name % 9))
            self.run_roundel("render", "balls.yaml", "--seed", "5", "--frame", "11", "-o", name % 11)
            done = self.run_roundel("verify", name, "--frames", "1-20", code=FAILED)
            self.assertEqual(done.stdout, "missing: 3-5\ncorrupt: 7\nforeign: 9,11\n"
                                          "--frames 3-5,7-11x2\n")
            self.assertIn(f"1 frame is misnamed: out/9.{ending} is frame 10\n", done.stderr)
            self.assertIn(f"1 frame is of seed 5, expected 1: out/11.{ending}\n", done.stderr)
            self.assertRegex(done.stderr, rf"1 frame is corrupt \(.+\): out/7\.{ending}\n")
            done = self.run_roundel("verify", name, "--frames", "10-12", "--scene", "balls.yaml",
                                    "--seed", "5", "--quiet", code=FAILED)
            self.assertEqual(done.stdout, "foreign: 10,12\n--frames 10,12\n")
            self.assertEqual(done.stderr, "")

    def test_frames_of_a_moving_film_have_one_size_and_seed(self):
        self.write("moves.yaml", MOVES)
        self.run_roundel("render", "moves.yaml", "--frames", "1-9", "-o", "out/%d.png")
        note = "nearly every frame has a fingerprint of its own: the scene moves, or there are several scenes; " \
               "--scene SCENE checks it\n"
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1-9")
        self.assertEqual((done.stdout, done.stderr), ("", note + "9 frames are sound\n"))
        self.run_roundel("render", "moves.yaml", "--frame", "2", "--size", "48x32", "-o", "out/2.png")
        self.run_roundel("render", "moves.yaml", "--frame", "5", "--seed", "7", "-o", "out/5.png")
        shutil.copy(self.path("out/8.png"), self.path("out/7.png"))
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1-9", code=FAILED)
        self.assertEqual(done.stdout, "foreign: 2,5,7\n--frames 2,5,7\n")
        self.assertEqual(done.stderr, note + "1 frame is 48x32, expected 96x64: out/2.png\n"
                                             "1 frame is of seed 7, expected 1: out/5.png\n"
                                             "1 frame is misnamed: out/7.png is frame 8\n")
        for frame in range(9, 0, -1):  # shifted by more than their number
            os.rename(self.path(f"out/{frame}.png"), self.path(f"out/{frame + 20}.png"))
        done = self.run_roundel("verify", "out/%d.png", "--frames", "23-24", code=FAILED)
        self.assertIn("2 frames are misnamed: 23-24; out/23.png is frame 3\n", done.stderr)

    def test_both_frames_are_reported_if_either_may_be_right(self):
        self.run_roundel("render", "balls.yaml", "--frames", "1-4", "-o", "out/%d.png")
        self.run_roundel("render", "balls.yaml", "--frame", "2", "--size", "48x32", "-o", "out/2.png")

        def verified(frames, code=FAILED):
            done = self.run_roundel("verify", "out/%d.png", "--frames", frames, code=code)
            return done.stdout + done.stderr

        self.assertEqual(verified("1-2"), "foreign: 2\n--frames 2\n"
                                          "1 frame is 48x32, unlike out/1.png with 96x64: out/2.png\n"
                                          "2 more files match out/%d.png: 3-4\n")
        self.run_roundel("render", "balls.yaml", "--frame", "2", "--seed", "9", "-o", "out/2.png")
        self.assertIn("1 frame is of seed 9, unlike out/1.png with 1: out/2.png\n", verified("1-2"))
        self.assertIn("1 frame is of seed 9, expected 1: out/2.png\n", verified("1-3"))
        self.run_roundel("render", "film.yaml", "--frames", "2-3", "-o", "out/%d.png", "--overwrite")
        self.assertEqual(verified("1-2", code=DONE),
                         "out/1.png and out/2.png differ in their fingerprints: the scene moves, or there are several "
                         "scenes; --scene SCENE checks it\n2 more files match out/%d.png: 3-4\n"
                         "2 frames are sound\n")
        self.assertIn("1 frame is of another scene: out/1.png\n", verified("1-3"))
        self.assertIn("2 frames are of another scene than out/1.png: 2-3\n", verified("1-4"))

    def test_scenes_with_their_own_seeds_are_sound(self):
        for i in range(1, 7):
            self.write(f"s_{i}.yaml", MOVES + f"seed: {i}\n")
        self.run_roundel("render", "s_#.yaml", "--frames", "1-6", "-o", "out/%d.png")
        self.run_roundel("verify", "out/%d.png", "--frames", "1-6", "--scene", "s_#.yaml")
        self.run_roundel("verify", "out/%d.png", "--frames", "1-6")
        self.run_roundel("render", "s_3.yaml", "--frame", "3", "--size", "48x32", "-o", "out/3.png")
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1-6", code=FAILED)
        self.assertIn("1 frame is 48x32, expected 96x64: out/3.png\n", done.stderr)

    def test_other_pictures_are_foreign(self):
        self.run_roundel("render", "balls.yaml", "--frame", "1", "-o", "out/1.png")
        data = self.read("out/1.png")
        at = data.index(b"tEXtFrame")
        with open(self.path("out/1.png"), "wb") as file:  # without the chunk that names the frame
            file.write(data[:at - 4] + data[at + 4 + int.from_bytes(data[at - 4:at], "big") + 4:])
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1", code=FAILED)
        self.assertEqual(done.stderr, "1 frame is not Roundel's: out/1.png\n")

    def test_equal_reasons_are_one_line(self):
        self.run_roundel("render", "balls.yaml", "--frames", "1-40", "--size", "48x32", "-o",
                         "out/%d.png")
        for frame in (3, 9):
            os.unlink(self.path(f"out/{frame}.png"))
        os.symlink("1.png", self.path("out/9.png"))
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1-40", "--scene", "balls.yaml",
                                code=FAILED)
        self.assertEqual(done.stderr, "38 frames are 48x32, expected 96x64: 1-2,4-8,10-40\n"
                                      "1 frame is a link, not a file: out/9.png\n")
        self.assertEqual(done.stdout.splitlines(), ["missing: 3", "foreign: 1-2,4-40", "--frames 1-40"])
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1-40", "--scene", "balls.yaml",
                                "--size", "48x32", "--seed", "2", code=FAILED)
        self.assertIn("38 frames are of seed 1, expected 2: ", done.stderr)
        # Files shifted by one.
        for frame in range(40, 9, -1):
            os.rename(self.path(f"out/{frame}.png"), self.path(f"out/{frame + 1}.png"))
        done = self.run_roundel("verify", "out/%d.png", "--frames", "11-41", code=FAILED)
        self.assertEqual(done.stderr, "31 frames are misnamed: 11-41; out/11.png is frame 10\n"
                                      "8 more files match out/%d.png: 1-2,4-9\n")

    def test_deleting_removes_only_corrupt_frames(self):
        self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.png")
        expected = self.contents()
        for frame, size in ((2, -30), (3, 0)):
            with open(self.path(f"out/{frame}.png"), "wb") as file:
                file.write(expected[f"{frame}.png"][:size])
        shutil.copy(self.path("out/8.png"), self.path("out/4.png"))
        with open(self.path("out/5.png"), "wb") as file:
            file.write(b"a letter")
        os.unlink(self.path("out/6.png"))
        os.symlink("1.png", self.path("out/6.png"))
        os.unlink(self.path("out/7.png"))
        os.mkdir(self.path("out/7.png"))
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1-9", "--delete", code=FAILED)
        self.assertEqual(done.stdout, "corrupt: 2-3,7\nforeign: 4-6\n--frames 2-7\n")
        self.assertTrue(done.stderr.endswith("\n2 corrupt frames deleted\n"), done.stderr)
        self.assertEqual(self.frames_in(), sorted(f"{i}.png" for i in (1, *range(4, 10))))
        self.assertEqual(self.read("out/5.png"), b"a letter")
        done = self.run_roundel("verify", "out/%d.png", "--frames", "1-3", "--delete", code=FAILED)
        self.assertEqual((done.stdout, done.stderr),
                         ("missing: 2-3\n--frames 2-3\n",
                          "6 more files match out/%d.png: 4-9\n0 corrupt frames deleted\n"))
        self.run_roundel("render", "balls.yaml", "--frames", "1-3", "-o", "out/%d.png", "--resume")
        self.run_roundel("verify", "out/%d.png", "--frames", "1-3", "--delete")
        self.assertEqual({n: self.read("out/" + n) for n in ("1.png", "2.png", "3.png")},
                         {n: expected[n] for n in ("1.png", "2.png", "3.png")})

    def test_a_manifest_has_the_hashes_of_pixels(self):
        self.run_roundel("render", "balls.yaml", "--frames", "8-11", "-o", "out/%d.png")
        self.run_roundel("render", "alpha.yaml", "--frames", "8-11", "-o", "out/%d.exr")
        self.run_roundel("render", "balls.yaml", "--frames", "8-11", "-o", "out/%d.pfm")

        def manifest(ending, code=DONE):
            self.run_roundel("verify", f"out/%d.{ending}", "--frames", "8-11", "--manifest", "m.txt", code=code)
            return self.read("m.txt").decode().splitlines()

        for ending in ("png", "exr", "pfm"):
            lines = manifest(ending)
            for frame, line in zip(range(8, 12), lines, strict=True):
                self.assertRegex(line, rf"^{frame} 96x64 [0-9a-f]{{32}}$")
            self.assertEqual(len({line.split()[-1] for line in lines}), 4)
        # Another program encodes equal pixels.
        lines = manifest("png")
        data = self.read("out/9.png")
        width, height, channels, pixels = png_pixels(data)
        rows = b"".join(b"\0" + pixels[y * width * channels:(y + 1) * width * channels] for y in range(height))
        at, end = data.index(b"IDAT") - 4, data.index(b"IEND") - 4
        idat = b"IDAT" + zlib.compress(rows)
        with open(self.path("out/9.png"), "wb") as file:
            file.write(data[:at] + struct.pack(">I", len(idat) - 4) + idat + struct.pack(">I", zlib.crc32(idat)) +
                       data[end:])
        self.assertEqual(manifest("png"), lines)
        # A sample increased by one, and a missing frame.
        changed = bytearray(rows)
        changed[5] ^= 1
        idat = b"IDAT" + zlib.compress(changed)
        with open(self.path("out/9.png"), "wb") as file:
            file.write(data[:at] + struct.pack(">I", len(idat) - 4) + idat + struct.pack(">I", zlib.crc32(idat)) +
                       data[end:])
        os.unlink(self.path("out/10.png"))
        other = manifest("png", code=FAILED)
        self.assertEqual([other[0], other[2]], [lines[0], lines[3]])
        self.assertNotEqual(other[1], lines[1])

    def test_a_manifest_never_replaces_inputs(self):
        self.run_roundel("render", "balls.yaml", "--frames", "1-2", "-o", "out/%d.png")
        with open(self.path("list.txt"), "w", encoding="ascii") as file:
            file.write("1-2")
        os.symlink("out/2.png", self.path("link"))
        before = {name: self.read(name) for name in ("balls.yaml", "list.txt", "out/1.png", "out/2.png")}
        for name in ("balls.yaml", "list.txt", "out/1.png", "link", "list.txt/m.txt", "out"):
            done = self.run_roundel("verify", "out/%d.png", "--frames", "@list.txt", "--scene", "balls.yaml",
                                    "--manifest", name, code=REFUSED)
            self.assertIn(f"error: {name}: ", done.stderr)
        self.assertEqual({name: self.read(name) for name in before}, before)
        self.run_roundel("verify", "out/%d.png", "--frames", "1-2", "--manifest", "-", code=USAGE)
        self.run_roundel("verify", "out/%d.png", "--frames", "1-2", "--manifest", "new/levels/m.txt")
        self.assertEqual(self.read("new/levels/m.txt").count(b"\n"), 2)

    def test_pfm_frames_of_another_size(self):
        self.run_roundel("render", "balls.yaml", "--frames", "1-9", "-o", "out/%d.pfm")
        self.run_roundel("render", "balls.yaml", "--frame", "4", "--size", "48x32", "-o", "out/4.pfm")
        done = self.run_roundel("verify", "out/%d.pfm", "--frames", "1-9", code=FAILED)
        self.assertEqual((done.stdout, done.stderr), ("foreign: 4\n--frames 4\n",
                                                      "1 frame is 48x32, expected 96x64: out/4.pfm\n"))

    def test_a_name_without_a_number(self):
        self.run_roundel("verify", "out/a.png", "--frames", "1-2", code=USAGE)
        self.run_roundel("verify", "out/%d.jpg", "--frames", "1-2", code=USAGE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
