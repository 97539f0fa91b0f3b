"""Checks a `Subject`: the point, the precision, each array, what kind of wrong; makes the report."""

import contextlib
import os
import time

import numpy as np
from threadpoolctl import threadpool_limits

from tinyrnn.checking.functions.blocks import block_rows, blocks_of
from tinyrnn.checking.functions.directions import check_directions
from tinyrnn.checking.functions.elsewhere import look_elsewhere
from tinyrnn.checking.functions.judging import judge_array
from tinyrnn.checking.functions.looking import RELATIVE
from tinyrnn.checking.functions.point import at_the_point, is_narrow
from tinyrnn.checking.functions.report import GradientReport, Notice
from tinyrnn.checking.functions.rows import row_of
from tinyrnn.checking.functions.sampling import plan
from tinyrnn.checking.functions.shaping import shaped
from tinyrnn.checking.functions.side_effects import notice_side_effects
from tinyrnn.core.files import as_typed
from tinyrnn.core.progress import Bar

SINGLE = 1e-3  # relative error that a gradient in single precision may have


def check(subject, rng, entries=None, progress=None, blocks=None):
    """The `GradientReport` on a subject. entries: how many to look at in all, None: as many as time allows. blocks: see
    `blocks_of`."""
    cut = blocks_of(subject.leaves, blocks)
    report = GradientReport(subject.title)
    report.notices += [Notice("outputs", text) for text in subject.notices]
    with np.errstate(all="ignore"), few_threads(subject):
        point = at_the_point(subject, report)
        if point.stop:
            report.rows = point.rows
            return report
        given = subject
        if point.narrow and point.promoted is not None:
            subject = point.promoted
        notice_side_effects(subject, report, rng)
        claims, misshapen = shaped(subject, subject.claims(), report)
        single = point.narrow and point.promoted is None
        raw = subject.claims()
        relative = {name: 30 * point.eps if single else tolerance_of(raw[name], claims[name]) for name in claims}
        claims_given = shaped(given, given.claims(), GradientReport(""))[0] if subject is not given else None
        chosen = plan(subject, entries, rng, claims)
        total = sum(map(len, chosen.values()))
        with Bar(total=total, desc="gradcheck", unit="entry", leave=False, delay=2, disable=progress) as bar:
            for name, numbers in chosen.items():
                found = judge_array(
                    subject, name, claims[name], numbers, point.eps, point.noise, rng, bar.update, relative[name]
                )
                if len(numbers) < found.size:
                    check_directions(subject, found, point.eps, point.noise, rng, relative[name])
                report.findings[name] = found
        look_elsewhere(subject, report, rng)
    subject.randomness.restore()
    if claims_given is not None:
        compare_single(report, claims, claims_given)
    for name, found in report.findings.items():
        row = row_of(subject, found, misshapen.get(name), report, rng)
        if name in cut and len(found.claimed) == 1 and subject.leaves[name].dtype.kind == "f":
            row = row._replace(blocks=tuple(block_rows(row, found, subject.leaves[name].shape, *cut[name])))
        report.rows.append(row)
    report.notes += notes_of(report, subject, point)
    report.lines_hint = lines_hint(subject)
    report.shapes = {name: subject.leaves[name].shape for name in report.findings}
    return report


def few_threads(subject):
    """One thread for matrix products that are over before a second one is awake."""
    start = time.perf_counter()
    subject.losses()
    short = time.perf_counter() - start < 0.02
    return threadpool_limits(1, user_api="blas") if short else contextlib.nullcontext()


def tolerance_of(raw, claimed):
    """Relative error that is put down to rounding: more of a gradient that was made in single precision."""
    narrow = is_narrow(np.asarray(raw).dtype) if np.asarray(raw).dtype.kind in "fc" else False
    with np.errstate(all="ignore"):
        exact = np.array_equal(claimed, claimed.astype(np.float32), equal_nan=True)
    return 1e-4 if narrow or (exact and len(np.unique(claimed)) > 4) else RELATIVE


def compare_single(report, claims, given):
    """The gradient in the precision that was given, against that in double precision."""
    for name, found in report.findings.items():
        scale = abs(claims[name]).max(initial=0)
        apart = abs(claims[name] - given[name]).max(initial=0)
        if found.verdict == "right" and not apart <= SINGLE * scale + 1e-12:
            report.notices.append(
                Notice(
                    "precision",
                    f"as given, the gradient of {name} is off by {apart / scale:.0e}; in float64 it is right",
                )
            )


def lines_hint(subject):
    """How to find the line, where the backward pass is a function in a file."""
    function = getattr(subject.functions[-1], "__func__", subject.functions[-1]) if subject.functions else None
    file = getattr(getattr(function, "__code__", None), "co_filename", "<")
    ours = os.path.dirname(file) == os.path.dirname(__file__)
    made = hasattr(function, "__wrapped__")  # by a decorator, such as jax.grad: what it runs is written elsewhere
    if ours or made or file.startswith("<") or function.__name__ == "<lambda>" or not os.path.exists(file):
        return ""
    name = function.__qualname__.partition(".")[0]
    return f"which line it is: tinyrnn lines {as_typed(file)}:{name}"


def notes_of(report, subject, point):
    """How the numbers were got."""
    notes = []
    for found in report.findings.values():
        if found.why_not_complex and found.method != "complex step":
            notes.append(f"no complex step: {found.why_not_complex}")
        if found.missed:
            notes.append(f"{found.name}: {found.missed}")
    seen = max((found.resolution for found in report.findings.values() if found.resolution < 1), default=0)
    if seen:
        notes.append(f"mistakes above {seen:.0e} of an array's largest entry are seen")
    if point.narrow:
        what = (
            "evaluated in float64, which both functions carry"
            if point.promoted is not None
            else "judged by what it can tell"
        )
        notes.append(f"{point.narrow}: {what}")
    return list(dict.fromkeys(notes))
