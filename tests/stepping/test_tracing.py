"""What `trace` records is what happened: every cell's values, its gradients, and the numerical ones beside them."""

import copy
import tracemalloc

import numpy as np
import pytest
from planted import student

import tinyrnn as tr
from tinyrnn.cells import CELLS
from tinyrnn.checking.probe import ragged_mask
from tinyrnn.checking.random_probe import make_probe
from tinyrnn.core.cell import Cell
from tinyrnn.stepping.recording import AGREES, as_array

T, B = 3, 2


def made(name, **options):
    cls, own = CELLS[name]
    return cls(2, 4, rng=0, **own, **options)


def given(cell, rng=1):
    """x and the other random inputs of a whole forward and backward pass; gradients come down at every step."""
    probe = make_probe(cell, T, B, np.random.default_rng(rng))
    return probe.x, {"state": probe.state, "dh": probe.dh, "dstate": probe.dstate}


def backward_of(cell, x, state=None, dh=None, dstate=None, mask=None, **options):
    _, tape = cell.forward(x, state, mask)
    return cell.backward(dh, tape, dstate, **options)


def assert_results(recording, back):
    results = recording.data["results"]
    assert set(results["params"]) == set(back.params)
    pairs = [(recording.array(results["params"][name]), d) for name, d in back.params.items()]
    pairs += [(recording.array(k), d) for k, d in zip(results["state"], back.state, strict=True)]
    pairs += [] if back.inputs is None else [(recording.array(results["inputs"]), back.inputs)]
    for recorded, expected in pairs:
        np.testing.assert_allclose(recorded, expected, rtol=1e-7, atol=1e-8 * max(1, abs(expected).max()))


def assert_agreement(recording):
    """Analytic and numerical gradients agree on every line that has both; nothing is accused."""
    errors = [event.error for event in recording if event.numerical is not None]
    assert errors and max(errors) < AGREES
    assert recording.find(wrong=True) is None and recording.data["accusations"] == []


STEP_BACK = ("step_backward", ".gradients")


def without_numerical(recording):
    """Backward lines that make something and are compared with nothing, though it is no partial sum.

    A partial sum is a value to which a later line of the same step adds: that one has the whole gradient.
    """
    found, whole = [], set()
    for event in reversed(list(recording)):
        place = event.layer, event.t, event.name
        if event.numerical is not None:
            whole.add(place)
        elif event.backward and event.kind != "given" and place not in whole:
            found.append(event)
    return [event for event in found if event.function.endswith(STEP_BACK)]


@pytest.fixture(scope="module", params=CELLS)
def run(request):
    cell = made(request.param)
    x, options = given(cell)
    return cell, x, options, tr.trace(cell, x, numerical=True, triangle=False, **options)


# every cell -----------------------------------------------------------------------------------------------------------


def test_the_recorded_gradients_are_those_of_backward(run):
    cell, x, options, recording = run
    assert_results(recording, backward_of(cell, x, **options))


def test_the_running_weight_gradients_end_as_the_whole_ones(run):
    cell, x, options, recording = run
    derives = type(cell).derive is not Cell.derive
    running = recording.step_at(0, 0)["running"]
    if not derives:
        for name, d in backward_of(cell, x, **options).params.items():
            np.testing.assert_allclose(recording.array(running[name]), d, rtol=1e-7, atol=1e-7)
    assert cell.chunked is False or all(step["running"] for step in recording.steps)


def test_analytic_and_numerical_gradients_agree_on_every_line(run):
    assert_agreement(run[3])


def test_every_line_of_a_backward_step_has_a_numerical_gradient_or_is_a_partial_sum(run):
    assert any(event.backward and event.function.endswith(STEP_BACK) for event in run[3])
    assert without_numerical(run[3]) == []


def test_what_leaves_a_step_arrives_at_the_one_before_it_and_gradients_from_above_are_added(run):
    cell, _, options, recording = run
    for t in range(1, T):
        leaving, arriving = recording.step_at(0, t)["leaving"], recording.step_at(0, t - 1)["arriving"]
        for name in cell.states:
            above = recording.array(arriving[name]) - recording.array(leaving[name])
            if name != cell.states[0]:
                np.testing.assert_allclose(above, 0, atol=1e-7)
            elif cell.output_size == above.shape[1]:
                np.testing.assert_allclose(above, options["dh"][t - 1], atol=1e-7)


def test_forward_lines_come_first_in_the_order_of_time_and_backward_lines_against_it(run):
    recording = run[3]
    times = [event.t for event in recording if event.t is not None]
    turn = sum(event.t is not None for event in recording if not event.backward)
    assert times[:turn] == sorted(times[:turn]) and times[turn:] == sorted(times[turn:], reverse=True)


