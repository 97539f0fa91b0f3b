"""Hidden checks of exercise 4: besides other numbers, clocks that stand, hands that agree, longer delays."""

from functools import partial

import cases

from tinyrnn.grading import Hidden


def clocks(rng):
    """One of the clocks stands still, another is due after one step only by the sum of its factors."""
    given = cases.clocks(rng)
    given["numbers"][0] = 0
    given["numbers"][1] = given["periods"][1] * rng.integers(1, 4)
    return given


def one_hand(rng):
    """Clocks with a single hand."""
    return {name: array[:, :1] for name, array in cases.clocks(rng).items()}


HIDDEN = {
    "first_return": Hidden(case=(clocks, one_hand)),
    "crosstalk": Hidden(case=partial(cases.crosstalk, agree=True)),
    "copying_weights": Hidden(case=partial(cases.copying, longest=60)),
}
