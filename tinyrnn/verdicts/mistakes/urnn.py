"""Mistakes in the unitary evolution RNN as a whole, and in its blocks without parameters."""

from tinyrnn.verdicts.mistakes.entry import maker, slips
from tinyrnn.verdicts.mistakes.recurrent import carry, initial_state
from tinyrnn.verdicts.mistakes.sums import inputs, weight

units = "(z.shape[-1] / 2)"
PERMUTATION = slips(
    "permutation",
    "unitary/order",
    "y_j = z_{perm[j]}, so the gradient of y_j goes to the place perm[j]: the inverse order",
    [
        (
            "permuted-forwards-once-more",
            "dz = permutation(dy, perm)",
            "the forward order once more",
            "Does shuffling twice in the same way put the cards back?",
        ),
        ("not-permuted-back", "dz = dy", "no permutation", "Where does the gradient of y_j have to go?"),
        (
            "real-half-permuted-alone",
            "dz = join(split(dy, 2)[0][..., perm_inverse[: dy.shape[-1] // 2]], split(dy, 2)[1])",
            "the imaginary parts in their old places",
            "Does a complex number travel with both of its parts?",
        ),
        (
            "permuted-by-reversal",
            "dz = dy[..., ::-1]",
            "the entries reversed",
            "Is reversing the inverse of shuffling?",
        ),
    ],
)
FOURIER = slips(
    "fourier",
    "unitary/order",
    "F = FFT / √n is unitary, so the backward pass is F⁻¹, its inverse and conjugate transpose",
    [
        (
            "fourier-forwards-once-more",
            "dz = fourier(dy)",
            "F itself once more",
            "Which transform undoes a Fourier transform?",
        ),
        (
            "inverse-fourier-too-large",
            f"dz = inverse_fourier(dy) * {units} ** 0.5",
            "a factor √n too much: the transform is not normalised",
            "Does your transform keep the length of a vector?",
        ),
        (
            "inverse-fourier-too-small",
            f"dz = inverse_fourier(dy) / {units} ** 0.5",
            "a factor 1/√n too much, as in the library's default inverse, which divides by n",
            "Does your transform keep the length of a vector?",
        ),
        (
            "inverse-fourier-times-n",
            f"dz = inverse_fourier(dy) * {units}",
            "a factor n too much: the normalisation is undone twice",
            "Does your transform keep the length of a vector?",
        ),
        (
            "inverse-fourier-divided-by-n",
            f"dz = inverse_fourier(dy) / {units}",
            "a factor 1/n too much: the normalisation is applied three times",
            "Does your transform keep the length of a vector?",
        ),
        (
            "imaginary-part-dropped",
            "dz = join(split(inverse_fourier(dy), 2)[0], 0 * split(dy, 2)[1])",
            "no imaginary part",
            "Is the transform of a complex vector real?",
        ),
        ("not-transformed-back", "dz = dy", "no transform at all", "In which domain does the gradient arrive?"),
        (
            "inverse-fourier-with-the-wrong-conjugate",
            "dz = join(split(inverse_fourier(dy), 2)[0], -split(inverse_fourier(dy), 2)[1])",
            "the imaginary parts with the opposite sign",
            "Is your gradient dL/dRe + i dL/dIm, or its conjugate?",
            "tensorflow/tensorflow#378",
        ),
    ],
)

CHAIN = "W = D_3 R_2 F⁻¹ D_2 Π R_1 F D_1 is unitary: its backward pass is each step's inverse, in the opposite order"
UNDO = "Which map undoes this step?"
PARAMETER = "Which of the weights acts in this step?"

