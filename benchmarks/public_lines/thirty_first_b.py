"""Subjects by owners that begin with K, L and N: an RNN of two layers whose steps have weights of their own, an RNN of
three layers, an RNN with rows and diagonal matrices, convolutions by columns, a dense net for one sample at a time, a
dense net that writes into arrays it keeps, word vectors in batches."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# an RNN of two layers that classifies by its last state; each step of each layer is a cell with its own weights -------

STEPS = "kookie12/RNN-numpy"
STEPS_WEIGHTS = {"Whh1": (4, 6, 6), "Wxh1": (4, 6, 3), "b1": (4, 6, 1), "Whh2": (4, 6, 6), "Wxh2": (4, 6, 6)}
STEPS_WEIGHTS |= {"b2": (4, 6, 1), "Why": (5, 6), "by": (5, 1)}
STEPS_EDITS = (
    # smaller
    ("hidden_size = 40, input_size = 50", "hidden_size = 6, input_size = 3"),
    ("hidden_size = 40, input_size = 40", "hidden_size = 6, input_size = 6"),
    ("range(10)", "range(4)"),
    ("x_input.reshape(50,1)", "x_input.reshape(3,1)"),
    # wrong as published: it takes tanh of half of what it is given, but not its slope; weights go back as they are
    ("output = 1 - self.tanh(x)*self.tanh(x)", "output = (1 - self.tanh(x)*self.tanh(x)) / 2"),
    ("np.dot(self.Whh, dtanhx)", "np.dot(self.Whh.T, dtanhx)"),
    ("np.dot(self.Wxh, dtanhx)", "np.dot(self.Wxh.T, dtanhx)"),
)
STEPS_LOSS = f"""

def loss_and_gradients(xs, ys, h0, {", ".join(STEPS_WEIGHTS)}):
    rnn = RNN_MODEL_2_layer(*[None] * 6, 0.0, 1, "SGD", "no")
    rnn.h_before, rnn.Why, rnn.by = h0, Why.copy(), by.copy()
    layers = rnn.RNN_1st_layer, rnn.RNN_2nd_layer
    for layer, given in zip(layers, ((Whh1, Wxh1, b1), (Whh2, Wxh2, b2))):
        for step, cell in enumerate(layer):
            cell.Whh, cell.Wxh, cell.b = (array[step].copy() for array in given)
    found = [0] * {len(STEPS_WEIGHTS)}
    for x, y in zip(xs, ys):
        rnn.forward(x, y, True)
        rnn.backward(x)
        names = ("dWhh", "dWxh", "db")
        cells = [np.array([getattr(cell, name) for cell in layer]) for layer in layers for name in names]
        found = [grad + one for grad, one in zip(found, [*cells, rnn.dWhy, rnn.dby])]
    return sum(rnn.loss), *found
"""


def steps(m):
    r = numbers()
    weights = weights_of(r, " ".join(STEPS_WEIGHTS), *STEPS_WEIGHTS.values())
    given = {"xs": r(2, 4, 1, 3), "ys": np.eye(5)[[3, 1]], "h0": 0.5 * r(6, 1)}
    return loss(m.loss_and_gradients, " ".join(STEPS_WEIGHTS), **given, **weights)


# an RNN of letters with three layers, one above the other, in one function --------------------------------------------

STOREYS = "k78ma/minimal-rnn"
STOREYS_WEIGHTS = {"Wxh": (5, 7), "Whh": (5, 5), "Wxh2": (4, 5), "Whh2": (4, 4), "Wxh3": (6, 4), "Whh3": (6, 6)}
STOREYS_WEIGHTS |= {"Why": (7, 6), "bh": (5, 1), "bh2": (4, 1), "bh3": (6, 1), "by": (7, 1)}
STOREYS_EDITS = (
    ("hprev, hprev2, hprev3):", f"hprev, hprev2, hprev3, {', '.join(STOREYS_WEIGHTS)}):"),
    ("np.clip(dparam, -5, 5, out=dparam)", "pass"),
)
STOREYS_LOSS = f"""

vocab_size = 7


def loss_and_gradients(xs, ys, h1, h2, h3, {", ".join(STOREYS_WEIGHTS)}):
    total, found = 0, [0] * {len(STOREYS_WEIGHTS)}
    for inputs, targets in zip(xs, ys):
        cost, *grads = lossFun(inputs, targets, h1, h2, h3, {", ".join(STOREYS_WEIGHTS)})
        total += cost
        found = [done + grad for done, grad in zip(found, grads)]
    return total, *found
