"""Compiled losses: readout and loss of a network are what the sources say, whatever the number of threads."""

import copy

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.compiler.losses import draft_top
from tinyrnn.nn.heads import Embedding, PooledReadout, Readout, TiedReadout
from tinyrnn.nn.losses.loss import Loss
from tinyrnn.nn.losses.softmax import CROSS_ENTROPY
from tinyrnn.nn.model import Model

T, B, WORDS = 40, 20, 11


def network(loss, at, readout, dtype):
    return Model(tr.LSTM(3, 8, rng=0, dtype=dtype), readout(8, WORDS, rng=1, dtype=dtype), loss=loss, at=at)


def batch(model, rng=0):
    rng = np.random.default_rng(rng)
    x = rng.normal(size=(T, B, 3)).astype(model.dtype)
    lead = (T, B) if model.at == "every" else (B,)
    return x, rng.integers(0, WORDS, lead) if model.loss.classes else rng.normal(size=(*lead, WORDS))


def assert_same(found, expected, tolerance):
    assert abs(found.loss - expected.loss) <= tolerance * abs(expected.loss)
    np.testing.assert_allclose(found.y, expected.y, rtol=tolerance, atol=tolerance)
    for name, value in expected.params.items():
        np.testing.assert_allclose(found.params[name], value, rtol=tolerance, atol=tolerance)


@pytest.mark.few(1)
@pytest.mark.parametrize("readout", [Readout, PooledReadout])
@pytest.mark.parametrize("at", ["every", "last"])
@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_loss_and_gradients_are_those_of_the_sources(loss, at, readout, dtype):
    model = network(loss, at, readout, dtype)
    expected = model.interpret().gradients(*batch(model))
    found = model.compile(2).gradients(*batch(model))
    assert list(model.top.kernels.values()) != [None] != []
    assert_same(found, expected, {"float32": 2e-6, "float64": 1e-14}[dtype])


def test_the_number_of_threads_changes_no_bit():
    model = network("cross_entropy", "every", Readout, "float32")
    one, three = (model.compile(threads).gradients(*batch(model)) for threads in (1, 3))
    assert one.loss == three.loss
    assert all(one.params[name].tobytes() == three.params[name].tobytes() for name in one.params)


def test_tied_weights_get_the_gradients_of_both_uses():
    embedding = Embedding(WORDS, 8, rng=2, dtype="float32")
    readout = TiedReadout(8, WORDS, rng=1, dtype="float32")
    model = Model(tr.GRU(8, 8, rng=0, dtype="float32"), readout, embedding=embedding)
    x, target = np.random.default_rng(0).integers(0, WORDS, (2, T, B))
    expected = model.interpret().gradients(x, target)
    assert_same(model.compile().gradients(x, target), expected, 2e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_logits_of_any_size_will_do(dtype):
    model = network("cross_entropy", "every", Readout, dtype)
    model.readout.params["W"] *= 3000
    expected = model.interpret().gradients(*batch(model))
    found = model.compile().gradients(*batch(model))
    assert np.isfinite(found.loss)
    assert abs(found.loss - expected.loss) <= 1e-6 * expected.loss


def test_what_is_not_a_number_shows_in_the_loss():
    model = network("cross_entropy", "every", Readout, "float32").compile()
    model.readout.params["W"][0, 0] = np.nan
    with np.errstate(all="ignore"):
        assert np.isnan(model.gradients(*batch(model)).loss)


def test_targets_that_do_not_count_and_masks_are_left_to_the_source():
    model = network("cross_entropy", "every", Readout, "float64")
    x, target = batch(model)
    target[3, :5] = -100
    mask = np.random.default_rng(1).random((T, B)) < 0.7
    for options in ({}, {"mask": mask}):
        expected = model.interpret().gradients(x, target, **options)
        assert_same(model.compile().gradients(x, target, **options), expected, 1e-13)


@pytest.mark.parametrize("wrong", [WORDS, -1])
def test_a_class_that_there_is_not_is_an_error_as_before(wrong):
    model = network("cross_entropy", "every", Readout, "float32").compile()
    x, target = batch(model)
    target[2, 3] = wrong
    with pytest.raises(ValueError, match=f"target has class {wrong}"):
        model.gradients(x, target)


def branching(y, target, mask=None):
    assert mask is None
    power = 4 if np.any(abs(y) > 1e3) else 2
    error = y - target
    return np.mean(error**power), (error, power)


def branching_backward(cache, dloss=1.0):
    error, power = cache
    return dloss * power * error ** (power - 1) / error.size


def test_a_loss_of_your_own_that_looks_at_all_rows_runs_as_it_stands():
    model = network(Loss("branching", branching, branching_backward), "every", Readout, "float64")
    expected = model.interpret().gradients(*batch(model))
    found = model.compile().gradients(*batch(model))
    assert found.loss == expected.loss
    assert list(model.top.kernels.values()) == [None]


def test_outputs_that_nobody_wants_are_not_kept():
    model = network("cross_entropy", "every", Readout, "float32").compile()
    here, there = model.gradients(*batch(model)), model.gradients(*batch(model), outputs=False)
    assert there.y is None and here.y.shape == (T, B, WORDS)
    assert here.loss == there.loss
    assert "y" not in repr(there).split("params")[0]


def test_a_copy_of_a_compiled_network_computes_by_itself():
    model = network("cross_entropy", "every", Readout, "float32").compile()
    here, there = model.gradients(*batch(model)), copy.deepcopy(model).gradients(*batch(model))
    assert here.loss == there.loss


def test_nothing_of_the_batch_is_kept_of_a_softmax_and_its_target():
    draft = draft_top(Readout(8, 100, dtype="float32"), CROSS_ENTROPY, None, np.dtype("float32"), outputs=True)
    (logits,) = draft.code.work  # before the bias is added
    assert set(draft.code.arrays) == {"h", "target", logits, "y", "dh", "factor_2", "sum_loss"}
