"""The linear autoencoder for sequences from data: three ways to the same matrices A and B.

Every prefix of every training sequence, *reversed* and filled up with zeros, is a row of a matrix Xi:

    xi_t = [x_t, x_{t-1}, …, x_1, 0, …, 0]   (L k numbers, L the greatest length, k features)

So x_t is xi_t's first block, and xi_{t-1} = R xi_t, where R moves every block one place to the left. With the singular
value decomposition Xi = V S U^T (Pasa & Sperduti 2014), and m_t = U^T xi_t for the state,

    A = U^T P^T,  B = U^T R^T U,          P = [1 0 … 0] the first block

since m_t = U^T (P^T x_t + R^T xi_{t-1}) = A x_t + B m_{t-1}, exactly so where U keeps all of xi_{t-1}, which is when p
is the rank of Xi. On the side of time, the same B is S^-1 V^T R' V S, R' the shift by one row within every sequence,
because R' Xi = Xi R^T. Both hold too when only the largest p singular values are kept.

    fit           needs Xi, n L k numbers for n = the sum of all lengths
    fit_slices    n (k s + p) numbers, block column after block column, s of them at once
    fit_moments   for equal lengths: (L k)^2 numbers, whatever n, because U needs no more than Xi^T Xi

All return (A, B, mean, singular values, energy), as `LinearAutoencoder` takes them; every unit has the sign that makes
the largest entry of its row of A positive, so that the three can be compared.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import scipy  # whose parts are loaded when they are used

from tinyrnn.core.progress import Bar
from tinyrnn.core.types import Array

EPS = np.finfo("float64").eps


def fit(sequences: Any, p: int | None = None, mean: bool = True) -> Any:
    """By the SVD of Xi itself, which must fit in memory.

    sequences: arrays (T_q, k), of any lengths. p: how many units, None for as many as the rank, with which every
    training sequence is reconstructed exactly. mean: take the mean input off first.
    Raises ValueError for sequences that do not fit together, or a p that is not from 1 to the rank.
    """
    x, starts, center = stacked(sequences, mean)
    L, k = int(np.max(np.diff(starts))), x.shape[1]
    Xi = np.hstack([block(x, starts, j) for j in range(L)])
    _, sigma, Ut = scipy.linalg.svd(Xi, full_matrices=False)
    p = size(p, int(np.sum(sigma > sigma[0] * max(Xi.shape) * EPS)))
    return finished(Ut[:p].T, k, center, sigma[:p], float(np.sum(sigma**2)))


def fit_slices(sequences: Any, p: int, slices_at_once: int = 1, mean: bool = True, gram: bool = False) -> Any:
    """From the last block column of Xi to the first, of which never more than `slices_at_once` are there (s).

    M = [next blocks | V S of those before] is decomposed, and cut off at p, again and again: exact as long as p is not
    less than the rank, and else a good approximation. Of the last U, only the first k rows are ever needed.

    gram: decompose M by the eigenvectors of M^T M, (k s + p)^2 numbers, which is faster for tall M but squares the
    condition number: singular values below 1e-8 of the largest are noise then, and are dropped (about 1e-13 without).
    Other arguments and errors: as for `fit`.
    """
    if slices_at_once < 1:
        raise ValueError(f"slices_at_once must be at least 1, got {slices_at_once}")
    x, starts, center = stacked(sequences, mean)
    L, k = int(np.max(np.diff(starts))), x.shape[1]
    size(p, L * k)
    kept = np.empty((len(x), 0))
    energy = 0.0
    for stop in Bar(range(L, 0, -slices_at_once), desc="slices", unit="slice", disable=None, leave=False):
        blocks = [block(x, starts, j) for j in range(max(stop - slices_at_once, 0), stop)]
        energy += sum(float(np.sum(each**2)) for each in blocks)
        V, sigma, U = (decomposed_by_gram if gram else decomposed)(np.hstack([*blocks, kept]), p)
        kept = V * sigma
    if len(sigma) < p:
        size(p, len(sigma))
    before = block(kept, starts, 1)  # V S, one step earlier in every sequence
    B = (V / sigma).T @ before
    return signed(U[:k].T, B, center, sigma, energy)


def fit_moments(x: Array, p: int | None = None, mean: bool = True, scale: float = 1.0, chunk: int = 1000) -> Any:
    """For sequences of equal lengths L, which are read once: from C = the sum of all x x^T, x a whole sequence.

    Xi^T Xi, all that U needs, is C summed up along its diagonals: block [i, j] is the sum over t ≥ max(i, j) of
    C[t - i, t - j]. Costs N (L k)^2 operations for N sequences and one symmetric eigenproblem.

    x: (N, L) numbers, one sequence a row, or (L, N, k); or an iterable of such arrays. Any real dtype, such as bytes.
    scale: what x is multiplied by (for bytes 1/255). chunk: how many sequences are converted to float64 at a time.
    p None: the rank that can be told, which is of singular values above 1e-8 of the largest, since squares are
    decomposed. Other arguments and errors: as for `fit`.
    """
    C, total, count, k = moments([x] if hasattr(x, "ndim") else x, chunk)
    L = len(C) // k
    center = total.reshape(L, k).sum(axis=0) / (count * L) if mean else np.zeros(k)
    shift = np.tile(center, L)
    C -= np.outer(total, shift) + np.outer(shift, total) - count * np.outer(shift, shift)
    G = summed_along_diagonals(C, k) * scale**2
    energy = float(np.trace(G))
    wanted = len(G) if p is None else size(p, len(G))
    squares, U = scipy.linalg.eigh(G, subset_by_index=[len(G) - wanted, len(G) - 1], overwrite_a=True)
    squares, U = squares[::-1], U[:, ::-1]
    p = size(p, int(np.sum(squares > squares[0] * len(G) * EPS)))
    return finished(U[:, :p], k, center * scale, np.sqrt(squares[:p]), energy)


def moments(arrays: Any, chunk: int) -> Any:
    """The sum of x x^T, (L k, L k), and of x, (L k,), over all sequences x in the arrays; their number, and k."""
    C: Any = None
    count, k = 0, 0
    for array in arrays:
        array = np.asarray(array)
        if array.ndim == 2:
            array = array.T[:, :, None]
        if array.ndim != 3 or 0 in array.shape or array.dtype.kind not in "fiub":
            raise ValueError(f"x must be numbers (N, L) or (L, N, k), none of them 0, got {array.dtype} {array.shape}")
        L, n, features = array.shape
        if C is None:
            k, C, total = features, np.zeros((L * features, L * features)), np.zeros(L * features)
        if (features, L * features) != (k, len(C)):
            raise ValueError(f"all sequences must be equally long, ({len(C) // k}, N, {k}), got {array.shape}")
        for start in range(0, n, chunk):
            rows = array[:, start : start + chunk].swapaxes(0, 1).astype("float64", order="C").reshape(-1, L * k)
            if not np.isfinite(rows).all():
                raise ValueError("x must be finite")
            C += rows.T @ rows
            total += rows.sum(axis=0)
            count += len(rows)
    if C is None:
        raise ValueError("there are no sequences to fit an autoencoder to")
    return C, total, count, k


def summed_along_diagonals(C: Array, k: int) -> Any:
    """Xi^T Xi from C (L k, L k), which is overwritten."""
    for a in range(k, len(C), k):
        C[a : a + k, k:] += C[a - k : a, :-k]
    L = len(C) // k
    return C.reshape(L, k, L, k)[::-1, :, ::-1].reshape(C.shape)


def stacked(sequences: Any, mean: Any) -> Any:
    """(n, k) float64 rows of all sequences less their mean, where each starts and the last ends, and the mean (k,)."""
    sequences = [np.asarray(each) for each in sequences]
    if not sequences:
        raise ValueError("there are no sequences to fit an autoencoder to")
    k = sequences[0].shape[-1] if sequences[0].ndim == 2 else None
    for each in sequences:
        if each.ndim != 2 or 0 in each.shape or each.shape[1] != k or each.dtype.kind not in "fiub":
            raise ValueError(f"sequences must be numbers of shape (T, {k or 'k'}), got {each.dtype} {each.shape}")
    x = np.concatenate(sequences).astype("float64")
    if not np.isfinite(x).all():
        raise ValueError("sequences must be finite")
    center = x.mean(axis=0) if mean else np.zeros(x.shape[1])
    return x - center, np.cumsum([0, *map(len, sequences)]), center


def block(x: Array, starts: Array, j: int) -> Any:
    """(n, k) block column j of Xi: x as it was j steps before, zero where that is before the sequence's beginning."""
    out = np.zeros_like(x)
    for start, stop in pairwise(starts):
        out[start + j : stop] = x[start : max(stop - j, start)]
    return out


