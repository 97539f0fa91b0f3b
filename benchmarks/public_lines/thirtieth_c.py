"""Subjects by owners that begin with O, P, S, W, Y and Z: an RNN that learns while it runs, an RNN for characters, nets
in columns, an RNN of shared layers, convolutions that learn at once, convolutions of arrays that know their gradient, a
net with normalised batches."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# an RNN with a leak that learns while it runs: one sequence by all influences of the weights on the state, with a decay
# of the weights, one by going back at its end -------------------------------------------------------------------------

RUNNING = "omarschall/vanilla-rtrl"
RUNNING_WEIGHTS = {"W_rec": (5, 5), "W_in": (5, 3), "b_rec": (5,), "W_out": (4, 5), "b_out": (4,)}
RUNNING_TANH = "\n\ntanh = Function(tanh_, tanh_derivative)"
RUNNING_ENTROPY = "\n\nsoftmax_cross_entropy = Function(softmax_cross_entropy_, softmax_cross_entropy_derivative)"
# a small loop in place of its simulation
RUNNING_LOSS = f"""

def run(learn, xs, ys):
    rnn, cost, kept = learn.rnn, 0, [0] * 5
    for x, y in zip(xs, ys):
        rnn.next_state(x)
        rnn.z_out()
        rnn.error = rnn.loss.f_prime(rnn.z, y)
        cost += rnn.loss.f(rnn.z, y)
        learn.update_learning_vars()
        kept = [before + grad for before, grad in zip(kept, learn())]
        if learn.L2_reg:
            cost += learn.L2_reg * learn.L2_loss
    return cost, kept


def loss_and_gradients(xs, ys, h0, a0, {", ".join(RUNNING_WEIGHTS)}):
    total, kept = 0, [0] * 5
    for k in range(2):
        rnn = RNN(W_in, W_rec, W_out, b_rec, b_out, tanh, 0.6, None, softmax_cross_entropy)
        rnn.reset_network(h=h0[k], a=a0[k])
        learn = RTRL(rnn, L2_reg=0.1) if k == 0 else Efficient_BPTT(rnn, len(xs[k]))
        cost, grads = run(learn, xs[k], ys[k])
        total, kept = total + cost, [before + grad for before, grad in zip(kept, grads)]
    return total, *kept
"""


def running(m):
    r = numbers()
    weights = weights_of(r, " ".join(RUNNING_WEIGHTS), *RUNNING_WEIGHTS.values())
    weights = {name: 0.6 * weight for name, weight in weights.items()}
    given = {"xs": [r(4, 3), r(3, 3)], "ys": [np.eye(4)[[2, 0, 3, 1]], np.eye(4)[[1, 1, 2]]]}
    given |= {"h0": r(2, 5), "a0": r(2, 5)}
    return loss(m.loss_and_gradients, " ".join(RUNNING_WEIGHTS), **given, **weights)


# an RNN for characters: dicts of steps, gradients that are called nablas ----------------------------------------------

CHARACTERS = "paulmorio/simpleRNN"
CHARACTERS_WEIGHTS = {"W_xh": (5, 4), "W_hh": (5, 5), "W_hy": (4, 5), "b_h": (5, 1), "b_y": (4, 1)}
CHARACTERS_EDITS = (
    # Python 2
    ("xrange", "range"),
    ("print 'epoch", "'epoch"),
    ('print "---', 'print("---'),
    ("% (sample_text)", "% (sample_text))"),
    # no clipping
    ("np.clip(dparam, -5, 5, out=dparam)", "pass"),
    # wrong as published: the derivative is asked for what is activated already
    ("tanh_prime(hs[t])", "(1.0 - hs[t]**2)"),
)
CHARACTERS_LOSS = f"""

def loss_and_gradients(texts, h0, {", ".join(CHARACTERS_WEIGHTS)}):
    rnn = SimpleRNN.__new__(SimpleRNN)
    rnn.vocab_size, rnn.char_to_ix = 4, dict(zip("abcd", range(4)))
    rnn.W_xh, rnn.W_hh, rnn.W_hy, rnn.b_h, rnn.b_y = {", ".join(CHARACTERS_WEIGHTS)}
    total, kept = 0, [0] * 5
    for text, rnn.hprev in zip(texts, h0):
        *grads, last, cost = rnn.backprop(text[:-1], [rnn.char_to_ix[one] for one in text[1:]])
        total, kept = total + cost, [before + grad for before, grad in zip(kept, grads)]
    return total, *kept
