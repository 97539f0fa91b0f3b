"""All cores: every batch sharded over workers that share the weights and hand back gradients, all in one memory.

    with start_workers(settings, model) as workers:         # from now on the model's arrays lie in shared memory
        out = workers.gradients(step)               # out.loss and out.params of batch number `step`
        optimiser.step(model.params, out.params)    # in place, so the workers see it

A batch is a function of the seed and its number, so no data are sent: the number goes down a pipe, worker k draws the
batch, takes its own sequences out of it, writes its gradients into its own block and sends back its part of the loss.

What the workers find is added up in their order, whichever was ready first, so for a given number of them a run is
repeatable to the bit; `tinyrnn.training.shards` says why the sum is what one process would find.

The workers are processes, for NumPy computes elementwise on one core and Python's threads wait for each other; on an
interpreter without the global lock they are threads. The memory has no name (an unlinked file, which a child inherits),
so nothing is left of it when the last process is gone, whatever killed it. A worker whose pipe closes ends.
"""

import concurrent.futures
import multiprocessing
import signal
import sys
from contextlib import contextmanager, nullcontext
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from tinyrnn.core.backend import xp_of
from tinyrnn.nn.saving import named_arrays
from tinyrnn.training.failures import WorkerFailed
from tinyrnn.training.shards import Shard, adopt, size, threads_each, views

PATIENCE = 10.0  # seconds that an idle worker has to end by itself


class Summed(NamedTuple):
    """loss: a float, the whole batch's. params: name -> gradient, new arrays. penalty: a float, the regularisers'."""

    loss: float
    params: dict
    penalty: float


def start_workers(settings, model, carried=None):
    """A context manager: the `Workers` that `settings.workers` asks for, or None if that is 1.

    model: the `Model` of these settings, whose arrays are moved, with their values, into memory that the workers see.
    carried: the `Carried` of a task that carries states from batch to batch, which are moved there too.
    Raises ValueError for arrays that are not NumPy's.
    """
    if settings.workers == 1:
        return nullcontext()
    return (Processes if interpreter_lock() else Threads)(settings, model, carried)


def interpreter_lock():
    """Whether only one thread of this interpreter runs Python at a time: not so on a free-threaded build."""
    return getattr(sys, "_is_gil_enabled", lambda: True)()


class Workers:
    """Base: the memory, and the sum. A subclass has `losses(step)`, and is a context manager."""

    def __init__(self, settings, model, carried, allocate):
        own = named_arrays(model)
        for name, array in own.items():
            if xp_of(array) is not np:
                raise ValueError(f"workers share NumPy arrays only, and {name} is on a device: use one worker")
        self.settings = settings
        self.weights = allocate(size(own))
        shared = views(self.weights, own)
        for name, array in own.items():
            shared[name][...] = array
        adopt(model, shared)
        self.params, self.dtype = model.params, model.dtype
        self.blocks = [allocate(size(self.params)) for _ in range(settings.workers)]
        self.states = carried.move(allocate) if carried is not None and carried.task.carries else None

    def gradients(self, step):
        """Loss and gradients of batch number `step`, a `Summed`. Raises `WorkerFailed`."""
        parts = self.losses(step)
        total = np.zeros_like(np.frombuffer(self.blocks[0], self.dtype))
        for block in self.blocks:  # in the workers' order, whichever was ready first
            total += np.frombuffer(block, self.dtype)
        return Summed(sum(p.loss for p in parts), views(total, self.params), sum(p.penalty for p in parts))

    def losses(self, step):
        """Have every worker fill its block for batch `step`; returns their `Part`s of the loss in their order."""
        raise NotImplementedError(f"{type(self).__name__} must define losses(step)")

    def failed(self, k, how, step):
        """The error that says which worker failed, how, and how to go on."""
        return WorkerFailed(f"update {step + 1}: worker {k + 1} of {self.settings.workers} {how}")


class Threads(Workers):
    """Workers that are threads of this process."""

    def __init__(self, settings, model, carried=None):
        super().__init__(settings, model, carried, lambda nbytes: np.zeros(nbytes, np.uint8))
        self.shards = [Shard(settings, k, self.weights, block, self.states) for k, block in enumerate(self.blocks)]

    def __enter__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(self.settings.workers, "tinyrnn worker")
        self.limits = threadpool_limits(threads_each(self.settings), user_api="blas")
        return self

    def __exit__(self, *error):
        self.pool.shutdown()
        self.limits.restore_original_limits()

    def losses(self, step):
        """Each worker's loss of this update."""
        futures = [self.pool.submit(shard.gradients, step) for shard in self.shards]
        concurrent.futures.wait(futures)
        for k, future in enumerate(futures):
            if error := future.exception():
                raise self.failed(k, f"failed with {in_words(error)}", step) from error
        return [future.result() for future in futures]


