"""Of what was handed in, only the files asked for are read, and a submission that cannot be read has a reason."""

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
    (found,) = handed_in(tiny(2), folder)
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
    assert read_one(tmp_path).problem == "ex2_after.py is a link, not a file"


def test_a_link_in_place_of_a_zip_is_not_followed(tmp_path):
    zipped(tmp_path / "elsewhere", ("ex2_after.py", "x = 1"))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ada.zip").symlink_to(tmp_path / "elsewhere")
    assert read_one(tmp_path / "in").problem == "it is a link, not a file"


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
