"""`import tinyrnn` takes little longer than `import numpy`: what takes long to load is loaded where it is used; and no
import runs upward."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tinyrnn

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


@pytest.mark.few(1)
@pytest.mark.parametrize("command", ["--version", "train --help", "step lstm --time 2 --print"])
def test_a_command_that_draws_nothing_starts_without_what_draws_and_without_scipys_parts(command):
    parts = {"scipy.linalg", "scipy.sparse", "scipy.special", "scipy.stats"}
    assert loaded_by(COMMAND.format(command)) & {"matplotlib", *parts} == set()


# from the ground up; what stands in one line does not know of each other
FLOORS = (
    "core parallel",
    "compiler init optim sources",
    "cells",
    "nn",
    "tasks profiling checking",
    "analysis verdicts",
    "training",
    "stepping sweeps",
    "figures grading play",
    "blackboard reproductions",
    "commands",
)
# asked for only when they are called: a cell or an update is compiled, wrong lines are judged, %tinyrnn is a command
UPWARD = {("core", "compiler"), ("optim", "compiler"), ("checking", "verdicts"), ("grading", "commands")}


def imported(node):
    """The modules that an import loads: of `from tinyrnn import training` and of `import tinyrnn.training` too."""
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def imports(path):
    """{(part of tinyrnn, whether it is loaded with the module)} of a file."""
    found = set()
    stack = [(ast.parse(path.read_text(encoding="utf-8")), True)]
    while stack:
        node, at_once = stack.pop()
        at_once = at_once and not isinstance(node, ast.FunctionDef)
        found |= {(name.split(".")[1], at_once) for name in imported(node) if name.startswith("tinyrnn.")}
        stack += [(child, at_once) for child in ast.iter_child_nodes(node)]
    return found


def test_every_way_to_import_is_seen(tmp_path):
    path = tmp_path / "ways.py"
    path.write_text("import tinyrnn.nn\nfrom tinyrnn import cells\ndef f():\n    from tinyrnn.optim.sgd import SGD\n")
    assert imports(path) == {("nn", True), ("cells", True), ("optim", False)}


def test_no_import_runs_upward_and_the_few_that_do_wait_for_a_call():
    floor = {part: k for k, parts in enumerate(FLOORS) for part in parts.split()}
    package = Path(tinyrnn.__file__).parent
    assert {path.parent.name for path in package.glob("*/__init__.py")} == set(floor)
    found = set()
    for part in floor:
        for path in (package / part).rglob("*.py"):
            found |= {
                (part, other, at_once)
                for other, at_once in imports(path)
                if other != part and floor.get(other, -1) >= floor[part]  # -1: a name of the public face
            }
    assert found == {(part, other, False) for part, other in UPWARD}
