"""Subjects by owners that begin with A, D, F and G: a net over trees with tensors, an RNN that goes back from each of
its steps, an LSTM in batches, a chain of labels, a net over a graph, word vectors, convolutions."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# a net over trees in which two vectors meet in a matrix and in a tensor; nodes are told what is above them, gradients -
# are one dict that is handed down; weights decay ---------------------------------------------------------------------

TREES = "an-kumar/rntn"
TREES_WEIGHTS = {"L": (3, 7), "V": (3, 6, 6), "W": (3, 6), "b": (3,), "Ws": (4, 3), "bs": (4,)}
TREES_EDITS = (
    # Python 2
    ("print key", "pass"),
    ("print node.rntnparams", "pass"),
    ('print "MAX', '"MAX'),
    ('print "param', '"param'),
)
TREES_LOSS = f"""

class Node:
    def __init__(self, nodes, label, *rest):
        self.label, self.leaf, self.rntnparams = label, len(rest) == 1, {{}}
        if self.leaf:
            self.rntnparams["wIndex"] = rest[0]
        else:
            self.left, self.right = (Node(nodes, *child) for child in rest)
        nodes.append(self)


class Tree:
    def __init__(self, sentence):
        self.nodes = []
        self.root = Node(self.nodes, *sentence)


def loss_and_gradients(sentences, {", ".join(TREES_WEIGHTS)}):
    model = {{"L": L, "V": V, "W": W, "b": b, "Ws": Ws, "bs": bs, "activation": "tanh", "wordActivations": True}}
    model |= {{"update": ["L", "V", "W", "b", "Ws", "bs"], "regularize": ["L", "V", "W", "Ws", "bs"], "gpu": False}}
    steps = stepper(reg={{"Ws": 0.3, "L": 0.2, "W": 0.1, "V": 0.05, "bs": 0.4, "b": 0.1}})
    return steps.cost_fbprop(model, [Tree(sentence) for sentence in sentences], softmax_crossentropy_cost)
"""


def trees(m):
    r = numbers()
    weights = weights_of(r, " ".join(TREES_WEIGHTS), *TREES_WEIGHTS.values())
    sentences = [(2, (0, (1, 4), (3, 0)), (3, 6)), (1, (0, 5), (2, (2, (3, 4), (0, 4)), (1, 1)))]
    return loss(m.loss_and_gradients, " ".join(TREES_WEIGHTS), sentences=sentences, **weights)


# an RNN that goes back to the start from each of its steps; vectors are columns on the way back; activations are names

STEPS = "allenwang28/CompNeuroFinalProject"
STEPS_WEIGHTS = {"U": (5, 3), "V": (6, 5), "W": (5, 5), "output_bias": (6, 1), "state_bias": (5, 1)}
STEPS_TAKEN = "sigmoid sigmoid_derivative tanh tanh_derivative linear linear_derivative Activation"
STEPS_MAPS = """

activation_map = {"sigmoid": sigmoid, "tanh": tanh, "linear": linear}
dactivation_map = {"sigmoid": sigmoid_derivative, "tanh": tanh_derivative, "linear": linear_derivative}
"""
STEPS_EDITS = (
    # Python 2
    ('print "', '"'),
    # so that there is a first state that is not zero
    (
        "        s = np.zeros((T + 1, self.state_layer_size))",
        "        s = np.zeros((T + 1, self.state_layer_size))\n        s[-1] = self.first",
    ),
    # wrong as published: what comes in is always that of the step at which it starts to go back
    ("x_present = x[t]", "x_present = x[bptt_step]"),
)
STEPS_LOSS = f"""

def loss_and_gradients(xs, ys, first, {", ".join(STEPS_WEIGHTS)}):
    rnn = RNN(3, 5, "tanh", 6, "sigmoid")
    rnn.first, rnn.U, rnn.V, rnn.W, rnn.output_bias, rnn.state_bias = first, {", ".join(STEPS_WEIGHTS)}
    cost, kept = 0, [0] * 5
    for x, y in zip(xs, ys):
        cost += 0.5 * np.sum((rnn.predict([x])[0] - y) ** 2) / len(x)
        kept = [before + grad for before, grad in zip(kept, rnn.gradient_function(x, y))]
    return cost, *kept
