"""Hidden checks where they are not the public ones with other numbers."""

import cases

from tinyrnn.grading import Hidden


def wide(rng):
    return {**cases.unit(rng), "a": 1.0}


HIDDEN = {"leaky": Hidden(case=wide, number=2)}
