"""The linear autoencoder for sequences on random walks: how well it remembers, and starts other networks."""

from typing import Annotated

import numpy as np

from tinyrnn import LinearAutoencoder
from tinyrnn.cells import LMN, Elman
from tinyrnn.core.backend import as_rng
from tinyrnn.core.progress import Bar
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.init.by_name import initialise
from tinyrnn.training.plots import STYLES, PlainLogFormatter, new_figure

STEP = 0.05  # of the random walks, so that they stay within the tanh's straight part
SCALES = np.logspace(-1, 1, 13)


def run(
    length: Annotated[int, "time steps L of each random walk"] = 30,
    count: Annotated[int, "random walks to fit to, and as many that are not seen"] = 40,
    units: Annotated[tuple[int, ...], "units p of the examples, besides all L"] = (4, 10),
    seed: Annotated[int, "seed of the walks"] = 0,
):
    """Reconstruction errors, memory, and the use as a start, of autoencoders of random walks; a `Result`."""
    if length < 2 or count < length:
        raise ValueError(f"length must be at least 2, and count at least the length, got {length} and {count}")
    if not all(1 <= p < length for p in units) or not 1 <= len(units) < len(STYLES):
        raise ValueError(f"units must be one to {len(STYLES) - 1} numbers from 1 to {length - 1}, got {units}")
    x, unseen = (STEP * as_rng(seed).normal(size=(2, length, count, 1))).cumsum(axis=1)
    full = LinearAutoencoder.fit(list(x.swapaxes(0, 1)))
    if full.size < length:
        raise ValueError(f"the walks have rank {full.size} only, not {length}: take more of them")
    errors = reconstruction_errors(full, x, unseen)
    examples = [full.truncated(p) for p in sorted(set(units))] + [full]
    start = examples[-2].size
    starts = quality_of_starts(start, x)
    exact = full.A @ full.A.T + full.B @ full.B.T - np.eye(length)

    figure, panels = new_figure(2, 2, (11, 8))
    draw_errors(panels[0, 0], errors)
    draw_example(panels[0, 1], examples, unseen[:, :1])
    responses = draw_memory(panels[1, 0], examples, 2 * length)
    draw_starts(panels[1, 1], starts, start)
    figure.suptitle(f"A linear autoencoder of {count} random walks of {length} steps")

    mixed = of_mixed_lengths(seed)
    numbers = {
        "reconstruction error, all units": errors["training"][-1],
        "unseen sequences, all units": errors["unseen"][-1],
        "AA^T + BB^T - I, all units": np.abs(exact).max(),
        "spectral radius": {f"p={each.size}": each.spectral_radius for each in examples},
        "kept energy": {f"p={each.size}": each.kept for each in examples},
        "mixed lengths": mixed,
    }
    at_one = int(np.argmin(np.abs(SCALES - 1)))
    numbers["state error as a start, at scale 0.1, at 1"] = {k: [own[0], own[at_one]] for k, own in starts.items()}
    lines = (
        f"p = L = {length}: relative error {errors['training'][-1]:.1g}, on unseen walks {errors['unseen'][-1]:.1g}; "
        f"AA^T + BB^T = I but for {np.abs(exact).max():.1g}",
        *(f"p = {p}: on unseen walks {errors['unseen'][p - 1]:.3f}" for p in sorted(set(units))),
        f"lengths 7, 4, 6 and 3 of 3 features, rank {mixed['rank']} of {mixed['numbers']}: seen "
        f"{mixed['training error']:.1g}, unseen {mixed['unseen error']:.2f}: exact only if the rank is full",
        f"as a start, p = {start}: at scale 0.1 the state is off by {starts['LMN'][0]:.0e} in an LMN, "
        f"{starts['Elman'][0]:.2f} in an Elman network; at 1 by {starts['LMN'][at_one]:.0e} and "
        f"{starts['Elman'][at_one]:.2f}",
    )
    tables = {"errors": errors, "memory": responses, "starts": {"scale": SCALES, **starts}}
    return Result(figure, numbers, tables, lines)


def reconstruction_errors(full, x, unseen):
    """Relative errors of the walks decoded from one state each, for every p; and the same fitted slice by slice."""
    sequences = list(x.swapaxes(0, 1))
    errors = {"p": [], "training": [], "unseen": [], "slice by slice": []}
    for p in Bar(range(1, full.size + 1), desc="units", disable=None):
        each, sliced = full.truncated(p), LinearAutoencoder.fit_slices(sequences, p, slices_at_once=5)
        errors["p"].append(p)
        errors["training"].append(relative(each.reconstruct(x), x))
        errors["unseen"].append(relative(each.reconstruct(unseen), unseen))
        errors["slice by slice"].append(relative(sliced.reconstruct(x), x))
    return errors


