"""Claims are judged by what the runs, or the numbers of an analysis, say."""

import pytest

from tests.reproductions.made_up import swept
from tinyrnn.reproductions.claims import (
    HOLDS,
    IN_PART,
    NOT,
    OPEN,
    Better,
    Computed,
    LargestRate,
    Oftener,
    Reaches,
    Solves,
)
from tinyrnn.reproductions.computed import ON_DIGITS
from tinyrnn.sweeps.plan import Sweep
from tinyrnn.sweeps.rows import LAST, Chosen, choose


@pytest.mark.parametrize(
    ("losses", "never", "word"),
    [
        ([0.1, 0.2], False, HOLDS),
        ([0.1, 0.9], False, IN_PART),
        ([0.8, None], False, NOT),
        ([0.8, None], True, HOLDS),
        ([0.1, 0.2], True, NOT),
    ],
)
def test_a_claim_that_a_task_is_solved_is_judged_by_counts(losses, never, word):
    assert Solves("", ("a",), never).verdict(*swept({"a": losses}, solved=0.5)).word == word


@pytest.mark.parametrize(
    ("a", "b", "word"),
    [
        ([0.1, 0.2, 0.3], [0.4, 0.5, None], HOLDS),
        ([0.4, 0.5, 0.6], [0.1, 0.2, 0.3], NOT),
        ([0.1, 0.2], [0.4, 0.5], OPEN),
        ([0.1, 0.5, 0.3], [0.4, 0.2, 0.6], OPEN),
    ],
)
def test_a_claim_that_one_is_better_is_judged_by_a_rank_test(a, b, word):
    assert Better("", "a", "b").verdict(*swept({"a": a, "b": b})).word == word
    assert Better("", "a", "c").verdict(*swept({"a": a, "b": b})).word == OPEN


def test_where_no_order_of_so_few_runs_could_decide_it_that_is_said():
    better = Better("", "a", "b")
    assert better.verdict(*swept({"a": [0.1], "b": [0.4]})).why.endswith(
        "p = 0.5; 1 against 1 runs cannot give less than 0.5"
    )
    assert "3 against 2 runs cannot give less than 0.1" in better.verdict(*swept({"a": [1, 2, 3], "b": [4, 5]})).why
    assert better.verdict(*swept({"a": [1, 2, 3], "b": [4, 5, 6]})).why == "2 against 5, p = 0.05"


def test_a_claim_can_be_judged_at_the_largest_rate_that_does_not_diverge():
    plan = Sweep({"task": "adding", "task_options": {"steps": 4}}, {"a": {}}, grid={"lr": [0.1, 0.01]}, solved=0.5)
    losses = {0.1: 1.2, 0.01: 0.2}
    rows = [
        {
            **{"contender": "a", "seed": 0, "lr": lr, **dict.fromkeys(LAST)},
            **{"valid_loss": x, "test_loss_over_baseline": x, "updates": 5},
        }
        for lr, x in losses.items()
    ]
    solves, chosen = Solves("", ("a",)), choose(plan, rows)
    assert solves.verdict(plan, chosen).word == HOLDS
    assert LargestRate("", solves).verdict(plan, chosen) == (NOT, "0 of 1 runs below 50% of the baseline; rates: a 0.1")


@pytest.mark.parametrize(
    ("losses", "never", "word"),
    [([0.1, 0.2], False, HOLDS), ([0.1, 0.9], False, OPEN), ([0.8, 0.9], True, OPEN), ([0.1, 0.9], True, IN_PART)],
)
def test_what_more_updates_might_change_is_left_open_where_runs_are_shorter_than_the_documents(losses, never, word):
    runs = swept({"a": losses}, solved=0.5)
    found = Solves("", ("a",), never, updates=7).verdict(*runs)
    assert found.word == word and found.why.endswith("of the baseline after 5 of 7 updates")
    assert Solves("", ("a",), never, updates=5).verdict(*runs) == Solves("", ("a",), never).verdict(*runs)


def test_a_claim_of_a_value_is_judged_by_its_distance():
    runs = swept({"a": [0.4, 0.6], "b": [0.4, None]})
    assert Reaches("", "a", 0.52, 0.03).verdict(*runs) == (HOLDS, "0.5, where the document has 0.52")
    assert Reaches("", "a", 0.56, 0.03, updates=7).verdict(*runs) == (
        OPEN,
        "0.5 after 5 of 7 updates, where the document has 0.56",
    )
    assert Reaches("", "a", 0.56, 0.03, updates=5).verdict(*runs).word == NOT
    assert Reaches("", "a", 0.56, 0.03).verdict(*runs).word == Reaches("", "b", 0.5, 1.0).verdict(*runs).word == NOT


@pytest.mark.parametrize(("holds", "word"), [(True, HOLDS), (None, IN_PART), (False, NOT), (OPEN, OPEN)])
def test_a_claim_of_what_is_computed_is_judged_by_the_numbers(holds, word):
    claim = Computed("", lambda numbers: (holds, f"{numbers['n']} of them"))
    assert claim.judged({"n": 3}) == (word, "3 of them")


def test_classifiers_on_the_autoencoders_states_are_judged_in_each_order_and_left_open_where_they_were_not_run():
    *_, small = ON_DIGITS["laes-mnist"]

    def judged(*orders):
        of = [{"accuracy (%)": 85.0, **{f"LAES-FF, layers {n}: accuracy (%)": v for n, v in own}} for own in orders]
        return small.judged(dict(zip(("sequential", "permuted"), of, strict=True))).word

    assert judged([], []) == OPEN
    assert judged([(1, 98.1), (2, 97.5)], [(1, 92.0), (2, 92.9)]) == HOLDS
    assert judged([(1, 98.1), (2, 97.5)], [(1, 92.0), (2, 96.0)]) == IN_PART
    assert judged([(1, 99.1)], [(1, 96.0)]) == NOT


def test_of_which_start_more_runs_succeed_is_judged_by_their_shares():
    plan = Sweep({}, {"chain": {}, "identity": {}}, solved=0.5)
    oftener = Oftener("chains succeed more often", "chain", "identity")

    def verdict(chains, identities):
        rows = {c: [dict.fromkeys(LAST)] * 20 for c in plan.contenders}
        found = {"chain": chains, "identity": identities}
        return oftener.verdict(plan, {c: Chosen(c, {}, rows[c][:1], rows[c], found[c]) for c in found})

    assert verdict(8, 0) == ("holds", "8 of 20 against 0 of 20, p = 0.0016")
    assert verdict(2, 0).word == "not decided by so few runs" and verdict(0, 8).word == "does not hold"
    assert oftener.verdict(plan, {}) == ("not decided by so few runs", "there are no runs of it")


def test_what_is_ahead_over_a_whole_search_is_judged_by_all_its_runs():
    plan = Sweep({}, {"chain": {}, "identity": {}})
    rows = {"chain": [{"test_loss": 0.1 * k} for k in range(5)], "identity": [{"test_loss": 1.0 + k} for k in range(4)]}
    chosen = {c: Chosen(c, {}, of[:1], [*of, {"test_loss": None}], 0) for c, of in rows.items()}
    assert Better("", "chain", "identity").verdict(plan, chosen).word == "not decided by so few runs"
    over_all = Better("", "chain", "identity", every=True).verdict(plan, chosen)
    assert over_all.word == "holds" and "(1 diverged)" in over_all.why
