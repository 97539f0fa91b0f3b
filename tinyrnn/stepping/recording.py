"""A recording of one forward and one backward pass, line by line, and its JSON form.

The JSON form, version 1; every index counts from 0, -1 stands for none:

    format, version     "tinyrnn-recording", 1
    title, network      text: what was recorded
    T, B, loss          time steps, sequences, and the number that the gradients are gradients of. Where there are no
                        layers: passes of the longest loop, or 0, and 0
    upstream            text: what the loss is
    turn                how many events belong to the forward pass, which come first
    layers              [{"name", "cell", "states", "reversed"}]: the recurrent layers; name is "" for a single cell.
                        A reversed layer reads the sequence from its end, and so does its t
    mask                [[…]] (T, B) of 0 and 1, or null: 0 where a sequence has no such step
    sources             [{"function", "file", "first", "text"}]: text is a list of lines, the first of which has the
                        number `first` in its file
    sites               [[source, line, name, kind, reads]]: places where a value gets its name; line is a number in the
                        file. Kinds: "given" (an argument), "assigned", "added" (+=), "changed" (another operation in
                        place). reads: the names of what is read there; may be missing
    events              columns, equally long, in the order in which it happened:
        site            which place
        layer           in which layer; -1: in the readout, the embedding or the loss
        t               at which time step, or pass of the outermost loop; -1: once for the whole sequence
        value           the array after the line; -1 where the line raised an error, which is the last one then
        numerical       the array that it should be, where it is a gradient: worked out by small changes in the forward
                        pass, from the gradient that really arrived at this step
        wrong           0, or the number, counted from 1, of the accusation that the line verdicts bring
    steps               [{"layer", "t", "arriving", "leaving", "running"}], backwards in time for each layer: the
                        gradients of the loss that arrive at the new state and leave for the one before (state ->
                        array), and the sum of the weight gradients so far (parameter -> array)
    triangle            {"layer", "state", "norms"}: norms[t][k] is the norm of the gradient of the loss of step t at
                        the state of step k, 0 for k > t; or null. others, which may be missing: the same of the other
                        parts of the state, state -> norms
    accusations         [[site, text, mistake]]: what is wrong about a line, if the line verdicts found it wrong;
                        mistake: {"name", "title", "question", "section", "section_title"} of the known mistake that it
                        is, or null; may be missing
    params              {name: array}: the weights, named as in the results
    results             {"inputs": array, "state": [array], "params": {name: array}}: what the backward pass returned;
                        the state's parts are in the order of the layers
    arrays              [[shape, numbers]] or, of complex numbers, [[shape, real, imaginary]]: in row order; numbers are
                        null for an array that was too large to be kept
    notes               [text]

Numbers have 9 significant digits there; what is not finite is written as the text "nan", "inf" or "-inf".
"""

import contextlib
import gc
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tinyrnn.core.files import read_json, write_atomically
from tinyrnn.stepping.form import COLUMNS, check
from tinyrnn.stepping.page import frame

AGREES = 1e-6  # relative error up to which two gradients are the same


class Event(NamedTuple):
    """One line of a recording. value, numerical: arrays, or None; t, layer: None where there is no such thing. reads:
    names of what is read in the line. mistake: the known mistake that it is, a dict (see above), or None."""

    number: int
    backward: bool
    layer: int | None
    t: int | None
    function: str
    line: int
    text: str
    name: str
    kind: str
    value: np.ndarray | None
    numerical: np.ndarray | None
    wrong: str | None  # what the line verdicts say, if they accuse the line
    reads: tuple = ()
    mistake: dict | None = None

    @property
    def error(self) -> Any:
        """The largest difference from the numerical gradient, relative to the largest entry of the two; else None."""
        return relative_error(self.value, self.numerical)


