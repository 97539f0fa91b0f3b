"""The five documents by command: every row has a command or a name that there is, or says what is missing."""

import functools
import importlib
import re
from pathlib import Path

import pytest

import tinyrnn as tr
from tinyrnn.cells import CELLS
from tinyrnn.commands.main import make_parser
from tinyrnn.figures import ANALYSES
from tinyrnn.reproductions import REPRODUCTIONS

PAGE = (Path(__file__).resolve().parents[1] / "lectures" / "by_command.md").read_text("utf-8")
ROWS = [line.split(" | ") for line in PAGE.splitlines() if re.match(r"\| (?!there)", line)]
PARSER = functools.cache(make_parser)
CODE = sorted(set(re.findall(r"`([^`]+)`", "\n".join(row[2] for row in ROWS))))


def test_all_that_the_documents_have_is_there():
    parts = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    rows = [len(re.findall(r"^\| (?!there)", part, flags=re.MULTILINE)) for part in parts]
    assert rows == [32, 42, 35, 23, 26]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1][:40])
def test_a_row_has_a_command_or_a_name_or_says_what_is_missing(row):
    assert len(row) == 3
    by = row[2].removesuffix(" |")
    assert re.search(r"`(tinyrnn|tr\.)", by) or re.match(r"missing: .{9,}", by)


@pytest.mark.parametrize("code", CODE)
def test_what_a_row_names_exists(code):
    if code.startswith("tr."):
        found = tr
        for name in code.split(".")[1:]:
            found = getattr(found, name, None) or importlib.import_module(f"{found.__name__}.{name}")
        return
    words = code.split()
    if words[0] != "tinyrnn":
        assert code in {*CELLS, *ANALYSES, "tinyrnn"} or words[0].startswith("--")
    elif words[1:2] == ["analyse"]:
        assert words[2] in ANALYSES
    elif words[1:2] == ["reproduce"]:
        assert words[2] in REPRODUCTIONS
    elif len(words) > 2:
        assert PARSER().parse_args(words[1:])
