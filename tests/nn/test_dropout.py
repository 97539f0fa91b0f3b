"""Dropout: masks that stay for a sequence, what they are drawn from, and gradients with the masks held fixed."""

import copy
from itertools import pairwise

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.core.backend import to_numpy
from tinyrnn.core.dropout import drop, drop_backward
from tinyrnn.nn.dropout import Dropout

T, B, D, H, OUT, WORDS = 5, 4, 3, 4, 3, 7
ALL = {"input": 0.3, "layers": 0.4, "output": 0.5, "weight": 0.3}
MASK = np.arange(T)[:, None] < [5, 3, 1, 4]


def build(dropout=None, *, embedded=False, at="every", layers=None, tied=False, **options):
    """Two layers, the lower one in both directions, with no parameter zero."""
    rng = np.random.default_rng(3)
    size = 6 if embedded or tied else D
    layers = layers or tr.Stack(
        tr.Bidirectional(tr.LSTM(size, H, rng=0, **options), tr.Elman(size, H, rng=1, **options)),
        tr.GRU(2 * H, 6, rng=2, **options),
    )
    readout = tr.TiedReadout(6, WORDS) if tied else tr.Readout(layers.output_size, OUT, rng=3)
    embedding = tr.Embedding(WORDS, 6, rng=4) if embedded or tied else None
    model = tr.Model(layers, readout, at=at, embedding=embedding, dropout=dropout)
    for value in model.params.values():
        value += rng.normal(0, 0.3, value.shape)
    return model


def batch(model, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(T, B, D)) if model.embedding is None else rng.integers(0, WORDS, (T, B))
    return x, rng.integers(0, model.readout.output_size, (T, B) if model.at == "every" else (B,))


def leaves(network):
    if not hasattr(network, "parts"):
        return [network]
    return [leaf for part in network.parts.values() for leaf in leaves(part)]


def by_complex_step(model, x, target, mask, masks):
    model = copy.deepcopy(model)
    for part in leaves(model):
        part.params.update({name: value.astype(complex) for name, value in part.params.items()})
    result = {}
    for name, array in model.params.items():
        result[name] = np.empty(array.shape)
        for i in np.ndindex(array.shape):
            array.imag[i] = 1e-30
            y, _ = model.forward(x, None, mask, masks)
            result[name][i] = model.loss(y, target, mask if model.at == "every" else None)[0].imag / 1e-30
            array.imag[i] = 0
    return result


def assert_close(found, wanted, tolerance=1e-11):
    assert found.keys() == wanted.keys()
    for name, d in wanted.items():
        np.testing.assert_allclose(found[name], d, rtol=0, atol=tolerance * abs(d).max() + 1e-15, err_msg=name)


# gradients with the masks held fixed ----------------------------------------------------------------------------------


@pytest.mark.sample(12)
@pytest.mark.few(1)
@pytest.mark.parametrize(
    "kind, at",
    [
        pytest.param(kind, at, marks=[pytest.mark.slow] * (at == "last" and kind != "all"))
        for kind in [*ALL, "all", "all, embedded", "embedding", "all, tied"]
        for at in ("every", "last")
    ],
)
@pytest.mark.parametrize(
    "masked", [pytest.param(False, marks=pytest.mark.slow, id="full"), pytest.param(True, id="masked")]
)
def test_gradients_are_those_of_the_network_with_these_masks(kind, at, masked):
    amounts = {"embedding": {"embedding": 0.4}, "all": ALL}.get(kind) or (
        {kind: ALL[kind]} if kind in ALL else {**ALL, "embedding": 0.4}
    )
    model = build(amounts, embedded="embed" in kind, at=at, tied="tied" in kind)
    x, target = batch(model)
    mask = MASK if masked else None
    masks = Dropout(**amounts).draw(model, 8, B)
    assert masks and all((keep == 0).any() and (keep != 0).any() for keep in masks.values())
    found = model.gradients(x, target, mask, rng=8)
    assert_close(found.params, by_complex_step(model, x, target, mask, masks))
    assert list(found.params) == list(model.params)
    plain = model.gradients(x, target, mask)
    assert found.loss != plain.loss


