"""What is right as it stands stays right: of lines that could make up for each other, the one that had to change."""

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(11)
NORM = """
    def norm_forward(x, g):
        mean = x.mean(axis=0)
        less = x - mean
        square = less**2
        spread = square.mean(axis=0)
        root = np.sqrt(spread + 1e-3)
        return g * less / root, (less, root, g)


    def norm_backward(dout, cache):
        less, root, g = cache
        n = len(less)
        scaled = less / root
        dg = np.sum(dout * scaled, axis=0)
        into1 = dout * g / root
        droot = np.sum(-dout * g * less / root**2, axis=0)
        dspread = 0.5 * droot / root
        each = np.ones_like(less) * dspread / n
        into2 = less * each * 2
        into = into1 + into2
        dmean = np.sum(into, axis=0)
        dx = into - dmean / n
        return dx, dg
    """
INPUTS = {"x": R.normal(size=(5, 3)), "g": R.normal(size=3)}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "right, wrong",
    [
        ("dx = into - dmean / n", "dx = into - dmean"),  # and not the mean in place of the sum one line above
        ("into = into1 + into2", "into = into1"),  # where into2 is worked out and never read
        ("into2 = less * each * 2", "into2 = less * each"),  # and not 1.0 for 0.5, or 2 / n for 1 / n
        ("dmean = np.sum(into, axis=0)", "dmean = np.mean(into, axis=0)"),
        ("dspread = 0.5 * droot / root", "dspread = 0.25 * droot / root"),
    ],
)
def test_of_lines_that_could_make_up_for_each_other_the_one_that_changed_is_accused(tmp_path, right, wrong):
    assert NORM.count(right) == 1
    path = write(tmp_path, NORM.replace(right, wrong))
    with loaded(path) as module:
        report = tr.lines(module.norm_forward, module.norm_backward, inputs=INPUTS)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [lines[row.line - 1].strip() for row in report.wrong] == [wrong], report


ACTIVATIONS = """
    class Curve:
        def __call__(self, x):
            return np.tanh(x)

        def slope(self, x):
            return 1 - self(x) ** 2


    class Layer:
        def __init__(self):
            self.curve = Curve()

        def forward(self, x, w):
            self.z = x @ w
            self.kept = x, w
            self.h = self.curve(self.z)
            return self.h

        def backward(self, dh):
            x, w = self.kept
            dz = dh * self.curve.slope(self.z)
            return dz @ w.T, x.T @ dz
    """


def test_a_line_that_the_forward_pass_runs_too_is_not_accused(tmp_path):
    path = write(tmp_path, ACTIVATIONS.replace("slope(self.z)", "slope(self.h)"))
    with loaded(path) as module:
        layer = module.Layer()
        report = tr.lines(layer.forward, layer.backward, {"x": R.normal(size=(2, 3)), "w": R.normal(size=(3, 4))})
    lines = path.read_text(encoding="utf-8").splitlines()
    accused = [lines[row.line - 1].strip() for row in report.wrong]
    assert accused and "return np.tanh(x)" not in accused


WITHIN = """
    class Affine:
        def __init__(self, w, b):
            self.w, self.b = w, b

        def forward(self, x):
            self.x = x
            return x @ self.w + self.b

        def backward(self, dy):
            dw = self.x.T @ dy
            db = dy.sum(axis=0)
            return dw, db

        def score(self, x):
            y = self.forward(x)
            return 0.5 * np.sum(y**2), *self.backward(y)
    """


def test_what_is_returned_without_a_name_goes_by_that_of_the_function_within(tmp_path):
    path = write(tmp_path, WITHIN.replace("db = dy.sum(axis=0)", "db = dy.sum(axis=0) ** 2"))
    with loaded(path) as module:
        affine = module.Affine(R.normal(size=(3, 3)), R.normal(size=3))
        report = tr.lines(affine.score, {"x": R.normal(size=(3, 3))}, jac=True)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [lines[row.line - 1].strip() for row in report.wrong] == ["db = dy.sum(axis=0) ** 2"], report


STEPS = """
    class Walk:
        def __init__(self, w, b):
            self.w, self.b = w, b

        def forward(self, x):
            self.x = x
            return x @ self.w + self.b

        def step(self, t, dy):
            dw = np.outer(self.x[t], dy[t])
            part = 1.0 * dy[t]
            return dw, part

        def backward(self, dy):
            dw, db = np.zeros_like(self.w), np.zeros_like(self.b)
            for t in range(len(dy)):
                dw_t, db_t = self.step(t, dy)
                dw += dw_t
                db += db_t
            return dw, db

        def score(self, x):
            y = self.forward(x)
            return 0.5 * np.sum(y**2), *self.backward(y)
    """


