"""Tellers of where a gradient is wrong: in one entry, one row, a block; and what is there."""

import numpy as np

from tinyrnn.checking.differences import SAME
from tinyrnn.checking.functions.whole import factor, sign, zero


def one_entry(got, expected, context):
    """A teller: (kind, phrases) if one entry alone is wrong, of several that are known; else None."""
    places = np.argwhere(where_wrong(got, expected, context))
    if len(places) == 1 and np.isfinite(expected).sum() > 1:
        return "one entry", [f"{only(expected)} entry {shown(places[0])} is wrong"]
    return None


def only(expected):
    """`only`; of an array too large for every entry to be asked, with a word on how many were."""
    known = np.isfinite(expected)
    return "only" if known.all() else f"of {known.sum()} entries that were looked at, only"


def one_slice(got, expected, context):
    """Wrong in one row or column or step."""
    for axis, n, wrong in slices(got, expected, context):
        if len(wrong) == 1:
            which = {0: "the first", n - 1: "the last"}.get(int(wrong[0]), f"number {wrong[0]}")
            inner = whole_part(got.take(wrong, axis), expected.take(wrong, axis), context)
            return "one slice", [f"{only(expected)} {which} along axis {axis} is wrong", *inner]
    return None


def most_slices(got, expected, context):
    """Right in one row or column or step, or wrong in a block of them."""
    for axis, n, wrong in slices(got, expected, context):
        if len(wrong) == n - 1 and n > 3:
            right = int(np.setdiff1d(np.arange(n), wrong)[0])
            which = {0: "the first", n - 1: "the last"}.get(right, f"number {right}")
            return "all but one slice", [f"{only(expected)} {which} along axis {axis} is right"]
        if np.array_equal(wrong, np.arange(wrong[0], wrong[-1] + 1)):
            inner = whole_part(got.take(wrong, axis), expected.take(wrong, axis), context)
            return "block", [f"{only(expected)} {wrong[0]} to {wrong[-1]} along axis {axis} are wrong", *inner]
        fine = np.setdiff1d(np.arange(n), wrong)
        if n > 5 and np.array_equal(fine, np.arange(fine[0], fine[-1] + 1)):
            return "all but a block", [f"{only(expected)} {fine[0]} to {fine[-1]} along axis {axis} are right"]
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


def partly_zero(got, expected, context):
    """A teller: (kind, phrases) if all its wrong entries are zero; else None."""
    bad = where_wrong(got, expected, context)
    if bad.any() and not got[bad].any():
        return "partly zero", [f"{bad.sum()} of its entries are zero that should not be"]
    return None


def off(got, expected):
    """Booleans: where two arrays differ by more than 1e-6 of the largest entry of either; false at NaN."""
    scale = np.nanmax(abs(expected), initial=0) or 1.0
    with np.errstate(invalid="ignore"):
        return abs(got - expected) > 1e-6 * max(scale, np.nanmax(abs(got)))


def shown(index):
    """An index as text: `[0, 2]`."""
    return f"[{', '.join(str(int(k)) for k in index)}]"
