"""Mistakes in squared error and in the readout before it."""

from tinyrnn.verdicts.mistakes.entry import maker, slips
from tinyrnn.verdicts.mistakes.sums import bias, weight

SQUARE = "loss = 1/N Σ (y - target)² over all N entries"
SQUARED_ERROR = [
    *slips(
        "squared_error",
        "losses/squared-error",
        f"{SQUARE}, and the derivative of a square has a factor 2",
        [
            ("two-of-the-square-missing", "dy = (y - target) / N", "no factor 2", "Is there a ½ in your loss?"),
            (
                "two-of-the-square-twice",
                "dy = 4 * (y - target) / N",
                "a factor 4",
                "How many squares are there for each entry?",
            ),
            (
                "error-the-wrong-way-round",
                "dy = 2 * (target - y) / N",
                "the opposite sign",
                "Should a step against the gradient move y towards its target?",
            ),
            ("error-without-its-target", "dy = 2 * y / N", "no target", "At which y is the loss smallest?"),
            ("error-without-the-mean", "dy = 2 * (y - target)", "no 1/N", "Is your loss a sum or a mean?"),
            (
                "error-divided-twice",
                "dy = 2 * (y - target) / N**2",
                "1/N twice",
                "On how many lines of the loss do you divide by N?",
            ),
            (
                "error-divided-by-the-rows",
                "dy = 2 * (y - target) / N * y.shape[-1]",
                "the number of rows where that of all entries belongs",
                "Over what is the loss a mean, rows or entries?",
            ),
            (
                "error-of-the-absolute-value",
                "dy = np.sign(y - target) / N",
                "the sign of the error alone, the derivative of |y - target|",
                "Should an error twice as large pull twice as much?",
            ),
            (
                "error-still-squared",
                "dy = (y - target) ** 2 / N",
                "the square itself, not its derivative",
                "Can all gradients of a squared error be positive?",
            ),
        ],
    ),
    *slips(
        "squared_error",
        "losses/squared-error",
        SQUARE,
        [
            ("squares-summed", "loss = ((y - target) ** 2).sum()", "no 1/N", "Is your loss a sum or a mean?"),
            ("root-of-the-loss", "loss = loss**0.5", "a root over the mean", "Which of the two is the squared error?"),
            (
                "absolute-error",
                "loss = np.abs(y - target).sum() / N",
                "the absolute errors",
                "What makes large errors count more than small ones?",
            ),
            (
                "square-of-the-mean",
                "loss = ((y - target).sum() / N) ** 2",
                "the square of the mean, in which errors cancel",
                "In which order do the mean and the square come?",
            ),
        ],
    ),
]
error = maker("squared_error", "losses/squared-error")
SQUARED_ERROR += [
    error(
        "loss-with-a-half",
        "loss = 0.5 * ((y - target) ** 2).sum() / N",
        "half the mean square, with which the 2 of the derivative cancels",
        "Does your definition of the loss have a ½ in front?",
        f"Here {SQUARE}, without a ½. With one, the gradient is (y - target) / N; both are published, and they must go"
        " together.",
        convention=True,
    ),
    error(
        "loss-summed-over-features",
        "loss = ((y - target) ** 2).sum() / N * y.shape[-1]",
        "a sum over the features and a mean over the rest",
        "Over what is your loss a mean, rows or entries?",
        f"Here {SQUARE}. Divided by the number of rows it is the mean squared distance, which is published as well.",
        convention=True,
    ),
]

head = maker("readout", "losses/readout")
LINE = "y = h W + b is a matrix product and a sum, with no nonlinearity behind it"
READOUT = [
    head(
        "slope-of-tanh-in-the-readout",
        "dh = (dy @ W.T) * (1 - h * h)",
        "dh has the factor 1 - h², which belongs to the cell",
        "What does the readout do to h besides the matrix product?",
        f"{LINE}. The tanh that made h is the cell's, whose backward pass applies its slope; yours applies it twice.",
    ),
    head(
        "readout-gradient-averaged-over-the-batch",
        "dh = dy @ W.T / B",
        "dh is divided by the batch size",
        "Who divides by the size of the batch, the loss or the readout?",
        f"{LINE}. The loss has divided already; yours does so once more.",
    ),
    head(
        "readout-gradient-averaged-over-time",
        "dh = dy @ W.T / T",
        "dh is divided by the number of steps",
        "Who divides by the number of steps, the loss or the readout?",
        f"{LINE}. Nothing in it depends on how long the sequence is.",
    ),
    head(
        "readout-at-the-last-step-alone",
        "dh = np.concatenate([0 * dh[:-1], dh[-1:]])",
        "dh is right at the last step and zero before",
        "At which steps does the loss look at the output?",
        f"{LINE}, at every step. Yours hands back a gradient at the last step only.",
    ),
    head(
        "readout-gradient-with-the-wrong-sign",
        "dh = -dy @ W.T",
        "dh has the wrong sign",
        "Should a gradient point uphill or downhill?",
        f"{LINE}. The minus of gradient descent belongs to the optimiser's step.",
    ),
    head(
        "readout-weights-with-the-state-of-the-step-before",
        "dW = weight_gradient(np.roll(h, 1, axis=0), dy)",
        "dW pairs the gradient of step t with the state of step t - 1",
        "Which state did the readout of step t see?",
        f"{LINE}, at the same t. Yours is one step off.",
    ),
    head(
        "readout-weights-reversed-in-time",
        "dW = weight_gradient(h[::-1], dy)",
        "dW pairs the gradients with the states in reversed order",
        "In which order did your backward loop collect what it collected?",
        f"{LINE}, at the same t. Yours pairs opposite ends of the sequence.",
    ),
    head(
        "readout-weights-from-the-output-itself",
        "dW = weight_gradient(h, y)",
        "dW is made from y, not from dy",
        "Which of your arrays is a gradient?",
        f"{LINE}, so the gradient of W is the sum of h_tᵀ dy_t. Yours has the output where its gradient belongs.",
    ),
    *weight("readout", "dW", "weights", "h", "dy"),
    *bias("readout", "db", "bias", "dy"),
]
