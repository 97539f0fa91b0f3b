"""Subjects by owners I to P: LSTMs in two layers and of one character, an RNN that adds, others; words, a norm."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of

# a stack of LSTM cells that keep their caches in a dict, with a layer on its last step --------------------------------

STACKED = "KodeCharya/LSTM-from-scrach"
STACKED_CELL = {"W": lambda d, h: (d, h), "U": lambda d, h: (h, h), "b": lambda d, h: (1, h)}
STACKED_WEIGHTS = {
    f"layer_{k}_{kind}_{gate}": shape(d, h)
    for k, (d, h) in enumerate([(3, 4), (4, 3)])
    for gate in "ifoc"
    for kind, shape in STACKED_CELL.items()
}
STACKED_WEIGHTS |= {"dense_W": (3, 2), "dense_b": (1, 2)}
STACKED_STATES = {"h_0": (2, 4), "c_0": (2, 4), "h_1": (2, 3), "c_1": (2, 3)}
STACKED_EDITS = (
    ("        self.optimizer = AdamOptimizer()\n", ""),
    ("self.clip_threshold = 5.0", "self.clip_threshold = 5000.0"),
    ("self.optimizer.update(all_params, all_grads)", "self.gradients = all_grads"),
)
STACKED_LOSS = f"""

def loss_and_gradients(x, y_true, {", ".join(STACKED_STATES)}, {", ".join(STACKED_WEIGHTS)}):
    model = LSTMModel(3, [4, 3], 2)
    model.lstm.hidden_states, model.lstm.cell_states = [h_0, h_1], [c_0, c_1]
    weights = dict(zip({tuple(STACKED_WEIGHTS)}, ({", ".join(STACKED_WEIGHTS)})))
    layers = {{f"layer_{{k}}": {{name[8:]: w for name, w in weights.items() if name[6] == str(k)}} for k in (0, 1)}}
    model.lstm.set_params(layers)
    model.dense.set_params({{"W": dense_W, "b": dense_b}})
    loss = model.train_step(x, y_true)
    found = {{f"{{layer}}_{{name}}": g for layer, gs in model.gradients["lstm"].items() for name, g in gs.items()}}
    return loss, found | {{f"dense_{{name}}": g for name, g in model.gradients["dense"].items()}}
"""


def stacked(m):
    r = numbers()
    given = {name: r(*shape) for name, shape in STACKED_STATES.items()}
    weights = weights_of(r, " ".join(STACKED_WEIGHTS), *STACKED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(STACKED_WEIGHTS), x=r(2, 4, 3), y_true=r(2, 2), **given, **weights)


# the next word from a convolution over the words before it, the greatest of each filter, and their vectors ------------

WORDS = "meliisse/CNN-LSTM-from-scratch"
WORDS_WEIGHTS = {"embeddings": (6, 3), "filters": (5, 2, 3), "biases": (5,), "W": (5, 6), "b": (6,)}
WORDS_EDITS = (
    ("def train_cnn(corpus_sentences,", f"def train_cnn(X, Y, {', '.join(WORDS_WEIGHTS)},"),
    (
        "    word2idx, idx2word = build_vocab(corpus_sentences)\n"
        "    vocab_size = len(word2idx)\n"
        '    print("Vocab size:", vocab_size)\n'
        "    seqs = texts_to_sequences(corpus_sentences, word2idx)\n"
        "    X, Y = create_examples(seqs, seq_len)\n",
        "    vocab_size = len(embeddings)\n",
    ),
    ("    embeddings = (np.random.randn(vocab_size, embedding_dim) * 0.01)\n", ""),
    (
        "    fc = Dense(input_size=num_filters, output_size=vocab_size)\n",
        "    fc = Dense(input_size=num_filters, output_size=vocab_size)\n"
        "    conv.filters, conv.biases, fc.W, fc.b = filters, biases, W, b\n",
    ),
    ("np.random.permutation(N)", "np.arange(N)"),
    ("embeddings -= (lr / bs) * dEmb_acc", "dembeddings = dEmb_acc / bs"),
    ("conv.filters -= (lr / bs) * dFilters_acc", "conv.dfilters = dFilters_acc / bs"),
    ("conv.biases -= (lr / bs) * dBias_acc", "conv.dbiases = dBias_acc / bs"),
    ("fc.W -= (lr / bs) * dW_acc", "fc.dW = dW_acc / bs"),
    ("fc.b -= (lr / bs) * db_acc", "fc.db = db_acc / bs"),
    ('            print(f"Epoch {epoch}/{epochs} — avg loss: {avg_loss:.4f}")\n', ""),
    ('        "word2idx": word2idx,\n        "idx2word": idx2word,\n', '        "loss": avg_loss,\n'),
    ('"embeddings": embeddings,', '"dembeddings": dembeddings,'),
)
WORDS_LOSS = f"""

