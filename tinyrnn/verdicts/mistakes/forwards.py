"""Wrong forward passes, and right ones by another convention: edits of the cells' own sources.

A wrong forward pass with a backward pass that fits it gets past every gradient check.
"""

from tinyrnn.verdicts.mistakes.entry import maker, slips


def convention(of, section):
    """Makes entries that are no mistakes: right elsewhere, and another function of the same weights here."""
    make = maker(of, section)

    def entry(name, line, title, question, here, seen):
        hint = f"{here} Yours is right by another convention, but with the same weights it is another function."
        return make(name, line, title, question, hint, seen, convention=True)

    return entry


PRODUCT = "Which axis of the matrix does its input run along, the first or the second?"
READ = "Which states and inputs stand in the equation?"
PLUS = "What is added to the products before the nonlinearity?"

ELMAN = slips(
    "elman",
    "elman/forward",
    "h_t = φ(x_t W_x + h_{t-1} W_h + b)",
    [
        ("bias-left-out", "a = affine(x, p.W_x)", "no bias", PLUS),
        ("bias-twice", "a = affine(x, p.W_x, 2 * p.b)", "the bias twice", "On how many lines do you add the bias?"),
        ("bias-subtracted", "a = affine(x, p.W_x, -p.b)", "the bias with the opposite sign", PLUS),
        (
            "input-reversed",
            "a = affine(x[::-1], p.W_x, p.b)",
            "the input in reversed order of time",
            "Where does time begin?",
        ),
        (
            "input-of-the-step-before",
            "a = affine(np.roll(x, 1, axis=0), p.W_x, p.b)",
            "x_{t-1} where x_t belongs, and at step 0 the last input",
            "Which input belongs to step t?",
        ),
        (
            "nonlinearity-on-the-input-too",
            "a = self.phi(affine(x, p.W_x, p.b))",
            "φ around the input's part as well",
            "How often does the input go through φ?",
        ),
        ("state-before-ignored", "h = self.phi(a)", "no h_{t-1}", READ, "deeplearning.ai threads 521805 and 555049"),
        ("recurrent-weights-transposed", "h = self.phi(a + h_prev @ p.W_h.T)", "W_h transposed", PRODUCT),
        (
            "recurrent-weights-left-out",
            "h = self.phi(a + h_prev)",
            "no W_h",
            "What is done to h_{t-1} before it is added?",
        ),
        (
            "sigmoid-for-tanh",
            "h = 1 / (1 + np.exp(-(a + h_prev @ p.W_h)))",
            "a sigmoid in the place of φ",
            "Can your state be negative?",
        ),
        ("no-nonlinearity", "h = a + h_prev @ p.W_h", "no φ", "Can your state grow beyond 1?"),
        (
            "nonlinearity-twice",
            "h = self.phi(self.phi(a + h_prev @ p.W_h))",
            "φ twice",
            "On how many lines is φ applied?",
        ),
        (
            "nonlinearity-on-the-input-alone",
            "h = self.phi(a) + h_prev @ p.W_h",
            "φ around the input's part only, which is a linear-transition network",
            "Is h_{t-1} W_h added before φ or after it?",
        ),
        (
            "nonlinearity-on-each-part",
            "h = self.phi(a) + self.phi(h_prev @ p.W_h)",
            "φ around each part for itself",
            "Does φ see the sum, or each term?",
        ),
        ("state-before-subtracted", "h = self.phi(a - h_prev @ p.W_h)", "a minus before h_{t-1} W_h", PLUS),
        (
            "state-before-added-again",
            "h = h_prev + self.phi(a + h_prev @ p.W_h)",
            "h_{t-1} added outside φ as well",
            READ,
        ),
        (
            "activations-before-the-product",
            "h = self.phi(a + h_prev) @ p.W_h",
            "W_h outside φ",
            "What does W_h multiply?",
        ),
    ],
)

