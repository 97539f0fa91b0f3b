"""Runs what a file does with its own functions, without harm, to see how it calls them."""

import ast
import builtins
import contextlib
import inspect
import io
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tinyrnn.sources.deadline import TooLong, cut_off
from tinyrnn.sources.opening import inside
from tinyrnn.sources.reading import undecorated
from tinyrnn.sources.running import SECONDS, STATEMENTS, future_flags, run_one
from tinyrnn.sources.seen.watch import SeenCall, Wanted, Watch
from tinyrnn.sources.user_file import nobody_to_ask, silence
from tinyrnn.sources.vocabulary import words_of_name

STARTS = {"main", "train", "training", "fit", "test", "tests", "run", "demo", "example", "check"}  # words of names


def seen_calls(module: ModuleType | None, wanted: list[Wanted]) -> dict[int, SeenCall]:
    """{place of a pair: the first call of it that was seen} while the program of a module runs for some seconds.

    Its statements are run once more, those under `if __name__ == "__main__":` too, and then functions such as `main()`,
    `train()` and `test_…()`, until each pair was called. Nothing is printed, asked or written to files, and the random
    numbers are the same every time. Only of a module that was loaded from a file to be looked at.
    """
    if module is None or module not in STATEMENTS or not wanted:
        return {}
    watch = Watch(wanted)
    with no_harm(module), contextlib.suppress(TooLong), cut_off(SECONDS):
        watch.run(lambda: run_all(module))
    return watch.seen


def calls_of(wanted: list[Wanted]) -> dict[int, SeenCall]:
    """`seen_calls` of the module, or the modules, that pairs come from."""
    modules = {one: sys.modules.get(undecorated(one.forward).__module__) for one in wanted}
    found: dict[int, SeenCall] = {}
    for module in dict.fromkeys(modules.values()):
        own = [k for k, one in enumerate(wanted) if modules[one] is module]
        found |= {own[k]: call for k, call in seen_calls(module, [wanted[k] for k in own]).items()}
    return found


def run_all(module: ModuleType) -> None:
    """Run what is in a module's file but definitions, then the functions that start something."""
    file, statements = STATEMENTS[module]
    flags = future_flags(statements)
    for node in statements:
        for part in node.body if is_main(node) else [node]:
            if is_main(node) or not isinstance(part, DEFINITIONS):
                run_one(part, file, module, flags)
    for function in starts_of(module):
        with contextlib.suppress(Exception, SystemExit):
            function()


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def is_main(node: ast.stmt) -> bool:
    """Whether a statement is `if __name__ == "__main__":`."""
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test) and "__main__" in ast.unparse(node.test)


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


@contextlib.contextmanager
def nothing_written() -> Iterator[None]:
    """Meanwhile what is written to files goes nowhere: a model that somebody has trained stays as it is."""
    before = builtins.open, io.open

    def opened(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        is_written = isinstance(mode, str) and bool(set(mode) & set("wax+"))
        return before[0](os.devnull if is_written else file, mode.replace("x", "w"), *args, **options)

    builtins.open = io.open = opened
    try:
        yield
    finally:
        builtins.open, io.open = before
