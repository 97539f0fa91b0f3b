"""The terminal view: a recording on a full screen, one line of the source at a time, moved through by keys.

The terminal itself is left to prompt_toolkit (one dependency, the library under IPython): keys, resizing, colours as
far as the terminal and NO_COLOR allow. `Position` is all that the keys change, and knows nothing of it.
"""

from prompt_toolkit.application import Application
from prompt_toolkit.application.current import get_app
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import ConditionalContainer, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import TextArea

from tinyrnn.stepping.places import like, next_step, next_stop, place, search
from tinyrnn.stepping.screen import screen

STYLE = Style(
    [  # the terminal's own sixteen colours, so that they suit its background
        ("bar", "reverse"),
        ("rule", "ansibrightblack"),
        ("label", "ansibrightblack"),
        ("line", "ansibrightblack"),
        ("keys", "ansibrightblack"),
        ("current", "bold"),
        ("name", "bold"),
        ("message", "bold"),
        ("wrong", "bold ansired"),
        ("accused", "ansired"),
        ("plus", "ansiblue"),
        ("minus", "ansired"),
        ("plus large", "ansiblue bold"),
        ("minus large", "ansired bold"),
        ("large", "bold"),
        ("small", "ansibrightblack"),
    ]
)
WELCOME = "n: the next line; f: the first one, of the forward pass; ?: all keys"
SCROLL = 5  # rows that a key moves an array by


class Position:
    """Where one is in a recording, and what is looked at there. Its methods are what the keys do."""

    def __init__(self, recording, n=0, message=""):
        self.recording, self.n, self.message = recording, n, message
        self.panel, self.top, self.left = "value", 0, 0
        self.sought = None  # the last place gone to

    def go(self, n, message=""):
        """To line number n, or to the first or last, if there is no such line."""
        self.n = max(0, min(n, len(self.recording) - 1))
        self.message, self.top, self.left = message, 0, 0
        if self.panel == "help":
            self.panel = "value"

    def line(self, direction):
        """Go one line on (direction 1) or back (-1); at either end only say so."""
        to = next_stop(self.recording, self.n, direction)
        if not 0 <= to < len(self.recording):
            self.message = "this is the last line" if direction > 0 else "this is the first line"
            return
        turned = direction > 0 and self.n < self.recording.turn <= to
        self.go(to, "the backward pass begins" if turned else "")

    def step(self, direction):
        """Go to the next time step of the run (direction 1) or the one before (-1), or say there is none."""
        to = next_step(self.recording, self.n, direction)
        self.go(to, "" if to != self.n else f"this is the {'last' if direction > 0 else 'first'} time step there is")

    def turn(self):
        """Go to the first line of the backward pass, or say that there is none."""
        if self.recording.turn == len(self.recording):
            self.message = "there is no line of the backward pass in this recording"
        else:
            self.go(self.recording.turn)

    def seek(self, text, meaning=place):
        """To the next line at the place that `text` means; what is wrong with it becomes the message."""
        if not text.strip():
            return
        try:
            self.sought = meaning(text.strip(), self.recording)
        except ValueError as error:
            self.message = str(error)
            return
        self.again()

    def first_wrong(self):
        """Go to the first line that is wrong; `again` goes on from there."""
        self.sought = place("wrong", self.recording)
        found = search(self.recording, self.sought)
        if found is None:
            self.message = "no line is wrong"
        else:
            self.panel = "value"
            self.go(found, "the first wrong line: G for the next one")

    def again(self):
        """Go to the next line at the place last looked for, or say what keeps us here."""
        if self.sought is None:
            self.message = "nothing has been looked for yet: g goes to a place, / to a name"
            return
        found = search(self.recording, self.sought, self.n)
        if found is None:
            self.message = f"no line is at the place {self.sought.text!r}"
        else:
            self.panel = "value"  # to see the line that was looked for
            self.go(found, f"{self.sought.text}: G for the next one" if found != self.n else "there is no other one")

    def show(self, panel):
        """A panel, or, if it is shown already, the value again."""
        self.panel = "value" if self.panel == panel else panel
        self.message, self.top, self.left = "", 0, 0

    def scroll(self, rows=0, columns=0):
        """Move the value that is shown by rows and columns, never beyond its beginning."""
        self.top, self.left = max(0, self.top + rows), max(0, self.left + columns)


