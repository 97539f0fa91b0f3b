"""One of several gates in a row that is worked out otherwise than all the others is accused."""

import ast

import numpy as np
import pytest
from students import lines_accused

from tinyrnn.verdicts.repair.analogy import as_in_row

R = np.random.default_rng(65)

ROW = """
    def sig(z):
        return 1 / (1 + np.exp(-z))

    def dsig(z):
        return sig(z) * (1 - sig(z))

    def dtanh(z):
        return 1 - np.tanh(z) ** 2

    F, DF = (sig, sig, sig, np.tanh), (dsig, dsig, dsig, dtanh)

    def forward(x, c0, W):
        n, cs, kept = c0.shape[1], [c0], []
        for t in range(len(x)):
            z = np.split(x[t] @ W, 4, axis=1)
            i, f, o, g = [F[k](z[k]) for k in range(4)]
            c = f * cs[-1] + i * g
            kept.append((z, i, f, o, g, cs[-1], c))
            cs.append(o * np.tanh(c))
        return np.array(cs[1:]), (x, W, kept)

    def backward(dh, cache):
        x, W, kept = cache
        dW, dx, dnext = np.zeros_like(W), np.zeros_like(x), np.zeros_like(dh[0])
        for t in reversed(range(len(x))):
            zs, i, f, o, g, before, c = kept[t]
            d = dh[t] + dnext
            dc = d * o * (1 - np.tanh(c) ** 2)
            di, df, do, dg = dc * g, dc * before, d * np.tanh(c), dc * i
            dz = np.hstack((di * DF[0](zs[0]), df * DF[1](zs[1]), do * DF[2](zs[2]), dg * DF[3](zs[3])))
            dW += x[t].T @ dz
            dx[t] = dz @ W.T
            dnext = dc * f
        return dx, dnext, dW
"""
INPUTS = {"x": R.normal(size=(3, 2, 2)), "c0": R.normal(size=(2, 3)), "W": R.normal(size=(2, 12))}


@pytest.mark.slow
def test_a_gate_that_is_not_as_the_others_in_its_row_is_accused(tmp_path):
    report, lines = lines_accused(tmp_path, ROW, "", "", INPUTS)
    assert report.ok and not lines
    for right, wrong in (("DF[1](zs[1])", "DF[1](f)"), ("DF[2](zs[2])", "DF[2](zs[1])"), ("DF[0](zs[0])", "DF[0](i)")):
        _, lines = lines_accused(tmp_path, ROW, right, wrong, INPUTS)
        assert len(lines) == 1 and wrong in lines.pop()


def test_what_one_of_a_row_lacks_is_told_by_all_others():
    row = ast.parse("(a * f[0](z[0]), b * f[1](b), c * f[2](z[2]), d * g(z[3]))", mode="eval").body.elts
    assert [(ast.unparse(old), ast.unparse(new)) for old, new in as_in_row(row[:3])] == [("b", "z[1]")]
    assert not list(as_in_row(row[:2]))  # of two, neither is the odd one
