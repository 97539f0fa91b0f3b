"""What a file opens: found where its author had it, and a text that is nowhere is made up."""

import builtins
import io
import os
import sys

import numpy as np
import pytest

from tinyrnn.sources.opening import TEXT
from tinyrnn.sources.user_file import StudentError, loaded


@pytest.fixture
def load(tmp_path, capsys, monkeypatch):
    """Writes a file to a folder and loads it from another one; returns (what its f() returns, what was said)."""
    for folder in ("program", "elsewhere", "elsewhere/data"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    def load(text, file="program/hw.py", name="f"):
        (tmp_path / file).write_text(text if name is None or "def f()" in text else f"{text}\ndef f(): return got\n")
        with loaded(f"../{file}") as module:
            return module.f(), capsys.readouterr().err

    return load


READS = {
    "a text": ("input.txt", "got = open('input.txt', 'r').read()"),
    "with an encoding": ("input.txt", "with open('input.txt', encoding='utf-8') as file:\n    got = file.read()"),
    "lines": ("data/names.txt", "got = ''.join(open('data/names.txt').readlines())"),
    "a place of another machine": ("/no/such/folder/input.txt", "got = open('/no/such/folder/input.txt').read()"),
    "a path": ("input.txt", "from pathlib import Path\ngot = Path('input.txt').read_text()"),
    "an opened path": ("input", "from pathlib import Path\nwith Path('input').open() as file:\n    got = file.read()"),
    "with a codec": ("input.txt", "import codecs\ngot = codecs.open('input.txt', 'r', 'utf8').read()"),
    "when a function is called": ("input.txt", "def f(): return open('input.txt').read()"),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("path, text", READS.values(), ids=READS)
def test_a_text_that_is_not_there_is_made_up_and_that_is_said_once(load, path, text):
    got, err = load(text)
    assert got == TEXT and err.count("\n") == 1
    assert f"there is no file {path}: a made-up text" in err


def test_the_made_up_text_has_few_characters_in_several_lines():
    assert 250 < len(TEXT) < 400 and len(set(TEXT)) <= 22 and TEXT.count("\n") > 10


REFUSED = {
    "a table": "open('data.csv').read()",
    "settings": "open('settings.json').read()",
    "code": "open('layers.py').read()",
    "bytes": "open('input.txt', 'rb').read()",
    "to be written, too": "open('input.txt', 'r+').read()",
    "no name": "open('').read()",
    "by a library": "numpy.loadtxt('input.txt')",
}


@pytest.mark.few(3)
@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_for_anything_but_a_text_nothing_stands_in(load, call):
    with pytest.raises(StudentError, match="FileNotFoundError"):
        load(f"import numpy\ngot = {call}", name=None)


def test_a_file_is_read_from_its_own_folder_and_from_where_the_user_is(load, tmp_path):
    (tmp_path / "program" / "own.txt").write_text("own")
    (tmp_path / "elsewhere" / "data" / "there.txt").write_text("there")
    read = "    with open('own.txt') as own, open('data/there.txt') as there:\n        "
    assert load(f"if True:\n{read}got = own.read() + there.read()") == ("ownthere", "")
    assert load(f"def f():\n{read}return own.read() + there.read()") == ("ownthere", "")


def test_arrays_are_read_from_where_the_user_is_too(load, tmp_path):
    np.save(tmp_path / "elsewhere" / "data" / "x.npy", np.ones(2))
    assert load("import numpy\ngot = numpy.load('data/x.npy').tolist()") == ([1, 1], "")


def test_afterwards_all_is_as_before(load, tmp_path):
    before = os.getcwd(), list(sys.path), builtins.open, io.open
    load("import os, sys\nos.chdir('..')\nsys.path.append('..')\ngot = 1")
    assert before == (os.getcwd(), list(sys.path), builtins.open, io.open)
    with pytest.raises(FileNotFoundError):
        open("input.txt")


def test_what_a_file_puts_on_the_path_counts_from_its_folder_also_later(load, tmp_path):
    (tmp_path / "shared_above").mkdir()
    (tmp_path / "shared_above" / "value.py").write_text("value = 3")
    begin = "import sys\nsys.path.append('..')\n"
    assert load(f"{begin}from shared_above.value import value as got") == (3, "")
    assert load(f"{begin}def f():\n    from shared_above.value import value\n    return value") == (3, "")
    assert not [name for name in sys.modules if name.startswith("shared_above")]


def test_the_same_relative_folder_is_another_one_for_another_file(load, tmp_path):
    for number, folder in enumerate(("first", "second")):
        (tmp_path / folder / "inner").mkdir(parents=True)
        (tmp_path / folder / "which_folder.py").write_text(f"number = {number}")
        text = "import sys\nsys.path.insert(0, '..')\nfrom which_folder import number as got"
        assert load(text, f"{folder}/inner/hw.py") == (number, "")


def test_a_file_finds_itself(load, tmp_path):
    (tmp_path / "program" / "own.csv").write_text("own")
    text = "import os, sys\nfor path in (__file__, sys.argv[0]):\n"
    text += "    with open(os.path.join(os.path.dirname(path), 'own.csv')) as file: got = file.read()"
    assert load(text) == ("own", "")
