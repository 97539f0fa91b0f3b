"""Subjects by owners that begin with A, C, D, E and F: word vectors, an LSTM that reads and one that writes, a GRU, a
network of convolutions, a dense network in Jacobian matrices, an LSTM of dense layers, an RNN for numbers."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# a word from the mean of those around it, against words drawn by chance: plain functions with hints of types and a dict
# between forward and backward; the step of learning sorts the gradients into the two matrices -------------------------

AROUND = "AlfonsoJimena/Word2vecWithNumpy"
AROUND_FOLDER = "word2vec_numpy/word2vec"
# a step with the rate -1 from matrices of zeros gives the gradients
AROUND_LOSS = """

def loss_and_gradients(examples, W_in, W_out):
    total_loss, dW_in, dW_out = 0.0, np.zeros_like(W_in), np.zeros_like(W_out)
    for context_idxs, center_idx, negatives in examples:
        loss, cache = forward_cbow(context_idxs, center_idx, np.array(negatives), W_in, W_out)
        grads = backward_cbow(cache)
        sgd_update(dW_in, dW_out, context_idxs, center_idx, np.array(negatives), grads, -1.0)
        total_loss += loss
    return total_loss, dW_in, dW_out
"""


def around(m):
    r = numbers()
    weights = weights_of(r, "W_in W_out", (11, 5), (11, 5))
    examples = [
        ([3, 0, 3], 7, [1, 9, 1, 4, 0, 8, 2]),
        ([6, 2, 10, 3], 0, [5, 8, 7, 2, 2, 10, 6]),
        ([9, 9, 4, 1], 6, [10, 0, 3, 0, 5, 4, 9]),
    ]
    return loss(m.loss_and_gradients, " ".join(weights), examples=examples, **weights)


# a self-learner's LSTM that reads words and another that writes words from the last state of the first: gates are
# objects, there is a cell for each step, and the writer reads the words that it thinks most likely --------------------

WRITER = "chiayisu/NLP_and_ML_Algorithm"
WRITER_EDITS = (
    # wrong as published: the input gate is a sigmoid of the candidate, not of its own quarter,
    ("forward(self.new_info)", "forward(self.A[:, new_information_index:input_index])"),
    # and every step of the reader starts from the first cell
    ("c_t_minus_1", "c_minus_1"),
)
WRITER_SOFTMAX = (
    # a sum of exponentials becomes an exponent once more,
    ("np.exp(x) / np.exp(denominator)", "np.exp(x) / denominator"),
    # and the gradient of each step's loss is multiplied by what the step after it gave, of another shape
    ("self.loss_layer[index].backward(dout)", "self.loss_layer[index].backward()"),
)
WRITER_TAKEN = "Softmax CrossEntropyLoss Embedding_Layer Affine SoftmaxwithLoss Encoder Decoder Seq2Seq"
WRITER_WEIGHTS = {"EN_W_h": (7, 28), "EN_W_x": (5, 28), "EN_b": (3, 28), "EN_words": (11, 5)}
WRITER_WEIGHTS |= {"DE_W_h": (7, 28), "DE_W_x": (4, 28), "DE_b": (3, 28), "DE_words": (13, 4)}
WRITER_WEIGHTS |= {"W": (5, 7, 13), "b": (5, 3, 13)}
WRITER_LOSS = f"""

def loss_and_gradients(x_encoder, x_decoder, y, h0, c0, {", ".join(WRITER_WEIGHTS)}):
    model = Seq2Seq(EN_W_h, EN_W_x, EN_b, DE_W_h, DE_W_x, DE_b, 4, 5, 13, EN_words, DE_words)
    for affine, one_W, one_b in zip(model.decoder.affine_layer, W, b):
        affine.W, affine.b = one_W, one_b
    y_list, loss = model.forward(x_encoder, x_decoder, h0, c0, y)
    model.backward()
    encoder, decoder = model.encoder, model.decoder
    found = []
    for part in (encoder, decoder):
        dW_x, dW_h, db = part.grads[:3]
        found += [dW_h, dW_x, db, sum(layer.grads for layer in part.embedding_layer)]
    return loss, *found, *(np.array([affine.grads[k] for affine in decoder.affine_layer]) for k in (0, 1))