"""


def storeys(m):
    r = numbers()
    weights = weights_of(r, " ".join(STOREYS_WEIGHTS), *STOREYS_WEIGHTS.values())
    given = {"xs": np.array([[2, 6, 0, 2], [5, 1, 1, 3]]), "ys": np.array([[6, 0, 2, 4], [1, 1, 3, 0]])}
    given |= {"h1": 0.5 * r(5, 1), "h2": 0.5 * r(4, 1), "h3": 0.5 * r(6, 1)}
    return loss(m.loss_and_gradients, " ".join(STOREYS_WEIGHTS), **given, **weights)


# an RNN of letters whose states are rows; what goes back is multiplied by diagonal matrices; weights are in a dict ----

DIAGONALS = "KJO144/recurrent_neural_net"
DIAGONALS_WEIGHTS = {"U": (5, 7), "W": (5, 5), "V": (7, 5), "by": (7,), "bh": (5,)}
# the layer above and the loss are in the loop that trains, which is not taken
DIAGONALS_LOSS = f"""

def loss_and_gradients(x, target, h0, {", ".join(DIAGONALS_WEIGHTS)}):
    parameters = dict(zip("{" ".join(DIAGONALS_WEIGHTS)}".split(), ({", ".join(DIAGONALS_WEIGHTS)})))
    total, found = 0, dict.fromkeys(parameters, 0)
    for letters, wanted in zip(x, target):
        h = rnn_forward(letters, parameters, h0)
        yhat = [softmax(V @ state + by) for state in h]
        total -= sum(np.log(p) @ one for p, one in zip(yhat, wanted))
        grads = rnn_backward(yhat, letters, wanted, h, h0, parameters)
        found = {{name: grad + grads[name] for name, grad in found.items()}}
    return total, found
"""


def diagonals(m):
    r = numbers()
    weights = weights_of(r, " ".join(DIAGONALS_WEIGHTS), *DIAGONALS_WEIGHTS.values())
    given = {"x": np.eye(7)[[[2, 6, 0, 2], [5, 1, 1, 3]]], "target": np.eye(7)[[[6, 0, 2, 4], [1, 1, 3, 0]]]}
    return loss(m.loss_and_gradients, " ".join(DIAGONALS_WEIGHTS), h0=0.5 * r(5), **given, **weights)


# convolutions as products with columns that are found by indices, and the largest of windows that are views -----------

COLUMNS = "lineick/numpy-neural"
COLUMNS_WEIGHTS = {"W1": (3, 2, 3, 2), "b1": (3,), "W2": (4, 3, 2, 2), "b2": (4,), "W3": (24, 5), "b3": (1, 5)}
COLUMNS_TAKEN = (
    "conv_forward relu_forward maxpool_forward flatten_forward fc_forward softmax_forward cross_entropy_loss "
    "fc_backward flatten_backward maxpool_backward relu_backward conv_backward"
)
COLUMNS_EDITS = (
    # wrong as published: pictures come last in the columns, but first in what comes back; channels come before places
    ("dout.transpose(0, 2, 3, 1).reshape(-1, num_filters)", "dout.transpose(2, 3, 0, 1).reshape(-1, num_filters)"),
    ("dX_col.reshape(batch_size, out_height * out_width, k)", "dX_col.reshape(out_height * out_width, batch_size, k)"),
    ("dX_col.transpose(0, 2, 1)", "dX_col.transpose(1, 2, 0)"),
    ("dout.transpose(0, 2, 3, 1).ravel()", "dout.ravel()"),
)
COLUMNS_LOSS = f"""

def loss_and_gradients(X, labels, {", ".join(COLUMNS_WEIGHTS)}):
    out, conv1 = conv_forward(X, W1, b1, 2, 1)
    out, relu1 = relu_forward(out)
    out, pool = maxpool_forward(out, 2, 3, 1)
    out, conv2 = conv_forward(out, W2, b2)
    out, relu2 = relu_forward(out)
    out, shape = flatten_forward(out)
    out, dense = fc_forward(out, W3, b3)
    cost, grad = cross_entropy_loss(softmax_forward(out)[0], labels)
    grad, dW3, db3 = fc_backward(grad, dense)
    grad = relu_backward(flatten_backward(grad, shape), relu2)
    grad, dW2, db2 = conv_backward(grad, conv2)
    grad = relu_backward(maxpool_backward(grad, pool), relu1)
    grad, dW1, db1 = conv_backward(grad, conv1)
    return cost, grad, dW1, db1, dW2, db2, dW3, db3
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, " ".join(COLUMNS_WEIGHTS), *COLUMNS_WEIGHTS.values())
    # a small number is added to what it takes the logarithm of
    weights = {name: 0.4 * array for name, array in weights.items()}
    given = {"X": r(3, 2, 9, 9), "labels": np.array([4, 0, 3])}
    return loss(m.loss_and_gradients, "X " + " ".join(COLUMNS_WEIGHTS), **given, **weights)


