"""The contract, one check after the other: what every cell must keep to, alone or in layers.

Each check in `CHECKS` is a function of a `Case` that raises AssertionError where the contract is broken. The contract
suite (`cells/test_contract.py`) runs them on every cell; `cells/test_mutations.py` on cells with a known bug.
"""

from unittest import mock

import array_api_strict
import numpy as np
from contract import (
    BUILDS,
    LARGEST,
    SIMPLER,
    SIZES,
    SMALLEST,
    Probe,
    assert_same,
    assert_slopes,
    backward,
    complex_step,
    leaf_tapes,
    leaves,
    numbered,
    run,
    windows,
)
from standard import garbage, sealed

from tinyrnn.core.backend import to_numpy, xp_of

CHECKS = {}


def check(sizes=SIZES, builds=BUILDS, masked=(False, True)):
    """Register a check, for the cases it is to run on."""

    def register(function):
        function.applies = lambda case: (case.T, case.B) in sizes and case.build in builds and case.masked in masked
        CHECKS[function.__name__] = function
        return function

    return register


@check()
def gradients_are_right(case):
    network = case.network()
    probe = case.probe(network)
    if case.build == "alone":  # entry by entry, to say which one
        wanted = complex_step(network, probe)
        assert_same(run(network, probe), wanted, 1e-10, only=wanted)
    assert_slopes(case, network, probe)


@check()
def float32_follows_float64(case):
    small, large = case.network(dtype="float32"), case.network(dtype="float64")
    for name, value in large.params.items():
        value[...] = small.params[name]
    probe = case.probe(large).map(lambda a: a if a.dtype == bool else a.astype("float32"))
    got, tape = run(small, probe), small.forward(probe.x, probe.state, probe.mask)[1]
    assert {name: a.dtype for name, a in got.items() if a.dtype != "float32"} == {}
    for leaf in leaf_tapes(tape):
        kept = {name: leaf[name].dtype for name in leaf.names if not isinstance(leaf[name], list)}
        assert {name: dtype for name, dtype in kept.items() if dtype not in ("float32", "bool")} == {}
    assert_same(got, run(large, probe), 1e-4)


@check()
def shapes_and_names_are_exact(case):
    network = case.network()
    probe = case.probe(network)
    result = run(network, probe)
    wanted = {"h": (case.T, case.B, network.output_size)}
    wanted |= numbered("final", [(case.B, n) for n in network.state_sizes])
    wanted |= {"dx": probe.x.shape} | numbered("dstate", [(case.B, n) for n in network.state_sizes])
    wanted |= {f"d{name}": value.shape for name, value in network.params.items()}
    assert {name: a.shape for name, a in result.items()} == wanted
    assert list(result) == list(wanted)  # the order, too
    assert {a.dtype for a in result.values()} == {np.dtype("float64")}
    assert all(type(a) is np.ndarray for a in result.values())


@check(sizes=[LARGEST])
def every_parameter_matters(case):
    """A parameter without a gradient is one that the probe could not test."""
    network = case.network(learn_state=True)
    result = run(network, case.probe(network)._replace(state=None))
    unread = tuple(f"{s}_0" for cell in leaves(network) for s in cell.unread)  # where it stands before the first step
    assert [n for n in network.params if not result[f"d{n}"].any() and n.rpartition(".")[2] not in unread] == []


@check(sizes=[SMALLEST, LARGEST])
def nothing_passed_in_is_modified(case):
    network = case.network()
    probe = case.probe(network)
    given = [network.params, network.constants]

    def bytes_of_all():
        arrays = [*probe.map(np.ndarray.tobytes)]
        return arrays, [{name: value.tobytes() for name, value in d.items()} for d in given]

    before = bytes_of_all()
    run(network, probe, record=True)
    assert bytes_of_all() == before
    run(network, probe, average=True, truncate=1)
    assert bytes_of_all() == before


@check(sizes=[SMALLEST, LARGEST])
def garbage_in_fresh_memory_changes_nothing(case):
    network = case.network()
    probe = case.probe(network)
    wanted = run(network, probe, record=True)

    def empty(shape, dtype=float, order="C"):
        return np.full(shape, garbage(np.dtype(dtype)), dtype)

    def empty_like(prototype, dtype=None, **_):
        return empty(prototype.shape, dtype or prototype.dtype)

    with mock.patch.multiple(np, empty=empty, empty_like=empty_like):
        got = run(network, probe, record=True)
    assert_same(got, wanted)


@check(sizes=[SMALLEST, LARGEST])
def second_call_equals_the_first(case):
    network = case.network()
    probe = case.probe(network)
    first = {name: value.copy() for name, value in run(network, probe).items()}
    assert_same(run(network, probe), first)
    # sequences of another size in between: neither new results nor an old tape and its output may feel them
    h, tape = network.forward(probe.x, probe.state, probe.mask)
    for T, B in ((case.T + 2, case.B + 1), (1, 1), (case.T, case.B)):
        run(network, case.probe(network, T, B).map(lambda a: ~a if a.dtype == bool else -2 * a))
    assert_same({"h": h, **numbered("final", tape.state), **backward(network, probe, tape)}, first)
    assert_same(backward(network, probe, tape), first, only=backward(network, probe, tape))
    assert_same(run(network, probe), first)


