"""Outcomes of a sweep that nobody ran, for verdicts and pictures."""

from tinyrnn.sweeps.plan import Sweep
from tinyrnn.sweeps.rows import LAST, choose


def swept(losses, **sweep):
    """(sweep, chosen) of made-up test losses, label -> one a seed; None is a run that diverged. The baseline is 1."""
    plan = Sweep({"task": "adding", "task_options": {"steps": 4}}, {label: {} for label in losses}, **sweep)
    rows = [
        {
            **{"contender": label, "seed": seed, **dict.fromkeys(LAST)},
            **{"test_loss": loss, "test_loss_over_baseline": loss, "seconds": 2.0, "parameters": 7, "updates": 5},
        }
        for label, own in losses.items()
        for seed, loss in enumerate(own)
    ]
    return plan, choose(plan, rows)