LINEAR = slips(
    "lt-rnn",
    "linear/recurrence",
    "a_t = σ(x_t U + b) and h_t = h_{t-1} V + a_t",
    [
        ("input-not-squashed", "a = affine(x, p.U, p.b)", "no σ", "What happens to the input before it is added?"),
        (
            "input-squashed-twice",
            "a = self.sigma(self.sigma(affine(x, p.U, p.b)))",
            "σ twice",
            "How often is σ applied?",
        ),
        ("linear-bias-left-out", "a = self.sigma(affine(x, p.U))", "no bias", PLUS),
        (
            "bias-behind-the-input",
            "a = self.sigma(affine(x, p.U)) + p.b",
            "b outside σ",
            "Is b added before σ or after it?",
        ),
        ("transition-transposed", "h = h_prev @ p.V.T + a", "V transposed", PRODUCT),
        ("transition-left-out", "h = h_prev + a", "no V", "What is done to h_{t-1} before it is added?"),
        ("transition-squashed", "h = self.sigma(h_prev @ p.V + a)", "σ around the sum", "Is this recurrence linear?"),
        ("carry-squashed", "h = self.sigma(h_prev @ p.V) + a", "σ around the carry", "Is this recurrence linear?"),
        ("linear-state-before-ignored", "h = a", "no h_{t-1}", READ),
        ("linear-state-before-subtracted", "h = a - h_prev @ p.V", "a minus before the carry", READ),
    ],
)

MEMORY = slips(
    "lmn",
    "lmn/memory",
    "h_t = tanh(x_t W_xh + b_h + m_{t-1} W_mh) and m_t = h_t W_hm + m_{t-1} W_mm + b_m",
    [
        ("memory-not-read", "h = tanh(a)", "no m_{t-1} in h_t", READ),
        ("hidden-unit-linear", "h = a + m_prev @ p.W_mh", "no tanh", "Which of the two units is linear?"),
        ("memory-not-kept", "m = h @ p.W_hm + p.b_m", "no m_{t-1} in m_t", READ),
        ("memory-not-written", "m = m_prev @ p.W_mm + p.b_m", "no h_t in m_t", READ),
        ("memory-bias-left-out", "m = h @ p.W_hm + m_prev @ p.W_mm", "no b_m", PLUS),
        (
            "memory-squashed",
            "m = tanh(h @ p.W_hm + m_prev @ p.W_mm + p.b_m)",
            "a tanh on the memory",
            "Which unit is linear?",
        ),
        ("memory-transposed", "m = h @ p.W_hm + m_prev @ p.W_mm.T + p.b_m", "W_mm transposed", PRODUCT),
    ],
)

