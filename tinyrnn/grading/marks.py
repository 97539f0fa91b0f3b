"""What a submission got, as plain data: points in hundredths, so that sums add up exactly, and what is said of it.

The same submission gives the same bytes of `Marks.to_json`: nothing in it depends on when or where it was marked.
"""

import json
from dataclasses import asdict, dataclass, field

from tinyrnn.grading.task import Finding

FORMAT = 2
HALF = 50  # a half point, in hundredths
STATUSES = ("right", "partly", "wrong", "waiting", "missing", "crashed")
CRASHED = "0, grader crashed, tell staff"


@dataclass
class OutputMarks:
    """One output of a task. public, hidden: whether it is right in all cases of the kind; None: not run. cents: points
    for it in hundredths, by the hidden cases, or the public ones where no hidden ones were run; possible: of how many.
    """

    name: str
    public: bool | None = None
    hidden: bool | None = None
    cents: int = 0
    possible: int = 0


@dataclass
class TaskMarks:
    """One task.

    status: right (all outputs in all cases that were run), partly, wrong, waiting (for other tasks to be right),
    missing (not written yet), crashed (the grader did; the rest is marked as usual). message: what stands in the way of
    any result, in a line; for waiting, for what. findings: of the first public case in which something is wrong, what
    is. cases: "wrong in 1 of 3 public cases" or the like. lines: line verdicts. step: what to give `tinyrnn step` to
    see its lines run. mistake: {"name", "title"} of the known mistake whose numbers these are exactly, or None.
    partial: of several at a time, {"name", "title", "outputs"} of those that give the numbers of some outputs.
    fingerprint: of wrong numbers that no known mistake gives; equal for equal numbers. printed: what the student's code
    printed; not part of the JSON.
    """

    name: str
    title: str
    points: int
    status: str
    outputs: list = field(default_factory=list)
    why: str = ""
    section: str = ""
    after: list = field(default_factory=list)
    message: str = ""
    findings: list = field(default_factory=list)
    cases: str = ""
    lines: list = field(default_factory=list)
    step: str = ""
    mistake: dict | None = None
    partial: list = field(default_factory=list)
    fingerprint: str = ""
    practice: bool = False
    printed: str = ""

    @property
    def cents(self):
        """Hundredths of points of all outputs together."""
        return sum(output.cents for output in self.outputs)

    @property
    def right_in_public(self):
        """Whether there are outputs and all of them are right in the public cases."""
        return bool(self.outputs) and all(output.public for output in self.outputs)


@dataclass
class Marks:
    """One submission of one exercise.

    exercise: the folder's name, "3_gates". submission: SHA-256 of the submitted files, names and contents. hidden:
    whether hidden cases were run: then they alone give points. problem: what is wrong with the file as a
    whole, such as that it does not load. crashed: the grader did, somewhere; staff should look.
    """

    exercise: str
    number: int
    title: str
    file: str
    submission: str
    hidden: bool
    tasks: list = field(default_factory=list)
    problem: str = ""
    crashed: bool = False
    version: str = ""

    @property
    def points(self):
        """What the submission got, a float rounded to 0.01."""
        return sum(task.cents for task in self.tasks) / 100

    @property
    def total(self):
        """What can be had in the exercise."""
        return sum(task.points for task in self.tasks)

    @property
    def possible(self):
        """What could be had: `total`, whichever cases were run."""
        return self.total

    @property
    def all_right(self):
        """Whether nothing is wrong or left to do; practice need not be written."""
        done = [task.status == "right" or (task.practice and task.status == "missing") for task in self.tasks]
        return not self.crashed and bool(done) and all(done)

    @property
    def step(self):
        """What to give `tinyrnn step` to see the first backward pass that is wrong; "" if none is."""
        failing = [] if self.problem else [task for task in self.tasks if task.status in ("wrong", "partly")]
        return next((task.step for task in failing if task.step), "")

    def task(self, name):
        """The `TaskMarks` of a task by its name; StopIteration if there is none."""
        return next(task for task in self.tasks if task.name == name)

    def as_dict(self):
        """Plain lists, dicts, texts and numbers."""
        content = {"format": FORMAT, **asdict(self), "points": self.points, "possible": self.possible}
        content["total"] = self.total
        for task, made in zip(self.tasks, content["tasks"], strict=True):
            del made["printed"]
            made["earned"] = task.cents / 100
            made["findings"] = [finding._asdict() for finding in task.findings]
        return content

    def to_json(self, **options):
        """`as_dict` as JSON text."""
        return json.dumps(self.as_dict(), allow_nan=False, **options)

    @classmethod
    def from_json(cls, text):
        """The marks that `to_json` wrote; ValueError in a line for anything else."""
        try:
            content = json.loads(text)
            if content.pop("format") != FORMAT:
                raise ValueError("written by another version")
            for derived in ("points", "possible", "total"):
                del content[derived]
            for task in content["tasks"]:
                del task["earned"]
                task["outputs"] = [OutputMarks(**output) for output in task["outputs"]]
                task["findings"] = [Finding(**finding) for finding in task["findings"]]
            content["tasks"] = [TaskMarks(**task) for task in content["tasks"]]
            return cls(**content)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"these are no marks: {error}") from None


def shared(cents, n):
    """Hundredths of points shared among n outputs, as equally as half points allow where there are enough of them; what
    is left over goes to the first ones."""
    unit = HALF if cents % HALF == 0 and cents >= n * HALF else 1
    each, over = divmod(cents // unit, n)
    return [unit * (each + (k < over)) for k in range(n)]
