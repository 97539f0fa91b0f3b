"""Blocks of joined arrays, such as the gates of an LSTM side by side in (H, 4H): a row of the table for each.

They are recognised where a recurrent weight (H, kH) or (kH, H) stands beside another matrix with an axis of that length
and something of H units; or they are named by whoever asks.
"""

import numpy as np

from tinyrnn.checking.functions.report import ArgumentRow

NUMBERS = (4, 3)  # blocks that are recognised: LSTM, GRU


def blocks_of(leaves, given=None):
    """{name of a leaf: (axis, names of its blocks)}.

    leaves: {name: array}. given: None; the names of the blocks, or how many there are; or {leaf: names or number}.
    Raises ValueError for blocks that no array has.
    """
    if isinstance(given, dict):
        return {name: chosen(leaves, name, names_of(names)) for name, names in given.items()}
    shapes = {name: leaf.shape for name, leaf in leaves.items()}
    names = None if given is None else names_of(given)
    for k in NUMBERS if names is None else (len(names),):
        for units in recurrent_sizes(shapes, k):
            axes = {name: axis_of(shape, k * units) for name, shape in shapes.items()}
            found = {name: axis for name, axis in axes.items() if axis is not None}
            if sum(len(shapes[name]) > 1 for name in found) > 1:
                return {name: (axis, names or names_of(k)) for name, axis in found.items()}
    if given is not None:
        raise ValueError(f"it cannot be told which arrays have {len(names)} blocks: blocks={{argument: names}} says it")
    return {}


def names_of(given):
    """The names of blocks as a tuple of texts: 0, 1, … for a number of them."""
    names = tuple(map(str, range(given) if isinstance(given, int) else given))
    if len(names) < 2:
        raise ValueError(f"there are at least two blocks, got {given!r}")
    return names


def chosen(leaves, name, names):
    """(axis, names) of one array: the last axis that can be cut into so many blocks."""
    if name not in leaves:
        raise ValueError(f"blocks: there is no {name}; there are {', '.join(leaves)}")
    shape = leaves[name].shape
    axes = [axis for axis, n in enumerate(shape) if n % len(names) == 0]
    if not axes:
        raise ValueError(f"blocks: no axis of {name} {shape} can be cut into {len(names)}")
    return axes[-1], names


def recurrent_sizes(shapes, k):
    """The numbers H of which there is a matrix (H, kH) or (kH, H), and something else that begins or ends in H."""
    for name, shape in shapes.items():
        if len(shape) == 2 and max(shape) == k * min(shape) and min(shape) > 1:
            units = min(shape)
            others = [own for other, own in shapes.items() if other != name and own]
            if any(units in (own[0], own[-1]) and k * units not in own for own in others):
                yield units


def axis_of(shape, length):
    """The last axis of that length, None without one."""
    return max((axis for axis, n in enumerate(shape) if n == length), default=None)


def block_rows(row, found, shape, axis, names):
    """The `ArgumentRow`s of the blocks of an array, of which `row` is the whole and `found` the numbers."""
    size = shape[axis] // len(names)
    number = np.arange(int(np.prod(shape))).reshape(shape)
    scale = max(abs(np.nan_to_num(a)).max(initial=0) for a in (found.claimed, found.numerical)) or 1.0
    off = abs(found.claimed - found.numerical)
    beyond = ~(off <= found.tolerance) & np.isfinite(found.numerical)
    for place, word in found.status.items():
        beyond[place] = word == "wrong"
        off[place] = off[place] if word == "wrong" else 0.0
    for k, name in enumerate(names):
        entries = np.take(number, range(k * size, (k + 1) * size), axis).ravel()
        asked = entries[np.isfinite(found.numerical[0, entries])]
        label = f"{row.argument} [{name}]"
        if not asked.size:
            yield ArgumentRow(label, "not decided", "", np.nan, None, np.nan, np.nan, (), 0, entries.size)
            continue
        wrong = asked[beyond[0, asked]]
        worst = max(wrong if wrong.size else asked, key=lambda entry: off[0, entry])
        index = tuple(int(i) for i in np.unravel_index(worst, shape))
        verdict = "wrong" if wrong.size else "right"
        values = float(off[0, worst] / scale), index, float(found.claimed[0, worst]), float(found.numerical[0, worst])
        yield ArgumentRow(label, verdict, "", *values, (), asked.size, entries.size, found.method)
