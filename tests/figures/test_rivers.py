"""The gradient as a river: what is drawn is what the backward passes carry, and what is said of it holds."""

import numpy as np
import pytest

from tinyrnn.commands.main import main
from tinyrnn.figures.rivers import river


@pytest.fixture(scope="module")
def rivers():
    return {name: river(name, 60, 64, 2.0, 0) for name in ("elman", "lstm", "urnn")}


def test_what_sets_out_is_one_and_only_the_unitary_network_keeps_it(rivers):
    for lanes in rivers.values():
        assert lanes["h"][-1] == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(rivers["urnn"]["h"], 1, atol=1e-12)
    assert rivers["elman"]["h"][0] < 0.02


def test_the_lstm_carries_it_in_c_and_how_much_is_a_matter_of_its_forget_gate(rivers):
    h, c = rivers["lstm"]["h"], rivers["lstm"]["c"]
    assert c[-1] == 0 and c[0] > 1.5 * h[0] > 0.1  # nothing asks for c at the end, and what arrives is in c
    assert c[0] == pytest.approx(2 / 3, abs=0.03)  # as README says
    usual, wide_open = (river("lstm", 60, 64, bias, 0)["c"] for bias in (1.0, 3.0))
    assert usual[0] < 0.1 < 2 < wide_open[0]


def test_a_state_that_no_gradient_reaches_has_no_lane():
    assert set(river("lmn-multiscale", 5, 8, 1.0, 0)) == {"m"}


def test_cells_are_drawn_by_name_and_a_sequence_of_one_step_is_refused_in_a_line(tmp_path, capsys):
    assert main(["analyse", "rivers", "--networks", "gru", "--steps", "5", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "rivers.png").exists() and (tmp_path / "rivers-gru.csv").exists()
    assert main(["analyse", "rivers", "--steps", "1"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
