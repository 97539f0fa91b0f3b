"""Of a gradient that is added up over several lines: which of the lines adds something wrong.

The gradient of `foo` is a sum over the uses of `foo` in the forward pass. Each line should add what one use sends back,
or several of them.
"""

from itertools import combinations

import numpy as np

MOST_USES = 10  # with more than that, sums of some of them are not tried out


class Uses:
    """What each use of a value in the forward pass sends back; worked out when asked for. truth: made with uses."""

    def __init__(self, truth):
        self.truth = truth

    def of(self, event, events):
        """The gradients that the uses of a value send back, a list of arrays: `event` of the forward pass `events`."""
        nth = sum(e.site == event.site for e in events[: event.number])
        same = [e for e in self.truth.events if e.site == event.site]
        if nth >= len(same) or event.value is None:
            return []
        found, start = [], same[nth]
        for later in self.truth.events[start.number + 1 :]:
            if (later.site.scope, later.site.name, later.call) != (start.site.scope, start.site.name, start.call):
                continue
            if later.site.kind == "use":
                found.append(self.truth.of_events([later.number], event.value.shape))
            elif later.site.kind not in ("carry", "load", "value"):
                break  # the name has another value from here on
        return [share for share in found if share is not None and share.any()]


def is_share(value, uses, scale, tolerance):
    """Whether a value is the sum of what some of the uses send back."""
    if len(uses) > MOST_USES:
        return False
    for number in range(1, len(uses) + 1):
        for some in combinations(uses, number):
            total = sum(some)
            if total.shape == value.shape and abs(total - value).max(initial=0) <= tolerance * scale:
                return True
    return False


def wrong_shares(values, kinds, uses, scale, tolerance):
    """Numbers of the lines that add something wrong. values: what the gradient was after each line; kinds: of sites.

    If each line adds what some use sends back and the sum is wrong all the same, a use is forgotten: that is the fault
    of the first line if it assigns anew what was there already, else of the last one.
    """
    before, wrong = np.zeros_like(values[-1]), []
    for k, value in enumerate(values):
        added = value - before if value.shape == before.shape else value
        if kinds[k] != "argument" and added.any() and not is_share(added, uses, scale, tolerance):
            wrong.append(k)
        before = value
    return wrong or [0 if kinds[0] == "assign" else len(values) - 1]
