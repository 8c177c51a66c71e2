"""Best-of-N from the store: what the votes count."""

from stepmark.pipeline.selection import select
from tests.small_pipeline import SmallPipeline

_PROBLEM = """
    INSERT INTO problems (problem_id, source, split, problem, ground_truth_answer)
    VALUES ('p', 'math', 'test', 'What is half of 1?', '1/2')
"""
_SAMPLE = """
    INSERT INTO solutions
        (solution_id, problem_id, source, generator_id, sample_index, solution, final_answer, outcome)
    VALUES (?, 'p', 'sampled', ?, ?, 'x', ?, ?)
"""


def test_answers_written_differently_vote_together(small: SmallPipeline) -> None:
    """Three spellings of one half outvote two samples that agree letter by letter."""
    answers = ["1/2", "0.5", r"\frac{1}{2}", "2", "2"]
    with small.store.transaction() as con:
        con.execute(_PROBLEM)
        for index, answer in enumerate(answers):
            outcome = "incorrect" if answer == "2" else "correct"
            con.execute(_SAMPLE, [f"s{index}", small.generator_id, index, answer, outcome])
    evaluation = small.profile.evaluation.model_copy(update={"n": (5,)})
    selection = select(
        small.store, small.profile.problems, small.generator_id, small.profile.reward, evaluation
    )

    assert selection is not None
    assert selection.curves["majority"][5].tolist() == [1.0]
