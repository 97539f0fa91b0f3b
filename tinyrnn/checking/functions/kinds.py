"""What kind of wrong a gradient is, told from numbers alone."""

import numpy as np

from tinyrnn.checking.differences import constant_factor
from tinyrnn.checking.functions import places, whole
from tinyrnn.checking.functions.whole import alike


def kind_of_wrong(got, expected, context):
    """(kind, phrases) of how `got` differs from `expected`, arrays of one shape; NaN where it is not known.

    The kind is one word or two; the first phrase is the sentence for it. context: `Context`.
    """
    for tell in TELLERS:
        found = tell(got, expected, context)
        if found is not None:
            return found
    return "other", ["no simple relation to what it should be"]


class Context:
    """What may explain a wrong gradient. lengths: {length: what has it}. others: {name: true gradient of another
    array}. value: the array itself. arrays: {name: other arrays of the shape}, such as the upstream. bad: where it is
    wrong, booleans. parts: {sentence: gradient of a part of the loss}.
    conjugates: {name: gradient with the complex conjugate of that array}. places, places_are_all, directions: those of
    a `Found`."""

    def __init__(self, lengths=None, others=None, value=None, arrays=None, bad=None, parts=None, conjugates=None):
        self.parts, self.conjugates = parts or {}, conjugates or {}
        self.places, self.places_are_all, self.directions = [], True, 0
        self.bad = bad
        self.lengths, self.others, self.value = lengths or {}, others or {}, value
        self.arrays = arrays or {}


def not_finite(got, expected, context):
    """A teller: (kind, phrases) if NaN or infinity is in it; else None."""
    if not np.isfinite(got).all():
        word = "NaN" if np.isnan(got).any() else "infinity"
        return "not finite", [f"there is {word} in it"]
    return None


def term(got, expected, context):
    """Something is added or missing: a multiple of the array itself, a constant, the upstream."""
    missing = np.where(np.isfinite(expected), expected - got, np.nan)
    known = np.isfinite(missing)
    if known.sum() < 3:
        return None
    arrays = (
        {"the array itself": context.value}
        | context.arrays
        | {f"the gradient of {n}": o for n, o in context.others.items()}
    )
    for name, array in arrays.items():
        if array is None or np.shape(array) != got.shape or np.iscomplexobj(array) != np.iscomplexobj(got):
            continue
        weight = constant_factor(missing[known], array[known]) if abs(array[known]).max() else None
        if weight is not None:
            what = "is missing" if weight > 0 else "is in it that does not belong there"
            decay = " (weight decay?)" if name == "the array itself" else ""
            return "term", [f"{abs(weight):.4g} times {name} {what}{decay}"]
    if np.ptp(missing[known]) <= 1e-6 * abs(missing[known]).max():
        return "constant", [f"it is off by the same number, {-missing[known][0]:.4g}, everywhere"]
    for axis in range(missing.ndim) if known.all() and missing.ndim > 1 else ():
        if missing.shape[axis] > 1 and np.ptp(missing, axis).max() <= 1e-6 * abs(missing).max():
            return "constant by slices", [
                f"what is missing is the same all along axis {axis}: a mean, or a sum, over it?"
            ]
    return None


def by_slices(got, expected, context):
    """A factor that depends on one index alone."""
    for axis in range(got.ndim):
        if got.ndim < 2 or got.shape[axis] < 2 or got.size // got.shape[axis] < 2:
            continue
        g = np.moveaxis(got, axis, 0).reshape(got.shape[axis], -1)
        e = np.moveaxis(expected, axis, 0).reshape(got.shape[axis], -1)
        ratios = [
            constant_factor(a[np.isfinite(b)], b[np.isfinite(b)]) if np.isfinite(b).sum() > 1 else None
            for a, b in zip(g, e, strict=True)
        ]
        ratios = [1.0 if r is None and alike(a, b) else r for r, a, b in zip(ratios, g, e, strict=True)]
        if all(r is not None and np.isrealobj(r) for r in ratios):
            some = ", ".join(f"{r:.6g}" for r in ratios[:4]) + (", …" if len(ratios) > 4 else "")
            return "factor by slices", [
                f"it is off by a factor that depends on the index along axis {axis} alone: {some}"
            ]
    return None


def rounded(got, expected, context):
    """A teller: (kind, phrases) if its error is below 2e-7 of the largest entry, as in single precision; else None."""
    known = np.isfinite(expected)
    if abs(got - expected)[known].max() < 2e-7 * abs(expected[known]).max():
        return "nearly right", ["its error is of the size of single precision's rounding"]
    return None


def nearly(got, expected, context):
    """A teller: (kind, phrases) if its error is below 1e-5 of the largest entry; else None."""
    known = np.isfinite(expected)
    if abs(got - expected)[known].max() < 1e-5 * abs(expected[known]).max():
        return "nearly right", [
            "it is nearly right: single precision, a stray epsilon, or a numerical derivative itself?"
        ]
    return None


TELLERS = (
    not_finite, places.boxed, whole.zero, rounded, places.one_entry, nearly, whole.sign, whole.conjugate,
    whole.transposed, whole.factor, whole.another, whole.upstream_itself, whole.reversed_, whole.magnitude,
    whole.averaged, whole.one_sample, whole.not_conjugated, places.clipped, places.about_the_diagonal,
    places.one_slice, by_slices, whole.reordered, places.most_slices, whole.signs, places.partly_zero, term,
)  # fmt: skip
