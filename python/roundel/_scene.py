"""Scenes from files, from dicts, and from arrays."""
import copy
import json
import os
import re

from . import _core
from ._arguments import _MOST_SEED, _antialias, _check_known, _check_once, _map, _memory, _path, _plain, _shown, _size, _vars, _whole_or_none
from ._columns import _channels, _check_left_out, _columns, _is_color, _is_column, _names_of_texts, _Table, _with_texts
from ._errors import CHANGED_FILE, NO_FILE, OutputError, SceneError, UsageError

def _full(path):
    """Returns the full path, not normalized: ".." after a link leads elsewhere."""
    try:
        return os.path.join(os.getcwd(), path)
    except OSError:  # the working directory was deleted
        return path


# _core.tree() puts these marks around numbers that Python would write differently, such as 1.50: texts of data are
# compared with the original spelling.
_VERBATIM = re.compile('"\ufffe([^"\ufffe]*)\ufffe"')


def _json_of(tree, indent=None):
    return _VERBATIM.sub(r"\1", json.dumps(tree, ensure_ascii=False, indent=indent))


# Extensions of pictures that roundel.save() draws, and of other files that are not scenes.
_PICTURES = {".png", ".exr", ".pfm"}
_NO_SCENES = _PICTURES | {f".{ending}" for ending in "avif bmp gif jpeg jpg jxl mkv mov mp4 pdf ppm svg tga tif tiff webm webp y4m "
                       "csv feather h5 h5ad hdf hdf5 npy npz parquet ply tsv txt xlsx".split()}
_ADD_KEYS = "x y z radius color alpha values colormap domain scale categories missing map".split()
_FRAME = re.compile(r"#|%\d*d|\{frame\b")
_VAR = re.compile(r"\$(?:(\w+)|\{(\w+)\})")


def _layers_of(tree):
    """Returns the layers that are maps, also those that are values of vars."""
    values = tree.get("vars")

    def value_of(item):
        var = _VAR.fullmatch(item) if isinstance(item, str) else None
        return values.get(var[1] or var[2]) if var and isinstance(values, dict) else item

    layers = value_of(tree.get("layers"))
    found = [value_of(layer) for layer in layers] if isinstance(layers, list) else []
    return list({id(layer): layer for layer in found if isinstance(layer, dict)}.values())


def _move_data(tree, tables, prefix):
    """Puts the folder in front of each relative path of a layer's data file, except names of `tables`."""
    values = tree.get("vars")
    for layer in _layers_of(tree):
        data = layer.get("data")
        if not isinstance(data, str) or data in tables or os.path.isabs(data):
            continue
        var = _VAR.match(data)
        value = values.get(var[1] or var[2]) if var and isinstance(values, dict) else None
        if isinstance(value, str) and os.path.isabs(value):
            continue
        if _FRAME.search(prefix) and _FRAME.search(data):
            raise OutputError(f"{data}: cannot be saved there: {prefix} would mean a frame's number")
        if var and var[1] and var.end() == len(data):  # braces mark it as a part
            data = f"${{{var[1]}}}"
        layer["data"] = os.path.join(prefix.replace("$", "$$"), data)