# other networks, and what happens around a cell -----------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["elman", "lstm", "gru", "lmn", "qrnn"])
@pytest.mark.parametrize("case", ["mask", "truncate", "clip_state", "learn_state"])
def test_what_happens_around_a_cell_is_recorded_as_it_happens(name, case):
    cell = made(name, **{"clip_state": {"clip_state": 0.5}, "learn_state": {"learn_state": True}}.get(case, {}))
    x, options = given(cell)
    if case == "learn_state":
        del options["state"]
    if case == "mask":
        options["mask"] = ragged_mask(np, T, B)
    if case == "truncate":
        options["truncate"] = 2
    recording = tr.trace(cell, x, numerical=True, triangle=False, **options)
    assert_results(recording, backward_of(cell, x, **options))
    assert_agreement(recording)


NETWORKS = {
    "stack": lambda: tr.Stack(tr.GRU(2, 3, rng=0), tr.Elman(3, 4, rng=1)),
    "both directions": lambda: tr.Bidirectional(tr.Elman(2, 3, rng=0), tr.GRU(2, 3, rng=1)),
    "both directions and a stack": lambda: tr.Stack(
        tr.Bidirectional(tr.Elman(2, 3, rng=0), tr.Elman(2, 3, rng=1)), tr.LSTM(6, 2, rng=2)
    ),
    "a student's own": student,
}


@pytest.mark.few(2)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_of_several_layers_and_a_students_own_are_recorded(name, masked):
    network = NETWORKS[name]()
    x, options = given(network)
    mask = ragged_mask(np, T, B) if masked else None
    recording = tr.trace(network, x, mask=mask, numerical=True, triangle=False, **options)
    assert_results(recording, backward_of(network, x, mask=mask, **options))
    assert_agreement(recording)
    assert {event.layer for event in recording} - {None} == set(range(len(recording.layers)))
    for layer, described in enumerate(recording.layers):
        step = recording.step_at(layer, T - 1)
        assert list(step["arriving"]) == described["states"]


