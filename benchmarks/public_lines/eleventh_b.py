"""Subjects by owners J to R: two self-learners' LSTMs, an LSTM of gates, a transformer of modules, a course, a GRU."""

import numpy as np

from .fourth_models import model
from .programs import Part, Subject, layer, loss, numbers


def shaped(shapes, r):
    """{name: array} of {name: shape}."""
    return {name: 0.7 * r(*shape) for name, shape in shapes.items()}


# an LSTM in long names, a dict for the gradients; a step, and a sequence of vectors -----------------------------------

LONG = "okan-can-nazli/lstm-from-scratch"
LONG_WEIGHTS = {f"{kind}{gate}": (3, 7) if kind == "W" else (3, 1) for gate in "fico" for kind in "Wb"}
LONG_STEP = """

class Step(LSTMCell):
    def __init__(self):
        super().__init__(4, 3)


class Sequence(Step):
    def __init__(self):
        super().__init__()
        self.stm_init, self.ltm_init = np.zeros((3, 1)), np.zeros((3, 1))

    def forward_steps(self, x_sequence):
        return np.array(self.forward_sequence(x_sequence, self.stm_init, self.ltm_init)[0])
"""
KEPT = ", ".join(
    f"self.{name}"
    for name in "combined_input forget_gate input_gate new_potential_memory output_gate ltm_prev ltm_next".split()
)
LONG_EDITS = (  # see README.md
    ("stm_outputs=[]", "stm_outputs = []\n        self.kept = []"),
    ("stm_outputs.append(stm_current)", f"stm_outputs.append(stm_current)\n            self.kept.append(({KEPT}))"),
    ("            grads = self.backward(", f"            {KEPT} = self.kept[t]\n            grads = self.backward("),
)


def long_names(name, kept, forward, backward, results, **inputs):
    """A maker: an object of the class `name`, with the states `kept`, whose backward pass returns a dict."""

    def make(m):
        r = numbers()
        weights, states = shaped(LONG_WEIGHTS, r), {key: r(*shape) for key, shape in kept.items()}

        def fresh():
            made = getattr(m, name)()
            vars(made).update(weights | states)
            return made

        def gradients_of(made, returned):
            return {key: returned[f"d{key}"] for key in LONG_WEIGHTS} | {
                key: returned[place] for key, place in results.items()
            }

        given = {key: r(*shape) for key, shape in inputs.items()}
        return layer(fresh, gradients_of, forward, backward, weights, **given)

    return make


# an LSTM of columns in batches, of whose outputs the last are predictions ---------------------------------------------

PREDICTOR = "rmaahin/LSTM-from-scratch"
PREDICTOR_WEIGHTS = {"Wy": (2, 3), "by": (2, 1)} | {
    f"{kind}{gate}": (3, 7) if kind == "W" else (3, 1) for gate in "ifoc" for kind in "Wb"
}
PREDICTOR_EDITS = (("cache[t][4].T)  #", "(cache[t][2] * np.tanh(cache[t][4])).T)  #"),)  # see README.md
PREDICTOR_LOSS = f"""

def loss_and_gradients(x, y, h0, c0, {", ".join(PREDICTOR_WEIGHTS)}):
    lstm = LSTM(4, 3, 2, prediction_steps=2)
    lstm.Wy, lstm.by = Wy, by
    cell = lstm.cell
    cell.Wi, cell.bi, cell.Wf, cell.bf, cell.Wo, cell.bo, cell.Wc, cell.bc = Wi, bi, Wf, bf, Wo, bo, Wc, bc
    _, _, y_pred, cache = lstm.forward(x, h0, c0)
    return 0.5 * np.sum((y_pred - y) ** 2), lstm.backward(x, y, y_pred, cache)
"""


