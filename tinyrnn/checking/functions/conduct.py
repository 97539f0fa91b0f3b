"""What is noticed of a function besides its numbers: at the point itself, and in how it treats what it is given."""

from dataclasses import dataclass, field

import numpy as np

from tinyrnn.checking.functions.report import ArgumentRow, Notice
from tinyrnn.checking.functions.slopes import Probe
from tinyrnn.checking.functions.subject import OWNER
from tinyrnn.checking.functions.watching import Watched

SAME = 1e-10  # relative: results that agree to this are the same, whatever order they were added up in


@dataclass
class Point:
    """How things are at the point itself. eps: rounding unit of the losses; noise: how far two calls are apart. narrow:
    the lesser precision, in words; promoted: the subject in double precision, if it carries that. stop: nothing can be
    decided, as `rows` say."""

    eps: float = np.finfo(float).eps
    noise: float = 0.0
    narrow: str = ""
    promoted: object = None
    stop: bool = False
    rows: list = field(default_factory=list)


def at_the_point(subject, report):
    """The `Point`; randomness, ignored arguments and lost precision become notices."""
    point = Point()
    settle_randomness(subject, report, point)
    if point.stop:
        return point
    losses = subject.losses()
    if not np.isfinite(losses).all():
        word = "NaN" if np.isnan(losses).any() else "infinity"
        stop(point, subject, "not finite here", f"the function itself is {word} at this point")
        return point
    settle_precision(subject, report, point)
    settle_ignored(subject, report)
    return point


def stop(point, subject, kind, sentence):
    point.stop = True
    for name in subject.judged:
        size = subject.leaves[name].size
        point.rows.append(ArgumentRow(name, "not decided", kind, np.nan, None, np.nan, np.nan, (sentence,), 0, size))


def settle_randomness(subject, report, point):
    """The same random numbers for every call; and what varies all the same."""
    subject.randomness.rewind()
    subject.losses()
    subject.claims()
    if subject.randomness.changed():
        subject.restores = True
        text = "arrays that the functions read from around them are changed in place: put back before every call"
        report.notices.append(Notice("state", text))
    if subject.randomness.drawn():
        one, other = subject.losses(), subject.losses()
        subject.random = True
        if not close(one, other, SAME):
            report.notices.append(Notice("random", "random numbers are drawn: every call is given the same ones"))
    values = np.array([subject.losses() for _ in range(4)])
    apart = float(np.nanmax(np.ptp(values, axis=0), initial=0.0))
    size = float(np.nanmax(abs(values), initial=0.0))
    if apart > 1e-3 * size:
        sentence = f"two calls at the same point differ by {apart:.2g}: random, or something is kept from call to call"
        stop(point, subject, "random", sentence)
    elif apart > 0:
        report.notices.append(Notice("state", f"two calls at the same point differ by {apart:.0e}"))
        point.noise = 2 * apart


def settle_precision(subject, report, point):
    given = [value.dtype for value in subject.leaves.values()]
    outputs = [output.dtype for output in subject.outputs()]
    single = [d for d in given if is_narrow(d)]
    lost = [d for d in outputs if is_narrow(d)]
    if single:
        least = max(single, key=lambda d: np.finfo(d).eps)
        point.narrow = f"{least} was given"
        promoted = subject.promoted()
        try:
            carried = not any(is_narrow(o.dtype) for o in promoted.outputs()) and promoted.claims()
        except Exception:
            carried = False
        if carried and close(promoted.losses(), subject.losses(), 1e3 * float(np.finfo(least).eps)):
            point.promoted = promoted
            settle_scatter(promoted, report, point)
            return
        point.eps = float(np.finfo(least).eps)
    elif lost:
        least = max(lost, key=lambda d: np.finfo(d).eps)
        report.notices.append(Notice("precision", f"float64 is lost on the way: the function returns {least}"))
        point.narrow, point.eps = f"{least} comes out", float(np.finfo(least).eps)
    settle_scatter(subject, report, point)


def settle_scatter(subject, report, point):
    """A lesser precision inside shows as scatter at the smallest steps."""
    rng = np.random.default_rng(0)
    name = max(subject.judged, key=lambda n: subject.leaves[n].size)
    probe = Probe(subject, name, point.eps, point.noise)
    slope = probe.look_along(rng.normal(size=probe.size) * probe.scales)
    here = abs(float(probe.here[0]))
    if slope.kind == "smooth" and slope.noise > max(1e4 * point.eps * here, 1e-12 * abs(slope.value)):
        point.noise = max(point.noise, slope.noise)
        if point.eps < 1e-10:
            inside = f"values scatter by {slope.noise:.0e}: a lesser precision, or rounding off, inside"
            report.notices.append(Notice("precision", inside))


