"""The readout in closed form: against a plain least-squares solution of all rows at once, and by its own optimality."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.nn.ridge import Regression, examples, fit_readout


def model_and_batches(seed=0, *, loss="squared_error", at="every", masked=False, bias=True, count=3, T=6, B=4):
    """A network whose outputs have means far from zero, and batches of different sizes for it."""
    rng = np.random.default_rng(seed)
    cell = tr.Elman(2, 5, rng=rng)
    cell.params.b[...] = rng.normal(0, 2, 5)
    model = tr.Model(cell, tr.Readout(5, 3, rng=rng, bias=bias), loss=loss, at=at)
    batches = []
    for k in range(count):
        shape = (T, B + k) if at == "every" else (B + k,)
        target = rng.integers(0, 3, shape) if loss == "cross_entropy" else rng.normal(4, 1, (*shape, 3))
        mask = rng.random((T, B + k)) < 0.7 if masked else None
        if masked and at == "last":
            mask[0] = True
        batches.append((rng.normal(size=(T, B + k, 2)), target, mask))
    return model, batches


def all_rows(model, batches):
    """The features and targets of all that counts, in one matrix each."""
    hs, ts = [], []
    for x, target, mask in batches:
        h, tape = model.layers.forward(x, None, mask)
        if model.at == "last":
            h = tape.state[0]
        elif mask is not None:
            h, target = h[mask], target[mask]
        if model.loss_name == "cross_entropy":
            target = np.eye(3)[target]
        hs.append(h.reshape(-1, 5))
        ts.append(target.reshape(-1, 3))
    return np.concatenate(hs), np.concatenate(ts)


KINDS = [
    dict(loss=loss, at=at, masked=masked, bias=bias)
    for loss in ("squared_error", "cross_entropy")
    for at in ("every", "last")
    for masked in (False, True)
    for bias in (True, False)
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: "-".join(str(v) for v in k.values()))
def test_without_a_penalty_the_readout_is_the_least_squares_solution(kind):
    model, batches = model_and_batches(**kind)
    h, target = all_rows(model, batches)
    features = np.hstack([h, np.ones((len(h), 1))]) if kind["bias"] else h
    wanted = np.linalg.lstsq(features, target, rcond=None)[0]
    assert fit_readout(model, batches, ridge=0) is model
    np.testing.assert_allclose(model.readout.params.W, wanted[:5], rtol=1e-7, atol=1e-9)
    if kind["bias"]:
        np.testing.assert_allclose(model.readout.params.b, wanted[5], rtol=1e-7, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-8, 1e-4, 1e-2, 1.0, 100.0]), st.booleans())
def test_with_a_penalty_it_is_the_least_squares_solution_of_the_rows_that_stand_for_it(seed, ridge, bias):
    """mean ||hW + b - t||^2 + ridge ||W||^2 is least squares with a row sqrt(N ridge) e_i -> 0 for each weight."""
    model, batches = model_and_batches(seed, masked=True, bias=bias)
    h, target = all_rows(model, batches)
    extra = np.sqrt(len(h) * ridge) * np.eye(5)
    if bias:
        h, extra = np.hstack([h, np.ones((len(h), 1))]), np.hstack([extra, np.zeros((5, 1))])
    wanted = np.linalg.lstsq(np.vstack([h, extra]), np.vstack([target, np.zeros((5, 3))]), rcond=None)[0]
    fit_readout(model, batches, ridge)
    np.testing.assert_allclose(model.readout.params.W, wanted[:5], rtol=1e-6, atol=1e-8)
    if bias:
        np.testing.assert_allclose(model.readout.params.b, wanted[5], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("at", ["every", "last"])
def test_at_the_solution_the_gradient_of_the_networks_own_loss_is_minus_the_penaltys(at):
    ridge = 0.1
    model, [batch] = model_and_batches(at=at, masked=True, count=1)
    before = model.gradients(batch[0], batch[1], batch[2])
    fit_readout(model, [batch], ridge)
    after = model.gradients(batch[0], batch[1], batch[2])
    # the network's loss is a mean over the three outputs, too
    np.testing.assert_allclose(3 * after.params["readout.W"], -2 * ridge * model.readout.params.W, atol=1e-12)
    np.testing.assert_allclose(after.params["readout.b"], 0, atol=1e-12)
    assert after.loss < before.loss
    assert abs(before.params["readout.b"]).max() > 0.1  # or the above would say nothing


def test_batches_of_any_cut_give_the_same_readout():
    model, [(x, target, _)] = model_and_batches(count=1, B=12)
    fit_readout(model, [(x, target)], 1e-3)
    whole = model.readout.params.W.copy()
    fit_readout(model, [(x[:, k : k + 1], target[:, k : k + 1]) for k in range(12)], 1e-3)
    np.testing.assert_allclose(model.readout.params.W, whole, rtol=1e-9)


def test_large_means_do_not_drown_small_differences():
    rng = np.random.default_rng(0)
    h, W = rng.normal(size=(400, 3)), rng.normal(size=(3, 2))
    regression = Regression()
    for rows in np.split(np.arange(400), 8):
        regression.add(h[rows] + 1e6, h[rows] @ W - 1e6)
    got, b = regression.solve(0.0)
    np.testing.assert_allclose(got, W, rtol=1e-8)
    np.testing.assert_allclose(1e6 * got.sum(axis=0) + b, -1e6, rtol=1e-9)


def test_of_many_solutions_the_smallest_is_taken():
    h = np.random.default_rng(0).normal(size=(50, 2))
    regression = Regression()
    regression.add(np.hstack([h, h[:, :1]]), h[:, :1])  # the first feature twice
    W, b = regression.solve(0.0)
    np.testing.assert_allclose(W, [[0.5], [0], [0.5]], atol=1e-12)
    np.testing.assert_allclose(b, 0, atol=1e-12)


def test_only_the_readout_is_changed_and_keeps_its_dtype():
    cell = tr.EchoStateNetwork(2, 6, rng=0, dtype="float32")
    model = tr.Model(cell, tr.Readout(6, 2, rng=0, dtype="float32"), loss="squared_error")
    before = {name: value.copy() for name, value in model.params.items()}
    x = np.random.default_rng(1).normal(size=(7, 3, 2)).astype("float32")
    kept = x.copy()
    fit_readout(model, [(x, x)])
    changed = {name for name, value in model.params.items() if not np.array_equal(value, before[name])}
    assert changed == {"readout.W", "readout.b"}
    assert {value.dtype for value in model.params.values()} == {np.dtype("float32")}
    np.testing.assert_array_equal(x, kept)


def test_a_stack_and_an_embedding_below_the_readout_are_read_too():
    rng = np.random.default_rng(0)
    layers = tr.Stack(tr.GRU(4, 5, rng=rng), tr.Bidirectional(tr.Elman(5, 3, rng=rng), tr.Elman(5, 3, rng=rng)))
    model = tr.Model(layers, tr.Readout(6, 7, rng=rng), at="last", embedding=tr.Embedding(9, 4, rng=rng))
    x, target = rng.integers(0, 9, (5, 80)), rng.integers(0, 7, 80)
    h, wanted, state = examples(model, x, target)
    y, tape = model.forward(x)
    np.testing.assert_array_equal(h @ model.readout.params.W, y)  # the bias is still zero
    assert [a.shape for a in state] == [a.shape for a in tape.state]
    fit_readout(model, [(x, target)], 1e-9)
    design = np.hstack([h, np.ones((80, 1))])
    np.testing.assert_allclose(
        model.forward(x)[0], design @ np.linalg.lstsq(design, wanted, rcond=None)[0], rtol=1e-4, atol=1e-5
    )


def test_a_linear_network_recalls_its_inputs_exactly():
    """m_t = A x_t + B m_{t-1}, y_t = W_o m_t: with more units than delays, the delayed input is linear in m."""
    cell = tr.LinearRNN(1, 12, rng=0)
    model = tr.Model(cell, tr.Readout(12, 1, rng=0), loss="squared_error")
    x = np.random.default_rng(0).normal(size=(9, 50, 1))
    target = np.concatenate([np.zeros((4, 50, 1)), x[:5]])
    fit_readout(model, [(x, target)], 0.0)
    assert model.loss(model.forward(x)[0], target)[0] < 1e-10


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(ridge=-1), "ridge must be at least 0"),
        (dict(ridge=float("nan")), "ridge must be at least 0"),
        (dict(batches=[]), "no target counts"),
        (dict(target=np.zeros((6, 4, 2))), r"target must have shape \(6, 4, 3\)"),
        (dict(x=np.full((6, 4, 2), np.nan)), "not finite"),
    ],
)
def test_what_cannot_be_fitted_is_refused_in_one_line(change, message):
    model, [(x, target, _)] = model_and_batches(count=1)
    batches = change.get("batches", [(change.get("x", x), change.get("target", target))])
    with pytest.raises(ValueError, match=message) as caught:
        fit_readout(model, batches, change.get("ridge", 1.0))
    assert "\n" not in str(caught.value)


def test_classes_out_of_range_and_other_readouts_are_refused():
    model, [(x, target, _)] = model_and_batches(count=1, loss="cross_entropy")
    with pytest.raises(ValueError, match=r"class numbers in 0\.\.2, got .*3"):
        fit_readout(model, [(x, target + 1)])
    with pytest.raises(ValueError, match="class numbers"):
        fit_readout(model, [(x, target.astype(float))])
    pooled = tr.Model(tr.Elman(2, 4), tr.PooledReadout(4, 3))
    with pytest.raises(ValueError, match="plain Readout, not a PooledReadout"):
        fit_readout(pooled, [(x, target)])


# one command ----------------------------------------------------------------------------------------------------------


def run(folder, *arguments):
    status = main(
        [
            "train",
            "copy",
            "--delay",
            "5",
            "--hidden",
            "100",
            "--updates",
            "20",
            "--out",
            str(folder),
            *arguments,
            "--no-compiled",
        ]
    )
    assert status == 0
    return json.loads((folder / "result.json").read_text())


def test_one_command_fits_a_readout_and_reports_as_any_run(tmp_path, capsys):
    result = run(tmp_path / "run", "--cell", "lt-ornn", "--readout", "ridge", "--ridge", "1e-5")
    assert result["test_accuracy"] > 0.99
    assert "accuracy" in capsys.readouterr().out
    rows = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [20] and rows[0]["test_accuracy"] == result["test_accuracy"]
    model = tr.interop.load(tmp_path / "run" / "model.safetensors")
    assert model.readout.params.b.any()


@pytest.mark.slow
def test_the_same_run_gives_the_same_readout_and_more_updates_can_follow(tmp_path):
    arguments = "--cell", "esn", "--readout", "ridge"
    first = run(tmp_path / "a", *arguments)
    again = run(tmp_path / "b", *arguments)
    assert first["test_loss"] == again["test_loss"]
    assert main(["train", "--resume", str(tmp_path / "a"), "--updates", "40"]) == 0
    longer = json.loads((tmp_path / "a" / "result.json").read_text())
    assert longer["settings"]["updates"] == 40 and longer["test_loss"] != first["test_loss"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--readout", "rigde"), "readout must be gradient, ridge or ridge-start"),
        (("--readout", "ridge", "--ridge", "-1"), "ridge must be at least 0"),
        (("--readout", "ridge", "--pool", "2"), "no pool"),
        (("--readout", "ridge", "--workers", "2"), "one worker"),
    ],
)
def test_settings_that_do_not_go_together_are_one_line_and_no_run(tmp_path, capsys, arguments, message):
    folder = tmp_path / "run"
    assert main(["train", "copy", "--out", str(folder), *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert not folder.exists()
