"""A submission gets the points that its numbers are worth, and is told what there is to say of them."""

import json
from dataclasses import replace

import numpy as np
import pytest
import tiny_work
from tiny_marks import InProcess, WithoutLines, graded, marked, statuses
from tiny_work import SECRET, TINY, changed, solved, tiny, untouched, with_mistake

from tinyrnn.grading import marking
from tinyrnn.grading.answers import mistaken
from tinyrnn.grading.build import ROOT
from tinyrnn.grading.exercise import exercise
from tinyrnn.grading.marking import mark
from tinyrnn.grading.marks import Marks, shared
from tinyrnn.grading.report import details
from tinyrnn.grading.sandbox.sandbox import Reply, Sandbox
from tinyrnn.grading.task import Finding


def test_the_master_gets_everything():
    marks = graded(solved())
    assert (marks.points, marks.possible, marks.total) == (100.0, 100, 100)
    assert set(statuses(marks).values()) == {"right"}
    assert marks.all_right and not marks.crashed and not marks.problem


def test_public_checks_say_what_the_points_would_be():
    marks = marked(solved())
    assert (marks.points, marks.possible, marks.total) == (100.0, 100, 100)
    assert all(output.hidden is None for task in marks.tasks for output in task.outputs)


def test_the_skeleton_gets_nothing_and_is_not_called_wrong():
    marks = graded(untouched())
    assert marks.points == 0
    assert statuses(marks) == dict.fromkeys(["twice", "leaky", "step_weights", "slope"], "missing") | {
        "leaky_backward": "waiting"
    }


def test_another_right_solution_gets_everything():
    assert graded(with_mistake("other-order")).points == 100


def test_each_output_has_its_own_points_which_add_up_exactly():
    marks = graded(with_mistake("tanh-at-its-input"))
    task = marks.task("leaky_backward")
    assert task.status == "partly"
    assert {output.name: output.cents for output in task.outputs} == {"dx": 0, "dh_prev": 1350, "dW": 0}
    assert [output.possible for output in task.outputs] == [1350, 1350, 1300]
    assert marks.points == 73.5


@pytest.mark.parametrize("cents, n", [(2000, 3), (1, 2), (0, 4), (999, 7), (100, 3), (2200, 6)])
def test_shares_add_up(cents, n):
    assert sum(shared(cents, n)) == cents
    unit = max(shared(cents, n)) - min(shared(cents, n))
    assert unit in (0, 1) or (unit == 50 and all(part % 50 == 0 for part in shared(cents, n)))


def test_a_task_waits_for_what_it_stands_on_and_says_so():
    marks = marked(with_mistake("kept-twice"))
    task = marks.task("leaky_backward")
    assert (task.status, task.message, task.cents) == ("waiting", "waits for: leaky", 0)


def test_hidden_points_are_lost_in_hidden_cases_only_and_nothing_of_them_is_told():
    marks = graded(changed("h = (1 - a) * h_prev + a * u", "h = (1 - a) * h_prev + min(a, 0.9) * u"))
    task = marks.task("leaky")
    assert (task.outputs[0].public, task.outputs[0].hidden, task.cents) == (True, False, 0)
    assert task.status == "partly"
    assert task.message == "right in the public cases, but wrong in 2 of the hidden ones"
    assert not task.findings
    assert marks.task("leaky_backward").status == "right"  # it waits for what a student can see


def test_hidden_cases_come_from_the_secret_and_the_files():
    def hidden(text, secret):
        seen = InProcess(lambda function, arguments: Reply("raised", message="E: no"))
        mark(tiny(), {"ex1_tiny.py": text}, secret=secret, hidden=True, feedback=False, sandbox=seen)
        calls = [arguments for function, arguments in seen.calls if function == "leaky"]
        assert len(calls) == 3 + 3 + 2  # public ones, hidden ones of the same kind, and two of the special kind
        return calls[0]["x"].tobytes(), calls[3]["x"].tobytes()

    first = hidden("one", "secret")
    assert hidden("one", b"secret") == first
    for other in (hidden("two", "secret"), hidden("one", "another")):
        assert other[0] == first[0]
        assert other[1] != first[1]


def test_hidden_cases_take_a_secret_and_a_master(tmp_path):
    with pytest.raises(ValueError, match="secret"):
        mark(tiny(), {}, hidden=True)
    handed_out = exercise(1, tiny_work.hand_out(tmp_path))
    with pytest.raises(ValueError, match="master"):
        mark(handed_out, {}, hidden=True, secret=SECRET)