"""


def writer(m):
    r = numbers()
    weights = weights_of(r, " ".join(WRITER_WEIGHTS), *WRITER_WEIGHTS.values())
    given = {
        "x_encoder": np.array([[3, 0, 10], [3, 7, 1], [5, 5, 2], [0, 9, 3]]),
        "x_decoder": np.array([1, 12, 4]),
        "y": np.eye(13)[np.array([[2, 0, 7], [5, 11, 1], [0, 3, 3], [6, 10, 4], [12, 1, 2]])],
        "h0": r(3, 7),
        "c0": r(3, 7),
    }
    return loss(m.loss_and_gradients, " ".join(WRITER_WEIGHTS), **given, **weights)


# a course's GRU cell with two biases for each gate, activations that are objects; a sequence of such cells ------------

CELLS = "DDli26/myTorch"
CELLS_FOLDER = "MyTorch/HW3/P1/mytorch"
CELLS_WEIGHTS = {f"W{gate}{kind}": (5, 3) if kind == "x" else (5, 5) for kind in "xh" for gate in "rzn"}
CELLS_WEIGHTS |= {f"b{gate}{kind}": (5,) for kind in "xh" for gate in "rzn"}
CELLS_CALLS = f"""

def forward(inputs, hidden, {", ".join(CELLS_WEIGHTS)}):
    cells, states = [], []
    for x in inputs:
        cells.append(GRUCell(3, 5))
        cells[-1].init_weights({", ".join(CELLS_WEIGHTS)})
        hidden = cells[-1](x, hidden)
        states.append(hidden)
    return np.array(states), cells


def backward(delta, cells):
    dx, dh = [], np.zeros(5)
    for cell, d in zip(cells[::-1], delta[::-1]):
        dx_t, dh = cell.backward(d + dh)
        dx.insert(0, dx_t)
    return np.array(dx), dh, *(sum(getattr(cell, "d" + name) for cell in cells) for name in {list(CELLS_WEIGHTS)})
"""


def cells(m):
    r = numbers()
    weights = weights_of(r, " ".join(CELLS_WEIGHTS), *CELLS_WEIGHTS.values())
    names = f"inputs hidden {' '.join(CELLS_WEIGHTS)}"
    return pair(m.forward, m.backward, names, inputs=r(4, 3), hidden=r(5), **weights)


# a self-learner's network for images, in Spanish: convolutions as products of matrices, batch normalisation of
# channels, a leaky ReLU, greatest values, a dense layer; each layer learns in its backward pass by an object of its own

CANALES = "davidmorgadocarames/numpy-neural-networks-from-scratch"
CANALES_WEIGHTS = {"W1": (4, 3, 3, 7), "b1": (7,), "W2": (3, 4, 7, 4), "b2": (4,)}
CANALES_WEIGHTS |= {"gamma": (1, 1, 1, 4), "beta": (1, 1, 1, 4), "W3": (36, 11), "b3": (1, 11)}
CANALES_LAYERS = "_normal im2col col2im CapaConv2D CapaBatchNorm2D CapaMaxPool2D CapaFlatten"
CANALES_CALLS = f"""

class Keeping:
    def actualizar(self, W, b, dW, db, learning_rate):
        self.found = dW, db
        return W, b


