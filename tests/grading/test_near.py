"""Submissions are shown to a human when they share what others do not have, and only then."""

import random

import pytest
from hypothesis import given as given_hypothesis
from hypothesis import settings
from hypothesis import strategies as st
from tiny_work import untouched

from tinyrnn.grading.classroom.alike import page
from tinyrnn.grading.classroom.similarity import HandedOut, groups, tokens

LONG = """
def leaky(x, h_prev, W, a):
    total = np.zeros_like(h_prev)
    for row in range(len(x)):
        for column in range(W.shape[1]):
            inner = 0.0
            for k in range(W.shape[0]):  # added up by hand
                inner += x[row, k] * W[k, column]
            total[row, column] = inner
    bent = (np.exp(total) - np.exp(-total)) / (np.exp(total) + np.exp(-total))
    return h_prev + a * bent - a * h_prev
"""
DISGUISED = """
def leaky(x, h_prev, W, a):
    '''My very own work.'''
    S = np.zeros_like(h_prev)

    for i in range(len(x)):
        for j in range(W.shape[1]):
            acc = 0.0
            for q in range(W.shape[0]):
                acc += (
                    x[i, q] * W[q, j]
                ) if False else x[i, q] * W[q, j]
            S[i, j] = acc
    t = (np.exp(S) - np.exp(-S)) / (np.exp(S) + np.exp(-S))  # tanh
    return h_prev + a * t - a * h_prev
"""


def given():
    return HandedOut(untouched())


def groups_of(**texts):
    return groups({name: given().prints(text) for name, text in texts.items()})[0]


def found(**texts):
    return [pair for group in groups_of(**texts) for pair in group.pairs]


def made_up(seed):
    """Code that nobody else has."""
    rng = random.Random(seed)
    return "\n".join(
        f"y{k} = np.{rng.choice(['sin', 'cos', 'exp'])}(x[{rng.random()}]) * {rng.random()}" for k in range(40)
    )


def test_other_names_comments_and_line_breaks_do_not_hide_a_copy():
    (pair,) = found(ada=LONG, bob=DISGUISED, cy=made_up(1), di=made_up(2))
    assert (pair.one, pair.other) == ("ada", "bob") and pair.likeness > 0.75


def test_an_exact_copy_has_likeness_one():
    (pair,) = found(ada=LONG, bob=LONG, cy=made_up(1))
    assert pair.likeness == 1


def test_a_copy_with_much_added_is_still_found():
    (pair,) = found(ada=LONG, bob=f"{made_up(1)}\n{LONG}\n{made_up(2)}", cy=made_up(3))
    assert (pair.one, pair.other, pair.likeness) == ("ada", "bob", 1)


def test_own_work_is_not_shown():
    assert found(ada=LONG, bob=made_up(1), cy=made_up(2)) == []


def test_the_skeleton_is_nobodys_work():
    assert given().prints(untouched()) == []
    assert found(ada=untouched(), bob=untouched()) == []


@pytest.mark.slow
@given_hypothesis(st.integers(2, 40))
@settings(max_examples=10, deadline=None)
def test_however_many_copied_they_are_one_group(many):
    """What more than a few have is not common for that: six who copied do not hide one another."""
    copied = {f"s{k}": LONG for k in range(many)}
    own = {f"own{k}": made_up(k) for k in range(2 * many)}
    (group,) = groups_of(**copied, **own)
    assert set(group.members) == set(copied) and all(pair.likeness == 1 for pair in group.pairs)
    assert len(group.pairs) == many * (many - 1) // 2


def test_groups_have_nothing_to_do_with_each_other():
    texts = {"a": LONG, "b": LONG, "c": made_up(1), "d": made_up(1), "e": made_up(2), "f": made_up(3)}
    assert sorted(group.members for group in groups_of(**texts)) == [("a", "b"), ("c", "d")]


def test_right_solutions_that_are_alike_by_themselves_are_not_shown():
    """Everybody has the same lines with a little of their own; two have all of it in common."""
    texts = {f"s{k}": f"{LONG}\n{made_up(k)}" for k in range(8)}
    (group,) = groups_of(**texts, copy=f"{LONG}\n{made_up(3)}")
    assert group.members == ("copy", "s3")


def test_who_has_a_little_of_everybody_links_no_strangers():
    """The hub's file is a part of everybody's, two of whom have copied."""
    texts = {f"s{k}": f"{LONG}\n{made_up(k)}" for k in range(12)}
    texts |= {"copied": texts["s3"], "hub": LONG}
    found, loose = groups({name: given().prints(text) for name, text in texts.items()})
    assert any({"copied", "s3"} <= set(group.members) for group in found)
    assert all(len(group.members) <= 3 for group in found) and all("hub" in pair[:2] for pair in loose)


def test_what_stands_in_the_handout_is_common():
    held = HandedOut(untouched(), [f"As in this example:\n```python\n{LONG}\n```\n"])
    assert groups({name: held.prints(text) for name, text in (("a", LONG), ("b", DISGUISED), ("c", LONG))}) == ([], [])


def test_lines_in_common_are_marked_on_a_page_with_the_texts_side_by_side():
    texts = {"a": LONG, "b": f"{made_up(1)}\n{LONG}", "c": made_up(2)}
    held = given()
    ((group,), _) = groups({name: held.prints(text) for name, text in texts.items()})
    web = page("Group 1", group, {name: (f"<{name}>", text) for name, text in texts.items()}, held)
    own, other = web.split("<ol>")[1:]
    assert own.count("class=common") > 8 and abs(own.count("class=common") - other.count("class=common")) <= 2
    assert "<li>y0 = np" in other and "&lt;a&gt;" in web and "<c>" not in web


def test_names_of_the_skeleton_and_of_python_count_as_themselves():
    assert tokens("y = np.sum(x) + len(z)", {"np", "x"}) == [
        *("a name", "=", "np", ".", "sum", "(", "x", ")", "+", "len", "(", "a name", ")")
    ]


def test_any_text_has_tokens():
    for text in (
        "def f(:",
        '"""never closed',
        "'also",
        "\\",
        "\0\x1b$?",
        "é = 1",
        "x" * 100_000,
        "(" * 300_000,
        "#",
        "",
    ):
        held = given()
        assert len(held.common_lines(text, set(held.prints(text)))) <= text.count("\n") + 1
    assert given().prints(b"\xff") == []
