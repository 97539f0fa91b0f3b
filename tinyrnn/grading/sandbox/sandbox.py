"""A student's functions, called in a child process that returns arrays and never a verdict.

    with Sandbox({"ex3_gates.py": text}, "ex3_gates.py") as sandbox:
        reply = sandbox.call("gate", {"x": x})

The child is an untrusted calculator. Nothing that it sends is run, unpickled or believed: it can send numbers, and only
right numbers are worth points. What it cannot do besides depends on the system; `protections` says what is active here:

    time, memory     wall clock here, processor time and memory by limits of the system (not on Windows)
    user             it runs as a user that owns nothing, and can signal and read no process of the grader
    processes        whatever it started ends with it, also what left its session
    files            it sees an interpreter, its packages and its own files; else whatever its user may read, so hidden
                     checks and secrets belong into folders that only the grader may read (chmod 700)
    network          it has none

On a laptop, run as oneself on a system without user namespaces, only the first two hold. That is no place for hidden
checks, and needs none. The same is true of root where neither of the stricter modes works, such as in a container with
the interpreter below /root: then `protections()["mode"]` is "plain", and the submissions of others should not be run.
What no sandbox prevents: right numbers that were found in another way.
"""

import os
import re
import sys
import time
from functools import cache

from tinyrnn.grading.compare import first_changed
from tinyrnn.grading.sandbox import packages as within_reach
from tinyrnn.grading.sandbox.process import (
    MOST_MESSAGE,
    Child,
    Limits,
    Reply,
    clean,
    wire_request,
)
from tinyrnn.grading.sandbox.system import SandboxError, is_root

REFUSED = "this exercise allows"  # how the child begins what it says of an import
MODES = ("namespaces", "user", "plain")
NAME = re.compile(r"\w[\w.-]*", re.ASCII)


PROBE = """
import os

def readable(paths):
    return [bool(reads(path)) for path in paths]

def reads(path):
    try:
        return os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1)
    except OSError:
        return False
"""


