"""The report on a problem: which lines of a backward pass written by hand are wrong, each judged on its own, and how.

The forward pass is rewritten so that every value with a name can be changed a little, which gives its true gradient;
the backward pass so that each assignment to `dfoo` is compared with the gradient of `foo` and, where it is wrong,
replaced by it. See `tinyrnn.verdicts.judge.pairing` for what belongs to what and `tinyrnn.verdicts.judge.judging` for
when a line is accused.
"""

from tinyrnn.sources import source_lines
from tinyrnn.verdicts.hints import Remedy
from tinyrnn.verdicts.judge.judging import Judge
from tinyrnn.verdicts.judge.rows import known_gradients, rows_of_repair, verdicts_on
from tinyrnn.verdicts.judge.why import reasons
from tinyrnn.verdicts.judge.wrong_results import add_wrong_results
from tinyrnn.verdicts.name.slips import name_of_edit, where
from tinyrnn.verdicts.repair import patience
from tinyrnn.verdicts.repair.change import FORMULA, PIECE, TOKEN
from tinyrnn.verdicts.report import DOUBT, GUESS, LineReport, LineVerdict

OPEN = "no line, nor two, with which put right all would be right and make sense: several mistakes, or one of structure"
SLIGHT = "by so little that no line need be at fault: a small number left out or put in, or a series that is cut off"
BROKEN = "the search for the line broke off, by a mistake in tinyrnn and not in this program, with {}"
TOO_LARGE = "which line it is takes too long to find out with arrays of this size: give smaller inputs"
CUT_OFF = "the search was broken off after {:g} s: with smaller inputs it would be done"
OUT_OF_PLACE = "wrong: the gradient of {} is returned where that of {} would be, by the order of all others"
MISSHAPEN = "what is returned does not all have the shape of what it should be the gradient of"
AS_GOOD = "or else {}: a small change there makes all results right as well"
INNOCENT = "it is not the gradient its name says, and is not used as that either"


def report_on(problem, judge=None, program=None, remedies=False):
    """The `LineReport` on a problem; judge and program are made if not given. remedies: whether to look for them."""
    judge, program = judge or Judge(problem, problem.truth()), program or problem.program()
    verdict = judge.judge(program)
    report = LineReport(problem.title)
    report.sources = [(f.__qualname__, source_lines(f)) for f in problem.shown]
    missing = left_out(judge, verdict)
    for rows in (missing, rows_of_findings(judge, verdict, missing), rows_of_failures(verdict)):
        report.rows += rows
    report.problems += [text for (_, line), text in verdict.failures.items() if line is None]
    report.not_compared = [told(one) for one in verdict.unpaired]
    if verdict.search is not None:
        compared = verdict.search.results.pairs.values()
        report.not_compared += [changed(name) for name in problem.unlike if name not in compared]
        report.compared = len(verdict.search.results.pairs)
        report.notes += out_of_turn(problem.order, verdict.search.results)
        report.problems += [OUT_OF_PLACE.format(*pair) for pair in verdict.search.results.exchanged]
    if verdict.repair is not None:
        rows = rows_of_repair(verdict.repair, judge)
        report.rows += [row for row in rows if (row.function, row.line) not in verdict.doubtful]
    if verdict.doubtful:
        report.rows = [row for row in report.rows if (row.function, row.line) not in verdict.doubtful]
        report.rows += rows_of_doubt(verdict)
    if verdict.is_open or verdict.doubtful:
        names = ", ".join(verdict.search.wrong)
        why = TOO_LARGE if verdict.search.solver.gave_up else never_set(verdict.search) or OPEN
        why = SLIGHT if verdict.search.is_slight else why
        why = told_of_doubt(verdict) if verdict.doubtful else why
        why = BROKEN.format(verdict.broken_by) if verdict.broken_by else why
        if verdict.is_cut_off:
            why = "; ".join([why] * bool(verdict.doubtful) + [CUT_OFF.format(patience.SECONDS)])
        report.problems.append(f"wrong: the gradient of {names}; {why}")
    if verdict.is_cut_off and not (verdict.is_open or verdict.doubtful):
        report.notes.append(CUT_OFF.format(patience.SECONDS))
    if not missing:
        add_wrong_results(report, problem, verdict)
    report.reasons = reasons(judge, verdict)
    if judge.recognised is not None:
        report.recognition = judge.recognised.describe()
    if judge.recognised:
        is_wrong = judge.recognised.is_mistaken
        (report.problems if is_wrong else report.notes).append(report.recognition)
    accused = {row.function for row in report.wrong} - {function for function, _ in report.sources}
    report.sources += [(f.__qualname__, source_lines(f)) for f in program.originals() if f.__qualname__ in accused]
    report.rows = merged(report.rows, [function for function, _ in report.sources])
    name_by_edit(report.wrong, verdict)
    if report.wrong and verdict.chosen and verdict.chosen.others:
        report.wrong[-1].how.append(AS_GOOD.format(where_all(verdict.chosen.others)))
    report.wrong_results = list(verdict.search.wrong) if verdict.search is not None else []
    if report.wrong_results and not (report.wrong or report.problems):
        report.problems.append(f"wrong: the gradient of {', '.join(report.wrong_results)}; {MISSHAPEN}")
    if remedies:
        report.remedies = remedies_of(report.wrong, verdict)
    if not judge.truth.by_complex_step:
        report.notes.append(
            f"judged by central differences, to {judge.truth.tolerance:.0e}: the forward pass is not fit for the "
            f"complex step ({judge.truth.reason})"
        )
    return report


