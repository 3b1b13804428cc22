#!/usr/bin/env python3
"""A picture for each row of a table. Usage: table_rows_test.py PATH_OF_ROUNDEL"""

import json
import os
import unittest

from command_case import CommandCase

DONE, FAILED, USAGE, INVALID, REFUSED = 0, 1, 2, 3, 4
SCENE = """version: 1
vars: {gain: 0.5, tint: "#ff8000", file: a.csv}
image: {width: 48, height: 32}
seed: 5
layers:
  - {generator: bouncingballs, opacity: $gain}
  - {data: "d_${file}", columns: [x, y, radius]}
  - circles: [{x: {keys: {0: 0, 10: 1}}, y: 0.5, radius: 0.3, color: $tint}]
animation: {start: 2}
"""
# Fields keep their spelling: 0.50 stays so in a name, texts may be quoted, tabs and comments work as in other tables.
TABLE = """name,gain,tint,file
first,0.50,#ff0000,a.csv
"the second",0.2,"[0, 1, 0]",b.csv
# a comment
third,1,#0000ff,a.csv
"""
ROWS = [("first", "0.50", "#ff0000", "a.csv"), ("the second", "0.2", "[0,1,0]", "b.csv"), ("third", "1", "#0000ff", "a.csv")]


class TableRowsTest(CommandCase):
    def setUp(self):
        super().setUp()
        self.write("s.yaml", SCENE)
        self.write("t.csv", TABLE)
        self.write("d_a.csv", "0.3 0.3 0.2\n")
        self.write("d_b.csv", "0.7 0.7 0.1\n")

    def each(self, *more, output="out/{name}_{gain}.png", table="t.csv", code=DONE):
        return self.run_roundel("render", "s.yaml", "--each", table, "-o", output, "--backend", "cpu", *more,
                                code=code).stderr.decode()

    def still(self, row, *more):
        _, gain, tint, file = ROWS[row]
        self.run_roundel("render", "s.yaml", "--set", f"gain={gain}", "--set", f"tint={tint}", "--set", f"file={file}",
                         "--backend", "cpu", "-o", "still.png", *more)
        return self.read("still.png")

    def refused(self, printed, table=None, output="out/{name}.png", scene=None, code=INVALID, more=()):
        """Checks all lines of the messages; nothing is written."""
        if table is not None:
            self.write("bad.csv", table)
        if scene is not None:
            self.write("s.yaml", scene)
        done = self.each(*more, table="bad.csv" if table is not None else "t.csv", output=output, code=code)
        lines = done.replace('"roundel render --help" lists the options\n', "").splitlines(True)
        self.assertEqual(lines, [line if line.startswith("error: ") else "error: " + line for line in printed.splitlines(True)])
        self.assertFalse(os.path.exists(self.path("out")))


