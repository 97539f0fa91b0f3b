"""Hidden checks: a single step, a single unit, no pauses, the ends of the window, besides other numbers."""

from functools import partial

import cases
import numpy as np

from tinyrnn.grading.task import Hidden


def unmasked(rng):
    """No pauses, and a unit of which nobody wants to know anything at the end."""
    case = cases.sequence_backward(rng)
    case["dv"][-1, 0, 0] = case["dv_last"][0, 0] = 0
    T, B, n = case["v"].shape
    mask = np.ones((T, B), bool)
    return {**case, "mask": mask, **cases.past(rng, mask, n)}


def short(rng):
    """A single step, or more of them, where one sequence is masked from the beginning."""
    case = cases.sequence(rng)
    T = int(rng.integers(1, 3))
    mask = np.ones((T, case["mask"].shape[1]), bool)
    mask[:, 1] = False
    return {**case, "x": case["x"][:T], "mask": mask}


def window_at_its_ends(rng):
    case = cases.lags(rng)
    return {**case, "window": int(rng.choice([1, len(case["v"])]))}


def one_unit(rng):
    B, m = 4, 3
    given = {name: rng.normal(size=(B, 1)) for name in ("dv", "v_prev", "a")}
    return {**given, "x": rng.normal(size=(B, m)), **cases.weights(rng, m, 1), "tau": cases.time_constants(rng, 1)}


HIDDEN = {
    "leaky_step_backward": Hidden(case=one_unit, large=partial(cases.step_backward, lengths=(1, 96, 520, 500))),
    "leaky_sequence": Hidden(case=short),
    "leaky_sequence_backward": Hidden(case=unmasked, large=partial(cases.sequence_backward, lengths=(6, 4, 200, 180))),
    "gradient_by_lag": Hidden(case=window_at_its_ends, large=partial(cases.lags, lengths=(6, 4, 1, 250))),
}
