"""What the functions of exercise 8 are called with: sizes that all differ, memories as after some updates, and digits.

The digits are MNIST's where its files are (`tinyrnn.tasks.data` says where it looks): those of its test file, the first
8000 to learn from and the others to be judged by. Elsewhere digits are made up; nothing is downloaded.
"""

from functools import cache

import numpy as np

from tinyrnn.tasks import data

TO_LEARN, LEARNT, TO_JUDGE = 8000, 1000, 1000  # images: to draw from, drawn, and those that a network is judged by
FILES = ("mnist/t10k-images-idx3-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz")
GLYPHS = (
    "###|# #|# #|# #|###",
    " # |## | # | # |###",
    "###|  #|###|#  |###",
    "###|  #| ##|  #|###",
    "# #|# #|###|  #|  #",
    "###|#  |###|  #|###",
    "#  |#  |###|# #|###",
    "###|  #| # | # | # ",
    "###|# #|###|# #|###",
    "###|# #|###|  #|  #",
)


def sizes(rng, low, high, number):
    """`number` different sizes from `low` to `high`."""
    return [int(size) for size in rng.permutation(np.arange(low, high + 1))[:number]]


# optimisers and clipping ----------------------------------------------------------------------------------------------


def plain_rmsprop(rng):
    shape = sizes(rng, 3, 6, 2)
    w, dw = rng.normal(size=(2, *shape))
    rest = {"lr": float(rng.uniform(0.05, 0.2)), "rho": float(rng.uniform(0.7, 0.95)), "eps": 0.05}
    return {"w": w, "dw": dw, "v": rng.uniform(0.1, 2, size=shape), **rest}


def plain_adam(rng):
    case = nadam(rng)
    return {name: value for name, value in case.items() if name != "decay"}


def centred(rng):
    """v is larger than a², as the mean of squares always is."""
    shape = sizes(rng, 3, 6, 2)
    w, dw, a, delta = rng.normal(size=(4, *shape))
    rates = {"lr": rng.uniform(0.05, 0.2), "rho": rng.uniform(0.7, 0.95), "mu": rng.uniform(0.5, 0.9), "eps": 0.1}
    memory = {"v": a**2 + rng.uniform(0.1, 1, size=shape), "a": a, "delta": 0.2 * delta}
    return {"w": w, "dw": dw, **memory, **{name: float(value) for name, value in rates.items()}}


def nadam(rng):
    shape, t = sizes(rng, 3, 6, 2), int(rng.integers(2, 6))
    w, dw, m = rng.normal(size=(3, *shape))
    memory = {"m": 0.5 * m, "v": rng.uniform(0.1, 1, size=shape), "t": t}
    rates = {
        "lr": rng.uniform(0.05, 0.2),
        "beta1": rng.uniform(0.6, 0.8),
        "beta2": rng.uniform(0.85, 0.95),
        "eps": 0.05,
    }
    return {"w": w, "dw": dw, **memory, **{name: float(value) for name, value in rates.items()}, "decay": 0.2}


def explosions(rng):
    """Gradients of ten updates, in random order: usual, loud, faint and huge ones, zeros, NaN and infinity."""
    shapes = {"Wx": sizes(rng, 3, 6, 2), "Wh": sizes(rng, 2, 5, 2), "b": (7,)}
    scales = rng.permutation([1, 1, 1, 0.1, 8, 40, 0, 1e200, np.inf, np.nan])
    grads = []
    for scale in scales:
        each = {name: rng.normal(size=shape) for name, shape in shapes.items()}
        if np.isfinite(scale):
            each = {name: scale * g for name, g in each.items()}
        else:
            each["Wh"][1, 0] = scale
        grads.append(each)
    return {"grads": grads, "average": float(rng.uniform(4, 6)), "room": float(rng.uniform(1.5, 2.5))}


# the cell -------------------------------------------------------------------------------------------------------------