class Pictures(TableRowsTest):
    def test_set_of_a_column_is_refused(self):
        printed = "error: --set gain: the rows of t.csv set this var; leave out the option or the column\n"
        self.refused(printed, code=USAGE, more=("--set", "gain=0.3"))

    def test_each_picture_matches_its_values_byte_for_byte(self):
        self.each()
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["first_0.50.png", "the second_0.2.png", "third_1.png"])
        stills = [self.still(row) for row in range(3)]
        self.assertEqual(len(set(stills)), 3)
        for (name, gain, _, _), still in zip(ROWS, stills):
            self.assertEqual(self.read(f"out/{name}_{gain}.png"), still)
        self.each("--frame", "7", output="seventh/{row:03}{name}.png")
        self.assertEqual([self.read(f"seventh/{row:03}{ROWS[row][0]}.png") for row in range(3)],
                         [self.still(row, "--frame", "7") for row in range(3)])
        self.assertNotEqual(self.still(0, "--frame", "7"), stills[0])

    def test_names_have_fields_and_the_row(self):
        self.each(output="{row}-####-%03d-{frame:02}-{name}.png")
        self.assertIn("1-0001-001-01-the second.png", os.listdir(self.folder))
        os.mkdir(self.path("folder"))
        self.write("n.csv", "gain,tint,file\n" + "".join(f"{row[1]},#102030,{row[3]}\n" for row in ROWS))
        self.each(table="n.csv", output="folder")
        self.assertEqual(sorted(os.listdir(self.path("folder"))), ["s_0000.png", "s_0001.png", "s_0002.png"])
        self.write("s.yaml", SCENE + "output: own_{name}.png\n")
        self.run_roundel("render", "s.yaml", "--each", "t.csv")
        self.assertTrue(os.path.exists(self.path("own_third.png")))
        self.write("t.csv", TABLE.replace("third", "{row}####"))
        self.each(output="{name}.png")
        self.assertTrue(os.path.exists(self.path("{row}####.png")))

    def test_a_var_may_be_named_like_the_row_number(self):
        self.write("r.yaml", SCENE.replace("gain", "row"))
        self.write("r.csv", "name,row\na,0.5\n")
        self.run_roundel("render", "r.yaml", "--each", "r.csv", "-o", "out/{name}.png")
        self.run_roundel("render", "r.yaml", "--set", "row=0.5", "-o", "still.png")
        self.assertEqual(self.read("out/a.png"), self.read("still.png"))

    def test_rows_are_chosen_resumed_shared_streamed_and_verified(self):
        verify = ("verify", "out/{name}_{gain}.png", "--each", "t.csv", "--scene", "s.yaml")
        self.each("--frames", "1")
        self.assertEqual(os.listdir(self.path("out")), ["the second_0.2.png"])
        self.assertEqual(self.run_roundel(*verify, code=FAILED).stdout.decode(), "missing: 0,2\n--frames 0,2\n")
        self.assertIn("2 frames (1 kept)", self.each("--resume"))
        self.run_roundel(*verify)
        # A new row changes none of the others' pictures.
        self.write("t.csv", TABLE.replace("# a comment", "new,0.3,#123456,b.csv").replace("third,1,#0000ff", "third,1,#0000fe"))
        self.assertIn("1 frame is of another scene: out/third_1.png", self.each("--resume", code=REFUSED))
        self.assertIn("2 frames (2 kept, 1 replaced)", self.each("--resume", "--overwrite"))
        self.write("t.csv", TABLE)
        whole = [self.still(row) for row in range(3)]
        for share in ("1/2", "2/2"):
            self.each("--shard", share, output="shares/{row}-{name}.png")
        self.assertEqual([self.read(f"shares/{row}-{ROWS[row][0]}.png") for row in range(3)], whole)
        self.each("--split-frame", "--threads", "2", output="bands/{name}.png")
        self.assertEqual([self.read(f"bands/{ROWS[row][0]}.png") for row in range(3)], whole)
        stream = self.run_roundel("render", "s.yaml", "--each", "t.csv", "-o", "-", "--format", "png", "--backend", "cpu")
        self.assertEqual(stream.stdout, b"".join(whole))

    def test_progress_counts_rows(self):
        lines = [json.loads(line) for line in self.each("--progress", "json", "-q").splitlines()]
        self.assertEqual((lines[-1]["done"], lines[-1]["total"]), (3, 3))

    def test_a_scene_may_come_from_a_pipe(self):
        done = self.run_roundel("render", "/dev/stdin", "--each", "t.csv", "-o", "{name}.png", "--backend", "cpu", stdin=SCENE)
        self.assertIn(b"3 frames", done.stderr)
        self.assertEqual(self.read("the second.png"), self.still(1))


