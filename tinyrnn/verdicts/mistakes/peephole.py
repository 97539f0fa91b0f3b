"""Mistakes in the LSTM with peepholes: its own, and those it shares with the LSTM."""

from tinyrnn.verdicts.mistakes.entry import maker, slips
from tinyrnn.verdicts.mistakes.lstm import LSTM

peep = maker("lstm-peephole", "lstm/peepholes")

READERS = "c_t is read three times, by tanh(c_t), by the next step's cell, and by the gate o through p_o c_t"
EARLY = "i and f of step t look at c_{t-1} through p_i and p_f, and o looks at c_t through p_o"
HANDED = "c_{t-1} is read by c_t, by the gate i and by the gate f, and gets back a gradient from each"
SLOPES = "the peephole stands inside the gate's sigmoid, so the gradient that meets it is that of the pre-activation"

CELL = [
    *slips(
        "lstm-peephole",
        "lstm/peepholes",
        READERS,
        [
            (
                "cell-misses-the-output-peephole",
                "dc = dnext_c + dtanh_c * (1 - tanh_c * tanh_c)",
                "no gradient through the output gate's peephole",
                "Who reads c_t besides tanh(c_t) and the next step?",
            ),
            (
                "output-peephole-with-the-gradient-of-the-gate",
                "dc = dnext_c + dtanh_c * (1 - tanh_c * tanh_c) + do * p.p_o",
                "the gradient of the gate where that of its pre-activation belongs",
                "Does the peephole add to the gate, or to what the gate's sigmoid sees?",
            ),
            (
                "output-peephole-with-the-weights-of-the-input-gate",
                "dc = dnext_c + dtanh_c * (1 - tanh_c * tanh_c) + da_o * p.p_i",
                "the peephole weights of another gate, p_i",
                "Through which weights does the output gate look at the cell?",
            ),
            (
                "output-peephole-subtracted",
                "dc = dnext_c + dtanh_c * (1 - tanh_c * tanh_c) - da_o * p.p_o",
                "the output gate's peephole subtracted",
                "With which sign do the contributions of the readers of c_t combine?",
            ),
            (
                "output-peephole-without-its-weights",
                "dc = dnext_c + dtanh_c * (1 - tanh_c * tanh_c) + da_o",
                "no weights on the way back through the peephole",
                "By what is c_t multiplied before it enters the output gate?",
            ),
            (
                "all-peepholes-on-the-new-cell",
                "dc = dnext_c + dtanh_c * (1 - tanh_c * tanh_c) + da_i * p.p_i + da_f * p.p_f + da_o * p.p_o",
                "the peepholes of i and f as well, which look at the cell before",
                "Which of the gates can see c_t, and which came before it was made?",
            ),
        ],
    ),
    peep(
        "flow-through-the-peepholes-cut",
        "dc_prev = dc * f",
        "dc_{t-1} leaves out what comes through the peepholes of i and f",
        "Who reads c_{t-1} besides c_t?",
        f"{HANDED}. Yours has the first only. The paper that introduced peepholes cut the others on purpose; the full"
        " gradient has them.",
        "Gers & Schmidhuber 2000",
    ),
    peep(
        "flow-through-the-forget-gate-cut",
        "dc_prev = da_i * p.p_i + da_f * p.p_f",
        "dc_{t-1} has what comes through the peepholes only",
        "Who reads c_{t-1} besides the gates?",
        f"{HANDED}. Yours has the second and the third; the first, c_t = f c_{{t-1}} + i g, is missing.",
    ),
    peep(
        "nothing-handed-back-to-the-cell",
        "dc_prev = 0 * dc",
        "nothing is handed back to c_{t-1}",
        "Who reads c_{t-1}?",
        f"{HANDED}. Yours is zero, and with it the LSTM's long memory.",
        "CaptainE/RNN-LSTM-in-numpy#1",
    ),
    *slips(
        "lstm-peephole",
        "lstm/peepholes",
        HANDED,
        [
            (
                "flow-through-the-peephole-of-i-cut",
                "dc_prev = dc * f + da_f * p.p_f",
                "nothing through the peephole of i",
                "Which gates look at c_{t-1}?",
            ),
            (
                "flow-through-the-peephole-of-f-cut",
                "dc_prev = dc * f + da_i * p.p_i",
                "nothing through the peephole of f",
                "Which gates look at c_{t-1}?",
            ),
            (
                "peepholes-with-each-others-weights",
                "dc_prev = dc * f + da_i * p.p_f + da_f * p.p_i",
                "the weights of i and f exchanged",
                "Through which weights does each gate look at c_{t-1}?",
            ),
            (
                "peepholes-with-the-gradients-of-the-gates",
                "dc_prev = dc * f + di * p.p_i + df * p.p_f",
                "the gradients of the gates where those of their pre-activations belong",
                "Does a peephole add to the gate, or to what the gate's sigmoid sees?",
            ),
            (
                "output-peephole-on-the-old-cell-too",
                "dc_prev = dc * f + da_i * p.p_i + da_f * p.p_f + da_o * p.p_o",
                "a gradient from the gate o too, which looks at c_t",
                "Which cell state does the output gate look at?",
            ),
            (
                "output-peephole-on-the-old-cell-alone",
                "dc_prev = dc * f + da_o * p.p_o",
                "the peephole of o in the place of those of i and f",
                "Which gates look at c_{t-1}?",
            ),
        ],
    ),
]

