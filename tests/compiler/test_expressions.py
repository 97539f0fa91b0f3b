"""Made-up steps, compiled and plain: any expression over rows that the compiler takes, it gets right.

A program is a list of instructions on a growing list of values, each (B, n); the same program runs on NumPy's arrays
and on the compiler's. Only given values are compared with numbers, so that rounding never decides a comparison.
"""

import numpy as np
import pytest
from comparing import assert_agree, compiled, needs_compiler, plain, probe_for
from comparing import cache as cache
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from odd_cells import Odd

from tinyrnn.core.backend import xp_of
from tinyrnn.core.ops import join, sigmoid, split

pytestmark = [needs_compiler, pytest.mark.usefixtures("cache")]
BOUND = {"float64": 1e-11, "float32": 2e-4}  # of the largest entry: differences of large values lose digits
N = 6
ORDER = np.array([3, 0, 5, 1, 1, 2])
OPERATIONS = {
    "tanh": lambda xp, p, x, y: xp.tanh(x),
    "sigmoid": lambda xp, p, x, y: sigmoid(x),
    "exp": lambda xp, p, x, y: xp.exp(-abs(x)),
    "expm1": lambda xp, p, x, y: xp.expm1(-(x * x)),
    "log1p": lambda xp, p, x, y: xp.log1p(abs(x)),
    "sqrt": lambda xp, p, x, y: xp.sqrt(1 + x**2),
    "sin, cos": lambda xp, p, x, y: xp.sin(xp.tanh(x)) - xp.cos(xp.tanh(y)),
    "neg": lambda xp, p, x, y: -x,
    "add": lambda xp, p, x, y: x + y,
    "sub": lambda xp, p, x, y: x - 0.5 * y,
    "mul": lambda xp, p, x, y: xp.tanh(x) * y,
    "div": lambda xp, p, x, y: x / (1 + y * y),
    "add 0, mul 1": lambda xp, p, x, y: 0 + (x + 0.0) * 1,
    "max": lambda xp, p, x, y: xp.maximum(x, y),
    "min": lambda xp, p, x, y: xp.minimum(0.3, x) + xp.maximum(y, -0.1),
    "weight": lambda xp, p, x, y: x * p.v + p.v[::-1],
    "matrix row": lambda xp, p, x, y: x * p.R[2] + y * p.R[:, 1],
    "product": lambda xp, p, x, y: x @ p.R,
    "transposed product": lambda xp, p, x, y: y + x @ p.R.T,
    "sum of products": lambda xp, p, x, y: x @ p.R + (y @ p.R.T + p.v),
    "product of a half": lambda xp, p, x, y: join(x[..., :3] @ p.R[:3, :2], y[..., 2:] @ p.R[2:, 2:]),
    "product of every other": lambda xp, p, x, y: x[..., ::-1] @ p.R[::-1],
    "swap halves": lambda xp, p, x, y: join(*split(x, 2)[::-1]),
    "thirds of both": lambda xp, p, x, y: join(split(x, 3)[2], split(y, 3)[0], split(x, 3)[0] * split(y, 3)[1]),
    "take apart and put together": lambda xp, p, x, y: join(*split(x, 3)),
    "sort by parity": lambda xp, p, x, y: join(x[..., ::2], y[..., 1::2]),
    "flip": lambda xp, p, x, y: x[..., ::-1],
    "shift": lambda xp, p, x, y: join(x[..., 1:], y[..., :1]),
    "take": lambda xp, p, x, y: xp.take(x, ORDER, axis=-1),
    "take of a flip": lambda xp, p, x, y: xp.take(x[..., ::-1], ORDER, axis=-1),
    "reshape, flip": lambda xp, p, x, y: x.reshape(len(x), 2, 3)[..., ::-1, :].reshape(x.shape),
    "matrix, column": lambda xp, p, x, y: join(*[x.reshape(len(x), 2, 3)[..., k] for k in (1, 0, 2)]),
    "sum": lambda xp, p, x, y: y * x.sum(axis=-1, keepdims=True),
    "norm": lambda xp, p, x, y: x / xp.sqrt(1 + (y * y).sum(axis=-1, keepdims=True)),
    "sum of a part": lambda xp, p, x, y: x + y[..., 1:4].sum(axis=-1)[..., None],
    "sum of groups": lambda xp, p, x, y: join(x.reshape(len(x), 2, 3).sum(axis=-1), y[..., :4]),
    "outer": lambda xp, p, x, y: (xp.tanh(x)[..., :, None] * y[..., None, :]).sum(axis=-1),
    "form": lambda xp, p, x, y: (xp.tanh(x)[..., :, None] * p.R).sum(axis=-1, keepdims=True)[..., 0],
    "one number": lambda xp, p, x, y: x * y[..., 2][..., None],
    "a column": lambda xp, p, x, y: x + xp.tanh(y[..., 4:5]),
    "zeros and ones": lambda xp, p, x, y: xp.zeros_like(x) + xp.ones_like(y) / 3,
}
COMPARISONS = {
    "where": lambda xp, c, x, y: xp.where(c > 0.1, x, y),
    "mask": lambda xp, c, x, y: x * (c > 0.1) + (c <= -0.1).astype(y.dtype) * y,
    "or": lambda xp, c, x, y: xp.where((c < -0.2) | ~(c < 0.2) & (c != 0.7), x, 0),
    "halves": lambda xp, c, x, y: x + ((c >= 0.1) / 2 + xp.where(c < 0, 3, 1) / 2).astype(x.dtype),
}

