"""Convolutions and the variational autoencoder: against PyTorch, complex steps and central differences."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyrnn.nn.autoencoder import VAE
from tinyrnn.nn.convolution import conv, conv_backward, deconv, deconv_backward, gather, spread

CASES = [(4, 2, 9), (5, 2, 8), (6, 2, 7), (3, 1, 5), (2, 3, 8), (1, 1, 1)]  # window, stride, rows


def images(rng, *shape):
    return rng.normal(size=shape)


@pytest.mark.few(3)
@pytest.mark.parametrize("k, stride, rows", CASES)
def test_both_convolutions_are_pytorchs_forward_and_backward(k, stride, rows):
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    rng = np.random.default_rng(0)
    W = images(rng, k, k, 2, 3)
    for ours, back, theirs, inputs, outputs in (
        (conv, conv_backward, torch.nn.functional.conv2d, 2, 3),
        (deconv, deconv_backward, torch.nn.functional.conv_transpose2d, 3, 2),
    ):
        x, b = images(rng, 4, rows, rows + 2, inputs), images(rng, outputs)
        tensors = [torch.tensor(a, requires_grad=True) for a in (x, W, b)]
        # (D, C, k, k): of PyTorch's transposed one, too, D are the channels that come in
        y = theirs(tensors[0].permute(0, 3, 1, 2), tensors[1].permute(3, 2, 0, 1), tensors[2], stride=stride)
        found = ours(x, W, b, stride)
        np.testing.assert_allclose(found, y.permute(0, 2, 3, 1).detach(), atol=1e-12)
        dy = images(rng, *found.shape)
        y.backward(torch.tensor(dy).permute(0, 3, 1, 2))
        for gradient, tensor in zip(back(x, W, dy, stride), tensors, strict=True):
            np.testing.assert_allclose(gradient, tensor.grad, atol=1e-11)


@settings(max_examples=30)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(4, 9), st.integers(4, 9), st.integers(0, 99))
def test_spreading_is_the_transpose_of_gathering(k, stride, rows, columns, seed):
    rng = np.random.default_rng(seed)
    x, W = images(rng, 2, rows, columns, 3), images(rng, k, k, 3, 2)
    gathered = gather(x, W, stride)
    y = images(rng, *gathered.shape)
    assert math.isclose((gathered * y).sum(), (x * spread(y, W, stride, x.shape)).sum(), rel_tol=1e-9, abs_tol=1e-9)


def small(free=0.0, dtype="float64"):
    """A network with nothing zero, three frames and noise. free: nats a latent that cost nothing."""
    vae, rng = VAE(latents=3, width=1, free=free, rng=0, dtype=dtype), np.random.default_rng(1)
    for value in vae.params.values():
        value += rng.normal(0, 0.1, value.shape).astype(dtype)
    return vae, rng.uniform(size=(3, 64, 64, 3)).astype(dtype), rng.normal(size=(3, 3)).astype(dtype)


def middling():
    """Nats a latent between the largest and the smallest divergence of the three frames."""
    vae, x, _ = small()
    mu, log_var = vae.encode(x)
    each = 0.5 * (mu**2 + np.exp(log_var) - 1 - log_var).sum(axis=1) / 3
    return (each.max() + each.min()) / 2


@pytest.mark.parametrize("free", [0.0, "between the frames", pytest.param(9.0, marks=pytest.mark.slow)])
def test_the_gradient_of_each_parameter_is_the_slope_that_complex_steps_find(free):
    free = middling() if isinstance(free, str) else free
    vae, x, noise = small(free)
    _, parts, grads = vae.gradients(x, noise)
    assert set(grads) == set(vae.params) and parts["divergence"] >= 3 * free
    rng = np.random.default_rng(2)
    for name, value in vae.params.items():
        direction = rng.normal(size=value.shape)
        vae.params[name] = value + 1e-30j * direction
        slope = vae.gradients(x, noise)[0].imag / 1e-30
        vae.params[name] = value
        assert grads[name].shape == value.shape
        assert math.isclose((grads[name] * direction).sum(), slope, rel_tol=1e-9, abs_tol=1e-9), name


def test_the_gradient_of_each_parameter_is_the_slope_that_central_differences_find():
    vae, x, noise = small()
    grads, h = vae.gradients(x, noise)[2], 1e-6
    for name, value in vae.params.items():
        index = np.unravel_index(abs(grads[name]).argmax(), value.shape)
        kept, found = value[index], []
        for step in (h, -h):
            value[index] = kept + step
            found.append(vae.gradients(x, noise)[0])
        value[index] = kept
        assert math.isclose((found[0] - found[1]) / (2 * h), grads[name][index], rel_tol=1e-4), name


def test_loss_and_gradients_are_pytorchs_of_the_network_in_world_models():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    functional = torch.nn.functional
    vae, x, noise = small(0.5)
    p = {name: torch.tensor(value, requires_grad=True) for name, value in vae.params.items()}

    def weights(name):
        return p[f"W_{name}"].permute(3, 2, 0, 1).contiguous()

    frames = torch.tensor(x).permute(0, 3, 1, 2)
    h = frames
    for n, size in zip((1, 2, 3, 4), (31, 14, 6, 2), strict=True):
        h = functional.conv2d(h, weights(f"e{n}"), p[f"b_e{n}"], stride=2).relu()
        assert h.shape[2:] == (size, size)
    both = h.permute(0, 2, 3, 1).reshape(3, -1) @ p["W_z"] + p["b_z"]
    mu, log_var = both[:, :3], both[:, 3:]
    z = mu + (log_var / 2).exp() * torch.tensor(noise)
    h = (z @ p["W_d0"] + p["b_d0"])[:, :, None, None]
    for n, size in zip((1, 2, 3, 4), (5, 13, 30, 64), strict=True):
        h = functional.conv_transpose2d(h, weights(f"d{n}"), p[f"b_d{n}"], stride=2)
        h = h.relu() if n < 4 else h.sigmoid()
        assert h.shape[2:] == (size, size)
    normal = torch.distributions.Normal
    divergence = torch.distributions.kl_divergence(normal(mu, (log_var / 2).exp()), normal(0.0, 1.0)).sum(dim=1)
    loss = ((h - frames) ** 2).sum(dim=(1, 2, 3)).mean() + divergence.clamp(min=1.5).mean()
    loss.backward()

    found, parts, grads = vae.gradients(x, noise)
    assert math.isclose(found, loss.item(), rel_tol=1e-12) and math.isclose(found, sum(parts.values()), rel_tol=1e-12)
    for name, tensor in p.items():
        np.testing.assert_allclose(grads[name], tensor.grad, rtol=1e-8, atol=1e-10, err_msg=name)


def test_in_single_precision_all_stays_single():
    vae, x, noise = small(dtype="float32")
    loss, _, grads = vae.gradients(x, noise)
    assert {loss.dtype, *(g.dtype for g in grads.values()), *(a.dtype for a in vae.encode(x))} == {np.dtype("float32")}
    assert vae.decode(noise).shape == x.shape and vae.decode(noise).dtype == np.float32
