"""Runs a file statement by statement, so that what fails or takes long in it does not cost the functions it defines."""

import __future__

import ast
import os
import re
import warnings
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from tinyrnn.sources.deadline import TooLong, cut_off

SECONDS = 5.0  # for all that a file does when it is loaded
MORE_SECONDS = 2.0  # for the definitions that follow what was broken off
UNDER_MAIN = 'put that part under `if __name__ == "__main__":`'
KEPT = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)

STATEMENTS: WeakKeyDictionary = WeakKeyDictionary()  # module -> (its file, all that stands in it)


class NoNotebook:
    """What a notebook calls `get_ipython()`: it takes every call and does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


def run(trees: list[ast.Module], file: str, module: ModuleType) -> BaseException | None:
    """Run the statements in a module's namespace; returns the first error, None if there was none.

    After an error, definitions, imports and assignments are still run, each by itself, and nothing else: the functions
    below may need nothing of what failed. What cannot be imported, and what needs it in turn, is only left out: what
    plots, shows progress or reads tables is not what functions need. What is still running after `SECONDS` is broken
    off by `TooLong`.
    """
    os.environ.setdefault("MPLBACKEND", "agg")  # no window should have to be closed first
    vars(module).setdefault("get_ipython", NoNotebook)
    statements, first = [node for tree in trees for node in tree.body], None
    flags = future_flags(statements)
    STATEMENTS[module] = file, list(statements)
    missing: set[str] = set()  # names for want of an import
    for seconds in (SECONDS, MORE_SECONDS):
        try:
            with cut_off(seconds), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                while statements:
                    node = statements.pop(0)
                    error = run_one(node, file, module, flags)
                    first = first or error
                    if error is not None and is_for_want_of(missing, error):
                        missing |= names_bound(node)
                    elif error is not None:
                        statements = [node for node in statements if isinstance(node, KEPT)]
        except TooLong as error:
            first, statements = first or error, [node for node in statements if isinstance(node, KEPT)]
    return first


def is_for_want_of(missing: set[str], error: BaseException) -> bool:
    """Whether an error is that of an import, or of a name that is missing for that reason."""
    return isinstance(error, ImportError) or (isinstance(error, NameError) and error.name in missing)


def names_bound(node: ast.stmt) -> set[str]:
    """The names that a statement gives a meaning to."""
    parts = list(ast.walk(node))
    aliases = {(part.asname or part.name).partition(".")[0] for part in parts if isinstance(part, ast.alias)}
    defined = {part.name for part in parts if isinstance(part, (ast.FunctionDef, ast.ClassDef))}
    stored = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    return aliases | defined | stored


def run_one(node: ast.stmt, file: str, module: ModuleType, flags: int) -> BaseException | None:
    """Run one statement; returns the error it ends in, or None. `TooLong` goes on to the caller."""
    try:
        code = compile(ast.Module([node], []), file, "exec", flags=flags, dont_inherit=True)
        exec(code, vars(module))
    except (Exception, SystemExit) as error:
        return error
    return None


def future_flags(statements: list[ast.stmt]) -> int:
    """The compiler's flags for `from __future__ import …`, which otherwise hold for their own statement alone."""
    imports = [node for node in statements if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    names = [alias.name for node in imports for alias in node.names]
    return sum({getattr(__future__, name).compiler_flag for name in names if hasattr(__future__, name)})


def advice(error: BaseException) -> str:
    """What to do about an error that a file ends in when it is loaded, "" where there is nothing to say."""
    if isinstance(error, TooLong):
        return f"what trains, plots or waits is not for a file that is looked at: {UNDER_MAIN}"
    if isinstance(error, SystemExit):
        return f"it ends the program, or reads its arguments: {UNDER_MAIN}"
    if isinstance(error, EOFError):
        return f"there is nobody to answer input(): {UNDER_MAIN}"
    if isinstance(error, FileNotFoundError):
        return f"run this where that file is, or {UNDER_MAIN}"
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"put {error.name.split('.')[0]}.py beside the file, or install what it is part of"
    if isinstance(error, SyntaxError) and re.search(r"call to 'print'|except .*, ", f"{error.msg} {error.text}"):
        return "this is Python 2: 2to3 rewrites it"
    return ""
