"""Whether what came back is right, and if not, what a human would say about it.

Structure, shape, kind of number and finiteness are judged before any value. The error of an array is its largest
difference from what was expected, relative to the largest entry expected; where only zeros were expected, relative to
the largest number among the inputs (1 if there is none). What is said of a wrong array is feedback; a fault in saying
it does not change the verdict.
"""

import numpy as np

from tinyrnn.checking.differences import SAME, constant_factor, describe, same
from tinyrnn.grading.task import EXACT, Finding
from tinyrnn.grading.wording import printable

NUMBERS = {"f": "float64", "c": "complex128", "i": "integers", "u": "integers", "b": "booleans"}
NUMERICAL = 1e-8  # relative errors up to here come from numerical derivatives, up to SINGLE from single precision
SINGLE = 1e-5
MOST_LOOKED_AT = 100_000  # entries of an array of another shape, in which it is looked for what they might be
MOST_NAMED = 5  # of keys that do not belong there


def compare(names, returned, expected, tolerance=EXACT, inputs=None, axis=""):
    """One `Finding` for each of `names`, the outputs of a task, in their order.

    returned: what the student's function gave: one value, or a tuple or list of as many as there are names, or a dict
    with the names as keys. Nothing is taken for granted of it. expected: dict name -> array. inputs: the arguments of
    the call, for the scale of zeros and for what is said. axis: what the first axis counts, as of `Task`. Never raises
    for anything in `returned`.
    """
    parts, problem = split(names, returned)
    if problem:
        return [Finding(name, False, problem) for name in names]
    return [compare_one(name, parts.get(name), expected, tolerance, inputs or {}, axis) for name in names]


def split(names, returned):
    """(dict name -> value, what is wrong with the structure or ""). Names that are missing in a dict are left out."""
    if isinstance(returned, dict) and (len(names) > 1 or set(names) & set(returned)):
        unknown = [key for key in returned if key not in names]
        if unknown:
            said = [printable(str(key)[:30]) for key in unknown[:MOST_NAMED]]
            said += [f"{len(unknown) - MOST_NAMED} more"] if len(unknown) > MOST_NAMED else []
            return {}, f"the dict has {listed(said)} in it; asked for: {listed(names)}"
        return {name: returned[name] for name in names if name in returned}, ""
    if len(names) == 1:
        if isinstance(returned, tuple | list) and len(returned) == 1:
            return {}, f"a {type(returned).__name__} of one came where the array itself belongs: a comma too many?"
        return {names[0]: returned}, "nothing was returned: is `return` missing?" if returned is None else ""
    if returned is None:
        return {}, f"nothing was returned where {listed(names)} belong: is `return` missing?"
    if not isinstance(returned, tuple | list):
        return {}, f"{what(returned)} came where {len(names)} values belong: {listed(names)}"
    if len(returned) != len(names):
        return {}, f"{len(returned)} values came where {len(names)} belong: {listed(names)}"
    return dict(zip(names, returned, strict=True)), ""


