"""The `tinyrnn` command. Each command is a function here; what it does lives in the module it imports.

A user's mistake is one line on stderr and exit status 2, a failed check or run is status 1, an interrupt 130; a
traceback would be a bug of ours.
"""

import argparse
import dataclasses
import sys

from tinyrnn import profile_command as bench
from tinyrnn import translate_command as translate
from tinyrnn.cells import CELLS
from tinyrnn.gallery import command as analyses
from tinyrnn.stepping import command as stepping
from tinyrnn.tasks import TASKS
from tinyrnn.tasks import car_racing_recording as racing
from tinyrnn.training import sampling
from tinyrnn.training.options import SETTING_HELP, add_named_options, add_setting, add_task_options, named_settings
from tinyrnn.training.settings import TASK_DEFAULTS, Settings
from tinyrnn.training.trainer import Diverged, Trainer, WorkerFailed
from tinyrnn.verdicts import command as lines


def main(argv=None):
    """Run the command line `argv` (default: the process's); returns the exit status."""
    parser = make_parser()
    args = parser.parse_args(argv)
    try:
        return args.run(args) or 0
    except (ValueError, TypeError, OSError) as error:
        print(f"tinyrnn: {error}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"tinyrnn: not enough memory: {error}", file=sys.stderr)
        return 2
    except Diverged as error:
        print(f"tinyrnn: the run diverged at {error}", file=sys.stderr)
        return 1
    except WorkerFailed as error:
        print(f"tinyrnn: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tinyrnn: interrupted", file=sys.stderr)
        return 130


def make_parser():
    parser = argparse.ArgumentParser(prog="tinyrnn", description="Recurrent networks with every backward pass by hand.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_demo(commands)
    add_train(commands)
    add_gradcheck(commands)
    lines.add_arguments(add_command(commands, "lines", lines.run_lines, lines.LINES_HELP, lines.LINES_EXAMPLE))
    stepping.add_arguments(add_command(commands, "step", stepping.run_step, stepping.STEP_HELP, stepping.STEP_EXAMPLE))
    racing.add_arguments(add_command(commands, "record", racing.run_record, racing.RECORD_HELP, racing.RECORD_EXAMPLE))
    sampling.add_arguments(
        add_command(commands, "sample", sampling.run_sample, sampling.SAMPLE_HELP, sampling.SAMPLE_EXAMPLE)
    )
    translate.add_arguments(
        add_command(
            commands, "translate", translate.run_translate, translate.TRANSLATE_HELP, translate.TRANSLATE_EXAMPLE
        )
    )
    bench.add_arguments(add_command(commands, "bench", bench.run_bench, bench.BENCH_HELP, bench.BENCH_EXAMPLE))
    add_reproduce(commands)
    analyses.add_arguments(add_command(commands, "analyse", None, analyses.ANALYSE_HELP, analyses.ANALYSE_EXAMPLE))
    add_cells(commands)
    return parser


def add_command(commands, name, run, help, example):
    description = f"{help[0].upper()}{help[1:].rstrip('.')}."
    command = commands.add_parser(name, help=help, description=description, epilog=f"Example: {example}")
    command.set_defaults(run=run)
    return command


# demo -----------------------------------------------------------------------------------------------------------------


def add_demo(commands):
    command = add_command(
        commands,
        "demo",
        run_demo,
        "check the cells, train two of them on the copy task side by side, draw what happens",
        "tinyrnn demo --out runs/demo",
    )
    command.add_argument("--out", default="runs/demo", help="folder for the picture (default: %(default)s)")
    command.add_argument("--updates", type=int, default=1200, help="updates (default: %(default)s)")


def run_demo(args):
    from tinyrnn.training.demo import demo

    return demo(args.out, args.updates)


# train ----------------------------------------------------------------------------------------------------------------


def add_train(commands):
    command = add_command(
        commands,
        "train",
        run_resume,
        "train a cell on a task",
        "tinyrnn train copy --delay 100 --cell lt-ornn; later tinyrnn train --resume runs/copy-lt-ornn-0",
    )
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
    if args.resume is not None or args.new_updates is not None:
        raise ValueError("options of the run go after the name of the task, and --resume takes no task")
    task_options = {
        f.name: getattr(args, f"task_{f.name}")
        for f in dataclasses.fields(TASKS[args.task])
        if getattr(args, f"task_{f.name}") != f.default
    }
    settings = Settings(
        task=args.task,
        task_options=task_options,
        cell=args.cell,
        **named_settings(args),
        **{name: getattr(args, name) for name in SETTING_HELP},
    )
    return run_trainer(Trainer(settings, args.out or f"runs/{args.task}-{args.cell}-{args.seed}"))


def run_resume(args):
    if args.resume is None:
        raise ValueError("name a task, one of " + ", ".join(TASKS) + ", or go on with a run: --resume FOLDER")
    return run_trainer(Trainer.resume(args.resume, args.new_updates))


def run_trainer(trainer):
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
    # of a density's logarithm, which may have any sign, a share says nothing
    share = "against" if trainer.task.loss == "mixture_density" else f"= {result['test_loss_over_baseline']:.1%} of"
    print(
        f"{result['settings']['cell']}, {result['parameters']} parameters: test loss {result['test_loss']:.4g} "
        f"{share} the baseline {result['baseline']:.4g}{more}, "
        f"{result['settings']['updates']} updates in {result['seconds']:.0f} s"
    )
    if trainer.note:
        print(f"note: {trainer.note}")
    print(f"settings, log, checkpoint, result and learning curve: {folder}")
    return 0


# gradcheck ------------------------------------------------------------------------------------------------------------


def add_gradcheck(commands):
    command = add_command(
        commands,
        "gradcheck",
        run_gradcheck,
        "check a cell's hand-written gradients against numerical ones",
        "tinyrnn gradcheck lstm",
    )
    command.add_argument("cell", help=f"all, or one of {', '.join(CELLS)}")
    command.add_argument(
        "--seed", type=int, default=0, help="seed of weights, inputs and upstream (default: %(default)s)"
    )


def run_gradcheck(args):
    from tinyrnn.checking.gradcheck import gradcheck
    from tinyrnn.training.trainer import pick

    names = list(CELLS) if args.cell == "all" else [args.cell]
    ok = True
    for name in names:
        cell_class, options = pick(CELLS, name, "cell")
        report = gradcheck(cell_class(4, 6, rng=args.seed, **options), rng=args.seed)
        print(report)
        ok = ok and report.ok
    return 0 if ok else 1


# reproduce ------------------------------------------------------------------------------------------------------------


def add_reproduce(commands):
    from tinyrnn.training.experiments import EXPERIMENTS

    command = add_command(
        commands,
        "reproduce",
        run_reproduce,
        "rerun a claim of the papers: several cells, several seeds, one table and one picture",
        "tinyrnn reproduce copy-100 --seeds 3",
    )
    command.add_argument("experiment", choices=EXPERIMENTS, metavar="NAME", help=f"one of {', '.join(EXPERIMENTS)}")
    command.add_argument("--seeds", type=int, default=3, help="runs of each cell (default: %(default)s)")
    command.add_argument("--jobs", type=int, default=2, help="runs at a time, one core each (default: %(default)s)")
    command.add_argument("--out", help="folder (default: runs/NAME); finished runs found there are not run again")


def run_reproduce(args):
    from tinyrnn.training.experiments import reproduce

    return reproduce(args.experiment, args.seeds, args.jobs, args.out or f"runs/{args.experiment}")


# cells ----------------------------------------------------------------------------------------------------------------


def add_cells(commands):
    add_command(
        commands,
        "cells",
        run_cells,
        "print a table of all cells: source, state, parameters, cost and use",
        "tinyrnn cells",
    )


def run_cells(args):
    from tinyrnn.catalogue import markdown

    print(markdown(), end="")
