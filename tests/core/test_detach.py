"""h-detach: the gradient through h blocked at some steps; against formulas, PyTorch and compiled code."""

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.core.backend import to_numpy
from tinyrnn.init.distributions import glorot_uniform

CUT = {"lstm": "W_h", "lstm-peephole": "W_h", "lstm-output-matrix": "W_h", "lmn": "W_mh"}
T, B, D, H = 6, 3, 2, 4
every_cell = pytest.mark.parametrize("name", CUT)


def make(name, seed=0, **options):
    cls, chosen = tr.CELLS[name]
    cell = cls(D, H, rng=seed, **{**chosen, **options})
    rng = np.random.default_rng(seed + 100)
    for value in cell.params.values():
        value += rng.normal(0, 0.3, value.shape)
    return cell


def probe(cell, seed=0):
    """x, state, dh and dstate of a random run."""
    rng = np.random.default_rng(seed)
    state, dstate = (tuple(rng.normal(size=(B, n)) for n in cell.state_sizes) for _ in range(2))
    return rng.normal(size=(T, B, D)), state, rng.normal(size=(T, B, cell.output_size)), dstate


def everything(back):
    states = {f"recorded {name}": d for name, d in (back.states or {}).items()}
    return {"inputs": back.inputs, **dict(enumerate(back.state)), **back.params, **states}


def assert_equal(found, wanted, tolerance=0.0):
    found, wanted = everything(found), everything(wanted)
    assert found.keys() == wanted.keys()
    for name, d in wanted.items():
        if tolerance:
            np.testing.assert_allclose(found[name], d, rtol=0, atol=tolerance * abs(d).max(), err_msg=str(name))
        else:
            assert found[name].tobytes() == d.tobytes(), name


@pytest.mark.few(1)
@every_cell
@given(steps=st.lists(st.booleans(), min_size=T, max_size=T), seed=st.integers(0, 50), masked=st.booleans())
def test_gradients_are_those_of_a_backward_pass_written_out(name, steps, seed, masked):
    """A second time, step by step and with the formulas of each cell, every sequence with a mask of its own."""
    cell = make(name, seed)
    x, state, dh, dstate = probe(cell, seed)
    mask = np.random.default_rng(seed).random((T, B)) < 0.7 if masked else None
    _, tape = cell.forward(x, state, mask)
    back = cell.backward(dh, tape, dstate, detach=np.array(steps), record=True)
    d = [np.array(part) for part in dstate]
    for t in reversed(range(T)):
        d[0] = d[0] + dh[t]
        for k, state_name in enumerate(cell.states):
            np.testing.assert_allclose(back.states[state_name][t], d[k], rtol=1e-11, atol=1e-12)
        needs = {n: tape.asked(cell, n)[t] for n in cell.step_needs}
        live = np.ones((B, 1), bool) if mask is None else mask[t][:, None]
        da, before = cell.step_backward(tape.p, *[np.where(live, part, 0) for part in d], **needs)
        reads = da if name.startswith("lstm") else da[0]
        through_h = reads @ cell.params[CUT[name]].T
        before = [before[0] - through_h * steps[t], *before[1:]]
        d = [b + np.where(live, 0, part) for b, part in zip(before, d, strict=True)]
    for found, wanted in zip(back.state, d, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)


@every_cell
def test_without_a_detached_step_it_is_full_backpropagation_to_the_bit(name):
    cell = make(name)
    x, state, dh, dstate = probe(cell)
    _, tape = cell.forward(x, state)
    assert_equal(cell.backward(dh, tape, dstate, detach=np.zeros(T, bool)), cell.backward(dh, tape, dstate))


@every_cell
def test_weight_gradients_stay_where_the_carried_one_is_cut(name):
    """One step: what h_prev gets is gone, what the weights get is not."""
    cell = make(name)
    x, state, dh, dstate = probe(cell)
    _, tape = cell.forward(x[:1], state)
    full, cut = (cell.backward(dh[:1], tape, dstate, detach=np.array([choice])) for choice in (False, True))
    for parameter, d in full.params.items():
        np.testing.assert_array_equal(cut.params[parameter], d)
    np.testing.assert_array_equal(cut.inputs, full.inputs)
    assert abs(cut.state[0] - full.state[0]).max() > 0.01
    if name.startswith("lstm"):
        assert not cut.state[0].any()
        np.testing.assert_array_equal(cut.state[1], full.state[1])


