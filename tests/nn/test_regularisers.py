"""Penalties on weights and outputs: values, gradients by two numerical derivatives and by PyTorch, masks, networks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.nn import regularisers as reg
from tinyrnn.nn.regularisers import REGULARISERS, Activation, ActivationChange, NormStabiliser, RandomPoints
from tinyrnn.nn.regularisers import SoftOrthogonality as Soft

RNG = np.random.default_rng(0)
T, B, N = 5, 3, 4
MASK = np.array([[1, 1, 0], [1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 1, 0]], bool)
POINTS = RNG.normal(size=(7, N))
POINTS /= np.linalg.norm(POINTS, axis=1, keepdims=True)

# name -> (forward of one array, backward, shape of the array)
PAIRS = {
    "soft orthogonality": (reg.soft_orthogonality, reg.soft_orthogonality_backward, (N, N)),
    "point residuals": (lambda W: reg.point_residuals(W, POINTS), reg.point_residuals_backward, (N, N)),
    "point norms": (lambda W: reg.point_norms(W, POINTS), reg.point_norms_backward, (N, N)),
}
for _mask, _text in (None, ""), (MASK, ", masked"):
    PAIRS |= {
        f"norm stabiliser{_text}": (
            lambda h, m=_mask: reg.norm_stabiliser(h, m),
            reg.norm_stabiliser_backward,
            (T, B, N),
        ),
        f"activation{_text}": (lambda h, m=_mask: reg.activation(h, m), reg.activation_backward, (T, B, N)),
        f"change{_text}": (lambda h, m=_mask: reg.activation_change(h, m), reg.activation_change_backward, (T, B, N)),
    }


def numerical(f, x):
    """Two gradients of f: by the complex step, and by central differences."""
    by_complex, by_central = np.empty(x.shape), np.empty(x.shape)
    for i in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[i] += 1e-30j
        by_complex[i] = f(moved).imag / 1e-30
        up, down = x.copy(), x.copy()
        up[i] += 1e-5
        down[i] -= 1e-5
        by_central[i] = (f(up) - f(down)) / 2e-5
    return by_complex, by_central


@pytest.mark.parametrize("name", PAIRS)
def test_gradient_agrees_with_the_complex_step_and_central_differences(name):
    forward, backward, shape = PAIRS[name]
    x = np.random.default_rng(1).normal(size=shape)
    before = x.tobytes()
    _, kept = forward(x)
    gradient = backward(kept, 0.7)
    by_complex, by_central = numerical(lambda v: 0.7 * forward(v)[0], x)
    assert gradient.shape == shape and gradient.dtype == np.float64
    np.testing.assert_allclose(gradient, by_complex, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(gradient, by_central, atol=1e-7)
    assert x.tobytes() == before


@pytest.mark.parametrize("name", PAIRS)
def test_values_and_gradients_keep_the_precision(name):
    forward, backward, shape = PAIRS[name]
    x = np.random.default_rng(2).normal(size=shape).astype("float32")
    if name.startswith("point"):
        forward = {"point residuals": reg.point_residuals, "point norms": reg.point_norms}[name]
        value, kept = forward(x, POINTS.astype("float32"))
    else:
        value, kept = forward(x)
    assert value.dtype == np.float32 and backward(kept).dtype == np.float32


def test_values_and_gradients_are_those_of_pytorch():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    one = torch.eye(N, dtype=torch.float64)
    there = {
        "soft orthogonality": lambda W: ((W.T @ W - one) ** 2).sum(),
        "point residuals": lambda W: ((torch.tensor(POINTS) @ W @ W.T - torch.tensor(POINTS)) ** 2).sum(1).mean(),
        "point norms": lambda W: (((torch.tensor(POINTS) @ W) ** 2).sum(1) - 1).square().mean(),
        "norm stabiliser": lambda h: h.norm(dim=-1).diff(dim=0).square().mean(),
        "activation": lambda h: h.pow(2).mean(),
        "change": lambda h: (h[1:] - h[:-1]).pow(2).mean(),
    }
    for name, function in there.items():
        forward, backward, shape = PAIRS[name]
        x = RNG.normal(size=shape)
        leaf = torch.tensor(x, requires_grad=True)
        function(leaf).backward()
        value, kept = forward(x)
        assert value == pytest.approx(function(leaf).item(), rel=1e-13), name
        np.testing.assert_allclose(backward(kept), leaf.grad.numpy(), rtol=1e-12, atol=1e-15, err_msg=name)


# what they mean -------------------------------------------------------------------------------------------------------


def test_orthogonal_matrices_cost_nothing_and_are_where_descent_ends():
    for forward, backward, _ in (PAIRS[name] for name in ("soft orthogonality", "point residuals", "point norms")):
        Q = np.linalg.qr(np.random.default_rng(0).normal(size=(N, N)))[0]
        value, kept = forward(Q)
        assert value < 1e-28 and abs(backward(kept)).max() < 1e-13
    W = np.random.default_rng(3).normal(size=(N, N)) / 2
    for _ in range(2000):
        W = W - 0.02 * reg.soft_orthogonality_backward(reg.soft_orthogonality(W)[1])
    np.testing.assert_allclose(W.T @ W, np.eye(N), atol=1e-10)


def test_gradient_of_soft_orthogonality_is_the_papers():
    W = RNG.normal(size=(N, N))
    gradient = reg.soft_orthogonality_backward(reg.soft_orthogonality(W)[1])
    np.testing.assert_allclose(gradient, 4 * W @ (W.T @ W - np.eye(N)), rtol=1e-13)


def test_over_the_whole_sphere_the_residuals_are_soft_orthogonality_divided_by_n():
    W = RNG.normal(size=(N, N))
    x = np.random.default_rng(0).normal(size=(200_000, N))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    each = ((x @ W @ W.T - x) ** 2).sum(axis=1)
    wanted = reg.soft_orthogonality(W)[0] / N
    assert abs(each.mean() - wanted) < 5 * each.std() / len(x) ** 0.5
    assert reg.point_residuals(W, x)[0] == pytest.approx(each.mean())


def test_a_state_that_only_turns_costs_the_norm_stabiliser_nothing_and_a_zero_one_gets_no_gradient():
    angle = np.arange(T)[:, None, None] * 0.7
    turning = np.concatenate([np.cos(angle), np.sin(angle)], axis=-1)
    assert reg.norm_stabiliser(turning)[0] < 1e-30 and reg.activation_change(turning)[0] > 0.1
    h = RNG.normal(size=(T, B, N))
    h[2, 1] = 0
    dh = reg.norm_stabiliser_backward(reg.norm_stabiliser(h)[1])
    assert np.isfinite(dh).all() and not dh[2, 1].any() and dh[1, 1].any()


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["norm_stabiliser", "activation", "activation_change"])
@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(0, 99))
def test_a_masked_batch_counts_like_its_sequences_one_after_the_other(name, lengths, seed):
    """The mean over the entries there are, whichever sequence they are of."""
    forward, backward = getattr(reg, name), getattr(reg, f"{name}_backward")
    h = np.random.default_rng(seed).normal(size=(6, len(lengths), N))
    mask = np.arange(6)[:, None] < lengths
    value, kept = forward(np.where(mask[..., None], h, 1e3), mask)
    gap = 0 if name == "activation" else 1
    counts = [max(n - gap, 0) for n in lengths]
    alone = [forward(h[:n, b : b + 1]) if counts[b] else (0.0, None) for b, n in enumerate(lengths)]
    total = max(sum(counts), 1)
    assert value == pytest.approx(sum(v * n for (v, _), n in zip(alone, counts, strict=True)) / total)
    dh = backward(kept)
    for b, n in enumerate(lengths):
        wanted = np.zeros((6, N))
        if counts[b]:
            wanted[:n] = backward(alone[b][1])[:, 0] * counts[b] / total
        np.testing.assert_allclose(dh[:, b], wanted, rtol=1e-12, atol=1e-15)


# in a network ---------------------------------------------------------------------------------------------------------


def network(cell=tr.LSTM, top=tr.GRU):
    layers = tr.Stack(tr.Bidirectional(cell(2, 4, rng=0), tr.Elman(2, 4, rng=1)), top(8, 3, rng=2))
    return tr.Model(layers, tr.Readout(3, 3, rng=3))


def cells(model):
    below, top = model.layers.layers
    return {"layers.0.forward": below.layers[0], "layers.0.backward": below.layers[1], "layers.1": top}


def batch():
    rng = np.random.default_rng(5)
    return rng.normal(size=(T, B, 2)), rng.integers(0, 3, (T, B)), MASK


@pytest.mark.few(1)
@pytest.mark.parametrize("where", ["layers.0.forward", "layers.0.backward", "layers.1", "everywhere"])
def test_gradients_with_penalties_are_those_of_loss_and_penalty_together(where):
    """Outputs of any layer, in either direction, with a mask: against the complex step through the whole network."""
    model = network()
    x, target, mask = batch()
    terms = (Soft(0.3), NormStabiliser(0.5), Activation(0.7), ActivationChange(0.2))
    for name, cell in cells(model).items():
        if where in (name, "everywhere"):
            cell.regularisers = terms
    got = model.gradients(x, target, mask)
    plain = network().gradients(x, target, mask)
    assert got.loss == plain.loss and plain.penalty == 0 and got.penalty > 0

    def total():
        y, tape = model.forward(x, mask=mask)
        value = model.loss(y, target, mask)[0]
        below, top = tape.layers.tapes["0"], tape.layers.tapes["1"]
        tapes = dict(zip(cells(model), (below.tapes["forward"], below.tapes["backward"], top), strict=True))
        for name, cell in cells(model).items():
            if cell.regularisers:
                W, h, m = cell.params.W_h, tapes[name]["h"], tapes[name].mask
                for k in range(0, W.shape[1], len(W)):
                    E = W[:, k : k + len(W)].T @ W[:, k : k + len(W)] - np.eye(len(W))
                    value = value + 0.3 * (E**2).sum()
                value = value + 0.5 * reg.norm_stabiliser(h, m)[0] + 0.7 * reg.activation(h, m)[0]
                value = value + 0.2 * reg.activation_change(h, m)[0]
        return value

    assert got.penalty == pytest.approx(total() - plain.loss)
    leaves = [*cells(model).values(), model.readout]
    for leaf in leaves:
        leaf.params.update({name: value.astype(complex) for name, value in leaf.params.items()})
    for name, array in model.params.items():
        wanted = np.empty(array.shape)
        for i in np.ndindex(array.shape):
            array.imag[i] = 1e-30
            wanted[i] = total().imag / 1e-30
            array.imag[i] = 0
        np.testing.assert_allclose(got.params[name], wanted, rtol=1e-11, atol=1e-14, err_msg=name)


@pytest.mark.slow
def test_gradcheck_of_a_network_knows_its_penalties():
    model = network()
    for cell in cells(model).values():
        cell.regularisers = (Soft(0.3), NormStabiliser(0.5), RandomPoints(1.0))
    assert tr.gradcheck(model).ok


def test_each_gates_matrix_is_penalised_by_itself():
    cell = tr.LSTM(2, 3, rng=0)
    cell.params["W_h"][:, 3:6] = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    value, d = Soft(2.0).weights(cell)
    blocks = [cell.params["W_h"][:, k : k + 3] for k in range(0, 12, 3)]
    assert value == pytest.approx(2 * sum(reg.soft_orthogonality(W)[0] for W in blocks))
    assert list(d) == ["W_h"] and abs(d["W_h"][:, 3:6]).max() < 1e-12 < abs(d["W_h"][:, :3]).max()


RECURRENT = {"elman": "W_h", "lstm": "W_h", "gru": "W_h", "lt-ornn": "V", "lmn": "W_mm"}


@pytest.mark.parametrize("name", RECURRENT)
def test_soft_orthogonality_finds_the_recurrent_matrix(name):
    cls, options = tr.CELLS[name]
    cell = cls(2, 4, rng=0, **options)
    assert list(Soft(1.0).weights(cell)[1]) == [RECURRENT[name]]
    assert list(Soft(1.0).weights(tr.ChoGRU(2, 4, rng=0))[1]) == ["W_rz", "W_n"]


@pytest.mark.parametrize("loss", ["residuals", "norms"])
def test_points_are_new_for_every_generator_and_the_same_for_the_same(loss):
    cell, term = tr.Elman(2, 4, rng=0), RandomPoints(1.0, points=6, loss=loss)
    values = [term.weights(cell, np.random.default_rng(seed))[0] for seed in (1, 1, 2)]
    assert values[0] == values[1] != values[2]
    model = tr.Model(tr.Elman(2, 4, rng=0), tr.Readout(4, 3, rng=1))
    model.layers.regularisers = (term,)
    x, target, _ = batch()
    with_points, again, without = (model.gradients(x, target, rng=seed) for seed in (7, 7, None))
    assert with_points.penalty == again.penalty > 0 == without.penalty
    np.testing.assert_array_equal(with_points.params["layers.W_h"], again.params["layers.W_h"])
    drawn = np.random.default_rng(7).normal(size=(6, 4))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    pair = {"residuals": (reg.point_residuals, reg.point_residuals_backward)}.get(
        loss, (reg.point_norms, reg.point_norms_backward)
    )
    wanted = pair[1](pair[0](cell.params["W_h"], drawn)[1])
    found = with_points.params["layers.W_h"] - without.params["layers.W_h"]
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


def test_with_a_checkpoint_weights_can_be_penalised_and_outputs_are_refused():
    x, target, mask = batch()
    model = network(top=tr.GRU)
    model = tr.Model(tr.Stack(tr.LSTM(2, 4, rng=0), tr.GRU(4, 3, rng=1)), tr.Readout(3, 3, rng=2))
    model.layers.layers[0].regularisers = (Soft(0.4),)
    plain, windows = model.gradients(x, target, mask), model.gradients(x, target, mask, checkpoint=2)
    assert windows.penalty == plain.penalty > 0
    for name, d in plain.params.items():
        np.testing.assert_allclose(windows.params[name], d, rtol=1e-11, atol=1e-14)
    model.layers.layers[1].regularisers = (Activation(1.0),)
    with pytest.raises(
        ValueError, match=r"^GRU: Activation needs all outputs at once, which a checkpoint does without"
    ):
        model.gradients(x, target, mask, checkpoint=2)


def test_a_compiled_network_has_the_same_penalties():
    x, target, mask = batch()
    results = []
    for compiled in (False, True):
        model = tr.Model(tr.LSTM(2, 4, rng=0), tr.Readout(4, 3, rng=1))
        model.layers.regularisers = (Soft(0.3), NormStabiliser(0.5), ActivationChange(0.2))
        results.append((model.compile() if compiled else model.interpret()).gradients(x, target, mask))
    plain, fast = results
    assert fast.penalty == pytest.approx(plain.penalty, rel=1e-12)
    for name, d in plain.params.items():
        np.testing.assert_allclose(fast.params[name], d, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Soft(-1.0), "SoftOrthogonality: strength must be a number of at least 0, got -1.0"),
        (lambda: NormStabiliser("big"), "NormStabiliser: strength must be a number of at least 0, got 'big'"),
        (lambda: RandomPoints(1.0, points=0), "RandomPoints: points must be a whole number of at least 1, got 0"),
        (lambda: RandomPoints(1.0, loss="both"), 'RandomPoints: loss must be "residuals" or "norms", got \'both\''),
        (
            lambda: Soft(1.0).weights(tr.UnitaryRNN(2, 4, rng=0)),
            "UnitaryRNN names no recurrent matrix (`recurrent`) that could be made orthogonal",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(wrong, message):
    with pytest.raises(ValueError) as error:
        wrong()
    assert str(error.value) == message


def test_each_regulariser_can_be_named():
    assert {"soft-orthogonality", "random-points", "norm-stabiliser", "ar", "tar"} <= set(REGULARISERS)
    assert all(cls(0.5, **options).strength == 0.5 for cls, options in REGULARISERS.values())
