"""Programs as others write them: a derivative that is a lambda, a loss that is given by default, matrices read by two
indices, losses that are written out, axes that are turned before they are reshaped, loops that do nothing."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(29)


def accused_of(folder, source, right, wrong, given):
    """{texts of the lines accused}, which the right program has none of."""
    report, lines = lines_accused(folder, source, "", "", given)
    assert report.ok and not lines, report
    return lines_accused(folder, source, right, wrong, given)[1]


GRAPH = """
    class Squares:
        def forward(self, p, y):
            self.kept = p, y
            return 0.5 * np.sum((p - y) ** 2)

        def backward(self):
            p, y = self.kept
            return p - y

    class Net:
        def __init__(self, W, V, loss=Squares):
            self.W, self.V, self.loss = W, V, loss()

        def forward(self, A, x):
            self.A = A
            self.x = (A @ x).T
            self.h = np.tanh(self.W @ self.x)
            return self.h.T @ self.V

        def backward(self, reg):
            slope = lambda out: 1 - out**2
            d = self.loss.backward()
            dV = self.h @ d
            dV_decay = reg * self.V
            self.step = dV + dV_decay
            da = (d @ self.V.T) * slope(self.h.T)
            dW = da.T @ self.x.T
            dx = self.A @ da @ self.W
            return dx, dW, dV + dV_decay

    def loss_and_gradients(A, x, y, W, V, reg):
        net = Net(W, V)
        loss = net.loss.forward(net.forward(A, x), y) + 0.5 * reg * np.sum(V**2)
        dx, dW, dV = net.backward(reg)
        return loss, dx, dW, dV
"""
NEAR = R.normal(size=(4, 4))
GRAPHED = {"x": R.normal(size=(4, 3)), "y": R.normal(size=(4, 2)), "W": R.normal(size=(5, 3))}
GRAPHED |= {"A": NEAR + NEAR.T, "V": R.normal(size=(5, 2)), "reg": 0.3}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("slope = lambda out: 1 - out**2", "slope = lambda out: 1 - out"),
        ("return p - y", "return 2 * p - y"),
        ("self.x = (A @ x).T", "self.x = x.T"),
        ("return dx, dW, dV + dV_decay", "return dx, dW, dV"),
    ],
)
def test_what_is_given_by_default_or_as_a_lambda_or_not_at_all_is_accused(tmp_path, right, wrong):
    given = {name: value for name, value in GRAPHED.items() if name not in ("A", "y", "reg")}
    source = GRAPH.replace("(A, x, y, W, V, reg)", "(x, W, V, A=NEAR, y=GOAL, reg=0.3)")
    known = "".join(f"{name} = np.array({GRAPHED[of].tolist()})\n    " for name, of in (("NEAR", "A"), ("GOAL", "y")))
    assert accused_of(tmp_path, f"\n    {known}{source}", right, wrong, given) == {wrong}


CHAIN = """
    def loss_and_gradients(m, y):
        steps, size, _ = m.shape
        a = np.zeros((steps + 1, size))
        a[0] = 1
        for t in range(steps):
            for i in range(size):
                k = 0
                for j in range(size):
                    k += m[t][j][i] * a[t][j]
                a[t + 1][i] = k
        loss = 0.5 * np.sum((a[steps] - y) ** 2)
        d, dm = a[steps] - y, np.zeros_like(m)
        for t in reversed(range(steps)):
            before = np.zeros(size)
            for i in range(size):
                for j in range(size):
                    dm[t][j][i] += d[i] * a[t][j]
                    before[j] += m[t][j][i] * d[i]
            d = before
        return loss, dm
"""
FIRST_DIAGONAL = R.normal(size=(3, 4, 4))
FIRST_DIAGONAL[0] *= np.eye(4)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("k += m[t][j][i] * a[t][j]", "k += m[t][i][j] * a[t][j]"),
        ("before[j] += m[t][j][i] * d[i]", "before[j] += m[t][i][j] * d[i]"),
    ],
)
def test_indices_that_changed_places_are_found_where_the_first_steps_do_not_tell(tmp_path, right, wrong):
    given = {"m": FIRST_DIAGONAL, "y": R.normal(size=4)}
    assert accused_of(tmp_path, CHAIN, right, wrong, given) == {wrong}


LOGARITHMS = """
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def d_sigmoid(x):
        return (1 - sigmoid(x)) * sigmoid(x)

    def loss_and_gradients(x, y, W, b, V, reg):
        z = x @ W + b
        u = sigmoid(z) @ V
        p = sigmoid(u)
        loss = -np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))
        loss += np.sum(W**2) * 0.5 * reg
        du = p - y
        dV = sigmoid(z).T @ du
        dz = (du @ V.T) * d_sigmoid(z)
        return loss, x.T @ dz + reg * W, dz.sum(axis=0), dV
