"""What is checked: a point, a loss that can be asked anywhere near it, and the gradients that are claimed there."""

import copy

import numpy as np

from tinyrnn.checking.functions.leaves import at, copied, copied_object, is_float, leaves_of, name_of_path, put
from tinyrnn.checking.functions.randomness import Randomness

OWNER = "self"  # the name of the object that methods belong to, among the arguments


class Subject:
    """A function of named arrays and its claimed gradients.

    title: what it is called. root: {argument: value}, and the object under `self` if there is one; not modified.
    run: root -> (outputs, a nest of floats; anything more). claim: (root, upstream) -> {leaf: gradient}; None for those
    it says nothing of. leaves: {name: array}, all that can be moved; of a complex array z, the gradient is
    dL/dRe z + i dL/dIm z. upstream: like the outputs; the loss is upstream . outputs. jacobian: there is one loss for
    every output, and the gradients have their axes before those of the arrays.
    """

    def __init__(self, title, root, run, claim, functions=(), skip=()):
        self.notices = []
        self.paths = named_paths(root, skip)
        if not self.paths:  # a point that is given in integers
            root = floated(root)
            self.paths = named_paths(root, skip)
            self.notices += ["the integers were taken as floats"] if self.paths else []
        self.title, self.root, self.run, self.claim = title, root, run, claim
        self.leaves = {name: np.array(at(root, paths[0])) for name, paths in self.paths.items()}
        self.functions = functions
        self.randomness = Randomness(root, *functions)
        self.restores = False  # whether arrays around the functions have to be put back before every call
        self.random = False  # whether every call has to be given the same random numbers
        self.upstream = None
        self.jacobian = False
        self.accumulates = set()  # arrays whose gradients are added to those of the call before
        self.grown = set()  # those whose gradients differ from call to call, in whatever way
        self.passes = None  # how forward and backward function belong together, of a pair
        self.ignored, self.mixed, self.stale, self.upstream_ignored = set(), set(), set(), False  # see `side_effects`
        self.in_place = False  # whether the function reads the very arrays it was checked with, not its arguments
        self.judged = list(self.leaves)
        self.calls = 0

    # calls ------------------------------------------------------------------------------------------------------------

    def moved(self, changed):
        """A root that may be spoilt, with the arrays of `changed` in their places."""
        new = {path: like_given(v, at(self.root, path)) for name, v in changed.items() for path in self.paths[name]}
        return {
            name: copied_object(value, new, (name,)) if name == OWNER else copied(value, new, (name,))
            for name, value in self.root.items()
        }

    def outputs(self, changed=None):
        """The outputs, a list of arrays, with the arrays of `changed` in their places."""
        self.set_back()
        if self.in_place:
            return self.outputs_in_place(changed or {})
        return flat(self.run(self.moved(changed or {}))[0])

    def outputs_in_place(self, changed):
        """The same, for a function that reads the caller's own arrays: they are changed, and put back."""
        try:
            for name, value in changed.items():
                at(self.root, self.paths[name][0])[...] = value
            return flat(self.run(self.root)[0])
        finally:
            for name in changed:
                at(self.root, self.paths[name][0])[...] = self.leaves[name]

    def losses(self, changed=None):
        """The loss, or the losses, as an array (k,); complex where an array of `changed` is."""
        outputs = self.outputs(changed)
        if self.jacobian:
            return np.concatenate([np.ravel(output) for output in outputs])
        own = np.iscomplexobj(self.upstream[0]) if self.upstream else False
        if own:  # an output that is complex by itself
            return np.array([sum((u.conj() * o).real.sum() for u, o in zip(self.upstream, outputs, strict=True))])
        with np.errstate(all="ignore"):
            return np.array([sum(np.sum(u * o) for u, o in zip(self.upstream, outputs, strict=True))])

    def set_back(self):
        """Everything that calls change around them is as it was."""
        self.calls += 1
        if self.restores:
            self.randomness.restore()
        if self.random:
            self.randomness.rewind()

    def claims(self, changed=None, upstream=None):
        """{leaf: claimed gradient}, copies of whatever they are."""
        return {name: copied(value) for name, value in self.raw_claims(changed, upstream).items()}

    def raw_claims(self, changed=None, upstream=None):
        """The same as they come: the next call may overwrite them."""
        self.set_back()
        upstream = self.upstream if upstream is None else upstream
        root = self.moved(changed or {})
        claimed = self.claim(root, upstream)
        if not self.accumulates:
            return claimed
        before = {name: np.array(claimed[name]) for name in self.accumulates}
        again = self.moved(changed or {}) | {name: root[name] for name in (OWNER,) if name in root}
        then = self.claim(again, upstream)
        return {name: np.asarray(value) - before.get(name, 0) for name, value in then.items()}

    def promoted(self):
        """The same subject with its floats in double precision."""
        made = copy.copy(self)
        made.root = {name: wide(value) for name, value in self.root.items() if name != OWNER}
        if OWNER in self.root:
            made.root[OWNER] = copy.deepcopy(self.root[OWNER])
        for paths in self.paths.values():
            for path in paths:
                made.root = put(made.root, path, wide(at(self.root, path)))
        made.leaves = {name: wide(value) for name, value in self.leaves.items()}
        made.upstream = None if self.upstream is None else [wide(u) for u in self.upstream]
        made.notices = list(self.notices)
        return made


