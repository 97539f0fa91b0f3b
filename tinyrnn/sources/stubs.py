"""Exercises that are not done yet: functions that return None wherever something should be."""

import ast
import inspect
from collections.abc import Callable
from typing import Any

from tinyrnn.sources.reading import NoSource, read, undecorated
from tinyrnn.sources.vocabulary import names_gradients


class NotWritten(ValueError):
    """A function is still the stub that was handed out; the message says which."""


def check_written(*functions: Callable) -> None:
    """Raises `NotWritten` for the first function that is a stub: `pass`, `raise NotImplementedError`, or nothing but
    None is returned, by whatever names."""
    for function in functions:
        kind = stub(function)
        if kind is not None:
            code = getattr(undecorated(getattr(function, "__func__", function)), "__code__", None)
            where = "" if code is None else f" (line {code.co_firstlineno})"
            raise NotWritten(f"{function.__qualname__}{where} is not written yet: it {kind}")


def stub(function: Callable) -> str | None:
    """What a stub does, in words; None for what has been written, or cannot be read."""
    if not inspect.isroutine(function):
        return None
    try:
        tree = read(function)
    except (NoSource, TypeError, OSError, SyntaxError):
        return None
    body = [node for node in getattr(tree, "body", ()) if not is_text(node)] if isinstance(tree.body, list) else [tree]
    if not body or all(isinstance(node, ast.Pass) or is_text(node, ...) for node in body):
        return "does nothing"
    if isinstance(body[-1], ast.Raise) and "NotImplemented" in ast.unparse(body[-1]) and len(body) == 1:
        return "raises NotImplementedError"
    returned = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
    empty = empty_names(tree)
    is_empty = returned and all(is_nothing(value, empty) for value in returned)
    return "returns None" if is_empty and not (keeps_gradients(tree, empty) or fills_arrays(tree, empty)) else None


def keeps_gradients(tree: ast.AST, empty: set[str]) -> bool:
    """Whether a method keeps a gradient in its object: `self.grad_w = …`, whatever it returns."""
    stored = [(target, value) for node in ast.walk(tree) for target, value in assigned(node)]
    kept = [value for target, value in stored if isinstance(target, ast.Attribute) and names_gradients(target.attr)]
    return any(value is ... or not is_nothing(value, empty) for value in kept)


def fills_arrays(tree: ast.AST, empty: set[str]) -> bool:
    """Whether a method puts something into arrays that it was given or its object has: `dW[...] = …`, `np.add.at`."""
    stored = [pair for node in ast.walk(tree) for pair in assigned(node) if isinstance(pair[0], ast.Subscript)]
    calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return any(value is ... or not is_nothing(value, empty) for _, value in stored) or any(
        call.endswith(".add.at") for call in calls
    )


def is_text(node: ast.stmt, *others: Any) -> bool:
    """Whether a statement is a docstring, or one of these constants."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and (isinstance(value.value, str) or value.value in others)


def empty_names(tree: ast.AST) -> set[str]:
    """The names that never get anything but None, or a collection of nothing but such names."""
    given: dict[str, list] = {}
    for node in ast.walk(tree):
        for target, value in assigned(node):
            for name in names_in(target):
                given.setdefault(name, []).append(value)
    empty: set[str] = set()
    while True:
        found = {name for name, values in given.items() if all(is_nothing(value, empty) for value in values)}
        if found == empty:
            return empty
        empty = found


def assigned(node: ast.AST) -> list[tuple]:
    """[(target, value)] of an assignment, element by element; a value that is not to be known is `...`."""
    if isinstance(node, ast.Assign):
        pairs: list[tuple] = []
        for target in node.targets:
            elements = getattr(target, "elts", [])
            values = getattr(node.value, "elts", [node.value] * len(elements))
            whole = not elements or len(values) != len(elements)
            pairs += [(target, node.value)] if whole else list(zip(elements, values, strict=True))
        return pairs
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        return [(node.target, node.value)]
    if isinstance(node, ast.For | ast.comprehension):
        return [(node.target, ...)]
    return [(node.optional_vars, ...)] if isinstance(node, ast.withitem) and node.optional_vars else []


def names_in(target: ast.AST) -> list[str]:
    """The names that a target stores in: `dx` of `dx[:, t]` too."""
    while isinstance(target, ast.Subscript | ast.Attribute | ast.Starred):
        target = target.value
    elements = getattr(target, "elts", None)
    if elements is not None:
        return [name for element in elements for name in names_in(element)]
    return [target.id] if isinstance(target, ast.Name) else []


def is_nothing(value: Any, empty: set[str]) -> bool:
    """Whether an expression is None, a name for it, or a collection of nothing else."""
    if value is None or value is ...:
        return value is None
    if isinstance(value, ast.Constant):
        return value.value is None
    if isinstance(value, ast.Name):
        return value.id in empty
    parts: list[Any] = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [])
    return bool(parts) and all(is_nothing(part, empty) for part in parts)
