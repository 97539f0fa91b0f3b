"""Prints a plan as C: the loop over time steps with everything in it, for a range of rows.

The text is the same for a processor and for a GPU; `cpu.h` and `cuda.h` say what ROWS, FOR, TOTAL and SYNC mean there.
"""

import math
from dataclasses import dataclass

from tinyrnn.compiler.nodes import Elementwise, Fourier, Gather, Given, Input, Max, Param, Sum, View
from tinyrnn.compiler.plan import Transform, in_step

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
INFIX |= {"eq": "==", "ne": "!="}
CALLS = {"tanh": "tanh_", "exp": "exp_", "expm1": "expm1_", "sqrt": "sqrt_", "abs": "abs_"}
CALLS |= {name: f"{name}_" for name in ("log", "log1p", "sin", "cos")}


RESERVED = set(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while "
    "A P b t j j0 j1 j2 gemm_ real integer array scratch panels twiddles direction vector given partial arguments "
    "bool catch class delete explicit export friend mutable namespace new operator private protected public template "
    "this throw try typename using virtual "  # and C++'s own, for the GPU
    "arguments eval export function let null super var".split()  # and JavaScript's, for pages
)


@dataclass
class Code:
    """text: the function. arrays, params: the order of what it is to be given. panels: (name of the parameter, view),
    matrices to be packed for the products. fourier: lengths of transforms, whose twiddles are to be given. scratch: how
    many numbers of scratch memory. work: name -> numbers a row, arrays of intermediates for all rows."""

    text: str
    arrays: list
    params: list
    panels: list
    fourier: list
    scratch: int
    work: dict


def print_c(function, plan, title):
    """The C function `function` for a plan; title: what its comment says."""
    return Printer(plan).code(function, title)


