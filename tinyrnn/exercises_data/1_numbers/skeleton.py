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
    raise NotImplementedError("central_gradient")


def five_point_gradient(f, x, eps):
    """The gradient of f at x by five-point differences, of which the centre has weight 0.

        df/dx_j ≈ (f(x - 2 eps e_j) - 8 f(x - eps e_j) + 8 f(x + eps e_j) - f(x + 2 eps e_j)) / (12 eps)

    f maps an array of x's shape (any shape) to one number. Returns an array of x's shape.
    """
    raise NotImplementedError("five_point_gradient")


def complex_step_jacobian(f, x):
    """The Jacobian of f at x by the complex step, exact to rounding.

        J[i, j] = ∂f_i/∂x_j = Im f_i(x + i h e_j) / h        with an h that you choose

    f maps a vector (n,) to a vector (m,), and continues to complex numbers. x: (n,). Returns J (m, n), real.
    """
    raise NotImplementedError("complex_step_jacobian")


def gradient_verdicts(analytic, numeric, tolerance):
    """How far gradients are from what they should be, and whether they pass.

        error = max |a - b| / (max |a| + max |b|)        0 where a and b are zero throughout
                                                         1 where shapes differ, or anything is NaN or infinite

    analytic, numeric: lists of K arrays a and b. tolerance: a number.
    Returns a dict: "error" (K,), from 0 to 1, and "ok" (K,), booleans: whether the error is at most the tolerance.
    """
    raise NotImplementedError("gradient_verdicts")


def softmax_cross_entropy(logits, target):
    """Mean cross-entropy of softmax(logits), in nats (practice).

        p_j = e^{z_j} / Σ_k e^{z_k}        loss = -1/N Σ ln p_target

    logits: (N, C), up to ±1000. target: integers (N,), from 0 to C - 1. Returns loss, a number, and p (N, C).
    """
    raise NotImplementedError("softmax_cross_entropy")


def softmax_cross_entropy_backward(dloss, p, target):
    """The gradient of `softmax_cross_entropy` with respect to the logits (practice).

    dloss: a number. p: (N, C), the softmax. target: integers (N,). Returns dlogits (N, C).
    """
    raise NotImplementedError("softmax_cross_entropy_backward")


def smoothed_cross_entropy(logits, target, mask, smoothing):
    """Cross-entropy of softmax(logits) with smoothed labels, the mean over the tokens that the mask keeps.

        p_j = e^{z_j} / Σ_k e^{z_k}
        q_j = (1 - s) [j = target] + s / C
        loss = -1/N Σ Σ_j q_j ln p_j        the outer sum and N: tokens where the mask is True

    logits: z (T, B, C), up to ±1000. target: integers (T, B), from 0 to C - 1, and -1 in the padding. mask: booleans
    (T, B), False in the padding. smoothing: s, from 0 to 1. Returns loss, a number, and p (T, B, C), padding too.
    """
    raise NotImplementedError("smoothed_cross_entropy")


def smoothed_cross_entropy_backward(dloss, p, target, mask, smoothing):
    """The gradient of `smoothed_cross_entropy` with respect to the logits.

    dloss: a number, the gradient of the loss. p: (T, B, C), the softmax. target, mask, smoothing: as there.
    Returns dlogits (T, B, C), zero in the padding.
    """
    raise NotImplementedError("smoothed_cross_entropy_backward")


def linear(x, W, b):
    """A linear layer (practice): y = x W + b.

    x: (T, B, n). W: (n, m). b: (m,). Returns y (T, B, m).
    """
    raise NotImplementedError("linear")


def linear_backward(dy, x, W):
    """The gradients of `linear` (practice).

    dy: (T, B, m). x: (T, B, n). W: (n, m). Returns a dict: "dx" (T, B, n), "dW" (n, m), "db" (m,).
    """
    raise NotImplementedError("linear_backward")


def tied_layer(x, W, b, c):
    """A layer that uses one weight twice: there, and back again through its transpose.

        z = x W + b        y = z Wᵀ + c

    x: (T, B, n). W: (n, m). b: (m,). c: (n,). Returns y (T, B, n) and z (T, B, m).
    """
    raise NotImplementedError("tied_layer")


def tied_layer_backward(dy, x, z, W):
    """The gradients of `tied_layer`, of which only y is read on.

    dy: (T, B, n). x: (T, B, n). z: (T, B, m), as the forward pass gave it. W: (n, m).
    Returns a dict: "dx" (T, B, n), "dW" (n, m), "db" (m,), "dc" (n,).
    """
    raise NotImplementedError("tied_layer_backward")
