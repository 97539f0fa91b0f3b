"""States found again by the inverse of a cell's step: how well, and what happens where they cannot be."""

import numpy as np
import pytest
from contract import Case
from test_windows import arrays, assert_close, both

import tinyrnn as tr
from tinyrnn.cells.unitary import modrelu, modrelu_inverse
from tinyrnn.nn.recompute.inverse import Inverse, drift, invert
from tinyrnn.nn.recompute.windows import backpropagate


def cells(dtype="float64"):
    trained = tr.LinearRNN(2, 16, activation="tanh", rng=0, dtype=dtype)
    trained.params["V"] += np.random.default_rng(1).normal(0, 0.003, (16, 16))  # no longer orthogonal
    biased = tr.UnitaryRNN(2, 8, rng=0, dtype=dtype)
    biased.params["b"][...] = 0.05
    linear = tr.LinearRNN(2, 16, rng=0, dtype=dtype)
    stacked = tr.Stack(tr.LinearRNN(2, 16, rng=2, dtype=dtype), tr.UnitaryRNN(16, 4, rng=0, dtype=dtype))
    return {"linear": linear, "trained": trained, "unitary": biased, "stacked": stacked}


@pytest.mark.parametrize("masked", [False, True], ids=["full", "masked"])
@pytest.mark.parametrize("name", cells())
def test_the_state_before_is_found_from_the_state_after(name, masked):
    network, rng = cells()[name], np.random.default_rng(0)
    x, mask = rng.normal(size=(30, 3, 2)), rng.random((30, 3)) < 0.6 if masked else None
    state = tuple(rng.normal(size=(3, n)) for n in network.state_sizes)
    _, tape = network.forward(x, state, mask)
    for found, wanted in zip(invert(network, x, tape.state, mask), state, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize("truncate", [None, 5])
@pytest.mark.parametrize("masked", [False, True], ids=["full", "masked"])
@pytest.mark.parametrize("name", cells())
def test_gradients_by_the_inverse_are_those_of_the_plain_pass(name, masked, truncate):
    network = cells()[name]
    probe = Case("elman", T=60, B=3, masked=masked).probe(network)
    plain, inverted = both(network, probe, Inverse(length=10), truncate=truncate)
    assert_close(inverted, plain, 1e-10)


def test_a_model_with_an_embedding_by_the_inverse():
    rng = np.random.default_rng(0)
    layers, readout = tr.UnitaryRNN(3, 8, rng=0), tr.Readout(16, 5, rng=1)
    model = tr.Model(layers, readout, embedding=tr.Embedding(7, 3, rng=2))
    x, target = rng.integers(0, 7, (60, 3)), rng.integers(0, 5, (60, 3))
    plain = model.gradients(x, target)
    out = model.gradients(x, target, checkpoint=Inverse(length=10))
    assert abs(out.loss - plain.loss) < 1e-12
    assert_close(out.params, plain.params, 1e-10)


@pytest.mark.parametrize("name", ["linear", "unitary"])
def test_drift_stays_small_where_the_transition_is_unitary(name):
    cell = {
        "linear": lambda: tr.LinearRNN(2, 32, rng=0),
        "unitary": lambda: tr.UnitaryRNN(2, 16, rng=0),
    }[name]()
    x = np.random.default_rng(1).normal(size=(1000, 2, 2))
    found = drift(cell, x)
    assert found.shape == (999,)
    assert found[-10:].max() < 1e-13 and 0 < found.max() < 1e-10


def test_modrelu_is_undone_wherever_it_lets_something_through():
    rng = np.random.default_rng(0)
    z, b = rng.normal(size=(500, 12)), rng.normal(-0.3, 0.5, 6)
    h, _, gain = modrelu(z, b)
    alive = np.concatenate([gain, gain], axis=-1) > 0
    assert 0.05 < 1 - alive.mean() < 0.5
    np.testing.assert_allclose(modrelu_inverse(h, b)[alive], z[alive], rtol=1e-9)
    assert not modrelu_inverse(h, np.minimum(b, 0))[~alive].any()


def dead_units():
    """A unitary RNN some of whose units are set to zero now and then: that cannot be undone."""
    cell = tr.UnitaryRNN(2, 8, rng=0)
    cell.params["b"][...] = -0.1
    return cell


def shrinking():
    """A linear RNN that forgets: its inverse blows up every error."""
    cell = tr.LinearRNN(2, 16, rng=0)
    cell.params["V"] *= 0.7
    return cell


@pytest.mark.parametrize("make", [dead_units, shrinking])
@pytest.mark.parametrize("states", [1, 3])
def test_where_the_inverse_drifts_kept_states_take_over_with_a_warning(make, states):
    network = make()
    probe = Case("elman", T=150, B=3).probe(network)
    with pytest.warns(RuntimeWarning, match=r"the inverse has drifted by .* at step \d+"):
        plain, found = both(network, probe, Inverse(length=10, states=states))
    assert_close(found, plain, 1e-6)


def test_a_singular_matrix_is_reported_in_one_line():
    cell = tr.LinearRNN(2, 4, rng=0)
    cell.params["V"][...] = 0
    x, dh = np.ones((20, 1, 2)), np.ones((20, 1, 4))
    with pytest.raises(ValueError, match="V is singular"):
        backpropagate(cell, x, dh, checkpoint=Inverse(length=5))


def test_activation_clipping_has_no_inverse():
    cell = tr.LinearRNN(2, 4, rng=0, clip_state=1.0)
    with pytest.raises(ValueError, match="activation clipping has no inverse"):
        backpropagate(cell, np.ones((20, 1, 2)), np.ones((20, 1, 4)), checkpoint="inverse")


def test_the_tolerance_decides_when_kept_states_take_over():
    cell = tr.UnitaryRNN(2, 8, rng=0, dtype="float32")
    rng = np.random.default_rng(0)
    x, dh = rng.normal(size=(300, 2, 2)).astype("float32"), rng.normal(size=(300, 2, 16)).astype("float32")
    _, tape = cell.forward(x)
    plain = arrays(cell.backward(dh, tape))
    found = backpropagate(cell, x, dh, checkpoint=Inverse(length=20))
    assert_close(arrays(found.gradients), plain, 1e-3)
    with pytest.warns(RuntimeWarning, match="drifted"):
        backpropagate(cell, x, dh, checkpoint=Inverse(length=20, tolerance=1e-9))
