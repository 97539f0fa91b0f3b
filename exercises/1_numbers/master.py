"""Numbers first: derivatives by differences, a loss, and layers with their gradients.

Gradients are named after what they belong to: dx is the gradient of x, of x's shape. Everything is float64, and no
function changes its arguments.
"""

import numpy as np


def nudged(x, index, step):
    """A copy of the array x with `step`, real or complex, added to the entry x[index] (given)."""
    y = x.astype(np.result_type(x, step))
    y[index] += step
    return y


def central_gradient(f, x, eps):
    """The gradient of f at x by central differences (practice).

        df/dx_j ≈ (f(x + eps e_j) - f(x - eps e_j)) / (2 eps)

    f maps an array of x's shape to one number. Returns an array of x's shape.
    """
    # BEGIN SOLUTION
    slope = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        slope[index] = (f(nudged(x, index, eps)) - f(nudged(x, index, -eps))) / (2 * eps)
    return slope
    # END SOLUTION


def five_point_gradient(f, x, eps):
    """The gradient of f at x by five-point differences, of which the centre has weight 0.

        df/dx_j ≈ (f(x - 2 eps e_j) - 8 f(x - eps e_j) + 8 f(x + eps e_j) - f(x + 2 eps e_j)) / (12 eps)

    f maps an array of x's shape (any shape) to one number. Returns an array of x's shape.
    """
    # BEGIN SOLUTION
    slope = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        near = f(nudged(x, index, eps)) - f(nudged(x, index, -eps))
        far = f(nudged(x, index, 2 * eps)) - f(nudged(x, index, -2 * eps))
        slope[index] = (8 * near - far) / (12 * eps)
    return slope
    # END SOLUTION


def complex_step_jacobian(f, x):
    """The Jacobian of f at x by the complex step, exact to rounding.

        J[i, j] = ∂f_i/∂x_j = Im f_i(x + i h e_j) / h        with an h that you choose

    f maps a vector (m,) to a vector (n,), and continues to complex numbers. x: (m,). Returns J (n, m), real.
    """
    # BEGIN SOLUTION
    h = 1e-20
    columns = [f(nudged(x, j, 1j * h)).imag / h for j in range(len(x))]
    return np.stack(columns, axis=1)
    # END SOLUTION


def gradient_verdicts(analytic, numeric, tolerance):
    """How far gradients are from what they should be, and whether they pass.

        error = max |a - b| / (max |a| + max |b|)        0 where a and b are zero throughout
                                                         1 where shapes differ, or anything is NaN or infinite

    analytic, numeric: lists of K arrays a and b. tolerance: a number.
    Returns a dict: "error" (K,), from 0 to 1, and "ok" (K,), booleans: whether the error is at most the tolerance.
    """
    # BEGIN SOLUTION
    errors = []
    for a, b in zip(analytic, numeric, strict=True):
        comparable = a.shape == b.shape and np.isfinite(a).all() and np.isfinite(b).all()
        if not comparable:
            errors.append(1.0)
            continue
        scale = np.abs(a).max() + np.abs(b).max()
        errors.append(np.abs(a - b).max() / scale if scale > 0 else 0.0)
    error = np.array(errors)
    return {"error": error, "ok": error <= tolerance}
    # END SOLUTION


def softmax_cross_entropy(logits, target):
    """Mean cross-entropy of softmax(logits), in nats (practice).

        p_j = e^{z_j} / Σ_k e^{z_k}        loss = -1/N Σ ln p_target

    logits: (N, C), up to ±1000. target: integers (N,), from 0 to C - 1. Returns loss, a number, and p (N, C).
    """
    # BEGIN SOLUTION
    centred = logits - logits.max(axis=1, keepdims=True)
    log_p = centred - np.log(np.exp(centred).sum(axis=1, keepdims=True))
    loss = -log_p[np.arange(len(target)), target].mean()
    return loss, np.exp(log_p)
    # END SOLUTION


