"""How much may be tried: fewer runs of a pass that takes long, so that no search takes minutes.

It goes by how much a run works out, not by a clock: the same program gets the same verdict on every machine,
unless its passes are so slow that it takes more than a minute all the same (`tinyrnn.verdicts.repair.patience`).
"""

USUAL = 2000  # events of a run, of which as many may be tried as there may be at all
LARGE = 2000  # numbers in an array that take as long as an event
LEAST = 1 / 16


def pace_of(number, arrays):
    """The part of the most runs that there may be of a pass of so many events that works out some arrays: from `LEAST`
    to 1."""
    effort = number + sum(array.size for array in arrays) / LARGE
    return min(1.0, max(LEAST, USUAL / max(effort, 1)))
