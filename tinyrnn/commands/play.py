"""`tinyrnn play`: pages on which one changes networks and sees at once what that does to the gradient, and a game."""

from tinyrnn.play.page import check_folder, write
from tinyrnn.play.rivers import OFFERED, rivers_page

EXAMPLE = "tinyrnn play; or tinyrnn play elman gru --steps 50 --out rivers.html; or tinyrnn play --bugs --here"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    add = command.add_argument
    add("cells", nargs="*", metavar="CELL", help="the two to begin with (default: elman lstm); more: to choose from")
    add("--steps", type=int, default=30, metavar="T", help="time steps, 5 to 200 (default: %(default)s)")
    add("--hidden", type=int, default=16, metavar="N", help="units, 2 to 32 (default: %(default)s)")
    add("--seed", type=int, default=0, metavar="N", help="of weights, inputs and rounds (default: %(default)s)")
    add("--out", default="play.html", metavar="FILE", help="the page, one file (default: %(default)s)")
    other = command.add_argument_group("other pages").add_argument
    other("--asked", action="store_true", help="what a network's answers look back at, before and after training")
    other("--bugs", action="store_true", help="find the bug: ten backward passes, each with a planted mistake")
    other("--here", action="store_true", help="with --bugs: play in the terminal, without a page")
    other("--mistakes", nargs="+", metavar="NAME", help="with --bugs: play these mistakes, and no others")
    other("--list", action="store_true", help="with --bugs: print the names of all mistakes that can be planted")


def run(args):
    """Writes a page, or plays; raises ValueError or OSError, in one line, for a mistake."""
    if (args.here or args.mistakes or args.list) and not args.bugs:
        raise ValueError("--here, --mistakes and --list belong to --bugs")
    if args.asked + args.bugs + bool(args.cells) > 1:
        raise ValueError("give cells, --asked or --bugs: each makes a page of its own")
    if args.list or args.here:
        return list_bugs() if args.list else play_here(args)
    check_folder(args.out)
    write(args.out, page(args))
    print(f"page: {args.out}")


def page(args):
    """The text of the page that is asked for."""
    if args.asked:
        from tinyrnn.play.asking import asking_page  # which trains networks

        return asking_page(args.seed)
    if args.bugs:
        from tinyrnn.play.bugs_page import bugs_page

        return bugs_page(args.seed, args.mistakes)
    first = args.cells[:1] or ["elman"]
    shown = (*first, *(args.cells[1:2] or ["lstm"]))
    return rivers_page(shown, args.cells[2:] or OFFERED, args.steps, args.hidden, args.seed)


def list_bugs():
    """Print the name, the cell and the line of each mistake."""
    from tinyrnn.play.bugs import PLAYED, candidates

    for name, mistake in candidates().items():
        print(f"{PLAYED[mistake.of]:8} {mistake.line:10} {name}")


def play_here(args):
    """Play a set in the terminal; who ends the input ends the game."""
    from tinyrnn.play.bugs_terminal import play

    try:
        play(args.seed, args.mistakes)
    except EOFError:
        print()
