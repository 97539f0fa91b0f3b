"""A whole class: what was handed in, graded many at a time, summed up, compared, exported to Gradescope and GitHub."""
