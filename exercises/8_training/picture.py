"""The picture of the handout: three rates."""

import numpy as np

import tinyrnn as tr


def draw(figure):
    """The loss of an LSTM that learns to add two of 20 numbers, by Adam at three learning rates."""
    axes = figure.subplots()
    for rate, colour in ((3e-4, "#4477aa"), (1e-2, "#228833"), (0.3, "#ee6677")):
        net = tr.Model(tr.LSTM(2, 16, rng=0), tr.Readout(16, 1, rng=1), loss="squared_error", at="last")
        adam, rng, losses = tr.optimisers.Adam(lr=rate), np.random.default_rng(0), []
        for _ in range(400):
            back = net.gradients(*batch(rng, 20, 32))
            adam.step(net.params, tr.clipping.clip_by_norm(back.params, 1.0)[0])
            losses.append(back.loss)
        smooth = np.convolve(losses, np.ones(15) / 15, mode="valid")
        axes.semilogy(smooth, color=colour, label=f"rate {rate:g}")
    axes.axhline(1 / 6, color="#888888", linewidth=0.8, linestyle=":")
    axes.annotate("always answering 1", (2, 0.18), fontsize=8, color="#666666")
    axes.set(xlabel="update", ylabel="squared error")
    axes.legend(frameon=False)


def batch(rng, T, B):
    """Sequences (T, B, 2) of numbers, two of which are marked, and the sums (B, 1)."""
    values, marks, s = rng.random((T, B)), np.zeros((T, B)), np.arange(B)
    for low, high in ((0, T // 2), (T // 2, T)):
        marks[rng.integers(low, high, size=B), s] = 1
    return np.stack([values, marks], axis=-1), (values * marks).sum(axis=0)[:, None]