"""


def characters(m):
    r = numbers()
    weights = weights_of(r, " ".join(CHARACTERS_WEIGHTS), *CHARACTERS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(CHARACTERS_WEIGHTS), texts=["bacad", "ddbc"], h0=r(2, 5, 1), **weights)


# two nets in columns, with attributes of their classes: an autoencoder, and a net of lists whose last layer is linear -

LISTS = "SunnerLi/U4390"
LISTS_WEIGHTS = {"A1": (3, 6), "A2": (6, 3), "W1": (5, 4), "W2": (7, 5), "W3": (2, 7)}
# Python 2
LISTS_CODER = (('print "', '"'), ("print self.", "self."))
LISTS_NET = (("print '", "'"),)
# they learn at once: the difference is the gradient
LISTS_LOSS = f"""
from coder import SingleAutoEncoder


def loss_and_gradients(pictures, vectors, tags, {", ".join(LISTS_WEIGHTS)}):
    coder = SingleAutoEncoder(3, eta=1.0)
    total, kept = 0, [np.zeros_like(weight) for weight in (A1, A2, W1, W2, W3)]
    for picture in pictures:
        coder.w1, coder.w2 = A1, A2
        coder.forward(picture)
        total += coder.error(picture)
        coder.backward(picture)
        coder.update(picture)
        kept[0] += A1 - coder.w1
        kept[1] += A2 - coder.w2
    for vector, tag in zip(vectors, tags):
        net = Net(3, eta=1.0)
        for k, weight in enumerate((W1, W2, W3), 1):
            net.assignWeight(k, weight.copy())
        net.forward(vector)
        total += np.sum((tag - net.s[3]) ** 2)
        net.backward(tag)
        net.update()
        for k, weight in enumerate((W1, W2, W3), 1):
            kept[k + 1] += weight - net.weight[k]
    return total, *kept
"""


def lists(m):
    r = numbers()
    weights = weights_of(r, " ".join(LISTS_WEIGHTS), *LISTS_WEIGHTS.values())
    given = {"pictures": r(3, 6, 1), "vectors": r(2, 4), "tags": r(2, 2, 1)}
    return loss(m.loss_and_gradients, " ".join(LISTS_WEIGHTS), **given, **weights)


# an RNN that is a dense layer, of which each step has a copy with the same weights; time is the first axis ------------

COPIES = "wbaek/machinelearning"
COPIES_WEIGHTS = {"W1": (8, 5), "b1": (5,), "W2": (12, 7), "b2": (7,), "W3": (7, 4), "b3": (4,)}
# Python 2
COPIES_DENSE = (
    ("self.x.size/self.input_size", "self.x.size//self.input_size"),
    ("self.delta_a.size/self.output_size", "self.delta_a.size//self.output_size"),
)
COPIES_EDITS = (
    ("reversed( zip(", "reversed( list(zip("),
    ("time_splited_delta) ):", "time_splited_delta)) ):"),
    # so that the first state is not zero
    ("outputs[-1] = np.zeros(shape)", "outputs[-1] = self.first"),
    # wrong as published: what goes on to the layer below is in the reverse order
    ("outputs.append( _ )", "outputs.insert( 0, _ )"),
)
# wrong as published: the derivative of a sigmoid is that of one minus what comes in
COPIES_SIGMOID = (("Sigmoid.function(1-x)", "(1 - Sigmoid.function(x))"),)
# the logarithm has a smaller guard
COPIES_SOFTMAX = (("self.eps = 1e-6", "self.eps = 1e-15"),)
COPIES_BEFORE = "import math\n\nfrom linear import Linear\nfrom updater import GradientDescent"
# gradients are kept instead of learned by
COPIES_LOSS = f"""

