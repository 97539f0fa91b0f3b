"""Every cell on the copy and on the adding task, T = 100, with the settings of its source, three minutes at most a run.

Where a source did not run the task, or does not say, its other settings are filled in by ours: Adam at 1e-3, falling as
a cosine, the gradient clipped to norm 1. The last column of the table says which is which. The number of updates is
ours throughout: what a run of three minutes on one core has room for.
"""

OURS = {"optimiser": "adam", "lr": 1e-3, "schedule": "cosine", "clip_norm": 1.0, "hidden": 128}
NOT_SAID = "ours"

# Arjovsky, Shah & Bengio 2015: RMSProp at 1e-3; all but the unitary network are clipped entry by entry.
ARJOVSKY = {"optimiser": "rmsprop", "lr": 1e-3}
CLIPPED = {**ARJOVSKY, "clip_value": 1.0}
FROM_ARJOVSKY = "Arjovsky, Shah & Bengio 2015"

# Henaff, Szlam & LeCun 2016: RMSProp, gradients over T, activations clipped, 80 units for copy and 128 for adding.
HENAFF = {"optimiser": "rmsprop", "lr": 1e-4, "average": True, "clip_state": 1000.0, "batch": 50}
FROM_HENAFF = "Henaff, Szlam & LeCun 2016; rate, batch and bound of the activations ours"

# Orhan & Pitkow 2020: Keras' RMSProp, norm 10, batches of 16, 100 units, ELU for copy and ReLU for adding.
ORHAN = {"optimiser": "rmsprop", "optimiser_options": {"variant": "keras"}, "clip_norm": 10.0, "batch": 16}
ORHAN |= {"hidden": 100, "lr": 3e-4}
FROM_ORHAN = "Orhan & Pitkow 2020; rate and gain out of their grid"

# Carta, Sperduti & Bacciu 2020, for pixels: Adam, norm 10, batches of 64, 128 units.
CARTA = {"optimiser": "adam", "lr": 1e-3, "clip_norm": 10.0, "batch": 64, "hidden": 128}
FROM_CARTA = "Carta, Sperduti & Bacciu 2020, as for pixels"

# Jing et al. 2017: RMSProp at 1e-3, batches of 128. Lezcano-Casado & Martínez-Rubio 2019: RMSProp, 190 units, batches
# of 128, and a tenth of the rate for the skew matrix, which is not done here.
JING = {"optimiser": "rmsprop", "lr": 1e-3, "batch": 128, "hidden": 128}
LEZCANO = {"optimiser": "rmsprop", "lr": 2e-4, "batch": 128, "hidden": 190}


def both(settings, origin, **more):
    """The same settings on both tasks."""
    return {"copy": {**settings, **more}, "adding": {**settings, **more}}, origin


def henaff(copy_cell, adding_cell, lr):
    """A cell with the settings of Henaff, Szlam & LeCun, and where they are from."""
    copy = {**HENAFF, "cell": copy_cell, "hidden": 80, "lr": lr}
    return {"copy": copy, "adding": {**copy, "cell": adding_cell, "hidden": 128}}, FROM_HENAFF


def orhan(init, **options):
    """The Elman network of Orhan & Pitkow from an initialiser, and where its settings are from."""
    shared = {**ORHAN, "init": init, "init_options": options}
    return {"copy": {**shared, "cell": "elman-elu"}, "adding": {**shared, "cell": "elman-relu"}}, FROM_ORHAN


def arjovsky(cell, copy_units, adding_units, **settings):
    """A cell with the settings of Arjovsky, Shah & Bengio, and where they are from."""
    shared = {"cell": cell, **(settings or CLIPPED)}
    return {"copy": {**shared, "hidden": copy_units}, "adding": {**shared, "hidden": adding_units}}, FROM_ARJOVSKY


def ours(cell, **more):
    """A cell whose source has no settings for these tasks, with our own."""
    return both({**OURS, "cell": cell, **more}, NOT_SAID)


