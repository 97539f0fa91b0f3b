"""Mistakes at the LSTM's gates: what each multiplies, its slope, and the order in which they stand."""

from tinyrnn.verdicts.mistakes.entry import maker, slips
from tinyrnn.verdicts.mistakes.nonlinearities import sigmoid_gate, tanh_unit

path, gates, order = (maker("lstm", f"lstm/{key}") for key in ("cell-path", "gates", "gate-order"))

TWO = "c_t is read by h_t = o tanh(c_t) and again by c_{t+1} = f_{t+1} c_t + ..., and each reader sends back a gradient"
CELL = "c_t = f c_{t-1} + i g"
OUT = "h_t = o tanh(c_t)"

GATES = [
    *slips(
        "lstm",
        "lstm/gates",
        f"{OUT}: the output gate acts on h_t, where it meets tanh(c_t), and all that arrives at h_t counts",
        [
            (
                "output-gate-with-c-itself",
                "do = dh * c",
                "c_t where tanh(c_t) belongs",
                "What does o multiply in the forward pass?",
            ),
            (
                "output-gate-with-itself",
                "do = dh * o",
                "o where tanh(c_t) belongs",
                "What does o multiply in the forward pass?",
            ),
            (
                "output-gate-with-the-output",
                "do = dh * h",
                "h_t where tanh(c_t) belongs",
                "What does o multiply in the forward pass?",
            ),
            (
                "output-gate-without-a-factor",
                "do = dh",
                "no factor besides dh",
                "What does o multiply in the forward pass?",
            ),
            ("output-gate-from-the-cell", "do = dc * tanh_c", "dc where dh belongs", "Does o change c_t, or h_t?"),
            (
                "output-gate-from-above",
                "do = dout * tanh_c",
                "dout where dh belongs",
                "Who reads h_t besides the output?",
            ),
        ],
    ),
    *slips(
        "lstm",
        "lstm/gates",
        f"{OUT}: tanh(c_t) acts on h_t, where it meets o, and all that arrives at h_t counts",
        [
            (
                "tanh-of-c-without-a-factor",
                "dtanh_c = dh",
                "no factor besides dh",
                "What does tanh(c_t) meet in the forward pass?",
            ),
            (
                "tanh-of-c-with-itself",
                "dtanh_c = dh * tanh_c",
                "tanh(c_t) where o belongs",
                "What does tanh(c_t) meet in the forward pass?",
            ),
            (
                "tanh-of-c-with-c",
                "dtanh_c = dh * c",
                "c_t where o belongs",
                "What does tanh(c_t) meet in the forward pass?",
            ),
            (
                "tanh-of-c-with-f",
                "dtanh_c = dh * f",
                "f where o belongs",
                "Which gate decides what is shown of the cell?",
            ),
            (
                "tanh-of-c-with-i",
                "dtanh_c = dh * i",
                "i where o belongs",
                "Which gate decides what is shown of the cell?",
            ),
            (
                "tanh-of-c-from-above",
                "dtanh_c = dout * o",
                "dout where dh belongs",
                "Who reads h_t besides the output?",
            ),
        ],
    ),
    *slips(
        "lstm",
        "lstm/gates",
        f"{CELL}: the forget gate acts on c_t, where it meets c_{{t-1}}",
        [
            (
                "forget-gate-with-the-new-cell",
                "df = dc * c",
                "c_t where c_{t-1} belongs",
                "Which cell state does the forget gate multiply, c_t or c_{t-1}?",
            ),
            ("forget-gate-with-g", "df = dc * g", "g where c_{t-1} belongs", "Which gate multiplies g?"),
            ("forget-gate-with-i", "df = dc * i", "i where c_{t-1} belongs", "Do two gates meet in a product?"),
            (
                "forget-gate-with-itself",
                "df = dc * f",
                "f where c_{t-1} belongs",
                "What does f multiply in the forward pass?",
            ),
            (
                "forget-gate-with-the-output-before",
                "df = dc * h_prev",
                "h_{t-1} where c_{t-1} belongs",
                "What does f multiply in the forward pass?",
            ),
            (
                "forget-gate-with-a-tanh",
                "df = dc * tanh(c_prev)",
                "tanh(c_{t-1}) where c_{t-1} belongs",
                "What does f multiply in the forward pass?",
            ),
            (
                "forget-gate-without-a-factor",
                "df = dc",
                "no factor besides dc",
                "What does f multiply in the forward pass?",
            ),
            ("forget-gate-from-h", "df = dh * c_prev", "dh where dc belongs", "Does f change c_t, or h_t directly?"),
            (
                "forget-gate-from-the-carry",
                "df = dc_prev * c_prev",
                "dc_{t-1} where dc_t belongs",
                "Which cell state does f help to make?",
            ),
        ],
    ),
    *slips(
        "lstm",
        "lstm/gates",
        f"{CELL}: the input gate acts on c_t, where it meets g",
        [
            (
                "input-gate-with-the-old-cell",
                "di = dc * c_prev",
                "c_{t-1} where g belongs",
                "Which gate multiplies c_{t-1}?",
            ),
            ("input-gate-with-itself", "di = dc * i", "i where g belongs", "What does i multiply in the forward pass?"),
            ("input-gate-with-f", "di = dc * f", "f where g belongs", "Do two gates meet in a product?"),
            (
                "input-gate-with-the-pre-activation",
                "di = dc * a_g",
                "a_g where g belongs",
                "Does i multiply g, or what g is made from?",
            ),
            (
                "input-gate-without-a-factor",
                "di = dc",
                "no factor besides dc",
                "What does i multiply in the forward pass?",
            ),
            ("input-gate-from-h", "di = dh * g", "dh where dc belongs", "Does i change c_t, or h_t directly?"),
            (
                "input-gate-from-the-carry",
                "di = dc_prev * g",
                "dc_{t-1} where dc_t belongs",
                "Which cell state does i help to make?",
            ),
        ],
    ),
    *slips(
        "lstm",
        "lstm/gates",
        f"{CELL}: the candidate g acts on c_t, where it meets i",
        [
            ("candidate-with-f", "dg = dc * f", "f where i belongs", "Which gate lets g into the cell?"),
            ("candidate-with-o", "dg = dc * o", "o where i belongs", "Which gate lets g into the cell?"),
            ("candidate-with-itself", "dg = dc * g", "g where i belongs", "What does g meet in the cell's equation?"),
            (
                "candidate-with-one-minus-f",
                "dg = dc * (1 - f)",
                "1 - f where i belongs",
                "Are the two gates of this cell coupled?",
            ),
            (
                "candidate-without-a-factor",
                "dg = dc",
                "no factor besides dc",
                "What does g meet in the cell's equation?",
            ),
            ("candidate-from-h", "dg = dh * i", "dh where dc belongs", "Does g change c_t, or h_t directly?"),
            (
                "candidate-from-the-carry",
                "dg = dc_prev * i",
                "dc_{t-1} where dc_t belongs",
                "Which cell state does g help to make?",
            ),
        ],
    ),
]
for line, words, partner in (("df", "forget-gate", "c_prev"), ("di", "input-gate", "g"), ("dg", "candidate", "i")):
    GATES += [
        path(
            f"{words}-misses-the-path-through-the-output",
            f"{line} = dnext_c * {partner}",
            f"{line} is made from what the next step hands back alone, not from all of dc",
            "Which gradient of c_t is the complete one?",
            f"{TWO}; all that went into c_t shares in both. Yours leaves out the part through tanh(c_t).",
            "nicklashansen/rnn_lstm_from_scratch#1",
        ),
        path(
            f"{words}-misses-the-carry",
            f"{line} = dtanh_c * (1 - tanh_c * tanh_c) * {partner}",
            f"{line} is made from what comes through h_t alone, not from all of dc",
            "Which gradient of c_t is the complete one?",
            f"{TWO}; all that went into c_t shares in both. Yours leaves out what the next step hands back.",
        ),
    ]