def name_by_edit(wrong, verdict):
    """Name the mistakes of the accused lines, but those of the forward pass, by what puts all results right, where no
    numbers have a name."""
    if any(row.mistake for row in wrong) or verdict.search is None or verdict.failures:
        return
    edits = edits_of(verdict, dict.fromkeys((row.function, row.line) for row in wrong), PIECE)
    for row in {(row.function, row.line): row for row in reversed(wrong)}.values():
        edit = next((edit for edit in edits if edit and edit.place == (row.function, row.line)), None)
        row.mistake = None if edit and edit.is_of_forward else name_of_edit(edit)


def edits_of(verdict, places, most):
    """The `Edit`s, of a weight up to `most`, with which all results are right; of several lines, those that were found
    together."""
    parts = verdict.chosen.parts if verdict.chosen else ()
    return [part.edit for part in parts] or ([edit_of(verdict, *places, most)] if len(places) == 1 else [])


def edit_of(verdict, place, most=PIECE):
    """The smallest `Edit`, of a weight up to `most`, of the one accused line with which all results are right, or
    None."""
    edit, search = verdict.chosen and verdict.chosen.edit, verdict.search
    if edit and edit.place == place:
        return edit
    return next(filter(None, (search.edit(place, weight) for weight in range(TOKEN, most + 1))), None)


def remedies_of(wrong, verdict):
    """A `Remedy` for each accused line of which it is known what would put all results right."""
    places = dict.fromkeys((row.function, row.line) for row in wrong)
    if verdict.search is None or verdict.failures:
        return []
    edits = [edit for edit in edits_of(verdict, places, FORMULA) if edit and edit.place in places]
    return [Remedy(*edit.place, edit.before, edit.after, where(edit)) for edit in edits]


def told(came):
    """What is said of an array that came out and was not compared."""
    place = "".join(f"[{key!r}]" for key in came.place)
    what = came.name or (f"returned{place}" if place else "what is returned")
    if came.is_stub:
        return f"not compared: {what}, which is no array"
    return f"not compared: {what}, of shape {came.array.shape}, which is not known to be any input's gradient"


def never_set(search):
    """`self.db is never set or added to` of what is wrong as it stays zero and nothing writes to it; "" if that is not
    so of all that is wrong."""
    written = {unit.site.name for unit, _ in search.base.units.values()}
    came = search.replay.problem.came(search.base.result, search.results.pairs)
    wrong = [one for one in came if search.results.pairs.get(one.place) in search.wrong]
    idle = [one for one in wrong if one.is_stored and not one.array.any() and one.place[-1] not in written]
    names = [f"self.{'.'.join(map(str, one.place[1:]))}" for one in idle]
    names += search.never_set([one.place for one in wrong if not one.is_stored and not one.array.any()])
    return f"{', '.join(names)} is never set or added to" if names and len(names) == len(search.wrong) else ""


