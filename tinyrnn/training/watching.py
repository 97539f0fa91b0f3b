"""A run watched on validation data: when to stop it, and which weights to keep."""

import math


class Watch:
    """What the tests on validation data have shown so far.

    patience: tests in a row without a new best one after which the run is over; 0: it never is. keep: whether the
    weights of the best test are kept, to be what the run ends with.
    """

    def __init__(self, patience: int, keep: bool) -> None:
        self.patience, self.keep = patience, keep
        self.best, self.step, self.waited = math.inf, 0, 0
        self.weights: dict = {}  # name -> NumPy array, of the best test

    def see(self, step, loss, weights):
        """Takes note of a test after update `step`. weights: a function that gives copies of all weights."""
        if loss < self.best:
            self.best, self.step, self.waited = loss, step, 0
            self.weights = weights() if self.keep else {}
        else:
            self.waited += 1

    @property
    def over(self):
        """Whether there is nothing to wait for any more."""
        return bool(self.patience) and self.waited >= self.patience

    def record(self):
        """What a checkpoint keeps beside `weights`, for `load`; JSON."""
        return {"best": self.best if self.step else None, "step": self.step, "waited": self.waited}

    def load(self, record, weights):
        """Goes back to what `record` and `weights` were."""
        self.step, self.waited, self.weights = record["step"], record["waited"], weights
        self.best = math.inf if record["best"] is None else record["best"]
