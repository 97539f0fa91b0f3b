"""What the contract suite is made of: networks to look at, random probes, and numerical gradients to compare with.

A `Case` says which network and which sizes; what is checked of it is in `checks.py`. A `Probe` is made so that no known
bug can hide: all sizes differ, nothing is zero (neither initial states nor biases nor peepholes), the upstream gradient
is random on every output and on the final states.
"""

import copy
import zlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tinyrnn.cells import CELLS
from tinyrnn.nn.layers import Bidirectional, Stack

BUILDS = ("alone", "stacked", "bidirectional", "stacked-bidirectional")
SIMPLER = BUILDS[:3]
SIZES = ((1, 1), (1, 3), (4, 1), (5, 3))  # T, B
SMALLEST, LARGEST = SIZES[0], SIZES[-1]


class Probe(NamedTuple):
    """Everything a network is given: its arguments forward, and the upstream gradients."""

    x: object
    state: tuple | None
    mask: object
    dh: object
    dstate: tuple

    def map(self, function):
        """The same probe with `function` applied to each array."""

        def each(value):
            if isinstance(value, tuple):
                return tuple(each(v) for v in value)
            return None if value is None else function(value)

        return Probe(*(each(value) for value in self))


@dataclass(frozen=True)
class Case:
    cell: str
    build: str = "alone"
    T: int = 5
    B: int = 3
    masked: bool = False
    input_size: int = 2
    hidden_size: int = 4

    def __str__(self):
        return f"{self.cell}-{self.build}-T{self.T}-B{self.B}{'-masked' if self.masked else ''}"

    @property
    def rng(self):
        return np.random.default_rng(zlib.crc32(str(self).encode()))

    def make_cell(self, input_size, rng, **options):
        cls, defaults = CELLS[self.cell]
        return cls(input_size, self.hidden_size, rng=rng, **{**defaults, **options})

    def network(self, **options):
        """The network, every parameter moved away from where it starts (zero, for many)."""
        rng = self.rng

        def layer(input_size):
            cell = self.make_cell(input_size, rng, **options)
            if "bidirectional" in self.build:
                return Bidirectional(cell, self.make_cell(input_size, rng, **options))
            return cell

        network = layer(self.input_size)
        if "stacked" in self.build:
            network = Stack(network, layer(network.output_size))
        for value in network.params.values():
            value += rng.normal(0, 0.3, value.shape)
        return network

    def probe(self, network, T=None, B=None):
        """A random probe for `network`, of the case's size or another."""
        rng = self.rng
        T, B = T or self.T, B or self.B
        return Probe(
            x=rng.normal(size=(T, B, self.input_size)),
            state=tuple(rng.normal(size=(B, n)) for n in network.state_sizes),
            mask=random_mask(rng, T, B) if self.masked else None,
            dh=rng.normal(size=(T, B, network.output_size)),
            dstate=tuple(rng.normal(size=(B, n)) for n in network.state_sizes),
        )


def random_mask(rng, T, B):
    """Sequences that begin late, end early or pause; the first one always ends early."""
    mask = rng.random((T, B)) < 0.6
    mask[-1, 0] = False
    return mask


# tools ---------------------------------------------------------------------------------------------------------------


def run(network, probe, **options):
    """Forward and backward; everything that comes out, in one dict."""
    h, tape = network.forward(probe.x, probe.state, probe.mask)
    return {"h": h, **numbered("final", tape.state)} | backward(network, probe, tape, **options)


def backward(network, probe, tape, **options):
    """All gradients in one dict."""
    back = network.backward(probe.dh, tape, probe.dstate, **options)
    inputs = {} if back.inputs is None else {"dx": back.inputs}
    recorded = {f"recorded {name}": d for name, d in (back.states or {}).items()}
    return inputs | numbered("dstate", back.state) | {f"d{name}": d for name, d in back.params.items()} | recorded


def windows(network, probe, k, carry):
    """What `run` returns, from windows of k steps: states handed on, and gradients handed back or (carry=False) not."""
    state, tapes, hs = probe.state, [], []
    for start in range(0, len(probe.x), k):
        mask = None if probe.mask is None else probe.mask[start : start + k]
        h, tape = network.forward(probe.x[start : start + k], state, mask)
        state = tape.state
        hs.append(h)
        tapes.append((start, tape))
    dstate, dxs, dparams = probe.dstate, [], {}
    for start, tape in reversed(tapes):
        back = network.backward(probe.dh[start : start + k], tape, dstate)
        dstate = back.state if carry else None
        dxs.insert(0, back.inputs)
        dparams = {f"d{name}": d + dparams.get(f"d{name}", 0) for name, d in back.params.items()}
    forward = {"h": np.concatenate(hs), **numbered("final", state)}
    return forward | {"dx": np.concatenate(dxs)} | numbered("dstate", back.state) | dparams


