"""Arjovsky, Shah & Bengio 2015, "Unitary Evolution Recurrent Neural Networks" (the draft)."""

from dataclasses import replace

from tinyrnn.reproductions.claims import Better, Computed, Reaches, Solves
from tinyrnn.reproductions.computed import NORMS
from tinyrnn.reproductions.entry import ARJOVSKY, Reproduction, at, images
from tinyrnn.sweeps.plan import Sweep

RMSPROP = {"optimiser": "rmsprop", "lr": 1e-3}
CLIPPED = {**RMSPROP, "clip_value": 1.0}
UNSTABLE = (1e-6, 1e-4, 1e-3)  # rates at which an identity RNN is said to be so
FIXED = {"examples": 100_000}  # generated once, as in the code
SHORT = 2000  # updates at half over 750 steps: half an hour of one core
LONGER = {400: 28_000, 750: 100_000}  # updates that the figure has of adding over so many steps; of fewer 15 000


def networks(small, lstm, unitary):
    """The tanh RNN, the LSTM with its output matrix, and the uRNN, with these many units."""
    return {
        "tanh rnn": {"cell": "elman", "hidden": small, "init": "glorot", **CLIPPED},
        "lstm": {"cell": "lstm-output-matrix", "hidden": lstm, **CLIPPED},
        "urnn": {"cell": "urnn", "hidden": unitary, **RMSPROP},
    }


