"""Subjects drawn by lot from the top of the list: an LSTM in the form of a course, an RNN that is written out in the
method that trains, convolutions with loops, three dense nets, an encoder of tensors that know their derivatives."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# an LSTM in the form of a course: time last, samples in columns, weights in a dict ------------------------------------

COURSE = "ernestng11/rnn-from-scratch"
COURSE_WEIGHTS = {f"W{gate}": (5, 12) for gate in "fico"} | {f"b{gate}": (5, 1) for gate in "fico"}
COURSE_EDITS = (
    # wrong as published: nothing goes from a step to the one before
    ("(da[:, :, t], dc_prevt", "(da[:, :, t] + da_prevt, dc_prevt"),
    (
        '        dWf += gradients["dWf"]',
        '        da_prevt, dc_prevt = gradients["da_prev"], gradients["dc_prev"]\n        dWf += gradients["dWf"]',
    ),
)
COURSE_LOSS = f"""


def forward(x, a0, Wy, by, {", ".join(COURSE_WEIGHTS)}):
    names = "Wy by {" ".join(COURSE_WEIGHTS)}"
    weights = Wy, by, {", ".join(COURSE_WEIGHTS)}
    return lstm_forward(x, a0, dict(zip(names.split(), weights)))


def backward(da, caches):
    gradients = lstm_backward(da, caches)
    return tuple(gradients["d" + name] for name in "x a0 {" ".join(COURSE_WEIGHTS)}".split())
"""


def course(m):
    r = numbers()
    weights = weights_of(r, " ".join(COURSE_WEIGHTS), *COURSE_WEIGHTS.values())
    given = {"x": r(7, 3, 4), "a0": r(5, 3), "Wy": r(2, 5), "by": r(2, 1)}
    return pair(m.forward, m.backward, f"x a0 {' '.join(COURSE_WEIGHTS)}", **given, **weights)


# an RNN of four steps whose backward pass is in the method that trains ------------------------------------------------

TRAINED = "doantienthongbku/SimpleRNN-numpy"
TRAINED_WEIGHTS = {"W_xh": (5, 7), "W_hh": (5, 5), "W_hy": (7, 5), "b_h": (5, 1), "b_y": (7, 1)}
TRAINED_FUNCTIONS = (
    # wrong as published: this is one for all numbers
    ("/ (np.exp(z) - np.exp(-z))", "/ (np.exp(z) + np.exp(-z))"),
)
TRAINED_EDITS = (
    # wrong as published: it is given what it should find
    ("self.forward(y)", "self.forward(x)"),
    # wrong as published: the derivative of the softmax is one
    *(
        (
            f"self.dy_hat[{k}] * softmax(self.p[{k}], derivative=True)",
            f"self.y_hat[{k}] * (self.dy_hat[{k}] - np.sum(self.dy_hat[{k}] * self.y_hat[{k}]))",
        )
        for k in "i0"
    ),
    # wrong as published: nothing goes from a step to the one before
    ("            # Backward\n", "            self.dz[4] = np.zeros_like(self.b_h)\n"),
    ("self.W_hy.T @ (self.dp[i])", "self.W_hy.T @ (self.dp[i]) + self.W_hh.T @ self.dz[i + 1]"),
    ("np.dot(self.W_hy.T, self.dp[0])", "np.dot(self.W_hy.T, self.dp[0]) + np.dot(self.W_hh.T, self.dz[1])"),
    ("or epoch == epochs - 1", "and epoch > 0"),
)
# gradients stay in the model; it learns by nothing
TRAINED_LOSS = f"""


def loss_and_gradients(xs, ys, {", ".join(TRAINED_WEIGHTS)}):
    total, found = 0, [0] * {len(TRAINED_WEIGHTS)}
    for x, y in zip(xs, ys):
        model = RNN()
        model.W_xh, model.W_hh, model.W_hy, model.b_h, model.b_y = {", ".join(TRAINED_WEIGHTS)}
        model.fit(dict(enumerate(x)), dict(enumerate(y)), epochs=1, lr=0)
        total += model.cost_lst[-1]
        grads = model.dW_xh, model.dW_hh, model.dW_hy, model.db_h, model.db_y
        found = [done + grad for done, grad in zip(found, grads)]
    return total, *found