class Printer:
    """Prints one plan; `code` is what comes out, the other methods give its parts as C text."""

    def __init__(self, plan):
        self.plan = plan
        self.names = names(plan)
        self.inlined = written_out(plan)
        self.work = {place[1]: node.size for node, place in plan.place.items() if place[0] == "work"}
        inputs = [node.name for node in plan.of(Input)]
        self.arrays = [*inputs, *plan.outputs, *self.work]
        self.params = [node.name for node in plan.of(Param)]
        self.panels = []
        for stage in plan.stages:
            for product in stage.products:
                self.panels += [W for _, W in product.args if W not in self.panels]
        self.fourier = sorted({node.shape[1] for node in plan.of(Fourier)})

    def code(self, function, title):
        """The whole kernel as `Code`; function: its name in C, title: the comment above it."""
        lines = [f"/* {title} */", f"KERNEL({function})", "{", "    BEGIN;", "    STEPS {"]
        for stage in self.plan.stages:
            for product in stage.products:
                lines += self.product(product)
            if stage.products:
                lines.append("        SYNC;")
            if stage.loops:
                lines += ["        ROWS {", *self.pointers(stage)]
                self.constants = {}
                for loop in stage.loops:
                    lines += self.transform(loop.node) if isinstance(loop, Transform) else self.loop(loop)
                lines += ["        }", "        SYNC;"]
        lines += ["    }", "    END;", "}", ""]
        panels = [(W.node.name, W) for W in self.panels]
        return Code("\n".join(lines), self.arrays, self.params, panels, self.fourier, self.plan.scratch, self.work)

    # memory ---------------------------------------------------------------------------------------------------------

    def pointers(self, stage):
        """Declarations of where this row's values begin."""
        used = {}
        for loop in stage.loops:
            for item in loop.items:
                for view in item.reads:
                    if not (loop.computes(view.node) and in_step(view, item.shape)):
                        used.setdefault(view.node, False)
                if item.makes in self.plan.place:
                    used[item.makes] = True
        outputs = [item.makes for loop in stage.loops for item in loop.items if isinstance(item.makes, str)]
        lines = [self.pointer(node, written) for node, written in used.items()]
        lines += [f"real *{self.output(name)} = REALS({self.arrays.index(name)});" for name in outputs]
        return [f"            {line}" for line in dict.fromkeys(lines)]

    def output(self, name):
        """The C name of the pointer to an output."""
        return f"to_{name}"

    def pointer(self, node, written):
        """The declaration of the pointer to where a node's numbers are; written: whether the stage writes to it."""
        kind, where = self.plan.place[node]
        name, const = f"at_{self.names[node]}", "" if written else "const "
        if kind == "scratch":
            return f"real *{name} = SCRATCH({where});"
        if kind == "param":
            index = self.params.index(where)
            kind = "integer" if node.boolean else "real"
            return f"const {kind} *{name} = (const {kind} *)P[{index}];"
        if kind == "pick":
            W, x = node.args
            index = f"INTEGERS({self.arrays.index(x.node.name)})[{x.offset}]"
            return f"const real *{name} = (const real *)P[{self.params.index(W.node.name)}] + {index} * {node.size};"
        return f"{const}real *{name} = REALS({self.arrays.index(where)});"

    def element(self, view, loop, variables):
        """How the current pass of a loop reads a view."""
        if not isinstance(view, View):
            return number(view)
        if view.node in self.inlined:
            return self.expression(view.node, loop, variables)
        if loop.computes(view.node) and not isinstance(view.node, Sum) and in_step(view, loop.shape):
            return self.names[view.node]
        element = f"at_{self.names[view.node]}[{index(view.squeezed(), variables)}]"
        if loop.shape and not any(view.squeezed().strides) and not view.node.boolean:
            return self.before(f"{self.names[view.node]}_{view.offset}", element)
        return element

    def before(self, name, element):
        """The name of what is the same in every pass of a loop: it is read before the first one, once a row."""
        name = f"the_{name}"
        if name not in self.constants:
            self.constants[name] = f"            const real {name} = {element};"
        return name

    # statements -----------------------------------------------------------------------------------------------------

    def product(self, node):
        """out = x W, or a sum of such products."""
        lines = []
        _, where = self.plan.place[node]
        for k, (x, W) in enumerate(node.args):
            _, source = self.plan.place[x.node]
            (n_in, n_out), panel = W.shape, self.panels.index(W)
            text = " + " if k else ""
            lines.append(
                f"        GEMM({n_in}, {n_out}, {self.arrays.index(source)}, {x.offset}, {panel}, "
                f"{self.arrays.index(where)}, {int(k > 0)}); /* {self.names[node]} {'+' if text else ''}= "
                f"{self.names[x.node]} @ {W.node.name}{'.T' if W.strides[0] == 1 and W.shape[1] > 1 else ''} */"
            )
        return lines

    def transform(self, node):
        """Lines for one Fourier transform of a row, forwards or inverse."""
        re, im = node.args
        n = node.shape[1]
        at = [f"at_{self.names[v.node]} + {v.offset}" for v in (re, im)]
        out, k = [f"at_{self.names[node]}", f"at_{self.names[node]} + {n}"], self.fourier.index(n)
        if node.op == "inverse":  # F^-1 z is F of z with the parts exchanged, its parts exchanged back
            at, out = at[::-1], out[::-1]
        return [
            f"            FOURIER({n}, {k}, {at[0]}, {at[1]}, {out[0]}, {out[1]}, SCRATCH({self.plan.scratch}));",
            "            SYNC;",
        ]

    def loop(self, loop):
        """One loop, nested where its shape has several axes; sums are over the innermost."""
        shape = loop.shape or (1,)
        variables = [f"j{k}" for k in range(len(shape) - 1)] + ["j"]
        pad, known = "            ", len(self.constants)
        lines, sums = [], [item for item in loop.items if isinstance(item.node, Sum)]
        for variable, n in zip(variables[:-1], shape[:-1], strict=True):
            lines.append(f"{pad}for (int {variable} = 0; {variable} < {n}; {variable}++) {{")
            pad += "    "
        largest = any(isinstance(item.node, Max) for item in sums)
        start, fold = ("-INFINITY", "LARGEST") if largest else ("0", "SUMS")
        lines += [f"{pad}real total_{self.names[item.node]} = {start};" for item in sums]
        totals = "".join(f", total_{self.names[item.node]}" for item in sums)
        lines.append(f"{pad}{fold if sums else 'FOR'}(j, {shape[-1]}{totals}) {{")
        for item in loop.items:
            lines += [f"{pad}    {line}" for line in self.statement(item, loop, variables)]
        lines.append(f"{pad}}}")
        for item in sums:
            at = self.names[item.node]
            lines.append(f"{pad}TOTAL(at_{at}[{flat(loop.shape[:-1], variables)}], total_{at});")
        for _ in variables[:-1]:
            pad = pad[:-4]
            lines.append(f"{pad}}}")
        return [*list(self.constants.values())[known:], *lines, f"{pad}SYNC;"]

    def expression(self, node, loop, variables):
        """The C expression of an elementwise node; variables: the loop's indices."""
        return expressed(node.op, [self.element(a, loop, variables) for a in node.args])

    def statement(self, item, loop, variables):
        """Lines for one item in a loop: a store, or a node's value; none for a value written where it is read."""
        if item.view is not None:
            value = self.element(item.view, loop, variables)
            if isinstance(item.target, str):
                where = flat(item.shape, variables)
                becomes = "+=" if item.target in self.plan.sums else "="
                return [f"{self.output(item.target)}[{where}] {becomes} {value};"]
            return [f"at_{self.names[item.target]}[{plus(item.offset, flat(item.shape, variables))}] = {value};"]
        node, name = item.node, self.names[item.node]
        if node in self.inlined:
            return []
        if isinstance(node, Max):
            value = self.element(node.args[0], loop, variables)
            return [f"const real {name} = {value};", f"total_{name} = {name} > total_{name} ? {name} : total_{name};"]
        if isinstance(node, Sum):
            return [f"total_{name} += {self.element(node.args[0], loop, variables)};"]
        if isinstance(node, Gather):
            source, order = node.args
            position = self.element(order, loop, variables)
            expression = f"at_{self.names[source.node]}[{plus(source.offset, position)}]"
        else:
            expression = self.expression(node, loop, variables)
            expression = expression[1:-1] if expression[0] == "(" else expression
        lines = [f"const {'int' if node.boolean else 'real'} {name} = {expression};"]
        if node in self.plan.place:
            lines.append(f"at_{name}[{flat(node.shape, variables)}] = {name};")
        return lines


