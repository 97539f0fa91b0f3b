"""The long-memory tasks: their sequences are exactly the papers', and depend on their arguments alone."""

import json
import re
from dataclasses import asdict, fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.tasks import (
    TASKS,
    Adding,
    Copy,
    SequentialMNIST,
    VariableCopy,
    adding_baseline,
    clock_baseline,
    copy_baseline,
    guessing_baseline,
)

SYNTHETIC = [
    Copy(delay=20),
    Copy(total=41, codes="blank-last", delimiter="repeated", delimiter_class=True),
    VariableCopy(delay=20, recall="at"),
    Adding(steps=20),
    Adding(steps=20, marks="anywhere", channels="mark-value"),
]
MNIST = [SequentialMNIST(order=order) for order in ("pixels", "rows", "permuted")]


def name_of(value):
    return re.sub(r"\W+", "-", repr(value)) if not isinstance(value, str) else value


every_synthetic_task = pytest.mark.parametrize("task", SYNTHETIC, ids=name_of)
every_task = pytest.mark.parametrize("task", SYNTHETIC + MNIST, ids=name_of)
seeds = st.integers(0, 2**32)


def same(a, b):
    """Whether two batches are equal to the bit, dtypes included."""
    return all(x.dtype == y.dtype and np.array_equal(x, y) for x, y in zip(a[:2], b[:2], strict=True))


def copies(kind):
    return st.builds(
        kind,
        delay=st.integers(1, 9),
        symbols=st.integers(2, 5),
        length=st.integers(1, 5),
        codes=st.sampled_from(["blank-first", "blank-last"]),
        delimiter=st.sampled_from(["once", "repeated"]),
        recall=st.sampled_from(["after", "at"]),
        delimiter_class=st.booleans(),
    )


# Copy


@given(copies(Copy), seeds, st.integers(1, 5))
def test_copy_is_symbols_blanks_delimiter_blanks_and_recalls_the_symbols_at_the_end(task, seed, size):
    S, T, K = task.length, task.delay, task.symbols
    blank = 0 if task.codes == "blank-first" else K
    x, target, mask = task.sample(seed, size)
    assert x.shape == target.shape == (task.steps, size) and mask is None
    for seen, wanted in zip(x.T.tolist(), target.T.tolist(), strict=True):
        said = seen[:S]
        late = task.recall == "after"
        answer = [K + 1] * S if task.delimiter == "repeated" else [blank] * S
        cue = [K + 1, *answer] if late else [K + 1, *answer[1:]]
        assert seen == said + [blank] * (T - late) + cue
        assert wanted == [blank] * (T + S) + said
        assert set(said) <= set(range(1, K + 1) if blank == 0 else range(K))


def test_a_total_length_is_the_delay_plus_twice_the_symbols():
    total, delay = Copy(total=500), Copy(delay=480)
    assert total.steps == delay.steps == 500
    assert same(total.sample(3, 4), delay.sample(3, 4))


def test_copy_of_500_steps_is_that_of_orhan_and_pitkow():
    x, target, _ = Copy(total=500).sample(0, 50)
    assert set(np.unique(x[:10])) == set(range(1, 9))
    assert np.all(x[10:489] == 0) and 489 - 10 == 500 - 21
    assert np.all(x[-11] == 9) and np.all(x[-10:] == 0)
    assert np.all(target[:490] == 0) and np.array_equal(target[490:], x[:10])


@pytest.mark.parametrize("delimiter_class, classes", [(False, 9), (True, 10)])
def test_the_delimiter_has_an_output_class_only_on_demand(delimiter_class, classes):
    task = Copy(delay=5, delimiter_class=delimiter_class)
    assert (task.input_size, task.output_size) == (10, classes)


@pytest.mark.parametrize("kind", [Copy, VariableCopy])
def test_all_symbols_are_equally_likely_at_every_place(kind):
    task = kind(delay=2, symbols=4, length=3)
    x = task.sample(0, 8000).x
    share = (x[:3, :, None] == np.arange(1, 5)).mean(axis=1)
    assert np.abs(share - 0.25).max() < 0.02


# Variable-length copy


