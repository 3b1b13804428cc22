#!/usr/bin/env python3
"""The program roundel-bench from outside. Usage: bench_command_test.py PATH_OF_ROUNDEL_BENCH"""

import json
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "command"))
from command_case import RGB  # noqa: E402
from scenes_case import INVALID, REFUSED, USAGE, ScenesCase  # noqa: E402


class Bench(ScenesCase):
    def bench(self, *arguments, **keywords):
        return self.run_roundel("rgb.yaml", "--backend", "cpu", "--size", "64x48", "--repeat", "3", *arguments, **keywords)

    def test_the_help_lists_the_options(self):
        text = self.run_roundel("--help").stdout
        self.assertTrue(text.startswith("Usage: roundel-bench [SCENE...] "), text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
        self.assertEqual(re.findall(r"^  (?:-., |    )--([a-z-]+)", text, re.MULTILINE),
                         "repeat size antialias no-antialias set seed frame json backend device threads memory quiet help version".split())
        codes = text.split("Exit codes:\n")[1]
        self.assertEqual(re.findall(r"(?m)^  (\d) ", codes), [str(code) for code in range(REFUSED + 1)])
        for other in (["-h"], ["no.yaml", "--nonsense", "--help"]):
            self.assertEqual(self.run_roundel(*other).stdout, text)
        self.assertRegex(self.run_roundel("--version").stdout, r"^roundel \d+\.\d+\.\d+\n$")

    def test_the_json_names_the_timed_work(self):
        report = json.loads(self.bench("--json", "-").stdout)
        self.assertEqual(list(report), ["machine", "commit", "version", "results"])
        self.assertGreater(report["machine"]["bytes_per_second"], 1e8)
        self.assertGreater(report["machine"]["operations_per_second"], 1e8)
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

    def test_mistakes_are_refused(self):
        self.assert_fails("rgb.yaml", "--repeat", "0", code=USAGE, mentions=["--repeat", '"roundel-bench --help"'])
        self.write("bad.yaml", "version: 2\n")
        self.assert_fails("bad.yaml", "--json", "a.json", code=INVALID, mentions=["version"])

    def test_the_json_never_replaces_inputs(self):
        inputs = {"d.csv": "x,y,radius\n0.5,0.5,0.1\n", "d.yaml": "version: 1\nlayers: [{data: d.csv, columns: [x, y, radius]}]\n"}
        for name, text in inputs.items():
            self.write(name, text)
        self.assertIn("which this command reads", self.bench("d.yaml", "--json", "d.yaml", code=REFUSED).stderr)
        for name in inputs:
            for make in (os.symlink, os.link):
                make(self.path(name), self.path("times.json"))
                self.assertIn("which this command reads", self.bench("d.yaml", "--json", "times.json", code=REFUSED).stderr)
                os.unlink(self.path("times.json"))
        for name, text in inputs.items():
            self.assertEqual(self.read(name), text.encode())

    def test_names_of_scenes_are_escaped(self):
        name = "\x1b]0;x\x07\n::error::a.yaml"
        self.write(name, RGB)
        text = self.run_roundel(name, "--backend", "cpu", "--size", "8x8", "--repeat", "1").stdout
        self.assertIn(r"\x1b]0;x\x07\x0a::error::a.yaml", text)
        self.assertNotRegex(text, r"(?m)^\s*::|\x1b")


if __name__ == "__main__":
    unittest.main(verbosity=2)
