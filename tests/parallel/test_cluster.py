"""Runs on a Dask cluster: what is killed costs the runs in flight at most, and those go on."""

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from tinyrnn.commands.main import main
from tinyrnn.sweeps.execution import sweep

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="Dask is not installed"),
    pytest.mark.skipif(sys.platform == "win32", reason="kills groups of processes, which Windows has not"),
]

PLAN = {
    "shared": {
        **{"task": "copy", "task_options": {"delay": 3, "length": 2, "symbols": 2}, "cell": "lt-ornn", "hidden": 8},
        **{"updates": 400, "batch": 4, "save_every": 25, "threads": 1, "compiled": False},
    },
    "contenders": {"slow": {"lr": 1e-4}, "fast": {"lr": 1e-2}},
    "seeds": 2,
}
TOML = """
seeds = 2
[shared]
task = "copy"
task_options = { delay = 3, length = 2, symbols = 2 }
cell = "lt-ornn"
hidden = 8
updates = 400
batch = 4
save_every = 25
threads = 1
compiled = false
[contenders.slow]
lr = 1e-4
[contenders.fast]
lr = 1e-2
"""


@pytest.fixture
def cluster(tmp_path):
    """(address, the scheduler's process, the workers' processes): one scheduler, two workers of one thread."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, processes = f"tcp://127.0.0.1:{port}", []

    def start(kind, *arguments):
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *arguments, "--no-dashboard"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
        processes.append(subprocess.Popen(command, start_new_session=True, **quiet))

    start("scheduler", "--host", "127.0.0.1", "--port", str(port))
    for _ in range(2):
        start("worker", address, "--nthreads", "1", "--local-directory", str(tmp_path))
    from distributed import Client

    with Client(address, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
    yield address, processes[0], processes[1:]
    for process in processes:
        kill(process)


def kill(process):
    """With all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def wait_for(paths, process):
    """Until there are files of this pattern, while a process runs."""
    until = time.monotonic() + 120
    while not any(paths[0].glob(paths[1])):
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.02)


def started(tmp_path, address):
    (tmp_path / "plan.toml").write_text(TOML)
    command = [sys.executable, "-m", "tinyrnn", "sweep", str(tmp_path / "plan.toml"), "--out", str(tmp_path / "out")]
    command += ["--scheduler", address]
    client = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    wait_for((tmp_path / "out" / "runs", "*/checkpoint.json"), client)
    return client


def outcomes(swept):
    return [{**line, "seconds": 0} for line in swept.rows]


def test_a_worker_that_is_killed_costs_nothing_but_the_run_it_was_at(cluster, tmp_path):
    address, _, workers = cluster
    client = started(tmp_path, address)
    kill(workers[0])
    said = client.communicate(timeout=300)[1]
    assert client.returncode == 0, said
    on_cluster = sweep(PLAN, tmp_path / "out", progress=False)
    assert outcomes(on_cluster) == outcomes(sweep(PLAN, tmp_path / "here", progress=False))


def test_a_scheduler_that_is_killed_is_said_in_a_line_and_what_was_done_is_kept(cluster, tmp_path):
    address, scheduler, _ = cluster
    client = started(tmp_path, address)
    kill(scheduler)
    said = client.communicate(timeout=300)[1].splitlines()
    assert client.returncode == 2
    assert [line for line in said if line.startswith("tinyrnn: ")] == [
        f"tinyrnn: the Dask scheduler at {address} is gone: the same command goes on when it is back"
    ]
    on_cluster = sweep(PLAN, tmp_path / "out", progress=False)  # beside workers that may still be at it
    assert outcomes(on_cluster) == outcomes(sweep(PLAN, tmp_path / "here", progress=False))


def test_a_scheduler_that_is_not_there_is_said_in_a_line(tmp_path, capsys, monkeypatch):
    import distributed

    def nobody(*_, **__):
        raise OSError("Timed out trying to connect")

    monkeypatch.setattr(distributed, "Client", nobody)
    (tmp_path / "plan.toml").write_text(TOML)
    assert main(["sweep", str(tmp_path / "plan.toml"), "--out", str(tmp_path), "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "tinyrnn: no Dask scheduler at tcp://127.0.0.1:9: Timed out" in capsys.readouterr().err
