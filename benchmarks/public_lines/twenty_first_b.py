"""Subjects by owners that end in K to N: a course's cells, captions and RNN, three RNNs, a network of convolutions."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, prefixed

# a course's GRU cell: vectors forwards, columns backwards, three sums before the gates are kept apart -----------------

CELL = "austinwindham/Intro-to-Deep-Learning-CMU-11685"
CELL_WEIGHTS = {f"W{gate}x": (4, 3) for gate in "rzn"} | {f"W{gate}h": (4, 4) for gate in "rzn"}
CELL_WEIGHTS |= {f"b{gate}{kind}": (4,) for kind in "xh" for gate in "rzn"}
CELL_LAYER = """

class Layer(GRUCell):
    def __init__(self):
        super().__init__(3, 4)
"""

# letters of names by an RNN whose tanh and loss are an object for each step -------------------------------------------

NAMES = "dvolchek/RNN_model_numpy"
NAMES_WEIGHTS = {"Wya": (5, 3), "Wax": (3, 5), "Waa": (3, 3), "by": (5, 1), "b": (3, 1)}
NAMES_EDITS = (
    (
        "hidden = np.zeros((self.hidden_dim , 1))\n        \n",
        "hidden = self.hidden_first\n        \n",
    ),
)
NAMES_LOSS = f"""

def loss_and_gradients(X, Y, hidden_first, {", ".join(NAMES_WEIGHTS)}):
    model = RNNModel(5, 5, 3)
    model.hidden_first = hidden_first
    model.Wya, model.Wax, model.Waa, model.by, model.b = {", ".join(NAMES_WEIGHTS)}
    model.forward(X)
    cost = model.loss(Y)
    model.backward()
    model.clip(1000)
    return cost, model.dWya, model.dWax, model.dWaa, model.dby, model.db
"""


def names(m):
    r = numbers()
    weights = weights_of(r, " ".join(NAMES_WEIGHTS), *NAMES_WEIGHTS.values())
    letters = np.eye(5)[[2, 4, 4, 1, 0]].reshape(5, 5, 1)
    given = {"X": np.concatenate((np.zeros((1, 5, 1)), letters[:-1])), "Y": letters, "hidden_first": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(NAMES_WEIGHTS), **given, **weights)


# a self-learner's notebook: convolutions in loops, greatest values, dense layers, each with an optimiser of its own ---

IMAGES = "goriummaximum/diveintocode-ml"
IMAGES_TAKEN = (
    "compute_output_size SimpleInitializerConv2d SGD Conv2d MaxPool2D Flatten HeInitializer ReLU Softmax "
    "SimpleInitializer FC GetMiniBatch Scratch2dCNNClassifier"
)
IMAGES_WEIGHTS = {"W1": (2, 1, 2, 3), "B1": (2,), "W2": (1, 2, 2, 2), "B2": (1,)}
IMAGES_WEIGHTS |= {"W3": (4, 5), "B3": (5,), "W4": (5, 3), "B4": (3,)}
IMAGES_EDITS = ((".astype(np.int)", ".astype(int)"),)
IMAGES_LOSS = f"""

class Network(Scratch2dCNNClassifier):
    def _initialize_neural_network(self):
        super()._initialize_neural_network()
        for layer, W, B in zip(self.layers(), self.given[::2], self.given[1::2]):
            layer.W, layer.B = W, B

    def layers(self):
        return *self.conv[1:], *self.FC[1:]


def loss_and_gradients(X, y, {", ".join(IMAGES_WEIGHTS)}):
    network = Network(
        ch_out=[2, 1], F_h=[2, 2], F_w=[3, 2], p=[2, 1], q=[2, 1], hidden_layers=[5], hidden_activations=["relu"],
        hidden_initializers=["he"], epochs=1,
    )
    network.given = {", ".join(IMAGES_WEIGHTS)}
    network.fit(X, y)
    return network.CEE_list[0], *(gradient for layer in network.layers() for gradient in (layer.dW, layer.dB))
"""


def images(m):
    r = numbers(3)
    weights = weights_of(r, " ".join(IMAGES_WEIGHTS), *IMAGES_WEIGHTS.values())
    given = {"X": r(3, 1, 7, 8), "y": np.eye(3)[[2, 0, 1]]}
    return loss(m.loss_and_gradients, " ".join(IMAGES_WEIGHTS), **given, **weights)


# a course's RNN of sigmoids that answers once, at the end: carried back for so many steps; its deltas climb -----------

NUMBER = "keanuk/NLU_CW1"
NUMBER_EDITS = (
    (
        "s = np.zeros((len(x) + 1, self.hidden_dims))\n",
        "s = np.zeros((len(x) + 1, self.hidden_dims))\n\t\ts[-1] = self.s0\n",
    ),
)
NUMBER_LOSS = """

def loss_and_gradients(x, d, s0, U, V, W):
    rnn = RNN(6, 3, 6)
    rnn.s0, rnn.U, rnn.V, rnn.W = s0, U, V, W
    y, s = rnn.predict(x)
    rnn.acc_deltas_bptt_np(x, d, y, s, len(x) - 1)
    return rnn.compute_loss_np(x, d), -rnn.deltaU, -rnn.deltaV, -rnn.deltaW