@check(sizes=[LARGEST])
def layout_in_memory_does_not_matter(case):
    network = case.network()
    probe = case.probe(network)
    wanted = run(network, probe)
    assert_same(run(network, probe.map(np.asfortranarray)), wanted, 1e-12)
    assert_same(run(network, probe.map(lambda a: np.repeat(a, 2, axis=-1)[..., ::2])), wanted, 1e-12)


@check(sizes=[LARGEST], builds=["alone"])
def sequences_do_not_see_each_other(case):
    """A batch equals its parts, at a size where weight gradients are gathered in more than one portion."""
    network = case.network()
    probe = case.probe(network, T=40, B=130)
    whole = run(network, probe)
    parts = []
    for start in range(0, 130, 26):
        rows = slice(start, start + 26)
        parts.append(run(network, probe.map(lambda a, rows=rows: a[rows] if len(a) == 130 else a[:, rows])))
    joined = {}
    for name, value in whole.items():
        values = [part[name] for part in parts]
        over_time = name in ("h", "dx")
        states = name.startswith(("final", "dstate"))
        joined[name] = np.concatenate(values, 1 if over_time else 0) if over_time or states else sum(values)
        assert joined[name].shape == value.shape
    assert_same(whole, joined, 1e-10)


@check(sizes=[SMALLEST, LARGEST])
def class_numbers_equal_one_hot_rows(case):
    network = case.network()
    probe = case.probe(network)
    classes = case.rng.integers(0, case.input_size, (case.T, case.B))
    got = run(network, probe._replace(x=classes))
    assert "dx" not in got
    assert_same(got, run(network, probe._replace(x=np.eye(case.input_size)[classes])), 1e-12, only=got)


@check(masked=[True])
def masked_steps_leave_no_trace(case):
    network = case.network()
    probe = case.probe(network)
    result = run(network, probe)
    assert not result["dx"][~probe.mask].any()
    _, tape = network.forward(probe.x, probe.state, probe.mask)
    for leaf in leaf_tapes(tape):
        for name in leaf.states:
            assert np.array_equal(leaf[name][~leaf.mask], leaf[f"{name}_prev"][~leaf.mask])
    for value in np.nan, np.inf, 1e300:
        x = np.where(probe.mask[..., None], probe.x, value)
        assert_same(run(network, probe._replace(x=x)), result)
    classes = np.where(probe.mask, 0, 10**6)
    legal = run(network, probe._replace(x=np.zeros_like(classes)))
    assert_same(run(network, probe._replace(x=classes)), legal)


@check(masked=[True])
def masked_batch_equals_its_sequences_one_by_one(case):
    network = case.network()
    probe = case.probe(network)
    probe = probe._replace(dh=np.where(probe.mask[..., None], probe.dh, 0))
    whole = run(network, probe)
    wanted = {name: np.zeros_like(a) for name, a in whole.items() if name != "h"}
    for b, live in enumerate(probe.mask.T):
        if not live.any():  # such a sequence's state goes straight through
            for k, s in enumerate(probe.state):
                wanted[f"final[{k}]"][b] = s[b]
                wanted[f"dstate[{k}]"][b] = probe.dstate[k][b]
            continue
        one = slice(b, b + 1)
        alone = Probe(
            x=probe.x[live, one],
            state=tuple(s[one] for s in probe.state),
            mask=None,
            dh=probe.dh[live, one],
            dstate=tuple(d[one] for d in probe.dstate),
        )
        for name, value in run(network, alone).items():
            if name == "h":
                assert_same({"h": whole["h"][live, one]}, {"h": value}, 1e-12)
            elif name == "dx":
                wanted["dx"][live, one] = value
            elif name.startswith(("final", "dstate")):
                wanted[name][one] = value
            else:
                wanted[name] += value
    assert_same(whole, wanted, 1e-10, only=wanted)


@check(sizes=[(1, 3), LARGEST], builds=SIMPLER)
def initial_state_can_be_learned(case):
    network = case.network(learn_state=True)
    probe = case.probe(network)
    assert all(f"{s}_0" in cell.params for cell in leaves(network) for s in cell.states)
    assert_slopes(case, network, probe._replace(state=None))
    given = run(network, probe)  # a state that is given leaves the learned one alone
    learned = [name for name in network.params if name.endswith("_0")]
    assert not any(given[f"d{name}"].any() for name in learned)
    assert_same(given, run(case.network(learn_state=True), probe))
    initial = tuple(
        np.broadcast_to(cell.params[f"{s}_0"], (case.B, n))
        for cell in leaves(network)
        for s, n in zip(cell.states, cell.state_sizes, strict=True)
    )
    same = run(network, probe._replace(state=None))
    assert_same(
        same, run(network, probe._replace(state=initial)), 1e-12, only=[n for n in same if n[1:] not in learned]
    )


