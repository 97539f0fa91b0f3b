"""How weights begin. Each function returns a new NumPy array, drawn in float64 and then taken to `dtype`.

Everything is in tinyrnn's row convention, h_t = h_{t-1} W_h + x_t W_x: an entry W[i, j] is the weight from
unit i to unit j, a weight has the shape (fan_in, fan_out), and a matrix printed in a paper as h = W h
stands here transposed. Gates side by side are drawn one by one: each is a weight of its own, with its own
fan_out. `rng` is a seed, a `numpy.random.Generator` or None (fresh entropy).
"""

import numpy as np

from tinyrnn.core.backend import as_rng, xp_of
from tinyrnn.core.types import Array, Seed

# any weight ---


def glorot_uniform(shape: tuple[int, ...], rng: Seed = None, gain: float = 1.0, dtype: str = "float64") -> Array:
    """U(-a, a), a = gain √(6/(fan_in + fan_out)) (Glorot & Bengio 2010, eq. 16), shape (fan_in, fan_out)."""
    fan_in, fan_out = shape
    bound = gain * np.sqrt(6 / (fan_in + fan_out))
    return as_rng(rng).uniform(-bound, bound, shape).astype(dtype)


def glorot_normal(shape: tuple[int, ...], rng: Seed = None, gain: float = 1.0, dtype: str = "float64") -> Array:
    """N(0, s²), s = gain √(2/(fan_in + fan_out)) (Glorot & Bengio 2010, eq. 12), shape (fan_in, fan_out)."""
    fan_in, fan_out = shape
    std = gain * np.sqrt(2 / (fan_in + fan_out))
    return as_rng(rng).normal(0, std, shape).astype(dtype)


def uniform_sqrt(shape: tuple[int, ...], hidden_size: int, rng: Seed = None, dtype: str = "float64") -> Array:
    """U(-1/√H, 1/√H), PyTorch's default for all weights and biases of a recurrent layer with H units."""
    bound = 1 / np.sqrt(hidden_size)
    return as_rng(rng).uniform(-bound, bound, shape).astype(dtype)


# recurrent weights (n, n) ---


def scaled_identity(n: int, scale: float = 1.0, dtype: str = "float64") -> Array:
    """scale · I, for the IRNN (Le, Jaitly & Hinton 2015)."""
    return (scale * np.eye(n)).astype(dtype)


def random_orthogonal(n: int | tuple[int, int], rng: Seed = None, scale: float = 1.0, dtype: str = "float64") -> Array:
    """scale · Q with Q a random orthogonal matrix (Haar measure).

    n: the size, or a shape (rows, columns) for orthonormal rows or columns, whichever are fewer.
    Q is from a Gaussian's QR factors. Their signs are the library's choice, so Q is uniformly distributed
    only once they are made such that R's diagonal is positive (Mezzadri 2007).
    """
    rows, columns = n if isinstance(n, tuple) else (n, n)
    gaussian = as_rng(rng).normal(size=(max(rows, columns), min(rows, columns)))
    Q, R = np.linalg.qr(gaussian)
    Q = Q * np.where(np.diag(R) < 0, -1.0, 1.0)
    return (scale * (Q if rows >= columns else Q.T)).astype(dtype)


def random_unitary(n: int, rng: Seed = None, dtype: str = "float64") -> Array:
    """A random unitary matrix (Haar measure), its complex rows as real ones [Re; Im]: (n, 2n), see
    `tinyrnn.cells.parts.blocks`.

    From a complex Gaussian's QR factors, Q's phases made such that R's diagonal is positive (Mezzadri 2007).
    """
    rng = as_rng(rng)
    Q, R = np.linalg.qr(rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n)))
    Q = Q * (np.diag(R) / abs(np.diag(R)))
    return np.concatenate([Q.real, Q.imag], axis=1).astype(dtype)


def nearest_orthogonal(A: Array) -> Array:
    """The orthogonal matrix nearest to A (m, n) in the Frobenius norm: U Vᵀ, where A = U Σ Vᵀ.

    Has A's dtype and lives where A does; for m ≠ n the fewer of its rows and columns are orthonormal.
    """
    U, _, Vt = xp_of(A).linalg.svd(A, full_matrices=False)
    return U @ Vt


def gaussian_orthogonal(n: int, rng: Seed = None, dtype: str = "float64") -> Array:
    """The `nearest_orthogonal` to a Gaussian matrix of variance 1/n (Henaff, Szlam & LeCun 2016, LT-ORNN)."""
    return nearest_orthogonal(as_rng(rng).normal(0, 1 / np.sqrt(n), (n, n))).astype(dtype)


