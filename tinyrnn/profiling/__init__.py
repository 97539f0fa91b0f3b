"""Where the time of a training step goes: matrix products, gate arithmetic, copies, Python."""
