"""Monte-Carlo labels from rollout counts."""

from stepmark.labeling.estimating import RolloutCounts, labels_from_rollouts, prefixes_of
from stepmark.labeling.steps import split_steps

SOLUTION = "a\nb\nc"


def test_prefixes_end_where_the_next_step_starts_and_leave_out_the_whole() -> None:
    """The last step has no continuation to sample."""
    found = prefixes_of("p", SOLUTION, split_steps(SOLUTION))

    assert [prefix.prefix for prefix in found] == ["a\n", "a\nb\n"]


def test_equal_prefixes_of_different_solutions_share_their_id() -> None:
    """So their rollouts are sampled once."""
    one = prefixes_of("p", "a\nb\nc", split_steps("a\nb\nc"))
    other = prefixes_of("p", "a\nx\nc", split_steps("a\nx\nc"))

    assert one[0].prefix_id == other[0].prefix_id
    assert one[1].prefix_id != other[1].prefix_id


def test_a_label_keeps_the_counts_and_leaves_the_rating_to_views() -> None:
    """n, k and what was cut off stay known, beside value and interval."""
    found = prefixes_of("p", SOLUTION, split_steps(SOLUTION))
    counts = {found[0].prefix_id: RolloutCounts(8, 3, 2, 0, 400)}

    first, last = labels_from_rollouts("s", found, "incorrect", counts)

    assert (first.step_index, first.num_rollouts, first.num_correct, first.num_truncated) == (0, 8, 3, 2)
    assert first.value == 0.5
    assert first.rating is None
    assert first.cost_tokens == 400
    assert (last.step_index, last.value, last.num_rollouts) == (2, 0.0, 1)


def test_a_truncated_solution_decides_nothing_about_its_last_step() -> None:
    """A truncated sample is not a wrong one."""
    found = prefixes_of("p", SOLUTION, split_steps(SOLUTION))

    (last,) = labels_from_rollouts("s", found, "truncated", {})

    assert last.value is None
    assert (last.value_low, last.value_high) == (0.0, 1.0)


def test_a_rollout_the_grader_could_not_judge_counts_as_undecided() -> None:
    """It is stored beside the cut-off ones, and widens the interval as they do."""
    found = prefixes_of("p", SOLUTION, split_steps(SOLUTION))
    counts = {found[0].prefix_id: RolloutCounts(4, 0, 0, 1, 10)}

    (first,) = labels_from_rollouts("s", found, None, counts)

    assert (first.num_truncated, first.num_ungraded) == (0, 1)
    assert first.value == 0.0
    assert first.value_high is not None
    assert first.value_high > 0.6
