"""`python -m tools.lectures format`, `build`, `check`, `slides`, `questions` or `exam`, and numbers of lectures."""

import argparse
import os
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

import nbformat

from tools.lectures import exam, teacher
from tools.lectures.layout import laid_out
from tools.lectures.notebook import LECTURES, SOURCES, run

HELP = {
    "format": "lays out the code of the sources with ruff",
    "build": "runs them and writes their notebooks",
    "check": "runs them and writes nothing",
    "slides": "writes slides made of the notebooks into build/slides",
    "questions": "writes the notebooks without answers into build/without-answers",
    "exam": "writes exam questions about them and the key, drawn from --seed, into build/exam",
}
PER_LECTURE, IN_ALL = 60, 8 * 60  # seconds of a processor


def main(arguments=None):
    """Runs the lectures that were asked for; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.lectures", description=__doc__)
    parser.add_argument("what", choices=HELP, help="; ".join(f"{name}: {words}" for name, words in HELP.items()))
    parser.add_argument("numbers", nargs="*", type=int, help="of lectures (default: all)")
    parser.add_argument(
        "--timeout", type=float, default=10 * PER_LECTURE, help="seconds for one cell (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of an exam (default: %(default)s)")
    parser.add_argument("--count", type=int, default=8, help="questions of an exam (default: %(default)s)")
    options = parser.parse_args(arguments)
    if options.what == "exam":
        return write_exam(options.seed, options.numbers, options.count)
    paths = [
        path for path in sorted(SOURCES.glob("[0-9]*.md")) if not options.numbers or number(path) in options.numbers
    ]
    if not paths:
        parser.error(f"there is no such lecture in {SOURCES}")
    if options.what == "format":
        for path in paths:
            path.write_text(laid_out(path.read_text("utf-8")), "utf-8")
        return 0
    if options.what in ("slides", "questions"):
        return for_the_teacher(options.what, paths)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two wait for each other longer than small products take
    seconds = {}
    with ProcessPoolExecutor(min(os.cpu_count() or 1, len(paths))) as pool:
        for path, (notebook, spent, waited) in zip(paths, pool.map(timed, paths, repeat(options.timeout)), strict=True):
            slow = f"  more than {PER_LECTURE} s" if spent > PER_LECTURE else ""
            print(f"{path.stem:40}{spent:6.1f} s, {waited:5.1f} s waited{slow}", flush=True)
            seconds[path.stem] = spent
            if options.what == "build":
                nbformat.write(notebook, LECTURES / f"{path.stem}.ipynb")
    print(f"{'all':40}{sum(seconds.values()):6.1f} s of {IN_ALL}")
    return 0


def timed(path, timeout):
    """(the notebook of a source, run; seconds of a processor that took; seconds that passed)."""
    start, before = time.perf_counter(), of_processor()
    return run(path, timeout), of_processor() - before, time.perf_counter() - start


def write_exam(seed, numbers, count):
    """An exam and its key in build/exam; returns the exit status."""
    try:
        files = exam.write(seed, numbers, count, LECTURES.parent / "build" / "exam")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    print(*files, sep="\n")
    return 0


def for_the_teacher(what, paths):
    """Slides, or notebooks without answers, in build/; returns the exit status."""
    out = LECTURES.parent / "build" / {"slides": "slides", "questions": "without-answers"}[what]
    out.mkdir(parents=True, exist_ok=True)
    for path in paths:
        notebook = nbformat.read(LECTURES / f"{path.stem}.ipynb", 4)
        if what == "slides":
            (out / f"{path.stem}.html").write_text(teacher.slides(notebook), "utf-8")
        else:
            nbformat.write(teacher.without_answers(notebook), out / f"{path.stem}.ipynb")
    print(f"{len(paths)} lectures: {out}")
    return 0


def of_processor():
    """Seconds that kernels have computed: on a machine that does other things too, they say more than a clock."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def number(path):
    """Of a lecture, from its file's name."""
    return int(path.stem.partition("_")[0])


if __name__ == "__main__":
    sys.exit(main())
