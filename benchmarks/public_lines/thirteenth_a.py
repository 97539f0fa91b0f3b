"""Subjects by owners 1 to H: two owners' notebooks, courses, layers that keep stacks, a framework, a transformer."""

import numpy as np

from .fourth_models import model
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of, prefixed
from .twelfth_a import of_convolution

# a notebook after a tutorial: from each word back through those before it ---------------------------------------------

TUTORIAL = "1nadequacy/notebooks"
TUTORIAL_EDITS = (('print "', '"'), ("print approx, grad", "approx, grad"))  # Python 2
TUTORIAL_LOSS = """

def loss_and_gradients(x, y, U, V, W):
    rnn = RNNNumpy(5, 3, bptt_truncate=1000)
    rnn.U, rnn.V, rnn.W = U, V, W
    return rnn.calculate_total_loss([x], [y]), *rnn.bptt(x, y)
"""


def tutorial(m):
    r = numbers()
    weights = {"U": 0.7 * r(3, 5), "V": 0.7 * r(5, 3), "W": 0.7 * r(3, 3)}
    return loss(m.loss_and_gradients, "U V W", x=np.array([0, 3, 2, 3]), y=np.array([3, 2, 3, 1]), **weights)


# a learner's notebooks: an LSTM with its last state alone, attention with heads by einsum -----------------------------

LEARNER = "aaryan124/cnn-from-scratch"
LEARNER_WEIGHTS = {f"{kind}{gate}": (3, 7) if kind == "W" else (3, 1) for kind in "Wb" for gate in "figo"}
LEARNER_EDITS = (
    ("        return h\n", "    return h\n"),  # see README.md
    ("h_prev = np.zeros((self.hidden_size,1))", "h_prev = self.h0"),
    ("c_prev = np.zeros((self.hidden_size,1))", "c_prev = self.c0"),
    ("# Update parameters", f"return {', '.join(f'd{name}' for name in LEARNER_WEIGHTS)}"),
)
SEQUENCE = """

class Sequence(LSTM):
    def __init__(self):
        super().__init__(4, 3)
"""
HEADS = """

class Attention(MultiHeadSelfAttention):
    def __init__(self):
        super().__init__(6, 2)
"""
HEADS_WEIGHTS = {f"W_{name}": (6, 6) for name in "qkvo"}

# a course's network for characters: vectors, all steps' gradients in arrays, an object for the gradients --------------

COURSE = "Acander/Deep_Learning_DD2424"
COURSE_EDITS = (("np.minimum(grad, 5), -5", "np.minimum(grad, 1000), -1000"),)
COURSE_LOSS = """

def loss_and_gradients(X, Y, h, U, W, V, b, c):
    rnn = RNN(5)
    rnn.m = 3
    rnn.weights_U, rnn.weights_W, rnn.weights_V, rnn.bias_b, rnn.bias_c = U, W, V, b, c
    found, loss, _ = compute_gradients(X, Y, h, rnn, None)
    return loss, found.g_U, found.g_W, found.g_V, found.g_b, found.g_c
"""
COURSE_PARTS = (
    Part("Assignment1/functions.py", "softmax", module="functions"),
    Part(
        "Assignment4/Assignment4.py",
        "RNN Gradients forward_pass cross_entropy batch_forward_pass compute_gradients",
        COURSE_EDITS,
        "from functions import softmax\n\nTAO = 4",
        COURSE_LOSS,
    ),
)


