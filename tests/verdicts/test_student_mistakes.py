"""Mistakes that students were seen to make, each in three programs of different style: the line is accused, no other,
and what is named there is that mistake.

Where each was seen: lectures/guide.md, "Mistakes that students make".
"""

import fnmatch
import functools
import importlib.util
import inspect
from typing import NamedTuple

import numpy as np
import pytest
import small_programs
from test_other_hands import SMALL, STYLES, example

import tinyrnn as tr


class Program(NamedTuple):
    """A program of a style, and pieces of lines of it that stand there otherwise."""

    style: str  # of other_styles, or the name of a text of small_programs
    name: str  # of the example
    changes: tuple  # (old, new), both without the rest of their line


def program(style, name, *changes):
    return Program(style, name, tuple(zip(changes[::2], changes[1::2], strict=True)))


R = functools.partial(program, "homework")
C = functools.partial(program, "inplace")
K = functools.partial(program, "classes")
# what is wrong: (patterns of the names that fit), three programs
MISTAKES = {
    "nothing carried back": (
        ("*-nothing-carried-back", "*-above-alone"),
        R("rnn", "dnext_h = dh[:, t, :] + dprev_h", "dnext_h = dh[:, t, :]"),
        C("rnn", "dh = Why.T @ dy + dhnext ", "dh = Why.T @ dy "),
        K("TimeRNN", "dhs[:, t, :] + dh)", "dhs[:, t, :])"),
    ),
    "the cell carries nothing": (
        ("cell-carry-lost", "cell-carry-cut", "*-carry-misses-*"),
        R("lstm step", "dprev_c = dnext_c * f", "dprev_c = 0 * dnext_c"),
        C("lstm", "dcnext = f[t] * dc", "dcnext = np.zeros_like(dc)"),
        K("LSTM", "dc_prev = ds * f", "dc_prev = np.zeros_like(ds)"),
    ),
    "a weight not transposed": (
        ("*-not-transposed*",),
        R("rnn step", "dprev_h = da.dot(Wh.T)", "dprev_h = da.dot(Wh)"),
        C("rnn", "dhnext = Whh.T @ dhraw", "dhnext = Whh @ dhraw"),
        K("RNN", "np.dot(dt, Wh.T)", "np.dot(dt, Wh)"),
    ),
    "the square forgotten": (
        ("*-square-forgotten",),
        R("rnn step", "(1 - next_h**2)", "(1 - next_h)"),
        C("rnn", "(1 - hs[t] * hs[t])", "(1 - hs[t])"),
        K("RNN", "(1 - h_next**2)", "(1 - h_next)"),
    ),
    "divided by the derivative": (
        ("*-divided-by-the-derivative",),
        R("rnn step", "dnext_h * (1 - next_h**2)", "dnext_h / (1 - next_h**2)"),
        C("rnn", "dhraw = (1 - hs[t] * hs[t]) * dh", "dhraw = dh / (1 - hs[t] * hs[t])"),
        K("RNN", "dh_next * (1 - h_next**2)", "dh_next / (1 - h_next**2)"),
    ),
    "a sigmoid for its derivative": (
        ("*-derivative-without-the-shut-part", "*sigmoid-for-its-derivative"),
        R("lstm step", "daf = df * f * (1 - f)", "daf = df * f"),
        C("lstm", "df_raw = dc * c[t - 1] * f[t] * (1 - f[t])", "df_raw = dc * c[t - 1] * f[t]"),
        K("LSTM", "df *= f * (1 - f)", "df *= f"),
    ),
    "a gate copied from another": (
        ("gate-f-copied-from-gate-i", "gate-f-with-the-slope-of-gate-i", "input-gate-*", "*-with-i"),
        R("lstm step", "daf = df * f * (1 - f)", "daf = di * i * (1 - i)"),
        C("lstm", "df_raw = dc * c[t - 1] * f[t] * (1 - f[t])", "df_raw = dc * g[t] * i[t] * (1 - i[t])"),
        K("LSTM", "df *= f * (1 - f)", "df *= i * (1 - i)"),
    ),
    "the state after the step": (
        ("*-with-the-state-after-the-step",),
        R("rnn step", "dWh = prev_h.T.dot(da)", "dWh = next_h.T.dot(da)"),
        C("rnn", "hs[t - 1].T", "hs[t].T"),
        K("RNN", "np.dot(h_prev.T, dt)", "np.dot(h_next.T, dt)"),
    ),
    "a mean where the sum should be": (
        ("*averaged-over-the-batch*",),
        R("rnn step", "db = da.sum(axis=0)", "db = da.mean(axis=0)"),
        C("lstm", 'grads["by"] += dys[t].sum(', 'grads["by"] += dys[t].mean('),
        K("RNN", "db = np.sum(dt, axis=0)", "db = np.mean(dt, axis=0)"),
    ),
    "the last term alone": (
        ("*-from-the-first-step-alone",),
        R("rnn", "dWh += dWh_t", "dWh = dWh_t"),
        C("rnn", "dWxh += dhraw @ xs[t].T", "dWxh = dhraw @ xs[t].T"),
        K("TimeRNN", "grads[i] += grad", "grads[i] = grad.copy()"),
    ),
    "the loop runs forwards": (
        ("*backward-loop-runs-forwards",),
        R("rnn", "for t in reversed(range(T))", "for t in range(T)"),
        C("rnn", "for t in reversed(range(len(xs)))", "for t in range(len(xs))"),
        K("TimeRNN", "for t in reversed(range(T))", "for t in range(T)"),
    ),
    "a mask forgotten in one of several places": (
        ("*mask*", "padding-gets-a-gradient"),
        program("MASKED_FUNCTIONS", "rnn", "da = mask[t] * dh", "da = dh"),
        program("MASKED_COLUMNS", "loss", "dWhy += keep[t] * es[t]", "dWhy += es[t]"),
        program("MASKED_CLASS", "Pool", "weighted = mask[:, :, None] * x", "weighted = x"),
    ),
    "T for T - 1": (
        ("divided-by-one-too-many",),
        program("SMOOTH", "smooth", "dloss * steps / (T - 1)", "dloss * steps / T"),
        program("SPREAD", "Spread", "self.centred * dvar / (T - 1)", "self.centred * dvar / T"),
        program("FORECAST", "forecast", "2 * error / (T - 1)", "2 * error / T"),
    ),
    "a bracket forgotten below the line": (
        ("bracket-forgotten-below-the-line",),
        program("STENCIL", "slope", "dy / (12 * eps)", "dy / 12 * eps"),
        program("SCALED", "Norm", "/ (size * size * size)", "/ size * size * size"),
        program("AVERAGED", "average", "(p - hot) / (T * N * temperature)", "(p - hot) / (T * N) * temperature"),
    ),
    "two mistakes in one result": (
        ("*",),
        R(
            "gru step",
            "dprev_h = dnext_h * z",
            "dprev_h = dnext_h * (1 - z)",
            "dprev_h += dah.dot",
            "dprev_h -= dah.dot",
        ),
        C("gru", "dhnext = dh * (1 - u_t)", "dhnext = dh * u_t", "dhnext += dzr[:H] * r_t", "dhnext += dzr[:H]"),
        K("GRU", "dh_prev = dh_next * (1 - z)", "dh_prev = dh_next * z", "dh_prev += tmp * r", "dh_prev += tmp"),
    ),
    "two mistakes in two results": (
        ("*",),
        R("lstm step", "dprev_c = dnext_c * f", "dprev_c = dnext_c", "db = np.sum(da", "db = np.mean(da"),
        C("rnn", "dWhh += dhraw @ hs[t - 1].T", "dWhh -= dhraw @ hs[t - 1].T", "dbh += dhraw", "dbh = dhraw"),
        K("LSTM", "dc_prev = ds * f", "dc_prev = ds", "do *= o * (1 - o)", "do *= o"),
    ),
}
CASES = {f"{what}: {one.style}": (what, one) for what, (_, *programs) in MISTAKES.items() for one in programs}
QUICK = (
    "the square forgotten: homework",
    "the state after the step: classes",
    "a bracket forgotten below the line: STENCIL",
    "T for T - 1: SMOOTH",
)


