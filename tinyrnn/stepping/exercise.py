"""Friendly numbers: weights, inputs and upstream gradients with which backpropagation can be done on paper.

Numbers are drawn from small sets and drawn again until nothing is degenerate and, where the cell allows it, every
number of the forward and the backward pass has two decimals at most. What the numbers are is read from a `Recording`.
"""

import ast
import copy
from typing import NamedTuple

import numpy as np

from tinyrnn.cells import CELLS
from tinyrnn.core.adapter import StepCell
from tinyrnn.core.cell import Cell
from tinyrnn.stepping.running import Lines
from tinyrnn.stepping.tracing import trace
from tinyrnn.training.networks import network

STEPS = 3
LARGEST = 20  # no number on an exact sheet is as large as this
LARGEST_ROUNDED = 5  # nor as this on one whose numbers are rounded: rounding errors would grow with them
SMALLEST_ROUNDED = 0.05  # a gradient whose largest entry is smaller would be lost in rounding
TOLERANCE = 0.01  # of an answer, if every number is rounded to three decimals on the way
SATURATED = 0.97  # a tanh beyond this is flat: its derivative has one digit left of three
MOST = 230  # numbers that may be asked for
TRIES = 10_000
PAPER = tuple(name for name, (cell, _) in CELLS.items() if cell.inputs_on_paper)
FUNCTIONS = {"tanh": np.arctanh, "sigmoid": lambda y: np.log(y / (1 - y)), "elu": np.log1p}  # with their inverses


class Line(NamedTuple):
    """One line of the source that gives a value at every step: its text, the name, and {t: value without the batch}."""

    text: str
    name: str
    arriving: bool  # whether it is no line, but the gradient that comes to the step
    regroups: bool  # whether it only cuts up or puts together what is there
    values: dict
    numerical: dict


class PaperExercise(NamedTuple):
    """A cell with friendly weights, x (3, 1, input_size), dh (3, 1, output_size), and the `Recording` of both passes.

    exact: whether no number has to be rounded.
    """

    cell: Cell
    x: np.ndarray
    dh: np.ndarray
    recording: object
    exact: bool

    def lines(self, function):
        """The `Line`s of the cell's `step`, `step_backward` or `gradients`, in the order in which they run."""
        found, times = {}, {}
        for event in self.recording:
            if event.t is None or event.function.split(".")[-1] != function or not shown(event, self.cell):
                continue
            place = event.line, event.name, event.kind
            times[place, event.t] = times.get((place, event.t), 0) + 1
            text = self.text_of_projection() if event.name == "a" and event.kind == "given" else event.text
            arriving = event.kind == "given" and event.backward
            line = Line("" if arriving else text, event.name, arriving, regroups(event), {}, {})
            line = found.setdefault((*place, times[place, event.t]), line)
            line.values[event.t] = flat(event.value)
            if event.numerical is not None:
                line.numerical[event.t] = flat(event.numerical)
        return list(found.values())

    def source(self, function):
        """The source of one of the cell's functions, a list of lines."""
        return next(s["text"] for s in self.recording.sources if s["function"].split(".")[-1] == function)

    def text_of_projection(self):
        """The first return line of the cell's `project`, stripped; None if there is none."""
        return next(line.strip() for line in self.source("project") if line.strip().startswith("return "))

    def activations(self):
        """(function, value) of each time an activation function was used, in order: what came out of it."""
        found = []
        for line in self.lines("step"):
            function = getattr(right_side(line.text), "func", None)
            name = getattr(function, "attr", getattr(function, "id", None))
            name = self.cell.activation if name in ("phi", "sigma") else name
            if name in (*FUNCTIONS, "relu"):
                found += [(name, value) for value in line.values.values()]
        return found

    def sizes(self):
        """(arriving, leaving): largest entries of the gradient of the first state, at t = 0, 1, …"""
        name, steps = self.cell.states[0], sorted(self.recording.steps, key=lambda step: step["t"])
        return [
            np.array([abs(self.recording.array(step[which][name])).max() for step in steps])
            for which in ("arriving", "leaving")
        ]

    def products(self, t):
        """[(line, share)]: lines of the backward step that multiply one gradient by something, and how much of it they
        let through: the largest entry after over the largest before."""
        found, sizes = [], {}
        for line in self.lines("step_backward"):
            size = abs(line.values[t]).max()
            if not line.arriving:
                value = right_side(line.text)
                names = [n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id in sizes]
                is_product = isinstance(getattr(value, "op", None), ast.Mult | ast.MatMult)
                if is_product and len(names) == 1 and sizes[names[0]] > 0:
                    found.append((line, size / sizes[names[0]]))
            sizes[line.name] = size
        return found


