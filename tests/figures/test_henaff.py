"""The analyses of Henaff, Szlam & LeCun (2016) as commands: what they write is what is true."""

import csv
import json
from itertools import pairwise

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.figures import activations
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes

OWN = """
import numpy as np
import tinyrnn as tr


def step(params, x, state):
    (h_prev,) = state
    h = np.tanh(x @ params["W"] + h_prev @ params["U"])
    return (h,), (x, h_prev, h)


def step_backward(params, cache, dstate):
    x, h_prev, h = cache
    da = dstate[0] * (1 - h**2)
    return da @ params["W"].T, (da @ params["U"].T,), {"W": x.T @ da, "U": h_prev.T @ da}


def mine(inputs=2):
    rng = np.random.default_rng(0)
    params = {"W": rng.normal(size=(inputs, 5)), "U": 0.3 * rng.normal(size=(5, 5))}
    return tr.StepCell(step, step_backward, params=params, input_size=inputs, state_sizes=5)
"""


@pytest.fixture
def analyse(tmp_path, capsys):
    """Runs the command; returns its numbers, its tables (name -> column -> values), and what it printed."""

    def run(name, *arguments):
        assert main(["analyse", name, *map(str, arguments), "--out", str(tmp_path / "out")]) == 0
        out = tmp_path / "out"
        assert (out / f"{name}.png").stat().st_size > 10_000
        tables = {}
        for path in out.glob(f"{name}-*.csv"):
            header, *rows = csv.reader(path.read_text().splitlines())
            columns = zip(*rows, strict=True)
            tables[path.stem.removeprefix(f"{name}-")] = {
                key: [number(v) for v in column] for key, column in zip(header, columns, strict=True)
            }
        return json.loads((out / f"{name}.json").read_text()), tables, capsys.readouterr().out

    return run


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


@pytest.fixture
def networks(tmp_path):
    """A run of the adding task with pools, a saved cell, a student's own: three that read two numbers a step."""
    settings = Settings(
        task="adding",
        task_options={"steps": 12, "channels": "mark-value"},
        cell="lt-ornn-relu",
        hidden=6,
        pool=2,
        updates=2,
    )
    Trainer(settings, tmp_path / "run").run(progress=False)
    tr.interop.save(tmp_path / "saved.safetensors", tr.GRU(2, 4, rng=0))
    (tmp_path / "own.py").write_text(OWN)
    return tmp_path / "run", tmp_path / "saved.safetensors", f"{tmp_path / 'own.py'}:mine"


def test_copy_construction_shows_where_the_literal_solution_is_wrong(analyse):
    numbers, tables, printed = analyse(
        "copy-construction", "--delay", 15, "--length", 4, "--symbols", 3, "--blocks", 128
    )
    assert numbers["threshold"]["whole right"] == 1 and numbers["literal"]["whole right"] == 0
    assert numbers["literal"]["recalled right"] == 1 and numbers["literal"]["wrong steps shown"] == [18]
    assert numbers["literal, h* from 0"]["wrong steps shown"] == [0, 1, 2, 3, 18]
    assert numbers["largest |V^(T+S) - 1|"] < 1e-12
    blank, best = np.array(tables["blank"]["threshold"]), np.array(tables["blank"]["best symbol"])
    assert np.allclose(blank[:18], 2) and np.allclose(blank[18:], 0.5)
    assert (best[19:] > blank[19:]).all() and (best[:19] < blank[:19]).all() and len(best) == 23
    assert "delimiter" in printed


def test_copy_success_is_the_table_and_what_is_predicted(analyse):
    arguments = "--symbols 2 8 64 --lengths 5 20 --delays 60 30 --blocks 128 16 --runs 40".split()
    numbers, tables, _ = analyse("copy-success", *arguments)
    right = numbers["recalled"]
    assert all(right[f"K={k}, S=5"] == 40 for k in (2, 8, 64))
    assert right["K=2, S=20"] > right["K=64, S=20"]
    table = tables["success"]
    assert table["right"] == list(right.values()) and set(table["runs"]) == {40}
    assert np.allclose(np.array(table["right"]) / 40, np.array(table["predicted percent"]) / 100, atol=0.25)
    assert numbers["by d (K=8, S=10)"]["16"] < numbers["by d (K=8, S=10)"]["128"]


def test_copy_controls_recall_with_the_right_clock_only(analyse):
    numbers, tables, _ = analyse("copy-controls", "--delay", 60, "--runs", 20)
    right, *wrong = numbers["recalled"].values()
    assert right >= 18 and wrong == [0, 0, 0, 0]
    clock = tables["clock"]
    assert clock["m"][70] == 70 and clock["roots"][70] == pytest.approx(1) and clock["equal"][70] == pytest.approx(1)
    assert max(np.abs(clock["roots"][1:70])) < 0.5 and abs(clock["uniform"][70]) < 0.5


