"""Hidden checks of exercise 5: other numbers, and for the two functions that must not write a matrix out, a long z."""

from cases import angles, leak, modulus_backward_case, order, pair

from tinyrnn.grading import Hidden


def long_size(rng):
    """So many units that an n x n matrix of real numbers takes 3 GB and more."""
    return int(rng.integers(20_000, 24_000))


def long_shuffle_case(rng):
    n = long_size(rng)
    return {"z": pair(rng, 2, n), "perm": order(rng, n)}


def long_step_case(rng):
    n = long_size(rng)
    p = {
        "V": pair(rng, 3, n) / 2,
        "b": rng.uniform(-0.5, 0.5, n),
        "nu_1": leak(rng, n),
        "theta_1": angles(rng, n),
        "nu_2": leak(rng, n),
        "theta_2": angles(rng, n),
        "v": pair(rng, n),
        "phi": float(rng.uniform(0.6, 2.4)),
        "perm": order(rng, n),
    }
    return {"x": rng.normal(size=(2, 3)), "h_prev": pair(rng, 2, n), "p": p}


def axes_case(rng):
    """Some z without a real or an imaginary part, which are not 0 for that."""
    case = modulus_backward_case(rng)
    case["z"][0, 0, 0] = case["z"][1, -1, -1] = 0
    case["b"][[0, -1]] = abs(case["b"][[0, -1]])
    return case


def long_turnstile_backward_case(rng):
    n = long_size(rng)
    return {"dy": pair(rng, 2, n), "z": pair(rng, 2, n), "v": pair(rng, n), "phi": float(rng.uniform(0.6, 2.4))}


HIDDEN = {
    "turnstile_backward": Hidden(large=long_turnstile_backward_case),
    "modtanh_backward": Hidden(case=axes_case),
    "shuffle": Hidden(case=long_shuffle_case, number=1),
    "step": Hidden(case=long_step_case, number=1),
}
