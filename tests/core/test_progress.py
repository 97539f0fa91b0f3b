"""Progress: on a terminal the bar that tqdm draws; in a file a plain line per tenth, and nothing that a program was
told not to show."""

import io
import re
import time

import pytest

from tinyrnn.core.progress import Bar, said_if_slow


class Stream(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


@pytest.fixture
def shown(monkeypatch):
    """A function: is it a terminal? -> what stderr has got, from now on."""

    def stderr(terminal):
        stream = Stream(terminal)
        monkeypatch.setattr("sys.stderr", stream)
        return stream

    return stderr


def test_a_file_gets_a_line_per_tenth(shown):
    stderr = shown(False)
    with Bar(total=200, desc="copy lstm", unit="update", mininterval=0, miniters=1) as bar:
        for k in range(200):
            bar.set_postfix_str(f"loss {k}", refresh=False)
            bar.update()
    lines = stderr.getvalue().splitlines()
    assert [line.split(",")[0] for line in lines] == [f"copy lstm: {n} of 200 updates" for n in range(20, 201, 20)]
    assert lines[0].endswith("00:00, loss 19") and "\r" not in stderr.getvalue()


@pytest.mark.parametrize(("unit", "units"), [("step", "steps"), ("entry", "entries"), ("analysis", "analyses")])
def test_many_are_told_in_the_plural(shown, unit, units):
    stderr = shown(False)
    assert list(Bar(range(3), desc="done", unit=unit, mininterval=100)) == [0, 1, 2]
    assert stderr.getvalue() == f"done: 3 of 3 {units}, 00:00\n"


def test_quick_work_gets_one_line_when_it_is_done(shown):
    stderr = shown(False)
    assert list(Bar(range(1000), desc="rows", mininterval=100)) == list(range(1000))
    assert stderr.getvalue() == "rows: 1000 of 1000, 00:00\n"


def test_a_bar_that_vanishes_and_one_for_terminals_only_leave_nothing_in_a_file(shown):
    stderr = shown(False)
    for options in ({"leave": False, "mininterval": 100}, {"disable": None}, {"disable": True}):
        assert list(Bar(range(50), **options)) == list(range(50))
    assert stderr.getvalue() == ""


def test_work_that_was_begun_earlier_or_fails_is_not_told_twice_or_as_done(shown):
    stderr = shown(False)
    with pytest.raises(ZeroDivisionError), Bar(total=100, initial=50, mininterval=0, miniters=1) as bar:
        bar.update(10)
        raise ZeroDivisionError
    assert [line.split(",")[0] for line in stderr.getvalue().splitlines()] == ["done: 60 of 100"]


def test_without_a_total_nothing_is_said_of_tenths(shown):
    stderr = shown(False)
    assert list(Bar(iter(range(50)), mininterval=0, miniters=1)) == list(range(50))
    assert stderr.getvalue() == ""


def test_what_counts_by_itself_may_set_how_much_is_done(shown):
    stderr = shown(False)
    with Bar(total=10, unit="update") as bar:
        for bar.n in (0, 3, 3, 10):
            bar.refresh()
    assert [line.split(",")[0] for line in stderr.getvalue().splitlines()] == [
        "done: 3 of 10 updates",
        "done: 10 of 10 updates",
    ]


def test_on_a_terminal_it_is_tqdms_own(shown):
    stderr = shown(True)
    list(Bar(range(10), desc="rows"))
    assert re.search(r"\rrows: 100%\|#+\| 10/10 \[", stderr.getvalue())


@pytest.mark.parametrize("terminal", [True, False])
def test_time_within_a_pause_does_not_count(shown, terminal, monkeypatch):
    shown(terminal)
    clock = [100.0]
    monkeypatch.setattr("time.time", lambda: clock[0])
    with Bar(total=4) as bar:
        bar._time = lambda: clock[0]
        bar.start_t = bar.last_print_t = clock[0]
        clock[0] += 2
        bar.update(1)
        with bar.paused():
            clock[0] += 50
        clock[0] += 2
        bar.update(1)
        assert bar.format_dict["elapsed"] == 4
    with Bar(total=4, disable=True) as silent, silent.paused():
        silent.update()


def test_what_takes_long_says_so_now_and_then(capsys):
    with said_if_slow("judging hw.py", after=0.01, every=0.01):
        time.sleep(0.2)
    first, *rest = capsys.readouterr().err.splitlines()
    assert first == "judging hw.py takes long: 0 s so far (Ctrl-C stops)" and rest


def test_what_is_quick_says_nothing_of_how_long_it_takes(capsys):
    with said_if_slow("judging hw.py", after=60.0):
        pass
    assert capsys.readouterr().err == ""
