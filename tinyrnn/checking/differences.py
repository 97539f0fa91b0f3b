"""Says how a wrong gradient differs from the true one: everywhere by a factor, in one gate, at one step, in one row
…"""

import numpy as np

SAME = 1e-7  # relative: two arrays that differ by less hold the same numbers


def same(a, b, tolerance=SAME):
    """Whether two arrays hold the same numbers, to rounding."""
    if a.shape != b.shape or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return False
    scale = max(abs(a).max(initial=0), abs(b).max(initial=0))
    return bool(scale == 0 or abs(a - b).max(initial=0) <= tolerance * scale)


def worst_entry(got, expected):
    """Index of the entry that differs most; None for arrays of different shapes."""
    if got.shape != expected.shape or got.size == 0:
        return None
    difference = np.where(np.isfinite(got), abs(got - expected), np.inf)
    return np.unravel_index(int(difference.argmax()), got.shape)


def describe(got, expected, *, sizes=(), gates=(), times=None, others=None):
    """What can be said of how `got` differs from `expected`, a list of phrases, the most telling first.

    got, expected: arrays (n, ...), n values in the order of the forward pass. sizes: (letter, number) by which a factor
    may be called, such as ("B", 3). gates: names of blocks along the last axis. times: what the n values are, such as
    "step"; None if there is only one. others: name -> array (n, ...), true gradients it may have been taken for.
    """
    if got.shape != expected.shape:
        return describe_shape(got[0] if len(got) else got, expected[0])
    if not np.isfinite(got).all():
        return ["it is not finite (NaN or infinity)"]
    if not got.any():
        return ["it is zero everywhere"]
    phrases = []
    for phrase in (whole(got, expected, sizes), *(taken_for(got, expected, others or {}))):
        if phrase:
            phrases.append(phrase)
    if not phrases:
        where, got, expected = regions(got, expected, gates, times)
        phrases += where
        inner = whole(got, expected, sizes) if where else None
        if inner:
            phrases.append(f"there {inner}")
    if not phrases and abs(got - expected).max() < 1e-5 * abs(expected).max():
        phrases.append("it is nearly right: single precision, a stray epsilon or a numerical derivative?")
    return phrases


def describe_shape(got, expected):
    """Phrases on two arrays of different shapes: the shapes, and a transposition or missing sum over an axis."""
    phrases = [f"it has shape {got.shape} where {expected.shape} belongs"]
    if got.T.shape == expected.shape and same(got.T, expected):
        return ["it is transposed", *phrases]
    for axis in range(got.ndim):
        if same(got.sum(axis=axis), expected):
            return [*phrases, f"it is not summed over axis {axis}"]
    return phrases


def whole(got, expected, sizes):
    """A relation that holds for the whole array: sign, factor, transposition, reversal; or None."""
    if same(got, -expected):
        return "its sign is wrong"
    if np.iscomplexobj(got) and same(got, expected.conj()):
        return "it is the complex conjugate of what it should be"
    factor = constant_factor(got, expected)
    if factor is not None:
        return f"it is {name_factor(factor, sizes)} times what it should be"
    if got.ndim == 3 and got.shape[1] == got.shape[2] and same(got.swapaxes(1, 2), expected):
        return "it is transposed"
    if len(got) > 1 and same(got[::-1], expected):
        return "it is in the opposite order in time"
    return None


def constant_factor(got, expected):
    """The number k with got = k expected, not 1; None if there is none or fewer than two entries are not zero."""
    used = abs(expected) > 1e-6 * abs(expected).max(initial=0)
    if used.sum() < 2 or same(got, expected):  # one number is always some multiple of another
        return None
    ratio = (got[used] / expected[used])[0] if np.iscomplexobj(got) else np.median(got[used] / expected[used])
    return ratio.item() if ratio and same(got, ratio * expected) else None


def name_factor(factor, sizes):
    """`B`, `1/T`, `-2` or a number."""
    for sign, size in (("", factor), ("-", -factor)):
        for name, number in sizes:
            if number > 2 and np.isclose(size, number, rtol=SAME):
                return f"{sign}{name} = {sign}{number}"
            if number > 2 and np.isclose(size, 1 / number, rtol=SAME):
                return f"{sign}1/{name} = {sign}1/{number}"
    return f"{factor:.6g}"


def taken_for(got, expected, others):
    """Phrases for arrays it equals, or from which it differs by exactly one of them."""
    missing = expected - got
    for name, other in others.items():
        if other.shape != got.shape or not other.any() or same(other, expected):
            continue
        if same(got, other):
            yield f"it is {name}"
        elif same(missing, other):
            yield f"{name} is missing from it"
        elif same(-missing, other):
            yield f"it has {name} in it that does not belong there"


def regions(got, expected, gates, times):
    """(phrases, got, expected) of the part of the arrays in which they differ."""
    phrases = []
    bad = abs(got - expected) > SAME * max(abs(expected).max(), abs(got).max())
    n = len(got)
    if times and n > 1:
        steps = [t for t in range(n) if bad[t].any()]
        if 0 < len(steps) < n:
            phrases.append(describe_steps(steps, n, times))
            got, expected, bad = got[steps], expected[steps], bad[steps]
    if len(gates) > 1 and got.ndim > 1 and got.shape[-1] % len(gates) == 0 and got.shape[-1] > len(gates):
        blocks = np.array_split(np.arange(got.shape[-1]), len(gates))
        wrong = [k for k, block in enumerate(blocks) if bad[..., block].any()]
        if 0 < len(wrong) < len(gates):
            names = ", ".join(gates[k] for k in wrong)
            phrases.append(f"only gate {names} is wrong" if len(wrong) == 1 else f"only the gates {names} are wrong")
            keep = np.concatenate([blocks[k] for k in wrong])
            got, expected, bad = got[..., keep], expected[..., keep], bad[..., keep]
    for axis, what in ((1, "row"), (2, "column")):
        if (got.ndim <= 2 and axis == 2) or got.ndim <= axis or got.shape[axis] == 1:
            continue
        over = tuple(k for k in range(got.ndim) if k != axis)
        wrong = np.flatnonzero(bad.any(axis=over))
        if len(wrong) == 1:
            phrases.append(f"only {what} {wrong[0]} is wrong")
            got, expected, bad = (a.take(wrong, axis=axis) for a in (got, expected, bad))
    return phrases, got, expected


def describe_steps(steps, n, times):
    """A phrase on which of n steps are wrong: the first, the last, all but one of these, or their numbers."""
    if steps == [0]:
        return f"only the first {times} is wrong"
    if steps == [n - 1]:
        return f"only the last {times} is wrong"
    if steps == list(range(n - 1)):
        return f"the last {times} is right and all before it are wrong: look at what comes from the later {times}"
    if steps == list(range(1, n)):
        return f"only the first {times} is right"
    return f"wrong at {times}s {', '.join(map(str, steps))}"
