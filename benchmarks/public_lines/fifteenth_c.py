"""Subjects by owners Q to Z: three notebooks' RNNs, LSTMs with peepholes and both ways, attention, a scanning layer."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, layer, loss, numbers, pair
from .tenth_c import object_of, prefixed

# a notebook's RNN without any activation, squares at each step; it learns in its backward pass ------------------------

LINEAR = "sevendaystoglory/ML-theory-to-practice"
LINEAR_WEIGHTS = {"W_xh": (3, 4), "W_hh": (3, 3), "W_hy": (2, 3), "b_h": (3, 1), "b_y": (2, 1)}
LINEAR_KEPT = {"W_xh": "u", "W_hh": "w", "W_hy": "v", "b_h": "h", "b_y": "o"}
LINEAR_EDITS = (
    ("h_i = np.zeros((self.hidden_size, 1))", "h_i = self.h0"),
    ("else np.zeros_like(h_i)", "else self.h0"),
    *(
        (f"self.{name} -= lr * d_grad_{letter}", f"self.d{name} = d_grad_{letter}")
        for name, letter in LINEAR_KEPT.items()
    ),
)
LINEAR_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(LINEAR_WEIGHTS)}):
    rnn = SimpleRNN(4, 3, 2)
    rnn.h0 = h0
    rnn.W_xh, rnn.W_hh, rnn.W_hy, rnn.b_h, rnn.b_y = {", ".join(LINEAR_WEIGHTS)}
    outputs = rnn.forward(x)
    rnn.backward(x, y, 0.1)
    return np.sum((outputs - y) ** 2), rnn.dW_xh, rnn.dW_hh, rnn.dW_hy, rnn.db_h, rnn.db_y
"""


def linear(m):
    r = numbers()
    weights = weights_of(r, " ".join(LINEAR_WEIGHTS), *LINEAR_WEIGHTS.values())
    given = {"x": r(4, 4), "y": r(4, 2, 1), "h0": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(LINEAR_WEIGHTS), **given, **weights)


# a course's layer that scans a sequence with a stride, its errors spread out and padded -------------------------------

SCAN = "shuyanwang/11785HW"
SCAN_LAYER = """

class Layer(Conv1D):
    def __init__(self):
        super().__init__(2, 4, 3, 2)
"""

# a notebook's RNN of words, in French: rows, the derivative by z, what it remembers -----------------------------------

WORDS = "srazakarivony/TS_analysis"
WORDS_WEIGHTS = "U V W bh bo"
WORDS_EDITS = (("s[-1] = np.zeros(self.hiddenLayerSize)", "s[-1] = self.s0"),)
WORDS_LOSS = """

def loss_and_gradients(x, y, s0, U, V, W, bh, bo):
    rnn = RNN(5, 3, 5)
    rnn.s0, rnn.U, rnn.V, rnn.W, rnn.bh, rnn.bo = s0, U, V, W, bh, bo
    o = rnn.forward(x)[0]
    return -np.sum(np.log(o[np.arange(len(y)), y])), *rnn.computeGradient(x, y)[0]
"""


def words(m):
    r = numbers()
    weights = weights_of(r, WORDS_WEIGHTS, (3, 5), (5, 3), (3, 3), (1, 3), (1, 5))
    given = {"x": np.array([0, 3, 3, 1]), "y": np.array([3, 3, 1, 4]), "s0": r(3)}
    return loss(m.loss_and_gradients, WORDS_WEIGHTS, **given, **weights)


# a book done anew: attention over an encoder's states, step by step; and an LSTM both ways that uses one cell again ---

BOOK = "Tao119/deep-learning-from-scratch-2"
BOOK_DOUBLE = (('dtype="f"', 'dtype="d"'),)
ATTENTION_EDITS = (("ds = da * a * (1 - a)", "ds = a * (da - (da * a).sum(axis=1, keepdims=True))"),)  # see README.md
BOTH_WAYS = {"Wx": (4, 12), "Wh": (3, 12), "b": (12,)}


def both_ways(m):
    r = numbers()
    weights = {f"{way}.{kind}": 0.7 * r(*shape) for way in ("fwd", "bwd") for kind, shape in BOTH_WAYS.items()}

    def make():
        made = m.BiLSTM(4, 3)
        for way in ("fwd", "bwd"):
            getattr(made, way).params[:] = [weights[f"{way}.{kind}"] for kind in BOTH_WAYS]
        return made

    def gradients_of(made, returned):
        found = zip(weights, made.fwd.grads + made.bwd.grads, strict=True)
        return {"xs": returned} | {name: gradient.copy() for name, gradient in found}

    return layer(make, gradients_of, weights=weights, xs=r(2, 5, 4), lengths=[5, 3])


# an LSTM with peepholes: each step gives a dict of its gradients, for which it is told the steps before and after -----

