"""Of what was handed in, only the files asked for are read, and a submission that cannot be read has a reason."""

import json
import os
import zipfile

import pytest
from tiny_work import tiny

from tinyrnn.grading.classroom.handed_in import LARGEST, file_name, handed_in


def zipped(path, *entries):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in entries:
            archive.writestr(name, text)


def read_one(folder):
    (found,), _ = handed_in(tiny(2), folder)
    return found


def test_only_the_files_asked_for_are_read(tmp_path):
    names = ("ex1_tiny.py", "ex2_after.py", "ex3_more.py", "numpy.py", "conftest.py", "a.dist-info/entry_points.txt")
    zipped(tmp_path / "ada.zip", *((name, "x = 1\r\n") for name in names), ("__MACOSX/ex2_after.py", "y"))
    assert read_one(tmp_path).files == {"ex1_tiny.py": "x = 1\n", "ex2_after.py": "x = 1\n"}


def test_a_zip_inside_a_folder_is_read_as_learning_platforms_pack_them(tmp_path):
    (tmp_path / "Ada Lovelace_17_file").mkdir()
    zipped(tmp_path / "Ada Lovelace_17_file" / "hand in.zip", ("ex2_after.py", "x = 1"))
    assert read_one(tmp_path).files == {"ex2_after.py": "x = 1"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_is_there_twice_is_not_chosen_from(tmp_path):
    zipped(tmp_path / "ada.zip", ("ex2_after.py", "x = 1"), ("ex2_after.py", "x = 2"))
    assert read_one(tmp_path).problem == "ex2_after.py is in it 2 times"


def test_a_file_at_the_top_counts_before_one_further_down(tmp_path):
    zipped(tmp_path / "ada.zip", ("old/ex2_after.py", "x = 1"), ("ex2_after.py", "x = 2"))
    assert read_one(tmp_path).files == {"ex2_after.py": "x = 2"}


def test_a_packed_giant_is_not_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "ada.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ex2_after.py", b"#" * (LARGEST + 1))
    assert read_one(tmp_path).problem == "ex2_after.py is larger than 1 MB"


def test_text_that_is_no_text_is_left_to_the_sandbox(tmp_path):
    zipped(tmp_path / "ada.zip", ("ex2_after.py", b"\xff\xfe\x00"))
    assert read_one(tmp_path).files == {"ex2_after.py": b"\xff\xfe\x00"}


def test_a_pipe_is_not_waited_for(tmp_path):
    (tmp_path / "ada").mkdir()
    os.mkfifo(tmp_path / "ada" / "ex2_after.py")
    assert read_one(tmp_path).problem == "ex2_after.py is a link or the like, not a file"


def test_a_link_in_place_of_a_zip_is_not_followed(tmp_path):
    zipped(tmp_path / "elsewhere", ("ex2_after.py", "x = 1"))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ada.zip").symlink_to(tmp_path / "elsewhere")
    assert read_one(tmp_path / "in").problem == "it is a link or the like, not a file"


def test_an_encrypted_zip_is_a_problem_of_its_own(tmp_path):
    zipped(tmp_path / "ada.zip", ("ex2_after.py", "x = 1"))
    data = bytearray((tmp_path / "ada.zip").read_bytes())
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    (tmp_path / "ada.zip").write_bytes(data)
    assert "cannot be read" in read_one(tmp_path).problem


def test_students_get_files_of_their_own_whatever_their_names():
    names = [
        "ada",
        "Ada Lovelace",
        "a/b",
        "a%2fb",
        "..",
        ".",
        "-x",
        "x\n",
        "x",
        "é",
        "\udcff",
        "n" * 300,
        "n" * 299,
        "字" * 85,
    ]
    files = [file_name(name) for name in names]
    assert len(set(files)) == len(names)
    assert not any(
        set(name) & set('/\\\n:*?"<>|') or name.startswith((".", "-")) or len(name.encode()) > 100 for name in files
    )


CODE = "def run(x):\n    return x\n"


def notebook(*cells):
    made = [{"cell_type": kind, "source": text.splitlines(keepends=True)} for kind, text in cells]
    return json.dumps({"cells": made, "nbformat": 4})


