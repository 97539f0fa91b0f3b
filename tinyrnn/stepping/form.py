"""Whether something is a recording in the JSON form that `tinyrnn.stepping.recording` describes."""

import math

import numpy as np

FORMAT, VERSION = "tinyrnn-recording", 1
COLUMNS = ("site", "layer", "t", "value", "numerical", "wrong")
MISTAKE = ("name", "title", "question", "section", "section_title")  # what is said of a known mistake
KINDS = ("given", "assigned", "added", "changed")
TYPES = {
    **dict.fromkeys(("title", "network", "upstream"), str),
    **dict.fromkeys(("T", "B", "turn"), int),
    "loss": (int, float, str),
    **dict.fromkeys(("layers", "sources", "sites", "steps", "accusations", "arrays", "notes"), list),
    **dict.fromkeys(("events", "params", "results"), dict),
    "mask": (list, type(None)),
    "triangle": (dict, type(None)),
}
NOT_FINITE = {"nan", "inf", "-inf"}


def check(data):
    """Nothing for a recording; ValueError, in one line, for anything else."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"this is no recording: its format is not {FORMAT!r}")
    if data.get("version") != VERSION:
        raise ValueError(f"this is version {data.get('version')!r} of the format; this tinyrnn reads version {VERSION}")
    for key, kind in TYPES.items():
        if key not in data:
            raise ValueError(f"the recording is damaged: it has no {key}")
        if not isinstance(data[key], kind) or isinstance(data[key], bool):
            raise ValueError(f"the recording is damaged: {key} is {type(data[key]).__name__}")
    for key, (fits, words) in PARTS.items():
        try:
            fine = fits(data)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError):
            fine = False
        if not fine:
            raise ValueError(f"the recording is damaged: {key} {words}")


def sizes_fit(data):
    """Whether there are a time step and a sequence, of layers, and the backward pass begins at an event or after the
    last."""
    least = 1 if data["layers"] else 0
    return min(data["T"], data["B"]) >= least and 0 <= data["turn"] <= len(data["events"]["site"])


def sources_fit(data):
    """Whether each source has its function, its file, the number of its first line (an int) and a list of its lines."""
    return all(
        set(source) == {"function", "file", "first", "text"}
        and isinstance(source["first"], int)
        and all_of(str, (source["function"], source["file"], *source["text"]))
        for source in data["sources"]
    )


def sites_fit(data):
    """Whether each site [source, line, name, kind, names] is a line of a source that is there, and of a kind that is
    known; the names that are read may be missing."""
    sources = [(source["first"], source["first"] + len(source["text"])) for source in data["sources"]]
    for source, line, name, kind, *reads in data["sites"]:
        first, stop = sources[source]
        if not (source >= 0 and first <= line < stop and isinstance(name, str) and kind in KINDS):
            return False
        if len(reads) > 1 or not all(isinstance(names, list) and all_of(str, names) for names in reads):
            return False
    return True


def events_fit(data):
    """Whether the events have exactly the columns `COLUMNS`, equally long, of indices of what is there."""
    events, arrays = data["events"], len(data["arrays"])
    limits = {
        "site": (0, len(data["sites"])),
        "layer": (-1, len(data["layers"])),
        "t": (-1, max(data["T"], 0)),
        "value": (-1, arrays),
        "numerical": (-1, arrays),
        "wrong": (0, len(data["accusations"]) + 1),
    }
    lengths = {len(events[column]) for column in COLUMNS}
    return set(events) == set(COLUMNS) and len(lengths) == 1 and all(within(events[k], *limits[k]) for k in COLUMNS)


def within(numbers, least, limit):
    """Whether it is a list of whole numbers, each at least `least` and below `limit`, and least < limit."""
    values = np.array(numbers or [least])
    whole = isinstance(numbers, list) and values.dtype.kind == "i" and values.ndim == 1
    return whole and least <= values.min() <= values.max() < limit


def layers_fit(data):
    """Whether each layer has a name, a cell, a list of names of states, and says whether it reads from the end."""
    return all(
        set(layer) == {"name", "cell", "states", "reversed"}
        and all_of(str, (layer["name"], layer["cell"], *layer["states"]))
        and isinstance(layer["reversed"], bool)
        for layer in data["layers"]
    )


def steps_fit(data):
    """Whether each step belongs to a layer and has arrays of what arrives and leaves for each of its states."""
    arrays = len(data["arrays"])
    return all(
        set(step) == {"layer", "t", "arriving", "leaving", "running"}
        and 0 <= step["layer"] < len(data["layers"])
        and 0 <= step["t"] < data["T"]
        and list(step["arriving"]) == list(step["leaving"]) == data["layers"][step["layer"]]["states"]
        and all(0 <= k < arrays for what in ("arriving", "leaving", "running") for k in step[what].values())
        for step in data["steps"]
    )


def results_fit(data):
    """Whether gradients of the input (or -1), the states and the parameters, and the parameters, are arrays kept."""
    results, arrays = data["results"], len(data["arrays"])
    return (
        set(results) == {"inputs", "state", "params"}
        and within([results["inputs"]], -1, arrays)
        and within([*results["state"], *results["params"].values(), *data["params"].values()], 0, arrays)
        and all_of(str, (*results["params"], *data["params"]))
    )


def arrays_fit(data):
    """Whether each array is [shape, real numbers], [shape, real, imaginary] or [shape, None], as large as its shape."""
    for shape, *parts in data["arrays"]:
        size = math.prod(shape)
        if len(parts) not in (1, 2) or not all_of(int, shape) or (parts[0] is None and len(parts) == 2):
            return False
        if parts[0] is not None and not all(len(part) == size and are_numbers(part) for part in parts):
            return False
    return True


def are_numbers(part):
    """Whether a list has numbers only (no booleans), or in their place the texts "nan", "inf" and "-inf"."""
    kinds = set(map(type, part))
    return kinds <= {float, int} or (kinds <= {float, int, str} and {x for x in part if type(x) is str} <= NOT_FINITE)


def mask_fits(data):
    """Whether the mask is None or T lists of B entries, each 0 or 1."""
    mask, T, B = data["mask"], data["T"], data["B"]
    return mask is None or (np.shape(mask) == (T, B) and {x for row in mask for x in row} <= {0, 1})


def triangle_fits(data):
    """Whether the triangle is None or has T lists of T norms, of a state that its layer has."""
    triangle, T = data["triangle"], data["T"]
    if triangle is None:
        return True
    states, others = data["layers"][triangle["layer"]]["states"], triangle.get("others", {})
    return (
        set(triangle) - {"others"} == {"layer", "state", "norms"}
        and triangle["state"] in states
        and set(others) <= set(states)
        and all(
            len(norms) == T and all(len(row) == T and are_numbers(row) for row in norms)
            for norms in (triangle["norms"], *others.values())
        )
    )


def accusations_fit(data):
    """Whether each accusation is [index of a site, text, mistake], of which the last may be None or missing."""
    return all(
        0 <= site < len(data["sites"])
        and isinstance(text, str)
        and len(mistake) <= 1
        and all(known is None or (set(known) == set(MISTAKE) and all_of(str, known.values())) for known in mistake)
        for site, text, *mistake in data["accusations"]
    )


def all_of(kind, values):
    """Whether every value is an instance of `kind`; of none it is true."""
    return all(isinstance(value, kind) for value in values)


PARTS = {  # part -> whether it is as it should be, and what else it is
    "events": (events_fit, f"must have the columns {', '.join(COLUMNS)}, equally long, of numbers in their ranges"),
    "turn": (sizes_fit, "is beyond the last event, or T or B is less than 1"),
    "sources": (sources_fit, "must have a function, a file, the number of the first line, and lines of text"),
    "sites": (sites_fit, "must be [source, line, name, kind, names read], of lines that a source has"),
    "layers": (layers_fit, "must have a name, a cell, the names of states, and whether it is reversed"),
    "arrays": (arrays_fit, "must be [shape, numbers], as many as the shape says"),
    "steps": (steps_fit, "must have a layer, a time step, and arrays that arrive, leave and run"),
    "results": (results_fit, "or params must name arrays that there are"),
    "mask": (mask_fits, "must be 0 and 1 in T rows of B"),
    "triangle": (triangle_fits, "must have the norms of a layer's state in T rows of T"),
    "accusations": (accusations_fit, "must be [site, text, mistake]"),
    "notes": (lambda data: all_of(str, data["notes"]), "must be texts"),
}
