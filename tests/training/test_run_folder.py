"""A run on disk: a file is the old one or the new one, and what cannot be read is said in one line."""

import json
import os
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyrnn.core import files
from tinyrnn.core.files import checksum, read_json, write_arrays, write_atomically, write_json
from tinyrnn.training import run_folder
from tinyrnn.training.run_folder import RunFolder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_in_one_move(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def write(temporary):
        temporary.write_text("new")
        assert path.read_text() == "old"
        assert temporary.parent == tmp_path and temporary.suffix == ".txt"  # same disk; writers look at the suffix

    write_atomically(path, write)
    assert path.read_text() == "new" and names(tmp_path) == ["a.txt"]


def test_a_writer_that_fails_halfway_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def write(temporary):
        temporary.write_text("ne")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, write)
    assert path.read_text() == "old" and names(tmp_path) == ["a.txt"]


def test_a_file_is_on_disk_before_it_gets_its_name(tmp_path, monkeypatch):
    events = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(files.os, "fsync", lambda file: (events.append("flush"), fsync(file)))
    monkeypatch.setattr(files.os, "replace", lambda *paths: (events.append("rename"), replace(*paths)))
    write_json(tmp_path / "a.json", {})
    assert events == ["flush", "rename"]


def test_json_comes_back_as_it_was(tmp_path):
    value = {"lr": 1e-3, "options": {"delay": None, "marks": "halves"}, "list": [1, 2.5, "θ"]}
    write_json(tmp_path / "a.json", value)
    assert read_json(tmp_path / "a.json") == value


def test_nan_is_no_json_and_leaves_the_old_file(tmp_path):
    write_json(tmp_path / "a.json", {"loss": 1})
    with pytest.raises(ValueError, match="nan"):
        write_json(tmp_path / "a.json", {"loss": float("nan")})
    assert read_json(tmp_path / "a.json") == {"loss": 1} and names(tmp_path) == ["a.json"]


def test_damaged_json_is_an_error_of_one_line(tmp_path):
    (tmp_path / "a.json").write_text('{\n"step": 3,\n')
    with pytest.raises(ValueError, match=r"a\.json is damaged: ") as error:
        read_json(tmp_path / "a.json")
    assert "\n" not in str(error.value)


ARRAYS = {
    "weights": np.arange(6, dtype="float32").reshape(2, 3),
    "transposed": np.arange(6.0).reshape(2, 3).T,
    "every second": np.arange(6)[::2],
    "scalar": np.array(3, dtype=np.int64),
    "empty": np.zeros((0, 4)),
}


def same(one, other):
    return one.keys() == other.keys() and all(
        one[k].dtype == other[k].dtype and one[k].shape == other[k].shape and np.array_equal(one[k], other[k])
        for k in one
    )


def test_a_checkpoint_comes_back_to_the_bit_whatever_the_arrays_shape_and_strides(tmp_path):
    run = RunFolder(tmp_path)
    run.save_checkpoint(7, ARRAYS, {"seed": 1})
    record, arrays = run.load_checkpoint()
    assert (record["step"], record["seed"]) == (7, 1)
    assert same(arrays, ARRAYS)


def test_a_new_checkpoint_takes_the_place_of_the_old_one(tmp_path):
    run = RunFolder(tmp_path)
    run.save_checkpoint(7, ARRAYS, {})
    run.save_checkpoint(8, {"weights": np.ones(2)}, {})
    record, arrays = run.load_checkpoint()
    assert record["step"] == 8 and same(arrays, {"weights": np.ones(2)})
    assert names(tmp_path) == ["checkpoint-00000008.safetensors", "checkpoint.json"]


def test_a_checkpoint_that_fails_leaves_the_one_before(tmp_path, monkeypatch):
    run = RunFolder(tmp_path)
    run.save_checkpoint(7, ARRAYS, {})

    def full(path, value):
        raise OSError("disk full")

    monkeypatch.setattr(run_folder, "write_json", full)
    with pytest.raises(OSError, match="disk full"):
        run.save_checkpoint(8, {"weights": np.ones(2)}, {})
    record, arrays = run.load_checkpoint()
    assert record["step"] == 7 and same(arrays, ARRAYS)


@settings(max_examples=200)
@given(
    file=st.sampled_from(["arrays", "checkpoint.json"]), place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7)
)
def test_one_flipped_bit_anywhere_in_a_checkpoint_is_an_error_of_one_line(file, place, bit, kept_checkpoint):
    run = kept_checkpoint
    path = run.path / (json.loads(run.checkpoint.read_text())["arrays"] if file == "arrays" else file)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[int(place * len(whole))] ^= 1 << bit
    path.write_bytes(flipped)
    try:
        with pytest.raises(ValueError, match=r"damaged|not 'tinyrnn-checkpoint'|has version") as error:
            run.load_checkpoint()
    finally:
        path.write_bytes(whole)
    assert "\n" not in str(error.value) and str(run.path) in str(error.value)
    run.load_checkpoint()


@pytest.fixture(scope="module")
def kept_checkpoint(tmp_path_factory):
    run = RunFolder(tmp_path_factory.mktemp("run"))
    run.save_checkpoint(7, ARRAYS, {"seed": 1, "seconds": 0.1})
    return run