# a dense net for one sample at a time: biases are the last rows, what it learns by is summed, with its sign, and added;
# once with a softmax that classifies, once with sigmoids and squares --------------------------------------------------

SINGLE = "naufalsuryasumirat/if3270-tubes"
SINGLE_WEIGHTS = {"A1": (5, 7), "A2": (8, 6), "A3": (7, 3), "B1": (5, 6), "B2": (7, 3)}
# what is written with lambdas there, and a name in an annotation
SINGLE_BEFORE = """import math

ConfusionMatrix = None


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    return np.exp(x) / np.sum(np.exp(x))"""
SINGLE_EDITS = (
    # wrong as published: errors are averaged on their way down, and go on without the slope
    (".T, 0) / np.shape(err_term)[0]", ".T, 0)"),
    (
        "this_layer.backprop_functions(this_layer.result)",
        f"this_layer.backprop_functions(this_layer.result)\n{' ' * 16}err_term = err_term * donet",
    ),
    ("np.atleast_2d(err_term * donet))", "np.atleast_2d(err_term))"),
    (
        "donet = self.output_layer.backprop_functions(pred)",
        f"donet = self.output_layer.backprop_functions(pred)\n{' ' * 20}err_term = err_deriv * donet",
    ),
)
SINGLE_LOSS = f"""

def relu(x):
    return np.maximum(x, 0)


activation_functions = {{"sigmoid": sigmoid, "relu": relu, "softmax": softmax}}
loss_functions = {{"sigmoid": general_loss, "relu": general_loss, "softmax": softmax_loss}}
backprop_functions = {{"sigmoid": lambda a: a - a**2, "relu": lambda a: 1.0 * (a > 0), "softmax": softmax_backprop}}


def loss_and_gradients(xs, ys, {", ".join(SINGLE_WEIGHTS)}):
    cost, found = 0, []
    for weights, kinds in (((A1, A2, A3), "relu sigmoid softmax"), ((B1, B2), "sigmoid sigmoid")):
        layers = [Layer(w.shape[1], w, kind) for w, kind in zip(weights, kinds.split())]
        net = FFNN(layers, learning_rate=1.0)
        for x, y in zip(xs, ys):
            net.predict(x)
            cost += net.output_layer.calculate_loss(net.output_layer.result, y)
            net.backpropagate(x, y)
        found += [-layer.deltas for layer in layers]
    return cost, *found
"""


def single(m):
    r = numbers()
    weights = weights_of(r, " ".join(SINGLE_WEIGHTS), *SINGLE_WEIGHTS.values())
    given = {"xs": r(3, 4), "ys": np.eye(3)[[2, 0, 1]]}
    return loss(m.loss_and_gradients, " ".join(SINGLE_WEIGHTS), **given, **weights)


# a dense net whose layers write all they find into arrays that they keep; products are einsums ------------------------

KEPT = "kormang/simple-numpy-neural-network"
KEPT_WEIGHTS = {"w1": (4, 7), "b1": (1, 7), "w2": (7, 6), "b2": (1, 6), "w3": (6, 5), "b3": (1, 5)}
KEPT_EDITS = (
    # wrong as published: what goes down goes without the slope
    ("np.matmul(delta_w_next, self.w.T", "np.matmul(self.delta, self.w.T"),
)
KEPT_LOSS = f"""

from activations import ReLUActivation
from cost import softmax_cross_entropy
from layers import DenseLayer, SoftmaxCrossEntropyLayer


def loss_and_gradients(xs, ys, {", ".join(KEPT_WEIGHTS)}):
    layers = [DenseLayer(4, 7, ReLUActivation()), DenseLayer(7, 6, ReLUActivation()), SoftmaxCrossEntropyLayer(6, 5)]
    for layer, w, b in zip(layers, (w1, w2, w3), (b1, b2, b3)):
        layer.prepare_training(3)
        layer.w, layer.b = w.copy(), b.copy()
    net, total = Classifier(layers, softmax_cross_entropy), 0
    for x, y in zip(xs, ys):
        cost, delta = net.cost_function(net.forward_pass(x), y)
        net.backward_pass(delta / len(x))
        total += cost / len(x)
    return total, *(grad for layer in layers for grad in (layer.grad_w, layer.grad_b))
"""


