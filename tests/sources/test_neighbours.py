"""Modules beside a file that do more than define functions, or lack something."""

import sys

import pytest

from tinyrnn.sources.user_file import StudentError, loaded

USES = "from helper_beside import twice\ndef double(x): return twice(x)\n"
TWICE = "def twice(x): return 2 * x\n"


@pytest.fixture
def load(tmp_path, capsys):
    """Writes a file and the module beside it; returns (what the file's double(3) returns, what was said on stderr)."""

    def load(helper, text=USES):
        (tmp_path / "hw.py").write_text(text)
        (tmp_path / "helper_beside.py").write_text(helper)
        with loaded(tmp_path / "hw.py") as module:
            return module.double(3), capsys.readouterr().err

    return load


def test_a_module_that_a_neighbour_lacks_costs_nothing_but_what_needs_it(load):
    doubled, err = load(f"import no_such_module\n{TWICE}")
    assert doubled == 6 and "helper_beside.py:1: ModuleNotFoundError" in err and err.count("\n") == 1


def test_what_a_neighbour_lacks_is_told_of_its_own_line_if_it_defines_nothing(load):
    with pytest.raises(
        StudentError, match=r"helper_beside\.py:1: ModuleNotFoundError: No module named 'no_such_module'"
    ):
        load("import no_such_module\n", "import helper_beside\n")


def test_a_wrong_line_in_a_neighbour_is_told_with_its_place(load):
    with pytest.raises(StudentError, match=r"helper_beside\.py:2: SyntaxError"):
        load(f"{TWICE.strip()}\ndef def\n", "import helper_beside\n")


def test_a_neighbour_is_python_2_too(load):
    doubled, err = load(f"{TWICE}print twice(1)\n")
    assert doubled == 6 and "helper_beside.py:2, print twice(1): this is Python 2" in err


def test_neighbours_imported_later_are_loaded_in_the_same_way(load):
    doubled, err = load(
        f"import no_such_module\n{TWICE}",
        USES.replace("from", "if 0: pass\n#").replace("return", "from helper_beside import twice; return"),
    )
    assert doubled == 6 and "no_such_module" in err


def test_afterwards_modules_are_found_as_before(load):
    before = list(sys.meta_path)
    load(TWICE)
    assert sys.meta_path == before and "helper_beside" not in sys.modules
