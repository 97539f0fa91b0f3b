"""What the terminal view shows, as rows of fragments (style, text) for a screen of any size.

Nothing here knows about a terminal: `screen` says what stands where, `tinyrnn.stepping.terminal` puts it there.
"""

import textwrap

from tinyrnn.stepping.places import PLACES, arguments_at
from tinyrnn.stepping.printing import (
    accusation,
    both_tables,
    clipped,
    comparison,
    flow,
    flow_text,
    heading,
    joined,
    printable,
    sequences,
    shape_text,
    table,
    where,
)

KEYS = "n/p line  t/T step  g go  / name  f/b pass  w wrong  d dW  a dh  ? help  q quit"
HELP = f"""\
n, Down, Right  next line              p, Up, Left  line before
t               next time step         T            time step before
f, Home         forward pass, start    b            turn: backward pass, start
g               go to a place          /            look for a name
End             last line
w               first wrong line       G            the next such line
d               weight gradients       a            gradients arriving, leaving
PgDn, PgUp      rows of an array       >, <         columns of an array
?               this help              q            quit

Going back, t counts down: the next time step is the one before in time. Beside
a gradient stands the numerical one, from small changes in the forward pass.
Large entries of an array are bold, small ones pale. ! marks accused lines.

{PLACES}"""
LEAST_SOURCE = 5  # rows
MARKED = {True: "!", False: " "}  # a line that is accused, here or at another step


def screen(view, width, height):
    """Rows that fill a screen of this size, as a list of `height` lists of (style, text).

    view: has recording, n (the line), panel ("value", "weights", "gradients" or "help"), top and left (first row and
    column of arrays that are shown), message.
    """
    event = view.recording[view.n]
    rows = [[("bar", bar(view, event, width).ljust(width))]]
    room = max(height - 2, 0)
    if view.panel == "help":
        text = [*HELP.splitlines(), "", *heading(view.recording)]
        rows += [[("", line)] for line in scrolled(text, view, room)]
    elif view.panel == "value":
        rows += of_line(view, event, width, room)
    else:
        rows += scrolled(of_step(view, event, width), view, room)
    rows = [clipped(row, width) for row in rows[: height - 1]]
    rows += [[]] * (height - 1 - len(rows))
    bottom = ("message", view.message) if view.message else ("keys", KEYS if len(KEYS) <= width else short_keys(width))
    return [*rows, clipped([bottom], width)]


def short_keys(width):
    """As many keys as fit, help and quit among them."""
    keys, last = KEYS.split("  ")[:-2], "? help  q quit"
    while keys and len("  ".join([*keys, last])) > width:
        keys.pop()
    return "  ".join([*keys, last])


def bar(view, event, width):
    """Where one is; how far is said on a narrow screen too."""
    text = " ".join(filter(None, (where(view.recording, event), sequences(view.recording, event))))
    far = f"  |  line {view.n + 1} of {len(view.recording)}"
    return joined(clipped([("", f" {text}")], width - len(far))) + far


def scrolled(lines, view, room):
    """The part of a long list that is shown; `view.top` is brought back to where there is something."""
    view.top = max(0, min(view.top, len(lines) - room))
    return lines[view.top : view.top + room]


# the line: its source above, its value below ----------------------------------------------------------------------