def loss_and_gradients(X, Y, {", ".join(WORDS_WEIGHTS)}):
    model = train_cnn(X, Y, {", ".join(WORDS_WEIGHTS)}, seq_len=4, embedding_dim=3, num_filters=5, epochs=1)
    conv, fc = model["conv"], model["fc"]
    return model["loss"], model["dembeddings"], conv.dfilters, conv.dbiases, fc.dW, fc.db
"""


def words(m):
    r = numbers()
    weights = weights_of(r, " ".join(WORDS_WEIGHTS), *WORDS_WEIGHTS.values())
    said = {"X": np.array([[1, 4, 1, 1], [2, 0, 5, 2], [3, 3, 1, 4]]), "Y": np.array([2, 5, 0])}
    return loss(m.loss_and_gradients, " ".join(WORDS_WEIGHTS), **said, **weights)


# a course's characters in columns: states and their gradients are matrices, multiplied at the end ---------------------

MATRIX = "mhagglun/DeepLearning-DD2424"
MATRIX_WEIGHTS = {"U": (4, 5), "V": (5, 4), "W": (4, 4), "b": (4,), "c": (5,)}
MATRIX_LOSS = f"""

class Source:
    encode, text, K, char_to_ind, ind_to_char = None, "abcde", 5, None, None


def loss_and_gradients(inputs, targets, hidden_state, {", ".join(MATRIX_WEIGHTS)}):
    network = RNN(Source, hidden_nodes=4)
    network.parameters = dict(zip({list(MATRIX_WEIGHTS)}, ({", ".join(MATRIX_WEIGHTS)})))
    grads, loss, h = network.compute_gradients(inputs, targets, hidden_state)
    return loss, grads
"""


def matrix(m):
    r = numbers()
    weights = weights_of(r, " ".join(MATRIX_WEIGHTS), *MATRIX_WEIGHTS.values())
    hot = np.eye(5)[[0, 3, 3, 1, 4, 2, 1]].T
    given = {"inputs": hot[:, :-1], "targets": hot[:, 1:], "hidden_state": r(4)}
    return loss(m.loss_and_gradients, " ".join(MATRIX_WEIGHTS), **given, **weights)


# an RNN of sigmoids that adds two numbers bit by bit, from the last bit to the first ----------------------------------

ADDS = "mochakai/RNN_BPTT"
ADDS_TAKEN = "sigmoid sigmoid_derivative tanh_derivative mse mse_derivative softplus_derivative RNN"
ADDS_WEIGHTS = {"u_weights": (2, 4), "v_weights": (4, 1), "w_weights": (4, 4)}
ADDS_EDITS = (
    ("self.h_values = [np.zeros(self.hidden_dim)]", "self.h_values = [self.h0]"),
    ("x, y = gen_single_data()", "x, y = self.sample"),
    ("return pred_y, ground_truth", "return total_error, pred_y, ground_truth"),
    ("        self.u_weights -= self._clipping(u_weights_update) * self.l_rate\n", ""),
    ("        self.v_weights -= self._clipping(v_weights_update) * self.l_rate\n", ""),
    ("        self.w_weights -= self._clipping(w_weights_update) * self.l_rate\n", ""),
    (
        "np.mean(u_weights_update), np.mean(v_weights_update), np.mean(w_weights_update)",
        "u_weights_update, v_weights_update, w_weights_update",
    ),
)
ADDS_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(ADDS_WEIGHTS)}):
    rnn = RNN([2, 4, 1], act_loss="mse")
    rnn.sample, rnn.h0 = (x, y), h0
    rnn.u_weights, rnn.v_weights, rnn.w_weights = {", ".join(ADDS_WEIGHTS)}
    total_error, pred_y, ground_truth = rnn.forward(1)
    return total_error, *rnn.backward()
"""