"""


def trained(m):
    r = numbers()
    weights = weights_of(r, " ".join(TRAINED_WEIGHTS), *TRAINED_WEIGHTS.values())
    given = {"xs": r(2, 4, 7, 1), "ys": np.eye(7)[[[6, 0, 2, 4], [1, 1, 3, 0]]][..., None]}
    return loss(m.loss_and_gradients, " ".join(TRAINED_WEIGHTS), **given, **weights)


# convolutions and pools with a loop for each axis ---------------------------------------------------------------------

LOOPS = "ghosh-ml-labs/numpy-cnn-from-scratch"
LOOPS_WEIGHTS = {"W1": (3, 1, 3, 3), "b1": (3,), "W2": (4, 3, 2, 2), "b2": (4,), "W3": (24, 5), "b3": (5,)}
LOOPS_EDITS = (("np.float32", "np.float64"),)
LOOPS_LAYERS = "Conv2D Flatten Linear MaxPool2D ReLU"
LOOPS_BEFORE = f"from layers import Module, {', '.join(LOOPS_LAYERS.split())}\nfrom losses import CrossEntropyLoss"
LOOPS_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(LOOPS_WEIGHTS)}):
    first, second, last = Conv2D(1, 3, 3, padding=1), Conv2D(3, 4, 2, stride=2, padding=1), Linear(24, 5)
    layers = first, second, last
    for layer, weight, bias in zip(layers, (W1, W2, W3), (b1, b2, b3)):
        layer.W, layer.b = weight, bias
    model = Sequential(first, ReLU(), MaxPool2D(3, 2), second, ReLU(), Flatten(), last)
    error = CrossEntropyLoss()
    cost = error.forward(model.forward(x), y)
    dx = model.backward(error.backward())
    return cost, dx, *(grad for layer in layers for grad in (layer.dW, layer.db))
"""


def loops(m):
    r = numbers()
    weights = weights_of(r, " ".join(LOOPS_WEIGHTS), *LOOPS_WEIGHTS.values())
    weights["W3"] *= 0.3  # chances that are not too small, as its loss adds 1e-12 to them
    given = {"x": r(2, 1, 6, 9), "y": np.array([3, 1])}
    return loss(m.loss_and_gradients, f"x {' '.join(LOOPS_WEIGHTS)}", **given, **weights)


# a dense net of functions with weights in a dict, samples in columns --------------------------------------------------

