"""`import tinyrnn` takes little longer than `import numpy`: what takes long to load is loaded where it is used."""

import subprocess
import sys

import pytest

HEAVY = {"scipy", "matplotlib", "tqdm", "prompt_toolkit", "torch", "cupy", "dask", "threadpoolctl"}
RUN = """
import numpy as np
import tinyrnn as tr

model = tr.Model(tr.Stack(tr.LSTM(3, 4), tr.GRU(4, 5)), tr.Readout(5, 2))
out = model.gradients(np.ones((6, 2, 3)), np.zeros((6, 2), int))
tr.optimisers.Adam().step(model.params, out.params)
"""


def loaded_by(source):
    """The packages, of those that take long to load, that a program has loaded when it ends."""
    report = "\nimport sys\nprint(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", source + report], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "numpy" in loaded  # the report says something
    return loaded & HEAVY


@pytest.mark.parametrize("source", ["import tinyrnn", RUN], ids=["import", "training"])
def test_nothing_heavy_is_loaded_for(source):
    assert loaded_by(source) == set()
