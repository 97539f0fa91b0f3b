"""Subjects by owners that begin with A, C, D and E, drawn by lot: dense layers with two kinds of ends, word vectors of
pairs and of bags of words, convolutions for one picture at a time, a dense net for one sample, an RNN of letters, an
autoencoder of a notebook."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# dense layers whose activations are layers, too; one net ends in a softmax with its loss, one in a sigmoid ------------

ENDS = "ddenley/ANN-Numpy"
ENDS_WEIGHTS = {"A1": (4, 5), "a1": (1, 5), "A2": (5, 7), "a2": (1, 7), "A3": (7, 2), "a3": (1, 2)}
ENDS_WEIGHTS |= {"B1": (4, 6), "b1": (1, 6), "B2": (6, 3), "b2": (1, 3), "B3": (3, 1), "b3": (1, 1)}
ENDS_KINDS = "Sigmoid Relu LeakyRelu Tanh Softmax_CrossEntropyLossConjoined"
# the data, whose width is read when a net is built
ENDS_BEFORE = """from activations import LeakyRelu, Relu, Sigmoid, Softmax_CrossEntropyLossConjoined, Tanh
from lossfunctions import BinaryCrossEntropyLoss

X = np.zeros((1, 4))"""
ENDS_LOSS = f"""


def filled(network, *weights):
    for layer, weight, bias in zip(network[::2], weights[::2], weights[1::2]):
        layer.weights, layer.biases = weight, bias
    return network


def loss_and_gradients(x, y, {", ".join(ENDS_WEIGHTS)}):
    first = build_network([5, 7, 2], [Tanh(), LeakyRelu(), Softmax_CrossEntropyLossConjoined(y)])
    second = build_network([6, 3, 1], [Relu(), Sigmoid(), Sigmoid()])
    filled(first, A1, a1, A2, a2, A3, a3)
    filled(second, B1, b1, B2, b2, B3, b3)
    error = BinaryCrossEntropyLoss(y)
    forward_pass(first, x)
    forward_pass(second, x)
    backward_pass_conjoined_loss_activ(first)
    backward_pass(second, error)
    grads = [grad for layer in first[::2] + second[::2] for grad in (layer.weight_derivs, layer.bias_derivs)]
    return first[-1].loss + error.loss, first[0].deriv_input + second[0].deriv_input, *grads
"""


def ends(m):
    r = numbers()
    weights = weights_of(r, " ".join(ENDS_WEIGHTS), *ENDS_WEIGHTS.values())
    return loss(m.loss_and_gradients, "x " + " ".join(ENDS_WEIGHTS), x=r(4, 4), y=np.array([1, 0, 0, 1]), **weights)


# word vectors with words that are drawn: the pairs of a text, one after another, all in one method --------------------

TEXT = "akycmv/word2vec-numpy"
TEXT_EDITS = (
    # weights are given, not drawn
    ("W_in = np.random.uniform(-0.5, 0.5, size=(V, dim))", "W_in, self.dW_in = self.W_in, np.zeros((V, dim))"),
    ("W_out = np.zeros((V, dim))", "W_out, self.dW_out = self.W_out, np.zeros((V, dim))"),
    # it learns at once: here the gradients are summed
    ("W_in[wc] -= rate * g_uc", "self.dW_in[wc] += g_uc"),
    ("W_out[wo] -= rate * g_uo", "self.dW_out[wo] += g_uo"),
    # wrong as published: a word that is drawn twice learns once
    ("W_out[samp_idx] -= rate * g_uks", "np.add.at(self.dW_out, samp_idx, g_uks)"),
    # every loss is sent
    ("global_step % 50000 == 0", "global_step % 1 == 0"),
)
TEXT_BEFORE = """import io
from collections import Counter


class tqdm:
    def tqdm(pairs, desc):
        return pairs"""
TEXT_LOSS = """


class Summed(Word2Vec):
    def __init__(self, W_in, W_out):
        self.words, self.loss_file, self.total = range(len(W_in)), io.StringIO(), 0
        self.W_in, self.W_out = W_in, W_out

    def _Word2Vec__send_loss(self, loss):
        self.total += loss


def loss_and_gradients(words, W_in, W_out):
    np.random.seed(1)  # the same words are drawn each time
    model = Summed(W_in, W_out)
    model.train_skipgram(words, epochs=1, window=2, dim=5, neg_k=4)
    return model.total, model.dW_in, model.dW_out