COLUMNS = "alexminyoungpark/Numpy-Neural-Network"
COLUMNS_WEIGHTS = {"W1": (7, 4), "b1": (7, 1), "W2": (6, 7), "b2": (6, 1), "W3": (5, 6), "b3": (5, 1)}
COLUMNS_TAKEN = """compute_loss relu softmax relu_backward single_layer_forward_propagation full_forward_propagation
softmax_backward_propagation relu_backward_propagation full_backward_propagation"""
COLUMNS_LOSS = f"""


def loss_and_gradients(X, Y, {", ".join(COLUMNS_WEIGHTS)}):
    names = "{" ".join(COLUMNS_WEIGHTS)}".split()
    weights = dict(zip(names, ({", ".join(COLUMNS_WEIGHTS)})))
    layers = [{{"activation": kind}} for kind in ("relu", "relu", "softmax")]
    made, memory = full_forward_propagation(X, weights, layers)
    memory["A0"] = X
    grads = full_backward_propagation(made, Y, memory, weights, layers)
    return compute_loss(Y, made), *(grads["d" + name] for name in names)
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, " ".join(COLUMNS_WEIGHTS), *COLUMNS_WEIGHTS.values())
    given = {"X": r(4, 3), "Y": np.eye(5)[:, [4, 0, 2]]}
    return loss(m.loss_and_gradients, " ".join(COLUMNS_WEIGHTS), **given, **weights)


# a dense net of modules for samples in rows, with a loss that is a function -------------------------------------------

ROWS = "Ella475/FCNN-NUMPY"
ROWS_WEIGHTS = {"W1": (4, 7), "b1": (7,), "W2": (7, 6), "b2": (6,), "W3": (6, 5), "b3": (5,)}
ROWS_BEFORE = "from abc import ABC, abstractmethod"
ROWS_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(ROWS_WEIGHTS)}):
    net = FCN([7, 6], 4, 5)
    for layer, weight, bias in zip(net.layers, (W1, W2, W3), (b1, b2, b3)):
        layer.set_params({{"w": {{"value": weight}}, "b": {{"value": bias}}}})
    cost, grad = net.loss(net.forward(x), y)
    net.backward(grad)
    return cost, *(layer.get_params()[name]["grad"] for layer in net.layers for name in "wb")
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, " ".join(ROWS_WEIGHTS), *ROWS_WEIGHTS.values())
    given = {"x": r(3, 4), "y": np.array([4, 0, 2])}
    return loss(m.loss_and_gradients, " ".join(ROWS_WEIGHTS), **given, **weights)


# a dense net of layers that keep their gradients, with four losses and weights that decay -----------------------------

KEPT = "Dhyanesh18/numpy-nn-lib"
KEPT_WEIGHTS = {"A1": (4, 5), "a1": (1, 5), "A2": (5, 1), "a2": (1, 1), "B1": (4, 6), "b1": (1, 6), "B2": (6, 1)}
KEPT_WEIGHTS |= {"b2": (1, 1), "C1": (4, 7), "c1": (1, 7), "C2": (7, 3), "c2": (1, 3), "D1": (4, 1), "d1": (1, 1)}
KEPT_ACTIVATIONS = "RELU Sigmoid Tanh SoftmaxCCE"
KEPT_LOSSES = "MSError Huber BinaryCrossEntropy"
KEPT_BEFORE = f"""from activation import {", ".join(KEPT_ACTIVATIONS.split())}
from layer import Dense
from loss import {", ".join(KEPT_LOSSES.split())}"""
# the decay is in the gradients alone, so its loss is added here; one column, as losses are means over columns, too
KEPT_LOSS = f"""


def built(error, kinds, *weights):
    model = Model()
    for kind, weight, bias in zip(kinds, weights[::2], weights[1::2]):
        dense = Dense(*weight.shape, 0.3, 0.2)
        dense.weights, dense.biases = weight, bias
        model.add(dense)
        if kind:
            model.add(kind())
    model.compile(error, None)
    return model


def loss_and_gradients(x, y, labels, classes, {", ".join(KEPT_WEIGHTS)}):
    models = (
        (built(Huber(1.2), (Tanh, None), A1, a1, A2, a2), y),
        (built(BinaryCrossEntropy(), (RELU, Sigmoid), B1, b1, B2, b2), labels),
        (built(SoftmaxCCE(), (Tanh, None), C1, c1, C2, c2), classes),
        (built(MSError(), (None,), D1, d1), y),
    )
    total, dx, found = 0, 0, []
    for model, wanted in models:
        total += model.loss.forward(model.forward(x), wanted)
        model.backward()
        dx = dx + model.layers[0].dinputs
        for dense in model.layers:
            if isinstance(dense, Dense):
                total += dense.l1 * np.sum(np.abs(dense.weights)) + dense.l2 * np.sum(dense.weights**2)
                found += [dense.dweights, dense.dbiases]
    return total, dx, *found
