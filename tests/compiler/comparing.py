"""What the tests of compiled cells share: the same computation done plainly and compiled, and the bound between them.

The plain path is the reference. A compiled cell adds in another order, fuses multiplications with additions and has
its own tanh and exp, so that the two agree to rounding and not to the bit.
"""

import copy
import os

import numpy as np
import pytest
from contract import Probe, backward, leaf_tapes, leaves, numbered, random_mask

import tinyrnn as tr
from tinyrnn.compiler import build, toolchain

# Of the largest entry of each array. Most cells stay a hundred times below; a unitary cell's direction z / |z| of a
# small z, and a memory that grows for 45 steps, multiply what rounding there is by some 500.
BOUND = {"float64": 1e-12, "float32": 1e-4}


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """A folder of this run's own for what is compiled: no test depends on what was compiled before.

    The workers of a run share it, so that none compiles what another one has.
    """
    own = tmp_path_factory.getbasetemp()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "compiled"))
        build.loaded.cache_clear()
        yield


def has_compiler():
    try:
        return bool(toolchain.find_compiler())
    except toolchain.NoCompiler:
        return False


# for cells of which parts cannot be compiled, as the tests themselves assert
partly_compiled = pytest.mark.filterwarnings("ignore:.* runs as it stands in the source, uncompiled:UserWarning")
needs_compiler = pytest.mark.skipif(not has_compiler(), reason="there is no C compiler to compile cells with")


def perturbed(cell, rng):
    """The cell with every parameter moved away from where it starts (zero, for many), but not into chaos, nor off a
    manifold: a matrix that is no longer unitary makes the state grow, and small numbers drown in its rounding."""
    for name, value in cell.params.items():
        if name not in getattr(cell, "manifolds", ()):
            value += rng.normal(0, 0.3 / np.sqrt(max(len(value), 1)), value.shape)
    return cell


def probe_for(cell, T, B, rng, masked=False):
    """Random arguments and upstream gradients, in the cell's dtype; nothing is zero."""
    return Probe(
        x=rng.normal(size=(T, B, cell.input_size)).astype(cell.dtype),
        state=tuple(rng.normal(0, 0.5, (B, n)).astype(cell.dtype) for n in cell.state_sizes),
        mask=random_mask(rng, T, B) if masked else None,
        dh=rng.normal(size=(T, B, cell.output_size)).astype(cell.dtype),
        dstate=tuple(rng.normal(size=(B, n)).astype(cell.dtype) for n in cell.state_sizes),
    )


def results(network, probe, **options):
    """All that comes out of forward and backward, every entry of every tape included, in one dict."""
    h, tape = network.forward(probe.x, probe.state, probe.mask)
    found = {"h": h} | numbered("final", tape.state) | on_tape(tape)
    return found | backward(network, probe, tape, **options)


def on_tape(tape):
    tapes = enumerate(leaf_tapes(tape))
    return {f"tape {k} {name}": each[name] for k, each in tapes for name in each.names if name != "cache"}


def plain(network):
    """A copy of the network, whose cells run as they stand."""
    return each_leaf(network, lambda cell: cell.interpret())


def compiled(network, threads=2):
    """A copy of the network, each of its cells compiled."""
    return each_leaf(network, lambda cell: cell.compile(threads))


def each_leaf(network, change):
    made = copy.deepcopy(network)
    for cell in leaves(made):
        if isinstance(cell, tr.Cell):  # a model has readouts, too
            change(cell)
    return made


def assert_agree(got, wanted, bound=None):
    """Same names, shapes and dtypes; numbers within the bound; NaN and infinity at the same places."""
    assert set(got) == set(wanted)
    for name, w in wanted.items():
        g = got[name]
        if isinstance(w, list):
            assert str(g) == str(w), name
            continue
        assert (g.shape, g.dtype) == (w.shape, w.dtype), f"{name} is {g.dtype} {g.shape}, not {w.dtype} {w.shape}"
        if w.dtype.kind not in "fc":
            assert (g == w).all(), name
            continue
        finite = np.isfinite(w)
        assert np.array_equal(g[~finite], w[~finite], equal_nan=True), f"{name} differs where it is not finite"
        size = abs(w[finite]).max(initial=0)
        error = abs(g[finite] - w[finite]).max(initial=0)
        limit = (BOUND[w.dtype.name] if bound is None else bound) * size
        assert error <= limit, f"{name}: off by {error:.2e} where {limit:.2e} is allowed"


def assert_compiles(cell, both=True):
    """Nothing kept it from being compiled, and kernels have been made."""
    for leaf in leaves(cell):
        refused = {"gradients"} & {direction for direction, *_ in leaf.runner.kernels} if of_blocks(leaf) else set()
        assert set(leaf.runner.why_not) == refused, leaf.runner.why_not
        made = {direction for (direction, *_), kernel in leaf.runner.kernels.items() if kernel is not None}
        assert made >= {"forward"} | ({"backward", "gradients"} - refused if both else set())


def of_blocks(cell):
    """Whether the cell's weight gradients mix rows with other axes, which is not compiled."""
    return isinstance(cell, tr.EURNN | tr.KroneckerRNN)


def compare(network, probe, threads=2, bound=None, **options):
    """Plain and compiled results agree, and nothing passed in is modified. Returns the compiled network."""
    fast = compiled(network, threads)
    wanted = results(plain(network), probe, **options)
    before = bytes_of(probe, fast)
    got = results(fast, probe, **options)
    assert bytes_of(probe, fast) == before, "an argument or a parameter was modified"
    assert_agree(got, wanted, bound)
    return fast


def bytes_of(probe, network):
    params = [[value.tobytes() for value in cell.params.values()] for cell in leaves(network)]
    return [*probe.map(np.ndarray.tobytes), params]