def test_gradients_agree_with_central_differences():
    model = build({**ALL, "embedding": 0.4}, embedded=True)
    x, target = batch(model)
    found = model.gradients(x, target, MASK, rng=1)
    for name, array in model.params.items():
        for i in list(np.ndindex(array.shape))[:: max(1, array.size // 6)]:
            losses = []
            before = array[i]
            for step in 1e-6, -1e-6:
                array[i] = before + step
                losses.append(model.gradients(x, target, MASK, rng=1).loss)
            array[i] = before
            assert found.params[name][i] == pytest.approx((losses[0] - losses[1]) / 2e-6, abs=1e-8), name


def test_gradients_of_the_inputs_pass_the_mask_too():
    model = build({"input": 0.5})
    x, target = batch(model)
    keep = Dropout(input=0.5).draw(model, 2, B)["input"]
    dx = model.gradients(x, target, rng=2).layers.inputs
    wanted = build().gradients(x * keep, target).layers.inputs * keep
    np.testing.assert_allclose(dx, wanted, rtol=1e-12, atol=1e-16)
    assert not dx[:, keep == 0].any()


def test_the_pair_itself():
    rng = np.random.default_rng(0)
    x, keep, dy = rng.normal(size=(T, B, D)), rng.random((B, D)), rng.normal(size=(T, B, D))
    np.testing.assert_array_equal(drop(x, keep), x * keep[None])
    np.testing.assert_array_equal(drop_backward(dy, keep), dy * keep[None])


def test_weight_drop_is_pytorchs_with_the_same_matrix():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    cell = tr.Elman(D, H, rng=0)
    rng = np.random.default_rng(1)
    x, dh, keep = rng.normal(size=(T, B, D)), rng.normal(size=(T, B, H)), 2.0 * (rng.random((H, H)) < 0.5)
    h, tape = cell.forward(x, dropout={"W_h": keep})
    back = cell.backward(dh, tape)
    W = {name: torch.tensor(value, requires_grad=True) for name, value in cell.params.items()}
    state = torch.zeros(B, H, dtype=torch.float64)
    loss = 0
    for t in range(T):
        state = (torch.tensor(x[t]) @ W["W_x"] + state @ (W["W_h"] * torch.tensor(keep)) + W["b"]).tanh()
        np.testing.assert_allclose(h[t], state.detach().numpy(), rtol=1e-12)
        loss = loss + (state * torch.tensor(dh[t])).sum()
    loss.backward()
    assert_close(back.params, {name: leaf.grad.numpy() for name, leaf in W.items()})
    assert not back.params["W_h"][keep == 0].any()


# what is drawn --------------------------------------------------------------------------------------------------------


def test_masks_hold_zero_or_one_over_what_stays_as_often_as_they_should():
    p, n = 0.3, 400
    model = tr.Model(tr.Elman(n, n, rng=0), tr.Readout(n, 2, rng=0), dropout={"input": p, "output": p, "weight": p})
    masks = model.dropout.draw(model, 0, n)
    assert set(masks) == {"input", "output", "layers.W_h"}
    for keep in masks.values():
        assert set(np.unique(keep)) == {0.0, 1 / (1 - p)}
        assert abs(keep.mean() - 1) < 5 * (p / (1 - p) / keep.size) ** 0.5
    flat = np.stack([keep.ravel() for keep in masks.values()])
    assert abs(np.corrcoef(flat) - np.eye(3)).max() < 5 / n


@pytest.mark.parametrize("kind", ["input", "output", "layers", "embedding", "weight"])
def test_a_mask_is_one_for_all_time_steps(kind):
    """A long constant input: where the mask was drawn anew at each step, no two outputs would be alike."""
    embedded = kind == "embedding"
    body = tr.Stack(tr.LinearRNN(6 if embedded else D, H, rng=0), tr.LinearRNN(H, H, rng=1))
    for cell in body.layers:
        cell.params["V"][...] = 0
    model = tr.Model(
        body,
        tr.Readout(H, OUT, rng=2),
        embedding=tr.Embedding(WORDS, 6, rng=3) if embedded else None,
        dropout={kind: 0.5},
    )
    x = np.tile(np.arange(B) % WORDS, (T, 1)) if embedded else np.tile(np.arange(B * D).reshape(B, D) + 1.0, (T, 1, 1))
    masks = model.dropout.draw(model, 5, B)
    y, _ = model.forward(x, dropout=masks)
    np.testing.assert_array_equal(y, np.broadcast_to(y[0], y.shape))
    if kind != "weight":  # V is zero here, whatever is dropped of it
        assert abs(y - model.forward(x)[0]).max() > 1e-3


def test_an_embedding_drops_whole_words_wherever_they_stand():
    model = build({"embedding": 0.5}, embedded=True)
    x, _ = batch(model)
    keep = model.dropout.draw(model, 3, B)["embedding"]
    assert keep.shape == (WORDS,)
    scaled = build(embedded=True)
    scaled.embedding.params["W"] *= keep[:, None]
    np.testing.assert_allclose(model.forward(x, dropout={"embedding": keep})[0], scaled.forward(x)[0], rtol=1e-13)


@given(cuts=st.lists(st.integers(0, 9), min_size=1, max_size=3), seed=st.integers(0, 99))
def test_parts_of_a_batch_get_the_masks_of_the_whole(cuts, seed):
    model = build({**ALL, "embedding": 0.2}, embedded=True)
    whole = model.dropout.draw(model, seed, 9)
    bounds = [0, *sorted(cuts), 9]
    for a, b in pairwise(bounds):
        part = model.dropout.draw(model, seed, 9, slice(a, b))
        for name, keep in whole.items():
            of_sequences = name in ("input", "output", "layers.1")
            np.testing.assert_array_equal(part[name], keep[a:b] if of_sequences else keep, err_msg=name)


def test_a_shared_batch_has_the_gradient_of_the_whole():
    model = build(ALL)
    x, target = batch(model)
    whole = model.gradients(x, target, rng=4)
    parts = [
        model.gradients(x[:, rows], target[:, rows], rng=4, share=(rows, B)) for rows in (slice(0, 1), slice(1, B))
    ]
    for name, d in whole.params.items():
        mean = parts[0].params[name] * (1 / B) + parts[1].params[name] * ((B - 1) / B)
        np.testing.assert_allclose(mean, d, rtol=1e-11, atol=1e-14, err_msg=name)


# when it is on --------------------------------------------------------------------------------------------------------


def test_without_a_generator_nothing_is_dropped():
    dropping, plain = build(ALL), build()
    x, target = batch(plain)
    found, wanted = dropping.gradients(x, target), plain.gradients(x, target)
    assert found.loss == wanted.loss
    for name, d in wanted.params.items():
        assert found.params[name].tobytes() == d.tobytes()
    assert dropping.forward(x)[0].tobytes() == plain.forward(x)[0].tobytes()
    none = build().gradients(x, target, rng=0)
    assert none.loss == wanted.loss


def test_the_same_generator_drops_the_same_and_another_something_else():
    model = build(ALL)
    x, target = batch(model)
    losses = [model.gradients(x, target, rng=seed).loss for seed in (1, 1, 2)]
    assert losses[0] == losses[1] != losses[2]
    rng = np.random.default_rng(1)
    assert model.gradients(x, target, rng=rng).loss == losses[0] != model.gradients(x, target, rng=rng).loss


@pytest.mark.few(1)
@pytest.mark.parametrize("at", ["every", "last"])
@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize("checkpoint", [None, 2])
def test_compiled_or_in_windows_it_is_the_same(at, compiled, checkpoint):
    layers = tr.Stack(tr.LSTM(6, H, rng=0), tr.LMN(H, 5, rng=1))
    model = build({**ALL, "embedding": 0.3}, embedded=True, at=at, layers=layers).interpret()
    x, target = batch(model)
    wanted = model.gradients(x, target, MASK, rng=6)
    model = model.compile(threads=1) if compiled else model
    found = model.gradients(x, target, MASK, rng=6, checkpoint=checkpoint)
    assert found.loss == pytest.approx(wanted.loss, rel=1e-12)
    assert_close(found.params, wanted.params, 1e-10)


def test_it_works_where_the_arrays_live_and_in_their_precision():
    amounts = {**ALL, "embedding": 0.3}
    here, there = build(amounts, tied=True), build(amounts, tied=True).to(array_api_strict)
    x, target = batch(here)
    wanted = here.gradients(x, target, rng=0)
    found = there.gradients(array_api_strict.asarray(x), array_api_strict.asarray(target), rng=0)
    assert_close({name: to_numpy(d) for name, d in found.params.items()}, wanted.params)
    single = tr.Model(
        tr.LSTM(D, H, rng=0, dtype="float32"), tr.Readout(H, OUT, rng=0, dtype="float32"), dropout={"weight": 0.5}
    )
    x, target = batch(single)
    result = single.gradients(x, target, rng=0)
    assert {d.dtype for d in result.params.values()} == {np.dtype("float32")}


def test_nothing_given_is_modified():
    model = build({**ALL, "embedding": 0.3}, tied=True)
    x, target = batch(model)
    given_arrays = [x, target, *model.params.values()]
    before = [a.tobytes() for a in given_arrays]
    model.gradients(x, target, MASK, rng=0)
    assert [a.tobytes() for a in given_arrays] == before


# what cannot be -------------------------------------------------------------------------------------------------------

REFUSED = {
    "probability 1": (lambda: Dropout(layers=1.0), r"dropout: layers must be in [0, 1), got 1.0"),
    "negative": (lambda: Dropout(weight=-0.1), r"dropout: weight must be in [0, 1), got -0.1"),
    "no embedding": (
        lambda: build({"embedding": 0.1}),
        "dropout: there is no embedding whose words could be dropped",
    ),
    "one layer": (
        lambda: build({"layers": 0.1}, layers=tr.LSTM(D, H, rng=0)),
        "dropout: there are no features between layers, for there is one layer",
    ),
    "no recurrent matrix": (
        lambda: build({"weight": 0.1}, layers=tr.UnitaryRNN(D, H, rng=0)),
        "dropout: no cell names a recurrent matrix (`recurrent`) whose entries could be dropped",
    ),
    "features of classes": (
        lambda: build({"input": 0.1}).gradients(np.zeros((T, B), int), np.zeros((T, B), int), rng=0),
        "Model: x holds class numbers, of whose features none can be dropped: give it an embedding",
    ),
    "inverse": (
        lambda: build({"output": 0.1}, layers=tr.LinearRNN(D, H, rng=0)).gradients(
            np.zeros((T, B, D)), np.zeros((T, B), int), rng=0, checkpoint="inverse"
        ),
        "Model: no dropout where states are recomputed by the inverse; give a memory budget instead",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_in_one_line(case):
    wrong, message = REFUSED[case]
    with pytest.raises(ValueError) as error:
        wrong()
    assert str(error.value) == message
