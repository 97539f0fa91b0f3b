"""Subjects by owners Q to Z: an RNN with a rectifier, convolution over time, attention with masks, three notebooks."""

import numpy as np

from .eleventh_c import weights_of
from .fourth_models import hot
from .programs import Given, Part, Subject, above, copied, loss, numbers
from .tenth_c import object_of, place, prefixed

# a framework's convolution over time, its windows laid out by strides; its base class calls it ------------------------

WINDOWS = "RECHE23/NumPy-Neural-Network"
WINDOWS_BEFORE = """from abc import abstractmethod
from typing import Any, Dict, Optional, Tuple


class Optimizer:
    pass


"""
WINDOWS_LAYER = """

class Layer(Conv1d):
    def __init__(self):
        super().__init__(2, 3, 3, stride=2, padding=1)
"""
WINDOWS_KEPT = (
    (
        "self.optimizer.update([self.weight, self.bias], [dw, db])",
        "self.dweight, self.dbias = dw, db",
    ),
)

# an RNN with a rectifier that says of each step how likely it is, in batches, time first ------------------------------

RECTIFIER = "Site1997/RNN-implementation"
RECTIFIER_EDITS = (
    ("range(self.depth-1, 0, -1)", "range(self.depth-1, -1, -1)"),  # see README.md
    *((f"self.{n} -= self.lr * d{n}", f"self.d{n} = d{n}") for n in "UWV"),
)
RECTIFIER_LOSS = """

def loss_and_gradients(x, label, U, W, V):
    rnn = RNN(x.shape[2], len(W), V.shape[1], len(x))
    rnn.U, rnn.W, rnn.V = U, W, V
    output = rnn.forward_prop(x)
    rnn.backward_prop(output, label)
    return 0.5 * np.sum((output - label) ** 2), rnn.dU, rnn.dW, rnn.dV
"""


def rectifier(m):
    r = numbers()
    weights = weights_of(r, "U W V", (3, 5), (5, 5), (5, 2))
    label = np.array(r(4, 3, 2) > 0, dtype=float)
    return loss(m.loss_and_gradients, "U W V", x=r(4, 3, 3), label=label, **weights)


# a course's attention with heads and two masks, from one sequence to another; and its GRU, a step on a vector ---------

COURSE = "sid200016/Introduction-to-Deep-Learning-11785-Homeworks"
HEADS = "HW4/IDL-HW4/mytorch/nn"
HEADS_WEIGHTS = {
    f"{n}_proj.{kind}": shape for n in ("q", "k", "v", "out") for kind, shape in (("W", (4, 4)), ("b", (4,)))
}
HEADS_LAYER = """

class Layer(MultiHeadAttention):
    def __init__(self):
        super().__init__(4, 2)
"""
STEP = "HW3/standard/mytorch"
STEP_WEIGHTS = {f"W{gate}x": (3, 4) for gate in "rzn"} | {f"W{gate}h": (3, 3) for gate in "rzn"}
STEP_WEIGHTS |= {f"b{gate}{of}": (3,) for gate in "rzn" for of in "xh"}
STEP_CELL = """

class Step(GRUCell):
    def __init__(self):
        super().__init__(4, 3)
"""


def kept_by_projections(made, path):
    """The gradient of a projection's weight: its `dLdW` or `dLdb`."""
    projection, name = place(made, path)
    return getattr(projection, f"dLd{name}")


# a notebook of a seminar after a course's RNN: states are S, time last, a dict of gradients ---------------------------

SEMINAR = "soheil-mp/Natural-Language-Processing-Tutorials"
SEMINAR_NOTEBOOK = (
    "Webinar 07 - Recurrent Neural Networks (RNN) + RNN in Keras /Webinar 7 - Recurrent Neural Network.ipynb"
)
SEMINAR_TAKEN = "softmax rnn_cell_forward rnn_forward rnn_cell_backward rnn_backward"


