"""Mistakes in the code by other hands, each in one line: signs, factors, forgotten terms and sums, wrong steps, …

`why` says for what reason the line verdicts do not name exactly that line (yet); without it, they have to. They always
have to say that something is wrong.
"""

from typing import NamedTuple


class Mistake(NamedTuple):
    style: str
    name: str  # of the example
    function: str
    old: str  # a piece of one line of the function
    new: str
    why: str | None = None  # the tool does not find it, or not there


def mistakes(style, name, function, *pairs):
    return [Mistake(style, name, function, *pair) for pair in pairs]


MISTAKES = [
    *mistakes(
        "homework",
        "rnn step",
        "rnn_step_backward",
        ("dx = da.dot(Wx.T)", "dx = -da.dot(Wx.T)"),
        ("(1 - next_h**2)", "(1 - next_h)"),
    ),
    *mistakes(
        "homework",
        "rnn",
        "rnn_backward",
        ("dh[:, t, :] + dprev_h", "dh[:, t, :]"),
        ("dWh += dWh_t", "dWh = dWh_t"),
        ("db += db_t", "db -= db_t"),
        ("cache[t])", "cache[t - 1])"),
        ("dh0 = dprev_h", "dh0 = dnext_h"),
    ),
    *mistakes(
        "homework",
        "lstm step",
        "lstm_step_backward",
        ("dnext_c = dnext_c + dnext_h * o", "dnext_c = dnext_h * o"),
        ("dnext_c = dnext_c + dnext_h * o", "dnext_c += dnext_h * f"),
        ("dprev_c = dnext_c * f", "dprev_c = dnext_c"),
        ("daf = df * f * (1 - f)", "daf = df * i * (1 - i)"),
        ("Wx, Wh, i, f, o, g, next_c = cache", "Wx, Wh, f, i, o, g, next_c = cache"),
        ("(dai, daf, dao, dag)", "(dai, daf, dag, dao)"),
        ("db = np.sum(da, axis=0)", "db = da"),
        ("dWh = prev_h.T.dot(da)", "dWh = da.T.dot(prev_h)"),
    ),
    *mistakes(
        "homework",
        "lstm",
        "lstm_backward",
        ("dprev_c, caches[t]", "0 * dprev_c, caches[t]"),
        ("dx[:, t] = dx_t", "dx[:, t - 1] = dx_t"),
        ("return dx, dprev_h,", "return dx, dprev_c,"),
    ),
    *mistakes(
        "homework",
        "gru step",
        "gru_step_backward",
        ("dah = dax.copy()", "dah = dax"),
        ("dah[:, 2 * H :] *= r", "dah[:, H : 2 * H] *= r", "only the item is put right, not the array"),
        ("dprev_h += dah", "dprev_h = dah"),
        ("(prev_h - n)", "(n - prev_h)"),
        ("dr = dax[:, 2 * H :] * s", "dr = dn * s"),
    ),
    *mistakes(
        "homework",
        "gru",
        "gru_backward",
        ("dh[:, t - 1] += dprev_h", "dh[:, t - 1] = dprev_h"),
        ("grad += step_grad", "grad[...] = step_grad"),
    ),
    *mistakes("homework", "affine", "affine_backward", ("db = dout.sum(axis=0)", "db = dout.mean(axis=0)")),
    *mistakes(
        "homework",
        "softmax loss",
        "softmax_loss",
        ("dx /= N", "dx /= 1"),
    ),
    *mistakes(
        "inplace",
        "rnn",
        "rnn_backward",
        ("hs[t - 1].T", "hs[t].T"),
        ("dby += dy", "dby = dy"),
        ("dhnext = Whh.T @ dhraw", "dhnext = Whh @ dhraw"),
        ("Why.T @ dy + dhnext", "Why.T @ dy"),
        ("(1 - hs[t] * hs[t]) * dh", "(1 - hs[t]) * dh"),
    ),
    *mistakes(
        "inplace",
        "lstm",
        "lstm_backward",
        ("dcnext = f[t] * dc", "dcnext = i[t] * dc"),
        ("dc += dh * o[t]", "dc += dh"),
        ("dc = dcnext.copy()", "dc = np.zeros_like(dcnext)"),
        ('grads["bi"] += di_raw', 'grads["bi"] += dg_raw'),
        ("dhnext = dz[:H]", "dhnext = dz[-H:]"),
        ("dc * c[t - 1]", "dc * c[t]"),
        ("= dhnext, dcnext", "= dcnext, dhnext"),
    ),
    *mistakes(
        "inplace",
        "gru",
        "gru_backward",
        ("dWc += dc_raw @ zr.T", "dWc += dc_raw @ z.T"),
        ("dhnext += dzr[:H] * r_t", "dhnext += dzr[:H]"),
        ("dz = Wr.T @ dr_raw", "dz = Wu.T @ dr_raw"),
        ("dz = Wr.T @ dr_raw", "dz = Wr @ dr_raw"),
        ("dx[:, t] += dz[H:]", "dx[:, t] = dz[H:]"),
        ("c_t = h[:, t - 1]", "c_t = h[:, t]"),
    ),
    *mistakes(
        "classes",
        "RNN",
        "RNN.backward",
        ("np.dot(dt, Wh.T)", "np.dot(dt, Wh)"),
        ("x, h_prev, h_next = self.cache", "x, h_next, h_prev = self.cache"),
        ("self.grads[1][...] = dWh", "self.grads[1][...] += dWh + 1"),
    ),
    *mistakes(
        "classes",
        "LSTM",
        "LSTM.backward",
        ("di *= i * (1 - i)", "di *= i"),
        ("ds = dc_next + dh_next", "ds = dh_next"),
        ("np.hstack((df, dg, di, do))", "np.hstack((df, di, dg, do))"),
        ("df = ds * c_prev", "df = np.multiply(ds, c_prev, out=ds)"),
        ("dA @ Wh.T, dc_prev", "dA @ Wh.T, ds"),
    ),
    *mistakes(
        "classes",
        "GRU",
        "GRU.backward",
        ("dh_next * h_hat - dh_next * h_prev", "dh_next * h_hat"),
        ("(r * h_prev).T @ dt", "h_prev.T @ dt"),
        ("dt = dr * r * (1 - r)", "dt = dr * (1 - r)"),
    ),
    *mistakes(
        "classes",
        "TimeRNN",
        "TimeRNN.backward",
        ("dhs[:, t, :] + dh)", "dhs[:, t, :])"),
        ("grads[i] += grad", "grads[i] = grad"),
        ("self.layers[t]", "self.layers[-1]"),
    ),
    *mistakes(
        "classes",
        "TimeLSTM",
        "TimeLSTM.backward",
        ("dh = dh + dhs[:, t]", "dh = dhs[:, t]"),
        ("layer.backward(dh, dc)", "layer.backward(dh, dh)"),
    ),
    *mistakes("classes", "TimeLSTM", "LSTM.backward", ("dc_prev = ds * f", "dc_prev = dc_next * f")),
    *mistakes("classes", "TimeGRU", "TimeRNN.backward", ("dhs[:, t, :] + dh)", "dhs[:, t, :] - dh)")),
    *mistakes(
        "classes",
        "TimeRNN, stateful",
        "TimeRNN.backward",
        ("self.dh = dh", "self.dh = 0 * dh"),
    ),
]