@pytest.mark.parametrize(
    ("entry", "student", "id"),
    [
        ("Jane Doe_4711_assignsubmission_file_", "Jane Doe", "4711"),
        ("Jane Doe_4711_assignsubmission_file_ex2_after.py", "Jane Doe", "4711"),
        ("doejane_12345_67890_ex2_after.py", "doejane", "12345"),
        ("doejane_LATE_12345_67890_ex2_after-1.py", "doejane", "12345"),
        ("doejane_12345_67890_homework.zip", "doejane", "12345"),
        ("submission_999", "submission_999", "999"),
        ("jane_ex2_after.py", "jane", ""),
        ("jane - ex2_after (2).ipynb", "jane", ""),
        ("jane.py", "jane", ""),
    ],
)
def test_names_as_platforms_write_them_say_whose_a_submission_is(tmp_path, entry, student, id):
    path = tmp_path / entry
    if entry.endswith(".zip"):
        zipped(path, ("ex2_after.py", CODE))
    elif entry.endswith(".py"):
        path.write_text(CODE)
    elif entry.endswith(".ipynb"):
        path.write_text(notebook(("code", CODE)))
    else:
        path.mkdir()
        (path / "ex2_after.py").write_text(CODE)
    found = read_one(tmp_path)
    assert (found.student, found.id, found.late) == (student, id, "LATE" in entry)
    assert CODE in found.files["ex2_after.py"] and not found.problem
    assert found.time == pytest.approx(path.stat().st_mtime, abs=5)


@pytest.mark.parametrize(
    "name",
    ["ex2_after (1).py", "ex2_after-2.py", "EX2_After.py", "jane_ex2_after.py", "ex2_after copy.py", "my homework.py"],
)
def test_a_file_with_nearly_the_right_name_or_the_right_functions_is_taken_and_said_to_be(tmp_path, name):
    zipped(
        tmp_path / "jane.zip", (f"work/{name}", CODE), ("work/notes.py", "x = 1"), ("work/test_ex2_after.py", CODE[:0])
    )
    found = read_one(tmp_path)
    assert found.files == {"ex2_after.py": CODE}
    assert found.notes[0] == f"{name} was taken for ex2_after.py"


def test_where_two_could_be_meant_none_is_chosen(tmp_path):
    zipped(tmp_path / "jane.zip", ("ex2_after (1).py", CODE), ("ex2_after (2).py", CODE))
    assert "which one?" in read_one(tmp_path).problem


def test_another_copy_that_is_not_read_is_said(tmp_path):
    zipped(tmp_path / "jane.zip", ("ex2_after.py", CODE), ("ex2_after (1).py", "x = 1"))
    assert read_one(tmp_path).notes == ("not read: ex2_after (1).py",)


def test_the_code_cells_of_a_notebook_are_the_submission(tmp_path):
    cells = (
        ("markdown", "# my homework\ndef not_code(): pass"),
        ("code", "%load_ext tinyrnn\n!pip install x\nimport numpy as np"),
        ("code", "%%tinyrnn 2\ndef run(x):\n    return x"),
        ("code", "%%bash\nrm -rf /"),
    )
    (tmp_path / "jane").mkdir()
    (tmp_path / "jane" / "ex2_after.ipynb").write_text(notebook(*cells))
    found = read_one(tmp_path)
    text = found.files["ex2_after.py"]
    names = {}
    exec(compile(text, "ex2_after.py", "exec"), names)
    assert names["run"](3) == 3 and "not_code" not in text and "# rm -rf /" in text
    assert found.notes == ("ex2_after.ipynb was taken for ex2_after.py",)


def test_a_broken_notebook_is_a_problem_of_its_own(tmp_path):
    for text in ("{", '{"cells": null}', "[" * 300_000):
        (tmp_path / "ex2_after.ipynb").write_text(text)
        told = "the notebook cannot be read: ex2_after.ipynb is damaged, or is none"
        assert read_one(tmp_path).problem == told


def test_what_is_no_submission_is_listed_with_the_reason(tmp_path):
    (tmp_path / "jane").mkdir()
    for name in ("list.csv", ".DS_Store", "essay.pdf"):
        (tmp_path / name).write_text("x")
    found, others = handed_in(tiny(2), tmp_path)
    assert [each.problem for each in found] == ["it is empty"]
    assert [name for name, _ in others] == [".DS_Store", "essay.pdf", "list.csv"]
    assert all(reason for _, reason in others)


def test_two_of_one_name_with_ids_are_two_students(tmp_path):
    for id in (1, 2):
        (tmp_path / f"Jane Doe_{id}_assignsubmission_file").mkdir()
    found, _ = handed_in(tiny(2), tmp_path)
    assert [each.student for each in found] == ["Jane Doe 1", "Jane Doe 2"]
