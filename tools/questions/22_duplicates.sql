-- Which solutions were written more than once?
SELECT problem_id, num_copies, outcome, solution
FROM duplicate_solutions ORDER BY num_copies DESC, problem_id, solution_id LIMIT 3
