"""Drawing minimath problems."""

import itertools

from stepmark.labeling.minimath import FAMILIES, distinct_problems, split_of, stream


def test_a_problem_reads_back_to_its_operands() -> None:
    """The template is used both ways, by its own family only."""
    for worked in itertools.islice(stream(3, "train"), 500):
        readers = [family.name for family in FAMILIES if family.read(worked.problem.problem) is not None]
        assert readers == [worked.family]


def test_the_same_seed_draws_the_same_problems() -> None:
    """Sets are reproducible, and different problems all."""
    one = distinct_problems(50, 1, "test")
    other = distinct_problems(50, 1, "test")

    assert one == other
    assert len({worked.problem.problem_id for worked in one}) == 50


def test_no_seed_can_draw_a_test_problem_for_training() -> None:
    """The split follows from the problem's text, so pre-training never meets a test problem."""
    train = {worked.problem.problem_id for worked in itertools.islice(stream(1, "train"), 3000)}
    test = {worked.problem.problem_id for worked in itertools.islice(stream(2, "test"), 3000)}

    assert not train & test
    assert {split_of(key) for key in test} == {"test"}
