"""What names say: how people call gradients, caches, passes, arguments and what an optimiser keeps.

Everything here is a hint. What a value is, its numbers decide (`tinyrnn.verdicts.judge`); a name only says what to
compare it with first. The verdicts hold no other list of names that learners may use; the gradient check calls
backward functions by its own (`tinyrnn.sources.calling`).
"""

import re

# gradients ------------------------------------------------------------------------------------------------------------

WORDS = (  # that begin with a d, of which no other value is the gradient's
    "data|decay|decod|deep|default|degree|delay|dense|density|depth|design|dest|detect|device|dict|digit|dim|direction"
    "|disc|docu|domain|done|down|drop|dtype|dual|dummy|duration|dynamic"
)
GRADIENT = re.compile(
    rf"^(?!{WORDS})(?:grad(?:ient)?s?(?:_|(?=[A-Z])|(?=[bchwxyz]\d?$))|delta(?:_|(?=[A-Z]))|d_?|D(?=[A-Z])|nabla_?|g_)"
    r"(?P<a>\w+)$|^(?P<b>\w+?)(?:_(?:grad(?:ient)?s?|delta|bar|diff|d)|(?<=[a-z\d])(?:Grad(?:ient)?s?|Delta))$"
)
LEIBNIZ = re.compile(r"^d_?(?:[LJEC]|loss|cost|err(?:or)?|l(?=_?d[A-Zhxyzw]))_?d_?(?P<a>\w+)$", re.ASCII)  # dL_dW, dLdW
SHORT_GRADIENT = re.compile(r"^g(?P<a>[A-Z]\w{0,2}|[bchxy])$")  # gh, gW, gWx: a g of its own may be anything
CARRY = re.compile(r"^(?:(?:next|prev|carry)_)(?P<a>\w+)$|^(?P<b>\w+?)_?(?:next|prev|carry)$")
GRADIENT_BOX = re.compile(r"^(d|grad|g$)")  # what gradients are put into: grads["W"], self.grads.W, g["W"]
GRADIENTS = ("grads", "grad", "gradients")
OF_ONE = (*GRADIENTS, "gradient", "deriv", "derivative", "diff", "delta")  # beside a value: {"value": W, "deriv": dW}
VALUES = ("value", "val", "data", "array")  # what it then may be called


def stems(name, box=None, kind="assign"):
    """[(forward name, whether it is what a loop hands on)] that a backward name may be the gradient of."""
    found = []
    bare = name.lstrip("_")  # _dW is the gradient of _W
    match = LEIBNIZ.match(bare) or GRADIENT.match(bare) or SHORT_GRADIENT.match(bare)
    if match:
        stem = name[: -len(bare)] + next(group for group in match.groups() if group)
        found.append((stem, False))
        carry = CARRY.match(stem)
        if carry:
            found.append((carry["a"] or carry["b"], True))
    if kind == "value" or (box is not None and GRADIENT_BOX.match(box)):
        found.append((name, False))
    return found


def is_short_gradient(name):
    """Whether a name is that of a gradient only if nothing in the forward pass is called so."""
    return GRADIENT.match(name) is None and SHORT_GRADIENT.match(name) is not None


def names_gradients(key):
    """Whether an attribute or a key of a dict is a gradient, or holds some."""
    return isinstance(key, str) and (key.strip("_") in GRADIENTS or key.startswith("deriv") or bool(stems(key)))


def also_called(stem):
    """What a value of the forward pass may be called whose gradient goes by `stem`: dx is that of x, xs, x_t or xt."""
    return [stem, f"{stem}s", f"{stem}_t", f"{stem}t"]


def gradient_names(name):
    """What the gradient of `name` may be called, the likeliest first."""
    return [f"{prefix}{name}" for prefix in ("d", "grad_", "delta_", "g_")]


# functions ------------------------------------------------------------------------------------------------------------

