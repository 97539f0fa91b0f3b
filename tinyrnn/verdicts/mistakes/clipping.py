"""Mistakes in clipping by the norm, above the limit (clip) and below it (clip-below)."""

from tinyrnn.verdicts.mistakes.entry import maker, slips

ONE = "All gradients are one long vector, whose norm is ‖g‖ = √(Σ of all their squares)"
SCALE = "g ← limit / ‖g‖ · g where ‖g‖ > limit: the direction stays, the length becomes the limit"
CLIP = [
    *slips(
        "clip",
        "clipping/norm",
        ONE,
        [
            (
                "norm-of-each-parameter-alone",
                "norm = np.sqrt((g**2).sum())",
                "the norm of one parameter's gradient",
                "How many vectors are there, one or one for each parameter?",
            ),
            (
                "norm-without-its-root",
                "norm = (g**2).sum() + (g2**2).sum()",
                "the square of the norm",
                "How long is a vector of twice the entries?",
            ),
            (
                "norms-added",
                "norm = np.sqrt((g**2).sum()) + np.sqrt((g2**2).sum())",
                "the sum of two norms",
                "How long is the longer side of a right-angled triangle?",
            ),
            (
                "norm-as-a-sum-of-absolute-values",
                "norm = np.abs(g).sum() + np.abs(g2).sum()",
                "the sum of the absolute values",
                "Which norm is the length of a vector?",
            ),
            (
                "norm-as-the-largest-entry",
                "norm = np.maximum(np.abs(g).max(), np.abs(g2).max())",
                "the largest entry",
                "Which norm is the length of a vector?",
            ),
            (
                "norm-as-a-root-mean-square",
                "norm = np.sqrt(((g**2).sum() + (g2**2).sum()) / (g.size + g2.size))",
                "the root mean square",
                "Does a vector of more entries get longer?",
            ),
            (
                "norm-of-the-sums",
                "norm = np.sqrt(g.sum() ** 2 + g2.sum() ** 2)",
                "the squares of sums, in which entries cancel",
                "What is squared, the entries or their sum?",
            ),
        ],
    ),
    *slips(
        "clip",
        "clipping/norm",
        SCALE,
        [
            (
                "factor-upside-down",
                "factor = norm / limit",
                "the quotient upside down",
                "Should a gradient that is too long get a factor above 1 or below?",
            ),
            (
                "factor-without-the-limit",
                "factor = 1 / norm",
                "a length of 1, whatever the limit",
                "How long should the gradient be afterwards?",
            ),
            (
                "factor-is-the-limit",
                "factor = limit",
                "the limit as the factor",
                "How long should the gradient be afterwards?",
            ),
            (
                "factor-with-the-norm-squared",
                "factor = limit / norm**2",
                "the norm squared",
                "How long should the gradient be afterwards?",
            ),
            (
                "never-clipped",
                "factor = 1.0",
                "no clipping although the norm is above the limit",
                "On which side of the limit does something happen?",
            ),
            (
                "clipped-by-value",
                "clipped = np.clip(g, -limit, limit)",
                "each entry cut off at the limit, which changes the direction",
                "Should the gradient point in the same direction afterwards?",
            ),
            (
                "clipped-with-its-own-norm",
                "clipped = g * limit / np.sqrt((g**2).sum())",
                "a factor of its own for each parameter, which changes the direction",
                "How many vectors are there, one or one for each parameter?",
            ),
            ("factor-forgotten", "clipped = g", "the gradient as it was", "Which of your two arrays do you return?"),
            (
                "direction-alone",
                "clipped = g / norm",
                "a length of 1, whatever the limit",
                "How long should the gradient be afterwards?",
            ),
            (
                "divided-by-the-factor",
                "clipped = g / factor",
                "a division by the factor",
                "Should a gradient that is too long become longer?",
            ),
        ],
    ),
    maker("clip", "clipping/norm")(
        "factor-with-a-small-number",
        "factor = limit / (norm + 1e-6)",
        "a small number is added to the norm, as PyTorch does",
        "Do you guard against a norm of zero although you only divide above the limit?",
        f"{SCALE}. With 1e-6 added to the norm, the length is a millionth short of the limit; PyTorch does the same.",
        "PyTorch's clip_grad_norm_",
        convention=True,
    ),
]
BELOW = slips(
    "clip-below",
    "clipping/norm",
    f"{SCALE}, and where the norm is below the limit, nothing happens",
    [
        (
            "scaled-up-to-the-limit",
            "factor = limit / norm",
            "a factor above 1",
            "What should happen to a gradient that is shorter than the limit?",
        ),
        (
            "small-gradients-normalised",
            "factor = 1 / norm",
            "a length of 1",
            "What should happen to a gradient that is shorter than the limit?",
        ),
        (
            "small-gradients-scaled-down",
            "factor = norm / limit",
            "the quotient upside down",
            "What should happen to a gradient that is shorter than the limit?",
        ),
        (
            "small-gradients-dropped",
            "clipped = 0 * g",
            "zeros",
            "What should happen to a gradient that is shorter than the limit?",
        ),
        (
            "small-gradients-lengthened",
            "clipped = g * limit / norm",
            "a length equal to the limit",
            "What should happen to a gradient that is shorter than the limit?",
        ),
    ],
)
