"""Activations that are asked again in their own backward pass, and gradients that are joined of parts with factors of
their own, as in a variational autoencoder."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(64)

AUTOENCODER = """
    class Sigmoid:
        def __call__(self, x):
            self.kept = np.copy(x)
            return 1 / (1 + np.exp(-x))

        def backward(self, dy):
            y = self(self.kept)
            return dy * y * (1 - y)

    def loss_and_gradients(x, noise, W, V):
        squashed = Sigmoid()
        h = x @ W
        n = noise.shape[1]
        means, logs = h[:, :n], h[:, n:]
        dh_kl = np.append(means, 0.5 * (np.exp(logs) - 1), axis=1)
        z = means + np.exp(0.5 * logs) * noise
        out = squashed(z @ V)
        loss = np.sum((out - x) ** 2) + 0.5 * np.sum(means ** 2 + np.exp(logs) - logs)
        da = squashed.backward(2 * (out - x))
        dV, dz = z.T @ da, da @ V.T
        both = dh_kl + np.append(dz, 0.5 * np.multiply(dz * noise, np.exp(0.5 * logs)), axis=1)
        return loss, {"W": x.T @ both, "V": dV}
"""
INPUTS = {"x": R.normal(size=(5, 4)), "noise": R.normal(size=(5, 3))}
INPUTS |= {"W": 0.3 * R.normal(size=(4, 6)), "V": R.normal(size=(3, 4))}


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("y = self(self.kept)", "y = self.kept"),
        ("dz, 0.5 * np.multiply(", "dz, np.multiply("),
        ("np.exp(0.5 * logs) * noise", "np.exp(logs) * noise"),
    ],
)
def test_the_part_that_is_wrong_is_accused_and_not_what_it_is_joined_with(right, wrong, tmp_path):
    report, lines = lines_accused(tmp_path, AUTOENCODER, "", "", INPUTS)
    assert report.ok and not lines
    _, lines = lines_accused(tmp_path, AUTOENCODER, right, wrong, INPUTS)
    assert len(lines) == 1 and wrong in lines.pop()


CUT = """
    def forward(x, W, U, V):
        h = np.maximum(x @ W, 0)
        k = np.maximum(h @ U, 0)
        return k @ V, (x, h, k, W, U, V)

    def backward(dy, cache):
        x, h, k, W, U, V = cache
        dV = k.T @ dy
        dk = dy @ V.T
        dk[k <= 0] = 0
        dU = h.T @ dk
        dh = dk @ U.T
        dh[h <= 0] = 0
        return dh @ W.T, x.T @ dh, dU, dV
"""
CUT_INPUTS = {
    "x": R.normal(size=(6, 3)),
    "W": R.normal(size=(3, 7)),
    "U": R.normal(size=(7, 5)),
    "V": R.normal(size=(5, 2)),
}


def test_a_gradient_that_is_not_cut_off_as_another_one_is_lacks_that(tmp_path):
    report, lines = lines_accused(tmp_path, CUT, "", "", CUT_INPUTS)
    assert report.ok and not lines
    _, lines = lines_accused(tmp_path, CUT, "        dh[h <= 0] = 0\n", "", CUT_INPUTS)
    assert lines == {"dh = dk @ U.T"}


def test_a_mask_the_wrong_way_round_is_accused(tmp_path):
    text = CUT.replace("dk[k <= 0] = 0", "off = k <= 0\n        dk[off] = 0").replace(
        "dh[h <= 0]", "on = h > 0\n        dh[~on]"
    )
    for right, wrong in (("dk[off] = 0", "dk[~off] = 0"), ("dh[~on] = 0", "dh[on] = 0")):
        _, lines = lines_accused(tmp_path, text, right, wrong, CUT_INPUTS)
        assert lines == {wrong}
