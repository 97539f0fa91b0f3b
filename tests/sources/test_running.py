"""Files that do more than define functions when they are loaded: what is in them can be looked at all the same."""

import signal
import sys
import threading
import time

import matplotlib.pyplot  # noqa: F401  which takes longer to import than a file has time here
import numpy as np
import pytest

from tinyrnn.commands.main import main
from tinyrnn.sources import running
from tinyrnn.sources.deadline import TooLong, cut_off
from tinyrnn.sources.user_file import StudentError, loaded

DOUBLE = """
def double_forward(x):
    return 2 * x, None

def double_backward(dout, cache):
    return 2 * dout
"""
MAIN = 'put that part under `if __name__ == "__main__":`'


@pytest.fixture
def quick(monkeypatch):
    """Nobody waits for seconds in a test."""
    monkeypatch.setattr(running, "SECONDS", 0.3)
    monkeypatch.setattr(running, "MORE_SECONDS", 0.3)


@pytest.fixture
def load(tmp_path, capsys, quick):
    """Writes and loads a file; returns (what its double_forward(3) returns, what was said on stderr)."""

    def load(text, name="hw.py"):
        (tmp_path / name).write_text(text)
        with loaded(tmp_path / name) as module:
            return module.double_forward(3)[0], capsys.readouterr().err

    return load


