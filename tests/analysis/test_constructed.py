"""Successes and noise of the constructed copy solution: the closed form is the network, the counts are as known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, fisher_exact

from tinyrnn.analysis.constructed import (
    clock,
    copied,
    measured_noise,
    outcome,
    pairs,
    predicted_noise,
    predicted_success,
    recalls,
    scores,
    shared_success,
    states,
    successes,
)
from tinyrnn.analysis.constructions import blank_code, copy_solution, draw_angles, draw_codes, rotations
from tinyrnn.tasks import Copy

PAPER = {"codes": "blank-last", "delimiter_class": True}
tasks = st.builds(
    Copy,
    delay=st.integers(1, 12),
    symbols=st.integers(2, 5),
    length=st.integers(1, 5),
    codes=st.sampled_from(["blank-first", "blank-last"]),
    delimiter=st.sampled_from(["once", "repeated"]),
    recall=st.sampled_from(["after", "at"]),
    delimiter_class=st.booleans(),
)


def agree(count, runs, known, known_runs):
    """Whether two counts may be of the same coin: all but one in a thousand such pairs pass (Fisher's exact test)."""
    return fisher_exact([[count, runs - count], [known, known_runs - known]]).pvalue > 0.001


@settings(deadline=None, max_examples=60)
@given(
    tasks,
    st.integers(1, 20),
    st.sampled_from(["roots", "equal", "uniform"]),
    st.sampled_from([("threshold", None), ("literal", None), ("literal", 0.0)]),
    st.integers(0, 2**32),
)
def test_the_outcome_without_running_is_that_of_the_network(task, blocks, kind, variant, seed):
    rng = np.random.default_rng(seed)
    angles, codes = draw_angles(blocks, task.steps - task.length, rng, kind), draw_codes(task.symbols, blocks, rng)
    model = copy_solution(task, blocks, angles=angles, codes=codes, variant=variant[0], start=variant[1])
    batch = task.sample(rng, 4)
    symbols = batch.x[: task.length] - (0 if blank_code(task) else 1)
    found = [outcome(task, angles, codes, x, *variant) for x in symbols.T]
    assert found == list(zip(*copied(model, task, batch), strict=True))


def test_states_and_scores_are_those_of_the_network():
    task = Copy(delay=200, symbols=5, length=7, **PAPER)
    angles, codes = draw_angles(16, 207, rng=0), draw_codes(5, 16, rng=1)
    batch = task.sample(2, 1)
    y, tape = copy_solution(task, 16, angles=angles, codes=codes).forward(batch.x)
    steps, x = np.arange(task.steps), batch.x[:7, 0]
    assert np.allclose(states(angles, codes, x, steps), pairs(tape.layers["h"][:, 0, :-1]), atol=1e-12)
    assert np.allclose(scores(angles, codes, x, steps), y[:, 0, :5], atol=1e-12)


@pytest.mark.slow
def test_the_share_of_whole_sequences_is_the_known_one():
    task = Copy(delay=100, **PAPER)
    counts = {}
    for name, variant, start in (("0", "literal", 0.0), ("-1", "literal", None), ("threshold", "threshold", None)):
        counts[name] = successes(task, 128, 400, rng=0, variant=variant, start=start)
    assert counts["0"].whole == counts["-1"].whole == 0
    for name in ("0", "-1"):
        assert agree(counts[name].recalled, 400, 199, 200)  # 99.5 %
    assert agree(counts["threshold"].whole, 400, 177, 200)  # 88.5 %
    assert counts["threshold"].whole <= counts["threshold"].recalled <= counts["-1"].recalled


@pytest.mark.slow
def test_the_share_of_whole_sequences_over_500_steps_is_the_known_one():
    task = Copy(delay=500, **PAPER)
    threshold, literal = (successes(task, 256, 200, rng=0, variant=name) for name in ("threshold", "literal"))
    assert agree(threshold.whole, 200, 198, 200) and literal.recalled == 200 and literal.whole == 0
    assert successes(task, 512, 200, rng=0).whole == 200


def test_512_rotations_get_whole_sequences_of_520_steps_right():
    assert successes(Copy(delay=500, **PAPER), 512, 25, rng=0) == (25, 25, 25)


@pytest.mark.parametrize("symbols, known", [(2, 68), (8, 43), (64, 4)])
def test_the_table_of_successes_against_dictionary_and_length(symbols, known):
    assert recalls(symbols, 5, 200, 128, 100, rng=0) == 100
    found = recalls(symbols, 20, 200, 128, 300, rng=0)
    assert agree(found, 300, known, 100)
    assert abs(found / 300 - predicted_success(symbols, 20, 128)) < 0.07


def test_the_delay_does_not_matter():
    found = [recalls(8, 10, delay, 96, 300, rng=delay) for delay in (50, 200, 1000)]
    assert chi2_contingency([found, [300 - count for count in found]]).pvalue > 0.01
    assert all(agree(count, 300, known, 60) for count, known in zip(found, (54, 57, 56), strict=True))


def test_without_a_common_period_or_with_one_angle_nothing_is_recalled():
    assert recalls(8, 10, 200, 128, 60, rng=0, angles="equal") == 0
    assert recalls(8, 10, 200, 128, 60, rng=0, angles="uniform") == 0
    assert recalls(8, 10, 200, 128, 60, rng=0, period=209) == 0
    assert recalls(8, 10, 200, 128, 60, rng=0) > 50
    assert recalls(8, 10, 200, 128, 60, rng=0, period=105) > 50  # twice round in the same time


@pytest.mark.parametrize("symbols, blocks", [(8, 256), (2, 64), (64, 32)])
def test_noise_is_as_predicted(symbols, blocks):
    variance, squares = predicted_noise(symbols, 10, blocks)
    found = measured_noise(symbols, 10, 100, blocks, 500, rng=0)
    assert found == pytest.approx((variance, squares), rel=0.04) and squares == 9


def test_the_known_figures_of_noise():
    assert predicted_noise(8, 10, 256, mirrored=False) == pytest.approx((0.01976, 9), abs=5e-6)
    assert measured_noise(8, 10, 100, 256, 200, rng=0) == pytest.approx((0.02029, 8.98), rel=0.04)


def test_mirrored_pairs_are_those_that_one_counts():
    for length in range(1, 9):
        pairs_of_places = sum(min(j, length - 1 - j) for j in range(length))
        more, less = (predicted_noise(3, length, 5, mirrored)[0] for mirrored in (True, False))
        assert more - less == pytest.approx(2 * pairs_of_places / length / 9 / 6)


def test_the_predicted_success_at_its_ends():
    assert predicted_success(8, 1, 4) == 1
    assert predicted_success(8, 10, 10_000) == pytest.approx(1) and predicted_success(8, 40, 2) < 1e-6
    # with one rival right is 1 + noise > noise: the normal distribution at 1 / (sqrt(2) deviation)
    deviation = predicted_noise(2, 2, 3)[0] ** 0.5
    noise = np.random.default_rng(0).normal(0, deviation, (2, 200_000))
    assert predicted_success(2, 2, 3) == pytest.approx((1 + noise[0] > noise[1]).mean() ** 2, abs=0.005)


def test_the_clock_is_the_trace_of_the_powers():
    angles = draw_angles(5, 12, rng=0)
    V = rotations(angles)
    powers = [np.trace(np.linalg.matrix_power(V, m)) / 10 for m in range(15)]
    assert clock(angles, 14) == pytest.approx(powers, abs=1e-14) and clock(angles, 14)[12] == pytest.approx(1)


@pytest.mark.parametrize(("symbols", "length", "blocks"), [(2, 12, 24), (6, 8, 24)])
def test_with_the_noise_shared_the_prediction_is_what_networks_do(symbols, length, blocks):
    found = recalls(symbols, length, 40, blocks, 400, 0) / 400
    assert 0.2 < found < 0.9
    assert abs(found - shared_success(symbols, length, blocks, 400, 1)) < 0.1  # three standard errors of the two
    assert shared_success(symbols, 1, 4, 20, 0) == 1
