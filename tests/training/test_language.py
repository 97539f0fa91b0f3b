"""Language models in training: the state is carried on through windows, evaluation, checkpoints and workers."""

import dataclasses
import re
import shlex

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from small_texts import write_penn, write_text
from worker_tasks import assert_same_weights, updated

from tinyrnn.cells import CELLS
from tinyrnn.commands.main import main
from tinyrnn.core.files import read_json
from tinyrnn.nn.losses import softmax_cross_entropy
from tinyrnn.tasks import TextFile
from tinyrnn.training import workers
from tinyrnn.training.evaluation import evaluate
from tinyrnn.training.plots import draw_curves, new_figure
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.sampling import draw
from tinyrnn.training.settings import Settings, build
from tinyrnn.training.trainer import Trainer
from tinyrnn.training.workers import Processes, Threads

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes

NETWORKS = {
    "lstm": {},
    "embedding and two layers": {"cell": "gru", "embedding": 5, "layers": 2},
    "learned initial state": {"cell": "lmn", "cell_options": {"learn_state": True}},
    "as it stands": {"compiled": False},
}


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """A small text file."""
    path = tmp_path_factory.mktemp("texts") / "small.txt"
    write_text(path)
    return str(path)


def tiny(text, window=20, random_windows=False, **changes):
    options = {"file": text, "window": window, "random_windows": random_windows, "test_streams": 3}
    fixed = {"dtype": "float64", "hidden": 7, "batch": 4, "updates": 8, "lr": 0.01, "log_every": 1, "save_every": 3}
    return Settings(**{"task": "text", "task_options": options, **fixed, **changes})


def streams(trainer):
    """All that the first epoch reads and asks for, (L, batch) each."""
    s, task = trainer.settings, trainer.task
    whole = TextFile(file=task.file, window=10**6).batch(s.seed, 0, s.batch)
    return whole.x, whole.target


# the state ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("random_windows", [False, True])
def test_windows_add_up_to_one_pass_over_the_streams_and_the_next_epoch_begins_anew(network, random_windows, text):
    settings = tiny(text, 100, random_windows, lr=0.0, **NETWORKS[network])
    trainer = Trainer(settings, None)
    for name, value in trainer.model.params.items():
        if name.endswith("_0"):
            value[...] = 0.5  # of a learned state: were it zero, nothing would tell it from none
    x, target = streams(trainer)
    whole = trainer.model.gradients(x, target).loss
    for epoch in 0, 1:
        total, steps = 0, 0
        while trainer.task.epoch(settings.seed, trainer.step, settings.batch) == epoch:
            n = len(trainer.task.batch(settings.seed, trainer.step, settings.batch).x)
            total, steps = total + n * trainer.update()[0], steps + n
        assert steps == len(x)
        assert total / steps == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("cell", CELLS)
def test_every_cell_goes_on_from_the_state_that_it_stopped_in(cell, text):
    trainer = Trainer(tiny(text, 23, cell=cell, hidden=8, batch=40, lr=0.0, compiled=False), None)
    x, target = streams(trainer)
    assert len(x) == 67
    total = sum(n * trainer.update()[0] for n in (23, 23, 21))
    assert total / 67 == pytest.approx(trainer.model.gradients(x, target).loss, rel=1e-10)


