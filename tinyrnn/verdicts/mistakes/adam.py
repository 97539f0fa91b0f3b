"""Mistakes in Adam."""

from tinyrnn.verdicts.mistakes.entry import maker, slips

M = "m ← β₁ m + (1 - β₁) g, a running mean of the gradient"
V = "v ← β₂ v + (1 - β₂) g², a running mean of its square"
HAT = "m and v start at zero; after t steps they hold the shares 1 - β₁ᵗ and 1 - β₂ᵗ of a full mean, t counting from 1"
STEP = "p ← p - lr m̂ / (√v̂ + ε)"
ADAM = [
    *slips(
        "adam",
        "optimisers/adam",
        M,
        [
            (
                "first-mean-with-the-other-beta",
                "m = beta2 * m_prev + (1 - beta2) * g",
                "β₂ in the place of β₁",
                "Which mean forgets faster?",
            ),
            (
                "first-mean-without-memory",
                "m = (1 - beta1) * g",
                "no memory: it starts anew each step",
                "What is left in it of the steps before?",
            ),
            ("first-mean-is-the-gradient", "m = g", "the gradient itself", "What does β₁ do in a running mean?"),
            (
                "first-mean-without-the-new-share",
                "m = beta1 * m_prev + g",
                "no 1 - β₁",
                "Do the two shares add up to 1?",
            ),
            (
                "first-mean-with-shares-exchanged",
                "m = (1 - beta1) * m_prev + beta1 * g",
                "β₁ and 1 - β₁ exchanged",
                "How long does m remember?",
            ),
            (
                "first-mean-of-the-square",
                "m = beta1 * m_prev + (1 - beta1) * g**2",
                "g² where g belongs",
                "Which of the two means can be negative?",
            ),
            (
                "first-mean-subtracted",
                "m = beta1 * m_prev - (1 - beta1) * g",
                "a minus before g",
                "Where does the step's sign go?",
            ),
            (
                "first-mean-never-forgets",
                "m = m_prev + (1 - beta1) * g",
                "no β₁ at the old mean",
                "Do the two shares add up to 1?",
            ),
        ],
    ),
    *slips(
        "adam",
        "optimisers/adam",
        V,
        [
            (
                "second-mean-with-the-other-beta",
                "v = beta1 * v_prev + (1 - beta1) * g**2",
                "β₁ in the place of β₂",
                "Which mean forgets faster?",
            ),
            (
                "second-mean-without-memory",
                "v = (1 - beta2) * g**2",
                "no memory: it starts anew each step",
                "What is left in it of the steps before?",
            ),
            ("second-mean-is-the-square", "v = g**2", "the square itself", "What does β₂ do in a running mean?"),
            (
                "second-mean-without-the-new-share",
                "v = beta2 * v_prev + g**2",
                "no 1 - β₂",
                "Do the two shares add up to 1?",
            ),
            (
                "second-mean-with-shares-exchanged",
                "v = (1 - beta2) * v_prev + beta2 * g**2",
                "β₂ and 1 - β₂ exchanged",
                "How long does v remember?",
            ),
            (
                "second-mean-of-the-gradient",
                "v = beta2 * v_prev + (1 - beta2) * g",
                "g where g² belongs",
                "Can v be negative?",
            ),
            (
                "second-mean-of-absolute-values",
                "v = beta2 * v_prev + (1 - beta2) * np.abs(g)",
                "|g| where g² belongs",
                "Whose root do you take?",
            ),
            (
                "second-mean-of-the-first",
                "v = beta2 * v_prev + (1 - beta2) * m**2",
                "m² where g² belongs",
                "Whose square is it a mean of?",
            ),
            (
                "second-mean-share-squared",
                "v = beta2 * v_prev + ((1 - beta2) * g) ** 2",
                "1 - β₂ squared as well",
                "How far does the square reach?",
            ),
            (
                "second-mean-never-forgets",
                "v = v_prev + (1 - beta2) * g**2",
                "no β₂ at the old mean",
                "Do the two shares add up to 1?",
            ),
            (
                "second-mean-around-the-first",
                "v = beta2 * v_prev + (1 - beta2) * (g - m) ** 2",
                "the variance, (g - m)², as in AdaBelief",
                "Is v a variance or a mean square?",
            ),
        ],
    ),
]
for hat, mean, beta, words in (("m_hat", "m", "beta1", "first"), ("v_hat", "v", "beta2", "second")):
    sign, other = {"m": ("β₁", "beta2"), "v": ("β₂", "beta1")}[mean]
    ADAM += slips(
        "adam",
        "optimisers/bias-correction",
        HAT,
        [
            (
                f"{words}-mean-not-corrected",
                f"{hat} = {mean}",
                "no correction",
                f"How large is {mean} after the first step, compared with what it is a mean of?",
            ),
            (
                f"{words}-mean-corrected-without-the-power",
                f"{hat} = {mean} / (1 - {beta})",
                f"1 - {sign} where 1 - {sign}ᵗ belongs, right at the first step and at no other",
                "Should the correction be the same after a thousand steps as after one?",
                "eriklindernoren/ML-From-Scratch#35, ufal/npfl114#79",
            ),
            (
                f"{words}-mean-corrected-one-step-ahead",
                f"{hat} = {mean} / (1 - {beta} ** (t + 1))",
                "the power t + 1",
                "What is t at the first step?",
                "MansMeg/IntroML#24",
            ),
            (
                f"{words}-mean-corrected-with-t-as-a-factor",
                f"{hat} = {mean} / (1 - {beta} * t)",
                f"t times {sign} where {sign} to the power t belongs",
                "How much of the zero it started from is left in the mean after t steps?",
            ),
            (
                f"{words}-mean-corrected-by-a-product",
                f"{hat} = {mean} * (1 - {beta}**t)",
                "a product where a quotient belongs",
                "Is a mean that started from zero too small or too large?",
            ),
            (
                f"{words}-mean-corrected-with-the-other-beta",
                f"{hat} = {mean} / (1 - {other}**t)",
                "the other mean's β",
                f"Which of the two β made {mean}?",
            ),
            (
                f"{words}-mean-corrected-with-steps-counted-once-per-parameter",
                f"{hat} = {mean} / (1 - {beta} ** (2 * t))",
                "a t that is twice as large, as when two parameters share a counter and each moves it on",
                "How often does t grow in one step of all parameters?",
            ),
            (
                f"{words}-mean-corrected-without-the-one",
                f"{hat} = {mean} / {beta}**t",
                f"{sign}ᵗ where 1 - {sign}ᵗ belongs",
                "Which part of the mean is missing, and which is there?",
            ),
        ],
    )
