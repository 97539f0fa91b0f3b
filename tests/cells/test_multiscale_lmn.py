"""The multi-scale Linear Memory Network: its clocks, its connections, and modules that are added without a jolt."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr


def network(modules=3, *, T=20, B=2, **options):
    rng = np.random.default_rng(3)
    cell = tr.MultiScaleLMN(2, 4, modules=modules, module_size=3, rng=rng, **options)
    for value in cell.params.values():
        value += rng.normal(0, 0.2, value.shape)
    return cell, rng.normal(size=(T, B, 2))


def changes(m):
    """Whether each module of m (T, B, modules, 3) moved at each step, (T, B, modules); before the first it is zero."""
    before = np.concatenate([np.zeros_like(m[:1]), m[:-1]])
    return (m != before).any(axis=-1)


def test_module_k_moves_every_second_to_the_k_steps_and_at_no_other():
    cell, x = network(modules=4)
    m = cell.forward(x)[0].reshape(20, 2, 4, 3)
    due = np.arange(20)[:, None] % 2 ** np.arange(4) == 0
    np.testing.assert_array_equal(changes(m), np.broadcast_to(due[:, None], (20, 2, 4)))


def test_with_one_module_it_is_the_linear_memory_network():
    cell, x = network(modules=1)
    lmn = tr.LMN(2, 4, memory_size=3)
    lmn.params.update(cell.params)
    np.testing.assert_array_equal(cell.forward(x)[0], lmn.forward(x)[0])


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 19), st.integers(0, 2**32 - 1))
def test_the_clock_goes_on_across_windows_and_stands_still_in_pauses(cut, seed):
    cell, x = network()
    mask = np.random.default_rng(seed).random((20, 2)) < 0.6
    whole, tape = cell.forward(x, mask=mask)
    first, middle = cell.forward(x[:cut], mask=mask[:cut])
    rest, end = cell.forward(x[cut:], middle.state, mask[cut:])
    np.testing.assert_array_equal(np.concatenate([first, rest]), whole)
    for b in range(2):
        live = mask[:, b]
        if live.any():
            alone, last = cell.forward(x[live, b : b + 1])
            np.testing.assert_allclose(whole[live, b : b + 1], alone, atol=1e-15)
            for got, wanted in zip(end.state, last.state, strict=True):
                np.testing.assert_allclose(got[b : b + 1], wanted, atol=1e-15)
    counted = mask.sum(axis=0)[:, None]
    np.testing.assert_array_equal(tape.state[1], -counted % 2 ** np.arange(3))


def test_a_faster_module_never_drives_a_slower_one():
    cell, _ = network()
    forbidden = np.arange(9)[:, None] // 3 < np.arange(9) // 3
    start = tr.MultiScaleLMN(2, 4, modules=3, module_size=3, rng=0).params.W_mm
    assert not start[forbidden].any()
    x = np.random.default_rng(0).normal(size=(9, 2, 2))
    h, tape = cell.forward(x)
    back = cell.backward(np.ones_like(h), tape).params["W_mm"]
    assert not back[forbidden].any() and (back[~forbidden] != 0).all()
    cell.params.W_mm[forbidden] = 100.0  # and if something is there, it counts for nothing
    np.testing.assert_array_equal(cell.forward(x)[0], h)


@pytest.mark.parametrize("options", [dict(modules=0), dict(modules=1.5), dict(module_size=0)])
def test_sizes_that_make_no_sense_are_refused(options):
    with pytest.raises(ValueError, match="must be a positive integer"):
        tr.MultiScaleLMN(2, 4, **options)


# growing --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_new_module_changes_nothing_of_what_the_network_computes(dtype):
    cell, x = network(dtype=dtype, learn_state=True)
    x = x.astype(dtype)
    model = tr.Model(cell, tr.Readout(9, 2, rng=0, dtype=dtype), loss="squared_error")
    before = {name: value.copy() for name, value in model.params.items()}
    grown = tr.grow(model, rng=1)
    assert grown.layers.modules == 4 and grown.layers.learn_state and grown.layers.dtype == dtype
    y, _ = model.forward(x)
    np.testing.assert_allclose(grown.forward(x)[0], y, rtol=0, atol=1e-6 if dtype == "float32" else 1e-14)
    for name, value in model.params.items():
        np.testing.assert_array_equal(value, before[name])
    module = grown.layers.forward(x)[0][..., 9:]
    assert module.any() and not (changes(module[:, :, None])[1:8]).any()  # it runs, every eighth step


@pytest.mark.slow
def test_the_new_module_learns_from_the_first_step_on():
    cell, x = network()
    model = tr.Model(cell, tr.Readout(9, 2, rng=0), loss="squared_error")
    target = np.random.default_rng(1).normal(size=(20, 2, 2))
    grown = tr.grow(model, rng=1)
    gradients = grown.gradients(x, target).params
    assert gradients["readout.W"][9:].any() and gradients["layers.W_mh"][9:].any()
    first, optimiser = grown.gradients(x, target).loss, tr.optimisers.Adam(1e-2)
    for _ in range(60):
        optimiser.step(grown.params, grown.gradients(x, target).params)
    assert grown.gradients(x, target).loss < 0.9 * first
    assert grown.layers.params.W_mh[9:].any() and tr.gradcheck(grown.layers, rng=0).ok


def test_the_new_module_can_start_from_given_weights_such_as_an_autoencoders():
    cell, _ = network()
    A, B = np.ones((4, 3)), 2 * np.eye(3)
    grown = tr.grow(cell, W_hm=A, W_mm=B)
    np.testing.assert_array_equal(grown.params.W_hm[:, 9:], A)
    np.testing.assert_array_equal(grown.params.W_mm[9:, 9:], B)
    with pytest.raises(ValueError, match=r"W_hm must have shape \(4, 3\), got \(3, 4\)"):
        tr.grow(cell, W_hm=A.T)


def test_only_such_networks_grow():
    with pytest.raises(TypeError, match="only to a MultiScaleLMN"):
        tr.grow(tr.LMN(2, 3))
    with pytest.raises(TypeError, match="needs a MultiScaleLMN below a Readout"):
        tr.grow(tr.Model(tr.LSTM(2, 3), tr.Readout(3, 1)))
