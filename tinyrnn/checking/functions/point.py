"""How things are at the point itself: randomness, precision, arguments that make no difference."""

from dataclasses import dataclass, field

import numpy as np

from tinyrnn.checking.functions.report import ArgumentRow, Notice
from tinyrnn.checking.functions.sameness import SAME, close
from tinyrnn.checking.functions.slopes import Slopes
from tinyrnn.checking.functions.subject import OWNER


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
    """End the check of a point: a row "not decided" of that kind, with the sentence, for every array judged."""
    point.stop = True
    for name in subject.judged:
        size = subject.leaves[name].size
        point.rows.append(ArgumentRow(name, "not decided", kind, np.nan, None, np.nan, np.nan, (sentence,), 0, size))


def settle_randomness(subject, report, point):
    """The same random numbers for every call; and what varies all the same."""
    subject.randomness.rewind()
    subject.losses()
    subject.claims()
    if subject.randomness.changed() and repeats_itself(subject) is False:
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
    """Set the point's rounding unit for single precision that is given or comes out, or promote it to float64."""
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
    probe = Slopes(subject, name, point.eps, point.noise)
    slope = probe.look_along(rng.normal(size=probe.size) * probe.scales)
    here = abs(float(probe.here[0]))
    if slope.kind == "smooth" and slope.noise > max(1e4 * point.eps * here, 1e-12 * abs(slope.value)):
        point.noise = max(point.noise, slope.noise)
        if point.eps < 1e-10:
            inside = f"values scatter by {slope.noise:.0e}: a lesser precision, or rounding off, inside"
            report.notices.append(Notice("precision", inside))


def repeats_itself(subject):
    """Whether the same calls give the same, whatever they change around them."""
    rounds = []
    for _ in range(2):
        subject.randomness.rewind()
        rounds.append([subject.losses(), *subject.claims().values()])
    return all(close(a, b, SAME) for a, b in zip(*rounds, strict=True))


def is_narrow(dtype):
    """Whether a dtype is real or complex floating point of less than double precision."""
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
