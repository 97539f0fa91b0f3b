"""A training run on disk: settings, log, checkpoint, result; whatever is killed, what is there is whole.

    settings.json            exactly what was run
    log.jsonl                one line of numbers every few updates
    checkpoint.json          the newest checkpoint: the step, and name and checksum of its arrays' file
    checkpoint-*.safetensors weights, fixed arrays and optimiser state
    result.json, curve.png   written at the end, as is
    model.safetensors        the trained network, for `tinyrnn.nn.interop.load`

A checkpoint is two files: the arrays come first under a new name, and it exists from the moment checkpoint.json names
them. All but the log are written as `tinyrnn.core.files` does it.
"""

import json
from pathlib import Path

from safetensors import SafetensorError
from safetensors.numpy import load

from tinyrnn.core.files import (
    TEMPORARY,
    check_label,
    checksum,
    read_json,
    refuse_pipe,
    write_arrays,
    write_atomically,
    write_json,
)

FORMAT, VERSION = "tinyrnn-checkpoint", 1
LABELS = {"format", "version", "arrays_checksum", "checksum"}  # what checkpoints had none of before there were versions


class RunFolder:
    """The folder of one run; creates nothing until something is written."""

    def __init__(self, path):
        self.path = Path(path)
        self.log = self.path / "log.jsonl"
        self.settings = self.path / "settings.json"
        self.checkpoint = self.path / "checkpoint.json"
        self.result = self.path / "result.json"
        self.model = self.path / "model.safetensors"
        self.curve = self.path / "curve.png"

    def start(self, settings):
        """Begin a new run here, by its settings. FileExistsError if a run is already here."""
        if self.settings.exists() or self.log.exists():
            raise FileExistsError(f"{self.path} already holds a run: use --resume to go on with it, or another --out")
        self.path.mkdir(parents=True, exist_ok=True)
        write_json(self.settings, settings)

    def append(self, row):
        """Adds one line to the log, a dict."""
        with open(self.log, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def rows(self):
        """The log's rows, none if there is no log; a line that was cut off is left out. ValueError in one line for
        anything else that is no row."""
        rows = []
        refuse_pipe(self.log)
        for number, line in enumerate(
            self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else (), 1
        ):
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue
            if not isinstance(row, dict) or type(row.get("step")) is not int:
                raise ValueError(f"{self.log}: line {number} is no row of a log, without its step: delete the line")
            rows.append(row)
        return rows

    def rewind(self, step):
        """Drop the log's rows of updates after `step`, which will be made again, and files that were left half-made."""
        lines = [json.dumps(row) + "\n" for row in self.rows() if row["step"] <= step]
        write_atomically(self.log, lambda temporary: temporary.write_text("".join(lines), encoding="utf-8"))
        for unfinished in self.path.glob(f"{TEMPORARY}*"):
            unfinished.unlink()

    def save_checkpoint(self, step, arrays, extra):
        """arrays: name -> NumPy array. extra: JSON values kept with the step."""
        file = f"checkpoint-{step:08d}.safetensors"
        arrays_checksum = write_arrays(self.path / file, arrays)
        record = {"format": FORMAT, "version": VERSION, "step": step, "arrays": file, **extra}
        record["arrays_checksum"] = arrays_checksum
        write_json(self.checkpoint, record | {"checksum": checksum(record)})
        for old in self.path.glob("checkpoint-*.safetensors"):
            if old.name != file:
                old.unlink()

    def load_checkpoint(self):
        """(record, arrays) of the newest checkpoint; FileNotFoundError without one, ValueError if it is damaged."""
        if not self.checkpoint.exists():
            raise FileNotFoundError(f"{self.path} has no checkpoint to resume from")
        record = self.record()
        try:
            refuse_pipe(self.path / record["arrays"])
            content = (self.path / record["arrays"]).read_bytes()
            if record.get("arrays_checksum", checksum(content)) != checksum(content):
                raise ValueError(f"{record['arrays']} is not what was written")
            return record, load(content)
        except (ValueError, KeyError, TypeError, OSError, SafetensorError) as error:
            raise self.damaged(error) from None

    def record(self):
        """What checkpoint.json says, whole and of a version that is known; else ValueError in one line."""
        try:
            record = read_json(self.checkpoint)
        except ValueError as error:
            raise self.damaged(error) from None
        if not isinstance(record, dict):
            raise self.damaged(f"{self.checkpoint.name} holds a {type(record).__name__}")
        check_label(self.checkpoint, record, FORMAT, VERSION)
        if record.keys() & LABELS:
            rest = {name: value for name, value in record.items() if name != "checksum"}
            if record.get("checksum") != checksum(rest):
                raise self.damaged(f"{self.checkpoint.name} is not what was written")
        return record

    def check_begins(self, save_every):
        """ValueError in one line if there must have been a checkpoint already, every `save_every` updates one."""
        reached = max((row["step"] for row in self.rows()), default=0)
        if reached > save_every:
            raise ValueError(
                f"{self.path} has no {self.checkpoint.name}, though its log goes to update {reached}: put it back, or "
                f"delete {self.log.name} as well to have --resume begin again at update 0"
            )

    def damaged(self, why):
        """A ValueError that says that the checkpoint is, and what can be done."""
        return ValueError(
            f"the checkpoint in {self.path} is damaged ({why}): "
            f"delete {self.checkpoint.name} and {self.log.name} to have --resume begin again at update 0"
        )
