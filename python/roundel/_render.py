"""Pictures of scenes, and questions about them."""
import itertools
import json
import os
import sys

from . import _core
from ._arguments import _MOST_SIDE, _frame, _memory, _path, _shown, _text, _whole, _whole_or_none
from ._errors import Error, SceneError, UsageError
from ._scene import Scene

_MOST_DELTA = 1_000_000_000
_MOST_THREADS = 1024
_MOST_FRAMES = 10_000_000


def _machine(backend, threads, memory):
    return _core.Machine(_text(str(backend), "backend"), _whole(threads, "threads", 0, _MOST_THREADS), _memory(memory))


def _samples(dtype):
    """Returns NumPy's name of a type of samples."""
    if isinstance(dtype, str):
        return _text(dtype, "dtype")
    from ._numpy import numpy

    try:
        return numpy.dtype(dtype).name
    except (TypeError, ValueError):
        raise UsageError(f"dtype: expected uint8, uint16 or float32, got {_shown(dtype)}") from None


def _check_out(out):
    """Checks `out` before anything is drawn."""
    from ._numpy import numpy

    if not isinstance(out, numpy.ndarray):
        raise UsageError(f"out: expected a NumPy array, got {_shown(out)}")
    if not out.flags.writeable:
        raise UsageError("out: expected an array that may be written, got one that is read-only")


def render(scene, *, frame=None, size=None, antialias=None, seed=None, set=None, backend="auto", threads=0, memory=None,
           dtype="uint8", out=None, device=None):
    """Draws one frame of a scene and returns an array [height, width, 3], row 0 on top.

    Scenes with `alpha: true` give 4 channels.

    scene: a path, a dict of a scene file's keys, or a Scene.
    frame: frame number; by default the animation's first frame, or 0.
    size: (width, height) in pixels, 1 to 65,536 each, instead of the scene's.
    antialias: True for smooth edges, False for hard ones, instead of the scene's.
    seed: start of the random numbers, 0 to 2**32 - 1, instead of the scene's.
    set: values of the scene's vars, as {"gain": 0.5}.
    backend: "auto", "cpu" or "cuda". The pixels are the same.
    threads: CPU threads, 0 to 1024; 0 is one for each core.
    memory: limit in bytes for drawing, at least 2**20.
    dtype: "uint8" and "uint16" give a PNG's samples: sRGB, straight alpha. "float32" gives an EXR's: unclamped, in the
        scene's blend space, premultiplied alpha.
    out: array of that shape and dtype to draw into; it is returned.
    device: "cuda" keeps the picture on the GPU and returns a DeviceArray, for cupy.asarray, torch.from_dlpack and others,
        without a copy.

    Raises SceneError, UsageError or RenderError, and KeyboardInterrupt on Ctrl-C. Other Python threads go on meanwhile.
    """
    loaded = Scene._unchecked(scene)._load(size, seed, set, memory, antialias)
    if not (device is None or isinstance(device, str) and device == "cuda"):
        raise UsageError(f'device: expected "cuda" or None, got {_shown(device)}')
    if device is not None and out is not None:
        raise UsageError("out: expected without device: an array is in main memory")
    if out is not None:
        _check_out(out)
    draw = loaded.render if device is None else loaded.render_on_device
    pixels = draw(_frame(frame), _machine(backend, threads, memory), _samples(dtype))
    if out is None:
        return pixels
    if out.shape != pixels.shape or out.dtype != pixels.dtype:
        raise UsageError(f"out: expected {pixels.dtype} {list(pixels.shape)}, got {out.dtype} {list(out.shape)}")
    out[...] = pixels
    return out


def save(scene, path, *, frame=None, size=None, antialias=None, seed=None, set=None, backend="auto", threads=0,
         memory=None):
    """Draws one frame of a scene into a file, .png, .exr or .pfm, with the bytes of `roundel render -o`.

    path: the file; an existing one is replaced as a whole, and missing folders are made.

    The other arguments are those of `render`. Raises OutputError too.
    """
    loaded = Scene._unchecked(scene)._load(size, seed, set, memory, antialias)
    loaded.save(_frame(frame), _machine(backend, threads, memory), _path(path))


def frames(scene, list="all", *, size=None, antialias=None, seed=None, set=None, backend="auto", threads=0,
           memory=None, dtype="uint8"):
    """Yields the frames of a film as arrays like those of `render`, while all cores draw the next ones.

    list: "0-99", "1-10,20-30x2", "all" for the scene's animation, or frame numbers. Frames come in rising order, each
        once. Frames below 0 show the state of frame 0.
    dtype: "uint8" or "uint16".

    The other arguments are those of `render`. Frames drawn ahead are dropped with the iterator.
    """
    loaded = Scene._unchecked(scene)._load(size, seed, set, memory, antialias)
    if isinstance(list, str):
        text = _text(list, "frames")
    else:
        numbers = [_whole(frame, "frames", -sys.maxsize) for frame in itertools.islice(_items(list), _MOST_FRAMES + 1)]
        if len(numbers) > _MOST_FRAMES:
            raise UsageError(f"frames: expected at most {_MOST_FRAMES}, got more")
        text = ",".join(map(str, numbers))
    return _until_the_end(loaded.frames(text, _machine(backend, threads, memory), _samples(dtype)))


