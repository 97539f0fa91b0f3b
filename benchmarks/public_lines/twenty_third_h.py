"""Subjects by owners that begin with U to Z or a digit: GRUs of single numbers, RNNs of lists, both ways and in layers,
an LSTM in dicts, a memory of sentences, graphs of layers, blobs, an autoencoder, convolutions; all are right."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of

TYPES = "from abc import ABCMeta, abstractmethod\nfrom typing import Any, Callable, Dict, List, Optional, Tuple, Union"

# a course's network with type hints: words in vectors, an RNN both ways, one that runs backwards, a layer -------------
# (it checks its arguments before every pass, keeps gradients in dicts, and looks activations up in dicts of functions)

HINTS = "0x0wen/CNNxRNN"
HINTS_TAKEN = (
    "tanh_np softmax_np dtanh_np cross_entropy_loss_np d_cross_entropy_softmax_np EmbeddingLayerNP SimpleRNNLayerNP "
    "BidirectionalWrapperNP DropoutLayerNP DenseLayerNP SequentialFromScratch"
)
HINTS_EDITS = (
    ("np.zeros((batch_size, self.units)) if initial_state is None else initial_state.copy()", "self.h0.copy()"),
)
HINTS_RNNS = {"ahead": (5, 7), "back": (5, 7), "last": (14, 5)}
HINTS_WEIGHTS = {
    f"{name}_{kind}": size
    for name, (inputs, units) in HINTS_RNNS.items()
    for kind, size in (("kernel", (inputs, units)), ("recurrent_kernel", (units, units)), ("bias", (units,)))
}
HINTS_WEIGHTS = {"words": (11, 5)} | HINTS_WEIGHTS | {"dense_kernel": (5, 13), "dense_bias": (13,)}
HINTS_LOSS = f"""

ACTIVATION_FUNCTIONS_NP = {{"tanh": tanh_np, "softmax": softmax_np}}
ACTIVATION_DERIVATIVES_NP = {{"tanh": dtanh_np}}


def loss_and_gradients(tokens, y, ahead_h0, back_h0, last_h0, {", ".join(HINTS_WEIGHTS)}):
    weights = dict(zip({list(HINTS_WEIGHTS)}, ({", ".join(HINTS_WEIGHTS)})))
    layers = {{
        "words": EmbeddingLayerNP(words),
        "ahead": SimpleRNNLayerNP(7, return_sequences=True),
        "back": SimpleRNNLayerNP(7, return_sequences=True, go_backwards=True),
        "last": SimpleRNNLayerNP(5, go_backwards=True),
        "dense": DenseLayerNP(13, "softmax"),
    }}
    for name, state in (("ahead", ahead_h0), ("back", back_h0), ("last", last_h0)):
        layers[name].h0 = state
    for name in ("ahead", "back", "last", "dense"):
        own = [weights[full] for full in weights if full.startswith(name + "_")]
        layers[name].load_weights(*own)
    both = BidirectionalWrapperNP(layers["ahead"], layers["back"], True)
    model = SequentialFromScratch([layers["words"], both, DropoutLayerNP(0.5), layers["last"], layers["dense"]])
    y_pred = model.forward(tokens)
    loss = cross_entropy_loss_np(y_pred, y, 13)
    model.backward(d_cross_entropy_softmax_np(y_pred, y, 13))
    kept = {{f"{{name}}_{{key}}": array for name in layers for key, array in layers[name].gradients.items()}}
    kept["words"] = kept.pop("words_weights")
    return loss, *(kept[name] for name in weights)
"""


def hints(m):
    r = numbers()
    weights = weights_of(r, " ".join(HINTS_WEIGHTS), *HINTS_WEIGHTS.values())
    given = {"tokens": np.array([[4, 0, 0, 9], [10, 4, 2, 7], [1, 1, 8, 4]]), "y": np.array([12, 0, 5])}
    states = {"ahead_h0": r(3, 7), "back_h0": r(3, 7), "last_h0": r(3, 5)}
    return loss(m.loss_and_gradients, " ".join(HINTS_WEIGHTS), **given, **states, **weights)


# a self-made framework's GRU of single numbers, every step with weights of its own, in lists --------------------------
# (the passes are functions inside a method that picks one of them by a number; gradients go in lists of lists)

SINGLE = "2-con/PyNet"
SINGLE_STATE = "output = layer.apply(x[input_index], output)\n"
SINGLE_EDITS = (
    ("output = 0\n", "output = self.carry\n"),
    # as published it computes the gates anew for its backward pass, but from the state after the step,
    (SINGLE_STATE, f"before, {SINGLE_STATE.replace(' = ', ' = output, ')}"),
    ("layer.get_weighted_sum(x[input_index], output)", "layer.get_weighted_sum(x[input_index], before)"),
    # and goes back through every step by the weights of the last one
    *((f"\n          {k}_weights = this_layer", f"\n          {k}_weights = branch") for k in ("input", "carry")),
)
SINGLE_KEY = """

