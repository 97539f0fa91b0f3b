"""Watches calls of somebody's functions: arguments changed in place, with the line; results in others' memory."""

import copy
import os

import numpy as np

from tinyrnn.checking.functions.leaves import at, leaves_of, name_of_path
from tinyrnn.checking.functions.report import Notice
from tinyrnn.checking.functions.subject import OWNER
from tinyrnn.sources.calling import WATCHER


class TracedRun:
    """One run of a subject's gradient, forward pass included, during which every call is looked at."""

    def __init__(self, subject):
        self.subject = subject
        self.changes, self.aliases, self.lines = {}, {}, {}
        self.protecting = False

    def notices(self):
        """`Notice`s of arguments changed in place and of results in others' memory; runs the gradient up to twice."""
        self.run()
        if self.changes:
            self.protecting = True
            self.run()
        found = []
        for (function, name), _ in self.changes.items():
            line = self.lines.get((function, name))
            found.append(
                Notice("in place", f"{function} changes {name} in place{f' ({line})' if line else ''}: work on a copy")
            )
        return found + [Notice("alias", sentence) for sentence in self.aliases]

    def run(self):
        """Call the gradient once, and the forward pass if it does not, watched; the watcher is put back at the end."""
        token = WATCHER.set(self.watch)
        try:
            self.subject.set_back()
            self.subject.claim(self.subject.moved({}), self.subject.upstream)
            if self.subject.passes is None:  # else the gradient has called it
                self.subject.run(self.subject.moved({}))
        finally:
            WATCHER.reset(token)

    def watch(self, function, arguments, run):
        """Runs a call and notes what it did; the second time, with what it changes write-protected, to see where."""
        label = getattr(function, "__qualname__", type(function).__name__)
        owner = getattr(function, "__self__", None)
        given = dict(arguments) | ({OWNER: owner} if owner is not None and hasattr(owner, "__dict__") else {})
        arrays = {path: value for path, value in arrays_in(given) if self.matters(path)}
        if self.protecting:
            self.find_line(function, label, arguments, arrays)
        before = {path: value.copy() for path, value in arrays.items()}
        result = run()
        for path, value in arrays.items():
            now = value
            if path[0] == OWNER:
                try:
                    now = at(given, path)
                except (KeyError, AttributeError, IndexError, TypeError):
                    continue
            if np.shape(now) != before[path].shape or not np.array_equal(
                now, before[path], equal_nan=now.dtype.kind in "fc"
            ):
                self.changes.setdefault((label, name_of_path(path)))
        self.note_aliases(function, label, result, arrays)
        return result

    def matters(self, path):
        """Every argument does; of an object, its parameters."""
        return path[0] != OWNER or any(
            path in paths for name, paths in self.subject.paths.items() if name in self.subject.judged
        )

    def find_line(self, function, label, arguments, arrays):
        """Run the call on a copy with the changed arrays write-protected, and see where that ends."""
        owner = getattr(function, "__self__", None)
        wanted = [path for path in arrays if (label, name_of_path(path)) in self.changes]
        if not wanted or (label, name_of_path(wanted[0])) in self.lines:
            return
        from tinyrnn.sources.calling import plain_call

        for path in wanted:
            try:
                made = copy.deepcopy({"given": dict(arguments), "owner": owner})
            except Exception:  # an object that cannot be copied
                return
            again = made["given"] | ({OWNER: made["owner"]} if owner is not None else {})
            try:
                at(again, path).flags.writeable = False
                own = function if owner is None else at(made["owner"], (f".{label.rpartition('.')[2]}",))
                plain_call(own, made["given"])
            except ValueError as error:
                if "read-only" in str(error):
                    self.lines[label, name_of_path(path)] = place_of(error)
            except Exception:
                continue

    def note_aliases(self, function, label, result, arrays):
        """Gradients that live in the memory of an argument, or of each other."""
        last = self.subject.functions[-1]
        if getattr(function, "__func__", function) is not getattr(last, "__func__", last):
            return
        parts = [(path, value) for path, value in arrays_in({"": result}) if value.dtype.kind in "fc" and value.ndim]
        for k, (path, value) in enumerate(parts):
            for other, array in arrays.items():
                if value.size == array.size and value.dtype == array.dtype and overlaps(value, array):
                    self.aliases.setdefault(
                        f"what {label} returns{index_in(path)} is {name_of_path(other)} itself, or lies in its memory"
                    )
            for other, array in parts[:k]:
                if overlaps(value, array):
                    self.aliases.setdefault(
                        f"what {label} returns{index_in(other)} and{index_in(path)} lie in the same memory"
                    )


def index_in(path):
    """` as [1]`, or ` as params.W`, for a part of what is returned; "" for the whole."""
    name = name_of_path(path[1:])
    return f" as {name.removeprefix('.')}" if name else ""


def overlaps(a, b):
    """Whether two arrays share memory; false where that is too hard to tell."""
    try:
        return np.shares_memory(a, b, max_work=1000)
    except Exception:  # too hard to tell
        return False


def arrays_in(value):
    """(path, array) of all arrays in a nest, of whatever numbers."""
    for path, found in leaves_of(value):
        if isinstance(found, np.ndarray):
            yield path, found


def place_of(error):
    """`file.py:12` of the innermost line that is neither NumPy's nor ours."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        ours = os.sep + os.path.join("tinyrnn", "checking") + os.sep in file or file.endswith(
            os.path.join("sources", "calling.py")
        )
        if not ours and "site-packages" not in file:
            place = f"{os.path.basename(file)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
