"""The contract carries recurrences that differ in kind from an Elman network: cells of the literature, small and
written here, none of which needs anything from the engine that the others do not.

What they stress: an input that multiplies the state (two projections in one array), many layers within a step (one
kept array for all of them), a weight that is never written out, a state of another size, derived weights.
"""

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.inits import glorot_uniform
from tinyrnn.ops import affine, affine_backward, join, split, tanh, weight_gradient


class Multiplicative(tr.Cell):
    """Multiplicative RNN (Sutskever, Martens & Hinton 2011): h = tanh(x W_x + b + ((x W_mx) * (h_prev W_mh)) W_hm)."""

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        shapes = {"W_x": (n, H), "W_mx": (n, H), "W_mh": (H, H), "W_hm": (H, H)}
        return {name: glorot_uniform(shape, rng=rng) for name, shape in shapes.items()} | {"b": np.zeros(H)}

    def project(self, p, x):
        return join(affine(x, p.W_x, p.b), affine(x, p.W_mx))

    def step(self, p, a, h_prev):
        a_h, k = split(a, 2)
        u = h_prev @ p.W_mh
        m = k * u
        h = tanh(a_h + m @ p.W_hm)
        return (h,), {"k": k, "u": u, "m": m}

    def step_backward(self, p, dh, *, h, k, u):
        da_h = dh * (1 - h * h)
        dm = da_h @ p.W_hm.T
        dk = dm * u
        du = dm * k
        return (da_h, dk, du), (du @ p.W_mh.T,)

    def gradients(self, p, x, da, *, h_prev, m):
        da_h, dk, du = da
        dx, dW_x, db = affine_backward(x, p.W_x, da_h)
        dx_k, dW_mx, _ = affine_backward(x, p.W_mx, dk)
        dx = None if dx is None else dx + dx_k
        dW_mh, dW_hm = weight_gradient(h_prev, du), weight_gradient(m, da_h)
        return dx, {"W_x": dW_x, "W_mx": dW_mx, "W_mh": dW_mh, "W_hm": dW_hm, "b": db}


class Rotations(tr.Cell):
    """A real EURNN (Jing et al. 2017): layers of plane rotations of neighbouring pairs, then + x V."""

    layers = 3

    def init(self, rng):
        n, H = self.input_size, self.hidden_size
        return {"theta": rng.uniform(-np.pi, np.pi, (self.layers, H // 2)), "V": glorot_uniform((n, H), rng=rng)}

    def rotate(self, z, theta):
        even, odd = z[..., 0::2], z[..., 1::2]
        c, s = np.cos(theta), np.sin(theta)
        turned = np.stack([c * even - s * odd, s * even + c * odd], axis=-1).reshape(z.shape)
        return np.roll(turned, 1, axis=-1)  # so that the next layer pairs other neighbours

    def project(self, p, x):
        return affine(x, p.V)

    def step(self, p, a, h_prev):
        z = [h_prev]
        for theta in p.theta:
            z.append(self.rotate(z[-1], theta))
        return (z[-1] + a,), {"z": np.stack(z[1:])}  # what comes out of each layer

    def step_backward(self, p, dh, *, z):
        dz, dtheta = dh, []
        for y, theta in zip(z[::-1], p.theta[::-1], strict=True):
            dz, y = np.roll(dz, -1, axis=-1), np.roll(y, -1, axis=-1)
            d_even, d_odd, even, odd = dz[..., 0::2], dz[..., 1::2], y[..., 0::2], y[..., 1::2]
            dtheta.insert(0, even * d_odd - odd * d_even)
            c, s = np.cos(theta), np.sin(theta)
            dz = np.stack([c * d_even + s * d_odd, c * d_odd - s * d_even], axis=-1).reshape(dz.shape)
        return (dh, np.stack(dtheta)), (dz,)

    def gradients(self, p, x, da):
        da, dtheta = da
        dx, dV, _ = affine_backward(x, p.V, da)
        return dx, {"theta": dtheta.sum(axis=(0, 2)), "V": dV}


class Kronecker(tr.Cell):
    """A Kronecker-factored recurrence (Jose, Cisse & Fleuret 2018): h = h_prev (A kron B) + x V, A kron B unwritten."""

    rows = 2

    def init(self, rng):
        n, H, r = self.input_size, self.hidden_size, self.rows
        return {
            "A": rng.normal(size=(r, r)),
            "B": rng.normal(size=(H // r, H // r)),
            "V": glorot_uniform((n, H), rng=rng),
        }

    def blocks(self, h):
        return h.reshape(*h.shape[:-1], self.rows, -1)

    def project(self, p, x):
        return affine(x, p.V)

    def step(self, p, a, h_prev):
        y = p.A.T @ self.blocks(h_prev) @ p.B
        return (y.reshape(h_prev.shape) + a,), {}

    def step_backward(self, p, dh):
        return dh, ((p.A @ self.blocks(dh) @ p.B.T).reshape(dh.shape),)

    def gradients(self, p, x, da, *, h_prev):
        dx, dV, _ = affine_backward(x, p.V, da)
        H, dY = self.blocks(h_prev), self.blocks(da)
        dA = np.einsum("tbij,tbkl,jl->ik", H, dY, p.B)
        dB = np.einsum("tbij,tbkl,ik->jl", H, dY, p.A)
        return dx, {"A": dA, "B": dB, "V": dV}


@pytest.mark.parametrize("cell", [Multiplicative, Rotations, Kronecker], ids=lambda c: c.__name__)
@pytest.mark.parametrize("options", [{}, {"learn_state": True, "clip_state": 0.7}], ids=["plain", "learned, clipped"])
def test_the_contract_carries_it(cell, options):
    report = tr.gradcheck(cell(3, 6, rng=0, **options))
    assert report.ok, report


@pytest.mark.parametrize("cell", [Multiplicative, Rotations, Kronecker], ids=lambda c: c.__name__)
def test_it_stacks_and_runs_in_both_directions(cell):
    report = tr.gradcheck(tr.Stack(tr.Bidirectional(cell(3, 6, rng=0), cell(3, 4, rng=1)), cell(10, 6, rng=2)))
    assert report.ok, report


def test_a_state_of_another_size_than_the_hidden_layer():
    report = tr.gradcheck(tr.LMN(3, 5, memory_size=7, rng=0))
    assert report.ok, report


def test_an_lmn_contains_the_elman_network():
    elman, lmn = tr.Elman(3, 5, rng=0), tr.LMN(3, 5, rng=1)
    lmn.params["W_xh"][...], lmn.params["W_mh"][...] = elman.params["W_x"], elman.params["W_h"]
    lmn.params["W_hm"][...], lmn.params["W_mm"][...] = np.eye(5), 0
    x = np.random.default_rng(2).normal(size=(20, 2, 3))
    assert abs(lmn.forward(x)[0] - elman.forward(x)[0]).max() < 1e-15


def test_an_antisymmetric_transition_has_eigenvalues_of_real_part_minus_gamma():
    cell = tr.Antisymmetric(3, 8, gamma=0.3, rng=0)
    assert np.linalg.eigvals(cell.derive(cell.params).M).real == pytest.approx([-0.3] * 8, abs=1e-12)
