"""How far back the inputs can be read off the state: the error of the best linear decoder, lag by lag."""

from itertools import cycle
from typing import Annotated

import numpy as np

from tinyrnn.analysis.decoding import memory, share
from tinyrnn.core.backend import as_rng
from tinyrnn.core.progress import Bar
from tinyrnn.figures.carta import (
    SEQUENCES,
    Networks,
    check_training,
    in_words,
    inputs_for,
    labelled,
    made,
    sequence_inputs,
    train,
)
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.plots import STYLES, new_figure

FORGOTTEN = 0.5  # share of the variance that is wrong from where an input counts as forgotten


def run(
    networks: Networks = ("lmn-laes", "lmn-ortho", "lt-ornn", "elman", "lstm"),
    units: Annotated[int, "units of the cells that are made here"] = 128,
    longest: Annotated[int, "the longest lag, in steps"] = 300,
    steps: Annotated[int, "steps of every sequence"] = 784,
    count: Annotated[int, "sequences, half to fit the decoders to and half to judge them by"] = 200,
    fitted: Annotated[int, "sequences that an autoencoder is fitted to"] = 5000,
    ridge: Annotated[float, "variance of the noise on the state that the decoders are prepared for, 0 for none"] = 0.0,
    sequences: Annotated[str, SEQUENCES] = "digits",
    updates: Annotated[int, "by which all networks are first trained to tell digits apart"] = 0,
    rate: Annotated[float, "learning rate of these updates, by Adam"] = 1e-4,
    batch: Annotated[int, "digits an update"] = 64,
    seed: Annotated[int, "seed of weights and sequences"] = 0,
):
    """The error of the best linear decoder of past inputs from the state, lag by lag, for each network; a `Result`."""
    if not 1 <= longest < steps:
        raise ValueError(f"longest must be from 1 to {steps - 1}, one less than steps, got {longest}")
    if count < 2 or fitted < 1:
        raise ValueError(f"count must be at least 2 and fitted at least 1, got {count} and {fitted}")
    check_training(updates, batch, fitted)
    x, what = sequence_inputs(sequences, count + fitted, steps, seed)
    if updates and what != "digits":
        raise ValueError("networks are trained on digits: give sequences digits, and MNIST")
    classes = labelled("train", count + fitted, seed)[1] if updates else None  # of the same digits
    lags, results = np.arange(1, longest + 1), {}
    for name in Bar(networks, desc="networks", unit="network", disable=None):
        found = made(name, x[:, count:], units, as_rng(seed), dtype="float32" if updates else "float64")
        if updates:
            train(found.layers, x[:, count:], classes[count:], "cross_entropy", 10, updates, rate, batch, seed)
        read = inputs_for(found, x[:, :count], seed)
        results[found.label] = memory(found.model or found.layers, read, lags, ridge=ridge)
    shares = {label: result.wrong for label, result in results.items()}
    overall = {label: float(share(r.mse.mean(), r.variance.mean())) for label, r in results.items()}
    reach = {label: reached(lags, wrong) for label, wrong in shares.items()}
    return Result(
        draw(lags, shares, f"{in_words(networks, updates)}; {what}"),
        {
            "sequences": what,
            "updates": updates,
            "variance": {label: result.variance.mean() for label, result in results.items()},
            "mean squared error over all lags": {label: result.mse.mean() for label, result in results.items()},
            "relative error over all lags": overall,
            "lags until half the variance is wrong": reach,
        },
        {
            "error": {"lag": lags, **{label: result.mse for label, result in results.items()}},
            "relative error": {"lag": lags, **shares},
        },
        tuple(
            f"{label}: {wrong:.1%} of the variance is wrong over lags 1 to {longest}; half of it "
            + (f"from {reach[label]} steps back" if reach[label] else "nowhere")
            for label, wrong in overall.items()
        ),
    )


def reached(lags, wrong):
    """The first lag at which half the variance or more is wrong; None if there is none."""
    forgotten = np.flatnonzero(wrong >= FORGOTTEN)
    return int(lags[forgotten[0]]) if len(forgotten) else None


def draw(lags, shares, what):
    """The share of the variance that is wrong against the lag; 1 is no memory."""
    figure, axes = new_figure()
    for (label, wrong), (colour, line) in zip(shares.items(), cycle(STYLES), strict=False):
        axes.plot(lags, wrong, color=colour, linestyle=line, label=label)
    axes.axhline(1, color="black", linewidth=1, linestyle=(0, (2, 2)), label="no memory: the mean input")
    axes.set(
        xlabel="lag k (steps back)",
        ylabel="squared error of $x_{t-k}$ from $h_t$ / variance of $x$",
        xlim=(0, lags[-1]),
        title=f"What a linear decoder of the state gets wrong of past inputs\n({what})",
    )
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.25)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3, frameon=False, fontsize="small")
    return figure


ANALYSIS = Analysis(
    title="how many steps back the inputs can still be read off the state",
    source="Carta, Sperduti & Bacciu 2021, Figure 2b",
    run=run,
    look="how far to the right each curve stays low: a linear memory that was set up in closed form reaches furthest. "
    "Dips at multiples of 28 are the row above: there the pixels tell of one another. No cell made here has been "
    "trained unless --updates are given (or trained ones, with --networks), and without noise a decoder finds traces "
    "however small: with --ridge 1e-4 the LSTM's memory is half as long, the linear one's the same.",
    errata=(
        'The caption\'s "k in {1, 300}" is the whole range k = 1 … 300, and its "hidden activations x^(t-k)" are the '
        "inputs x^(t-k) that are read off the hidden activations h^t.",
    ),
)
