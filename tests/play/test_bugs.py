"""Find the bug: what is planted is wrong, is where the game says, and the same for everybody who plays a seed."""

import io
import json
import re

import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.play import bugs
from tinyrnn.play.bugs_page import bugs_page
from tinyrnn.play.bugs_terminal import play


def sample():
    return bugs.chosen(0)[:3]


def test_a_seed_stands_for_ten_mistakes_and_another_for_others():
    sets = [bugs.chosen(seed) for seed in range(6)]
    assert sets == [bugs.chosen(seed) for seed in range(6)]
    assert all(len(set(names)) == 10 and set(names) <= bugs.candidates().keys() for names in sets)
    assert len({tuple(names) for names in sets}) == 6
    lines = [(bugs.candidates()[name].of, bugs.candidates()[name].line) for name in sets[0]]
    assert len(set(lines)) == 10


def test_every_family_that_is_played_has_mistakes():
    assert {mistake.of for mistake in bugs.candidates().values()} == bugs.PLAYED.keys()
    assert len(bugs.candidates()) > 100


# by their numbers: a second to plant all that there are is not for who runs other tests
@pytest.mark.parametrize("k", [0, 1, 2, *(pytest.param(3 + k, marks=pytest.mark.slow) for k in range(10))])
def test_a_check_finds_what_is_planted_and_one_line_is_exchanged(k):
    one = bugs.make_round([*sample(), *bugs.chosen(1)][k])
    assert any(is_wrong for *_, is_wrong in one.table)
    own = [line.text for line in bugs.source(bugs.made(one.cell), "step_backward")]
    shown = [text for _, text in one.lines]
    assert [k for k, (a, b) in enumerate(zip(shown, own, strict=True)) if a != b] == [one.wrong]
    assert own[one.wrong] == one.right


@pytest.mark.slow
@pytest.mark.parametrize("k", range(5))
def test_the_line_verdicts_accuse_first_the_line_that_the_game_says(k):
    broken, _, text = bugs.planted(bugs.candidates()[bugs.chosen(0)[k]])
    accused = tr.lines(broken(2, 3, rng=0)).wrong[0].name
    assert text.startswith(f"{accused} = ")


def test_the_check_of_a_pass_with_nothing_planted_is_all_right():
    assert not any(is_wrong for *_, is_wrong in bugs.table(bugs.made("lstm")))


def test_what_a_step_back_cannot_read_is_not_planted():
    names = {mistake.name for mistake in bugs.OF_CELLS if mistake.of == "elman" and mistake.line == "dh_prev"}
    assert names & bugs.candidates().keys() and names - bugs.candidates().keys()
    with pytest.raises(ValueError, match=r"^no mistake 'nothing' that can be planted"):
        bugs.make_round("nothing")


def played(names, typed):
    """Points and words of a game in which `typed` is typed."""
    said, typed = [], iter(typed)
    return play(0, names, ask=lambda _: next(typed), say=said.append), "\n".join(said)


def test_points_in_the_terminal_are_for_the_first_and_the_second_attempt():
    one = bugs.make_round(sample()[0])
    numbers = [str(number) for number, _ in one.lines]
    wrong, others = numbers[one.wrong], [n for k, n in enumerate(numbers) if k != one.wrong]
    for typed, points in ([wrong], 2), ([others[0], wrong], 1), (others[:2], 0), (["x", "", wrong], 2):
        found, text = played([sample()[0]], typed)
        assert found == points
        assert f"{points} of 2 points, seed 0" in text
        assert one.right in text and f"tinyrnn read {one.mistake.section}" in text and one.mistake.hint in text
        assert (one.mistake.question in text) == (points < 2)


def test_the_game_in_the_terminal_ends_where_the_input_ends(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["play", "--bugs", "--here", "--mistakes", sample()[0]]) == 0
    assert "Round 1 of 1" in capsys.readouterr().out


def test_a_teacher_chooses_the_mistakes(capsys):
    assert main(["play", "--bugs", "--list"]) == 0
    listed = [line.split()[-1] for line in capsys.readouterr().out.splitlines()]
    assert listed == list(bugs.candidates())
    page = bugs_page(mistakes=sample()[:1], progress=False)
    rounds = json.loads(re.search(r"const ROUNDS = (.*);", page)[1])
    assert list(rounds) == sample()[:1] and len(page.encode()) < 500_000
    assert rounds[sample()[0]]["lines"][rounds[sample()[0]]["wrong"]][1] != rounds[sample()[0]]["right"]


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--bugs", "--mistakes", "nothing"], "no mistake 'nothing' that can be planted"),
        (["--here"], "--here, --mistakes and --list belong to --bugs"),
        (["elman", "--bugs"], "each makes a page of its own"),
    ],
)
def test_a_mistake_of_the_users_is_one_line(arguments, said, capsys):
    assert main(["play", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
