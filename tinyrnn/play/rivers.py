"""The page of the two rivers: two networks, one above the other, and the gradient on its way back through both."""

import html

import numpy as np

from tinyrnn import __version__
from tinyrnn.cells import CELLS
from tinyrnn.cells.catalogue import words
from tinyrnn.compiler.javascript import runtime
from tinyrnn.play.drawing import drawing
from tinyrnn.play.network import as_json, drafts, printed
from tinyrnn.play.page import assembled, script
from tinyrnn.play.straight import straightened
from tinyrnn.play.valves import gates, valves
from tinyrnn.training.settings import construct, pick

TITLE = "Which path carries the gradient?"
SCRIPTS = ("common", "world", "figure", "knobs", "story", "cell", "main")
OFFERED = ("elman", "lstm", "gru", "lstm-peephole", "lmn", "lt-ornn", "urnn", "antisymmetric")
OPEN = 3.0  # the bias of a gate that carries the state on: 95 % open
SCALE = 0.6  # of recurrent weights that start at random: what neither grows nor dies at once
CLIP = 1.0
WIDE = 8  # inputs of a cell whose steps are drawn
ASK = 3  # the step that the story asks for


def rivers_page(
    shown=("elman", "lstm"), offered=OFFERED, steps=30, hidden=16, seed=0, title=TITLE, at="", inside="bottom"
):
    """The text of the page. shown: the names of the two cells that it opens with; offered: those to choose from; at:
    where it opens, as its address says: "#t=9&bottom.f=-2"; inside: "top" or "bottom", the one that is drawn.

    Raises ValueError, in one line, for what there is not, and for cells that cannot be printed as JavaScript.
    """
    if steps < 5 or steps > 200:
        raise ValueError(f"--steps must be 5 to 200, as many as can be drawn, got {steps}")
    if hidden < 2 or hidden > 32:
        raise ValueError(f"--hidden must be 2 to 32, as many as can be computed at each move, got {hidden}")
    networks = {name: network(name, hidden, seed) for name in dict.fromkeys((*shown, *offered))}
    settings = {
        "steps": steps,
        "ask": ASK,
        "shown": list(shown),
        "x": sequence(steps, seed),
        "clip": CLIP,
        "inside": inside,
        "hasStory": tuple(shown) == ("elman", "lstm"),
    }
    known = ",".join(f"{as_json(name)}: {text}" for name, text in networks.items())
    data = f"const SETTINGS = {as_json(settings)};\nconst NETWORKS = {{{known}}};"
    scripts = [runtime(), script("engine"), data, *(script(name) for name in SCRIPTS)]
    command = f"tinyrnn play {' '.join(shown)} --steps {steps} --hidden {hidden} --seed {seed}"
    source = f"the same lines of Python, printed as JavaScript (<code>{html.escape(command)}</code>, {__version__})."
    return assembled("rivers", title, ("base", "rivers"), scripts, at, made=source)


def network(name, hidden, seed):
    """The JavaScript of the cell that is called `name`, with what the page wants to know of it."""
    cell, found, named, recurrent = begun(name, hidden, seed)
    linear, other = tanh_switch(cell)
    clip = {"clip_state": CLIP}
    variants = {"clip": (made(name, hidden, seed, **clip), None)}
    if other is not None:
        options, change = other
        variants["other"] = made(name, hidden, seed, **options), change
        variants["other clip"] = made(name, hidden, seed, **options, **clip), change
    wide = made(name, WIDE, seed, inputs=WIDE)  # for a drawing in which the input is a row of numbers, as always
    return printed(
        cell,
        f"{words(type(cell))[0].split(',')[0]} ({name})",
        weights=False,
        variants=variants,
        linear=linear,
        direction=direction(cell, seed).tolist(),
        valves=[valve._asdict() for valve in found],
        drawing=drawing(cell, drafts(wide, weights=False)["forward"]),
        openings={gate: float(block(cell, gate)[0]) for gate in named},
        recurrent=recurrent,
        scale=scale_of(cell, recurrent),
    )


def tanh_switch(cell):
    """(Whether the cell is without tanh, None where that cannot be switched; the other way: (its options, what is to be
    done to its drafts), or None)."""
    other = {"tanh": "identity", "identity": "tanh"}.get(getattr(cell, "activation", None))
    if other is not None:
        return other == "tanh", ({"activation": other}, None)
    if straightened(drafts(cell, weights=False)) is not None:
        return False, ({}, straightened)
    return None, None


def begun(name, hidden, seed):
    """(The cell of that name, its valves, the gates that have a bias of their own, the recurrent weights that a step
    reads): what carries the state on begins open."""
    cell = made(name, hidden, seed)
    step = drafts(cell, weights=False)["forward"]
    read, found = step.code.params, valves(step, cell.states)
    has_blocks = "b" in read and cell.params["b"].size == len(cell.gates) * cell.hidden_size
    named = gates(step, cell.gates) if has_blocks else []
    for gate in {valve.gate for valve in found if valve.carries} & set(named):
        block(cell, gate)[:] = OPEN
    return cell, found, named, [weight for weight in cell.recurrent if weight in read and weight in cell.params]


def made(name, hidden, seed, inputs=1, **options):
    """The cell of that name, its weights rounded to what the page has to hold."""
    cls, own = pick(CELLS, name, "cell")
    cell = construct(name, cls, {**own, **options}, inputs, hidden, rng=seed)
    for weight, value in cell.params.items():
        cell.params[weight] = np.round(value, 6)
    return cell


def block(cell, gate):
    """A view of the biases of a gate."""
    H = cell.hidden_size
    return cell.params["b"][H * cell.gates.index(gate) :][:H]


def scale_of(cell, recurrent):
    """What the recurrent weights are multiplied by at the beginning: those of a rotation, which would carry everything
    on for ever, by 1."""
    blocks = [cell.params[weight][:, : len(cell.params[weight])] for weight in recurrent]
    return SCALE if any(not np.allclose(W.T @ W, np.eye(len(W)), atol=1e-3) for W in blocks) else 1.0


def direction(cell, seed):
    """The gradient that sets out from the loss, (output_size,): of length 1."""
    u = np.random.default_rng(seed + 1).normal(size=cell.output_size)
    return u / np.linalg.norm(u)


def widths(name, steps=30, hidden=16, seed=0):
    """What the page shows of a cell at the beginning, computed here: state -> the norms of its gradient (steps,)."""
    cell, _, _, recurrent = begun(name, hidden, seed)
    scale = scale_of(cell, recurrent)
    for weight in recurrent:
        cell.params[weight] = scale * cell.params[weight]
    h, tape = cell.forward(np.array(sequence(steps, seed))[:, None, None])
    dh = np.zeros_like(h)
    dh[-1] = direction(cell, seed)
    states = cell.backward(dh, tape, record=True).states
    return {state: np.linalg.norm(d[:, 0], axis=1) for state, d in states.items()}


def sequence(steps, seed):
    """The input, a list: small noise, and a clear signal at the step that is asked for."""
    x = np.clip(0.3 * np.random.default_rng(seed + 5).normal(size=steps), -1.2, 1.2)
    x[ASK - 1] = 1
    return np.round(x, 2).tolist()
