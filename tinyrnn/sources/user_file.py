"""A student's file: loaded as a module, and its errors told in one line with a line number of *that* file."""

import ast
import contextlib
import importlib.util
import json
import linecache
import os
import sys
import sysconfig
import traceback
from pathlib import Path
from types import ModuleType

from tinyrnn.core.files import as_typed

PACKAGE = str(Path(__file__).resolve().parents[1])
OTHERS = tuple({PACKAGE, *(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))})


class StudentError(ValueError):
    """An error in a student's own code; the message says where."""


@contextlib.contextmanager
def loaded(path):
    """The module that the file `path` makes, for a `with` block, during which its folder is on sys.path.

    What stands under `if __name__ == "__main__":` is not run, what the file prints is not shown, and no cache is
    written. Raises FileNotFoundError or IsADirectoryError, ValueError for what is no Python file, and `StudentError`
    for a file with a syntax error or one that fails when it is run.
    """
    path = Path(path)
    codes = compiled_cells(path) if path.suffix == ".ipynb" else [compiled(path)]
    folder = str(path.resolve().parent)
    before, modules, writes = list(sys.path), dict(sys.modules), sys.dont_write_bytecode
    module = ModuleType(path.stem if path.stem not in sys.modules else f"{path.stem}_in_{path.resolve().parent.name}")
    module.__file__ = str(path)
    sys.path.insert(0, folder)
    sys.modules[module.__name__] = module
    sys.dont_write_bytecode = True
    try:
        with explained(), silence(), nobody_to_ask():
            run_all(codes, module)
        yield module
    finally:
        sys.path[:], sys.dont_write_bytecode = before, writes
        for name, made in list(sys.modules.items()):  # neighbours of the file are not those of the next one
            if name not in modules and str(getattr(made, "__file__", None) or "").startswith(folder + os.sep):
                del sys.modules[name]
        sys.modules.pop(module.__name__, None)


def compiled(path):
    """The code of a file, in whatever encoding it declares."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a Python file in it")
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        return compile(importlib.util.decode_source(path.read_bytes()), str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        line = f":{error.lineno}" if error.lineno else ""
        text = f", {error.text.strip()}" if error.text else ""
        raise StudentError(f"{as_typed(path)}{line}{text}: {type(error).__name__}: {error.msg}") from error
    except ValueError as error:  # zero bytes, other encodings
        raise ValueError(f"{path} is no Python file: {error}") from None


def run_all(codes, module):
    """Run a file, or the cells of a notebook, of which some may fail if others define something."""
    errors = []
    for code in codes:
        try:
            exec(code, vars(module))
        except Exception as error:
            errors.append(error)
    if (errors and len(codes) == 1) or (errors and not any(callable(value) for value in vars(module).values())):
        raise errors[0]


def compiled_cells(path):
    """The code cells of a notebook, each compiled, with line numbers as if all cells in a row were its text."""
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no notebook: {type(error).__name__}: {error}") from None
    codes, lines = [], []
    for text in texts:
        plain = [f"pass  # {line}" if line.startswith(("%", "!", "?")) else line for line in text.splitlines()]
        before, lines = len(lines), [*lines, *plain, ""]
        try:
            tree = ast.increment_lineno(ast.parse("\n".join(plain), str(path)), before)
            codes.append(compile(tree, str(path), "exec", dont_inherit=True))
        except SyntaxError:  # an unfinished cell is no reason not to look at the others
            continue
    linecache.cache[str(path)] = (len(lines), None, [f"{line}\n" for line in lines], str(path))
    return codes


@contextlib.contextmanager
def silence():
    """Nothing is printed meanwhile: a function that is run hundreds of times had better be quiet."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        yield


@contextlib.contextmanager
def nobody_to_ask():
    """`input()` ends in an error meanwhile, as its prompt is not shown."""
    before = sys.stdin
    with open(os.devnull, encoding="utf-8") as sys.stdin:
        try:
            yield
        finally:
            sys.stdin = before


@contextlib.contextmanager
def explained():
    """Errors that come out of a student's code, if only through NumPy, become a `StudentError` that says where."""
    try:
        yield
    except StudentError:
        raise
    except (Exception, SystemExit) as error:
        place = place_of(error)
        if place is None:
            raise
        notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        raise StudentError(f"{place}: {told(error)}{notes}") from error


def place_of(error):
    """`file.py:12, in function`: the innermost line of code that is neither ours nor a library's; None without one."""
    if isinstance(error, SyntaxError) and error.filename is not None and not is_library(error.filename):
        return f"{as_typed(error.filename)}:{error.lineno}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not is_library(frame.filename):
            inside = "" if frame.name == "<module>" else f", in {frame.name}"
            return f"{as_typed(frame.filename)}:{frame.lineno}{inside}"
    return None


def is_library(file):
    """Whether a file belongs to Python or to an installed package."""
    return file.startswith("<") or os.path.abspath(file).startswith(tuple(folder + os.sep for folder in OTHERS))


def told(error):
    """An exception in one line."""
    message = str(error.msg if isinstance(error, SyntaxError) else error)
    first = message.strip().splitlines()[:1]
    return f"{type(error).__name__}{''.join(f': {line}' for line in first)}"
