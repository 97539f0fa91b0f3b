"""The picture of the handout: a sequence read back from its last state."""

import numpy as np

import tinyrnn as tr


def draw(figure):
    """Sequences of a pattern with noise, and what the package's linear autoencoder of so many units gives back."""
    rng = np.random.default_rng(0)
    T, N = 60, 40
    t = np.arange(T)[:, None]
    phase, pitch = rng.uniform(0, 2 * np.pi, (2, N)), rng.uniform(0.15, 0.5, (2, N))
    x = sum(np.sin(pitch[k] * t + phase[k]) for k in range(2)) + 0.1 * rng.normal(size=(T, N))
    axes = figure.subplots()
    axes.plot(t[:, 0], x[:, 0], color="#222222", linewidth=2.2, label="what was read")
    for units, colour in ((4, "#ee6677"), (12, "#ccbb44"), (40, "#4477aa")):
        axes.plot(t[:, 0], read_back(x, units)[:, 0], color=colour, linewidth=1.1, label=f"from {units} numbers")
    axes.set(xlabel="step", ylim=(-2.6, 3.4))
    axes.legend(frameon=False, ncols=4, loc="upper center", fontsize=8)


def read_back(x, units):
    """The sequences (T, N) as they are read back from the last state of an autoencoder of so many units."""
    auto = tr.LinearAutoencoder.fit(x[:, :, None], units)
    return auto.decode(auto.encode(x[:, :, None])[-1], len(x))[..., 0]
