"""Functions on PyTorch tensors or JAX arrays, as functions on NumPy arrays: both in terms that the check understands.

What is checked is what `torch.autograd` or `jax.vjp` returns for them, so a hand-written `torch.autograd.Function` or
`jax.custom_vjp` is held against numerical derivatives like any other. Neither library is needed to import this.
"""

import contextlib
import inspect
import sys

import numpy as np

from tinyrnn.checking.functions.leaves import MOST_DEEP
from tinyrnn.sources.calling import call


def adapted(subject, given, args=()):
    """(subject, given) with a function on tensors or JAX arrays replaced by a pair of functions on NumPy arrays."""
    torch = sys.modules.get("torch")
    if torch is not None and inspect.isclass(subject) and issubclass(subject, torch.autograd.Function):
        subject = subject.apply
    if not given or not callable(subject) or any(callable(g) for g in given if not is_foreign(g)):
        return subject, given
    values = (*as_tuple(given[0]), *args)
    kind = next((kind for value in walk(values) if (kind := foreign_kind(value))), None)
    if kind is None:
        return subject, given
    make = torch_pair if kind == "torch" else jax_pair
    forward, backward = make(subject, values)
    return (forward, backward), (dict(zip(names_of(subject, len(values)), map(to_numpy, values), strict=True)),)


def names_of(function, number):
    """The names of a function's first arguments; of a `torch.autograd.Function`, those of its forward pass."""
    owner = getattr(function, "__self__", None)
    try:
        names = list(inspect.signature(owner.forward if inspect.isclass(owner) else function).parameters)
    except (TypeError, ValueError, AttributeError):
        names = []
    names = names[1:] if inspect.isclass(owner) else names
    return names[:number] if len(names) >= number else [f"x{k}" for k in range(number)]


def as_tuple(value):
    """A tuple of the entries of a tuple or list; (value,) for anything else."""
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def walk(value, deep=0):
    """What is in nested tuples, lists and dicts, one after the other, down to a depth of `MOST_DEEP`."""
    if isinstance(value, tuple | list) and deep < MOST_DEEP:
        for entry in value:
            yield from walk(entry, deep + 1)
    elif isinstance(value, dict) and deep < MOST_DEEP:
        yield from walk(list(value.values()), deep + 1)
    else:
        yield value


def foreign_kind(value):
    """ "torch" or "jax" for an array of theirs."""
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and isinstance(value, torch.Tensor):
        return "torch"
    return "jax" if jax is not None and isinstance(value, jax.Array) else None


def is_foreign(value):
    """Whether it is a PyTorch tensor or a JAX array."""
    return foreign_kind(value) is not None


def mapped(value, change):
    """A nest with every array or tensor changed."""
    if isinstance(value, dict):
        return {key: mapped(entry, change) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        entries = [mapped(entry, change) for entry in value]
        return type(value)(*entries) if hasattr(value, "_fields") else type(value)(entries)
    return change(value)


def to_numpy(value):
    """The nest with tensors and JAX arrays copied to NumPy arrays, off any device; all else as it is."""

    def change(entry):
        if foreign_kind(entry) == "torch":
            return entry.detach().cpu().numpy().copy()
        return np.array(entry) if foreign_kind(entry) == "jax" else entry

    return mapped(value, change)


def numpy_call(arguments):
    """(call, arguments), both in NumPy's terms: call(function, arguments) takes arrays and returns arrays, whatever the
    function is on. It is not differentiated: f and its gradient are two functions."""
    values = list(arguments.values())
    on_tensors = any(foreign_kind(value) == "torch" for value in walk(values))

    def tensor(entry):
        torch = sys.modules["torch"]
        return torch.from_numpy(np.array(entry)) if isinstance(entry, np.ndarray | np.generic) else entry

    def call_it(function, given):
        with double_precision():
            returned = call(function, mapped(given, tensor) if on_tensors else given)
        return to_numpy(returned) if any(map(is_foreign, walk(returned))) else returned

    return call_it, to_numpy(arguments) if any(map(is_foreign, walk(values))) else arguments


def double_precision():
    """Within it JAX computes in float64, if it is there at all."""
    jax = sys.modules.get("jax")
    if jax is None:
        return contextlib.nullcontext()
    return jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64()


def torch_pair(function, values):
    """Forward and backward pass of a function on tensors, on NumPy arrays; the gradients are those of autograd."""
    import torch

    def tensors(arrays):
        def change(entry):
            if not isinstance(entry, np.ndarray | np.generic):
                return entry
            made = torch.from_numpy(np.array(entry))
            return made.requires_grad_() if made.is_floating_point() or made.is_complex() else made

        return [mapped(entry, change) for entry in arrays]

    def forward(*arrays):
        given = tensors(arrays)
        with torch.enable_grad():
            outputs = function(*given)
        return mapped(outputs, to_numpy), (given, outputs)

    def backward(upstream, cache):
        given, outputs = cache
        wanted = [t for t in walk(given) if isinstance(t, torch.Tensor) and t.requires_grad]
        outs = [o for o in walk(outputs) if isinstance(o, torch.Tensor) and o.requires_grad]
        above = [torch.from_numpy(np.array(u)) for u in walk(upstream)]
        found = iter(torch.autograd.grad(outs, wanted, above[: len(outs)], allow_unused=True))

        def gradient(entry):
            if not (isinstance(entry, torch.Tensor) and entry.requires_grad):
                return None
            got = next(found)
            return np.zeros(entry.shape) if got is None else to_numpy(got)

        return tuple(mapped(entry, gradient) for entry in given)

    return named(forward, backward, function)


def jax_pair(function, values):
    """The same of a function on JAX arrays; its gradients of complex arrays are conjugated to dL/dRe + i dL/dIm."""
    import jax

    def forward(*arrays):
        with double_precision():
            outputs, pull = jax.vjp(function, *arrays)
        return mapped(outputs, np.array), (pull, outputs)

    def backward(upstream, cache):
        with double_precision():
            pull, outputs = cache
            pulled = pull(jax.tree.map(lambda u, o: np.conj(np.asarray(u, o.dtype)), upstream, outputs))
        return tuple(mapped(entry, lambda g: np.conj(np.array(g))) for entry in pulled)

    return named(forward, backward, function)


def named(forward, backward, function):
    """(forward, backward), renamed in place after the function, or the class it is a method of."""
    owner = getattr(function, "__self__", function)
    name = getattr(owner, "__qualname__", type(function).__name__)
    forward.__qualname__, backward.__qualname__ = name, f"gradient of {name}"
    return forward, backward
