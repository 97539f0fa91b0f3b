"""`tinyrnn play`: a page on which one changes networks and sees at once which path carries the gradient."""

from tinyrnn.play.page import write
from tinyrnn.play.rivers import OFFERED, rivers_page

EXAMPLE = "tinyrnn play; or tinyrnn play elman gru --steps 50 --out rivers.html"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    add = command.add_argument
    add(
        "cells",
        nargs="*",
        metavar="CELL",
        help="the two cells to begin with (default: elman lstm); more: to choose from",
    )
    add("--steps", type=int, default=30, metavar="T", help="time steps, 5 to 200 (default: %(default)s)")
    add("--hidden", type=int, default=16, metavar="N", help="units, 2 to 64 (default: %(default)s)")
    add("--seed", type=int, default=0, metavar="N", help="of weights and inputs (default: %(default)s)")
    add(
        "--asked",
        action="store_true",
        help="another page: what a network's answers look back at, before and after training",
    )
    add("--out", default="play.html", metavar="FILE", help="the page, one file (default: %(default)s)")


def run(args):
    """Writes the page; raises ValueError or OSError, in one line, for a mistake."""
    first = args.cells[:1] or ["elman"]
    shown = (*first, *(args.cells[1:2] or ["lstm"]))
    offered = args.cells[2:] or OFFERED
    if args.asked:
        from tinyrnn.play.asking import asking_page  # which trains networks

        write(args.out, asking_page(args.seed))
        print(f"page: {args.out}")
        return
    write(args.out, rivers_page(shown, offered, args.steps, args.hidden, args.seed))
    print(f"page: {args.out}")
