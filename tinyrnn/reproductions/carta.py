"""Carta, Sperduti & Bacciu 2020, "Short-Term Memory Optimization in RNNs by Autoencoder-based Initialization"."""

from tinyrnn.reproductions.claims import Better, Reaches
from tinyrnn.reproductions.computed import AUTOENCODER, DIGITS, GRADIENTS, ON_DIGITS
from tinyrnn.reproductions.entry import CARTA, Reproduction, at, images
from tinyrnn.sweeps.plan import Sweep

OURS = {"gradient": {}, "laes": {"init": "laes", "readout": "ridge-start"}, "ortho": {"init": "ortho"}}
ROWS = {
    "RNN-ortho": {"cell": "elman", **OURS["ortho"]},
    "RNN-laes": {"cell": "elman", **OURS["laes"]},
    "LMN-ortho": {"cell": "lmn", **OURS["ortho"]},
    "LMN-laes": {"cell": "lmn", **OURS["laes"]},
}
FAST = {name: {**row, "lr": 1e-3} if "ortho" in name else row for name, row in ROWS.items()}  # for a few updates
EPOCHS_100 = 78_125  # updates in a hundred epochs
OTHERS = {
    "LSTM": {"cell": "lstm"},
    "ASRNN": {"cell": "antisymmetric"},
    "ASRNN gated": {"cell": "antisymmetric-gated"},
}
PENALTIES = {"regularisers.norm-stabiliser": [0.0, 1.0, 10.0, 100.0]}
ORTHOGONAL = {"regularisers.soft-orthogonality": [0.0, 1e-5, 1e-4, 1e-3, 1e-2]}
DETACHED = {"detach": [0.0, 0.1, 0.25, 0.5, 1.0]}
GRIDS = {
    "RNN-ortho": {**PENALTIES, **ORTHOGONAL},
    "RNN-laes": PENALTIES,
    "LMN-ortho": {**PENALTIES, **ORTHOGONAL, **DETACHED},
    "LMN-laes": {**PENALTIES, **DETACHED},
}
PUBLISHED = {
    "pixels": {"RNN-ortho": 0.772, "RNN-laes": 0.970, "LMN-ortho": 0.953, "LMN-laes": 0.985, "LSTM": 0.978},
    "permuted": {"RNN-ortho": 0.849, "RNN-laes": 0.918, "LMN-ortho": 0.946, "LMN-laes": 0.960, "LSTM": 0.913},
}


