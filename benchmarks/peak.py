"""Peak memory of a piece of code, measured in a process of its own.

    peak_of(setup, work)      # both Python source, run one after the other in the same namespace

`setup` imports, builds and, if it likes, warms up; what the process holds after it is the baseline. `work` is measured.
On Linux the peak comes from /proc (VmHWM, set back after `setup`): `getrusage` would do too, but a child inherits the
figure of the parent that started it. Elsewhere it is `getrusage`'s.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CHILD = """
import json, resource, sys, time

def resident(key):
    try:
        with open("/proc/self/status") as status:
            return next(1024 * int(line.split()[1]) for line in status if line.startswith(key))
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

setup, work = json.load(sys.stdin)
space = {}
exec(setup, space)
try:
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
except OSError:
    pass  # the peak then includes that of the setup
baseline, start = resident("VmRSS"), time.perf_counter()
exec(work, space)
print(json.dumps({"baseline": baseline, "peak": resident("VmHWM"), "seconds": time.perf_counter() - start}))
"""


@dataclass
class Peak:
    """Bytes resident after the setup and at most during the work, and how long the work took."""

    baseline: int
    peak: int
    seconds: float

    @property
    def more(self):
        """Bytes that the work needed on top."""
        return self.peak - self.baseline


def peak_of(setup, work, environment=None):
    """`Peak` of the source `work` after the source `setup`; RuntimeError, with the child's message, if it fails.

    The child sees this folder's modules; environment: its environment, by default ours.
    """
    child = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=json.dumps([setup, work]),
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
        env=environment,
    )
    if child.returncode:
        reason = (child.stderr.strip() or f"killed by signal {-child.returncode}").splitlines()[-1]
        raise RuntimeError(f"the measured process failed: {reason}")
    return Peak(**json.loads(child.stdout.splitlines()[-1]))
