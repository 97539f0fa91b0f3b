"""Whether what came back is right, and if not, what a human would say about it.

Structure, shape, kind of number and finiteness are judged before any value. The error of an array is its largest
difference from what was expected, relative to the largest entry expected; where only zeros were expected, relative to
the largest number among the inputs (1 if there is none). What is said of a wrong array is feedback; a fault in saying
it does not change the verdict.
"""

import numpy as np

from tinyrnn.grading.differing import about_shape, about_values, first, largest
from tinyrnn.grading.task import EXACT, Finding, Source
from tinyrnn.grading.wording import printable

NUMBERS = {"f": "float64", "c": "complex128", "i": "integers", "u": "integers", "b": "booleans"}
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


def first_changed(before, after):
    """Name of the first argument that a call has changed in place, or "". before: the arguments, a dict; after: what
    came back of them, of which nothing is taken for granted."""
    after = after if isinstance(after, dict) else {}
    return next((name for name in before if name not in after or not same(before[name], after[name])), "")


def same(one, other):
    """Whether an argument is what it was: arrays to the byte. Functions are not sent back, and count as such."""
    if isinstance(one, Source):
        return True
    if isinstance(one, np.ndarray | np.generic):
        alike = isinstance(other, np.ndarray) and (other.dtype.name, other.shape) == (one.dtype.name, one.shape)
        return alike and np.asarray(one, other.dtype).tobytes() == other.tobytes()
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        return isinstance(other, list | tuple) and len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and (one == other or one != one)


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


# small things ---------------------------------------------------------------------------------------------------------


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
