"""Distances of UMAP, objectives of POT, activations of timm and gradient rules of autograd, complex ones among them."""

import numpy as np

from .planting import Case, pair, together


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def imaginary(*shape, seed=0):
    return random(*shape, seed=seed) + 1j * random(*shape, seed=seed + 100)


# UMAP: a distance of two points and its gradient for the first --------------------------------------------------------


def distance(name, x, y, **options):
    def make(module):
        return together(lambda x: getattr(module, name)(x, np.array(y), **options), np.array(x))

    return make


def umap(name, x=(0.4, -1.2, 0.7), y=(-0.3, 0.5, 0.2), published="right", about="", at="", **options):
    case_name = f"{name.removesuffix('_grad').replace('_', ' ')} distance of UMAP{at}"
    make = distance(name, x, y, **options)
    return Case(case_name, "umap.distances", make, published, about, take=(name, "sign"))


# POT: dual objectives of smooth optimal transport ---------------------------------------------------------------------


def dual(regulariser):
    def make(module):
        a, b, C = np.array([0.2, 0.5, 0.3]), np.array([0.6, 0.4]), np.abs(random(3, 2))
        penalty = getattr(module, regulariser)(0.7)

        def forward(alpha, beta):
            value, *gradients = module.dual_obj_grad(alpha, beta, a, b, C, penalty)
            return value, gradients

        def backward(dvalue, gradients):
            return tuple(dvalue * g for g in gradients)

        return pair(forward, backward, alpha=random(3, seed=1), beta=random(2, seed=2))

    return make


def semi_dual(module):
    a, b, C = np.array([0.2, 0.5, 0.3]), np.array([0.6, 0.4]), np.abs(random(3, 2))
    return together(lambda alpha: module.semi_dual_obj_grad(alpha, a, b, C, module.NegEntropy(0.7)), random(3, seed=1))


def gromov(symmetric):
    def make(module):
        C1, C2 = np.abs(random(4, 4)), np.abs(random(3, 3, seed=1))
        if symmetric:
            C1, C2 = C1 + C1.T, C2 + C2.T
        constC, hC1, hC2 = module.init_matrix(C1, C2, np.full(4, 0.25), np.full(3, 1 / 3))

        def forward(T):
            return module.gwloss(constC, hC1, hC2, T) - np.sum(constC * T) / 2, T

        def backward(dloss, T):
            return dloss * (module.gwggrad(constC, hC1, hC2, T) - 1.5 * constC)

        return pair(forward, backward, T=np.abs(random(4, 3, seed=2)))

    return make


# timm: functions on torch tensors -------------------------------------------------------------------------------------


def torch_activation(name, points, dtype="float64"):
    def make(module):
        import torch

        function = getattr(module, f"{name}_fwd"), getattr(module, f"{name}_bwd")

        def forward(x):
            return function[0](torch.from_numpy(np.array(x))).numpy(), x

        def backward(dy, x):
            return function[1](torch.from_numpy(np.array(x)), torch.from_numpy(np.array(dy))).numpy()

        return pair(forward, backward, x=np.array(points, dtype))

    return make


# autograd: rules of differentiation -----------------------------------------------------------------------------------


def rule(name, *arguments, **inputs):
    """A function of NumPy with autograd's rule for it; its complex gradients are the conjugates of those used here."""

    def make(module):
        function = getattr(module, name, None) or getattr(module.anp, name)
        plain = getattr(function, "fun", function)

        def forward(*values):
            ans = plain(*values, *arguments)
            return ans, (ans, values)

        def backward(g, cache):
            ans, values = cache
            grads = [
                np.conj(vjp(ans, *values, *arguments)(np.conj(g))) for vjp in module.rules[function][: len(values)]
            ]
            return tuple(grads) if len(grads) > 1 else grads[0]

        return pair(forward, backward, **inputs)

    return make


VJPS, FFT, LINALG = "autograd.numpy.numpy_vjps", "autograd.numpy.fft", "autograd.numpy.linalg"
POSITIVE = {"x": (0.4, 1.2, 0.7), "y": (0.9, 0.5, 0.2)}

CASES = [
    umap("minkowski_grad", about="a gradient in float32", p=3.0),
    umap("hyperboloid_grad"),
    umap("canberra_grad", about="kink"),
    umap("canberra_grad", x=(0.4, 0.0, 0.7), at=", at its corner", published="no answer", about="kink"),
    umap("bray_curtis_grad", x=(0.4, -1.2, 0.7), published="wrong", about="kink"),
    umap("cosine_grad", about="a gradient in float32"),
    umap("hellinger_grad", **POSITIVE, about="a gradient in float32"),
    Case("smooth transport, entropy", "ot.smooth", dual("NegEntropy"), about="two arguments"),
    Case("smooth transport, squared norm", "ot.smooth", dual("SquaredL2"), about="kink"),
    Case("semi-dual transport", "ot.smooth", semi_dual),
    Case("Gromov-Wasserstein", "ot.gromov._utils", gromov(True)),
    Case("Gromov-Wasserstein, asymmetric", "ot.gromov._utils", gromov(False), published="wrong"),
    Case("mish of timm", "timm.layers.activations_me", torch_activation("mish", [-2.0, -0.3, 0.4, 1.7]), about="torch"),
    Case(
        "swish of timm, float32",
        "timm.layers.activations_me",
        torch_activation("swish", [-2.0, -0.3, 0.4, 1.7], "float32"),
        about="torch, float32",
    ),
    Case(
        "hard mish at its corner",
        "timm.layers.activations_me",
        torch_activation("hard_mish", [-2.0, -1.3, 0.0, 1.7]),
        published="no answer",
        about="torch, kink",
    ),
    Case("complex modulus", VJPS, rule("abs", x=imaginary(4)), about="complex"),
    Case("complex angle", VJPS, rule("angle", x=imaginary(4)), about="complex"),
    Case(
        "complex product", VJPS, rule("multiply", x=imaginary(3, 2), y=imaginary(2, seed=1)), about="complex, broadcast"
    ),
    Case("Fourier transform", FFT, rule("fft", x=imaginary(5)), about="complex"),
    Case("real Fourier transform", FFT, rule("rfft", x=random(6)), about="complex"),
    Case("complex linear system", LINALG, rule("solve", a=imaginary(3, 3), b=imaginary(3, 2, seed=1)), about="complex"),
    Case("determinant", LINALG, rule("det", x=random(3, 3))),
    Case("inverse", LINALG, rule("inv", x=random(3, 3, seed=5))),
    Case("differences along an axis", VJPS, rule("diff", a=random(4, 3))),
    Case("logaddexp, broadcast", VJPS, rule("logaddexp", x=random(3, 1), y=random(1, 4, seed=1)), about="broadcast"),
]
