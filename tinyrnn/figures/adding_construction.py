"""The adding task solved by one unit, exactly; and the same by an LSTM, without and with its nonlinearities."""

from typing import Annotated

import numpy as np

from tinyrnn.analysis.constructed import worst_error
from tinyrnn.analysis.constructions import adding_gates, adding_lstm, adding_solution
from tinyrnn.core.backend import as_rng
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.tasks import Adding
from tinyrnn.training.plots import STYLES, logarithmic, new_figure

GATES = (10.0, 20.0, 40.0)
SCALES = np.geomspace(1e-8, 1, 17)
EXACT = 3e-17  # where an error of zero is drawn on a log scale


def run(
    steps: Annotated[tuple[int, ...], "lengths T of the sequences"] = (50, 100, 200, 400, 750, 1500),
    units: Annotated[int, "units of the redundant version"] = 8,
    scale: Annotated[float, "of the real LSTM's small arguments, in the panel in the middle"] = 1e-4,
    gate: Annotated[float, "argument of its open gates, in the panel in the middle"] = 40.0,
    sequences: Annotated[int, "for every error, of which the largest counts"] = 200,
    seed: Annotated[int, "of the sequences"] = 0,
):
    """Largest errors of the constructions by length, and of the LSTM by the scale of its arguments; a `Result`."""
    if min(*steps, 2) < 2 or min(sequences, 1) < 1:
        raise ValueError("adding-construction: sequences need at least 2 steps, and there must be one")
    rng = as_rng(seed)
    models = {
        "one ReLU unit": adding_solution(),
        f"{units} ReLU units, V = 1": adding_solution(units),
        "LSTM, no nonlinearity (eq. 8)": adding_gates(),
        f"LSTM, scale {scale:g}, gates {gate:g}": adding_lstm(scale, gate),
    }
    batches = {T: Adding(steps=T).sample(rng, sequences, "float64") for T in steps}
    errors = {name: [worst_error(model, batch) for batch in batches.values()] for name, model in models.items()}
    T = steps[len(steps) // 2]
    by_scale = {B: [worst_error(adding_lstm(s, B), batches[T]) for s in SCALES] for B in GATES}
    shown = Adding(steps=50).sample(rng, 1, "float64")
    h, _ = models["one ReLU unit"].layers.forward(shown.x)

    figure = draw(shown, h[:, 0, 0], errors, steps, by_scale, T, sequences)
    numbers = {
        "largest error": {name: dict(zip(steps, values, strict=True)) for name, values in errors.items()},
        "LSTM by scale": {f"gate {B:g}": by_scale[B] for B in GATES},
        "scales": SCALES,
        "T of the scales": T,
    }
    tables = {
        "state": {"t": range(1, 51), "value": shown.x[:, 0, 0], "mark": shown.x[:, 0, 1], "h": h[:, 0, 0]},
        "errors": {"T": steps, **errors},
        "scales": {"scale": SCALES, **{f"gate {B:g}": by_scale[B] for B in GATES}, "bound": 10 / 3 * SCALES**2},
    }
    lines = (f"{name}: largest error {max(values):.2g} (T up to {max(steps)})" for name, values in errors.items())
    return Result(figure, numbers, tables, tuple(lines))


def draw(shown, h, errors, steps, by_scale, T, sequences):
    """Left one sequence and the state, in the middle errors against length, right the LSTM's against the scale."""
    figure, (left, middle, right) = new_figure(1, 3, (14, 4.6))
    t = np.arange(1, len(h) + 1)
    marks = np.flatnonzero(shown.x[:, 0, 1])
    values = shown.x[:, 0, 0]
    left.plot(t, values, ".", color="#999999", label="value x¹")
    left.plot(
        t[marks], values[marks], "o", color="#d55e00", markerfacecolor="none", markersize=10, label="marked, x² = 1"
    )
    left.step(t, h, where="mid", color="#0072b2", linewidth=2, label="state h")
    left.plot([t[-1]], shown.target[0], "kx", markersize=9, label="target", zorder=4)
    left.set(
        xlabel="time step t", ylabel="value", title="h adds relu(x¹ + x² − 1)", ylim=(-0.05, max(1.9, 1.4 * h.max()))
    )
    left.legend(fontsize="small", ncols=2, loc="upper left")

    for (name, found), mark, (colour, line) in zip(errors.items(), "osD^", STYLES, strict=False):
        style = {"color": colour, "linestyle": line, "marker": mark, "markerfacecolor": "none"}
        middle.plot(steps, np.maximum(found, EXACT), label=name, **style)
    middle.axhline(EXACT, color="black", linewidth=0.8, linestyle=(0, (2, 2)))
    middle.annotate("exact (0)", (max(steps), EXACT), (0, -5), textcoords="offset points", ha="right", va="top")
    middle.set(xlabel="steps T", yscale="log", ylabel=f"largest error of {sequences}", ylim=(3e-18, 1))
    middle.set_title("The length does not matter")
    logarithmic(middle, steps, fontsize="small")
    middle.legend(fontsize="small", loc="upper center")

    right.plot(SCALES, 10 / 3 * SCALES**2, color="black", linewidth=1, linestyle=":", label="10/3 scale² (bound)")
    for (B, found), mark, (colour, line) in zip(by_scale.items(), "^vo", STYLES, strict=False):
        style = {"color": colour, "linestyle": line, "marker": mark, "markerfacecolor": "none"}
        right.plot(SCALES, np.maximum(found, EXACT), label=f"gates σ(±{B:g})", **style)
    right.set(xlabel="scale of the small arguments", xscale="log", yscale="log", ylim=(1e-17, 10))
    right.set_title(f"What the LSTM's nonlinearities cost (T = {T})")
    right.legend(fontsize="small", loc="lower right")
    return figure


ANALYSIS = Analysis(
    title="the adding task solved by one unit, and by the gates of an LSTM",
    source="Henaff, Szlam & LeCun 2016, section 3.2.1 and eq. 8",
    run=run,
    look="h stands still but for two steps. The LSTM's tanh costs scale², its gates T e^-gate: as little as one likes.",
    errata=(
        "Equation 8 holds for an LSTM with no nonlinearity in equation 5, that is h = o c, and with gates that are set "
        "to x¹, x² and 1 directly; a real LSTM can only come near it.",
        "The nonlinearity of an LT-RNN stands on the input, outside of the recurrence; that of the plain network that "
        "the text compares it with is around the whole update of the state, not between state and output.",
        "The text does not say whether the two marks lie in two halves of the sequence, as in later papers. Nothing "
        "here depends on it.",
        "The values U = (1, 1), b = -1, V = W = 1 are ours; they are the ones that the text's argument needs.",
    ),
)
