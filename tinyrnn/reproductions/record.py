"""What is kept of a figure or table that was rerun: a small file, from which the page of results is made."""

import functools
import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from tinyrnn.reproductions.entry import SCALES, Reproduction
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


@functools.cache
def versions() -> dict[str, str]:
    """Of what makes the numbers; "commit": that of the package, where it stands in a git checkout."""
    found = {"tinyrnn": tinyrnn.__version__, "numpy": np.__version__, "scipy": scipy.__version__}
    found |= {"python": platform.python_version(), "machine": platform.machine()}
    found_at = commit(Path(tinyrnn.__file__).parent)
    return {**found, "commit": found_at} if found_at else found


def commit(package: Path) -> str:
    """The short hash of the commit that a package stands at, with "+" if its files were changed since; "" if it is in
    no git checkout, for which it must be tracked (not installed in a folder of one), or there is no git."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(package), *words]
        ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
        return ran.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "__init__.py")
        return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def write(path: Path, name: str, entry: Reproduction, scale: str, seconds: float, parts: dict[str, Any]) -> None:
    """Write the record of one entry. seconds: CPU time. parts: "analyses" and "panels", name -> its record."""
    about = {"name": name, "scale": scale, "source": entry.source, "title": entry.title, "ours": entry.ours}
    label = {"format": FORMAT, "version": VERSION}
    cost = {"cpu_seconds": round(seconds, 1), "versions": versions()}
    write_json(path, {**label, **about, **cost, **judged(entry, scale, parts), **parts})


def judged(entry: Reproduction, scale: str, parts: dict[str, Any]) -> dict[str, Any]:
    """What follows of the numbers: the panels of the scale that are missing, and the verdicts."""
    missing = [panel for panel in (entry.runs(scale) if entry.runs else {}) if panel not in parts["panels"]]
    found = {part: {text: v._asdict() for text, v in of.items()} for part, of in verdicts(entry, parts).items()}
    return {**({"missing": missing} if missing else {}), "verdicts": found}


def merged(old: dict[str, Any], parts: dict[str, Any], order: Iterable[str]) -> tuple[dict[str, Any], float]:
    """An old record's parts with the panels of `parts` put in, panels in this order, and the CPU seconds of all that.

    Where an old record does not say what each of its panels cost, a panel that is replaced stays in the sum.
    """
    kept = {panel: {"versions": old["versions"], **of} for panel, of in old["panels"].items()}
    replaced = sum(kept[panel].get("cpu_seconds", 0.0) for panel in parts["panels"] if panel in kept)
    panels = {**kept, **parts["panels"]}
    panels = {panel: panels[panel] for panel in (*order, *panels) if panel in panels}
    return {**parts, "panels": panels}, old["cpu_seconds"] - replaced + seconds_of(parts)


def seconds_of(parts: dict[str, Any]) -> float:
    """CPU seconds of all parts that were just made."""
    return sum(of["cpu_seconds"] for kind in ("analyses", "panels") for of in parts[kind].values())


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


def kept(folder: Path, names: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """The records in a folder: name -> that of the largest scale, and those of smaller ones that have panels which it
    still lacks, with these panels alone."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name in names:
        lacking = None
        for path in (folder / f"{name}-{scale}.json" for scale in reversed(SCALES)):
            if not path.exists() or lacking == []:
                continue
            of = read(path)
            if lacking is not None:
                of["panels"] = {panel: each for panel, each in of["panels"].items() if panel in lacking}
                of.pop("missing", None)
            if lacking is None or of["panels"]:
                found.setdefault(name, []).append(of)
            lacking = of.get("missing", []) if lacking is None else [p for p in lacking if p not in of["panels"]]
    return found


def judge_anew(path: Path, entries: Mapping[str, Reproduction]) -> None:
    """Write a record with the verdicts that the claims have now."""
    of = read(path)
    parts = {part: of.pop(part) for part in ("analyses", "panels")}
    of.pop("missing", None)
    write_json(path, {**of, **judged(entries[of["name"]], of["scale"], parts), **parts})