@pytest.mark.parametrize("name", ["kept-twice", "tanh-at-its-input", "no-leak-backwards", "falling"])
def test_known_mistakes_are_named_with_and_without_the_masters(tmp_path, name):
    (mistake,) = (mistake for mistake in tiny().mistakes if mistake.name == name)
    handed_out = exercise(1, tiny_work.hand_out(tmp_path))
    assert not handed_out.is_master
    for one in (tiny(), handed_out):
        files = {"ex1_tiny.py": with_mistake(name)}
        task = mark(one, files, sandbox=WithoutLines).task(mistake.task)
        assert task.mistake == {"name": name, "title": mistake.title}
        assert task.fingerprint == ""


def test_the_same_marks_with_the_masters_and_with_what_is_handed_out(tmp_path):
    handed_out = exercise(1, tiny_work.hand_out(tmp_path))
    files = {"ex1_tiny.py": changed("dW = x.T @ ds", "dW = 0.9 * (x.T @ ds)")}
    assert mark(handed_out, files, sandbox=WithoutLines) == mark(tiny(), files, sandbox=WithoutLines)


def test_unknown_mistakes_are_told_apart_by_their_numbers_not_by_their_source():
    def task(new):
        return marked(changed("dW = x.T @ ds", new), feedback=True, sandbox=WithoutLines).task("leaky_backward")

    one, same, other = (task(f"dW = {new}") for new in ("0.9 * (x.T @ ds)", "(ds.T @ x).T * 0.9", "0.8 * (x.T @ ds)"))
    assert one.mistake is None and len(one.fingerprint) == 12
    assert one.fingerprint == same.fingerprint != other.fingerprint


def test_line_verdicts_are_given_for_one_task():
    marks = marked(with_mistake("no-leak-backwards"), feedback=True)
    lines = marks.task("leaky_backward").lines
    assert any("WRONG" in line and "du = dh" in line for line in lines)
    assert sum(bool(task.lines) for task in marks.tasks) == 1


def test_practice_need_not_be_written():
    text = changed("return 2 * x", "raise NotImplementedError")
    marks = marked(text)
    assert marks.task("twice").status == "missing" and marks.all_right
    assert not marked(changed("return 2 * x", "return 3 * x")).all_right


def test_line_verdicts_that_find_nothing_say_so():
    class Fine(Sandbox):
        def line_verdicts(self, *_):
            return ["leaky and leaky_backward: all lines ok", "5    ok  1e-16 | du = dh * a"]

    marks = marked(changed("dW = x.T @ ds", "dW = x.T @ ds * 2"), feedback=True, sandbox=Fine)
    lines = ["no line of leaky_backward contradicts leaky as it stands in your file"]
    assert marks.task("leaky_backward").lines == lines


def test_numbers_are_believed_only_if_they_are_right():
    class Everything:
        def __eq__(self, other):
            return True

    forged = InProcess(lambda function, arguments: Reply("returned", Everything()))
    marks = mark(tiny(), {"ex1_tiny.py": ""}, secret=SECRET, hidden=True, sandbox=forged)
    assert marks.points == 0


@pytest.mark.parametrize(
    "value", [None, "w", np.ones(4) * np.nan, np.array("w"), np.ones((2, 2)), (1, 2), {"v": 1}, np.float64(1), [1.0]]
)
def test_a_judge_is_asked_only_about_numbers_and_gives_nothing_for_junk(value):
    answers = InProcess(lambda function, arguments: Reply("returned", value))
    task = mark(tiny(), {"ex1_tiny.py": ""}, sandbox=answers, feedback=False).task("step_weights")
    assert (task.status, task.cents) == ("wrong", 0)
    assert task.findings[0].message


@pytest.mark.parametrize(
    "judge",
    [
        lambda returned, inputs: [],
        lambda returned, inputs: [Finding("other", True)],
        lambda returned, inputs: [Finding("w", "yes")],
        lambda returned, inputs: 1 / 0,
        lambda returned, inputs: None,
    ],
)
def test_a_judge_has_to_say_that_an_output_is_right(judge):
    task = tiny().tasks["step_weights"]
    (finding,) = marking.judged(task, judge, np.ones(3), {"n": 3}, None)
    assert finding.ok is False
    assert finding.message


def test_a_judge_may_say_it_with_numpys_true():
    task = tiny().tasks["step_weights"]
    assert marking.judged(task, lambda r, i: [Finding("w", np.True_)], np.ones(3), {"n": 3}, None)[0].ok is True


