"""Scenes: from files, from dicts, built layer by layer from arrays."""
import copy
import json
import operator
import os

from . import _core
from ._errors import NO_FILE, OutputError, SceneError, UsageError

_MOST_SEED = 2**32 - 1


def _path(path):
    """As the library takes it. Raises UsageError where it has a NUL, which would end it there."""
    path = os.fspath(path)
    if "\0" in path:
        raise UsageError(f"expected a path without a NUL, got {path!r}")
    return path


def _plain(value):
    """For JSON: numbers and arrays of NumPy, and paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"expected what YAML has, got {type(value).__name__}")


def _array(column, name):
    """A column as a NumPy array [rows], without a copy where there is one in main memory as it is."""
    import numpy

    if hasattr(column, "__cuda_array_interface__"):
        array = _core.from_device(column.__cuda_array_interface__)
    elif hasattr(column, "__dlpack__") and not hasattr(column, "__array__"):
        array = numpy.from_dlpack(column)
    else:
        array = numpy.asarray(column)
    if array.dtype == object:
        array = _of_objects(column, array)
    if array.ndim != 1:
        raise SceneError(f"{name}: expected an array [rows], got one of {array.ndim} dimensions")
    return array if array.strides[0] >= 0 else array.copy()


def _of_objects(column, array):
    """An array of objects as pandas has it for texts, and for numbers of which some are missing."""
    import numpy

    if getattr(getattr(column, "dtype", None), "kind", "O") in "biuf":
        return column.to_numpy(dtype=float, na_value=numpy.nan)

    def text(value):
        """Missing texts are empty ones; None, nan and pandas.NA, which says neither, are missing."""
        if isinstance(value, str):
            return value
        try:
            return "" if value is None or value != value else str(value)
        except TypeError:
            return ""

    return numpy.array([text(value) for value in array], dtype=str)


def _columns(data):
    """The columns of a dict, a DataFrame, an Arrow table or a structured array, by their names."""
    if hasattr(data, "items") and hasattr(data, "columns"):  # pandas
        pairs = data.items()
    elif hasattr(data, "column_names"):  # Arrow
        pairs = ((name, data.column(name)) for name in data.column_names)
    elif getattr(getattr(data, "dtype", None), "names", None):
        pairs = ((name, data[name]) for name in data.dtype.names)
    elif hasattr(data, "items"):
        pairs = data.items()
    else:
        raise UsageError(f"data: expected columns by name, got {type(data).__name__}")
    return {str(name): _array(column, name) for name, column in pairs}


def _is_column(value):
    if isinstance(value, (str, dict)):
        return False
    if hasattr(value, "ndim"):
        return value.ndim > 0
    return any(hasattr(value, name) for name in ("__len__", "__dlpack__", "__cuda_array_interface__"))


def _whole(value, name):
    """Whole numbers of any type, or None."""
    if value is None:
        return None
    try:
        return operator.index(value)
    except TypeError:
        raise UsageError(f"{name}: expected a whole number, got {value!r}") from None


def _size(value):
    """(width, height), or None."""
    if value is None:
        return None
    try:
        width, height = value
    except (TypeError, ValueError):
        raise UsageError(f"size: expected (width, height), got {value!r}") from None
    return _whole(width, "size"), _whole(height, "size")


def _var_text(value):
    """A var's value as the command line has it."""
    return value if isinstance(value, str) else json.dumps(value, default=_plain)


