"""Subjects that are functions: course solutions, a notebook, and the descendants of min-char-rnn."""

from .programs import Given, Part, Subject, above, copied, loss, numbers, pair

SIGMOID = "def sigmoid(z):\n    return 1 / (1 + np.exp(-z))\n"

# CS231n ---------------------------------------------------------------------------------------------------------------

RNN = "rnn_step_forward rnn_step_backward rnn_forward rnn_backward"
LSTM = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def rnn(step=False):
    def make(m):
        r = numbers()
        weights = {"Wx": r(4, 3), "Wh": r(3, 3), "b": r(3)}
        if step:
            given = {"x": r(2, 4), "prev_h": r(2, 3), **weights}
            return pair(m.rnn_step_forward, m.rnn_step_backward, "x prev_h Wx Wh b", **given)
        return pair(m.rnn_forward, m.rnn_backward, "x h0 Wx Wh b", x=r(2, 3, 4), h0=r(2, 3), **weights)

    return make


def lstm(step=False):
    def make(m):
        r = numbers()
        weights = {"Wx": r(4, 12), "Wh": r(3, 12), "b": r(12)}
        if step:
            given = {"x": r(2, 4), "prev_h": r(2, 3), "prev_c": r(2, 3), **weights}
            return pair(m.lstm_step_forward, m.lstm_step_backward, "x prev_h prev_c Wx Wh b", 2, **given)
        return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 3, 4), h0=r(2, 3), **weights)

    return make


def temporal_softmax(m):
    import numpy as np

    mask = np.array([[1, 1, 0], [1, 0, 1]], dtype=bool)
    y = np.array([[0, 3, 1], [2, 4, 2]])
    return loss(m.temporal_softmax_loss, "x", x=numbers()(2, 3, 5), y=y, mask=mask)


def temporal_affine(m):
    r = numbers()
    return pair(m.temporal_affine_forward, m.temporal_affine_backward, "x w b", x=r(2, 3, 4), w=r(4, 5), b=r(5))


def cs231n(program):
    part = Part("assignment3/cs231n/rnn_layers.py", f"{RNN} {LSTM}")
    last = Part(part.path, "temporal_affine_forward temporal_affine_backward temporal_softmax_loss")
    return [
        Subject(program, "rnn step", (part,), rnn(step=True)),
        Subject(program, "rnn", (part,), rnn()),
        Subject(program, "lstm step", (part,), lstm(step=True)),
        Subject(program, "lstm", (part,), lstm()),
        Subject(program, "temporal affine", (last,), temporal_affine),
        Subject(program, "temporal softmax", (last,), temporal_softmax),
    ]


def normalisation(kind):
    def make(m):
        r = numbers()
        gamma, beta = r(4), r(4)
        forward, backward = getattr(m, f"{kind}_forward"), getattr(m, f"{kind}_backward")
        settings = {"bn_param": {"mode": "train"}} if kind == "batchnorm" else {"ln_param": {}}
        return pair(forward, backward, "x gamma beta", x=r(5, 4), gamma=gamma, beta=beta, **settings)

    return make


def group_norm(m):
    r = numbers()
    given = {"x": r(2, 4, 3, 3), "gamma": r(4), "beta": r(4), "G": 2, "gn_param": {}}
    return pair(m.spatial_groupnorm_forward, m.spatial_groupnorm_backward, "x gamma beta", **given)


def convolution(m):
    r = numbers()
    given = {"x": r(2, 2, 4, 4), "w": r(3, 2, 3, 3), "b": r(3), "conv_param": {"stride": 1, "pad": 1}}
    return pair(m.conv_forward_naive, m.conv_backward_naive, "x w b", **given)


def softmax_loss(m):
    import numpy as np

    return loss(m.softmax_loss, "x", x=numbers()(4, 3), y=np.array([0, 2, 1, 2]))


JARIASF, LAYERS = "jariasf/CS231n", "assignment2/cs231n/layers.py"
WHOLE = (("outH = 1 + (H - FH + 2 * pad) / stride", "outH = 1 + (H - FH + 2 * pad) // stride"),)
WHOLE += (("outW = 1 + (W - FW + 2 * pad) / stride", "outW = 1 + (W - FW + 2 * pad) // stride"),)
NORMS = Part(LAYERS, "batchnorm_forward batchnorm_backward batchnorm_backward_alt layernorm_forward layernorm_backward")

# the notebook of a course on sequence models --------------------------------------------------------------------------

