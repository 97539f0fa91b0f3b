"""Operations and layers of thinc, in the precision it is written for, and in float64."""

import numpy as np

from .planting import Case, pair

OPS = "thinc.backends.ops"


def random(*shape, seed=0, dtype="float64"):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def operations(module):
    ops = module.Ops()
    ops.xp = np
    return ops


def activation(name, points, dtype="float64", needs_result=False, **options):
    def make(module):
        ops = operations(module)

        def forward(X):
            Y = getattr(ops, name)(X, **options)
            return Y, (X, Y)

        def backward(dY, cache):
            cache = cache if needs_result else cache[:1]
            return getattr(ops, f"backprop_{name}")(dY, *cache, **options)

        return pair(forward, backward, X=np.array(points, dtype))

    return make


POINTS = [[-3.1, -0.4, 0.3], [1.7, 0.9, -1.2]]


def relu_in_place(module):
    """As thinc's own layers use it: the gradient is written over the upstream."""
    ops = operations(module)

    def forward(X):
        Y = ops.relu(X)
        return Y, Y

    def backward(dY, Y):
        return ops.backprop_relu(dY, Y, inplace=True)

    return pair(forward, backward, X=np.array(POINTS))


def softmax(module):
    ops = operations(module)

    def forward(x):
        Y = ops.softmax(x, temperature=2.0)
        return Y, Y

    def backward(dY, Y):
        return ops.backprop_softmax(Y, dY, temperature=2.0)

    return pair(forward, backward, x=random(3, 4))


def maxout(X):
    def make(module):
        ops = operations(module)

        def backward(dY, which):
            return ops.backprop_maxout(dY, which, 3)

        return pair(ops.maxout, backward, X=X)

    return make


def pooled(name):
    def make(module):
        ops = operations(module)
        ops.alloc2f = lambda *shape, dtype="float64", zeros=True: np.zeros(shape, dtype)  # the shape's, not float32

        def forward(X, lengths):
            Y = getattr(ops, name)(X, lengths)
            Y, which = Y if isinstance(Y, tuple) else (Y, None)
            return Y, (which, lengths)

        def backward(dY, cache):
            return getattr(ops, f"backprop_{name}")(dY, *[part for part in cache if part is not None]), None

        return pair(forward, backward, X=random(7, 2), lengths=np.array([3, 1, 3]))

    return make


def windows(module):
    ops = operations(module)
    ops.alloc2f = ops.alloc3f = lambda *shape, **_: np.zeros(shape)

    def forward(seq):
        return ops.seq2col(seq, 1), None

    def backward(dY, _):
        return ops.backprop_seq2col(dY, 1)

    return pair(forward, backward, seq=random(5, 2))


def layer(parameters, names, dtype="float64", **attributes):
    """forward(model, X, is_train) of a thinc layer, with a stand-in for its model that holds the parameters."""

    class Model:
        def __init__(self, values):
            from thinc.backends.ops import Ops

            self.ops, self.params, self.grads, self.attrs = Ops(), values, {}, attributes
            self.ops.xp = np
            self.ops.asarray_f = lambda values: np.asarray(values, dtype)

        def get_param(self, name):
            return self.params[name]

        def inc_grad(self, name, value):
            self.grads[name] = self.grads.get(name, 0) + value

    def make(module, joined=False):
        def forward(*values):
            n = len(values) - len(names)
            model = Model(dict(zip(names, values[n:], strict=True)))
            Y, backprop = module.forward(model, values[:n] if n > 1 else values[0], True)
            return Y, (backprop, model)

        def backward(dY, cache):
            backprop, model = cache
            model.grads.clear()
            dX = backprop(dY)
            return (*(dX if isinstance(dX, tuple) else (dX,)), *[model.grads[name] for name in names])

        return pair(forward, backward, **{name: value.astype(dtype) for name, value in parameters.items()})

    return make


def attention(module):
    from thinc.backends.ops import Ops

    ops = Ops()
    ops.xp = np
    ops.alloc2f = lambda *shape, dtype="float64", zeros=True: np.zeros(shape)
    lengths = np.array([2, 3])

    def forward(X, Q):
        weights, bp_weights = module._get_attention(ops, Q, X, lengths)
        output, bp_output = module._apply_attention(ops, weights, X, lengths)
        return output, (bp_weights, bp_output)

    def backward(dY, cache):
        bp_weights, bp_output = cache
        dX, d_weights = bp_output(dY)
        dQ, dX2 = bp_weights(d_weights)
        return dX + dX2, dQ.ravel()

    return pair(forward, backward, X=random(5, 3), Q=random(3, seed=1))


