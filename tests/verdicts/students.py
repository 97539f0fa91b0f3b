"""Files as students write them, for the tests of `tinyrnn.lines` and its command."""

import textwrap
from pathlib import Path

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

OTHERS = Path(__file__).parents[1] / "other_styles"


def write(folder, text, name="hw.py"):
    """A file of that text; returns its path."""
    path = Path(folder) / name
    path.write_text("import numpy as np\n\n\n" + textwrap.dedent(text).lstrip("\n"))
    return path


def lines_accused(folder, source, right, wrong, given):
    """(the report, {texts of the lines accused}) on the passes of a changed source.

    given: the inputs."""
    report, lines = accused_in_turn(folder, source, right, wrong, given)
    return report, set(lines)


def accused_in_turn(folder, source, right, wrong, given):
    """(the report, [texts of the lines accused], one for each row). The passes are `loss_and_gradients`, or `forward`
    and `backward`, or `run_forward` and `run_backward`. right: what is changed; "" leaves the source as it is."""
    assert not right or source.count(right) == 1
    path = write(folder, source.replace(right, wrong) if right else source)
    with loaded(path) as module:
        whole, start = getattr(module, "loss_and_gradients", None), "run_" if hasattr(module, "run_forward") else ""
        passes = (whole, whole) if whole else [getattr(module, f"{start}{way}") for way in ("forward", "backward")]
        report = tr.lines(*passes, given)
    lines = path.read_text(encoding="utf-8").splitlines()
    return report, [lines[row.line - 1].strip() for row in report.wrong]


def copy_of_hands(folder, name, *planted, examples=True):
    """A copy of a file in `other_styles/`, with each (old, new) of `planted` replaced; (path, numbers of those lines).

    examples: False takes away the inputs it has for its own functions.
    """
    text = (OTHERS / name).read_text()
    numbers = []
    for old, new in planted:
        assert text.count(old) == 1, old
        numbers.append(text[: text.index(old)].count("\n") + 1)
        text = text.replace(old, new)
    text = text if examples else text[: text.index("\n\ndef examples(")]
    path = Path(folder) / name
    path.write_text(text)
    return path, numbers


def wrong_lines(report):
    return {(row.function, row.line) for row in report.wrong}
