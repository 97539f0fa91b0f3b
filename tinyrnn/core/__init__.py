"""What every network stands on: the contract of a cell, the engine that runs it through time, the tape it leaves.

cell         the contract between a cell and the engine, with one worked cell
engine       backpropagation through time, written once for every cell
steps        one time step with what happens around the cell: masks, activation clipping
tape         what a forward and a backward pass leave behind
adapter      somebody's own two functions, run by the same engine
ops, activations, backend    the array functions that cells are written in, wherever the arrays live
files        files that are whole
"""
