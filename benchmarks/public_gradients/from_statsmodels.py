"""Likelihoods and scores of statsmodels, its robust norms and the objectives of its factor rotations."""

import numpy as np

from .planting import Case, pair, scalar, together

DISCRETE = "statsmodels.discrete.discrete_model"
NORMS = "statsmodels.robust.norms"
ROTATION = "statsmodels.multivariate.factor_rotation._gpa_rotation"


def design(n=9, d=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


COUNTS = np.array([0, 2, 1, 4, 0, 3, 1, 5, 2])
CHOICES = np.array([0, 1, 1, 0, 1, 0, 1, 1, 0])
THREE = np.array([0, 1, 2, 2, 1, 0, 1, 2, 0])


def likelihood(name, endog, params, **options):
    def make(module):
        model = getattr(module, name)(endog, design(), **options)
        return scalar(model.loglike, model.score, np.array(params))

    return make


def generalized_poisson(module):
    model = module.GeneralizedPoisson(COUNTS, design())
    model._transparams = False

    def forward(params):
        return model.loglikeobs(params), params

    def backward(upstream, params):
        return upstream @ model.score_obs(params)

    return pair(forward, backward, params=np.array([0.3, -0.2, 0.4, 0.25]))


def survival(module):
    times = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 3.0, 2.0, 6.0, 4.0])
    model = module.PHReg(times, design(), status=np.array([1, 1, 0, 1, 1, 1, 0, 1, 1]), ties="breslow")
    return scalar(model.breslow_loglike, model.breslow_gradient, np.array([0.4, -0.6, 0.3]))


def elementwise(make_object, value, derivative, points):
    """value(x) and derivative(x), entry by entry, of the object."""

    def make(module):
        thing = make_object(module)

        def forward(z):
            return getattr(thing, value)(z), z

        def backward(dy, z):
            return dy * getattr(thing, derivative)(z)

        return pair(forward, backward, z=np.array(points))

    return make


def rotation(name, **options):
    def make(module):
        objective = getattr(module, name)
        return together(lambda L: objective(L=L, **options), design(5, 3, 2))

    return make


CASES = [
    Case(
        "Poisson likelihood", DISCRETE, likelihood("Poisson", COUNTS, [0.3, -0.2, 0.5], exposure=np.linspace(1, 2, 9))
    ),
    Case("logit likelihood", DISCRETE, likelihood("Logit", CHOICES, [0.3, -0.7, 0.5])),
    Case("probit likelihood", DISCRETE, likelihood("Probit", CHOICES, [0.3, -0.7, 0.5])),
    Case("multinomial likelihood", DISCRETE, likelihood("MNLogit", THREE, [0.3, -0.7, 0.5, 0.1, 0.6, -0.2])),
    Case("negative binomial likelihood", DISCRETE, likelihood("NegativeBinomial", COUNTS, [0.3, -0.2, 0.4, 0.6])),
    Case("generalized Poisson likelihood", DISCRETE, generalized_poisson),
    Case("proportional hazards", "statsmodels.duration.hazard_regression", survival),
    Case(
        "Huber norm",
        NORMS,
        elementwise(lambda module: module.HuberT(1.345), "rho", "psi", [-2.0, -0.4, 0.3, 1.345, 2.2]),
        about="one entry where the second derivative jumps",
    ),
    Case(
        "Tukey's biweight",
        NORMS,
        elementwise(lambda module: module.TukeyBiweight(), "rho", "psi", [-5.2, -1.4, 0.3, 2.345, 4.0]),
    ),
    Case(
        "Hampel's norm, float32",
        NORMS,
        elementwise(lambda module: module.Hampel(), "rho", "psi", np.float32([-9.0, -3.0, 0.7, 1.5, 6.1, 2.2])),
        about="float32",
    ),
    Case(
        "trimmed mean at its jump",
        NORMS,
        elementwise(lambda module: module.TrimmedMean(2.0), "rho", "psi", [-2.5, 0.5, 2.0]),
        published="no answer",
        about="kink",
    ),
    Case(
        "complementary log-log link",
        "statsmodels.genmod.families.links",
        elementwise(lambda module: module.CLogLog(), "__call__", "deriv", [0.2, 0.45, 0.7, 0.93]),
    ),
    Case("oblimin rotation", ROTATION, rotation("oblimin_objective", gamma=0.5, rotation_method="oblique")),
    Case("orthomax rotation", ROTATION, rotation("orthomax_objective", gamma=0.7)),
]
