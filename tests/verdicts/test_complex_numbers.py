"""Backward passes written with complex numbers are judged line by line like any others."""

import functools
import importlib.util
import json

import numpy as np
import pytest
from students import copy_of_hands, wrong_lines

import tinyrnn as tr

CONJUGATE, FACTOR = ("dh = dre + 1j * dim", "dh = dre - 1j * dim"), ("dV = x.T @ dz", "dV = 1j * (x.T @ dz)")
SIGN = ("dsize = dshifted - ", "dsize = dshifted + ")
PLANTED = [  # what stands in other_styles/complex_numbers.py, what stands there instead
    CONJUGATE,
    ("dlength = (dh * u.conj()).real", "dlength = (dh * u).real"),
    ("dlength = (dh * u.conj()).real", "dlength = (dh * u.conj()).imag"),
    ("du = dh * length", "du = dh.conj() * length"),
    SIGN,
    ("dz = du / size + dsize * u", "dz = du / size + dsize * u.conj()"),
    ("dz = du / size + dsize * u", "dz = du / size"),
    FACTOR,
    ("(dz @ V.conj().T).real", "(dz @ V.T).real"),
    ("ds = -2 / square * (dy3 * v.conj())", "ds = -2 / square * (dy3 * v)"),
    (" + ds.conj() @ y2 + ", " + ds @ y2 + "),
    (" + 2 * dsquare * v\n", "\n"),
    ("dy2 = dy3 + ds[:, None] * v", "dy2 = dy3 + ds[:, None] * v.conj()"),
    ("np.fft.ifft(dy2, norm", "np.fft.fft(dy2, norm"),
    ("dh_prev = dy1 * d.conj()", "dh_prev = dy1 * d"),
    ("dd = (dy1 * h_prev.conj())", "dd = (dy1 * h_prev)"),
    ("(1j * d).conj()).real", "(1j * d)).real"),
    ("dre_prev, dim_prev = dh_prev.real, dh_prev.imag", "dre_prev, dim_prev = dh_prev.real, -dh_prev.imag"),
]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """The report on the step with these changes, and the numbers of the changed lines; each is made once."""
    return functools.cache(lambda *planted: report_on_copy(tmp_path_factory.mktemp("changed"), *planted))


def report_on_copy(folder, *planted):
    path, numbers = copy_of_hands(folder, "complex_numbers.py", *planted)
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return tr.lines(module.urnn_step, module.urnn_step_backward, module.examples()["urnn_step"]), numbers


def test_every_complex_gradient_of_a_right_pass_is_judged_right(judged):
    report, _ = judged()
    assert report.ok and not report.unjudged
    right = {row.name for row in report.rows if row.verdict == "ok"}
    assert right >= {"dh", "du", "dz", "dV", "dy3", "ds", "dv", "dy2", "dy1", "dh_prev", "dd", "dtheta", "dsquare"}
    assert max(row.error for row in report.rows if row.error is not None) < 1e-8


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "old, new",
    [pytest.param(*pair, id=pair[1].strip(), marks=[pytest.mark.slow] * (pair != SIGN)) for pair in PLANTED],
)
def test_a_planted_mistake_is_found_at_its_line_and_nowhere_else(judged, old, new):
    report, (line,) = judged((old, new))
    assert wrong_lines(report) == {("urnn_step_backward", line)}


@pytest.mark.slow
def test_a_conjugate_is_called_one_and_numbers_are_shown_whole(judged):
    report, _ = judged(CONJUGATE)
    (row,) = report.wrong
    assert np.iscomplexobj(row.came) and np.isclose(row.came, np.conj(row.expected))
    assert "dh: it is the complex conjugate of what it should be" in str(report)
    (written,) = [line for line in json.loads(report.to_json())["lines"] if line["verdict"] == "wrong"]
    assert written["came"] == [row.came.real, row.came.imag]


@pytest.mark.slow
def test_a_complex_factor_is_named(judged):
    report, _ = judged(FACTOR)
    (row,) = report.wrong
    assert any("times what it should be" in phrase for phrase in row.how)


def test_it_says_why_the_complex_step_is_not_taken(judged):
    report, _ = judged()
    assert any("it computes with complex numbers of its own" in note for note in report.notes)
