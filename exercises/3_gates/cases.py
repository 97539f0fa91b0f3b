"""What the functions of exercise 3 are called with. All sizes differ, no state and no bias is zero, every output and
every final state has a gradient of its own, and where there are sequences, some end early and one pauses."""

import numpy as np

import tinyrnn as tr

COMMANDS = ("keep", "add", "erase", "write")


def sizes(rng):
    """T, B, m, n: 3, 4, 5 and 6 in any order."""
    return (int(size) for size in rng.permutation([3, 4, 5, 6]))


def normal(rng, *shape, scale=1.0):
    return scale * rng.normal(size=shape)


def weights(rng, m, n, gates, scale=0.7):
    """Wx (m, gates n), Wh (n, gates n), b (gates n,)."""
    return {
        "Wx": normal(rng, m, gates * n, scale=scale),
        "Wh": normal(rng, n, gates * n, scale=scale),
        "b": normal(rng, gates * n, scale=scale),
    }


def without(arguments, *names):
    return {name: value for name, value in arguments.items() if name not in names}


# practice -------------------------------------------------------------------------------------------------------------


def lstm(rng):
    _, B, m, n = sizes(rng)
    return {
        "x": normal(rng, B, m),
        "h_prev": normal(rng, B, n, scale=0.7),
        "c_prev": normal(rng, B, n, scale=1.5),
        **weights(rng, m, n, 4),
    }


def lstm_backward(rng):
    given = lstm(rng)
    n = given["h_prev"].shape[1]
    cell = tr.LSTM(given["x"].shape[1], n, rng=0)
    set_params(cell, W_x=given["Wx"], W_h=given["Wh"], b=given["b"])
    _, tape = cell.forward(given["x"][None], state=(given["h_prev"], given["c_prev"]))
    kept = {name: tape[name][0] for name in ("i", "f", "o", "g", "c")}
    return {**upstream(rng, given["h_prev"].shape), **without(given, "b"), **kept}


def gru(rng):
    _, B, m, k = sizes(rng)
    return {
        "x": normal(rng, B, m),
        "h_prev": normal(rng, B, k),
        **weights(rng, m, k, 3),
        "bn": normal(rng, k),
    }


def gru_backward(rng):
    given = gru(rng)
    k = given["h_prev"].shape[1]
    cell = tr.GRU(given["x"].shape[1], k, rng=0)
    set_params(cell, W_x=given["Wx"], W_h=given["Wh"], b=given["b"], b_n=given["bn"])
    _, tape = cell.forward(given["x"][None], state=(given["h_prev"],))
    kept = {name: tape[name][0] for name in ("r", "z", "n")}
    return {"dh": normal(rng, *given["h_prev"].shape), **without(given, "b"), **kept}


def upstream(rng, shape):
    return {"dh": normal(rng, *shape), "dc": normal(rng, *shape)}


def set_params(cell, **values):
    for name, value in values.items():
        cell.params[name][:] = value


# the gate table -------------------------------------------------------------------------------------------------------


def gate_table(rng):
    """The commands, never in the order of the text."""
    order = COMMANDS
    while order == COMMANDS:
        order = tuple(str(command) for command in rng.permutation(COMMANDS))
    return {"commands": order}


# the LSTM with coupled gates ------------------------------------------------------------------------------------------


def coupled(rng, lengths=None):
    _, B, m, n = sizes(rng) if lengths is None else lengths
    return {
        "x": normal(rng, B, m),
        "h_prev": normal(rng, B, n, scale=0.7),
        "c_prev": normal(rng, B, n, scale=1.5),
        **weights(rng, m, n, 3),
    }


def coupled_backward(rng, lengths=None):
    given = coupled(rng, lengths)
    one = run(given["x"][None], None, *(given[name] for name in ("h_prev", "c_prev", "Wx", "Wh", "b")))
    kept = {"c": one["C"][0], **{name: one[f"all_{name}"][0] for name in "fog"}}
    return {**upstream(rng, given["h_prev"].shape), **without(given, "b"), **kept}


def sequence(rng, mask=None, lengths=(4, 3)):
    """mask: (T, B) booleans, for m and n as in `lengths`; or None: `ragged` ones."""
    T, B, m, n = sizes(rng) if mask is None else (*mask.shape, *lengths)
    return {
        "X": normal(rng, T, B, m),
        "mask": ragged(rng, T, B) if mask is None else mask,
        "h0": normal(rng, B, n, scale=0.7),
        "c0": normal(rng, B, n, scale=1.5),
        **weights(rng, m, n, 3),
    }


def ragged(rng, T, B):
    """(T, B) booleans: the first sequence is whole, the last pauses in its middle, the others end early."""
    lengths = np.concatenate([[T], rng.integers(1, T, B - 2), [T]])
    mask = np.arange(T)[:, None] < lengths
    mask[rng.integers(1, T - 1), -1] = False
    return mask


def sequence_backward(rng, mask=None, lengths=(4, 3)):
    given = sequence(rng, mask, lengths)
    states = run(**given)
    shape = states["H"].shape
    above = {"dH": normal(rng, *shape), "dh_T": normal(rng, *shape[1:]), "dc_T": normal(rng, *shape[1:])}
    return {**above, **without(given, "b"), **states}


def run(X, mask, h0, c0, Wx, Wh, b):
    """States and gates of an LSTM with coupled gates, by the package's LSTM: the weights of its gate i are those of f
    with the other sign. All (T, B, n): H, C, all_f, all_o, all_g."""
    (T, B, m), n = X.shape, h0.shape[1]
    cell = tr.LSTM(m, n, rng=0)
    set_params(cell, W_x=tied(Wx), W_h=tied(Wh), b=tied(b))
    H, tape = cell.forward(X, state=(h0, c0), mask=mask)
    C = tape["c"]
    # gates are wanted where a sequence pauses, too: every step once more, as a batch of T B sequences of one step
    before = [np.concatenate([first[None], states[:-1]]).reshape(T * B, n) for first, states in ((h0, H), (c0, C))]
    _, steps = cell.forward(X.reshape(1, T * B, m), state=tuple(before))
    gates = {f"all_{name}": steps[name].reshape(T, B, n).copy() for name in "fog"}
    return {"H": H.copy(), "C": C.copy(), **gates}


def tied(W):
    """Blocks f, o, g as blocks i, f, o, g with 1 - f for i."""
    f, o, g = np.split(W, 3, axis=-1)
    return np.concatenate([-f, f, o, g], axis=-1)


def jacobian(rng):
    """Gates of all kinds; in the first sequence f = 1 and o = 0, in the second f = 0 and o = 1."""
    _, B, _, n = sizes(rng)
    f, o = rng.uniform(0.05, 0.95, (2, B, n))
    f[:2], o[:2] = [[1], [0]], [[0], [1]]
    g = rng.uniform(-0.95, 0.95, (B, n))
    c_prev = normal(rng, B, n, scale=1.5)
    c = g + f * (c_prev - g)
    return {"c_prev": c_prev, "f": f, "o": o, "g": g, "c": c, "Wh": normal(rng, n, 3 * n)}


# the minimal gated unit -----------------------------------------------------------------------------------------------


def minimal_backward(rng, lengths=None):
    _, B, m, k = sizes(rng) if lengths is None else lengths
    return {
        "dh": normal(rng, B, k),
        "x": normal(rng, B, m),
        "h_prev": normal(rng, B, k),
        "f": rng.uniform(0.05, 0.95, (B, k)),
        "n": rng.uniform(-0.95, 0.95, (B, k)),
        **without(weights(rng, m, k, 2), "b"),
    }