def henaff_skew(n: int, rng: Seed = None, dtype: str = "float64") -> Array:
    """A skew-symmetric S (n, n) whose exponential turns each pair of units by an angle from U(-π, π).

    Blocks [[0, s], [-s, 0]] on the diagonal, an odd last unit left alone (Lezcano-Casado & Martínez-Rubio 2019, after
    Henaff et al. 2016). The sign of s is that of rows, h exp(S); in distribution it makes no difference here.
    """
    return skew_blocks(n, as_rng(rng).uniform(-np.pi, np.pi, n // 2), dtype)


def cayley_skew(n: int, rng: Seed = None, dtype: str = "float64") -> Array:
    """As `henaff_skew`, with s = √((1 - cos u)/(1 + cos u)), u from U(0, π/2), so that 0 ≤ s < 1.

    S is then the Cayley transform of rotations by u (Helfrich, Willmott & Ye 2018); as an exponent it turns by s
    (Lezcano-Casado & Martínez-Rubio 2019, whose -s for columns is s for rows).
    """
    u = as_rng(rng).uniform(0, np.pi / 2, n // 2)
    return skew_blocks(n, np.sqrt((1 - np.cos(u)) / (1 + np.cos(u))), dtype)


def skew_blocks(n: int, s: Array, dtype: str = "float64") -> Array:
    """The skew-symmetric (n, n) matrix with the blocks [[0, s_k], [-s_k, 0]] on its diagonal; s (n // 2,)."""
    above = np.zeros(max(n - 1, 0))
    above[::2][: len(s)] = s
    return (np.diag(above, 1) - np.diag(above, -1)).astype(dtype)


def chain(n: int, alpha: float = 1.02, dtype: str = "float64") -> Array:
    """A delay line (Orhan & Pitkow 2020): unit i-1 drives unit i with weight alpha, W[i-1, i] = alpha.

    The paper's W_ij = α δ_{j,i-1} is for columns; for rows the alphas are *above* the diagonal. The other way
    round, what enters at unit 0 is gone after one step: total Fisher memory at n = 100 is 7.606 this way and
    0.000785 the other.
    """
    return (alpha * np.eye(n, k=1)).astype(dtype)


def feedback_chain(n: int, alpha: float = 0.99, beta: float = 0.04, dtype: str = "float64") -> Array:
    """`chain` with feedback (Orhan & Pitkow 2020): W[i-1, i] = alpha forwards, W[i, i-1] = beta backwards.

    Its eigenvalues are 2 √(alpha beta) cos(kπ/(n+1)), k = 1 … n; for n = 100 `numpy.linalg.eigvals` is wrong.
    """
    return (alpha * np.eye(n, k=1) + beta * np.eye(n, k=-1)).astype(dtype)


def ramp(n: int, end: float = 0.01, dtype: str = "float64") -> Array:
    """W[i, j] = end (j-i)/(n-1), like the gates of LSTMs that were trained (Orhan & Pitkow 2020)."""
    i = np.arange(n)
    return (end * (i[None, :] - i[:, None]) / max(n - 1, 1)).astype(dtype)


def reservoir(
    n: int, spectral_radius: float = 0.9, connections: int = 10, rng: Seed = None, dtype: str = "float64"
) -> Array:
    """Echo-state network: `connections` units drive each unit (each column), or all n where there are not more.

    The weights are U(-1, 1), then scaled so that the largest absolute eigenvalue is `spectral_radius` (Jaeger 2001).
    """
    rng = as_rng(rng)
    W = np.zeros((n, n))
    for column in W.T:
        column[rng.permutation(n)[:connections]] = rng.uniform(-1, 1, min(connections, n))
    return (spectral_radius / abs(np.linalg.eigvals(W)).max() * W).astype(dtype)


# input weights (input_size, n) ---


def source_input(input_size: int, n: int, gain: float = 0.9, dtype: str = "float64") -> Array:
    """gain · I, so that the inputs enter where a chain begins (Orhan & Pitkow 2020, with both chains)."""
    return (gain * np.eye(input_size, n)).astype(dtype)


def gaussian_input(input_size: int, n: int, rng: Seed = None, gain: float = 0.9, dtype: str = "float64") -> Array:
    """N(0, s²) with s = gain/√n (Orhan & Pitkow 2020, with the scaled identity and the orthogonal W_h)."""
    return as_rng(rng).normal(0, gain / np.sqrt(n), (input_size, n)).astype(dtype)


# whole cells ---


def lstm_weights(
    kind: str, input_size: int, hidden_size: int, rng: Seed = None, dtype: str = "float64"
) -> tuple[Array, Array]:
    """W_x (input_size, 4 hidden_size) and W_h (hidden_size, 4 hidden_size): gates i, f, o, g side by side.

    kind              each gate's W_h                       each gate's W_x
    "plain"           uniform_sqrt                          uniform_sqrt
    "orthogonal"      random_orthogonal, drawn anew         random_orthogonal, drawn anew
    "chain"           chain                                 source_input
    "mixed"           ramp for i, f and o, chain for g      source_input

    These are the gated networks of Orhan & Pitkow (2020). Raises ValueError for another kind.
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


def phases(n: int, rng: Seed = None, dtype: str = "float64") -> Array:
    """Angles (n,) of the diagonal matrices of the unitary RNN, U(-π, π) (Arjovsky et al. 2016)."""
    return as_rng(rng).uniform(-np.pi, np.pi, n).astype(dtype)


def reflections(n: int, rng: Seed = None, dtype: str = "float64") -> Array:
    """A vector (2n,), [Re; Im], for a reflection of the unitary RNN, U(-1, 1); its length does not matter."""
    return as_rng(rng).uniform(-1, 1, 2 * n).astype(dtype)


def small_biases(n: int, rng: Seed = None, bound: float = 0.01, dtype: str = "float64") -> Array:
    """Biases (n,) U(-bound, bound), as modReLU's in the code of Arjovsky et al. 2016 (in their text they are 0)."""
    return as_rng(rng).uniform(-bound, bound, n).astype(dtype)


def unit_state(n: int, rng: Seed = None, dtype: str = "float64") -> Array:
    """h_0 (2n,) of the unitary RNN, [Re; Im]: U(-a, a), a = √(3/2n), E‖h_0‖² = 1 (Arjovsky et al. 2016)."""
    bound = np.sqrt(3 / (2 * n))
    return as_rng(rng).uniform(-bound, bound, 2 * n).astype(dtype)
