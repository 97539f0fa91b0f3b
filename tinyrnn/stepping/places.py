"""Places in a recording, written as text: `t=3`, a name, `wrong`, `nan`, `>1e3`, and several of them at once."""

import re
from difflib import get_close_matches
from typing import NamedTuple

PLACES = """\
Places, for g and --until; several words: all must hold, as in  backward t=3 dh
t=3      the time step          forward, backward     the pass
dh       a line that gives dh   layer=0               the layer, from 0
wrong    an accused line        line=57               a line of a source file
nan      a value not finite     57                    the 57th line recorded
>1e3, above=1e3, <1e-8, below=1e-8    size of the largest entry of a gradient"""
WORDS = re.compile(r"(t|layer|line|name|above|below)=(.+)|([<>])(.+)|(\d+)")
NUMBERS = {"t": int, "layer": int, "line": int, "above": float, "below": float}


class Place(NamedTuple):
    """What has to hold of a line; None: nothing. names: one of them; number: which line of the recording, from 0."""

    text: str
    names: frozenset | None = None
    t: int | None = None
    layer: int | None = None
    line: int | None = None
    wrong: bool | None = None
    nan: bool | None = None
    above: float | None = None
    below: float | None = None
    backward: bool | None = None
    number: int | None = None


def place(text, recording):
    """The `Place` that `text` (see `PLACES`) stands for. Raises ValueError for what no line can be."""
    found = {}
    for word in text.split():
        key, value = meaning(word, recording)
        if key in found:
            raise ValueError(f"{text!r}: a line has only one {key}")
        found[key] = value
    if not found:
        raise ValueError("an empty place: write t=3, a name, wrong, nan, >1e3 or <1e-8")
    return Place(text, **found)


def meaning(word, recording):
    """(field, value) of one word."""
    if word in ("wrong", "nan"):
        return word, True
    if word in ("forward", "backward"):
        return "backward", word == "backward"
    match = WORDS.fullmatch(word)
    if match is None:
        return "names", named(word, recording)
    key, value, sign, size, count = match.groups()
    if key == "name":
        return "names", named(value, recording)
    if count is not None:
        return "number", within(int(count), 1, len(recording), f"{word}: the recording has lines") - 1
    key, value = key or {">": "above", "<": "below"}[sign], value or size
    try:
        number = NUMBERS[key](value)
    except ValueError:
        raise ValueError(f"{word}: {value!r} is no number") from None
    if key == "t":
        within(number, 0, recording.data["T"] - 1, f"{word}: time steps are")
    if key == "layer":
        within(number, 0, len(recording.layers) - 1, f"{word}: layers are")
    return key, number


def within(number, least, most, message):
    """The number itself; ValueError, with the message and the limits, unless least <= number <= most."""
    if not least <= number <= most:
        raise ValueError(f"{message} {least} to {most}")
    return number


def named(name, recording):
    """The name as a frozenset; ValueError, with names close to it, where no line of the recording gives it."""
    names = {site[2] for site in recording.sites}
    if name not in names:
        close = get_close_matches(name, sorted(names), 3, 0.5)
        raise ValueError(f"no line gives {name!r}" + (f"; close to it: {', '.join(close)}" if close else ""))
    return frozenset([name])


def like(text, recording):
    """The `Place` of lines that give the name `text`, or, if there is no such name, one that contains it."""
    names = {site[2] for site in recording.sites}
    found = {text} & names or {name for name in names if text.strip() and text.strip().lower() in name.lower()}
    if not found:
        raise ValueError(f"no name contains {text!r}")
    return Place(text, names=frozenset(found))


def search(recording, place, after=-1):
    """The number of the next line after number `after` that is at a `Place`, or None.

    Looked for to the end of the pass in which `after` is, from its beginning, and then in the other pass; with
    `after` -1 in the order of the recording.
    """
    turn, count = recording.turn, len(recording)
    start, stop = (0, turn) if after < turn else (turn, count)
    if after < 0:
        ranges = [range(count)]
    else:
        ranges = [range(after + 1, stop), range(start, after + 1), range(turn, count) if start == 0 else range(turn)]
    if place.number is not None:
        ranges = [[place.number]]
    sites = {
        k
        for k, site in enumerate(recording.sites)
        if (place.names is None or site[2] in place.names) and (place.line is None or site[1] == place.line)
    }
    where = recording.events["site"]
    for n in (n for each in ranges for n in each):
        if where[n] in sites and place.backward in (None, n >= turn):
            if recording.fits(n, None, place.t, place.layer, place.wrong, place.nan, place.above, place.below):
                return n
    return None


# stops: the arguments of one call are one -------------------------------------------------------------------------


def same_call(recording, n, k):
    """Whether both lines are arguments of one call."""
    one, other = (recording.sites[recording.events["site"][m]] for m in (n, k))
    given = one[3] == other[3] == "given" and one[0] == other[0] and one != other
    return given and block(recording, n) == block(recording, k)


def arguments_at(recording, n):
    """The numbers of the lines that are one stop with line n, if it is an argument; else none."""
    if recording.sites[recording.events["site"][n]][3] != "given":
        return range(0)
    first, stop = n, n + 1
    while first > 0 and same_call(recording, first - 1, first):
        first -= 1
    while stop < len(recording) and same_call(recording, stop - 1, stop):
        stop += 1
    return range(first, stop)


def next_stop(recording, n, direction=1):
    """The number of the next line to stop at, or of the one before; -1 or beyond the last where there is none."""
    here = arguments_at(recording, n) or range(n, n + 1)
    to = here.stop if direction > 0 else here.start - 1
    return to if not 0 <= to < len(recording) else next(iter(arguments_at(recording, to)), to)


def opening(recording):
    """The number of the line at which a view opens: the first wrong one, else the first gradient that the backward pass
    works out, where it sets out on its way; 0 without one. A gradient is known by the numerical one beside it."""
    sites, events = recording.sites, recording.events
    made = [n for n in range(recording.turn, len(recording)) if sites[events["site"][n]][3] != "given"]
    wrong = (n for n, accused in enumerate(events["wrong"]) if accused)
    gradients = (n for n in made if events["numerical"][n] >= 0)
    return next(wrong, next(gradients, next(iter(made), 0)))


# steps ------------------------------------------------------------------------------------------------------------


def block(recording, n):
    """What the lines of one time step have in common: (pass, layer, time step)."""
    return n >= recording.turn, recording.events["layer"][n], recording.events["t"][n]


def next_step(recording, n, direction=1):
    """The first line of the next time step in the order of the run, or, with direction -1, of the one before; n, if
    there is none."""
    beyond = len(recording) if direction > 0 else -1
    here, k = block(recording, n), n
    while k != beyond and block(recording, k) == here:
        k += direction
    if k == beyond:
        return n
    return k if direction > 0 else first_of_step(recording, k)


def first_of_step(recording, n):
    """The number of the first event of the block (see `block`) that event n is in."""
    here = block(recording, n)
    while n > 0 and block(recording, n - 1) == here:
        n -= 1
    return n
