"""The commands on Fisher memory, normality, spectra and the ordering of units: what their files say, and of whom."""

import csv
import json
import math

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.figures.order_pictures import draw_gates

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes

OWN = """
import numpy as np
import tinyrnn as tr

W = 0.9 * np.roll(np.eye(4), 1, axis=1)
U = np.array([[1.0, 0, 0, 0], [0, 0, 0, 0]])

def step(p, x, state):
    return (x @ p["U"] + state[0] @ p["W"],), (x, state[0])

def step_backward(p, cache, dstate):
    x, h_prev = cache
    (dh,) = dstate
    return dh @ p["U"].T, (dh @ p["W"].T,), {"U": x.T @ dh, "W": h_prev.T @ dh}

def mine():
    return tr.StepCell(step, step_backward, params={"U": U, "W": W}, input_size=2, state_sizes=4)
"""


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Names for the command line: a run, a saved cell, a student's own."""
    folder = tmp_path_factory.mktemp("networks")
    small = ["--cell", "gru", "--hidden", "5", "--updates", "2", "--batch", "4", "--no-compiled"]
    assert main(["train", "adding", "--steps", "9", *small, "--out", str(folder / "run")]) == 0
    tr.interop.save(folder / "saved.safetensors", tr.initialise(tr.LSTM(1, 6, rng=0), "chain"))
    (folder / "own.py").write_text(OWN)
    return [str(folder / "run"), str(folder / "saved.safetensors"), f"{folder / 'own.py'}:mine"]


def analysed(name, folder, *options):
    """(numbers, tables) of the files that the command writes."""
    assert main(["analyse", name, *map(str, options), "--out", str(folder)]) == 0
    tables = {}
    for path in folder.glob(f"{name}-*.csv"):
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        tables[path.stem.removeprefix(f"{name}-")] = {key: np.array([r[key] for r in rows]) for key in rows[0]}
    assert (folder / f"{name}.png").stat().st_size > 10_000
    return json.loads((folder / f"{name}.json").read_text()), tables


def test_fisher(tmp_path, networks, capsys):
    options = ["--units", 20, "--alpha", 1, "--lags", 30, "--networks", *networks, "irnn"]
    numbers, tables = analysed("fisher", tmp_path, *options)
    total = numbers["J_tot"]
    assert math.isclose(total["chain, α = 1"], sum(1 / k for k in range(1, 21)))
    assert math.isclose(total["chain, α = 1"], numbers["J_tot of the chain, closed form"])
    assert math.isclose(total["0.99 Q, Q orthogonal"], 1) and math.isclose(total["0.99 identity"], 1)
    assert math.isclose(total["mine at rest"], 1)  # its matrix is 0.9 times a permutation
    assert 0 < total["run at rest"] < 5 and 0 < total["saved at rest"] < 12
    J = {label: values.astype(float) for label, values in tables["j-k-"].items()}
    assert np.allclose(J["chain, α = 1"][:20], 1 / np.arange(1, 21)) and not J["chain, α = 1"][20:].any()
    assert np.allclose(J["mine at rest"], 0.19 * 0.81 ** np.arange(30))
    assert "irnn: left out: at rest" in capsys.readouterr().out


def test_total_memory(tmp_path):
    numbers, tables = analysed("total-memory", tmp_path, "--alphas", 1, 2, 1000, "--sizes", 10, 20, 60)
    assert numbers["largest relative difference of closed form and matrices"] < 1e-12
    growth = numbers["growth"]
    assert math.isclose(growth["α = 1"]["J_tot"]["20"], sum(1 / k for k in range(1, 21)))
    assert 0.96 < growth["α = 1"]["for each factor e"] < 1
    assert growth["α = 2"]["1 - alpha^-2"] == 0.75
    assert math.isclose(growth["α = 2"]["for each unit more"], 0.75, rel_tol=1e-9)
    assert growth["α = 1000"]["J_tot"]["60"] == "nan"  # 1000^120 is no number
    exact = tables["closed-form"]
    assert exact["N"][-1] == "60" and math.isclose(float(exact["alpha=1000"][-1]), 60, rel_tol=1e-6)


def test_normality(tmp_path, networks):
    numbers, tables = analysed("normality", tmp_path, "--units", 100, "--networks", *networks)
    found, trap = numbers["matrices"], numbers["feedback chain"]
    assert abs(found["chain"]["d(W)"] - 10.148872) < 5e-7 and math.isclose(found["chain"]["share"], 1)
    assert abs(found["feedback chain"]["d(W)"] - 9.452381) < 5e-7 and abs(trap["d(W)"] - 9.452381) < 5e-7
    assert trap["d(W) with numpy.linalg.eigvals"] < 8 and trap["spectral radius by numpy.linalg.eigvals"] > 0.6
    assert math.isclose(trap["spectral radius"], trap["spectral radius by tinyrnn.analysis.spectrum"])
    assert found["orthogonal"]["d(W)"] < 1e-10 and found["mine, jacobian"]["d(W)"] < 1e-10
    assert math.isclose(found["saved, W_h[f]"]["d(W)"], 1.02 * math.sqrt(5))
    assert {"run, W_h[r]", "run, W_h[z]", "run, W_h[n]"} < set(tables["matrices"]["matrix"])


