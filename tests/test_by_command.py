"""The five documents by command: every row has a command or a name that there is, a test of it, and how far it goes."""

import functools
import importlib
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

import tinyrnn as tr
from tinyrnn.cells import CELLS
from tinyrnn.commands.main import make_parser
from tinyrnn.commands.train import settings_of
from tinyrnn.figures import ANALYSES
from tinyrnn.reproductions import REPRODUCTIONS
from tinyrnn.training.trainer import Trainer

PAGE = (Path(__file__).resolve().parents[1] / "lectures" / "by_command.md").read_text("utf-8")
ROWS = [line.split(" | ") for line in PAGE.splitlines() if re.match(r"\| (?!there)", line)]
PARSER = functools.cache(make_parser)
CODE = sorted(set(re.findall(r"`([^`]+)`", "\n".join(row[2] for row in ROWS))))
TESTS = Path(__file__).resolve().parent
DATA = {"mnist": "mnist", "ptb-word": "ptb", "ptb-char": "ptb", "enwik8": "text", "car-racing": "car-racing"}


def test_all_that_the_documents_have_is_there():
    parts = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    rows = [len(re.findall(r"^\| (?!there)", part, flags=re.MULTILINE)) for part in parts]
    assert rows == [32, 42, 35, 23, 26]
    some = sum(row[-1].startswith("in part") for row in ROWS)
    assert f"{sum(rows) - some} work, {some} are there in part." in PAGE


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1][:40])
def test_a_row_has_a_command_or_a_name_a_test_of_it_and_how_far_it_goes(row):
    assert len(row) == 5
    *_, by, tested, now = (part.removesuffix(" |") for part in row)
    assert re.search(r"`(tinyrnn|tr\.)", by)
    assert re.fullmatch(r"works(; .{9,})?|in part: .{9,}|not here: .{9,}", now)
    file, _, name = tested.strip("`").partition("::")
    assert re.search(rf"^def {name}\(", (TESTS / file).read_text("utf-8"), re.MULTILINE), tested


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
    elif len(words) > 2:
        args = PARSER().parse_args(words[1:])
        assert words[1] != "reproduce" or args.name in REPRODUCTIONS


@pytest.mark.slow
@pytest.mark.parametrize("code", [code for code in CODE if code.startswith("tinyrnn train ")])
def test_every_network_that_a_row_trains_makes_an_update(code, request):
    task = code.split()[2]
    if task in DATA:
        folder = request.getfixturevalue("data_dir")
        if not (folder / DATA[task]).exists():
            pytest.skip(f"needs real data: there is no {DATA[task]} in {folder}")
    settings = settings_of(PARSER().parse_args(code.split()[1:]))
    loss, norm, _ = Trainer(replace(settings, threads=1), None).update()
    assert math.isfinite(loss) and norm > 0