NEIGHBOUR = "a statement beside it is accused: right values there explain as much"
ONE_FOR_BOTH = "the line where both come together is accused: right values there make up for both"
NOT_YET = {
    "a mask forgotten in one of several places: MASKED_CLASS": NEIGHBOUR,
    "two mistakes in one result: inplace": ONE_FOR_BOTH,
}
UNNAMED = ("two mistakes in one result",)  # neither has the numbers that it gives alone


def given(style, module, name):
    """What `tr.lines` is given of a program."""
    r = np.random.default_rng(0).normal
    mask = np.array([[1, 1], [1, 1], [1, 0]], float)
    return {
        "MASKED_FUNCTIONS": lambda: (
            module.rnn_forward,
            module.rnn_backward,
            {
                "x": r(size=(3, 2, 3)),
                "h0": r(size=(2, 4)),
                "Wx": r(size=(3, 4)),
                "Wh": r(size=(4, 4)),
                "mask": mask[:, :, None],
            },
        ),
        "MASKED_COLUMNS": lambda: (
            module.loss_and_grads,
            None,
            {"xs": r(size=(3, 3, 1)), "keep": np.array([1.0, 0, 1]), "targets": r(size=(3, 2, 1))}
            | {"Wxh": r(size=(4, 3)), "Whh": r(size=(4, 4)), "Why": r(size=(2, 4))},
        ),
        "MASKED_CLASS": lambda: passes(module.Pool(r(size=(3, 4))), {"x": r(size=(3, 2, 3)), "mask": mask}),
        "SMOOTH": lambda: (module.smooth_forward, module.smooth_backward, {"h": r(size=(4, 2, 3))}),
        "SPREAD": lambda: passes(module.Spread(), {"x": r(size=(4, 2, 3))}),
        "FORECAST": lambda: (module.forecast, None, {"x": r(size=(5, 2, 3)), "W": r(size=(3, 3))}),
        "STENCIL": lambda: (module.slope_forward, module.slope_backward, {"x": r(size=(6, 2)), "eps": 0.3}),
        "SCALED": lambda: passes(module.Norm(r(size=3)), {"x": r(size=(2, 3))}),
        "AVERAGED": lambda: (
            module.average,
            None,
            {"scores": r(size=(2, 2, 3)), "labels": np.array([[0, 2], [1, 1]]), "temperature": 0.7},
        ),
    }.get(style, lambda: example(module, style, name, **SMALL))()


