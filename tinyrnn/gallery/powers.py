"""What w and then W does to a gradient over many steps: w^(T-1), and the spectral radius against the norm."""

from typing import Annotated

from tinyrnn.gallery.entry import Analysis, Result
from tinyrnn.training.plots import STYLES, new_figure


def run(
    steps: Annotated[int, "time steps T"] = 50,
    weights: Annotated[tuple[float, ...], "weights w of the linear unit h_t = w h_{t-1}"] = (0.9, 1.0, 1.1),
):
    times = list(range(1, steps + 1))
    gradients = {w: [w ** (steps - t) for t in times] for w in weights}
    figure, axes = new_figure()
    for (w, values), (colour, line) in zip(gradients.items(), STYLES, strict=False):
        axes.plot(times, values, color=colour, linestyle=line, label=f"w = {w:g}")
    axes.set(xlabel="time step t", ylabel="$\\partial h_T / \\partial h_t$", yscale="log")
    axes.legend()
    return Result(
        figure,
        {"T": steps, **{f"w={w:g}": values[0] for w, values in gradients.items()}},
        {"gradients": {"t": times, **{f"w={w:g}": values for w, values in gradients.items()}}},
        tuple(f"w = {w:g}: dh_T/dh_1 = w^{steps - 1} = {values[0]:.5g}" for w, values in gradients.items()),
    )


ANALYSIS = Analysis(
    title="exploding and vanishing gradients of one linear unit",
    source="Grosse 2018, lecture 16, section 2",
    run=run,
    look="straight lines on the log scale: every step multiplies by w.",
    errata=(
        "The lecture's figures for T = 50, 117.4 and 0.00515, are 1.1^50 and 0.9^50; "
        "its own formula w^(T-1) gives 106.7 and 0.00573.",
    ),
)
