"""Another edition is an exercise again, in which the answers of the years around it are wrong."""

import re

import numpy as np
import pytest

from tinyrnn.commands.main import main
from tinyrnn.grading import answers
from tinyrnn.grading.build import ROOT, masters
from tinyrnn.grading.editions import Variant, changed, changes, unused, variants, write_edition
from tinyrnn.grading.exercise import exercise
from tinyrnn.grading.skeleton import skeleton

YEARS = (2027, 2028)  # two in a row take every way that there is
FOLDERS = [each.folder.name for each in masters(ROOT)]


@pytest.fixture(scope="module")
def editions(tmp_path_factory):
    return {year: write_edition(ROOT, year, tmp_path_factory.mktemp("edition") / str(year)) for year in YEARS}


def close(one, other, tolerance):
    one, other = np.asarray(one), np.asarray(other)
    if other.dtype.kind not in "fc":
        return np.array_equal(one, other)
    return one.shape == other.shape and bool(abs(one - other).max(initial=0) <= tolerance * abs(other).max(initial=0))


def test_everything_is_changed_at_once_and_nothing_twice():
    assert changed("a b ab", {"a": "b", "b": "a"}) == "b a ba"
    assert changed("8 * near, 8", {"8": "9", "8 * near": "27 * near"}) == "27 * near, 9"
    assert changed("as it is", {}) == "as it is"


def test_two_years_in_a_row_take_different_ways_and_the_same_year_always_the_same():
    for ways in ({"a": "b"},), ({"a": "b"}, {"a": "c"}):
        variant = Variant("some", (), *ways)
        for year in range(2020, 2040):
            assert variant.way(year) != variant.way(year + 1)
            assert variant.way(year) == Variant("some", (), *ways).way(year)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_exercise_has_variants_and_every_text_that_they_change_is_there(folder):
    one = exercise(folder, ROOT)
    assert len(variants(one)) > 1
    assert unused(one) == []


@pytest.mark.parametrize("folder", [pytest.param(f, marks=[pytest.mark.slow] * (f != FOLDERS[0])) for f in FOLDERS])
def test_an_edition_has_its_skeleton_and_its_known_mistakes(editions, folder):
    for root in editions.values():
        one = exercise(folder, root)
        text = (one.folder / "master.py").read_text(encoding="utf-8")
        assert "raise NotImplementedError" in skeleton(text)
        made = {answers.mistaken(text, mistake) for mistake in one.mistakes}
        assert text not in made
        assert not (one.folder / "editions.py").exists()
        assert (one.folder / "public" / "picture.png").exists()


@pytest.mark.few(3)
@pytest.mark.parametrize("folder", FOLDERS)
def test_what_was_right_last_year_is_wrong_this_year(editions, folder):
    """In all tasks that a variant names, and with nothing but the functions renamed."""
    for variant in variants(exercise(folder, ROOT)):
        for year in YEARS[1:]:
            new, old = exercise(folder, editions[year]), exercise(folder, editions[year - 1])
            names = dict(zip(exercise(folder, ROOT).tasks, zip(old.tasks, new.tasks, strict=True), strict=True))
            for name in variant.tasks:
                before, now = (each.tasks[n] for each, n in zip((old, new), names[name], strict=True))
                same = []
                for k in range(now.number):
                    inputs = answers.public_inputs(new, now, k)
                    try:
                        right = answers.answer(new.master, now, inputs)
                        found = answers.answer(old.master, before, inputs)
                    except (ValueError, KeyError, TypeError, AttributeError):
                        continue  # other names, other shapes: wrong
                    same.append(all(close(found[output], right[output], now.tolerance) for output in now.outputs))
                assert not any(same), f"{variant.name}: {name} of {year - 1} is right in {year}"


@pytest.mark.few(3)
@pytest.mark.parametrize("folder", FOLDERS)
def test_what_no_variant_names_is_what_it_was(editions, folder):
    """Else a change of texts has gone further than it says, and the handout is not what is checked."""
    one = exercise(folder, ROOT)
    named = {name for variant in variants(one) for name in variant.tasks}
    for root in editions.values():
        new = exercise(folder, root)
        for before, now in zip(one.tasks.values(), new.tasks.values(), strict=True):
            for k in range(now.number if before.name not in named and now.judge is None else 0):
                inputs = answers.public_inputs(new, now, k)
                right, found = answers.answer(new.master, now, inputs), answers.answer(one.master, before, inputs)
                for output in now.outputs:
                    assert close(found[output], right[output], now.tolerance), f"{now.name}: {output}"


def test_no_text_speaks_of_a_function_by_the_name_it_had_before(editions):
    """Names that are words as well, without an underscore, stay where they are words."""
    before = {name for folder in FOLDERS for name in exercise(folder, ROOT).tasks}
    for root in editions.values():
        now = {name for folder in FOLDERS for name in exercise(folder, root).tasks}
        gone = re.compile(rf"\b({'|'.join(name for name in before - now if '_' in name)})\b")
        for path in sorted(root.rglob("*")):
            if path.suffix in (".py", ".md"):
                assert gone.findall(path.read_text(encoding="utf-8")) == [], path


def test_two_variants_must_not_change_the_same_text(tmp_path):
    one = tmp_path / "1_one"
    one.mkdir()
    (one / "checks.py").write_text("TITLE, TASKS = 'one', ()\n")
    (one / "editions.py").write_text(
        "from tinyrnn.grading.editions import Variant\n"
        "VARIANTS = tuple(Variant(name, (), {'a': name}, {'a': name + '2'}, {'a': name + '3'}) for name in 'xy')\n"
    )
    with pytest.raises(ValueError, match="two variants change 'a'"):
        for year in range(10):
            changes(tmp_path, year)


@pytest.mark.long
@pytest.mark.sample(1)
@pytest.mark.slow
@pytest.mark.parametrize("year", YEARS)
def test_an_edition_keeps_its_word_when_it_is_marked(year, capsys):
    """A sample of every second exercise, the year after of the others, without the last one, whose masters train
    networks: CI marks more of all of them."""
    numbers = [folder[0] for folder in FOLDERS[year % 2 : -1 : 2]]
    command = ["teach", "verify", *numbers, "--edition", str(year), "--sample", "1", "--again", "--jobs", "2"]
    assert main(command) == 0, capsys.readouterr().out
