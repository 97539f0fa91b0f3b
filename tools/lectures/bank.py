"""The exam questions of all lectures. What is asked for is computed by the package.

A question is made of tenths, so that it can be answered with a pencil or a small calculator; keys have three decimals.
"""

import math

import numpy as np

import tinyrnn as tr
from tinyrnn.analysis import fisher, normality
from tinyrnn.cells.unitary import modrelu, modrelu_backward
from tinyrnn.core.ops import sigmoid
from tinyrnn.nn.losses import softmax_cross_entropy, softmax_cross_entropy_backward
from tinyrnn.nn.losses.mixtures import mixture_density, mixture_density_backward
from tinyrnn.nn.recompute import revolve
from tinyrnn.play.bugs import candidates, make_round
from tools.lectures.question import question, said, tenths


@question(0, 5)
def guessing(rng):
    delay, length, symbols = int(rng.integers(20, 90)), int(rng.integers(2, 9)), int(rng.integers(3, 10))
    task = tr.tasks.Copy(delay=delay, length=length, symbols=symbols)
    half = task.baseline / 2
    text = (
        f"The copy task with {symbols} symbols, of which {length} are to be kept for {delay} steps. Which mean cross-entropy has a "
        "network that knows the rules and remembers nothing? A network has half of it: name two different things it may be doing."
    )
    words = f"That is S ln K / (T + 2S). Half, {said(half)}: it knows some symbols and guesses the others, or it is half sure of each."
    return text, {"baseline": task.baseline}, words


@question(1, 6)
def differences(rng):
    a, h = tenths(rng, 0.5, 2.5), float(rng.choice([0.1, 0.2]))
    central, forward = ((a + h) ** 3 - (a - h) ** 3) / (2 * h), ((a + h) ** 3 - a**3) / h
    step = (complex(a, 1e-20) ** 3).imag / 1e-20
    text = (
        f"f(x) = x³ at x = {a:g}. Compute the forward and the central difference with h = {h:g}, and the error of each. By which factor "
        "does each error change if h is halved? What does a complex step give?"
    )
    numbers = {"forward": forward, "central": central, "slope": step}
    words = (
        f"Errors {said(forward - step)} and {said(central - step)}: the first is about halved, the second quartered. The "
        "complex step gives the slope to rounding, as nothing is subtracted."
    )
    return text, numbers, words


@question(2, 8)
def elman_step(rng):
    h, dh, W = tenths(rng, -0.9, 0.9, 2), tenths(rng, -2, 2, 2), tenths(rng, -1, 1, 4).reshape(2, 2)
    cell = tr.Elman(1, 2)
    cell.params["W_h"][...] = W
    da, (dh_prev,) = cell.step_backward(cell.params, dh[None], h=h[None])
    text = (
        f"One step of an Elman network with two units, rows as vectors: h = {said(h)}, W_h has the rows {said(W[0])} and {said(W[1])}, and "
        f"dh = {said(dh)} arrives. Compute da and dh_prev. What would you get for dh_prev without the transpose?"
    )
    numbers = {"da": da[0], "dh_prev": dh_prev[0], "without": (da @ W)[0]}
    return text, numbers, ""


@question(2, 5)
def softmax(rng):
    p = rng.permutation([0.1, 0.2, 0.7] if rng.random() < 0.5 else [0.2, 0.3, 0.5])
    target, N = int(rng.integers(3)), int(rng.integers(2, 6))
    _, kept = softmax_cross_entropy(np.tile(np.log(p), (N, 1)), np.full(N, target))
    dlogits = softmax_cross_entropy_backward(kept)[0]
    text = (
        f"A softmax gives {said(p)}, and the class with index {target} was right. The loss is a mean over {N} tokens. What is this token's "
        "gradient of the logits? What do its entries add up to, and why?"
    )
    numbers = {"dlogits": dlogits, "sum": dlogits.sum()}
    return text, numbers, "Adding a number to all logits changes nothing, so the gradient along (1, 1, 1) is zero."


