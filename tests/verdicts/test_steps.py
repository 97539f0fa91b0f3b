"""Optimisers' steps as learners write them: right ones pass, conventions are called so, mistakes are named."""

import functools
import importlib.util
import sys
from pathlib import Path

import pytest

from tinyrnn.verdicts.subjects.optimiser_steps import METHODS, of_step, report_on_step

FILE = Path(__file__).parents[1] / "other_styles" / "steps.py"
RIGHT = {
    "sgd": "sgd",
    "sgd_momentum": "momentum",
    "momentum_step": "momentum",
    "nesterov": "nesterov",
    "rmsprop": "rmsprop",
    "rmsprop_in_place": "rmsprop",
    "rmsprop_epsilon_inside": "rmsprop",
    "adam": "adam",
    "adam_step": "adam",
    "adam_in_place": "adam",
    "adam_epsilon_hat": "adam",
}
slow = functools.partial(pytest.param, marks=pytest.mark.slow)
WRONG = [  # function, what stands there, what stands there instead, the name that is wrong, the mistake
    ("sgd", "w - config", "w + config", "w", None),
    ("sgd_momentum", "next_w = w + v", "next_w = w - v", "next_w", "step-uphill"),
    ("rmsprop", "* dw**2", "* dw", "cache", "mean-square-of-nothing-squared"),
    ("rmsprop", "(np.sqrt(config", "((config", "next_w", "mean-square-without-its-root"),
    ("rmsprop_in_place", "s += (1 - rho) * ", "s += ", "s", "mean-square-without-the-new-share"),
    ("adam", "(1 - beta1 ** config", "(1 - beta1 * config", "mt", "first-mean-corrected-with-t-as-a-factor"),
    ("adam", "lr * mt", "lr * config['m']", "next_w", "adam-with-the-first-mean-uncorrected"),
    ("adam", "beta2 * config", "beta1 * config", "v", None),
    (
        "adam_step",
        "v = beta2 * v + (1 - beta2) * g * g",
        "v = beta1 * v + (1 - beta1) * g * g",
        "v",
        "second-mean-with-the-other-beta",
    ),
    ("adam_step", "1 - beta2**t", "1 - beta2", "v_hat", "second-mean-corrected-without-the-power"),
    slow("adam_step", "(np.sqrt(v_hat) + eps)", "np.sqrt(v_hat + eps)", "p", "adam-epsilon-inside-the-root"),
    slow("adam_in_place", "theta -=", "theta +=", "theta", "adam-uphill"),
]


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def function_of(source, name, folder):
    path = folder / "written.py"
    path.write_text(source)
    return getattr(load(path), name)


@pytest.mark.few(3)
@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_said_against_right_code(name):
    report = report_on_step(getattr(load(FILE), name), RIGHT[name])
    assert report.ok, report
    assert report.problems == []


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rmsprop_epsilon_inside", "Under the root"),
        ("adam_epsilon_hat", "corrects the rate instead"),
        ("sgd_momentum", "the rate is in it, a convention"),
        ("momentum_step", "velocity is 0.1 times"),
        ("adam_in_place", "t is counted from 0"),
    ],
)
def test_other_forms_are_called_conventions(name, words):
    report = report_on_step(getattr(load(FILE), name), RIGHT[name])
    assert any(words in note for note in report.notes), report


@pytest.mark.few(2)
@pytest.mark.parametrize(("name", "old", "new", "wrong", "mistake"), WRONG)
def test_a_mistake_is_found_on_its_line_and_named(name, old, new, wrong, mistake, tmp_path):
    source = FILE.read_text()
    head, body = source.split(f"def {name}(")
    assert old in body
    source = f"{head}def {name}({body.replace(old, new, 1)}"
    report = report_on_step(function_of(source, name, tmp_path), RIGHT[name])
    (row,) = report.wrong
    changed = [
        n for n, (a, b) in enumerate(zip(FILE.read_text().splitlines(), source.splitlines(), strict=True), 1) if a != b
    ]
    assert [row.line] == changed and row.name == wrong
    assert (row.mistake and row.mistake["name"]) == mistake


@pytest.mark.parametrize(
    ("source", "method", "message"),
    [
        ("def f(a, dw, lr):\n    return a - lr * dw\n", "sgd", "cannot tell which argument of f is the parameter"),
        ("def f(w, a, lr):\n    return w - lr * a\n", "sgd", "cannot tell which argument of f is its gradient"),
        ("def f(w, dw, lr, foo):\n    return w - lr * dw\n", "sgd", "cannot tell what f wants as foo"),
        ("def f(w, dw):\n    return w - 0.1 * dw\n", "sgd", "f takes no lr"),
        ("def f(w, dw, lr):\n    return w - lr * dw\n", "newton", "unknown method 'newton': choose from sgd"),
    ],
)
def test_what_cannot_be_recognised_is_said_in_one_line(source, method, message, tmp_path):
    with pytest.raises(ValueError, match=message) as error:
        of_step(function_of(source, "f", tmp_path), method)
    assert "\n" not in str(error.value)


def test_an_error_in_the_learners_function_is_placed(tmp_path):
    source = "def f(w, dw, lr):\n    step = lr @ dw\n    return w - step\n"
    report = report_on_step(function_of(source, "f", tmp_path), "sgd")
    assert [(row.line, row.name) for row in report.wrong] == [(2, "error")]


def test_every_method_is_tried():
    assert set(RIGHT.values()) == set(METHODS)
    assert "written" not in sys.modules
