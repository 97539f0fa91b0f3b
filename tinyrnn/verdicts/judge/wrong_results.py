"""What is said of results that are wrong even with the accused lines corrected: which line gives or hands on each."""

from tinyrnn.sources.vocabulary import stems
from tinyrnn.verdicts.record.leaves import last_of
from tinyrnn.verdicts.record.run import floats
from tinyrnn.verdicts.repair.gradient_names import meant
from tinyrnn.verdicts.repair.kinds_of_came import fits
from tinyrnn.verdicts.repair.locate import is_among
from tinyrnn.verdicts.report import LineVerdict


def add_wrong_results(report, problem, verdict):
    """Add what is said of results that are wrong even with the accused lines corrected: a row where it is known which
    function returns them, else a problem."""
    for name in verdict.left_wrong:
        maker = problem.maker(name)
        if maker is not None:
            sites = [s for scope in problem.scopes for s in verdict.sites.get(scope, ())]
            entries = [s for s in sites if (s.kind, s.name) == ("value", name) and is_given_in(s, name, verdict)]
            site = (entries or [s for s in verdict.sites[maker] if s.kind == "return"])[0]
            site = site if entries else setter(site, name, verdict) or maker_of(name, verdict) or site
            how = [f"the gradient of {name} is wrong as it is returned"]
            report.rows.append(
                LineVerdict(
                    site.scope,
                    site.line,
                    site.name if site.kind != "return" and not entries else "return",
                    None,
                    "wrong",
                    how=how,
                )
            )
        elif not (problem.compares_values and report.wrong):
            what = name if problem.compares_values else f"the gradient of {name}"
            report.problems.append(f"{what} is wrong, and not because of a line that can be judged")


def is_given_in(site, name, verdict):
    """Whether the gradient of an input that comes out is what stands in a dict in some line: weights go by that name,
    too."""
    values = [floats(event.value) for event in verdict.events if event.site == site]
    return verdict.search is None or any(is_among(value, came_as(name, verdict.search)) for value in values[-1:])


def maker_of(name, verdict):
    """The site that first gives what comes out as the gradient of an input under its name, where that has the wrong
    shape; None if there is none."""
    came = came_as(name, verdict.search) if verdict.search else []
    wanted = verdict.search.results.wanted[name] if came else None
    if not came or fits(came[0], wanted):
        return None
    made = [unit for unit, value in verdict.search.base.units.values() if is_among(value, came) and unit.computes]
    called = [unit.site for unit in made if meant(unit.site.name, name) or unit.site.name == last_of(name)]
    return next((site for site in called if site.kind != "return"), None)


def came_as(name, search):
    """[what comes out as the gradient of an input]."""
    came = search.replay.problem.came(search.base.result, search.results.pairs)
    return [one.array for one in came if search.results.pairs.get(one.place) == name]


def setter(returning, name, verdict):
    """Where the variable that a `return` hands on as the gradient of an input is set last; None where that is not
    known, or only parts of it are set there."""
    search, place = verdict.search, (returning.scope, returning.line)
    meant = [own for _, own in returning.uses if any(stem == name for stem, _ in stems(own))]
    meant = [own for own in meant if search and search.editing.hands_on(*place, own)]
    sites = [e.site for e in verdict.events if e.site.scope == returning.scope and e.site.name in meant]
    last = next((site for site in reversed(sites) if site.kind not in ("return", "load", "carry")), None)
    return last if last and last.kind in ("assign", "augment", "transform") else None  # as a whole
