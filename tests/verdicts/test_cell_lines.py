"""The line verdicts on every cell: nothing is said against it, nothing passed over, and one wrong line is named."""

import ast
import copy
import functools
import inspect
import re
import textwrap

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.sources import read
from tinyrnn.verdicts.judge.judging import Judge
from tinyrnn.verdicts.judge.reporting import report_on
from tinyrnn.verdicts.subjects.of_package import of_cell
from tools.mutation_study import study


def problem_of(name, T=3, B=2, n=3, H=4, seed=0):
    cls, options = tr.CELLS[name]
    return of_cell(cls(n, H, rng=seed, **options), T=T, B=B, rng=seed)


@functools.cache
def on_trial(name):
    """A problem and its judge, who has worked out the true gradients."""
    problem = problem_of(name)
    return problem, Judge(problem, problem.truth())


def method(name, function):
    return getattr(tr.CELLS[name][0], function)


# right cells ----------------------------------------------------------------------------------------------------------


@functools.cache
def report_of(name):
    return report_on(*on_trial(name))


@pytest.mark.parametrize("name", tr.CELLS)
def test_nothing_is_said_against_a_cell(name):
    report = report_of(name)
    assert report.ok, str(report)
    assert report.unjudged == report.problems == report.notes == []  # no central differences either
    assert max(row.error for row in report.rows) < 1e-10


@pytest.mark.slow
@settings(derandomize=True, max_examples=45, phases=[Phase.explicit, Phase.generate])  # to shrink takes minutes
@given(
    st.sampled_from(sorted(tr.CELLS)),
    st.fixed_dictionaries(dict(T=st.integers(1, 4), B=st.integers(1, 4), n=st.integers(1, 4), H=st.integers(1, 6))),
    st.integers(0, 2**32 - 1),
)
@example("scrn", dict(T=1, B=4, n=2, H=4), 3659)  # of one step, s is two-dimensional, and what joins it must be too
def test_nothing_is_said_against_a_cell_of_any_size(name, sizes, seed):
    report = report_on(problem_of(name, **sizes, seed=seed))
    assert report.ok and report.unjudged == report.notes == [], str(report)


TUPLES = ("urnn", "urnn-relu", "eurnn", "eurnn-fft")  # where da is a tuple, which is unpacked