def seminar(m):
    r = numbers()
    weights = weights_of(r, "Wx Ws Wy bs by", (3, 4), (3, 3), (5, 3), (3, 1), (5, 1))
    given = {"X": r(4, 2, 3), "S_0": r(3, 2), "parameters_dict": weights}
    names = {"X": "dX", "S_0": "ds_0"} | {name: f"d{name}" for name in "Wx Ws bs".split()}

    def gradients():
        states, *_, caches = m.rnn_forward(**copied(given))
        found = m.rnn_backward(above(states), caches)
        return {name: found[key] for name, key in names.items()}

    def value():
        states = m.rnn_forward(**copied(given))[0]
        return float((above(states) * states).sum())

    arrays = {"X": given["X"], "S_0": given["S_0"], **weights}
    return Given(m.rnn_forward, m.rnn_backward, given, arrays, value, gradients)


# a notebook's LSTM of characters: each gate in a dict of its own, errors with the sign turned, added to the weights ---

DICTS = "Tushar351/LSTM"
DICTS_WEIGHTS = "wf bf wi bi wc bc wo bo wy by"
DICTS_EDITS = (
    ("np.clip(d_, -1, 1, out = d_)", "np.clip(d_, -1000, 1000, out = d_)"),
    ("self.hidden_states = {-1:np.zeros((self.hidden_size, 1))}", "self.hidden_states = {-1:self.h0}"),
    ("self.cell_states = {-1:np.zeros((self.hidden_size, 1))}", "self.cell_states = {-1:self.c0}"),
    *((f"self.{n} += d_{n} * self.learning_rate", f"self.d_{n} = d_{n}") for n in DICTS_WEIGHTS.split()),
)
DICTS_LOSS = f"""

def loss_and_gradients(inputs, labels, h0, c0, {DICTS_WEIGHTS.replace(" ", ", ")}):
    lstm = LSTM(8, 3, 5, 1, 0.05)
    lstm.h0, lstm.c0 = h0, c0
    names = "{DICTS_WEIGHTS}".split()
    for name, weight in zip(names, ({DICTS_WEIGHTS.replace(" ", ", ")})):
        setattr(lstm, name, weight)
    probabilities = [softmax(prediction) for prediction in lstm.forward(inputs)]
    errors = [label - p for p, label in zip(probabilities, labels)]
    lstm.backward(errors, lstm.concat_inputs)
    loss = -sum(np.sum(label * np.log(p)) for p, label in zip(probabilities, labels))
    return loss, *[-getattr(lstm, f"d_{{name}}") for name in names]
"""


def dicts(m):
    r = numbers()
    weights = weights_of(r, DICTS_WEIGHTS, *[(3, 8), (3, 1)] * 4, (5, 3), (5, 1))
    given = {"inputs": hot(0, 3, 3, 1), "labels": hot(3, 3, 1, 4), "h0": r(3, 1), "c0": r(3, 1)}
    return loss(m.loss_and_gradients, DICTS_WEIGHTS, **given, **weights)


# a notebook's RNN that goes on with a sine: lists of columns, updates after the backward pass -------------------------

SINE = "vlasov-dmitrii/RNN_from_scratch"
SINE_WEIGHTS = "W_xh W_hh W_hy b_h b_y"
SINE_EDITS = (
    ("return loss / len(outputs)", "return loss / 2"),  # see README.md
    ("np.clip(d, -1, 1, out=d)", "np.clip(d, -1000, 1000, out=d)"),
    *((f"self.{n} -= self.learning_rate * d{n}", f"self.d{n} = d{n}") for n in SINE_WEIGHTS.split()),
)
SINE_LOSS = f"""

def loss_and_gradients(inputs, targets, {SINE_WEIGHTS.replace(" ", ", ")}):
    rnn = RNN(4, 3, 2)
    rnn.W_xh, rnn.W_hh, rnn.W_hy, rnn.b_h, rnn.b_y = {SINE_WEIGHTS.replace(" ", ", ")}
    outputs, hidden_states = rnn.forward(inputs)
    rnn.backward(inputs, targets, outputs, hidden_states)
    return rnn.compute_loss(outputs, targets), rnn.dW_xh, rnn.dW_hh, rnn.dW_hy, rnn.db_h, rnn.db_y
"""


