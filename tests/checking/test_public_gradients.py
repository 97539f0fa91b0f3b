"""On functions that others published, the gradient check finds what it found when benchmarks/README.md was written.

The functions are those of `benchmarks/public_gradients`; those of a package that is not installed in the release named
there are skipped.
"""

import importlib.metadata
import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(FOLDER))

import gradient_checkers  # noqa: E402
from public_gradients import HALVES  # noqa: E402

RECORDED = json.loads((FOLDER / "public_gradients" / "results.json").read_text(encoding="utf-8"))
PACKAGES = {"sklearn": "scikit-learn", "umap": "umap-learn", "ot": "pot", "numpy_ml": "numpy-ml"}
RELEASES = (FOLDER / "public_gradients" / "requirements.txt").read_text(encoding="utf-8")


def installed(case):
    """Whether the release that the planted mistakes fit is there."""
    top = case.module.split(".")[0]
    package = PACKAGES.get(top, top)
    try:
        return f"{package}=={importlib.metadata.version(package)}" in RELEASES
    except importlib.metadata.PackageNotFoundError:
        return False


@pytest.mark.sample(45)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # theirs
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for half in HALVES.values() for case in half])
def test_nothing_that_was_found_in_public_code_is_lost(case, monkeypatch):
    monkeypatch.setattr(pytest.mark, "_config", None)  # SciPy's tests have markers of their own, which are strict here
    if not installed(case):
        pytest.skip(f"{case.module} is not installed in the release that the mistakes fit")
    half = next(half for half in HALVES if case in HALVES[half])
    before = gradient_checkers.count([case], {case.name: RECORDED[half]["tinyrnn"][case.name]})
    now = gradient_checkers.count([case], {case.name: gradient_checkers.judge_case("tinyrnn", case)})
    for what in ("found", "named", "told", "caught"):
        assert set(before[what]) <= set(now[what]), what
    for what in ("accused", "passed", "not asked"):
        assert set(now[what]) <= set(before[what]), what
