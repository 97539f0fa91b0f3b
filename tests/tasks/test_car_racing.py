"""CarRacing: recordings are whole and repeatable, sequences are cut out of them rightly, and prediction is learnt."""

import importlib.util
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tinyrnn.commands.main import main
from tinyrnn.nn.losses import sample_mixture
from tinyrnn.tasks import CarRacing, car_racing_autoencoder
from tinyrnn.tasks.car_racing import read_recording
from tinyrnn.tasks.car_racing_recording import compress, record, shrink
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

SMALL = Path(__file__).parents[1] / "data" / "car_racing_small.npz"  # numbers of twelve real drives, 100 steps of each


class Drawing:
    """Stands in for Gymnasium's environment: smooth pictures that follow the actions, and drives of uneven length."""

    def reset(self, seed):
        self.rng = np.random.default_rng(seed)
        self.place, self.left, self.closed = self.rng.uniform(0, 6, 3), 50 + self.rng.integers(5, 20), False
        return self.picture(), {}

    def step(self, action):
        assert action.shape == (3,) and action.dtype == np.float32
        assert -1 <= action[0] <= 1 and 0 <= action[1] <= 1 and 0 <= action[2] <= 1 and not action[1] * action[2]
        self.place = self.place + action + 0.1 * self.rng.normal(size=3)
        self.left -= 1
        return self.picture(), 0.0, self.left == 0, False, {}

    def picture(self):
        rows, columns = np.mgrid[:96, :96] / 30
        x, y, width = self.place  # of a lamp on a wavy ground
        lamp = np.exp(-((rows - 1.4 - np.sin(x)) ** 2 + (columns - 1.6 - np.sin(y)) ** 2) * (3 + np.cos(width)))
        waves = [np.sin(k * rows + x) * np.cos(columns * k + y) / 2 - lamp for k in (1, 2, 3)]
        return (175 + 75 * np.stack(waves, axis=-1)).astype("uint8")

    def close(self):
        self.closed = True


def made_up(path, lengths, steps=12, held_out=1, **changes):
    """Writes a recording of three latents that say where they are: 100 rollout + step, plus 0, 0.1 and 0.2."""
    R = len(lengths)
    z = 100.0 * np.arange(R)[:, None, None] + np.arange(steps + 1)[:, None] + 0.1 * np.arange(3)
    actions = np.random.default_rng(0).uniform(size=(R, steps, 3))
    arrays = {"latents": z, "actions": actions, "lengths": np.array(lengths), "held_out": np.array(held_out)}
    np.savez(path, **{name: value for name, value in (arrays | changes).items() if value is not None})
    return str(path)


# sequences


def test_the_target_is_the_next_step_of_the_same_rollout_and_the_input_has_the_action(tmp_path):
    task = CarRacing(file=made_up(tmp_path / "r.npz", [12, 9, 4, 12]), latents=3, steps=5)
    recording = read_recording(task.file)
    seen = set()
    for batch in task.batch(0, 0, 4, "float64"), task.batch(0, 1, 4, "float64"), *task.test_batches(9, "float64"):
        assert batch.x.shape == (5, batch.x.shape[1], 6) and batch.target.shape == (5, batch.x.shape[1], 3)
        mask = np.ones(batch.x.shape[:2], bool) if batch.mask is None else batch.mask
        assert not batch.x[~mask].any() and not batch.target[~mask].any()
        np.testing.assert_allclose(batch.target[mask], batch.x[..., :3][mask] + 1, atol=1e-4)
        for place, action in zip(batch.x[mask][:, 0], batch.x[mask][:, 3:], strict=True):
            rollout, step = divmod(round(place), 100)
            assert step < recording.lengths[rollout]
            np.testing.assert_array_equal(action, recording.actions[rollout, step])
            seen.add((rollout, step))
    everything = {(k, t) for k, length in enumerate(recording.lengths) for t in range(length)}
    # of the 3 + 2 + 1 training sequences, an epoch of batches of 4 shows one batch; two epochs nearly everything
    assert seen <= everything and {pair for pair in everything if pair[0] == 3} <= seen


