"""Subjects by owners L to Z, ending in F to Z: four RNNs, three LSTMs, a GRU both ways, two norms, a convolution."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of

# a course's captions, with its LSTM: every gate's gradient goes through its own columns of the weights ----------------

CAPTIONS = "mrsalehi/CS231n-Assignments"
CAPTIONS_TAKEN = (
    "word_embedding_forward word_embedding_backward sigmoid lstm_step_forward lstm_step_backward lstm_forward "
    "lstm_backward temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (7, 3), "W_proj": (5, 4), "b_proj": (4,), "Wx": (3, 16), "Wh": (4, 16), "b": (16,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (4, 7), "b_vocab": (7,)}
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", *"abcd"], range(7)))
    model = CaptioningRNN(words, 5, 3, 4, cell_type="lstm", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 6, 4, 4, 2], [1, 3, 5, 2, 0]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(2, 5), captions=said, **weights)


# the same course's norms: over the batch by many small steps, over the features with an array under two names ---------

NORMS = "pelinbalci/Standford_CS231n"
NORMS_FILE = "assignment_2/cs231n/layers.py"


def batch_norm(m):
    r = numbers()
    given = {"x": r(5, 3), "gamma": r(3), "beta": r(3), "bn_param": {"mode": "train"}}
    return pair(m.batchnorm_forward, m.batchnorm_backward, "x gamma beta", **given)


def layer_norm(m):
    r = numbers()
    given = {"x": r(3, 5), "gamma": r(5), "beta": r(5), "ln_param": {}}
    return pair(m.layernorm_forward, m.layernorm_backward, "x gamma beta", **given)


# another course's characters: a class that builds one-hot columns forwards and again backwards ------------------------

BOOK = "perket/DD2424"
BOOK_WEIGHTS = {"W": (3, 3), "U": (3, 6), "V": (6, 3), "b": (3, 1), "c": (6, 1)}
BOOK_EDITS = (
    ('\t\tprint("in backward h:")\n\t\tprint(h)\n', ""),
    ("print ", "lambda: "),  # from Python 2
    ("(`s0`, `s1`)", "(s0, s1)"),
    ("xrange", "range"),
    (", -5, 5)", ", -5000, 5000)"),
)
BOOK_BEFORE = "class td:\n    testU = testV = testW = 0.0"
BOOK_LOSS = f"""

def loss_and_gradients(x, y, h, {", ".join(BOOK_WEIGHTS)}):
    rnn = RNN(3, 0.1, 6, 6)
    rnn.h, rnn.W, rnn.U, rnn.V, rnn.b, rnn.c = h, {", ".join(BOOK_WEIGHTS)}
    loss, p, hs = rnn.forward(x, y)
    dW, dU, dV, db, dc, _ = rnn.backward(x, y, p, hs)
    return loss, dW, dU, dV, db, dc
"""


def book(m):
    r = numbers()
    weights = weights_of(r, " ".join(BOOK_WEIGHTS), *BOOK_WEIGHTS.values())
    given = {"x": [4, 0, 0, 5, 2], "y": [0, 0, 5, 2, 1], "h": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(BOOK_WEIGHTS), **given, **weights)


# a framework's GRU that runs both ways, with a layer and a softmax behind it; weights' gradients are of the mean ------

BOTH = "PLivdan/numpy-cnn"
BOTH_FOLDER = "numpyml/nn"
BOTH_GRU = {"Wz": (5, 6), "Wn": (5, 3), "bz": (1, 6), "bn": (1, 3)}
BOTH_WEIGHTS = {f"{way}_{name}": shape for way in ("left", "right") for name, shape in BOTH_GRU.items()}
BOTH_WEIGHTS |= {"out_W": (24, 3), "out_b": (1, 3)}
BOTH_EDITS = (("self.h = np.zeros((N, T + 1, H))", "self.h = np.zeros((N, T + 1, H))\n        self.h[:, 0] = self.h0"),)
BOTH_BEFORE = (
    "from layers import BaseLayer, Dense\nfrom losses import categorical_crossentropy\nfrom model import Model"
)
BOTH_LOSS = f"""

class Keeper:
    def init_params(self, layer):
        pass

    def update(self, layer, gradients, learning_rate):
        layer.gradients = gradients