def pixels(scale):
    """Table 1, one sweep for each order: 50 000 images to train on, 10 000 to choose by, batches of 64, norm 10."""
    updates = at(scale, 40, 1562, EPOCHS_100)  # the middle one: 2 epochs
    return {
        order: Sweep(
            shared={
                **{"task": "mnist", "task_options": {"order": order, **images(scale)}, "hidden": 128, "batch": 64},
                **{"optimiser": "adam", "optimiser_options": {"weight_decay": 1e-5}, "clip_norm": 10.0, "lr": 1e-4},
                **{"updates": updates, "test_every": updates // at(scale, 2, 10, 100), "keep_best": True, "threads": 1},
            },
            contenders={**at(scale, FAST, ROWS, ROWS), **at(scale, {}, {}, OTHERS)},
            grid=at(scale, {}, {}, {"lr": [1e-3, 1e-4, 1e-5]}),
            seeds=at(scale, 3, 1, 1),
            grids=at(scale, {}, {}, GRIDS),
        )
        for order in ("pixels", "permuted")
    }


UNITARY = {
    "FC-uRNN": {"cell": "urnn-full"},
    "EURNN": {"cell": "eurnn"},
    "KRU": {"cell": "kronecker"},
    "LSTM": {"cell": "lstm", "clip_value": 1.0},
}
PUBLISHED_UNITARY = {
    "pixels": {"FC-uRNN": 0.969, "KRU": 0.964, "LSTM": 0.978},
    "permuted": {"FC-uRNN": 0.941, "EURNN": 0.937, "KRU": 0.945, "LSTM": 0.913},
}


def unitary(scale):
    """Table 1, the rows quoted from elsewhere of networks kept unitary, with the LSTM after the same few updates."""
    updates = at(scale, 20, 300, EPOCHS_100)
    few = at(scale, {"valid": 500, "tested": 1000}, {"valid": 1000, "tested": 2000}, images("paper"))
    large = {"FC-uRNN": {"hidden": 512}, "EURNN": {"hidden": 1024}, "KRU": {"hidden": 512}}
    return {
        order: Sweep(
            shared={
                **{"task": "mnist", "task_options": {"order": order, **few}, "hidden": at(scale, 64, 128, 128)},
                **{"batch": at(scale, 20, 20, 64), "optimiser": "rmsprop", "lr": 1e-3, "updates": updates},
                **{"test_every": updates // at(scale, 2, 3, 100), "keep_best": True, "threads": 1},
            },
            contenders={name: {**row, **at(scale, {}, {}, large.get(name, {}))} for name, row in UNITARY.items()},
        )
        for order in PUBLISHED_UNITARY
    }


def remembering(scale):
    """Figure 2b; at half and paper of networks that have been trained to tell digits apart."""
    half = {"fitted": 20_000, "updates": 1000}
    return {"lags": at(scale, {}, half, {"fitted": 50_000, "updates": EPOCHS_100})}


def drawing(scale):
    """Figure 3; at half and paper of networks trained as autoencoders."""
    half = {"images": 20_000, "updates": 2000}
    return {"digits": at(scale, {}, half, {"images": 50_000, "updates": EPOCHS_100})}


def claims(order):
    """What Table 1 has of one order."""
    rates = {"measure": "test_accuracy", "higher": True}
    reached = (
        Reaches(f"{name}: {100 * value:.1f} %", name, value, 0.01, "test_accuracy", EPOCHS_100)
        for name, value in PUBLISHED[order].items()
        if name in ROWS
    )
    return (
        Better("an autoencoder's start is ahead of an orthogonal one: RNN", "RNN-laes", "RNN-ortho", **rates),
        Better("an autoencoder's start is ahead of an orthogonal one: LMN", "LMN-laes", "LMN-ortho", **rates),
        Better("the LMN is ahead of the RNN from the same start", "LMN-laes", "RNN-laes", **rates),
        *reached,
    )


CARTAS = {
    "carta-laes": Reproduction(
        CARTA, "§2", "the linear autoencoder in closed form, and what can be classified by it",
        analyses=("laes", "diagrams"),
        claims=AUTOENCODER,
    ),
    "carta-t1": Reproduction(
        CARTA, "Table 1", "MNIST pixel by pixel, two orders: RNN and LMN, orthogonal and autoencoder starts", pixels,
        claims={order: claims(order) for order in PUBLISHED},
        published=PUBLISHED,
        ours="at quick and half no penalties, 1/20 of an epoch and 2 epochs of the source's 100; at quick 40 "
        "updates, at 1e-3 from orthogonal starts and at 1e-4 from autoencoders, the first 1000 images to test on",
    ),
    "carta-t1-unitary": Reproduction(
        CARTA, "Table 1, rows quoted from others", "MNIST pixel by pixel: unitary networks, after a few updates",
        unitary,
        published=PUBLISHED_UNITARY,
        ours="everything but the cells: 128 units of the rows' 512 to 1024, RMSProp at 1e-3, batches of 20 and 300 "
        "updates at half, a tenth of an epoch; that decides nothing of the accuracies, so that no verdict is given",
    ),
    "carta-t1-linear": Reproduction(
        CARTA, "Table 1, rows LAES", "classifying the states of the autoencoder", analyses=("laes-mnist",),
        claims=ON_DIGITS,
    ),
    "carta-f2": Reproduction(
        CARTA, "Figure 2", "gradients over 784 steps, and what a state still knows of its past",
        analyses=("detach", "lags", "capacity", "markovian"),
        options=remembering,
        claims=GRADIENTS,
    ),
    "carta-f3": Reproduction(
        CARTA, "Figure 3", "digits as four networks remember them", analyses=("digits",), options=drawing,
        claims=DIGITS,
        ours="at quick no network is trained; at half 2000 updates of the source's 78 125",
    ),
}  # fmt: skip
