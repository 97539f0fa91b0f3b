"""How well inputs that were made up fit: whether the gradients that come of them have the shapes they should have."""

import numpy as np

from tinyrnn.sources.inputs.arguments import inside
from tinyrnn.sources.vocabulary import role_of, stems
from tinyrnn.verdicts.judge.returned import nested_shapes
from tinyrnn.verdicts.record.run import ITEMS, record
from tinyrnn.verdicts.subjects.functions import FunctionPair

CRASHED = 100  # worse than any number of gradients whose shape does not fit


def wanted(forward, leaves, inputs, is_loss=False):
    """[(name, shape)] of the arguments that have gradients, in order; of a tuple, (list of these, None)."""
    taken_apart = inside(forward)
    found = []
    for name, value in inputs.items():
        if is_loss and role_of(name, list(inputs))[0] == "y":  # what it is to be like has none
            continue
        if isinstance(value, tuple) and name in taken_apart:
            names = taken_apart[name][1]
            found.append((list(zip(names, nested_shapes(value), strict=False)), None))
        elif isinstance(value, dict | tuple | list):
            found.append((name, None))
        elif name in leaves:
            found.append((name, leaves[name].shape))
    return found


def wrong_shapes(forward, backward, inputs, leave):
    """How many gradients do not have the shape of what they are the gradient of."""
    problem = FunctionPair(forward, backward, inputs, leave=leave)
    program = problem.program()
    with np.errstate(all="ignore"):
        result, _ = record(program, problem.forward)
        if not np.isfinite(problem.loss(result)):
            return CRASHED + 1
        try:
            (returned, _), events = record(program, problem.backward_call(result))
        except Exception:
            return CRASHED
    fits, top = {}, getattr(backward, "__func__", backward).__qualname__
    for event in events:
        if event.value is None or event.site.kind in ITEMS or event.site.scope != top:
            continue
        for stem, handed_on in stems(event.site.name, event.site.box, event.site.kind):
            if stem in problem.inputs and not handed_on:
                fits[stem] = event.value.shape == problem.inputs[stem].shape
    wrong = sum(not fit for fit in fits.values())
    shapes = nested_shapes(returned) if isinstance(returned, tuple) else []
    asked = wanted(forward, problem.inputs, inputs, is_loss=forward == backward)
    if len(shapes) == len(asked):
        wrong += sum(a != b for a, (_, b) in zip(shapes, asked, strict=True) if b is not None)
    return wrong
