"""A training run on disk: settings, log, checkpoint, result; whatever is killed, what is there is whole.

    settings.json            exactly what was run
    log.jsonl                one line of numbers every few updates
    checkpoint.json          the newest checkpoint: the step, and the name of its arrays' file
    checkpoint-*.safetensors weights, fixed arrays and optimiser state
    result.json, curve.png   written at the end, as is
    model.safetensors        the trained network, for `tinyrnn.nn.interop.load`

A checkpoint is two files: the arrays come first under a new name, and it exists from the moment checkpoint.json names
them. All but the log are written as `tinyrnn.core.files` does it.
"""

import json
from pathlib import Path

from safetensors import SafetensorError
from safetensors.numpy import load_file

from tinyrnn.core.files import TEMPORARY, write_arrays, write_atomically, write_json


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
        with open(self.log, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def rows(self):
        """The log's rows, none if there is no log; a line that was cut off is left out."""
        rows = []
        for line in self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else ():
            try:
                rows.append(json.loads(line))
            except json.JSONDecodeError:
                continue
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
        write_arrays(self.path / file, arrays)
        write_json(self.checkpoint, {"step": step, "arrays": file, **extra})
        for old in self.path.glob("checkpoint-*.safetensors"):
            if old.name != file:
                old.unlink()

    def load_checkpoint(self):
        """(record, arrays) of the newest checkpoint; FileNotFoundError without one, ValueError if it is damaged."""
        if not self.checkpoint.exists():
            raise FileNotFoundError(f"{self.path} has no checkpoint to resume from")
        try:
            record = json.loads(self.checkpoint.read_text(encoding="utf-8"))
            return record, load_file(self.path / record["arrays"])
        except (ValueError, KeyError, TypeError, FileNotFoundError, SafetensorError) as error:
            raise self.damaged(error) from None

    def damaged(self, why):
        """A ValueError that says that the checkpoint is, and what can be done."""
        return ValueError(
            f"the checkpoint in {self.path} is damaged ({why}): "
            f"delete {self.checkpoint.name} to have --resume begin again at update 0"
        )