def numbered(name, arrays):
    return {f"{name}[{k}]": a for k, a in enumerate(arrays)}


def leaves(part):
    """The cells of a network."""
    return [c for p in part.parts.values() for c in leaves(p)] if hasattr(part, "parts") else [part]


def leaf_tapes(tape):
    """The tapes of its cells."""
    return [t for p in tape.tapes.values() for t in leaf_tapes(p)] if hasattr(tape, "tapes") else [tape]


def assert_same(got, wanted, tolerance=0.0, only=None):
    """Two dicts of arrays hold the same: keys, shapes, and values up to `tolerance` (relative to the largest value).

    `only`: compare just these keys of `wanted`. With tolerance 0 the dtypes and bits must be the same, NaNs included.
    """
    if only is None:
        assert list(got) == list(wanted)
    for name in wanted if only is None else only:
        g, w = np.asarray(got[name]), np.asarray(wanted[name])
        assert g.shape == w.shape, f"{name} has shape {g.shape}, not {w.shape}"
        if tolerance == 0:
            assert g.dtype == w.dtype and g.tobytes() == w.tobytes(), f"{name} is not the same to the bit"
        else:
            assert np.isfinite(g).all(), f"{name} is not finite"
            error = abs(g - w)
            # gradients that vanish next to the others are known no better than to the rounding of those
            scale = max(abs(w).max(), 1e-3 * max(float(abs(v).max()) for v in wanted.values()))
            worst = np.unravel_index(error.argmax(), error.shape)
            assert error.max() <= tolerance * scale, (
                f"{name}{[int(k) for k in worst]} is {g[worst]:.9g}, should be {w[worst]:.9g}"
            )


def places(network, probe):
    """What `run`'s gradients are gradients of: name of the gradient -> array."""
    state = numbered("dstate", probe.state or ())
    return {"dx": probe.x} | state | {f"d{name}": value for name, value in network.params.items()}


def loss(network, probe):
    """The scalar whose gradients `run` returns."""
    h, tape = network.forward(probe.x, probe.state, probe.mask)
    return (h * probe.dh).sum() + sum((s * d).sum() for s, d in zip(tape.state, probe.dstate, strict=True))


def made_complex(network, probe):
    """Copies of both in which every array that `places` names is complex."""
    network = copy.deepcopy(network)
    for cell in leaves(network):
        for name, value in cell.params.items():
            cell.params[name] = value.astype(complex)
    state = None if probe.state is None else tuple(s.astype(complex) for s in probe.state)
    return network, probe._replace(x=probe.x.astype(complex), state=state)


def complex_step(network, probe, step=1e-30):
    """Every entry of every gradient, exact but for rounding: dL/dw = Im L(w + i step) / step."""
    network, probe = made_complex(network, probe)
    gradients = {}
    for name, array in places(network, probe).items():
        gradients[name] = np.empty(array.shape)
        for index in np.ndindex(array.shape):
            array.imag[index] = step
            gradients[name][index] = loss(network, probe).imag / step
            array.imag[index] = 0
    return gradients


def complex_slopes(network, probe, directions, step=1e-30):
    """Slope of the loss along one direction per array."""
    network, probe = made_complex(network, probe)
    slopes = {}
    for name, array in places(network, probe).items():
        array.imag = step * directions[name]
        slopes[name] = loss(network, probe).imag / step
        array.imag = 0
    return slopes


def central_slopes(network, probe, directions, step=1e-6):
    """The same by central differences, which believe nothing that is complex."""
    network, probe = copy.deepcopy((network, probe))
    slopes = {}
    for name, array in places(network, probe).items():
        middle, ends = array.copy(), []
        for sign in 1, -1:
            array[...] = middle + sign * step * directions[name]
            ends.append(loss(network, probe))
        array[...] = middle
        slopes[name] = (ends[0] - ends[1]) / (2 * step)
    return slopes


def assert_slopes(case, network, probe, methods=((complex_slopes, 1e-10), (central_slopes, 1e-6))):
    """All gradients against the complex step and central differences, along a direction of each array.

    The direction is random signs, so that two wrong entries do not make a right one, and it is quick.
    """
    result = run(network, probe)
    arrays = places(network, probe)
    got = {name: result[name] for name in arrays}
    assert {name: a.shape for name, a in got.items()} == {name: a.shape for name, a in arrays.items()}
    directions = {name: case.rng.choice([-1.0, 1.0], array.shape) for name, array in arrays.items()}
    along = {name: (got[name] * directions[name]).sum() for name in got}
    size = {name: abs(got[name]).sum() for name in got}
    largest = max(size.values())
    for slopes, tolerance in methods:
        for name, slope in slopes(network, probe, directions).items():
            assert abs(along[name] - slope) <= tolerance * max(size[name], 1e-3 * largest), (
                f"{name}: slope {along[name]:.9g}, {slopes.__name__} say {slope:.9g}"
            )
