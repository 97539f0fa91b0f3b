"""Worksheets: every seed gives an exercise that can be done on paper, and the key is what the recording has."""

import functools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyrnn import LSTM, Elman
from tinyrnn.cells import CELLS
from tinyrnn.commands.main import main
from tinyrnn.stepping import pdf
from tinyrnn.stepping.exercise import LARGEST, PAPER, STEPS, TOLERANCE, Rounding, exercise
from tinyrnn.stepping.paper import Heading
from tinyrnn.stepping.running import Lines
from tinyrnn.stepping.worksheet import worksheet
from tinyrnn.stepping.worksheet_document import document

EXACT = ("elman-relu", "elman-identity", "irnn", "lt-ornn", "lt-ornn-relu", "lt-irnn")
ROUNDED = tuple(name for name in PAPER if name not in EXACT)
SEEDS = st.integers(0, 2**32)
made = functools.cache(worksheet)  # for those who only look: half a second each


def answers(sheet):
    return {question.id: question.answer for question in sheet.questions}


@settings(max_examples=3)
@given(st.sampled_from(EXACT), SEEDS, st.sampled_from([2, 3]))
def test_every_seed_gives_an_exact_exercise_short_small_and_not_degenerate(name, seed, units):
    sheet = worksheet(name, seed, units)
    found = answers(sheet)
    assert sheet.exact
    for answer in found.values():
        assert abs(answer).max() < LARGEST
        assert np.allclose(100 * answer, np.round(100 * answer), atol=1e-6)
    gradients = [answer for id, answer in found.items() if id.startswith("gradients/") and id.count("/") == 1]
    assert len(gradients) == 3
    assert min((answer != 0).mean() for answer in gradients) >= 0.5
    assert all(found[f"backward/dh_prev/{t}"].any() for t in range(STEPS))
    outputs = [value for function, value in sheet.exercise.activations() if function == "relu"]
    if "off" in found:
        assert 0 < found["off"] == sum((value == 0).sum() for value in outputs)
        assert all((value > 0).any() for value in outputs)


@pytest.mark.slow
@settings(max_examples=15)
@given(st.sampled_from(ROUNDED), SEEDS)
def test_who_rounds_as_the_sheet_says_stays_within_the_tolerance(name, seed):
    sheet = worksheet(name, seed)
    done = sheet.exercise
    loss, back, params = Lines(done.cell).run(Rounding(), done.x, None, None, None, done.dh, None)
    found = answers(sheet)
    assert abs(loss - found["loss"]) <= TOLERANCE
    for key, value in params.items():
        assert abs(np.asarray(value) - found[f"gradients/d{key}"]).max() <= TOLERANCE
    left = sheet.recording.step_at(0, 0)["leaving"]
    for state, value in zip(done.cell.states, back.state, strict=True):
        assert abs(value - sheet.recording.array(left[state])).max() <= TOLERANCE


def test_rounding_is_felt():
    done = made("lstm", 0).exercise
    _, _, rounded = Lines(done.cell).run(Rounding(), done.x, None, None, None, done.dh, None)
    assert abs(rounded["W_h"] - answers(made("lstm", 0))["gradients/dW_h"]).max() > 1e-4


@pytest.mark.few(2)
@pytest.mark.parametrize("name", PAPER)
def test_answers_are_those_of_the_cell_and_the_numerical_gradients_agree(name):
    sheet = made(name, 5)
    done, found = sheet.exercise, answers(sheet)
    h, tape = done.cell.forward(done.x)
    back = done.cell.backward(done.dh, tape)
    out = done.cell.states[0]
    for t in range(STEPS):
        assert np.allclose(found[f"forward/{out}/{t}"], h[t, 0], atol=1e-8)
    for key, gradient in back.params.items():
        assert np.allclose(found[f"gradients/d{key}"], gradient, atol=1e-7)
    assert np.isclose(found["loss"], (done.dh * h).sum())
    for line in done.lines("step_backward") + done.lines("gradients"):
        for t, numerical in line.numerical.items():
            assert np.allclose(numerical, line.values[t], atol=1e-7), line
    assert all(line.numerical for line in done.lines("gradients"))


def test_contributions_of_the_steps_add_up_to_the_gradient():
    found = answers(made("elman", 5))
    for key in ("dW_x", "dW_h", "db"):
        total = sum(found[f"gradients/{key}/{t}"] for t in range(STEPS))
        assert np.allclose(total, found[f"gradients/{key}"], atol=1e-7)


