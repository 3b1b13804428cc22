#!/usr/bin/env python3
"""The program roundel-primitives from outside. Usage: primitives_command_test.py PATH"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
NAMES = ["saxpy", "scan", "compaction", "selection", "find-repeats"]


class Primitives(unittest.TestCase):
    def run_program(self, *arguments, code=0, **keywords):
        done = subprocess.run([PROGRAM, *arguments], text=True, capture_output=True, timeout=120,
                              check=False, **keywords)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout} {done.stderr}")
        return done

    def test_every_primitive_has_a_table_with_right_results(self):
        text = self.run_program("--sizes", "0,1,1000,2^16-3", "--repeat", "2").stdout
        for name in NAMES:
            self.assertIn(f"\n{name}: ", text)
        self.assertEqual(text.count("CPU, one thread"), 20)
        self.assertEqual(text.count("CPU, all threads"), 20)
        self.assertNotIn("WRONG", text)
        self.assertRegex(text, r"^\d+ threads?, .*: copies [\d.]+ GB/s")
        if "GPU, " not in text:
            self.assertRegex(text, r"\nCPU rows only: .*CUDA.*\n$")

    def test_json_has_all_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_program("scan", "compaction", "--sizes=1000,2000", "--threads", "1",
                                    "--json", "a.json", cwd=folder)
            self.assertIn("\nscan: ", done.stdout)
            with open(os.path.join(folder, "a.json"), encoding="utf-8") as file:
                written = json.load(file)
        printed = json.loads(self.run_program("scan", "compaction", "--sizes=1000,2000",
                                              "--threads", "1", "--json", "-").stdout)
        for found in (written, printed):
            self.assertEqual([table["primitive"] for table in found["tables"]],
                             ["scan", "compaction"])
            self.assertEqual(found["machine"]["threads"], 1)
            self.assertGreater(found["machine"]["copy_bytes_per_second"], 1e8)
            for table in found["tables"]:
                self.assertEqual([row["n"] for row in table["rows"] if not row["on_device"]],
                                 [1000, 1000, 2000, 2000])
                for row in table["rows"]:
                    self.assertTrue(row["right"])
                    self.assertGreaterEqual(row["ms"]["median"], row["ms"]["min"])
                    self.assertAlmostEqual(row["bytes_per_second"],
                                           row["bytes"] / row["ms"]["median"] * 1e3, delta=1)

    def test_wrong_command_lines(self):
        for arguments, mentions in ((["scam"], 'selection or find-repeats (did you mean "scan"?)'),
                                (["--sizes", "1,x"], "expected numbers of elements"),
                                (["--repeat", "0"], "--repeat: expected a whole number"),
                                (["--nonsense"], "unknown option")):
            done = self.run_program(*arguments, code=2)
            self.assertFalse(done.stdout)
            self.assertIn(mentions, done.stderr)
            self.assertIn('"roundel-primitives --help"', done.stderr)

    def test_too_much_memory_is_refused(self):
        if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 68e9:
            self.skipTest("this machine has room for 2^32 elements")
        done = self.run_program("scan", "--sizes", "2^32", code=1)
        self.assertIn("4294967296 elements need 64.0 GiB of memory", done.stderr)

    def test_an_impossible_output(self):
        self.run_program("scan", "--sizes", "10", "--json", "/no/such/folder/a.json", code=4)

    def test_help_and_version(self):
        text = self.run_program("--help").stdout
        self.assertTrue(text.startswith("Usage: roundel-primitives [PRIMITIVE...] "), text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
        self.assertRegex(self.run_program("--version").stdout, r"^roundel \d")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