"""


def text(m):
    weights = weights_of(numbers(), "W_in W_out", (9, 5), (9, 5))
    return loss(m.loss_and_gradients, "W_in W_out", words=[2, 7, 2, 4, 0], **weights)


# convolutions and dense layers for one picture at a time, with all of the net written out in one method ---------------

PICTURES = "agjayant/CNN-Numpy"
PICTURES_WEIGHTS = {"W0": (3, 1, 3, 3), "B0": (3,), "W1": (4, 3, 2, 2), "B1": (4,), "W2": (5, 4, 2, 2), "B2": (5,)}
PICTURES_WEIGHTS |= {"W3": (6, 5), "B3": (6,), "W4": (7, 6), "B4": (7,)}
# Python 2
PICTURES_FWD = (("X[i].shape[0]/2", "X[i].shape[0]//2"), ("X[i].shape[1]/2", "X[i].shape[1]//2"))
PICTURES_BACK = (("dy[k,i/2,j/2]", "dy[k,i//2,j//2]"),)
PICTURES_EDITS = (
    # wrong as published: half of the gradient
    ("dy = -1*(X_label - layer7)/2", "dy = -1*(X_label - layer7)"),
)
PICTURES_SIGNAL = "from scipy import signal"
# it learns at once, here with a rate of one and without momentum: the last steps are the gradients
PICTURES_BEFORE = """import activations as act
from back import convBack, fcback, poolback
from fwd import convFwd, poolFwd

activation, alpha, lr = "relu", 0.0, 1.0"""
PICTURES_LOSS = f"""


def loss_and_gradients(pictures, labels, {", ".join(PICTURES_WEIGHTS)}):
    net = cnn.__new__(cnn)
    net.Weights, net.Biases = [W0, W1, W2, W3, W4], [B0, B1, B2, B3, B4]
    net.DirW, net.DirB = [0] * 5, [0] * 5
    net.poolParams = [(2, 2), (2, 2)]
    cost = net.backward(pictures, labels)
    return cost, *(-grad for grads in zip(net.DirW, net.DirB) for grad in grads)
"""


def pictures(m):
    r = numbers()
    weights = weights_of(r, " ".join(PICTURES_WEIGHTS), *PICTURES_WEIGHTS.values())
    given = {"pictures": r(2, 12, 12), "labels": np.eye(7)[[5, 2]]}
    return loss(m.loss_and_gradients, " ".join(PICTURES_WEIGHTS), **given, **weights)


# a dense net of sigmoids for one sample at a time, with squared errors ------------------------------------------------

SAMPLE = "ArthurReimer/Simple-NN-Numpy-Example"
SAMPLE_WEIGHTS = {"W1": (5, 4), "b1": (5,), "W2": (7, 5), "b2": (7,), "W3": (3, 7), "b3": (3,)}
SAMPLE_EDITS = (
    # wrong as published: what goes down goes by weights that have learned already; here what is learned is kept
    ("layer.weights += delta_weight", "layer.delta_weight = delta_weight"),
    ("layer.biases += delta_biases", "layer.delta_biases = delta_biases"),
)
# it learns by half the sum where its loss is a mean: the rate makes up for that; what is learned has the sign of a step
SAMPLE_LOSS = f"""


def loss_and_gradients(xs, ys, {", ".join(SAMPLE_WEIGHTS)}):
    net = Network()
    for weight, bias in ((W1, b1), (W2, b2), (W3, b3)):
        net.add_layer(*weight.shape[::-1])
        net.layers[-1].weights, net.layers[-1].biases = weight, bias
    total, found = 0, [0] * {len(SAMPLE_WEIGHTS)}
    for x, y in zip(xs, ys):
        net.forward_pass(x)
        total += MSE_Loss(net.return_output(), y)
        net.backward_pass(x, 2 / len(y), y)
        steps = [step for layer in net.layers for step in (layer.delta_weight, layer.delta_biases)]
        found = [grad - step for grad, step in zip(found, steps)]
    return total, *found
"""


def sample(m):
    r = numbers()
    weights = weights_of(r, " ".join(SAMPLE_WEIGHTS), *SAMPLE_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(SAMPLE_WEIGHTS), xs=r(3, 4), ys=np.eye(3)[[2, 0, 1]], **weights)


# an RNN of letters in one function ------------------------------------------------------------------------------------

LETTERS = "codingowen/rnn-lstm-from-scratch"
LETTERS_WEIGHTS = {"W_hx": (5, 7), "W_hh": (5, 5), "W_yh": (7, 5), "b_h": (5, 1), "b_y": (7, 1)}
LETTERS_EDITS = (
    ("inputs, targets, h_prev):", f"inputs, targets, h_prev, {', '.join(LETTERS_WEIGHTS)}):"),
    ("np.clip(dparam, -5, 5, out=dparam)", "pass"),
)
LETTERS_LOSS = f"""


vocab_size = 7


def loss_and_gradients(xs, ys, h0, {", ".join(LETTERS_WEIGHTS)}):
    total, found = 0, [0] * {len(LETTERS_WEIGHTS)}
    for inputs, targets, h_prev in zip(xs, ys, h0):
        cost, *grads, _ = loss_function(inputs, targets, h_prev, {", ".join(LETTERS_WEIGHTS)})
        total += cost
        found = [done + grad for done, grad in zip(found, grads)]
    return total, *found
