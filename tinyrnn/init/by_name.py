"""Start a cell as one of the sources starts it, by the name of the initialiser: `tinyrnn.initialise(cell, "chain")`.

The functions of `tinyrnn.init.distributions` make matrices; here is which of a cell's matrices they are for. All are in
the row convention, h_t = h_{t-1} W_h + x_t W_x, whatever the source's own.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy  # whose parts are loaded when they are used

from tinyrnn.core.backend import as_rng, xp_of
from tinyrnn.core.cell import Cell
from tinyrnn.core.types import Array, Seed, Weights
from tinyrnn.init import distributions

# class -> (input weights, recurrent weights) that an initialiser is for; gates are side by side in both
PLACES = {
    "Elman": ("W_x", "W_h"),
    "IRNN": ("W_x", "W_h"),
    "LinearRNN": ("U", "V"),
    "LSTM": ("W_x", "W_h"),
    "PeepholeLSTM": ("W_x", "W_h"),
    "GRU": ("W_x", "W_h"),
    "EchoStateNetwork": ("W_x", "W_h"),
    "LMN": (None, "W_mm"),  # the input does not enter the memory directly
}


def initialise(cell: Cell, name: str, rng: Seed = None, **options: Any) -> Cell:
    """Give `cell` new weights in place, by the initialiser `name`, of `INITIALISERS` or `LEARNT`; returns the cell.

    options: that initialiser's own arguments, such as alpha. rng: a seed or Generator. What the initialiser does not
    name stays as it is. ValueError for an unknown name or option, or a cell that the initialiser does not fit.

        tr.initialise(tr.Elman(1, 100, activation="elu"), "chain", alpha=1.05)
        tr.initialise(tr.LMN(1, 100), "laes", autoencoder=tr.LinearAutoencoder.fit(sequences, 100))
    """
    every = INITIALISERS | LEARNT
    if name not in every:
        raise ValueError(f"unknown initialiser {name!r}; choose from {', '.join(every)}")
    make, wanted = every[name]
    kind = type(cell).__name__
    fits = PLACES if wanted is None else wanted
    if kind not in fits:
        raise ValueError(f"initialiser {name!r} is not for {kind}, only for {', '.join(fits)}")
    allowed = list(inspect.signature(make).parameters)[2:]
    for option in options:
        if option not in allowed:
            some = f"choose from {', '.join(allowed)}" if allowed else "it has none"
            raise ValueError(f"initialiser {name!r} has no option {option!r}; {some}")
    for key, value in make(cell, as_rng(rng), **options).items():
        old = cell.params[key]
        old[...] = xp_of(old).asarray(value, dtype=old.dtype)
    return cell


# matrices between units ---


def recurrent(
    cell: Cell, square: Callable[[int], Array], entrance: Callable[[int, int], Array] | None = None
) -> Weights:
    """Each gate's recurrent block from square(n), drawn anew, and its input block from entrance(d, n)."""
    at_input, at_state = PLACES[type(cell).__name__]
    n, count = cell.params[at_state].shape[0], max(len(cell.gates), 1)
    params = {at_state: np.concatenate([square(n) for _ in range(count)], axis=1)}
    if at_input and entrance is not None:
        params[at_input] = np.concatenate([entrance(cell.input_size, n) for _ in range(count)], axis=1)
    return params


def identity(cell: Cell, rng: np.random.Generator, scale: float = 1.0) -> Weights:
    """Scaled identity; inputs N(0, (0.9/√n)²) (Orhan & Pitkow 2020)."""
    return recurrent(
        cell, lambda n: distributions.scaled_identity(n, scale), lambda d, n: distributions.gaussian_input(d, n, rng)
    )


def orthogonal(cell: Cell, rng: np.random.Generator, scale: float = 1.0) -> Weights:
    """A random orthogonal matrix, scaled; inputs as with `identity`, in LSTMs orthogonal too (Orhan & Pitkow 2020)."""
    if "LSTM" in type(cell).__name__ and scale == 1:
        return lstm(cell, "orthogonal", rng)
    square = lambda n: distributions.random_orthogonal(n, rng, scale)  # noqa: E731
    return recurrent(cell, square, lambda d, n: distributions.gaussian_input(d, n, rng))


