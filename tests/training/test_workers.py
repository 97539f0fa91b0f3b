"""Workers: the same gradients as one process, the same run every time, and no worker dies unnoticed."""

import dataclasses
import sys
from types import SimpleNamespace

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits
from worker_tasks import HERE, Ragged, as_bytes, assert_same_weights, tiny, updated, weights

from tinyrnn.core.backend import cores
from tinyrnn.nn.losses.softmax import CROSS_ENTROPY
from tinyrnn.tasks import TASKS
from tinyrnn.training import shards, workers
from tinyrnn.training.settings import Settings, build
from tinyrnn.training.shards import counted, take
from tinyrnn.training.trainer import Diverged, Trainer
from tinyrnn.training.workers import Processes, Threads, WorkerFailed

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes

# |g - g'| of one process and of several, in float64, as a share of the largest entry of g: some hundred roundings.
BOUND = 1e-13


@pytest.fixture(autouse=True)
def more_tasks(monkeypatch):
    for name, task in HERE.items():
        monkeypatch.setitem(TASKS, name, task)


# the same as one process ----------------------------------------------------------------------------------------------

TASKS_HERE = {
    "copy": {},
    "adding": {"task": "adding", "task_options": {"steps": 9}},
    "ragged": {"task": "ragged", "task_options": {}},
    "ragged, a worker without any": {"task": "ragged", "task_options": {"empty": 3}},
    "ragged, at the last step": {"task": "ragged-last", "task_options": {}},
}
NETWORKS = {
    "lstm": {},
    "permutation, learned state, pools": {"cell": "urnn", "pool": 2, "optimiser": "rmsprop"},
    "layers, directions, truncation": {"layers": 2, "bidirectional": True, "truncate": 3, "average": True},
}


@pytest.mark.parametrize("task", TASKS_HERE)
@examples(max_examples=12)
@given(batch=st.integers(1, 9), share=st.floats(0, 1), seed=st.integers(0, 1000), network=st.sampled_from([*NETWORKS]))
def test_gradients_are_those_of_one_process_to_rounding(task, batch, share, seed, network):
    if task == "ragged, a worker without any":
        batch += 4
    several = max(2, round(share * batch))
    wanted = {**TASKS_HERE[task], **NETWORKS[network], "batch": max(batch, several), "seed": seed}
    settings = tiny(workers=several, **wanted)
    one = Trainer(settings, None)
    expected = one.gradients()
    with Threads(settings, one.model) as sharing:
        for block in sharing.blocks:
            block[...] = 255  # NaN: what was there before does not matter
        found = sharing.gradients(0)
    assert abs(found.loss - expected.loss) <= BOUND * abs(expected.loss)
    assert found.params.keys() == expected.params.keys()
    largest = max(abs(g).max() for g in expected.params.values())
    for name, g in expected.params.items():
        assert (found.params[name].shape, found.params[name].dtype) == (g.shape, g.dtype)
        assert abs(found.params[name] - g).max() <= BOUND * largest, name


@pytest.mark.parametrize("task", TASKS_HERE)
def test_weights_after_many_updates_are_those_of_one_process_to_rounding(task):
    settings = tiny(optimiser="sgd", lr=0.1, clip_norm=0.1, updates=20, **TASKS_HERE[task])
    one, several = updated(settings), updated(settings, Threads)
    for name, value in one.model.params.items():
        assert abs(several.model.params[name] - value).max() <= 1e-12, name


@given(workers=st.integers(1, 12), more=st.integers(0, 20), last=st.booleans(), seed=st.integers(0, 99))
def test_every_sequence_is_in_one_shard_and_no_shard_is_empty(workers, more, last, seed):
    whole = build(tiny(task="ragged-last" if last else "ragged", task_options={}))[0].batch(seed, 0, workers + more)
    readout = "last" if last else "every"
    shards = [take(whole, readout, k, workers) for k in range(workers)]
    sizes = [shard.x.shape[1] for shard in shards]
    assert min(sizes) >= 1 and max(sizes) - min(sizes) <= 1
    for part, axis in ("x", 1), ("target", -1), ("mask", 1):
        together = np.concatenate([getattr(shard, part) for shard in shards], axis)
        assert np.array_equal(together, getattr(whole, part)), part
    assert sum(counted(shard, readout, CROSS_ENTROPY) for shard in shards) == counted(whole, readout, CROSS_ENTROPY)


def test_a_batch_of_which_nothing_counts_is_the_error_that_it_is_in_one_process():
    settings = tiny(task="ragged", task_options={"empty": 5})
    with pytest.raises(ValueError, match="the mask is False everywhere"):
        updated(settings)
    with pytest.raises(WorkerFailed, match=r"^update 1: worker 1 of 2 failed with ValueError: .*False everywhere"):
        updated(settings, Threads)


def test_float32_stays_float32():
    arrays = updated(tiny(dtype="float32"), Threads).arrays().values()
    assert {value.dtype for value in arrays if value.dtype.kind == "f"} == {np.dtype("float32")}


