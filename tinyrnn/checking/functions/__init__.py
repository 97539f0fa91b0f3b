"""The gradient check for anybody's functions; `tinyrnn.checking.gradcheck` hands them over.

forms           of a `tinyrnn.sources.target.Target`, which says what is to be checked, makes a `Subject`
adapters        functions on PyTorch tensors and JAX arrays
aligning        which of the gradients that come back belongs to which array
subject         a point, a loss that can be asked anywhere near it, and the gradients that are claimed there
leaves          the arrays of floats in nested arguments and objects, by name
check           from a subject to the report, in order:
point           randomness, precision, arguments that make no difference
side_effects    what is noticed of how functions treat what they are given; `tracing`, `randomness`, `sameness`
shaping         claimed gradients in the shapes they should have
sampling        large arrays: sampled entries, random directions, and what they can miss
judging         right, wrong, or not decided; `looking` at one entry more closely
slopes          numerical derivatives of entries and along directions
curve           the V of error against step, and what its slopes say
elsewhere       a gradient that is right here is asked a little further on
rows, kinds     what kind of wrong, told from numbers alone: as a `whole`, or in which `places`
blocks          rows for gates that lie side by side in joined arrays
report          the table, JSON, the page of a notebook; `picture`: V curves and error maps
"""