class Mistakes(TableRowsTest):
    def test_values_are_reported_with_their_row_and_column(self):
        self.refused('bad.csv: line 3: column gain: layers[0].opacity: expected a number from 0 to 1, got "x"\n'
                     'bad.csv: line 4: column tint: expected one value, as 0.5, "text" or [1, 2], got "[1"\n'
                     'bad.csv: line 5: s.yaml:7:12: layers[1].data: d_c.csv: no such file (did you mean "d_a.csv"?)\n',
                     "name,gain,tint,file\na,1,#ff0000,a.csv\nb,x,#ff0000,a.csv\nc,1,[1,a.csv\nd,1,#ff0000,c.csv\n")

    def test_equal_mistakes_are_reported_once_from_the_first_row(self):
        self.refused('bad.csv: line 2: column gain: layers[0].opacity: expected a number from 0 to 1, got 2 (as in 1 more row)\n',
                     "name,gain\na,2\nb,2\nc,1\n")
        self.refused('bad.csv: line 2: s.yaml:4:1: unknown key "sed" (did you mean "seed"?) (as in 2 more rows)\n',
                     "name,gain\na,1\nb,1\nc,1\n", scene=SCENE.replace("seed", "sed"))

    def test_empty_fields_and_unused_columns(self):
        self.refused("bad.csv: line 2: column tint: expected a value, got none\n"
                     "bad.csv: line 4: column gain: expected a value, got none\n",
                     'name,gain,tint\na,1,""\nb,1,#ff0000\nc,,#ff0000\n')
        self.refused('bad.csv: column gian: s.yaml has no such var (did you mean "gain"?), and no {gian} stands in the names\n',
                     "name,gian\na,1\n")
        for name, output in (("row", "{name}{row}"), ("frame", "{name}{frame:03}"), ("row", "{name}")):
            self.refused(f"bad.csv: column {name}: choose another name: {{{name}}} in the pictures' names is the row's number\n",
                         f"name,{name}\na,5\nb,6\n", output=f"out/{output}.png")
        self.refused('error: --output: t.csv has no column "nmae" (did you mean "name"?); there are name, gain, tint and file\n',
                     output="out/{name}{nmae}.png", code=USAGE)

    def test_invalid_tables(self):
        self.refused("none.csv: no such file\n", table=None, output="out/{row}.png", more=("--each", "none.csv"))
        self.refused("bad.csv: expected a row below the columns' names, got none\n", "name,gain\n")
        self.refused("bad.csv: column 1 (counted from 0): expected a name in the first line\n", "name,,gain\na,2,3\n")
        self.refused("bad.csv: line 3: expected 2 fields, got 1\n", "name,gain\na,1\nb\n")

    def test_names_must_differ(self):
        self.refused("bad.csv: line 4: would be written to out/a.png, as bad.csv: line 2 would\n", "name\na\nb\na\n")
        self.refused('bad.csv: line 2: column name: expected a part of a file\'s name, without /, got "../a"\n'
                     'bad.csv: line 3: column name: expected a part of a file\'s name, without /, got ".."\n',
                     "name\n../a\n..\n", output="out/{name}/x.png")
        self.refused('error: --output: expected a name with a column of bad.csv as {gain}, or the row as {row:04}, for 2 rows, '
                     'got "out/a.png"\n', "gain\n1\n0\n", output="out/a.png", code=USAGE)

    def test_pictures_must_have_one_size_and_start(self):
        scene = SCENE.replace("width: 48", "width: $w").replace("start: 2", "start: $w").replace("{gain", "{w: 48, gain")
        self.refused("bad.csv: line 3: s.yaml: image: 50x32, but 48x32 in bad.csv: line 2\n", "name,w\na,48\nb,50\n", scene=scene)
        self.refused("bad.csv: line 3: s.yaml: animation: start 50, but 48 in bad.csv: line 2\n", "name,w\na,48\nb,50\n",
                     scene=scene.replace("width: $w", "width: 48"))

    def test_conflicting_options(self):
        self.refused("error: --frames: expected rows from 0 to 2 of t.csv, got 1-3\n", code=USAGE, more=("--frames", "1-3"))
        self.refused("error: --renumber: does not work with --each\n", code=USAGE, more=("--frames", "1", "--renumber"))
        self.refused("error: --each: expected one scene, got 2\n", output="out/", code=USAGE, more=("s.yaml",))
        self.refused("error: --watch: needs scene files, not standard input\n", table="", code=USAGE, more=("--watch", "--each", "-"))
        done = self.run_roundel("verify", "#.png", "--each", "t.csv", code=USAGE)
        self.assertIn(b"--each: needs --scene", done.stderr)

    def test_the_table_is_never_replaced(self):
        os.link(self.path("t.csv"), self.path("third.png"))
        self.assertIn("would replace", self.each("--overwrite", output="{name}.png", code=REFUSED))
        self.assertEqual(self.read("t.csv").decode(), TABLE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
