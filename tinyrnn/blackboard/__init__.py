"""What a lecture writes on the board: a cell's real source, pictures with words, tables, graphs, learning curves,
pages to play with.

The notebooks in `lectures/` are made of prose, of the package's public functions, and of these.
"""

from tinyrnn.blackboard.graph import graph
from tinyrnn.blackboard.learning import learn, learning_curves
from tinyrnn.blackboard.picture import Picture, analyse, new_picture
from tinyrnn.blackboard.play import Play, bugs, rivers
from tinyrnn.blackboard.source import Source, source
from tinyrnn.blackboard.table import Table, table

__all__ = [
    "Picture",
    "Play",
    "Source",
    "Table",
    "analyse",
    "bugs",
    "graph",
    "learn",
    "learning_curves",
    "new_picture",
    "rivers",
    "source",
    "table",
]