def chain(cell: Cell, rng: np.random.Generator, alpha: float = 1.02) -> Weights:
    """A delay line; inputs enter at its head, 0.9 I (Orhan & Pitkow 2020)."""
    return recurrent(cell, lambda n: distributions.chain(n, alpha), distributions.source_input)


def feedback_chain(cell: Cell, rng: np.random.Generator, alpha: float = 0.99, beta: float = 0.04) -> Weights:
    """A delay line with feedback; inputs enter at its head, 0.9 I (Orhan & Pitkow 2020)."""
    return recurrent(cell, lambda n: distributions.feedback_chain(n, alpha, beta), distributions.source_input)


def mixed(cell: Cell, rng: np.random.Generator) -> Weights:
    """A chain in the tanh gate, ramps in the others (Orhan & Pitkow 2020)."""
    return lstm(cell, "mixed", rng)


def lstm(cell: Cell, kind: str, rng: np.random.Generator) -> Weights:
    """All weight matrices of an LSTM, of one of the kinds of `distributions.lstm_weights`."""
    W_x, W_h = distributions.lstm_weights(kind, cell.input_size, cell.hidden_size, rng)
    return {"W_x": W_x, "W_h": W_h}


def gaussian_orthogonal(cell: Cell, rng: np.random.Generator) -> Weights:
    """The orthogonal matrix nearest to a Gaussian one (Henaff, Szlam & LeCun 2016)."""
    return recurrent(cell, lambda n: distributions.gaussian_orthogonal(n, rng))


def henaff_exp(cell: Cell, rng: np.random.Generator) -> Weights:
    """exp of `henaff_skew`: rotations by angles from U(-π, π) (Lezcano-Casado & Martínez-Rubio 2019)."""
    return recurrent(cell, lambda n: scipy.linalg.expm(distributions.henaff_skew(n, rng)))


def cayley_exp(cell: Cell, rng: np.random.Generator) -> Weights:
    """exp of `cayley_skew` (Lezcano-Casado & Martínez-Rubio 2019, after Helfrich, Willmott & Ye 2018)."""
    return recurrent(cell, lambda n: scipy.linalg.expm(distributions.cayley_skew(n, rng)))


# all weights ---


def everything(cell: Cell, matrix: Callable[[tuple[int, ...]], Array], bias: Callable[[int], Array]) -> Weights:
    """Every matrix's gates, one by one, from matrix(shape); biases from bias(n). Peepholes and states stay."""
    params = {}
    for name, value in cell.params.items():
        if value.ndim == 2:
            count = len(cell.gates) if value.shape[1] == len(cell.gates) * cell.hidden_size else 1
            shape = value.shape[0], value.shape[1] // count
            params[name] = np.concatenate([matrix(shape) for _ in range(count)], axis=1)
        elif name.startswith("b"):
            params[name] = bias(len(value))
    return params


def glorot(cell: Cell, rng: np.random.Generator) -> Weights:
    """Glorot-uniform weights, zero biases, an LSTM's forget bias 1 (Arjovsky, Shah & Bengio 2015: their baselines)."""
    params = everything(cell, lambda shape: distributions.glorot_uniform(shape, rng), np.zeros)
    return forget_bias_one(cell, params)


def plain(cell: Cell, rng: np.random.Generator) -> Weights:
    """All weights and biases U(-1/√n, 1/√n), n the hidden size: PyTorch's default, "plain" in Orhan & Pitkow 2020."""

    def draw(shape):
        return distributions.uniform_sqrt(shape, cell.hidden_size, rng)

    return everything(cell, draw, draw)


def xavier_normal(cell: Cell, rng: np.random.Generator) -> Weights:
    """Glorot-normal with gain 0.9, biases N(0, 1); LSTMs 0.01 N(0, 1) with forget bias 1 (the code of Carta, Sperduti
    & Bacciu 2021)."""
    if "LSTM" in type(cell).__name__:
        return forget_bias_one(cell, everything(cell, lambda shape: 0.01 * rng.normal(size=shape), np.zeros))
    return everything(
        cell, lambda shape: distributions.glorot_normal(shape, rng, gain=0.9), lambda n: rng.normal(size=n)
    )