FORWARD = {"forward", "forwards", "fwd", "fprop", "feedforward", "forwardprop", "forwardpropagation"}
BACKWARD = {"backward", "backwards", "bwd", "back", "backprop", "bprop", "backpropagation", "bptt"}
OF_A_PASS = {"pass", "prop", "propagate", "propagation", "through", "time"}  # after these: forward_pass
DERIVATIVE = {"grad", "grads", "gradient", "gradients", "derivative"}  # of what may be no backward pass
CACHE_NAMES = ("cache", "caches", "kept", "tape", "saved", "ctx", "memo", "memory", "context", "state")
LOSS = re.compile("loss|entropy|softmax|mse|error|hinge|cost")
TAKES_CLASSES = ("softmax", "cross_entropy", "crossentropy", "nll", "svm", "hinge")  # losses of class numbers
INTEGER_WORDS = ("label", "integer", "index", "indices", "class", "token", " ids")  # in docstrings

PASSES = (("backward", "forward"), ("bwd", "fwd"), ("backprop", "forward"), ("_back", "_forward"), ("_grad", ""))


def words_of(function, in_order=False):
    """{"rnn", "step", "backward"} of rnn_step_backward and rnnStepBackward; in order, without those that say which
    pass."""
    words = words_in(function)
    passes = FORWARD | BACKWARD
    named = passes | DERIVATIVE | (OF_A_PASS if passes & set(words) else set())
    return tuple(w for w in words if w not in named) if in_order else set(words)


