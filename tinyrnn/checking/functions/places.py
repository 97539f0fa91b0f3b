"""Tellers of where a gradient is wrong: in one entry, one row, a block; and what is there."""

import numpy as np

from tinyrnn.checking.differences import SAME
from tinyrnn.checking.functions.whole import factor, sign, zero

SOME = 6  # wrong rows beside one another, of those that were looked at, that are no accident


def one_entry(got, expected, context):
    """A teller: (kind, phrases) if one entry alone is wrong, of several that are known; else None."""
    places = np.argwhere(where_wrong(got, expected, context))
    if len(places) == 1 and np.isfinite(expected).sum() > 1:
        return "one entry", [f"{only(expected)} entry {shown(places[0])} is wrong"]
    return None


def boxed(got, expected, context):
    """A teller, of an array too large for every entry to be asked: (kind, phrases) by the boxes that are wrong."""
    if not context.places:
        return None
    told = [in_box(box, got.shape) for box in context.places]
    rest = f"all that is left agrees along {context.directions} random directions"
    if len(told) > 1 or not context.places_are_all:
        found = "; ".join(text for _, text in told)
        return "some entries", [f"{found} {'and more ' * (not context.places_are_all)}are wrong"]
    (kind, text), (box,) = told[0], context.places
    inner = [] if kind == "one entry" else whole_part(got[box], expected[box], context)
    return kind, [f"only {text} {'are' if kind == 'block' else 'is'} wrong: {rest}", *inner]


def in_box(box, shape):
    """(kind, words) for a box, slices, of an array of that shape."""
    lengths = [part.stop - part.start for part in box]
    if not sum(n > 1 for n in lengths):
        return "one entry", f"entry {shown([part.start for part in box])}"
    cut = [axis for axis, n in enumerate(shape) if lengths[axis] < n]
    if len(cut) == 1 and lengths[cut[0]] == 1:
        k = box[cut[0]].start
        which = {0: "the first", shape[cut[0]] - 1: "the last"}.get(k, f"number {k}")
        return "one slice", f"{which} along axis {cut[0]}"
    ranges = [f"{box[k].start} to {box[k].stop - 1}" if lengths[k] > 1 else str(box[k].start) for k in cut]
    if len(shape) == 1:
        return "block", f"entries {ranges[0]}"
    return "block", ", ".join(f"{part} along axis {k}" for part, k in zip(ranges, cut, strict=True)) or "all entries"


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


def about_the_diagonal(got, expected, context):
    """A teller: (kind, phrases) if a square matrix is wrong on its diagonal, or above or below it, and there alone."""
    bad = where_wrong(got, expected, context)
    if got.ndim != 2 or got.shape[0] != got.shape[1] or len(got) < 3:
        return None
    for word, k in (
        ("on", np.eye(len(got))),
        ("above", np.triu(np.ones(got.shape), 1)),
        ("below", np.tri(len(got), k=-1)),
    ):
        where = k.astype(bool)
        if (bad <= where).all() and bad.sum() > 1 and bad.sum() >= 0.8 * where.sum():
            inner = whole_part(np.where(where, got, np.nan), np.where(where, expected, np.nan), context)
            return "diagonal" if word == "on" else "triangle", [f"it is wrong {word} the diagonal alone", *inner]
    return None


def most_slices(got, expected, context):
    """Right in one row or column or step, or wrong in a block of them."""
    for axis, n, wrong in slices(got, expected, context):
        if len(wrong) == n - 1 and n > 3:
            right = int(np.setdiff1d(np.arange(n), wrong)[0])
            which = {0: "the first", n - 1: "the last"}.get(right, f"number {right}")
            return "all but one slice", [f"{only(expected)} {which} along axis {axis} is right"]
        if in_one_piece(wrong, expected, axis):
            inner = whole_part(got.take(wrong, axis), expected.take(wrong, axis), context)
            return "block", [f"{only(expected)} {wrong[0]} to {wrong[-1]} along axis {axis} are wrong", *inner]
        fine = np.setdiff1d(np.arange(n), wrong)
        if n > 5 and np.isfinite(expected).all() and np.array_equal(fine, np.arange(fine[0], fine[-1] + 1)):
            return "all but a block", [f"{only(expected)} {fine[0]} to {fine[-1]} along axis {axis} are right"]
    return None


def in_one_piece(wrong, expected, axis):
    """Whether no index along the axis between the wrong ones is right; where not all are known, for some at least."""
    known = np.flatnonzero(np.isfinite(expected).any(axis=tuple(k for k in range(expected.ndim) if k != axis)))
    between = known[(known >= wrong[0]) & (known <= wrong[-1])]
    return np.array_equal(wrong, between) and (len(wrong) >= SOME or len(between) == wrong[-1] - wrong[0] + 1)


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
