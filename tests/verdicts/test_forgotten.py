"""What was forgotten is found though the backward pass mentions it nowhere; and statements of uncommon forms."""

import textwrap

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(1)

GATES = """
    class Gated:
        def __init__(self):
            self.W = np.random.default_rng(0).normal(size=(4, 6))
        def forward(self, x):
            self.x, self.gates, self.kept = x, np.tanh(x @ self.W), {}
            self.opened, self.slope = self.gates[:, :3], 1 - self.gates ** 2
            return self.gates[:, :3] * self.gates[:, 3:]
        def backward(self, up):
            d = np.zeros_like(self.gates)
            d[:, :3] = up * self.gates[:, 3:]
            d[:, 3:] = up * self.opened
            da = self.kept["da"] = d * self.slope
            self.grad_W = self.x.T @ da
            return da @ self.W.T
"""


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "right, wrong, remedy",
    [
        ("d[:, 3:] = up * self.opened", "d[:, 3:] = up", "d[:, 3:] = up * self.gates[:, :3]"),  # as d is cut
        ("= d * self.slope", "= d", "da = self.kept['da'] = d * self.slope"),  # an attribute that is read nowhere
    ],
)
def test_a_factor_that_is_mentioned_nowhere_else_is_put_back(tmp_path, right, wrong, remedy):
    assert GATES.count(right) == 1
    path = tmp_path / "gated.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(GATES.replace(right, wrong)), encoding="utf-8")
    with loaded(path) as module:
        layer = module.Gated()
        report = tr.lines(layer.forward, layer.backward, {"x": R.normal(size=(5, 4))}, remedies=True)
    assert [one.right for one in report.remedies] == [remedy], report


LOSS = """
    class Classifier:
        def __init__(self):
            r = np.random.default_rng(0)
            self.W, self.V = r.normal(size=(4, 3)), r.normal(size=(3, 2))
        def loss(self, x, label):
            h = np.tanh(x @ self.W)
            chances = np.exp(h @ self.V)
            chances = chances / chances.sum()
            return (-np.log(chances[np.argmax(label)]), *self.gradients(x, h, chances, label))
        def gradients(self, x, h, chances, label):
            error = chances
            error[np.argmax(label)] -= 1
            dV = np.outer(h, error)
            da = error @ self.V.T * (1 - h ** 2)
            dW = np.outer(x, da)
            return dW, dV
"""
FLAT, SWAPPED, KEPT = (
    ("dV = np.outer(h, error)", "dV = np.outer(h ** 2, error)"),
    ("dW = np.outer(x, da)", "dW = np.outer(x ** 2, da)"),
    ("error[np.argmax(label)] -= 1", "error[np.argmax(label)] -= 0"),
)


@pytest.mark.few(1)
@pytest.mark.parametrize("mistakes", [(), (FLAT,), (KEPT,), (FLAT, SWAPPED)])
def test_of_gradients_handed_on_with_a_star_no_line_but_the_wrong_ones_is_accused(tmp_path, mistakes):
    source = LOSS
    for right, wrong in mistakes:
        source = source.replace(right, wrong)
    path = tmp_path / "classifier.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(source), encoding="utf-8")
    with loaded(path) as module:
        report = tr.lines(module.Classifier().loss, None, {"x": R.normal(size=4), "label": np.array([0, 1])}, jac=True)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == {wrong for _, wrong in mistakes}, report


@pytest.mark.slow
def test_a_line_that_adds_nothing_is_accused_for_what_is_missing_there(tmp_path):
    source = """
        def run_forward(x, w, v):
            h = np.zeros((4, 3))
            for t in range(3):
                h[t + 1] = np.tanh(x[t] * w + h[t] * v)
            return h, (x, w, v, h)
        def run_backward(dh, cache):
            x, w, v, h = cache
            dh, dx, dw, dv = 1 * dh, np.zeros_like(x), np.zeros_like(w), np.zeros_like(v)
            for t in reversed(range(3)):
                da = dh[t + 1] * (1 - h[t + 1] ** 2)
                dx[t], dw, dv = da * w, dw + da * x[t], dv + da * h[t]
                dh[t] += 0
            return dx, dw, dv
    """
    path = tmp_path / "run.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(source), encoding="utf-8")
    with loaded(path) as module:
        given = {"x": R.normal(size=(3, 3)), "w": R.normal(size=3), "v": R.normal(size=3)}
        report = tr.lines(module.run_forward, module.run_backward, given)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == {"dh[t] += 0"}, report


