"""`tinyrnn.lines` takes whatever has a backward pass, and says in one line what it cannot take, and why."""

import linecache

import numpy as np
import pytest
from other_styles import classes, homework
from students import copy_of_hands, write, wrong_lines

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.verdicts.report import LineReport, LineReports


class WrongElman(tr.Elman):
    def step_backward(self, p, dh, *, h):
        da = dh * (1 + h * h)
        return da, (da @ p.W_h.T,)


def step(params, x, state):
    (h_prev,) = state
    h = np.tanh(x @ params["W"] + h_prev @ params["U"])
    return (h,), (x, h_prev, h)


def step_backward(params, cache, dstate):
    x, h_prev, h = cache
    da = dstate[0] * (1 - h**2)
    return da @ params["W"].T, (da @ params["U"].T,), {"W": x.T @ da, "U": h_prev.T @ da}


def wrong_step_backward(params, cache, dstate):
    x, h_prev, h = cache
    da = dstate[0] * (1 - h**2)
    return da @ params["W"].T, (da @ params["U"],), {"W": x.T @ da, "U": h_prev.T @ da}


def noisy_forward(x):
    return x * np.random.normal(size=x.shape), x  # noqa: NPY002


def noisy_backward(dout, cache):
    return dout * cache


def double_forward(x):
    return 2 * x, None


def double_backward(dout, cache):
    dx = 2 * dout
    return {"dx": dx}


def line_of(function, text):
    code = function.__code__
    numbers = range(code.co_firstlineno, code.co_firstlineno + 20)
    return next(n for n in numbers if text in linecache.getline(code.co_filename, n))


def step_cell(backward, **options):
    rng = np.random.default_rng(0)
    params = {"W": rng.normal(size=(3, 4)), "U": rng.normal(size=(4, 4))}
    return tr.StepCell(step, backward, params=params, input_size=3, state_sizes=4, **options)


# what it takes --------------------------------------------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["elman", "lstm", "adam", "cross_entropy", "modrelu"])
def test_a_part_of_the_package_is_judged_by_its_name_and_found_right(name):
    report = tr.lines(name)
    assert isinstance(report, LineReport) and report.ok and report.title.startswith(f"{name}: ")
    assert any(row.verdict == "ok" for row in report.rows)


def test_a_class_of_cells_is_judged_and_its_wrong_line_named():
    report = tr.lines(WrongElman)
    assert wrong_lines(report) == {("WrongElman.step_backward", line_of(WrongElman.step_backward, "da = dh"))}
    assert report.files["WrongElman.step_backward"] == __file__


def test_a_cell_is_judged_as_it_is_and_not_touched():
    cell = WrongElman(3, 4, rng=0)
    before = {name: value.copy() for name, value in cell.params.items()}
    report = tr.lines(cell, T=2, B=4)
    assert not report.ok and "3 -> 4" in report.title and "T=2, B=4" in report.title
    assert all((cell.params[name] == before[name]).all() for name in before)


@pytest.mark.few(1)
@pytest.mark.parametrize("options", [{}, {"learn_state": True}, {"clip_state": 0.5}])
def test_the_two_functions_of_a_step_cell_are_judged(options):
    assert tr.lines(step_cell(step_backward, **options)).ok
    report = tr.lines(step_cell(wrong_step_backward, **options))
    assert wrong_lines(report) == {("wrong_step_backward", line_of(wrong_step_backward, "return"))}


def test_the_cells_within_a_stack_are_judged_one_by_one():
    reports = tr.lines(tr.Stack(tr.Elman(2, 3, rng=0), WrongElman(3, 4, rng=0)))
    assert isinstance(reports, LineReports) and [report.ok for report in reports] == [True, False]


def test_two_functions_are_judged_on_the_inputs_given_by_name_or_in_order():
    _, _, inputs = homework.examples(np.random.default_rng(0))["lstm step"]
    pair = homework.lstm_step_forward, homework.lstm_step_backward
    by_name, in_order = tr.lines(*pair, inputs), tr.lines(*pair, tuple(inputs.values()))
    assert by_name.ok and by_name.as_dict() == in_order.as_dict()
    assert not any("made up" in note for note in by_name.notes)


