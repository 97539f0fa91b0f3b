"""Grosse 2018, "Lecture 16: Learning Long-Term Dependencies" (CSC321)."""

from tinyrnn.reproductions.claims import Better, Computed, Solves
from tinyrnn.reproductions.entry import GROSSE, Reproduction, at, images
from tinyrnn.sweeps.plan import Sweep

ADAM = {"optimiser": "adam", "schedule": "cosine", "clip_norm": 1.0}


def reversal(scale):
    """An encoder-decoder that reads its source forward, and one that reads it from the end."""
    updates = at(scale, 500, 5000, 5000)
    return {
        "reversal": Sweep(
            shared={
                **{"task": "translation", "cell": "lstm", "hidden": 128, "updates": updates, "batch": 32},
                **{**ADAM, "lr": 4e-3, "test_every": updates // 5, "threads": 1},
            },
            contenders={
                "forward": {"task_options": {"reverse": False}},
                "reversed": {"task_options": {"reverse": True}},
            },
            seeds=3,
        )
    }


def identity_rnn(scale):
    """A ReLU network that starts as the identity, on MNIST pixel by pixel (Le, Jaitly & Hinton 2015)."""
    updates = at(scale, 150, 4000, 240_000)
    return {
        "pixels": Sweep(
            shared={
                **{"task": "mnist", "task_options": images(scale), "hidden": 100, "batch": 64, "updates": updates},
                **{**ADAM, "lr": 1e-3, "test_every": updates // at(scale, 3, 10, 100), "keep_best": True, "threads": 1},
            },
            contenders={"irnn": {"cell": "irnn"}, "tanh rnn": {"cell": "elman"}},
            grid=at(scale, {"lr": [1e-3, 1e-4]}, {}, {"lr": [1e-3, 1e-4, 1e-5]}),
            seeds=3,
            screen=at(scale, 1, 0, 0),
            solved=0.5,
        )
    }


def powers(numbers):
    """w^(T-1)."""
    up, down = numbers["w=1.1"], numbers["w=0.9"]
    return None, f"{up:.4g} and {down:.4g}: it does so; the figures given are 1.1^50 and 0.9^50, the formula has T - 1"


def fixed_points(numbers):
    """Of x² + 0.15."""
    points = {point["kind"]: point["x"] for point in numbers["x² + 0.15"]["fixed points"]}
    why = f"a sink at {points['sink']:.4f} and a source at {points['source']:.4f}"
    return (None if abs(points["sink"] - 0.17) > 0.005 else True), why


def cycle(numbers):
    """Of 3.5 x (1 - x)."""
    ends = numbers["3.5 x (1 − x)"]["orbit of 0.2 ends in"]
    return len(ends) > 1, f"it ends in a cycle of {len(ends)}"


def steps(numbers):
    """Of tanh(w h)."""
    found = numbers["w=1.5"]
    away, slope = found["largest distance from the identity"], found["slope at 0"]
    why = f"w = 1.5, ours: one step is within {away:.2f} of the identity, five have a slope of {slope:.1f} at 0"
    return away < 0.2 and slope > 5, why


def basins(numbers):
    """The norm of the Jacobian on the borders of basins and within them."""
    edge, inside = numbers["median norm of the Jacobian at a border"], numbers["median norm elsewhere"]
    return (
        inside < 1 < edge,
        f"medians {edge:.3g} on a border, {inside:.2g} elsewhere, of two tanh units with our weights",
    )


def radius(numbers):
    """A matrix whose eigenvalues are small and whose powers are not."""
    why = f"of a matrix with spectral radius {numbers['spectral radius']:g} the largest power has norm "
    return None, f"{why}{numbers['largest norm']:.0f}: in the long run alone"


def cliffs(numbers):
    """Changes of the losses between neighbouring weights."""
    name = "largest change of L from one to the next"
    one, mean = numbers["example 6"][name], numbers["mean of 1000"][name]
    return one > 10 * mean, f"over dw = 0.005 one example's loss changes by up to {one:.1f}, the mean by {mean:.2f}"


def kept(numbers):
    """The longest steps."""
    free, clipped = numbers["as it is"]["longest step"], numbers["clipped to 0.05"]["longest step"]
    return free > 100 * clipped, f"the longest step is {free:.0f} long, clipped {clipped:.3f}"


def table(numbers):
    """Distances from the gate table."""
    worst = max(numbers["largest distance from the table"].values())
    return worst < 1e-12, f"largest distance {worst:.1g} with biases of {numbers['bias']:g}"


def unchanged(numbers):
    """From which bias on dc_T/dc_0 is the identity."""
    bias, far = numbers["smallest bias that gives exactly I"], numbers["largest entry of dc_T/dc_0 - I"]["5.0"]
    why = f"over {numbers['T']} steps to the last bit from a bias of {bias} on; with a bias of 5 it is off by {far:.2f}"
    return bias is not None, why


MAPS = {
    "iterated-maps": (
        Computed("x² + 0.15 has a source at 0.82 and a sink at 0.17", fixed_points),
        Computed("iterates of 3.5 x (1 - x) get complicated", cycle),
    )
}

GROSSES = {
    "grosse-jacobians": Reproduction(
        GROSSE, "§2.1", "products of Jacobians, and powers of a number", analyses=("powers", "jacobians", "diagrams"),
        published={"powers": (("over 50 steps 117.4 with w = 1.1, and 0.00515 with w = 0.9",),)},
        claims={
            "powers": (
                Computed("over 50 steps a gradient grows 117.4-fold or falls to 0.00515", powers),
                Computed("the largest eigenvalue decides whether gradients explode or vanish", radius),
            )
        },
        ours="the networks of many units, their weights and inputs; numbers are given of a single unit alone",
    ),
    "grosse-f2": Reproduction(GROSSE, "Figure 2 and §2.2", "iterated maps", analyses=("iterated-maps", "mandelbrot"),
        claims=MAPS,
        published={"iterated-maps": (("of x² + 0.15 a source at 0.82 and a sink at 0.17",),)},
        ours="where the second map starts, and how finely the set is drawn",
),
    "grosse-f3": Reproduction(
        GROSSE, "Figure 3", "one step close to the identity, many a step function", analyses=("tanh-map", "basins"),
        claims={
            "tanh-map": (Computed("a step is nearly the identity, and many are nearly a step function", steps),),
            "basins": (Computed("within a basin gradients vanish, on its border they explode", basins),),
        },
        ours="all weights: the figure has drawings without numbers",
    ),
    "grosse-f4": Reproduction(
        GROSSE, "Figure 4", "cliffs in the loss, and clipping", analyses=("loss-cliffs", "clipping"),
        claims={
            "loss-cliffs": (Computed("one example's loss has cliffs, and the mean of 1000 is smooth", cliffs),),
            "clipping": (Computed("clipped, a step from the face of a cliff stays near", kept),),
        },
        ours="the task, its 50 steps and inputs, and all of the clipping: the figure has drawings without numbers",
    ),
    "grosse-gates": Reproduction(
        GROSSE, "§3.4", "the table of gates, and gradients that pass unmodified",
        analyses=("gate-table", "pass-through"),
        claims={
            "gate-table": (Computed("the gates remember, add, erase and overwrite as the table says", table),),
            "pass-through": (Computed("with f = 1 and i = o = 0 the gradient passes unchanged", unchanged),),
        },
        ours="the biases by which gates stand open or shut",
    ),
    "grosse-reversal": Reproduction(
        GROSSE, "§3.2; Sutskever, Vinyals & Le 2014", "an encoder-decoder that reads its source from the end", reversal,
        claims={"": (Better("reversing the source helps", "reversed", "forward"),)},
        ours="two made-up languages in place of English and French",
    ),
    "grosse-irnn": Reproduction(
        GROSSE, "§3.3; Le, Jaitly & Hinton 2015", "an identity RNN reads digits pixel by pixel", identity_rnn,
        claims={
            "": (
                Solves("an identity RNN learns to classify digits read pixel by pixel", ("irnn",)),
                Better("and a tanh RNN does not", "irnn", "tanh rnn", "test_accuracy", higher=True),
            )
        },
        ours="Adam; fewer updates",
    ),
}  # fmt: skip
