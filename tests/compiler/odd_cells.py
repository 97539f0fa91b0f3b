"""Cells that ask something of the compiler: those it must leave alone, and those it must get right.

`ALONE` are run as they stand, with a reason; `TAKEN` are compiled. Each is a few lines in the place of a cell's step.
"""

import numpy as np

import tinyrnn as tr
from tinyrnn.core.backend import xp_of
from tinyrnn.core.ops import affine, affine_backward, join, tanh, weight_gradient


class Odd(tr.Cell):
    """`f(p, a, h)` is the new state, or that and a dict to keep. The backward pass belongs to h = … + h R."""

    def init(self, rng):
        H = self.hidden_size
        return {"W": rng.normal(size=(self.input_size, H)), "R": rng.normal(0, 0.3, (H, H)), "v": rng.normal(size=H)}

    def project(self, p, x):
        return affine(x, p.W)

    def f(self, p, a, h):
        return tanh(a + h @ p.R)

    def step(self, p, a, h_prev):
        new = self.f(p, a, h_prev)
        return ((new[0],), new[1]) if isinstance(new, tuple) else ((new,), {})

    def step_backward(self, p, dh):
        return dh, (dh @ p.R.T,)

    def gradients(self, p, x, da):
        dx, dW, dv = affine_backward(x, p.W, da)
        return dx, {"W": dW, "R": 0 * weight_gradient(da, da), "v": dv}


ALONE, TAKEN = {}, {}


def register(where):
    def add(made):
        name = made.__name__
        where[name] = made if isinstance(made, type) else type(name, (Odd,), {"f": made})
        return made

    return add


alone, taken = register(ALONE), register(TAKEN)


# branches, rows that see each other, things that are no arrays --------------------------------------------------------


@alone
def branches_on_a_value(self, p, a, h):
    return a + h if h[0, 0] > 0 else a - h


@alone
def centres_the_batch(self, p, a, h):
    return a + h - h.mean(axis=0)


@alone
def sums_the_batch(self, p, a, h):
    return a + h / (1 + (h * h).sum(axis=0))


@alone
def sums_what_is_one_number_a_row(self, p, a, h):
    return a + 0.1 * h[..., 0].sum(axis=-1)


@alone
def joins_what_is_one_number_a_row(self, p, a, h):
    return a + 0.1 * xp_of(h).concatenate([h[..., 0], h[..., 1]], axis=-1).sum()


@alone
def goes_row_by_row(self, p, a, h):
    return np.stack([0.5 * row for row in h]) + a


@alone
def divides_by_the_number_of_rows(self, p, a, h):
    return tanh(a + h) / len(h)


@alone
def multiplies_rows_of_its_own(self, p, a, h):
    return tanh(a + h) * np.linspace(0, 1, 4 * self.hidden_size).reshape(4, -1)  # as dropout kept for a batch of 4


@alone
def changes_in_place(self, p, a, h):
    z = a + 0.5 * h
    z[..., 0] = 0
    return z


@alone
def calls_numpy_itself(self, p, a, h):
    return np.tanh(a + h)


@alone
def sums_with_numpy_itself(self, p, a, h):
    return a + h / np.sum(abs(h) + 1, axis=-1, keepdims=True)


@alone
def uses_a_method_of_arrays(self, p, a, h):
    return a + 0.5 * h.copy()


@alone
def raises_a_number_to_a_power(self, p, a, h):
    return tanh(2.0**h + a)


@alone
def rounds_to_integers(self, p, a, h):
    return a + 0.1 * (3 * h).astype(int)


@alone
def takes_from_the_end(self, p, a, h):
    return a + 0.5 * xp_of(h).take(h, np.arange(self.hidden_size) - 2, axis=-1)


@alone
def multiplies_by_a_computed_matrix(self, p, a, h):
    return tanh(a + h @ (0.5 * p.R))


@alone
def keeps_a_list(self, p, a, h):
    return tanh(a + h @ p.R), {"layers": [1, 2]}


@alone
def keeps_booleans(self, p, a, h):
    return tanh(a + h @ p.R), {"on": h > 0}


@alone
def keeps_weights(self, p, a, h):
    return tanh(a + h @ p.R), {"w": tanh(p.v)}


@alone
def keeps_under_a_name_of_the_engine(self, p, a, h):
    return tanh(a + h @ p.R), {"h_prev": 2 * h}


