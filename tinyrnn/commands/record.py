"""`tinyrnn record`: real data that no one publishes."""

import numpy as np

from tinyrnn.core.files import cache_folder
from tinyrnn.tasks.car_racing import FILE
from tinyrnn.tasks.car_racing_recording import record

EXAMPLE = "tinyrnn record car-racing --rollouts 150"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    command.add_argument("what", choices=["car-racing"], metavar="WHAT", help="car-racing")
    command.add_argument("--rollouts", type=int, default=150, help="drives (default: %(default)s)")
    command.add_argument("--steps", type=int, default=250, help="steps of a drive, at most (default: %(default)s)")
    command.add_argument("--latents", type=int, default=32, help="numbers a frame becomes (default: %(default)s)")
    command.add_argument(
        "--autoencoder",
        type=int,
        default=0,
        metavar="UPDATES",
        help="train a variational autoencoder for so long, in place of principal components (try 2000, some minutes)",
    )
    command.add_argument("--width", type=int, default=8, help="channels it begins with (default: %(default)s)")
    command.add_argument("--seed", type=int, default=0, help="of tracks and actions (default: %(default)s)")
    command.add_argument("--out", metavar="FILE.npz", help="(default: where `tinyrnn train car-racing` looks for it)")


def run(args):
    """Records, and says how much of the pictures the latents hold."""
    options = {"autoencoder": args.autoencoder, "width": args.width}
    path = record(args.out or cache_folder() / FILE, args.rollouts, args.steps, args.latents, args.seed, **options)
    with np.load(path) as arrays:
        share, count = arrays["explained"].sum(), arrays["lengths"].sum()
    what, of = ("latents", "variance held out") if args.autoencoder else ("components", "variance")
    held = f"hold {share:.1%} of the {of}" if share > 0 else "hold no more than the mean frame: train for longer"
    print(f"{path}: {args.rollouts} rollouts, {count} steps; {args.latents} {what} {held}")
    return 0
