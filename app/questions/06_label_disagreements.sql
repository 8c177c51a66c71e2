-- On which solutions do they disagree?
SELECT solution_id, label_source, first_error_index, other_label_source, other_first_error_index
FROM label_disagreements
ORDER BY abs(first_error_index - other_first_error_index) DESC, solution_id, label_source, other_label_source LIMIT 5
