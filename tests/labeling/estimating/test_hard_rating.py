"""The hard rating of a step from its rollouts: in Python for searches, in SQL for training."""

import itertools
from pathlib import Path

from stepmark.labeling.estimating.counting import hard_rating
from stepmark.labeling.estimating.rollout_counts import NO_ROLLOUTS, RolloutCounts
from stepmark.store.store import Store


def test_one_right_rollout_among_truncated_ones_is_a_positive() -> None:
    """A found positive is never erased by rollouts that did not come back whole."""
    assert hard_rating(RolloutCounts(8, 1, 7, 0, 0)) == 1


def test_an_undecided_rollout_keeps_a_step_from_being_called_wrong() -> None:
    """Truncated and ungraded rollouts leave the rating open when none was right."""
    assert hard_rating(RolloutCounts(8, 0, 1, 0, 0)) is None
    assert hard_rating(RolloutCounts(8, 0, 0, 1, 0)) is None
    assert hard_rating(RolloutCounts(8, 0, 0, 0, 0)) == -1


def test_no_rollout_means_nothing_is_known() -> None:
    """Without rollouts the rating is None, not wrong."""
    assert hard_rating(NO_ROLLOUTS) is None


def test_searches_and_training_rate_alike(tmp_path: Path) -> None:
    """The view that models are trained on calls a step what the search called it, for all small counts."""
    all_counts = [
        RolloutCounts(total, correct, truncated, ungraded, 0)
        for total, correct, truncated, ungraded in itertools.product(range(5), repeat=4)
        if correct + truncated + ungraded <= total
    ]
    values = ", ".join(
        f"('s', {step}, 'x', {one.num_rollouts}, {one.num_correct}, {one.num_truncated}, {one.num_ungraded})"
        for step, one in enumerate(all_counts)
    )
    columns = "solution_id, step_index, label_source, num_rollouts, num_correct, num_truncated, num_ungraded"
    store = Store(tmp_path)
    with store.transaction() as con:
        con.execute(f"INSERT INTO step_labels ({columns}) VALUES {values}").fetchall()

    by_view = store.read("SELECT rating FROM hard_labels ORDER BY step_index")["rating"].to_list()

    assert by_view == [hard_rating(one) for one in all_counts]
