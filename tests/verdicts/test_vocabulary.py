"""What names say, in one place, and that no name has to be chosen with care."""

import ast
from pathlib import Path

import numpy as np
import pytest
from students import write, wrong_lines

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.sources.vocabulary import CELL, HIDDEN, X, likeliest, role_of, stems

ELMAN = '''
    def step_forward(x, h, {U}, {V}, b):
        """x (N, D), h (N, H), {U} (D, H), {V} (H, H), b (H,)"""
        h_new = np.tanh(x @ {U} + h @ {V} + b)
        return h_new, (x, h, {U}, {V}, h_new)


    def step_backward(dh_new, cache):
        x, h, {U}, {V}, h_new = cache
        dpre = dh_new * (1 - h_new**2)
        {gh} = dpre @ {V}{T}
        return dpre @ {U}.T, {gh}, x.T @ dpre, h.T @ dpre, dpre.sum(0)
'''
NAMES = [("U", "V"), ("W", "V"), ("Wx", "Wh"), ("W", "U"), ("A", "B"), ("W_in", "V")]
LINE_OF_GH = 13


def judged(folder, text):
    with loaded(write(folder, text)) as module:
        (report,) = tr.lines(module)
        return report


@pytest.mark.few(2)
@pytest.mark.parametrize("U, V", NAMES)
def test_a_right_step_is_right_and_recognised_whatever_its_weights_are_called(tmp_path, U, V):
    report = judged(tmp_path, ELMAN.format(U=U, V=V, gh="dh", T=".T"))
    assert report.ok and sum(row.verdict == "ok" for row in report.rows) >= 9, report
    assert any("that of the package's Elman" in note for note in report.notes), report


@pytest.mark.sample(8)
@pytest.mark.few(1)
@pytest.mark.parametrize("U, V", NAMES)
@pytest.mark.parametrize("gh", ["dh", "gh", "grad_h", "h_grad"])
def test_a_matrix_that_is_not_transposed_is_found_and_named_whatever_the_names(tmp_path, U, V, gh):
    report = judged(tmp_path, ELMAN.format(U=U, V=V, gh=gh, T=""))
    assert wrong_lines(report) == {("step_backward", LINE_OF_GH)}, report
    assert report.first_wrong.mistake["name"] == "recurrent-weights-not-transposed-in-the-carry"


def test_a_documented_matrix_called_like_a_size_is_no_number(tmp_path):
    report = judged(tmp_path, ELMAN.format(U="T", V="M", gh="dh", T=".T"))
    assert report.ok and "T (2, 5), M (5, 5)" in report.notes[-1], report


def test_v_without_documentation_is_the_recurrent_matrix_beside_u(tmp_path):
    text = ELMAN.format(U="U", V="V", gh="dh", T=".T")
    report = judged(tmp_path, "\n".join(line for line in text.splitlines() if '"""' not in line))
    assert report.ok and "V (5, 5)" in report.notes[-1], report


GRU_GATE = '''
    def gate_forward(x, h, W, U):
        """x (N, D), h (N, H), W (D, H), U (H, H)"""
        gx = x @ W
        gh = h @ U
        r = np.tanh(gx + gh)
        return r, (x, h, W, U, gx, gh)


    def gate_backward(dr, cache):
        x, h, W, U, gx, gh = cache
        dgate = dr * (1 - np.tanh(gx + gh) ** 2)
        dx = {two}dgate @ W.T
        return dx, dgate @ U.T, x.T @ dgate, h.T @ dgate
'''


@pytest.mark.parametrize("two, wrong", [("", set()), ("2 * ", {("gate_backward", 15)})])
def test_gx_and_gh_are_what_they_are_in_the_forward_pass_if_they_are_there(tmp_path, two, wrong):
    report = judged(tmp_path, GRU_GATE.format(two=two))
    assert wrong_lines(report) == wrong, report
    rows = {row.name: row.verdict for row in report.rows}
    assert rows["gx"] == rows["gh"] == "ok"


STEMS = {
    "dh": ["h"],
    "grad_W": ["W"],
    "b_grad": ["b"],
    "g_x": ["x"],
    "gh": ["h"],
    "dL_dW": ["W"],
    "dLdNZ": ["NZ"],
    "dEdu": ["u"],
    "dloss_dx": ["x"],
    "gWx": ["Wx"],
    "dh_next": ["h_next", "h"],
    "dprev_h": ["prev_h", "h"],
    "gate": [],
    "gamma": [],
    "gt": [],
    "h": [],
}


@pytest.mark.parametrize("name", STEMS)
def test_names_of_gradients(name):
    assert [stem for stem, _ in stems(name)] == STEMS[name]


@pytest.mark.parametrize(
    "name, names, role",
    [
        ("V", ["x", "h", "U", "V", "b"], "W_h"),
        ("U", ["x", "h", "U", "V", "b"], "W_x"),
        ("V", ["x", "h", "U", "W", "V"], "W_y"),
        ("V", ["V", "D", "H"], "V"),
        ("v", ["v", "h", "W"], "W_y"),
        ("TD", ["TD", "x"], None),
    ],
)
def test_what_v_is_depends_on_what_stands_beside_it(name, names, role):
    assert role_of(name, names)[0] == role


def test_of_several_arrays_the_likeliest_name_is_the_input():
    named = {"z": 1, "h_prev": 2, "x_t": 3, "c0": 4}
    assert [likeliest(kinds, named) for kinds in (X, HIDDEN, CELL)] == [3, 2, 4]
    assert likeliest(X, {"W": np.ones(2)}) is None


def test_no_other_module_of_the_verdicts_or_below_them_holds_a_list_of_names():
    package = Path(tr.__file__).parent
    below = package / "sources"
    paths = [*package.glob("verdicts/**/*.py"), *below.glob("inputs/*.py"), below / "pairs.py"]
    words = {"cache", "x_t", "xt", "prev_h", "hprev", "bwd", "learning_rate", "Why"}
    found = {}
    for path in paths:
        if path.parent.name != "mistakes":
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 400:
                    if len(words & set(node.value.split())) > 1 or node.value in words:
                        found[path.name, node.lineno] = node.value
    assert not found