def _items(frames):
    try:
        return iter(frames)
    except TypeError:
        raise UsageError(f'frames: expected "0-99", "all" or frame numbers, got {_shown(frames)}') from None


def _until_the_end(drawn):
    while True:
        try:
            pixels = drawn.__next__()
        except StopIteration:
            return
        yield pixels


def circles(scene, *, frame=None, all=False, seed=None, set=None):
    """Returns the circles of a frame as a float32 array [n, 7] in paint order.

    The columns are x, y, z, radius (scene units), red, green, blue (0 to 1). Scenes of snow alone give [n, 4], without
    colours.

    all: adds alpha, [n, 8]; in scenes with strokes also the inner radius, [n, 9]. The array is float64 where float32 would
        round places, so that the circles can be drawn again as they are.
    """
    return Scene._unchecked(scene)._load(None, seed, set).circles(_frame(frame), bool(all))


def explain_pixel(scene, x, y, *, frame=None, size=None, antialias=None, seed=None, set=None, limit=1000):
    """Returns how a pixel came about: a dict with the keys of `roundel explain --json` (docs/explain.md).

    x, y: column and row, from 0 at the upper left, as in array[y, x].
    limit: number of circles to list, front ones first.
    """
    scene = Scene._unchecked(scene)
    loaded = scene._load(size, seed, set, antialias=antialias)
    place = _whole(x, "x", 0, _MOST_SIDE - 1), _whole(y, "y", 0, _MOST_SIDE - 1)
    return json.loads(loaded.explain_pixel(_frame(frame), *place, _whole(limit, "limit"), scene._is_file()))


def diff(a, b, *, max_delta=0, max_pixels=None, flip=False, ssim=False, align=False):
    """Returns how picture b differs from picture a: a dict with "same" and the other keys of docs/compare.md.

    a, b: paths (PNG, EXR, PFM, JPEG, WebP), or arrays [height, width] or [height, width, channels] of uint8, uint16 or
        float32.
    max_delta: allowed difference of a channel: levels of 0 to 255, or values of float samples.
    max_pixels: number of pixels that may differ by more; 0 by default.
    flip, ssim: True to measure these too.
    align: True to find a shift of at most 16 pixels that explains the difference; such pictures still differ.

    Raises UsageError for pictures that cannot be compared. All errors have the command's exit_code 2.
    """
    try:
        is_delta = 0 <= max_delta <= _MOST_DELTA
    except (ArithmeticError, TypeError, ValueError):
        is_delta = False
    if not is_delta:
        raise UsageError(f"max_delta: expected a number from 0 to {_MOST_DELTA}, got {_shown(max_delta)}")
    max_pixels = _whole_or_none(max_pixels, "max_pixels")
    try:
        return json.loads(_core.diff(_picture(a), _picture(b), max_delta, max_pixels, bool(flip), bool(ssim), bool(align)))
    except SceneError as error:  # a picture is no scene
        raise UsageError(str(error)) from None
    except Error as error:
        error.exit_code = UsageError.exit_code
        raise


def _picture(picture):
    if isinstance(picture, (str, os.PathLike)):
        return _path(picture)
    from ._numpy import numpy

    try:
        return numpy.ascontiguousarray(picture)
    except (TypeError, ValueError) as error:  # such as lists of different lengths
        raise UsageError(f"expected a path or an array, got a {type(picture).__name__}: {error}") from None


def fingerprint(scene, *, frame=None, size=None, antialias=None, seed=None, set=None):
    """Returns 32 hexadecimal digits, a hash of everything that a frame's pixels depend on, as stored in files of `save`."""
    return Scene._unchecked(scene)._load(size, seed, set, antialias=antialias).fingerprint(_frame(frame))


def validate(scene, *, frame=None, size=None, antialias=None, seed=None, set=None):
    """Checks a scene and its data, and returns what a frame's picture shows, as `roundel validate --json` does.

    The dict has width, height, channels, circles, fingerprint; start, frames and fps of the animation; window, [[left,
    right], [bottom, top]] of the picture in scene units; and layers, each with name, kind, circles, data, and the column,
    scale, domain, colormap and categories of color, alpha and radius. Raises SceneError; its `problems` list all mistakes.
    """
    return json.loads(Scene._unchecked(scene)._load(size, seed, set, antialias=antialias).describe(_frame(frame)))


def info(path=None):
    """Returns what a picture's file holds (PNG, EXR, PFM, JPEG, WebP): size, scene, seed and frame.

    Without a path it describes this machine: version, backends, threads, vectors, memory in bytes, CUDA devices.
    """
    return json.loads(_core.machine_info() if path is None else _core.picture_info(_path(path)))
