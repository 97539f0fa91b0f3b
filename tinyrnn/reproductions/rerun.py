"""A figure or table rerun: what it will cost, its runs, its claims, and a page of all that."""

import textwrap
import time
from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

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
    panels: Sequence[str] = (),
    **where: Any,
) -> None:
    """Run one into the folder `out`, and write page.md and record.json there; what is finished is not run again.

    seeds: instead of those of the scale. keep: a folder that gets a copy of the record, as NAME-SCALE.json, and its
    runs, as NAME-SCALE.csv. panels: only these are run; page and record also have what else is finished in `out` or was
    kept. where: `jobs` and `scheduler`, as `tinyrnn.sweeps.execution.sweep` takes them. Raises ValueError for a panel
    that there is not, and what a sweep raises.
    """
    folder, kept = Path(out), Path(keep) / f"{name}-{scale}.json" if keep else None
    plans = sweeps(entry, scale, seeds)
    for panel in panels:
        if panel not in plans:
            has = f"it has {', '.join(plans)}" if any(plans) else "it is in one piece"
            raise ValueError(f"{name} has no panel {panel!r} at {scale}; {has}")
    old = record.read(kept) if panels and kept and kept.exists() else None
    if panels:
        there = old["panels"] if old else {}
        plans = {p: plan for p, plan in plans.items() if p in panels or (p not in there and finished(folder, p, plan))}
    print(f"{name}: {entry.title}\n({entry.source})")
    analyses = computed(name, entry, scale, folder, keep, where.get("jobs", 1))
    parts = made(name, entry, plans, folder, progress, analyses, **where)
    parts, seconds = record.merged(old, parts, sweeps(entry, scale)) if old else (parts, record.seconds_of(parts))
    for path in [folder / "record.json", *([kept] if kept else [])]:
        path.parent.mkdir(parents=True, exist_ok=True)
        record.write(path, name, entry, scale, seconds, parts)
    if kept and entry.runs:
        record.write_runs(kept.with_suffix(".csv"), parts)
    text = written(entry, record.read(folder / "record.json"))
    page = f"# {name}\n\n{entry.title} ({entry.source}), {scale}.\n\n{text}\n\n{by_us(entry)}".strip() + "\n"
    write_atomically(folder / "page.md", lambda path: path.write_text(page, encoding="utf-8"))
    print(f"page, numbers and pictures: {folder}")


def made(
    name: str, entry: Reproduction, plans: dict[str, Sweep], folder: Path, progress: bool, analyses: dict, **where: Any
) -> dict[str, dict[str, Any]]:
    """The record of what came out of all sweeps, each said as it comes, and of `analyses`. Raises what a sweep
    raises."""
    parts: dict[str, dict[str, Any]] = {"analyses": analyses, "panels": {}}
    about = {"versions": record.versions()}  # now: the files may be others when a long run ends
    if plans:
        print(f"{name}: {cost({panel: (plan, place(folder, panel)) for panel, plan in plans.items()})}")
    for panel, plan in plans.items():
        title = f"{name}, {panel}" if panel else name
        drawn = {"title": named(entry, panel), "published": entry.published.get(panel, ())}
        with record.timed(place(folder, panel), keeps=True) as spent:
            swept = sweep(plan, place(folder, panel), name=title, progress=progress, **drawn, **where)
            parts["panels"][panel] = {**record.compared(swept), **about, "cpu_seconds": spent()}
        print(f"{title}:\n{swept.table}")
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
        with record.timed(folder, keeps=False) as spent:
            result = run(**side_by_side, **options.get(analysis, {}))
            caption(result.figure, entry.published.get(analysis, ()))
            paths = write_analysis(analysis, result, folder)
            found[analysis] = {**record.analysed(result), "cpu_seconds": spent()}
        print("\n".join(f"  {line}" for line in result.lines), f"\n  files: {', '.join(map(str, paths))}")
    return found


def measured(name: str, scale: str, keep: Any = None) -> str:
    """What a record says that it cost; the folders of records are those of `keep` and of the repository."""
    for kept in [*([Path(keep)] if keep else []), RECORDS]:
        path = kept / f"{name}-{scale}.json"
        if path.exists():
            return f"it took {span(record.read(path)['cpu_seconds'])} of one core, as {path.name} says"
    return "how long it takes has not been measured"


