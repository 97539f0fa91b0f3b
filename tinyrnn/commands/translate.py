"""`tinyrnn translate`: what a trained encoder-decoder says to a sentence."""

from tinyrnn.nn.encoder_decoder import EncoderDecoder
from tinyrnn.nn.saving import load
from tinyrnn.tasks import TASKS
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import settings_of

EXAMPLE = 'tinyrnn translate runs/translation-lstm-0 "my small dog sees the red house"'


def add_arguments(command):
    """The arguments of the command, for its parser."""
    command.add_argument("run_folder", metavar="RUN", help="folder of a run of `tinyrnn train translation`")
    command.add_argument("sentence", help="in the task's source language; an unknown word is answered with a list")
    command.add_argument("--sample", action="store_true", help="draw each word from the softmax, not the likeliest")
    command.add_argument("--temperature", type=float, default=1.0, help="of --sample (default: %(default)s)")
    command.add_argument("--seed", type=int, default=0, help="of --sample (default: %(default)s)")


def run(args):
    """Prints the translation."""
    task, model = finished(args.run_folder)
    words, mask = model.decode(
        task.read(args.sentence),
        how="sample" if args.sample else "greedy",
        temperature=args.temperature,
        rng=args.seed,
        max_length=4 * task.longest,
    )
    print(" ".join(task.sentences(words, mask)[0]))
    return 0


def finished(folder):
    """(task, network) of a finished run. Raises FileNotFoundError or ValueError in one line if it is no such thing."""
    run = RunFolder(folder)
    settings = settings_of(run)
    task_class = TASKS.get(settings.task)
    if task_class is None or not task_class.pairs:
        raise ValueError(f"{folder} is a run of {settings.task}, not of a translation")
    if not run.model.exists():
        raise FileNotFoundError(f"{folder} is not finished: go on with: tinyrnn train --resume {folder}")
    task, model = task_class(**settings.task_options), load(run.model)
    if not isinstance(model, EncoderDecoder):
        raise ValueError(f"{run.model} holds a {type(model).__name__}, not an encoder-decoder")
    return task, model