@question(3, 6)
def perplexity(rng):
    shares = rng.permutation([[0.5, 0.25, 0.125, 0.125], [0.4, 0.3, 0.2, 0.1]][rng.integers(2)])
    loss, _ = softmax_cross_entropy(
        np.tile(np.log(shares), (1000, 1)), np.repeat(np.arange(4), (1000 * shares).astype(int))
    )
    numbers = {"frequencies": loss, "perplexity": math.exp(loss), "nothing": math.log(4)}
    text = (
        f"A text has four characters, with the shares {said(shares)}. Which mean cross-entropy, in nats, has a network that knows these shares and "
        "nothing of the order? Which perplexity is that, and which loss has a network before its training? What does a temperature of 0.5 do to the shares?"
    )
    squared = shares**2 / (shares**2).sum()
    return (
        text,
        numbers,
        f"A temperature of 0.5 squares them and divides by the sum: {said(squared)}, so the likely becomes likelier.",
    )


@question(4, 10)
def through_time(rng):
    w, x, dout = tenths(rng, -0.9, 0.9), tenths(rng, -2, 2, 3), np.array([0, *tenths(rng, -2, 2, 2)])
    cell = tr.Elman(1, 1, activation="identity")
    for name, value in (("W_h", w), ("W_x", 1), ("b", 0)):
        cell.params[name][...] = value
    h, tape = cell.forward(x.reshape(3, 1, 1))
    back = cell.backward(dout.reshape(3, 1, 1), tape, record=True)
    numbers = {
        "h": h.ravel(),
        "dh": back.states["h"].ravel(),
        "dW_h": back.params["W_h"][0, 0],
        "dW_x": back.params["W_x"][0, 0],
        "dh_0": back.state[0][0, 0],
    }
    text = (
        f"h_t = x_t + {w:g} h_(t-1), from h_0 = 0, reads {said(x)}. From above come the gradients {said(dout)}. Compute h, dh at each "
        "step, dW_h, dW_x and the gradient of h_0."
    )
    return text, numbers, ""


@question(5, 6)
def powers(rng):
    w, steps = float(rng.choice([0.8, 0.9, 1.1, 1.2])), int(rng.integers(20, 60))
    numbers = {"left": w**steps, "steps": abs(math.log(1000) / math.log(w))}
    text = (
        f"h_t = {w:g} h_(t-1) + x_t. By which factor has a gradient changed after {steps} steps back? After how many has it changed by a "
        "factor of 1000? Would a tanh make it larger or smaller?"
    )
    return text, numbers, "Smaller: its slope is at most 1."


@question(5, 5)
def clipping(rng):
    a, limit = 3 * tenths(rng, 0.2, 1.5), tenths(rng, 0.5, 3)
    grads = {"W": np.array([a, 0.0]), "b": np.array([a * 4 / 3])}
    clipped, norm = tr.clipping.clip_by_norm(grads, float(limit))
    numbers = {"norm": norm, "dW": clipped["W"], "db": clipped["b"]}
    text = (
        f"dW = {said(grads['W'])}, db = {said(grads['b'])}, and gradients are clipped to the norm {limit:g}, all together. What is left? Why "
        "not clip each of them by itself?"
    )
    return text, numbers, "Each by itself would turn the step away from downhill."


