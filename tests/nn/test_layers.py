"""Cells above one another and in both directions: what the contract suite does not ask of them."""

import array_api_strict
import numpy as np
import pytest
from contract import Case, assert_slopes, run

import tinyrnn as tr
from tinyrnn.core.backend import to_numpy

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 3, 2))


def tree():
    """Layers within layers, of different cells and sizes."""
    inner = tr.Stack(tr.LSTM(2, 3, rng=0), tr.GRU(3, 4, rng=1))
    both = tr.Bidirectional(inner, tr.Elman(2, 5, rng=2))
    return tr.Stack(both, tr.UnitaryRNN(9, 3, rng=3), tr.Bidirectional(tr.GRU(6, 2, rng=4), tr.LSTM(6, 3, rng=5)))


@pytest.mark.parametrize("masked", [False, True])
def test_gradients_are_right_however_layers_are_nested(masked):
    network = tree()
    assert network.input_size == 2 and network.output_size == 5
    assert network.state_sizes == (3, 3, 4, 5, 6, 2, 3, 3)
    case = Case("lstm", masked=masked)
    for value in network.params.values():
        value += RNG.normal(0, 0.3, value.shape)
    assert_slopes(case, network, case.probe(network))


def test_a_stack_feeds_each_layer_with_the_one_below():
    lower, upper = tr.LSTM(2, 3, rng=0), tr.GRU(3, 4, rng=1)
    h, tape = tr.Stack(lower, upper).forward(X)
    below, lower_tape = lower.forward(X)
    above, upper_tape = upper.forward(below)
    np.testing.assert_array_equal(h, above)
    for got, wanted in zip(tape.state, (*lower_tape.state, *upper_tape.state), strict=True):
        np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(tape["0"]["f"], lower_tape["f"])
    np.testing.assert_array_equal(tape["1.r"], upper_tape["r"])
    assert {"0.f", "0.c_prev", "1.r", "1.h"} <= set(tape.names) and len(tape) == 5


def test_both_directions_are_two_cells_of_which_one_reads_backwards():
    there, back = tr.LSTM(2, 3, rng=0), tr.GRU(2, 4, rng=1)
    h, tape = tr.Bidirectional(there, back).forward(X)
    np.testing.assert_array_equal(h[..., :3], there.forward(X)[0])
    np.testing.assert_array_equal(h[..., 3:], back.forward(X[::-1])[0][::-1])
    np.testing.assert_array_equal(tape.state[2], h[0, :, 3:])  # it has read everything when it is at step 0


def test_turning_the_sequence_round_exchanges_the_directions():
    a, b = tr.LSTM(2, 3, rng=0), tr.LSTM(2, 3, rng=1)
    h, _ = tr.Bidirectional(a, b).forward(X)
    turned, _ = tr.Bidirectional(b, a).forward(X[::-1])
    np.testing.assert_array_equal(np.concatenate([turned[::-1, :, 3:], turned[::-1, :, :3]], axis=-1), h)


def test_the_backward_direction_starts_at_each_sequences_own_end():
    network = tr.Bidirectional(tr.GRU(2, 3, rng=0), tr.GRU(2, 4, rng=1))
    mask = np.arange(5)[:, None] < [5, 2, 3]
    h, tape = network.forward(X, mask=mask)
    final = network.final(tape.state)
    for b, length in enumerate([5, 2, 3]):
        alone, alone_tape = network.forward(X[:length, b : b + 1])
        np.testing.assert_allclose(h[:length, b], alone[:, 0], rtol=1e-13)
        np.testing.assert_allclose(final[b], network.final(alone_tape.state)[0], rtol=1e-13)
        np.testing.assert_allclose(final[b], np.concatenate([alone[-1, 0, :3], alone[0, 0, 3:]]), rtol=1e-13)


@pytest.mark.parametrize(
    "network",
    [tr.LSTM(2, 3, rng=0), tr.Stack(tr.GRU(2, 4, rng=0), tr.LSTM(4, 3, rng=1)), tree()],
    ids=["cell", "stack", "tree"],
)
def test_upstream_of_the_final_output_goes_where_it_came_from(network):
    state = tuple(RNG.normal(size=(3, n)) for n in network.state_sizes)
    dfinal = RNG.normal(size=(3, network.output_size))
    dstate = network.final_backward(dfinal)
    assert len(dstate) == len(state)
    through = sum((s * d).sum() for s, d in zip(state, dstate, strict=True) if d is not None)
    assert (network.final(state) * dfinal).sum() == pytest.approx(through, rel=1e-12)


def test_final_output_of_a_stack_is_its_last_step():
    network = tr.Stack(tr.GRU(2, 4, rng=0), tr.LSTM(4, 3, rng=1))
    h, tape = network.forward(X)
    np.testing.assert_array_equal(network.final(tape.state), h[-1])


