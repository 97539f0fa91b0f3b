"""The gradient check: every hand-written gradient against two numerical ones, in a table parameter x gate x time step.

The column of time step t holds the contribution of that step alone: the engine runs the steps one by one, state and
gradient handed on, and the parameter is moved during that step only. What is wrong in one column is a mistake at that
step; what is wrong in all but the last is a mistake in what is carried back. The column "total" is the whole run, with
the engine's own time loop, masks and sums.

The error of an entry is |by hand - numerical| / scale, where scale is the largest gradient in its block (a gate of a
parameter, a time step of the inputs), but at least FLOOR times the largest gradient of all: rounding errors are of the
size of the loss, not of the block, and a gradient that is zero but found as 1e-17 has no error of 1. A row holds the
largest error of its entries. The complex step is the oracle, to COMPLEX_TOLERANCE; central differences are a second
opinion, and judge alone, to CENTRAL_TOLERANCE, where a forward pass is not fit for complex numbers.

Where the two numerical derivatives disagree, the one-sided ones are asked. If left and right differ, and still do at a
tenth of the step, the entry sits on a kink (ReLU at 0, clipping at its limit): there every value between the two is
right, and so is the one that belongs to the branch which the forward pass takes.
"""

import copy
import warnings
from dataclasses import dataclass, replace

import numpy as np

from tinyrnn.backend import as_rng, to_numpy
from tinyrnn.cell import Cell
from tinyrnn.conduct import describe_error, find_problems, has_input_gradient
from tinyrnn.layers import Composite
from tinyrnn.numeric import central_differences, complex_step, one_sided
from tinyrnn.probe import copied, learned_states, leaves, make_probe, move_params, state_names
from tinyrnn.report import Report as Report
from tinyrnn.report import Row

COMPLEX_TOLERANCE = 1e-9
CENTRAL_TOLERANCE = 1e-6
FLOOR = 1e-3
KINK_STEPS = (1e-4, 1e-5)
DIFFERENT = 1e-5  # of the scale: derivatives that differ by more are not two measurements of the same thing

WHOLE = (None, None, ...)  # the row of a whole array: gate, time step, index


def gradcheck(network, *, T=5, B=3, rng=0, x=None, state=None, perturb=0.3):
    """Check the gradients of a cell, `StepCell`, `Stack`, `Bidirectional` or `Model`; returns a `Report`.

    T, B: time steps and sequences of the probe (see `tinyrnn.probe`). rng: seed or Generator. x, state: check at these
    inputs (T, B, n) and this initial state, a tuple of arrays, instead of random ones. perturb: size of the noise added
    to the parameters, so that no bias is zero; 0 checks them as they are. The network is copied and not touched.

    Raises TypeError for what is no network, and ValueError for one that is not float64.
    """
    check_arguments(network, T, B)
    rng = as_rng(rng)
    try:
        network = copy.deepcopy(network)
    except Exception as error:
        raise TypeError(f"gradcheck works on a copy, but {network.name} cannot be: {describe_error(error)}") from error
    move_params(network, rng, perturb)
    probe = make_probe(network, T, B, rng, x, state)
    T, B = probe.x.shape[:2]
    what = repr(network) if len(repr(network)) < 80 else network.name
    report = Report(f"{what}, T={T}, B={B}")
    with np.errstate(all="ignore"):  # NaN and infinity are findings here, not warnings
        report.problems, sound = find_problems(network, probe, make_probe(network, T, B, rng))
        if sound:
            report.rows, report.notes = judge_all(list_checks(Bench(network), probe))
    return report


def check_arguments(network, T, B):
    if not isinstance(network, Cell | Composite):
        raise TypeError(f"gradcheck takes a cell, Stack, Bidirectional or Model, got {type(network).__name__}")
    if T < 1 or B < 1:
        raise ValueError(f"gradcheck needs at least one time step and one sequence, got T={T}, B={B}")
    for name, value in network.params.items():
        if value.dtype != np.float64:
            raise ValueError(
                f"gradcheck needs float64: {name} is {value.dtype}, whose rounding errors look like mistakes; "
                'build the network with dtype="float64"'
            )


# what is to be checked ------------------------------------------------------------------------------------------------