def test_either_function_of_a_pair_will_do():
    for function in (double_forward, double_backward):
        report = tr.lines(function)
        assert report.ok and report.title == "double_forward and double_backward"


def test_a_loss_that_returns_its_gradient_is_judged_by_itself():
    report = tr.lines(homework.softmax_loss, inputs=(np.random.default_rng(0).normal(size=(3, 4)), np.array([0, 3, 1])))
    assert report.ok and {row.name for row in report.rows} >= {"dx"}


def test_methods_an_object_and_its_class_are_judged():
    forward, _, inputs = classes.examples(np.random.default_rng(0))["RNN"]
    layer = forward.__self__
    for report in (
        tr.lines(layer.forward, layer.backward, inputs),
        tr.lines(layer.forward, inputs=inputs),
        tr.lines(layer, inputs=inputs),
        tr.lines(layer),
        tr.lines(classes.RNN),
    ):
        assert report.ok and "RNN.forward and RNN.backward" in report.title
        assert {row.name for row in report.rows} >= {"dx", "dh_prev", "dWx", "dWh", "db"}
    assert not layer.grads[0].any() and layer.cache is None


@pytest.mark.slow
def test_a_module_gives_a_report_for_each_example_it_has():
    reports = tr.lines(homework)
    assert isinstance(reports, LineReports) and reports.ok
    assert [report.title.split(":")[0] for report in reports] == list(homework.examples(np.random.default_rng(0)))


def test_in_a_module_pairs_are_found_by_their_names(tmp_path):
    text = """
        def one_forward(x): return 2 * x, None
        def one_backward(dout, cache): return 2 * dout
        def two(x): return 3 * x, None
        def two_backward(dout, cache): return 3 * dout
        def forward_three(x): return 4 * x, None
        def backward_three(dout, cache): return 4 * dout
        def fourForward(x): return 5 * x, None
        def fourBackward(dout, cache): return 5 * dout
        def sigmoid(x): return 1 / (1 + np.exp(-x))
        def sigmoid_grad(s): return s * (1 - s)
        def hinge_loss(x, y):
            dx = -(1.0 * (1 - y * x > 0)) * y / x.size
            return np.maximum(0, 1 - y * x).mean(), dx
        class Five:
            def forward(self, x): return 6 * x
            def backward(self, dout): return 6 * dout
        class Base:
            def forward(self, x): raise NotImplementedError
            def backward(self, dout): raise NotImplementedError
        """
    with loaded(write(tmp_path, text)) as module:
        reports = tr.lines(module)
    assert reports.ok
    assert [report.title for report in reports] == [
        "one_forward and one_backward",
        "two and two_backward",
        "forward_three and backward_three",
        "fourForward and fourBackward",
        "hinge_loss",
        "Five.forward and Five.backward",
    ]


def test_what_cannot_be_judged_in_a_module_is_a_problem_and_no_obstacle_to_the_rest(tmp_path):
    text = """
        def lonely_backward(dout, cache): return dout
        def odd_forward(x, conv_param): return x, None
        def odd_backward(dout, cache): return dout
        def broken_forward(x): return x.foo, None
        def broken_backward(dout, cache): return dout
        def fine_forward(x): return 2 * x, None
        def fine_backward(dout, cache): return 2 * dout
        """
    with loaded(write(tmp_path, text)) as module:
        odd, broken, fine, lonely = tr.lines(module)
    assert fine.ok and not (odd.ok or broken.ok or lonely.ok)
    assert "conv_param" in odd.problems[0]
    assert "hw.py:7, in broken_forward: AttributeError" in broken.problems[0]
    assert "lonely_forward or lonely" in lonely.problems[0]


def test_a_planted_mistake_is_found_on_its_line_with_made_up_inputs_too(tmp_path):
    planted = "    dWh = prev_h.T.dot(da)\n    db = np.sum(da", "    dWh = da.T.dot(prev_h)\n    db = np.sum(da"
    path, (number,) = copy_of_hands(tmp_path, "homework.py", planted, examples=False)
    with loaded(path) as module:
        report = tr.lines(module.lstm_step_backward)
    assert wrong_lines(report) == {("lstm_step_backward", number)}


