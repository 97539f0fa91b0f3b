"""`tinyrnn teach handout`, `answers` and `export`: what is for students and for other graders."""

from tinyrnn.commands.parsers import add_command
from tinyrnn.commands.teaching import add_root, add_secret, given_secret, masters_exercise, root_of

# handout --------------------------------------------------------------------------------------------------------------


def add_handout(actions):
    """The arguments of `tinyrnn teach handout`."""
    command = add_command(
        actions,
        "handout",
        run_handout,
        "make what students get: text, page, file to write in, tests, and a wheel of tinyrnn without any solution",
        "tinyrnn teach handout 3 --out week3; tinyrnn teach handout --edition 2027 --out course.zip",
    )
    command.add_argument("numbers", nargs="*", metavar="N", help="numbers or names of exercises (default: all)")
    command.add_argument("--out", required=True, metavar="FOLDER", help="the folder, or a name that ends in .zip")
    add_root(command)


def run_handout(args):
    """Writes the folder or the zip."""
    from tinyrnn.grading.classroom.handout import hand_out

    names = hand_out(several(args), args.out)
    print(f"wrote {args.out}: {', '.join(names)}")
    print("There is no solution in it: give it to your students. README.md has the line that installs it.")
    return 0


# answers --------------------------------------------------------------------------------------------------------------


def add_answers(actions):
    """The arguments of `tinyrnn teach answers`."""
    command = add_command(
        actions,
        "answers",
        run_answers,
        "model answers as pages, with what goes wrong most, to be shown after the deadline",
        "tinyrnn teach answers 3 --out answers; tinyrnn teach answers --edition 2027 --out answers",
    )
    command.add_argument("numbers", nargs="*", metavar="N", help="numbers or names of exercises (default: all)")
    command.add_argument("--out", required=True, metavar="FOLDER", help="the folder")
    add_root(command)


def run_answers(args):
    """Writes the pages."""
    from tinyrnn.grading.classroom.model_answers import write_answers

    names = write_answers(several(args), args.out)
    print(f"wrote {', '.join(names)} into {args.out}. These are solutions.")
    return 0


def several(args):
    """The exercises that were named, or all."""
    from tinyrnn.grading.exercise import exercise, exercises

    root = root_of(args)
    return [exercise(each, root) for each in dict.fromkeys(args.numbers)] or exercises(root)


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
    command.add_argument(
        "--wheels",
        metavar="FOLDER",
        help="wheels of the packages that tinyrnn needs (pip download), to be carried along",
    )
    add_secret(command, "a new one, which is in the zip")
    add_root(command)


def run_export(args):
    """Writes the zip for Gradescope, or the workflow for GitHub."""
    from tinyrnn.grading.classroom.gradescope import export_github, export_gradescope

    one = masters_exercise(args)
    if args.kind == "github":
        path = export_github(one, args.out or ".", args.wheels)
        print(f"wrote {path}, and wheels beside it: public checks only, which are feedback and no grade")
        return 0
    path = args.out or f"gradescope_{one.folder.name}.zip"
    export_gradescope(one, path, given_secret(args), args.wheels)
    print(f"wrote {path}. There are solutions and the secret in it: upload it to Gradescope, and keep it to yourself.")
    return 0
