"""Columns of circles: arrays of any kind, by their names."""
import copy
import itertools
import math
import numbers
import re
import warnings

from . import _core
from ._arguments import _text
from ._errors import Error, RoundelWarning, SceneError, UsageError

_MAX_EXACT_WHOLE = 2**53  # the limit up to which float64 has all whole numbers
_MOST_COLUMNS = 65536
# Types that the library reads, by NumPy's letters: the bytes of an element.
_SIZES = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16), "m": (8,), "M": (8,)}
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_BAD_NAME = re.compile("['\"\\\\\0-\x1f]|^$")  # refused in headers of NPY files


class _Columns(dict):
    """Arrays [rows] by their names.

    `problems` has, by name, the reasons why other columns cannot be drawn: a layer may do without them. `empty` has the
    names of columns of Python objects without any value, which may count as numbers or as texts.
    """

    def __init__(self):
        super().__init__()
        self.problems, self.empty = {}, set()

    def add(self, name, column):
        """Adds a column. Raises SceneError unless it is an array [rows] of numbers or texts."""
        self[name] = array = _array(column, name)
        if getattr(column, "dtype", object) != array.dtype and _is_all_nan(array):
            self.empty.add(name)


class _Table(_core.Table):
    """Columns by their names, which may be copied."""

    def __init__(self, name, columns):
        super().__init__(name, columns)
        self._name, self._columns = name, columns
        self._reasons = {f"{name} has no column {_quoted(column)}": problem for column, problem in columns.problems.items()}
        # An older writable view could still change them.
        self.is_constant = all(array.flags.owndata and not array.flags.writeable for array in columns.values())

    def rows(self):
        return len(next(iter(self._columns.values()), ()))

    def reason(self, message):
        """Returns why a column cannot be drawn if the message reports it as missing, else None."""
        return next((problem for start, problem in self._reasons.items() if message.startswith(start)), None)

    def check_numbers(self, law):
        """Raises SceneError if a var's value may name a column by its number while some cannot be drawn."""
        if self._columns.problems and (_takes_numbers(law, {}) or isinstance(law, str) and "{" in law):
            raise SceneError(next(iter(self._columns.problems.values())))

    def __deepcopy__(self, memo):
        return _Table(self._name, copy.deepcopy(self._columns, memo))

    def __reduce__(self):
        return _Table, (self._name, self._columns)


def _quoted(name):
    """Returns the name as the library quotes it in messages."""
    shown, size = "", 0
    for letter in name:
        if size >= 60:
            return f'"{shown}…"'
        shown += "\\" + letter if letter in '"\\' else letter
        size += len(letter.encode())
    return f'"{shown}"'


def _is_all_nan(array):
    from ._numpy import numpy

    return array.dtype.kind == "f" and bool(numpy.isnan(array).all())


