"""Subjects of the fourth set that are layers: a framework of graphs, and stacks of recurrent layers."""

from .programs import Part, Subject, layer, numbers

# a framework in the manner of Keras: variables that keep their gradients, an object for each activation -------------

GRAPHS = "E1eveNn/shinnosuke"
GRAPH_BASE = (
    Part("layers/Base.py", "Node Variable Layer Operation", module="sn_base"),
    Part("utils/Activator.py", "Sigmoid Tanh", before="from sn_base import Operation", module="sn_activator"),
)
GRAPH_IMPORTS = """from sn_activator import Sigmoid, Tanh
from sn_base import Layer, Variable


def get_activator(name):
    return {"sigmoid": Sigmoid, "tanh": Tanh}[name]()


def get_initializer(name):
    return np.zeros


def concatenate(*variables, axis, name=None):
    return Variable(np.concatenate([v.output_tensor for v in variables], axis=axis), name=name)"""
CONNECTED = """

class Sequence({name}):
    def forward(self, x):
        self.input_tensor = x
        super().forward(True)
        return self.output_tensor

    def backward(self, grads):
        for variable in self.variables:
            variable.grads = np.zeros_like(variable.output_tensor)
        self.grads = grads
        super().backward()
        return self.inbounds[0].grads
"""
STATE_BEFORE = (  # see README.md
    ("self.prev_a[:, t - 1, :].T", "self.prev_a[:, t, :].T"),
    ("self.prev_a[:,t-1,:].T", "self.prev_a[:,t,:].T"),
)
GATES_IN_ORDER = (
    ("(do,dc_tilde_before_act,du,df)", "(df,du,dc_tilde_before_act,do)"),
    ("(do, dc_tilde_before_act, du, df)", "(df, du, dc_tilde_before_act, do)"),
)


def graph(name, edits):
    take = f"Recurrent {name}Cell {name}"
    recurrent = Part("layers/Recurrent.py", take, edits, GRAPH_IMPORTS, CONNECTED.format(name=name))
    return (*GRAPH_BASE, recurrent)


def connected(names, sequences=True):
    def make(m):
        def build():
            made = m.Sequence(3, return_sequences=sequences, input_shape=(2, 3, 4))
            made.connect(None)
            entry = m.Layer()
            entry.require_grads = False
            made.inbounds.append(entry)
            return made

        r = numbers(3)
        weights = {n: 0.7 * r(*v.output_tensor.shape) for n, v in zip(names.split(), build().variables, strict=True)}

        def fresh():
            made = build()
            for variable, weight in zip(made.variables, weights.values(), strict=True):
                variable.output_tensor = weight
            return made

        def gradients_of(made, returned):
            return {n: v.grads for n, v in zip(weights, made.variables, strict=True)} | {"x": returned}

        return layer(fresh, gradients_of, weights=weights, x=numbers()(2, 3, 4))

    return make


# stacks of layers, samples first, both directions; all gradients of a layer in one tuple ------------------------------

STACKS, FOLDER = "yangwohenmai/LSTM", "LSTM无框架源码实现/src/xDLbase"
TOOLS = Part(f"{FOLDER}/xDLUtils.py", "Tools", module="xd_tools")
STACKED = """

class Sequence({name}Layer):
    def __init__(self, layers):
        super().__init__("", 2, 3, len(layers), lambda *given: None, None, 1, float, 0.1)
        self.{weights}, self.isInited = layers, True

    def forward(self, x):
        return self.fp(x)

    def backward(self, dh):
        dx, dweights = self.{backward}(dh)
        return dx, dweights[::-1]
"""
GRU, LSTM = {"Wzx": 6, "Wzh": 6, "bz": 6, "Wax": 3, "War": 3, "ba": 3}, {"Wx": 12, "Wh": 12, "b": 12}


def stack(name, weights, backward):
    after = STACKED.format(name=name, weights=weights, backward=backward)
    return TOOLS, Part(f"{FOLDER}/rnn.py", f"{name}Layer", before="from xd_tools import Tools", after=after)


def stacked(widths):
    """widths: {name: columns} of the weights of a layer; those that end in x are for the layer's inputs."""

    def shape(name, k):
        rows = () if "b" in name else (4 if name.endswith("x") and k == 0 else 3,)
        return (*rows, widths[name])

    def make(m):
        r = numbers(3)
        weights = {f"{name} {k}": 0.7 * r(*shape(name, k)) for k in range(2) for name in widths}

        def fresh():
            return m.Sequence([{name: weights[f"{name} {k}"] for name in widths} for k in range(2)])

        def gradients_of(made, returned):
            dx, *layers = returned[0], *returned[1]
            found = [g for dweights in layers for g in dweights]
            return dict(zip(weights, found, strict=True)) | {"x": dx}

        return layer(fresh, gradients_of, weights=weights, x=numbers()(2, 3, 4))

    return make


BOTH = GRU | {f"i{name}": width for name, width in GRU.items()}

SUBJECTS = [
    Subject(
        GRAPHS,
        "RNN",
        graph("SimpleRNN", STATE_BEFORE),
        connected("Wxa Waa ba"),
        published="the gradient of Waa is taken with the state of two steps before",
    ),
    Subject(
        GRAPHS,
        "RNN, last state",
        graph("SimpleRNN", STATE_BEFORE),
        connected("Wxa Waa ba", sequences=False),
        published="the gradient of Waa is taken with the state of two steps before",
    ),
    Subject(
        GRAPHS,
        "LSTM",
        graph("LSTM", GATES_IN_ORDER),
        connected("W b"),
        published="the gradients of the gates are put together in the opposite order",
    ),
    Subject(STACKS, "two LSTMs", stack("LSTM", "lstmParams", "lstm_backward"), stacked(LSTM)),
    Subject(STACKS, "two GRUs", stack("GRU", "gruParams", "gru_backward"), stacked(GRU)),
    Subject(STACKS, "GRUs in both directions", stack("BiGRU", "gruParams", "gru_backward"), stacked(BOTH)),
]
