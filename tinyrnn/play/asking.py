"""The page "Who asked?": which inputs a network's answer looks back at, before it was trained and after.

The networks are trained here and now on a copy task, from a seed; the page holds the weights from before and after.
"""

from tinyrnn.cells.catalogue import words
from tinyrnn.compiler.javascript import runtime
from tinyrnn.core.progress import Bar
from tinyrnn.play.network import as_json, flat, printed
from tinyrnn.play.page import assembled, script
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

TITLE = "Who asked?"
CELLS = ("lstm", "elman")
DELAY, LENGTH, SYMBOLS = 10, 3, 4
HIDDEN, UPDATES = 24, 1400
DIGITS = 6  # of the weights, after the point


def asking_page(seed=0, updates=UPDATES, progress=True):
    """The text of the page; training takes some twenty seconds a network."""
    networks = {name: network(name, seed, updates, progress) for name in CELLS}
    chosen = {"delay": DELAY, "length": LENGTH, "symbols": SYMBOLS, "updates": updates, "seed": seed}
    known = ",".join(f"{as_json(name)}: {text}" for name, text in networks.items())
    data = f"const SETTINGS = {as_json(chosen)};\nconst NETWORKS = {{{known}}};"
    scripts = [runtime(), script("engine"), data, script("common"), script("asked")]
    return assembled("asked", TITLE, ("base", "asked"), scripts, updates=str(updates))


def network(name, seed, updates, progress):
    """The JavaScript of a network with its weights before and after training."""
    trainer = Trainer(settings(name, seed, updates), folder=None)
    cell, readout = trainer.model.layers, trainer.model.readout
    before, read_before = numbers(cell.params), numbers(readout.params)
    for _ in Bar(range(updates), desc=f"training {name}", unit="update", disable=not progress):
        trainer.update()
    for weight, value in cell.params.items():
        cell.params[weight] = value.round(DIGITS)
    label = f"{words(type(cell))[0]} ({name})"
    return printed(cell, label, before=before, readout={"before": read_before, "after": numbers(readout.params)})


def settings(name, seed, updates):
    """How the cell of that name is trained."""
    return Settings(
        task="copy",
        task_options={"delay": DELAY, "length": LENGTH, "symbols": SYMBOLS},
        cell=name,
        hidden=HIDDEN,
        updates=updates,
        batch=64,
        lr=1e-2,
        clip_norm=1.0,
        seed=seed,
        dtype="float64",
    )


def numbers(params):
    """name -> the numbers of an array, flat."""
    return {name: flat(value.round(DIGITS)) for name, value in params.items()}
