"""The head that every page made here begins with, and the frame in which a notebook shows one."""

import html

POLICY = (  # nothing is fetched from anywhere
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
)
PAGE = """<!doctype html>
<html lang="en"{attributes}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{policy}<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def webpage(title, body, style="", script="", policy=POLICY, **attributes):
    """The text of a page. title: plain text. body: HTML. script: a module that runs when the body is there, or "".

    policy: what the page may fetch, "" for no such rule. attributes: of the root, start="3" for data-start="3".
    """
    if script:
        body += f'\n<script type="module">\n{script}\n</script>'
    given = "".join(f' data-{name}="{html.escape(value)}"' for name, value in attributes.items())
    return PAGE.format(attributes=given, policy=policy, title=html.escape(title), style=style, body=body)


def framed(text, title, height):
    """A page for a notebook: in a frame, so that neither's style and scripts reach the other. height: pixels."""
    style = f"width:100%;height:{height}px;border:0"
    return f'<iframe title="{html.escape(title)}" style="{style}" srcdoc="{html.escape(text)}"></iframe>'
