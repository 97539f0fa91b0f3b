"""Backpropagation on paper: a small exercise with friendly numbers and its solution key, another one for each seed.

All numbers of the key are those of a `Recording`; the exercise itself is drawn in `tinyrnn.stepping.exercise`, and
`tinyrnn.stepping.paper` writes it as Markdown, `tinyrnn.stepping.pdf` as PDF.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from tinyrnn.cells import CELLS
from tinyrnn.core.files import write_atomically
from tinyrnn.core.progress import Bar
from tinyrnn.stepping.exercise import STEPS, TOLERANCE, exercise, name_of
from tinyrnn.stepping.paper import markdown
from tinyrnn.stepping.worksheet_document import document
from tinyrnn.training.networks import network, single

PRINTED = "-"  # instead of a file
LESSON = 40  # numbers to fill in
EACH = 0.55  # minutes for one of them, by guess: a small product and a look at the sheet
FEW = 12  # weights of which the contribution of every step is asked for, not the sum alone


class Question(NamedTuple):
    """answer: an array, (H,) for a value at one step, the weight's shape for its gradient; tolerance: how far off an
    entry may be."""

    id: str
    text: str
    answer: np.ndarray
    tolerance: float


class Worksheet:
    """An exercise and its key. questions: a list of `Question`; recording: where the answers come from.

    `markdown(key=False)` is text, `pdf(path, key=False)` writes A4 pages, `to_json()` is a dict for a grader.
    """

    def __init__(self, name, seed, given, blanks=None):
        self.name, self.seed, self.exercise = name, int(seed), given
        self.recording, self.exact = given.recording, given.exact
        self.tolerance = 1e-6 if self.exact else TOLERANCE
        self.asked = {}
        self.tables = [
            self.table("forward", range(STEPS), given.lines("step")),
            self.table("backward", range(STEPS)[::-1], given.lines("step_backward")),
            self.gradients(),
        ]
        self.closing = self.thoughts()
        self.given = set() if blanks is None else self.beyond(blanks)  # ids whose answers stand on the sheet

    @property
    def questions(self):
        """The `Question`s in the order in which they are asked, a list."""
        return [question for id, question in self.asked.items() if id not in self.given]

    @property
    def blanks(self):
        """How many numbers are to be filled in."""
        return sum(question.answer.size for question in self.questions)

    @property
    def minutes(self):
        """How long that takes, about; a multiple of five."""
        return max(5, 5 * round(EACH * self.blanks / 5))

    def beyond(self, blanks):
        """The ids of all but `blanks` numbers: what is asked is the closing questions, the way back from the last step,
        weights' gradients, the last step itself and, as far as there is room for a whole step, the others."""
        kept = {id for _, id in self.closing}
        closing = sum(self.asked[id].answer.size for id in kept)
        if blanks < closing:
            raise ValueError(f"{blanks} numbers to fill in are too few: the closing questions have {closing}")
        blanks -= closing
        forward, backward, sums = self.tables
        steps = [*zip(*(ids for _, _, ids in backward if ids), strict=True)]
        ahead = [*zip(*(ids for _, _, ids in forward if ids), strict=True)][::-1]
        groups = [steps[0], *([ids[-1]] for _, _, ids in sums), ahead[0], steps[1], steps[2], ahead[1], ahead[2]]
        for group in [*groups, *([id] for _, _, ids in sums for id in ids[:-1])]:
            size = sum(self.asked[id].answer.size for id in group)
            if size <= blanks:
                kept |= set(group)
                blanks -= size
        return set(self.asked) - kept

    @property
    def title(self):
        """The name of the sheet and its seed."""
        return f"{self.name}, worksheet {self.seed}"

    def ask(self, id, text, answer, tolerance=None):
        """Note a question; returns its id, made unique."""
        same = [other for other in self.asked if other.split("#")[0] == id]
        id = f"{id}#{len(same) + 1}" if same else id
        self.asked[id] = Question(id, text, np.asarray(answer), self.tolerance if tolerance is None else tolerance)
        return id

    # what is asked --------------------------------------------------------------------------------------------------

    def table(self, part, steps, lines):
        """[(text, name, [id for each step])], the questions of the forward or the backward pass."""
        rows, first = [], f"d{self.exercise.cell.states[0]}"
        for line in lines:
            if line.regroups:  # stands there, with nothing to work out
                names = [rows.pop()[1], line.name] if rows and rows[-1][0] == line.text else [line.name]
                rows.append((line.text, ", ".join(names), []))
                continue
            name = f"{line.name} arriving" if line.arriving else line.name
            sources = "(from above) + (from the step after)" if line.name == first else "(from the step after)"
            text = line.text or sources
            id, words = f"{part}/{name.replace(' ', '-')}", f"{name}: {text}"
            ids = [self.ask(f"{id}/{t}", f"t = {t}, {words}", line.values[t]) for t in steps]
            rows.append((text, name, ids))
        return rows

    def gradients(self):
        """The same for the weights: what each step contributes, if there are few, and the sums."""
        params, lines = self.recording.data["results"]["params"], {}
        for line in self.exercise.lines("gradients"):
            lines.setdefault(line.name, line)
        few = sum(value.size for value in self.exercise.cell.params.values()) <= FEW
        rows = []
        for name, index in params.items():
            line, ids = lines[f"d{name}"], []
            for t in range(STEPS)[::-1] if few else ():
                text = f"what step {t} contributes to d{name}"
                ids.append(self.ask(f"gradients/d{name}/{t}", text, line.values[t]))
            ids.append(self.ask(f"gradients/d{name}", f"d{name}, the sum over all steps", self.recording.array(index)))
            rows.append((line.text, f"d{name}", ids))
        return rows

    def thoughts(self):
        """[(text, id)]: the questions in the margin."""
        state, (arriving, leaving) = self.exercise.cell.states[0], self.exercise.sizes()
        asked, order = [], ", ".join(f"t = {t}" for t in range(STEPS))
        loss = self.recording.data["loss"]

        def add(id, text, answer, tolerance=None):
            asked.append((text, self.ask(id, text, answer, tolerance)))

        add("loss", f"The loss: the sum over all steps of the entries of {state} times what comes from above.", loss)
        size = "The largest entry, without its sign, of the gradient of"
        add("size/arriving", f"{size} {state} that arrives at {order}.", arriving)
        add("size/leaving", f"{size} {state} that leaves for the step before, at {order}.", leaving)
        t = int(np.argmin(leaving / arriving))
        add("step", "Leaving against arriving: at which t does the gradient shrink most, or grow least?", t, 0)
        products = self.exercise.products(t)
        if len(products) > 1:
            listed = "; ".join(f"({k}) {line.text.split('  #')[0]}" for k, (line, _) in enumerate(products, 1))
            text = f"Which product makes the gradient shrink there? Compare the largest entries at t = {t}, after and "
            text += f"before: which of these lets least of it through? {listed}"
            add("product", text, 1 + int(np.argmin([share for _, share in products])), 0)
        off = [int((value == 0).sum()) for function, value in self.exercise.activations() if function == "relu"]
        if off:
            add("off", "How many times, over all steps and units, is a ReLU off and lets nothing through?", sum(off), 0)
        return asked

    def markdown(self, key=False):
        """The sheet, or the key, as text."""
        return markdown(document(self, key))

    def pdf(self, path, key=False):
        """Write the sheet, or the key, to a PDF file."""
        write_pdf(path, [self], key)

    def foot(self, key):
        """What stands at the foot of each page; key: of the solution key."""
        return f"{self.title}{', solution key' if key else ''}"

    def to_json(self):
        """The questions with their answers, for a program that marks typed answers."""
        questions = [{**q._asdict(), "answer": q.answer.tolist()} for q in self.questions]
        return {
            "format": "tinyrnn-worksheet",
            "version": 1,
            "cell": self.name,
            "seed": self.seed,
            "questions": questions,
        }


