"""`tinyrnn.lines`: which lines of a backward pass written by hand are wrong, each judged on its own, and how.

The forward pass is rewritten so that every value with a name can be changed a little, which gives its true gradient;
the backward pass so that each assignment to `dfoo` is compared with the gradient of `foo` and, where it is wrong,
replaced by it. See `tinyrnn.verdicts.judge.pairing` for what belongs to what and `tinyrnn.verdicts.judge.judging` for
when a line is accused.
"""

import copy

import numpy as np

from tinyrnn.checking.differences import describe, worst_entry
from tinyrnn.sources import Site, source_lines
from tinyrnn.verdicts.judge.judging import Judge
from tinyrnn.verdicts.report import LineReport, LineVerdict


def report_on(problem, judge=None, program=None):
    """The `LineReport` on a problem; judge and program are made if not given."""
    judge = judge or Judge(problem, problem.truth())
    program = program or problem.program()
    verdict = judge.judge(program)
    report = LineReport(problem.title)
    names = known_gradients(verdict.findings)
    judged = [finding for finding in verdict.findings if finding.accused or not finding.wrong]
    sources = feeders(verdict, judge)
    fed = [finding for _, findings, _ in sources for finding in findings]
    has_twin = problem.compares_values and problem.same_source
    missing = left_out(judge.truth.events, verdict.events, problem.scopes) if has_twin else []
    report.rows += missing
    fed += [f for f in judged for row in missing if f.site.scope == row.function and row.name in f.site.uses]
    report.rows += [row for f in judged if f not in fed for row in verdicts_on(f, judge, names)]
    for site, findings, mistake in sources:
        lines = ", ".join(f"{f.site.name} (line {f.site.line})" for f in findings)
        how = [f"nothing in the forward pass goes by that name, but all that is made of it is wrong: {lines}"]
        report.rows.append(LineVerdict(site.scope, site.line, site.name, None, "wrong", how=how, mistake=mistake))
    for site, reason in verdict.without.items():
        if site not in [source for source, _, _ in sources]:
            report.rows.append(LineVerdict(site.scope, site.line, site.name, None, "unjudged", how=[reason]))
    for finding in verdict.innocent:
        how = ["it is not the gradient its name says, and is not used as that either"]
        report.rows.append(
            LineVerdict(finding.site.scope, finding.site.line, finding.site.name, None, "unjudged", how=how)
        )
    for (scope, line), text in verdict.failures.items():
        if line is None:
            report.problems.append(text)
        else:
            report.rows.append(LineVerdict(scope, line, "error", None, "wrong", how=[f"it raises {text}"]))
    for name in verdict.left_wrong if not missing else ():
        maker = problem.maker(name)
        if maker is None:
            what = name if problem.compares_values else f"the gradient of {name}"
            if not (problem.compares_values and any(row.verdict == "wrong" for row in report.rows)):
                report.problems.append(f"{what} is wrong, and not because of a line that can be judged")
            continue
        sites = [s for scope in problem.scopes for s in verdict.sites.get(scope, ())]
        entries = [s for s in sites if (s.kind, s.name) == ("value", name)]
        returns = [s for s in verdict.sites[maker] if s.kind == "return"]
        site = (entries or returns)[0]
        how = [f"the gradient of {name} is wrong as it is returned"]
        report.rows.append(LineVerdict(site.scope, site.line, "return", None, "wrong", how=how))
    forward = judge.recognised
    if forward is not None:
        wrong = forward.variant is not None and not forward.variant.convention
        (report.problems if wrong else report.notes).append(forward.describe())
    report.sources = [(f.__qualname__, source_lines(f)) for f in problem.shown]
    report.rows = merged(report.rows, [function for function, _ in report.sources])
    if not judge.truth.by_complex_step:
        report.notes.append(
            f"judged by central differences, to {judge.truth.tolerance:.0e}: the forward pass is not fit for the "
            f"complex step ({judge.truth.reason})"
        )
    return report


def left_out(right, events, scopes):
    """A wrong row for each assignment in one run of a source that has no like in another."""
    there = {(event.where, event.site.line) for event in events}
    sites = dict.fromkeys(event.site for event in right if (event.where, event.site.line) not in there)
    called = {event.site.scope for event in events} & set(scopes)
    how = ["nothing is assigned here"]
    return [
        LineVerdict(site.scope, site.line, site.name, site.name, "wrong", how=how)
        for site in sites
        if site.scope in called and site.kind not in ("argument", "return")
    ]


