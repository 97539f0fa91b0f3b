"""Subjects by owners that begin with H, I, J and L: an LSTM in both directions, an RNN whose blocks have clocks, an RNN
with diagonal matrices, stacked and sparse autoencoders, word vectors of counts, a net of neurons and kernels, a policy
that plays."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# classifier and autoencoder for a library that minimizes: layers are a list of dicts, put into one vector and taken out
# of it again; one has a softmax upon layers with weights that decay, the other units that are to be active seldom -----

STACKED = "jatinshah/ufldl_tutorial"
STACKED_WEIGHTS = {"S": (4, 5), "w1": (6, 7), "b1": (6,), "w2": (5, 6), "b2": (5,)}
STACKED_WEIGHTS |= {"W1": (5, 8), "W2": (8, 5), "c1": (5,), "c2": (8,)}
STACKED_LOSS = f"""
from sparse import sparse_autoencoder_linear_cost


def loss_and_gradients(x, y, X, {", ".join(STACKED_WEIGHTS)}):
    params, config = stack2params([{{"w": w1, "b": b1}}, {{"w": w2, "b": b2}}])
    theta = np.concatenate((S.flatten(), params))
    cost, grad = stacked_autoencoder_cost(theta, 7, 5, 4, config, 0.3, x, y)
    first, second = params2stack(grad[20:], config)
    coder = np.concatenate((W1.flatten(), W2.flatten(), c1, c2))
    other, found = sparse_autoencoder_linear_cost(coder, 8, 5, 0.2, 0.1, 0.4, X)
    found = found[:40].reshape(5, 8), found[40:80].reshape(8, 5), found[80:85], found[85:]
    return cost + other, grad[:20].reshape(4, 5), first["w"], first["b"], second["w"], second["b"], *found
"""


def stacked(m):
    r = numbers()
    weights = weights_of(r, " ".join(STACKED_WEIGHTS), *STACKED_WEIGHTS.values())
    given = {"x": r(7, 3), "y": np.array([2, 0, 3]), "X": r(8, 4)}
    return loss(m.loss_and_gradients, " ".join(STACKED_WEIGHTS), **given, **weights)


# word vectors of how often words are near each other: rows of two matrices and two biases learn in loops, one after ---
# another --------------------------------------------------------------------------------------------------------------

COUNTS = "lazyprogrammer/machine_learning_examples"
COUNTS_WEIGHTS = {"W": (7, 4), "b": (7,), "U": (7, 4), "c": (7,)}
COUNTS_BEFORE = """from datetime import datetime


def print(*told):
    pass"""
COUNTS_EDITS = (
    # counts are made of what is given, and not kept in a file
    ("if not os.path.exists(cc_matrix):", "if cc_matrix is None:"),
    ("            np.save(cc_matrix, X)\n", ""),
    ("X = np.load(cc_matrix)", "X = cc_matrix"),
    # weights are given
    ("W = np.random.randn(V, D) / np.sqrt(V + D)", "W = self.W"),
    ("U = np.random.randn(V, D) / np.sqrt(V + D)", "U = self.U"),
    ("b = np.zeros(V)", "b = self.b"),
    ("c = np.zeros(V)", "c = self.c"),
    # wrong as published: what is descended is half of the cost, and with weights that decay
    (
        "cost = ( fX * delta * delta ).sum()",
        "cost = 0.5 * ( fX * delta * delta ).sum() + 0.5 * reg * (np.sum(W**2) + np.sum(U**2))",
    ),
    # what it learns by is kept instead
    ("costs = []", "costs = []\n        dW, db, dU, dc = (np.zeros_like(weight) for weight in (W, b, U, c))"),
    ("W[i] -= learning_rate*(fX", "dW[i] += (fX"),
    ("W -= learning_rate*reg*W", "dW += reg*W"),
    ("b[i] -= learning_rate*fX[i,:]", "db[i] += fX[i,:]"),
    ("U[j] -= learning_rate*(fX", "dU[j] += (fX"),
    ("U -= learning_rate*reg*U", "dU += reg*U"),
    ("c[j] -= learning_rate*fX[:,j]", "dc[j] += fX[:,j]"),
    ("plt.plot(costs)", "return cost, dW, db, dU, dc"),
    ("        plt.show()\n", ""),
)
COUNTS_LOSS = """

