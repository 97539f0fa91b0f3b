"""The first day: five programs as somebody writes them who guesses, and what becomes of each guess.

`GUESSES` is the table: a line of Python -> what happens, `WORKS` or what it is answered. A guess that is answered is
answered in one line, and where that line says "write", what it says can be written.
"""

import re

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.optim.optimisers import Adam

WORKS = "works"


def data(seed=0, T=6, B=8):
    """Floats (T, B, 3), and the class (T, B) that says whether the first feature has been positive more often."""
    x = np.random.default_rng(seed).normal(size=(T, B, 3))
    return x, (np.sign(x[..., 0]).cumsum(axis=0) > 0).astype(int)


# the five programs ----------------------------------------------------------------------------------------------------


def test_a_bidirectional_classifier_of_two_layers_in_a_loop_of_ones_own(tmp_path):
    """Stack of a list, a network called like a function, -100 for padding, step(model, gradients), saved, loaded."""
    layers = tr.Stack(
        [
            tr.Bidirectional(tr.GRU(3, 8, rng=0), tr.GRU(3, 8, rng=1)),
            tr.Bidirectional(tr.GRU(16, 8, rng=2), tr.GRU(16, 8, rng=3)),
        ]
    )
    model = tr.Model(layers, tr.Readout(16, 2, rng=4), loss="cross_entropy")
    opt = tr.optimisers.Adam(lr=0.02)
    x, target = data()
    target[4:, ::2] = -100
    losses = []
    for _ in range(40):
        out = model.gradients(x, target)
        opt.step(model, out)
        losses.append(out.loss)
    logits, _ = model(x)
    counts = target != -100
    assert losses[-1] < 0.1 * losses[0]
    assert (logits.argmax(-1) == target)[counts].all() and tr.losses.accuracy(logits, target) == 1
    tr.save(model, tmp_path / "model.safetensors")  # torch.save's order
    assert np.array_equal(tr.load(tmp_path / "model.safetensors")(x)[0], logits)


def test_the_weights_of_a_pytorch_lstm_its_outputs_and_gradients_and_back():
    """A module where a state dict is asked for, PyTorch's names for gradients, states by name."""
    torch = pytest.importorskip("torch", reason="the program is about PyTorch")
    theirs = torch.nn.LSTM(3, 5, num_layers=2, bidirectional=True, dtype=torch.float64)
    ours = tr.interop.from_torch(theirs)
    x, dh = data()[0], np.random.default_rng(1).normal(size=(6, 8, 10))
    h, tape = ours(x)
    y, (_, c_n) = theirs(torch.from_numpy(x))
    y.backward(torch.from_numpy(dh))
    np.testing.assert_allclose(h, y.detach().numpy(), atol=1e-14)
    final = dict(zip(ours.states, tape.state, strict=True))
    np.testing.assert_allclose(final["1.backward.c"], c_n[3].detach().numpy(), atol=1e-14)
    found = tr.interop.gradients_to_torch(ours, ours.backward(dh, tape))
    for name, parameter in theirs.named_parameters():
        np.testing.assert_allclose(found[name], parameter.grad.numpy(), atol=1e-12, err_msg=name)
    ours.params["0.forward.W_h"][...] *= 0.5
    theirs.load_state_dict({name: torch.tensor(array) for name, array in tr.interop.to_torch(ours).items()})
    np.testing.assert_allclose(theirs(torch.from_numpy(x))[0].detach().numpy(), ours(x)[0], atol=1e-14)


def my_step(p, x, state):
    (h_prev,) = state
    h = np.tanh(x @ p["W_x"] + h_prev @ p["W_h"] + p["b"])
    return (h,), {"x": x, "h_prev": h_prev, "h": h}


def my_step_backward(p, cache, dstate):
    da = dstate[0] * (1 - cache["h"] ** 2)
    dparams = {"W_x": cache["x"].T @ da, "W_h": cache["h_prev"].T @ da, "b": da.sum(axis=0)}
    return da @ p["W_x"].T, (da @ p["W_h"].T,), dparams


