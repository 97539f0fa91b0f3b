"""What is particular to each cell: its equations, its initial weights, and the numbers the papers promise of it."""

import textwrap

import numpy as np
import pytest
from contract import Case, assert_same, assert_slopes, run
from references import follows_its_equations

import tinyrnn as tr
from tinyrnn.cells import CELLS
from tinyrnn.core import cell as cell_module
from tinyrnn.tasks.adding import Adding


@pytest.mark.parametrize("T", [1, 5])
@pytest.mark.parametrize("cell", CELLS)
def test_forward_pass_follows_the_equations_as_printed(cell, T):
    follows_its_equations(Case(cell, T=T))


def size(*parts):
    return sum(value.size for part in parts for value in part.params.values())


@pytest.mark.parametrize(
    ("cell", "options", "sizes", "count"),
    [
        # Arjovsky, Shah & Bengio 2015, draft: copy with 32 units (uRNN 128)
        (tr.Elman, {}, (10, 32, 9), 1705),
        (tr.PeepholeLSTM, {"peepholes": "output-matrix"}, (10, 32, 9), 6889),
        (tr.UnitaryRNN, {}, (10, 128, 9), 6153),
        # published: copy with 80, 40 and 128
        (tr.Elman, {}, (10, 80, 9), 8089),
        (tr.PeepholeLSTM, {"peepholes": "output-matrix"}, (10, 40, 9), 10209),
        # adding with 128 (uRNN 512)
        (tr.Elman, {}, (2, 128, 1), 17025),
        (tr.PeepholeLSTM, {"peepholes": "output-matrix"}, (2, 128, 1), 83841),
        (tr.LSTM, {}, (2, 128, 1), 67457),
        (tr.UnitaryRNN, {}, (2, 512, 1), 8193),
    ],
)
def test_networks_of_the_unitary_paper_have_this_many_parameters(cell, options, sizes, count):
    n, hidden, out = sizes
    layer = cell(n, hidden, learn_state=True, rng=0, **options)
    assert size(layer, tr.Readout(layer.output_size, out, rng=0)) == count


# the linear network ---------------------------------------------------------------------------------------------------


def test_the_papers_weights_solve_the_adding_task():
    """U = [1; 1], b = -1, V = 1 with ReLU (Henaff, Szlam & LeCun 2016) adds what is marked."""
    batch = Adding(steps=750).sample(0, 1000, "float64")
    cell = tr.LinearRNN(2, 1, activation="relu", rng=0)
    for name, value in (("U", 1), ("b", -1), ("V", 1)):
        cell.params[name][...] = value
    h, _ = cell.forward(batch.x)
    error = abs(h[-1] - batch.target)
    assert error.max() <= 2**-52  # v + 1 - 1 loses v's last bit


def test_transition_of_lt_ornn_starts_orthogonal_and_of_lt_irnn_as_identity():
    V = tr.LinearRNN(3, 20, rng=0).params["V"]
    np.testing.assert_allclose(V @ V.T, np.eye(20), atol=1e-13)
    assert abs(V - np.eye(20)).max() > 0.1
    np.testing.assert_array_equal(tr.LinearRNN(3, 20, transition="identity", rng=0).params["V"], np.eye(20))


def test_lt_ornn_keeps_the_norm_of_state_and_gradient():
    cell = tr.LinearRNN(1, 20, rng=0)
    rng = np.random.default_rng(0)
    h_0, dh_T = rng.normal(size=(2, 3, 20))
    _, tape = cell.forward(np.zeros((500, 3, 1)), (h_0,))
    back = cell.backward(None, tape, (dh_T,))
    np.testing.assert_allclose(np.linalg.norm(tape.state[0], axis=1), np.linalg.norm(h_0, axis=1), rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(back.state[0], axis=1), np.linalg.norm(dh_T, axis=1), rtol=1e-12)


