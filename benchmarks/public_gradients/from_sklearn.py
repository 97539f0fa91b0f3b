"""Objectives of scikit-learn, which return value and gradient, and kernels with the gradient of their parameters."""

import itertools
import warnings

import numpy as np

from .planting import Case, pair, together


def table(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def huber(module):
    X = table(9, 3)
    y = X @ [1.0, -2.0, 0.5] + np.array([0.1, 4.0, -0.2, 0.3, -5.0, 0.1, 0.2, -0.3, 3.0])
    weights = np.linspace(0.5, 1.5, 9)

    def loss(w):
        return module._huber_loss_and_gradient(w, X, y, 1.35, 0.3, weights)

    return together(loss, np.array([0.8, -1.7, 0.2, 0.1, 0.9]))


def logistic(module):
    from sklearn._loss import HalfBinomialLoss

    X, y = table(8, 3, 1), (table(8, 1, 2)[:, 0] > 0).astype(float)
    objective = module.LinearModelLoss(HalfBinomialLoss(), True)
    return together(lambda coef: objective.loss_gradient(coef, X, y), np.array([0.5, -0.4, 0.9, 0.2]))


def multinomial(module):
    from sklearn._loss import HalfMultinomialLoss

    X, y = table(8, 3, 1), np.array([0, 1, 2, 2, 1, 0, 1, 2], dtype=float)
    objective = module.LinearModelLoss(HalfMultinomialLoss(n_classes=3), True)
    return together(lambda coef: objective.loss_gradient(coef, X, y, l2_reg_strength=0.2), 0.5 * table(12, 1, 3)[:, 0])


def neighbourhood(module):
    X, y = table(7, 3, 4), np.array([0, 1, 0, 1, 0, 1, 1])
    model = module.NeighborhoodComponentsAnalysis()
    model.n_iter_ = 1

    def loss(transformation):
        return model._loss_grad_lbfgs(transformation, X, y[:, None] == y, -1.0)

    return together(loss, 0.6 * table(6, 1, 5)[:, 0])


def embedding(module):
    p = np.abs(table(10, 1, 6))[:, 0]
    P = p / (2 * p.sum())
    return together(lambda params: module._kl_divergence(params, P, 1.0, 5, 2), table(10, 1, 7)[:, 0])


def perceptron(outputs):
    return lambda module: perceptron_loss(module, outputs)


def perceptron_loss(module, outputs):
    X, y = table(6, 3, 8), table(6, outputs, 9)
    model = module.MLPRegressor(hidden_layer_sizes=(4, 3), activation="tanh", alpha=0.1, max_iter=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one iteration is not meant to converge
        model._fit(X, y)
    sizes = [3, 4, 3, outputs]
    buffers = [np.empty((a, b)) for a, b in itertools.pairwise(sizes)]
    spans, start = [], 0
    for w in buffers:
        spans.append((start, start + w.size, w.shape))
        start += w.size
    model._coef_indptr = spans
    model._intercept_indptr = []
    for n in sizes[1:]:
        model._intercept_indptr.append((start, start + n))
        start += n

    def loss(packed):
        activations, deltas = [X, None, None, None], [None] * 3
        return model._loss_grad_lbfgs(packed, X, y, None, activations, deltas, [None] * 3, [None] * 3)

    return together(loss, 0.5 * table(start, 1, 10)[:, 0])


def gaussian_process(module):
    from sklearn.gaussian_process.kernels import RBF, WhiteKernel

    X, y = table(7, 2, 11), table(7, 1, 12)[:, 0]
    model = module.GaussianProcessRegressor(RBF([0.8, 1.3]) + WhiteKernel(0.1), optimizer=None).fit(X, y)
    return together(lambda theta: model.log_marginal_likelihood(theta, eval_gradient=True), np.array([0.1, -0.2, -1.5]))


def kernel(name, first, second, **fixed):
    """The kernel matrix as a function of the logarithms of its two parameters."""

    def make(module):
        X = table(5, 2, 13)

        def forward(log_first, log_second):
            parameters = {first: np.exp(log_first), second: np.exp(log_second)}
            K, dK = getattr(module, name)(**parameters, **fixed)(X, eval_gradient=True)
            return K, dK

        def backward(upstream, dK):
            return tuple(np.einsum("ij,ijk->k", upstream, dK))

        return pair(forward, backward, log_first=np.float64(0.3), log_second=np.float64(-0.4))

    return make


def length_scales(module):
    X = table(5, 3, 14)

    def forward(log_scales):
        return module.Matern(np.exp(log_scales), nu=2.5)(X, eval_gradient=True)

    def backward(upstream, dK):
        return np.einsum("ij,ijk->k", upstream, dK)

    return pair(forward, backward, log_scales=np.array([0.2, -0.3, 0.5]))


LINEAR = "sklearn.linear_model._linear_loss"
KERNELS = "sklearn.gaussian_process.kernels"
PERCEPTRON = "sklearn.neural_network._multilayer_perceptron"
NETWORK = "BaseMultilayerPerceptron."

CASES = [
    Case("Huber regression", "sklearn.linear_model._huber", huber),
    Case("logistic regression", LINEAR, logistic),
    Case("multinomial regression", LINEAR, multinomial),
    Case("neighbourhood components", "sklearn.neighbors._nca", neighbourhood),
    Case("t-SNE", "sklearn.manifold._t_sne", embedding),
    Case("perceptron, training loss", PERCEPTRON, perceptron(1), about="a whole training loss"),
    Case("perceptron, two outputs", PERCEPTRON, perceptron(2), published="wrong"),
    Case("Gaussian process likelihood", "sklearn.gaussian_process._gpr", gaussian_process),
    Case("rational quadratic kernel", KERNELS, kernel("RationalQuadratic", "alpha", "length_scale")),
    Case("periodic kernel", KERNELS, kernel("ExpSineSquared", "length_scale", "periodicity")),
    Case("Matern kernel", KERNELS, length_scales),
]
