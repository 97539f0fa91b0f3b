"""The learning-rate schedules: their values, their ends, and PyTorch's schedulers as reference."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.optim.schedules import SCHEDULES, constant, cosine, exponential, linear_warmup, step_decay


def test_constant_never_changes():
    assert [constant(0.1)(step) for step in (0, 1, 10**6)] == [0.1] * 3


def test_cosine_starts_at_lr_is_half_way_in_the_middle_and_stays_at_its_end():
    rate = cosine(1.0, 100, final=0.2)
    assert rate(0) == 1
    assert math.isclose(rate(50), 0.6)
    assert math.isclose(rate(100), 0.2) and rate(1000) == rate(100)


def test_cosine_warms_up_to_lr_first():
    rate = cosine(0.8, 100, warmup=4)
    assert [rate(step) for step in range(5)] == pytest.approx([0.2, 0.4, 0.6, 0.8, 0.8])
    assert rate(5) < 0.8
    assert rate(52) == pytest.approx(0.4)
    assert rate(100) == pytest.approx(0, abs=1e-15)


@given(st.integers(1, 300), st.integers(0, 100), st.floats(0, 1))
def test_cosine_never_rises_after_its_warmup_nor_leaves_its_bounds(steps, warmup, final):
    rate = cosine(1.0, warmup + steps, warmup=warmup, final=final)
    rates = [rate(step) for step in range(warmup, warmup + steps + 5)]
    assert all(a >= b for a, b in pairwise(rates))
    assert rates[0] == pytest.approx(1) and rates[-1] == pytest.approx(final)


def test_step_decay_every_so_many_steps_or_at_given_ones():
    every = step_decay(1.0, every=3, factor=0.5)
    assert [every(step) for step in range(8)] == [1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25]
    at = step_decay(1.0, at=(2, 5), factor=0.5)
    assert [at(step) for step in range(7)] == [1, 1, 0.5, 0.5, 0.5, 0.25, 0.25]


def test_exponential_multiplies_by_its_rate_each_step():
    rate = exponential(2.0, 0.5)
    assert [rate(step) for step in range(4)] == [2, 1, 0.5, 0.25]


def test_linear_warmup_moves_from_the_first_step_and_reaches_lr():
    rate = linear_warmup(1.0, 4)
    assert [rate(step) for step in range(6)] == [0.25, 0.5, 0.75, 1, 1, 1]
    assert linear_warmup(1.0, 0)(0) == 1


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("steps", [1, 7, 1000])
def test_registered_schedules_need_only_lr_and_steps_and_give_usable_rates(name, steps):
    rates = [SCHEDULES[name](0.3, steps)(step) for step in range(steps + 1)]
    assert all(type(rate) is float and 0 <= rate <= 0.3 for rate in rates)
    assert max(rates) == pytest.approx(0.3)
    assert rates[:steps] == [SCHEDULES[name](0.3, steps)(step) for step in range(steps)]  # no state


@pytest.mark.parametrize(
    ("name", "end"), [("constant", 0.3), ("cosine", 0), ("step", 3e-4), ("exponential", 3e-3), ("warmup", 0.3)]
)
def test_registered_schedules_end_where_they_say(name, end):
    assert SCHEDULES[name](0.3, 900)(900) == pytest.approx(end, abs=1e-15)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cosine(0.1, 0), "warmup < steps"),
        (lambda: cosine(0.1, 10, warmup=10), "warmup < steps"),
        (lambda: step_decay(0.1), "either every=N or at="),
        (lambda: step_decay(0.1, every=2, at=(3,)), "either every=N or at="),
        (lambda: step_decay(0.1, every=0), "every >= 1"),
        (lambda: exponential(0.1, 1.5), "0 < rate <= 1"),
        (lambda: linear_warmup(0.1, -1), "warmup >= 0"),
    ],
)
def test_settings_out_of_range_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (cosine(0.3, 40, final=0.01), ("CosineAnnealingLR", {"T_max": 40, "eta_min": 0.01})),
        (step_decay(0.3, every=7, factor=0.5), ("StepLR", {"step_size": 7, "gamma": 0.5})),
        (step_decay(0.3, at=(5, 20), factor=0.5), ("MultiStepLR", {"milestones": [5, 20], "gamma": 0.5})),
        (exponential(0.3, 0.9), ("ExponentialLR", {"gamma": 0.9})),
        (linear_warmup(0.3, 10), ("LinearLR", {"start_factor": 0.1, "end_factor": 1.0, "total_iters": 9})),
    ],
)
def test_schedules_equal_pytorch(ours, theirs):
    torch = pytest.importorskip("torch", reason="PyTorch is the reference here")
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.3)
    scheduler = getattr(torch.optim.lr_scheduler, theirs[0])(optimiser, **theirs[1])
    for step in range(40):
        assert ours(step) == pytest.approx(optimiser.param_groups[0]["lr"], rel=1e-12)
        optimiser.step()
        scheduler.step()