def test_workers_see_arrays_that_are_no_longer_what_their_settings_make(tmp_path):
    """As after a resume with a checkpoint of another version, whose permutation is not the one drawn today."""
    settings = tiny(cell="urnn", task="ragged", task_options={})
    trainer, other = Trainer(settings, None), Trainer(dataclasses.replace(settings, seed=1), None)
    for name, value in trainer.model.params.items():
        value[...] = other.model.params[name]
    trainer.model.constants["layers.permutation"][...] = other.model.constants["layers.permutation"]
    expected = trainer.gradients()
    with Threads(settings, trainer.model) as sharing:
        found = sharing.gradients(0)
    for name, g in expected.params.items():
        assert abs(found.params[name] - g).max() <= BOUND * max(abs(g).max() for g in expected.params.values()), name


def test_numbers_that_overflow_in_a_worker_are_the_trainers_to_report():
    trainer = Trainer(tiny(cell="elman-identity"), None)
    trainer.model.params["layers.W_h"][...] = 1e200
    with (
        Threads(trainer.settings, trainer.model) as trainer.workers,
        pytest.raises(Diverged, match=r"^update 1: loss "),
    ):
        trainer.update()


# processes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "network, count", [("lstm", 2), pytest.param("permutation, learned state, pools", 3, marks=pytest.mark.slow)]
)
def test_processes_and_threads_give_the_same_run_to_the_bit(network, count):
    settings = tiny(task="ragged", task_options={}, workers=count, dtype="float32", **NETWORKS[network])
    updated(settings)  # has the cells compiled: if that failed once, on a busy machine, the rounding would be another
    with_threads = updated(settings, Threads)
    assert_same_weights(updated(settings, Threads), with_threads)
    assert_same_weights(updated(settings, Processes), with_threads)


def test_the_order_is_the_workers_whoever_is_ready_first(monkeypatch):
    class Pipe(SimpleNamespace):
        def send(self, step):
            self.step = step

        def recv(self):
            return self.answer

    sharing = object.__new__(Processes)
    sharing.pipes = [Pipe(answer=0.25), Pipe(answer=0.5), Pipe(answer=1.0)]
    sharing.processes = [SimpleNamespace(sentinel=k) for k in range(3)]
    monkeypatch.setattr(workers, "wait", lambda ready: [one for one in ready if isinstance(one, Pipe)][-1:])
    assert sharing.losses(7) == [0.25, 0.5, 1.0]
    assert [pipe.step for pipe in sharing.pipes] == [7, 7, 7]


def test_a_worker_is_limited_to_its_share_of_the_cores():
    settings = tiny(task="ragged", task_options={"fault": "threads"}, threads=64)
    share = max(1, cores() // 2)
    with pytest.raises(WorkerFailed, match=rf"ValueError: \[{share}\]$"):
        updated(settings, Processes)


@pytest.mark.parametrize(
    "available, count, asked, threads",
    [(8, 2, 1, 1), (8, 2, 0, 4), (8, 2, 3, 3), (8, 2, 6, 4), (2, 4, 0, 1)],
)
def test_threads_are_as_asked_but_never_more_than_the_cores_there_are(available, count, asked, threads, monkeypatch):
    monkeypatch.setattr(shards, "cores", lambda: available)
    assert shards.threads_each(tiny(workers=count, threads=asked)) == threads


# who is asked ---------------------------------------------------------------------------------------------------------


def test_a_run_has_processes_where_there_is_a_lock_and_threads_where_there_is_none(monkeypatch, tmp_path):
    chosen = []
    for kind in Processes, Threads:
        monkeypatch.setattr(kind, "__init__", lambda self, *_, name=kind.__name__: chosen.append(name))
    for locked in True, False:
        monkeypatch.setattr(sys, "_is_gil_enabled", lambda locked=locked: locked, raising=False)
        workers.start_workers(tiny(), None)
    monkeypatch.delattr(sys, "_is_gil_enabled")  # as before Python 3.13
    workers.start_workers(tiny(), None)
    assert chosen == ["Processes", "Threads", "Processes"]
    assert workers.start_workers(tiny(workers=1), None).__enter__() is None


def test_a_run_on_a_free_threaded_interpreter_has_the_weights_that_threads_give(monkeypatch, tmp_path):
    monkeypatch.setattr(workers, "interpreter_lock", lambda: False)
    settings = tiny()
    result = Trainer(settings, tmp_path / "run").run(progress=False)
    assert result["settings"]["workers"] == 2
    assert weights(tmp_path / "run") == (8, as_bytes(updated(settings, Threads).arrays()))


def test_threads_limit_the_matrix_products_while_they_last():
    def of_blas():
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    settings = tiny()
    with threadpool_limits(2, user_api="blas"):
        with Threads(settings, build(settings)[1]):
            assert of_blas() <= {1}
        assert of_blas() <= {2}


def test_more_workers_than_sequences_are_refused():
    with pytest.raises(ValueError, match=r"^workers must be at most the batch's 4 sequences, got 5$"):
        Settings(batch=4, workers=5)
    assert Settings(batch=4, workers=4).workers == 4


def test_settings_from_before_there_were_workers_mean_one():
    old = dataclasses.asdict(Settings())
    del old["workers"]
    assert Settings(**old).workers == 1


def test_arrays_on_a_device_are_refused():
    settings = tiny()
    model = build(settings)[1].to(array_api_strict)
    with pytest.raises(ValueError, match=r"^workers share NumPy arrays only, and params/.* is on a device: use one"):
        Processes(settings, model)


def test_tasks_of_these_tests_have_masks_that_differ():
    lengths = Ragged().batch(0, 0, 5).mask.sum(axis=0)
    assert len(set(lengths.tolist())) > 1
