"""Where an update waits for one core: the stretches in which compiled work is shared out, and what lies between them.

    python benchmarks/regions.py                    # the LSTM on copy
    python benchmarks/regions.py "MNIST by rows, lstm"

The runs are those of `update.py`. Medians of 300 updates in microseconds, with one thread and with two.
"""

import statistics
import sys
import time
from itertools import pairwise

from update import COMMON, RUNS

from tinyrnn.compiler.team import team
from tinyrnn.training.settings import Settings
from tinyrnn.training.updater import Updater

UPDATES = 300


def stretches(run, threads):
    """Microseconds of an update, stretch by stretch: the odd ones are shared out, those between are one core's."""
    updater, times = Updater(Settings(**COMMON, **RUNS[run], threads=threads)), []
    helpers, plain = team(), team().run

    def timed(*arguments):
        times.append(time.perf_counter())
        plain(*arguments)
        times.append(time.perf_counter())

    for _ in range(UPDATES // 5):
        updater.update()
    helpers.run, rows = timed, []
    try:
        for _ in range(UPDATES):
            times[:] = [time.perf_counter()]
            updater.update()
            times.append(time.perf_counter())
            rows.append([1e6 * (after - before) for before, after in pairwise(times)])
    finally:
        del helpers.run
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def main():
    """What the command line asks for."""
    run = sys.argv[1] if len(sys.argv) > 1 else "copy 100, lstm"
    if run not in RUNS:
        sys.exit(f"no run {run!r}; there are {', '.join(RUNS)}")
    one, two = stretches(run, 1), stretches(run, 2)
    print(f"{run}: microseconds of an update\n\n| | 1 thread | 2 threads | ratio |\n|---|---:|---:|---:|")
    for k, (a, b) in enumerate(zip(one, two, strict=True)):
        print(f"| {'shared out' if k % 2 else 'between'} | {a:.0f} | {b:.0f} | {a / b:.2f} |")
    for name, part in (("shared out", slice(1, None, 2)), ("between", slice(0, None, 2)), ("all", slice(None))):
        a, b = sum(one[part]), sum(two[part])
        print(f"| **{name}** | {a:.0f} | {b:.0f} | {a / b:.2f} |")


if __name__ == "__main__":
    main()
