"""Central differences, written apart from the line verdicts: `python -m benchmarks.public_lines.verify`.

Says of each subject whether it is right (after the edits that its `Subject` names), and of each planted mistake whether
it makes a gradient wrong: a mistake that changes nothing would be no measure.
"""

import sys
import tempfile

import numpy as np

from . import SUBJECTS
from .programs import build

STEP, TOLERANCE = 1e-5, 1e-6


def differences(array, value):
    """The central differences of `value()` by the entries of an array, which is changed in place and put back."""
    found = np.zeros(array.shape)
    for k in np.ndindex(array.shape):
        before = array[k]
        array[k] = before + STEP
        up = value()
        array[k] = before - STEP
        down = value()
        array[k] = before
        found[k] = (up - down) / (2 * STEP)
    return found


def wrong_gradients(subject, mistake=None):
    """The names of the arrays whose gradients differ from the differences; ["raises ..."] if it breaks off."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            given = subject.make(build(subject, folder, mistake).module)
            gradients = given.gradients()
        except Exception as error:
            return [f"raises {type(error).__name__}: {error}"]
        expected = {name: differences(given.arrays[name], given.value) for name in gradients}
    wrong = []
    for name, found in gradients.items():
        found = np.asarray(found, dtype=float)
        if found.size != expected[name].size:
            wrong.append(f"{name} (shape)")
        elif not np.allclose(found.reshape(expected[name].shape), expected[name], rtol=1e-4, atol=TOLERANCE):
            wrong.append(name)
    return wrong


def main():
    faults = 0
    for subject in SUBJECTS:
        wrong = wrong_gradients(subject)
        faults += bool(wrong)
        print(f"{subject.program}: {subject.name}: {'WRONG ' + ', '.join(wrong) if wrong else 'right'}", flush=True)
        for mistake in subject.mistakes:
            wrong = wrong_gradients(subject, mistake)
            faults += not wrong
            if not wrong or "-v" in sys.argv:
                print(f"    {mistake}: {', '.join(wrong) or 'CHANGES NOTHING'}", flush=True)
            if wrong and wrong[0].startswith("raises"):
                print(f"    {mistake}: {wrong[0]}", flush=True)
    raise SystemExit(faults > 0)


if __name__ == "__main__":
    main()
