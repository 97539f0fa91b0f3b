"""The gradient check: every hand-written gradient against two numerical ones, in a table parameter x gate x time step.

The column of time step t holds the contribution of that step alone: the engine runs the steps one by one, state and
gradient handed on, and the parameter is moved during that step only. What is wrong in one column is a mistake at that
step; what is wrong in all but the last is a mistake in what is carried back. The column "total" is the whole run, with
the engine's own time loop, masks and sums.

What counts as wrong is settled in `tinyrnn.checking.judge`, what is no matter of numbers in
`tinyrnn.checking.side_effects`.
"""

import copy
from dataclasses import replace
from functools import partial

import numpy as np

from tinyrnn.checking.judge import WHOLE, Check, judge_all
from tinyrnn.checking.probe import copied, learned_states, leaves, move_params, state_names
from tinyrnn.checking.random_probe import make_probe
from tinyrnn.checking.report import Report as Report
from tinyrnn.checking.side_effects import Stop, attempt, describe_error, find_problems, has_input_gradient
from tinyrnn.core.backend import as_rng
from tinyrnn.core.cell import Cell
from tinyrnn.nn.layers import Composite


def check_network(network, *, T=5, B=3, rng=0, x=None, state=None, perturb=0.3):
    """Check the gradients of a cell, `StepCell`, `Stack`, `Bidirectional`, `Model` or `EncoderDecoder`; a `Report`.

    T, B: time steps and sequences of the probe (see `tinyrnn.checking.probe`). rng: seed or Generator. x, state: check
    at these inputs (T, B, n) and this initial state, a tuple of arrays, instead of random ones. perturb: size of the
    noise added to the parameters, so that no bias is zero; 0 checks them as they are. The network is copied and not
    touched.

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
    report = Report(f"{what}, T={T}, B={B}", find_lines=partial(find_lines, network))
    with np.errstate(all="ignore"):  # NaN and infinity are findings here, not warnings
        report.problems, sound = find_problems(network, probe, make_probe(network, T, B, rng))
        if sound:
            try:
                checks = attempt("the run in steps of one", list_checks, Bench(network), probe)
                report.rows, report.notes = attempt("a run beside the probe", judge_all, checks)
            except Stop as stop:
                report.problems.append(str(stop))
    return report


def find_lines(network):
    """The `tinyrnn.lines` of a network that is checked."""
    from tinyrnn.verdicts.entry import lines  # which stands on these checks

    return lines(network)


def check_arguments(network, T, B):
    """Raises TypeError for what is no network, ValueError for no steps or sequences, or parameters not float64."""
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
        """The network, its parameters replaced by copies of the first ones or, by name, of changed ones."""
        for name, (leaf, key) in self.places.items():
            leaf.params[key] = changed.get(name, self.params[name]).copy()
        return self.network

    def gradients(self, probe):
        """The `Gradients` by the backward pass under test, at a copy of a probe."""
        return probe.copy().gradients(self.put())

    def loss(self, probe, **changed):
        """The loss at a copy of a probe, a number; changed: parameters by name."""
        return probe.copy().loss(self.put(**changed))

    def loss_of_param(self, probe, name):
        """A function of one parameter's value: the loss."""
        return lambda value: self.loss(probe, **{name: value})

    def loss_of_inputs(self, probe):
        """A function of the inputs: the loss."""
        return lambda x: self.loss(replace(probe, x=x))

    def loss_of_state(self, probe, k):
        """A function of the k-th array of the initial state: the loss."""
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
