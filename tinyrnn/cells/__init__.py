"""Every cell, in the order in which one would meet them. A new cell is one file in this folder and one line here.

CELLS: name -> (class, options of its constructor), which is how the command line, the contract suite and all who want
every cell know them; what it is called says the cell itself (`Cell.names`).
"""
# ruff: noqa: I001

from tinyrnn.core.cell import Cell as _Cell

from tinyrnn.cells.elman import Elman as Elman, IRNN as IRNN
from tinyrnn.cells.linear import LinearRNN as LinearRNN
from tinyrnn.cells.lstm import LSTM as LSTM
from tinyrnn.cells.peephole_lstm import PeepholeLSTM as PeepholeLSTM
from tinyrnn.cells.gru import GRU as GRU
from tinyrnn.cells.cho_gru import ChoGRU as ChoGRU
from tinyrnn.cells.unitary import UnitaryRNN as UnitaryRNN
from tinyrnn.cells.full_unitary import FullUnitaryRNN as FullUnitaryRNN
from tinyrnn.cells.naive_unitary import NaiveUnitaryRNN as NaiveUnitaryRNN
from tinyrnn.cells.eurnn import EURNN as EURNN
from tinyrnn.cells.kronecker import KroneckerRNN as KroneckerRNN
from tinyrnn.cells.lmn import LMN as LMN
from tinyrnn.cells.multiscale_lmn import MultiScaleLMN as MultiScaleLMN
from tinyrnn.cells.antisymmetric import Antisymmetric as Antisymmetric, GatedAntisymmetric as GatedAntisymmetric
from tinyrnn.cells.exprnn import ExpRNN as ExpRNN
from tinyrnn.cells.naive_orthogonal import NaiveOrthogonalRNN as NaiveOrthogonalRNN
from tinyrnn.cells.householder import HouseholderRNN as HouseholderRNN
from tinyrnn.cells.svd_rnn import SpectralRNN as SpectralRNN
from tinyrnn.cells.multiplicative import MultiplicativeRNN as MultiplicativeRNN
from tinyrnn.cells.scrn import SCRN as SCRN
from tinyrnn.cells.qrnn import QRNN as QRNN, QRNNf as QRNNf, QRNNifo as QRNNifo
from tinyrnn.cells.echo_state import EchoStateNetwork as EchoStateNetwork

CELLS = {
    name: (cell, options)
    for cell in list(globals().values())
    if isinstance(cell, type) and issubclass(cell, _Cell)
    for name, options in vars(cell).get("names", {}).items()
}
