"""The contract carries recurrences that differ in kind from an Elman network.

What they stress: an input that multiplies the state, an output that is more than the hidden units, a state of another
size, derived weights. What every cell is put through is in `test_contract.py`.
"""

import numpy as np
import pytest

import tinyrnn as tr


@pytest.mark.few(1)
@pytest.mark.parametrize("cell", [tr.MultiplicativeRNN, tr.SCRN], ids=lambda cls: cls.__name__)
def test_layers_of_different_sizes_stack_and_run_in_both_directions(cell):
    both = tr.Bidirectional(cell(3, 6, rng=0), cell(3, 4, rng=1))
    report = tr.gradcheck(tr.Stack(both, cell(both.output_size, 6, rng=2)))
    assert report.ok, report


def test_a_state_of_another_size_than_the_hidden_layer():
    report = tr.gradcheck(tr.LMN(3, 5, memory_size=7, rng=0))
    assert report.ok, report


def test_an_lmn_contains_the_elman_network():
    elman, lmn = tr.Elman(3, 5, rng=0), tr.LMN(3, 5, rng=1)
    lmn.params["W_xh"][...], lmn.params["W_mh"][...] = elman.params["W_x"], elman.params["W_h"]
    lmn.params["W_hm"][...], lmn.params["W_mm"][...] = np.eye(5), 0
    x = np.random.default_rng(2).normal(size=(20, 2, 3))
    assert abs(lmn.forward(x)[0] - elman.forward(x)[0]).max() < 1e-15


def test_an_antisymmetric_transition_has_eigenvalues_of_real_part_minus_gamma():
    cell = tr.Antisymmetric(3, 8, gamma=0.3, rng=0)
    assert np.linalg.eigvals(cell.derive(cell.params).M).real == pytest.approx([-0.3] * 8, abs=1e-12)