@pytest.mark.parametrize("network", NETWORKS)
def test_the_gradients_of_the_windows_add_up_to_truncated_backpropagation_through_the_streams(network, text):
    trainer = Trainer(tiny(text, 25, lr=0.0, **NETWORKS[network]), None)
    x, target = streams(trainer)
    wanted = trainer.model.gradients(x, target, truncate=25).params
    found = dict.fromkeys(wanted, 0)
    for _ in range(-(-len(x) // 25)):
        share = len(trainer.task.batch(0, trainer.step, 4).x) / len(x)
        found = {name: found[name] + share * g for name, g in trainer.gradients().params.items()}
        trainer.update()
    largest = max(abs(g).max() for g in wanted.values())
    for name, g in wanted.items():
        assert abs(found[name] - g).max() <= 1e-12 * largest, name


def test_an_update_that_is_computed_twice_finds_the_same_state(text):
    trainer = Trainer(tiny(text), None)
    trainer.update()
    once, twice = trainer.gradients(), trainer.gradients()
    assert once.loss == twice.loss
    assert all(np.array_equal(g, twice.params[name]) for name, g in once.params.items())


def test_checkpointing_in_windows_carries_the_same_state(text):
    plain, kept = (Trainer(tiny(text, checkpoint=c), None) for c in ("", "4"))
    losses = [[t.update()[0] for _ in range(8)] for t in (plain, kept)]
    assert losses[1] == pytest.approx(losses[0], rel=1e-9)


# evaluation -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("network", NETWORKS)
def test_evaluation_reads_each_stream_to_its_end_whatever_the_window(network, text):
    settings = tiny(text, **NETWORKS[network])
    _, model = build(settings)
    wide, narrow = (TextFile(file=text, window=window, test_streams=4) for window in (10**6, 17))
    (batch,) = wide.test_batches(250)
    assert batch.mask is not None  # streams of different lengths
    y, _ = model.forward(batch.x)
    wanted = softmax_cross_entropy(y, batch.target, batch.mask)[0]
    found = evaluate(model, narrow, narrow.test_batches(250))
    assert found["test_loss"] == pytest.approx(wanted, rel=1e-12)
    assert found["test_bpc"] == pytest.approx(wanted / np.log(2), rel=1e-12)
    hits = (y.argmax(axis=-1) == batch.target)[batch.mask]
    assert found["test_accuracy"] == pytest.approx(hits.mean())


def test_a_run_is_watched_on_the_validation_text_and_tested_at_its_end(text, tmp_path):
    trainer = Trainer(tiny(text, test_every=3, log_every=100), tmp_path / "run")
    result = trainer.run(progress=False)
    rows = trainer.folder.rows()
    assert [(row["step"], "valid_bpc" in row, "test_bpc" in row) for row in rows] == [
        (3, True, False),
        (6, True, False),
        (8, True, True),
    ]
    for row in rows:
        assert row["bpc"] == pytest.approx(row["loss"] / np.log(2))
        assert row["valid_bpc"] == pytest.approx(row["valid_loss"] / np.log(2))
    assert {name: result[name] for name in result if name.startswith(("valid_", "test_")) and name in rows[-1]}
    assert result["valid_bpc"] == rows[-1]["valid_bpc"] and result["test_bpc"] == rows[-1]["test_bpc"]


# resumed --------------------------------------------------------------------------------------------------------------


def weights_and_log(folder):
    _, arrays = RunFolder(folder).load_checkpoint()
    rows = [{k: v for k, v in row.items() if k != "seconds"} for row in RunFolder(folder).rows()]
    return {name: array.tobytes() for name, array in arrays.items()}, rows


@pytest.mark.parametrize("stop", [3, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 5, 6))])
@pytest.mark.parametrize("network", NETWORKS)
def test_a_resumed_run_is_the_same_to_the_bit(network, stop, text, tmp_path):
    settings = tiny(text, 150, True, updates=12, save_every=100, dtype="float32", **NETWORKS[network])
    assert {trainer_epoch(settings, k) for k in range(12)} == {0, 1, 2}
    Trainer(settings, tmp_path / "whole").run(progress=False)
    trainer = Trainer(settings, tmp_path / "stopped")
    trainer.folder.start(dataclasses.asdict(settings))
    for _ in range(stop):
        trainer.record(*trainer.update())
    trainer.save()
    for _ in range(2):  # these are lost
        trainer.record(*trainer.update())
    Trainer.resume(tmp_path / "stopped").run(progress=False)
    assert weights_and_log(tmp_path / "stopped") == weights_and_log(tmp_path / "whole")
    assert any(name.startswith("carried/") for name in weights_and_log(tmp_path / "whole")[0])


def trainer_epoch(settings, step):
    return build(settings)[0].epoch(settings.seed, step, settings.batch)