from dense import Fullconnect
from recurrent import Recurrent
from sigmoid import Sigmoid
from tanh import Tanh


class Keep:
    def __init__(self):
        self.kept = []

    def update(self, param, gradient):
        self.kept.append(gradient)
        return param


def loss_and_gradients(x, target, h1, h2, {", ".join(COPIES_WEIGHTS)}):
    keeps = [Keep() for _ in range(3)]
    first = Recurrent(3, 5, Tanh.function, Tanh.derivative, keeps[0])
    second = Recurrent(5, 7, Sigmoid.function, Sigmoid.derivative, keeps[1])
    last = Fullconnect(7, 4, updater=keeps[2])
    first.W, first.b, second.W, second.b, last.W, last.b = {", ".join(COPIES_WEIGHTS)}
    first.first, second.first = h1, h2
    net = Network()
    net.layers = [first, second, last]
    cost = net.train(x, target)
    return cost, *(grad for keep in keeps for grad in keep.kept)
"""


def copies(m):
    r = numbers()
    weights = weights_of(r, " ".join(COPIES_WEIGHTS), *COPIES_WEIGHTS.values())
    given = {"x": r(4, 2, 3), "target": np.eye(4)[[[2, 0], [1, 3], [3, 0], [0, 2]]], "h1": r(1, 2, 5), "h2": r(1, 2, 7)}
    return loss(m.loss_and_gradients, " ".join(COPIES_WEIGHTS), **given, **weights)


# convolutions by sums with indices, means of windows and a softmax by its matrix: layers learn while they go back -----

ATONCE = "yash-s20/CNN-Implementation-in-Numpy"
ATONCE_WEIGHTS = {"K1": (3, 2, 3, 2), "k1": (3,), "K2": (4, 3, 2, 2), "k2": (4,)}
ATONCE_WEIGHTS |= {"W1": (24, 7), "w1": (1, 7), "W2": (7, 5), "w2": (1, 5)}
ATONCE_LAYERS = (
    "clip_exp FullyConnectedLayer ConvolutionLayer AvgPoolingLayer FlattenLayer relu_of_X gradient_relu_of_X "
    "softmax_of_X gradient_softmax_of_X"
)
# wrong as published: the loss is a sum over the batch, the gradients are means
ATONCE_EDITS = (("return -1 * np.sum(", "return -1 / len(Y) * np.sum("),)
ATONCE_LOSS = f"""

from layers import AvgPoolingLayer, ConvolutionLayer, FlattenLayer, FullyConnectedLayer


def loss_and_gradients(X, Y, {", ".join(ATONCE_WEIGHTS)}):
    net = NeuralNetwork(5, 1.0, 3, 1)
    conv1, conv2 = ConvolutionLayer((2, 11, 8), (3, 2), 3, 2, "relu"), ConvolutionLayer((3, 5, 4), (2, 2), 4, 1, "relu")
    dense1, dense2 = FullyConnectedLayer(24, 7, "relu"), FullyConnectedLayer(7, 5, "softmax")
    learning, weights = (conv1, conv2, dense1, dense2), (K1, K2, W1, W2)
    biases = k1, k2, w1, w2
    for layer, weight, bias in zip(learning, weights, biases):
        layer.weights, layer.biases = weight.copy(), bias.copy()
    for layer in (conv1, conv2, AvgPoolingLayer((4, 4, 3), (2, 2), 1), FlattenLayer(), dense1, dense2):
        net.addLayer(layer)
    activations = net.feedforward(X)
    cost = net.computeLoss(Y, activations[-1])
    net.backpropagate(activations, Y)
    found = {{}}
    for names, layer, weight, bias in zip("K1k1 K2k2 W1w1 W2w2".split(), learning, weights, biases):
        found[names[:2]], found[names[2:]] = weight - layer.weights, bias - layer.biases
    return cost, found
