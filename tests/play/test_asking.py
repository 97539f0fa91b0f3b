"""The page "Who asked?": the networks are trained, and what the page says of them is what Python computes."""

import numpy as np
import pytest
from scripts import needs_node, without_browser

from tinyrnn.play import asking

LOOK = """
world.cell = given.cell; world.letters = [2, 4, 1];
console.log(JSON.stringify(PHASES.map(look).map(({ said, states, inputs }) => ({ said, states, inputs }))));
"""


@pytest.fixture(scope="module")
def page():
    return asking.asking_page(seed=3, updates=4, progress=False)


def trained(name, updates):
    """The cell and the readout after so many updates, rounded as they are for the page."""
    trainer = asking.Trainer(asking.settings(name, 3, 4), folder=None)
    for _ in range(updates):
        trainer.update()
    for part in trainer.model.layers, trainer.model.readout:
        for weight, value in part.params.items():
            part.params[weight] = value.round(asking.DIGITS)
    return trainer.model


@pytest.mark.slow
@needs_node
@pytest.mark.parametrize("name", asking.CELLS)
def test_answers_and_their_gradients_are_pythons_before_training_and_after(page, name):
    program = f'const given = {{ cell: "{name}" }};{LOOK}'
    for answer, updates in zip(without_browser(page, "// drawing", program), (0, 4), strict=True):
        model = trained(name, updates)
        x = np.array([[2], [4], [1], *[[0]] * 9, [5], *[[0]] * 3])  # letters, blanks, the delimiter, blanks
        x = np.eye(6)[x]
        h, tape = model.layers.forward(x)
        said = model.readout.forward(h)[0][:, 0].argmax(axis=-1)
        assert answer["said"] == said.tolist()
        for t in (0, 7, 15):
            dh = np.zeros_like(h)
            dh[t, 0] = model.readout.params["W"][:, said[t]]
            back = model.layers.backward(dh, tape, record=True)
            agree(answer["inputs"][t], back.inputs[: t + 1, 0])
            for state, d in back.states.items():
                agree([parts[state] for parts in answer["states"][t]], d[: t + 1, 0])


def agree(norms, arrays):
    np.testing.assert_allclose(norms, np.linalg.norm(arrays, axis=1), rtol=1e-6, atol=1e-12)


def test_training_has_changed_the_weights_and_the_page_is_small(page):
    assert len(page.encode()) < 500_000
    before, after = trained("lstm", 0), trained("lstm", 4)
    assert np.abs(before.params["readout.W"] - after.params["readout.W"]).max() > 1e-3


@pytest.mark.slow
def test_after_training_the_networks_can_do_it():
    for name in asking.CELLS:
        trainer = asking.Trainer(asking.settings(name, 0, asking.UPDATES), folder=None)
        for _ in range(asking.UPDATES):
            trainer.update()
        assert trainer.test()["test_accuracy"] > 0.99
