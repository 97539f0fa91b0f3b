"""A Markdown text as a web page that needs no other file: equations as MathML, which browsers draw themselves, and
pictures in it. Made with markdown-it and latex2mathml (`pip install 'tinyrnn[pages]'`)."""

import base64
import html
import mimetypes

from tinyrnn.core.webpage import webpage

STYLE = """
body { font: 17px/1.55 Georgia, "Times New Roman", serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; }
h1, h2, h3, th { font-family: system-ui, sans-serif; line-height: 1.25; } h2 { margin-top: 2.2em; }
code, pre { font: .85em/1.45 ui-monospace, Consolas, monospace; }
pre { background: #f6f6f4; padding: .8em; overflow-x: auto; }
table { border-collapse: collapse; } td, th { padding: .2rem .7rem; border-bottom: 1px solid #ccc; text-align: left; }
img { max-width: 100%; } math { font-size: 1.05em; } .math.block { overflow: auto hidden; margin: 1.2em 0; }
mtd[columnalign=left] { text-align: left; } mtd[columnalign=right] { text-align: right; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } pre { background: #242424; }
  a { color: #8bf; } img { background: white; } }
"""
MISSING = "pages with equations take a library: pip install 'tinyrnn[pages]'"


def page(title, text, pictures=()):
    """An HTML text. text: Markdown, equations as $…$ and $$…$$; what is HTML in it is shown, not run.

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
    body = reader.use(dollarmath_plugin, renderer=equation, double_inline=True).render(text)
    for name, data in dict(pictures).items():
        kind = mimetypes.guess_type(name)[0]
        body = body.replace(f'src="{html.escape(name)}"', f'src="data:{kind};base64,{base64.b64encode(data).decode()}"')
    return webpage(title, body, STYLE, policy="")  # its pictures are in it, as data
