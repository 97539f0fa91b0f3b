"""`tinyrnn lines`: the line verdicts on the command line."""

import html
import inspect
import os
import re
import sys
from difflib import get_close_matches
from pathlib import Path

from tinyrnn.cells import CELLS
from tinyrnn.core.files import write_atomically
from tinyrnn.core.progress import said_if_slow
from tinyrnn.core.terminal import has_colours
from tinyrnn.core.webpage import webpage
from tinyrnn.sources.user_file import loaded, told
from tinyrnn.verdicts.entry import lines
from tinyrnn.verdicts.report import LineReport, LineReports

EXAMPLE = "tinyrnn lines lstm; or tinyrnn lines homework.py; or tinyrnn lines homework.py:lstm_backward --hint"
HINT = (
    "say more about what is wrong: 1 (if no number is given), which results are wrong because of it, and the idea of a"
    " known mistake; 2, also where in the line; 3, also what would put it right"
)
COLOURS = {"WRONG": "\033[31m", "ok": "\033[32m", "?": "\033[33m"}
MARKED = re.compile(r"^( *\d+ +)(WRONG|ok|\?)( [^|]*)(?=\|)", re.M)
STYLE = """:root { color-scheme: light dark; }
body { font: 15px/1.4 system-ui, sans-serif; margin: clamp(0.8em, 3vw, 2em);
  background: light-dark(#ffffff, #121212); color: light-dark(#111111, #eeeeee); }
h1 { font-size: 1.15em; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
pre { font-size: 13px; }"""
BODY = """<main>
<h1>{title}</h1>
<div class="wide" tabindex="0" role="region" aria-label="verdicts">
{verdicts}
</div>
</main>"""


def write_verdicts(path, title, verdicts):
    """Write a page of verdicts, HTML, to a file, in one move."""
    text = webpage(title, BODY.format(title=html.escape(title), verdicts=verdicts), STYLE)
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def add_arguments(command):
    """The arguments of the command, for its parser."""
    command.add_argument("target", metavar="TARGET", help="a cell or part of tinyrnn, all (cells), or FILE.py[:name]")
    command.add_argument("--json", action="store_true", help="print the verdicts as JSON")
    command.add_argument("--html", metavar="FILE", help="write them to FILE too, a page for a browser")
    command.add_argument("--seed", type=int, default=0, help="seed of all that is random (default: %(default)s)")
    command.add_argument(
        "--why", action="store_true", help="say what each line was taken for, and what it was compared with"
    )
    command.add_argument("--hint", type=int, choices=(1, 2, 3), nargs="?", const=1, default=0, help=HINT)


def run(args):
    """0 if no line is wrong, else 1; raises ValueError, TypeError or OSError for what cannot be judged."""
    if args.html is not None and not Path(args.html).resolve().parent.is_dir():
        raise ValueError(f"--html: there is no folder {Path(args.html).parent}")
    try:
        with said_if_slow(f"judging {args.target}"):
            report = report_on_target(args.target, args.seed, args.hint > 1)
    except (LookupError, AttributeError, RuntimeError, AssertionError) as error:
        raise ValueError(f"{args.target} is more than tinyrnn lines can take, sorry: {told(error)}") from error
    if args.html is not None:
        write_verdicts(args.html, f"tinyrnn lines {args.target}", report._repr_html_())
    if args.json:
        show(report.to_json(indent=2))
    else:
        text = report.why() if args.why else as_text(report, args.hint)
        show(MARKED.sub(painted, text) if has_colours() else text)
    return 0 if report.ok else 1


def show(text):
    """Prints, and ends in peace if nobody reads on, as behind `| head`."""
    try:
        print(text, flush=True)
    except BrokenPipeError:  # whoever read it has read enough, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def report_on_target(target, seed, remedies=False):
    """The report on what a TARGET of the command line names; `remedies` of `lines`."""
    if target == "all":
        return LineReports(lines(name, rng=seed, remedies=remedies) for name in CELLS)
    file, name = split_target(target)
    if file is None:
        try:
            return lines(name, rng=seed, remedies=remedies)
        except ValueError as error:
            raise ValueError(f"there is no file {name}, and {error}") from None
    with loaded(file) as module:
        return lines(module if name is None else member(module, name, file), rng=seed, remedies=remedies)


def split_target(target):
    """(file, name): either may be None."""
    file, colon, name = target.rpartition(":")
    if not colon or len(file) < 2:  # C:\...
        file, name = target, ""
    if not colon and not Path(target).suffix and not Path(target).exists():
        return None, target
    return file, name or None


def member(module, name, file):
    """What a name in a student's file stands for; of a method, its class."""
    found = getattr(module, name.split(".")[0], None)
    if found is None:
        names = [n for n, v in vars(module).items() if inspect.isfunction(v) or inspect.isclass(v)]
        near = get_close_matches(name, names, 1)
        hint = f", did you mean {near[0]}?" if near else f"; there are {', '.join(names)}" if names else ""
        raise ValueError(f"there is no {name} in {file}{hint}")
    return found


def as_text(report, level=0):
    """What is printed. Of several reports, those without fault take one line each. level: of `LineReport.hints`."""
    reports = report if isinstance(report, LineReports) else [report]
    parts = [str(r) if r is report or not r.ok else in_short(r) for r in reports]
    text = "\n".join(part if "\n" not in part else f"{part}\n" for part in parts).rstrip()
    if level:
        told = dict.fromkeys(hint for r in reports for hint in r.hints(level))
        none = [] if report.ok else ["no hints: no line is accused"]
        text = "\n".join([text, "", *(told or none)]).rstrip()
    return text


def in_short(report: LineReport):
    """A report's title and summary in one line."""
    unjudged = len({(row.function, row.line) for row in report.unjudged})
    rest = f" ({unjudged} line{'s' * (unjudged > 1)} could not be judged)" if unjudged else ""
    return f"{report.title}: {report.summary()}{rest}"


def painted(match):
    """A line's number and mark, in the mark's colour."""
    number, mark, rest = match.groups()
    return f"{number}{COLOURS[mark]}{mark}\033[0m{rest}"
