"""Content keys."""

from stepmark.labeling.ids import imported_solution_id, prefix_id, problem_id, solution_id


def test_outer_white_space_does_not_change_a_problem() -> None:
    """489 of MATH's problems differ between copies in outer white space only."""
    assert problem_id(" What is 1 + 1?\n") == problem_id("What is 1 + 1?")
    assert problem_id("What is 1  + 1?") != problem_id("What is 1 + 1?")


def test_parts_do_not_run_into_each_other() -> None:
    """Two keys that spell the same when joined are different keys."""
    assert prefix_id("ab", "c") != prefix_id("a", "bc")
    assert solution_id("p", "g1", 2) != solution_id("p", "g", 12)


def test_ids_are_the_same_on_every_machine() -> None:
    """A stored id must be found again by another process, on another day."""
    assert problem_id("What is 1 + 1?") == "p05bc0091cbf962f2c53e"
    assert imported_solution_id("p", "prm800k", "x") == imported_solution_id("p", "prm800k", "x")
