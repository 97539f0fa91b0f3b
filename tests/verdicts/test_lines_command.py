"""`tinyrnn lines`: what it prints and writes, its exit status, and one line for every mistake of its user."""

import html.parser
import json
import os
import shlex
import sys

import pytest
from students import OTHERS, copy_of_hands, write

from tinyrnn.cells import CELLS
from tinyrnn.commands.main import main

WRONG = "    df = dnext_c * prev_c\n", "    df = dnext_c * next_c\n"
KNOWN = "    dh = Why.T @ dy + dhnext", "    dh = Why.T @ dy"
SHORT = """
    def square_forward(x):
        y = 2 * x
        return y * y, y
    def square_backward(dout, y):
        dy = 2 * y * dout
        dx = 3 * dy
        return dx
    """
RIGHT = """
    def double_forward(x): return 2 * x, None
    def double_backward(dout, cache): return 2 * dout
    """


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Runs `tinyrnn lines …` in an empty folder; returns (exit status, stdout, stderr), without what is said where a
    busy machine makes it take long."""
    monkeypatch.chdir(tmp_path)

    def run(line):
        try:
            status = main(["lines", *shlex.split(line)])
        except SystemExit as exit:  # argparse
            status = exit.code
        out, err = capsys.readouterr()
        return status, out, "".join(line for line in err.splitlines(True) if " takes long: " not in line)

    return run


class Checker(html.parser.HTMLParser):
    """Checks that every element is closed in its turn."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


# what is right and what is wrong --------------------------------------------------------------------------------------


def test_a_right_cell_is_listed_and_the_status_is_0(run):
    status, out, err = run("lstm")
    assert (status, err) == (0, "")
    assert "df = dc * c_prev" in out and "WRONG" not in out and "\033" not in out


@pytest.mark.slow
def test_all_cells_take_one_line_each_where_they_are_right(run):
    status, out, err = run("all")
    assert (status, err) == (0, "")
    assert [line.split(":")[0] for line in out.splitlines()] == list(CELLS)
    assert all("all right" in line for line in out.splitlines())


def test_a_wrong_line_of_a_file_is_marked_and_explained_and_the_status_is_1(run, tmp_path):
    _, (number,) = copy_of_hands(tmp_path, "homework.py", WRONG)
    status, out, err = run("homework.py:lstm_step_backward")
    assert (status, err) == (1, "")
    (marked,) = [line for line in out.splitlines() if "WRONG" in line]
    assert marked.split()[:2] == [str(number), "WRONG"] and "df = dnext_c * next_c" in marked
    assert "df, the gradient of f:" in out


@pytest.mark.slow
def test_of_a_whole_file_only_what_is_wrong_is_listed(run, tmp_path):
    copy_of_hands(tmp_path, "homework.py", WRONG)
    status, out, _ = run("homework.py")
    assert status == 1
    assert "rnn: rnn_forward and rnn_backward: all" in out and "next_h**2" not in out
    assert out.count("WRONG") == 2  # by itself, and within the sequence


@pytest.mark.parametrize("name", ["lstm_step_forward", "lstm_step_backward"])
def test_either_function_of_a_pair_names_it(run, name):
    status, out, _ = run(f"{OTHERS / 'homework.py'}:{name}")
    assert status == 0 and "lstm_step_forward and lstm_step_backward" in out.splitlines()[0]


@pytest.mark.parametrize("name", ["RNN", "RNN.backward"])
def test_a_class_of_a_file_can_be_named(run, name):
    status, out, _ = run(f"{OTHERS / 'classes.py'}:{name}")
    assert status == 0 and "RNN.forward and RNN.backward" in out.splitlines()[0]


