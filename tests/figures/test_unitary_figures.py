"""Gradients, states, addends and costs, run small: what their numbers say, and which networks they take."""

import csv
import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.analysis.flow import gradient_norms
from tinyrnn.commands.main import main
from tinyrnn.figures import addends, snapshots
from tinyrnn.figures.cost import too_much
from tinyrnn.figures.gradient_norms import summary
from tinyrnn.figures.snapshots import lengthened, timed
from tinyrnn.tasks import Adding, Copy
from tinyrnn.training.demo import contender, gradient_over_time
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes

MINE = """
import numpy as np
import tinyrnn as tr

def step(params, x, state):
    h_prev, = state
    s = x.sum(axis=1, keepdims=True) - 1
    return (h_prev + params["w"] * np.maximum(s, 0),), (s,)

def step_backward(params, cache, dstate):
    s, = cache
    dx = dstate[0] * params["w"] * (s > 0) * np.ones((1, 2))
    return dx, (dstate[0],), {"w": (dstate[0] * np.maximum(s, 0)).sum(axis=0)}

adder = tr.StepCell(step, step_backward, params={"w": np.ones(1)}, input_size=2, state_sizes=1)

def adding_model():
    readout = tr.Readout(1, 1, rng=0)
    readout.params["W"][...] = 1
    return tr.Model(adder, readout, loss="squared_error", at="last")

narrow = tr.Elman(1, 3, rng=0)
wrong = tr.Model(tr.Elman(2, 3, rng=0), tr.Readout(3, 4, rng=0))
"""


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch):
    """A C compiler takes longer than these few updates."""
    monkeypatch.setitem(snapshots.PAPER, "compiled", False)
    monkeypatch.setitem(addends.ADAM, "compiled", False)


@pytest.fixture
def analyse(tmp_path, capsys):
    """Runs one in a folder; returns its exit status, numbers, tables and what it said."""

    def run(name, *arguments):
        out = tmp_path / name
        status = main(["analyse", name, *map(str, arguments), "--out", str(out)])
        numbers = json.loads((out / f"{name}.json").read_text()) if status == 0 else None
        tables = {p.stem.removeprefix(f"{name}-"): table(p) for p in out.glob("*.csv")}
        said = capsys.readouterr()
        return SimpleNamespace(status=status, numbers=numbers, tables=tables, out=said.out, err=said.err)

    return run


def table(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([number(row[name]) for row in rows]) for name in rows[0]}


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


@pytest.fixture
def others(tmp_path):
    """A student's cell and model, a saved cell, and a run: what `networks` takes besides names."""
    (tmp_path / "mine.py").write_text(MINE)
    tr.interop.save(tmp_path / "kept.safetensors", tr.GRU(2, 5, rng=0))
    settings = Settings(**timed("adding", 9), cell="lstm", hidden=4, updates=2, batch=4, compiled=False)
    trainer = Trainer(settings, tmp_path / "run")
    trainer.run(progress=False)
    return SimpleNamespace(mine=tmp_path / "mine.py", kept=tmp_path / "kept.safetensors", run=tmp_path / "run")


# gradient-norms -------------------------------------------------------------------------------------------------------


def test_gradient_norms_before_training_are_constant_for_the_unitary_network_and_fade_for_the_others(analyse):
    found = analyse("gradient-norms", "--steps", 60, "--updates", 0, 2, "--hidden", 8)
    assert found.status == 0 and "note: " in found.out
    assert set(found.tables) == {f"{when}-{c}" for when in ("before-training", "after-2-updates") for c in SHOWN}
    before = {cell: found.tables[f"before-training-{cell}"] for cell in SHOWN}
    assert list(before["lstm"]) == ["t", "h", "c"]
    np.testing.assert_array_equal(before["elman"]["t"], np.arange(1, 61))
    np.testing.assert_allclose(before["urnn"]["h"], before["urnn"]["h"][-1], rtol=1e-5)  # weights are those of float32
    for cell in "elman", "lstm":
        assert 0 < before[cell]["h"][0] < 1e-3 * before[cell]["h"][-1]
    entry = found.numbers["norms"]["before training, urnn, h"]
    assert entry["first"] == before["urnn"]["h"][0] and entry["steps"] == 60
    assert (found.tables["after-2-updates-elman"]["h"] != before["elman"]["h"]).all()


