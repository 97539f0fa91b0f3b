"""The optimisers: many steps against PyTorch and against the formulas worked out here, saved state, errors."""

import numpy as np
import pytest

from tinyrnn.optim.optimisers import OPTIMISERS, SGD, Adam, RMSProp

# Two parameters of one shape: an optimiser that mixes up their memories would pass with different shapes.
SHAPES = {"W_h": (4, 4), "W_x": (4, 4), "b": (4,), "scale": ()}

SETTINGS = {
    "sgd": lambda: SGD(0.1),
    "momentum": lambda: SGD(0.1, momentum=0.9),
    "nesterov": lambda: SGD(0.1, momentum=0.9, nesterov=True),
    "rmsprop, arjovsky": lambda: RMSProp(0.01),
    "rmsprop, keras": lambda: RMSProp(0.01, variant="keras"),
    "rmsprop, torch": lambda: RMSProp(0.01, variant="torch"),
    "adam": lambda: Adam(0.01),
}
every_setting = pytest.mark.parametrize("setting", SETTINGS)


def arrays(seed, dtype="float64"):
    rng = np.random.default_rng(seed)
    return {name: np.asarray(rng.normal(size=shape), dtype) for name, shape in SHAPES.items()}


def run(opt, params, steps, start=0):
    for seed in range(start, start + steps):
        opt.step(params, arrays(1000 + seed, next(iter(params.values())).dtype))


def equal(one, other):
    return one.keys() == other.keys() and all(
        one[k].dtype == other[k].dtype and np.array_equal(one[k], other[k]) for k in one
    )


@pytest.mark.few(5)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda: SGD(0.1), ("SGD", {"lr": 0.1})),
        (lambda: SGD(0.1, momentum=0.9), ("SGD", {"lr": 0.1, "momentum": 0.9})),
        (
            lambda: SGD(0.1, momentum=0.8, nesterov=True),
            ("SGD", {"lr": 0.1, "momentum": 0.8, "nesterov": True}),
        ),
        (lambda: RMSProp(0.01, variant="torch"), ("RMSprop", {"lr": 0.01})),
        (
            lambda: RMSProp(0.01, variant="keras", rho=0.7, eps=0.01),
            ("RMSprop", {"lr": 0.01, "alpha": 0.7, "eps": 0.01}),
        ),
        (lambda: Adam(0.01), ("Adam", {"lr": 0.01})),
        (
            lambda: SGD(0.1, momentum=0.9, weight_decay=0.03),
            ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.03}),
        ),
        (
            lambda: RMSProp(0.01, variant="torch", weight_decay=0.03),
            ("RMSprop", {"lr": 0.01, "weight_decay": 0.03}),
        ),
        (lambda: Adam(0.01, weight_decay=0.03), ("Adam", {"lr": 0.01, "weight_decay": 0.03})),
        # with a large ε it matters that it is outside the root
        (
            lambda: Adam(0.01, beta1=0.6, beta2=0.7, eps=0.01),
            ("Adam", {"lr": 0.01, "betas": (0.6, 0.7), "eps": 0.01}),
        ),
    ],
)
def test_twenty_steps_equal_pytorch(ours, theirs):
    torch = pytest.importorskip("torch", reason="PyTorch is the reference here")
    params, opt = arrays(0), ours()
    peers = {name: torch.tensor(p, requires_grad=True) for name, p in params.items()}
    peer = getattr(torch.optim, theirs[0])(list(peers.values()), **theirs[1])
    for step in range(20):
        rate = opt.lr / (1 + step)
        grads = arrays(1000 + step)
        opt.step(params, grads, lr=rate)
        peer.param_groups[0]["lr"] = rate
        for name, p in peers.items():
            p.grad = torch.tensor(grads[name])
        peer.step()
        for name, p in peers.items():
            np.testing.assert_allclose(params[name], p.detach().numpy(), rtol=1e-12, atol=1e-12)


def by_hand_sgd(p, v, g, t, lr):
    return p - lr * g, v


def by_hand_momentum(p, v, g, t, lr):
    v = 0.9 * v + g
    return p - lr * v, v


def by_hand_nesterov(p, v, g, t, lr):
    v = 0.9 * v + g
    return p - lr * (g + 0.9 * v), v


