"""The threads that share out a compiled job: every piece is done once, whoever calls, and nobody stays for good."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from comparing import cache, needs_compiler  # noqa: F401 (a fixture)
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.compiler.build import load
from tinyrnn.compiler.kernels import address, for_team
from tinyrnn.compiler.team import team

pytestmark = [needs_compiler, pytest.mark.usefixtures("cache")]
COUNT = """
#ifdef _WIN32
__declspec(dllexport)
#endif
void count(const void *job, long piece) { __atomic_fetch_add((long long *)job + piece, 1, __ATOMIC_RELAXED); }
"""


def counted(pieces, threads):
    """How often each piece was done."""
    counts = np.zeros(pieces, np.int64)
    team().run(for_team(load(COUNT).count), address(counts), pieces, threads)
    return counts.tolist()


@given(pieces=st.integers(1, 300), threads=st.integers(1, 5))
def test_every_piece_is_done_once(pieces, threads):
    assert counted(pieces, threads) == [1] * pieces


def test_callers_at_once_each_get_their_own_pieces_done():
    found, start = [], threading.Barrier(4)

    def call(pieces):
        start.wait()
        found.extend(counted(pieces, 2) == [1] * pieces for _ in range(300))

    callers = [threading.Thread(target=call, args=(pieces,)) for pieces in (2, 3, 50, 200)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == [True] * 1200


def test_helpers_leave_when_there_is_nothing_to_do():
    counted(100, 3)
    for helper in team().helpers:
        helper.result(timeout=20)


FORKED = f"""
import os, sys
sys.path[:] = {sys.path!r}
from test_team import counted
assert counted(100, 3) == [1] * 100
child = os.fork()
assert counted(100, 3) == [1] * 100
if child:
    sys.exit(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
def test_a_forked_process_has_a_team_of_its_own():
    """In a process of its own, for other libraries of this one do not bear being forked."""
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], check=True, timeout=60)