COURSERA = "Kulbear/deep-learning-coursera"
NOTEBOOK = "Sequence Models/Building a Recurrent Neural Network - Step by Step - v2.ipynb"
SOFTMAX = "def softmax(x):\n    e_x = np.exp(x - np.max(x))\n    return e_x / e_x.sum(axis=0)\n"
UNPACK = "(a_next, c_next, a_prev, c_prev, ft, it, cct, ot, xt, parameters) = cache\n"
STORED = '        dx[:,:,t] = gradients["dxt"]\n'
CARRIED = '        da_prevt, dc_prevt = gradients["da_prev"], gradients["dc_prev"]\n'
FROM_PARAMETERS = '    Wf, Wi, Wc, Wo = (parameters[name] for name in ("Wf", "Wi", "Wc", "Wo"))\n'


def coursera(kind):
    """Time last, samples in columns, weights in a dict, gradients in a dict whose keys begin with d."""

    def make(m):
        r = numbers()
        if kind == "rnn":
            weights = {"Wax": r(3, 4), "Waa": r(3, 3), "Wya": r(2, 3), "ba": r(3, 1), "by": r(2, 1)}
            used = "Wax Waa ba"
        else:
            weights = {f"W{g}": r(3, 7) for g in "fico"} | {f"b{g}": r(3, 1) for g in "fico"}
            weights |= {"Wy": r(2, 3), "by": r(2, 1)}
            used = "Wf bf Wi bi Wc bc Wo bo"
        forward, backward = getattr(m, f"{kind}_forward"), getattr(m, f"{kind}_backward")
        given = {"x": r(4, 2, 3), "a0": r(3, 2), "parameters": weights}

        def gradients():
            returned = forward(**copied(given))
            return {n: g for n in f"x a0 {used}".split() for g in [backward(above(returned[0]), returned[-1])[f"d{n}"]]}

        arrays = {"x": given["x"], "a0": given["a0"], **weights}
        return Given(
            forward,
            backward,
            given,
            arrays,
            lambda: float((above(a := forward(**copied(given))[0]) * a).sum()),
            gradients,
        )

    return make


# min-char-rnn and what came of it -------------------------------------------------------------------------------------


def characters(function, results, weights, states="hprev", V=5, H=4, **more):
    """A loss and its gradients in one function. Weights, `V` and `H` were globals; now the weights are arguments."""

    def make(m):
        r = numbers()
        made = {name: 0.5 * r(*shape) for name, shape in weights.items()}
        given = {
            "inputs": [0, 3, 1],
            "targets": [3, 1, 4],
            **{name: r(H, 1) for name in states.split()},
            **made,
            **more,
        }
        return loss(getattr(m, function), results, **given)

    return make


RNN_WEIGHTS = {"Wxh": (4, 5), "Whh": (4, 4), "Why": (5, 4), "bh": (4, 1), "by": (5, 1)}
CHAR = "Wxh Whh Why bh by"
LSTM_WEIGHTS = {f"W{g}": (4, 9) for g in ("f", "i", "cc", "o")} | {f"b{g}": (4, 1) for g in ("f", "i", "cc", "o")}
LSTM_WEIGHTS |= {"Wy": (5, 4), "by": (5, 1)}
CHAR_LSTM = "Wf bf Wi bi Wcc bcc Wo bo Wy by"
GRU_WEIGHTS = {"Wy": (5, 4), **{f"W{g}": (4, 5) for g in "hrz"}, **{f"U{g}": (4, 4) for g in "hrz"}}
GRU_WEIGHTS |= {"by": (5, 1), **{f"b{g}": (4, 1) for g in "hrz"}}
CHAR_GRU = "Wy Wh Wr Wz Uh Ur Uz by bh br bz"


def arguments(function, given, names):
    """The edit that gives a function what were globals."""
    return ((f"def {function}({given})", f"def {function}({given}, {', '.join(names.split())})"),)


def batched_lstm(m):
    import numpy as np

    r = numbers()
    weights = {"Wxh": (12, 5), "Whh": (12, 3), "Why": (5, 3), "bh": (12, 1), "by": (5, 1)}
    made = {name: 0.5 * r(*shape) for name, shape in weights.items()}
    given = {"inputs": np.array([[0, 3], [1, 2], [4, 4]]), "targets": np.array([[3, 1], [2, 4], [0, 1]])}
    return loss(m.train, CHAR, **given, cprev=0.5 * r(3, 2), hprev=r(3, 2), **made)