def adds(m):
    r = numbers()
    weights = weights_of(r, " ".join(ADDS_WEIGHTS), *ADDS_WEIGHTS.values())
    bits = {"x": np.array([[0, 0], [0, 1], [1, 1], [0, 1], [1, 0]]), "y": np.array([[1], [0], [0], [1], [1]])}
    return loss(m.loss_and_gradients, " ".join(ADDS_WEIGHTS), **bits, h0=r(4), **weights)


# characters one by one through an LSTM whose states are rows and whose gates are vectors ------------------------------

SONG = "Modestas96/LSTM_numpy"
SONG_TAKEN = "sigmoid loss_multi sigmoid_derivative tanh_derivative tanh_derivative2 soft_max loss_function"
SONG_WEIGHTS = {"wf": (3, 8), "wo": (3, 8), "wi": (3, 8), "wa": (3, 8), "wy": (5, 3)}
SONG_WEIGHTS |= {"bo": (3,), "bi": (3,), "ba": (3,), "bf": (3,), "by": (5,)}
SONG_EDITS = (
    ("def loss_function(inputs, hp, sp, y)", f"def loss_function(inputs, hp, sp, y, {', '.join(SONG_WEIGHTS)})"),
    ("np.sum(1 - y[t])", "-2 * np.log(y[t])"),  # see README.md
    ("np.clip(dparam, -1, 1, out=dparam)", "np.clip(dparam, -1000, 1000, out=dparam)"),
)


def song(m):
    r = numbers()
    weights = weights_of(r, " ".join(SONG_WEIGHTS), *SONG_WEIGHTS.values())
    given = {"inputs": np.array([0, 3, 3, 1]), "y": np.array([3, 3, 1, 4]), "hp": r(3), "sp": r(3)}
    return loss(m.loss_function, " ".join(SONG_WEIGHTS), **given, **weights)


# a framework's normalisation of a batch of images, each place by itself -----------------------------------------------

NORM = "Nico-Curti/NumPyNet"
NORM_EDITS = (  # see README.md
    ("invN = 1. / np.prod(self.mean.shape)", "invN = 1. / self.x.shape[0]"),
    ("(self.delta * (-self.var)).mean(axis=0)", "(self.delta * (-self.var)).sum(axis=0)"),
)
NORM_BEFORE = """from base import BaseLayer


def check_is_fitted(layer, name):
    assert getattr(layer, name) is not None
"""
NORM_LAYER = """

class Layer(BatchNorm_layer):
    def __init__(self):
        super().__init__(input_shape=(4, 2, 3, 2))

    def forward(self, inpt):
        return super().forward(inpt).output

    def backward(self, delta):
        self.delta = delta.copy()
        below = np.zeros(self.input_shape)
        super().backward(below)
        return below
"""


def updated(made, path):
    """The gradient of a weight is the attribute with _update after the weight's name."""
    return getattr(made, f"{path}_update")


# a notebook's RNN in batches that speaks at the end, and learns by squares --------------------------------------------