class Sandbox:
    """A submission, and one child process after the other that runs it.

    files: name -> text or bytes. main: which of them has the functions; it may import the others. packages: what it may
    import besides the standard library. imports: False: anything that is in reach; True: of the standard library no
    more than `packages.STANDARD`, and whoever imports anything else is told what is allowed and which line to remove.
    mode: one of `MODES`, None: the strictest that works here. Calls go to one
    child as long as it lives; after a timeout or death the next call has a new one. Use it as a context, in one thread
    that goes on as long: on Linux a child ends with the thread that started it.

    Raises ValueError for names that are no plain file names, or packages that are not there.
    """

    def __init__(self, files, main, packages=("numpy",), limits=None, mode=None, imports=False):
        odd = [name for name in files if not NAME.fullmatch(name)]
        if odd or main not in files or not main.removesuffix(".py").isidentifier():
            raise ValueError(
                f"no plain file name: {odd[0]!r}" if odd else f"no Python file of the submission: {main!r}"
            )
        self.files = {n: t if isinstance(t, bytes) else t.encode("utf-8", "surrogatepass") for n, t in files.items()}
        self.main, self.packages, self.limits = main, tuple(packages), limits or Limits()
        own = [name.removesuffix(".py") for name in self.files]
        self.imports = [*self.packages, *within_reach.STANDARD, *own] if imports else None
        self.mode = mode or best_mode()
        self.left = self.limits.total
        self.child = None
        self.broken = None  # the reply to everything, once the file does not load
        within_reach.folders(self.packages)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the child process, and all that it started as far as the system can tell."""
        if self.child is not None:
            self.child.close()
            self.child = None

    def call(self, function, arguments, seconds=5.0, without=()):
        """The `Reply` to `function(**arguments)`. Arguments may hold `Source`; what the function changes is a copy.
        without: names of functions of the submission that are out of reach, from this call on.

        What has become of the arguments comes back and is compared here, out of the submission's reach: to send back
        what it was given, it has to have worked on a copy. A second call, with arrays that cannot be written to, then
        tells the line."""
        request = {"do": "call", "function": function, "without": without, "read_only": False}
        reply = self.ask(request, arguments, seconds)
        if reply.kind != "returned":
            return reply
        after = self.ask({"do": "arguments"}, None, seconds)
        if after.kind not in ("returned", "unsent"):
            return after
        changed = first_changed(arguments, after.value)
        if changed:
            line = self.ask({**request, "read_only": True}, arguments, seconds).line
            reply = reply._replace(changed=changed, line=line)
        return reply

    def ask(self, request, arguments, seconds):
        """The `Reply` to any request, a dict; a child is started if there is none, and given up after a timeout or its
        death."""
        request = wire_request(request, arguments, seconds, 0.9 * seconds * self.limits.patience)
        if sum(map(len, self.files.values())) > self.limits.source:
            return Reply("import", message=f"more than {self.limits.source >> 10} kB of source")
        if self.broken is None and self.child is None:
            self.start()
        if self.broken is not None:
            return self.broken
        if self.child is None:  # no time was left to load it once more
            return self.too_long()
        reply = self.timed(request, seconds)
        if reply.kind in ("timeout", "died") or (self.child is not None and self.child.process.poll() is not None):
            self.close()
        return reply

    def start(self):
        """A new child process with the submission loaded; sets `broken` if it does not load."""
        self.child = Child(self)
        first = self.child.exchange(wire_request({"do": "nothing"}, None, 60.0), 60.0)
        if first.kind != "returned":
            self.close()
            raise SandboxError(f"the child process does not start ({self.mode}): {last_line(first)}")
        seconds = self.limits.load
        loaded = self.timed(wire_request({"do": "load"}, None, seconds, 0.9 * seconds * self.limits.patience), seconds)
        if loaded.kind != "returned":
            self.close()
        if loaded.kind != "returned" and self.left > 0:
            while_ = "" if loaded.message.startswith(REFUSED) else ", while it was loaded"
            self.broken = loaded._replace(kind="import", message=loaded.message + while_)

    def timed(self, request, seconds):
        """A reply of the child, within what is left of the time of the whole submission."""
        if self.left <= 0:
            return self.too_long()
        began = time.monotonic()
        try:
            return self.child.exchange(request, seconds, min(self.left, seconds * self.limits.patience))
        finally:
            self.left -= time.monotonic() - began

    def too_long(self):
        """The `Reply` when the time of the whole submission is used up."""
        return Reply("timeout", message=f"all calls together took more than {self.limits.total:g} s")


def line_verdicts(files, main, forward, backward, inputs, seconds=20.0, packages=("numpy",), mode=None, leave=()):
    """The line verdicts (`tinyrnn.lines`) on two functions of a submission: a list of lines of text, or None.

    forward, backward: names. inputs: the forward function's arguments, a dict, and perhaps others. leave: names of
    functions not to look into. This is feedback and never points: it is the student's process that says it.
    """
    limits = Limits(memory=3 << 30)
    with Sandbox(files, main, (*packages, "tinyrnn"), limits, mode) as sandbox:
        reply = sandbox.ask({"do": "lines", "forward": forward, "backward": backward, "leave": leave}, inputs, seconds)
    found = reply.value
    if type(found) is not list or not found or not all(type(line) is str for line in found):
        return None
    return [clean(line, MOST_MESSAGE).rstrip() for line in found[:500]]


def protections():
    """What is active on this system: {"time", "memory", "user", "processes", "files", "network": bool, "mode": str}."""
    mode = best_mode()
    posix = os.name == "posix"
    return {
        "mode": mode,
        "time": True,
        "memory": posix and sys.platform != "darwin",
        "user": is_root() and mode != "plain",
        "processes": mode != "plain",
        "files": mode == "namespaces",
        "network": mode == "namespaces",
    }


def exposed(paths, mode=None):
    """Those of some paths that a submission could read, or look into if they are folders: found by a submission that
    tries. All of them in mode "plain", where it has the rights of whoever grades. mode: as of `Sandbox`."""
    text = [os.fspath(os.path.realpath(path)) for path in paths]
    with Sandbox({"probe.py": PROBE}, "probe.py", mode=mode) as sandbox:
        found = sandbox.call("readable", {"paths": text}, seconds=20.0).value
    return [path for path, is_open in zip(paths, found or [True] * len(text), strict=True) if is_open]


def best_mode():
    """The strictest of `MODES` in which a child process works here."""
    return next(mode for mode in MODES if mode == "plain" or works(mode))


@cache
def works(mode):
    """Whether a child process can be run in a mode here; tried once."""
    if mode != "plain" and (sys.platform != "linux" or (mode == "user" and not is_root())):
        return False
    try:
        with Sandbox({"probe.py": "import decimal\ndef probe():\n    return 1\n"}, "probe.py", mode=mode) as sandbox:
            return sandbox.call("probe", {}).value == 1
    except SandboxError:
        return False


def last_line(reply):
    """The last line printed, or the message if nothing was."""
    lines = reply.printed.strip().splitlines()
    return lines[-1] if lines else reply.message