@pytest.mark.slow
def test_hints_are_given_only_when_asked_for(run, tmp_path):
    copy_of_hands(tmp_path, "inplace.py", KNOWN)
    _, plain, _ = run("inplace.py:rnn_backward")
    _, hinted, _ = run("inplace.py:rnn_backward --hint")
    assert "known mistake:" in plain and "hint, rnn_backward line" not in plain
    assert hinted.startswith(plain.rstrip()) and "hint, rnn_backward line" in hinted
    _, answered, _ = run("inplace.py:rnn_backward --hint 3")
    assert "`dh = Why.T @ dy + dhnext` puts it right" in answered and "puts it right" not in hinted
    assert "hint" not in run("elman --hint")[1]


def test_the_seed_decides_what_is_drawn(run, tmp_path):
    write(tmp_path, SHORT)
    first, again, other = (run(f"hw.py --seed {seed}")[1] for seed in (1, 1, 2))
    assert first == again != other


# other forms ----------------------------------------------------------------------------------------------------------


def test_json_is_the_report(run, tmp_path):
    write(tmp_path, SHORT)
    status, out, err = run("hw.py:square_backward --json")
    data = json.loads(out)
    assert (status, err) == (1, "") and data["ok"] is False
    assert [line["name"] for line in data["lines"] if line["verdict"] == "wrong"] == ["dx"]
    assert os.path.samefile(data["files"]["square_backward"], tmp_path / "hw.py")


@pytest.mark.slow
def test_json_of_a_whole_file_has_a_report_for_each_pair(run):
    several = json.loads(run(f"{OTHERS / 'inplace.py'} --json")[1])
    assert several["ok"] is True and len(several["reports"]) == 3


def test_html_is_a_whole_page_with_the_source_in_it(run, tmp_path):
    write(tmp_path, SHORT)
    status, out, _ = run("hw.py --html page.html")
    page = (tmp_path / "page.html").read_text()
    assert status == 1 and "WRONG" in out
    assert page.startswith("<!doctype html>") and "dx = 3 * dy" in page
    assert {"html", "head", "title", "body", "table"} <= Checker(page).seen
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hw.py", "page.html"]


def test_colour_is_for_terminals_that_want_it(run, monkeypatch, tmp_path):
    write(tmp_path, SHORT)
    line = "hw.py"
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    plain = run(line)[1]
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True)
    coloured = run(line)[1]
    assert "\033[31mWRONG\033[0m" in coloured and "\033[32mok\033[0m" in coloured
    assert plain == coloured.replace("\033[31m", "").replace("\033[32m", "").replace("\033[33m", "").replace(
        "\033[0m", ""
    )
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(line)[1] == plain


# a student's file -----------------------------------------------------------------------------------------------------


def test_a_file_is_loaded_with_its_neighbours_and_leaves_nothing_behind(run, tmp_path):
    (tmp_path / "there").mkdir()
    write(tmp_path / "there", "def twice(x): return 2 * x", "helper.py")
    text = """
        from helper import twice
        print("loading")
        def double_forward(x): return twice(x), None
        def double_backward(dout, cache): return twice(dout)
        if __name__ == "__main__":
            raise SystemExit("this is not to be run")
        """
    write(tmp_path / "there", text)
    path, modules = list(sys.path), set(sys.modules)
    status, out, err = run("there/hw.py")
    assert (status, err) == (0, "") and "loading" not in out
    assert sys.path == path and not {"hw", "helper"} & (set(sys.modules) - modules)
    assert sorted(p.name for p in (tmp_path / "there").iterdir()) == ["helper.py", "hw.py"]


def test_a_file_that_was_changed_is_read_anew(run, tmp_path):
    for factor, status in ((2, 0), (3, 1), (2, 0)):
        write(tmp_path, RIGHT.replace("2 * dout", f"{factor} * dout"))
        assert run("hw.py")[0] == status


