"""Inputs for code by other hands: shapes from docstrings, names and sources, and numbers that leave nothing hidden."""
