"""`tinyrnn reproduce`: a claim of the papers, rerun."""

from tinyrnn.training.experiments import EXPERIMENTS, reproduce

EXAMPLE = "tinyrnn reproduce copy-100 --seeds 3"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    command.add_argument("experiment", choices=EXPERIMENTS, metavar="NAME", help=f"one of {', '.join(EXPERIMENTS)}")
    command.add_argument("--seeds", type=int, default=3, help="runs of each cell (default: %(default)s)")
    command.add_argument("--jobs", type=int, default=2, help="runs at a time, one core each (default: %(default)s)")
    command.add_argument("--out", help="folder (default: runs/NAME); finished runs found there are not run again")


def run(args):
    """0 whether or not the claim held, for that is a result too."""
    return reproduce(args.experiment, args.seeds, args.jobs, args.out or f"runs/{args.experiment}")