def is_narrow(dtype):
    return dtype.kind in "fc" and np.finfo(dtype).eps > 1e-10


def settle_ignored(subject, report):
    """Arguments that make no difference, however far they are moved; or whose very array is read instead."""
    rng = np.random.default_rng(1)
    here = subject.losses()
    for name in subject.judged:
        value = subject.leaves[name]
        noise = rng.normal(size=value.shape).astype(value.real.dtype)
        moves = [value + (1 + abs(value)) * noise, value + 0.1 * noise, 0.1 * noise, -value]
        try:
            if all(np.array_equal(subject.losses({name: moved.astype(value.dtype)}), here) for moved in moves):
                subject.ignored.add(name)
        except Exception:
            continue  # it does not take such values, so it does look at them
    arrays = all(isinstance(subject.root.get(name), np.ndarray) for name in subject.ignored)
    if subject.ignored and arrays and OWNER not in subject.root:
        subject.in_place = True
        name = min(subject.ignored)
        if np.array_equal(subject.losses({name: subject.leaves[name] * 1.5 + 0.5}), here):
            subject.in_place = False
        else:
            subject.ignored.clear()
            report.notices.append(
                Notice(
                    "hidden contract",
                    f"the function ignores its argument and reads the array {name} itself: changed, and put back",
                )
            )


# how it treats what it is given -------------------------------------------------------------------------------------


def notice_conduct(subject, report, rng):
    """Changes in place, aliases, memory, an upstream that is ignored, samples mixed up; into the report's notices."""
    if not subject.in_place:
        report.notices += Watched(subject).notices()
    notice_accumulation(subject, report)
    notice_memory(subject, report)
    claims = subject.claims()
    notice_precision(subject, report, claims)
    if subject.passes is not None:
        notice_second_call(subject, report, claims)
        notice_upstream(subject, report, claims, rng)
        notice_batch(subject, report, claims)
    for name in getattr(subject, "unclaimed", ()):
        if OWNER not in subject.paths[name][0] and depends_on(subject, name):
            report.notices.append(Notice("no gradient", f"no gradient of {name} is returned"))


def depends_on(subject, name):
    value = subject.leaves[name]
    try:
        return not np.array_equal(
            subject.losses({name: value + np.asarray(1e-3).astype(value.dtype)}), subject.losses()
        )
    except Exception:
        return False


def notice_memory(subject, report):
    """Results that live in a buffer that is used again; gradients that depend on where the function was called last."""
    elsewhere = {name: elsewhere_of(subject.leaves[name]) for name in subject.judged}
    raw = subject.raw_claims()
    kept = {name: np.array(value) for name, value in raw.items()}
    try:
        subject.claims(elsewhere)
    except Exception:
        return
    overwritten = [name for name in kept if not close(np.asarray(raw[name]), kept[name], 0)]
    if overwritten:
        text = f"the next call overwrites the gradient of {', '.join(overwritten)} that was returned: return a copy"
        report.notices.append(Notice("buffer", text))
    try:
        subject.losses()
        after_here = {name: np.array(value) for name, value in subject.claims().items()}
        subject.losses(elsewhere)
        after_elsewhere = {name: np.array(value) for name, value in subject.claims().items()}
    except Exception:
        return
    subject.stale = {n for n in after_here if not close(after_here[n], after_elsewhere.get(n, np.nan), SAME)}
    if subject.stale and not subject.accumulates:
        text = f"the gradient of {', '.join(sorted(subject.stale))} depends on where the function was called last"
        report.notices.append(Notice("state", text))


def elsewhere_of(value):
    rng = np.random.default_rng(3)
    moved = value * (1 + 0.01 * rng.uniform(0.5, 1.0, value.shape)) + (value == 0) * 0.01
    return moved.astype(value.dtype)


