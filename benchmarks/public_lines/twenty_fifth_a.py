"""Subjects by owners that begin with A, D, G, J, M and S: an RNN for letters, one for messages, two LSTMs, a network of
convolutions out of single neurons, a batch normalisation in a stack of layers, word vectors."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# an RNN whose method `gradients` runs forward and back, in the notation of a physicist: states are memory, gradients --
# nablas; Python 2, long explanations in strings between the lines -----------------------------------------------------

MEMORY = "Goykhman/Recurrent_Neural_Network"
MEMORY_WEIGHTS = {"W": (7, 5), "V": (7, 7), "U": (11, 7), "b": (7, 1), "e": (11, 1)}
MEMORY_EDITS = (
    ("xrange", "range"),  # Python 3
    ("print 'iter %d, loss: %f'%(n,self.Loss)", "pass"),
    (r"print '----\n %s \n----' % (txt, )", "pass"),
    ("-5,5", "-1000,1000"),  # so that no gradient is cut off
)
MEMORY_LOSS = f"""

def loss_and_gradients(x, y, m_seed, {", ".join(MEMORY_WEIGHTS)}):
    rnn = RNN(len(x), 5, 7, 11, [], [], 0.1)
    rnn.W, rnn.V, rnn.U, rnn.b, rnn.e = {", ".join(MEMORY_WEIGHTS)}
    return rnn.gradients(x, y, m_seed)
"""


def memory(m):
    r = numbers()
    weights = weights_of(r, " ".join(MEMORY_WEIGHTS), *MEMORY_WEIGHTS.values())
    given = {"x": r(4, 5, 1), "y": np.array([3, 10, 0, 6]), "m_seed": r(7, 1)}
    return loss(m.loss_and_gradients, " ".join(MEMORY_WEIGHTS), **given, **weights)


# an RNN that tells spam from other messages by its last state: weights in a dict with long names, one message after ---
# another, learning in the backward pass -------------------------------------------------------------------------------

SPAM = "arunbonagiri190/spam-classifier-with-numpy-rnn"
SPAM_NAMES = {"W": "input-to-hidden", "U": "hidden-to-hidden", "V": "hidden-to-output", "b": "hidden", "c": "output"}
SPAM_WEIGHTS = {"W": (7, 5), "U": (7, 7), "V": (4, 7), "b": (7, 1), "c": (4, 1)}
SPAM_REPORT = """            if((epoch+1)%1000 == 0):
                print('\\tat epoch ',(epoch+1),'\\t...   loss: ',sum(total_loss)/batch_size)
"""
SPAM_EDITS = (
    # wrong as published: what goes back to the state before lacks a transpose
    ("self.weights['hidden-to-hidden'].dot(temp)", "self.weights['hidden-to-hidden'].T.dot(temp)"),
    # so that there are first states that are not zero
    ("hidden_activations = np.zeros((self.hidden_size, 1))", "hidden_activations = self.first"),
    # the loss of all messages is returned, what it learns by is kept instead
    (SPAM_REPORT, "            return sum(total_loss)\n"),
    ("print('[RNN]: Training on ',ephocs, 'ephocs with batch_size:', batch_size)", "pass"),
    *(
        (
            f"self.weights['{name}'] -= self.lr * nw_{name.replace('-', '_')}",
            f"self.d{key} += nw_{name.replace('-', '_')}",
        )
        for key, name in list(SPAM_NAMES.items())[:3]
    ),
    *(
        (f"self.biases['{name}'] -= self.lr * nb_{name}", f"self.d{key} += nb_{name}")
        for key, name in list(SPAM_NAMES.items())[3:]
    ),
)
SPAM_LOSS = f"""

def loss_and_gradients(X, y, h0, {", ".join(SPAM_WEIGHTS)}):
    rnn = object.__new__(RNN)  # without the weights of its own, and what it says of them
    rnn.input_size, rnn.hidden_size, rnn.output_size, rnn.cr, rnn.first = 5, 7, 4, 1000, h0
    names = {list(SPAM_NAMES.values())}
    rnn.weights, rnn.biases = dict(zip(names[:3], (W, U, V))), dict(zip(names[3:], (b, c)))
    rnn.dW, rnn.dU, rnn.dV, rnn.db, rnn.dc = (np.zeros_like(array) for array in (W, U, V, b, c))
    cost = rnn.fit(X, y)
    return cost, rnn.dW, rnn.dU, rnn.dV, rnn.db, rnn.dc