def place(folder: Path, panel: str) -> Path:
    """The folder of a panel."""
    return folder / panel.replace(", ", "-").replace("=", "") if panel else folder


def finished(folder: Path, panel: str, plan: Sweep) -> bool:
    """Whether all runs of a panel are made."""
    return not any(left(plan, place(folder, panel)).values())


def left(plan: Sweep, folder: Path) -> dict[str, int]:
    """For each contender how many runs are still to be made."""
    return plan.asked(lambda run: (folder / "runs" / run.folder / "result.json").exists())


def caption(figure: Figure, published: Any) -> None:
    """Write below a picture what the document has."""
    if published:
        words = f"The document has: {in_words(published)}"
        figure.supxlabel(textwrap.fill(words, int(13 * figure.get_figwidth())), fontsize="small")


def in_words(published: Any) -> str:
    """What a document has, as a list in words; see `Reproduction.published`."""
    if isinstance(published, dict):
        return "; ".join(f"{label}: {value:.1%}" for label, value in published.items())
    return "; ".join(" ".join([text, *(f"({value:.4g})" for value in where[:1])]) for text, *where in published)


def named(entry: Reproduction, panel: str) -> str:
    """The title of a picture: what it shows, and where it is from."""
    title = f"{entry.title[0].upper()}{entry.title[1:]}{f': {panel}' if panel else ''}"
    return "\n".join([*even_lines(title), *even_lines(f"({entry.source})")])


def even_lines(text: str, width: int = 66) -> list[str]:
    """A text as lines of at most so many letters, no more of them than need be, the longest as short as it can be."""
    every = [textwrap.wrap(text, narrower) for narrower in range(width // 2, width + 1)]
    return min(every, key=lambda lines: (len(lines), max(map(len, lines))))


def written(entry: Reproduction, parts: dict[str, Any]) -> str:
    """Markdown: for each part what came out, and the verdicts on what is claimed of it."""
    page = []
    for part, verdicts in record.verdicts(entry, parts).items():
        page += [f"## {part}\n"] if part else []
        if part in parts["analyses"]:
            page += [*(f"* {line}" for line in parts["analyses"][part]["lines"]), ""]
        else:
            page += [parts["panels"][part]["table"], ""]
        published = in_words(entry.published.get(part, ()))
        page += [f"The document has: {published}.", ""] if published else []
        page += [*claims(verdicts), ""] if verdicts else []
    if parts.get("missing"):
        page.append(f"Not run at this scale yet: {', '.join(parts['missing'])}.")
    return "\n".join(page).strip()


def by_us(entry: Reproduction) -> str:
    """What settings the document does not give, or that were changed."""
    return f"Chosen by us: {entry.ours}." if entry.ours else ""


def sweeps(entry: Reproduction, scale: str, seeds: int | None = None) -> dict[str, Sweep]:
    """The sweeps of a scale, with another number of seeds if one is given."""
    from dataclasses import replace

    found = entry.runs(scale) if entry.runs else {}
    return {panel: replace(plan, seeds=seeds) if seeds else plan for panel, plan in found.items()}


def claims(verdicts: dict[str, Verdict]) -> list[str]:
    """A line for each claim."""
    return [f"* {text}: **{verdict.word}** ({verdict.why})" for text, verdict in verdicts.items()]


def cost(plans: dict[str, tuple[Sweep, Path]]) -> str:
    """How many runs of all panels are still to be made, and how long that takes, by timing an update of each contender.

    plans: panel -> its sweep and its folder.
    """
    runs, seconds = 0, 0.0
    for plan, folder in plans.values():
        asked = left(plan, folder)
        first = {run.contender: run.settings for run in reversed(plan.runs()) if asked[run.contender]}
        runs += sum(asked.values())
        seconds += sum(update_time(own) * own.updates * asked[contender] for contender, own in first.items())
    if not runs:
        return "all runs are finished"
    of = f" of {len(plans)} panels" if len(plans) > 1 else ""
    return f"{runs} runs{of}, about {span(seconds)} of one core"


def span(seconds: float) -> str:
    """A time in words."""
    if seconds < 600:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


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
