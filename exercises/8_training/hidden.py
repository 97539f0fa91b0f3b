"""Hidden checks: the ends of the ranges; trainings with other seeds, and other digits to learn from."""

from functools import partial

import cases
import numpy as np

from tinyrnn.grading.task import Hidden


def first_update(rng):
    """Everything remembered is zero still, t is 1, and there is no decay."""
    case = cases.nadam(rng)
    zero = np.zeros_like(case["w"])
    return {**case, "m": zero, "v": zero, "t": 1, "decay": 0.0}


def calm(rng):
    """One update and one parameter, at or below the limit or above it."""
    grads = [{"w": rng.normal(size=(4, 3))}]
    norm = float(np.sqrt((grads[0]["w"] ** 2).sum()))
    return {"grads": grads, "average": norm * float(rng.choice([0.2, 0.9, 3])), "room": 1.5}


def spread(rng):
    """One update above the limit, of which no entry is."""
    w = rng.uniform(0.9, 1.1, size=(4, 3)) * rng.choice([-1, 1], size=(4, 3))
    return {"grads": [{"w": w}], "average": 0.4 * float(np.sqrt((w**2).sum())), "room": 1.5}


def from_nothing(rng):
    """States that are zero, as at the beginning, a cell that holds nothing after the step, and a gate quite open."""
    case = cases.cell_backward(rng)
    case["h_prev"][0] = case["c_prev"][0] = case["c"][0, 0] = 0
    case["o"][1, 1] = 1
    return case


def one_unit(rng):
    case = cases.cell_backward(rng)
    n = case["f"].shape[1]
    narrow = {name: case[name][:, :1] for name in ("dh", "dc", "h_prev", "c_prev", "f", "o", "g", "c", "p")}
    return {**case, **narrow, "Wx": case["Wx"][:, ::n], "Wh": case["Wh"][:1, ::n]}


HIDDEN = {
    "nadam_step": Hidden(case=first_update),
    "clip_factors": Hidden(case=(calm, spread)),
    "cell_step_backward": Hidden(
        case=(one_unit, from_nothing), large=partial(cases.cell_backward, lengths=(96, 420, 450))
    ),
}