class Scene:
    """What to draw: a scene as scene files have it, and layers of circles from arrays.

    `Scene(size=(width, height), background="#ffffff", **keys)` is an empty one; `keys` are those of a scene file, such
    as view={"fit": "data"} or seed=2. Scene space is the unit square, y up.
    """

    def __init__(self, *, size=(1024, 1024), background=None, **keys):
        width, height = _size(size)
        image = {"width": width, "height": height, **keys.pop("image", {})}
        if background is not None:
            image["background"] = background
        self._set_tree({"version": 1, "layers": [], **keys, "image": image})  # checked with its first layer

    @classmethod
    def from_file(cls, path):
        """The scene in a YAML file. Data files stand relative to it.

        Raises SceneError, whose `problems` have path, line and message, for all that is wrong with it.
        """
        scene = cls._unchecked(path)
        scene._check()
        return scene

    @classmethod
    def from_dict(cls, keys):
        """A scene of the keys of a scene file: {"version": 1, "layers": [...], ...}.

        A layer's "data" may be columns instead of a file's name: a dict of arrays [rows], a DataFrame, an Arrow table
        or a structured array. They are not copied.
        """
        scene = cls.__new__(cls)
        scene._set_tree(keys)
        scene._check()
        return scene

    @classmethod
    def _unchecked(cls, source):
        """Of what the functions of the module take: it is checked as it is drawn."""
        if isinstance(source, Scene):
            return source
        if hasattr(source, "keys"):
            return cls.from_dict(source)
        scene = cls.__new__(cls)
        scene._path = _path(source)
        scene._json = _core.read_text(scene._path)
        scene._tree, scene._tables, scene._loaded = None, {}, None
        return scene

    def _set_tree(self, keys):
        self._path, self._json, self._loaded, self._tables = NO_FILE, None, None, {}
        self._tree = dict(keys)
        layers = self._tree.get("layers", [])
        if isinstance(layers, (list, tuple)):
            self._tree["layers"] = [self._with_table(i, layer) for i, layer in enumerate(layers)]
        self._tree = copy.deepcopy(self._tree)

    def _with_table(self, index, layer):
        """The layer with a table's name in place of columns."""
        data = layer.get("data") if hasattr(layer, "get") else None
        if data is None or isinstance(data, (str, os.PathLike)):
            return layer
        name = f"layers[{index}].data"
        columns = _columns(data)
        self._tables[name] = table = _core.Table(name, columns)
        table.is_constant = all(array.flags.owndata and not array.flags.writeable for array in columns.values())
        return {**layer, "data": name}

    def _text(self):
        if self._json is None:
            self._json = json.dumps(self._tree, ensure_ascii=False, default=_plain)
        return self._json

    def _check(self):
        _core.check(self._text(), self._path, self._tables)

    def _load(self, size=None, seed=None, set=None, memory=0):
        """As roundel._core has it. Kept where no arrays that may change have a part in it."""
        is_as_it_stands = size is None and seed is None and not set and not memory and all(
            table.is_constant for table in self._tables.values())
        if is_as_it_stands and self._loaded:
            return self._loaded
        seed = _whole(seed, "seed")
        if seed is not None and not 0 <= seed <= _MOST_SEED:
            raise UsageError(f"seed: expected a whole number from 0 to {_MOST_SEED}, got {seed}")
        loaded = _core.LoadedScene(
            self._text(), self._path, self._tables, _size(size), seed,
            _whole(memory, "memory") or 0, [(name, _var_text(v)) for name, v in (set or {}).items()])
        if is_as_it_stands:
            self._loaded = loaded
        return loaded

    def __copy__(self):
        """Another scene of the same layers and arrays: what is added to one is not in the other."""
        scene = Scene.__new__(Scene)
        scene.__dict__.update(self.__dict__)
        scene._tables = dict(self._tables)
        return scene

    def _edit(self):
        """The tree, to be changed."""
        if self._tree is None:
            self._tree = _core.tree(self._json, self._path)
            folder = os.path.dirname(os.path.abspath(self._path))
            for layer in self._tree["layers"]:
                if "data" in layer:
                    layer["data"] = os.path.join(folder, layer["data"])
            self._path = NO_FILE
        self._json = self._loaded = None
        return self._tree

    def add(self, data=None, *, x=None, y=None, z=None, radius=None, color=None, alpha=None, values=None,
            colormap=None, domain=None, scale=None, categories=None, map=None, **layer):
        """Adds a layer of circles on top, one a row, and returns the scene.

        x, y, radius: arrays [rows] in scene units (unit square, y up), or one number for all; radius also "2px".
        z, alpha: the same, 0 to 1.
        color: "#rrggbb" or (red, green, blue) for all, or an array [rows, 3] of 0 to 1 (of uint8: 0 to 255).
        values: an array [rows] that colours go by, through `colormap` (a name such as "magma", or a list of colours),
            `domain` (two numbers, or percentiles as "2%") and `scale` ("log", "symlog", "rank", ...); or, for texts
            and whole numbers, through `categories` (a palette's name or {value: colour}).
        data: columns by name (a dict, DataFrame, Arrow table, structured array) for x="name" and the like, and for
            `map`, `where` and `order` in the words of docs/scenes.md.
        All other keywords are keys of the layer: name, blend, opacity, stroke, where, order, shader, ...

        Arrays are NumPy's, pandas', Arrow's or whatever has the buffer protocol or DLPack. They are not copied, and
        are read each time the scene is drawn, but for those that are read-only and own their memory; those on a CUDA
        device are copied to main memory once. Raises SceneError for what does not fit, and then adds nothing.
        """
        columns = {} if data is None else _columns(data)
        layer_map = dict(map or {})

        def column(name, array):
            if name in columns:
                raise SceneError(f"{name}: data has a column of this name, and there is an array besides")
            columns[name] = _array(array, name)
            return name

        def place(key, value):
            if value is None:
                return
            layer_map[key] = column(key, value) if _is_column(value) else value

        for key, value in (("x", x), ("y", y), ("z", z), ("radius", radius), ("alpha", alpha)):
            place(key, value)
        if values is not None:
            if _is_column(values):
                values = column("values", values)
            law = {"column": values, "colormap": colormap, "domain": domain, "scale": scale, "categories": categories}
            layer_map["color"] = {key: value for key, value in law.items() if value is not None}
        elif getattr(color, "ndim", None) == 2:
            if color.shape[1] != 3:
                raise SceneError(f"color: expected an array [rows, 3], got [rows, {color.shape[1]}]")
            layer_map["color"] = ["red", "green", "blue"]
            for channel, name in enumerate(layer_map["color"]):
                column(name, color[:, channel])
        elif color is not None:
            layer_map["color"] = list(color) if isinstance(color, tuple) else color
        before = (self._tree, self._path, self._json, self._loaded, dict(self._tables))
        try:
            tree = self._edit()
            new = self._with_table(len(tree["layers"]), {"data": columns, "map": layer_map, **layer})
            self._tree = {**tree, "layers": [*tree["layers"], new]}
            self._check()
        except BaseException:
            self._tree, self._path, self._json, self._loaded, self._tables = before
            raise
        return self

    def save(self, path):
        """Writes the scene as a file that `roundel render` reads, and its arrays beside it.

        The arrays of layer 2 of scene.yaml become scene_2.npy. The command draws the same pixels from them.
        """
        path = _path(path)
        folder, stem = os.path.dirname(os.path.abspath(path)), os.path.splitext(os.path.basename(path))[0]
        if self._tree is None:
            tree = Scene._unchecked(self._path)._edit()
        else:
            tree = copy.deepcopy(self._tree)
        tables = {}
        files = set()
        for index, layer in enumerate(tree["layers"]):
            data = layer.get("data")
            if data in self._tables:
                layer["data"] = f"{stem}_{index}.npy"
                tables[os.path.join(folder, layer["data"])] = self._tables[data]
            elif data is not None:
                files.add(os.path.realpath(data))
                layer["data"] = os.path.relpath(data, folder)
        for file in tables:
            if os.path.realpath(file) in files:
                raise OutputError(f"{file}: would replace data of the scene")
        for file, table in tables.items():
            table.write(file)
        _core.write_text(path, json.dumps(tree, ensure_ascii=False, default=_plain, indent=1) + "\n")

    def _repr_png_(self):
        """For Jupyter: the picture, as a PNG."""
        return self._load().png(None, _core.Machine("auto", 0, 0))
