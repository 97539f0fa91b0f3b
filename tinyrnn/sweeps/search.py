"""Adaptive search: instead of all combinations of a grid, trials that Optuna draws where the ones before did well.

The draws depend on the sweep alone: the sampler has a seed, and as many trials are asked for at once as the sweep says,
however many processes there are. So a search that was interrupted asks for the same trials again and finds their runs.
"""

import math
import warnings
from collections.abc import Callable
from typing import Any

from tinyrnn.sweeps.plan import Run, Sweep


def trials(sweep: Sweep, contender: str, losses: Callable[[list[Run]], list[float]]) -> list[dict[str, Any]]:
    """The values tried for one contender, in order.

    losses: has runs finished and gives their losses, infinite for those that diverged. Raises ValueError where there
    is no Optuna.
    """
    try:
        import optuna
    except ImportError:
        raise ValueError("a search takes Optuna: pip install 'tinyrnn[search]'") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(seed=sweep.lot, constant_liar=True)
    study = optuna.create_study(sampler=sampler)
    tried: list[dict[str, Any]] = []
    while len(tried) < sweep.trials:
        asked = [study.ask() for _ in range(min(sweep.at_once, sweep.trials - len(tried)))]
        values = [{name: draw(trial, name, space) for name, space in sweep.search.items()} for trial in asked]
        runs = [[*sweep.seeded(contender, chosen)] for chosen in values]
        found = iter(losses([run for own in runs for run in own]))
        for trial, own in zip(asked, runs, strict=True):
            mean = sum(next(found) for _ in own) / len(own)
            if math.isfinite(mean):
                study.tell(trial, mean)
            else:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
        tried += values
    return tried


def draw(trial: Any, name: str, space: Any) -> Any:
    """One value out of a space: a list of choices, or {"low", "high", "log"} with integers or floats."""
    if isinstance(space, list):
        return trial.suggest_categorical(name, space)
    if not isinstance(space, dict) or not {"low", "high"} <= space.keys() <= {"low", "high", "log"}:
        raise ValueError(f"search.{name} must be a list, or have low, high and perhaps log, got {space!r}")
    whole = isinstance(space["low"], int) and isinstance(space["high"], int)
    suggest = trial.suggest_int if whole else trial.suggest_float
    return suggest(name, space["low"], space["high"], log=bool(space.get("log")))