def test_spectrum(tmp_path, networks):
    options = ["--units", 12, "--points", 11, "--steps", 15, "--networks", networks[0], networks[2]]
    numbers, tables = analysed("spectrum", tmp_path, *options)
    found = numbers["matrices"]
    assert math.isclose(found["orthogonal"]["largest norm"], 1, rel_tol=1e-12)
    assert math.isclose(found["mine, jacobian"]["last norm"], 0.9**15)
    chain = found["feedback chain 0.99, 0.04"]
    assert math.isclose(chain["spectral radius"], 2 * math.sqrt(0.99 * 0.04) * math.cos(math.pi / 13))
    assert chain["largest norm"] > 1 > chain["last norm"]
    plane = {key: values.astype(float) for key, values in tables["pseudospectrum-mine-jacobian"].items()}
    z, eigenvalues = plane["re"] + 1j * plane["im"], 0.9 * np.array([1, 1j, -1, -1j])
    assert len(z) == 11**2
    assert np.allclose(plane["sigma_min"], abs(z[:, None] - eigenvalues).min(axis=1), atol=1e-9)


def test_ordering(tmp_path, networks):
    options = ["--hidden", 8, "--steps", 5, "--updates", 3, "--seeds", 2, "--networks", *networks]
    numbers, tables = analysed("ordering", tmp_path, *options)
    chain = {key: values.astype(float) for key, values in tables["a-chain-shuffled"].items()}
    assert np.allclose(chain["ordered by peak"], np.where(chain["i - j"] == 1, 1.02, 0))
    assert numbers["from identity, adding T = 5"]["d(W)"]["before training"] == [0, 0]
    assert min(numbers["from orthogonal, adding T = 5"]["d(W)"]["after 3 updates"]) > 1e-4
    assert numbers["from orthogonal, adding T = 5"]["successful"] == []  # so that its profile is not drawn
    assert numbers["forward excess"]["from orthogonal, adding T = 5"] == {}
    assert not any(name.startswith("from-") for name in tables)
    assert {"run", "saved", "mine"} < set(numbers["forward excess"])
    mine = {key: values.astype(float) for key, values in tables["mine"].items()}
    assert np.allclose(mine["jacobian"], np.where(np.isin(mine["i - j"], (1, -3)), 0.9, 0))  # a ring


def test_ordering_looks_at_successful_networks_only(monkeypatch):
    from tinyrnn.figures import ordering

    cells = [tr.initialise(tr.Elman(2, 6, rng=seed), "orthogonal", seed) for seed in range(3)]
    found = ordering.Trained(cells, cells, [0.2, 0.05, None], 1 / 6)  # the last one diverged
    monkeypatch.setattr(ordering, "trained", lambda *arguments: found)
    result = ordering.run_vanilla(hidden=6, updates=1)
    found = result.numbers["from identity, adding T = 100"]
    assert found["successful"] == [1] and len(found["d(W)"]["after 1 updates"]) == 3
    assert found["d(W)"]["after 1 updates"][2] is None
    assert len(result.numbers["forward excess"]["from identity, adding T = 100"]["after 1 updates"]) == 1
    assert "1 of 3 below half the baseline" in result.lines[0]


def test_networks_that_are_trained_side_by_side_are_the_same():
    from tinyrnn.figures.ordering import QUICK, trained

    settings = {"task": "adding", "task_options": {"steps": 5}, "cell": "lstm", "hidden": 4, "init": "orthogonal"}
    settings |= QUICK | {"lr": 1e-2, "updates": 3, "compiled": False}
    alone, together = trained(settings, 2), trained(settings, 2, jobs=2)
    assert alone.losses == together.losses
    for a, b in zip(alone.after, together.after, strict=True):
        assert np.array_equal(a.params.W_h, b.params.W_h)
    assert not np.array_equal(alone.after[0].params.W_h, alone.before[0].params.W_h)


def test_connectivity(tmp_path):
    numbers, tables = analysed("connectivity", tmp_path, "--units", 20, "--alpha", 1.1, "--steps", 30, "--drawn", 4)
    norms = {label: values.astype(float) for label, values in tables["norms"].items()}
    assert np.allclose(norms["identity, λ = 1"], 1) and np.allclose(norms["orthogonal, λ = 1"], 1)
    assert np.allclose(norms["chain, α = 1.1"], [1.1**k if k < 20 else 0 for k in range(31)])
    found = numbers["networks"]["chain, α = 1.1"]
    assert found["at k"] == 19 and math.isclose(found["largest"], 1.1**19)


