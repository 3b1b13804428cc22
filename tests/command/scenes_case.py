"""Scenes, and checks of messages and files, for tests of the command from outside."""

import os
import subprocess

from command_case import MIXED, RANDOM, RGB, ROUNDEL, CommandCase

DONE, FAILED, USAGE, INVALID, REFUSED, SOME_FAILED = range(6)

SNOW = """version: 1
image: {width: 32, height: 32}
layers:
  - generator: snow
"""
# Never opaque, so every circle counts: many seconds of work.
SLOW = """version: 1
image: {width: 2048, height: 2048}
layers:
  - random: {count: 1000000, radius: 0.2, alpha: 0.00001}
"""


class ScenesCase(CommandCase):
    """Each test has these five scenes in its folder. The command's output is text."""

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        for name, text in {"rgb": RGB, "random": RANDOM, "snow": SNOW, "mixed": MIXED,
                           "slow": SLOW}.items():
            self.write(name + ".yaml", text)

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text.encode("latin-1"))
        return self.path(name)

    def run_roundel(self, *arguments, code=DONE, program=None, **keywords):
        """Runs in the test's folder; checks the exit code; returns the finished process."""
        keywords.setdefault("stdout", subprocess.PIPE)
        keywords.setdefault("stderr", subprocess.PIPE)
        done = subprocess.run([program or ROUNDEL, *arguments], cwd=self.folder, text=True,
                              timeout=120, check=False, **keywords)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout} {done.stderr}")
        return done

    def assert_only_scenes(self, folder=None):
        left = [name for name in os.listdir(folder or self.folder) if not name.endswith(".yaml")]
        self.assertEqual(left, [])

    def assert_fails(self, *arguments, code, mentions=(), **keywords):
        """Checks exit code, messages on stderr only, and that no file is left."""
        done = self.run_roundel(*arguments, code=code, **keywords)
        self.assertFalse(done.stdout)
        self.assertTrue(done.stderr)
        for text in mentions:
            self.assertIn(text, done.stderr)
        self.assert_only_scenes()
        return done