def test_training_and_test_sequences_come_from_different_rollouts(tmp_path):
    task = CarRacing(file=made_up(tmp_path / "r.npz", [10] * 7, held_out=2), latents=2, steps=10)
    trained = {int(place // 100) for step in range(5) for place in task.batch(3, step, 1).x[0, :, 0]}
    tested = [int(place // 100) for batch in task.test_batches(1) for place in batch.x[0, :, 0]]
    assert trained == {0, 1, 2, 3, 4} and tested == [5, 6]


@pytest.mark.parametrize("size", [1, 2, 6])
def test_an_epoch_shows_every_sequence_once_and_the_next_in_another_order(tmp_path, size):
    task = CarRacing(file=made_up(tmp_path / "r.npz", [12, 9, 4, 12]), latents=1, steps=5)
    assert task.train_size == 6
    epochs = []
    for epoch in range(3):
        steps = range(epoch * 6 // size, (epoch + 1) * 6 // size)
        epochs.append([place for step in steps for place in task.batch(0, step, size).x[0, :, 0].tolist()])
        assert sorted(epochs[-1]) == [0, 5, 10, 100, 105, 200]
    assert not epochs[0] == epochs[1] == epochs[2]


def test_a_batch_without_padding_has_no_mask_and_a_short_rollout_has_one(tmp_path):
    whole = CarRacing(file=made_up(tmp_path / "a.npz", [12, 12, 12]), latents=1, steps=6)
    assert whole.batch(0, 0, 4).mask is None
    ragged = CarRacing(file=made_up(tmp_path / "b.npz", [7, 12, 12]), latents=1, steps=6)
    assert sorted(ragged.batch(0, 0, 4).mask.sum(axis=0).tolist()) == [1, 6, 6, 6]


def test_the_baseline_is_the_loss_of_the_best_gaussian_of_each_latent_over_the_training_targets(tmp_path):
    rng = np.random.default_rng(0)
    z = rng.normal(2, [0.5, 3.0], size=(4, 13, 2))
    task = CarRacing(file=made_up(tmp_path / "r.npz", [12, 5, 12, 12], latents=z), latents=2, steps=12)
    targets = np.concatenate([z[0, 1:], z[1, 1:6], z[2, 1:]]).astype("float32").astype("float64")
    sigma = targets.std(axis=0)
    expected = (
        0.5 * ((targets - targets.mean(axis=0)) / sigma) ** 2 + np.log(sigma) + 0.5 * math.log(2 * math.pi)
    ).mean()
    assert math.isclose(task.baseline, expected, rel_tol=1e-9)


def test_sizes_need_no_data_and_follow_latents_and_mixtures():
    task = CarRacing(file="nowhere.npz")
    assert (task.input_size, task.output_size, task.steps) == (35, 480, 250)
    assert CarRacing(latents=2, mixtures=3).output_size == 18


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_batches_depend_on_their_arguments_alone(tmp_path, dtype):
    file = made_up(tmp_path / "r.npz", [12, 9, 4, 12])
    one, two = (CarRacing(file=file, latents=3, steps=5).batch(1, 7, 3, dtype) for _ in range(2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.x.dtype == one.target.dtype == dtype


# files that are not right


def test_the_recording_is_looked_for_in_the_data_folder_and_then_in_the_cache(offline):
    data, cache = offline
    with pytest.raises(FileNotFoundError, match=f"{data} nor in {cache}: make it with `tinyrnn record car-racing`"):
        CarRacing().batch(0, 0, 1)
    cache.mkdir(parents=True)
    made_up(cache / "car_racing.npz", [12, 12])
    assert CarRacing(latents=3).batch(0, 0, 1).x.max() < 100
    made_up(data / "car_racing.npz", [12, 12], latents=np.random.default_rng(0).normal(1000, 1, size=(2, 13, 3)))
    assert CarRacing(latents=3).batch(0, 0, 1).x.max() > 900


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"actions": None}, "it has no actions"),
        ({"latents": np.zeros((4, 12, 3))}, r"latents is \(4, 12, 3\), expected \(4, 13, 3\)"),
        ({"latents": np.zeros((4, 13))}, r"latents is \(4, 13\)"),
        ({"actions": np.zeros((4, 12, 2))}, r"actions is \(4, 12, 2\), expected \(4, 12, 3\)"),
        ({"lengths": np.full((4, 1), 12)}, r"lengths is \(4, 1\), expected \(4,\)"),
        ({"lengths": np.array([12, 9, 4, 13])}, "whole numbers from 1 to 12"),
        ({"lengths": np.array([12, 9, 4, 0])}, "whole numbers from 1 to 12"),
        ({"held_out": np.array(4)}, "of its 4 rollouts, 4 are held out"),
        ({"held_out": np.array(0)}, "of its 4 rollouts, 0 are held out"),
        ({"latents": np.full((4, 13, 3), np.nan)}, "not finite"),
    ],
)
def test_a_file_that_is_no_recording_is_refused_in_one_line(tmp_path, changes, message):
    file = made_up(tmp_path / "r.npz", **({"lengths": [12, 9, 4, 12]} | changes))
    with pytest.raises(ValueError, match=message) as error:
        CarRacing(file=file, latents=3).batch(0, 0, 1)
    assert "\n" not in str(error.value) and file in str(error.value)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut short"])
def test_a_damaged_file_is_refused_in_one_line(tmp_path, content):
    (tmp_path / "r.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"r.npz is no npz file, or is damaged"):
        read_recording(tmp_path / "r.npz")


def test_a_truncated_recording_is_refused_in_one_line(tmp_path):
    path = tmp_path / "r.npz"
    path.write_bytes(SMALL.read_bytes()[:-2000])
    with pytest.raises(ValueError, match="damaged"):
        read_recording(path)


def test_more_than_the_recording_has_is_refused(tmp_path):
    file = made_up(tmp_path / "r.npz", [12, 9, 4, 12])
    with pytest.raises(ValueError, match="latents=4, but the recording has 3"):
        CarRacing(file=file, latents=4).batch(0, 0, 1)
    with pytest.raises(ValueError, match="a batch of 8 is more than the 6 training sequences"):
        CarRacing(file=file, latents=3, steps=5).batch(0, 0, 8)
    flat = made_up(tmp_path / "flat.npz", [12, 12], latents=np.ones((2, 13, 3)))
    with pytest.raises(ValueError, match="never changes"):
        _ = CarRacing(file=flat, latents=3).baseline


# recording


def test_a_recording_holds_standardised_uncorrelated_latents_and_the_frames_behind_them(tmp_path):
    path = record(tmp_path / "r.npz", rollouts=10, steps=30, latents=6, make=Drawing, progress=False)
    recording = read_recording(path)
    assert recording.held_out == 1 and len(set(recording.lengths.tolist())) > 1 and recording.lengths.max() < 20
    for z, actions, length in zip(*recording[:3], strict=True):
        assert not z[length + 1 :].any() and not actions[length:].any()
        assert z[: length + 1].any(axis=1).all()
    z = np.concatenate([z[: n + 1] for z, n in zip(recording.latents[:9], recording.lengths[:9], strict=True)])
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-3)
    np.testing.assert_allclose(z.T @ z / len(z), np.eye(6), atol=1e-3)
    with np.load(path) as arrays:
        assert (np.diff(arrays["explained"]) <= 0).all() and 0.8 < arrays["explained"].sum() < 1
    assert not list(tmp_path.glob("*unfinished*"))


def test_frames_come_back_from_their_latents(tmp_path):
    env = Drawing()
    record(tmp_path / "r.npz", rollouts=8, steps=30, latents=60, make=Drawing, progress=False)
    recording = read_recording(tmp_path / "r.npz")
    frame, _ = env.reset(3)
    small = shrink(frame)
    flat = recording.components.reshape(60, -1)
    z = (small.reshape(-1) - recording.mean.reshape(-1)) @ flat.T / recording.scale
    error = recording.frames(z[None])[0].astype(float) - small
    assert np.sqrt((error**2).mean()) < 0.15 * small.std()
    few = recording.frames(z[None, :2])[0].astype(float) - small
    assert (few**2).mean() > (error**2).mean()


def test_shrinking_takes_means_over_areas_and_cuts_the_instruments_off():
    frame = np.zeros((96, 96, 3), "uint8")
    frame[84:] = 255
    assert not shrink(frame).any()
    rows = np.broadcast_to(np.arange(96)[:, None, None], (96, 96, 3)).astype("uint8")
    expected = np.rint((np.arange(64) + 0.5) * 84 / 64 - 0.5)
    assert np.abs(shrink(rows)[:, 5, 1] - expected).max() <= 1
    columns = np.ascontiguousarray(rows.swapaxes(0, 1))
    assert np.abs(shrink(columns)[7, :, 2] - np.rint((np.arange(64) + 0.5) * 96 / 64 - 0.5)).max() <= 1
    assert (shrink(np.full((96, 96, 3), 77, "uint8")) == 77).all()


def test_an_interrupted_recording_goes_on_and_ends_in_the_same_numbers(tmp_path):
    made = []

    def interrupted():
        if len(made) == 3:
            raise KeyboardInterrupt
        made.append(Drawing())
        return made[-1]

    whole = record(tmp_path / "whole.npz", rollouts=5, steps=10, latents=4, make=Drawing, progress=False)
    with pytest.raises(KeyboardInterrupt):
        record(tmp_path / "r.npz", rollouts=5, steps=10, latents=4, make=interrupted, progress=False)
    assert not (tmp_path / "r.npz").exists() and all(env.closed for env in made)
    with pytest.raises(ValueError, match="other settings: go on with those, or remove it"):
        record(tmp_path / "r.npz", rollouts=5, steps=11, latents=4, make=Drawing, progress=False)
    made.clear()
    record(tmp_path / "r.npz", rollouts=5, steps=10, latents=4, make=interrupted, progress=False)
    assert len(made) == 2
    with np.load(tmp_path / "r.npz") as ours, np.load(whole) as theirs:
        assert set(ours) == set(theirs)
        for name in ours:
            np.testing.assert_array_equal(ours[name], theirs[name])


@pytest.mark.slow
def test_an_autoencoders_latents_and_frames_are_recorded_and_come_back(tmp_path):
    options = {"rollouts": 6, "steps": 30, "latents": 4, "make": Drawing, "progress": False, "width": 1}
    path = record(tmp_path / "r.npz", autoencoder=3, **options)
    recording = read_recording(path)
    with np.load(path) as arrays, np.load(record(tmp_path / "again.npz", autoencoder=3, **options)) as again:
        assert arrays["explained"] < 1 and set(arrays) == set(again) and "components" not in arrays
        for name in arrays:
            np.testing.assert_array_equal(arrays[name], again[name], err_msg=name)
    for z, length in zip(recording.latents, recording.lengths, strict=True):
        assert z[: length + 1].all() and not z[length + 1 :].any()
    frames = recording.frames(recording.latents[5])
    assert frames.shape == (31, 64, 64, 3) and frames.dtype == np.uint8 and frames.std() > 0
    np.testing.assert_array_equal(recording.frames(recording.latents[5, 3]), frames[3])
    with pytest.raises(ValueError, match="need all of its 4 latents"):
        recording.frames(recording.latents[..., :3])
    with pytest.raises(ValueError, match="autoencoder is incomplete"):
        recording._replace(vae={"W_e1": recording.vae["W_e1"]}).frames(recording.latents)
    task = CarRacing(file=str(path), latents=4, steps=5)
    assert task.sample(0, 2).x.shape == (5, 2, 7) and task.note == ""


def taught(updates):
    """Frames, and the autoencoder that has learnt from all of them for so long."""
    env = Drawing()
    frames = np.stack([shrink(env.reset(seed)[0]) for seed in range(200)])
    return frames, car_racing_autoencoder.train(frames, 4, updates, 4, 0, False, batch=8, lr=3e-3)


@pytest.mark.slow
def test_an_autoencoder_learns_and_its_latents_are_draws():
    frames, vae = taught(1)
    before = car_racing_autoencoder.held(vae, frames[:50])
    frames, vae = taught(40)
    after = car_racing_autoencoder.held(vae, frames[:50])
    assert before < -1.5 < -0.6 < after < 1  # 0: the mean frame
    mu, log_var = vae.encode(frames[:20].astype("float32") / 255)
    z = np.stack([car_racing_autoencoder.draw(vae, frames[:20], 0, number) for number in range(30)])
    deviations = (z - mu) / np.exp(log_var / 2)
    assert abs(deviations.mean()) < 0.07 and deviations.std() == pytest.approx(1, abs=0.05)


@pytest.mark.slow
def test_after_some_hundred_updates_an_autoencoder_tells_frames_apart():
    frames, vae = taught(300)
    assert 0.2 < car_racing_autoencoder.held(vae, frames[:50]) < 1


def test_the_held_out_rollouts_have_no_part_in_the_components(tmp_path):
    parts = []
    for k in range(4):
        frames = np.random.default_rng(k).integers(0, 255, (6, 64, 64, 3), dtype="uint8")
        parts.append(tmp_path / f"{k}.npz")
        np.savez(parts[-1], frames=frames, actions=np.zeros((5, 3), "float32"))
    before = compress(parts, 1, 5, 3, progress=False)
    np.savez(parts[-1], frames=frames // 2, actions=np.zeros((5, 3), "float32"))
    after = compress(parts, 1, 5, 3, progress=False)
    for name in ("mean", "components", "scale"):
        np.testing.assert_array_equal(before[name], after[name])
    assert not np.array_equal(before["latents"][3], after["latents"][3])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rollouts": 1}, "rollouts must be at least 2, got 1"),
        ({"steps": 0}, "steps must be at least 1"),
        ({"latents": 0}, "latents must be at least 1"),
        ({"autoencoder": -1}, "autoencoder must be at least 0, got -1"),
        ({"path": "r.txt"}, "something.npz, not r.txt"),
        ({"latents": 500}, "500 latents need more than 500 frames, but there are"),
    ],
)
def test_a_recording_that_cannot_be_is_refused(tmp_path, changes, message):
    options = {"path": "r.npz", "rollouts": 2, "steps": 4, "latents": 2} | changes
    with pytest.raises(ValueError, match=message):
        record(tmp_path / options.pop("path"), **options, make=Drawing, progress=False)


def test_a_recording_is_not_overwritten(tmp_path):
    (tmp_path / "r.npz").write_bytes(b"precious")
    with pytest.raises(FileExistsError, match="exists already"):
        record(tmp_path / "r.npz", make=Drawing, progress=False)
    assert (tmp_path / "r.npz").read_bytes() == b"precious"


def test_frames_that_never_change_are_refused(tmp_path):
    class Standing(Drawing):
        def picture(self):
            return np.full((96, 96, 3), 9, "uint8")

    with pytest.raises(ValueError, match="differ in only 0 directions"):
        record(tmp_path / "r.npz", rollouts=3, steps=5, latents=2, make=Standing, progress=False)


def test_without_gymnasium_the_command_says_in_one_line_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    assert main(["record", "car-racing", "--out", str(tmp_path / "r.npz")]) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.startswith("tinyrnn: CarRacing needs Gymnasium: pip install 'tinyrnn[car-racing]'")


@pytest.mark.slow
@pytest.mark.skipif(
    not (importlib.util.find_spec("gymnasium") and importlib.util.find_spec("Box2D")),
    reason="needs CarRacing itself: pip install 'tinyrnn[car-racing]'",
)
def test_the_command_records_real_drives(tmp_path):
    out = tmp_path / "r.npz"
    command = [sys.executable, "-m", "tinyrnn", "record", "car-racing", "--rollouts", "2", "--steps", "8"]
    done = subprocess.run([*command, "--latents", "3", "--out", str(out)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "2 rollouts, 16 steps; 3 components hold" in done.stdout
    recording = read_recording(out)
    frames = recording.frames(recording.latents[0])
    green = frames[..., 1].astype(int) - frames[..., 0] > 40  # the meadow
    assert frames.shape == (9, 64, 64, 3) and green.mean() > 0.3


# real numbers, few of them


def test_the_small_recording_is_real_standardised_data():
    recording = read_recording(SMALL)
    assert SMALL.stat().st_size < 200_000
    assert recording.latents.shape == (12, 101, 32) and recording.held_out == 2 and (recording.lengths == 100).all()
    assert 0.3 < recording.latents.std(axis=(0, 1)).min() and recording.latents.std(axis=(0, 1)).max() < 2
    held = (np.diff(recording.actions, axis=1) == 0).all(axis=-1).mean()
    assert 0.87 < held < 0.93  # an action is drawn anew with probability 0.1
    with pytest.raises(ValueError, match="no components"):
        recording.frames(recording.latents)


def settings(**changes):
    options = {"file": str(SMALL), "latents": 6, "mixtures": 2, "steps": 25} | changes.pop("task_options", {})
    common = {"task": "car-racing", "cell": "elman", "hidden": 24, "batch": 8, "lr": 5e-3, "clip_value": 1.0}
    return Settings(**{**common, "task_options": options, **changes})


def test_on_real_drives_a_network_soon_predicts_better_than_a_gaussian_without_memory():
    trainer = Trainer(settings(updates=150, compiled=False), None)
    before = trainer.test()["test_loss"]
    for _ in range(150):
        trainer.update()
    after = trainer.test()["test_loss"]
    assert after < trainer.task.baseline - 0.3 < before


def test_a_trained_network_rolls_forward_on_its_own_draws():
    trainer = Trainer(settings(updates=60, compiled=False), None)
    for _ in range(60):
        trainer.update()
    batch = next(trainer.task.test_batches(2))
    y, tape = trainer.model.forward(batch.x)
    state, rng, z = tape.state, np.random.default_rng(0), []
    for _ in range(30):
        z.append(sample_mixture(y[-1:], 6, rng, temperature=0.8))
        y, tape = trainer.model.forward(np.concatenate([z[-1], batch.x[:1, :, 6:]], axis=-1), state)
        state = tape.state
    z = np.concatenate(z)
    assert z.shape == (30, 2, 6) and np.isfinite(z).all() and 0.1 < z.std() < 10


def test_training_by_the_command_reports_the_loss_and_draws_it_although_it_may_be_negative(tmp_path, capsys):
    command = f"train car-racing --file {SMALL} --latents 4 --mixtures 2 --steps 20 --cell elman --hidden 8"
    command += f" --init chain --updates 4 --log-every 1 --no-compiled --out {tmp_path / 'run'}"
    assert main(command.split()) == 0
    said = capsys.readouterr().out
    assert re.search(r"test loss [-.\d]+ against the baseline [-.\d]+, 4 updates", said) and "%" not in said
    assert "principal components" in said
    assert (tmp_path / "run" / "curve.png").exists()


# synthetic numbers, whose best loss is known


@pytest.mark.slow
def test_the_loss_of_a_made_up_world_falls_to_nearly_that_of_its_own_law(tmp_path):
    """z turns by a fixed angle, is pushed by the first action, and takes one of two jumps: a mixture of two."""
    rng = np.random.default_rng(0)
    R, S, sigma, angle = 120, 40, 0.3, 0.7
    turn = 0.9 * np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    actions = rng.uniform(-1, 1, (R, S, 3))
    z = np.zeros((R, S + 1, 2))
    for t in range(S):
        jump = np.where(rng.random((R, 2)) < 0.3, -1, 1)
        z[:, t + 1] = z[:, t] @ turn + actions[:, t, :1] + jump + sigma * rng.normal(size=(R, 2))
    held_out = slice(R - 20, R)
    rest = z[held_out, 1:] - z[held_out, :-1] @ turn - actions[held_out, :, :1]
    density = sum(share * np.exp(-((rest - jump) ** 2) / (2 * sigma**2)) for share, jump in ((0.3, -1), (0.7, 1)))
    law = -np.log(density / (sigma * math.sqrt(2 * math.pi))).mean()

    world = {"file": made_up(tmp_path / "r.npz", [S] * R, S, held_out=20, latents=z, actions=actions), "latents": 2}
    options = {"task_options": {**world, "steps": S}, "cell_options": {"activation": "identity"}}
    trainer = Trainer(settings(**options, updates=1500, hidden=16, batch=20, schedule="cosine"), None)
    assert trainer.task.baseline > law + 1
    for _ in range(1500):
        trainer.update()
    assert law - 0.01 < trainer.test()["test_loss"] < law + 0.1