class Processes(Workers):
    """Workers that are processes, started afresh (spawned), so that they are the same on every system.

    A program that starts some must keep its own top level behind `if __name__ == "__main__"`, for they import it.
    """

    def __init__(self, settings, model, carried=None):
        self.context = multiprocessing.get_context("spawn")
        super().__init__(settings, model, carried, lambda nbytes: self.context.RawArray("B", nbytes))
        self.pipes, self.processes = [], []

    def __enter__(self):
        if hasattr(signal, "pthread_sigmask"):
            resource_tracker.ensure_running()  # starting it, as the first spawn would, lets Ctrl-C through again
        try:
            for k, block in enumerate(self.blocks):
                self.begin(k, block)
        except BaseException:
            self.stop(patience=0)
            raise
        return self

    def begin(self, k, block):
        """Starts worker k, in the shared memory `block`."""
        pipe, theirs = self.context.Pipe()
        self.pipes.append(pipe)
        process = self.context.Process(
            target=serve,
            args=(theirs, self.settings, k, self.weights, block, self.states),
            name=f"tinyrnn worker {k + 1}",
            daemon=True,
        )
        with theirs, without_ctrl_c():
            try:
                process.start()
            except OSError as error:
                raise WorkerFailed(f"worker {k + 1} could not be started: {in_words(error)}") from error
        self.processes.append(process)

    def __exit__(self, kind, *error):
        self.stop(PATIENCE if kind is None else 0)

    def stop(self, patience):
        """End all workers: by closing their pipes, and after `patience` seconds by force, for they keep nothing."""
        for pipe in self.pipes:
            pipe.close()
        for process in self.processes:
            process.join(patience)
            process.kill()
            process.join()
            process.close()
        self.pipes, self.processes = [], []

    def losses(self, step):
        """Each worker's loss of this update."""
        for pipe in self.pipes:
            try:
                pipe.send(step)
            except OSError:
                pass  # it is dead, which the next lines will notice
        losses = {}
        while waiting := [k for k in range(len(self.pipes)) if k not in losses]:
            ready = wait([self.pipes[k] for k in waiting] + [self.processes[k].sentinel for k in waiting])
            for k in waiting:
                if self.pipes[k] in ready:
                    losses[k] = self.receive(k, step)
                elif self.processes[k].sentinel in ready:
                    raise self.failed(k, self.death(k), step)
        return [losses[k] for k in range(len(self.pipes))]

    def receive(self, k, step):
        """Worker k's part of the loss; raises `WorkerFailed` if what comes is an error, or the end of the pipe."""
        try:
            answer = self.pipes[k].recv()
        except (EOFError, OSError):
            raise self.failed(k, self.death(k), step) from None
        if isinstance(answer, str):
            raise self.failed(k, f"failed with {answer}", step)
        return answer

    def death(self, k):
        """How worker k ended, in words."""
        self.processes[k].join(PATIENCE)
        code = self.processes[k].exitcode
        if code is None:
            return "closed its pipe"
        if code >= 0:
            return f"ended with exit code {code}"
        known = {s.value: s.name for s in signal.Signals}
        why = " (perhaps out of memory)" if known.get(-code) == "SIGKILL" else ""
        return f"was killed by {known.get(-code, f'signal {-code}')}{why}"


def serve(pipe, settings, k, weights, gradients, states):
    """A worker process from its beginning to its end: for each number that comes down the pipe, that batch's part.

    It ends when the pipe does, also if that is because its parent was killed. Ctrl-C, which reaches every process of a
    terminal, is left to the parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with threadpool_limits(threads_each(settings), user_api="blas"):
            shard = Shard(settings, k, weights, gradients, states)
            while (step := received(pipe)) is not None:
                send(pipe, shard.gradients(step))
    except Exception as error:
        send(pipe, in_words(error))


def received(pipe):
    """The next number, or None if there will be no more."""
    try:
        return pipe.recv()
    except (EOFError, OSError):
        return None


def send(pipe, answer):
    """Sends an answer to whoever may be gone."""
    try:
        pipe.send(answer)
    except OSError:
        pass  # nobody is left to read it


def in_words(error):
    """An exception as part of a line."""
    kind = "MemoryError" if isinstance(error, MemoryError) else type(error).__name__
    return " ".join(f"{kind}: {error}".split())


@contextmanager
def without_ctrl_c():
    """Within, Ctrl-C waits, and a process that is started never sees one (where the system has signal masks)."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
