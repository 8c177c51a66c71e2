-- On which solutions do Monte-Carlo labels and the oracle disagree?
SELECT solution_id, first_error_index, other_first_error_index
FROM label_disagreements
WHERE label_source = 'monte_carlo' AND other_label_source = 'oracle'
ORDER BY abs(first_error_index - other_first_error_index) DESC, solution_id LIMIT 5
