-- Which labels does one source turn into others?
SELECT label_source, rating, other_label_source, other_rating, num_steps
FROM label_changes
WHERE rating IS DISTINCT FROM other_rating
ORDER BY num_steps DESC, label_source, other_label_source, rating LIMIT 8
