"""How busy other programs keep the machine while something is timed: with many, a time means little."""

import os
import time
from pathlib import Path

STATISTICS = Path("/proc/stat")  # Linux


class Busy:
    """Watches from where it is made: `cores()` is how many cores others have kept busy since then, on average."""

    def __init__(self):
        self.begun, self.all, self.own = time.perf_counter(), machine_seconds(), own_seconds()

    def cores(self):
        """A float, at least 0; None on a system that does not say."""
        now = machine_seconds()
        if now is None or self.all is None:
            return None
        wall = max(time.perf_counter() - self.begun, 1e-9)
        return max((now - self.all) - (own_seconds() - self.own), 0.0) / wall

    def __str__(self):
        cores = self.cores()
        if cores is None:
            return "how busy other programs kept the machine, this system does not say"
        return f"meanwhile other programs kept {cores:.1f} of {os.cpu_count()} cores busy{warning(cores)}"


def warning(cores):
    """What that means for times and exponents."""
    return ": times of several threads, ratios and exponents mean little" if cores > DISTURBING else ""


DISTURBING = 0.3  # cores


def machine_seconds():
    """Seconds that all cores together have worked since the system began; None where it does not say."""
    if not STATISTICS.exists():
        return None
    of_all_cores = STATISTICS.read_text(encoding="utf-8").split("\n")[0].split()[1:]
    user, nice, system, _, _, interrupts, soft, stolen, *_ = map(int, of_all_cores)
    return (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    """Seconds that this process and the children that have ended have worked."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