@given(copies(VariableCopy), seeds, st.integers(1, 5))
def test_variable_copy_recalls_the_symbols_right_after_the_delimiter(task, seed, size):
    S, T, K = task.length, task.delay, task.symbols
    blank = 0 if task.codes == "blank-first" else K
    x, target, _ = task.sample(seed, size)
    assert x.shape == target.shape == (T + 2 * S, size)
    for seen, wanted in zip(x.T.tolist(), target.T.tolist(), strict=True):
        late = task.recall == "after"
        cue = seen.index(K + 1)
        assert S <= cue <= S + T - late  # steps S+1 … S+T counted from 1, and one more where recall is "at"
        cues = (S + late) if task.delimiter == "repeated" else 1
        assert seen[S:] == [blank] * (cue - S) + [K + 1] * cues + [blank] * (task.steps - cue - cues)
        start = cue + late
        assert wanted == [blank] * start + seen[:S] + [blank] * (task.steps - start - S)


@pytest.mark.parametrize("recall, places", [("after", 6), ("at", 7)])
def test_the_variable_delimiter_is_equally_likely_on_every_possible_step(recall, places):
    task = VariableCopy(delay=6, length=3, recall=recall)
    x = task.sample(0, 6000 * places).x
    share = (x == task.symbols + 1).mean(axis=1)
    assert np.abs(share[3 : 3 + places] * places - 1).max() < 0.06
    assert share.sum() == pytest.approx(1)


# Adding


