"""Every cell, and the names by which the command line and the contract suite know it.

A new cell is one file in this folder and one line in `CELLS`.
"""

from tinyrnn.cells.antisymmetric import Antisymmetric as Antisymmetric
from tinyrnn.cells.antisymmetric import GatedAntisymmetric as GatedAntisymmetric
from tinyrnn.cells.cho_gru import ChoGRU as ChoGRU
from tinyrnn.cells.echo_state import EchoStateNetwork as EchoStateNetwork
from tinyrnn.cells.elman import IRNN as IRNN
from tinyrnn.cells.elman import Elman as Elman
from tinyrnn.cells.eurnn import EURNN as EURNN
from tinyrnn.cells.exprnn import ExpRNN as ExpRNN
from tinyrnn.cells.full_unitary import FullUnitaryRNN as FullUnitaryRNN
from tinyrnn.cells.gru import GRU as GRU
from tinyrnn.cells.householder import HouseholderRNN as HouseholderRNN
from tinyrnn.cells.kronecker import KroneckerRNN as KroneckerRNN
from tinyrnn.cells.linear import LinearRNN as LinearRNN
from tinyrnn.cells.lmn import LMN as LMN
from tinyrnn.cells.lstm import LSTM as LSTM
from tinyrnn.cells.multiplicative import MultiplicativeRNN as MultiplicativeRNN
from tinyrnn.cells.multiscale_lmn import MultiScaleLMN as MultiScaleLMN
from tinyrnn.cells.naive_unitary import NaiveUnitaryRNN as NaiveUnitaryRNN
from tinyrnn.cells.peephole_lstm import PeepholeLSTM as PeepholeLSTM
from tinyrnn.cells.qrnn import QRNN as QRNN
from tinyrnn.cells.qrnn import QRNNf as QRNNf
from tinyrnn.cells.qrnn import QRNNifo as QRNNifo
from tinyrnn.cells.scrn import SCRN as SCRN
from tinyrnn.cells.svd_rnn import SpectralRNN as SpectralRNN
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
    "urnn-full": (FullUnitaryRNN, {}),
    "urnn-naive": (NaiveUnitaryRNN, {}),
    "eurnn": (EURNN, {}),
    "eurnn-fft": (EURNN, {"pairing": "fft"}),
    "kronecker": (KroneckerRNN, {}),
    "lmn": (LMN, {}),
    "lmn-multiscale": (MultiScaleLMN, {}),
    "antisymmetric": (Antisymmetric, {}),
    "antisymmetric-gated": (GatedAntisymmetric, {}),
    "exprnn": (ExpRNN, {}),
    "householder": (HouseholderRNN, {}),
    "svd-rnn": (SpectralRNN, {}),
    "multiplicative": (MultiplicativeRNN, {}),
    "scrn": (SCRN, {}),
    "qrnn": (QRNN, {}),
    "qrnn-f": (QRNNf, {}),
    "qrnn-ifo": (QRNNifo, {}),
    "esn": (EchoStateNetwork, {}),
}
