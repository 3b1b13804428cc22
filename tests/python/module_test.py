#!/usr/bin/env python3
"""module_test.py ROUNDEL: the module draws the command's pictures, and reports errors."""
import hashlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from command_case import ROUNDEL, CommandCase

SCENES = pathlib.Path(__file__).parents[2] / "scenes"
# Runs before NumPy is loaded. Processor time, which other programs barely change.
IMPORT = "import sys, time; t = time.process_time(); import roundel; t = time.process_time() - t; " \
         "print(t, 'numpy' in sys.modules)"
with tempfile.TemporaryDirectory() as folder:  # with the bytecode of an installed package
    CACHE = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    IMPORTS = [subprocess.run([sys.executable, "-X", f"pycache_prefix={folder}", "-c", IMPORT], check=True, env=CACHE,
                              capture_output=True, text=True).stdout.split() for _ in range(7)]

import numpy as np  # noqa: E402
import roundel  # noqa: E402

ALPHA = {"version": 1, "image": {"width": 61, "height": 47, "alpha": True},
         "layers": [{"circles": [{"x": 0.5, "y": 0.4, "radius": 0.3, "color": "#ff8800", "alpha": 0.7}]}]}


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Module(CommandCase):
    def raw(self, *arguments, pixels="rgb24"):
        return self.run_roundel("render", *map(str, arguments), "-o", "-", "--format", "rawvideo", "--pixel-format",
                                pixels, "--progress", "none").stdout

    def test_import_is_quick_and_skips_numpy(self):
        self.assertLess(min(float(seconds) for seconds, _ in IMPORTS), 0.05)
        self.assertEqual({numpy for _, numpy in IMPORTS}, {"False"})

    def test_without_numpy_arrays_are_refused_and_files_are_drawn(self):
        code = f"""
import sys
sys.modules["numpy"] = None  # as if it were not installed
import roundel
roundel.save({str(SCENES / "rgb.yaml")!r}, {self.path("a.png")!r}, size=(8, 8))
for draw in (lambda: roundel.render({{"version": 1, "layers": []}}), lambda: roundel.Scene(size=(8, 8)).add(x=[0.0], y=[0.0], radius=1)):
    try:
        draw()
    except ImportError as error:
        print(error)
"""
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout, 2 * "roundel needs NumPy for arrays; to install it: sudo apt-get install python3-numpy, or pip install numpy\n")
        self.assertTrue(os.path.exists(self.path("a.png")))

    def test_arrays_match_the_commands_pixels(self):
        for name, frame in (("rgb", 0), ("rand10k", 0), ("rand1M", 0), ("winter", 0), ("bokeh", 0), ("snow", 300),
                            ("title", 144), ("fireworks", 40)):
            with self.subTest(name):
                scene = SCENES / f"{name}.yaml"
                drawn = roundel.render(scene, frame=frame, size=(160, 90))
                self.assertEqual((drawn.shape, drawn.dtype), ((90, 160, 3), np.uint8))
                self.assertEqual(digest(drawn), digest(self.raw(scene, "--frames", frame, "--size", "160x90")))

    def test_every_backend_and_number_of_threads_draws_the_same(self):
        scene = SCENES / "winter.yaml"
        expected = digest(self.raw(scene, "--frames", "0", "--size", "300x200"))
        backends = ["auto", "cpu"] + (["cuda"] if roundel.info()["devices"] else [])
        for backend in backends:
            for threads in (0, 1, 3):
                drawn = roundel.render(scene, size=(300, 200), backend=backend, threads=threads)
                self.assertEqual(digest(drawn), expected, (backend, threads))

    def test_words_and_floats_match_the_files(self):
        self.write("dithered.yaml", "version: 1\nimage: {width: 70, height: 50, dither: true}\nlayers:\n"
                                    "  - generator: rand10k\n")
        for scene in (SCENES / "bokeh.yaml", self.path("dithered.yaml")):
            words = roundel.render(scene, size=(70, 50), dtype="uint16")
            self.assertEqual(words.dtype, np.uint16)
            np.testing.assert_array_equal(words, roundel.render(scene, size=(70, 50), dtype=np.uint16))
            raw = self.raw(scene, "--frames", "0", "--size", "70x50", pixels="rgb48le")
            self.assertEqual(digest(words.astype("<u2")), digest(raw))
            floats = roundel.render(scene, size=(70, 50), dtype="float32")
            self.run_roundel("render", str(scene), "--size", "70x50", "-o", "a.pfm", "--backend", "cpu")
            header, pixels = b"PF\n70 50\n-1.0\n", self.read("a.pfm")[-70 * 50 * 12:]
            self.assertEqual(len(self.read("a.pfm")) - len(pixels), len(header))
            np.testing.assert_array_equal(floats[::-1], np.frombuffer(pixels, "<f4").reshape(50, 70, 3))
        self.assertEqual(digest(roundel.render(self.path("dithered.yaml"))),
                         digest(self.raw("dithered.yaml", "--frames", "0")))

    def test_alpha_is_a_fourth_channel(self):
        self.write("a.yaml", roundel_text(ALPHA))
        drawn = roundel.render(ALPHA)
        self.assertEqual(drawn.shape, (47, 61, 4))
        self.assertEqual(digest(drawn), digest(self.raw("a.yaml", "--frames", "0", pixels="rgba")))
        floats = roundel.render(ALPHA, dtype="float32")
        self.assertAlmostEqual(float(floats[28, 30, 3]), 0.7, 6)
        self.assertAlmostEqual(float(floats[28, 30, 0]), 0.7, 6)

    def test_row_0_is_on_top(self):
        top = {"version": 1, "image": {"width": 20, "height": 20},
               "layers": [{"circles": [{"x": 0.5, "y": 1, "radius": 0.3, "color": 0, "alpha": 1}]}]}
        drawn = roundel.render(top)
        self.assertEqual((drawn[0, 10, 0], drawn[19, 10, 0]), (0, 255))

    def test_seed_and_vars_match_the_command(self):
        self.write("v.yaml", "version: 1\nimage: {width: 64, height: 64}\nvars: {gain: 0.1, tint: \"#ff0000\"}\nlayers:\n"
                             "  - random: {count: 50, radius: $gain, color: $tint}\n")
        drawn = roundel.render(self.path("v.yaml"), seed=7, set={"gain": 0.2, "tint": [0, 0.5, 1]})
        self.assertEqual(digest(drawn), digest(self.raw("v.yaml", "--frames", "0", "--seed", "7", "--set", "gain=0.2",
                                                        "--set", "tint=[0, 0.5, 1]")))
        self.assertEqual(digest(roundel.render(self.path("v.yaml"), set={"tint": "#00ff00"})),
                         digest(self.raw("v.yaml", "--frames", "0", "--set", "tint=#00ff00")))

    def test_out_receives_the_picture(self):
        expected = roundel.render(ALPHA)
        wide = np.zeros((47, 122, 4), np.uint8)
        out = wide[:, ::2]
        self.assertIs(roundel.render(ALPHA, out=out), out)
        np.testing.assert_array_equal(out, expected)
        self.assertFalse(wide[:, 1::2].any())
        for wrong in (np.zeros((61, 47, 4), np.uint8), np.zeros((47, 61, 4), np.uint16)):
            with self.assertRaisesRegex(roundel.UsageError, r"out: expected uint8 \[47, 61, 4\], got uint"):
                roundel.render(ALPHA, out=wrong)

    def test_files_match_the_command_byte_by_byte(self):
        for ending in ("png", "exr", "pfm"):
            roundel.save(SCENES / "snow.yaml", self.path("a." + ending), frame=310, size=(80, 60))
            self.run_roundel("render", str(SCENES / "snow.yaml"), "--frame", "310", "--size", "80x60", "-o", "b." + ending)
            self.assertEqual(digest(self.read("a." + ending)), digest(self.read("b." + ending)), ending)
        self.assertEqual(roundel.Scene.from_file(SCENES / "rgb.yaml")._repr_png_(), self.png_of("rgb"))

    def test_a_missing_folder_is_made_like_by_the_command(self):
        roundel.save(ALPHA, self.path("new/a.png"))
        self.write("a.yaml", roundel_text(ALPHA))
        self.run_roundel("render", "a.yaml", "-o", "other/a.png")
        self.assertEqual(self.read("new/a.png"), self.read("other/a.png"))
        roundel.Scene.from_dict(ALPHA).add(x=[0.5], y=[0.5], radius=0.1).save(self.path("scene/s.yaml"))
        self.assertEqual(sorted(os.listdir(self.path("scene"))), ["s.yaml", "s_1.npy"])
        os.symlink("linked/a.png", self.path("link.png"))
        roundel.save(ALPHA, self.path("link.png"))
        self.assertEqual(os.listdir(self.path("linked")), ["a.png"])
        roundel.save(ALPHA, self.path("two/levels/a.png"))
        self.assertEqual(os.listdir(self.path("two/levels")), ["a.png"])
        for draw in (lambda: roundel.save(ALPHA, self.path("a.yaml/folder/a.png")),
                     lambda: roundel.Scene.from_dict(ALPHA).save(self.path("a.yaml/folder/s.yaml"))):
            with self.assertRaisesRegex(roundel.OutputError, "a.yaml/folder: cannot make the folder: Not a directory"):
                draw()
        with self.assertRaises(roundel.Error):  # a failure leaves no file
            roundel.save(ALPHA, self.path("no/ne/a.gif"))
        self.assertFalse(os.path.exists(self.path("no")))

    def png_of(self, name):
        self.run_roundel("render", str(SCENES / f"{name}.yaml"), "-o", "c.png")
        return self.read("c.png")

    def test_a_dict_equals_the_scene_of_its_file(self):
        keys = {"version": 1, "image": {"width": np.int64(50), "height": 40, "background": (0.1, 0.2, np.float64(0.3))},
                "seed": 3, "view": {"zoom": {"keys": {0: 1, 60: 4}}},
                "animation": {"frames": 61},
                "layers": [{"name": "gr\u00fcn \U0001f600 \"q\"", "random": {"count": 200, "radius": 0.02}}]}
        self.write("d.yaml", "version: 1\nimage: {width: 50, height: 40, background: [0.1, 0.2, 0.3]}\nseed: 3\n"
                             "view: {zoom: {keys: {0: 1, 60: 4}}}\nanimation: {frames: 61}\n"
                             "layers:\n  - {random: {count: 200, radius: 0.02}}\n")
        self.assertEqual(roundel.fingerprint(keys, frame=30), roundel.fingerprint(self.path("d.yaml"), frame=30))
        self.assertNotEqual(roundel.fingerprint(keys, frame=30), roundel.fingerprint(keys))
        self.assertEqual(digest(roundel.render(keys, frame=30)), digest(self.raw("d.yaml", "--frames", "30")))
        facts = roundel.validate(keys)
        self.assertEqual((facts["circles"], facts["frames"], facts["fingerprint"]),
                         (200, 61, roundel.fingerprint(keys)))

    def test_a_file_saved_again_is_the_same_scene(self):
        self.write("vars.yaml", "version: 1\nimage: {width: 64, height: 64}\nvars: {gain: 0.1, tint: \"#ff0000\"}\nlayers:\n"
                                "  - random: {count: 50, radius: $gain, color: $tint}\n"
                                "  - circles: [{x: .5, y: {keys: {0: 1e-1, 1.5s: 0.7}}, radius: 0.1}]\n"
                                "animation: {frames: 90}\n")
        paths = sorted(str(path) for path in SCENES.glob("*.yaml")) + [self.path("vars.yaml")]
        self.assertGreater(len(paths), 15)
        for path in paths:
            roundel.Scene.from_file(path).save(self.path("again.yaml"))
            self.assertEqual(roundel.fingerprint(path, frame=40), roundel.fingerprint(self.path("again.yaml"), frame=40), path)
        self.assertEqual(roundel.fingerprint(self.path("again.yaml"), set={"gain": 0.2}),
                         roundel.fingerprint(self.path("vars.yaml"), set={"gain": 0.2}))

    def test_errors_list_all_mistakes(self):
        with self.assertRaises(roundel.SceneError) as caught:
            roundel.render({"version": 1, "image": {"backgroud": 1},
                            "layers": [{"circles": [{"x": 0, "y": 0, "radius": "big"}]}]})
        (first, second) = caught.exception.problems
        self.assertEqual(first, (None, None, None, "image",
                                 'unknown key "backgroud" (did you mean "background"?)'))
        self.assertEqual(second.key, "layers[0].circles[0].radius")
        self.assertEqual(str(caught.exception), "\n".join(f"{p.key}: {p.message}" for p in (first, second)))
        self.assertEqual(caught.exception.exit_code, 3)
        self.write("bad.yaml", "version: 1\nimage: {with: 3}\nlayers:\n  - generator: nothing\n")
        with self.assertRaises(roundel.SceneError) as caught:
            roundel.Scene.from_file(self.path("bad.yaml"))
        self.assertEqual([(p.path, p.line, p.column, p.key) for p in caught.exception.problems],
                         [(self.path("bad.yaml"), 2, 9, "image"), (self.path("bad.yaml"), 4, 16, "layers[0].generator")])
        printed = self.run_roundel("validate", self.path("bad.yaml"), code=3).stderr.decode()
        self.assertEqual([f"error: {line}" for line in str(caught.exception).strip().split("\n")], printed.strip().split("\n"))
        with self.assertRaises(roundel.SceneError) as caught:
            roundel.render(self.path("none.yaml"))
        self.assertIn("none.yaml: no such file", caught.exception.problems[0].message)

    def test_errors_have_the_exit_codes_meaning(self):
        for wrong, message in (({"size": (0, 5)}, "size: expected a whole number from 1 to 65536, got 0"),
                               ({"size": (5, 2**40)}, "size: expected a whole number from 1 to 65536, got 1099511627776"),
                               ({"backend": "gpu"}, 'backend: expected auto, cpu or cuda, got "gpu"'),
                               ({"dtype": "int8"}, 'dtype: expected uint8, uint16 or float32, got "int8"'),
                               ({"dtype": 5}, "dtype: expected uint8, uint16 or float32, got 5"),
                               ({"frame": -10000001}, "frame: expected a whole number from -10000000 to 10000000, got -10000001"),
                               ({"frame": 2**70}, "frame: expected a whole number from -10000000 to 10000000, got 1180591620717411303424"),
                               ({"threads": -1}, "threads: expected a whole number from 0 to 1024, got -1"),
                               ({"threads": 1025}, "threads: expected a whole number from 0 to 1024, got 1025"),
                               ({"threads": None}, "threads: expected a whole number, got None"),
                               ({"memory": 5}, "memory: expected a whole number >= 1048576, got 5"),
                               ({"memory": -5}, "memory: expected a whole number >= 1048576, got -5"),
                               ({"memory": 2**70}, "memory: expected a whole number >= 1048576"),
                               ({"seed": -1}, "seed: expected a whole number"),
                               ({"seed": 0.5}, "seed: expected a whole number, got 0.5"),
                               ({"frame": "7"}, "frame: expected a whole number, got '7'"),
                               ({"size": 64}, "size: expected \\(width, height\\), got 64"),
                               ({"size": (64, 2.5)}, "size: expected a whole number, got 2.5"),
                               ({"set": {"nothing": 1}}, "set nothing: scene has no such var"),
                               ({"set": [1]}, "set: expected values by name, as {.*}, got \\[1\\]"),
                               ({"set": {1: 1}}, "set: expected the name of a var, got 1"),
                               ({"set": {"gain": print}}, "set gain: expected texts, numbers, booleans, lists and dicts, got <built-in"),
                               ({"out": [1]}, "out: expected a NumPy array, got \\[1\\]"),
                               ({"out": read_only()}, "out: expected an array that may be written")):
            with self.subTest(wrong):
                with self.assertRaisesRegex(roundel.UsageError, "^" + message) as caught:
                    roundel.render(ALPHA, **wrong)
                self.assertEqual(caught.exception.exit_code, 2)
        for wrong in (None, 5, [ALPHA]):
            with self.assertRaisesRegex(roundel.UsageError, "^expected a scene: a path, a dict or a Scene, got "):
                roundel.render(wrong)
        with self.assertRaisesRegex(roundel.UsageError, "^scene: expected texts, numbers, booleans, lists and dicts, got <built-in"):
            roundel.render({**ALPHA, "seed": print})
        with self.assertRaises(roundel.Error):
            roundel.save(ALPHA, "/dev/null/such/a.png")
        with self.assertRaisesRegex(roundel.Error, "unknown ending, expected .png, .exr or .pfm"):
            roundel.save(ALPHA, self.path("a.gif"))
        self.assertEqual(os.listdir(self.folder), [])
        if not roundel.info()["devices"]:
            with self.assertRaisesRegex(roundel.RenderError, "^backend cuda: "):
                roundel.render(ALPHA, backend="cuda")

    def test_pictures_never_replace_inputs(self):
        import numpy
        numpy.save(self.path("d.npy"), numpy.array([[0.5, 0.5, 0.25]]))
        with open(self.path("d.yaml"), "w", encoding="utf-8") as file:
            file.write("version: 1\nimage: {width: 8, height: 8}\nlayers: [{data: d.npy, columns: [x, y, radius]}]\n")
        for target in ("d.npy", "d.yaml"):
            for make in (os.symlink, os.link):
                make(self.path(target), self.path("a.png"))
                with open(self.path(target), "rb") as file:
                    before = file.read()
                with self.assertRaisesRegex(roundel.OutputError, f'a.png: would replace ".*{target}", which'):
                    roundel.save(self.path("d.yaml"), self.path("a.png"))
                with open(self.path(target), "rb") as file:
                    self.assertEqual(file.read(), before)
                os.unlink(self.path("a.png"))
        roundel.save(self.path("d.yaml"), self.path("a.png"))
        roundel.save(self.path("d.yaml"), self.path("a.png"))

    def test_info_matches_the_command(self):
        import json
        machine = json.loads(self.run_roundel("info", "--json").stdout)
        machine.pop("mpi")  # needs only the command
        self.assertEqual(roundel.info(), machine)
        roundel.save(ALPHA, self.path("a.png"))
        (printed,) = json.loads(self.run_roundel("info", "--json", self.path("a.png")).stdout)
        self.assertEqual(roundel.info(self.path("a.png")), printed)
        self.assertEqual(printed["fingerprint"], roundel.fingerprint(ALPHA))

    def test_other_threads_run_meanwhile(self):
        seen = []
        done = threading.Event()
        drawing = threading.Thread(target=lambda: (roundel.render(SCENES / "rand10M.yaml", backend="cpu", threads=1), done.set()))
        drawing.start()
        while not done.is_set():
            seen.append(time.monotonic())
            time.sleep(0.002)
        drawing.join()
        self.assertGreater(len(seen), 20)

    def test_exceptions_escape_ci_commands(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            self.addCleanup(os.chdir, "/")
            with open("::error::x.yaml", "w", encoding="utf-8") as file:
                file.write('version: 1\nlayers: [{generator: "##vso[task.x]y"}]\n')
            with self.assertRaises(roundel.SceneError) as caught:
                roundel.render("::error::x.yaml")
            self.assertRegex(str(caught.exception), r"^\\x3a:error::x.yaml:2:\d+: .*\\x23#vso\[task")

    def test_ctrl_c_stops_and_the_module_still_works(self):
        code = ("import sys, time, roundel\n"
                "small = roundel.render(sys.argv[1], size=(64, 64)).tobytes()\n"
                "print('ready', flush=True)\n"
                "try:\n"
                "    while True: roundel.render(sys.argv[2], size=(6000, 6000), dtype='float32', frame=int(sys.argv[3]))\n"
                "except KeyboardInterrupt:\n"
                "    print('stopped', flush=True)\n"
                "print(roundel.render(sys.argv[1], size=(64, 64)).tobytes() == small)\n")
        for name, frame in (("rand10M", 0), ("snow", 9_000_000)):  # many circles; many steps
            with subprocess.Popen([sys.executable, "-c", code, str(SCENES / "winter.yaml"), str(SCENES / f"{name}.yaml"),
                                   str(frame)], stdout=subprocess.PIPE, text=True) as process:
                self.assertEqual(process.stdout.readline(), "ready\n")
                time.sleep(0.5)
                process.send_signal(signal.SIGINT)
                start = time.monotonic()
                self.assertEqual(process.stdout.readline(), "stopped\n")
                self.assertLess(time.monotonic() - start, 10)
                self.assertEqual(process.stdout.readline(), "True\n")
                self.assertEqual(process.wait(60), 0)


def read_only():
    array = np.zeros((47, 61, 4), np.uint8)
    array.flags.writeable = False
    return array


def roundel_text(keys):
    import json
    return json.dumps(keys)


if __name__ == "__main__":
    assert ROUNDEL
    unittest.main(verbosity=1)
