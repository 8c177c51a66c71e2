-- Which problems were the most expensive?
SELECT problem_id, subject, level, solution_tokens, label_tokens, num_tokens
FROM problem_costs ORDER BY num_tokens DESC, problem_id LIMIT 5