"""


def atonce(m):
    r = numbers()
    weights = weights_of(r, " ".join(ATONCE_WEIGHTS), *ATONCE_WEIGHTS.values())
    given = {"X": r(3, 2, 11, 8), "Y": np.eye(5)[[4, 0, 3]]}
    return loss(m.loss_and_gradients, " ".join(ATONCE_WEIGHTS), **given, **weights)


# convolutions of arrays that hold their gradient and know where they come from; a largest value is taken by a sparse --
# matrix ---------------------------------------------------------------------------------------------------------------

ARRAYS = "yoyololicon/building-nn-with-numpy"
ARRAYS_WEIGHTS = {"K1": (3, 2, 3, 2), "k1": (3,), "K2": (4, 3, 2, 2), "k2": (4,)}
ARRAYS_WEIGHTS |= {"W1": (7, 32), "w1": (7,), "W2": (5, 7), "w2": (5,)}
ARRAYS_TAKEN = (
    "Tensor _image_zero_pad_or_crop _make_pair conv2d transpose_conv2d _conv_shape _transposeconv_shape _module ReLU "
    "Linear MaxPool2d Conv2d Flatten cross_entropy_loss"
)
ARRAYS_LOSS = f"""

def loss_and_gradients(x, target, {", ".join(ARRAYS_WEIGHTS)}):
    conv1, conv2 = Conv2d(2, 3, (3, 2), stride=(1, 2), padding=(1, 1)), Conv2d(3, 4, 2, dilation=(2, 1))
    dense1, dense2 = Linear(32, 7), Linear(7, 5)
    learning = conv1, conv2, dense1, dense2
    for layer, weight, bias in zip(learning, (K1, K2, W1, W2), (k1, k2, w1, w2)):
        layer.weight, layer.bias = Tensor(weight), Tensor(bias)
    x = start = Tensor(x)
    for layer in (conv1, ReLU(), MaxPool2d(2, 1, (0, 1)), conv2, Flatten(), dense1, ReLU(), dense2):
        x = layer(x)
    cost, grad = cross_entropy_loss(x.view(np.ndarray), target)
    x.backward(grad)
    grads = [part.grad for layer in learning for part in (layer.weight, layer.bias)]
    return cost, *(np.asarray(grad) for grad in [start.grad, *grads])
"""


def arrays(m):
    r = numbers()
    weights = weights_of(r, " ".join(ARRAYS_WEIGHTS), *ARRAYS_WEIGHTS.values())
    given = {"x": r(3, 2, 5, 6), "target": np.array([4, 0, 3])}
    return loss(m.loss_and_gradients, "x " + " ".join(ARRAYS_WEIGHTS), **given, **weights)


# a net with normalised batches, whose numbers are a dict; a sigmoid for each class ------------------------------------

BATCHES = "zony249/Batch-Norm"
BATCHES_WEIGHTS = {"W1": (5, 6), "W2": (6, 6), "W3": (6, 6), "W4": (6, 6), "W5": (6, 3)}
BATCHES_WEIGHTS |= {f"{name}{k}": (1, 3 if k == 5 else 6) for name in "gb" for k in range(1, 6)}
BATCHES_LOSS = f"""

def loss_and_gradients(X, Y, {", ".join(BATCHES_WEIGHTS)}):
    net = Model(5, 3, N_hidden=6)
    net.W1, net.W2, net.W3, net.W4, net.W5 = W1, W2, W3, W4, W5
    norms = net.bn1, net.bn2, net.bn3, net.bn4, net.bn5
    for norm, g, b in zip(norms, (g1, g2, g3, g4, g5), (b1, b2, b3, b4, b5)):
        norm.g, norm.b = g, b
    net.set_train(True)
    layers = net.forward(X)
    net.backward(layers, Y)
    weights = net.dW1, net.dW2, net.dW3, net.dW4, net.dW5
    return BCE(layers["A5"], Y), *weights, *(norm.dg for norm in norms), *(norm.db for norm in norms)
