#!/usr/bin/env python3
"""scenes_test.py ROUNDEL: scenes of files and arrays that change, move, are copied, pickled and saved."""
import copy
import os
import pickle
import subprocess
import sys
import threading
import unittest

import numpy as np
import roundel

from columns_case import RNG, ROWS, TABLE, ColumnsCase, scene


class Scenes(ColumnsCase):
    def test_unchanging_files_are_read_once(self):
        x, radius = RNG.random(ROWS), np.full(ROWS, 0.01)
        x.setflags(write=False)
        changing = scene().add(x=x, y=0.5, radius=radius)
        before = roundel.render(changing)
        radius *= 3
        self.assertGreater(np.count_nonzero(before != roundel.render(changing)), 0)
        self.assertIsNot(changing._load(), changing._load())
        radius.setflags(write=False)
        for column in (x, radius):
            self.assertTrue(column.flags.owndata)
        constant = scene().add(x=x, y=0.5, radius=radius)
        np.testing.assert_array_equal(roundel.render(constant), roundel.render(changing))
        self.assertIs(constant._load(), constant._load())
        # A base array may change the contents of a view.
        seen = RNG.random(ROWS)
        view = seen.view()
        view.setflags(write=False)
        self.assertIsNot(*(lambda made: (made._load(), made._load()))(scene().add(x=view, y=0.5, radius=radius)))

    def test_files_accept_layers(self):
        np.save(self.path("t.npy"), np.stack([TABLE["x"], TABLE["y"], TABLE["r"]], 1).astype(np.float32))
        self.write("f.yaml", "version: 1\nimage: {width: 80, height: 80}\nlayers:\n  - data: t.npy\n"
                             "    columns: [x, y, radius]\n")
        made = roundel.Scene.from_file(self.path("f.yaml"))
        before = roundel.render(made)
        made.add(x=[0.5], y=[0.5], radius=0.2, alpha=1)
        self.assertFalse(np.array_equal(self.check_saved(made), before))

        made.save(self.path("s.yaml"))  # s_1.npy is the layer's
        self.write("s.yaml", "version: 1\nlayers:\n  - data: s_1.npy\n    map: {x: x, y: y, radius: 1px}\n")
        other = roundel.Scene.from_file(self.path("s.yaml")).add(x=[0.5], y=[0.5], radius=0.2)
        before = self.read("s_1.npy")
        with self.assertRaisesRegex(roundel.OutputError, "s_1.npy: would replace data of the scene"):
            other.save(self.path("s.yaml"))
        self.assertEqual(self.read("s_1.npy"), before)

    def test_files_with_paths_in_vars_accept_layers(self):
        os.mkdir(self.path("data"))
        np.save(self.path("data/t.npy"), np.stack([TABLE["x"], TABLE["y"], TABLE["r"]], 1).astype(np.float32))
        layer = "{data: '%s', columns: [x, y, radius]}"
        for file, value in (("$file", "data/t.npy"), ("${file}", self.path("data/t.npy")), ("${file}/t.npy", "data"),
                            ("${file}/t.npy", self.path("data")), ("data/${file}.npy", "t")):
            self.write("v.yaml", f"version: 1\nimage: {{width: 80, height: 80}}\nvars: {{file: {value}}}\n"
                                 f"layers:\n  - {layer % file}\n  - {layer % file}\n")
            made = roundel.Scene.from_file(self.path("v.yaml"))
            before = roundel.render(made)
            os.makedirs(self.path("else/where"), exist_ok=True)
            made.save(self.path("else/where/v.yaml"))
            np.testing.assert_array_equal(roundel.render(self.path("else/where/v.yaml")), before)
            made.add(x=[0.5], y=[0.5], radius=0.2, alpha=1)
            self.assertFalse(np.array_equal(self.check_saved(made), before))

    def test_other_arrays_are_kept(self):
        np.save(self.path("m_0.npy"), np.arange(10))
        before = self.read("m_0.npy")
        made = scene().add(x=[0.5], y=[0.5], radius=0.1)
        with self.assertRaisesRegex(roundel.OutputError, "m_0.npy: exists, but .*m.yaml does not"):
            made.save(self.path("m.yaml"))
        self.assertEqual(self.read("m_0.npy"), before)
        self.assertFalse(os.path.exists(self.path("m.yaml")))
        os.remove(self.path("m_0.npy"))
        for _ in range(2):  # its own file is replaced
            made.save(self.path("m.yaml"))

    def test_names_of_pictures_are_refused(self):
        made = scene().add(x=[0.5], y=[0.5], radius=0.1)
        for name, picture in (("x.png", "x.png"), ("x.EXR", "x.EXR"), ("x.pfm", "x.pfm"), ("x.jpg", "x.png"), ("x.jpeg", "x.png"),
                              ("x.webp", "x.png"), ("x.npy", "x.png"), ("x.csv", "x.png")):
            with self.assertRaises(roundel.UsageError) as caught:
                made.save(self.path(name))
            self.assertEqual(str(caught.exception),
                             f'roundel.save(scene, "{self.path(picture)}") draws a picture; scene.save writes a scene file: '
                             "name it .yaml or .json")
        self.assertEqual(os.listdir(self.folder), [])
        for name in ("a.json", "b.yml", "c"):
            made.save(self.path(name))
            self.assertEqual(roundel.fingerprint(self.path(name)), roundel.fingerprint(made))

    def test_changed_data_is_read_again(self):
        def write_data(name, middle):
            self.write(name, f"x,y,radius\n{middle},0.5,0.2\n")

        def is_drawn(made, middle):
            self.assertEqual(roundel.render(made)[45, round(middle * 120)].tolist(), [255, 0, 0])

        write_data("d.csv", "0.25")
        self.write("data.yaml", "version: 1\nimage: {width: 120, height: 90, background: \"#000000\"}\n"
                                "layers: [{data: d.csv, columns: [x, y, radius], color: \"#ff0000\", alpha: 1}]\n")
        made = roundel.Scene.from_file(self.path("data.yaml"))
        is_drawn(made, 0.25)
        write_data("d.csv", "0.750")
        is_drawn(made, 0.75)
        write_data("other.csv", "0.25")
        os.replace(self.path("other.csv"), self.path("d.csv"))
        is_drawn(made, 0.25)
        os.unlink(self.path("d.csv"))
        with self.assertRaisesRegex(roundel.SceneError, "d.csv: no such file"):
            roundel.render(made)
        write_data("d.csv", "0.75")
        is_drawn(made, 0.75)

    def test_paths_survive_a_change_of_the_working_directory(self):
        self.addCleanup(os.chdir, os.getcwd())
        self.write("d.csv", "x,y,radius\n0.5,0.5,0.2\n")
        self.write("data.yaml", "version: 1\nimage: {width: 120, height: 90}\n"
                                "layers: [{data: d.csv, columns: [x, y, radius]}]\n")
        os.mkdir(self.path("else"))
        os.chdir(self.folder)
        made = roundel.Scene.from_file("data.yaml")
        drawn = roundel.render(made)
        os.chdir("else")
        np.testing.assert_array_equal(roundel.render(made), drawn)
        np.testing.assert_array_equal(roundel.render(made, size=(120, 90)), drawn)
        np.testing.assert_array_equal(roundel.render(pickle.loads(pickle.dumps(made))), drawn)
        made.save("again.yaml")
        np.testing.assert_array_equal(roundel.render("again.yaml"), drawn)

    def test_rates_are_fractions_like_in_files(self):
        def scene(keys):
            return {"version": 1, "image": {"width": 8, "height": 8}, "animation": {"fps": "24000/1001", "frames": 48},
                    "layers": [{"circles": [{"x": 0.5, "y": {"keys": keys}, "radius": 0.2}]}]}

        made = roundel.Scene.from_dict(scene({"0s": 0, "2.002s": 1}))
        self.assertEqual(roundel.validate(made)["fps"], 24000 / 1001)
        self.assert_saves_equally(made, "rate.yaml")
        self.assertEqual(roundel.fingerprint(scene({0: 0, 48: 1}), frame=12), roundel.fingerprint(self.path("rate.yaml"), frame=12))

    def assert_saves_equally(self, made, name):
        made.save(self.path(name))
        self.assertEqual(roundel.fingerprint(self.path(name)), roundel.fingerprint(made))

    def test_saved_scenes_are_equal_anywhere(self):
        head = "version: 1\nimage: {width: 120, height: 90}\n"
        law = "map: {x: x, y: y, radius: 0.1}"
        for folder in ("real/deep", "p${v}"):
            os.makedirs(self.path(folder))
        os.symlink("real/deep", self.path("link"))
        table = "x,y,c\n0.2,0.3,1.50\n0.7,0.7,v.csv\n"
        for name in ("v.csv", "real/v.csv", "p${v}/v.csv"):
            self.write(name, table)
        self.write("d.csv", "x,y,c\n0.9,0.9,d.csv\n")
        for name, scene_text, rows in (
                ("link/s.yaml", f"layers: [{{data: ../v.csv, {law}}}]", 2),
                ("p${v}/s.yaml", f"layers: [{{data: v.csv, {law}}}]", 2),
                ("t.yaml", f"layers: [{{data: v.csv, where: {{c: {{in: [1.50, 1e3, 18446744073709551615]}}}}, {law}}}]", 1),
                ("v.yaml", f"vars: {{f: v.csv}}\nlayers: [{{data: $f, where: {{c: {{in: [$f]}}}}, {law}}}]", 1),
                ("l.yaml", f"vars: {{l: {{data: v.csv, {law}}}}}\nlayers: [$l, $l]", 4),
                ("ls.yaml", f"vars: {{l: [{{data: v.csv, {law}}}]}}\nlayers: $l", 2)):
            self.write(name, head + scene_text + "\n")
            made = roundel.Scene.from_file(self.path(name))
            self.assertEqual(len(roundel.circles(made)), rows, name)
            for target in ("o.yaml", "link/o.yaml", "real/deep/p.yaml", "c${b}.yaml"):
                self.assert_saves_equally(made, target)
            if name != "ls.yaml":
                made.add(x=[0.1], y=[0.1], radius=0.1)
                self.assertEqual(len(roundel.circles(made)), rows + 1, name)
                self.assert_saves_equally(made, "a" + os.path.basename(name))
        with self.assertRaisesRegex(roundel.UsageError, "layers: expected a list, to which a layer can be added, got '.l'"):
            made.add(x=[0.1], y=[0.1], radius=0.1)
        made = roundel.Scene.from_file(self.path("v.yaml")).add(x=[0.1], y=[0.1], radius=0.1)
        self.assertEqual(len(roundel.circles(made, set={"f": "d.csv"})), 2)
        self.assertEqual(len(roundel.circles(made, set={"f": self.path("d.csv")})), 1)
        os.symlink("real/target.yaml", self.path("to_file.yaml"))
        self.assert_saves_equally(scene().add(x=[0.1], y=[0.1], radius=0.1), "to_file.yaml")
        self.assert_saves_equally(roundel.Scene.from_file(self.path("link/s.yaml")), "to_file.yaml")
        os.mkdir(self.path("a#1"))
        self.write("a#1/e_1.csv", table)
        self.write("a#1/s.yaml", head + f"animation: {{start: 1, frames: 1}}\nlayers: [{{data: e_#.csv, {law}}}]\n")
        with self.assertRaisesRegex(roundel.OutputError, "a#1 would mean a frame's number"):
            roundel.Scene.from_file(self.path("a#1/s.yaml")).save(self.path("o.yaml"))
        self.assert_saves_equally(scene().add(x=[0.1], y=[0.1], radius=0.1), "link/../array.yaml")
        self.assertTrue(os.path.exists(self.path("real/array_0.npy")))

    def test_data_of_the_scene_is_never_replaced(self):
        np.save(self.path("d_1.npy"), np.array([(0.2, 0.2)], [("x", "f8"), ("y", "f8")]))
        before = self.read("d_1.npy")
        for number, more in (("${part}", "vars: {part: 1}"), ("#", "animation: {start: 1, frames: 1}")):
            self.write("d.yaml", f"version: 1\n{more}\nlayers: [{{data: 'd_{number}.npy', map: {{x: x, y: y, radius: 0.1}}}}]\n")
            made = roundel.Scene.from_file(self.path("d.yaml")).add(x=[0.9], y=[0.9], radius=0.1)
            with self.assertRaisesRegex(roundel.OutputError, "d_1.npy: would replace data of the scene"):
                made.save(self.path("d.yaml"))
            self.assertEqual(self.read("d_1.npy"), before)

    def test_several_threads_read_hdf5(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is not installed")
        with h5py.File(self.path("d.h5"), "w") as file:
            file["x"], file["y"] = TABLE["x"], TABLE["y"]
        with h5py.File(self.path("big.h5"), "w") as file:
            file.create_dataset("a", data=RNG.random(2_000_000), compression="gzip")
        self.write("d.yaml", "version: 1\nimage: {width: 64, height: 64}\nlayers: [{data: d.h5, map: {x: x, y: y, radius: 0.01}}]\n")
        done = threading.Event()

        def read_on():
            while not done.is_set():
                with h5py.File(self.path("big.h5")) as file:
                    file["a"][:]

        thread = threading.Thread(target=read_on)
        thread.start()
        try:
            drawn = [roundel.render(self.path("d.yaml")) for _ in range(3)]
        finally:
            done.set()
            thread.join()
        np.testing.assert_array_equal(drawn[0], roundel.render(self.path("d.yaml")))

    def test_scenes_can_be_pickled(self):
        made = scene().add(TABLE, x="x", y="y", radius="r", color="v")
        drawn = roundel.render(made)
        np.testing.assert_array_equal(roundel.render(pickle.loads(pickle.dumps(made))), drawn)

    def test_dicts_may_hold_columns(self):
        keys = {"version": 1, "image": {"width": 90, "height": 90},
                "layers": [{"data": TABLE, "map": {"x": "x", "y": "y", "radius": "r", "color": "v"}}]}
        drawn = self.check_saved(roundel.Scene.from_dict(keys))
        records = np.rec.fromarrays(list(TABLE.values()), names=",".join(TABLE))
        np.testing.assert_array_equal(drawn, roundel.render({**keys, "layers": [{**keys["layers"][0], "data": records}]}))

    def test_arrays_are_read_each_time(self):
        x = TABLE["x"].copy()
        made = scene().add(x=x, y=TABLE["y"], radius=0.01)
        before, name = roundel.render(made), roundel.fingerprint(made)
        x[:] = 0.5
        after = roundel.render(made)
        self.assertFalse(np.array_equal(before, after))
        self.assertNotEqual(name, roundel.fingerprint(made))
        np.testing.assert_array_equal(after, roundel.render(scene().add(x=x, y=TABLE["y"], radius=0.01)))

    def test_a_copy_is_independent(self):
        made = scene().add(x=TABLE["x"], y=TABLE["y"], radius=0.01)
        other = copy.copy(made)
        name = roundel.fingerprint(made)
        made.add(x=[9.0], y=[9.0], radius=0.1)
        self.assertEqual(roundel.fingerprint(other), name)
        other.add(x=[0.5], y=[0.5], radius=0.2)
        self.assertEqual(roundel.validate(made)["circles"], ROWS + 1)
        self.assertNotEqual(roundel.fingerprint(made), roundel.fingerprint(other))

    def test_a_deep_copy_has_its_own_arrays(self):
        x = TABLE["x"].copy()
        made = scene().add(x=x, y=TABLE["y"], radius=0.01)
        other = copy.deepcopy(made)
        name = roundel.fingerprint(made)
        self.assertEqual(roundel.fingerprint(other), name)
        x[:] = 0.5
        self.assertEqual(roundel.fingerprint(other), name)
        self.assertNotEqual(roundel.fingerprint(made), name)
        other.add(x=[9.0], y=[9.0], radius=0.1)
        self.assertEqual(roundel.validate(made)["circles"], ROWS)
        self.assertEqual(copy.deepcopy([other, other])[0].__class__, roundel.Scene)

    def test_a_failed_save_leaves_no_file(self):
        made = scene().add(x=TABLE["x"], y=TABLE["y"], radius=0.01).add(x=[0.5], y=[0.5], radius=0.1)
        os.mkdir(self.path("s_1.npy"))
        os.mkdir(self.path("t.yaml"))
        self.write("s_0.npy", "before")
        for name in ("s.yaml", "t.yaml"):
            with self.assertRaises(roundel.OutputError):
                made.save(self.path(name))
            self.assertEqual(sorted(os.listdir(self.folder)), ["s_0.npy", "s_1.npy", "t.yaml"])
        self.assertEqual(self.read("s_0.npy"), b"before")

    def test_paths_with_nul_are_refused(self):
        for draw in (lambda: roundel.save({"version": 1, "layers": []}, self.path("a\0b.png")),
                     lambda: scene().save(self.path("a\0b.yaml")), lambda: roundel.render(self.path("a\0b.yaml"))):
            with self.assertRaisesRegex(roundel.UsageError, "expected a path without a NUL"):
                draw()
        self.assertFalse(os.path.exists(self.path("a")))

    def test_arrays_live_as_long_as_their_scene(self):
        code = ("import gc, numpy, roundel\n"
                "def made():\n"
                "    x = numpy.random.default_rng(1).random(300_000)\n"
                "    return roundel.Scene(size=(64, 64)).add(x=x, y=x[::-1].copy(), radius=0.01)\n"
                "scene = made(); gc.collect(); waste = [numpy.ones(300_000) for _ in range(20)]\n"
                "one = roundel.render(scene); two = roundel.render(made())\n"
                "assert (one == two).all()\n"
                "del scene; gc.collect()\n")
        subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    unittest.main(verbosity=1)
