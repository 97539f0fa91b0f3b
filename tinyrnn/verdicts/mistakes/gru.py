"""Mistakes in the gated recurrent unit with the reset after the product."""

from tinyrnn.verdicts.mistakes.entry import maker, slips
from tinyrnn.verdicts.mistakes.gru_shared import BLOCKS, common, ways_back
from tinyrnn.verdicts.mistakes.recurrent import initial_state
from tinyrnn.verdicts.mistakes.sums import bias, weight

AFTER = "n = tanh(a_n + r s) with s = h_{t-1} W_n + b_n"
reset = maker("gru", "gru/reset-gate")
WAYS = "h_{t-1} has four readers: h_t itself through z, and both gates and the candidate through W_h"
RESET = f"{AFTER}: the reset gate acts after the product with W_n, on the bias b_n as well"
GATED = [
    *slips(
        "gru",
        "gru/reset-gate",
        f"{AFTER}: r acts on n's pre-activation, where it meets s",
        [
            (
                "reset-gate-with-the-state",
                "dr = da_n * h_prev",
                "h_{t-1} where s belongs",
                "What does r multiply in the forward pass?",
            ),
            (
                "reset-gate-without-the-bias",
                "dr = da_n * u_n",
                "s without its bias b_n",
                "Is b_n inside the reset, or not?",
            ),
            (
                "reset-gate-without-the-tanh",
                "dr = dn * s",
                "dn where da_n belongs",
                "Is r inside the tanh, or behind it?",
            ),
            (
                "reset-gate-with-the-candidate",
                "dr = da_n * n",
                "n where s belongs",
                "What does r multiply in the forward pass?",
            ),
            (
                "reset-gate-with-itself",
                "dr = da_n * r",
                "r where s belongs",
                "What does r multiply in the forward pass?",
            ),
            (
                "reset-gate-without-a-factor",
                "dr = da_n",
                "no factor besides da_n",
                "What does r multiply in the forward pass?",
            ),
            ("reset-gate-from-h", "dr = dh * s", "dh where da_n belongs", "Does r change h_t directly?"),
        ],
    ),
    *slips(
        "gru",
        "gru/reset-gate",
        f"{AFTER}: s acts on n's pre-activation, where it meets r",
        [
            (
                "candidate-past-without-the-tanh",
                "ds = dn * r",
                "dn where da_n belongs",
                "Is s inside the tanh, or behind it?",
            ),
            (
                "candidate-past-with-z",
                "ds = da_n * z",
                "z where r belongs",
                "Which gate decides what n sees of the past?",
            ),
            (
                "candidate-past-with-one-minus-r",
                "ds = da_n * (1 - r)",
                "1 - r where r belongs",
                "Does r = 1 keep the past?",
            ),
            ("candidate-past-with-itself", "ds = da_n * s", "s where r belongs", "What does s meet inside the tanh?"),
        ],
    ),
    reset(
        "recurrent-block-of-the-candidate-not-gated",
        "ds = da_n",
        "the candidate's gradient reaches s without the reset gate",
        "What stands between h_{t-1} W_n and the candidate's pre-activation?",
        f"{RESET}. The candidate's two parts, from x and from h, have different gradients; yours are the same.",
    ),
    reset(
        "input-block-of-the-candidate-gated",
        "da = join(da_r, da_z, ds)",
        "the last block of da has the reset gate, as if it acted on the input too",
        "Does the reset gate act on what comes from x?",
        f"{RESET}, but not on the input's part a_n. Yours gates both.",
    ),
    reset(
        "recurrent-blocks-of-both-gates-exchanged",
        "du = join(da_z, da_r, ds)",
        "the blocks of r and z in du are exchanged",
        "In which order did the forward pass split the product with W_h?",
        f"{BLOCKS}. In yours r and z have changed places.",
    ),
    *ways_back(
        "gru",
        {
            "the-reset-gate": ("da_r @ split(p.W_h, 3)[0].T", "the reset gate"),
            "the-update-gate": ("da_z @ split(p.W_h, 3)[1].T", "the update gate"),
            "the-candidate": ("ds @ split(p.W_h, 3)[2].T", "the candidate"),
        },
        WAYS,
    ),
    reset(
        "way-back-through-the-candidate-not-gated",
        "dh_prev = dh * z + da @ p.W_h.T",
        "the way back through the candidate has no reset gate",
        "What stands between h_{t-1} W_n and the candidate's pre-activation?",
        f"{RESET}. Yours brings the candidate's whole gradient back to the old state, as if r were 1.",
    ),
    reset(
        "recurrent-weights-of-the-candidate-not-gated",
        "dW_h = weight_gradient(h_prev, da)",
        "the last block of dW_h has no reset gate",
        "What stands between h_{t-1} W_n and the candidate's pre-activation?",
        f"{RESET}. Yours has the gradient the input's part gets.",
    ),
    reset(
        "recurrent-weights-as-if-the-reset-came-first",
        "dW_h = join(weight_gradient(h_prev, da[..., : 2 * H]), weight_gradient(r * h_prev, da_n))",
        "the last block of dW_h is that of the form with the reset before the product",
        "Is the state gated before it meets W_n, or the product after?",
        f"{RESET}. Yours pairs da_n with r h_{{t-1}}, which belongs to the other form of this cell.",
        "keras-team/keras#3701",
    ),
    reset(
        "candidate-bias-not-gated",
        "db_n = da_n.sum(axis=(0, 1))",
        "db_n has no reset gate",
        "Is b_n inside the reset, or not?",
        f"{RESET}. Yours is the gradient of a bias outside it.",
    ),
]
GRU = [
    *common("gru", "a_n + r * s"),
    *GATED,
    *weight("gru", "dW_h", "recurrent-weights", "h_prev", "du", after="h"),
    *bias("gru", "db_n", "candidate-bias", "ds"),
    *initial_state("gru"),
]