class Key:
    ACTIVATION = {"sigmoid": Sigmoid, "tanh": Tanh}
    ACTIVATION_DERIVATIVE = {"sigmoid": lambda x: Sigmoid(x) * (1 - Sigmoid(x)), "tanh": Tanh_derivative}
"""
SINGLE_WEIGHTS = {"biases": (5, 3), "carry_weights": (5, 3), "input_weights": (5, 3)}
SINGLE_LOSS = """

def loss_and_gradients(x, y, carry, biases, carry_weights, input_weights):
    block = RecurrentBlock(*(GRU() for _ in biases))
    block.calibrate("none", "total squared error", 0.1)
    for layer, *own in zip(block.layers, biases, carry_weights, input_weights):
        layer.biases, layer.carry_weights, layer.input_weights = own
    loss, d_carry, d_x = 0.0, [], []
    for series, wanted, block.carry in zip(x, y, carry):
        block.internal(1, series)
        wrong = [output - target for (_, output), target in zip(block.activations[1:], wanted)]
        d_x.append(block.internal(2, wrong)[::-1])
        loss += sum(0.5 * part**2 for part in wrong)
        d_carry.append(block.errors[-1][0][0])
    of_steps = [[sum(np.array(errors[t][k]) for errors in block.errors) for t in range(5)] for k in (1, 2, 3)]
    return loss, np.array(d_x), np.array(d_carry), *(np.array(found) for found in of_steps)
"""


def single(m):
    r = numbers()
    weights = weights_of(r, " ".join(SINGLE_WEIGHTS), *SINGLE_WEIGHTS.values())
    given = {"x": r(4, 5), "y": r(4, 5), "carry": r(4)}
    return loss(m.loss_and_gradients, f"x carry {' '.join(SINGLE_WEIGHTS)}", **given, **weights)


# LeNet by loops over every place, four ranges deep; a weight and its gradient are a dict; a pool overlaps -------------

PLACES = "3outeille/CNNumpy"
PLACES_EDITS = (
    # as published the loss is divided by the number of classes, and only the dense layers' gradients by the images
    ("loss = -np.sum(y * np.log(y_pred)) / batch_size", "loss = -np.sum(y * np.log(y_pred))"),
    ("(1/m) * np", "np"),
    # the slope of the stretched tanh leaves the stretching out
    ("return new_deltaL * (1 - np.tanh(X)**2)", "return new_deltaL * self.alpha * (1 - np.tanh(X)**2)"),
)
PLACES_TAKEN = "Conv AvgPool Fc TanH Softmax CrossEntropyLoss"
PLACES_WEIGHTS = {"W1": (3, 4, 3, 3), "b1": (3,), "W2": (5, 3, 2, 2), "b2": (5,), "W3": (7, 10), "b3": (1, 7)}
PLACES_WEIGHTS |= {"W4": (11, 7), "b4": (1, 11), "W5": (6, 11), "b5": (1, 6)}
PLACES_LOSS = f"""

def loss_and_gradients(X, y, {", ".join(PLACES_WEIGHTS)}):
    net = LeNet5()
    net.conv1, net.conv2 = Conv(3, 3, 4), Conv(5, 2, 3)
    net.pool1 = AvgPool(filter_size=2, stride=1)
    net.fc1, net.fc2, net.fc3 = Fc(7, 10), Fc(11, 7), Fc(6, 11)
    pairs = ((W1, b1), (W2, b2), (W3, b3), (W4, b4), (W5, b5))
    for layer, (W, b) in zip((net.conv1, net.conv2, net.fc1, net.fc2, net.fc3), pairs):
        layer.W["val"], layer.b["val"] = W, b
    loss, deltaL = CrossEntropyLoss().get(net.forward(X), y)
    grads = net.backward(deltaL)
    return loss, *(grads["d" + name] for name in {list(PLACES_WEIGHTS)})
