"""What a child process takes of the system: a user, limits, a folder; and how all of it is given back."""

import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

USERS = range(61184, 65520)  # set aside for users that exist only as long as what they run
PLACES = "tinyrnn-child-"  # how the folders of children begin, where these have no file system of their own
SWEEP = """
import os, sys, time
os.setgid(int(sys.argv[1]))
os.setuid(int(sys.argv[1]))
for _ in range(100):
    os.kill(-1, 9)  # everything of this user's but this process
    left = 0
    for name in os.listdir("/proc"):
        try:
            mine = name.isdigit() and int(name) != os.getpid() and os.stat("/proc/" + name).st_uid == os.getuid()
            left += mine and open(f"/proc/{name}/stat").read().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            pass  # gone meanwhile
    if not left:
        break
    time.sleep(0.01)
"""


class SandboxError(RuntimeError):
    """The child process does not even start: the grader's trouble, not the submission's."""


def new_place():
    """A folder for one child, named after this process; those of graders that were killed are removed on the way."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PLACES}*-*"):
        number = folder.name.removeprefix(PLACES).partition("-")[0]
        with suppress(OSError):
            if number.isdigit() and not is_alive(int(number)) and folder.stat().st_uid == os.geteuid():
                shutil.rmtree(folder, ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"{PLACES}{os.getpid()}-")


def is_alive(pid):
    """Whether there is a process of this number; True where that cannot be asked without harm (Windows)."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def is_root():
    """Whether this process has root's rights; never on Windows."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def limits_of(limits, mode):
    """The limits by the names that the system has for them; None: none."""
    processes = limits.processes
    if not is_root() or mode == "plain":
        processes += tasks_of_user()
    return {
        "AS": limits.memory,
        "CPU": int(limits.total) + 60,
        "FSIZE": limits.files,
        "NOFILE": 64,
        "CORE": 0,
        "NPROC": processes,
    }


def tasks_of_user():
    """How many tasks this user has: the limit on processes counts all of them. 0 where that cannot be known."""
    number, user = 0, os.geteuid() if hasattr(os, "geteuid") else 0
    for folder in Path("/proc").glob("[0-9]*/task"):
        try:
            number += len(os.listdir(folder)) if folder.stat().st_uid == user else 0
        except OSError:
            continue  # ended meanwhile
    return number


def user_of_its_own():
    """(number of a user that no other child is now, what is to be closed when it may be another's again)."""
    for uid in random.SystemRandom().sample(USERS, 100):
        lock = socket.socket(socket.AF_UNIX)
        try:
            lock.bind(f"\0tinyrnn-grading-{uid}")  # a name, no file; taken for as long as this is open
        except OSError:
            lock.close()
            continue
        return uid, lock
    raise SandboxError("there are too many child processes")


def sweep(uid):
    """Ends every process of a user, also those that left their session: nobody else is that user."""
    subprocess.run([sys.executable, "-I", "-S", "-c", SWEEP, str(uid)], stderr=subprocess.DEVNULL, check=False)
