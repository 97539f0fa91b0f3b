"""`tinyrnn gradcheck`: hand-written gradients against numerical ones, of the package's cells and of anybody's files."""

from pathlib import Path

from tinyrnn.cells import CELLS
from tinyrnn.checking.functions.report import GradientReports
from tinyrnn.checking.gradcheck import gradcheck
from tinyrnn.commands.lines import member, show, split_target, write_verdicts
from tinyrnn.sources.user_file import loaded, told
from tinyrnn.training.settings import pick

EXAMPLE = "tinyrnn gradcheck lstm; or tinyrnn gradcheck layers.py:affine_backward --plot errors.png"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    command.add_argument(
        "cell", metavar="TARGET", help=f"all, one of {', '.join(CELLS)}, or FILE.py[:function] or FILE.ipynb[:function]"
    )
    command.add_argument(
        "--seed", type=int, default=0, help="seed of weights, inputs and upstream (default: %(default)s)"
    )
    command.add_argument("--json", action="store_true", help="print the verdicts on a file as JSON")
    command.add_argument("--html", metavar="FILE", help="write them to FILE too, a page for a browser")
    command.add_argument("--plot", metavar="FILE", help="draw error against step and a map of errors, as .png, .svg …")
    command.add_argument(
        "--blocks",
        nargs="+",
        metavar="NAME",
        help="of FILE.py:function: names of gates that lie side by side, each of which gets a row",
    )
    command.add_argument("--entries", type=int, metavar="N", help="look at N entries at most (default: as time allows)")


def run(args):
    """0 if every gradient is right, else 1; raises ValueError, TypeError or OSError for what cannot be checked."""
    for option, file in (("--html", args.html), ("--plot", args.plot)):
        if file is not None and not Path(file).resolve().parent.is_dir():
            raise ValueError(f"{option}: there is no folder {Path(file).parent}")
    if args.entries is not None and args.entries < 1:
        raise ValueError(f"--entries must be at least 1, got {args.entries}")
    reports = reports_on(args.cell, args.seed, args.entries, args.blocks)
    if args.html is not None:
        write_verdicts(args.html, f"tinyrnn gradcheck {args.cell}", reports._repr_html_())
    if args.plot is not None:
        draw(reports, args.plot)
    show(reports.to_json(indent=2) if args.json else str(reports))
    return 0 if reports.ok else 1


def reports_on(target, seed, entries, blocks=None):
    """`GradientReports` on what a TARGET of the command line names."""
    file, name = split_target(target)
    if blocks is not None and (file is None or name is None):
        raise ValueError("--blocks is for one function: FILE.py:function")
    if file is None:
        names = list(CELLS) if target == "all" else [target]
        cells = [pick(CELLS, name, "cell") for name in names]
        return GradientReports(gradcheck(cls(4, 6, rng=seed, **options), rng=seed) for cls, options in cells)
    try:
        with loaded(file) as module:
            found = module if name is None else member(module, name, file)
            report = gradcheck(found, rng=seed, entries=entries, blocks=blocks)
    except (LookupError, AttributeError, RuntimeError, AssertionError) as error:
        raise ValueError(f"{target} is more than tinyrnn gradcheck can take, sorry: {told(error)}") from error
    return report if isinstance(report, GradientReports) else GradientReports([report])


def draw(reports, file):
    """The picture of the first report on functions that is wrong, or of the first."""
    drawn = [report for report in reports if hasattr(report, "plot") and report.findings]
    if not drawn:
        raise ValueError("--plot draws functions in a file; of cells there are only tables")
    next((report for report in drawn if not report.ok), drawn[0]).plot(file)
