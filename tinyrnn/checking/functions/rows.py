"""A row of the report from what was found of an array."""

import numpy as np

from tinyrnn.checking.functions.forms import random_like
from tinyrnn.checking.functions.kinds import Context, kind_of_wrong
from tinyrnn.checking.functions.report import ArgumentRow, Notice
from tinyrnn.checking.functions.shaping import as_array, fitted
from tinyrnn.checking.functions.slopes import Slopes
from tinyrnn.checking.functions.whole import factor, sign

WORDS = {
    "noise": "noise of this precision",
    "jump": "discontinuous here",
    "infinite": "infinite slope here",
    "undefined": "not defined around here",
    "kink": "kink",
}


def row_of(subject, found, misshapen, report, rng):
    """The `ArgumentRow`; notices go into the report."""
    name, leaf = found.name, subject.leaves[found.name]
    verdict, kind, how = found.verdict, "", []
    asked = np.isfinite(found.numerical)
    scale = max(largest(found.claimed[asked]), largest(found.numerical)) or 1.0
    place = worst_place(found, scale)
    if misshapen is not None:
        verdict, (kind, sentence) = "wrong", misshapen
        how.append(sentence)
        if found.verdict == "right":
            how.append(
                "summed, it is right"
                if kind == "not summed"
                else "the numbers are right, the shape is not"
                if kind == "shape"
                else "turned round, it is right"
            )
        elif kind in ("not summed", "transposed"):
            kind = "shape"
    if found.verdict == "wrong" and misshapen is None:
        kind, how = describe(subject, found, report, rng)
    elif found.verdict == "not decided" and misshapen is None:
        word = next(status for status in found.status.values() if status not in ("kink", "wrong"))
        kind = WORDS.get(word, word)
        how.append(undecided_sentence(word, found, subject))
    if verdict == "right":
        kind = notice_special(subject, found, report)
    component, entry = place
    n = leaf.size
    index = tuple(int(k) for k in np.unravel_index(entry % n, leaf.shape)) if leaf.ndim else ()
    if subject.jacobian:
        index = (component, *index)
    value, numerical = found.claimed[place], found.numerical[place]
    worst = float(abs(value - numerical) / scale) if np.isfinite(numerical) else float("nan")
    if verdict == "right" and (kind == "saturated" or found.status.get(place) == "kink"):
        worst = 0.0
    checked = int(asked.any(axis=0).sum())
    return ArgumentRow(
        name, verdict, kind, worst, index, float(value), float(numerical), tuple(how), checked, found.size,
        found.method, found.resolution, (), found.directions,
    )  # fmt: skip


def worst_place(found, scale):
    """(loss, entry) of the worst: of those that are wrong, else of all that were looked at."""
    wrong = found.having("wrong") or [p for p, status in found.status.items() if status not in ("kink",)]
    off = abs(found.claimed - found.numerical)
    if wrong:
        return max(wrong, key=lambda place: np.nan_to_num(off[place], nan=np.inf))
    off = np.where(np.isfinite(off), off, -1.0)
    for place in found.having("kink"):
        off[place] = 0.0
    component, entry = np.unravel_index(int(off.argmax()), off.shape)
    return int(component), int(entry)


