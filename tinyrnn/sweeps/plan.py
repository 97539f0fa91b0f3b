"""What is to be run: contenders, each a set of settings, with a grid of values to choose from and a number of seeds.

As a file (TOML), for `tinyrnn sweep`:

    solved = 0.5                             # share of the baseline below which a run counts as a success
    seeds = 3

    [shared]                                 # settings of all runs, as in a run's settings.json
    task = "mnist"
    task_options = { order = "permuted", valid = 10000 }
    cell = "elman-elu"
    hidden = 25
    updates = 3000
    test_every = 500

    [contenders.chain]                       # what is compared, each with settings of its own
    init = "chain"
    [contenders.orthogonal]
    init = "orthogonal"

    [grid]                                   # combined with each other, for every contender
    lr = [1e-4, 3e-4, 1e-3]
    [grids.chain]                            # and these for one of them; a dot reaches into options
    "init_options.alpha" = [0.99, 1.0, 1.01]

Of a contender's combinations the one counts whose mean over the seeds is least on validation data (`by`), or by the
rule of Henaff, Szlam & LeCun the one with the largest rate of which no run diverged.
"""

import hashlib
import itertools
import json
import math
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tinyrnn.training.settings import Settings, build

BY = ("valid_loss", "test_loss", "largest rate")
LISTS = ("init_options", "cell_options", "task_options", "optimiser_options", "regularisers")


