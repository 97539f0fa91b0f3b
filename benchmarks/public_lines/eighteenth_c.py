"""Subjects by owners Q to Z: a course's characters and LSTM, tweets, a graph of gates, norms, a notebook, a cell."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, prefixed

# a course's characters in a class: columns, weights and gradients in dicts, averaged over the steps -------------------

GOBLET = "RammeDon/Vanilla-CharRNN-on-Goblet-of-Fire"
GOBLET_WEIGHTS = {"U": (3, 6), "W": (3, 3), "V": (6, 3), "b": (3, 1), "c": (6, 1)}
GOBLET_LOSS = f"""

def loss_and_gradients(X, Y, hprev, {", ".join(GOBLET_WEIGHTS)}):
    rnn = CharRNN(6, 3)
    rnn.params = dict(zip({list(GOBLET_WEIGHTS)}, ({", ".join(GOBLET_WEIGHTS)})))
    loss, cache, h_last = rnn._forward(X, Y, hprev)
    return loss, rnn._backward(cache)
"""


def goblet(m):
    r = numbers()
    weights = weights_of(r, " ".join(GOBLET_WEIGHTS), *GOBLET_WEIGHTS.values())
    hot = np.eye(6)[:, [2, 0, 5, 5, 1, 3]]
    return loss(m.loss_and_gradients, " ".join(GOBLET_WEIGHTS), X=hot[:, :-1], Y=hot[:, 1:], hprev=r(3, 1), **weights)


# a classifier of tweets: embeddings that are fixed, an LSTM in columns, one neuron at its end -------------------------

TWEETS = "sachin-101/Sentiment-Analysis-using-LSTM-from-Scratch"
TWEETS_SHAPES = {f"{kind}{gate}": (3, 5) if kind == "W" else (3, 1) for gate in "fico" for kind in "Wb"}
TWEETS_SHAPES |= {"W2": (1, 3), "b2": (1, 1)}
TWEETS_LSTM = (
    ("a_next = np.zeros((n_a,m))", "a_next = self.a0"),
    ("c_next = np.zeros(a_next.shape)", "c_next = self.c0"),
)
TWEETS_EDITS = (
    ("        self.ADAM_OPTIMIZER = Adam(n_x, lstm_units)\n", ""),
    ("dA1 = np.dot(W2.T, dZ2)", "dA1 = (1/m)*np.dot(W2.T, dZ2)"),  # see README.md
)
TWEETS_LOSS = f"""

def loss_and_gradients(X, Y, embedding, a0, c0, {", ".join(TWEETS_SHAPES)}):
    network = NeuralNetwork(embedding, 3, 2, X.shape[1])
    network.LSTM_layer.a0, network.LSTM_layer.c0 = a0, c0
    parameters = dict(zip({list(TWEETS_SHAPES)}, ({", ".join(TWEETS_SHAPES)})))
    dense_cache, lstm_caches = network.forward_prop(network.Embedding_vectors(X), parameters)
    dense_grads, dA1 = network.backprop_Dense(Y, dense_cache)
    lstm_grads = network.LSTM_layer.back_prop_through_time(dA1, lstm_caches, len(X), parameters)
    gradients = {{**lstm_grads, **dense_grads}}
    return network.cost_func(dense_cache["a2"], Y), {{name[1:]: gradient for name, gradient in gradients.items()}}
"""


def tweets(m):
    r = numbers()
    weights = weights_of(r, " ".join(TWEETS_SHAPES), *TWEETS_SHAPES.values())
    given = {"X": np.array([[3, 0, 2, 4], [1, 4, 4, 0]]), "Y": np.array([[1, 0]]), "embedding": r(5, 2)}
    given |= {"a0": r(3, 2), "c0": r(3, 2)}
    return loss(m.loss_and_gradients, " ".join(TWEETS_SHAPES), **given, **weights)


# a GRU written as a graph of small layers that share their weights over time; one example, biases are first columns ---

GRAPH = "santinic/claudioflow"
GRAPH_LAYERS = "Linear MatrixWeight Sigmoid Tanh Sum Neg Mul Concat"
GRAPH_SYNTAX = "SyntaxOp Var Linear Tanh Sigmoid Sum Neg Mul Concat Const"
GRAPH_WEIGHTS = {"Wz": (4, 8), "Wr": (4, 8), "W": (4, 8), "decoderW": (3, 5)}
GRAPH_LOSS = f"""