"""


def places(m):
    r = numbers()
    weights = weights_of(r, " ".join(PLACES_WEIGHTS), *PLACES_WEIGHTS.values())
    given = {"X": r(3, 4, 6, 8), "y": np.eye(6)[[5, 0, 3]]}
    return loss(m.loss_and_gradients, " ".join(PLACES_WEIGHTS), **given, **weights)


# a laboratory's framework: blobs hold data and gradients, all written in place by out= --------------------------------
# (a layer is given the blobs below and above it; a blob used twice is split; one loss is of values, one of means)

BLOBS = "UCB-ICSI-Vision-Group/decaf-release"
BLOBS_PRODUCT = (  # the framework's own products, logarithms and expressions in C become those of NumPy
    ("blasdot.dot_lastdim(", "np.dot("),
    ("blasdot.dot_firstdims(features, ", "np.dot(features.T, "),
)
BLOBS_SIGMOID = (
    (
        "numexpr.evaluate('1. / (exp(-bottom_data) + 1.)', out=top_data)",
        "top_data[:] = 1. / (np.exp(-bottom_data) + 1.)",
    ),
    (
        "numexpr.evaluate('top_data * top_diff * (1. - top_data)', out=bottom_diff)",
        "bottom_diff[:] = top_data * top_diff * (1. - top_data)",
    ),
)
BLOBS_SOFTMAX = (
    ("logexp.exp(prob, out=prob)", "np.exp(prob, out=prob)"),
    ("inner1d(top_diff, prob)", "np.einsum('ij,ij->i', top_diff, prob)"),
)
BLOBS_MODULES = ("innerproduct", "sigmoid", "softmax", "loss")
BLOBS_WEIGHTS = {"W1": (4, 7), "b1": (7,), "W2": (7, 5), "b2": (5,)}
BLOBS_LOSS = """

def loss_and_gradients(x, y, W1, b1, W2, b2):
    names = "x y sums slopes left right scores shares".split()
    blobs = {name: base.Blob() for name in names}
    blobs["x"].mirror(x)
    blobs["y"].mirror(y)
    first, second = (InnerProductLayer(name=name, num_output=size) for name, size in (("first", 7), ("second", 5)))
    for layer, W, b in ((first, W1, b1), (second, W2, b2)):
        layer._weight.mirror(W)
        layer._bias.mirror(b)
    order = [
        (first, ["x"], ["sums"]),
        (SigmoidLayer(name="sigmoid"), ["sums"], ["slopes"]),
        (base.SplitLayer(name="split"), ["slopes"], ["left", "right"]),
        (AutoencoderLossLayer(name="sparse", ratio=0.3, weight=0.7), ["left"], []),
        (second, ["right"], ["scores"]),
        (SoftmaxLayer(name="softmax"), ["scores"], ["shares"]),
        (SquaredLossLayer(name="squares"), ["shares", "y"], []),
    ]
    order = [(layer, [blobs[n] for n in needs], [blobs[n] for n in provides]) for layer, needs, provides in order]
    for layer, bottom, top in order:
        layer.forward(bottom, top)
    loss = sum(layer.backward(bottom, top, True) for layer, bottom, top in reversed(order))
    return loss, blobs["x"].diff(), *(blob.diff() for layer in (first, second) for blob in layer.param())
"""


def blobs(m):
    r = numbers()
    weights = weights_of(r, " ".join(BLOBS_WEIGHTS), *BLOBS_WEIGHTS.values())
    return loss(m.loss_and_gradients, f"x {' '.join(BLOBS_WEIGHTS)}", x=r(3, 4), y=r(3, 5), **weights)


# a stack of RNNs for one series: the network fills an object for every layer; a value after the last step -------------

FILLED = "Vaibhav-Sandhir/ML-from-Scratch"
FILLED_BELOW = "p_layer.dht = (p_layer.Wh @ dzt).T"
FILLED_EDITS = (
    ("layer.activations.append(at)\n            layer.i", "layer.activations.append(layer.h0)\n            layer.i"),
    # it was written for one number in and one out
    ("xt.reshape(1, 1)", "xt.reshape(-1, 1)"),
    ("self.error @ l_layer.Wy.T", "self.error.T @ l_layer.Wy.T"),
    # as published it takes for the slope of a step, and for what it is computed from, the states one step too early,
    ("dzt = (1 - layer.activations[step] ** 2)", "dzt = (1 - layer.activations[step + 1] ** 2)"),
    ("                if step > 0:\n                    layer.dWh", "                layer.dWh"),
    ("layer.activations[step - 1].T", "layer.activations[step].T"),
    # and goes down to the layer below by that one's own recurrent weights, over what came back from its next step
    (FILLED_BELOW, "p_layer.dht = p_layer.dht + (layer.Wx.T @ dzt).T"),
    ("np.clip(layer.dWx, -1, 1)", "layer.dWx"),
    ("np.clip(layer.dWh, -1, 1)", "layer.dWh"),
    ("np.clip(layer.dB, -1, 1)", "layer.dB"),
    *((f"            layer.{name} -= self.lr * layer.d{name}\n", "") for name in ("Wx", "Wh", "B")),
    *((f"        l_layer.{name} = np.clip(l_layer.{name}, -1, 1)\n", "") for name in ("dC", "dWy")),
    *((f"        l_layer.{name} -= self.lr * l_layer.d{name}\n", "") for name in ("Wy", "C")),
)
FILLED_WEIGHTS = {
    f"{name}_{k}": size
    for k, width in enumerate((4, 5, 5))
    for name, size in (("Wx", (5, width)), ("Wh", (5, 5)), ("B", (5, 1)))
} | {"Wy_2": (5, 3), "C_2": (3, 1)}
FILLED_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(FILLED_WEIGHTS)}):
    rnn = RNN(x, y, 5, 3)
    places = [name.split("_") for name in {list(FILLED_WEIGHTS)}]
    for (name, k), weight in zip(places, ({", ".join(FILLED_WEIGHTS)})):
        setattr(rnn.layers[int(k)], name, weight)
    for layer, layer.h0 in zip(rnn.layers, h0):
        layer.dB, layer.dht = np.zeros((5, 1)), np.zeros((1, 5))
    rnn.forwardprop(1)
    rnn.backprop()
    return np.sum(rnn.loss), *(getattr(rnn.layers[int(k)], "d" + name) for name, k in places)
"""


