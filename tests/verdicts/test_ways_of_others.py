"""Mistakes in programs as others write them: layers within dicts and functions, gradients in lists, clipped."""

import linecache

import numpy as np
import pytest
from written_modules import written

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

LAYERS = """
    class Param:
        def __init__(self, value):
            self.value, self.grad = value, np.zeros_like(value)

    class Linear:
        def __init__(self, W):
            self.params = {"W": Param(W)}
        def forward(self, x):
            self.kept = {"x": x}
            return x @ self.params["W"].value
        def backward(self, da):
            self.params["W"].grad += self.kept["x"].T @ da
            return da @ self.params["W"].value.T

    class Block:
        def __init__(self, V, W):
            self.first, self.second, self.slopes = Linear(V), Linear(W), {"tanh": self.slope}
        def slope(self, y):
            return 1 - y**2
        def forward(self, x):
            self.y, self._mask = np.tanh(self.first.forward(x)), x[:, :3] > 0
            return self.second.forward(self.y * self._mask)
        def backward(self, dout):
            dy = self.second.backward(dout)
            dy = dy * self._mask
            return self.first.backward(dy * self.slopes["tanh"](self.y))

    class Model:
        def __init__(self, V, W, U):
            self.blocks, self.last = [Block(V, W)], Linear(U)
        def forward(self, x):
            self.forwards = x
            return self.last.forward(self.blocks[0].forward(x))

    def loss_and_gradients(x, V, W, U):
        model = Model(V, W, U)
        out = model.forward(x)
        loss = 0.5 * np.sum(out**2)
        model.blocks[0].backward(model.last.backward(out))
        layers = (model.blocks[0].first, model.blocks[0].second, model.last)
        return loss, *[layer.params["W"].grad for layer in layers]
"""
CLIPPED = """
    def loss_and_gradients(inputs, targets, h, Wx, Wh, Wy, b):
        hs, ps, loss = {-1: h}, {}, 0.0
        for t in range(len(inputs)):
            hs[t] = np.tanh(Wx @ inputs[t] + Wh @ hs[t - 1] + b)
            ps[t] = np.exp(Wy @ hs[t]) / np.sum(np.exp(Wy @ hs[t]))
            loss += -np.log(ps[t][targets[t], 0])
        dWx, dWh, dWy, db = np.zeros_like(Wx), np.zeros_like(Wh), np.zeros_like(Wy), np.zeros_like(b)
        dhs, das = {}, {}
        for t in reversed(range(len(inputs))):
            dy = np.copy(ps[t])
            dy[targets[t]] -= 1
            dWy += dy @ hs[t].T
            if t == len(inputs) - 1:
                dhs[t] = np.dot(Wy.T, dy)
            else:
                dhs[t] = Wy.T @ dy + Wh.T @ das[t + 1]
            das[t] = dhs[t] * (1 - hs[t] ** 2)
            db += das[t]
            dWx += das[t] @ inputs[t].T
            dWh += das[t] @ hs[t - 1].T
        gradients = [dWx, dWh, dWy, db]
        for gradient in gradients:
            np.clip(gradient, -5, 5, out=gradient)
        return loss, gradients

    def all_of_it(inputs, targets, h, Wx, Wh, Wy, b):
        loss, gradients = loss_and_gradients(inputs, targets, h, Wx, Wh, Wy, b)
        return loss, *gradients
"""
JOINED = """
    def forward(x, h, W):
        both = np.concatenate([x, h], axis=1)
        a = both @ W
        n = h.shape[1]
        i, f = np.tanh(a[:, :n]), np.tanh(a[:, n:])
        return i * f * h, (x, h, W, both, i, f)
    def backward(dout, cache):
        x, h, W, both, i, f = cache
        n = h.shape[1]
        di = dout * f * h
        df = dout * i * h
        dai = di * (1 - i**2)
        daf = df * (1 - f**2)
        da = np.concatenate([dai, daf], axis=1)
        dboth = da @ W.T
        dx = dboth[:, :-n]
        dh = dboth[:, -n:] + dout * i * f
        return dx, dh, both.T @ da
    def steps_forward(xs, V):
        hs, h = [], np.zeros(3)
        for x in xs:
            h = np.tanh(x + V @ h)
            hs.append(h)
        return np.stack(hs), (xs, V, hs)
    def steps_backward(dhs, cache):
        xs, V, hs = cache
        das, carried = [], np.zeros(3)
        for t in reversed(range(len(xs))):
            da = (dhs[t] + carried) * (1 - hs[t] ** 2)
            das.insert(0, da)
            carried = V.T @ da
        return np.stack(das), sum(np.outer(das[t], hs[t - 1]) for t in range(1, len(xs)))
"""
R = np.random.default_rng(0).normal
DEEP = {"x": R(size=(4, 3)), "V": R(size=(3, 3)), "W": R(size=(3, 3)), "U": R(size=(3, 2))}
STEPS = {"inputs": R(size=(4, 3, 1)), "targets": [1, 0, 2, 1], "h": R(size=(2, 1)), "Wx": R(size=(2, 3)),
         "Wh": R(size=(2, 2)), "Wy": R(size=(3, 2)), "b": R(size=(2, 1))}  # fmt: skip
