"""The gradient check: every hand-written gradient against two numerical ones, in a table parameter x gate x time step.

The column of time step t holds the contribution of that step alone, with the true gradient flow from the steps after
it: wrong in one column is a mistake at that step, wrong in all but the last is a mistake in what is carried back. The
column "total" is the whole run: the engine's time loop, masks and sums.

The error of an entry is |by hand - numerical| / scale, where scale is the largest gradient in its block (a gate of a
parameter, a time step of the inputs), but not less than FLOOR times the largest gradient of all, since rounding errors
are of the size of the loss, not of the block: a gradient that is zero and found as 1e-17 has no error of 1. A cell of
the table is the largest error of its entries. The complex step is the oracle, to COMPLEX_TOLERANCE; central differences
are a second opinion, and judge alone, to CENTRAL_TOLERANCE, where a forward pass is not fit for complex numbers.

Where the two numerical derivatives disagree, the one-sided ones are asked. If left and right differ, and go on differing
at a tenth of the step, the entry sits on a kink (ReLU at 0, clipping at its limit): there every value between the two
is right, and so is the one that the forward pass's own branch has.
"""

import copy
import warnings
from dataclasses import dataclass, field

import numpy as np

from tinyrnn.backend import as_rng, to_numpy
from tinyrnn.cell import Cell
from tinyrnn.conduct import describe_error, find_problems, has_input_gradient
from tinyrnn.layers import Composite
from tinyrnn.numeric import central_differences, complex_step, one_sided
from tinyrnn.probe import copied, learned_states, leaves, make_probe, move_params, state_names
from tinyrnn.report import Report, Row

COMPLEX_TOLERANCE = 1e-9
CENTRAL_TOLERANCE = 1e-6
FLOOR = 1e-3
KINK_JUMP = 1e-5  # left and right derivative differ by more than this, relative to the block's scale
UNFIT = 1e-4  # complex step and central differences differ by more than this where there is no kink


def gradcheck(network, *, T=5, B=3, rng=0, x=None, state=None, perturb=0.3):
    """Check the gradients of a cell, `StepCell`, `Stack`, `Bidirectional` or `Model`; returns a `Report`.

    T, B: time steps and sequences of the probe (`tinyrnn.probe`). rng: seed or Generator. x, state: check at these
    inputs and this initial state instead of random ones. perturb: size of the noise that is added to the parameters, so
    that no bias is zero; 0 checks them as they are. `network` is copied and not touched.

    Raises TypeError for anything else, and ValueError for networks that are not float64.
    """
    check_arguments(network, T, B)
    rng = as_rng(rng)
    try:
        network = copy.deepcopy(network)
    except Exception as error:
        raise TypeError(f"gradcheck works on a copy, but {network.name} refuses: {describe_error(error)}") from error
    move_params(network, rng, perturb)
    probe = make_probe(network, T, B, rng, x, state)
    other = make_probe(network, *probe.x.shape[:2], rng)
    report = Report(f"{network!r}, T={probe.x.shape[0]}, B={probe.x.shape[1]}")
    with np.errstate(all="ignore"):  # NaN and infinity are findings, not warnings
        report.problems, sound = find_problems(network, probe, other)
        if sound:
            report.rows, report.notes = judge_all(list_arrays(network, probe))
    return report


def check_arguments(network, T, B):
    if not isinstance(network, Cell | Composite):
        raise TypeError(f"gradcheck takes a cell, Stack, Bidirectional or Model, got {type(network).__name__}")
    if T < 1 or B < 1:
        raise ValueError(f"gradcheck needs at least one time step and one sequence, got T={T}, B={B}")
    for name, value in network.params.items():
        if value.dtype != np.float64:
            raise ValueError(
                f"gradcheck needs float64, but {name} is {value.dtype}, whose rounding errors are as large as those of a "
                'wrong gradient: build the network with dtype="float64"'
            )


# what is to be compared ------------------------------------------------------------------------------------------------


@dataclass
class Checked:
    """One array whose gradient is checked: `analytic` by hand, against that of `f`, loss as a function of the array."""

    name: str
    t: int | None
    value: object
    analytic: np.ndarray
    f: object
    cuts: list = field(default_factory=lambda: [(None, None, ...)])  # (block, time step, index) of each row but a total


def list_arrays(network, probe):
    """Every array to check, each with its loss function; the network must be a copy, whose parameters are moved."""
    base = copied(dict(network.params))
    places = {prefix + key: (leaf, key) for prefix, leaf in leaves(network) for key in leaf.params}
    T = len(probe.x)

    def put(**changed):
        for name, (leaf, key) in places.items():  # all of them: the forward pass may have spoilt one
            leaf.params[key] = changed.get(name, base[name]).copy()

    def loss_of_param(name, probe):
        return lambda value: (put(**{name: value}), probe.copy().loss(network))[1]

    def loss_at(change):
        return lambda value: (put(), change(value).copy().loss(network))[1]

    arrays = []
    learned = learned_states(network)
    put()
    back = probe.copy().gradients(network)
    for name, value in base.items():
        if name in learned:
            continue
        cuts = gate_cuts(value, *places[name])
        if isinstance(network, Cell):
            arrays += step_arrays(network, probe, name, value, cuts, put)
        arrays.append(Checked(name, None, value, back.params[name], loss_of_param(name, probe), cuts))
    if has_input_gradient(network, probe):
        cuts = [(None, t, np.s_[t]) for t in range(T)]
        f = loss_at(lambda value: replace(probe, x=value))
        arrays.append(Checked("inputs", None, probe.x, back.inputs, f, cuts))
    return arrays
