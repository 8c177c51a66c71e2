-- Which problems tell nothing, because all of their solutions are right or none is?
SELECT reason, level, count(*) AS num_problems
FROM problems_without_signal
GROUP BY reason, level ORDER BY reason, level