def gradients_in(function):
    """Names assigned in a function that are gradients by their name, `dfoo`; `dparams` and flags are none."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    stored = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    arguments = [a.arg for a in (*tree.body[0].args.args, *tree.body[0].args.kwonlyargs)]
    return {name for name in (*stored, *arguments) if re.match(r"d[a-zA-Z]", name)} - {"dparams", "diagonal"}


@pytest.mark.parametrize("name", tr.CELLS)
def test_every_gradient_in_the_source_is_judged(name):
    report = report_of(name)
    steps, cls = on_trial(name)[1].truth.result[1].x.shape[0], tr.CELLS[name][0]
    for function in ("step_backward", "gradients"):
        made = method(name, function)
        judged = {row.name: row for row in report.rows if row.function == made.__qualname__}
        names = gradients_in(made) - ({"da"} if name in TUPLES else set())
        assert len(names) >= (2 if function == "step_backward" else 3)
        assert names <= set(judged)
        times = {judged[name].times for name in names}
        assert times == {steps if function == "step_backward" else 1}
    results = {row.name for row in report.rows if not row.function.endswith("step_backward")}
    params = set(cls(2, 2, **tr.CELLS[name][1]).params) - {"h_0"}
    assert params <= results
    arguments = set(cls.step_needs) | set(cls.gradients_needs)
    assert arguments <= {row.name for row in report.rows}


# one wrong line -------------------------------------------------------------------------------------------------------

STEP, GRADIENTS, DERIVE = "step_backward", "gradients", "derive_backward"
MISTAKES = {
    "elman": [
        (STEP, "dh * self.dphi(h)", "dh"),
        (STEP, "dh * self.dphi(h)", "dh * (1 - h)"),
        (STEP, "da @ p.W_h.T", "da @ p.W_h"),
        (GRADIENTS, "weight_gradient(h_prev, da)", "weight_gradient(da, h_prev)"),
        (GRADIENTS, '"b": db', '"b": db / len(da)'),
        (GRADIENTS, "affine_backward(x, p.W_x, da)", "affine_backward(x, p.W_x, -da)"),
    ],
    "lt-ornn-tanh": [
        (STEP, "da = dh", "da = 2 * dh"),
        (STEP, "dh @ p.V.T", "dh"),
        (GRADIENTS, "da * self.dsigma(a)", "da"),
        (GRADIENTS, "weight_gradient(h_prev, da)", "weight_gradient(h_prev[1:], da[1:])"),
    ],
    "lstm": [
        (STEP, "dh * tanh_c", "dh"),
        (STEP, "dtanh_c = dh * o", "dtanh_c = do * o"),
        (STEP, "dc = dc + dtanh_c", "dc = dtanh_c"),
        (STEP, "dc = dc + dtanh_c", "dc = dc - dtanh_c"),
        (STEP, "tanh_c * tanh_c", "tanh_c"),
        (STEP, "df = dc * c_prev", "df = dc"),
        (STEP, "di = dc * g", "di = dc * i"),
        (STEP, "dc_prev = dc * f", "dc_prev = dc"),
        (STEP, "df * f * (1 - f)", "df * (1 - f)"),
        (STEP, "join(di * i", "join(df * i"),
        (STEP, "da @ p.W_h.T", "-(da @ p.W_h.T)"),
    ],
    "lstm-peephole": [
        (STEP, "da_o * p.p_o if", "da_o if"),
        (STEP, "dc_prev + da_i * p.p_i", "da_i * p.p_i"),
        (STEP, "+ da_f * p.p_f", "+ da_f * p.p_i"),
        (STEP, "dg * (1 - g * g)", "dg * g * (1 - g)"),
        (STEP, "dc = dc + dtanh_c * (1", "dc = dc + dtanh_c * (2"),  # a sum goes on over the next line
        (STEP, "dc = dc + dtanh_c", "dc = dtanh_c"),
        (STEP, "dc_prev = dc * f", "dc_prev = dc"),
        (GRADIENTS, "da_i * c_prev", "da_i * c"),
        (GRADIENTS, "da_o * c)", "da_o * c_prev)"),
        (GRADIENTS, "da_i, da_f, da_o, _", "da_f, da_i, da_o, _"),
    ],
    "lstm-output-matrix": [
        (STEP, "da_o @ p.V_o.T", "da_o @ p.V_o"),
        (GRADIENTS, "weight_gradient(c, da_o)", "weight_gradient(c_prev, da_o)"),
    ],
    "gru": [
        (STEP, "dh * (1 - z)", "dh * z"),
        (STEP, "h_prev - n", "n - h_prev"),
        (STEP, "ds = da_n * r", "ds = da_n"),
        (STEP, "dr * r * (1 - r)", "dr * z * (1 - r)"),
        (STEP, "join(da_r, da_z, ds)", "join(da_r, da_z, da_n)"),
        (STEP, "dh * z + du @ p.W_h.T", "du @ p.W_h.T"),
        (STEP, "dh * z + du @", "dh * z + da @"),
        (GRADIENTS, "split(du, 3)[2]", "split(du, 3)[1]"),
        (GRADIENTS, "weight_gradient(h_prev, du)", "weight_gradient(h_prev, da)"),
    ],
    "gru-cho": [
        (STEP, "dr = dq * h_prev", "dr = dq"),
        (STEP, "join(da_r, da_z)", "join(da_z, da_r)"),
        (STEP, "+ dq * r +", "+ dq +"),
        (STEP, "da_n @ p.W_n.T", "dn @ p.W_n.T"),
        (GRADIENTS, "weight_gradient(q, da_n)", "weight_gradient(h_prev, da_n)"),
    ],
    "urnn": [
        (STEP, "phases_backward(dy8, p.D_3)", "phases_backward(dy8, p.D_2)"),
        (STEP, "inverse_fourier_backward(dy6)", "fourier_backward(dy6)"),
        (STEP, "p.perm_inverse", "p.perm"),
        (STEP, "dh_prev = phases_backward(dy1, p.D_1)", "dh_prev = dy1"),
        (GRADIENTS, "phases_gradient(y4, dy4)", "phases_gradient(y4, -dy4)"),
        (GRADIENTS, "reflection_gradient(y2, dy3, p.R_1)", "reflection_gradient(y2, dy3, p.R_2)"),
        (DERIVE, 'dparams.pop("R_1")', '2 * dparams.pop("R_1")'),
    ],
    "lmn": [
        (STEP, "dm @ p.W_hm.T", "dm @ p.W_mm.T"),
        (STEP, "+ da @ p.W_mh.T", ""),
        (STEP, "(1 - h * h)", "h * (1 - h)"),
        (GRADIENTS, "weight_gradient(m_prev, dm)", "weight_gradient(h, dm)"),
    ],
    "antisymmetric": [
        (STEP, "self.epsilon * dh", "dh"),
        (STEP, "dh + da @ p.M.T", "da @ p.M.T"),
        (DERIVE, "dM - dM.T", "dM + dM.T"),
    ],
    "antisymmetric-gated": [
        (STEP, "da_z + da_g", "da_z - da_g"),
        (STEP, "dz * z * (1 - z)", "dz * g * (1 - z)"),
        (GRADIENTS, "sum(split(da, 2))", "split(da, 2)[0]"),
    ],
}

MISTAKES |= {
    "lmn-multiscale": [
        (STEP, "du = dm * ready", "du = dm"),
        (STEP, "dm * (1 - ready) + du", "dm + du"),
        (STEP, "+ da @ p.W_mh.T", ""),
        (GRADIENTS, "affine_backward(h, p.W_hm, du)", "affine_backward(h, p.W_hm, 2 * du)"),
        (DERIVE, "self.allowed(dM)", "self.allowed(dM).T"),
    ],
    "qrnn": [
        (STEP, "do = dh * c", "do = dh"),
        (STEP, "dc = dc + dh * o", "dc = dh * o"),
        (STEP, "dc * (c_prev - z)", "dc * c_prev"),
        (STEP, "dz = dc * (1 - f)", "dz = dc * f"),
        (STEP, "da[..., : -self.width]", "da[..., self.width :]"),
    ],
    "qrnn-f": [(STEP, "dh * (h_prev - z)", "dh * (z - h_prev)"), (STEP, "dh_prev = dh * f", "dh_prev = dh")],
    "qrnn-ifo": [(STEP, "df = dc * c_prev", "df = dc * c"), (STEP, "di = dc * z", "di = dc * i")],
    "esn": [
        (STEP, "dg = self.leak * dh", "dg = dh + dh"),
        (STEP, "(1 - self.leak) * dh + da @ p.W_h.T", "da @ p.W_h"),
        (GRADIENTS, "weight_gradient(h_prev, da)", "weight_gradient(h_prev, -da)"),
    ],
}

MISTAKES |= {
    "urnn-full": [
        (STEP, "dz, _ = modrelu_backward(dh, u, gain)", "dz = dh"),
        (STEP, "dz @ p.M.T", "dz @ p.M"),
        (STEP, "dz @ p.M.T", "dh @ p.M.T"),
        (GRADIENTS, "weight_gradient(h_prev, dz)", "weight_gradient(u, dz)"),
        (GRADIENTS, "modrelu_bias_gradient(u, dz)", "modrelu_bias_gradient(h_prev, dz)"),
        (DERIVE, "complex_matrix_backward(dM)", "dM[: len(dM) // 2]"),
        (DERIVE, "complex_matrix_backward(dM)", "complex_matrix_backward(dM.T)"),
    ],
    "urnn-naive": [
        (STEP, "dz @ p.M.T", "dz"),
        (DERIVE, "dM @ p.Q", "dM @ p.Q.T"),
        (DERIVE, "phases_gradient(p.Y, dY)", "phases_gradient(p.Y, dM)"),
        (DERIVE, "phases_gradient(p.Y, dY)", "phases_gradient(p.Q, dY)"),
    ],
    "eurnn": [
        (STEP, "phases_backward(dz, p.D)", "dz"),
        (STEP, "rotations_backward(dy, p)", "rotations_backward(dz, p)"),
        (GRADIENTS, "rotations_gradient(h_prev, dh_prev, p)", "rotations_gradient(h_prev, -dh_prev, p)"),
        (GRADIENTS, "dtheta, dphi, domega", "dphi, dtheta, domega"),
        (GRADIENTS, '"omega": domega', '"omega": domega / len(dz)'),
    ],
    "kronecker": [
        (STEP, "kronecker_backward(dz, p.M, self.sizes)", "kronecker_backward(dh, p.M, self.sizes)"),
        (GRADIENTS, "kronecker_gradient(h_prev, dz,", "kronecker_gradient(dz, h_prev,"),
        (GRADIENTS, "affine_backward(x, p.V, dz)", "affine_backward(x, p.V, 2 * dz)"),
        (DERIVE, "kronecker_weights_backward(dM,", "kronecker_weights_backward(-dM,"),
    ],
}

MISTAKES |= {
    "exprnn": [
        (STEP, "dh * sign(h) ** 2", "dh * sign(h)"),
        (STEP, "dz @ p.W.T", "dz @ p.W"),
        (GRADIENTS, "da * sign(h)", "da"),
        (DERIVE, "expm_backward(p.S,", "expm_backward(-p.S,"),
        (DERIVE, "dS - dS.T", "dS + dS.T"),
    ],
    "orthogonal-naive": [
        (DERIVE, 'dparams.pop("W") @ p.Q', 'dparams.pop("W") @ p.Q.T'),
        (DERIVE, "p.Y[:, other] - dY", "p.Y[:, other] + dY"),
    ],
    "householder": [
        (STEP, "self.slope * dh", "0 * dh"),
        (STEP, "-(dz @ p.Z.T)", "dz @ p.Z.T"),
        (STEP, "dz + dq", "dq"),
        (GRADIENTS, "weight_gradient(h_prev, dq)", "weight_gradient(h_prev, q)"),
        (DERIVE, "reflections_backward(p.Y,", "reflections_backward(2 * p.Y,"),
    ],
    "svd-rnn": [
        (STEP, "-(dz @ p.Y_V)", "-(dz @ p.Z_V.T)"),
        (STEP, "dv * p.s", "dv"),
        (STEP, "du + dq @ p.Y_U.T", "dq @ p.Y_U.T"),
        (GRADIENTS, "(dv * u)", "(du * u)"),
        (GRADIENTS, "-weight_gradient(da, w)", "-weight_gradient(dw, w)"),
        (DERIVE, "(self.r**2 -", "(1 -"),
    ],
    "multiplicative": [
        (STEP, "df * u", "df * m"),
        (STEP, "df * m", "df"),
        (STEP, "da_h @ p.W_hf.T", "da_h @ p.W_hf"),
        (GRADIENTS, "weight_gradient(h_prev, du)", "weight_gradient(h_prev, dm)"),
    ],
    "scrn": [
        (STEP, "ds + da_h @ p.P.T", "da_h @ p.P.T"),
        (STEP, "ds * p.alpha", "ds"),
        (STEP, "ds - de", "ds + de"),
        (STEP, "join(dh_prev, ds_prev)", "join(dh_prev, ds)"),
        (GRADIENTS, "weight_gradient(s, da_h)", "weight_gradient(e, da_h)"),
    ],
}


def planted(name, function, old, new):
    """The report on a cell with one piece of a line replaced, and the number of that line."""
    made = method(name, function)
    source = textwrap.dedent(inspect.getsource(made))
    assert source.count(old) == 1, f"{source.count(old)} times: {old}"
    first = made.__code__.co_firstlineno
    tree = ast.increment_lineno(ast.parse(source.replace(old, new)).body[0], first - 1)
    problem, judge = on_trial(name)
    return report_on(problem, judge, problem.program({made: tree})), first + source[: source.index(old)].count("\n")


CASES = [  # the first of each cell but the largest; all others are slow, and of those a sample
    pytest.param(name, *mistake, marks=[pytest.mark.slow, pytest.mark.sample(8)] if k or name == "urnn" else [])
    for name, mistakes in MISTAKES.items()
    for k, mistake in enumerate(mistakes)
]


@pytest.mark.few(1)
@pytest.mark.parametrize("name, function, old, new", CASES)
def test_a_wrong_line_is_accused_and_no_other(name, function, old, new):
    report, line = planted(name, function, old, new)
    accused = {(row.function, row.line) for row in report.wrong}
    assert accused == {(method(name, function).__qualname__, line)} and report.problems == [], str(report)


LISTED = {tr.CELLS[name][0] for name in MISTAKES}
OTHERS = {cls: name for name, (cls, _) in tr.CELLS.items() if "step_backward" in vars(cls) and cls not in LISTED}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gru", *OTHERS.values()])
def test_mistakes_in_cells_without_a_list_of_them_are_accused_too(name):
    subject, trial = study.named(name), study.Trial()
    for k in np.random.default_rng(0).choice(len(subject.every), min(4, len(subject.every)), replace=False):
        subject.try_out(trial, [subject.every[k]])
    assert trial.missed == [] and trial.located >= trial.counted - 1 > 0, trial.astray


# the step or what is handed on ----------------------------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "name, old, new, states",
    [
        ("elman", "return da, (dh_prev,)", "return da, (0 * dh_prev,)", {"h"}),
        ("elman", "return da, (dh_prev,)", "return da, (dh,)", {"h"}),
        ("gru", "return (da, du), (dh_prev,)", "return (da, du), (dh_prev - dh * z,)", {"h"}),
        ("lstm", "return da, (dh_prev, dc_prev)", "return da, (dh_prev, 0 * dc_prev)", {"c"}),
        ("lstm", "return da, (dh_prev, dc_prev)", "return da, (dc_prev, dh_prev)", {"h", "c"}),
        ("lmn", "return (da, dm), (dm_prev,)", "return (da, dm), (-dm_prev,)", {"m"}),
    ],
)
def test_a_carry_that_is_handed_on_wrongly_is_told_from_a_wrong_line(name, old, new, states):
    report, line = planted(name, STEP, old, new)
    function = method(name, STEP).__qualname__
    assert {(row.function, row.line) for row in report.wrong} == {(function, line)} and report.problems == []
    assert {row.partner for row in report.wrong if row.name.startswith("d")} == states
    told = " ".join(phrase for row in report.wrong for phrase in row.how)
    assert f"this is what {function} is given as d" in told
    assert "the last step is right and all before it are wrong" in told or len(states) == 2
    (line_before,) = [row for row in report.rows if row.name == f"d{min(states)}_prev" and row.verdict == "ok"]
    assert line_before.error < 1e-10 and line_before.times == 3


def test_the_same_mistake_in_the_line_is_blamed_on_the_line():
    report, line = planted("lstm", STEP, "dc_prev = dc * f", "dc_prev = 0 * dc * f")
    (row,) = report.wrong
    assert (row.line, row.name, row.partner, row.times) == (line, "dc_prev", "c_prev", 3)
    assert row.how == ["it is zero everywhere"]


def test_what_is_handed_to_the_weight_gradients_wrongly_is_told_from_a_wrong_line():
    report, line = planted("lstm", STEP, "return da, (", "return -da, (")
    assert {(row.line, row.name, row.partner) for row in report.wrong} == {(line, "da", "a")}
    (row,) = report.wrong
    assert "its sign is wrong" in row.how and "this is what LSTM.gradients is given as da" in row.how


def test_how_a_line_is_wrong_is_said_with_the_gate_the_place_and_the_numbers():
    report, line = planted("lstm", STEP, "do * o * (1 - o)", "2 * do * o * (1 - o)")
    (row,) = report.wrong
    assert (row.name, row.partner) == ("da", "a")
    assert row.how[:2] == ["only gate o is wrong", "there it is 2 times what it should be"]
    assert row.came == pytest.approx(2 * row.expected) and 8 <= row.entry[-1] < 12
    assert f"{line} WRONG" in str(report)
    assert report.first_wrong is row and not report


@pytest.mark.slow
def test_two_wrong_lines_are_both_accused():
    made = method("lstm", STEP)
    source = textwrap.dedent(inspect.getsource(made)).replace("df = dc * c_prev", "df = dc").replace("dc * i", "dc * g")
    tree = ast.increment_lineno(ast.parse(source).body[0], made.__code__.co_firstlineno - 1)
    problem, judge = on_trial("lstm")
    report = report_on(problem, judge, problem.program({made: tree}))
    assert {row.name for row in report.wrong} == {"df", "dg"} and report.problems == []


def test_of_two_mistakes_of_a_cell_one_is_accused_by_its_name_where_the_other_raises_an_error():
    problem, judge = on_trial("gru-cho")
    function = method("gru-cho", "step_backward")
    tree, places = copy.deepcopy(read(function)), set()
    for old, new in (("dh * (1 - z)", "dh * (1 - dh)"), ("dq * h_prev", "dq * p.W_n")):
        (node,) = (node for node in ast.walk(tree) if isinstance(node, ast.Assign) and ast.unparse(node.value) == old)
        node.value = ast.copy_location(ast.parse(new, mode="eval").body, node.value)
        places.add((function.__qualname__, node.lineno))
    report = report_on(problem, judge, problem.program({function: ast.fix_missing_locations(tree)}))
    assert {(row.function, row.line) for row in report.wrong} == places, report
