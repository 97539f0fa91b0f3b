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


def drafts(cell):
    """name -> `Draft` of the functions "forward", "backward" and, where they can be printed, "gradients".

    ValueError, in one line, for a cell whose steps do what the compiler does not know.
    """
    p = cell.derive(cell.params)
    x = np.zeros((1, 1, cell.input_size), cell.dtype)
    tape = engine.forward(cell, x)[1]
    try:
        found = {"forward": draft_forward(cell, p, x, None), "backward": draft_backward(cell, p, tape, False)}
    except Untraceable as error:
        raise ValueError(f"{cell.name} cannot be printed as JavaScript: it {error}") from None
    if not found["forward"].projects:
        raise ValueError(f"{cell.name} cannot be printed as JavaScript: what it does with the input is not one step's")
    try:
        found["gradients"] = draft_gradients(cell, p, x, *asked(cell, tape))
    except Untraceable:
        pass  # a page shows the gradients of the states without those of the weights
    return found


def printed(cell, label, **more):
    """The source of a JavaScript object with all that `page/engine.js` needs to run a cell. more: JSON, put into it."""
    functions = drafts(cell)
    p = cell.derive(cell.params) | {
        name: array for draft in functions.values() for name, array in draft.constants.items()
    }
    read = {name for draft in functions.values() for name in draft.code.params}
    data = {
        "label": label,
        "inputSize": cell.input_size,
        "states": dict(zip(cell.states, cell.state_sizes, strict=True)),
        "start": {name: flat(state[0]) for name, state in zip(cell.states, start(cell), strict=True)},
        "gates": list(cell.gates),
        "recurrent": [name for name in cell.recurrent if name in read],
        "clips": cell.clip_state is not None,
        "needs": {"backward": list(cell.step_needs), "gradients": list(cell.gradients_needs)},
        "shapes": {name: list(np.shape(p[name])) for name in sorted(read)},
        "params": {name: flat(p[name]) for name in sorted(read)},
        **more,
    }
    if "gradients" in functions:
        draft = functions["gradients"]
        data["sums"] = {name: [list(shape), is_turned(shape)] for name, shape in draft.shapes.items()}
        data["products"] = [[name, *(vars(side) for side in sides)] for name, *sides in draft.products]
    texts = [f"{name}: {print_javascript(d.plan, f'{label}: {name}')}" for name, d in functions.items()]
    known = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f"{{...{known},\n" + ",\n".join(texts) + "}"


def start(cell):
    """The state before the first step, a tuple of arrays (1, n)."""
    return engine.initial_state(cell, np, 1, None)


def flat(array):
    """An array's numbers as a list, with the digits that tell float64 apart; whole ones as they are."""
    return np.asarray(array).astype(float).ravel().tolist()
