#!/usr/bin/env python3
"""Whole numbers beyond 2**53: sorted exactly, or else a warning reports that they were rounded. Usage:
whole_numbers_test.py PATH_OF_ROUNDEL
"""

import unittest

import h5py
import numpy as np

from command_case import CommandCase

BEYOND = 2**53
ROWS = 20_000  # several blocks
WHERE, SCALE = "where: {id: {min: 0}}", "color: {column: id, colormap: gray}"


def table(ids):
    random = np.random.default_rng(1)
    data = np.zeros(len(ids), dtype=[("x", "f8"), ("y", "f8"), ("id", np.asarray(ids).dtype)])
    data["x"], data["y"], data["id"] = random.permutation(len(ids)) / 1e6, random.uniform(0, 1, len(ids)), ids
    return data


def many(kind):
    """Returns numbers whose neighbours become equal in binary64."""
    random = np.random.default_rng(2)
    if kind == "u8":
        return (2**64 - 1 - random.integers(0, 30_000, ROWS, dtype="u8")).astype("u8")
    ids = random.integers(BEYOND, BEYOND + 30_000, ROWS, dtype="i8")
    if kind == "M8[ns]":
        ids = ids + 10**18
        ids[random.integers(0, ROWS, 50)] = np.iinfo("i8").min  # NaT
        return ids.view("M8[ns]")
    return (ids * random.choice([-1, 1], ROWS)).astype(kind)


