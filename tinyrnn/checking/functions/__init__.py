"""The gradient check for anybody's functions.

entry        tr.gradcheck: told what it is given, it hands it on
calling      which argument of a backward function is what; which gradient it returns is of what
forms        a function and its gradient, a pair with a cache, an object, value and gradient in one: a `Subject`
subject      a point, a loss that can be asked anywhere near it, and the gradients that are claimed there
leaves       the arrays of floats in nested arguments and objects, by name
randomness   the same random numbers in every call
curve        the V of error against step along a line, and what its slopes say
slopes       numerical derivatives of all entries of an array
sampling     large arrays: random directions, sampled entries, and what they can miss
judging      right, wrong, or not decided
kinds        what kind of wrong, told from numbers alone
conduct      what is noticed besides: changes in place, aliases, memory, lost precision
report       the table, JSON, the page of a notebook; `picture`: V curves and error maps
"""