def shown(event, cell):
    """Whether a value belongs on paper: not what is only handed over."""
    if event.kind == "given":
        return event.name == "a" if not event.backward else event.name in [f"d{state}" for state in cell.states]
    if event.function.endswith(".gradients"):
        return event.name.removeprefix("d") in cell.params
    return True


def regroups(event):
    """Whether a line does no more than cut up, or put together, what has a name already."""
    call = right_side(event.text)
    is_grouping = getattr(getattr(call, "func", None), "id", None) in ("split", "join")
    return is_grouping and all(isinstance(part, ast.Name | ast.Constant) for part in call.args)


def right_side(text):
    """The syntax tree of what a line assigns or returns; None if it is not a whole statement."""
    try:
        return getattr(ast.parse(text.removeprefix("return ")).body[0], "value", None)
    except (SyntaxError, IndexError):
        return None


def flat(value):
    """Without the axes of time and batch, which have one entry: (1, H) and (1, 1, H) are (H,); weights stay."""
    while value.ndim > 1 and value.shape[0] == 1:
        value = value[0]
    return value


def exercise(what, seed=0, units=2):
    """The `PaperExercise` with this seed for a cell.

    what: the name of a cell, which gets `units` units; or a cell, whose weights are not used. Raises ValueError or
    TypeError, in one line, for a cell that is no work for paper.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"the seed of a worksheet is a whole number from 0 on, not {seed!r}")
    cell = chosen(what, units)
    rng = np.random.default_rng([int(seed), *name_of(what).encode()])  # other cells have other numbers
    drawn = draw(cell, rng, True)
    if count(drawn) > MOST:
        raise ValueError(refusal(what, f"asks for {count(drawn)} numbers, more than {MOST}"))
    if {line.name for line in drawn.lines("gradients")} != {f"d{name}" for name in cell.params}:
        raise ValueError(refusal(what, "has weights whose gradients have no line of their own"))
    exact = not any(function in FUNCTIONS for function, _ in drawn.activations())
    for _ in range(TRIES):
        drawn = draw(cell, rng, exact)
        if is_fine(drawn):
            return drawn._replace(recording=traced(drawn.cell, drawn.x, drawn.dh, numerical=True))
    raise ValueError(refusal(what, f"gives no friendly numbers in {TRIES} draws"))


def chosen(what, units):
    """A copy of the cell, or a new one; ValueError if it cannot be done on paper whatever its numbers."""
    if units not in (2, 3):
        raise ValueError(f"a worksheet has 2 or 3 units, not {units!r}")
    cell = what
    if isinstance(what, str):
        inputs = CELLS[what][0].inputs_on_paper if what in CELLS else 2
        if inputs is None:
            raise ValueError(refusal(what, "is too large, or has never been tried there"))
        cell = network(what, inputs, units).layers
    if not isinstance(cell, Cell) or isinstance(cell, StepCell):
        raise ValueError(refusal(what, f"is {type(cell).__name__}, no cell of the package's contract"))
    if type(cell).derive is not Cell.derive or not cell.chunked or cell.fixed:
        raise ValueError(refusal(what, "derives its weights, needs the whole sequence at once, or has fixed weights"))
    if max(cell.input_size, *cell.state_sizes) > 3:
        raise ValueError(refusal(what, f"has {cell.input_size} inputs and {cell.state_sizes[0]} units, more than 3"))
    if cell.learn_state or cell.clip_state is not None:
        raise ValueError(refusal(what, "learns its initial state or clips the state"))
    return copy.deepcopy(cell)


def name_of(what):
    """A cell's name as text: a text as it is, else its attribute `name`, else the name of its class."""
    return what if isinstance(what, str) else getattr(what, "name", type(what).__name__)


def refusal(what, reason):
    """The text of an error, one line: the cell, why it does not fit on paper, and all those that do."""
    return f"{name_of(what)} does not fit on paper: it {reason}; these do: {', '.join(PAPER)}"


def draw(cell, rng, exact):
    """An `PaperExercise` with numbers from small sets, whatever comes of them."""
    cell = copy.deepcopy(cell)
    halves = np.array([-1, -0.5, 0, 0.5, 1])
    for name, value in cell.params.items():
        large = exact and name not in cell.recurrent and value.ndim > 1
        value[...] = rng.choice(np.append(halves, 2) if large else halves, value.shape)
    x = rng.choice([-1, 0, 1, 2] if exact else [-1, -0.5, 0.5, 1], (STEPS, 1, cell.input_size)).astype(float)
    dh = rng.choice(halves, (STEPS, 1, cell.output_size)) * rng.integers(0, 2, (STEPS, 1, 1))
    dh[-1] = rng.choice([-1, 1, 2] if exact else [-2, -1, 1, 2], dh.shape[1:])
    return PaperExercise(cell, x, dh, traced(cell, x, dh, numerical=False), exact)


