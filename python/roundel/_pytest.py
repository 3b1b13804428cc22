"""The fixture roundel_golden for pytest, which draws a scene and compares it with its golden: docs/python.md."""
import os
import re

import pytest

import roundel


def pytest_addoption(parser):
    parser.getgroup("roundel").addoption("--roundel-accept", action="store_true",
                                         help="roundel_golden stores the pictures that are new or differ as goldens")


@pytest.fixture
def roundel_golden(request, tmp_path):
    """Returns a function that fails the test unless the scene's picture equals its golden.

    scene: a path, a dict or a Scene. name: the golden's file. By default it is that of the scene, or "FILE-TEST" of the
    test, with .png.
    goldens: folder, beside the test's file. max_delta, max_pixels: as for roundel.diff. The other arguments are those of
    roundel.save.
    """
    def check(scene, name=None, *, goldens="goldens", max_delta=0, max_pixels=None, **drawing):
        if name is None:
            is_path = isinstance(scene, (str, os.PathLike))
            name = os.path.splitext(os.path.basename(scene))[0] if is_path else _name_of(request)
        name = os.fspath(name)
        if not name.endswith((".png", ".exr")):
            name += ".png"
        golden, drawn = request.path.parent / goldens / name, tmp_path / name
        roundel.save(scene, drawn, **drawing)
        reason = _reason(golden, drawn, max_delta, max_pixels)
        if reason and request.config.getoption("--roundel-accept"):
            roundel.save(scene, golden, **drawing)
        elif reason:
            pytest.fail(f"{name}: {reason}\ndrawn: {drawn}\nif it is right: pytest --roundel-accept", pytrace=False)

    return check


def _name_of(request):
    """Returns a name that no other test of the folder has."""
    test = request.node.nodeid.partition("::")[2]  # with its class and parameters
    return re.sub(r"[^\w.-]+", "_", f"{request.path.stem}-{test}")


def _reason(golden, drawn, max_delta, max_pixels):
    """Returns why the test fails; empty if it passes."""
    if not golden.exists():
        return f"new: there is no golden {golden}"
    try:
        difference = roundel.diff(golden, drawn, max_delta=max_delta, max_pixels=max_pixels)
    except roundel.UsageError as error:  # such as a golden that git lfs did not fetch; it is not replaced
        pytest.fail(str(error), pytrace=False)
    if difference["same"]:
        return ""
    same_scene = roundel.info(golden).get("fingerprint") == roundel.info(drawn)["fingerprint"]
    origin = "the renderer changed" if same_scene else "the scene changed: the golden has another fingerprint"
    return f"differs: {', '.join(difference['reasons'])}; {origin}"
