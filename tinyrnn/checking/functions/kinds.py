"""What kind of wrong a gradient is, told from numbers alone."""

import numpy as np

from tinyrnn.checking.differences import SAME, constant_factor, same


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
    conjugates: {name: gradient with the complex conjugate of that array}."""

    def __init__(self, lengths=None, others=None, value=None, arrays=None, bad=None, parts=None, conjugates=None):
        self.parts, self.conjugates = parts or {}, conjugates or {}
        self.bad = bad
        self.lengths, self.others, self.value = lengths or {}, others or {}, value
        self.arrays = arrays or {}


def not_finite(got, expected, context):
    """A teller: (kind, phrases) if NaN or infinity is in it; else None."""
    if not np.isfinite(got).all():
        word = "NaN" if np.isnan(got).any() else "infinity"
        return "not finite", [f"there is {word} in it"]
    return None


def zero(got, expected, context):
    """A teller: (kind, phrases) if all of it is zero; else None."""
    return None if got.any() else ("zero", ["it is zero everywhere"])


def sign(got, expected, context):
    """A teller: (kind, phrases) if it is minus what it should be; else None."""
    return ("sign", ["its sign is wrong everywhere"]) if alike(got, -expected) else None


def conjugate(got, expected, context):
    """A teller: (kind, phrases) if it is complex, and the conjugate of what it should be; else None."""
    if np.iscomplexobj(got) and alike(got, expected.conj()):
        return "conjugate", [
            "it is the complex conjugate: right by JAX's convention dL/dRe - i dL/dIm, not by dL/dRe + i dL/dIm"
        ]
    return None


def transposed(got, expected, context):
    """A teller: (kind, phrases) if its last two axes, of equal length, are swapped; else None."""
    if got.ndim >= 2 and got.shape[-1] == got.shape[-2] and alike(got.swapaxes(-1, -2), expected):
        return "transposed", ["it is transposed"]
    return None


def factor(got, expected, context):
    """A teller: (kind, phrases) if it is a real multiple: a mean for a sum, say, if by a length; else None."""
    known = np.isfinite(expected)
    ratio = constant_factor(got[known], expected[known])
    if ratio is None or np.iscomplexobj(ratio):
        return None
    for length, what in context.lengths.items():
        if length > 2 and np.isclose(abs(ratio), 1 / length, rtol=1e-6):
            return "mean for sum", [
                f"it is {ratio:.4g} = 1/{length} of what it should be: a mean over {what} where there is a sum?"
            ]
        if length > 2 and np.isclose(abs(ratio), length, rtol=1e-6):
            return "sum for mean", [
                f"it is {ratio:.4g} times what it should be: a sum over {what} where there is a mean?"
            ]
    return "factor", [f"it is {ratio:.6g} times what it should be everywhere"]


def another(got, expected, context):
    """A teller: (kind, phrases) if it equals the true gradient of another array of its shape; else None."""
    for name, other in context.others.items():
        if other.shape == got.shape and np.isfinite(other).any() and not alike(other, expected) and alike(got, other):
            return f"gradient of {name}", [f"it is the gradient of {name}"]
    return None


def reversed_(got, expected, context):
    """A teller: (kind, phrases) if it is flipped along an axis, or rolled by one; else None."""
    for axis in range(got.ndim):
        if got.shape[axis] > 1 and alike(np.flip(got, axis), expected):
            return "reversed", [f"it is in the opposite order along axis {axis}"]
        for shift in (1, -1):
            if got.shape[axis] > 2 and alike(np.roll(got, shift, axis), expected):
                return "shifted", [f"it is shifted by one along axis {axis}"]
    return None


def one_sample(got, expected, context):
    """Only part of what should be summed: told from the gradient of one sample's share of the outputs."""
    for sentence, part in context.parts.items():
        if part.shape == got.shape and alike(got, part):
            return "part of a sum", [sentence]
    return None


def not_conjugated(got, expected, context):
    """A teller: (kind, phrases) if it is right with the conjugate of some array in that array's place; else None."""
    for name, other in context.conjugates.items():
        if other.shape == got.shape and np.isfinite(other).all() and alike(got, other):
            return "conjugate", [f"it is what it should be with the complex conjugate of {name}: one is missing"]
    return None


def magnitude(got, expected, context):
    """A teller: (kind, phrases) if it is real, and the absolute value of what it should be; else None."""
    if not np.iscomplexobj(got) and alike(got, abs(expected)):
        return "absolute value", ["it is the absolute value of what it should be"]
    return None


def averaged(got, expected, context):
    """A gradient that was summed or averaged over an axis and spread out again."""
    if not np.isfinite(expected).all():
        return None
    for axis in range(got.ndim):
        if got.shape[axis] > 1 and not alike(got, expected):
            total = expected.sum(axis=axis, keepdims=True)
            for word, spread in (("summed", total), ("averaged", total / got.shape[axis])):
                if spread.any() and alike(got, np.broadcast_to(spread, got.shape)):
                    return f"{word} over an axis", [f"it is {word} over axis {axis} and spread out again"]
    return None