def test_margin_questions_are_answered_by_the_recorded_gradients():
    sheet = made("elman", 5)
    found = answers(sheet)
    leaving = np.array([abs(found[f"backward/dh_prev/{t}"]).max() for t in range(STEPS)])
    arriving = np.array([abs(found[f"backward/dh-arriving/{t}"]).max() for t in range(STEPS)])
    assert np.array_equal(found["size/leaving"], leaving)
    assert np.array_equal(found["size/arriving"], arriving)
    t = int(found["step"])
    assert t == (leaving / arriving).argmin()
    through = abs(found[f"backward/da/{t}"]).max()
    assert found["product"] == (1 if through / arriving[t] < leaving[t] / through else 2)


def test_a_seed_is_one_exercise_and_other_seeds_are_others():
    assert worksheet("elman", 5).markdown(key=True) == made("elman", 5).markdown(key=True)
    assert len({made("elman", seed).markdown() for seed in (3, 4, 5)}) == 3
    assert not np.array_equal(exercise("elman-relu", 3).x, exercise("irnn", 3).x)


@pytest.mark.parametrize("name", sorted(CELLS))
def test_a_cell_fits_on_paper_or_is_refused_in_a_line_that_names_those_that_do(name):
    if name in PAPER:
        assert made(name, 5).questions
        return
    with pytest.raises(ValueError, match="does not fit on paper") as caught:
        worksheet(name, 1)
    assert "elman-relu" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_small_cell_of_ones_own_is_accepted_and_left_alone():
    cell = Elman(2, 2, rng=0, activation="relu")
    before = cell.params["W_h"].copy()
    assert worksheet(cell, 4).exact
    assert np.array_equal(cell.params["W_h"], before)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((LSTM(3, 5), 0), "5 units"),
        ((Elman(2, 2, learn_state=True), 0), "initial state"),
        (("lstm", 0, 3), "321 numbers"),
        (("elman", 0, 4), "2 or 3 units"),
        (("elman", -1), "whole number"),
        (("elman", 0, 2, 8), "8 numbers to fill in are too few: the closing questions have 9"),
        (("perceptron", 0), "no cell, run or file"),
    ],
)
def test_what_is_no_work_for_paper_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        worksheet(*arguments)


@pytest.mark.parametrize("name", ["elman-relu", "lstm"])
def test_the_sheet_shows_no_answer_and_the_key_shows_all(name):
    sheet = made(name, 5)
    blank, key = sheet.markdown(), sheet.markdown(key=True)
    assert "worksheet 5" in blank and "worksheet 5" in key
    assert "Name ___" in blank and "Name ___" not in key
    asked = sum(question.answer.size for question in sheet.questions)
    assert blank.replace("Name ______________________________   Date ________________", "").count("___") >= asked
    assert "_____" not in key
    for line in [*sheet.exercise.lines("step_backward"), *sheet.exercise.lines("gradients")]:
        assert line.text in blank
    for t in range(STEPS):
        h = answers(sheet)[f"forward/h/{t}"]
        assert "  ".join(f"{v:>6.3f}" if name == "lstm" else f"{v + 0.0:>6g}" for v in h) in key
    assert "Self-check" in key and "Self-check" not in blank


def test_a_grader_finds_every_question_once_with_its_answer():
    data = made("gru", 5).to_json()
    ids = [question["id"] for question in data["questions"]]
    assert len(set(ids)) == len(ids)
    assert {"forward/r/0", "backward/da_n/2", "gradients/db_n", "loss", "step"} <= set(ids)
    assert not any(id.startswith(("forward/a_r", "backward/du")) for id in ids)  # put together, not worked out


def inside(page):
    return all(
        mark[1] + (mark[3] if mark[0] == "box" else pdf.width_of(mark[3], mark[4])) <= pdf.WIDTH - 20 for mark in page
    )


def overlapping(page):
    """Pairs of texts on a page whose boxes share a point; a line takes from a fifth below its foot to its size."""
    boxes = [
        (x, x + pdf.width_of(text, f), y - 0.2 * f.get_size(), y + 0.75 * f.get_size())
        for kind, x, y, text, f, *_ in (mark for mark in page if mark[0] == "text")
    ]
    return [
        (a, b)
        for n, a in enumerate(boxes)
        for b in boxes[:n]
        if a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]
    ]


SHEETS = [("elman", 2, True), ("lstm", 2, False)] + [
    pytest.param(name, units, key, marks=pytest.mark.slow)
    for name, units in [("elman", 2), ("lt-irnn", 3), ("lstm", 2), ("gru", 3), ("gru-cho", 3)]
    for key in (False, True)
    if (name, key) not in [("elman", True), ("lstm", False)]
]


@pytest.mark.few(1)
@pytest.mark.parametrize("name, units, key", SHEETS)
def test_nothing_overlaps_or_leaves_the_page(name, units, key):
    pages = pdf.PageLayout(document(made(name, 1, units), key)).pages
    assert pages
    for page in pages:
        assert inside(page)
        assert overlapping(page) == []
        assert min(mark[2] for mark in page) > 30