def loss_and_gradients(sentences, W, b, U, c):
    model = Glove(4, 7, 2)
    model.W, model.b, model.U, model.c = W, b, U, c
    return model.fit(sentences, reg=0.3, xmax=3, epochs=1, gd=True)
"""


def counts(m):
    r = numbers()
    weights = weights_of(r, " ".join(COUNTS_WEIGHTS), *COUNTS_WEIGHTS.values())
    given = {"sentences": [[2, 5, 3, 2, 6], [4, 3, 5], [6, 2, 5, 3, 4, 2]]}
    return loss(m.loss_and_gradients, " ".join(COUNTS_WEIGHTS), **given, **weights)


# a net of single neurons upon images that kernels go over: each kernel is an object, and the same for all images that -
# come to it; lists of gradients to which each layer adds in front -----------------------------------------------------

KERNELS = "jlnthms/numpy-neural-network"
KERNELS_WEIGHTS = {"K1": (2, 3, 2), "K2": (3, 2, 2), "W": (5, 6), "b": (5,), "V": (4, 5), "c": (4,)}
# wrong as published: the derivative is that of what is not negative, and it is asked for outputs
KERNELS_RELU = (("0 if x < 0 else 1", "0 if x <= 0 else 1"),)
# wrong as published: the biases at the end have no gradient
KERNELS_DENSE = (
    ("grads_w, grads_b = [grad_wrt_weights], []", "grads_w, grads_b = [grad_wrt_weights], [grad_wrt_outputs]"),
)
# wrong as published: the gradient is turned, and the kernels are turned for what comes before
KERNELS_LAYERS = (
    ("convolve2d(input_map, gradient, 'valid')", "convolve2d(input_map, np.rot90(gradient, 2), 'valid')"),
    ("np.rot90(np.rot90(self.kernels[i].array))", "self.kernels[i].array"),
)
KERNELS_IMAGES = """from typing import Tuple

from image_activation import leaky_relu, relu, tanh
from kernel import Kernel
from scipy.signal import convolve2d

activation_functions = {"relu": relu, "tanh": tanh, "leaky_relu": leaky_relu}"""
KERNELS_NET = """from typing import List

from dense_network import MultiLayerPerceptron
from image_layer import ConvLayer, FlatLayer, Layer, PoolLayer"""
KERNELS_LOSS = f"""
import dense_layer
from cross import cross_entropy


def loss_and_gradients(images, labels, {", ".join(KERNELS_WEIGHTS)}):
    first, second = ConvLayer(2, (3, 2), "leaky_relu"), ConvLayer(3, (2, 2), "relu")
    for conv, arrays in ((first, K1), (second, K2)):
        for kernel, array in zip(conv.kernels, arrays):
            kernel.array = array
    dense = MultiLayerPerceptron([dense_layer.Layer(6), dense_layer.Layer(5, "relu"), dense_layer.Layer(4)])
    for layer, weights, biases in ((dense.layers[1], W, b), (dense.layers[2], V, c)):
        for neuron, weight, bias in zip(layer.neurons, weights, biases):
            neuron.weights, neuron.bias = weight, bias
    pools = PoolLayer((2, 2), 2), PoolLayer((2, 2), 2, "average")
    net = ConvNeuralNet([first, pools[0], second, pools[1], FlatLayer()], dense)
    cost, kept = 0, [0] * 6
    for image, label in zip(images, labels):
        net.forward(image)
        cost += cross_entropy(dense.layers[-1].get_output(), label)
        found_w, found_b, found_k = net.backward(label)
        found = *found_k, found_w[0], found_b[0], found_w[1], found_b[1]
        kept = [before + np.array(grad) for before, grad in zip(kept, found)]
    return cost, *kept
"""


def kernels(m):
    r = numbers()
    weights = weights_of(r, " ".join(KERNELS_WEIGHTS), *KERNELS_WEIGHTS.values())
    given = {"images": r(2, 8, 11), "labels": np.eye(4)[[3, 1]]}
    return loss(m.loss_and_gradients, " ".join(KERNELS_WEIGHTS), **given, **weights)


# an LSTM in both directions that cleans sounds, written for CuPy: words, the two LSTMs, a linear layer, a loss that ---
# weighs each of its entries -------------------------------------------------------------------------------------------

BOTH = "horecdev/LSTM-from-scratch"
BOTH_WEIGHTS = {"E": (7, 3), "Wf": (4, 8, 5), "bf": (4, 5), "sf": (2, 2, 5)}
BOTH_WEIGHTS |= {"Wb": (4, 8, 5), "bb": (4, 5), "sb": (2, 2, 5), "W": (10, 6), "b": (6,)}
BOTH_BEFORE = "cp = np\nTensor = np.ndarray"
BOTH_EDITS = (
    ("            cp.clip(dh_next, -1, 1, dh_next)\n", ""),
    ("            cp.clip(dc_next, -1, 1, dc_next)\n", ""),
    # the gradients of the first states are kept
    (
        "return cp.stack(dx_ts[::-1], axis=1)",
        "self.dstates = dc_next, dh_next\n        return cp.stack(dx_ts[::-1], axis=1)",
    ),
)
BOTH_LOSS = f"""
from layers import Embedding, Linear
from losses import SigmoidWeightedBCELoss


