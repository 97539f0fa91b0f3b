"""Learning curves: the right numbers are drawn, nothing hides anything else, and no window is opened."""

import subprocess
import sys

import matplotlib.image
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.tasks import TASKS
from tinyrnn.training.plots import STYLES, draw_curves, new_figure, plot_curve, smooth

COPY = TASKS["copy"](delay=5, length=3)


def rows(n=60, every=10, tests=()):
    """A falling loss; test losses at the numbered rows."""
    steps = range(every, (n + 1) * every, every)
    return [
        {"step": step, "loss": 2 / step} | ({"test_loss": 1 / step} if k in tests else {})
        for k, step in enumerate(steps)
    ]


def drawn(curves, task=COPY):
    figure, axes = new_figure()
    draw_curves(axes, curves, task)
    figure.canvas.draw()
    return figure, axes


losses = st.lists(st.floats(1e-6, 1e3), max_size=30)


@given(losses, st.integers(0, 40))
def test_a_smoothed_value_is_a_mean_of_neighbours_and_the_last_one_of_all_within_reach(values, reach):
    smoothed = smooth(values, reach)
    assert len(smoothed) == len(values)
    for k, mean in enumerate(smoothed):
        near = values[max(0, k - reach) : k + reach + 1]
        assert min(near) - 1e-9 <= mean <= max(near) + 1e-9
    if values:
        assert smoothed[-1] == pytest.approx(np.mean(values[-reach - 1 :]))


@given(st.integers(2, 30), st.integers(0, 40))
def test_smoothing_does_not_shift_the_first_half_of_a_straight_line(n, reach):
    reach = min(reach, n // 4)
    values = [3.0 + 2 * k for k in range(n)]
    half = n // 2
    assert smooth(values, reach)[:half] == pytest.approx(values[:half])


def test_the_losses_the_tests_and_the_baseline_are_drawn_where_they_belong():
    _, axes = drawn({"lstm": rows(n=40, tests=(10, 39))})
    raw, smoothed, tests, _, baseline = axes.lines
    assert list(raw.get_xdata()) == list(smoothed.get_xdata()) == list(range(10, 410, 10))
    assert list(raw.get_ydata()) == [2 / step for step in range(10, 410, 10)]
    assert (list(tests.get_xdata()), list(tests.get_ydata())) == ([110, 400], [1 / 110, 1 / 400])
    assert list(baseline.get_ydata()) == [COPY.baseline] * 2
    assert axes.get_yscale() == "log" and axes.get_xlim()[0] == 0


def test_the_legend_explains_every_mark_and_covers_none():
    figure, axes = drawn({"lstm": rows(tests=(5,)), "gru": rows(tests=(5,))})
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["lstm", "gru", "test loss", "no memory: guess the symbols (0.567)"]
    legend = axes.get_legend().get_window_extent()
    assert not legend.overlaps(axes.get_window_extent())
    assert not legend.overlaps(axes.xaxis.get_tightbbox())
    page = figure.bbox
    assert page.x0 <= legend.x0 and legend.x1 <= page.x1 and page.y0 <= legend.y0


def test_ticks_are_plain_numbers():
    for curves in {"lstm": rows()}, {"lstm": [{"step": 1, "loss": 0.4}, {"step": 2, "loss": 0.9}]}:
        _, axes = drawn(curves)
        ticks = [*axes.yaxis.get_majorticklabels(), *axes.yaxis.get_minorticklabels()]
        labels = [label.get_text() for label in ticks if label.get_text()]
        assert len(labels) >= 2 and all(float(label) > 0 for label in labels)


def test_curves_differ_in_colour_and_in_line_so_that_grey_will_do():
    colours, lines = zip(*STYLES, strict=True)
    assert len(set(colours)) == len(set(lines)) == len(STYLES) >= 5
    _, axes = drawn({f"cell {k}": rows() for k in range(len(STYLES))})
    assert [line.get_color() for line in axes.lines[1:-1:2]] == list(colours)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "curves",
    [{}, {"lstm": []}, {"lstm": rows(1)}, {"lstm": [{"step": 1, "loss": 0.0}]}, {f"c{k}": rows(2) for k in range(20)}],
    ids=["no curves", "no rows", "one row", "a loss of zero", "more curves than styles"],
)
def test_curves_of_any_number_and_length_can_be_drawn(curves, tmp_path):
    plot_curve(tmp_path / "curve.png", curves, COPY, "title")
    assert matplotlib.image.imread(tmp_path / "curve.png").shape == (540, 960, 4)


@pytest.mark.parametrize(
    "task, unit",
    [
        (COPY, "nats per step"),
        (TASKS["mnist"](), "nats"),
        (TASKS["adding"](), "squared error"),
    ],
    ids=["every step", "last step", "squared error"],
)
def test_the_axis_names_the_unit(task, unit):
    _, axes = drawn({"lstm": rows()}, task)
    assert axes.get_ylabel() == f"training loss ({unit})"


@pytest.mark.slow
def test_nothing_global_is_opened(tmp_path):
    code = (
        "import sys; from tinyrnn.training.plots import plot_curve; from tinyrnn.tasks import TASKS; "
        "plot_curve(sys.argv[1], {}, TASKS['copy'](delay=5), ''); assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "curve.png")], check=True)