def quality_of_starts(p, x):
    """How far the states of an LMN and an Elman network with these weights are from the linear ones, by input scale."""
    found = {"LMN": [], "Elman": []}
    for scale in SCALES:
        autoencoder = LinearAutoencoder.fit_moments(scale * x, p)
        wanted = autoencoder.encode(scale * x)
        for cls in (LMN, Elman):
            cell = initialise(cls(1, p, rng=0), "laes", autoencoder=autoencoder)
            found[cls.__name__].append(relative(cell.forward(scale * x)[0], wanted))
    return found


def of_mixed_lengths(seed):
    """Four noise sequences whose reversed prefixes do not span all there is: exact on them, and on no others."""
    rng = as_rng(seed)
    sequences = [rng.normal(size=(T, 3)) for T in (7, 4, 6, 3)]
    autoencoder = LinearAutoencoder.fit(sequences)
    unseen = rng.normal(size=(7, 1, 3))
    return {
        "rank": autoencoder.size,
        "numbers": 7 * 3,
        "training error": max(relative(autoencoder.reconstruct(x[:, None]), x[:, None]) for x in sequences),
        "unseen error": relative(autoencoder.reconstruct(unseen), unseen),
    }


def relative(found, wanted):
    """The norm of the difference, divided by that of what is wanted."""
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


def draw_errors(axes, errors):
    """Relative errors against units: walks seen, walks unseen, and a fit slice by slice."""
    marks = {
        "training": ("o", "training walks"),
        "unseen": ("s", "unseen walks"),
        "slice by slice": ("x", "training, slice by slice"),
    }
    for (name, (mark, label)), (colour, line) in zip(marks.items(), STYLES, strict=False):
        style = {"color": colour, "linestyle": "" if mark == "x" else line, "marker": mark, "markersize": 4}
        style |= {"markerfacecolor": "white", "label": label}
        axes.plot(errors["p"], errors[name], **style)
    axes.set(xlabel="units p", ylabel="relative error of the reconstruction", yscale="log")
    axes.set_title("Exact with as many units as numbers")
    axes.legend()


def draw_example(axes, examples, x):
    """One unseen walk, and what each autoencoder decodes of it from the last state."""
    times = np.arange(1, len(x) + 1)
    axes.plot(times, x[:, 0, 0], color="black", linewidth=3, alpha=0.35, label="an unseen walk")
    for each, (colour, line) in zip(examples, STYLES, strict=False):
        last = each is examples[-1]
        style = {"marker": "o", "linestyle": "", "markerfacecolor": "none"} if last else {"linestyle": line}
        axes.plot(times, each.reconstruct(x)[:, 0, 0], color=colour, label=f"decoded from p = {each.size}", **style)
    axes.set(xlabel="time step t", ylabel="$x_t$", title="Decoded from the last state")
    axes.legend(fontsize="small")


def draw_memory(axes, examples, steps):
    """The norm of B^j A against j for each autoencoder; returns the columns of a table of them."""
    columns = {"steps": list(range(steps))}
    for each, (colour, line) in zip(examples, STYLES, strict=False):
        norms = np.linalg.norm(each.responses(steps), axis=(1, 2))
        columns[f"p={each.size}"] = norms
        axes.plot(norms, color=colour, linestyle=line, label=f"p = {each.size}")
    axes.axvline(steps // 2, color="grey", linewidth=0.8, linestyle=(0, (1, 2)))
    axes.text(steps // 2, 0.5, " L", color="0.3")
    axes.set(xlabel="steps j since the input", ylabel=r"$\|B^j A\|$", ylim=(-0.05, 1.1))
    axes.set_title("With all units, a delay line in disguise")
    axes.legend()
    return columns


def draw_starts(axes, starts, p):
    """The relative error of the state against the scale of the inputs, for networks started as the autoencoder."""
    for (name, values), (colour, line), mark in zip(starts.items(), STYLES, "os", strict=False):
        axes.plot(SCALES, values, marker=mark, color=colour, linestyle=line, markerfacecolor="white", label=name)
    axes.set(xlabel="scale of the inputs", ylabel="relative error of the state", xscale="log", yscale="log")
    axes.xaxis.set_major_formatter(PlainLogFormatter())
    axes.set_title(f"Networks started as the autoencoder, p = {p}")
    axes.legend()


ANALYSIS = Analysis(
    title="a linear autoencoder for sequences: memory in closed form, and a start for other networks",
    source="Carta, Sperduti & Bacciu 2020, sections 3 and 4; Pasa & Sperduti 2014",
    run=run,
    look="the error falls to rounding when p reaches the number of inputs, for unseen sequences too: B is then a "
    "rotated delay line, which forgets nothing for L steps and everything after; with fewer units it fades slowly. "
    "An LMN keeps this memory outside its tanh, an Elman network inside.",
    errata=(
        "The paper's error E(x) sums over k but writes dec^i and x^(t-i); meant is ||dec^k(h^t) - x^(t-k)||^2.",
        "The text takes no mean off the inputs; its code does, and gives the LMN the bias b_m = -A mean.",
        "Some texts write B = U^T R U with R the transposed shift; here R moves xi_t to xi_(t-1), and B = U^T R^T U.",
    ),
)
