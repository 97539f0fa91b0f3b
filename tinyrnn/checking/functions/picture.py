"""The picture of a gradient check: the V of error against step, and where in the arrays the errors are."""

from pathlib import Path

import numpy as np

MOST = 4  # arrays drawn


def draw(report, file=None):
    """A matplotlib figure of a `GradientReport`; written to `file` if given. Raises ValueError without numbers."""
    from matplotlib.figure import Figure

    if not report.findings:
        raise ValueError("there is nothing to draw: no gradient could be checked")
    rows = sorted(report.rows, key=lambda row: row.verdict != "wrong")[:MOST]
    figure = Figure(figsize=(10, 2.8 * len(rows) + 0.4), layout="constrained")
    figure.suptitle(f"{report.title}: {report.summary()}", fontsize=10)
    axes = figure.subplots(len(rows), 2, squeeze=False)
    for row, (left, right) in zip(rows, axes, strict=True):
        found = report.findings[row.argument]
        draw_curve(left, row, found)
        draw_errors(right, row, found, report.shapes.get(row.argument, ()))
    if file is not None:
        from tinyrnn.core.files import write_atomically

        kind = Path(file).suffix.removeprefix(".").lower() or "png"
        if kind not in figure.canvas.get_supported_filetypes():
            raise ValueError(f"{file}: no picture can be written as .{kind}")
        write_atomically(file, lambda temporary: figure.savefig(temporary, format=kind, dpi=130))
    return figure


def draw_curve(axes, row, found):
    """Error against step at the worst entry: a V down to rounding if the claim is right, a plateau if it is not."""
    place, slope = next(((p, s) for p, s in found.slopes.items() if s.steps is not None), (None, None))
    if slope is None:
        axes.text(0.5, 0.5, f"{row.argument}: no entry had to be looked at closely", ha="center", fontsize=8)
        axes.set_axis_off()
        return
    claimed = found.claimed[place]
    steps, central = slope.steps[: len(slope.central)], slope.central
    tiny = np.finfo(float).tiny
    axes.loglog(steps, abs(central - slope.value) + tiny, ".-", label="numerical − best numerical")
    axes.loglog(steps, abs(central - claimed) + tiny, ".-", label="numerical − yours")
    if np.isfinite(slope.step):
        axes.axvline(slope.step, color="0.7", linewidth=1, label="read from this step on")
    heights = abs(central - slope.value)[np.isfinite(central)]
    axes.set_ylim(bottom=max(1e-18, heights[heights > 0].min(initial=1.0) / 10))
    axes.set_xlabel("step")
    axes.set_title(f"{row.argument}, entry {place[1]}: {slope.kind}", fontsize=9)
    axes.legend(fontsize=7)


def draw_errors(axes, row, found, shape):
    """The relative errors of all entries, as a map where the array is one."""
    from matplotlib.ticker import MaxNLocator

    scale = np.nanmax(abs(found.numerical), initial=0) or 1.0
    error = abs(found.claimed - found.numerical)[0][: int(np.prod(shape))] / scale
    columns = shape[-1] if len(shape) else 1
    grid = np.log10(np.maximum(error.reshape(-1, columns), 1e-17))
    image = axes.imshow(grid, aspect="auto", vmin=-17, vmax=0, cmap="magma", interpolation="nearest")
    axes.figure.colorbar(image, ax=axes, label="log₁₀ relative error")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title(f"{row.argument} {shape}: {row.verdict} {row.kind}".rstrip(), fontsize=9)
