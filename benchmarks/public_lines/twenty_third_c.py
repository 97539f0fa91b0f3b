"""Subjects by owners that begin with C, F, I, L, O or T: an LSTM and an RNN in layers, two LSTMs in functions, a GRU
cell in columns, trees of words, a network with normed batches, a convolution in loops."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of, place, prefixed

# an LSTM in a set of layers: one dense layer makes all gates, rows of the input are steps, biases in the weights ------

LAYERS = "charles-vzf/modularyNN"
LAYERS_WEIGHTS = {"fc_gates.weights": (9, 20), "fc_hy.weights": (6, 7)}
# as published it takes a cell of zeros for the one before the first step, also when it went on from what was kept
LAYERS_CELL = (("else np.zeros_like(self.c_states[0])", "else self.c0"),)
LAYERS_LAYER = """

class Layer(LSTM):
    def __init__(self):
        super().__init__(3, 5, 7)
        self.memorize = True

    def forward(self, input_tensor):
        self.h, self.c = np.zeros((len(input_tensor), 5)), np.zeros((len(input_tensor), 5))
        self.h[-1], self.c[-1] = self.h0, self.c0
        return super().forward(input_tensor)
"""


def of_layers(made, path):
    return {"fc_gates.weights": made.grad_w_gates, "fc_hy.weights": made.grad_w_hy}[path]


# two LSTMs, one on the other, for readings of a machine: functions with caches, a class that gives loss and gradients -

READINGS = "CoderKotori/GraduateDesign_core"
READINGS_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"
READINGS_TAKEN += " temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
READINGS_EDITS = (  # from Python 2, and first states that are given
    ("iteritems()", "items()"),
    ("np.float)", "float)"),
    ("h0 = np.zeros((data_in.shape[0], Wh.shape[0]))", "h0 = self.h0"),
    ("h02 = np.zeros((data_in.shape[0], Wh2.shape[0]))", "h02 = self.h02"),
)
READINGS_WEIGHTS = {"Wx": (3, 20), "Wh": (5, 20), "b": (20,), "Wx2": (5, 20), "Wh2": (5, 20), "b2": (20,)}
READINGS_WEIGHTS |= {"W_vocab": (5, 7), "b_vocab": (7,)}
READINGS_LOSS = f"""

def loss_and_gradients(data_in, data_out, h0, h02, {", ".join(READINGS_WEIGHTS)}):
    model = CaptioningRNN(input_dim=3, output_dim=7, hidden_dim=5)
    model.h0, model.h02 = h0, h02
    for name, weight in zip({list(READINGS_WEIGHTS)}, ({", ".join(READINGS_WEIGHTS)})):
        model.params[name] = weight
    return model.loss(data_in, data_out)
"""


def readings(m):
    r = numbers()
    weights = weights_of(r, " ".join(READINGS_WEIGHTS), *READINGS_WEIGHTS.values())
    said = np.array([[6, 0, 3, 3], [1, 5, 2, 0], [4, 4, 6, 1]])
    given = {"data_in": r(3, 4, 3), "data_out": said, "h0": r(3, 5), "h02": r(3, 5)}
    return loss(m.loss_and_gradients, " ".join(READINGS_WEIGHTS), **given, **weights)


# a course's network for pictures: a convolution and the highest of each window in loops over all places, classes ------

WINDOWS = "ImanuelSG/IF3270---CNN-RNN---50"
WINDOWS_FUNCTIONS = "tanh tanh_derivative softmax softmax_derivative"
WINDOWS_TABLE = '\nACTIVATIONS = {"tanh": (tanh, tanh_derivative), "softmax": (softmax, softmax_derivative)}'
# as published the flat gradient gets the shape of the picture, but the picture's axes had been turned,
WINDOWS_FLAT = (
    (
        "return dA.reshape(self.input_shape)",
        "B, C, H, W = self.input_shape\n        return dA.reshape(B, H, W, C).transpose(0, 3, 1, 2)",
    ),
)
# and the loss is a mean over the pictures, but what goes back from the last layer is not divided by their number
WINDOWS_DENSE = (("dX = dZ @ self.weights", "dX = dZ @ self.weights / m"),)
WINDOWS_WEIGHTS = {"filters": (5, 4, 3, 4), "filter_bias": (5,), "W": (7, 20), "b": (7,)}
WINDOWS_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(WINDOWS_WEIGHTS)}):
    conv = Conv2D(5, (3, 4), padding=1, activation="tanh")
    conv.weights, conv.bias = filters, filter_bias
    dense = DenseLayer(7, "softmax")
    dense.weights, dense.bias = W, b
    layers = [conv, Pooling(3, "max", strides=1), Flatten(), dense]
    y_pred = x
    for layer in layers:
        y_pred = layer.forward(y_pred)
    loss_fn = CategoricalCrossEntropyLoss()
    loss = loss_fn.forward(y_pred, y)
    gradient = dense.backward(loss_fn.backward(y_pred, y), y)
    for layer in reversed(layers[:-1]):
        gradient = layer.backward(gradient)
    return loss, gradient, conv.grad_weights, conv.grad_bias, dense.grad_weights, dense.grad_bias
"""


