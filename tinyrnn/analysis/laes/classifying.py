"""Labels from the final state of a linear autoencoder: LAES-Linear, LAES-SVM and LAES-FF of Carta, Sperduti & Bacciu
2020 (section 5.1). The autoencoder was found without the labels, and stays as it is.

All take the states of N sequences, (N, p) numbers, and their labels, (N,) whole numbers from 0.
"""

from typing import Any

import numpy as np

from tinyrnn.cells import Elman
from tinyrnn.core.backend import as_rng
from tinyrnn.core.progress import Bar
from tinyrnn.core.types import Array
from tinyrnn.nn.heads import Readout
from tinyrnn.nn.layers import Stack
from tinyrnn.nn.model import Model
from tinyrnn.nn.ridge import Regression
from tinyrnn.optim.optimisers import Adam

GRID = tuple(4.0**e for e in range(-4, 4))  # of the paper's code
ROWS = 1000


def states(autoencoder: Any, images: Array, order: Array | None = None, scale: float = 1.0) -> Array:
    """(N, p) final states for images (N, L), one sequence of single numbers a row, of any dtype.

    order: (L,) the columns in the order in which they are read. scale: what the numbers are multiplied by. A thousand
    rows at a time are converted, so that no second copy of the images is made.
    """
    out = np.empty((len(images), autoencoder.size))
    for start in range(0, len(images), ROWS):
        rows = images[start : start + ROWS] if order is None else images[start : start + ROWS][:, order]
        out[start : start + ROWS] = autoencoder.final((rows * scale).T[:, :, None])
    return out


def accuracy(scores: Array, labels: Array) -> float:
    """Share of the rows of scores (N, classes) whose largest entry is at the label."""
    return float(np.mean(np.argmax(scores, axis=1) == labels))


def linear(m: Array, labels: Array, classes: int = 10) -> Any:
    """LAES-Linear: W_o (p, classes) that maps the states to one-hot labels by least squares, without a bias."""
    check(m, labels)
    regression = Regression()
    for start in range(0, len(m), ROWS):
        regression.add(m[start : start + ROWS], np.eye(classes)[labels[start : start + ROWS]])
    return regression.solve(0, bias=False)[0]


def svm(m: Array, labels: Array, C: float = 1.0) -> Any:
    """LAES-SVM: scikit-learn's `SVC` with a linear kernel (one against one), fitted. ImportError if it is missing."""
    check(m, labels)
    try:
        from sklearn.svm import SVC
    except ImportError:
        raise ImportError("LAES-SVM needs scikit-learn: pip install 'tinyrnn[svm]'") from None
    return SVC(C=C, kernel="linear", cache_size=1000).fit(m, labels)


def best_svm(
    m: Array, labels: Array, valid_m: Array, valid_labels: Array, grid: Any = GRID, rows: int | None = None
) -> Any:
    """The C of the grid that is most accurate on the validation states, the smallest if several are; and {C: accuracy}.

    rows: fit to the first so many states only, to save time; None: to all.
    """
    found = {C: float(svm(m[:rows], labels[:rows], C).score(valid_m, valid_labels)) for C in sorted(grid)}
    return max(found, key=found.__getitem__), found


def feedforward(
    m: Array,
    labels: Array,
    layers: int = 1,
    units: int = 128,
    classes: int = 10,
    *,
    epochs: int = 100,
    batch: int = 64,
    lr: float = 1e-3,
    decay: float = 1e-5,
    rng: int = 0,
) -> Any:
    """LAES-FF: a feed-forward network of tanh layers and a softmax on the states, trained by Adam; returns a `Model`.

    An Elman network that runs for one step from a zero state is a tanh layer, so that a `Stack` of them is the network,
    with the package's own backward pass; apply it to m[None]. decay: of the weights, added to the gradient.
    """
    check(m, labels)
    for name, value in {"layers": layers, "units": units, "epochs": epochs, "batch": batch}.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    rng = as_rng(rng)
    common: dict[str, Any] = {"rng": rng, "dtype": "float32"}
    stack = Stack(*[Elman(units if k else m.shape[1], units, **common).interpret() for k in range(layers)])
    model = Model(stack, Readout(units, classes, **common), loss="cross_entropy", at="last")
    m, labels = np.asarray(m, "float32"), np.asarray(labels, "int64")
    optimiser = Adam(lr)
    unused = {name for name in model.params if name.endswith(".W_h")}  # they meet the zero state only
    trained = {name: value for name, value in model.params.items() if name not in unused}
    for _ in Bar(range(epochs), desc=f"LAES-FF, {layers} layers", unit="epoch", disable=None, leave=False):
        order = rng.permutation(len(m))
        for start in range(0, len(m), batch):
            rows = order[start : start + batch]
            back = model.gradients(m[None, rows], labels[rows])
            optimiser.step(trained, {name: back.params[name] + decay * value for name, value in trained.items()})
    return model


def check(m: Array, labels: Array) -> Any:
    """ValueError unless there are states (N, p) and whole-numbered labels (N,)."""
    if np.ndim(m) != 2 or np.shape(labels) != (len(m),) or np.asarray(labels).dtype.kind not in "iu" or not len(m):
        raise ValueError(f"states (N, p) and labels (N,) are wanted, got {np.shape(m)} and {np.shape(labels)}")