class Run(NamedTuple):
    """One run of a sweep. values: what it has of the grid, setting -> value."""

    contender: str
    values: dict[str, Any]
    settings: Settings

    @property
    def folder(self) -> str:
        """The name of its folder: the same for the same settings, whatever else is in the sweep."""
        text = json.dumps(asdict(self.settings), sort_keys=True)
        name = re.sub(r"[^a-z0-9]+", "-", self.contender.lower()).strip("-")
        return f"{name}-{self.settings.seed}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class Sweep:
    """All runs that are to be compared.

    shared: settings of all runs. contenders: label -> each one's own. grid, grids: see the module. seeds: runs of each
    combination, from seed 0 on. screen: with so many of them all combinations are tried, and with the others the best
    one alone; 0: all with all. fewer: label -> seeds of a contender that gets fewer. by: "valid_loss" or, where
    nothing is chosen by it, "test_loss"; or "largest rate", for a grid with lr (see `tinyrnn.sweeps.rows.diverged`).
    solved: share of the baseline below which a run counts as having solved the task; None where no loss means that.
    part: share of the combinations that is run, drawn by lot with `lot`. search: setting -> {"low", "high", "log"} or a
    list of choices, tried by `trials` adaptive draws for each contender instead of a grid. claim, source, notes (label
    -> text): for the report.
    """

    shared: dict[str, Any]
    contenders: dict[str, dict[str, Any]]
    grid: dict[str, list] = field(default_factory=dict)
    grids: dict[str, dict[str, list]] = field(default_factory=dict)
    seeds: int = 1
    screen: int = 0
    fewer: dict[str, int] = field(default_factory=dict)
    by: str = "valid_loss"
    solved: float | None = None
    part: float = 1.0
    lot: int = 0
    search: dict[str, Any] = field(default_factory=dict)
    trials: int = 20
    at_once: int = 2
    claim: str = ""
    source: str = ""
    notes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.contenders:
            raise ValueError("a sweep needs contenders")
        for name, least in {"seeds": 1, "trials": 1, "at_once": 1}.items():
            if type(getattr(self, name)) is not int or getattr(self, name) < least:
                raise ValueError(f"{name} must be a whole number of at least {least}, got {getattr(self, name)!r}")
        if type(self.screen) is not int or not 0 <= self.screen <= self.seeds:
            raise ValueError(f"screen must be a whole number from 0 to {self.seeds}, the seeds, got {self.screen!r}")
        if not 0 < self.part <= 1:
            raise ValueError(f"part must be above 0 and at most 1, got {self.part!r}")
        if self.by not in BY:
            raise ValueError(f"by must be valid_loss, test_loss or largest rate, got {self.by!r}")
        if self.by == BY[2] and not all("lr" in self.grid_of(contender) for contender in self.contenders):
            raise ValueError("by largest rate needs lr in the grid of every contender")
        if self.search and (self.grid or self.grids):
            raise ValueError("a sweep has a grid or a search, not both")
        for label in sorted({*self.grids, *self.fewer, *self.notes} - {*self.contenders}):
            raise ValueError(f"{label!r} is none of the contenders: {', '.join(self.contenders)}")
        for grid in (self.grid, *self.grids.values()):
            for name, values in grid.items():
                if not isinstance(values, list) or not values:
                    raise ValueError(f"the grid's {name} must be a list of values, got {values!r}")

    @property
    def chooses(self) -> bool:
        """Whether any contender has several combinations to choose from."""
        return bool(self.search) or any(math.prod(map(len, self.grid_of(c).values())) > 1 for c in self.contenders)

    def grid_of(self, contender: str) -> dict[str, list]:
        """The grid of one contender."""
        return {**self.grid, **self.grids.get(contender, {})}

    def combinations(self, contender: str) -> list[dict[str, Any]]:
        """What is run of its grid, setting -> value: all, or as many as `part` says, drawn by lot."""
        grid = self.grid_of(contender)
        every = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
        count = math.ceil(self.part * len(every))
        if count == len(every):
            return every
        drawn = np.random.default_rng([self.lot, *contender.encode()]).permutation(len(every))[:count]
        return [every[k] for k in sorted(drawn)]

    def runs(self) -> list[Run]:
        """All runs of the grid. Raises ValueError in one line for settings that no run can have."""
        return [run for c in self.contenders for values in self.combinations(c) for run in self.seeded(c, values)]

    def asked(self, done: Callable[[Run], bool]) -> dict[str, int]:
        """For each contender how many runs are still to be made, where `done` says of one whether it is finished."""
        left = dict.fromkeys(self.contenders, 0)
        later: dict[str, set[int]] = {contender: set() for contender in self.contenders}
        for run in self.runs():
            if not done(run) and self.first(run):
                left[run.contender] += 1
            elif not self.first(run):
                later[run.contender].add(run.settings.seed)
        finished = {(run.contender, run.settings.seed) for run in self.runs() if not self.first(run) and done(run)}
        return {c: left[c] + sum((c, seed) not in finished for seed in later[c]) for c in left}

    def first(self, run: Run) -> bool:
        """Whether a run is of those by which a combination is chosen: with `screen`, those of the first seeds."""
        return not self.screen or run.settings.seed < self.screen

    def seeded(self, contender: str, values: dict[str, Any]) -> Iterator[Run]:
        """The runs of one combination, one for each seed."""
        for seed in range(min(self.seeds, self.fewer.get(contender, self.seeds))):
            yield Run(contender, values, self.settings(contender, seed, values))

    def settings(self, contender: str, seed: int, values: dict[str, Any] | None = None) -> Settings:
        """The `Settings` of one run. values: of its grid."""
        watched = {"validate": True} if self.chooses and self.by != "test_loss" else {}
        chosen: dict[str, Any] = {**watched, **self.shared, **self.contenders[contender], "seed": seed}
        for name in LISTS:  # options of both: the contender's come on top
            if name in self.shared and name in self.contenders[contender]:
                chosen[name] = {**self.shared[name], **self.contenders[contender][name]}
        for name, value in (values or {}).items():
            where, _, option = name.partition(".")
            chosen[where] = {**chosen.get(where, {}), option: value} if option else value
        known = {setting.name for setting in fields(Settings)}
        for name in sorted(chosen.keys() - known):
            raise ValueError(f"{contender}: there is no setting {name!r}")
        return Settings(**chosen)

    def baseline(self) -> float:
        """The loss of the task without memory."""
        return build(self.settings(next(iter(self.contenders)), 0))[0].baseline

    @property
    def mark(self) -> float | None:
        """The loss below which a run counts as having solved the task; None where there is no such loss."""
        return None if self.solved is None else self.solved * self.baseline()


def read(path: Any) -> Sweep:
    """The sweep in a TOML file. Raises FileNotFoundError, or ValueError in one line for what is no sweep."""
    path = Path(path)
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise FileNotFoundError(f"{path} is no file")
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {error}") from None
    known = {entry.name for entry in fields(Sweep)}
    for name in sorted(found.keys() - known):
        raise ValueError(f"{path}: a sweep has no {name!r}; it has {', '.join(sorted(known))}")
    try:
        return Sweep(**{"shared": {}, "contenders": {}, **found})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None
