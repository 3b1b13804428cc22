"""Checks arguments before the library gets them."""
import json
import operator
import os
import re
import reprlib
import sys

from . import _core
from ._errors import Problem, SceneError, UsageError

_MOST_SEED = 2**32 - 1
_MOST_SIDE = 65536
_LEAST_MEMORY = 2**20
_MOST_DEPTH = 64
_MAX_BITS = 1024
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 100


def _shown(value):
    """Returns a value as messages show it: arrays by their shape, and long texts cut."""
    shape, dtype = getattr(value, "shape", ()), getattr(value, "dtype", None)
    if isinstance(shape, tuple) and shape and dtype is not None:
        return f"an array {list(shape)} of {dtype}"
    return _SHORT.repr(value)


def _check_known(arguments, known, place=""):
    """Raises SceneError for an argument with an unknown name, and guesses which one was meant."""
    known = list(dict.fromkeys(known))
    for name, value in arguments.items():
        if name in known:
            continue
        is_of_numbers = name == "c" and getattr(value, "ndim", 0) == 1
        meant = "values" if is_of_numbers else _core.suggested_key(_text(name, "arguments"), known)
        if ": " in meant:  # a part of a scene file, such as image: {antialias: true}
            key, part = meant.split(": ", 1)
            part = re.sub(r": ([a-z0-9]*[a-z]\w*)", r': "\1"', part).replace('"true"', "True")
            meant = key + "=" + re.sub(r"(\w+): ", r"'\1': ", part).replace('"', "'")
        hint = f'did you mean "{meant}"?' if meant else f"known: {', '.join(known)}"
        message = f'unknown key "{name}" ({hint})'
        raise SceneError(f"{place}: {message}" if place else message, [Problem(None, None, None, place, message)])


def _path(path, expected="a path"):
    """Returns the path as the library takes it. Raises UsageError if it has a NUL, which would end it there."""
    try:
        name = os.fsdecode(path)
        name.encode()
    except (TypeError, UnicodeEncodeError):
        raise UsageError(f"expected {expected}, got {_shown(path)}") from None
    if "\0" in name:
        raise UsageError(f"expected a path without a NUL, got {_shown(path)}")
    return name


def _text(value, name):
    """Returns the text. Raises UsageError unless it is valid Unicode: "\\ud800" is not."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{name}: expected text in Unicode, got {_shown(value)}") from None
    return value


def _plain(value, name, depth=0):
    """Returns a copy in Python's own types of what YAML can hold; takes NumPy's numbers and arrays, and paths."""
    if depth > _MOST_DEPTH:
        raise UsageError(f"{name}: expected lists and dicts in at most {_MOST_DEPTH} others")
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, str):
        return _text(value, name)
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise UsageError(f"{name}: expected numbers of at most {_MAX_BITS} bits, got one of {value.bit_length()}")
    if value is None or isinstance(value, (int, float)):
        return value
    if hasattr(value, "keys"):
        return {_plain_key(key, name): _plain(value[key], name, depth + 1) for key in value}
    if isinstance(value, (list, tuple)):
        return [_plain(item, name, depth + 1) for item in value]
    if isinstance(value, os.PathLike):
        return _path(value)
    raise UsageError(f"{name}: expected texts, numbers, booleans, lists and dicts, got {_shown(value)}")


def _plain_key(key, name):
    key = key.item() if hasattr(key, "item") else key
    if isinstance(key, str):
        return _text(key, name)
    if key is None or isinstance(key, (int, float)):
        return key
    raise UsageError(f"{name}: expected texts or numbers as keys, got {_shown(key)}")


def _map(value, name):
    if value is not None and not hasattr(value, "keys"):
        raise UsageError(f"{name}: expected a dict, got {_shown(value)}")
    return {} if value is None else value


def _check_once(arguments, keys, name):
    """Raises UsageError for arguments that the dict `keys` has too. `arguments`: (name, value, key of the same meaning)."""
    for argument, value, key in arguments:
        if value is not None and key in keys:
            raise UsageError(f'{argument}: expected as an argument or as "{key}" in {name}, got both')


def _whole(value, name, least=0, most=sys.maxsize):
    """Returns a whole number of any type as an int."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{name}: expected a whole number, got {_shown(value)}") from None
    if least <= number <= most:
        return number
    limits = f">= {least}" if most == sys.maxsize else f"from {least} to {most}"
    got = number if number.bit_length() <= _MAX_BITS else f"one of {number.bit_length()} bits"
    raise UsageError(f"{name}: expected a whole number {limits}, got {got}")


def _whole_or_none(value, name, least=0, most=sys.maxsize):
    return None if value is None else _whole(value, name, least, most)


def _frame(value):
    return _whole_or_none(value, "frame", _core.min_frame, _core.max_frame)


def _memory(value):
    """Returns bytes; 0 stands for None."""
    return _whole_or_none(value, "memory", _LEAST_MEMORY) or 0


def _size(value):
    """Returns (width, height)."""
    try:
        width, height = value
    except (TypeError, ValueError):
        raise UsageError(f"size: expected (width, height), got {_shown(value)}") from None
    return _whole(width, "size", 1, _MOST_SIDE), _whole(height, "size", 1, _MOST_SIDE)


def _antialias(value):
    """Returns True, False, or None for the scene's own setting."""
    if value is None or isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):  # NumPy's too
        return None if value is None else bool(value)
    raise UsageError(f"antialias: expected True, False or None, got {value!r}")


def _vars(values):
    """Returns [(name, value)] with values as on the command line."""
    if values is None:
        return []
    if not hasattr(values, "keys"):
        raise UsageError(f'set: expected values by name, as {{"gain": 0.5}}, got {values!r}')
    pairs = []
    for name in values:
        if not isinstance(name, str):
            raise UsageError(f"set: expected the name of a var, got {_shown(name)}")
        value = _plain(values[name], f"set {name}")
        pairs.append((_text(name, "set"), value if isinstance(value, str) else json.dumps(value)))
    return pairs
