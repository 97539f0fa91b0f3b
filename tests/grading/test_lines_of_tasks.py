"""Every backward task of every exercise that fails gets its line verdicts, and no right one gets any."""

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
# The value of the wrong line is the gradient of nothing that has a name: what reads it is accused.
WHERE_IT_IS_READ = {"line_memory_backward": ["dnoise = dpart * shrunk", "dshrunk = dpart * noise"]}


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


def checked(one, text, name):
    """(line numbers that are accused, all that is printed) of one task."""
    before = {each.file: solution(each) for each in exercises(one.folder.parent) if each.number < one.number}
    marks = mark(one, {**before, one.file: text}, only=name)
    lines = marks.task(name).lines
    return [int(line.split()[0]) for line in lines if "WRONG" in line.split("|")[0]], report(marks)


def is_placed(one, name):
    text, line = first_in_one_line(one, name)
    accused, said = checked(one, text, name)
    lines = [text.splitlines()[each - 1].strip() for each in accused]
    assert lines == WHERE_IT_IS_READ[name] if name in WHERE_IT_IS_READ else line in accused, said
    assert "line by line" in said and all(each in said for each in lines)


def test_there_are_such_tasks_in_all_exercises_that_have_a_backward_pass():
    assert {number for number, _ in BACKWARD} == {1, 2, 3, 5, 6, 7, 8}
    called_so = [(e.number, t.name) for e in masters(ROOT) for t in e.tasks.values() if t.name.endswith("_backward")]
    assert [each for each in called_so if masters(ROOT)[each[0] - 1].tasks[each[1]].points] == BACKWARD


@pytest.mark.parametrize(("number", "name"), IN_THE_DEFAULT_RUN)
def test_a_mistake_is_placed_where_more_is_kept_than_the_forward_pass_returns(number, name):
    is_placed(masters(ROOT)[number - 1], name)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "name"), [each for each in BACKWARD if each not in IN_THE_DEFAULT_RUN])
def test_a_mistake_in_any_backward_task_is_placed_in_its_line(number, name):
    is_placed(masters(ROOT)[number - 1], name)


def test_a_right_task_is_not_accused():
    one = masters(ROOT)[1]
    accused, said = checked(one, solution(one), "leaky_sequence_backward")
    assert accused == [] and "line by line" not in said


def test_so_it_is_in_an_own_exercise_that_says_nothing_of_pairs(tmp_path):
    one = tiny_work.tiny()
    task = one.tasks["leaky_backward"]
    assert task.partners == ("leaky", "leaky_backward") and one.tasks["slope"].partners is None
    is_placed(one, "leaky_backward")
