"""Renders millions of translucent circles, in order, exactly: the command `roundel` for Python.

    import roundel
    pixels = roundel.render("scene.yaml")        # a NumPy array [height, width, 3], row 0 on top

    scene = roundel.Scene(size=(800, 600), view={"fit": "data"}, antialias=True)
    scene.add(x=x, y=y, radius="2px", values=mass, colormap="magma", scale="log")
    roundel.save(scene, "stars.png")

The pixels are those of the command, on every machine. docs/python.md has examples and a table for users of matplotlib.
"""
from . import _interpreter
from ._core import DeviceArray
from ._core import version as __version__
from ._errors import Error, OutputError, Problem, RenderError, RoundelWarning, SceneError, UsageError
from ._render import circles, diff, explain_pixel, fingerprint, frames, info, render, save, validate
from ._scene import Scene

__all__ = ["DeviceArray", "Error", "OutputError", "Problem", "RenderError", "RoundelWarning", "Scene", "SceneError", "UsageError", "circles",
           "diff", "explain_pixel", "fingerprint", "frames", "info", "render", "save", "validate"]