def test_a_checkpoint_from_before_there_were_versions_is_read(tmp_path):
    run = RunFolder(tmp_path)
    run.save_checkpoint(7, ARRAYS, {"seed": 1})
    old = {name: value for name, value in read_json(run.checkpoint).items() if name in ("step", "arrays", "seed")}
    write_json(run.checkpoint, old)
    record, arrays = run.load_checkpoint()
    assert record == old and same(arrays, ARRAYS)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"version": 2},
            "checkpoint.json has version 2 of the format tinyrnn-checkpoint; this tinyrnn knows them up to 1",
        ),
        ({"version": "1"}, "checkpoint.json has version '1' of the format"),
        ({"format": "other"}, "checkpoint.json is of the format 'other', not 'tinyrnn-checkpoint'"),
    ],
)
def test_a_newer_or_foreign_checkpoint_says_so_and_is_not_called_damaged(changes, message, tmp_path):
    run = RunFolder(tmp_path)
    run.save_checkpoint(7, ARRAYS, {})
    write_json(run.checkpoint, read_json(run.checkpoint) | changes)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        run.load_checkpoint()
    assert "damaged" not in str(error.value)


@given(st.dictionaries(st.text(), st.integers() | st.floats(allow_nan=False) | st.text() | st.none()))
def test_a_records_checksum_is_the_same_after_a_journey_through_a_file_in_any_order(record):
    again = json.loads(json.dumps(dict(reversed(record.items())), indent=2))
    assert checksum(again) == checksum(record) != checksum({**record, "one more": len(record)})


def test_a_folder_without_a_checkpoint_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="has no checkpoint to resume from"):
        RunFolder(tmp_path).load_checkpoint()


def test_arrays_are_readable_by_whoever_may_read_other_files(tmp_path):
    write_arrays(tmp_path / "a.safetensors", ARRAYS)
    (tmp_path / "a.txt").write_text("")
    assert (tmp_path / "a.safetensors").stat().st_mode == (tmp_path / "a.txt").stat().st_mode


def with_log(folder, text):
    run = RunFolder(folder)
    run.log.write_text(text)
    return run


ROWS = [{"step": 10, "loss": 0.5}, {"step": 20, "loss": 0.1 + 0.2}, {"step": 30, "loss": 1e-300}]
LINES = [json.dumps(row) + "\n" for row in ROWS]


def test_appended_rows_come_back_exactly(tmp_path):
    run = RunFolder(tmp_path)
    for row in ROWS:
        run.append(row)
    assert run.rows() == ROWS


@pytest.mark.parametrize("length", range(1, len(LINES[2]) - 1))
def test_a_last_line_cut_anywhere_is_left_out(length, tmp_path):
    assert with_log(tmp_path, "".join(LINES[:2]) + LINES[2][:length]).rows() == ROWS[:2]


def test_a_line_damaged_in_the_middle_costs_no_other_line(tmp_path):
    assert with_log(tmp_path, LINES[0] + LINES[1][:9] + "\n" + LINES[2]).rows() == [ROWS[0], ROWS[2]]


def test_no_log_has_no_rows(tmp_path):
    assert RunFolder(tmp_path).rows() == []


def test_rewinding_drops_later_rows_the_cut_line_and_unfinished_files(tmp_path):
    run = with_log(tmp_path, "".join(LINES)[:-3])
    (tmp_path / ".unfinished-17-checkpoint.json").write_text("{")
    (tmp_path / "notes.txt").write_text("mine")
    run.rewind(10)
    assert run.log.read_text() == LINES[0]
    run.append(ROWS[1])
    assert run.rows() == ROWS[:2]
    assert names(tmp_path) == ["log.jsonl", "notes.txt"]


def test_a_new_run_creates_its_folder_and_saves_its_settings(tmp_path):
    run = RunFolder(tmp_path / "runs" / "first")
    assert not (tmp_path / "runs").exists()
    run.start({"cell": "lstm"})
    assert read_json(run.settings) == {"cell": "lstm"} and run.rows() == []


@pytest.mark.parametrize("file", ["settings.json", "log.jsonl"])
def test_a_new_run_overwrites_nothing(file, tmp_path):
    (tmp_path / file).write_text("mine")
    with pytest.raises(FileExistsError, match=r"already holds a run: use --resume .*, or another --out"):
        RunFolder(tmp_path).start({"cell": "lstm"})
    assert names(tmp_path) == [file] and (tmp_path / file).read_text() == "mine"


def test_a_run_may_go_into_an_existing_folder_with_other_files(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    RunFolder(tmp_path).start({"cell": "lstm"})
    assert names(tmp_path) == ["notes.txt", "settings.json"]


@pytest.mark.parametrize("line", ['{"a": 1}', "[1]", '{"step": "2"}', "null"])
def test_a_line_of_the_log_without_its_step_is_said(tmp_path, line):
    with pytest.raises(ValueError, match=r"log.jsonl: line 2 is no row of a log") as raised:
        with_log(tmp_path, LINES[0] + line + "\n" + LINES[1]).rows()
    assert "\n" not in str(raised.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("name", ["checkpoint.json", "log.jsonl", "checkpoint-00000003.safetensors"])
def test_a_pipe_in_a_run_s_folder_is_not_waited_for(tmp_path, name):
    run = RunFolder(tmp_path)
    run.append(ROWS[0])
    run.save_checkpoint(3, {"w": np.zeros(2)}, {})
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(ValueError, match=f"{name} is no plain file"):
        run.load_checkpoint()
        run.rows()
