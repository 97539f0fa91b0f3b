"""Weights to and from PyTorch: the same function on both sides, and back again to the bit."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.nn.interop import from_torch, gradients_to_torch, to_torch

MAKERS = {
    "tanh": lambda n, H, **o: tr.Elman(n, H, **o),
    "relu": lambda n, H, **o: tr.Elman(n, H, activation="relu", **o),
    "lstm": lambda n, H, **o: tr.LSTM(n, H, **o),
    "gru": lambda n, H, **o: tr.GRU(n, H, **o),
}
every_kind = pytest.mark.parametrize("kind", MAKERS)


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="compares with PyTorch: pip install 'tinyrnn[peers]'")


def network(kind, n=3, H=4, layers=1, directions=1, dtype="float64", seed=0):
    """Of one kind, every entry of every parameter drawn from N(0, 1/4)."""
    rng = np.random.default_rng(seed)
    built, size = [], n
    for _ in range(layers):
        cells = [MAKERS[kind](size, H, rng=0, dtype=dtype) for _ in range(directions)]
        built.append(tr.Bidirectional(*cells) if directions == 2 else cells[0])
        size = H * directions
    result = built[0] if layers == 1 else tr.Stack(*built)
    for value in result.params.values():
        value[...] = rng.normal(0, 0.5, value.shape)
    return result


def torch_module(torch, kind, n, H, layers, directions, **options):
    name = {"tanh": "RNN", "relu": "RNN"}.get(kind, kind.upper())
    options |= {"nonlinearity": kind} if name == "RNN" else {}
    return getattr(torch.nn, name)(
        n, H, num_layers=layers, bidirectional=directions == 2, dtype=torch.float64, **options
    )


def assert_same_function(torch, ours, module, T=5, B=3):
    """Outputs and final states agree, from non-zero initial states."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(T, B, ours.input_size))
    state = tuple(rng.normal(size=(B, size)) for size in ours.state_sizes)
    h, tape = ours.forward(x, state)
    parts = 2 if isinstance(module, torch.nn.LSTM) else 1  # torch stacks all layers' h, and all layers' c
    hx = [torch.from_numpy(np.stack(state[k::parts])) for k in range(parts)]
    y, final = module(torch.from_numpy(x), tuple(hx) if parts == 2 else hx[0])
    np.testing.assert_allclose(h, y.detach().numpy(), rtol=0, atol=1e-10)
    for k, theirs in enumerate(final if parts == 2 else [final]):
        np.testing.assert_allclose(np.stack(tape.state[k::parts]), theirs.detach().numpy(), rtol=0, atol=1e-10)


sizes = {
    "kind": st.sampled_from(sorted(MAKERS)),
    "n": st.integers(1, 5),
    "H": st.integers(1, 6),
    "layers": st.integers(1, 3),
    "directions": st.integers(1, 2),
}


@settings(max_examples=40)
@given(**sizes)
def test_pytorch_with_our_weights_computes_what_we_compute(torch, kind, n, H, layers, directions):
    ours = network(kind, n, H, layers, directions)
    module = torch_module(torch, kind, n, H, layers, directions)
    module.load_state_dict({name: torch.from_numpy(array) for name, array in to_torch(ours).items()})
    assert_same_function(torch, ours, module)


@settings(max_examples=40)
@given(**sizes, bias=st.booleans())
def test_we_with_pytorchs_weights_compute_what_pytorch_computes(torch, kind, n, H, layers, directions, bias):
    module = torch_module(torch, kind, n, H, layers, directions, bias=bias)
    nonlinearity = kind if kind == "relu" else "tanh"
    ours = from_torch(module.state_dict(), nonlinearity=nonlinearity)
    assert ours.dtype == np.float64
    assert_same_function(torch, ours, module)


def test_the_names_and_shapes_are_those_of_pytorchs_own_state_dict(torch):
    for kind in MAKERS:
        theirs = torch_module(torch, kind, 3, 4, 2, 2).state_dict()
        ours = to_torch(network(kind, 3, 4, 2, 2))
        assert {k: v.shape for k, v in ours.items()} == {k: tuple(v.shape) for k, v in theirs.items()}


