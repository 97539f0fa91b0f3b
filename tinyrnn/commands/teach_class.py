"""`tinyrnn teach grade` and `report`: a class is graded, and what is made of its results."""

import sys

from tinyrnn.commands.parsers import add_command
from tinyrnn.commands.teaching import add_jobs, add_root, add_secret, given_secret, masters_exercise

# grade ----------------------------------------------------------------------------------------------------------------


def add_grade(actions):
    """The arguments of `tinyrnn teach grade`."""
    command = add_command(
        actions,
        "grade",
        run_grade,
        "grade a class: a folder with a zip or a folder for each student; once more goes on where it was stopped",
        "tinyrnn teach grade submissions --exercise 3 --out results; tinyrnn teach report results",
    )
    command.add_argument("folder", metavar="FOLDER", help="the submissions")
    command.add_argument("--exercise", required=True, metavar="N", help="number or name of the exercise")
    command.add_argument("--out", required=True, metavar="FOLDER", help="where results go")
    add_class(command)
    add_secret(command, "drawn at the first run, and kept in secret.txt beside the results")
    command.add_argument("--scheduler", metavar="ADDRESS", help="have the workers of a Dask scheduler do it")
    command.add_argument(
        "--points-only", action="store_true", help="no line verdicts and names of mistakes, to be quicker"
    )
    command.add_argument(
        "--unprotected",
        action="store_true",
        help="also where students' code could read solutions, other submissions or results",
    )
    add_root(command)
    add_jobs(command)


UNPROTECTED = (
    "Students' code runs as you on this system, with limits on time and memory only: it could read and change your "
    "files, these results too. Grade submissions that you do not trust on Linux, or in a container."
)


def run_grade(args):
    """1 if the grader itself failed on a submission, else 0."""
    from tinyrnn.grading.classroom.classes import grade
    from tinyrnn.grading.classroom.exposure import refuse_exposed
    from tinyrnn.grading.classroom.roster import read_roster
    from tinyrnn.grading.sandbox.sandbox import protections

    one, secret = masters_exercise(args), given_secret(args)
    if args.scheduler is None and not args.unprotected:
        refuse_exposed(one, args.folder, args.out, args.secret_file)
    elif args.scheduler is None and protections()["mode"] == "plain":
        print(UNPROTECTED, file=sys.stderr)
    options = {"jobs": args.jobs, "scheduler": args.scheduler, "feedback": not args.points_only}
    if args.class_file:
        read_roster(args.class_file)  # what is wrong in it is said before hours of grading
        options["class_file"] = args.class_file
    try:
        done = grade(one, args.folder, args.out, secret=secret, progress=True, **options)
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        return 130
    print(f"{done.students} submissions: {done.graded} graded now, {done.kept} before, {done.unreadable} unreadable")
    run_report(args)
    if done.crashed:
        print(f"the grader crashed on {done.crashed} submissions: see report.md; the same command tries them again")
    return 1 if done.crashed else 0


# report ---------------------------------------------------------------------------------------------------------------


def add_report(actions):
    """The arguments of `tinyrnn teach report`."""
    command = add_command(
        actions,
        "report",
        run_report,
        "grades, feedback, histogram, unknown mistakes and much alike pairs, from results that are there",
        "tinyrnn teach report results",
    )
    command.add_argument("out", metavar="FOLDER", help="the results")
    add_class(command)


def run_report(args):
    """Makes grades, feedback and report of the results that are there."""
    from tinyrnn.grading.classroom.summary import report

    print(report(args.out, args.class_file))
    print(f"wrote grades.csv, for_moodle.csv and the like, report.md, commonest.md and feedback/ into {args.out}")
    return 0


# table ----------------------------------------------------------------------------------------------------------------


def add_table(actions):
    """The arguments of `tinyrnn teach table`."""
    command = add_command(
        actions,
        "table",
        run_table,
        "one table over all exercises that were graded, with the worst ones dropped if the class file says so",
        "tinyrnn teach table grades1 grades2 grades3 --class class.toml --out course.csv",
    )
    command.add_argument("folders", nargs="+", metavar="FOLDER", help="the results of an exercise each")
    command.add_argument("--out", required=True, metavar="FILE", help="the table, a CSV file")
    add_class(command)


def run_table(args):
    """Writes the table."""
    from tinyrnn.grading.classroom.lms import over_all
    from tinyrnn.grading.classroom.summary import load, write

    found = [load(folder, args.class_file) for folder in args.folders]
    found = sorted((each for each in found if each["known"]), key=lambda each: each["known"][0]["marks"].number)
    if not found:
        raise ValueError("there are no results in any of these folders yet")
    marks = [each["known"][0]["marks"] for each in found]
    classes = [(m.title, m.total, each["known"]) for m, each in zip(marks, found, strict=True)]
    write(args.out, over_all(classes, max(each["roster"].drop_worst for each in found)))
    print(f"wrote {args.out}: {len(classes)} exercises")
    return 0


# shared ---------------------------------------------------------------------------------------------------------------


def add_class(command):
    """The option for the class file."""
    said = "who is in the class, deadlines, corrections (default for reports: the one named when it was graded)"
    command.add_argument("--class", dest="class_file", metavar="FILE", help=f"class.toml: {said}")
