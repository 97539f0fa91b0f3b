"""Hidden checks: other shapes and the ends of the ranges, besides other numbers."""

from functools import partial

import cases
import numpy as np

from tinyrnn.grading.task import Hidden, Source


def one_long_vector(rng):
    f = Source("lambda x: float(np.sin(x).sum() * np.cos(x[::-1] * np.arange(1, x.size + 1)).prod())")
    return {"f": f, "x": rng.normal(size=11), "eps": float(rng.uniform(0.02, 0.2))}


def in_three_dimensions(rng):
    return {**cases.differences(rng), "x": rng.normal(size=(2, 3, 2))}


def differences(rng):
    return (one_long_vector if rng.integers(2) else in_three_dimensions)(rng)


def one_output(rng):
    m = int(rng.integers(2, 9))
    return {"f": cases.vector_function(rng, 1, m), "x": 0.5 * rng.normal(size=m)}


def without_smoothing(rng):
    """No smoothing, or nothing but smoothing; two classes."""
    T, B = cases.sizes(rng, 2)
    rest = {**cases.tokens(rng, T, B, 2), "smoothing": float(rng.integers(2))}
    return {"logits": 300 * rng.normal(size=(T, B, 2)), **rest}


def without_padding(rng):
    case = cases.smoothed_backward(rng)
    mask = np.ones_like(case["mask"])
    return {**case, "mask": mask, "target": rng.integers(0, case["p"].shape[-1], size=mask.shape)}


HIDDEN = {
    "five_point_gradient": Hidden(case=differences),
    "complex_step_jacobian": Hidden(case=one_output),
    "smoothed_cross_entropy": Hidden(case=without_smoothing),
    "smoothed_cross_entropy_backward": Hidden(
        case=without_padding, large=partial(cases.smoothed_backward, lengths=(40, 30, 50))
    ),
    "tied_layer_backward": Hidden(large=partial(cases.tied_backward, lengths=(2, 96, 700, 520))),
}