def my_cell(n, H):
    rng = np.random.default_rng(0)
    params = {"W_x": 0.3 * rng.normal(size=(n, H)), "W_h": np.eye(H), "b": np.zeros(H)}
    return tr.StepCell(my_step, my_step_backward, params=params, input_size=n, state_sizes=H)


def test_a_cell_of_ones_own_is_checked_judged_and_trained_on_adding():
    cell = my_cell(2, 16)
    report = tr.gradcheck(cell)
    assert report and "<table>" in report._repr_html_()
    assert tr.lines(cell).ok
    model = tr.Model(cell, tr.Readout(16, 1, rng=0), loss="squared_error", at="last")
    task, opt = tr.tasks.Adding(steps=8), Adam(lr=0.01)
    losses = []
    for update in range(500):
        x, target, mask = task.batch(0, update, 32, "float64")
        out = model.gradients(x, target, mask)
        opt.step(model.params, tr.clipping.clip_by_norm(out.params, 1.0)[0])
        losses.append(out.loss)
    assert np.mean(losses[-20:]) < task.baseline / 2 < np.mean(losses[:5])


def test_the_jacobians_of_a_trained_model_plotted(tmp_path):
    model, opt, (x, target) = tr.Model(tr.LSTM(3, 5, rng=0), tr.Readout(5, 2, rng=1)), Adam(lr=0.02), data()
    for _ in range(20):
        opt.step(model, model.gradients(x, target))
    J = tr.analysis.jacobians.jacobians_through_time(model.layers, x[:, :1])
    norms = tr.analysis.jacobians.singular_values(J)[:, 0]
    assert norms.shape == (7,) and norms[-1] == 1
    of_c = tr.analysis.jacobians.state_slices(model.layers)["c"]
    h = 1e-6  # one column against a central difference
    state = (np.zeros((1, 5)), np.eye(5)[:1] * h)
    ends = [np.concatenate(model.layers(x[:, :1], (s * state[0], s * state[1]))[1].state, axis=1)[0] for s in (1, -1)]
    np.testing.assert_allclose(J[0][:, of_c][:, 0], (ends[0] - ends[1]) / (2 * h), atol=1e-8)
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().semilogy(norms)
    figure.savefig(tmp_path / "norms.png")
    assert (tmp_path / "norms.png").stat().st_size > 1000


def test_ragged_sequences_and_truncated_backpropagation_with_the_state_carried_on():
    """A mask, -100 and NaN for padding all mean the same; windows with .state carried are `truncate`."""
    model = tr.Model(tr.GRU(3, 5, rng=0), tr.Readout(5, 2, rng=1))
    x, target = data(T=8)
    mask = np.arange(8)[:, None] < np.array([8, 5, 3, 8, 1, 2, 7, 4])
    padded, ignored = np.where(mask[..., None], x, np.nan), np.where(mask, target, -100)
    one, other = model.gradients(x, target, mask), model.gradients(padded, ignored, mask)
    assert one.loss == other.loss and np.array_equal(one.params["layers.W_h"], other.params["layers.W_h"])
    by_target = model.gradients(x, ignored)  # GRU reads on, but what it says there does not count
    assert by_target.loss == pytest.approx(one.loss, rel=1e-12)

    whole = model.gradients(x, target, truncate=4)
    first = model.gradients(x[:4], target[:4])
    second = model.gradients(x[4:], target[4:], state=first.state)
    for name, gradient in whole.params.items():
        np.testing.assert_allclose((first.params[name] + second.params[name]) / 2, gradient, atol=1e-12)


# each guess by itself -------------------------------------------------------------------------------------------------

