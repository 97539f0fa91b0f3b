"""Mistakes in softmax cross-entropy, with and without a mask."""

from tinyrnn.verdicts.mistakes.entry import slips

P = "p_j = e^{z_j} / Σ_k e^{z_k}, the sum running over the classes of one token"
LOSS = "loss = -1/N Σ ln p_target, a mean over the N tokens"
DZ = "∂(-ln p_target)/∂z_j is p_j for every class, and one less at the target; the mean over the tokens then weights it"
kept = "(weight > 0)"

CROSS_ENTROPY = [
    *slips(
        "cross_entropy",
        "losses/softmax",
        P,
        [
            (
                "softmax-over-the-batch",
                "p = np.exp(z) / np.exp(z).sum(axis=0)",
                "the sum over the tokens of one class",
                "Which numbers should add up to 1, those of one token or those of one class?",
            ),
            (
                "softmax-over-everything",
                "p = np.exp(z) / np.exp(z).sum()",
                "the sum over all tokens and classes together",
                "Which numbers should add up to 1?",
            ),
            (
                "softmax-twice",
                "p = np.exp(p) / np.exp(p).sum(axis=-1, keepdims=True)",
                "the softmax of the softmax",
                "Does the function you call expect logits or probabilities?",
            ),
            (
                "softmax-without-its-denominator",
                "p = np.exp(z)",
                "no denominator",
                "Which numbers should add up to 1?",
            ),
            (
                "softmax-without-the-exponential",
                "p = z / z.sum(axis=-1, keepdims=True)",
                "no exponential",
                "Can a probability be negative?",
            ),
            (
                "softmax-to-the-base-two",
                "p = 2.0**z / (2.0**z).sum(axis=-1, keepdims=True)",
                "2 in the place of e",
                "To which base does the logarithm of your loss belong?",
            ),
            (
                "sigmoid-for-softmax",
                "p = sigmoid(z)",
                "a sigmoid for each class, as if many classes could be right at once",
                "Can more than one class be right?",
            ),
        ],
    ),
    *slips(
        "cross_entropy",
        "losses/mean",
        LOSS,
        [
            (
                "loss-summed",
                f"loss = -({kept} * np.log((p * one_hot).sum(axis=-1))).sum()",
                "the sum over the tokens, with a gradient that is a mean's",
                "Does twice as much text make the loss twice as large?",
            ),
            (
                "loss-divided-by-the-classes-too",
                "loss = -(weight * np.log((p * one_hot).sum(axis=-1))).sum() / C",
                "a mean over the classes as well",
                "How many of the C entries of a token's row are not zero?",
            ),
            (
                "loss-in-bits",
                "loss = -(weight * np.log2((p * one_hot).sum(axis=-1))).sum()",
                "a logarithm to the base 2, 1.4427 times as large",
                "To which base is the logarithm whose derivative is 1 / p?",
            ),
            (
                "loss-to-the-base-ten",
                "loss = -(weight * np.log10((p * one_hot).sum(axis=-1))).sum()",
                "a logarithm to the base 10",
                "To which base is the logarithm whose derivative is 1 / p?",
            ),
            (
                "loss-without-the-minus",
                "loss = (weight * np.log((p * one_hot).sum(axis=-1))).sum()",
                "no minus",
                "Should a better prediction have a smaller loss or a larger one?",
            ),
            (
                "logarithm-after-the-mean",
                "loss = -np.log((weight * (p * one_hot).sum(axis=-1)).sum())",
                "the logarithm of the mean where the mean of the logarithms belongs",
                "In which order do the mean and the logarithm come?",
            ),
            (
                "loss-without-the-logarithm",
                "loss = -(weight * (p * one_hot).sum(axis=-1)).sum()",
                "no logarithm",
                "How bad should it be to give the truth a probability of nearly zero?",
            ),
            (
                "loss-from-the-logits",
                "loss = -(weight * (z * one_hot).sum(axis=-1)).sum()",
                "the target's logit where the logarithm of its probability belongs",
                "Is the loss the same when all logits grow by one?",
            ),
            (
                "perplexity-for-the-loss",
                "loss = np.exp(loss)",
                "the perplexity, e to the loss",
                "Which of the two is the one to be differentiated, the loss or the perplexity?",
            ),
            (
                "binary-loss-of-each-class",
                "loss = -(weight[:, None] * (one_hot * np.log(p) + (1 - one_hot) * np.log(1 - p))).sum()",
                "the terms ln(1 - p) of the other classes as well, a binary loss for each",
                "Which of the C probabilities of a token does the loss look at?",
            ),
        ],
    ),
    *slips(
        "cross_entropy",
        "losses/softmax",
        DZ,
        [
            (
                "target-not-subtracted",
                "dz = weight[:, None] * p",
                "p alone: the target's one is never taken away",
                "Where does the loss look at the target?",
            ),
            (
                "softmax-not-differentiated",
                "dz = -weight[:, None] * one_hot",
                "the target's part alone, as if the denominator did not depend on the logits",
                "In how many places of ln p_target does a logit stand?",
            ),
            (
                "difference-the-wrong-way-round",
                "dz = weight[:, None] * (one_hot - p)",
                "the opposite sign",
                "Should the target's logit go up or down in a step against the gradient?",
            ),
            (
                "stopped-at-the-probabilities",
                "dz = -weight[:, None] * one_hot / p",
                "the gradient with respect to p, not z",
                "What stands between the logits and the probabilities?",
            ),
            (
                "diagonal-of-the-softmax-alone",
                "dz = -weight[:, None] * one_hot * (1 - p)",
                "the effect of each logit on its own probability only",
                "Which probabilities change when the logit of a wrong class grows?",
            ),
            (
                "times-the-slope-of-a-sigmoid",
                "dz = weight[:, None] * (p - one_hot) * p * (1 - p)",
                "a factor p (1 - p), which has been taken into account already",
                "How often does the gradient pass the softmax?",
            ),
            (
                "logits-for-probabilities",
                "dz = weight[:, None] * (z - one_hot)",
                "the logits where the probabilities belong",
                "Which of your arrays add up to 1 in each row?",
            ),
            (
                "class-numbers-for-one-hot-rows",
                "dz = weight[:, None] * (p - target[:, None])",
                "the number of the class subtracted from every entry",
                "What does the array of class numbers look like as one-hot rows?",
            ),
            (
                "softmax-gradient-with-the-batch-as-axis",
                "dz = weight[:, None] * (np.exp(z) / np.exp(z).sum(axis=0) - one_hot)",
                "probabilities that add up to 1 over the batch",
                "Which numbers should add up to 1, those of one token or those of one class?",
            ),
            (
                "gradient-of-the-loss-twice-too-large",
                "dz = 2 * weight[:, None] * (p - one_hot)",
                "a factor 2 too much, as from the derivative of a square",
                "Is there a square in the cross-entropy?",
                "markroxor/fromscratchtoml#65",
            ),
            (
                "gradient-of-the-loss-never-written",
                "dz = 0 * dz",
                "zeros",
                "Which line writes to the gradient of the logits?",
            ),
        ],
    ),
    *slips(
        "cross_entropy",
        "losses/mean",
        f"{LOSS}, so 1/N stands before the gradient of each token, once",
        [
            (
                "gradient-not-divided-by-the-tokens",
                f"dz = {kept}[:, None] * (p - one_hot)",
                "no 1/N",
                "Is your loss a sum or a mean?",
                "victorlempitsky/Mate#2, apache/mxnet#2215",
            ),
            (
                "gradient-divided-by-the-tokens-twice",
                "dz = weight[:, None] * (p - one_hot) / N",
                "1/N twice",
                "Who divides by the number of tokens, the loss or the layer before it?",
            ),
            (
                "gradient-divided-by-the-classes",
                f"dz = {kept}[:, None] * (p - one_hot) / C",
                "1/C, the number of classes, where 1/N belongs",
                "Over what is the loss a mean?",
            ),
            (
                "gradient-divided-by-tokens-and-classes",
                "dz = weight[:, None] * (p - one_hot) / C",
                "1/(N C), one for every entry of the logits",
                "Over what is the loss a mean?",
            ),
        ],
    ),
]