@alone
def insists_on_numpy(self, p, a, h):
    if not isinstance(h, np.ndarray):
        raise RuntimeError("this is no array")
    return a + 0.5 * h


@alone
class BooleansInTheBackwardPass(Odd):
    def f(self, p, a, h):
        z = a + h @ p.R
        on = z > 0
        return xp_of(z).where(on, z, 0), {"on": on}

    def step_backward(self, p, dh, *, on):
        da = xp_of(dh).where(on, dh, 0)
        return da, (da @ p.R.T,)


# numbers of other kinds, odd shapes and orders ------------------------------------------------------------------------


@taken
def divides_integers(self, p, a, h):
    xp = xp_of(h)
    return xp.where(h > 0, 1, 0) / 2 + xp.ones_like(h) / 3 + (a > 0) / 4 + a


@taken
def divides_integers_of_its_own(self, p, a, h):
    return tanh(h * (np.arange(self.hidden_size) / 4)) + (a + np.arange(self.hidden_size)) / 4


@taken
def adds_and_multiplies_booleans(self, p, a, h):
    return ((h > 0) + (a > 0)) * 0.5 + ((h > 0) * (a < 1)) * 1.0 + (~(h > 0) | (a != 0) & (h <= a)) * 0.1


@taken
def has_booleans_of_its_own(self, p, a, h):
    return xp_of(h).where(np.arange(self.hidden_size) % 2 == 0, tanh(h + a), h)


@taken
def makes_zeros_of_what_is_infinite(self, p, a, h):
    return xp_of(h).zeros_like(a / (0 * a)) + 0.5 * h + a


@taken
def subtracts_what_it_added(self, p, a, h):
    return ((h + 1e6) - 1e6) + a


@taken
def looks_at_the_precision(self, p, a, h):
    return tanh(a + h) * (1 + 1e6 * np.finfo(h.dtype).eps)


@taken
def computes_with_numbers_only(self, p, a, h):
    xp = xp_of(h)
    return a + h * xp.sqrt(0.25) * xp.exp(-1.0)


@taken
def broadcasts_a_matrix_of_one_row(self, p, a, h):
    g = tanh(a + h) * np.linspace(0.5, 1, self.hidden_size, dtype=h.dtype).reshape(1, -1)
    return g * p.v[None], {"g": g}


@taken
def keeps_words_of_c(self, p, a, h):
    return tanh(a + h @ p.R), {name: (k + 2) * h for k, name in enumerate(("int", "do", "t", "j", "b", "A", "real"))}


@taken
def keeps_one_number_a_row(self, p, a, h):
    s = (h * h).sum(axis=-1)
    return tanh(a + h / (1 + s[..., None])), {"s": s}


@taken
def transforms_beside_one_number_a_row(self, p, a, h):
    xp = xp_of(h)
    s = xp.tanh(2 * h.sum(axis=-1))
    z = xp.empty(h.shape, "complex128")
    z.real, z.imag = h, a
    y, r = xp.fft.fft(z, norm="ortho"), xp.tanh(h[..., 0] + s)
    return 0.3 * y.real + 0.1 * y.imag + 0.1 * (r + s)[..., None]


@taken
def clips_many_times(self, p, a, h):
    xp = xp_of(h)
    for k in range(6):
        h = xp.minimum(xp.maximum(h + 0.01 * a, 0.01 * k - 1), 1 - 0.01 * k)
    return h


@taken
def reads_forwards_and_backwards(self, p, a, h):
    z = tanh(a + h)
    return 0.5 * join(z[..., 1:], z[..., :1]) + z[..., ::-1]


@taken
def multiplies_out(self, p, a, h):
    z = h[..., :, None] * p.R * a[..., None, :]
    return tanh(z.sum(axis=-1)) + tanh((h[..., :, None] * a[..., None, :]).sum(axis=-1, keepdims=True))[..., 0]


@taken
class TwoProductsBeforeTheLoop(Odd):
    def project(self, p, x):
        return affine(x, p.W) @ p.R


@taken
class StatesNamedLikeGradients(Odd):
    states = ("h", "a", "a_0")

    def step(self, p, a, h, u, w):
        return (tanh(a + h @ p.R + u), 0.9 * u + 0.1 * h, 0.5 * w + a), {}

    def step_backward(self, p, dh, du, dw):
        return (dh, dw), (dh @ p.R.T, 0.9 * du + dh, 0.5 * dw + du)

    def gradients(self, p, x, da):
        return super().gradients(p, x, da[0] + da[1])