"""


def steps(m):
    r = numbers()
    weights = weights_of(r, " ".join(STEPS_WEIGHTS), *STEPS_WEIGHTS.values())
    given = {"xs": r(2, 4, 3), "ys": r(2, 4, 6), "first": r(5)}
    return loss(m.loss_and_gradients, " ".join(STEPS_WEIGHTS), **given, **weights)


# an LSTM in batches, time last: what goes back into a cell and what comes out of it are in one line for each gate -----

GATES = "abel-shimeles/Recurrent_Neural_Network_From_Scratch"
GATES_WEIGHTS = {f"W{k}": (5, 8) for k in "fico"} | {f"b{k}": (5, 1) for k in "fico"}
GATES_EDITS = (
    # so that the first state of the cell is not zero; its gradient is kept
    ("def lstm_forward(x, a_0, parameters)", "def lstm_forward(x, a_0, c_0, parameters)"),
    ("c_next = np.zeros((n_a, m))", "c_next = c_0"),
    ('"da0": da0,', '"da0": da0,\n        "dc0": dc_prevt,'),
)
GATES_PAIR = f"""

def run(x, a0, c0, {", ".join(GATES_WEIGHTS)}):
    parameters = dict(zip("{" ".join(GATES_WEIGHTS)}".split(), ({", ".join(GATES_WEIGHTS)})))
    a, _, _, caches = lstm_forward(x, a0, c0, parameters | {{"Wy": np.ones((6, 5)), "by": np.ones((6, 1))}})
    return a, caches


def back(da, caches):
    gradients = lstm_backward(da, caches)
    return tuple(gradients["d" + name] for name in "x a0 c0 {" ".join(GATES_WEIGHTS)}".split())
"""


def gates(m):
    r = numbers()
    weights = weights_of(r, " ".join(GATES_WEIGHTS), *GATES_WEIGHTS.values())
    given = {"x": r(3, 2, 4), "a0": r(5, 2), "c0": r(5, 2)}
    return pair(m.run, m.back, "x a0 c0 " + " ".join(GATES_WEIGHTS), **given, **weights)


# a chain of labels: how often it expects features and transitions by what comes from the left and from the right, as --
# sums over all labels in loops; it climbs -----------------------------------------------------------------------------

CHAIN = "AmaMidzu/CRF"
CHAIN_EDITS = (
    # Python 2
    ("xrange", "range"),
    ("time = range(len(sequence))", "time = list(range(len(sequence)))"),
    # one batch
    ("len(training_set) / batch_size", "len(training_set) // batch_size"),
    ("for i in range(10):", "for i in range(1):"),
    ("print 'With all parameters = 0, the accuracy is %s' % sequence_accuracy(self, dev_set)", "pass"),
    ("                print sequence_accuracy(self, dev_set)\n", ""),
    # wrong as published: features are those of the label before, what is expected is that of one step before
    ("self.feature_parameters[j][", "self.feature_parameters[i]["),
    ("gamma[j, t]", "gamma[j, t+1]"),
    ("range(sequence_length - 1)", "range(1, sequence_length)"),
    ("(transition_matrices[t] *", "(transition_matrices[t+1] *"),
    # what it learns by is kept instead
    ("self.feature_parameters += learning_rate * ", "self.feature_gradient = "),
    ("self.transition_parameters += learning_rate * ", "self.transition_gradient = "),
)
CHAIN_LOSS = """

class Word:
    def __init__(self, label, *features):
        self.label_index, self.names, self.feature_vector = label, [f"T0={k}" for k in features], list(features)

    def features(self):
        return [name.split("=") for name in self.names]

    def sequence_features(self, t, sequence):
        return self.names


def loss_and_gradients(sentences, F, T):
    model = CRF(range(4), {f"T0={k}": k for k in range(6)})
    model.feature_parameters, model.transition_parameters = F, T
    sequences = [[Word(*word) for word in sentence] for sentence in sentences]
    likelihood = 0
    for sequence in sequences:
        labels = [word.label_index for word in sequence]
        likelihood += sum(F[word.label_index, word.feature_vector].sum() for word in sequence)
        likelihood += T[labels[:-1], labels[1:]].sum()
        likelihood -= np.log(model.forward(sequence, model.compute_transition_matrices(sequence))[:, -1].sum())
    model.train_sgd(sequences, None, 1.0, len(sequences))
    return likelihood / len(sequences), model.feature_gradient, model.transition_gradient