SHOWN = ("elman", "lstm", "urnn")


def test_gradient_norms_of_networks_from_files_and_runs_are_shown_as_they_stand(analyse, others):
    networks = (others.run, others.kept, f"{others.mine}:adder", f"{others.mine}:adding_model")
    found = analyse("gradient-norms", "--steps", 20, "--networks", *networks)
    assert found.status == 0
    names = [f"as-it-stands-{name}" for name in ("run", "kept", "adder", "adding-model")]
    assert sorted(found.tables) == sorted(names)
    assert len(found.tables[names[0]]["t"]) == 9 and len(found.tables[names[1]]["t"]) == 20  # the run has its own task
    adder = found.tables[names[2]]["h"]
    np.testing.assert_allclose(adder, adder[-1], rtol=1e-12)  # what is added stays, and so does its gradient
    np.testing.assert_array_less(found.tables[names[3]]["h"], 1e-14)  # it makes no mistakes to learn from


def test_networks_of_the_same_name_are_told_apart(others, tmp_path):
    other = tmp_path / "there" / "run"
    shutil.copytree(others.run, other)
    shots = snapshots.snapshots((str(others.run), str(other)), timed("adding", 9), (0,), 4)
    assert [shot.label for shot in shots] == [str(others.run), str(other)]


def test_a_networks_weights_in_a_snapshot_are_the_trainers_and_its_gradients_may_be_below_those_of_float32():
    task = timed("adding", 700)
    (shot,) = snapshots.snapshots(("elman",), task, (1,), 6, seed=3)
    assert shot.when == "after 1 update" and shot.model.dtype == np.float64
    options = {
        "optimiser": "rmsprop",
        "lr": 1e-3,
        "clip_value": 1.0,
        "batch": 20,
        "hidden": 6,
        "cell": "elman",
        "compiled": False,
    }
    trainer = Trainer(Settings(**task, **options, seed=3), None)
    trainer.update()
    for name, value in trainer.model.params.items():
        np.testing.assert_array_equal(shot.model.params[name], value)
    batch = trainer.task.batch(0, 0, 2, "float64")
    assert 0 < gradient_norms(shot.model, batch)["h"][0].min() < 1e-60
    assert (gradient_norms(trainer.model, batch)["h"][0] == 0).all()


def test_gradient_norms_of_the_copy_task_are_those_of_the_recall(analyse):
    options = ("--task", "copy", "--steps", 15, "--networks", "lt-ornn", "gru", "--updates", 0, "--hidden", 6)
    tables = analyse("gradient-norms", *options).tables
    turned, faded = (tables[f"before-training-{cell}"]["h"] for cell in ("lt-ornn", "gru"))
    assert len(turned) == 35
    np.testing.assert_allclose(turned[:25], turned[0], rtol=1e-4)  # before it nothing is added, and V only turns
    assert faded[0] < 0.1 * faded[25]


def test_how_many_steps_back_a_thousandth_is_left():
    assert summary(10.0 ** np.arange(-9, 1))["steps"] == 4
    assert summary(np.ones(7)) == {"first": 1, "last": 1, "steps": 7}


def test_the_demo_draws_the_gradient_of_the_recall_alone():
    trainer = contender("lt-ornn", 1, 20)
    norms = gradient_over_time(trainer)
    assert norms.shape == (40,)
    np.testing.assert_allclose(norms[:30], norms[30], rtol=1e-4)  # before the recall nothing is added, and V turns
    assert abs(np.diff(norms[30:])).min() > 1e-3


# state-norms ----------------------------------------------------------------------------------------------------------


