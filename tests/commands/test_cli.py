"""The `tinyrnn` command: what it makes, what its help shows, and one line for every mistake of its user."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time

import matplotlib.image
import numpy as np
import pytest

from tinyrnn.commands.main import main, make_parser
from tinyrnn.commands.train_options import named_values
from tinyrnn.core.files import read_json
from tinyrnn.tasks import TASKS
from tinyrnn.training.run_folder import RunFolder

TINY = "--length 3 --hidden 8 --batch 4 --updates 20 --log-every 5 --save-every 5"


@pytest.fixture
def tinyrnn(capsys, tmp_path, monkeypatch):
    """Runs a command line in an empty folder; returns (exit status, stdout, stderr without progress)."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("COLUMNS", "1000")  # or argparse breaks lines

    def run(line):
        try:
            status = main(shlex.split(line))
        except SystemExit as exit:  # argparse
            status = exit.code
        out, err = capsys.readouterr()
        return status, out, re.sub(r"^.*(\r| of \d+ updates, ).*$\n?", "", err, flags=re.M)

    run.folder = tmp_path / "here"
    return run


def everything(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# help -----------------------------------------------------------------------------------------------------------------


def test_every_command_has_help_with_an_example_that_it_understands(tinyrnn):
    _, _, err = tinyrnn("''")  # argparse lists the commands
    found = re.findall(r"[\w-]+", re.search(r"choose from (.*)\)", err)[1]) + [f"train {task}" for task in TASKS]
    assert {"demo", "train", "gradcheck", "reproduce", "train copy", "train mnist"} <= set(found)
    for command in found:
        status, out, err = tinyrnn(f"{command} --help")
        assert (status, err) == (0, "")
        assert not re.search(r"[^.]\.\.$|%\(|<class|TASK_", out, flags=re.M), out
        (examples,) = re.findall(r"^Example: (.*)$", out, flags=re.M)
        for example in re.split(r"; \w+ (?=tinyrnn)", examples):
            assert example.startswith(f"tinyrnn {command}")
            make_parser().parse_args(shlex.split(example)[1:])


def test_help_shows_the_defaults(tinyrnn):
    _, out, _ = tinyrnn("train copy --help")
    for text in (
        r"--symbols N +K.*\(default: 8\)",
        r"--lr X .*\(default: 0.001\)",
        r"--dtype NAME .*\(default: float32\)",
    ):
        assert re.search(text, out), text
    assert "(default: None)" not in out


# train ----------------------------------------------------------------------------------------------------------------


def test_train_saves_settings_log_checkpoint_result_and_curve(tinyrnn):
    line = f"train copy --delay 5 {TINY} --cell lstm --cell-option forget_bias=2 --optimiser-option beta1=0.8"
    status, out, err = tinyrnn(f"{line} --layers 2 --bidirectional --clip-norm 1 --seed 3")
    assert (status, err) == (0, "")
    run = RunFolder(tinyrnn.folder / "runs" / "copy-lstm-3")
    result = read_json(run.result)
    s = result["settings"]
    assert {"format": "tinyrnn-run", "version": 1, **s} == read_json(run.settings)
    assert (s["task"], s["task_options"], s["cell"], s["seed"]) == ("copy", {"delay": 5, "length": 3}, "lstm", 3)
    assert (s["cell_options"], s["optimiser_options"]) == ({"forget_bias": 2}, {"beta1": 0.8})
    assert (s["layers"], s["bidirectional"], s["clip_norm"], s["updates"], s["hidden"]) == (2, True, 1.0, 20, 8)
    assert [row["step"] for row in run.rows()] == [5, 10, 15, 20]
    assert run.load_checkpoint()[0]["step"] == 20
    assert f"test loss {result['test_loss']:.4g} = {result['test_loss_over_baseline']:.1%} of the baseline" in out
    assert out.rstrip().endswith("runs/copy-lstm-3")


def test_the_learning_curve_is_a_picture_of_the_right_size(tinyrnn):
    tinyrnn(f"train copy --delay 5 {TINY} --out run")
    picture = matplotlib.image.imread(tinyrnn.folder / "run" / "curve.png")
    assert picture.shape == (540, 960, 4)
    assert len(np.unique(picture[..., 0])) > 10  # something is drawn


@pytest.mark.few(1)
@pytest.mark.parametrize("order", ["rows", "permuted"])
def test_train_mnist_reads_the_files_and_classifies_the_test_images(order, tinyrnn, small_mnist):
    options = "--hidden 6 --batch 20 --updates 4 --test-every 2 --log-every 1 --out run"
    status, out, err = tinyrnn(f"train mnist --order {order} --cell gru {options}")
    assert (status, err) == (0, "")
    run = RunFolder(tinyrnn.folder / "run")
    result = read_json(run.result)
    assert result["settings"]["task_options"] == {"order": order}
    assert result["baseline"] == pytest.approx(np.log(10))
    assert result["test_accuracy"] * 25 == pytest.approx(round(result["test_accuracy"] * 25))  # of the 25 test images
    assert ["test_loss" in row for row in run.rows()] == [False, True, False, True]
    assert f"accuracy {result['test_accuracy']:.2%}" in out


def test_train_learns_the_images_of_a_small_mnist(tinyrnn, small_mnist):
    options = "--scaling standard --hidden 32 --batch 20 --updates 40 --lr 0.01 --log-every 1 --out run"
    tinyrnn(f"train mnist --order rows --cell elman {options}")
    rows = RunFolder(tinyrnn.folder / "run").rows()
    assert np.mean([row["loss"] for row in rows[-3:]]) < 0.5 * np.log(10)


def test_resume_goes_on_and_can_make_the_run_longer(tinyrnn):
    tinyrnn(f"train copy --delay 5 {TINY} --out run")
    status, out, _ = tinyrnn("train --resume run --updates 30")
    assert status == 0 and "30 updates" in out
    assert [row["step"] for row in RunFolder(tinyrnn.folder / "run").rows()] == [5, 10, 15, 20, 25, 30]


def test_a_diverging_run_exits_1_and_names_update_and_parameter(tinyrnn):
    options = f"{TINY} --cell elman-identity --optimiser sgd --lr 30 --clip-norm 0 --save-every 1 --updates 1000"
    status, out, err = tinyrnn(f"train copy --delay 5 {options} --out run")
    assert (status, out) == (1, "")
    found = re.fullmatch(
        r"tinyrnn: the run diverged at update (\d+): loss .* gradient not finite in layers\.W_.*\n", err
    )
    assert found, err
    assert RunFolder(tinyrnn.folder / "run").load_checkpoint()[0]["step"] == int(found[1]) - 1


def test_ctrl_c_exits_130_and_says_how_to_go_on(tmp_path):
    code = (
        "import signal, sys; from tinyrnn.commands.main import main; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); sys.exit(main(sys.argv[1:]))"
    )
    line = f"train copy --delay 5 {TINY} --updates 1000000 --out {tmp_path / 'run'}"
    process = subprocess.Popen([sys.executable, "-c", code, *shlex.split(line)], stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "run" / "checkpoint.json").exists() and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    last = err.splitlines()[-1]
    step = read_json(tmp_path / "run" / "checkpoint.json")["step"]
    assert last == f"tinyrnn: interrupted at update {step}; go on with: tinyrnn train --resume {tmp_path / 'run'}"


# mistakes -------------------------------------------------------------------------------------------------------------

COPY = f"train copy --delay 5 {TINY}"
MISTAKES = {
    "": "arguments are required: COMMAND",
    "tran": "invalid choice: 'tran'",
    "train": "name a task, one of copy, .* or go on with a run: --resume FOLDER",
    "train --updates 5": "name a task",
    "train sort": "invalid choice: 'sort'",
    "train --resume": "expected one argument",
    "train --resume nowhere": r"nowhere holds no run: there is no settings\.json",
    f"train --resume nowhere {COPY[6:]}": "--resume takes no task",
    f"train --updates 9 {COPY[6:]}": "options of the run go after the name of the task",
    "train copy": r"give exactly one of delay \(T\) and total",
    "train copy --delay 5 --total 50": "give exactly one of delay",
    "train copy --delay 0": "copy: delay must be a whole number of at least 1, got 0",
    "train copy --delay five": "invalid int value: 'five'",
    "train copy --delay 5 --recall soon": "invalid choice: 'soon'",
    "train adding --steps 1": "adding: steps must be a whole number of at least 2",
    "train mnist": "mnist/train-images-idx3-ubyte.gz",
    f"{COPY} --cell transformer": "invalid choice: 'transformer'",
    f"{COPY} --cell-option peepholes=1": "lstm has no option 'peepholes'; choose from forget_bias, learn_state",
    f"{COPY} --cell-option forget_bias": "expected NAME=VALUE, got 'forget_bias'",
    f"{COPY} --cell-option forget_bias=high": "lstm: could not convert string to float: 'high'",
    f"{COPY} --cell elman --cell-option activation=sin": "elman: unknown activation 'sin'; choose from tanh, relu",
    f"{COPY} --cell lt-ornn --cell-option transition=up": "lt-ornn: transition must be ",
    f"{COPY} --optimiser adamw": "unknown optimiser 'adamw'; choose from sgd, rmsprop, adam",
    f"{COPY} --optimiser-option rho=0.9": "adam has no option 'rho'; choose from beta1, beta2, eps",
    f"{COPY} --optimiser-option beta1=1": "adam: beta1 must be at least 0",
    f"{COPY} --optimiser rmsprop --optimiser-option variant=x": "rmsprop: unknown variant 'x'",
    f"{COPY} --schedule up": "unknown schedule 'up'; choose from constant, cosine",
    f"{COPY} --dtype float16": "dtype must be float32 or float64, got 'float16'",
    f"{COPY} --layers 0": "layers must be at least 1, got 0",
    f"{COPY} --hidden 0": "hidden must be at least 1, got 0",
    f"{COPY} --batch 0": "batch must be at least 1, got 0",
    f"{COPY} --updates 0": "updates must be at least 1, got 0",
    f"{COPY} --lr=-0.1": r"lr must be at least 0, got -0\.1",
    f"{COPY} --lr nan": "lr must be at least 0, got nan",
    f"{COPY} --lr big": "invalid float value: 'big'",
    f"{COPY} --clip-norm=-1": r"clip_norm must be at least 0, got -1\.0",
    f"{COPY} --truncate=-1": "truncate must be at least 0, got -1",
    f"{COPY} --seed=-1": "seed must be at least 0, got -1",
    f"{COPY} --pool 9": "PooledReadout: cannot pool 8 units by size 9",
    f"{COPY} --save-every 0": "save_every must be at least 1, got 0",
    f"{COPY} --out /dev/null/run": "/dev/null/run",
    f"{COPY} --out=": "--out needs a name, and got an empty one",
    "teach handout 3 --out=": "--out needs a name",
    "gradcheck transformer": "unknown cell 'transformer'; choose from elman, ",
    "demo --updates 0": "updates must be at least 1, got 0",
    "demo --updates many": "invalid int value: 'many'",
    "reproduce everything": "invalid choice: 'everything'",
    "reproduce copy-100 --seeds 0": "--seeds must be at least 1, got 0",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_exits_2_with_one_line_and_writes_nothing(line, tinyrnn, offline):
    status, out, err = tinyrnn(line)
    assert (status, out) == (2, "")
    assert "Traceback" not in err
    *usage, message = err.splitlines()
    assert re.search(MISTAKES[line], message), err
    assert message.startswith("tinyrnn") and (not usage or usage[0].startswith("usage: tinyrnn"))  # argparse's, or ours
    assert everything(tinyrnn.folder) == {}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "line", [f"{COPY} --out run", "train --resume run --updates 3", "train --resume run --updates 0"]
)
def test_a_mistake_about_an_existing_run_loses_nothing_of_it(line, tinyrnn):
    tinyrnn(f"{COPY} --out run")
    before = everything(tinyrnn.folder)
    status, _, err = tinyrnn(line)
    assert status == 2 and err.startswith("tinyrnn: ") and len(err.splitlines()) == 1
    assert everything(tinyrnn.folder) == before


DAMAGED = ("{", "[]", '"copy"', "{}", '{"task": "copy", "speed": 3}')
DAMAGED += ('{"task_options": {"delay": "5"}}', '{"layers": "2"}')


def test_damaged_settings_are_a_mistake_of_one_line(tinyrnn):
    tinyrnn(f"{COPY} --out run")
    for text in DAMAGED:
        (tinyrnn.folder / "run" / "settings.json").write_text(text)
        before = everything(tinyrnn.folder)
        status, _, err = tinyrnn("train --resume run")
        assert status == 2 and err.startswith("tinyrnn: ") and len(err.splitlines()) == 1, text
        assert everything(tinyrnn.folder) == before, text


def test_too_little_memory_is_said_in_one_line(tinyrnn, monkeypatch):
    def refuse(settings, folder):
        raise MemoryError("Unable to allocate 149. PiB")

    monkeypatch.setattr("tinyrnn.commands.train.Trainer", refuse)
    assert tinyrnn(COPY) == (2, "", "tinyrnn: not enough memory: Unable to allocate 149. PiB\n")


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
@pytest.mark.parametrize("line", ["read", pytest.param("analyse list", marks=pytest.mark.slow)])
def test_who_reads_only_the_beginning_of_what_is_printed_sees_no_error(line):
    read_end, write_end = os.pipe()
    os.close(read_end)  # before the first word is printed
    with os.fdopen(write_end, "wb") as out:
        made = subprocess.run([sys.executable, "-m", "tinyrnn", *line.split()], stdout=out, stderr=subprocess.PIPE)
    assert (made.returncode, made.stderr) == (141, b"")


def test_options_are_json_where_they_can_be_and_else_text():
    pairs = ["a=1", "b=0.5", "c=true", "d=null", "e=relu", 'f="7"', "g=x=y", "h="]
    values = {"a": 1, "b": 0.5, "c": True, "d": None, "e": "relu", "f": "7", "g": "x=y", "h": ""}
    assert named_values(pairs) == values


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize(
    "words",
    [
        ["lines", "ex2_elman.py"],
        ["gradcheck", "ex2_elman.py"],
        ["step", "ex2_elman.py"],
        ["check", "2"],
        ["submit", "2"],
        ["sweep", "ex2_elman.py"],
        ["teach", "table", ".", "--class", "ex2_elman.py", "--out", "course.csv"],
    ],
    ids=" ".join,
)
def test_a_pipe_in_place_of_a_file_is_not_waited_for(words, tmp_path, monkeypatch, capsys):
    def still_waiting(number, frame):
        raise AssertionError("it waits for somebody to write")

    monkeypatch.chdir(tmp_path)
    os.mkfifo("ex2_elman.py")
    before = signal.signal(signal.SIGALRM, still_waiting)
    signal.alarm(30)
    try:
        assert main(words) == 2
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    said = capsys.readouterr().err
    assert said.startswith("tinyrnn: ") and said.count("\n") == 1