"""


def chain(m):
    r = numbers()
    weights = weights_of(r, "F T", (4, 6), (4, 4))
    sentences = [[(2, 4), (0, 1, 3), (2, 5, 3, 0)], [(1, 0), (3, 2, 4), (3, 4, 5), (0, 1, 2)], [(0, 3), (2, 0, 1)]]
    return loss(m.loss_and_gradients, "F T", sentences=sentences, **weights)


# a net over a graph: layers read what comes from above in an object that holds the rate and the decay, and leave there
# what goes on; some nodes only are learned from -----------------------------------------------------------------------

GRAPH = "fred-cook/numpy-gnn"
GRAPH_WEIGHTS = {"W0": (6, 5), "W1": (6, 6), "W2": (3, 6), "Ws": (4, 3), "b": (4, 1)}
# no types
GRAPH_EDITS = (("Callable[np.ndarray, np.ndarray]", "Callable"),)
GRAPH_BEFORE = """from typing import Callable

from gcn_layer import GCNLayer
from softmax_layer import SoftmaxLayer
from tools import GradDescentOptim, glorot_init, x_entropy"""
# the loss is that of its training, with the decay
GRAPH_LOSS = f"""

def loss_and_gradients(A, X, labels, nodes, {", ".join(GRAPH_WEIGHTS)}):
    net = GCNNetwork(5, 4, (6, 3), np.tanh)
    for layer, weight in zip(net.layers, (W0, W1, W2, Ws)):
        layer.W = weight
    net.layers[-1].b = b
    pred = net.forward(A, X)
    opt = GradDescentOptim(lr=1.0, wd=0.3)
    opt(pred, labels, nodes)
    cost = x_entropy(pred, labels)[nodes].mean()
    cost += sum(0.5 * opt.wd * np.sum(weight**2) / opt.bs for weight in (W0, W1, W2, Ws))
    (dWs, db), dW2, dW1, dW0 = (layer.backward(opt, update=False) for layer in reversed(net.layers))
    return cost, dW0, dW1, dW2, dWs, db, opt.out / opt.bs
"""


def graph(m):
    r = numbers()
    weights = weights_of(r, " ".join(GRAPH_WEIGHTS), *GRAPH_WEIGHTS.values())
    near = np.eye(7)
    for first, second in ((0, 1), (0, 4), (1, 2), (2, 3), (3, 6), (4, 5), (2, 5)):
        near[first, second] = near[second, first] = 1
    root = np.sqrt(near.sum(axis=1))
    given = {"A": near / np.outer(root, root), "X": r(7, 5), "labels": np.eye(4)[[2, 0, 1, 3, 3, 1, 0]]}
    given["nodes"] = np.array([0, 2, 3, 6])
    return loss(m.loss_and_gradients, " ".join(GRAPH_WEIGHTS) + " X", **given, **weights)


# word vectors: words near a word and others that are drawn, batches of three axes; one matrix lies on its side --------

WORDS = "davidruda/word2vec-numpy"
WORDS_EDITS = (
    # what it learns by is kept instead
    ("-args.learning_rate * ", ""),
    ("np.add.at(self._W1,", "np.add.at(self.d_W1,"),
    ("np.add.at(self._W2.T,", "np.add.at(self.d_W2.T,"),
)
WORDS_LOSS = """

args = argparse.Namespace(embedding_dim=5)


def loss_and_gradients(words, near, drawn, W1, W2):
    model = Word2Vec(args, 9)
    model._W1, model._W2, model.d_W1, model.d_W2 = W1, W2, np.zeros_like(W1), np.zeros_like(W2)
    cost = 0
    for some in (slice(0, 3), slice(3, 5)):
        cost += model.train_step(words[some], near[some], drawn[some])
    return cost, model.d_W1, model.d_W2
"""


def words(m):
    r = numbers()
    weights = weights_of(r, "W1 W2", (9, 5), (5, 9))
    given = {"words": np.array([2, 2, 7, 0, 2]), "near": np.array([4, 1, 4, 8, 3])}
    given["drawn"] = np.array([[0, 6, 6, 8], [3, 0, 5, 4], [1, 8, 0, 2], [7, 5, 1, 1], [6, 0, 4, 8]])
    return loss(m.loss_and_gradients, "W1 W2", **given, **weights)


# a framework: convolutions whose windows are summed all at once, the derivative of a softmax as a matrix for each -----
# sample; layers take the mean over the batch --------------------------------------------------------------------------

WINDOWS = "Goulustis/simple-numpy-dl-framework"
WINDOWS_WEIGHTS = {"K1": (2, 2, 2, 3), "k1": (3,), "K2": (2, 2, 3, 4), "k2": (4,)}
WINDOWS_WEIGHTS |= {"W": (7, 24), "w": (1, 7), "V": (5, 7), "v": (1, 5)}
WINDOWS_LAYERS = (
    # wrong as published: a convolution does not use its bias
    ("axis=(1, 2, 3)\n                )", "axis=(1, 2, 3)\n                ) + self.b"),
)
WINDOWS_COSTS = (
    # wrong as published: the mean over the batch is taken twice
    ("-y/pred * (1/len(pred))", "-y/pred"),
)
# there is no layer that makes images flat
WINDOWS_LOSS = f"""