def loss_and_gradients(X, Y, {", ".join(CANALES_WEIGHTS)}):
    first = CapaConv2D(4, 3, 3, 7, optimizador=Keeping())
    second = CapaConv2D(3, 4, 7, 4, optimizador=Keeping())
    norm = CapaBatchNorm2D(4, optimizador=Keeping())
    dense = CapaDensa(36, 11, optimizador=Keeping())
    first.W, first.b, second.W, second.b = W1, b1, W2, b2
    norm.gamma, norm.beta, dense.W, dense.b = gamma, beta, W3, b3
    red = [first, ActivacionLeakyReLU(), second, norm, ActivacionLeakyReLU(), CapaMaxPool2D(3, 3)]
    red += [CapaFlatten(), dense, ActivacionSoftmax()]
    activacion = X
    for capa in red:
        activacion = capa.forward(activacion, entrenando=True)
    loss = -np.sum(Y * np.log(activacion)) / len(Y)
    gradiente = (activacion - Y) / len(Y)
    for capa in reversed(red[:-1]):
        gradiente = capa.backward(gradiente, 0.1)
    return loss, *(g for capa in (first, second, norm, dense) for g in capa.optimizador.found)
"""


def canales(m):
    r = numbers()
    weights = weights_of(r, " ".join(CANALES_WEIGHTS), *CANALES_WEIGHTS.values())
    given = {"X": r(5, 14, 16, 3), "Y": np.eye(11)[[3, 0, 10, 1, 7]]}
    return loss(m.loss_and_gradients, " ".join(CANALES_WEIGHTS), **given, **weights)


# a course's dense network: one example after another goes through a training loop, each layer writes down whole
# Jacobian matrices, the softmax fills its own in two loops ------------------------------------------------------------

JACOBIANS = "Emanuele96/deep-learning-from-scratch"
JACOBIANS_WEIGHTS = {"W1": (5, 7), "b1": (1, 7), "W2": (7, 4), "b2": (1, 4), "W3": (4, 11), "b3": (1, 11)}
JACOBIANS_LAYER = (
    # wrong as published: the bias gets the gradient of the activation's result, without its derivative,
    ("jacobian_L_B = jacobian_L_Z", "jacobian_L_B = np.dot(jacobian_L_Z, jacobian_Z_sum)"),
)
JACOBIANS_DERIVATIVE = (
    # and the loss gives the gradient before the softmax, which then goes back through the softmax once more
    ("return output - label", "return -label / (output * np.log(2))"),
)
JACOBIANS_TRAIN = (
    ("        bar = IncrementalBar('Training epoch', max=epochs)\n", ""),
    ("            bar.next()\n", ""),
    ("        bar.finish()\n", ""),
    ("layer.update_gradients(self.learning_rate)", "pass"),  # it does not learn here
)
JACOBIANS_TAKEN = "linear relu tanh sigmoid linear_derivative relu_derivative tanh_derivative sigmoid_derivative"
JACOBIANS_TAKEN += " get_activation_function get_activation_derivative softmax"
JACOBIANS_LOSSES = "mse cross_entropy mse_derivative cross_entropy_derivative L1 L2 get_loss_function"
JACOBIANS_LOSSES += " get_loss_derivative get_penalty_function"
JACOBIANS_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(JACOBIANS_WEIGHTS)}):
    model = Model({{"lr": 0.1, "loss_fun": "cross_entropy", "penalty_factor": 0.0, "penalization": "None"}})
    model.add_layer(5, 7, (-1, 1), "relu")
    model.add_layer(7, 4, (-1, 1), "sigmoid")
    model.add_layer(4, 11, (-1, 1), "tanh")
    dense = list(model.layers)
    model.add_softmax()
    for one, weights, bias in zip(dense, (W1, W2, W3), (b1, b2, b3)):
        one.weights, one.bias = weights, bias
    losses, _ = model.train(x, y, x, y, 1, len(x))
    return losses[0] * len(x), *(g for one in dense for g in (one.weights_grads, one.bias_grads))
"""


def jacobians(m):
    r = numbers()
    weights = weights_of(r, " ".join(JACOBIANS_WEIGHTS), *JACOBIANS_WEIGHTS.values())
    given = {"x": r(3, 1, 5), "y": np.eye(11)[[[2], [10], [5]]]}
    return loss(m.loss_and_gradients, " ".join(JACOBIANS_WEIGHTS), **given, **weights)


