"""Every cell's equations once more, as plainly as they can be written: what a gradient check cannot see is whether the
forward pass is the right one to begin with.

One step each, without hoisting, fused gates or real arithmetic for complex numbers. `lib` is `numpy`, or `torch`, whose
autograd then gives gradients that owe nothing to this package. `p` has the parameters as attributes.
"""

from types import SimpleNamespace

import numpy as np
import scipy.linalg
from contract import Case, assert_same, run

from tinyrnn.cells import (
    CELLS,
    EURNN,
    GRU,
    IRNN,
    LMN,
    LSTM,
    QRNN,
    SCRN,
    Antisymmetric,
    ChoGRU,
    EchoStateNetwork,
    Elman,
    ExpRNN,
    FullUnitaryRNN,
    GatedAntisymmetric,
    HouseholderRNN,
    KroneckerRNN,
    LinearRNN,
    MultiplicativeRNN,
    MultiScaleLMN,
    NaiveUnitaryRNN,
    PeepholeLSTM,
    QRNNf,
    QRNNifo,
    SpectralRNN,
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
    def rotate(z, theta):
        return z * lib.exp(1j * theta)

    def reflect(z, v):
        v = as_complex(v)
        return z - 2 * (z @ v.conj())[..., None] * v / (v * v.conj()).sum()

    z = as_complex(h)
    z = reflect(lib.fft.fft(rotate(z, p.theta_1), norm="ortho"), p.v_1)
    z = rotate(z[..., cell.constants["permutation"].tolist()], p.theta_2)
    z = rotate(reflect(lib.fft.ifft(z, norm="ortho"), p.v_2), p.theta_3)
    return modrelu(lib, p, z + as_complex(x @ p.V))


def as_complex(a):
    return block(a, 0, 2) + 1j * block(a, 1, 2)


def modrelu(lib, p, z):
    length = abs(z) + p.b
    h = z / abs(z) * length * (length > 0)
    return (lib.concatenate([h.real, h.imag], -1),)


def full_unitary(lib, cell, p, x, h):
    return modrelu(lib, p, as_complex(h) @ as_complex(p.W) + as_complex(x @ p.V))


def naive_unitary(lib, cell, p, x, h):
    Q = lib.asarray(as_complex(cell.constants["Q"]))
    W = (Q * lib.exp(1j * p.theta)) @ Q.conj().T
    return modrelu(lib, p, as_complex(h) @ W + as_complex(x @ p.V))


def eurnn(lib, cell, p, x, h):
    n, z, count = cell.hidden_size, as_complex(h), 0
    distances = [1] * cell.capacity if cell.pairing == "tunable" else [d for d in (16, 8, 4, 2, 1) if d < n]
    for layer, d in enumerate(distances):
        if cell.pairing == "tunable":
            pairs = [(j, j + 1) for j in range(layer % 2, n - 1, 2)]
        else:
            pairs = [(j, j + d) for j in range(n - d) if j // d % 2 == 0]
        units = [z[..., j] for j in range(n)]
        for j, k in pairs:
            c, s, turn = lib.cos(p.theta[count]), lib.sin(p.theta[count]), lib.exp(1j * p.phi[count])
            units[j], units[k] = c * turn * z[..., j] - s * z[..., k], s * turn * z[..., j] + c * z[..., k]
            count += 1
        z = lib.stack(units, -1)
    return modrelu(lib, p, z * lib.exp(1j * p.omega) + as_complex(x @ p.V))


def kronecker(lib, cell, p, x, h):
    rest, n, W, q = p.W, cell.hidden_size, lib.ones((1, 1)), 2
    while n > 1:
        while n % q == 0:
            W = lib.kron(W, as_complex(rest[: 2 * q * q].reshape(q, 2 * q)))
            rest, n = rest[2 * q * q :], n // q
        q += 1
    return modrelu(lib, p, as_complex(h) @ W + as_complex(x @ p.V))


def lmn(lib, cell, p, x, m):
    h = lib.tanh(x @ p.W_xh + m @ p.W_mh + p.b_h)
    return (h @ p.W_hm + m @ p.W_mm + p.b_m,)


def antisymmetric(lib, cell, p, x, h):
    return (h + cell.epsilon * lib.tanh(h @ p.W - h @ p.W.T - cell.gamma * h + x @ p.V + p.b),)


def gated_antisymmetric(lib, cell, p, x, h):
    u = h @ p.W - h @ p.W.T - cell.gamma * h
    z = sigmoid(lib, u + x @ block(p.V, 0, 2) + block(p.b, 0, 2))
    return (h + cell.epsilon * z * lib.tanh(u + x @ block(p.V, 1, 2) + block(p.b, 1, 2)),)


def multiscale_lmn(lib, cell, p, x, m, n):
    G, new_m, new_n = cell.modules, [], []
    h = lib.tanh(x @ p.W_xh + m @ p.W_mh + p.b_h)
    for k in range(G):
        slower = sum(
            block(m, j, G) @ block(p.W_mm[j * cell.module_size :][: cell.module_size], k, G) for j in range(k, G)
        )
        due = block(n, k, G) <= 0
        new_m.append(lib.where(due, h @ block(p.W_hm, k, G) + slower + block(p.b_m, k, G), block(m, k, G)))
        new_n.append(lib.where(due, block(n, k, G) + 2**k - 1, block(n, k, G) - 1))
    return lib.concatenate(new_m, -1), lib.concatenate(new_n, -1)


def convolution(lib, cell, p, x, q):
    """Pre-activations of the gates, and what is waiting for later steps: one block for each step to come."""
    k, parts = cell.window, []
    for j in range(k):
        parts.append(x @ block(p.W, j, k) + (block(q, j, k - 1) if j < k - 1 else 0))
    gates = parts[0] + p.b
    return [block(gates, j, len(cell.gates)) for j in range(len(cell.gates))], lib.concatenate(parts[1:], -1)


def qrnn(lib, cell, p, x, h, c, q):
    (z, f, o), q = convolution(lib, cell, p, x, q)
    c = sigmoid(lib, f) * c + (1 - sigmoid(lib, f)) * lib.tanh(z)
    return sigmoid(lib, o) * c + 0 * h, c, q  # autograd wants to see h


def qrnn_f(lib, cell, p, x, h, q):
    (z, f), q = convolution(lib, cell, p, x, q)
    return sigmoid(lib, f) * h + (1 - sigmoid(lib, f)) * lib.tanh(z), q


def qrnn_ifo(lib, cell, p, x, h, c, q):
    (z, f, o, i), q = convolution(lib, cell, p, x, q)
    c = sigmoid(lib, f) * c + sigmoid(lib, i) * lib.tanh(z)
    return sigmoid(lib, o) * c + 0 * h, c, q  # autograd wants to see h


def echo_state(lib, cell, p, x, h):
    return (h + cell.leak * (lib.tanh(x @ p.W_x + h @ p.W_h + p.b) - h),)


def exprnn(lib, cell, p, x, h):
    upper = lib.triu(p.A, 1)
    exp = scipy.linalg.expm if lib is np else lib.linalg.matrix_exp
    z = x @ p.V + h @ exp(upper - upper.T)
    length = abs(z) + p.b
    return (length * (length > 0) * lib.sign(z),)


def reflected(h, vectors):
    for u in vectors:
        h = h - 2 * (h @ u)[..., None] * u / (u @ u)
    return h


def householder(lib, cell, p, x, h):
    z = x @ p.V + reflected(h, lib.tril(p.U).T) + p.b
    return (lib.where(z > 0, z, cell.slope * z),)


def spectral(lib, cell, p, x, h):
    s = 1 - cell.r + 2 * cell.r * sigmoid(lib, p.g)
    wh = reflected(reflected(h, lib.tril(p.U).T) * s, reversed(list(lib.tril(p.V).T)))
    return (activation(lib, cell.activation, x @ p.M + wh + p.b),)


def multiplicative(lib, cell, p, x, h):
    return (lib.tanh(x @ p.W_hx + ((h @ p.W_fh) * (x @ p.W_fx)) @ p.W_hf + p.b),)


def scrn(lib, cell, p, x, hs):
    h, s = hs[..., : cell.hidden_size], hs[..., cell.hidden_size :]
    alpha = sigmoid(lib, p.beta) if cell.learn_alpha else cell.alpha
    s = (1 - alpha) * (x @ p.B) + alpha * s
    h = sigmoid(lib, s @ p.P + x @ p.A + h @ p.R)
    return (lib.concatenate([h, s], -1),)


REFERENCES = {
    Elman: elman,
    IRNN: elman,
    LinearRNN: linear,
    LSTM: lstm,
    PeepholeLSTM: peephole_lstm,
    GRU: gru,
    ChoGRU: cho_gru,
    UnitaryRNN: unitary,
    FullUnitaryRNN: full_unitary,
    NaiveUnitaryRNN: naive_unitary,
    EURNN: eurnn,
    KroneckerRNN: kronecker,
    LMN: lmn,
    Antisymmetric: antisymmetric,
    GatedAntisymmetric: gated_antisymmetric,
    ExpRNN: exprnn,
    HouseholderRNN: householder,
    SpectralRNN: spectral,
    MultiplicativeRNN: multiplicative,
    SCRN: scrn,
    MultiScaleLMN: multiscale_lmn,
    QRNN: qrnn,
    QRNNf: qrnn_f,
    QRNNifo: qrnn_ifo,
    EchoStateNetwork: echo_state,
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
