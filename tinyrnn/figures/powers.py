"""What w, tanh and W do to a gradient over many steps: w^(T-1), the values of h, and spectral radius against norm."""

from itertools import cycle
from typing import Annotated

import numpy as np

from tinyrnn.analysis.univariate import backward, forward, power_norms
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.plots import STYLES, new_figure

INSIDE, EDGE, EDGE_WEIGHT = 0.5, 1e-9, 1.5  # h_1 well inside the region of an attractor, and at its edge

SLOPE = "$|\\partial h_T / \\partial h_t|$"


def run(
    steps: Annotated[int, "time steps T"] = 50,
    weights: Annotated[tuple[float, ...], "weights w of the unit h_t = w h_{t-1}, and of the tanh unit"] = (
        0.9,
        1.0,
        1.1,
    ),
    off_diagonal: Annotated[float, "a in the matrix [[0.5, a], [0, 0.5]]"] = 100.0,
):
    """Gradients of a linear and a tanh unit over many steps, and norms of powers of a 2 x 2 matrix; a `Result`."""
    if steps < 2:
        raise ValueError(f"at least two time steps are needed, got {steps}")
    times, powers = np.arange(1, steps + 1), np.arange(steps)
    with np.errstate(over="ignore"):
        linear = {w: backward(w, np.ones(steps - 1)) for w in weights}
    squashed = {(w, INSIDE): tanh_gradients(w, INSIDE, steps) for w in weights}
    squashed[EDGE_WEIGHT, EDGE] = tanh_gradients(EDGE_WEIGHT, EDGE, steps)
    W = np.array([[0.5, off_diagonal], [0.0, 0.5]])
    norms, radius = power_norms(W, powers)

    figure, (left, middle, right) = new_figure(1, 3, (13, 4.3))
    for (w, values), (colour, line) in zip(linear.items(), cycle(STYLES), strict=False):
        left.plot(times, abs(values), color=colour, linestyle=line, label=f"w = {w:g}")
    left.set(title="Linear unit: straight lines", xlabel="time step t", ylabel=SLOPE)
    for ((w, h1), values), (colour, line) in zip(squashed.items(), cycle(STYLES), strict=False):
        middle.plot(times, abs(values), color=colour, linestyle=line, label=f"w = {w:g}, $h_1$ = {h1:g}")
    middle.set(title="A tanh unit: the values of h decide", xlabel="time step t", ylabel=SLOPE)
    right.plot(powers, norms, color=STYLES[0][0], label="norm $\\|W^k\\|_2$")
    right.plot(powers, radius**powers, color=STYLES[1][0], linestyle="--", label=f"radius$^k$ = {radius:g}$^k$")
    right.axhline(1, color="black", linewidth=0.7)
    right.set(title=f"W = [[0.5, {off_diagonal:g}], [0, 0.5]]: up first", xlabel="steps k", ylabel="size of $W^k$")
    for axes in (left, middle, right):
        axes.set_yscale("log")
        axes.grid(alpha=0.25)
        axes.legend(fontsize="small")

    peak = int(norms.argmax())
    return Result(
        figure,
        {
            "T": steps,
            **{f"w={w:g}": values[0] for w, values in linear.items()},
            **{f"tanh, w={w:g}, h_1={h1:g}": values[0] for (w, h1), values in squashed.items()},
            "spectral radius": radius,
            "norm of W^5": power_norms(W, [5])[0][0],
            "largest norm": norms[peak],
            "power of the largest norm": peak,
        },
        {
            "gradients": {
                "t": times,
                **{f"w={w:g}": values for w, values in linear.items()},
                **{f"tanh, w={w:g}, h_1={h1:g}": values for (w, h1), values in squashed.items()},
            },
            "matrix": {"k": powers, "norm": norms, "radius^k": radius**powers},
        },
        (
            *(f"linear, w = {w:g}: dh_T/dh_1 = w^{steps - 1} = {values[0]:.5g}" for w, values in linear.items()),
            *(f"tanh, w = {w:g}, h_1 = {h1:g}: {values[0]:.3g}" for (w, h1), values in squashed.items()),
            f"W has spectral radius {radius:g}, but ‖W^{peak}‖ = {norms[peak]:.4g}",
        ),
    )


def tanh_gradients(w, h1, steps):
    """∂h_T/∂h_t for t = 1 … T of the unit h_t = tanh(w h_{t-1})."""
    return backward(w, forward(w, h1, steps)[1])


ANALYSIS = Analysis(
    title="exploding and vanishing gradients of one unit, linear and tanh, and of one matrix",
    source="Grosse 2018, lecture 16, section 2.1",
    run=run,
    look=(
        "left: every step multiplies by w. Middle: tanh makes the gradient vanish even where w > 1, but not when h "
        "starts where two attractors part. Right: powers of a matrix whose eigenvalues are both 0.5, growing first."
    ),
    errata=(
        "The lecture's figures for T = 50, 117.4 and 0.00515, are 1.1^50 and 0.9^50; "
        "its own formula w^(T-1) gives 106.7 and 0.00573.",
        'The "largest eigenvalue" that decides whether W^(T-1) explodes means the largest modulus, and it decides only '
        "in the long run: with radius 0.5 the norm of W^5 can still be 31.",
        "In the lecture's formula for the gradient of h(1) the bar belongs over h(T) alone, not over the product.",
        "The lecture writes the step f(x, h) in the text and f(h, x) in eq. 1; it is the same function.",
    ),
)
