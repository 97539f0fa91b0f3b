"""Networks worked out on paper: they solve their tasks, as well as was said and no better, and are ordinary models."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.analysis.constructed import copied, worst_error
from tinyrnn.analysis.constructions import (
    adding_gates,
    adding_lstm,
    adding_solution,
    copy_solution,
    counter,
    draw_angles,
    draw_codes,
    linear_lstm_step,
    linear_lstm_step_backward,
    rotations,
)
from tinyrnn.tasks import Adding, Copy, VariableCopy

PAPER = {"codes": "blank-last", "delimiter_class": True}
COPIES = {
    "Henaff": Copy(delay=30, length=5, **PAPER),
    "Arjovsky": Copy(delay=30, length=5),
    "Orhan": Copy(total=40, length=5),
    "expRNN": Copy(delay=30, length=5, recall="at"),
    "TCN": Copy(delay=30, length=5, delimiter="repeated", delimiter_class=True),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name", COPIES)
def test_with_a_threshold_every_output_is_right_in_every_convention_of_the_task(name):
    task = COPIES[name]
    whole, recalled = copied(copy_solution(task, 256, rng=0), task, task.sample(1, 200))
    assert whole.all() and recalled.all()


def test_the_literal_solution_is_wrong_at_the_delimiter_and_nowhere_else():
    task = COPIES["Henaff"]
    batch = task.sample(1, 100)
    y, _ = copy_solution(task, 256, rng=0, variant="literal").forward(batch.x)
    wrong = y.argmax(axis=-1) != batch.target
    assert wrong[task.steps - task.length - 1].all() and wrong.sum() == 100


def test_the_literal_solution_from_zero_is_wrong_on_the_symbols_being_read_too():
    task = COPIES["Henaff"]
    batch = task.sample(1, 100)
    y, _ = copy_solution(task, 256, rng=0, variant="literal", start=0).forward(batch.x)
    wrong = y.argmax(axis=-1) != batch.target
    assert wrong[: task.length].all() and wrong.sum() == 100 * (task.length + 1)


def test_where_the_recall_begins_at_the_delimiter_the_literal_solution_is_right_everywhere():
    task = COPIES["expRNN"]
    whole, _ = copied(copy_solution(task, 256, rng=0, variant="literal"), task, task.sample(1, 100))
    assert whole.all()


@pytest.mark.slow
def test_512_rotations_get_every_output_right_over_500_steps():
    task = Copy(delay=500, **PAPER)
    for seed in range(3):
        whole, _ = copied(copy_solution(task, 512, rng=seed), task, task.sample(seed, 40))
        assert whole.all()


def test_the_matrix_is_the_identity_after_t_plus_s_steps():
    V = rotations(draw_angles(32, 110, rng=0))
    assert np.abs(np.linalg.matrix_power(V, 110) - np.eye(64)).max() < 1e-12
    assert np.abs(np.linalg.matrix_power(V, 55) - np.eye(64)).max() > 1
    assert V[:2, :2] @ [1, 0] == pytest.approx([np.cos(draw_angles(32, 110, rng=0)[0]), V[1, 0]])


@given(st.integers(1, 6), st.integers(1, 50), st.integers(0, 2**32))
def test_all_angles_but_uniform_ones_are_multiples_of_the_periods(blocks, period, seed):
    for kind in ("roots", "equal"):
        turns = draw_angles(blocks, period, seed, kind) * period / (2 * np.pi)
        assert np.allclose(turns, np.round(turns), atol=1e-9)
    assert len(set(draw_angles(blocks, period, seed, "equal"))) == 1
    assert np.array_equal(draw_angles(blocks, period, kind=np.arange(blocks)), np.arange(blocks))


def test_codes_are_uniform_on_the_sphere():
    codes = draw_codes(4000, 3, rng=0)
    assert np.allclose(np.linalg.norm(codes, axis=1), 1)
    assert np.allclose(codes.mean(axis=0), 0, atol=0.03) and np.allclose(
        codes.T @ codes / 4000, np.eye(6) / 6, atol=0.02
    )


def test_the_last_unit_says_what_the_counter_says():
    for task in COPIES.values():
        for variant in ("literal", "threshold"):
            _, tape = copy_solution(task, 8, rng=0, variant=variant).forward(task.sample(0, 3).x)
            assert np.allclose(tape.layers["h"][:, :, -1], counter(task, variant).values(task)[:, None])


def test_bad_arguments_of_the_copy_solution_are_one_line():
    task = COPIES["Henaff"]
    for message, options in {
        "variant must be": {"variant": "other"},
        "angles must be one of": {"angles": "other"},
        "angles must have shape": {"angles": np.zeros(3)},
        "codes must have shape": {"codes": np.zeros((8, 3))},
        "period must be a positive integer": {"period": 0},
        "blocks must be a positive integer": {"blocks": 0},
    }.items():
        with pytest.raises(ValueError, match=message):
            copy_solution(task, **{"blocks": 8, **options})
    with pytest.raises(ValueError, match="whenever the delimiter comes"):
        copy_solution(VariableCopy(delay=30), 8)


# adding ---------------------------------------------------------------------------------------------------------------


adding_tasks = st.builds(
    Adding,
    steps=st.integers(2, 40),
    marks=st.sampled_from(["halves", "anywhere"]),
    channels=st.sampled_from(["value-mark", "mark-value"]),
)


@settings(deadline=None, max_examples=50)
@given(adding_tasks, st.integers(0, 2**32))
def test_one_unit_adds_whatever_the_marks_and_the_order_of_channels(task, seed):
    batch = task.sample(seed, 20, "float64")
    assert worst_error(adding_solution(), batch) <= 2.5e-16
    assert worst_error(adding_gates(task.channels), batch) == 0
    assert worst_error(adding_lstm(1e-8, channels=task.channels), batch) < 5e-15


def test_errors_at_750_steps_are_those_that_were_found():
    batch = Adding(steps=750).sample(0, 200, "float64")
    assert 0 < worst_error(adding_solution(), batch) <= 2.3e-16
    assert worst_error(adding_solution(units=8), batch) <= 2.3e-16
    assert worst_error(adding_gates(), batch) == 0


@given(st.integers(0, 2**32))
@settings(deadline=None, max_examples=25)
def test_a_value_without_a_mark_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    x, _, _ = Adding(steps=20).sample(rng, 10, "float64")
    other = x.copy()
    other[..., 0] = np.where(x[..., 1] == 1, x[..., 0], rng.random((20, 10)))
    for model in (adding_solution(), adding_gates()):
        assert np.array_equal(model.forward(x)[0], model.forward(other)[0])


def test_the_error_of_a_real_lstm_is_that_of_its_tanh():
    batch = Adding(steps=100).sample(0, 500, "float64")
    errors = np.array([worst_error(adding_lstm(scale), batch) for scale in (1e-1, 1e-2, 1e-3)])
    assert (errors <= 10 / 3 * np.array([1e-1, 1e-2, 1e-3]) ** 2).all()
    assert errors[1] / errors[2] == pytest.approx(100, rel=0.01)
    a, b = 0.7, 0.9  # one sequence by hand
    x = np.zeros((5, 1, 2))
    x[[1, 3], 0] = [[a, 1], [b, 1]]
    expected = np.tanh(np.tanh(0.1 * a) + np.tanh(0.1 * b)) / 0.1
    assert adding_lstm(0.1).forward(x)[0][0, 0] == pytest.approx(expected, rel=1e-14)


def test_gates_that_are_not_quite_open_cost_their_gap_at_every_step():
    for steps in (100, 400):
        batch = Adding(steps=steps).sample(0, 200, "float64")
        for gate in (12.0, 16.0):
            assert 0.4 < worst_error(adding_lstm(1e-7, gate), batch) / (steps * np.exp(-gate)) < 1.2


def test_bad_arguments_of_the_adding_solutions_are_one_line():
    for make in (lambda: adding_lstm(scale=0), lambda: adding_lstm(gate=-1), lambda: adding_gates("mark")):
        with pytest.raises(ValueError, match="must be"):
            make()


# all ------------------------------------------------------------------------------------------------------------------


MODELS = {
    "copy": lambda: copy_solution(Copy(delay=4, length=2, symbols=2), 3, rng=0),
    "copy, literal": lambda: copy_solution(Copy(delay=4, length=2, symbols=2, **PAPER), 3, rng=0, variant="literal"),
    "adding": lambda: adding_solution(2),
    "gates": adding_gates,
    "lstm": lambda: adding_lstm(0.1, 3),
}


@pytest.mark.parametrize("name", MODELS)
def test_constructions_are_models_whose_gradients_are_right(name):
    assert tr.gradcheck(MODELS[name]()).ok


@pytest.mark.parametrize("name", MODELS)
def test_constructions_can_be_saved_and_loaded(name, tmp_path):
    model = MODELS[name]()
    tr.interop.save(tmp_path / "it.safetensors", model)
    loaded = tr.interop.load(tmp_path / "it.safetensors", into=MODELS[name]() if name == "gates" else None)
    assert all(np.array_equal(loaded.params[key], value) for key, value in model.params.items())


def test_every_line_of_the_linear_lstm_is_right():
    assert tr.lines(linear_lstm_step, linear_lstm_step_backward).ok


def test_an_elman_network_does_what_a_linear_transition_network_does_but_for_the_square_of_the_scale():
    task = tr.tasks.Copy(delay=20, length=4, symbols=3)
    model = tr.constructions.copy_solution(task, 64, rng=0)
    x = task.sample(0, 10).x
    wanted, _ = model.forward(x)
    errors = []
    for scale in (1e-1, 1e-2, 1e-3):
        y, tape = tr.constructions.elman_of(model, scale).forward(x)
        errors.append(abs(y - wanted).max())
        assert abs(tape.layers["h"]).max() < 3 * scale
    assert errors[1] < 0.01 and errors[1] / errors[2] == pytest.approx(100, rel=0.05) and errors[0] > errors[1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tr.constructions.elman_of(tr.constructions.adding_solution()), "needs a Model of a LinearRNN without"),
        (lambda: tr.constructions.elman_of(tr.constructions.adding_lstm()), "needs a Model of a LinearRNN without"),
        (
            lambda: tr.constructions.elman_of(tr.constructions.copy_solution(tr.tasks.Copy(delay=5), 4, rng=0), 0),
            "scale must be positive",
        ),
    ],
)
def test_what_no_elman_network_is_made_of_is_refused_in_a_line(make, message):
    with pytest.raises(ValueError, match=message):
        make()
