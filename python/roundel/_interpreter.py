"""Refuses subinterpreters before C++ is loaded, which would wait there forever."""
import importlib

for _name in ("_interpreters", "_xxsubinterpreters"):  # since Python 3.13, and before
    try:
        _module = importlib.import_module(_name)
    except ImportError:
        continue
    if _module.get_current() != _module.get_main():
        raise ImportError("roundel works in a process's main interpreter only, not in subinterpreters")
    break
