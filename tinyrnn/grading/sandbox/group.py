"""A limit on the memory of a submission as a whole, whatever number of processes it makes of itself.

Where this process may make control groups (Linux, mostly as root), the child is put into one of its own, which the
system holds to the limit. Elsewhere on Linux the memory of the child and all that it started is added up while its
answers are waited for.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
OFTEN = 0.1  # seconds between two looks at how much memory is used
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class TooMuch(Exception):
    """The processes of a submission use more memory together than it may."""


class MemoryGroup:
    """The memory of one child process and all that come from it. pid: of the child, which must not have started any
    yet. most: bytes. uid: of a user that nobody else is, or None."""

    def __init__(self, pid, most, uid=None):
        self.pid, self.most, self.uid, self.looked = pid, most, uid, 0.0
        self.folder = control_group(pid, most)

    def look(self):
        """Raises `TooMuch` where the limit is passed; to be called now and then. A control group needs no looks."""
        if self.folder is not None or time.monotonic() < self.looked + OFTEN:
            return
        self.looked = time.monotonic()
        if memory_of(self.pid, self.uid) > self.most:
            raise TooMuch

    def was_full(self):
        """Whether the system has ended a process of the group for its memory."""
        for name, word in (("memory.events", "oom_kill "), ("memory.oom_control", "oom_kill ")):
            with suppress(OSError, TypeError, ValueError):
                for line in (self.folder / name).read_text(encoding="ascii").splitlines():
                    if line.startswith(word) and int(line.split()[1]):
                        return True
        return False

    def close(self):
        """Ends what is left in the group, and removes it."""
        if self.folder is None:
            return
        for _ in range(100):
            try:
                self.folder.rmdir()
                break
            except FileNotFoundError:
                break
            except OSError:  # something is in it still
                with suppress(OSError, ValueError):
                    for pid in map(int, (self.folder / "cgroup.procs").read_text(encoding="ascii").split()):
                        os.kill(pid, signal.SIGKILL)
                time.sleep(0.01)
        self.folder = None


def control_group(pid, most):
    """The folder of a new control group with a process in it and a limit on its memory, of either version; None where
    there are none to be had."""
    for parent, limits in places():
        folder = parent / f"tinyrnn-{os.getpid()}-{pid}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            for name, needed in limits:
                try:
                    (folder / name).write_text(str(most if "swap" not in name else 0), encoding="ascii")
                except OSError:
                    if needed:
                        raise
            (folder / "cgroup.procs").write_text(str(pid), encoding="ascii")
            return folder
        except OSError:
            with suppress(OSError):
                folder.rmdir()
    return None


def places():
    """(folder in which a group might be made, ((file that takes its limit, whether it must), …)) of this process."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, kinds, path = line.split(":", 2)
        if kinds == "":
            yield ROOT / path.lstrip("/"), (("memory.max", True), ("memory.swap.max", False))
        elif "memory" in kinds.split(","):
            yield ROOT / "memory" / path.lstrip("/"), (("memory.limit_in_bytes", True),)


def memory_of(pid, uid=None):
    """Bytes in memory of a process and all that come from it, or of all processes of a user; 0 where that cannot be
    known. What they share counts for each."""
    total = 0
    for each in family(pid) if uid is None else processes_of(uid):
        with suppress(OSError, ValueError, IndexError):
            total += PAGE * int(Path(f"/proc/{each}/statm").read_text(encoding="ascii").split()[1])
    return total


def family(pid):
    """A process and its children, and theirs."""
    found, left = [], [pid]
    while left:
        found.append(left.pop())
        with suppress(OSError, ValueError):
            left += map(int, Path(f"/proc/{found[-1]}/task/{found[-1]}/children").read_text(encoding="ascii").split())
    return found


def processes_of(uid):
    """The processes of a user, by number."""
    found = []
    with suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with suppress(OSError):
                found += [int(name)] if os.stat(f"/proc/{name}").st_uid == uid else []
    return found
