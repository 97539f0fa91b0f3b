"""What is kept of a figure or table that was rerun: a small file, from which the page of results is made."""

import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import tinyrnn
from tinyrnn.core.files import check_label, read_json, write_json
from tinyrnn.figures.entry import plain
from tinyrnn.reproductions.claims import Computed, Verdict
from tinyrnn.reproductions.entry import Reproduction
from tinyrnn.sweeps.execution import Swept
from tinyrnn.sweeps.plan import Sweep
from tinyrnn.sweeps.rows import choose, curve, write_csv

FORMAT, VERSION = "tinyrnn-reproduction", 1
DIGITS = 6  # of the losses in a record


def cpu_seconds() -> float:
    """Seconds that this process and those that it has waited for have spent computing."""
    return sum(os.times()[:4])


def analysed(found: Any) -> dict[str, Any]:
    """The record of an analysis, of its `Result`."""
    return {"numbers": rounded(plain(found.numbers)), "lines": list(found.lines)}


def compared(swept: Swept) -> dict[str, Any]:
    """The record of a sweep: its plan, a row a run, and the mean curves of what was chosen."""
    curves = {}
    for label, chosen in swept.chosen.items():
        names = ("updates", "mean", "standard error")
        curves[label] = dict(zip(names, map(plain, curve(chosen, swept.folder / "runs")), strict=True))
    kept = {"plan": asdict(swept.sweep), "runs": swept.rows, "curves": curves}
    return {**rounded(kept), "table": swept.table}


def rounded(value: Any) -> Any:
    """With floats to so many digits: what a run gives beyond that is another machine's rounding."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


@contextmanager
def timed(folder: Path, keeps: bool) -> Iterator[Callable[[], float]]:
    """Gives a function that says what CPU seconds were spent on what is in a folder so far; if it `keeps` them, they
    are noted there at the end, for who interrupts a run has paid for it too."""
    path, begun = folder / "spent.json", cpu_seconds()
    before = read_json(path)["cpu_seconds"] if keeps and path.exists() else 0.0

    def so_far() -> float:
        return before + cpu_seconds() - begun

    try:
        yield so_far
    finally:
        if keeps and folder.exists():
            write_json(path, {"cpu_seconds": round(so_far(), 1)})


def write(path: Path, name: str, entry: Reproduction, scale: str, seconds: float, parts: dict[str, Any]) -> None:
    """Write the record of one entry. seconds: CPU time. parts: "analyses" and "panels", name -> its record."""
    versions = {"tinyrnn": tinyrnn.__version__, "numpy": np.__version__, "scipy": scipy.__version__}
    versions |= {"python": platform.python_version(), "machine": platform.machine()}
    about = {"name": name, "scale": scale, "source": entry.source, "title": entry.title, "ours": entry.ours}
    label = {"format": FORMAT, "version": VERSION}
    judged = {part: {text: v._asdict() for text, v in of.items()} for part, of in verdicts(entry, parts).items()}
    cost = {"cpu_seconds": round(seconds, 1), "versions": versions}
    write_json(path, {**label, **about, **cost, "verdicts": judged, **parts})


def write_runs(path: Path, parts: dict[str, Any]) -> None:
    """The runs of all panels as a table, a row a run."""
    write_csv(path, [{"panel": panel, **run} for panel, of in parts["panels"].items() for run in of["runs"]])


def read(path: Path) -> dict[str, Any]:
    """A record. Raises ValueError in one line for what is none."""
    found = read_json(path)
    check_label(path, found, FORMAT, VERSION)
    return found


def verdicts(entry: Reproduction, record: dict[str, Any]) -> dict[str, dict[str, Verdict]]:
    """Panel or analysis -> claim -> verdict, judged from a record, or from its "analyses" and "panels"."""
    found: dict[str, dict[str, Verdict]] = {}
    for analysis, of in record["analyses"].items():
        claims = [claim for claim in entry.claims_of(analysis) if isinstance(claim, Computed)]
        found[analysis] = {claim.text: claim.judged(of["numbers"]) for claim in claims}
    for panel, of in record["panels"].items():
        plan = Sweep(**of["plan"])
        chosen = choose(plan, of["runs"])
        claims = [claim for claim in entry.claims_of(panel) if not isinstance(claim, Computed)]
        found[panel] = {claim.text: claim.verdict(plan, chosen) for claim in claims}
    return found
