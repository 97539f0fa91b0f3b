"""Documents of `tinyrnn.stepping.paper` as A4 pages in a PDF file.

matplotlib lays them out, in fixed-width type where widths matter, so that nothing can overlap: every width is known
before anything is drawn. The same document gives the same bytes.
"""

import textwrap
from functools import cache
from pathlib import Path

import matplotlib
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from tinyrnn.core.files import write_atomically
from tinyrnn.stepping.paper import Heading, Table

WIDTH, HEIGHT, MARGIN = 595, 842, 42  # A4 in points
CODE_WIDTH = 0.602  # of a character of the fixed-width type, in its size
GREY, PALE = "0.45", "0.93"
SIZE, GAP = 8, 10  # of a table's type, and between its columns
TITLE, HEAD = 23, 15  # heights of a heading and of a table's header


def write_pdf(path, documents):
    """Write documents to a PDF file, each from a new page on. documents: [(title at the foot of each page, blocks)]."""
    pages = [
        (f"{title}, page {k} of {len(laid)}", page)
        for title, blocks in documents
        for laid in [PageLayout(blocks).pages]
        for k, page in enumerate(laid, 1)
    ]

    def write(temporary):
        # no date, and no name of the file, so that the bytes are the document's and nothing else's
        with PdfPages(temporary, metadata={"CreationDate": None, "Producer": None, "Creator": "tinyrnn"}) as file:
            for foot, page in pages:
                file.savefig(figure_of(page, foot))

    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"pdf.fonttype": 42, "text.usetex": False, "pdf.compression": 6}):
        write_atomically(path, write)


def figure_of(page, foot):
    """One page, as a matplotlib figure; page: what `PageLayout` has put on it."""
    figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72), facecolor="white")
    marks = [*page, ("text", MARGIN, 24, foot, font("sans", 7.5), GREY)]
    for kind, x, y, *rest in marks:
        if kind == "text":
            text, properties, colour = rest
            figure.text(
                x / WIDTH, y / HEIGHT, text, fontproperties=properties, color=colour, parse_math=False, va="baseline"
            )
        else:
            wide, high, colour = rest
            box = matplotlib.patches.Rectangle(
                (x / WIDTH, y / HEIGHT), wide / WIDTH, high / HEIGHT, color=colour, lw=0, transform=figure.transFigure
            )
            figure.add_artist(box)
    return figure


@cache
def font(kind, size, weight="normal"):
    """`FontProperties` of DejaVu Sans Mono (kind "code") or DejaVu Sans (any other), made once; size: in points."""
    return FontProperties(family="DejaVu Sans Mono" if kind == "code" else "DejaVu Sans", size=size, weight=weight)


def width_of(text, properties):
    """The width of one line of text in points."""
    return TextToPath().get_text_width_height_descent(text, properties, ismath=False)[0]


