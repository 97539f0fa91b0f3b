"""tinyrnn: recurrent networks on NumPy, every forward and backward pass written by hand."""

from tinyrnn import inits as inits
from tinyrnn import interop as interop
from tinyrnn import losses as losses
from tinyrnn import optimisers as optimisers
from tinyrnn import tasks as tasks
from tinyrnn.adapter import StepCell as StepCell
from tinyrnn.cell import Cell as Cell
from tinyrnn.cells import CELLS as CELLS
from tinyrnn.cells import GRU as GRU
from tinyrnn.cells import IRNN as IRNN
from tinyrnn.cells import LMN as LMN
from tinyrnn.cells import LSTM as LSTM
from tinyrnn.cells import Antisymmetric as Antisymmetric
from tinyrnn.cells import ChoGRU as ChoGRU
from tinyrnn.cells import Elman as Elman
from tinyrnn.cells import GatedAntisymmetric as GatedAntisymmetric
from tinyrnn.cells import LinearRNN as LinearRNN
from tinyrnn.cells import PeepholeLSTM as PeepholeLSTM
from tinyrnn.cells import UnitaryRNN as UnitaryRNN
from tinyrnn.checking.gradcheck import Report as Report
from tinyrnn.checking.gradcheck import gradcheck as gradcheck
from tinyrnn.compiler.explain import explain as explain
from tinyrnn.heads import Embedding as Embedding
from tinyrnn.heads import PooledReadout as PooledReadout
from tinyrnn.heads import Readout as Readout
from tinyrnn.layers import Bidirectional as Bidirectional
from tinyrnn.layers import Stack as Stack
from tinyrnn.model import Model as Model
from tinyrnn.tape import Gradients as Gradients
from tinyrnn.tape import Tape as Tape
from tinyrnn.verdicts.entry import lines as lines
from tinyrnn.verdicts.report import LineReport as LineReport
from tinyrnn.windows import backpropagate as backpropagate

__version__ = "0.1.0"
