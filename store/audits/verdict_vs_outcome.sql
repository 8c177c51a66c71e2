-- The outcome of a graded solution is what the verdict on its final answer says.
-- severity: error
WITH graded AS (
    SELECT
        solutions.solution_id, solutions.final_answer, problems.ground_truth_answer,
        answer_verdicts.verdict, solutions.outcome,
        CASE
            WHEN solutions.final_answer IS NULL AND solutions.finish_reason = 'length' THEN 'truncated'
            WHEN solutions.final_answer IS NULL THEN 'no_answer'
            WHEN answer_verdicts.verdict = 'equal' THEN 'correct'
            WHEN answer_verdicts.verdict IN ('different', 'unparsable') THEN 'incorrect'
            WHEN answer_verdicts.verdict = 'timeout' THEN 'grader_timeout'
        END AS expected_outcome
    FROM solutions
    JOIN problems USING (problem_id)
    LEFT JOIN answer_verdicts
        ON answer_verdicts.ground_truth_answer = problems.ground_truth_answer
        AND answer_verdicts.final_answer = solutions.final_answer
        AND answer_verdicts.grader_version = solutions.grader_version
    WHERE solutions.grader_version IS NOT NULL
)
SELECT solution_id, final_answer, ground_truth_answer, verdict, outcome, expected_outcome
FROM graded
WHERE outcome <> expected_outcome
ORDER BY solution_id
