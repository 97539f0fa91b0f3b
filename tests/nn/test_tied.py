"""Tied embeddings: one matrix reads the words and writes them (Press & Wolf 2017)."""

import copy

import numpy as np
import pytest

import tinyrnn as tr

T, B, WORDS, N = 4, 3, 5, 6


def build(tied=True, bias=True, at="every", seed=0):
    readout = tr.TiedReadout(N, WORDS, bias=bias) if tied else tr.Readout(N, WORDS, bias=bias, rng=1)
    model = tr.Model(tr.LSTM(N, N, rng=seed), readout, at=at, embedding=tr.Embedding(WORDS, N, rng=2))
    rng = np.random.default_rng(3)
    for value in model.params.values():
        value += rng.normal(0, 0.3, value.shape)
    return model


def batch(at="every"):
    rng = np.random.default_rng(4)
    return rng.integers(0, WORDS, (T, B)), rng.integers(0, WORDS, (T, B) if at == "every" else (B,))


def loss_of(model, x, target, mask):
    y, _ = model.forward(x, mask=mask)
    return model.loss(y, target, mask if model.at == "every" else None)[0]


@pytest.mark.few(2)
@pytest.mark.parametrize("at", ["every", "last"])
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("checkpoint", [None, 2])
def test_gradient_is_that_of_both_uses(at, bias, checkpoint):
    model, (x, target) = build(bias=bias, at=at), batch(at)
    mask = np.arange(T)[:, None] < [4, 2, 1]
    found = model.gradients(x, target, mask, checkpoint=checkpoint)
    assert list(found.params) == ["embedding.W", "layers.W_x", "layers.W_h", "layers.b", "readout.b"][: 5 - (not bias)]
    moved = copy.deepcopy(model)
    for part in moved.parts.values():
        part.params.update({name: value.astype(complex) for name, value in part.params.items()})
    for name, array in moved.params.items():
        wanted = np.empty(array.shape)
        for i in np.ndindex(array.shape):
            array.imag[i] = 1e-30
            wanted[i] = loss_of(moved, x, target, mask).imag / 1e-30
            array.imag[i] = 0
        np.testing.assert_allclose(found.params[name], wanted, rtol=1e-11, atol=1e-15, err_msg=name)


def test_gradient_is_the_sum_of_those_of_an_untied_network_with_the_same_weights():
    tied, apart = build(), build(tied=False)
    for name, value in tied.params.items():
        apart.params[name][...] = value
    apart.params["readout.W"][...] = tied.params["embedding.W"].T
    x, target = batch()
    one, two = tied.gradients(x, target), apart.gradients(x, target)
    assert one.loss == pytest.approx(two.loss, rel=1e-14)
    both = two.params["embedding.W"] + two.params["readout.W"].T
    np.testing.assert_allclose(one.params["embedding.W"], both, rtol=1e-12, atol=1e-16)
    for name in ("layers.W_x", "layers.W_h", "layers.b", "readout.b"):
        np.testing.assert_allclose(one.params[name], two.params[name], rtol=1e-12, atol=1e-16)


def test_the_gradient_is_pytorchs():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    model, (x, target) = build(), batch()
    E = torch.tensor(model.params["embedding.W"], requires_grad=True)
    lstm, _ = model.layers.forward(model.params["embedding.W"][x])
    found = model.gradients(x, target)
    W = {name: torch.tensor(value) for name, value in model.layers.params.items()}
    h = c = torch.zeros(B, N, dtype=torch.float64)
    outputs = []
    for t in range(T):
        i, f, o, g = (E[torch.tensor(x[t])] @ W["W_x"] + h @ W["W_h"] + W["b"]).chunk(4, dim=1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        outputs.append(h)
    h = torch.stack(outputs)
    np.testing.assert_allclose(lstm, h.detach().numpy(), rtol=1e-12)
    logits = h @ E.T + torch.tensor(model.params["readout.b"])
    loss = torch.nn.functional.cross_entropy(logits.reshape(-1, WORDS), torch.tensor(target.reshape(-1)))
    loss.backward()
    assert found.loss == pytest.approx(loss.item(), rel=1e-12)
    np.testing.assert_allclose(found.params["embedding.W"], E.grad.numpy(), rtol=1e-11, atol=1e-15)


def test_gradcheck_and_a_copy_know_that_the_weights_are_one():
    model = build()
    assert tr.gradcheck(model).ok
    other = copy.deepcopy(model)
    other.params["embedding.W"][...] *= 2
    x, _ = batch()
    assert abs(other.forward(x)[0] - model.forward(x)[0]).max() > 0.1
    assert other.readout.embedding is other.embedding is not model.embedding


def test_updates_move_both_uses_and_the_network_learns():
    model, (x, target) = build(), batch()
    x[0] = [0, 1, 2]  # so that no two sequences that begin alike go on differently
    losses = []
    for _ in range(600):
        result = model.gradients(x, target)
        losses.append(result.loss)
        for name, d in result.params.items():
            model.params[name][...] -= 0.3 * d
    assert losses[0] > 1 and losses[-1] < 0.1


def test_a_saved_network_is_tied_when_it_is_loaded(tmp_path):
    model = build()
    model = tr.Model(model.layers, model.readout, embedding=model.embedding, dropout={"output": 0.5, "embedding": 0.25})
    tr.interop.save(tmp_path / "model.safetensors", model)
    again = tr.interop.load(tmp_path / "model.safetensors")
    x, target = batch()
    assert again.forward(x)[0].tobytes() == model.forward(x)[0].tobytes()
    one, two = model.gradients(x, target, rng=1), again.gradients(x, target, rng=1)
    for name, d in one.params.items():
        assert two.params[name].tobytes() == d.tobytes()
    assert again.dropout == model.dropout and again.readout.embedding is again.embedding


@pytest.mark.parametrize(
    ("embedding", "message"),
    [
        (None, "TiedReadout: there is no embedding whose weights it could read"),
        (
            tr.Embedding(WORDS + 1, N, rng=0),
            f"TiedReadout: {N} features to {WORDS} classes need an embedding the other way round, "
            f"got {WORDS + 1} classes to {N} features",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(embedding, message):
    with pytest.raises(ValueError) as error:
        tr.Model(tr.LSTM(N, N, rng=0), tr.TiedReadout(N, WORDS), embedding=embedding)
    assert str(error.value) == message
