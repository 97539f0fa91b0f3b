"""Hidden checks of exercise 3: besides other numbers, the corners in which shortcuts show."""

from functools import partial

import cases

from tinyrnn.grading import Hidden


def coupled(rng):
    """Some pre-activations in the hundreds, where a careless sigmoid overflows."""
    given = cases.coupled(rng)
    given["x"][0] *= 300
    given["x"][1] *= -300
    return given


def any_mask(rng, T=7, B=5):
    """(T, B): pauses anywhere, at the first step and at the last too, and one sequence that never takes part."""
    mask = rng.random((T, B)) < 0.6
    mask[0, 0], mask[-1, 0], mask[:, 1] = False, False, False
    return mask


def sequence(rng):
    return cases.sequence(rng, any_mask(rng))


def sequence_backward(rng):
    return cases.sequence_backward(rng, any_mask(rng))


def long_sequence_backward(rng):
    return cases.sequence_backward(rng, any_mask(rng), lengths=(150, 160))


LARGE = (1, 96, 420, 450)  # T, B, m, n: of complex steps, even of whole columns, there are too many

HIDDEN = {
    "coupled_step": Hidden(case=coupled),
    "coupled_sequence": Hidden(case=sequence),
    "coupled_step_backward": Hidden(large=partial(cases.coupled_backward, lengths=LARGE)),
    "coupled_sequence_backward": Hidden(case=sequence_backward, large=long_sequence_backward),
    "mgu_step_backward": Hidden(large=partial(cases.minimal_backward, lengths=LARGE)),
}