@pytest.mark.parametrize("sandbox", [WithoutLines, pytest.param(Sandbox, marks=pytest.mark.slow)])
def test_the_same_submission_gives_the_same_bytes_which_can_be_read_back(sandbox):
    files = {"ex1_tiny.py": with_mistake("tanh-at-its-input") + "\nprint(object(), id(0))\n"}
    runs = [mark(exercise(1, TINY), files, secret=SECRET, hidden=True, sandbox=sandbox) for _ in range(2)]
    assert runs[0].to_json() == runs[1].to_json()
    content = json.loads(runs[0].to_json())
    assert content["points"] == runs[0].points
    assert sum(round(100 * task["earned"]) for task in content["tasks"]) == round(100 * content["points"])
    again = Marks.from_json(runs[0].to_json())
    assert again.to_json() == runs[0].to_json()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 0}', '{"format": 1}'])
def test_what_is_no_marks_is_refused_in_a_line(text):
    with pytest.raises(ValueError, match="these are no marks"):
        Marks.from_json(text)


def test_imports_are_an_allowlist_that_says_itself():
    marks = graded("import math\nimport scipy\n" + solved())
    assert marks.problem == "ex1_tiny.py does not load: this exercise allows numpy only; remove line 2"
    assert marks.points == 0
    inside = graded(changed("u = np.tanh(x @ W)\n    h", "import os\n    u = np.tanh(x @ W)\n    h"))
    said = inside.task("leaky").message
    assert said.startswith("this exercise allows numpy only; remove line ") and inside.task("twice").status == "right"
    assert graded("import math, itertools\nfrom functools import reduce\n" + solved()).points == 100


def test_functions_are_out_of_reach_of_a_task_that_has_to_do_without(monkeypatch):
    one = exercise(1, TINY)
    task = one.tasks["leaky_backward"]
    monkeypatch.setattr(type(one), "tasks", {**one.tasks, task.name: replace(task, without=("leaky",))})
    text = changed("du = dh * a\n", "leaky(x, h_prev, W, a)\n    du = dh * a\n")
    marks = mark(one, {"ex1_tiny.py": text}, sandbox=WithoutLines)
    said = "RuntimeError: leaky is out of reach here: leaky_backward has to work from its own arguments (ex1_tiny.py:"
    assert marks.task("leaky_backward").message.startswith(said)
    assert marks.task("leaky").status == "right"  # and is there again for others
    assert mark(one, {"ex1_tiny.py": solved()}, sandbox=WithoutLines).all_right


def test_two_mistakes_at_a_time_both_get_their_names():
    text = with_mistake("tanh-at-its-input").replace("dh_prev = dh * (1 - a)", "dh_prev = dh")
    marks = marked(text, feedback=True, sandbox=WithoutLines)
    task = marks.task("leaky_backward")
    named = {each["name"]: each["outputs"] for each in task.partial}
    assert task.mistake is None and named["tanh-at-its-input"] == ["dx", "dW"]
    assert any("known mistake in dx and dW" in line for line in details(task))
    assert Marks.from_json(marks.to_json()) == marks


def test_line_verdicts_are_for_backward_tasks_whose_forward_pass_is_right():
    asked = []

    class Counting(Sandbox):
        def line_verdicts(self, files, main, forward, backward, *_):
            asked.append(backward)
            return ["5 WRONG  1e+00 | du = dh"]

    both = with_mistake("no-leak-backwards").replace("h = (1 - a) * h_prev + a * u", "h = a * h_prev + a * u")
    marked(both, feedback=True, sandbox=Counting)
    assert asked == []
    task = marked(with_mistake("no-leak-backwards"), feedback=True, sandbox=Counting).task("leaky_backward")
    assert asked == ["leaky_backward"] and task.lines


def test_of_a_single_task_line_verdicts_are_given_where_its_forward_pass_is_right():
    one = exercise(3, ROOT)
    (mistake,) = (each for each in one.mistakes if each.name == "coupled-back-f-only-keeps")
    wrong = mistaken((one.folder / "master.py").read_text(encoding="utf-8"), mistake)
    for text, given in ((wrong, True), (wrong.replace("c = f * c_prev + (1 - f) * g", "c = f * c_prev + g"), False)):

        class Told(Sandbox):
            def line_verdicts(self, *_):
                return ["5 WRONG  1e+00 | df = dc * c_prev"]

        marks = mark(one, {one.file: text}, only="coupled_step_backward", sandbox=Told)
        (said, *_) = marks.task("coupled_step_backward").lines
        assert ("WRONG" in said) == given and said.startswith("when coupled_step is right") != given


def test_one_task_is_marked_with_those_it_waits_for_and_no_others():
    marks = marked(solved(), only="leaky_backward")
    assert list(statuses(marks).items()) == [("leaky", "right"), ("leaky_backward", "right")]
    with pytest.raises(ValueError, match="1_tiny has no task 'leeky': twice, leaky, "):
        marked(solved(), only="leeky")