@pytest.mark.few(2)
@pytest.mark.parametrize("at", ["every", "last"])
@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
def test_a_model_is_recorded_from_its_loss_down(at, loss):
    model = tr.Model(tr.LSTM(2, 3, rng=0), tr.Readout(3, 6, rng=1), loss=loss, at=at)
    probe = make_probe(model, T, B, np.random.default_rng(2))
    options = {"state": probe.state, "mask": ragged_mask(np, T, B)} if at == "every" else {"state": probe.state}
    recording = tr.trace(model, probe.x, target=probe.target, numerical=True, **options)
    expected = model.gradients(probe.x, probe.target, options.get("mask"), probe.state)
    for name, d in expected.params.items():
        np.testing.assert_allclose(recording.array(recording.data["results"]["params"][name]), d, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(recording.data["loss"], expected.loss, rtol=1e-8)
    assert_agreement(recording)
    assert any(event.layer is None and event.backward for event in recording)


@pytest.mark.few(1)
@pytest.mark.parametrize("make", [tr.GRU, tr.QRNN, tr.LMN])
def test_class_numbers_may_go_in(make):
    cell = make(5, 3, rng=0)
    x = np.random.default_rng(0).integers(0, 5, (T, B))
    recording = tr.trace(cell, x, numerical=True)
    dh = np.zeros((T, B, 3))
    dh[-1] = 1
    assert_results(recording, backward_of(cell, x, dh=dh))
    assert_agreement(recording)


def test_class_numbers_may_go_into_a_students_cell():
    def step(p, x, state):
        h = np.tanh(p["W"][x] + state[0] @ p["U"])
        return (h,), (x, state[0], h)

    def step_backward(p, cache, dstate):
        x, h_prev, h = cache
        da = dstate[0] * (1 - h * h)
        dW = np.zeros((5, 3))
        np.add.at(dW, x, da)
        return None, (da @ p["U"].T,), {"W": dW, "U": h_prev.T @ da}

    rng = np.random.default_rng(0)
    params = {"W": rng.normal(size=(5, 3)), "U": rng.normal(size=(3, 3))}
    cell = tr.StepCell(step, step_backward, params=params, input_size=5, state_sizes=3)
    assert_agreement(tr.trace(cell, rng.integers(0, 5, (T, B)), numerical=True))


def test_a_network_in_single_precision_is_recorded_in_double():
    cell = tr.LSTM(2, 3, rng=0, dtype="float32")
    recording = tr.trace(cell, T=T, numerical=True)
    assert_agreement(recording)
    np.testing.assert_allclose(recording.array(recording.data["params"]["W_x"]), cell.params["W_x"], rtol=1e-7)
    assert cell.params["W_x"].dtype == np.float32


def test_nothing_that_is_passed_in_is_changed():
    network = tr.Stack(tr.LSTM(2, 3, rng=0), tr.Elman(3, 4, rng=1))
    x, options = given(network)
    options["mask"] = ragged_mask(np, T, B)
    before, params = copy.deepcopy((x, options)), copy.deepcopy(dict(network.params))
    tr.trace(network, x, numerical=True, **options)
    np.testing.assert_equal((x, options), before)
    np.testing.assert_equal(dict(network.params), params)


def test_a_seed_makes_the_same_recording_again():
    one, same, other = (tr.trace(tr.Elman(2, 3, rng=0), rng=rng).to_json() for rng in (0, 0, 1))
    assert one == same and one != other


# some of it only ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_long_run_can_be_recorded_in_part_and_takes_little_memory():
    cell = tr.Elman(2, 3, rng=0)
    tracemalloc.start()
    recording = tr.trace(cell, T=5000, B=1, steps=(4990, 4995), names=["h", "dh", "da"], numerical=[4992])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert {event.t for event in recording} == set(range(4990, 4995))
    assert {event.name for event in recording} == {"h", "dh", "da"}
    assert {step["t"] for step in recording.steps} == set(range(4990, 4995))
    assert {event.t for event in recording if event.numerical is not None} == {4992}
    assert most < 20 * 2**20


def test_a_part_has_the_values_that_the_whole_has():
    cell = tr.Elman(2, 3, rng=0)
    whole, part = tr.trace(cell), tr.trace(cell, steps=(1, 3), names=["h", "dh_prev"])
    kept = [event for event in whole if event.name in ("h", "dh_prev") and event.t in (1, 2)]
    assert [(e.name, e.t, e.kind) for e in part] == [(e.name, e.t, e.kind) for e in kept]
    np.testing.assert_equal([event.value for event in part], [event.value for event in kept])


def test_arrays_that_are_too_large_keep_their_shape_only():
    recording = tr.trace(tr.Elman(2, 3, rng=0), T=1, B=2, largest=4)
    event = recording[recording.find(name="h")]
    assert event.value is None
    assert recording.arrays[recording.events["value"][event.number]] == [[2, 3], None]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"T": 0}, "at least one time step"),
        ({"steps": (7, 9)}, "none of the 3 time steps"),
        ({"numerical": [5]}, r"numerical: \[5\] are not among"),
        ({"x": np.zeros((3, 2, 5))}, "x must have shape"),
    ],
)
def test_what_cannot_be_recorded_is_refused_in_one_line(options, message):
    with pytest.raises(ValueError, match=message) as caught:
        tr.trace(tr.Elman(2, 3, rng=0), **{"T": 3, **options})
    assert "\n" not in str(caught.value)


def test_only_networks_are_recorded():
    with pytest.raises(TypeError, match="or a network; got int"):
        tr.trace(3)


def test_an_error_in_a_students_code_says_where_it_is():
    def step_backward(p, cache, dstate):
        return cache.nothing

    with pytest.raises(ValueError, match=r"test_tracing.py:\d+, in step_backward: AttributeError"):
        tr.trace(student(step_backward=step_backward))


def test_each_part_of_the_state_has_a_triangle():
    recording = tr.trace(tr.LSTM(2, 3, rng=0), T=4, numerical=False)
    found = recording.data["triangle"]
    assert found["state"] == "h" and set(found["others"]) == {"c"}
    for state, norms in {"h": found["norms"], **found["others"]}.items():
        arriving = [as_array(recording.arrays, recording.step_at(0, t)["arriving"][state]) for t in range(4)]
        np.testing.assert_allclose(norms[3], [np.linalg.norm(d) for d in arriving], rtol=1e-7)


def test_the_triangle_is_that_of_the_last_step_where_the_loss_is():
    recording = tr.trace(tr.Elman(2, 3, rng=0), T=4)
    norms = np.array(recording.data["triangle"]["norms"])
    assert norms.shape == (4, 4) and (np.triu(norms, 1) == 0).all()
    for t in range(4):
        arriving = as_array(recording.arrays, recording.step_at(0, t)["arriving"]["h"])
        np.testing.assert_allclose(norms[3, t], np.linalg.norm(arriving), rtol=1e-7)
