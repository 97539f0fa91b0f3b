"""The terminal view in a real terminal: tmux shows what stands on the screen, and types."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tinyrnn.stepping.screen import KEYS


class Terminal:
    """A tmux of its own with one program in it."""

    def __init__(self, command, folder, width=80, height=24, **environment):
        self.socket = str(folder / "tmux")
        variables = {"PATH": os.environ["PATH"], "OPENBLAS_NUM_THREADS": "1", **environment}
        words = ["env", *(f"{name}={value}" for name, value in variables.items()), *command]
        line = f"{shlex.join(words)}; echo status $?; sleep 60"
        size = ["-x", str(width), "-y", str(height)]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-c", str(folder), *size, line)

    def tmux(self, *arguments):
        made = subprocess.run(["tmux", "-S", self.socket, *arguments], capture_output=True, text=True, check=True)
        return made.stdout

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def wait_for(self, text, seconds=60, colours=False):
        """The screen, once the text stands on it."""
        end = time.monotonic() + seconds
        while True:
            shown = self.tmux("capture-pane", "-p", *(["-e"] if colours else []))
            if text in shown:
                return shown
            assert time.monotonic() < end, f"no {text!r} on the screen:\n{shown}"
            time.sleep(0.05)


@pytest.fixture
def terminal(tmp_path):
    if shutil.which("tmux") is None:
        pytest.skip("needs tmux, a terminal that a program can read")
    opened = []

    def open_terminal(line, **options):
        opened.append(Terminal([sys.executable, "-m", "tinyrnn", *shlex.split(line)], tmp_path, **options))
        return opened[-1]

    yield open_terminal
    for each in opened:
        subprocess.run(["tmux", "-S", each.socket, "kill-server"], check=False)


ROOT = Path(__file__).parents[2]
WRONG_FILE = ROOT / "lectures" / "wrong_elman.py"


@pytest.mark.slow
def test_in_a_real_terminal_of_80_by_24_a_planted_mistake_is_found_by_keys(terminal):
    screen = terminal(f"step {WRONG_FILE} --time 3")
    first = screen.wait_for("WRONG: ")  # it opens there
    assert first.splitlines()[0].startswith(" backward, t = 2")
    screen.press("f")
    first = screen.wait_for("line 1 of ")
    assert first.splitlines()[0].startswith(" forward, t = 0") and KEYS in first
    screen.press("b")
    screen.wait_for("backward, t = 2")
    screen.press("t")
    screen.wait_for("backward, t = 1")
    screen.press("Down", "Down")
    screen.press("g")
    screen.wait_for("go to:")
    screen.press("backward t=2 wrong", "Enter")
    found = screen.wait_for("WRONG: ")
    assert "da = dh * (1 - h)" in next(line for line in found.splitlines() if line.startswith(">"))
    assert max(map(len, found.splitlines())) <= 80 and "numerical gradient" in found
    screen.press("d")
    screen.wait_for("weight gradients, summed from the last step down to t = 2")
    screen.press("?")
    screen.wait_for("Places, for g and --until")
    screen.press("Escape")
    screen.wait_for("WRONG: ")
    screen.press("q")
    assert "status 0" in screen.wait_for("status ")


@pytest.mark.slow
def test_the_view_follows_the_size_of_the_terminal(terminal):
    screen = terminal("step lstm --time 2 --until 'backward da'")
    screen.wait_for("columns 0-5 of 12")
    screen.tmux("resize-window", "-x", "180", "-y", "40")
    wide = screen.wait_for("numerical gradient")
    end = time.monotonic() + 30
    while "columns 0-5" in wide and time.monotonic() < end:
        wide = screen.wait_for("numerical gradient")
    assert "columns" not in wide and max(map(len, wide.splitlines())) > 100
    screen.tmux("resize-window", "-x", "30", "-y", "8")
    screen.press("n")
    screen.wait_for("? help  q quit")
    screen.press("C-c")
    assert "status 0" in screen.wait_for("status ")


@pytest.mark.slow
@pytest.mark.parametrize("colours", [True, False])
def test_colours_are_shown_unless_they_are_not_wanted(terminal, colours):
    screen = terminal("step elman --time 2", **({} if colours else {"NO_COLOR": "1"}))
    shown = screen.wait_for("gradient arriving", colours=True)
    assert ("\x1b[34m" in shown or "\x1b[31m" in shown) == colours
    screen.press("q")


@pytest.mark.slow
def test_without_a_terminal_that_can_be_drawn_on_one_line_says_what_to_do(terminal):
    screen = terminal("step elman --time 2", TERM="dumb")
    shown = screen.wait_for("status ")
    assert shown.splitlines()[0].startswith("tinyrnn: the view needs a terminal") and "status 2" in shown


@pytest.fixture
def handed_in(tmp_path):
    """A folder with a whole exercise 3 in it, one line of which is wrong."""
    solved = (ROOT / "exercises" / "3_gates" / "master.py").read_text(encoding="utf-8")
    wrong = solved.replace("df = dc * (c_prev - g)", "df = dc * c_prev")
    assert wrong != solved
    (tmp_path / "ex3_gates.py").write_text(wrong, encoding="utf-8")


@pytest.mark.slow
def test_from_a_check_one_key_steps_through_the_wrong_function(terminal, handed_in):
    screen = terminal("check 3 --task coupled_step_backward", width=120, height=60)
    screen.wait_for("s: step through them now")
    screen.press("s")
    found = screen.wait_for("WRONG: ")  # it opens there
    assert "df = dc * c_prev" in next(line for line in found.splitlines() if line.startswith(">"))
    screen.press("q")
    left = screen.wait_for("status 1")
    assert "known mistake" in left and "any other key" not in left


@pytest.mark.slow
@pytest.mark.parametrize("key", ["Enter", "C-c"])
def test_any_other_key_ends_a_check_with_its_status(terminal, handed_in, key):
    screen = terminal("check 3 --task coupled_step_backward", width=120, height=60)
    screen.wait_for("s: step through them now")
    screen.press(key)
    assert "any other key" not in screen.wait_for("status 1")


@pytest.mark.slow
def test_a_check_whose_output_goes_on_to_a_program_waits_for_no_key(terminal, handed_in):
    screen = terminal("check 3 --task coupled_step_backward --json", width=120, height=60)
    screen.wait_for("status 1")
