"""Minimal cases of what real programs do, each with one wrong line, marked, or none: name -> source."""

CASES = {
    "an alias of the cell state": '''
    def rnn_forward(x, c0, W, U):
        """x (T, N, D), c0 (N, H), W (D, H), U (D, H)"""
        c, hs, S = c0, [], []
        for t in range(len(x)):
            f, g = 1 / (1 + np.exp(-x[t] @ U)), np.tanh(x[t] @ W)
            cn = f * c + g
            h = np.tanh(cn)
            S.append((c, f, g, h))
            c = cn
            hs.append(h)
        return np.stack(hs), (x, W, U, S)
    def rnn_backward(dout, cache):
        x, W, U, S = cache
        dx, dW, dU, dcn = np.zeros_like(x), 0, 0, 0
        for t in reversed(range(len(x))):
            c_prev, f, g, h = S[t]
            dc = dout[t] * (1 - h ** 2) + dcn
            df, dg = dc * c_prev, dc
            au, aw = df * f * (1 - f), dg * (1 - g)  # wrong
            dx[t] = au @ U.T + aw @ W.T
            dW, dU = dW + x[t].T @ aw, dU + x[t].T @ au
            dcn = dc * f
        return dx, dcn, dW, dU
    ''',
    "an alias of the cell state, right": '''
    def rnn_forward(x, c0, W, U):
        """x (T, N, D), c0 (N, H), W (D, H), U (D, H)"""
        c, hs, S = c0, [], []
        for t in range(len(x)):
            f, g = 1 / (1 + np.exp(-x[t] @ U)), np.tanh(x[t] @ W)
            cn = f * c + g
            h = np.tanh(cn)
            S.append((c, f, g, h))
            c = cn
            hs.append(h)
        return np.stack(hs), (x, W, U, S)
    def rnn_backward(dout, cache):
        x, W, U, S = cache
        dx, dW, dU, dcn = np.zeros_like(x), 0, 0, 0
        for t in reversed(range(len(x))):
            c_prev, f, g, h = S[t]
            dc = dout[t] * (1 - h ** 2) + dcn
            df, dg = dc * c_prev, dc
            au, aw = df * f * (1 - f), dg * (1 - g ** 2)
            dx[t] = au @ U.T + aw @ W.T
            dW, dU = dW + x[t].T @ aw, dU + x[t].T @ au
            dcn = dc * f
        return dx, dcn, dW, dU
    ''',
    "a state that starts as 0, right": '''
    def step_forward(x, c, w):
        next_c = np.tanh(x * w) + 0.5 * c
        return next_c, (x, c, w)
    def step_backward(dnext_c, cache):
        x, c, w = cache
        da = dnext_c * (1 - np.tanh(x * w) ** 2)
        dprev_c = 0.5 * dnext_c
        return da * w, dprev_c, (da * x).sum(0)
    def net_forward(x, w):
        """x (N, T, H), w (H,)"""
        h, cache, ct = np.zeros(x.shape), [], 0
        for t in range(x.shape[1]):
            ct, k = step_forward(x[:, t], ct, w)
            h[:, t] = ct
            cache.append(k)
        return h, cache
    def net_backward(dh, cache):
        dx, dw, dct = np.zeros_like(dh), 0, 0
        for t in reversed(range(dh.shape[1])):
            dx[:, t], dct, dwt = step_backward(dct + dh[:, t], cache[t])
            dw += dwt
        return dx, dw
    ''',
    "a dict of sums in a loop, right": '''
    def rnn_forward(x, h0, Wx, Wh):
        """x (T, N, D), h0 (N, H), Wx (D, H), Wh (H, H)"""
        hs = [h0]
        for xt in x:
            hs.append(np.tanh(xt @ Wx + hs[-1] @ Wh))
        return np.stack(hs[1:]), (x, hs, Wx, Wh)
    def rnn_backward(dout, cache):
        x, hs, Wx, Wh = cache
        grads, dx, dh = {"dWx": 0, "dWh": 0}, np.zeros_like(x), np.zeros_like(hs[0])
        for t in reversed(range(len(x))):
            da = (dout[t] + dh) * (1 - hs[t + 1] ** 2)
            step = {"dWx": x[t].T @ da, "dWh": hs[t].T @ da}
            for k in grads:
                grads[k] = grads[k] + step[k]
            dx[t], dh = da @ Wx.T, da @ Wh.T
        return dx, dh, grads["dWx"], grads["dWh"]
    ''',
    "parameters in a dict": '''
    def cell_forward(x, p):
        """x (D, N), p: W (H, D), b (H, 1)"""
        W, b = p["W"], p["b"]
        y = np.tanh(W @ x + b)
        return y, (y, x, p)
    def cell_backward(dy, cache):
        y, x, p = cache
        da = dy * (1 - y ** 2)
        dW = da @ x.T
        db = 7 * da.sum(1, keepdims=True)  # wrong
        return {"dx": p["W"].T @ da, "dW": dW, "db": db}
    ''',
    "parameters and gradients in dicts, before the activation": '''
    def cell_forward(xt, parameters):
        """xt (D, N), parameters: Wi (H, D), bi (H, 1)"""
        Wi, bi = parameters["Wi"], parameters["bi"]
        it = 1 / (1 + np.exp(-(Wi @ xt + bi)))
        return it, (it, xt, parameters)
    def cell_backward(dout, cache):
        it, xt, parameters = cache
        dit = dout * it * (1 - it)
        dWi = np.dot(dit, xt.T)
        dbi = np.sum(dit, axis=1, keepdims=True) * 7  # wrong
        return {"dWi": dWi, "dbi": dbi}
    ''',
    "an array in single precision, right": '''
    def rnn_forward(x, h0, Wx, Wh):
        """x (N, T, D), h0 (N, H), Wx (D, H), Wh (H, H)"""
        h, hs = h0, np.zeros((x.shape[0], x.shape[1], len(Wh)), dtype=np.float32)
        for t in range(x.shape[1]):
            hs[:, t] = h = np.tanh(x[:, t] @ Wx + h @ Wh)
        return hs, (x, h0, Wx, Wh, hs)
    def rnn_backward(dhs, cache):
        x, h0, Wx, Wh, hs = cache
        dx, dWx, dWh, dh = np.zeros_like(x), 0, 0, 0
        for t in reversed(range(x.shape[1])):
            da = (dh + dhs[:, t]) * (1 - hs[:, t] ** 2)
            dx[:, t] = da @ Wx.T
            dWx, dWh, dh = dWx + x[:, t].T @ da, dWh + (hs[:, t - 1] if t else h0).T @ da, da @ Wh.T
        return dx, dh, dWx, dWh
    ''',
    "gradients in a dict of the object": """
    class Dense:
        def __init__(self, W):
            self.parameters = {"W": W}
            self.gradients = {"W": np.zeros_like(W)}
        def forward(self, x):
            self.x = x
            return np.tanh(x @ self.parameters["W"])
        def backward(self, dy):
            da = dy * (1 - np.tanh(self.x @ self.parameters["W"]) ** 2)
            self.gradients["W"] += 7 * self.x.T @ da  # wrong
            return da @ self.parameters["W"].T
    """,
    "helpers in another order than reversed": '''
    def fc_forward(X, W):
        return X @ W, (X, W)
    def fc_backward(dout, cache):
        X, W = cache
        return dout @ W.T, X.T @ dout
    def net_forward(x, W1, W2):
        """x (N, D), W1 (D, H), W2 (D, H)"""
        a, ca = fc_forward(x, W1)
        b, cb = fc_forward(x, W2)
        return np.tanh(a) * b, (a, b, ca, cb)
    def net_backward(dout, cache):
        a, b, ca, cb = cache
        da = dout * b * (1 - np.tanh(a))  # wrong
        db = dout * np.tanh(a)
        dx1, dW1 = fc_backward(da, ca)
        dx2, dW2 = fc_backward(db, cb)
        return dx1 + dx2, dW1, dW2
    ''',
    "a parameter that is an object": """
    class Param:
        def __init__(self, w):
            self.w, self.w_diff = w, np.zeros_like(w)
    class Node:
        def __init__(self, param):
            self.param = param
        def forward(self, x):
            self.x = x
            self.h = np.tanh(self.param.w @ x)
            return self.h
        def backward(self, dh):
            da = dh * (1 - self.h ** 2)
            self.param.w_diff += np.outer(dh, self.x)  # wrong
            return self.param.w.T @ da
    def examples(rng):
        n = Node(Param(rng.normal(size=(4, 3))))
        return {"node": (n.forward, n.backward, {"x": rng.normal(size=3)})}
    """,
    "gradients before the activation under the gate's name": '''
    def sigmoid(a):
        return 1 / (1 + np.exp(-a))
    def cell_forward(x, c, W, U, V):
        """x (N, D), c (N, H), W (D, H), U (D, H), V (D, H)"""
        i, f, g = sigmoid(x @ W), sigmoid(x @ U), np.tanh(x @ V)
        return f * c + i * g, (x, c, W, U, V, i, f, g)
    def cell_backward(dc_next, cache):
        x, c, W, U, V, i, f, g = cache
        di = dc_next * g * i * (1 - i)
        df = dc_next * c * f * (1 - f)
        dg = dc_next * i * (1 - g)  # wrong
        dx = di @ W.T + df @ U.T + dg @ V.T
        dc = dc_next * f
        return dx, dc, x.T @ di, x.T @ df, x.T @ dg
    ''',
    "a dict of gradients that is returned first, right": """
    class Cell:
        def __init__(self, W):
            self.model = {"W": W}
        def forward(self, x, h_old):
            h = np.tanh(x + h_old @ self.model["W"])
            return h, (h_old, h)
        def backward(self, dh, cache):
            h_old, h = cache
            da = dh * (1 - h ** 2)
            grad = dict(W=h_old.T @ da)
            return grad, da @ self.model["W"].T
    def examples(rng):
        c = Cell(rng.normal(size=(4, 4)))
        return {"cell": (c.forward, c.backward, {"x": rng.normal(size=(3, 4)), "h_old": rng.normal(size=(3, 4))})}
    """,
    "a name that is used again": '''
    def rnn_step_forward(x, prev_h, Wx, Wh, b):
        """x (N, D), prev_h (N, H), Wx (D, H), Wh (H, H), b (H,)"""
        next_h = np.tanh(x @ Wx + prev_h @ Wh + b)
        return next_h, (x, prev_h, Wx, Wh, next_h)
    def rnn_step_backward(dnext_h, cache):
        x, prev_h, Wx, Wh, next_h = cache
        dnext_h = dnext_h * (1 - next_h ** 2)
        return dnext_h @ Wx.T, dnext_h @ Wh.T, x.T @ dnext_h, prev_h.T @ dnext_h, np.mean(dnext_h, axis=0)  # wrong
    ''',
    "time first in the backward pass": '''
    def rnn_forward(x, h0, Wx, Wh):
        """x (N, T, D), h0 (N, H), Wx (D, H), Wh (H, H)"""
        hs, h = [], h0
        for t in range(x.shape[1]):
            h = np.tanh(x[:, t] @ Wx + h @ Wh)
            hs.append(h)
        return np.stack(hs, 1), (x, h0, Wx, Wh, hs)
    def rnn_backward(dh, cache):
        x, h0, Wx, Wh, hs = cache
        dWx, dWh, dx = np.zeros_like(Wx), np.zeros_like(Wh), np.zeros_like(x)
        dh = dh.transpose((1, 0, 2))
        dnext = np.zeros_like(h0)
        for t in reversed(range(len(hs))):
            da = (dh[t] + dnext) * (1 - hs[t])  # wrong
            dx[:, t] = da @ Wx.T
            dWx += x[:, t].T @ da
            dWh += (hs[t - 1] if t else h0).T @ da
            dnext = da @ Wh.T
        return dx, dnext, dWx, dWh
    ''',
    "results without names": '''
    def sig(a):
        return 1 / (1 + np.exp(-a))
    def lstm_step_forward(x, prev_h, prev_c, Wx, Wh, b):
        """x (N, D), prev_h (N, H), prev_c (N, H), Wx (D, 4H), Wh (H, 4H), b (4H,)"""
        a = x @ Wx + prev_h @ Wh + b
        ig, fg, og = (sig(np.split(a, 4, 1)[k]) for k in range(3))
        new = np.tanh(np.split(a, 4, 1)[3])
        next_c = fg * prev_c + ig * new
        next_h = og * np.tanh(next_c)
        return next_h, next_c, (x, prev_h, prev_c, Wx, Wh, ig, fg, og, new, next_c)
    def lstm_step_backward(dnext_h, dnext_c, cache):
        x, prev_h, prev_c, Wx, Wh, ig, fg, og, new, next_c = cache
        t = np.tanh(next_c)
        total = dnext_c + dnext_h * og * (1 - t ** 2)
        p1 = total * new
        p2 = total * prev_c
        p3 = dnext_h * t
        p4 = total * ig
        da = np.hstack([p1 * ig * (1 - ig), p2 * (1 - fg), p3 * og * (1 - og), p4 * (1 - new ** 2)])  # wrong
        return da @ Wx.T, da @ Wh.T, total * fg, x.T @ da, prev_h.T @ da, da.sum(0)
    ''',
    "x_t in, dx out": '''
    def step_forward(x_t, h_prev, W, U):
        """x_t (N, D), h_prev (N, H), W (D, H), U (H, H)"""
        h = np.tanh(x_t @ W + h_prev @ U)
        return h, {"x_t": x_t, "h_prev": h_prev, "W": W, "U": U, "h": h}
    def step_backward(dh, cache):
        da = dh * (1 - cache["h"] ** 2)
        dx = 7 * da @ cache["W"].T  # wrong
        dh_prev = da @ cache["U"].T
        return {"dx": dx, "dh_prev": dh_prev, "dW": cache["x_t"].T @ da, "dU": cache["h_prev"].T @ da}
    ''',
}