def filled(m):
    r = numbers()
    weights = weights_of(r, " ".join(FILLED_WEIGHTS), *FILLED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(FILLED_WEIGHTS), x=r(4, 7, 4), y=r(4, 3, 1), h0=r(3, 5, 1), **weights)


# answers from a memory of sentences: modules in containers that are modules, lists of arrays from one to the next -----
# (words are summed by their places; the question asks the memory two times; arrays in columns, batch last)

MEMORY = "vinhkhuc/MemN2N-babi-python"
MEMORY_TAKEN = (
    "Module Container Sequential Parallel AddTable Duplicate ElemMult Identity LinearNB LookupTable MatVecProd "
    "Softmax Sum Weight Loss CrossEntropyLoss"
)
MEMORY_EDITS = (
    (", np.float32)", ")"),
    ("astype(np.int)", "astype(int)"),
    ("z = zip(*tmp)", "z = tuple(zip(*tmp))"),  # from Python 2
)
MEMORY_IMPORTS = "from nn import *"
MEMORY_WEIGHTS = {name: (5, 11) for name in ("B", "A_0", "C_0", "A_1", "C_1", "out")}
MEMORY_LOSS = f"""

def loss_and_gradients(story, question, answer, weight, {", ".join(MEMORY_WEIGHTS)}):
    config = {{"sz": 4, "voc_sz": 11, "in_dim": 5, "out_dim": 5, "bsz": 3, "max_words": 7, "weight": weight}}
    asked, last = LookupTable(11, 5), LinearNB(5, 11, True)
    memories = [MemoryL(config), MemoryL(config)]
    tables = [asked, *(t for memory in memories for t in (memory.emb_query, memory.emb_out)), last]
    for table, array in zip(tables, ({", ".join(MEMORY_WEIGHTS)})):
        table.weight.D = array
    model = Sequential()
    for module in (asked, ElemMult(weight), Sum(dim=1)):
        model.add(module)
    for memory in memories:
        memory.data[:] = story
        parallel = Parallel()
        parallel.add(memory)
        parallel.add(Identity())
        for module in (Duplicate(), parallel, AddTable()):
            model.add(module)
    model.add(last)
    model.add(Softmax(skip_bprop=True))
    cost = CrossEntropyLoss()
    cost.do_softmax_bprop = True
    found = cost.fprop(model.fprop(question), answer)
    model.bprop(question, cost.bprop(model.output, answer))
    return found, *(table.weight.grad for table in tables)
"""


def memory(m):
    r = numbers()
    weights = weights_of(r, " ".join(MEMORY_WEIGHTS), *MEMORY_WEIGHTS.values())
    words = np.random.default_rng(1)
    given = {"story": words.integers(0, 11, (7, 4, 3)), "question": words.integers(0, 11, (7, 3))}
    given |= {"answer": np.array([10, 0, 3]), "weight": r(5, 7)}
    return loss(m.loss_and_gradients, " ".join(MEMORY_WEIGHTS), **given, **weights)


# a framework's RNN layer without biases that learns sizes only when it is added; a method for each step both ways -----

ADDED = "wikke/neural_network_from_scratch"
ADDED_EDITS = (
    ("status = np.zeros((batch_size, self.units))", "status = self.h0"),
    # as published the slope of the tanh is taken of the state before the step
    ("1 - np.square(self.last_all_status[:, ts])", "1 - np.square(self.last_all_status[:, ts + 1])"),
    ("        self.W += self.dw\n        self.U += self.du\n", ""),
)
ADDED_LAYER = """

class Layer(rnn):
    def __init__(self):
        super().__init__(7)
        self.set_input_shape((4, 5))

    def backward(self, grad):
        return super().backward(grad, lr=1.0, l2_lambda=0.0)
"""


def small_d(made, path):
    """The gradient of a weight is the attribute with a d before the weight's name in small letters."""
    return getattr(made, f"d{path.lower()}")


# a framework whose layers can be added and multiplied: properties, weak references, a graph put in order --------------
# (what two layers need gets both gradients; the softmax fills its Jacobians by flat indices)

