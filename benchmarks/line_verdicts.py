"""How long a verdict on every line takes, from reading the sources to the report: `python benchmarks/line_verdicts.py`.

The aims are 2 s for a step of an LSTM and 10 s for a whole sequence.
"""

import importlib.util
import sys
import time
from pathlib import Path

import numpy as np

import tinyrnn as tr

ROOT = Path(__file__).parents[1]


def module(path):
    """A Python file as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = made
    spec.loader.exec_module(made)
    return made


def main():
    wrong, homework = (
        module(ROOT / "lectures" / "wrong_lstm.py"),
        module(ROOT / "tests" / "other_styles" / "homework.py"),
    )
    classes = module(ROOT / "tests" / "other_styles" / "classes.py")
    rng = np.random.default_rng(0)
    subjects = {
        "LSTM step, two mistakes (lectures/wrong_lstm.py)": lambda: tr.lines(wrong),
        "LSTM step, homework style": lambda: tr.lines(*homework.examples(rng)["lstm step"]),
        "LSTM sequence, homework style": lambda: tr.lines(*homework.examples(rng)["lstm"]),
        "LSTM sequence, class style": lambda: tr.lines(*classes.examples(rng)["TimeLSTM"]),
        "tr.LSTM, T=3, B=3": lambda: tr.lines("lstm"),
        "tr.LSTM, T=20, B=4": lambda: tr.lines("lstm", T=20, B=4),
        "tr.UnitaryRNN, T=3, B=3": lambda: tr.lines("urnn"),
    }
    print(f"{'subject':<50} {'seconds':>8}")
    for name, judge in subjects.items():
        start = time.perf_counter()
        judge()
        print(f"{name:<50} {time.perf_counter() - start:8.2f}")


if __name__ == "__main__":
    main()
