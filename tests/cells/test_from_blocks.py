"""Cells made of weights from elsewhere, one block for each gate."""

import numpy as np
import pytest

import tinyrnn as tr

CELLS = {"Elman": 1, "LinearRNN": 1, "GRU": 3, "ChoGRU": 3, "LSTM": 4}


@pytest.mark.parametrize("name", CELLS)
def test_every_block_stands_where_its_gate_reads_it(name):
    rng, count = np.random.default_rng(0), CELLS[name]
    W_x, W_h = ([rng.normal(size=(rows, 5)) for _ in range(count)] for rows in (2, 5))
    b = [rng.normal(size=5) for _ in range(count)]
    cell = getattr(tr, name).from_blocks(W_x, W_h, b)
    x = rng.normal(size=(3, 4, 2))
    wanted = np.concatenate([x @ W + bias for W, bias in zip(W_x, b, strict=True)], axis=-1)
    np.testing.assert_allclose(cell.project(cell.derive(cell.params), x), wanted, rtol=1e-13)
    recurrent = np.concatenate([cell.params[one] for one in cell.recurrent], axis=1)
    np.testing.assert_array_equal(recurrent, np.concatenate(W_h, axis=1))
    assert cell.forward(x)[0].shape == (3, 4, 5)


def test_options_are_the_constructors():
    cell = tr.Elman.from_blocks([np.ones((1, 1))], [np.zeros((1, 1))], [np.zeros(1)], activation="identity")
    np.testing.assert_array_equal(cell.forward(np.full((1, 1, 1), 7.0))[0], [[[7.0]]])
