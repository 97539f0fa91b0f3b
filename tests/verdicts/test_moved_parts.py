"""What was moved: a window, an entry that is set, a step, a bracket, a loop; and a factor that lines beside it have."""

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(16)
WINDOWS = """
    import numpy as np

    def run_forward(x, w):
        n = w.shape[1]
        steps = x.shape[1] - n + 1
        y = np.zeros((len(x), steps))
        for t in range(steps):
            y[:, t] = x[:, t : t + n] @ w[0]
        return y, (x, w)

    def run_backward(dy, cache):
        x, w = cache
        n, steps = w.shape[1], dy.shape[1]
        dw = np.zeros_like(w)
        for k in range(n):
            part = x[:, k : k + steps]
            dw[0, k] = np.sum(dy * part)
        wide = np.zeros((len(x), steps + 2 * (n - 1)))
        for t in range(steps):
            wide[:, t + (n - 1)] = dy[:, t]
        dx = np.zeros_like(x)
        turned = w[0, ::-1]
        for k in range(x.shape[1]):
            dx[:, k] = wide[:, k : k + n] @ turned
        return dx, dw
    """
STEPS = """
    import numpy as np

    def run_forward(x, h0, w, v):
        states = [h0]
        for t in range(x.shape[1]):
            states.append(np.tanh(w * x[:, t] + v * states[-1]))
        h = np.stack(states[1:], axis=1)
        return h, (x, h0, w, v, h)

    def run_backward(dh, cache):
        x, h0, w, v, h = cache
        da, later = np.zeros_like(h), np.zeros_like(h0)
        for t in range(x.shape[1]):
            k = x.shape[1] - 1 - t
            da[:, k] = (dh[:, k] + later) * (1 - h[:, k] ** 2)
            later = v * da[:, k]
        before = np.hstack((h0[:, None], h[:, :-1]))
        dw = np.sum(da * x, axis=1)
        dv = np.sum(da * before, axis=1)
        return da * w[:, None], later, dw, dv
    """
INDEXED = """
    import numpy as np

    def run_forward(x, w, v):
        h = [np.zeros(3)]
        for t in range(4):
            h.append(np.tanh(w * x[t] + v * h[t]))
        return h[4], (x, w, v, h)

    def run_backward(dh, cache):
        x, w, v, h = cache
        dw, dv = np.zeros_like(w), np.zeros_like(v)
        for t in range(4):
            k = 4 - t
            da = dh * (1 - h[k] ** 2)
            before = h[k - 1]
            dw += da * x[k - 1]
            dv += da * before
            dh = da * v
        return dw, dv
    """
HEADS = """
    import numpy as np

    def run_forward(x, weights):
        parts, done = [], x
        for w in weights:
            parts.append(done)
            done = np.sin(w @ done)
        return done, (parts, weights)

    def run_backward(dy, cache):
        parts, weights = cache
        found = []
        for w, part in zip(reversed(list(weights)), reversed(parts)):
            dy = dy * np.cos(w @ part)
            found.insert(0, np.outer(dy, part))
            dy = w.T @ dy
        return dy, np.stack(found)
    """
SCALED = """
    import numpy as np

    def run_forward(x, w, b):
        n = len(x)
        y = x @ w + b
        return (y**2).sum() / n, (x, w, y, n)

    def run_backward(dloss, cache):
        x, w, y, n = cache
        dy = 2 * y * dloss
        ones = np.ones(n)
        through_w = x.T @ dy
        through_b = dy.T @ ones
        dw = through_w / n
        db = through_b / n
        return dy @ w.T / n, dw, db
    """
GIVEN = {
    WINDOWS: {"x": R.normal(size=(2, 7)), "w": R.normal(size=(1, 3))},
    STEPS: {"x": R.normal(size=(3, 4)), "h0": R.normal(size=3), "w": R.normal(size=3), "v": R.normal(size=3)},
    INDEXED: {"x": R.normal(size=(4, 3)), "w": R.normal(size=3), "v": R.normal(size=3)},
    HEADS: {"x": R.normal(size=3), "weights": R.normal(size=(3, 3, 3))},
    SCALED: {"x": R.normal(size=(4, 3)), "w": R.normal(size=(3, 2)), "b": R.normal(size=2)},
}


def accused_in(folder, source, given):
    """(the texts of the lines accused, the report)."""
    path = write(folder, source)
    with loaded(path) as module:
        report = tr.lines(module.run_forward, module.run_backward, given)
    lines = path.read_text(encoding="utf-8").splitlines()
    return {lines[row.line - 1].strip() for row in report.wrong}, report


@pytest.mark.parametrize("source", GIVEN, ids=["windows", "steps", "indexed", "heads", "scaled"])
def test_right_ones_are_all_right(tmp_path, source):
    accused, report = accused_in(tmp_path, source, GIVEN[source])
    assert report.ok and not accused, report


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (WINDOWS, "part = x[:, k : k + steps]", "part = x[:, :steps]"),
        (WINDOWS, "wide[:, t + (n - 1)] = dy[:, t]", "wide[:, t] = dy[:, t]"),
        (STEPS, "before = np.hstack((h0[:, None], h[:, :-1]))", "before = h"),
        (STEPS, "(dh[:, k] + later) * (1 - h[:, k] ** 2)", "dh[:, k] + later * (1 - h[:, k] ** 2)"),
        (INDEXED, "before = h[k - 1]", "before = h[k]"),
        (HEADS, "zip(reversed(list(weights)), reversed(parts))", "zip(reversed(list(weights)), parts)"),
        (SCALED, "db = through_b / n", "db = through_b"),
    ],
)
def test_what_was_moved_is_accused_where_it_was(tmp_path, source, right, wrong):
    changed = source.replace(right, wrong)
    line = next(line.strip() for line in changed.splitlines() if wrong in line)
    accused, report = accused_in(tmp_path, changed, GIVEN[source])
    assert accused == {line}, report
