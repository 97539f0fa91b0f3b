"""The process that runs a student's code: loads the submission, calls its functions, sends what they return.

Started by `tinyrnn.grading.sandbox.sandbox` as a script, with nothing of tinyrnn in reach unless that was asked for. It
decides nothing: what it sends are values, which are compared elsewhere, so a submission that takes this process over
has gained the right to send numbers. Requests come on what was standard input, replies go to what was standard output;
a print goes where errors go.
"""

import builtins
import json
import os
import signal
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_MESSAGE = 400


class Slow(BaseException):
    """The processor time of a call is used up."""


def main():
    """Takes the configuration from standard input, gives up rights, and serves requests; ends the process."""
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    sources = {name: read_text(os.path.join(HERE, f"{name}.py")) for name in ("guard", "jail", "wire")}
    config = json.loads(read_exactly(requests, int.from_bytes(read_exactly(requests, 8), "little")))
    packages, files = module_of("jail", sources).enter(config)
    sys.path += [packages if os.path.isdir(packages) else config["packages"], files]
    wire = module_of("wire", sources)
    guard = module_of("guard", sources)
    if config["imports"] is not None:
        guard.guard_imports(config["imports"], config["allows"], config["main"], files)
    serve(Channel(wire, requests, replies), guard, config["main"], files)
    os._exit(0)  # nothing registered for the end of the process


def read_text(path):
    """The text of a UTF-8 file."""
    with open(path, encoding="utf-8") as file:
        return file.read()


def module_of(name, sources):
    """A new module made from one of the sources (name -> text), without importing anything by path."""
    module = types.ModuleType(f"grading_{name}")
    exec(compile(sources[name], f"{name}.py", "exec"), module.__dict__)
    return module


def read_exactly(fd, number):
    """So many bytes of a file descriptor; if it ends before, so does this process."""
    parts = []
    while number:
        part = os.read(fd, min(number, 1 << 20))
        if not part:
            os._exit(0)  # whoever asked is gone
        parts.append(part)
        number -= len(part)
    return b"".join(parts)


class Channel:
    """Frames in and out; what it needs is kept here, so that a submission which changes a module does not change it."""

    def __init__(self, wire, requests, replies):
        self.wire, self.requests, self.replies = wire, requests, replies
        self.read, self.write = read_exactly, os.write

    def receive(self, evaluate):
        """One frame from the parent, as `wire.unpack` returns it; evaluate: for values that are sent as source."""
        wire = self.wire
        head, body = wire.lengths(self.read(self.requests, wire.PREFIX.size))
        return wire.unpack(self.read(self.requests, head), self.read(self.requests, body), evaluate)

    def send(self, nonce, kind, value=None, message="", line=""):
        """Send one reply, all of it; the message is cut at `MOST_MESSAGE`."""
        header = {"nonce": nonce, "kind": kind, "message": message[:MOST_MESSAGE], "line": line}
        data = memoryview(self.wire.pack(header, value))
        while data:
            data = data[self.write(self.replies, data) :]


def serve(channel, guard, main, files):
    """Answers requests until there are no more. The first one asks for nothing but this process itself, the second one
    for the submission to be loaded, all others for a call, or for what has become of the arguments of the last one:
    whether they were changed is not decided here, where the submission could decide it."""
    import numpy as np

    array = np.ndarray  # as it is before the submission can change it

    def evaluate(text):
        return eval(text, {"np": np, "__builtins__": builtins})

    module = last = None
    while True:
        request, arguments = channel.receive(evaluate)
        seconds, nonce = request["seconds"], request["nonce"]
        try:
            allow(seconds, request["wall"])
            seed(np)
            if request["do"] == "nothing":
                answer = ("returned", None)
            elif request["do"] == "load":
                module, answer = load(main, files), ("returned", None)
            elif request["do"] == "call":
                last = guard.read_only(arguments, array) if request["read_only"] else arguments
                answer = call(module, request, last, guard)
            elif request["do"] == "arguments":
                answer = ("returned", guard.without_functions(last))
            else:
                answer = ("returned", lines(module, request, arguments, files))
        except MemoryError:
            answer = ("memory",)
        except Slow as late:
            answer = ("timeout", None, *told(late, files))
        except BaseException as error:  # SystemExit too
            answer = ("raised", None, *told(error, files))
            if request["do"] == "call" and not answer[3]:
                answer = (*answer[:3], line_of_function(getattr(module, request["function"], None)))
            del error
        no_more_time()
        flush()
        try:
            channel.send(nonce, *answer)
        except MemoryError:
            channel.send(nonce, "memory")
        except channel.wire.Unsendable as error:
            channel.send(nonce, "unsent", message=str(error))
        except Exception as error:  # from methods of what was returned
            channel.send(nonce, "unsent", message=f"a value that raises {type(error).__name__} when it is read")
        del answer, arguments


