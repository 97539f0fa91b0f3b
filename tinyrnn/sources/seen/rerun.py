"""Runs what a file does with its own functions, without harm, to see how it calls them."""

import ast
import contextlib
import inspect
import io
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np

from tinyrnn.sources import running
from tinyrnn.sources.deadline import TooLong, cut_off
from tinyrnn.sources.opening import inside, nothing_written
from tinyrnn.sources.reading import undecorated
from tinyrnn.sources.running import STATEMENTS, future_flags, run_one
from tinyrnn.sources.seen.watch import CallWatch, SeenCall, Wanted
from tinyrnn.sources.user_file import nobody_to_ask, silence, tree_of
from tinyrnn.sources.vocabulary import words_of_name

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
MOST_FILES = 100  # in which it is looked whether they import another
STARTS = {"main", "train", "training", "fit", "test", "tests", "run", "demo", "example", "check"}  # words of names


def seen_calls(module: ModuleType | None, wanted: list[Wanted]) -> dict[int, SeenCall]:
    """{place of a pair: the first call of it that was seen} while the program of a module runs for some seconds.

    Its statements are run once more, those under `if __name__ == "__main__":` too, then functions such as `main()`,
    `train()` and `test_…()`, then the files beside it that import it, until each pair was called. Nothing is printed,
    asked or written to files, and the random numbers are the same every time. Only of a module that was loaded from a
    file to be looked at.
    """
    if module is None or module not in STATEMENTS or not wanted:
        return {}
    watch = CallWatch(wanted)
    for run in (run_again, run_users):
        if len(watch.seen) < len(wanted):
            with no_harm(module), contextlib.suppress(TooLong), cut_off(running.SECONDS):
                watch.run(partial(run, module))
    return watch.seen


def calls_of(wanted: list[Wanted]) -> dict[int, SeenCall]:
    """`seen_calls` of the module, or the modules, that pairs come from."""
    modules = {one: sys.modules.get(undecorated(one.forward).__module__) for one in wanted}
    found: dict[int, SeenCall] = {}
    for module in dict.fromkeys(modules.values()):
        own = [k for k, one in enumerate(wanted) if modules[one] is module]
        found |= {own[k]: call for k, call in seen_calls(module, [wanted[k] for k in own]).items()}
    return found


def run_again(module: ModuleType) -> None:
    """Run what is in a module's file but definitions, then the functions that start something."""
    file, statements = STATEMENTS[module]
    run_parts([node for node in statements if not isinstance(node, DEFINITIONS)], file, module)
    for function in starts_of(module):
        with contextlib.suppress(Exception, SystemExit):
            function()


def run_parts(statements: list[ast.stmt], file: str, module: ModuleType) -> None:
    """Run statements one by one, and those under `if __name__ == "__main__":`, whatever becomes of the others."""
    flags = future_flags(statements)
    for node in statements:
        for part in under_main(node) or [node]:
            run_one(part, file, module, flags)


def run_users(module: ModuleType) -> None:
    """Run the files beside a module, and in the folder above, that import it, as far as they are Python."""
    file = Path(module.__file__ or "").resolve()
    names = {file.stem, f"{file.parent.name}.{file.stem}"}
    beside = sorted(file.parent.glob("*.py")), sorted(file.parent.parent.glob("*.py"))
    before, modules, places = {name: sys.modules.get(name) for name in names}, dict(sys.modules), list(sys.path)
    sys.modules.update(dict.fromkeys(names, module))
    sys.path.append(str(file.parent.parent))
    try:
        for user in [*beside[0], *beside[1]][:MOST_FILES]:
            with contextlib.suppress(ValueError, OSError):
                tree = tree_of(user, io.StringIO()) if user != file else ast.Module([], [])
                if file.stem in {alias.rpartition(".")[2] for alias in imported_by(tree)}:
                    made = ModuleType(user.stem)
                    made.__file__, made.__package__ = str(user), module.__package__
                    run_parts(tree.body, str(user), made)
    finally:
        sys.path[:] = places
        for name in [name for name in sys.modules if name not in modules]:
            del sys.modules[name]
        sys.modules.update({name: one for name, one in before.items() if one is not None})


def imported_by(tree: ast.Module) -> set[str]:
    """The names of the modules that a file imports, or imports from."""
    nodes = list(ast.walk(tree))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


def under_main(node: ast.stmt) -> list[ast.stmt]:
    """What stands under `if __name__ == "__main__":`, empty for any other statement."""
    if not isinstance(node, ast.If):
        return []
    return node.body if all(word in ast.unparse(node.test) for word in ("__name__", "__main__")) else []


def starts_of(module: ModuleType) -> list[Callable]:
    """The functions of a module, without arguments that must be given, whose names say that they start something."""
    own = [f for f in vars(module).values() if inspect.isfunction(f) and f.__module__ == module.__name__]
    named = [f for f in dict.fromkeys(own) if STARTS & {*words_of_name(f.__name__)}]
    return [f for f in named if all(p.default is not p.empty for p in inspect.signature(f).parameters.values())]


@contextlib.contextmanager
def no_harm(module: ModuleType) -> Iterator[None]:
    """Meanwhile a program runs as it would in its folder, unseen and unheard, and all that it draws is known."""
    folder = str(Path(module.__file__ or ".").resolve().parent)
    states, arguments = (random.getstate(), np.random.get_state()), list(sys.argv)  # noqa: NPY002
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    sys.argv[:] = [os.path.abspath(module.__file__ or "")]
    try:
        with inside(folder), silence(), contextlib.redirect_stderr(io.StringIO()), nobody_to_ask(), nothing_written():
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                yield
    finally:
        sys.argv[:] = arguments
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002
