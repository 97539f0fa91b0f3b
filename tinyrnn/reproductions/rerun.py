"""A figure or table rerun: what it will cost, its runs, its claims, and a page of all that."""

import time
from pathlib import Path
from typing import Any

import numpy as np

import tinyrnn
from tinyrnn.core.files import write_atomically, write_json
from tinyrnn.figures import ANALYSES
from tinyrnn.figures.entry import write as write_analysis
from tinyrnn.reproductions.claims import Verdict
from tinyrnn.reproductions.entry import Reproduction
from tinyrnn.sweeps.execution import Swept, sweep
from tinyrnn.sweeps.plan import Sweep
from tinyrnn.training.trainer import Trainer

TIMED = 2  # updates of each network, after a first one, by which the cost of the others is told


def rerun(
    name: str, entry: Reproduction, scale: str, out: Any, seeds: int | None = None, progress: bool = True, **where: Any
) -> None:
    """Run one into the folder `out`, and write page.md and results.json there; what is finished is not run again.

    seeds: instead of those of the scale. where: `jobs` and `scheduler`, as `tinyrnn.sweeps.execution.sweep` takes them.
    """
    folder = Path(out)
    print(f"{name}: {entry.title}\n({entry.source})")
    page, numbers = [f"# {name}\n\n{entry.title} ({entry.source}), {scale}.\n"], {}
    for analysis in entry.analyses:
        found = ANALYSES[analysis].run()
        paths = write_analysis(analysis, found, folder)
        page += [f"## {analysis}\n", *(f"* {line}" for line in found.lines), ""]
        print("\n".join(f"  {line}" for line in found.lines), f"\n  files: {', '.join(map(str, paths))}")
    for panel, plan in sweeps(entry, scale, seeds).items():
        title = f"{name}, {panel}" if panel else name
        place = folder / panel.replace(", ", "-").replace("=", "") if panel else folder
        print(f"{title}: {cost(plan, place)}")
        swept = sweep(plan, place, name=title, published=entry.published.get(panel, ()), progress=progress, **where)
        verdicts = judged(entry, panel, swept)
        page += [*([f"## {panel}\n"] if panel else []), swept.table, "", *claims(verdicts), ""]
        numbers[panel] = {"verdicts": {text: verdict._asdict() for text, verdict in verdicts.items()}}
        print(swept.table, *claims(verdicts), sep="\n")
    if entry.ours:
        page.append(f"Chosen by us: {entry.ours}.\n")
    about = {"name": name, "scale": scale, "tinyrnn": tinyrnn.__version__, "numpy": np.__version__}
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "verdicts.json", {**about, "panels": numbers})
    write_atomically(folder / "page.md", lambda path: path.write_text("\n".join(page), encoding="utf-8"))
    print(f"page, numbers and pictures: {folder}")


def sweeps(entry: Reproduction, scale: str, seeds: int | None = None) -> dict[str, Sweep]:
    """The sweeps of a scale, with another number of seeds if one is given."""
    from dataclasses import replace

    found = entry.runs(scale) if entry.runs else {}
    return {panel: replace(plan, seeds=seeds) if seeds else plan for panel, plan in found.items()}


def judged(entry: Reproduction, panel: str, swept: Swept) -> dict[str, Verdict]:
    """The verdict on each claim, by its text."""
    return {claim.text: claim.verdict(swept.sweep, swept.chosen) for claim in entry.claims_of(panel)}


def claims(verdicts: dict[str, Verdict]) -> list[str]:
    """A line for each claim."""
    return [f"* {text}: **{verdict.word}** ({verdict.why})" for text, verdict in verdicts.items()]


def cost(plan: Sweep, folder: Path) -> str:
    """How many runs are still to be made, and how long that takes, by timing an update of each contender."""
    left = plan.asked(lambda run: (folder / "runs" / run.folder / "result.json").exists())
    if not any(left.values()):
        return "all runs are finished"
    first = {run.contender: run.settings for run in reversed(plan.runs()) if left[run.contender]}
    each = {}
    for contender, settings in first.items():
        trainer = Trainer(settings, None)
        trainer.update()  # compiled now, if it was not before
        begun = time.process_time()
        for _ in range(TIMED):
            trainer.update()
        each[contender] = (time.process_time() - begun) / TIMED
    seconds = sum(each[contender] * settings.updates * left[contender] for contender, settings in first.items())
    span = f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
    return f"{sum(left.values())} runs, about {span} of one core"
