-- How many solutions and steps has each source labeled?
SELECT label_source, num_solutions, num_alternatives, num_steps, num_positive, num_neutral, num_negative, num_undecided
FROM label_counts ORDER BY label_source