DOES_MORE = {
    "a training loop after the functions": (f"{DOUBLE}\nwhile True: pass\n", ":8: TooLong: still running", MAIN),
    "a training loop before the functions": (f"while True: pass\n{DOUBLE}", ":1: TooLong: still running", MAIN),
    "a loop that swallows errors": (
        f"{DOUBLE}\nwhile True:\n    try:\n        1 / 0\n    except ZeroDivisionError:\n        pass\n",
        "TooLong",
        MAIN,
    ),
    "a pause": (f"import time\ntime.sleep(60)\n{DOUBLE}", ":2: TooLong", MAIN),
    "data that are not there": (f"data = open('input.csv').read()\n{DOUBLE}", "'input.csv': run this where", MAIN),
    "what needs the data": (f"data = open('input.csv').read()\nsize = len(data)\n{DOUBLE}", ":1: FileNotFound", MAIN),
    "arguments that are wanted": (
        f"import argparse\np = argparse.ArgumentParser()\np.add_argument('data')\na = p.parse_args()\n{DOUBLE}",
        ":4: SystemExit",
        MAIN,
    ),
    "a question": (f"{DOUBLE}\nname = input('your name? ')\n", "EOFError", "nobody to answer"),
    "a module that is not there": (f"from layers import *\n{DOUBLE}", "'layers'", "put layers.py beside the file"),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("text, said, advice", DOES_MORE.values(), ids=DOES_MORE)
def test_what_a_file_does_besides_defining_is_told_and_its_functions_are_there(load, text, said, advice):
    doubled, err = load(text)
    assert doubled == 6
    assert said in err and advice in err and err.count("\n") == 1


DOES_NOTHING = {
    "arguments of the command are not the file's": "import sys\nassert len(sys.argv) == 1, sys.argv\n",
    "magic of a notebook": "get_ipython().magic('matplotlib inline')\nget_ipython().system('ls')\n",
    "a plot": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nplt.close()\n",
    "what is under main": "if __name__ == '__main__':\n    raise SystemExit\n",
    "annotations that are not evaluated": "from __future__ import annotations\ndef f(x: NoSuchName): return x\n",
}


@pytest.mark.parametrize("text", DOES_NOTHING.values(), ids=DOES_NOTHING)
def test_what_does_no_harm_is_not_mentioned(load, text, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tinyrnn", "lines", "hw.py"])
    assert load(text + DOUBLE) == (6, "")
    assert sys.argv == ["tinyrnn", "lines", "hw.py"]


def test_after_an_error_nothing_is_called_that_only_acts(load, tmp_path):
    load(f"x = 1 / 0\nopen({str(tmp_path / 'written')!r}, 'w')\n{DOUBLE}")
    assert not (tmp_path / "written").exists()


NEEDS_WHAT_IS_MISSING = {
    "a call": "no_such_module.set()\n",
    "a name from it": "from no_such_module import show\nshow(1)\n",
    "a table, and what is made of it": "table = no_such_module.read()\nrows = table.values\nprint(rows.shape)\n",
    "a decorator": "@no_such_module.fast\ndef slow(): pass\nslow()\n",
    "a base": "class Model(no_such_module.Model): pass\nModel().fit()\n",
    "a block": "with no_such_module.open() as f:\n    lines = list(f)\nfor line in lines: print(line)\n",
}


@pytest.mark.few(2)
@pytest.mark.parametrize("text", NEEDS_WHAT_IS_MISSING.values(), ids=NEEDS_WHAT_IS_MISSING)
def test_a_module_that_is_missing_costs_nothing_but_what_needs_it(load, text):
    text = f"import no_such_module\n{text}factors = []\nfor factor in (1, 2):\n    factors.append(factor)\n{DOUBLE}"
    doubled, err = load(text.replace("2 * x", "factors[1] * x"))
    assert doubled == 6 and ":1: ModuleNotFoundError" in err and err.count("\n") == 1


def test_after_an_error_of_another_kind_nothing_is_called_although_a_module_was_missing(load, tmp_path):
    load(f"import no_such_module\nx = 1 / 0\nopen({str(tmp_path / 'written')!r}, 'w')\n{DOUBLE}")
    assert not (tmp_path / "written").exists()


def test_a_file_that_defines_nothing_is_its_error(load, tmp_path):
    with pytest.raises(StudentError, match=r"hw\.py:1: FileNotFoundError: .*'input\.csv': run this where that file is"):
        load("text = open('input.csv').read()\n")


def test_the_cells_of_a_notebook_are_run_on_where_one_trains(load):
    cells = [{"cell_type": "code", "source": [text]} for text in ("while True: pass", "train()", DOUBLE)]
    doubled, err = load(f'{{"cells": {cells}}}'.replace("'", '"'), "hw.ipynb")
    assert doubled == 6 and "TooLong" in err


def test_a_file_imports_from_a_folder_above_by_its_name_even_without_init(load, tmp_path):
    package = tmp_path / "course" / "parts"
    (package / "inner").mkdir(parents=True)
    (package / "inner" / "helper_above.py").write_text("def twice(x): return 2 * x\n")
    modules = set(sys.modules)
    text = f"from course.parts.inner.helper_above import twice\n{DOUBLE.replace('2 * x', 'twice(x)')}"
    assert load(text, "course/parts/hw.py") == (6, "")
    assert not [name for name in set(sys.modules) - modules if name.startswith("course")]


def test_a_file_of_a_package_imports_its_neighbours_both_ways(load, tmp_path):
    package = tmp_path / "course" / "parts"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text("")
    (package / "helper.py").write_text("def twice(x): return 2 * x\n")
    for line in ("from .helper import twice", "from course.parts.helper import twice", "from helper import twice"):
        assert load(f"{line}\n{DOUBLE.replace('2 * x', 'twice(x)')}", "course/parts/hw.py") == (6, "")
    assert not {"course", "course.parts", "helper"} & set(sys.modules)


def test_python_2_that_cannot_be_rewritten_is_called_by_its_name(load):
    with pytest.raises(StudentError, match="this is Python 2"):
        load("print 'hello'\ndef first((a, b)): return a\n")


@pytest.mark.few(1)
@pytest.mark.parametrize("command", ["lines hw.py", "gradcheck hw.py", "step hw.py:double"])
def test_all_commands_that_take_a_file_look_at_it(quick, tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hw.py").write_text(f"from tinyrnn import LSTM\n{DOUBLE}\ndouble = LSTM(2, 3)\nwhile True:\n    pass\n")
    main(command.split())
    assert "TooLong" in capsys.readouterr().err


# the time limit -------------------------------------------------------------------------------------------------------


def test_what_is_quick_is_not_broken_off_and_the_timer_is_put_back():
    before = signal.getsignal(signal.SIGALRM)
    with cut_off(5):
        np.ones(3)
    assert signal.getsignal(signal.SIGALRM) is before and signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_of_two_limits_the_outer_one_decides():
    with pytest.raises(TooLong, match=r"0\.2 s"), cut_off(0.2), cut_off(50):
        time.sleep(20)


def test_a_measurement_of_coverage_is_not_broken_off_while_it_holds_its_lock():
    measuring = {"__name__": "coverage.collector", "monotonic": time.monotonic, "unlocked": []}
    exec("def lock():\n  began = monotonic()\n  while monotonic() < began + 0.5: pass\n  unlocked.append(1)", measuring)
    with pytest.raises(TooLong), cut_off(0.1):
        measuring["lock"]()
        while True:
            pass
    assert measuring["unlocked"]


def test_without_a_timer_signal_a_loop_is_broken_off_too(monkeypatch):
    monkeypatch.delattr(signal, "setitimer")
    monkeypatch.delattr(signal, "getitimer")
    with pytest.raises(TooLong), cut_off(0.2):
        while True:
            pass
    with pytest.raises(KeyboardInterrupt), cut_off(50):
        raise KeyboardInterrupt  # somebody's own


def test_in_other_threads_there_is_no_limit():
    done = []

    def work():
        with cut_off(0.01):
            time.sleep(0.05)
        done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done


def test_an_import_from_the_future_may_stand_in_the_middle_of_a_file(tmp_path):
    (tmp_path / "hw.py").write_text(
        "def f(x):\n    return x\nfrom __future__ import annotations\ndef g(x: X):\n    return x\n"
    )
    with loaded(tmp_path / "hw.py") as module:
        assert module.f(1) == module.g(1) == 1
