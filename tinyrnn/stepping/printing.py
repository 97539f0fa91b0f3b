"""A recording as text: aligned numbers, what is said of a line, and the transcript that `tinyrnn step --print` writes.

Text is made as rows of fragments (style, text), the form that the terminal view colours; `joined` drops the styles,
and nothing that they say is lost by it: signs and sizes stand in the numbers.
"""

import math

import numpy as np

from tinyrnn.stepping.places import block
from tinyrnn.stepping.recording import AGREES

WIDTH = 120  # of a transcript
ROWS = 16  # of an array in a transcript
KEPT = 1e-8  # a smaller error is that of the digits that a recording keeps


def joined(row):
    """The text of a row of fragments (style, text), without the styles."""
    return "".join(text for _, text in row)


def clipped(row, width):
    """A row that is no longer than `width`: what is too long ends in "…"."""
    if sum(len(text) for _, text in row) <= width:
        return row
    kept, left = [], max(width - 1, 0)
    for style, text in row:
        kept.append((style, text[:left]))
        left -= len(kept[-1][1])
    return [*kept, ("", "…"[:width])]


def printable(text):
    """Without what a terminal would obey instead of showing it."""
    return "".join(c if c.isprintable() else "?" for c in text.expandtabs(4))


# numbers ------------------------------------------------------------------------------------------------------------


def written(array):
    """The texts of the numbers of a real or complex array, an array of the same shape: signs always, four decimals
    where that says enough, else powers of ten."""
    if np.iscomplexobj(array):
        real, imaginary = written(array.real), written(array.imag)
        whole = [f"{a}{b if b[0] in '+-' else '+' + b}i" for a, b in zip(real.ravel(), imaginary.ravel(), strict=True)]
        return np.array(whole, object).reshape(array.shape)
    sizes = abs(array[np.isfinite(array)])
    largest = sizes.max(initial=0)
    decimals = 0 if (sizes == np.round(sizes)).all() else 4 - sum(largest >= limit for limit in (10, 100, 1000))
    least = 0 if decimals == 0 else 10.0 ** (1 - decimals)  # below this, too few digits would be left
    texts = [one_number(x, decimals, least, largest >= 1e4) for x in array.ravel().tolist()]
    return np.array(texts, object).reshape(array.shape)


def one_number(x, decimals, least, powers):
    """A number with its sign: with `decimals` decimals, or in powers of ten if asked for or if it is under `least`."""
    if not math.isfinite(x):
        return "nan" if math.isnan(x) else f"{x:+}"
    if x == 0:
        return "0"
    return f"{x:+.2e}" if powers or abs(x) < least else f"{x:+.{decimals}f}"


def styles(array):
    """The style of every number: its sign, and whether it is among the large or the small ones of its array."""
    size = np.where(np.isfinite(array), abs(array), np.inf)
    largest = size[np.isfinite(size)].max(initial=0)
    sign = "number" if np.iscomplexobj(array) else np.where(array < 0, "minus", np.where(array > 0, "plus", "number"))
    scale = np.where(size >= largest / 3, " large", np.where(size < largest / 100, " small", ""))
    return np.char.add(np.broadcast_to(sign, array.shape).astype(str), scale)


