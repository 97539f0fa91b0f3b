"""`tinyrnn teach`: what a teacher does with exercises. Each subcommand is a function here; the work is elsewhere."""

import os
import sys

from tinyrnn.commands.parsers import add_command

EXAMPLE = "tinyrnn teach verify 3; tinyrnn teach build"


def add_arguments(command):
    """The subcommands, for the parser of `tinyrnn teach`."""
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    add_build(actions)
    add_verify(actions)
    add_grade(actions)
    add_report(actions)
    add_export(actions)


# build ----------------------------------------------------------------------------------------------------------------


def add_build(actions):
    """The arguments of `tinyrnn teach build`."""
    command = add_command(
        actions,
        "build",
        run_build,
        "make the numbers that are handed out, from the masters; or all that is handed out, in a folder for students",
        "tinyrnn teach build; or, of your own exercises, tinyrnn teach build --root mine --out for_students",
    )
    add_root(command)
    command.add_argument("--out", metavar="FOLDER", help="write all that students get there, and nothing else")


def run_build(args):
    """Makes what is handed out, and says of each exercise what is in it."""
    from tinyrnn.grading.build import PUBLIC, ROOT, build, hand_out

    root = args.root or ROOT
    made = hand_out(root, args.out) if args.out else build(root)
    for exercise in made:
        graded = [task for task in exercise.tasks.values() if not task.practice]
        known = [mistake for mistake in exercise.mistakes if not mistake.accepted]
        print(
            f"{exercise.number} {exercise.name}: {len(graded)} graded tasks and {len(exercise.tasks) - len(graded)} "
            f"for practice, {exercise.points} points, {len(known)} known mistakes"
        )
    print(f"handed out: {args.out}" if args.out else f"made: {PUBLIC}/ of each in {root}")
    return 0


# verify ---------------------------------------------------------------------------------------------------------------


def add_verify(actions):
    """The arguments of `tinyrnn teach verify`."""
    command = add_command(
        actions,
        "verify",
        run_verify,
        "check the exercises themselves: skeletons get nothing, masters everything, mistakes are named, nothing leaks",
        "tinyrnn teach verify; or tinyrnn teach verify 3",
    )
    command.add_argument("numbers", nargs="*", metavar="N", help="numbers or names of exercises (default: all)")
    add_root(command)
    add_jobs(command)


def run_verify(args):
    """0 if all exercises keep their word, else 1."""
    from tinyrnn.grading.build import ROOT
    from tinyrnn.grading.verify import verify

    report = verify(args.root or ROOT, args.numbers or None, jobs=args.jobs, progress=sys.stderr.isatty())
    print(report)
    return 0 if report.ok else 1


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
    add_secret(command, "drawn at the first run, and kept in secret.txt beside the results")
    command.add_argument("--scheduler", metavar="ADDRESS", help="have the workers of a Dask scheduler do it")
    command.add_argument(
        "--points-only", action="store_true", help="no line verdicts and names of mistakes, to be quicker"
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
    from tinyrnn.grading.sandbox.sandbox import protections

    one, secret = masters_exercise(args), given_secret(args)
    if args.scheduler is None and protections()["mode"] == "plain":
        print(UNPROTECTED, file=sys.stderr)
    options = {"jobs": args.jobs, "scheduler": args.scheduler, "feedback": not args.points_only}
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


def run_report(args):
    """Makes grades, feedback and report of the results that are there."""
    from tinyrnn.grading.classroom.summary import report

    print(report(args.out))
    print(f"wrote grades.csv, report.md, scores.png and feedback/ into {args.out}")
    return 0


# export ---------------------------------------------------------------------------------------------------------------


def add_export(actions):
    """The arguments of `tinyrnn teach export`."""
    command = add_command(
        actions,
        "export",
        run_export,
        "an exercise for Gradescope (a zip to upload) or for GitHub Actions (a workflow with the public checks)",
        "tinyrnn teach export gradescope 3; tinyrnn teach export github 3",
    )
    command.add_argument("kind", choices=("gradescope", "github"), help="for whom")
    command.add_argument("exercise", metavar="N", help="number or name of the exercise")
    command.add_argument("--out", metavar="PATH", help="the zip (gradescope), or the folder of the repository (github)")
    add_secret(command, "a new one, which is in the zip")
    add_root(command)


def run_export(args):
    """Writes the zip for Gradescope, or the workflow for GitHub."""
    from tinyrnn.grading.classroom.gradescope import export_github, export_gradescope

    one = masters_exercise(args)
    if args.kind == "github":
        print(f"wrote {export_github(one, args.out or '.')}: public checks only, which are feedback and no grade")
        return 0
    path = args.out or f"gradescope_{one.folder.name}.zip"
    export_gradescope(one, path, given_secret(args))
    print(f"wrote {path}. There are solutions and the secret in it: upload it to Gradescope, and keep it to yourself.")
    return 0


# shared ---------------------------------------------------------------------------------------------------------------


def add_root(command):
    """The option for other masters than those of the clone."""
    command.add_argument("--root", metavar="FOLDER", help="the masters (default: exercises/ beside the package)")


def add_jobs(command):
    """The option for the number of processes."""
    command.add_argument(
        "--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes at a time (default: %(default)s)"
    )


def add_secret(command, default):
    """The option for the file from which hidden cases are drawn."""
    command.add_argument(
        "--secret-file", metavar="FILE", help=f"from which hidden cases are drawn (default: {default})"
    )


def given_secret(args):
    """The secret that a file holds, or None."""
    from tinyrnn.grading.classroom.classes import read_secret

    return None if args.secret_file is None else read_secret(args.secret_file)


def masters_exercise(args):
    """The exercise that was named, with its master."""
    from tinyrnn.grading.build import ROOT, masters
    from tinyrnn.grading.exercise import exercise

    masters(args.root or ROOT)
    return exercise(args.exercise, args.root or ROOT)
