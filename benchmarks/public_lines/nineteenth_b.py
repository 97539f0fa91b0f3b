"""Subjects by owners L to O: two courses' characters, an RNN that joins its inputs, captions, a GRU, two layers."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of

# a course's characters in columns: gradients of states are rows of a matrix, weights get theirs at the end ------------

ROWS = "antongorillam/DD2424-Deep-Learning-in-Data-Science"
ROWS_WEIGHTS = {"b": (4, 1), "c": (5, 1), "U": (4, 5), "W": (4, 4), "V": (5, 4)}
ROWS_EDITS = (
    ("        ht = h_prev\n", "        ht = self.h_prev = h_prev\n"),  # see README.md
    ("np.append(np.zeros(shape=(self.m, 1)), H_list[:,:-1], axis=1)", "np.append(self.h_prev, H_list[:,:-1], axis=1)"),
)
ROWS_LOSS = f"""

def loss_and_gradients(X, Y, h_prev, {", ".join(ROWS_WEIGHTS)}):
    rnn = RNN(m=4, seq_length=6)
    rnn.K = 5
    rnn.params = dict(zip({list(ROWS_WEIGHTS)}, ({", ".join(ROWS_WEIGHTS)})))
    A_list, H_list, O_list, P_list, loss = rnn.forward(X, Y, h_prev)
    grads, h_next = rnn.backward(X, Y, A_list, H_list, O_list, P_list, clipping=None)
    return loss, grads
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, " ".join(ROWS_WEIGHTS), *ROWS_WEIGHTS.values())
    hot = np.eye(5)[[1, 4, 4, 0, 2, 3, 4]].T
    given = {"X": hot[:, :-1], "Y": hot[:, 1:], "h_prev": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(ROWS_WEIGHTS), **given, **weights)


# the same course's: all gradients, those of one step too, are entries of one dict -------------------------------------

ENTRIES = "yagehao/DD2424-Deep-Learning-in-Data-Science"
ENTRIES_WEIGHTS = {"W": (3, 3), "U": (3, 6), "V": (6, 3), "b": (3, 1), "c": (6, 1)}
ENTRIES_EDITS = (("np.clip(grads[grad], -5, 5)", "np.clip(grads[grad], -1000, 1000)"),)
ENTRIES_LOSS = f"""

def loss_and_gradients(inputs, targets, hprev, {", ".join(ENTRIES_WEIGHTS)}):
    rnn = RNN({{"vocab_len": 6}}, m=3, seq_length=4)
    rnn.W, rnn.U, rnn.V, rnn.b, rnn.c = {", ".join(ENTRIES_WEIGHTS)}
    grads, loss, h = rnn.compute_gradients(inputs, targets, hprev)
    return loss, grads
"""


def entries(m):
    r = numbers()
    weights = weights_of(r, " ".join(ENTRIES_WEIGHTS), *ENTRIES_WEIGHTS.values())
    given = {"inputs": np.array([0, 5, 5, 2]), "targets": np.array([5, 5, 2, 3]), "hprev": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(ENTRIES_WEIGHTS), **given, **weights)


# a series foretold by an RNN whose weights see the state and the input as one vector; it learns by squares ------------

JOINED = "paubco/RNN_FromScratch"
JOINED_WEIGHTS = {"Wh": (4, 6), "bh": (4, 1), "Wy": (3, 4), "by": (3, 1)}
JOINED_EDITS = (
    ("        h = np.zeros((self.hidden_size, 1))\n", "        h = self.h0\n"),
    (  # see README.md
        "dy = (y_pred[t].reshape(-1, 1) - y_true[t].reshape(-1, 1))",
        "dy = 2 * (y_pred[t].reshape(-1, 1) - y_true[t].reshape(-1, 1)) / y_true.size",
    ),
    ("        # Gradient descent parameter update\n", "        self.gradients = []\n"),
    ("            param -= lr * grad\n", "            self.gradients.append(grad)\n"),
)
JOINED_LOSS = f"""

def loss_and_gradients(X, y, h0, {", ".join(JOINED_WEIGHTS)}):
    rnn = SimpleRNNFromScratch(2, 4, 3)
    rnn.h0 = h0
    rnn.Wh, rnn.bh, rnn.Wy, rnn.by = {", ".join(JOINED_WEIGHTS)}
    y_pred = rnn.forward(X)
    loss = rnn.mse_loss(y, y_pred)
    rnn.backward(X, y, y_pred, 0.01)
    return loss, *rnn.gradients
"""


def joined(m):
    r = numbers()
    weights = weights_of(r, " ".join(JOINED_WEIGHTS), *JOINED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(JOINED_WEIGHTS), X=r(5, 2), y=r(5, 3), h0=r(4, 1), **weights)


# a course's captions by an LSTM that puts inputs and states, and their weights, side by side --------------------------

CAPTIONS = "brianlan/cs231n-assignments"
CAPTIONS_TAKEN = (
    "word_embedding_forward word_embedding_backward sigmoid lstm_step_forward lstm_step_backward lstm_forward "
    "lstm_backward temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (5, 4), "W_proj": (4, 3), "b_proj": (3,), "Wx": (4, 12), "Wh": (3, 12), "b": (12,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (3, 5), "b_vocab": (5,)}
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b"], range(5)))
    model = CaptioningRNN(words, 4, 4, 3, cell_type="lstm", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 4, 3, 4, 2], [1, 3, 2, 0, 0]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(2, 4), captions=said, **weights)


# a homework's GRU, a step on a vector that is turned into columns on its way back -------------------------------------

