"""`tinyrnn.trace`: one forward and one backward pass, recorded line by line.

Networks run here, layer by layer and step by step; anybody's functions in `tinyrnn.stepping.functions`.
"""

from typing import Any

import numpy as np

from tinyrnn.analysis.credit import triangle as triangle_of
from tinyrnn.cells import CELLS
from tinyrnn.checking.probe import leaves
from tinyrnn.checking.random_probe import make_probe
from tinyrnn.core.backend import as_rng, to_numpy
from tinyrnn.core.cell import Cell
from tinyrnn.core.progress import Bar
from tinyrnn.nn.layers import Bidirectional, Layers
from tinyrnn.nn.model import Model
from tinyrnn.sources.quietly import quietly
from tinyrnn.sources.target import target as target_of
from tinyrnn.sources.user_file import explained
from tinyrnn.stepping import beside
from tinyrnn.stepping.form import FORMAT, VERSION
from tinyrnn.stepping.functions import trace_functions
from tinyrnn.stepping.notebook import Notebook
from tinyrnn.stepping.recording import Recording, number, rounded
from tinyrnn.stepping.running import Lines
from tinyrnn.verdicts.subjects.homework import Options

CELL_SIZES = 2, 3  # inputs and units of a cell that is only named
LARGEST = 4096  # entries of an array that is kept
JUDGED = 20_000  # numbers to be changed a little, one after the other, if nobody says at which steps: a few seconds
LONGEST = 300  # time steps of a triangle


def trace(
    subject: Any,
    *given: Any,
    x: Any = None,
    inputs: Any = None,
    jac: Any = None,
    upstream: Any = None,
    target: Any = None,
    state: Any = None,
    mask: Any = None,
    dh: Any = None,
    dstate: Any = None,
    T: int = 5,
    B: int = 2,
    rng: int = 0,
    truncate: Any = None,
    steps: Any = None,
    names: Any = None,
    numerical: Any = None,
    triangle: bool = True,
    largest: Any = LARGEST,
    title: Any = None,
    progress: bool = False,
) -> Recording:
    """Run something forwards and backwards and record every line of its source; returns a `Recording`.

        tr.trace(cell, x)                               a network, or its name: "lstm"
        tr.trace(forward, backward, inputs)             functions, objects and classes, all that `tinyrnn.gradcheck` and
        tr.trace(layer, x), tr.trace(loss, x, jac=True)     `tinyrnn.lines` take; inputs are made up if not given

    subject: a cell of the package or one's own, a `StepCell`, a `Stack`, a `Bidirectional` or a `Model`; it is copied,
        and run in float64, as it stands in the source. Or functions, of which t is the number that a loop counts by.
    inputs, jac, upstream: of functions, as for `tinyrnn.lines`. Of networks, x: (T, B, input_size), or (T, B) class
        numbers; drawn with `rng`, T and B if not given. state: initial state, mask: as for `forward`. target: of a
        `Model`, drawn if not given.
    dh, dstate: gradients from above, as for `backward`. If neither is given, the loss of cells and layers is the sum of
        all entries of the last output.
    truncate: cut the carried gradient at every multiple of this many steps.
    steps: (start, stop), the only time steps of which lines are kept; names: the only names. All is run all the same.
    numerical: time steps at which each gradient is compared with the numerical one, an iterable; True: all that are
        kept; False: none; None: as many as take a few seconds, the last step and the first among them. Of functions all
        are compared, or none.
    triangle: whether to work out the gradient of every step's loss at every step's state (of the top layer).
    largest: arrays with more entries are not kept. progress: show a bar, on a terminal.

    Raises TypeError or ValueError, in one line, for what cannot be run; an error in the code of a `StepCell` becomes a
    ValueError that says where it came from.
    """
    if T < 1 or B < 1:
        raise ValueError(f"trace needs at least one time step and one sequence, got T={T}, B={B}")
    if isinstance(subject, str) and subject in CELLS:
        cls, options = CELLS[subject]
        subject = cls(*CELL_SIZES, rng=rng, **options)
    if not isinstance(subject, Cell | Layers | Model):
        given = [what for what in (*given, inputs, x) if what is not None]
        options = Options(upstream, as_rng(rng), T, B, (), "auto")
        with quietly():
            found = target_of(subject, *given, jac=jac, caller="trace")
            return trace_functions(
                found, options, steps=steps, names=names, numerical=numerical, largest=largest, title=title
            )
    network, (x, *more) = subject, (*given, *([] if x is None else [x]), None)
    if more[:-1]:
        raise TypeError(f"trace takes one input of a network, got {len(more)}")
    lines = Lines(network)
    x, target = drawn(lines.network, x, target, T, B, as_rng(rng))
    T, B = x.shape[:2]
    kept = range(T)[slice(*steps)] if steps is not None else range(T)
    if not kept:
        raise ValueError(f"steps {steps} are none of the {T} time steps")
    asked = "what was given"
    if isinstance(network, Model):
        asked = f"{network.loss_name.replace('_', ' ')}, at {'every' if network.at == 'every' else 'the last'} step"
    elif dh is None and dstate is None:
        dh = np.zeros((T, B, network.output_size))
        dh[-1] = 1
        asked = "the sum of all entries of the last output"

    lines.clock.kept = kept
    notebook = Notebook(lines.clock, names, largest)
    with explained():
        loss, back, dparams = lines.run(notebook, x, target, state, mask, dh, dstate, truncate=truncate)
        judged = to_be_judged(lines, kept, numerical)
        judge(lines, notebook, judged, T, progress)
        notes = notes_on(lines, kept, judged, T)
        square = norms_of_triangle(lines, x, target, state, mask, dh, notes) if triangle else None
    data = {
        "format": FORMAT,
        "version": VERSION,
        "title": title or repr(network),
        "network": repr(network),
        **{"T": T, "B": B, "loss": number(loss), "upstream": asked},
        "layers": [described(name, cell) for name, cell in lines.cells],
        "mask": None if mask is None else np.asarray(mask).astype(int).tolist(),
        "params": {k + name: notebook.keep(p) for k, part in leaves(lines.plain) for name, p in part.params.items()},
        **notebook.finished(lines.program),
        "results": notebook.results(dparams, back.inputs, back.state),
        "triangle": square,
        "notes": notes,
    }
    return Recording(data)