def loss_and_gradients(x, y, left_h0, right_h0, {", ".join(BOTH_WEIGHTS)}):
    both, out, model = Bidirectional(GRU(3, return_sequences=True)), Dense(3, "softmax"), Model()
    model.add(both)
    model.add(out)
    model.compile(x.shape, Keeper())
    layers = {{"left": both.forward_layer, "right": both.backward_layer, "out": out}}
    layers["left"].h0, layers["right"].h0 = left_h0, right_h0
    places = [place.split("_") for place in {list(BOTH_WEIGHTS)}]
    for (layer, name), weight in zip(places, ({", ".join(BOTH_WEIGHTS)})):
        layers[layer].params[name] = weight
    loss = model.train_on_batch(x, y, categorical_crossentropy, 0.1, l2_lambda=0)
    return loss, *(layers[layer].gradients[f"d{{name}}"] for layer, name in places)
"""


def both(m):
    r = numbers()
    weights = weights_of(r, " ".join(BOTH_WEIGHTS), *BOTH_WEIGHTS.values())
    given = {"x": r(2, 4, 2), "y": np.eye(3)[[2, 0]], "left_h0": r(2, 3), "right_h0": r(2, 3)}
    return loss(m.loss_and_gradients, " ".join(BOTH_WEIGHTS), **given, **weights)


# an RNN that names the class of a series after its last step; gradients of the mean -----------------------------------

SERIES = "PriyanshuKharel/neural-network"
SERIES_TAKEN = "tanh tanh_derivative softmax cross_entropy_loss RNNCell OutputLayer RNN"
SERIES_EDITS = (
    ("h_prev = np.zeros((batch_size, self.hidden_size))", "h_prev = self.h0"),
    ("clip_value = 5.0", "clip_value = 5000.0"),
    ("self.W -= learning_rate * dW", "self.dW = dW"),
    ("self.b -= learning_rate * db", "self.db = db"),
)
SERIES_WEIGHTS = {"W_xh": (2, 4), "W_hh": (4, 4), "b_h": (1, 4), "W": (4, 3), "b": (1, 3)}
SERIES_LOSS = """

def loss_and_gradients(x, y, h0, W_xh, W_hh, b_h, W, b):
    rnn = RNN(2, 4, 3)
    cell, out = rnn.rnn_cell, rnn.output_layer
    cell.h0, cell.W_xh, cell.W_hh, cell.b_h, out.W, out.b = h0, W_xh, W_hh, b_h, W, b
    y_pred, h_all, h_final = rnn.forward(x)
    loss = cross_entropy_loss(y_pred, y)
    rnn.backward(y_pred, y, 0.0)
    return loss, cell.dW_xh, cell.dW_hh, cell.db_h, out.dW, out.db
"""


def series(m):
    r = numbers()
    weights = weights_of(r, " ".join(SERIES_WEIGHTS), *SERIES_WEIGHTS.values())
    given = {"x": r(3, 5, 2), "y": np.eye(3)[[0, 2, 0]], "h0": r(3, 4)}
    return loss(m.loss_and_gradients, " ".join(SERIES_WEIGHTS), **given, **weights)


# an LSTM that learns after every step from that step alone; its gates' names are long ---------------------------------

STEP = "rizkyrivaldi/lstm_from_scratch"
STEP_GATES = ("gforget", "ginput_i", "ginput_g", "goutput")
STEP_SHAPES = {"state": (4, 4), "input": (3, 4), "bias": (1, 4)}
STEP_WEIGHTS = {f"{gate}_{kind}": shape for gate in STEP_GATES for kind, shape in STEP_SHAPES.items()}
STEP_EDITS = (
    ("do_input_g = self.alpha * ", "do_input_g = self.error * "),  # see README.md
    *((f"self.w_{name} += delta_{name}", f"self.delta_{name} = delta_{name}") for name in STEP_WEIGHTS),
)
STEP_LOSS = f"""

def loss_and_gradients(x, actual, state, cell, {", ".join(STEP_WEIGHTS)}):
    lstm = LSTM([3, 4], alpha=1.0)
    lstm.state_vector_old, lstm.cell_vector_old = state, cell
    for name, weight in zip({list(STEP_WEIGHTS)}, ({", ".join(STEP_WEIGHTS)})):
        setattr(lstm, f"w_{{name}}", weight)
    lstm.feedForward(x)
    lstm.backPropagation(actual)
    loss = 0.5 * np.sum((np.array(actual) - lstm.state_vector) ** 2)
    return loss, *(-getattr(lstm, f"delta_{{name}}") for name in {list(STEP_WEIGHTS)})
