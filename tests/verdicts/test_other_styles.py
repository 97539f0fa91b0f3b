"""The code in `other_styles/` is right: what a debugger of gradients says against it would be a false alarm."""

import copy

import numpy as np
import pytest
from contract import assert_same, numbered
from other_styles import classes, homework, inplace

import tinyrnn as tr
from tinyrnn.checking.numeric import central_differences

CENTRAL, EXACT = 1e-7, 1e-12  # tolerances: of central differences, of the same equations written twice
SEED = 5
HOMEWORK, INPLACE, LAYERS = (m.examples(np.random.default_rng(SEED)) for m in (homework, inplace, classes))
LOSS = HOMEWORK.pop("softmax loss")
FUNCTIONS = {f"homework {name}": pair for name, pair in HOMEWORK.items()}
FUNCTIONS |= {f"inplace {name}": pair for name, pair in INPLACE.items()}


def upstream_of(outputs):
    """A random gradient for each output; for a list, a list."""
    rng = np.random.default_rng(SEED)
    random = [rng.normal(size=np.shape(y)) for y in outputs]
    return [list(d) if isinstance(y, list) else d for y, d in zip(outputs, random, strict=True)]


def total(outputs, upstream):
    """The loss whose gradient with respect to the outputs is `upstream`."""
    return sum(np.vdot(d, y) for y, d in zip(outputs, upstream, strict=True))


def slopes(loss, values):
    """d loss(values) / d value by central differences, for each array in the dict `values`."""
    return {
        name: central_differences(lambda moved, name=name: loss({**values, name: moved}), value)
        for name, value in values.items()
    }


def bits(*arrays):
    return [np.asarray(a).tobytes() for a in arrays]


# functions -----------------------------------------------------------------------------------------------------------


def call_functions(forward, backward, inputs):
    """Outputs, upstream, name of an input -> its gradient; nothing passed in may change, nor what is kept between."""
    inputs = copy.deepcopy(inputs)
    *outputs, cache = forward(**inputs)
    upstream = upstream_of(outputs)
    before = bits(*inputs.values(), *upstream)
    first, second = (by_name(inputs, backward(*upstream, cache)) for _ in range(2))
    assert bits(*inputs.values(), *upstream) == before
    assert_same(first, second)
    return outputs, upstream, {name: first.pop(name) for name in inputs} | first


def by_name(inputs, grads):
    return dict(grads if isinstance(grads, dict) else zip(inputs, grads, strict=True))


@pytest.mark.few(3)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_has_the_gradients_of_central_differences_and_changes_nothing(name):
    forward, backward, inputs = FUNCTIONS[name]
    _, upstream, grads = call_functions(forward, backward, inputs)
    assert_same(grads, slopes(lambda values: total(forward(**values)[:-1], upstream), inputs), CENTRAL)


def test_softmax_loss_is_cross_entropy_with_the_gradient_of_central_differences():
    forward, backward, inputs = LOSS
    x, y = inputs["x"], inputs["y"]
    loss, dx = forward(x, y)
    p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    assert loss == pytest.approx(-np.mean([np.log(p[n, label]) for n, label in enumerate(y)]), rel=EXACT)
    assert_same({"dx": dx}, {"dx": central_differences(lambda x: forward(x, y)[0], x)}, CENTRAL)
    assert backward is forward


# classes -------------------------------------------------------------------------------------------------------------


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def values_of(layer, inputs):
    """All that the output depends on: inputs, parameters and, of a time layer, the state it starts from."""
    zero = np.zeros((len(next(iter(inputs.values()))), len(layer.params[1])))
    states = {name: getattr(layer, name) for name in ("h", "c") if hasattr(layer, name)}
    values = inputs | dict(zip(("Wx", "Wh", "b"), layer.params, strict=True))
    return copy.deepcopy(values | {name: zero if value is None else value for name, value in states.items()})


