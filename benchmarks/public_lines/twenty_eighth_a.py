"""Subjects by owners that begin with A, D, E and F: an LSTM made of layers, an RNN in rows, an RNN with two outputs,
convolutions that know what comes out of them, autoencoders whose weights are one vector, word vectors, a small net."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# an LSTM made of dense layers and activations, which are given the values of a step before each goes back; biases are -
# the last rows of the weights; the outputs of all steps are averaged

CELLS = "Ekki-does-programming/deep_learning_framework"
CELLS_EDITS = (
    # gradients that are only used to learn by, and those of the first states, are kept
    (
        "return error.squeeze(1)",
        "self.kept = dh_next, dc_next, output_gradient_weights\n        return error.squeeze(1)",
    ),
)
CELLS_BEFORE = """import copy

from FullyConnected import FullyConnected
from Sigmoid import Sigmoid
from TanH import TanH"""
CELLS_PAIR = """
from AverageTimestep import AverageTimestep


def forward(x, h0, c0, W, V):
    lstm, average = LSTM_improved(3, 5, 4), AverageTimestep()
    lstm.weights, lstm.layers[6].weights = W, V
    lstm.memorize, lstm.h, lstm.c = True, [h0], [c0]
    return average.forward(lstm.forward(x)), (lstm, average)


def backward(dy, layers):
    lstm, average = layers
    dx = lstm.backward(average.backward(dy))
    dh0, dc0, dV = lstm.kept
    return dx, dh0, dc0, lstm.gradient_weights, dV
"""


def cells(m):
    r = numbers()
    weights = weights_of(r, "W V", (9, 20), (6, 4))
    return pair(m.forward, m.backward, "x h0 c0 W V", x=r(4, 3), h0=r(1, 5), c0=r(1, 5), **weights)


# an RNN for characters whose gradients are rows, lists over the steps, and the derivative of the tanh a diagonal matrix

LINES = "AliMuquri/Deep-learning-from-Scratch"
LINES_WEIGHTS = {"W": (7, 7), "U": (7, 5), "V": (5, 7), "b": (7, 1), "c": (5, 1)}
LINES_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(LINES_WEIGHTS)}):
    layer = RNNLayer(1, W.shape, U.shape, V.shape, b.shape, c.shape, 0, 0.1, "tanh")
    layer.param_dict = {{"W": W, "U": U, "V": V, "b": b, "c": c}}
    gradients, cost, h = RNN().compute_gradients(layer, x, y, h0, test=True)
    return cost, gradients
"""


def lines(m):
    r = numbers()
    weights = weights_of(r, " ".join(LINES_WEIGHTS), *LINES_WEIGHTS.values())
    given = {"x": r(5, 1, 4), "y": np.eye(5)[[[3], [0], [4], [3]]].T, "h0": r(7, 1)}
    return loss(m.loss_and_gradients, " ".join(LINES_WEIGHTS), **given, **weights)


# an RNN for melodies: from each state the chances of the notes and a length; values and errors are on lists

NOTES = "AidenKielby/Music-Creator-AI"
NOTES_WEIGHTS = {"W": (4, 7), "M": (7, 7), "V": (7, 5), "c": (5,), "v": (7,), "d": (1,)}
NOTES_EDITS = (
    # so that there is a first state that is not zero
    ("lastActivtion = np.zeros(self.neuronsPerHiddenLayer)", "lastActivtion = self.first"),
    ("np.zeros(self.neuronsPerHiddenLayer) if t == 0", "self.first if t == 0"),
    # wrong as published: what goes on to the next step is the value before the activation, but not on the way back,
    ("np.asarray(self.preActivations[-1])", "np.asarray(self.hiddenStates[-1])"),
    # where the weights are turned
    ("self.memoryWeights.T @ futureError", "self.memoryWeights @ futureError"),
    # nothing is cut off
    ("        raw_hidden = np.clip(raw_hidden, -MAX_STATE_VALUE, MAX_STATE_VALUE)\n", ""),
    ("            delta_hidden = np.clip(delta_hidden, -GRAD_CLIP_VALUE, GRAD_CLIP_VALUE)\n", ""),
    ("np.clip(note_probs - target_notes, -GRAD_CLIP_VALUE, GRAD_CLIP_VALUE)", "note_probs - target_notes"),
    ("np.clip(length_pred - length_target, -GRAD_CLIP_VALUE, GRAD_CLIP_VALUE)", "length_pred - length_target"),
    # what it learns by is kept instead; as published the outputs' weights have learned before they are used
    *((f"self.{name} -= ", f"self.d_{name} = ") for name in ("noteWeights", "noteBiases", "lengthWeights")),
    *((f"self.{name} -= ", f"self.d_{name} = ") for name in ("lengthBias", "memoryWeights", "hiddenWeights")),
)
# the loss is that of its training, but not a mean, and half of the squares
NOTES_LOSS = f"""

def loss_and_gradients(x, notes, lengths, h0, biases, {", ".join(NOTES_WEIGHTS)}):
    net = NeuralNetwork(4, 7, 6, "Tanh")
    net.first, net.hiddenBiases, net.hiddenWeights, net.memoryWeights = h0, biases, W, M
    net.noteWeights, net.noteBiases, net.lengthWeights, net.lengthBias = V, c, v, d[0]
    outputs = [net.forwardPass(step) for step in x]
    cost = 0
    for output, note, length in zip(outputs, notes, lengths):
        cost += 0.5 * (output[-1] - length) ** 2 - np.log(output[note])
    targets = [np.append(np.eye(5)[note], length) for note, length in zip(notes, lengths)]
    net.backPropagate(targets, outputs, 1.0)
    states = net.d_hiddenWeights, net.d_memoryWeights
    return cost, *states, net.d_noteWeights, net.d_noteBiases, net.d_lengthWeights, net.d_lengthBias
"""


