"""What README and the guide promise: the two lines are those of CI, what is shown is what comes, the Python runs."""

import re
from pathlib import Path

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import COMMANDS, main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
GUIDE = (ROOT / "lectures" / "guide.md").read_text("utf-8")


def section(title):
    """A section of the guide, without its heading."""
    (found,) = re.findall(rf"^## {title}$(.*?)(?=^## |\Z)", GUIDE, flags=re.DOTALL | re.MULTILINE)
    return found


@pytest.mark.slow
def test_the_python_in_the_tour_runs_and_its_gradient_checks_pass():
    tour = section("In Python") + section("Fast, from the same source")
    blocks = re.findall(r"```python\n(.*?)```", tour, flags=re.DOTALL)
    assert len(blocks) == 4
    rng = np.random.default_rng(0)
    names = {name: rng.normal(size=(2, 5)) for name in ("h0", "c0", "dh_T", "c_T", "dc_T")}
    names |= {"W": rng.normal(size=(3, 5)), "U": rng.normal(size=(5, 5))}
    names |= {"mask": np.ones((7, 2), bool), "dh": rng.normal(size=(7, 2, 5))}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert tr.gradcheck(names["cell"]).ok and tr.gradcheck(names["net"]).ok and tr.gradcheck(names["mine"]).ok


def test_the_python_that_records_runs_and_finds_a_line(tmp_path, monkeypatch):
    (block,) = re.findall(r"```python\n(.*?)```", section("Step by step"), flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names = {"tr": tr, "cell": tr.LSTM(2, 3, rng=0), "x": np.random.default_rng(0).normal(size=(3, 2, 2))}
    exec(compile(block, "README.md", "exec"), names)
    assert names["recording"][names["recording"].find(name="dh_prev")].value.shape == (2, 3)
    assert len(tr.Recording.load("recording.json")) == len(names["recording"])


def test_the_python_that_looks_into_networks_runs_and_says_what_it_finds():
    (block,) = re.findall(r"```python\n(.*?)```", section("Looking into networks"), flags=re.DOTALL)
    rng = np.random.default_rng(0)
    names = {"np": np, "tr": tr, "cell": tr.GRU(3, 5, rng=0), "x": rng.normal(size=(7, 1, 3))}
    names |= {"net": tr.Model(tr.LSTM(3, 5, rng=0), tr.Readout(5, 4, rng=1)), "target": rng.integers(0, 4, (7, 1))}
    found = names | {"digits": rng.normal(size=(300, 200))}
    exec(compile(block, "README.md", "exec"), found)
    assert found["through"].shape == (8, 5, 5) and found["norms"].shape == (7, 7)
    assert round(found["memory"], 3) == 5.187
    assert found["lmn"].params["W_mm"].shape == (128, 128)


def test_what_is_shown_of_the_generated_code_is_what_explain_shows():
    shown = re.search(r"```c\n(.*?)```", GUIDE, flags=re.DOTALL)[1].splitlines()
    explained = [line.strip() for line in tr.explain(tr.LSTM(1, 128, dtype="float32")).splitlines()]
    assert len(shown) == 3 and all(line in explained for line in shown)


def test_the_code_shown_first_is_the_code_of_the_lstm():
    shown = re.search(r"```python\n(def step.*?)```", README, flags=re.DOTALL)[1]
    source = (ROOT / "tinyrnn" / "cells" / "lstm.py").read_text()
    for line in shown.splitlines():
        code = line.split("  # from ")[0].strip()
        assert code in source


def test_the_wrong_lstm_gets_the_verdict_that_is_shown(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    shown = re.search(r"\$ tinyrnn lines lectures/wrong_lstm.py\n(.*?)```", GUIDE, flags=re.DOTALL)[1]
    assert main(["lines", "lectures/wrong_lstm.py"]) == 1
    assert without_errors(capsys.readouterr().out) == without_errors(shown)


def without_errors(listing):
    """A listing without the sizes of rounding errors, which differ from machine to machine."""
    return re.sub(r"( ok +)\de-\d\d|( ok +)0e\+00", r"\1\2", listing).split()


def test_ci_calls_the_line_that_readme_gives_for_the_tests():
    line = re.search(r"^python3 -m venv .venv && .*pytest.*$", README, flags=re.MULTILINE)[0]
    assert line.endswith("pytest -n 2")
    assert "grep -m1 '^python3 -m venv .venv && .*pytest' README.md" in (ROOT / ".ci" / "run").read_text()


def test_the_training_loop_in_readme_runs_learns_and_saves(tmp_path, monkeypatch):
    (block,) = re.findall(r"```python\n(import numpy.*?)```", README, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(block, "README.md", "exec"), names)
    assert names["out"].loss < 0.05 < np.log(8)
    assert {"net.safetensors"} == {path.name for path in tmp_path.iterdir()}


def test_the_wrong_line_in_readme_is_part_of_the_whole_verdict():
    (short,) = re.findall(r"\$ tinyrnn lines lectures/wrong_lstm.py\n(.*?)```", README, flags=re.DOTALL)
    lines = [line for line in short.splitlines() if line != "..."]
    assert len(lines) > 4 and set(lines) <= set(GUIDE.splitlines())


def test_readme_fits_on_two_pages_and_its_links_lead_somewhere():
    assert len(README.splitlines()) <= 120
    for page, text in (("README.md", README), ("lectures/guide.md", GUIDE)):
        links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
        assert len(links) > 5
        for link in filter(None, links):
            assert (ROOT / page).parent.joinpath(link).exists(), (page, link)


def test_the_guide_names_every_command():
    for command in COMMANDS:
        assert re.search(rf"`tinyrnn [^`]*\b{command}\b|`{command}\b", GUIDE), command
