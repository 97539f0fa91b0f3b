"""The bound on gradients of orthogonal networks: what it promises, what it does not, and where it fails."""

from itertools import cycle
from typing import Annotated

import numpy as np
from matplotlib.ticker import MaxNLocator

import tinyrnn.analysis.bound as bounds
from tinyrnn.cells import IRNN, Elman, UnitaryRNN
from tinyrnn.core.backend import as_rng
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.init.distributions import random_orthogonal
from tinyrnn.training.plots import STYLES, logarithmic, new_figure

INPUTS, BATCH = 4, 16
PHASES = ("theta_1", "theta_2", "theta_3", "v_1", "v_2")  # the parameters of the unitary W
MARKS = "os^Dv"


def run(
    steps: Annotated[int, "time steps T of the left picture"] = 20,
    bias: Annotated[float, "bias b > 0 of modReLU where the bound fails"] = 0.5,
    size: Annotated[float, "|z| at which the worst inputs hold every unit"] = 0.1,
    hidden_size: Annotated[int, "units"] = 64,
    longest: Annotated[int, "the longest T of the right picture"] = 320,
    seed: Annotated[int, "of weights and inputs"] = 0,
):
    """Gradients of orthogonal networks over time beside their bound, and the parameters' by length; a `Result`."""
    for name, value, least in (("steps", steps, 1), ("hidden_size", hidden_size, 1), ("longest", longest, 40)):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value}")
    if not (bias > 0 and size > 0):
        raise ValueError(f"bias and size must be above 0, got {bias:g} and {size:g}")
    over_time = gradients_over_time(steps, hidden_size, bias, size, seed)
    lengths = [T for T in (5 * 2**k for k in range(20)) if T <= longest]
    growth = parameter_growth(lengths, hidden_size, seed)
    powers = {name: bounds.power(lengths[2:], values[2:]) for name, values in growth.items()}
    gain = float(bounds.tangential_gain(size, bias))
    first = {name: b.norms[0].mean() for name, b in over_time.items()}
    relu, plain, random, held = over_time
    return Result(
        draw(over_time, growth, powers, lengths),
        {
            "T": steps,
            "norm of dC/dh_0, of dC/dh_T = 1": first,
            "bound on it": {name: b.bounds[0].max() for name, b in over_time.items()},
            "tangential gain": gain,
            "exponent of T in the parameters' gradient": powers,
        },
        {
            "over time": {"t": range(steps + 1)}
            | {name: b.norms.mean(axis=1) for name, b in over_time.items()}
            | {f"bound: {name}": b.bounds.max(axis=1) for name, b in over_time.items()},
            "parameters": {"T": lengths, **growth},
        },
        (
            f"{relu}: never grows on its way back, but only {first[relu]:.2g} of it is left after {steps} steps",
            f"{plain}: modReLU is the identity, and exactly {first[plain]:.6g} is left",
            f"{random}: {first[random]:.3g} times as large after {steps} steps",
            f"{held}: every step stretches by 1 + b/|z| = {gain:.3g} across z and by 1 along it; "
            f"{first[held]:.2g} times as large after {steps} steps",
            *(f"gradient of the parameters, {name}: grows like T^{p:.2f}" for name, p in powers.items()),
        ),
    )


def gradients_over_time(T, n, bias, size, seed):
    """name -> `Bound`, with ||dC/dh_T|| = 1."""
    rng = as_rng(seed)
    relu = Elman(INPUTS, n, activation="relu", rng=seed)
    relu.params["W_h"][...] = random_orthogonal(n, rng=seed)
    x = rng.normal(size=(T, BATCH, INPUTS))
    free = UnitaryRNN(2 * n, n, rng=seed)  # as many inputs as numbers in z, so that z can be chosen
    free.params["V"][...] = np.eye(2 * n)
    free.params["b"][...] = bias
    result = {"orthogonal W, ReLU": bounds.gradient_bound(relu, x, unit(rng, BATCH, n))}
    for b in (0.0, bias):
        cell = UnitaryRNN(INPUTS, n, rng=seed)
        cell.params["b"][...] = b
        result[f"uRNN, b = {b:g}"] = bounds.gradient_bound(cell, x, unit(rng, BATCH, 2 * n))
    held = bounds.inputs_that_hold(free, T, size, rng)
    result[f"uRNN, b = {bias:g}, |z| held at {size:g}"] = bounds.gradient_bound(free, held, unit(rng, 1, 2 * n))
    return result


