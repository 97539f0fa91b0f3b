"""The `tinyrnn` command: a table of commands, each in a module of its name that is loaded when it is called for.

A user's mistake is one line on stderr and exit status 2, a failed check or run is status 1, an interrupt 130; a
traceback would be a bug of ours.
"""

import argparse
import importlib
import os
import sys

from tinyrnn import __version__
from tinyrnn.commands.parsers import described
from tinyrnn.core.terminal import take_every_letter
from tinyrnn.training.failures import RunFailed

# name -> what it does. The module of that name in this folder has EXAMPLE, add_arguments(command) and, unless its
# subcommands bring their own, run(args).
COMMANDS = {
    "demo": "check the cells, train two of them on the copy task side by side, draw what happens",
    "train": "train a cell on a task",
    "gradcheck": "check hand-written gradients, a cell's or those in your file, against numerical ones",
    "lines": "judge a backward pass, one of ours or your own, line by line: which line is wrong, and how",
    "read": "read on one line of a backward pass, such as `tinyrnn lines` recommends",
    "step": "step through a network forwards and backwards, one line of its source at a time",
    "gallery": "write a folder of pages to play with, one for each cell, with an index",
    "play": "write a page to play with: two networks, and the gradient that flows back through them",
    "record": "record real data that no one publishes: drives in Gymnasium's CarRacing",
    "sample": "write text with a language model, finished or still being trained",
    "translate": "translate a sentence with the network of a finished translation run",
    "bench": "where the time of a training step goes, and how it grows with T, B and H",
    "sweep": "many runs from one file: cells, initialisations, rates and seeds, compared; here or on a cluster",
    "reproduce": "rerun a claim of the papers: several cells, several seeds, one table and one picture",
    "analyse": "look into networks: constructions, closed forms and pictures of the five documents",
    "start": "begin an exercise: its text, a file to write in, and a test file",
    "check": "check what you have written for an exercise (public checks)",
    "hint": "the next hint for the first task that is not right yet",
    "submit": "pack an exercise to be handed in",
    "teach": "for teachers: make, verify and grade the exercises",
    "cells": "print a table of all cells: source, state, parameters, cost and use",
}


def main(argv=None):
    """Run the command line `argv` (default: the process's); returns the exit status."""
    take_every_letter()
    argv = sys.argv[1:] if argv is None else argv
    args = make_parser(argv[0] if argv else "").parse_args(argv)
    try:
        if getattr(args, "out", None) == "":
            raise ValueError("--out needs a name, and got an empty one")
        status = args.run(args) or 0
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever read it has read enough, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141  # as of any command that is told so by a signal
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
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, help in COMMANDS.items():
        command = described(commands, name, help)
        if only in (None, name):
            module = importlib.import_module(f"tinyrnn.commands.{name}")
            module.add_arguments(command)
            command.set_defaults(run=getattr(module, "run", None))
            command.epilog = f"Example: {module.EXAMPLE}"
    return parser
