"""Whether two answers are one: what a final answer is, how answers are compared, and killable workers."""
