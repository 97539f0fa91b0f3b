"""Averaged SGD that begins by itself: the weights that are tested, and end the run, are a mean of its last ones."""

from contextlib import contextmanager

import numpy as np

from tinyrnn.core.backend import to_numpy, xp_of


class Averaging:
    """NT-ASGD, non-monotonically triggered averaging (Merity, Keskar & Socher 2018, algorithm 1).

        T = the first test whose loss is above the best of all tests but the last n before it
        w = mean of the weights after each update from T on

    patience: n, 5 in the source; 0: no averaging. The updates go on from the weights themselves, as SGD's do; only
    tests and the end of the run see the mean. All arrays stay where the parameters are.
    """

    def __init__(self, patience):
        self.patience = patience
        self.losses = []  # of the tests so far, until averaging begins
        self.count = 0  # updates averaged
        self.means = {}
        self.begun = False

    def see(self, loss):
        """Takes note of a test on validation data."""
        if self.patience and not self.begun:
            earlier = self.losses[: -self.patience]
            self.begun = bool(earlier) and loss > min(earlier)
            self.losses.append(loss)

    def add(self, params):
        """Takes the weights after an update into the mean, if it has begun."""
        if not self.begun:
            return
        self.count += 1
        for name, p in params.items():
            mean = self.means.setdefault(name, xp_of(p).zeros_like(p))
            mean += (p - mean) / self.count

    @contextmanager
    def used(self, params):
        """Within, `params` (a dict of arrays, changed in place) hold the mean if there is one; then what they were."""
        before = {name: params[name] + 0 for name in self.means}
        self.settle(params)
        try:
            yield
        finally:
            for name, value in before.items():
                params[name][...] = value

    def settle(self, params):
        """Puts the mean in the place of the weights, if there is one."""
        for name, mean in self.means.items():
            params[name][...] = mean

    def record(self):
        """What a checkpoint keeps beside `arrays`, for `load`; JSON."""
        return {"losses": self.losses, "count": self.count, "begun": self.begun}

    def arrays(self):
        """Copies of the mean, name -> NumPy array."""
        return {name: np.array(to_numpy(mean)) for name, mean in self.means.items()}

    def load(self, record, arrays, params):
        """Goes back to what `record` and `arrays` were; params: where the mean is to live."""
        self.losses, self.count, self.begun = list(record["losses"]), record["count"], record["begun"]
        self.means = {name: xp_of(params[name]).asarray(array) for name, array in arrays.items()}