"""


def kept(m):
    r = numbers()
    weights = weights_of(r, " ".join(KEPT_WEIGHTS), *KEPT_WEIGHTS.values())
    given = {"x": r(3, 4), "y": r(3, 1), "labels": np.array([[1], [0], [1]]), "classes": np.array([2, 0, 1])}
    return loss(m.loss_and_gradients, f"x {' '.join(KEPT_WEIGHTS)}", **given, **weights)


# an encoder of tensors whose operations know their derivatives --------------------------------------------------------

ENCODER = "cameron-cs/transformer-numpy"
ENCODER_WEIGHTS = {"E": (7, 6)}
ENCODER_WEIGHTS |= {name + k: (6, 6) if name == "W" else (6,) for k in "qkvo" for name in "Wb"}
ENCODER_WEIGHTS |= {"W1": (6, 5), "b1": (5,), "W2": (5, 6), "b2": (6,), "W3": (6, 7), "b3": (7,)}
ENCODER_WEIGHTS |= {name + k: (6,) for k in "123" for name in ("gamma", "beta")}
ENCODER_TENSOR = (
    ("dtype=np.float32", "dtype=np.float64"),
    # wrong as published: weights get a gradient for each sample
    (
        "np.matmul(np.swapaxes(self.data, -1, -2), out.grad)",
        "unbroadcast(np.matmul(np.swapaxes(self.data, -1, -2), out.grad), other.data.shape)",
    ),
)
ENCODER_NN = "Module Linear ModuleList Dropout Embedding Softmax ReLU"
ENCODER_LAYER = "src/transformer/layer/"
ENCODER_BEFORE = """from nn import Dropout, Embedding, Linear, Module, ModuleList, ReLU, Softmax
from tensor import Tensor
"""
ENCODER_LAST = f"""{ENCODER_BEFORE}
from multi_head_attention import MultiHeadAttentionBlock
from norm import NormLayer
from position_wise_feed_forward import PositionWiseFeedForwardLayer
from residual_connection import ResidualConnectionLayer"""
# what comes after the block, and the loss, are made of its layers and tensors; a mask of zero lets a place be seen
ENCODER_LOSS = f"""


def loss_and_gradients(words, mask, wanted, {", ".join(ENCODER_WEIGHTS)}):
    np.random.seed(1)  # the same places are dropped each time
    attention, dense = MultiHeadAttentionBlock(2, 6, 0.3), PositionWiseFeedForwardLayer(6, 5, 0.3)
    block, norm = EncoderBlock(6, attention, dense, 0.3), NormLayer(6)
    embedding, last = Embedding(7, 6), Linear(6, 7)
    linears = attention.linear_wq, attention.linear_wk, attention.linear_wv, attention.linear_wo
    linears += dense.linear_w1, dense.linear_w2, last
    norms = *(residual.norm_layer for residual in block.res_connections), norm
    tensors = [embedding.weight, *(tensor for linear in linears for tensor in (linear.weights, linear.bias))]
    tensors += [tensor for each in norms for tensor in (each.gamma, each.beta)]
    for tensor, array in zip(tensors, ({", ".join(ENCODER_WEIGHTS)}), strict=True):
        tensor.data = array
    x = norm(block(embedding(Tensor(words)), Tensor(mask)))
    chances = Softmax()(last(x))
    cost = -(chances.log() * Tensor(wanted)).mean()
    cost.backward()
    return cost.data, *(tensor.grad for tensor in tensors)