def traced(cell, x, dh, numerical):
    """The `Recording` of a cell's pass forward and back, without the triangle of gradient norms."""
    return trace(cell, x, dh=dh, numerical=numerical, triangle=False)


def count(drawn):
    """How many numbers are asked for, without the contributions of single steps to the weight gradients."""
    lines = [line for f in ("step", "step_backward") for line in drawn.lines(f) if not line.regroups]
    return sum(v.size for line in lines for v in line.values.values()) + sum(p.size for p in drawn.cell.params.values())


def is_fine(drawn):
    """Whether an exercise is worth doing: nothing is dead, saturated, too large or, if it is exact, too long."""
    recording, activations = drawn.recording, drawn.activations()
    gradients = [recording.array(index) for index in recording.data["results"]["params"].values()]
    if len(recording.steps) < STEPS or not all(gradient.any() for gradient in gradients):
        return False
    values = [
        v for f in ("step", "step_backward", "gradients") for line in drawn.lines(f) for v in line.values.values()
    ]
    values += [*gradients, np.array(recording.data["loss"])]
    if not all(abs(value).max() < (LARGEST if drawn.exact else LARGEST_ROUNDED) for value in values):
        return False
    if not all(drawn.x.any(axis=(1, 2))) or min((g != 0).mean() for g in gradients) < 0.5:
        return False
    arriving, leaving = drawn.sizes()
    if not leaving.all() or not stands_apart(leaving / arriving):
        return False
    shares = [share for _, share in drawn.products(int(np.argmin(leaving / arriving)))]
    if len(shares) > 1 and not stands_apart(shares):
        return False
    outputs = np.array([value for line in drawn.lines("step") for value in line.values.values()][-STEPS:])
    if not outputs.any(axis=1).all():
        return False
    if drawn.exact:
        return all(is_short(value, 2) for value in values) and has_both_sides(drawn, activations)
    if min(arriving.min(), leaving.min(), *[abs(g).max() for g in gradients]) < SMALLEST_ROUNDED:
        return False
    if any(f == "tanh" and abs(value).max() > SATURATED for f, value in activations):
        return False
    bends = [value for f, value in activations if f == "elu"]
    is_bent = not bends or np.ptp(np.sign(bends)) == 2  # both of the formulae of an ELU are used
    return is_bent and lost_in_rounding(drawn) <= TOLERANCE / 2  # somebody may round more often


class Rounding:
    """A `watch` of a rewritten program: every number is rounded to three decimals as it gets its name."""

    def turned(self):
        """Called between the two passes, where nothing has to be done."""
        pass

    def __call__(self, site, value, key=None):
        is_named = site.kind in ("assign", "augment", "argument", "value") and isinstance(value, np.ndarray)
        return np.round(value, 3) if is_named else value


def lost_in_rounding(drawn):
    """How far off the loss and the weights' gradients are for somebody who rounds every number on the way."""
    data = drawn.recording.data
    loss, _, gradients = Lines(drawn.cell).run(Rounding(), drawn.x, None, None, None, drawn.dh, None)
    off = [abs(gradients[name] - drawn.recording.array(k)).max() for name, k in data["results"]["params"].items()]
    return max(abs(loss - data["loss"]), *off)


def is_short(value, decimals):
    """Whether every entry of a number or an array has at most this many decimals, up to 1e-6 of the last one."""
    scaled = np.asarray(value) * 10**decimals
    return bool((abs(scaled - scaled.round()) < 1e-6).all())


def stands_apart(shares):
    """Whether one of the shares is the smallest by a tenth at least, so that it can be asked for."""
    smallest, second = np.sort(shares)[:2]
    return bool(second > 1.1 * smallest)


def has_both_sides(drawn, activations):
    """Whether every ReLU layer is on for some unit at each step and off for some, and never at its kink."""
    values = [value for function, value in activations if function == "relu"]
    if not values:
        return True
    if not all((value > 0).any() for value in values) or all((value > 0).all() for value in values):
        return False
    nudged = copy.deepcopy(drawn.cell)
    nudged.params["b"] += 1e-6
    after = drawn._replace(recording=traced(nudged, drawn.x, drawn.dh, numerical=False)).activations()
    return all(((value > 0) == (more > 0)).all() for value, (_, more) in zip(values, after, strict=True))
