"""`tinyrnn step` on the command line: what is recorded, the transcript, where it stops, and one line for a mistake."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main, make_parser
from tinyrnn.stepping.recording import Recording
from tinyrnn.stepping.screen import as_text, screen
from tinyrnn.stepping.terminal import ACTIONS, PROMPTS, Position

ROOT = Path(__file__).parents[2]
LECTURE = (ROOT / "lectures" / "stepping.md").read_text("utf-8")
STUDENT = """import numpy as np
import tinyrnn as tr

def step(p, x, state):
    h = np.tanh(x @ p["W"] + state[0] @ p["U"])
    return (h,), (x, state[0], h)

def step_backward(p, cache, dstate):
    x, h_prev, h = cache
    da = dstate[0] * (1 - h * h)
    return da @ p["W"].T, (da @ p["U"].T,), {"W": x.T @ da, "U": h_prev.T @ da}
"""
CELL = """
made = tr.StepCell(step, step_backward, params={"W": np.ones((2, 3)), "U": np.eye(3)}, input_size=2, state_sizes=3)
"""


PAIR = """
def affine_forward(x, W):
    "x (N, D), W (D, H)"
    y = x @ W
    return y, (x, W)

def affine_backward(dy, cache):
    x, W = cache
    dx = dy @ W.T
    dW = x.T @ dy * 2
    return dx, dW
