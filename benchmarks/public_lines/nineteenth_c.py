"""Subjects by owners P to Z: RNNs of words, characters, captions and numbers, an LSTM, a GRU's step, a convolution."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of

# a course's captions, whose RNN multiplies inputs, states and ones, joined, by all of its weights, joined ------------

CAPTIONS = "DarseZ/DL_hw4"
CAPTIONS_TAKEN = (
    "rnn_step_forward rnn_step_backward rnn_forward rnn_backward word_embedding_forward word_embedding_backward "
    "temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (6, 2), "W_proj": (3, 4), "b_proj": (4,), "Wx": (2, 4), "Wh": (4, 4), "b": (4,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (4, 6), "b_vocab": (6,)}
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b", "c"], range(6)))
    model = CaptioningRNN(words, 3, 2, 4, cell_type="rnn", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 4, 3, 3, 2], [1, 5, 2, 0, 0]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(2, 3), captions=said, **weights)


# convolutions by loops, images last: a convolution with padding, the greatest of each square, a layer -----------------

IMAGES = "DrBigMau/CNN-from-Scratch-in-Python"
IMAGES_TAKEN = (
    "ConvLayer Max_Pool Flat Layer_Dense Tanh Activation_Softmax Loss Loss_CategoricalCrossEntropy CalcSoftmaxLossGrad"
)
IMAGES_WEIGHTS = {"conv_w": (2, 3, 3), "conv_b": (1, 3), "dense_w": (12, 3), "dense_b": (1, 3)}
IMAGES_LOSS = f"""

def loss_and_gradients(M, C, {", ".join(IMAGES_WEIGHTS)}):
    conv, tanh, pool, flat = ConvLayer(2, 3, 3), Tanh(), Max_Pool(), Flat()
    dense, loss_activation = Layer_Dense(12, 3), CalcSoftmaxLossGrad()
    conv.weights, conv.biases, dense.weights, dense.biases = {", ".join(IMAGES_WEIGHTS)}
    conv.forward(M, 1, 1)
    tanh.forward(conv.output)
    pool.forward(tanh.output, 2, 2)
    flat.forward(pool.output)
    dense.forward(flat.output)
    loss = loss_activation.forward(dense.output, C)
    loss_activation.backward(loss_activation.output, C)
    dense.backward(loss_activation.dinputs)
    flat.backward(dense.dinputs)
    pool.backward(flat.dinputs)
    tanh.backward(pool.dinputs)
    conv.backward(tanh.dinputs)
    return loss, conv.dweights, conv.dbiases, dense.dweights, dense.dbiases, conv.dinputs
"""


def images(m):
    r = numbers()
    weights = weights_of(r, " ".join(IMAGES_WEIGHTS), *IMAGES_WEIGHTS.values())
    given = {"M": r(4, 5, 2, 3), "C": np.array([2, 0, 2])}
    return loss(m.loss_and_gradients, f"{' '.join(IMAGES_WEIGHTS)} M", **given, **weights)


# an RNN of words that learns in its backward pass: states in an array, and again as columns in a list -----------------

WORDS = "joonyeongs/model-implementation"
WORDS_WEIGHTS = {"W_x": (3, 5), "W_h": (3, 3), "W_y": (5, 3), "b_h": (3,), "b_y": (5,)}
WORDS_EDITS = (
    ("clip_value = 5.0", "clip_value = 5000.0"),
    *((f"self.{name} -= self.learning_rate * d_{name}", f"self.d_{name} = d_{name}") for name in WORDS_WEIGHTS),
)
WORDS_LOSS = f"""

def loss_and_gradients(sentence, target, {", ".join(WORDS_WEIGHTS)}):
    rnn = RNN(input_dim, hidden_dim, output_dim, time_step)
    rnn.W_x, rnn.W_h, rnn.W_y, rnn.b_h, rnn.b_y = {", ".join(WORDS_WEIGHTS)}
    y = rnn.forward(sentence)
    rnn.backward(y - target)
    return -np.sum(target * np.log(y)), rnn.d_W_x, rnn.d_W_h, rnn.d_W_y, rnn.d_b_h, rnn.d_b_y
