"""Pictures of scenes, and what can be asked about them."""
import json
import os

from . import _core
from ._errors import UsageError
from ._scene import Scene


def render(scene, *, frame=None, size=None, seed=None, set=None, backend="auto", threads=0, memory=None,
           dtype="uint8", out=None):
    """Draws one frame of a scene into an array [height, width, 3], or 4 for scenes with alpha; row 0 is on top.

    scene: a path, a dict of a scene file's keys, or a Scene.
    frame: its number; the animation's first one, else 0, where None.
    size: (width, height) in pixels instead of the scene's.
    seed: of the random numbers, instead of the scene's.
    set: values of the scene's vars, as {"gain": 0.5}.
    backend: "auto", "cpu" or "cuda". The pixels are the same.
    threads: of the CPU; 0 is one a core.
    memory: bytes that drawing may take.
    dtype: "uint8" and "uint16" are the samples of a PNG of so many bits, sRGB, alpha straight; "float32" those of an
        EXR: not clamped, in the scene's blend space, alpha premultiplied.
    out: an array of that shape and dtype to draw into, which is returned.

    Raises SceneError, UsageError or RenderError; KeyboardInterrupt on Ctrl-C. Other Python threads go on meanwhile.
    """
    loaded = Scene._unchecked(scene)._load(size, seed, set, memory)
    pixels = loaded.render(frame, _core.Machine(backend, threads, memory or 0), str(dtype))
    if out is None:
        return pixels
    if out.shape != pixels.shape or out.dtype != pixels.dtype:
        raise UsageError(f"out: expected {pixels.dtype} {list(pixels.shape)}, got {out.dtype} {list(out.shape)}")
    out[...] = pixels
    return out


def save(scene, path, *, frame=None, size=None, seed=None, set=None, backend="auto", threads=0, memory=None):
    """Draws one frame of a scene into a file: .png, .exr or .pfm, byte by byte what `roundel render -o` writes.

    The other arguments are those of `render`. A file that is there is replaced, at once and as a whole.
    """
    loaded = Scene._unchecked(scene)._load(size, seed, set, memory)
    loaded.save(frame, _core.Machine(backend, threads, memory or 0), os.fspath(path))


def fingerprint(scene, *, frame=None, size=None, seed=None, set=None):
    """32 hexadecimal digits that stand for all that a frame's pixels depend on: those in the files of `save`."""
    return Scene._unchecked(scene)._load(size, seed, set).fingerprint(frame)


def validate(scene, *, size=None, seed=None, set=None):
    """Checks a scene and its data, and says what it is like.

    Returns a dict: width, height, channels, circles, start, frames and fps of its animation, fingerprint. Raises
    SceneError, whose `problems` are all that is wrong.
    """
    return Scene._unchecked(scene)._load(size, seed, set).describe()


def info(path=None):
    """What a picture (PNG, EXR) says of itself: size, and which scene, seed and frame it is of; without a path, what
    this machine offers: version, backends, threads, vectors, memory in bytes, CUDA devices."""
    return json.loads(_core.machine_info() if path is None else _core.picture_info(os.fspath(path)))