def load(main, files):
    """The module that the submission's main file makes."""
    from importlib.util import module_from_spec, spec_from_file_location

    name = main.removesuffix(".py")
    spec = spec_from_file_location(name, os.path.join(files, main))
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def call(module, request, arguments, guard):
    """The reply to a call: kind, value, message."""
    function = request["function"]
    found = getattr(module, function, None)
    if found is None:
        return "missing", None, f"there is no function {function}"
    if not callable(found):
        return "missing", None, f"{function} is no function but of type {type(found).__name__}"
    there = guard.put_away(module, request["without"], function)
    try:
        return "returned", found(**arguments)
    finally:
        vars(module).update(there)


def lines(module, request, inputs, files):
    """The line verdicts on two functions, as lines of text. inputs: at least what the forward one takes, or else
    they are made up."""
    import inspect

    import tinyrnn

    os.chdir(files)  # files are then named as the student names them
    forward, backward = (getattr(module, request[which]) for which in ("forward", "backward"))
    asked = inspect.signature(forward).parameters
    inputs = {name: inputs[name] for name in asked} if asked.keys() <= inputs.keys() else None  # None: made up
    report = tinyrnn.lines(forward, backward, inputs, leave=tuple(request["leave"]))
    return str(report).splitlines()


def allow(seconds, wall):
    """So much processor time from now on, and so much on the clock: then `Slow` is raised where the call is, so that
    its line can be told. Whoever goes on regardless is ended by the system, a second later, or by the parent."""
    try:
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        soft = int(used.ru_utime + used.ru_stime + seconds) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
        for number, timer, length in (
            (signal.SIGPROF, signal.ITIMER_PROF, seconds),
            (signal.SIGALRM, signal.ITIMER_REAL, wall),
        ):
            signal.signal(number, too_slow)
            signal.setitimer(timer, length)
    except (ImportError, AttributeError, ValueError, OSError):
        return


def no_more_time():
    """The clocks stand still: what is answered is answered in any time."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def too_slow(number, frame):
    """Ends a call where it is."""
    raise Slow


def seed(np):
    """The global generators start anew with every call: the same submission gets the same points twice."""
    np.random.seed(0)
    if "random" in sys.modules:
        sys.modules["random"].seed(0)


def told(error, files):
    """(message, line): type and text of an exception, and the innermost line of the submission it passed."""
    name = type(error).__name__
    if name == "NotAllowed":  # of `guard`
        return " ".join(str(error).split()), ""
    if isinstance(error, SyntaxError):
        inside = os.path.dirname(str(error.filename)) == files
        line = f"{os.path.basename(error.filename)}:{error.lineno}" if inside else ""
        return f"{name}: {error.msg}", line
    try:
        text = str(error)
    except BaseException:
        text = ""
    line, step = "", error.__traceback__
    while step is not None:
        path = step.tb_frame.f_code.co_filename
        if os.path.dirname(path) == files:
            line = f"{os.path.basename(path)}:{step.tb_lineno}"
        step = step.tb_next
    return " ".join(f"{name}: {text}".split()) if text else name, line


def line_of_function(function):
    """FILE:LINE where a function begins; "" if it has no code in Python."""
    code = getattr(function, "__code__", None)
    return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}" if code is not None else ""


def flush():
    """Empty the buffers of standard output and error, whatever became of them."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            continue  # closed, replaced, or full


if __name__ == "__main__":
    main()