def cell(rng, lengths=None):
    B, m, n = sizes(rng, 3, 7, 3) if lengths is None else lengths
    x, h, c = rng.normal(size=(B, m)), rng.uniform(-0.9, 0.9, size=(B, n)), 1.5 * rng.normal(size=(B, n))
    weights = {"Wx": (m, 3 * n), "Wh": (n, 3 * n), "p": (2, n), "b": (3 * n,)}
    return {"x": x, "h_prev": h, "c_prev": c, **{name: 0.6 * rng.normal(size=s) for name, s in weights.items()}}


def cell_backward(rng, lengths=None):
    """As if `cell_step` had run: gates in (0, 1), g in (-1, 1); the backward pass must take them as they come."""
    case = cell(rng, lengths)
    shape = case["c_prev"].shape
    dh, dc, c, g = rng.normal(size=(4, *shape))
    f, o = rng.uniform(0.1, 0.9, size=(2, *shape))
    given = {name: a for name, a in case.items() if name != "b"}
    return {"dh": dh, "dc": dc, **given, "f": f, "o": o, "g": np.tanh(g), "c": 1.5 * c}


# training -------------------------------------------------------------------------------------------------------------


def adding(rng):
    return {"T": int(rng.integers(16, 25)), "seed": int(rng.integers(2**31))}


def unseen_sums(T):
    """1000 sequences of the adding task to be judged by: x (T, 1000, 2) and the sums (1000, 1)."""
    rng = np.random.default_rng([8, T])
    values, marks = rng.random((T, TO_JUDGE)), np.zeros((T, TO_JUDGE))
    for low, high in ((0, T // 2), (T // 2, T)):
        marks[rng.integers(low, high, size=TO_JUDGE), np.arange(TO_JUDGE)] = 1
    return np.stack([values, marks], axis=-1), (values * marks).sum(axis=0)[:, None]


def digits(rng):
    images, labels, source = all_digits()
    chosen = rng.permutation(TO_LEARN)[:LEARNT]
    return {"images": images[chosen], "labels": labels[chosen], "source": source, "seed": int(rng.integers(2**31))}


def unseen_digits():
    """1000 digits to be judged by, none of which anybody learns from: images (1000, 28, 28), labels (1000,)."""
    images, labels, _ = all_digits()
    return images[TO_LEARN : TO_LEARN + TO_JUDGE], labels[TO_LEARN : TO_LEARN + TO_JUDGE]


@cache
def all_digits():
    """images (N, 28, 28), bytes, labels (N,), integers, and where they are from."""
    try:
        if all(data.local(name) is not None for name in FILES):
            images, labels = data.mnist("test")
            if len(images) >= TO_LEARN + TO_JUDGE:
                return images, labels.astype(np.int64), "MNIST"
    except (OSError, ValueError):  # whatever is wrong with the files: checks must go on without them
        pass
    return *made_up(np.random.default_rng(8), TO_LEARN + TO_JUDGE), "made up, as MNIST is not on this machine"


def made_up(rng, number):
    """images (number, 28, 28), bytes, and labels: a printed digit somewhere in each, slanted, smudged, with noise."""
    shapes = np.array([[[c == "#" for c in row] for row in glyph.split("|")] for glyph in GLYPHS], dtype=float)
    shapes = shapes.repeat(4, axis=1).repeat(4, axis=2)  # (10, 20, 12)
    labels = rng.integers(0, 10, size=number)
    top, left = rng.integers(2, 7, size=number), rng.integers(6, 11, size=number)
    slant, ink = rng.uniform(-0.2, 0.2, size=number), rng.uniform(0.6, 1, size=number)
    row = np.arange(20)
    columns = left[:, None] + np.round(slant[:, None] * (row - 10)).astype(int)  # (number, 20)
    images = np.zeros((number, 28, 28))
    which = np.arange(number)[:, None, None]
    at = (columns[:, :, None] + np.arange(12)) % 28
    images[which, (top[:, None] + row)[:, :, None], at] = ink[:, None, None] * shapes[labels]
    images *= rng.random(images.shape) > 0.1
    images = (
        images + np.roll(images, 1, axis=1) + np.roll(images, 1, axis=2) + np.roll(images, (1, 1), axis=(1, 2))
    ) / 4
    images = np.clip(images + 0.1 * rng.normal(size=images.shape), 0, 1)
    return np.round(255 * images).astype(np.uint8), labels
