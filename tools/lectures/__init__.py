"""The lectures' notebooks, made from their sources.

A lecture is written in `lectures/sources/NN_name.md`, a text notebook in MyST Markdown as jupytext reads it.
`python -m tools.lectures build` runs it, top to bottom, and writes `lectures/NN_name.ipynb`, with its pictures; `check`
runs it and writes nothing. `lectures/README.md` says how a lecture is made.
"""