def loss_and_gradients(words, targets, weights, {", ".join(BOTH_WEIGHTS)}):
    embedding, both, last, error = Embedding(7, 3), BiLSTM(3, 5), Linear(10, 6, "sigmoid"), SigmoidWeightedBCELoss()
    embedding.embeddings, last.W, last.b = E, W, b
    for lstm, matrices, biases in ((both.forward_layer, Wf, bf), (both.backward_layer, Wb, bb)):
        lstm.W_f, lstm.W_i, lstm.W_can, lstm.W_o = matrices
        lstm.b_f, lstm.b_i, lstm.b_can, lstm.b_o = biases
    logits = last.forward(both.forward(embedding.forward(words), sf, sb))
    cost, _ = error.forward(logits, targets, weights)
    dE = embedding.backward(both.backward(last.backward(error.backward())))
    found = []
    for lstm in (both.forward_layer, both.backward_layer):
        grads = [grad for _, grad in lstm.params()]
        found += [np.stack(grads[:4]), np.stack(grads[4:]), np.stack(lstm.dstates)]
    return cost, dE, *found, last.dW, last.db
"""


def both(m):
    r = numbers()
    weights = weights_of(r, " ".join(BOTH_WEIGHTS), *BOTH_WEIGHTS.values())
    given = {"words": np.array([[2, 5, 2, 0], [1, 6, 4, 4]])}
    given["targets"], given["weights"] = (r(2, 4, 6) > 0).astype(float), 1 + 0.3 * r(2, 4, 6) ** 2
    return loss(m.loss_and_gradients, " ".join(BOTH_WEIGHTS), **given, **weights)


# two RNNs of which all weights are one matrix, rows of it for what goes out too: in one of them blocks of units are ---
# heard by the next at every step, every second, every fourth ----------------------------------------------------------

CLOCKS = "iaroslav-ai/recurrent"
CLOCKS_WEIGHTS = {"W": (11, 5), "h0": (5,), "V": (14, 12), "g0": (3, 4)}
CLOCKS_RNN = (
    # so that there is a first state that is not zero; its gradient is kept
    ("netinput[-1] = 1;", "netinput[-1] = 1; netinput[:self.W.shape[1]] = self.first"),
    ("return grad", "self.dfirst = bptt\n        return grad"),
)
CLOCKS_BLOCKS = (
    # wrong as published: a block hears the block before it instead of itself, and the first one hears the last,
    (
        "                H = np.maximum(",
        "                netinput[:self.npb] = self.activations[b][-1] if i else self.first[b]\n"
        "                netinput[self.npb:self.npb*2] *= b > 0\n"
        "                H = np.maximum(",
    ),
    # and it goes back as many steps as there are blocks
    ("range(len(self.activations)-1,-1,-1)", "range(len(self.activations[0])-1,-1,-1)"),
    ("return grad", "self.dfirst = bptt\n        return grad"),
)
CLOCKS_LOSS = f"""
from simple import RNN


def loss_and_gradients(x, y, {", ".join(CLOCKS_WEIGHTS)}):
    cost, found = 0, []
    for net, weights, first in ((RNN(3, 2, 5), W, h0), (CWRNN(3, 2, 3, 4), V, g0)):
        net.W, net.first, net.training = weights, first, True
        backprop = net.forward(x) - y
        cost += 0.5 * np.sum(backprop**2) + 0.5 * 0.01 * np.sum(weights**2)
        found += [net.backward(backprop) + 0.01 * weights, net.dfirst.reshape(first.shape)]
    return cost, *found
