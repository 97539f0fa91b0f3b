"""Stepping through anybody's forward and backward pass: functions, methods, loops over time, code that works in place.

What is run is a `Problem` of the line verdicts, so that what they say and what is shown belong to the same numbers.
"""

import ast

import numpy as np

from tinyrnn.sources import NoSource, read
from tinyrnn.sources.user_file import place_of, told
from tinyrnn.stepping.beside import Verdicts, verdicts_on
from tinyrnn.stepping.form import FORMAT, VERSION
from tinyrnn.stepping.notebook import Notebook
from tinyrnn.stepping.recording import Recording, number
from tinyrnn.verdicts.judge.repeatable import repeatable_truth
from tinyrnn.verdicts.record.run import floats, fresh
from tinyrnn.verdicts.subjects.homework import problem_of

MOST_PASSES = 10_000  # a loop over larger numbers counts something else than time


def trace_functions(target, options, *, steps=None, names=None, numerical=None, largest=4096, title=None):
    """The `Recording` of a `Target`, forwards and backwards. options: of `tinyrnn.lines`; others as of `trace`."""
    problem, made_up = problem_of(target, options)
    problem, truth, notes = repeatable_truth(problem)
    program = problem.program()
    clock = LoopClock(program, None if steps is None else range(*steps))
    notebook = Notebook(clock, names, largest)
    returned, broken = run(problem, program, notebook)
    judged = numerical is None or numerical is True
    verdicts = verdicts_on(problem, truth) if judged else Verdicts({}, {})
    notebook.compare(None, None, verdicts)
    if target.is_one:  # what is before the first gradient is the forward pass
        found = [n for n, index in enumerate(notebook.events["numerical"]) if index >= 0]
        notebook.turn = min(found, default=len(notebook.events["site"]))
    notes = [*made_up, *notes, *broken, *unplaced(notebook, verdicts)]
    if judged and not truth.by_complex_step:
        notes.append(f"numerical gradients by central differences: {truth.reason}")
    results = {} if returned is None else problem.results(returned)
    times = notebook.events["t"]
    return Recording(
        {
            "format": FORMAT,
            "version": VERSION,
            "title": title or target.title or problem.title,
            "network": problem.title,
            **{"T": 1 + max(times, default=-1), "B": 0, "loss": number(float(np.real(problem.loss(truth.result))))},
            "upstream": upstream_text(problem),
            "layers": [],
            "mask": None,
            "params": {name: notebook.keep(array) for name, array in problem.inputs.items()},
            **notebook.finished(program),
            "results": notebook.results({name: d for name, d in results.items() if floats(d) is not None}),
            "triangle": None,
            "notes": notes,
        }
    )


def run(problem, program, notebook):
    """Both passes under the eyes of a notebook: (what came back, or None; notes on where the way back broke off)."""

    def passes(program):
        result = problem.forward(program)
        if problem.functions_judged[0] is problem.functions_judged[1]:  # the same function runs again, and is recorded
            notebook.clear()
        notebook.turned()
        return problem.backward(program, fresh(result))

    with np.errstate(all="ignore"):
        try:
            return program.run(notebook, passes, rescue=notebook.failed(program)), []
        except Exception as error:
            if not notebook.turn:
                raise
            where = place_of(error)
            return None, [f"the backward pass breaks off{f' at {where}' if where else ''}: {told(error)}"]


def upstream_text(problem):
    """What the loss is whose gradients are shown."""
    outputs = "output" if len(problem.above) == 1 else "outputs"
    if not problem.passes.above:
        return "what the function returns" if np.ndim(problem.above[0]) == 0 else "what was given"
    return f"the sum of the {outputs} times {', '.join(problem.passes.above)}, which is what comes from above"


def unplaced(notebook, verdicts):
    """Notes on what is wrong and has no line that was recorded."""
    lines = {(site.scope, site.line) for site in notebook.sites}
    for (scope, line, _), (text, _) in verdicts.accused.items():
        if (scope, line) not in lines:
            yield f"{scope}, line {line}: {text}"


class LoopClock:
    """Where a run of somebody's functions is: t is the number that the outermost loop counts by, else that of its pass.

    program: what is run. kept: the passes of which something is to be remembered; None: all. There are no layers.
    """

    layer = None

    def __init__(self, program, kept=None):
        self.kept, self.passed = kept, {}
        self.outermost = {f.__qualname__: outermost_loops(f) for f in program.originals()}
        self.calls = []  # of each function that runs: [line of its outermost loop, number], or None

    @property
    def t(self):
        """The number of the outermost loop, None outside of loops."""
        return next((loop[1] for loop in self.calls if loop is not None), None)

    def keeps(self, t):
        """Whether anything is to be remembered of pass t, or, with None, of what is outside of loops."""
        return t is None or self.kept is None or t in self.kept

    def tick(self, site, value, depth):
        """Take note of a value before it is looked at. depth: how many functions run."""
        self.calls = [*self.calls[:depth], *[None] * (depth - len(self.calls))]
        line = self.outermost.get(site.scope, {}).get(site.loop)
        loop = self.calls[-1]
        if line is None or loop is None or loop[0] != line:
            loop = self.calls[-1] = None if line is None else [line, -1]
        if site.kind == "pass" and site.line == line:
            loop[1] += 1
        is_counter = site.kind == "assign" and site.line == line and isinstance(value, int | np.integer)
        if is_counter and not isinstance(value, bool) and 0 <= value < MOST_PASSES:
            loop[1] = int(value)


def outermost_loops(function):
    """{line of a loop: line of the outermost loop that it is in, or its own}."""
    found = {}

    def visit(node, outer):
        is_loop = isinstance(node, ast.For | ast.While)
        outer = node.lineno if is_loop and outer is None else outer
        if is_loop:
            found[node.lineno] = outer
        for child in ast.iter_child_nodes(node):
            visit(child, outer)

    try:
        visit(read(function), None)
    except NoSource:
        return {}
    return found
