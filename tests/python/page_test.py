#!/usr/bin/env python3
"""page_test.py ROUNDEL: the examples of docs/python.md run, and give the page's results."""
import ast
import contextlib
import inspect
import io
import os
import pathlib
import re
import unittest

import numpy as np
import roundel

from command_case import CommandCase

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


class Page(CommandCase):
    def test_examples_run_in_order(self):
        os.symlink(ROOT / "scenes", self.path("scenes"))
        os.chdir(self.folder)
        names, printed = {}, io.StringIO()
        with contextlib.redirect_stdout(printed):
            for example in EXAMPLES:
                exec(compile(example, "docs/python.md", "exec"), names)  # pylint: disable=exec-used
        self.assertGreater(len(EXAMPLES), 4)
        self.assertIn('layers[0].circles[0].radius expected a number > 0, got "big"', printed.getvalue())
        self.run_roundel("render", "stars.yaml", "-o", "stars.png")
        self.run_roundel("render", "scenes/snow.yaml", "--frame", "320", "-o", "command.png")
        self.assertEqual(self.read("snow.png"), self.read("command.png"))

    def test_the_axes(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("agg")
        [example, _] = re.findall(r"```py\n(.*?)```", PAGE, re.DOTALL)
        os.chdir(self.folder)
        values = np.geomspace(1, 1000, 50)
        scene = roundel.Scene(size=(64, 48), view={"x": [0, 50000], "y": [-3, 8], "flip": "y"})
        scene.add(x=values, y=np.zeros(50), radius="2px", values=values, colormap="magma", scale="log", domain=["10%", "90%"])
        names = {"roundel": roundel, "scene": scene}
        exec(compile(example, "docs/python.md", "exec"), names)  # pylint: disable=exec-used
        axes = names["plt"].gcf().axes
        self.assertEqual(axes[0].get_xlim(), (0, 50000))
        self.assertGreater(*axes[0].get_ylim())  # y points down
        np.testing.assert_allclose(axes[1].get_ylim(), [values[4], values[44]])
        self.assertTrue(self.read("axes.png").startswith(b"\x89PNG"))

    def test_the_page_names_the_whole_interface(self):
        for name in roundel.__all__:
            self.assertRegex(PAGE, rf"\b{name}\b")
            self.assertTrue(getattr(roundel, name).__doc__, name)

    def test_stubs_have_the_signatures(self):
        stubs = pathlib.Path(roundel.__file__).with_name("__init__.pyi").read_text(encoding="utf-8")
        found = {}
        for node in ast.parse(stubs).body:
            functions = node.body if isinstance(node, ast.ClassDef) else [node]
            for function in functions:
                if isinstance(function, ast.FunctionDef):
                    owner = getattr(roundel, node.name) if isinstance(node, ast.ClassDef) else roundel
                    found.setdefault(f"{owner.__name__}.{function.name}", (owner, function))  # the first of the overloads
        self.assertLessEqual({f"roundel.{name}" for name in roundel.__all__ if inspect.isfunction(getattr(roundel, name))},
                             set(found))
        for name, (owner, stub) in found.items():
            if owner is roundel.DeviceArray:  # written in C++, without signatures
                self.assertTrue(hasattr(owner, stub.name), name)
                continue
            real = inspect.signature(inspect.getattr_static(owner, stub.name).__func__
                                     if stub.name.startswith("from_") else getattr(owner, stub.name))
            args = stub.args
            stubbed = {a.arg: d for a, d in zip(args.args[len(args.args) - len(args.defaults):], args.defaults)}
            stubbed.update({a.arg: d for a, d in zip(args.kwonlyargs, args.kw_defaults)})
            names = [a.arg for a in args.args + args.kwonlyargs] + ([args.kwarg.arg] if args.kwarg else [])
            self.assertEqual(names, list(real.parameters), name)
            for parameter in real.parameters.values():
                if parameter.default is not inspect.Parameter.empty:
                    self.assertEqual(ast.literal_eval(stubbed[parameter.name]), parameter.default, name)


if __name__ == "__main__":
    unittest.main(verbosity=1)