"""


def letters(m):
    r = numbers()
    weights = weights_of(r, " ".join(LETTERS_WEIGHTS), *LETTERS_WEIGHTS.values())
    given = {"xs": np.array([[2, 6, 0, 2], [5, 1, 1, 3]]), "ys": np.array([[6, 0, 2, 4], [1, 1, 3, 0]])}
    return loss(m.loss_and_gradients, " ".join(LETTERS_WEIGHTS), h0=0.5 * r(2, 5, 1), **given, **weights)


# an autoencoder of a notebook: functions that change what they are given ----------------------------------------------

CODER = "Cagnurt/NumPy-Autoencoder-GAN-MNIST"
CODER_TAKEN = "relu sigmoid relu_backward sigmoid_backward mean_squared_error"
# the chain is in the loop that trains, which is not taken (there the gradient is that of a sum, the loss is a mean)
CODER_LOSS = """


def loss_and_gradients(X, w1, w2):
    code = relu(X @ w1)
    made = sigmoid(code @ w2)
    cost = mean_squared_error(made, X)
    grad = sigmoid_backward(2 * (made - X) / X.size, made)
    dw2 = code.T @ grad
    dw1 = X.T @ relu_backward(grad @ w2.T, code)
    return cost, dw1, dw2
"""


def coder(m):
    r = numbers()
    weights = weights_of(r, "w1 w2", (7, 5), (5, 7))
    return loss(m.loss_and_gradients, "w1 w2", X=r(4, 7), **weights)


# word vectors of bags of words with words that are drawn --------------------------------------------------------------

BAG = "emrehannn/word2vec-numpy"
BAG_EDITS = (
    # wrong as published: a word that is there twice learns once
    (
        "self.W_out[negatives] -= lr  * d_W_out_negatives",
        "np.subtract.at(self.W_out, negatives, lr * d_W_out_negatives)",
    ),
    (
        "self.W_in[context] -= lr * (d_hidden / len(context))",
        "np.subtract.at(self.W_in, context, lr * (d_hidden / len(context)))",
    ),
)
# it learns at once: the rate is one, the difference is the gradient
BAG_LOSS = """


vocabularysize, EMBEDDING_DIM = 9, 5


def loss_and_gradients(targets, contexts, negatives, W_in, W_out):
    total, found = 0, [0, 0]
    for target, context, drawn in zip(targets, contexts, negatives):
        model = Word2Vec()
        model.W_in, model.W_out = W_in.copy(), W_out.copy()
        scores = model.forward_pass(context, target, drawn)
        total += model.compute_loss(*scores)
        model.backward_pass(target, *scores, drawn, context, 1.0)
        found = [found[0] + W_in - model.W_in, found[1] + W_out - model.W_out]
    return total, *found
"""


def bag(m):
    weights = weights_of(numbers(), "W_in W_out", (9, 5), (9, 5))
    given = {"targets": [2, 7, 4], "contexts": np.array([[5, 1, 8, 5], [0, 3, 2, 6], [1, 1, 7, 0]])}
    given["negatives"] = np.array([[6, 0, 6], [3, 8, 1], [5, 2, 3]])
    return loss(m.loss_and_gradients, "W_in W_out", **given, **weights)


SUBJECTS = [
    Subject(
        ENDS,
        "dense",
        (
            Part("activations.py", ENDS_KINDS, module="activations"),
            Part("lossfunctions.py", "BinaryCrossEntropyLoss", module="lossfunctions"),
            Part(
                "main.py",
                "Layer build_network forward_pass backward_pass backward_pass_conjoined_loss_activ",
                (),
                ENDS_BEFORE,
                ENDS_LOSS,
            ),
        ),
        ends,
    ),
    Subject(
        TEXT,
        "word vectors",
        (Part("word2vec.py", "Word2Vec", TEXT_EDITS, TEXT_BEFORE, TEXT_LOSS),),
        text,
        published="a word that is drawn twice learns once",
    ),
    Subject(
        PICTURES,
        "convolutions",
        (
            Part("src/activations.py", "activation backActivate", module="activations"),
            Part(
                "src/fwd.py",
                "convFwd poolFwd",
                PICTURES_FWD,
                f'import activations as act\n{PICTURES_SIGNAL}\n\nactivation, pool = "relu", "max"',
                module="fwd",
            ),
            Part("src/back.py", "conv convBack fcback poolback", PICTURES_BACK, PICTURES_SIGNAL, module="back"),
            Part("src/convnet.py", "cnn", PICTURES_EDITS, PICTURES_BEFORE, PICTURES_LOSS),
        ),
        pictures,
        published="half of the gradient",
    ),
    Subject(
        SAMPLE,
        "dense",
        (Part("src/network.py", "sigmoid deriv_sigmoid Layer Network MSE_Loss", SAMPLE_EDITS, after=SAMPLE_LOSS),),
        sample,
        published="what goes down goes by weights that have learned already",
    ),
    Subject(
        LETTERS,
        "RNN",
        (Part("rnn_from_scratch.py", "loss_function", LETTERS_EDITS, after=LETTERS_LOSS),),
        letters,
    ),
    Subject(
        CODER,
        "autoencoder",
        (Part("01_CustomAE.ipynb", CODER_TAKEN, after=CODER_LOSS),),
        coder,
    ),
    Subject(
        BAG,
        "word vectors",
        (Part("model.py", "Word2Vec", BAG_EDITS, after=BAG_LOSS),),
        bag,
        published="a word that is there twice learns once",
    ),
]