@pytest.mark.slow
def test_pages_have_the_same_bytes_each_time(tmp_path):
    for name in ("one.pdf", "two.pdf"):
        worksheet("elman", 6).pdf(tmp_path / name)
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()
    assert (tmp_path / "one.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.few(1)
@pytest.mark.parametrize("name, units, key", SHEETS)
def test_a_table_that_a_page_can_hold_is_not_broken_and_its_heading_stands_above_it(name, units, key):
    blocks = document(made(name, 1, units, None if key else 40), key)
    pages = [[mark[3] for mark in page if mark[0] == "text"] for page in pdf.PageLayout(blocks).pages]
    titles = {block.text for block in blocks if isinstance(block, Heading)}
    assert sum(page.count("line") for page in pages) == 3  # the header of each table stands once
    assert not any(page[-1] in titles for page in pages)


@pytest.mark.parametrize("name", PAPER)
def test_no_name_with_a_bracket_stands_beside_one_with_an_underscore(name):
    text = made(name, 5).markdown(key=True)
    assert not re.search(r"(?<![\w.`])\w+\[\w+\]`", text)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["elman", "lstm", "gru"])
def test_a_lesson_has_at_most_forty_blanks_all_counted_and_the_rest_is_given(name):
    whole, sheet = made(name, 3), made(name, 3, blanks=40)
    assert whole.blanks > 60 and 30 <= sheet.blanks <= 40
    assert {q.id for q in sheet.questions} | sheet.given == {q.id for q in whole.questions}
    asked = {q.id for q in sheet.questions}
    assert all(f"backward/{line}/2" in asked for line in ("dh-arriving", "dh_prev"))  # the way back from the last step
    text = sheet.markdown()
    assert f"{sheet.blanks} numbers to fill in, some {sheet.minutes} minutes; all others are given." in text
    assert sheet.minutes <= 30 < whole.minutes and "all others are given" not in whole.markdown()
    fields = text.replace("Name ______________________________   Date ________________", "")
    assert len(re.findall("_{5,6}(?!_)", fields)) == sheet.blanks
    assert "_____" not in sheet.markdown(key=True) and sheet.markdown(key=True) == whole.markdown(key=True)
    assert [q["id"] for q in sheet.to_json()["questions"]] == [q.id for q in sheet.questions]


def test_a_part_of_a_and_the_block_of_a_gate_have_names_of_their_own():
    text = made("lstm", 0).markdown()
    assert "`ax_i`" in text and "`a_i`" in text and "`da_i`" in text and "`a[i]`" not in text


def test_the_command_prints_sheet_and_key(capsys):
    assert main(["step", "elman-relu", "--worksheet", "--seed", "7"]) == 0
    sheet = made("elman-relu", 7, blanks=40)
    assert capsys.readouterr().out == sheet.markdown() + "\n---\n\n" + sheet.markdown(key=True)


def test_the_command_writes_a_class_set_with_one_key(tmp_path, capsys):
    path = tmp_path / "class" / "sheet.md"
    assert main(["step", "lt-ornn", "--worksheet", str(path), "--seed", "4", "--count", "3"]) == 0
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "sheet-4.md",
        "sheet-5.md",
        "sheet-6.md",
        "sheet-key.md",
    ]
    key = (path.parent / "sheet-key.md").read_text(encoding="utf-8")
    assert key.count("# Solution key: lt-ornn, worksheet") == 3
    assert worksheet("lt-ornn", 5).markdown(key=True) in key
    assert str(path.parent / "sheet-6.md") in capsys.readouterr().out


@pytest.mark.slow
def test_the_exercise_can_be_stepped_through_from_its_recording(tmp_path):
    from tinyrnn.stepping.recording import Recording

    file = tmp_path / "e.json"
    assert (
        main(
            [
                "step",
                "elman",
                "--worksheet",
                str(tmp_path / "s.pdf"),
                "--key",
                str(tmp_path / "k.md"),
                "--json",
                str(file),
            ]
        )
        == 0
    )
    assert len(Recording.load(file)) == len(worksheet("elman", 0).recording)
    assert (tmp_path / "s.pdf").exists() and (tmp_path / "k.md").exists() and not (tmp_path / "s-key.pdf").exists()


@pytest.mark.parametrize(
    "options, message",
    [
        (["--worksheet", "sheet.docx"], "ending in .md or .pdf"),
        (["--worksheet", "sheet.md", "--key", "sheet.md"], "files of their own"),
        (["--worksheet", "--count", "2"], "need --worksheet FILE"),
        (["--worksheet", "--count", "0"], "one sheet at least"),
        (["--worksheet", "--time", "4"], "--time does not go"),
    ],
)
def test_options_that_do_not_go_together_are_one_line(options, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["step", "elman", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())
