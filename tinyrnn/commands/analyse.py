"""`tinyrnn analyse`: one analysis, or all of them, each with its picture, its numbers, and what to see in it."""

import argparse
import inspect
import sys
import time
from pathlib import Path
from typing import get_args, get_type_hints

from tinyrnn.core.progress import Bar
from tinyrnn.figures import ANALYSES
from tinyrnn.figures.entry import write

EXAMPLE = "tinyrnn analyse powers --out runs/analyses"
OUT = "runs/analyses"


def add_arguments(command):
    """A subcommand for each analysis, and `all` and `list`."""
    names = command.add_subparsers(dest="analysis", required=True, metavar="NAME")
    every = add_one(
        names, "all", "run every analysis with its defaults, and say what each shows", "tinyrnn analyse all"
    )
    every.set_defaults(run=run_all)
    page = names.add_parser(
        "list", help="print what there is, as a page in Markdown", epilog="Example: tinyrnn analyse list"
    )
    page.set_defaults(run=lambda args: print(markdown(), end=""))
    for name, analysis in ANALYSES.items():
        one = add_one(names, name, analysis.title, f"tinyrnn analyse {name}")
        one.set_defaults(run=run_one)
        for argument, kind, default, text in arguments_of(analysis):
            add_argument(one, argument, kind, default, text)


def add_one(names, name, title, example):
    """The parser of one analysis."""
    title = title.replace("%", "%%")
    one = names.add_parser(
        name, help=title, description=f"{title[0].upper()}{title[1:]}.", epilog=f"Example: {example}"
    )
    one.add_argument("--out", default=OUT, metavar="FOLDER", help="where the files go (default: %(default)s)")
    return one


def arguments_of(analysis):
    """(name, kind, default, help) of each argument of the analysis's `run`."""
    hints = get_type_hints(analysis.run, include_extras=True)
    for parameter in inspect.signature(analysis.run).parameters.values():
        kind, text = get_args(hints[parameter.name])[:2]
        yield parameter.name, kind, parameter.default, text


def add_argument(command, name, kind, default, text):
    """An option for one argument of an analysis's `run`."""
    flag, options = "--" + name.replace("_", "-"), {"default": default, "help": f"{text} (default: %(default)s)"}
    if kind is bool:
        options["action"] = argparse.BooleanOptionalAction
    elif get_args(kind):
        each = get_args(kind)[0]
        options |= {"nargs": "+", "type": each, "metavar": metavar(each)}
        options["help"] = f"{text} (default: {' '.join(map(str, default))})"
    else:
        options |= {"type": kind, "metavar": metavar(kind)}
    options["help"] = options["help"].replace("%", "%%").replace("%%(default)s", "%(default)s")
    command.add_argument(flag, **options)


def metavar(kind):
    """What stands for a value of this kind in the help."""
    return {int: "N", float: "X", str: "NAME"}[kind]


def run_one(args):
    """Runs the analysis that was named, with the options that were given."""
    chosen = {name: getattr(args, name) for name, *_ in arguments_of(ANALYSES[args.analysis])}
    show(args.analysis, args.out, chosen, print)
    return 0


def run_all(args):
    """All with their defaults; one for which data or a package is missing is said and left out."""
    failed = []
    for name in Bar(ANALYSES, desc="analyses", unit="picture"):
        begun = time.perf_counter()
        try:
            show(name, args.out, {}, Bar.write)
        except (ImportError, FileNotFoundError) as error:
            failed.append(name)
            Bar.write(f"{name}: left out: {error}\n", file=sys.stderr)
        else:
            Bar.write(f"({time.perf_counter() - begun:.1f} s)\n")
    print(f"{len(ANALYSES) - len(failed)} analyses in {Path(args.out)}")
    return 1 if failed else 0


def show(name, folder, chosen, say):
    """Run one and write its files; what it found goes to `say`, line by line."""
    analysis = ANALYSES[name]
    result = analysis.run(**{key: tuple(value) if isinstance(value, list) else value for key, value in chosen.items()})
    paths = write(name, result, folder)
    say(f"{name}: {analysis.title}\n({analysis.source})")
    for line in result.lines:
        say(f"  {line}")
    say(f"look: {analysis.look}")
    for erratum in analysis.errata:
        say(f"note: {erratum}")
    say(f"files: {', '.join(map(str, paths))}")


HEADER = """\
# Every analysis

Made by `tinyrnn analyse list`. `tinyrnn analyse NAME` makes the picture, the numbers behind it (JSON, and CSV for the
curves) and says what came out; `tinyrnn analyse NAME --help` has its options; `tinyrnn analyse all` makes them all.
Where one looks at networks, `--networks` takes names of cells, folders of runs, saved networks, and `FILE.py:NAME` for
your own. What is computed is in `tinyrnn.analysis`, as functions of arrays and cells.
"""


def markdown():
    """The page of all analyses: what each shows, where it is from, what to look at, and where the source misleads."""
    return HEADER + "".join(section(name, analysis) for name, analysis in ANALYSES.items())


def section(name, analysis):
    """One analysis on the page of all."""
    errata = "".join(f"* *Erratum.* {erratum}\n" for erratum in analysis.errata)
    needs = f" Needs {analysis.needs}." if analysis.needs else ""
    title = f"{analysis.title[0].upper()}{analysis.title[1:].rstrip('.')}"
    return f"\n## {name}\n\n{title}.{needs} ({analysis.source})\n\n* *Look:* {analysis.look}\n{errata}"