STEP = "sauravkambil/Creating-RNNs-GRUs-and-CTC-Decoding-Using-Numpy"
STEP_SHAPES = {"W{}x": (4, 3), "W{}h": (4, 4), "b{}x": (4,), "b{}h": (4,)}
STEP_WEIGHTS = {name.format(gate): shape for name, shape in STEP_SHAPES.items() for gate in "rzn"}
STEP_LAYER = """

class Layer(GRUCell):
    def __init__(self):
        super().__init__(3, 4)
"""


def after_d(made, path):
    """The gradient of a weight is the attribute with a d before the weight's name."""
    return getattr(made, f"d{path}")


# a self-learner's notebook: a network of convolutions in loops, greatest values, and a dense layer --------------------

IMAGES = "taiki-nakaso/diveintocode-ml"
IMAGES_TAKEN = "Conv2d calc_out_size im2col col2im MaxPool2D Flatten FC Softmax ReLU HeInitializer SGD"
IMAGES_WEIGHTS = {"W1": (2, 1, 2, 2), "B1": (2,), "W2": (3, 2, 2, 2), "B2": (3,), "W3": (12, 3), "B3": (3,)}
IMAGES_EDITS = (
    (  # see README.md
        "iterators_dX = itertools.product(range(self.filter_h),\n"
        "                                         range(self.filter_w),\n",
        "iterators_dX = itertools.product(range(self.X_.shape[2]),\n"
        "                                         range(self.X_.shape[3]),\n",
    ),
    ("self.W = self.W - self.lr*dW/dA.shape[0]", "self.dW = dW/dA.shape[0]"),
    ("self.B = self.B - self.lr*dB/dA.shape[0]", "self.dB = dB/dA.shape[0]"),
    ("layer.B = layer.B - self.lr*dB", "layer.dB = dB"),
    ("layer.W = layer.W - self.lr*dW", "layer.dW = dW"),
)
IMAGES_LOSS = """

def loss_and_gradients(X, Y, W1, B1, W2, B2, W3, B3):
    first, second = Conv2d(2, 1, 2, 2, 0.01), Conv2d(3, 2, 2, 2, 0.01)
    last = FC(12, 3, HeInitializer(3), SGD(0.01))
    first.W, first.B, second.W, second.B, last.W, last.B = W1, B1, W2, B2, W3, B3
    layers = [first, ReLU(), MaxPool2D(2, 2), second, ReLU(), Flatten(), last, Softmax()]
    output = X
    for layer in layers:
        output = layer.forward(output)
    dLoss = layers[-1].backward(output, Y)
    for layer in layers[-2::-1]:
        dLoss = layer.backward(dLoss)
    return layers[-1].loss, first.dW, first.dB, second.dW, second.dB, last.dW, last.dB
"""


def images(m):
    r = numbers(2)
    weights = weights_of(r, " ".join(IMAGES_WEIGHTS), *IMAGES_WEIGHTS.values())
    given = {"X": r(2, 1, 5, 5), "Y": np.eye(3)[[2, 0]]}
    return loss(m.loss_and_gradients, " ".join(IMAGES_WEIGHTS), **given, **weights)


# a homework's normalisation of each channel of a batch of images ------------------------------------------------------

CHANNELS = "puru-samal/myTorch"
CHANNELS_LAYER = """

class Layer(BatchNorm2d):
    def __init__(self):
        super().__init__(2)
"""


def after_dldw(made, path):
    """The gradient of a weight is the attribute with dLd before the weight's name."""
    return getattr(made, f"dLd{path}")


SUBJECTS = [
    Subject(
        ROWS,
        "RNN",
        (Part("assignment4/rnn.py", "RNN", ROWS_EDITS, after=ROWS_LOSS),),
        rows,
        published="the recurrent weights' gradient takes zeros for the first state, whatever it is",
    ),
    Subject(ENTRIES, "RNN", (Part("A4/Assignment4.py", "RNN", ENTRIES_EDITS, after=ENTRIES_LOSS),), entries),
    Subject(
        JOINED,
        "RNN",
        (Part("RNN from scratch.py", "xavier BaseRNN SimpleRNNFromScratch", JOINED_EDITS, after=JOINED_LOSS),),
        joined,
        published="the loss is the mean of the squares, the gradient that of half their sum",
    ),
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
            Part(
                "assignment3/cs231n/rnn_layers.py",
                CAPTIONS_TAKEN,
                (("if verbose: print 'dx_flat: ', dx_flat.shape", "pass"),),
                module="rnn_layers",
            ),
            Part(
                "assignment3/cs231n/classifiers/rnn.py",
                "CaptioningRNN",
                (("iteritems", "items"),),
                "from layers import *\nfrom rnn_layers import *",
                CAPTIONS_LOSS,
            ),
        ),
        captions,
    ),
    Subject(
        STEP,
        "GRU step",
        (
            Part("mytorch/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("mytorch/gru_cell.py", "GRUCell", (), "from activation import *", STEP_LAYER),
        ),
        object_of("Layer", STEP_WEIGHTS, "x h_prev_t", after_d, x=(3,), h_prev_t=(4,)),
    ),
    Subject(
        IMAGES,
        "convolutions",
        (Part("src/term2/sprint12/sprint12.ipynb", IMAGES_TAKEN, IMAGES_EDITS, "import itertools", IMAGES_LOSS),),
        images,
        published="the input's gradient covers as many places as the filter has, not all of the image's",
    ),
    Subject(
        CHANNELS,
        "batch normalisation",
        (Part("mytorch/nn/batchnorm.py", "BatchNorm2d", after=CHANNELS_LAYER),),
        object_of("Layer", {"BW": (1, 2, 1, 1), "Bb": (1, 2, 1, 1)}, "Z", after_dldw, Z=(3, 2, 2, 3)),
    ),
]