def one_entry(got, expected, context):
    """A teller: (kind, phrases) if one entry alone is wrong, of several that are known; else None."""
    places = np.argwhere(where_wrong(got, expected, context))
    if len(places) == 1 and np.isfinite(expected).sum() > 1:
        return "one entry", [f"only entry {shown(places[0])} is wrong"]
    return None


def one_slice(got, expected, context):
    """Wrong in one row or column or step."""
    for axis, n, wrong in slices(got, expected, context):
        if len(wrong) == 1:
            which = {0: "the first", n - 1: "the last"}.get(int(wrong[0]), f"number {wrong[0]}")
            inner = whole_part(got.take(wrong, axis), expected.take(wrong, axis), context)
            return "one slice", [f"only {which} along axis {axis} is wrong", *inner]
    return None


def most_slices(got, expected, context):
    """Right in one row or column or step, or wrong in a block of them."""
    for axis, n, wrong in slices(got, expected, context):
        if len(wrong) == n - 1 and n > 3:
            right = int(np.setdiff1d(np.arange(n), wrong)[0])
            which = {0: "the first", n - 1: "the last"}.get(right, f"number {right}")
            return "all but one slice", [f"only {which} along axis {axis} is right"]
        if np.array_equal(wrong, np.arange(wrong[0], wrong[-1] + 1)):
            inner = whole_part(got.take(wrong, axis), expected.take(wrong, axis), context)
            return "block", [f"only {wrong[0]} to {wrong[-1]} along axis {axis} are wrong", *inner]
        fine = np.setdiff1d(np.arange(n), wrong)
        if n > 5 and np.array_equal(fine, np.arange(fine[0], fine[-1] + 1)):
            return "all but a block", [f"only {fine[0]} to {fine[-1]} along axis {axis} are right"]
    return None


def slices(got, expected, context):
    """(axis, its length, indices along it where something is wrong), for axes along which not everything is."""
    bad = where_wrong(got, expected, context)
    for axis, n in enumerate(got.shape):
        wrong = np.flatnonzero(bad.any(axis=tuple(k for k in range(got.ndim) if k != axis)))
        if n > 2 and 0 < len(wrong) < n:
            yield axis, n, wrong


def where_wrong(got, expected, context):
    """Booleans of the array's shape: those the context knows, else those of `off`."""
    return off(got, expected) if context.bad is None else context.bad


def whole_part(got, expected, context):
    """[phrase] if a part is zero, has the wrong sign or is a multiple; else []."""
    for tell in (zero, sign, factor):
        found = tell(got, expected, context)
        if found:
            return [f"there {found[1][0]}"]
    return []


def clipped(got, expected, context):
    """A teller: (kind, phrases) if its wrong entries, not all, share one magnitude below the true ones; else None."""
    bad = where_wrong(got, expected, context)
    if bad.sum() < 1 or np.iscomplexobj(got) or bad.all():
        return None
    limit = abs(got[bad])
    if (
        np.ptp(limit) <= SAME * limit.max()
        and limit.max()
        and (abs(expected[bad]) > limit.min()).all()
        and bad.sum() > 1
    ):
        return "clipped", [f"it is clipped at {limit.max():.4g}"]
    return None


def reordered(got, expected, context):
    """The right numbers in other places."""
    if np.iscomplexobj(got) or not np.isfinite(expected).all() or got.size < 3:
        return None
    if got.ndim > 1 and alike(got.ravel(), expected.ravel(order="F")):
        return "another order", ["it is flattened in one order and unfolded in the other: order='C' for 'F'"]
    if alike(np.sort(got, axis=None), np.sort(expected, axis=None)) and len(np.unique(expected)) > 2:
        return "another order", ["it has the right numbers in other places"]
    return None


def partly_zero(got, expected, context):
    """A teller: (kind, phrases) if all its wrong entries are zero; else None."""
    bad = where_wrong(got, expected, context)
    if bad.any() and not got[bad].any():
        return "partly zero", [f"{bad.sum()} of its entries are zero that should not be"]
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
    not_finite, zero, rounded, one_entry, nearly, sign, conjugate, transposed, factor, another, reversed_, magnitude,
    averaged, one_sample, not_conjugated, clipped, one_slice, by_slices, reordered, most_slices, partly_zero, term,
)  # fmt: skip


def alike(a, b):
    """Whether two arrays agree wherever both are known; false where hardly anything is."""
    known = np.isfinite(a) & np.isfinite(b)
    return bool(known.sum() >= min(2, a.size) and same(a[known], b[known], 1e-6))


def off(got, expected):
    """Booleans: where two arrays differ by more than 1e-6 of the largest entry of either; false at NaN."""
    scale = np.nanmax(abs(expected), initial=0) or 1.0
    with np.errstate(invalid="ignore"):
        return abs(got - expected) > 1e-6 * max(scale, np.nanmax(abs(got)))


def shown(index):
    """An index as text: `[0, 2]`."""
    return f"[{', '.join(str(int(k)) for k in index)}]"
