"""The commands for Jacobians, triangles of gradients and the gradient bound: what their files say, and of whom."""

import csv
import json
import math

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main

OWN = """
import numpy as np
import tinyrnn as tr

def step(p, x, state):
    h = p["w"] * state[0] + x[:, :1]
    return (h,), (state[0],)

def step_backward(p, cache, dstate):
    (dh,) = dstate
    return np.concatenate([dh, 0 * dh], axis=1), (p["w"] * dh,), {"w": (dh * cache[0]).sum(axis=0)}

def mine():
    return tr.StepCell(step, step_backward, params={"w": np.array([0.5])}, input_size=2, state_sizes=1)
"""


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Names for the command line: a run that answers at every step, one at the last, a saved cell, a student's own."""
    folder = tmp_path_factory.mktemp("networks")
    for task, cell, *options in (("copy", "lstm", "--delay", "3", "--length", "2"), ("adding", "gru", "--steps", "9")):
        rest = ["--cell", cell, "--hidden", "5", "--updates", "2", "--batch", "4", "--no-compiled"]
        assert main(["train", task, *options, *rest, "--out", str(folder / task)]) == 0
    tr.interop.save(folder / "saved.safetensors", tr.Stack(tr.GRU(2, 4, rng=0), tr.Elman(4, 3, rng=1)))
    (folder / "own.py").write_text(OWN)
    return [
        str(folder / "copy"),
        str(folder / "adding"),
        str(folder / "saved.safetensors"),
        f"{folder / 'own.py'}:mine",
    ]


def analysed(name, folder, *options):
    """(numbers, tables) of the files that the command writes."""
    assert main(["analyse", name, *map(str, options), "--out", str(folder)]) == 0
    tables = {}
    for path in folder.glob(f"{name}-*.csv"):
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        tables[path.stem.removeprefix(f"{name}-")] = {
            key: np.array([float(r[key] or "nan") for r in rows]) for key in rows[0]
        }
    assert (folder / f"{name}.png").stat().st_size > 10_000
    return json.loads((folder / f"{name}.json").read_text()), tables


def test_jacobians_of_known_cells_have_known_norms(tmp_path):
    numbers, tables = analysed(
        "jacobians", tmp_path, "--networks", "urnn", "irnn", "elman", "--steps", 12, "--hidden-size", 6
    )
    norms = tables["norms"]
    assert norms["t"].tolist() == list(range(13))
    np.testing.assert_allclose(norms["urnn"], 1, rtol=1e-12)
    np.testing.assert_allclose([norms[name][-1] for name in ("irnn", "elman")], 1)
    assert norms["elman"][0] < 0.1
    assert numbers["norm of ds_T/ds_0"]["elman"] == pytest.approx(norms["elman"][0])
    np.testing.assert_allclose(tables["factors-urnn"]["factor"], 1, rtol=1e-12)
    assert set(tables["factors-irnn"]["factor"].tolist()) <= {0.0, 1.0}  # kept or gone


def test_jacobians_are_drawn_for_trained_saved_and_own_networks(tmp_path, networks):
    numbers, tables = analysed("jacobians", tmp_path, "--networks", *networks, networks[-1], "--steps", 6)
    norms = numbers["norm of ds_T/ds_0"]
    assert list(norms) == ["copy", "adding", "saved", "mine", "mine (2)"]
    assert norms["mine"] == pytest.approx(0.5**6) and norms["mine (2)"] == norms["mine"]
    np.testing.assert_allclose(tables["norms"]["mine"], 0.5 ** np.arange(6, -1, -1))
    assert [len(tables[f"factors-{name}"]["i"]) for name in ("copy", "adding", "saved")] == [10, 5, 7]


@pytest.mark.slow
def test_triangles_tell_short_memories_from_long_ones(tmp_path):
    options = ("--networks", "elman", "urnn", "--steps", 15, "--hidden-size", 8, "--sequences", 2, "--fraction", 0.37)
    numbers, tables = analysed("triangle", tmp_path, *options)
    assert numbers["horizon"]["elman"] < 8 and numbers["horizon"]["urnn"] == "inf"
    assert numbers["cumulative horizon (90 %)"]["urnn"] == 13  # 14 of 15 lags
    lower = tables["triangle-urnn"]
    assert len(lower["t"]) == 15 * 16 // 2 and (lower["k"] <= lower["t"]).all()
    np.testing.assert_allclose(lower["norm"], math.sqrt(2), rtol=1e-12)  # two unit vectors, kept as they are
    np.testing.assert_allclose(tables["profiles"]["urnn"], 1, rtol=1e-12)


@pytest.mark.slow
def test_triangles_are_of_the_tasks_own_loss_where_there_is_one(tmp_path, networks):
    numbers, tables = analysed("triangle", tmp_path, "--networks", *networks, "--steps", 8, "--fraction", math.exp(-1))
    assert numbers["T"] == {"copy": 7, "adding": 9, "saved": 8, "mine": 8}
    assert numbers["losses"]["copy"] == "loss of copy"
    assert numbers["losses"]["adding"].startswith("loss of adding, asked after every step")
    assert numbers["losses"]["mine"] == "random directions in place of losses"
    assert numbers["horizon"]["mine"] == pytest.approx(1 / math.log(2))
    assert (tables["triangle-copy"]["norm"] > 0).all()
    last = tables["triangle-adding"]["t"] == 8
    back = tables["triangle-adding"]["norm"][last][::-1]  # of a model that answers at the end, this row counts
    np.testing.assert_allclose(tables["profiles"]["adding"], back / back[0], rtol=1e-12)
    assert np.isnan(tables["profiles"]["copy"][7:]).all()


def test_the_bound_holds_for_relu_and_not_for_modrelu_with_a_positive_bias(tmp_path):
    numbers, tables = analysed("gradient-bound", tmp_path, "--steps", 10, "--hidden-size", 12, "--longest", 80)
    relu, plain, random, held = numbers["norm of dC/dh_0, of dC/dh_T = 1"].values()
    assert relu < 0.3 and plain == pytest.approx(1) and random > 2 and 1e4 < held < 6**10
    over_time = tables["over-time"]
    assert (np.diff(over_time["orthogonal W, ReLU"]) >= 0).all()
    for name in list(over_time)[1:5]:
        assert (over_time[name] <= over_time[f"bound: {name}"] * (1 + 1e-12)).all()
    assert numbers["tangential gain"] == pytest.approx(6)
    quadratic, _, vanishing = numbers["exponent of T in the parameters' gradient"].values()
    assert quadratic == pytest.approx(2, abs=0.05) and vanishing < 0.7


@pytest.mark.parametrize(
    "command, message",
    [
        ("jacobians --steps 1", "steps must be at least 2, got 1"),
        ("jacobians --networks nothing", "'nothing' is no cell, run or file"),
        ("triangle --sequences 0", "sequences must be at least 1, got 0"),
        ("triangle --fraction 1.5", "fraction must lie between 0 and 1, got 1.5"),
        ("gradient-bound --bias 0", "bias and size must be above 0"),
        ("gradient-bound --longest 10", "longest must be at least 40, got 10"),
    ],
)
def test_bad_values_are_said_in_one_line(command, message, tmp_path, capsys):
    assert main(["analyse", *command.split(), "--out", str(tmp_path)]) != 0
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error
    assert not list(tmp_path.iterdir())
