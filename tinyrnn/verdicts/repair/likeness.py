"""What statements look like but for their names: of lines that are alike, one that differs may lack something."""

import ast

from tinyrnn.sources.mutation.scope import MODULES

LEAST_PARTS = 3  # operations, calls and transposes, of a statement that may be one of a pattern


def shape_of(statement):
    """What an assignment is made of but for the names of its values, in any order; None of what is too short."""
    if not isinstance(statement, ast.Assign | ast.AugAssign):
        return None
    made, parts = [type(statement).__name__], 1
    queue = [statement.value]
    while queue:
        node = queue.pop()
        if isinstance(node, ast.Call):
            is_method = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", None) not in MODULES
            made.append(f"{node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)}()")
            queue += [*([node.func.value] if is_method else []), *node.args]
            made += [ast.unparse(keyword) for keyword in node.keywords]
        elif isinstance(node, ast.BinOp | ast.UnaryOp):
            made.append(type(node.op).__name__)
            queue += [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
        elif isinstance(node, ast.Attribute) and node.attr == "T":
            made.append("T")
            queue.append(node.value)
        else:
            made.append(ast.unparse(node) if isinstance(node, ast.Constant) else "_")
            continue
        parts += 1
    return tuple(sorted(made)) if parts >= LEAST_PARTS else None