"""


def batches(m):
    r = numbers()
    weights = weights_of(r, " ".join(BATCHES_WEIGHTS), *BATCHES_WEIGHTS.values())
    given = {"X": r(4, 5), "Y": np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]])}
    return loss(m.loss_and_gradients, " ".join(BATCHES_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        RUNNING,
        "RNN",
        (
            Part("functions/Function.py", "Function", module="function"),
            Part(
                "functions/tanh.py",
                "tanh_ tanh_derivative",
                (),
                "from function import Function",
                RUNNING_TANH,
                "tanh_function",
            ),
            Part("functions/softmax.py", "softmax_", module="softmax"),
            Part(
                "functions/softmax_cross_entropy.py",
                "softmax_cross_entropy_ softmax_cross_entropy_derivative",
                (),
                "from function import Function\nfrom softmax import softmax_",
                RUNNING_ENTROPY,
                "entropy",
            ),
            Part("utils/programming_tools.py", "split_weight_matrix", module="splitting"),
            Part("utils/mathematical_tools.py", "norm", module="norms"),
            Part("core/RNN.py", "RNN", module="rnn"),
            Part(
                "learning_algorithms/Learning_Algorithm.py",
                "Learning_Algorithm",
                before="from norms import norm\nfrom splitting import split_weight_matrix",
                module="learning",
            ),
            Part(
                "learning_algorithms/RTRL.py",
                "RTRL",
                before="from learning import Learning_Algorithm",
                module="rtrl",
            ),
            Part(
                "learning_algorithms/Efficient_BPTT.py",
                "Efficient_BPTT",
                (),
                "from entropy import softmax_cross_entropy\nfrom learning import Learning_Algorithm\n"
                "from norms import norm\nfrom rnn import RNN\nfrom rtrl import RTRL\nfrom tanh_function import tanh",
                RUNNING_LOSS,
            ),
        ),
        running,
    ),
    Subject(
        CHARACTERS,
        "RNN",
        (Part("rnn_class.py", "SimpleRNN tanh tanh_prime", CHARACTERS_EDITS, after=CHARACTERS_LOSS),),
        characters,
        published="the derivative is asked for what is activated already",
    ),
    Subject(
        LISTS,
        "nets in columns",
        (
            Part("AutoEncoder/AutoEncoder.py", "SingleAutoEncoder", LISTS_CODER, module="coder"),
            Part("BackProp/back.py", "Net", LISTS_NET, after=LISTS_LOSS),
        ),
        lists,
    ),
    Subject(
        COPIES,
        "RNN",
        (
            Part("core/nonlinears/linear.py", "Linear", module="linear"),
            Part("core/nonlinears/tanh.py", "Tanh", module="tanh"),
            Part("core/nonlinears/sigmoid.py", "Sigmoid", COPIES_SIGMOID, module="sigmoid"),
            Part("core/updaters/gradient_descent.py", "GradientDescent", module="updater"),
            Part("core/layers/fullconnect.py", "Fullconnect", COPIES_DENSE, COPIES_BEFORE, module="dense"),
            Part(
                "core/layers/recurrent.py",
                "Recurrent",
                COPIES_EDITS,
                COPIES_BEFORE + "\nfrom dense import Fullconnect",
                module="recurrent",
            ),
            Part("core/activations/softmax.py", "Softmax", COPIES_SOFTMAX, module="softmax"),
            Part("core/network.py", "Network", (), "from softmax import Softmax", COPIES_LOSS),
        ),
        copies,
        published="what goes on to the layer below is in the reverse order, the derivative of a sigmoid is wrong",
    ),
    Subject(
        ATONCE,
        "convolutions",
        (
            Part("layers.py", ATONCE_LAYERS, module="layers"),
            Part("nn.py", "NeuralNetwork", ATONCE_EDITS, after=ATONCE_LOSS),
        ),
        atonce,
        published="the loss is a sum over the batch, the gradients are means",
    ),
    Subject(
        ARRAYS,
        "convolutions",
        (
            Part(
                "nn.py",
                ARRAYS_TAKEN,
                (),
                "from numpy.lib.stride_tricks import as_strided\nfrom scipy import sparse",
                ARRAYS_LOSS,
            ),
        ),
        arrays,
    ),
    Subject(
        BATCHES,
        "normalised batches",
        (
            Part("batchnorm.py", "BatchNorm", module="batchnorm"),
            Part("main.py", "Model BCE ReLU Sigmoid", (), "from batchnorm import BatchNorm", BATCHES_LOSS),
        ),
        batches,
    ),
]