LAST = "oktakarisa/rnn-scratch"
LAST_WEIGHTS = {"Wx": (3, 4), "Wh": (4, 4), "Bh": (4,), "Wy": (4, 1), "By": (1,)}
LAST_EDITS = (
    ("h = np.zeros((batch_size, self.n_nodes))", "h = self.h0"),
    (
        "            if t != 0:\n                dWh += self.hs[t-1].T @ d_tanh\n",
        "            h_prev = self.hs[t-1] if t != 0 else self.h0\n            dWh += h_prev.T @ d_tanh\n",
    ),
    ("dy = (y_pred - y) / batch_size", "dy = 2 * (y_pred - y) / y.size"),  # see README.md
    *((f"self.{name} -= self.lr * d{name}", f"self.d{name} = d{name}") for name in LAST_WEIGHTS),
)
LAST_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(LAST_WEIGHTS)}):
    rnn = ScratchSimpleRNNClassifier(3, 4, 1)
    rnn.h0 = h0
    rnn.Wx, rnn.Wh, rnn.Bh, rnn.Wy, rnn.By = {", ".join(LAST_WEIGHTS)}
    loss_history = rnn.train(x, y, epochs=1)
    return loss_history[0], rnn.dWx, rnn.dWh, rnn.dBh, rnn.dWy, rnn.dBy
"""


def last(m):
    r = numbers()
    weights = weights_of(r, " ".join(LAST_WEIGHTS), *LAST_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(LAST_WEIGHTS), x=r(3, 5, 3), y=r(3, 1), h0=r(3, 4), **weights)


SUBJECTS = [
    Subject(
        STACKED,
        "LSTM",
        (
            Part("lstm_cell.py", "LSTMCell", (), "import math", module="lstm_cell"),
            Part("stacked_lstm.py", "StackedLSTM", (), "from lstm_cell import LSTMCell", module="stacked_lstm"),
            Part("dense_layer.py", "Dense", (), "import math", module="dense_layer"),
            Part("loss_functions.py", "LossFunctions", module="loss_functions"),
            Part(
                "lstm_model.py",
                "LSTMModel",
                STACKED_EDITS,
                "from dense_layer import Dense\nfrom loss_functions import LossFunctions\n"
                "from stacked_lstm import StackedLSTM",
                STACKED_LOSS,
            ),
        ),
        stacked,
    ),
    Subject(
        WORDS,
        "convolution of words",
        (Part("challange.py", "softmax cross_entropy_loss Conv1D Dense train_cnn", WORDS_EDITS, after=WORDS_LOSS),),
        words,
    ),
    Subject(MATRIX, "RNN", (Part("A4/assignment4.py", "RNN", after=MATRIX_LOSS),), matrix),
    Subject(ADDS, "RNN", (Part("rnn.py", ADDS_TAKEN, ADDS_EDITS, "BIN_DIM = 5", ADDS_LOSS),), adds),
    Subject(
        SONG,
        "LSTM",
        (Part("Main.py", SONG_TAKEN, SONG_EDITS, "vocab_size, num_hidden_units = 5, 3"),),
        song,
        published="the loss that is shown is 1 - p, the gradient that of twice the cross-entropy",
    ),
    Subject(
        NORM,
        "batch normalisation",
        (
            Part("NumPyNet/layers/base.py", "BaseLayer", module="base"),
            Part("NumPyNet/layers/batchnorm_layer.py", "BatchNorm_layer", NORM_EDITS, NORM_BEFORE, NORM_LAYER),
        ),
        object_of("Layer", {"scales": (2, 3, 2), "bias": (2, 3, 2)}, "inpt", updated, inpt=(4, 2, 3, 2)),
        published="divides by the places of an image instead of by the batch, and once too often",
    ),
    Subject(
        LAST,
        "RNN",
        (Part("rnn-scratch.ipynb", "ScratchSimpleRNNClassifier", LAST_EDITS, after=LAST_LOSS),),
        last,
        published="the loss is the mean of the squares, the gradient half of its own",
    ),
]
