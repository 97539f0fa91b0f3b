"""Every cell, and the names by which the command line and the contract suite know it.

A new cell is one file in this folder and one line in `CELLS`.
"""

from tinyrnn.cells.antisymmetric import Antisymmetric as Antisymmetric
from tinyrnn.cells.antisymmetric import GatedAntisymmetric as GatedAntisymmetric
from tinyrnn.cells.cho_gru import ChoGRU as ChoGRU
from tinyrnn.cells.elman import IRNN as IRNN
from tinyrnn.cells.elman import Elman as Elman
from tinyrnn.cells.gru import GRU as GRU
from tinyrnn.cells.linear import LinearRNN as LinearRNN
from tinyrnn.cells.lmn import LMN as LMN
from tinyrnn.cells.lstm import LSTM as LSTM
from tinyrnn.cells.peephole_lstm import PeepholeLSTM as PeepholeLSTM
from tinyrnn.cells.unitary import UnitaryRNN as UnitaryRNN

# name -> (class, options)
CELLS = {
    "elman": (Elman, {}),
    "elman-relu": (Elman, {"activation": "relu"}),
    "elman-elu": (Elman, {"activation": "elu"}),
    "elman-identity": (Elman, {"activation": "identity"}),
    "irnn": (IRNN, {}),
    "lt-ornn": (LinearRNN, {}),
    "lt-ornn-relu": (LinearRNN, {"activation": "relu"}),
    "lt-ornn-tanh": (LinearRNN, {"activation": "tanh"}),
    "lt-irnn": (LinearRNN, {"activation": "relu", "transition": "identity"}),
    "lstm": (LSTM, {}),
    "lstm-peephole": (PeepholeLSTM, {}),
    "lstm-output-matrix": (PeepholeLSTM, {"peepholes": "output-matrix"}),
    "gru": (GRU, {}),
    "gru-cho": (ChoGRU, {}),
    "urnn": (UnitaryRNN, {}),
    "lmn": (LMN, {}),
    "antisymmetric": (Antisymmetric, {}),
    "antisymmetric-gated": (GatedAntisymmetric, {}),
}
