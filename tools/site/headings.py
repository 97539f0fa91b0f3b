"""The captions of tables of contents, which Sphinx calls headings and of which level it does not say."""

NAMELESS, NAMED = 'role="heading">', 'role="heading" aria-level="2">'


def levelled(app, page, template, context, doctree):
    """Called for each page before it is written: what of it is HTML already gets the level."""
    for part, text in context.items():
        if isinstance(text, str) and NAMELESS in text:
            context[part] = text.replace(NAMELESS, NAMED)


def setup(app):
    """Called by Sphinx; after the theme has made its own parts."""
    app.connect("html-page-context", levelled, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
