"""Submissions are shown to a human when they share what others do not have, and only then."""

import random

from tiny_work import solved, tiny, untouched

from tinyrnn.grading.classroom.similarity import MANY, MOST_PAIRS, pairs, prints, tokens
from tinyrnn.grading.submitting import skeleton_of

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


def found(**texts):
    return pairs({name: prints(text, skeleton_of(tiny())) for name, text in texts.items()})[0]


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
    assert prints(untouched(), skeleton_of(tiny())) == []
    assert found(ada=untouched(), bob=untouched()) == []


def test_what_many_have_counts_for_nobody():
    few = {f"s{k}": solved() + LONG for k in range(MANY)}
    assert len(found(**few)) == MANY * (MANY - 1) // 2
    assert found(**few, another=solved() + LONG) == []


def test_a_long_list_ends_and_says_so():
    rng = random.Random(0)
    groups = [[rng.random() for _ in range(30)] for _ in range(MOST_PAIRS // 10 + 1)]
    shown, more = pairs({f"s{g}-{k}": group for g, group in enumerate(groups) for k in range(5)})
    assert len(shown) == MOST_PAIRS and more == 10


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
        prints(text, untouched())
    assert prints(b"\xff") == []