def passes(layer, inputs):
    return layer.forward, layer.backward, inputs


def source_of(style):
    return (
        inspect.getsource(STYLES[style])
        if style in STYLES
        else f"import numpy as np\n\n{getattr(small_programs, style)}"
    )


def changed(program):
    """(the text of a program with its mistakes, the numbers of the lines where they are)."""
    text, lines = source_of(program.style), set()
    for old, new in program.changes:
        places = [k for k in range(len(text)) if text.startswith(old, k)]
        names = ("backward", "grads", "forecast", "average")
        fit = [k for k in places if any(n in function_at(text, k) for n in names) and is_of(program, text, k)]
        assert len(fit) == 1, (old, len(fit))
        text = text[: fit[0]] + new + text[fit[0] + len(old) :]
        lines.add(text[: fit[0]].count("\n") + 1)
    return text, lines


def function_at(text, place):
    """The name of the function that a place is in."""
    return text[:place].rpartition("def ")[2].partition("(")[0]


def is_of(program, text, place):
    """Whether a place is in the class, or the function, that a program is about."""
    before = text[:place]
    if program.style in ("homework", "inplace"):
        return f"def {program.name.replace(' ', '_')}_backward" in before[before.rindex("\ndef ") :]
    if program.style == "classes":
        return f"class {program.name}(" in before[before.rindex("\nclass ") :]
    return True


def load(text, folder, name):
    file = folder / f"{name}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def judged(text, program, folder):
    forward, backward, inputs = given(program.style, load(text, folder, program.style), program.name)
    return tr.lines(forward, inputs=inputs, jac=True) if backward is None else tr.lines(forward, backward, inputs)


@pytest.mark.slow
@pytest.mark.parametrize("style", [name for name in vars(small_programs) if name.isupper()])
def test_the_small_programs_are_right(style, tmp_path):
    report = judged(source_of(style), Program(style, "", ()), tmp_path)
    assert report.ok and report.rows, str(report)


def case(name):
    marks = [] if name in QUICK else [pytest.mark.slow]
    marks += [pytest.mark.xfail(reason=NOT_YET[name], strict=True, raises=AssertionError)] if name in NOT_YET else []
    return pytest.param(name, marks=marks)


@pytest.mark.few(1)
@pytest.mark.sample(14)
@pytest.mark.parametrize("name", [case(name) for name in CASES])
def test_a_mistake_that_students_make_is_accused_and_named_as_what_it_is(name, tmp_path):
    what, program = CASES[name]
    text, lines = changed(program)
    report = judged(text, program, tmp_path)
    assert {row.line for row in report.wrong} == lines, str(report)
    named = [row.mistake["name"] for row in report.wrong if row.mistake]
    patterns, *_ = MISTAKES[what]
    assert len(named) == (0 if what in UNNAMED else len(lines)), str(report)
    assert all(any(fnmatch.fnmatch(found, pattern) for pattern in patterns) for found in named), named


def test_each_is_in_three_programs_of_different_style():
    assert all(len({one.style for one in programs}) == 3 for _, *programs in MISTAKES.values())
