"""`tinyrnn bench`: the split is of the whole, the exponents are those of power laws, and the command makes what it
promises. Nothing here depends on how long anything takes."""

import json
import math
import os
import subprocess
import sys
from types import SimpleNamespace

import matplotlib.image
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tinyrnn as tr
from tinyrnn.cells import CELLS
from tinyrnn.commands.bench import HEADINGS, table
from tinyrnn.commands.main import main
from tinyrnn.compiler import kernels
from tinyrnn.compiler.toolchain import NoCompiler
from tinyrnn.profiling import busy, costs
from tinyrnn.profiling.costs import Size, compiled, fitted_exponent, peers, said_growth, sweep
from tinyrnn.profiling.measure import PHASES, Phase, least_seconds, profile, split_total, total_of
from tinyrnn.training.plots import draw_cost, new_figure

TINY = Size(4, 2, 3, 5)
times = st.floats(0, 1e3)
phases = st.builds(Phase, st.sampled_from(PHASES), *[times] * 5, floor=st.floats(1e-9, 1e3), calls=st.integers(0, 99))


def subject(name="lstm", size=TINY):
    return costs.subject(name, size)


# the split ------------------------------------------------------------------------------------------------------------


@given(times, st.lists(times, max_size=4))
def test_parts_and_rest_add_up_to_the_total_and_none_is_negative(total, measured):
    parts = split_total(total, measured)
    assert len(parts) == len(measured) + 1 and min(parts) >= 0
    assert sum(parts) == pytest.approx(total, abs=1e-12)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=4), st.floats(0, 100))
def test_parts_smaller_than_the_total_stay_as_they_were_measured(measured, more):
    assert split_total(sum(measured) + more, measured)[:-1] == measured


def test_parts_larger_than_the_total_share_it_in_proportion():
    assert split_total(6.0, [9.0, 3.0]) == [4.5, 1.5, 0.0]


@pytest.mark.parametrize("name", CELLS)
def test_every_phase_of_every_cell_is_split_without_remainder(name):
    found = profile(*subject(name), repeats=1)
    assert [phase.name for phase in found] == list(PHASES)
    for phase in [*found, total_of(found)]:
        parts = (phase.products, phase.arithmetic, phase.copies, phase.rest)
        assert min(parts) >= 0 and sum(parts) == pytest.approx(phase.seconds)
        assert phase.seconds > 0
    assert total_of(found).floor > 0


@given(st.lists(phases, min_size=1, max_size=4))
def test_the_whole_is_the_sum_of_the_phases(parts):
    whole = total_of(parts, "sum")
    assert whole.name == "sum"
    assert whole.calls == sum(phase.calls for phase in parts)
    assert whole.arithmetic == pytest.approx(sum(phase.arithmetic for phase in parts))


def test_profiling_leaves_the_cell_as_it_was():
    cell, x, dh = subject("urnn")
    before = {name: value.copy() for name, value in cell.params.items()}
    attributes = dict(vars(cell))
    profile(cell, x, dh, repeats=1)
    assert all(vars(cell)[name] is value for name, value in attributes.items()) and len(vars(cell)) == len(attributes)
    for arrays in (cell.params, cell.constants):
        assert {type(value) for value in arrays.values()} == {np.ndarray}
    for name, value in before.items():
        np.testing.assert_array_equal(cell.params[name], value)


def test_less_than_one_repeat_is_refused():
    with pytest.raises(ValueError, match="repeats must be at least 1, got 0"):
        profile(*subject(), repeats=0)


@given(st.integers(1, 5))
def test_one_run_is_thrown_away_and_as_many_as_asked_are_timed(repeats):
    runs = []
    assert least_seconds(lambda: runs.append(1), repeats) > 0
    assert len(runs) == repeats + 1
    runs.clear()
    least_seconds(lambda: runs.append(1), repeats, limit=0.0)
    assert len(runs) == 2


# exponents and sizes --------------------------------------------------------------------------------------------------