"""
CHANCES = {"x": R.normal(size=(4, 3)), "y": R.integers(0, 2, (4, 2)), "W": R.normal(size=(3, 5))}
CHANCES |= {"b": R.normal(size=5), "V": R.normal(size=(5, 2)), "reg": 0.2}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("return (1 - sigmoid(x)) * sigmoid(x)", "return (1 - x) * x"),
        ("loss = -np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))", "loss = -np.sum(y * np.log(p))"),
        ("loss += np.sum(W**2) * 0.5 * reg", "loss += np.sum(W**2) * reg"),
    ],
)
def test_parts_of_a_loss_and_activations_all_through_a_derivative_are_found(tmp_path, right, wrong):
    assert accused_of(tmp_path, LOGARITHMS, right, wrong, CHANCES) == {wrong}


ENTRIES = """
    def loss_and_gradients(x, y, W, b, V):
        h = np.tanh(x @ W + b)
        error = h @ V - y
        n = len(x)
        loss = 0.5 * np.sum(error**2) / n
        dV = h.T @ error
        da = (error @ V.T) * (1 - h**2)
        dW = x.T @ da
        db = np.sum(da, axis=0)
        return [loss, dW / n, db / n, dV / n]
"""
LAYERS = {"x": R.normal(size=(4, 3)), "y": R.normal(size=(4, 2)), "W": R.normal(size=(3, 5))}
LAYERS |= {"b": R.normal(size=5), "V": R.normal(size=(5, 2))}
IN_A_LOOP = ENTRIES.replace(
    "        return [loss, dW / n, db / n, dV / n]\n",
    """        grads = {"W": dW, "b": db, "V": dV}
        for key in grads:
            grads[key] = grads[key] / n
        return loss, grads
""",
)


def test_an_entry_of_what_is_returned_that_lacks_what_the_others_have_is_found(tmp_path):
    wrong = "return [loss, dW / n, db, dV / n]"
    assert accused_of(tmp_path, ENTRIES, "return [loss, dW / n, db / n, dV / n]", wrong, LAYERS) == {wrong}


def test_what_a_loop_should_do_is_missing_where_it_does_nothing(tmp_path):
    assert accused_of(tmp_path, IN_A_LOOP, "grads[key] = grads[key] / n", "pass", LAYERS) == {"pass"}


STEEP = """
    def slope(z, steep):
        return steep / np.cosh(steep * z) ** 2

    def softmax_back(p, d):
        return (np.diag(p) - np.outer(p, p)) @ d

    def loss_and_gradients(x, y, W, V, images, K):
        steep = [0.7, 1.3]
        z = x @ W
        h = np.tanh(steep[0] * z)
        u = h @ V
        s = np.tanh(steep[1] * u)
        e = np.exp(s - s.max())
        p = e / e.sum()
        maps = images.reshape(-1, images.shape[3]) @ K
        maps = maps.reshape(2, 3, 3, 2).transpose(0, 3, 1, 2)
        loss = 0.5 * np.sum((p - y) ** 2) + 0.5 * np.sum(maps**2) + np.sum(maps[:, :, 0] ** 3)
        error = softmax_back(p, p - y)
        du = np.multiply(error, slope(u, steep[1]))
        dz = np.multiply(V @ du, slope(z, steep[0]))
        dmaps = maps.copy()
        dmaps[:, :, 0] += 3 * maps[:, :, 0] ** 2
        dK = images.reshape(-1, images.shape[3]).T @ dmaps.transpose(0, 2, 3, 1).reshape(-1, 2)
        return loss, np.outer(x, dz), np.outer(h, du), dK
