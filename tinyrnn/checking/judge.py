"""When is a gradient wrong? The verdict on an array whose gradient is known by hand and by two numerical derivatives.

The error of an entry is |by hand - numerical| / scale, where scale is the largest gradient in its block (a gate of a
parameter, a time step of the inputs), but at least FLOOR times the largest gradient of all: rounding errors are of the
size of the loss, not of the block, and a gradient that is zero but found as 1e-17 has no error of 1. A row holds the
largest error of its entries. The complex step is the oracle, to COMPLEX_TOLERANCE; central differences are a second
opinion, and judge alone, to CENTRAL_TOLERANCE, where a forward pass is not fit for complex numbers.

Where the two numerical derivatives disagree, the one-sided ones are asked. If left and right differ, and still do at a
tenth of the step, the entry sits on a kink (ReLU at 0, clipping at its limit): there every value between the two is
right, and so is the one that belongs to the branch which the forward pass takes.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from tinyrnn.checking.numeric import central_differences, complex_step, one_sided
from tinyrnn.checking.report import Row
from tinyrnn.checking.side_effects import describe_error
from tinyrnn.core.backend import to_numpy

COMPLEX_TOLERANCE = 1e-9
CENTRAL_TOLERANCE = 1e-6
FLOOR = 1e-3
KINK_STEPS = (1e-4, 1e-5)
DIFFERENT = 1e-5  # of the scale: derivatives that differ by more are not two measurements of the same thing

WHOLE = (None, None, ...)  # the row of a whole array: gate, time step, index


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
    """Set `complex` of every check; raises `Unfit` at the first that fails or discards an imaginary part."""
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
    """The `Row` of one block. error, central_error: relative, arrays; kink: booleans; fit: complex steps were taken."""
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