CELL = "c_t = f c_{t-1} + i g and h_t = o tanh(c_t)"
SHOWN = "What is shown of the cell, and how much of it?"
LSTM = [
    *slips(
        "lstm",
        "lstm/forward",
        "a_t = x_t W_x + b + h_{t-1} W_h, with a block of its own for each gate",
        [
            ("lstm-bias-left-out", "a = affine(x, p.W_x)", "no bias", PLUS),
            (
                "lstm-bias-twice",
                "a = affine(x, p.W_x, 2 * p.b)",
                "the bias twice",
                "On how many lines do you add the bias?",
            ),
            (
                "biases-of-the-wrong-gates",
                "a = affine(x, p.W_x, np.roll(p.b, self.hidden_size))",
                "each gate's bias at the next gate",
                "Which block of b belongs to which gate?",
                "ddbourgin/numpy-ml#42",
            ),
            (
                "bias-of-the-output-gate-for-all",
                "a = affine(x, p.W_x, np.tile(p.b[2 * self.hidden_size : 3 * self.hidden_size], 4))",
                "the bias of o at all gates",
                "Which lines of your forward pass began as a copy of another?",
                "ddbourgin/numpy-ml#42",
            ),
            (
                "lstm-input-reversed",
                "a = affine(x[::-1], p.W_x, p.b)",
                "the input in reversed order",
                "Where does time begin?",
            ),
            ("gates-blind-to-the-state", "a_i = split(a, 4)", "no h_{t-1}", READ, "deeplearning.ai thread 521805"),
            ("gates-look-at-the-cell", "a_i = split(a + c_prev @ p.W_h, 4)", "c_{t-1} where h_{t-1} belongs", READ),
        ],
    ),
    *slips(
        "lstm",
        "lstm/forward",
        "i, f and o are sigmoids, numbers from 0 to 1 that say how much; g is a tanh, from -1 to 1, that says what",
        [
            *(
                (f"gate-{s}-{words}", f"{s} = {wrong}", f"{title} at gate {s}", question)
                for s in "ifo"
                for words, wrong, title, question in (
                    ("with-tanh", f"tanh(a_{s})", "a tanh", "May a gate be negative?"),
                    ("without-its-sigmoid", f"a_{s}", "no sigmoid", "Between which two numbers does a gate lie?"),
                    (
                        "turned-round",
                        f"sigmoid(-a_{s})",
                        "1 - σ, the gate turned round",
                        "Does a large a open the gate?",
                    ),
                )
            ),
            ("input-gate-from-the-forget-gate", "i = sigmoid(a_f)", "f's pre-activation at i", "Which block is whose?"),
            ("forget-gate-from-the-input-gate", "f = sigmoid(a_i)", "i's pre-activation at f", "Which block is whose?"),
            (
                "output-gate-from-the-forget-gate",
                "o = sigmoid(a_f)",
                "f's pre-activation at o",
                "Which block is whose?",
            ),
            (
                "candidate-with-sigmoid",
                "g = sigmoid(a_g)",
                "a sigmoid at g",
                "Can your cell ever get smaller by what is new?",
            ),
            ("candidate-without-tanh", "g = a_g", "no tanh at g", "Between which two numbers does g lie?"),
            ("candidate-from-the-output-gate", "g = tanh(a_o)", "o's pre-activation at g", "Which block is whose?"),
        ],
    ),
    maker("lstm", "lstm/forward")(
        "forget-bias-added-silently",
        "f = sigmoid(a_f + 1)",
        "a constant 1 is added to the forget gate's pre-activation",
        "Does your forward pass add anything that is not a parameter?",
        "f = σ(x_t W + h_{t-1} W + b), where b may start at 1 but stays a parameter. Yours adds 1 more at every step, as"
        " if b_f were greater by one; no gradient check can see it.",
        "TensorFlow 1's BasicLSTMCell, where it is an argument",
    ),
    *slips(
        "lstm",
        "lstm/forward",
        CELL,
        [
            ("cell-without-the-candidate", "c = f * c_prev + i", "no g", "What is written into the cell?"),
            ("cell-without-the-input-gate", "c = f * c_prev + g", "no i", "How much of g is written into the cell?"),
            (
                "cell-with-its-gates-exchanged",
                "c = i * c_prev + f * g",
                "i and f exchanged",
                "Which gate is for the old?",
            ),
            (
                "cell-made-from-the-output",
                "c = f * h_prev + i * g",
                "h_{t-1} where c_{t-1} belongs",
                READ,
                "omerbsezer/LSTM_RNN_Tutorials_with_Demo#2",
            ),
            ("cell-before-ignored", "c = i * g", "no c_{t-1}", READ, "deeplearning.ai thread 555049"),
            (
                "forget-gate-on-both",
                "c = f * (c_prev + i * g)",
                "f before both terms",
                "What does the forget gate multiply?",
            ),
            ("candidate-subtracted", "c = f * c_prev - i * g", "a minus before i g", "Is what is new added?"),
            (
                "cell-squashed",
                "c = tanh(f * c_prev + i * g)",
                "a tanh around the cell",
                "Is the way from c_{t-1} to c_t linear?",
            ),
            ("cell-with-the-output-gate", "c = f * c_prev + o * g", "o where i belongs", "Which gate lets g in?"),
            (
                "output-from-the-cell-before",
                "tanh_c = tanh(c_prev)",
                "c_{t-1} where c_t belongs",
                "Which cell is shown at step t?",
            ),
            ("cell-shown-without-tanh", "tanh_c = c", "no tanh around c_t", "Can your output grow beyond 1?"),
            (
                "cell-shown-through-a-sigmoid",
                "tanh_c = sigmoid(c)",
                "a sigmoid around c_t",
                "Can your output be negative?",
            ),
            ("output-gate-left-out", "h = tanh_c", "no o", SHOWN),
            ("output-is-the-gated-cell", "h = o * c", "c_t without its tanh", SHOWN),
            ("output-gate-inside-the-tanh", "h = tanh(o * c)", "o inside the tanh", SHOWN),
            ("output-with-the-input-gate", "h = i * tanh_c", "i where o belongs", SHOWN),
            ("output-is-the-cell", "h = c", "the cell itself", SHOWN),
        ],
    ),
]
other = convention("lstm", "lstm/forward")
LSTM += [
    other(
        "no-forget-gate",
        "c = c_prev + i * g",
        "the cell keeps everything: there is no forget gate",
        "How much of c_{t-1} is in c_t?",
        "Here c_t = f c_{t-1} + i g; the first LSTM had no forget gate.",
        "Hochreiter & Schmidhuber 1997",
    ),
    other(
        "coupled-gates",
        "c = f * c_prev + (1 - f) * g",
        "the input gate is 1 - f: what is forgotten makes room for what is new",
        "How many gates decide what is written into the cell?",
        "Here i and f are two gates with weights of their own; coupled, one is made from the other.",
        "Greff et al. 2017",
    ),
]
for blocks, who in {
    "ifgo": "PyTorch and Keras",
    "igfo": "TensorFlow 1",
    "gifo": "Chainer",
    "fgio": "deep-learning-from-scratch-2",
    "figo": "the deeplearning.ai course",
}.items():
    LSTM.append(
        other(
            f"gates-in-the-order-{'-'.join(blocks)}",
            f"a_i = [split(a + h_prev @ p.W_h, 4)[k] for k in {tuple(blocks.index(s) for s in 'ifog')}]",
            f"the gates stand in the order {', '.join(blocks)}",
            "In which order do the four gates stand in the weights?",
            f"Here the order is i, f, o, g; {', '.join(blocks)} is that of {who}.",
            who,
        )
    )