def test_a_checkpoint_without_the_states_is_damaged(text, tmp_path):
    Trainer(tiny(text), tmp_path / "run").run(progress=False)
    run = RunFolder(tmp_path / "run")
    record, arrays = run.load_checkpoint()
    kept = {name: array for name, array in arrays.items() if not name.startswith("carried/")}
    run.save_checkpoint(record["step"], kept, {"seed": 0, "seconds": 1.0})
    with pytest.raises(ValueError, match=r"is damaged .the carried states are not those of this network"):
        Trainer.resume(tmp_path / "run")


# workers --------------------------------------------------------------------------------------------------------------


@examples(max_examples=10)
@given(network=st.sampled_from([*NETWORKS]), n=st.integers(2, 4), random_windows=st.booleans())
def test_workers_that_carry_their_own_rows_find_the_gradients_of_one_process(text, network, n, random_windows):
    settings = tiny(text, 200, random_windows, workers=n, lr=0.0, **NETWORKS[network])
    one, several = Trainer(settings, None), Trainer(settings, None)
    with Threads(settings, several.model, several.carried) as several.workers:
        for _ in range(6):
            expected, found = one.gradients(), several.gradients()
            assert found.loss == pytest.approx(expected.loss, rel=1e-12)
            largest = max(abs(g).max() for g in expected.params.values())
            for name, g in expected.params.items():
                assert abs(found.params[name] - g).max() <= 1e-12 * largest, name
            one.update()
            several.update()
    for name, array in one.carried.arrays(one.step).items():
        assert abs(several.carried.arrays(several.step)[name] - array).max() <= 1e-13


def test_processes_carry_the_states_that_threads_do(text):
    settings = tiny(text, 150, True, workers=2)
    runs = [updated_with_states(settings, kind) for kind in (Threads, Processes)]
    assert_same_weights(*runs)


def updated_with_states(settings, kind):
    trainer = Trainer(settings, None)
    with kind(settings, trainer.model, trainer.carried) as trainer.workers:
        trainer.losses = [trainer.update()[0] for _ in range(settings.updates)]
    return trainer


def test_a_run_with_workers_is_resumed_to_the_bit(text, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "interpreter_lock", lambda: False)  # threads, which are sooner there than processes
    settings = tiny(text, 150, True, workers=2)
    Trainer(settings, tmp_path / "whole").run(progress=False)
    shorter = Trainer(dataclasses.replace(settings, updates=4), tmp_path / "longer")
    shorter.run(progress=False)
    Trainer.resume(tmp_path / "longer", updates=8).run(progress=False)
    assert weights_and_log(tmp_path / "longer")[0] == weights_and_log(tmp_path / "whole")[0]


def test_tasks_without_a_state_to_carry_have_none_in_their_checkpoints():
    settings = Settings(task_options={"delay": 3}, hidden=4, updates=2)
    assert not any(name.startswith("carried/") for name in updated(settings).arrays())


# the learning rate ----------------------------------------------------------------------------------------------------


def test_the_rate_drops_after_the_given_epochs_and_follows_random_windows(text):
    settings = tiny(text, 100, True, lr=0.5, drop_epochs="1,3", drop_by=0.1)
    trainer = Trainer(settings, None)
    seen = {}
    for step in range(60):
        trainer.step = step
        epoch = trainer.task.epoch(0, step, 4)
        factor = {0: 1, 1: 0.1, 2: 0.1}.get(epoch, 0.01)
        length = len(trainer.task.batch(0, step, 4).x)
        assert trainer.rate_now() == pytest.approx(0.5 * factor * length / 100)
        seen[epoch] = True
    assert max(seen) > 3