PEEPHOLES = "v0lta/NumPy-backprop"
PEEPHOLES_WEIGHTS = {f"W{gate}": (1, 3, 4) for gate in "zifo"} | {f"R{gate}": (1, 3, 3) for gate in "zifo"}
PEEPHOLES_WEIGHTS |= {f"b{gate}": (1, 3, 1) for gate in "zifo"} | {f"p{gate}": (1, 3, 1) for gate in "ifo"}
PEEPHOLES_WEIGHTS |= {"Wout": (1, 2, 3), "bout": (1, 2, 1)}
PEEPHOLES_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(PEEPHOLES_WEIGHTS)}):
    cell, cost = LSTMcell(3, 4, 2), MSELoss()
    values = [{", ".join(PEEPHOLES_WEIGHTS)}]
    cell.weights = dict(zip("{" ".join(PEEPHOLES_WEIGHTS)}".split(), values))
    fd0 = fd = cell.zero_forward_dict(x.shape[1])
    fd_lst = []
    for t in range(len(x)):
        fd = cell.forward(x=x[t], c=fd["c"], h=fd["h"])
        fd_lst.append(fd)
    out = np.stack([fd["y"] for fd in fd_lst])
    deltay = cost.backward(y, out)
    gd = cell.zero_gradient_dict(x.shape[1])
    sums = dict.fromkeys(cell.weights, 0.0)
    fd_lst.append(fd0)
    for t in reversed(range(len(x))):
        gd = cell.backward(deltay=deltay[t], fd=fd_lst[t], next_fd=fd_lst[t + 1], prev_fd=fd_lst[t - 1], next_gd=gd)
        for key, grad_key in cell.grad_to_weight_dict().items():
            sums[key] = sums[key] + np.sum(gd[grad_key], axis=0, keepdims=True)
    return 0.5 * np.sum((out - y) ** 2), sums
"""


def peepholes(m):
    r = numbers()
    weights = {name: 0.7 * r(*shape) for name, shape in PEEPHOLES_WEIGHTS.items()}
    given = {"x": r(5, 2, 4, 1), "y": r(5, 2, 2, 1)}
    return loss(m.loss_and_gradients, " ".join(PEEPHOLES_WEIGHTS), **given, **weights)


# a course's LSTM in batches, time first inside, the states before the activations kept --------------------------------

COURSE = "waynemystir/stanford-cs231n"
COURSE_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def course(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (3, 16), (4, 16), (16,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 5, 3), h0=r(2, 4), **weights)


# a notebook's RNN for the weather: rows, a list of layers, the step after comes as what was carried -------------------

WEATHER = "zhengjiayi1206/practice"
WEATHER_WEIGHTS = "wi wh bh wo bo"
WEATHER_EDITS = (
    ("h_grad = o_grad @ wh.T", "h_grad = o_grad"),  # see README.md
    ("                bh_grad += h_grad", "            bh_grad += h_grad"),  # see README.md
    *((f"        {name} -= lr * {name}_grad\n", "") for name in WEATHER_WEIGHTS.split()),
    ("layers[i] = [wi, wh, bh, wo, bo]", "layers[i] = [wi_grad, wh_grad, bh_grad, wo_grad, bo_grad]"),
)
WEATHER_LOSS = """

def loss_and_gradients(x, y, wi, wh, bh, wo, bo):
    layers = [[wi, wh, bh, wo, bo]]
    hiddens, outputs = forward(x, layers)
    [gradients] = backward(layers, x, 1.0, outputs - y, hiddens)
    return 0.5 * np.sum((outputs - y) ** 2), *gradients
"""


def weather(m):
    r = numbers()
    weights = weights_of(r, WEATHER_WEIGHTS, (3, 4), (4, 4), (1, 4), (4, 2), (1, 2))
    return loss(m.loss_and_gradients, WEATHER_WEIGHTS, x=r(5, 3), y=r(5, 2), **weights)


SUBJECTS = [
    Subject(LINEAR, "RNN", (Part("RNN_from_scratch.ipynb", "SimpleRNN", LINEAR_EDITS, after=LINEAR_LOSS),), linear),
    Subject(
        SCAN,
        "convolution over time",
        (Part("HW2/HW2P1/mytorch/conv.py", "Conv1D", before="from typing import Optional", after=SCAN_LAYER),),
        object_of("Layer", {"W": (4, 2, 3), "b": (4,)}, "x", prefixed, x=(2, 2, 10)),
    ),
    Subject(WORDS, "RNN", (Part("RNN_from_scratch.ipynb", "RNN", WORDS_EDITS, after=WORDS_LOSS),), words),
    Subject(
        BOOK,
        "attention",
        (Part("ch08/attention.py", "_softmax WeightSum AttentionWeight Attention TimeAttention", ATTENTION_EDITS),),
        object_of("TimeAttention", {}, "hs_enc hs_dec", hs_enc=(2, 5, 4), hs_dec=(2, 3, 4)),
        published="the softmax's derivative is that of a sigmoid",
    ),
    Subject(
        BOOK,
        "LSTM both ways",
        (
            Part("common/time_layers.py", "LSTM _sigmoid", module="time_layers"),
            Part(
                "nlp_applications/bilstm_ner.py",
                "LSTMCell BiLSTM",
                (*BOOK_DOUBLE, ('.astype("f")', "")),
                "from time_layers import LSTM",
            ),
        ),
        both_ways,
    ),
    Subject(
        PEEPHOLES,
        "peephole LSTM",
        (Part("rnn/numpy_cells.py", "MSELoss Sigmoid Tanh LSTMcell", after=PEEPHOLES_LOSS),),
        peepholes,
        published="the loss that it shows is a mean, the gradients are those of half the sum",
    ),
    Subject(COURSE, "LSTM", (Part("assignment3/cs231n/rnn_layers.py", COURSE_TAKEN),), course),
    Subject(
        WEATHER,
        "RNN",
        (Part("rnn_from_scratch.ipynb", "forward backward", WEATHER_EDITS, after=WEATHER_LOSS),),
        weather,
        published="what comes from the output is multiplied by the recurrent weights; the bias lacks the first step",
    ),
]