def _array(column, name):
    """Returns a column as a NumPy array [rows], without a copy if it already is one in main memory."""
    try:
        array = _as_array(column, name)
    except Error:
        raise
    except (ArithmeticError, BufferError, LookupError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        raise SceneError(f"{name}: expected an array [rows], got a {type(column).__name__}: {error}") from None
    if array.ndim != 1:
        got = f"one of {array.ndim} dimensions" if array.ndim else f"a {type(column).__name__}"
        raise SceneError(f"{name}: expected an array [rows], got {got}")
    if array.dtype == object:
        array = _of_objects(column, array, name)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if size not in _SIZES.get(kind, ()) and not (kind in "SU" and size > 0):
        raise SceneError(f"{name}: expected numbers or texts, got elements of type {array.dtype.str!r}")
    return array if array.strides[0] >= 0 else array.copy()


def _as_array(column, name):
    from ._numpy import numpy

    if isinstance(column, numpy.ma.MaskedArray):
        column = _without_mask(column, name)
    if hasattr(column, "__cuda_array_interface__"):
        return _core.from_device(column.__cuda_array_interface__)
    if hasattr(column, "__dlpack__") and not hasattr(column, "__array__"):
        return numpy.from_dlpack(column)
    if isinstance(column, (list, tuple)):
        return _of_list(column)
    array = numpy.asarray(column)
    if array.dtype.kind == "f" and str(getattr(column, "type", "")) in ("int64", "uint64"):
        # Arrow rounds whole numbers of columns with gaps.
        _check_floats_hold(numpy.asarray(column.drop_null()), name)
    return array


def _of_list(column):
    """Returns an array; of objects if NumPy would turn values such as nan into texts, or would round whole numbers."""
    from ._numpy import numpy

    def is_changed():
        types = set(map(type, column))
        if array.dtype.kind in "SU":
            return len(types) > 1
        whole = [int(value) for value in column if isinstance(value, (int, numpy.integer))] if types != {float} else []
        return whole and max(max(whole), -min(whole)) > _MAX_EXACT_WHOLE

    array = numpy.asarray(column)
    if array.ndim != 1 or array.dtype.kind not in "SUf" or not is_changed():
        return array
    objects = numpy.empty(len(column), object)
    objects[:] = column
    return objects


def _without_mask(column, name):
    """Returns the array with masked elements as missing, like empty fields of a CSV file: NaN for numbers, "" for texts."""
    from ._numpy import numpy

    if not numpy.ma.is_masked(column):
        return column.data
    if column.dtype.kind in "biu":
        _check_floats_hold(column.compressed(), name)
        column = column.astype(float)
    if column.dtype == object:  # may be numbers
        array = column.data.copy()
        array[numpy.ma.getmaskarray(column)] = None
        return array
    missing = {"f": numpy.nan, "U": "", "S": b"", "M": numpy.datetime64("NaT"), "m": numpy.timedelta64("NaT")}
    return column.filled(missing[column.dtype.kind]) if column.dtype.kind in missing else column.data


def _check_floats_hold(whole, name):
    """Raises SceneError for whole numbers beyond 2**53, before they become float64, in which NaN stands for missing ones."""
    if len(whole) and max(int(whole.max()), -int(whole.min())) > _MAX_EXACT_WHOLE:
        raise SceneError(f"{name}: expected whole numbers up to 2**53 in a column of float64, got larger ones")


def _of_objects(column, array, name):
    """Returns an array [rows] of objects as numbers if all existing ones are numbers, else as texts.

    pandas has such columns for texts, and for whole numbers and booleans of which some may be missing; h5py for texts,
    as bytes. None, nan and pandas.NA are missing.
    """
    from ._numpy import numpy

    kind = getattr(getattr(column, "dtype", None), "kind", "O")
    if kind in "iu":
        whole = column.dropna().to_numpy(dtype=column.dtype.numpy_dtype)
        if len(whole) == len(column):
            return whole
        _check_floats_hold(whole, name)
    if kind in "biuf":
        return column.to_numpy(dtype=float, na_value=numpy.nan)

    from decimal import Decimal
    from numbers import Integral, Rational, Real

    def is_missing(value):
        try:
            return value is None or bool(value != value)
        except (ArithmeticError, TypeError):  # Decimal("sNaN"), pandas.NA
            return True
        except Exception:  # arrays, which give as many answers, with any exception of their library
            return False

    def text(value):
        if isinstance(value, bytes):
            return value.decode()
        if isinstance(value, (list, tuple, dict, set, complex)) or getattr(value, "ndim", 0):
            raise TypeError(f"a {type(value).__name__}")
        return str(value)

    try:
        missing = [is_missing(value) for value in array]
        existing = [value for value, is_gone in zip(array, missing) if not is_gone]
        if not all(isinstance(value, (Real, Decimal, numpy.bool_)) for value in existing):
            return numpy.array(["" if is_gone else text(value) for value, is_gone in zip(array, missing)], dtype=str)
        if existing and len(existing) == len(array) and all(isinstance(value, Integral) for value in existing):
            existing = [int(value) for value in existing]  # NumPy compares its own with float64
            for dtype in (numpy.int64, numpy.uint64):
                if numpy.iinfo(dtype).min <= min(existing) and max(existing) <= numpy.iinfo(dtype).max:
                    return numpy.array(existing, dtype)
            raise SceneError(f"{name}: expected whole numbers that int64 or uint64 holds, got larger ones")
        whole = [value for value in existing if isinstance(value, (Rational, Decimal))]
        _check_floats_hold(numpy.array(whole, object), name)
        return numpy.array([numpy.nan if is_gone else float(value) for value, is_gone in zip(array, missing)], float)
    except SceneError:
        raise
    except Exception as error:  # arrays within the array, invalid UTF-8, errors of an object's own code
        raise SceneError(f"{name}: expected numbers or texts, got {error}") from None


def _channels(color):
    """Returns the channels of colours [rows, 3] as arrays [rows]."""
    from ._numpy import numpy

    if hasattr(color, "items") and hasattr(color, "columns"):  # pandas
        columns = [column for _, column in color.items()]
    else:
        color = numpy.asarray(color) if isinstance(color, memoryview) else color
        columns = [color[:, channel] for channel in range(color.shape[1])]
    if len(columns) != 3:
        hint = "; the fourth column goes into alpha=" if len(columns) == 4 else ""
        raise SceneError(f"color: expected an array [rows, 3], got [rows, {len(columns)}]{hint}")
    channels, most = [], 0
    for name, column in zip(("red", "green", "blue"), columns):
        kind = str(getattr(getattr(column, "dtype", None), "name", "")).lower()
        channel = _array(column, name)
        if channel.dtype.kind == "f" and kind in ("uint8", "uint16"):
            # Columns with gaps became floats, whose full level is 1 instead of 255 or 65535.
            channel = channel / (2.0**int(kind[4:]) - 1)
        elif channel.dtype.kind in "iu" and channel.dtype.name not in ("uint8", "uint16") and len(channel):
            most = max(most, int(channel.max()))
        channels.append(channel)
    if most > 1:
        warnings.warn(f"color: whole numbers up to {most}, but a picture shows at most 1; make colours of 0 to 255 "
                      "uint8", RoundelWarning, stacklevel=3)
    return channels


def _fields(array, name):
    """Yields (name, array [rows]) for the parts of a structured array's field, named as in the command: n.b, p[1]."""
    if array.ndim > 1 and math.prod(array.shape[1:]) <= _MOST_COLUMNS:
        for place in itertools.product(*map(range, array.shape[1:])):
            yield from _fields(array[(slice(None), *place)], f"{name}[{','.join(map(str, place))}]")
    elif array.ndim == 1 and array.dtype.names:
        for field in array.dtype.names:
            yield from _fields(array[field], f"{name}.{field}")
    else:
        yield name, array


def _columns(data):
    """Returns the columns of a dict, a DataFrame, an Arrow table or a structured array, by their names."""
    if isinstance(data, _Columns):
        return data
    if hasattr(data, "items") and hasattr(data, "columns"):  # pandas
        pairs = data.items()
    elif hasattr(data, "column_names"):  # Arrow
        pairs = ((name, data.column(name)) for name in data.column_names)
    elif getattr(getattr(data, "dtype", None), "names", None):
        if getattr(data, "ndim", 1) != 1:
            raise SceneError(f"data: expected a structured array [rows], got one of {data.ndim} dimensions")
        pairs = (pair for name in data.dtype.names for pair in _fields(data[name], name))
    elif hasattr(data, "items"):
        pairs = data.items()
    else:
        raise UsageError(f"data: expected columns by name, got {type(data).__name__}")
    columns = _Columns()
    for name, column in pairs:
        name = _text(str(name), "data")
        if name in columns or name in columns.problems:
            raise SceneError(f"data: expected columns of different names, got two named {name!r}")
        try:
            if _BAD_NAME.search(name):
                raise SceneError(f"data: expected columns with names, without quotes and backslashes, got {name!r}")
            columns.add(name, column)
        except Error as error:
            columns.problems[name] = str(error)
    return columns


def _takes_numbers(law, values):
    """Returns True if this part of a scene may name a column by its number, as any var may."""
    if isinstance(law, str):
        return law.startswith("$") and _takes_numbers(values.get(law[1:]), {})
    if isinstance(law, (list, tuple)):
        return any(_takes_numbers(item, values) for item in law)
    if not hasattr(law, "keys"):
        return False
    column = law.get("column", "")
    parts = [law[key] for key in law if key not in ("column", "categories")]
    return not isinstance(column, str) or column.startswith("$") or _takes_numbers(parts, values)


def _check_left_out(columns, layer, values):
    """Raises SceneError if columns that cannot be drawn would be missed.

    This holds if all columns are such, or if the layer names columns by their numbers. `values`: the scene's vars.
    """
    by_number = "columns" in layer or _takes_numbers([layer.get("map"), layer.get("order")], values)
    if columns.problems and (not columns or by_number):
        raise SceneError(next(iter(columns.problems.values())))


def _is_text(value, values):
    """Returns True unless the value, given directly or as a var, is a number in a scene."""
    if isinstance(value, str) and value.startswith("$"):
        value = values.get(value[1:])
    return isinstance(value, str) and not _NUMBER.fullmatch(value)


def _names_of_texts(columns, layer, values):
    law = layer["map"].get("color") if hasattr(layer.get("map"), "get") else None
    categories = law.get("categories") if hasattr(law, "get") else None
    if hasattr(categories, "keys") and any(_is_text(value, {}) for value in categories):
        name = law.get("column")
        yield list(columns)[name] if isinstance(name, int) and 0 <= name < len(columns) else str(name)
    where = layer.get("where")
    for name, condition in where.items() if hasattr(where, "items") else ():
        for key in ("in", "not") if hasattr(condition, "get") else ():
            compared = condition.get(key)
            if any(_is_text(value, values) for value in (compared if isinstance(compared, (list, tuple)) else [compared])):
                yield str(name)


def _with_texts(columns, names):
    """Returns the columns; those among the names that hold no value become texts."""
    from ._numpy import numpy

    for name in columns.empty.intersection(names):
        columns[name] = numpy.zeros(len(columns[name]), "U1")
    return columns


def _is_column(value):
    if isinstance(value, (str, dict)):
        return False
    if hasattr(value, "ndim"):
        return value.ndim > 0
    return any(hasattr(value, name) for name in ("__len__", "__dlpack__", "__cuda_array_interface__"))


def _is_color(value, rows):
    """Returns True for red, green, blue.

    In a layer of three rows, a list of three numbers is a colour only if all are from 0 to 1. A tuple, and a list with
    names of columns, always is.
    """
    if hasattr(value, "__cuda_array_interface__") or not hasattr(value, "__len__") or len(value) != 3:
        return False
    if rows != 3:
        return True
    if isinstance(value, list) and all(isinstance(part, numbers.Real) for part in value):
        return all(0 <= part <= 1 for part in value)
    return isinstance(value, (list, tuple)) and all(
        isinstance(part, (numbers.Real, dict)) or isinstance(part, str) and not part.startswith("#") for part in value)