def named_paths(root, skip):
    """{name: [paths]} of all floats in it; an array that is there twice goes by its first name."""
    alone = [name for name in root if name != OWNER]
    found, known = {}, {}
    for path, _ in leaves_of({name: root[name] for name in root if name != OWNER}):
        short = path[1:] if len(alone) == 1 and len(path) > 1 else path
        name = name_of_path(short)
        found.setdefault(name, []).append(path)
    if OWNER in root:
        for path, value in leaves_of(root[OWNER], (OWNER,)):
            if path in skip or np.ndim(value) == 0:
                continue
            name = known.get(id(value))
            if name is None:
                name = name_of_path(path[1:])
                name = name_of_path(path) if name in found else name
                known[id(value)] = name
            found.setdefault(name, []).append(path)
    return found


def like_given(value, given):
    """The value as what was there: a Python number where that was one, an array of its own else."""
    if isinstance(given, np.ndarray):
        return np.array(value)
    return value.item() if isinstance(given, float | complex) and not isinstance(given, np.generic) else value[()]


def wide(value):
    """Floats as float64, complex numbers as complex128, in nests too; anything else as it is."""
    if isinstance(value, dict):
        made = copied(value)
        for key in value:
            made[key] = wide(value[key])
        return made
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return type(value)(map(wide, value))
    if not is_float(value) or (isinstance(value, float | complex) and not isinstance(value, np.generic)):
        return value
    made = np.asarray(value)
    made = made.astype(np.complex128 if made.dtype.kind == "c" else np.float64)
    return made if isinstance(value, np.ndarray) else made[()]


def floated(value):
    """Integers as floats, in nests too."""
    if isinstance(value, dict):
        return {key: floated(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return type(value)(map(floated, value))
    if isinstance(value, np.ndarray | np.integer) and value.dtype.kind in "iu":
        return value.astype(float)
    return float(value) if type(value) is int else value


def flat(outputs):
    """The arrays in a nest of outputs; numbers that are no floats count if there is nothing else."""
    if is_float(outputs):
        return [np.asarray(outputs)]
    found = [np.asarray(value) for _, value in leaves_of(outputs)]
    if found:
        return found
    whole = np.asarray(outputs)
    if whole.dtype.kind in "iub" and whole.size:
        return [whole.astype(float)]
    if whole.dtype == object and whole.size:
        raise TypeError(f"the function returns {type(outputs).__name__}, not a number and not an array")
    raise TypeError(f"the function returns nothing that has a derivative (it returns {type(outputs).__name__})")
