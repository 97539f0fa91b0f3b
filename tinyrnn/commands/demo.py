"""`tinyrnn demo`: the whole idea in two minutes, with no data files."""

from tinyrnn.training.demo import demo

EXAMPLE = "tinyrnn demo --out runs/demo"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    command.add_argument("--out", default="runs/demo", help="folder for the picture (default: %(default)s)")
    command.add_argument("--updates", type=int, default=1200, help="updates (default: %(default)s)")


def run(args):
    """0, or 1 if a gradient check failed."""
    return demo(args.out, args.updates)
