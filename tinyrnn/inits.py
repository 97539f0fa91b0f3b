"""How weights begin. Each function returns a new NumPy array, drawn in float64 and then taken to `dtype`.

Everything is in tinyrnn's row convention, h_t = h_{t-1} W_h + x_t W_x: an entry W[i, j] is the weight from
unit i to unit j, a weight has the shape (fan_in, fan_out), and a matrix printed in a paper as h = W h
stands here transposed. `rng` is a seed, a `numpy.random.Generator` or None (fresh entropy).
"""

import numpy as np

from tinyrnn.backend import as_rng, xp_of

# ---- any weight ----


def glorot_uniform(shape, gain=1.0, rng=None, dtype="float64"):
    """U(-a, a) with a = gain √(6/(fan_in + fan_out)) (Glorot & Bengio 2010, eq. 16). shape: (fan_in,
    fan_out)."""
    fan_in, fan_out = shape
    bound = gain * np.sqrt(6 / (fan_in + fan_out))
    return as_rng(rng).uniform(-bound, bound, shape).astype(dtype)


def glorot_normal(shape, gain=1.0, rng=None, dtype="float64"):
    """N(0, s²) with s = gain √(2/(fan_in + fan_out)) (Glorot & Bengio 2010, eq. 12). shape: (fan_in,
    fan_out)."""
    fan_in, fan_out = shape
    std = gain * np.sqrt(2 / (fan_in + fan_out))
    return as_rng(rng).normal(0, std, shape).astype(dtype)


def uniform_sqrt(shape, hidden_size, rng=None, dtype="float64"):
    """U(-1/√H, 1/√H), PyTorch's default for all weights and biases of a recurrent layer with H units."""
    bound = 1 / np.sqrt(hidden_size)
    return as_rng(rng).uniform(-bound, bound, shape).astype(dtype)


# ---- recurrent weights (n, n) ----


def scaled_identity(n, scale=1.0, dtype="float64"):
    """scale · I, for the IRNN (Le, Jaitly & Hinton 2015)."""
    return scale * np.eye(n, dtype=dtype)


def random_orthogonal(n, scale=1.0, rng=None, dtype="float64"):
    """scale · Q with Q orthogonal, uniformly distributed (Haar measure).

    n: the size, or a shape (rows, columns) for orthonormal rows or columns, whichever are fewer.
    The Q of a Gaussian's QR factors depends on the library's signs; with R's diagonal positive it is Haar
    (Mezzadri 2007).
    """
    rows, columns = (n, n) if np.ndim(n) == 0 else n
    gaussian = as_rng(rng).normal(size=(max(rows, columns), min(rows, columns)))
    Q, R = np.linalg.qr(gaussian)
    Q = Q * np.where(np.diag(R) < 0, -1.0, 1.0)
    return (scale * (Q if rows >= columns else Q.T)).astype(dtype)


def nearest_orthogonal(A):
    """The orthogonal matrix nearest to A in the Frobenius norm: A = U Σ Vᵀ ↦ U Vᵀ. Any 2-d shape, A's dtype
    and device."""
    U, _, Vt = xp_of(A).linalg.svd(A, full_matrices=False)
    return U @ Vt


def gaussian_orthogonal(n, rng=None, dtype="float64"):
    """A Gaussian of variance 1/n, made orthogonal by `nearest_orthogonal` (Henaff, Szlam & LeCun 2016,
    §4)."""
    return nearest_orthogonal(as_rng(rng).normal(0, 1 / np.sqrt(n), (n, n))).astype(dtype)


def chain(n, alpha=1.02, dtype="float64"):
    """A delay line: unit i-1 drives unit i with weight alpha, W[i-1, i] = alpha (Orhan & Pitkow 2020, §2.1).

    The paper's W_ij = α δ_{j,i-1} is for columns; for rows the alphas are *above* the diagonal. The other
    way round, the signal put into unit 0 leaves after one step. Total Fisher memory at n = 100: 7.606 this
    way, 0.000785 the other.
    """
    return alpha * np.eye(n, k=1, dtype=dtype)


def feedback_chain(n, alpha=0.99, beta=0.04, dtype="float64"):
    """`chain` with feedback: W[i-1, i] = alpha forwards and W[i, i-1] = beta backwards (Orhan & Pitkow
    2020, §2.1).

    Its eigenvalues are 2 √(alpha beta) cos(iπ/(n+1)).
    """
    return alpha * np.eye(n, k=1, dtype=dtype) + beta * np.eye(n, k=-1, dtype=dtype)


def ramp(n, end=0.01, dtype="float64"):
    """W[i, j] = end (j-i)/(n-1): what a trained LSTM's gates look like (Orhan & Pitkow 2020, "mixed" in
    their table 4)."""
    i = np.arange(n)
    return (end * (i[None, :] - i[:, None]) / max(n - 1, 1)).astype(dtype)


# ---- input weights (input_size, n) ----


def source_input(input_size, n, gain=0.9, dtype="float64"):
    """gain · I, so that input k enters at unit k, where a chain begins (Orhan & Pitkow 2020, for both
    chains)."""
    return gain * np.eye(input_size, n, dtype=dtype)


def gaussian_input(input_size, n, gain=0.9, rng=None, dtype="float64"):
    """N(0, s²) with the standard deviation s = gain/√n (Orhan & Pitkow 2020, for identity and orthogonal)."""
    return as_rng(rng).normal(0, gain / np.sqrt(n), (input_size, n)).astype(dtype)


# ---- whole cells ----


def lstm_weights(kind, input_size, hidden_size, rng=None, dtype="float64"):
    """W_x (input_size, 4 hidden_size) and W_h (hidden_size, 4 hidden_size), gate by gate in the order i, f,
    o, g.

    kind (Orhan & Pitkow 2020, table 4)      each gate's W_h                        each gate's W_x
    "plain"                                  uniform_sqrt                           uniform_sqrt
    "orthogonal"                             random_orthogonal, drawn anew          orthonormal rows or columns
    "chain"                                  chain                                  source_input
    "mixed"                                  ramp for i, f and o, chain for g       source_input

    Raises ValueError for another kind.
    """
    rng, d, n = as_rng(rng), input_size, hidden_size
    if kind == "plain":
        blocks = [(uniform_sqrt((d, n), n, rng), uniform_sqrt((n, n), n, rng)) for _ in range(4)]
    elif kind == "orthogonal":
        blocks = [(random_orthogonal((d, n), rng=rng), random_orthogonal(n, rng=rng)) for _ in range(4)]
    elif kind == "chain":
        blocks = [(source_input(d, n), chain(n))] * 4
    elif kind == "mixed":
        blocks = [(source_input(d, n), W) for W in (ramp(n), ramp(n), ramp(n), chain(n))]
    else:
        raise ValueError(f"unknown LSTM initialiser {kind!r}: choose from plain, orthogonal, chain, mixed")
    W_x, W_h = (np.concatenate(gates, axis=1).astype(dtype) for gates in zip(*blocks, strict=True))
    return W_x, W_h


def unit_state(n, rng=None, dtype="float64"):
    """h_0 (2n,) of the unitary RNN as [Re; Im], U(-√(3/2n), √(3/2n)), so that E‖h_0‖² = 1 (Arjovsky et al.
    2016, §4.3)."""
    bound = np.sqrt(3 / (2 * n))
    return as_rng(rng).uniform(-bound, bound, 2 * n).astype(dtype)