WEIGHTS = []
for gate, seen, other in (("i", "c_prev", "f"), ("f", "c_prev", "i"), ("o", "c", "f")):
    cell, wrong_cell = ("c_t", "c_{t-1}") if gate == "o" else ("c_{t-1}", "c_t")
    dp, total = f"dp_{gate}", f"p_{gate} multiplies {cell}, unit by unit, at every step and for every sequence"
    WEIGHTS += [
        peep(
            f"peephole-of-{gate}-with-the-other-cell",
            f"{dp} = (da_{gate} * {'c_prev' if seen == 'c' else 'c'}).sum(axis=(0, 1))",
            f"{dp} uses {wrong_cell} where {cell} belongs",
            f"Which cell state can the gate {gate} see when it is computed?",
            f"{EARLY}. Yours pairs the gradient of {gate} with {wrong_cell}.",
        ),
        peep(
            f"peephole-of-{gate}-without-the-slope-of-the-gate",
            f"{dp} = (d{gate} * {seen}).sum(axis=(0, 1))",
            f"{dp} is made from the gradient of the gate, not of its pre-activation",
            "Does the peephole add to the gate, or to what the gate's sigmoid sees?",
            f"{SLOPES[0].upper()}{SLOPES[1:]}. Yours has left out the slope.",
        ),
        peep(
            f"peephole-of-{gate}-with-the-gradient-of-gate-{other}",
            f"{dp} = (da_{other} * {seen}).sum(axis=(0, 1))",
            f"{dp} is made from the gradient of gate {other}",
            "Which lines of your backward pass began as a copy of another?",
            f"p_{gate} acts on the gate {gate} and on no other. Yours has the gradient of {other}.",
            "IDSIA/brainstorm",
        ),
        peep(
            f"peephole-of-{gate}-with-the-state",
            f"{dp} = (da_{gate} * {'h' if seen == 'c' else 'h_prev'}).sum(axis=(0, 1))",
            f"{dp} uses the output where the cell state belongs",
            "Which of the two states is behind the peephole?",
            f"{total}. Yours pairs the gradient with h.",
        ),
        peep(
            f"peephole-of-{gate}-from-the-first-step-alone",
            f"{dp} = (da_{gate}[0] * {seen}[0]).sum(axis=0)",
            f"{dp} is the term of step 0 alone",
            f"What happens to the contribution of step t to {dp} when your loop reaches step t - 1?",
            f"{total}, so its gradient is a sum over time and batch. Yours equals the term of step 0.",
        ),
        peep(
            f"peephole-of-{gate}-from-the-last-step-alone",
            f"{dp} = (da_{gate}[-1] * {seen}[-1]).sum(axis=0)",
            f"{dp} is the term of the last step alone",
            f"At how many steps does p_{gate} act?",
            f"{total}, so its gradient is a sum over time and batch. Yours equals the term of the last step.",
        ),
        peep(
            f"peephole-of-{gate}-without-the-first-step",
            f"{dp} = (da_{gate}[1:] * {seen}[1:]).sum(axis=(0, 1))",
            f"{dp} misses step 0",
            f"What does the gate {gate} see through its peephole at the very first step?",
            f"{total}. Yours leaves step 0 out, unseen while the cell starts from zero.",
            "IDSIA/brainstorm",
        ),
        peep(
            f"peephole-of-{gate}-not-summed-over-the-batch",
            f"{dp} = (da_{gate} * {seen}).sum(axis=0)",
            f"{dp} still has the batch axis",
            f"What is the shape of p_{gate}?",
            f"{total}, so its gradient is a sum over time and batch. Yours is summed over time alone.",
        ),
        peep(
            f"peephole-of-{gate}-averaged-over-the-batch",
            f"{dp} = {dp} / B",
            f"{dp} is a mean over the batch, not a sum",
            "Who divides by the size of the batch, the loss or the cell?",
            f"{total}, so its gradient is a sum over time and batch. Yours is smaller by the factor B.",
        ),
    ]
WEIGHTS.append(
    peep(
        "peephole-of-f-mixed-up-at-the-first-step",
        "dp_f = (da_f * c_prev).sum(axis=(0, 1)) + ((da_i - da_f) * c_prev)[0].sum(axis=0)",
        "dp_f has the gradient of gate i at step 0 and that of gate f after",
        "Is the first step written on a line of its own in your backward pass?",
        "p_f acts on the gate f at every step, the first included. Yours takes the term of step 0 from the gate i,"
        " unseen while the cell starts from zero.",
        "IDSIA/brainstorm",
    )
)

# What the peepholes add, where the LSTM's line has something more here.
MORE = {"dc": " + da_o * p.p_o", "dc_prev": " + da_i * p.p_i + da_f * p.p_f"}
SHARED = [
    entry._replace(
        name=f"peephole-{entry.name}", of="lstm-peephole", instead=f"{entry.instead}{MORE.get(entry.line, '')}"
    )
    for entry in LSTM
    if entry.name not in ("cell-carry-cut", "recurrent-weights-from-the-cell")  # said above, and not true here
]

PEEPHOLE = [*CELL, *WEIGHTS, *SHARED]
