"""Subjects by owners that begin with P, R, T and V: a stack of convolutions with objects for each layer, an autoencoder
with chances, two RNNs, an LSTM for prices, word vectors, a framework with normalisation and penalties."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# a network of convolutions in which activations are layers too; what comes back are differences by which to learn, so
# that all signs are turned round; dropout hides single weights

TURNED = "raphey/numpy-cnn"
TURNED_WEIGHTS = {"F1": (18, 3), "b1": (1, 3), "F2": (12, 5), "b2": (1, 5), "w3": (10, 7), "b3": (1, 7)}
TURNED_WEIGHTS |= {"w4": (7, 4), "b4": (1, 4)}
TURNED_TAKEN = """Network Classifier Layer FullyConnectedLayer SigmoidLayer SoftmaxLayer LReLULayer
FullyConnectedLayerWithDropout ConvolutionLayer ConvolutionFullyConnectedBridge initialize_weight_array"""
TURNED_EDITS = (
    # what it learns by is kept instead
    ("self.w += ", "self.dw = "),
    ("self.b += ", "self.db = "),
    ("self.filters_2d += ", "self.d_filters = "),
    # wrong as published: the gradients of all images of a batch go to the first one,
    ("deconvolved_input_side_deltas[0, 0", "deconvolved_input_side_deltas[k, 0"),
    # and what it learns by belongs to the plain cross entropy
    ("-1.0 / size * np.sum(y_actual", "-np.sum(y_actual"),
    (" + np.log(1.0 - y_predicted) * (1.0 - y_actual))", ")"),
)
TURNED_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(TURNED_WEIGHTS)}):
    first, second = ConvolutionLayer(3, 2, 3, 2, pad=True), ConvolutionLayer(5, 3, 2, 1)
    hidden, last = FullyConnectedLayerWithDropout(10, 7, 0.7), FullyConnectedLayer(7, 4)
    first.filters_2d, first.b, second.filters_2d, second.b = F1, b1, F2, b2
    hidden.w, hidden.b, last.w, last.b = w3, b3, w4, b4
    hidden.dropout_on = True
    bridge = ConvolutionFullyConnectedBridge(5, 1, 2)
    layers = [first, LReLULayer(0.1), second, SigmoidLayer(), bridge, hidden, LReLULayer(0.2), last, SoftmaxLayer()]
    classifier = Classifier(layers)
    np.random.seed(3)  # the same weights are hidden each time
    y_predicted = classifier.feed_forward(x)
    classifier.feed_backward(y - y_predicted, (1.0, 0.0))
    found = first.d_filters, first.db, second.d_filters, second.db, hidden.dw, hidden.db, last.dw, last.db
    found = first.input_side_deltas, *found
    return classifier.cross_entropy_cost(y_predicted, y), *(-gradient for gradient in found)
"""


def turned(m):
    r = numbers()
    weights = weights_of(r, " ".join(TURNED_WEIGHTS), *TURNED_WEIGHTS.values())
    given = {"x": r(2, 2, 4, 6), "y": np.eye(4)[[2, 0]]}
    return loss(m.loss_and_gradients, f"x {' '.join(TURNED_WEIGHTS)}", **given, **weights)


# an autoencoder with chances in a notebook with notes in Japanese: encoder and decoder each have a loss and learn by --
# themselves, and what comes back through the decoder is given to the encoder

