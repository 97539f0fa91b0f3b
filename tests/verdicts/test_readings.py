"""What a forward pass is taken to be where gradients are not quite its own, and what is no gradient at all."""

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded


def judge(folder, text, name, inputs):
    """The report on the functions NAME_forward and NAME_backward, or on NAME alone, of a file."""
    with loaded(write(folder, text)) as module:
        both = [getattr(module, f"{name}_{way}", None) for way in ("forward", "backward")]
        if both[0] is None:
            return tr.lines(getattr(module, name), inputs=inputs, jac=True)
        return tr.lines(*both, inputs)


def accused(report):
    return sorted({row.line for row in report.wrong})


WALK = """
    def walk(a, r, goal, s):
        total, kept = 0.0, []
        for step in goal:
            before, s = s, np.tanh(a * s + r)
            kept.append((before, s))
            gap = s - step
            total += 0.5 * (gap * gap).sum()
        total = total / len(goal)
        da, dr, ds = np.zeros_like(a), np.zeros_like(r), np.zeros_like(s)
        for step, (before, after) in zip(goal[::-1], kept[::-1]):
            ds = ds + after - step
            dz = ds * (1 - after * after)
            dr += dz
            da += dz * before
            ds = a * dz
        return total, {"a": da, "r": dr}, s
    """
WALKED = {"a": np.array([0.4, -0.7]), "r": np.array([0.1, 0.3]), "goal": np.ones((3, 2)), "s": np.array([0.2, -0.5])}


def test_new_state_beside_the_gradients_is_no_gradient_and_a_loss_divided_at_the_end_accuses_no_line(tmp_path):
    report = judge(tmp_path, WALK, "walk", WALKED)
    assert not accused(report) and len(report.problems) == 1
    assert "line 11 divides it by 3" in report.problems[0]


@pytest.mark.slow
def test_mistake_is_placed_where_the_loss_is_divided_at_the_end(tmp_path):
    wrong = WALK.replace("dz * before", "dz * after")
    line = next(k for k, text in enumerate(wrong.splitlines(), 3) if "dz * after" in text)
    assert accused(judge(tmp_path, wrong, "walk", WALKED)) == [line]


SCORE = """
    def score_forward(v, truth):
        p = np.exp(v) / np.exp(v).sum()
        return -(truth * np.log(p + 1e-7)).sum(), p
    def score_backward(dout, truth, p):
        return FOUND
    """
SCORED = {"v": np.array([0.3, -1.2, 0.8]), "truth": np.array([0, 1, 0])}


@pytest.mark.parametrize(
    ("before", "what", "said"),
    [
        ("", "1e-7", "1e-07"),
        ("tiny = 1e-7", "tiny", "tiny"),
        ("from types import SimpleNamespace as N; own = N(eps=1e-7)", "own.eps", "own.eps"),
    ],
)
def test_what_keeps_a_logarithm_from_zero_is_no_mistake_to_leave_out(tmp_path, before, what, said):
    source = SCORE.replace("1e-7", what).replace("        p = np", f"        {before}\n        p = np")
    report = judge(tmp_path, source.replace("FOUND", "dout * (p - truth)"), "score", SCORED)
    assert report.ok and any(f"without the {said} that" in note for note in report.notes)


def test_what_keeps_a_logarithm_from_zero_excuses_no_other_mistake(tmp_path):
    report = judge(tmp_path, SCORE.replace("FOUND", "dout * (p - 2 * truth)"), "score", SCORED)
    assert accused(report) == [8]


def test_what_is_returned_as_cache_is_meant_though_an_argument_goes_by_the_same_name(tmp_path):
    text = """
    def scale_forward(x, gain, state):
        mean = x.mean(axis=0)
        moved = 0.9 * state + 0.1 * mean
        state = (x - mean, gain)
        return (x - mean) * gain, state, moved
    def scale_backward(dout, state):
        gap, gain = state
        dgain = (dout * gap).sum(axis=0)
        dgap = dout * gain
        return dgap - dgap.mean(axis=0), dgain
    """
    inputs = {"x": np.arange(6.0).reshape(3, 2) ** 2, "gain": np.array([0.5, 2.0]), "state": np.zeros(2)}
    report = judge(tmp_path, text, "scale", inputs)
    assert not accused(report), str(report)


LAMBDA = """
    import numpy as np

    sigmoid = lambda x: 1 / (1 + np.exp(-x))

    def loss_forward(v, truth):
        p = sigmoid(v)
        tiny = 1e-9
        return -(truth * np.log(p + tiny) + (1 - truth) * np.log(1 - p + tiny)).sum(), (p, truth)

    def loss_backward(dout, cache):
        p, truth = cache
        dv = dout * {found}
        return dv

    def example_inputs(rng):
        return {{"v": rng.normal(size=(3, 2)), "truth": np.array([[0.0, 1], [1, 1], [1, 0]])}}
"""


@pytest.mark.parametrize("found", ["(p - truth)", "(p - 2 * truth)"])
def test_a_module_with_a_lambda_is_judged(tmp_path, found):
    path = write(tmp_path, LAMBDA.format(found=found), "module.py")
    with loaded(path) as module:
        report = tr.lines(module)[0]
    assert [row.name for row in report.wrong] == ([] if found == "(p - truth)" else ["dv"]), report
    assert report.ok == (found == "(p - truth)")
