"""Backpropagation window by window: the gradients are those of the plain pass, for every network and every option."""

import weakref
from unittest import mock

import numpy as np
import pytest
import strict_xp
from contract import Case

import tinyrnn as tr
from tinyrnn.cells import CELLS
from tinyrnn.nn.recompute.windows import backpropagate, reverse_by_kept_states

BOUND = 1e-12  # float64, relative to the largest entry: sums over time in another order, nothing else


def assert_close(got, wanted, bound=BOUND):
    """Every array of two dicts: the largest difference, relative to the largest entry of what is wanted."""
    assert got.keys() == wanted.keys()
    for name, value in wanted.items():
        assert got[name].shape == value.shape and got[name].dtype == value.dtype, name
        assert abs(got[name] - value).max() <= bound * abs(value).max(), name


def arrays(gradients):
    """All of a `Gradients` in one dict."""
    inputs = {} if gradients.inputs is None else {"x": gradients.inputs}
    return gradients.params | inputs | {f"state {k}": d for k, d in enumerate(gradients.state)}


def both(network, probe, checkpoint, **options):
    """Gradients of the plain pass and in windows, and the final states, each in a dict."""
    _, tape = network.forward(probe.x, probe.state, probe.mask)
    plain = arrays(network.backward(probe.dh, tape, probe.dstate, **options))
    plain |= {f"final {k}": s for k, s in enumerate(tape.state)}
    given = {"state": probe.state, "mask": probe.mask, **options}
    out = backpropagate(network, probe.x, probe.dh, probe.dstate, checkpoint=checkpoint, **given)
    return plain, arrays(out.gradients) | {f"final {k}": s for k, s in enumerate(out.state)}


class Counted:
    """Stands for `Windows`, with states that can be counted: at most k are kept, besides the one at hand."""

    class State:
        pass

    nothing_left = False

    def __init__(self, k):
        self.alive, self.k = weakref.WeakSet(), k

    def advance(self, i, j, state):
        if i < j:
            state = self.State()
            self.alive.add(state)
        assert len(self.alive) <= self.k + 1
        return state

    def reverse(self, j, state):
        assert len(self.alive) <= self.k + 1


@pytest.mark.parametrize(("n", "k"), [(1, 1), (9, 1), (9, 3), (50, 2), (50, 7), (30, 30)])
def test_states_that_are_not_needed_any_more_are_let_go(n, k):
    windows = Counted(k)
    reverse_by_kept_states(windows, Counted.State(), n, k)
    assert not windows.alive


# gradients ------------------------------------------------------------------------------------------------------------


@pytest.mark.sample(60)
@pytest.mark.parametrize("masked", [False, True], ids=["full", "masked"])
@pytest.mark.parametrize("build", ["alone", "stacked"])
@pytest.mark.parametrize("cell", CELLS)
def test_gradients_are_those_of_the_plain_pass_for_every_cell(cell, build, masked):
    case = Case(cell, build, T=23, B=3, masked=masked)
    network = case.network()
    plain, windowed = both(network, case.probe(network), (4, 3))
    assert_close(windowed, plain)


