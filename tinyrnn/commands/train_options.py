"""The options of `tinyrnn train`: one for each setting, and those that take NAME=VALUE."""

import argparse
import json
from dataclasses import fields
from typing import Literal, get_args, get_origin, get_type_hints

from tinyrnn.init.by_name import INITIALISERS, LEARNT
from tinyrnn.nn.regularisers import REGULARISERS
from tinyrnn.optim.optimisers import OPTIMISERS
from tinyrnn.optim.schedules import SCHEDULES

SETTING_HELP = {
    "hidden": "units per layer (complex units for urnn)",
    "layers": "recurrent layers, one above the other",
    "embedding": "size of learned vectors for the classes that are read; 0: the cells see the classes themselves",
    "bidirectional": "read the sequence in both directions",
    "pool": "pool size of an L2-pooled readout; 0: a plain one",
    "init": f"how the cells' weights start: one of {', '.join(INITIALISERS | LEARNT)}; else as its class does it",
    "readout": "how the readout is trained: gradient, or ridge: in closed form, on as many batches as updates, or "
    "ridge-start: it starts so, on all training sequences, and then all is trained by gradients",
    "ridge": "penalty on the weights of a readout in closed form",
    "updates": "number of updates",
    "batch": "sequences an update",
    "examples": "different training sequences, whose batches come again and again; 0: fresh ones for each update",
    "seed": "seed of weights and data",
    "dtype": "float32 or float64",
    "optimiser": f"one of {', '.join(OPTIMISERS)}",
    "lr": "learning rate",
    "manifold_lr": "learning rate of matrices that are kept unitary, as in urnn-full; 0: --lr",
    "manifold_rms": "divide their gradient by a running root mean square first",
    "schedule": f"of the learning rate: one of {', '.join(SCHEDULES)}",
    "drop_epochs": 'epochs after which the learning rate drops, such as "25,35"; for tasks that have epochs',
    "drop_by": "what it is multiplied by then",
    "clip_norm": "clip the gradient to this norm; 0: do not",
    "clip_value": "clip each entry of the gradient to this size; 0: do not",
    "clip_state": "rescale the state to this norm where it is longer (activation clipping); 0: do not",
    "average": "divide the gradients of the hidden activations by T",
    "truncate": "truncated BPTT over this many time steps; 0: the whole sequence",
    "detach": "h-detach (lstm, lmn): probability that a step passes no gradient back through h",
    "detach_anneal": "share of the updates, the last ones, without h-detach",
    "dropout_input": "probability of dropping a feature of the input, or of its embedding, for a whole sequence",
    "dropout_layers": "and of a feature between layers",
    "dropout_output": "and of a feature that the readout reads",
    "dropout_embedding": "and of a word, wherever it stands",
    "weight_drop": "and of an entry of the recurrent matrices",
    "tied": "the readout's weights are those of the embedding, and the last layer has as many units as it has features",
    "checkpoint": 'memory for backpropagation, such as "512 MiB", or steps to be kept at a time; else: all of them',
    "compiled": "run the steps as machine code, if there is a C compiler; the same results but for rounding",
    "device": "cpu, or cuda: a GPU, by CuPy",
    "threads": "of compiled cells, 0: one per core; and of other matrix products, 0: one",
    "workers": "processes that share each batch; 1: this one alone, whose compiled cells use all cores already: on two "
    "cores a second worker gains nothing",
    "log_every": "updates between lines of the log",
    "test_every": "updates between tests (on validation data, where a task has them); 0: test at the end only",
    "validate": "have these tests on validation data, and use the test set at the end only",
    "patience": "tests on validation data without a new best one after which the run ends; 0: it goes on",
    "nonmono": "average the weights from the first test on validation data on that is worse than the best of all but "
    "the last N before it (NT-ASGD, whose N is 5; for --optimiser sgd); 0: do not",
    "keep_best": "end with the weights of the best test on validation data",
    "save_every": "updates between checkpoints",
}

# settings that are dicts: option -> (setting, help); each may be given several times, as NAME=VALUE
NAMED = {
    "cell-option": ("cell_options", "an argument of the cell"),
    "init-option": ("init_options", "an argument of the initialiser"),
    "optimiser-option": ("optimiser_options", "and of the optimiser"),
    "regulariser": ("regularisers", f"a penalty and its strength; names: {', '.join(REGULARISERS)}"),
}


def add_named_options(group):
    """Options of the form NAME=VALUE."""
    for option, (setting, text) in NAMED.items():
        group.add_argument(f"--{option}", action="append", default=[], metavar="NAME=VALUE", help=text, dest=setting)


def named_settings(args):
    """The settings that `add_named_options` reads, setting -> dict."""
    return {setting: named_values(getattr(args, setting)) for setting, _ in NAMED.values()}


def add_task_options(group, task):
    """An option for each field of the task."""
    hints = get_type_hints(task)
    for option in fields(task):
        hint = hints[option.name]
        kwargs = {
            "help": option.metadata["help"].replace("%", "%%")
            + ("" if option.default in (None, "") else " (default: %(default)s)"),
            "dest": f"task_{option.name}",
            "default": option.default,
        }
        if hint is bool:
            kwargs["action"] = argparse.BooleanOptionalAction
        elif get_origin(hint) is Literal:
            kwargs["choices"] = get_args(hint)
        else:
            kwargs |= {"type": str, "metavar": "NAME"} if hint is str else {"type": int, "metavar": "N"}
        group.add_argument(flag(option.name), **kwargs)


def add_setting(group, setting, default):
    """An option for one setting of the run."""
    kwargs = {"default": default, "help": SETTING_HELP[setting.name] + " (default: %(default)s)"}
    if isinstance(setting.default, bool):
        kwargs["action"] = argparse.BooleanOptionalAction
    else:
        kind = type(setting.default)
        kwargs |= {"type": kind, "metavar": {int: "N", float: "X", str: "NAME"}[kind]}
    group.add_argument(flag(setting.name), **kwargs)


def flag(name):
    """How a setting is called on the command line."""
    return "--" + name.replace("_", "-")


def named_values(pairs):
    """["a=1", "b=x"] -> {"a": 1, "b": "x"}: values are JSON where they can be, else text."""
    values = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise ValueError(f"expected NAME=VALUE, got {pair!r}")
        try:
            values[name] = json.loads(text)
        except json.JSONDecodeError:
            values[name] = text
    return values
