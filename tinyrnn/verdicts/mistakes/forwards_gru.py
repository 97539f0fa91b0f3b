"""Wrong and otherwise conventional forward passes of both forms of the gated recurrent unit."""

from tinyrnn.verdicts.mistakes.entry import convention, slips
from tinyrnn.verdicts.mistakes.questions import PLUS, PRODUCT, READ

MIX = "h_t = (1 - z) n + z h_{t-1}"


def gated(of):
    """What both forms of the GRU share."""
    mix = convention(of, "gru/forward")
    gates = [
        (f"{of}-gate-{s}-{words}", f"{s} = {wrong}", f"{title} at gate {s}", question)
        for s in "rz"
        for words, wrong, title, question in (
            ("with-tanh", f"tanh(a_{s} + u_{s})", "a tanh", "May a gate be negative?"),
            ("without-its-sigmoid", f"a_{s} + u_{s}", "no sigmoid", "Between which two numbers does a gate lie?"),
            ("blind-to-the-state", f"sigmoid(a_{s})", "no h_{t-1}", READ),
        )
    ]
    gates += [
        (
            f"{of}-reset-from-the-update-gate",
            "r = sigmoid(a_z + u_z)",
            "z's pre-activation at r",
            "Which block of the pre-activation belongs to which gate?",
        ),
        (
            f"{of}-update-from-the-reset-gate",
            "z = sigmoid(a_r + u_r)",
            "r's pre-activation at z",
            "Which block of the pre-activation belongs to which gate?",
        ),
    ]
    states = [
        (
            f"{of}-old-state-in-full",
            "h = (1 - z) * n + h_prev",
            "no z before h_{t-1}",
            "Do the two shares add up to 1?",
        ),
        (f"{of}-candidate-in-full", "h = n + z * h_prev", "no 1 - z before n", "Do the two shares add up to 1?"),
        (f"{of}-old-state-ignored", "h = (1 - z) * n", "no h_{t-1}", READ),
        (f"{of}-candidate-ignored", "h = z * h_prev", "no n", "What is new in h_t?"),
        (f"{of}-old-state-with-r", "h = (1 - z) * n + r * h_prev", "r before h_{t-1}", "Which gate mixes old and new?"),
        (f"{of}-both-shares-the-same", "h = z * n + z * h_prev", "z before both", "Do the two shares add up to 1?"),
        (
            f"{of}-old-state-subtracted",
            "h = (1 - z) * n - z * h_prev",
            "a minus before z h_{t-1}",
            "Is h_t a weighted mean of two states?",
        ),
    ]
    return [
        *slips(of, "gru/forward", "r and z are sigmoids of what x_t and h_{t-1} bring, each with its own block", gates),
        *slips(of, "gru/forward", f"{MIX}, a mean of the old state and the candidate", states),
        *slips(
            of,
            "gru/forward",
            "a_t = x_t W_x + b, with the blocks in the order r, z, n",
            [
                (f"{of}-bias-left-out", "a = affine(x, p.W_x)", "no bias", PLUS),
                (f"{of}-bias-twice", "a = affine(x, p.W_x, 2 * p.b)", "the bias twice", "How often is the bias added?"),
                (
                    f"{of}-input-reversed",
                    "a = affine(x[::-1], p.W_x, p.b)",
                    "the input reversed",
                    "At which end of the input does time begin?",
                ),
                (
                    f"{of}-blocks-of-the-input-exchanged",
                    "a_r = [split(a, 3)[k] for k in (1, 0, 2)]",
                    "r and z exchanged in what comes from the input",
                    "In which order do the blocks of W_x stand?",
                ),
            ],
        ),
        mix(
            f"{of}-update-gate-the-other-way-round",
            "h = z * n + (1 - z) * h_prev",
            "z and 1 - z are exchanged: z = 1 takes the candidate",
            "Does z = 1 keep the old state, or replace it?",
            f"Here {MIX}, so z = 1 keeps.",
            "Chung et al. 2014",
        ),
    ]


PAST = "n = tanh(a_n + r (h_{t-1} W_n + b_n)): the reset gate acts on the whole of what comes from the past"
place = convention("gru", "gru/reset-gate")
GRU = [
    *gated("gru"),
    *slips(
        "gru",
        "gru/reset-gate",
        PAST,
        [
            ("candidate-bias-left-out", "s = u_n", "no b_n", PLUS),
            ("reset-forgotten", "n = tanh(a_n + s)", "no r", "What does the reset gate act on?"),
            (
                "reset-on-the-input-too",
                "n = tanh(r * (a_n + s))",
                "r before the input's part as well",
                "What does the reset gate act on?",
            ),
            ("reset-turned-round", "n = tanh(a_n + (1 - r) * s)", "1 - r where r belongs", "Does r = 1 keep the past?"),
            ("candidate-with-a-sigmoid", "n = sigmoid(a_n + r * s)", "a sigmoid", "Can your candidate be negative?"),
            ("candidate-without-its-tanh", "n = a_n + r * s", "no tanh", "Between which two numbers does n lie?"),
            ("candidate-blind-to-the-past", "n = tanh(a_n)", "no past", READ),
        ],
    ),
    place(
        "reset-before-the-product",
        "n = tanh(a_n + (r * h_prev) @ split(p.W_h, 3)[2] + p.b_n)",
        "the reset gate acts on the state, before the product with W_n",
        "Is the state gated before it meets W_n, or the product after?",
        f"Here {PAST}.",
        "Cho et al. 2014; keras-team/keras#3701",
    ),
    place(
        "candidate-bias-outside-the-reset",
        "n = tanh(a_n + r * u_n + p.b_n)",
        "b_n is added outside the reset",
        "Is b_n inside the reset, or not?",
        f"Here {PAST}.",
        "forms with a single bias",
    ),
]

GATED_STATE = "q = r h_{t-1} and n = tanh(a_n + q W_n)"
CHO = [
    *gated("gru-cho"),
    *slips(
        "gru-cho",
        "gru/reset-gate",
        GATED_STATE,
        [
            ("early-reset-forgotten", "q = h_prev", "no r", "What does the reset gate act on?"),
            ("early-reset-turned-round", "q = (1 - r) * h_prev", "1 - r where r belongs", "Does r = 1 keep the past?"),
            (
                "early-candidate-with-a-sigmoid",
                "n = sigmoid(a_n + q @ p.W_n)",
                "a sigmoid",
                "Can your candidate be negative?",
            ),
            (
                "early-candidate-without-its-tanh",
                "n = a_n + q @ p.W_n",
                "no tanh",
                "Between which two numbers does n lie?",
            ),
            ("early-candidate-weights-transposed", "n = tanh(a_n + q @ p.W_n.T)", "W_n transposed", PRODUCT),
            ("early-candidate-blind-to-the-past", "n = tanh(a_n)", "no past", READ),
        ],
    ),
    convention("gru-cho", "gru/reset-gate")(
        "reset-after-the-product",
        "n = tanh(a_n + r * (h_prev @ p.W_n))",
        "the reset gate acts on the product, after W_n",
        "Is the state gated before it meets W_n, or the product after?",
        f"Here {GATED_STATE}.",
        "PyTorch and cuDNN; keras-team/keras#3701",
    ),
]
