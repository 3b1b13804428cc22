"""Columns of circles: what arrays may be, by their names."""
import copy
import warnings

from . import _core
from ._arguments import _text
from ._errors import Error, RoundelWarning, SceneError, UsageError

_MOST_WHOLE = 2**53  # that a float64 has exactly, with all below


class _Table(_core.Table):
    """Columns by their names, which may be copied."""

    def __init__(self, name, columns):
        super().__init__(name, columns)
        self._name, self._columns = name, columns
        # Only a writable view that was made before could still change them.
        self.is_constant = all(array.flags.owndata and not array.flags.writeable for array in columns.values())

    def __deepcopy__(self, memo):
        return _Table(self._name, copy.deepcopy(self._columns, memo))

    def __reduce__(self):
        return _Table, (self._name, self._columns)


def _array(column, name):
    """A column as a NumPy array [rows], without a copy where there is one in main memory as it is."""
    import numpy

    if isinstance(column, numpy.ma.MaskedArray):
        column = _without_mask(column, name)
    if hasattr(column, "__cuda_array_interface__"):
        array = _from_device(column.__cuda_array_interface__, name)
    elif hasattr(column, "__dlpack__") and not hasattr(column, "__array__"):
        array = numpy.from_dlpack(column)
    else:
        try:
            array = numpy.asarray(column)
        except (TypeError, ValueError) as error:  # such as lists of different lengths
            raise SceneError(f"{name}: expected an array [rows], got a {type(column).__name__}: {error}") from None
    if array.ndim != 1:
        got = f"one of {array.ndim} dimensions" if array.ndim else f"a {type(column).__name__}"
        raise SceneError(f"{name}: expected an array [rows], got {got}")
    if array.dtype == object:
        array = _of_objects(column, array, name)
    return array if array.strides[0] >= 0 else array.copy()


def _without_mask(column, name):
    """What is masked is missing, as an empty field of a CSV file: NaN of numbers, "" of texts."""
    import numpy

    if not numpy.ma.is_masked(column):
        return column.data
    if column.dtype.kind in "biu":
        _check_floats_hold(column.compressed(), name)
        column = column.astype(float)
    missing = {"f": numpy.nan, "U": "", "S": b"", "O": "", "M": numpy.datetime64("NaT"), "m": numpy.timedelta64("NaT")}
    return column.filled(missing[column.dtype.kind]) if column.dtype.kind in missing else column.data


def _check_floats_hold(whole, name):
    """Before whole numbers become float64, which has NaN for those that are missing."""
    if len(whole) and max(int(whole.max()), -int(whole.min())) > _MOST_WHOLE:
        raise SceneError(f"{name}: expected whole numbers up to 2**53 in a column of float64, got larger ones")


def _from_device(interface, name):
    try:
        return _core.from_device(interface)
    except Error:
        raise
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError):
        raise SceneError(f"{name}: expected shape, typestr and data as the CUDA Array Interface has them, "
                         f"got {interface!r}") from None


def _of_objects(column, array, name):
    """An array [rows] of objects: of numbers where all that is there is one, else of texts.

    pandas has such columns for texts, and for whole numbers and booleans of which some may be missing. None, nan and
    pandas.NA, which says neither, are missing.
    """
    import numpy

    kind = getattr(getattr(column, "dtype", None), "kind", "O")
    if kind in "biuf":
        if kind in "iu":
            whole = column.dropna().to_numpy(dtype=f"{kind}8")
            if len(whole) == len(column):
                return whole
            _check_floats_hold(whole, name)
        return column.to_numpy(dtype=float, na_value=numpy.nan)

    def is_missing(value):
        try:
            return value is None or bool(value != value)
        except TypeError:  # of pandas.NA
            return True

    def as_float(value):
        return numpy.nan if is_missing(value) else float(value)

    from decimal import Decimal
    from numbers import Integral, Real

    try:
        there = [value for value in array if not is_missing(value)]
        if there and all(isinstance(value, (Real, Decimal)) for value in there):
            if len(there) == len(array):
                numbers = numpy.array(there)
                if numbers.dtype.kind in "biuf":
                    return numbers
            _check_floats_hold(numpy.array([value for value in there if isinstance(value, Integral)], object), name)
            return numpy.array([as_float(value) for value in array])
        return numpy.array(["" if is_missing(value) else str(value) for value in array], dtype=str)
    except SceneError:
        raise
    except (TypeError, ValueError, OverflowError) as error:  # arrays within the array, a number beyond float64
        raise SceneError(f"{name}: expected numbers or texts, got {error}") from None


def _channels(color):
    """Those of an array of colours [rows, 3]."""
    if color.shape[1] != 3:
        raise SceneError(f"color: expected an array [rows, 3], got [rows, {color.shape[1]}]")
    if hasattr(color, "to_numpy"):  # pandas
        color = color.to_numpy()
    is_unsigned = getattr(color.dtype, "name", None) in ("uint8", "uint16")
    # Masked channels become floats, of which 1 is the most, not 255 or 65535.
    if hasattr(color, "mask") and is_unsigned:
        color = color / (2.0**(8 * color.dtype.itemsize) - 1)
    elif getattr(color.dtype, "kind", None) in ("i", "u") and not is_unsigned and len(color) and color.max() > 1:
        warnings.warn(f"color: {color.dtype} up to {color.max()}, where 1 is the most that a picture shows; colours of "
                      "0 to 255 are uint8", RoundelWarning, stacklevel=3)
    return [color[:, channel] for channel in range(3)]


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
    columns = {}
    for name, column in pairs:
        name = _text(str(name), "data")
        if name in columns:
            raise SceneError(f"data: expected columns of different names, got two named {name!r}")
        columns[name] = _array(column, name)
    return columns


def _is_column(value):
    if isinstance(value, (str, dict)):
        return False
    if hasattr(value, "ndim"):
        return value.ndim > 0
    return any(hasattr(value, name) for name in ("__len__", "__dlpack__", "__cuda_array_interface__"))
