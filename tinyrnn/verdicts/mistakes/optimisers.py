"""Mistakes in SGD with momentum and in RMSProp."""

from tinyrnn.verdicts.mistakes.entry import maker, slips

SGD = [
    *slips(
        "sgd",
        "optimisers/sgd",
        "v ← µ v + g, the old velocity slowed down by µ and pushed by the gradient",
        [
            ("velocity-without-memory", "v = g", "no memory: the old velocity is dropped", "What does momentum keep?"),
            ("velocity-never-slowed", "v = v_prev + g", "no µ", "What slows a ball down that is pushed all the time?"),
            (
                "velocity-as-a-mean",
                "v = momentum * v_prev + (1 - momentum) * g",
                "a running mean, 1 - µ before the gradient",
                "How large is v after many steps with the same gradient?",
            ),
            (
                "velocity-pushed-backwards",
                "v = momentum * v_prev - g",
                "a minus before g",
                "Where does the step's sign go?",
            ),
            (
                "momentum-on-the-gradient",
                "v = v_prev + momentum * g",
                "µ at the gradient where it belongs at the old velocity",
                "Which of the two does µ slow down?",
            ),
            (
                "velocity-slowed-after-the-push",
                "v = momentum * (v_prev + g)",
                "µ at both terms",
                "What does µ slow down?",
            ),
            ("velocity-never-pushed", "v = momentum * v_prev", "no gradient in it", "What sets the ball in motion?"),
        ],
    ),
    *slips(
        "sgd",
        "optimisers/sgd",
        "p ← p - lr v, a step against the gradient, as long as the rate says",
        [
            ("step-uphill", "p = p_prev + lr * v", "a plus", "Does the loss fall or rise along the gradient?"),
            ("step-without-its-rate", "p = p_prev - v", "no learning rate", "What decides how long a step is?"),
            (
                "step-without-momentum",
                "p = p_prev - lr * g",
                "the gradient where the velocity belongs",
                "What is v for, once it has been computed?",
            ),
            ("rate-for-the-whole-step", "p = p_prev - lr", "no velocity", "In which direction does a step go?"),
            (
                "step-in-place-of-the-parameter",
                "p = -lr * v",
                "the step alone, without the parameter",
                "Where does a step start from?",
            ),
            ("step-twice", "p = p_prev - 2 * lr * v", "the step taken twice", "On how many lines do you change p?"),
            ("step-with-momentum-again", "p = p_prev - lr * momentum * v", "µ once more", "Where has µ acted already?"),
            ("rate-squared", "p = p_prev - lr * lr * v", "the rate twice", "Is the rate in your velocity already?"),
            (
                "divided-by-the-rate",
                "p = p_prev - v / lr",
                "a division by the rate",
                "Does a larger rate make larger steps?",
            ),
        ],
    ),
]
sgd = maker("sgd", "optimisers/sgd")
SGD += [
    sgd(
        "velocity-with-the-rate-inside",
        "v = -lr * (momentum * v_prev + g)",
        "the velocity contains the step's rate and sign, v ← µ v - lr g",
        "Does your velocity have the learning rate in it?",
        "Here v ← µ v + g and p ← p - lr v. With v ← µ v - lr g and p ← p + v the path is the same as long as the rate"
        " does not change.",
        "Sutskever et al. 2013",
        convention=True,
    ),
    sgd(
        "nesterov-for-plain-momentum",
        "p = p_prev - lr * (g + momentum * v)",
        "Nesterov's step, g + µ v in the place of v",
        "Does your step look ahead by one more push of the momentum?",
        "Here p ← p - lr v. With g + µ v in its place the step is Nesterov's, which is another method.",
        "Nesterov 1983, in PyTorch's form",
        convention=True,
    ),
]

RMSPROP = [
    *slips(
        "rmsprop",
        "optimisers/rmsprop",
        "v ← ρ v + (1 - ρ) g², a running mean of the squared gradient",
        [
            (
                "mean-square-of-nothing-squared",
                "v = rho * v_prev + (1 - rho) * g",
                "g where g² belongs",
                "Can v be negative?",
            ),
            (
                "mean-square-of-absolute-values",
                "v = rho * v_prev + (1 - rho) * np.abs(g)",
                "|g| where g² belongs",
                "Whose root do you take?",
            ),
            (
                "mean-square-never-forgets",
                "v = v_prev + g**2",
                "a sum that only grows, as in AdaGrad",
                "Does v ever forget?",
            ),
            (
                "mean-square-with-rho-exchanged",
                "v = (1 - rho) * v_prev + rho * g**2",
                "ρ and 1 - ρ exchanged",
                "How long does v remember?",
            ),
            (
                "mean-square-without-the-new-share",
                "v = rho * v_prev + g**2",
                "no 1 - ρ",
                "Do the two shares add up to 1?",
            ),
            (
                "mean-square-without-memory",
                "v = (1 - rho) * g**2",
                "no memory",
                "What happened to the gradients before?",
            ),
            (
                "square-of-the-mean-gradient",
                "v = (rho * v_prev + (1 - rho) * g) ** 2",
                "the square at the wrong place",
                "What is squared, the gradient or the mean?",
            ),
        ],
    ),
    *slips(
        "rmsprop",
        "optimisers/rmsprop",
        "p ← p - lr g / (√v + ε), the gradient divided by its root mean square",
        [
            ("mean-square-without-its-root", "p = p_prev - lr * g / (v + eps)", "no root", "What is the unit of g²?"),
            (
                "rmsprop-uphill",
                "p = p_prev + lr * g / (np.sqrt(v) + eps)",
                "a plus",
                "Does the loss fall or rise along the gradient?",
            ),
            (
                "rmsprop-without-its-rate",
                "p = p_prev - g / (np.sqrt(v) + eps)",
                "no rate",
                "What decides how long a step is?",
            ),
            (
                "mean-square-of-the-step-before",
                "p = p_prev - lr * g / (np.sqrt(v_prev) + eps)",
                "v of the step before",
                "Is v brought up to date before it is used, or after?",
            ),
            (
                "rmsprop-multiplied",
                "p = p_prev - lr * g * (np.sqrt(v) + eps)",
                "a product where a quotient belongs",
                "What should steep directions get?",
            ),
            (
                "rmsprop-without-the-division",
                "p = p_prev - lr * g",
                "no division",
                "What is v for, once it has been computed?",
            ),
            (
                "rmsprop-precedence",
                "p = p_prev - (lr * g / np.sqrt(v) + eps)",
                "ε added to the step, not to the root: parentheses are missing",
                "To what is ε added, the root or the step?",
            ),
            (
                "rmsprop-without-the-gradient",
                "p = p_prev - lr / (np.sqrt(v) + eps)",
                "no gradient on top",
                "Which way does a step go?",
            ),
        ],
    ),
]
rms = maker("rmsprop", "optimisers/rmsprop")
RMSPROP.append(
    rms(
        "rmsprop-epsilon-inside-the-root",
        "p = p_prev - lr * g / np.sqrt(v + eps)",
        "√(v + ε) in the place of √v + ε",
        "Does ε belong under the root or beside it?",
        "Here ε is added to the root. Under the root, as in TensorFlow's RMSProp, it acts like the larger √ε.",
        "TensorFlow's RMSProp",
        convention=True,
    )
)