def table(array, width, rows=None, top=0, left=0):
    """Rows of fragments that show an array: one row for all but its last axis, with the index in front.

    What does not fit into `width` and `rows` is cut off, and a last row says what is shown; top and left: the first
    row and column that are.
    """
    if array.size == 0:
        return [[("", "(no entries)")]]
    columns = array.shape[-1] if array.ndim else 1
    texts, style = written(array).reshape(-1, columns), styles(array).reshape(-1, columns)
    labels = [f"[{','.join(map(str, index))}]" if index else "" for index in np.ndindex(array.shape[:-1])]
    before = max(len(label) for label in labels)
    wide = max(len(text) for text in texts.ravel()) + 2
    fits = columns if before + columns * wide <= width else max(1, (width - before - 4) // wide)
    left = max(0, min(left, columns - fits))
    high = len(labels)
    if rows is not None and (high > rows or fits < columns):
        high = max(1, min(high, rows - 1))
    top = max(0, min(top, len(labels) - high))
    shown = []
    for k in range(top, top + high):
        row = [("label", labels[k].rjust(before)), ("", " …" if left else "")]
        row += [(style[k, j], texts[k, j].rjust(wide)) for j in range(left, left + fits)]
        shown.append([*row, ("", " …")] if left + fits < columns else row)
    if high < len(labels) or fits < columns:
        rows_shown = f"rows {top}-{top + high - 1} of {len(labels)}" if high < len(labels) else ""
        columns_shown = f"columns {left}-{left + fits - 1} of {columns}" if fits < columns else ""
        shown.append([("label", f"… {', '.join(filter(None, (rows_shown, columns_shown)))}")])
    return [clipped(row, width) for row in shown]


def beside(one, other, gap=4):
    """Two tables side by side."""
    width = max(len(joined(row)) for row in one) + gap
    high = max(len(one), len(other))
    one, other = one + [[]] * (high - len(one)), other + [[]] * (high - len(other))
    return [[*a, ("", " " * (width - len(joined(a)))), *b] for a, b in zip(one, other, strict=True)]


def norm(array):
    """The Euclidean norm of all entries as text, four digits; "?" for None. Squares do not overflow."""
    if array is None:
        return "?"
    largest = abs(array).max(initial=0)
    if not 0 < largest < np.inf:
        return f"{largest:.4g}"
    return f"{largest * np.sqrt((abs(array / largest) ** 2).sum()):.4g}"  # the squares of what explodes are infinite


def shape_text(recording, index):
    """The shape of the array with this index, or "a number"; of a line that failed, that it did."""
    if index < 0:
        return "the line fails"
    shape = tuple(recording.arrays[index][0])
    return str(shape) if shape else "a number"


# what is said of a line -----------------------------------------------------------------------------------------------


def where(recording, event):
    """The pass, the time step and the layer of a line, in words."""
    once = "once for the sequence" if recording.layers else ""
    time = once if event.t is None else f"t = {event.t}"
    return ", ".join(filter(None, ("backward" if event.backward else "forward", time, layer_text(recording, event))))


def layer_text(recording, event):
    """Which layer an event is of, where there are several, and whether it reads from the end; may be empty."""
    if event.layer is None:
        return "outside the recurrent layers" if recording.layers else ""
    layer = recording.layers[event.layer]
    reads = "reads from the end" if layer["reversed"] else ""
    number = f"layer {event.layer}: {layer['name']} {layer['cell']}" if len(recording.layers) > 1 else ""
    return ", ".join(filter(None, (number, reads)))


def sequences(recording, event):
    """Which sequences have this time step, where not all have; else ""."""
    mask, layer = recording.data["mask"], event.layer
    if mask is None or event.t is None:
        return ""
    backwards = layer is not None and recording.layers[layer]["reversed"]
    row = mask[-1 - event.t if backwards else event.t]
    return "" if all(row) else "mask " + " ".join(map(str, row))


def error_text(error):
    """A relative error in words; below `KEPT`, which the recording's digits do not resolve, only that it is."""
    return "relative error < 1e-8" if error < KEPT else f"relative error {error:.2g}"


def comparison(recording, event):
    """What is to be said beside the numerical gradient."""
    if event.error is None:
        return "another shape" if event.value is not None else ""
    inherited = event.error > AGREES and event.wrong is None and recording.data["accusations"]
    return error_text(event.error) + (", from what came in" if inherited else "")


def accusation(event):
    """The lines that are said of a wrong line: what is wrong and, of a known mistake, which it is, what to ask oneself
    and where it is explained. None of a right one."""
    if event.wrong:
        yield f"WRONG: {event.wrong}"
    if event.mistake:
        yield f"known mistake: {event.mistake['title']}"
        yield f"question: {event.mistake['question']}"
        yield f"lecture section: {event.mistake['section_title']} (tinyrnn read {event.mistake['section']})"


def flow(recording, event):
    """(name, array) that arrive, and that leave: the gradient of the loss at the state of a step; or None."""
    step = recording.step_at(event.layer, event.t) if event.backward and event.t is not None else None
    if step is None:
        return None
    arriving = [(f"d{name}", recording.array(index)) for name, index in step["arriving"].items()]
    leaving = [(f"d{name}_prev", recording.array(index)) for name, index in step["leaving"].items()]
    return arriving, leaving


def flow_text(pairs):
    """The norm of each array, as |name| 0.123; pairs: (name, array or None)."""
    return "  ".join(f"|{name}| {norm(array)}" for name, array in pairs)


# the transcript -------------------------------------------------------------------------------------------------------


def plural(count, noun):
    """ "1 line", "2 lines": the count and the noun."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def heading(recording):
    """Lines above a transcript: the title, sizes and loss, the notes."""
    data = recording.data
    loss = data["loss"] if isinstance(data["loss"], str) else f"{data['loss']:.6g}"
    yield data["title"]
    steps, sequences = plural(data["T"], "time step"), plural(data["B"], "sequence")
    sizes = [steps, sequences] if recording.layers else []
    yield f"{', '.join([*sizes, plural(len(recording), 'line')])}; loss {loss}: {data['upstream']}"
    yield from (f"note: {note}" for note in data["notes"])


def transcript(recording, until=None, width=WIDTH):
    """The lines of text that `tinyrnn step --print` writes; until: the number of the last line to be shown."""
    yield from heading(recording)
    last = (len(recording) if until is None else until + 1) - 1
    step, seen, events = None, {}, recording.events
    for line in lines_of(recording, last):
        event = recording[line[0]]
        if where(recording, event) != step:
            step = where(recording, event)
            yield from ["", step_heading(recording, event, step)]
        file = recording.sources[recording.sites[events["site"][line[0]]][0]]["file"]
        yield f"  {file}:{event.line}  {printable(event.text)}"
        known = {}
        for event in (recording[n] for n in line):
            value = event.layer, event.t, event.name, events["value"][event.number]
            if value in seen and event.numerical is None:  # it is only handed on
                known.setdefault(seen[value], []).append(event.name)
                continue
            seen[value] = "as above" if event.backward else "from the forward pass"
            yield from (f"    {text}".rstrip() for text in described(recording, event, width - 4))
        yield from (f"    {place}: {', '.join(names)}" for place, names in known.items())
    if until is None:
        yield from results(recording, width)


def lines_of(recording, last):
    """Lists of the numbers, up to `last`, of lines that one line of the source gave in one go."""
    line, before = [], None
    for n in range(last + 1):
        source, number, *_ = recording.sites[recording.events["site"][n]]
        place = source, number, *block(recording, n)
        if place != before and line:
            yield line
            line = []
        line.append(n)
        before = place
    if line:
        yield line


def step_heading(recording, event, step):
    """The heading of a time step: which, whose, and backwards the norms of the gradients that arrive and leave."""
    text = ": ".join(filter(None, (step, sequences(recording, event))))
    both = flow(recording, event)
    return f"{text}; arriving {flow_text(both[0])}, leaving {flow_text(both[1])}" if both else text


def described(recording, event, width):
    """A line's value, beside the numerical gradient if they differ, and the accusation."""
    title = f"{event.name} {shape_text(recording, recording.events['value'][event.number])}"
    agrees = event.error is not None and event.error <= AGREES
    compared = f"numerical gradient: {comparison(recording, event)}"
    if recording.events["value"][event.number] < 0:
        yield title
    elif event.numerical is None or agrees:
        yield title + (f"  {compared}" if agrees else "")
        yield from shown(event.value, width)
    else:
        yield f"{title}  {compared}"
        yield from (joined(row) for row in both_tables(event, width, ROWS))
    yield from accusation(event)


def both_tables(event, width, rows, top=0, left=0):
    """The value and the numerical gradient, side by side where there is room, else one above the other."""
    if event.value is None:
        return [[("label", "too large to be kept")]]
    titles = [[("label", event.name)]], [[("label", "numerical gradient")]]
    arrays = event.value, event.numerical
    whole = [table(array, width, rows - 1, top, left) for array in arrays]
    wide = [max(len(joined(row)) for row in title + part) for title, part in zip(titles, whole, strict=True)]
    if sum(wide) + 4 <= width:
        return beside(*(title + part for title, part in zip(titles, whole, strict=True)))
    if sum(map(len, whole)) + 1 <= rows:
        return [*whole[0], *titles[1], *whole[1]]
    half = (width - 4) // 2
    return beside(*(t + table(array, half, rows - 1, top, left) for t, array in zip(titles, arrays, strict=True)))


def shown(array, width):
    """An array as lines of text, the first `ROWS` rows within `width`; None is one that was too large to be kept."""
    if array is None:
        return ["too large to be kept"]
    return [joined(row) for row in table(array, width, ROWS)]


def results(recording, width):
    """What the backward pass returned for the parameters."""
    yield from ["", "the gradients that the backward pass returned"]
    for name, index in recording.data["results"]["params"].items():
        yield f"  d{name} {shape_text(recording, index)}"
        yield from (f"    {text}".rstrip() for text in shown(recording.array(index), width - 4))
