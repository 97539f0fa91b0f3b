"""Figures and tables of the documents: each can be run as it says, and its claims are judged by what the runs say."""

import csv
import re
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
from tinyrnn.reproductions.entry import SCALES, Reproduction
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
        {"contender": "a", "seed": 0, "lr": lr, **dict.fromkeys(LAST), "valid_loss": x, "test_loss_over_baseline": x}
        for lr, x in losses.items()
    ]
    solves, chosen = Solves("", ("a",)), choose(plan, rows)
    assert solves.verdict(plan, chosen).word == HOLDS
    assert LargestRate("", solves).verdict(plan, chosen) == (NOT, "0 of 1 runs below 50% of the baseline; rates: a 0.1")


def test_a_claim_of_a_value_is_judged_by_its_distance():
    runs = swept({"a": [0.4, 0.6], "b": [0.4, None]})
    assert Reaches("", "a", 0.52, 0.03).verdict(*runs) == (HOLDS, "0.5, where the document has 0.52")
    assert Reaches("", "a", 0.56, 0.03, updates=7).verdict(*runs) == (
        OPEN,
        "0.5 after 5 of 7 updates, where the document has 0.56",
    )
    assert Reaches("", "a", 0.56, 0.03, updates=5).verdict(*runs).word == NOT
    assert Reaches("", "a", 0.56, 0.03).verdict(*runs).word == Reaches("", "b", 0.5, 1.0).verdict(*runs).word == NOT


@pytest.mark.parametrize(("holds", "word"), [(True, HOLDS), (None, IN_PART), (False, NOT)])
def test_a_claim_of_what_is_computed_is_judged_by_the_numbers(holds, word):
    claim = Computed("", lambda numbers: (holds, f"{numbers['n']} of them"))
    assert claim.judged({"n": 3}) == (word, "3 of them")


@pytest.mark.parametrize("name", [name for name, entry in REPRODUCTIONS.items() if entry.analyses])
def test_the_claims_of_an_analysis_are_of_one_that_the_entry_has(name):
    entry = REPRODUCTIONS[name]
    assert {*entry.claims} <= {*entry.analyses}
    assert all(isinstance(claim, Computed) for claims in entry.claims.values() for claim in claims)


@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_an_entry_says_where_it_is_from_and_what_it_is_made_of(name):
    entry = REPRODUCTIONS[name]
    assert entry.document and entry.title and bool(entry.runs) != bool(entry.analyses)
    assert {*entry.analyses} <= {*ANALYSES}


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
    assert "sized: it took 0.0 minutes of one core, as sized-half.json says\n" in capsys.readouterr().out
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


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", RUN)
def test_the_runs_of_an_entry_can_be_built_and_its_claims_are_of_them(name, scale):
    entry = REPRODUCTIONS[name]
    panels = entry.runs(scale)
    assert {*entry.claims} - {""} <= {*panels} or scale != "paper"
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


def test_accuracies_that_a_document_has_are_stars_beside_those_of_the_runs(tmp_path):
    plan, chosen = swept({"a": [0.4, 0.6], "b": [0.5, None]})
    for label, accuracies in {"a": (0.75, 0.5), "b": (0.25, None)}.items():
        for line, accuracy in zip(chosen[label].rows, accuracies, strict=True):
            line["test_accuracy"] = accuracy
    (ax,) = report.scores("which is best", plan, chosen, tmp_path, {"b": 0.9}).axes
    found = {(line.get_marker(), line.get_ydata()[0]): [*line.get_xdata()] for line in ax.lines}
    assert found == {("o", 0): [75.0, 50.0], ("o", 1): [25.0], ("*", 1): [90.0]}
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"] and ax.get_title() == "which is best"


TINY = Reproduction(
    "Nobody 2026",
    "Figure 9",
    "two networks",
    lambda scale: {
        "only": Sweep(
            {"task": "copy", "task_options": {"delay": 2, "length": 2, "symbols": 2}, "hidden": 8, "updates": 20},
            {"lt-ornn": {"cell": "lt-ornn"}, "elman": {"cell": "elman"}},
            solved=0.5,
        )
    },
    claims={"only": (Solves("none learns in no time", ("lt-ornn", "elman"), never=True),)},
    published={"only": (("theirs", 0.2),)},
    ours="everything",
)


@pytest.mark.slow
def test_a_figure_is_rerun_with_its_cost_said_first_and_a_page_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(REPRODUCTIONS, "tiny", TINY)
    assert main(["reproduce", "tiny", "--out", str(tmp_path), "--keep", f"{tmp_path}/kept", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"tiny, only: 2 runs, about \d+ minutes of one core", said)
    page = (tmp_path / "page.md").read_text()
    assert "none learns in no time: **holds** (0 of 2 runs below 50% of the baseline)" in page
    assert "Chosen by us: everything." in page and "| lt-ornn |" in page
    found = record.read(tmp_path / "record.json")
    assert found["verdicts"]["only"]["none learns in no time"]["word"] == HOLDS
    assert found["cpu_seconds"] > 0 and found["versions"]["numpy"] == numpy.__version__
    assert [line["contender"] for line in found["panels"]["only"]["runs"]] == ["lt-ornn", "elman"]
    assert found["panels"]["only"]["curves"]["elman"]["updates"] == [20]
    assert (tmp_path / "kept" / "tiny-quick.json").read_text() == (tmp_path / "record.json").read_text()
    with open(tmp_path / "kept" / "tiny-quick.csv", newline="") as file:
        assert [(line["panel"], line["contender"]) for line in csv.DictReader(file)] == [
            ("only", "lt-ornn"),
            ("only", "elman"),
        ]
    assert (tmp_path / "only" / "curves.png").exists()
    assert rerun.cost(TINY.runs("quick")["only"], tmp_path / "only") == "all runs are finished"


def test_the_cost_is_told_though_a_network_diverges_in_its_first_updates(tmp_path):
    shared = {"task": "copy", "task_options": {"delay": 2, "length": 2, "symbols": 2}, "hidden": 8, "updates": 20}
    wild = {"cell": "elman-elu", "optimiser": "sgd", "lr": 1e200, "clip_norm": 0.0}
    assert rerun.cost(Sweep(shared, {"wild": wild}), tmp_path) == "1 runs, about 0 minutes of one core"


def test_who_goes_on_after_an_interruption_is_told_the_cost_of_all(tmp_path):
    with pytest.raises(KeyboardInterrupt), record.timed(tmp_path, keeps=True):
        until = record.cpu_seconds() + 0.2
        while record.cpu_seconds() < until:
            pass
        raise KeyboardInterrupt
    with record.timed(tmp_path, keeps=True) as spent:
        assert 0.15 < spent() < 5


def test_the_list_has_every_name_with_its_place_and_its_runs(capsys):
    assert main(["reproduce", "list"]) == 0
    said = capsys.readouterr().out
    assert len(said.splitlines()) == len(REPRODUCTIONS) and "Table 1: MNIST pixel by pixel" in said
    assert re.search(r"orhan-f3 .*\[runs 48 / 48 / 6336\]", said)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_the_networks_of_an_entry_exist(name):
    for plan in REPRODUCTIONS[name].runs("quick").values():
        for settings in {run.contender: run.settings for run in plan.runs()}.values():
            assert settings.cell in CELLS
            if settings.task not in ("mnist", "ptb-char", "car-racing"):
                build(settings)
