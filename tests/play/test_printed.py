"""What a page computes is what Python computes: printed from the same source, run by node, for every cell."""

import json

import numpy as np
import pytest
from scripts import needs_node, run

from tinyrnn.cells import CELLS
from tinyrnn.compiler.javascript import runtime
from tinyrnn.play.network import printed
from tinyrnn.play.page import script

pytestmark = needs_node
T, TRUNCATE = 5, 2
WITHOUT_GRADIENTS = {"eurnn", "eurnn-fft", "kronecker"}  # of the weights: the compiler does not know what they call
RUN = """
const plain = (arrays) => Object.fromEntries(Object.entries(arrays).map(([k, v]) => [k, Array.from(v)]));
const p = withArrays(network.params);
const tape = runForward(network, p, given.x.map((row) => Float64Array.from(row)));
const back = runBackward(network, p, tape, (t) => Float64Array.from(given.dh[t]), given.truncate);
const weights = network.gradients ? weightGradients(network, p, tape, back) : { inputs: [], params: {} };
console.log(JSON.stringify({
  states: tape.states.slice(1).map(plain), gradients: back.states.map(plain), first: plain(back.first),
  kept: tape.kept.map(plain), inputs: weights.inputs.map((d) => Array.from(d)), params: plain(weights.params),
}));
"""
VARIANTS = {"": {}, "clipped": {"clip_state": 0.4}, "truncated": {}}


def cell_of(name, variant):
    cls, options = CELLS[name]
    cell = cls(3, 6, rng=0, **options, **VARIANTS[variant])
    rng = np.random.default_rng(1)
    for value in cell.params.values():
        if value.ndim == 1:  # biases are zero at the start, where many a mistake cannot be seen
            value += rng.normal(0, 0.3, value.shape)
    return cell


def computed(cell, x, dh, truncate):
    """What node answers for one sequence."""
    given = {"x": x[:, 0].tolist(), "dh": dh[:, 0].tolist(), "truncate": truncate}
    network = f"const network = {printed(cell, cell.name)}, given = {json.dumps(given)};"
    text = "\n".join([runtime(), script("engine"), network, RUN])
    return run(text)


@pytest.mark.sample(40)
@pytest.mark.few(4)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", CELLS)
def test_states_and_gradients_in_the_page_are_pythons(name, variant):
    cell, rng = cell_of(name, variant), np.random.default_rng(2)
    x, dh = rng.normal(size=(T, 1, 3)), rng.normal(size=(T, 1, cell.output_size))
    truncate = TRUNCATE if variant == "truncated" else None
    answer = computed(cell, x, dh, truncate)
    _, tape = cell.forward(x)
    back = cell.backward(dh, tape, record=True, truncate=truncate)
    for k, state in enumerate(cell.states):
        agree([step[state] for step in answer["states"]], tape.states[state][1:, 0])
        agree([step[state] for step in answer["gradients"]], back.states[state][:, 0])
        agree(answer["first"][state], back.state[k][0])
    for kept in tape.cache.keys() - {"a", *cell.states}:
        agree([step[kept] for step in answer["kept"]], tape[kept][:, 0].reshape(T, -1))
    if name in WITHOUT_GRADIENTS:
        assert not answer["inputs"] and not answer["params"]
    else:
        agree(answer["inputs"], back.inputs[:, 0])
    if name not in WITHOUT_GRADIENTS and trains_what_it_reads(cell):
        assert set(answer["params"]) == set(back.params) - {f"{state}_0" for state in cell.states}
        for weight, found in answer["params"].items():
            agree(found, back.params[weight].ravel())


def trains_what_it_reads(cell):
    """Whether none of the weights is made of others."""
    return cell.derive(cell.params).keys() == cell.params.keys()


def agree(found, expected):
    found, expected = np.array(found, float), np.asarray(expected)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 1e-9 * max(1, np.abs(expected).max())


def test_a_cell_that_is_not_known_to_the_compiler_is_refused_in_a_line():
    class Branching(CELLS["elman"][0]):
        def step(self, p, a, h_prev):
            return super().step(p, a if a[0, 0] > 0 else -a, h_prev)

    with pytest.raises(ValueError, match=r"^Branching cannot be printed as JavaScript: it looks at single rows"):
        printed(Branching(2, 3, rng=0), "branching")