def course(m):
    r = numbers()
    shapes = {"U": (3, 5), "W": (3, 3), "V": (5, 3), "b": (3,), "c": (5,)}
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()}
    words = np.eye(5)
    given = {"X": words[[0, 3, 2, 3]], "Y": words[[3, 2, 3, 1]], "h": r(3)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# another course's convolution over time: after zeros have been put between the steps ----------------------------------

CONVOLUTION = "artrela/idl-11785"
UPSAMPLED = """

class Upsampled(ConvTranspose1d):
    def __init__(self):
        super().__init__(3, 4, 3, 2)
"""
CONVOLUTION_IMPORTS = "from conv import Conv1d_stride1\nfrom upsampling import Upsample1d"
CONVOLUTION_PARTS = (
    Part("HW2P1/mytorch/nn/resampling.py", "Upsample1d", module="upsampling"),
    Part("HW2P1/mytorch/nn/Conv1d.py", "Conv1d_stride1", module="conv"),
    Part("HW2P1/mytorch/nn/ConvTranspose.py", "ConvTranspose1d", before=CONVOLUTION_IMPORTS, after=UPSAMPLED),
)
CONVOLUTION_WEIGHTS = {"conv1d_stride1.W": (4, 3, 3), "conv1d_stride1.b": (4,)}

# a framework whose layers return nothing: outputs and gradients are attributes; two layers ----------------------------

FRAMEWORK = "daredevil9215/DLFS"
FRAMEWORK_EDITS = (  # see README.md
    ("np.dot(next_hidden_gradient, self.hidden_weights)", "np.dot(next_hidden_gradient, self.hidden_weights.T)"),
)
STACKED = """

class Stacked(RNN):
    def __init__(self):
        super().__init__(4, 3, n_layers=2, predict_sequence=True)
        self.lower, self.upper = self.recurrent_layers

    def forward(self, inputs):
        super().forward(inputs)
        return self.output

    def backward(self, delta):
        super().backward(delta)
        return self.dinputs
"""
STACKED_WEIGHTS = {
    f"{layer}.{name}": shape
    for layer, size in (("lower", 4), ("upper", 3))
    for name, shape in {"input_weights": (size, 3), "hidden_weights": (3, 3), "input_bias": (3,)}.items()
}

# a transformer of modules, encoder and decoder, sublayers called by lambdas -------------------------------------------

TRANSFORMER = "HELLRAISER3/numpy-transformer"
TRANSFORMER_TAKEN = (
    "Parameter Module CrossEntropyLoss Linear LayerNorm Dropout Embedding softmax MultiHeadedAttention "
    "PositionwiseFeedForward SublayerConnection EncoderLayer DecoderLayer Encoder Decoder PositionalEncoding "
    "Generator Transformer make_model"
)
TRANSFORMER_EDITS = (("np.float32", "np.float64"),)
TRANSFORMER_LOSS = """

def translator():
    return make_model(5, 6, N=1, d_model=4, d_ff=7, h=2, dropout=0.0)


def loss_and_gradients(src, tgt, targets, params):
    model, criterion = translator(), CrossEntropyLoss()
    for param, weight in zip(model.parameters(), params):
        param.data[...] = weight
    model.zero_grad()
    logits = model(src, tgt, None, np.tri(tgt.shape[1])[None])
    loss = criterion.forward(logits, targets)
    model.backward(criterion.backward())
    return loss, [param.grad for param in model.parameters()]
"""


def transformer(m):
    r = numbers()
    weights = [0.7 * r(*param.data.shape) for param in m.translator().parameters()]
    given = {"src": np.array([[0, 3, 3, 1], [2, 1, 4, 0]]), "tgt": np.array([[0, 5, 5], [1, 3, 2]])}
    return model(m.loss_and_gradients, weights, **given, targets=np.array([[5, 5, 1], [3, 2, 4]]), params=weights)


# an exercise sheet: layers that put what they are given on stacks and take it off backwards; a rectifier --------------

EXERCISE = "hikyylz/machine-learning-rnn-bptt-from-scratch"
EXERCISE_LOSS = """

def loss_and_gradients(data, labels, h0, W_hx, W_hh, bh, W, b):
    rnn, linear = BasicRNNCell(5, 3), LinearLayer(3, 5)
    rnn.W_hx, rnn.W_hh, rnn.bh, rnn.hs = W_hx, W_hh, bh, [h0]
    linear.W, linear.b = W, b
    loss = run_training([rnn, linear], data, labels, clip_gradients=False, update_weights=False)
    return loss, rnn.dW_hx, rnn.dW_hh, rnn.dbh, linear.dW, linear.db
"""
EXERCISE_PARTS = (
    Part("q1_bptt_for_torch/common.py", "softmax cross_entropy_loss clip_gradient", module="common"),
    Part("q1_bptt_for_torch/BasicRNNCell.py", "BasicRNNCell", before="import common as cm", module="cell"),
    Part("q1_bptt_for_torch/LinearLayer.py", "LinearLayer", before="import common as cm", module="linear"),
    Part(
        "q1_bptt_for_torch/train.py",
        "run_training",
        before="import common as cm\nfrom cell import BasicRNNCell\nfrom linear import LinearLayer",
        after=EXERCISE_LOSS,
    ),
)


def exercise(m):
    r = numbers()
    shapes = {"W_hx": (3, 5), "W_hh": (3, 3), "bh": (3, 1), "W": (5, 3), "b": (5, 1)}
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()}
    words = np.eye(5)
    given = {"data": words[[0, 3, 2, 3, 1]], "labels": words[[3, 2, 3, 1, 4]], "h0": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


SUBJECTS = [
    Subject(
        TUTORIAL,
        "RNN",
        (Part("rnn_numpy.ipynb", "softmax RNNNumpy", TUTORIAL_EDITS, "import operator", TUTORIAL_LOSS),),
        tutorial,
    ),
    Subject(
        LEARNER,
        "LSTM",
        (Part("LSTM_scratch.ipynb", "sigmoid dsigmoid dtanh LSTM", LEARNER_EDITS, after=SEQUENCE),),
        object_of(
            "Sequence",
            LEARNER_WEIGHTS,
            " ".join(LEARNER_WEIGHTS),
            kept={"h0": (3, 1), "c0": (3, 1)},
            inputs=(5, 4),
        ),
        published="the forward pass returns within its loop, after the first step",
    ),
    Subject(
        LEARNER,
        "attention",
        (Part("Multi_Head_Attention.ipynb", "softmax dsoftmax MultiHeadSelfAttention", after=HEADS),),
        object_of("Attention", HEADS_WEIGHTS, "x", prefixed, x=(5, 6)),
    ),
    Subject(COURSE, "RNN", COURSE_PARTS, course),
    Subject(
        CONVOLUTION,
        "transposed convolution over time",
        CONVOLUTION_PARTS,
        object_of("Upsampled", CONVOLUTION_WEIGHTS, "A", of_convolution, A=(2, 3, 5)),
    ),
    Subject(
        FRAMEWORK,
        "stacked RNN",
        (Part("dlfs/layers.py", "RecurrentLayer RNN", FRAMEWORK_EDITS, "class Layer:\n    pass", STACKED),),
        object_of("Stacked", STACKED_WEIGHTS, "inputs", prefixed, inputs=(2, 5, 4)),
        published="the recurrent weights are not transposed",
    ),
    Subject(
        TRANSFORMER,
        "translator",
        (Part("transformer_numpy.py", TRANSFORMER_TAKEN, TRANSFORMER_EDITS, after=TRANSFORMER_LOSS),),
        transformer,
    ),
    Subject(EXERCISE, "RNN", EXERCISE_PARTS, exercise),
]
