"""Public functions with hand-written gradients, taken from installed packages, and mistakes planted in them.

No line of those packages is kept here. A `Case` names a module of an installed package and builds a `Problem` from it;
a `Mistake` names a function in that module and replaces a few characters of its source, which is then executed in a
module of its own. SOURCES.md lists the packages, their versions and their licences.
"""

import ast
import collections
import collections.abc
import importlib.util
import inspect
import linecache
import sys
import tomllib
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np

MISTAKES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Mistake:
    """In the function `where` ("name" or "Class.name"), `old`, which must be there exactly once, becomes `new`."""

    kind: str
    where: str
    old: str
    new: str


@dataclass(frozen=True)
class Problem:
    """What a checker is given: forward(*inputs) -> result, cache; backward(upstream, cache) -> gradients, in order.

    way, arguments: how the same thing is said to a checker that takes functions in their own form: "pair", "scalar"
    (f, grad, x), "together" (a function that returns value and gradient, x) or "methods" (of one object, no cache).
    """

    forward: Callable
    backward: Callable
    inputs: dict
    way: str
    arguments: tuple


@dataclass(frozen=True)
class Case:
    """make(module) -> `Problem`. published: what the unchanged function is, "right", "wrong" or "no answer" (at a kink,
    or random, so that neither word fits). about: what is special about it ("float32", "kink", "complex" ...). take: the
    only definitions of the module that are executed; all of it if empty."""

    name: str
    module: str
    make: Callable
    published: str = "right"
    about: str = ""
    take: tuple[str, ...] = ()

    @property
    def mistakes(self):
        return [Mistake(*row) for row in MISTAKES.get(self.name, ())]

    def problem(self, mistake=None):
        return self.make(load(self, mistake))


def scalar(f, grad, x):
    """f(x) -> number, grad(x) -> array like x."""
    return Problem(lambda x: (f(x), x), lambda dy, x: dy * np.asarray(grad(x)), {"x": x}, "scalar", (f, grad, x))


def together(value_and_gradient, x):
    """value_and_gradient(x) -> number, array like x."""
    return Problem(value_and_gradient, lambda dy, g: dy * np.asarray(g), {"x": x}, "together", (value_and_gradient, x))


def pair(forward, backward, **inputs):
    """forward(*inputs) -> result, cache; backward(upstream, cache) -> a gradient for each input, None for integers."""
    names = inspect.signature(forward).parameters
    by_name = inputs if list(names) == list(inputs) else tuple(inputs.values())  # def forward(*values) has no names
    return Problem(forward, backward, inputs, "pair", (forward, backward, by_name))


def methods(forward, backward, **inputs):
    """forward(*inputs) -> result; backward(upstream) -> gradients; what is between them is kept by their object."""
    return Problem(
        lambda *args: (forward(*args), None),
        lambda upstream, _: backward(upstream),
        inputs,
        "methods",
        (forward, backward, inputs),
    )


# sources --------------------------------------------------------------------------------------------------------------


def load(case, mistake=None):
    """The module of the case, executed anew, with the mistake in it: all of it, or the definitions in `case.take`."""
    path = Path(find_source(case.module))
    source = path.read_text(encoding="utf-8")
    if mistake is not None:
        source = plant(source, mistake)
    filename = str(path) if mistake is None else f"<{path.name} with a mistake in {mistake.where}: {mistake.kind}>"
    if case.take:
        source = only(source, case.take)
        filename = f"<{path.name}: {', '.join(case.take)}, {mistake}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    module = types.ModuleType(case.module)
    module.__dict__.update(__file__=str(path), __package__=case.module.rpartition(".")[0], np=np)
    module.rules = {}
    with recorded_rules(module.rules) if case.module.startswith("autograd.") else old_names():
        exec(compile(source, filename, "exec"), module.__dict__)
    return module


def find_source(name):
    """The file of a module; without importing the module, or its package where that cannot be imported."""
    top, *rest = name.split(".")
    folder = Path(importlib.util.find_spec(top).origin).parent
    path = folder.joinpath(*rest)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def plant(source, mistake):
    """The source with the mistake in it."""
    start, end = extent(source, mistake.where)
    lines = source.splitlines(keepends=True)
    text = "".join(lines[start:end])
    if text.count(mistake.old) != 1:
        raise ValueError(f"{mistake.where} has {mistake.old!r} {text.count(mistake.old)} times, not once")
    return "".join(lines[:start]) + text.replace(mistake.old, mistake.new) + "".join(lines[end:])


def extent(source, where):
    """First line and the line after the last of a function; of the whole file for ""."""
    if not where:
        return 0, len(source.splitlines())
    node = ast.parse(source)
    for name in where.split("."):
        node = next(child for child in ast.walk(node) if getattr(child, "name", None) == name)
    return node.lineno - 1, node.end_lineno


def only(source, names):
    """Only the definitions of these names, without their decorators."""
    lines = source.splitlines(keepends=True)
    nodes = [node for node in ast.parse(source).body if getattr(node, "name", None) in names]
    return "\n".join("".join(lines[node.lineno - 1 : node.end_lineno]) for node in nodes)


def recorded_rules(rules):
    """autograd registers its gradients while a module is executed: here they are only written down."""
    import autograd.extend

    return mock.patch.object(autograd.extend, "defvjp", lambda function, *vjps, **_: rules.update({function: vjps}))


def old_names():
    """numpy-ml 0.1.2 imports a name from where Python had it until 3.9."""
    return mock.patch.object(collections, "Hashable", collections.abc.Hashable, create=True)


def seed_global_state():
    """Some of the packages, and autograd's checker, draw from NumPy's global random state."""
    np.random.seed(0)  # noqa: NPY002


def importable(name):
    """Whether the package of a module is installed."""
    return name.split(".")[0] in sys.modules or importlib.util.find_spec(name.split(".")[0]) is not None