"""


def step(m):
    r = numbers(3)
    weights = weights_of(r, " ".join(STEP_WEIGHTS), *STEP_WEIGHTS.values())
    given = {"x": r(3), "actual": [0.4, -0.7, 0.1, 0.9], "state": r(1, 4), "cell": r(1, 4)}
    return loss(m.loss_and_gradients, " ".join(STEP_WEIGHTS), **given, **weights)


# a course's characters: vectors without a second axis, outer products -------------------------------------------------

VECTORS = "simon-jarvers/DD2424"
VECTORS_FOLDER = "Assignment 4"
VECTORS_WEIGHTS = {"U": (4, 5), "W": (4, 4), "V": (5, 4), "b": (4,), "c": (5,)}
VECTORS_EDITS = (("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -5000, 5000, out=dparam)"),)
VECTORS_BEFORE = 'from utils import softmax\n\n\ndef get_book_data(book_fname):\n    return "cabdeed"'
VECTORS_LOSS = """

def loss_and_gradients(inputs, targets, hprev, U, W, V, b, c):
    rnn = RNN("book", hidden_size=4, seq_length=4)
    rnn.U, rnn.W, rnn.V, rnn.b, rnn.c = U, W, V, b, c
    xs, hs, ps = rnn.forward(inputs, hprev)
    return rnn.loss(ps, targets), *rnn.backward(xs, hs, ps, targets)
"""


def vectors(m):
    r = numbers()
    weights = weights_of(r, " ".join(VECTORS_WEIGHTS), *VECTORS_WEIGHTS.values())
    given = {"inputs": [3, 1, 1, 0], "targets": [1, 1, 0, 4], "hprev": r(4)}
    return loss(m.loss_and_gradients, " ".join(VECTORS_WEIGHTS), **given, **weights)


# an LSTM that forgets nothing and has no biases; a softmax that learns by squares, through its Jacobian ---------------

UNFORGETTING = "supelec-lstm/pylstm"
UNFORGETTING_TAKEN = "Weights sigmoid softmax cost_function_derivative LstmCell LstmNetwork"
UNFORGETTING_WEIGHTS = {"wg": (3, 7), "wi": (3, 7), "wo": (3, 7), "wy": (5, 3)}
UNFORGETTING_EDITS = (
    ("previous_s or ", "previous_s if previous_s is not None else "),
    ("previous_h or ", "previous_h if previous_h is not None else "),
)
UNFORGETTING_LOSS = """

def loss_and_gradients(X, Y, s, h, wg, wi, wo, wy):
    weights = Weights(3, 4, 5)
    weights.wg, weights.wi, weights.wo, weights.wy = wg, wi, wo, wy
    weights.descend_gradient = lambda learning_rate: None
    network = LstmNetwork(weights, len(X))
    network.learn(X, Y, previous_s=s, previous_h=h)
    loss = sum(0.5 * np.sum((cell.y - y) ** 2) for cell, y in zip(network.cells, Y))
    first = network.cells[0]
    return loss, weights.dwg, weights.dwi, weights.dwo, weights.dwy, first.ds, first.dh
"""


def unforgetting(m):
    r = numbers()
    weights = weights_of(r, " ".join(UNFORGETTING_WEIGHTS), *UNFORGETTING_WEIGHTS.values())
    given = {"X": r(4, 4, 1), "Y": np.eye(5)[[3, 0, 0, 4]][..., None], "s": r(3, 1), "h": r(3, 1)}
    return loss(m.loss_and_gradients, f"{' '.join(UNFORGETTING_WEIGHTS)} s h", **given, **weights)


# a notebook's convolution of one series, by loops over places; it is three long ---------------------------------------

PLACES = "t-owaki/diveintocode-ml"
PLACES_EDITS = (
    ("            for i in range(len(self.W)-1):", "            for i in range(n_out):"),  # see README.md
    ("sig += self.B", "sig += self.B[0]"),  # NumPy makes no number of an array any more
)
PLACES_LAYER = """