GUESSES = {
    # layers
    "tr.Stack([gru, tr.GRU(5, 4)])": WORKS,
    "tr.Stack([gru, gru])": "ValueError: Stack: layer 1 is the same object as one before it: give each its own weights",
    "tr.Stack(tr.GRU, tr.GRU)": "TypeError: Stack: layer 0 is the class GRU: write tr.GRU(…)",
    "tr.GRU(3, 5, num_layers=2)": "TypeError: GRU has no num_layers: write tr.Stack(tr.GRU(3, 5), tr.GRU(5, 5))",
    "tr.LSTM(3, 5, 2)": (
        "TypeError: LSTM takes 2 sizes, got 3; for several layers write tr.Stack(tr.LSTM(3, 5), tr.LSTM(5, 5))"
    ),
    "tr.GRU(3, 5, bidirectional=True)": (
        "TypeError: GRU has no bidirectional: write tr.Bidirectional(tr.GRU(3, 5), tr.GRU(3, 5))"
    ),
    "tr.Bidirectional(gru)": (
        "TypeError: Bidirectional takes two layers, for each direction has its own weights: "
        "write tr.Bidirectional(tr.GRU(3, 5), tr.GRU(3, 5))"
    ),
    "tr.GRU(3, 5, batch_first=True)": (
        "TypeError: GRU has no batch_first: arrays are time first, (T, B, n): x.swapaxes(0, 1) turns a batch-first one"
    ),
    "tr.GRU(3, 5, dropout=0.5)": (
        "TypeError: GRU has no dropout: it belongs to the whole network: "
        "tr.Model(…, dropout={'layers': 0.5}), and an rng for gradients(…)"
    ),
    "tr.Elman(3, 5, nonlinearity='relu')": (
        "TypeError: Elman has no nonlinearity: tr.Elman takes activation='tanh' or 'relu'"
    ),
    "tr.GRU(3, units=5)": "TypeError: GRU has no units: write hidden_size",
    "tr.GRU(3, 5, seed=0)": "TypeError: GRU has no seed: write rng, a number or a numpy.random.Generator",
    # passes
    "gru(x)": WORKS,
    "model(x)": WORKS,
    "gru(x, tape)": "ValueError: GRU: state must be a tuple of 1 arrays (h), got a Tape: give its .state",
    "gru(x, tape.state)": WORKS,
    "gru.backward(tape, h)": ("TypeError: GRU.backward(dh, tape): h, tape = forward(x) returned the tape; got ndarray"),
    "gru((10 * x).astype(int))": WORKS,
    "gru((10 * x[..., :2]).astype(int))": (
        "ValueError: GRU: class numbers must have shape (T, B), and features (T, B, 3), got int64 (6, 8, 2)"
    ),
    "gru(x[0])": "ValueError: GRU: x must have shape (T, B, 3), time first, got (8, 3)",
    "gru(x.tolist())": "TypeError: x must be a numpy array, got list: write numpy.asarray(x)",
    "dict(zip(stack.states, stack(x)[1].state))['1.h']": WORKS,
    # losses
    "model.gradients(x, np.where(target, target, -100))": WORKS,
    "model.gradients(x, np.eye(2)[target])": (
        "TypeError: target must be integer class numbers, got float64; of one-hot rows, write target.argmax(-1)"
    ),
    "model.gradients(x, target + 1)": (
        "ValueError: target has class 2, but 2 logits mean classes 0 to 1, and -100 what does not count"
    ),
    "tr.Model(gru, tr.Readout(5, 2), loss=tr.losses.squared_error)": WORKS,
    "tr.Model(gru, tr.Readout(5, 2), loss='mse')": (
        "ValueError: Model: unknown loss 'mse'; choose from cross_entropy, squared_error, mixture_density, "
        "or give a tr.losses.Loss"
    ),
    # optimisers
    "Adam(gru.params, lr=1e-3)": (
        "TypeError: Adam takes no parameters, its steps do: optimiser = Adam(lr=…); "
        "optimiser.step(network.params, gradients.params)"
    ),
    "Adam(1e-3).step(model, model.gradients(x, target))": WORKS,
    "Adam(1e-3).zero_grad()": (
        "AttributeError: Adam has no zero_grad: there is nothing to zero: every backward pass returns new gradients"
    ),
    # attributes
    "model.parameters()": (
        "AttributeError: Model has no parameters: its parameters are .params, a dict name -> array; "
        "tr.interop.to_torch(layers) has PyTorch's names and order"
    ),
    "model.train()": (
        "AttributeError: Model has no train: there are no modes: "
        "dropout is drawn where gradients(…, rng=…) gets a generator, and nowhere else"
    ),
    "model.fit(x, target)": (
        "AttributeError: Model has no fit: write the loop: "
        "out = model.gradients(x, target); optimiser.step(model.params, out.params)"
    ),
    "model.predict(x)": "AttributeError: Model has no predict: write y, tape = model.forward(x)",
    "gru.weight_hh_l0": (
        "AttributeError: GRU has no weight_hh_l0: its parameters are .params, a dict name -> array; "
        "tr.interop.to_torch(layers) has PyTorch's names and order"
    ),
    # files
    "tr.save(model, path)": WORKS,
    "tr.save(path, model)": WORKS,
    "tr.interop.save(model, path)": WORKS,
    "tr.save(path, model.params)": "TypeError: save(path, network): got a PosixPath and a mappingproxy",
    # names
    "tr.schedules.cosine(1e-3, 100)": WORKS,
    "tr.training.Trainer": WORKS,
    "tr.training.Settings(task='copy')": WORKS,
    "tr.training.run": "AttributeError: tinyrnn.training has no 'run'; it has Settings, Trainer",
}
OF_PYTORCH = {
    "tr.interop.from_torch(torch.nn.LSTM(3, 5, 2))": WORKS,
    "tr.interop.from_torch(torch.nn.LSTM(3, 5).state_dict())": WORKS,
    "tr.interop.from_torch(torch.nn.LSTMCell(3, 5))": WORKS,
    "tr.interop.from_torch(torch.nn.GRUCell(3, 5).state_dict())": WORKS,
    "tr.interop.from_torch(torch.nn.GRU(3, 5).bfloat16())": WORKS,
    "tr.interop.from_torch(whole, prefix='lstm')": WORKS,
    "tr.interop.from_torch(whole.state_dict(), prefix='lstm')": WORKS,
    "tr.interop.from_torch(whole.state_dict())": (
        "ValueError: from_torch: the state dict has more than one module's weights: write prefix='lstm'"
    ),
    "tr.interop.from_torch(gru, torch.nn.GRU(3, 5).state_dict())": (
        "TypeError: from_torch makes new layers and fills none: layers = from_torch(state_dict)"
    ),
    "gru(torch.ones(6, 8, 3))": "TypeError: x must be a numpy array, got torch.Tensor: write x.numpy(force=True)",
}