def notes(m):
    r = numbers()
    weights = weights_of(r, " ".join(NOTES_WEIGHTS), *NOTES_WEIGHTS.values())
    given = {"x": r(4, 4), "notes": np.array([3, 0, 4, 1]), "lengths": np.array([0.7, 0.2, 0.9, 0.4])}
    given |= {"h0": 0.5 * r(7), "biases": 0.5 * r(7)}
    return loss(m.loss_and_gradients, " ".join(NOTES_WEIGHTS), **given, **weights)


# a net with convolutions: each layer gets what came out of it together with the error, and activations and their -----
# derivatives are one function

SHAPES = "FlankMe/numpy-neural-net"
SHAPES_WEIGHTS = {"K1": (3, 2, 3, 3), "k1": (3, 1), "K2": (4, 3, 2, 2), "k2": (4, 1)}
SHAPES_WEIGHTS |= {"W1": (16, 7), "b1": (7,), "W2": (7, 5), "b2": (5,)}
SHAPES_COSTS = (
    # wrong as published: the loss is a mean over the batch, its gradient is not
    ("perturbation = (predictedY - Y) / (", "perturbation = (predictedY - Y) / len(Y) / ("),
)
SHAPES_LAYERS = (
    # wrong as published: what is left is made larger, its gradient is not
    ("self.mask)\n    return (perturbation", "self.mask / self.threshold)\n    return (perturbation"),
)
SHAPES_STEP = (
    # nothing is cut off, what it learns by is kept instead
    ("sfs.clipValues(weightsGradient)", "weightsGradient"),
    ("sfs.clipValues(biasGradient)", "biasGradient"),
    ("layer.Weights -= effectiveLearningRate * ", "layer.dWeights = effectiveLearningRate * "),
    ("layer.bias -= effectiveLearningRate * ", "layer.dbias = effectiveLearningRate * "),
)
SHAPES_BEFORE = "import _costFunctions as cfs\nimport _implementedLayers as il\nimport _optimiser as optim"
SHAPES_LOSS = f"""

def loss_and_gradients(X, Y, {", ".join(SHAPES_WEIGHTS)}):
    graph = [
        {{"layerType": "conv", "numNeurons": 3, "config": [3, 3, 1, 2]}},
        {{"layerType": "activation", "activationFunction": "lrelu"}},
        {{"layerType": "dropout", "threshold": 0.7}},
        {{"layerType": "conv", "numNeurons": 4, "config": [2, 2, 0, 1]}},
        {{"layerType": "activation", "activationFunction": "tanh"}},
        {{"layerType": "fc", "numNeurons": 7}},
        {{"layerType": "activation", "activationFunction": "sigmoid"}},
        {{"layerType": "fc", "numNeurons": 5}},
        {{"layerType": "activation", "activationFunction": "sigmoid"}},
    ]
    net = NumpyNet(X.shape, "xentropy", graph)
    learning = [net.graph[k] for k in (0, 3, 5, 7)]
    for layer, weight, bias in zip(learning, (K1, K2, W1, W2), (k1, k2, b1, b2)):
        layer.Weights, layer.bias = weight, bias
    np.random.seed(5)  # the same are dropped each time
    cost, perturbation = net.cf(Y, net.predict(X, TRAINING=True))
    optim.optimisationStep(net, perturbation, "SGD", 1.0, 0.0)
    return cost, *(gradient for layer in learning for gradient in (layer.dWeights, layer.dbias))
"""


