"""Mistakes in the gated recurrent unit, with the reset after the product (gru) and before it (gru-cho)."""

from tinyrnn.verdicts.mistakes.entry import maker, slips
from tinyrnn.verdicts.mistakes.nonlinearities import sigmoid_gate, tanh_unit
from tinyrnn.verdicts.mistakes.recurrent import carry, initial_state
from tinyrnn.verdicts.mistakes.sums import bias, inputs, weight

MIX = "h_t = (1 - z) n + z h_{t-1}"
AFTER = "n = tanh(a_n + r s) with s = h_{t-1} W_n + b_n"
BEFORE = "n = tanh(a_n + q W_n) with q = r h_{t-1}"
BLOCKS = "The blocks of the weights stand in the order r, z, n, and so must those of the gradient"


def common(of, before):
    """What both forms share. before: the candidate's pre-activation."""
    update, order = maker(of, "gru/update-gate"), maker(of, "lstm/gate-order")

    def rows(*entries):
        return [(f"{of}-{name}", *rest) for name, *rest in entries]

    entries = [
        *carry(of),
        *slips(
            of,
            "gru/update-gate",
            f"{MIX}: n acts on h_t, where it meets 1 - z",
            rows(
                ("candidate-with-z", "dn = dh * z", "z where 1 - z belongs", "How much of n is in h_t when z is 1?"),
                ("candidate-without-a-factor", "dn = dh", "no factor besides dh", "What does n meet in h_t?"),
                ("candidate-with-itself", "dn = dh * n", "n where 1 - z belongs", "What does n meet in h_t?"),
                ("candidate-with-one-minus-r", "dn = dh * (1 - r)", "1 - r where 1 - z belongs", "Which gate mixes?"),
                ("candidate-from-above", "dn = dout * (1 - z)", "dout where dh belongs", "Who else reads h_t?"),
                ("candidate-with-the-wrong-sign", "dn = dh * (z - 1)", "z - 1 where 1 - z belongs", "Is n added?"),
            ),
        ),
        *slips(
            of,
            "gru/update-gate",
            f"{MIX}: z acts on h_t twice, once through -z n and once through z h_{{t-1}}",
            rows(
                (
                    "update-gate-with-the-wrong-sign",
                    "dz = dh * (n - h_prev)",
                    "the difference the wrong way round",
                    "When z grows, does h_t move towards n or towards the old state?",
                ),
                (
                    "update-gate-sees-the-old-state-alone",
                    "dz = dh * h_prev",
                    "the second only",
                    "In how many places does z stand in the equation of h_t?",
                ),
                (
                    "update-gate-sees-the-candidate-alone",
                    "dz = -dh * n",
                    "the first only",
                    "In how many places does z stand in the equation of h_t?",
                ),
                (
                    "update-gate-adds-both",
                    "dz = dh * (h_prev + n)",
                    "a plus where a difference belongs",
                    "With which sign does z stand before n, and with which before the old state?",
                ),
                (
                    "update-gate-with-the-new-state",
                    "dz = dh * (h - n)",
                    "h_t where h_{t-1} belongs",
                    "Which state does z keep?",
                ),
                (
                    "update-gate-with-one-minus-the-candidate",
                    "dz = dh * (h_prev - (1 - n))",
                    "1 - n where n belongs",
                    "What does 1 - z multiply?",
                ),
                (
                    "update-gate-from-above",
                    "dz = dout * (h_prev - n)",
                    "both from dout, without the carry",
                    "Who reads h_t besides the output?",
                ),
                (
                    "update-gate-without-a-factor",
                    "dz = dh",
                    "dh alone, and neither n nor the old state",
                    "What does z multiply in the forward pass?",
                ),
            ),
        ),
        *(entry for gate in "rz" for entry in sigmoid_gate(of, gate, f"a_{gate} + u_{gate}")),
        *tanh_unit(of, "da_n", "dn", "n", before, "candidate"),
        update(
            f"{of}-gate-r-copied-from-gate-z",
            "da_r = dz * z * (1 - z)",
            "gate r has the gradient of gate z",
            "Which lines of your backward pass began as a copy of another?",
            "In da_r everything has to be about r. Yours equals da_z.",
        ),
        update(
            f"{of}-gate-z-copied-from-gate-r",
            "da_z = dr * r * (1 - r)",
            "gate z has the gradient of gate r",
            "Which lines of your backward pass began as a copy of another?",
            "In da_z everything has to be about z. Yours equals da_r.",
        ),
        update(
            f"{of}-gate-r-with-the-slope-of-gate-z",
            "da_r = dr * z * (1 - z)",
            "the slope of gate z at gate r",
            "Whose slope stands between r and its pre-activation?",
            "Each gate is its own sigmoid of its own pre-activation. Yours has the slope of z at r.",
        ),
        update(
            f"{of}-gate-z-with-the-slope-of-gate-r",
            "da_z = dz * r * (1 - r)",
            "the slope of gate r at gate z",
            "Whose slope stands between z and its pre-activation?",
            "Each gate is its own sigmoid of its own pre-activation. Yours has the slope of r at z.",
        ),
    ]
    for blocks in ("zrn", "rnz", "nzr", "znr", "nrz"):
        entries.append(
            order(
                f"{of}-gates-joined-as-{'-'.join(blocks)}",
                f"da = join({', '.join(f'da_{gate}' for gate in blocks)})",
                f"the blocks of da are in the order {', '.join(blocks)}",
                "In which order did the forward pass split the pre-activation?",
                f"{BLOCKS}. Yours are in the order {', '.join(blocks)}, which permutes columns and changes no shape.",
            )
        )
    for missing in "rzn":
        entries.append(
            order(
                f"{of}-no-gradient-into-{missing}",
                f"da = join({', '.join(f'0 * da_{k}' if k == missing else f'da_{k}' for k in 'rzn')})",
                f"the block of {missing} in da is zero",
                f"Is there a way from the loss to {missing}?",
                f"All three take part in every step. The block of {missing} is zero in yours, so it never learns.",
            )
        )
    entries.append(
        order(
            f"{of}-nothing-differentiated",
            "da = join(dr, dz, dn)",
            "no sigmoid' and no tanh' in any block of da",
            "What stands between the gates and their pre-activations?",
            "a is what goes into the sigmoids and the tanh, so each block has its slope as a factor. Yours joins the"
            " gradients of the gates themselves.",
        )
    )
    return [*entries, *weight(of, "dW_x", "input-weights", "x", "da"), *bias(of, "db", "bias", "da"), *inputs(of)]


