"""`tinyrnn teach`: what a teacher does with exercises. Each subcommand is a function here, or in `teach_class` and
`teach_out`; the work is elsewhere."""

import sys

from tinyrnn.commands.parsers import add_command
from tinyrnn.commands.teach_class import add_grade, add_report, add_table
from tinyrnn.commands.teach_out import add_answers, add_export, add_handout
from tinyrnn.commands.teaching import add_jobs, add_root, root_of

OF_AN_EDITION = 12  # known mistakes that are marked, where texts have changed that were verified as they lie there
EXAMPLE = "tinyrnn teach verify 3; tinyrnn teach build"


def add_arguments(command):
    """The subcommands, for the parser of `tinyrnn teach`."""
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    add_build(actions)
    add_verify(actions)
    add_handout(actions)
    add_grade(actions)
    add_report(actions)
    add_table(actions)
    add_answers(actions)
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
    from tinyrnn.grading.build import PUBLIC, build, hand_out

    if args.edition is not None and not args.out:
        raise ValueError("an edition is built into a folder of its own: --out FOLDER")
    root = root_of(args)
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
        "tinyrnn teach verify; tinyrnn teach verify 3 --edition 2027; tinyrnn teach verify 3 --mutants",
    )
    command.add_argument("numbers", nargs="*", metavar="N", help="numbers or names of exercises (default: all)")
    command.add_argument("--static", action="store_true", help="only what takes no marking, in seconds")
    command.add_argument("--again", action="store_true", help="also what has not changed since all was well")
    command.add_argument(
        "--mutants",
        action="store_true",
        help="instead: every small mistake in the masters must lose points, in every drawing of hidden cases (minutes)",
    )
    command.add_argument(
        "--sample",
        type=int,
        metavar="K",
        help=f"about K known mistakes, or mutants, of each exercise (default: all; of an edition {OF_AN_EDITION})",
    )
    command.add_argument("--whole", action="store_true", help="of an edition, too, all known mistakes")
    add_root(command)
    add_jobs(command)


def run_verify(args):
    """0 if all exercises keep their word, else 1."""
    from tinyrnn.core.files import cache_folder
    from tinyrnn.grading.verify import verify

    if args.whole and args.sample is not None:
        raise ValueError("--sample is for some, --whole for all: take one of them")
    if args.mutants:
        return run_mutants(args)
    some = OF_AN_EDITION if args.edition is not None and args.sample is None and not args.whole else args.sample
    known = None if args.again else cache_folder() / "verified.json"
    options = {"jobs": args.jobs, "progress": sys.stderr.isatty(), "known": known, "static": args.static}
    options["sample"] = some
    report = verify(root_of(args), args.numbers or None, **options)
    print(report)
    return 0 if report.ok else 1


def run_mutants(args):
    """0 if every mutant loses points or is listed as equivalent, else 1."""
    from tinyrnn.grading.blind_cases import blind_cases

    options = {"jobs": args.jobs, "sample": args.sample, "progress": sys.stderr.isatty()}
    found = blind_cases(root_of(args), args.numbers or None, **options)
    for name, tally in found.items():
        for text in tally.blind:
            print(f"{name}: it loses nothing: {text}")
        for text in tally.unused:
            print(f"{name}: not needed in equivalent.py: {text}")
        print(f"{name}: {tally}")
    return 1 if any(tally.blind or tally.unused for tally in found.values()) else 0
