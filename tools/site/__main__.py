"""`python -m tools.site`: build the site, and say in a line what is wrong if anything is."""

import argparse
import shutil
import sys
from pathlib import Path

from tools.site.pages import write

ROOT = Path(__file__).resolve().parents[2]
MISSING = "the site takes Sphinx: pip install -e '.[site]'"


def main() -> int:
    """Returns the exit status: 1 if Sphinx warned, as of a link that leads nowhere."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description="Build the site.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", metavar="FOLDER", help="where it goes")
    parser.add_argument(
        "--pictures", action="store_true", help="run every analysis for its picture, and make the games (minutes)"
    )
    options = parser.parse_args()
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        print(MISSING, file=sys.stderr)
        return 2
    source = ROOT / "build" / "site-source"
    shutil.rmtree(source, ignore_errors=True)
    write(ROOT, source, options.pictures)
    shutil.rmtree(options.out, ignore_errors=True)
    settings = str(Path(__file__).parent)
    return build_main(["-b", "html", "-c", settings, "-q", "-W", "--keep-going", "-T", str(source), str(options.out)])


if __name__ == "__main__":
    sys.exit(main())
