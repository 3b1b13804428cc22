#!/usr/bin/env python3
"""Positions of data in float64, far from the origin and in deep zooms, against our own binary64 and binary32
arithmetic. Usage: data_test.py PATH_OF_ROUNDEL
"""

import io
import json
import os
import random
import struct
import subprocess
import time
import unittest
import zipfile

from command_case import ROUNDEL, CommandCase, is_sanitized

DONE, INVALID = 0, 3
SIDE = 512
MAX_KIB = 256 << 10  # a child's peak begins with its parent's memory


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def covered(x, y, radius):
    """Returns the pixels (column, row from the bottom) that a circle in frame space covers by the frame contract."""
    pixels = set()
    for i in range(int(x * SIDE) - 2, int(x * SIDE) + 3):
        for j in range(int(y * SIDE) - 2, int(y * SIDE) + 3):
            dx, dy = single(x - (i + 0.5) / SIDE), single(y - (j + 0.5) / SIDE)
            if (single(single(dx * dx) + single(dy * dy)) <= single(radius * radius)
                    and 0 <= i < SIDE and 0 <= j < SIDE):
                pixels.add((i, j))
    return pixels


def npy(shape, data):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def npz(members, sizes=()):
    """Returns deflated arrays; `sizes`: pairs of a length in the archive and the length to write instead."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name + ".npy", data)
    archive = file.getvalue()
    for size, claimed in sizes:
        archive = archive.replace(struct.pack("<I", size), struct.pack("<I", claimed))
    return archive


TWO_ROWS = npy("(2, 3)", bytes(24))
BOMB = TWO_ROWS + bytes(20 << 20)
MANY = 100000
# File: its bytes and the error, if the scene names columns x, y and r.
BAD_FILES = {
    "wide.csv": (",".join(f"c{i}" for i in range(MANY)) + "\n", "line 1: more than 65536 columns"),
    "wide.ply": ("ply\nformat ascii 1.0\nelement vertex 1\n" + "".join(f"property float c{i}\n" for i in range(MANY)) +
                 "end_header\n", "line 65540: more than 65536 properties"),
    "long.csv": ("x,y,r\n1,2,3\n" + "7" * (17 << 20), "line 3: a row is too long (at most 16777216 bytes)"),
    "text.csv": ("x,y,r\n1,2,3\n1,two,3\n", "expected a column of numbers, but \"y\" of text.csv holds texts, first in "
                                           "line 3: \"two\"; write missing numbers as empty fields, NA or nan"),
    "infinite.csv": ("x,y,r\n1,2,3\ninf,nan,3\n",
                     "infinite.csv: line 3: column x: expected a number from -1e15 to 1e15, got inf\n"
                     "infinite.csv: line 3: column y: expected a number from -1e15 to 1e15, got nan"),
    "twice.csv": ("x,y,x\n1,2,3\n", "columns 0 and 2 (counted from 0) are both named \"x\""),
    "short.csv": ("x,y,r\n1,2,3\n1,2\n", "line 3: expected 3 fields, got 2"),
    "lies.npy": (npy("(1000000000000, 3)", bytes(24)), "expected 12000000000000 bytes of elements for the shape "
                                                       "(1000000000000, 3), got 24"),
    "bomb.npz": (npz({"a": BOMB}, [(len(BOMB), len(TWO_ROWS))]), "a: unpacks to another number of bytes than it claims"),
    "claim.npz": (npz({"a": TWO_ROWS}, [(len(TWO_ROWS), 0xfffffff0)]), "a.npy: claims 4294967280 bytes, which"),
    "unequal.npz": (npz({"x": npy("(2,)", bytes(8)), "y": npy("(3,)", bytes(12))}),
                    "expected columns of the same length, but x has 2 rows, y 3"),
}


class DataTest(CommandCase):
    is_text = True

    def write_scene(self, rows, center, zoom):
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, 3), }}".ljust(117) + "\n"
        with open(self.path("d.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
            file.writelines(struct.pack("<3d", *row) for row in rows)
        with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
            file.write(f"version: 1\nimage: {{width: {SIDE}, height: {SIDE}}}\n"
                       f"view: {{center: [{center}, {center}], zoom: {zoom}}}\nlayers:\n"
                       "  - {data: d.npy, columns: [x, y, radius], shader: {solid: {alpha: 1}}}\n")

    def points(self, center, zoom):
        engine = random.Random(5)
        return [(center + (engine.random() - 0.5) / zoom, center + (engine.random() - 0.5) / zoom, 0.75 / SIDE / zoom)
                for _ in range(1000)]

    def drawn(self):
        self.run_roundel("render", "s.yaml", "-o", "o.pfm")
        with open(self.path("o.pfm"), "rb") as file:
            self.assertEqual(file.readline() + file.readline() + file.readline(), b"PF\n512 512\n-1.0\n")
            values = struct.unpack(f"<{3 * SIDE * SIDE}f", file.read())
        return {(k % SIDE, k // SIDE) for k in range(SIDE * SIDE) if values[3 * k] == 0}

    def test_every_point_is_drawn_at_its_position(self):
        for center, zoom in ((900000.5, 1), (0.5, 1000000), (-5400000.25, 1e4)):
            rows = self.points(center, zoom)
            self.write_scene(rows, center, zoom)
            frame = [(single((x - center) * zoom + 0.5), single((y - center) * zoom + 0.5),
                      single(single(radius) * zoom)) for x, y, radius in rows]
            self.assertEqual(len({(x, y) for x, y, _ in frame}), 1000)
            self.assertEqual(self.drawn(), set().union(*(covered(*circle) for circle in frame)))

            # Finds the circle behind a pixel, and names it with its place.
            number, (x, y, _) = next((k, c) for k, c in reversed(list(enumerate(frame)))
                                     if 0 <= c[0] < 1 and 0 <= c[1] < 1)
            pixel = f"{int(x * SIDE)},{SIDE - 1 - int(y * SIDE)}"
            found = json.loads(self.run_roundel("explain", "s.yaml", "--pixel", pixel, "--json").stdout)
            named = next(c for c in found["circles"] if c["index"] == number)
            self.assertAlmostEqual(named["x"], rows[number][0], delta=1e-6 / zoom)
            self.assertAlmostEqual(named["y"], rows[number][1], delta=1e-6 / zoom)

    def test_an_array_of_circles_is_in_scene_space_and_rounded(self):
        rows = self.points(900000.5, 1)
        self.write_scene(rows, 900000.5, 1)
        self.run_roundel("circles", "s.yaml", "-o", "c.npy")
        with open(self.path("c.npy"), "rb") as file:
            values = struct.unpack("<7000f", file.read()[-28000:])
        for k, (x, y, radius) in enumerate(rows):
            self.assertEqual(values[7 * k:7 * k + 4], (single(x), single(y), 0, single(radius)))

    def test_too_large_numbers_are_refused_with_a_remedy(self):
        self.write_scene([(1e15, -1e15, 1), (0, 3e16, 1)], 1e15, 1)
        for command in (("validate", "s.yaml"), ("render", "s.yaml", "-o", "o.png")):
            self.assertIn("d.npy: row 1: y: expected a number from -1e15 to 1e15, got 3e+16; numbers this large are too coarse for "
                          "places: subtract a common offset from the data",
                          self.run_roundel(*command, code=INVALID).stderr)
        self.write_scene([(1e15, -1e15, 1)], 1e15, 1)
        self.run_roundel("validate", "s.yaml")

    def test_dataset_needs_a_file_with_several_tables(self):
        files = {"d.csv": b"x,y\n0,1\n", "d.tsv": b"x\ty\n0\t1\n"}
        self.write_scene([(0.5, 0.5, 0.1)], 0.5, 1)
        with open(self.path("d.npy"), "rb") as file:
            files["d.npy"] = file.read()
        for name, content in files.items():
            with open(self.path(name), "wb") as file:
                file.write(content)
            with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
                file.write(f"version: 1\nlayers:\n  - data: {name}\n    dataset: cells\n    columns: [x, y, radius]\n")
            self.assertIn(f's.yaml:3:11: layers[0].data: {name}: "dataset" is for files with several tables (.npz, .ply, '
                          ".h5), but this is one table", self.run_roundel("validate", "s.yaml", code=INVALID).stderr)

    def error_of(self, layer):
        self.write("s.yaml", f"version: 1\nlayers:\n  - {layer}\n")
        return self.run_roundel("validate", "s.yaml", code=INVALID).stderr

    def test_a_text_in_a_column_of_numbers_is_quoted(self):
        self.write("dash.csv", "x,y,v\n1,1,--\n2,2,10\n3,3,20\n4,4,30\n")
        first, missing = 'first in line 2: "--"', "write missing numbers as empty fields, NA or nan"
        layer = "{data: dash.csv, map: {x: x, y: y, radius: 0.1, %s}}"
        self.assertIn('s.yaml:3:60: layers[0].map.color: none of the texts of "v" of dash.csv is a colour #rrggbb, '
                      f'{first}; for kinds write color: {{column: "v", categories: tab10}}, and write missing numbers as empty fields, NA or nan',
                      self.error_of(layer % 'color: {column: v, missing: "#ff0000"}'))
        for key in ("alpha: v", "alpha: {column: v, domain: [0, 30], missing: 0}", "z: v"):
            self.assertIn(f'expected a column of numbers, but "v" of dash.csv holds texts, {first}; {missing}',
                          self.error_of(layer % key))
        self.assertIn(f'but "v" of dash.csv holds texts, {first}; {missing}; for kinds write categories: tab10 in place of domain, scale and colormap',
                      self.error_of(layer % "color: {column: v, domain: [0, 30], missing: 0}"))
        self.assertIn(f'expected "in" or "not", because "v" of dash.csv holds texts, {first}',
                      self.error_of("{data: dash.csv, map: {x: x, y: y, radius: 0.1}, where: {v: {min: 3}}}"))
        self.write("dash.csv", "x;y\n0;0\n1,5;2,25\n")
        self.assertIn('"x" of dash.csv holds texts, first in line 3: "1,5"; write 1.5 with a decimal point',
                      self.error_of("{data: dash.csv, map: {x: x, y: y, radius: 0.1}}"))

    def test_validate_prints_how_values_are_read(self):
        self.write("d.csv", "x,y,v,kind,hex\n1,1,NA,a,\n2,2,10,b,#ff0000\n# note\n3,3,20,c,red\n4,4,-1,a,#00ff00\n")
        layer = "{data: d.csv, map: {x: x, y: y, radius: %s, %s}}"
        def validated(radius, rest):
            self.write("s.yaml", f"version: 1\nview: {{fit: data}}\nlayers:\n  - {layer % (radius, rest)}\n")
            return [line.strip() for line in self.run_roundel("validate", "s.yaml").stdout.splitlines()]
        lines = validated("{column: y, range: [1px, 9px]}", 'color: {column: hex, missing: "#888888"}, alpha: '
                          "{column: v, scale: log, missing: 0.1}")
        for line in ("data         d.csv: 4 rows, 1 comment", "color      hex: texts #rrggbb, 2 missing",
                     "radius     y by linear: 1 to 4", "alpha      v by log: 10 to 20, 2 missing"):
            self.assertIn(line, lines)
        self.assertIn("color      v by linear: -1 to 20, 1 missing", validated("1px", "color: {column: v, missing: 0}"))
        lines = validated("x", "color: {column: kind, categories: {a: 0, b: 1}, missing: 0.5}")
        self.assertIn('color      kind: {"a": "#000000", "b": "#ffffff"}, 1 missing', lines)
        self.assertIn("radius     x", lines)
        self.assertIn("color      x, 0.5, y", validated("1px", "color: [x, 0.5, y]"))

    def test_only_used_columns_need_one_length(self):
        three = struct.pack("<3f", 0.25, 0.5, 0.75)
        with open(self.path("d.npz"), "wb") as file:
            file.write(npz({"edges": npy("(2, 2)", bytes(16)), "x": npy("(3,)", three), "y": npy("(3,)", three),
                            "version": npy("()", bytes(4)), "cube": npy("(1, 1, 1)", bytes(4))}))
        layer = "{data: d.npz, map: {x: %s, y: %s, radius: 0.1}%s}"
        edges = layer % ('"edges[0]"', '"edges[1]"', "")
        for columns in (("x", "y", ""), ("{column: 2}", "{column: 3}", ""), ("x", "y", ", order: x, where: {y: {min: 0.3}}")):
            self.write("s.yaml", f"version: 1\nlayers:\n  - {layer % columns}\n  - {edges}\n")
            self.run_roundel("circles", "s.yaml", "-o", "c.npy")
            count = 4 if columns[2] else 5
            self.assertIn(f"({count}, 7)".encode(), self.read("c.npy"))
        self.assertIn("s.yaml:3:12: layers[0].data: d.npz: expected columns of the same length, but x has 3 rows, edges[1] 2",
                      self.error_of(layer % ("x", '"edges[1]"', "")))
        self.assertIn('d.npz has no column "z"; there are edges[0] (2 rows), edges[1] (2 rows), x (3 rows) and y (3 rows); '
                      "not as columns: cube (expected an array [n] or [n, k], got 3 dimensions), version (one value, "
                      "without rows)", self.error_of(layer % ("x", "z", "")))

    def test_films_use_columns_of_one_length(self):
        for frame, rows in enumerate((3, 2)):
            with open(self.path(f"f_{frame}.npz"), "wb") as file:
                file.write(npz({"box": npy("(4,)", bytes(16)), "x": npy(f"({rows},)", bytes(4 * rows))}))
        self.write("s.yaml", "version: 1\nview: {fit: data}\nanimation: {frames: 2}\nlayers:\n"
                             "  - {data: f_#.npz, map: {x: x, y: 0.5, radius: 0.1}}\n")
        for frame, rows in enumerate((3, 2)):
            self.run_roundel("circles", "s.yaml", "--frame", str(frame), "-o", "c.npy")
            self.assertIn(f"({rows}, 7)".encode(), self.read("c.npy"))

    def test_bad_files_are_refused_with_their_place_in_little_memory(self):
        for name, (content, error) in BAD_FILES.items():
            with self.subTest(name):
                with open(self.path(name), "wb") as file:
                    file.write(content if isinstance(content, bytes) else content.encode())
                    if name == "long.csv":  # a line of 2 GB, mostly a hole
                        file.truncate(2 << 30)
                with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
                    file.write(f"version: 1\nlayers:\n  - {{data: {name}, map: {{x: x, y: y, radius: 1px}}}}\n")
                start = time.monotonic()
                process = subprocess.Popen([ROUNDEL, "render", "s.yaml", "-o", "o.png"], cwd=self.folder, text=True,
                                           stderr=subprocess.PIPE)
                with process.stderr:
                    messages = process.stderr.read()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(process.returncode, INVALID, messages)
                self.assertIn(error, messages.replace("error: ", ""))
                self.assertIn(name, messages)
                self.assertFalse(os.path.exists(self.path("o.png")))
                self.assertLess(time.monotonic() - start, 30)
                if not is_sanitized():
                    self.assertLess(usage.ru_maxrss, MAX_KIB)
                os.remove(self.path(name))


if __name__ == "__main__":
    unittest.main(verbosity=1)
