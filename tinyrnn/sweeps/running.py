"""Runs side by side, in processes of this machine or on a cluster: begun, gone on with, or left alone if finished."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tinyrnn.core.files import write_json
from tinyrnn.core.progress import Bar
from tinyrnn.parallel import processes
from tinyrnn.training.failures import Diverged, RunFailed
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import Settings, build, settings_of
from tinyrnn.training.trainer import Trainer

TAIL = 4096  # bytes at the end of a log, in which its last row is


class RunsFailed(RunFailed):
    """Some runs could not be finished, and why, in one line; calling again goes on with them."""


def run_all(
    todo: dict[Path, Settings], jobs: int = 2, scheduler: str | None = None, progress: bool = True, label: str = "runs"
) -> None:
    """Has every run finished, `jobs` at a time, or as many as the workers of the Dask cluster at `scheduler` take.

    todo: folder -> settings; finished runs are left as they are, others go on where their checkpoint is. Folders must
    be the same on all machines. A run that diverges is finished. Raises `RunsFailed` when all others are through.
    """
    left = {path: settings for path, settings in todo.items() if not RunFolder(path).result.exists()}
    work = {path: (asdict(settings), str(path.absolute())) for path, settings in left.items()}
    failed = {}
    with watching(todo, progress, label):
        if scheduler is None:
            outcomes = processes.done(run_one, work, jobs) if work else ()
        else:
            from tinyrnn.parallel import cluster

            outcomes = cluster.done(on_worker, None, work, scheduler) if work else ()
        for path, outcome in outcomes:
            if isinstance(outcome, BaseException):
                failed[path] = outcome
    if failed:
        path, error = next(iter(failed.items()))
        why = str(error) or type(error).__name__
        raise RunsFailed(f"{len(failed)} of {len(todo)} runs failed; {path}: {why}")


def on_worker(_: None, settings: dict[str, Any], path: str) -> None:
    """`run_one`, as a cluster calls it."""
    run_one(settings, path)


def run_one(settings: dict[str, Any], path: str) -> None:
    """Starts, resumes or leaves one run. That it diverged is a result too, and the last one."""
    folder, wanted = RunFolder(path), Settings(**settings)
    with claimed(folder.path):
        try:
            start_or_resume(wanted, folder)
        except Diverged as error:
            parameters = sum(value.size for value in build(wanted)[1].params.values())
            rows = folder.rows()
            record = {"settings": asdict(wanted), "parameters": parameters, "diverged": str(error)}
            lost = {"test_loss": None, "test_loss_over_baseline": None}
            write_json(folder.result, record | lost | {"seconds": rows[-1].get("seconds", 0.0) if rows else 0.0})


def start_or_resume(settings: Settings, folder: RunFolder) -> None:
    """Runs to the end what is in the folder, or what is to go there; nothing if it is finished."""
    if folder.settings.exists():
        if settings_of(folder) != settings:
            raise ValueError(f"{folder.path} holds a run with other settings; choose another --out")
        if not folder.result.exists():
            Trainer.resume(folder.path).run(progress=False)
    else:
        Trainer(settings, folder.path).run(progress=False)


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Within, no other process on this file system runs in the folder, such as one that a lost scheduler left behind.

    Windows has no such locks: there, what keeps two from writing one run is that processes end with their parent.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.parent / f".{path.name}.lock"
    with open(lock, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
        lock.unlink(missing_ok=True)


# progress -------------------------------------------------------------------------------------------------------------


@contextmanager
def watching(todo: dict[Path, Settings], progress: bool, label: str) -> Iterator[None]:
    """Shows how many updates are done, of all runs together, while what is within runs."""
    done = {path: 0 for path in todo}
    over = threading.Event()

    def look() -> None:
        for path, settings in todo.items():
            if done[path] < settings.updates:
                finished = RunFolder(path).result.exists()
                done[path] = settings.updates if finished else updates_done(RunFolder(path).log)

    look()
    total = sum(settings.updates for settings in todo.values())
    with Bar(total=total, initial=sum(done.values()), desc=label, unit="update", disable=not progress) as bar:

        def show() -> None:
            look()
            finished = sum(done[path] == settings.updates for path, settings in todo.items())
            bar.set_postfix_str(f"{finished} of {len(todo)} runs finished", refresh=False)
            bar.update(sum(done.values()) - bar.n)

        def keep_showing() -> None:
            while not over.wait(1.0):
                show()

        thread = threading.Thread(target=keep_showing, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            show()


def updates_done(log: Path) -> int:
    """Updates of a run so far, as the last whole row of its log says."""
    if not log.exists():
        return 0
    with open(log, "rb") as file:
        file.seek(max(0, os.path.getsize(log) - TAIL))
        lines = file.read().splitlines()
    for line in reversed(lines):
        try:
            return int(json.loads(line)["step"])
        except (ValueError, KeyError, TypeError):
            continue
    return 0
