"""What `import tinyrnn as tr` shows, and what it leaves to later."""

import ast
import importlib
import inspect
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


CONTRACT = {"init", "derive", "derive_backward", "derive_inverse", "step_inverse", "project", "step", "step_backward"}
CONTRACT |= {"gradients", "equations", "params_of_blocks", "from_blocks"}  # of cells, told by their arguments' names


def public_functions():
    """(name, function) of all that `tinyrnn.__all__` leads to: functions, methods of classes, and those of modules."""
    for name in tr.__all__:
        value = getattr(tr, name)
        members = vars(value).items() if inspect.ismodule(value) else [(name, value)]
        home = value.__name__ if inspect.ismodule(value) else "tinyrnn"  # not what a module has from elsewhere
        for label, member in members:
            if label.startswith("_") or not getattr(member, "__module__", "").startswith(home):
                continue
            if inspect.isfunction(member):
                yield label, member
            elif inspect.isclass(member):
                yield from methods_of(member)


def methods_of(cls):
    if issubclass(cls, tr.Cell) and cls is not tr.Cell:
        return  # what a cell adds is the contract
    for name, value in vars(cls).items():
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        public = name == "__init__" or not name.startswith("_")
        if public and inspect.isfunction(function) and not (cls is tr.Cell and name in CONTRACT):
            yield f"{cls.__name__}.{name}", function


def test_all_that_is_public_is_annotated_and_has_a_docstring():
    functions = dict(public_functions())
    assert len(functions) > 200
    bare, silent = [], []
    for label, function in functions.items():
        signature = inspect.signature(function)
        given = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
        if not function.__module__.startswith("tinyrnn") or "<" in function.__qualname__:
            continue  # made by dataclasses
        if signature.return_annotation is signature.empty or any(p.annotation is p.empty for p in given):
            bare.append(label)
        if not function.__doc__ and not label.endswith("__init__"):
            silent.append(label)
    assert bare == [] and silent == []


def without_docstring(tree):
    """The names of public functions, methods and classes that have none; functions in functions do not count."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            if not ast.get_docstring(node):
                yield node.name
            if isinstance(node, ast.ClassDef):
                yield from without_docstring(node)


def test_what_has_no_docstring_is_noticed():
    source = """
class Loud:
    def silent(self): ...
    def _private(self): ...
    def documented(self):
        'Yes.'
        def within(): ...
"""
    assert list(without_docstring(ast.parse(source))) == ["Loud", "silent"]


def test_everything_without_an_underscore_has_a_docstring_but_what_the_contract_of_cells_says_once_for_all():
    package, silent = Path(tr.__file__).parent, []
    paths = sorted(package.rglob("*.py"))
    assert len(paths) > 300
    for path in paths:
        names = without_docstring(ast.parse(path.read_text(encoding="utf-8")))
        said = CONTRACT | {"state_sizes"} if path.is_relative_to(package / "cells") else set()
        silent += [f"{path.relative_to(package)}: {name}" for name in names if name not in said]
    assert silent == []
