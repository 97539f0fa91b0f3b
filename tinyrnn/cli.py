"""The `tinyrnn` command: a table of commands, each of which lives in a module that is loaded when it is called for.

A user's mistake is one line on stderr and exit status 2, a failed check or run is status 1, an interrupt 130; a
traceback would be a bug of ours.
"""

import argparse
import sys

from tinyrnn.cells import CELLS
from tinyrnn.training.failures import RunFailed


def main(argv=None):
    """Run the command line `argv` (default: the process's); returns the exit status."""
    argv = sys.argv[1:] if argv is None else argv
    args = make_parser(argv[0] if argv else "").parse_args(argv)
    try:
        return args.run(args) or 0
    except (ValueError, TypeError, OSError) as error:
        print(f"tinyrnn: {error}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"tinyrnn: not enough memory: {error}", file=sys.stderr)
        return 2
    except RunFailed as error:
        print(f"tinyrnn: {error.prefix}{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tinyrnn: interrupted", file=sys.stderr)
        return 130


def make_parser(only=None):
    """The parser. only: the command that is called for, whose module alone is loaded; None: all of them."""
    parser = argparse.ArgumentParser(prog="tinyrnn", description="Recurrent networks with every backward pass by hand.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (help, fill) in COMMANDS.items():
        command = described(commands, name, help)
        if only in (None, name):
            run, example = fill(command)
            command.set_defaults(run=run)
            command.epilog = f"Example: {example}"
    return parser


def described(commands, name, help):
    return commands.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:].rstrip('.')}.")


def add_command(commands, name, run, help, example):
    """A subcommand of a command that has some."""
    command = described(commands, name, help)
    command.epilog = f"Example: {example}"
    command.set_defaults(run=run)
    return command


# Each of these adds a command's arguments to its parser, and returns what runs it, and an example.


def demo(command):
    command.add_argument("--out", default="runs/demo", help="folder for the picture (default: %(default)s)")
    command.add_argument("--updates", type=int, default=1200, help="updates (default: %(default)s)")
    return run_demo, "tinyrnn demo --out runs/demo"


def run_demo(args):
    from tinyrnn.training.demo import demo

    return demo(args.out, args.updates)


def train(command):
    from tinyrnn.training import train_command as train

    train.add_arguments(command, add_command)
    return train.run_resume, train.TRAIN_EXAMPLE


def gradcheck(command):
    command.add_argument("cell", help=f"all, or one of {', '.join(CELLS)}")
    command.add_argument(
        "--seed", type=int, default=0, help="seed of weights, inputs and upstream (default: %(default)s)"
    )
    return run_gradcheck, "tinyrnn gradcheck lstm"


def run_gradcheck(args):
    from tinyrnn.checking.gradcheck import gradcheck
    from tinyrnn.training.settings import pick

    names = list(CELLS) if args.cell == "all" else [args.cell]
    ok = True
    for name in names:
        cell_class, options = pick(CELLS, name, "cell")
        report = gradcheck(cell_class(4, 6, rng=args.seed, **options), rng=args.seed)
        print(report)
        ok = ok and report.ok
    return 0 if ok else 1


def lines(command):
    from tinyrnn.verdicts import command as lines

    lines.add_arguments(command)
    return lines.run_lines, lines.LINES_EXAMPLE


def step(command):
    from tinyrnn.stepping import command as stepping

    stepping.add_arguments(command)
    return stepping.run_step, stepping.STEP_EXAMPLE


def record(command):
    from tinyrnn.tasks import car_racing_recording as racing

    racing.add_arguments(command)
    return racing.run_record, racing.RECORD_EXAMPLE


def sample(command):
    from tinyrnn.training import sampling

    sampling.add_arguments(command)
    return sampling.run_sample, sampling.SAMPLE_EXAMPLE


def translate(command):
    from tinyrnn import translate_command as translate

    translate.add_arguments(command)
    return translate.run_translate, translate.TRANSLATE_EXAMPLE


def bench(command):
    from tinyrnn import profile_command as bench

    bench.add_arguments(command)
    return bench.run_bench, bench.BENCH_EXAMPLE


def reproduce(command):
    from tinyrnn.training.experiments import EXPERIMENTS

    command.add_argument("experiment", choices=EXPERIMENTS, metavar="NAME", help=f"one of {', '.join(EXPERIMENTS)}")
    command.add_argument("--seeds", type=int, default=3, help="runs of each cell (default: %(default)s)")
    command.add_argument("--jobs", type=int, default=2, help="runs at a time, one core each (default: %(default)s)")
    command.add_argument("--out", help="folder (default: runs/NAME); finished runs found there are not run again")
    return run_reproduce, "tinyrnn reproduce copy-100 --seeds 3"


def run_reproduce(args):
    from tinyrnn.training.experiments import reproduce

    return reproduce(args.experiment, args.seeds, args.jobs, args.out or f"runs/{args.experiment}")


def analyse(command):
    from tinyrnn.gallery import command as analyses

    analyses.add_arguments(command)
    return None, analyses.ANALYSE_EXAMPLE


def student(name):
    """`start`, `check`, `hint` and `submit` are alike."""

    def fill(command):
        from tinyrnn.grading import student

        return student.add_arguments(command, name)

    return fill


def teach(command):
    from tinyrnn.grading import teacher

    teacher.add_arguments(command, add_command)
    return None, teacher.TEACH_EXAMPLE


def cells(command):
    return run_cells, "tinyrnn cells"


def run_cells(args):
    from tinyrnn.catalogue import markdown

    print(markdown(), end="")


# name -> (what it does, what fills in its parser)
COMMANDS = {
    "demo": ("check the cells, train two of them on the copy task side by side, draw what happens", demo),
    "train": ("train a cell on a task", train),
    "gradcheck": ("check a cell's hand-written gradients against numerical ones", gradcheck),
    "lines": ("judge a backward pass, one of ours or your own, line by line: which line is wrong, and how", lines),
    "step": ("step through a network forwards and backwards, one line of its source at a time", step),
    "record": ("record real data that no one publishes: drives in Gymnasium's CarRacing", record),
    "sample": ("write text with a language model, finished or still being trained", sample),
    "translate": ("translate a sentence with the network of a finished translation run", translate),
    "bench": ("where the time of a training step goes, and how it grows with T, B and H", bench),
    "reproduce": ("rerun a claim of the papers: several cells, several seeds, one table and one picture", reproduce),
    "analyse": ("look into networks: constructions, closed forms and pictures of the five documents", analyse),
    "start": ("begin an exercise: its text, a file to write in, and a test file", student("start")),
    "check": ("check what you have written for an exercise (public checks)", student("check")),
    "hint": ("the next hint for the first task that is not right yet", student("hint")),
    "submit": ("pack an exercise to be handed in", student("submit")),
    "teach": ("for teachers: make, verify and grade the exercises", teach),
    "cells": ("print a table of all cells: source, state, parameters, cost and use", cells),
}
