"""The losses: values and gradients against the definition, two numerical derivatives and PyTorch; masks; errors."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.nn.losses import (
    LOSSES,
    accuracy,
    softmax_cross_entropy,
    softmax_cross_entropy_backward,
    squared_error,
    squared_error_backward,
)

SHAPES = [(4,), (3, 4), (5, 2, 3), (1, 1, 1), (2, 3, 2, 6)]


def make(name, shape, seed=0, masked=False, scale=2.0):
    """Random output, target and mask (None, or with at least one entry that counts and, where possible, one not)."""
    rng = np.random.default_rng(seed)
    if name == "mixture_density":  # two Gaussians an entry, none of them very narrow
        output = rng.normal(0, 0.25 * scale, (*shape[:-1], 6 * shape[-1]))
    else:
        output = rng.normal(0, scale, shape)
    target = rng.integers(0, shape[-1], shape[:-1]) if name == "cross_entropy" else rng.normal(size=shape)
    target = np.asarray(target)
    mask = None
    if masked:
        mask = np.asarray(rng.random(target.shape) < 0.6)
        mask.flat[0], mask.flat[-1] = False, True
    return output, target, mask


def central_differences(f, x, step=1e-5):
    slope = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        slope[i] = (f(up) - f(down)) / (2 * step)
    return slope


def complex_step(f, x, step=1e-30):
    slope = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[i] += 1j * step
        slope[i] = f(moved).imag / step
    return slope


every_loss = pytest.mark.parametrize("name", LOSSES)


@every_loss
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_gradient_agrees_with_central_differences_and_complex_step(name, shape, masked):
    forward, backward = LOSSES[name].forward, LOSSES[name].backward
    output, target, mask = make(name, shape, masked=masked)
    _, kept = forward(output, target, mask)
    gradient = backward(kept)
    assert gradient.shape == output.shape

    def loss(y):
        return forward(y, target, mask)[0]

    np.testing.assert_allclose(gradient, central_differences(loss, output), atol=1e-8)
    np.testing.assert_allclose(gradient, complex_step(loss, output), rtol=1e-13, atol=1e-15)


@every_loss
def test_gradient_is_right_where_the_arrays_are_not_contiguous(name):
    forward, backward = LOSSES[name].forward, LOSSES[name].backward
    output, target, mask = make(name, (5, 3, 4), masked=True)
    expected = backward(forward(output, target, mask)[1])
    batch_major = np.ascontiguousarray(output.swapaxes(0, 1)).swapaxes(0, 1)
    np.testing.assert_array_equal(backward(forward(batch_major, target, mask)[1]), expected)


@every_loss
def test_upstream_gradient_scales_the_gradient(name):
    forward, backward = LOSSES[name].forward, LOSSES[name].backward
    output, target, _ = make(name, (3, 4))
    _, kept = forward(output, target)
    np.testing.assert_allclose(backward(kept, dloss=-2.5), -2.5 * backward(kept), rtol=1e-15)


@every_loss
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_loss_and_gradient_keep_the_dtype(name, dtype):
    forward, backward = LOSSES[name].forward, LOSSES[name].backward
    output, target, mask = make(name, (6, 3, 4), masked=True)
    for chosen in (None, mask):
        loss, kept = forward(output.astype(dtype), target, chosen)
        exact, kept_exact = forward(output, target, chosen)
        assert loss.dtype == dtype and loss.shape == ()
        assert backward(kept).dtype == dtype
        np.testing.assert_allclose(loss, exact, rtol=1e-5)
        np.testing.assert_allclose(backward(kept), backward(kept_exact), atol=1e-6)


@every_loss
def test_nothing_passed_in_is_modified_and_a_second_call_equals_the_first(name):
    forward, backward = LOSSES[name].forward, LOSSES[name].backward
    passed = make(name, (4, 3, 5), masked=True)
    before = [a.copy() for a in passed]
    loss, kept = forward(*passed)
    gradient = backward(kept)
    np.testing.assert_array_equal(backward(kept), gradient)
    assert forward(*passed)[0] == loss
    for a, b in zip(passed, before, strict=True):
        np.testing.assert_array_equal(a, b)


@every_loss
@given(seed=st.integers(0, 2**32 - 1))
def test_masked_loss_is_the_loss_of_what_counts_alone(name, seed):
    forward, backward = LOSSES[name].forward, LOSSES[name].backward
    output, target, mask = make(name, (4, 3, 5), seed, masked=True)
    if name != "cross_entropy":
        mask = mask.any(axis=-1)
        mask[0, 0], mask[-1, -1] = False, True
    loss, kept = forward(output, target, mask)
    alone, kept_alone = forward(output[mask], target[mask])
    np.testing.assert_allclose(loss, alone, rtol=1e-13)
    np.testing.assert_allclose(backward(kept)[mask], backward(kept_alone), rtol=1e-13)
    assert not backward(kept)[~mask].any()


@every_loss
def test_what_is_masked_is_never_looked_at(name):
    forward, backward = LOSSES[name].forward, LOSSES[name].backward
    output, target, mask = make(name, (4, 3, 5), masked=True)
    loss, kept = forward(output, target, mask)
    unseen = np.tile(~mask, 6) if name == "mixture_density" else ~mask
    output[unseen] = np.nan
    target[~mask] = -100 if name == "cross_entropy" else np.nan
    loss_with_garbage, kept_with_garbage = forward(output, target, mask)
    assert loss_with_garbage == loss
    np.testing.assert_array_equal(backward(kept_with_garbage), backward(kept))


@every_loss
def test_mask_that_is_true_everywhere_changes_no_bit(name):
    forward, backward = LOSSES[name].forward, LOSSES[name].backward
    output, target, _ = make(name, (7, 3, 5))
    loss, kept = forward(output, target)
    masked, kept_masked = forward(output, target, np.ones(target.shape, bool))
    assert masked == loss
    np.testing.assert_array_equal(backward(kept_masked), backward(kept))


@every_loss
def test_mask_that_leaves_nothing_is_refused(name):
    output, target, _ = make(name, (4, 3, 5))
    with pytest.raises(ValueError, match="mask is False everywhere"):
        LOSSES[name](output, target, np.zeros(target.shape, bool))
    with pytest.raises(ValueError, match="empty"):
        LOSSES[name](output[:0], target[:0])


def test_cross_entropy_of_equal_logits_is_the_log_of_the_number_of_classes():
    loss, kept = softmax_cross_entropy(np.full((6, 2, 9), 3.0), np.zeros((6, 2), int))
    assert math.isclose(loss, math.log(9), rel_tol=1e-15)
    expected = np.full((6, 2, 9), 1 / 9 / 12)
    expected[..., 0] -= 1 / 12
    np.testing.assert_allclose(softmax_cross_entropy_backward(kept), expected, rtol=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cross_entropy_is_exact_at_logits_of_a_thousand(dtype):
    logits = np.array([[1000, -1000, 0], [-1000, -1000, -1000], [1000, 1000, -1000]], dtype)
    loss, kept = softmax_cross_entropy(logits, np.array([1, 0, 1]))
    np.testing.assert_allclose(loss, (2000 + math.log(3) + math.log(2)) / 3, rtol=1e-6)
    expected = np.array([[1, -1, 0], [-2 / 3, 1 / 3, 1 / 3], [1 / 2, -1 / 2, 0]]) / 3
    np.testing.assert_allclose(softmax_cross_entropy_backward(kept), expected, atol=1e-7)


def test_rows_of_very_different_size_do_not_disturb_each_other():
    logits, target = np.array([[900.0, 901.0], [-900.0, -901.0]]), np.array([0, 1])
    loss, _ = softmax_cross_entropy(logits, target)
    assert math.isclose(loss, math.log(1 + math.e), rel_tol=1e-12)


@given(seed=st.integers(0, 2**32 - 1), shift=st.floats(-500, 500))
def test_cross_entropy_gradient_sums_to_zero_over_classes_and_ignores_a_shift(seed, shift):
    logits, target, _ = make("cross_entropy", (3, 2, 4), seed)
    loss, kept = softmax_cross_entropy(logits, target)
    np.testing.assert_allclose(softmax_cross_entropy_backward(kept).sum(axis=-1), 0, atol=1e-15)
    np.testing.assert_allclose(softmax_cross_entropy(logits + shift, target)[0], loss, rtol=1e-11)


def test_squared_error_has_no_half_and_divides_by_all_entries():
    y, target = np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([[0, 2], [3, 1]])
    loss, kept = squared_error(y, target)
    assert loss == (1 + 16) / 4
    np.testing.assert_array_equal(squared_error_backward(kept), [[0.5, 0], [0, 2]])


def test_squared_error_can_mask_whole_vectors_or_single_entries():
    y, target, _ = make("squared_error", (3, 2, 4))
    vectors = np.array([[True, False], [True, True], [False, False]])
    entries = np.repeat(vectors[..., None], 4, axis=-1)
    assert squared_error(y, target, vectors)[0] == squared_error(y, target, entries)[0]
    np.testing.assert_allclose(squared_error(y, target, vectors)[0], ((y - target)[vectors] ** 2).mean(), rtol=1e-14)


def test_accuracy_counts_the_unmasked_tokens():
    logits = np.array([[3.0, 1, 2], [0, 5, 1], [2, 2, 1], [0, 0, 9]])
    target = np.array([0, 2, 0, 2])
    assert accuracy(logits, target) == 3 / 4
    assert accuracy(logits.astype("float32"), target, np.array([True, True, False, False])) == 1 / 2
    assert accuracy(logits, np.array([0, 2, 0, -1]), np.array([True, True, True, False])) == 2 / 3


@pytest.mark.parametrize("function", [softmax_cross_entropy, accuracy])
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"target": np.full((4, 3), 5)}, ValueError, "class 5.*0 to 4"),
        ({"target": np.full((4, 3), -1)}, ValueError, "class -1"),
        ({"target": np.zeros((4, 1), int)}, ValueError, r"\(4, 1\)"),
        ({"target": np.zeros((3,), int)}, ValueError, r"\(3,\)"),
        ({"target": np.zeros((4, 3))}, TypeError, "integer class numbers"),
        (
            {"target": [[0] * 3] * 4},
            TypeError,
            r"target must be a numpy array, got list: write numpy.asarray\(target\)",
        ),
        ({"logits": np.zeros((4, 3, 5), int)}, TypeError, "must be floats"),
        ({"logits": np.zeros((4, 3, 0))}, ValueError, "at least one class"),
        ({"mask": np.ones((4, 3))}, TypeError, "mask must be boolean"),
        ({"mask": np.ones((4, 1), bool)}, ValueError, r"mask \(4, 1\)"),
    ],
)
def test_cross_entropy_and_accuracy_refuse_what_does_not_fit(function, change, error, message):
    fits = {"logits": np.zeros((4, 3, 5)), "target": np.zeros((4, 3), int), "mask": np.ones((4, 3), bool)}
    with pytest.raises(error, match=message):
        function(**fits | change)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"target": np.zeros((4, 3, 1))}, ValueError, r"\(4, 3, 1\)"),
        ({"target": np.zeros((4, 3))}, ValueError, r"\(4, 3\)"),
        ({"target": np.zeros((4, 3, 5), complex)}, TypeError, "real numbers"),
        ({"y": np.zeros((4, 3, 5), int)}, TypeError, "must be floats"),
        ({"mask": np.ones((3, 5), bool)}, ValueError, r"mask \(3, 5\)"),
        ({"mask": np.ones((4, 3), int)}, TypeError, "mask must be boolean"),
    ],
)
def test_squared_error_refuses_what_does_not_fit(change, error, message):
    fits = {"y": np.zeros((4, 3, 5)), "target": np.zeros((4, 3, 5)), "mask": np.ones((4, 3), bool)}
    with pytest.raises(error, match=message):
        squared_error(**fits | change)


@pytest.mark.parametrize("masked", [False, True])
def test_cross_entropy_equals_pytorch(masked):
    torch = pytest.importorskip("torch", reason="PyTorch is the reference here")
    logits, target, mask = make("cross_entropy", (7, 3, 5), masked=masked)
    loss, kept = softmax_cross_entropy(logits, target, mask)
    theirs = torch.tensor(logits, requires_grad=True)
    labels = torch.tensor(target if mask is None else np.where(mask, target, -100))
    expected = torch.nn.functional.cross_entropy(theirs.reshape(-1, 5), labels.reshape(-1))
    expected.backward()
    np.testing.assert_allclose(loss, expected.item(), rtol=1e-13)
    np.testing.assert_allclose(softmax_cross_entropy_backward(kept), theirs.grad.numpy(), atol=1e-15)


def test_squared_error_equals_pytorch():
    torch = pytest.importorskip("torch", reason="PyTorch is the reference here")
    y, target, _ = make("squared_error", (7, 3, 5))
    loss, kept = squared_error(y, target)
    theirs = torch.tensor(y, requires_grad=True)
    expected = torch.nn.functional.mse_loss(theirs, torch.tensor(target))
    expected.backward()
    np.testing.assert_allclose(loss, expected.item(), rtol=1e-13)
    np.testing.assert_allclose(squared_error_backward(kept), theirs.grad.numpy(), atol=1e-15)


@pytest.mark.parametrize("masked", [False, True])
def test_the_class_minus_100_does_not_count_as_in_pytorch(masked):
    torch = pytest.importorskip("torch", reason="PyTorch is the reference here")
    logits, target, mask = make("cross_entropy", (7, 3, 5), masked=masked)
    target[2:5, 1] = -100
    counts = target != -100 if mask is None else mask & (target != -100)
    loss, kept = softmax_cross_entropy(logits, target, mask)
    expected, kept_expected = softmax_cross_entropy(logits, np.where(counts, target, 0), counts)
    assert loss == expected and accuracy(logits, target, mask) == accuracy(logits, np.where(counts, target, 0), counts)
    np.testing.assert_array_equal(softmax_cross_entropy_backward(kept), softmax_cross_entropy_backward(kept_expected))
    labels = torch.tensor(np.where(counts, target, -100)).reshape(-1)
    theirs = torch.nn.functional.cross_entropy(torch.tensor(logits).reshape(-1, 5), labels)
    assert math.isclose(loss, theirs.item(), rel_tol=1e-13)


def test_targets_that_are_all_minus_100_leave_nothing_to_average():
    with pytest.raises(ValueError, match="or the class -100"):
        softmax_cross_entropy(np.zeros((2, 3)), np.full(2, -100))


def test_minus_100_is_a_number_like_any_other_where_targets_are_numbers():
    loss, _ = squared_error(np.zeros((1, 2)), np.array([[-100, 0]]))
    assert loss == 5000