"""


def clocks(m):
    r = numbers()
    weights = weights_of(r, " ".join(CLOCKS_WEIGHTS), *CLOCKS_WEIGHTS.values())
    weights["V"] *= 0.5
    return loss(m.loss_and_gradients, " ".join(CLOCKS_WEIGHTS), x=r(5, 3), y=r(5, 2), **weights)


# a policy that plays: a net with a dict of what it has seen and a dict of gradients, whose steps are weighed by how the
# round ended; it climbs -----------------------------------------------------------------------------------------------

POLICY = "julian-q/ATARI-RL"
POLICY_WEIGHTS = {"w1": (7, 6), "b1": (6,), "w2": (6, 5), "b2": (5,), "w3": (5, 1), "b3": (1,)}
POLICY_BEFORE = """from measures import LL


def print(*told):
    pass"""
POLICY_EDITS = (
    # wrong as published: it goes back with the difference of images that it sees after it has acted
    ("action_prob, cache = self.forward", "seen = x\n                action_prob, cache = self.forward"),
    ("self.backward(x, y, cache)", "self.backward(seen, y, cache)"),
    # what it climbs is added up
    (
        "                round_gradients.append(gradients)",
        "                gradients['value'] = self.log_likelihood.evaluate(y, action_prob).item()\n"
        "                round_gradients.append(gradients)",
    ),
    (
        "in zip(round_returns, round_gradients):",
        "in zip(round_returns, round_gradients):\n                        self.value += r * gradients['value']",
    ),
    # what it learns by is kept instead
    ("self.parameters[f'w{i + 1}'] +=", "self.kept[f'w{i + 1}'] +="),
    ("self.parameters[f'b{i + 1}'] +=", "self.kept[f'b{i + 1}'] +="),
    ("            self.save_parameters()\n", ""),
)
POLICY_LOSS = f"""
from activations import ReLU, Sigmoid


class Game:
    def __init__(self, images, rewards):
        self.images, self.rewards, self.now, self.action_space = images, rewards, 0, self

    def sample(self):
        return 0

    def render(self):
        pass

    close = render

    def reset(self):
        return self.images[0]

    def step(self, action):
        self.now += 1
        return self.images[self.now], self.rewards[self.now], self.now == len(self.images) - 1, None


def loss_and_gradients(images, rewards, {", ".join(POLICY_WEIGHTS)}):
    sizes, kinds = (7, 6, 5, 1), (ReLU(), ReLU(), Sigmoid())
    layers = zip(sizes, sizes[1:], kinds)
    model = REINFORCE([dict(zip(("in_channels", "out_channels", "activation"), layer)) for layer in layers])
    model.parameters = {{"w1": w1, "b1": b1, "w2": w2, "b2": b2, "w3": w3, "b3": b3}}
    model.kept = {{name: np.zeros_like(weight) for name, weight in model.parameters.items()}}
    model.value = 0.0
    np.random.seed(4)  # it acts the same each time
    model.train(Game(images, rewards), 1, 1.0, 0.8)
    return model.value, model.kept
"""


def policy(m):
    r = numbers()
    weights = weights_of(r, " ".join(POLICY_WEIGHTS), *POLICY_WEIGHTS.values())
    given = {"images": r(8, 7), "rewards": np.array([0, 0, 0, 0, 1, 0, 0, -1])}
    return loss(m.loss_and_gradients, " ".join(POLICY_WEIGHTS), **given, **weights)


# an RNN for letters that multiplies by diagonal matrices; its last step is apart from the loop over those before ------

DIAGONAL = "LukaszObara/RNN"
DIAGONAL_WEIGHTS = {"c": (6, 1), "b": (5, 1), "V": (6, 5), "W": (5, 5), "U": (5, 6)}
DIAGONAL_EDITS = (
    # wrong as published: the loss is told what came in plus one, and is the largest of numbers that are not positive
    ("sequence[t]+1", "sequence[t+1]"),
    ("-np.max(np.multiply", "-np.sum(np.multiply"),
    ("np.clip(delta, -3, 3, out=delta)", "pass"),
)
DIAGONAL_LOSS = f"""

def loss_and_gradients(sequence, h0, {", ".join(DIAGONAL_WEIGHTS)}):
    rnn = RNN(sequence, 5)
    rnn.h_0, rnn.bias_output, rnn.bias_hidden = h0, c, b
    rnn.weights_output, rnn.weights_hidden, rnn.weights_input = V, W, U
    return rnn.feedforward(sequence)[2], *rnn.backward_pass(sequence)