def cosine(module):
    truths = random(4, 3, seed=1)
    loss = module.CosineDistance(normalize=True)

    def forward(guesses):
        return loss.get_loss(guesses, truths), guesses

    def backward(dloss, guesses):
        return dloss * loss.get_grad(guesses, truths)

    return pair(forward, backward, guesses=random(4, 3))


def squared_distance(module):
    truths = random(4, 3, seed=1)
    loss = module.L2Distance(normalize=False)

    def forward(guesses):
        return loss.get_loss(guesses, truths), guesses

    def backward(dloss, guesses):
        return dloss * loss.get_grad(guesses, truths)

    return pair(forward, backward, guesses=random(4, 3))


def lstm(module):
    nO, nI, sizes = 3, 2, np.array([2, 2, 1])

    def forward(X, params):
        zero = np.zeros((1, 1, nO), "float32")
        return module.lstm_forward_training(params, zero, zero, X, sizes)

    def backward(dY, state):
        *rest, params = state
        return module.backprop_lstm(dY, sizes, params, tuple(rest))

    def keep(X, params):
        Y, state = forward(X, params)
        return Y, (*state, params)

    size = 4 * nO * (nI + nO + 2)
    return pair(keep, backward, X=random(5, nI, dtype="float32"), params=random(size, seed=1, dtype="float32"))


LAYERNORM = {"X": random(4, 5), "G": 1 + 0.3 * random(5, seed=1), "b": random(5, seed=2)}
CAUCHY = {"X1": random(4, 3), "X2": random(4, 3, seed=1), "W": np.abs(random(3, seed=2))}

CASES = [
    Case("mish", OPS, activation("mish", POINTS)),
    Case("mish, float32", OPS, activation("mish", POINTS, "float32"), about="float32"),
    Case("swish, float32", OPS, activation("swish", POINTS, "float32", needs_result=True), about="float32"),
    Case("dish", OPS, activation("dish", POINTS)),
    Case(
        "hard swish at its corner",
        OPS,
        activation("hard_swish_mobilenet", [[-3.0, 0.5, 1.0], [3.0, -4.0, 5.0]]),
        published="no answer",
        about="kink",
    ),
    Case(
        "clipped linear",
        OPS,
        activation("clipped_linear", POINTS, slope=0.7, offset=0.2, min_val=-1.0, max_val=1.0),
        about="kink",
    ),
    Case("ReLU over its upstream", OPS, relu_in_place, about="in place"),
    Case("softmax with a temperature", OPS, softmax),
    Case("maxout", OPS, maxout(random(2, 4, 3)), about="max"),
    Case(
        "maxout of equals",
        OPS,
        maxout(np.array([[[1.0, 2.0, 2.0], [0.5, 0.1, 0.2]]])),
        published="no answer",
        about="kink",
    ),
    Case("mean over sequences", OPS, pooled("reduce_mean"), about="integers"),
    Case("maximum over sequences", OPS, pooled("reduce_max"), about="max, integers"),
    Case("windows of a sequence", OPS, windows, about="time steps"),
    Case("layer normalisation of thinc", "thinc.layers.layernorm", layer(LAYERNORM, ["G", "b"])),
    Case(
        "layer normalisation of thinc, float32",
        "thinc.layers.layernorm",
        layer(LAYERNORM, ["G", "b"], "float32"),
        about="float32",
    ),
    Case("Cauchy similarity", "thinc.layers.cauchysimilarity", layer(CAUCHY, ["W"])),
    Case("attention over sequences", "thinc.layers.parametricattention", attention),
    Case(
        "dropout",
        "thinc.layers.dropout",
        layer({"X": random(5, 4)}, [], dropout_rate=0.4, is_enabled=True),
        published="no answer",
        about="random",
    ),
    Case("cosine distance of thinc", "thinc.loss", cosine),
    Case("squared distance", "thinc.loss", squared_distance, published="wrong"),
    Case("LSTM without its gates", OPS, lstm, published="wrong", about="float32, time steps"),
]