# how it takes it ------------------------------------------------------------------------------------------------------


def test_global_arrays_that_a_function_reads_are_inputs(tmp_path):
    text = """
        W = np.arange(6.0).reshape(2, 3)
        def net_forward(x): return x @ W, x
        def net_backward(dout, cache):
            dW = cache.T @ dout
            return dW * {}
        """
    for factor in (1, 2):
        with loaded(write(tmp_path, text.format(factor), f"factor{factor}.py")) as module:
            report = tr.lines(module.net_forward, inputs=np.ones((4, 2)))
            assert report.ok == (factor == 1)
            assert (module.W == np.arange(6.0).reshape(2, 3)).all()


def test_an_array_under_two_names_is_one_input(tmp_path):
    text = """
        class Layer:
            def __init__(self, n_in, n_out):
                self.W = np.ones((n_in, n_out))
                self.params, self.grads = {"W": self.W}, {}
            def forward(self, x):
                self.x = x
                return x @ self.W
            def backward(self, dout):
                self.grads["W"] = self.x.T @ dout
                return dout @ self.params["W"].T
        """
    with loaded(write(tmp_path, text)) as module:
        report = tr.lines(module.Layer)
    assert report.ok and {row.name for row in report.rows if row.verdict == "ok"} == {"W", "dx"}


def test_random_numbers_are_the_same_in_every_run_and_the_global_state_is_left_alone():
    np.random.seed(3)  # noqa: NPY002
    expected = np.random.normal()  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    report = tr.lines(noisy_forward, noisy_backward)
    assert np.random.normal() == expected  # noqa: NPY002
    assert not report.ok and any("random numbers" in note for note in report.notes)


def test_narrow_floats_are_widened_so_that_their_rounding_is_no_mistake():
    assert tr.lines(double_forward, double_backward, {"x": np.ones((2, 3), np.float32)}).ok


def test_upstream_can_be_given_and_a_seed_decides_all_else():
    inputs = {"x": np.arange(6.0).reshape(2, 3)}
    again = [tr.lines(double_forward, wrong_double_backward, inputs, rng=seed).rows[-1].came for seed in (0, 0, 1)]
    assert again[0] == again[1] != again[2]
    report = tr.lines(double_forward, wrong_double_backward, inputs, upstream={"dout": np.ones((2, 3))})
    assert (report.rows[-1].came, report.rows[-1].expected) == (3, 2)


@pytest.mark.parametrize("seed", [0, 1])
def test_what_comes_from_above_is_never_what_the_same_seed_gives_its_caller(seed):
    """With x for its own gradient from above, dout * dout would pass for dout * x."""
    x = np.random.default_rng(seed).normal(size=(3, 4))
    report = tr.lines(square_forward, wrong_square_backward, {"x": x}, rng=seed)
    assert [row.name for row in report.wrong] == ["dx"]
    recording = tr.trace(square_forward, wrong_square_backward, {"x": x}, rng=seed)
    assert [event.text for event in recording if event.wrong] == ["dx = 2 * dout * dout"]


def square_forward(x):
    return x**2, x


def wrong_square_backward(dout, x):
    dx = 2 * dout * dout
    return dx


def wrong_double_backward(dout, cache):
    dx = 3 * dout
    return dx


def test_the_forward_pass_can_be_held_against_a_cell():
    def problems(**options):
        return tr.lines(homework.rnn_step_forward, **options).problems

    assert problems(against="elman") == [] == problems()
    assert "not that of lstm" in problems(against="lstm")[0]
    assert tr.lines(homework.rnn_step_forward).notes == ["the forward pass is that of the package's Elman"]
    assert tr.lines(homework.rnn_step_forward, against=None).notes == []


def test_students_may_print(tmp_path, capsys):
    text = """
        def loud_forward(x):
            print("forward")
            return x, None
        def loud_backward(dout, cache):
            print("backward")
            return dout
        """
    with loaded(write(tmp_path, text)) as module:
        assert tr.lines(module).ok
    assert capsys.readouterr().out == ""
