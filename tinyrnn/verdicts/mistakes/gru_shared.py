"""Mistakes that both forms of the gated recurrent unit share: its gates, their order, the ways back to the state."""

from tinyrnn.verdicts.mistakes.entry import maker, slips
from tinyrnn.verdicts.mistakes.nonlinearities import sigmoid_gate, tanh_unit
from tinyrnn.verdicts.mistakes.recurrent import carry
from tinyrnn.verdicts.mistakes.sums import bias, inputs, weight

MIX = "h_t = (1 - z) n + z h_{t-1}"
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
                (
                    "candidate-with-one-minus-r",
                    "dn = dh * (1 - r)",
                    "1 - r where 1 - z belongs",
                    "Which gate mixes the old and the new state?",
                ),
                (
                    "candidate-from-above",
                    "dn = dout * (1 - z)",
                    "dout where dh belongs",
                    "Who reads h_t besides the output?",
                ),
                (
                    "candidate-with-the-wrong-sign",
                    "dn = dh * (z - 1)",
                    "z - 1 where 1 - z belongs",
                    "Is the candidate added to h_t, or taken away?",
                ),
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
                    "the way through z h_{t-1} alone",
                    "In how many places does z stand in the equation of h_t?",
                ),
                (
                    "update-gate-sees-the-candidate-alone",
                    "dz = -dh * n",
                    "the way through -z n alone",
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
                    "dout where dh belongs",
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
