"""The picture of the handout: what is left of a gradient, by how far it has gone back."""

import numpy as np

import tinyrnn as tr


def draw(figure):
    """The norm of the gradient of every state of an Elman network, sent out at the last step, for three weights."""
    rng = np.random.default_rng(0)
    T, n = 60, 32
    Q = np.linalg.qr(rng.normal(size=(n, n)))[0]
    axes = figure.subplots()
    for size, colour in ((0.8, "#4477aa"), (1.0, "#228833"), (1.2, "#ee6677")):
        cell = tr.Elman(4, n, rng=0)
        cell.params["W_h"][...] = size * Q
        x = 0.01 * rng.normal(size=(T, 1, 4))
        states, _ = cell.forward(x)
        gradient, norms = rng.normal(size=(1, n)), []
        for t in reversed(range(T)):
            norms.append(np.linalg.norm(gradient))
            gradient = (gradient * (1 - states[t] ** 2)) @ cell.params["W_h"].T
        axes.semilogy(range(T), np.array(norms) / norms[0], color=colour, label=f"W = {size:g} Q")
    axes.set(xlabel="steps back", ylabel="gradient that is left")
    axes.legend(frameon=False, title="Q orthogonal")
