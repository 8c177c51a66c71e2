-- Which problems were the most expensive?
-- label_tokens is what the labels rest on: rollouts that labels share count for each of them.
SELECT problem_id, subject, level, solution_tokens, label_tokens, num_tokens
FROM problem_costs ORDER BY num_tokens DESC, problem_id LIMIT 5
