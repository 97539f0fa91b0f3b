"""What lectures are written with: sources are the real ones, pictures have words, tables have their numbers."""

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn import blackboard
from tinyrnn.tasks import Adding


def test_a_source_is_the_files_own_lines_with_notes_beside_them():
    shown = blackboard.source(tr.Elman.step_backward, {"da = dh": "tanh's slope"})
    assert shown.path == "tinyrnn/cells/elman.py"
    assert "    da = dh * self.dphi(h)  # ← tanh's slope\n" in shown.text
    with open(tr.Elman.__init__.__code__.co_filename, encoding="utf-8") as file:
        real = file.read()
    assert all(line.split("  # ←")[0].strip() in real for line in shown.text.splitlines())


def test_lines_without_a_note_can_be_left_out():
    shown = blackboard.source(tr.LSTM.step_backward, {"dc_prev =": "one factor"}, only=True).text.splitlines()
    assert [line.strip() for line in shown[1:]] == ["...", "dc_prev = dc * f  # ← one factor", "..."]


def test_a_note_for_a_line_that_is_gone_is_refused():
    with pytest.raises(ValueError, match=r"no line of Elman\.step has dh_next"):
        blackboard.source(tr.Elman.step, {"dh_next": "carry"})


def test_docstrings_are_left_out():
    assert '"""' not in blackboard.source(tr.clipping.clip_by_norm).text


def test_a_picture_tells_what_it_shows_to_who_cannot_see_it():
    picture, axes = blackboard.new_picture("A line that rises.")
    axes.plot([0, 1])
    data, metadata = picture._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and metadata["image/png"]["alt"] == "A line that rises."
    with pytest.raises(ValueError, match="needs words"):
        blackboard.new_picture(" ")


def test_an_analysis_comes_with_its_numbers_and_says_what_came_out(capsys):
    picture = blackboard.analyse("rivers", "Two rivers.", networks=("elman",), steps=5, hidden=4)
    assert picture.words == "Two rivers." and picture.numbers["T"] == 5
    assert "elman: at the first step" in capsys.readouterr().out
    with pytest.raises(ValueError, match="no analysis 'river'"):
        blackboard.analyse("river")


def test_a_table_shows_columns_side_by_side():
    shown = blackboard.table({"cell": ["elman", "a|b"], "left": [0.123456, np.float64(2)]})
    assert shown._repr_markdown_().splitlines() == [
        "| cell | left |",
        "| --- | --- |",
        "| elman | 0.1235 |",
        "| a\\|b | 2 |",
    ]
    assert repr(shown).splitlines()[1] == "elman  0.1235"
    with pytest.raises(ValueError):
        blackboard.table({"a": [1], "b": [1, 2]})


def test_a_graph_has_an_arrow_for_every_edge_and_every_label():
    nodes = {"x": (0, 0, "$x$"), "h": (1, 0, "$h$")}
    picture = blackboard.graph("x feeds h.", nodes, [("x", "h", "$W$")], [("h", "x", "$dx$")])
    texts = [text.get_text() for text in picture.figure.axes[0].texts]
    assert texts == ["", "$W$", "", "$dx$", "$x$", "$h$"]


def test_learning_lowers_the_loss_and_is_the_same_again():
    def losses():
        task = Adding(steps=4)
        net = tr.Model(tr.Elman(2, 8, rng=0, dtype="float32"), tr.Readout(8, 1, rng=0), loss="squared_error", at="last")
        return blackboard.learn(net, task, updates=60, lr=1e-2)

    first = losses()
    assert first[-10:].mean() < 0.5 * first[:10].mean()
    np.testing.assert_array_equal(first, losses())


def test_rivers_stand_in_a_frame_and_open_where_they_were_told_to():
    shown = blackboard.rivers("two networks & a gradient", at="t=3&bottom.f=1")
    frame = shown._repr_mimebundle_()["text/html"]
    assert frame.startswith('<iframe title="two networks &amp; a gradient"') and frame.count("<iframe") == 1
    assert 'data-at="#embed=knobs&amp;t=3&amp;bottom.f=1"' in shown.page and " src=" not in shown.page
    assert repr(shown) == "Page to play with: two networks & a gradient"


def test_bugs_are_those_that_were_asked_for():
    page = blackboard.bugs("accuse a line", ("cell-carry-lost",)).page
    assert "cell-carry-lost" in page and "dc = dtanh_c * (1 - tanh_c * tanh_c)" in page
    with pytest.raises(ValueError, match="no mistake 'nonsense'"):
        blackboard.bugs("accuse a line", ("nonsense",))