def test_gate_ordering(tmp_path, networks):
    options = ["--hidden", 8, "--steps", 5, "--updates", 2, "--seeds", 2, "--networks", networks[1]]
    numbers, tables = analysed("gate-ordering", tmp_path, *options)
    assert len(numbers["last losses, mixed"]) == 2
    chain = {key: values.astype(float) for key, values in tables["chain-untrained"].items()}
    mixed = {key: values.astype(float) for key, values in tables["mixed-untrained"].items()}
    first = chain["i - j"].tolist().index(1)
    for gate in "ifog":  # the pulse enters by two units at once, so that their order may be wrong
        assert chain[f"W_h[{gate}]"].argmax() == first and chain[f"W_h[{gate}]"][first] > 0.7
    assert mixed["W_h[g]"].argmax() == first
    assert mixed["W_h[i]"][-1] > 0 > mixed["W_h[i]"][0] and np.allclose(mixed["W_h[i]"], mixed["W_h[o]"])
    saved = {key: values.astype(float) for key, values in tables["saved"].items()}
    assert np.allclose(saved["W_h[o]"], np.where(saved["i - j"] == 1, 1.02, 0))


def test_gate_ordering_looks_at_each_layer_in_the_order_of_its_own_units(tmp_path):
    chains = tr.Stack(*(tr.initialise(tr.LSTM(n, 8, rng=0), "chain") for n in (1, 8)))
    for layer, place in zip(chains.layers, np.random.default_rng(0).permuted([range(8)] * 2, axis=1), strict=True):
        W = layer.params.W_h.reshape(8, 4, 8)
        layer.params.W_h[:] = W[place][:, :, place].reshape(8, 32)  # its units stand in any order
        layer.params.W_x[:] = layer.params.W_x.reshape(-1, 4, 8)[:, :, place].reshape(-1, 32)
    tr.interop.save(tmp_path / "two.safetensors", chains)
    options = ["--updates", 0, "--kinds", "plain", "--hidden", 8, "--networks", tmp_path / "two.safetensors"]
    _, tables = analysed("gate-ordering", tmp_path, *options)
    lower = {key: values.astype(float) for key, values in tables["two-layer-1"].items()}
    assert np.allclose(lower["W_h[g]"], np.where(lower["i - j"] == 1, 1.02, 0))
    assert "W_h[o]" in tables["two-layer-2"]


def test_gates_are_drawn_with_how_far_each_leans_over_the_networks():
    offsets = np.arange(-8, 9)
    forwards = {f"W_h[{gate}]": [(offsets, np.sign(offsets) * lean) for lean in (0.01, 0.03)] for gate in "ifog"}
    figure = draw_gates({"from plain": {"before": forwards, "after": forwards}})
    *profiles, leans = figure.axes
    assert len(profiles) == 4 and [text.get_text() for text in leans.get_xticklabels()] == list(forwards)
    dots = [line.get_ydata() for line in leans.lines if len(line.get_ydata()) == 2 and line.get_marker() == "."]
    assert len(dots) == 8 and all(np.allclose(each, [0.02, 0.06]) for each in dots)  # forwards less backwards


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["fisher", "--units", "1"], "units and lags must be at least 2"),
        (["fisher", "--radius", "1"], "spectral radius"),
        (["total-memory", "--alphas", "-1"], "positive numbers"),
        (["total-memory", "--sizes", "5", "5"], "at least two different numbers"),
        (["normality", "--units", "2"], "units must be at least 3"),
        (["normality", "--beta", "0"], "same sign"),
        (["spectrum", "--points", "1"], "must be at least 2, 1 and 5"),
        (["spectrum", "--networks", "lstm", "lstm-peephole"], "more than 8: name fewer"),
        (["connectivity", "--drawn", "2"], "units, drawn and steps must be at least 3, 3 and 1"),
        (["ordering", "--hidden", "2"], "must be at least 3, 2, 0, 1, 1 and 1"),
        (["ordering", "--updates", "0", "--networks", "qrnn"], "none of its recurrent matrices"),
        (["ordering", "--rates", "0.1"], "rates must be two, of identity and orthogonal, or none"),
        (["gate-ordering", "--layers", "0"], "layers must be at least 1, got 0"),
        (["gate-ordering", "--kinds", "diagonal"], "unknown initialiser 'diagonal'"),
    ],
)
def test_bad_options_are_refused_in_a_line(command, message, tmp_path, capsys):
    assert main(["analyse", *command, "--out", str(tmp_path)]) != 0
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error and not list(tmp_path.iterdir())
