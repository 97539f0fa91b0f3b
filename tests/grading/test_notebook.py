"""What is written in a cell of a notebook is checked there, and lands in the file that is handed in."""

import ast

import numpy as np
import pytest
import tiny_work
from hypothesis import given
from hypothesis import strategies as st
from tiny_work import solved

import tinyrnn as tr
from tinyrnn.grading import submitting
from tinyrnn.grading.exercise import exercise
from tinyrnn.grading.notebook import merge


class Shell:
    """As much of IPython's shell as an extension needs."""

    def __init__(self):
        self.user_ns, self.magics = {}, {}

    def register_magic_function(self, function, magic_kind, magic_name):
        self.magics[magic_kind, magic_name] = function


@pytest.fixture
def notebook(tmp_path, monkeypatch, capsys):
    """A shell with the extension in a folder with the first tiny exercise begun: `run(line, cell)` returns what is
    printed below."""
    desk = tmp_path / "desk"
    desk.mkdir()
    submitting.start(exercise(1, tiny_work.hand_out(tmp_path / "out")), desk)
    monkeypatch.chdir(desk)
    shell = Shell()
    tr.load_ipython_extension(shell)
    capsys.readouterr()

    def run(line, cell=None):
        magic = shell.magics["line" if cell is None else "cell", "tinyrnn"]
        magic(line) if cell is None else magic(line, cell)
        return "".join(capsys.readouterr())

    run.names, run.folder = shell.user_ns, desk
    return run


LEAKY = '''def leaky(x, h_prev, W, a):
    """My own."""
    return {} * h_prev + a * np.tanh(x @ W)
'''


def test_a_cell_is_checked_in_place_written_to_the_file_and_can_be_called(notebook):
    said = notebook("1", LEAKY.format("a"))
    assert "wrong  leaky" in said and "step_weights" not in said, "the tasks of this cell and no others"
    said = notebook("1", LEAKY.format("(1 - a)"))
    assert ":)  right  leaky" in said and "All public checks" not in said
    text = (notebook.folder / "ex1_tiny.py").read_text()
    assert text.count("def leaky(") == 1 and "My own." in text and "def slope(" in text
    assert notebook.names["leaky"](np.zeros((1, 1)), np.full((1, 1), 2.0), np.zeros((1, 1)), 0.5) == 1.0


def test_any_command_can_be_run_in_a_cell(notebook):
    assert "not yet" in notebook("check 1")
    assert "twice: hint 1 of 3" in notebook("hint 1")
    assert "wrote ex1_tiny.zip" in notebook("submit 1")
    assert "invalid choice" in notebook("chekc 1")


def test_what_is_no_python_changes_nothing_and_is_one_line(notebook):
    before = (notebook.folder / "ex1_tiny.py").read_bytes()
    assert notebook("1", "def leaky(:\n").startswith("tinyrnn: ")
    assert "of which exercise?" in notebook("", "x = 1")
    assert "there is no exercise '9'" in notebook("9", "x = 1")
    assert (notebook.folder / "ex1_tiny.py").read_bytes() == before


def test_without_a_file_the_exercise_is_begun(notebook):
    (notebook.folder / "ex1_tiny.py").unlink()
    assert "right" in notebook("1", LEAKY.format("(1 - a)"))
    assert "def slope(" in (notebook.folder / "ex1_tiny.py").read_text()


def test_imports_and_helpers_stand_before_what_uses_them():
    file = '"""Text."""\n\nimport numpy as np\n\n\ndef f(x):\n    return x\n'
    made = merge(file, "import math\nHALF = 0.5\n\n@staticmethod\ndef g(x):\n    return HALF * math.pi\n")
    assert made.index("import numpy") < made.index("import math") < made.index("HALF =") < made.index("def f")
    assert made.index("def f") < made.index("@staticmethod\ndef g")
    assert merge(made, "import math\nHALF = 0.5\n") == made


@given(st.lists(st.tuples(st.sampled_from("fgh"), st.integers(0, 9)), max_size=6))
def test_the_last_version_of_every_function_is_the_one_in_the_file(cells):
    file, last = "import numpy as np\n\n\ndef f():\n    raise NotImplementedError\n", {}
    for name, number in cells:
        file = merge(file, f"def {name}():\n    return {number}\n")
        last[name] = number
    names = {}
    exec(file, names)
    assert {name: names[name]() for name in last} == last
    assert len([node for node in ast.parse(file).body if isinstance(node, ast.FunctionDef)]) == len({"f", *last})


def test_in_a_real_notebook_shell(tmp_path, monkeypatch, capsys):
    shell_module = pytest.importorskip("IPython.core.interactiveshell")
    submitting.start(exercise(1, tiny_work.hand_out(tmp_path / "out")), tmp_path)
    monkeypatch.chdir(tmp_path)
    shell = shell_module.InteractiveShell()
    shell.run_cell("%load_ext tinyrnn")
    shell.run_cell(f"%%tinyrnn 1\n{LEAKY.format('(1 - a)')}")
    shell.run_cell("%tinyrnn check 1")
    said = capsys.readouterr().out
    assert ":)  right  leaky" in said and "0 of 55 points" not in said


def test_the_masters_own_functions_given_cell_by_cell_are_all_right(notebook):
    """Every function of the solution as a cell of its own, the helpers first."""
    tree = ast.parse(solved())
    lines = solved().splitlines()
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for node in sorted(functions, key=lambda node: node.name in ("leaky", "leaky_backward", "step_weights", "slope")):
        notebook("1", "\n".join(lines[node.lineno - 1 : node.end_lineno]))
    assert "All public checks are right" in notebook("check 1")