@pytest.mark.few(1)
@every_cell
@pytest.mark.parametrize("masked", [False, True], ids=["full", "masked"])
@pytest.mark.parametrize(
    "options",
    [{}, *(pytest.param(o, marks=pytest.mark.slow) for o in ({"truncate": 4}, {"average": True}, {"record": True}))],
    ids=str,
)
def test_compiled_it_is_the_same(name, masked, options):
    plain, fast = make(name).interpret(), make(name).compile(threads=1)
    x, state, dh, dstate = probe(plain)
    mask = np.random.default_rng(1).random((T, B)) < 0.7 if masked else None
    detach = np.array([1, 0, 0, 1, 1, 0], bool)
    backs = [
        cell.backward(dh, cell.forward(x, state, mask)[1], dstate, detach=detach, **options) for cell in (plain, fast)
    ]
    assert fast.runner.why_not == {}
    assert_equal(backs[1], backs[0], 1e-12)


def test_the_steps_gradients_are_pytorchs_with_h_detached():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    cell = make("lstm")
    x, state, dh, dstate = probe(cell)
    detach = np.random.default_rng(2).random(T) < 0.5
    assert 0 < detach.sum() < T
    _, tape = cell.forward(x, state)
    back = cell.backward(dh, tape, dstate, detach=detach)
    leaves = {name: torch.tensor(value, requires_grad=True) for name, value in cell.params.items()}
    inputs = torch.tensor(x, requires_grad=True)
    h_0, c_0 = (torch.tensor(s, requires_grad=True) for s in state)
    h, c, loss = h_0, c_0, 0
    for t in range(T):
        seen = h.detach() if detach[t] else h
        i, f, o, g = (inputs[t] @ leaves["W_x"] + seen @ leaves["W_h"] + leaves["b"]).chunk(4, dim=1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        loss = loss + (torch.tensor(dh[t]) * h).sum()
    loss = loss + (torch.tensor(dstate[0]) * h).sum() + (torch.tensor(dstate[1]) * c).sum()
    loss.backward()
    for name, leaf in leaves.items():
        np.testing.assert_allclose(back.params[name], leaf.grad.numpy(), rtol=1e-11, atol=1e-13, err_msg=name)
    np.testing.assert_allclose(back.inputs, inputs.grad.numpy(), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(back.state[1], c_0.grad.numpy(), rtol=1e-11, atol=1e-13)
    wanted = np.zeros((B, H)) if h_0.grad is None else h_0.grad.numpy()
    np.testing.assert_allclose(back.state[0], wanted, rtol=1e-11, atol=1e-13)


@pytest.mark.few(1)
@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
def test_an_lmn_with_orthogonal_memory_carries_the_gradient_unchanged_for_784_steps(compiled):
    """Carta, Sperduti & Bacciu 2020, section 3.3: with p = 1 it is W_mm^T again and again, which keeps its length."""
    n, steps = 64, 784
    rng = np.random.default_rng(0)
    cell = tr.LMN(1, n, rng=rng)
    cell.params["W_mh"][...] = glorot_uniform((n, n), rng=rng)
    cell = cell.compile() if compiled else cell.interpret()
    _, tape = cell.forward(rng.normal(size=(steps, 5, 1)))
    dm = rng.normal(size=(5, n))
    cut = cell.backward(None, tape, (dm,), detach=np.ones(steps, bool), record=True)
    norms = np.linalg.norm(cut.states["m"], axis=-1)
    np.testing.assert_allclose(norms / norms[-1], 1, atol=1e-11)
    full = cell.backward(None, tape, (dm,))
    assert np.linalg.norm(full.state[0]) > 100 * np.linalg.norm(dm)


@every_cell
def test_it_works_where_the_arrays_live(name):
    here, there = make(name), make(name).to(array_api_strict)
    x, state, dh, dstate = probe(here)
    detach = np.array([1, 0, 0, 1, 1, 0], bool)
    wanted = here.backward(dh, here.forward(x, state)[1], dstate, detach=detach)
    x, dh, *rest = (array_api_strict.asarray(a) for a in (x, dh, *state, *dstate))
    tape = there.forward(x, tuple(rest[: len(state)]))[1]
    found = there.backward(dh, tape, tuple(rest[len(state) :]), detach=detach)
    for parameter, d in wanted.params.items():
        np.testing.assert_allclose(to_numpy(found.params[parameter]), d, rtol=1e-12, atol=1e-14)


def test_a_step_counts_from_the_beginning_of_the_input_in_both_directions():
    model = tr.Stack(tr.Bidirectional(make("lstm", 1), make("lstm", 2)), tr.LMN(2 * H, H, rng=3))
    x, *_ = probe(make("lstm"))
    dh = np.random.default_rng(4).normal(size=(T, B, H))
    detach = np.array([1, 1, 0, 1, 0, 0], bool)
    _, tape = model.forward(x)
    back = model.backward(dh, tape, detach=detach)
    pair, top = model.layers
    upper = top.backward(dh, tape.tapes["1"], detach=detach)
    turned = upper.inputs[::-1]
    there = pair.layers[0].backward(upper.inputs[..., :H], tape.tapes["0"].tapes["forward"], detach=detach)
    back_again = pair.layers[1].backward(turned[..., H:], tape.tapes["0"].tapes["backward"], detach=detach[::-1])
    for name, d in {"1": upper, "0.forward": there, "0.backward": back_again}.items():
        for parameter, array in d.params.items():
            np.testing.assert_array_equal(back.params[f"{name}.{parameter}"], array)
    np.testing.assert_allclose(back.inputs, there.inputs + back_again.inputs[::-1], rtol=1e-13)


# in a model -----------------------------------------------------------------------------------------------------------


def model_and_batch(steps=12):
    model = tr.Model(tr.Stack(make("lstm"), tr.LMN(H, H, rng=1)), tr.Readout(H, 3, rng=2))
    rng = np.random.default_rng(3)
    return model, rng.normal(size=(steps, B, D)), rng.integers(0, 3, (steps, B))


@pytest.mark.parametrize("checkpoint", [None, 5, (3, 2)])
def test_steps_are_drawn_once_for_the_batch_and_the_same_with_a_checkpoint(checkpoint):
    model, x, target = model_and_batch()
    drawn = np.random.default_rng(9).random(len(x)) < 0.4
    wanted = model.gradients(x, target, detach=drawn)
    found = model.gradients(x, target, detach=0.4, rng=9, checkpoint=checkpoint)
    plain = model.gradients(x, target)
    assert found.loss == pytest.approx(plain.loss, rel=1e-13)
    for name, d in wanted.params.items():
        np.testing.assert_allclose(found.params[name], d, rtol=1e-10, atol=1e-13, err_msg=name)
    assert abs(plain.params["layers.0.W_h"] - wanted.params["layers.0.W_h"]).max() > 1e-6


def test_probability_zero_is_full_backpropagation_to_the_bit_and_needs_no_generator():
    model, x, target = model_and_batch()
    assert_same_params(model.gradients(x, target, detach=0.0), model.gradients(x, target))


def assert_same_params(found, wanted):
    for name, d in wanted.params.items():
        assert found.params[name].tobytes() == d.tobytes(), name


@pytest.mark.parametrize(
    ("cell", "detach", "message"),
    [
        (tr.GRU, np.ones(T, bool), "^GRU: no h-detach for this cell, which names no weights that read h"),
        (tr.LSTM, np.ones(T - 1, bool), r"^LSTM: detach must be booleans \(6,\), one a step, got bool \(5,\)"),
        (tr.LSTM, np.ones(T), "^LSTM: detach must be booleans"),
        (tr.LSTM, 1.5, r"^Model: detach must be a probability in \[0, 1\], or booleans, got 1.5"),
        (tr.LSTM, 0.5, "^Model: the steps of h-detach are drawn at random, for which"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(cell, detach, message):
    model = tr.Model(cell(D, H, rng=0), tr.Readout(H, 3, rng=1))
    with pytest.raises(ValueError, match=message) as error:
        model.gradients(np.ones((T, B, D)), np.zeros((T, B), int), detach=detach)
    assert "\n" not in str(error.value)
