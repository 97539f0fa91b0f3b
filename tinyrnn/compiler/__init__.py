"""Compiled steps: a cell's traced step becomes C, compiled by the system compiler and called through ctypes."""
