"""The key to an exercise: right answers and known wrong ones, from the masters or from what is handed out.

Where the master is, both are computed in this run, once for all submissions that are marked with the same `Exercise`;
where it is not, they are read from expected.npz, signatures.npz and manifest.json.
"""

import hashlib
import json
from functools import cached_property

import numpy as np

from tinyrnn.grading import answers
from tinyrnn.grading.compare import split
from tinyrnn.grading.signatures import agree, project

MOST_PROJECTED = 200_000  # entries; no public case has as many


class Key:
    """Of one `Exercise`. expected: what public cases should give, f"{task}/{k}/{output}" -> array, if it is known
    already."""

    def __init__(self, exercise, expected=None):
        self.exercise = exercise
        self.given = expected
        self.signatures = {}  # task -> {mistake: {output: (public cases, 4)}}, filled when asked for
        self.masters = {}

    @classmethod
    def of(cls, exercise):
        """The key that belongs to this object, made when first asked for."""
        return exercise.__dict__.setdefault("key", cls(exercise))

    @cached_property
    def public(self):
        """f"{task}/{k}/{output}" -> array, of all tasks that are compared with the master."""
        if self.given is not None:
            return self.given
        return answers.expected(self.exercise) if self.exercise.is_master else self.stored("expected.npz")

    def expected(self, task, k):
        """What public case k of a task should give: output -> array."""
        try:
            return {output: self.public[f"{task.name}/{k}/{output}"] for output in task.outputs}
        except KeyError as error:
            raise ValueError(f"{self.exercise.folder.name}: no expected value {error}: build it anew") from None

    def hidden(self, task, inputs):
        """What the master answers to inputs: output -> array."""
        return {name: np.asarray(a) for name, a in answers.answer(self.exercise.master, task, inputs).items()}

    def name(self, task, returned):
        """The known mistake that gives exactly these wrong numbers, {"name", "title"}; None if there is none.

        returned: what the student's function gave in each public case of the task.
        """
        rows = projections(task, returned)
        found = []
        for mistake, signature in self.mistakes(task).items():
            if signature and all(agree(rows.get(output), known) for output, known in signature.items()):
                found.append(mistake)
        titles = [self.titles[mistake] for mistake in found]
        return {"name": found[0], "title": "; or ".join(dict.fromkeys(titles))} if found else None

    def partial(self, task, returned, wrong):
        """Known mistakes that give the wrong numbers of some outputs each, [{"name", "title", "outputs"}]: for two or
        more mistakes at a time, or one that has been mended in a part of its outputs.

        wrong: the outputs that are wrong. One mistake explains as many of them as it can before the next one does.
        """
        rows, left, found = projections(task, returned), list(wrong), []
        known = self.mistakes(task)
        while left:
            explained = {m: [o for o in left if o in s and agree(rows.get(o), s[o])] for m, s in known.items()}
            best = max(explained, key=lambda m: len(explained[m]), default=None)
            if best is None or not explained[best]:
                return found
            found.append({"name": best, "title": self.titles[best], "outputs": explained[best]})
            left = [output for output in left if output not in explained[best]]
        return found

    def mistakes(self, task):
        """mistake -> {output: (public cases, 4)} of one task."""
        if task.name not in self.signatures:
            self.signatures[task.name] = self.computed(task) if self.exercise.is_master else self.read(task)
        return self.signatures[task.name]

    def computed(self, task):
        """Answers of the master with each mistake of the task in it, projected: name -> {output: (cases, 4)}."""
        text = (self.exercise.folder / "master.py").read_text(encoding="utf-8")
        found = {}
        for mistake in self.exercise.mistakes:
            if mistake.task == task.name and not mistake.accepted:
                module = self.exercise.module("master", answers.mistaken(text, mistake), self.masters)
                found[mistake.name] = answers.projected(self.exercise, task, module)
        return found

    def read(self, task):
        """Signatures of the task's mistakes from signatures.npz: name -> {output: rows}, if all are finite."""
        arrays = self.stored("signatures.npz")
        names = [name for name, known in self.manifest["mistakes"].items() if known["task"] == task.name]
        return {
            name: {out: rows for out, rows in zip(task.outputs, arrays[name], strict=True) if np.isfinite(rows).all()}
            for name in names
        }

    @cached_property
    def titles(self):
        """Name -> title of every known mistake, from the master or from manifest.json."""
        if self.exercise.is_master:
            return {mistake.name: mistake.title for mistake in self.exercise.mistakes}
        return {name: known["title"] for name, known in self.manifest["mistakes"].items()}

    @cached_property
    def manifest(self):
        """What manifest.json says, a dict."""
        return json.loads((self.exercise.folder / "manifest.json").read_text(encoding="utf-8"))

    def stored(self, name):
        """Name -> array of an npz file in the exercise's folder; nothing is unpickled."""
        with np.load(self.exercise.folder / name, allow_pickle=False) as file:
            return dict(file)


def projections(task, returned):
    """output -> (public cases, 4) of what was returned; without outputs that are not numbers in every case."""
    rows = {}
    for value in returned:
        parts, problem = split(task.outputs, value)
        for output in task.outputs:
            part = None if problem else parts.get(output)
            rows.setdefault(output, []).append(projection(part))
    return {output: np.array(each) for output, each in rows.items() if all(row is not None for row in each)}


def projection(part):
    """`project`, or None for what has none: no numbers, numbers so large that their sum is none, or far too many."""
    if not isinstance(part, np.ndarray | np.generic | bool | int | float | complex) or np.size(part) > MOST_PROJECTED:
        return None
    try:
        with np.errstate(all="ignore"):
            found = project(part)
    except (OverflowError, ValueError):
        return None
    return found if found is not None and np.isfinite(found).all() else None


def fingerprint(task, returned, message=""):
    """Twelve letters that are the same for the same wrong numbers, to six digits, or the same message."""
    digest = hashlib.sha256(f"{task.name}\n{message}".encode("utf-8", "replace"))
    for output, rows in projections(task, returned).items():
        scale = abs(rows).max(initial=0.0) or 1.0
        digest.update(f"{output} {scale:.5e} {(np.round(rows / scale, 6) + 0.0).tolist()}".encode())
    return digest.hexdigest()[:12]
