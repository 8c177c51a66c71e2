-- Which texts did people rate differently?
SELECT solution_id, step_index, completion, num_negative, num_neutral, num_positive
FROM conflicting_ratings ORDER BY completion, solution_id
