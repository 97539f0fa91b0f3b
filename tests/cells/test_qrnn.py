"""The quasi-recurrent network: that its convolution is one, in one run, in windows, with pauses and with classes."""

import numpy as np
import pytest

import tinyrnn as tr

CLASSES = (tr.QRNN, tr.QRNNf, tr.QRNNifo)


def cell_and_input(cls=tr.QRNN, window=3, T=7, B=4, **options):
    rng = np.random.default_rng(5)
    cell = cls(2, 3, window=window, rng=rng, **options)
    cell.params.b[...] = rng.normal(size=cell.params.b.shape)
    return cell, rng.normal(size=(T, B, 2))


def pooled(cell, gates):
    """The recurrent pooling, over gates (T, B, G) before their nonlinearities: a plain loop."""
    H, c, outputs = cell.hidden_size, 0, []
    for now in gates:
        a = {name: now[:, k * H : (k + 1) * H] for k, name in enumerate(cell.gates)}
        z, f = np.tanh(a["z"]), 1 / (1 + np.exp(-a["f"]))
        i = 1 / (1 + np.exp(-a["i"])) if "i" in a else 1 - f
        c = f * c + i * z
        outputs.append(c / (1 + np.exp(-a["o"])) if "o" in a else c)
    return np.stack(outputs)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("window", [2, 3, 5, 9])
def test_the_gates_are_a_causal_convolution_of_the_input(cls, window):
    cell, x = cell_and_input(cls, window)
    filters = np.split(cell.params.W, window, axis=1)  # the present step's first
    before = np.concatenate([np.zeros((window - 1, *x.shape[1:])), x])
    gates = sum(before[window - 1 - j :][: len(x)] @ W for j, W in enumerate(filters)) + cell.params.b
    np.testing.assert_allclose(cell.forward(x)[0], pooled(cell, gates), atol=1e-14)


def test_pytorchs_convolution_gives_the_same_outputs_and_gradients():
    torch = pytest.importorskip("torch")
    cell, x = cell_and_input(window=3)
    h, tape = cell.forward(x)
    upstream = np.random.default_rng(1).normal(size=h.shape)
    back = cell.backward(upstream, tape)

    x_t = torch.tensor(x, requires_grad=True)
    b = torch.tensor(np.array(cell.params.b), requires_grad=True)
    # (G, n, window), the oldest step first
    filters = torch.tensor(np.stack(np.split(cell.params.W, 3, axis=1)[::-1], axis=2).transpose(1, 0, 2).copy())
    filters.requires_grad_()
    padded = torch.nn.functional.pad(x_t.permute(1, 2, 0), (2, 0))
    z, f, o = torch.conv1d(padded, filters, b).permute(2, 0, 1).split(3, dim=-1)
    c, outputs = torch.zeros(4, 3, dtype=torch.float64), []
    for z_t, f_t, o_t in zip(torch.tanh(z), torch.sigmoid(f), torch.sigmoid(o), strict=True):
        c = f_t * c + (1 - f_t) * z_t
        outputs.append(o_t * c)
    torch.stack(outputs).backward(torch.tensor(upstream))

    np.testing.assert_allclose(h, torch.stack(outputs).detach().numpy(), atol=1e-14)
    np.testing.assert_allclose(back.inputs, x_t.grad.numpy(), atol=1e-13)
    np.testing.assert_allclose(back.params["b"], b.grad.numpy(), atol=1e-13)
    dfilters = filters.grad.numpy().transpose(1, 0, 2)[..., ::-1]
    np.testing.assert_allclose(back.params["W"], np.concatenate(list(np.moveaxis(dfilters, 2, 0)), 1), atol=1e-13)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("cut", [1, 2, 5])
def test_a_sequence_in_two_pieces_is_the_whole_sequence(cls, cut):
    cell, x = cell_and_input(cls, window=4)
    h, tape = cell.forward(x)
    first, middle = cell.forward(x[:cut])
    rest, end = cell.forward(x[cut:], middle.state)
    np.testing.assert_allclose(np.concatenate([first, rest]), h, atol=1e-15)
    for got, wanted in zip(end.state, tape.state, strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-15)


def test_a_pause_is_not_there_for_the_convolution_either():
    cell, x = cell_and_input(window=3, T=6, B=1)
    mask = np.array([True, False, True, True, False, True])[:, None]
    with_pauses, tape = cell.forward(x, mask=mask)
    without, end = cell.forward(x[mask[:, 0]])
    np.testing.assert_array_equal(with_pauses[mask[:, 0]], without)
    np.testing.assert_array_equal(tape.state[2], end.state[2])


def test_what_the_window_does_not_reach_has_no_influence_but_through_the_memory():
    cell, x = cell_and_input(window=3)
    _, tape = cell.forward(x)
    changed = x.copy()
    changed[2] += 1
    _, other = cell.forward(changed)
    moved = abs(tape["z"] - other["z"]).max(axis=(1, 2))
    assert (moved[2:5] > 1e-3).all() and not moved[:2].any() and not moved[5:].any()


@pytest.mark.parametrize("window", [1, 0, -1, 2.0, "2"])
def test_a_window_that_sees_no_earlier_step_is_refused(window):
    with pytest.raises(ValueError, match="window must be a whole number of at least 2"):
        tr.QRNN(2, 3, window=window)


def test_each_gate_starts_as_one_glorot_matrix_over_the_whole_window():
    cell = tr.QRNN(30, 40, window=4, rng=0)
    assert abs(cell.params.W).max() == pytest.approx(np.sqrt(6 / (4 * 30 + 40)), rel=1e-2)
    assert cell.params.W.shape == (30, 4 * 120) and not cell.params.b.any()
