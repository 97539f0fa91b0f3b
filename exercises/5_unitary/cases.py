"""What the functions of exercise 5 are called with. Sizes differ, so that no two axes can be mixed up."""

import numpy as np


def sizes(rng):
    """B sequences, m inputs, n complex units: three different numbers, n odd, so that n/2 is no special frequency."""
    B, m = rng.permutation([2, 3, 4])[:2]
    n = rng.choice([5, 7, 9])
    return int(B), int(m), int(n)


def pair(rng, *shape):
    """A complex array as two real ones, (2, ...)."""
    return rng.normal(size=(2, *shape))


def leak(rng, n):
    """nu with which a step keeps between 60 and 97 parts in a hundred of the length."""
    return np.log(-np.log(rng.uniform(0.6, 0.97, n)))


def angles(rng, n):
    return rng.uniform(-np.pi, np.pi, n)


def order(rng, n):
    """A permutation that is not its own inverse and moves everything."""
    while True:
        perm = rng.permutation(n)
        if (np.argsort(perm) != perm).any() and (perm != np.arange(n)).all():
            return perm


def phases_case(rng):
    B, _, n = sizes(rng)
    return {"z": pair(rng, B, n), "theta": angles(rng, n)}


def phases_backward_case(rng):
    case = phases_case(rng)
    return {"dy": rng.normal(size=case["z"].shape), **case}


def modulus_case(rng):
    """Units that are on, units that are off, and a z that is 0, with a bias below 0: h would jump there otherwise."""
    B, _, n = sizes(rng)
    z, b = pair(rng, B, n), rng.uniform(0.1, 0.9, n)
    size = np.sqrt((z**2).sum(axis=0))
    b[1] = -size[:, 1].mean()  # of the second unit, some of the batch are on and some off
    b[2] = -0.1 * size[:, 2].min()
    z[:, 0, 2] = 0
    return {"z": z, "b": b}


def modulus_backward_case(rng):
    case = modulus_case(rng)
    return {"dh": rng.normal(size=case["z"].shape), **case}


def leaky_phases_backward_case(rng):
    B, _, n = sizes(rng)
    return {"dy": pair(rng, B, n), "z": pair(rng, B, n), "nu": leak(rng, n), "theta": angles(rng, n)}


def turnstile_case(rng):
    """phi is neither near 0, where R is 1, nor near pi, where it is an ordinary reflection and equal to its inverse."""
    B, _, n = sizes(rng)
    return {"z": pair(rng, B, n), "v": 1.3 * pair(rng, n), "phi": float(rng.uniform(0.6, 2.4) * rng.choice([-1, 1]))}


def turnstile_backward_case(rng):
    case = turnstile_case(rng)
    return {"dy": rng.normal(size=case["z"].shape), **case}


def shuffle_case(rng):
    B, _, n = sizes(rng)
    return {"z": pair(rng, B, n), "perm": order(rng, n)}


def shuffle_backward_case(rng):
    B, _, n = sizes(rng)
    return {"dy": pair(rng, B, n), "perm": order(rng, n)}


def parameters(rng, m, n):
    return {
        "V": pair(rng, m, n) / 2,
        "b": rng.uniform(-0.5, 0.5, n),
        "nu_1": leak(rng, n),
        "theta_1": angles(rng, n),
        "nu_2": leak(rng, n),
        "theta_2": angles(rng, n),
        "v": pair(rng, n),
        "phi": float(rng.uniform(0.6, 2.4) * rng.choice([-1, 1])),
        "perm": order(rng, n),
    }


def step_case(rng):
    B, m, n = sizes(rng)
    return {"x": rng.normal(size=(B, m)), "h_prev": pair(rng, B, n), "p": parameters(rng, m, n)}


def step_backward_case(rng):
    """With the values of a forward pass, found by writing every matrix out: dear, but only a handful of units."""
    case = step_case(rng)
    kept = {"x": case["x"], "h_prev": case["h_prev"]} | written_out(**case)
    return {"dh": rng.normal(size=case["h_prev"].shape), "kept": kept, "p": case["p"]}


def written_out(x, h_prev, p):
    """The equations of the handout, literally, with n x n matrices and columns."""
    n = len(p["b"])
    jk = np.outer(np.arange(n), np.arange(n)) * 2 * np.pi / n
    S = ((np.cos(jk) + np.sin(jk)) / np.sqrt(n))[:, p["perm"].argsort()]
    D_1, D_2 = (np.diag(np.exp(1j * p["theta_" + k] - np.exp(p["nu_" + k]))) for k in "12")
    v = p["v"][0] + 1j * p["v"][1]
    R = np.eye(n) - (1 - np.exp(1j * p["phi"])) * np.outer(v, v.conj()) / np.vdot(v, v)
    columns, kept = (h_prev[0] + 1j * h_prev[1]).T, {}
    for name, matrix in (("y1", D_1), ("y2", S), ("y3", R), ("y4", D_2), ("y5", S.T)):
        columns = matrix @ columns
        kept[name] = np.stack([columns.T.real, columns.T.imag])
    kept["z"] = kept["y5"] + np.einsum("bd,rdn->rbn", x, p["V"])
    size = np.hypot(*kept["z"])
    kept["h"] = kept["z"] / size * np.tanh(np.maximum(size + p["b"], 0))
    return kept
