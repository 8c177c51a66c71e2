"""What judges a reward model: best-of-N curves, votes, first errors, label agreement.

Numbers in, numbers out: numpy, polars and the standard library only, so that commands start at once.
Import the module that is meant; this file imports none.
"""