# a course's LSTM of five dense layers, one for each gate and one for the outputs, which are given each step's inputs
# again before they go backwards; time stands where a batch would, and the last states are kept for the next call ------

BUILT = "erentasken/DL-From-Scratch"
BUILT_FOLDER = "Regularization_Recurrent/Layers"
BUILT_BASE = "from Base import Base"
BUILT_EDITS = (
    # wrong as published: if it starts from a cell that was kept, the way back takes zeros for that cell
    ("        self.hiddens.clear(); ", "        self.first_cell = c_t\n        self.hiddens.clear(); "),
    ("else np.zeros((1,self.hidden_size))", "else self.first_cell"),
)
BUILT_CALLS = """

def forward(x, hidden_state, cell_state, gates, output):
    lstm = LSTM(3, 5, 7)
    lstm.memorize, lstm.hidden_state, lstm.cell_state = True, hidden_state, cell_state
    lstm.weights, lstm.fc_output.weights = gates, output
    return lstm.forward(x), lstm


def backward(error_tensor, lstm):
    return lstm.backward(error_tensor), lstm.gradient_weights, lstm.fc_output.gradient_weights
"""


def built(m):
    r = numbers()
    weights = weights_of(r, "gates output", (9, 20), (6, 7))
    states = {"hidden_state": r(1, 5), "cell_state": r(1, 5)}
    return pair(m.forward, m.backward, "x gates output", x=r(4, 3), **states, **weights)


# a self-learner's RNN that foretells numbers, one sequence: the gradients of the steps are kept in lists, and summed --

STEPLISTS = "felixzhu17/NNFromScratch"
STEPLISTS_WEIGHTS = {"Wx": (5, 3), "Wh": (5, 5), "Wy": (7, 5), "bh": (5, 1), "by": (7, 1)}
STEPLISTS_EDITS = (
    # wrong as published: the states are counted from the one before the first step, but taken as if from the first,
    ("self.tanh_derivative(self.h_hist[t])", "self.tanh_derivative(self.h_hist[t + 1])"),
    ("y_delta @ self.h_hist[t].T", "y_delta @ self.h_hist[t + 1].T"),
    ("h_raw_delta @ self.h_hist[t - 1].T", "h_raw_delta @ self.h_hist[t].T"),
    # and the gradient for the inputs' weights lacks a transpose, so there may be one input only
    ("h_raw_delta @ x[t].reshape(-1, 1)", "h_raw_delta @ x[t].reshape(1, -1)"),
    ("h_prev = np.zeros((self.hidden_size, 1))", "h_prev = self.h0"),
    # what it learns by is kept instead
    *(
        (f"self.{name} -= np.sum({name}_delta_list, axis=0) * self.learning_rate", f"self.d{name} = {total}")
        for name, total in ((name, f"np.sum({name}_delta_list, axis=0)") for name in STEPLISTS_WEIGHTS)
    ),
)
STEPLISTS_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(STEPLISTS_WEIGHTS)}):
    model = NumpyRecurrentNeuralNetwork(3, 5, 7)
    model.h0, {", ".join(f"model.{name}" for name in STEPLISTS_WEIGHTS)} = h0, {", ".join(STEPLISTS_WEIGHTS)}
    loss = model.mse(y, np.array(model.forward(x))) * y.size  # it shows a mean, and learns by the sum
    model.backward(x, y)
    return loss, {", ".join(f"model.d{name}" for name in STEPLISTS_WEIGHTS)}