"""


def words(m):
    r = numbers()
    weights = weights_of(r, " ".join(WORDS_WEIGHTS), *WORDS_WEIGHTS.values())
    hot = np.eye(5)[[1, 4, 0, 0, 2]]
    return loss(m.loss_and_gradients, " ".join(WORDS_WEIGHTS), sentence=hot[:-1], target=hot[1:], **weights)


# a notebook's RNN of functions, for numbers in a row ------------------------------------------------------------------

ROW = "PratikChakrabortyaz/Neural-Networks"
ROW_WEIGHTS = {"W_hx": (4, 3), "W_hh": (4, 4), "W_yh": (2, 4), "b_h": (4, 1), "b_y": (2, 1)}
ROW_EDITS = (
    ("W_hx,W_hh,b_hh):", "W_hx,W_hh,b_h):"),
    ("def output_layer(H,W_hy,b_y):", "def output_layer(H,W_yh,b_y):"),
    ("Y_pred,W_hx,W_hh,W_yh):", "Y_pred,W_hx,W_hh,W_yh,b_h,b_y,h0):"),
    ("np.dot(dh_raw,H[t-1].T) if t>0 else np.zeros_like(dW_hh)", "np.dot(dh_raw,H[t-1].T if t>0 else h0.T)"),
    ("    db_h+=dh_raw\n    dh_next=", "    dh_next="),  # see README.md
)
ROW_LOSS = f"""

def loss_and_gradients(X, Y_true, h0, {", ".join(ROW_WEIGHTS)}):
    H = rnn_forward(X, h0, W_hx, W_hh, b_h)
    Y_pred = output_layer(H, W_yh, b_y)
    loss = np.sum((Y_pred[:, :, 0] - Y_true)**2) / 2  # see README.md
    return loss, *rnn_bptt(X, Y_true, H, Y_pred, W_hx, W_hh, W_yh, b_h, b_y, h0)
"""


def row(m):
    r = numbers()
    weights = weights_of(r, " ".join(ROW_WEIGHTS), *ROW_WEIGHTS.values())
    given = {"X": r(5, 3), "Y_true": r(5, 2), "h0": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(ROW_WEIGHTS), **given, **weights)


# a course's characters in columns, states in a list -------------------------------------------------------------------

COLUMNS = "Ponts/DD2424"
COLUMNS_WEIGHTS = {"W": (4, 4), "b": (4, 1), "U": (4, 5), "V": (5, 4), "c": (5, 1)}
COLUMNS_READER = """class reader:
    class DataHandler:
        len = 5
"""
COLUMNS_EDITS = (("-5, 5)", "-5000, 5000)"),)
COLUMNS_LOSS = f"""

def loss_and_gradients(x, y, prevh, {", ".join(COLUMNS_WEIGHTS)}):
    network = Network(4)
    network.prevh = prevh
    network.W, network.b, network.U, network.V, network.c = {", ".join(COLUMNS_WEIGHTS)}
    *gradients, loss = network.calculateGradient(x, y)
    return loss, *gradients
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, " ".join(COLUMNS_WEIGHTS), *COLUMNS_WEIGHTS.values())
    hot = np.eye(5)[:, [0, 3, 3, 1, 4, 2, 1]]
    given = {"x": hot[:, :-1], "y": hot[:, 1:], "prevh": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(COLUMNS_WEIGHTS), **given, **weights)


# an LSTM of words in small steps, each of which names what it goes back through ---------------------------------------