@pytest.mark.sample(16)
@pytest.mark.few(8)
@pytest.mark.parametrize("checkpoint", [1, 7, 40, 1000, (1, 1), (3, 2), "40 kB", "1 GiB"])
@pytest.mark.parametrize("truncate", [None, 1, 5, 7, 1000])
@pytest.mark.parametrize("average", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_windows_leave_truncation_and_averaging_as_they_are(checkpoint, truncate, average):
    case = Case("gru", "stacked", T=40, masked=True)
    network = case.network()
    plain, windowed = both(network, case.probe(network), checkpoint, truncate=truncate, average=average)
    assert_close(windowed, plain)


@pytest.mark.parametrize("options", [{"learn_state": True}, {"clip_state": 0.5}])
def test_learned_states_and_activation_clipping(options):
    case = Case("lstm", T=23)
    network = case.network(**options)
    probe = case.probe(network)
    probe = probe._replace(state=None if "learn_state" in options else probe.state)
    plain, windowed = both(network, probe, (4, 3))
    assert_close(windowed, plain)


def test_class_numbers_as_input():
    case = Case("lstm", T=23)
    network = case.network()
    probe = case.probe(network)._replace(x=np.random.default_rng(0).integers(0, 2, (23, 3)))
    plain, windowed = both(network, probe, (4, 3))
    assert "x" not in plain
    assert_close(windowed, plain)


def test_only_final_state_or_only_outputs_and_outputs_by_function():
    case = Case("lstm", T=23)
    network = case.network()
    probe = case.probe(network)
    for part in (probe._replace(dh=None), probe._replace(dstate=None)):
        assert_close(*reversed(both(network, part, (4, 3))))
    wanted = backpropagate(network, probe.x, probe.dh, checkpoint=4).gradients
    got = backpropagate(network, probe.x, lambda start, stop, h: probe.dh[start:stop], checkpoint=4).gradients
    assert_close(arrays(got), arrays(wanted), 0)


def test_windows_stop_where_the_gradient_has_vanished_and_nothing_comes_from_above():
    case = Case("elman", T=800, B=2)
    cell = case.network()
    cell.params["W_h"] *= 1e-3
    probe = case.probe(cell)._replace(dh=None)
    steps = []
    out = backpropagate(cell, probe.x, None, probe.dstate, checkpoint=50, progress=steps.append)
    _, tape = cell.forward(probe.x)
    assert_close(arrays(out.gradients), arrays(cell.backward(None, tape, probe.dstate)))
    assert sum(steps) < 400
    steps.clear()
    backpropagate(cell, probe.x, lambda start, stop, h: None, probe.dstate, checkpoint=50, progress=steps.append)
    assert steps == [50] * 16  # a function may have something to say at any step


# models ---------------------------------------------------------------------------------------------------------------


@pytest.mark.few(12)
@pytest.mark.parametrize("masked", [False, True], ids=["full", "masked"])
@pytest.mark.parametrize("at", ["every", "last"])
@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
@pytest.mark.parametrize("kind", ["cell", "stack", "embedded", "pooled"])
@pytest.mark.parametrize("options", [{}, {"average": True, "truncate": 5}], ids=["", "averaged, truncated"])
def test_a_models_loss_and_gradients_are_those_of_the_plain_pass(kind, loss, at, masked, options):
    rng = np.random.default_rng(0)
    layers = tr.LSTM(3, 4, rng=0, learn_state=True)
    if kind == "stack":
        layers = tr.Stack(layers, tr.GRU(4, 6, rng=1))
    readout = (tr.PooledReadout if kind == "pooled" else tr.Readout)(layers.output_size, 5, rng=2)
    embedding = tr.Embedding(7, 3, rng=3) if kind == "embedded" else None
    model = tr.Model(layers, readout, loss=loss, at=at, embedding=embedding)
    x = rng.integers(0, 7, (23, 3)) if embedding is not None else rng.normal(size=(23, 3, 3))
    shape = (23, 3) if at == "every" else (3,)
    target = rng.integers(0, 5, shape) if loss == "cross_entropy" else rng.normal(size=(*shape, 5))
    mask = np.arange(23)[:, None] < [14, 9, 13] if masked else None  # whole windows at the end count nothing
    plain = model.gradients(x, target, mask, **options)
    for checkpoint in ((4, 3), 6):
        out = model.gradients(x, target, mask, checkpoint=checkpoint, **options)
        assert abs(out.loss - plain.loss) <= 1e-14 * plain.loss
        assert list(out.params) == list(plain.params)
        assert_close(out.params, plain.params)
        assert_close(dict(enumerate(out.state)), dict(enumerate(plain.state)))
        assert_close(dict(enumerate(out.layers.state)), dict(enumerate(plain.layers.state)))
        if at == "last":
            assert_close({"y": out.y}, {"y": plain.y})
        if embedding is None:
            assert_close(arrays(out.layers), arrays(plain.layers))


@pytest.mark.parametrize("checkpoint", [(4, 3), "inverse"])
def test_windows_on_arrays_that_are_not_numpys(checkpoint):
    def build():
        return tr.Model(tr.LinearRNN(2, 4, rng=0), tr.Readout(4, 3, rng=1))

    rng = np.random.default_rng(0)
    batch = rng.normal(size=(23, 3, 2)), rng.integers(0, 3, (23, 3)), rng.random((23, 3)) < 0.6
    here = build().gradients(*batch, checkpoint=checkpoint, truncate=8)
    there = build().to(strict_xp).gradients(*map(strict_xp.asarray, batch), checkpoint=checkpoint, truncate=8)
    assert there.loss == pytest.approx(here.loss, rel=1e-14)
    assert_close({name: strict_xp.asnumpy(d) for name, d in there.params.items()}, here.params)


def test_float32_stays_float32():
    model = tr.Model(tr.LSTM(2, 4, rng=0, dtype="float32"), tr.Readout(4, 3, rng=1, dtype="float32"))
    rng = np.random.default_rng(0)
    x, target = rng.normal(size=(60, 2, 2)).astype("float32"), rng.integers(0, 3, (60, 2))
    plain, out = model.gradients(x, target), model.gradients(x, target, checkpoint=(5, 3))
    assert_close(out.params, plain.params, 1e-5)


# errors ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("checkpoint", "message"),
    [
        ("1 kB", "one time step takes .* bytes, which is more than the budget of 1000"),
        ("much", 'reads "512 MiB"'),
        (0, "give a memory budget such as"),
        ((5, 0), "give a memory budget such as"),
        (True, "give a memory budget such as"),
        (2.5, "give a memory budget such as"),
        ("inverse", "LSTM has no inverse step"),
    ],
)
def test_bad_checkpoints_are_refused_in_one_line(checkpoint, message):
    cell, x = tr.LSTM(2, 20, rng=0), np.ones((8, 1, 2))
    with pytest.raises(ValueError, match=message) as caught:
        backpropagate(cell, x, np.ones((8, 1, 20)), checkpoint=checkpoint)
    assert "\n" not in str(caught.value)


