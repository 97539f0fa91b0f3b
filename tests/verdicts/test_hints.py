"""What is told of wrong lines to who asks: level by level, and the last level really puts them right."""

import pytest
from students import copy_of_hands

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.verdicts.hints import Remedy, in_words

PLANTED = {
    "a state of another step": (
        "homework.py",
        "lstm_step",
        [("    df = dnext_c * prev_c\n", "    df = dnext_c * next_c\n")],
    ),
    "a factor lost": ("homework.py", "lstm_step", [("    daf = df * f * (1 - f)\n", "    daf = df * f\n")]),
    "nothing carried back": ("inplace.py", "rnn", [("    dh = Why.T @ dy + dhnext", "    dh = Why.T @ dy")]),
    "two at once": (
        "homework.py",
        "lstm_step",
        [("    df = dnext_c * prev_c\n", "    df = dnext_c * next_c\n"), ("dg * (1 - g**2)", "dg * (1 - g)")],
    ),
}


def planted(folder, which):
    """(a copy of a file with these mistakes, the numbers of their lines, what its functions are called)."""
    file, name, changes = PLANTED[which]
    return *copy_of_hands(folder, file, *changes), name


def judged(path, name):
    with loaded(path) as module:
        functions = getattr(module, f"{name}_forward"), getattr(module, f"{name}_backward")
        return tr.lines(*functions, remedies=True)


@pytest.mark.few(1)
@pytest.mark.parametrize("which", PLANTED)
def test_what_the_last_level_shows_puts_the_line_right(tmp_path, which):
    path, numbers, name = planted(tmp_path, which)
    report = judged(path, name)
    assert not report.ok and {remedy.line for remedy in report.remedies} == set(numbers)
    lines = path.read_text().splitlines()
    for remedy in report.remedies:
        before = lines[remedy.line - 1]
        lines[remedy.line - 1] = before[: len(before) - len(before.lstrip())] + remedy.right
    path.write_text("\n".join(lines) + "\n")
    assert judged(path, name).ok


@pytest.mark.slow
@pytest.mark.parametrize("which", PLANTED)
def test_each_level_tells_more_than_the_one_before_and_only_the_last_the_answer(tmp_path, which):
    path, _, name = planted(tmp_path, which)
    report = judged(path, name)
    told = [report.hints(level) for level in (1, 2, 3)]
    assert set(told[0]) < set(told[1]) < set(told[2])
    assert told[0][0].startswith("hint: the gradient")
    for remedy in report.remedies:
        assert not any(remedy.right in text for text in told[1])
        assert any(remedy.right in text for text in told[2])


def test_of_right_lines_there_is_nothing_to_tell(tmp_path):
    path, _ = copy_of_hands(tmp_path, "homework.py")
    report = judged(path, "rnn_step")
    assert report.ok and report.remedies == [] and report.hints(3) == []


@pytest.mark.parametrize(
    ("wrong", "right", "where", "put"),
    [
        ("dU /= n", "dU /= n\ndW /= n", "missing behind `dU /= n`", "behind `dU /= n`, `dW /= n` puts"),
        ("go(right)", "go(left)\ngo(right)", "missing before `go(right)`", "before `go(right)`, `go(left)` puts"),
        ("for t in steps:\n    pass", "for t in steps:\n    dh = g", "within `for t in steps:`", "`dh = g` puts"),
    ],
)
def test_what_is_missing_is_told_by_what_it_belongs_beside(wrong, right, where, put):
    remedy = Remedy("backward", 7, wrong, right)
    second, third = in_words(remedy, 3)
    assert where in second and put in third
    assert list(in_words(remedy, 2)) == [second]