def sine(m):
    r = numbers()
    weights = weights_of(r, SINE_WEIGHTS, (3, 4), (3, 3), (2, 3), (3, 1), (2, 1))
    given = {"inputs": list(r(4, 4, 1)), "targets": list(r(4, 2, 1))}
    return loss(m.loss_and_gradients, SINE_WEIGHTS, **given, **weights)


SUBJECTS = [
    Subject(
        WINDOWS,
        "convolution over time",
        (
            Part(
                "neural_network/modules/module.py",
                "Module",
                (("    @trace()\n", ""),),
                WINDOWS_BEFORE,
                module="modules",
            ),
            Part(
                "neural_network/modules/conv1d.py",
                "Conv1d",
                WINDOWS_KEPT,
                "from typing import Any, Dict, Optional, Tuple\n\nfrom modules import Module\nfrom numpy import einsum",
                WINDOWS_LAYER,
            ),
        ),
        object_of("Layer", {"weight": (3, 2, 3), "bias": (3,)}, "input_data", prefixed, input_data=(4, 2, 7)),
    ),
    Subject(
        RECTIFIER,
        "RNN",
        (Part("rnn.py", "RNN xavier_init", RECTIFIER_EDITS, after=RECTIFIER_LOSS),),
        rectifier,
        published="the first step is left out; the loss that it shows is twice that of the gradients",
    ),
    Subject(
        COURSE,
        "attention",
        (
            Part(f"{HEADS}/activation.py", "Softmax", module="softmax_layer"),
            Part(f"{HEADS}/linear.py", "Linear", module="linear_layer"),
            Part(
                f"{HEADS}/scaled_dot_product_attention.py",
                "ScaledDotProductAttention",
                before="from softmax_layer import Softmax",
                module="scaled_attention",
            ),
            Part(
                f"{HEADS}/multi_head_attention.py",
                "MultiHeadAttention",
                before="from linear_layer import Linear\nfrom scaled_attention import ScaledDotProductAttention",
                after=HEADS_LAYER,
            ),
        ),
        object_of(
            "Layer",
            HEADS_WEIGHTS,
            "query key value",
            kept_by_projections,
            query=(2, 3, 4),
            key=(2, 5, 4),
            value=(2, 5, 4),
            key_padding_mask=np.array([[False] * 5, [False] * 3 + [True] * 2]),
            attn_mask=np.triu(np.ones((3, 5), dtype=bool), 2),
        ),
    ),
    Subject(
        COURSE,
        "GRU step",
        (
            Part(f"{STEP}/nn/activation.py", "Sigmoid Tanh", module="activation"),
            Part(f"{STEP}/gru_cell.py", "GRUCell", (), "from activation import *", STEP_CELL),
        ),
        object_of("Step", STEP_WEIGHTS, "x h_prev_t", prefixed, x=(4,), h_prev_t=(3,)),
    ),
    Subject(SEMINAR, "RNN", (Part(SEMINAR_NOTEBOOK, SEMINAR_TAKEN),), seminar),
    Subject(
        DICTS,
        "LSTM",
        (Part("LSTM_from_scratch.ipynb", "initWeights sigmoid tanh softmax LSTM", DICTS_EDITS, after=DICTS_LOSS),),
        dicts,
    ),
    Subject(
        SINE,
        "RNN",
        (Part("RNN_from_scratch.ipynb", "RNN", SINE_EDITS, after=SINE_LOSS),),
        sine,
        published="the loss that it shows is a mean over the steps, the gradients are those of half the sum",
    ),
]
