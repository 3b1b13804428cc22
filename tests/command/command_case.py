"""What tests of the command from outside have in common. The script that imports this gets the program's path as its first
argument."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROUNDEL = os.path.abspath(sys.argv.pop(1))


class CommandCase(unittest.TestCase):
    """Each test has an empty folder, in which the command runs."""

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

    def results(self, name):
        """The pictures of a file of results, without times."""
        return [{key: value for key, value in picture.items() if key != "seconds"}
                for picture in json.loads(self.read(name))["pictures"]]

    def run_roundel(self, *arguments, code=0, stdin=""):
        """Runs the command; its exit code must be `code`. Output and messages are bytes."""
        done = subprocess.run([ROUNDEL, *arguments], cwd=self.folder, timeout=300, capture_output=True, check=False,
                              input=stdin.encode())
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout[:2000]} {done.stderr[:2000]}")
        return done
