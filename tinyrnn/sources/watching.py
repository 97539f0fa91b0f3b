"""Rewrites a function so that every value is reported as it gets its name.

    foo = …            foo, (bar, baz) = …            foo += …           for foo in …         plain names
    self.foo = …       grads["foo"] += …              dict(foo=…)        {"foo": …}           count as plain names
    foo[t] = …         foo[:, t] += …                                                         items: the key is told
    def f(foo):        return …                                                               entry and exit of a call

After each of them stands `foo = __watch__(site, foo)`, where `site` says which one it was. Before each pass of a loop
that hands values of a variable on to its next pass, those are shown too, as kind "carry"; what is read out of a
container in a loop (`hs[t - 1]`) is of kind "load".
"""

import ast
import copy

from tinyrnn.sources.expressions import Expressions
from tinyrnn.sources.filling import Filling, added_to
from tinyrnn.sources.reading import closing_over
from tinyrnn.sources.syntax import (
    adds_to,
    at,
    box_of,
    called,
    carried,
    guarded,
    is_item,
    is_whole,
    key_of,
    leaves_of,
    load,
    makes_zero,
    matched,
    name_of,
    named_in,
    named_paths,
    reads_of,
    scales,
    store,
    targets_of,
)


class Watcher(Expressions):
    """Rewrites the body of one function."""

    def rewrite(self, tree):
        """The function's tree with a report after each assignment; changed in place."""
        tree = Filling().visit(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                self.mangle(node)
        self.written = {name_of(t.value) for t in targets_of(tree) if is_item(t)} - {None}
        self.variables = {name_of(t) for t in targets_of(tree)} - {None}
        arguments = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)]
        self.variables |= set(arguments) - {"self", "cls"}
        self.around = {name for name in {*self.variables, *arguments} if name.isidentifier()} - functions_in(tree)
        enter = ast.Expr(value=self.call(self.site("", "enter", tree.lineno), ast.Constant(None)))
        start = [ast.copy_location(enter, at(tree.lineno))]
        start += [
            self.report(ast.Name(id=a, ctx=ast.Load()), "argument", tree, tree.lineno)
            for a in arguments
            if a not in ("self", "cls")
        ]
        doc = [tree.body.pop(0)] if ast.get_docstring(tree) is not None else []
        tree.body = [*doc, *start, *self.block(tree.body)]
        return tree

    def block(self, statements):
        """Statements, each with what reports its values behind it."""
        return [new for old in statements for new in self.statement(old)]

    def statement(self, node):
        """What stands in place of one statement: a list of statements."""
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            if is_replaced(node):  # and may be meant to read whatever there is around it
                node.body = [*node.body, *closing_over(sorted(self.around), node.body[-1])]
            return [node, *self.form_of(node)]
        if isinstance(node, ast.For | ast.While):
            return [self.loop(node)]
        for block in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, block, None), list):
                setattr(node, block, self.block(getattr(node, block)))
        for handler in getattr(node, "handlers", ()):
            handler.body = self.block(handler.body)
        if isinstance(node, ast.Return):
            return [self.result(node)]
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            kind = "assign"
            if isinstance(node, ast.AugAssign):
                kind = "augment" if isinstance(node.op, ast.Add | ast.Sub) else "transform"
            parts = [part for target in targets for part in matched(target, node.value)]
            reports = [self.report(t, kind, value, node.lineno, alone) for t, value, alone in parts]
            self.named = node.value if isinstance(node, ast.Assign) and all(map(name_of, targets)) else None
            node.value = self.visit(node.value)
            return [self.rescued(node, targets), *(r for r in reports if r is not None)]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return self.lone_call(node)
        return [self.generic_visit(node)] if not hasattr(node, "body") else [node]

    def form_of(self, node):
        """What puts its rewritten form in the place of a function that is defined here, which reports by itself."""
        if not is_replaced(node):
            return
        where = ast.Constant(f"{self.scope}.<locals>.{node.name}"), ast.Constant(node.lineno)
        own = ast.Name(id=node.name, ctx=ast.Load())
        call = ast.Call(ast.Name(id="__closure__", ctx=ast.Load()), [own, *where], [])
        made = ast.Assign([ast.Name(id=node.name, ctx=ast.Store())], call)
        yield ast.fix_missing_locations(ast.copy_location(made, at(node.lineno)))

    def lone_call(self, node):
        """A call by itself, with a report of what it puts into a list, or adds to an array."""
        call = node.value
        target, value = added_to(call)
        if target is not None:
            whole = ast.Subscript(target, ast.Constant(...), ast.Store())
            report = self.report(whole, "augment", value, node.lineno)
            return [self.generic_visit(node), *([report] if report else [])]
        if name_of(call.func) in ("append", "insert") and call.args:
            new = self.element(call.args[-1])
            self.generic_visit(node)
            call.args[-1] = new(call.args[-1])
            return [node]
        return [self.generic_visit(node)]

    def rescued(self, node, targets):
        """The assignment, but `__rescue__` is asked for other values if it raises an error."""
        named = [named_in(t) for t in leaves_of(targets[0])]
        if len(targets) > 1 or not all(name_of(t) or is_item(t) for t in named):
            return node
        names = ast.Constant(
            tuple((name_of(t), None) if name_of(t) else (name_of(t.value), ast.unparse(t.slice)) for t in named)
        )
        ask = ast.Call(
            func=ast.Name(id="__rescue__", ctx=ast.Load()),
            args=[ast.Constant(self.scope), names, ast.Name(id="__error__", ctx=ast.Load()), ast.Constant(node.lineno)],
            keywords=[],
        )
        target = ast.Tuple(elts=[copy.deepcopy(t) for t in leaves_of(targets[0])], ctx=ast.Store())
        handler = ast.ExceptHandler(
            type=ast.Name(id="Exception", ctx=ast.Load()),
            name="__error__",
            body=[ast.Assign(targets=[target], value=ask)],
        )
        whole = ast.Try(body=[node], handlers=[handler], orelse=[], finalbody=[])
        for part in ast.walk(handler):
            ast.copy_location(part, at(node.lineno))
        return ast.copy_location(whole, at(node.lineno))

    def loop(self, node):
        """A loop that also reports which pass it is in and what it hands on."""
        names = carried(node)
        self.loops.append(node.lineno)
        start = [
            ast.copy_location(
                ast.Expr(value=self.call(self.site("", "pass", node.lineno), ast.Constant(None))), at(node.lineno)
            )
        ]
        start += (
            [self.report(t, "assign", node, node.lineno) for t in leaves_of(node.target)]
            if isinstance(node, ast.For)
            else []
        )
        start += [guarded(self.report(n, "carry", node, node.lineno), n) for n in names]
        node.body = [*(s for s in start if s is not None), *self.block(node.body)]
        self.loops.pop()
        node.orelse = self.block(node.orelse)
        return node

    def result(self, node):
        """A return that reports what it returns; of `return [dx, dW]`, too, as of a tuple."""
        if node.value is None:
            return node
        line = node.lineno
        names = tuple(named_paths(node.value))
        calls = called(node.value)
        node.value = self.visit(node.value)
        site = self.site("return", "return", line, calls=calls, uses=names)
        if isinstance(node.value, ast.List) and node.value.elts:
            several = self.call(site, ast.Tuple(elts=node.value.elts, ctx=ast.Load()))
            node.value = ast.List(elts=[ast.Starred(value=several, ctx=ast.Load())], ctx=ast.Load())
        else:
            node.value = self.call(site, node.value)
        return node

    def report(self, target, kind, value, line, alone=True):
        """The statement that reports what was assigned to `target`, or None where that has no name."""
        target = named_in(target.value if isinstance(target, ast.Starred) else target)
        name, key, box, whole = name_of(target), None, box_of(target), False
        holder = getattr(target, "value", target)
        if any(isinstance(n, ast.Call) for n in ast.walk(holder)):
            return None  # it would be called once more
        if name is None and is_item(target):
            name, key = name_of(target.value), target.slice
            if is_whole(key):
                key, target, whole = None, target.value, True
                kind = "refill" if kind == "assign" else kind
            else:
                kind = "item" if kind == "assign" else "item-augment"
                target = target.value
        if name is None and isinstance(target, ast.Subscript) and isinstance(target.value, ast.Subscript):
            name, key = "", target.slice  # `grads[i][j]`: an entry of what has no name
            kind, target = "item" if kind == "assign" else "item-augment", target.value
        if name is None:
            return None
        expression = isinstance(value, ast.expr)
        self_made = expression and any(name_of(n) == name for n in ast.walk(value) if isinstance(n, ast.expr))
        if kind == "assign" and expression and alone:
            kind = "augment" if adds_to(name, value) else "transform" if scales(name, value) else kind
        site = self.site(
            name,
            kind,
            line,
            zero=expression and alone and makes_zero(value),
            self_made=self_made,
            calls=called(value) if expression else None,
            box=box,
            in_place=whole,
            copies=value.id if isinstance(value, ast.Name) else None,
            uses=tuple(sorted({n.id for n in ast.walk(value) if isinstance(n, ast.Name)})) if expression else (),
            reads=reads_of(value) if expression else (),
        )
        call = self.call(site, load(target), *([key_of(key)] if key is not None else []))
        in_place = key is not None or whole
        statement = ast.Expr(value=call) if in_place else ast.Assign(targets=[store(target)], value=call)
        return ast.copy_location(ast.fix_missing_locations(ast.copy_location(statement, at(line))), at(line))


def functions_in(tree):
    """The names of the functions that are defined within one."""
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def is_replaced(node):
    """Whether a statement defines a function in the place of which its rewritten form is put: none with decorators."""
    return isinstance(node, ast.FunctionDef) and not node.decorator_list
