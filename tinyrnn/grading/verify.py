"""Marks what ought to get nothing, everything or something, and says where an exercise does not keep its word.

Of every exercise: the skeleton gets nothing; the masters of this one and earlier ones get everything, twice the same
to the byte; every known mistake loses points in a public case and is called by its name by what students have, and
costs nothing in tasks that do not wait for the one it is in; another right solution gets everything; and `inspection`
finds nothing. Each of these is marked as a submission is, in the sandbox.
"""

import multiprocessing
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from sys import stderr

from tinyrnn.core.progress import Bar
from tinyrnn.grading import verified
from tinyrnn.grading.answers import mistaken
from tinyrnn.grading.build import masters, parts, without_data
from tinyrnn.grading.exercise import Exercise, exercise, exercises
from tinyrnn.grading.inspection import inspect, master_text, one_line, statics
from tinyrnn.grading.marking import mark
from tinyrnn.grading.skeleton import blocks, skeleton

ORDER = ("inspect", "skeleton", "master", "twice", "other")  # and then known mistakes, one by one
FIRST_MISTAKE = len(ORDER)
SECRETS = ("for the first drawing of hidden cases", "for another")
UNLIKE = "the same submission, graded twice, got two different results"


class GradedBytes(str):
    """Not a finding: the bytes that a grading of the master gave, which another one has to give as well."""


@dataclass(frozen=True)
class Verified:
    """What `verify` found. findings: lines of text, in the order of the exercises. checked: folder names. runs: number
    of submissions that were marked. kept: folder names of those that have not changed since all was well."""

    checked: tuple
    runs: int
    findings: tuple
    kept: tuple = ()

    @property
    def ok(self):
        """Whether there are no findings."""
        return not self.findings

    def __str__(self):
        lines = list(self.findings)
        if self.kept:
            lines.append(f"{', '.join(self.kept)}: unchanged since all was well (--again verifies them all the same)")
        if self.checked:
            told = f"{', '.join(self.checked)}: {self.runs} submissions marked, "
            lines.append(told + (f"{len(self.findings)} findings" if self.findings else "all is well"))
        return "\n".join(lines)


def verify(root, numbers=None, *, jobs=1, progress=False, known=None, static=False, sample=None):
    """Checks the exercises in a folder of the teacher's. Returns a `Verified`.

    numbers: numbers or names of those to check; None: all. jobs: processes at a time. progress: say on stderr what is
    found without marking, before marking begins, and how far that is. known: a file of what was found to be well
    before, which is not checked again and is added to. static: mark nothing. sample: of the known mistakes and other
    right solutions of each exercise mark about so many, evenly spread; None: all. ValueError if there are no such
    exercises; whatever is wrong with one is a finding.
    """
    if jobs < 1 or (sample is not None and sample < 1):
        raise ValueError(f"jobs and sample must be at least 1, not {min(jobs, sample or jobs)}")
    masters(root)
    chosen = [exercise(which, root) for which in dict.fromkeys(numbers)] if numbers else masters(root)
    chosen = sorted({each.number: each for each in chosen}.values(), key=lambda each: each.number)
    masters(root, chosen[-1].number)
    keys = {each.number: verified.key(each, sample) for each in chosen}
    kept = [each for each in chosen if not static and verified.holds(known, keys[each.number])]
    chosen = [each for each in chosen if each not in kept]
    findings, work = [], []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "masters")  # so that nothing written to them meanwhile confuses anything
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns("__pycache__"))
        for each in [Exercise(copy / each.folder.name) for each in chosen]:
            first = statics(each)
            findings += [(each.number, 0, text) for text in (first if static else statics(each, making=False))]
            if progress:
                print(*(f"{each.folder.name}: {text}" for text in first), sep="\n", end="\n" * bool(first), file=stderr)
            try:
                work += [] if static else prepared(each, Path(folder, "handed_out"), sample)
            except Exception as error:  # broken as a whole: its other findings would say the same again
                found = first or [one_line(error).removeprefix(f"{each.folder.name}: ")]
                findings += [(each.number, 0, text) for text in found]
        wrong = set()  # exercises whose master is: of its mistakes everything would be found to be wrong
        results = {}  # number -> of gradings of the master that have nothing in common but the submission: the bytes
        for (number, order, _, _, kind, _), found in done(work, jobs, progress):
            results.setdefault(number, set()).update(text for text in found if isinstance(text, GradedBytes))
            found = [text for text in found if not isinstance(text, GradedBytes)]
            findings += [(number, order, text) for text in found]
            wrong |= {number} if kind == "master" and found else set()
        findings += [(number, ORDER.index("twice"), UNLIKE) for number, texts in results.items() if len(texts) > 1]
    findings = [each for each in findings if each[0] not in wrong or each[1] < FIRST_MISTAKE]
    called = {each.number: each.folder.name for each in chosen}
    told = dict.fromkeys(f"{called[number]}: {text}" for number, _, text in sorted(findings))
    well = {number for number in called if not static} - {number for number, _, _ in findings}
    verified.keep(known, [keys[number] for number in well])
    marked_ones, before = sum(each[4] in MARKED for each in work), tuple(each.folder.name for each in kept)
    return Verified(tuple(called.values()), marked_ones, tuple(told), before)


