"""Programs that are wrong as they were published: `python -m benchmarks.public_lines.published [--lines]`.

Says which gradients differ from central differences; with --lines, what the line verdicts accuse. README.md says what
is wrong in them. Only what would be a second matter is taken out: clipping, and a mean in the loss for a sum.
"""

import argparse
import tempfile

import numpy as np

from .functions import COURSERA, FROM_PARAMETERS, NOTEBOOK, SIGMOID, SOFTMAX, UNPACK, coursera
from .objects import OCR_BEFORE, OCR_FUNCTIONS, ZHOU, many_to_one, ocr_lstm
from .programs import Given, Part, Subject, above, build, copied, layer, loss, numbers
from .verify import wrong_gradients

CAPTAIN, CAPTAIN_FILE = "CaptainE/RNN-LSTM-in-numpy", "RNN_LSTM_from_scratch.ipynb"
PLAIN = (("    grads = clip_gradient_norm(grads)\n", ""), ("-np.mean(np.log(", "-np.sum(np.log("))
RNN_LOSS = """


def train(inputs, hidden_state, targets, U, V, W, b_hidden, b_out):
    params = U, V, W, b_hidden, b_out
    outputs, hidden_states = forward_pass(inputs, hidden_state, params)
    loss, grads = backward_pass(inputs, outputs, hidden_states, targets, params)
    d_U, d_V, d_W, d_b_hidden, d_b_out = grads
    return loss, d_U, d_V, d_W, d_b_hidden, d_b_out
"""
LSTM_LOSS = """


def train(inputs, h_prev, C_prev, targets, W_f, W_i, W_g, W_o, W_v, b_f, b_i, b_g, b_o, b_v):
    p = W_f, W_i, W_g, W_o, W_v, b_f, b_i, b_g, b_o, b_v
    z, f, i, g, C, o, h, v, outputs = forward(inputs, h_prev, C_prev, p)
    loss, grads = backward(z, f, i, g, C, o, h, v, outputs, targets, p)
    W_f_d, W_i_d, W_g_d, W_o_d, W_v_d, b_f_d, b_i_d, b_g_d, b_o_d, b_v_d = grads
    return loss, W_f_d, W_i_d, W_g_d, W_o_d, W_v_d, b_f_d, b_i_d, b_g_d, b_o_d, b_v_d
"""


def words(V=5):
    """Four one-hot columns, the inputs and then the targets."""
    hot = np.eye(V)[[0, 3, 1, 4]][:, :, None]
    return {"inputs": hot[:3].copy(), "targets": hot[1:].copy()}


def captain_rnn(m):
    r, weights = numbers(), "U V W b_hidden b_out"
    shapes = {"U": (4, 5), "V": (4, 4), "W": (5, 4), "b_hidden": (4, 1), "b_out": (5, 1)}
    given = {"hidden_state": r(4, 1), **{n: 0.5 * r(*shape) for n, shape in shapes.items()}}
    return loss(m.train, weights, **words(), **given)


def captain_lstm(m):
    r = numbers()
    shapes = {f"W_{g}": (4, 9) for g in "figo"} | {"W_v": (5, 4)}
    shapes |= {f"b_{g}": (4, 1) for g in "figo"} | {"b_v": (5, 1)}
    given = {"h_prev": r(4, 1), "C_prev": r(4, 1), **{n: 0.5 * r(*shape) for n, shape in shapes.items()}}
    return loss(m.train, " ".join(shapes), **words(), **given)


def unrolled(m):
    """The forward pass returns outputs and states; the backward pass clips, and returns weights' gradients in order."""
    r = numbers()
    weights = {n: 0.4 * r(*s) for n, s in {"ww": (2, 3), "wv": (3, 3), "wu": (3, 4), "bh": (3,), "bo": (2,)}.items()}
    x, made = r(3, 2, 4), m.RNN(4, 3, 2)
    vars(made).update(weights)

    def gradients():
        outputs, hiddens = made.forward(x)
        return dict(zip(weights, made.backward(outputs, hiddens, x, 0.1 * above(outputs)), strict=False))

    value = lambda: float(np.sum(0.1 * above(out := made.forward(x)[0]) * out))  # noqa: E731
    return Given(made.forward, made.backward, {"inputs": x}, weights, value, gradients)


