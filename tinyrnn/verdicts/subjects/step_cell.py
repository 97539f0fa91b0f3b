"""Makes a `Problem` of a `StepCell`: the two functions somebody wrote, run by the engine."""

from dataclasses import replace

from tinyrnn.checking.probe import move_params
from tinyrnn.checking.random_probe import make_probe
from tinyrnn.core.backend import as_rng
from tinyrnn.core.ops import is_index
from tinyrnn.sources import reachable
from tinyrnn.sources.reading import undecorated
from tinyrnn.verdicts.record.problem import Problem
from tinyrnn.verdicts.record.run import fresh
from tinyrnn.verdicts.vocabulary import partners


def of_step_cell(cell, *, B=3, rng=0, perturb=0.3, leave=()):
    """One step of a `StepCell`, from a random state and with a random gradient from above on every part of the new one.

    One step is all there is to judge: both functions know of nothing else, and the time loop around them is not theirs.
    """
    rng = as_rng(rng)
    cell = fresh(cell)
    move_params(cell, rng, perturb)
    return at_point(cell, replace(make_probe(cell, 1, B, rng), mask=None), leave)


def at_point(cell, probe, leave=()):
    """The same for a cell as it is, at the input, the state and the gradients from above of a `Probe` of one step."""
    step, step_backward = map(undecorated, cell.functions)
    states = [f"state.{name}" for name in cell.states]
    learned = [f"{name}_0" for name in cell.states] if cell.learn_state else []
    params = {name: value for name, value in cell.params.items() if name not in learned}

    def copied(program):
        made = fresh(cell)
        made.functions = program[step], program[step_backward]
        return made

    def forward(program, **changed):
        made = copied(program)
        made.params.update({name: value for name, value in changed.items() if name in params})
        state = tuple(changed.get(name, value) for name, value in zip(states, probe.state, strict=True))
        return made.forward(changed.get("inputs", probe.x).copy(), fresh(state))

    def loss(result):
        h, tape = result
        return (probe.dh * h).sum() + sum((d * s).sum() for d, s in zip(probe.dstate, tape.state, strict=True))

    def backward(program, result):
        return copied(program).backward(probe.dh.copy(), result[1], fresh(probe.dstate))

    def results(back):
        known = {"inputs": back.inputs} | back.params | dict(zip(states, back.state, strict=True))
        return {name: known[name] for name in problem.inputs if known[name] is not None}

    inputs = {} if is_index(probe.x) else {"inputs": probe.x}  # class numbers cannot be changed a little
    inputs |= params | dict(zip(states, probe.state, strict=True))
    functions, classes = reachable([step, step_backward], leave=leave)
    scope = step_backward.__qualname__
    problem = Problem(
        title=f"{cell!r}, one step, B={probe.x.shape[1]}",
        functions=functions,
        classes=classes,
        forward=forward,
        backward=backward,
        loss=loss,
        inputs=inputs,
        scopes=partners(f.__qualname__ for f in functions) | {scope: [step.__qualname__]},
        top=(step.__qualname__, scope),
        results=results,
        made_by=lambda name: scope,
    )
    problem.shown = [f for f in functions if f.__qualname__ in problem.scopes]
    return problem
