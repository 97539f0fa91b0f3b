"""`tinyrnn train`: a cell on a task, with an option for every setting."""

import dataclasses
import sys

from tinyrnn.cells import CELLS
from tinyrnn.commands.parsers import add_command
from tinyrnn.commands.train_options import (
    SETTING_HELP,
    add_named_options,
    add_setting,
    add_task_options,
    named_settings,
)
from tinyrnn.tasks import TASKS
from tinyrnn.training.settings import TASK_DEFAULTS, Settings
from tinyrnn.training.trainer import Trainer

EXAMPLE = "tinyrnn train copy --delay 100 --cell lt-ornn; later tinyrnn train --resume runs/copy-lt-ornn-0"


def add_arguments(command):
    """The arguments of the command, and a subcommand for each task."""
    command.add_argument("--resume", metavar="FOLDER", help="go on with the run in FOLDER, at its newest checkpoint")
    command.add_argument(
        "--updates", type=int, dest="new_updates", metavar="N", help="with --resume: the new total number of updates"
    )
    tasks = command.add_subparsers(dest="task", metavar="TASK")
    for name, task in TASKS.items():
        summary = task.__doc__.splitlines()[0]
        example = f"tinyrnn train {name} --cell lstm --updates 1000" + (
            " --delay 100" if name.startswith("copy") else ""
        )
        sub = add_command(tasks, name, run_train, summary, example)
        add_task_options(sub.add_argument_group("the task"), task)
        group = sub.add_argument_group("the run")
        group.add_argument("--cell", default="lstm", choices=CELLS, metavar="NAME", help=f"one of {', '.join(CELLS)}")
        group.add_argument("--out", metavar="FOLDER", help="where the run goes (default: runs/TASK-CELL-SEED)")
        add_named_options(group)
        for setting in dataclasses.fields(Settings):
            if setting.name in SETTING_HELP:
                add_setting(group, setting, TASK_DEFAULTS[name].get(setting.name, setting.default))


def run_train(args):
    """Begins a run with the settings that the options give."""
    if args.resume is not None or args.new_updates is not None:
        raise ValueError("options of the run go after the name of the task, and --resume takes no task")
    return run_trainer(Trainer(settings_of(args), args.out or f"runs/{args.task}-{args.cell}-{args.seed}"))


def settings_of(args):
    """The `Settings` that the options of a task and of a run give."""
    task_options = {
        f.name: getattr(args, f"task_{f.name}")
        for f in dataclasses.fields(TASKS[args.task])
        if getattr(args, f"task_{f.name}") != f.default
    }
    return Settings(
        task=args.task,
        task_options=task_options,
        cell=args.cell,
        **named_settings(args),
        **{name: getattr(args, name) for name in SETTING_HELP},
    )


def run(args):
    """Goes on with a run; without a task there is nothing else to do."""
    if args.resume is None:
        raise ValueError("name a task, one of " + ", ".join(TASKS) + ", or go on with a run: --resume FOLDER")
    trainer = Trainer.resume(args.resume, args.new_updates)
    if trainer.step == 0:
        print(f"tinyrnn: {args.resume} has no checkpoint yet: the run begins again at update 0", file=sys.stderr)
    return run_trainer(trainer)


def run_trainer(trainer):
    """Trains to the end and says what came out; 130 if interrupted, with the line that goes on."""
    folder = trainer.folder.path
    try:
        result = trainer.run()
    except KeyboardInterrupt:
        if not trainer.started:
            raise
        print(
            f"tinyrnn: interrupted at update {trainer.step}; go on with: tinyrnn train --resume {folder}",
            file=sys.stderr,
        )
        return 130
    more = f", accuracy {result['test_accuracy']:.2%}" if "test_accuracy" in result else ""
    for measure in trainer.task.measures:
        more += f", {result[f'test_{measure.key}']:.4g} {measure.words}"
    if trainer.task.pairs:
        more += f", {result['test_exact']:.1%} of the sentences right to the last word, BLEU {result['test_bleu']:.1%}"
    # of a loss that may have any sign, a share says nothing
    share = "against" if trainer.model.loss.signed else f"= {result['test_loss_over_baseline']:.1%} of"
    print(
        f"{result['settings']['cell']}, {result['parameters']} parameters: test loss {result['test_loss']:.4g} "
        f"{share} the baseline {result['baseline']:.4g}{more}, "
        f"{result['settings']['updates']} updates in {result['seconds']:.0f} s"
    )
    if trainer.note:
        print(f"note: {trainer.note}")
    print(f"settings, log, checkpoint, result and learning curve: {folder}")
    return 0