PAIR = {"x": R(size=(2, 4)), "h": R(size=(2, 3)), "W": R(size=(7, 6))}
STATES = {"xs": R(size=(4, 3)), "V": R(size=(3, 3))}
LOSS, CLIP = ("loss_and_gradients",), ("all_of_it",)
TWO, TIME = ("forward", "backward"), ("steps_forward", "steps_backward")
CASES = {  # source, functions, inputs, [right, wrong, right, wrong …]
    "a layer made within": (LAYERS, LOSS, DEEP, ['self.kept["x"].T @ da', '-self.kept["x"].T @ da']),
    "a slope in a dict": (LAYERS, LOSS, DEEP, ["return 1 - y**2", "return 1 - y"]),
    "another layer": (LAYERS, LOSS, DEEP, ["dy = self.second.backward(dout)", "dy = self.first.backward(dout)"]),
    "a mask": (LAYERS, LOSS, DEEP, ["dy = dy * self._mask", "dy = dy * self.y"]),
    "what the loop hands on": (CLIPPED, CLIP, STEPS, [" + Wh.T @ das[t + 1]", ""]),
    "a gradient in a list": (CLIPPED, CLIP, STEPS, ["db += das[t]", "db += dhs[t]"]),
    "two that are clipped": (
        CLIPPED, CLIP, STEPS,
        ["dWx += das[t] @ inputs[t].T", "dWx = das[t] @ inputs[t].T", "dWy += dy @ hs[t].T", "dWy += dy @ hs[t - 1].T"],
    ),
    "the other side": (JOINED, TWO, PAIR, ["dboth[:, -n:]", "dboth[:, :n]"]),
    "not as the line beside it": (JOINED, TWO, PAIR, ["daf = df * (1 - f**2)", "daf = df"]),
    "the other end of a list": (JOINED, TIME, STATES, ["das.insert(0, da)", "das.append(da)"]),
}  # fmt: skip
DEAR = ("two that are clipped", "what the loop hands on")  # 16 s of a processor


@pytest.mark.few(1)
@pytest.mark.parametrize("case", [pytest.param(case, marks=[pytest.mark.slow] * (case in DEAR)) for case in CASES])
def test_the_line_is_found_and_nothing_else(tmp_path, case):
    source, names, inputs, changes = CASES[case]
    for is_right in (True, False):
        text = source
        for right, wrong in zip(changes[::2], changes[1::2], strict=True) if not is_right else ():
            assert text.count(right) == 1
            text = text.replace(right, wrong)
        folder = tmp_path / str(is_right)
        folder.mkdir()
        with loaded(written(folder, program=text)) as module:
            functions = [getattr(module, name) for name in names]
            report = tr.lines(functions[0], functions[-1], inputs)
        assert report.ok == is_right and not report.not_compared, report
        places = {linecache.getline(report.files[row.function], row.line).strip() for row in report.wrong}
        expected = {line.strip() for line in text.splitlines()} - {line.strip() for line in source.splitlines()}
        assert places == (set() if is_right else expected), report
