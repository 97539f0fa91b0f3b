"""A cell's own equations (`Cell.equations`) over a whole sequence, which its forward pass has to agree with."""

from types import SimpleNamespace

import numpy as np
from contract import Case, assert_same, run


def unroll(lib, cell, params, x, state):
    """lib: `numpy`, or `torch`, whose autograd then gives gradients that owe nothing to this package.

    Returns the outputs as a list, and the final state.
    """
    outputs, p = [], SimpleNamespace(**params)
    for x_t in x:
        state = cell.equations(lib, p, x_t, *state)
        outputs.append(state[0])
    return outputs, state


def follows_its_equations(case: Case):
    """The forward pass is what `equations` says."""
    cell = case.network()
    probe = case.probe(cell)
    outputs, final = unroll(np, cell, cell.params, probe.x, probe.state)
    got, wanted = run(cell, probe), {"h": np.stack(outputs)} | {f"final[{k}]": s for k, s in enumerate(final)}
    assert_same(got, wanted, 1e-13, only=wanted)