def predictor(m):
    r = numbers()
    weights = shaped(PREDICTOR_WEIGHTS, r)
    given = {"x": r(5, 4, 2), "y": r(2, 2, 2), "h0": r(3, 2), "c0": r(3, 2)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# words by two layers of an LSTM: an object for each gate, and one for each step ---------------------------------------

GATES = "lanpay-lulu/lanpay-rnn-from-scratch"
GATE_PARTS = (
    Part("activation.py", "Sigmoid Tanh", module="activation"),
    Part("gate.py", "MultiplyGate AddGate", module="gate"),
    Part(
        "layer3.py",
        "LstmGate LstmLayer LstmUnitLayer Softmax OutputLayer",
        (  # see README.md
            ("input_gate.delta_z(self.ig_z) * self.cell", "input_gate.delta_z(self.ig_z) * self.iv_s"),
            ("        return dxlist", "        return dxlist[::-1]"),
            ("prev_s = np.zeros(self.dim)", "prev_s = self.s0"),
            ("prev_c = np.zeros(self.dim)", "prev_c = self.c0"),
        ),
        "from activation import Tanh, Sigmoid\nfrom gate import MultiplyGate\n\n"
        "mulGate = MultiplyGate()\nsig = Sigmoid()\ntanh = Tanh()\n",
        module="layer3",
    ),
    Part(
        "rnn3.py",
        "Model",
        (
            ("return loss / float(len(y))", "return loss"),
            ("print self.layers[0].input_gate.U[:3, :3], '\\n'", "pass"),
            ("self.output.update(dV, learning_rate)", "self.output.dV = dV"),
            ("            layer.update(learning_rate)\n", ""),
        ),
        "from layer3 import LstmLayer, OutputLayer",
        """

def loss_and_gradients(x, y, states, params, V):
    model = Model(5, [4, 3])
    for layer, weights, (s0, c0) in zip(model.layers, params, states):
        layer.s0, layer.c0 = s0, c0
        for gate, values in zip(layer.gates, weights):
            gate.U, gate.W, gate.B = values["U"], values["W"], values["B"]
    model.output.V = V
    loss = model.calculate_loss(x, y)
    model.bptt(x, y, 0.1)
    gradients = [[{"U": g.dU, "W": g.dW, "B": g.dB} for g in layer.gates] for layer in model.layers]
    return loss, gradients, model.output.dV
""",
    ),
)


def gates(m):
    r = numbers()
    sizes = ((5, 4), (4, 3))
    params = [[shaped({"U": (o, i), "W": (o, o), "B": (o,)}, r) for _ in range(4)] for i, o in sizes]
    weights = {"params": params, "V": 0.7 * r(5, 3)}
    states = [(r(o), r(o)) for _, o in sizes]
    given = {"x": [0, 3, 1, 3], "y": [3, 1, 2, 4], "states": states}
    return model(m.loss_and_gradients, weights, **given, **weights)


# a transformer of modules: softmax and layer normalisation by their Jacobians, heads that are modules -----------------

MODULES = "rziga/numpy-is-all-you-need"
ENGINE = Part("src/nn/engine.py", "search_params search_submodules Parameter Module", module="engine")
SEQUENTIAL = Part("src/nn/layers/_base.py", "Sequential", before="from engine import Module", module="base")
ACTIVATIONS = Part(
    "src/nn/layers/activations.py", "ReLU Softmax", before="from engine import Module", module="activations"
)
BASIC = Part(
    "src/nn/layers/basic.py",
    "MatMul Linear LayerNorm Embedding",
    before="from engine import Parameter, Module",
    module="basic",
)
HEADS = Part(
    "src/nn/layers/attention.py",
    "AttentionHead MultiHeadAttention SelfAttention",
    before="from engine import Module\nfrom basic import Linear, MatMul\nfrom activations import Softmax",
    module="attention",
)
MASKED = Part(
    "src/nn/layers/transformer.py",
    "generate_tril_mask",
    before="from attention import SelfAttention",
    after="""

class Masked(SelfAttention):
    def __init__(self):
        super().__init__(2, 4, 3, generate_tril_mask)
""",
)
WHOLE = "generate_tril_mask generate_pos_encodings SubBlock CrossSubBlock FeedForward EncoderBlock DecoderBlock"
WHOLE_PARTS = (
    *(ENGINE, SEQUENTIAL, ACTIVATIONS, BASIC, HEADS),
    Part("src/nn/losses/_base.py", "Loss", module="losses"),
    Part(
        "src/nn/losses/classification.py",
        "CategoricalCrossentropy",
        (("/ self.in_shape[0]", "/ len(self.p)"),),  # see README.md
        "from losses import Loss",
        module="classification",
    ),
    Part(
        "src/nn/layers/transformer.py",
        f"{WHOLE} Encoder Decoder Transformer",
        before="\n".join(
            (
                "from engine import Module",
                "from base import Sequential",
                "from basic import Linear, LayerNorm, Embedding",
                "from activations import ReLU, Softmax",
                "from attention import MultiHeadAttention, SelfAttention",
                "from classification import CategoricalCrossentropy",
            )
        ),
        after="""

def fresh():
    return Transformer(6, 2, 1, 4, 3, 5)


def loss_and_gradients(source, target, labels, params):
    transformer, criterion = fresh(), CategoricalCrossentropy()
    for parameter, data in zip(transformer.parameters(), params.values()):
        parameter.data = data
    loss = criterion.calculate(labels, transformer([source, target]))
    transformer.backward(criterion.backward())
    return loss, [parameter.grad for parameter in transformer.parameters()]
""",
    ),
)
HEAD_WEIGHTS = {f"heads.{k}.lin_{name}.W": (4, 3) for k in range(2) for name in "QKV"} | {"lin.W": (6, 4)}


def parameter_of(made, path):
    """The parameter at "module.number.module", a number being a place in a list."""
    for part in path.split("."):
        made = made[int(part)] if part.isdigit() else getattr(made, part)
    return made


def masked(m):
    r = numbers()
    arrays = shaped(HEAD_WEIGHTS, r)

    def fresh():
        made = m.Masked()
        for path, array in arrays.items():
            parameter_of(made, path).data = array
        return made

    def gradients_of(made, returned):
        return {"input": returned} | {path: parameter_of(made, path).grad for path in arrays}

    return layer(fresh, gradients_of, weights=arrays, input=r(2, 5, 4))


def named(value, path=""):
    """{path: array} of the parameters of a module, in the order in which the program finds them."""
    if hasattr(value, "grad"):
        return {path: value.data}
    if not isinstance(value, list) and not hasattr(value, "submodules"):
        return {}
    entries = enumerate(value) if isinstance(value, list) else vars(value).items()
    return {key: array for name, entry in entries for key, array in named(entry, f"{path}.{name}".strip(".")).items()}


def whole(m):
    r = numbers()
    weights = shaped({path: array.shape for path, array in named(m.fresh()).items()}, r)
    words = {"source": np.array([[0, 3, 3], [2, 5, 4]]), "target": np.array([[1, 4, 1], [2, 3, 0]])}
    labels = np.array([[4, 1, 5], [3, 0, 2]])
    return model(m.loss_and_gradients, weights, **words, labels=labels, params=weights)


# a course's classifier: two layers of a cell, an output at the end, means over the batch ------------------------------

COURSE = "jry-king/CMU-11785-2021spring"
COURSE_PARTS = (
    Part("hw3/mytorch/activation.py", "Activation Tanh", module="activation"),
    Part("hw3/mytorch/linear.py", "Linear", module="linear"),
    Part("hw3/mytorch/loss.py", "Criterion SoftmaxCrossEntropy", module="loss"),
    Part("hw3/mytorch/rnn_cell.py", "RNNCell", before="from activation import *", module="rnn_cell"),
    Part(
        "hw3/hw3/rnn_classifier.py",
        "RNNPhonemeClassifier",
        before="from rnn_cell import *\nfrom linear import *\nfrom loss import *",
        after="""

def loss_and_gradients(x, y, h_0, rnn_weights, linear_weights):
    classifier, criterion = RNNPhonemeClassifier(4, 3, 5), SoftmaxCrossEntropy()
    classifier.init_weights(rnn_weights, linear_weights)
    loss = np.mean(criterion(classifier(x, h_0), y))
    dh_0 = classifier.backward(criterion.derivative())
    cells = [[cell.dW_ih, cell.dW_hh, cell.db_ih, cell.db_hh] for cell in classifier.rnn]
    return loss, dh_0, cells, [classifier.output_layer.dW, classifier.output_layer.db]
""",
    ),
)


def course(m):
    r = numbers()
    cells = [[0.7 * r(3, size), 0.7 * r(3, 3), 0.7 * r(3), 0.7 * r(3)] for size in (4, 3)]
    weights = {"h_0": r(2, 2, 3), "rnn_weights": cells, "linear_weights": [0.7 * r(5, 3), 0.7 * r(5)]}
    return model(m.loss_and_gradients, weights, x=r(2, 6, 4), y=np.eye(5)[[3, 1]], **weights)


# a GRU in batches, one output at the end, that learns in its backward pass --------------------------------------------

GRU = "JanSnoeijsEPFL/gru_numpy"
GRU_WEIGHTS = {f"{kind}{gate}": {"W": (4, 3), "U": (3, 3), "B": (1, 3)}[kind] for kind in "WUB" for gate in "zrh"}
GRU_WEIGHTS |= {"Wlin": (3, 1), "Blin": (1, 1)}
UPDATES = {name: f"GRU_update{name}" for name in GRU_WEIGHTS} | {"Wlin": "Lin_updateW", "Blin": "Lin_updateB"}
GRU_EDITS = (
    *((f"self.{name} = self.{update}.adam_update(self.{name}, d{name})", f"self.d{name} = d{name}")
      for name, update in UPDATES.items()),
    *((f"        self.{update} = Optimizer(self.{name})\n", "") for name, update in UPDATES.items()),
    ('print("creating GRU layer")', "pass"),
    ("        print(self.Wz.shape)\n", ""),
    ("        print(self.s.shape)\n", ""),
    # see README.md
    ("self.s[:,t-1,:]", "(self.s[:,t-1,:] * (t > 0))"),
    ("-self.h[:,t,:]) * dh", "-self.h[:,t,:]) * ds"),
    ("dz_l @ np.transpose(self.Uh)", "dz_l @ np.transpose(self.Uz)"),
    ("ds_fz = ds * (1-self.z[:,t,:])", "ds_fz = ds * self.z[:,t,:]"),
    ("for n in range(0, t+1):", "for n in range(t, t+1):"),
)  # fmt: skip
GRU_LOSS = f"""

def loss_and_gradients(X, y, {", ".join(GRU_WEIGHTS)}):
    gru = GRU(X.shape[0], X.shape[1], 4, 3)
    names = "{" ".join(GRU_WEIGHTS)}".split()
    for name, weight in zip(names, ({", ".join(GRU_WEIGHTS)})):
        setattr(gru, name, weight)
    yHat = gru.forward(X)
    _, dX = gru.backward(yHat - y, X)
    return np.sum(CrossEntropy(yHat, y)[1]), dX, *[getattr(gru, "d" + name) for name in names]
"""


def gru(m):
    r = numbers()
    weights = shaped(GRU_WEIGHTS, r)
    return loss(m.loss_and_gradients, f"X {' '.join(weights)}", X=r(2, 5, 4), y=np.array([[1.0], [0.0]]), **weights)


SUBJECTS = [
    Subject(
        LONG,
        "LSTM step",
        (Part("LSTM/lstm.py", "LSTMCell", after=LONG_STEP),),
        long_names(
            "Step",
            {},
            "forward",
            "backward",
            {"x": "dx", "stm_prev": "dstm_prev", "ltm_prev": "dltm_prev"},
            x=(4, 1),
            stm_prev=(3, 1),
            ltm_prev=(3, 1),
        ),
    ),
    Subject(
        LONG,
        "LSTM",
        (Part("LSTM/lstm.py", "LSTMCell", LONG_EDITS, after=LONG_STEP),),
        long_names(
            "Sequence",
            {"stm_init": (3, 1), "ltm_init": (3, 1)},
            "forward_steps",
            "backward_sequence",
            {},
            x_sequence=(5, 4),
        ),
        published="the cell keeps what it has computed of the last step only, with which all steps go back",
    ),
    Subject(
        PREDICTOR,
        "LSTM",
        (Part("lstm_scratch.py", "LSTMCell LSTM", PREDICTOR_EDITS, after=PREDICTOR_LOSS),),
        predictor,
        published="the readout's gradient is taken with the cell, not the state; the loss that it shows is another one",
    ),
    Subject(
        GATES,
        "LSTM",
        GATE_PARTS,
        gates,
        published="the input gate's gradient is taken with tanh(c); the layer below gets gradients in the wrong order",
    ),
    Subject(MODULES, "self-attention", (ENGINE, ACTIVATIONS, BASIC, HEADS, MASKED), masked),
    Subject(
        MODULES,
        "transformer",
        WHOLE_PARTS,
        whole,
        published="the loss is a mean over samples and steps, the gradients are divided by the number of samples",
    ),
    Subject(COURSE, "classifier", COURSE_PARTS, course),
    Subject(
        GRU,
        "GRU",
        (Part("model_sigmoid.py", "orthogonal_initializer GRU sigmoid tanh CrossEntropy", GRU_EDITS, after=GRU_LOSS),),
        gru,
        published="three mistakes at the update gate; the last state is taken for the one before the first; sums in dX",
    ),
]