@question(6, 10)
def lstm_step(rng):
    kept = dict(zip("ifo", tenths(rng, 0.1, 0.9, 3), strict=True)) | {"g": tenths(rng, -0.9, 0.9)}
    kept["c_prev"] = tenths(rng, -2, 2)
    kept["tanh_c"] = round(math.tanh(kept["f"] * kept["c_prev"] + kept["i"] * kept["g"]), 2)
    dh, dc = tenths(rng, -2, 2), tenths(rng, -2, 2)
    cell = tr.LSTM(1, 1)
    arrays = {name: np.array([[value]]) for name, value in kept.items()}
    da, (_, dc_prev) = cell.step_backward(cell.params, np.array([[dh]]), np.array([[dc]]), **arrays)
    numbers = dict(zip(("da_i", "da_f", "da_o", "da_g"), da[0], strict=True)) | {"dc_prev": dc_prev[0, 0]}
    given = ", ".join(f"{name} = {value:g}" for name, value in kept.items())
    text = (
        f"One unit of an LSTM stands at {given}. dh = {dh:g} arrives, and dc = {dc:g} from the next step. Compute dc_prev and "
        "the gradients of the four pre-activations."
    )
    return text, numbers, ""


@question(6, 5)
def forget_bias(rng):
    b, steps = float(rng.integers(1, 6)), int(rng.integers(20, 200))
    numbers = {
        "f": sigmoid(np.array(b)),
        "left": sigmoid(np.array(b)) ** steps,
        "bias": -math.log(math.exp(math.log(2) / steps) - 1),
    }
    text = (
        f"A forget gate stands at the bias {b:g} and hears nothing else. Which share of a gradient along the cell is left after {steps} "
        "steps? Which bias would leave half?"
    )
    return text, numbers, "The bias is of the order of ln T."


@question(7, 8)
def wrong_line(rng):
    one = make_round(sorted(candidates())[rng.integers(len(candidates()))])
    lines = "\n".join(f"{number:4}  {text}" for number, text in one.lines)
    text = (
        f"One line of this backward pass of the package's `{one.cell}` is not what it was. Which, and what should it be? Which gradients "
        f"would a check call wrong at the last step?\n\n```text\n{lines}\n```"
    )
    number, wrong = one.lines[one.wrong]
    rows = [what for what, errors, is_wrong in one.table if is_wrong and float(errors[-2] or 0) > 1e-6]
    words = (
        f"That is `{wrong.strip()}`: {one.mistake.title}. It was `{one.right.strip()}`. At the last step wrong: "
        f"{', '.join(rows) or 'nothing; only what is handed back is'}. ({one.mistake.question})"
    )
    return text, {"line": number}, words


@question(8, 6)
def adding(rng):
    values, marks = rng.integers(1, 10, 5) / 10, np.zeros(5)
    marks[rng.choice(5, 2, replace=False)] = 1
    h = np.cumsum(np.maximum(values + marks - 1, 0))
    text = (
        f"One unit adds: h_t = h_(t-1) + relu(x_t + m_t - 1). It reads the values {said(values)} with the marks {said(marks)}. Write down "
        "all h_t. Which eigenvalue has its recurrence, and why does copying need others?"
    )
    words = "The eigenvalue is 1: what is added stays where it is. To copy, what was read at different times must end up apart."
    return text, {"h": h}, words


@question(9, 7)
def modrelus(rng):
    scale, b = tenths(rng, 0.5, 2), tenths(rng, -1, 1)
    z, dh = np.array([3.0, 4.0]) * scale, tenths(rng, -2, 2, 2)
    h, u, gain = modrelu(z, np.array([b]))
    dz, db = modrelu_backward(dh, u, gain)
    numbers = {"h": h, "dz": dz, "db": db[0]}
    text = (
        f"modReLU with the bias {b:g}, on the complex number {said(z)}, a pair. dh = {said(dh)}. Compute h, dz and db."
    )
    return text, numbers, ""


@question(10, 8)
def delay_line(rng):
    alpha, k = float(rng.choice([0.9, 1.0, 1.1])), int(rng.integers(2, 7))
    chain = np.diag(np.full(9, alpha), 1)  # rows as vectors: unit i drives unit i + 1
    J = fisher.memory_curve(chain.T, np.eye(10)[0], k + 1)[k]  # which takes columns
    numbers = {"J": J, "henrici": normality.henrici(chain, real=True)}
    text = (
        f"A chain of ten units, each driving the next with the weight {alpha:g}, gets a signal at its first unit and noise of variance 1 at all. "
        f"Compute the Fisher memory J({k}), the chain's eigenvalues, and Henrici's index of its departure from normality."
    )
    return text, numbers, "All eigenvalues are 0."


