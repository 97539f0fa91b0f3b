"""`tinyrnn gradcheck` on files and notebooks."""

import json

import pytest

from tinyrnn.commands.main import main

LAYER = """
import numpy as np

def affine_forward(x, w, b):
    \"\"\"x (N, D), w (D, M), b (M,).\"\"\"
    return x @ w + b, (x, w)

def affine_backward(dout, cache):
    x, w = cache
    return dout @ w.T, x.T @ dout, dout.FOLD(axis=0)
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(fold="sum", name="layer.py"):
        text = LAYER.replace("FOLD", fold)
        if name.endswith(".ipynb"):
            cells = ["%matplotlib inline\nimport not_installed_anywhere\n", "def unfinished(:\n", text]
            cells = [{"cell_type": "code", "source": cell.splitlines(True)} for cell in cells]
            text = json.dumps({"cells": [{"cell_type": "markdown", "source": ["# hello"]}, *cells]})
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write


@pytest.mark.parametrize("name", ["layer.py", "layer.ipynb"])
def test_a_file_or_notebook_is_checked_with_made_up_inputs(file, name, capsys):
    assert main(["gradcheck", file(name=name)]) == 0
    assert "affine_forward and affine_backward: right" in capsys.readouterr().out
    assert main(["gradcheck", file("mean", name)]) == 1
    out = capsys.readouterr().out
    assert "wrong: b (mean for sum)" in out
    assert f"which line it is: tinyrnn lines {name}:affine_backward" in out


def test_one_function_of_a_file(file, capsys):
    assert main(["gradcheck", f"{file('mean')}:affine_forward"]) == 1
    assert main(["gradcheck", f"{file()}:affine_backward", "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.index("[\n") :])[0]["verdict"] == "right"


@pytest.mark.slow
def test_the_page_and_the_picture_are_written(file, tmp_path):
    assert main(["gradcheck", file("mean"), "--html", "page.html", "--plot", "errors.png"]) == 1
    assert "mean for sum" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert (tmp_path / "errors.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.py"], "there is no file nothing.py"),
        (["lstmm"], "unknown cell 'lstmm'"),
        (["layer.py:foo"], "there is no foo in layer.py"),
        (["layer.py", "--plot", "no/such/folder.png"], "--plot: there is no folder no/such"),
        (["layer.py", "--entries", "0"], "--entries must be at least 1"),
        (["lstm", "--plot", "errors.png"], "--plot draws functions in a file"),
    ],
)
def test_what_cannot_be_checked_is_one_line_and_status_two(file, arguments, message, capsys):
    file()
    assert main(["gradcheck", *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