@given(st.floats(-3, 3), st.floats(1e-6, 1e3), st.lists(st.integers(1, 4096), min_size=2, max_size=8, unique=True))
def test_the_exponent_of_a_power_law_is_found(exponent, factor, values):
    found, error = fitted_exponent(values, [factor * v**exponent for v in values])
    assert found == pytest.approx(exponent, abs=1e-6)
    assert error < 1e-6 if len(values) > 2 else error == math.inf


def test_the_error_of_an_exponent_is_that_of_the_line():
    values = [1, 2, 4, 8, 16, 32]
    seconds = [v**1.5 * wobble for v, wobble in zip(values, (1, 1.1, 0.9, 1, 1.2, 1), strict=True)]
    expected = stats.linregress(np.log(values), np.log(seconds))
    assert fitted_exponent(values, seconds) == pytest.approx((expected.slope, expected.stderr))


def test_what_is_noise_gets_no_exponent_and_no_line():
    noisy = COST | {"seconds_exponent": None, "seconds_exponent_error": None, "floor_exponent_error": 0.01}
    said = said_growth("H", noisy)
    assert said == "from H = 2 on: the training step no power law, its products alone H^(2.00 ± 0.01)"
    _, axes = new_figure()
    draw_cost(axes, "H", noisy)
    assert axes.get_legend().get_texts()[0].get_text() == "training step, no power law"


def test_a_time_that_falls_while_the_work_grows_is_noise(monkeypatch):
    seconds = iter([8.0, 8.0, 4.0, 4.0, 2.0, 2.0])
    monkeypatch.setattr(costs, "least_seconds", lambda *given: next(seconds))
    sizes = [TINY._replace(T=T) for T in (2, 4, 8)]
    cost = costs.cost("gru", "T", sizes, 1, SimpleNamespace(set_description=str, update=int))
    assert cost["seconds_exponent"] is None and cost["floor_exponent_error"] is None


@pytest.mark.parametrize("step, said", [(1e-6, "10 s"), (0.1, "30 s"), (1.0, "3 minutes")])
def test_how_long_it_will_take_is_said(step, said, monkeypatch):
    monkeypatch.setattr(costs, "least_seconds", lambda *given: step)
    size = Size(256, 32, 32, 128)
    assert costs.said_duration("gru", size, {"T": [size] * 10, "H": [size] * 10}, 5).startswith(
        f"this takes about {said}"
    )


def test_how_busy_others_keep_the_machine_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(busy, "STATISTICS", statistics := tmp_path / "stat")
    statistics.write_text("cpu 0 0 0 0 0 0 0 0 0 0\n")
    watch = busy.Busy()
    watch.begun -= 10.0
    watch.own = busy.own_seconds()
    ticks = round(12 * os.sysconf("SC_CLK_TCK"))
    statistics.write_text(f"cpu {ticks} 0 0 99999 0 0 0 0 0 0\n")
    assert watch.cores() == pytest.approx(1.2, abs=0.1)
    assert "1.2 of" in str(watch) and "mean little" in str(watch)
    monkeypatch.setattr(busy, "STATISTICS", tmp_path / "none")
    assert "does not say" in str(watch)


@pytest.mark.parametrize("values, seconds", [([2, 2], [1, 2]), ([1, 2], [0, 1]), ([3], [1]), ([1, 2], [-1, 1])])
def test_no_exponent_is_made_up_where_there_is_none(values, seconds):
    with pytest.raises(ValueError, match="an exponent needs"):
        fitted_exponent(values, seconds)


@given(st.integers(1, 1000), st.sampled_from("TBH"))
def test_a_sweep_changes_one_size_and_holds_the_one_asked_for(value, axis):
    size = TINY._replace(**{axis: value})
    sizes = sweep(size, axis)
    values = [getattr(s, axis) for s in sizes]
    assert size in sizes and values == sorted(set(values)) and values[0] >= 1 and len(values) >= 3
    assert all(s._replace(**{axis: value}) == size for s in sizes)