def windows(m):
    r = numbers()
    weights = weights_of(r, " ".join(WINDOWS_WEIGHTS), *WINDOWS_WEIGHTS.values())
    given = {"x": 0.3 * r(3, 4, 4, 5), "y": np.eye(7)[[4, 0, 6]]}
    return loss(m.loss_and_gradients, "x " + " ".join(WINDOWS_WEIGHTS), **given, **weights)


# a course's GRU cell, rows forwards and columns backwards, with derivatives written out from the gates' values --------

CELL = "LucaSfragara/SfraTorch"
CELL_WEIGHTS = {f"W{gate}x": (5, 3) for gate in "rzn"} | {f"W{gate}h": (5, 5) for gate in "rzn"}
CELL_WEIGHTS |= {f"b{gate}{kind}": (5,) for gate in "rzn" for kind in "xh"}
CELL_LAYER = """

class Cell(GRUCell):
    def __init__(self):
        super().__init__(3, 5)
"""


# a network for a book's exercises: dense layers, normed batches, a smooth activation, a penalty; layers in a dict -----

BOOK = "oilneck/prml_python"
BOOK_FUNCTIONS = "tanh sigmoid softmax softplus swish mish"
BOOK_WEIGHTS = {"W1": (3, 5), "b1": (5,), "gamma1": (5,), "beta1": (5,)}
BOOK_WEIGHTS |= {"W2": (5, 7), "b2": (7,), "gamma2": (7,), "beta2": (7,), "W3": (7, 4), "b3": (4,)}
BOOK_MODULES = ("functions", "layer", "hipstar_tech", "affine", "softmax_cross_entropy")
BOOK_IMPORTS = "\n".join(["from collections import OrderedDict", *(f"from {name} import *" for name in BOOK_MODULES)])
# what it measures its success with is not needed
BOOK_EDITS = (("self.metric = Categorical_accuracy()", "self.metric = None"),)
BOOK_LOSS = f"""

def loss_and_gradients(x, t, {", ".join(BOOK_WEIGHTS)}):
    model = Neural_net(3, [5, 7], 4, alpha=0.1, batch_norm=True)
    model.add(["swish", "mish"])
    given = dict(zip({list(BOOK_WEIGHTS)}, ({", ".join(BOOK_WEIGHTS)})))
    model.params.update(given)
    for n in (1, 2, 3):
        dense = model.layers[f"DenseLayer_{{n}}"]
        dense.W, dense.b = given[f"W{{n}}"], given[f"b{{n}}"]
    for n in (1, 2):
        model.layers[f"Batch_Norm_{{n}}"].set_param(given[f"gamma{{n}}"], given[f"beta{{n}}"])
    model.set_loss("categorical_crossentropy")
    return model.loss(x, t), model.gradient(x, t)
"""


def book(m):
    r = numbers()
    weights = weights_of(r, " ".join(BOOK_WEIGHTS), *BOOK_WEIGHTS.values())
    given = {"x": r(11, 3), "t": np.eye(4)[[0, 3, 3, 1, 2, 0, 1, 3, 2, 2, 0]]}
    return loss(m.loss_and_gradients, " ".join(BOOK_WEIGHTS), **given, **weights)


