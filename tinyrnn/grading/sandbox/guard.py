"""What is told to a student about rules of the homework: imports, functions that are out of reach, and where arguments
are changed in place. Runs in the child; standard library only. It is for whoever errs in good faith: what keeps others
from anything are the sandbox and the comparison of numbers."""

import builtins
import os
import sys


class NotAllowed(ImportError):
    """The submission imports what it may not; the text says so, and in which line."""


def guard_imports(allowed, says, main, files):
    """From here on an import in a file of the submission raises `NotAllowed` unless it is of something in `allowed`.
    It says itself which ones are: `says`. This is for whoever imports in good faith; the sandbox is for others."""
    real = builtins.__import__

    def guarded(name, globals=None, locals=None, fromlist=(), level=0):
        root = name.partition(".")[0]
        if level == 0 and root not in allowed and not (root[:2] == "ex" and root[2:3].isdigit()):
            frame = sys._getframe(1)
            file = frame.f_code.co_filename
            if os.path.dirname(file) == files:
                where = "" if os.path.basename(file) == main else f" of {os.path.basename(file)}"
                raise NotAllowed(f"this exercise allows {says} only; remove line {frame.f_lineno}{where}")
        return real(name, globals, locals, fromlist, level)

    builtins.__import__ = guarded


def put_away(module, names, function):
    """Functions of the submission that another one has to do without raise when they are called. Returns them by
    name."""
    there = {name: getattr(module, name) for name in names if hasattr(module, name)}
    for name in there:

        def gone(*_, name=name, **__):
            raise RuntimeError(f"{name} is out of reach here: {function} has to work from its own arguments")

        setattr(module, name, gone)
    return there


def read_only(value, array):
    """The value, with all arrays in it read only from here on."""
    if isinstance(value, array):
        value.flags.writeable = False
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            read_only(each, array)
    return value


def without_functions(value):
    """The value, with None for every function in it: as arguments are sent back."""
    if isinstance(value, dict):
        return {key: without_functions(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(without_functions, value))
    return None if callable(value) else value