"""


def number(m):
    r = numbers()
    weights = weights_of(r, "U V W", (3, 3), (3, 6), (6, 3))
    return loss(m.loss_and_gradients, "U V W", x=[4, 0, 4, 1, 5], d=[3], s0=r(3), **weights)


# a course's RNN that keeps the sums before the tanhs and adds up from None --------------------------------------------

SUMS = "mateuszlitwin/cs231n"
SUMS_TAKEN = "rnn_step_forward rnn_step_backward rnn_forward rnn_backward"


def sums(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (4, 3), (3, 3), (3,))
    return pair(m.rnn_forward, m.rnn_backward, "x h0 Wx Wh b", x=r(2, 4, 4), h0=r(2, 3), **weights)


# the same course's captions by an LSTM: caches on a stack, a penalty on some of the weights ---------------------------

CAPTIONS = "medakk/cs231n"
CAPTIONS_TAKEN = (
    "word_embedding_forward word_embedding_backward sigmoid lstm_step_forward lstm_step_backward lstm_forward "
    "lstm_backward temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (6, 3), "W_proj": (5, 4), "b_proj": (4,), "Wx": (3, 16), "Wh": (4, 16), "b": (16,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (4, 6), "b_vocab": (6,)}
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b", "c"], range(6)))
    model = CaptioningRNN(words, 5, 3, 4, reg=0.1, cell_type="lstm", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 3, 5, 5, 2], [1, 4, 2, 0, 0], [1, 5, 3, 2, 0]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(3, 5), captions=said, **weights)


# an RNN that fits batches of sequences: inputs and states kept in pairs, activations, loss and optimiser are objects --

BATCHES = "trymauren/rnn"
BATCHES_WEIGHTS = {"U": (4, 3), "W": (4, 4), "V": (5, 4), "b": (4,), "c": (5,)}
BATCHES_EDITS = (("tqdm(range(epochs))", "range(epochs)"),)
BATCHES_BEFORE = """from collections.abc import Callable
import optimisers
from activations import Identity, Relu, Sigmoid, Softmax, Tanh
from loss_functions import Classification_Logloss as ce
from loss_functions import Mean_Square_Loss as mse
from optimisers import SGD, AdaGrad"""
BATCHES_LOSS = f"""

class Network(RNN):
    def _init_weights(self):
        self.U, self.W, self.V, self.b, self.c = self.parameters = self.given

    def _init_states(self):
        super()._init_states()
        self.states[0] = (None, self.h0)


def loss_and_gradients(X, y, h0, {", ".join(BATCHES_WEIGHTS)}):
    rnn = Network("Tanh()", "Softmax()", "ce()", "SGD()", clip_threshold=1000, learning_rate=1)
    rnn.h0 = h0
    rnn.given = [{", ".join(BATCHES_WEIGHTS)}]
    rnn.fit(X, y, epochs=1, num_hidden_nodes=4)
    return rnn.stats["loss"][0], *rnn._optimiser.update
"""


def batches(m):
    r = numbers()
    weights = weights_of(r, " ".join(BATCHES_WEIGHTS), *BATCHES_WEIGHTS.values())
    wanted = np.eye(5)[[[0, 4], [3, 3], [1, 0], [4, 2]]]
    given = {"X": r(1, 4, 2, 3), "y": wanted[None], "h0": r(2, 4)}
    return loss(m.loss_and_gradients, " ".join(BATCHES_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        CELL,
        "GRU cell",
        (
            Part("HW3 - RNNs/Part 1/mytorch/nn/activation.py", "Sigmoid Tanh", module="activation"),
            Part("HW3 - RNNs/Part 1/mytorch/gru_cell.py", "GRUCell", (), "from activation import *", CELL_LAYER),
        ),
        object_of("Layer", CELL_WEIGHTS, "x h_prev_t", prefixed, x=(3,), h_prev_t=(4,)),
    ),
    Subject(
        NAMES,
        "RNN",
        (
            Part("rnn_full/RNN_utils.py", "Softmax Tanh CrossEntropyLoss", (("\\sum", "sum"),), module="RNN_utils"),
            Part("rnn_full/RNN.py", "RNNModel", NAMES_EDITS, "from RNN_utils import *", NAMES_LOSS),
        ),
        names,
    ),
    Subject(
        IMAGES,
        "convolutions",
        (Part("Sprints/sprint12-cnn2d/cnn2d.ipynb", IMAGES_TAKEN, IMAGES_EDITS, after=IMAGES_LOSS),),
        images,
    ),
    Subject(
        NUMBER,
        "RNN",
        (
            Part("code/rnnmath.py", "sigmoid softmax make_onehot", module="rnnmath"),
            Part("code/rnn.py", "RNN", NUMBER_EDITS, "from rnnmath import *", NUMBER_LOSS),
        ),
        number,
    ),
    Subject(SUMS, "RNN", (Part("assignment3/cs231n/rnn_layers.py", SUMS_TAKEN),), sums),
    Subject(
        CAPTIONS,
        "captions",
        (
            Part(
                "assignments/assignment3/cs231n/layers.py",
                "affine_forward affine_backward",
                (("\\prod_i", "prod_i"),),
                module="layers",
            ),
            Part("assignments/assignment3/cs231n/rnn_layers.py", CAPTIONS_TAKEN, module="rnn_layers"),
            Part(
                "assignments/assignment3/cs231n/classifiers/rnn.py",
                "CaptioningRNN",
                (),
                "from layers import *\nfrom rnn_layers import *",
                CAPTIONS_LOSS,
            ),
        ),
        captions,
    ),
    Subject(
        BATCHES,
        "RNN",
        (
            Part(
                "utils/activations.py",
                "Activation Relu Tanh Sigmoid Identity Softmax",
                before="from scipy.special import expit, softmax",
                module="activations",
            ),
            Part(
                "utils/loss_functions.py",
                "LossFunction Mean_Square_Loss Classification_Logloss",
                before="LOG_CONST = 1e-15",
                module="loss_functions",
            ),
            Part("utils/optimisers.py", "Optimiser SGD AdaGrad clip_gradient", module="optimisers"),
            Part("rnn/rnn.py", "RNN", BATCHES_EDITS, BATCHES_BEFORE, BATCHES_LOSS),
        ),
        batches,
    ),
]
