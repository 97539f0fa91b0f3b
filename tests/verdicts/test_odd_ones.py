"""What one program of a hundred does: keys that write themselves, dicts that a loop hands on, weights and gradients in
boxes of a parameter object, states that are never stored, series that are cut off."""

import numpy as np
import pytest
from students import accused_in_turn, lines_accused, write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(23)
SEQUENCE = {"x": R.normal(size=(4, 2, 3)), "h0": R.normal(size=(2, 5))}
SEQUENCE |= {"W": R.normal(size=(3, 5)), "U": R.normal(size=(5, 5)) / 2}

WRITES_ITSELF = """
    class Node:
        def __init__(self, *sources):
            self.sources = [source for source in sources]

        def __repr__(self):
            names = [f"source {number}" for number in range(len(self.sources))]
            return " and ".join(names)

    def forward(x, W):
        first, last = Node(), Node("first")
        values = {}
        values[first] = np.tanh(x @ W)
        values[last] = values[first] ** 2
        return values[last], (x, W, values, first, last)

    def backward(dout, cache):
        x, W, values, first, last = cache
        slopes = {}
        slopes[last] = dout * 2 * values[first]
        slopes[first] = slopes[last] * (1 - values[first] ** 2)
        return slopes[first] @ W.T, x.T @ slopes[first]
"""


@pytest.mark.parametrize("wrong", ["", "dout * 3 * values[first]"])
def test_keys_that_write_themselves_in_the_program_are_told_apart(tmp_path, wrong):
    given = {"x": R.normal(size=(2, 3)), "W": R.normal(size=(3, 4))}
    report, lines = accused_in_turn(tmp_path, WRITES_ITSELF, "dout * 2 * values[first]" if wrong else "", wrong, given)
    assert report.ok is not bool(wrong) and len({*lines}) == bool(wrong) and all(wrong in line for line in lines)


HANDED_ON = """
    def forward(x, h0, W, U):
        state, kept = {"h": h0}, []
        for t in range(len(x)):
            h = np.tanh(x[t] @ W + state["h"] @ U)
            kept.append(state)
            state = {"h": h}
        return np.stack([one["h"] for one in kept[1:]] + [state["h"]]), (x, W, U, kept, state)

    def backward(dout, cache):
        x, W, U, kept, state = cache
        dx, dW, dU = np.zeros_like(x), np.zeros_like(W), np.zeros_like(U)
        dstate = {"h": np.zeros_like(kept[0]["h"])}
        for t in reversed(range(len(x))):
            inner = (dout[t] + dstate["h"]) * (1 - state["h"] ** 2)
            dx[t] = inner @ W.T
            dW += x[t].T @ inner
            dU += kept[t]["h"].T @ inner
            dstate, state = {"h": inner @ U.T}, kept[t]
        return dx, dstate["h"], dW, dU
"""


@pytest.mark.parametrize("wrong", ["", 'state["h"].T @ inner'])
def test_dicts_that_a_loop_hands_on_are_no_values_to_compare_with(tmp_path, wrong):
    right = 'kept[t]["h"].T @ inner' if wrong else ""
    report, lines = accused_in_turn(tmp_path, HANDED_ON, right, wrong, SEQUENCE)
    assert report.ok is not bool(wrong) and len({*lines}) == bool(wrong) and all(wrong in line for line in lines)


