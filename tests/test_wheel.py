"""What a wheel holds, and that it is enough: an installed package needs no clone."""

import zipfile

import pytest

from tinyrnn.grading.build import PUBLIC, ROOT, masters
from tinyrnn.grading.skeleton import texts

REPOSITORY = ROOT.parent
wheel_builder = pytest.importorskip("hatchling.builders.wheel")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The files of a wheel built from this repository: name -> bytes."""
    (path,) = wheel_builder.WheelBuilder(str(REPOSITORY)).build(
        directory=str(tmp_path_factory.mktemp("wheel")), versions=["standard"]
    )
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_wheel_has_of_every_exercise_what_is_handed_out_and_nothing_else(wheel):
    inside = "tinyrnn/exercises_data/"
    expected = {}
    for each in masters():
        files = texts(each.folder) | {path.name: path.read_bytes() for path in (each.folder / PUBLIC).iterdir()}
        expected |= {f"{inside}{each.folder.name}/{name}": content for name, content in files.items()}
    assert {name: content for name, content in wheel.items() if name.startswith(inside)} == expected


def test_a_wheel_has_the_package_and_no_file_that_only_teachers_have(wheel):
    assert {name.split("/")[0].split("-")[0] for name in wheel} == {"tinyrnn"}
    for each in masters():
        for name in "master.py", "mistakes.py", "hidden.py":
            assert (each.folder / name).read_bytes() not in wheel.values()