"""


def spam(m):
    r = numbers()
    weights = weights_of(r, " ".join(SPAM_WEIGHTS), *SPAM_WEIGHTS.values())
    given = {"X": r(3, 4, 5, 1), "y": np.eye(4)[[2, 0, 3]], "h0": r(7, 1)}
    return loss(m.loss_and_gradients, " ".join(SPAM_WEIGHTS), **given, **weights)


# an LSTM of a course on deep learning: a cell is an object that keeps its activations, which are layers; all gates in -
# one matrix, an output that is a sigmoid, no batch (its batch is the time) --------------------------------------------

CELLS = "Joyce-CL/Deep-Learning"
CELLS_WEIGHTS = {"w_xh": (28, 11), "b_xh": (1, 28), "w_y": (3, 7), "b_y": (1, 3)}
CELLS_RETURN = (
    "            self.b_y = self._optimizer_b_y.calculate_update(self.b_y, gb_y)\n        return output_error"
)
CELLS_EDITS = ((CELLS_RETURN, f"{CELLS_RETURN}, out_e_hidden_state, out_e_cell_state"),)
CELLS_PAIR = f"""

class Kept:
    def calculate_update(self, weight, gradient):
        self.gradient = gradient
        return weight


def forward(x, h0, c0, {", ".join(CELLS_WEIGHTS)}):
    lstm = LSTM(4, 7, 3)
    lstm.memorize, lstm.optimizer, lstm.hidden_state, lstm.cell_state = True, Kept(), h0, c0
    lstm.w_xh, lstm.b_xh, lstm.w_y, lstm.b_y = {", ".join(CELLS_WEIGHTS)}
    return lstm.forward(x), lstm


def backward(error, lstm):
    errors = lstm.backward(error)
    kept = lstm._optimizer_w_xh, lstm._optimizer_b_xh, lstm._optimizer_w_y, lstm._optimizer_b_y
    return *errors, *(optimizer.gradient for optimizer in kept)
"""


def cells(m):
    r = numbers()
    weights = weights_of(r, " ".join(CELLS_WEIGHTS), *CELLS_WEIGHTS.values())
    given = {"x": r(5, 4), "h0": r(1, 7), "c0": r(1, 7)}
    return pair(m.forward, m.backward, f"x h0 c0 {' '.join(CELLS_WEIGHTS)}", **given, **weights)


# a network of single neurons: each place of each kernel of a convolution is an object that keeps its inputs, its output
# and its gradient; no batch, a loss of squares ------------------------------------------------------------------------

NEURONS = "drkostas/Numpy-CNN"
NEURONS_WEIGHTS = {"W1": (4, 28), "W2": (5, 37), "W3": (7, 61)}
NEURONS_BEFORE = "from typing import *\n\nfrom neuron import Neuron"
NEURONS_EDITS = (
    # wrong as published: the gradient of a convolution's input takes its inputs for its weights
    ("(self.kernels[k][i][j].inputs[:-1]", "(self.kernels[k][i][j].weights[:-1]"),
    # a kernel is of 3 by 3 there, and an image is a square
    ("i:(i + 3), j:(j + 3)", "i:(i + self.kernel_size), j:(j + self.kernel_size)"),
    ("for j in range(len(self.kernels[k])):", "for j in range(len(self.kernels[k][0])):"),
)
# and with more outputs than one, the gradients of their inputs are not added
NEURONS_FLATTEN = (("return wdeltas_next.reshape(", "return wdeltas_next.sum(axis=0).reshape("),)
NEURONS_LOSS = f"""
from convolutional_layer import ConvolutionalLayer
from flatten_layer import FlattenLayer
from fully_connected_layer import FullyConnectedLayer


def loss_and_gradients(x, y, {", ".join(NEURONS_WEIGHTS)}):
    network = NeuralNetwork((7, 8), "square_error", 0.0, 3)
    first = ConvolutionalLayer(4, 3, 3, (7, 8), "logistic", 0.0, W1)
    second = ConvolutionalLayer(5, 3, 4, (5, 6), "linear", 0.0, W2)
    third = FullyConnectedLayer(7, "logistic", 60, 0.0, W3)
    network.layers = [first, second, FlattenLayer(60), third]
    cost = network.calculate_loss(x, y)
    network.train(x, y)
    kernels = [[kernel[0][0].partial_der for kernel in layer.kernels] for layer in (first, second)]
    return cost, *(np.array(found) for found in (*kernels, [neuron.partial_der for neuron in third.neurons]))