class Bench:
    """A network whose parameters are put in place anew for every call, so that no call can spoil the next."""

    def __init__(self, network):
        self.network = network
        self.places = {prefix + key: (leaf, key) for prefix, leaf in leaves(network) for key in leaf.params}
        self.params = copied(dict(network.params))

    def put(self, **changed):
        for name, (leaf, key) in self.places.items():
            leaf.params[key] = changed.get(name, self.params[name]).copy()
        return self.network

    def gradients(self, probe):
        return probe.copy().gradients(self.put())

    def loss(self, probe, **changed):
        return probe.copy().loss(self.put(**changed))

    def loss_of_param(self, probe, name):
        return lambda value: self.loss(probe, **{name: value})

    def loss_of_inputs(self, probe):
        return lambda x: self.loss(replace(probe, x=x))

    def loss_of_state(self, probe, k):
        before, after = probe.state[:k], probe.state[k + 1 :]
        return lambda value: self.loss(replace(probe, state=(*before, value, *after)))

    def loss_from_step(self, now, rest, name):
        """What a time step and those after it add to the loss, with the parameter `name` changed during that step."""

        def loss(value):
            h, tape = now.copy().forward(self.put(**{name: value}))
            if rest is None:
                return now.output_loss(self.network, h) + now.final_loss(tape.state)
            return now.output_loss(self.network, h) + self.loss(replace(rest, state=tape.state))

        return loss

    def cuts(self, name, t):
        """One row for each gate where the last axis holds several gates side by side, else one for all."""
        leaf, key = self.places[name]
        gates, shape = getattr(leaf, "gates", ()), leaf.params[key].shape
        H = leaf.hidden_size if gates else 1
        k, rest = divmod(shape[-1], H) if shape else (1, 0)
        if rest or not 1 < k <= len(gates):
            return [(None, t, ...)]
        return [(gate, t, np.s_[..., g * H : (g + 1) * H]) for g, gate in enumerate(gates[:k])]


@dataclass
class Check:
    """One array, its gradient by hand, and f, the loss as a function of it. cuts: (gate, time step, index) of rows."""

    name: str
    value: object
    by_hand: object
    f: object
    cuts: list
    total: bool = False  # one more row, for the largest error of all cuts
    central: object = None
    complex: object = None

    def __post_init__(self):
        fits = getattr(self.by_hand, "shape", None) == self.value.shape
        self.by_hand = to_numpy(self.by_hand).real if fits else np.full(self.value.shape, np.nan)


def list_checks(bench, probe):
    """A `Check` for every parameter (of a cell: at every time step too), the inputs and the initial states."""
    learned = learned_states(bench.network)  # without influence where a state is given: their turn comes last
    names = [name for name in bench.params if name not in learned]
    per_step = step_gradients(bench, probe) if isinstance(bench.network, Cell) else []
    checks = [
        Check(name, bench.params[name], back.params[name], bench.loss_from_step(now, rest, name), bench.cuts(name, t))
        for name in names
        for t, now, rest, back in per_step
    ]
    back = bench.gradients(probe)
    for name in names:
        f = bench.loss_of_param(probe, name)
        checks.append(Check(name, bench.params[name], back.params[name], f, bench.cuts(name, None)))
    if has_input_gradient(bench.network, probe):
        steps = [(None, t, np.s_[t]) for t in range(len(probe.x))]
        f = bench.loss_of_inputs(probe)
        checks.append(Check("inputs", probe.x, back.inputs, f, steps, total=True))
    for k, name in enumerate(state_names(bench.network)):
        f = bench.loss_of_state(probe, k)
        checks.append(Check(f"state.{name}", probe.state[k], back.state[k], f, [WHOLE]))
    free = replace(probe, state=None)
    back = bench.gradients(free) if learned else None
    for name in learned:
        f = bench.loss_of_param(free, name)
        checks.append(Check(name, bench.params[name], back.params[name], f, [WHOLE]))
    return checks


def step_gradients(bench, probe):
    """(t, that step's probe, the rest's, its `Gradients`) for each t, from a run in steps of one."""
    cell, T = bench.put(), len(probe.x)
    windows, tapes, state = [], [], probe.state
    for t in range(T):
        now = probe.window(t, t + 1, state)
        _, tape = now.copy().forward(cell)
        state = copied(tape.state)
        windows.append((now, probe.window(t + 1, T, state) if t + 1 < T else None))
        tapes.append(tape)
    backs, dstate = [], probe.dstate
    for (now, _), tape in zip(windows[::-1], tapes[::-1], strict=True):
        backs.insert(0, cell.backward(now.dh.copy(), tape, copied(dstate)))
        dstate = backs[0].state
    return [(t, now, rest, back) for t, ((now, rest), back) in enumerate(zip(windows, backs, strict=True))]


