"""The LSTM's gate table as an experiment, and the memory through which gradients pass unchanged."""

import copy
from itertools import cycle
from typing import Annotated

import numpy as np

from tinyrnn.analysis.gates import BEHAVIOURS, passed_through, run_gates, set_gates
from tinyrnn.cells.lstm import LSTM
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.networks import network, single
from tinyrnn.training.plots import STYLES, new_figure


def run_table(
    values: Annotated[tuple[float, ...], "new values g_t that arrive, between -1 and 1"] = (0.5, 0.3, -0.6, 0.4, 0.9),
    start: Annotated[float, "the memory at first, c_0"] = 0.7,
    bias: Annotated[float, "bias of an open gate; a shut one has the negative"] = 50.0,
):
    """The memory of an LSTM with its gates set open or shut in four ways, beside the gate table; a `Result`."""
    runs = {gates: run_gates(*gates, values, start, bias) for gates in BEHAVIOURS}
    t = np.arange(len(values) + 1)
    figure, axes = new_figure(2, 2, (10, 6.6))
    low = min(0, *(run.c.min() for run in runs.values()), *values)
    high = max(0, *(run.c.max() for run in runs.values()), *values)
    for each, ((i, f), run) in zip(axes.flat, runs.items(), strict=True):
        each.bar(t[1:], run.g, 0.5, color="0.85", edgecolor="0.4", hatch="///", label="new value $g_t$")
        each.step(t, run.expected, where="mid", color=STYLES[1][0], linestyle="--", label="what the table says")
        each.plot(t, run.c, "o", color=STYLES[0][0], markersize=7, label="memory $c_t$ of the LSTM")
        each.axhline(0, color="black", linewidth=0.7)
        each.set(title=f"Input gate {i}, forget gate {f}: {BEHAVIOURS[i, f]}", xlabel="time step t", xticks=t)
        each.set_ylim(low - 0.1 * (high - low), high + 0.1 * (high - low))
    for each in axes[:, 0]:
        each.set_ylabel("value")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)

    errors = {BEHAVIOURS[gates]: float(abs(run.c - run.expected).max()) for gates, run in runs.items()}
    return Result(
        figure,
        {
            "bias": bias,
            "memory": {BEHAVIOURS[gates]: run.c for gates, run in runs.items()},
            "largest distance from the table": errors,
        },
        {"memory": {"t": t, "g": [0.0, *values], **{BEHAVIOURS[gates]: run.c for gates, run in runs.items()}}},
        (
            *(f"i = {i}, f = {f}: {BEHAVIOURS[i, f]}: c_T = {run.c[-1]:.6g}" for (i, f), run in runs.items()),
            f"with biases of {bias:g} the LSTM is within {max(errors.values()):.1e} of the table",
        ),
    )


GATE_TABLE = Analysis(
    title="the LSTM's gate table, run: remember, add, erase, overwrite",
    source="Grosse 2018, lecture 16, section 3.4 (the table), eqs. 6 to 8",
    run=run_table,
    look="the same LSTM with other biases on its gates; dots are its memory, dashes what the table says.",
    errata=(
        'It is called Long Short-Term Memory; the lecture\'s "Long-Term Short-Term Memory" is a slip.',
        "Eq. 6 has no biases. A gate that is to stay open whatever the input needs one.",
    ),
)


