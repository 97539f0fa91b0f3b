"""One update of a network on a task: its batch, the gradients, clipping, the learning rate, the optimiser."""

import math

import numpy as np

from tinyrnn.core.backend import module_of
from tinyrnn.optim.clipping import clip_by_value, clip_factor, global_norm, norms
from tinyrnn.optim.manifolds import Manifold
from tinyrnn.optim.optimisers import OPTIMISERS
from tinyrnn.optim.schedules import SCHEDULES
from tinyrnn.training.averaging import Averaging
from tinyrnn.training.failures import Diverged
from tinyrnn.training.settings import batch_of, build, construct, epochs_of, gradient_options, pick
from tinyrnn.training.shards import Carried


class Updater:
    """What `Settings` describe, ready for its updates: `Updater(settings).update()`."""

    def __init__(self, settings):
        self.settings = settings
        self.task, self.model = build(settings)
        self.carried = Carried(settings, self.task, self.model)
        optimiser = pick(OPTIMISERS, settings.optimiser, "optimiser")
        self.optimiser = construct(settings.optimiser, optimiser, settings.optimiser_options, settings.lr)
        self.rate = pick(SCHEDULES, settings.schedule, "schedule")(settings.lr, settings.updates)
        self.step = 0
        self.fixed = frozenset(self.model.fixed)
        if manifolds := {name: kind for name, kind in self.model.manifolds.items() if name not in self.fixed}:
            rate = settings.manifold_lr or settings.lr
            self.optimiser = Manifold(self.optimiser, manifolds, rate, rms=settings.manifold_rms)
        if settings.compiled and settings.device == "cpu":
            self.optimiser.compile(settings.threads or None)
        self.averaging = Averaging(settings.nonmono)
        if settings.nonmono and manifolds:
            raise ValueError(f"{settings.cell}: a mean of unitary matrices is none: nonmono must be 0")
        self.norms = {}  # each parameter's gradient norm at the last update
        self.penalty = 0.0  # what the regularisers would have added to the loss at the last update
        self.workers = None  # who computes the gradients, if not this process alone

    def gradients(self):
        """Loss and gradients of the batch that is due, as `loss` and `params`."""
        if self.workers:
            return self.workers.gradients(self.step)
        s = self.settings
        batch, before = batch_of(s, self.task, self.step), self.carried.before(self.step)
        if before is not None and s.device != "cpu":
            before = tuple(module_of(s.device).asarray(state) for state in before)
        options = gradient_options(s, self.step) | ({} if self.task.pairs else {"outputs": False})
        out = self.model.gradients(*batch, state=before, **options)
        self.carried.after(self.step, out.state)
        return out

    def rate_now(self):
        """The learning rate of the update that is due: the schedule's, times what the data and their epoch say."""
        s = self.settings
        where = s.seed, self.step, s.batch
        rate = self.rate(self.step) * self.task.rate_factor(*where)
        drops = epochs_of(s.drop_epochs)
        return rate * s.drop_by ** sum(self.task.epoch(*where) >= after for after in drops) if drops else rate

    @np.errstate(all="ignore")  # it looks for itself
    def update(self):
        """One update; returns the loss before it, the gradient's norm before clipping, and the learning rate."""
        s = self.settings
        out = self.gradients()
        self.penalty = out.penalty
        params, grads = ({k: v for k, v in d.items() if k not in self.fixed} for d in (self.model.params, out.params))
        found = norms(grads)
        norm = math.hypot(*found.values())
        if not (math.isfinite(out.loss) and math.isfinite(norm)):
            raise Diverged(self.diagnosis(out.loss, grads))
        self.norms, after = found, norm
        if s.clip_value:
            grads = clip_by_value(grads, s.clip_value)
            after = math.hypot(*norms(grads).values())
        lr = self.rate_now()
        self.optimiser.step(params, grads, lr, clip_factor(after, s.clip_norm) if s.clip_norm else 1.0)
        self.averaging.add(params)
        self.step += 1
        return out.loss, norm, lr

    def diagnosis(self, loss, grads):
        """One line: at which update the loss or a gradient stopped being finite, and where it blew up."""
        bad = [name for name, g in grads.items() if not math.isfinite(global_norm({name: g}))]
        where = f"gradient not finite in {', '.join(bad)}" if bad else "gradients still finite"
        return f"update {self.step + 1}: loss {loss:.4g}, {where}{self.advice()}"

    def advice(self):
        """The end of that line: which gradient was large when all was still finite, and what to try."""
        before = ""
        if self.norms:
            largest = max(self.norms, key=self.norms.get)
            before = f"; one update before, the largest gradient was {largest}'s, of norm {self.norms[largest]:.3g}"
        return f"{before}. Try a smaller --lr, or --clip-norm 1"
