"""same_test.py ROUNDEL SOURCE_DIR: tools/lab/same finds all planted differences, and only those."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROUNDEL, SOURCE_DIR = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
try:
    import h5py  # noqa: F401
    import numpy  # noqa: F401
except ImportError:
    print("SKIPPED: needs NumPy and h5py")
    sys.exit(77)


class Same(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, changes):
        """Returns a program that runs roundel after `changes`, lines of shell."""
        path = self.folder / "changed"
        path.write_text(f'#!/bin/sh\n{changes}\nexec "{ROUNDEL}" "$@"\n')
        path.chmod(0o755)
        return path

    def same(self, new, *options):
        done = subprocess.run([sys.executable, SOURCE_DIR / "tools/lab/same", ROUNDEL, new, "--scenes", "16", *options],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def test_a_program_equals_itself(self):
        status, text = self.same(ROUNDEL, "--files", SOURCE_DIR / "scenes/rgb.yaml")
        self.assertEqual(status, 0, text)
        self.assertRegex(text, r"^17 scenes \(\d+ with mistakes\), [12]\d\d results compared: none differ\n$")

    def test_changed_pictures_fingerprints_and_arrays_are_found(self):
        status, text = self.same(self.program('case $1 in render | circles) set -- "$@" --seed 77 ;; esac'))
        self.assertEqual(status, 1)
        for what in ("PNG: ", "EXR R: ", "fingerprint: ", "circles array: "):
            self.assertIn(f": {what}", text)

    def test_a_changed_exit_code_is_found(self):
        status, text = self.same(self.program("[ $1 != circles ] || exit 1"))
        self.assertEqual(status, 1)
        self.assertIn("circles: (0, []) and (1, [])", text)

    def test_a_changed_place_of_an_error_is_found(self):
        changed = self.program(f'if [ $1 = validate ]; then "{ROUNDEL}" "$@" 2>"{self.folder}/text.$$"; status=$?\n'
                               f'sed "s/:[0-9]*:[0-9]*: /:1:1: /" "{self.folder}/text.$$" >&2; exit $status; fi')
        status, text = self.same(changed)
        self.assertEqual(status, 1)
        self.assertRegex(text, r"validate: \(3, \['.*:\d+:\d+'.*\]\) and \(3, \['.*:1:1'")


if __name__ == "__main__":
    unittest.main()