def notice_accumulation(subject, report):
    """The same call again, on the same object: the same gradients, or twice those?"""
    root = subject.moved({})
    rounds = []
    for _ in range(3):
        subject.set_back()
        fresh = subject.moved({}) | {name: root[name] for name in (OWNER,) if name in root}
        rounds.append(
            {name: np.array(value, copy=True) for name, value in subject.claim(fresh, subject.upstream).items()}
        )
    first, second, third = rounds
    grown = [n for n in first if n in second and not close(first[n], second[n], SAME)]
    if not grown:
        return
    steady = all(close(third[n] - second[n], second[n] - first[n], 1e-8) for n in grown)
    what = ", ".join(grown)
    if not steady:
        report.notices.append(
            Notice("state", f"a second call gives another gradient of {what}: what is kept from call to call?")
        )
    elif all(close(second[n] - first[n], first[n], 1e-8) for n in grown) and OWNER in subject.root:
        report.notices.append(
            Notice("accumulated", f"gradients add up from call to call ({what}): set them to zero between")
        )
    else:
        subject.accumulates = set(grown)
        report.notices.append(
            Notice("accumulated", f"gradients are added to those of an earlier call ({what}): judged is what one adds")
        )


def notice_precision(subject, report, claims):
    lost = [
        name for name, value in claims.items()
        if is_narrow(np.asarray(value).dtype) and not is_narrow(subject.leaves[name].dtype)
    ]  # fmt: skip
    if lost:
        report.notices.append(
            Notice("precision", f"float64 is lost: the gradient of {', '.join(lost)} is in single precision")
        )


def notice_second_call(subject, report, claims):
    """Backward after another forward pass in between, with the first one's cache."""
    passes = subject.passes
    if OWNER in subject.root or any(kind == "local" for kind, _ in passes.call.values()):
        return
    if not any(kind == "cache" for kind, _ in passes.call.values()):
        return
    root, other = subject.moved({}), subject.moved({n: v * 1.5 + 0.25 for n, v in subject.leaves.items()})
    found = subject.claim_between(root, other)
    changed = [
        n for n in claims if n in found and not close(np.asarray(found[n]), np.asarray(claims[n]), alike_to(claims[n]))
    ]
    if changed:
        report.notices.append(
            Notice(
                "cache",
                f"a second forward pass spoils the cache of the first, and the gradient of {', '.join(changed)}",
            )
        )


def alike_to(claimed):
    """Relative difference that the order of a sum may make."""
    dtype = np.asarray(claimed).dtype
    return max(SAME, 100 * float(np.finfo(dtype).eps)) if dtype.kind in "fc" else SAME


def notice_upstream(subject, report, claims, rng):
    if not subject.passes.above or subject.passes.fixed:
        return
    other = [u * 1.7 + 0.3 for u in subject.upstream]
    again = subject.claims(upstream=[o.astype(u.dtype) for o, u in zip(other, subject.upstream, strict=True)])
    if any(np.any(np.asarray(c)) for c in claims.values()) and all(
        close(np.asarray(again[n]), np.asarray(claims[n]), SAME) for n in claims if n in again
    ):
        subject.upstream_ignored = True
        report.notices.append(Notice("upstream ignored", "the gradients are the same whatever comes from above"))


def notice_batch(subject, report, claims):
    """Where outputs of one sample do not depend on another sample, its gradients must not either."""
    if len(subject.upstream) != 1 or not subject.passes.above:
        return
    upstream, before = subject.upstream[0], subject.outputs()[0]
    for name in subject.judged:
        value, claimed = subject.leaves[name], np.asarray(claims[name])
        if claimed.shape != value.shape or OWNER in subject.paths[name][0]:
            continue
        sample = 0 if value.ndim and len(value) > 1 else ...
        moved = value.copy()
        moved[sample] = elsewhere_of(moved[sample] + np.zeros_like(moved[sample]))
        after = subject.outputs({name: moved})[0]
        unmoved = (before == after) & np.isfinite(before)
        if before.shape != after.shape or not unmoved.any() or unmoved.all():
            continue
        other = np.where(unmoved, upstream * 1.7 + 0.3, upstream).astype(upstream.dtype)
        again = np.asarray(subject.claims(upstream=[other])[name])
        if again.shape == claimed.shape and not close(again[sample], claimed[sample], 1e-9):
            subject.mixed.add(name)
            text = f"the gradient of {name} depends on what comes from above for outputs that do not depend on it"
            report.notices.append(Notice("batch mixed", text))


def close(a, b, tolerance):
    """Equal but for rounding."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    scale = max(abs(a).max(initial=0), abs(b).max(initial=0))
    return bool(np.all((abs(a - b) <= tolerance * scale) | (a == b) | (np.isnan(a) & np.isnan(b))))