def loss_and_gradients(xs, targets, h0, {", ".join(GRAPH_WEIGHTS)}):
    gru = GRU(len(xs), 3, 4, "randn")
    gru.Wz.W, gru.Wr.W, gru.W.W, gru.decoderW.W = {", ".join(GRAPH_WEIGHTS)}
    gru.last_h.set(h0)
    ys, dJdys, mean_loss = gru.forward_window(list(zip(xs, targets)), CrossEntropyLoss())
    gru.backward_window(dJdys)
    return mean_loss * len(xs), *(weight.delta for weight in (gru.Wz, gru.Wr, gru.W, gru.decoderW))
"""
GRAPH_PARTS = (
    Part("utils.py", "split_array_into_variable_sizes", module="utils"),
    Part("shared.py", "SharedMemory", module="shared"),
    Part("network.py", "Layer", module="network"),
    Part("loss.py", "CrossEntropyLoss", module="loss"),
    Part(
        "layers.py",
        GRAPH_LAYERS,
        (("map(len, values)", "list(map(len, values))"),),  # from Python 2
        "from network import Layer\nfrom utils import split_array_into_variable_sizes",
        module="layers",
    ),
    Part(
        "syntax.py",
        GRAPH_SYNTAX,
        (  # from Python 2 and the NumPy of then
            ("iteritems", "items"),
            ("np.array(x))", "np.array(x, dtype=float if len({np.size(v) for v in values}) == 1 else object))"),
        ),
        "import layers",
        module="syntax",
    ),
    Part(
        "rnn/rnn.py",
        "RNN",
        (("reversed(zip(self.nodes, dJdys))", "reversed(list(zip(self.nodes, dJdys)))"),),  # from Python 2
        module="rnn",
    ),
    Part(
        "rnn/gru.py",
        "GRU GRUNode",
        (),
        "from layers import MatrixWeight\nfrom loss import CrossEntropyLoss\nfrom rnn import RNN\n"
        "from shared import SharedMemory\nfrom syntax import Concat, Const, Linear, Sigmoid, Tanh, Var",
        GRAPH_LOSS,
    ),
)


def graph(m):
    r = numbers()
    weights = weights_of(r, " ".join(GRAPH_WEIGHTS), *GRAPH_WEIGHTS.values())
    given = {"xs": r(4, 3), "targets": np.eye(3)[[2, 0, 0, 1]], "h0": r(4)}
    return loss(m.loss_and_gradients, " ".join(GRAPH_WEIGHTS), **given, **weights)


# two norms of a self-learner; that of layers is told its inputs again and makes mean and variance anew ----------------

NORMS = "Suryadip16/DL_Semester3"
NORMS_WEIGHTS = {"gamma": (1, 4), "beta": (1, 4)}
NORMS_OF_BATCH = """

class Layer(BatchNormalization):
    def __init__(self):
        super().__init__(4)
"""
NORMS_OF_LAYER = """

class Layer(LayerNormalization):
    def __init__(self):
        super().__init__(4)

    def forward(self, X):
        self.X = X
        return super().forward(X)

    def backward(self, d_out):
        return super().backward(d_out, self.X)
