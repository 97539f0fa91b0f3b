"""Tables and pictures of what was rerun, with what the documents have drawn in."""

import json

from tests.reproductions.made_up import swept
from tinyrnn.reproductions import rerun
from tinyrnn.sweeps import report
from tinyrnn.training.plots import new_figure


def test_where_nothing_counts_as_solved_the_table_has_the_losses_and_their_mean():
    plan, chosen = swept({"identity": [1.25, 1.35], "chain": [-0.5, None]})
    table = report.table(plan, chosen)
    assert "| identity | 7 | 1.2500, 1.3500 | 1.3000 ± 0.0500 | 2 |" in table
    assert "| chain | 7 | -0.5000, diverged | -0.5000 | 2 |" in table and "solved" not in table


def drawn(tmp_path, losses, published=()):
    """The axes of a picture of made-up learning curves, label -> losses after 10, 20, … updates, one seed."""
    plan, chosen = swept({label: [1.0 if own else None] for label, own in losses.items()}, solved=0.5)
    for label, own in losses.items():
        (tmp_path / label).mkdir(parents=True)
        lines = [json.dumps({"step": 10 * k, "test_loss": loss}) for k, loss in enumerate(own, 1)]
        (tmp_path / label / "log.jsonl").write_text("\n".join(lines) + "\n")
        chosen[label].rows[0]["folder"] = label
    (ax,) = report.curves("two curves", plan, chosen, tmp_path, published).axes
    ax.figure.canvas.draw()
    return ax


def test_a_loss_of_nothing_is_at_the_floor_of_the_picture_which_says_so(tmp_path):
    ax = drawn(tmp_path / "a", {"a": [0.1, 1e-9, 0.0], "b": [0.16, 0.15, 0.14]})
    assert [*ax.lines[0].get_ydata()] == [0.1, 0.001, 0.001] and [*ax.lines[1].get_ydata()] == [0.16, 0.15, 0.14]
    ticks = dict(zip(ax.get_yticks(), [label.get_text() for label in ax.get_yticklabels()], strict=True))
    assert ticks[0.001] == "below 0.001" and 0.0005 < ax.get_ylim()[0] < 0.001
    ax = drawn(tmp_path / "b", {"a": [0.1, 0.002], "b": [0.16, 0.15]})
    assert not [label for label in ax.get_yticklabels() if "below" in label.get_text()]


def test_what_a_document_has_is_a_star_at_its_updates_or_a_line_if_the_runs_end_before(tmp_path):
    published = (("at once", 0.0, 10), ("later", 0.02, 500), ("ever", 0.03), ("9 of 9 runs",))
    ax = drawn(tmp_path, {"a": [0.1, 0.05]}, published)
    star, later, ever, words = ax.lines[-4:]
    assert star.get_marker() == "*" and [*star.get_xydata()[0]] == [10, 0.001]
    assert {*later.get_ydata()} == {0.02} and {*ever.get_ydata()} == {0.03} and not len(words.get_xydata())
    found = [text.get_text() for text in ax.get_legend().get_texts()][-4:]
    assert found == [
        *("published: at once (0)", "published: later (0.02)"),
        *("published: ever (0.03)", "published: 9 of 9 runs"),
    ]
    assert rerun.in_words(published) == "at once (0); later (0.02); ever (0.03); 9 of 9 runs"
    assert rerun.in_words({"a": 0.5, "b": 0.951}) == "a: 50.0%; b: 95.1%"


def test_points_and_lines_of_a_document_can_be_told_apart_and_long_words_are_broken(tmp_path):
    words = "as many words as the legend has no room for in a line of it"
    published = (("first", 0.03, 10), (words, 0.02, 20), ("ever", 0.04), ("always", 0.05))
    ax = drawn(tmp_path, {"a": [0.1, 0.05], "b": []}, published)
    *_, star, plus, ever, always = ax.lines
    assert star.get_marker() != plus.get_marker() and ever._unscaled_dash_pattern != always._unscaled_dash_pattern
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert (
        max(len(line) for label in labels for line in label.splitlines()) <= report.WIDE
        and "b: 1 of 1 diverged" in labels
    )


def test_where_nothing_counts_as_solved_the_picture_also_has_what_each_run_ended_with(tmp_path):
    plan, chosen = swept({"a": [1.25, 1.35], "b": [0.5, None]})
    for label, of in chosen.items():
        for line in of.rows:
            line["folder"] = label
        (tmp_path / label).mkdir()
        (tmp_path / label / "log.jsonl").write_text('{"step": 10, "test_loss": 1.0}\n')
    left, right = report.curves("which is best", plan, chosen, tmp_path, ()).axes
    assert [[*line.get_xdata()] for line in right.lines] == [[1.25, 1.35], [0.5]]
    assert [label.get_text() for label in right.get_yticklabels()] == ["a", "b"]
    assert [text.get_text() for text in right.texts] == ["diverged"] and len(left.lines) == 3
    assert left.figure.get_suptitle() == "which is best"


def test_a_title_that_is_too_long_becomes_lines_of_like_length():
    assert rerun.even_lines("short") == ["short"]
    lines = rerun.even_lines("a title of ten words that is longer than a line, T=100", 50)
    assert len(lines) == 2 and abs(len(lines[0]) - len(lines[1])) < 10


def test_below_the_picture_of_an_analysis_stands_what_the_document_has():
    figure, _ = new_figure()
    rerun.caption(figure, ())
    assert figure.get_supxlabel() == ""
    rerun.caption(figure, (("a source", 0.82), ("and more",)))
    assert figure.get_supxlabel() == "The document has: a source (0.82); and more"


def test_accuracies_that_a_document_has_are_stars_beside_those_of_the_runs(tmp_path):
    plan, chosen = swept({"a": [0.4, 0.6], "b": [0.5, None]})
    for label, accuracies in {"a": (0.75, 0.5), "b": (0.25, None)}.items():
        for line, accuracy in zip(chosen[label].rows, accuracies, strict=True):
            line["test_accuracy"] = accuracy
    (ax,) = report.scores("which is best", plan, chosen, tmp_path, {"b": 0.9, "c": 0.7}).axes
    lines = [line for line in ax.lines if len(line.get_xdata())]
    found = {(line.get_marker(), line.get_ydata()[0]): [*line.get_xdata()] for line in lines}
    assert found == {("o", 0): [75.0, 50.0], ("o", 1): [25.0], ("*", 1): [90.0], ("*", 2): [70.0]}
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "a",
        "b",
        "c (not run)",
    ] and ax.get_title() == "which is best"
