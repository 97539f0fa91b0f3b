"""What people from other frameworks write: it works where the wish is plain, else one line says what to write."""

import copy
import pickle

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.core import guesses
from tinyrnn.core.signatures import option_names
from tinyrnn.optim.optimisers import OPTIMISERS, SGD, Adam, RMSProp

X = np.random.default_rng(0).normal(size=(4, 2, 3))


@pytest.mark.parametrize("name", guesses.ARGUMENTS)
def test_every_argument_of_other_frameworks_gets_its_line_from_every_cell_that_has_it_not(name):
    for cls in {cls for cls, _ in tr.CELLS.values()}:
        if name in option_names(cls):
            continue
        with pytest.raises(TypeError, match=f"^{cls.__name__} has no {name}: ") as error:
            cls(3, 5, **{name: 2})
        assert "\n" not in str(error.value) and "{" not in str(error.value).replace("{'", "")


def evaluated(expression):
    return eval(expression, {"tr": tr})


@pytest.mark.parametrize(("layers", "both"), [(1, True), (2, False), (2, True), (3, False), (3, True)])
def test_the_layers_that_are_suggested_can_be_made_and_are_those_of_pytorch(layers, both):
    torch = pytest.importorskip("torch", reason="PyTorch says what its arguments mean")
    with pytest.raises(TypeError) as error:
        tr.GRU(3, 5, num_layers=layers, bidirectional=both)
    ours = evaluated(str(error.value).partition("write ")[2])
    theirs = torch.nn.GRU(3, 5, num_layers=layers, bidirectional=both).state_dict()
    assert {name: a.shape for name, a in tr.interop.to_torch(ours).items()} == {
        n: tuple(a.shape) for n, a in theirs.items()
    }


def test_sizes_that_are_not_known_are_named_and_many_layers_abbreviated():
    with pytest.raises(TypeError, match=r"write tr\.Stack\(tr\.LSTM\(3, hidden_size\), .*, …\)$"):
        tr.LSTM(input_size=3, num_layers=7)


def test_a_third_number_is_taken_for_layers():
    with pytest.raises(TypeError, match=r"^LSTM takes 2 sizes, got 3; for several layers write tr\.Stack\("):
        tr.LSTM(3, 5, 2)


def test_other_wrong_arguments_are_pythons_own_affair():
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        tr.GRU(3, 5, nonsense=1)


@pytest.mark.parametrize("network", [lambda: tr.LSTM(3, 5, rng=0), lambda: tr.Stack(tr.GRU(3, 5, rng=0))])
def test_calling_layers_is_forward(network):
    network = network()
    assert np.array_equal(network(X)[0], network.forward(X)[0])


@pytest.mark.parametrize("name", guesses.NETWORK)
def test_every_attribute_of_other_frameworks_gets_its_line(name):
    for network in (tr.GRU(3, 5), tr.Stack(tr.GRU(3, 5)), tr.Model(tr.GRU(3, 5), tr.Readout(5, 2))):
        with pytest.raises(AttributeError, match=f"^{network.name} has no {name}: ") as error:
            getattr(network, name)
        assert "\n" not in str(error.value) and not hasattr(network, name)


@pytest.mark.parametrize("name", guesses.OPTIMISER)
def test_optimisers_answer_too(name):
    with pytest.raises(AttributeError, match=f"^Adam has no {name}: "):
        getattr(Adam(), name)


class Failing(tr.Elman):
    """A cell one of whose properties does not work."""

    @property
    def output_size(self):
        return self.missing


def test_an_error_inside_of_a_property_is_not_hidden():
    with pytest.raises(AttributeError, match="'Failing' object has no attribute 'missing'"):
        print(Failing(3, 5).output_size)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda cell: pickle.loads(pickle.dumps(cell))])
def test_cells_and_optimisers_can_be_copied_and_sent(duplicate):
    cell, opt = tr.Stack(tr.LSTM(3, 5, rng=0, learn_state=True)), SGD(0.1, momentum=0.9)
    assert np.array_equal(duplicate(cell).forward(X)[0], cell.forward(X)[0])
    assert duplicate(opt).momentum == 0.9


@pytest.mark.parametrize("cls", OPTIMISERS.values(), ids=OPTIMISERS)
@pytest.mark.parametrize("given", [lambda c: c.params, lambda c: c, lambda c: iter(c.params.values())])
def test_an_optimiser_takes_no_parameters(cls, given):
    cell = tr.GRU(3, 5)
    for make in (lambda: cls(given(cell), lr=0.1), lambda: cls(given(cell)), lambda: cls(params=given(cell), lr=0.1)):
        with pytest.raises(TypeError, match=rf"^{cls.__name__} takes no parameters, its steps do: .*\.step\("):
            make()