MASKED = slips(
    "cross_entropy-masked",
    "losses/mask",
    "A masked token has no part in the loss: it is not in the sum, not in the number N, and gets no gradient",
    [
        (
            "mask-ignored",
            "dz = (p - one_hot) / N",
            "every token in the gradient, the padding too",
            "Which tokens have a target at all?",
            "keras-team/keras#1300",
        ),
        (
            "padding-counted-in-the-mean",
            "dz = (weight > 0)[:, None] * (p - one_hot) / N",
            "the number of all tokens as N, the padding too",
            "Should the gradient of a sentence change when it is padded to a greater length?",
        ),
        (
            "padding-gets-a-gradient",
            "dz = weight.max() * (p - one_hot)",
            "the right N, but a gradient at the padding too",
            "What is the gradient at a token the loss does not look at?",
        ),
        (
            "mask-on-the-target-alone",
            "dz = weight.max() * p - weight[:, None] * one_hot",
            "the mask at the target's one only, so that the padding is pushed down in all classes",
            "Which parts of a masked token's gradient should vanish?",
        ),
        (
            "mask-turned-round",
            "dz = (weight == 0)[:, None] * (p - one_hot) * weight.max()",
            "a gradient at the padding and nowhere else",
            "Does True in your mask mean that a token counts, or that it does not?",
        ),
        (
            "loss-of-the-padding-too",
            "loss = -np.log((p * one_hot).sum(axis=-1)).sum() / N",
            "the loss of every token, the padding too",
            "Which tokens have a target at all?",
        ),
        (
            "loss-with-the-padding-in-its-mean",
            "loss = -((weight > 0) * np.log((p * one_hot).sum(axis=-1))).sum() / N",
            "the number of all tokens as N, the padding too",
            "Should the loss of a sentence change when it is padded to a greater length?",
        ),
        (
            "loss-of-the-padding-over-the-tokens-that-count",
            "loss = -np.log((p * one_hot).sum(axis=-1)).sum() * weight.max()",
            "the right N, but the padding in the sum",
            "Which tokens have a target at all?",
        ),
    ],
)
