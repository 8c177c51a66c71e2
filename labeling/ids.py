"""Content keys: the same content has the same id on every machine and in every run.

Leaves out: ids of trained models, which name a checkpoint and are made where it is saved.
"""

import hashlib

_ID_HEX_CHARS = 20  # 80 bits: a collision among 10 million ids has a chance of about 4e-11


def _digest(*parts: str) -> str:
    # Lengths are hashed with the parts, so ("ab", "c") and ("a", "bc") differ.
    raws = [part.encode("utf-8", "surrogatepass") for part in parts]
    return hashlib.sha256(b"".join([b"%d:%b" % (len(raw), raw) for raw in raws])).hexdigest()[:_ID_HEX_CHARS]


def problem_id(problem: str) -> str:
    """Id of a problem: a hash of its text without outer white space, which copies of MATH differ in."""
    return "p" + _digest("problem", problem.strip())


def solution_id(problem_id: str, generator_id: str, sample_index: int) -> str:
    """Id of the ``sample_index``-th attempt of one generator (model and sampling) at one problem."""
    return "s" + _digest("solution", problem_id, generator_id, str(sample_index))


def imported_solution_id(problem_id: str, source: str, solution: str) -> str:
    """Id of a solution that came with a label file: its text is the key, so a second import finds it."""
    return "s" + _digest("imported", problem_id, source, solution)


def prefix_id(problem_id: str, prefix: str) -> str:
    """Id of a solution prefix. Equal prefixes of different solutions share it, and so their rollouts."""
    return "x" + _digest("prefix", problem_id, prefix)


def sampler_id(model: str, checkpoint_sha256: str, sampling: str) -> str:
    """Id of a generator or completer: its name, and a hash of its weights and sampling parameters."""
    return f"{model}-{_digest('sampler', checkpoint_sha256, sampling)[:10]}"