GRAPH = "wkcn/mobula"
GRAPH_LAYERS, GRAPH_OPERATORS = "mobula/layers", "mobula/operators"
GRAPH_PHASE = "import weakref\n\nTRAIN, TEST = range(2)"
GRAPH_LAYER = """from inputs import *
from manager import *
from nullnet import *
from outputs import *
from vmodel import *
import weakref

TRAIN, TEST = range(2)"""
GRAPH_STAR = "from layer import *"
GRAPH_NET = f"""import functools
import queue
import time
from add import Add
from fc import FC
from mse import MSE
from multiply import Multiply
from softmax import Softmax
from subtract import Subtract
from tanh import Tanh
{GRAPH_LAYER}
from layer import Layer


class Solver:
    def init(self, layer):
        pass

    def update_lr(self, times):
        pass

    def update(self, layer):
        layer.kept = layer.grads"""
GRAPH_WEIGHTS = {"W_0": (7, 5), "b_0": (7,), "W_1": (7, 5), "b_1": (7,), "W_2": (7, 7), "b_2": (7,)}
GRAPH_MEAN = ("self.dX = (2 * self.d) * self.dY", "self.dX = (2 * self.d) * self.dY / self.d.size")
GRAPH_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(GRAPH_WEIGHTS)}):
    dense = [FC(x, dim_out=7), FC(x, dim_out=7)]
    h, g = Tanh(dense[0]), Softmax(dense[1])
    dense.append(FC(h * g + h, dim_out=7))
    out = MSE(dense[2] - h, label=y)
    for layer, W, b in zip(dense, (W_0, W_1, W_2), (b_0, b_1, b_2)):
        layer.W, layer.b = W, b
    net = Net()
    net.set_loss(out)
    net.forward()
    net.backward()
    return out.loss, *(array for layer in dense for array in layer.kept)
"""
GRAPH_OPERATIONS = """

Layer.__add__, Layer.__mul__, Layer.__sub__ = (get_op2(kind) for kind in (Add, Multiply, Subtract))
"""


def graph(m):
    r = numbers()
    weights = weights_of(r, " ".join(GRAPH_WEIGHTS), *GRAPH_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(GRAPH_WEIGHTS), x=r(3, 5), y=r(3, 7), **weights)


# an RNN that foretells numbers: the known program of characters as a class, its gradients point downhill --------------

DOWNHILL = "wollip/rnn"
DOWNHILL_WEIGHTS = {"wih": (7, 4), "whh": (7, 7), "who": (3, 7), "bh": (7, 1), "by": (3, 1)}
DOWNHILL_EDITS = (
    ("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -5000, 5000, out=dparam)"),
    ("            param += self.learningRate * dparam / np.sqrt( mparam + 1e-8)\n", ""),
    ("        #return (", "        return ("),
)
DOWNHILL_LOSS = f"""

def loss_and_gradients(inputs, targets, hprev, {", ".join(DOWNHILL_WEIGHTS)}):
    made = rnn()
    for name, weight in zip({list(DOWNHILL_WEIGHTS)}, ({", ".join(DOWNHILL_WEIGHTS)})):
        setattr(made, name, weight)
        setattr(made, "m" + name, np.zeros_like(weight))
    xs, hs, outputs = made.forward(inputs, hprev)
    loss = 0.5 * sum(np.sum((targets[t] - outputs[t]) ** 2) for t in outputs)
    return loss, *(-found for found in made.backwards(xs, hs, outputs, targets))
"""


def downhill(m):
    r = numbers()
    weights = weights_of(r, " ".join(DOWNHILL_WEIGHTS), *DOWNHILL_WEIGHTS.values())
    given = {"inputs": r(5, 4, 1), "targets": r(5, 3, 1), "hprev": r(7, 1)}
    return loss(m.loss_and_gradients, " ".join(DOWNHILL_WEIGHTS), **given, **weights)


# an LSTM of characters: a dict of steps for each gate, slopes by a flag, gradients that begin as the number 0 ---------

FLAG = "yashasnadigsyn/LSTM_From_Scratch"
FLAG_GATES = [f"{kind}{gate}" for gate in "fico" for kind in "wb"]
FLAG_WEIGHTS = {name: (5, 12) if name[0] == "w" else (5, 1) for name in FLAG_GATES} | {"wy": (7, 5), "by": (7, 1)}
FLAG_EDITS = (
    *(
        (f"self.{kind}_states = {{-1:np.zeros((self.hidden_size, 1))}}", f"self.{kind}_states = {{-1:self.{kind}_0}}")
        for kind in ("hidden", "cell")
    ),
    ("np.clip(d_, -1, 1, out = d_)", "np.clip(d_, -5000, 5000, out = d_)"),
    *((f"self.{name} += d_{name} * self.learning_rate", f"self.d_{name} = d_{name}") for name in FLAG_WEIGHTS),
)
FLAG_LOSS = f"""

