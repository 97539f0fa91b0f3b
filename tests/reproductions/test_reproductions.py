"""Figures and tables of the documents: each can be run as it says, and its claims are judged by what the runs say."""

import csv
import json
import re
import shutil
import subprocess
from dataclasses import asdict, replace
from inspect import signature

import numpy
import pytest

from tinyrnn.cells import CELLS
from tinyrnn.commands.main import main
from tinyrnn.figures import ANALYSES
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.reproductions import REPRODUCTIONS, record, rerun
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
from tinyrnn.reproductions.entry import SCALES, Reproduction
from tinyrnn.reproductions.page import page as results_page
from tinyrnn.sweeps import report
from tinyrnn.sweeps.plan import Sweep
from tinyrnn.sweeps.rows import LAST, Chosen, choose
from tinyrnn.training.plots import new_figure
from tinyrnn.training.settings import build

RUN = [name for name, entry in REPRODUCTIONS.items() if entry.runs]


def swept(losses, **sweep):
    """(sweep, chosen) of made-up test losses, label -> one a seed; None is a run that diverged. The baseline is 1."""
    plan = Sweep({"task": "adding", "task_options": {"steps": 4}}, {label: {} for label in losses}, **sweep)
    rows = [
        {
            **{"contender": label, "seed": seed, **dict.fromkeys(LAST)},
            **{"test_loss": loss, "test_loss_over_baseline": loss, "seconds": 2.0, "parameters": 7, "updates": 5},
        }
        for label, own in losses.items()
        for seed, loss in enumerate(own)
    ]
    return plan, choose(plan, rows)


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


@pytest.mark.parametrize("name", [name for name, entry in REPRODUCTIONS.items() if entry.analyses])
def test_the_claims_of_an_analysis_are_of_one_that_the_entry_has(name):
    entry = REPRODUCTIONS[name]
    assert {*entry.claims} <= {*entry.analyses}
    assert all(isinstance(claim, Computed) for claims in entry.claims.values() for claim in claims)


@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_an_entry_says_where_it_is_from_and_what_it_is_made_of(name):
    entry = REPRODUCTIONS[name]
    assert entry.document and entry.title and bool(entry.runs) != bool(entry.analyses)
    assert {*entry.analyses} <= {*ANALYSES} and entry.ours
    panels = {panel for scale in SCALES for panel in entry.runs(scale)} if entry.runs else set()
    assert {*entry.published} <= {*entry.analyses, *panels}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", [name for name, entry in REPRODUCTIONS.items() if entry.options])
def test_the_options_of_an_entry_are_those_of_its_analyses(name, scale):
    entry = REPRODUCTIONS[name]
    for analysis, options in entry.options(scale).items():
        assert analysis in entry.analyses
        signature(ANALYSES[analysis].run).bind(**options)


def test_an_analysis_is_run_with_the_options_of_the_scale_and_its_cost_is_said_first(tmp_path, monkeypatch, capsys):
    seen = []

    def of(steps=5):
        seen.append(steps)
        return Result(new_figure()[0], {"steps": steps}, lines=(f"{steps} steps",))

    monkeypatch.setitem(ANALYSES, "powers", Analysis("", "", of, ""))
    sized = Reproduction(
        "Nobody 2026", "", "powers", analyses=("powers",), options=lambda s: {"powers": {"steps": len(s)}}
    )
    for scale in ("half", "quick"):
        rerun.rerun("sized", sized, scale, tmp_path / scale, keep=tmp_path)
    assert seen == [4, 5]
    assert record.read(tmp_path / "sized-half.json")["analyses"]["powers"]["numbers"] == {"steps": 4}
    assert "sized: how long it takes has not been measured\n" in capsys.readouterr().out
    rerun.rerun("sized", sized, "half", tmp_path / "again", keep=tmp_path)
    assert "sized: it took 0 seconds of one core, as sized-half.json says\n" in capsys.readouterr().out
    rerun.rerun("sized", replace(sized, options=None), "half", tmp_path / "again")
    assert "sized: of one size, whatever the scale; how long it takes" in capsys.readouterr().out