def test_parameters_carry_their_parts_names_and_share_memory():
    cell = tr.LSTM(2, 3, rng=0)
    network = tr.Stack(tr.Bidirectional(cell, tr.Elman(2, 4, rng=1)), tr.GRU(7, 2, rng=2))
    assert list(network.params)[:3] == ["0.forward.W_x", "0.forward.W_h", "0.forward.b"]
    assert list(network.params)[3:6] == ["0.backward.W_x", "0.backward.W_h", "0.backward.b"]
    assert list(network.params)[6:] == ["1.W_x", "1.W_h", "1.b", "1.b_n"]
    assert network.params["0.forward.W_h"] is cell.params["W_h"]
    before, _ = network.forward(X)
    network.params["0.forward.W_h"][...] += 1
    assert abs(network.forward(X)[0] - before).max() > 1e-3


def test_parameters_are_replaced_in_their_cells_only():
    network = tr.Stack(tr.Elman(2, 3, rng=0))
    with pytest.raises(TypeError, match="does not support item assignment"):
        network.params["0.W_h"] = np.zeros((3, 3))
    with pytest.raises(TypeError, match="does not support item assignment"):
        network.constants["0.permutation"] = 0


def test_constants_carry_their_parts_names():
    network = tree()
    assert list(network.constants) == ["1.permutation"]
    assert network.constants["1.permutation"] is network.layers[1].constants["permutation"]


def test_recorded_gradients_carry_their_parts_names():
    network = tree()
    h, tape = network.forward(X)
    assert network.backward(h, tape).states is None
    states = network.backward(h, tape, record=True).states
    assert set(states) == {
        *("0.forward.0.h", "0.forward.0.c", "0.forward.1.h", "0.backward.h", "1.h"),
        *("2.forward.h", "2.backward.h", "2.backward.c"),
    }
    assert states["0.forward.1.h"].shape == (5, 3, 4)


def test_state_may_be_any_sequence_and_is_dealt_in_order():
    network = tr.Stack(tr.LSTM(2, 3, rng=0), tr.GRU(3, 4, rng=1))
    state = [RNG.normal(size=(3, n)) for n in (3, 3, 4)]
    h, _ = network.forward(X, state)
    below, _ = network.layers[0].forward(X, state[:2])
    np.testing.assert_array_equal(h, network.layers[1].forward(below, state[2:])[0])


def test_moving_a_network_moves_all_of_it_and_back():
    network = tree()
    before = {name: value.copy() for name, value in network.params.items()}
    wanted, _ = network.forward(X)
    assert network.to(array_api_strict) is network
    assert {type(v) for v in network.params.values()} == {type(array_api_strict.asarray(0.0))}
    assert type(network.constants["1.permutation"]) is type(array_api_strict.asarray(0.0))
    h, _ = network.forward(array_api_strict.asarray(X))
    np.testing.assert_allclose(to_numpy(h), wanted, rtol=1e-12)
    network.to(np)
    assert {type(v) for v in (*network.params.values(), *network.constants.values())} == {np.ndarray}
    assert all(np.array_equal(network.params[name], value) for name, value in before.items())


def test_precision_follows_the_cells():
    network = tr.Stack(tr.LSTM(2, 3, rng=0, dtype="float32"), tr.GRU(3, 4, rng=1, dtype="float32"))
    assert network.dtype == "float32"
    case = Case("lstm")
    assert {a.dtype for a in run(network, case.probe(network)).values()} == {np.dtype("float32")}


def test_layers_print_what_they_are_made_of():
    network = tr.Stack(tr.Bidirectional(tr.GRU(2, 3, rng=0), tr.Elman(2, 4, rng=1)), tr.LSTM(7, 5, rng=2))
    assert repr(network) == (
        "Stack(0=Bidirectional(forward=GRU(2 -> 3, float64), backward=Elman(2 -> 4, float64)), 1=LSTM(7 -> 5, float64))"
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (tr.Stack, "Stack needs at least one layer"),
        (
            lambda: tr.Stack(tr.GRU(2, 3, rng=0), tr.GRU(4, 3, rng=0)),
            "Stack: layer 0 puts out 3 features, layer 1 takes 4",
        ),
        (
            lambda: tr.Stack(tr.Bidirectional(tr.GRU(2, 3, rng=0), tr.GRU(2, 3, rng=0)), tr.GRU(3, 3, rng=0)),
            "Stack: layer 0 puts out 6 features, layer 1 takes 3",
        ),
        (
            lambda: tr.Bidirectional(tr.GRU(2, 3, rng=0), tr.GRU(4, 3, rng=0)),
            "Bidirectional: input sizes differ, 2 and 4",
        ),
        (
            lambda: tree().forward(X, (np.zeros((3, 3)),) * 7),
            r"Stack: state must be a flat tuple of 8 arrays \(0.forward.0.h, 0.forward.0.c, 0.forward.1.h, "
            r"0.backward.h, 1.h, 2.forward.h, 2.backward.h, 2.backward.c\), got 7",
        ),
        (
            lambda: tr.Stack(tr.GRU(2, 3, rng=0)).forward(X, np.zeros((3, 3))),
            r"Stack: state must be a flat tuple of 1 arrays \(0.h\), got shape \(3, 3\)",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(wrong, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        wrong()


def test_the_tape_says_which_parts_there_are():
    _, tape = tr.Stack(tr.GRU(2, 3, rng=0), tr.GRU(3, 3, rng=0)).forward(X)
    with pytest.raises(KeyError, match="no part '2'; there are 0, 1"):
        tape["2.r"]