def test_in_variable_copy_every_symbol_is_answered_and_waits_in_a_place_until_the_delimiter(analyse):
    numbers, tables, _ = analyse("variable-copy", "--delays", 9, 30, "--length", 3, "--sequences", 20)
    assert numbers["whole right"] == {"9": 1, "30": 1} and numbers["lost of a symbol's size"]["30"] < 1e-6
    found = {name: np.array(values, int) for name, values in tables["sequence"].items()}
    assert np.array_equal(found["answer"], found["due"])
    asked = int(np.flatnonzero(found["input"] == 5)[0])
    held = np.array([found[f"place {k}"] for k in (1, 2, 3)])
    assert np.array_equal(held[:, asked - 1], found["input"][:3]) and not held[:, asked:].any()
    assert np.array_equal([found[f"place {k}"][asked] for k in (5, 6, 7)], found["input"][:3])


def test_adding_construction_is_exact_and_the_lstm_nearly(analyse):
    numbers, tables, _ = analyse("adding-construction", "--steps", 20, 60, "--sequences", 30, "--scale", 1e-3)
    relu, redundant, gates, lstm = (list(values.values()) for values in numbers["largest error"].values())
    assert max(relu) <= 2.5e-16 and max(redundant) <= 2.5e-16 and gates == [0, 0]
    assert 1e-7 < max(lstm) <= 10 / 3 * 1e-6
    h, value, mark = (np.array(tables["state"][name]) for name in ("h", "value", "mark"))
    assert np.allclose(np.cumsum(value * mark), h) and mark.sum() == 2
    small, bound = np.array(tables["scales"]["gate 40"]), np.array(tables["scales"]["bound"])
    assert (small <= bound + 1e-14).all()


def test_pooling_stands_still_along_the_planes(analyse, networks, tmp_path):
    run, saved, own = networks
    numbers, tables, _ = analyse("pooling", "--steps", 30, "--gap", 11, "--networks", "lt-ornn", run, saved, own)
    found = numbers["fluctuation"]
    assert list(found) == ["rotations of pairs", "lt-ornn", "run", "saved", "mine"]
    assert found["rotations of pairs"]["pools of two units"] < 1e-13
    assert found["lt-ornn"]["pools of two units"] > 0.1 and found["lt-ornn"]["pools along V's own planes"] < 1e-12
    assert found["saved"]["pools along V's own planes"] is None and 0 < found["mine"]["pools of two units"] <= 1
    pair = tables["one-pair"]
    assert np.allclose(np.hypot(pair["unit 1"], pair["unit 2"]), pair["pool"]) and pair["pool"][4:6] == [0, 1]
    assert np.allclose(tables["gaps"]["one pool"], np.abs(np.exp(2j * np.pi * np.arange(1, 31) / 17) + 1))
    assert np.allclose(pair["pool"][-1], tables["gaps"]["one pool"][10])


def test_activations_of_networks_from_everywhere(analyse, networks):
    run, saved, own = networks
    numbers, tables, _ = analyse("activations", "--steps", 12, "--networks", run, saved, own, "lstm", "--hidden", 3)
    assert list(numbers["answer"]) == ["run", "saved", "mine", "lstm"] and numbers["marks"] == [4, 8]
    assert numbers["target"] == pytest.approx(1.7)
    assert isinstance(numbers["answer"]["run"], float) and numbers["answer"]["saved"] is None
    cell, own_h = tr.interop.load(saved), np.array([tables["mine"][f"unit {k}"] for k in range(1, 6)]).T
    values = np.random.default_rng(0).random(12)
    values[[3, 7]] = 0.9, 0.8
    x = np.stack([values, np.isin(np.arange(12), [3, 7])], axis=-1)
    h, _ = cell.forward(x[:, None])
    assert np.allclose(np.array([tables["saved"][f"unit {k}"] for k in range(1, 5)]).T, h[:, 0])
    assert own_h.shape == (12, 5)
    # the run's task has its channels in the other order
    model = tr.interop.load(run / "model.safetensors")
    assert numbers["answer"]["run"] == pytest.approx(float(model.forward(x[:, None, ::-1])[0][0, 0]), rel=1e-4)


def test_activations_train_a_network_where_none_is_given(analyse):
    numbers, tables, _ = analyse("activations", "--steps", 10, "--hidden", 6, "--updates", 3)
    assert list(tables) == ["lt-ornn-with-pools"] and len(tables["lt-ornn-with-pools"]["unit 6"]) == 10
    assert isinstance(numbers["answer"]["LT-ORNN with pools"], float)


def test_units_are_drawn_in_the_order_of_what_is_drawn_of_them(analyse):
    h = np.random.default_rng(0).normal(size=(20, 1)) * [1, 3, 2, 6, 5, 4]
    seen = {"mine": activations.Recalled(h, None)}
    figure = activations.draw(seen, {"mine": (0.1, 0.2, 0.3)}, [], (5, 12), np.ones(20), 1.7)
    traces, image, changes = (axes for axes in figure.axes if axes.get_label() != "<colorbar>")
    shown = image.images[0].get_array()
    assert shown.shape == (6, 19) and np.allclose(shown, np.abs(np.diff(h, axis=0)).T[[3, 4, 5, 1, 2, 0]])
    assert [line.get_label() for line in traces.lines[:3]] == ["4", "5", "6"]
    assert np.allclose(changes.lines[0].get_ydata(), np.sqrt((np.diff(h, axis=0) ** 2).mean(axis=1)))


