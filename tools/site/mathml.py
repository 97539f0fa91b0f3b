"""Equations as MathML, which browsers draw themselves: nothing is fetched, and a screen reader can read them."""

from docutils import nodes
from latex2mathml.converter import convert


def inline(self, node: nodes.math) -> None:
    """An equation within a line."""
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def display(self, node: nodes.math_block) -> None:
    """An equation of its own."""
    self.body.append(f'<div class="math-block">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app):
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
