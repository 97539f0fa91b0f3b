"""The mixture density: against its definition and PyTorch, where numbers are extreme, and draws from it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.core.ops import join, split
from tinyrnn.nn.losses import mixture_density, mixture_density_backward, sample_mixture

LN_ROOT_2PI = 0.5 * math.log(2 * math.pi)
sizes = st.integers(1, 4)
seeds = st.integers(0, 2**32 - 1)


def make(rng, shape, K, D):
    """Logits, means and log sigmas (*shape, K, D), and targets (*shape, D)."""
    rng = np.random.default_rng(rng)
    logits, mu, log_sigma = (scale * rng.normal(size=(*shape, K, D)) for scale in (1, 1, 0.5))
    return logits, mu, log_sigma, rng.normal(size=(*shape, D))


def flat(logits, mu, log_sigma):
    return join(*(a.reshape(*a.shape[:-2], -1) for a in (logits, mu, log_sigma)))


def alone(logits, mu, log_sigma, target, dtype="float64"):
    """Loss and gradients of one entry with K components: dlogits, dmu and dlog_sigma, each (K,)."""
    y = np.array([*logits, *mu, *log_sigma], dtype)
    loss, kept = mixture_density(y, np.array([target], dtype))
    return loss, *split(mixture_density_backward(kept), 3)


# the value


@given(seeds, sizes, sizes, st.lists(sizes, max_size=2))
def test_loss_is_minus_the_log_of_the_sum_of_the_weighted_densities(seed, K, D, shape):
    logits, mu, log_sigma, target = make(seed, shape, K, D)
    total = np.zeros(target.shape)
    for k in range(K):
        weight = np.exp(logits[..., k, :]) / np.exp(logits).sum(axis=-2)
        sigma = np.exp(log_sigma[..., k, :])
        total += weight * np.exp(-((target - mu[..., k, :]) ** 2) / (2 * sigma**2)) / np.sqrt(2 * np.pi * sigma**2)
    loss, _ = mixture_density(flat(logits, mu, log_sigma), target)
    np.testing.assert_allclose(loss, -np.log(total).mean(), rtol=1e-12, atol=1e-12)


def test_one_component_is_a_gaussian_whose_logit_means_nothing():
    loss, dlogits, dmu, dlog_sigma = alone([7.0], [1.0], [math.log(2)], 5.0)
    assert math.isclose(loss, LN_ROOT_2PI + math.log(2) + 0.5 * 4, rel_tol=1e-15)
    assert dlogits == 0
    np.testing.assert_allclose([dmu[0], dlog_sigma[0]], [-(5 - 1) / 4, 1 - 4], rtol=1e-14)


def test_each_entry_has_a_mixture_of_its_own():
    logits, mu, log_sigma, target = make(0, (5, 3), 2, 4)
    together, kept = mixture_density(flat(logits, mu, log_sigma), target)
    dy = mixture_density_backward(kept)
    losses = []
    for d in range(4):
        y = flat(*(a[..., d : d + 1] for a in (logits, mu, log_sigma)))
        loss, kept = mixture_density(y, target[..., d : d + 1])
        losses.append(loss)
        np.testing.assert_allclose(dy[..., d::4] * 4, mixture_density_backward(kept), rtol=1e-13)
    assert math.isclose(together, np.mean(losses), rel_tol=1e-14)


@given(seeds, st.integers(2, 5), sizes)
def test_the_order_of_the_components_and_a_shift_of_the_logits_change_nothing(seed, K, D):
    logits, mu, log_sigma, target = make(seed, (3,), K, D)
    loss, _ = mixture_density(flat(logits, mu, log_sigma), target)
    order = np.random.default_rng(seed).permutation(K)
    shuffled = flat(*(a[:, order] for a in (logits + 3, mu, log_sigma)))
    np.testing.assert_allclose(mixture_density(shuffled, target)[0], loss, rtol=1e-12)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("K", "D"), [(1, 1), (1, 3), (3, 1), (5, 4)])
def test_loss_and_gradient_equal_pytorch(K, D, masked):
    torch = pytest.importorskip("torch", reason="PyTorch is the reference here")
    logits, mu, log_sigma, target = make(1, (6, 3), K, D)
    mask = np.random.default_rng(2).random((6, 3)) < 0.6 if masked else np.ones((6, 3), bool)
    loss, kept = mixture_density(flat(logits, mu, log_sigma), target, mask)
    theirs = [torch.tensor(a, requires_grad=True) for a in (logits, mu, log_sigma)]
    last = [a.transpose(-1, -2) for a in theirs]
    normal = torch.distributions.Normal(last[1], last[2].exp())
    mixture = torch.distributions.MixtureSameFamily(torch.distributions.Categorical(logits=last[0]), normal)
    expected = -mixture.log_prob(torch.tensor(target))[torch.tensor(mask)].mean()
    expected.backward()
    np.testing.assert_allclose(loss, expected.item(), rtol=1e-13)
    np.testing.assert_allclose(
        mixture_density_backward(kept), flat(*(a.grad.numpy() for a in theirs)), rtol=1e-10, atol=1e-15
    )


# extremes


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_logits_of_a_thousand_are_exact(dtype):
    loss, dlogits, dmu, _ = alone([1000, -1000, 1000], [0, 5, 0], [0, 0, 0], 0, dtype)
    np.testing.assert_allclose(loss, LN_ROOT_2PI, rtol=1e-6)
    assert not dlogits.any() and not dmu.any()
    loss, dlogits, dmu, _ = alone([1000, -1000], [60, 0], [0, 0], 0, dtype)  # the wrong one, by far
    np.testing.assert_allclose(loss, LN_ROOT_2PI + 60**2 / 2, rtol=1e-6)
    np.testing.assert_allclose(dmu, [60, 0], rtol=1e-6)
    loss, dlogits, dmu, _ = alone([1000, -1000], [1e3, 0], [0, 0], 0, dtype)  # so wrong that the other answers
    np.testing.assert_allclose(loss, LN_ROOT_2PI + 2000, rtol=1e-6)
    np.testing.assert_allclose(dlogits, [1, -1], rtol=1e-6)
    assert not dmu.any()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_component_out_of_reach_of_the_target_has_no_part_in_the_gradient(dtype):
    loss, dlogits, dmu, dlog_sigma = alone([0, 0], [3, 0], [-1000, 0], 0, dtype)
    np.testing.assert_allclose(loss, LN_ROOT_2PI + math.log(2), rtol=1e-6)
    np.testing.assert_allclose(dlogits, [0.5, -0.5], rtol=1e-6)
    np.testing.assert_allclose([dmu, dlog_sigma], [[0, 0], [0, 1]], atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_gaussian_a_thousand_powers_of_e_wide_costs_a_thousand_nats(dtype):
    loss, _, dmu, dlog_sigma = alone([0], [2], [1000], -3, dtype)
    np.testing.assert_allclose(loss, LN_ROOT_2PI + 1000, rtol=1e-6)
    assert dmu == 0 and dlog_sigma == 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("log_sigma", [-31, -1000])
def test_a_gaussian_is_never_narrower_than_the_least_width(dtype, log_sigma):
    loss, _, dmu, dlog_sigma = alone([0], [2], [log_sigma], 2, dtype)
    np.testing.assert_allclose(loss, LN_ROOT_2PI - 30, rtol=1e-6)
    assert dmu == dlog_sigma == 0
    loss, _, dmu, dlog_sigma = alone([0], [2], [log_sigma], 2 + 2**-20, dtype)
    np.testing.assert_allclose(loss, 2**-41 * math.exp(60), rtol=1e-5)
    np.testing.assert_allclose(dmu, -(2**-20) * math.exp(60), rtol=1e-5)
    assert dlog_sigma == 0


def test_what_is_no_number_is_not_hidden():
    for place in range(3):
        y = np.zeros(6)
        y[2 * place] = np.nan
        assert np.isnan(mixture_density(y, np.zeros(1))[0])


# what does not fit


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"target": np.zeros((4, 5))}, ValueError, r"y \(4, 3, 12\) must be \(..., 3 K 5\).*target \(4, 5\)"),
        ({"target": np.zeros((4, 3, 3))}, ValueError, r"\(..., 3 K 3\)"),
        ({"target": np.zeros((4, 3, 5))}, ValueError, r"\(..., 3 K 5\)"),
        ({"target": np.zeros((4, 3, 0))}, ValueError, r"\(..., 3 K 0\)"),
        ({"target": np.zeros(())}, ValueError, r"target \(\)"),
        ({"y": np.zeros((4, 3, 3))}, ValueError, r"y \(4, 3, 3\)"),
        ({"y": np.zeros(())}, ValueError, r"y \(\)"),
        ({"y": np.zeros((4, 3, 12), int)}, TypeError, "must be floats"),
        ({"target": np.zeros((4, 3, 2), complex)}, TypeError, "real numbers"),
        ({"mask": np.ones((4, 3, 12), bool)}, ValueError, r"mask \(4, 3, 12\)"),
        ({"mask": np.ones((4, 3), int)}, TypeError, "mask must be boolean"),
        ({"target": [[0.0] * 2] * 12}, TypeError, "target must be a numpy array, got list"),
    ],
)
def test_what_does_not_fit_is_refused(change, error, message):
    fits = {"y": np.zeros((4, 3, 12)), "target": np.zeros((4, 3, 2)), "mask": np.ones((4, 3), bool)}
    mixture_density(**fits)
    with pytest.raises(error, match=message):
        mixture_density(**fits | change)


# in a model


@pytest.mark.few(1)
@pytest.mark.parametrize("outputs", [12, 9])
@pytest.mark.parametrize("at", ["every", "last"])
def test_gradients_of_a_model_with_mixtures_on_top_are_right(outputs, at):
    model = tr.Model(tr.Elman(3, 4, rng=0), tr.Readout(4, outputs, rng=1), loss="mixture_density", at=at)
    report = tr.gradcheck(model, rng=2)
    assert report.ok, report


def test_a_model_with_mixtures_finds_the_same_in_windows():
    model = tr.Model(tr.Elman(3, 4, rng=0), tr.Readout(4, 12, rng=1), loss="mixture_density")
    rng = np.random.default_rng(2)
    x, target, mask = rng.normal(size=(11, 2, 3)), rng.normal(size=(11, 2, 2)), np.ones((11, 2), bool)
    mask[6:, 1] = False
    whole, windows = model.gradients(x, target, mask), model.gradients(x, target, mask, checkpoint=4)
    assert math.isclose(whole.loss, windows.loss, rel_tol=1e-13)
    for name in whole.params:
        np.testing.assert_allclose(windows.params[name], whole.params[name], rtol=1e-11, atol=1e-15)


# draws


def one_mixture(count, dtype="float64"):
    """`count` times the mixture of N(-2, 0.5²) with weight 0.2 and N(3, 1) with weight 0.8, for one entry."""
    y = np.array([math.log(0.2), math.log(0.8), -2, 3, math.log(0.5), 0], dtype)
    return np.tile(y, (count, 1))


def test_draws_have_the_mean_and_variance_of_the_mixture():
    n = 40_000
    drawn = sample_mixture(one_mixture(n), 1, rng=0)
    mean = 0.2 * -2 + 0.8 * 3
    variance = 0.2 * (0.25 + 4) + 0.8 * (1 + 9) - mean**2
    assert drawn.shape == (n, 1)
    assert abs(drawn.mean() - mean) < 5 * math.sqrt(variance / n)
    assert abs(drawn.var() - variance) < 0.02 * variance


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.0])
def test_temperature_divides_the_logits_and_multiplies_the_variances(temperature):
    n = 40_000
    drawn = sample_mixture(one_mixture(n), 1, rng=1, temperature=temperature)[:, 0]
    odds = (0.2 / 0.8) ** (1 / temperature)
    first = odds / (1 + odds)
    if temperature < 1:  # the two hardly overlap
        assert abs((drawn < 0.3).mean() - first) < 5 * math.sqrt(first / n)
        assert abs(drawn[drawn > 0.3].std() - math.sqrt(temperature)) < 0.01
    mean = first * -2 + (1 - first) * 3
    variance = first * (0.25 * temperature + 4) + (1 - first) * (temperature + 9) - mean**2
    assert abs(drawn.mean() - mean) < 5 * math.sqrt(variance / n)
    assert abs(drawn.var() - variance) < 0.03 * variance


def test_a_draw_at_nearly_no_temperature_is_the_mean_of_the_likeliest_component():
    logits, mu, log_sigma, _ = make(3, (7, 2), 4, 3)
    drawn = sample_mixture(flat(logits, mu, log_sigma), 3, rng=0, temperature=1e-12)
    likeliest = np.take_along_axis(mu, logits.argmax(axis=-2)[..., None, :], axis=-2)[..., 0, :]
    np.testing.assert_allclose(drawn, likeliest, atol=1e-4)


def test_entries_are_drawn_independently_of_each_other():
    y = flat(*(np.tile(a, (20_000, 1, 2)) for a in ([[0.0], [0.0]], [[-1.0], [1.0]], [[-3.0], [-3.0]])))
    drawn = sample_mixture(y, 2, rng=0)
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.03


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_draw_depends_on_the_seed_alone_and_keeps_the_dtype(dtype):
    y = one_mixture(10, dtype)
    before = y.copy()
    first, second, other = (sample_mixture(y, 1, rng=rng) for rng in (5, 5, 6))
    assert first.dtype == dtype and np.array_equal(first, second) and not np.array_equal(first, other)
    assert np.array_equal(y, before)


@pytest.mark.parametrize("temperature", [0, -1, math.inf, math.nan])
def test_a_temperature_that_is_not_positive_is_refused(temperature):
    with pytest.raises(ValueError, match="temperature must be a positive number"):
        sample_mixture(one_mixture(2), 1, rng=0, temperature=temperature)


def test_draws_of_another_size_than_the_mixtures_are_refused():
    with pytest.raises(ValueError, match="3 K 4"):
        sample_mixture(np.zeros((2, 18)), 4, rng=0)