# the table ------------------------------------------------------------------------------------------------------------


@given(st.lists(phases, min_size=4, max_size=4), st.integers(1, 1000))
def test_the_table_has_a_line_for_each_phase_their_sum_the_shares_and_the_others(parts, T):
    parts[0].seconds += 1.0
    lines = table(parts, {"peer 1.0, 2 threads": 0.5}, T).splitlines()
    assert lines[0].split("  ")[-1].strip() == HEADINGS[-1]
    assert all(heading in lines[0] for heading in HEADINGS)
    names = [*(phase.name for phase in parts), "all", "share", "peer 1.0, 2 threads"]
    assert [line[: len(name)] for line, name in zip(lines[1:], names, strict=True)] == names
    for line, phase in zip(lines[1:5], parts, strict=True):
        numbers = [float(number) for number in line.removeprefix(phase.name).split()]
        assert len(numbers) == len(HEADINGS)
        assert numbers[4] == pytest.approx(1e6 * phase.seconds / T, abs=0.006)
        assert numbers[7] == pytest.approx(phase.calls / T, abs=0.06)


def test_a_phase_without_products_has_no_ratio():
    lines = table([Phase("a", 2.0, 0.0, 1.0, 0.0, 1.0, 0.0, 3), Phase("b", 2.0, 1.0, 1.0, 0.0, 0.0, 1.0, 3)], {}, 1)
    assert lines.splitlines()[1].split()[-2] == "-"
    assert lines.splitlines()[3].split()[-2] == "4.00"


# the picture ----------------------------------------------------------------------------------------------------------

COST = {"values": [1, 2, 4, 8], "seconds": [3.0, 4.0, 8.0, 16.0], "floor": [1.0, 4.0, 16.0, 64.0]}
COST |= {"from": 2, "seconds_exponent": 1.0, "floor_exponent": 2.0}


def test_the_points_are_where_they_were_measured_and_the_lines_have_the_exponents_as_slopes():
    figure, axes = new_figure()
    draw_cost(axes, "H", COST)
    figure.canvas.draw()
    points, line, _, floor_points, floor_line, _ = axes.lines
    for drawn, what in ((points, "seconds"), (floor_points, "floor")):
        assert (list(drawn.get_xdata()), list(drawn.get_ydata())) == (COST["values"], COST[what])
    for drawn, what in ((line, "seconds"), (floor_line, "floor")):  # exact power laws from 2 on
        assert list(drawn.get_xdata()) == [2, 4, 8]
        assert list(drawn.get_ydata()) == pytest.approx(COST[what][1:])
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "2", "4", "8"]
    assert [text.get_text()[-9:] for text in axes.get_legend().get_texts()] == ["H^{1.00}$", "H^{2.00}$"]


def test_step_and_products_differ_in_mark_and_line_so_that_grey_will_do():
    figure, axes = new_figure()
    draw_cost(axes, "T", COST)
    figure.canvas.draw()
    legend = axes.get_legend()
    assert not legend.get_window_extent().overlaps(axes.xaxis.get_tightbbox())
    one, other = legend.get_lines()
    assert one.get_marker() != other.get_marker() and one.get_linestyle() != other.get_linestyle()


# the command ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def no_peers(monkeypatch):
    monkeypatch.setattr(costs.importlib.util, "find_spec", lambda name: None)


