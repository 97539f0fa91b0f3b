"""What differs on Windows and macOS, imitated: no file is flushed that was opened for reading, there is no `resource`,
no TERM, no signal masks, and text is cp1252 unless somebody says otherwise."""

import ast
import builtins
import importlib
import io
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import tinyrnn
from tinyrnn.commands.main import main
from tinyrnn.core import files, terminal
from tinyrnn.figures import laes_mnist
from tinyrnn.training import workers

SOURCES = sorted(Path(tinyrnn.__file__).parent.rglob("*.py"))
POSIX_ONLY = {"curses", "fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty", "_posixsubprocess"}


@pytest.fixture
def fsync_of_windows(monkeypatch):
    """Refuses files that are not open for writing; counts the others."""
    fcntl = pytest.importorskip("fcntl", reason="this is such a system")
    flushed = []

    def fsync(descriptor):
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(9, "Bad file descriptor")
        flushed.append(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    return flushed


def test_files_are_flushed_where_only_what_is_open_for_writing_can_be(fsync_of_windows, tmp_path):
    files.write_json(tmp_path / "settings.json", {"name": "√ and ‖"})
    files.write_arrays(tmp_path / "arrays", {"W": np.ones(3)})
    assert files.read_json(tmp_path / "settings.json") == {"name": "√ and ‖"}
    assert len(fsync_of_windows) == 2


def test_a_figure_counts_its_memory_where_the_system_does_and_works_where_it_does_not(monkeypatch):
    if "resource" in sys.builtin_module_names or importlib.util.find_spec("resource"):
        (megabytes,) = laes_mnist.whole_process().values()
        assert megabytes > 10
    without(monkeypatch, "resource")
    assert laes_mnist.whole_process() == {}


def without(monkeypatch, *names):
    """These modules cannot be imported."""
    real = builtins.__import__

    def refusing(name, *args, **kwargs):
        if name in names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refusing)


def test_no_module_needs_at_its_import_what_windows_does_not_have():
    found = []
    for path in SOURCES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            found += [f"{path.name}:{node.lineno}: {name}" for name in names if name.split(".")[0] in POSIX_ONLY]
    assert len(SOURCES) > 100 and found == []


def test_workers_start_where_there_are_no_signal_masks_and_no_tracker(monkeypatch):
    def missing():
        raise ModuleNotFoundError("No module named '_posixsubprocess'")

    class Idle(workers.Processes):
        def __init__(self):
            self.blocks, self.pipes, self.processes = [], [], []

    monkeypatch.setattr(workers.resource_tracker, "ensure_running", missing)
    monkeypatch.delattr("signal.pthread_sigmask", raising=False)
    with Idle() as idle, workers.without_ctrl_c():
        assert idle.processes == []


@pytest.mark.parametrize(
    "system, term, expected",
    [("win32", None, True), ("linux", None, False), ("linux", "dumb", False), ("linux", "xterm", True)],
)
def test_a_terminal_that_does_not_say_what_it_is_is_one_on_windows_only(system, term, expected, monkeypatch):
    monkeypatch.setattr(terminal.sys, "platform", system)
    for stream in ("stdin", "stdout"):
        monkeypatch.setattr(f"sys.{stream}", Terminal())
    monkeypatch.delenv("TERM", raising=False)
    if term is not None:
        monkeypatch.setenv("TERM", term)
    assert terminal.is_terminal() is expected
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert not terminal.is_terminal()


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Stream(io.TextIOWrapper):
    def __init__(self, encoding, is_terminal):
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)
        self.is_terminal = is_terminal

    def isatty(self):
        return self.is_terminal

    @property
    def written(self):
        return self.buffer.getvalue()


def test_what_an_old_encoding_lacks_is_written_all_the_same(monkeypatch):
    console, pipe = Stream("cp1252", True), Stream("cp1252", False)
    monkeypatch.setattr("sys.stdout", console)
    monkeypatch.setattr("sys.stderr", pipe)
    terminal.take_every_letter()
    for stream in (console, pipe):
        stream.write("‖dh‖ ≤ √2 é")
    assert console.written == "?dh? ? ?2 é".encode("cp1252")
    assert pipe.written == "‖dh‖ ≤ √2 é".encode()


def test_the_command_line_speaks_of_roots_on_every_system(monkeypatch):
    stdout = Stream("cp1252", False)
    monkeypatch.setattr("sys.stdout", stdout)
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    print("√ and ‖")
    assert "√ and ‖" in stdout.written.decode()


def test_text_that_is_utf8_already_is_left_alone(monkeypatch):
    stdout = Stream("utf-8", False)
    monkeypatch.setattr("sys.stdout", stdout)
    monkeypatch.setattr(stdout, "reconfigure", lambda **options: pytest.fail("changed"), raising=False)
    terminal.take_every_letter()


# text files ----------------------------------------------------------------------------------------------------------


def unspecified(tree):
    """The lines on which a text file is opened, or a program is listened to, in an encoding that the system chooses."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            owner = getattr(getattr(node.func, "value", None), "id", "")
            given = {keyword.arg for keyword in node.keywords}
            modes = [a.value for a in node.args[:2] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            is_open = (name == "open" and isinstance(node.func, ast.Name)) or (owner, name) == ("os", "fdopen")
            is_text = (
                (name == "read_text" and not node.args)
                or (name == "write_text" and len(node.args) < 2)
                or (is_open and not any("b" in mode for mode in modes))
                or (owner == "subprocess" and given & {"text", "universal_newlines"})
            )
            if is_text and "encoding" not in given:
                yield node.lineno


@pytest.mark.parametrize(
    "line, expected",
    [
        ("p.read_text()", [1]),
        ("p.write_text(text)", [1]),
        ("open(name)", [1]),
        ("open(name, 'w')", [1]),
        ("subprocess.run(words, text=True)", [1]),
        ("p.read_text(encoding='utf-8')", []),
        ("open(name, 'rb')", []),
        ("os.open(name, flags)", []),
        ("subprocess.run(words)", []),
    ],
)
def test_an_encoding_that_is_not_named_is_noticed(line, expected):
    assert list(unspecified(ast.parse(line))) == expected


def test_every_text_file_names_its_encoding():
    found = [f"{path}:{line}" for path in SOURCES for line in unspecified(ast.parse(path.read_text(encoding="utf-8")))]
    assert found == []
