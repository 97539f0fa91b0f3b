"""What a human would say of an array of numbers that is not the right one: transposed, half of it, of the wrong sign,
wrong in some columns alone. It is feedback: whoever calls this knows already that the array is wrong."""

import numpy as np

from tinyrnn.checking.differences import SAME, constant_factor, describe, same

NUMERICAL = 1e-8  # relative errors up to here come from numerical derivatives, up to SINGLE from single precision
SINGLE = 1e-5
MOST_LOOKED_AT = 100_000  # entries of an array of another shape, in which it is looked for what they might be


def about_shape(got, right):
    """What is said of a wrong shape, a line: transposed, an axis of length 1, a sum left out, or the shapes alone."""
    said = f"shape {got.shape} came where {right.shape} belongs"
    if got.size > MOST_LOOKED_AT or got.size == 0:
        return said
    if got.dtype.kind not in "fciub" or right.dtype.kind not in "fciub" or not np.isfinite(got).all():
        return said
    if got.ndim == 2 and got.shape == right.shape[::-1]:
        return f"{said}: transposed?" + (" The numbers are right." if same(got.T, right) else "")
    if got.size == right.size and [n for n in got.shape if n > 1] == [n for n in right.shape if n > 1]:
        return f"{said}: an axis of length 1 too {'many' if got.ndim > right.ndim else 'few'}"
    with np.errstate(all="ignore"):
        for axis in range(got.ndim):
            if same(got.sum(axis=axis), right):
                return f"{said}: it is not summed over axis {axis}"
    return said


def about_values(name, got, right, error, expected, inputs, scalars, axis=""):
    """What can be said of how numbers differ: a list of phrases. inputs, scalars: arrays and numbers among the
    arguments, by name."""
    with np.errstate(all="ignore"):
        if error <= NUMERICAL:
            return [f"nearly right, relative error {error:.0e}: a numerical derivative, or a stray epsilon?"]
        if error <= SINGLE:
            return [f"nearly right, relative error {error:.0e}: single precision, or a stray epsilon?"]
        if not got.any():
            return ["it is zero everywhere"]
        if not right.any():
            return ["it should be zero everywhere"]
        if right.dtype.kind == "c":
            return about_complex(got, right)
        factor = constant_factor(got, right)
        if factor is not None:
            return [about_factor(factor, inputs, scalars)]
        if right.size == 1:
            return []
        taken = {other: np.asarray(a) for other, a in expected.items() if other != name}
        taken |= {f"the argument {other}": a for other, a in inputs.items()}
        taken = {other: a for other, a in taken.items() if a.dtype.kind == "f" and a.shape == right.shape}
        three = [*inputs.values(), *(map(np.asarray, expected.values()) if axis else ())]
        if len(right) in {len(a) for a in three if a.ndim == 3}:
            return describe(got, right, times=axis or "step", others=taken)
        taken = {other: a[None] for other, a in taken.items()}
        said = describe(got[None], right[None], others=taken)
        return about_columns(got, right) or said if not said or said[0].startswith("only ") else said


def about_factor(factor, inputs, scalars):
    """ "half of what it should be", with the length of an axis where the factor is one."""
    if abs(factor + 1) < SAME:
        return "its sign is wrong"
    sign = "minus " if factor < 0 else ""
    size = abs(factor)
    lengths = {
        length: f"axis {axis} of {name}"
        for name, a in reversed(inputs.items())
        for axis, length in reversed([*enumerate(a.shape)])
    }
    for n in sorted({2, 3, 4, *lengths} - {0, 1}):
        where = f" ({n} is the length of {lengths[n]})" if n in lengths else ""
        if abs(size / n - 1) < SAME:
            return f"{sign}{'twice' if n == 2 else f'{n} times'} what it should be{where}"
        if abs(size * n - 1) < SAME:
            return f"{sign}{'half' if n == 2 else f'1/{n}'} of what it should be{where}"
    for n, name, shape in products(inputs):
        if abs(size * n - 1) < SAME or abs(size / n - 1) < SAME:
            said = f"1/{n} of" if size < 1 else f"{n} times"
            return f"{sign}{said} what it should be ({n} is {' × '.join(map(str, shape))}, axes 0 and 1 of {name})"
    for name, value in scalars.items():
        for word, number in ((name, value), (f"1 - {name}", 1 - value), (f"{name} squared", value**2)):
            if value and number and abs(factor / number - 1) < SAME:
                return f"{factor:.6g} times what it should be, which is {word}"
            if value and number and abs(factor * number - 1) < SAME:
                return f"{factor:.6g} times what it should be, which is 1 / {f'({word})' if '-' in word else word}"
    return f"{factor:.6g} times what it should be"


