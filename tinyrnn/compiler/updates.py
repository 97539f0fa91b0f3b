"""An optimiser's `update`, compiled: one pass over a parameter, its gradient and what is remembered of it.

The source is run once on arrays that note down what is done to them, as a cell's steps are (`tinyrnn.compiler.trace`);
they may be changed in place here, for that is what an update does. Numbers that differ from step to step, the rate and
what is made of the number of steps, are `LateNumber`: the expression is kept, and its value handed to the kernel.
"""

import operator

import numpy as np

from tinyrnn.compiler.draft import make_draft, traced_source
from tinyrnn.compiler.kernels import Kernel, Prepared, address
from tinyrnn.compiler.nodes import Untraceable
from tinyrnn.compiler.toolchain import NoCompiler
from tinyrnn.compiler.trace import Trace
from tinyrnn.compiler.traced import Traced
from tinyrnn.core.backend import cores

LENGTH = 64  # entries that the kernel takes as a row; what is left over is updated as the source stands
WORTH_A_THREAD = 2**16  # entries


class LateNumber:
    """A number that is known when the kernel runs: `value(known)`, known: name -> number."""

    def __init__(self, value):
        self.value = value


def arithmetic(function, swapped=False):
    """A method of `LateNumber` for an operation with a number; with anything else Python asks the other operand."""

    def method(self, other):
        if not isinstance(other, int | float):
            return NotImplemented
        return LateNumber(lambda known: function(*((other, self.value(known))[:: 1 if swapped else -1])))

    return method


for name in ("add", "sub", "mul", "truediv", "pow"):
    function = getattr(operator, name)
    setattr(LateNumber, f"__{name}__", arithmetic(function))
    setattr(LateNumber, f"__r{name}__", arithmetic(function, swapped=True))


class InPlace(Traced):
    """An array that may be changed in place, as a whole: from then on it is what it was changed to."""

    def become(self, value):
        """Take another's values."""
        self.view = value.view
        return self

    def __setitem__(self, key, value):
        if key is not Ellipsis:
            raise Untraceable("changes a part of an array in place")
        self.become(value)

    def __isub__(self, other):
        return self.become(self - other)

    def __iadd__(self, other):
        return self.become(self + other)

    def __imul__(self, other):
        return self.become(self * other)


class UpdateTrace(Trace):
    """A trace that knows numbers that are known later."""

    def __init__(self, dtype):
        super().__init__(dtype)
        self.late = []

    def wrap(self, value):
        """As `Trace.wrap`; a `LateNumber` becomes a parameter of the kernel."""
        if not isinstance(value, LateNumber):
            return super().wrap(value)
        if value not in self.late:
            self.late.append(value)
        return self.param(f"number_{self.late.index(value)}", np.zeros(()))

    def array(self, name):
        """The array `name`, which may be changed."""
        return InPlace(self, self.row(name, (LENGTH,)).view, 1)


def draft_update(optimiser, dtype):
    """(the kernel's draft, the numbers that it is handed) of an optimiser's `update`, or raises Untraceable.

    The gradient is multiplied by the number "scale" first, and decays the weights as the optimiser says.
    """
    trace = UpdateTrace(dtype)
    arrays = {name: trace.array(name) for name in ("p", "g", *optimiser.start)}
    before = {name: array.view for name, array in arrays.items()}
    copy = object.__new__(type(optimiser))
    copy.__dict__.update(vars(optimiser), t=LateNumber(lambda known: known["t"]))
    p, g = arrays["p"], arrays["g"] * LateNumber(lambda known: known["scale"])
    g = g + optimiser.weight_decay * p if optimiser.weight_decay else g
    with traced_source():
        copy.update(LateNumber(lambda known: known["lr"]), p, g, **{name: arrays[name] for name in optimiser.start})
    views = {f"new_{name}": a.view for name, a in arrays.items() if a.view is not before[name]}
    return make_draft("update", f"{optimiser.name}, an update", views, trace), trace.late


class UpdateKernel(Kernel):
    """A compiled update: `step` changes one parameter."""

    def __init__(self, optimiser, dtype):
        draft, self.late = draft_update(optimiser, dtype)
        super().__init__(draft, "update", dtype)
        order = [int(name.removeprefix("number_")) for name in draft.code.params]
        self.late = [self.late[k] for k in order]

    def numbers(self, **known):
        """The numbers of this step, as the kernel reads them, `Prepared`."""
        values = np.array([late.value(known) for late in self.late], self.dtype)
        first, size = address(values), self.dtype.itemsize
        return Prepared([first + k * size for k in range(len(values))], [], [], values)

    def step(self, arrays, numbers, threads):
        """Change in place the arrays "p" and those remembered, all as large as p and contiguous; "g" is read only. The
        entries behind the last whole row are left: returns how many those are."""
        rows, rest = divmod(arrays["p"].size, LENGTH)
        entries = {name: (address(array), 0, LENGTH * self.dtype.itemsize, 0) for name, array in arrays.items()}
        table = [entries[name.removeprefix("new_")] for name in self.draft.code.arrays]
        pieces = max(1, min(threads, rows * LENGTH // WORTH_A_THREAD))
        self.take_from(table, numbers, range(1), rows, pieces, threads)
        return rest


class Updates:
    """Runs an optimiser's updates by kernels, where these can be made; threads: for what is large, None: all cores."""

    def __init__(self, threads=None):
        self.threads, self.kernels = threads or cores(), {}

    def __reduce__(self):
        """A copy starts without kernels, which are loaded code."""
        return Updates, (self.threads,)

    def kernel(self, optimiser, dtype):
        """The `UpdateKernel` for this dtype and what the optimiser is set to, or None where there can be none."""
        settings = {name: v for name, v in vars(optimiser).items() if isinstance(v, int | float | str)}
        key = dtype, *((name, v) for name, v in settings.items() if name not in ("t", "lr"))
        if key not in self.kernels:
            try:
                self.kernels[key] = UpdateKernel(optimiser, dtype)
            except (Untraceable, NoCompiler):  # what keeps a cell from being compiled is told already
                self.kernels[key] = None
        return self.kernels[key]

    def step(self, optimiser, params, grads, lr, scale):
        """Change what can be of the parameters, in place; returns the rest: name -> how many entries at its end."""
        ready, left = {}, {}  # dtype -> the kernel and the numbers of this step
        for name, p in params.items():
            arrays = {"p": p, "g": grads[name], **optimiser.memory[name]}
            if p.size < LENGTH or not all(fits(array, p.dtype) for array in arrays.values()):
                left[name] = p.size
                continue
            if p.dtype not in ready:
                kernel = self.kernel(optimiser, p.dtype)
                ready[p.dtype] = kernel, kernel and kernel.numbers(t=optimiser.t, lr=lr, scale=scale)
            kernel, numbers = ready[p.dtype]
            left[name] = p.size if kernel is None else kernel.step(arrays, numbers, self.threads)
        return left


def fits(array, dtype):
    """Whether a kernel for numbers of this dtype can read the array, and write to it."""
    is_real = dtype in (np.float32, np.float64)
    return is_real and type(array) is np.ndarray and array.dtype == dtype and array.flags.c_contiguous
