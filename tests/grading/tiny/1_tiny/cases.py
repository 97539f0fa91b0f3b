"""What the functions are called with."""

from tinyrnn.grading import Source


def unit(rng):
    B, D, H = rng.permutation([3, 4, 5])
    return {
        "x": rng.normal(size=(B, D)),
        "h_prev": rng.normal(size=(B, H)),
        "W": rng.normal(size=(D, H)),
        "a": float(rng.uniform(0.2, 0.4)),
    }


def unit_backward(rng):
    case = unit(rng)
    return {"dh": rng.normal(size=case["h_prev"].shape), **case}


def vector(rng):
    return {"x": rng.normal(size=rng.integers(3, 6))}


def count(rng):
    return {"n": int(rng.integers(3, 9))}


def function(rng):
    return {"f": Source(f"lambda x: x**3 + {rng.integers(2, 9)} * x"), "x": rng.normal(size=4)}
