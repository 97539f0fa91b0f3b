"""Initialisers by name: that the cell as built behaves as its source says, and that nothing else is touched."""

import json
import math

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.init import distributions
from tinyrnn.init.by_name import INITIALISERS, PLACES, initialise

EVERY = list(tr.CELLS)


def built(name, d=3, n=8, dtype="float64"):
    cls, options = tr.CELLS[name]
    cell = cls(d, n, rng=0, dtype=dtype, **options)
    for value in cell.params.values():
        value += 7  # far from where anything starts
    return cell


def fits(cell, name):
    return type(cell).__name__ in (INITIALISERS[name][1] or PLACES)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", INITIALISERS)
def test_each_initialiser_starts_the_cells_it_is_for_in_place_and_refuses_the_others_in_one_line(name, dtype):
    used = 0
    for cell_name in EVERY:
        cell = built(cell_name, dtype=dtype)
        arrays = dict(cell.params)
        before = {key: value.copy() for key, value in arrays.items()}
        if not fits(cell, name):
            with pytest.raises(ValueError, match=f"'{name}' is not for {type(cell).__name__}, only for ") as caught:
                initialise(cell, name, rng=0)
            assert "\n" not in str(caught.value)
            assert all(np.array_equal(arrays[key], before[key]) for key in arrays)
            continue
        used += 1
        assert initialise(cell, name, rng=0) is cell
        assert all(cell.params[key] is arrays[key] for key in arrays)
        assert {value.dtype for value in arrays.values()} == {np.dtype(dtype)}
        assert any(not np.array_equal(arrays[key], before[key]) for key in arrays)
        again = initialise(built(cell_name, dtype=dtype), name, rng=0)
        assert all(np.array_equal(again.params[key], arrays[key]) for key in arrays)
    assert used


# the orientation ------------------------------------------------------------------------------------------------------


def fisher_memory(cell):
    """Total Fisher memory of the network as it runs: sum over k of s_k C^-1 s_k^T (Orhan & Pitkow 2020, eqs. 3-4).

    s_k: the state k steps after a unit pulse on an input of unit norm. C: covariance of the state when every unit gets
    noise of variance 1 at every step, from what each unit's own pulse has become after each number of steps.
    """
    n, T = cell.hidden_size, 130
    x = np.zeros((T, 1, 1))
    x[0] = 1 / np.linalg.norm(cell.params["W_x" if "W_x" in cell.params else "U"])
    s = cell.forward(x)[0][:, 0]
    responses = cell.forward(np.zeros((T, n, 1)), (np.eye(n),))[0]
    assert not s[n:].any() and not responses[n:].any()  # nothing comes later, so the sums are complete
    C = np.eye(n) + np.einsum("tbi,tbj->ij", responses, responses)
    return np.trace(s @ np.linalg.solve(C, s.T))


@pytest.mark.parametrize("cls", [tr.Elman, tr.LinearRNN])
def test_the_chain_of_a_cell_as_built_runs_away_from_its_source(cls):
    cell = initialise(cls(1, 100, activation="identity", rng=0), "chain", alpha=1.02)
    assert fisher_memory(cell) == pytest.approx(7.606, abs=6e-4)
    W = cell.params["W_h" if cls is tr.Elman else "V"]
    W[...] = W.T.copy()  # as a paper's matrix for columns would stand here if it were copied as it is
    assert fisher_memory(cell) == pytest.approx(0.000785, abs=6e-7)


def test_the_tanh_gate_of_a_mixed_lstm_is_the_chain():
    cell = initialise(built("lstm"), "mixed")
    blocks = dict(zip(cell.gates, np.split(cell.params.W_h, 4, axis=1), strict=True))
    np.testing.assert_array_equal(blocks.pop("g"), distributions.chain(8))
    for block in blocks.values():
        np.testing.assert_array_equal(block, distributions.ramp(8))
    np.testing.assert_array_equal(cell.params.b, built("lstm").params.b)


# what each of them is -------------------------------------------------------------------------------------------------


def test_each_gate_gets_a_block_of_its_own():
    cell = initialise(built("gru"), "orthogonal", rng=0, scale=0.5)
    blocks = np.split(cell.params.W_h, 3, axis=1)
    for Q in blocks:
        np.testing.assert_allclose(Q @ Q.T, 0.25 * np.eye(8), atol=1e-14)
    assert len({Q.tobytes() for Q in blocks}) == 3


@pytest.mark.parametrize("name", ["gaussian-orthogonal", "henaff-exp", "cayley-exp", "ortho"])
def test_orthogonal_starts_are_orthogonal(name):
    cell = initialise(built("elman", n=7), name, rng=0)
    np.testing.assert_allclose(cell.params.W_h @ cell.params.W_h.T, np.eye(7), atol=1e-13)


def test_the_exponentials_turn_pairs_of_units_by_their_angles():
    for name, skew in (("henaff-exp", distributions.henaff_skew), ("cayley-exp", distributions.cayley_skew)):
        W, S = initialise(built("elman", n=6), name, rng=4).params.W_h, skew(6, rng=4)
        for k in (0, 2, 4):
            s = S[k, k + 1]
            np.testing.assert_allclose(
                W[k : k + 2, k : k + 2], [[math.cos(s), math.sin(s)], [-math.sin(s), math.cos(s)]], atol=1e-14
            )


