"""A cell for a page: its weights as JSON, its steps as JavaScript that the compiler prints from their one source.

`page/engine.js` runs them over time, as `tinyrnn.core.engine` does.
"""

import json

import numpy as np

from tinyrnn.compiler.draft import draft_backward, draft_forward
from tinyrnn.compiler.explain import asked
from tinyrnn.compiler.gradients import draft_gradients
from tinyrnn.compiler.javascript import print_javascript
from tinyrnn.compiler.nodes import Untraceable
from tinyrnn.compiler.totals import is_turned
from tinyrnn.core import engine


def drafts(cell, weights=True):
    """name -> `Draft` of the functions "forward", "backward" and, where weights are wanted and can be printed,
    "gradients".

    ValueError, in one line, for a cell whose steps do what the compiler does not know.
    """
    p = cell.derive(cell.params)
    x = np.zeros((1, 1, cell.input_size), cell.dtype)
    tape = engine.forward(cell, x)[1]
    try:
        found = {"forward": draft_forward(cell, p, x, None), "backward": draft_backward(cell, p, tape, False, True)}
    except Untraceable as error:
        raise ValueError(f"{cell.name} cannot be printed as JavaScript: it {error}") from None
    if not found["forward"].projects:
        raise ValueError(f"{cell.name} cannot be printed as JavaScript: what it does with the input is not one step's")
    if weights:
        try:
            found["gradients"] = draft_gradients(cell, p, x, *asked(cell, tape), ones=False)
        except Untraceable:
            pass  # a page shows the gradients of the states without those of the weights
    return found


def printed(cell, label, weights=True, variants=None, **more):
    """The source of a JavaScript object with all that `page/engine.js` needs to run a cell.

    weights: with the gradients of weights and inputs. variants: name -> (cell with the same weights and other options,
    such as clipping, change), whose steps are printed too; change: what is done to their `drafts`, or None. more: JSON,
    put into it.
    """
    functions = drafts(cell, weights)
    p = cell.derive(cell.params)
    for draft in functions.values():
        p = {**p, **draft.constants}
    read = sorted({name for draft in functions.values() for name in draft.code.params})
    data = {
        "label": label,
        "inputSize": cell.input_size,
        "states": dict(zip(cell.states, cell.state_sizes, strict=True)),
        "start": {name: flat(state[0]) for name, state in zip(cell.states, start(cell), strict=True)},
        "gates": list(cell.gates),
        "shapes": {name: list(np.shape(p[name])) for name in read},
        "params": {name: flat(p[name]) for name in read},
        **more,
    }
    others = (
        f"{as_json(name)}: {steps(other, name, weights, change)}" for name, (other, change) in (variants or {}).items()
    )
    return f"{{...{as_json(data)},\n...{steps(cell, label, weights)},\nvariants: {{{', '.join(others)}}}}}"


def steps(cell, label, weights, change=None):
    """The source of a JavaScript object with a cell's functions, and what they ask for; change: see `printed`."""
    functions = drafts(cell, weights)
    functions = functions if change is None else change(functions)
    needs = {"backward": list(cell.step_needs), "gradients": list(cell.gradients_needs)}
    data = {"clips": cell.clip_state is not None, "needs": needs}
    if "gradients" in functions:
        draft = functions["gradients"]
        data["sums"] = {name: [list(shape), is_turned(shape)] for name, shape in draft.shapes.items()}
        data["products"] = [[name, *(vars(side) for side in sides)] for name, *sides in draft.products]
    texts = [f"{name}: {print_javascript(d.plan, f'{label}: {name}')}" for name, d in functions.items()]
    return f"{{...{as_json(data)},\n" + ",\n".join(texts) + "}"


def start(cell):
    """The state before the first step, a tuple of arrays (1, n)."""
    return engine.initial_state(cell, np, 1, None)


def flat(array):
    """An array's numbers as a list; whole ones without a fraction."""
    return [int(x) if x == int(x) else x for x in np.asarray(array).astype(float).ravel().tolist()]


def as_json(data):
    """JSON that ends no script element, whatever text is in it."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
