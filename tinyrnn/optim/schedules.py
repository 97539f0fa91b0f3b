"""The learning rate as a function of the step: `lr = schedule(step)`, where step 0 is the first update.

A schedule has no state, so a resumed run asks for the step it has reached and gets the same rates as before.
`SCHEDULES[name](lr, steps)` makes one from the starting rate and the total number of steps alone; the
functions take the rest of the settings.
"""

import math
from collections.abc import Callable


def constant(lr: float) -> Callable[[int], float]:
    """Always `lr`."""
    return lambda step: float(lr)


def cosine(lr: float, steps: int, warmup: int = 0, final: float = 0.0) -> Callable[[int], float]:
    """Half a cosine from `lr` down to `final` at `steps` and after (Loshchilov & Hutter 2017, eq. 5).

    The first `warmup` of the steps rise linearly to `lr` before that.
    Raises ValueError unless 0 ≤ warmup < steps.
    """
    if not 0 <= warmup < steps:
        raise ValueError(f"cosine needs 0 <= warmup < steps, got warmup={warmup} and steps={steps}")
    rise = linear_warmup(lr, warmup)

    def schedule(step):
        if step < warmup:
            return rise(step)
        done = min((step - warmup) / (steps - warmup), 1.0)
        return final + (lr - final) * (0.5 + 0.5 * math.cos(math.pi * done))

    return schedule


def step_decay(lr: float, every: int | None = None, at: tuple = (), factor: float = 0.1) -> Callable[[int], float]:
    """`lr` times `factor` once for each `every` steps done, or once for each of the steps `at` reached.

    Raises ValueError unless exactly one of the two is given.
    """
    if (every is None) == (not at):
        raise ValueError("step_decay needs either every=N or at=(step, …), and not both")
    if every is not None and every < 1:
        raise ValueError(f"step_decay needs every >= 1, got {every}")

    def schedule(step):
        drops = step // every if every else sum(step >= s for s in at)
        return lr * factor**drops

    return schedule


def exponential(lr: float, rate: float) -> Callable[[int], float]:
    """`lr · rate^step`. Raises ValueError unless 0 < rate ≤ 1."""
    if not 0 < rate <= 1:
        raise ValueError(f"exponential needs 0 < rate <= 1, got {rate}")
    return lambda step: lr * rate**step


def linear_warmup(lr: float, warmup: int) -> Callable[[int], float]:
    """Rises linearly from lr/warmup at the first step to `lr` at the last of `warmup` steps, and stays."""
    if warmup < 0:
        raise ValueError(f"linear_warmup needs warmup >= 0, got {warmup}")
    return lambda step: lr * min((step + 1) / max(warmup, 1), 1.0)


SCHEDULES = {
    "constant": lambda lr, steps: constant(lr),
    "cosine": cosine,
    "step": lambda lr, steps: step_decay(lr, every=max(math.ceil(steps / 3), 1)),  # a tenth after each third
    "exponential": lambda lr, steps: exponential(lr, 0.01 ** (1 / max(steps, 1))),  # a hundredth in the end
    "warmup": lambda lr, steps: linear_warmup(lr, steps // 10),
}