"""
NORMS_MAKER = object_of("Layer", NORMS_WEIGHTS, "X gamma beta", X=(3, 4))

# another course's LSTM: the four gates' gradients are slices of one array ---------------------------------------------

SLICES = "SvPolina/assignment3-cs231n"
SLICES_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def slices(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (2, 12), (3, 12), (12,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(3, 4, 2), h0=r(3, 3), **weights)


# a notebook's characters: columns, and for each step a loop back over the steps before it -----------------------------

STEPS = "sweinger/deep_learning"
STEPS_WEIGHTS = {"U": (4, 5), "W": (4, 4), "b": (4, 1), "V": (5, 4), "c": (5, 1)}
STEPS_NAMES = ", ".join(STEPS_WEIGHTS)
STEPS_EDITS = (
    ("def forward_prop(inputs)", f"def forward_prop(inputs, h0, {STEPS_NAMES})"),
    ("hidden_units, 1))\n", "hidden_units, 1))\n    h[-1] = h0\n"),
    ("def back_prop(inputs, targets)", f"def back_prop(inputs, targets, o, h, {STEPS_NAMES})"),
    ("(1 - h[k] ** 2)", "(1 - h[k-1] ** 2)"),  # see README.md
)
STEPS_BEFORE = "hidden_units, num_chars = 4, 5\nsequence_length = 6\nmax_bptt_steps = 5"
STEPS_LOSS = f"""

def loss_and_gradients(inputs, targets, h0, {STEPS_NAMES}):
    o, h = forward_prop(inputs, h0, {STEPS_NAMES})
    return calculate_total_loss(targets, o), *back_prop(inputs, targets, o, h, {STEPS_NAMES})
"""


def steps(m):
    r = numbers()
    weights = weights_of(r, " ".join(STEPS_WEIGHTS), *STEPS_WEIGHTS.values())
    hot = np.eye(5)[[1, 4, 0, 0, 3, 2, 4]][:, :, None]
    given = {"inputs": hot[:-1], "targets": hot[1:], "h0": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(STEPS_WEIGHTS), **given, **weights)


# a third course's cell of a GRU without biases, for vectors: names say what is derived by what ------------------------

CELL = "zihaog0724/cmu-11785-deeplearning-s19"
CELL_WEIGHTS = {"Wzh": (4, 4), "Wrh": (4, 4), "Wh": (4, 4), "Wzx": (4, 3), "Wrx": (4, 3), "Wx": (4, 3)}
CELL_LAYER = """

class Layer(GRU_Cell):
    def __init__(self):
        super().__init__(3, 4)
"""


SUBJECTS = [
    Subject(GOBLET, "RNN", (Part("char_rnn.py", "CharRNN", after=GOBLET_LOSS),), goblet),
    Subject(
        TWEETS,
        "LSTM",
        (
            Part("lstm.py", "LSTM_layer sigmoid", TWEETS_LSTM, module="lstm"),
            Part("neural_net.py", "NeuralNetwork", TWEETS_EDITS, "from lstm import LSTM_layer", TWEETS_LOSS),
        ),
        tweets,
        published="the LSTM's gradients are of the sum over the tweets, all else is of the mean",
    ),
    Subject(GRAPH, "GRU", GRAPH_PARTS, graph),
    Subject(
        NORMS,
        "batch normalisation",
        (Part("batch_and_layer_normalization.py", "BatchNormalization", after=NORMS_OF_BATCH),),
        NORMS_MAKER,
    ),
    Subject(
        NORMS,
        "layer normalisation",
        (Part("batch_and_layer_normalization.py", "LayerNormalization", after=NORMS_OF_LAYER),),
        NORMS_MAKER,
    ),
    Subject(SLICES, "LSTM", (Part("cs231n/rnn_layers.py", SLICES_TAKEN),), slices),
    Subject(
        STEPS,
        "RNN",
        (
            Part(
                "vanilla_rnn.ipynb",
                "forward_prop back_prop calculate_total_loss",
                STEPS_EDITS,
                STEPS_BEFORE,
                STEPS_LOSS,
            ),
        ),
        steps,
        published="what is carried back is multiplied by the tanh's derivative of the step it comes from",
    ),
    Subject(
        CELL,
        "GRU step",
        (Part("hw3/hw3p1/gru.py", "Sigmoid Tanh GRU_Cell", after=CELL_LAYER),),
        object_of("Layer", CELL_WEIGHTS, "x h", prefixed, x=(3,), h=(4,)),
    ),
]
