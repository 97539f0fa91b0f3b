"""A figure is rerun, its cost said first, and a record kept, panel by panel."""

import csv
import re
import shutil
import subprocess
from dataclasses import asdict, replace

import numpy
import pytest

from tinyrnn.commands.main import main
from tinyrnn.figures import ANALYSES
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.reproductions import REPRODUCTIONS, record, rerun
from tinyrnn.reproductions.claims import HOLDS, Solves
from tinyrnn.reproductions.entry import Reproduction
from tinyrnn.reproductions.page import page as results_page
from tinyrnn.sweeps.plan import Sweep
from tinyrnn.sweeps.rows import LAST
from tinyrnn.training.plots import new_figure


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
