"""Calls that fill an array, read as the assignments that they are: what is assigned is what can be watched.

np.add(a, b, out=c)        c[...] = np.add(a, b)              np.dot(a, b, out=c[t])       c[t][...] = np.dot(a, b)
np.copyto(c, a)            c[...] = a                         c.fill(0)                    c[...] = 0

Where `c` is a dict of arrays, `c[t] = …` would put another one in the place of what others may hold, too.
"""

import ast

from tinyrnn.sources.syntax import is_item, name_of

MAY_STAY = frozenset(("axis", "keepdims", "a_min", "a_max", "out"))  # another keyword, and only a part may be filled


class Filling(ast.NodeTransformer):
    """Puts assignments in place of such calls, where they are statements of their own."""

    def visit_Expr(self, node):
        """The assignment, or the statement as it is."""
        target, value = filled(node.value) if isinstance(node.value, ast.Call) else (None, None)
        if target is None or (name_of(target) is None and not is_item(target)):
            return node
        target = ast.Subscript(value=target, slice=ast.Constant(...))
        target.ctx = ast.Store()
        made = ast.Assign(targets=[target], value=value)
        return ast.fix_missing_locations(ast.copy_location(made, node))


def filled(call):
    """(the array that a call fills, with what), or two None."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    owner, name = getattr(call.func, "value", None), getattr(call.func, "attr", None)
    if isinstance(owner, ast.Name) and owner.id in {"np", "numpy"}:
        if "out" in keywords and keywords.keys() <= MAY_STAY:
            rest = [keyword for keyword in call.keywords if keyword.arg != "out"]
            return keywords["out"], ast.copy_location(ast.Call(call.func, call.args, rest), call)
        if name == "copyto" and len(call.args) == 2 and not keywords:
            return tuple(call.args)
    elif name == "fill" and len(call.args) == 1 and not keywords:
        return owner, call.args[0]
    return None, None


def added_to(call):
    """(the array to entries of which a call adds something, or takes it from, what), as `np.add.at(c, k, a)` does; or
    two None."""
    owner, name = getattr(call.func, "value", None), getattr(call.func, "attr", None)
    adds = isinstance(owner, ast.Attribute) and owner.attr in {"add", "subtract"} and name == "at"
    return (call.args[0], call.args[2]) if adds and len(call.args) == 3 else (None, None)
