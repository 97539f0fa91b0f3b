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
from tinyrnn.sources.neighbours import Neighbours
from tinyrnn.sources.opening import as_the_author, inside
from tinyrnn.sources.python2 import as_python_3, first_change, needs_python_2
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
    and that of any folder above of which the file imports something. While it is loaded its folder is the current one;
    a text that it reads and that is not there is made up, see `opening`. What is Python 2 is rewritten, see `python2`.

    Raises FileNotFoundError or IsADirectoryError, ValueError for what is no Python file, and `StudentError` for a file
    with a syntax error, or one that fails before anything is defined.
    """
    path, stderr = Path(path), sys.stderr
    trees = cells_of(path, stderr) if path.suffix == ".ipynb" else [tree_of(path, stderr)]
    package, root = package_of(path.resolve().parent)
    folder = str(path.resolve().parent)
    before, arguments = list(sys.path), list(sys.argv)
    known = {os.path.abspath(place) for place in before}
    modules, writes = dict(sys.modules), sys.dont_write_bytecode
    module = ModuleType(path.stem if path.stem not in sys.modules else f"{path.stem}_in_{path.resolve().parent.name}")
    module.__file__, module.__package__ = os.path.abspath(path), package
    above = folders_imported(trees, path.resolve().parent)
    sys.path[:], sys.argv[:] = [folder, *before, *([root] if package else []), *above], [os.path.abspath(path)]
    sys.modules[module.__name__] = module
    sys.dont_write_bytecode = True

    def is_near(file):
        places = {os.path.abspath(place) for place in sys.path} - known | {root, *above}
        return os.path.abspath(file).startswith(tuple(place + os.sep for place in places)) and not is_library(file)

    def run_neighbour(file, neighbour):
        try:
            error = run([tree_of(Path(file), stderr)], file, neighbour)
        except StudentError as told_already:
            raise told_already.__cause__ from None
        if error is not None and all(name.startswith("__") or name == "get_ipython" for name in vars(neighbour)):
            raise error  # nothing is in it
        if error is not None:
            say(left_out(error), stderr)

    its_files = as_the_author(folder, lambda what: say(what, stderr), lambda file: not is_library(file))
    try:
        with its_files, Neighbours(is_near, run_neighbour):
            with silence(), contextlib.redirect_stderr(io.StringIO()), nobody_to_ask(), inside(folder):
                error = run(trees, str(path), module)
            sys.argv[:] = arguments
            if error is not None:
                tell(error, module, stderr)
            yield module
    finally:
        made = [(name, found) for name, found in sys.modules.items() if name not in modules]
        for name in [name for name, found in made if is_near(place_on_disk(found))]:
            del sys.modules[name]  # neighbours of the file are not those of the next one
        sys.path[:], sys.argv[:], sys.dont_write_bytecode = before, arguments, writes
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


def tell(error, module, stderr):
    """Say on stderr what of a file was not run, and why; if the file then defines nothing, that is a `StudentError`."""
    if not any(callable(f) and getattr(f, "__module__", None) == module.__name__ for f in vars(module).values()):
        raise StudentError(with_place(error)) from error
    say(left_out(error), stderr)


def left_out(error):
    """What is said of a file that ends in an error when it is loaded, and is looked at all the same."""
    return f"{with_place(error)} (the rest of the file is looked at without that)"


def with_place(error):
    """`with_advice`, with the place in the file before it if that is known."""
    place = place_of(error)
    return f"{place}: {with_advice(error)}" if place else with_advice(error)


def say(what, stderr):
    """A note to the user, in one line, on what is not as the file has it."""
    print(f"tinyrnn: {what}", file=stderr)


def with_advice(error):
    """An exception that a file ends in when it is loaded, in one line, with what to do about it if that is known."""
    return ": ".join(filter(None, [told(error), advice(error)]))


def tree_of(path, stderr):
    """The syntax tree of a file, in whatever encoding it declares. Of Python 2, that is said to `stderr`."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a Python file in it")
    if not path.is_file():  # a pipe would be waited for
        raise FileNotFoundError(f"there is no file {path}")
    try:
        source = importlib.util.decode_source(path.read_bytes())
        new = in_python_3(source, str(path))
        check_compiles(new, path)  # which finds more than ast.parse
        linecache.cache.pop(str(path), None)  # an earlier rewriting
        if new != source:
            tell_rewritten(path, source, new, stderr)
        return ast.parse(new, str(path))
    except SyntaxError as error:
        line = f":{error.lineno}" if error.lineno else ""
        text = f", {error.text.strip()}" if error.text else ""
        raise StudentError(f"{as_typed(path)}{line}{text}: {with_advice(error)}") from error
    except ValueError as error:  # zero bytes, other encodings
        raise ValueError(f"{path} is no Python file: {error}") from None


def check_compiles(source, path):
    """SyntaxError for what is no Python; a notebook that was saved as a file may begin again in its middle."""
    try:
        compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        if "from __future__ imports must occur" not in str(error.msg):
            raise


def cells_of(path, stderr):
    """The syntax trees of a notebook's code cells, with line numbers as if all cells in a row were its text."""
    if not path.is_file():  # a pipe would be waited for
        raise FileNotFoundError(f"there is no file {path}")
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no notebook: {type(error).__name__}: {error}") from None
    trees, old, new = [], [], []
    for text in texts:
        plain = [f"pass  # {line}" if line.startswith(("%", "!", "?")) else line for line in text.splitlines()]
        before, old, cell = len(old), [*old, *plain, ""], "\n".join(plain)
        try:
            cell = in_python_3(cell, str(path))
            trees.append(ast.increment_lineno(ast.parse(cell, str(path)), before))
        except SyntaxError:  # an unfinished cell is no reason not to look at the others
            pass
        new += [*(cell.split("\n") if plain else []), ""]
    remember(path, new)
    if new != old:
        tell_rewritten(path, "\n".join(old), "\n".join(new), stderr)
    return trees


def in_python_3(source, file):
    """A text as Python 3 takes it: as it is, or, of Python 2, rewritten; SyntaxError if it is neither."""
    try:
        return (as_python_3(source) or source) if needs_python_2(ast.parse(source, file)) else source
    except SyntaxError:
        if (new := as_python_3(source)) is None:
            raise
        return new


def tell_rewritten(path, source, new, stderr):
    """Say that a file is looked at in other words than it has, and have these found where its source is asked for."""
    remember(path, new.split("\n"))
    number, line = first_change(source, new)
    say(f"{as_typed(path)}:{number}, {line}: this is Python 2: it is looked at as rewritten in Python 3", stderr)


def remember(path, lines):
    """From now on these are what `inspect` takes for the source of a file."""
    linecache.cache[str(path)] = (len(lines), None, [f"{line}\n" for line in lines], str(path))


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