@check(sizes=[LARGEST], builds=["alone", "stacked"])
def no_state_means_zeros(case):
    network = case.network(learn_state=False)
    probe = case.probe(network)
    zeros = tuple(np.zeros_like(s) for s in probe.state)
    assert_same(run(network, probe._replace(state=None)), run(network, probe._replace(state=zeros)))


@check(sizes=[(1, 3), LARGEST], builds=SIMPLER)
def activations_can_be_clipped(case):
    def norms(network):
        """Of the output of every cell, at every step that counts."""
        _, tape = network.forward(probe.x, probe.state, probe.mask)
        live = [slice(None) if leaf.mask is None else leaf.mask for leaf in leaf_tapes(tape)]
        outputs = [next(iter(leaf.states.values()))[1:] for leaf in leaf_tapes(tape)]
        return np.concatenate([np.linalg.norm(h[k], axis=-1).ravel() for h, k in zip(outputs, live, strict=True)])

    probe = case.probe(case.network())
    free = norms(case.network())
    limit = 0.97 * float(np.median(free)) if free.size else 1.0  # not exactly at anyone's kink
    network = case.network(clip_state=limit)
    clipped = norms(network)
    assert (clipped <= limit * (1 + 1e-12)).all()
    if free.size > 8:  # or the probe would say nothing about one of the two cases
        assert np.isclose(clipped, limit).any() and not np.isclose(clipped, limit).all()
    assert_slopes(case, network, probe)


@check(sizes=[(1, 3), LARGEST])
def averaging_divides_the_upstream_by_the_number_of_steps(case):
    network = case.network()
    probe = case.probe(network)
    divided = probe._replace(dh=probe.dh / case.T, dstate=tuple(d / case.T for d in probe.dstate))
    assert_same(run(network, probe, average=True), run(network, divided), 1e-12)


@check(sizes=[LARGEST], builds=["alone", "stacked"])
def truncation_cuts_the_carry_between_windows(case):
    network = case.network()
    probe = case.probe(network)
    for k in (1, 2, 3, 5, 9):
        assert_same(run(network, probe, truncate=k), windows(network, probe, k, carry=False), 1e-12)


@check(sizes=[LARGEST], builds=["alone", "stacked"])
def state_is_handed_on_from_window_to_window(case):
    network = case.network()
    probe = case.probe(network)
    assert_same(run(network, probe), windows(network, probe, 2, carry=True), 1e-12)


@check(sizes=[LARGEST], builds=["alone"])
def recorded_gradients_are_those_of_each_state(case):
    network = case.network()
    probe = case.probe(network)
    _, tape = network.forward(probe.x, probe.state, probe.mask)
    recorded = network.backward(probe.dh, tape, probe.dstate, record=True).states
    assert list(recorded) == list(network.states)
    for t in range(case.T):
        if t == case.T - 1:
            wanted = list(probe.dstate)
        else:  # the states after step t are the initial states of what is left
            mask = None if probe.mask is None else probe.mask[t + 1 :]
            _, rest = network.forward(probe.x[t + 1 :], tuple(tape[s][t] for s in network.states), mask)
            wanted = list(network.backward(probe.dh[t + 1 :], rest, probe.dstate).state)
        wanted[0] = wanted[0] + probe.dh[t]
        assert_same(numbered("", [recorded[s][t] for s in network.states]), numbered("", wanted), 1e-12)


@check(sizes=[SMALLEST, LARGEST])
def recording_changes_nothing_else(case):
    network = case.network()
    probe = case.probe(network)
    wanted = run(network, probe)
    assert_same(run(network, probe, record=True), wanted, only=wanted)


@check(sizes=[LARGEST])
def the_standards_arrays_give_the_same_numbers(case):
    same_numbers_on(array_api_strict, case)


def same_numbers_on(xp, case, tolerance=1e-12):
    """Forward and backward, with every option, computed by the array module `xp` and by NumPy."""
    for build_options, options in (
        ({}, {"record": True}),
        ({"learn_state": True, "clip_state": 0.8}, {"average": True, "truncate": 2}),
    ):
        network = case.network(**build_options)
        there = case.network(**build_options).to(xp)
        probe = case.probe(network)
        classes = case.rng.integers(0, case.input_size, (case.T, case.B))
        state = None if build_options else probe.state
        for p in (probe._replace(state=state), probe._replace(x=classes, state=state)):
            with sealed():
                got = run(there, p.map(xp.asarray), **options)
            assert {xp_of(a) for a in got.values()} == {xp}
            assert_same({name: to_numpy(a) for name, a in got.items()}, run(network, p, **options), tolerance)