def out_of_turn(order, results):
    """What is said of gradients that are returned in another order than that of the arguments of their shapes: by their
    names they are right, and whoever takes them in order takes one for another."""
    places = sorted(place for place in results.pairs if len(place) == 1 and isinstance(place[0], int))
    names = [results.pairs[place] for place in places if results.pairs[place] in order]
    alike = [name for name in names if sum(results.wanted[name].shape == results.wanted[n].shape for n in names) > 1]
    wanted = sorted(alike, key=order.index)
    is_all = len(names) == len(order) > 1
    return [f"returned in the order {', '.join(alike)}; the arguments are {', '.join(wanted)}"] * (
        is_all and alike != wanted
    )


def changed(name):
    """What is said of a weight that the backward pass changes itself, in a way that does not tell its gradient."""
    return f"not compared: {name}, which the backward pass changes by something else than a multiple of its gradient"


def rows_of_findings(judge, verdict, missing):
    """Rows of what was judged, and of what could not be."""
    explained = []
    for row in missing:
        explained += [f for f in verdict.findings if f.site.scope == row.function and row.name in f.site.uses]
    names = known_gradients(verdict.findings)
    for finding in verdict.findings:
        if (finding.accused or not finding.wrong) and finding not in explained:
            yield from verdicts_on(finding, judge, names)
    for site, found in verdict.pairs.unnamed.items():
        yield LineVerdict(site.scope, site.line, site.name, found.partner, "ok", found.error, times=found.times)
    for site, reason in verdict.pairs.without.items():
        yield unjudged(site, reason)
    costs = verdict.repair.costs if verdict.repair and verdict.repair.is_weighed else {}
    explained = {unit.site for unit, cost in costs.items() if cost < 1}
    for site in (finding.site for finding in verdict.innocent):
        is_known = site in explained  # as the gradient of something else than its name says
        yield LineVerdict(site.scope, site.line, site.name, None, "ok") if is_known else unjudged(site, INNOCENT)


def rows_of_doubt(verdict):
    """Rows of the lines of which one is at fault."""
    for function, line in sorted(verdict.doubtful):
        names = [site.name for site in verdict.sites.get(function, ()) if site.line == line and site.name]
        others = verdict.doubtful - {(function, line)}
        how = [GUESS if verdict.chosen.is_guess else one_of(others, "this line or ")]
        yield LineVerdict(function, line, names[0] if names else "line", None, "unjudged", how=how)


def told_of_doubt(verdict):
    """What is said where no line is accused and some may be at fault."""
    if verdict.chosen.is_guess:
        return f"it may be {where_all(verdict.doubtful)}; {GUESS}"
    return one_of(verdict.doubtful)


def one_of(places, begin="one of these lines is at fault: "):
    """`line 3 or 5 of step`, and what it means that they are named together."""
    return f"{begin}{where_all(places)}; {DOUBT}"


def where_all(places):
    """`line 3 or 5 of step or line 7 of run` of some (scope, line)."""
    lines = {}
    for function, line in sorted(places):
        lines.setdefault(function, []).append(str(line))
    return " or ".join(f"line {' or '.join(numbers)} of {function}" for function, numbers in lines.items())


def unjudged(site, reason):
    """A `LineVerdict` "unjudged" at a site, with the reason as its only phrase."""
    return LineVerdict(site.scope, site.line, site.name, None, "unjudged", how=[reason])


def rows_of_failures(verdict):
    """Rows of the lines that raise an error."""
    for (scope, line), text in verdict.failures.items():
        if line is not None:
            yield LineVerdict(scope, line, "error", None, "wrong", how=[f"it raises {text}"])


def left_out(judge, verdict):
    """A wrong row for each assignment in the right run of a source that has no like in the run on trial; none where
    they are not the same source."""
    problem, right, events = judge.problem, judge.truth.events, verdict.events
    if not (problem.compares_values and problem.same_source):
        return []
    there = {(event.where, event.site.line) for event in events}
    sites = dict.fromkeys(event.site for event in right if (event.where, event.site.line) not in there)
    called = {event.site.scope for event in events} & set(problem.scopes)
    how = ["nothing is assigned here"]
    return [
        LineVerdict(site.scope, site.line, site.name, site.name, "wrong", how=how)
        for site in sites
        if site.scope in called and site.kind not in ("argument", "return")
    ]


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
