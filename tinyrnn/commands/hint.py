"""`tinyrnn hint`: the next hint for the first task that is not right yet."""

from pathlib import Path

from tinyrnn.commands.homework import add_exercise, chosen, show
from tinyrnn.grading import submitting
from tinyrnn.grading.hints import next_hint
from tinyrnn.grading.marking import mark

EXAMPLE = "tinyrnn hint 3"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    add_exercise(command)
    command.add_argument("--task", metavar="NAME", help="for this task, and not for the first that is not right")


def run(args):
    """Prints the next hint; ValueError for a task that there is not."""
    one, folder = chosen(args), Path.cwd()
    if args.task is not None and args.task not in one.tasks:
        raise ValueError(f"exercise {one.number} has no task {args.task!r}; it has {', '.join(one.tasks)}")
    name = args.task
    if name is None:
        marks = mark(one, submitting.read(one, folder), feedback=False)
        if marks.problem:
            raise ValueError(marks.problem)
        open_tasks = [task for task in marks.tasks if task.status in ("wrong", "partly", "missing")]
        if not open_tasks:
            show(
                "Nothing is wrong in the public checks." if marks.all_right else "There is no task to give a hint for."
            )
            return 0
        wrong = [task for task in open_tasks if task.status != "missing"]
        name = (wrong or open_tasks)[0].name
    show(next_hint(one, name, folder))
    return 0
