"""A network with its loss: the gradient of the whole, in every arrangement that training uses."""

import copy

import array_api_strict
import numpy as np
import pytest
from contract import assert_same, leaves

import tinyrnn as tr
from tinyrnn.core.backend import to_numpy
from tinyrnn.nn.losses import softmax_cross_entropy, squared_error

T, B, D, H, OUT = 5, 3, 2, 4, 3


def build(loss="cross_entropy", at="every", *, layers=None, pooled=False, embedded=False, **options):
    """A model with no parameter zero."""
    layers = layers or tr.LSTM(6 if embedded else D, H, rng=0, **options)
    readout = (tr.PooledReadout if pooled else tr.Readout)(layers.output_size, OUT, rng=1)
    embedding = tr.Embedding(D, 6, rng=2) if embedded else None
    model = tr.Model(layers, readout, loss=loss, at=at, embedding=embedding)
    rng = np.random.default_rng(3)
    for value in model.params.values():
        value += rng.normal(0, 0.3, value.shape)
    return model


def batch(model, seed=0):
    """x, target, mask and state of a random batch."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, D, (T, B)) if model.embedding is not None else rng.normal(size=(T, B, D))
    shape = (T, B) if model.at == "every" else (B,)
    classes = model.loss_name == "cross_entropy"
    target = rng.integers(0, OUT, shape) if classes else rng.normal(size=(*shape, OUT))
    state = tuple(rng.normal(size=(B, n)) for n in model.state_sizes)
    return x, target, np.arange(T)[:, None] < [5, 3, 1], state


def complex_step(model, x, target, mask, state):
    """Gradient of the loss with respect to every parameter."""
    model = copy.deepcopy(model)
    for part in (*leaves(model.layers), model.readout, *([model.embedding] if model.embedding else [])):
        part.params.update({name: value.astype(complex) for name, value in part.params.items()})
    result = {}
    for name, array in model.params.items():
        result[name] = np.empty(array.shape)
        for index in np.ndindex(array.shape):
            array.imag[index] = 1e-30
            y, _ = model.forward(x, state, mask)
            loss, _ = model.loss(y, target, mask if model.at == "every" else None)
            result[name][index] = loss.imag / 1e-30
            array.imag[index] = 0
    return result


@pytest.mark.few(4)
@pytest.mark.parametrize("masked", [False, True], ids=["full", "masked"])
@pytest.mark.parametrize("at", ["every", "last"])
@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pooled": True},
        {"embedded": True},
        {"layers": "bidirectional"},
        {"layers": "stacked"},
        {"learn_state": True, "clip_state": 0.5},
    ],
    ids=["plain", "pooled", "embedded", "bidirectional", "stacked", "learned state, clipped"],
)
def test_gradients_of_the_loss_are_right(loss, at, masked, options):
    layers = {
        "bidirectional": lambda: tr.Bidirectional(tr.GRU(D, 3, rng=0), tr.Elman(D, 2, rng=1)),
        "stacked": lambda: tr.Stack(tr.LSTM(D, 3, rng=0), tr.GRU(3, 2, rng=1)),
    }.get(options.get("layers"), lambda: None)()
    model = build(loss, at, **{**options, "layers": layers})
    x, target, mask, state = batch(model)
    mask = mask if masked else None
    state = None if "learn_state" in options else state
    got = model.gradients(x, target, mask, state)
    wanted = complex_step(model, x, target, mask, state)
    assert_same(got.params, wanted, 1e-10)
    assert list(got.params) == list(model.params)
    assert isinstance(got.loss, float) and got.y.shape == ((T, B, OUT) if at == "every" else (B, OUT))


def test_the_loss_is_that_of_the_readout():
    for at in ("every", "last"):
        for loss, function in (("cross_entropy", softmax_cross_entropy), ("squared_error", squared_error)):
            model = build(loss, at)
            x, target, _, state = batch(model)
            h, _ = model.layers.forward(x, state)
            y = (h if at == "every" else h[-1]) @ model.readout.params["W"] + model.readout.params["b"]
            result = model.gradients(x, target, None, state)
            np.testing.assert_allclose(result.y, y, rtol=1e-13)
            assert result.loss == pytest.approx(float(function(y, target)[0]), rel=1e-13)


def test_the_last_step_is_each_sequences_own():
    model = build(at="last")
    x, _, mask, state = batch(model)
    y, _ = model.forward(x, state, mask)
    for b, length in enumerate([5, 3, 1]):
        alone, _ = model.forward(x[:length, b : b + 1], tuple(s[b : b + 1] for s in state))
        np.testing.assert_allclose(y[b], alone[0], rtol=1e-13)


def test_masked_tokens_count_neither_in_the_loss_nor_in_the_gradient():
    model = build()
    x, target, mask, state = batch(model)
    before = model.gradients(x, target, mask, state)
    x, target = np.where(mask[..., None], x, np.nan), np.where(mask, target, 999)
    after = model.gradients(x, target, mask, state)
    assert after.loss == before.loss
    assert_same(after.params, before.params)


def test_parameters_are_named_after_the_parts():
    model = build(embedded=True)
    names = ["embedding.W", "layers.W_x", "layers.W_h", "layers.b", "readout.W", "readout.b"]
    assert list(model.params) == names
    assert model.input_size == D and model.state_sizes == (H, H)
    assert model.params["layers.W_h"] is model.layers.params["W_h"]


def test_the_final_state_can_be_handed_on():
    model = build()
    x, target, _, state = batch(model)
    whole = model.gradients(x, target, None, state)
    first = model.gradients(x[:2], target[:2], None, state)
    rest = model.gradients(x[2:], target[2:], None, first.state)
    np.testing.assert_allclose(np.concatenate([first.y, rest.y]), whole.y, rtol=1e-13)
    np.testing.assert_allclose(rest.state, whole.state, rtol=1e-13)


def test_upstream_on_the_final_state_adds_to_the_losss():
    for at in ("every", "last"):
        model = build(at=at)
        x, _, _, state = batch(model)
        y, tape = model.forward(x, state)
        rng = np.random.default_rng(5)
        dy, dstate = rng.normal(size=y.shape), tuple(rng.normal(size=(B, H)) for _ in range(2))
        both, from_y, from_state = (
            model.backward(dy * a, tape, None if b == 0 else dstate)[1] for a, b in ((1, 1), (1, 0), (0, 1))
        )
        assert_same(both, {name: from_y[name] + from_state[name] for name in both}, 1e-12)
        _, partly = model.backward(dy, tape, (dstate[0], None))
        _, wanted = model.backward(dy, tape, (dstate[0], np.zeros((B, H))))
        assert_same(partly, wanted, 1e-12)


def test_options_reach_the_layers():
    model = build()
    x, target, _, state = batch(model)
    full = model.gradients(x, target, None, state)
    assert full.layers.states is None
    assert model.gradients(x, target, None, state, record=True).layers.states["c"].shape == (T, B, H)
    averaged = model.gradients(x, target, None, state, average=True)
    np.testing.assert_allclose(averaged.params["layers.W_h"], full.params["layers.W_h"] / T, rtol=1e-12)
    np.testing.assert_array_equal(averaged.params["readout.W"], full.params["readout.W"])
    truncated = model.gradients(x, target, None, state, truncate=1)
    assert abs(truncated.params["layers.W_h"] - full.params["layers.W_h"]).max() > 1e-4


def test_nothing_given_is_modified_and_a_second_call_gives_the_same():
    model = build(embedded=True)
    x, target, mask, state = batch(model)
    given = [x, target, mask, *state, *model.params.values()]
    before = [a.tobytes() for a in given]
    first = model.gradients(x, target, mask, state)
    again = model.gradients(x, target, mask, state)
    assert [a.tobytes() for a in given] == before
    assert first.loss == again.loss
    assert_same(again.params, first.params)


@pytest.mark.parametrize("at", ["every", "last"])
def test_a_model_works_where_its_arrays_live(at):
    for options in ({"embedded": True}, {"pooled": True, "loss": "squared_error"}):
        here, there = build(at=at, **options), build(at=at, **options).to(array_api_strict)
        x, target, mask, state = batch(here)
        wanted = here.gradients(x, target, mask, state)
        x, target, mask, *state = (array_api_strict.asarray(a) for a in (x, target, mask, *state))
        got = there.gradients(x, target, mask, tuple(state))
        assert got.loss == pytest.approx(wanted.loss, rel=1e-13)
        assert_same({name: to_numpy(d) for name, d in got.params.items()}, wanted.params, 1e-12)


def test_following_the_gradient_downhill_learns_the_batch():
    model = build(embedded=True, at="last")
    x = np.array([[0, 1, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 1]])  # they differ in the first two steps
    target = np.array([0, 1, 2])
    losses = []
    for _ in range(150):
        result = model.gradients(x, target)
        losses.append(result.loss)
        for name, d in result.params.items():
            model.params[name][...] -= 0.5 * d
    assert losses[0] > 0.5 and losses[-1] < 0.01


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda: tr.Model(tr.GRU(2, 4, rng=0), tr.Readout(3, 2, rng=0)),
            "Model: layers puts out 4 features, readout takes 3",
        ),
        (
            lambda: tr.Model(tr.GRU(2, 4, rng=0), tr.Readout(4, 2, rng=0), embedding=tr.Embedding(9, 3, rng=0)),
            "Model: embedding puts out 3 features, layers takes 2",
        ),
        (
            lambda: tr.Model(tr.GRU(2, 4, rng=0), tr.Readout(4, 2, rng=0), loss="hinge"),
            "Model: unknown loss 'hinge'; choose from cross_entropy, squared_error, mixture_density, or give a "
            "tr.losses.Loss",
        ),
        (
            lambda: tr.Model(tr.GRU(2, 4, rng=0), tr.Readout(4, 2, rng=0), at="first"),
            'Model: at must be "every" or "last", got \'first\'',
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(wrong, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        wrong()
