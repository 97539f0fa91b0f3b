"""Known mistakes."""

from tinyrnn.grading import Mistake

MISTAKES = (
    Mistake("kept-twice", "leaky", "(1 - a) * h_prev", "a * h_prev", "both parts are weighted by a"),
    Mistake("tanh-at-its-input", "leaky_backward", "(1 - u**2)", "(1 - (x @ W) ** 2)", "the square is of the input"),
    Mistake("no-leak-backwards", "leaky_backward", "du = dh * a", "du = dh", "the gradient of u lacks its weight"),
    Mistake("falling", "step_weights", "np.arange(1.0, n + 1)", "np.arange(n, 0.0, -1)", "the weights fall"),
    Mistake("other-order", "leaky", "a * u\n    return", "u * a\n    return", "the other factor first", accepted=True),
)
