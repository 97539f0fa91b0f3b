"""Networks that are worked out on paper instead of trained: the solutions of Henaff, Szlam & LeCun (2016), section 3.

All are ordinary models, so they can be run, saved, checked, looked into, and trained further:

    task = tr.tasks.Copy(delay=100)
    model = tr.constructions.copy_solution(task, rng=0)             # a clock of rotations that recalls at T + S
    model.forward(task.batch(seed=0, step=0, size=20).x)

    tr.constructions.adding_solution()                              # one rectified linear unit, exact
    tr.constructions.adding_gates()                                 # eq. 8: an LSTM without nonlinearities, exact
    tr.constructions.adding_lstm(scale=1e-4)                        # eq. 8 in a real LSTM, wrong by about scale^2

The paper's vectors are columns, the package's rows, so the matrices in here are the paper's transposed.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy  # whose parts are loaded when they are used

from tinyrnn.cells import LSTM, Elman, LinearRNN
from tinyrnn.core.adapter import StepCell
from tinyrnn.core.backend import as_rng
from tinyrnn.core.cell import Cell
from tinyrnn.core.ops import join, split
from tinyrnn.core.types import Array, Parts, Seed, Weights
from tinyrnn.nn.heads import Readout
from tinyrnn.nn.model import Model
from tinyrnn.tasks import VariableCopy

ANGLES = ("roots", "equal", "uniform")


class Counter(NamedTuple):
    """The last unit of the copy solution, h*: what a blank and the delimiter add to it, and where it starts.

    The score of the blank is -2 h*; a symbol just read or recalled scores about 1, any other about 0.
    """

    blank: float
    delimiter: float
    start: float

    def values(self, task: Any) -> Array:
        """h* after each step of the task, (steps,)."""
        x = task.sample(0, 1).x[:, 0]  # when the delimiters come, the same in every sequence
        blank, delimiter = blank_code(task), task.symbols + 1
        return self.start + np.cumsum(self.blank * (x == blank) + self.delimiter * (x == delimiter))


def counter(task: Any, variant: str = "threshold", start: Any = None) -> Counter:
    """The `Counter` of a variant of the copy solution.

    "literal": as section 3.1.1 tells it: every blank subtracts from h*, the delimiter makes it positive. The text that
        we have gives no values; 1 and T + 2S, which is large enough to last, are ours. The blank wins until the
        delimiter comes, and that is one step too early: at that very step the blank is still due. With h* starting at
        0 the symbols being read win over the blank as well.
    "threshold": blanks add nothing and the delimiter 0.75, so that the blank scores 2 before and 1/2 after it: more
        than noise, less than a symbol recalled. Right at the delimiter too, while the noise is smaller than 1/2.
    start: h* at the beginning, -1 by default. ValueError for another variant.
    """
    start = -1.0 if start is None else float(start)
    if variant == "literal":
        return Counter(-1.0, float(task.steps), start)
    if variant == "threshold":
        return Counter(0.0, 0.75, start)
    raise ValueError(f'variant must be "literal" or "threshold", got {variant!r}')


def copy_solution(
    task: Any,
    blocks: int = 512,
    *,
    rng: Seed = None,
    variant: str = "threshold",
    start: Any = None,
    period: Any = None,
    angles: str = "roots",
    codes: Array | None = None,
) -> Model:
    """A linear-transition RNN of 2 blocks + 1 units that solves the copy task by construction (section 3.1.1).

        V = blockdiag(F_1, ..., F_d, 1),     F_j the rotation by theta_j = 2 pi l_j / (T + S),  l_j random integers
        U, W: a random unit vector for each symbol, the same going in and coming out

    After T + S steps V is the identity again, and each symbol points in its own direction for one step; at all other
    times, and for all other symbols, it is noise of variance about S / 2d (see `tinyrnn.analysis.constructed`).

    task: a `tinyrnn.tasks.Copy` in any of its variants, which gives K, S, T and the codes. blocks: d. variant, start:
    see `counter`. period, angles: see `draw_angles`; the period is T + S by default. codes: (K, 2 d), the symbols'
    vectors, drawn by default. rng draws the angles and then the codes.
    Raises ValueError for the copy task with a delimiter at a random time, for which no such solution is known (one with
    a transition for each input: `tinyrnn.analysis.multiplicative_copy`).
    """
    if isinstance(task, VariableCopy):
        raise ValueError("copy-variable: the clock strikes after T + S steps, whenever the delimiter comes")
    rng, at = as_rng(rng), counter(task, variant, start)
    angles = draw_angles(blocks, clock_period(task) if period is None else period, rng, angles)
    codes = draw_codes(task.symbols, blocks, rng) if codes is None else np.asarray(codes, float)
    if codes.shape != (task.symbols, 2 * blocks):
        raise ValueError(f"codes must have shape {(task.symbols, 2 * blocks)}, got {codes.shape}")
    units, blank = 2 * blocks + 1, blank_code(task)
    first = 0 if blank else 1
    rows = slice(first, first + task.symbols)

    cell = LinearRNN(task.input_size, units, transition="identity", learn_state=True, rng=0)
    p = cell.params
    p.U[:] = 0
    p.U[rows, :-1] = codes
    p.U[blank, -1], p.U[task.symbols + 1, -1] = at.blank, at.delimiter
    p.V[:-1, :-1] = rotations(angles).T  # rows here, columns in the paper
    p.h_0[-1] = at.start
    readout = Readout(units, task.output_size, bias=False, rng=0)
    W = readout.params.W  # one column a class; the delimiter's, where there is one, stays zero
    W[:] = 0
    W[:-1, rows] = codes.T
    W[-1, blank] = -2
    return Model(cell, readout, loss=task.loss, at=task.readout)


def clock_period(task: Any) -> int:
    """T + S, the number of steps from reading a symbol to saying it."""
    return task.steps - task.length


def blank_code(task: Any) -> int:
    """The class number of the blank, which depends on how the task numbers its symbols."""
    return 0 if task.codes == "blank-first" else task.symbols


def draw_angles(blocks: int, period: Any, rng: Seed = None, kind: str = "roots") -> Array:
    """(blocks,) angles of rotation.

    kind: "roots": 2 pi l / period with integers l uniform in 0 ... period - 1; "equal": one such angle, l not 0, for
    all; "uniform": anywhere on the circle, with no common period; or the angles themselves, an array (blocks,).
    """
    for name, value in (("blocks", blocks), ("period", period)):
        if not isinstance(value, int | np.integer) or value < 1:
            raise ValueError(f"{name} must be a positive integer, got {value!r}")
    if not isinstance(kind, str):
        given = np.asarray(kind, float)
        if given.shape != (blocks,):
            raise ValueError(f"angles must have shape ({blocks},), got {given.shape}")
        return given
    rng = as_rng(rng)
    if kind == "roots":
        return 2 * np.pi * rng.integers(0, period, blocks) / period
    if kind == "equal":
        return np.full(blocks, 2 * np.pi * rng.integers(1, max(period, 2)) / period)
    if kind == "uniform":
        return rng.uniform(0, 2 * np.pi, blocks)
    raise ValueError(f"angles must be one of {', '.join(ANGLES)}, or an array, got {kind!r}")


def draw_codes(symbols: int, blocks: int, rng: Seed = None) -> Array:
    """(symbols, 2 blocks): rows uniform on the unit sphere."""
    codes = as_rng(rng).normal(size=(symbols, 2 * blocks))
    return codes / np.linalg.norm(codes, axis=1, keepdims=True)


def rotations(angles: Array) -> Array:
    """blockdiag(F_1, ..., F_d), (2 d, 2 d), for column vectors: F_j turns by angles[j]. angles (d,)."""
    c, s = np.cos(angles), np.sin(angles)
    return scipy.linalg.block_diag(*np.array([[c, -s], [s, c]]).transpose(2, 0, 1))


def elman_of(model: Model, scale: float = 1e-3) -> Model:
    """An Elman network with tanh that does what a `Model` of a linear-transition RNN does (section 2.1 of the paper).

    Its state is scale times the other's, so small that tanh z = z - z^3/3 is a straight line to about scale^2, and its
    readout divides by the scale. The other way round there is no such thing: a state that never passes through a
    nonlinearity makes nothing that is not linear in earlier states.
    Raises ValueError for another model, such as one whose inputs pass through a nonlinearity, and a scale of 0 or less.
    """
    linear, readout = model.layers, model.readout
    if not isinstance(linear, LinearRNN) or linear.activation != "identity" or type(readout) is not Readout:
        raise ValueError("elman_of needs a Model of a LinearRNN without an activation, and a plain readout")
    if not scale > 0:
        raise ValueError(f"scale must be positive, got {scale!r}")
    cell = Elman(linear.input_size, linear.hidden_size, learn_state=linear.learn_state, rng=0)
    cell.params.W_x[:], cell.params.W_h[:], cell.params.b[:] = scale * linear.params.U, linear.params.V, 0
    if linear.learn_state:
        cell.params.h_0[:] = scale * linear.params.h_0
    if "b" in linear.params:
        cell.params.b[:] = scale * linear.params.b
    large = Readout(readout.input_size, readout.output_size, bias=readout.bias, rng=0)
    large.params.update({name: value / (scale if name == "W" else 1) for name, value in readout.params.items()})
    return Model(cell, large, loss=model.loss, at=model.at)


# adding ---------------------------------------------------------------------------------------------------------------


def adding_solution(units: int = 1) -> Any:
    """The exact solution of the adding task (section 3.2.1): h_t = h_{t-1} + relu(x1_t + x2_t - 1), and h_T is the sum.

    A value without a mark is at most 1 and adds nothing; one with a mark adds itself. Either channel may be the mark.
    units: the redundant version of section 3.3, V = 1 (all rotations by 0) and the mean of so many equal units.
    """
    cell = LinearRNN(2, units, activation="relu", transition="identity", rng=0)
    cell.params.U[:] = 1
    cell.params.b[:] = -1
    return adding_model(cell, 1 / units)


def adding_gates(channels: str = "value-mark") -> Any:
    """The adding solution as an LSTM without its nonlinearities (eq. 8): g = x1, i = x2, f = 1, o = 1. Exact.

    The cell is `linear_lstm_step` with its backward pass, in the contract for students' cells. channels: as in
    `tinyrnn.tasks.Adding`.
    """
    value, mark = channel_numbers(channels)
    W_x, b = np.zeros((2, 4)), np.array([0.0, 1.0, 1.0, 0.0])  # gates i, f, o, g
    W_x[mark, 0] = W_x[value, 3] = 1
    params = {"W_x": W_x, "W_h": np.zeros((1, 4)), "b": b}
    cell = StepCell(
        linear_lstm_step, linear_lstm_step_backward, params=params, input_size=2, state_sizes={"h": 1, "c": 1}
    )
    return adding_model(cell, 1)


def adding_lstm(scale: float = 1e-4, gate: float = 40.0, channels: str = "value-mark") -> Any:
    """Eq. 8 in a real `LSTM` of one unit, whose tanh and sigmoid are still there.

    g = tanh(scale x1) and tanh(c) are linear for small arguments, and the readout divides by the scale: too small by at
    most 10/3 scale^2 (of tanh z = z - z^3/3 for each addend and for their sum, the former at most 1, the latter 2).
    i = sigmoid(gate (2 x2 - 1)) is open at a mark and shut elsewhere, f = o = sigmoid(gate): wrong by about e^-gate for
    every step, nothing at all from 40 on in double precision.
    """
    for name, number in (("scale", scale), ("gate", gate)):
        if not number > 0:
            raise ValueError(f"{name} must be positive, got {number!r}")
    value, mark = channel_numbers(channels)
    cell = LSTM(2, 1, rng=0)
    p = cell.params
    p.W_x[:], p.W_h[:] = 0, 0
    p.W_x[mark, 0], p.W_x[value, 3] = 2 * gate, scale
    p.b[:] = -gate, gate, gate, 0
    return adding_model(cell, 1 / scale)


def adding_model(cell: Cell, weight: float) -> Model:
    """The cell with a readout that multiplies its output by `weight`."""
    readout = Readout(cell.output_size, 1, bias=False, rng=0)
    readout.params.W[:] = weight
    return Model(cell, readout, loss="squared_error", at="last")


def channel_numbers(channels: str) -> tuple[int, int]:
    """The numbers of the value's and the mark's channel."""
    if channels not in ("value-mark", "mark-value"):
        raise ValueError(f'channels must be "value-mark" or "mark-value", got {channels!r}')
    return (0, 1) if channels == "value-mark" else (1, 0)


def linear_lstm_step(params: Weights, x: Array, state: Parts) -> tuple[Parts, Any]:
    """An LSTM whose sigmoid and tanh have been taken away: c = f c_prev + i g and h = o c, all of them linear in x."""
    h_prev, c_prev = state
    a = x @ params["W_x"] + h_prev @ params["W_h"] + params["b"]
    i, f, o, g = split(a, 4)
    c = f * c_prev + i * g
    h = o * c
    return (h, c), {"x": x, "h_prev": h_prev, "c_prev": c_prev, "i": i, "f": f, "o": o, "g": g, "c": c}


def linear_lstm_step_backward(params: Weights, cache: Any, dstate: Any) -> tuple[Array, Parts, Weights]:
    """The backward pass of `linear_lstm_step`."""
    dh, dc = dstate
    do = dh * cache["c"]
    dc = dc + dh * cache["o"]  # c feeds both h and the next step's c
    df = dc * cache["c_prev"]
    di = dc * cache["g"]
    dg = dc * cache["i"]
    dc_prev = dc * cache["f"]
    da = join(di, df, do, dg)
    dx, dh_prev = da @ params["W_x"].T, da @ params["W_h"].T
    dparams = {"W_x": cache["x"].T @ da, "W_h": cache["h_prev"].T @ da, "b": da.sum(axis=0)}
    return dx, (dh_prev, dc_prev), dparams
