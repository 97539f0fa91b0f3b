"""A run whose readout is found in closed form: every batch is read once, and nothing is trained by gradients."""

from tinyrnn.nn.ridge import Regression, check_readout, examples, put_readout
from tinyrnn.training.settings import batch_of

NOT_CROSS_ENTROPY = (
    "the readout was fitted to the classes by squared error, and makes no probabilities: the loss says little, "
    "the accuracy is what counts"
)


def fit_batches(trainer, interrupted, bar):
    """Fit the readout of a `Trainer`'s model to all its updates' batches; returns the loss on the last one.

    interrupted: a list; once it holds anything, KeyboardInterrupt is raised, and nothing is kept of what was done: a
    run that is resumed begins again. bar: counts the batches.
    """
    s, model, regression = trainer.settings, trainer.model, Regression()
    check_readout(model)
    for step in range(s.updates):
        if interrupted:
            raise KeyboardInterrupt
        x, target, *mask = batch_of(s, trainer.task, step)
        before = trainer.carried.before(step)
        h, wanted, after = examples(model, x, target, *mask, state=before)
        regression.add(h, wanted)
        trainer.carried.after(step, after)
        bar.update()
    put_readout(model.readout, *regression.solve(s.ridge, model.readout.bias))
    trainer.step = s.updates
    y, _ = model.forward(x, before, *mask)
    loss, _ = model.loss(y, target, *(mask if model.at == "every" else ()))
    return float(loss)
