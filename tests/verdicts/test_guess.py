"""Inputs that nobody gave: what docstrings say, what names say, and what turns out to fit."""

import numpy as np
import pytest
from students import copy_of_hands, write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes


def shapes_made(report):
    """{name: what the report notes to have made up for it}."""
    (note,) = [note for note in report.notes if "made up: " in note]
    parts = note.split("made up: ")[1].replace("), ", ")|").split("|")
    return {name: text for name, _, text in (part.partition(" ") for part in parts)}


def judged(folder, text, name=None):
    """The report on a student's file, or on one thing in it."""
    with loaded(write(folder, text)) as module:
        return tr.lines(module if name is None else getattr(module, name))


# whole files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, number", [("homework.py", 8), ("inplace.py", 3), ("classes.py", 6)])
def test_right_code_of_three_styles_is_right_with_inputs_that_are_made_up(tmp_path, name, number):
    path, _ = copy_of_hands(tmp_path, name, examples=False)
    with loaded(path) as module:
        reports = tr.lines(module)
    assert len(reports) == number
    for report in reports:
        assert report.ok, report
        assert shapes_made(report) and any(row.verdict == "ok" for row in report.rows)


PLANTED = {
    "rnn_forward": ("homework.py", "da = dnext_h * (1 - next_h**2)", "da = dnext_h * (1 - next_h)"),
    "gru_forward": ("inplace.py", "dWu += du_raw @ z.T", "dWu += du_raw @ zr.T"),
    "TimeLSTM": ("classes.py", "dh, dc = layer.backward(dh, dc)", "dh, dc = layer.backward(dh, 0 * dc)"),
    "GRU": ("classes.py", "dbz = dt.sum(axis=0)", "dbz = dt.mean(axis=0)"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_mistakes_show_on_inputs_that_are_made_up(tmp_path, name):
    file, old, new = PLANTED[name]
    path, (number,) = copy_of_hands(tmp_path, file, (old, new), examples=False)
    with loaded(path) as module:
        report = tr.lines(getattr(module, name))
    assert [row.line for row in report.wrong] == [number]


# one at a time --------------------------------------------------------------------------------------------------------

LEAST_SQUARES = """
    def fit(x, W, y):
        scores = x @ W
        return 0.5 * ((scores - y) ** 2).sum() / len(x)

    def fit_backward(dloss, x, W, y):
        dscores = x @ W - y
        dW = x.T @ dscores
        return dloss * dW / len(x)
"""


def test_what_outputs_are_to_be_like_is_as_wide_as_they_are(tmp_path):
    report = judged(tmp_path, LEAST_SQUARES, "fit")
    assert report.ok, report
    assert shapes_made(report) == {"x": "(3, 2)", "W": "(2, 5)", "y": "(3, 5)"}


COLUMN_RNN = """
    def net_forward(x, h_prev, W, U, b):
        h = np.tanh(W @ x + U @ h_prev + b)
        return h, (x, h_prev, W, U, h)
    def net_backward(dh, cache):
        x, h_prev, W, U, h = cache
        da = dh * (1 - h**2)
        db = {}
        return W.T @ da, U.T @ da, da @ x.T, da @ h_prev.T, db
    """


def test_columns_with_a_batch_are_tried_before_one_column(tmp_path):
    many = judged(tmp_path, COLUMN_RNN.format("da.sum(axis=1, keepdims=True)"))[0]
    assert many.ok and shapes_made(many)["x"] == "(2, 3)" and shapes_made(many)["W"] == "(5, 2)"
    one = judged(tmp_path, COLUMN_RNN.format("da"))[0]
    assert one.ok and shapes_made(one)["x"] == "(2, 1)"


def test_the_gates_in_joined_weights_are_counted(tmp_path):
    text = """
        def sigmoid(a):
            return 1 / (1 + np.exp(-a))
        def net_forward(x, prev_h, prev_c, Wx, Wh, b):
            H = Wh.shape[1] // 4
            a = x @ Wx + prev_h @ Wh + b
            i, f, o = sigmoid(a[:, :H]), sigmoid(a[:, H:2*H]), sigmoid(a[:, 2*H:3*H])
            g = np.tanh(a[:, 3*H:])
            c = f * prev_c + i * g
            return o * np.tanh(c), (x, prev_h, prev_c, Wx, Wh, i, f, o, g, c)
        def net_backward(dh, cache):
            x, prev_h, prev_c, Wx, Wh, i, f, o, g, c = cache
            do = dh * np.tanh(c)
            dc = dh * o * (1 - np.tanh(c)**2)
            da = np.hstack([dc*g*i*(1-i), dc*prev_c*f*(1-f), do*o*(1-o), dc*i*(1-g**2)])
            return da @ Wx.T, da @ Wh.T, dc * f, x.T @ da, prev_h.T @ da, da.sum(axis=0)
        """
    report = judged(tmp_path, text)[0]
    assert report.ok and shapes_made(report)["Wh"] == "(5, 20)"


def test_dicts_and_tuples_are_filled_with_what_the_source_takes_out_of_them(tmp_path):
    text = """
        def cell(x, state, p):
            h_prev, c_prev = state
            h = np.tanh(x @ p["W"] + outer(h_prev, p))
            return h + c_prev, (x, h_prev, h, p)
        def outer(h_prev, p):
            return h_prev @ p["U"]
        def cell_backward(dout, cache):
            x, h_prev, h, p = cache
            da = dout * (1 - h**2)
            return da @ p["W"].T, (da @ p["U"].T, dout), {"W": x.T @ da, "U": h_prev.T @ da}
        """
    report = judged(tmp_path, text)[0]
    assert report.ok and {row.name for row in report.rows} >= {"dx", "dh_prev", "W", "U"}


@pytest.mark.parametrize("y", ["y: labels (N,)", "y: one-hot targets (N, C)", ""])
def test_classes_come_as_numbers_or_one_hot_as_the_function_wants_them(tmp_path, y):
    one_hot = "one-hot" in y
    text = f"""
        def {"loss" if one_hot else "softmax_loss"}(x, y):
            '''x (N, C). {y}'''
            p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
            target = {"y" if one_hot else "np.eye(x.shape[1])[y]"}
            loss = -(target * np.log(p)).sum() / len(x)
            return loss, (p - target) / len(x)
        """
    report = judged(tmp_path, text)[0]
    assert report.ok and {row.name for row in report.rows} >= {"dx"}
    assert shapes_made(report)["y"] == ("(3, 6)" if one_hot else "(3,) integers")


def test_words_are_numbers_below_the_size_of_the_vocabulary(tmp_path):
    text = """
        def embedding_forward(x, W):
            '''x: integer array of shape (N, T), word indices; W: weights of shape (V, D)'''
            return W[x], (x, W)
        def embedding_backward(dout, cache):
            x, W = cache
            dW = np.zeros_like(W)
            np.add.at(dW, x, dout{})
            return dW
        """
    assert judged(tmp_path, text.format(""))[0].ok
    assert not judged(tmp_path, text.format("**2"))[0].ok


def test_a_class_is_made_with_sizes_its_biases_are_not_zero_and_it_is_judged_with_them(tmp_path):
    text = """
        class Net:
            def __init__(self, input_size, hidden_size=100):
                self.W = np.ones((input_size, hidden_size)) / 7
                self.b = np.zeros(hidden_size)
            def forward(self, x):
                self.x, self.out = x, (x @ self.W) * self.b
                return self.out
            def backward(self, dout):
                self.dW = self.x.T @ (dout * {})
                self.db = (dout * (self.x @ self.W)).sum(axis=0)
                return (dout * self.b) @ self.W.T
        """
    report = judged(tmp_path, text.format("self.b"), "Net")
    assert report.ok and {row.name for row in report.rows} >= {"dW", "db"}
    assert "hidden_size 5" in report.notes[-1]
    assert [row.name for row in judged(tmp_path, text.format("0"), "Net").wrong] == ["dW"]


def test_an_object_gets_inputs_that_fit_its_weights(tmp_path):
    text = """
        class Net:
            def __init__(self, n_in, n_out):
                self.W = np.arange(1.0, 1 + n_in * n_out).reshape(n_in, n_out)
            def forward(self, x):
                self.x = x
                return x @ self.W
            def backward(self, dout):
                self.dW = self.x.T @ dout
                return dout @ self.W.T
        net = Net(9, 4)
        """
    report = judged(tmp_path, text, "net")
    assert report.ok and shapes_made(report)["x"].endswith("9)")


def test_a_gradient_from_above_that_is_one_by_default_may_be_ignored(tmp_path):
    text = """
        class Loss:
            def forward(self, y, t):
                self.y, self.t = y, t
                return 0.5 * ((y - t) ** 2).sum()
            def backward(self, dout=1):
                return self.y - self.t, self.t - self.y
        """
    assert judged(tmp_path, text, "Loss").ok


# example_inputs -------------------------------------------------------------------------------------------------------

ODD = """
    def odd_forward(q, how):
        return q * how["power"], (q, how)
    def odd_backward(dout, cache):
        return dout * cache[1]["power"], None
    """


@pytest.mark.parametrize(
    "given",
    ['{"q": rng.normal(size=(2, 3)), "how": {"power": 3}}', '{"odd_forward": {"q": np.ones(2), "how": {"power": 3}}}'],
)
def test_a_file_can_give_example_inputs_for_all_or_by_the_function(tmp_path, given):
    report = judged(tmp_path, ODD + f"def example_inputs(rng):\n        return {given}\n")[0]
    assert report.ok and {row.name for row in report.rows} == {"dq"} and not report.notes


def test_a_class_takes_its_arguments_from_example_inputs_too(tmp_path):
    text = """
        class Scale:
            def __init__(self, factor): self.factor = factor
            def forward(self, q): return q * self.factor
            def backward(self, dout): return dout * self.factor
        def example_inputs(rng): return {"factor": 2, "q": rng.normal(size=3)}
        """
    assert judged(tmp_path, text, "Scale").ok


REFUSED = {
    ODD: 'no idea what to give odd_forward as q, how["power"]: say the shape',
    ODD + "def example_inputs(rng): return 3": "example_inputs must return a dict, name -> value, got int",
    ODD + "def example_inputs(rng): return {'q': 2.0}": "example_inputs gives no how, which odd_forward wants",
    ODD + "def example_inputs(rng): return rng.foo": "in example_inputs: AttributeError",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_guessed_is_said_in_one_line_with_a_way_out(tmp_path, text):
    with pytest.raises(ValueError) as raised:
        judged(tmp_path, text)
    assert REFUSED[text] in str(raised.value) and "\n" not in str(raised.value)
    assert "example_inputs" in str(raised.value)


def test_made_up_numbers_are_never_zero_and_follow_the_seed(tmp_path):
    path, _ = copy_of_hands(tmp_path, "homework.py", examples=False)
    with loaded(path) as module:
        seen = []
        original = module.affine_forward

        def spy(x, w, b):
            seen.append((x, w, b))
            return original(x, w, b)

        from tinyrnn.sources.inputs.guess import guess

        for seed in (0, 0, 1):
            values, _, _ = guess(original, [original.__doc__], lambda v, _: spy(**v), lambda v, _: 0, rng=seed)
            assert all((abs(value) > 0.02).all() for value in values.values())
    assert all(np.array_equal(a, b) for a, b in zip(*seen[:2], strict=True))
    assert not np.array_equal(seen[0][0], seen[2][0])
