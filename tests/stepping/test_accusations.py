"""Planted mistakes are accused in a recording: on their line, at every step where they show, and on no other line."""

import functools
import importlib.util
import inspect
from pathlib import Path

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.stepping.recording import AGREES

slow = functools.partial(pytest.param, marks=pytest.mark.slow)
MISTAKES = [  # cell, right, wrong
    (tr.Elman, "dh * self.dphi(h)", "dh * self.dphi(h) * h"),
    slow(tr.LSTM, "(1 - tanh_c * tanh_c)", "(1 - tanh_c)"),
    slow(tr.LSTM, "df = dc * c_prev", "df = dc * tanh_c"),
    slow(tr.LSTM, "dc_prev = dc * f", "dc_prev = dc * i"),
    slow(tr.LSTM, "weight_gradient(h_prev, da)", "2 * weight_gradient(h_prev, da)"),
    slow(tr.GRU, "p.W_h.T", "p.W_h.T * 2"),
]


@pytest.mark.parametrize(("cls", "right", "wrong"), MISTAKES)
def test_a_planted_mistake_is_accused_on_its_line_and_nowhere_else(cls, right, wrong, tmp_path):
    cell = planted(cls, right, wrong, tmp_path)
    recording = tr.trace(cell, T=3, numerical=True)
    accused = {event.text for event in recording if event.wrong}
    (text,) = accused
    assert wrong in text
    first = recording[recording.find(wrong=True)]
    assert first.backward and first.error > AGREES


def planted(cls, right, wrong, folder):
    """A cell of a class whose whole source stands in a file, with a mistake in it."""
    source = Path(inspect.getsourcefile(cls)).read_text("utf-8")
    assert source.count(right) == 1
    file = folder / f"planted_{cls.__name__.lower()}.py"
    file.write_text(source.replace(right, wrong), "utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, cls.__name__)(2, 3, rng=0)


@pytest.mark.slow
def test_a_mistake_that_zeros_hide_at_one_step_is_not_blamed_on_other_lines_there(tmp_path):
    """At the first step h_prev is zero, and dU right by chance: that is no reason to accuse the lines after `da`."""
    module = wrong_file(tmp_path, "h = np.tanh(x @ p['W'] + h_prev @ p['U'])", "da = dstate[0] * (1 - h)")
    recording = tr.trace(module, T=3, numerical=True)
    assert {event.text for event in recording if event.wrong} == {"da = dstate[0] * (1 - h)"}
    assert [event.t for event in recording if event.wrong] == [2, 1, 0]
    assert recording.find(wrong=True) == recording.find(name="da")


def wrong_file(folder, forward, backward):
    """A student's cell in a file of its own."""
    text = f"""import numpy as np

def step(p, x, state):
    (h_prev,) = state
    {forward}
    return (h,), (x, h_prev, h)

def step_backward(p, cache, dstate):
    x, h_prev, h = cache
    {backward}
    dx, dh_prev = da @ p['W'].T, da @ p['U'].T
    return dx, (dh_prev,), {{'W': x.T @ da, 'U': h_prev.T @ da}}
"""
    (folder / "mine.py").write_text(text)
    space = {}
    exec(compile(text, str(folder / "mine.py"), "exec"), space)
    rng = np.random.default_rng(0)
    params = {"W": rng.normal(size=(2, 3)), "U": rng.normal(size=(3, 3))}
    return tr.StepCell(space["step"], space["step_backward"], params=params, input_size=2, state_sizes=3)


def test_a_right_cell_in_a_students_hand_is_not_accused(tmp_path):
    cell = wrong_file(tmp_path, "h = np.tanh(x @ p['W'] + h_prev @ p['U'])", "da = dstate[0] * (1 - h * h)")
    recording = tr.trace(cell, T=3, numerical=True)
    assert max(event.error for event in recording if event.numerical is not None) < AGREES
    assert recording.find(wrong=True) is None and recording.data["accusations"] == []
