"""`tinyrnn gallery`: a folder of pages to play with, ready to be published."""

from pathlib import Path

from tinyrnn.play.gallery import write_gallery

EXAMPLE = "tinyrnn gallery site; or tinyrnn gallery site --cells elman lstm gru --no-games"


def add_arguments(command):
    """The arguments of the command, for its parser."""
    add = command.add_argument
    add("folder", metavar="FOLDER", help="where the pages are written; it is made where there is none")
    add("--cells", nargs="+", metavar="CELL", help="those that get a page (default: all)")
    add("--no-games", action="store_true", help="leave out what takes a minute: trained networks and planted mistakes")
    add("--seed", type=int, default=0, metavar="N", help="of weights, inputs and rounds (default: %(default)s)")


def run(args):
    """Writes the pages; raises ValueError or OSError, in one line, for a mistake."""
    write_gallery(args.folder, args.cells, not args.no_games, args.seed)
    print(f"gallery: {Path(args.folder) / 'index.html'}")