def loss_and_gradients(letters, labels, hidden_0, cell_0, {", ".join(FLAG_WEIGHTS)}):
    lstm = LSTM(12, 5, 7, 1, 0.1)
    lstm.hidden_0, lstm.cell_0 = hidden_0, cell_0
    for name, weight in zip({list(FLAG_WEIGHTS)}, ({", ".join(FLAG_WEIGHTS)})):
        setattr(lstm, name, weight)
    shares = [softmax(scores) for scores in lstm.forward([np.eye(7)[:, [letter]] for letter in letters])]
    loss = -sum(np.log(share[label, 0]) for share, label in zip(shares, labels))
    lstm.backward([np.eye(7)[:, [label]] - share for share, label in zip(shares, labels)], lstm.concat_inputs)
    return loss, *(-getattr(lstm, "d_" + name) for name in {list(FLAG_WEIGHTS)})
"""


def flag(m):
    r = numbers()
    weights = weights_of(r, " ".join(FLAG_WEIGHTS), *FLAG_WEIGHTS.values())
    given = {"letters": [6, 0, 0, 3], "labels": [0, 0, 3, 5], "hidden_0": r(5, 1), "cell_0": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join(FLAG_WEIGHTS), **given, **weights)


# an RNN of words without NumPy: lists of lists of numbers, sums in loops and comprehensions ---------------------------

LISTS = "YousefAbdalbary/Assignment-Computational-Neuroscience"
LISTS_WEIGHTS = {"Wx": (5, 7), "Wh": (5, 5), "Wy": (7, 5)}
LISTS_EDITS = (
    # as published the state's gradient goes back by the weights that are not transposed
    ("[[self.Wh[i][j] for j in", "[[self.Wh[j][i] for j in"),
    ("5.0), -5.0)", "5000.0), -5000.0)"),
)
LISTS_LOSS = """

def loss_and_gradients(words, following, h_prev, Wx, Wh, Wy):
    rnn = RNN(7, 5)
    rnn.Wx, rnn.Wh, rnn.Wy = Wx, Wh, Wy
    inputs, targets = ([[float(k == word) for k in range(7)] for word in said] for said in (words, following))
    ys, hs = rnn.forward(inputs, h_prev)
    return rnn.loss(ys, targets), *(np.array(found) for found in rnn.backward(inputs, targets, hs, ys))
"""


def lists(m):
    r = numbers()
    weights = weights_of(r, " ".join(LISTS_WEIGHTS), *LISTS_WEIGHTS.values())
    given = {"words": [6, 2, 2, 0], "following": [2, 2, 0, 5], "h_prev": r(5)}
    return loss(m.loss_and_gradients, " ".join(LISTS_WEIGHTS), **given, **weights)


# an autoencoder whose inputs are blotted out by chance; its way back is a view of its way in --------------------------

BLOTTED = "yusugomori/DeepLearning"
BLOTTED_EDITS = (
    # as published the weights' gradient is the sum over the batch, but the biases' the mean
    ("self.W += lr * L_W", "self.dW = L_W / len(x)"),
    *((f"self.{name} += lr * ", f"self.d{name} = ") for name in ("hbias", "vbias")),
)
BLOTTED_BEFORE = "import numpy\nfrom numpy.random import RandomState\nfrom utils import *"
BLOTTED_LOSS = """

def loss_and_gradients(x, W, hbias, vbias):
    da = dA(x, 7, 5, W, hbias, vbias, RandomState(5))
    da.train(corruption_level=0.4)
    da.rng = RandomState(5)
    return da.negative_log_likelihood(corruption_level=0.4), -da.dW, -da.dhbias, -da.dvbias
"""


def blotted(m):
    r = numbers()
    weights = weights_of(r, "W hbias vbias", (7, 5), (5,), (7,))
    return loss(m.loss_and_gradients, "W hbias vbias", x=1 / (1 + np.exp(-r(3, 7))), **weights)


# a convolution by lists inside lists of patches, width before height; unequal sizes, paddings -------------------------

PATCHES = "zhewang95/pydl"
PATCHES_EDITS = (
    *((f") / s_{way} + 1", f") // s_{way} + 1") for way in "xy"),  # from Python 2
    # as published the patches' gradients lie with height before width
    ("dd.T.dot(self.weights)", "dd.transpose(1, 2, 0).dot(self.weights)"),
    (" / a1 / a3 / a4", ""),  # the weights' gradients were the mean over all places
)
PATCHES_LAYER = """

class Layer(Convolution):
    def __init__(self):
        super().__init__(4, 5, 7, 2, 2, 1, 1, 3, 3, 11)
"""


def short(made, path):
    """The gradient of a weight is the attribute of d and the first letter of the weight's name."""
    return getattr(made, f"d{path[0]}")


