"""`tinyrnn sweep`: many runs from one file, side by side, here or on a cluster."""

EXAMPLE = "tinyrnn sweep psmnist.toml --jobs 2"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    command.add_argument("plan", metavar="FILE.toml", help="what is to be run: lectures/guide.md has an example")
    command.add_argument("--out", metavar="FOLDER", help="where all goes (default: runs/NAME of the file)")
    command.add_argument("--dry-run", action="store_true", help="list the runs, and run none")
    add_where(command)


def add_where(command):
    """Options of all commands that make many runs."""
    command.add_argument("--jobs", type=int, default=2, help="runs at a time, one core each (default: %(default)s)")
    command.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="of a Dask cluster that shares this file system, such as tcp://node7:8786: its workers run them instead",
    )


def run(args):
    """Runs what is not finished yet, and reports."""
    from pathlib import Path

    from tinyrnn.sweeps.execution import sweep
    from tinyrnn.sweeps.plan import read

    plan = read(args.plan)
    name = Path(args.plan).stem
    if args.dry_run:
        for one in plan.runs():
            values = ", ".join(f"{name} {value}" for name, value in one.values.items())
            print(f"{one.folder}  {one.contender}, seed {one.settings.seed}" + (f", {values}" if values else ""))
        return 0
    swept = sweep(plan, args.out or f"runs/{name}", jobs=args.jobs, scheduler=args.scheduler, name=name)
    print(swept.table)
    print(f"table, numbers, a row a run, and picture: {swept.folder}")
    return 0