def prepared(one, folder, sample=None):
    """What is to be marked of one exercise: (number, order, master's folder, folder handed out, kind, index) each. What
    is handed out of it is made in `folder`. First come the findings of `inspection`, which take no marking."""
    files = parts(one)
    for earlier in exercises(one.folder.parent):  # which must be known, for their files to count as such
        if earlier.number < one.number:
            (folder / earlier.folder.name).mkdir(parents=True, exist_ok=True)
            shutil.copy(earlier.folder / "checks.py", folder / earlier.folder.name)
    out = folder / one.folder.name
    out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (out / name).write_bytes(content)
    kinds = [(kind, 0) for kind in ORDER]
    every = range(len(one.mistakes))
    chosen = every[:: max(1, len(every) // sample)] if sample else every
    kinds += [("accepted" if one.mistakes[k].accepted else "mistake", k) for k in chosen]
    return [(one.number, order, str(one.folder), str(out), *kind) for order, kind in enumerate(kinds)]


def done(work, jobs, progress):
    """(what was to be done, findings) of all work, as it is finished."""
    bar = Bar(total=len(work), desc="marking", unit="", disable=not progress, leave=False)
    with bar:
        if jobs == 1:
            for each in work:
                yield each, checked(each)
                bar.update()
            return
        # Started anew, not forked: the children must not inherit threads of numerical libraries.
        pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
        try:
            futures = {pool.submit(checked, each): each for each in sorted(work, key=lambda each: -each[0])}
            for future in as_completed(futures):
                yield futures[future], future.result()
                bar.update()
        finally:
            pool.shutdown(cancel_futures=True)


def checked(work):
    """The findings of one piece of work."""
    _, _, master, out, kind, index = work
    try:
        with nullcontext() if kind == "other" else without_data():  # as the numbers handed out were made
            return KINDS[kind](opened(master), opened(out), index)
    except Exception as error:
        return [f"{kind}: {one_line(error)}"]


@cache
def opened(folder):
    """The `Exercise` in a folder; the same one each time, as it keeps the masters' answers."""
    return Exercise(Path(folder))


# kinds ----------------------------------------------------------------------------------------------------------------


def inspected(one, out, index):
    """Findings of `inspect` on the exercise and what is handed out of it."""
    files = {path.name: path.read_bytes() for path in out.folder.iterdir() if path.is_file()}
    texts = {}
    for each in exercises(one.folder.parent):
        if each.is_master:
            try:
                blocks(master_text(each))
            except ValueError:  # which is a finding of that exercise
                continue
            texts[each.folder.name] = master_text(each)
    return inspect(one, files, texts)


def skeleton_gets_nothing(one, out, index):
    """Findings where the skeleton gets points, or a task of it is anything but missing or waiting."""
    marks = marked(one, skeleton(master_text(one)), secret=SECRETS[0])
    if marks.crashed:
        return crashes("the skeleton", marks)
    found = [f"the skeleton gets {marks.points:g} points, not 0"] if marks.points else []
    for task in marks.tasks:
        if task.status not in ("missing", "waiting"):
            found.append(f"{task.name}: the skeleton is {task.status} in it: {task.message or 'its function is there'}")
    return found


def master_gets_all(one, out, index):
    """Findings where the master does not get everything, by itself or else by what is handed out; the `GradedBytes`."""
    marks = marked(one, master_text(one), secret=SECRETS[0])
    found = all_points("the master", marks)
    found = found or all_points("the master, by what is handed out,", marked(out, master_text(one), earlier=one))
    return [*found, GradedBytes(marks.to_json())]


def master_twice(one, out, index):
    """The `GradedBytes` of another grading, which has nothing in common with the first but the submission."""
    return [GradedBytes(marked(Exercise(one.folder), master_text(one), secret=SECRETS[0]).to_json())]


def master_elsewhere(one, out, index):
    """Other hidden cases, and with the data files that this machine has."""
    marks = marked(Exercise(one.folder), master_text(one), secret=SECRETS[1])
    return all_points("with other hidden cases the master", marks)


def accepted(one, out, index):
    """Findings where another right solution, the mistake number `index`, does not get everything."""
    other = one.mistakes[index]
    marks = marked(one, mistaken(master_text(one), other), secret=SECRETS[0])
    return all_points(f"{other.name}, which is to be accepted,", marks)


def mistake_is_named(one, out, index):
    """Findings where known mistake number `index` costs nothing, is not named, or costs points in other tasks."""
    mistake = one.mistakes[index]
    marks = marked(out, mistaken(master_text(one), mistake), earlier=one, feedback=True)
    if marks.crashed:
        return crashes(f"mistake {mistake.name}", marks)
    own, found = marks.task(mistake.task), []
    if own.right_in_public:
        return [f"mistake {mistake.name}: it is right in every public case of {mistake.task}"]
    if own.status == "waiting":
        return [f"mistake {mistake.name}: {mistake.task} {own.message}, in which it is wrong already"]
    if own.mistake is None:
        why = own.message or "its numbers are those of no known mistake"
        found.append(f"mistake {mistake.name}: it is not named ({why})")
    elif own.mistake["name"] != mistake.name:
        found.append(f"mistake {mistake.name}: it is taken for {own.mistake['name']}")
    elif own.mistake["title"] != mistake.title:
        found.append(f"mistake {mistake.name}: another one gives the same numbers: {own.mistake['title']}")
    waiting = depending(one, mistake.task)
    for task in marks.tasks:
        if task.name not in waiting and task.status != "waiting" and not task.right_in_public:
            said = task.message or (task.findings[0].message if task.findings else task.status)
            where = f"{task.name}, which does not wait for {mistake.task}"
            found.append(f"mistake {mistake.name}: it costs points in {where}: {said}")
    return found


KINDS = {
    "inspect": inspected,
    "skeleton": skeleton_gets_nothing,
    "master": master_gets_all,
    "twice": master_twice,
    "other": master_elsewhere,
    "accepted": accepted,
    "mistake": mistake_is_named,
}


MARKED = KINDS.keys() - {"inspect"}


# shared ---------------------------------------------------------------------------------------------------------------


def marked(one, text, *, earlier=None, secret=None, feedback=False):
    """The `Marks` of a submission: `text`, with the masters of earlier exercises and nothing else. earlier: the
    exercise, of the teacher's, that says where these are; by default `one` itself."""
    from tinyrnn.grading.sandbox.sandbox import Sandbox

    class Quiet(Sandbox):
        """Without line verdicts, which take a second and are no matter of points."""

        @staticmethod
        def line_verdicts(*args, **kwargs):
            return None

    files = {
        each.file: master_text(each)
        for each in masters((earlier or one).folder.parent, one.number)
        if each.number < one.number
    }
    files[one.file] = text
    return mark(one, files, secret=secret, hidden=secret is not None, feedback=feedback, sandbox=Quiet)


def all_points(whose, marks):
    """Findings of marks that are not all right; whose: how they begin."""
    if marks.crashed:
        return crashes(whose, marks)
    found = []
    for task in marks.tasks:
        if task.status != "right":
            said = task.message or (task.findings[0].message if task.findings else "")
            found.append(f"{whose} is {task.status} in {task.name}: {said}")
    if marks.points != marks.possible and not found:
        found.append(f"{whose} gets {marks.points:g} of {marks.possible:g} points")
    return found


def crashes(whose, marks):
    """Findings of marks in which the grader crashed, one for each place."""
    told = [marks.problem, *(f"{task.name}: {task.message}" for task in marks.tasks if task.status == "crashed")]
    return [f"{whose} makes the grader crash: {text}" for text in told if text]


def depending(one, name):
    """A task and all that wait for it, at once or in turn."""
    found = {name}
    for task in one.tasks.values():
        if found & set(task.after):
            found.add(task.name)
    return found
