"""Whatever a submission does, its marks come back whole, and the grader is not touched."""

import hostile_texts
import numpy as np
import pytest
from tiny_marks import InProcess, WithoutLines, graded, marked, statuses
from tiny_work import SECRET, changed, solved, tiny

from tinyrnn.grading import key as keys
from tinyrnn.grading import marking
from tinyrnn.grading.marking import canonical, mark, submission
from tinyrnn.grading.marks import Marks
from tinyrnn.grading.sandbox.sandbox import Reply, Sandbox


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "body, status, said",
    [
        ("return 1 / 0 * x", "wrong", "ZeroDivisionError: division by zero (ex1_tiny.py:"),
        ("raise NotImplementedError('leaky')", "missing", "not written yet"),
        ("raise ValueError('a\\nb \\x1b[31m <object at 0x7f0123456789>')", "wrong", "ValueError: a b "),
        ("np.ctypeslib.ctypes._os._exit(0)", "wrong", "ended"),
        ("return lambda: 0", "wrong", "not made of arrays"),
        ("return [h_prev, h_prev]", "wrong", ""),
        ("return h_prev * np.nan", "wrong", ""),
        ("return h_prev[0]", "wrong", ""),
    ],
)
def test_what_a_function_does_instead_of_answering_costs_its_points_only(body, status, said):
    marks = graded(changed("h = (1 - a) * h_prev + a * u", body))
    task = marks.task("leaky")
    assert (task.status, task.cents) == (status, 0)
    assert said in task.message
    assert "\x1b" not in task.message and "0x7f" not in task.message
    assert marks.points == 30 and not marks.crashed


def test_a_loop_without_end_is_a_timeout_and_is_called_once(monkeypatch):
    calls = []

    def answer(function, arguments):
        calls.append(function)
        return Reply("timeout", message="took more than 5 s")

    marks = mark(tiny(), {"ex1_tiny.py": ""}, secret=SECRET, hidden=True, sandbox=InProcess(answer))
    assert calls == ["twice", "leaky", "step_weights", "slope"]
    assert "no answer after 5 s" in marks.task("leaky").message
    assert marks.points == 0


@pytest.mark.parametrize(
    "text, said",
    [
        ("def leaky(:\n", "does not load"),
        ("raise SystemExit(0)\n", "does not load"),
        ("x = 1\n" * 100 + "import no_such_thing\n", "this exercise allows numpy only; remove line 101"),
    ],
)
def test_a_file_that_does_not_load_is_told_once_and_gets_nothing(text, said):
    marks = graded(text)
    assert said in marks.problem
    assert {task.message for task in marks.tasks} == {marks.problem}
    assert marks.points == 0 and not marks.crashed


def test_a_file_that_is_not_there():
    marks = mark(tiny(), {"ex2_after.py": solved()}, secret=SECRET, hidden=True)
    assert marks.problem == "there is no ex1_tiny.py"
    assert set(statuses(marks).values()) == {"missing"}


def test_earlier_exercises_can_be_imported_and_other_files_count_for_nothing():
    files = {"ex1_tiny.py": solved(1), "ex2_after.py": solved(2)}
    marks = mark(tiny(2), files, secret=SECRET, hidden=True)
    assert marks.points == 100
    more = {**files, "numpy.py": "raise SystemExit", "../evil.py": "", "ex3_later.py": "x"}
    assert mark(tiny(2), more, secret=SECRET, hidden=True).to_json() == marks.to_json()


def test_state_kept_between_calls_is_noticed():
    text = changed("h = (1 - a) * h_prev + a * u", "h = (1 - a) * h_prev + a * u + len(SEEN)\n    SEEN.append(1)")
    task = marked(text.replace("import numpy as np", "import numpy as np\n\nSEEN = []")).task("leaky")
    assert task.status == "wrong"
    assert "wrong when called again" in task.findings[0].message


def test_arguments_that_are_changed_in_place_do_not_reach_the_grader():
    text = changed("u = np.tanh(x @ W)\n    h = ", "h_prev *= 0\n    u = np.tanh(x @ W)\n    h = ")
    assert marked(text).task("leaky").status == "wrong"


def test_numbers_too_large_to_be_added_up_are_only_wrong():
    huge = InProcess(lambda function, arguments: Reply("returned", np.full((3, 3), 1e308)))
    marks = mark(tiny(), {"ex1_tiny.py": ""}, sandbox=huge)
    assert marks.points == 0 and not marks.crashed
    assert marks.task("leaky").fingerprint


def test_a_fault_in_what_is_said_costs_no_points(monkeypatch):
    def broken(*_):
        raise RuntimeError("no words")

    monkeypatch.setattr(marking, "fingerprint", broken)
    task = marked(changed("dW = x.T @ ds", "dW = 0.9 * (x.T @ ds)")).task("leaky_backward")
    assert (task.status, task.cents) == ("partly", 2700)
    assert "RuntimeError: no words" in task.message


class Broken(Sandbox):
    """A sandbox that breaks, in one task or altogether."""

    def call(self, function, *arguments, **options):
        if function == "step_weights":
            raise RuntimeError("something in /home/teacher/secret/place.py is broken")
        return super().call(function, *arguments, **options)


def test_a_crash_of_the_grader_costs_one_task_and_is_told():
    marks = graded(solved(), sandbox=Broken)
    task = marks.task("step_weights")
    assert (task.status, task.cents) == ("crashed", 0)
    assert task.message == "0, grader crashed, tell staff (RuntimeError: something in place.py is broken)"
    assert marks.crashed and not marks.all_right
    assert marks.points == 80


