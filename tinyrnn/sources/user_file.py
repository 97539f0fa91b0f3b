"""A student's file: loaded as a module, and its errors told in one line with a line number of *that* file."""

import ast
import contextlib
import importlib.util
import io
import json
import linecache
import logging
import os
import sys
import sysconfig
import traceback
from pathlib import Path
from types import ModuleType

from tinyrnn.core.files import as_typed
from tinyrnn.sources.deadline import TooLong
from tinyrnn.sources.running import advice, run

PACKAGE = str(Path(__file__).resolve().parents[1])
OTHERS = tuple({PACKAGE, *(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))})


class StudentError(ValueError):
    """An error in a student's own code; the message says where."""


@contextlib.contextmanager
def loaded(path):
    """The module that the file `path` makes, for a `with` block, during which its folder is on sys.path.

    What stands under `if __name__ == "__main__":` is not run, what the file prints is not shown, and no cache is
    written. What fails in it, or goes on for more than seconds, is left out, and told on stderr, if functions are
    defined all the same; see `running`. Beside the file's folder, that of the package it is in can be imported from,
    and that of any folder above of which the file imports something.

    Raises FileNotFoundError or IsADirectoryError, ValueError for what is no Python file, and `StudentError` for a file
    with a syntax error, or one that fails before anything is defined.
    """
    path = Path(path)
    trees = cells_of(path) if path.suffix == ".ipynb" else [tree_of(path)]
    package, root = package_of(path.resolve().parent)
    folder = str(path.resolve().parent)
    before, arguments = list(sys.path), list(sys.argv)
    modules, writes = dict(sys.modules), sys.dont_write_bytecode
    module = ModuleType(path.stem if path.stem not in sys.modules else f"{path.stem}_in_{path.resolve().parent.name}")
    module.__file__, module.__package__ = str(path), package
    above = folders_imported(trees, path.resolve().parent)
    sys.path[:], sys.argv[:] = [folder, *before, *([root] if package else []), *above], [str(path)]
    near = tuple(place + os.sep for place in (root, *above))
    sys.modules[module.__name__] = module
    sys.dont_write_bytecode = True
    try:
        with silence(), contextlib.redirect_stderr(io.StringIO()), nobody_to_ask():
            error = run(trees, str(path), module)
        sys.argv[:] = arguments
        if error is not None:
            tell(error, module)
        yield module
    finally:
        sys.path[:], sys.argv[:], sys.dont_write_bytecode = before, arguments, writes
        made = [(name, found) for name, found in sys.modules.items() if name not in modules]
        for name in [name for name, found in made if place_on_disk(found).startswith(near)]:
            del sys.modules[name]  # neighbours of the file are not those of the next one
        sys.modules.pop(module.__name__, None)


def place_on_disk(module):
    """The file of a module, or, of a package without `__init__.py`, its folder; "" if it has none."""
    file = getattr(module, "__file__", None)
    return str(file or next(iter(getattr(module, "__path__", ())), ""))


def package_of(folder):
    """(dotted name, folder that it is to be imported from) of the package that a folder is; ("", folder) if none."""
    names = []
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names), str(folder)


def folders_imported(trees, folder):
    """The folders that hold those above a file, its own among them, by whose names it imports: packages, even without
    `__init__.py`."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = {alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module.partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return [str(above.parent) for above in (folder, *folder.parents) if above.name in names]


def tell(error, module):
    """Say on stderr what of a file was not run, and why; if the file then defines nothing, that is a `StudentError`."""
    what = with_advice(error)
    if place := place_of(error):
        what = f"{place}: {what}"
    if not any(callable(f) and getattr(f, "__module__", None) == module.__name__ for f in vars(module).values()):
        raise StudentError(what) from error
    print(f"tinyrnn: {what} (the rest of the file is looked at without that)", file=sys.stderr)


def with_advice(error):
    """An exception that a file ends in when it is loaded, in one line, with what to do about it if that is known."""
    return ": ".join(filter(None, [told(error), advice(error)]))


def tree_of(path):
    """The syntax tree of a file, in whatever encoding it declares."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a Python file in it")
    if not path.is_file():  # a pipe would be waited for
        raise FileNotFoundError(f"there is no file {path}")
    try:
        source = importlib.util.decode_source(path.read_bytes())
        compile(source, str(path), "exec", dont_inherit=True)  # which finds more than ast.parse
        return ast.parse(source, str(path))
    except SyntaxError as error:
        line = f":{error.lineno}" if error.lineno else ""
        text = f", {error.text.strip()}" if error.text else ""
        raise StudentError(f"{as_typed(path)}{line}{text}: {with_advice(error)}") from error
    except ValueError as error:  # zero bytes, other encodings
        raise ValueError(f"{path} is no Python file: {error}") from None


def cells_of(path):
    """The syntax trees of a notebook's code cells, with line numbers as if all cells in a row were its text."""
    if not path.is_file():  # a pipe would be waited for
        raise FileNotFoundError(f"there is no file {path}")
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no notebook: {type(error).__name__}: {error}") from None
    trees, lines = [], []
    for text in texts:
        plain = [f"pass  # {line}" if line.startswith(("%", "!", "?")) else line for line in text.splitlines()]
        before, lines = len(lines), [*lines, *plain, ""]
        try:
            trees.append(ast.increment_lineno(ast.parse("\n".join(plain), str(path)), before))
        except SyntaxError:  # an unfinished cell is no reason not to look at the others
            continue
    linecache.cache[str(path)] = (len(lines), None, [f"{line}\n" for line in lines], str(path))
    return trees


@contextlib.contextmanager
def silence():
    """Nothing is printed or logged meanwhile: a function that is run hundreds of times had better be quiet."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            yield
    finally:
        logging.disable(before)


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
    except (Exception, SystemExit, TooLong) as error:
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
