"""`tinyrnn reproduce`: a figure or table of the five documents, rerun."""

from tinyrnn.commands.sweep import add_where

EXAMPLE = "tinyrnn reproduce copy-100 --seeds 3"
KEPT = "lectures/results"  # where the records of this repository are


def add_arguments(command):
    """The arguments of the command, for its parser."""
    from tinyrnn.reproductions import REPRODUCTIONS
    from tinyrnn.reproductions.entry import SCALES

    command.add_argument(
        "name",
        choices=[*REPRODUCTIONS, "list", "all", "results"],
        metavar="NAME",
        help=f"list, all, results (the page of what --keep FOLDER has), or one of {', '.join(REPRODUCTIONS)}",
    )
    command.add_argument(
        "--scale",
        choices=SCALES,
        default="quick",
        help="quick: minutes; half: an evening on two cores; paper: the source's own numbers (default: %(default)s)",
    )
    command.add_argument("--seeds", type=int, metavar="N", help="runs of each setting (default: as the scale has it)")
    command.add_argument("--keep", metavar="FOLDER", help="also put the record there: NAME-SCALE.json, for `results`")
    command.add_argument("--out", metavar="FOLDER", help="default: runs/NAME-SCALE; finished runs there are kept")
    add_where(command)


def run(args):
    """0 whether or not the claims held, for that is a result too."""
    from tinyrnn.reproductions import REPRODUCTIONS
    from tinyrnn.reproductions.rerun import rerun

    if args.name == "list":
        print(listing(REPRODUCTIONS))
        return 0
    if args.name == "results":
        from pathlib import Path

        from tinyrnn.reproductions.page import page

        print(page(Path(args.keep or KEPT)), end="")
        return 0
    if args.seeds is not None and args.seeds < 1:
        raise ValueError(f"--seeds must be at least 1, got {args.seeds}")
    for name in REPRODUCTIONS if args.name == "all" else [args.name]:
        own = f"{name}-{args.scale}"
        out = args.out if args.out and args.name != "all" else f"{args.out or 'runs'}/{own}"
        where = {"jobs": args.jobs, "scheduler": args.scheduler}
        rerun(name, REPRODUCTIONS[name], args.scale, out, args.seeds, keep=args.keep, **where)
    return 0


def listing(entries):
    """A line for each: its name, where it is from, what it is, and how many runs at each scale."""
    from tinyrnn.reproductions.entry import SCALES

    lines = []
    for name, entry in entries.items():
        counts = (
            [sum(sum(plan.asked(lambda run: False).values()) for plan in entry.runs(s).values()) for s in SCALES]
            if entry.runs
            else []
        )
        size = (
            "runs " + " / ".join(map(str, counts))
            if counts
            else "computed" + (" at three sizes" if entry.options else "")
        )
        lines.append(f"{name:20} {entry.source}: {entry.title} [{size}]")
    return "\n".join(lines)