BACK = slips(
    "urnn",
    "unitary/order",
    CHAIN,
    [
        ("third-phase-forwards", "dy7 = phases(dy8, p.D_3)", "D_3 forwards where its inverse belongs", UNDO),
        ("third-phase-left-out", "dy7 = dy8", "no D_3 on the way back", UNDO),
        ("third-phase-with-the-first", "dy7 = phases_backward(dy8, p.D_1)", "D_1 in the place of D_3", PARAMETER),
        ("second-mirror-with-the-first", "dy6 = reflection(dy7, p.R_1)", "R_1 in the place of R_2", PARAMETER),
        ("second-mirror-left-out", "dy6 = dy7", "no R_2 on the way back", UNDO),
        ("inverse-fourier-not-undone", "dy5 = inverse_fourier(dy6)", "F⁻¹ once more where F belongs", UNDO),
        ("inverse-fourier-left-out", "dy5 = dy6", "no F on the way back", UNDO),
        ("fourier-undone-without-norm", "dy5 = fourier(dy6) * H**0.5", "F not normalised, √n too large", UNDO),
        ("second-phase-forwards", "dy4 = phases(dy5, p.D_2)", "D_2 forwards where its inverse belongs", UNDO),
        ("second-phase-left-out", "dy4 = dy5", "no D_2 on the way back", UNDO),
        ("second-phase-with-the-first", "dy4 = phases_backward(dy5, p.D_1)", "D_1 in the place of D_2", PARAMETER),
        ("permutation-forwards", "dy3 = permutation(dy4, p.perm)", "Π forwards where its inverse belongs", UNDO),
        ("permutation-left-out", "dy3 = dy4", "no Π on the way back", UNDO),
        ("first-mirror-with-the-second", "dy2 = reflection(dy3, p.R_2)", "R_2 in the place of R_1", PARAMETER),
        ("first-mirror-left-out", "dy2 = dy3", "no R_1 on the way back", UNDO),
        ("fourier-not-undone", "dy1 = fourier(dy2)", "F once more where F⁻¹ belongs", UNDO),
        ("fourier-left-out", "dy1 = dy2", "no F⁻¹ on the way back", UNDO),
        ("fourier-undone-with-n", "dy1 = inverse_fourier(dy2) / H**0.5", "F⁻¹ divided by √n too often", UNDO),
        ("first-phase-forwards", "dh_prev = phases(dy1, p.D_1)", "D_1 forwards where its inverse belongs", UNDO),
        ("first-phase-left-out", "dh_prev = dy1", "no D_1 on the way back", UNDO),
        ("first-phase-with-the-third", "dh_prev = phases_backward(dy1, p.D_3)", "D_3 in the place of D_1", PARAMETER),
        ("whole-unitary-matrix-left-out", "dh_prev = dz", "none of the eight steps", "What does W do to h_{t-1}?"),
        (
            "turned-the-wrong-way-through-the-whole-matrix",
            "dh_prev = phases(reflection(inverse_fourier(phases(permutation(reflection(fourier(phases(dz, p.D_1)),"
            " p.R_1), p.perm), p.D_2)), p.R_2), p.D_3)",
            "W itself where its conjugate transpose belongs",
            "Which matrix undoes a unitary one?",
        ),
        ("modrelu-skipped", "dz = dh", "no modReLU on the way back", "What stands between z_t and h_t?"),
        (
            "gradient-after-modrelu-in-the-chain",
            "dy8 = dh",
            "dh where dz belongs",
            "Does y8 enter h_t directly, or through modReLU?",
        ),
    ],
)