WRONG = {
    "both directions": ({"bidirectional": True}, "text is read from its beginning on, and cannot be bidirectional"),
    "no numbers": ({"drop_epochs": "soon"}, "drop_epochs must be numbers of epochs such as \"25,35\", got 'soon'"),
    "no epochs": (
        {"task": "copy", "task_options": {"delay": 3}, "drop_epochs": "2"},
        "copy has no epochs: its batches are drawn one by one",
    ),
    "no classes": (
        {"task": "adding", "task_options": {"steps": 5}, "embedding": 3},
        "adding has no classes to be embedded: embedding must be 0",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_no_language_model_can_have_is_refused_before_anything_is_written(case, text, tmp_path):
    changes, message = WRONG[case]
    with pytest.raises(ValueError, match=re.escape(message)):
        Trainer(tiny(text, **changes), tmp_path / "run").run(progress=False)
    assert not (tmp_path / "run").exists()


# what users see -------------------------------------------------------------------------------------------------------


def test_learning_curves_are_in_the_unit_of_the_sources(text):
    task = TextFile(file=text)
    rows = [{"step": k, "loss": 2 / k, "valid_loss": 3 / k} for k in range(1, 9)]
    _, axes = new_figure()
    draw_curves(axes, {"lstm": rows}, task)
    raw, _, circles, _, baseline = axes.lines
    assert raw.get_ydata() == pytest.approx([2 / k / np.log(2) for k in range(1, 9)])
    assert circles.get_ydata() == pytest.approx([3 / k / np.log(2) for k in range(1, 9)])
    assert baseline.get_ydata() == pytest.approx([task.baseline / np.log(2)] * 2)
    assert axes.get_ylabel() == "training loss (bits per character)"


@pytest.mark.parametrize(
    "task, unit", [("ptb-word", "perplexity per word"), ("ptb-char", "bits per character"), ("text", None)]
)
def test_a_model_is_trained_and_writes_text(task, unit, offline, text, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_penn(offline[0])
    more = f"--file {text}" if task == "text" else "--embedding 6 --random-windows"
    line = f"train {task} {more} --window 12 --hidden 8 --batch 4 --updates 6 --out run"
    assert main(shlex.split(line)) == 0
    out, err = capsys.readouterr()
    assert unit is None or (unit in out and f"= {re.split(' ', unit)[0]}" not in out and unit in err)
    result = read_json(tmp_path / "run/result.json")
    assert {"valid_loss", "test_loss", "test_accuracy"} < result.keys()
    samples = []
    for options in "", "", "--seed 1", "--temperature 0", "--temperature 0 --seed 1":
        assert main(shlex.split(f"sample run --length 40 {options}")) == 0
        samples.append(capsys.readouterr().out)
    assert samples[0] == samples[1] != samples[2] and samples[3] == samples[4] != samples[0]


def test_a_sample_is_drawn_from_what_the_network_says_after_the_text_before(text):
    task, model = build(tiny(text))
    first = task.encode("abc")
    drawn = draw(model, first, 30, temperature=0.5, rng=3)
    whole = np.array([*first, *drawn])
    y, _ = model.forward(whole[:-1, None])
    rng = np.random.default_rng(3)
    for logits, number in zip(y[2:, 0] / 0.5, drawn, strict=True):
        p = np.exp(logits - logits.max())
        assert number == rng.choice(len(p), p=p / p.sum())
    assert draw(model, first, 5, temperature=0) == greedy(model, first, 5)


def greedy(model, first, length):
    numbers = list(first)
    for _ in range(length):
        numbers.append(int(model.forward(np.array(numbers)[:, None])[0][-1, 0].argmax()))
    return numbers[len(first) :]


@pytest.mark.parametrize(
    "line, message",
    [
        ("sample nowhere", r"nowhere holds no run: there is no settings\.json"),
        ("sample copy", "copy holds a run of copy, which is no text"),
        ("sample run --start xyz", "text: the training text has no 'x'"),
        ("sample run --temperature -1", "length and temperature must be at least 0, got 500 and -1.0"),
    ],
)
def test_a_sample_that_cannot_be_is_a_mistake_of_one_line(line, message, text, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Trainer(tiny(text, updates=1), "run").run(progress=False)
    Trainer(Settings(task_options={"delay": 3}, hidden=4, updates=1), "copy").run(progress=False)
    assert main(shlex.split(line)) == 2
    out, err = capsys.readouterr()
    assert out == "" and re.fullmatch(f"tinyrnn: {message}\n", err), err