PARAMETERS = """
    class Parameters:
        def __init__(self, weights):
            self._weights, self._grads = dict(weights), {}

        def __getitem__(self, key):
            return self._weights[key]

    class Layer:
        def __init__(self, W, U, b):
            self._params = Parameters({"W": W, "U": U, "b": b})

        def forward(self, x):
            p, h = self._params, np.zeros((len(x[0]), len(self._params["b"])))
            self.x, self.states = x, [h]
            for xt in x:
                h = np.tanh(xt @ p["W"] + h @ p["U"] + p["b"])
                self.states.append(h)
            return np.stack(self.states[1:])

        def backward(self, dout):
            p, dx, later = self._params, np.zeros_like(self.x), 0
            grads = {key: np.zeros_like(p[key]) for key in ("W", "U", "b")}
            for t in reversed(range(len(dout))):
                inner = (dout[t] + later) * (1 - self.states[t + 1] ** 2)
                grads["W"] += self.x[t].T @ inner
                grads["U"] += self.states[t].T @ inner
                grads["b"] += inner.sum(axis=0)
                dx[t] = inner @ p["W"].T
                later = inner @ p["U"].T
            for key in grads:
                p._grads[key] = grads[key]
            return dx

    class Both:
        def __init__(self, there, back):
            self.there, self.back = there, back

        def forward(self, x):
            return self.there.forward(x) + self.back.forward(x[::-1])[::-1]

        def backward(self, dout):
            return self.there.backward(dout) + self.back.backward(dout[::-1])[::-1]
"""


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("key", ["W", "U", "b"])
def test_gradients_beside_the_weights_of_a_parameter_object_are_compared_though_they_are_wrong(tmp_path, key, both):
    path = write(tmp_path, PARAMETERS.replace(f'grads["{key}"] +=', f'grads["{key}"] -='))
    with loaded(path) as module:
        layers = [module.Layer(R.normal(size=(3, 5)), R.normal(size=(5, 5)) / 2, R.normal(size=5)) for _ in range(2)]
        made = module.Both(*layers) if both else layers[0]
        report = tr.lines(made.forward, made.backward, {"x": R.normal(size=(4, 2, 3))})
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(report.wrong_results) == 1 + both and not report.ok
    assert {lines[row.line - 1].strip()[:13] for row in report.wrong} == {f'grads["{key}"] -='[:13]}, report


STORED = """
    def forward(x, h0, W, U):
        hs = np.zeros((len(x), *h0.shape))
        cs = np.zeros((len(x), *h0.shape))
        for t in range(len(x)):
            before = hs[t - 1] if t else h0
            c = cs[t - 1] / 2 + np.tanh(x[t] @ W + before @ U)
            cs[t] = c
            hs[t] = np.tanh(c)
        return hs, (x, h0, W, U, hs, cs)

    def backward(dout, cache):
        x, h0, W, U, hs, cs = cache
        dx, dW, dU = np.zeros_like(x), np.zeros_like(W), np.zeros_like(U)
        dh, dc = np.zeros_like(h0), np.zeros_like(h0)
        for t in reversed(range(len(x))):
            before = hs[t - 1] if t else h0
            dc = dc + (dout[t] + dh) * (1 - hs[t] ** 2)
            inner = dc * (1 - np.tanh(x[t] @ W + before @ U) ** 2)
            dx[t] = inner @ W.T
            dW += x[t].T @ inner
            dU += before.T @ inner
            dh, dc = inner @ U.T, dc / 2
        return dx, dh, dW, dU
"""


def test_where_a_forward_pass_never_stores_its_states_the_line_that_starts_them_is_accused(tmp_path):
    assert lines_accused(tmp_path, STORED, "", "", SEQUENCE)[0].ok
    report, lines = lines_accused(tmp_path, STORED, "cs[t] = c", "pass", SEQUENCE)
    assert lines == {"cs = np.zeros((len(x), *h0.shape))"}, report


SERIES = """
    def exp(x):
        result = term = 1.0
        for n in range(1, 12):
            term = term * x / n
            result = result + term
        return result

    def forward(x, w):
        z = exp(x * w)
        return z, (x, w, z)

    def backward(dz, cache):
        x, w, z = cache
        inner = dz * z
        dx = inner * w
        dw = inner * x
        return dx, dw
"""


def test_of_a_series_that_is_cut_off_no_line_is_accused(tmp_path):
    given = {"x": np.array([1.7, 0.4, 1.2]), "w": np.array([1.1, 0.6, 1.4])}
    report, lines = lines_accused(tmp_path, SERIES, "", "", given)
    assert not lines and report.wrong_results == ["x", "w"]
    assert "by so little that no line need be at fault" in report.problems[0]


SHARED_NAME = """
    def product(a, b, above):
        da = above @ b.T
        db = a.T @ above
        return da, db

    def forward(x, y, W, U):
        return np.tanh(x @ W + y @ U), (x, y, W, U)

    def backward(dout, cache):
        x, y, W, U = cache
        inner = dout * (1 - np.tanh(x @ W + y @ U) ** 2)
        dx, dW = product(x, W, inner)
        dy, dU = product(y, U, inner)
        kept = {}
        kept["W"] = dW
        kept["U"] = dU
        return dx, dy, *(kept[key].copy() for key in ("W", "U"))
"""


