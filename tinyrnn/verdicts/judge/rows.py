"""The rows of a report: what is said of one line, in numbers and in words."""

import copy

import numpy as np

from tinyrnn.checking.differences import describe, worst_entry
from tinyrnn.sources import Site
from tinyrnn.verdicts.report import LineVerdict


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
    partner = site.name if finding.matches[0].recomputed else finding.name
    row = LineVerdict(function, line, site.name, partner, verdict, finding.error, times=len(finding.got))
    if finding.accused:
        explain(row, finding, judge, names)
    return row


def rows_of_repair(repair, judge):
    """The `LineVerdict`s on what a repair puts right; on a line that computes nothing, of the line itself."""
    if repair.parts:
        for part in repair.parts:
            for row in rows_of_repair(part, judge):
                row.how.append("this line and another one are wrong, and it is judged with the other put right")
                yield row
        return
    if repair.units:
        yield from (row for unit in repair.units for row in rows_of_unit(unit, repair, judge))
        return
    for scope, line in repair.places:
        how = ["with a small change of this line all results are right"]
        yield LineVerdict(scope, line, "line", None, "wrong", how=how)


def rows_of_unit(unit, repair, judge):
    """The `LineVerdict` on what a unit computes, accused by what its repair puts there."""
    places = [place for place in repair.values if repair.run.units[place][0] == unit][::-1]  # as the forward pass ran
    got, expected = [[values[place] for place in places] for values in (repair.run.came, repair.values)]
    function, line = min(repair.places) if unit.is_handed_on and len(repair.units) == 1 else unit.place
    row = LineVerdict(function, line, unit.site.name, None, "wrong", times=len(got))
    row.error = max(judge.error(a, b) for a, b in zip(got, expected, strict=True))
    alike = {a.shape for a in (*got, *expected)}
    if len(alike) == 1:
        got, expected = np.stack(got), np.stack(expected)
        step, *entry = worst_entry(got, expected)
        row.step, row.entry = int(step) if len(got) > 1 else None, tuple(map(int, entry))
        row.came, row.expected = got[(step, *entry)].item(), expected[(step, *entry)].item()
        row.how = describe(got, expected, sizes=judge.problem.sizes, gates=judge.problem.gates, times="step")
        row.mistake = judge.name_mistake(got, expected, unit.site.name)
    yield row


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
    whole = finding.matches[0].stacked
    row.how = describe(
        got[0] if whole else got,
        expected[0] if whole else expected,
        sizes=problem.sizes,
        gates=problem.gates,
        times="step",
        others={name: value[0] if whole else value for name, value in others.items()},
    )
    if finding.matches[0].recomputed:
        where = "in the package's own program" if problem.compares_values else "in the forward pass"
        row.how.append(f"it is not what {finding.name} was {where}")
    if row.function != finding.site.scope or finding.site.kind == "argument":
        row.how.append(f"this is what {finding.site.scope} is given as {finding.site.name}")


def known_mistake(finding, judge):
    """The known mistake whose numbers the values of a finding are, or None."""
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
        if len({e.shape for e in finding.expected}) == 1 and not finding.matches[0].recomputed:
            known[finding.site.name] = np.stack(finding.expected)
    return known