def test_what_needs_the_whole_sequence_is_refused():
    both_ways = tr.Bidirectional(tr.Elman(2, 3, rng=0), tr.Elman(2, 3, rng=1))
    model = tr.Model(tr.Stack(both_ways, tr.Elman(6, 2, rng=0)), tr.Readout(2, 3, rng=2))
    with pytest.raises(ValueError, match="Bidirectional needs the whole sequence"):
        model.gradients(np.ones((8, 1, 2)), np.zeros((8, 1), int), checkpoint=4)


def test_arguments_that_do_not_fit_are_refused_before_any_work():
    cell, x = tr.Elman(2, 3, rng=0), np.ones((50, 1, 2))
    dh = np.ones((50, 1, 3))
    for message, arguments in {
        "dh must be a function or an array of shape": {"dh": dh[:40]},
        "nothing to propagate": {},
        "record=True": {"dh": dh, "record": True},
        "truncate must be at least 1": {"dh": dh, "truncate": 0},
        "mask must be booleans": {"dh": dh, "mask": np.ones((60, 1), bool)},
    }.items():
        with mock.patch.object(cell, "step_backward") as step_backward, pytest.raises(ValueError, match=message):
            backpropagate(cell, x, checkpoint=4, **arguments)
        assert not step_backward.called
    model = tr.Model(cell, tr.Readout(3, 2, rng=0))
    with pytest.raises(ValueError, match="target has 40 time steps, x has 50"):
        model.gradients(x, np.zeros((40, 1), int), checkpoint=4)
    with pytest.raises(ValueError, match="mask is False everywhere"):
        model.gradients(x, np.zeros((50, 1), int), np.zeros((50, 1), bool), checkpoint=4)