def by_hand_rmsprop(p, v, g, t, lr):
    v = 0.99 * v + 0.01 * g * g
    return p - lr * g / (v**0.5 + 1e-8), v


def by_hand_adam(p, memory, g, t, lr):
    m, v = memory or (0.0, 0.0)
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p - lr * (m / (1 - 0.9**t)) / ((v / (1 - 0.999**t)) ** 0.5 + 1e-8), (m, v)


@pytest.mark.parametrize(
    ("setting", "formula"),
    [
        ("sgd", by_hand_sgd),
        ("momentum", by_hand_momentum),
        ("nesterov", by_hand_nesterov),
        ("rmsprop, torch", by_hand_rmsprop),
        ("adam", by_hand_adam),
    ],
)
def test_steps_with_changing_rates_follow_the_formulas(setting, formula):
    opt, params, p, memory = SETTINGS[setting](), {"w": np.array(0.7)}, 0.7, 0.0
    for t, g in enumerate([0.3, -0.2, 0.5, 0.0, 1e-8, 2.0], start=1):
        p, memory = formula(p, memory, g, t, lr=0.1 / t)
        opt.step(params, {"w": np.array(g)}, lr=0.1 / t)
        assert params["w"] == pytest.approx(p, rel=1e-12)


def test_learning_rate_is_the_optimisers_own_unless_given():
    own, given = arrays(0), arrays(0)
    SGD(0.25).step(own, arrays(1))
    SGD(99).step(given, arrays(1), lr=0.25)
    assert equal(own, given)


def test_arjovsky_rmsprop_starts_its_average_at_a_thousandth_and_has_no_epsilon():
    params, opt = {"w": np.array([1.0, -2.0])}, RMSProp(0.001)
    opt.step(params, {"w": np.array([0.3, -0.1])})
    # v = 0.9 · 0.001 + 0.1 · g² = 0.0099, 0.0019
    first = [1 - 0.001 * 0.3 / 0.0099**0.5, -2 + 0.001 * 0.1 / 0.0019**0.5]
    np.testing.assert_allclose(params["w"], first, rtol=1e-15)
    opt.step(params, {"w": np.array([0.0, 0.2])})
    # v = 0.9 · (0.0099, 0.0019) + 0.1 · (0, 0.04) = 0.00891, 0.00571
    np.testing.assert_allclose(params["w"], [first[0], first[1] - 0.001 * 0.2 / 0.00571**0.5], rtol=1e-15)
    opt.step(params, {"w": np.array([-1.0, 0.2])})
    # v = 0.9 · (0.00891, 0.00571) + 0.1 · (1, 0.04) = 0.108019, 0.009139
    third = [
        first[0] + 0.001 / 0.108019**0.5,
        first[1] - 0.001 * 0.2 / 0.00571**0.5 - 0.001 * 0.2 / 0.009139**0.5,
    ]
    np.testing.assert_allclose(params["w"], third, rtol=1e-15)


