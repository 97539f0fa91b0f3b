"""One child process: how it is started, asked, and ended. See `tinyrnn.grading.sandbox`."""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tinyrnn.grading.compare import listed
from tinyrnn.grading.sandbox import packages as within_reach
from tinyrnn.grading.sandbox import wire
from tinyrnn.grading.sandbox.group import MemoryGroup, TooMuch
from tinyrnn.grading.sandbox.pipes import Closed, Late, Pipes
from tinyrnn.grading.sandbox.system import is_root, limits_of, new_place, sweep, user_of_its_own
from tinyrnn.grading.task import Source

CHILD = Path(__file__).with_name("child.py")
KINDS = ("returned", "raised", "timeout", "memory", "missing", "unsent")  # that a child may say of itself
PLACE = re.compile(r"[\w.-]{1,80}:\d{1,6}", re.ASCII)
UNPRINTABLE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
SPARE = 256 << 20  # bytes: libraries, and what of the processor's caches is counted
TOGETHER = "all of its processes together need more memory than there is"
MOST_MESSAGE = 400
MOST_PRINTED = 4096
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",  # the order of a set is part of a sum: the same submission, the same bytes
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "LANG": "C.UTF-8",
}


class Reply(NamedTuple):
    """What became of a call.

    kind: "returned" (value: the nested arrays), "raised" (message: type and text of the exception), "timeout", "died",
        "memory", "missing" (there is no such function), "import" (the file does not load), "unsent" (what was returned
        is more than numbers, or too much).
    message: one line, "" if returned. line: "ex3_gates.py:41" or "". printed: what the call wrote, the first 4 kB.
    changed: name of an argument that the function changed in place, in that line; or "".
    """

    kind: str
    value: object = None
    message: str = ""
    line: str = ""
    printed: str = ""
    changed: str = ""


@dataclass(frozen=True)
class Limits:
    """What a child process may use.

    memory: address space of each process, and memory of all of them together, in bytes. files: size of any file, in
    bytes. processes: at a time. load: seconds for the import of the submission. total: seconds of wall clock for all
    calls of a sandbox together; afterwards every call is a timeout. patience: a call may take so many times its seconds
    on the wall clock as long as it does not take them of a processor (a busy machine fails nobody). source: bytes of a
    submission.
    """

    memory: int = 1 << 30
    files: int = 16 << 20
    processes: int = 8
    load: float = 10.0
    total: float = 300.0
    patience: float = 3.0
    source: int = 1 << 20