instructions = st.tuples(
    st.sampled_from([*OPERATIONS, *COMPARISONS]), st.integers(0, 99), st.integers(0, 99), st.booleans()
)
programs = st.lists(instructions, min_size=1, max_size=14)


class MadeUp(Odd):
    def __init__(self, program, **options):
        self.program = program
        super().__init__(3, N, **options)

    def f(self, p, a, h):
        xp, values, kept = xp_of(h), [h, a, 0.5 * h + a], {}
        for k, (name, i, j, keep) in enumerate(self.program):
            x, y = values[-1 - i % len(values)], values[-1 - j % len(values)]
            if name in OPERATIONS:
                values.append(OPERATIONS[name](xp, p, x, y))
            else:
                values.append(COMPARISONS[name](xp, values[i % 2], x, y))
            if keep:
                kept[f"kept_{k}"] = values[-1]
        return values[-1], kept


def check(program, dtype, masked):
    cell = MadeUp(program, rng=0, dtype=dtype)
    probe = probe_for(cell, 1, 5, np.random.default_rng(0), masked)
    fast = compiled(cell)
    h, tape = fast.forward(probe.x, probe.state, probe.mask)
    assert fast.runner.why_not == {}
    h_plain, tape_plain = plain(cell).forward(probe.x, probe.state, probe.mask)
    assert_agree({"h": h, **tape.cache}, {"h": h_plain, **tape_plain.cache}, BOUND[dtype])


EACH = [*OPERATIONS, *COMPARISONS]
TOGETHER = 9  # operations in one kernel, for it is the compiler that takes time


@pytest.mark.few(1)
@pytest.mark.parametrize("names", [EACH[k : k + TOGETHER] for k in range(0, len(EACH), TOGETHER)], ids=", ".join)
def test_each_operation_on_what_is_given_and_on_its_own_result(names):
    program = []
    for size in range(3, 3 + 2 * len(names), 2):  # of the list of values, of which the first three are given
        name = names[(size - 3) // 2]
        program += [(name, size - 3, size - 2, True), (name, 0, size - 1, True)]
    check(program, "float64", masked=False)


few = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "derandomize": True}


@settings(max_examples=4, **few)
@given(program=programs, dtype=st.sampled_from(list(BOUND)), masked=st.booleans())
def test_made_up_steps_are_compiled_right(program, dtype, masked):
    check(program, dtype, masked)


@pytest.mark.slow
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(program=programs, dtype=st.sampled_from(list(BOUND)), masked=st.booleans())
def test_many_made_up_steps_are_compiled_right(program, dtype, masked):
    check(program, dtype, masked)
