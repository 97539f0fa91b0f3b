"""`tinyrnn step`: step through backpropagation, in the terminal, on a page or on paper."""

import inspect
import os
import sys
from pathlib import Path

import numpy as np

from tinyrnn.commands.lines import member, split_target
from tinyrnn.core.cell import Cell
from tinyrnn.core.terminal import is_terminal
from tinyrnn.nn.layers import Layers
from tinyrnn.nn.model import Model
from tinyrnn.sources.pairs import EXAMPLE as PAIRED
from tinyrnn.sources.target import Target, targets
from tinyrnn.sources.user_file import explained, loaded, told
from tinyrnn.stepping.page import write_page
from tinyrnn.stepping.places import opening, place, search
from tinyrnn.stepping.printing import transcript
from tinyrnn.stepping.recording import Recording
from tinyrnn.stepping.tracing import trace
from tinyrnn.stepping.worksheet import LESSON, PRINTED, run_worksheet
from tinyrnn.training.networks import HELP, network, of_object

UNTIL_HELP = (
    "begin at this place or, with --print, stop there: t=3, a name, wrong, nan, '>1e3', '<1e-8', forward, backward; "
    "several words: all of them"
)
EXAMPLE = "tinyrnn step lstm --time 4; or tinyrnn step homework.py:lstm_backward --html out.html"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    command.add_argument(
        "network", metavar="TARGET", help=f"{HELP}; FILE.py[:function] or FILE.ipynb[:function]; or what --json wrote"
    )
    what = command.add_argument_group("what is recorded")
    add = what.add_argument
    add("--time", type=int, metavar="T", help="time steps (default: 5, or all that the task of a run has)")
    add("--batch", type=int, default=2, metavar="B", help="sequences (default: %(default)s)")
    add("--input-size", type=int, default=2, metavar="N", help="of a cell that is named (default: %(default)s)")
    add("--hidden", type=int, default=3, metavar="N", help="units of a cell that is named (default: %(default)s)")
    add("--seed", type=int, default=0, metavar="N", help="of weights and inputs (default: %(default)s)")
    add("--truncate", type=int, metavar="K", help="cut the carried gradient at every multiple of K steps")
    add("--range", type=int, nargs=2, metavar=("START", "STOP"), help="keep the lines of these time steps only")
    add("--names", nargs="+", metavar="NAME", help="keep the lines that give these names only")
    add("--numerical", type=int, nargs="*", metavar="STEP", help="time steps to be checked numerically; none: no check")
    shown = command.add_argument_group("how it is shown (default: in the terminal)")
    shown.add_argument("--print", action="store_true", help="print the steps as text; exits 1 if one is wrong")
    shown.add_argument("--until", metavar="PLACE", help=UNTIL_HELP)
    shown.add_argument("--html", metavar="FILE", help="write a page for a browser, one file that needs nothing else")
    shown.add_argument("--json", metavar="FILE", help="write the recording, for other programs or for later")
    sheet = command.add_argument_group("an exercise on paper, another one for each --seed")
    add = sheet.add_argument
    help = "write a worksheet, with its solution key beside it, to FILE.md or FILE.pdf; without FILE print both"
    add("--worksheet", nargs="?", const=PRINTED, metavar="FILE", help=help)
    add("--key", metavar="FILE", help="the file of the key (default: the worksheet's, with -key in its name)")
    add("--units", type=int, default=2, metavar="N", help="2 or 3 units (default: %(default)s)")
    add("--blanks", type=int, default=LESSON, metavar="N", help="numbers to fill in, at most (default: %(default)s)")
    add(
        "--count",
        type=int,
        default=1,
        metavar="N",
        help="write sheets for N seeds, from --seed on, and one key for all",
    )
    return what, shown


def run(args):
    """0, or 1 if --print shows a wrong line; raises ValueError, TypeError or OSError, in one line, for a mistake."""
    if args.worksheet is not None:
        return run_worksheet(args)
    is_file = args.json or args.html
    if args.html and not Path(args.html).resolve().parent.is_dir():
        raise ValueError(f"--html: there is no folder {Path(args.html).parent}")
    printed = args.print or not (is_file or sys.stdout.isatty())
    if not printed and not is_file:
        need_terminal()  # before a recording takes its time
    recording = recorded(args)
    if args.json:
        recording.save(args.json)
        print(f"recording: {args.json}")
    if args.html:
        found = None if args.until is None else search(recording, parsed(args.until, recording))
        write_page(recording, args.html, opening(recording) if found is None else found)
        print(
            f"page: {args.html}"
            + (f" (no line is at the place {args.until!r})" if args.until and found is None else "")
        )
    if printed:
        return print_steps(recording, args.until)
    return 0 if is_file else look_at(recording, args.until)