class Recording:
    """What `tinyrnn.trace` returns: a sequence of `Event`s, and all that the JSON form has, in `data`.

    `save(path)` and `Recording.load(path)` keep it in a file; `to_json()` and `from_json(data)` do so for a dict.
    """

    def __init__(self, data: Any) -> None:
        self.data = data
        self.events, self.sites, self.sources = data["events"], data["sites"], data["sources"]
        self.arrays, self.steps, self.layers = data["arrays"], data["steps"], data["layers"]
        self.turn = data["turn"]

    def __len__(self):
        return len(self.events["site"])

    def __getitem__(self, n):
        """The `Event` number n; IndexError beyond the last."""
        if not -len(self) <= n < len(self):
            raise IndexError(f"the recording has {len(self)} lines, no number {n}")
        n %= len(self)
        site, layer, t, value, numerical, wrong = (self.events[column][n] for column in COLUMNS)
        source, line, name, kind, *reads = self.sites[site]
        accused = self.data["accusations"][wrong - 1] if wrong else (None, None)
        text = self.sources[source]["text"][line - self.sources[source]["first"]].strip()
        return Event(
            n,
            n >= self.turn,
            None if layer < 0 else layer,
            None if t < 0 else t,
            self.sources[source]["function"],
            line,
            text,
            name,
            kind,
            self.array(value),
            self.array(numerical),
            accused[1],
            tuple(*reads),
            accused[2] if len(accused) > 2 else None,
        )

    def __iter__(self):
        return (self[n] for n in range(len(self)))

    def array(self, index: Any) -> Any:
        """The array with this index; None for -1 and for one that was too large to be kept."""
        return as_array(self.arrays, index)

    def are_same_gradient(self, value: Any, numerical: Any) -> bool:
        """Whether the arrays with these indices agree, up to `AGREES`."""
        error = relative_error(self.array(value), self.array(numerical))
        return error is not None and error <= AGREES

    # looking for something -----------------------------------------------------------------------------------------

    def find(
        self,
        start: int = 0,
        *,
        name: Any = None,
        t: Any = None,
        layer: Any = None,
        wrong: Any = None,
        nan: Any = None,
        above: Any = None,
        below: Any = None,
        step: int = 1,
    ) -> Any:
        """The number of the first event from `start` on that is all that is asked for; None if there is none.

        name: of the value. t, layer: numbers. wrong: True for an accused line. nan: True for a value not finite.
        above, below: for a backward line, the largest entry's size is over, or under, this. step: -1 to look back.
        """
        names = None if name is None else {k for k, site in enumerate(self.sites) if site[2] == name}
        n = start
        while 0 <= n < len(self):
            if self.fits(n, names, t, layer, wrong, nan, above, below):
                return n
            n += step
        return None

    def fits(self, n: Any, names: Any, t: Any, layer: Any, wrong: Any, nan: Any, above: Any, below: Any) -> Any:
        """Whether event n is all that `find` was asked for, names standing for sites' indices; None asks nothing."""
        events = self.events
        if names is not None and events["site"][n] not in names:
            return False
        if (t is not None and events["t"][n] != t) or (layer is not None and events["layer"][n] != layer):
            return False
        if wrong is not None and bool(events["wrong"][n]) != wrong:
            return False
        if nan is None and above is None and below is None:
            return True
        value = self.array(events["value"][n])
        if value is None or not value.size:
            return False
        if nan is not None:
            return bool(np.isfinite(value).all()) != nan
        size = abs(value).max()
        if n < self.turn or self.sites[events["site"][n]][3] == "given":
            return False
        return (above is None or size > above) and (below is None or size < below)

    def step_at(self, layer: Any, t: Any) -> Any:
        """The entry of `steps` for a layer and time step, or None."""
        return next((step for step in self.steps if (step["layer"], step["t"]) == (layer, t)), None)

    # as JSON -------------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The dict of the JSON form, itself, not a copy."""
        return self.data

    @classmethod
    def from_json(cls, data: Any) -> "Recording":
        """The recording of such a dict. Raises ValueError, in one line, for anything else."""
        check(data)
        return cls(data)

    def save(self, path: Any) -> None:
        """Write it to a JSON file, in one move."""
        text = json.dumps(self.data, separators=(",", ":"), allow_nan=False)
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))

    @classmethod
    def load(cls, path: Any) -> "Recording":
        """The recording in a file that `save` wrote. Raises FileNotFoundError or ValueError."""
        try:
            with uncollected():
                return cls.from_json(read_json(path))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    def _repr_html_(self):
        """The page, for a notebook."""
        return frame(self)

    def __repr__(self):
        return f"Recording({self.data['title']}, {len(self)} lines)"


@contextlib.contextmanager
def uncollected() -> Any:
    """No search for garbage meanwhile: among so many new lists, none of them garbage, it takes a third of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def as_array(arrays: Any, index: Any) -> Any:
    """One of a recording's arrays; None for -1 and for one that was too large to be kept."""
    if index < 0:
        return None
    shape, *parts = arrays[index]
    if parts[0] is None:
        return None
    real, *imaginary = (np.array(numbers, float).reshape(shape) for numbers in parts)
    return real + 1j * imaginary[0] if imaginary else real


def relative_error(value: Any, numerical: Any) -> Any:
    """The largest difference of two arrays, relative to their largest entry; None without two of the same shape."""
    if value is None or numerical is None or value.shape != numerical.shape:
        return None
    with np.errstate(all="ignore"):
        scale = max(abs(numerical).max(initial=0), abs(value).max(initial=0), np.finfo(float).tiny)
        return float(abs(value - numerical).max(initial=0) / scale)


def rounded(array: Any) -> Any:
    """The numbers of an array in row order, to 9 significant digits, as JSON can hold them: a list of one list, or, of
    complex numbers, of two."""
    parts = (array.real, array.imag) if np.iscomplexobj(array) else (array,)
    return [[number(x) for x in np.asarray(part, float).ravel().tolist()] for part in parts]


def number(x: Any) -> Any:
    """A float of nine digits, or "nan", "inf" or "-inf", which JSON has no numbers for."""
    return float(f"{x:.9g}") if math.isfinite(x) else str(x)