def parameter_growth(lengths, n, seed):
    """name -> norms of the gradient by the recurrent parameters, for each length."""
    rng = as_rng(seed)
    x = rng.normal(size=(lengths[-1], BATCH, INPUTS))
    steady = np.ones_like(x)
    summing = IRNN(INPUTS, n, rng=seed)
    summing.params["W_x"][...] = np.abs(summing.params["W_x"])  # every unit stays on
    relu = Elman(INPUTS, n, activation="relu", rng=seed)
    relu.params["W_h"][...] = random_orthogonal(n, rng=seed)
    unitary = UnitaryRNN(INPUTS, n, rng=seed)
    cases = {
        "W = 1, ReLU, the same input > 0 at every step": (summing, steady, ("W_h",)),
        "uRNN, b = 0, random inputs": (unitary, x, PHASES),
        "orthogonal W, ReLU, random inputs": (relu, x, ("W_h",)),
    }
    return {
        name: bounds.parameter_gradients(cell, inputs, unit(rng, BATCH, cell.output_size), lengths, names)
        for name, (cell, inputs, names) in cases.items()
    }


def unit(rng, B, n):
    """(B, n) random rows of length 1, in directions that are uniform."""
    d = rng.normal(size=(B, n))
    return d / np.linalg.norm(d, axis=-1, keepdims=True)


def draw(over_time, growth, powers, lengths):
    """Left the norm of the gradient over time and the bound, right that of the parameters against the length T."""
    figure, (left, right) = new_figure(1, 2, (11.5, 5.6))
    left.axhline(1, color="black", linewidth=2.5, alpha=0.35, label="bound where $|\\sigma'| \\leq 1$")
    for (name, b), (colour, line), mark in zip(over_time.items(), STYLES, MARKS, strict=False):
        kind = {"color": colour, "linestyle": line, "marker": mark, "markersize": 5, "markerfacecolor": "white"}
        left.plot(b.norms.mean(axis=1), label=name, markevery=max(len(b.norms) // 7, 1), **kind)
    left.set(
        title="ReLU: vanishing below the bound; modReLU: above it",
        xlabel="time step t (the loss is at the last)",
        ylabel=r"$\Vert\partial C/\partial h_t\Vert\;/\;\Vert\partial C/\partial h_T\Vert$",
        yscale="log",
    )
    for (name, values), (colour, line), mark in zip(growth.items(), cycle(STYLES), MARKS, strict=False):
        slope = rf" ($\propto T^{{{powers[name]:.2f}}}$)"
        right.plot(
            lengths, values, color=colour, linestyle=line, marker=mark, markerfacecolor="white", label=name + slope
        )
    first = next(iter(growth.values()))[-1]
    line = [1.5 * first * (T / lengths[-1]) ** 2 for T in lengths]
    right.plot(lengths, line, color="black", linewidth=2.5, alpha=0.35, label=r"quadratic: $T^2$")
    right.set(
        title="Gradient by the parameters, for sequences of T steps",
        xlabel="length T (steps)",
        ylabel=r"norm of $\partial C\,/\,\partial$ parameters of $W$",
        yscale="log",
    )
    logarithmic(right, lengths)
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    left.margins(x=0.03)
    for axes in (left, right):
        axes.grid(alpha=0.25)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False, fontsize="small")
    return figure


ANALYSIS = Analysis(
    title="the gradient bound of orthogonal and unitary networks, and its failure for modReLU with b > 0",
    source="Arjovsky, Shah & Bengio 2015, section 2, eqs. 1-5",
    run=run,
    look=(
        "read from right to left, as backpropagation goes. With |sigma'| at most 1 no curve can rise above the grey "
        "line, but it may fall: units that are off pass nothing. modReLU with a positive bias rises above it."
    ),
    errata=(
        "The bound by ||dC/dh_T|| (eq. 5) is for ReLU and its like. The paper's own network has modReLU, which for "
        "b > 0 stretches by 1 + b/|z| across z: the bound does not hold for it.",
        "That parameter gradients grow at most quadratically is said to be shown in an appendix; no version of the "
        "paper has one, and the published one drops the claim. It is true where ||dC/dh_t|| is bounded: ||h_t|| grows "
        "at most like t, and T such terms are added up. A sum of equal terms reaches it, random inputs do not.",
        'The "spectral radius norm" of the text is the operator norm: the spectral radius is not a norm.',
        "D_{k+1} W_k^T in eq. 3 mixes the conventions of row and column vectors: for columns it is W_k^T D_{k+1}.",
        "The definition of modReLU has a stray bar, (|z| + b|); it is |z| + b.",
    ),
)