def test_no_claim_is_made_twice():
    for entry in REPRODUCTIONS.values():
        for panel in {*entry.claims, "any"}:
            texts = [claim.text for claim in entry.claims_of(panel)]
            assert len(texts) == len({*texts})


def test_every_analysis_but_the_first_picture_belongs_to_a_figure():
    used = {name for entry in REPRODUCTIONS.values() for name in entry.analyses}
    assert {*ANALYSES} - used == {"rivers", "triangle"}


@pytest.mark.parametrize("name", RUN)
def test_every_claim_is_of_a_panel_that_there_is_at_some_scale(name):
    entry = REPRODUCTIONS[name]
    assert {*entry.claims} - {""} <= {panel for scale in SCALES for panel in entry.runs(scale)}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", RUN)
def test_the_runs_of_an_entry_can_be_built_and_its_claims_are_of_them(name, scale):
    entry = REPRODUCTIONS[name]
    panels = entry.runs(scale)
    for panel, plan in panels.items():
        settings = {run.contender: run.settings for run in plan.runs()}
        assert {*settings} == {*plan.contenders}
        for claim in entry.claims_of(panel):
            of = [getattr(claim, field) for field in ("better", "worse", "contender") if hasattr(claim, field)]
            assert {*of, *getattr(claim, "contenders", ())} <= {*plan.contenders}
            assert not isinstance(claim, Solves) or plan.solved is not None


def test_the_search_of_orhan_and_pitkow_has_as_many_runs_as_theirs():
    runs = [run.contender for run in REPRODUCTIONS["orhan-f3"].runs("paper")["copy"].runs()]
    assert {name: runs.count(name) for name in runs} == {
        **{"identity": 594, "orthogonal": 594},
        **{"chain": 462, "feedback chain": 462},
    }


def test_a_twentieth_of_a_search_is_of_its_own_combinations_and_one_seed_each():
    whole = REPRODUCTIONS["orhan-f3"].runs("paper")["copy"]
    found = REPRODUCTIONS["orhan-f3-grid"].runs("half")["copy"]
    for contender, count in {"identity": 5, "orthogonal": 5, "chain": 4, "feedback chain": 4}.items():
        drawn = found.combinations(contender)
        assert len(drawn) == count == len(found.runs()) * count // 18
        assert all(values in whole.combinations(contender) for values in drawn)


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


def test_reversal_differs_in_the_order_alone_and_its_table_has_the_scores():
    plan = REPRODUCTIONS["grosse-reversal"].runs("half")["reversal"]
    runs = {label: asdict(plan.settings(label, 1)) for label in plan.contenders}
    assert [runs[label].pop("task_options") for label in runs] == [{"reverse": False}, {"reverse": True}]
    assert runs["forward"] == runs["reversed"]
    found = {"parameters": 9, "seconds": 2.0, "test_loss": 0.5, "test_accuracy": 0.75, "test_bleu": 0.25}
    rows = [{"contender": label, "seed": 0, **dict.fromkeys(LAST), **found, "test_exact": 0.125} for label in runs]
    table = report.table(plan, choose(plan, rows)).splitlines()
    assert "| accuracy | sentences exact | BLEU |" in table[0]
    assert "| 75.0% | 12.5% | 25.0% |" in table[2] and table[3].startswith("| reversed |")


def test_where_nothing_counts_as_solved_the_table_has_the_losses_and_their_mean():
    plan, chosen = swept({"identity": [1.25, 1.35], "chain": [-0.5, None]})
    table = report.table(plan, chosen)
    assert "| identity | 7 | 1.2500, 1.3500 | 1.3000 ± 0.0500 | 2 |" in table
    assert "| chain | 7 | -0.5000, diverged | -0.5000 | 2 |" in table and "solved" not in table


def drawn(tmp_path, losses, published=()):
    """The axes of a picture of made-up learning curves, label -> losses after 10, 20, … updates, one seed."""
    plan, chosen = swept({label: [1.0] for label in losses})
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