"""


@pytest.fixture
def step(capsys, tmp_path, monkeypatch):
    """Runs `tinyrnn step …` in an empty folder; returns (exit status, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(line):
        try:
            status = main(["step", *shlex.split(line)])
        except SystemExit as exit:
            status = exit.code
        return status, *capsys.readouterr()

    run.folder = tmp_path
    return run


def test_what_is_not_a_terminal_gets_the_transcript(step):
    status, out, err = step("lstm --time 2")
    assert (status, err) == (0, "")
    assert out.startswith("lstm: LSTM(2 -> 3, float64)\n2 time steps, 2 sequences, ")
    assert step("lstm --time 2 --print") == (0, out, "")


def test_the_transcript_stops_at_the_place(step):
    _, whole, _ = step("gru --time 2 --print")
    status, out, _ = step("gru --time 2 --print --until 'backward t=0'")
    assert status == 0 and whole.startswith(out.rstrip()[:-20])
    assert out.splitlines()[-3].startswith("    dh (2, 3)") and "backward, t = 0;" in out


def test_a_place_that_nothing_is_at_is_said_after_the_whole_transcript(step):
    status, out, _ = step("elman --time 2 --print --until nan")
    assert status == 0 and out.endswith("\nno line is at the place 'nan'\n")
    assert "the gradients that the backward pass returned" in out


@pytest.mark.slow
def test_a_wrong_line_makes_the_status_1_if_it_is_shown(step):
    assert step(f"{ROOT / 'lectures' / 'wrong_elman.py'} --time 2 --json r.json")[0] == 0  # judged once: seconds
    status, out, _ = step("r.json --print --until wrong")
    assert status == 1
    accused, known, *_ = out.rstrip().splitlines()[-4:]
    assert "da = dh * (1 - h)" in out and accused.startswith("    WRONG: ") and known.startswith("    known mistake: ")
    assert step("r.json --print")[0] == 1
    assert step("r.json --print --until backward")[0] == 0


def test_the_recording_is_written_and_shown_again(step):
    status, out, err = step("lstm --time 2 --json r.json")
    assert (status, out, err) == (0, "recording: r.json\n", "")
    assert len(Recording.load(step.folder / "r.json")) == 78
    assert step("r.json --print") == step("lstm --time 2 --print")
    assert (step.folder / "r.json").stat().st_size > 0


def test_sizes_seed_range_names_and_the_check_are_what_is_asked_for(step):
    step(
        "gru --time 4 --batch 3 --input-size 5 --hidden 7 --seed 3 --range 1 3 --names h dh --numerical 2 --json r.json"
    )
    recording = Recording.load("r.json")
    assert (recording.data["T"], recording.data["B"]) == (4, 3)
    assert {(event.name, event.t) for event in recording} == {(name, t) for name in ("h", "dh") for t in (1, 2)}
    assert recording[0].value.shape == (3, 7)
    assert {event.t for event in recording if event.numerical is not None} == {2}
    np.testing.assert_allclose(recording.array(recording.data["params"]["W_x"]), tr.GRU(5, 7, rng=3).params["W_x"])


def test_the_one_cell_of_a_file_needs_no_name(step):
    (step.folder / "mine.py").write_text(STUDENT + CELL)
    status, out, _ = step("mine.py --time 2 --print")
    assert status == 0 and out.startswith("made: step(2 -> 3, float64)") and "  mine.py:10  da = dstate[0]" in out
    assert step("mine.py:made --time 2 --print")[1] == out
    (step.folder / "mine.py").write_text(STUDENT + CELL + "same = made\n")
    assert step("mine.py --time 2 --print")[0] == 0


@pytest.mark.slow
def test_functions_in_a_file_are_stepped_through_as_lines_and_gradcheck_take_them(step):
    (step.folder / "mine.py").write_text(PAIR)
    cells = [{"cell_type": "code", "source": ["%matplotlib inline\n"]}, {"cell_type": "code", "source": PAIR}]
    (step.folder / "mine.ipynb").write_text(json.dumps({"cells": cells}))
    status, out, _ = step("mine.py --print")
    assert status == 1 and "mine.py:10  dW = x.T @ dy * 2" in out and "WRONG: it is 2 times what it should be" in out
    assert step("mine.py:affine_backward --print")[:2] == step("mine.py:affine_forward --print")[:2] == (status, out)
    status, out, _ = step("mine.ipynb --print --until wrong")
    assert status == 1 and out.rstrip().endswith("WRONG: it is 2 times what it should be")
    assert step("mine.py --print --numerical")[0] == 0
    assert step("mine.py --print --names dx")[0] == 0
    status, out, _ = step("mine.py --html page.html --json r.json")
    assert status == 0 and "dW = x.T @ dy * 2" in (step.folder / "r.json").read_text()
    assert "<title>affine" in (step.folder / "page.html").read_text()
    assert step("r.json --print")[0] == 1


@pytest.mark.slow
def test_the_lectures_wrong_lstm_is_stepped_through(step):
    assert step(f"{ROOT / 'lectures' / 'wrong_lstm.py'} --json r.json")[0] == 0
    status, out, _ = step("r.json --print")
    assert status == 1 and out.count("WRONG") == 2 and "known mistake: 1 - c² where 1 - tanh²(c) belongs" in out
    _, out, _ = step("r.json --until wrong --print")
    mistake = re.findall(r"```text\n(.*?)```", LECTURE, flags=re.S)[1]
    assert out.rstrip().endswith("\n".join(f"    {line}" for line in mistake.rstrip().splitlines()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x = 3",
            r"mine\.py: no cell or model is made at its top level, and no functions belong together: define foo",
        ),
        (STUDENT + CELL + "other = tr.GRU(2, 3)\n", r"mine\.py: say which of made, other, as mine\.py:made"),
        (
            PAIR + PAIR.replace("affine", "linear"),
            r"say which of affine_backward, linear_backward, as mine\.py:affine_b",
        ),
        ("import", r"mine\.py:1, import: SyntaxError"),
        ("1 / 0", r"mine\.py:1: ZeroDivisionError"),
    ],
)
def test_a_file_that_does_not_say_what_is_meant_is_a_mistake_of_one_line(text, message, step):
    (step.folder / "mine.py").write_text(text)
    status, out, err = step("mine.py")
    assert (status, out) == (2, "") and len(err.splitlines()) == 1
    assert re.search(message, err), err


MISTAKES = {
    "lstmm": "'lstmm' is no cell, run or file",
    "nothing.py": "there is no file nothing.py",
    "nothing.json": "nothing.json",
    "lstm --time 0": "at least one time step and one sequence, got T=0",
    "lstm --batch 0": "at least one time step and one sequence",
    "lstm --hidden 0": "hidden_size must be a positive integer",
    "lstm --range 7 9": r"steps \[7, 9\] are none of the 5 time steps",
    "lstm --numerical 9": "numerical: ",
    "lstm --print --until t=9": "--until: t=9: time steps are 0 to 4",
    "lstm --print --until dq": "--until: no line gives 'dq'",
    "lstm --print --until ''": "--until: an empty place",
    "lstm --json /dev/null/r.json": "/dev/null",
}


@pytest.mark.few(3)
@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_exits_2_with_one_line(line, step):
    status, out, err = step(line)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1 and err.startswith("tinyrnn: ") and re.search(MISTAKES[line], err), err


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": "tinyrnn-recording", "version": 7}'])
def test_a_file_that_is_no_recording_is_a_mistake_of_one_line(text, step):
    (step.folder / "r.json").write_text(text)
    status, _, err = step("r.json")
    assert status == 2 and len(err.splitlines()) == 1 and "r.json" in err