def ortho(cell: Cell, rng: np.random.Generator) -> Weights:
    """As `xavier_normal`, but the recurrent matrix, and in an LMN W_mm alone, is random orthogonal: RNN-ortho and
    LMN-ortho (Carta, Sperduti & Bacciu 2021)."""
    return xavier_normal(cell, rng) | recurrent(cell, lambda n: distributions.random_orthogonal(n, rng))


def forget_bias_one(cell: Cell, params: Weights) -> Weights:
    """The parameters with the forget gate's bias at 1."""
    if "f" in cell.gates:
        k, n = cell.gates.index("f"), cell.hidden_size
        params["b"][k * n : (k + 1) * n] = 1
    return params


# the unitary RNN ---


def unitary(cell: Cell, rng: np.random.Generator) -> Weights:
    """As in the code of Arjovsky, Shah & Bengio 2016, which is not quite as in their text: b is U(-0.01, 0.01), and the
    reflections are Glorot-uniform (their scale does not matter)."""
    n = cell.hidden_size
    v = {f"v_{k}": distributions.glorot_uniform((2, n), rng).reshape(2 * n) for k in (1, 2)}
    theta = {f"theta_{k}": distributions.phases(n, rng) for k in (1, 2, 3)}
    return (
        theta
        | v
        | {"V": distributions.glorot_uniform((cell.input_size, 2 * n), rng)}
        | {"b": distributions.small_biases(len(cell.params["b"]), rng)}
    )


# learnt from data ---


def laes(cell: Cell, rng: np.random.Generator, autoencoder: Any = None) -> Weights:
    """A linear autoencoder's memory: LMN-laes and RNN-laes (Carta, Sperduti & Bacciu 2021), and the encoder itself.

    autoencoder: a `tinyrnn.LinearAutoencoder` with as many inputs and units as the cell. In an LMN, h = tanh(A x_t)
    is handed to a memory with the autoencoder's B, and nothing comes back from it; in an Elman network everything is
    within the tanh, so that the inputs must be small next to 1 for the state to be the autoencoder's.
    """
    if autoencoder is None:
        raise ValueError("initialiser 'laes' needs an autoencoder: a tinyrnn.LinearAutoencoder")
    k, p = autoencoder.input_size, autoencoder.size
    sizes = (cell.input_size, cell.hidden_size, *cell.state_sizes)
    if sizes != (k, p, p):
        raise ValueError(
            f"initialiser 'laes': the autoencoder has {k} inputs and {p} units, {type(cell).__name__} has "
            f"{cell.input_size} inputs and {' and '.join(map(str, dict.fromkeys(sizes[1:])))} units"
        )
    A, B = autoencoder.A.T, autoencoder.B.T
    bias = -autoencoder.mean @ A
    if type(cell).__name__ == "LMN":
        W_mh, W_hm, b_h = np.zeros((p, p)), np.eye(p), np.zeros(p)
        return {"W_xh": A, "W_mh": W_mh, "W_hm": W_hm, "W_mm": B, "b_h": b_h, "b_m": bias}
    at_input, at_state = PLACES[type(cell).__name__]
    assert at_input is not None  # of an LMN it is, which was above
    return {at_input: A, at_state: B, "b": bias}


LSTMS = ("LSTM", "PeepholeLSTM")
RNNS = ("Elman", "IRNN", "LMN", *LSTMS)
# name -> (function, the classes it is for, None: all with a plain recurrent matrix)
INITIALISERS = {
    "identity": (identity, None),
    "orthogonal": (orthogonal, None),
    "chain": (chain, None),
    "feedback-chain": (feedback_chain, None),
    "mixed": (mixed, LSTMS),
    "gaussian-orthogonal": (gaussian_orthogonal, None),
    "henaff-exp": (henaff_exp, None),
    "cayley-exp": (cayley_exp, None),
    "glorot": (glorot, None),
    "plain": (plain, None),
    "xavier-normal": (xavier_normal, RNNS),
    "ortho": (ortho, ("Elman", "IRNN", "LMN")),
    "unitary-code": (unitary, ("UnitaryRNN",)),
}
# the same for initialisers that are given something learnt from data
LEARNT = {
    "laes": (laes, ("LinearRNN", "Elman", "IRNN", "LMN")),
}