class Scene:
    """A scene to draw: the keys of a scene file, and layers of circles from arrays.

    Scene(size=(width, height), background="#ffffff", antialias=True, **keys) has no layers yet; `add` adds them.

    size: width and height in pixels, 1024x1024 by default.
    background: "#rrggbb", (red, green, blue) from 0 to 1, or a number for a grey.
    antialias: True for smooth edges.
    keys: other keys of a scene file (docs/scenes.md), such as view={"fit": "data"} or seed=2.

    Scene space is the unit square, y up, unless a `view` says otherwise. In Jupyter a scene shows its picture.
    """

    def __init__(self, *, size=None, background=None, antialias=None, **keys):
        _check_known(keys, ["size", "background", "antialias", *_core.scene_keys()])
        image = dict(_map(keys.pop("image", None), "image"))
        _check_once([("size", size, "width"), ("size", size, "height"), ("background", background, "background"),
                     ("antialias", antialias, "antialias")], image, "image")
        width, height = (1024, 1024) if size is None else _size(size)
        image = {"width": width, "height": height, **image}
        if background is not None:
            image["background"] = background
        if antialias is not None:
            image["antialias"] = _antialias(antialias)
        self._set_tree({"version": 1, "layers": [], **keys, "image": image})  # checked with its first layer

    @classmethod
    def from_file(cls, path):
        """Returns the scene of a YAML or JSON file. Paths of its data files are relative to it.

        Raises SceneError; its `problems` have path, line and message of all mistakes.
        """
        scene = cls._unchecked(path)
        scene._check()
        return scene

    @classmethod
    def from_dict(cls, keys):
        """Returns a scene of the keys of a scene file: {"version": 1, "layers": [...], ...}.

        A layer's "data" may hold columns instead of a path: a dict of arrays [rows], a DataFrame, an Arrow table or a
        structured array. They are not copied.
        """
        scene = cls.__new__(cls)
        scene._set_tree(keys)
        scene._check()
        return scene

    @classmethod
    def _unchecked(cls, source):
        """Returns a scene for an argument of the module's functions; it is checked when drawn."""
        if isinstance(source, Scene):
            return source
        if hasattr(source, "keys"):
            return cls.from_dict(source)
        scene = cls.__new__(cls)
        scene._path = _path(source, "a scene: a path, a dict or a Scene")
        scene._json = _core.read_text(scene._path)
        # Data of a scene from a stream are relative to the working directory.
        is_stream = scene._path == "-" or scene._path.startswith("/dev/")
        scene._full_path = None if is_stream else _full(scene._path)
        scene._tree, scene._tables, scene._loaded = None, {}, None
        return scene

    def _set_tree(self, keys):
        self._path, self._full_path, self._json, self._loaded, self._tables = NO_FILE, None, None, None, {}
        if not hasattr(keys, "keys"):
            raise UsageError(f"expected a dict of a scene's keys, got {_shown(keys)}")
        tree = dict(keys)
        layers = tree.get("layers", [])
        if isinstance(layers, (list, tuple)):
            tree["layers"] = [self._with_table(i, layer, tree) for i, layer in enumerate(layers)]
        self._tree = _plain(tree, "scene")

    def _with_table(self, index, layer, tree):
        """Returns the layer of the tree with a table's name in place of columns."""
        data = layer.get("data") if hasattr(layer, "get") else None
        if data is None or isinstance(data, (str, os.PathLike)):
            return layer
        name = f"layers[{index}].data"
        values = tree.get("vars") if hasattr(tree.get("vars"), "keys") else {}
        columns = _columns(data)
        _check_left_out(columns, layer, values)
        columns = _with_texts(columns, _names_of_texts(columns, layer, values))
        self._tables[name] = _Table(name, columns)
        return {**layer, "data": name}

    def _is_file(self):
        return self._tree is None

    def _file(self):
        """Returns the path as it was given, or in full if the working directory has changed.

        For a changed scene, or one that is not a file, the path names a file in the folder that its data are relative to.
        """
        if self._full_path is None:
            return self._path if self._is_file() else NO_FILE
        path = self._path if _full(self._path) == self._full_path else _path(self._full_path)
        return path if self._is_file() else os.path.join(os.path.dirname(path), CHANGED_FILE)

    def _text(self):
        if self._json is None:
            self._json = _json_of(self._tree)
        return self._json

    def _check(self):
        self._read(_core.check)

    def _read(self, function, *arguments):
        """Calls a function of _core for the scene, and explains columns that it reports as missing."""
        try:
            return function(self._text(), self._file(), self._tables, *arguments)
        except SceneError as error:
            reasons = [next(filter(None, (table.reason(problem.message) for table in self._tables.values())), None)
                       for problem in error.problems]
            if not any(reasons):
                raise
            problems = [problem._replace(message=reason or problem.message)
                        for problem, reason in zip(error.problems, reasons)]
            raise SceneError("\n".join(reason or f"{problem.key}: {problem.message}"
                                       for problem, reason in zip(problems, reasons)), problems) from None

    def __repr__(self):
        if self._is_file():
            return f"<roundel.Scene of {self._path!r}>"
        image, layers = self._tree.get("image"), self._tree.get("layers")
        sides = [image.get(side, 1024) if isinstance(image, dict) else 1024 for side in ("width", "height")]
        count = len(layers) if isinstance(layers, list) else 0
        rows = sum(table.rows() for table in self._tables.values())
        return (f"<roundel.Scene {sides[0]}x{sides[1]}, {count} layer{'s' * (count != 1)}"
                + (f", {rows:,} rows of arrays>" if self._tables else ">"))

    def __getstate__(self):
        return {**self.__dict__, "_loaded": None}

    def _load(self, size=None, seed=None, set=None, memory=None, antialias=None):
        """Returns the scene as roundel._core has it. Scenes without changeable arrays keep it."""
        size = None if size is None else _size(size)
        seed = _whole_or_none(seed, "seed", 0, _MOST_SEED)
        memory, values, antialias = _memory(memory), _vars(set), _antialias(antialias)
        for table in self._tables.values() if values else ():
            for value in set.values():
                table.check_numbers(value)
        is_as_it_stands = size is None and seed is None and antialias is None and not values and not memory and all(
            table.is_constant for table in self._tables.values())
        if is_as_it_stands and self._loaded and self._loaded.is_current():
            return self._loaded
        loaded = self._read(_core.LoadedScene, size, seed, memory, values, antialias)
        if is_as_it_stands:
            self._loaded = loaded
        return loaded

    def __copy__(self):
        """Returns another scene with the same layers and arrays. Layers added to one are not in the other."""
        scene = Scene.__new__(Scene)
        scene.__dict__.update(self.__dict__)
        scene._tables = dict(self._tables)
        return scene

    def __deepcopy__(self, memo):
        """Returns another scene with copies of the arrays."""
        scene = copy.copy(self)
        scene._tables = copy.deepcopy(self._tables, memo)
        return scene

    def _edit(self):
        """Returns the tree, for changes."""
        if self._is_file():
            self._tree = _core.tree(self._json, self._path)
        self._json = self._loaded = None
        return self._tree

    def add(self, data=None, *, x=None, y=None, z=None, radius=None, color=None, alpha=None, values=None,
            colormap=None, domain=None, scale=None, categories=None, missing=None, map=None, **layer):
        """Adds a layer on top with a circle for each row, and returns the scene.

        x, y: arrays [rows] in scene units (y up), or one number for all rows.
        radius: the same, or pixels as "2px".
        z, alpha: array [rows] or one number, 0 to 1; alpha of uint8 0 to 255. Without alpha circles are half transparent.
        color: "#rrggbb" or (red, green, blue) for all rows, or an array [rows, 3]; 0 to 1, or 0 to 255 of uint8. In a layer
            of three rows, three numbers are one colour only as a list of 0 to 1.
        values: array [rows] that colours follow. Numbers go through `scale`, `domain` and `colormap`; texts and whole numbers
            through `categories`.
        scale: of values: "linear", "sqrt", "log", "symlog" or "rank". A number, or keys over time, enlarges the layer instead.
        domain: [low, high], numbers or percentiles as "2%"; the range of the values by default.
        colormap: a name such as "magma", or a list of colours "#rrggbb"; "viridis" by default.
        categories: "tab10", "set2", or {value: colour}.
        missing: colour of NaN, empty texts and numbers that the scale does not take.
        data: columns by name: a dict, a DataFrame, an Arrow table or a structured array. Then x="name" and so on; `map`,
            `where` and `order` also name columns (docs/scenes.md).
        map: what columns become, as in a scene file.

        All other keywords are keys of the layer: name, blend, opacity, stroke, where, order, shader, ...

        Arrays may be NumPy's, pandas', Arrow's, or have the buffer protocol or DLPack. They are not copied. Each picture reads
        them again, unless they own their memory and are read-only. CUDA arrays are copied to main memory once.
        Raises SceneError for data that do not fit, UsageError for arguments that exclude or need each other. Then nothing is
        added.
        """
        columns = _columns({} if data is None else data)
        layer_map = dict(_map(map, "map"))
        _check_once([("x", x, "x"), ("y", y, "y"), ("z", z, "z"), ("radius", radius, "radius"), ("alpha", alpha, "alpha"),
                     ("color", color, "color"), ("values", values, "color")], layer_map, "map")
        law = {"colormap": colormap, "domain": domain, "categories": categories, "missing": missing}
        if isinstance(scale, str):
            law["scale"] = scale
        elif scale is not None:
            layer["scale"] = scale
        law = {key: value for key, value in law.items() if value is not None}
        if values is None and law:
            name, value = next(iter(law.items()))
            own = "; a layer's own is a number" if name == "scale" else ""
            raise UsageError(f"{name}: needs values{own}, got {_shown(value)} without them")
        if callable(colormap):
            raise UsageError(f"colormap: expected a name or a list of colours, got {_shown(colormap)}; of one of Matplotlib type "
                             "[matplotlib.colors.to_hex(c) for c in colormap(numpy.linspace(0, 1, 16))]")
        if values is not None and color is not None:
            raise UsageError("values: expected values or color, got both")

        def column(name, array):
            if name in columns or name in columns.problems:
                raise SceneError(f"{name}: data has a column of this name; rename it")
            columns.add(name, array)
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
            layer_map["color"] = {"column": values, **law}
        elif getattr(color, "ndim", None) == 2:
            layer_map["color"] = ["red", "green", "blue"]
            for name, channel in zip(layer_map["color"], _channels(color)):
                column(name, channel)
        elif color is not None:
            if _is_column(color) and not _is_color(color, len(next(iter(columns.values()), ()))):
                raise SceneError("color is one colour or an array [rows, 3]; numbers to be coloured go into values=")
            layer_map["color"] = list(color) if isinstance(color, tuple) else color
        before = (self._tree, self._json, self._loaded, dict(self._tables))
        try:
            tree = self._edit()
            layers = tree.get("layers", [])
            if not isinstance(layers, list):
                raise UsageError(f"layers: expected a list, to which a layer can be added, got {_shown(layers)}")
            _check_known(layer, _ADD_KEYS + _core.layer_keys(), f"layers[{len(layers)}]")
            new = self._with_table(len(layers), {"data": columns, "map": layer_map, **layer}, tree)
            self._tree = {**tree, "layers": [*layers, _plain(new, f"layers[{len(layers)}]")]}
            self._check()
        except BaseException:
            self._tree, self._json, self._loaded, self._tables = before
            raise
        return self

    def save(self, path):
        """Writes the scene as a file for `roundel render`, and its arrays beside it.

        path: the scene file, .yaml or .json; missing folders are made. The arrays of layer 2 of scene.yaml become
            scene_2.npy.

        The command draws the same pixels from these files. Raises UsageError for names of pictures and data: `roundel.save`
        draws pictures. Raises OutputError if scene_2.npy exists without scene.yaml.
        """
        path = _path(path)
        name, ending = os.path.splitext(path)
        if ending.lower() in _NO_SCENES:
            picture = path if ending.lower() in _PICTURES else name + ".png"
            raise UsageError(f'roundel.save(scene, "{picture}") draws a picture; scene.save writes a scene file: name it .yaml '
                             "or .json")
        source = self._file()
        stem = os.path.splitext(os.path.basename(path))[0]
        try:
            # Data are searched in the folder of a link, not in that of its target.
            folder = os.path.realpath(os.path.dirname(path))
            prefix = os.path.relpath(os.path.realpath(os.path.dirname(source) if self._full_path else ""), folder)
        except OSError as error:  # the working directory was deleted
            raise OutputError(f"{path}: {error.strerror}") from None
        tree = copy.deepcopy(copy.copy(self)._edit())
        if prefix != os.curdir:
            _move_data(tree, self._tables, _path(prefix))
        tables = {}
        for index, layer in enumerate(tree["layers"] if isinstance(tree.get("layers"), list) else []):
            data = layer.get("data") if isinstance(layer, dict) else None
            if isinstance(data, str) and data in self._tables:
                layer["data"] = f"{stem}_{index}.npy".replace("$", "$$")
                tables[_path(os.path.join(folder, f"{stem}_{index}.npy"))] = self._tables[data]
        data_files = {os.path.realpath(file) for file in _core.data_files(self._text(), source, self._tables)}
        is_new = not os.path.lexists(path)
        for file in tables:
            if os.path.realpath(file) in data_files:
                raise OutputError(f"{file}: would replace data of the scene")
            if is_new and os.path.lexists(file):
                raise OutputError(f"{file}: exists, but {path} does not; remove {file}, or save under another name")
        _core.write_scene(path, _json_of(tree, indent=1) + "\n", list(tables.items()))

    def _repr_png_(self):
        """Returns the picture as a PNG, for Jupyter."""
        return self._load().png(None, _core.Machine("auto", 0, 0))
