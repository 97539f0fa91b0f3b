"""What `import tinyrnn as tr` shows, and what it leaves to later."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tinyrnn as tr
from tinyrnn.cells import CELLS
from tinyrnn.core import guesses


def imported_for_type_checkers():
    """The names in the block of `tinyrnn/__init__.py` that only type checkers read, without the star's."""
    tree = ast.parse(Path(tr.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    return {alias.asname for node in block.body for alias in node.names if alias.name != "*"}


def test_type_checkers_are_shown_exactly_what_is_loaded_later():
    assert imported_for_type_checkers() == set(tr._MODULE_OF) != set()


@pytest.mark.parametrize("name", tr.__all__)
def test_every_public_name_is_there(name):
    assert getattr(tr, name) is not None
    assert name in dir(tr)


def test_no_name_stands_twice_and_none_is_private():
    assert len(set(tr.__all__)) == len(tr.__all__)
    assert not [name for name in tr.__all__ if name.startswith("_")]


def test_the_class_of_every_cell_is_public():
    assert {cls.__name__ for cls, _ in CELLS.values()} <= set(tr.__all__)


def test_dir_shows_no_module_that_was_only_passed_through():
    modules = {name for name in dir(tr) if isinstance(getattr(tr, name), type(sys))}
    meant = {
        "analysis",
        "constructions",
        "tasks",
        "training",
        "inits",
        "interop",
        "losses",
        "numerical",
        "regularisers",
    }
    assert modules == meant | {"clipping", "optimisers", "schedules"}


@pytest.mark.parametrize("name", sorted(guesses.PACKAGE))
def test_a_name_that_people_try_gets_what_to_write(name):
    with pytest.raises(AttributeError, match=r"^tinyrnn has no '\w+': write ") as caught:
        getattr(tr, name)
    written = re.findall(r"\btr\.[\w.]+", str(caught.value))
    assert written or "write the loop" in str(caught.value)
    for expression in written:
        assert eval(expression, {"tr": tr}) is not None


def test_an_unknown_name_is_said_in_one_line():
    with pytest.raises(AttributeError, match=r"^tinyrnn has no 'Lstm'"):
        tr.Lstm  # noqa: B018


def test_a_module_that_is_loaded_later_can_be_imported_first():
    code = "import tinyrnn.verdicts.entry, tinyrnn as tr; assert callable(tr.lines) and tr.lines is tr.lines"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert importlib.import_module("tinyrnn.verdicts.entry").lines is tr.lines


ANNOTATED = ("analysis", "init", "optim")  # packages, all of whose public functions say what they take and give


@pytest.mark.parametrize("package", ANNOTATED)
def test_public_functions_are_annotated(package):
    modules = sorted((Path(tr.__file__).parent / package).rglob("*.py"))
    assert modules
    bare = []
    for path in modules:
        for function in public_functions(ast.parse(path.read_text(encoding="utf-8"))):
            given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
            if function.returns is None or any(a.annotation is None and a.arg not in ("self", "cls") for a in given):
                bare.append(f"{path.name}: {function.name}")
    assert bare == []


def public_functions(tree):
    """The functions of a module and the methods of its classes, but for those whose names begin with _."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node)
        elif isinstance(node, ast.FunctionDef) and (node.name == "__init__" or not node.name.startswith("_")):
            yield node
