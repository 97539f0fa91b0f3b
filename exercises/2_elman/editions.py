"""What changes from one edition of this exercise to the next; see tinyrnn/grading/editions.py."""

from tinyrnn.grading.editions import Variant

NAMES = (
    {
        "leaky_step": "lazy_step",
        "leaky_sequence": "lazy_sequence",
        "gradient_by_lag": "gradient_by_distance",
        "clip_updates": "limit_updates",
        "fixed_points": "resting_points",
    },
    {
        "leaky_step": "slow_step",
        "leaky_sequence": "slow_sequence",
        "gradient_by_lag": "lagged_gradient",
        "clip_updates": "tamed_updates",
        "fixed_points": "places_of_rest",
    },
)
HALF_LIFE = {
    "e^{-1/\\tau}": "2^{-1/\\tau}",
    "np.exp(-1 / tau)": "0.5 ** (1 / tau)",
    "exp(-1 / tau)": "2^(-1 / tau)",
    "exp(-1/tau)": "2^(-1/tau)",
    "dkeep * keep / tau**2": "dkeep * keep * np.log(2) / tau**2",
    "np.expm1(1 / tau)": "np.expm1(np.log(2) / tau)",
    "only near the exponential for large tau": "but another one",
    "has 1/e of the way left": "has half of the way left",
    "which is only the same for large τ. Here it is the exponential": "which is another one. Here τ is a half-life",
}
IMPLICIT = {
    "e^{-1/\\tau}": "\\tau / (1 + \\tau)",
    "np.exp(-1 / tau)": "(tau / (1 + tau))",
    "exp(-1 / tau)": "tau / (1 + tau)",
    "exp(-1/tau)": "tau / (1 + tau)",
    "dkeep * keep / tau**2": "dkeep * (keep / tau) ** 2",
    "np.expm1(1 / tau)": "(1 / tau)",
    "what stands in the exponent": "the fraction",
    "only near the exponential for large tau": "but only near ours for large tau",
    "has 1/e of the way left": "has a little more than 1/e of the way left",
    "Here it is the exponential": "Here the Euler step is an implicit one",
}
ROOT_MEAN_SQUARE = {
    "&\\leftarrow \\text{decay} \\cdot \\text{mean} +": "&\\leftarrow \\sqrt{\\text{decay} \\cdot \\text{mean}^2 +",
    "\\min(\\text{norm}, \\text{limit})": "\\min(\\text{norm}, \\text{limit})^2}",
    "mean = decay * mean + (1 - decay) * min(norm, limits[k])": (
        "mean = np.sqrt(decay * mean**2 + (1 - decay) * min(norm, limits[k]) ** 2)"
    ),
    "mean = decay * mean + (1 - decay) * min": "mean = np.sqrt(decay * mean**2 + (1 - decay) * min",
    "mean = (1 - decay) * mean + decay * min": "mean = np.sqrt((1 - decay) * mean**2 + decay * min",
    "factor * (decay * mean + (1 - decay) * norm)": "factor * np.sqrt(decay * mean**2 + (1 - decay) * norm**2)",
    "mean <- decay × mean + (1 - decay) × min(‖g‖, limit)": "mean <- √(decay × mean² + (1 - decay) × min(‖g‖, limit)²)",
    "a factor times a running mean": "a factor times a running root mean square",
}
LEAKY = ("leaky_step", "leaky_step_backward", "leaky_sequence", "leaky_sequence_backward")
VARIANTS = (
    Variant("names of exercise 2", (), *NAMES, everywhere=True),
    Variant("what a leaky unit keeps", (*LEAKY, "gradient_by_lag", "fixed_points"), HALF_LIFE, IMPLICIT),
    Variant("the mean of the norms", ("clip_updates",), ROOT_MEAN_SQUARE),
)
