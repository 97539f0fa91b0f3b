"""A sweep from its plan to its report."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tinyrnn.core.files import read_json, write_atomically, write_json
from tinyrnn.sweeps import report
from tinyrnn.sweeps.plan import Run, Sweep, read
from tinyrnn.sweeps.rows import Chosen, choose, row, write_csv
from tinyrnn.sweeps.running import run_all
from tinyrnn.sweeps.search import trials
from tinyrnn.training.run_folder import RunFolder


@dataclass(frozen=True)
class Swept:
    """What came out: a row for each finished run, and for each contender the combination that counts."""

    sweep: Sweep
    folder: Path
    rows: list[dict[str, Any]]
    chosen: dict[str, Chosen]

    @property
    def table(self) -> str:
        """The report's table, in Markdown."""
        return report.table(self.sweep, self.chosen)

    def __repr__(self) -> str:
        return f"{len(self.rows)} runs in {self.folder}\n{self.table}"


def sweep(
    plan: Any,
    out: Any,
    *,
    jobs: int = 2,
    scheduler: str | None = None,
    progress: bool = True,
    name: str = "sweep",
    title: str = "",
    published: Any = (),
) -> Swept:
    """Run a `Sweep`, a dict of its fields, or the TOML file of one, into the folder `out`.

    jobs: runs at a time on this machine, one core each; with `scheduler`, the address of a Dask scheduler, its workers
    decide. title: of the picture, if not the name. published: what a document has, for the picture (see
    `tinyrnn.sweeps.report.picture`).

    In the folder: runs.csv, a row a run; table.md; results.json; curves.png; runs/, a folder for each run. What is
    finished there is not run again, and what was begun goes on where its checkpoint is. Whatever ends the sweep, the
    table has the runs that are finished. Raises ValueError for a plan that cannot be, `RunsFailed`.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, got {jobs}")
    plan = Sweep(**plan) if isinstance(plan, dict) else plan if isinstance(plan, Sweep) else read(plan)
    place = Path(out) / "runs"
    mark = plan.mark
    runs: list[Run] = [] if plan.search else [run for run in plan.runs() if plan.first(run)]
    by = plan.by if plan.chooses else "test_loss"

    def finish(asked: list[Run]) -> list[float]:
        runs.extend(run for run in asked if run not in runs)
        run_all({place / run.folder: run.settings for run in asked}, jobs, scheduler, progress, name)
        found = [read_json(RunFolder(place / run.folder).result).get(by) for run in asked]
        return [math.inf if loss is None else loss for loss in found]

    try:
        if plan.search:
            for contender in plan.contenders:
                trials(plan, contender, finish)
        else:
            finish(runs)
            if plan.screen:
                best = choose(plan, rows_of(plan, runs, place, mark))
                finish([run for run in plan.runs() if run.values == best[run.contender].values])
    finally:
        found = rows_of(plan, runs, place, mark)
        if found:
            write_csv(Path(out) / "runs.csv", found)
    swept = Swept(plan, Path(out), found, choose(plan, found))
    write(swept, name, title or name, published)
    return swept


def rows_of(plan: Sweep, runs: list[Run], place: Path, mark: float | None) -> list[dict[str, Any]]:
    """The rows of those that are finished."""
    return [line for run in runs if (line := row(plan, run, place, mark)) is not None]


def write(swept: Swept, name: str, title: str, published: Any) -> None:
    """Table, numbers and picture of a finished sweep."""
    plan, folder = swept.sweep, swept.folder
    source = f" ({plan.source})" if plan.source else ""
    page = f"# {name}\n\n" + (f"{plan.claim}.{source}\n\n" if plan.claim else "") + f"{swept.table}\n"
    write_atomically(folder / "table.md", lambda path: path.write_text(page, encoding="utf-8"))
    numbers = [{"contender": c.contender, "values": c.values, "runs": c.rows} for c in swept.chosen.values()]
    write_json(folder / "results.json", numbers)
    draw = lambda path: report.picture(path, title, plan, swept.chosen, folder / "runs", published)  # noqa: E731
    write_atomically(folder / "curves.png", draw)