def test_of_two_results_that_are_equal_each_is_taken_for_the_one_at_its_place(tmp_path):
    given = {name: R.normal(size=size) for name, size in (("x", (2, 3)), ("y", (2, 3)), ("W", (3, 5)), ("U", (3, 5)))}
    report, lines = lines_accused(tmp_path, SHARED_NAME, 'kept["W"] = dW', 'kept["W"] = dU', given)
    assert report.wrong_results == ["W"] and lines == {'kept["W"] = dU'}, report


ABSTRACT = """
    from abc import ABC, abstractmethod

    class Layer(ABC):
        @abstractmethod
        def forward(self, x):
            pass

    class Activation(Layer):
        def forward(self, x):
            self.y = np.tanh(x)
            return self.y

        def backward(self, d):
            return d * (1 - self.y ** 2)

    class Dense(Layer):
        def __init__(self, W):
            self.W = W

        def forward(self, x):
            self.x = x
            return x @ self.W

        def backward(self, d):
            self.dW = self.x.T @ d
            return d @ self.W.T

    class Network:
        def __init__(self, layers):
            self.layers, self.dense = [], []
            for layer in layers:
                self.add(layer)

        def add(self, layer):
            if not isinstance(layer, Activation):
                self.dense.append(layer)
            self.layers.append(layer)

    def loss_and_gradients(x, W, V):
        network = Network([Dense(W), Activation(), Dense(V)])
        for layer in network.layers:
            x = layer.forward(x)
        d = x
        for layer in reversed(network.layers):
            d = layer.backward(d)
        return 0.5 * np.sum(x ** 2), d, *(layer.dW for layer in network.dense)
"""


@pytest.mark.parametrize("wrong", ["", "d * (1 - self.y)"])
def test_abstract_classes_can_be_asked_for_what_they_are_not(tmp_path, wrong):
    right = "d * (1 - self.y ** 2)"
    inputs = {"x": R.normal(size=(4, 3)), "W": R.normal(size=(3, 5)), "V": R.normal(size=(5, 2))}
    path = write(tmp_path, ABSTRACT.replace(right, wrong or right))
    with loaded(path) as module:
        report = tr.lines(module.loss_and_gradients, inputs, jac=True)
    assert report.ok == (not wrong), report
    assert all(path.read_text().splitlines()[row.line - 1].strip() == f"return {wrong}" for row in report.wrong), report


CHANCES = """
    def loss_and_gradients(chances, E, W):
        rng = np.random.default_rng(0)
        drawn = rng.choice(len(chances), size=4, p=chances)
        scores = E @ W[drawn].T
        d = scores
        dE, dW = d @ W[drawn], np.zeros_like(W)
        np.add.at(dW, drawn, d.T @ E)
        return 0.5 * np.sum(scores ** 2), dE, dW
"""


def test_inputs_that_may_not_be_moved_are_left_as_they_are(tmp_path):
    inputs = {"chances": np.array([0.5, 0.25, 0.125, 0.125]), "E": R.normal(size=(3, 5)), "W": R.normal(size=(4, 5))}
    with loaded(write(tmp_path, CHANCES)) as module:
        report = tr.lines(module.loss_and_gradients, inputs, jac=True)
    assert report.ok and report.compared == 2, report
    assert any("no gradient is asked of chances" in note for note in report.notes), report.notes


RUN = """
    def forward(x, h, W, U, b, V):
        a = np.tanh(x @ W + h @ U + b)
        return a @ V, (x, h, W, U, b, V, a)

    def backward(above, kept):
        x, h, W, U, b, V, a = kept
        one = a.T @ above
        inner = above @ V.T * (1 - a ** 2)
        several = [inner @ U.T, x.T @ inner, h.T @ inner, inner.sum(axis=0)]
        return *several, one
"""


def test_gradients_that_follow_one_another_as_the_inputs_do_are_compared_though_nearly_all_are_wrong(tmp_path):
    inputs = {"x": R.normal(size=(4, 3)), "h": R.normal(size=(4, 5)), "W": R.normal(size=(3, 5))}
    inputs |= {"U": R.normal(size=(5, 5)), "b": R.normal(size=5), "V": R.normal(size=(5, 2))}
    wrong = "inner = above @ V.T * (1 - a)"
    with loaded(write(tmp_path, RUN.replace("inner = above @ V.T * (1 - a ** 2)", wrong))) as module:
        report = tr.lines(module.forward, module.backward, inputs)
    assert set(report.wrong_results) == {"h", "W", "U", "b"}, report
    assert report.compared == 5, report
