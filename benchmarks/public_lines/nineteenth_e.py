"""Subjects by owners whose names end in a digit or in A to E: an autoencoder of LSTMs, a framework, a norm, others."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, layer, loss, numbers
from .tenth_c import object_of, place

# a notebook's LSTM of characters, all its words written out; errors climb ---------------------------------------------

WRITTEN_OUT = "Atharv-3105/LSTM_From_Scratch"
WRITTEN_OUT_TAKEN = "one_hot_encoder initWeights sigmoid_activation tanh_activation softmax_activation LSTM"
WRITTEN_OUT_GATES = ("forget", "input", "output", "candidate", "final")
WRITTEN_OUT_WEIGHTS = {f"weight_{gate}": (3, 8) for gate in WRITTEN_OUT_GATES} | {"weight_final": (5, 3)}
WRITTEN_OUT_WEIGHTS |= {f"bias_{gate}": (3, 1) for gate in WRITTEN_OUT_GATES} | {"bias_final": (5, 1)}
WRITTEN_OUT_BEFORE = """char_size = 5
char_to_idx = {c: k for k, c in enumerate("abcde")}
idx_to_char = dict(enumerate("abcde"))
tqdm = list
"""
WRITTEN_OUT_EDITS = (
    ("self.hidden_state = {-1:np.zeros((self.hidden_size, 1))}", "self.hidden_state = {-1:self.h0}"),
    ("self.cell_state = {-1:np.zeros((self.hidden_size, 1))}", "self.cell_state = {-1:self.c0}"),
    ("np.clip(derivative_ , -1, 1,out=derivative_)", "np.clip(derivative_ , -1000, 1000,out=derivative_)"),
    ("predictions = self.forward(inputs)", "predictions = self.predictions = self.forward(inputs)"),
    ('{" ".join(output)}', "{output}"),
    *(
        (f"self.{name} += derivative_{name} * self.learning_rate", f"self.derivative_{name} = derivative_{name}")
        for name in WRITTEN_OUT_WEIGHTS
    ),
)
WRITTEN_OUT_LOSS = f"""

def likelihood_and_gradients(inputs, labels, h0, c0, {", ".join(WRITTEN_OUT_WEIGHTS)}):
    lstm = LSTM(input_size=8, output_size=5, hidden_size=3, num_epochs=1, learning_rate=0.05)
    lstm.h0, lstm.c0 = h0, c0
    given = dict(zip({list(WRITTEN_OUT_WEIGHTS)}, ({", ".join(WRITTEN_OUT_WEIGHTS)})))
    for name, weight in given.items():
        setattr(lstm, name, weight)
    lstm.train(inputs, labels)
    said = [softmax_activation(y)[char_to_idx[c], 0] for y, c in zip(lstm.predictions, labels)]
    return np.sum(np.log(said)), {{name: getattr(lstm, "derivative_" + name) for name in given}}
"""


def written_out(m):
    r = numbers()
    weights = weights_of(r, " ".join(WRITTEN_OUT_WEIGHTS), *WRITTEN_OUT_WEIGHTS.values())
    given = {"inputs": "adda", "labels": "ddab", "h0": r(3, 1), "c0": r(3, 1)}
    return loss(m.likelihood_and_gradients, " ".join(WRITTEN_OUT_WEIGHTS), **given, **weights)


# a course's characters in columns; the network keeps states and gradients, another class works on them ----------------

TWO_CLASSES = "diegomorin8/Deep-Learning-in-Data-Science-DD2424"
TWO_CLASSES_WEIGHTS = {"U": (3, 4), "W": (3, 3), "V": (4, 3), "b": (3, 1), "c": (4, 1)}
TWO_CLASSES_EDITS = (("print '", "line = '"), (", -5, 5)", ", -5000, 5000)"))
TWO_CLASSES_LOSS = f"""

class Book:
    K = 4


