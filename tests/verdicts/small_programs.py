"""Three small programs for each of some mistakes that the longer ones in `other_styles/` have no place for.

Each is a text, with the arguments of its forward function and a piece of one line that a student writes otherwise.
"""

MASKED_FUNCTIONS = '''
def rnn_forward(x, h0, Wx, Wh, mask):
    """x (T, N, D), h0 (N, H), Wx (D, H), Wh (H, H), mask (T, N, 1): 0 where a sequence has ended"""
    hs, h = [h0], h0
    for t in range(len(x)):
        new = np.tanh(x[t] @ Wx + h @ Wh)
        h = mask[t] * new + (1 - mask[t]) * h
        hs.append(h)
    return np.stack(hs[1:]), (x, hs, Wx, Wh, mask)


def rnn_backward(dout, cache):
    x, hs, Wx, Wh, mask = cache
    dx, dWx, dWh, dh = np.zeros_like(x), np.zeros_like(Wx), np.zeros_like(Wh), np.zeros_like(hs[0])
    for t in reversed(range(len(x))):
        dh = dh + dout[t]
        new = np.tanh(x[t] @ Wx + hs[t] @ Wh)
        da = mask[t] * dh * (1 - new**2)
        dWx += x[t].T @ da
        dWh += hs[t].T @ da
        dx[t] = da @ Wx.T
        dh = da @ Wh.T + (1 - mask[t]) * dh
    return dx, dh, dWx, dWh
'''
MASKED_COLUMNS = '''
def loss_and_grads(xs, keep, targets, Wxh, Whh, Why):
    """xs (T, D, 1), keep (T,): 0 where nothing is to be said, targets (T, K, 1), Wxh (H, D), Whh (H, H), Why (K, H)"""
    hs, es, loss = {-1: np.zeros((len(Whh), 1))}, {}, 0.0
    for t in range(len(xs)):
        hs[t] = np.tanh(Wxh @ xs[t] + Whh @ hs[t - 1])
        es[t] = Why @ hs[t] - targets[t]
        loss += keep[t] * np.sum(es[t] ** 2) / 2
    dWxh, dWhh, dWhy = np.zeros_like(Wxh), np.zeros_like(Whh), np.zeros_like(Why)
    dhnext = np.zeros_like(hs[-1])
    for t in reversed(range(len(xs))):
        dWhy += keep[t] * es[t] @ hs[t].T
        dh = Why.T @ (keep[t] * es[t]) + dhnext
        draw = (1 - hs[t] * hs[t]) * dh
        dWxh += draw @ xs[t].T
        dWhh += draw @ hs[t - 1].T
        dhnext = Whh.T @ draw
    return loss, dWxh, dWhh, dWhy
'''
MASKED_CLASS = '''
class Pool:
    """The mean over the steps that count, of what a weight makes of each."""

    def __init__(self, W):
        self.W, self.dW = W, None

    def forward(self, x, mask):
        self.cache = x, mask
        self.count = mask.sum(axis=0)
        return (mask[:, :, None] * (x @ self.W)).sum(axis=0) / self.count[:, None]

    def backward(self, dy):
        x, mask = self.cache
        each = dy / self.count[:, None]
        weighted = mask[:, :, None] * x
        self.dW = np.tensordot(weighted, np.broadcast_to(each, (*x.shape[:2], each.shape[-1])), ((0, 1), (0, 1)))
        return mask[:, :, None] * (each @ self.W.T)
'''
SMOOTH = '''
def smooth_forward(h):
    """h (T, N, H)"""
    T = len(h)
    steps = h[1:] - h[:-1]
    return np.sum(steps**2) / (T - 1), (steps, T)


def smooth_backward(dloss, cache):
    steps, T = cache
    dsteps = 2 * dloss * steps / (T - 1)
    dh = np.zeros((T, *steps.shape[1:]))
    dh[1:] += dsteps
    dh[:-1] -= dsteps
    return dh
'''
SPREAD = '''
class Spread:
    """The standard deviation over time."""

    def forward(self, x):
        self.centred = x - x.mean(axis=0)
        self.std = np.sqrt((self.centred**2).sum(axis=0) / (len(x) - 1))
        return self.std

    def backward(self, dstd):
        T = len(self.centred)
        dvar = dstd / (2 * self.std)
        dcentred = 2 * self.centred * dvar / (T - 1)
        return dcentred - dcentred.mean(axis=0)
'''
FORECAST = '''
def forecast(x, W):
    """x (T, N, D), W (D, D): each step is predicted from the one before; returns loss and gradients"""
    T, N, D = x.shape
    loss, dx, dW = 0.0, np.zeros_like(x), np.zeros_like(W)
    for t in range(1, T):
        error = x[t - 1] @ W - x[t]
        loss = loss + np.sum(error * error) / (T - 1)
        derror = 2 * error / (T - 1)
        dW += x[t - 1].T @ derror
        dx[t - 1] += derror @ W.T
        dx[t] -= derror
    return loss, dx, dW
'''
STENCIL = '''
def slope_forward(x, eps):
    """x (T, D)"""
    return (x[:-4] - 8 * x[1:-3] + 8 * x[3:-1] - x[4:]) / (12 * eps), (x.shape, eps)


def slope_backward(dy, cache):
    shape, eps = cache
    dy = dy / (12 * eps)
    dx = np.zeros(shape)
    dx[:-4] += dy
    dx[1:-3] -= 8 * dy
    dx[3:-1] += 8 * dy
    dx[4:] -= dy
    return dx
'''
SCALED = """
class Norm:
    def __init__(self, gamma):
        self.gamma, self.dgamma = gamma, None

    def forward(self, x):
        self.size = np.sqrt((x * x).sum(axis=1, keepdims=True) + 0.1)
        self.x = x
        return self.gamma * x / self.size

    def backward(self, dy):
        x, size = self.x, self.size
        self.dgamma = (dy * x / size).sum(axis=0)
        dz = dy * self.gamma
        return dz / size - x * (dz * x).sum(axis=1, keepdims=True) / (size * size * size)
"""
AVERAGED = '''
def average(scores, labels, temperature):
    """scores (T, N, C), labels (T, N) in 0 .. C - 1; returns loss and gradient"""
    T, N, C = scores.shape
    p = np.exp(scores / temperature)
    p = p / p.sum(axis=2, keepdims=True)
    hot = np.eye(C)[labels]
    loss = -np.sum(hot * np.log(p)) / (T * N)
    dscores = (p - hot) / (T * N * temperature)
    return loss, dscores
'''
