"""Stepping through backpropagation by hand: one recording, and three ways to look at it.

`trace` runs a network forwards and backwards over its real source and records every line; `recording` is that record,
as data; `terminal`, `page` and `worksheet` show it. None of them computes anything that is not in the recording.
"""