"""


def encoder(m):
    r = numbers()
    weights = weights_of(r, " ".join(ENCODER_WEIGHTS), *ENCODER_WEIGHTS.values())
    given = {"words": np.array([[2, 6, 2, 0], [5, 1, 3, 3]]), "wanted": np.eye(7)[[[6, 2, 0, 4], [1, 3, 3, 5]]]}
    given["mask"] = np.tile(np.triu(np.ones((4, 4)), 1), (2, 2, 1, 1))
    return loss(m.loss_and_gradients, " ".join(ENCODER_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        COURSE,
        "LSTM",
        (
            Part("rnn_utils.py", "softmax sigmoid", module="rnn_utils"),
            Part(
                "lstm_forward.py",
                "lstm_cell_forward lstm_forward",
                before="from rnn_utils import sigmoid, softmax",
                module="lstm_forward",
            ),
            Part(
                "lstm_backward.py",
                "lstm_cell_backward lstm_backward",
                COURSE_EDITS,
                "from lstm_forward import lstm_forward",
                COURSE_LOSS,
            ),
        ),
        course,
        published="nothing goes from a step to the one before",
    ),
    Subject(
        TRAINED,
        "RNN",
        (
            Part("utils.py", "tanh dtanh softmax", TRAINED_FUNCTIONS, module="utils"),
            Part("rnn.py", "RNN", TRAINED_EDITS, "import copy\n\nfrom utils import dtanh, softmax, tanh", TRAINED_LOSS),
        ),
        trained,
        published="tanh is one, it is given its targets, its softmax has no derivative, no step goes to the one before",
    ),
    Subject(
        LOOPS,
        "convolutions",
        (
            Part(
                "src/np_cnn/layers.py",
                f"Module {LOOPS_LAYERS}",
                LOOPS_EDITS,
                "import math\nfrom typing import Tuple",
                module="layers",
            ),
            Part("src/np_cnn/losses.py", "CrossEntropyLoss", module="losses"),
            Part("src/np_cnn/model.py", "Sequential", (), LOOPS_BEFORE, LOOPS_LOSS),
        ),
        loops,
    ),
    Subject(
        COLUMNS,
        "dense",
        (Part("nn_preparing/numpy_dnn/main.py", COLUMNS_TAKEN, after=COLUMNS_LOSS),),
        columns,
    ),
    Subject(
        ROWS,
        "dense",
        (
            Part("optimizers.py", "Optimizer SgdOptimizer", before=ROWS_BEFORE, module="optimizers"),
            Part(
                "modules.py",
                "Module Relu Linear LinearRelu NN FCN softmax_loss",
                (),
                f"{ROWS_BEFORE}\n\nfrom optimizers import Optimizer, SgdOptimizer",
                ROWS_LOSS,
            ),
        ),
        rows,
    ),
    Subject(
        KEPT,
        "dense",
        (
            Part("numpy_nn_lib/activation.py", KEPT_ACTIVATIONS, module="activation"),
            Part("numpy_nn_lib/layer.py", "Dense", module="layer"),
            Part("numpy_nn_lib/loss.py", KEPT_LOSSES, module="loss"),
            Part("numpy_nn_lib/model.py", "Model", (), KEPT_BEFORE, KEPT_LOSS),
        ),
        kept,
    ),
    Subject(
        ENCODER,
        "transformer",
        (
            Part("src/nn_utils.py", "xavier_init unbroadcast", before="from typing import Tuple", module="nn_utils"),
            Part(
                "src/tensor.py",
                "Tensor",
                ENCODER_TENSOR,
                "from typing import List, Optional, Tuple, Union\n\nfrom nn_utils import unbroadcast",
                module="tensor",
            ),
            Part("src/parameter.py", "Parameter", before="from tensor import Tensor", module="parameter"),
            Part(
                "src/nn.py",
                ENCODER_NN,
                before="from nn_utils import xavier_init\nfrom tensor import Tensor",
                module="nn",
            ),
            Part(
                ENCODER_LAYER + "attention/scaled_dot_product.py",
                "ScaledDotProductAttentionBlock",
                before="import math\n\n" + ENCODER_BEFORE,
                module="scaled_dot_product",
            ),
            Part(
                ENCODER_LAYER + "attention/multi_head_attention.py",
                "MultiHeadAttentionBlock",
                before=ENCODER_BEFORE + "from scaled_dot_product import ScaledDotProductAttentionBlock",
                module="multi_head_attention",
            ),
            Part(
                ENCODER_LAYER + "feed_forward/position_wise_feed_forward.py",
                "PositionWiseFeedForwardLayer",
                before=ENCODER_BEFORE,
                module="position_wise_feed_forward",
            ),
            Part(
                ENCODER_LAYER + "norm.py",
                "NormLayer",
                before=ENCODER_BEFORE + "from parameter import Parameter",
                module="norm",
            ),
            Part(
                ENCODER_LAYER + "residual_connection.py",
                "ResidualConnectionLayer",
                before=ENCODER_BEFORE + "from norm import NormLayer",
                module="residual_connection",
            ),
            Part(ENCODER_LAYER + "encoder.py", "EncoderBlock", (), ENCODER_LAST, ENCODER_LOSS),
        ),
        encoder,
        published="weights get a gradient for each sample",
    ),
]