"""


def steplists(m):
    r = numbers()
    weights = weights_of(r, " ".join(STEPLISTS_WEIGHTS), *STEPLISTS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(STEPLISTS_WEIGHTS), x=r(4, 3), y=r(4, 7, 1), h0=r(5, 1), **weights)


SUBJECTS = [
    Subject(
        AROUND,
        "word vectors",
        (
            Part(f"{AROUND_FOLDER}/model.py", "sigmoid forward_cbow backward_cbow", module="model"),
            Part(
                f"{AROUND_FOLDER}/train.py",
                "sgd_update",
                before="from model import backward_cbow, forward_cbow",
                after=AROUND_LOSS,
            ),
        ),
        around,
    ),
    Subject(
        WRITER,
        "reader and writer",
        (
            Part("Deep_Learning/LSTM.py", "tanh Sigmoid LSTM Time_LSTM", WRITER_EDITS, module="LSTM"),
            Part(
                "Deep_Learning/seq2seq.py",
                WRITER_TAKEN,
                WRITER_SOFTMAX,
                "from LSTM import LSTM, Time_LSTM",
                WRITER_LOSS,
            ),
        ),
        writer,
        published="the input gate is taken from the candidate, the reader's cell is not carried on, the softmax has an "
        "exponential too many, and a loss's gradient is multiplied by what the step after it gave",
    ),
    Subject(
        CELLS,
        "GRU",
        (
            Part(f"{CELLS_FOLDER}/nn/activation.py", "Sigmoid Tanh", module="activation"),
            Part(
                f"{CELLS_FOLDER}/gru_cell.py",
                "GRUCell",
                before="from activation import Sigmoid, Tanh",
                after=CELLS_CALLS,
            ),
        ),
        cells,
    ),
    Subject(
        CANALES,
        "image network",
        (
            Part(
                "capas.py",
                "OptimizadorSGD _normal _uniform CapaDensa ActivacionLeakyReLU ActivacionSoftmax",
                module="capas",
            ),
            Part(
                "08-cnn-fashion-mnist/capas_cnn.py",
                CANALES_LAYERS,
                before="from capas import ActivacionLeakyReLU, ActivacionSoftmax, CapaDensa, OptimizadorSGD",
                after=CANALES_CALLS,
            ),
        ),
        canales,
    ),
    Subject(
        JACOBIANS,
        "dense network",
        (
            Part("activations.py", JACOBIANS_TAKEN, module="activations"),
            Part("layer.py", "FC_layer softmax", JACOBIANS_LAYER, "import activations", module="layer"),
            Part("loss.py", JACOBIANS_LOSSES, JACOBIANS_DERIVATIVE, module="loss"),
            Part(
                "model.py",
                "Model",
                JACOBIANS_TRAIN,
                "import layer\nimport loss\nimport math",
                JACOBIANS_LOSS,
            ),
        ),
        jacobians,
        published="the bias lacks the activation's derivative; the gradient before the softmax goes back through it",
    ),
    Subject(
        BUILT,
        "LSTM",
        (
            Part(f"{BUILT_FOLDER}/Base.py", "Base", module="Base"),
            Part(f"{BUILT_FOLDER}/FullyConnected.py", "FullyConnected", before=BUILT_BASE, module="FullyConnected"),
            Part(f"{BUILT_FOLDER}/Sigmoid.py", "Sigmoid", before=BUILT_BASE, module="Sigmoid"),
            Part(
                f"{BUILT_FOLDER}/LSTM.py",
                "LSTM",
                BUILT_EDITS,
                f"{BUILT_BASE}\nfrom FullyConnected import FullyConnected\nfrom Sigmoid import Sigmoid",
                BUILT_CALLS,
            ),
        ),
        built,
        published="takes zeros for the cell that it was to start from, so it is right only if it starts from zeros",
    ),
    Subject(
        STEPLISTS,
        "RNN",
        (
            Part(
                "models/recurrent_net.py",
                "NumpyRecurrentNeuralNetwork",
                STEPLISTS_EDITS,
                after=STEPLISTS_LOSS,
            ),
        ),
        steplists,
        published="takes each state one step too early backwards, and works for one input only",
    ),
]
