"""`tinyrnn reproduce`: a figure or table of the five documents, rerun."""

from tinyrnn.commands.sweep import add_where

EXAMPLE = "tinyrnn reproduce copy-100 --seeds 3"
KEPT = "lectures/results"  # where the records of this repository are
PAGES = ("results", "claims", "verdicts")  # of kept records


def add_arguments(command):
    """The arguments of the command, for its parser."""
    from tinyrnn.reproductions import REPRODUCTIONS
    from tinyrnn.reproductions.entry import SCALES

    command.add_argument(
        "name",
        choices=[*REPRODUCTIONS, "list", "all", *PAGES],
        metavar="NAME",
        help="list, all, results and claims (pages of what --keep FOLDER has), verdicts (judge that anew), or one of "
        + ", ".join(REPRODUCTIONS),
    )
    command.add_argument(
        "--scale",
        choices=SCALES,
        default="quick",
        help="quick: minutes; half: an evening on two cores; paper: the source's own numbers (default: %(default)s)",
    )
    command.add_argument("--seeds", type=int, metavar="N", help="runs of each setting (default: as the scale has it)")
    command.add_argument(
        "--panel",
        nargs="+",
        action="extend",
        default=[],
        metavar="PANEL",
        help="only these of its panels, such as T=400",
    )
    command.add_argument("--keep", metavar="FOLDER", help="also put the record there: NAME-SCALE.json, for `results`")
    command.add_argument("--out", metavar="FOLDER", help="default: runs/NAME-SCALE; finished runs there are kept")
    add_where(command)


def run(args):
    """0 whether or not the claims held, for that is a result too."""
    from pathlib import Path

    from tinyrnn.reproductions import REPRODUCTIONS
    from tinyrnn.reproductions.rerun import rerun

    kept = Path(args.keep or KEPT)
    if args.name == "list":
        print(listing(REPRODUCTIONS, kept))
        return 0
    if args.name in PAGES:
        of_kept(args.name, kept)
        return 0
    if args.seeds is not None and args.seeds < 1:
        raise ValueError(f"--seeds must be at least 1, got {args.seeds}")
    if args.panel and args.name == "all":
        raise ValueError("--panel is of one NAME, not of all")
    for name in REPRODUCTIONS if args.name == "all" else [args.name]:
        own = f"{name}-{args.scale}"
        out = args.out if args.out and args.name != "all" else f"{args.out or 'runs'}/{own}"
        where = {"jobs": args.jobs, "scheduler": args.scheduler, "panels": args.panel}
        rerun(name, REPRODUCTIONS[name], args.scale, out, args.seeds, keep=args.keep, **where)
    return 0


def of_kept(name, folder):
    """Print a page of the records in a folder, or judge them anew."""
    from tinyrnn.reproductions import REPRODUCTIONS, page, record

    if name == "verdicts":
        for path in sorted(folder.glob("*.json")):
            record.judge_anew(path, REPRODUCTIONS)
    else:
        print(page.page(folder) if name == "results" else page.claims(folder), end="")


def listing(entries, folder):
    """A line for each: its name, where it is from, what it is, and at each scale how many runs it has, and what CPU
    time they took where a record of them is in the folder."""
    from tinyrnn.reproductions.entry import SCALES

    lines = []
    for name, entry in entries.items():
        sizes = [size for scale in SCALES if (size := size_of(name, entry, scale, folder))]
        lines.append(f"{name:20} {entry.source}: {entry.title} [{'; '.join(sizes) or 'computed'}]")
    return "\n".join(lines)


def size_of(name, entry, scale, folder):
    """Such as "quick: 12 runs, CPU 90 seconds"; "" where neither is known."""
    from tinyrnn.reproductions import record
    from tinyrnn.reproductions.rerun import span

    plans = entry.runs(scale).values() if entry.runs else ()
    runs = [f"{sum(sum(plan.asked(lambda run: False).values()) for plan in plans)} runs"] if plans else []
    path = folder / f"{name}-{scale}.json"
    if path.exists():
        of = record.read(path)
        without = f" without {', '.join(of['missing'])}" if of.get("missing") else ""
        runs.append(f"CPU {span(of['cpu_seconds'])}{without}")
    return f"{scale}: {', '.join(runs)}" if runs else ""
