"""Analyses: one file each, one line here, one command each (`tinyrnn analyse NAME`).

What is computed lives in `tinyrnn.analysis`, as functions of arrays and cells; a file here chooses the sizes, draws the
picture and names the numbers behind it. A file's `ANALYSIS` is an `Analysis` of `tinyrnn.gallery.entry`.
"""

from tinyrnn.gallery import powers

# name -> analysis, in the order of the documents
ANALYSES = {
    "powers": powers.ANALYSIS,
}
