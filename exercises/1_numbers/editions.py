"""What changes from one edition of this exercise to the next; see tinyrnn/grading/editions.py."""

from tinyrnn.grading.editions import Variant

NAMES = (
    {
        "five_point_gradient": "wide_gradient",
        "complex_step_jacobian": "sideways_jacobian",
        "gradient_verdicts": "agreement",
        "smoothed_cross_entropy": "softened_cross_entropy",
        "tied_layer": "mirrored_layer",
    },
    {
        "five_point_gradient": "four_call_gradient",
        "complex_step_jacobian": "jacobian_by_complex_step",
        "gradient_verdicts": "verdicts",
        "smoothed_cross_entropy": "smooth_label_loss",
        "tied_layer": "twice_used_layer",
    },
)
AT_THREE = {
    "f(x - 2 \\varepsilon": "f(x - 3 \\varepsilon",
    "- 8 f(x - \\varepsilon": "- 27 f(x - \\varepsilon",
    "+ 8 f(x + \\varepsilon": "+ 27 f(x + \\varepsilon",
    "f(x + 2 \\varepsilon": "f(x + 3 \\varepsilon",
    "{12 \\varepsilon}": "{48 \\varepsilon}",
    "\\varepsilon^4 f^{(5)} / 30": "3 \\varepsilon^4 f^{(5)} / 40",
    "f(x - 2 eps e_j) - 8 f(x - eps e_j) + 8 f(x + eps e_j) - f(x + 2 eps e_j)) / (12 eps)": (
        "f(x - 3 eps e_j) - 27 f(x - eps e_j) + 27 f(x + eps e_j) - f(x + 3 eps e_j)) / (48 eps)"
    ),
    "far = f(nudged(x, index, 2 * eps)) - f(nudged(x, index, -2 * eps))": (
        "far = f(nudged(x, index, 3 * eps)) - f(nudged(x, index, -3 * eps))"
    ),
    "8 * near - far": "27 * near - far",
    "8 * near + far": "27 * near + far",
    "8 * far - near": "27 * far - near",
    "(12 * eps)": "(48 * eps)",
    "(24 * eps)": "(96 * eps)",
    "The 12 below": "The 48 below",
    "(4 * (near / (2 * eps)) - far / (4 * eps)) / 3": "(9 * (near / (2 * eps)) - far / (6 * eps)) / 8",
    "The 8 stands at": "The 27 stands at",
    "not at twice": "not at three times that",
    "counts 8 times": "counts 27 times",
    "at distances ε and 2ε, mixed": "at distances ε and 3ε, mixed",
    "formula 25.3.6": "where the far pair is nearer",
}
RESIDUAL = {
    "y &= z W^\\top + c \\qquad": "y &= z W^\\top + c + x \\qquad",
    "y = z Wᵀ + c": "y = z Wᵀ + c + x",
    "@ W.T + c": "@ W.T + c + x",
    '"y = z @ W.T"': '"y = z @ W.T + x"',
    "dx = dz @ W.T": "dx = dz @ W.T + dy",
    "y = z Uᵀ + c": "y = z Uᵀ + c + x",
    "y = w (w x + b) + c": "y = w (w x + b) + c + x",
}
VARIANTS = (
    Variant("names of exercise 1", (), *NAMES, everywhere=True),
    Variant("the distance of the far pair", ("five_point_gradient",), AT_THREE),
    Variant("a tied layer that adds to its input", ("tied_layer", "tied_layer_backward"), RESIDUAL),
)