def tiny(*panels):
    """An entry of so many panels, of two networks that learn nothing in no time."""
    shared = {"task": "copy", "task_options": {"delay": 2, "length": 2, "symbols": 2}, "hidden": 8, "updates": 20}
    plan = Sweep(shared, {"lt-ornn": {"cell": "lt-ornn"}, "elman": {"cell": "elman"}}, solved=0.5)
    return Reproduction(
        "Nobody 2026",
        "Figure 9",
        "two networks",
        lambda scale: {panel: replace(plan, shared={**shared, "updates": 20 + k}) for k, panel in enumerate(panels)},
        claims={"": (Solves("none learns in no time", ("lt-ornn", "elman"), never=True),)},
        published={"only": (("theirs", 0.2),)},
        ours="everything",
    )


@pytest.mark.slow
def test_a_figure_is_rerun_with_its_cost_said_first_and_a_page_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(REPRODUCTIONS, "tiny", tiny("only"))
    assert main(["reproduce", "tiny", "--out", str(tmp_path), "--keep", f"{tmp_path}/kept", "--jobs", "1"]) == 0
    assert re.search(r"tiny: 2 runs, about \d+ seconds of one core", capsys.readouterr().out)
    page = (tmp_path / "page.md").read_text()
    assert "none learns in no time: **holds** (0 of 2 runs below 50% of the baseline)" in page
    assert "Chosen by us: everything." in page and "| lt-ornn |" in page and "Not run" not in page
    found = record.read(tmp_path / "record.json")
    assert found["verdicts"]["only"]["none learns in no time"]["word"] == HOLDS and "missing" not in found
    assert found["cpu_seconds"] > 0 and found["versions"]["numpy"] == numpy.__version__
    assert [line["contender"] for line in found["panels"]["only"]["runs"]] == ["lt-ornn", "elman"]
    assert found["panels"]["only"]["curves"]["elman"]["updates"] == [20]
    assert (tmp_path / "kept" / "tiny-quick.json").read_text() == (tmp_path / "record.json").read_text()
    assert panels_of_runs(tmp_path / "kept" / "tiny-quick.csv") == [("only", "lt-ornn"), ("only", "elman")]
    assert (tmp_path / "only" / "curves.png").exists()
    assert rerun.finished(tmp_path, "only", tiny("only").runs("quick")["only"])


def panels_of_runs(path):
    """(panel, contender) of each run in a table."""
    with open(path, newline="") as file:
        return [(line["panel"], line["contender"]) for line in csv.DictReader(file)]


def reproduce(folder, *words):
    """Run panels of "tiny" into a folder, keep the record beside it, and read both."""
    words = ["reproduce", "tiny", "--out", str(folder), "--keep", str(folder.parent / "kept"), "--jobs", "1", *words]
    assert main(words) == 0
    return record.read(folder / "record.json"), record.read(folder.parent / "kept" / "tiny-quick.json")