def chinese_lstm(m):
    """States in lists that grow; `backward` takes the last input and the gradient of the last output."""
    r = numbers()
    names = [f"W{g}{k}" for g in "fioc" for k in "hx"] + [f"b{g}" for g in "fioc"]
    shapes = {n: (3, 1) if n[0] == "b" else (3, 3) if n[2] == "h" else (3, 4) for n in names}
    weights, xs = {n: 0.5 * r(*shape) for n, shape in shapes.items()}, [r(4, 1) for _ in range(3)]

    def run():
        made = m.LstmLayer(4, 3, 0.1)
        vars(made).update(weights)
        for x in xs:
            made.forward(x)
        return made

    def gradients():
        made = run()
        made.backward(xs[-1], above(made.h_list[-1]), None)
        return {n: getattr(made, f"{n}_grad") for n in names}

    def value():
        h = run().h_list[-1]
        return float(np.sum(above(h) * h))

    made = run()
    return Given(made.forward, made.backward, {"x": xs[0]}, weights, value, gradients)


def truncated(m):
    """Layers whose optimiser is asked for the new weights: here it keeps the gradient."""
    r, x = numbers(), numbers(1)(2, 3, 4)
    weights = {"U": 0.5 * r(3, 4), "V": 0.5 * r(4, 3), "W": 0.5 * r(3, 3)}

    class Keep:
        def update(self, w, grad):
            self.grad = grad
            return w

    def fresh():
        made = m.RNN(3, input_shape=(3, 4))
        made.initialize(Keep())
        vars(made).update(weights)
        return made

    def gradients_of(made, returned):
        return {n: getattr(made, f"{n}_opt").grad for n in weights} | {"X": returned}

    return layer(fresh, gradients_of, "forward_pass", "backward_pass", weights, X=x)


FIRST_TWO = "lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward"
COURSE = Part(NOTEBOOK, FIRST_TWO, ((UNPACK, UNPACK + FROM_PARAMETERS),), SIGMOID + "\n\n" + SOFTMAX)
NETS = "mlfromscratch/deep_learning/"
PUBLISHED = [
    Subject(
        CAPTAIN,
        "rnn",
        (Part(CAPTAIN_FILE, "tanh softmax forward_pass backward_pass", PLAIN, "", RNN_LOSS),),
        captain_rnn,
    ),
    Subject(
        CAPTAIN,
        "lstm",
        (
            Part(
                CAPTAIN_FILE,
                "sigmoid tanh softmax forward backward",
                (*PLAIN, ("np.row_stack", "np.vstack"), (", p = params)", ", p)")),
                "hidden_size = 4",
                LSTM_LOSS,
            ),
        ),
        captain_lstm,
    ),
    Subject(
        "davidgonmar/rnn-numpy",
        "rnn",
        (Part("rnn.py", "RNNBackwardState RNNForwardState xavier_init RNN", before="from typing import Tuple"),),
        unrolled,
    ),
    Subject(
        "hanbt/learn_dl",
        "lstm",
        (
            Part("activators.py", "SigmoidActivator TanhActivator", module="activators"),
            Part("lstm.py", "LstmLayer", before="from activators import SigmoidActivator, TanhActivator"),
        ),
        chinese_lstm,
    ),
    Subject(
        "eriklindernoren/ML-From-Scratch",
        "rnn",
        (
            Part(f"{NETS}activation_functions.py", "TanH", module="activations"),
            Part(
                f"{NETS}layers.py",
                "Layer RNN",
                before='import copy\nimport math\nfrom activations import TanH\nactivation_functions = {"tanh": TanH}',
            ),
        ),
        truncated,
    ),
    Subject(COURSERA, "lstm", (COURSE,), coursera("lstm")),
    Subject(
        "vzhou842/rnn-from-scratch",
        "rnn",
        (Part("rnn.py", "RNN", ZHOU[1:], "from numpy.random import randn"),),
        many_to_one,
    ),
    Subject("ocropus/ocropy", "lstm", (Part("ocrolib/lstm.py", OCR_FUNCTIONS, before=OCR_BEFORE),), ocr_lstm),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", action="store_true", help="what the line verdicts accuse, too")
    for subject in PUBLISHED if (args := parser.parse_args()) else ():
        wrong = wrong_gradients(subject)
        print(f"{subject.program}, {subject.name}: {', '.join(wrong) or 'right'}", flush=True)
        if args.lines:
            accuse(subject)


def accuse(subject):
    """Prints the lines that are accused, or what else is said."""
    import tinyrnn as tr

    with tempfile.TemporaryDirectory() as folder:
        given = subject.make(build(subject, folder).module)
        try:
            report = tr.lines(given.forward, given.backward, copied(given.inputs))
        except Exception as error:
            print(f"    {type(error).__name__}: {error}"[:160])
            return
        sources = {(name, line): text for name, lines in report.sources for line, text in lines.items()}
        for row in report.wrong:
            print(f"    accused: {sources.get((row.function, row.line), row.name).strip()[:110]}")
        print(f"    {report.summary()}")


if __name__ == "__main__":
    main()
