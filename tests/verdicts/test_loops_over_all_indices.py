"""Convolutions by loops over all indices, of which one run takes thousands of steps, with a leaky ReLU and a softmax
that is nearly one."""

import numpy as np
import pytest
from students import lines_accused, write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.verdicts.repair.solving import least

R = np.random.default_rng(33)
SOURCE = """
    def leaky(x):
        return x * (x > 0) + 0.02 * x * (x < 0)

    def leaky_slope(x):
        return 1.0 * (x > 0) + 0.02 * (x < 0)

    def sum_at(image, kernel, i, j):
        total = 0.0
        for u in range(kernel.shape[0]):
            for v in range(kernel.shape[1]):
                total += image[i + u, j + v] * kernel[u, v]
        return total

    def share_at(kernel, above, i, j):
        total = 0.0
        for u in range(kernel.shape[0]):
            for v in range(kernel.shape[1]):
                if 0 <= i - u < above.shape[0] and 0 <= j - v < above.shape[1]:
                    total += above[i - u, j - v] * kernel[u, v]
        return total

    def forward(images, kernel, V):
        n, height, width = images.shape
        high, wide = height - kernel.shape[0] + 1, width - kernel.shape[1] + 1
        sums = np.zeros((n, high, wide), images.dtype)
        for k in range(n):
            for i in range(high):
                for j in range(wide):
                    sums[k, i, j] = sum_at(images[k], kernel, i, j)
        return leaky(sums).reshape(n, -1) @ V, (images, kernel, V, sums)

    def backward(dy, cache):
        images, kernel, V, sums = cache
        dV = leaky(sums).reshape(len(sums), -1).T @ dy
        above = (dy @ V.T).reshape(sums.shape)
        slope = leaky_slope(sums)
        above = above * slope
        d_images, d_kernel = np.zeros(images.shape), np.zeros(kernel.shape)
        for k in range(len(images)):
            for i in range(images.shape[1]):
                for j in range(images.shape[2]):
                    d_images[k, i, j] = share_at(kernel, above[k], i, j)
            for u in range(kernel.shape[0]):
                for v in range(kernel.shape[1]):
                    d_kernel[u, v] += sum_at(images[k], above[k], u, v)
        return d_images, d_kernel, dV
"""
GIVEN = {"images": R.normal(size=(2, 5, 4)), "kernel": R.normal(size=(3, 2)), "V": R.normal(size=(9, 2))}
NEARLY_ONE = """
    def forward(x, target, W):
        a = W @ x
        p = np.exp(a) / np.sum(np.exp(a))
        return -np.sum(target * np.log(p)), (x, target, W, p)

    def slope_of_softmax(p):
        m = np.zeros((len(p), len(p)))
        for r in range(len(p)):
            for c in range(len(p)):
                m[r, c] = p[r] * (1 - p[c]) if r == c else -p[r] * p[c]
        return m

    def backward(dloss, cache):
        x, target, W, p = cache
        dp = -dloss * (target / p)
        da = dp @ slope_of_softmax(p)
        return W.T @ da, np.outer(da, x)
"""
UNLIKE = {"x": np.array([2.8, -1.4, 0.7]), "target": np.array([0.1, 0.6, 0.3])}
UNLIKE |= {"W": np.array([[6.0, 1.0, 0.5], [-3.0, 3.0, 1.0], [0.5, 8.0, -2.0]])}


def test_right_loops_over_all_indices_are_right(tmp_path):
    report, lines = lines_accused(tmp_path, SOURCE, "", "", GIVEN)
    assert report.ok and not lines


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        pytest.param(
            "total += above[i - u, j - v] * kernel[u, v]",
            "total += above[i - u, j - v] * kernel[u, u - u]",
            marks=pytest.mark.slow,
        ),
        ("share_at(kernel, above[k], i, j)", "share_at(kernel, above[k], j, i)"),
        ("d_kernel[u, v] += sum_at", "d_kernel[u, v] = sum_at"),
    ],
)
def test_a_slip_within_loops_over_all_indices_is_found(tmp_path, right, wrong):
    source = SOURCE.replace(right, wrong)
    (line,) = (line.strip() for line in source.splitlines() if wrong in line)
    assert lines_accused(tmp_path, SOURCE, right, wrong, GIVEN)[1] == {line}


@pytest.mark.slow
def test_the_slope_of_a_derivative_is_put_right_by_that_of_its_activation(tmp_path):
    right, wrong = "return 1.0 * (x > 0) + 0.02 * (x < 0)", "return 1.0 * (x > 0) + 0.2 * (x < 0)"
    assert lines_accused(tmp_path, SOURCE, right, wrong, GIVEN)[1] == {wrong}


@pytest.mark.slow
def test_a_factor_that_is_worked_out_and_never_read_is_missing_behind_it(tmp_path):
    missing = "        above = above * slope\n"
    assert missing in SOURCE
    path = write(tmp_path, SOURCE.replace(missing, ""))
    with loaded(path) as module:
        report = tr.lines(module.forward, module.backward, GIVEN, remedies=True)
    (row,) = report.wrong
    assert path.read_text().splitlines()[row.line - 1].strip() == "above = (dy @ V.T).reshape(sums.shape)"
    assert "something is missing behind `slope = leaky_slope(sums)`" in "\n".join(report.hints(3))


def test_a_loss_behind_a_softmax_that_is_nearly_one_is_put_right(tmp_path):
    assert lines_accused(tmp_path, NEARLY_ONE, "", "", UNLIKE)[0].ok
    right, wrong = "dp = -dloss * (target / p)", "dp = -dloss * (target * p)"
    assert lines_accused(tmp_path, NEARLY_ONE, right, wrong, UNLIKE)[1] == {wrong}


def test_what_a_small_column_alone_can_give_is_solved_for():
    matrix = np.array([[1.0, 0.0], [2.0, 3e-13]])
    np.testing.assert_allclose(least(matrix, matrix @ [2.0, 5.0]), [2.0, 5.0], rtol=1e-3)
