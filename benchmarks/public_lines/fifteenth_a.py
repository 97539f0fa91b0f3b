"""Subjects by owners 0 to H: a sum of bits in a notebook, a course's matrices and another's cells, a blog's LSTM."""

import numpy as np

from .eleventh_c import weights_of
from .fourteenth_c import kept_by_projections
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of

# a notebook's network that adds two numbers bit by bit, last bit first: gates and layers are classes ------------------

BITS = "A-Soltani/deep-learning"
BITS_NOTEBOOK = "Samples/RNN/Binary Addition/Binary Addition.ipynb"
BITS_TAKEN = (
    "multiply_gate add_gate sigmoid_activation random_generator network_layer input_layer hidden_layer output_layer "
    "binary_addition_rnn back_propagation"
)
BITS_WEIGHTS = "W_output W_hidden W_input"
BITS_EDITS = (
    ("hidden_values.append(np.zeros((1, self.hidden_dimension)))", "hidden_values.append(self.s0)"),
    (  # see README.md
        "= delta_net_output.dot(output_layer_weights.T) * sigmoid_activation.backward(s_t)",
        "= delta_net_hidden",
    ),
)
BITS_LOSS = """

def loss_and_gradients(a, b, c, s0, W_output, W_hidden, W_input):
    rnn = binary_addition_rnn(len(a), 3, 0.1)
    rnn.s0 = s0
    rnn.output_layer.weights, rnn.hidden_layer.weights, rnn.input_layer.weights = W_output, W_hidden, W_input
    values, hidden_values = rnn.feed_forward(a, b, c)
    weights = W_output, W_hidden, W_input
    gradients = back_propagation.bptt(a, b, c, values, hidden_values, 3, *weights, len(a))
    loss = 0.5 * sum(np.sum((y_hat - y) ** 2) for y_hat, y in zip(values, c))
    return loss, *gradients
"""


def bits(m):
    r = numbers()
    weights = weights_of(r, BITS_WEIGHTS, (3, 1), (3, 3), (2, 3))
    a, b, c = np.array([[0, 0, 1, 1, 1], [0, 1, 1, 0, 1], [1, 0, 1, 0, 0]], dtype=float)
    return loss(m.loss_and_gradients, BITS_WEIGHTS, a=a, b=b, c=c, s0=r(1, 3), **weights)


# a course's language model: rows for the steps, all of them carried back at once, one step further each time ----------

ROWS = "AriizumiKW/Recurrent-Neural-Network-NumPy"
ROWS_LOSS = """

def loss_and_gradients(x, d, s0, U, V, W):
    rnn = RNN(5, 3, 5)
    rnn.s0, rnn.U, rnn.V, rnn.W = s0, U, V, W
    y, s = rnn.predict(x)
    rnn.acc_deltas_bptt(x, d, y, s, len(x))
    return rnn.compute_loss(x, d), -rnn.deltaU, -rnn.deltaV, -rnn.deltaW
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, "U V W", (3, 3), (3, 5), (5, 3))
    return loss(m.loss_and_gradients, "U V W", x=[0, 3, 3, 1], d=[3, 3, 1, 4], s0=r(3), **weights)


# another course's LSTM: a cell for each step, which keeps activations that are objects; errors are added to in place --

CELLS = "Haoran1227/LSTM-Neural-Network"
CELLS_WEIGHTS = {"W_xh": (12, 4), "W_hh": (12, 3), "B_h": (1, 12), "W_hy": (2, 3), "B_y": (1, 2)}
CELLS_EDITS = tuple(
    (
        f"self.{name} = self.{name}_optimizer.calculate_update(self.{name}, grad_{name})",
        f"self.grad_{name} = grad_{name}",
    )
    for name in CELLS_WEIGHTS
)
CELLS_LAYER = """

class Sequence(LSTM):
    def __init__(self):
        super().__init__(4, 3, 2)
        self._optimizer = "none: the gradients are kept"

    def forward(self, input_tensor):
        self.layer, self._memory = [], True
        self.hidden_state, self.cell_state = self.h0, self.c0
        return super().forward(input_tensor)
"""

# a course's network for characters: one column a step, parameters in a dict, the tanh's derivative a diagonal ---------

COLUMNS = "ElimsV/DD2424"
COLUMNS_WEIGHTS = "b c U W V"
COLUMNS_CONFIG = """from types import SimpleNamespace

from functions import softmax

cfg = SimpleNamespace(LEARNING_RATE=0.1, EPSILON=1e-8, SIG=0.1, EPOCH=1, BATCH_SIZE=4)"""
COLUMNS_LOSS = """

def loss_and_gradients(X, target, h_prev, b, c, U, W, V):
    rnn = RNN(5, h_prev, X.shape[1], "")
    rnn.paras = {"b": b, "c": c, "U": U, "W": W, "V": V}
    gradients, loss = rnn.backward_pass(X, target)
    return loss, *gradients
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, COLUMNS_WEIGHTS, (3, 1), (5, 1), (3, 5), (3, 3), (5, 3))
    given = {"X": np.eye(5)[:, [0, 3, 3, 1]], "target": np.eye(5)[:, [3, 3, 1, 4]], "h_prev": r(3, 1)}
    return loss(m.loss_and_gradients, COLUMNS_WEIGHTS, **given, **weights)


# a notebook's RNN for series: slices of one column, the first state is zeros ------------------------------------------

