"""The options of the test run: a skipped test with another reason than those allowed makes the run fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import reporting

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes

TESTS = """
import pytest

def test_here():
    assert sum(range(3_000_000))

@pytest.mark.skipif(True, reason="needs a moon rocket")
def test_there():
    pass
"""
PLUGIN = """
from reporting import Reporting

def pytest_addoption(parser):
    parser.addoption("--may-skip")
    parser.addoption("--cpu", action="store_true")

def pytest_configure(config):
    config.pluginmanager.register(Reporting(config))
"""


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ([], 0),
        (["--may-skip", "a .* rocket"], 0),
        (["--may-skip", "no GPU"], 1),
        (["--may-skip", "no GPU", "-n", "1"], 1),
    ],
)
def test_only_what_may_be_skipped_is(options, status, tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(PLUGIN)
    command = [sys.executable, "-m", "pytest", "-q", "--cpu", "--rootdir", str(tmp_path), *options]
    environment = {**os.environ, "PYTHONPATH": str(Path(reporting.__file__).parent), "PYTEST_ADDOPTS": ""}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == status, ran.stdout
    assert "1 passed, 1 skipped" in ran.stdout and "CPU seconds, " in ran.stdout
    assert ("1 in test_it.py: Skipped: needs a moon rocket" in ran.stdout) == bool(status)