"""


def neurons(m):
    r = numbers()
    weights = weights_of(r, " ".join(NEURONS_WEIGHTS), *NEURONS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(NEURONS_WEIGHTS), x=r(1, 3, 7, 8), y=r(1, 7), **weights)


# a stack of layers with hints of types and parameters in dicts: linear, batch normalisation in small steps, ReLU, -----
# sigmoid; a penalty for great weights ---------------------------------------------------------------------------------

STACK = "msmrexe/numpy-neural-network"
STACK_WEIGHTS = {"W1": (4, 7), "b1": (7,), "gamma1": (7,), "beta1": (7,), "W2": (7, 11), "b2": (11,)}
STACK_WEIGHTS |= {"gamma2": (11,), "beta2": (11,), "W3": (11, 5), "b3": (5,)}
STACK_TYPES = "from typing import Dict, List, Optional, Tuple"
STACK_EDITS = (
    # wrong as published: the gradients that it hands out are not those of its layers
    (
        "        self.backward(dscores)\n",
        """        self.backward(dscores)
        for i, layer in enumerate(self.layers):
            self.grads |= {f"layer_{i}_{name}": grad for name, grad in layer.grads.items()}
""",
    ),
)
STACK_LOSS = f"""
from layers import BatchNorm, Linear, ReLU, Sigmoid
from losses import SoftmaxCrossEntropyLoss


def loss_and_gradients(X, y, {", ".join(STACK_WEIGHTS)}):
    linears, norms = [Linear(4, 7), Linear(7, 11), Linear(11, 5)], [BatchNorm(7), BatchNorm(11)]
    for layer, W, b in zip(linears, (W1, W2, W3), (b1, b2, b3)):
        layer.params = {{"W": W, "b": b}}
    for layer, gamma, beta in zip(norms, (gamma1, gamma2), (beta1, beta2)):
        layer.params = {{"gamma": gamma, "beta": beta}}
    layers = [linears[0], norms[0], Sigmoid(), linears[1], norms[1], ReLU(), linears[2]]
    model = Sequential(layers, SoftmaxCrossEntropyLoss(), reg=0.3)
    cost, grads = model.compute_loss(X, y)
    return cost, *(grads[name] for name in grads)
"""


def stack(m):
    r = numbers()
    weights = weights_of(r, " ".join(STACK_WEIGHTS), *STACK_WEIGHTS.values())
    given = {"X": r(6, 4), "y": np.array([2, 0, 4, 4, 1, 3])}
    return loss(m.loss_and_gradients, " ".join(STACK_WEIGHTS), **given, **weights)


# a cell of an LSTM that reads an image row by row and names its digit by the last row: the parameters are an object ---
# that can be added and multiplied, each product has its gradient from one method; its activations are found anew ------

ROWS = "shijin1984/learn_rnn"
ROWS_WEIGHTS = {
    f"{kind}{gate}": shape for gate in "fioc" for kind, shape in (("W", (7, 5)), ("U", (7, 7)), ("b", (7,)))
}
ROWS_CELL = (
    # wrong as published: the gradient of the cell state from the step after is lost
    ("grad_C = grad_h * self._o", "grad_C = grad_C + grad_h * self._o"),
    # rows of 5 instead of 28 numbers, 7 instead of 10 digits
    ("28", "5"),
    ("10", "7"),
)
ROWS_REPORT = """    print('In %s mode:' % ('TRAIN' if is_train else 'TEST'))
    print('Error rate is %.1f%%, the loss is %.1f' % (100.0*errors/samples, loss))
"""
ROWS_EDITS = (
    (ROWS_REPORT, "    return loss, grad\n"),
    # 4 rows of 5 instead of 28 of 28; twice 7 states
    ("(28, 28)", "(4, 5)"),
    ("28", "4"),
    ("self._H = 20", "self._H = 14"),
    ("if i > 0 else np.zeros(self._H)", "if i > 0 else self._first"),  # so that the first states are not zero
)
ROWS_LOSS = f"""

def loss_and_gradients(images, labels, first, {", ".join(ROWS_WEIGHTS)}):
    rnn = Rnn()
    rnn._first = first
    names = {list(ROWS_WEIGHTS)}
    rnn._cell._params = LSTMCell.Params(**dict(zip(names, ({", ".join(ROWS_WEIGHTS)}))))
    cost, grad = rnn.run_epoch(zip(images, labels), True)
    return cost, *(getattr(grad, name) for name in names)
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, " ".join(ROWS_WEIGHTS), *ROWS_WEIGHTS.values())
    given = {"images": r(3, 4, 5), "labels": np.array([6, 0, 4]), "first": r(14)}
    return loss(m.loss_and_gradients, " ".join(ROWS_WEIGHTS), **given, **weights)


# word vectors of a French pupil: a word and all those near it at once, against all words by a softmax; functions and --
# two matrices that belong to the module -------------------------------------------------------------------------------

