"""What defines a training run, and the network that it describes."""

import math
from dataclasses import asdict, dataclass, field, fields

import numpy as np

from tinyrnn.cells import CELLS
from tinyrnn.core.backend import module_of, placed
from tinyrnn.core.files import check_label, read_json
from tinyrnn.core.signatures import option_names
from tinyrnn.init.by_name import LEARNT, initialise
from tinyrnn.nn.encoder_decoder import EncoderDecoder
from tinyrnn.nn.heads import Embedding, PooledReadout, Readout, TiedReadout
from tinyrnn.nn.layers import Bidirectional, Stack
from tinyrnn.nn.model import Model
from tinyrnn.nn.recompute.revolve import budget
from tinyrnn.nn.ridge import check_readout
from tinyrnn.tasks import TASKS, Task
from tinyrnn.training import tricks

LEAST = {name: 1 for name in ("hidden", "layers", "updates", "batch", "workers", "log_every", "save_every")} | {
    name: 0
    for name in (
        *("pool", "seed", "lr", "manifold_lr", "clip_norm", "clip_value", "clip_state", "truncate", "threads"),
        *("test_every", "embedding", "drop_by", "ridge", "examples", "patience", "nonmono"),
    )
}


# What `tinyrnn train TASK` does unless told otherwise: settings with which the task's best cells solve it.
STEADY = {"schedule": "cosine", "clip_norm": 1.0}
TASK_DEFAULTS = {
    "copy": {"updates": 2000, **STEADY},
    "copy-variable": {"updates": 2000, **STEADY},
    "adding": {"updates": 3000, "batch": 50, **STEADY},
    "mnist": {"updates": 4000, "batch": 64, "lr": 2e-3, "test_every": 1000, **STEADY},
    "ptb-word": {"updates": 3000, "hidden": 200, "embedding": 200, "lr": 2e-3, "test_every": 1000, **STEADY},
    "ptb-char": {"updates": 3000, "hidden": 256, "batch": 32, "lr": 2e-3, "test_every": 1000, **STEADY},
    "enwik8": {"updates": 3000, "hidden": 256, "batch": 32, "lr": 2e-3, "test_every": 1000, **STEADY},
    "car-racing": {"updates": 600, "hidden": 256, "clip_value": 1.0, "test_every": 200},
    "translation": {"updates": 5000, "batch": 32, "lr": 4e-3, "test_every": 1000, **STEADY},
    "text": {"updates": 2000, "batch": 32, "lr": 2e-3, "test_every": 500, **STEADY},
}