@settings(max_examples=40)
@given(**sizes)
def test_there_and_back_again_changes_no_bit(kind, n, H, layers, directions):
    ours = network(kind, n, H, layers, directions, dtype="float32")
    back = from_torch(to_torch(ours), nonlinearity=kind if kind == "relu" else "tanh")
    assert repr(back) == repr(ours)
    assert back.params.keys() == ours.params.keys()
    for name, value in ours.params.items():
        assert back.params[name].dtype == np.float32
        assert np.array_equal(back.params[name], value), name


def test_what_to_torch_returns_are_copies():
    cell = network("lstm")
    before = {name: value.copy() for name, value in cell.params.items()}
    for array in to_torch(cell).values():
        array[...] = 7
    for name, value in before.items():
        assert np.array_equal(cell.params[name], value)


def test_what_from_torch_builds_does_not_share_the_tensors_memory(torch):
    module = torch_module(torch, "gru", 3, 4, 1, 1)
    before = module.bias_hh_l0.detach().numpy().copy()
    cell = from_torch(module.state_dict())
    for value in cell.params.values():
        value[...] = 7
    assert np.array_equal(module.bias_hh_l0.detach().numpy(), before)


def test_from_torch_reads_plain_arrays_and_leaves_them_as_they_were():
    arrays = to_torch(network("gru"))
    before = {name: value.copy() for name, value in arrays.items()}
    assert isinstance(from_torch(arrays), tr.GRU)
    for name, value in before.items():
        assert np.array_equal(arrays[name], value)


def test_an_irnn_is_a_relu_network_for_pytorch():
    back = from_torch(to_torch(tr.IRNN(2, 3, rng=0)), nonlinearity="relu")
    assert type(back) is tr.Elman and back.activation == "relu"


def test_from_torch_takes_the_dtype_it_is_told():
    assert from_torch(to_torch(network("lstm")), dtype="float32").dtype == np.float32


def test_the_package_does_not_import_torch():
    code = "import sys, tinyrnn; tinyrnn.nn.interop.from_torch(tinyrnn.nn.interop.to_torch(tinyrnn.LSTM(2, 3))); "
    subprocess.run([sys.executable, "-c", code + "assert 'torch' not in sys.modules"], check=True)