FABLES = "GoldenTom4801/TIPE"
FABLES_TAKEN = """donnees_entrainement one_hot_vector ind_vecteurs_mots couche_cachee softmax_vec propagation_avant
calculate_error update_poids calculer_perte"""
FABLES_BEFORE = """texte = list("aedbcagfcedb")
mots_ind, taille_vocab, TAILLE_CONTEXTE = {mot: k for k, mot in enumerate("abcdefg")}, 7, 3
"""
FABLES_EDITS = (
    # wrong as published: the loss takes the probabilities for the scores
    ("return calculer_perte(softmax_vect, mots_contexte)", "return calculer_perte(vec, mots_contexte)"),
    # what it learns by is kept instead
    ("poids_cachee = poids_cachee - ALPHA * derivee_cachee", "gradients['cachee'] += derivee_cachee"),
    ("poids_entree = poids_entree - ALPHA * derivee_entree", "gradients['entree'] += derivee_entree"),
)
FABLES_LOSS = """

def loss_and_gradients(entree, cachee):
    global poids_entree, poids_cachee, gradients
    poids_entree, poids_cachee = entree, cachee
    gradients = {"entree": np.zeros_like(entree), "cachee": np.zeros_like(cachee)}
    perte = 0
    for indice in range(TAILLE_CONTEXTE, len(texte) - TAILLE_CONTEXTE):
        _, vect_contexte = one_hot_vector(mots_ind[texte[indice]], donnees_entrainement(texte, indice))
        perte += update_poids(mots_ind[texte[indice]], vect_contexte)
    return perte, gradients
"""


def fables(m):
    r = numbers()
    return loss(m.loss_and_gradients, "entree cachee", **weights_of(r, "entree cachee", (7, 5), (5, 7)))


SUBJECTS = [
    Subject(MEMORY, "RNN", (Part("rnn_class.py", "RNN", MEMORY_EDITS, after=MEMORY_LOSS),), memory),
    Subject(
        SPAM,
        "RNN",
        (
            Part("src/util.py", "Activations", module="util"),
            Part("src/rnn.py", "RNN", SPAM_EDITS, "from util import Activations", SPAM_LOSS),
        ),
        spam,
        published="the gradient of a state from the one after it lacks a transpose",
    ),
    Subject(
        CELLS,
        "LSTM",
        (
            Part("Layers/Base.py", "Base Phase", module="base"),
            Part("Layers/TanH.py", "TanH", before="from base import Base", module="tanh"),
            Part("Layers/Sigmoid.py", "Sigmoid", before="from base import Base", module="sigmoid"),
            Part(
                "Layers/LSTM.py",
                "LSTM_cell LSTM",
                CELLS_EDITS,
                "import copy\n\nfrom base import Base\nfrom sigmoid import Sigmoid\nfrom tanh import TanH",
                CELLS_PAIR,
            ),
        ),
        cells,
    ),
    Subject(
        NEURONS,
        "neurons",
        (
            Part("src/neuron.py", "Neuron", module="neuron"),
            Part(
                "src/convolutional_layer.py",
                "ConvolutionalLayer",
                NEURONS_EDITS,
                NEURONS_BEFORE,
                module="convolutional_layer",
            ),
            Part("src/flatten_layer.py", "FlattenLayer", NEURONS_FLATTEN, module="flatten_layer"),
            Part(
                "src/fully_connected_layer.py", "FullyConnectedLayer", (), NEURONS_BEFORE, "", "fully_connected_layer"
            ),
            Part("src/neural_network.py", "NeuralNetwork", (), NEURONS_BEFORE, NEURONS_LOSS),
        ),
        neurons,
        published="convolutions hand back inputs for weights; only one output, square images, kernels of 3 by 3",
    ),
    Subject(
        STACK,
        "batch normalisation",
        (
            Part("src/layers.py", "Layer Linear ReLU Sigmoid BatchNorm", before=STACK_TYPES, module="layers"),
            Part("src/losses.py", "Loss SoftmaxCrossEntropyLoss", before=STACK_TYPES, module="losses"),
            Part(
                "src/model.py",
                "Sequential",
                STACK_EDITS,
                f"{STACK_TYPES}\n\nfrom layers import Layer\nfrom losses import Loss",
                STACK_LOSS,
            ),
        ),
        stack,
        published="the gradients that it hands out stay zero but for the penalty",
    ),
    Subject(
        ROWS,
        "LSTM",
        (
            Part("lstm.py", "LSTMCell", ROWS_CELL, "import math", module="lstm"),
            Part("rnn.py", "Rnn", ROWS_EDITS, "import math\n\nfrom lstm import LSTMCell", ROWS_LOSS),
        ),
        rows,
        published="no gradient goes from a cell state to the one before it",
    ),
    Subject(
        FABLES,
        "word vectors",
        (Part("Word2Vec/skipgram.py", FABLES_TAKEN, FABLES_EDITS, FABLES_BEFORE, FABLES_LOSS),),
        fables,
        published="the loss takes the probabilities for the scores",
    ),
]