STEPS = "shenxudeu/RNN_Language_Model"
STEPS_WEIGHTS = {"WF": (8, 3), "WC": (8, 3), "WI": (8, 3), "WO": (8, 3), "V": (3, 5)}
STEPS_EDITS = (
    (
        "cf = np.zeros((T+1, batch_size, self.hidden_dim)) # memory activation\n",
        "cf = np.zeros((T+1, batch_size, self.hidden_dim)) # memory activation\n"
        "        h[-1], c[-1] = self.h0, self.c0\n",
    ),
)
STEPS_LOSS = f"""

def loss_and_gradients(x, y, h0, c0, {", ".join(STEPS_WEIGHTS)}):
    model = LSTM(5, 3)
    model.h0, model.c0 = h0, c0
    model.WF, model.WC, model.WI, model.WO, model.V = {", ".join(STEPS_WEIGHTS)}
    x_hot = one_hot(x, 5).reshape(len(x), 1, 5)
    return model.compute_total_loss([x], [y]), *model.bptt(x_hot, y)
"""


def steps(m):
    r = numbers()
    weights = weights_of(r, " ".join(STEPS_WEIGHTS), *STEPS_WEIGHTS.values())
    given = {"x": np.array([0, 3, 3, 1]), "y": np.array([3, 3, 1, 4]), "h0": r(1, 3), "c0": r(1, 3)}
    return loss(m.loss_and_gradients, " ".join(STEPS_WEIGHTS), **given, **weights)


# a course's step of a GRU without biases, gradients in rows -----------------------------------------------------------

STEP = "YESAndy/11785-intro-to-DL"
STEP_WEIGHTS = {"Wzh": (4, 4), "Wrh": (4, 4), "Wh": (4, 4), "Wzx": (4, 3), "Wrx": (4, 3), "Wx": (4, 3)}
STEP_LAYER = """

class Layer(GRU_Cell):
    def __init__(self):
        super().__init__(3, 4)

    def backward(self, delta):
        return super().backward(delta.reshape(1, -1))
"""


def of_step(made, name):
    """The gradient of a weight is the attribute with d before the weight's name."""
    return getattr(made, f"d{name}")


SUBJECTS = [
    Subject(
        CAPTIONS,
        "captions",
        (
            Part("cs231n/rnn_layers.py", CAPTIONS_TAKEN, module="rnn_layers"),
            Part("cs231n/classifiers/rnn.py", "CaptioningRNN", (), "from rnn_layers import *", CAPTIONS_LOSS),
        ),
        captions,
    ),
    Subject(
        IMAGES,
        "convolution",
        (Part("13 backprob again/MyANN.py", IMAGES_TAKEN, after=IMAGES_LOSS),),
        images,
    ),
    Subject(
        WORDS,
        "RNN",
        (
            Part(
                "RNN/rnn_numpy.py",
                "softmax RNN",
                WORDS_EDITS,
                "time_step, hidden_dim = 4, 3\ninput_dim = output_dim = 5",
                WORDS_LOSS,
            ),
        ),
        words,
    ),
    Subject(
        ROW,
        "RNN",
        (
            Part(
                "RNN/RNN_from_scratch.ipynb",
                "rnn_next_step rnn_forward output_layer rnn_bptt",
                ROW_EDITS,
                after=ROW_LOSS,
            ),
        ),
        row,
        published="the hidden biases' gradient is added twice; the loss that is shown compares all steps with all",
    ),
    Subject(
        COLUMNS,
        "RNN",
        (Part("lab4/lab4.py", "Network", COLUMNS_EDITS, COLUMNS_READER, COLUMNS_LOSS),),
        columns,
    ),
    Subject(
        STEPS,
        "LSTM",
        (
            Part("utils.py", "softmax one_hot", module="utils"),
            Part("lstm_numpy.py", "LSTM", STEPS_EDITS, "from utils import *", STEPS_LOSS),
        ),
        steps,
    ),
    Subject(
        STEP,
        "GRU step",
        (
            Part("mytorch/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("mytorch/gru_cell.py", "GRU_Cell", (), "from activation import *", STEP_LAYER),
        ),
        object_of("Layer", STEP_WEIGHTS, "x h", of_step, x=(3,), h=(4,)),
    ),
]
