"""Which line is wrong: gradients paired with values, each line held against the truth and replaced by it."""