def test_state_norms_over_more_steps_than_trained_on(analyse, others):
    networks = ("urnn", others.run, f"{others.mine}:adder")
    options = ("--trained-steps", 10, "--steps", 30, "--updates", 0, 1, "--hidden", 6)
    found = analyse("state-norms", "--networks", *networks, *options)
    assert found.status == 0
    run, adder = found.tables["as-it-stands-run"], found.tables["as-it-stands-adder"]
    assert len(run["t"]) == len(adder["t"]) == len(found.tables["before-training-urnn"]["t"]) == 30
    assert {"size h", "size c sd", "distance h", "distance c"} < set(run)
    for one in found.tables.values():
        assert one["distance h"][-1] == 0 and one["distance h"][0] > 0
    np.testing.assert_allclose(adder["size h"] + adder["distance h"], adder["size h"][-1], rtol=1e-12)  # it only grows
    assert found.numbers["norms"]["as it stands, adder, h"]["largest"] == adder["size h"][-1]
    assert found.numbers["norms"]["as it stands, adder, h"]["as long as in training"] == adder["size h"][9]
    assert found.numbers["losses"]["after 1 update, urnn"]["of the baseline"] > 0.5


def test_networks_of_different_sizes_are_looked_at_together(analyse):
    options = ("--trained-steps", 10, "--steps", 20, "--updates", 0, "--hidden", 4, 6)
    sizes = {"elman": 4, "urnn": 6}
    assert analyse("state-norms", "--networks", *sizes, *options).status == 0
    found = snapshots.snapshots(tuple(sizes), timed("adding", 10), (0,), (4, 6))
    assert {shot.label: shot.model.layers.hidden_size for shot in found} == sizes


def test_of_the_tasks_that_have_a_length_the_length_is_changed():
    assert lengthened(Adding(steps=9), 20).steps == 20
    assert lengthened(Copy(delay=9), 20).steps == lengthened(Copy(total=50), 20).steps == 40
    assert timed("copy", 5) == {"task": "copy", "task_options": {"delay": 5}}


def test_states_found_again_need_no_memory_for_each_step_and_give_the_same_gradients(analyse):
    found = analyse("inverse", "--steps", 200, 400, 800, "--hidden", 8, "--batch", 10)  # windows of 100 steps
    again, kept = (found.tables["memory"][f"{way}, bytes"] for way in ("states found again", "all states kept"))
    assert again[-1] < 1.5 * again[0] and kept[-1] - kept[0] > 600 * 10 * 16 * 8  # a state of 16 numbers is kept a step
    assert max(found.tables["memory"]["relative error"]) < 1e-9


# addends --------------------------------------------------------------------------------------------------------------


def test_addends_of_an_exact_adder_are_both_known(analyse, others):
    found = analyse("addends", "--network", f"{others.mine}:adding_model", "--steps", 30)
    (stop,) = found.numbers["stops"].values()
    assert stop["kept"] == "both" and stop["loss"] < 1e-28 and stop["explained"] == pytest.approx(1)
    np.testing.assert_allclose(stop["weights"], 1, rtol=1e-12)
    np.testing.assert_allclose(stop["rho"], np.sqrt(0.5), atol=0.06)  # 500 sequences
    outputs = found.tables["outputs"]
    np.testing.assert_allclose(outputs["output"], outputs["first addend"] + outputs["second addend"], rtol=1e-12)


def test_addends_are_looked_at_during_training(analyse):
    found = analyse("addends", "--steps", 10, "--hidden", 4, "--updates", 5, "--every", 2)
    over = found.tables["over-training"]
    np.testing.assert_array_equal(over["update"], [0, 2, 4, 5])
    assert over["loss"][-1] < over["loss"][0]
    assert next(iter(found.numbers["stops"])) == "0" and "5" in found.numbers["stops"]
    assert found.numbers["ideal"]["the first"] == [1, 0] and found.numbers["ideal"]["neither addend"] is None


def test_addends_of_a_run_and_of_a_students_cell(analyse, others):
    found = analyse("addends", "--network", others.run)
    assert found.status == 0 and found.numbers["T"] == 9
    found = analyse("addends", "--network", f"{others.mine}:adder", "--steps", 12)  # with a new readout: a scale
    np.testing.assert_allclose(found.numbers["stops"]["0"]["rho"], np.sqrt(0.5), atol=0.06)


# cost -----------------------------------------------------------------------------------------------------------------


