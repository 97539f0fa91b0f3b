"""Encode sequences into one vector with two matrices, and decode them with the same two, transposed."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tinyrnn.analysis.laes import fitting
from tinyrnn.cells import LinearRNN
from tinyrnn.core.cell import Cell
from tinyrnn.core.types import Array
from tinyrnn.init.by_name import initialise


@dataclass(frozen=True, eq=False)
class LinearAutoencoder:
    """A linear autoencoder for sequences (section 3 of Carta, Sperduti & Bacciu 2020; Pasa & Sperduti 2014).

        m_t = A (x_t - mean) + B m_{t-1}                     encoder, from m_0 = 0
        x_t - mean ≈ A^T m_t,    m_{t-1} ≈ B^T m_t           decoder, backwards in time

    A (p, k) and B (p, p) act on column vectors, as in the paper. mean (k,): the inputs' mean over all time steps, which
    the paper's code takes off and its text does not mention. singular_values (p,): those that were kept, the largest
    first. energy: the sum of the squares of all of them. Float64 arrays.

    `fit`, `fit_slices` and `fit_moments` find the same autoencoder at different costs:

        from tinyrnn import LinearAutoencoder
        autoencoder = LinearAutoencoder.fit_moments(images.reshape(-1, 784), p=128, scale=1 / 255)
        m = autoencoder.encode(x)  # x (T, B, k) -> the states (T, B, p); `final(x)`: only the last ones, (B, p)
        autoencoder.decode(m[-1], steps)  # the last inputs, (steps, B, k), in the order in which they were read
        initialise(LMN(k, p), "laes", autoencoder=autoencoder)
    """

    A: np.ndarray
    B: np.ndarray
    mean: np.ndarray
    singular_values: np.ndarray
    energy: float

    @classmethod
    def fit(cls, sequences: Any, p: int | None = None, mean: bool = True) -> "LinearAutoencoder":
        """By the SVD of all reversed prefixes: see `tinyrnn.analysis.laes.fitting.fit`."""
        return cls(*fitting.fit(sequences, p, mean))

    @classmethod
    def fit_slices(
        cls, sequences: Any, p: int, slices_at_once: int = 1, mean: bool = True, gram: bool = False
    ) -> "LinearAutoencoder":
        """The same slice by slice, in less memory: see `tinyrnn.analysis.laes.fitting.fit_slices`."""
        return cls(*fitting.fit_slices(sequences, p, slices_at_once, mean, gram))

    @classmethod
    def fit_moments(
        cls, x: Array, p: int | None = None, mean: bool = True, scale: float = 1.0, chunk: int = 1000
    ) -> "LinearAutoencoder":
        """For sequences of equal lengths, from their second moments: see `fitting.fit_moments`."""
        return cls(*fitting.fit_moments(x, p, mean, scale, chunk))

    def truncated(self, p: int) -> "LinearAutoencoder":
        """The autoencoder with only the p largest components: what fitting it with p units gives."""
        p = fitting.size(p, self.size)
        return LinearAutoencoder(self.A[:p], self.B[:p, :p], self.mean, self.singular_values[:p], self.energy)

    @property
    def input_size(self) -> int:
        """k, features of the input."""
        return self.A.shape[1]

    @property
    def size(self) -> int:
        """p, the number of units."""
        return len(self.A)

    @property
    def kept(self) -> float:
        """Share of the energy (sum of squares) of all reversed prefixes that the p components hold."""
        return float(np.sum(self.singular_values**2) / self.energy)

    @property
    def spectral_radius(self) -> float:
        """The largest modulus of B's eigenvalues."""
        return float(np.max(np.abs(np.linalg.eigvals(self.B))))

    def responses(self, steps: int) -> Array:
        """(steps, p, k): B^j A, what an input has become j steps later, and, transposed, how it is read off again."""
        if steps < 0:
            raise ValueError(f"steps must be at least 0, got {steps}")
        out = np.empty((steps, *self.A.shape))
        each = self.A
        for j in range(steps):
            out[j] = each
            each = self.B @ each
        return out

    def encode(self, x: Array, m: Array | None = None) -> Array:
        """The state after every step, (T, B, p), for x (T, B, k); m (B, p): the state before, or None for zero."""
        a = (self.check(x) - self.mean) @ self.A.T
        m = np.zeros(a.shape[1:]) if m is None else self.check_state(m)
        states = np.empty_like(a)
        for t in range(len(a)):
            m = states[t] = a[t] + m @ self.B.T
        return states

    def final(self, x: Array) -> Array:
        """The state after the last step, (B, p), for x (T, B, k): the last row of `encode`, by one matrix product."""
        x = self.check(x) - self.mean
        T, count, k = x.shape
        backwards = self.responses(T)[::-1].swapaxes(1, 2).reshape(T * k, self.size)
        return x.swapaxes(0, 1).reshape(count, T * k) @ backwards

    def decode(self, m: Array, steps: int) -> Array:
        """The `steps` inputs that led to the states m (B, p), (steps, B, k), in forward time order.

        Unrolls x ← A^T m + mean, m ← B^T m: the last input is found first.
        """
        m = self.check_state(m)
        return np.einsum("bp,tpk->tbk", m, self.responses(steps)[::-1], optimize=True) + self.mean

    def reconstruct(self, x: Array) -> Array:
        """x (T, B, k) encoded into one state for each sequence, and decoded from it again."""
        return self.decode(self.final(x), len(x))

    def to_cell(self, dtype: str = "float64") -> Cell:
        """The encoder as a `LinearRNN` of the package, to be run, trained, analysed and saved like any other."""
        return initialise(LinearRNN(self.input_size, self.size, rng=0, dtype=dtype), "laes", autoencoder=self)

    def check(self, x: Array) -> Array:
        """x as an array (T, B, k); ValueError if it is anything else."""
        x = np.asarray(x)
        if x.ndim != 3 or x.shape[2] != self.input_size or x.dtype.kind not in "fiub":
            raise ValueError(f"x must be numbers of shape (T, B, {self.input_size}), got {x.dtype} {x.shape}")
        return x

    def check_state(self, m: Array) -> Array:
        """m as an array (..., p); ValueError if it is anything else."""
        m = np.asarray(m, "float64")
        if m.ndim != 2 or m.shape[1] != self.size:
            raise ValueError(f"m must have shape (B, {self.size}), got {m.shape}")
        return m