def products(inputs):
    """(their product, name, (length, length)) of the first two axes of each argument that has three: what a mean over
    steps and sequences divides by."""
    return [(a.shape[0] * a.shape[1], name, a.shape[:2]) for name, a in inputs.items() if a.ndim == 3]


def about_complex(got, right):
    """What relates complex numbers to the right ones (sign, conjugate, 1j or -1j, one part): a list of at most one."""
    for phrase, value in (
        ("its sign is wrong", -right),
        ("it is the complex conjugate", right.conj()),
        ("it is 1j times what it should be", 1j * right),
        ("it is -1j times what it should be", -1j * right),
    ):
        if same(got, value):
            return [phrase]
    if same(got.real, right.real):
        return ["the real part is right, the imaginary part is not"]
    if same(got.imag, right.imag):
        return ["the imaginary part is right, the real part is not"]
    return []


def about_columns(got, right):
    """Which columns, entries or rows are wrong, where it is not all of them, and by what factor."""
    wrong = abs(got - right) > SAME * largest(right)
    words = {right.ndim - 1: "column" if right.ndim > 1 else "entry", 0: "row" if right.ndim > 1 else "entry"}
    for axis, word in words.items():
        which = np.flatnonzero(wrong.any(axis=tuple(k for k in range(right.ndim) if k != axis)))
        if 0 < len(which) < right.shape[axis]:
            many = {"entry": "entries"}.get(word, f"{word}s")
            few = f"only {word} {which[0]} is" if len(which) == 1 else f"only {many} {ranges(which)} are"
            factor = constant_factor(got.take(which, axis), right.take(which, axis))
            there = "" if factor is None else f", there {about_factor(factor, {}, {})}"
            return [f"{few} wrong (of {right.shape[axis]}){there}"]
    return []


# small things ---------------------------------------------------------------------------------------------------------


def ranges(which):
    """ "0 to 4, 10 to 14" for the numbers in an array in ascending order; cut short where there are many ranges."""
    parts = np.split(which, np.flatnonzero(np.diff(which) > 1) + 1)
    texts = [f"{part[0]} to {part[-1]}" if len(part) > 1 else f"{part[0]}" for part in parts]
    return ", ".join(texts[:6]) + (" …" if len(texts) > 6 else "")


def largest(array):
    """The size of the largest entry, a float; 0 of an empty array."""
    return float(abs(array).max(initial=0.0))


def first(wrong, got, right):
    """(" at [2, 1]", what came there, what belongs there) for the first entry that is wrong."""
    index = np.unravel_index(int(wrong.argmax()), wrong.shape)
    where = f" at [{', '.join(map(str, index))}]" if index else ""
    return where, *numbers(got[index].item(), right[index].item())


def numbers(came, wanted):
    """Both as text, with as many digits as it takes to tell them apart."""
    if not isinstance(wanted, float | complex):
        return str(came)[:40], str(wanted)[:40]
    texts = ((f"{came:.{digits}g}", f"{wanted:.{digits}g}") for digits in (6, 10, 14, 17))
    return next((pair for pair in texts if pair[0] != pair[1]), (repr(came), repr(wanted)))
