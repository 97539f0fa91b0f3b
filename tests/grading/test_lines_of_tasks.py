"""Every backward task of every exercise that fails gets its line verdicts, and no right one gets any."""

import ast

import pytest
import tiny_work

from tinyrnn.grading.answers import mistaken
from tinyrnn.grading.build import ROOT, masters
from tinyrnn.grading.exercise import exercises
from tinyrnn.grading.marking import mark
from tinyrnn.grading.report import text as report

BACKWARD = [
    (each.number, task.name)
    for each in masters(ROOT)
    for task in each.tasks.values()
    if task.partners and task.name == task.partners[1] and not task.practice
]
IN_THE_DEFAULT_RUN = [(2, "leaky_sequence_backward"), (5, "leaky_phases_backward")]


def solution(one):
    return (one.folder / "master.py").read_text(encoding="utf-8")


def first_in_one_line(one, name):
    """(text, number of the line) of the first known mistake of a task that changes one line alone."""
    right = solution(one).splitlines()
    for mistake in one.mistakes:
        if mistake.task == name and not mistake.accepted:
            wrong = mistaken(solution(one), mistake).splitlines()
            changed = [k for k, pair in enumerate(zip(right, wrong, strict=False), start=1) if pair[0] != pair[1]]
            if len(right) == len(wrong) and len(changed) == 1:
                return "\n".join(wrong) + "\n", changed[0]
    raise AssertionError(f"no known mistake of {name} is in one line")


def wrong_lines(task):
    """Numbers of the lines that are accused."""
    return [int(line.split()[0]) for line in task.lines if "WRONG" in line.split("|")[0]]


def checked(one, text, name):
    """(line numbers that are accused, all that is printed) of one task."""
    before = {each.file: solution(each) for each in exercises(one.folder.parent) if each.number < one.number}
    marks = mark(one, {**before, one.file: text}, only=name)
    return wrong_lines(marks.task(name)), report(marks)


def is_placed(one, name):
    text, line = first_in_one_line(one, name)
    accused, said = checked(one, text, name)
    assert set(accused) <= lines_of(text, name)  # all else is right
    lines = [text.splitlines()[each - 1].strip() for each in accused]
    assert line in accused, said
    assert "line by line" in said and all(each in said for each in lines)


def test_there_are_such_tasks_in_all_exercises_that_have_a_backward_pass():
    assert {number for number, _ in BACKWARD} == {1, 2, 3, 5, 6, 7, 8}
    called_so = [(e.number, t.name) for e in masters(ROOT) for t in e.tasks.values() if t.name.endswith("_backward")]
    assert [each for each in called_so if masters(ROOT)[each[0] - 1].tasks[each[1]].points] == BACKWARD


@pytest.mark.slow
@pytest.mark.parametrize(("number", "name"), IN_THE_DEFAULT_RUN)
def test_a_mistake_is_placed_where_more_is_kept_than_the_forward_pass_returns(number, name):
    is_placed(masters(ROOT)[number - 1], name)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "name"), [each for each in BACKWARD if each not in IN_THE_DEFAULT_RUN])
def test_a_mistake_in_any_backward_task_is_placed_in_its_line(number, name):
    is_placed(masters(ROOT)[number - 1], name)


def planted(one, names):
    """The master with a known mistake in each of some tasks."""
    text = solution(one)
    for name in names:
        text = next(
            mistaken(text, m)
            for m in one.mistakes
            if m.task == name and not m.accepted and text.count(m.old) == m.times
        )
    return text


def lines_of(text, name):
    """Numbers of the lines of a function."""
    function = next(f for f in ast.parse(text).body if isinstance(f, ast.FunctionDef) and f.name == name)
    return set(range(function.lineno, function.end_lineno + 1))


def halves(one, with_backward):
    """Two sets of graded tasks that no other one waits for: what is wrong in one of them is right in the other."""
    waited_for = {name for task in one.tasks.values() for name in task.after}
    ends = [task for task in one.tasks.values() if task.points and task.name not in waited_for]
    names = [task.name for task in ends if with_backward or (one.number, task.name) not in BACKWARD]
    return names[::2], names[1::2]


def right_ones_are_clean(one, wrong):
    """Marks the master with mistakes in some tasks; returns the names of the tasks that are right."""
    before = {each.file: solution(each) for each in exercises(one.folder.parent) if each.number < one.number}
    text = planted(one, wrong)
    marks = mark(one, {**before, one.file: text})
    right = [task for task in marks.tasks if task.right_in_public]
    accused = {number for task in marks.tasks for number in wrong_lines(task)}
    assert {task.name for task in marks.tasks} - {task.name for task in right} == set(wrong)
    assert not any(task.lines or task.mistake or task.partial or task.findings for task in right)
    for task in right:
        assert not accused & lines_of(text, task.name)
    return {task.name for task in right}


def test_no_line_of_a_right_task_is_accused_whatever_else_is_wrong():
    one = masters(ROOT)[1]
    assert right_ones_are_clean(one, halves(one, with_backward=True)[0])


@pytest.mark.slow
@pytest.mark.parametrize("one", masters(ROOT), ids=lambda one: one.folder.name)
def test_no_line_of_a_right_task_is_accused_in_any_exercise(one):
    """Graded and practice tasks; what is said where a backward pass fails, `is_placed` sees of each."""
    wrong = halves(one, with_backward=False)
    assert set.union(*(right_ones_are_clean(one, each) for each in wrong)) == set(one.tasks)


def test_a_right_task_is_not_accused():
    one = masters(ROOT)[1]
    accused, said = checked(one, solution(one), "leaky_sequence_backward")
    assert accused == [] and "line by line" not in said


def test_so_it_is_in_an_own_exercise_that_says_nothing_of_pairs(tmp_path):
    one = tiny_work.tiny()
    task = one.tasks["leaky_backward"]
    assert task.partners == ("leaky", "leaky_backward") and one.tasks["slope"].partners is None
    is_placed(one, "leaky_backward")
