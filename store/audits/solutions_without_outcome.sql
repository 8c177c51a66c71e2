-- Every sampled solution of a problem whose answer is known has been graded.
-- severity: error
SELECT solutions.solution_id, solutions.problem_id, solutions.final_answer
FROM solutions
JOIN problems USING (problem_id)
WHERE solutions.source = 'sampled' AND solutions.outcome IS NULL AND problems.ground_truth_answer IS NOT NULL
ORDER BY solutions.solution_id
