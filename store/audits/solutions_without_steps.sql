-- Every solution that says anything is split into steps.
-- severity: error
SELECT solution_id, problem_id, solution
FROM solutions
WHERE regexp_matches(solution, '\S')
    AND NOT EXISTS (SELECT 1 FROM steps WHERE steps.solution_id = solutions.solution_id)
ORDER BY solution_id
