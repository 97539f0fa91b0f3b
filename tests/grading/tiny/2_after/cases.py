"""What the functions are called with."""


def sequence(rng):
    return {
        "x": rng.normal(size=(5, 3, 2)),
        "h0": rng.normal(size=(3, 4)),
        "W": rng.normal(size=(2, 4)),
        "a": float(rng.uniform(0.2, 0.4)),
    }