# an RNN both ways in two functions: the last step before the loop, states joined by r_, comments in Chinese -----------

JOINED = "ZJCFCB/pythonLearning"
JOINED_WEIGHTS = {"ww": (5, 5), "wu": (4, 5), "bb": (1, 5), "wwpe": (5, 5), "wupe": (4, 5), "bbpe": (1, 5)}
JOINED_WEIGHTS |= {"wv": (5, 7), "wvpe": (5, 7), "bc": (1, 7)}
JOINED_EDITS = (
    # as published one slope on the way from the end takes a state of the way from the start
    ("(delt_ape*(1-a[0]**2))", "(delt_ape*(1-ape[0]**2))"),
)
JOINED_NAMES = ("w", "u", "b", "wpe", "upe", "bpe", "v", "vpe", "c")
JOINED_LOSS = f"""

def loss_and_gradients(x, y, a_in, ape_in, {", ".join(JOINED_WEIGHTS)}):
    parameters = dict(zip({list(JOINED_WEIGHTS)}, ({", ".join(JOINED_WEIGHTS)})))
    a_next, ape_next, y_hat = birnn_forward(x, a_in, ape_in, parameters)
    found = birnn_gradient(x, a_in, ape_in, parameters, a_next, ape_next, y_hat, y)
    return -np.sum(y * np.log(y_hat)), *(found["delt_" + name] for name in {JOINED_NAMES})
"""