ADAM += slips(
    "adam",
    "optimisers/adam",
    STEP,
    [
        (
            "adam-uphill",
            "p = p_prev + lr * m_hat / (np.sqrt(v_hat) + eps)",
            "a plus",
            "Does the loss fall or rise along the gradient?",
        ),
        (
            "adam-without-its-rate",
            "p = p_prev - m_hat / (np.sqrt(v_hat) + eps)",
            "no rate",
            "What decides how long a step is?",
        ),
        ("adam-without-the-root", "p = p_prev - lr * m_hat / (v_hat + eps)", "no root", "What is the unit of g²?"),
        (
            "adam-without-either-correction",
            "p = p_prev - lr * m / (np.sqrt(v) + eps)",
            "m and v without their corrections",
            "Which means have you corrected, and which do you use?",
        ),
        (
            "adam-with-the-first-mean-uncorrected",
            "p = p_prev - lr * m / (np.sqrt(v_hat) + eps)",
            "m without its correction",
            "Which means have you corrected, and which do you use?",
        ),
        (
            "adam-with-the-second-mean-uncorrected",
            "p = p_prev - lr * m_hat / (np.sqrt(v) + eps)",
            "v without its correction",
            "Which means have you corrected, and which do you use?",
        ),
        (
            "adam-with-the-gradient-on-top",
            "p = p_prev - lr * g / (np.sqrt(v_hat) + eps)",
            "the gradient where its mean belongs",
            "What is m for, once it has been computed?",
        ),
        (
            "adam-without-the-second-mean",
            "p = p_prev - lr * m_hat",
            "no division",
            "What is v for, once it has been computed?",
        ),
        (
            "adam-epsilon-inside-the-root",
            "p = p_prev - lr * m_hat / np.sqrt(v_hat + eps)",
            "ε under the root, where it acts like √ε",
            "Does ε belong under the root or beside it?",
        ),
        (
            "adam-without-epsilon",
            "p = p_prev - lr * m_hat / np.sqrt(v_hat)",
            "no ε",
            "What if a parameter never gets a gradient?",
        ),
        (
            "adam-precedence",
            "p = p_prev - (lr * m_hat / np.sqrt(v_hat) + eps)",
            "ε added to the step, not to the root: parentheses are missing",
            "To what is ε added, the root or the step?",
        ),
        (
            "adam-step-multiplied",
            "p = p_prev - lr * m_hat * (np.sqrt(v_hat) + eps)",
            "a product where a quotient belongs",
            "What should steep directions get?",
        ),
    ],
)
adam = maker("adam", "optimisers/adam")
ADAM.append(
    adam(
        "adam-with-the-corrections-in-the-rate",
        "p = p_prev - lr * np.sqrt(1 - beta2**t) / (1 - beta1**t) * m / (np.sqrt(v) + eps)",
        "both corrections are put into the rate, so that ε is added to the uncorrected root",
        "Is your ε added to the root before or after its correction?",
        f"Here {STEP}. The paper's faster form corrects the rate instead; the two differ only in what ε means.",
        "Kingma & Ba 2015, section 2; tensorflow/tensorflow#35102, pytorch/pytorch#22628",
        convention=True,
    )
)
