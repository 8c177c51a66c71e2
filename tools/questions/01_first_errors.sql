-- Where do solutions first go wrong, by subject and level?
SELECT subject, level, num_solutions, num_with_error, mean_first_error_index, mean_place
FROM first_errors_by_subject
WHERE label_source = 'oracle'
ORDER BY num_with_error DESC, subject, level LIMIT 8