def worksheet(cell, seed=0, units=2, blanks=None):
    """The `Worksheet` with this seed.

    blanks: how many numbers are to be filled in, at most; the others are given. None: all.

    cell: the name of a cell, which gets `units` units (2 or 3), or a small cell of your own, whose weights are not
    used. Raises ValueError, in one line, for a cell that does not fit on paper, and for fewer blanks than the closing
    questions have.
    """
    return Worksheet(name_of(cell), seed, exercise(cell, seed, units), blanks)


def write(sheets, path=None, key=None):
    """Write worksheets and one key for all of them; returns the names of the files.

    path: a file of the sheet, ending in .md or .pdf; of several sheets each gets its seed into the name. key: the file
    of the key; default: beside the sheet, with -key in its name. Without a path the sheets are not written, without
    either nothing is.
    """
    several, written = len(sheets) > 1, []
    path, key = None if path is None else Path(path), None if key is None else Path(key)
    if path is not None and key is None:
        key = path.with_stem(f"{path.stem}-key")
    for file in (path, key):
        if file is not None and file.suffix not in (".md", ".pdf"):
            raise ValueError(f"{file}: a worksheet is written to a file ending in .md or .pdf")
    if path is not None and path == key:
        raise ValueError(f"{path}: the sheet and its key need files of their own")
    for sheet in sheets if path is not None else ():
        file = path.with_stem(f"{path.stem}-{sheet.seed}") if several else path
        written.append(save([sheet], file, False))
    return written if key is None else [*written, save(sheets, key, True)]


def save(sheets, path, key):
    """All sheets, or all keys, in one file; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".pdf":
        write_pdf(path, sheets, key)
    else:
        text = "\n---\n\n".join(sheet.markdown(key) for sheet in sheets)
        write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
    return path


def write_pdf(path, sheets, key):
    """All sheets, or all keys, as pages of one file."""
    from tinyrnn.stepping import pdf  # which draws with matplotlib; other ways to step need not wait for that

    pdf.write_pdf(path, [(sheet.foot(key), document(sheet, key)) for sheet in sheets])


def run_worksheet(args):
    """`tinyrnn step NETWORK --worksheet`; raises ValueError, in one line, for what does not go together."""
    idle = [
        name for name in ("time", "truncate", "range", "names", "numerical", "until", "html") if getattr(args, name)
    ]
    if idle or args.print:
        raise ValueError(f"--{(idle or ['print'])[0]} does not go with --worksheet")
    if args.count < 1:
        raise ValueError(f"--count: there must be one sheet at least, not {args.count}")
    if args.count > 1 and (args.json or args.worksheet == PRINTED):
        raise ValueError("--count: several sheets need --worksheet FILE, and no --json")
    what = args.network if args.network in CELLS else single(network(args.network, rng=args.seed))
    seeds = range(args.seed, args.seed + args.count)
    if args.blanks < 1:
        raise ValueError(f"--blanks: there must be one number at least to fill in, not {args.blanks}")
    sheets = [
        worksheet(what, seed, args.units, args.blanks) for seed in Bar(seeds, unit="sheet", disable=None, leave=False)
    ]
    path = None if args.worksheet == PRINTED else args.worksheet
    files = write(sheets, path, args.key)
    if path is None:
        print(sheets[0].markdown(), end="" if args.key else "\n---\n\n")
        print("" if args.key else sheets[0].markdown(key=True), end="")
    if args.json:
        sheets[0].recording.save(args.json)
        files.append(args.json)
    for file in files if path is not None else ():
        print(file)
    return 0