def ways_back(of, others, rule):
    """The line of dh_prev. others: the terms besides the direct one, name -> (expression, words)."""
    wrong = maker(of, "gru/paths")
    rest = " + ".join(expression for expression, _ in others.values())
    keep = "z keeps h_{t-1}, so z is on the direct way back too"
    entries = [
        wrong(
            f"{of}-direct-way-back-missing",
            f"dh_prev = {rest}",
            "dh_{t-1} leaves out the direct way, through z",
            "Which term of h_t lets the old state through as it is?",
            f"{rule}. The direct one is missing in yours, the one that makes long memories possible.",
        ),
        wrong(
            f"{of}-only-the-direct-way-back",
            "dh_prev = dh * z",
            "dh_{t-1} has the direct way only",
            "Who reads h_{t-1} besides the mixture that makes h_t?",
            f"{rule}. Yours has the direct one only.",
        ),
        wrong(
            f"{of}-direct-way-back-with-one-minus-z",
            f"dh_prev = dh * (1 - z) + {rest}",
            "1 - z on the direct way back",
            "How much of the old state is in h_t when z is 1?",
            f"{MIX}: {keep}. Yours has 1 - z, the share of the candidate.",
        ),
        wrong(
            f"{of}-direct-way-back-without-z",
            f"dh_prev = dh + {rest}",
            "no gate on the direct way back",
            "How much of the old state gets into h_t directly?",
            f"{MIX}: {keep}. Yours passes dh as it is.",
        ),
        wrong(
            f"{of}-direct-way-back-with-r",
            f"dh_prev = dh * r + {rest}",
            "r on the direct way back",
            "Which gate multiplies h_{t-1} in the equation of h_t?",
            f"{MIX}: {keep}. Yours has the reset gate there.",
        ),
        wrong(
            f"{of}-direct-way-back-from-above-alone",
            f"dh_prev = dout * z + {rest}",
            "dout on the direct way back",
            "Which gradient of h_t is the complete one, dout or dh?",
            "What arrives at h_t from above and from the next step goes back together. Yours drops the carry on the"
            " direct way.",
        ),
        wrong(
            f"{of}-gradient-handed-back-untouched",
            "dh_prev = dh",
            "dh is handed to the step before as it is",
            "Is h_{t-1} the same as h_t?",
            f"{rule}. Yours goes through none of them.",
        ),
    ]
    for words, (expression, what) in others.items():
        left = "".join(f" + {other}" for other, _ in others.values() if other != expression)
        if left:
            entries.append(
                wrong(
                    f"{of}-way-back-through-{words}-missing",
                    f"dh_prev = dh * z{left}",
                    f"dh_{{t-1}} leaves out the way through {what}",
                    f"Does h_{{t-1}} have a part in {what}?",
                    f"{rule}. The one through {what} is missing in yours.",
                )
            )
    return entries


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
                "What does r multiply here?",
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
            ("reset-gate-with-the-candidate", "dr = da_n * n", "n where s belongs", "What does r multiply here?"),
            ("reset-gate-with-itself", "dr = da_n * r", "r where s belongs", "What does r multiply here?"),
            ("reset-gate-without-a-factor", "dr = da_n", "no factor besides da_n", "What does r multiply here?"),
            ("reset-gate-from-h", "dr = dh * s", "dh where da_n belongs", "Does r change h_t directly?"),
        ],
    ),
    *slips(
        "gru",
        "gru/reset-gate",
        f"{AFTER}: s acts on n's pre-activation, where it meets r",
        [
            (
                "reset-forgotten-on-the-way-back",
                "ds = da_n",
                "no factor besides da_n",
                "What does s meet inside the tanh?",
            ),
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
        "du = join(da_r, da_z, da_n)",
        "the last block of du is da_n, without the reset gate",
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
        "tensorflow/keras and torch differ here: Keras' reset_after",
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
                "What does r multiply here?",
            ),
            ("early-reset-with-itself", "dr = dq * r", "r where h_{t-1} belongs", "What does r multiply here?"),
            ("early-reset-with-the-new-state", "dr = dq * h", "h_t where h_{t-1} belongs", "Which state does r gate?"),
            ("early-reset-without-a-factor", "dr = dq", "no factor besides dq", "What does r multiply here?"),
            ("early-reset-without-the-weights", "dr = da_n * h_prev", "da_n where dq belongs", "Where does W_n stand?"),
            (
                "early-reset-as-if-late",
                "dr = da_n * (h_prev @ p.W_n)",
                "the line of the late reset",
                "Where does W_n stand?",
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
