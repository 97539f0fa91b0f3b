"""Layers, activations and losses of numpy-ml, whose backward passes are methods of objects that keep the caches."""

import numpy as np

from .planting import Case, methods, pair

LAYERS = "numpy_ml.neural_nets.layers.layers"


def random(*shape, seed=0, dtype="float64"):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def rewind(layer):
    """A backward pass adds to the gradients that are there, and counts time steps down: so it can be called again."""
    layer.gradients = {name: np.zeros_like(value) for name, value in layer.gradients.items()}
    if "current_step" in layer.derived_variables:
        layer.derived_variables["current_step"] = layer.derived_variables["n_timesteps"]
        accumulators = [name for name in layer.derived_variables if name.endswith("_accumulator")]
        layer.derived_variables.update(dict.fromkeys(accumulators))
    return layer


def layer_pair(build, names, arrays, **inputs):
    """forward and backward of a new layer for each call, with `names` of its parameters as inputs beside X.

    arrays: the inputs that are arguments of layer.forward; the others are parameters.
    """

    def forward(*values):
        given = dict(zip([*arrays, *names], values, strict=True))
        layer = build()
        if names:
            layer.forward(*[given[name] for name in arrays])  # which makes the parameters
            layer.flush_gradients()
            layer.parameters.update({name: given[name] for name in names})
        return layer.forward(*[given[name] for name in arrays]), layer

    def backward(dY, layer):
        back = rewind(layer).backward(dY)
        back = back if isinstance(back, tuple | list) else (back,)
        return (*back, *[layer.gradients[name] for name in names])

    return pair(forward, backward, **inputs)


def dense(dtype="float64", n_in=3, n_out=3):
    def make(module):
        return layer_pair(
            lambda: module.FullyConnected(n_out, act_fn="Tanh"),
            ["W", "b"],
            ["X"],
            X=random(4, n_in, dtype=dtype),
            W=random(n_in, n_out, seed=1, dtype=dtype),
            b=random(1, n_out, seed=2, dtype=dtype),
        )

    return make


def dense_object(module):
    """One layer object for all calls, cleared before each forward pass."""
    layer = module.FullyConnected(2, act_fn="Sigmoid")
    layer.forward(random(4, 3))
    layer.parameters["W"] = random(3, 2, seed=1)

    def forward(X):
        layer.X.clear()
        layer.derived_variables["Z"].clear()
        return layer.forward(X)

    return methods(forward, layer.backward, X=random(4, 3))


def softmax(module):
    return layer_pair(lambda: module.Softmax(), [], ["X"], X=random(3, 4))


def normalisation(name):
    def make(module):
        return layer_pair(
            lambda: getattr(module, name)(),
            ["scaler", "intercept"],
            ["X"],
            X=random(5, 3),
            scaler=random(3, seed=1),
            intercept=random(3, seed=2),
        )

    return make


def embedding(words):
    def make(module):
        def forward(words, W):
            layer = module.Embedding(3, vocab_size=5, pool="mean")
            layer.parameters["W"] = W
            return layer.forward(words), layer

        def backward(dY, layer):
            rewind(layer).backward(dY)
            return None, layer.gradients["W"]

        return pair(forward, backward, words=np.array(words), W=random(5, 3))

    return make


def product(module):
    def forward(a, b, c):
        layer = module.Multiply(act_fn="Tanh")
        return layer.forward([a, b, c]), layer

    def backward(dY, layer):
        return tuple(layer.backward(dY))

    return pair(forward, backward, a=random(3, 2), b=random(3, 2, seed=1), c=random(3, 2, seed=2))


def total(module):
    def forward(a, b):
        layer = module.Add()
        return layer.forward([a, b]), layer

    def backward(dY, layer):
        return tuple(layer.backward(dY))

    return pair(forward, backward, a=random(3, 2), b=random(3, 2, seed=1))


def convolution(module):
    return layer_pair(
        lambda: module.Conv2D(out_ch=2, kernel_shape=(2, 3), pad=1, stride=1, act_fn="Tanh"),
        ["W", "b"],
        ["X"],
        X=random(2, 4, 5, 3),
        W=random(2, 3, 3, 2, seed=1),
        b=random(1, 1, 1, 2, seed=2),
    )


def attention(module):
    return layer_pair(
        lambda: module.DotProductAttention(),
        [],
        ["Q", "K", "V"],
        Q=random(4, 3),
        K=random(4, 3, seed=1),
        V=random(4, 2, seed=2),
    )


