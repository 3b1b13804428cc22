#!/usr/bin/env python3
"""Films with your own motion: keys over time, vars, real time, names without gaps. Usage: motion_test.py
PATH_OF_ROUNDEL
"""

import os
import re
import unittest

from command_case import CommandCase

DONE, USAGE, INVALID, REFUSED = 0, 2, 3, 4
FILM = """version: 1
vars: {tint: "#ff8000"}
image: {width: 48, height: 32}
view: {center: [0.5, 0.5], zoom: {keys: {0: 1, 10: 40}, ease: exponential}}
layers:
  - {generator: rand10k, name: dots}
  - circles: [{x: {keys: {4: 0, 0.5s: 1}}, y: 0.5, radius: 0.2, color: $tint}]
    opacity: {keys: {10: 1, 20: 0.5}}
animation: {fps: 20, frames: 21}
"""
STILL = "version: 1\nimage: {width: 48, height: 32}\nlayers: [{generator: rgb}]\n"
SIMULATED = "version: 1\nimage: {width: 48, height: 32}\nlayers: [{generator: hypnosis}]\nanimation: {fps: 30%s}\n"


class MotionTest(CommandCase):
    def scene(self, text, name="s.yaml"):
        self.write(name, text)

    def render(self, *arguments, output="f/f_##.png", code=DONE):
        return self.run_roundel("render", "s.yaml", "--backend", "cpu", "-o", output, *arguments, code=code)

    def pixels(self, *arguments, name="s.yaml"):
        return self.run_roundel("render", name, "--backend", "cpu", "-q", "-o", "-", "--format", "rawvideo",
                                *arguments).stdout

    def assertSame(self, one, other):  # pylint: disable=invalid-name
        self.assertTrue(one == other, "pixels differ")

    def test_stills_of_frames_below_0_equal_the_film(self):
        self.scene(FILM.replace("{4: 0, 0.5s: 1}", "{-8: 0, 0.5s: 1}"))
        self.render("--frames", "-10--7")
        for frame in (-10, -7):
            self.render("--frame", str(frame), output="still.png")
            self.assertEqual(self.read("still.png"), self.read(f"f/f_{frame:02}.png"))
        self.assertNotEqual(self.read("f/f_-8.png"), self.read("f/f_-7.png"))

    def test_frames_equal_stills_and_an_edit_of_the_end_keeps_the_beginning(self):
        self.scene(FILM)
        self.render("--frames", "all")
        for frame in (0, 5, 10, 20):
            self.render("--frame", str(frame), output="still.png")
            self.assertEqual(self.read("still.png"), self.read(f"f/f_{frame:02}.png"))
        self.assertEqual(len({self.read(f"f/f_{frame:02}.png") for frame in range(21)}), 21)
        self.scene(FILM.replace("20: 0.5", "20: 0.25"))
        self.assertIn(b"11-20", self.render("--frames", "all", "--resume", code=REFUSED).stderr)
        printed = self.render("--frames", "all", "--resume", "--overwrite").stderr
        self.assertIn(b"11 kept", printed)
        self.run_roundel("verify", "f/f_##.png", "--frames", "all", "--scene", "s.yaml")

    def test_constant_keys_are_not_motion(self):
        still = "nothing in this scene depends on the frame: the 11 pictures are the same"
        self.scene(FILM.replace("opacity: {keys: {10: 1, 20: 0.5}}", "opacity: {keys: {10: 1, 20: 1}}"))
        self.assertNotIn(still, self.render("--frames", "0-10").stderr.decode())
        self.assertIn(still, self.render("--frames", "10-20", "--overwrite").stderr.decode())  # after the last other key
        self.assertNotIn("opacity", self.run_roundel("validate", "s.yaml").stdout.decode())
        for frame in (10, 15, 20):
            self.render("--frame", str(frame), output="still.png")
            self.assertEqual(self.read("still.png"), self.read(f"f/f_{frame:02}.png"))
        self.assertIn(b"21 kept", self.render("--frames", "0-20", "--resume").stderr)
        self.run_roundel("verify", "f/f_##.png", "--frames", "5-20", "--scene", "s.yaml")

    def test_vars_are_set_for_films_and_checked(self):
        self.scene(FILM)
        other = self.pixels("--frames", "7", "--set", "tint=#0000ff")
        self.assertTrue(other != self.pixels("--frames", "7"))
        self.scene(FILM.replace("#ff8000", "#0000ff"), "blue.yaml")
        self.assertTrue(other == self.pixels("--frames", "7", name="blue.yaml"))
        self.render("--frames", "7", "--set", "tint=#0000ff")
        self.run_roundel("verify", "f/f_##.png", "--frames", "7", "--scene", "s.yaml", "--set", "tint=#0000ff")
        self.run_roundel("verify", "f/f_##.png", "--frames", "7", "--scene", "s.yaml", code=1)
        for value, code, printed in (("tin=1", USAGE, b"did you mean"), ("tint=[", USAGE, b"one value"),
                                  ("tint=red", INVALID, b"expected a colour")):
            self.assertIn(printed, self.render("--frames", "13", "--set", value, code=code).stderr)
            self.assertFalse(os.path.exists(self.path("f/f_13.png")))

    def test_shards_make_the_same_film(self):
        self.scene(FILM)
        self.render("--frames", "-3-15", output="a/f_##.png")
        for shard in ("1/3", "2/3", "3/3"):
            self.render("--frames", "-3-15", "--shard", shard, output="b/f_##.png")
        for name in os.listdir(self.path("a")):
            self.assertEqual(self.read(f"a/{name}"), self.read(f"b/{name}"))
        self.assertEqual(len(os.listdir(self.path("b"))), 19)

    def test_names_without_gaps(self):
        self.scene(FILM)
        self.render("--frames", "-4-20x4,30", output="all/f_##.png")
        self.render("--frames", "-4-20x4,30", "--renumber")
        numbers = [-4, 0, 4, 8, 12, 16, 20, 30]
        self.assertEqual(sorted(os.listdir(self.path("f"))), [f"f_{n:02}.png" for n in range(len(numbers))])
        for place, frame in enumerate(numbers):
            self.assertEqual(self.read(f"f/f_{place:02}.png"), self.read(f"all/f_{frame:02}.png"))
        self.assertIn(b"8 kept", self.render("--frames", "-4-20x4,30", "--renumber", "--resume").stderr)
        os.unlink(self.path("f/f_05.png"))
        done = self.run_roundel("verify", "f/f_##.png", "--frames", "-4-20x4,30", "--renumber", "--scene", "s.yaml", code=1)
        self.assertIn(b"missing: 16", done.stdout)
        self.render("--frames", "-4-20x4,30", "--renumber", "--resume", "--shard", "2/2")
        self.assertEqual(self.read("f/f_05.png"), self.read("all/f_16.png"))
        self.assertIn(b"--renumber: works only with --frames", self.render("--renumber", code=USAGE).stderr)

    def test_a_stream_of_some_frames_has_their_rate(self):
        self.scene(FILM)
        for frames, rate in (("0-8x2", b"F10:1"), ("0-9x3", b"F20:3"), ("0-8", b"F20:1"), ("0,1,5", b"F20:1"), ("3", b"F20:1")):
            stream = self.run_roundel("render", "s.yaml", "-o", "-", "--format", "y4m", "--frames", frames, "-q").stdout
            self.assertIn(b" " + rate + b" ", stream.split(b"\n")[0])

    def test_real_time_follows_fps(self):
        self.scene(SIMULATED % "", "steps.yaml")
        self.scene(SIMULATED % ", time: real")
        for frame in (-2, 0, 1, 7, 20):
            self.assertSame(self.pixels("--frames", str(frame)), self.pixels("--frames", str(2 * frame), name="steps.yaml"))
        self.render("--frames", "0-3")
        self.scene(SIMULATED % ", time: real" + "output: other.png\n")
        self.assertIn(b"4 kept", self.render("--frames", "0-3", "--resume").stderr)
        self.scene(SIMULATED.replace("30", "24") % ", time: real")
        self.render("--frames", "0-3", "--resume", code=REFUSED)
        self.assertSame(self.pixels("--frames", "24"), self.pixels("--frames", "60", name="steps.yaml"))
        self.scene(SIMULATED.replace("30", "1e-9") % ", time: real")
        self.assertIn(b"steps of 1/60 s", self.render("--frame", "1", output="a.png", code=INVALID).stderr)

    def test_validate_lists_moving_values(self):
        self.scene(FILM)
        printed = self.run_roundel("validate", "s.yaml").stdout.decode()
        self.assertIn('  moves        view: zoom\n               layers[1]: opacity, x of 1 circle\n', printed)
        self.scene(SIMULATED % "")
        self.assertIn("  moves        layers[0]: simulated\n", self.run_roundel("validate", "s.yaml").stdout.decode())
        self.scene(STILL)
        self.assertNotIn("moves", self.run_roundel("validate", "s.yaml").stdout.decode())
        printed = self.render("--frames", "0-9").stderr.decode()
        self.assertEqual(len(re.findall("nothing in this scene depends on the frame", printed)), 1)

    def test_simulated_scenes_fill_pictures_of_any_aspect(self):
        for width, height in ((160, 90), (60, 90)):
            self.scene("version: 1\nimage: {width: %d, height: %d, background: 0}\nview: {fit: square, margin: 0, aspect: cover}\n"
                       "layers: [{generator: snow}]\n" % (width, height))
            rows = self.pixels("--frame", "700")
            for left in (0, width // 2, width - 8):  # flakes everywhere, also at both sides
                strip = b"".join(rows[3 * (y * width + left):3 * (y * width + left + 8)] for y in range(height))
                self.assertGreater(sum(value > 0 for value in strip), len(strip) // 4, (width, left))


if __name__ == "__main__":
    unittest.main(verbosity=2)