class Child:
    """One process. `exchange` sends a request and reads the reply; whatever happens, there is a `Reply`."""

    def __init__(self, sandbox):
        limits, mode = sandbox.limits, sandbox.mode
        self.mode = mode
        self.uid, self.lock = user_of_its_own() if is_root() and mode != "plain" else (None, None)
        self.printed = tempfile.TemporaryFile(buffering=0)
        self.place = new_place() if mode != "namespaces" else None
        config = {"mode": mode, "uid": self.uid, "main": sandbox.main, "place": self.place}
        config |= {"imports": sandbox.imports, "allows": listed(sandbox.packages)}
        config["limits"] = limits_of(limits, mode)
        config["files"] = [(name, data.hex()) for name, data in sandbox.files.items()]
        if self.place is None:
            config |= within_reach.plan(sandbox.packages)
        else:
            config["packages"] = within_reach.link(sandbox.packages, self.place)
            if self.uid is not None:  # for this child and no other one
                os.chown(self.place, 0, self.uid)
                os.chmod(self.place, 0o710)
        self.process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-S", "-B", "-u", "-X", "utf8", str(CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.printed,
            bufsize=0,
            cwd=self.place or "/",
            env=ENVIRONMENT | {k: v for k, v in os.environ.items() if k == "SYSTEMROOT"},
            start_new_session=True,
            umask=0o022 if os.name == "posix" else -1,  # what is made for the other user must be readable to it
        )
        self.group = MemoryGroup(self.process.pid, limits.memory + SPARE, self.uid)
        self.pipes = Pipes(self.process, look=self.group.look)
        data = json.dumps(config).encode()
        self.greeting = len(data).to_bytes(8, "little") + data

    def exchange(self, request, seconds, patience=None):
        """patience: seconds of wall clock; default: as many."""
        nonce, data = request
        deadline = time.monotonic() + (patience or seconds)
        try:
            if self.pipes.unread():
                return self.ended("died", "something was written where answers are read")
            self.pipes.send(self.greeting + data, deadline)
            self.greeting = b""
            head, body = wire.lengths(self.pipes.receive(wire.PREFIX.size, deadline))
            header, value = wire.unpack(self.pipes.receive(head, deadline), self.pipes.receive(body, deadline))
            if self.pipes.unread():
                raise wire.WireError
            return self.read(header, value, nonce, seconds)
        except TooMuch:
            return self.ended("memory", TOGETHER)
        except Late:
            return self.ended("timeout", f"took more than {seconds:g} s")
        except wire.WireError:
            return self.ended("died", "something was written where answers are read")
        except Closed:
            return self.dead(seconds)

    def read(self, header, value, nonce, seconds):
        """The `Reply` that a frame holds, cleaned; WireError for a wrong nonce, an unknown kind or other types."""
        kind, message, line = (header.get(key) for key in ("kind", "message", "line"))
        if header.get("nonce") != nonce or kind not in KINDS or type(message) is not str or type(line) is not str:
            raise wire.WireError
        value = value if kind == "returned" else None
        said = {"returned": "", "memory": "needs more memory than there is", "timeout": f"took more than {seconds:g} s"}
        message = " ".join(said.get(kind, self.clean(message, MOST_MESSAGE)).split())
        return Reply(kind, value, message, line if PLACE.fullmatch(line) else "", self.take_printed())

    def dead(self, seconds):
        """The reply for a process that ended by itself."""
        try:
            code = self.process.wait(1.0)
        except subprocess.TimeoutExpired:  # it closed the pipe and lives on
            return self.ended("died", "closed the way back to the grader")
        number = -code if code < 0 else code - 128
        if self.group.was_full():
            return self.ended("memory", TOGETHER)
        if number == getattr(signal, "SIGXCPU", None):
            return self.ended("timeout", f"took more than {seconds:g} s")
        names = {each.value: each.name for each in signal.Signals}
        how = f"ended by {names[number]}" if number in names else f"ended itself with status {code}"
        return self.ended("died", how)

    def ended(self, kind, message):
        """Kill the child; returns a `Reply` of this kind with what was printed."""
        self.kill()
        return Reply(kind, message=message, printed=self.take_printed())

    def take_printed(self):
        """What was written since the last time, without what would move a terminal's cursor."""
        self.printed.seek(0)
        text = self.printed.read(MOST_PRINTED + 1)
        self.printed.seek(0)  # the child writes from there: the file's position is the same one for both
        self.printed.truncate()
        cut = "\n(and more)" if len(text) > MOST_PRINTED else ""
        return self.clean(text[:MOST_PRINTED].decode("utf-8", "replace"), MOST_PRINTED) + cut

    def clean(self, text, most):
        """Text to show, in which files are called as their author calls them, wherever they were for the moment."""
        return clean(re.sub(rf"(?<![\w./-]){re.escape(self.place or '')}/(files|work|packages)/", "", text), most)

    def kill(self):
        """Ends the process, its group, and with a user or namespace of its own everything it started."""
        if self.mode == "namespaces" and self.process.poll() is None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(5.0)
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        if self.uid is not None and self.place is not None:
            sweep(self.uid)

    def close(self):
        """Kill the child, close its pipes and files, and remove its folder."""
        self.kill()
        self.group.close()
        self.process.stdin.close()
        self.process.stdout.close()
        self.printed.close()
        if self.lock is not None:
            self.lock.close()
        if self.place is not None:
            shutil.rmtree(self.place, ignore_errors=True)


def wire_request(request, arguments, seconds, wall=None):
    """(nonce, frame): the reply has to repeat the nonce, so that one written before the question is none. wall: seconds
    on the clock after which the child gives up by itself; default: as many."""
    nonce = secrets.token_hex(8)
    request = {**request, "seconds": seconds, "wall": wall or seconds, "nonce": nonce}
    return nonce, wire.pack(request, arguments, Source)


def clean(text, most):
    """Text that a terminal can show: no control characters, not too long."""
    return UNPRINTABLE.sub("", text)[:most]