@pytest.mark.slow
def test_a_figure_can_be_had_panel_by_panel(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(REPRODUCTIONS, "tiny", tiny("T=1", "T=2", "T=3"))
    first, kept = reproduce(tmp_path / "a", "--panel", "T=2")
    assert [*first["panels"]] == ["T=2"] and first == kept and first["missing"] == ["T=1", "T=3"]
    assert "Not run at this scale yet: T=1, T=3." in (tmp_path / "a" / "page.md").read_text()
    assert "Not run at this scale yet: T=1, T=3." in results_page(tmp_path / "kept")

    second, kept = reproduce(tmp_path / "b", "--panel", "T=1")  # elsewhere: the other panel is out of what was kept
    assert [*second["panels"]] == ["T=1", "T=2"] and second == kept and second["missing"] == ["T=3"]
    assert second["panels"]["T=2"] == first["panels"]["T=2"]
    assert second["cpu_seconds"] == pytest.approx(
        first["cpu_seconds"] + second["panels"]["T=1"]["cpu_seconds"], abs=0.1
    )
    assert panels_of_runs(tmp_path / "kept" / "tiny-quick.csv") == [
        *(("T=1", "lt-ornn"), ("T=1", "elman")),
        *(("T=2", "lt-ornn"), ("T=2", "elman")),
    ]
    capsys.readouterr()
    last, kept = reproduce(tmp_path / "b", "--panel", "T=3", "T=1")
    assert re.search(r"tiny: 2 runs of 2 panels, about \d+ seconds of one core", capsys.readouterr().out)
    assert [*last["panels"]] == ["T=1", "T=2", "T=3"] and last == kept and "missing" not in last
    assert {*last["verdicts"]} == {*last["panels"]} and "Not run at" not in results_page(tmp_path / "kept")
    # what T=1 had cost is in the sum once, though it was asked for again
    assert last["cpu_seconds"] == pytest.approx(sum(of["cpu_seconds"] for of in last["panels"].values()), abs=0.2)


@pytest.mark.slow
def test_beside_the_panels_asked_for_stands_what_is_finished_in_the_folder(tmp_path, monkeypatch):
    monkeypatch.setitem(REPRODUCTIONS, "tiny", tiny("T=1", "T=2", "T=3"))
    for panel in ("T=1", "T=2"):
        assert main(["reproduce", "tiny", "--out", str(tmp_path), "--jobs", "1", "--panel", panel]) == 0
    found = record.read(tmp_path / "record.json")
    assert [*found["panels"]] == ["T=1", "T=2"] and found["missing"] == ["T=3"]
    assert {"## T=1", "## T=2"} <= {*(tmp_path / "page.md").read_text().splitlines()}


def test_a_panel_that_there_is_not_is_said_with_those_that_there_are(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(REPRODUCTIONS, "tiny", tiny("T=1", "T=2"))
    assert main(["reproduce", "tiny", "--out", str(tmp_path), "--panel", "T=1", "--panel", "T=9"]) == 2
    assert capsys.readouterr().err == "tinyrnn: tiny has no panel 'T=9' at quick; it has T=1, T=2\n"
    assert main(["reproduce", "grosse-f3", "--out", str(tmp_path), "--panel", "T=9"]) == 2
    assert capsys.readouterr().err == "tinyrnn: grosse-f3 has no panel 'T=9' at quick; it is in one piece\n"
    assert main(["reproduce", "all", "--out", str(tmp_path), "--panel", "T=9"]) == 2
    assert capsys.readouterr().err == "tinyrnn: --panel is of one NAME, not of all\n"
    assert not [*tmp_path.iterdir()]


def test_a_record_from_before_panels_had_costs_gets_a_panel_put_in():
    old = {"cpu_seconds": 50.0, "versions": {"numpy": "1.0"}, "panels": {"b": {"runs": [1]}, "c": {"runs": [2]}}}
    new = {"analyses": {}, "panels": {"a": {"cpu_seconds": 3.0}, "b": {"runs": [4], "cpu_seconds": 4.0}}}
    parts, seconds = record.merged(old, new, ["a", "b", "c"])
    assert [*parts["panels"]] == ["a", "b", "c"] and seconds == 57.0 and parts["panels"]["b"]["runs"] == [4]
    assert parts["panels"]["c"] == {"runs": [2], "versions": {"numpy": "1.0"}}


def test_of_a_scale_that_lacks_panels_these_are_shown_at_the_next_smaller_one(tmp_path, monkeypatch):
    entry = tiny("T=1", "T=2", "T=3")
    plans, row = entry.runs("half"), {"seed": 0, **dict.fromkeys(LAST), "updates": 20}
    rows = [{"contender": contender, **row} for contender in ("lt-ornn", "elman")]

    def write(scale, *panels):
        found = {p: {"plan": asdict(plans[p]), "runs": rows, "curves": {}, "table": ""} for p in panels}
        record.write(tmp_path / f"tiny-{scale}.json", "tiny", entry, scale, 9.0, {"analyses": {}, "panels": found})

    write("quick", "T=1", "T=2", "T=3")
    write("half", "T=1", "T=2")
    write("paper", "T=2")
    found = [(of["scale"], [*of["panels"]]) for of in record.kept(tmp_path, ["tiny", "other"])["tiny"]]
    assert found == [("paper", ["T=2"]), ("half", ["T=1"]), ("quick", ["T=3"])]
    monkeypatch.setitem(REPRODUCTIONS, "tiny", entry)
    said = results_page(tmp_path)
    assert "`tinyrnn reproduce tiny --scale paper`: 2 runs, 9 CPU seconds" in said
    assert "`tinyrnn reproduce tiny --scale half`: 2 runs, of a record of 9 CPU seconds" in said
    assert said.index("Not run at this scale yet: T=1, T=3.") < said.index("#### T=1") < said.index("#### T=3")


def git(folder, *words):
    """Run git there, as somebody."""
    identity = ("-c", "user.name=somebody", "-c", "user.email=some@body")
    return subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True, text=True).stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_a_record_says_the_commit_it_was_made_at_and_whether_files_were_changed(tmp_path, monkeypatch):
    package = tmp_path / "package"
    package.mkdir()
    assert record.commit(package) == ""
    git(tmp_path, "init", "-q")
    (package / "__init__.py").write_text("")
    assert record.commit(package) == ""  # of another project, in whose folder the package was installed
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "all")
    short = git(tmp_path, "rev-parse", "--short", "HEAD").strip()
    assert record.commit(package) == short and len(short) >= 7
    (tmp_path / "beside.txt").write_text("")
    assert record.commit(package) == short
    (package / "more.py").write_text("")
    assert record.commit(package) == f"{short}+"
    monkeypatch.setenv("PATH", "")
    assert record.commit(package) == ""