SERIES = "HodlOg/random"
SERIES_WEIGHTS = "Wxh Whh Why bh by"
SERIES_LOSS = """

def loss_and_gradients(inputs, targets, Wxh, Whh, Why, bh, by):
    rnn = RNN(4, 3, 2)
    rnn.Wxh, rnn.Whh, rnn.Why, rnn.bh, rnn.by = Wxh, Whh, Why, bh, by
    y_pred, h = rnn.forward(inputs, np.zeros((3, 1)))
    gradients = rnn.backward(inputs, targets, y_pred, h)
    return rnn.loss(y_pred, targets), *gradients
"""


def series(m):
    r = numbers()
    weights = weights_of(r, SERIES_WEIGHTS, (3, 4), (3, 3), (2, 3), (3, 1), (2, 1))
    return loss(m.loss_and_gradients, SERIES_WEIGHTS, inputs=r(4, 5), targets=r(2, 5), **weights)


# a course's convolution over time: each kernel a tensordot, then every second step is kept ----------------------------

STRIDE = "abk171/11785-Intro-to-deep-learning"
STRIDE_FOLDER = "hw2/HW2P1/handout/mytorch/nn"
STRIDE_LAYER = """

class Layer(Conv1d):
    def __init__(self):
        super().__init__(3, 4, 3, 2, padding=1)
"""
STRIDE_WEIGHTS = {"conv1d_stride1.W": (4, 3, 3), "conv1d_stride1.b": (4,)}

# a blog's LSTM for characters: steps forward and back are methods, gradients in a dict --------------------------------

BLOG = "christinakouridi/scratchML"
BLOG_WEIGHTS = "Wf bf Wi bi Wc bc Wo bo Wv bv"
BLOG_ARGUMENTS = BLOG_WEIGHTS.replace(" ", ", ")
BLOG_LOSS = f"""

def loss_and_gradients(x_batch, y_batch, h_prev, c_prev, {BLOG_ARGUMENTS}):
    names = "{BLOG_WEIGHTS}".split()
    lstm = LSTM({{}}, {{}}, 5, 3, 4)
    lstm.params = dict(zip(names, ({BLOG_ARGUMENTS})))
    loss, _, _ = lstm.forward_backward(x_batch, y_batch, h_prev, c_prev)
    return loss, *[lstm.grads["d" + name] for name in names]
"""


def blog(m):
    r = numbers()
    weights = weights_of(r, BLOG_WEIGHTS, *[(3, 8), (3, 1)] * 4, (5, 3), (5, 1))
    given = {"x_batch": [0, 3, 3, 1], "y_batch": [3, 3, 1, 4], "h_prev": r(3, 1), "c_prev": r(3, 1)}
    return loss(m.loss_and_gradients, BLOG_WEIGHTS, **given, **weights)


SUBJECTS = [
    Subject(
        BITS,
        "RNN",
        (
            Part(
                BITS_NOTEBOOK,
                BITS_TAKEN,
                BITS_EDITS,
                "from abc import ABC, abstractmethod\nfrom collections import deque",
                BITS_LOSS,
            ),
        ),
        bits,
        published="what is carried back is the error of the next step alone, nothing of those after it",
    ),
    Subject(
        ROWS,
        "RNN",
        (
            Part("code/rnnmath.py", "sigmoid softmax make_onehot", module="rnnmath"),
            Part(
                "code/rnn.py",
                "RNN",
                (("s[len(x)] = np.zeros(self.hidden_dims)", "s[len(x)] = self.s0"),),
                "from rnnmath import *",
                ROWS_LOSS,
            ),
        ),
        rows,
    ),
    Subject(
        CELLS,
        "LSTM",
        (
            Part("Layers/Base.py", "base_layer", module="base"),
            Part("Layers/TanH.py", "TanH", before="import math\n\nfrom base import base_layer", module="tanh"),
            Part("Layers/Sigmoid.py", "Sigmoid", before="import math\n\nfrom base import base_layer", module="sigmoid"),
            Part(
                "Layers/LSTM.py",
                "LSTM_cell LSTM",
                CELLS_EDITS,
                "import copy\n\nfrom base import base_layer\nfrom sigmoid import Sigmoid\nfrom tanh import TanH",
                CELLS_LAYER,
            ),
        ),
        object_of(
            "Sequence",
            CELLS_WEIGHTS,
            "input_tensor",
            lambda made, path: getattr(made, f"grad_{path}"),
            {"h0": (1, 3), "c0": (1, 3)},
            input_tensor=(5, 4),
        ),
    ),
    Subject(
        COLUMNS,
        "RNN",
        (
            Part("utils.py", "softmax", module="functions"),
            Part(
                "model.py",
                "RNN",
                (("np.maximum(np.minimum(grad, 5), -5)", "np.maximum(np.minimum(grad, 1000), -1000)"),),
                COLUMNS_CONFIG,
                COLUMNS_LOSS,
            ),
        ),
        columns,
    ),
    Subject(
        SERIES,
        "RNN",
        (
            Part(
                "ai/rnn.ipynb",
                "RNN",
                (("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -1000, 1000, out=dparam)"),),
                after=SERIES_LOSS,
            ),
        ),
        series,
    ),
    Subject(
        STRIDE,
        "convolution over time",
        (
            Part(f"{STRIDE_FOLDER}/resampling.py", "Downsample1d", module="resampling"),
            Part(
                f"{STRIDE_FOLDER}/Conv1d.py",
                "Conv1d_stride1 Conv1d",
                before="from resampling import *",
                after=STRIDE_LAYER,
            ),
        ),
        object_of("Layer", STRIDE_WEIGHTS, "A", kept_by_projections, A=(2, 3, 7)),
    ),
    Subject(
        BLOG,
        "LSTM",
        (Part("LSTM/model.py", "LSTM", (("np.row_stack", "np.vstack"),), after=BLOG_LOSS),),
        blog,
    ),
]