def test_a_step_takes_a_network_and_its_gradients_as_they_are():
    one, other = (tr.Model(tr.GRU(3, 5, rng=0), tr.Readout(5, 2, rng=1)) for _ in range(2))
    target = np.zeros((4, 2), int)
    RMSProp().step(one, one.gradients(X, target))
    RMSProp().step(other.params, other.gradients(X, target).params)
    for name, value in one.params.items():
        assert np.array_equal(value, other.params[name])


def test_a_bidirectional_of_one_cell_is_told_to_take_two():
    with pytest.raises(TypeError, match="has its own weights: write ") as error:
        tr.Bidirectional(tr.GRU(3, 5))
    assert evaluated(str(error.value).partition("write ")[2]).output_size == 10


def test_a_list_of_layers_is_a_stack():
    cells = [tr.GRU(3, 5, rng=0), tr.LSTM(5, 4, rng=1)]
    assert tr.Stack(cells).layers == tr.Stack(*cells).layers == cells


@pytest.mark.parametrize(
    ("layers", "error", "message"),
    [
        (lambda gru: [[gru, gru]], ValueError, "^Stack: layer 1 is the same object as one before it"),
        (lambda gru: [tr.GRU], TypeError, r"^Stack: layer 0 is the class GRU: write tr\.GRU\(…\)"),
        (lambda gru: [gru, "lstm"], TypeError, "^Stack: layer 1 is a str, not a cell or layers"),
        (lambda gru: [[]], ValueError, "^Stack needs at least one layer"),
    ],
)
def test_what_is_no_pile_of_layers_is_refused(layers, error, message):
    with pytest.raises(error, match=message):
        tr.Stack(*layers(tr.GRU(5, 5)))


def test_two_directions_need_weights_of_their_own():
    gru = tr.GRU(5, 5)
    with pytest.raises(ValueError, match=r"^Bidirectional: layer 1 is the same object"):
        tr.Bidirectional(gru, gru)


@pytest.mark.parametrize("make", [lambda: tr.GRU(3, 5), lambda: tr.Stack(tr.GRU(3, 5))])
def test_a_tape_in_the_place_of_a_state_and_the_other_way_round(make):
    network = make()
    h, tape = network.forward(X)
    with pytest.raises(ValueError, match=r"state must be a .*got a \w*Tape: give its \.state$"):
        network.forward(X, tape)
    with pytest.raises(
        TypeError, match=r"\.backward\(dh, tape\): h, tape = forward\(x\) returned the tape; got ndarray$"
    ):
        network.backward(tape, h)


@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool"])
def test_whole_numbers_of_the_shape_of_features_are_features(dtype):
    x, cell = (X > 0).astype(dtype), tr.GRU(3, 5, rng=0)
    assert np.array_equal(cell.forward(x)[0], cell.forward(x.astype(float))[0])
    _, tape = tr.Stack(cell).forward(x)
    assert tr.Stack(cell).backward(np.ones((4, 2, 5)), tape).inputs.shape == x.shape


def test_one_hot_targets_are_told_what_to_write():
    model = tr.Model(tr.GRU(3, 5), tr.Readout(5, 2))
    with pytest.raises(TypeError, match=r"class numbers, got float64; of one-hot rows, write target\.argmax\(-1\)$"):
        model.gradients(X, np.ones((4, 2, 2)))


def test_a_flat_state_can_be_addressed_by_name():
    layers = tr.Stack(tr.Bidirectional(tr.LSTM(3, 5, rng=0), tr.LSTM(3, 5, rng=1)), tr.GRU(10, 4, rng=2))
    names = ("0.forward.h", "0.forward.c", "0.backward.h", "0.backward.c", "1.h")
    assert layers.states == names and tr.Model(layers, tr.Readout(4, 2)).states == names
    h, tape = layers.forward(X)
    final = dict(zip(layers.states, tape.state, strict=True))
    assert np.array_equal(final["1.h"], h[-1])
    assert np.array_equal(final["0.forward.c"], tape["0.forward.c"][-1])
    upstream = {"0.backward.h": np.ones((2, 5))}
    back = layers.backward(None, tape, tuple(upstream.get(name) for name in layers.states))
    assert [name for name, d in zip(layers.states, back.state, strict=True) if d.any()] == [
        "0.backward.h",
        "0.backward.c",
    ]