def shapes(m):
    r = numbers()
    weights = weights_of(r, " ".join(SHAPES_WEIGHTS), *SHAPES_WEIGHTS.values())
    given = {"X": r(3, 2, 5, 5), "Y": np.eye(5)[[4, 0, 3]]}
    return loss(m.loss_and_gradients, " ".join(SHAPES_WEIGHTS), **given, **weights)


# an autoencoder with few active units, and a stack of such layers with a softmax on top: all weights are one vector, a
# cost and a gradient are one function of it; indented with tabs, without "np"

STACKS = "dusano/DeepLearning"
STACKS_WEIGHTS = {"W1": (5, 7), "W2": (7, 5), "b1": (5,), "b2": (7,)}
STACKS_WEIGHTS |= {"S": (3, 6), "V1": (5, 4), "c1": (5,), "V2": (6, 5), "c2": (6,)}
STACKS_SPARSE = (
    # so that the two costs have two names
    ("def cost(thetaParam, visibleSize", "def sparseCost(thetaParam, visibleSize"),
)
STACKS_BEFORE = "from numpy import *\nfrom scipy.sparse import csc_matrix\n\nimport sparse_autoencoder"
STACKS_LOSS = f"""

def loss_and_gradients(data, images, labels, {", ".join(STACKS_WEIGHTS)}):
    coded = np.concatenate([W1.ravel(), W2.ravel(), b1, b2])
    cost_coded, gradient = sparse_autoencoder.sparseCost(coded, 7, 5, 0.3, 0.2, 0.5, data)
    config = NetConfig()
    config.inputSize, config.layerSizes = 4, [5, 6]
    theta = np.concatenate([S.ravel(), V1.ravel(), c1, V2.ravel(), c2])
    cost_stack, other = cost(theta, 4, 6, 3, config, 0.2, images, labels)
    first, second = params2stack(other[18:], config)
    found = gradient[:35].reshape(5, 7), gradient[35:70].reshape(7, 5), gradient[70:75], gradient[75:]
    return cost_coded + cost_stack, *found, other[:18].reshape(3, 6), first.W, first.b, second.W, second.b
"""


def stacks(m):
    r = numbers()
    weights = weights_of(r, " ".join(STACKS_WEIGHTS), *STACKS_WEIGHTS.values())
    given = {"data": r(4, 7), "images": r(4, 4), "labels": np.array([2, 0, 1, 2])}
    return loss(m.loss_and_gradients, " ".join(STACKS_WEIGHTS), **given, **weights)


# word vectors: a word from the mean of those near it, a softmax over all words, in two batches -----------------------

MEANS = "emilook86/word2vec-implementation"
MEANS_EDITS = (
    # what it learns by is kept instead
    ("self.input_embeddings_matrix -= grad_input * self.learning_rate", "self.d_input += grad_input"),
    ("self.output_embeddings_matrix -= grad_output * self.learning_rate", "self.d_output += grad_output"),
)
MEANS_LOSS = """

def loss_and_gradients(near, words, E_in, E_out):
    model = Word2Vec.__new__(Word2Vec)
    model.input_embeddings_matrix, model.output_embeddings_matrix = E_in, E_out
    model.d_input, model.d_output = np.zeros_like(E_in), np.zeros_like(E_out)
    total = 0
    for some in (slice(0, 3), slice(3, 5)):
        total += model.train_step(near[some], words[some])
    return total, model.d_input, model.d_output
"""


def means(m):
    r = numbers()
    weights = weights_of(r, "E_in E_out", (7, 5), (7, 5))
    around = np.array([[1, 2, 5, 5], [0, 3, 6, 2], [4, 4, 1, 0], [6, 2, 3, 1], [5, 0, 6, 4]])
    given = {"near": np.eye(7)[around].mean(axis=1), "words": np.eye(7)[[3, 1, 6, 0, 3]]}
    return loss(m.loss_and_gradients, "E_in E_out", **given, **weights)


# a net with one hidden layer that learns by one sample after another, forward and backward in the loop of its training

