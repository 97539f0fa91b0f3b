"""The page of results: it is what the records of the repository say, and their verdicts are those of the claims."""

import re
from pathlib import Path

import pytest

import tinyrnn as tr
from tinyrnn.cells import CELLS
from tinyrnn.commands.main import main
from tinyrnn.figures import ANALYSES
from tinyrnn.nn.regularisers import REGULARISERS
from tinyrnn.reproductions import REPRODUCTIONS, record
from tinyrnn.reproductions.entry import SCALES
from tinyrnn.reproductions.page import claims, notes, page
from tinyrnn.reproductions.unjudged import UNJUDGED
from tinyrnn.sweeps.plan import Sweep

FOLDER = Path(__file__).parents[2] / "lectures" / "results"
KEPT = sorted(path.stem for path in FOLDER.glob("*.json"))


def test_the_page_of_results_is_made_from_the_records(capsys):
    made_anew = "make it anew: tinyrnn reproduce results > lectures/results.md"
    assert main(["reproduce", "results", "--keep", str(FOLDER)]) == 0
    said = capsys.readouterr().out
    assert said == (FOLDER.parent / "results.md").read_text(encoding="utf-8"), made_anew


def test_the_page_of_claims_is_made_from_the_records(capsys):
    assert main(["reproduce", "claims", "--keep", str(FOLDER)]) == 0
    made_anew = "make it anew: tinyrnn reproduce claims > lectures/claims.md"
    assert capsys.readouterr().out == (FOLDER.parent / "claims.md").read_text(encoding="utf-8"), made_anew


def test_every_claim_is_on_the_page_of_claims_once_with_who_judges_it_or_why_nothing_does():
    lines = claims(FOLDER).splitlines()
    for name, entry in REPRODUCTIONS.items():
        for text in {claim.text for own in entry.claims.values() for claim in own}:
            (line,) = [line for line in lines if f"| {text} | `{name}` |" in line]
            assert re.search(r"\*\*(holds|does not hold|not decided).*\(.+\)|no record has it yet", line)
    judged = {claim.text for entry in REPRODUCTIONS.values() for own in entry.claims.values() for claim in own}
    for own in UNJUDGED.values():
        for place, text, why in own:
            assert lines.count(f"* {place}: {text}. *{why}.*") == 1 and text not in judged


def test_what_nothing_judges_points_to_what_there_is():
    words = re.findall(r"`([^`]+)`", "\n".join(of.why for own in UNJUDGED.values() for of in own))
    for word in words:
        name = word.removeprefix("tinyrnn analyse ").removeprefix("tr.").split(" ")[0]
        found = {*REPRODUCTIONS, *ANALYSES, *CELLS, *REGULARISERS, "--checkpoint"}
        assert name in found or hasattr(tr, name.split(".")[0]), word
    assert {*UNJUDGED} <= {entry.document for entry in REPRODUCTIONS.values()}


@pytest.mark.parametrize("name", KEPT)
def test_a_record_is_of_an_entry_and_its_verdicts_are_those_of_the_claims(name):
    kept = record.read(FOLDER / f"{name}.json")
    assert name == f"{kept['name']}-{kept['scale']}" and kept["scale"] in SCALES
    entry = REPRODUCTIONS[kept["name"]]
    judged = record.judged(entry, kept["scale"], kept)
    assert judged == {name: kept[name] for name in ("missing", "verdicts") if name in kept}, (
        "judge them anew: tinyrnn reproduce verdicts"
    )
    assert {*kept["analyses"]} <= {*entry.analyses} and kept["cpu_seconds"] > 0
    for panel in kept["panels"].values():
        plan = Sweep(**panel["plan"])
        assert {run["contender"] for run in panel["runs"]} == {*plan.contenders}


def test_verdicts_of_kept_records_are_made_anew_without_running(tmp_path):
    path, old = tmp_path / "henaff-f1-half.json", (FOLDER / "henaff-f1-quick.json").read_text()
    path.write_text(old.replace('"word": "holds"', '"word": "does not hold"'))
    assert main(["reproduce", "verdicts", "--keep", str(tmp_path)]) == 0
    assert path.read_text() == old


def test_of_several_scales_the_page_shows_the_largest_with_the_words_beside_it(tmp_path):
    entry = REPRODUCTIONS["henaff-f1"]
    for scale, line in (("quick", "a few"), ("half", "many")):
        found = {"analyses": {"copy-success": {"numbers": NUMBERS, "lines": [line]}}, "panels": {}}
        record.write(tmp_path / f"henaff-f1-{scale}.json", "henaff-f1", entry, scale, 90.0, found)
    (tmp_path / "henaff-f1.md").write_text("Words on it.\n")
    (tmp_path / "introduction.md").write_text("To begin with.\n")
    said = page(tmp_path)
    assert (
        "* many" in said
        and "* a few" not in said
        and "Words on it." in said
        and said.startswith("# What came out\n\nTo begin with.\n\n")
    )
    assert f"| {entry.document} | 1 | 1.5 | 1 | 0 | 1 | 0 |" in said
    assert "hardly more often the longer the delay is: **does not hold** (T = 50: 99, T = 200: 20)" in said
    assert "## Not run yet" in said and "`tinyrnn reproduce henaff-f2`: copy" in said
    assert "* LT-IRNN does not learn copy\n" in said
    assert notes(tmp_path, "none") == ""


NUMBERS = {
    "recalled": {f"K={k}, S={s}": 100 - s for k in (2, 8, 64) for s in (5, 10, 15, 20, 30, 40)},
    "by T (K=8, S=10)": {"50": 99, "200": 20},
}