def broken(text, properties, width):
    """The lines of a paragraph no wider than `width` points."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, properties) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


class PageLayout:
    """Puts blocks on pages from the top down. pages: lists of marks, ("text", x, y, text, font, colour) or
    ("box", x, y, width, height, colour), y from the foot of the page."""

    def __init__(self, blocks):
        self.pages, self.y = [[]], HEIGHT - MARGIN
        for block, after in zip(blocks, [*blocks[1:], None], strict=True):
            if isinstance(after, Table) and isinstance(block, Heading):
                self.keep_together(TITLE + self.height_of(after))
            elif isinstance(block, Table):
                self.keep_together(self.height_of(block))
            getattr(self, type(block).__name__.lower())(block)

    @property
    def width(self):
        """The width between the margins in points."""
        return WIDTH - 2 * MARGIN

    def room(self, height):
        """Go down by `height`, on a new page if it does not fit on this one; whether there is a new page."""
        is_new = self.y - height < MARGIN
        if is_new:
            self.pages.append([])
            self.y = HEIGHT - MARGIN
        self.y -= height
        return is_new

    def write(self, x, text, properties, colour="black", up=0):
        """Put a line of text on the page, unless it is blank; x: points from the left, up: points above here."""
        if text.strip():
            self.pages[-1].append(("text", x, self.y + up, text, properties, colour))

    def box(self, x, up, wide, high, colour):
        """Put a filled rectangle on the page, all in points; up: of its lower edge above where we are."""
        self.pages[-1].append(("box", x, self.y + up, wide, high, colour))

    def heading(self, block):
        """Lay out a `Heading` in bold, with room for what follows on the same page."""
        properties = font("sans", 14 if block.level == 1 else 11.5, "bold")
        for line in broken(block.text, properties, self.width):
            self.room(80)  # a heading stays with what follows
            self.y += 62
            self.write(MARGIN, line, properties)
        self.y -= 5

    def text(self, block):
        """Lay out a `Text`, broken at the page's width."""
        for line in broken(block.text.replace("`", ""), font("sans", 9), self.width):
            self.room(13)
            self.write(MARGIN, line, font("sans", 9))
        self.y -= 5

    def listing(self, block):
        """Lay out a `Listing`; the rest of a line that is too long goes on below, indented by four more."""
        most = int((self.width - 12) / (8 * CODE_WIDTH))
        for line in block.lines:
            indent = " " * (len(line) - len(line.lstrip()) + 4)
            for part in textwrap.wrap(line, most, subsequent_indent=indent, drop_whitespace=False) or [""]:
                self.room(11)
                self.write(MARGIN + 12, part, font("code", 8))
        self.y -= 7

    def keep_together(self, height):
        """Go on to a new page if `height` does not fit on the rest of this one, but does on a whole one."""
        if self.y - height < MARGIN and height <= HEIGHT - 2 * MARGIN:
            self.pages.append([])
            self.y = HEIGHT - MARGIN

    def table(self, block):
        """Lay out a `Table`, on one page if one can hold it; a row always stays on one page, and the header stands on
        every page that has rows."""
        first, starts, total = self.columns(block)
        self.head(block.header, starts, total)
        for cells, high in rows_of(block, first):
            if self.room(high):
                self.y += high
                self.head(block.header, starts, total)
                self.room(high)
            for k, (x, cell) in enumerate(zip(starts, cells, strict=True)):
                down = 11 if k == 0 else block.height
                for n, line in enumerate(cell):
                    self.write(x, line, font("code", SIZE), up=high - block.height - down * n + 1)
            self.box(MARGIN, -1, total, 0.4, GREY)
        self.y -= 9

    def columns(self, block):
        """(how many characters go into the first column of a table, where each column starts, width of the table)."""
        widths = [
            max(len(line) for row in [[[title] for title in block.header], *block.rows] for line in row[k])
            for k in range(len(block.header))
        ]
        others = sum(widths[1:]) * SIZE * CODE_WIDTH + GAP * len(widths)
        first = min(widths[0], int((self.width - others) / (SIZE * CODE_WIDTH)))
        starts = [MARGIN + 3]
        for wide in [first, *widths[1:-1]]:
            starts.append(starts[-1] + wide * SIZE * CODE_WIDTH + GAP)
        return first, starts, starts[-1] + widths[-1] * SIZE * CODE_WIDTH + 4 - MARGIN

    def height_of(self, block):
        """The height of a whole table, with its header."""
        return HEAD + sum(high for _, high in rows_of(block, self.columns(block)[0]))

    def head(self, header, starts, total):
        """Lay out a table's header; starts: of its columns, total: its width, all in points."""
        self.room(HEAD)
        self.box(MARGIN, -1, total, 14, PALE)
        for x, title in zip(starts, header, strict=True):
            self.write(x, title, font("code", 8, "bold"), up=3)


def rows_of(block, first):
    """[(cells, height)] for each row of a `Table` of whose first column `first` characters fit into a line."""
    laid = []
    for row in block.rows:
        source = [part for line in row[0] for part in textwrap.wrap(line, first, subsequent_indent="  ") or [""]]
        more = max(11 * (len(source) - 1), block.height * (max(map(len, row[1:])) - 1))
        laid.append(([source, *row[1:]], block.height + more + 3))
    return laid
