-- How many solutions has nobody labeled?
SELECT split, round, outcome, count(*) AS num_solutions
FROM unlabeled_solutions GROUP BY ALL ORDER BY ALL