def test_a_crash_of_the_whole_grader_still_gives_marks():
    def broken(*_, **__):
        raise OSError("no more processes")

    marks = graded(solved(), sandbox=broken)
    assert marks.crashed and marks.points == 0 and marks.tasks == []
    assert marks.problem == "0, grader crashed, tell staff (OSError: no more processes)"
    assert Marks.from_json(marks.to_json()) == marks


HOSTILE = [name for name, (_, kinds, _) in hostile_texts.BROKEN.items() if "timeout" not in kinds]  # which take minutes


@pytest.mark.slow
@pytest.mark.parametrize("name", [*HOSTILE, "a loop without end"])
def test_hostile_files_get_what_their_numbers_are_worth_and_never_break_the_grader(name):
    text, _, right = hostile_texts.BROKEN[name]
    text = text.replace("double(", "twice(") if isinstance(text, str) else text.replace(b"double(", b"twice(")
    marks = graded(text, sandbox=WithoutLines)
    assert marks.points == 0 and not marks.crashed
    assert right or marks.task("twice").status != "right"
    assert Marks.from_json(marks.to_json()) == marks or any(task.printed for task in marks.tasks)


def test_different_files_have_different_canonical_bytes():
    different = [{}, {"a": "bc"}, {"ab": "c"}, {"a": "b", "c": ""}, {"a": "", "bc": ""}, {"a": "b", "": "c"}]
    assert len({canonical(files) for files in different}) == len(different)
    assert canonical({"b": "1", "a": "2"}) == canonical({"a": b"2", "b": "1"})
    assert len(submission({"a": "\ud800"})) == 64


def test_an_argument_that_is_changed_in_place_is_wrong_and_named_with_its_line():
    text = changed("h = (1 - a) * h_prev + a * u", "h_prev *= 1 - a\n    h_prev += a * u\n    h = h_prev")
    marks = graded(text)
    task = marks.task("leaky")
    line = 1 + text.split("\n").index("    h_prev *= 1 - a")
    assert (task.status, task.cents) == ("wrong", 0)
    said = f"h_prev was changed in place (ex1_tiny.py:{line}): no function changes its arguments, work on a copy"
    assert task.message == said and not task.findings and task.mistake is None
    assert text.count("h_prev") and marks.task("leaky_backward").status == "waiting"


def test_no_mistake_is_named_in_outputs_that_a_change_in_place_alone_makes_wrong():
    """What the right value is in a known mistake too must not be taken for that mistake."""
    old = "    du = dh * a\n"
    assert solved().count(old) == 1
    text = changed(old, "    x *= 2\n" + old)
    task = marked(text, feedback=True).task("leaky_backward")
    assert task.message.startswith("x was changed in place")
    assert [finding.output for finding in task.findings] == ["dW"]
    assert task.partial == []


def test_a_change_in_place_is_seen_whatever_the_submission_patches():
    patch = "import copy\ncopy.deepcopy = lambda value, *_: value\nnp.array_equal = lambda *_: True\n"
    text = changed("h = (1 - a) * h_prev + a * u", "h_prev *= 1 - a\n    h_prev += a * u\n    h = h_prev") + patch
    task = graded(text).task("leaky")
    assert task.cents == 0 and task.message.startswith("h_prev was changed in place (ex1_tiny.py:")


@pytest.mark.parametrize("line", ["w = a\n    w += 0", "x.sort()", "x[...] = x"])
def test_what_leaves_an_argument_as_it_was_is_no_change(line):
    text = changed(
        "h = (1 - a) * h_prev + a * u",
        f"{line}\n    h = (1 - a) * h_prev + a * u".replace("x.sort()", "W.copy().sort()"),
    )
    assert marked(text).task("leaky").status == "right"


@pytest.mark.slow
def test_a_call_without_end_says_in_which_line():
    text = changed("h = (1 - a) * h_prev + a * u", "while True:\n        u = u + 0\n    h = u")
    line = 1 + text.split("\n").index("    while True:")
    marks = marked(text)
    assert any(f"(ex1_tiny.py:{n})" in marks.task("leaky").message for n in (line, line + 1))


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "value", ['{"\\ud800\\n\\x1b[2J": x}', "np.zeros((0, 10**8))", "{str(k): x for k in range(19_000)}"]
)
def test_odd_keys_and_empty_giants_are_wrong_and_little_is_said_of_them(value):
    marks = graded(changed("return 2 * x", f"return {value}"))
    task = marks.task("twice")
    assert task.status == "wrong" and not marks.crashed
    text = marks.to_json()
    assert len(text) < 20_000 and "\\ud800" not in text and "\\u001b" not in text
    text.encode("utf-8")


@pytest.mark.parametrize("size, looked_into", [(12, {12}), (12_000_000, set())])
def test_an_array_of_another_shape_is_looked_into_unless_it_is_huge(size, looked_into, monkeypatch):
    project, sizes = keys.project, []
    monkeypatch.setattr(keys, "project", lambda part: sizes.append(part.size) or project(part))
    sandbox = InProcess(lambda function, arguments: Reply("returned", np.zeros(size, bool)))
    assert mark(tiny(), {"ex1_tiny.py": ""}, sandbox=sandbox).points == 0
    assert set(sizes) == looked_into
