"""Mistakes in the gated recurrent unit with the reset before the product."""

from tinyrnn.verdicts.mistakes.entry import maker, slips
from tinyrnn.verdicts.mistakes.gru_shared import BLOCKS, common, ways_back
from tinyrnn.verdicts.mistakes.recurrent import initial_state
from tinyrnn.verdicts.mistakes.sums import weight

BEFORE = "n = tanh(a_n + q W_n) with q = r h_{t-1}"
first = maker("gru-cho", "gru/reset-gate")
RESET_FIRST = f"{BEFORE}: the reset gate acts on the state, before the product with W_n"
CHO = [
    *common("gru-cho", "a_n + q @ p.W_n"),
    first(
        "candidate-weights-not-transposed",
        "dq = da_n @ p.W_n",
        "W_n where its transpose belongs",
        "If unit i drives unit j through W_n[i, j], along which index must the gradient of j travel to reach i?",
        f"{BEFORE}. In a product Σ_i q_i W_ij the gradient of q_i sums over the second index; yours sums over the"
        " first, and W_n is square, so no shape gives it away.",
    ),
    first(
        "candidate-weights-left-out",
        "dq = da_n",
        "the gradient reaches q without passing W_n",
        "What does the forward pass do to q before it enters the tanh?",
        f"{BEFORE}. Yours hands da_n to q as it is.",
    ),
    first(
        "gated-state-without-the-tanh",
        "dq = dn @ p.W_n.T",
        "dn where da_n belongs",
        "Is the product with W_n inside the tanh, or behind it?",
        f"{BEFORE}. Yours leaves out tanh'.",
    ),
    *slips(
        "gru-cho",
        "gru/reset-gate",
        f"{BEFORE}: r acts on q, where it meets h_{{t-1}}",
        [
            (
                "early-reset-with-the-gated-state",
                "dr = dq * q",
                "q where h_{t-1} belongs",
                "What does r multiply in the forward pass?",
            ),
            (
                "early-reset-with-itself",
                "dr = dq * r",
                "r where h_{t-1} belongs",
                "What does r multiply in the forward pass?",
            ),
            ("early-reset-with-the-new-state", "dr = dq * h", "h_t where h_{t-1} belongs", "Which state does r gate?"),
            (
                "early-reset-without-a-factor",
                "dr = dq",
                "no factor besides dq",
                "What does r multiply in the forward pass?",
            ),
            (
                "early-reset-without-the-weights",
                "dr = da_n * h_prev",
                "da_n where dq belongs",
                "What stands between the gated state and the candidate?",
            ),
            (
                "early-reset-as-if-late",
                "dr = da_n * (h_prev @ p.W_n)",
                "the line of the late reset",
                "What stands between the gated state and the candidate?",
            ),
        ],
    ),
    *ways_back(
        "gru-cho",
        {
            "the-candidate": ("dq * r", "the candidate"),
            "the-reset-gate": ("da_r @ split(p.W_rz, 2)[0].T", "the reset gate"),
            "the-update-gate": ("da_z @ split(p.W_rz, 2)[1].T", "the update gate"),
        },
        "h_{t-1} has four readers: h_t itself through z, q through r, and both gates through W_rz",
    ),
    first(
        "way-back-through-the-gated-state-not-gated",
        "dh_prev = dh * z + dq + du @ p.W_rz.T",
        "the way back through q has no reset gate",
        "What stands between h_{t-1} and q?",
        f"{RESET_FIRST}. Yours brings the gradient of q back to the old state as it is.",
    ),
    first(
        "way-back-through-both-gates-missing",
        "dh_prev = dh * z + dq * r",
        "dh_{t-1} leaves out both gates",
        "Who reads h_{t-1} besides the mixture and the candidate?",
        "Both gates look at h_{t-1} through W_rz, and each owes it a gradient. Yours has neither.",
    ),
    first(
        "candidate-weights-with-the-state-not-gated",
        "dW_n = weight_gradient(h_prev, da_n)",
        "dW_n uses h_{t-1} where q belongs",
        "What did W_n multiply at step t?",
        f"{RESET_FIRST}. Yours pairs da_n with the state as it was before the reset.",
    ),
    first(
        "gate-weights-with-the-gated-state",
        "dW_rz = weight_gradient(q, du)",
        "dW_rz uses q where h_{t-1} belongs",
        "What did W_rz multiply at step t?",
        f"{RESET_FIRST} and on nothing else: the gates see h_{{t-1}} in full. Yours pairs their gradients with q.",
    ),
    first(
        "blocks-of-both-gates-exchanged",
        "du = join(da_z, da_r)",
        "the blocks of r and z in du are exchanged",
        "In which order did the forward pass split the product with W_rz?",
        f"{BLOCKS}. In yours r and z have changed places.",
    ),
    *weight("gru-cho", "dW_rz", "gate-weights", "h_prev", "du", after="h"),
    *weight("gru-cho", "dW_n", "candidate-weights", "q", "da_n", square=True),
    *initial_state("gru-cho"),
]
