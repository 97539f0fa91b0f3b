"""What is noticed of functions besides their numbers: how they treat what they are given, and what they remember."""

from functools import partial

import numpy as np

from tinyrnn.checking.functions.point import is_narrow
from tinyrnn.checking.functions.report import Notice
from tinyrnn.checking.functions.sameness import SAME, close
from tinyrnn.checking.functions.subject import OWNER, flat
from tinyrnn.checking.functions.tracing import TracedRun


def notice_side_effects(subject, report, rng):
    """Changes in place, aliases, memory, an upstream that is ignored, samples mixed up; into the report's notices."""
    if not subject.in_place:
        report.notices += TracedRun(subject).notices()
    notice_accumulation(subject, report)
    notice_memory(subject, report)
    if OWNER in subject.root:
        notice_used_object(subject, report)
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
    """Whether adding 0.001 to an array changes any loss; false where that raises an error."""
    value = subject.leaves[name]
    try:
        return not np.array_equal(
            subject.losses({name: value + np.asarray(1e-3).astype(value.dtype)}), subject.losses()
        )
    except Exception:
        return False


def notice_used_object(subject, report):
    """An object that was used before, with other inputs: the same outputs, but gradients of the earlier call?"""
    outside = [name for name, paths in subject.paths.items() if paths[0][0] != OWNER]
    try:
        used = subject.moved({name: elsewhere_of(subject.leaves[name]) for name in outside})
        subject.claim(used, subject.upstream)
        again = subject.moved({}) | {OWNER: used[OWNER]}
        same_outputs = all(map(partial(close, tolerance=SAME), flat(subject.run(again)[0]), subject.outputs()))
        again = subject.moved({}) | {OWNER: used[OWNER]}
        found, claims = subject.claim(again, subject.upstream), subject.claims()
    except Exception:
        return
    other = {n for n in claims if n not in subject.grown and not close(found.get(n, np.nan), claims[n], 1e-8)}
    if other and same_outputs and not subject.random:
        subject.stale |= other
        text = f"after a call elsewhere, the gradient of {', '.join(sorted(other))} is another: of an earlier call?"
        report.notices.append(Notice("state", text))
    elif not same_outputs and not subject.random:
        report.notices.append(Notice("state", "outputs depend on earlier calls of the same object"))


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
    """The array with magnitudes larger by 0.5 to 1 percent, zeros made 0.01; always the same, in its dtype."""
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
    subject.grown = set(grown)
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
    """Add a notice if gradients come in a lesser precision than the arrays they are of."""
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
    subject.set_back()
    found = subject.claim_between(root, other, subject.upstream)
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
    """Add a notice if other gradients from above change none of the gradients, which are not all zero."""
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