def test_a_gradient_that_a_helper_returned_by_another_name_is_compared_all_the_same(tmp_path):
    path = write(tmp_path, STEPS.replace("db += db_t", "db = db_t"))
    with loaded(path) as module:
        walk = module.Walk(R.normal(size=(3, 3)), R.normal(size=3))
        report = tr.lines(walk.score, {"x": R.normal(size=(3, 3))}, jac=True)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert report.wrong_results == ["b"], report
    assert "db = db_t" in {lines[row.line - 1].strip() for row in report.wrong + report.unjudged}, report


OWNERS = """
    class Linear:
        def __init__(self, weights, bias):
            self.weights, self.bias, self.gradients = weights, bias, {}

        def forward(self, x):
            self.x = x
            return x @ self.weights + self.bias

        def backward(self, dLdY):
            self.gradients["dLdW"] = self.x.T @ dLdY
            self.gradients["dLdb"] = dLdY.sum(axis=0)
            return dLdY @ self.weights.T


    class Two:
        def __init__(self, *arrays):
            self.first, self.second = Linear(*arrays[:2]), Linear(*arrays[2:])

        def forward(self, x):
            return self.second.forward(self.first.forward(x) ** 3)

        def backward(self, dLdY):
            return self.first.backward(3 * self.second.backward(dLdY) * self.first.forward(self.first.x) ** 2)
    """


@pytest.mark.parametrize("right, wrong", [("self.x.T @ dLdY", "self.x.T @ dLdY / 2"), ("dLdY.sum(axis=0)", "dLdY[0]")])
def test_a_gradient_kept_in_an_object_is_that_of_its_own_weight_of_that_shape(tmp_path, right, wrong):
    path = write(tmp_path, OWNERS.replace(right, wrong))
    with loaded(path) as module:
        two = module.Two(*(R.normal(size=shape) for shape in [(4, 4), 4, (4, 4), 4]))
        report = tr.lines(two.forward, two.backward, {"x": R.normal(size=(2, 4))})
    lines = path.read_text(encoding="utf-8").splitlines()
    accused = [lines[number - 1].strip() for number in {row.line for row in report.wrong}]
    assert len(accused) == 1 and accused[0].endswith(f"= {wrong}"), report


STEP = """
    def unit_forward(x, h, c, w):
        c = 0.5 * c + np.tanh(x @ w + h)
        h = np.tanh(c)
        y = h**2
        return h, c, y, (x, h, c, w)


    def unit_backward(dh, dc, dy, cache):
        x, h, c, w = cache
        dh = dh + 2 * h * dy
        dc = dc + dh * (1 - h**2)
        return dc
    """


def test_gradients_from_above_are_of_all_outputs_of_their_names_the_first_too(tmp_path):
    with loaded(write(tmp_path, STEP)) as module:
        from tinyrnn.sources.calling import passes_of

        shapes = {"x": (2, 3), "h": (2, 4), "c": (2, 4), "w": (3, 4)}
        inputs = {name: R.normal(size=shape) for name, shape in shapes.items()}
        returned = module.unit_forward(**inputs)
        made = passes_of(module.unit_forward, module.unit_backward, inputs, returned, {})
    assert made.above == {"dh": 0, "dc": 1, "dy": 2} and made.call == {"cache": ("cache", None)}


WORDS = """
    class Table:
        def __init__(self, rows):
            self.rows = rows

        def forward(self, words):
            self.words = words
            return self.rows[words]

        def backward(self, above):
            self.drows = np.zeros_like(self.rows)
            np.add.at(self.drows, self.words, above)
            return self.drows


    class Squares:
        def forward(self, x):
            self.x = x
            return np.sum(x**3)

        def backward(self):
            return 3 * self.x**2


    class Pair:
        def __init__(self, rows):
            self.table, self.squares = Table(rows), Squares()

        def score(self, words):
            value = self.squares.forward(self.table.forward(words))
            drows = self.table.backward(self.squares.backward())
            return value, drows
    """


@pytest.mark.slow
def test_a_sum_over_words_that_come_twice_is_placed_where_they_are_added_up(tmp_path):
    wrong = "self.drows[self.words] += above"
    path = write(tmp_path, WORDS.replace("np.add.at(self.drows, self.words, above)", wrong))
    with loaded(path) as module:
        pair = module.Pair(R.normal(size=(4, 3)))
        report = tr.lines(pair.score, {"words": np.array([0, 2, 2])}, jac=True)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [lines[row.line - 1].strip() for row in report.wrong] == [wrong], report
