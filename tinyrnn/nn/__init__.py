"""Networks made of cells: layers, readouts, losses, penalties, and what keeps or exchanges a network's weights.

`recompute` runs what does not fit in memory.
"""
