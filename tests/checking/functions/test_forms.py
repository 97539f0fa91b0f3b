"""The gradient check takes functions in all the forms that people write them in."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

import tinyrnn as tr

RNG = np.random.default_rng(0)
X, W, B = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 2)), RNG.normal(size=2)


def affine(x, w, b):
    return x @ w + b, (x, w)


def affine_backward(dout, cache):
    x, w = cache
    return dout @ w.T, x.T @ dout, dout.sum(axis=0)


def loss_and_gradients(params):
    h = np.tanh(X @ params["W"] + params["b"])
    da = h * (1 - h * h)
    return 0.5 * np.sum(h * h), {"W": X.T @ da, "b": da.sum(axis=0)}


class Affine:
    def __init__(self, w, b):
        self.params = {"w": w, "b": b}
        self.grads = {}

    def forward(self, x):
        self.x = x
        return x @ self.params["w"] + self.params["b"]

    def backward(self, dout):
        self.grads["w"], self.grads["b"] = self.x.T @ dout, dout.sum(axis=0)
        return dout @ self.params["w"].T


class Attributes(Affine):
    """The same with weights and gradients as attributes."""

    def __init__(self, w, b):
        self.w, self.b = w, b

    def forward(self, x):
        self.x = x
        return x @ self.w + self.b

    def backward(self, dout):
        self.dw, self.db = self.x.T @ dout, dout.sum(axis=0)
        return dout @ self.w.T


class Parameter:
    def __init__(self, data):
        self.data, self.grad = data, np.zeros_like(data)


class Boxed(Affine):
    """The same with weights in objects that hold their gradient, in a list."""

    def __init__(self, w, b):
        self.parameters = [Parameter(w), Parameter(b)]

    def forward(self, x):
        self.x = x
        return x @ self.parameters[0].data + self.parameters[1].data

    def backward(self, dout):
        self.parameters[0].grad += self.x.T @ dout
        self.parameters[1].grad += dout.sum(axis=0)
        return dout @ self.parameters[0].data.T


class Params(NamedTuple):
    w: np.ndarray
    b: np.ndarray


def named(report):
    return [row.argument for row in report.rows]


def test_a_number_of_a_number():
    assert tr.gradcheck(np.sin, np.cos, 1.0).ok
    assert tr.gradcheck(lambda x: x**2, lambda x: 2 * x, 3).ok
    assert tr.gradcheck(np.sin, lambda x: -np.cos(x), 1.0).verdict == "wrong"


def test_functions_of_scipy():
    assert tr.gradcheck(rosen, rosen_der, np.array([1.3, 0.7, 0.8])).ok
    assert not tr.gradcheck(rosen, lambda x: rosen_der(x) * 1.0001, np.array([1.3, 0.7, 0.8])).ok


def test_value_and_gradient_in_one():
    report = tr.gradcheck(loss_and_gradients, {"W": W, "b": B}, jac=True)
    assert report.ok
    assert named(report) == ["W", "b"]
    assert tr.gradcheck(lambda x: (x @ x, 2 * x), B, jac=True).ok


@pytest.mark.parametrize("given", [(affine, affine_backward, (X, W, B)), ((affine, affine_backward), (X, W, B))])
def test_a_forward_and_a_backward_function(given):
    report = tr.gradcheck(*given)
    assert report.ok
    assert named(report) == ["x", "w", "b"]


def test_inputs_by_name():
    assert tr.gradcheck(affine, affine_backward, {"x": X, "w": W, "b": B}).ok
    assert tr.gradcheck(affine, affine_backward, inputs={"x": X, "w": W, "b": B}).ok


@pytest.mark.parametrize("backward", ["dout, cache", "cache, dout", "grad_output, ctx", "upstream, saved", "g, res"])
def test_backward_functions_name_their_arguments_as_they_like(backward):
    first, second = backward.split(", ")
    above, cache = (second, first) if first == "cache" else (first, second)
    made = {}
    exec(
        f"def backward({backward}):\n    x, w = {cache}\n    return {above} @ w.T, x.T @ {above}, {above}.sum(axis=0)",
        made,
    )
    assert tr.gradcheck(affine, made["backward"], (X, W, B)).ok


def test_without_a_cache_the_inputs_are_handed_over():
    def backward(dout, x, w):
        return dout @ w.T, x.T @ dout

    assert tr.gradcheck(lambda x, w: x @ w, backward, (X, W)).ok


def test_outputs_and_local_variables_by_name():
    def forward(x, w):
        a = x @ w
        h = np.tanh(a)
        return h

    def backward(dh, h, a, x, w):
        da = dh * (1 - h * h) + 0 * a
        return da @ w.T, x.T @ da

    assert tr.gradcheck(forward, backward, (X, W)).ok


def test_several_outputs_each_with_a_gradient_from_above():
    def forward(x, c):
        h = np.tanh(x)
        return h * c, h + c, (h, c)

    def backward(dh, dc, cache):
        h, c = cache
        dhidden = dh * c + dc
        return dhidden * (1 - h * h), dh * h + dc

    assert tr.gradcheck(forward, backward, (X, X + 1)).ok


@pytest.mark.parametrize("make", [Affine, Attributes, Boxed])
def test_objects_with_their_weights(make):
    report = tr.gradcheck(make(W, B), X)
    assert report.ok, report
    assert len(report.rows) == 3


def test_a_wrong_gradient_of_a_weight_in_an_object_is_found():
    class Wrong(Affine):
        def backward(self, dout):
            super().backward(dout)
            self.grads["b"] = dout.mean(axis=0)
            return dout @ self.params["w"].T

    report = tr.gradcheck(Wrong(W, B), X)
    assert [(row.argument, row.kind) for row in report.wrong] == [("params.b", "mean for sum")]


def test_lists_tuples_named_tuples_and_nests():
    def loss(p):
        return sum((w**2).sum() for w in p["layers"]) + p["scale"] ** 2

    def gradient(p):
        return {"layers": [2 * w for w in p["layers"]], "scale": 2 * p["scale"]}

    report = tr.gradcheck(loss, gradient, {"layers": [X, W], "scale": 0.5})
    assert report.ok
    assert named(report) == ["layers[0]", "layers[1]", "scale"]
    assert tr.gradcheck(
        lambda p: (p.w**2).sum() + p.b.sum(), lambda p: Params(2 * p.w, np.ones_like(p.b)), Params(W, B)
    ).ok


def test_integers_masks_and_indices_are_left_alone():
    def loss(x, labels, mask):
        return (x[np.arange(len(x)), labels] ** 2 * mask).sum()

    def gradient(x, labels, mask):
        dx = np.zeros_like(x)
        dx[np.arange(len(x)), labels] = 2 * x[np.arange(len(x)), labels] * mask
        return dx

    report = tr.gradcheck(loss, gradient, (X, np.array([0, 3, 1]), np.array([True, False, True])))
    assert report.ok
    assert named(report) == ["x"]


def test_jacobians_elementwise_derivatives_and_sums():
    x = X[0]

    def softmax(x):
        return np.exp(x) / np.exp(x).sum()

    assert tr.gradcheck(softmax, lambda x: np.diag(softmax(x)) - np.outer(softmax(x), softmax(x)), x).ok
    assert tr.gradcheck(np.tanh, lambda x: 1 - np.tanh(x) ** 2, X).ok
    assert tr.gradcheck(lambda x: W.T @ x, lambda x: W.T, x).ok
    assert tr.gradcheck(lambda x: W.T @ x, lambda x: W, x).rows[0].kind == "transposed"


def test_more_arguments_as_scipy_has_them():
    assert tr.gradcheck(lambda x, a: a * (x @ x), lambda x, a: 2 * a * x, B, args=(3,)).ok


def test_the_upstream_that_is_given_is_used():
    report = tr.gradcheck(affine, affine_backward, (X, W, B), upstream=np.zeros((3, 2)))
    assert len(report.rows) == 3 and all(row.analytic == 0 for row in report.rows)


def test_nothing_that_is_passed_in_is_modified():
    def spoil(dout, cache):
        x, w = cache
        dx, dw, db = affine_backward(dout, cache)
        x *= 2
        w *= 3
        return dx, dw, db

    given = X.copy(), W.copy(), B.copy()
    layer = Boxed(W.copy(), B.copy())
    tr.gradcheck(affine, spoil, given)
    tr.gradcheck(layer, X)
    assert all(np.array_equal(a, b) for a, b in zip(given, (X, W, B), strict=True))
    assert not layer.parameters[0].grad.any()
    assert not hasattr(layer, "x")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((3,), "gradcheck takes a function and its gradient"),
        ((np.sin,), "gradcheck needs a gradient to check and a point"),
        ((np.sin, np.cos), "give the inputs, as none can be made up: sin is not a function"),
        ((lambda x, y: x, lambda x, y: x, (1.0,)), "the inputs do not fit"),
        ((lambda x: "no", lambda x: x, 1.0), "returns nothing that has a derivative"),
        ((affine, lambda dout, cache, foo: dout, (X, W, B)), "cannot tell what <lambda> wants as foo"),
        ((lambda x: x @ x, lambda x: None, B), "no gradient was returned"),
    ],
)
def test_what_cannot_be_checked_is_refused_in_one_line(given, message):
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        tr.gradcheck(*given)
    assert "\n" not in str(caught.value)


def test_an_error_in_the_function_says_where():
    def gradient(x):
        return x @ np.zeros((9, 9))

    with pytest.raises(ValueError, match=r"test_forms\.py:\d+, in gradient: ValueError"):
        tr.gradcheck(lambda x: x @ x, gradient, B)


def test_value_and_gradient_of_a_lambda_need_no_word():
    assert tr.gradcheck(lambda w: ((w**2).sum(), 2 * w), X).ok


def test_functions_and_classes_without_inputs_get_some_that_are_made_up():
    for what in (tr.gradcheck(affine, affine_backward), tr.gradcheck(Attributes)):
        assert what.ok, what
        assert any("made up" in notice.text for notice in what.notices)


def test_functions_on_tensors_and_jax_arrays():
    torch = pytest.importorskip("torch", reason="needs PyTorch")

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, dy):
            return 3 * ctx.saved_tensors[0] * dy

    (row,) = tr.gradcheck(Cube, torch.from_numpy(X)).wrong
    assert row.argument == "x"
    assert tr.gradcheck(torch.nn.Linear(4, 2), torch.from_numpy(X.astype("f4"))).ok
    z = torch.from_numpy(X + 1j * X)
    assert tr.gradcheck(lambda z: (z * z.conj()).real.sum() + (z * z).imag.sum(), z).ok


@pytest.mark.slow  # to import JAX
def test_functions_on_jax_arrays():
    jax = pytest.importorskip("jax", reason="needs JAX")

    @jax.custom_vjp
    def cube(x):
        return x**3

    cube.defvjp(lambda x: (x**3, x), lambda x, g: (2 * x**2 * g,))
    x = jax.numpy.asarray(X)
    (row,) = tr.gradcheck(cube, x).wrong
    assert row.argument == "x"
    assert tr.gradcheck(lambda x, y: jax.numpy.tanh(x @ y).sum(0), (x, jax.numpy.asarray(W))).ok


@pytest.mark.slow
def test_a_function_on_jax_arrays_beside_its_own_gradient():
    jax = pytest.importorskip("jax", reason="needs JAX")

    def loss(x):
        return (jax.numpy.tanh(x) ** 2).sum()

    for x in (X, jax.numpy.asarray(X)):
        assert tr.gradcheck(loss, jax.grad(loss), x).ok
        assert tr.gradcheck(jax.value_and_grad(loss), x, jac=True).ok
        report = tr.gradcheck(loss, lambda x: 1.5 * jax.grad(loss)(x), x)
        assert not report and "1.5" in str(report), report


def test_a_function_on_tensors_beside_its_own_gradient():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    x = torch.from_numpy(X)
    assert tr.gradcheck(lambda x: (x**3).sum(), lambda x: 3 * x**2, x).ok
    assert not tr.gradcheck(lambda x: (x**3).sum(), lambda x: 2 * x**2, x).ok


class Parameters:
    def __init__(self, W, b):
        self.W, self.b = W, b


def test_an_object_of_parameters_is_checked_and_left_as_it_was():
    W, b = RNG.normal(size=(3, 3)), np.zeros(3)
    given = Parameters(W, b)

    def loss(p):
        return float(np.sum(np.tanh(p.W @ np.ones(3) + p.b)))

    def gradient(p):
        d = 1 - np.tanh(p.W @ np.ones(3) + p.b) ** 2
        return Parameters(np.outer(d, np.ones(3)), d)

    report = tr.gradcheck(loss, gradient, given)
    assert [(row.argument, row.verdict, row.kind) for row in report.rows] == [("W", "right", ""), ("b", "right", "")]
    assert given.W is W and given.b is b and not b.any()
