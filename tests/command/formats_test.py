#!/usr/bin/env python3
"""Versions of formats: docs/formats.md has the messages for files of another version. Usage: formats_test.py PATH_OF_ROUNDEL"""

import json
import os
import signal
import struct
import subprocess
import unittest
import zlib

from batch_case import BatchCase, DONE, INVALID, REFUSED, USAGE, with_text
from command_case import RGB, ROUNDEL
from regress_case import DIFFER, NOT_COMPARED, SAME

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/formats.md"), encoding="utf-8") as file:
    PAGE = file.read()


class Formats(BatchCase):
    REGRESS = ("regress", "s.yaml", "--goldens", "goldens", "--json", "r.json")

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("goldens"))
        self.write("s.yaml", RGB)
        self.run_roundel(*self.REGRESS, code=DIFFER)

    def assert_refused(self, *arguments, code, message):
        """The command fails with this message, which the page shows."""
        done = self.run_roundel(*arguments, code=code)
        self.assertIn(message, done.stderr)
        self.assertIn(message, PAGE)

    def test_files_of_a_newer_version_are_refused(self):
        self.write("new.yaml", "version: 2\nlayers: [{generator: rgb}]\n")
        self.assert_refused("validate", "new.yaml", code=INVALID, message="new.yaml:1:10: version: expected 1, got 2")
        self.write("r.json", json.dumps({**json.loads(self.read("r.json")), "version": 2}))
        self.assert_refused("report", "r.json", code=NOT_COMPARED, message="r.json:1:13: version: expected 1, got 2")
        self.write("regress-output/pending/s.png.json", json.dumps({"version": 2, "pictures": []}))
        self.assert_refused("accept", "--all", code=NOT_COMPARED, message=(
            'regress-output/pending/s.png.json: version: expected 1, got 2; run "roundel regress" again'))
        self.run_roundel(*self.REGRESS, code=DIFFER)  # as the message says
        self.run_roundel("accept", "--all", code=SAME)
        self.run_roundel(*self.REGRESS, code=SAME)
        for name, key in (("goldens.yaml", "tolerances"), ("goldens.lock", "goldens")):
            self.write("goldens/" + name, f"version: 2\n{key}: []\n")
            self.assert_refused(*self.REGRESS, code=NOT_COMPARED, message=name + ":1:10: version: expected 1, got 2")
            os.unlink(self.path("goldens/" + name))

    def test_files_without_a_version_are_refused(self):
        self.write("goldens/goldens.lock", "goldens: []\n")
        self.assert_refused(*self.REGRESS, code=NOT_COMPARED, message='goldens.lock:1:1: missing key "version"')

    def test_unknown_keys_of_version_1_are_refused_with_their_place(self):
        self.write("glow.yaml", RGB.replace("layers:", "glow: 3\nlayers:"))
        self.assert_refused("validate", "glow.yaml", code=INVALID, message='glow.yaml:3:1: unknown key "glow"')
        self.assert_refused("validate", "--glow", code=USAGE, message='"--glow": unknown option')

    def test_outputs_for_programs_have_a_version(self):
        self.run_roundel("render", "s.yaml", "-o", "a.png")
        for code, arguments in ((DONE, ("validate", "s.yaml", "--json=-", "-q")), (SAME, ("diff", "a.png", "a.png", "--json")),
                                (DONE, ("explain", "s.yaml", "--pixel", "1,1", "--json")),
                                (DONE, ("explain", "s.yaml", "--heatmap", "stop", "-o", "b.png", "--json")),
                                (SAME, ("diff", "--explain", "s.yaml", "s.yaml", "--json"))):
            found = json.loads(self.run_roundel(*arguments, code=code).stdout)
            self.assertEqual(found["version"], 1, arguments)

    def software(self):
        """Returns this program's name in files, and that of another version, which is as long."""
        own = self.run_roundel("--version").stdout.strip()
        return own, "roundel 9" + own[len("roundel 0"):]

    def test_a_golden_of_another_version_passes_if_its_pixels_are_equal(self):
        self.run_roundel("accept", "--all", code=SAME)
        golden = with_text(self.read("goldens/s.png"), b"Software", self.software()[1].encode())
        self.write_bytes("goldens/s.png", golden)
        self.assertIn(f"software      {self.software()[1]}\n", self.run_roundel("info", "goldens/s.png").stdout)
        self.run_roundel(*self.REGRESS, code=SAME)
        self.assertEqual(self.read("goldens/s.png"), golden)

    def test_unknown_texts_of_a_picture_are_ignored(self):
        self.run_roundel("accept", "--all", code=SAME)
        golden, chunk = self.read("goldens/s.png"), b"tEXtGlow\0bright"
        self.write_bytes("goldens/s.png", golden[:-12] + struct.pack(">I", len(chunk) - 4) + chunk +
                         struct.pack(">I", zlib.crc32(chunk)) + golden[-12:])
        self.run_roundel(*self.REGRESS, code=SAME)
        self.assertIn(f"software      {self.software()[0]}\n", self.run_roundel("info", "goldens/s.png").stdout)

    def test_two_versions_that_share_a_folder_are_noticed(self):
        own, other = self.software()
        with open(ROUNDEL, "rb") as file:
            program = file.read()
        self.write_bytes("other", program.replace(own.encode(), other.encode()))
        os.chmod(self.path("other"), 0o755)
        render = ["render", "snow.yaml", "--size", "256x256", "--threads", "1", "-o", "out/%04d.png", "--resume", "--frames"]
        process = self.start(*render, "0-59")
        self.wait_for_frames(1)
        process.send_signal(signal.SIGSTOP)
        subprocess.run([self.path("other"), *render, "59"], cwd=self.folder, check=True, capture_output=True, timeout=60)
        process.send_signal(signal.SIGCONT)
        _, messages = process.communicate(timeout=120)
        self.assertEqual(process.returncode, REFUSED, messages)
        self.assertIn(f"1 frame is of another program: by {other}, asked {own}: out/0059.png "
                      "(the file appeared after this run began)\n", messages)


if __name__ == "__main__":
    unittest.main()
