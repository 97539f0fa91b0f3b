"""The library of known mistakes as data: well-formed expressions, and prose that leads without giving the line away."""

import ast
import builtins
import inspect
import re
import textwrap
from collections import Counter

import pytest

import tinyrnn as tr
from tinyrnn.cells import GRU, LMN, LSTM, ChoGRU, Elman, LinearRNN, PeepholeLSTM, UnitaryRNN
from tinyrnn.cells.parts import blocks
from tinyrnn.nn import losses
from tinyrnn.optim import clipping, optimisers
from tinyrnn.verdicts.mistakes import BACKWARDS, FORWARDS, JOINED, MISTAKES, SECTIONS, joined

CELLS = (Elman, LinearRNN, LMN, LSTM, PeepholeLSTM, GRU, ChoGRU, UnitaryRNN)
SOURCES = (*CELLS, blocks, clipping, losses, optimisers)
FAMILIES = {cell.family for cell, _ in tr.CELLS.values() if cell.family}
FAMILIES |= {"phases", "reflection", "permutation", "fourier", "modrelu"}
FAMILIES |= {"cross_entropy", "cross_entropy-masked", "squared_error", "readout"}
FAMILIES |= {"sgd", "rmsprop", "adam", "clip", "clip-below"}


def names_in(expression):
    return {node.id for node in ast.walk(ast.parse(expression, mode="eval")) if isinstance(node, ast.Name)}


def squeezed(text):
    """Without spaces, and with one way of writing a square."""
    return re.sub(r"\s", "", text).replace("^2", "**2").replace("²", "**2")


def right_lines():
    """Everything but single names and calls that the package's own sources assign, and every term of a `join`."""
    found = set()
    for owner in SOURCES:
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(owner)))):
            parts = [node.value] if isinstance(node, ast.Assign | ast.AugAssign) else []
            parts += node.args if isinstance(node, ast.Call) else node.values if isinstance(node, ast.Dict) else []
            found |= {squeezed(ast.unparse(part)) for part in parts if isinstance(part, ast.BinOp)}
    return {line for line in found if line.isascii() and len(line) > 4 and "d" in line}


RIGHT = right_lines()


def faulty(mistakes, fault):
    """The names of the mistakes that have a fault, for a readable message."""
    return [mistake.name for mistake in mistakes if fault(mistake)]


def test_there_are_enough_of_them():
    written = [mistake for mistake in BACKWARDS if mistake.line not in ("da", "du")]
    assert len({mistake.hint for mistake in written}) >= 80
    assert len(MISTAKES) >= 110


def test_every_family_has_some_and_no_other_family_exists():
    assert {mistake.of for mistake in MISTAKES} == FAMILIES


def test_names_are_unique():
    assert [name for name, n in Counter(mistake.name for mistake in MISTAKES).items() if n > 1] == []


def test_names_are_plain_words_joined_by_hyphens():
    assert faulty(MISTAKES, lambda m: not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", m.name)) == []


def test_no_line_has_the_same_expression_twice():
    count = Counter((m.of, m.line, squeezed(m.instead)) for m in MISTAKES)
    assert [key for key, n in count.items() if n > 1] == []


def test_expressions_are_valid_and_lines_are_names():
    for mistake in MISTAKES:
        ast.parse(mistake.instead, mode="eval")
        assert mistake.line.isidentifier(), mistake.name


def test_expressions_need_no_builtins():
    assert faulty(BACKWARDS, lambda m: names_in(m.instead) & set(dir(builtins))) == []


def test_forward_mistakes_stand_in_the_place_of_a_line_of_their_cell():
    own = {"elman": Elman, "lt-rnn": LinearRNN, "lmn": LMN, "lstm": LSTM, "lstm-peephole": PeepholeLSTM}
    own |= {"gru": GRU, "gru-cho": ChoGRU, "urnn": UnitaryRNN}
    for mistake in FORWARDS:
        cls = own[mistake.of]
        step = cls.project if mistake.line == "a" else cls.step
        tree = ast.parse(textwrap.dedent(inspect.getsource(step)))
        first = [
            (target.elts[0] if isinstance(target, ast.Tuple) else target).id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
        ]
        assert mistake.line == "a" or mistake.line in first, mistake.name
        known = set(inspect.signature(step).parameters) | step.__globals__.keys()
        known |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {"k"}
        assert names_in(mistake.instead) <= known, mistake.name


def test_sections_exist_and_all_are_used():
    assert {mistake.section for mistake in MISTAKES} == SECTIONS.keys()


def test_titles_of_sections_differ():
    assert len(set(SECTIONS.values())) == len(SECTIONS)


def test_a_question_is_one_sentence():
    sentence = r"[A-Z∂Π].{8,}[^.?! ]\?"
    assert faulty(MISTAKES, lambda m: not re.fullmatch(sentence, m.question) or re.search(r"[.?!;] ", m.question)) == []


def test_a_title_is_half_a_sentence():
    assert faulty(MISTAKES, lambda m: not 2 < len(m.title) < 120 or m.title[-1] in ".?!" or ". " in m.title) == []


def test_a_hint_is_a_few_whole_sentences():
    whole = r".{40,400}\."
    assert faulty(MISTAKES, lambda m: not re.fullmatch(whole, m.hint) or len(re.findall(r"\. [A-Z]", m.hint)) > 3) == []


def test_neither_question_nor_hint_contains_the_right_line():
    assert "dc*c_prev" in RIGHT and "dh*tanh_c" in RIGHT  # as in step_backward of the LSTM
    assert "do*o*(1-o)" in RIGHT and "dh*z+du@p.W_h.T" in RIGHT

    def gives_it_away(mistake):
        said = squeezed(mistake.question + " | " + mistake.hint)
        return [right for right in RIGHT if right in said and right not in squeezed(mistake.instead)]

    assert [(m.name, found) for m in MISTAKES if (found := gives_it_away(m))] == []


def test_every_entry_says_where_it_was_seen():
    assert faulty(MISTAKES, lambda m: len(m.seen.strip()) < 3) == []


def test_conventions_are_called_so_and_mistakes_are_not():
    conventions = [mistake for mistake in MISTAKES if mistake.convention]
    assert len(conventions) >= 10
    assert faulty(conventions, lambda m: "Here " not in m.hint and "the same" not in m.hint) == []


@pytest.mark.parametrize("of", JOINED)
def test_a_gate_without_a_line_of_its_own_has_its_mistakes_in_the_joined_line(of):
    in_joined = {m.name for m in BACKWARDS if m.of == of}
    for mistake in BACKWARDS:
        if mistake.of == of and mistake.line.startswith("da_"):
            (twin, *_) = joined(mistake)
            assert twin.name in in_joined
            assert twin.line == "da" and mistake.instead in twin.instead
            assert len(ast.parse(twin.instead, mode="eval").body.args) == len(JOINED[of]["da"])