def test_activations_of_several_seeds_are_counted_part_by_part(analyse):
    numbers, tables, out = analyse("activations", "--steps", 10, "--hidden", 6, "--updates", 2, "--seeds", 3)
    first, *others = numbers["of every network"]
    assert len(tables) == 1 and len(others) == 2 and others[0] != first
    assert first == [*numbers["change of a unit per step"]["LT-ORNN with pools"].values()]
    more = [sum(moves[k + 1] > moves[k] for moves in (first, *others)) for k in (0, 1)]
    assert f"of 3 networks {more[0]} change more after the first mark than before, {more[1]} more again" in out


@pytest.mark.sample(1)
@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])  # rounding decides which network training ends at: this holds for all
def test_trained_networks_with_pools_are_quietest_before_the_first_mark_and_add(analyse, seed):
    numbers, _, _ = analyse("activations", "--seed", seed)
    before, between, after = numbers["change of a unit per step"]["LT-ORNN with pools"].values()
    assert before < 0.9 * between and before < 0.9 * after
    assert numbers["answer"]["LT-ORNN with pools"] == pytest.approx(1.7, abs=0.15)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("copy-construction", ["--blocks", "0"]),
        ("copy-construction", ["--symbols", "1"]),
        ("copy-success", ["--runs", "0"]),
        ("copy-success", ["--symbols", "1"]),
        ("copy-controls", ["--runs", "0"]),
        ("copy-controls", ["--delay", "0"]),
        ("adding-construction", ["--steps", "1"]),
        ("adding-construction", ["--scale", "0"]),
        ("adding-construction", ["--units", "0"]),
        ("pooling", ["--gap", "70"]),
        ("pooling", ["--hidden", "5"]),
        ("pooling", ["--networks", "nothing"]),
        ("activations", ["--steps", "3"]),
        ("activations", ["--updates", "0"]),
        ("activations", ["--seeds", "0"]),
        ("activations", ["--networks", "lstm", "nothing"]),
    ],
)
def test_bad_options_are_one_line(name, arguments, tmp_path, capsys):
    assert main(["analyse", name, *arguments, "--out", str(tmp_path)]) != 0
    message = capsys.readouterr().err.strip()
    assert len(message.splitlines()) == 1 and "Traceback" not in message and not list(tmp_path.iterdir())


def test_a_network_that_reads_something_else_is_refused(tmp_path, capsys):
    tr.interop.save(tmp_path / "three.safetensors", tr.GRU(3, 4, rng=0))
    assert (
        main(["analyse", "activations", "--networks", str(tmp_path / "three.safetensors"), "--out", str(tmp_path)]) != 0
    )
    assert "three reads 3 features a step" in capsys.readouterr().err


def test_roots_look_at_a_network_that_learns_and_compare_its_readout_with_turned_codes(analyse):
    numbers, tables, out = analyse("roots", "--delay", 4, "--length", 2, "--units", 16, "--updates", 800)
    assert numbers["period T + S"] == 6 and numbers["loss, share of the baseline"] < 0.5
    moduli = numbers["moduli"]["before training"]
    assert moduli == pytest.approx([1, 1], abs=1e-5)
    cosine = numbers["cosine of w_k and V^(T+S) u_k"]
    assert abs(cosine["before training"]) < 0.5 < cosine["after 800 updates"]
    assert len(tables["before-training"]["gaps"]) == 16 and max(tables["before-training"]["gaps"]) <= 0.5
    assert "0.25 by chance" in out


def test_the_constructed_solution_stands_on_the_roots_with_a_readout_that_reads_its_own_codes():
    from tinyrnn.figures.roots import looked_at

    task = tr.tasks.Copy(delay=10, length=3)
    found = looked_at(tr.constructions.copy_solution(task, 16, rng=0), 13)
    assert found["distances"].max() < 1e-9
    np.testing.assert_allclose(np.diag(found["cosines"]), 1)
    assert found["plain"] == pytest.approx(1) and found["clock"][13] == pytest.approx(1)


def test_hessian_free_counts_the_work_of_both_alike(analyse):
    small = ["--steps", 6, "--units", 6, "--newton", 3, "--batch", 20, "--iterations", 5, "--rates", 0.01]
    numbers, tables, _ = analyse("hessian-free", *small)
    newton, adam = tables["hessian-free"], tables["adam-rate-0-01"]
    assert newton["sequences"][0] == 0 and len(newton["loss"]) == 4
    assert all(40 < more - less <= 7 * 20 for less, more in pairwise(newton["sequences"]))
    assert 0 <= newton["sequences"][-1] - adam["sequences"][-1] < 50
    assert newton["loss"][-1] < newton["loss"][0]
    assert numbers["test losses"]["Hessian-free"] == pytest.approx(newton["loss"][-1])