@given(
    st.integers(2, 30),
    st.sampled_from(["halves", "anywhere"]),
    st.sampled_from(["value-mark", "mark-value"]),
    st.sampled_from(["float32", "float64"]),
    seeds,
    st.integers(1, 5),
)
def test_adding_marks_two_values_and_wants_their_sum(steps, marks, channels, dtype, seed, size):
    task = Adding(steps, marks, channels)
    x, target, mask = task.sample(seed, size, dtype)
    assert x.shape == (steps, size, 2) and target.shape == (size, 1) and mask is None
    assert x.dtype == target.dtype == dtype
    value, mark = np.moveaxis(x, -1, 0)[:: 1 if channels == "value-mark" else -1]
    assert np.all((value >= 0) & (value <= 1))
    assert np.all((mark == 0) | (mark == 1)) and np.all(mark.sum(axis=0) == 2)
    if marks == "halves":
        assert np.all(mark[: steps // 2].sum(axis=0) == 1)
    assert np.array_equal((value * mark).sum(axis=0), target[:, 0])


@pytest.mark.parametrize(
    "marks, pairs",
    [
        ("halves", [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)]),
        ("anywhere", [(i, j) for j in range(5) for i in range(j)]),
    ],
)
def test_all_allowed_pairs_of_marks_are_equally_likely(marks, pairs):
    size = 2000 * len(pairs)
    mark = Adding(steps=5, marks=marks).sample(0, size).x[..., 1]
    found, counts = np.unique(mark.T, axis=0, return_counts=True)
    assert sorted(tuple(np.flatnonzero(row)) for row in found) == sorted(pairs)
    assert np.abs(counts / 2000 - 1).max() < 0.08


def test_the_order_of_the_channels_changes_nothing_else():
    a = Adding(9, channels="value-mark").sample(5, 4)
    b = Adding(9, channels="mark-value").sample(5, 4)
    assert np.array_equal(a.x, b.x[..., ::-1]) and np.array_equal(a.target, b.target)


# Baselines


@pytest.mark.parametrize(
    "task, value",
    [
        (Copy(delay=100), 0.173287),
        (Copy(delay=200), 0.094520),
        (Copy(delay=500), 0.039989),
        (Copy(delay=2000), 0.010294),
        (Copy(total=500), 0.041589),
        (VariableCopy(delay=100), 0.173287),
        (Adding(), 0.166667),
        (SequentialMNIST(), 2.302585),
    ],
    ids=name_of,
)
def test_the_baselines_have_the_published_values(task, value):
    assert task.baseline == pytest.approx(value, abs=6e-7)


def loss_of_frequencies(x, target):
    """Cross-entropy of a fitted predictor that sees only the time and the present input."""
    loss = 0
    for seen, wanted in zip(x, target, strict=True):
        for code in np.unique(seen):
            counts = np.unique(wanted[seen == code], return_counts=True)[1]
            loss -= counts @ np.log(counts / counts.sum())
    return loss / x.size


@pytest.mark.parametrize("codes", ["blank-first", "blank-last"])
@pytest.mark.parametrize("delimiter", ["once", "repeated"])
@pytest.mark.parametrize("recall", ["after", "at"])
def test_the_copy_baseline_is_the_loss_of_the_best_memoryless_predictor(codes, delimiter, recall):
    task = Copy(4, symbols=3, length=2, codes=codes, delimiter=delimiter, recall=recall)
    x, target, _ = task.sample(0, 10000)
    assert loss_of_frequencies(x, target) == pytest.approx(task.baseline, rel=2e-3)


@given(copies(VariableCopy), seeds)
def test_the_variable_copy_baseline_is_the_loss_of_guessing_when_a_symbol_is_due(task, seed):
    _, target, _ = task.sample(seed, 5)
    blank = 0 if task.codes == "blank-first" else task.symbols
    loss = np.mean((target != blank) * np.log(task.symbols))
    assert loss == pytest.approx(task.baseline)


@pytest.mark.parametrize("delay, symbols, length", [(6, 3, 2), (2, 4, 5), (1, 2, 3)])
def test_the_clock_baseline_is_the_loss_of_the_best_predictor_of_variable_copy_without_memory(delay, symbols, length):
    x, target, _ = VariableCopy(delay, symbols=symbols, length=length).sample(0, 30000)
    assert loss_of_frequencies(x, target) == pytest.approx(clock_baseline(symbols, length, delay), rel=1e-2)
    assert clock_baseline(symbols, length, delay) >= copy_baseline(symbols, length, delay + 2 * length)


@pytest.mark.parametrize("marks", ["halves", "anywhere"])
def test_the_adding_baselines_are_the_losses_of_predictors_with_that_many_addends(marks):
    x, target, _ = Adding(10, marks).sample(0, 40000, "float64")
    value, mark = x[..., 0], x[..., 1].astype(bool)
    addends = value.T[mark.T].reshape(-1, 2)
    for remembered in 0, 1, 2:
        answer = addends[:, :remembered].sum(axis=1) + (2 - remembered) / 2
        loss = np.mean((answer - target[:, 0]) ** 2)
        assert loss == pytest.approx(adding_baseline(remembered), rel=0.02)
    assert Adding().baseline == adding_baseline(0)


def test_validation_sequences_are_neither_tested_nor_trained_on():
    task = TASKS["adding"](steps=20)
    held_out = [np.concatenate([b.x for b in made(100)], axis=1) for made in (task.valid_batches, task.test_batches)]
    valid, test, train = (x[0, :, 0] for x in (*held_out, task.batch(seed=0, step=0, size=1000).x))
    assert len(valid) == len(test) == 1000
    assert not set(valid) & (set(test) | set(train))


def test_there_are_only_two_addends():
    with pytest.raises(ValueError, match="0, 1 or 2 addends, got 3"):
        adding_baseline(3)


def test_guessing_costs_the_log_of_the_number_of_classes():
    assert np.exp(guessing_baseline(7)) == pytest.approx(7)


# What all tasks share


@every_task
def test_the_sizes_and_kinds_of_a_batch_are_those_that_the_task_announces(task, small_mnist):
    x, target, mask = task.batch(0, 0, 6)
    assert x.shape[:2] == (task.steps, 6) and mask is None
    if x.ndim == 2:
        assert x.dtype == np.int64 and 0 <= x.min() and x.max() < task.input_size
    else:
        assert x.dtype == np.float32 and x.shape[2:] == (task.input_size,)
    expected = (task.steps, 6) if task.readout == "every" else (6,)
    if task.loss == "cross_entropy":
        assert target.dtype == np.int64 and target.shape == expected
        assert 0 <= target.min() and target.max() < task.output_size
    else:
        assert target.dtype == np.float32 and target.shape == (*expected, task.output_size)
    assert x.flags.c_contiguous and x.flags.writeable and target.flags.writeable


@every_task
def test_a_batch_depends_on_seed_and_step_alone(task, small_mnist):
    twin = type(task)(**asdict(task))
    wanted = [task.batch(seed, step, 6) for seed in (0, 1) for step in range(12)]
    again = [twin.batch(seed, step, 6) for seed in (1, 0) for step in reversed(range(12))][::-1]
    assert all(same(a, b) for a, b in zip(wanted, again, strict=True))
    assert not any(same(wanted[i], wanted[j]) for i in range(24) for j in range(i))


@every_task
def test_the_dtype_changes_the_rounding_and_nothing_else(task, small_mnist):
    single, double = task.batch(0, 1, 4, "float32"), task.batch(0, 1, 4, "float64")
    if single.x.ndim == 3:
        assert (single.x.dtype, double.x.dtype) == (np.float32, np.float64)
        assert np.array_equal(single.x, double.x.astype(np.float32))
    else:
        assert same(single, double)
    np.testing.assert_allclose(single.target, double.target, rtol=1e-6)


@every_task
def test_sample_takes_a_seed_or_goes_on_with_a_generator(task, small_mnist):
    rng = np.random.default_rng(5)
    first, second = task.sample(rng, 4), task.sample(rng, 4)
    assert same(first, task.sample(5, 4)) and not same(first, second)


@every_synthetic_task
def test_the_test_set_is_the_same_for_every_size_of_batch(task):
    whole = list(task.test_batches(1000))
    assert len(whole) == 1
    parts = list(task.test_batches(300, "float32"))
    assert [part.x.shape[1] for part in parts] == [300, 300, 300, 100]
    assert all(part.x.flags.c_contiguous and part.target.flags.c_contiguous for part in parts)
    joined = np.concatenate([part.target for part in parts], axis=1 if task.readout == "every" else 0)
    assert same(whole[0], (np.concatenate([part.x for part in parts], axis=1), joined))


@every_synthetic_task
def test_no_test_sequence_is_trained_on(task):
    tested = {column.tobytes() for batch in task.test_batches(1000) for column in np.moveaxis(batch.x, 1, 0)}
    assert len(tested) == 1000
    for seed in 0, 1, 2:
        for step in range(5):
            trained = {column.tobytes() for column in np.moveaxis(task.batch(seed, step, 1000).x, 1, 0)}
            assert not tested & trained


@every_synthetic_task
def test_the_first_batch_is_not_made_of_the_numbers_that_the_seed_itself_gives(task):
    # np.random.default_rng((seed, 0)) is np.random.default_rng(seed).
    assert not same(task.batch(3, 0, 5), task.sample(3, 5))


@every_task
def test_the_settings_survive_a_json_file(task):
    assert type(task)(**json.loads(json.dumps(asdict(task)))) == task


@pytest.mark.parametrize("name", TASKS)
def test_every_task_is_registered_under_its_name_and_documents_each_field(name):
    assert TASKS[name].name == name
    assert TASKS[name].baseline_name
    assert all(setting.metadata["help"] for setting in fields(TASKS[name]))


@pytest.mark.parametrize(
    "kind, settings, message",
    [
        (Copy, {}, "copy: give exactly one of delay (T) and total (T + 2S)"),
        (VariableCopy, {"delay": 5, "total": 25}, "copy-variable: give exactly one of delay"),
        (Copy, {"total": 20}, "copy: total must be at least 2 x length + 1 = 21, got 20"),
        (Copy, {"delay": 0}, "copy: delay must be a whole number of at least 1, got 0"),
        (Copy, {"delay": 5, "symbols": 1}, "copy: symbols must be a whole number of at least 2, got 1"),
        (Copy, {"delay": 5, "length": None}, "copy: length must be a whole number of at least 1, got None"),
        (Copy, {"delay": 5, "delimiter_class": 1}, "copy: delimiter_class must be True or False, got 1"),
        (Copy, {"delay": 5, "recall": "before"}, "copy: recall must be one of 'after', 'at', got 'before'"),
        (Adding, {"steps": 1}, "adding: steps must be a whole number of at least 2, got 1"),
        (Adding, {"steps": 10.0}, "adding: steps must be a whole number of at least 2, got 10.0"),
        (Adding, {"marks": "half"}, "adding: marks must be one of 'halves', 'anywhere', got 'half'"),
        (SequentialMNIST, {"valid": -1}, "mnist: valid must be a whole number of at least 0, got -1"),
        (
            SequentialMNIST,
            {"order": "columns"},
            "mnist: order must be one of 'pixels', 'rows', 'permuted', got",
        ),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_by_name(kind, settings, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)) as caught:
        kind(**settings)
    assert "\n" not in str(caught.value)


@every_task
def test_an_empty_batch_and_a_dtype_that_is_no_float_are_refused(task, small_mnist):
    draws = (
        lambda *a: task.sample(0, *a),
        lambda *a: task.batch(0, 0, *a),
        lambda *a: next(task.test_batches(*a)),
    )
    for draw in draws:
        with pytest.raises(ValueError, match="at least 1 sequence, got size=0"):
            draw(0)
        with pytest.raises(TypeError, match="float type such as 'float32', got 'int64'"):
            draw(4, "int64")


@every_task
@pytest.mark.parametrize("seed, step", [(-1, 0), (0, -1), (None, 0), (0, 1.0)])
def test_a_seed_and_a_step_are_whole_numbers_from_0_on(task, seed, step, small_mnist):
    with pytest.raises((ValueError, TypeError)):
        task.batch(seed, step, 4)
