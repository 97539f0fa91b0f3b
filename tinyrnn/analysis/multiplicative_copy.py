"""Copy with a delay that varies, solved by a multiplicative network on paper (Henaff et al. 2016, section 3.1.3).

No power of one matrix brings the symbols back at the right time if that time is not known beforehand. A network whose
input chooses the transition need not know it: it goes on with a power of V only when it is told to. The paper says so;
this is how.
"""

from typing import Any

import numpy as np

from tinyrnn.analysis.constructions import blank_code
from tinyrnn.cells import MultiplicativeRNN
from tinyrnn.core.types import Array
from tinyrnn.nn.heads import Readout
from tinyrnn.nn.model import Model

CERTAIN = 40.0  # the score of a symbol that is due; the blank's is half of it


def variable_copy_solution(task: Any, scale: float = 1e-4) -> Model:
    """A `MultiplicativeRNN` that solves a copy task, whenever the delimiter comes; its tanh stays where it is straight.

    Two shift registers of places for one symbol each, a unit a class: one that is written and one that is read.

        a symbol       moves what is written by one place and adds itself at the end
        the delimiter  carries all that was written over to the places that are read
        a blank        leaves what is written where it is, and moves what is read by one place

    The place that is read last is what the readout looks at; while it is empty, the blank wins. (2 S + 1) K units, and
    a factor for each way from a place to another: (4 S - 1) K for S symbols of K kinds.

    task: a `tinyrnn.tasks.VariableCopy`, or `Copy`, with one delimiter. scale: of the units, as tanh z = z - z^3/3; a
    symbol that was kept for n steps has lost the share n scale^2 / 3. Raises ValueError for a scale of 0 or less and
    for a repeated delimiter, which would carry over what is not there any more.
    """
    if not scale > 0:
        raise ValueError(f"scale must be positive, got {scale!r}")
    if task.delimiter == "repeated":
        raise ValueError("variable_copy_solution needs a delimiter that comes once")
    S, K = task.length, task.symbols
    blank, delimiter = blank_code(task), K + 1
    symbols = slice(0, K) if blank else slice(1, K + 1)
    units = np.arange((2 * S + 1) * K).reshape(2 * S + 1, K)
    written, read = units[:S], units[S:]  # the oldest symbol first; read[0] is what the readout looks at
    early = task.recall == "at"  # the first symbol is due at the delimiter itself
    ways = [  # (input, from, to)
        (symbols, written[1:], written[:-1]),
        (delimiter, written, read[:-1] if early else read[1:]),
        (blank, written, written),
        (blank, read[1:], read[:-1]),
    ]
    cell = MultiplicativeRNN(task.input_size, units.size, factors=sum(start.size for _, start, _ in ways), rng=0)
    for array in cell.params.values():
        array[:] = 0
    factor = 0
    for code, start, end in ways:
        here = np.arange(factor, factor := factor + start.size)
        cell.params.W_fx[code, here] = 1
        cell.params.W_fh[start.ravel(), here] = cell.params.W_hf[here, end.ravel()] = 1
    cell.params.W_hx[symbols, written[-1]] = scale * np.eye(K)
    return Model(cell, looking_at(read[0], task, symbols, blank, scale), loss=task.loss, at=task.readout)


def looking_at(place: Array, task: Any, symbols: slice, blank: int, scale: float) -> Readout:
    """A readout of the symbol in a place, K units, and of the blank where there is none."""
    readout = Readout((2 * task.length + 1) * task.symbols, task.output_size, rng=0)
    readout.params.W[:], readout.params.b[:] = 0, 0
    readout.params.W[place, symbols] = CERTAIN / scale * np.eye(task.symbols)
    readout.params.b[blank] = CERTAIN / 2
    return readout