class Layer(CNN_FC):
    def __init__(self):
        super().__init__(None, None, SGD(0.0), 1, 0)
"""


def with_l(made, path):
    """The gradient of a weight is the attribute with L before the weight's name."""
    return getattr(made, f"L{path}")


# an RNN that turns a series of numbers into another, a tanh object for every step -------------------------------------

CURVE = "THOTHSM/RNN-Scratch"
CURVE_WEIGHTS = {"Wx": (5, 1), "Wh": (5, 5), "Wy": (1, 5), "bias": (5, 1)}
CURVE_EDITS = (("np.clip(dvalues, -5, 5, out=dvalues)", "np.clip(dvalues, -5000, 5000, out=dvalues)"),)
CURVE_LOSS = """

def loss_and_gradients(x, y, h0, Wx, Wh, Wy, bias):
    rnn = RNN(5, x)
    rnn.H[0], rnn.Wx, rnn.Wh, rnn.Wy, rnn.bias = h0, Wx, Wh, Wy, bias
    rnn.forward(Tanh)
    dy = rnn.y_pred - y
    rnn.backward(dy)
    return 0.5 * np.sum(dy**2), rnn.dWx, rnn.dWh, rnn.dWy, rnn.dbias
"""


def curve(m):
    r = numbers()
    weights = weights_of(r, " ".join(CURVE_WEIGHTS), *CURVE_WEIGHTS.values())
    given = {"x": r(6), "y": r(6, 1), "h0": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join(CURVE_WEIGHTS), **given, **weights)


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
    Subject(NORMS, "batch norm", (Part(NORMS_FILE, "batchnorm_forward batchnorm_backward"),), batch_norm),
    Subject(NORMS, "layer norm", (Part(NORMS_FILE, "layernorm_forward layernorm_backward"),), layer_norm),
    Subject(
        BOOK,
        "RNN",
        (Part("Assignment 4/source/Datasets/lab4.py", "RNN", BOOK_EDITS, BOOK_BEFORE, BOOK_LOSS),),
        book,
    ),
    Subject(
        BOTH,
        "bidirectional GRU",
        (
            Part(f"{BOTH_FOLDER}/layers.py", "BaseLayer Dense", module="layers"),
            Part(f"{BOTH_FOLDER}/losses.py", "categorical_crossentropy", module="losses"),
            Part(f"{BOTH_FOLDER}/model.py", "Model", module="model"),
            Part(f"{BOTH_FOLDER}/recurrent.py", "_sigmoid GRU Bidirectional", BOTH_EDITS, BOTH_BEFORE, BOTH_LOSS),
        ),
        both,
    ),
    Subject(
        SERIES,
        "RNN",
        (Part("rnn_scratch.py", SERIES_TAKEN, SERIES_EDITS, after=SERIES_LOSS),),
        series,
    ),
    Subject(
        STEP,
        "LSTM step",
        (Part("utils/NN_numpy.py", "LSTM", STEP_EDITS, after=STEP_LOSS),),
        step,
        published="the candidate's gradient takes the learning rate in place of the error",
    ),
    Subject(
        VECTORS,
        "RNN",
        (
            Part(f"{VECTORS_FOLDER}/utils.py", "softmax", module="utils"),
            Part(
                f"{VECTORS_FOLDER}/recurrent_network.py",
                "DataLoader RNN",
                VECTORS_EDITS,
                VECTORS_BEFORE,
                VECTORS_LOSS,
            ),
        ),
        vectors,
    ),
    Subject(
        UNFORGETTING,
        "LSTM",
        (Part("lstm.py", UNFORGETTING_TAKEN, UNFORGETTING_EDITS, after=UNFORGETTING_LOSS),),
        unforgetting,
    ),
    Subject(
        PLACES,
        "convolution",
        (Part("sprint11.ipynb", "SGD CNN_FC N_OUT", PLACES_EDITS, after=PLACES_LAYER),),
        object_of("Layer", {"W": (3,), "B": (1,)}, "X", with_l, X=(6,)),
        published="the filter's gradient covers only as many places as the filter is long, less one",
    ),
    Subject(CURVE, "RNN", (Part("RNN.py", "Tanh RNN", CURVE_EDITS, after=CURVE_LOSS),), curve),
]
