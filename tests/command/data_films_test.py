#!/usr/bin/env python3
"""Films of data, a file a frame. Usage: data_films_test.py PATH_OF_ROUNDEL"""

import os
import re
import shutil
import subprocess
import unittest

import numpy as np

from command_case import ROUNDEL, CommandCase

DONE, FAILED, INVALID, REFUSED, SOME_FAILED = 0, 1, 3, 4, 5
START, FRAMES = 3, 6
HEAD = f"image: {{width: 64, height: 48}}\nanimation: {{start: {START}, frames: {FRAMES}}}\n"
MAP = "map: {x: x, y: y, radius: {column: v, range: [0.01, 0.05]}, color: {column: v, colormap: ['#000000', '#ffffff']}}"


def columns(frame):
    """Returns a growing number of rows, and values that drift, so that each file has its own range."""
    random = np.random.default_rng(frame)
    rows = 50 + 40 * frame
    return {"x": random.uniform(0, 1 + frame, rows), "y": random.uniform(-frame, 1, rows),
            "v": random.uniform(frame, 2 * frame, rows),
            "kind": np.array(["a", "b", chr(ord("c") + frame)])[random.integers(0, 3, rows)]}


class DataFilmsTest(CommandCase):
    def setUp(self):
        super().setUp()
        for frame in self.frames():
            np.savez(self.path(f"d_{frame:04}.npz"), **columns(frame))

    @staticmethod
    def frames():
        return range(START, START + FRAMES)

    def scene(self, layer="data: d_####.npz, " + MAP, head=HEAD, name="s.yaml"):
        layers = "".join(f"  - {{{one}}}\n" for one in ([layer] if isinstance(layer, str) else layer))
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(f"version: 1\n{head}\nlayers:\n{layers}")

    def circles(self, *arguments):
        self.run_roundel("circles", "s.yaml", "--frames", "all", "-o", "c_##.npy", "--columns", "all", *arguments)
        return [np.load(self.path(f"c_{frame:02}.npy")) for frame in self.frames()]

    def error(self, *arguments, code=INVALID):
        return self.run_roundel(*(arguments or ("validate", "s.yaml")), code=code).stderr.decode()

    def validate(self, *arguments):
        return self.run_roundel("validate", "s.yaml", *arguments).stdout.decode()

    def fingerprint(self, *arguments):
        return self.validate(*arguments).split()[-1]

    @staticmethod
    def pixels(png):
        """Returns the packed pixels, without the texts, which include the fingerprint."""
        return png[png.index(b"IDAT"):]

    def picture(self, *arguments):
        self.run_roundel("render", "s.yaml", "-o", "p.png", "--backend", "cpu", "-q", *arguments)
        return self.read("p.png")

    def test_each_frame_has_its_file_and_one_domain(self):
        self.scene()
        values = [columns(frame)["v"] for frame in self.frames()]
        low, high = min(map(np.min, values)), max(map(np.max, values))
        for frame, found in zip(self.frames(), self.circles()):
            np.testing.assert_array_equal(found[:, 0], columns(frame)["x"])
            t = (columns(frame)["v"] - low) / (high - low)
            np.testing.assert_allclose(found[:, 4], t, atol=1e-6)
            np.testing.assert_allclose(found[:, 3], 0.01 + 0.04 * t, atol=1e-6)

    def test_over_frame_reads_each_file(self):
        self.scene("data: d_####.npz, " + MAP.replace("colormap", "over: frame, colormap"))
        for frame, found in zip(self.frames(), self.circles()):
            v = columns(frame)["v"]
            np.testing.assert_allclose(found[:, 4], (v - v.min()) / (v.max() - v.min()), atol=1e-6)

    def test_percentiles_and_ranks_cover_all_files(self):
        self.scene("data: d_####.npz, map: {x: x, y: y, radius: {column: v, scale: rank, range: [1, 2]}, "
                   "alpha: {column: v, domain: [10%, 70%]}}")
        values = np.sort(np.concatenate([columns(frame)["v"] for frame in self.frames()]))
        def rank(share):
            return values[max(int(np.ceil(share * len(values))), 1) - 1]
        ends, steps = (rank(0.1), rank(0.7)), np.array([rank(k / 256) for k in range(257)])
        for frame, found in zip(self.frames(), self.circles()):
            v = columns(frame)["v"]
            np.testing.assert_allclose(found[:, 7], np.clip((v - ends[0]) / (ends[1] - ends[0]), 0, 1), atol=1e-6)
            np.testing.assert_allclose(found[:, 3], 1 + np.interp(v, steps, np.arange(257) / 256), atol=1e-6)

    def test_categories_cover_all_files(self):
        self.scene("data: d_####.npz, map: {x: x, y: y, radius: 0.1, color: {column: kind, categories: tab10}}")
        self.scene("data: d_####.npz, map: {x: x, y: y, radius: 0.1, color: {column: kind, categories: {"
                   + ", ".join(f'"{kind}": "{color}"' for kind, color in zip(
                       ["a", "b", *(chr(ord("c") + frame) for frame in self.frames())],
                       ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f"])) + "}}}",
                   name="by_hand.yaml")
        for frame in (START, START + 4):
            self.run_roundel("circles", "by_hand.yaml", "--frame", str(frame), "-o", "h.npy")
            self.run_roundel("circles", "s.yaml", "--frame", str(frame), "-o", "c.npy")
            self.assertEqual(self.read("c.npy"), self.read("h.npy"))
        self.assertIn('"a": "#1f77b4"', self.validate())

    def test_the_window_covers_all_files_or_each(self):
        def views():
            return [re.search(r"view +(.*)", self.validate("--frame", str(frame))).group(1) for frame in self.frames()]
        self.scene(head=HEAD + "view: {fit: data, margin: 0}")
        self.assertEqual(len(set(views())), 1)
        x = np.concatenate([columns(frame)["x"] for frame in self.frames()])
        y = np.concatenate([columns(frame)["y"] for frame in self.frames()])
        left, right, bottom, top = map(float, re.findall(r"[-+.\de]+(?= to|,|$)", views()[0]))
        self.assertAlmostEqual((left + right) / 2, (x.min() + x.max()) / 2, 6)
        self.assertAlmostEqual((bottom + top) / 2, (y.min() + y.max()) / 2, 6)
        self.scene(head=HEAD + "view: {fit: data, over: frame}")
        self.assertEqual(len(set(views())), FRAMES)
        self.scene("data: d_####.npz, columns: [_, _, x, y]".replace("_, _, x, y", "x, y, radius"),
                   head=HEAD + "view: {fit: data, margin: 0}")
        self.assertIn("expected 4 names, one for each column of", self.error())

    def test_a_window_over_each_frame_covers_all_layers_of_the_frame(self):
        rows = "x,y,r\n0,0,0.3\n1,1,0.2\n0.2,0.9,0.1\n"
        self.write("one.csv", rows)
        for frame in self.frames():
            self.write(f"many_{frame:04}.csv", rows)
        moved = (f"map: {{x: x, y: y, radius: r}}, offset: {{keys: {{{START}: [0, 0], {START + 5}: [10, 4]}}}}, "
                 f"rotate: {{keys: {{{START}: 0, {START + 5}: 50}}}}")
        pictures = []
        for file in ("one", "many_####"):
            self.scene(["data: d_####.npz, " + MAP, f"data: {file}.csv, {moved}"],
                       head=HEAD + "view: {fit: data, over: frame}")
            stills = [self.picture("--frame", str(frame)) for frame in self.frames()]
            self.run_roundel("render", "s.yaml", "--frames", "all", "-o", "f_#.png", "--backend", "cpu", "-q", "--overwrite")
            self.assertTrue([self.read(f"f_{frame}.png") for frame in self.frames()] == stills)
            self.run_roundel("verify", "f_#.png", "--frames", "all", "--scene", "s.yaml")
            pictures.append([self.pixels(png) for png in stills])
        self.assertTrue(pictures[0] == pictures[1])

    def test_numbers_from_validate_draw_the_same_frames(self):
        self.scene(head=HEAD + "view: {fit: data}")
        printed = self.validate()
        low, high = re.search(r"color +v by linear: (\S+) to (\S+)\n", printed).groups()
        center, zoom = re.search(r"center +(\[.*\]), zoom: (\S+)\n", printed).groups()
        film = [self.fingerprint("--frame", str(frame)) for frame in self.frames()]
        self.scene("data: d_####.npz, " + MAP.replace("column: v", f"column: v, domain: [{low}, {high}]"),
                   head=HEAD + f"view: {{center: {center}, zoom: {zoom}}}")
        self.assertEqual(film, [self.fingerprint("--frame", str(frame)) for frame in self.frames()])
        self.assertEqual(len(set(film)), FRAMES)

    def test_films_shards_streams_and_stills_are_equal(self):
        self.scene(head=HEAD + "view: {fit: data}")
        stills = [self.picture("--frame", str(frame)) for frame in self.frames()]
        self.assertEqual(len(set(stills)), FRAMES)
        render = ("render", "s.yaml", "--backend", "cpu", "-q", "--frames", "all", "-o")
        self.run_roundel(*render, "all/f_##.png")
        for shard in ("1/3", "2/3", "3/3"):
            self.run_roundel(*render, "shards/f_##.png", "--shard", shard, "--threads", "1")
        for frame, still in zip(self.frames(), stills):
            self.assertEqual(self.read(f"all/f_{frame:02}.png"), still)
            self.assertEqual(self.read(f"shards/f_{frame:02}.png"), still)
        film = self.run_roundel(*render, "-", "--format", "rawvideo").stdout
        parts = [self.run_roundel("render", "s.yaml", "--frame", str(frame), "-q", "-o", "-", "--format", "rawvideo").stdout
                 for frame in self.frames()]
        self.assertEqual(film, b"".join(parts))
        self.assertEqual(len(film), FRAMES * 64 * 48 * 3)

    def test_resume_and_verify_know_each_frames_data(self):
        self.scene()
        render = ("render", "s.yaml", "--frames", "all", "-o", "f_##.png")
        self.run_roundel(*render)
        verify = ("verify", "f_##.png", "--frames", f"{START}-{START + FRAMES - 1}")
        self.run_roundel(*verify, "--scene", "s.yaml")
        self.assertIn(b"--scene SCENE checks it", self.run_roundel(*verify).stderr)
        os.remove(self.path("f_05.png"))
        self.assertIn(b"1 frame", self.run_roundel(*render, "--resume").stderr)
        np.savez(self.path("d_0004.npz"), **{name: values[::-1] for name, values in columns(4).items()})
        self.assertIn("1 frame is of another scene: f_04.png", self.error(*render, "--resume", code=REFUSED))
        done = self.run_roundel(*verify, "--scene", "s.yaml", code=FAILED)
        self.assertEqual(done.stdout, b"foreign: 4\n--frames 4\n")
        shutil.copy(self.path("f_07.png"), self.path("f_06.png"))
        self.assertIn(b"foreign: 6", self.run_roundel(*verify, code=FAILED).stdout)

    def test_simulated_layers_move_beside_data(self):
        self.scene(["generator: fireworks", "data: d_####.npz, " + MAP])
        for frame, found in zip(self.frames(), self.circles()):
            self.run_roundel("circles", "s.yaml", "--frame", str(frame), "-o", "one.npy", "--columns", "all")
            np.testing.assert_array_equal(found, np.load(self.path("one.npy")))

    def test_columns_are_found_by_name(self):
        for frame in self.frames():
            data = columns(frame)
            names = ["x", "y", "v"] if frame % 2 else ["v", "extra", "y", "x"]
            with open(self.path(f"d_{frame}.csv"), "w", encoding="ascii") as file:
                file.write(",".join(names) + "\n")
                for i in range(len(data["x"])):
                    file.write(",".join(repr(float(data[name][i])) if name in data else "text" for name in names) + "\n")
        self.scene("data: d_#.csv, " + MAP)
        from_csv = self.circles()
        self.scene()
        for a, b in zip(from_csv, self.circles()):
            np.testing.assert_array_equal(a, b)

    def test_missing_files_are_reported_together(self):
        self.scene()
        for frame in (4, 5, 8):
            os.remove(self.path(f"d_{frame:04}.npz"))
        for arguments in (("validate", "s.yaml"), ("render", "s.yaml", "--frames", "3", "-o", "f_#.png")):
            self.assertRegex(self.error(*arguments),
                             r"s.yaml:6:12: layers\[0\].data: no file for 3 of 6 frames: 4-5,8 \(.*d_0004.npz\)")
        self.assertFalse(os.path.exists(self.path("f_3.png")))

    def test_only_drawn_frames_need_files_if_the_scene_has_numbers(self):
        written = MAP.replace("range:", "domain: [3, 16], range:").replace("colormap:", "domain: [3, 16], colormap:")
        self.scene("data: d_####.npz, " + written)
        before = self.picture("--frame", "6")
        for frame in (4, 5, 8):
            os.remove(self.path(f"d_{frame:04}.npz"))
        self.assertEqual(self.picture("--frame", "6", "--overwrite"), before)
        self.run_roundel("render", "s.yaml", "--frames", "3,6-7", "-o", "f_##.png")
        for frames in ("all", "3-8"):
            self.assertIn("no file for 3 of 6 frames: 4-5,8", self.error("render", "s.yaml", "--frames", frames, "-o", "g_##.png"))
            self.assertFalse(os.path.exists(self.path("g_03.png")))
        self.scene("data: d_####.npz, " + written, head=HEAD + "view: {fit: data}\n")
        self.assertRegex(self.error(), r"layers\[0\].data: no file for 3 of 6 frames: 4-5,8")
        self.scene("data: d_####.npz, " + written, head=HEAD + "view: {fit: data, over: frame}\n")
        self.run_roundel("validate", "s.yaml")
        os.remove(self.path("d_0003.npz"))
        self.assertRegex(self.error(), r"layers\[0\].data: no file for 4 of 6 frames: 3-5,8")

    def test_frames_beyond_the_animation_need_files(self):
        self.scene()
        self.assertIn("no file for 2 of 4 frames: 9-10", self.error("render", "s.yaml", "--frames", "7-10", "-o", "f_##.png"))
        self.assertFalse(os.path.exists(self.path("f_07.png")))
        shutil.copy(self.path("d_0003.npz"), self.path("d_0009.npz"))
        self.run_roundel("render", "s.yaml", "--frames", "9", "-o", "f_##.png")
        self.assertIn("no such file", self.error("render", "s.yaml", "--frame", "10", "-o", "f.png"))

    def test_bad_films_are_errors(self):
        self.scene(head="image: {width: 64, height: 48}\n")
        self.assertIn('for one file per frame add "animation"', self.error())
        self.scene(head=HEAD + "view: {fit: square, over: frame}")
        self.assertIn("view.over: needs fit: data", self.error())
        self.scene()
        np.savez(self.path("d_0005.npz"), x=[1.0], y=[1.0], speed=[1.0])
        self.assertIn('d_0005.npz has no column "v"', self.error())
        np.savez(self.path("d_0005.npz"), x=[1.0], y=[1.0], v=["fast"])
        self.assertRegex(self.error(), r'd_0005.npz: row 0: v: expected numbers, as .*d_0003.npz has, got "fast"')
        np.savez(self.path("d_0005.npz"), x=[1.0, np.nan], y=[1.0, 1], v=[1.0, 1])
        self.assertIn("d_0005.npz: row 1: x: expected a number", self.error())
        for frame in self.frames():
            with open(self.path(f"d_{frame:04}.csv"), "w") as file:
                file.write("x,y,v\n1,1,1\n1,%s,1\n" % ("far" if frame == 5 else 1))
        self.scene("data: d_####.csv, " + MAP)
        self.assertRegex(self.error(), r"d_0005.csv: line 3: column y: expected numbers, as .*d_0003.csv has, got \"far\"")

    def spoil(self, frame):
        """Gives the data a row that cannot be drawn."""
        data = columns(frame)
        data["x"][7] = np.nan
        np.savez(self.path(f"d_{frame:04}.npz"), **data)

    def test_bad_data_fail_only_their_frame(self):
        maps = {"map": MAP.replace("colormap", "over: frame, colormap").replace("range", "over: frame, range"),
                "numbers": "map: {x: x, y: y, radius: 0.02}", "where": "map: {x: x, y: y, radius: 0.02}, where: {v: {min: 0}}"}
        for name, one in maps.items():
            with self.subTest(name):
                for frame in self.frames():
                    np.savez(self.path(f"d_{frame:04}.npz"), **columns(frame))
                self.scene("data: d_####.npz, " + one)
                render = ("render", "s.yaml", "--frames", "all", "-o", f"{name}_##.png")
                for threads in "12":
                    self.run_roundel(*render, "--overwrite", "--threads", threads)
                    whole = {frame: self.read(f"{name}_{frame:02}.png") for frame in self.frames()}
                    for bad in (START, 5, START + FRAMES - 1):
                        self.spoil(bad)
                        for frame in self.frames():
                            os.remove(self.path(f"{name}_{frame:02}.png"))
                        printed = self.error(*render, "--threads", threads, code=SOME_FAILED)
                        self.assertIn(f"frame {bad}: d_{bad:04}.npz: row 7: x: expected a number from -1e15 to 1e15, got nan",
                                      printed)
                        self.assertIn(f"1 of 6 frames are missing; to draw them: the same command with --resume, or with --frames {bad}\n", printed)
                        self.assertEqual({frame: self.read(f"{name}_{frame:02}.png") for frame in self.frames()
                                          if frame != bad}, {f: p for f, p in whole.items() if f != bad})
                        self.assertFalse(os.path.exists(self.path(f"{name}_{bad:02}.png")))
                        self.assertIn("0 frames (5 kept)", self.error(*render, "--resume", code=SOME_FAILED))
                        verify = ("verify", f"{name}_##.png", "--frames", "all", "--scene", "s.yaml")
                        self.assertEqual(self.run_roundel(*verify, code=FAILED).stdout.decode(),
                                         f"missing: {bad}\n--frames {bad}\n")
                        self.assertIn("row 7: x", self.error("validate", "s.yaml", "--frame", str(bad)))
                        self.run_roundel("validate", "s.yaml", "--frame", "4")
                        self.run_roundel("render", "s.yaml", "--frame", "4", "-o", "still.png")
                        self.assertEqual(self.read("still.png"), whole[4])
                        np.savez(self.path(f"d_{bad:04}.npz"), **columns(bad))
                        self.assertIn("1 frame (5 kept)", self.error(*render, "--resume", code=DONE))
                        self.assertEqual(self.read(f"{name}_{bad:02}.png"), whole[bad])

    def test_texts_without_a_color_fail_only_their_frame(self):
        for frame, values in enumerate((("#ff0000", "#00ff00"), ("--", "3"), ("1", ""), ("", ""))):
            self.write(f"t_{frame:04}.csv", "x,y,v\n" + "".join(f"{i},1,{value}\n" for i, value in enumerate(values)))
        self.write("t.yaml", "version: 1\nlayers: [{data: t_####.csv, map: {x: x, y: y, radius: 1, "
                             'color: {column: v, missing: "#ff0000"}}}]\nanimation: {frames: 4}\n')
        printed = self.error("render", "t.yaml", "--frames", "all", "-o", "t_#.png", code=SOME_FAILED)
        self.assertIn('frame 1: none of the texts of "v" of t_0001.csv is a colour #rrggbb, first in line 2: "--"', printed)
        self.assertIn('frame 2: none of the texts of "v" of t_0002.csv', printed)
        self.assertIn("2 of 4 frames are missing; to draw them: the same command with --resume, or with --frames 1-2\n", printed)

    def test_other_bad_files_fail_only_their_frame(self):
        self.scene("data: d_####.npz, map: {x: x, y: y, radius: 0.02}")
        render = ("render", "s.yaml", "--frames", "all", "-o", "f_##.png")
        np.savez(self.path("d_0004.npz"), x=[1.0], speed=[1.0])
        self.write("d_0006.npz", "PK\x03\x04 and nothing more")
        printed = self.error(*render, code=SOME_FAILED)
        self.assertIn('frame 4: d_0004.npz has no column "y"', printed)
        self.assertIn("frame 6: d_0006.npz: the archive's directory is broken or cut short", printed)
        self.assertIn("2 of 6 frames are missing; to draw them: the same command with --resume, or with --frames 4,6\n", printed)

    def test_equal_bad_frames_have_no_picture(self):
        """Small data with `columns` are checked while drawing, after frames were compared."""
        good, bad = np.full((3, 3), 0.25, np.float32), np.array([[0.5, 0.5, 0.1], [np.nan, 0, 0.1]], np.float32)
        self.scene("data: p_##.npy, columns: [x, y, radius]")
        for begin, said_bad in (([good, good, bad, bad, good, good], "5-6"), ([bad, bad, good, good, bad, bad], "3-4,7-8")):
            for frame, rows in zip(self.frames(), begin):
                np.save(self.path(f"p_{frame:02}.npy"), rows)
            printed = self.error("render", "s.yaml", "--frames", "all", "-o", "a_##.png", "--overwrite", code=SOME_FAILED)
            self.assertIn(f"to draw them: the same command with --resume, or with --frames {said_bad}\n", printed)

    def test_exports_that_share_a_film_skip_bad_frames(self):
        self.scene("data: d_####.npz, map: {x: x, y: y, radius: 0.02}")
        for frame in (4, 5, 7):
            self.spoil(frame)
        command = [ROUNDEL, "render", "s.yaml", "--frames", "all", "-o", "f_##.png", "--resume", "--backend", "cpu"]
        both = [subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE) for _ in range(2)]
        for process in both:
            _, printed = process.communicate(timeout=120)
            self.assertEqual(process.returncode, SOME_FAILED, printed)
            self.assertIn(b"frame 7: d_0007.npz: row 7", printed)

    def test_a_film_of_bad_frames_only_is_invalid(self):
        self.scene("data: d_####.npz, map: {x: x, y: y, radius: 0.02}")
        self.spoil(5)
        self.assertIn("frame 5: d_0005.npz: row 7", self.error("render", "s.yaml", "--frames", "5", "-o", "f_##.png"))
        for frame in self.frames():
            self.spoil(frame)
        self.assertIn("d_0003.npz: row 7", self.error("render", "s.yaml", "--frames", "all", "-o", "f_##.png"))

    def test_domains_over_the_film_need_all_files(self):
        self.scene()
        self.spoil(5)
        self.assertIn("d_0005.npz: row 7", self.error("render", "s.yaml", "--frames", "all", "-o", "f_##.png"))
        self.assertFalse(os.path.exists(self.path("f_03.png")))

    def test_a_stream_ends_at_a_bad_frame(self):
        self.scene("data: d_####.npz, map: {x: x, y: y, radius: 0.02}")
        self.spoil(5)
        done = self.run_roundel("render", "s.yaml", "--frames", "all", "-o", "-", "--format", "rawvideo", code=INVALID)
        self.assertEqual(len(done.stdout), 2 * 64 * 48 * 3)
        self.assertIn(b"d_0005.npz: row 7", done.stderr)
        self.assertIn(b"4 of 6 frames are missing; to draw them: --frames 5-8", done.stderr)

    def test_pictures_are_foreign_after_their_data_became_bad(self):
        self.scene("data: d_####.npz, " + MAP.replace("colormap", "over: frame, colormap").replace("range", "over: frame, range"))
        render = ("render", "s.yaml", "--frames", "all", "-o", "f_##.png")
        self.run_roundel(*render)
        self.spoil(5)
        verify = ("verify", "f_##.png", "--frames", "all", "--scene", "s.yaml")
        done = self.run_roundel(*verify, code=FAILED)
        self.assertEqual(done.stdout, b"foreign: 5\n--frames 5\n")
        self.assertIn(b"1 frame is of data that cannot be drawn (d_0005.npz: row 7: x: expected", done.stderr)

    def test_an_empty_column_of_texts_stays_one(self):
        for frame in self.frames():
            kinds = "7,," if frame == 4 else ",," if frame == 5 else "a,b,"
            rows = "".join(f"0.{i},0.5,{kind}\n" for i, kind in enumerate(kinds.split(","), 1))
            self.write(f"k_{frame}.csv", "x,y,kind\n" + rows)
        for over in ("film", "frame"):
            self.scene("data: k_#.csv, map: {x: x, y: y, radius: 0.1, color: {column: kind, missing: 0.5, over: "
                       + over + ", categories: tab10}}, where: {kind: {not: [b]}}")
            self.run_roundel("render", "s.yaml", "--frames", "all", "-o", "f_##.png", "--overwrite")
            counts = [len(found) for found in self.circles()]
            self.assertEqual(counts, [2, 3, 3, 2, 2, 2])

    def test_an_existing_name_with_a_pattern_is_one_file(self):
        shutil.copy(self.path("d_0003.npz"), self.path("d_####.npz"))
        self.scene(head="")
        self.assertIn(f"{len(columns(3)['x'])} rows", self.validate())

    def test_explain_and_legend_describe_a_frame(self):
        self.scene("data: d_####.npz, map: {x: x, y: y, radius: {column: v, range: [5, 6]}}", head=HEAD + "view: {fit: data}")
        explained = self.run_roundel("explain", "s.yaml", "--frame", "7", "--pixel", "30,20").stdout.decode()
        self.assertIn("d_0007.npz", explained)
        self.run_roundel("legend", "s.yaml", "-o", "l.svg")

    def test_empty_frames_and_skipped_rows_are_reported(self):
        files = ["1,2\n3,4\n", "", "1000,2000\n", "nan,2\n3,4\n"] + [f"{x},nan\n" for x in range(6)]
        for frame, rows in enumerate(files):
            self.write(f"e_{frame}.csv", "x,y\n" + rows)
        head = "image: {width: 40, height: 30}\nview: {x: [0, 5], y: [0, 5]}\n"
        layer = "data: %s.csv, map: {x: x, y: y, radius: 3px}, invalid: skip"
        self.scene(layer % "e_#", head + "animation: {frames: 10}\n")
        printed = self.run_roundel("render", "s.yaml", "--frames", "all", "-o", "f_#.png").stderr.decode().splitlines()[-9:]
        self.assertEqual(printed[0], "warning: s.yaml: no circle in 8 frames: 1-2,4-9")
        self.assertEqual(printed[1], "warning: s.yaml: frame 1: the picture has no circles: its data have no rows")
        self.assertEqual(printed[2:], [f"warning: s.yaml: e_{frame}.csv: 1 of {rows} cannot be drawn and is skipped; write invalid: "
                                     f"error to see the first"
                                     for frame, rows in ((3, "2 rows"), *((f, "1 row") for f in range(4, 10)))])
        self.write("t.csv", "file\ne_3\ne_2\n")
        self.write("each.yaml", self.read("s.yaml").decode().replace("e_#.csv", '"${file}.csv"').replace("animation: {frames: 10}",
                                                                                                 "vars: {file: a}"))
        printed = self.run_roundel("render", "each.yaml", "--each", "t.csv", "-o", "{file}.png").stderr.decode().splitlines()
        self.assertRegex(printed[1], "each.yaml: row 1: no circle touches the picture: they lie in x 999")
        self.assertEqual(printed[2], "warning: each.yaml: e_3.csv: 1 of 2 rows cannot be drawn and is skipped; write invalid: error to "
                                  "see the first")
        printed = self.run_roundel("render", "s.yaml", "--frames", "0", "-o", "g_#.png").stderr
        self.assertNotIn(b"skipped", printed)
        for frame in range(2):
            self.write(f"none_{frame}.yaml", "version: 1\nimage: {width: 8, height: 8}\nlayers: []\n")
        printed = self.run_roundel("render", "none_#.yaml", "--frames", "0-1", "-o", "h_#.png").stderr.decode()
        self.assertEqual(printed.count("\n"), 1, printed)

    def test_frames_never_replace_data(self):
        for frame in self.frames():
            np.save(self.path(f"d_{frame:02}.npy"), np.random.default_rng(frame).uniform(0, 1, (5, 3)))
        self.scene("data: d_##.npy, columns: [x, y, radius]")
        self.assertIn("which this command reads",
                      self.error("circles", "s.yaml", "--frames", "4", "-o", "d_##.npy", code=REFUSED))


if __name__ == "__main__":
    unittest.main(verbosity=1)
