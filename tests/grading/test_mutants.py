"""Every small mistake in a master loses points, or is listed: what does not is found, and named."""

import made_up
import pytest

from tinyrnn.commands.main import main
from tinyrnn.grading.blind_cases import blind_cases
from tinyrnn.grading.exercise import exercise
from tinyrnn.grading.mutants import Solution, solutions

CASES = "1_line/cases.py"
EQUIVALENT = """EQUIVALENT = {
    "it is one": (
        "line | straight = SCALE * a * x + b | SCALE * a -> a",
    ),
}
"""


def fates(root):
    """text -> fate of all mutants of the master of exercise 1 in a folder."""
    solution = Solution(exercise(1, root), drawings=2)
    return {text: solution.fate(name, mutant.tree) for name, mutant, text in solution.every}


def test_mutants_that_change_an_answer_lose_points(tmp_path):
    found = fates(made_up.write(tmp_path / "exercises"))
    assert found["line | straight = SCALE * a * x + b | SCALE * a * x + b -> SCALE * a * x - b"] == "lost"
    assert found["line_backward | db = added_up(dy) | added_up(dy) -> -added_up(dy)"] == "lost"


def test_a_case_that_hides_a_mistake_is_found(tmp_path):
    root = made_up.write(tmp_path / "exercises", (CASES, '"b": float(rng.uniform(1, 2))', '"b": 0.0'))
    name = "line | straight = SCALE * a * x + b | SCALE * a * x + b -> SCALE * a * x"
    assert fates(root)[name] == "blind"
    tally = blind_cases(root, [1], drawings=2)["1_line"]
    assert name in tally.blind and "lose nothing" in str(tally)


def test_a_change_that_is_none_is_listed_with_a_reason_and_what_is_listed_must_be_there(tmp_path):
    root = made_up.write(tmp_path / "exercises")
    before = blind_cases(root, [1], drawings=1)["1_line"]
    name = "line | straight = SCALE * a * x + b | SCALE * a -> a"
    assert name in before.blind and before.equivalent == 0
    (root / "1_line" / "equivalent.py").write_text(EQUIVALENT)
    after = blind_cases(root, [1], drawings=1)["1_line"]
    assert name not in after.blind and after.equivalent == 1 and not after.unused
    (root / "1_line" / "equivalent.py").write_text(EQUIVALENT.replace("SCALE * a -> a", "SCALE * a -> b"))
    assert blind_cases(root, [1], drawings=1)["1_line"].unused == [name.replace("-> a", "-> b")]


def test_an_argument_changed_in_place_loses_points(tmp_path):
    root = made_up.write(tmp_path / "exercises")
    solution = Solution(exercise(1, root), drawings=1)
    (tree,) = [f for f in solution.functions.values() if f.name == "warm_up"]
    assert solution.fate("warm_up", tree) == "blind"
    changing = Solution(
        exercise(1, made_up.write(tmp_path / "other", ("1_line/master.py", "return 2 * x", "x *= 2; return x")))
    )
    assert solution.fate("warm_up", changing.functions["warm_up"]) == "lost"


def test_of_another_right_solution_only_what_it_changes_is_tried(tmp_path):
    _, other = solutions(exercise(1, made_up.write(tmp_path / "exercises")))
    assert {name for name, _, _ in other.every} == {"line"}
    assert all(text.startswith("other-order: line | straight = b + a * x * SCALE | ") for *_, text in other.every)
    assert other.fate("line", other.functions["line"]) == "blind"


def test_the_command_tells_what_loses_nothing_and_fails(tmp_path, capsys):
    root = str(made_up.write(tmp_path / "exercises"))
    assert main(["teach", "verify", "--mutants", "--root", root, "--jobs", "1", "--sample", "20", "1"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert all(line.startswith("1_line: it loses nothing: ") for line in told[:-1]) and told[:-1]
    assert told[-1].startswith("1_line: ") and " mutants: " in told[-1]
    assert main(["teach", "verify", "--root", root, "--sample", "3", "--whole"]) == 2
    assert capsys.readouterr().err == "tinyrnn: --sample is for some, --whole for all: take one of them\n"
    assert main(["teach", "verify", "--root", root, "--sample", "0"]) == 2


@pytest.mark.long
@pytest.mark.slow
def test_no_mistake_in_the_exercises_loses_nothing(capsys):
    """A sample, another one in each exercise; `tinyrnn teach verify --mutants` tries them all."""
    assert main(["teach", "verify", "--mutants", "--sample", "30", "--jobs", "2"]) == 0, capsys.readouterr().out