CHANCES = "pometa0507/Variational-Autoencoder-Numpy"
CHANCES_WEIGHTS = {"W1": (12, 7), "b1": (7,), "W2": (7, 3), "b2": (3,), "W3": (7, 3), "b3": (3,)}
CHANCES_WEIGHTS |= {"V1": (3, 7), "c1": (7,), "V2": (7, 12), "c2": (12,)}
CHANCES_EDITS = (
    # smaller images and layers
    ("784", "12"),
    ("512", "7"),
    ("(1,28,28)", "(1,3,4)"),
    # what is drawn is given
    ("np.random.standard_normal(size=(self.batch_size, self.latent_dim))", "self.drawn"),
    # wrong as published: the gradient is not that of the mean, but of the sum over an image
    ("np.mean(np.square(self.t - self.x))", "np.sum(np.square(self.t - self.x)) / len(x)"),
)
CHANCES_LOSS = f"""

def loss_and_gradients(x, drawn, {", ".join(CHANCES_WEIGHTS)}):
    encoder, decoder = Encoder(3), Decoder(3)
    encoder.drawn = drawn
    affine = encoder.layers["Affine1"], encoder.layers_mu, encoder.layers_logvar
    affine += decoder.layers["Affine1"], decoder.layers["Affine2"]
    for one, W, b in zip(affine, (W1, W2, W3, V1, V2), (b1, b2, b3, c1, c2)):
        one.W, one.b = W, b
    cost = encoder.loss(x)
    dec_grads = decoder.backward(encoder.sample_z, x)
    enc_grads = encoder.backward(x, decoder.dout)
    return cost + decoder.loss_Rec, *enc_grads.values(), *dec_grads.values()
"""


def chances(m):
    r = numbers()
    weights = weights_of(r, " ".join(CHANCES_WEIGHTS), *CHANCES_WEIGHTS.values())
    given = {"x": r(4, 1, 3, 4), "drawn": r(4, 3)}
    return loss(m.loss_and_gradients, " ".join(CHANCES_WEIGHTS), **given, **weights)


# an RNN as one kind of layer in a framework that changed with each version: neurons are classes with a function and a -
# derivative, gradients of one example stand beside those of a batch; rows

VERSIONS = "TheisEizo/NN"
VERSIONS_WEIGHTS = {"ws_xh": (4, 7), "bs_h": (1, 7), "ws_hy": (7, 5), "bs_y": (1, 5), "ws_hh": (7, 7)}
VERSIONS_EDITS = (
    # so that the first state is not zero and its gradient is kept
    ("self.Hs = [np.zeros((1,self.ws_hh.shape[0]))]", "self.Hs = [self.H_0]"),
    ("return da_s", "return dda_h"),
    # so that no gradient is made shorter
    ("        self.clip_ddws_ddbs('norm',gmax=0.25)\n", ""),
    # wrong as published: the states are one step too early, and the derivative takes what is before the activation
    (
        "self.Hs[t].copy())\n            H_t_prev = util.mindim(self.Hs[t-1].copy())",
        "self.Hs[t+1].copy())\n            H_t_prev = util.mindim(self.Hs[t].copy())",
    ),
    ("self.ntype.diff(H_t)", "self.ntype.diff(np.arctanh(H_t))"),
)
# wrong as published: the gradient is not that of the mean
VERSIONS_COST = (("-np.mean(np.nan_to_num", "-np.sum(np.nan_to_num"),)
VERSIONS_LOSS = f"""

def loss_and_gradients(X, y, H_0, {", ".join(VERSIONS_WEIGHTS)}):
    rnn = RecurrentFullCon(Tanh, Softmax, (4, 7, 5))
    rnn.H_0 = H_0
    for name, array in zip({list(VERSIONS_WEIGHTS)}, ({", ".join(VERSIONS_WEIGHTS)})):
        setattr(rnn, name, array)
    rnn.init_dws_dbs()
    cost, dH_0 = 0, 0
    for k in range(len(X)):  # one example after another
        rnn.act(X[k], train=True)
        Y = np.vstack(rnn.Ys)
        cost += RNNCrossEntropy.act(None, Y, y[k])
        dH_0 += rnn.diff(RNNCrossEntropy.diff(None, Y, y[k]), X[k])
        rnn.update_dws_dbs()
    kept = dict(zip(("ws_xh", "ws_hy", "ws_hh", "bs_h", "bs_y"), rnn.get_dws_dbs(False)))
    return cost, dH_0, *(kept[name] for name in {list(VERSIONS_WEIGHTS)})
"""


def versions(m):
    r = numbers()
    weights = weights_of(r, " ".join(VERSIONS_WEIGHTS), *VERSIONS_WEIGHTS.values())
    given = {"X": r(2, 3, 4), "y": np.eye(5)[[[4, 0, 2], [1, 3, 3]]], "H_0": 0.5 * r(1, 7)}
    return loss(m.loss_and_gradients, f"H_0 {' '.join(VERSIONS_WEIGHTS)}", **given, **weights)