def softmax_cross_entropy_backward(dloss, p, target):
    """The gradient of `softmax_cross_entropy` with respect to the logits (practice).

    dloss: a number. p: (N, C), the softmax. target: integers (N,). Returns dlogits (N, C).
    """
    # BEGIN SOLUTION
    dlogits = p.copy()
    dlogits[np.arange(len(target)), target] -= 1
    return dlogits * dloss / len(target)
    # END SOLUTION


def smoothed_cross_entropy(logits, target, mask, smoothing):
    """Cross-entropy of softmax(logits) with smoothed labels, the mean over the tokens that the mask keeps.

        p_j = e^{z_j} / Σ_k e^{z_k}
        q_j = (1 - s) [j = target] + s / C
        loss = -1/N Σ Σ_j q_j ln p_j        the outer sum and N: tokens where the mask is True

    logits: z (T, B, C), up to ±1000. target: integers (T, B), from 0 to C - 1, and -1 in the padding. mask: booleans
    (T, B), False in the padding. smoothing: s, from 0 to 1. Returns loss, a number, and p (T, B, C), padding too.
    """
    # BEGIN SOLUTION
    C = logits.shape[-1]
    shift = logits.max(axis=-1, keepdims=True)
    e = np.exp(logits - shift)
    total = e.sum(axis=-1, keepdims=True)
    p = e / total
    log_p = logits - shift - np.log(total)
    one_hot = target[..., None] == np.arange(C)
    q = (1 - smoothing) * one_hot + smoothing / C
    losses = -(q * log_p).sum(axis=-1)
    loss = (losses * mask).sum() / mask.sum()
    return loss, p
    # END SOLUTION


def smoothed_cross_entropy_backward(dloss, p, target, mask, smoothing):
    """The gradient of `smoothed_cross_entropy` with respect to the logits.

    dloss: a number, the gradient of the loss. p: (T, B, C), the softmax. target, mask, smoothing: as there.
    Returns dlogits (T, B, C), zero in the padding.
    """
    # BEGIN SOLUTION
    C = p.shape[-1]
    weight = mask / mask.sum()
    hit = target[..., None] == np.arange(C)
    wanted = (1 - smoothing) * hit + smoothing / C
    dlogits = dloss * weight[..., None] * (p - wanted)
    return dlogits
    # END SOLUTION


def linear(x, W, b):
    """A linear layer (practice): y = x W + b.

    x: (T, B, m). W: (m, n). b: (n,). Returns y (T, B, n).
    """
    # BEGIN SOLUTION
    return x @ W + b
    # END SOLUTION


def linear_backward(dy, x, W):
    """The gradients of `linear` (practice).

    dy: (T, B, n). x: (T, B, m). W: (m, n). Returns a dict: "dx" (T, B, m), "dW" (m, n), "db" (n,).
    """
    # BEGIN SOLUTION
    dW = np.einsum("tbm,tbn->mn", x, dy)
    db = np.einsum("tbn->n", dy)
    return {"dx": dy @ W.T, "dW": dW, "db": db}
    # END SOLUTION


def tied_layer(x, W, b, c):
    """A layer that uses one weight twice: there, and back again through its transpose.

        z = x W + b        y = z Wᵀ + c

    x: (T, B, m). W: (m, n). b: (n,). c: (m,). Returns y (T, B, m) and z (T, B, n).
    """
    # BEGIN SOLUTION
    z = x @ W + b
    y = z @ W.T + c
    return y, z
    # END SOLUTION


def tied_layer_backward(dy, x, z, W):
    """The gradients of `tied_layer`, of which only y is read on.

    dy: (T, B, m). x: (T, B, m). z: (T, B, n), as the forward pass gave it. W: (m, n).
    Returns a dict: "dx" (T, B, m), "dW" (m, n), "db" (n,), "dc" (m,).
    """
    # BEGIN SOLUTION
    dz = dy @ W
    dx = dz @ W.T
    dW_there = np.tensordot(x, dz, axes=((0, 1), (0, 1)))
    dW_back = np.tensordot(dy, z, axes=((0, 1), (0, 1)))
    dW = dW_there + dW_back
    db = dz.sum(axis=(0, 1))
    dc = dy.sum(axis=(0, 1))
    return {"dx": dx, "dW": dW, "db": db, "dc": dc}
    # END SOLUTION
