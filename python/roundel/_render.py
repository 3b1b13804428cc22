"""Pictures of scenes, and what can be asked about them."""
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
    """The name of what NumPy takes for a type of samples."""
    if isinstance(dtype, str):
        return _text(dtype, "dtype")
    import numpy

    try:
        return numpy.dtype(dtype).name
    except (TypeError, ValueError):
        raise UsageError(f"dtype: expected uint8, uint16 or float32, got {_shown(dtype)}") from None


def _check_out(out):
    """Before anything is drawn."""
    import numpy

    if not isinstance(out, numpy.ndarray):
        raise UsageError(f"out: expected a NumPy array, got {_shown(out)}")
    if not out.flags.writeable:
        raise UsageError("out: expected an array that may be written, got one that is read-only")


def render(scene, *, frame=None, size=None, seed=None, set=None, backend="auto", threads=0, memory=None,
           dtype="uint8", out=None, device=None):
    """Draws one frame of a scene into an array [height, width, 3], or 4 for scenes with alpha; row 0 is on top.

    scene: a path, a dict of a scene file's keys, or a Scene.
    frame: its number; the animation's first one, else 0, where None.
    size: (width, height) in pixels instead of the scene's.
    seed: of the random numbers, instead of the scene's.
    set: values of the scene's vars, as {"gain": 0.5}.
    backend: "auto", "cpu" or "cuda". The pixels are the same.
    threads: of the CPU, at most 1024; 0 is one a core.
    memory: bytes that drawing may take, at least 2**20.
    dtype: "uint8" and "uint16" are the samples of a PNG of so many bits, sRGB, alpha straight; "float32" those of an
        EXR: not clamped, in the scene's blend space, alpha premultiplied.
    out: an array of that shape and dtype to draw into, which is returned.
    device: "cuda": the picture stays in the memory of the GPU that draws it, as a DeviceArray, which cupy.asarray,
        torch.from_dlpack and others take without a copy; its numpy() is the array that there would be without this.

    Raises SceneError, UsageError or RenderError; KeyboardInterrupt on Ctrl-C. Other Python threads go on meanwhile.
    """
    loaded = Scene._unchecked(scene)._load(size, seed, set, memory)
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


def save(scene, path, *, frame=None, size=None, seed=None, set=None, backend="auto", threads=0, memory=None):
    """Draws one frame of a scene into a file: .png, .exr or .pfm, byte by byte what `roundel render -o` writes.

    The other arguments are those of `render`. A file that is there is replaced, at once and as a whole.
    Missing folders are made.
    """
    loaded = Scene._unchecked(scene)._load(size, seed, set, memory)
    loaded.save(_frame(frame), _machine(backend, threads, memory), _path(path))


def frames(scene, list="all", *, size=None, seed=None, set=None, backend="auto", threads=0, memory=None,
           dtype="uint8"):
    """Iterates over the frames of a film, arrays as `render` makes them, which the export pipeline draws ahead.

    list: "0-99", "1-10,20-30x2", "all" of the scene's animation, or frame numbers; they come in rising order, each
        once. Frames below 0 show the state of frame 0.
    dtype: "uint8" or "uint16".

    The other arguments are those of `render`. What has been drawn ahead is dropped when the iterator is.
    """
    loaded = Scene._unchecked(scene)._load(size, seed, set, memory)
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
    """The circles of a frame as a float32 array [n, 7], in paint order: x, y, z, radius (scene units), red, green,
    blue (0 to 1); [n, 4] without colours where all layers are snow.

    all: [n, 8] with alpha; of scenes with strokes [n, 9] with the inner radius of each circle's. float64 where the
    view moves circles of layers with a move, a map or float64 data, or inline and random ones far from 0, so that
    they can be drawn again as they are.
    """
    return Scene._unchecked(scene)._load(None, seed, set).circles(_frame(frame), bool(all))


def explain_pixel(scene, x, y, *, frame=None, size=None, seed=None, set=None, limit=1000):
    """How a pixel came about: a dict as `roundel explain --json` prints it; docs/explain.md lists its keys.

    x, y: column and row, from 0 at the upper left, as array[y, x] has it. limit: circles listed, front ones first.
    """
    scene = Scene._unchecked(scene)
    loaded = scene._load(size, seed, set)
    place = _whole(x, "x", 0, _MOST_SIDE - 1), _whole(y, "y", 0, _MOST_SIDE - 1)
    return json.loads(loaded.explain_pixel(_frame(frame), *place, _whole(limit, "limit"), scene._is_file()))


def diff(a, b, *, max_delta=0, max_pixels=None, flip=False, ssim=False):
    """How picture b differs from picture a: a dict with "same" and the other keys of docs/diff.md.

    a, b: paths (PNG, EXR, PFM, JPEG, WebP), or arrays [height, width] or [height, width, channels] of uint8, uint16 or float32.
    max_delta: what a channel may differ by: levels of 0 to 255, values where samples are floats.
    max_pixels: how many pixels may differ by more; none unless given.
    flip, ssim: measure these too.

    Raises UsageError for what cannot be compared; the exit_code of all its errors is the command's, 2.
    """
    try:
        is_delta = 0 <= max_delta <= _MOST_DELTA
    except (ArithmeticError, TypeError, ValueError):
        is_delta = False
    if not is_delta:
        raise UsageError(f"max_delta: expected a number from 0 to {_MOST_DELTA}, got {_shown(max_delta)}")
    max_pixels = _whole_or_none(max_pixels, "max_pixels")
    try:
        return json.loads(_core.diff(_picture(a), _picture(b), max_delta, max_pixels, bool(flip), bool(ssim)))
    except SceneError as error:  # a picture is no scene
        raise UsageError(str(error)) from None
    except Error as error:
        error.exit_code = UsageError.exit_code
        raise


def _picture(picture):
    if isinstance(picture, (str, os.PathLike)):
        return _path(picture)
    import numpy

    try:
        return numpy.ascontiguousarray(picture)
    except (TypeError, ValueError) as error:  # such as lists of different lengths
        raise UsageError(f"expected a path or an array, got a {type(picture).__name__}: {error}") from None


def fingerprint(scene, *, frame=None, size=None, seed=None, set=None):
    """32 hexadecimal digits that stand for all that a frame's pixels depend on: those in the files of `save`."""
    return Scene._unchecked(scene)._load(size, seed, set).fingerprint(_frame(frame))


def validate(scene, *, frame=None, size=None, seed=None, set=None):
    """Checks a scene and its data, and says what a frame's picture shows.

    Returns a dict of what `roundel validate --json` has of a scene: width, height, channels, circles, start, frames and
    fps of its animation, fingerprint; window, [[left, right], [bottom, top]] of the picture in scene units; layers, with
    name, kind, circles, data, and the column, scale, domain, colormap and categories of color, alpha and radius. Raises
    SceneError, whose `problems` are all that is wrong.
    """
    return json.loads(Scene._unchecked(scene)._load(size, seed, set).describe(_frame(frame)))


def info(path=None):
    """What a picture (PNG, EXR, PFM, JPEG, WebP) says of itself: size, and which scene, seed and frame it is of; without a path, what
    this machine offers: version, backends, threads, vectors, memory in bytes, CUDA devices."""
    return json.loads(_core.machine_info() if path is None else _core.picture_info(_path(path)))