def test_a_function_that_hands_its_state_on_is_called_again_with_the_state_that_it_was_given(tmp_path):
    source = """
        def loss_and_gradients(x, state, W):
            h = np.tanh(x @ W + state)
            loss = 0.5 * np.sum(h ** 2)
            dW = x.T @ (h * (1 - h ** 2))
            state = h
            return loss, {"W": dW}, state
    """
    path = tmp_path / "step.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(source), encoding="utf-8")
    given = {"x": R.normal(size=(2, 4)), "state": R.normal(size=(2, 3)), "W": R.normal(size=(4, 3))}
    with loaded(path) as module:
        report = tr.lines(module.loss_and_gradients, None, given, jac=True)
    assert not report.wrong and not report.wrong_results, report


CARRIED = """
    def run_forward(x, h0, W, U, V):
        hs = {-1: h0}
        for t in range(len(x)):
            h = hs[t] = np.tanh(W @ x[t] + U @ hs[t - 1])
        return np.array([V @ hs[t] for t in range(len(x))]), (x, hs, W, U, V)

    def step_backward(dy, gradients, W, U, V, x, h, h_prev):
        gradients["dV"] += np.outer(dy, h)
        dh = V.T @ dy + gradients["dh_next"]
        dz = (1 - h * h) * dh
        gradients["dW"] += np.outer(dz, x)
        gradients["dU"] += np.outer(dz, h_prev)
        gradients["dh_next"] = U.T @ dz
        return gradients

    def run_backward(dout, cache):
        x, hs, W, U, V = cache
        gradients = {"dW": np.zeros_like(W), "dU": np.zeros_like(U), "dV": np.zeros_like(V)}
        gradients["dh_next"] = np.zeros_like(hs[0])
        for t in reversed(range(len(x))):
            gradients = step_backward(dout[t], gradients, W, U, V, x[t], hs[t], hs[t - 1])
        return {"dh0": gradients["dh_next"], **{name: gradients[name] for name in ("dW", "dU", "dV")}}

    def example_inputs(rng):
        shapes = {"x": (4, 3), "h0": 2, "W": (2, 3), "U": (2, 2), "V": (3, 2)}
        return {name: rng.normal(size=shape) for name, shape in shapes.items()}
"""


def test_an_entry_of_a_dict_that_is_handed_on_and_read_nowhere_belongs_where_it_was_read(tmp_path):
    forgotten = CARRIED.replace(' + gradients["dh_next"]', "")
    path = tmp_path / "net.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(forgotten))
    with loaded(path) as module:
        report = tr.lines(module.run_forward, module.run_backward, module.example_inputs(R))
    lines = forgotten.splitlines()
    assert [lines[row.line - 2].strip() for row in report.wrong] == ["dh = V.T @ dy"], report


UNSET = """
    class Layer:
        def __init__(self):
            self.W, self.b = np.random.default_rng(0).normal(size=(3, 2)), np.ones(2)
            self.dW, self.db = np.zeros((3, 2)), np.zeros(2)
        def forward(self, x):
            self.x, self.h = x, np.tanh(x @ self.W + self.b)
            return self.h
        def backward(self, up):
            dz = up * (1 - self.h ** 2)
            self.dW += self.x.T @ dz
            return dz @ self.W.T
"""


def test_of_a_gradient_that_stays_as_it_was_made_it_is_said_that_nothing_sets_it(tmp_path):
    path = tmp_path / "layer.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(UNSET))
    with loaded(path) as module:
        layer = module.Layer()
        report = tr.lines(layer.forward, layer.backward, {"x": R.normal(size=(4, 3))})
    assert not report.wrong and report.problems == ["wrong: the gradient of b; self.db is never set or added to"]


SUM = """
    class Three:
        def __init__(self):
            r = np.random.default_rng(0)
            self.params = {f"W{k}": r.normal(size=(3, 4)) for k in "abc"}
        def forward(self, x):
            self.a, self.b, self.c = (np.tanh(x @ self.params[f"W{k}"]) for k in "abc")
            self.x = x
            return self.a * self.b * self.c
        def backward(self, up):
            d_a = up * self.b * self.c * (1 - self.a ** 2)
            d_b = up * self.a * self.c * (1 - self.b ** 2)
            d_c = up * self.a * self.b * (1 - self.c ** 2)
            dx = np.dot(d_a, self.params["Wa"].T) + np.dot(d_b, self.params["Wb"].T) + np.dot(d_c, self.params["Wc"].T)
            dx = dx * 1.0
            return dx
"""


def test_a_term_that_a_sum_lacks_is_put_in_as_others_of_it_are(tmp_path):
    lacking = ' + np.dot(d_c, self.params["Wc"].T)'
    assert SUM.count(lacking) == 1
    path = tmp_path / "three.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(SUM.replace(lacking, "")), encoding="utf-8")
    with loaded(path) as module:
        layer = module.Three()
        report = tr.lines(layer.forward, layer.backward, {"x": R.normal(size=(5, 3))}, remedies=True)
    terms = " + ".join(f"np.dot(d_{k}, self.params['W{k}'].T)" for k in "abc")
    assert [one.right for one in report.remedies] == [f"dx = {terms}"], report
