"""Writing to a child process and reading from it, each with a deadline, whatever the child does.

On POSIX both pipes are made non-blocking and polled. Windows cannot poll a pipe, so there a thread does the waiting; it
ends when the child is killed.
"""

import os
import select
import threading
import time

CHUNK = 1 << 16
LOOK = 0.1  # seconds between two looks at whether the child is still there: something else may hold its pipe open


class Closed(Exception):
    """The other side has gone."""


class Late(Exception):
    """The deadline has passed."""


class Pipes:
    """The two pipes of a `subprocess.Popen` with bufsize=0. Deadlines are times of `time.monotonic`. look: is called
    while something is waited for; what it raises goes through."""

    def __init__(self, process, polled=os.name == "posix", look=lambda: None):
        self.process, self.look = process, look
        self.into, self.out = process.stdin.fileno(), process.stdout.fileno()
        self.polled = polled
        if self.polled:
            os.set_blocking(self.into, False)
            os.set_blocking(self.out, False)

    def send(self, data, deadline):
        """Writes all of it, or raises `Closed` or `Late`."""
        if not self.polled:
            return self.in_thread(lambda: self.process.stdin.write(data), deadline)
        rest = memoryview(data)
        while rest:
            self.wait(self.into, select.POLLOUT, deadline)
            try:
                rest = rest[os.write(self.into, rest[:CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise Closed from None

    def receive(self, number, deadline):
        """Exactly so many bytes, or `Closed` or `Late`."""
        if not self.polled:
            return self.in_thread(lambda: read_all(self.process.stdout, number), deadline)
        parts = bytearray()
        while len(parts) < number:
            self.wait(self.out, select.POLLIN, deadline)
            try:
                part = os.read(self.out, min(CHUNK, number - len(parts)))
            except BlockingIOError:
                continue
            if not part:
                raise Closed
            parts += part
        return bytes(parts)

    def unread(self):
        """Whether there is something to read that nobody asked for. Not known on Windows: False."""
        if not self.polled:
            return False
        poll = select.poll()
        poll.register(self.out, select.POLLIN)
        return any(event & select.POLLIN for _, event in poll.poll(0))

    def wait(self, fd, event, deadline):
        """Return once the event can be had; raises `Late` at the deadline, `Closed` when the process has ended."""
        poll = select.poll()
        poll.register(fd, event)
        gone = False
        while True:
            self.look()
            left = deadline - time.monotonic()
            if left <= 0:
                raise Late
            if poll.poll(min(left, LOOK) * 1000):
                return
            if gone:  # what it wrote before it ended has been looked for once more
                raise Closed
            gone = self.process.poll() is not None

    def in_thread(self, work, deadline):
        """What `work()` returns, run in a thread; raises `Late` at the deadline, `Closed` where the pipe fails."""
        result = []

        def run():
            try:
                result.append(work())
            except (OSError, ValueError):
                result.append(Closed)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(max(0.0, deadline - time.monotonic()))
        if not result:
            raise Late
        if result[0] is Closed:
            raise Closed
        return result[0]


def read_all(stream, number):
    """So many bytes of a stream; OSError if it ends before."""
    parts = bytearray()
    while len(parts) < number:
        part = stream.read(number - len(parts))
        if not part:
            raise OSError("closed")
        parts += part
    return bytes(parts)