OWN = "each gate is its own sigmoid of its own pre-activation, with its own slope"
PRE_ACTIVATIONS = [
    *(entry for gate in "ifo" for entry in sigmoid_gate("lstm", gate, f"a_{gate}")),
    *tanh_unit("lstm", "da_g", "dg", "g", "a_g", "candidate"),
]
for gate, other in ("if", "io", "fi", "fo", "of", "oi"):
    PRE_ACTIVATIONS += [
        gates(
            f"gate-{gate}-copied-from-gate-{other}",
            f"da_{gate} = d{other} * {other} * (1 - {other})",
            f"gate {gate} has the gradient of gate {other}",
            "Which lines of your backward pass began as a copy of another?",
            f"In da_{gate} everything has to be about {gate}: {OWN}. Yours equals da_{other}.",
            "hanbt/learn_dl#53",
        ),
        gates(
            f"gate-{gate}-with-the-slope-of-gate-{other}",
            f"da_{gate} = d{gate} * {other} * (1 - {other})",
            f"the slope of gate {other} at gate {gate}",
            f"Whose slope stands between {gate} and its pre-activation?",
            f"In da_{gate} everything has to be about {gate}: {OWN}. Yours has the slope of {other}.",
        ),
    ]

BLOCKS = "The blocks of W_x, W_h and b stand in the order i, f, o, g, so those of da must as well"
ORDERS = ("fiog", "iofg", "ofig", "ifgo", "gifo", "igfo", "fogi", "figo")
JOINED = [
    *(
        order(
            f"gates-joined-as-{'-'.join(blocks)}",
            f"da = join({', '.join(f'da_{gate}' for gate in blocks)})",
            f"the blocks of da are in the order {', '.join(blocks)}",
            "In which order did the forward pass split the pre-activation into gates?",
            f"{BLOCKS}. Yours are in the order {', '.join(blocks)}, which permutes columns and changes no shape.",
        )
        for blocks in ORDERS
    ),
    order(
        "all-gates-copied-from-the-forget-gate",
        "da = join(da_f, da_f, da_f, da_f)",
        "all four blocks of da are those of the forget gate",
        "Which lines of your backward pass began as a copy of another?",
        f"{BLOCKS}, each made from its own gate. Yours repeats the block of f.",
        "hanbt/learn_dl#53",
    ),
    order(
        "no-gate-differentiated",
        "da = join(di, df, do, dg)",
        "no sigmoid' and no tanh' in any block of da",
        "What stands between the gates and their pre-activations?",
        "a is what goes into the sigmoids and the tanh, so each block has its slope as a factor. Yours joins the"
        " gradients of the gates themselves.",
    ),
    *(
        order(
            f"no-gradient-into-gate-{gate}",
            f"da = join({', '.join(f'0 * da_{k}' if k == gate else f'da_{k}' for k in 'ifog')})",
            f"the block of {gate} in da is zero",
            f"Is there a way from the loss to the gate {gate}?",
            f"All four gates take part in every step. The block of {gate} is zero in yours, so it never learns.",
        )
        for gate in "ifog"
    ),
]