"""


def diagonal(m):
    r = numbers()
    weights = weights_of(r, " ".join(DIAGONAL_WEIGHTS), *DIAGONAL_WEIGHTS.values())
    given = {"sequence": np.eye(6)[[2, 0, 5, 2, 4], :, None], "h0": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join(DIAGONAL_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        STACKED,
        "autoencoders",
        (
            Part(
                "sparse_autoencoder.py",
                "sigmoid sigmoid_prime KL_divergence sparse_autoencoder_linear_cost",
                module="sparse",
            ),
            Part(
                "stacked_autoencoder.py",
                "sigmoid sigmoid_prime stack2params params2stack stacked_autoencoder_cost",
                before="import scipy.sparse",
                after=STACKED_LOSS,
            ),
        ),
        stacked,
    ),
    Subject(
        COUNTS,
        "word vectors",
        (Part("nlp_class2/glove.py", "Glove", COUNTS_EDITS, COUNTS_BEFORE, COUNTS_LOSS),),
        counts,
        published="the cost is twice what is descended, and without the decay of the weights",
    ),
    Subject(
        KERNELS,
        "convolution",
        (
            Part("NeuralNetwork/activation.py", "identity relu softmax", KERNELS_RELU, module="activation"),
            Part("NeuralNetwork/loss.py", "cross_entropy", (), "from activation import softmax", module="cross"),
            Part("NeuralNetwork/neuron.py", "Neuron", (), "from activation import identity, relu", module="neuron"),
            Part(
                "NeuralNetwork/layer.py",
                "Layer",
                (),
                "from activation import identity, relu\nfrom neuron import Neuron",
                module="dense_layer",
            ),
            Part(
                "NeuralNetwork/network.py",
                "MultiLayerPerceptron",
                KERNELS_DENSE,
                "from typing import List\n\nfrom activation import softmax\nfrom cross import cross_entropy\n"
                "from dense_layer import Layer",
                module="dense_network",
            ),
            Part("CNN/activation.py", "relu tanh leaky_relu", module="image_activation"),
            Part("CNN/kernel.py", "Kernel", (), "from typing import Tuple", module="kernel"),
            Part(
                "CNN/layer.py",
                "Layer ConvLayer PoolLayer FlatLayer",
                KERNELS_LAYERS,
                KERNELS_IMAGES,
                module="image_layer",
            ),
            Part("CNN/network.py", "ConvNeuralNet", (), KERNELS_NET, KERNELS_LOSS),
        ),
        kernels,
        published="the gradient and the kernels are turned; a unit that is zero hands on; biases without gradient",
    ),
    Subject(
        BOTH,
        "LSTM",
        (
            Part("src/core/layers.py", "sigmoid Embedding Linear", (), BOTH_BEFORE, module="layers"),
            Part(
                "src/core/loss.py",
                "SigmoidWeightedBCELoss",
                (),
                f"from layers import sigmoid\n\n{BOTH_BEFORE}",
                module="losses",
            ),
            Part(
                "src/core/lstm.py", "LSTM BiLSTM", BOTH_EDITS, f"from layers import sigmoid\n\n{BOTH_BEFORE}", BOTH_LOSS
            ),
        ),
        both,
    ),
    Subject(
        CLOCKS,
        "RNN",
        (
            Part("RecurrentNeuralNetworks/rnn_py.py", "RNN", CLOCKS_RNN, module="simple"),
            Part("RecurrentNeuralNetworks/cwrnn_py.py", "CWRNN", CLOCKS_BLOCKS, after=CLOCKS_LOSS),
        ),
        clocks,
        published="blocks hear the block before instead of themselves; it goes back too few steps",
    ),
    Subject(
        POLICY,
        "policy",
        (
            Part("models/utils/activations.py", "Activation ReLU Sigmoid", module="activations"),
            Part("models/utils/measures.py", "Measure LL", module="measures"),
            Part("models/reinforce.py", "REINFORCE", POLICY_EDITS, POLICY_BEFORE, POLICY_LOSS),
        ),
        policy,
        published="it goes back with what it sees after it has acted",
    ),
    Subject(
        DIAGONAL,
        "RNN",
        (Part("RecurrentNetworkEntropy.py", "softmax RNN", DIAGONAL_EDITS, after=DIAGONAL_LOSS),),
        diagonal,
        published="the loss is the largest of numbers that are not positive, and of the wrong letters",
    ),
]