SHARED = (
    "the same parameter acts at every step, so its gradient is a sum over time of what step t takes in and gives out"
)
GRADIENTS = [
    *slips(
        "urnn",
        "unitary/phases",
        f"∂y/∂θ = i y; {SHARED}",
        [
            (
                "first-phase-gradient-with-the-new-state",
                "dtheta_1 = phases_gradient(h, dh_prev)",
                "h_t where h_{t-1} belongs",
                "Which state does D_1 turn?",
            ),
            (
                "first-phase-gradient-from-both-sides",
                "dtheta_1 = phases_gradient(h_prev, dy1)",
                "h_{t-1} before the turn with the gradient after it",
                "Are both factors on the same side of the turn?",
            ),
            (
                "second-phase-gradient-from-both-sides",
                "dtheta_2 = phases_gradient(y4, dy5)",
                "y4 before the turn with the gradient after it",
                "Are both factors on the same side of the turn?",
            ),
            (
                "third-phase-gradient-from-both-sides",
                "dtheta_3 = phases_gradient(y7, dy8)",
                "y7 before the turn with the gradient after it",
                "Are both factors on the same side of the turn?",
            ),
            (
                "third-phase-gradient-with-the-input-added",
                "dtheta_3 = phases_gradient(z, dz)",
                "z, in which the input has been added, where y8 belongs",
                "Does D_3 turn the input?",
            ),
            *(
                (
                    f"{words}-phase-gradient-with-the-wrong-sign",
                    f"dtheta_{k} = -dtheta_{k}",
                    "the opposite sign: the conjugate is at the wrong factor",
                    "Which way does the state move when the phase grows?",
                )
                for k, words in ((1, "first"), (2, "second"), (3, "third"))
            ),
        ],
    ),
    *slips(
        "urnn",
        "unitary/reflection",
        f"In y = z - 2 v (v* z) / ||v||² it is z that meets v, and dy that arrives; {SHARED}",
        [
            (
                "first-mirror-gradient-with-the-image",
                "dv_1 = reflection_weights_backward(p.v_1, reflection_gradient(y3, dy3, p.R_1))",
                "the image y3 where y2 belongs",
                "What goes into the inner product with v_1?",
            ),
            (
                "first-mirror-gradient-from-one-side",
                "dv_1 = reflection_weights_backward(p.v_1, reflection_gradient(y2, dy2, p.R_1))",
                "the gradient of y2 where that of y3 belongs",
                "On which side of the mirror is the gradient you start from?",
            ),
            (
                "second-mirror-gradient-with-the-image",
                "dv_2 = reflection_weights_backward(p.v_2, reflection_gradient(y7, dy7, p.R_2))",
                "the image y7 where y6 belongs",
                "What goes into the inner product with v_2?",
            ),
            (
                "second-mirror-gradient-from-one-side",
                "dv_2 = reflection_weights_backward(p.v_2, reflection_gradient(y6, dy6, p.R_2))",
                "the gradient of y6 where that of y7 belongs",
                "On which side of the mirror is the gradient you start from?",
            ),
        ],
    ),
]

modrelu = maker("urnn", "unitary/modrelu")
OUTSIDE = "z_t = W h_{t-1} + V x_t stands inside modReLU, so V and x get their gradients from dz"
REST = [
    modrelu(
        "input-weights-past-the-modrelu",
        "dV = weight_gradient(x, dh)",
        "dV is made from dh, not from dz",
        "Is V x_t added before modReLU or after it?",
        f"{OUTSIDE}. Yours starts from dh.",
    ),
    modrelu(
        "input-gradient-past-the-modrelu",
        "dx = dh @ p.V.T",
        "dx is made from dh, not from dz",
        "Is V x_t added before modReLU or after it?",
        f"{OUTSIDE}. Yours starts from dh.",
    ),
    modrelu(
        "modrelu-bias-averaged-over-the-batch",
        "db = db / B",
        "db is a mean over the batch, not a sum",
        "Who divides by the size of the batch, the loss or the cell?",
        "b acts at every step on every sequence, so its gradient is a sum over both. Yours is smaller by the factor B.",
    ),
    modrelu(
        "modrelu-bias-from-all-units-on-or-off",
        "db = (split(u * dh, 2)[0] + split(u * dh, 2)[1]).sum(axis=(0, 1))",
        "db counts units that are off as well",
        "Does the bias of a unit that is off change the output?",
        "∂|h|/∂b is 1 where |z| + b > 0 and 0 elsewhere. Yours takes it as 1 everywhere.",
    ),
    modrelu(
        "modrelu-bias-of-the-first-step-alone",
        "db = modrelu_backward(dh[0], u[0], gain[0])[1].sum(axis=0)",
        "db is the term of step 0 alone",
        "What happens to the contribution of step t to db when your loop reaches step t - 1?",
        "b acts at every step on every sequence, so its gradient is a sum over both. Yours equals the term of step 0.",
    ),
]

URNN = [
    *carry("urnn"),
    *BACK,
    *GRADIENTS,
    *REST,
    *weight("urnn", "dV", "input-weights", "x", "dz"),
    *inputs("urnn"),
    *initial_state("urnn"),
]
