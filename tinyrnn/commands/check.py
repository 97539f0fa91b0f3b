"""`tinyrnn check`: the public checks of an exercise, once or whenever a file is saved; from there into the lines."""

import argparse
import sys
import time
from pathlib import Path

from tinyrnn.commands.homework import add_exercise, chosen, show
from tinyrnn.core.terminal import has_colours, is_terminal
from tinyrnn.grading import submitting
from tinyrnn.grading.marking import mark, needed
from tinyrnn.grading.report import as_json, text

EXAMPLE = "tinyrnn check 3; or tinyrnn check 3 --task coupled_step_backward; later tinyrnn check 3 --watch"
POLL = 0.5  # seconds between two looks at the files
OFFER = "s: step through them now; any other key: done"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    add_exercise(command)
    command.add_argument("--watch", action="store_true", help="check again whenever a file is saved")
    command.add_argument("--task", metavar="NAME", help="one task alone, with those it waits for, and all its lines")
    command.add_argument("--json", action="store_true", help="print the results as JSON")


def run(args):
    """0 if every public check is right, else 1."""
    if args.watch and args.json:
        raise ValueError("--watch is for reading, --json for programs: take one of them")
    one, folder = chosen(args), Path.cwd()
    if not args.watch:
        marks = mark(one, submitting.read(one, folder), only=args.task)
        show(as_json(marks) if args.json else text(marks, colour=has_colours()))
        if marks.step and not args.json and is_terminal() and pressed(OFFER) == "s":
            step_through(marks.step)
        return 0 if marks.all_right else 1
    return watch(one, folder, only=args.task)


def pressed(offer):
    """The key that is pressed below the words of an offer, which then go; "c-c" for Ctrl-C."""
    from prompt_toolkit.application import Application
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.keys import Keys
    from prompt_toolkit.layout import FormattedTextControl, Layout, Window

    keys = KeyBindings()
    for key in (Keys.Any, "c-c", "escape", "enter"):
        keys.add(key)(lambda event: event.app.exit(event.key_sequence[0].key))
    asked = Window(FormattedTextControl(offer), height=1, always_hide_cursor=True)
    return Application(Layout(asked), key_bindings=keys, erase_when_done=True).run()


def step_through(target):
    """`tinyrnn step` on a function of the student's file. What it refuses is said in one line: the check stands."""
    from tinyrnn.commands import step

    parser = argparse.ArgumentParser()
    step.add_arguments(parser)
    try:
        step.run(parser.parse_args([target]))
    except (ValueError, TypeError, OSError) as error:
        print(f"tinyrnn: {error}", file=sys.stderr)


def watch(one, folder, wait=time.sleep, rounds=None, only=None):
    """Checks, and again whenever one of the files has changed, until interrupted; or `rounds` looks long. Returns 0 if
    at the end everything was right. only: the name of one task, as of `mark`."""
    if only is not None:
        needed(one, only)
    seen, marks = None, None
    try:
        while rounds is None or rounds > 0:
            try:
                files = submitting.read(one, folder)
            except (ValueError, OSError) as error:  # while an editor replaces a file there is none
                files = str(error)
            if files != seen:
                seen = files
                if isinstance(files, str):
                    marks = None
                    show(f"\n{files}")
                else:
                    marks = mark(one, files, only=only)
                    show(f"\n{'-' * 80}\n{text(marks, colour=has_colours())}\n\nwatching; Ctrl-C ends it")
            rounds = None if rounds is None else rounds - 1
            wait(POLL)
    except KeyboardInterrupt:
        show("")
    return 0 if marks is not None and marks.all_right else 1
