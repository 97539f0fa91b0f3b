"""The public programs for the line verdicts hang together: subjects, mistakes, sources and sets name each other.

None of their files is needed here; once fetched, `benchmarks/public_lines/verify.py` checks the programs themselves.
"""

import collections
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.public_lines import SUBJECTS  # noqa: E402
from benchmarks.public_lines.lot import HALVES, SETS, half_of  # noqa: E402
from benchmarks.public_lines.programs import MISTAKES, SOURCES  # noqa: E402


def test_every_mistake_is_planted_in_a_subject_and_no_two_subjects_share_a_name():
    names = collections.Counter(f"{subject.program}: {subject.name}" for subject in SUBJECTS)
    assert set(names.values()) == {1}
    assert set(MISTAKES) <= set(names)


def test_every_file_that_is_taken_is_among_the_sources():
    taken = {(subject.program, part.path) for subject in SUBJECTS for part in subject.parts}
    assert taken <= {(program, path) for program, source in SOURCES.items() for path in source["files"]}


def test_every_program_is_in_one_set_and_every_set_that_is_held_out_has_mistakes():
    assert len(SETS) == len(set(SETS))
    assert {subject.program for subject in SUBJECTS} == set(SETS)
    with_mistakes = {half_of(subject.program) for subject in SUBJECTS if subject.mistakes}
    assert {half for half in HALVES if "held out" in half} <= with_mistakes