# label -> ({task: settings}, where they come from). The networks in the tables of the five sources, three seeds each …
IN_TABLES = {
    "tanh": arjovsky("elman", 80, 128),
    "irnn": arjovsky("irnn", 80, 128, **{**CLIPPED, "lr": 1e-8}),
    "lstm, matrix on o": arjovsky("lstm-output-matrix", 40, 128),
    "urnn": arjovsky("urnn", 128, 512, **ARJOVSKY),
    "lstm": henaff("lstm", "lstm", 1e-3),
    "lt-ornn": henaff("lt-ornn", "lt-ornn-relu", 1e-4),
    "lt-irnn": henaff("lt-irnn", "lt-irnn", 1e-4),
    "identity": orhan("identity", scale=1.0),
    "orthogonal": orhan("orthogonal", scale=1.0),
    "chain": orhan("chain", alpha=1.02),
    "feedback chain": orhan("feedback-chain", alpha=0.99, beta=0.04),
    "lmn-ortho": both(CARTA, FROM_CARTA, cell="lmn"),
    "antisymmetric": ours("antisymmetric"),
    "antisymmetric-gated": ours("antisymmetric-gated"),
    "urnn-full": both(ARJOVSKY, "Wisdom et al. 2016; rates ours", cell="urnn-full", hidden=128, manifold_lr=1e-3),
    "eurnn": both(JING, "Jing et al. 2017", cell="eurnn"),
    "kronecker": ours("kronecker"),
}
# … and all others, one seed each.
OTHERS = {
    "eurnn-fft": both(JING, "Jing et al. 2017", cell="eurnn-fft"),
    "urnn-naive": both(ARJOVSKY, "as the unitary network of the same source", cell="urnn-naive", hidden=128),
    "exprnn": both(LEZCANO, "Lezcano-Casado & Martínez-Rubio 2019", cell="exprnn"),
    "orthogonal-naive": both(LEZCANO, "as the exponential RNN, of the same step", cell="orthogonal-naive"),
    "householder": ours("householder"),
    "svd-rnn": ours("svd-rnn"),
    "lstm-peephole": ours("lstm-peephole"),
    "gru": ours("gru"),
    "gru-cho": ours("gru-cho"),
    "lmn-multiscale": ours("lmn-multiscale", hidden=64),
    "multiplicative": ours("multiplicative"),
    "scrn": ours("scrn"),
    "qrnn": ours("qrnn"),
    "qrnn-f": ours("qrnn-f"),
    "qrnn-ifo": ours("qrnn-ifo"),
    "esn": both({"cell": "esn", "readout": "ridge", "hidden": 256, "clip_norm": 0.0}, NOT_SAID),
    "lt-ornn, closed form": both({"cell": "lt-ornn", "readout": "ridge", "hidden": 256}, NOT_SAID),
    "lt-ornn-tanh": ours("lt-ornn-tanh"),
    "elman-identity": ours("elman-identity"),
}
NETWORKS = {**IN_TABLES, **OTHERS}

EXAMPLES = {"copy": 40_000, "adding": 80_000}  # sequences a run, unless that would take more than three minutes
FEWER = {
    ("kronecker", "copy"): 30_000,
    ("kronecker", "adding"): 40_000,
    ("urnn", "adding"): 40_000,
    ("eurnn-fft", "adding"): 40_000,
}


def contenders(task, part=1):
    """label -> settings, on "copy" or "adding", with 1/part of the sequences."""
    found = {}
    for label, (settings, _) in NETWORKS.items():
        own = {"threads": 1, "batch": 20, **settings[task]}
        examples = FEWER.get((label, task), EXAMPLES[task])
        found[label] = {**own, "updates": examples // own["batch"] // part}
    return found


def seeds():
    """label -> runs at most, of those that get fewer than are asked for."""
    return dict.fromkeys(OTHERS, 1)


def notes():
    """label -> where its settings come from."""
    return {label: origin for label, (_, origin) in NETWORKS.items()}
