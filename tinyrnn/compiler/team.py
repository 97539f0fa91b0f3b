"""Threads that share out the pieces of a compiled job: this one and the helpers of `team.h`."""

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from tinyrnn.compiler.build import load
from tinyrnn.core.backend import cores

LINGER = 2e-3  # seconds for which a helper looks out for another job: longer than what lies between most of them


class Team:
    """The helpers of this process. `run` may be called by several threads: one of them at a time gets help."""

    def __init__(self):
        self.native = load('#include "team.h"\n')
        self.native.share_out.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]
        self.native.linger.argtypes = [ctypes.c_double]
        self.native.share_out.restype = self.native.linger.restype = None
        self.pool = ThreadPoolExecutor(cores(), thread_name_prefix="tinyrnn")
        self.helpers = []  # futures, one for each that is here or about to come

    def run(self, function, job, pieces, threads):
        """Call a C function with (job, piece) for each of the pieces, on so many threads at most; job: an address."""
        wanted = min(threads, pieces, cores()) - 1
        if wanted > 0:
            here = [helper for helper in self.helpers if not helper.done()]
            here += [self.pool.submit(self.native.linger, LINGER) for _ in range(wanted - len(here))]
            self.helpers = here
        self.native.share_out(function, job, pieces)

    def disband(self):
        """In a process that was forked off, where none of the helpers is."""
        self.native.disband()
        self.pool, self.helpers = ThreadPoolExecutor(cores(), thread_name_prefix="tinyrnn"), []


@cache
def team():
    """The one of this process. Raises NoCompiler."""
    made = Team()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=made.disband)
    return made