FILES = {
    "hw.py:6, return x +: SyntaxError": "def one(x):\n    y = x\n    return x +\n",
    "hw.py:4: ModuleNotFoundError: No module named 'no_such_thing'": "import no_such_thing\n",
    "hw.py:5: ZeroDivisionError": "x = 1\ny = x / 0\n",
    "hw.py:4: SystemExit": "raise SystemExit('bye')\n",
    "hw.py:4: EOFError": "x = input('what? ')\n",
    "no functions found that belong together: define foo_forward": "x = 1\n",
    "no forward function for one_backward: it should be called one_forward or one": "def one_backward(dout): return 2",
    "hw.py:5, in one_forward: AttributeError": "def one_forward(x):\n    return x.foo\ndef one_backward(do): return 1",
    "no idea what to give one_forward as q": "def one_forward(q, r): return q\ndef one_backward(dout): return dout",
    "cannot tell what one_backward wants as z, q": (
        "def one_forward(x): return x\ndef one_backward(dout, z, q): return dout"
    ),
    "cannot tell what to give as dh_T: the last step of H is not returned by itself": (
        "def one_forward(x):\n    H = 2 * x\n    G = 3 * x\n    return H, G\n"
        "def one_backward(dH, dh_T):\n    dx = 2 * dH\n    dx[-1] += 2 * dh_T\n    return dx\n"
    ),
}


@pytest.mark.parametrize("message", FILES)
def test_a_mistake_outside_of_the_backward_pass_is_one_line_with_its_place(run, tmp_path, message):
    write(tmp_path, FILES[message])
    status, out, err = run("hw.py")
    assert (status, out) == (2, "")
    assert err.startswith("tinyrnn: ") and message in err and err.count("\n") == 1


def test_a_backward_pass_that_fails_is_a_finding_not_an_error(run, tmp_path):
    write(tmp_path, RIGHT.replace("return 2 * dout", "dx = dout.foo; return dx"))
    status, out, err = run("hw.py")
    assert (status, err) == (1, "") and "it raises AttributeError" in out


TARGETS = {
    "lstn": "there is no file lstn, and no part of tinyrnn is called 'lstn' (did you mean lstm?)",
    "missing.py": "there is no file missing.py",
    "missing.py:foo_backward": "there is no file missing.py",
    "folder": "folder is a folder",
    "notes.ipynb": "notes.ipynb is no notebook",
    "binary.py": "binary.py",
    "hw.py:duoble_backward": "there is no duoble_backward in hw.py, did you mean double_backward?",
    "hw.py --html nowhere/page.html": "there is no folder nowhere",
    "hw.py --html folder": "folder",
    "hw.py --seed x": "invalid int value",
}


@pytest.mark.parametrize("line", TARGETS)
def test_a_wrong_target_is_one_line(run, tmp_path, line):
    write(tmp_path, RIGHT)
    write(tmp_path, "", "notes.ipynb")
    (tmp_path / "binary.py").write_bytes(b"\x00\xff\x01")
    (tmp_path / "folder").mkdir()
    status, out, err = run(line)
    assert (status, out) == (2, "")
    assert TARGETS[line] in err.splitlines()[-1] and "Traceback" not in err


def test_a_learners_optimiser_is_compared_with_the_packages_own_by_its_name(run, tmp_path):
    body = """
    def adam(w, dw, config):
        config["t"] += 1
        config["m"] = config["beta1"] * config["m"] + (1 - config["beta1"]) * dw
        config["v"] = config["beta2"] * config["v"] + (1 - config["beta2"]) * dw**2
        mt = config["m"] / (1 - config["beta1"])
        vt = config["v"] / (1 - config["beta2"] ** config["t"])
        w = w - config["learning_rate"] * mt / (np.sqrt(vt) + config["epsilon"])
        return w, config
    """
    write(tmp_path, body, "mine.py")
    status, out, err = run("mine.py")
    assert (status, err) == (1, "")
    assert "1 wrong line" in out and "first-mean-corrected-without-the-power" in out
    power = 'mt = config["m"] / (1 - config["beta1"] ** config["t"])'
    write(tmp_path, body.replace('mt = config["m"] / (1 - config["beta1"])', power), "right.py")
    assert run("right.py:adam")[0] == 0