def run_pass_through(
    steps: Annotated[int, "time steps T"] = 50,
    hidden: Annotated[int, "units of a fresh LSTM"] = 8,
    biases: Annotated[tuple[float, ...], "biases: f open, i and o shut with the negative"] = (
        1.0,
        2.5,
        5.0,
        10.0,
        20.0,
        30.0,
        35.0,
        37.5,
        40.0,
        45.0,
    ),
    net: Annotated[str, "an LSTM: 'lstm', the folder of a run, or FILE.py:NAME; its weights stay"] = "lstm",
    seed: Annotated[int, "seed of the weights and of the input"] = 0,
):
    """How far dc_T/dc_0 is from the identity while f is open and i and o are shut, by bias; a `Result`."""
    found = network(net, 3, hidden, rng=seed)
    cell = single(found)
    if not isinstance(cell, LSTM):
        raise ValueError(f"{found.label}: gates i, f and o are set in an LSTM, not in {cell.name}")
    if steps < 1 or not biases:
        raise ValueError(f"at least one step and one bias are needed, got {steps} and {len(biases)}")
    x, identity = found.inputs(steps, 1, seed), np.eye(cell.hidden_size)
    through = {}
    for bias in sorted(biases):
        through[bias] = passed_through(set_gates(copy.deepcopy(cell), bias, i=0, f=1, o=0), x)
    errors = {bias: float(abs(J[0] - identity).max()) for bias, J in through.items()}
    exact = [bias for bias, error in errors.items() if error == 0]

    figure, (left, right) = new_figure(1, 2, (12, 4.6))
    b, rounding = np.array(list(errors)), np.finfo(float).eps
    seen = [bias for bias in errors if bias not in exact]
    left.plot(seen, [errors[bias] for bias in seen], "o", color=STYLES[0][0], label="LSTM, backward pass")
    if exact:
        left.plot(
            exact, [rounding / 4] * len(exact), "o", color=STYLES[0][0], markerfacecolor="white", label="exactly 0"
        )
    fine = np.linspace(b[0], max(b[-1], b[0] + 1), 200)
    left.plot(fine, -np.expm1(-steps * np.log1p(np.exp(-fine))), "--", color=STYLES[1][0],
              label="$1 - \\sigma(b)^T$, without recurrent weights")  # fmt: skip
    left.axhline(rounding, color="black", linewidth=0.8, linestyle=(0, (2, 2)), label="rounding in float64")
    left.set(title="Distance of $\\partial c_T/\\partial c_0$ from the identity", yscale="log", xlabel="bias b",
             ylabel="largest entry of the difference", ylim=(rounding / 8, 10))  # fmt: skip
    table = {"t": np.arange(steps + 1)}
    for (bias, J), (colour, line) in zip(pick(through), cycle(STYLES), strict=False):
        largest = np.linalg.norm(J, 2, axis=(1, 2))
        table[f"bias={bias:g}"] = largest
        right.plot(table["t"], largest, color=colour, linestyle=line, label=f"b = {bias:g}")
    right.set(title="The same over time, as a norm", yscale="log", xlabel="time step t",
              ylabel="$\\|\\partial c_T/\\partial c_t\\|_2$")  # fmt: skip
    if right.get_ylim()[0] > 0.1:
        right.set_ylim(bottom=0.1)
    for each in (left, right):
        each.grid(alpha=0.25)
        each.legend(fontsize="small")

    say = (
        f"exactly the identity, to the last bit, from b = {exact[0]:g} on" if exact else "the identity for none of them"
    )
    return Result(
        figure,
        {
            "T": steps,
            "network": found.label,
            "largest entry of dc_T/dc_0 - I": errors,
            "smallest bias that gives exactly I": exact[0] if exact else None,
        },
        {"distance": {"bias": b, "distance from the identity": list(errors.values())}, "norms": table},
        (
            f"dc_{steps}/dc_0 of {found.label} with f open, i and o shut: {say}",
            *tuple(f"b = {bias:g}: largest entry of the difference {error:.2g}" for bias, error in errors.items()),
        ),
    )


def pick(through, most=4):
    """At most so many of the items: the last one, and the first ones, which differ most."""
    items = list(through.items())
    return [*items[:-1][: most - 1], items[-1]]


PASS_THROUGH = Analysis(
    title="gradients pass through an LSTM's memory unchanged while f = 1 and i = o = 0",
    source="Grosse 2018, lecture 16, section 3.4 (the homework)",
    run=run_pass_through,
    look=(
        "left: the difference falls like T e^-b until it is nothing but rounding. Right: the usual forget bias of 1 "
        "lets the gradient vanish within a few dozen steps. (Hollow dots at the bottom: exactly zero.)"
    ),
    errata=(
        "f = 1 and i = o = 0 hold for saturated gates only. In float64 a sigmoid is exactly 1 from about 37 on and, in "
        "the form with tanh that is used here, exactly 0 from about -38 on.",
    ),
)