def feeders(verdict, judge):
    """(site, findings, known mistake) of gradients without a partner that make all lines wrong which use them.

    Several wrong lines with one such value in common, and no right line with it, are one mistake and not several; of
    one wrong line that is said only if the value is that of a known mistake.
    """
    found = []
    for site in verdict.without:
        users = [
            f
            for f in verdict.findings
            if f.site.scope == site.scope and site.name in f.site.uses and not f.pairs[0].recomputed
        ]
        if not users or not all(f.accused and f.blamed is None for f in users):
            continue
        values = [event.value for event in verdict.events if event.site == site][::-1]
        shapes = {None if value is None else value.shape for value in values}
        mistake = judge.name_alone(np.stack(values)) if len(shapes) == 1 and None not in shapes else None
        if len(users) > 1 or mistake is not None:
            found.append((site, users, mistake))
    return found


def verdicts_on(finding, judge, names):
    """The `LineVerdict`s of a finding: one, or one for each line that adds something wrong to it."""
    row = verdict_on(finding, judge, names)
    for site in finding.shares:
        share = copy.copy(row)
        share.function, share.line, share.times = site.scope, site.line, row.times
        use = f"what this line adds is not what a use of {finding.name} in the forward pass sends back"
        share.how = [*row.how, use]
        yield share
    if not finding.shares:
        yield row


def verdict_on(finding, judge, names):
    """The `LineVerdict` of a finding."""
    site = finding.site
    function, line = site.scope, site.line
    if isinstance(finding.blamed, Site):
        function, line = finding.blamed.scope, finding.blamed.line
    elif finding.blamed is not None:
        line, function = finding.blamed
    verdict = "wrong" if finding.accused else "ok"
    partner = site.name if finding.pairs[0].recomputed else finding.name
    row = LineVerdict(function, line, site.name, partner, verdict, finding.error, times=len(finding.got))
    if finding.accused:
        explain(row, finding, judge, names)
    return row


def explain(row, finding, judge, names):
    """Fill in where a wrong value differs, and how."""
    problem = judge.problem
    row.mistake = next((known for f in (*finding.made, finding) if (known := known_mistake(f, judge))), None)
    if any(got.shape != wanted.shape for got, wanted in zip(finding.got, finding.expected, strict=True)):
        k = next(k for k, got in enumerate(finding.got) if got.shape != finding.expected[k].shape)
        row.how = describe(finding.got[k][None], finding.expected[k][None])
        return
    got, expected = stacked(finding, judge)
    step, *entry = worst_entry(got, expected)
    row.step = int(step) if len(got) > 1 else None
    row.entry = tuple(map(int, entry))
    row.came, row.expected = got[(step, *entry)].item(), expected[(step, *entry)].item()
    others = {name: value for name, value in names.items() if name != row.name}
    whole = finding.pairs[0].stacked
    row.how = describe(
        got[0] if whole else got,
        expected[0] if whole else expected,
        sizes=problem.sizes,
        gates=problem.gates,
        times="step",
        others={name: value[0] if whole else value for name, value in others.items()},
    )
    if finding.pairs[0].recomputed:
        where = "in the package's own program" if problem.compares_values else "in the forward pass"
        row.how.append(f"it is not what {finding.name} was {where}")
    if row.function != finding.site.scope or finding.site.kind == "argument":
        row.how.append(f"this is what {finding.site.scope} is given as {finding.site.name}")


def known_mistake(finding, judge):
    got, expected = stacked(finding, judge)
    return None if got is None else judge.name_mistake(got, expected, finding.site.name)


def stacked(finding, judge):
    """The values of a finding over time, and what they should be; of a function that is called for different things,
    the worst. (None, None) if that cannot be said."""
    if all(len({a.shape for a in arrays}) == 1 for arrays in (finding.got, finding.expected)):
        return np.stack(finding.got), np.stack(finding.expected)
    both = list(zip(finding.got, finding.expected, strict=True))
    if any(got.shape != expected.shape for got, expected in both):
        return None, None
    got, expected = max(both, key=lambda one: judge.error(*one))
    return got[None], expected[None]


def known_gradients(findings):
    """name -> true gradients, stacked over time, of all that was judged."""
    known = {}
    for finding in findings:
        if len({e.shape for e in finding.expected}) == 1 and not finding.pairs[0].recomputed:
            known[finding.site.name] = np.stack(finding.expected)
    return known


def merged(rows, functions):
    """One row for each line and name, the worst of several, in the order of the sources."""
    best = {}
    rank = {"wrong": 2, "unjudged": 0, "ok": 1}
    for row in rows:
        key = row.function, row.line, row.name
        if key not in best or rank[row.verdict] > rank[best[key].verdict]:
            best[key] = row
    rank = {name: k for k, name in enumerate(functions)}
    return sorted(best.values(), key=lambda row: (rank.get(row.function, len(rank)), row.function, row.line))