def of_line(view, event, width, room):
    """Rows for one event: its source, a rule, its value, and the gradients that flow; the value gets room first."""
    flowing = flow_rows(view.recording, event)
    wanted = value_rows(view, event, width, None)
    high = min(len(wanted), max(room - len(flowing) - 1 - max(LEAST_SOURCE, room // 3), 3))
    if high < len(wanted):
        wanted = value_rows(view, event, width, high)
    source = source_rows(view.recording, event, width, max(room - len(flowing) - 1 - high, 1))
    return [*source, [("rule", "─" * width)], *wanted[:high], *flowing]


def value_rows(view, event, width, rows):
    """The title of a value, the value, the numerical gradient, and what is wrong about it."""
    recording = view.recording
    title = [("name", event.name), ("", f" {shape_text(recording, recording.events['value'][event.number])}")]
    if event.kind != "assigned":
        title.append(("label", f"  {event.kind}"))
    others = [recording[n].name for n in arguments_at(recording, event.number) if n != event.number]
    if others:
        title.append(("label", f"; with it: {', '.join(others)}"))
    accused = [[("wrong", line)] for text in accusation(event) for line in textwrap.wrap(text, width)]
    if rows is not None:
        accused = accused[: max(rows - 4, 1)]
    left = 10**6 if rows is None else max(rows - 1 - len(accused), 1)
    if recording.events["value"][event.number] < 0:
        return [title, *accused]
    if event.numerical is None:
        large = [[("label", "too large to be kept")]]
        value = large if event.value is None else table(event.value, width, left, view.top, view.left)
        return [title, *value, *accused]
    title.append(("wrong" if event.wrong else "label", f"  {comparison(recording, event)}"))
    return [title, *both_tables(event, width, left, view.top, view.left), *accused]


def flow_rows(recording, event):
    """The sizes of the gradients that arrive at the step and leave it; nothing on the way forwards."""
    both = flow(recording, event)
    if both is None:
        return []
    return [
        [("label", "gradient arriving  "), ("", flow_text(both[0]))],
        [("label", "gradient leaving   "), ("", flow_text(both[1]))],
    ]


def source_rows(recording, event, width, room):
    """The source of the function with the current line marked; a current line that is too long is broken."""
    number = recording.sites[recording.events["site"][event.number]][0]
    source = recording.sources[number]
    accused = {
        recording.sites[site][1] for site, *_ in recording.data["accusations"] if recording.sites[site][0] == number
    }
    lines = textwrap.dedent("\n".join(line.expandtabs(4) for line in source["text"])).split("\n")
    rows, current = [], 0
    for line, text in enumerate(lines, source["first"]):
        here = line == event.line
        start = f"{'>' if here else ' '}{MARKED[line in accused]}{line:>4}  "
        style = "current" if here else "accused" if line in accused else ""
        if not here:
            rows.append([("line", start), (style, printable(text))])
            continue
        current = len(rows)
        indent = " " * (len(text) - len(text.lstrip()) + 4)
        broken = textwrap.wrap(printable(text), max(width - len(start), 20), subsequent_indent=indent) or [""]
        rows += [[("current", part)] for part in [start + broken[0], *(" " * len(start) + part for part in broken[1:])]]
    title = [("label", f"{source['file']}  {source['function']}")]
    if room < 3:
        return rows[current : current + room]
    first = max(0, min(current - (room - 1) // 2, len(rows) - (room - 1)))
    shown = [title, *rows[first : first + room - 1]]
    return shown + [[]] * (room - len(shown))


# the step: gradients on request -----------------------------------------------------------------------------------


def of_step(view, event, width):
    """The rows of a panel that shows arrays of a whole time step, as many as there are."""
    recording = view.recording
    if view.panel == "gradients":
        both = flow(recording, event)
        if both is None:
            return [[("label", "no gradients arrive here: they belong to a time step of the backward pass")]]
        titles = ("gradient of the loss that arrives at the new state", "gradient that leaves for the state before")
    else:
        step = recording.step_at(event.layer, event.t) if event.backward and event.t is not None else None
        if step is None or not step["running"]:
            why = "no weight gradients here: they are summed up along the steps of the backward pass"
            return [[("label", why if step is None else "this cell's weight gradients come all at once, at the end")]]
        both = [[(f"d{name}", recording.array(index)) for name, index in step["running"].items()]]
        titles = (f"weight gradients, summed from the last step down to t = {event.t}",)
    rows = []
    for title, arrays in zip(titles, both, strict=True):
        rows.append([("label", title)])
        for name, array in arrays:
            rows.append([("name", name), ("", "" if array is None else f" {array.shape}")])
            rows += [[("label", "too large to be kept")]] if array is None else table(array, width, None, 0, view.left)
        rows.append([])
    return rows[:-1]


def as_text(rows):
    """The screen without colours."""
    return "\n".join(joined(row).rstrip() for row in rows)
