"""Subjects by owners that end in O to Z or a digit: two LSTMs, two RNNs, a GRU's cell, a convolution, attention."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, place, prefixed

# a course's captions, with its LSTM; gradients of a step's states are added to in place -------------------------------

CAPTIONS = "AgentDS/CS-231n"
CAPTIONS_TAKEN = (
    "word_embedding_forward word_embedding_backward sigmoid lstm_step_forward lstm_step_backward lstm_forward "
    "lstm_backward temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (7, 5), "W_proj": (6, 2), "b_proj": (2,), "Wx": (5, 8), "Wh": (2, 8), "b": (8,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (2, 7), "b_vocab": (7,)}
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b", "c", "d"], range(7)))
    model = CaptioningRNN(words, 6, 5, 2, cell_type="lstm", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 6, 3, 6, 2], [1, 4, 3, 2, 0], [1, 5, 5, 4, 2]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(3, 6), captions=said, **weights)


# another solution of that course: a convolution in four loops, each over all images at once ---------------------------

LOOPS = "kimkilho/cs231n-assignment"


def loops(m):
    r = numbers()
    given = {"x": r(2, 2, 5, 6), "w": r(3, 2, 3, 2), "b": r(3), "conv_param": {"stride": 2, "pad": 1}}
    return pair(m.conv_forward_naive, m.conv_backward_naive, "x w b", **given)


# a self-learner's notebook: an RNN on columns, time last, with the gradients of states from above ---------------------

NOTEBOOK = "nabeelshan78/vanilla-rnn-from-scratch"
NOTEBOOK_TAKEN = "softmax rnn_cell_forward rnn_forward rnn_cell_backward rnn_backward"
NOTEBOOK_LOSS = """

def loss_and_gradients(x, y, a0, Wax, Waa, Wya, ba, by):
    a, y_pred, caches = rnn_forward(x, a0, {"Wax": Wax, "Waa": Waa, "Wya": Wya, "ba": ba, "by": by})
    da = np.zeros_like(a)
    for t in range(x.shape[2]):
        da[:, :, t] = Wya.T @ (y_pred - y)[:, :, t]
    gradients = rnn_backward(da, caches)
    return -np.sum(y * np.log(y_pred)), {name[1:]: gradient for name, gradient in gradients.items()}
"""


def notebook(m):
    r = numbers()
    weights = weights_of(r, "Wax Waa Wya ba by", (3, 4), (3, 3), (6, 3), (3, 1), (6, 1))
    hot = np.eye(6)[[[1, 4, 0, 5, 1], [3, 3, 2, 0, 4]]].transpose(2, 0, 1)
    return loss(m.loss_and_gradients, "x a0 Wax Waa ba", x=r(4, 2, 5), y=hot, a0=r(3, 2), **weights)


# a small framework's LSTM: a cell for each step, which leaves states as they are where its input is zeros -------------

PADDED = "plparent/NPDL"
PADDED_WEIGHTS = {f"W{gate}i": (2, 5) for gate in "cufo"} | {f"W{gate}h": (5, 5) for gate in "cufo"}
PADDED_WEIGHTS |= {f"b{gate}": (5,) for gate in "cufo"}
PADDED_NAMES = [*PADDED_WEIGHTS, "W", "b"]
PADDED_BEFORE = """from activations import get_activation
from lstm import LSTM
from model_loss import cross_entropy_loss_npdl
from network import Flatten, Model
"""
PADDED_CELL_BEFORE = "from activations import *"
PADDED_LSTM_BEFORE = "import math\nfrom lstm_cell import LSTMCell"
PADDED_LOSS = f"""

def loss_and_gradients(X, t, {", ".join(PADDED_NAMES)}):
    lstm, dense = LSTM(4, 2, 5), Dense(5, 6)
    for name, value in zip({list(PADDED_WEIGHTS)}, ({", ".join(PADDED_WEIGHTS)})):
        lstm.get_params()[name][...] = value
    dense.W, dense.b = W, b
    model = Model()
    model.add(lstm, "lstm")
    model.add(Flatten())
    model.add(dense, "dense")
    model.add_loss(cross_entropy_loss_npdl)
    loss, dScores, softmax_output = model.calculate_loss(model.forward_npdl(X), t, 0.1)
    model.backward_npdl(dScores)
    return loss, model.gradients()["lstm"] | model.gradients()["dense"]
"""


def padded(m):
    r = numbers()
    weights = weights_of(r, " ".join(PADDED_NAMES), *PADDED_WEIGHTS.values(), (5, 6), (6,))
    said = r(3, 4, 2)
    said[[0, 1, 2], [0, 3, 1]] = 0
    return loss(m.loss_and_gradients, " ".join(PADDED_NAMES), X=said, t=np.array([4, 0, 5]), **weights)


# a homework's GRU cell: vectors forwards, rows backwards, weights get no more than the last step's gradients ----------

CELL = "shrikiran1999/my-torch-library"
CELL_WEIGHTS = {f"W{gate}x": (4, 3) for gate in "rzn"} | {f"W{gate}h": (4, 4) for gate in "rzn"}
CELL_WEIGHTS |= {f"b{gate}{kind}": (4,) for kind in "xh" for gate in "rzn"}
CELL_LAYER = """