def test_without_a_terminal_to_type_on_the_view_is_refused_before_anything_is_run(step, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("tinyrnn.commands.step.recorded", lambda args: pytest.fail("recorded"))
    status, _, err = step("lstm")
    assert (status, err) == (2, "tinyrnn: the view needs a terminal at both ends; --print writes the steps as text\n")


@pytest.mark.slow
def test_a_pager_that_is_left_early_is_no_error():
    command = f"{sys.executable} -m tinyrnn step lstm --time 40 --numerical --print | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.startswith("lstm: ") and done.stderr == "" and done.returncode == 0


# the lecture ------------------------------------------------------------------------------------------------------

WRONG = "lectures/wrong_elman.py"


def lasting(line):
    """The size of the gradient that leaves at the first time step, as the transcript of a command says it."""
    return float(line.split("leaving |dh_prev| ")[1].split()[0])


@pytest.mark.parametrize(
    "shown",
    [  # what is wrong is judged as well, in 8 s: by default a smaller file with a mistake is, above
        pytest.param(shown, marks=[pytest.mark.slow] * ("wrong" in shown))
        for shown in re.findall(r"```console\n\$ tinyrnn step (.*?)```", LECTURE, flags=re.S)
    ],
)
def test_the_transcripts_of_the_lecture_are_what_is_printed(shown, step, monkeypatch):
    monkeypatch.chdir(ROOT)
    command, text = shown.split("\n", 1)
    command, _, start = command.partition(" | grep ")
    status, out, err = step(command)
    lines = [line for line in out.splitlines() if line.startswith(start.strip("'^"))]
    assert "\n".join(lines).strip() == text.strip() and err == ""
    assert status == ("wrong" in command)


@pytest.mark.slow
def test_the_screen_of_the_lecture_is_what_the_view_shows(step, monkeypatch):
    monkeypatch.chdir(ROOT)
    step(f"{WRONG} --time 3 --batch 1 --json {step.folder}/r.json")
    view = Position(Recording.load(step.folder / "r.json"))
    view.seek("wrong")
    shown = re.findall(r"```text\n(.*?)```", LECTURE, flags=re.S)[0]
    assert as_text(screen(view, 80, 20)) == shown.rstrip("\n")


def test_the_mistake_of_the_lecture_is_the_only_one_and_does_what_is_said_of_it(step):
    wrong = (ROOT / WRONG).read_text("utf-8")
    assert wrong.count("(1 - h)") == 1
    (step.folder / "wrong.py").write_text(wrong)
    (step.folder / "right.py").write_text(wrong.replace("(1 - h)", "(1 - h**2)"))
    assert step("right.py --time 3 --print")[0] == 0
    sizes = []
    for name in "wrong", "right":
        _, out, _ = step(f"{name}.py --time 20 --batch 1 --names dh --numerical --print")
        sizes.append(lasting(next(line for line in out.splitlines() if line.startswith("backward, t = 0"))))
    assert all(str(size) in LECTURE for size in sizes) and sizes == [395.5, 0.01856]


def test_the_lstm_keeps_as_much_as_the_lecture_says(step):
    sizes = []
    for network in "lstm", "elman --batch 1 --seed 2":
        _, out, _ = step(f"{network} --time 20 --names dh --numerical --print")
        sizes.append(lasting(next(line for line in out.splitlines() if line.startswith("backward, t = 1;"))))
    assert 1e4 < sizes[0] / sizes[1] < 1e5


def test_every_command_and_key_of_the_lecture_exists(step):
    for line in re.findall(r"^tinyrnn (step .*)$", LECTURE, flags=re.M):
        make_parser().parse_args(shlex.split(line))
    keys = {key for names, _ in ACTIONS for key in names} | set(PROMPTS)
    assert set(re.findall(r"`([a-zA-Z?/])`", LECTURE)) <= keys


def test_a_trained_network_is_stepped_through_on_an_input_of_its_task(step, capsys):
    options = "--length 2 --hidden 3 --batch 2 --updates 1 --out run"
    assert main(["train", "copy", "--delay", "2", *options.split()]) == 0
    capsys.readouterr()
    status, out, err = step("run --batch 1 --numerical 0 --print")
    assert (status, err) == (0, "") and "cross entropy" in out.splitlines()[1]
    status, _, err = step("run --time 3")
    assert status == 2 and "--time: the task of run has" in err