REFUSED = {
    "another activation": (lambda: tr.Elman(2, 3, activation="elu"), "no counterpart of Elman .elu."),
    "another cell": (lambda: tr.ChoGRU(2, 3), "no counterpart of ChoGRU"),
    "a subclass that computes something else": (lambda: tr.PeepholeLSTM(2, 3), "no counterpart of PeepholeLSTM"),
    "a readout": (lambda: tr.Readout(2, 3), "no counterpart of Readout"),
    "a whole model": (lambda: tr.Model(tr.LSTM(2, 3), tr.Readout(3, 1)), "no counterpart of Model"),
    "a stack in one direction": (
        lambda: tr.Bidirectional(tr.Stack(tr.LSTM(2, 3)), tr.Stack(tr.LSTM(2, 3))),
        "no counterpart of Stack",
    ),
    "different kinds": (lambda: tr.Stack(tr.LSTM(2, 3), tr.GRU(3, 3)), "layers or directions differ"),
    "different sizes": (lambda: tr.Stack(tr.LSTM(2, 3), tr.LSTM(3, 4)), "layers or directions differ"),
    "different activations": (
        lambda: tr.Bidirectional(tr.Elman(2, 3), tr.Elman(2, 3, activation="relu")),
        "layers or directions differ",
    ),
    "one layer in both directions, one in one": (
        lambda: tr.Stack(tr.Bidirectional(tr.GRU(2, 3), tr.GRU(2, 3)), tr.GRU(6, 3)),
        "layers or directions differ",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_to_torch_refuses_what_pytorch_has_not(case):
    make, message = REFUSED[case]
    with pytest.raises(TypeError, match=message) as error:
        to_torch(make())
    assert "an Elman (tanh or relu), LSTM or GRU" in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("option", [{"learn_state": True}, {"clip_state": 1.0}])
def test_to_torch_refuses_options_that_pytorch_would_ignore(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        to_torch(tr.LSTM(2, 3, **option))


def state_dict(change=lambda arrays: None, kind="lstm", **options):
    arrays = to_torch(network(kind, **options))
    change(arrays)
    return arrays


BAD_STATE_DICTS = {
    "projections": (lambda a: a.update(weight_hr_l0=np.zeros((2, 4))), "projections"),
    "a missing weight": (lambda a: a.pop("weight_hh_l1"), "lacks weight_hh_l1$"),
    "a missing bias": (lambda a: a.pop("bias_ih_l0"), "lacks bias_ih_l0$"),
    "a missing layer": (lambda a: [a.pop(k) for k in list(a) if "l0" in k], "lacks weight_ih_l0, weight_hh_l0"),
    "a missing direction": (lambda a: a.update(bias_ih_l1_reverse=np.zeros(16)), "lacks weight_ih_l0_reverse"),
    "another module's entry": (lambda a: a.update({"readout.weight": np.zeros(2)}), "'readout.weight'"),
    "nothing": (lambda a: a.clear(), "nothing"),
    "no known number of gates": (lambda a: a.update(weight_hh_l0=np.zeros((8, 4))), r"weight_hh_l0 .*\(8, 4\)"),
    "a vector for a matrix": (lambda a: a.update(weight_hh_l0=np.zeros(4)), r"weight_hh_l0 .*\(4,\)"),
    "no units": (lambda a: a.update(weight_hh_l0=np.zeros((0, 0))), "weight_ih_l0"),
    "a short bias": (lambda a: a.update(bias_hh_l0=np.zeros(15)), r"bias_hh_l0 must .*\(16,\) .*\(15,\)"),
    "another number of rows": (lambda a: a.update(weight_ih_l0=np.zeros((12, 3))), r"weight_ih_l0 must .*\(16, 3\)"),
    "layers that do not fit": (lambda a: a.update(weight_ih_l1=np.zeros((16, 5))), "layer 0 puts out 4"),
}


@pytest.mark.parametrize("case", BAD_STATE_DICTS)
def test_from_torch_says_in_one_line_what_is_wrong_with_a_state_dict(case):
    change, message = BAD_STATE_DICTS[case]
    with pytest.raises(ValueError, match=message) as error:
        from_torch(state_dict(change, layers=2))
    assert "\n" not in str(error.value)


def test_from_torch_refuses_weights_of_another_kind_than_named():
    with pytest.raises(ValueError, match=r"weight_ih_l0 must have shape \(12, 3\) in a GRU of 4 units"):
        from_torch(state_dict(), kind="gru")


@pytest.mark.parametrize("wrong", [{"kind": "transformer"}, {"nonlinearity": "elu"}])
def test_from_torch_refuses_unknown_kinds_and_nonlinearities(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        from_torch(state_dict(), **wrong)


def test_from_torch_refuses_a_real_projected_lstm(torch):
    with pytest.raises(ValueError, match="proj_size"):
        from_torch(torch.nn.LSTM(3, 4, proj_size=2).state_dict())


# gradients, modules, cells, and what people try -----------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(
    kind=st.sampled_from(list(MAKERS)),
    layers=st.integers(1, 3),
    directions=st.integers(1, 2),
    seed=st.integers(0, 1000),
)
def test_gradients_are_those_that_pytorch_leaves_in_its_parameters(torch, kind, layers, directions, seed):
    ours = network(kind, layers=layers, directions=directions, seed=seed)
    module = torch_module(torch, kind, 3, 4, layers, directions)
    module.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in to_torch(ours).items()})
    rng = np.random.default_rng(seed)
    x, dh = rng.normal(size=(5, 2, 3)), rng.normal(size=(5, 2, 4 * directions))
    _, tape = ours.forward(x)
    module(torch.from_numpy(x))[0].backward(torch.from_numpy(dh))
    found = gradients_to_torch(ours, ours.backward(dh, tape))
    theirs = {name: parameter.grad.numpy() for name, parameter in module.named_parameters()}
    assert found.keys() == theirs.keys()
    for name, gradient in theirs.items():
        np.testing.assert_allclose(found[name], gradient, atol=1e-12, err_msg=name)


def test_gradients_of_a_models_layers_are_had_from_its_loss_gradients():
    model = tr.Model(network("gru"), tr.Readout(4, 2, rng=0))
    out = model.gradients(np.ones((3, 2, 3)), np.zeros((3, 2), int))
    found = gradients_to_torch(model.layers, out.layers)
    assert np.array_equal(found["weight_ih_l0"][:4].T, out.params["layers.W_x"][:, :4])
    with pytest.raises(ValueError, match=r"the gradients are of layers\.W_x, .*not of W_x"):
        gradients_to_torch(model.layers, out)


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_a_module_says_what_its_state_dict_says(torch, name):
    module = getattr(torch.nn, name)(3, 4, num_layers=2, bidirectional=True, dtype=torch.float64)
    assert_same_function(torch, from_torch(module), module)


@pytest.mark.parametrize("place", ["rnn", "encoder.rnn"])
def test_a_module_inside_another_is_found_by_its_prefix_and_keeps_its_nonlinearity(torch, place):
    inner = torch.nn.RNN(3, 4, nonlinearity="relu", dtype=torch.float64)
    outer = torch.nn.ModuleDict({"rnn": inner})
    outer = torch.nn.ModuleDict({"encoder": outer} if "." in place else outer)
    outer["readout"] = torch.nn.Linear(4, 2)
    for prefix in (place, f"{place}."):
        assert_same_function(torch, from_torch(outer, prefix=prefix), inner)
        assert_same_function(torch, from_torch(outer.state_dict(), prefix=prefix, nonlinearity="relu"), inner)
    with pytest.raises(ValueError, match=f"more than one module's weights: write prefix='{place}'$"):
        from_torch(outer.state_dict())
    with pytest.raises(ValueError, match="nothing under 'decoder'"):
        from_torch(outer.state_dict(), prefix="decoder")


def test_a_prefix_that_all_names_share_need_not_be_given(torch):
    module = torch.nn.DataParallel(torch.nn.RNN(3, 4, nonlinearity="relu", dtype=torch.float64))
    assert_same_function(torch, from_torch(module), module.module)


@pytest.mark.parametrize("name", ["RNNCell", "LSTMCell", "GRUCell"])
@pytest.mark.parametrize("bias", [True, False])
def test_a_cell_of_pytorch_becomes_a_cell(torch, name, bias):
    theirs = getattr(torch.nn, name)(3, 4, bias=bias, dtype=torch.float64)
    ours, x = from_torch(theirs.state_dict()), np.random.default_rng(0).normal(size=(1, 2, 3))
    h = theirs(torch.from_numpy(x[0]))
    h = h[0] if name == "LSTMCell" else h
    np.testing.assert_allclose(ours.forward(x)[0][0], h.detach().numpy(), atol=1e-12)


def test_bfloat16_becomes_float32_to_the_bit(torch):
    module = torch.nn.GRU(3, 4, dtype=torch.bfloat16)
    ours = from_torch(module)
    assert ours.dtype == np.float32
    assert np.array_equal(to_torch(ours)["weight_ih_l0"], module.weight_ih_l0.detach().float().numpy())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (lambda: (tr.GRU(3, 4), {"weight_ih_l0": np.zeros((12, 3))}), "from_torch makes new layers and fills none"),
        (lambda: ([1, 2],), "takes a state dict or a module of PyTorch's, got a list$"),
        (lambda: ("weights.pt",), "got 'weights.pt'$"),
    ],
)
def test_what_is_no_state_dict_is_said_without_printing_it(arguments, message):
    with pytest.raises(TypeError, match=message) as error:
        from_torch(*arguments())
    assert len(str(error.value)) < 100
