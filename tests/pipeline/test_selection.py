"""Best-of-N from the store: what the votes count."""

import pytest

from stepmark.pipeline.profile import Profile
from stepmark.pipeline.sampling import identify
from stepmark.pipeline.selection import select
from stepmark.store.store import Store

_PROBLEM = """
    INSERT INTO problems (problem_id, source, split, problem, ground_truth_answer)
    VALUES ('p', 'math', 'test', 'What is half of 1?', '1/2')
"""
_SAMPLE = """
    INSERT INTO solutions
        (solution_id, problem_id, source, generator_id, sample_index, solution, final_answer, outcome)
    VALUES (?, 'p', 'sampled', ?, ?, 'x', ?, ?)
"""


@pytest.mark.usefixtures("engine")
def test_answers_written_differently_vote_together(store: Store, profile: Profile) -> None:
    """Three spellings of one half outvote two samples that agree letter by letter."""
    answers = ["1/2", "0.5", r"\frac{1}{2}", "2", "2"]
    generator = identify(profile.generator).sampler_id
    with store.transaction() as con:
        con.execute(_PROBLEM)
        for index, answer in enumerate(answers):
            outcome = "incorrect" if answer == "2" else "correct"
            con.execute(_SAMPLE, [f"s{index}", generator, index, answer, outcome])
    evaluation = profile.evaluation.model_copy(update={"n": (5,)})
    selection = select(store, profile.model_copy(update={"evaluation": evaluation}))

    assert selection is not None
    assert selection.curves["majority"][5].tolist() == [1.0]
