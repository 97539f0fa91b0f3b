"""Basins of attraction in a plane: where two tanh units end from everywhere, and how much their start matters."""

from typing import Annotated

import numpy as np

from tinyrnn.cells.elman import Elman
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.plots import new_figure

SHADES = ("#cfe2f3", "#fde0c5", "#d5ead9", "#efd9e8")


def run(
    weights: Annotated[tuple[float, ...], "W, row by row, of h_t = tanh(W h_{t-1})"] = (1.7, 0.25, -0.1, 1.5),
    steps: Annotated[int, "time steps T of the network"] = 12,
    points: Annotated[int, "starts along each side of the square"] = 161,
):
    """Where each start ends, and the norm of its Jacobian over T steps by the network's backward pass; a `Result`."""
    if len(weights) != 4 or steps < 1 or points < 3:
        raise ValueError("weights must be 4 numbers, steps at least 1 and points at least 3")
    cell = two_units(np.reshape(weights, (2, 2)))
    side = np.linspace(-1, 1, points)
    starts = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    ends = after(cell, starts, 400)
    attractors = np.unique(np.round(ends[stands(cell, ends)], 3), axis=0)
    distances = np.linalg.norm(ends[:, None] - attractors, axis=-1) if len(attractors) else np.ones((len(ends), 1))
    basin = np.where(distances.min(axis=1) < 0.01, distances.argmin(axis=1), -1)
    norms = np.linalg.norm(jacobians(cell, starts, steps), ord=2, axis=(1, 2))
    image, sizes = basin.reshape(points, points), norms.reshape(points, points)
    edge = border(image)
    numbers = {
        "attractors": attractors,
        "starts that end there": [int((basin == k).sum()) for k in range(len(attractors))],
        "median norm of the Jacobian at a border": float(np.median(sizes[edge])) if edge.any() else None,
        "median norm elsewhere": float(np.median(sizes[~edge])),
        "largest norm": float(norms.max()),
    }
    at = "no border" if not edge.any() else f"{numbers['median norm of the Jacobian at a border']:.3g} at a border"
    lines = (
        f"{len(attractors)} attractors: " + ", ".join(f"({x:.3f}, {y:.3f})" for x, y in attractors),
        f"norm of the Jacobian over {steps} steps (median): {at}, {numbers['median norm elsewhere']:.2g} elsewhere",
    )
    table = {"x": starts[:, 0], "y": starts[:, 1], "basin": basin, "norm": norms}
    return Result(draw(side, image, sizes, attractors, cell, steps), numbers, {"starts": table}, lines)


def two_units(W):
    """An `Elman` network of two units whose inputs count for nothing; W (2, 2), acting on columns."""
    cell = Elman(1, 2, rng=0)
    for name, value in {"W_x": 0.0, "W_h": W.T, "b": 0.0}.items():
        cell.params[name][...] = value
    return cell


def after(cell, starts, steps):
    """(N, 2): the states after so many steps from each start."""
    return cell.forward(np.zeros((steps, len(starts), 1)), (starts,))[1].state[0]


def stands(cell, states):
    """(N,) booleans: whether a state stays where it is, and comes back if it is pushed a little."""
    pushed = after(cell, states + 1e-4, 400)
    return (abs(after(cell, states, 1) - states).max(axis=1) < 1e-6) & (abs(pushed - states).max(axis=1) < 1e-6)


def jacobians(cell, starts, steps):
    """(N, 2, 2) dh_T/dh_0, a row for each unit of h_T, each by a backward pass."""
    x, rows = np.zeros((steps, len(starts), 1)), []
    for unit in np.eye(2):
        _, tape = cell.forward(x, (starts,))
        back = cell.backward(np.zeros((steps, len(starts), 2)), tape, (np.tile(unit, (len(starts), 1)),))
        rows.append(back.state[0])
    return np.stack(rows, axis=1)


def border(image):
    """Booleans: where a neighbour to the right or above ends elsewhere."""
    edge = np.zeros(image.shape, bool)
    edge[:, :-1] |= image[:, 1:] != image[:, :-1]
    edge[:-1] |= image[1:] != image[:-1]
    return edge


def draw(side, image, sizes, attractors, cell, steps):
    """Left the basins, with some ways through them; right the norm of the Jacobian."""
    figure, (left, right) = new_figure(1, 2, (11.5, 5.2))
    extent, picture = (-1, 1, -1, 1), {"origin": "lower", "interpolation": "nearest"}
    colours = np.array([[int(shade[k : k + 2], 16) / 255 for k in (1, 3, 5)] for shade in SHADES])
    left.imshow(np.where((image < 0)[..., None], 1.0, colours[image % len(SHADES)]), extent=extent, **picture)
    few = np.stack(np.meshgrid(*[np.linspace(-0.9, 0.9, 6)] * 2), axis=-1).reshape(-1, 2)
    h, _ = cell.forward(np.zeros((steps, len(few), 1)), (few,))
    ways = np.concatenate([few[None], h])
    left.plot(*ways.transpose(2, 0, 1), color="0.35", linewidth=0.8, marker=".", markersize=2)
    left.plot(*attractors.T, "*", color="black", markersize=13)
    left.set(title="Where each start ends", xlabel="unit 1", ylabel="unit 2")
    shown = np.log10(np.maximum(sizes, 1e-6))
    bar = figure.colorbar(right.imshow(shown, cmap="cividis", extent=extent, **picture), ax=right)
    bar.set_label(rf"$\log_{{10}}\Vert\partial h_{{{steps}}}\,/\,\partial h_0\Vert$")
    right.set(title="How much the start matters", xlabel="unit 1", ylabel="unit 2")
    figure.suptitle("Two tanh units: inside a basin gradients vanish, on its border they explode")
    return figure


ANALYSIS = Analysis(
    title="basins of attraction of two tanh units, and the gradient inside them and on their borders",
    source="Grosse 2018, lecture 16, section 2.2 (Hinton's attractors)",
    run=run,
    look="all starts within a basin end at its star, so that it hardly matters where in it one began: the gradient "
    "vanishes. Only along the borders does a small change decide where one ends, and there it explodes.",
    errata=("The lecture tells this of networks in words and draws it in one dimension; the weights here are ours.",),
)
