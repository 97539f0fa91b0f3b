"""tinyrnn: recurrent networks on NumPy, every forward and backward pass written by hand.

What a network is made of is loaded with the package. What looks at networks, or takes SciPy, is loaded when it is first
asked for, so that `import tinyrnn` takes little longer than `import numpy`.
"""

import importlib
from typing import TYPE_CHECKING, Any

from tinyrnn.cells import CELLS as CELLS
from tinyrnn.core import guesses
from tinyrnn.core.adapter import StepCell as StepCell
from tinyrnn.core.cell import Cell as Cell
from tinyrnn.core.tape import Gradients as Gradients
from tinyrnn.core.tape import Tape as Tape
from tinyrnn.init import distributions
from tinyrnn.nn import interop as interop
from tinyrnn.nn import losses as losses
from tinyrnn.nn import regularisers as regularisers
from tinyrnn.nn.dropout import Dropout as Dropout
from tinyrnn.nn.encoder_decoder import EncoderDecoder as EncoderDecoder
from tinyrnn.nn.heads import Embedding as Embedding
from tinyrnn.nn.heads import PooledReadout as PooledReadout
from tinyrnn.nn.heads import Readout as Readout
from tinyrnn.nn.heads import TiedReadout as TiedReadout
from tinyrnn.nn.layers import Bidirectional as Bidirectional
from tinyrnn.nn.layers import Stack as Stack
from tinyrnn.nn.model import Model as Model
from tinyrnn.nn.recompute.windows import backpropagate as backpropagate
from tinyrnn.nn.saving import load as load
from tinyrnn.nn.saving import save as save
from tinyrnn.optim import clipping as clipping
from tinyrnn.optim import optimisers as optimisers
from tinyrnn.optim import schedules as schedules

__version__ = "0.1.0"
inits = distributions

_LATER = {  # module -> the names it is asked for; none: the module itself
    "tinyrnn.analysis": (),
    "tinyrnn.analysis.constructions": (),
    "tinyrnn.analysis.laes": ("LinearAutoencoder",),
    "tinyrnn.checking.functions.report": ("GradientReport",),
    "tinyrnn.checking.gradcheck": ("Report", "gradcheck"),
    "tinyrnn.checking.numerical": (),
    "tinyrnn.checking.testing": ("assert_gradients",),
    "tinyrnn.compiler.explain": ("explain",),
    "tinyrnn.init.by_name": ("initialise",),
    "tinyrnn.nn.incremental": ("grow",),
    "tinyrnn.nn.ridge": ("fit_readout",),
    "tinyrnn.stepping.recording": ("Recording",),
    "tinyrnn.stepping.tracing": ("trace",),
    "tinyrnn.sweeps.execution": ("sweep",),
    "tinyrnn.sweeps.plan": ("Sweep",),
    "tinyrnn.tasks": (),
    "tinyrnn.training": (),
    "tinyrnn.verdicts.entry": ("lines",),
    "tinyrnn.verdicts.report": ("LineReport",),
}
_MODULE_OF = {name: module for module, names in _LATER.items() for name in names or (module.rpartition(".")[2],)}

if TYPE_CHECKING:  # the same names, for type checkers and editors; a test compares
    from tinyrnn import analysis as analysis
    from tinyrnn import tasks as tasks
    from tinyrnn import training as training
    from tinyrnn.analysis import constructions as constructions
    from tinyrnn.analysis.laes import LinearAutoencoder as LinearAutoencoder
    from tinyrnn.cells import *  # noqa: F403
    from tinyrnn.checking import numerical as numerical
    from tinyrnn.checking.functions.report import GradientReport as GradientReport
    from tinyrnn.checking.gradcheck import Report as Report
    from tinyrnn.checking.gradcheck import gradcheck as gradcheck
    from tinyrnn.checking.testing import assert_gradients as assert_gradients
    from tinyrnn.compiler.explain import explain as explain
    from tinyrnn.init.by_name import initialise as initialise
    from tinyrnn.nn.incremental import grow as grow
    from tinyrnn.nn.ridge import fit_readout as fit_readout
    from tinyrnn.stepping.recording import Recording as Recording
    from tinyrnn.stepping.tracing import trace as trace
    from tinyrnn.sweeps.execution import sweep as sweep
    from tinyrnn.sweeps.plan import Sweep as Sweep
    from tinyrnn.verdicts.entry import lines as lines
    from tinyrnn.verdicts.report import LineReport as LineReport
else:
    globals().update({cls.__name__: cls for cls, _ in CELLS.values()})
    __all__ = [  # computed, so type checkers must not see it: they would take it for a list of its literals
        *sorted({cls.__name__ for cls, _ in CELLS.values()} | set(_MODULE_OF)),
        *("CELLS", "Bidirectional", "Cell", "Dropout", "Embedding", "EncoderDecoder", "Gradients", "Model"),
        *("PooledReadout", "Readout", "Stack", "StepCell", "Tape", "TiedReadout"),
        *("backpropagate", "load", "save"),
        *("clipping", "inits", "interop", "losses", "optimisers", "regularisers", "schedules"),
    ]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        hint = guesses.PACKAGE.get(name)
        raise AttributeError(f"tinyrnn has no {name!r}" + (f": {hint}" if hint else ""))
    module = importlib.import_module(_MODULE_OF[name])
    value = getattr(module, name) if _LATER[_MODULE_OF[name]] else module
    globals()[name] = value  # asked for once
    return value


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext tinyrnn` in a notebook: homework is written and checked in cells (`tinyrnn.grading.notebook`)."""
    importlib.import_module("tinyrnn.grading.notebook").load(shell)


def __dir__() -> list[str]:
    return [*globals()["__all__"], "__doc__", "__version__"]