def test_bench_prints_one_table_and_writes_the_picture_and_the_numbers(tmp_path, capsys, no_peers):
    out = tmp_path / "a" / "folder"
    assert main(["bench", "--cell", "gru", "--size", "4,2,3,5", "--repeats", "1", "--out", str(out)]) == 0
    printed, told = capsys.readouterr()
    assert told.startswith("this takes about ")
    assert printed.startswith("gru, T=4, B=2, 3 inputs, H=5, float32: µs per time step")
    assert all(f"\n{name}  " in printed for name in (*PHASES, "all", "share"))
    numbers = json.loads((out / "bench.json").read_text())
    assert numbers["size"] == {"T": 4, "B": 2, "inputs": 3, "H": 5}
    assert [phase["name"] for phase in numbers["phases"]] == list(PHASES)
    assert set(numbers["costs"]) == {"T", "B", "H"}
    for axis, cost in numbers["costs"].items():
        assert numbers["size"][axis] in cost["values"] and cost["from"] in cost["values"]
        assert len(cost["values"]) == len(cost["seconds"]) == len(cost["floor"])
        for what in ("seconds", "floor"):
            exponent, error = cost[f"{what}_exponent"], cost[f"{what}_exponent_error"]
            assert (exponent is None) == (error is None)
            assert exponent is None or (np.isfinite(exponent) and error < 0.15)
    assert "cores busy" in numbers["machine"] or "does not say" in numbers["machine"]
    assert printed.count("\nfrom ") == 3
    picture = matplotlib.image.imread(out / "bench.png")
    assert len(np.unique(picture[..., 0])) > 10  # something is drawn
    assert sorted(path.name for path in out.iterdir()) == ["bench.json", "bench.png"]


@pytest.mark.parametrize(
    "line, message",
    [
        ("--size 4,2,3", r"--size must be four whole numbers of at least 1, T,B,in,H, got '4,2,3'"),
        ("--size 4,2,3,0", "--size must be four whole numbers"),
        ("--size 4,2,3,x", "--size must be four whole numbers"),
        ("--size 4,2,3,-1", "--size must be four whole numbers"),
        ("--repeats 0", "--repeats must be at least 1, got 0"),
        ("--threads -1", "--threads must be at least 0, got -1"),
        ("--cell lstn", "unknown cell 'lstn'; choose from elman"),
        ("--size 4,2,3,5 --out /dev/null/x", "/dev/null/x"),
        ("--size 4000000000,4000000000,1,1", "too big"),
    ],
)
def test_a_mistake_is_one_line(line, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["bench", *line.split()]) == 2
    err = capsys.readouterr().err.split("\r")[-1].strip()
    assert message in err and err.startswith("tinyrnn: ") and "\n" not in err


@pytest.mark.parametrize(
    "refused, label", [({}, "compiled, 3 threads"), ({"forward": "why"}, "compiled, 3 threads (forward refused)")]
)
def test_a_compiled_cell_has_its_row_and_says_what_was_refused(refused, label, monkeypatch):
    class Compilable(tr.Elman):
        def compile(self, threads):
            self.runner = SimpleNamespace(threads=threads, why_not=refused)

        def forward(self, x):
            return None, None

        def backward(self, dh, tape):
            pass

    monkeypatch.setitem(CELLS, "compilable", (Compilable, {}))
    assert list(compiled("compilable", TINY, 1, threads=3)) == [label]


def test_the_row_of_the_compiled_cell_says_what_could_not_be_compiled(monkeypatch):
    def refuse(text):
        raise NoCompiler("found no C compiler")

    monkeypatch.setattr(kernels, "load", refuse)
    with pytest.warns(UserWarning, match="found no C compiler"):
        ((label, seconds),) = compiled("gru", TINY, 1, threads=1).items()
    assert label == "compiled, 1 thread (forward, backward, gradients refused)" and seconds > 0


@pytest.mark.parametrize("name", ["urnn", "elman-elu", "gru"])
def test_there_is_no_peer_where_pytorch_has_none_or_is_none(name, no_peers):
    assert peers(name, TINY, 1) == {}


@pytest.mark.parametrize("name", ["elman", "irnn", "lstm", "gru"])
def test_pytorch_has_its_row_and_its_threads_are_given_back(name):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    before = torch.get_num_threads()
    ((label, seconds),) = peers(name, TINY, 1, threads=1).items()
    assert label == f"PyTorch {torch.__version__}, 1 thread" and seconds > 0
    assert torch.get_num_threads() == before


def test_pytorch_is_not_loaded_with_the_command():
    code = "import sys, tinyrnn.commands.main; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
