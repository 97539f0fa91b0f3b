"""Every edit of any statement can be made, read and compiled: one that cannot would end the search for a mistake."""

import ast

import pytest

from tinyrnn.verdicts.repair.change import FORMULA, MISSING, PIECE, TOKEN
from tinyrnn.verdicts.repair.edits import Edits

ODD = '''
def odd(self, x, *args, W=None, first=(), **more):
    """What may stand in a function, whatever it is for."""
    global COUNT
    COUNT = 3
    data = self.files["f1"][()]
    steps = np.arange(*args)
    for t in range(*args, 2):
        pass
    for k, (a, *rest) in enumerate(zip(x, *first)):
        data[..., k] = a[::-1, None] if k % 2 else -a[~self.mask] ** 2
    self.cache[f"W{k}"] = old = self.rate * W[f"{k}_in"] + self.moment * W[f"{k}_in"]
    key = f"{self.name!r:>{k}}" + "text" * 2
    (u, v), w = self.parts = np.split(x, 2), lambda h, n=3: h[n:] @ W.T
    while (n := len(rest)) > 1 and not n == k != 4:
        rest.append({**more, "h": [h**2 for h in rest if h.any()], **{"c": {1, 2}}})
        if n is None:
            continue
        elif isinstance(n, int | float):
            break
        else:
            del rest[0], data[k:n:2]
    with open("f") as file, np.errstate(all="ignore"):
        assert file, "none"
    try:
        total: float = sum(h * g for h, g in rest) / len(x) or 1.0
        total += np.einsum("ij,jk->ik", u, v)[0, -1] ** -0.5
        np.add.at(data, ([0, 1], ...), u - v)
    except (ValueError, TypeError) as error:
        raise RuntimeError from error
    finally:
        d_x, d_W = (x - u) / n, np.outer(x, u).T
    def back(dy, scale=1):
        nonlocal old
        old = dy * (1 - u**2) * scale
        return old @ W.T, x.T @ old
    d_x /= n
    back(d_x)
    yield d_x
    return np.sum(d_x, axis=(0, 1), keepdims=True), d_W if k else None, *back(d_W), [d_x, *args]
'''
LAYER = """
def backward(self, dout):
    N, C, H, W = self.x.shape
    dx = np.zeros_like(self.x)
    dw = np.zeros(self.w.shape)
    for n, c in np.ndindex(N, C):
        for i in range(0, H - self.k + 1, self.stride):
            for j in range(0, W - self.k + 1, self.stride):
                window = self.x[n, c, i : i + self.k, j : j + self.k]
                dw[c] += window * dout[n, c, i // self.stride, j // self.stride]
                dx[n, c, i : i + self.k, j : j + self.k] += self.w[c] * dout[n, c, i // self.stride, j // self.stride]
    db = dout.sum(axis=(0, 2, 3))
    self.grads = {"w": dw / N, "b": db / N}
    self.w -= self.rate * dw
    return dx.reshape(N, -1) * (1 - self.out) * self.out
"""
ALL_OF_FEW = 11  # of the edits, each so many is compiled


@pytest.mark.parametrize("source", [ODD, LAYER], ids=["odd", "layer"])
def test_every_edit_of_every_statement_can_be_made_and_compiled(source):
    edits = Edits(ast.parse(source).body[0])
    made = 0
    for line in edits.lines:
        for weight in (TOKEN, PIECE, FORMULA, MISSING):
            for number, change in enumerate(edits.of_line(line, weight)):
                if number % ALL_OF_FEW == 0:
                    ast.parse(in_a_function(ast.unparse(change.made())))
                    made += 1
    assert made > 500


def in_a_function(text):
    """The source of a function in a loop of which some statements stand."""
    inner = "\n".join(f"            {line}" for line in text.splitlines())
    return f"def outer():\n    old = 0\n    def inner():\n        while True:\n{inner}\n"
