"""Parameters that hold their gradients, states kept in lists, terms of a sum that are alike, parts for the whole."""

import numpy as np
import pytest
from students import lines_accused, write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(19)
LSTM = """
    import numpy as np

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    def run_forward(x, h0, c0, weight_forget, weight_input, weight_candidate):
        h, c, kept = h0, c0, []
        for t in range(len(x)):
            z = np.concatenate([h, x[t]])
            f, i, g = sigmoid(weight_forget @ z), sigmoid(weight_input @ z), np.tanh(weight_candidate @ z)
            c = f * c + i * g
            h = np.tanh(c)
            kept.append((z, f, i, g, c, h))
        return h, (kept, h0, c0, weight_forget, weight_input, weight_candidate)

    def run_backward(dout, cache):
        kept, h0, c0, weight_forget, weight_input, weight_candidate = cache
        steps, size = len(kept), len(h0)
        dx = [None] * steps
        dweight_forget, dweight_input = np.zeros_like(weight_forget), np.zeros_like(weight_input)
        dweight_candidate = np.zeros_like(weight_candidate)
        c_before = [c0] + [kept[t][4] for t in range(steps - 1)]
        dh, dc = np.zeros((steps, size)), np.zeros(size)
        dh[-1] = dout
        for t in reversed(range(steps)):
            z, f, i, g, c, h = kept[t]
            dc = dc + dh[t] * (1 - h**2)
            d_f = dc * c_before[t] * f * (1 - f)
            d_i = dc * g * i * (1 - i)
            d_c = dc * i * (1 - g**2)
            dweight_forget += np.outer(d_f, z)
            dweight_input += np.outer(d_i, z)
            dweight_candidate += np.outer(d_c, z)
            d_z = weight_forget.T @ d_f + weight_input.T @ d_i + weight_candidate.T @ d_c
            dc = dc * f
            dx[t] = d_z[size:]
            if t:
                dh[t - 1] += d_z[:size]
        return np.stack(dx), d_z[:size], dc, dweight_forget, dweight_input, dweight_candidate
    """
GIVEN = {"x": R.normal(size=(4, 2)), "h0": R.normal(size=3), "c0": R.normal(size=3)}
GIVEN |= {f"weight_{gate}": R.normal(size=(3, 5)) for gate in ("forget", "input", "candidate")}
WRONG = {
    "d_f = dc * c_before[t] * f * (1 - f)": "d_f = dc * c * f * (1 - f)",
    "d_z = weight_forget.T @ d_f + weight_input.T @ d_i + weight_candidate.T @ d_c": (
        "d_z = weight_forget.T @ d_f + weight_input.T @ d_i"
    ),
    "dh[-1] = dout": "dh[:] = dout",
}


@pytest.mark.few(1)
@pytest.mark.parametrize("right", ["dc = dc * f", *WRONG])
def test_lists_that_nothing_reads_and_terms_that_are_alike_tell_what_was_meant(tmp_path, right):
    wrong = WRONG.get(right, right)
    report, accused = lines_accused(tmp_path, LSTM, right, wrong, GIVEN)
    assert accused == ({wrong} if right in WRONG else set()) and report.ok == (right not in WRONG), report


PARAMETERS = """
    class Param:
        def __init__(self, array):
            self.a, self.d = array, np.zeros_like(array)

        def __getstate__(self):
            return {"a": self.a}


    class Layer:
        def __init__(self):
            r = np.random.default_rng(4)
            self.W, self.V = Param(r.normal(size=(3, 2))), Param(r.normal(size=(2, 3)))

        def __getstate__(self):
            return {"W": self.W, "V": self.V}

        def forward(self, x):
            self.x, self.h = x, np.tanh(self.W.a @ x)
            return self.V.a @ self.h

        def backward(self, dout):
            into = self.V.a.T @ dout
            self.V.d += np.outer(dout, self.h)
            raw = into * (1 - self.h**2)
            self.W.d += np.outer(raw, self.x)
            return self.W.a.T @ raw
    """


@pytest.mark.parametrize(
    ("right", "wrong", "results"),
    [
        ("", "", set()),
        ("raw = into * (1 - self.h**2)", "raw = into * (1 - self.h)", {"x", "W.a"}),
        ("self.W.d += np.outer(raw, self.x)", "self.W.d += np.outer(into, self.x)", {"W.a"}),
    ],
)
def test_what_a_parameter_holds_beside_its_array_is_its_gradient_right_or_wrong(tmp_path, right, wrong, results):
    path = write(tmp_path, PARAMETERS.replace(right, wrong) if right else PARAMETERS)
    with loaded(path) as module:
        layer = module.Layer()
        report = tr.lines(layer.forward, layer.backward, {"x": R.normal(size=2)})
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {*report.wrong_results} == results and not report.not_compared, report
    assert {lines[row.line - 1].strip() for row in report.wrong} == ({wrong} if wrong else set())


LOSS = """
    import numpy as np

    def loss_and_gradients(x, w, b, y):
        h = np.tanh(x @ w)
        out = h * b
        loss = 0.5 * (out - y) ** 2
        db = ((out - y) * h).sum(axis=0)
        dw = x.T @ ((out - y) * b * (1 - h**2))
        for d in (dw, db):
            np.clip(d, -1000, 1000, out=d)
        return loss, dw, db
    """


def test_a_loss_that_lacks_its_half_is_accused_and_no_clipping_of_all_gradients(tmp_path):
    wrong = LOSS.replace("loss = 0.5 * (out - y) ** 2", "loss = (out - y) ** 2")
    path = write(tmp_path, wrong)
    given = {"x": R.normal(size=(4, 2)), "w": R.normal(size=(2, 3)), "b": R.normal(size=3), "y": R.normal(size=(4, 3))}
    with loaded(path) as module:
        report = tr.lines(module.loss_and_gradients, module.loss_and_gradients, given)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == {"loss = (out - y) ** 2"}, report
