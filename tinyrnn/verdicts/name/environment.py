"""The true values of all names of a cell's source, forward and backward, stacked over time: what a wrong line is given.

A known mistake is a right-hand side in these names; see `tinyrnn.verdicts.mistakes`.
"""

import numpy as np

from tinyrnn.cells import unitary
from tinyrnn.cells.parts import blocks
from tinyrnn.core import ops
from tinyrnn.core.cell import Cell
from tinyrnn.core.tape import stack
from tinyrnn.sources import Program
from tinyrnn.verdicts.record.run import Recorder


def shift(a, k):
    """`a` moved k steps later along its first axis (earlier where k < 0), zeros moving in."""
    moved = np.zeros_like(a)
    if k >= 0:
        moved[k:] = a[: len(a) - k]
    else:
        moved[:k] = a[-k:]
    return moved


TOOLS = {"np": np, "shift": shift, "modrelu_backward": unitary.modrelu_backward} | {
    name: getattr(module, name)
    for module, names in (
        (ops, ("tanh", "sigmoid", "split", "join", "weight_gradient", "affine_backward")),
        (blocks, [n for n, f in vars(blocks).items() if callable(f) and f.__module__ == blocks.__name__]),
    )
    for name in names
}


def evaluate(expression, environment):
    """The value of a known mistake's right-hand side, or None where the environment does not have what it names."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(
                eval(expression, {"__builtins__": {}, **TOOLS, **environment})
            )  # our own expressions only
    except (NameError, KeyError, AttributeError, ValueError, IndexError, TypeError):
        return None


def of_cell(cell, x, state, dh, dlast, dout=None):
    """The environment of a cell that read x (T, B, n) from `state`.

    dh: the total gradient of the output after each step, (T, B, H). dlast: the gradients that arrive at the last step
    in the other parts of the state, in order (B, n). dout: what of dh comes from above; without it, all that does not
    come from the next step.
    """
    classes = [c for c in type(cell).__mro__ if issubclass(c, Cell) and c is not Cell]
    program = Program([], classes)
    made = program.instance(cell)
    recorder = Recorder()
    tape = program.run(recorder, lambda p: made.forward(x, state)[1])
    forward = by_name(recorder.finished())
    recorder = Recorder()
    dprev, gradients = program.run(recorder, lambda p: backward(made, tape, dh, dlast))
    names = by_name(recorder.finished()) | {f"d{name}": value for name, value in gradients.items()}
    T, B, _ = x.shape
    sizes = {"T": T, "B": B, "H": cell.hidden_size}
    environment = {name: values for name, values in (forward | names).items()} | sizes
    environment |= {name: tape[name] for s in cell.states for name in (s, f"{s}_prev")} | {"x": x, "p": tape.p}
    first = cell.states[0]
    for k, s in enumerate(cell.states):
        handed = np.stack([d[k] for d in dprev])
        environment[f"d{s}_prev"], environment[f"d{s}_0"] = handed, handed[0]
        after = np.zeros_like(handed[:1]) if k == 0 else dlast[k - 1][None]
        environment[f"dnext_{s}"] = np.concatenate([handed[1:], after])
    if dout is None:
        dout = dh - environment[f"dnext_{first}"]
    environment[f"d{first}"], environment["dout"] = dh, dout
    environment[f"dnext_{first}"] = dh - dout
    if cell.gates:
        for name in ("a", "da"):
            if name in environment and environment[name].shape[-1] % len(cell.gates) == 0:
                parts = ops.split(environment[name], len(cell.gates))
                environment |= {f"{name}_{gate}": part for gate, part in zip(cell.gates, parts, strict=True)}
    return environment


def backward(cell, tape, dh, dlast):
    """The cell's backward pass, each step with the total gradient of the output given; returns the dstate_prev of each
    step, and the gradients of input and parameters."""
    T = len(tape)
    das, handed, rest = [], [None] * T, list(dlast)
    for t in reversed(range(T)):
        needs = {name: tape.asked(cell, name)[t] for name in cell.step_needs}
        da, handed[t] = cell.step_backward(tape.p, dh[t], *rest, **needs)
        das.insert(0, da)
        rest = list(handed[t][1:])
    needs = {name: tape.asked(cell, name) for name in cell.gradients_needs}
    dx, dparams = cell.gradients(tape.p, tape.x, stack(das), **needs)
    return handed, {"x": dx} | cell.derive_backward(tape.p, dict(dparams))


def by_name(events):
    """name -> its values: of a step's names stacked over time, in the order of the forward pass."""
    found = {}
    for event in events:
        if event.value is not None and event.site.kind in ("argument", "assign", "augment", "transform"):
            place = event.site.scope, event.site.name
            found.setdefault(place, {})[event.call] = event.value  # of several in one call, the last
    stacked = {}
    for (scope, name), calls in found.items():
        values = list(calls.values())
        if scope.endswith(".step_backward"):
            values.reverse()
        in_step = scope.endswith((".step", ".step_backward")) or len(values) > 1
        if len({value.shape for value in values}) == 1 and (in_step or name not in stacked):
            stacked[name] = np.stack(values) if in_step else values[0]
    return stacked
