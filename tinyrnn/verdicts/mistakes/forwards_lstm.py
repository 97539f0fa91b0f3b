"""Wrong and otherwise conventional forward passes of the LSTM, without and with peepholes."""

from tinyrnn.verdicts.mistakes.entry import convention, maker, slips
from tinyrnn.verdicts.mistakes.questions import PLUS, READ

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
                "At which end of the input does time begin?",
            ),
            ("gates-blind-to-the-state", "a_i = split(a, 4)", "no h_{t-1}", READ),
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
                        "a minus before the pre-activation",
                        "Does a large a open the gate?",
                    ),
                )
            ),
            (
                "input-gate-from-the-forget-gate",
                "i = sigmoid(a_f)",
                "f's pre-activation at i",
                "Which block of the pre-activation belongs to which gate?",
            ),
            (
                "forget-gate-from-the-input-gate",
                "f = sigmoid(a_i)",
                "i's pre-activation at f",
                "Which block of the pre-activation belongs to which gate?",
            ),
            (
                "output-gate-from-the-forget-gate",
                "o = sigmoid(a_f)",
                "f's pre-activation at o",
                "Which block of the pre-activation belongs to which gate?",
            ),
            (
                "candidate-with-sigmoid",
                "g = sigmoid(a_g)",
                "a sigmoid at g",
                "Can your cell ever get smaller by what is new?",
            ),
            ("candidate-without-tanh", "g = a_g", "no tanh at g", "Between which two numbers does g lie?"),
            (
                "candidate-from-the-output-gate",
                "g = tanh(a_o)",
                "o's pre-activation at g",
                "Which block of the pre-activation belongs to which gate?",
            ),
        ],
    ),
    maker("lstm", "lstm/forward")(
        "forget-bias-added-silently",
        "f = sigmoid(a_f + 1)",
        "a constant 1 is added to the forget gate's pre-activation",
        "Does your forward pass add anything that is not a parameter?",
        "f = σ(x_t W + h_{t-1} W + b), where b may start at 1 but is a parameter. Yours adds 1 more at every step, as"
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
            ("cell-before-ignored", "c = i * g", "no c_{t-1}", READ),
            (
                "forget-gate-on-both",
                "c = f * (c_prev + i * g)",
                "f before both terms",
                "What does the forget gate multiply?",
            ),
            (
                "candidate-subtracted",
                "c = f * c_prev - i * g",
                "a minus before i g",
                "Is what is new added to the cell, or taken away?",
            ),
            (
                "cell-squashed",
                "c = tanh(f * c_prev + i * g)",
                "a tanh around the cell",
                "Is the way from c_{t-1} to c_t linear?",
            ),
            (
                "cell-with-the-output-gate",
                "c = f * c_prev + o * g",
                "o where i belongs",
                "Which gate lets g into the cell?",
            ),
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
for blocks in ("iofg", "ofig"):
    LSTM += slips(
        "lstm",
        "lstm/gate-order",
        "The blocks of the weights stand in the order i, f, o, g",
        [
            (
                f"forward-splits-gates-as-{'-'.join(blocks)}",
                f"a_i = [split(a + h_prev @ p.W_h, 4)[k] for k in {tuple(blocks.index(s) for s in 'ifog')}]",
                f"the order {', '.join(blocks)}, with two gates exchanged",
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
                "c_{t-1} behind the peephole of o",
                "Which cell does o look at?",
            ),
            (
                "peephole-of-i-at-the-state",
                "i = sigmoid(a_i + p.p_i * h_prev)",
                "h_{t-1} behind the peephole of i",
                "What is behind the peephole?",
            ),
            (
                "peephole-of-f-at-the-state",
                "f = sigmoid(a_f + p.p_f * h_prev)",
                "h_{t-1} behind the peephole of f",
                "What is behind the peephole?",
            ),
            (
                "peephole-of-i-with-weights-of-f",
                "i = sigmoid(a_i + p.p_f * c_prev)",
                "the weights p_f at gate i",
                "Which weights belong to this gate's peephole?",
            ),
            (
                "peephole-of-f-with-weights-of-i",
                "f = sigmoid(a_f + p.p_i * c_prev)",
                "the weights p_i at gate f",
                "Which weights belong to this gate's peephole?",
            ),
            (
                "peephole-of-i-behind-the-sigmoid",
                "i = sigmoid(a_i) + p.p_i * c_prev",
                "the peephole outside i's sigmoid",
                "May a gate exceed 1?",
            ),
            (
                "peephole-of-f-behind-the-sigmoid",
                "f = sigmoid(a_f) + p.p_f * c_prev",
                "the peephole outside f's sigmoid",
                "May a gate exceed 1?",
            ),
            (
                "peephole-of-o-behind-the-tanh",
                "o = sigmoid(a_o + p.p_o * tanh(c))",
                "tanh(c_t) behind the peephole of o",
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
        if entry.line in ("a", "a_i", "g", "c", "tanh_c", "h")  # the lines that are the same there,
        and entry.name != "cell-with-the-output-gate"  # but o comes after c
    ),
]