# a course's RNN made of two dense layers, which have their biases as last rows, a tanh and a sigmoid: before each goes
# back, it is given the values of its step

ROWS = "vaishnavnegi/exercise3_material"
ROWS_FOLDER = "src_to_implement/Layers"
ROWS_EDITS = (
    # wrong as published: the one that stands for the bias comes before the last state
    ("np.insert(hid_intermediate , -1 , 1)", "np.append(hid_intermediate , 1)"),
    # the gradient of the first state is kept
    ("        return gradient_inputs", "        self.gradient_first = gradient_hidden\n        return gradient_inputs"),
)
ROWS_PAIR = """

def forward(x, h0, W1, W2):
    rnn = RNN(5, 7, 4)
    rnn.fc1.weights, rnn.fc2.weights = W1, W2
    rnn.memorize, rnn.hidden_state = True, h0
    return rnn.forward(x), rnn


def backward(dy, rnn):
    return rnn.backward(dy), rnn.gradient_first, rnn.gradient_weights, rnn.gradient_weights2
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, "W1 W2", (13, 7), (8, 4))
    return pair(m.forward, m.backward, "x h0 W1 W2", x=r(4, 5), h0=r(1, 7), **weights)


# an LSTM that tells the next price: a cell that gathers its gradients, a dense layer on the last state, a loss of -----
# squares; columns

PRICES = "TalhaSikandar/megaman-co"
PRICES_WEIGHTS = {f"{kind}_{gate}": shape for gate in "fioc" for kind, shape in (("W", (5, 8)), ("b", (5, 1)))}
PRICES_WEIGHTS |= {"W": (2, 5), "b": (2, 1)}
PRICES_EDITS = (
    # so that the first states are not zero
    ("self.h_t = np.zeros((self.hidden_size, 1))", "self.h_t, self.kept = self.h_0, []"),
    ("self.c_t = np.zeros((self.hidden_size, 1))", "self.c_t = self.c_0"),
    # wrong as published: the cell only knows its last step, for which all steps are taken; here its values are kept
    (
        "            self.hiddens.append(self.h_t)\n",
        "            self.hiddens.append(self.h_t)\n            self.kept.append(dict(vars(self.cell)))\n",
    ),
    (
        "            dx, dL_dh_next, dL_dc_next = self.cell.backward(",
        "            for name in ('f_t', 'i_t', 'o_t', 'g_t', 'c_prev', 'c_t', 'h_t', 'concat'):\n"
        "                setattr(self.cell, name, self.kept[t][name])\n"
        "            dx, dL_dh_next, dL_dc_next = self.cell.backward(",
    ),
    # wrong as published: the gradients of the dense layer are set to zero after they were found,
    ("        self.fc.reset_gradients() # Reset before BPTT\n", ""),
    # and are those of half the sum of squares
    ("return np.mean((self.y_pred - y_true) ** 2)", "return 0.5 * np.sum((self.y_pred - y_true) ** 2)"),
    # what it learns by is kept instead
    ("        self.fc.update_weights_adam(learning_rate)\n", ""),
    ("        self.cell.update_weights_adam(learning_rate)\n", "        return dL_dh_next, dL_dc_next\n"),
)
PRICES_LOSS = f"""

def loss_and_gradients(x, y, h_0, c_0, {", ".join(PRICES_WEIGHTS)}):
    lstm = LSTMLayer(3, 5, 2)
    lstm.h_0, lstm.c_0, lstm.fc.W, lstm.fc.b = h_0, c_0, W, b
    for name, array in zip({list(PRICES_WEIGHTS)[:-2]}, ({", ".join(list(PRICES_WEIGHTS)[:-2])})):
        setattr(lstm.cell, name, array)
    lstm.forward(x)
    dh_0, dc_0 = lstm.backward(y)
    found = [getattr(lstm.cell, "d" + name) for name in {list(PRICES_WEIGHTS)[:-2]}]
    return lstm.compute_loss(y), dh_0, dc_0, *found, lstm.fc.dW, lstm.fc.db
