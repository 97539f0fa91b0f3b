"""A Markdown text as a web page that needs no other file: equations as MathML, which browsers draw themselves, and
pictures in it. Made with markdown-it and latex2mathml (`pip install 'tinyrnn[pages]'`)."""

import base64
import html
import mimetypes
import re

from tinyrnn.core.webpage import webpage

STYLE = """
body { font: 17px/1.55 Georgia, "Times New Roman", serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; }
h1, h2, h3, th { font-family: system-ui, sans-serif; line-height: 1.25; } h2 { margin-top: 2.2em; }
code, pre { font: .85em/1.45 ui-monospace, Consolas, monospace; }
pre { background: #f6f6f4; padding: .8em; overflow-x: auto; }
table { border-collapse: collapse; } td, th { padding: .2rem .7rem; border-bottom: 1px solid #ccc; text-align: left; }
img { max-width: 100%; }
math { font-size: 1.05em; font-family: "STIX Two Math", "Cambria Math", "Latin Modern Math", "Libertinus Math",
  "TeX Gyre Termes Math", "Noto Sans Math", "DejaVu Math TeX Gyre", math; }
.math.block { overflow: auto hidden; margin: 1.2em 0; }
mtd[columnalign=left] { text-align: left; } mtd[columnalign=right] { text-align: right; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } pre { background: #242424; }
  a { color: #8bf; } img { background: white; } }
"""
INDEX = r"(?:\{[^{}]*\}|-?[^\W_]+)"
SYMBOL = re.compile(rf"(?<![\w\\^./])[^\W\d_](?:_{INDEX}(?:\^{INDEX})?|\^{INDEX})(?!\w)")  # h_t, W_x, e^{iθ_j}
WORD = re.compile(r"_([^\W_]{3,}|re|im)\b")
VERBATIM = re.compile(r"(```.*?```|\$\$.*?\$\$|`[^`]*`|\$[^$]*\$|\]\([^)]*\))", re.DOTALL)  # code, equations, links
MISSING = "pages with equations take a library: pip install 'tinyrnn[pages]'"


def page(title, text, pictures=()):
    """An HTML text. text: Markdown, equations as $…$ and $$…$$; what is HTML in it is shown, not run. A letter with an
    index or a power, as in h_t or e^{iθ_j}, is an equation wherever it stands, but for code.

    pictures: the name by which the text refers to a picture -> its bytes. ValueError in a line if a library is missing.
    """
    try:
        from latex2mathml.converter import convert
        from markdown_it import MarkdownIt
        from mdit_py_plugins.dollarmath import dollarmath_plugin
    except ImportError:
        raise ValueError(MISSING) from None

    def equation(content, options):
        return convert(content, display="block" if options["display_mode"] else "inline")

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader = reader.use(dollarmath_plugin, renderer=equation, double_inline=True)
    body = reader.render(with_symbols(text))
    for name, data in dict(pictures).items():
        kind = mimetypes.guess_type(name)[0]
        body = body.replace(f'src="{html.escape(name)}"', f'src="data:{kind};base64,{base64.b64encode(data).decode()}"')
    return webpage(title, body, STYLE, policy="")  # its pictures are in it, as data


def with_symbols(text):
    """Markdown in which a letter with an index or a power, wherever it stands but in code, is an equation."""
    parts = VERBATIM.split(text)
    parts[::2] = [SYMBOL.sub(lambda found: "$" + WORD.sub(r"_\\text{\1}", found[0]) + "$", part) for part in parts[::2]]
    return "".join(parts)
