"""The site: front page, lectures, homework, pages to play with, analyses, cells, results, API, known mistakes.

    pip install -e '.[site]'
    python -m tools.site                   # into build/site; open build/site/index.html
    python -m tools.site --pictures        # and every analysis with its picture, and the games, which takes minutes

`pages` writes the sources of what is not written by hand into build/site-source; Sphinx with MyST-NB makes the site of
them, as it reads the lectures' notebooks with their outputs and needs no network. Nothing is run again.
"""
