"""Work for the workers of a Dask cluster, on other machines perhaps. They need tinyrnn and nothing else.

Workers with a thread each (`dask worker --nthreads 1`) use all processors: a run, or the grading of a submission, takes
one at a time of a process. What grades runs with the rights of whoever started the worker, in a sandbox as strict as
that machine allows.
"""

from tinyrnn.parallel.processes import Died


def done(function, first, work, address):
    """(key, `function(first, *arguments)` or the exception it raised) for every piece of `work`, as it is finished.

    first: what all calls have in common, sent once. work: key -> the other arguments. address: of the scheduler. A
    piece during which workers die again and again gives `Died`. ValueError in a line if there is no such cluster, or
    other versions of tinyrnn are on it; ConnectionError if the scheduler is lost on the way.
    """
    try:
        from distributed import Client, KilledWorker, as_completed
    except ImportError:
        raise ValueError("a cluster takes Dask: pip install 'tinyrnn[cluster]'") from None
    try:
        client = Client(address, timeout=20, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"no Dask scheduler at {address}: {reason}") from None
    with client:
        same_versions(client)
        common = client.submit(
            itself, first, pure=False
        )  # not scattered: that would be lost with the worker that has it
        keys = {client.submit(function, common, *args, pure=False, retries=0): key for key, args in work.items()}
        for future in as_completed(list(keys), loop=client.loop):
            if future.cancelled():  # by nobody here
                raise ConnectionError(
                    f"the Dask scheduler at {address} is gone: the same command goes on when it is back"
                )
            error = future.exception() if future.status != "finished" else None
            if isinstance(error, KilledWorker):
                error = Died("the workers that did it died")
            yield keys.pop(future), error or future.result()
            future.release()


def itself(value):
    """What is given."""
    return value


def same_versions(client):
    """Raises ValueError unless there are workers and all have tinyrnn in the version here."""
    from tinyrnn import __version__

    try:
        there = client.run(version)
    except Exception as error:  # whatever comes from a machine without the package
        raise ValueError(f"the workers cannot import tinyrnn ({type(error).__name__}): install it there") from None
    if not there:
        raise ValueError("the cluster has no workers")
    others = {worker: found for worker, found in there.items() if found != __version__}
    if others:
        worker, found = sorted(others.items())[0]
        raise ValueError(f"tinyrnn is {__version__} here and {found} on {worker}: install the same version on all")


def version():
    """The version of tinyrnn where it is called: on a worker, the worker's."""
    from tinyrnn import __version__

    return __version__