def kept(m):
    r = numbers()
    weights = weights_of(r, " ".join(KEPT_WEIGHTS), *KEPT_WEIGHTS.values())
    given = {"xs": r(2, 3, 4), "ys": np.eye(5)[[[2, 0, 4], [1, 3, 0]]]}
    return loss(m.loss_and_gradients, " ".join(KEPT_WEIGHTS), **given, **weights)


# word vectors in batches, with words that are drawn: one function for what belongs together, one for what does not ----

TOGETHER = "kire-github/word2vec-numpy"
TOGETHER_UTILS = (
    # wrong as published: the probability is that of the negative score, its slope is not
    ("np.sum(prob[:, :, None] * c_n", "np.sum((1 - prob)[:, :, None] * c_n"),
    ("grad_negatives = prob[:, :, None]", "grad_negatives = (1 - prob)[:, :, None]"),
)
TOGETHER_BEFORE = """from typing import Tuple

from numpy.typing import NDArray

EMBEDDING_DIM, EPSILON = 5, 1e-12"""
# it learns at once; the rate is one, the difference is the gradient
TOGETHER_LOSS = """

def loss_and_gradients(center, positive, negative, W_embedding, W_context):
    model = SGNS(9)
    model.W_embedding, model.W_context = W_embedding.copy(), W_context.copy()
    there, gone, *grads = model.forward_pass(center, positive, negative)
    model.update(center, positive, negative, grads[0] + grads[1], grads[2], grads[3], 1.0)
    return np.sum(there) + np.sum(gone), W_embedding - model.W_embedding, W_context - model.W_context
"""


def together(m):
    r = numbers()
    weights = weights_of(r, "W_embedding W_context", (9, 5), (9, 5))
    given = {"center": np.array([2, 7, 2]), "positive": np.array([4, 0, 4])}
    given["negative"] = np.array([[1, 6, 6, 3], [5, 3, 8, 1], [0, 6, 2, 7]])
    return loss(m.loss_and_gradients, "W_embedding W_context", **given, **weights)


SUBJECTS = [
    Subject(
        STEPS,
        "RNN",
        (Part("RNN.py", "function RNN_cell RNN_MODEL_2_layer", STEPS_EDITS, after=STEPS_LOSS),),
        steps,
        published="the slope of a tanh of halves, weights go back without being transposed",
    ),
    Subject(
        STOREYS,
        "RNN",
        (Part("3layer-rnn.py", "lossFun", STOREYS_EDITS, after=STOREYS_LOSS),),
        storeys,
    ),
    Subject(
        DIAGONALS,
        "RNN",
        (Part("simple_RNN.py", "softmax rnn_forward rnn_backward", after=DIAGONALS_LOSS),),
        diagonals,
    ),
    Subject(
        COLUMNS,
        "convolutions",
        (Part("src/cnn.py", COLUMNS_TAKEN, COLUMNS_EDITS, after=COLUMNS_LOSS),),
        columns,
        published="the order of pictures, channels and places in what goes back",
    ),
    Subject(
        SINGLE,
        "dense",
        (
            Part(
                "src/ffnn.py",
                "general_loss softmax_loss softmax_backprop Layer FFNN",
                SINGLE_EDITS,
                SINGLE_BEFORE,
                SINGLE_LOSS,
            ),
        ),
        single,
        published="errors are averaged on their way down, and go on without the slope",
    ),
    Subject(
        KEPT,
        "dense",
        (
            Part(
                "activations.py",
                "AbstractActivation ReLUActivation SoftmaxActivation",
                module="activations",
            ),
            Part(
                "layers.py",
                "DenseLayer SoftmaxCrossEntropyLayer",
                KEPT_EDITS,
                "from activations import SoftmaxActivation\n\nRANDOM_INIT_MAX = 0.2",
                module="layers",
            ),
            Part("cost.py", "softmax_cross_entropy", module="cost"),
            Part("dnn.py", "Classifier", after=KEPT_LOSS),
        ),
        kept,
        published="what goes down goes without the slope",
    ),
    Subject(
        TOGETHER,
        "word vectors",
        (
            Part(
                "src/utils.py",
                "sigmoid positive_step negative_step",
                TOGETHER_UTILS,
                TOGETHER_BEFORE,
                module="utils",
            ),
            Part(
                "src/model.py",
                "SGNS",
                (),
                TOGETHER_BEFORE + "\nfrom utils import negative_step, positive_step",
                TOGETHER_LOSS,
            ),
        ),
        together,
        published="the slope of what does not belong together",
    ),
]