# a course's trees: two children make a parent, one more layer guesses at each node; recursion, nodes keep their values

TREES = "tiagokv/cs224d"
TREES_EDITS = (  # from Python 2
    ('print "', 'lambda: "'),
    (".iterkeys()", ".keys()"),
    (".itervalues()", ".values()"),
    ("xrange", "range"),
)
TREES_BEFORE = "import collections\nfrom tree import Tree, leftTraverse, mapWords"
TREES_WEIGHTS = {"L": (5, 11), "W1": (5, 10), "b1": (5,), "W2": (7, 5), "b2": (7,), "Ws": (4, 7), "bs": (4,)}
TREES_LOSS = f"""

def loss_and_gradients(lines, {", ".join(TREES_WEIGHTS)}):
    trees = [Tree(line) for line in lines]
    for tree in trees:
        leftTraverse(tree.root, mapWords, dict(zip("abcdefghijk", range(11))))
    net = RNN2(5, 7, 4, 11, mbSize=3, rho=0.1)
    net.initParams()
    net.stack = [{", ".join(TREES_WEIGHTS)}]
    cost, (dL, *gradients) = net.costAndGrad(trees)
    words = np.zeros(L.shape)
    for word, gradient in dL.items():
        words[:, word] = gradient
    return cost, words, *gradients
"""


def trees(m):
    r = numbers()
    weights = weights_of(r, " ".join(TREES_WEIGHTS), *TREES_WEIGHTS.values())
    lines = ["(3 (1 a) (2 (0 b) (3 c)))", "(0 (2 (1 (3 d) (1 b)) (2 e)) (0 a))", "(1 (0 (2 k) (2 k)) (3 (1 f) (0 g)))"]
    return loss(m.loss_and_gradients, " ".join(TREES_WEIGHTS), lines=lines, **weights)


# a course's RNN out of whole layers: dense, tanh, dense, sigmoid, called at each step; their values kept and put back -

WHOLE = "TimRoerup/HandsOn-DeepLearning"
WHOLE_WEIGHTS = {"hidden_layer.weights": (9, 5), "output_layer.weights": (6, 7)}
WHOLE_LAYER = """

class Layer(RNN):
    def __init__(self):
        super().__init__(3, 5, 7)
        self.memorize, self.forward_first_time = True, False

    def forward(self, input_tensor):
        self.prev_hidden_state = self.h0
        return super().forward(input_tensor)
"""
WHOLE_QUIET = "print = lambda *_: None\n"


def of_whole(made, path):
    return place(made, path)[0].gradient_weights