ACTIONS = [  # keys, what they do with a view
    (("n", "down", "right", "space"), lambda view: view.line(1)),
    (("p", "up", "left", "backspace"), lambda view: view.line(-1)),
    (("t",), lambda view: view.step(1)),
    (("T",), lambda view: view.step(-1)),
    (("f", "home"), lambda view: view.go(0)),
    (("b",), lambda view: view.turn()),
    (("end",), lambda view: view.go(len(view.recording) - 1)),
    (("G", "N"), lambda view: view.again()),
    (("w",), lambda view: view.first_wrong()),
    (("d",), lambda view: view.show("weights")),
    (("a",), lambda view: view.show("gradients")),
    (("?", "h"), lambda view: view.show("help")),
    (("pagedown",), lambda view: view.scroll(rows=SCROLL)),
    (("pageup",), lambda view: view.scroll(rows=-SCROLL)),
    ((">",), lambda view: view.scroll(columns=1)),
    (("<",), lambda view: view.scroll(columns=-1)),
    (("escape",), lambda view: view.show("value")),
]
PROMPTS = {"g": ("go to: ", place), "/": ("name: ", like)}


def look(recording, place=None, start=0, **streams):
    """Open the view, at a place or else at line `start`, and come back when it is left; returns the `Position`.

    streams: prompt_toolkit's `input` and `output`, if not those of the process. Raises ValueError for a recording
    without lines.
    """
    if not len(recording):
        raise ValueError("there is no line in this recording to be looked at")
    view = Position(recording, start, WELCOME if start else "")
    if place is not None:
        found = search(recording, place)
        view = Position(recording, start if found is None else found)
        view.message = "" if found is not None else f"no line is at the place {place.text!r}"
        view.sought = place
    application(view, **streams).run()
    return view


def application(view, **streams):
    """The prompt_toolkit application around a view."""
    asking = {"now": None, "text": ""}  # how the answer will be understood, and what stands before it
    asked = TextArea(height=1, multiline=False, get_line_prefix=lambda *line: [("class:message", asking["text"])])

    def draw():
        size = get_app().output.get_size()
        rows = screen(view, size.columns, size.rows)
        rows = rows[: size.rows - 1] if asking["now"] else rows
        return [fragment for row in rows for fragment in [*styled(row), ("", "\n")]][:-1]

    body = Window(FormattedTextControl(draw, focusable=True, show_cursor=False), always_hide_cursor=True)
    prompt = ConditionalContainer(asked, Condition(lambda: asking["now"] is not None))

    def answered(buffer):
        view.seek(buffer.text, asking["now"])
        close()

    def close():
        asking["now"] = None
        get_app().layout.focus(body)

    asked.accept_handler = answered
    keys = KeyBindings()
    looking, typing = has_focus(body), has_focus(asked)
    for names, action in ACTIONS:
        for name in names:
            keys.add(name, filter=looking)(lambda event, action=action: action(view))
    for name, (text, meaning) in PROMPTS.items():

        @keys.add(name, filter=looking)
        def ask(event, text=text, meaning=meaning):
            view.message, asked.text = "", ""
            asking["now"], asking["text"] = meaning, text
            event.app.layout.focus(asked)

    keys.add("escape", filter=typing)(lambda event: close())
    keys.add("c-g", filter=typing)(lambda event: close())
    keys.add("q", filter=looking)(lambda event: event.app.exit())
    keys.add("c-c")(lambda event: close() if asking["now"] else event.app.exit())
    keys.add("c-z", filter=looking)(lambda event: event.app.suspend_to_background())
    made = Application(
        Layout(HSplit([body, prompt]), body), key_bindings=keys, style=STYLE, full_screen=True, **streams
    )
    made.ttimeoutlen = made.timeoutlen = 0.05  # an Escape is known as one at once, over ssh too
    return made


def styled(row):
    """A row with the styles as prompt_toolkit names them."""
    return [(" ".join(f"class:{name}" for name in style.split()), text) for style, text in row]