def need_terminal():
    """ValueError where there is none to show the steps on."""
    if not is_terminal():
        raise ValueError("the view needs a terminal at both ends; --print writes the steps as text")


def print_steps(recording, until):
    """Prints the steps up to a place; 1 if one of them is wrong, else 0."""
    place = None if until is None else parsed(until, recording)
    found = None if place is None else search(recording, place)
    try:
        for line in transcript(recording, found):
            print(line)
        if place is not None and found is None:
            print(f"\nno line is at the place {until!r}")
        sys.stdout.flush()
    except BrokenPipeError:  # head, or a pager that was left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    wrong = recording.find(wrong=True)
    return int(wrong is not None and (found is None or wrong <= found))


def look_at(recording, until):
    """Shows the recording in the terminal, from a place on, or from where the gradient sets out."""
    from tinyrnn.stepping.terminal import look

    look(recording, None if until is None else parsed(until, recording), opening(recording))
    return 0


def parsed(until, recording):
    """The place that --until names."""
    try:
        return place(until, recording)
    except ValueError as error:
        raise ValueError(f"--until: {error}") from None


def recorded(args):
    """The `Recording` that the arguments ask for."""
    if args.network.endswith(".json"):
        return Recording.load(args.network)
    file, name = split_target(args.network)
    if file is None or not file.endswith((".py", ".ipynb")):
        return of_network(network(args.network, args.input_size, args.hidden, args.seed), args)
    try:
        with loaded(file) as module:
            label, found = only_one(module, file, args.seed) if name is None else (name, chosen(module, name, file))
            if isinstance(found, Cell | Layers | Model):
                return of_network(of_object(label, found), args)
            return of_functions(found, args)
    except (LookupError, AttributeError, RuntimeError, AssertionError) as error:
        raise ValueError(f"{args.network} is more than tinyrnn step can take, sorry: {told(error)}") from error


def of_network(found, args):
    """The recording of a `Network`."""
    x, target, mask, T = None, None, None, 5 if args.time is None else args.time
    if found.task is not None:
        x, target, mask = found.task.sample(np.random.default_rng(args.seed), args.batch, "float64")
        if args.time is not None and args.time != len(x):
            raise ValueError(f"--time: the task of {args.network} has {len(x)} steps; --range keeps some of them")
    return trace(
        found.model or found.layers,
        x=x,
        target=target,
        mask=mask,
        T=T,
        B=args.batch,
        rng=args.seed,
        truncate=args.truncate,
        steps=args.range,
        names=args.names,
        numerical=args.numerical if args.numerical is None else [t for t in args.numerical],
        title=f"{found.label}: {found.layers!r}",
        progress=True,
    )


def of_functions(found, args):
    """The recording of a `Target`, or of a function or class."""
    return trace(
        found,
        T=3 if args.time is None else args.time,
        B=args.batch,
        rng=args.seed,
        steps=args.range,
        names=args.names,
        numerical=None if args.numerical is None else bool(args.numerical),
    )


def chosen(module, name, file):
    """What is called `name` in a file: a network, what a function without arguments makes, a function or a class."""
    found = member(module, name, file)
    if inspect.isfunction(found) and not inspect.signature(found).parameters:
        with explained():
            found = found()
    return found


def only_one(module, file, seed):
    """The one network that a file makes at its top level, else the one `Target` in it, with its name."""
    made = {name: value for name, value in vars(module).items() if isinstance(value, Cell | Layers | Model)}
    if len({id(value) for value in made.values()}) == 1:
        return next(iter(made.items()))
    found = [one for one in targets(module, np.random.default_rng(seed))[0] if isinstance(one, Target)]
    if len(found) == 1 and not made:
        return found[0].name, found[0]
    names = list(made) or list(dict.fromkeys(one.backward.__qualname__.partition(".")[0] for one in found))
    if not names:
        raise ValueError(
            f"{file}: no cell or model is made at its top level, and no functions belong together: {PAIRED}"
        )
    raise ValueError(f"{file}: say which of {', '.join(names)}, as {file}:{names[0]}")