def test_identity_and_chains_take_their_options_and_their_input_weights():
    cell = initialise(built("elman", d=2, n=5), "identity", rng=1, scale=0.99)
    np.testing.assert_array_equal(cell.params.W_h, 0.99 * np.eye(5))
    np.testing.assert_array_equal(cell.params.W_x, distributions.gaussian_input(2, 5, rng=1))
    cell = initialise(built("elman", d=2, n=5), "feedback-chain", beta=0.07)
    np.testing.assert_array_equal(cell.params.W_h, distributions.feedback_chain(5, 0.99, 0.07))
    np.testing.assert_array_equal(cell.params.W_x, distributions.source_input(2, 5))


def test_of_a_linear_memory_network_only_the_memory_is_orthogonal():
    cell = initialise(built("lmn", n=60, d=50), "ortho", rng=0)
    p = cell.params
    np.testing.assert_allclose(p.W_mm @ p.W_mm.T, np.eye(60), atol=1e-13)
    for name in ("W_xh", "W_mh", "W_hm"):
        std = 0.9 * math.sqrt(2 / sum(p[name].shape))
        assert p[name].std() == pytest.approx(std, rel=0.06)
    assert np.concatenate([p.b_h, p.b_m]).std() == pytest.approx(1, rel=0.2)


def test_xavier_normal_has_its_gain_and_wide_biases_and_small_lstms():
    p = initialise(built("elman", d=200, n=300), "xavier-normal", rng=0).params
    assert p.W_h.std() == pytest.approx(0.9 * math.sqrt(2 / 600), rel=0.01)
    assert p.W_x.std() == pytest.approx(0.9 * math.sqrt(2 / 500), rel=0.01)
    assert p.b.std() == pytest.approx(1, rel=0.15)
    p = initialise(built("lstm", d=20, n=60), "xavier-normal", rng=0).params
    assert p.W_h.std() == pytest.approx(0.01, rel=0.03)
    np.testing.assert_array_equal(p.b, np.repeat([0.0, 1, 0, 0], 60))


def test_glorot_and_plain_reach_their_bounds_gate_by_gate():
    p = initialise(built("lstm", d=20, n=60), "glorot", rng=0).params
    assert abs(p.W_h).max() == pytest.approx(math.sqrt(6 / 120), rel=1e-2)  # not of 60 x 240
    assert abs(p.W_x).max() == pytest.approx(math.sqrt(6 / 80), rel=1e-2)
    np.testing.assert_array_equal(p.b, np.repeat([0.0, 1, 0, 0], 60))
    p = initialise(built("gru", d=20, n=64), "plain", rng=0).params
    for name in ("W_x", "W_h", "b"):
        assert 0.115 < abs(p[name]).max() <= 0.125


def test_the_unitary_network_of_the_code_has_small_biases_and_stays_unitary():
    cell = initialise(built("urnn", n=500), "unitary-code", rng=0)
    assert 0.0095 < abs(cell.params.b).max() <= 0.01
    assert abs(cell.params.theta_2).max() <= math.pi
    cell.params.b[...] = 0
    state = np.random.default_rng(0).normal(size=(2, 1000))
    h, _ = cell.forward(np.zeros((5, 2, 3)), (state,))
    np.testing.assert_allclose(np.linalg.norm(h[-1], axis=1), np.linalg.norm(state, axis=1), rtol=1e-12)


# errors and the command line ------------------------------------------------------------------------------------------


def test_unknown_names_and_options_are_refused_with_those_there_are():
    cell = built("elman")
    with pytest.raises(ValueError, match=r"unknown initialiser 'chian'; choose from identity, .*chain"):
        initialise(cell, "chian")
    with pytest.raises(ValueError, match=r"'chain' has no option 'beta'; choose from alpha"):
        initialise(cell, "chain", beta=1)
    with pytest.raises(ValueError, match=r"'glorot' has no option 'gain'; it has none"):
        initialise(cell, "glorot", gain=1)


def test_train_starts_every_layer_by_the_initialiser_named(tmp_path):
    folder = tmp_path / "run"
    cell = "--cell elman --cell-option activation=elu --layers 2 --hidden 6 --init chain --init-option alpha=1.05"
    run = ["--no-compiled", "--updates", "1", "--lr", "0", "--out", str(folder)]
    assert main(["train", "copy", "--delay", "3", *cell.split(), *run]) == 0
    model = tr.interop.load(folder / "model.safetensors")
    for name in ("layers.0.W_h", "layers.1.W_h"):
        np.testing.assert_allclose(model.params[name], distributions.chain(6, 1.05), rtol=1e-6)
    assert json.loads((folder / "result.json").read_text())["settings"]["init"] == "chain"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cell", "qrnn", "--init", "chain"], "'chain' is not for QRNN"),
        (["--init", "nothing"], "unknown initialiser 'nothing'"),
        (["--init-option", "alpha=1"], "name it with init"),
    ],
)
def test_a_wrong_initialiser_on_the_command_line_is_one_line_and_no_run(tmp_path, capsys, arguments, message):
    assert main(["train", "adding", *arguments, "--out", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and not (tmp_path / "run").exists()