def cost_and_gradients(X, Y, prev_hidden, {", ".join(TWO_CLASSES_WEIGHTS)}):
    rnn = RNN(4, m=3, seq_length=X.shape[1])
    rnn.U, rnn.W, rnn.V, rnn.b, rnn.c = {", ".join(TWO_CLASSES_WEIGHTS)}
    functions = Functions(rnn, Book)
    p, cost, hidden = functions.forward_pass(X, Y, prev_hidden)
    functions.backward_pass(X, Y, p)
    return cost, rnn.grad_U, rnn.grad_W, rnn.grad_V, rnn.grad_b, rnn.grad_c
"""


def two_classes(m):
    r = numbers()
    weights = weights_of(r, " ".join(TWO_CLASSES_WEIGHTS), *TWO_CLASSES_WEIGHTS.values())
    hot = np.eye(4)[[0, 3, 1, 1, 2, 0, 3]].T
    given = {"X": hot[:, :-1], "Y": hot[:, 1:], "prev_hidden": r(3)}
    return loss(m.cost_and_gradients, " ".join(TWO_CLASSES_WEIGHTS), **given, **weights)


# sounds through a GRU, time first and batches last; what comes from above is added to on its way back -----------------

SOUNDS = "IAmWave/blekota"
SOUNDS_EDITS = (
    ("self.x = np.copy(x)", "self.x = np.copy(x)\n        self.initial_h = initial_h"),
    (  # see README.md
        "h_prev = h[t - 1] if t > 0 else np.zeros((self.h_n, b))",
        "h_prev = h[t - 1] if t > 0 else self.initial_h",
    ),
)
SOUNDS_LAYER = """

class Layer(GRULayer):
    def __init__(self):
        super().__init__(3, 4)
"""


def of_param(made, path):
    """The gradient of a parameter is kept beside it, as d."""
    return place(made, path)[0].d


# a framework, its remarks in Chinese: vectors of words, an LSTM, the mean over time, classes --------------------------

SENTENCES = "JonathonYan1993/DL_MLP_CNN_RNN_LSTM_Numpy"
SENTENCES_LAYERS = "Layer MeanPooling Flatten Softmax LSTM Embedding"
SENTENCES_WEIGHTS = {f"{kind}{gate}": shape for gate in "fiao" for kind, shape in (("W", (4, 4)), ("U", (3, 4)))}
SENTENCES_WEIGHTS |= {f"b{gate}": (4,) for gate in "fiao"}
SENTENCES_PRECISION = ("float32", "float64")
SENTENCES_EDITS = (  # the branch of a layer that says its last state alone is not called; it becomes another method
    (
        "        else:\n            #返回的是序列数据最后输出结果，那么在传递导数时",
        "        return layer_grad\n\n"
        "    def backward_of_last(self,pre_grad):\n"
        "        if not self.return_sequence:\n            #返回的是序列数据最后输出结果，那么在传递导数时",
    ),
)
SENTENCES_LOSS = f"""

def loss_and_gradients(X, Y, embed_words, {", ".join(SENTENCES_WEIGHTS)}, W, b):
    net = Model()
    net.add(Layers.Embedding(nb_batch=3, nb_seq=4, n_out=3, input_size=5))
    net.add(Layers.LSTM(n_out=4, return_sequence=True))
    net.add(Layers.MeanPooling((4, 1)))
    net.add(Layers.Flatten())
    net.add(Layers.Softmax(n_out=3))
    net.compile()
    words, lstm, *_, last = net.layers
    words.embed_words, last.W, last.b = embed_words, W, b
    gates = dict(zip({list(SENTENCES_WEIGHTS)}, ({", ".join(SENTENCES_WEIGHTS)})))
    for name, weight in gates.items():
        setattr(lstm, name, weight)
    y_pred = net.predict(X)
    next_grad = net.loss.backward(y_pred, Y)
    for layer in net.layers[::-1]:
        next_grad = layer.backward(next_grad)
    found = {{name: getattr(lstm, "d" + name) for name in gates}}
    return net.loss.forward(y_pred, Y), found | {{"embed_words": words.d_embed_words, "W": last.dW, "b": last.db}}
