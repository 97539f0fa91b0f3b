"""The gradient checkers, each as a function of a `Problem`: what it says is ("right" | "wrong" | other, words).

`Inexpressible`: this checker cannot be asked, for what is checked is complex, or has no form that it takes. Every
checker has its own default tolerances, but for SciPy, which returns a number and leaves it to the reader.
"""

import logging

import numpy as np

from .planting import seed_global_state
from .verify import upstream_like


class Inexpressible(Exception):
    pass


def is_real(value):
    return np.issubdtype(np.asarray(value).dtype, np.inexact)


def as_list(back):
    return list(back) if isinstance(back, tuple | list) else [back]


def tinyrnn(problem):
    import tinyrnn as tr

    if problem.way == "together":
        report = tr.gradcheck(*problem.arguments, jac=True)
    else:
        report = tr.gradcheck(*problem.arguments)
    said = [f"{row.argument}: {row.kind}" for row in report.rows if row.verdict == "wrong" and row.kind]
    said += [f"{row.argument}: {row.kind}" for row in report.rows if row.verdict != "wrong" and row.kind]
    return report.verdict, said + [str(notice) for notice in report.notices]


def torch(problem):
    import torch as library

    inputs = [library.from_numpy(np.array(value)) for value in problem.inputs.values()]
    for tensor in inputs:
        tensor.requires_grad_(tensor.is_floating_point() or tensor.is_complex())

    class Function(library.autograd.Function):
        @staticmethod
        def forward(ctx, *tensors):
            out, ctx.cache = problem.forward(*[from_torch(tensor) for tensor in tensors])
            return library.as_tensor(np.asarray(out))

        @staticmethod
        def backward(ctx, upstream):
            back = as_list(problem.backward(from_torch(upstream), ctx.cache))
            return tuple(None if g is None else library.as_tensor(np.asarray(g)) for g in back)

    try:
        library.autograd.gradcheck(Function.apply, inputs)
    except library.autograd.gradcheck.__globals__["GradcheckError"] as error:
        return "wrong", [str(error).split("\n")[0]]
    return "right", []


def from_torch(tensor):
    array = tensor.detach().numpy()
    return array if array.ndim else array[()]


def scipy(problem):
    """scipy.optimize.check_grad of one random projection of the result; its number, by the gradient's norm."""
    from scipy.optimize import check_grad

    values = list(problem.inputs.values())
    if any(np.iscomplexobj(value) for value in values):
        raise Inexpressible("complex")
    moved = [k for k, value in enumerate(values) if is_real(value)]
    upstream = upstream_like(problem.forward(*map(np.copy, values))[0])

    def unpack(x):
        filled, start = list(values), 0
        for k in moved:
            shape, size = np.shape(values[k]), np.size(values[k])
            part = x[start : start + size].reshape(shape).astype(np.asarray(values[k]).dtype, copy=False)
            filled[k], start = part if shape else part[()], start + size
        return filled

    def f(x):
        return float(np.sum((np.conj(upstream) * problem.forward(*unpack(x))[0]).real))

    def grad(x):
        _, cache = problem.forward(*unpack(x))
        back = as_list(problem.backward(np.array(upstream)[()], cache))
        return np.concatenate([np.ravel(np.asarray(back[k], float)) for k in moved])

    x = np.concatenate([np.ravel(np.asarray(values[k], float)) for k in moved])
    scale = np.linalg.norm(grad(x.copy()))
    error = check_grad(f, grad, x.copy()) / (scale or 1.0)
    return ("right" if error <= scipy.threshold else "wrong"), [f"{error:.1e}"]


scipy.threshold = 1e-5  # of those in powers of ten the one that parts the development half best


def autograd(problem):
    from autograd.extend import defvjp_argnums, primitive
    from autograd.test_util import check_grads

    values = list(problem.inputs.values())
    moved = [k for k, value in enumerate(values) if is_real(value)]
    last = {}

    def full(arrays):
        filled = list(values)
        for k, array in zip(moved, arrays, strict=True):
            filled[k] = array
        return filled

    @primitive
    def function(*arrays):
        out, last["cache"] = problem.forward(*full(arrays))
        return out

    def vjps(argnums, ans, arrays, kwargs):
        def vjp(g):
            back = as_list(problem.backward(conjugate(g), last["cache"]))
            return tuple(conjugate(back[moved[k]]) for k in argnums)

        return vjp

    defvjp_argnums(function, vjps)
    arrays = [values[k] if np.ndim(values[k]) else float(values[k]) for k in moved]
    seed_global_state()  # its directions are drawn with it
    try:
        check_grads(lambda *arrays: function(*arrays), tuple(range(len(arrays))), modes=["rev"], order=1)(*arrays)
    except AssertionError as error:
        return "wrong", [str(error).strip().split("\n")[0]]
    return "right", []


def jax(problem):
    import jax as library
    from jax.test_util import check_grads

    library.config.update("jax_enable_x64", True)
    logging.getLogger("jax").setLevel(logging.CRITICAL)  # what a callback raises is raised here too
    values = list(problem.inputs.values())
    moved = [k for k, value in enumerate(values) if is_real(value)]

    def full(arrays):
        filled = list(values)
        for k, array in zip(moved, arrays, strict=True):
            filled[k] = from_jax(array)
        return filled

    def shape_of(value):
        return library.ShapeDtypeStruct(np.shape(value), np.asarray(value).dtype)

    out_shape = shape_of(problem.forward(*full([values[k] for k in moved]))[0])

    def run(*arrays):
        return np.asarray(problem.forward(*full(arrays))[0])

    def run_back(g, *arrays):
        _, cache = problem.forward(*full(arrays))
        back = as_list(problem.backward(conjugate(from_jax(g)), cache))
        return tuple(np.asarray(conjugate(back[k]), np.asarray(values[k]).dtype) for k in moved)

    @library.custom_vjp
    def function(*arrays):
        return library.pure_callback(run, out_shape, *arrays)

    def backward(arrays, g):
        return library.pure_callback(run_back, tuple(shape_of(values[k]) for k in moved), g, *arrays)

    function.defvjp(lambda *arrays: (function(*arrays), arrays), backward)
    try:
        check_grads(function, [values[k] for k in moved], order=1, modes=("rev",))
    except AssertionError as error:
        return "wrong", [str(error).strip().split("\n")[0]]
    return "right", []


def from_jax(array):
    """The array as NumPy's: read-only, as JAX's are."""
    array = np.asarray(array)
    return array if array.ndim else array[()]


def conjugate(array):
    return np.conj(array) if np.iscomplexobj(array) else array


CHECKERS = {
    "tinyrnn": tinyrnn,
    "torch.autograd.gradcheck": torch,
    "scipy.optimize.check_grad": scipy,
    "autograd check_grads": autograd,
    "jax check_grads": jax,
}