def describe(subject, found, report, rng):
    """(kind, sentences) of a wrong gradient."""
    special = special_kind(subject, found)
    if special is not None:
        return special
    if found.scattered:
        return "other", ["every entry that was looked at is right; along random directions, many small errors add up"]
    leaf, k = subject.leaves[found.name], len(found.claimed)
    expected = np.where(np.isfinite(found.numerical), found.numerical, np.nan)
    for place in found.having("kink"):
        expected[place] = found.claimed[place]
    got, expected = (whole(a, leaf, k) for a in (found.claimed, expected))
    lengths = {}
    for name, other in subject.leaves.items():
        for axis, n in enumerate(other.shape):
            lengths.setdefault(n, f"axis {axis} of {name}")
    others = {
        name: whole(f.numerical, subject.leaves[name], k)
        for name, f in report.findings.items()
        if name != found.name and subject.leaves[name].shape == leaf.shape
    }
    alike = [u for u in subject.upstream or () if u.shape == leaf.shape and not subject.jacobian]
    arrays = {"the upstream": alike[0]} if alike else {}
    known = np.isfinite(found.numerical)
    bad = np.zeros(found.claimed.shape, bool)
    bad[known] = ~(abs(found.claimed - found.numerical)[known] <= found.tolerance[known])
    for place, status in found.status.items():
        bad[place] = status == "wrong"
    where = whole(bad.astype(float), leaf, k) != 0
    context = Context(lengths, others, leaf if not subject.jacobian else None, arrays, where, parts_of(subject, found))
    context.conjugates = conjugates_of(subject, found)
    if not subject.jacobian and not np.iscomplexobj(leaf):
        context.places, context.places_are_all, context.directions = (
            found.places, found.places_are_all, found.directions,
        )  # fmt: skip
    kind, how = kind_of_wrong(got, expected, context)
    if kind in ("other", "constant by slices") and found.name in subject.mixed:
        return "batch mixed", [
            "it depends on what comes from above for outputs, of other samples, that do not depend on it"
        ]
    if kind == "other" and leaf.size < 3 and not subject.jacobian:
        above = subject.passes is not None and subject.passes.above
        several = several_upstreams(subject, found, rng) if above else several_points(subject, found, rng)
        for tell in (sign, factor) if several is not None else ():
            told = tell(*several, context)
            if told is not None:
                return told
    if kind == "other":
        how = [f"{int(bad.sum())} of {int(known.sum())} entries are wrong, by no simple rule"]
    return kind, how


def parts_of(subject, found):
    """{sentence: gradient of what the first, or last, sample or step alone puts out}, where that may be what was meant
    to be summed."""
    if subject.passes is None or not subject.passes.above or found.size > 500 or len(subject.upstream) != 1:
        return {}
    parts, upstream = {}, subject.upstream[0]
    before = subject.upstream
    try:
        for axis in range(min(upstream.ndim, 3)):
            for which, place in (("first", 0), ("last", upstream.shape[axis] - 1)):
                alone = np.zeros_like(upstream)
                index = tuple(place if k == axis else slice(None) for k in range(upstream.ndim))
                alone[index] = upstream[index]
                subject.upstream = [alone]
                slope = slopes_of(subject, found)
                if slope is not None and upstream.shape[axis] > 1:
                    parts[f"it is the {which} part along axis {axis} of the outputs alone: a sum is missing"] = slope
    finally:
        subject.upstream = before
    return parts


def conjugates_of(subject, found):
    """{name: numerical gradient with the complex conjugate of another array}."""
    if subject.leaves[found.name].dtype.kind != "c" or found.size > 2000 or subject.jacobian:
        return {}
    others = [name for name, leaf in subject.leaves.items() if leaf.dtype.kind == "c" and name != found.name]
    return {name: slopes_of(subject, found, {name: subject.leaves[name].conj()}) for name in others}


def several_upstreams(subject, found, rng):
    """(got, expected), each (4, *shape): of an array of few numbers, for four gradients from above."""
    before, leaf, rounds = subject.upstream, subject.leaves[found.name], []
    try:
        for _ in range(4):
            subject.upstream = [random_like(u, rng) for u in before]
            claimed = fitted(as_array(subject.claims()[found.name]), leaf, (), 1)[0][0]
            rounds.append((claimed, slopes_of(subject, found)))
    finally:
        subject.upstream = before
    if any(slope is None for _, slope in rounds):
        return None
    return tuple(np.stack([np.asarray(one[k]) for one in rounds]) for k in (0, 1))


def several_points(subject, found, rng):
    """The same for four values of it nearby, where nothing comes from above."""
    leaf, rounds = subject.leaves[found.name], []
    for _ in range(4):
        there = (leaf * (1 + 0.1 * rng.uniform(0.3, 1.0, leaf.shape)) + (leaf == 0) * 0.01).astype(leaf.dtype)
        try:
            claimed = fitted(as_array(subject.claims({found.name: there})[found.name]), leaf, (), 1)[0][0]
        except Exception:  # it is not defined there
            return None
        rounds.append((claimed, slopes_of(subject, found, here=there)))
    if any(slope is None for _, slope in rounds):
        return None
    return tuple(np.stack([np.asarray(one[k]) for one in rounds]) for k in (0, 1))