@dataclass(frozen=True)
class Settings:
    """All that defines a run; saved with it as JSON. ValueError in one line for what no run can have."""

    task: str = "copy"
    task_options: dict = field(default_factory=dict)  # fields of the task's class
    cell: str = "lstm"
    cell_options: dict = field(default_factory=dict)  # keyword arguments of the cell's class
    init: str = ""  # of the cells' weights, a name in `tinyrnn.init.by_name`; "": as each cell's class does it
    init_options: dict = field(default_factory=dict)  # its keyword arguments
    hidden: int = 128
    layers: int = 1
    embedding: int = 0  # size of the vectors that stand for the input's classes, 0: the cells see the classes
    bidirectional: bool = False
    pool: int = 0  # pool size of the readout, 0 for a plain one
    readout: str = "gradient"  # how the readout is trained; "ridge": in closed form, and nothing else is trained;
    # "ridge-start": it starts as found in closed form, and then all is trained by gradients
    ridge: float = 1e-6  # then, the penalty on its weights (see `tinyrnn.nn.ridge.fit_readout`)
    updates: int = 1000
    batch: int = 20
    examples: int = 0  # different training sequences, of which the same batches come again and again; 0: fresh ones
    seed: int = 0
    dtype: str = "float32"
    optimiser: str = "adam"
    optimiser_options: dict = field(default_factory=dict)
    lr: float = 1e-3
    manifold_lr: float = 0.0  # of matrices that are kept unitary by Cayley steps (`tinyrnn.optim.manifolds`); 0: as lr
    manifold_rms: bool = False  # divide their gradient by a running root mean square first
    schedule: str = "constant"
    drop_epochs: str = ""  # such as "25,35": after so many epochs the rate is multiplied by drop_by, each time
    drop_by: float = 0.1
    clip_norm: float = 0.0  # 0: no clipping
    clip_value: float = 0.0
    clip_state: float = 0.0  # norm of the state beyond which it is rescaled (activation clipping), 0: none
    average: bool = False  # 1/T normalisation of the hidden gradients
    detach: float = 0.0  # probability that a step passes no gradient through h; see `tinyrnn.training.tricks`
    detach_anneal: float = 0.0  # share of the updates, the last ones, in which all steps pass it
    regularisers: dict = field(default_factory=dict)  # name -> strength, see `tinyrnn.nn.regularisers.REGULARISERS`
    dropout_input: float = 0.0  # probabilities, see `tinyrnn.nn.dropout`
    dropout_layers: float = 0.0
    dropout_output: float = 0.0
    dropout_embedding: float = 0.0
    weight_drop: float = 0.0
    tied: bool = False  # the readout's weights are the embedding's
    truncate: int = 0  # truncated BPTT over this many steps, 0: the whole sequence
    checkpoint: str = (
        ""  # memory for backpropagation ("512 MiB"), or a number of steps; see `tinyrnn.nn.recompute.revolve`
    )
    compiled: bool = True  # run the cells' steps as machine code where that can be made
    device: str = "cpu"  # "cuda": a GPU, by CuPy
    threads: int = 0  # of compiled cells, 0: one per core; and of matrix products elsewhere, 0: one
    workers: int = 1  # that share each batch; `threads` is then each one's, and no more than its share of the cores
    log_every: int = 10
    test_every: int = 0  # 0: at the end only
    validate: bool = False  # test on validation data, and on the test set at the end only, even where a task would not
    patience: int = 0  # tests on it in a row without a new best one after which the run ends; 0: it goes on
    keep_best: bool = False  # end with the weights of the best of them
    nonmono: int = 0  # NT-ASGD's n, see `tinyrnn.training.averaging`; 0: weights are not averaged
    save_every: int = 100

    def __post_init__(self):
        for name, least in LEAST.items():
            if not least <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be at least {least}, got {getattr(self, name)}")
        if self.workers > self.batch:
            raise ValueError(f"workers must be at most the batch's {self.batch} sequences, got {self.workers}")
        if 0 < self.examples < self.batch:
            raise ValueError(f"examples must be at least the batch's {self.batch} sequences, got {self.examples}")
        if (self.patience or self.keep_best or self.nonmono) and not self.test_every:
            raise ValueError("patience, keep_best and nonmono go by tests while training: set test_every")
        if self.readout not in ("gradient", "ridge", "ridge-start"):
            raise ValueError(f"readout must be gradient, ridge or ridge-start, got {self.readout!r}")
        if self.readout == "ridge" and (self.pool or self.workers > 1):
            raise ValueError("a ridge readout has no pool, and is found by one worker")
        if self.init_options and not self.init:
            raise ValueError("options of an initialiser without one: name it with init")
        if self.checkpoint:
            plan_of(self.checkpoint)
        epochs_of(self.drop_epochs)
        if self.device not in ("cpu", "cuda"):
            raise ValueError(f"device must be cpu or cuda, got {self.device!r}")
        if self.device != "cpu" and self.workers > 1:
            raise ValueError("workers share a processor's memory: on a GPU there is one")
        if self.dtype not in ("float32", "float64"):
            raise ValueError(f"dtype must be float32 or float64, got {self.dtype!r}")
        tricks.check(self)


FORMAT, VERSION = "tinyrnn-run", 1


def as_json(settings):
    """The content of a run's settings.json."""
    return {"format": FORMAT, "version": VERSION, **asdict(settings)}


def settings_of(folder):
    """The `Settings` of the run in a `RunFolder`. FileNotFoundError or ValueError in one line if there is none."""
    path = folder.settings
    if not path.exists():
        raise FileNotFoundError(f"{folder.path} holds no run: there is no {path.name}")
    found = read_json(path)
    check_label(path, found, FORMAT, VERSION)
    found = {name: value for name, value in found.items() if name not in ("format", "version")}
    for name in sorted(found.keys() - {setting.name for setting in fields(Settings)}):
        raise ValueError(f"{path} has the setting {name!r}, which this tinyrnn does not know: another version wrote it")
    try:
        return Settings(**found)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None


def batch_of(settings, task, step):
    """The batch of update number `step` (0, 1, …).

    Of a fixed set of examples, the same batches come again and again in the same order, as in the code of Arjovsky et
    al. 2015; a remainder that fills none is left out.
    """
    if settings.examples:
        step %= settings.examples // settings.batch
    return placed(task.batch(settings.seed, step, settings.batch, settings.dtype), module_of(settings.device))


def gradient_options(settings, step):
    """Keyword arguments for `Model.gradients` in update number `step`."""
    return tricks.drawn(settings, step) | {
        "average": settings.average,
        "truncate": settings.truncate or None,
        "checkpoint": plan_of(settings.checkpoint) if settings.checkpoint else None,
    }


def plan_of(checkpoint):
    """The setting as `tinyrnn.nn.recompute.revolve` takes it; ValueError in one line if it is no such thing."""
    if checkpoint.isdigit():
        return int(checkpoint)
    if checkpoint != "inverse":
        budget(checkpoint)
    return checkpoint


def epochs_of(drop_epochs):
    """The setting as a list of numbers; ValueError in one line if it is no such thing."""
    try:
        return [int(number) for number in str(drop_epochs).split(",")] if drop_epochs else []
    except ValueError:
        raise ValueError(f'drop_epochs must be numbers of epochs such as "25,35", got {drop_epochs!r}') from None