class Layer(GRUCell):
    def __init__(self):
        super().__init__(3, 4)

    def backward(self, delta):
        return super().backward(delta.reshape(1, -1))
"""

# a course's RNN of two dense layers whose weights' first row is the bias; their gradients are made anew by hand -------

DENSE = "XplorodoX/DeepLExe3"
DENSE_BASE = "from base import BaseLayer"
DENSE_BEFORE = "from base import BaseLayer\nfrom fully_connected import FullyConnected"
DENSE_LAYER = """

class Layer(RNN):
    def __init__(self):
        super().__init__(2, 3, 4)
        self.memorize = True

    def forward(self, input_tensor):
        self.hidden_state = self.h0
        return super().forward(input_tensor)
"""


def of_dense(made, path):
    """The gradient of a dense layer's weights is its gradient_weights."""
    return place(made, path)[0].gradient_weights


# attention as a book's, in other words: a decoder's states, each with all of an encoder's, weights by dot products ----

ATTENTION = "yonghee12/deepnp"
ATTENTION_TAKEN = "WeightedSum AttentionScoreDot AttentionCell AttentionLayerWithTimesteps"


SUBJECTS = [
    Subject(
        CAPTIONS,
        "captions",
        (
            Part(
                "assignment3/cs231n/layers.py",
                "affine_forward affine_backward",
                (("\\prod_i", "prod_i"),),
                module="layers",
            ),
            Part("assignment3/cs231n/rnn_layers.py", CAPTIONS_TAKEN, module="rnn_layers"),
            Part(
                "assignment3/cs231n/classifiers/rnn.py",
                "CaptioningRNN",
                (),
                "from layers import *\nfrom rnn_layers import *",
                CAPTIONS_LOSS,
            ),
        ),
        captions,
    ),
    Subject(
        LOOPS,
        "convolution",
        (Part("as2/cs231n/layers.py", "conv_forward_naive conv_backward_naive", (("/stride", "//stride"),)),),
        loops,
    ),
    Subject(NOTEBOOK, "RNN", (Part("notebook.ipynb", NOTEBOOK_TAKEN, after=NOTEBOOK_LOSS),), notebook),
    Subject(
        PADDED,
        "LSTM",
        (
            Part(
                "utils/activations.py",
                "identity_forward_npdl identity_backward_npdl sigmoid_forward_npdl tanh_forward_npdl "
                "tanh_backward_npdl get_activation",
                module="activations",
            ),
            Part("utils/model_loss.py", "cross_entropy_loss_npdl", module="model_loss"),
            Part("layers/utils/LSTMCell.py", "LSTMCell", (), PADDED_CELL_BEFORE, module="lstm_cell"),
            Part("layers/LSTM.py", "LSTM", (), PADDED_LSTM_BEFORE, module="lstm"),
            Part("layers/Flatten.py", "Flatten", module="flatten"),
            Part(
                "model/Model.py",
                "Model",
                (),
                "from collections import OrderedDict\nfrom flatten import Flatten",
                module="network",
            ),
            Part("layers/Dense.py", "Dense", (), PADDED_BEFORE, PADDED_LOSS),
        ),
        padded,
    ),
    Subject(
        CELL,
        "GRU cell",
        (
            Part("mytorch/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("mytorch/gru_cell.py", "GRUCell", (), "from activation import *", CELL_LAYER),
        ),
        object_of("Layer", CELL_WEIGHTS, "x h", prefixed, x=(3,), h=(4,)),
    ),
    Subject(
        DENSE,
        "RNN",
        (
            Part("src_to_implement/Layers/Base.py", "BaseLayer", module="base"),
            Part(
                "src_to_implement/Layers/FullyConnected.py", "FullyConnected", (), DENSE_BASE, module="fully_connected"
            ),
            Part("src_to_implement/Layers/RNN.py", "RNN", (), DENSE_BEFORE, DENSE_LAYER),
        ),
        object_of(
            "Layer",
            {"fc_hidden.weights": (6, 3), "fc_output.weights": (4, 4)},
            "input_tensor",
            of_dense,
            {"h0": (3,)},
            input_tensor=(5, 2),
        ),
    ),
    Subject(
        ATTENTION,
        "attention",
        (
            Part("functions.py", "softmax", module="functions"),
            Part("layers/basic.py", "SoftmaxLayer", (), "from functions import softmax", module="basic"),
            Part("layers/attention.py", ATTENTION_TAKEN, (), "from basic import SoftmaxLayer"),
        ),
        object_of(
            "AttentionLayerWithTimesteps",
            {},
            "enc_h_stack dec_h_stack",
            enc_h_stack=(2, 5, 3),
            dec_h_stack=(2, 4, 3),
        ),
    ),
]