"""


def sentences(m):
    r = numbers()
    shapes = {"embed_words": (5, 3)} | SENTENCES_WEIGHTS | {"W": (4, 3), "b": (3,)}
    weights = weights_of(r, " ".join(shapes), *shapes.values())
    said = {"X": np.eye(5)[np.array([[0, 2, 2, 4], [1, 0, 3, 1], [4, 4, 1, 2]])], "Y": np.eye(3)[[2, 0, 1]]}
    return loss(m.loss_and_gradients, " ".join(shapes), **said, **weights)


# a student's RNN of prices that says numbers at the end, half the square of its error as loss -------------------------

PRICES = "NaSa30/CS4375-Project"
PRICES_WEIGHTS = {"weight_xh": (4, 3), "weight_hh": (4, 4), "weight_hy": (2, 4), "bias_h": (4, 1), "bias_y": (2, 1)}
PRICES_GRADIENTS = [name.replace("weight_", "w").replace("bias_", "b") for name in PRICES_WEIGHTS]
PRICES_EDITS = (
    ("hiddenStates_prev = np.zeros((self.hiddenSize, 1))", "hiddenStates_prev = self.h0"),
    ("np.clip(i, -1.0, 1.0, out=i)", "np.clip(i, -1000.0, 1000.0, out=i)"),
    ("return float(loss)", "return loss"),
    *(
        (f"self.{name} -= self.learnRate * gradient_{of}", f"self.gradient_{of} = gradient_{of}")
        for name, of in zip(PRICES_WEIGHTS, PRICES_GRADIENTS, strict=True)
    ),
)
PRICES_LOSS = f"""

def loss_and_gradients(input, target, h0, {", ".join(PRICES_WEIGHTS)}):
    rnn = RNN(3, 4, 2, len(input), 0.01)
    rnn.h0 = h0
    for name, weight in zip({list(PRICES_WEIGHTS)}, ({", ".join(PRICES_WEIGHTS)})):
        setattr(rnn, name, weight)
    loss = rnn.backward(input, target)
    return loss, {", ".join(f"rnn.gradient_{of}" for of in PRICES_GRADIENTS)}
"""


def prices(m):
    r = numbers()
    weights = weights_of(r, " ".join(PRICES_WEIGHTS), *PRICES_WEIGHTS.values())
    given = {"input": r(5, 3), "target": r(2), "h0": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(PRICES_WEIGHTS), **given, **weights)


# an autoencoder: one LSTM's last state is said again at every step to another -----------------------------------------

AGAIN = "no771994/Neural-Entropy-Modelling"
AGAIN_WEIGHTS = {
    f"{half}.{name}": shape
    for half, size in (("enc", 1), ("dec", 3))
    for name, shape in (("Wx", (size, 12)), ("Wh", (3, 12)), ("b", (12,)))
}
AGAIN_WEIGHTS |= {"Wd": (3, 1), "bd": (1,)}
AGAIN_NAMES = [name.replace(".", "_") for name in AGAIN_WEIGHTS]
AGAIN_STATES = {f"{half}_{name}": (3,) for half in ("enc", "dec") for name in ("h0", "c0")}
AGAIN_EDITS = (
    ("np.float32", "np.float64"),
    ("        h = np.zeros(H, dtype=np.float64)\n", "        h = self.h0\n"),
    ("        c = np.zeros(H, dtype=np.float64)\n", "        c = self.c0\n"),
    ("h_prev_list = [np.zeros(H, dtype=np.float64)]", "h_prev_list = [self.h0]"),
    ("c_prev_list = [np.zeros(H, dtype=np.float64)]", "c_prev_list = [self.c0]"),
)
AGAIN_LOSS = f"""

def loss_and_gradients(x_seq, {", ".join(AGAIN_STATES)}, {", ".join(AGAIN_NAMES)}):
    model = LSTMAutoencoder(window=len(x_seq), latent=3)
    model.enc.h0, model.enc.c0, model.dec.h0, model.dec.c0 = {", ".join(AGAIN_STATES)}
    for name, weight in zip({list(AGAIN_WEIGHTS)}, ({", ".join(AGAIN_NAMES)})):
        model._set(name, weight)
    recon, z, ec, dc, dh, _ = model.forward(x_seq)
    grads = model.backward(x_seq, recon, z, ec, dc, dh)
    return np.mean((recon - x_seq) ** 2), {{name.replace(".", "_"): grad for name, grad in grads.items()}}