def test_the_cost_is_told_though_a_network_diverges_in_its_first_updates(tmp_path):
    shared = {"task": "copy", "task_options": {"delay": 2, "length": 2, "symbols": 2}, "hidden": 8, "updates": 20}
    wild = {"cell": "elman-elu", "optimiser": "sgd", "lr": 1e200, "clip_norm": 0.0}
    assert rerun.cost({"": (Sweep(shared, {"wild": wild}), tmp_path)}) == "1 runs, about 0 seconds of one core"
    assert rerun.cost({}) == "all runs are finished"


def test_times_are_told_in_a_unit_that_fits():
    assert [rerun.span(s) for s in (40, 599, 600, 5000, 7200)] == [
        *("40 seconds", "599 seconds", "10 minutes", "83 minutes", "2.0 hours")
    ]


def test_who_goes_on_after_an_interruption_is_told_the_cost_of_all(tmp_path):
    with pytest.raises(KeyboardInterrupt), record.timed(tmp_path, keeps=True):
        until = record.cpu_seconds() + 0.2
        while record.cpu_seconds() < until:
            pass
        raise KeyboardInterrupt
    with record.timed(tmp_path, keeps=True) as spent:
        assert 0.15 < spent() < 5


def test_the_list_has_every_name_with_its_place_and_its_runs(tmp_path, capsys):
    assert main(["reproduce", "list", "--keep", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert len(said.splitlines()) == len(REPRODUCTIONS) and "Table 1: MNIST pixel by pixel" in said
    assert re.search(r"orhan-f3 .*\[quick: 48 runs; half: 48 runs; paper: 6336 runs\]", said)
    assert re.search(r"grosse-f3 .*\[computed\]", said)


def test_the_list_has_what_the_records_cost(tmp_path, capsys):
    parts = {"analyses": {}, "panels": {}}
    record.write(tmp_path / "grosse-f3-quick.json", "grosse-f3", REPRODUCTIONS["grosse-f3"], "quick", 3.2, parts)
    record.write(tmp_path / "henaff-f2-half.json", "henaff-f2", REPRODUCTIONS["henaff-f2"], "half", 7200.0, parts)
    assert main(["reproduce", "list", "--keep", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert re.search(r"grosse-f3 .*\[quick: CPU 3 seconds\]", said)
    assert re.search(
        r"henaff-f2 .*\[quick: \d+ runs; half: \d+ runs, CPU 2.0 hours without T=100, T=200; paper: \d+ runs\]", said
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_the_networks_of_an_entry_exist(name):
    for plan in REPRODUCTIONS[name].runs("quick").values():
        for settings in {run.contender: run.settings for run in plan.runs()}.values():
            assert settings.cell in CELLS
            if settings.task not in ("mnist", "ptb-char", "car-racing"):
                build(settings)