def world(tmp_path):
    """What the guesses are about."""
    (x, target), gru = data(), tr.GRU(3, 5, rng=0)
    h, tape = gru.forward(x)
    stack = tr.Stack(tr.LSTM(3, 5, rng=0), tr.GRU(5, 4, rng=1))
    model = tr.Model(gru, tr.Readout(5, 2, rng=1))
    named = {"x": x, "target": target, "gru": gru, "h": h, "tape": tape, "stack": stack, "model": model}
    return {"np": np, "tr": tr, "Adam": Adam, "path": tmp_path / "model.safetensors", **named}


def outcome(guess, known):
    try:
        eval(guess, known)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return WORKS


@pytest.mark.parametrize("guess", GUESSES)
def test_a_guess_works_or_gets_its_line(guess, tmp_path):
    assert outcome(guess, world(tmp_path)) == GUESSES[guess]


@pytest.mark.parametrize("guess", OF_PYTORCH)
def test_a_guess_about_pytorch_works_or_gets_its_line(guess, tmp_path):
    torch = pytest.importorskip("torch", reason="the guess is about PyTorch")
    whole = torch.nn.ModuleDict({"lstm": torch.nn.LSTM(3, 5), "readout": torch.nn.Linear(5, 2)})
    assert outcome(guess, {**world(tmp_path), "torch": torch, "whole": whole}) == OF_PYTORCH[guess]


def test_what_a_line_says_to_write_can_be_written(tmp_path):
    known, tried = world(tmp_path), 0
    for guess, line in GUESSES.items():
        if found := re.search(r"write (tr\..*\))$", line):
            if "…" not in found[1]:
                assert outcome(found[1], known) == WORKS, guess
                tried += 1
    assert tried == 4
