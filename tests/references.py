"""Every cell's equations once more, as plainly as they can be written: what a gradient check cannot see is whether the
forward pass is the right one to begin with.

One step each, without hoisting, fused gates or real arithmetic for complex numbers. `lib` is `numpy`, or `torch`, whose
autograd then gives gradients that owe nothing to this package. `p` has the parameters as attributes.
"""

from types import SimpleNamespace

import numpy as np
from contract import Case, assert_same, run

from tinyrnn.cells import (
    CELLS,
    GRU,
    IRNN,
    LMN,
    LSTM,
    Antisymmetric,
    ChoGRU,
    Elman,
    GatedAntisymmetric,
    LinearRNN,
    PeepholeLSTM,
    UnitaryRNN,
)


def sigmoid(lib, z):
    return 1 / (1 + lib.exp(-z))


def block(array, k, n):
    """The k-th of n equal blocks along the last axis."""
    size = array.shape[-1] // n
    return array[..., k * size : (k + 1) * size]


def activation(lib, name, z):
    return {
        "tanh": lambda: lib.tanh(z),
        "relu": lambda: lib.where(z > 0, z, 0 * z),
        "elu": lambda: lib.where(z > 0, z, lib.exp(z) - 1),
        "identity": lambda: z,
    }[name]()


def elman(lib, cell, p, x, h):
    return (activation(lib, cell.activation, x @ p.W_x + h @ p.W_h + p.b),)


def linear(lib, cell, p, x, h):
    return (h @ p.V + activation(lib, cell.activation, x @ p.U + p.b),)


def lstm(lib, cell, p, x, h, c, see=None):
    def gate(k):
        return x @ block(p.W_x, k, 4) + h @ block(p.W_h, k, 4) + block(p.b, k, 4)

    i_sees, f_sees, o_sees = see or [lambda c: 0] * 3
    i = sigmoid(lib, gate(0) + i_sees(c))
    f = sigmoid(lib, gate(1) + f_sees(c))
    c = f * c + i * lib.tanh(gate(3))
    o = sigmoid(lib, gate(2) + o_sees(c))
    return o * lib.tanh(c), c


def peephole_lstm(lib, cell, p, x, h, c):
    if cell.peepholes == "diagonal":
        see = (lambda c: p.p_i * c), (lambda c: p.p_f * c), (lambda c: p.p_o * c)
    else:
        see = (lambda c: 0), (lambda c: 0), (lambda c: c @ p.V_o)
    return lstm(lib, cell, p, x, h, c, see)


def gru(lib, cell, p, x, h):
    r, z = (sigmoid(lib, x @ block(p.W_x, k, 3) + h @ block(p.W_h, k, 3) + block(p.b, k, 3)) for k in (0, 1))
    n = lib.tanh(x @ block(p.W_x, 2, 3) + block(p.b, 2, 3) + r * (h @ block(p.W_h, 2, 3) + p.b_n))
    return (n - z * n + z * h,)


def cho_gru(lib, cell, p, x, h):
    r, z = (sigmoid(lib, x @ block(p.W_x, k, 3) + h @ block(p.W_rz, k, 2) + block(p.b, k, 3)) for k in (0, 1))
    n = lib.tanh(x @ block(p.W_x, 2, 3) + block(p.b, 2, 3) + (r * h) @ p.W_n)
    return (n - z * n + z * h,)


def unitary(lib, cell, p, x, h):
    def as_complex(a):
        return block(a, 0, 2) + 1j * block(a, 1, 2)

    def rotate(z, theta):
        return z * lib.exp(1j * theta)

    def reflect(z, v):
        v = as_complex(v)
        return z - 2 * (z @ v.conj())[..., None] * v / (v * v.conj()).sum()

    z = as_complex(h)
    z = reflect(lib.fft.fft(rotate(z, p.theta_1), norm="ortho"), p.v_1)
    z = rotate(z[..., cell.constants["permutation"].tolist()], p.theta_2)
    z = rotate(reflect(lib.fft.ifft(z, norm="ortho"), p.v_2), p.theta_3)
    z = z + as_complex(x @ p.V)
    length = abs(z) + p.b
    z = z / abs(z) * length * (length > 0)
    return (lib.concatenate([z.real, z.imag], -1),)


def lmn(lib, cell, p, x, m):
    h = lib.tanh(x @ p.W_xh + m @ p.W_mh + p.b_h)
    return (h @ p.W_hm + m @ p.W_mm + p.b_m,)


def antisymmetric(lib, cell, p, x, h):
    return (h + cell.epsilon * lib.tanh(h @ p.W - h @ p.W.T - cell.gamma * h + x @ p.V + p.b),)


def gated_antisymmetric(lib, cell, p, x, h):
    u = h @ p.W - h @ p.W.T - cell.gamma * h
    z = sigmoid(lib, u + x @ block(p.V, 0, 2) + block(p.b, 0, 2))
    return (h + cell.epsilon * z * lib.tanh(u + x @ block(p.V, 1, 2) + block(p.b, 1, 2)),)


REFERENCES = {
    Elman: elman,
    IRNN: elman,
    LinearRNN: linear,
    LSTM: lstm,
    PeepholeLSTM: peephole_lstm,
    GRU: gru,
    ChoGRU: cho_gru,
    UnitaryRNN: unitary,
    LMN: lmn,
    Antisymmetric: antisymmetric,
    GatedAntisymmetric: gated_antisymmetric,
}
KNOWN = [name for name, (cls, _) in CELLS.items() if cls in REFERENCES]


def unroll(lib, cell, params, x, state):
    """The equations over a whole sequence: the outputs as a list, and the final state."""
    outputs, p = [], SimpleNamespace(**params)
    for x_t in x:
        state = REFERENCES[type(cell)](lib, cell, p, x_t, *state)
        outputs.append(state[0])
    return outputs, state


def follows_its_equations(case: Case):
    """The forward pass is what `REFERENCES` says."""
    cell = case.network()
    probe = case.probe(cell)
    outputs, final = unroll(np, cell, cell.params, probe.x, probe.state)
    got, wanted = run(cell, probe), {"h": np.stack(outputs)} | {f"final[{k}]": s for k, s in enumerate(final)}
    assert_same(got, wanted, 1e-13, only=wanted)