"""
STEEPER = {"x": R.normal(size=3), "y": R.normal(size=4), "W": R.normal(size=(3, 5)), "V": R.normal(size=(5, 4))}
STEEPER |= {"images": R.normal(size=(2, 3, 3, 3)), "K": R.normal(size=(3, 2))}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("return (np.diag(p) - np.outer(p, p)) @ d", "return (np.diag(p) - p * p) @ d"),
        ("du = np.multiply(error, slope(u, steep[1]))", "du = error"),
        (
            "dK = images.reshape(-1, images.shape[3]).T @ dmaps.transpose(0, 2, 3, 1).reshape(-1, 2)",
            "dK = images.reshape(-1, images.shape[3]).T @ dmaps.reshape(-1, 2)",
        ),
    ],
)
def test_outer_products_slopes_of_two_arguments_and_axes_are_found(tmp_path, right, wrong):
    given = {name: value for name, value in STEEPER.items() if name not in ("x", "y", "images")}
    fixed = "".join(f"{n}_ = np.array({STEEPER[n].tolist()})\n    " for n in ("x", "y", "images"))
    source = STEEP.replace("(x, y, W, V, images, K)", "(W, V, K, x=x_, y=y_, images=images_)")
    assert accused_of(tmp_path, f"\n    {fixed}{source}", right, wrong, given) == {wrong}


BACKWARDS = """
    def loss_and_gradients(x, y, U, W, V):
        states = [np.zeros(len(U))]
        errors, dU, dW, dV = [], 0, 0, 0
        for one in x:
            states.append(np.tanh(one @ W + states[-1] @ U))
            errors.append(states[-1] @ V - y[len(errors)])
        loss = 0.5 * np.sum(np.square(errors))
        carry = np.zeros(len(U))
        for t in reversed(range(len(x))):
            dV = dV + np.outer(states[t + 1], errors[t])
            da = (V @ errors[t] + carry) * (1 - states[t + 1] ** 2)
            dU, dW = dU + np.outer(states[t], da), dW + np.outer(x[t], da)
            carry = U @ da
        return loss, dU, dW, dV
"""
STEPS = {"U": R.normal(size=(4, 4)), "W": R.normal(size=(3, 4)), "V": R.normal(size=(4, 2))}


@pytest.mark.slow
def test_the_first_state_for_the_last_one_is_found_in_a_forward_pass(tmp_path):
    right, wrong = "one @ W + states[-1] @ U", "one @ W + states[0] @ U"
    fixed = (
        f"x_ = np.array({R.normal(size=(4, 3)).tolist()})\n    y_ = np.array({R.normal(size=(4, 2)).tolist()})\n    "
    )
    source = BACKWARDS.replace("(x, y, U, W, V)", "(U, W, V, x=x_, y=y_)")
    lines = accused_of(tmp_path, f"\n    {fixed}{source}", right, wrong, STEPS)
    assert lines == {"states.append(np.tanh(one @ W + states[0] @ U))"}


MEANS = """
    def loss_and_gradients(W, b, x=x_, y=y_):
        error = x @ W + b - y
        n = x.shape[0]
        loss = 0.5 * np.sum(error**2) / n
        dW = np.tensordot(x, error, axes=((0, 1), (0, 1))) / n
        db = error.sum(axis=(0, 1)) / n
        return loss, dW, db
"""


def test_a_mean_over_too_much_is_found_that_would_be_a_sum_and_a_quotient(tmp_path):
    fixed = "".join(f"{n}_ = np.array({R.normal(size=(2, 4, k)).tolist()})\n    " for n, k in (("x", 3), ("y", 5)))
    given = {"W": R.normal(size=(3, 5)), "b": R.normal(size=5)}
    wrong = "db = error.mean(axis=(0, 1))"
    assert accused_of(tmp_path, f"\n    {fixed}{MEANS}", "db = error.sum(axis=(0, 1)) / n", wrong, given) == {wrong}


def test_what_is_reshaped_may_be_worked_out(tmp_path):
    source = ENTRIES.replace("error = h @ V - y", "error = (h @ V - y).reshape(len(x), -1)")
    source = source.replace("[loss, dW / n, db / n, dV / n]", "loss, dW / n, db / n, dV / n")
    right, wrong = "(error @ V.T) * (1 - h**2)", "(error @ V.T) * (1 - h)"
    assert accused_of(tmp_path, source, right, wrong, LAYERS) == {f"da = {wrong}"}
