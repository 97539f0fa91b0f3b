"""Figures and tables of the documents: each entry says where it is from, can be run, and claims what is of its runs."""

from dataclasses import asdict
from inspect import signature

import pytest

from tinyrnn.cells import CELLS
from tinyrnn.figures import ANALYSES
from tinyrnn.reproductions import REPRODUCTIONS
from tinyrnn.reproductions.claims import Computed, Solves
from tinyrnn.reproductions.entry import SCALES
from tinyrnn.sweeps import report
from tinyrnn.sweeps.rows import LAST, choose
from tinyrnn.training.settings import build

RUN = [name for name, entry in REPRODUCTIONS.items() if entry.runs]


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


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_the_networks_of_an_entry_exist(name):
    for plan in REPRODUCTIONS[name].runs("quick").values():
        for settings in {run.contender: run.settings for run in plan.runs()}.values():
            assert settings.cell in CELLS
            if settings.task not in ("mnist", "ptb-char", "car-racing"):
                build(settings)
