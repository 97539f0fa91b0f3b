"""What people who come from other frameworks write first, and what to write here: one line for each guess.

Where the wish is plain it is granted where it is made; the rest is in these tables.
"""

import inspect
from collections.abc import Mapping

ARGUMENTS = {  # of a cell's constructor -> what to write; {cell} is the cell's name
    "num_layers": "write {layers}",
    "bidirectional": "write {layers}",
    "batch_first": "arrays are time first, (T, B, n): x.swapaxes(0, 1) turns a batch-first one",
    "bias": "every cell has the biases of its paper, which start as it says",
    "dropout": "it belongs to the whole network: tr.Model(…, dropout={{'layers': 0.5}}), and an rng for gradients(…)",
    "recurrent_dropout": "it belongs to the whole network: tr.Model(…, dropout={{'weight': 0.5}})",
    "nonlinearity": "tr.Elman takes activation='tanh' or 'relu'",
    "proj_size": "no cell has projections of its state; a tr.Readout can follow it",
    "device": "write tr.{cell}(…).to(cupy)",
    "units": "write hidden_size",
    "num_units": "write hidden_size",
    "hidden_dim": "write hidden_size",
    "input_dim": "write input_size",
    "seed": "write rng, a number or a numpy.random.Generator",
    "random_state": "write rng, a number or a numpy.random.Generator",
    "return_sequences": "forward returns the outputs of all steps; tr.Model(…, at='last') reads the last one alone",
    "return_state": "forward returns (h, tape), and the final state is tape.state",
}
WEIGHTS = "its parameters are .params, a dict name -> array; tr.interop.to_torch(layers) has PyTorch's names and order"
NETWORK = {  # attributes of cells, layers and models -> what to write
    "parameters": WEIGHTS,
    "named_parameters": WEIGHTS,
    "weights": WEIGHTS,
    "get_weights": WEIGHTS,
    "weight_ih_l0": WEIGHTS,
    "weight_hh_l0": WEIGHTS,
    "bias_ih_l0": WEIGHTS,
    "bias_hh_l0": WEIGHTS,
    "state_dict": f"{WEIGHTS}; tr.save(path, network) writes a file",
    "load_state_dict": "tr.interop.from_torch(state_dict) makes layers; tr.load(path, into=network) reads a file",
    "set_weights": "write into the arrays of .params: network.params[name][...] = value",
    "zero_grad": "there is nothing to zero: every backward pass returns new gradients",
    "grad": "gradients are what backward returns: back = cell.backward(dh, tape); back.params, back.inputs, back.state",
    "train": "there are no modes: dropout is drawn where gradients(…, rng=…) gets a generator, and nowhere else",
    "eval": "there are no modes: dropout is drawn where gradients(…, rng=…) gets a generator, and nowhere else",
    "fit": "write the loop: out = model.gradients(x, target); optimiser.step(model.params, out.params)",
    "predict": "write y, tape = model.forward(x)",
    "cuda": "write .to(cupy)",
    "cpu": "write .to(numpy)",
    "num_layers": "a cell is one layer; tr.Stack(…) has .layers",
}
OPTIMISER = {
    "zero_grad": "there is nothing to zero: every backward pass returns new gradients",
    "param_groups": "its rate is .lr; another one for one step: step(params, grads, lr=…)",
    "minimize": "write step(params, gradients.params)",
    "apply_gradients": "write step(params, gradients.params)",
    "update_params": "write step(params, gradients.params)",
}


PACKAGE = {  # names that the package has not -> what to write
    **dict.fromkeys(("Adam", "SGD", "RMSProp"), "write tr.optimisers.Adam (SGD, RMSProp)"),
    **dict.fromkeys(("optimizers", "optimiser"), "write tr.optimisers (and tr.schedules, tr.clipping)"),
    **dict.fromkeys(("RNN", "SimpleRNN", "RNNCell"), "write tr.Elman"),
    "LSTMCell": "write tr.LSTM; a sequence of one step is x[None]",
    "GRUCell": "write tr.GRU; a sequence of one step is x[None]",
    **dict.fromkeys(("Linear", "Dense"), "write tr.Readout"),
    "Sequential": "write tr.Stack, and tr.Model with a readout",
    "CrossEntropyLoss": "write tr.Model(…, loss='cross_entropy')",
    "MSELoss": "write tr.Model(…, loss='squared_error')",
    **dict.fromkeys(("from_torch", "to_torch"), "write tr.interop.from_torch (to_torch, gradients_to_torch)"),
    **dict.fromkeys(("Trainer", "Settings"), "write tr.training.Trainer (Settings)"),
    **dict.fromkeys(("train", "fit"), "write the loop that README has, or tr.training.Trainer(settings, folder).run()"),
    "Loss": "write tr.losses.Loss",
    "check_grads": "write tr.gradcheck",
}


