"""What changes from one edition of this exercise to the next; see tinyrnn/grading/editions.py."""

from tinyrnn.grading.editions import Variant

NAMES = (
    {
        "centred_rmsprop_step": "graves_step",
        "nadam_step": "looking_ahead_step",
        "clip_factors": "factors_of_clipping",
        "cell_step": "peeping_step",
    },
    {
        "centred_rmsprop_step": "spread_step",
        "nadam_step": "nesterov_adam_step",
        "clip_factors": "taming_factors",
        "cell_step": "own_step",
    },
)
UNDER_THE_ROOT = {
    "{\\sqrt{\\hat v} + \\varepsilon} + \\lambda w": "{\\sqrt{\\hat v + \\varepsilon}} + \\lambda w",
    "m_hat / (np.sqrt(v_hat) + eps)": "m_hat / np.sqrt(v_hat + eps)",
    "m_hat / np.sqrt(v_hat + eps)": "m_hat / (np.sqrt(v_hat) + eps)",
    "ε stands under the root; here it belongs beside it.": "ε stands beside the root; here it belongs under it.",
    "w ← w - lr (m̂ / (√v̂ + ε) + λ w)": "w ← w - lr (m̂ / √(v̂ + ε) + λ w)",
}
QUICKER = {
    "0.9 \\, \\text{average} + 0.1 \\min": "0.8 \\, \\text{average} + 0.2 \\min",
    "0.9 * average + 0.1 * ": "0.8 * average + 0.2 * ",
    "0.1 * average + 0.9 * ": "0.2 * average + 0.8 * ",
    "0.1 * min(norm, limit)": "0.2 * min(norm, limit)",
    "0.1 * norm": "0.2 * norm",
    "0.1 * limit": "0.2 * limit",
    "average = 0.9 * average\\n": "average = 0.8 * average\\n",
    "average ← 0.9 average + 0.1 min(norm, limit)": "average ← 0.8 average + 0.2 min(norm, limit)",
}
VARIANTS = (
    Variant("names of exercise 8", (), *NAMES, everywhere=True),
    Variant("where the small number stands", ("nadam_step",), UNDER_THE_ROOT),
    Variant("how quickly the average follows", ("clip_factors",), QUICKER),
)
