"""What a wheel holds, and that it is enough: an installed package needs no clone."""

import os
import re
import runpy
import subprocess
import sys
import zipfile
from email import message_from_string

import pytest

import tinyrnn as tr
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


def test_the_lecture_that_verdicts_recommend_is_in_a_wheel(wheel):
    assert wheel["tinyrnn/pages/by_hand.md"] == (REPOSITORY / "lectures" / "by_hand.md").read_bytes()


# what a package index shows -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def metadata(wheel):
    (text,) = (content for name, content in wheel.items() if name.endswith(".dist-info/METADATA"))
    return message_from_string(text.decode("utf-8"))


def test_the_version_is_the_packages(metadata):
    assert metadata["Version"] == tr.__version__


def test_every_link_of_the_description_leads_somewhere_from_anywhere(metadata):
    """Links within the page aside; those into the repository lead to a file of it, and pictures to their bytes."""
    source = dict(url.split(", ") for url in metadata.get_all("Project-URL"))["Source"]
    prose = re.sub(r"^```.*?^```$", "", metadata.get_payload(), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r'(!?)\[[^\]]*\]\(([^)]+)\)|<(img)?[^>]*(?:src|href)="([^"]+)"', prose)
    links = [(bool(mark or tag), target or other) for mark, target, tag, other in links]
    assert any(target.startswith(source) for _, target in links)
    for picture, target in links:
        assert target.startswith(("https://", "#")), target
        if target.startswith(source):
            kind, _, path = target.removeprefix(f"{source}/").partition("/HEAD/")
            assert kind == ("raw" if picture else "blob"), target
            assert (REPOSITORY / path.partition("#")[0]).exists(), target


def test_links_are_made_absolute_and_nothing_else_is_changed(tmp_path):
    (tmp_path / "a.md").write_text("")
    (tmp_path / "b.png").write_bytes(b"")
    absolute = runpy.run_path(str(REPOSITORY / "hatch_build.py"))["absolute"]
    page = '[a](a.md#x) ![b](b.png) <img src="b.png" width="9"> [c](https://c.org) [d](#d) `f[0](x)` [gone](gone.md)'
    assert absolute(page, "https://h.org/r", tmp_path) == (
        "[a](https://h.org/r/blob/HEAD/a.md#x) ![b](https://h.org/r/raw/HEAD/b.png) "
        '<img src="https://h.org/r/raw/HEAD/b.png" width="9"> [c](https://c.org) [d](#d) `f[0](x)` [gone](gone.md)'
    )


# what an installed package can do -------------------------------------------------------------------------------------


@pytest.fixture
def installed(wheel, tmp_path):
    """A function that runs `tinyrnn` from the wheel alone, in an empty folder: the finished process."""
    for name, content in wheel.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    desk = tmp_path / "desk"
    desk.mkdir()

    def run(*words):
        return subprocess.run(
            [sys.executable, "-c", f"{WHERE}sys.exit(tinyrnn.commands.main.main())", *words],
            cwd=desk,
            env={**os.environ, "PYTHONPATH": str(tmp_path / "site"), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            encoding="utf-8",
        )

    run.desk = desk
    return run


WHERE = """import os, sys, tinyrnn.commands.main
assert tinyrnn.__file__.startswith(os.environ["PYTHONPATH"]), tinyrnn.__file__
"""


@pytest.mark.slow
def test_a_student_needs_nothing_but_the_wheel(installed):
    assert "wrote ex2_elman.py" in installed("start", "2").stdout
    given = (installed.desk / "ex2_elman.py").read_text(encoding="utf-8")
    assert given.encode() == texts(ROOT / "2_elman")["skeleton.py"]
    assert "0 of 100 points" in installed("check", "2").stdout
    assert "hint 1 of 3" in installed("hint", "2").stdout
    (installed.desk / "ex2_elman.py").write_bytes((ROOT / "2_elman" / "master.py").read_bytes())
    (installed.desk / "ex1_numbers.py").write_bytes((ROOT / "1_numbers" / "master.py").read_bytes())
    checked = installed("check", "2")
    assert checked.returncode == 0 and "All public checks are right" in checked.stdout, checked.stdout + checked.stderr
    assert "hand in this file" in installed("submit", "2").stdout


@pytest.mark.slow
def test_what_a_verdict_recommends_can_be_read(installed):
    (installed.desk / "wrong.py").write_bytes((REPOSITORY / "lectures" / "wrong_lstm.py").read_bytes())
    judged = installed("lines", "wrong.py")
    words = re.search(r"\(tinyrnn (read \S+)\)", judged.stdout)[1].split()
    assert installed(*words).stdout.startswith(re.search(r"lecture section: (.+?) \(", judged.stdout)[1])


@pytest.mark.slow
@pytest.mark.parametrize("words", [("verify",), ("verify", "3"), ("build",), ("export", "gradescope", "3")])
def test_what_takes_masters_says_so_in_a_line(installed, words):
    told = installed("teach", *words)
    assert told.returncode == 2
    assert re.fullmatch(r"tinyrnn: there are no exercises in .+; masters are in the repository, .+\n", told.stderr)