def answering(hints):
    """A `__getattr__` that answers the attributes in `hints` with their line, and all others as Python does."""

    def __getattr__(self, name):
        if name in hints:
            raise AttributeError(f"{type(self).__name__} has no {name}: {hints[name]}", name=name, obj=self)
        return object.__getattribute__(self, name)  # raises; also again what a property raised

    return __getattr__


def check_arguments(cls, accepted, args, kwargs):
    """TypeError in one line if a cell is constructed with one of `ARGUMENTS` that is not in accepted(cls)."""
    for name in kwargs:
        if name in ARGUMENTS and name not in accepted(cls):
            hint = ARGUMENTS[name].format(cell=cls.__name__, layers=layers(cls.__name__, args, kwargs))
            raise TypeError(f"{cls.__name__} has no {name}: {hint}")
    if len(args) > positional(cls) and isinstance(args[2], int):  # PyTorch's third argument is num_layers
        wanted = layers(cls.__name__, args, {"num_layers": args[2], **kwargs})
        raise TypeError(
            f"{cls.__name__} takes {positional(cls)} sizes, got {len(args)}; for several layers write {wanted}"
        )


def positional(cls):
    """How many arguments the constructor takes by position, at least 2."""
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 99
    return max(2, sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters))


def layers(name, args, kwargs):
    """The Python expression of the layers that somebody wanted of a cell, by PyTorch's arguments."""
    n, H = (
        args[k] if len(args) > k else kwargs.get(size, size) for k, size in enumerate(("input_size", "hidden_size"))
    )
    number, both = kwargs.get("num_layers", 1), kwargs.get("bidirectional", False)
    wide = (2 * H if isinstance(H, int) else f"2 * {H}") if both else H

    def layer(size):
        one = f"tr.{name}({size}, {H})"
        return f"tr.Bidirectional({one}, {one})" if both else one

    if not isinstance(number, int) or number < 2:
        return layer(n)
    more = [layer(wide)] * (number - 1) if number < 4 else [layer(wide), "…"]
    return f"tr.Stack({', '.join([layer(n), *more])})"


def check_no_parameters(cls, args, kwargs):
    """TypeError in one line if an optimiser is constructed from parameters, as other frameworks have it."""
    given = args[0] if args else kwargs.get("params")
    if isinstance(given, Mapping) or hasattr(given, "params") or hasattr(given, "__next__"):
        raise TypeError(
            f"{cls.__name__} takes no parameters, its steps do: optimiser = {cls.__name__}(lr=…); "
            f"optimiser.step(network.params, gradients.params)"
        )


def check_layers(owner, layers):
    """TypeError or ValueError in one line unless all are layers: instances, with what layers have, no one twice."""
    for k, layer in enumerate(layers):
        if isinstance(layer, type):
            raise TypeError(f"{owner}: layer {k} is the class {layer.__name__}: write tr.{layer.__name__}(…)")
        if not (hasattr(layer, "forward") and hasattr(layer, "state_sizes")):
            raise TypeError(f"{owner}: layer {k} is a {type(layer).__name__}, not a cell or layers")
        if any(layer is other for other in layers[:k]):
            raise ValueError(f"{owner}: layer {k} is the same object as one before it: give each its own weights")


def check_directions(forward, backward):
    """TypeError or ValueError in one line unless both are layers, with weights of their own."""
    if backward is None:
        sizes = getattr(forward, "input_size", "n"), getattr(forward, "hidden_size", "H")
        wanted = layers(type(forward).__name__, sizes, {"bidirectional": True})
        raise TypeError(f"Bidirectional takes two layers, for each direction has its own weights: write {wanted}")
    check_layers("Bidirectional", (forward, backward))


def check_tape(network, tape, kind):
    """TypeError in one line unless `backward` of the network was given its own kind of tape."""
    if not isinstance(tape, kind):
        name = type(network).__name__
        raise TypeError(f"{name}.backward(dh, tape): h, tape = forward(x) returned the tape; got {type(tape).__name__}")
