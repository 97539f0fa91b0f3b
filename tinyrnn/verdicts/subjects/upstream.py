"""Gradients from above for a backward function, and the loss that they are the gradient of."""

import numpy as np

from tinyrnn.verdicts.record.run import floats

SMALL = 2.0**-16  # of gradients from above, so that nothing is clipped


def from_above(passes, returned, given, rng):
    """Gradients from above, a list in the order of the outputs: random but for those given, {argument: like the
    output}, and those that are numbers by default, as in `backward(self, dout=1)`; 1 for a loss alone.

    Raises ValueError for one given that the backward function does not take, and for outputs that are not floats.
    """
    outputs, _ = passes.split(returned)
    if unknown := [name for name in given if name not in passes.above]:
        raise ValueError(
            f"{passes.backward.__name__} takes no gradient from above called {unknown[0]!r}; "
            f"it takes {', '.join(passes.above) or 'none'}"
        )
    if not passes.above:
        return [1.0]
    places = sorted(set(passes.above.values()))
    by_default = {name: float(value) for name, value in passes.fixed.items() if not isinstance(value, bool)}
    chosen = {places.index(passes.above[name]): value for name, value in (by_default | dict(given)).items()}
    likes = {places.index(place): like for place, like in passes.likes.items()}
    return [chosen[k] if k in chosen else random_like(likes.get(k, output), rng) for k, output in enumerate(outputs)]


def random_like(output, rng):
    """Standard normal floats nested and shaped like an output; ValueError for what is not floats."""
    if isinstance(output, dict):
        return {key: random_like(value, rng) for key, value in output.items()}
    if isinstance(output, tuple | list):
        return type(output)(random_like(value, rng) for value in output)
    value = floats(output)
    if value is None:
        raise ValueError(f"the forward function's outputs must be arrays of floats, got {type(output).__name__}")
    return rng.normal(size=value.shape) if value.shape else float(rng.normal())


def dot(up, output):
    """The sum of products of two nests of one structure, without conjugation: the loss whose gradients are judged."""
    if isinstance(output, dict):
        return sum(dot(up[key], output[key]) for key in output)
    if isinstance(output, tuple | list):
        return sum(dot(u, o) for u, o in zip(up, output, strict=True))
    if np.ndim(up) != np.ndim(output) and np.size(up) == np.size(output):
        up = np.reshape(up, np.shape(output))  # a row or a column, as the backward function wants it
    return np.sum(up * output)


def as_wanted(above, runs):
    """The gradients from above with the vectors as rows, or as columns, where the backward function runs with them only
    so. runs: whether it does, function of a list like `above`."""
    if any(np.ndim(up) == 1 for up in above) and not runs(above):
        for shape in ((1, -1), (-1, 1)):
            turned = [up.reshape(shape) if np.ndim(up) == 1 else up for up in above]
            if runs(turned):
                return turned
    return above


def unclipped(above, came):
    """The gradients from above, smaller by SMALL where the backward pass clips what comes of them. came: function of a
    list like `above` -> the arrays that come out, or None."""
    small = [scaled(up, SMALL) for up in above]
    large, tiny = came(above), came(small)
    if large is None or tiny is None or len(large) != len(tiny):
        return above
    pairs = [(a, b) for a, b in zip(large, tiny, strict=True) if a.shape == b.shape and np.isfinite(a).all()]
    # what stays the same does not depend on what comes from above
    is_cut = any(((abs(a) < (1 - 1e-6) * abs(b / SMALL)) & (a != b)).any() for a, b in pairs)
    return small if is_cut else above


def scaled(up, factor):
    """A nest of arrays times a number."""
    if isinstance(up, dict):
        return {key: scaled(value, factor) for key, value in up.items()}
    if isinstance(up, tuple | list):
        return type(up)(scaled(value, factor) for value in up)
    return factor * up
