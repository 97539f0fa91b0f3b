"""`tinyrnn gradcheck`: a cell's hand-written gradients against numerical ones."""

from tinyrnn.cells import CELLS
from tinyrnn.checking.gradcheck import gradcheck
from tinyrnn.training.settings import pick

EXAMPLE = "tinyrnn gradcheck lstm"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    command.add_argument("cell", help=f"all, or one of {', '.join(CELLS)}")
    command.add_argument(
        "--seed", type=int, default=0, help="seed of weights, inputs and upstream (default: %(default)s)"
    )


def run(args):
    """0 if every gradient is right, else 1."""
    names = list(CELLS) if args.cell == "all" else [args.cell]
    ok = True
    for name in names:
        cell_class, options = pick(CELLS, name, "cell")
        report = gradcheck(cell_class(4, 6, rng=args.seed, **options), rng=args.seed)
        print(report)
        ok = ok and report.ok
    return 0 if ok else 1
