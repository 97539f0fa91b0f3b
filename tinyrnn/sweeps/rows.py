"""What came out of the runs of a sweep: a row each, and for each contender the settings that count."""

import csv
import io
import json
import math
import statistics
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tinyrnn.core.files import read_json, write_atomically
from tinyrnn.sweeps.plan import Run, Sweep
from tinyrnn.training.run_folder import RunFolder

RUNAWAY = 2.0  # times the baseline
FIRST = ("contender", "seed")  # columns of the table, before those of the grid
LAST = (
    *("state", "parameters", "updates", "best_update", "valid_loss", "test_loss", "test_loss_over_baseline"),
    *("test_accuracy", "test_exact", "test_bleu", "solved_first", "solved_after", "seconds", "version", "folder"),
)


def row(sweep: Sweep, run: Run, folder: Path, mark: float | None) -> dict[str, Any] | None:
    """The outcome of one run, flat; None if it is not finished. mark: the loss that counts as solved."""
    place = RunFolder(folder / run.folder)
    if not place.result.exists():
        return None
    result = read_json(place.result)
    found = {name: result.get(name) for name in LAST}
    found |= {"state": "diverged" if "diverged" in result else "finished", "folder": run.folder}
    found["updates"] = result.get("updates_done", run.settings.updates)
    found |= solved_after(place.rows(), mark)
    return {"contender": run.contender, "seed": run.settings.seed, **run.values, **found}


def solved_after(rows: list[dict], mark: float | None) -> dict[str, int | None]:
    """{"solved_first": the first tested update with a loss below the mark, or None, "solved_after": the first from
    which on it stays below}. The loss is that on validation data where the run was watched on some."""
    first = after = None
    name = "valid_loss" if any("valid_loss" in row for row in rows) else "test_loss"
    for found in rows:
        if name in found and mark is not None:
            below = found[name] < mark
            first = first or (found["step"] if below else None)
            after = (after or found["step"]) if below else None
    return {"solved_first": first, "solved_after": after}


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    """A row a run, for `pandas.read_csv`; what a run does not have is empty."""
    names = dict.fromkeys(name for found in rows for name in varied(found))
    text = io.StringIO()
    writer = csv.DictWriter(text, [*FIRST, *names, *LAST], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, lambda temporary: temporary.write_text(text.getvalue(), encoding="utf-8"))


class Chosen(NamedTuple):
    """The combination of a contender that counts, and its runs."""

    contender: str
    values: dict[str, Any]
    rows: list[dict[str, Any]]  # of its seeds
    every: list[dict[str, Any]]  # finished runs of all its combinations
    solved: int  # of these, how many solved the task

    def losses(self, name: str = "test_loss") -> list[float]:
        """The losses of the seeds that did not diverge."""
        return [row[name] for row in self.rows if row[name] is not None]


def choose(sweep: Sweep, rows: list[dict[str, Any]]) -> dict[str, Chosen]:
    """For each contender with finished runs, the combination of least `rank`."""
    chosen = {}
    for contender in sweep.contenders:
        own = [found for found in rows if found["contender"] == contender]
        groups: dict[str, list[dict]] = {}
        for found in own:
            groups.setdefault(json.dumps(varied(found)), []).append(found)
        if not groups:
            continue
        best = min(groups, key=lambda key: rank(sweep, groups[key]))
        solved = sum(is_solved(sweep, found) for found in own)
        chosen[contender] = Chosen(contender, varied(groups[best][0]), groups[best], own, solved)
    return chosen


def rank(sweep: Sweep, rows: list[dict[str, Any]]) -> tuple[float, ...]:
    """By which the combination with these runs is chosen: the least counts."""
    if sweep.by == "largest rate":  # with `screen`, by the runs of the first seeds, which all combinations have
        rows = [found for found in rows if not sweep.screen or found["seed"] < sweep.screen] or rows
        lost, rate = any(map(diverged, rows)), rows[0]["lr"]
        return lost, rate if lost else -rate, mean(rows, "valid_loss")
    return -len(rows), mean(rows, sweep.by if sweep.chooses else "test_loss")


def diverged(found: dict[str, Any]) -> bool:
    """Whether a run counts as diverged where the largest rate is asked for that does not.

    A loss or gradient was no longer finite, or the run ended beyond `RUNAWAY` times the loss that takes no memory: what
    a large rate has thrown to tens of baselines is finite. Henaff, Szlam & LeCun do not say what they mean by it.
    """
    share = found["test_loss_over_baseline"]
    return share is None or share > RUNAWAY


def varied(found: dict[str, Any]) -> dict[str, Any]:
    """What of a row is a setting of the grid."""
    return {name: value for name, value in found.items() if name not in (*FIRST, *LAST)}


def mean(rows: list[dict[str, Any]], by: str) -> float:
    """Of a loss over seeds; infinite if any run diverged."""
    losses = [found[by] for found in rows]
    return math.inf if None in losses else statistics.fmean(losses)


def is_solved(sweep: Sweep, found: dict[str, Any]) -> bool:
    """Whether a run counts as having solved the task."""
    share = found["test_loss_over_baseline"]
    return sweep.solved is not None and share is not None and share < sweep.solved


def curve(chosen: Chosen, folder: Path) -> tuple[Any, Any, Any]:
    """(updates, mean, standard error) of the loss of the seeds at the tests that all of them have had.

    The loss is that on validation data where there is some, else on the test set.
    """
    logs = [RunFolder(folder / found["folder"]).rows() for found in chosen.rows]
    name = "valid_loss" if any("valid_loss" in line for line in logs[0]) else "test_loss"
    tests = [{line["step"]: line[name] for line in log if name in line} for log in logs]
    steps = sorted(set.intersection(*(set(test) for test in tests)))
    values = np.array([[test[step] for step in steps] for test in tests])
    error = values.std(axis=0, ddof=1) / math.sqrt(len(values)) if len(values) > 1 else np.zeros(len(steps))
    return np.array(steps), values.mean(axis=0) if steps else np.array([]), error