def words_in(function):
    """The words of a function's name, in order."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", function.__name__)]


def partners(scopes):
    """backward scope -> [forward scope], for functions that go by paired names: step, step_forward / step_backward."""
    scopes = list(scopes)
    found = {}
    for scope in scopes:
        stem = without_backward(scope)
        if stem is not None:
            names = [stem, *(scope.replace(word, new) for word, new in PASSES if word in scope)]
            found[scope] = [s for s in dict.fromkeys(names) if s in scopes]
    return found


def without_backward(scope):
    """`step` for `step_backward` and `backward_step`; None for what is no backward function."""
    for word in ("_backward", "backward_", "_bwd", "_backprop", "_back", "_grad", "backward"):
        head, found, tail = scope.rpartition(word)
        if found:
            return head + tail
    return None


# arguments ------------------------------------------------------------------------------------------------------------

SIZES = tuple("NTDHCVM")  # letters that stand for sizes
SAME_SIZE = {"B": "N", "m": "N", "batch": "N", "batch_size": "N", "T_x": "T", "T_y": "T", "seq_len": "T", "time": "T"}
SAME_SIZE |= {"n_x": "D", "input_size": "D", "input_dim": "D", "n_a": "H", "n_h": "H"}
SAME_SIZE |= {"hidden_size": "H", "hidden_dim": "H", "n_y": "C", "output_size": "C", "output_dim": "C"}
SAME_SIZE |= {"num_classes": "C", "vocab_size": "V"}

# what is given as a setting of this name: the entries of conv_param, pool_param, dropout_param …, and numbers of groups
GIVEN: dict[str, float] = {
    "stride": 1,
    "pad": 1,
    "padding": 1,
    "pool_height": 2,
    "pool_width": 2,
    "pool_h": 2,
    "pool_w": 2,
}
GIVEN |= {"filter_height": 3, "filter_width": 3, "G": 1, "groups": 1, "num_groups": 1, "seed": 0, "p": 0.6}
GIVEN |= {"keep_prob": 0.6, "momentum": 0.9, "eps": 1e-5, "epsilon": 1e-5, "training": True, "train": True}

X = "x xs xt xseq input inputs inp data features z a s scores score logits out in ain u v"
HIDDEN = "h h0 hprev prevh hinit inith hidden state hstate hiddenstate prevstate aprev a0 sprev s0 prevs htm1 hpre"
HIDDEN += " hold hlast hprevt"
CELL = "c c0 cprev prevc cinit initc cell cellstate ctm1 cpre cold mprev m0"
W_X = "wx wxh wih wax win wi weightih kernel winput"
W_H = "wh whh waa wrec wr weighthh recurrentkernel whidden"
W_Y = "why wya wy wout who v weightout"
BIAS = "b bh bx ba bias bih bhh biash"
ROLES = {"x": X, "state": f"{HIDDEN} {CELL}", "W_x": W_X, "W_h": W_H, "W_y": W_Y, "b": BIAS, "b_y": "by bout biasy"}
ROLES |= {"y": "y ytrue target targets label labels t captions captionsout", "mask": "mask masks"}
ROLES |= {"chance": "p probs prob proba yhat ypred ypreds pred preds predictions al"}
ROLES |= {"number": "lr reg lam lambda alpha eps epsilon rho momentum slope rate gain dt dloss"}
ROLES |= {"D": "inputsize inputdim indim nin infeatures nx d insize xdim"}
ROLES["D"] += " n size dim width numfeatures nfeatures numchannels"
ROLES |= {"H": "hiddensize hiddendim hiddim nhidden numhidden nh units"}
ROLES |= {"C": "outputsize outputdim nout numclasses ny outfeatures nclasses", "V": "vocabsize", "rng": "rng seed"}
BY_NAME = {name: role for role, names in ROLES.items() for name in names.split()}
GATE = re.compile(r"^(?P<what>w|u|wx|wh|b)(?P<gate>[fiogczrnu])$")


def role_of(name, names):
    """(role, whether it is one gate's alone) of an argument; role None if its name says nothing.

    names: those of all arguments. `Wf` is made for `[h, x]`, or for x where there is a `Uf`; `Wo` and `bo` are the
    output layer's where no other gate has one. `V` is the output layer's beside U and W, the recurrent matrix beside
    one of them and a state, and a number else: that of words in a vocabulary.
    """
    flat, all_flat = flattened(name), {flattened(other) for other in names}
    hidden = any(BY_NAME.get(other) == "state" for other in all_flat)
    if {"u", "w", "v"} <= all_flat and flat in ("v", "c"):  # h = tanh(U x + W h + b), y = V h + c
        return {"v": "W_y", "c": "b_y"}[flat], False
    recurrent_v = hidden and "V" in names and len({"u", "w"} & all_flat) == 1
    if recurrent_v and flat in ("u", "v", "w"):  # h = tanh(U x + V h + b)
        return {"u": "W_x", "w": "W", "v": "W_h" if "u" in all_flat else "U"}[flat], False
    if name in SIZES:
        return name, False
    gate = GATE.match(flat)
    alike = [m for o in all_flat if (m := GATE.match(o)) and gate and m["what"] == gate["what"] and m["gate"] != "o"]
    if len(alike) > 1:
        what = gate["what"]
        if what == "w":
            what = "wx" if f"u{gate['gate']}" in all_flat else "joint"
        return {"wx": "W_x", "u": "W_h", "wh": "W_h", "b": "b", "joint": "W_xh"}[what], True
    if flat in ("wo", "bo"):
        return {"wo": "W_y", "bo": "b_y"}[flat], False
    if flat in ("w", "u"):
        if not hidden and flat == "u":
            return "x", False
        others = {BY_NAME.get(other) for other in all_flat} & {"W_x", "W_h"} or "u" in all_flat
        return ("W_xh" if hidden and not others else "W" if flat == "w" else "U"), False
    if {"gamma", "beta"} <= all_flat and flat in ("gamma", "beta"):
        return "scale", False
    if flat == "v" and not {"w", "u"} & all_flat:
        return "x", False
    return BY_NAME.get(flat, "x" if len(names) == 1 else None), False


RATE = 0.1  # what a backward pass is given that takes a learning rate
LEARNING_RATES = {"learningrate", "learnrate", "lr", "eta", "rate", "stepsize"}


def is_rate(name):
    """Whether a name is that of a learning rate."""
    return flattened(name) in LEARNING_RATES


SIZE_WORDS = {  # words that say which size a size is
    "hidden": "H", "neurons": "H", "neuron": "H", "units": "H", "vocab": "V", "vocabulary": "V", "chars": "V",
    "input": "D", "in": "D", "features": "D", "embed": "D", "embedding": "D", "model": "D",
    "output": "C", "out": "C", "classes": "C", "labels": "C",
    "seq": "T", "sequence": "T", "time": "T", "steps": "T", "timesteps": "T", "context": "T", "window": "T",
    "batch": "N",
    "layers": "layers", "heads": "layers",
}  # fmt: skip
COUNTS = {"n", "num", "number", "nb", "size", "dim", "dims", "units", "length", "len", "steps", "neurons"}
RATES = {"rate", "lr", "eta", "decay", "temperature", "momentum", "lambda", "alpha", "beta", "gamma", "tau"}
RATES |= {"epsilon", "eps", "scale", "scaler", "factor", "std", "sigma", "reg", "penalty", "threshold"}
LIMITS = {"clip", "clipping", "limit"}


def words_of_name(name):
    """["hidden", "layer", "size"] of hidden_layer_size and hiddenLayerSize."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)]


def size_of_name(name):
    """The letter of the size that a name speaks of, or the name itself, of a size of its own."""
    words = words_of_name(name)
    return next((SIZE_WORDS[word] for word in words if word in SIZE_WORDS), name)


def is_size_name(name):
    """Whether a name says that it is a size: n_layers, embedding_dim, numUnits."""
    words = words_of_name(name)
    return len(words) > 1 and bool({words[0], words[-1]} & COUNTS)


def flattened(name):
    """A name without underscores, in small letters: what the tables are asked with."""
    return name.replace("_", "").lower()


def likeliest(kinds, named):
    """The value among `named`, name -> value, whose name comes first in `kinds` (such as X); None without one."""
    order = kinds.split()
    known = {flattened(name): value for name, value in reversed(named.items())}
    return next((known[name] for name in order if name in known), None)


OUTPUTS = ("h", "hs", "ht", "nexth", "hnext", "hidden", "state")  # what the new state is called, flattened


def is_output(name):
    """Whether a value of the forward pass goes by the name of a new state."""
    return flattened(name) in OUTPUTS


# optimisers -----------------------------------------------------------------------------------------------------------

IN_A_STEP = {  # our name -> what else it is called
    "p": "p w W x param params parameter theta weight weights next_w next_p w_new new_w new_param p_new w_next",
    "g": "g dw dW dx dp grad grads gradient dparam dtheta d_w grad_w",
    "m": "m m_t m_w first_moment exp_avg mt",
    "v": "v v_t v_w velocity cache s r second_moment square_avg exp_avg_sq vel vt",
    "m_hat": "m_hat mt mhat m_unbiased m_corrected m_corr m_hat_w mb m_bar",
    "v_hat": "v_hat vt vhat v_unbiased v_corrected v_corr v_hat_w vb v_bar",
    "t": "t step it iteration i k n_step num_steps",
    "lr": "lr learning_rate alpha eta rate step_size",
    "beta1": "beta1 beta_1 b1",
    "beta2": "beta2 beta_2 b2",
    "eps": "eps epsilon",
    "rho": "rho decay decay_rate gamma beta",
    "momentum": "momentum mu beta gamma",
    "weight_decay": "weight_decay wd l2",
}
SETTINGS = ("config", "state", "cache", "memory", "opt", "opt_state", "optim_state", "settings", "hyper", "options")
METHOD_WORDS = ("nesterov", "momentum", "adam", "rmsprop", "sgd")  # the most particular first


def method_of_name(name):
    """The method that a function called adam, adam_step, update_rmsprop … is a step of; None for others."""
    return next((method for method in METHOD_WORDS if method in name.lower().split("_")), None)


def usual_names(*ours):
    """{name: our names for what is worked out in a step that it may stand for, the likeliest first}."""
    table = {}
    for own in ours:
        for other in IN_A_STEP[own].split():
            table.setdefault(other, []).append(own)
    return table