def drawn(network: Any, x: Any, target: Any, T: Any, B: Any, rng: Any) -> Any:
    """x and target, drawn where they are not given."""
    probe = make_probe(network, T, B, rng, None if x is None else np.asarray(to_numpy(x)))
    return probe.x, probe.target if target is None else target


def described(name: Any, cell: Any) -> Any:
    """One entry of `layers` of a recording; a layer named "backward" reads from the end."""
    return {
        "name": name,
        "cell": cell.name,
        "states": list(cell.states),
        "reversed": name.split(".")[-1] == "backward",
    }


def to_be_judged(lines: Any, kept: Any, numerical: Any) -> Any:
    """(layer, t) of the steps to be compared with numerical gradients, in the order of the backward pass."""
    passed = list(lines.clock.passed)
    if numerical is None:
        each = sum(sum(p.size for p in cell.params.values()) for _, cell in lines.cells) / len(lines.cells)
        most = max(2, round(JUDGED / each))
        return [passed[k] for k in sorted({round(k) for k in np.linspace(0, len(passed) - 1, min(most, len(passed)))})]
    if isinstance(numerical, bool):
        return passed if numerical else []
    wanted = set(numerical)
    if not wanted <= set(kept):
        raise ValueError(f"numerical: {sorted(wanted - set(kept))} are not among the time steps that are kept")
    return [place for place in passed if place[1] in wanted]


def judge(lines: Any, notebook: Any, judged: Any, T: Any, progress: Any) -> Any:
    """Put the numerical gradients of these steps into the notebook."""
    disable = None if progress else True  # None: no bar where nobody sees it move
    for layer, t in Bar(judged, desc="numerical gradients", unit="step", disable=disable, leave=False):
        cell, passed = lines.cells[layer][1], lines.clock.passed[layer, t]
        if cell.chunked:
            notebook.compare(layer, t, beside.of_step(cell, passed))
    for layer, (_, cell) in enumerate(lines.cells):
        first = lines.clock.first.get(layer)
        if {t for k, t in judged if k == layer} != set(range(T)[first:]):
            continue  # what is done once is a sum over all steps
        if cell.chunked:
            notebook.compare_sums(layer)
        else:
            notebook.compare(layer, None, beside.of_sequence(cell, **lines.clock.whole[layer]))


def notes_on(lines: Any, kept: Any, judged: Any, T: Any) -> Any:
    """Notes, lines of text: where gradients vanish altogether, and how many steps have numerical gradients."""
    found = []
    first = min(lines.clock.first.values(), default=0)
    if first > 0:
        found.append(f"going back, the gradient is zero to working precision from step {first - 1} on")
    steps = {t for _, t in judged}
    if steps and len(steps) < len(kept):
        found.append(f"numerical gradients at {len(steps)} of {len(kept)} steps")
    return found


def norms_of_triangle(lines: Any, x: Any, target: Any, state: Any, mask: Any, dh: Any, notes: Any) -> Any:
    """The T x T triangle of the top layer's gradients, ready for JSON; None where there is none to be had.

    Of cells and layers that are asked for one output only, each step's loss is the sum of the entries of its output.
    """
    name, cell = lines.cells[-1]
    network, T = lines.plain, len(x)
    layers = getattr(network, "layers", network) if isinstance(network, Model) else network
    reads_backwards = any(isinstance(part, Bidirectional) for part in (layers, *getattr(layers, "layers", ())))
    if reads_backwards or T > LONGEST:
        notes.append(
            "no triangle of gradients: " + ("a layer reads backwards" if reads_backwards else f"T > {LONGEST}")
        )
        return None
    if isinstance(network, Model):
        asked: Any = {"target": target, "at": "every"}
    else:
        is_every = dh is not None and dh.any(axis=(1, 2)).sum() > 1
        asked = {"upstream": dh if is_every else np.ones((*x.shape[:2], network.output_size))}
    parts = {}
    for part in cell.states:
        path = f"{name.removeprefix('layers').removeprefix('.')}.{part}".removeprefix(".")
        (norms,) = rounded(triangle_of(network, x, state=state, mask=mask, parts=(path,), **asked).norms)
        parts[part] = [norms[k : k + T] for k in range(0, T * T, T)]
    first, *others = cell.states
    found = {"layer": len(lines.cells) - 1, "state": first, "norms": parts[first]}
    return {**found, "others": {part: parts[part] for part in others}} if others else found