def layer_with(cls, values):
    """A new layer with parameters and state from `values`, and the inputs, which are what remains of them."""
    inputs = dict(values)
    params = [inputs.pop(name) for name in ("Wx", "Wh", "b")]
    state = [inputs.pop(name) for name in ("h", "c") if name in inputs]
    layer = cls(*params, stateful=True) if state else cls(*params)
    if state:
        layer.set_state(*state)
    return layer, inputs


def call_layer(layer, inputs):
    """Outputs, upstream, name of a value -> its gradient; all of a copy, as a stateful layer goes on where it stopped.

    Nothing passed in may change, and gradients are overwritten, not added to.
    """
    layer = copy.deepcopy(layer)
    start = values_of(layer, inputs)
    outputs = as_tuple(layer.forward(**inputs))
    upstream = upstream_of(outputs)
    before = bits(*inputs.values(), *upstream)
    for _ in range(2):
        grads = by_name(inputs, as_tuple(layer.backward(*upstream)))
    grads |= dict(zip(("Wx", "Wh", "b"), layer.grads, strict=True))
    grads |= {name: getattr(layer, f"d{name}") for name in ("h", "c") if name in start}
    assert bits(*inputs.values(), *upstream) == before
    assert bits(*layer.params) == bits(start["Wx"], start["Wh"], start["b"])
    return outputs, upstream, grads


@pytest.mark.few(3)
@pytest.mark.parametrize("name", LAYERS)
def test_layer_has_the_gradients_of_central_differences_and_changes_nothing(name):
    forward, backward, inputs = LAYERS[name]
    layer = forward.__self__
    assert backward.__self__ is layer
    outputs, upstream, grads = call_layer(layer, inputs)

    def run(values):
        moved, arguments = layer_with(type(layer), values)
        return as_tuple(moved.forward(**arguments))

    values = values_of(layer, inputs)
    assert_same({"outputs": outputs}, {"outputs": run(values)})
    assert_same(grads, slopes(lambda values: total(run(values), upstream), values), CENTRAL)


@pytest.mark.parametrize("name", [name for name in LAYERS if "stateful" in name])
def test_only_a_stateful_layer_goes_on_where_it_stopped(name):
    forward, _, inputs = LAYERS[name]
    layer, xs = copy.deepcopy(forward.__self__), inputs["xs"]
    whole = copy.deepcopy(layer).forward(xs)
    halves = np.concatenate([layer.forward(xs[:, :2]), layer.forward(xs[:, 2:])], axis=1)
    assert_same({"h": halves}, {"h": whole})
    layer.reset_state()
    from_zero = layer.forward(xs)
    assert not np.allclose(from_zero, whole)
    stateless = type(layer)(*layer.params)
    for _ in range(2):
        assert_same({"h": stateless.forward(xs)}, {"h": from_zero})


# against this package's cells ----------------------------------------------------------------------------------------


def cell_with(cls, W_x, *, hidden_size, **params):
    """This package's cell with these parameters; those not given are zero."""
    cell = cls(len(W_x), hidden_size)
    for name, value in cell.params.items():
        value[...] = {"W_x": W_x, **params}.get(name, 0)
    return cell


def elman(Wx, Wh, b):
    return cell_with(tr.Elman, Wx, W_h=Wh, b=b, hidden_size=len(Wh))


def lstm(Wx, Wh, b):
    return cell_with(tr.LSTM, Wx, W_h=Wh, b=b, hidden_size=len(Wh))


def lstm_fgio(*params):
    """The same from gates in the order f, g, i, o."""
    blocks = (np.split(value, 4, axis=-1) for value in params)
    return lstm(*(np.concatenate([i, f, o, g], axis=-1) for f, g, i, o in blocks))


def gru(Wx, Wh, b):
    return cell_with(tr.GRU, Wx, W_h=Wh, b=b, hidden_size=len(Wh))