def recurrent(cell, names, dtype="float64", seed=0):
    """All time steps of a cell, forwards and then backwards: X is (examples, features, steps)."""

    def make(module):
        shapes = {"W": (5, 3), "b": (1, 3)} if cell == "LSTMCell" else {"Wx": (2, 3), "Wa": (3, 3), "b": (3, 1)}
        parameters = {
            name: random(*shapes[name[:-1] if cell == "LSTMCell" else name[:2] if name[0] == "W" else "b"], seed=k + 1)
            for k, name in enumerate(names)
        }
        if cell == "RNNCell":
            parameters["Waa"], parameters["Wax"] = random(3, 3, seed=1), random(2, 3, seed=2)
        parameters = {name: value.astype(dtype) for name, value in parameters.items()}

        def forward(X, *values):
            layer = getattr(module, cell)(3)
            layer.n_in = X.shape[1]
            layer._init_params()
            layer.parameters.update(zip(parameters, values, strict=True))
            outputs = [layer.forward(X[:, :, t]) for t in range(X.shape[2])]
            hidden = [out[0] if isinstance(out, tuple) else out for out in outputs]
            return np.stack(hidden, axis=-1), layer

        def backward(dH, layer):
            steps = range(dH.shape[2])
            rewind(layer)
            dX = [layer.backward(dH[:, :, t]) for t in reversed(steps)][::-1]
            return (np.stack(dX, axis=-1), *[layer.gradients[name] for name in parameters])

        return pair(forward, backward, X=random(4, 2, 3, seed=seed, dtype=dtype), **parameters)

    return make


def activation(name, points, **options):
    def make(module):
        function = getattr(module, name)(**options)

        def forward(z):
            return function.fn(z), z

        def backward(dy, z):
            return dy * function.grad(z)

        return pair(forward, backward, z=np.array(points))

    return make


def variational(module):
    y = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])

    def forward(y_pred, t_mean, t_log_var):
        return module.VAELoss.loss(y, y_pred, t_mean, t_log_var), (y_pred, t_mean, t_log_var)

    def backward(dloss, cache):
        d_pred, d_log_var, d_mean = module.VAELoss.grad(y, *cache)
        return dloss * d_pred, dloss * d_mean, dloss * d_log_var

    inputs = {
        "y_pred": 1 / (1 + np.exp(random(2, 3))),
        "t_mean": random(2, 3, seed=1),
        "t_log_var": random(2, 3, seed=2),
    }
    return pair(forward, backward, **inputs)


def dropout(module):
    layers = __import__("numpy_ml.neural_nets.layers", fromlist=["x"])

    def forward(X):
        layer = module.Dropout(layers.FullyConnected(2, act_fn="Affine(slope=1, intercept=0)"), 0.4)
        layer._base_layer.n_in = X.shape[1]
        layer._base_layer._init_params()
        layer._base_layer.parameters["W"] = random(3, 2, seed=1)
        return layer.forward(X), layer

    def backward(dY, layer):
        return layer.backward(dY)

    return pair(forward, backward, X=random(4, 3))


RNN = ["Waa", "Wax", "ba", "bx"]
LSTM = ["Wf", "Wu", "Wc", "Wo", "bf", "bu", "bc", "bo"]

CASES = [
    Case("dense layer", LAYERS, dense()),
    Case("dense layer, float32", LAYERS, dense("float32", 4, 2), about="float32"),
    Case("dense layer, one object", LAYERS, dense_object, about="state"),
    Case("softmax layer", LAYERS, softmax),
    Case("batch normalisation", LAYERS, normalisation("BatchNorm1D"), about="samples of a batch belong together"),
    Case("layer normalisation", LAYERS, normalisation("LayerNorm1D")),
    Case("embedding, mean over words", LAYERS, embedding([[0, 2, 4], [3, 1, 2]]), about="integers"),
    Case("embedding, a word twice", LAYERS, embedding([[0, 2, 2], [3, 1, 0]]), published="wrong", about="integers"),
    Case("elementwise product", LAYERS, product),
    Case("elementwise sum", LAYERS, total),
    Case("convolution", LAYERS, convolution),
    Case("attention", LAYERS, attention),
    Case("recurrent network", LAYERS, recurrent("RNNCell", RNN), about="time steps"),
    Case("LSTM network", LAYERS, recurrent("LSTMCell", LSTM), about="time steps"),
    Case(
        "recurrent network, float32", LAYERS, recurrent("RNNCell", RNN, "float32", seed=3), about="float32, time steps"
    ),
    Case("ELU", "numpy_ml.neural_nets.activations.activations", activation("ELU", [-2.0, -0.3, 0.4, 1.5], alpha=0.7)),
    Case(
        "hard sigmoid at its corner",
        "numpy_ml.neural_nets.activations.activations",
        activation("HardSigmoid", [-3.0, -0.4, 2.5, 0.9]),
        published="no answer",
        about="kink",
    ),
    Case(
        "leaky ReLU beside its corner",
        "numpy_ml.neural_nets.activations.activations",
        activation("LeakyReLU", [-1e-09, 1e-08, -0.5, 1.5], alpha=0.3),
        about="kink",
    ),
    Case("variational loss", "numpy_ml.neural_nets.losses.losses", variational),
    Case(
        "dropout without its mask",
        "numpy_ml.neural_nets.wrappers.wrappers",
        dropout,
        published="no answer",
        about="random",
    ),
]