class WholeNumbersTest(CommandCase):
    def write_table(self, name, data):
        path = self.path(name)
        if name.endswith(".npz"):
            np.savez(path, **{column: data[column] for column in data.dtype.names})
        elif name.endswith(".h5"):
            with h5py.File(path, "w") as file:
                for column in data.dtype.names:
                    file[column] = data[column]
        elif name.endswith(".csv"):
            with open(path, "w", encoding="ascii") as file:
                file.write(",".join(data.dtype.names) + "\n")
                file.writelines(",".join(map(str, row)) + "\n" for row in data.tolist())
        else:
            np.save(path, data)

    def scene(self, data, keys="order: id", color="", head="", name="s.yaml"):
        self.write(name, f"version: 1\nimage: {{width: 48, height: 48}}\n{head}\nlayers:\n  - data: {data}\n"
                         f"    map: {{x: x, y: y, radius: 0.1{', ' + color if color else ''}}}\n    {keys}\n")

    def painted(self):
        """Returns the positions of the circles in paint order."""
        done = self.run_roundel("circles", "s.yaml", "-o", "c.npy", "--columns", "all")
        return np.load(self.path("c.npy"))[:, 0], done.stderr.decode()

    def warnings(self, *arguments):
        done = self.run_roundel(*(arguments or ("render", "s.yaml", "-o", "p.png")))
        return [line for line in done.stderr.decode().splitlines() if "rounded" in line]

    def test_orders_of_integers_are_exact(self):
        for kind in ("i8", "u8", ">i8", "M8[ns]"):
            data = table(many(kind))
            ids = data["id"]
            missing = np.isnat(ids) if kind.startswith("M") else np.zeros(ROWS, bool)
            names = ["d.npy", "d.npz"] + ([] if kind.startswith("M") else ["d.h5"])
            for name in names:
                self.write_table(name, data)
            for descending in (False, True):
                ranks = np.unique(ids, return_inverse=True)[1]
                ranks = np.where(missing, -1, ROWS - ranks if descending else ranks)
                rows = np.argsort(ranks, kind="stable")
                for name in names:
                    with self.subTest(kind=kind, name=name, descending=descending):
                        self.scene(name, f"order: {{column: id, descending: {str(descending).lower()}}}")
                        painted, printed = self.painted()
                        np.testing.assert_array_equal(painted, data["x"][rows].astype(painted.dtype))
                        self.assertEqual(printed, "")

    def test_orders_of_kept_rows_are_exact(self):
        data = table(many("i8"))
        data["y"][::7] = np.nan
        self.write_table("d.npy", data)
        self.scene("d.npy", "order: id\n    invalid: skip")
        kept = data[~np.isnan(data["y"])]
        painted, _ = self.painted()
        np.testing.assert_array_equal(painted, kept["x"][np.argsort(kept["id"], kind="stable")].astype(painted.dtype))

    def test_a_warning_names_file_row_and_number(self):
        data = table([1, BEYOND, BEYOND + 1, BEYOND + 3])
        printed = f"{BEYOND + 1} is rounded to {BEYOND}, as whole numbers beyond 2^53 are compared in binary64"
        for name in ("d.npy", "d.npz", "d.h5", "d.csv"):
            self.write_table(name, data)
            place = "line 4: column id" if name == "d.csv" else "row 2: id"
            for keys, color in ((WHERE, ""), ("", SCALE), ("", "alpha: {column: id, range: [0, 1]}"),
                                ("", "color: {column: id, categories: tab10}")) + (
                                    (("order: id", ""),) if name == "d.csv" else ()):
                self.scene(name, keys, color)
                with self.subTest(name=name, keys=keys, color=color):
                    expected = [f"warning: s.yaml: {name}: {place}: {printed}"]
                    self.assertEqual(self.warnings(), expected)
                    self.assertEqual(self.warnings("validate", "s.yaml"), expected)
                    self.assertEqual(self.warnings("circles", "s.yaml", "-o", "c.npy"), expected)
                    self.assertEqual(self.warnings("render", "s.yaml", "-o", "p.png", "--quiet"), [])
                    if color:
                        self.assertEqual(self.warnings("legend", "s.yaml", "-o", "l.svg"), expected)

    def test_the_first_row_is_reported_with_any_threads(self):
        ids = np.arange(200_000) + BEYOND // 2
        ids[[70_001, 150_000, 199_999]] = BEYOND + 7, BEYOND + 9, BEYOND + 5
        for name in ("d.npy", "d.csv"):
            self.write_table(name, table(ids))
            self.scene(name, WHERE)
            for threads in "12":
                [printed] = self.warnings("render", "s.yaml", "-o", "p.png", "--threads", threads)
                self.assertIn(f"{BEYOND + 7} is rounded to {BEYOND + 8}", printed)
                self.assertIn(": line 70003: " if name == "d.csv" else ": row 70001: ", printed)

    def test_texts_of_all_types_are_checked(self):
        for number, rounded in ((f"-{BEYOND + 1}", f"-{BEYOND}"), (f'"{BEYOND + 1}"', BEYOND), (f"+{BEYOND + 1}", BEYOND),
                                (f"000{BEYOND + 1}", BEYOND), ("100000000000000000000001", "100000000000000008388608"),
                                (f" {BEYOND + 1} ", BEYOND)):
            self.write("d.csv", f"x,id,y\n0.5,1,0.5\n0.6,{number},0.5\n")
            self.scene("d.csv")
            [printed] = self.warnings()
            self.assertIn(f"{number.strip(' ').strip(chr(34))} is rounded to {rounded},", printed)

    def test_exact_numbers_need_no_warning(self):
        exact = [BEYOND, -BEYOND, BEYOND + 2, 2**62, -2**63]
        for name in ("d.npy", "d.csv"):
            self.write_table(name, table(exact))
            self.scene(name, "order: id\n    where: {id: {min: -1e20}}", SCALE)
            self.assertEqual(self.warnings(), [])
        self.write("d.csv", "x,y,id\n0.5,0.5,1.2345678901234567\n0.6,0.5,9007199254740993.5\n0.7,0.5,12345678901234567e5\n")
        self.scene("d.csv")
        self.assertEqual(self.warnings(), [], "which are no whole numbers")

    def test_unused_columns_need_no_warning(self):
        data = table([BEYOND + 1, 5])
        self.write_table("d.npy", data)
        self.write_table("d.csv", data)
        for name in ("d.npy", "d.csv"):
            self.scene(name, "")
            self.assertEqual(self.warnings(), [])

    def test_numbers_of_the_scene_are_reported(self):
        self.write_table("d.npy", table([1, 5]))
        self.scene("d.npy", f"where: {{id: {{in: [{BEYOND + 1}, 5], max: {BEYOND + 3}}}}}",
                   f"color: {{column: id, categories: {{{BEYOND + 5}: '#ff0000'}}, missing: 0}}")
        printed = self.warnings()
        self.assertEqual(len(printed), 3)
        for key, number in (("where.id.in", 1), ("where.id.max", 3), ("map.color.categories", 5)):
            self.assertRegex("\n".join(printed), rf"s.yaml: line [67]: layers\[0\].{key}: {BEYOND + number} is rounded to")

    def test_numbers_of_a_table_are_reported(self):
        self.write_table("d.npy", table([1, 5]))
        self.scene("d.npy", "where: {id: {max: $most}}", head="vars: {most: 1}")
        self.write("t.csv", f"most\n{BEYOND + 1}\n")
        [printed] = self.warnings("render", "s.yaml", "--each", "t.csv", "-o", "{most}.png")
        self.assertIn(f"s.yaml: t.csv: line 2: column most: layers[0].where.id.max: {BEYOND + 1} is rounded to", printed)

    def test_a_film_warns_once_for_each_file(self):
        self.write_table("d.npy", table([BEYOND + 1, 5]))
        film = ("render", "s.yaml", "--frames", "all", "-o", "f_##.png")
        self.scene("d.npy", WHERE + "\n    opacity: {keys: {0: 0, 9: 1}}", head="animation: {frames: 10}")
        self.assertEqual(len(self.warnings(*film)), 1)
        for frame in range(10):
            self.write_table(f"d_{frame}.npy", table([5, BEYOND + 1 + 2 * (frame % 2)] if frame else [5, 6]))
        self.scene("d_#.npy", WHERE, head="animation: {frames: 10}")
        printed = self.warnings(*film, "--overwrite")
        self.assertEqual(len(printed), 9)
        self.assertIn(f"s.yaml: d_1.npy: row 1: id: {BEYOND + 3} is rounded to {BEYOND + 4}", printed[0])
        self.assertEqual(len(self.warnings("validate", "s.yaml", "--frame", "3")), 1)
        self.scene("d_#.npy", "", SCALE, head="animation: {frames: 10}")  # covers all files
        self.assertEqual(len(self.warnings("validate", "s.yaml")), 9)

    def test_layers_that_share_a_file_each_warn(self):
        self.write_table("d.csv", table([BEYOND + 1, 5]))
        layer = "  - {data: d.csv, map: {x: x, y: y, radius: 0.1}, order: id}\n"
        self.write("s.yaml", f"version: 1\nlayers:\n{layer}{layer}")
        self.assertEqual(len(self.warnings()), 1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