"""


def prices(m):
    r = numbers()
    weights = weights_of(r, " ".join(PRICES_WEIGHTS), *PRICES_WEIGHTS.values())
    given = {"x": r(4, 3), "y": r(2, 1), "h_0": r(5, 1), "c_0": r(5, 1)}
    return loss(m.loss_and_gradients, f"h_0 c_0 {' '.join(PRICES_WEIGHTS)}", **given, **weights)


# word vectors by a word, one near it and some that are drawn, one pair after another; the chances of those drawn are --
# those of not being near

NEAR = "tomasz-pawlaczyk/Word2Vector-pure-numpy"
NEAR_EDITS = (
    # what it learns by is kept instead; as published the vector of the word near it has changed before it is used
    ("self.output_emb[context] -= self.lr * ", "self.d_output[context] += "),
    ("self.output_emb[negatives] -= self.lr * ", "self.d_output[negatives] += "),
    ("self.input_emb[target] -= self.lr * ", "self.d_input[target] += "),
)
NEAR_LOSS = """

def loss_and_gradients(pairs, drawn, input_emb, output_emb):
    model = SkipGramNS(*input_emb.shape)
    model.input_emb, model.output_emb = input_emb, output_emb
    model.d_input, model.d_output = np.zeros_like(input_emb), np.zeros_like(output_emb)
    total = 0
    for (target, context), negatives in zip(pairs, drawn):
        total += model.train_step(target, context, negatives)
    return total, model.d_input, model.d_output
"""


def near(m):
    r = numbers()
    weights = weights_of(r, "input_emb output_emb", (11, 5), (11, 5))
    drawn = np.array([[1, 8, 10], [7, 0, 3], [4, 6, 2], [9, 8, 0], [5, 2, 10]])
    pairs = np.array([[2, 5], [5, 2], [2, 10], [0, 9], [9, 4]])
    return loss(m.loss_and_gradients, "input_emb output_emb", pairs=pairs, drawn=drawn, **weights)


# a framework whose layers give nothing back, but keep it, and know the layers before and after them; normalisation, ---
# dropout, penalties of absolute values and squares for weights and biases, a softmax with its matrix of derivatives

NEIGHBOURS = "raunak-sood2003/Numpy-Deep-Learning-Library"
NEIGHBOURS_WEIGHTS = {"W1": (4, 7), "b1": (1, 7), "gamma": (1, 7), "beta": (1, 7), "W2": (7, 11), "b2": (1, 11)}
NEIGHBOURS_WEIGHTS |= {"W3": (11, 9), "b3": (1, 9), "W4": (9, 5), "b4": (1, 5)}
NEIGHBOURS_LOSS = f"""
from activations import ELU, LeakyReLU, Softmax, Softplus, Tanh
from layers import BatchNorm1D, Dropout
from layers import Linear as Dense
from losses import CCELoss


def loss_and_gradients(x, y, {", ".join(NEIGHBOURS_WEIGHTS)}):
    first, norm, second = Dense(4, 7, weight_reg_l1=0.1, bias_reg_l2=0.2), BatchNorm1D(7), Dense(7, 11, bias_reg_l1=0.3)
    third, last = Dense(11, 9), Dense(9, 5, weight_reg_l2=0.2)
    learning = first, norm, second, third, last
    for one, W, b in zip(learning, (W1, gamma, W2, W3, W4), (b1, beta, b2, b3, b4)):
        one.weights, one.biases = W, b
    model = Sequential()
    added = first, norm, ELU(0.7), second, LeakyReLU(0.2), Dropout(0.3), third, Tanh(), last, Softplus(), Softmax()
    for one in added:
        model.add(one)
    model.finalize(loss=CCELoss(), optimizer=None)
    np.random.seed(5)  # the same are dropped each time
    y_pred = model.forward(x, True)
    model.backward(y_pred, y)
    found = [gradient for one in learning for gradient in (one.dweights, one.dbiases)]
    return sum(model.loss.calculate(y_pred, y)), first.dinputs, *found
