"""The site, built once."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = ("sphinx", "myst_nb", "furo")


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The folder of the site. A warning, as of a reference that leads nowhere, is an error."""
    if not all(map(importlib.util.find_spec, BUILT)):
        pytest.skip("Sphinx, MyST-NB or Furo is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "tools.site", "--out", str(folder)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder
