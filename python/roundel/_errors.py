"""The exceptions of roundel. They stand for the exit codes of the command."""
import os
from collections import namedtuple  # typing would take a third of the import's time


class Problem(namedtuple("Problem", ["path", "line", "column", "key", "message"])):
    """One thing that is wrong with a scene or its data.

    path: the scene file; None for a scene that is no file, and where the message says the place
    line: in that file, from 1, or None
    column: in that line, from 1, in bytes, or None
    key: such as layers[0].radius; may be empty
    """

    __slots__ = ()


class Error(Exception):
    """What the renderer refuses to do, or cannot do. `exit_code` is the command's."""

    exit_code = 1


class RenderError(Error):
    """Failed at run time, as a disk that is full or a device that is missing: may succeed when tried again."""


class UsageError(Error, ValueError):
    """An argument is wrong."""

    exit_code = 2


class SceneError(Error, ValueError):
    """A scene or its data is wrong. `problems` lists all that is (`Problem`)."""

    exit_code = 3

    def __init__(self, message, problems=()):
        super().__init__(message)
        self.problems = list(problems)


class OutputError(Error, OSError):
    """A file cannot be written to its place."""

    exit_code = 4


class RoundelWarning(UserWarning):
    """A picture may not be what was meant: it shows no circle, rows are left out, colours go far above 1, whole
    numbers beyond 2**53 were rounded. docs/python.md lists them all."""


# What a scene that is no file is called in messages, and in its folder one that was.
NO_FILE, CHANGED_FILE = "scene", "<scene>"


def _problem(file, line, column, key, message):
    is_file = file != NO_FILE and os.path.basename(file) != CHANGED_FILE
    return Problem(file if is_file else None, line if is_file else None, column if is_file else None, key, message)


def exception(exit_code, message, problems):
    """For roundel._core: the exception of an error of the library."""
    if exit_code == SceneError.exit_code:
        found = [_problem(*problem) for problem in problems]
        if found and found[0].path is None:  # its text is no one's
            message = "\n".join(f"{p.key}: {p.message}" if p.key else p.message for p in found)
        return SceneError(message, found or [Problem(None, None, None, "", line) for line in message.splitlines()])
    message = message[2:] if message.startswith("--") else message  # an option of the command
    for kind in (UsageError, OutputError):
        if exit_code == kind.exit_code:
            return kind(message)
    return RenderError(message)
