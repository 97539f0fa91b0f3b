"""Anybody's functions are stepped through like the package's cells: every line with its value, the true gradient and
what is wrong, forwards and backwards."""

import json

import numpy as np
import other_hands as others
import pytest

import tinyrnn as tr
from tinyrnn.stepping.printing import transcript
from tinyrnn.stepping.screen import screen
from tinyrnn.stepping.terminal import Position

rng = np.random.default_rng(3)
XS, H0, WX, WH = (rng.normal(size=shape) for shape in ((4, 2, 3), (2, 5), (3, 5), (5, 5)))
LOOP = others.unrolled_forward, others.unrolled_backward, (XS, H0, WX, WH)
CASES = {
    "a loop over time": (LOOP, {}, "dWh += hs[t].T @ da"),
    "in place": ((others.filled_forward, others.filled_backward, (WH[:3], WH)), {}, "dx = dy @ W"),
    "a class": ((others.Affine,), {}, 'self.grads["b"] = dy.mean(axis=0)'),
    "an object": ((others.Affine(WX, WX[0]), XS[0]), {}, 'self.grads["b"] = dy.mean(axis=0)'),
    "a loss": ((others.hinge_loss, (WX, np.array([0, 1, 3]), WH)), {"jac": True}, "ds = dscores @ W.T * 2"),
    "made-up inputs": ((others.filled_forward,), {}, "dx = dy @ W"),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    given, options, wrong = CASES[request.param]
    return tr.trace(*given, **options), tr.lines(*given, **options), wrong


@pytest.mark.few(1)
def test_the_wrong_line_and_no_other_is_accused_as_by_the_line_verdicts(case):
    recording, report, wrong = case
    accused = {event.text.split("  #")[0] for event in recording if event.wrong}
    assert accused == {wrong}
    assert {row.line for row in report.wrong} == {event.line for event in recording if event.wrong}


@pytest.mark.few(2)
def test_right_lines_that_no_wrong_one_feeds_agree_with_the_numerical_gradient(case):
    recording, _, _ = case
    first = recording.find(wrong=True)
    compared = [event for event in recording if event.numerical is not None]
    before = [event for event in compared if event.number < first and event.error is not None]
    assert len(compared) > 1 and all(event.error < 1e-5 for event in before)
    assert recording[first].error is None or recording[first].error > 1e-3


def test_both_passes_are_there_and_the_form_is_that_of_every_recording(case):
    recording, _, _ = case
    assert 0 < recording.turn < len(recording)
    assert not any(event.backward for event in list(recording)[: recording.turn])
    again = tr.Recording.from_json(json.loads(json.dumps(recording.to_json(), allow_nan=False)))
    assert again.layers == [] and len(again) == len(recording)


def test_it_is_shown_in_text_and_on_a_screen(case):
    recording, _, wrong = case
    text = "\n".join(transcript(recording))
    assert wrong in text and text.count("WRONG") == sum(bool(event.wrong) for event in recording)
    assert "layer" not in text and "sequence" not in text.split("\n", 2)[1]
    view = Position(recording, recording.find(wrong=True))
    assert any("WRONG" in "".join(part for _, part in row) for row in screen(view, 100, 30))


def test_t_is_what_the_loop_counts_by():
    recording = tr.trace(*LOOP)
    assert recording.data["T"] == 4
    assert [e.t for e in recording if e.name == "hs" and not e.backward] == [0, 1, 2, 3]
    assert [e.t for e in recording if e.name == "da"] == [3, 2, 1, 0]
    assert [e.t for e in recording if e.name == "dh0"] == [None]
    kept = tr.trace(*LOOP, steps=(1, 3))
    assert {e.t for e in kept} == {None, 1, 2}


def test_a_loop_that_counts_by_nothing_is_counted_and_inner_loops_are_not():
    def forward(xs):
        total = np.zeros(2)
        for x in xs:
            for k in range(2):
                total = total + x * (k + 1)
        return total, (xs,)

    def backward(dtotal, cache):
        (xs,) = cache
        dxs = np.stack([3 * dtotal] * len(xs))
        return dxs

    recording = tr.trace(forward, backward, (XS[:, 0, :2],))
    assert [e.t for e in recording if e.name == "total" and not e.backward] == [None, *np.repeat(range(4), 2)]


def test_what_a_line_reads_is_known_and_keys_of_what_is_returned_are_not_read():
    recording = tr.trace(others.Affine(WX, WX[0]), XS[0])
    assert next(e for e in recording if e.name == "dx").reads == ("dy", "W", "params")
    assert next(e for e in recording if e.name == "y").reads == ("x", "W", "params", "b")
    lstm = tr.trace(tr.LSTM(2, 3, rng=0), T=2)
    assert next(e for e in lstm if e.name == "dW_h").reads == ("h_prev", "da")


def test_a_pass_that_breaks_off_is_shown_as_far_as_it_comes():
    def backward(dy, cache):
        x, W = cache
        dW = x.T @ dy * 3
        dx = dy @ W.T @ W.T
        return dx, dW

    recording = tr.trace(others.filled_forward, backward, (XS[0], WX))
    assert any("breaks off" in note and "test_functions.py" in note for note in recording.data["notes"])
    assert [(e.name, e.value is None) for e in recording if e.backward][-2:] == [("dW", False), ("dx", True)]
    assert "it raises ValueError" in "\n".join(transcript(recording))


@pytest.mark.slow
def test_a_known_mistake_comes_with_its_question_and_section(step_of_lecture):
    wrong = next(event for event in step_of_lecture if event.wrong)
    assert set(wrong.mistake) == {"name", "title", "question", "section", "section_title"}
    text = "\n".join(transcript(step_of_lecture))
    assert f"question: {wrong.mistake['question']}" in text and f"(tinyrnn read {wrong.mistake['section']})" in text


@pytest.fixture(scope="module")
def step_of_lecture():
    from pathlib import Path

    from tinyrnn.sources.user_file import loaded

    with loaded(Path(__file__).parents[2] / "lectures" / "wrong_lstm.py") as module:
        return tr.trace(module.lstm_step)


def test_without_numerical_gradients_nothing_is_compared_and_nothing_accused():
    recording = tr.trace(*CASES["in place"][0], numerical=False)
    assert recording.find(wrong=True) is None and all(event.numerical is None for event in recording)


@pytest.mark.parametrize("given", [(3,), (dict,), (np.sin, np.cos)])
def test_what_cannot_be_stepped_through_is_refused_in_one_line(given):
    with pytest.raises(TypeError) as raised:
        tr.trace(*given)
    assert "\n" not in str(raised.value)
