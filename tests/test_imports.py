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


COMMAND = """
from tinyrnn.commands.main import main

try:
    main({!r}.split())
except SystemExit:
    pass
"""


def loaded_by(source):
    """The modules that a program has loaded when it ends."""
    report = "\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", source + report], capture_output=True, text=True, check=True)
    loaded = set(run.stderr.split())
    assert "numpy" in loaded  # the report says something
    return loaded


@pytest.mark.parametrize("source", ["import tinyrnn", RUN], ids=["import", "training"])
def test_nothing_heavy_is_loaded_for(source):
    assert {name.partition(".")[0] for name in loaded_by(source)} & HEAVY == set()


@pytest.mark.parametrize("command", ["--version", "train --help", "step lstm --time 2 --print"])
def test_a_command_that_draws_nothing_starts_without_what_draws_and_without_scipys_parts(command):
    parts = {"scipy.linalg", "scipy.sparse", "scipy.special", "scipy.stats"}
    assert loaded_by(COMMAND.format(command)) & {"matplotlib", *parts} == set()
