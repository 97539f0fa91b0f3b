"""A language model learns as its twin in PyTorch does, update by update."""

import importlib.util
from pathlib import Path

import pytest
from small_texts import write_penn, write_text

from tinyrnn.training.settings import Settings

pytestmark = pytest.mark.slow  # all of it, so that the default tests stay below three minutes

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tinyrnn[peers]'")


def load_benchmark(name):
    path = Path(__file__).parents[2] / "benchmarks" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


compare = load_benchmark("torch_twin").compare

# In bits per character. In float64 it is rounding; in float32 it has grown with every update.
BOUNDS = {"float64": 1e-9, "float32": 1e-4}
OPTIONS = {
    "one layer": {},
    "embedding, two layers, random windows": {"embedding": 6, "layers": 2, "random": True},
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("dtype", BOUNDS)
def test_a_small_model_has_the_losses_of_its_twin(options, dtype, offline):
    write_penn(offline[0])
    options = dict(OPTIONS[options])
    task_options = {"window": 20, "random_windows": options.pop("random", False)}
    fixed = {"hidden": 9, "batch": 4, "updates": 40, "lr": 5e-3, "clip_norm": 0.1}
    settings = Settings(task="ptb-char", task_options=task_options, dtype=dtype, **fixed, **options)
    ours, theirs = compare(settings)
    assert len(ours) == 40 and ours[-1] < ours[0] - 0.3
    assert abs(ours - theirs).max() < BOUNDS[dtype]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", BOUNDS)
def test_the_penn_treebank_is_learnt_as_by_its_twin_over_200_updates(dtype, data_dir):
    if not (data_dir / "ptb").is_dir():
        pytest.skip(f"there is no ptb/ in {data_dir}")
    settings = Settings(
        task="ptb-char", task_options={"window": 50}, hidden=128, batch=20, updates=200, dtype=dtype, clip_norm=0.25
    )
    ours, theirs = compare(settings)
    assert ours[0] > 5.6 and ours[-1] < 3.7  # it has learnt something: ln 50 is 5.64 bits
    assert abs(ours - theirs).max() < BOUNDS[dtype]


def test_only_what_has_a_twin_is_compared(tmp_path):
    write_text(tmp_path / "small.txt")
    for changes in {"cell": "gru"}, {"optimiser": "sgd"}, {"task": "copy", "task_options": {"delay": 3}}:
        settings = {"task": "text", "task_options": {"file": str(tmp_path / "small.txt")}, **changes}
        with pytest.raises(ValueError, match="the twin is a language model with the cell lstm and the optimiser adam"):
            compare(Settings(**settings))
