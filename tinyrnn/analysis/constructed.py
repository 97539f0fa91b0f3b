"""How well the constructed solutions do: successes and noise of the copy task, errors of the adding task.

`tinyrnn.analysis.constructions.copy_solution` is the network itself. Its state can be written down for any step without
running through those before, which is how thousands of networks are tried in seconds: a pair of units that a block
turns by theta is a complex number that it multiplies by e^{i theta}, so after step t

    h_t = sum over the symbols read so far, i <= min(t, S - 1), of e^{i theta (t - i)} u_{x_i}

Complex arrays in here have one entry for each block, (..., d). Source: Henaff, Szlam & LeCun (2016), section 3.1.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy  # whose parts are loaded when they are used
from numpy.polynomial.hermite_e import hermegauss

from tinyrnn.analysis.constructions import blank_code, clock_period, counter, draw_angles, draw_codes
from tinyrnn.core.backend import as_rng
from tinyrnn.core.types import Array, Seed
from tinyrnn.nn.model import Model
from tinyrnn.tasks import Copy


class Successes(NamedTuple):
    """Of `runs` networks, each with one sequence: how many had all outputs right, and how many all S symbols."""

    whole: int
    recalled: int
    runs: int


def pairs(h: Array) -> Array:
    """Neighbouring units as complex numbers: h (..., 2 d) -> (..., d)."""
    return h[..., 0::2] + 1j * h[..., 1::2]


def states(angles: Array, codes: Array, x: Array, steps: Any) -> Array:
    """The first 2 d units of the copy solution after the given steps, as complex numbers.

    angles (d,); codes (K, 2 d); x (S,) symbols 0 ... K - 1; steps (n,), counted from 0. Returns (n, d).
    """
    read = np.arange(len(x))[:, None]
    # turned back to the time 0, symbols can be added up wherever they were read
    at_zero = np.cumsum(np.exp(-1j * angles * read) * pairs(codes)[x], axis=0)
    steps = np.asarray(steps)
    return np.exp(1j * angles * steps[:, None]) * at_zero[np.minimum(steps, len(x) - 1)]


def scores(angles: Array, codes: Array, x: Array, steps: Any) -> Array:
    """<u_k, h_t> for all symbols, (n, K); arguments as in `states`."""
    h = states(angles, codes, x, steps)
    return (h @ pairs(codes).conj().T).real


def outcome(
    task: Any, angles: Array, codes: Array, x: Array, variant: str = "threshold", start: Any = None
) -> tuple[bool, bool]:
    """(whole, recalled): whether the solution gets every output right, and whether the S symbols.

    x (S,) symbols 0 ... K - 1; the other arguments as for `copy_solution`. Without running the network.
    """
    score = scores(angles, codes, x, np.arange(task.steps))
    blank = -2 * counter(task, variant, start).values(task)
    best = score.max(axis=1)
    delimiter = 0.0 if task.delimiter_class else -np.inf
    says_symbol = best > np.maximum(blank, delimiter)
    says_blank = (blank >= best) & (blank >= delimiter)
    recall = slice(clock_period(task), None)
    recalled = bool((says_symbol[recall] & (score[recall].argmax(axis=1) == x)).all())
    return recalled and bool(says_blank[: clock_period(task)].all()), recalled


def successes(
    task: Any,
    blocks: int,
    runs: int,
    rng: Seed = None,
    *,
    variant: str = "threshold",
    start: Any = None,
    period: Any = None,
    angles: str = "roots",
) -> Successes:
    """`Successes` of so many networks, each with a random sequence. The arguments are those of `copy_solution`."""
    rng, found = as_rng(rng), []
    for _ in range(runs):
        theta = draw_angles(blocks, period or clock_period(task), rng, angles)
        codes = draw_codes(task.symbols, blocks, rng)
        x = rng.integers(0, task.symbols, task.length)
        found.append(outcome(task, theta, codes, x, variant, start))
    whole, recalled = np.sum(found, axis=0, dtype=int)
    return Successes(int(whole), int(recalled), runs)


def recalls(
    symbols: int,
    length: int,
    delay: int,
    blocks: int,
    runs: int,
    rng: Seed = None,
    *,
    period: Any = None,
    angles: str = "roots",
) -> int:
    """How many of so many networks recall all S symbols, as `successes` counts them, but only that.

    The recall is the S steps from T + S on, where the symbols have no rival but each other (figure 1).
    """
    rng, right = as_rng(rng), 0
    task = Copy(delay=delay, symbols=symbols, length=length)
    due = clock_period(task) + np.arange(length)
    for _ in range(runs):
        theta = draw_angles(blocks, period or clock_period(task), rng, angles)
        codes = draw_codes(symbols, blocks, rng)
        x = rng.integers(0, symbols, length)
        right += bool((scores(theta, codes, x, due).argmax(axis=1) == x).all())
    return right


def copied(model: Model, task: Any, batch: Any) -> tuple[Any, Any]:
    """(whole, recalled), booleans (B,): which sequences of a batch of `Copy` any model gets right; see `Successes`."""
    y, _ = model.forward(batch.x, mask=batch.mask)
    right = np.asarray(y.argmax(axis=-1) == batch.target)
    due = batch.target != blank_code(task)
    return right.all(axis=0), (right | ~due).all(axis=0)


def worst_error(model: Model, batch: Any) -> float:
    """The largest |y - target| over a batch of `Adding`, of any model with one output at the end."""
    y, _ = model.forward(batch.x, mask=batch.mask)
    return float(np.abs(y - batch.target).max())


# noise ----------------------------------------------------------------------------------------------------------------


def predicted_noise(symbols: int, length: int, blocks: int, mirrored: bool = True) -> tuple[float, float]:
    """(variance of <u_k, z>, mean of |z|^2) of the other S - 1 symbols' share z of the state at a recall.

    A symbol k that was read at another time too is turned by a random angle in every block: variance 1/2 d E|u_b|^4 =
    1 / (d + 1), as |u_b|^2 of a block is Beta(1, d - 1). Another symbol is a random direction: 1 / 2d. The vectors of
    the S - 1 have length 1 and no correlation, so their sum has the squared length S - 1.

    mirrored: k read as long before the symbol due as after it gives the same <u_k, z> twice, as cos is even. There are
    (S - 1)^2 / 4 (rounded down) pairs of such places in all, over the S recalls; False leaves this out. The period is
    taken to be longer than 2 S.
    """
    same = 1 / symbols
    variance = (length - 1) * (same / (blocks + 1) + (1 - same) / (2 * blocks))
    if mirrored:
        variance += 2 * ((length - 1) ** 2 // 4) / length * same**2 / (blocks + 1)
    return variance, float(length - 1)


def measured_noise(
    symbols: int, length: int, delay: int, blocks: int, runs: int, rng: Seed = None
) -> tuple[float, float]:
    """The same two figures from so many networks, at all S recalls of each; <u_k, z> for every symbol k."""
    rng, period = as_rng(rng), delay + length
    products, lengths = [], []
    for _ in range(runs):
        theta, codes = draw_angles(blocks, period, rng), draw_codes(symbols, blocks, rng)
        x = rng.integers(0, symbols, length)
        z = states(theta, codes, x, period + np.arange(length)) - pairs(codes)[x]
        products.append((z @ pairs(codes).conj().T).real)
        lengths.append((np.abs(z) ** 2).sum(axis=1))
    return float(np.var(products)), float(np.mean(lengths))


def predicted_success(symbols: int, length: int, blocks: int) -> float:
    """About the probability that all S symbols are recalled, if the scores' noise were normal and independent.

    Right is a symbol if 1 + noise is more than the noise of the K - 1 others. A guide, too low where K is small and S
    large: the vectors are drawn once and shared by all recalls, which are right or wrong together.
    """
    deviation = np.sqrt(predicted_noise(symbols, length, blocks, mirrored=False)[0])
    if deviation == 0:  # a single symbol to remember has no rival
        return 1.0
    z, weights = hermegauss(64)  # an integral over the normal distribution
    right = weights @ scipy.special.ndtr(1 / deviation + z) ** (symbols - 1) / np.sqrt(2 * np.pi)
    return float(right**length)


def shared_success(symbols: int, length: int, blocks: int, draws: int = 200, rng: Seed = None) -> float:
    """The same with the noise that is shared kept shared: of normal numbers, whose right recalls are counted.

    <u_k, V^m u_l> is normal of variance 1/2d (1/(d + 1) for k = l), one number for each m, k and l: the recalls of a
    symbol m places after another meet the same one again, and V^-m the one of l and k. At m = 0 it is how much two
    codes have in common, which is the same at all recalls. So a few networks are right throughout and others wrong
    throughout, the more so the fewer symbols there are. Returns the share of `draws` networks that are right.
    """
    rng, at = as_rng(rng), np.arange(length)
    variance = np.full((symbols, symbols), 1 / (2 * blocks))
    np.fill_diagonal(variance, 1 / (blocks + 1))
    right = 0
    for _ in range(draws):
        g = rng.normal(size=(length, symbols, symbols)) * np.sqrt(variance)
        g[0] = np.triu(g[0], 1) + np.triu(g[0], 1).T + np.eye(symbols)
        x = rng.integers(0, symbols, length)
        turns = at[:, None] - at  # recall j meets what was read at i
        later = turns[..., None] >= 0
        k = np.arange(symbols)
        met = np.where(later, g[abs(turns)[..., None], k, x[:, None]], g[abs(turns)[..., None], x[:, None], k])
        right += bool((met.sum(axis=1).argmax(axis=1) == x).all())
    return right / draws


def clock(angles: Array, steps: int) -> Array:
    """tr(V^m) / 2d of the rotations for m = 0 ... steps: 1 where the clock strikes, about 0 where it looks random.

    angles (d,). Returns (steps + 1,).
    """
    return np.cos(np.arange(steps + 1)[:, None] * np.asarray(angles)).mean(axis=1)
