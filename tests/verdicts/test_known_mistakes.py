"""Every known mistake is named by its numbers, and by the whole report where it is planted in the package's source."""

import functools

import numpy as np
import planting
import pytest
from sampling import sample

from tinyrnn.cells import CELLS
from tinyrnn.verdicts.judge.judging import Judge
from tinyrnn.verdicts.judge.reporting import report_on
from tinyrnn.verdicts.mistakes import BACKWARDS
from tinyrnn.verdicts.name.environment import TOOLS, evaluate
from tinyrnn.verdicts.subjects import of_package as subjects

LONG = ("lstm-peephole", "lstm-output-matrix", "gru-cho")  # much the same as others, and half of all the time
OF_ONE_LINE = {"permutation", "fourier", "cross_entropy-masked", "squared_error"}  # no two mistakes at once


def each(families):
    marks = {name: [pytest.mark.slow] if name in LONG else [] for name in families}
    return pytest.mark.parametrize("family", [pytest.param(name, marks=marks[name]) for name in families])


each_family = each(planting.SUBJECTS)
PAIRS = 20  # of mistakes at once, in each family
TRIED = {"planted": 2, "pairs": 1}  # each takes seconds


@functools.cache
def on_trial(family):
    """The problem of a family's subject, and its judge."""
    name, point = planting.SUBJECTS[family]
    problem = subjects.named(name, point)
    return problem, Judge(problem, problem.truth())


def sizes(family):
    environment = on_trial(family)[1].namer.environment
    return {name: environment[name] for name in "TBHNC" if name in environment}


@functools.cache
def planted(family):
    return list(planting.plantable(family, sizes(family)))


@functools.cache
def pairs(family):
    """[({function: tree}, {(function, line): name of the mistake there})] of two mistakes on different lines each."""
    rng, found = np.random.default_rng(0), []
    for _ in range(10 * PAIRS):
        first, second = (planted(family)[k] for k in rng.choice(len(planted(family)), 2, replace=False))
        both = {(one.function.__qualname__, one.line): one.mistake.name for one in (first, second)}
        around = first.tree if first.function is second.function else None
        again = planting.plant(second.mistake, second.function, sizes(family), around)
        if len(both) == 2 and again is not None and len(found) < PAIRS:
            found.append(({first.function: first.tree, second.function: again.tree}, both))
    return found


def some(of, family):
    """What is tried of the mistakes, or pairs of them, of a family: of mistakes in anything smaller than a cell all."""
    small = of is planted and planting.SUBJECTS[family][0] not in CELLS
    return of(family) if small else sample(of(family), TRIED[of.__name__], called)


def called(one):
    """The name of a planted mistake, or those of a pair."""
    return one.mistake.name if isinstance(one, planting.Planted) else " ".join(one[1].values())


@pytest.fixture
def tools(family, monkeypatch):
    """Lets the sources of a family use all that the library's expressions do."""
    for function in planting.functions_of(family):
        for name, tool in (TOOLS | {"np": np}).items():
            if name not in function.__globals__:
                monkeypatch.setitem(function.__globals__, name, tool)


def report_with(family, trees):
    problem, judge = on_trial(family)
    return report_on(problem, judge, problem.program(trees))


def test_every_entry_of_the_library_has_a_subject():
    assert {mistake.of for mistake in BACKWARDS} == set(planting.SUBJECTS)


@pytest.mark.slow
def test_more_than_a_thousand_mistakes_are_planted_and_hundreds_of_pairs():
    counts = [sum(len(of(family)) for family in planting.SUBJECTS) for of in (planted, pairs)]
    print(f"{len(BACKWARDS)} known mistakes, {counts[0]} planted, and {counts[1]} pairs")
    assert counts[0] > 1000 and counts[1] > 200
    assert {family for family in planting.SUBJECTS if not pairs(family)} == OF_ONE_LINE
    assert all(map(planted, planting.SUBJECTS))


@each_family
def test_the_numbers_of_every_mistake_are_named_as_that_mistake(family):
    namer = on_trial(family)[1].namer
    named = {}
    for mistake in (m for m in BACKWARDS if m.of == family):
        got, expected = evaluate(mistake.instead, namer.environment), np.asarray(namer.environment[mistake.line])
        assert got is not None, f"{mistake.name} cannot be worked out"
        known = namer.name(got, expected, mistake.line)
        named[mistake.name] = known and known["name"]
    assert named == {name: name for name in named}


@each_family
def test_right_numbers_have_no_name(family):
    namer = on_trial(family)[1].namer
    assert namer.by_line
    for line in namer.by_line:
        expected = np.asarray(namer.environment[line])
        assert namer.name(expected.copy(), expected, line) is None


@pytest.mark.sample(20)
@pytest.mark.slow
@each_family
def test_a_planted_mistake_is_accused_on_its_line_and_named(family, tools):
    for one in some(planted, family):
        report = report_with(family, {one.function: one.tree})
        said = {(row.function, row.line, row.mistake and row.mistake["name"]) for row in report.wrong}
        assert said == {(one.function.__qualname__, one.line, one.mistake.name)}, report


@pytest.mark.sample(6)
@pytest.mark.slow
@each([family for family in planting.SUBJECTS if family not in OF_ONE_LINE])
def test_of_two_planted_mistakes_none_gets_a_wrong_name(family, tools):
    for trees, names in some(pairs, family):
        report = report_with(family, trees)
        assert report.wrong
        for row in report.wrong:
            assert row.mistake is None or row.mistake["name"] == names.get((row.function, row.line)), report
