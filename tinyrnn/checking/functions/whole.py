"""Tellers of what is wrong with a gradient as a whole: a sign, a factor, a transpose, the gradient of another array."""

import numpy as np

from tinyrnn.checking.differences import constant_factor, same


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


def upstream_itself(got, expected, context):
    """A teller: (kind, phrases) if it equals the gradient from above; else None."""
    for name, other in context.arrays.items():
        if alike(got, other) and np.isfinite(expected).sum() > 1:
            return "upstream", [f"it is {name} itself: the function's own derivative is missing"]
    return None


def signs(got, expected, context):
    """A teller: (kind, phrases) if it is real, and wrong by nothing but the sign of some entries; else None."""
    if np.iscomplexobj(got) or not alike(abs(got), abs(expected)):
        return None
    flipped = np.isfinite(expected) & (np.sign(got) != np.sign(expected)) & (expected != 0)
    return "sign", [f"its sign is wrong in {flipped.sum()} of {np.isfinite(expected).sum()} entries, nothing else"]


def reversed_(got, expected, context):
    """A teller: (kind, phrases) if it is flipped along an axis, or shifted by one along it; else None."""
    for axis in range(got.ndim):
        if got.shape[axis] > 1 and alike(np.flip(got, axis), expected):
            return "reversed", [f"it is in the opposite order along axis {axis}"]
        for shift in (1, -1):
            lost = np.arange(1, got.shape[axis]) if shift == 1 else np.arange(got.shape[axis] - 1)
            moved = np.roll(got, shift, axis).take(lost, axis)
            if got.shape[axis] > 3 and alike(moved, expected.take(lost, axis)) and varied(moved):
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


def reordered(got, expected, context):
    """The right numbers in other places."""
    if np.iscomplexobj(got) or not np.isfinite(expected).all() or got.size < 3:
        return None
    if got.ndim > 1 and alike(got.ravel(), expected.ravel(order="F")):
        return "another order", ["it is flattened in one order and unfolded in the other: order='C' for 'F'"]
    if alike(np.sort(got, axis=None), np.sort(expected, axis=None)) and len(np.unique(expected)) > 2:
        return "another order", ["it has the right numbers in other places"]
    return None


def varied(values):
    """Whether at least three different numbers are known of an array, so that agreement is no accident."""
    return len(np.unique(values[np.isfinite(values)])) > 2


def alike(a, b):
    """Whether two arrays agree wherever both are known; false where hardly anything is."""
    known = np.isfinite(a) & np.isfinite(b)
    return bool(known.sum() >= min(2, a.size) and same(a[known], b[known], 1e-6))
