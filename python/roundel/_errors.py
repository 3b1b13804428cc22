"""The exceptions of roundel. They stand for the exit codes of the command."""
import os
from collections import namedtuple  # typing would take a third of the import's time


class Problem(namedtuple("Problem", ["path", "line", "column", "key", "message"])):
    """One mistake in a scene or its data.

    path: the scene file; None for a dict or a Scene
    line: line of the file, from 1, or None
    column: byte of the line, from 1, or None
    key: the place in the scene, such as layers[0].radius; may be empty
    message: what is wrong
    """

    __slots__ = ()


class Error(Exception):
    """Base of all errors of Roundel. `exit_code` is the command's."""

    exit_code = 1


class RenderError(Error):
    """Drawing failed, for example on a full disk or a missing device; may succeed when tried again."""


class UsageError(Error, ValueError):
    """An argument is wrong."""

    exit_code = 2


class SceneError(Error, ValueError):
    """A scene or its data are wrong. `problems` is a list of all mistakes (`Problem`)."""

    exit_code = 3

    def __init__(self, message, problems=()):
        super().__init__(message)
        self.problems = list(problems)


class OutputError(Error, OSError):
    """A file cannot be written to its place."""

    exit_code = 4


class RoundelWarning(UserWarning):
    """Names in messages of a scene without a file, and of a changed one, in its folder."""


# Returns the exception for an error of the library; called by roundel._core.
NO_FILE, CHANGED_FILE = "scene", "<scene>"


def _problem(file, line, column, key, message):
    is_file = file != NO_FILE and os.path.basename(file) != CHANGED_FILE
    return Problem(file if is_file else None, line if is_file else None, column if is_file else None, key, message)


def exception(exit_code, message, problems):
    """belongs to a scene without a file"""
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
