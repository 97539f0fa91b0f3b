"""The known mistakes: wrong lines that people write, or easily could, with their numbers and words that lead out.

    for mistake in MISTAKES:
        mistake.line, mistake.instead             # "dc", "dnext_c + dtanh_c * (1 - c * c)"

Pure data, in one file for each family. Whoever judges a line gives `instead` the *true* values of all names, so what
comes out is exactly what the wrong line gives, whatever else is wrong. Two entries of one line never give the same,
except where there is but one time step, sequence or unit: then the plainest comes first.

BACKWARDS (and with them losses, optimisers and clipping): `instead` is an expression with `np`, `tanh`, `sigmoid`,
`split`, `join` and `weight_gradient` (of `tinyrnn.core.ops`), `shift(a, k)` (a moved k time steps later, zeros moving
in; earlier where k < 0), T, B, H (time steps, sequences, hidden units), no builtins, and these names:

cells           the names of the cell's own source, arrays stacked over time, (T, B, …). `dout` comes from above,
                `dnext_h` and `dnext_c` from step t + 1 (at the last step, from the final state); `dh` and `dc` are all
                that arrives, `dh_prev`, `dc_prev` what is handed back. `a_i`, `da_i` … are the gates' pre-activations
                and their gradients; `dx`, `dW_x`, `db` …, `dh_0`, `dc_0` are those of the whole sequence. Elman and
                LinearRNN use tanh. `lmn`: the state is m. `urnn`: p holds the derived weights too, H is the number of
                complex units, and there are `dtheta_1` …, `dv_1` …, and `db`, summed.
phases          z, y, theta, E, dy, dz, dtheta: arrays (T, B, 2n), and all functions of `tinyrnn.cells.parts.blocks`, as
in `urnn` reflection      z, y, v, Q, dy, dz, dv
permutation     z, y, perm, perm_inverse, dy, dz
fourier         z, y, dy, dz
modrelu         z, b, u, gain, h, dh, dz, and `db` before it is summed, (T, B, n); some units have to be off
cross_entropy   z (N, C), target (N,), one_hot, p, weight (N,), N, C, loss, dz; weight: each token's share of the mean
cross_entropy-masked    the same, with a weight of 0 for some tokens: mistakes that show nowhere else
squared_error   y, target, N (all entries), loss, dy
readout         h (T, B, H), W, b, y, dy, dh, dW, db
sgd, rmsprop, adam      stacked over the steps: p_prev, g, m_prev, m, v_prev, v, m_hat, v_hat, p, and t, counted from 1;
                and lr, momentum, rho, beta1, beta2, eps. An ε of 1e-2 makes its place visible.
clip            g and g2, the gradients of two parameters, norm, limit, factor, clipped, with a norm above the limit
clip-below      the same with a norm below it

FORWARDS: `line` is a name of the cell's `step`, or "a", what `project` returns, and `instead` the right-hand side that
stands there in its place. Of a statement that assigns several names, `line` is the first.
"""

from tinyrnn.verdicts.mistakes.adam import ADAM
from tinyrnn.verdicts.mistakes.cho_gru import CHO
from tinyrnn.verdicts.mistakes.clipping import BELOW, CLIP
from tinyrnn.verdicts.mistakes.elman import ELMAN, LINEAR, LMN
from tinyrnn.verdicts.mistakes.entry import SECTIONS as SECTIONS
from tinyrnn.verdicts.mistakes.entry import KnownMistake as KnownMistake
from tinyrnn.verdicts.mistakes.forwards import FORWARDS as FORWARDS
from tinyrnn.verdicts.mistakes.gru import GRU
from tinyrnn.verdicts.mistakes.losses import CROSS_ENTROPY, MASKED
from tinyrnn.verdicts.mistakes.lstm import LSTM
from tinyrnn.verdicts.mistakes.modrelu import MODRELU
from tinyrnn.verdicts.mistakes.optimisers import RMSPROP, SGD
from tinyrnn.verdicts.mistakes.outputs import READOUT, SQUARED_ERROR
from tinyrnn.verdicts.mistakes.peephole import PEEPHOLE
from tinyrnn.verdicts.mistakes.unitary import PHASES, REFLECTION
from tinyrnn.verdicts.mistakes.urnn import FOURIER, PERMUTATION, URNN

# family -> lines that put the gradients of several gates side by side
JOINED = {
    "lstm": {"da": ("da_i", "da_f", "da_o", "da_g")},
    "lstm-peephole": {"da": ("da_i", "da_f", "da_o", "da_g")},
    "gru": {"da": ("da_r", "da_z", "da_n"), "du": ("da_r", "da_z", "ds")},
    "gru-cho": {"da": ("da_r", "da_z", "da_n"), "du": ("da_r", "da_z")},
}


def joined(mistake):
    """The same mistake where the gate's gradient has no line of its own but is a block of `da` or `du`."""
    return [
        mistake._replace(
            name=f"{mistake.name}-in-{line}",
            line=line,
            instead=f"join({', '.join(mistake.instead if block == mistake.line else block for block in blocks)})",
        )
        for line, blocks in JOINED.get(mistake.of, {}).items()
        if mistake.line in blocks
    ]


OF_CELLS = [*ELMAN, *LINEAR, *LMN, *LSTM, *PEEPHOLE, *GRU, *CHO, *URNN]
BLOCKS = [*PHASES, *REFLECTION, *PERMUTATION, *FOURIER, *MODRELU]
LOSSES = [*CROSS_ENTROPY, *MASKED, *SQUARED_ERROR, *READOUT]
OPTIMISERS = [*SGD, *RMSPROP, *ADAM, *CLIP, *BELOW]
BACKWARDS = [*OF_CELLS, *BLOCKS, *LOSSES, *OPTIMISERS, *(twin for mistake in OF_CELLS for twin in joined(mistake))]
MISTAKES = [*BACKWARDS, *FORWARDS]
