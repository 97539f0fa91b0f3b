"""Subjects that are spread over several modules: steps that call the layers of another one."""

import numpy as np

from .programs import Given, Part, Subject, above, copied, numbers

HIPSTER = Part(
    "hipsternet/layer.py",
    "fc_forward fc_backward sigmoid_forward sigmoid_backward tanh_forward tanh_backward bn_forward bn_backward",
    before="import hip_utils as util\nimport types\nc = types.SimpleNamespace(eps=1e-8)",
    module="hip_layer",
)
HIPSTER_UTILS = Part("hipsternet/utils.py", "exp_running_avg softmax sigmoid", module="hip_utils")
HIPSTER_LOSS = Part(
    "hipsternet/loss.py",
    "cross_entropy dcross_entropy",
    (("    reg_loss = regularization(model, reg_type='l2', lam=lam)\n", "    reg_loss = 0\n"),),
    "import hip_utils as util",
    module="hip_loss",
)


def hipsternet(name, states):
    """One step calls layers of another module; gradients are gathered in a dict over time."""

    def make(m):
        r = numbers()
        made = getattr(m, name)(5, 4, {k: k for k in "abcde"}, {})
        made.model = {key: 0.5 * r(*np.shape(value)) for key, value in made.model.items()}
        state = [r(1, 4) for _ in range(states)]
        given = {"X_train": np.array([0, 3, 1]), "y_train": np.array([3, 1, 4])}
        given["h" if states == 1 else "state"] = state[0] if states == 1 else tuple(state)

        def run():
            return made.train_step(**copied(given))

        # their loss is the mean over the steps, their gradients those of the sum
        return Given(made.train_step, None, given, made.model, lambda: float(run()[1] * 3), lambda: run()[0])

    return make


def batch_norm(m):
    r = numbers()
    gamma, beta, x = r(4), r(4), r(5, 4)
    given = {"X": x, "gamma": gamma, "beta": beta, "cache": (np.zeros(4), np.ones(4))}

    def gradients():
        out, cache, *_ = m.bn_forward(**copied(given))
        return dict(zip(("X", "gamma", "beta"), m.bn_backward(above(out), cache), strict=True))

    arrays = {"X": x, "gamma": gamma, "beta": beta}
    value = lambda: float(np.sum(above(out := m.bn_forward(**copied(given))[0]) * out))  # noqa: E731
    return Given(m.bn_forward, m.bn_backward, given, arrays, value, gradients)


CARRIED_TANH = (
    ("        dc = ho * dh\n        dc = l", "        dc = ho * dh + dc_next\n        dc = l"),
    ("        dc = dc + dc_next\n", ""),
)
HIPSTER_BASE = """
import hip_layer as l
import hip_loss as loss_fun
import hip_utils as util


class NeuralNet:
    def __init__(self, D, C, H, *args, **kwargs):
        self._init_model(D, C, H)
"""
WORDS = Part(
    "hipsternet/neuralnet.py",
    "RNN LSTM GRU",
    CARRIED_TANH,
    HIPSTER_BASE,
)
HIPSTERS = (HIPSTER_UTILS, HIPSTER, HIPSTER_LOSS, WORDS)

SUBJECTS = [
    Subject("wiseodd/hipsternet", "RNN", HIPSTERS, hipsternet("RNN", 1)),
    Subject(
        "wiseodd/hipsternet",
        "LSTM",
        HIPSTERS,
        hipsternet("LSTM", 2),
        published="tanh(c) is handed on, but what comes back for it skips the tanh",
    ),
    Subject("wiseodd/hipsternet", "GRU", HIPSTERS, hipsternet("GRU", 1)),
    Subject("wiseodd/hipsternet", "batch normalisation", (HIPSTER_UTILS, HIPSTER), batch_norm),
]
