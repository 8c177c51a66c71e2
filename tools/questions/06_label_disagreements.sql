-- On which solutions do Monte-Carlo labels and the oracle disagree?
SELECT solution_id, first_error_index, other_first_error_index
FROM label_disagreements
WHERE holder = 'monte_carlo' AND other_holder = 'oracle'
ORDER BY abs(first_error_index - other_first_error_index) DESC, solution_id LIMIT 5
