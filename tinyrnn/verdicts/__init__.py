"""A verdict for every line of a hand-written backward pass."""