def build(settings):
    """(task, model) of a run, the weights drawn from its seed."""
    task_class = pick(TASKS, settings.task, "task")
    for option in settings.task_options:
        pick({known.name: known for known in fields(task_class)}, option, f"option of {settings.task}")
    task = task_class(**settings.task_options)
    common = {"rng": np.random.default_rng(settings.seed), "dtype": settings.dtype}
    if task.carries and settings.bidirectional:
        raise ValueError(f"{settings.task} is read from its beginning on, and cannot be bidirectional")
    if settings.examples and type(task).batch is not Task.batch:
        raise ValueError(f"{settings.task} has its own examples: examples must be 0")
    if task.pairs and settings.readout != "gradient":
        raise ValueError(f"{settings.task} is done by an encoder and a decoder, which have no ridge readout")
    model = (build_pair if task.pairs else build_model)(settings, task, common)
    if settings.readout != "gradient":
        check_readout(model)
    model = model.compile(settings.threads or None) if settings.compiled else model.interpret()
    return task, model if settings.device == "cpu" else model.to(module_of(settings.device))


def build_model(settings, task, common):
    """The network that settings describe for a task; common: options that all its cells take."""
    embedding = Embedding(task.input_size, settings.embedding, **common) if settings.embedding else None
    body = build_layers(settings, settings.embedding or task.input_size, common)
    if settings.pool:
        readout = PooledReadout(body.output_size, task.output_size, size=settings.pool, **common)
    else:
        readout = (TiedReadout if settings.tied else Readout)(body.output_size, task.output_size, **common)
    dropout = tricks.dropout(settings)
    model = Model(body, readout, loss=task.loss, at=task.readout, embedding=embedding, dropout=dropout)
    tricks.regularise(body, settings)
    return model


def build_pair(settings, task, common):
    """An encoder and a decoder alike, except that only the encoder may have a learned initial state."""
    for name in ("bidirectional", "pool"):
        if getattr(settings, name):
            raise ValueError(f"{settings.task} is done by an encoder and a decoder, which have no {name}")
    tricks.refuse(settings)
    source = target = None
    if settings.embedding:
        source = Embedding(task.input_size, settings.embedding, **common)
        target = Embedding(task.output_size, settings.embedding, **common)
    encoder = build_layers(settings, settings.embedding or task.input_size, common)
    decoder = build_layers(settings, settings.embedding or task.output_size, common, learn_state=False)
    readout = Readout(decoder.output_size, task.output_size, **common)
    for half in encoder, decoder:
        tricks.regularise(half, settings)
    return EncoderDecoder(encoder, decoder, readout, source, target, reverse=task.reverse)


def build_layers(settings, size, common, **forced):
    """The recurrent layers that the settings describe, reading `size` features or classes."""
    cell_class, options = pick(CELLS, settings.cell, "cell")
    clipped = {"clip_state": settings.clip_state} if settings.clip_state else {}
    options = {**options, **clipped, **settings.cell_options, **forced}
    layers = []
    for layer in range(settings.layers):
        units = settings.hidden
        if settings.tied and layer == settings.layers - 1:
            units = tied_units(settings, cell_class, options)
        cells = [
            construct(settings.cell, cell_class, options, size, units, **common)
            for _ in range(1 + settings.bidirectional)
        ]
        for cell in cells if settings.init and settings.init not in LEARNT else ():  # see training.from_data
            initialise(cell, settings.init, common["rng"], **settings.init_options)
        layers.append(Bidirectional(*cells) if settings.bidirectional else cells[0])
        size = layers[-1].output_size
    return layers[0] if len(layers) == 1 else Stack(*layers)


def tied_units(settings, cell_class, options):
    """Units of the last layer if the readout is tied: as many as give the embedding's features (Merity et al. 2018)."""
    probe = construct(settings.cell, cell_class, options, 1, settings.hidden, rng=0)
    width = probe.output_size * (1 + settings.bidirectional)
    units, left = divmod(settings.embedding * settings.hidden, width)
    if left:
        raise ValueError(
            f"tied: {settings.cell} has {width} outputs for {settings.hidden} units, so that no number of units has "
            f"the embedding's {settings.embedding}"
        )
    return units


def pick(table, name, what):
    """table[name], or a ValueError that lists the names."""
    if name not in table:
        raise ValueError(f"unknown {what} {name!r}; choose from {', '.join(table)}")
    return table[name]


def construct(name, cls, options, *arguments, **fixed):
    """cls(*arguments, **fixed, **options), or a ValueError in one line that begins with `name`.

    options: what the user has chosen of the constructor's other arguments.
    """
    allowed = [option for option in option_names(cls)[len(arguments) :] if option not in fixed]
    for option in options:
        if option not in allowed:
            raise ValueError(f"{name} has no option {option!r}; choose from {', '.join(allowed)}")
    try:
        return cls(*arguments, **fixed, **options)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from error
