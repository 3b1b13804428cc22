#!/usr/bin/env python3
"""notebook_test.py ROUNDEL: the cells of docs/notebook.ipynb run in order and draw what their texts claim."""
import base64
import contextlib
import io
import json
import os
import pathlib
import unittest

import numpy as np
import roundel

from command_case import CommandCase

PATH = pathlib.Path(__file__).parents[2] / "docs" / "notebook.ipynb"
NOTEBOOK = json.loads(PATH.read_text(encoding="utf-8"))
MAX_BYTES = 400_000


class Notebook(CommandCase):
    def test_cells_run_in_order(self):
        os.chdir(self.folder)
        os.environ["MPLBACKEND"] = "agg"
        names, printed = {}, io.StringIO()
        with contextlib.redirect_stdout(printed):
            for number, cell in enumerate(NOTEBOOK["cells"]):
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)  # pylint: disable=exec-used
        text = printed.getvalue()
        self.assertRegex(text, r"3,000,000 particles to 1200x750 pixels: \d+ ms")
        self.assertGreater(len(np.unique(names["pixels"].reshape(-1, 3), axis=0)), 1000)
        self.assertEqual(len(names["frames"]), 60)
        np.testing.assert_array_equal(names["frames"][30], roundel.render(names["film"], frame=30))
        self.assertIn("roundel, 3,000,000", names["times"])
        circle = names["answer"]["circles"][0]
        self.assertTrue(0 <= circle["row"] < names["rows"])
        if "matplotlib, 30,000" in names["times"]:  # the same picture, except for its antialiasing
            self.assertLess(names["difference"]["flip"]["mean"], 0.1)
        if os.path.exists("film.mp4"):
            self.assertGreater(os.path.getsize("film.mp4"), 10_000)

    def test_stored_outputs_show_pictures(self):  # stored by tools/notebook-outputs
        self.assertLess(PATH.stat().st_size, MAX_BYTES)
        outputs = [output for cell in NOTEBOOK["cells"] for output in cell.get("outputs", [])]
        self.assertRegex("".join(outputs[0]["text"]), r"3,000,000 particles to 1200x750 pixels: \d+ ms")
        self.assertNotIn("not installed", "".join("".join(output.get("text", "")) for output in outputs))
        pictures = [base64.b64decode(output["data"]["image/png"]) for output in outputs if "data" in output]
        self.assertEqual(len(pictures), 2)  # the particles, frames of the film
        for picture in pictures:
            self.assertTrue(picture.startswith(b"\x89PNG"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
