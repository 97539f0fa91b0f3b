"""The commands of the lecture's analyses: what they write is what the lecture should have said."""

import csv

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.core.files import read_json

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes


@pytest.fixture
def analyse(tmp_path, capsys):
    """Runs an analysis; returns its numbers, and its tables as name -> column -> values."""

    def run(name, *options):
        out = tmp_path / name
        status = main(["analyse", name, *map(str, options), "--out", str(out)])
        captured = capsys.readouterr()
        if status:
            return captured.err
        run.printed = captured.out
        tables = {}
        for path in out.glob("*.csv"):
            with open(path, newline="", encoding="utf-8") as file:
                header, *rows = csv.reader(file)
            columns = zip(*([float(value) for value in row] for row in rows), strict=True)
            tables[path.stem.removeprefix(f"{name}-")] = dict(zip(header, map(np.array, columns), strict=True))
        assert (out / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        return read_json(out / f"{name}.json"), tables

    return run


def test_powers_gives_106_72_and_says_what_the_lecture_printed(analyse):
    numbers, tables = analyse("powers")
    assert numbers["w=1.1"] == pytest.approx(106.72, abs=0.005)
    assert numbers["w=0.9"] == pytest.approx(0.005726, abs=5e-7)
    assert numbers["spectral radius"] == 0.5 and numbers["norm of W^5"] == pytest.approx(31.25, abs=1e-3)
    assert "117.4" in analyse.printed and "modulus" in analyse.printed
    np.testing.assert_allclose(tables["gradients"]["w=1.1"], 1.1 ** (50 - tables["gradients"]["t"]))
    assert tables["matrix"]["norm"][5] > 31 > tables["matrix"]["radius^k"][5]


def test_powers_takes_any_number_of_weights_of_any_sign(analyse):
    numbers, _ = analyse("powers", "--steps", 3, "--weights", *range(-4, 4))
    assert [numbers[f"w={w}"] for w in range(-4, 4)] == [16, 9, 4, 1, 0, 1, 4, 9]


def test_iterated_maps_finds_sink_sources_and_the_cycle(analyse):
    numbers, tables = analyse("iterated-maps")
    parabola, logistic = numbers["x² + 0.15"], numbers["3.5 x (1 − x)"]
    assert [p["kind"] for p in parabola["fixed points"]] == ["sink", "source"]
    assert [p["x"] for p in parabola["fixed points"]] == pytest.approx([0.183772, 0.816228], abs=5e-7)
    assert [p["kind"] for p in logistic["fixed points"]] == ["source", "source"]
    assert logistic["orbit of 0.2 ends in"] == pytest.approx([0.38282, 0.82694, 0.50088, 0.87500], abs=5e-6)
    assert tables["orbits-1"]["x_0=0.6"][:3] == pytest.approx([0.6, 0.51, 0.4101])
    assert tables["orbits-1"]["x_0=0.83"][-1] == np.inf
    assert "|f'| < 1" in analyse.printed and "0.18377" in analyse.printed


def test_iterated_maps_draws_maps_without_fixed_points_or_cycles(analyse):
    numbers, _ = analyse("iterated-maps", "--constant", 0.5, "--growth", 3.9, "--steps", 8)
    assert numbers["x² + 0.5"]["fixed points"] == []
    assert numbers["3.9 x (1 − x)"]["orbit of 0.2 ends in"] is None


def test_mandelbrot_counts_what_escapes(analyse):
    numbers, tables = analyse("mandelbrot", "--width", 140, "--iterations", 100)
    assert numbers["stay bounded"] == {"x² + 0.15": True, "3.5 x (1 − x)": True}
    assert numbers["area not escaped"] == pytest.approx(1.55, abs=0.05)
    escaping = tables["escape"]["points escaping"]
    pixel = 2.8 / 139
    assert (numbers["points"] - escaping.sum()) * pixel**2 == pytest.approx(tables["escape"]["area left"][-1])


def test_tanh_map_is_nearly_the_identity_once_and_a_step_five_times(analyse):
    numbers, tables = analyse("tanh-map", "--weights", 1.5, 2.5)
    assert numbers["w=1.5"]["largest distance from the identity"] == pytest.approx(0.14, abs=5e-3)
    assert numbers["w=1.5"]["slope at 0"] == pytest.approx(1.5**5)
    assert numbers["w=2.5"]["attractors"] == pytest.approx([-0.986, 0.986], abs=5e-4)
    five = tables["functions"]["w=2.5, 5 steps"]
    assert (abs(five[abs(tables["functions"]["h"]) > 0.1]) > 0.97).all()


def test_loss_cliffs_are_steep_for_one_and_not_for_the_mean(analyse):
    numbers, tables = analyse("loss-cliffs", "--examples", 200, "--points", 61, "--smallest", 1, "--shown", 4, 6)
    *names, share = numbers
    assert names == ["example 4", "example 6", "mean of 200"] and 0.2 < numbers[share] < 0.8
    change = [numbers[name]["largest change of L from one to the next"] for name in names]
    assert min(change[:2]) > 3 > 0.3 > change[2]
    for name in names:
        each = numbers[name]
        drawn = abs(tables["losses"][f"{name}, gradient"]).max()
        assert each["largest |dL/dw| at the weights drawn"] == pytest.approx(drawn)
        low, high = each["between"]
        assert low <= each["at w"] <= high


def test_clipping_stays_in_the_valley(analyse):
    numbers, tables = analyse("clipping", "--updates", 60)
    free, held = numbers["as it is"], numbers["clipped to 0.05"]
    assert free["longest step"] > 100 and free["last loss"] == pytest.approx(0.09)
    assert held["longest step"] <= 0.025 * (1 + 1e-9)
    assert tables["descent"]["clipped to 0.05, loss"].min() < 0.01
    assert tables["descent"]["as it is, w"][-1] == pytest.approx(free["last (w, b)"][0])


def test_gate_table_does_what_its_words_say(analyse):
    numbers, tables = analyse("gate-table", "--values", 0.5, -0.25, "--start", 2)
    expected = {"remember": [2, 2, 2], "add": [2, 2.5, 2.25], "erase": [2, 0, 0], "overwrite": [2, 0.5, -0.25]}
    for behaviour, memory in expected.items():
        np.testing.assert_allclose(tables["memory"][behaviour], memory, rtol=0, atol=1e-15)
    assert max(numbers["largest distance from the table"].values()) < 1e-15
    assert "Long Short-Term Memory" in analyse.printed


def test_pass_through_is_exact_for_large_biases_only(analyse):
    numbers, tables = analyse("pass-through", "--hidden", 4, "--biases", 45, 1, 27)
    distance = numbers["largest entry of dc_T/dc_0 - I"]
    assert numbers["smallest bias that gives exactly I"] == 45 and distance["45.0"] == 0
    assert 0 < distance["27.0"] < 1e-9 < 0.9 < distance["1.0"]
    np.testing.assert_array_equal(tables["norms"]["bias=45"], np.ones(51))
    assert tables["norms"]["bias=1"][0] < 1e-3


def test_pass_through_takes_a_trained_a_saved_and_ones_own_lstm(analyse, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train = "train copy --cell lstm --length 3 --delay 5 --hidden 4 --batch 2 --updates 1 --out run"
    assert main(train.split()) == 0
    tr.interop.save(tmp_path / "saved.safetensors", tr.LSTM(2, 5, rng=3))
    (tmp_path / "mine.py").write_text("import tinyrnn as tr\n\n\ndef mine():\n    return tr.LSTM(1, 3, rng=1)\n")
    for what in ("run", "saved.safetensors", "mine.py:mine"):
        numbers, tables = analyse("pass-through", "--net", what, "--steps", 20, "--biases", 60)
        assert numbers["largest entry of dc_T/dc_0 - I"] == {"60.0": 0.0}
        assert len(tables["norms"]["t"]) == 21


@pytest.mark.parametrize(
    "line, message",
    [
        ("powers --steps 1", "at least two time steps are needed, got 1"),
        ("iterated-maps --growth 5", "r in 0 … 4, not for r = 5"),
        ("iterated-maps --steps 0", "at least one step is needed, got 0"),
        ("mandelbrot --iterations 0", "at least one iteration is needed, got 0"),
        ("mandelbrot --left 1", "left < right, got 750, 1, 0.7"),
        ("tanh-map --points 1", "2 points are needed, got 2, 5, 1"),
        ("loss-cliffs --largest -1", "smallest < largest"),
        ("loss-cliffs --shown 1 7 --examples 5", "examples 1 to 5 can be shown, not 1 7"),
        ("clipping --limit 0", "clipping limit must be positive, got 0"),
        ("clipping --rate -1", "learning rate must be positive, got -1"),
        ("clipping --updates 0", "one update are needed, got 50 and 0"),
        ("gate-table --values 2", "between -1 and 1"),
        ("gate-table --bias 0", "the bias must be positive, got 0"),
        ("pass-through --net gru", "gates i, f and o are set in an LSTM, not in GRU"),
        ("pass-through --steps 0", "at least one step and one bias are needed"),
    ],
)
def test_bad_values_are_refused_in_one_line(analyse, line, message):
    error = analyse(*line.split())
    assert message in error and len(error.strip().splitlines()) == 1


def test_basins_of_two_units_that_do_not_meet_are_the_four_quadrants(analyse):
    numbers, tables = analyse("basins", "--weights", 2, 0, 0, 2, "--points", 21, "--steps", 5)
    assert sorted(map(tuple, numbers["attractors"])) == [(x, y) for x in (-0.958, 0.958) for y in (-0.958, 0.958)]
    assert numbers["starts that end there"] == [100] * 4  # the axes end on them, and so at no attractor
    starts = tables["starts"]
    middle = (abs(starts["x"]) < 1e-9) & (abs(starts["y"]) < 1e-9)
    assert starts["norm"][middle] == pytest.approx(2**5)  # the slope at 0 to the fifth
    assert starts["basin"][middle] == -1
    assert numbers["median norm of the Jacobian at a border"] > 10 * numbers["median norm elsewhere"]


def test_a_network_that_turns_for_ever_has_no_attractor_to_end_at(analyse):
    numbers, tables = analyse("basins", "--weights", 1.6, -0.35, 0.25, 1.5, "--points", 9)
    assert numbers["attractors"] == [] and set(tables["starts"]["basin"]) == {-1}
