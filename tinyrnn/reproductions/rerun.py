"""A figure or table rerun: what it will cost, its runs, its claims, and a page of all that."""

import textwrap
import time
from inspect import signature
from pathlib import Path
from typing import Any

from tinyrnn.core.files import write_atomically
from tinyrnn.figures import ANALYSES
from tinyrnn.figures.entry import write as write_analysis
from tinyrnn.reproductions import record
from tinyrnn.reproductions.claims import Verdict
from tinyrnn.reproductions.entry import Reproduction
from tinyrnn.sweeps.execution import sweep
from tinyrnn.sweeps.plan import Sweep
from tinyrnn.training.failures import Diverged
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

RECORDS = Path(__file__).parents[2] / "lectures" / "results"  # where the repository is
TIMED = 2  # updates of each network, after a first one, by which the cost of the others is told


def rerun(
    name: str,
    entry: Reproduction,
    scale: str,
    out: Any,
    seeds: int | None = None,
    progress: bool = True,
    keep: Any = None,
    **where: Any,
) -> None:
    """Run one into the folder `out`, and write page.md and record.json there; what is finished is not run again.

    seeds: instead of those of the scale. keep: a folder that gets a copy of the record, as NAME-SCALE.json, and its
    runs, as NAME-SCALE.csv. where: `jobs` and `scheduler`, as `tinyrnn.sweeps.execution.sweep` takes them.
    """
    folder = Path(out)
    print(f"{name}: {entry.title}\n({entry.source})")
    with record.timed(folder, keeps=bool(entry.runs)) as spent:
        analyses = computed(name, entry, scale, folder, keep, where.get("jobs", 1))
        parts = made(name, entry, sweeps(entry, scale, seeds), folder, progress, analyses, **where)
        for path in [folder / "record.json", *([Path(keep) / f"{name}-{scale}.json"] if keep else [])]:
            path.parent.mkdir(parents=True, exist_ok=True)
            record.write(path, name, entry, scale, spent(), parts)
    if keep and entry.runs:
        record.write_runs(Path(keep) / f"{name}-{scale}.csv", parts)
    page = f"# {name}\n\n{entry.title} ({entry.source}), {scale}.\n\n{written(entry, parts)}\n"
    write_atomically(folder / "page.md", lambda path: path.write_text(page, encoding="utf-8"))
    print(f"page, numbers and pictures: {folder}")


def made(
    name: str, entry: Reproduction, plans: dict[str, Sweep], folder: Path, progress: bool, analyses: dict, **where: Any
) -> dict[str, dict[str, Any]]:
    """The record of what came out of all sweeps, each said as it comes, and of `analyses`. Raises what a sweep
    raises."""
    parts: dict[str, dict[str, Any]] = {"analyses": analyses, "panels": {}}
    for panel, plan in plans.items():
        title = f"{name}, {panel}" if panel else name
        place = folder / panel.replace(", ", "-").replace("=", "") if panel else folder
        print(f"{title}: {cost(plan, place)}")
        drawn = {"title": named(entry, panel), "published": entry.published.get(panel, ())}
        swept = sweep(plan, place, name=title, progress=progress, **drawn, **where)
        parts["panels"][panel] = record.compared(swept)
        print(swept.table)
    verdicts = record.verdicts(entry, parts)
    print(*(line for of in verdicts.values() for line in claims(of)), sep="\n")
    return parts


def computed(name: str, entry: Reproduction, scale: str, folder: Path, keep: Any, jobs: int) -> dict[str, Any]:
    """The record of what came out of all analyses at a scale; what they cost is said first, if it has been measured.

    jobs: networks trained at a time, where an analysis trains several.
    """
    found: dict[str, Any] = {}
    if entry.analyses:
        print(f"{name}: {'' if entry.options else 'of one size, whatever the scale; '}{measured(name, scale, keep)}")
    options = entry.options(scale) if entry.options else {}
    for analysis in entry.analyses:
        run = ANALYSES[analysis].run
        side_by_side = {"jobs": jobs} if "jobs" in signature(run).parameters else {}
        result = run(**side_by_side, **options.get(analysis, {}))
        paths = write_analysis(analysis, result, folder)
        found[analysis] = record.analysed(result)
        print("\n".join(f"  {line}" for line in result.lines), f"\n  files: {', '.join(map(str, paths))}")
    return found


def measured(name: str, scale: str, keep: Any = None) -> str:
    """What a record says that it cost; the folders of records are those of `keep` and of the repository."""
    for place in [*([Path(keep)] if keep else []), RECORDS]:
        path = place / f"{name}-{scale}.json"
        if path.exists():
            return f"it took {record.read(path)['cpu_seconds'] / 60:.1f} minutes of one core, as {path.name} says"
    return "how long it takes has not been measured"


def named(entry: Reproduction, panel: str) -> str:
    """The title of a picture: what it shows, and where it is from."""
    return (
        textwrap.fill(f"{entry.title[0].upper()}{entry.title[1:]}{f', {panel}' if panel else ''}", 80)
        + f"\n({entry.source})"
    )


def written(entry: Reproduction, parts: dict[str, Any]) -> str:
    """Markdown: for each part what came out, and the verdicts on what is claimed of it."""
    page = []
    for part, verdicts in record.verdicts(entry, parts).items():
        page += [f"## {part}\n"] if part else []
        if part in parts["analyses"]:
            page += [*(f"* {line}" for line in parts["analyses"][part]["lines"]), ""]
        else:
            page += [parts["panels"][part]["table"], ""]
        page += [*claims(verdicts), ""] if verdicts else []
    return "\n".join([*page, *([f"Chosen by us: {entry.ours}."] if entry.ours else [])]).strip()


def sweeps(entry: Reproduction, scale: str, seeds: int | None = None) -> dict[str, Sweep]:
    """The sweeps of a scale, with another number of seeds if one is given."""
    from dataclasses import replace

    found = entry.runs(scale) if entry.runs else {}
    return {panel: replace(plan, seeds=seeds) if seeds else plan for panel, plan in found.items()}


def claims(verdicts: dict[str, Verdict]) -> list[str]:
    """A line for each claim."""
    return [f"* {text}: **{verdict.word}** ({verdict.why})" for text, verdict in verdicts.items()]


def cost(plan: Sweep, folder: Path) -> str:
    """How many runs are still to be made, and how long that takes, by timing an update of each contender."""
    left = plan.asked(lambda run: (folder / "runs" / run.folder / "result.json").exists())
    if not any(left.values()):
        return "all runs are finished"
    first = {run.contender: run.settings for run in reversed(plan.runs()) if left[run.contender]}
    seconds = sum(update_time(settings) * settings.updates * left[contender] for contender, settings in first.items())
    span = f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
    return f"{sum(left.values())} runs, about {span} of one core"


def update_time(settings: Settings) -> float:
    """CPU seconds of an update, a mean of a few; 0 where the run diverges before that, for then it ends there."""
    trainer = Trainer(settings, None)
    try:
        trainer.update()  # compiled now, if it was not before
        begun = time.process_time()
        for _ in range(TIMED):
            trainer.update()
    except Diverged:
        return 0.0
    return (time.process_time() - begun) / TIMED
