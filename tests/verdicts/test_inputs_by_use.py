"""Inputs that are made up from what a function does with its arguments, whatever these are called."""

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.inputs.around import around
from tinyrnn.sources.inputs.uses import Use, uses_of
from tinyrnn.sources.user_file import loaded


def used(folder, text, name, owner=None):
    """{argument: (kind, path)} of a function in a student's file, or of a class's constructor."""
    with loaded(write(folder, text)) as module:
        uses = uses_of(getattr(module, name) if owner is None else getattr(getattr(module, owner), name))
    return {argument: (use.kind, use.path) for argument, use in uses.items()}


def judged(folder, text, name):
    """(report, the note of what was made up) on one thing in a student's file."""
    with loaded(write(folder, text)) as module:
        report = tr.lines(getattr(module, name))
    (note,) = [note for note in report.notes if "made up: " in note]
    return report, note.split("made up: ")[1]


# what the source says -------------------------------------------------------------------------------------------------

INDEXED = {
    "return E[q]": ("class", ()),
    "return E[:, q]": ("class", ()),
    "return E[:, q:q + 1]": ("class", ()),
    "return np.eye(4)[q]": ("class", ()),
    "return sum(E[word] for word in q)": ("class", ("i",)),
    "return [E[k, q[k], 0] for k in range(len(q))]": ("class", ("i",)),
    "return [E[k, word] for k, word in enumerate(q)]": ("class", ("i",)),
    "return [E[q[:, t]] for t in range(3)]": ("class", (":", "i")),
    "np.add.at(E, q, 1.0)": ("class", ()),
    "return lookup(q)": ("class", ()),
    "return E[:q]": ("size", ()),
    "return np.zeros((4 * q, 1))": ("size", ()),
    "return np.random.randn(2, q)": ("size", ()),
    "return [np.zeros(q[k]) for k in range(3)]": ("size", ("i",)),
    "return [E[: q[b]] for b in range(3)]": ("length", ("i",)),
    "return [1 for layer in range(q)]": ("count", ()),
    "return sorted(set(q))": ("letters", ()),
    "return q.split()": ("text", ()),
    "return [char_to_ix[letter] for letter in q]": ("text", ("i",)),
    "return open(q).read()": ("file", ()),
    "return np.tanh(q)": (None, ()),
    "return q[q > 0]": (None, ()),
    "return q['W']": (None, ()),
}


@pytest.mark.parametrize("body", INDEXED)
def test_what_is_done_with_an_argument_says_what_it_is(tmp_path, body):
    text = f"def lookup(place):\n    return E[place]\n\ndef f(q, E):\n    {body}\n"
    assert used(tmp_path, text, "f")["q"] == INDEXED[body]


def test_what_a_constructor_keeps_is_followed_into_its_methods(tmp_path):
    text = """
    class Net:
        def __init__(self, wide, book, other):
            self.wide, self.book = wide, book
            self.reset()
        def reset(self):
            self.h = np.zeros((self.wide, 1))
            self.letters = sorted(set(self.book))
    """
    assert used(tmp_path, text, "Net") == {"wide": ("size", ()), "book": ("letters", ()), "other": (None, ())}


def test_shapes_that_are_taken_apart_or_compared_say_how_many_axes_there_are(tmp_path):
    text = """
    def f(a, b, c, d, wide, self=None):
        N, T, H = a.shape
        assert c.shape == (wide, 1)
        assert d.shape == (self.wide,)
        return a * b.reshape(N, T, 1)
    """
    with loaded(write(tmp_path, text)) as module:
        uses = uses_of(module.f)
    assert uses["a"] == Use(axes=3, shape=("N", "T", "H"))
    assert uses["b"].shape == ("N", "T") and uses["c"].asserted == ("wide", 1)
    assert uses["d"].asserted is None


# what is made of it ---------------------------------------------------------------------------------------------------

CHARS = """
    rng = np.random.default_rng(0)
    hidden_size, vocab_size = 6, 4
    Wxh, Whh, Why = rng.normal(size=(6, 4)), rng.normal(size=(6, 6)) / 3, rng.normal(size=(4, 6))
    bh, by = np.zeros((6, 1)), np.zeros((4, 1))

    def loss_fun(inputs, targets, hprev):
        xs, hs, ps, loss = {}, {-1: hprev}, {}, 0.0
        for t in range(len(inputs)):
            xs[t] = np.zeros((vocab_size, 1))
            xs[t][inputs[t]] = 1
            hs[t] = np.tanh(Wxh @ xs[t] + Whh @ hs[t - 1] + bh)
            scores = np.exp(Why @ hs[t] + by)
            ps[t] = scores / scores.sum()
            loss = loss - np.log(ps[t][targets[t], 0])
        dWxh, dWhh, dWhy = np.zeros_like(Wxh), np.zeros_like(Whh), np.zeros_like(Why)
        dbh, dby, dhnext = np.zeros_like(bh), np.zeros_like(by), np.zeros_like(hprev)
        for t in reversed(range(len(inputs))):
            dy = ps[t].copy()
            dy[targets[t]] -= 1
            dWhy += dy @ hs[t].T
            dby += dy
            dh = Why.T @ dy + dhnext
            da = (1 - hs[t] ** 2) * dh
            dbh += da
            dWxh += da @ xs[t].T
            dWhh += da @ hs[t - 1].T
            dhnext = Whh.T @ da
        return loss, dWxh, dWhh, dWhy, dbh, dby
"""


@pytest.mark.slow
def test_a_network_of_letters_with_weights_in_its_module_gets_letters_and_one_state_that_fits(tmp_path):
    report, made = judged(tmp_path, CHARS, "loss_fun")
    assert report.ok, report
    assert made == "inputs (4,) integers, targets (4,) integers, hprev (6, 1)"


