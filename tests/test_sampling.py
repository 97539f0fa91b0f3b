"""What is sampled: always the same, as many as wanted, all on request; expected failures are always there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import sampling
from sampling import sample

CASES = """
import pytest

@pytest.mark.sample(3)
@pytest.mark.parametrize("k", [*range(20), pytest.param(99, marks=pytest.mark.xfail(strict=True))])
def test_one(k):
    assert k < 50

@pytest.mark.few(2)
@pytest.mark.parametrize("k", range(10))
def test_few(k):
    assert k < 10

def test_another():
    assert 1
"""
PLUGIN = """
from sampling import Sampling

def pytest_addoption(parser):
    parser.addoption("--whole", action="store_true")

def pytest_configure(config):
    for marker in ("sample(n)", "few(n)", "slow"):
        config.addinivalue_line("markers", marker)
    config.pluginmanager.register(Sampling(config))
"""


def test_as_many_as_wanted_in_their_order_and_the_same_again():
    drawn = sample(range(100), 7)
    assert len(drawn) == 7 and drawn == sorted(drawn) == sample(range(100), 7)
    assert sample([3, 1], 7) == [3, 1]


def test_what_comes_beside_them_draws_no_others_out_but_by_taking_a_place():
    before, after = set(sample(range(100), 7)), set(sample(range(101), 7))
    assert len(before - after) <= 1


def test_others_on_request_and_all_on_request(monkeypatch):
    drawn = sample(range(100), 7)
    monkeypatch.setattr(sampling, "seed", lambda: "another")
    assert sample(range(100), 7) != drawn
    monkeypatch.setattr(sampling, "whole", True)
    assert sample(range(100), 7) == list(range(100))


@pytest.mark.slow
@pytest.mark.parametrize(
    "options, said",
    [
        ([], "14 passed, 17 deselected, 1 xfailed"),
        (["--whole"], "31 passed, 1 xf"),
        (["-m", "not slow"], "6 passed, 25 deselected, 1 xfailed"),
        (["-m", "slow"], "8 passed, 24 deselected"),
    ],
)
def test_cases_are_left_out_but_for_expected_failures_and_a_few_are_quick(tmp_path, options, said):
    (tmp_path / "conftest.py").write_text(PLUGIN)
    (tmp_path / "test_cases.py").write_text(CASES)
    environment = os.environ | {"PYTHONPATH": str(Path(sampling.__file__).parent), "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    assert said in subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True).stdout