def copy(scale):
    """Figure 1, a panel for each delay."""
    updates = at(scale, 400, 5000, 50_000)
    return {
        f"T={t}": Sweep(
            shared={
                **{"task": "copy", "task_options": {"delay": t}, "updates": updates, "batch": 20, "threads": 1},
                **{**FIXED, "test_every": updates // at(scale, 5, 20, 20), "validate": True},
            },
            contenders=networks(80, 40, 128),
            seeds=at(scale, 3, 2, 1),
            solved=0.2,
        )
        for t in at(scale, (100,), (100, 200, 300, 500), (100, 200, 300, 500))
    }


def nonlinearities(scale):
    """§3.2: the uRNN with modReLU and with ReLU on real and imaginary parts."""
    (panel,) = (sweep for name, sweep in copy(scale).items() if name == "T=100")
    urnn = panel.contenders["urnn"]
    contenders = {"modrelu": urnn, "relu on parts": {**urnn, "cell": "urnn-relu"}}
    return {"T=100": replace(panel, contenders=contenders, seeds=3)}


def adding(scale):
    """Figure 2, a panel for each length."""
    lengths = at(
        scale, {50: 1000}, {100: 15_000, 200: 15_000, 400: 15_000, 750: SHORT}, {100: 15_000, 200: 15_000, **LONGER}
    )
    return {
        f"T={t}": Sweep(
            shared={
                **{"task": "adding", "task_options": {"steps": t}, "updates": updates, "threads": 1},
                **{**FIXED, "test_every": 250 if updates == SHORT else updates // 20, "validate": True},
            },
            contenders=networks(128, 128, at(scale, 128, 512, 512)),
            grid=at(scale, {"batch": [20]}, {"batch": [20]}, {"batch": [20, 50]}),
            solved=0.3,
        )
        for t, updates in lengths.items()
    }


def rates(scale):
    """§4: the identity RNN at 1e-8, and at rates that the others are trained with."""
    (panel,) = (sweep for name, sweep in copy(scale).items() if name == "T=100")
    updates = at(scale, 500, 5000, 50_000)
    irnn = {"cell": "irnn", "hidden": 80, **CLIPPED}
    contenders = {f"rate {rate:g}": {**irnn, "lr": rate} for rate in (1e-8, *UNSTABLE)}
    shared = {**panel.shared, "updates": updates, "test_every": updates // at(scale, 5, 20, 20)}
    return {"T=100": replace(panel, shared=shared, contenders=contenders, seeds=3)}


def batches(scale):
    """Figure 2's choice: batches of 20 and of 50, the better one by validation, after as many updates of each."""
    updates, steps = at(scale, 1000, 5000, 15_000), at(scale, 50, 100, 200)
    (plan, *_) = adding(scale).values()
    shared = {**plan.shared, "task_options": {"steps": steps}, "updates": updates, "test_every": updates // 20}
    units = at(scale, (64, 64, 64), (128, 128, 128), (128, 128, 512))
    return {f"T={steps}": replace(plan, shared=shared, contenders=networks(*units), grid={"batch": [20, 50]})}


def pixels(scale):
    """§4.3, and the table of the first published version."""
    updates = at(scale, 200, 4000, 240_000)
    return {
        order: Sweep(
            shared={
                **{"task": "mnist", "task_options": {"order": order, **images(scale)}, "updates": updates},
                **{"batch": 20, "threads": 1, "test_every": updates // at(scale, 2, 10, 100), "keep_best": True},
            },
            contenders={
                "lstm": {"cell": "lstm", "hidden": at(scale, 32, 128, 128), **CLIPPED, "lr": 5e-4},
                "urnn": {"cell": "urnn", "hidden": at(scale, 64, 128, 512), **RMSPROP, "lr": 5e-4},
            },
        )
        for order in ("pixels", "permuted")
    }


def norms(scale):
    """§4.4; the gradients are those of the source's size at any scale."""
    learnt = {"networks": ("lstm-output-matrix", "urnn"), "hidden": (128, 512)}
    half = {**learnt, "trained_steps": 100, "steps": 500, "updates": (0, 12_000)}
    paper = {**learnt, "trained_steps": 200, "steps": 1000, "updates": (0, 15_000)}
    return {"state-norms": at(scale, {}, half, paper)}


def bounded(numbers):
    """An orthogonal ReLU network, and modReLU with b > 0."""
    found = numbers["norm of dC/dh_0, of dC/dh_T = 1"]
    orthogonal, modrelu = found["orthogonal W, ReLU"], found["uRNN, b = 0.5"]
    why = (
        f"ReLU: {orthogonal:.2g} is left after 20 steps; but modReLU with b = 0.5 makes it {modrelu:.0f} times as large"
    )
    return (None if modrelu > 1 else True) if orthogonal <= 1 else False, why


def undone(numbers):
    """How far gradients by the inverse are off, and how memory grows with T with it and without."""
    kept, again = numbers["exponent of T in the memory"].values()
    error = max(numbers["relative error of the gradients"].values())
    return (
        error < 1e-6 and again < 0.5 < kept,
        f"memory like T^{again:.2f} in place of T^{kept:.2f}, off by {error:.0e}",
    )


def growth(numbers):
    """Exponents of T."""
    worst = max(numbers["exponent of T in the parameters' gradient"].values())
    return worst < 2.1, f"at worst like T^{worst:.2f}"


def cheap(numbers):
    """Exponents of n."""
    seconds, size = (numbers["exponents"]["urnn"][name] for name in ("seconds", "bytes"))
    return seconds < 1.3 and size < 1.1, f"time like n^{seconds:.2f}, memory like n^{size:.2f}, from 128 to 4096 units"


BOUND = {
    "gradient-bound": (
        Computed("with unitary matrices the gradient of the state cannot explode", bounded),
        Computed("and that of the parameters grows quadratically at most", growth),
    ),
    "cost": (Computed("a unitary step takes O(n log n) time and O(n) memory", cheap),),
}

PIXELS = {"pixels": {"lstm": 0.982, "urnn": 0.951}, "permuted": {"lstm": 0.88, "urnn": 0.914}}
LABELS = {"lstm": "LSTM", "urnn": "uRNN"}
READ_OFF = {"lstm": 240_000, "urnn": 20_000}  # updates after which the curves are there


def reached(order):
    """The accuracies of one order, within 1 %."""
    return (
        Reaches(
            f"accuracy of the {LABELS[name]}: {100 * value:.1f} %", name, value, 0.01, "test_accuracy", READ_OFF[name]
        )
        for name, value in PIXELS[order].items()
    )


BOTH = "the rates are the source's; fewer updates, seeds and, at quick, units are ours"

ARJOVSKYS = {
    "arjovsky-bound": Reproduction(
        ARJOVSKY, "§1 and §3", "the gradient bound, and what a unitary step costs", analyses=("gradient-bound", "cost"),
        claims=BOUND,
        ours="20 steps of 64 units and b = 0.5, lengths up to 320, 128 to 4096 units: nothing is measured there",
    ),
    "arjovsky-inverse": Reproduction(
        ARJOVSKY, "first published version", "states found again by the inverse of the transition",
        analyses=("inverse",),
        claims={
            "inverse": (Computed("states can be computed again backwards, as the transition can be undone", undone),)
        },
        ours="64 units as they start, 10 sequences of adding, in double precision: nothing is measured there",
    ),
    "arjovsky-f1": Reproduction(
        ARJOVSKY, "Figure 1", "copy with delays of 100 to 500: tanh RNN, LSTM, uRNN", copy,
        claims={
            "": (
                Solves("the uRNN solves copy", ("urnn",)),
                Solves("tanh RNN and LSTM do not get beyond the baseline", ("tanh rnn", "lstm"), never=True),
                Better("the uRNN is ahead of the LSTM", "urnn", "lstm"),
            ),
            "T=100": (
                Reaches("the LSTM leaves the baseline, and is at 0.145 after 1 000 000 sequences", "lstm", 0.145, 0.015,
                    updates=50_000,
                ),
            ),
        },
        published={
            "T=100": (
                *(("uRNN after 10 000 sequences", 0.0, 500), ("LSTM after 1 000 000 sequences", 0.145, 50_000)),
                ("tanh RNN to the end", 0.173, 50_000),
            ),
            "T=200": (("uRNN after 20 000 sequences", 0.0, 1000), ("LSTM and tanh RNN to the end", 0.0945, 50_000)),
            "T=300": (("uRNN after 20 000 sequences", 0.0, 1000), ("LSTM and tanh RNN to the end", 0.065, 50_000)),
            "T=500": (("uRNN after 90 000 sequences", 0.0, 4500), ("LSTM and tanh RNN to the end", 0.040, 50_000)),
        },
        ours=BOTH,
    ),
    "arjovsky-f2": Reproduction(
        ARJOVSKY, "Figure 2", "adding over 100 to 750 steps: tanh RNN, LSTM, uRNN", adding,
        claims={
            "": (Solves("the tanh RNN does not learn to add", ("tanh rnn",), never=True),),
            **{
                f"T={t}": (Solves("LSTM and uRNN learn to add", ("lstm", "urnn"), updates=updates),)
                for t, updates in {50: 15_000, 100: 15_000, 200: 15_000, 400: 28_000}.items()
            },
            "T=750": (
                Reaches("the LSTM remembers one addend of the two: 1/12", "lstm", 1 / 12, 0.01, updates=100_000),
                Reaches("the uRNN learns a part, and stays noisy: 0.1", "urnn", 0.1, 0.05, updates=68_000),
            ),
        },
        published={
            "T=100": (
                *(("uRNN after 15 000 updates", 0.025, 15_000), ("LSTM after 4000", 0.02, 4000)),
                ("tanh RNN to the end", 0.167, 15_000),
            ),
            "T=200": (("uRNN after 10 000 updates", 0.03, 10_000), ("LSTM on a plateau until 12 000", 0.085, 9000)),
            "T=400": (
                *(("uRNN after 28 000 updates", 0.03, 28_000), ("LSTM on a plateau until 12 000", 0.1, 10_000)),
                ("LSTM after 15 000", 0.01, 15_000),
            ),
            "T=750": (
                ("LSTM, which remembers one addend, from 20 000 to 100 000 updates", 1 / 12, 20_000),
                ("uRNN, noisy from 10 000 to 68 000, between 0.05 and 0.15", 0.1, 10_000),
            ),
        },
        ours=BOTH,
    ),
    "arjovsky-f2-batches": Reproduction(
        ARJOVSKY, "Figure 2", "adding with batches of 20 and of 50, of which the better one is reported there", batches,
        ours="one length and, below paper, fewer updates and units: it is a choice that is shown, and no claim",
    ),
    "arjovsky-irnn": Reproduction(
        ARJOVSKY, "§4", "copy by an identity RNN at a rate of 1e-8 and at larger ones, at which it is unstable", rates,
        claims={
            "": (
                *(
                    Better(f"an identity RNN is unstable at a rate of {rate:g}: it ends higher than one at 1e-8, which "
                        "hardly moves", "rate 1e-08", f"rate {rate:g}")
                    for rate in UNSTABLE
                ),
                Reaches("at a rate of 1e-8 it is at 1.7 after 1 000 000 sequences", "rate 1e-08", 1.7, 0.17,
                    updates=50_000,
                ),
            )
        },
        published={"T=100": (("IRNN at 1e-8 after 1 000 000 sequences", 1.7, 50_000),)},
        ours="three larger rates, three seeds and, below paper, fewer updates; unstable is judged by where it ends",
    ),
    "arjovsky-relu": Reproduction(
        ARJOVSKY, "§3.2", "copy by the uRNN with modReLU and with ReLU on real and imaginary parts", nonlinearities,
        claims={"": (Better("modReLU is ahead of ReLU on the two parts", "modrelu", "relu on parts"),)},
        ours="the source says so and shows nothing; copy and its settings are those of Figure 1, three seeds are ours",
    ),
    "arjovsky-mnist": Reproduction(
        ARJOVSKY, "§4.3", "MNIST pixel by pixel, in order and permuted: LSTM, uRNN", pixels,
        claims={
            "pixels": (
                Better("in order the LSTM is ahead", "lstm", "urnn", "test_accuracy", higher=True),
                *reached("pixels"),
            ),
            "permuted": (
                Better("permuted the uRNN is ahead", "urnn", "lstm", "test_accuracy", higher=True),
                *reached("permuted"),
            ),
        },
        published=PIXELS,
        ours=BOTH + "; 10 000 images held out for validation are ours",
    ),
    "arjovsky-norms": Reproduction(
        ARJOVSKY, "§4.4", "gradient and state norms over time",
        analyses=("gradient-norms", "state-norms", "interpolation", "addends"),
        options=norms,
        claims=NORMS,
        published={
            "gradient-norms": (
                ("before training: uRNN 1.5 at all steps, tanh RNN 1e-14 at the first, LSTM 1e-23 at step 450",),
                ("after 50 updates: uRNN 5e-4 at the first, tanh RNN 0.1 at all, LSTM 1e-23 at step 450",),
                ("after 100: uRNN 1e-8 at the first, tanh RNN 1e-23 at step 700, LSTM 1e-23 at step 560",),
            ),
            "state-norms": (
                *(("uRNN from 16 to 24 over 1000 steps",), ("LSTM from 0 to 38 at step 500, then flat",)),
                ("distance from the last state: uRNN 36 until step 500, then down to 0; LSTM 40, and 6 at step 430",),
            ),
        },
        ours="state norms at quick of networks of 128 units that have learnt to add over 30 steps, looked at over 150; "
        "at half over 100, with the source's units, looked at over 500; one addend over 100 steps",
    ),
}  # fmt: skip