@pytest.mark.slow
def test_a_mistake_shows_in_a_network_of_letters(tmp_path):
    text = CHARS.replace("dWhh += da @ hs[t - 1].T", "dWhh += da @ hs[t].T")
    report, _ = judged(tmp_path, text, "loss_fun")
    (wrong,) = report.wrong
    assert (tmp_path / "hw.py").read_text().splitlines()[wrong.line - 1].strip() == "dWhh += da @ hs[t].T"


def test_class_numbers_stay_below_the_vocabulary_of_the_module(tmp_path):
    with loaded(write(tmp_path, CHARS)) as module:
        there = around(module.loss_fun)
    assert there.classes == 4 and {4, 6} <= set(there.lengths)


def test_weights_too_large_to_be_judged_in_time_are_said_to_be_so(tmp_path):
    text = CHARS.replace("(6, 6)", "(600, 600)").replace("(6, 4)", "(600, 4)").replace("(6, 1)", "(600, 1)")
    text = text.replace("(4, 6)", "(4, 600)")
    with (
        loaded(write(tmp_path, text)) as module,
        pytest.raises(ValueError, match=r"365404 entries, too many") as raised,
    ):
        tr.lines(module.loss_fun)
    assert "\n" not in str(raised.value)


WORDY = """
    class Words:
        def __init__(self, book: str, width, n_layers, learning_rate, clip_value):
            self.ids = {letter: k for k, letter in enumerate(sorted(set(book)))}
            self.E = np.random.default_rng(0).normal(size=(len(self.ids), width))
            self.W = [np.eye(width) * 0.5 for _ in range(n_layers)]
            self.rate = learning_rate * clip_value
        def forward(self, words):
            self.words, self.h = words, [self.E[words]]
            for W in self.W:
                self.h.append(self.h[-1] @ W)
            return self.h[-1]
        def backward(self, dout):
            self.dE = np.zeros_like(self.E)
            for W in reversed(self.W):
                dout = dout @ W.T
            np.add.at(self.dE, self.words, dout)
"""


def test_a_class_is_made_with_a_text_sizes_and_rates(tmp_path):
    report, made = judged(tmp_path, WORDY, "Words")
    assert report.ok, report
    for part in ("book a text of", "n_layers 2", "learning_rate 0.3", "clip_value 100.0", "integers"):
        assert part in made


ATTENTION = """
    def weigh_forward(hs, a):
        N, T, H = hs.shape
        return (hs * a.reshape(N, T, 1)).sum(axis=1), (hs, a)

    def weigh_backward(dc, cache):
        hs, a = cache
        dhs = dc[:, None, :] * a[:, :, None]
        da = (dc[:, None, :] * hs).sum(axis=2)
        return dhs, da
"""


def test_arrays_have_the_shapes_that_the_source_takes_apart(tmp_path):
    report, made = judged(tmp_path, ATTENTION, "weigh_forward")
    assert report.ok, report
    assert made == "hs (3, 4, 5), a (3, 4)"


COLUMNS = """
    def run_forward(X, h0, U, W, b):
        h = [h0]
        for t in range(X.shape[1]):
            h.append(np.tanh(U @ X[:, t:t + 1] + W @ h[-1] + b))
        return h[-1], (X, h, U, W)

    def run_backward(dh, cache):
        X, h, U, W = cache
        dU, dW, dX = np.zeros_like(U), np.zeros_like(W), np.zeros_like(X)
        db = 0
        for t in reversed(range(X.shape[1])):
            da = dh * (1 - h[t + 1] ** 2)
            dU += da @ X[:, t:t + 1].T
            dW += da @ h[t].T
            db = db + da
            dX[:, t:t + 1] = U.T @ da
            dh = W.T @ da
        dh0 = dh
        return dX, dh0, dU, dW, db
"""


def test_steps_that_are_columns_of_one_matrix_make_one_sequence(tmp_path):
    report, made = judged(tmp_path, COLUMNS, "run_forward")
    assert report.ok, report
    assert made == "X (2, 4), h0 (5, 1), U (5, 2), W (5, 5), b (5, 1)"


def test_a_state_has_the_shape_that_the_source_insists_on(tmp_path):
    text = """
    def step_forward(x, h_prev, W, U, hidden_size):
        assert h_prev.shape == (hidden_size, 1)
        h = np.tanh(W @ x + U @ h_prev)
        return h, (x, h_prev, W, U, h)

    def step_backward(dh, cache):
        x, h_prev, W, U, h = cache
        da = dh * (1 - h * h)
        return W.T @ da, U.T @ da, da @ x.T, da @ h_prev.T
    """
    report, made = judged(tmp_path, text, "step_forward")
    assert report.ok, report
    assert "x (2, 1), h_prev (5, 1)" in made


def test_a_label_of_the_backward_pass_alone_is_asked_for_rather_than_taken_for_a_gradient(tmp_path):
    text = """
    def net_forward(x, W):
        scores = np.exp(x @ W)
        probs = scores / scores.sum(axis=1, keepdims=True)
        return probs, scores

    def net_backward(x, W, probs, scores, label):
        d = probs.copy()
        d[np.arange(len(x)), label] -= 1
        return x.T @ d
    """
    with loaded(write(tmp_path, text)) as module, pytest.raises(ValueError, match=r"wants label, targets of a loss"):
        tr.lines(module)


def test_what_a_logarithm_is_taken_of_is_positive(tmp_path):
    text = """
    def log_forward(x):
        return np.log(x), x
    def log_backward(dout, x):
        return dout / x
    """
    report, _ = judged(tmp_path, text, "log_forward")
    assert report.ok and not any(np.isnan(row.error or 0) for row in report.rows), report