def two_functions(m):
    """The forward pass returns the loss first; the backward pass has no gradient from above."""
    r = numbers()
    weights = {"W_xh": (4, 5), "W_hh": (4, 4), "W_hy": (5, 4), "b_h": (4, 1), "b_y": (5, 1)}
    made = {name: 0.5 * r(*shape) for name, shape in weights.items()}
    given = {"inputs": [0, 3, 1], "targets": [3, 1, 4], "h_prev": r(4, 1), **made}

    def gradients():
        _, ps, hs, xs = m.forwardprop(**copied(given))
        found = m.backprop(ps, given["inputs"], hs, xs, given["targets"], *made.values())
        return dict(zip(made, found, strict=True))

    return Given(m.forwardprop, m.backprop, given, given, lambda: float(m.forwardprop(**copied(given))[0]), gradients)


W = "W_xh, W_hh, W_hy, b_h, b_y"
TWO = (
    ("def forwardprop(inputs, targets, h_prev)", f"def forwardprop(inputs, targets, h_prev, {W})"),
    ("def backprop(ps, inputs, hs, xs)", f"def backprop(ps, inputs, hs, xs, targets, {W})"),
)
ELIBEN, KROCKI, YOON = "eliben/deep-learning-samples", "krocki/dnc", "JY-Yoon/RNN-Implementation-using-NumPy"

SUBJECTS = [
    *cs231n("Burton2000/CS231n-2017"),
    *cs231n("mantasu/cs231n"),
    Subject(JARIASF, "batch normalisation", (NORMS,), normalisation("batchnorm")),
    Subject(JARIASF, "layer normalisation", (NORMS,), normalisation("layernorm")),
    Subject(
        JARIASF,
        "group normalisation",
        (Part(LAYERS, "spatial_groupnorm_forward spatial_groupnorm_backward"),),
        group_norm,
    ),
    Subject(JARIASF, "convolution", (Part(LAYERS, "conv_forward_naive conv_backward_naive", WHOLE),), convolution),
    Subject(JARIASF, "softmax loss", (Part(LAYERS, "softmax_loss"),), softmax_loss),
    Subject(
        COURSERA,
        "rnn",
        (Part(NOTEBOOK, "rnn_cell_forward rnn_forward rnn_cell_backward rnn_backward", before=SOFTMAX),),
        coursera("rnn"),
    ),
    Subject(
        COURSERA,
        "lstm",
        (
            Part(
                NOTEBOOK,
                "lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward",
                ((UNPACK, UNPACK + FROM_PARAMETERS), (STORED, STORED + CARRIED)),
                SIGMOID + "\n\n" + SOFTMAX,
            ),
        ),
        coursera("lstm"),
        published="nothing is carried back from step t + 1, and the weights are globals",
    ),
    Subject(
        ELIBEN,
        "min-char-rnn",
        (
            Part(
                "min-char-rnn/min-char-rnn.py",
                "lossFun",
                arguments("lossFun", "inputs, targets, hprev", CHAR),
                "vocab_size = 5",
            ),
        ),
        characters("lossFun", CHAR, RNN_WEIGHTS),
    ),
    Subject(
        ELIBEN,
        "min-char-lstm",
        (
            Part(
                "min-char-rnn/min-char-lstm.py",
                "sigmoid lossFun",
                arguments("lossFun", "inputs, targets, hprev, cprev", CHAR_LSTM),
                "V, H = 5, 4",
            ),
        ),
        characters("lossFun", CHAR_LSTM, LSTM_WEIGHTS, "hprev cprev"),
    ),
    Subject(
        "erikvdplas/gru-rnn",
        "min-char-gru",
        (
            Part(
                "main.py",
                "sigmoid tanh softmax lossFun",
                arguments("lossFun", "inputs, targets, hprev", CHAR_GRU),
                "vocab_size = 5",
            ),
        ),
        characters("lossFun", CHAR_GRU, GRU_WEIGHTS),
    ),
    Subject(
        KROCKI,
        "min-char-lstm in batches",
        (
            Part(
                "lstm-numpy.py",
                "sigmoid train",
                arguments("train", "inputs, targets, cprev, hprev", CHAR),
                "xrange, M, B, HN, clipgrads = range, 5, 2, 3, False",
            ),
        ),
        batched_lstm,
    ),
    Subject(
        YOON,
        "rnn",
        (Part("RNN Implementation using NumPy.ipynb", "forwardprop backprop", TWO, "num_chars = 5"),),
        two_functions,
    ),
]