def slopes_of(subject, found, others=None, here=None):
    """The numerical gradient by the quickest means; with other arrays in the places of theirs, or elsewhere."""
    probe = Slopes(subject, found.name, np.finfo(float).eps, 0.0)
    if here is not None:
        probe.plain = probe.entries_of(here[None])[0].copy()
        probe.here = probe.shifted(probe.plain)
    if others:
        probe.others = others
        probe.here = probe.shifted(probe.plain)
    entries = np.zeros((1, found.size))
    try:
        for entry in range(found.size):
            complex_step = found.method == "complex step"
            entries[0, entry] = (probe.complex_step(entry) if complex_step else probe.near(entry)[0])[0]
    except Exception:
        return None
    return whole(entries, subject.leaves[found.name], 1)


def special_kind(subject, found):
    """(kind, sentences) of what the array of numbers does not show: an argument or an upstream that is ignored."""
    if found.name in subject.ignored:
        return "ignored argument", [
            f"the function does not depend on {found.name} at all: does it read another array, one of a closure?"
        ]
    if found.name in subject.stale:
        return "stale", ["right here, and not after a call elsewhere: something is kept, or made for this point alone"]
    if subject.upstream_ignored:
        return "upstream ignored", ["the gradient from above makes no difference to it"]
    return None


def whole(entries, leaf, k):
    """Entries (k, n) of a leaf put back into its shape, (k, *shape) for more than one loss; complex from (k, 2 n)."""
    n = leaf.size
    array = entries[:, :n] + 1j * entries[:, n:] if leaf.dtype.kind == "c" else entries
    return array.reshape(leaf.shape if k == 1 else (k, *leaf.shape))


def undecided_sentence(word, found, subject):
    """`at W[0, 1]: …`: the first entry that could not be decided for that reason, and the reason in words."""
    place = found.having(word)[0]
    leaf = subject.leaves[found.name]
    index = (
        f"[{', '.join(str(int(k)) for k in np.unravel_index(place[1] % leaf.size, leaf.shape))}]" if leaf.ndim else ""
    )
    told = {
        "noise": "the numerical derivative is less certain than it is large: agreement would say nothing",
        "jump": "the function jumps there",
        "infinite": "the function rises infinitely steeply there",
        "undefined": "the function is not finite around there",
    }
    return f"at {found.name}{index}: {told.get(word, word)}"


def notice_special(subject, found, report):
    """The kind of a right gradient: at kinks, or zero because nothing changes."""
    kinks = found.having("kink")
    leaf = subject.leaves[found.name]
    if kinks:
        places = [index_of(place[1], leaf) for place in kinks[:3]]
        values = [f"{found.name}{p}" for p in places]
        more = f" and {len(kinks) - 3} more" if len(kinks) > 3 else ""
        slope = found.slopes[kinks[0]]
        word = "jumps" if slope.kind == "jump" else "has a kink"
        sides = "" if slope.kind == "jump" else f" (slopes {slope.left:.4g} and {slope.right:.4g})"
        report.notices.append(
            Notice("kink", f"the function {word} at {', '.join(values)}{more}{sides}: any value between is right there")
        )
        return "kink"
    known = np.isfinite(found.numerical)
    if (np.maximum(abs(found.numerical), abs(found.claimed))[known] <= found.unseen[known]).all():
        if found.name in subject.ignored:
            report.notices.append(Notice("ignored argument", f"the function does not depend on {found.name} at all"))
            return "ignored argument"
        report.notices.append(
            Notice(
                "saturated",
                f"the function is flat in {found.name} here: zero is right, and says little; check elsewhere too",
            )
        )
        return "saturated"
    return ""


def index_of(entry, leaf):
    """The index of a flat entry number as text, `[0, 1]`; of a complex leaf's imaginary parts too; "" for a number."""
    return f"[{', '.join(str(int(k)) for k in np.unravel_index(entry % leaf.size, leaf.shape))}]" if leaf.ndim else ""


def largest(values):
    """The largest finite magnitude, a float; 0 if there is none."""
    values = abs(values[np.isfinite(values)])
    return float(values.max()) if values.size else 0.0