# gated and plain networks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", [tr.LSTM, tr.PeepholeLSTM])
def test_an_lstm_with_open_forget_gate_and_closed_others_is_a_perfect_memory(cell):
    """f = 1 and i = o = 0: dc_T / dc_0 is the identity, to the bit, over 50 steps."""
    n = 6
    lstm = cell(2, n, rng=0)
    for k, bias in enumerate((-100, 100, -100)):  # i, f, o; the tanh in sigmoid is saturated
        lstm.params["b"][k * n : (k + 1) * n] = bias
    rng = np.random.default_rng(0)
    c_0 = rng.normal(size=(n, n))
    _, tape = lstm.forward(rng.normal(size=(50, n, 2)), (np.zeros((n, n)), c_0))
    back = lstm.backward(None, tape, (None, np.eye(n)))
    np.testing.assert_array_equal(tape.state[1], c_0)
    np.testing.assert_array_equal(back.state[1], np.eye(n))


@pytest.mark.parametrize("cell", [tr.LSTM, tr.PeepholeLSTM])
def test_forget_bias_is_an_initial_value_of_the_forget_gate_alone(cell):
    np.testing.assert_array_equal(cell(2, 3, rng=0).params["b"], [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(cell(2, 3, rng=0, forget_bias=-2.5).params["b"][3:6], [-2.5] * 3)
    assert not cell(2, 3, rng=0, forget_bias=0).params["b"].any()


def test_peepholes_at_zero_make_a_plain_lstm():
    plain, peephole = tr.LSTM(2, 4, rng=0), tr.PeepholeLSTM(2, 4, rng=0)
    assert {name: value.shape for name, value in peephole.params.items() if name[0] == "p"} == {
        name: (4,) for name in ("p_i", "p_f", "p_o")
    }
    assert not any(peephole.params[name].any() for name in ("p_i", "p_f", "p_o"))
    probe = Case("lstm").probe(plain)
    wanted = run(plain, probe)
    assert_same(run(peephole, probe), wanted, 1e-14, only=wanted)


def test_irnn_starts_as_identity():
    cell = tr.IRNN(2, 5, rng=0)
    assert cell.activation == "relu" and not cell.params["b"].any()
    np.testing.assert_array_equal(cell.params["W_h"], np.eye(5))
    np.testing.assert_array_equal(tr.IRNN(2, 5, scale=0.01, rng=0).params["W_h"], 0.01 * np.eye(5))


def test_a_gru_with_z_at_one_keeps_its_state():
    for cell in (tr.GRU(2, 4, rng=0), tr.ChoGRU(2, 4, rng=0)):
        cell.params["b"][4:8] = 100
        h_0 = np.random.default_rng(0).normal(size=(3, 4))
        h, _ = cell.forward(np.ones((9, 3, 2)), (h_0,))
        np.testing.assert_array_equal(h[-1], h_0)


def test_the_two_grus_differ():
    ours, chos = tr.GRU(2, 4, rng=0), tr.ChoGRU(2, 4, rng=0)
    chos.params["W_x"][...] = ours.params["W_x"]
    chos.params["W_rz"][...], chos.params["W_n"][...] = np.split(ours.params["W_h"], [8], axis=1)
    x = np.ones((3, 1, 2))
    (one, _), (other, _) = ours.forward(x), chos.forward(x)
    np.testing.assert_allclose(one[0], other[0], rtol=1e-14)  # from a zero state there is nothing to reset
    assert abs(one[2] - other[2]).max() > 1e-4


# what all cells share -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CELLS)
def test_weights_depend_on_the_seed_alone(name):
    cls, options = CELLS[name]
    one, two, other = (cls(3, 4, rng=rng, **options) for rng in (7, np.random.default_rng(7), 8))
    assert all(np.array_equal(one.params[key], two.params[key]) for key in one.params)
    assert all(np.array_equal(one.constants[key], two.constants[key]) for key in one.constants)
    assert not all(np.array_equal(one.params[key], other.params[key]) for key in one.params)


@pytest.mark.parametrize("name", CELLS)
def test_float32_weights_are_the_float64_ones_rounded(name):
    cls, options = CELLS[name]
    large, small = cls(3, 4, rng=7, **options), cls(3, 4, rng=7, dtype="float32", **options)
    assert small.dtype == np.float32 and list(small.params) == list(large.params)
    for key, value in large.params.items():
        assert small.params[key].dtype == np.float32
        np.testing.assert_array_equal(small.params[key], value.astype("float32"))


def test_the_worked_cell_of_the_documentation_works():
    source = cell_module.__doc__.split("the rate r fixed):")[1].split("Put it in a file")[0]
    namespace = {}
    modules = ("tinyrnn.core.cell", "tinyrnn.core.ops", "tinyrnn.init.distributions")
    imports = "".join(f"from {module} import *\n" for module in modules) + "import numpy as np\n"
    exec(imports + textwrap.dedent(source), namespace)
    cell, case = namespace["Leaky"](2, 4, rng=0), Case("elman", masked=True)
    cell.params["b"] += 0.3
    assert_slopes(case, cell, case.probe(cell))


def test_parameters_can_be_read_as_attributes():
    params = tr.LSTM(2, 4, rng=0).params
    assert params.W_h is params["W_h"]
    with pytest.raises(AttributeError, match="no parameter 'V'; there are W_x, W_h, b"):
        params.V  # noqa: B018


@pytest.mark.parametrize("method", ["init", "project", "step", "step_backward", "gradients"])
def test_a_cell_that_lacks_a_method_is_told_which(method):
    methods = {"init": lambda self, rng: {"W": np.ones((2, 4))}, "project": lambda self, p, x: x @ p.W}
    methods |= {"step": lambda self, p, a, h: ((h + a,), {}), "step_backward": lambda self, p, dh: (dh, (dh,))}
    methods |= {"gradients": lambda self, p, x, da: (None, {"W": p.W})}
    complete = type("Mine", (tr.Cell,), methods)
    lacking = type("Mine", (tr.Cell,), {name: f for name, f in methods.items() if name != method})

    def use(cls):
        cell = cls(2, 4)
        h, tape = cell.forward(np.ones((3, 1, 2)))
        cell.backward(h, tape)

    use(complete)
    with pytest.raises(NotImplementedError, match=f"^Mine does not define {method}$"):
        use(lacking)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: tr.GRU(0, 4), "GRU: input_size must be a positive integer, got 0"),
        (lambda: tr.GRU(2, -1), "GRU: hidden_size must be a positive integer, got -1"),
        (lambda: tr.GRU(2, 4.0), "GRU: hidden_size must be a positive integer, got 4.0"),
        (lambda: tr.GRU(2, 4, dtype="int32"), "GRU: dtype must be a real floating type, got 'int32'"),
        (lambda: tr.GRU(2, 4, dtype="complex128"), "GRU: dtype must be a real floating type, got 'complex128'"),
        (lambda: tr.GRU(2, 4, clip_state=0), "GRU: clip_state must be a positive norm, got 0"),
        (
            lambda: tr.Elman(2, 4, activation="swish"),
            "unknown activation 'swish'; choose from tanh, relu, elu, identity",
        ),
        (
            lambda: tr.LinearRNN(2, 4, transition="random"),
            'transition must be "orthogonal" or "identity", got \'random\'',
        ),
        (
            lambda: tr.PeepholeLSTM(2, 4, peepholes="all"),
            'peepholes must be "diagonal" or "output-matrix", got \'all\'',
        ),
    ],
)
def test_impossible_cells_are_refused_in_one_line(wrong, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        wrong()


def test_cells_print_their_sizes():
    assert repr(tr.LSTM(3, 5, rng=0, dtype="float32")) == "LSTM(3 -> 5, float32)"
