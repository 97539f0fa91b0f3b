"""`tinyrnn sample`: text that a trained language model writes, one symbol after the other."""

from tinyrnn.training.sampling import draw, language_model

EXAMPLE = "tinyrnn sample runs/ptb-char-lstm-0 --length 300 --temperature 0.8 --start 'the market'"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    command.add_argument("folder", metavar="FOLDER", help="folder of the run, whose newest checkpoint is used")
    command.add_argument(
        "--length", type=int, default=500, metavar="N", help="symbols to be written (default: %(default)s)"
    )
    command.add_argument(
        "--temperature",
        type=float,
        default=1.0,
        metavar="X",
        help="the lower, the more it keeps to the likeliest symbols, which 0 always takes (default: %(default)s)",
    )
    command.add_argument("--start", default="", metavar="TEXT", help="text to go on from (default: a new line)")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the draws (default: %(default)s)")


def run(args):
    """Prints the text."""
    task, model = language_model(args.folder)
    first = task.encode(args.start or task.opening)
    if not len(first):
        raise ValueError(f"--start {args.start!r} has no symbol to go on from")
    print(args.start + task.decode(draw(model, first, args.length, args.temperature, args.seed)))
    return 0
