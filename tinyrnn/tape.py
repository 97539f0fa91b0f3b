"""What a forward and a backward pass leave behind."""

from dataclasses import dataclass

from tinyrnn.backend import xp_of


class Tape:
    """What a forward pass leaves behind, each intermediate under its own name.

    `tape["f"]` is gate f over time, an array (T, B, ...); `tape["h"]` is the state after each step and `tape["h_prev"]`
    the one before; `tape["x"]` the input, `tape["a"]` what `project` made of it. `tape.state` is the final state, a
    tuple of arrays (B, n). Gates at masked steps hold values that were computed and thrown away.
    """

    def __init__(self, p, x, a, states, mask, learned):
        self.p = p  # the parameters and what was derived from them
        self.states = states  # name -> (T + 1, B, n), the initial state first
        self.mask = mask
        self.learned = learned  # whether the initial state came from the parameters
        self.kept = []  # what the cell's step kept, one dict per time step
        self.whole = {"x": x}  # what is one array over time already
        if a is not None:
            self.whole["a"] = a
        for name, array in states.items():
            self.whole[name] = array[1:]
            self.whole[f"{name}_prev"] = array[:-1]

    def __len__(self):
        return len(self.kept)

    @property
    def x(self):
        return self.whole["x"]

    @property
    def state(self):
        return tuple(s[-1] for s in self.states.values())

    @property
    def names(self):
        """Every name that `tape[name]` answers to."""
        return list(dict.fromkeys([*self.kept[0], *self.whole]))

    def __contains__(self, name):
        return name in self.names

    def __getitem__(self, name):
        return self.whole[name] if name in self.states else self.slice(name, 0, len(self))

    def slice(self, name, start, stop):
        """What the cell asks for by `name`, from time step `start` up to `stop`, without gathering the rest."""
        if name in self.kept[0]:
            return stack([kept[name] for kept in self.kept[start:stop]])
        if name in self.whole:
            return self.whole[name][start:stop]
        raise KeyError(f"the tape has no {name!r}; it has {', '.join(self.names)}")

    def at(self, names, t):
        """The named intermediates of one time step, as a dict."""
        kept = self.kept[t]  # first, because a cell that looks at its own h means the one before activation clipping
        return {name: kept[name] if name in kept else self.whole[name][t] for name in names}


@dataclass
class Gradients:
    """What a backward pass returns.

    inputs: like x, (T, B, input_size), or None where x held class numbers.
    state: gradients of the initial state, a tuple of arrays (B, n).
    params: name -> gradient, exactly the names and shapes of `cell.params`.
    states: with `record=True`, the total gradient of each state after each step, name -> (T, B, n); otherwise None.
    """

    inputs: object
    state: tuple
    params: dict
    states: dict | None = None


def stack(values):
    """One array over time from a list of arrays, a tuple of such arrays from a list of tuples; else the list itself."""
    if isinstance(values[0], tuple):
        return tuple(stack(list(column)) for column in zip(*values, strict=True))
    return xp_of(values[0]).stack(values) if hasattr(values[0], "shape") else values