def compare_one(name, value, expected, tolerance, inputs, axis=""):
    """The `Finding` on one output. expected: dict name -> array, of all outputs; inputs: the arguments of the call."""
    right = np.asarray(expected[name])
    scalars = {key: a for key, a in inputs.items() if isinstance(a, float)}
    inputs = {key: a for key, a in inputs.items() if isinstance(a, np.ndarray) and a.dtype.kind in "fc"}
    got, message, came = as_array(value, right)
    if got is None:
        return Finding(name, False, f"{name}: {message}", described(right), came)
    if got.shape != right.shape:
        return Finding(name, False, f"{name}: {about_shape(got, right)}", str(right.shape), str(got.shape))
    message = about_kind(got, right)
    if message:
        return Finding(name, False, f"{name}: {message}", described(right), described(got))
    if right.dtype.kind not in "fc":
        wrong = got != right
        if not wrong.any():
            return Finding(name, True)
        index, came, wanted = first(wrong, got, right)
        count = f"{int(wrong.sum())} of {wrong.size} are wrong; first wrong value{index}: " if wrong.size > 1 else ""
        return Finding(name, False, f"{name}: {count}{came} came where {wanted} belongs", wanted, came)
    finite = np.isfinite(got)
    if not finite.all():
        index, came, wanted = first(~finite, got, right)
        return Finding(name, False, f"{name}: {came} came{index} where {wanted} belongs", wanted, came)
    error = relative_error(got, right, inputs)
    if error <= tolerance:
        return Finding(name, True)
    try:
        said = about_values(name, got, right, error, expected, inputs, scalars, axis)
    except Exception:  # it is wrong, whatever can be said about it
        said = ["wrong"]
    bound = tolerance * largest(right)
    with np.errstate(all="ignore"):
        index, came, wanted = first(~(abs(got - right) <= bound), got, right)
    where = f"first wrong value{index}: " if got.size > 1 else ""
    said.append(f"{where}{came} came where {wanted} belongs")
    return Finding(name, False, f"{name}: {'; '.join(said)}", wanted, came)


def as_array(value, right):
    """(array, "", "") for a number or an array; else (None, what is wrong, what came)."""
    if value is None:
        return None, "it was not returned", "None"
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in NUMBERS:
        return np.asarray(value), "", ""
    if isinstance(value, bool | int | float | complex):
        whole = isinstance(value, int) and not isinstance(value, bool)
        wanted = {"f": np.float64, "c": np.complex128}.get(right.dtype.kind, np.int64 if whole else None)
        try:  # a number of Python's is as good as any other: it has no precision of its own
            return np.asarray(value, dtype=wanted if whole or isinstance(value, float) else None), "", ""
        except (OverflowError, TypeError, ValueError):
            return None, "the number is too large", "a huge number"
    hint = ": np.array(…) makes one of it" if isinstance(value, list) else ""
    return None, f"{what(value)} came where an array belongs{hint}", what(value)


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


def about_kind(got, right):
    """What is wrong with the kind of the numbers, or ""."""
    kinds = {"u": "i"}
    asked, came = (kinds.get(a.dtype.kind, a.dtype.kind) for a in (right, got))
    if asked != came:
        hint = {("f", "c"): ": is .real missing?", ("f", "i"): ": made by np.zeros(…, dtype=int) or // ?"}
        return f"{kind_of(got)} came where {kind_of(right)} belong{hint.get((asked, came), '')}"
    if asked in "fc" and got.dtype.itemsize < right.dtype.itemsize:
        return f"{got.dtype} came where {kind_of(right)} belongs: single precision somewhere"
    return ""


def relative_error(got, right, inputs):
    """The largest difference, relative to the largest entry of `right`; 0.0 for empty arrays. Both finite."""
    if right.size == 0:
        return 0.0
    with np.errstate(all="ignore"):
        scale = largest(right) or max((largest(a) for a in inputs.values()), default=0.0) or 1.0
        return float(abs(got - right).max()) / scale


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


def described(array):
    """The dtype and, unless it is a single number, the shape, as text."""
    return f"{array.dtype} {array.shape}" if array.shape else str(array.dtype)


def kind_of(array):
    """The kind of numbers in words; the dtype itself where it has less than double precision."""
    if array.dtype.kind in "fc" and array.dtype.itemsize < 8 * (1 + (array.dtype.kind == "c")):
        return str(array.dtype)
    return NUMBERS[array.dtype.kind]


def what(value):
    """What a value is, in words that need no Python."""
    if isinstance(value, np.ndarray | np.generic):
        return "an array"
    if value is None:
        return "nothing"
    return {
        "str": "a text",
        "int": "a number",
        "float": "a number",
        "complex": "a number",
        "bool": "a truth value",
    }.get(type(value).__name__, f"a {type(value).__name__}")


def listed(names):
    """Names as text: a; a and b; a, b and c."""
    names = [*map(str, names)]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