"""


def neighbours(m):
    r = numbers()
    weights = weights_of(r, " ".join(NEIGHBOURS_WEIGHTS), *NEIGHBOURS_WEIGHTS.values())
    given = {"x": r(4, 4), "y": np.eye(5)[[4, 0, 3, 1]]}
    return loss(m.loss_and_gradients, f"x {' '.join(NEIGHBOURS_WEIGHTS)}", **given, **weights)


SUBJECTS = [
    Subject(
        TURNED,
        "convolutions",
        (
            Part("nn_util.py", "pad_image", module="nn_util"),
            Part(
                "generalized_nn.py",
                TURNED_TAKEN,
                TURNED_EDITS,
                "import warnings\n\nfrom nn_util import pad_image",
                TURNED_LOSS,
            ),
        ),
        turned,
        published="the gradients of all images go to the first; the cost has more terms than what it learns by",
    ),
    Subject(
        CHANCES,
        "autoencoder",
        (
            Part(
                "VAE_Numpy.ipynb",
                "Relu glorot_uniform Affine Reshape MSEWithLoss Encoder Decoder",
                CHANCES_EDITS,
                "from collections import OrderedDict",
                CHANCES_LOSS,
            ),
        ),
        chances,
        published="the gradient of the loss is not that of the mean; the encoder draws anew before it goes back",
    ),
    Subject(
        VERSIONS,
        "RNN",
        (
            Part("nn_v4/func.py", "util", module="func"),
            Part("nn_v4/neurons.py", "neuron Tanh Softmax", module="neurons"),
            Part("nn_v4/cost.py", "cost RNNCrossEntropy", VERSIONS_COST, module="cost"),
            Part(
                "nn_v4/layers.py",
                "layer RecurrentFullCon",
                VERSIONS_EDITS,
                "from cost import RNNCrossEntropy\nfrom func import util\nfrom neurons import Softmax, Tanh",
                VERSIONS_LOSS,
            ),
        ),
        versions,
        published="the states are one step too early, the derivative is that of the wrong value, the loss is a mean",
    ),
    Subject(
        ROWS,
        "RNN",
        (
            Part(f"{ROWS_FOLDER}/Base.py", "BaseLayer", module="Base"),
            *(
                Part(f"{ROWS_FOLDER}/{name}.py", name, before="from Base import BaseLayer", module=name)
                for name in ("FullyConnected", "TanH", "Sigmoid")
            ),
            Part(
                f"{ROWS_FOLDER}/RNN.py",
                "RNN",
                ROWS_EDITS,
                "from FullyConnected import FullyConnected\nfrom Sigmoid import Sigmoid\nfrom TanH import TanH",
                ROWS_PAIR,
            ),
        ),
        rows,
        published="the one that stands for the bias comes before the last state",
    ),
    Subject(
        PRICES,
        "LSTM",
        (
            Part("lstm_cell.py", "LSTMCell", module="lstm_cell"),
            Part("simple_layer.py", "Linear", module="simple_layer"),
            Part(
                "lstm_layer.py",
                "LSTMLayer",
                PRICES_EDITS,
                "from lstm_cell import LSTMCell\nfrom simple_layer import Linear\n\nLEARNING_RATE = 0.01",
                PRICES_LOSS,
            ),
        ),
        prices,
        published="all steps are the last one in the backward pass; the dense layer's gradients are set to zero",
    ),
    Subject(
        NEAR,
        "word vectors",
        (Part("word2vec/model.py", "sigmoid SkipGramNS", NEAR_EDITS, after=NEAR_LOSS),),
        near,
        published="a vector has changed before it is used for the gradient of the word",
    ),
    Subject(
        NEIGHBOURS,
        "normalisation",
        (
            Part("nn/module.py", "Layer Loss", module="module"),
            Part("nn/losses.py", "CCELoss", before="from module import Loss", module="losses"),
            Part(
                "nn/layers.py",
                "Linear Dropout BatchNorm1D Input",
                before="from module import Layer",
                module="layers",
            ),
            Part(
                "nn/activations.py",
                "LeakyReLU ELU Tanh Softmax Softplus",
                before="from module import Layer",
                module="activations",
            ),
            Part("nn/models.py", "Sequential", before="from layers import Input", after=NEIGHBOURS_LOSS),
        ),
        neighbours,
    ),
]