for blocks in ("fiog", "iofg", "ofig"):
    LSTM += slips(
        "lstm",
        "lstm/gate-order",
        "The blocks of the weights stand in the order i, f, o, g",
        [
            (
                f"forward-splits-gates-as-{'-'.join(blocks)}",
                f"a_i = [split(a + h_prev @ p.W_h, 4)[k] for k in {tuple(blocks.index(s) for s in 'ifog')}]",
                f"them in the order {', '.join(blocks)}, two gates exchanged",
                "In which order do the four gates stand in the weights?",
            )
        ],
    )

PEEPHOLE = [
    *slips(
        "lstm-peephole",
        "lstm/peepholes",
        "i and f look at c_{t-1}, o looks at c_t, each through weights of its own and inside the sigmoid",
        [
            ("peephole-of-i-left-out", "i = sigmoid(a_i)", "no peephole at i", "Which gates look at the cell?"),
            ("peephole-of-f-left-out", "f = sigmoid(a_f)", "no peephole at f", "Which gates look at the cell?"),
            ("peephole-of-o-left-out", "o = sigmoid(a_o)", "no peephole at o", "Which gates look at the cell?"),
            (
                "peephole-of-o-at-the-old-cell",
                "o = sigmoid(a_o + p.p_o * c_prev)",
                "c_{t-1} at o",
                "Which cell does o look at?",
            ),
            (
                "peephole-of-i-at-the-state",
                "i = sigmoid(a_i + p.p_i * h_prev)",
                "h_{t-1} at i",
                "What is behind the peephole?",
            ),
            (
                "peephole-of-f-at-the-state",
                "f = sigmoid(a_f + p.p_f * h_prev)",
                "h_{t-1} at f",
                "What is behind the peephole?",
            ),
            (
                "peephole-of-i-with-weights-of-f",
                "i = sigmoid(a_i + p.p_f * c_prev)",
                "p_f at i",
                "Whose weights are these?",
            ),
            (
                "peephole-of-f-with-weights-of-i",
                "f = sigmoid(a_f + p.p_i * c_prev)",
                "p_i at f",
                "Whose weights are these?",
            ),
            (
                "peephole-of-i-behind-the-sigmoid",
                "i = sigmoid(a_i) + p.p_i * c_prev",
                "it outside i's sigmoid",
                "May a gate exceed 1?",
            ),
            (
                "peephole-of-f-behind-the-sigmoid",
                "f = sigmoid(a_f) + p.p_f * c_prev",
                "it outside f's sigmoid",
                "May a gate exceed 1?",
            ),
            (
                "peephole-of-o-behind-the-tanh",
                "o = sigmoid(a_o + p.p_o * tanh(c))",
                "tanh(c_t) at o",
                "What is behind the peephole?",
            ),
            (
                "candidate-with-a-peephole",
                "g = tanh(a_g + p.p_i * c_prev)",
                "a peephole at g",
                "Which gates look at the cell?",
            ),
        ],
    ),
    *(
        entry._replace(name=f"peephole-{entry.name}", of="lstm-peephole")
        for entry in LSTM
        if entry.line in ("a", "a_i", "g", "c", "tanh_c", "h")  # the lines that are the same there
    ),
]

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
            ("turned-round", f"sigmoid(-(a_{s} + u_{s}))", "1 - σ, the gate turned round", "Does a large a open it?"),
        )
    ]
    gates += [
        (
            f"{of}-reset-from-the-update-gate",
            "r = sigmoid(a_z + u_z)",
            "z's pre-activation at r",
            "Which block is whose?",
        ),
        (
            f"{of}-update-from-the-reset-gate",
            "z = sigmoid(a_r + u_r)",
            "r's pre-activation at z",
            "Which block is whose?",
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
            "Is it a mean of two?",
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
                    "Where does time begin?",
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
                "What does r act on?",
            ),
            ("reset-turned-round", "n = tanh(a_n + (1 - r) * s)", "1 - r where r belongs", "Does r = 1 keep the past?"),
            (
                "update-gate-for-the-reset",
                "n = tanh(a_n + z * s)",
                "z where r belongs",
                "Which gate decides what n sees?",
            ),
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
            ("update-gate-for-the-early-reset", "q = z * h_prev", "z where r belongs", "Which gate makes q?"),
            ("early-candidate-with-a-sigmoid", "n = sigmoid(a_n + q @ p.W_n)", "a sigmoid", "Can n be negative?"),
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

STEP = "Which map, with which parameter, comes at this step?"
URNN = slips(
    "urnn",
    "unitary/forward",
    "W = D_3 R_2 F⁻¹ D_2 Π R_1 F D_1, the rightmost first, then z_t = W h_{t-1} + V x_t and h_t = modReLU(z_t)",
    [
        ("wrong-first-phase", "y1 = phases(h_prev, p.D_3)", "D_3 where D_1 belongs", STEP),
        ("no-first-phase", "y1 = h_prev", "no D_1", STEP),
        ("first-phase-conjugated", "y1 = phases_backward(h_prev, p.D_1)", "the conjugate of D_1", STEP),
        ("no-fourier", "y2 = y1", "no F", STEP),
        ("wrong-way-fourier", "y2 = inverse_fourier(y1)", "F⁻¹ where F belongs", STEP),
        (
            "fourier-not-normalised",
            "y2 = fourier(y1) * self.hidden_size**0.5",
            "F without 1/√n",
            "Does the length stay?",
        ),
        ("no-first-mirror", "y3 = y2", "no R_1", STEP),
        ("wrong-first-mirror", "y3 = reflection(y2, p.R_2)", "R_2 where R_1 belongs", STEP),
        ("no-permutation", "y4 = y3", "no Π", STEP),
        ("inverse-permutation", "y4 = permutation(y3, p.perm_inverse)", "the inverse of Π", STEP),
        ("no-second-phase", "y5 = y4", "no D_2", STEP),
        ("wrong-second-phase", "y5 = phases(y4, p.D_1)", "D_1 where D_2 belongs", STEP),
        ("second-phase-conjugated", "y5 = phases_backward(y4, p.D_2)", "the conjugate of D_2", STEP),
        ("fourier-twice", "y6 = fourier(y5)", "F where F⁻¹ belongs", STEP),
        ("no-inverse-fourier", "y6 = y5", "no F⁻¹", STEP),
        ("no-second-mirror", "y7 = y6", "no R_2", STEP),
        ("first-mirror-twice", "y7 = reflection(y6, p.R_1)", "R_1 where R_2 belongs", STEP),
        ("no-third-phase", "y8 = y7", "no D_3", STEP),
        ("first-phase-twice", "y8 = phases(y7, p.D_1)", "D_1 where D_3 belongs", STEP),
        ("third-phase-conjugated", "y8 = phases_backward(y7, p.D_3)", "the conjugate of D_3", STEP),
        ("unitary-state-ignored", "z = a", "no W h_{t-1}", READ),
        ("unitary-input-ignored", "z = y8", "no V x_t", READ),
        ("unitary-input-subtracted", "z = y8 - a", "a minus before V x_t", "How is the input added?"),
        (
            "modrelu-bias-subtracted",
            "h = modrelu(z, -p.b)",
            "|z| - b where |z| + b belongs",
            "Does a larger b open the unit?",
        ),
        (
            "modrelu-without-its-bias",
            "h = modrelu(z, 0 * p.b)",
            "no b, and so no nonlinearity",
            "What makes it nonlinear?",
        ),
        ("modrelu-before-the-input", "h = modrelu(y8, p.b)", "modReLU of W h_{t-1} alone", "What goes into modReLU?"),
    ],
)

FORWARDS = [*ELMAN, *LINEAR, *MEMORY, *LSTM, *PEEPHOLE, *GRU, *CHO, *URNN]