def test_keras_rmsprop_starts_at_zero_with_epsilon_outside_the_root():
    p, v, grads = 0.5, 0.0, [1e-7, -3e-7, 2e-7, 0.0]  # of ε's size, so that its place matters
    params, opt = {"w": np.array([p])}, RMSProp(0.01, variant="keras")
    for g in grads:
        v = 0.9 * v + 0.1 * g**2
        p = p - 0.01 * g / (v**0.5 + 1e-7)
        opt.step(params, {"w": np.array([g])})
        np.testing.assert_allclose(params["w"], [p], rtol=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("start", [{}, {"rho": 0.4}, {"initial": 0}])
def test_rmsprop_without_epsilon_survives_a_unit_that_is_silent_for_long(start, dtype):
    opt, params = RMSProp(1e-3, **start), {"w": np.ones(2, dtype)}
    for _ in range(1000):  # 0.4^1000 is below the smallest float64
        opt.step(params, {"w": np.zeros(2, dtype)})
    np.testing.assert_array_equal(params["w"], 1)
    opt.step(params, {"w": np.array([0, 0.5], dtype)})
    np.testing.assert_allclose(params["w"], [1, 1 - 1e-3 / (1 - opt.rho) ** 0.5], rtol=1e-6)


def test_first_adam_step_has_the_size_of_the_learning_rate():
    params = {"w": np.zeros(3)}
    Adam(0.01, eps=1e-12).step(params, {"w": np.array([5.0, -1e-3, 0.0])})
    np.testing.assert_allclose(params["w"], [-0.01, 0.01, 0], rtol=1e-8)


@every_setting
def test_parameters_of_one_shape_keep_their_memories_apart(setting):
    together = arrays(0)
    run(SETTINGS[setting](), together, 5)
    for name in SHAPES:
        opt, alone = SETTINGS[setting](), {name: arrays(0)[name]}
        for seed in range(5):
            opt.step(alone, {name: arrays(1000 + seed)[name]})
        np.testing.assert_array_equal(alone[name], together[name])


@every_setting
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_parameters_are_updated_in_place_and_keep_their_dtype(setting, dtype):
    params, opt = arrays(0, dtype), SETTINGS[setting]()
    same = dict(params)
    before = {name: p.copy() for name, p in params.items()}
    run(opt, params, 3)
    for name, p in params.items():
        assert p is same[name]
        assert p.dtype == dtype
        assert (p != before[name]).all()
    state = opt.state_dict()
    assert {a.dtype for k, a in state.items() if "/" in k} <= {np.dtype(dtype)}


@every_setting
def test_rates_that_are_numpy_scalars_do_not_turn_the_arithmetic_into_float64(setting):
    params, expected = arrays(0, "float32"), arrays(0, "float32")
    SETTINGS[setting]().step(params, arrays(1, "float32"), lr=np.float64(0.01))
    SETTINGS[setting]().step(expected, arrays(1, "float32"), lr=0.01)
    assert equal(params, expected)


@every_setting
def test_gradients_are_never_modified(setting):
    params, grads, opt = arrays(0), arrays(1), SETTINGS[setting]()
    before = {name: g.copy() for name, g in grads.items()}
    for _ in range(3):
        opt.step(params, grads)
    assert equal(grads, before)


@every_setting
def test_gradient_of_another_precision_does_not_change_the_parameters_dtype(setting):
    params, expected = arrays(0, "float32"), arrays(0, "float32")
    SETTINGS[setting]().step(params, arrays(1, "float64"))
    SETTINGS[setting]().step(expected, arrays(1, "float32"))
    assert equal(params, expected)


@every_setting
def test_zero_gradient_from_the_start_moves_nothing(setting):
    params, opt = arrays(0), SETTINGS[setting]()
    for _ in range(3):
        opt.step(params, {name: np.zeros(shape) for name, shape in SHAPES.items()})
    assert equal(params, arrays(0))


@every_setting
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("stop", [0, 3])
def test_going_on_from_a_saved_state_is_bit_for_bit_as_if_never_stopped(setting, dtype, stop, tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy", reason="checkpoints are safetensors files")
    straight, opt = arrays(0, dtype), SETTINGS[setting]()
    run(opt, straight, stop + 4)

    resumed, first = arrays(0, dtype), SETTINGS[setting]()
    run(first, resumed, stop)
    safetensors.save_file(first.state_dict(), tmp_path / "optimiser.safetensors")
    run(first, {name: p.copy() for name, p in resumed.items()}, 2, start=50)  # must not reach what was saved
    second = SETTINGS[setting]()
    second.load_state_dict(safetensors.load_file(tmp_path / "optimiser.safetensors"))
    run(second, resumed, 4, start=stop)

    assert equal(resumed, straight)
    assert equal(second.state_dict(), opt.state_dict())


@every_setting
def test_saved_and_loaded_states_are_copies(setting):
    params, opt = arrays(0), SETTINGS[setting]()
    run(opt, params, 2)
    saved = opt.state_dict()
    kept = {name: a.copy() for name, a in saved.items()}
    other = SETTINGS[setting]()
    other.load_state_dict(saved)
    run(opt, params, 1)
    run(other, params, 1)
    assert equal(saved, kept)


def test_state_has_flat_names():
    params, opt = arrays(0), Adam()
    run(opt, params, 3)
    state = opt.state_dict()
    assert set(state) == {"adam.t"} | {f"adam.{slot}/{name}" for slot in "mv" for name in SHAPES}
    assert state["adam.t"] == 3 and state["adam.t"].dtype == np.int64


def test_a_parameter_name_may_contain_a_slash():
    params, opt = {"layers/0.W": np.ones(2)}, Adam(0.1)
    opt.step(params, {"layers/0.W": np.ones(2)})
    other = Adam(0.1)
    other.load_state_dict(opt.state_dict())
    assert equal(other.state_dict(), opt.state_dict())


@every_setting
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda p, g: g.pop("b"), ValueError, "'b' is a parameter without a gradient"),
        (lambda p, g: p.pop("b"), ValueError, "'b' is a gradient without a parameter"),
        (lambda p, g: g.update(b=np.ones((1, 4))), ValueError, r"gradient of 'b' has shape \(1, 4\)"),
        (lambda p, g: g.update(b=np.ones(1)), ValueError, r"gradient of 'b' has shape \(1,\)"),
        (lambda p, g: g.update(b=np.ones(4, complex)), TypeError, "'b' and its gradient must be floats"),
        (lambda p, g: p.update(b=np.ones(4, int)), TypeError, "'b' and its gradient must be floats"),
        (lambda p, g: g.update(b=[1.0] * 4), TypeError, "expected a NumPy or CuPy array"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_changes(setting, change, error, message):
    params, opt = arrays(0), SETTINGS[setting]()
    run(opt, params, 1)
    state, before = opt.state_dict(), {name: p.copy() for name, p in params.items()}
    wrong, grads = dict(params), arrays(1)
    change(wrong, grads)
    with pytest.raises(error, match=message):
        opt.step(wrong, grads)
    assert equal(params, before)
    assert equal(opt.state_dict(), state)


@pytest.mark.parametrize("setting", [s for s in SETTINGS if s != "sgd"])
def test_an_optimiser_stays_with_its_parameters(setting):
    opt = SETTINGS[setting]()
    run(opt, arrays(0), 1)
    with pytest.raises(ValueError, match="'c' is only in the parameters"):
        opt.step(arrays(0) | {"c": np.ones(2)}, arrays(1) | {"c": np.ones(2)})
    with pytest.raises(ValueError, match=r"'b' is float64 \(5,\)"):
        opt.step(arrays(0) | {"b": np.ones(5)}, arrays(1) | {"b": np.ones(5)})
    with pytest.raises(ValueError, match="float32"):
        opt.step(arrays(0, "float32"), arrays(1, "float32"))


def test_state_of_another_kind_or_with_holes_is_refused():
    params, opt = arrays(0), Adam()
    run(opt, params, 2)
    state = opt.state_dict()
    with pytest.raises(ValueError, match="no state of rmsprop"):
        RMSProp().load_state_dict(state)
    with pytest.raises(ValueError, match="incomplete"):
        Adam().load_state_dict({k: a for k, a in state.items() if k != "adam.v/b"})
    with pytest.raises(ValueError, match=r"adam\.w/b"):
        Adam().load_state_dict(state | {"adam.w/b": np.ones(4)})
    run(momentum := SGD(0.1, momentum=0.9), params, 1)
    with pytest.raises(ValueError, match=r"sgd\.v/"):
        SGD(0.1).load_state_dict(momentum.state_dict())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SGD(-1), "lr must be"),
        (lambda: SGD(float("nan")), "lr must be"),
        (lambda: SGD(0.1, momentum=1), "momentum must be"),
        (lambda: SGD(0.1, nesterov=True), "nesterov needs a momentum"),
        (lambda: RMSProp(0.1, variant="tensorflow"), "arjovsky, keras, torch"),
        (lambda: RMSProp(0.1, rho=1.5), "rho must be"),
        (lambda: RMSProp(0.1, eps=-1e-8), "eps must be"),
        (lambda: Adam(0.1, beta2=1), "beta2 must be"),
        (lambda: Adam(0.1, eps=0), "eps > 0"),
    ],
)
def test_settings_out_of_range_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_every_registered_optimiser_is_found_under_its_own_name():
    assert all(OPTIMISERS[name].name == name for name in OPTIMISERS)
    assert set(OPTIMISERS) == {"sgd", "rmsprop", "adam"}
