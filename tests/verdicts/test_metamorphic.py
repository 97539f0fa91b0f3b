"""A verdict goes by what is computed, not by how it is written: rewritten, the image of the same line is accused."""

import importlib.util
import inspect
import sys

import numpy as np
import pytest
from metamorphic import TRANSFORMS, rewritten, statement_of
from other_styles import homework, inplace

import tinyrnn as tr

STYLES = {"homework": homework, "inplace": inplace}
# style, example, function, piece of one line of it, and the mistake
TANH = ("homework", "rnn step", "rnn_step_backward", "(1 - next_h**2)", "(1 - next_h)")
WEIGHTS = ("homework", "rnn step", "rnn_step_backward", "dx = da.dot(Wx.T)", "dx = -da.dot(Wx.T)")
BIAS = ("homework", "rnn step", "rnn_step_backward", "db = da.sum(axis=0)", "db = da.mean(axis=0)")


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Writes a module and imports it."""

    def load(text, name):
        file = tmp_path / f"{name}.py"
        file.write_text(text)
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return load


def example_of(module, name):
    """(forward, backward, inputs by place): a function whose arguments have other names takes them too."""
    forward, backward, inputs = module.examples(np.random.default_rng(0))[name]
    return forward, backward, tuple(inputs.values())


def gradients(module, name):
    forward, backward, inputs = example_of(module, name)
    *outputs, cache = forward(*inputs)
    return backward(*(np.cos(out) for out in outputs), cache)


def source_with(style, function, old, new):
    source = inspect.getsource(STYLES[style])
    start = source.index(f"def {function}(")
    end = source.index("\ndef ", start)
    assert source[start:end].count(old) == 1
    return source[:start] + source[start:end].replace(old, new) + source[end:]


@pytest.mark.sample(10)
@pytest.mark.slow
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("style, name", [("homework", "rnn step"), ("homework", "gru step")])
def test_a_transformation_changes_no_number(load, style, name, transform):
    source = inspect.getsource(STYLES[style])
    text, origins = rewritten(source, TRANSFORMS[transform])
    assert set().union(*origins.values()) == {statement_of(source, line) for line in set().union(*origins.values())}
    for old, new in zip(gradients(load(source, "before"), name), gradients(load(text, "after"), name), strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-12, atol=1e-12)


@pytest.mark.sample(8)
@pytest.mark.slow
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_right_code_is_accused_in_no_form(load, transform):
    text, _ = rewritten(inspect.getsource(homework), TRANSFORMS[transform])
    report = tr.lines(*example_of(load(text, "right"), "rnn step"))
    assert report.ok, str(report)


PLAIN: dict = {}  # mistake -> the lines accused where nothing is rewritten, judged once
QUICK = ("parts of expressions named", "a += b for a = a + b", "a dict for the cache")


@pytest.mark.sample(8)
@pytest.mark.parametrize("transform", [t if t in QUICK else slow(t) for t in TRANSFORMS])
@pytest.mark.parametrize("mistake", [TANH, slow(WEIGHTS), slow(BIAS)], ids=lambda mistake: mistake[-1])
def test_the_accused_line_is_the_image_of_the_same_line(load, mistake, transform):
    style, name, *change = mistake
    source = source_with(style, *change)
    text, origins = rewritten(source, TRANSFORMS[transform])
    if mistake not in PLAIN:
        PLAIN[mistake] = {row.line for row in tr.lines(*example_of(load(source, "plain"), name)).wrong}
    plain = PLAIN[mistake]
    assert len(plain) == 1
    accused = {row.line for row in tr.lines(*example_of(load(text, "otherwise"), name)).wrong}
    assert accused and all(origins[statement_of(text, line)] & plain for line in accused)


LAYOUTS = {  # wrappers around two functions of homework.py, and how their inputs lie then
    "columns": (
        "rnn step",
        """
def outer_forward(x, prev_h, Wx, Wh, b):
    next_h, cache = rnn_step_forward(x.T, prev_h.T, Wx.T, Wh.T, b)
    return next_h.T, cache


def outer_backward(dnext_h, cache):
    dx, dprev_h, dWx, dWh, db = rnn_step_backward(dnext_h.T, cache)
    return dx.T, dprev_h.T, dWx.T, dWh.T, db
""",
        lambda x, prev_h, Wx, Wh, b: (x.T, prev_h.T, Wx.T, Wh.T, b),
    ),
    "time first": (
        "rnn",
        """
def outer_forward(x, h0, Wx, Wh, b):
    h, cache = rnn_forward(x.transpose(1, 0, 2), h0, Wx, Wh, b)
    return h.transpose(1, 0, 2), cache


def outer_backward(dh, cache):
    dx, dh0, dWx, dWh, db = rnn_backward(dh.transpose(1, 0, 2), cache)
    return dx.transpose(1, 0, 2), dh0, dWx, dWh, db
""",
        lambda x, *others: (x.transpose(1, 0, 2).copy(), *others),
    ),
    "a list over time": (
        "rnn",
        """
def outer_forward(x, h0, Wx, Wh, b):
    h, cache = rnn_forward(np.stack(x, axis=1), h0, Wx, Wh, b)
    return h, cache


def outer_backward(dh, cache):
    dx, dh0, dWx, dWh, db = rnn_backward(dh, cache)
    return [dx[:, t] for t in range(dx.shape[1])], dh0, dWx, dWh, db
""",
        lambda x, *others: ([x[:, t].copy() for t in range(x.shape[1])], *others),
    ),
}


LAID = [(layout, change) for layout in LAYOUTS for change in (None, TANH, BIAS)]


def laid_out(layout, change):
    return pytest.param(layout, change, id=f"{layout}, {change[-1] if change else 'right'}")


@pytest.mark.slow
@pytest.mark.parametrize("layout, change", [laid_out(*case) for case in LAID])
def test_the_same_line_is_accused_however_arrays_lie(load, layout, change):
    name, wrappers, lay = LAYOUTS[layout]
    source = source_with("homework", *change[2:]) if change else inspect.getsource(homework)
    module = load(source + wrappers, "laid")
    report = tr.lines(module.outer_forward, module.outer_backward, lay(*example_of(module, name)[2]))
    line = source[: source.index(change[-1])].count("\n") + 1 if change else None
    assert {row.line for row in report.wrong} == ({line} if change else set()), str(report)


GATE_ORDERS = ("ai, af, ao, ag", "ag, ai, ao, af", "af, ag, ai, ao")
IN_GATES = (
    ("daf = df * f * (1 - f)", "daf = df * f"),
    ("dprev_c = dnext_c * f", "dprev_c = dnext_c  # f"),
    ("db = np.sum(", "db = np.mean("),
)


@pytest.mark.slow
@pytest.mark.parametrize("order", GATE_ORDERS)
@pytest.mark.parametrize("old, new", [*IN_GATES, ("", "")], ids=["gate", "carry", "bias", "right"])
def test_the_same_line_is_accused_in_every_order_of_the_gates(load, order, old, new):
    source = source_with("homework", "lstm_step_backward", old, new) if old else inspect.getsource(homework)
    line = source[: source.index(new)].count("\n") + 1
    joined = "".join(f"d{gate}, " for gate in order.split(", ")).rstrip(", ")
    source = source.replace("ai, af, ao, ag = np.split", f"{order} = np.split").replace(
        "dai, daf, dao, dag))", f"{joined}))"
    )
    report = tr.lines(*example_of(load(source, "gates"), "lstm step"))
    assert {row.line for row in report.wrong} == ({line} if old else set()), str(report)