"""


def again(m):
    r = numbers()
    given = {name: r(*shape) for name, shape in AGAIN_STATES.items()}
    weights = weights_of(r, " ".join(AGAIN_NAMES), *AGAIN_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(AGAIN_NAMES), x_seq=r(6), **given, **weights)


# a transformer's norm of one vector, step by step ---------------------------------------------------------------------

STEPS = "Val325/transformer-numpy"
STEPS_LAYER = """

class Layer(layer_norm):
    def __init__(self):
        super().__init__(0.1)
"""


def steps(m):
    r = numbers()
    given = {"x": r(6), "gamma": r(1), "beta": r(1), "eps": 0.1}

    def gradients_of(made, returned):
        return dict(zip(("x", "gamma", "beta"), returned, strict=True))

    return layer(m.Layer, gradients_of, "feedforward", "backforward", **given)


SUBJECTS = [
    Subject(
        WRITTEN_OUT,
        "LSTM",
        (Part("lstm.ipynb", WRITTEN_OUT_TAKEN, WRITTEN_OUT_EDITS, WRITTEN_OUT_BEFORE, WRITTEN_OUT_LOSS),),
        written_out,
    ),
    Subject(
        TWO_CLASSES,
        "RNN",
        (Part("Lab4/Lab4.py", "RNN Functions", TWO_CLASSES_EDITS, "import math\nimport os", TWO_CLASSES_LOSS),),
        two_classes,
    ),
    Subject(
        SOUNDS,
        "GRU",
        (
            Part("src/param.py", "Param", module="param"),
            Part("src/gru_layer.py", "sigmoid GRULayer", SOUNDS_EDITS, "from param import Param", SOUNDS_LAYER),
        ),
        object_of(
            "Layer", {"W.a": (4, 8), "Wr.a": (4, 8), "Wz.a": (4, 8)}, "x", of_param, x=(4, 3, 2), initial_h=(4, 2)
        ),
        published="the backward pass takes zeros for the initial state that the forward pass is given",
    ),
    Subject(
        SENTENCES,
        "LSTM",
        (
            Part(
                "npdl/Initial.py",
                "Initializer Zero Uniform He_Uniform Glorot_Uniform Orthogonal get",
                (SENTENCES_PRECISION,),
                module="Initial",
            ),
            Part(
                "npdl/Activation.py",
                "Activation ReLU Softmax Tanh Sigmoid get",
                (SENTENCES_PRECISION,),
                module="Activation",
            ),
            Part("npdl/Cost.py", "Objective SoftmaxCategoricalCrossEntropy get", module="Cost"),
            Part(
                "npdl/Layers.py",
                SENTENCES_LAYERS,
                SENTENCES_EDITS,
                "import Initial\nimport Activation",
                module="Layers",
            ),
            Part(
                "npdl/Model.py",
                "Model",
                (("self.optimizer = Optimizers.get(optimizer)", "self.optimizer = optimizer"),),
                "import Cost\nimport Layers\nfrom Layers import Layer",
                SENTENCES_LOSS,
            ),
        ),
        sentences,
    ),
    Subject(
        PRICES,
        "RNN",
        (Part("src/rnn.py", "convert_to_numpy RNN", PRICES_EDITS, after=PRICES_LOSS),),
        prices,
    ),
    Subject(
        AGAIN,
        "autoencoder of LSTMs",
        (Part("numpy_lstm.py", "sigmoid LSTMCell LSTMAutoencoder", AGAIN_EDITS, "SEED = 42", AGAIN_LOSS),),
        again,
    ),
    Subject(
        STEPS,
        "layer normalisation",
        (Part("module/LayerNormalization.py", "layer_norm", after=STEPS_LAYER),),
        steps,
    ),
]