def test_costs_grow_with_the_first_power_for_the_unitary_network_and_the_second_for_a_full_matrix(analyse):
    found = analyse("cost", "--smallest", 6, "--largest", 9, "--steps", 2, "--batch", 1, "--repeats", 1)
    urnn, elman = found.tables["urnn"], found.tables["elman"]
    n = np.array([64, 128, 256, 512])
    np.testing.assert_array_equal(urnn["units"], n)
    np.testing.assert_array_equal(urnn["weights"], 14 * n)  # 3 phases, 2 x 2 reflections, 2 x 2 V, b, 2 h_0
    np.testing.assert_array_equal(elman["weights"], n**2 + 3 * n)
    assert found.numbers["exponents"]["urnn"]["weights"] == pytest.approx(1, abs=1e-12)
    assert 1.9 < found.numbers["exponents"]["elman"]["bytes"] < 2.1
    assert 0.8 < found.numbers["exponents"]["urnn"]["bytes"] < 1.1
    assert (elman["bytes"] > 2 * 4 * elman["weights"]).all()  # weights and their gradients, in float32
    assert min(urnn["seconds"].min(), elman["seconds"].min()) > 0


def test_sizes_that_would_take_too_much_are_left_out_and_that_is_said(analyse):
    arguments = (
        "--networks",
        "elman",
        "--smallest",
        6,
        "--largest",
        12,
        "--steps",
        2,
        "--mebibytes",
        1,
        "--repeats",
        1,
    )
    found = analyse("cost", *arguments)
    assert found.tables["elman"]["units"][-1] < 1024 and "it would take too much" in found.out
    grown = {"bytes": [100, 400], "seconds": [1, 2]}
    assert not too_much(grown, 1600, 4)
    assert too_much(grown, 1599, 4) and too_much(grown, 1600, 3.9)


# mistakes -------------------------------------------------------------------------------------------------------------

MISTAKES = {
    "gradient-norms --task mnist": "task must be adding or copy, got 'mnist'",
    "gradient-norms --updates -1": "updates must be one or more numbers of at least 0",
    "gradient-norms --steps 0": "adding: steps must be a whole number of at least 2, got 0",
    "gradient-norms --networks nothing": "'nothing' is no cell, run or file",
    "gradient-norms --networks MINE:narrow": "narrow takes 1 inputs, the adding task has 2",
    "gradient-norms --networks MINE:wrong": "wrong is a model for another task than adding",
    "state-norms --hidden 0": "hidden",
    "inverse --steps 5": "two lengths",
    "state-norms --hidden 3 4 5": "one number or one for each of 2 networks, got 3",
    "state-norms --task text": "task must be adding or copy",
    "addends --every 0": "every must be at least 1",
    "addends --network MINE:wrong": "wrong is a model for another task than adding",
    "addends --network COPY": "copy was trained on copy, which has no addends",
    "cost --smallest 5 --largest 5": "smallest must be at least 1 and below largest, got 5 and 5",
    "cost --networks nothing": "unknown cell 'nothing'",
    "cost --repeats 0": "must be at least 1",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes_are_told_in_one_line(line, analyse, others, tmp_path):
    if "COPY" in line:
        settings = Settings(
            task="copy", task_options={"delay": 3, "length": 2}, hidden=4, updates=1, batch=2, compiled=False
        )
        Trainer(settings, tmp_path / "copy").run(progress=False)
    words = line.replace("MINE", str(others.mine)).replace("COPY", str(tmp_path / "copy")).split()
    found = analyse(*words)
    assert found.status == 2 and found.err.startswith("tinyrnn: ") and len(found.err.splitlines()) == 1
    assert MISTAKES[line] in found.err
    assert found.tables == {}


def test_a_training_that_diverges_is_told_in_one_line(analyse, monkeypatch):
    monkeypatch.setattr("tinyrnn.figures.snapshots.PAPER", {"batch": 4, "optimiser": "sgd", "lr": 1e12})
    found = analyse("gradient-norms", "--networks", "elman-relu", "--steps", 30, "--updates", 9, "--hidden", 4)
    assert found.status == 2 and "elman-relu: update" in found.err
