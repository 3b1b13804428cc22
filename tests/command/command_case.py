"""Shared by the tests of the command from outside. The importing script gets the program's path as its first argument.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROUNDEL = os.path.abspath(sys.argv.pop(1))

RGB = """version: 1
image: {width: 64, height: 48}
layers:
  - generator: rgb
"""
RANDOM = """version: 1
image: {width: 300, height: 200}
layers:
  - random: {count: 5000, radius: {uniform: [0.002, 0.05]},
             color: {uniform: [[0, 0, 0], [1, 1, 1]]}, alpha: {uniform: [0.1, 0.9]}}
"""
MIXED = """version: 1
image: {width: 32, height: 32}
layers:
  - circles: [{x: 0.5, y: 0.5, radius: 0.25, color: [1, 0.5, 0], alpha: 1}]
  - random: {count: 10, radius: 0.1}
    shader: snow
"""


def is_sanitized():
    """Returns whether the command needs the memory, stack and time of a sanitizer."""
    with open(ROUNDEL, "rb") as program:
        return b"__asan_init" in program.read() or os.environ.get("ROUNDEL_SANITIZED") == "1"


class CommandCase(unittest.TestCase):
    """Each test has an empty folder, in which the command runs."""

    is_text = False

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="roundel_test_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def write_bytes(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def results(self, name):
        """Returns the pictures of a file of results, without times."""
        return [{key: value for key, value in picture.items() if key != "seconds"}
                for picture in json.loads(self.read(name))["pictures"]]

    def run_roundel(self, *arguments, code=0, stdin="", **keywords):
        """Runs the command; its exit code must be `code`. Output and messages are bytes, or texts with is_text."""
        keywords = {"text": self.is_text, **keywords}
        if not keywords["text"] and isinstance(stdin, str):
            stdin = stdin.encode()
        done = subprocess.run([ROUNDEL, *arguments], cwd=self.folder, timeout=300, capture_output=True, check=False,
                              input=stdin, **keywords)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout[:2000]} {done.stderr[:2000]}")
        return done
