"""Functions with gradients in SciPy: Rosenbrock's, the loss functions of least squares, and those of its tests."""

import numpy as np

from .planting import Case, pair, scalar, together

X6 = np.array([0.3, -0.7, 1.2, 0.4, -0.2, 0.9])
TESTS = "scipy.optimize.tests"


def rosen(module):
    return scalar(module.rosen, module.rosen_der, X6.copy())


def rosen_hessian_product(module):
    def forward(x):
        return module.rosen_der(x), x

    def backward(dy, x):
        return module.rosen_hess_prod(x, dy)

    return pair(forward, backward, x=X6.copy())


def himmelblau(module):
    return scalar(module.himmelblau, module.himmelblau_grad, np.array([0.7, -1.3]))


def maximum_entropy(module):
    problem = module.CheckOptimize()
    problem.setup_method()
    return scalar(problem.func, problem.grad, np.array([0.2, -0.5, 0.4]))


def electrons(module):
    problem = module.Elec(n_electrons=5, random_state=0)
    return scalar(problem.fun, problem.grad, problem.x0.copy())


def basin(module):
    return together(module.func2d, np.array([0.4, -0.3]))


def broyden(module):
    problem = module.BroydenTridiagonal(n=6)

    def forward(x):
        return problem.fun(x), x

    def backward(dy, x):
        return problem.jac(x).T @ dy

    return pair(forward, backward, x=problem.x0.copy())


def exponential_fit(module):
    problem = module.ExponentialFittingProblem(1.0, 0.5, 0.1, rng=0)

    def forward(p):
        return problem.fun(p), p

    def backward(dr, p):
        return problem.jac(p).T @ dr

    return pair(forward, backward, p=np.array([0.6, -0.8]))


def least_squares_loss(name):
    def make(module):
        def forward(z):
            rho = np.empty((3, z.size), z.dtype)
            getattr(module, name)(z, rho, False)
            return rho[0], rho

        def backward(dy, rho):
            return dy * rho[1]

        return pair(forward, backward, z=np.array([0.2, 0.7, 1.4, 2.5, 3.1]))

    return make


CASES = [
    Case("rosen", "scipy.optimize._optimize", rosen),
    Case("rosen, Hessian product", "scipy.optimize._optimize", rosen_hessian_product),
    Case("himmelblau", f"{TESTS}.test_optimize", himmelblau),
    Case("maximum entropy", f"{TESTS}.test_optimize", maximum_entropy, about="keeps a trace of its calls"),
    Case("electrons on a sphere", f"{TESTS}.test_minimize_constrained", electrons),
    Case("basin hopping", f"{TESTS}.test__basinhopping", basin),
    Case("Broyden tridiagonal", f"{TESTS}.test_least_squares", broyden),
    Case("exponential fit", f"{TESTS}.test_least_squares", exponential_fit),
    Case("least squares, Huber", "scipy.optimize._lsq.least_squares", least_squares_loss("huber")),
    Case("least squares, Cauchy", "scipy.optimize._lsq.least_squares", least_squares_loss("cauchy")),
]
