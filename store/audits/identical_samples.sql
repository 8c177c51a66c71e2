-- No generator gives the same text for every sample of every problem: that is a seed used again, not sampling.
-- severity: error
WITH groups AS (
    SELECT generator_id, problem_id, count(*) AS num_samples, count(DISTINCT solution) AS num_texts
    FROM solutions
    WHERE source = 'sampled'
    GROUP BY generator_id, problem_id
    HAVING count(*) > 1
)
SELECT generator_id, count(*) AS num_problems, CAST(sum(num_samples) AS BIGINT) AS num_samples
FROM groups
GROUP BY generator_id
HAVING count(*) > 1 AND max(num_texts) = 1
ORDER BY generator_id