def written_out(plan):
    """Nodes without a name of their own that are read once, in the loop that computes them: no variable is made."""
    readers, found = {}, set()
    for stage in plan.stages:
        for loop in stage.loops:
            for item in loop.items:
                twice = item.node is not None and item.node.op in ("max", "min")  # their operands are, see `expressed`
                for view in item.reads:
                    readers.setdefault(view.node, []).extend([loop] * (2 if twice else 1))
    for node, loops in readers.items():
        if isinstance(node, Elementwise) and not node.name and node not in plan.place and len(loops) == 1:
            found.add(node)
    return found


def expressed(op, values):
    """The C expression of an operation on the expressions `values`; KeyError for an operation that has none."""
    if op == "div":
        return f"(REAL({values[0]}) / {values[1]})"  # both may be integers
    if op in INFIX:
        return f"({values[0]} {INFIX[op]} {values[1]})"
    if op in CALLS:
        return f"{CALLS[op]}({values[0]})"
    a, b, c = (*values, "", "")[:3]
    return {
        "neg": f"(-{a})",
        "copy": a,
        "real": a,
        "one": "1",
        "zero": "0",
        "not": f"({a} == 0)",
        "and": f"(({a} != 0) & ({b} != 0))",
        "or": f"(({a} != 0) | ({b} != 0))",
        "where": f"({a} != 0 ? {b} : {c})",
        "max": f"({a} > {b} || {a} != {a} ? {a} : {b})",
        "min": f"({a} < {b} || {a} != {a} ? {a} : {b})",
    }[op]


def index(view, variables):
    """The element of a view at the loop's current place, as C."""
    terms = [v if s == 1 else f"{s} * {v}" for s, v in zip(view.strides, variables, strict=False) if s and v != "0"]
    return plus(view.offset, " + ".join(terms))


def flat(shape, variables):
    """The index of an entry in C order, as a C expression of the loop's variables."""
    strides = [math.prod(shape[k + 1 :]) for k in range(len(shape))]
    return " + ".join(v if s == 1 else f"{s} * {v}" for s, v in zip(strides, variables, strict=False)) or "0"


def plus(offset, text):
    """A C expression for a number plus an expression, without zeros and without empty ones."""
    return f"{offset} + {text}" if offset and text else text or str(offset)


def number(value):
    """A number as a C literal or macro: small whole ones as integers, others as REAL(...), NAN and INFINITY."""
    if math.isnan(value) or math.isinf(value):
        return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"
    return f"{value:g}" if value == int(value) and abs(value) < 1e6 else f"REAL({value!r})"


def names(plan):
    """A name for every node that C allows: the source's own where it has one."""
    taken, found = set(), {}
    for view_name, view in plan.outputs.items():
        if view.whole and not view.node.name and view_name not in plan.sums:
            view.node.name = view_name
    for k, node in enumerate(plan.nodes):
        name = node.name or f"v{k}"
        name = f"{name}_" if name in RESERVED and not isinstance(node, Given) else name
        name = name if name not in taken else f"{name}_{k}"
        taken.add(name)
        found[node] = name
    return found