SAMPLES = "alessandrozamberletti/Numpy-NN"
SAMPLES_WEIGHTS = {"l0_weights": (4, 7), "l0_biases": (1, 7), "l1_weights": (7, 3), "l1_biases": (1, 3)}
SAMPLES_EDITS = (
    # the samples keep their order, their losses are kept
    ("in np.random.permutation(train_samples):", "in train_samples:"),
    ("square_losses = []", "square_losses = self.square_losses = []"),
    # what it learns by is kept instead
    *((f"self.{name} += ", f"self.d_{name} -= ") for name in SAMPLES_WEIGHTS),
)
SAMPLES_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(SAMPLES_WEIGHTS)}):
    net = NeuralNetwork(4, 7, 3)
    names = {list(SAMPLES_WEIGHTS)}
    for name, array in zip(names, ({", ".join(SAMPLES_WEIGHTS)})):
        setattr(net, name, array)
        setattr(net, "d_" + name, np.zeros_like(array))
    net.fit(list(zip(x, y)), None, epochs=1, lr=1.0, momentum=0.0, info=False)
    return 0.5 * np.sum(net.square_losses), *(getattr(net, "d_" + name) for name in names)
"""


def samples(m):
    r = numbers()
    weights = weights_of(r, " ".join(SAMPLES_WEIGHTS), *SAMPLES_WEIGHTS.values())
    given = {"x": r(3, 4), "y": np.array([[0.9, 0.1, 0.3], [0.2, 0.8, 0.1], [0.1, 0.4, 0.7]])}
    return loss(m.loss_and_gradients, " ".join(SAMPLES_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        CELLS,
        "LSTM",
        (
            Part("Layers/Base.py", "BaseLayer", module="Base"),
            *(
                Part(f"Layers/{name}.py", name, before="from Base import BaseLayer", module=name)
                for name in ("FullyConnected", "TanH", "Sigmoid")
            ),
            Part("Layers/AverageTimestep.py", "AverageTimestep", module="AverageTimestep"),
            Part("Layers/LSTM_improved.py", "LSTM_improved", CELLS_EDITS, CELLS_BEFORE, CELLS_PAIR),
        ),
        cells,
    ),
    Subject(LINES, "RNN", (Part("RNN.py", "RNNLayer RNN", after=LINES_LOSS),), lines),
    Subject(
        NOTES,
        "RNN",
        (Part("RNN.py", "NeuralNetwork", NOTES_EDITS, after=NOTES_LOSS),),
        notes,
        published="what goes on is before the activation; weights are turned, and have learned before they are used",
    ),
    Subject(
        SHAPES,
        "convolutions",
        (
            Part("_supportingFunctions.py", "get_im2col_indices im2col col2im", module="_supportingFunctions"),
            Part(
                "_activationFunctions.py",
                "assignActivationFunction relu leakyRelu sigmoid tanh identity softmax",
                module="_activationFunctions",
            ),
            Part("_costFunctions.py", "assignCostFunction mse xentropy", SHAPES_COSTS, module="_costFunctions"),
            Part(
                "_implementedLayers.py",
                "assignLayerType FullyConnected Convolutional Activation Dropout",
                SHAPES_LAYERS,
                "import _activationFunctions as afs\nimport _supportingFunctions as sfs",
                module="_implementedLayers",
            ),
            Part("_optimiser.py", "optimisationStep", SHAPES_STEP, module="_optimiser"),
            Part("NumpyNet.py", "NumpyNet", (), SHAPES_BEFORE, SHAPES_LOSS),
        ),
        shapes,
        published="the loss is a mean, its gradient is not; the dropout's gradient is not made larger",
    ),
    Subject(
        STACKS,
        "autoencoders",
        (
            Part(
                "sparse_autoencoder.py",
                "sigmoid cost",
                STACKS_SPARSE,
                "from numpy import *",
                module="sparse_autoencoder",
            ),
            Part(
                "stacked_autoencoder.py",
                "Layer NetConfig stack2params params2stack cost",
                before=STACKS_BEFORE,
                after=STACKS_LOSS,
            ),
        ),
        stacks,
    ),
    Subject(
        MEANS,
        "word vectors",
        (
            Part(
                "src/word2vec_implementation.py",
                "Word2Vec",
                MEANS_EDITS,
                "import logging\nfrom typing import Dict, List, Tuple",
                MEANS_LOSS,
            ),
        ),
        means,
    ),
    Subject(
        SAMPLES,
        "plain network",
        (Part("neural_network.py", "NeuralNetwork", SAMPLES_EDITS, after=SAMPLES_LOSS),),
        samples,
    ),
]
