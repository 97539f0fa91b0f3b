"""The report of a gradient check, as a table, by the command and in a notebook."""

from xml.etree import ElementTree

import pytest
from planted import broken, check, edited, elman_backward, elman_step, student

import tinyrnn as tr
from tinyrnn.checking.report import Report, Row
from tinyrnn.commands.main import main

# the report -----------------------------------------------------------------------------------------------------------


def test_a_report_is_true_if_and_only_if_it_is_ok():
    assert check(tr.Elman(2, 3, rng=0))
    assert not check(broken(tr.Elman, "gradients", '"b": db', '"b": 2 * db')(2, 3, rng=0))


def test_the_table_has_a_line_for_each_gate_and_marks_what_is_wrong():
    wrong = broken(tr.LSTM, "gradients", '"b": db', '"b": db * (1 + (np.arange(12) // 3 == 1))')
    report = tr.gradcheck(wrong(2, 3, rng=0))
    text = str(report).splitlines()
    assert text[0] == "LSTM(2 -> 3, float64), T=5, B=3: 1 wrong gradient"
    assert text[2].split() == ["gradient", "of", *(f"t={t}" for t in range(5)), "total", "central"]
    table = text[3 : text.index("", 3)]
    assert [line[:9].strip() for line in table] == [
        *(f"{name} [{gate}]" for name in ("W_x", "W_h", "b") for gate in "ifog"), "inputs", "state.h", "state.c"
    ]  # fmt: skip
    assert [line for line in table if "WRONG" in line] == [line for line in table if line.startswith("b [f]")]
    assert [line for line in table if "!" in line] == [line for line in table if line.startswith("b [f]")]
    assert table[9].count("!5e-01") == 6
    assert max(map(len, text)) <= 110


def test_a_long_sequence_prints_its_first_and_last_steps():
    text = str(tr.gradcheck(tr.Elman(1, 2, rng=0), T=20, B=1))
    assert "t=0" in text and "t=19" in text and "..." in text and "t=10" not in text
    assert max(map(len, text.splitlines())) <= 110


def test_problems_are_printed():
    report = check(student(step=edited(elman_step, ("h = np", "x += 1; h = np"))))
    assert "1 problem\nproblem: elman_step changes its argument x in place: work on a copy\n" in str(report)


def test_the_command_prints_the_table_and_fails_when_a_gradient_is_wrong(monkeypatch, capsys):
    assert main(["gradcheck", "elman"]) == 0
    assert "state.h" in capsys.readouterr().out
    monkeypatch.setitem(tr.CELLS, "elman", (broken(tr.Elman, "gradients", '"b": db', '"b": 2 * db'), {}))
    assert main(["gradcheck", "elman"]) == 1
    assert "WRONG" in capsys.readouterr().out


# in a notebook --------------------------------------------------------------------------------------------------------


def cells_of(report):
    """The rows of the notebook's table, lists of text; ParseError if it is not well formed."""
    page = ElementTree.fromstring(report._repr_html_())
    return [["".join(cell.itertext()) for cell in row] for row in page.iter("tr")]


@pytest.mark.parametrize("right", [True, False])
def test_a_notebook_shows_the_table_that_is_printed(right):
    wrong = edited(elman_backward, ("h_prev.T @ da", "-h_prev.T @ da"))
    report = check(student() if right else student(step_backward=wrong))
    shown = cells_of(report)
    for row in shown:
        assert any(line.split() == " ".join(row).split() for line in str(report).splitlines()), row
    assert len(shown) == 1 + len({(row.name, row.gate) for row in report.rows})
    assert ("WRONG" in report._repr_html_()) is not right


def test_a_notebook_shows_names_as_they_are_written():
    hostile = "<script>alert('1 & 2')</script>"
    row = Row(hostile, None, None, 1.0, None, 1.0, "wrong")
    page = ElementTree.fromstring(Report(hostile, [row], [hostile], [hostile])._repr_html_())
    assert "script" not in {element.tag for element in page.iter()}
    assert "".join(page.itertext()).count(hostile) == 4