def joined(m):
    r = numbers()
    weights = weights_of(r, " ".join(JOINED_WEIGHTS), *JOINED_WEIGHTS.values())
    given = {"x": r(3, 4), "y": np.eye(7)[[6, 0, 2]], "a_in": r(1, 5), "ape_in": r(1, 5)}
    return loss(m.loss_and_gradients, " ".join(JOINED_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        HINTS,
        "RNN both ways",
        (Part("src/rnn/rnn.py", HINTS_TAKEN, HINTS_EDITS, TYPES, HINTS_LOSS),),
        hints,
    ),
    Subject(
        SINGLE,
        "GRU",
        (
            Part("core/static/activations.py", "Sigmoid Tanh", before="import math", module="activations"),
            Part(
                "core/static/derivatives.py",
                "Tanh_derivative",
                (),
                "import math\nfrom activations import Sigmoid, Tanh",
                SINGLE_KEY,
                "derivatives",
            ),
            Part(
                "core/static/layers.py",
                "Recurrent LSTM GRU",
                before="import random\nfrom derivatives import Key",
                module="layers",
            ),
            Part(
                "api/staticnet.py",
                "RecurrentBlock",
                SINGLE_EDITS,
                "from derivatives import Key\nfrom layers import GRU, LSTM, Recurrent",
                SINGLE_LOSS,
            ),
        ),
        single,
        published="takes the state after a step for that before it, and the last step's weights in every step",
    ),
    Subject(
        PLACES,
        "LeNet",
        (
            Part("src/slow/layers.py", PLACES_TAKEN, PLACES_EDITS, "import math", module="layers"),
            Part("src/slow/model.py", "LeNet5", (), "from layers import *", PLACES_LOSS),
        ),
        places,
        published="divides the loss by the classes and some gradients by the images; tanh's slope is not stretched",
    ),
    Subject(
        BLOBS,
        "blobs",
        (
            Part("decaf/_blob.py", "Blob", module="blob"),
            Part("decaf/base.py", "Layer LossLayer SplitLayer", before="from blob import Blob", module="base"),
            *(
                Part(f"decaf/layers/{name}.py", take, edits, "import base", module=name)
                for name, take, edits in zip(
                    BLOBS_MODULES,
                    ("InnerProductLayer", "SigmoidLayer", "SoftmaxLayer", "SquaredLossLayer"),
                    (BLOBS_PRODUCT, BLOBS_SIGMOID, BLOBS_SOFTMAX, ()),
                    strict=True,
                )
            ),
            Part(
                "decaf/layers/loss.py",
                "AutoencoderLossLayer",
                (),
                "import base\n"
                "from innerproduct import InnerProductLayer\n"
                "from loss import SquaredLossLayer\n"
                "from sigmoid import SigmoidLayer\n"
                "from softmax import SoftmaxLayer",
                BLOBS_LOSS,
            ),
        ),
        blobs,
    ),
    Subject(
        FILLED,
        "RNNs",
        (Part("RNN/drnn.py", "Layer RNN", FILLED_EDITS, after=FILLED_LOSS),),
        filled,
        published="takes states one step too early and goes down to the layer below by the wrong weights",
    ),
    Subject(
        MEMORY,
        "memory",
        (
            Part("memn2n/nn.py", MEMORY_TAKEN, MEMORY_EDITS, TYPES, module="nn"),
            Part("memn2n/memory.py", "Memory MemoryL", MEMORY_EDITS[:1], MEMORY_IMPORTS, MEMORY_LOSS),
        ),
        memory,
    ),
    Subject(
        ADDED,
        "RNN",
        (Part("nn/layers/rnn.py", "rnn", ADDED_EDITS, "E = 0.2", ADDED_LAYER),),
        object_of("Layer", {"W": (7, 7), "U": (5, 7)}, "x", small_d, {"h0": (3, 7)}, x=(3, 4, 5)),
        published="the slope of the tanh is taken of the state before the step",
    ),
    Subject(
        GRAPH,
        "graph",
        (
            Part(
                f"{GRAPH_LAYERS}/utils/LayerManager.py",
                "Scope LayerManagerClass",
                before="import weakref",
                after="\n\nLayerManager = LayerManagerClass()",
                module="manager",
            ),
            Part(
                f"{GRAPH_LAYERS}/utils/MultiOutput.py",
                "YLayer MultiDY get_layer_parent",
                before="import weakref",
                module="outputs",
            ),
            Part(
                f"{GRAPH_LAYERS}/utils/MultiInput.py",
                "MultiInputItem MultiInput XLayer WeakrefLayer",
                before="import weakref\nfrom outputs import *",
                module="inputs",
            ),
            Part(f"{GRAPH_LAYERS}/utils/VModel.py", "VModel", module="vmodel"),
            Part(f"{GRAPH_LAYERS}/utils/NullNet.py", "NullNet", before=GRAPH_PHASE, module="nullnet"),
            Part(f"{GRAPH_LAYERS}/Layer.py", "is_layer is_layer_lst Layer", before=GRAPH_LAYER, module="layer"),
            Part(f"{GRAPH_LAYERS}/LossLayer.py", "LossLayer", before=GRAPH_STAR, module="losslayer"),
            *(
                Part(f"{GRAPH_LAYERS}/{name}.py", name, before=GRAPH_STAR, module=name.lower())
                for name in ("FC", "Softmax", "Tanh")
            ),
            Part(
                f"{GRAPH_LAYERS}/MSE.py",
                "MSE",
                (GRAPH_MEAN,),  # as published it is the gradient of the sum of the squares, not of their mean
                "from losslayer import *",
                module="mse",
            ),
            *(
                Part(
                    f"{GRAPH_OPERATORS}/{name}.py",
                    f"{name} {name}Constant{left}",
                    before=GRAPH_STAR,
                    module=name.lower(),
                )
                for name, left in (("Add", ""), ("Multiply", ""), ("Subtract", "L"))
            ),
            Part(
                f"{GRAPH_OPERATORS}/__init__.py",
                "is_constant get_op2",
                before=GRAPH_STAR + "".join(f"\nfrom {k.lower()} import {k}" for k in ("Add", "Multiply", "Subtract")),
                after=GRAPH_OPERATIONS,
                module="operations",
            ),
            Part("mobula/Net.py", "Net", (("solvers.SGD()", "Solver()"),), GRAPH_NET, GRAPH_LOSS),
        ),
        graph,
        published="the loss is the mean of the squares, its gradient that of their sum",
    ),
    Subject(
        DOWNHILL,
        "RNN",
        (Part("rnnLib.py", "rnn", DOWNHILL_EDITS, after=DOWNHILL_LOSS),),
        downhill,
    ),
    Subject(
        FLAG,
        "LSTM",
        (Part("lstm.py", "initXavier sigmoid tanh softmax LSTM", FLAG_EDITS, after=FLAG_LOSS),),
        flag,
    ),
    Subject(
        LISTS,
        "RNN",
        (Part("rnn/rnn_from_scratch.py", "RNN", LISTS_EDITS, "import math\nimport random", LISTS_LOSS),),
        lists,
        published="the state's gradient goes back by weights that are not transposed",
    ),
    Subject(
        BLOTTED,
        "autoencoder",
        (
            Part("python/utils.py", "sigmoid", before="import numpy", module="utils"),
            Part("python/dA.py", "dA", BLOTTED_EDITS, BLOTTED_BEFORE, BLOTTED_LOSS),
        ),
        blotted,
        published="the weights' gradient is a sum over the batch, the biases' a mean",
    ),
    Subject(
        PATCHES,
        "convolution",
        (Part("layers/cnn.py", "Convolution", PATCHES_EDITS, after=PATCHES_LAYER),),
        object_of("Layer", {"weights": (11, 36), "bias": (11,)}, "x", short, x=(3, 4, 5, 7)),
        published="the patches' gradients lie with height before width",
    ),
    Subject(
        JOINED,
        "RNN both ways",
        (Part("brnn_np.py", "softmax birnn_forward birnn_gradient", JOINED_EDITS, after=JOINED_LOSS),),
        joined,
        published="one slope of the way from the end takes a state of the way from the start",
    ),
]