@question(11, 8)
def reversed_prefixes(rng):
    x = tenths(rng, -2, 2, 3)
    auto = tr.LinearAutoencoder.fit([x[:, None]], mean=False)
    numbers = {"last": np.array([x[2], x[1], x[0]]), "energy": auto.energy, "units": auto.A.shape[0]}
    text = (
        f"One sequence, {said(x)}. Write down the matrix of all its reversed prefixes, padded with zeros. What is its last row? What is its energy, the sum of "
        "all squared entries? How many units does a linear autoencoder need to lose nothing of this sequence, and what are then the eigenvalues of its B?"
    )
    words = "The matrix is triangular and has full rank. B is the shift of three places in another basis, so all its eigenvalues are 0."
    return text, numbers, words


@question(12, 7)
def adam(rng):
    g, lr = tenths(rng, 0.5, 3, 2) * np.array([1, -1]), float(rng.choice([0.1, 0.01]))
    params, optimiser = {"p": np.array([1.0])}, tr.optimisers.Adam(lr, 0.9, 0.99, eps=1e-15)
    found = []
    for each in g:
        optimiser.step(params, {"p": np.array([each])})
        found.append(params["p"][0])
    text = (
        f"Adam with lr = {lr:g}, β₁ = 0.9, β₂ = 0.99 and a negligible ε starts from p = 1 and sees the gradients {said(g)}. Where is p after each step? "
        "How long is the first step, whatever the first gradient is?"
    )
    return text, {"p": np.array(found)}, "The first step is as long as lr."


@question(13, 7)
def mixture(rng):
    mu, sigma, logits = np.array([-1.0, 1.0]), float(rng.choice([0.5, 1.0])), np.log([1.0, float(rng.integers(1, 4))])
    z = float(rng.choice([-1.0, -0.5, 0.5, 1.0]))
    y = np.concatenate([logits, mu, np.full(2, math.log(sigma))])[None]
    _, kept = mixture_density(y, np.array([[z]]))
    dlogits, dmu, _ = np.split(mixture_density_backward(kept)[0], 3)
    pi = np.exp(logits) / np.exp(logits).sum()
    numbers = {"r": pi - dlogits, "dlogits": dlogits, "dmu": dmu}
    text = (
        f"A mixture of two Gaussians has the weights {said(pi)}, the means {said(mu)} and σ = {sigma:g} for both. z = {z:g} comes. Compute the probability r of "
        "either to have made it, and the gradients of the logits and of the means. What would a network with a squared error say that sees -1 and 1 equally often?"
    )
    return text, numbers, "It would say the mean, 0, which never comes."


@question(14, 6)
def revolve_windows(rng):
    k, r = int(rng.integers(3, 9)), int(rng.integers(2, 4))
    n = math.comb(k + r, r)
    numbers = {"windows": n, "runs": revolve.advances(n, k), "every": revolve.advances(n, n)}
    text = (
        f"There is room for {k} states, and no window may be run forward again more than {r} times. How many windows can one go back through? How many runs of "
        "a window without a tape are that in all, and how many would they be if every window's first state were kept?"
    )
    return (
        text,
        numbers,
        "The first is the binomial C(k + r, r). A cell that can be undone needs no states at all, as long as it forgets nothing.",
    )


@question(15, 5)
def seeds(rng):
    n = int(rng.integers(3, 7))
    p = 1 / math.comb(2 * n, n)
    text = (
        f"Each of two networks is trained with {n} seeds, and all runs of the one are better than all of the other. How probable is that, in "
        "this direction, if there is no difference? What has to be known besides, before the claim is believed?"
    )
    return text, {"p": p}, "How the settings of both were chosen, and on which data."
