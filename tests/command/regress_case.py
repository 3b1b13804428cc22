"""Shared by the tests of folders of pictures and goldens."""

import os

from command_case import CommandCase

SAME, DIFFER, NOT_COMPARED = range(3)

SCENE = """version: 1
image: {width: 24, height: 16}
layers:
  - circles: [{x: 0.5, y: 0.5, radius: 0.3, color: "%s", alpha: 1}]
animation: {fps: 30, frames: 3}
"""
BAD = "version: 2\nlayers: [{generator: rgb}]\n"
RED, BLUE = SCENE % "#ff0000", SCENE % "#0000ff"


class RegressCase(CommandCase):
    is_text = True

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("goldens"))
        self.write("red.yaml", RED)
        self.write("deux bleus é.yaml", BLUE)

    def files(self, folder):
        """Returns all files below, by path in it, without the empty lock that regress writes into the folder of
        goldens.
        """
        found = []
        for at, _, names in os.walk(self.path(folder)):
            found += [os.path.join(at, name) for name in names]
        return sorted(os.path.relpath(path, self.path(folder)) for path in found
                      if not (os.path.basename(path) == "goldens.lock" and self.is_empty_lock(path)))

    def is_empty_lock(self, path):
        return os.path.isfile(path) and self.read(path).endswith(b"\nversion: 1\ngoldens: []\n")

    def regress(self, *arguments, code, scenes=("red.yaml", "deux bleus é.yaml")):
        return self.run_roundel("regress", *scenes, "--goldens", "goldens", "--backend", "cpu",
                                *arguments, code=code).stdout

    def accept_all(self):
        self.regress(code=DIFFER)
        self.run_roundel("accept", "--all", code=SAME)

    def snapshot(self):
        """Returns every file, by path, with its bytes; links with their targets."""
        return {name: os.readlink(self.path(name)) if os.path.islink(self.path(name)) else self.read(name)
                for name in self.files(".")}