class Flat(Layer):
    def forward(self, X):
        self.shape = X.shape
        return X.reshape(len(X), -1)

    def backward(self, act_grad):
        return act_grad.reshape(self.shape)


def loss_and_gradients(x, y, {", ".join(WINDOWS_WEIGHTS)}):
    learning = [Conv2d(2, 3, 2, stride=2), Conv2d(3, 4, 2), Fc(24, 7), Fc(7, 5)]
    for layer, weight, bias in zip(learning, (K1, K2, W, V), (k1, k2, w, v)):
        layer.update_weights(weight, bias)
    first, second, third, last = learning
    net = Sequential([first, Relu(), second, Relu(), Flat(), third, Relu(), last, Softmax()])
    cost = net.loss_fnc(net.forward(x), y)
    net.backward()
    return cost, *(grad for layer in learning for grad in layer.get_grads())
"""


def windows(m):
    r = numbers()
    weights = weights_of(r, " ".join(WINDOWS_WEIGHTS), *WINDOWS_WEIGHTS.values())
    weights = {name: 0.6 * weight for name, weight in weights.items()}  # no chance is so small that it is cut off
    given = {"x": r(4, 6, 8, 2), "y": np.eye(5)[[4, 0, 3, 1]]}
    return loss(m.loss_and_gradients, " ".join(WINDOWS_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        TREES,
        "trees",
        (
            Part("rntn.py", "batch_fprop fprop rfprop bprop rbprop", module="rntn"),
            Part(
                "stepper.py",
                "softmax_crossentropy_cost stepper",
                TREES_EDITS,
                "from rntn import batch_fprop, bprop",
                TREES_LOSS,
            ),
        ),
        trees,
    ),
    Subject(
        STEPS,
        "RNN",
        (
            Part("activation.py", STEPS_TAKEN, after=STEPS_MAPS, module="activation"),
            Part(
                "rnn.py",
                "Convert1DTo2D Convert2DTo1D RNN",
                STEPS_EDITS,
                "from activation import Activation",
                STEPS_LOSS,
            ),
        ),
        steps,
        published="what comes in is that of the step at which it starts to go back",
    ),
    Subject(
        GATES,
        "LSTM",
        (
            Part(
                "rnn.py",
                "softmax sigmoid lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward",
                GATES_EDITS,
                after=GATES_PAIR,
            ),
        ),
        gates,
    ),
    Subject(
        CHAIN,
        "chain of labels",
        (Part("crf.py", "CRF", CHAIN_EDITS, after=CHAIN_LOSS),),
        chain,
        published="features are those of the label before, what is expected is that of one step before",
    ),
    Subject(
        GRAPH,
        "graph",
        (
            Part("npgnn/tools.py", "glorot_init x_entropy GradDescentOptim", module="tools"),
            Part(
                "npgnn/gcn_layer.py",
                "GCNLayer",
                GRAPH_EDITS,
                "from typing import Callable\n\nfrom tools import GradDescentOptim",
                module="gcn_layer",
            ),
            Part(
                "npgnn/softmax_layer.py",
                "SoftmaxLayer",
                (),
                "from typing import Callable\n\nfrom tools import GradDescentOptim",
                module="softmax_layer",
            ),
            Part("npgnn/gcn_network.py", "GCNNetwork", GRAPH_EDITS, GRAPH_BEFORE, GRAPH_LOSS),
        ),
        graph,
    ),
    Subject(
        WORDS,
        "word vectors",
        (Part("word2vec.py", "sigmoid Word2Vec", WORDS_EDITS, "import argparse", WORDS_LOSS),),
        words,
    ),
    Subject(
        WINDOWS,
        "convolutions",
        (
            Part("layers.py", "Layer LossLayer Fc Conv2d", WINDOWS_LAYERS, "scale = 0.01", module="layers"),
            Part(
                "activations.py",
                "Relu Softmax CrossEntropy",
                WINDOWS_COSTS,
                "from layers import Layer, LossLayer",
                module="activations",
            ),
            Part(
                "model.py",
                "Sequential GD",
                (),
                "from activations import CrossEntropy, Relu, Softmax\nfrom layers import Conv2d, Fc, Layer",
                WINDOWS_LOSS,
            ),
        ),
        windows,
        published="a convolution does not use its bias, the mean over the batch is taken twice",
    ),
]