# the verdicts ---------------------------------------------------------------------------------------------------------


class Unfit(Exception):
    """The forward pass is not fit for the complex step; the message says how that was noticed."""


def judge_all(checks):
    """The rows for all checks, and notes."""
    for check in checks:
        check.central = central_differences(check.f, check.value)
    floor = FLOOR * max(largest(values) for check in checks for values in (check.central, check.by_hand))
    notes = [
        f"relative errors against the complex step (wrong above {COMPLEX_TOLERANCE:.0e}); "
        "central: against central differences"
    ]
    try:
        take_complex_steps(checks)
        rows = [row for check in checks for row in judge(check, floor)]
    except Unfit as reason:
        notes = [
            f"relative errors against central differences (wrong above {CENTRAL_TOLERANCE:.0e}),",
            f"as the forward pass is not fit for the complex step ({reason})",
        ]
        for check in checks:
            check.complex = None
        rows = [row for check in checks for row in judge(check, floor)]
    verdicts_on_kinks = {row.verdict for row in rows if row.kinks}
    if "kink" in verdicts_on_kinks:
        notes.append("kink: left and right derivative differ there; the gradient is one of them or between, so right")
    if "wrong" in verdicts_on_kinks:
        notes.append("wrong where several kinks meet may be right after all: check at another x, state or perturb")
    return rows, notes


def take_complex_steps(checks):
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        for check in checks:
            try:
                check.complex = complex_step(check.f, check.value)
            except Exception as error:
                raise Unfit(describe_error(error)) from error


def judge(check, floor):
    """The rows of one check. Raises `Unfit` if the complex step turns out to be off."""
    by_hand, central, fit = check.by_hand, check.central.copy(), check.complex is not None
    oracle, tolerance = (check.complex, COMPLEX_TOLERANCE) if fit else (central, CENTRAL_TOLERANCE)
    scale = np.empty(by_hand.shape)
    for _, _, cut in check.cuts:
        scale[cut] = max(largest(by_hand[cut]), largest(oracle[cut]), floor, np.finfo(float).tiny)

    kink, excused = np.zeros(by_hand.shape, bool), np.zeros(by_hand.shape, bool)
    doubtful = ~(abs((oracle if fit else by_hand) - central) <= CENTRAL_TOLERANCE * scale)
    for index in map(tuple, np.argwhere(doubtful)):
        left, right, jump = look_at_sides(check, index, scale[index])
        if jump:
            slack = CENTRAL_TOLERANCE * scale[index]
            on_branch = fit and abs(by_hand[index] - oracle[index]) <= tolerance * scale[index]
            kink[index] = True
            excused[index] = on_branch or min(left, right) - slack <= by_hand[index] <= max(left, right) + slack
        else:  # the central difference reached across a kink nearby, or f is very steep
            central[index] = (left + right) / 2
            if fit and not abs(oracle[index] - central[index]) <= DIFFERENT * scale[index]:
                raise Unfit("the imaginary part gets lost: abs, max or a cast?")

    error, central_error = (np.where(excused, 0, abs(by_hand - values) / scale) for values in (oracle, central))
    cuts = [*check.cuts, WHOLE] if check.total else check.cuts
    return [
        make_row(check.name, gate, t, error[cut], central_error[cut], kink[cut], fit, tolerance)
        for gate, t, cut in cuts
    ]


def make_row(name, gate, t, error, central_error, kink, fit, tolerance):
    kinks = int(kink.sum())
    verdict = "wrong" if not (error <= tolerance).all() else "kink" if kinks else "ok"
    worst = float(error.max())
    return Row(name, gate, t, worst, worst if fit else None, float(central_error.max()), verdict, kinks)


def look_at_sides(check, index, scale):
    """Left and right derivative in one entry, and whether they really differ: a jump that no smaller step shrinks."""
    (left, right), (left_near, right_near) = (one_sided(check.f, check.value, index, h) for h in KINK_STEPS)
    jump = abs(right_near - left_near)
    return left_near, right_near, jump > DIFFERENT * scale and jump > abs(right - left) / 10


def largest(values):
    """The largest finite magnitude; 0 if there is none."""
    return float(abs(np.where(np.isfinite(values), values, 0)).max())