def decomposed(M: Array, p: int) -> Any:
    """V, singular values and U of M, the largest p, without those that are zero to rounding."""
    V, sigma, Ut = scipy.linalg.svd(M, full_matrices=False, overwrite_a=True)
    p = min(p, int(np.sum(sigma > sigma[0] * max(M.shape) * EPS)))
    return V[:, :p], sigma[:p], Ut[:p].T


def decomposed_by_gram(M: Array, p: int) -> Any:
    """As `decomposed`, by the eigenvalues of M^T M: half the digits, a fraction of the time."""
    squares, U = scipy.linalg.eigh(M.T @ M)
    squares, U = squares[::-1], U[:, ::-1]
    p = min(p, int(np.sum(squares > squares[0] * max(M.shape) * EPS)))
    sigma = np.sqrt(squares[:p])
    return M @ U[:, :p] / sigma, sigma, U[:, :p]


def size(p: int | None, rank: int) -> int:
    """p, or the rank for None; ValueError where the data do not have so many components."""
    if rank == 0:
        raise ValueError("the sequences are constant: there is nothing to encode")
    if p is not None and not (isinstance(p, int | np.integer) and 1 <= p <= rank):
        raise ValueError(f"p must be a whole number from 1 to {rank}, the data have no more components, got {p!r}")
    return rank if p is None else int(p)


def finished(U: Array, k: int, center: Array, sigma: Array, energy: float) -> Any:
    """What the fits return, from U (L k, p): A is its first block, transposed, and B = U^T R^T U."""
    B = U[k:].T @ U[:-k]
    return signed(U[:k].T, B, center, sigma, energy)


def signed(A: Array, B: Any, center: Array, sigma: Array, energy: float) -> Any:
    """The parts of the autoencoder, each component's sign chosen so that its largest entry in A is positive."""
    sign = np.where(np.take_along_axis(A, np.abs(A).argmax(axis=1)[:, None], axis=1) < 0, -1.0, 1.0)
    return A * sign, sign * B * sign.T, center, np.array(sigma), energy
