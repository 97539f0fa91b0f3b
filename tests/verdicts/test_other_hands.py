"""Code by other hands: nothing is said against it where it is right; where one line is wrong, that line is named."""

import functools
import importlib.util
import inspect
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from other_styles import classes, homework, inplace
from other_styles.mistakes import MISTAKES

from tinyrnn.verdicts.judge.reporting import report_on
from tinyrnn.verdicts.subjects.functions import FunctionPair

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes

STYLES = {"homework": homework, "inplace": inplace, "classes": classes}
EXAMPLES = [(style, name) for style, module in STYLES.items() for name in module.examples(np.random.default_rng(0))]
SMALL = dict(N=2, T=3, D=3, H=4, K=5)
INNOCENT = "it is not the gradient its name says"


def resized(value, sizes, rng):
    """Like `value`, an argument of an example, with random arrays; sizes: length of an axis -> new length."""
    if isinstance(value, dict):
        return {key: resized(entry, sizes, rng) for key, entry in value.items()}
    if isinstance(value, list):
        return [resized(entry, sizes, rng) for entry in value]
    if not isinstance(value, np.ndarray):
        return value
    shape = [sizes[n] for n in value.shape]
    return rng.integers(0, sizes[7], shape) if value.dtype.kind == "i" else rng.normal(scale=0.7, size=shape)


def example(module, style, name, seed=0, *, N, T, D, H, K):
    """(forward, backward, inputs) of an example with other sizes; K: of the output."""
    sizes = {3: N, 6: T, 4: D, 5: H, 7: K, 15: 3 * H, 20: 4 * H, 2: 2, 8: 2 * D}
    if style == "inplace":
        sizes = {1: 1, 4: T, 3: D, 5: H, 2: K, 6: N, 8: H + D}
    rng = np.random.default_rng(seed)
    forward, backward, inputs = module.examples(rng)[name]
    if inspect.ismethod(forward):
        layer = forward.__self__
        vars(layer).update(resized(vars(layer), sizes, rng))
    return forward, backward, resized(inputs, sizes, rng)


@functools.cache
def report_of(style, name, seed=0, **sizes):
    return report_on(FunctionPair(*example(STYLES[style], style, name, seed, **{**SMALL, **sizes})))


def accused(report):
    return {(row.function, row.line) for row in report.wrong}


def suspected(report):
    """Names that were found not to be what they say, and let off."""
    return {row.name for row in report.unjudged if INNOCENT in row.how[0]}


# right code -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style, name", EXAMPLES)
def test_nothing_is_said_against_right_code(style, name):
    report = report_of(style, name)
    assert report.ok and bool(report), str(report)
    assert report.wrong == report.problems == [] and report.first_wrong is None
    assert suspected(report) == set()
    assert all(row.how for row in report.unjudged)
    assert sum(row.verdict == "ok" for row in report.rows) >= (2 if name == "softmax loss" else 5)


size = st.integers(1, 4)


@settings(derandomize=True, max_examples=25, phases=[Phase.generate])  # to shrink takes minutes
@given(
    st.sampled_from(EXAMPLES),
    st.fixed_dictionaries(dict(N=size, T=size, D=size, H=size, K=size)),
    st.integers(0, 2**32 - 1),
)
def test_nothing_is_said_against_right_code_of_any_size(which, sizes, seed):
    report = report_of.__wrapped__(*which, seed, **sizes)
    assert report.ok, str(report)
    assert suspected(report) == set()


@pytest.mark.parametrize("style, name", [("homework", "rnn step"), ("inplace", "rnn"), ("classes", "TimeGRU")])
def test_forward_passes_fit_for_the_complex_step_are_judged_by_it(style, name):
    report = report_of(style, name)
    assert not any("central differences" in note for note in report.notes)
    assert max(row.error for row in report.rows if row.verdict == "ok") < 1e-11


def length(x):
    size = np.sqrt(np.vdot(x, x).real)
    y = x / size
    return y, size


def length_backward(dy, dsize, x, size):
    dx = dy / size
    dsize = dsize - (dy * x).sum() / size**2
    dx += dsize * x / size
    return dx


def test_where_the_complex_step_fails_the_report_says_so_and_why():
    report = report_on(FunctionPair(length, length_backward, {"x": np.array([1.0, -2, 0.5])}))
    assert report.ok and {row.name for row in report.rows if row.verdict == "ok"} >= {"dx", "dsize"}
    (note,) = [note for note in report.notes if "central differences" in note]
    assert "imaginary part gets lost" in note


NO_PARTNER = "nothing in the forward pass goes by that name"


@pytest.mark.parametrize(
    "style, name, unjudged",
    [
        ("homework", "rnn", {("rnn_backward", f"d{W}_t") for W in ("Wx", "Wh", "b")}),
        ("homework", "lstm step", set()),
        ("homework", "gru step", set()),
        ("inplace", "lstm", set()),
        ("inplace", "gru", set()),
        ("classes", "GRU", set()),
    ],
)
def test_names_without_a_partner_are_listed_as_unjudged_with_the_reason(style, name, unjudged):
    report = report_of(style, name)
    assert {(row.function, row.name) for row in report.unjudged} == unjudged
    assert all(row.how == [NO_PARTNER] for row in report.unjudged)


def test_one_step_from_a_zero_state_is_not_taken_for_a_known_mistake():
    assert report_of("classes", "TimeGRU", seed=3, T=1).ok


# one wrong line -------------------------------------------------------------------------------------------------------


def planted(mistake, folder):
    """A module with the mistake in it, written to `folder`, and the number of the wrong line."""
    module = STYLES[mistake.style]
    function = module
    for part in mistake.function.split("."):
        function = getattr(function, part)
    source, (block, first) = Path(module.__file__).read_text(), inspect.getsourcelines(function)
    text = "".join(block)
    assert text.count(mistake.old) == 1, mistake
    changed = text.replace(mistake.old, mistake.new)
    assert source.count(text) == 1 and changed.count("\n") == text.count("\n")
    path = folder / f"{mistake.style}.py"
    path.write_text(source.replace(text, changed))
    spec = importlib.util.spec_from_file_location(mistake.style, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made, first + text[: text.index(mistake.old)].count("\n")


def case(mistake):
    """A parameter; where a mistake is found in spite of a reason against it, that has to be taken away."""
    marks = [pytest.mark.xfail(strict=True, raises=AssertionError, reason=mistake.why)] if mistake.why else []
    return pytest.param(mistake, marks=marks, id=f"{mistake.style}: {mistake.function}: {mistake.new}")


@pytest.mark.sample(8)  # and those that are expected to fail
@pytest.mark.parametrize("mistake", [case(mistake) for mistake in MISTAKES])
def test_a_wrong_line_is_accused_and_no_other(mistake, tmp_path):
    module, line = planted(mistake, tmp_path)
    report = report_on(FunctionPair(*example(module, mistake.style, mistake.name, **SMALL)))
    if report.ok:
        pytest.fail("nothing is said against it")
    assert accused(report) == {(mistake.function, line)} and report.problems == [], str(report)
