"""Backpropagation through sequences whose tape does not fit in memory: what is not kept is computed again.

revolve    which states to keep, and when to run what again (Griewank & Walther 2000)
windows    one window of the sequence after the other
inverse    states computed back from the last one, for cells whose step has an inverse
"""
