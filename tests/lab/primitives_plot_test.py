#!/usr/bin/env python3
"""docs/lab/primitives.md, its pictures and tools/lab/primitives/plot. Usage: primitives_plot_test.py ROOT"""

import html
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path()
PICTURES = [f"{name}-{sizes}.svg"
            for name in ("saxpy", "scan", "compaction", "selection", "find-repeats")
            for sizes in ("powers", "others")]


class Plot(unittest.TestCase):
    def setUp(self):
        self.json = ROOT / "docs/lab/primitives-h200.json"
        self.page = ROOT / "docs/lab/primitives.md"
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def plot(self, *arguments, code=0):
        done = subprocess.run([sys.executable, ROOT / "tools/lab/primitives/plot", *arguments],
                              text=True, capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr

    def changed(self, path, old, new):
        """Returns a copy with one place changed."""
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        copy = self.folder / path.name
        copy.write_text(text.replace(old, new, 1), encoding="utf-8")
        return copy

    def test_page_and_pictures_match_the_committed_numbers(self):
        self.plot("--check")

    def test_every_committed_result_is_right(self):
        tables = json.loads(self.json.read_bytes())["tables"]
        self.assertEqual([table["primitive"] for table in tables],
                         ["saxpy", "scan", "compaction", "selection", "find-repeats"])
        for table in tables:
            for row in table["rows"]:
                self.assertIs(row["right"], True, f"{table['primitive']}: {row}")

    def test_tables_match_the_file(self):
        # Reads the page independently of the program.
        text = self.page.read_text(encoding="utf-8")
        table = text.split("<!-- table: scan -->")[1].split("<!-- end of table -->")[0]
        row = re.search(r"\| GPU, CUB DeviceScan \| (.*) \|\n\| \*look-back", table)
        shown = row[1].split(" | ")[-1]
        rows = [row for table in json.loads(self.json.read_bytes())["tables"]
                if table["primitive"] == "scan" for row in table["rows"]]
        found = [row for row in rows
                 if row["variant"] == "GPU, CUB DeviceScan" and row["n"] == 1 << 28]
        self.assertEqual(shown.replace("*", ""), f"{found[0]['ms']['median'] * 1000:,.0f}")

    def test_a_changed_number_is_found(self):
        page = self.changed(self.page, "*look-back : CUB* | *", "*look-back : CUB* | *9")
        self.assertIn("its tables are not those of", self.plot("--check", "--page", page, code=1))
        # The first row has a size that is in no table, but in all pictures.
        numbers = json.loads(self.json.read_bytes())
        numbers["tables"][0]["rows"][0]["ms"]["median"] *= 2
        changed = self.folder / self.json.name
        changed.write_text(json.dumps(numbers), encoding="utf-8")
        self.assertIn("not drawn from", self.plot("--check", "--json", changed, code=1))

    def test_missing_pictures_are_found(self):
        self.assertIn("saxpy-powers.svg: not drawn from",
                      self.plot("--check", "--pictures", self.folder, code=1))

    def test_wrong_results_are_refused(self):
        numbers = self.changed(self.json, '"right": true', '"right": false')
        self.assertIn("n = 1021: the result was wrong", self.plot("--json", numbers, code=1))

    def test_tables_need_their_markers_in_the_page(self):
        page = self.changed(self.page, "<!-- table: choice -->", "<!-- table: choices -->")
        before = page.read_bytes()
        self.assertIn("<!-- table: choices -->: expected one of",
                      self.plot("--tables-only", "--page", page, code=1))
        self.assertEqual(page.read_bytes(), before)

    def test_tables_are_updated(self):
        page = self.changed(self.page, "*look-back : CUB* | *", "*look-back : CUB* | *9")
        self.plot("--tables-only", "--page", page)
        self.assertEqual(page.read_bytes(), self.page.read_bytes())

    def test_the_page_names_pictures_that_exist(self):
        named = re.findall(r"\(primitives/([^)]*)\)", self.page.read_text(encoding="utf-8"))
        self.assertEqual(sorted(named), sorted(PICTURES))
        for name in named:
            self.assertTrue((ROOT / "docs/lab/primitives" / name).is_file(), name)

    def test_pictures_name_every_variant_and_are_reproducible(self):
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("matplotlib (python3-matplotlib) is not installed")
        page = self.changed(self.page, "#", "#")
        runs = [self.folder / "a", self.folder / "b"]
        for pictures in runs:
            self.plot("--page", page, "--pictures", pictures)
        self.assertEqual(sorted(os.listdir(runs[0])), sorted(PICTURES))
        for table in json.loads(self.json.read_bytes())["tables"]:
            for sizes in ("powers", "others"):
                name = f"{table['primitive']}-{sizes}.svg"
                text = (runs[0] / name).read_text(encoding="utf-8")
                self.assertEqual(text, (runs[1] / name).read_text(encoding="utf-8"))
                self.assertLess(len(text), 60 << 10, name)
                shown = [html.unescape(shown) for shown in re.findall(r">([^<]+)</text>", text)]
                for variant in {row["variant"] for row in table["rows"]}:
                    self.assertIn(variant, shown, name)
                self.assertIn("copies: H200", shown)
        self.plot("--check", "--page", page, "--pictures", runs[0])


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