def cho_gru(*params):
    """From blocks z, r, n where z = 1 takes the new value: 1 - sigmoid(a) = sigmoid(-a)."""
    blocks = (np.split(value, 3, axis=-1) for value in params)
    Wx, Wh, b = (np.concatenate([r, -z, n], axis=-1) for z, r, n in blocks)
    H = len(Wh)
    return cell_with(tr.ChoGRU, Wx, W_rz=Wh[:, : 2 * H], W_n=Wh[:, 2 * H :], b=b, hidden_size=H)


def assert_as_cell(cell, x, state, h, dh, dx, dstate):
    """States and gradients of a sequence are what the cell has, from everything time-major."""
    wanted, tape = cell.forward(x, state)
    back = cell.backward(dh, tape)
    assert_same({"h": h, "dx": dx}, {"h": wanted, "dx": back.inputs}, EXACT)
    assert_same(numbered("dstate", dstate), numbered("dstate", back.state[: len(dstate)]), EXACT)


def time_first(*arrays):
    return [a.swapaxes(0, 1) for a in arrays]


@pytest.mark.parametrize("kind, cell", {"rnn": elman, "lstm": lstm, "gru": gru}.items())
def test_homework_sequence_equals_this_packages_cell(kind, cell):
    inputs = HOMEWORK[kind][2]
    (h,), (dh,), grads = call_functions(*HOMEWORK[kind])
    x, h, dh, dx = time_first(inputs["x"], h, dh, grads["x"])
    state = (inputs["h0"], np.zeros_like(inputs["h0"]))[: 1 + (kind == "lstm")]
    assert_as_cell(cell(inputs["Wx"], inputs["Wh"], inputs["b"]), x, state, h, dh, dx, [grads["h0"]])


@pytest.mark.parametrize("kind, cell", {"RNN": elman, "LSTM": lstm_fgio, "GRU": cho_gru}.items())
def test_time_layer_equals_this_packages_cell(kind, cell):
    forward, _, inputs = LAYERS[f"Time{kind}, stateful"]
    layer = forward.__self__
    (h,), (dh,), grads = call_layer(layer, inputs)
    x, h, dh, dx = time_first(inputs["xs"], h, dh, grads["xs"])
    states = ("h", "c") if kind == "LSTM" else ("h",)
    state = tuple(getattr(layer, name) for name in states)
    assert_as_cell(cell(*layer.params), x, state, h, dh, dx, [grads[name] for name in states])


@pytest.mark.parametrize(
    "kind, cell, gates, states",
    [
        ("rnn", elman, None, ("hprev",)),
        ("lstm", lstm, "ifog", ("hprev", "cprev")),
        ("gru", cho_gru, "urc", ("h0",)),
    ],
)
def test_big_loop_equals_this_packages_cell_with_an_output_layer(kind, cell, gates, states):
    inputs = INPLACE[kind][2]
    (y,), (dy,), grads = call_functions(*INPLACE[kind])
    if gates is None:
        Wx, Wh, b, Wy = inputs["Wxh"].T, inputs["Whh"].T, inputs["bh"][:, 0], inputs["Why"].T
    else:  # one matrix per gate, for columns [h; x]
        W, b = np.vstack([inputs[f"W{k}"] for k in gates]).T, np.vstack([inputs[f"b{k}"] for k in gates])[:, 0]
        Wh, Wx, Wy = *np.split(W, [len(inputs[states[0]])]), inputs["Wy"].T
    name, axis = ("x", 0) if kind == "gru" else ("xs", 1)  # where a sequence has its features
    x, y, dy, dx = (np.moveaxis(np.asarray(a), axis, -1) for a in (inputs[name], y, dy, grads[name]))

    network, state = cell(Wx, Wh, b), tuple(inputs[s].T for s in states)
    h = network.forward(x, state)[0]
    assert_same({"y": y}, {"y": h @ Wy + inputs["by"][:, 0]}, EXACT)
    assert_as_cell(network, x, state, h, dy @ Wy.T, dx, [grads[s].T for s in states])