SUBJECTS = [
    Subject(
        LAYERS,
        "LSTM",
        (
            Part("Layers/Base.py", "BaseLayer", module="base"),
            Part("Layers/FullyConnected.py", "FullyConnected", (), "from base import BaseLayer", module="dense"),
            Part("Layers/Activations.py", "Sigmoid TanH", (), "from base import BaseLayer", module="activations"),
            Part(
                "Layers/LSTM.py",
                "LSTM",
                LAYERS_CELL,
                "from activations import Sigmoid, TanH\nfrom base import BaseLayer\nfrom dense import FullyConnected",
                LAYERS_LAYER,
            ),
        ),
        object_of("Layer", LAYERS_WEIGHTS, "input_tensor", of_layers, {"h0": (5,), "c0": (5,)}, input_tensor=(4, 3)),
        published="takes a cell of zeros before the first step, also when it goes on from a cell that was kept",
    ),
    Subject(
        READINGS,
        "LSTMs",
        (
            Part("rnn_layers.py", READINGS_TAKEN, (("print 'dx_flat: ', dx_flat.shape", "pass"),), module="rnn_layers"),
            Part("rnn.py", "CaptioningRNN", READINGS_EDITS, "from rnn_layers import *", READINGS_LOSS),
        ),
        readings,
    ),
    Subject(
        WINDOWS,
        "convolution",
        (
            Part("src/utils/activations.py", WINDOWS_FUNCTIONS, after=WINDOWS_TABLE, module="activations"),
            Part("src/utils/manualloss.py", "LossFunction CategoricalCrossEntropyLoss", module="manualloss"),
            Part("src/layers/layer.py", "Layer", module="layer"),
            Part(
                "src/layers/cnn/usenumpy/conv.py",
                "Conv2D",
                (),
                "from activations import *\nfrom layer import Layer\nprint = lambda *_: None",
                module="conv",
            ),
            Part("src/layers/cnn/usenumpy/pooling.py", "Pooling", (), "from layer import Layer", module="pooling"),
            Part(
                "src/layers/cnn/usenumpy/flatten.py", "Flatten", WINDOWS_FLAT, "from layer import Layer", module="flat"
            ),
            Part(
                "src/layers/cnn/usenumpy/dense.py",
                "DenseLayer",
                WINDOWS_DENSE,
                "\n".join(f"from {name} import *" for name in ("activations", "layer", "manualloss"))
                + "\nfrom conv import Conv2D\nfrom flat import Flatten\nfrom pooling import Pooling",
                WINDOWS_LOSS,
            ),
        ),
        windows,
        published="the flat gradient is put back in another order of axes, and is that of the sum, not of the mean",
    ),
    Subject(
        CELL,
        "GRU cell",
        (
            Part("src/nn/activation.py", "Sigmoid Tanh", module="activation"),
            Part("src/gru_cell.py", "GRUCell", (), "from activation import *", CELL_LAYER),
        ),
        object_of("Cell", CELL_WEIGHTS, "x h_prev_t", prefixed, x=(3,), h_prev_t=(5,)),
    ),
    Subject(
        BOOK,
        "normed batches",
        (
            Part("prml/deepL_module/base/functions.py", BOOK_FUNCTIONS, module="functions"),
            Part(
                "prml/deepL_module/nn/layers/layer.py",
                "Swish_Layer Mish_Layer",
                (),
                "from functions import *",
                module="layer",
            ),
            Part(
                "prml/deepL_module/nn/layers/hipstar_tech.py",
                "Batch_norm_Layer Dropout_Layer",
                module="hipstar_tech",
            ),
            Part("prml/deepL_module/nn/layers/affine.py", "Affine", module="affine"),
            Part(
                "prml/deepL_module/nn/cost_functions/softmax_cross_entropy.py",
                "Softmax_cross_entropy",
                (),
                "from functions import *",
                module="softmax_cross_entropy",
            ),
            Part("prml/deepL_module/nn/multi_layer_nn.py", "Neural_net", BOOK_EDITS, BOOK_IMPORTS, BOOK_LOSS),
        ),
        book,
    ),
    Subject(
        TREES,
        "trees",
        (
            Part("assignment3/tree.py", "Node Tree leftTraverse mapWords", (), 'UNK = "UNK"', module="tree"),
            Part("assignment3/rnn2deep.py", "RNN2", TREES_EDITS, TREES_BEFORE, TREES_LOSS),
        ),
        trees,
    ),
    Subject(
        WHOLE,
        "RNN",
        (
            Part("Layers/Base.py", "BaseLayer", module="base"),
            Part("Layers/TanH.py", "TanH", (), "from base import BaseLayer", module="tanh"),
            Part("Layers/Sigmoid.py", "Sigmoid", (), "from base import BaseLayer", module="sigmoid"),
            Part("Layers/FullyConnected.py", "FullyConnected", (), WHOLE_QUIET + "import base as Base", module="dense"),
            Part(
                "Layers/RNN.py",
                "RNN",
                (),
                WHOLE_QUIET
                + "from copy import deepcopy\nfrom base import BaseLayer\nfrom dense import FullyConnected\n"
                + "from sigmoid import Sigmoid\nfrom tanh import TanH",
                WHOLE_LAYER,
            ),
        ),
        object_of("Layer", WHOLE_WEIGHTS, "input_tensor", of_whole, {"h0": (3, 5)}, input_tensor=(4, 3)),
    ),
]
