"""Exact values of expressions, and the LaTeX they are written in. Imports nothing else of the grader."""
