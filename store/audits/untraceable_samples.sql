-- Everything sampled names a sampler whose model, parameters, seed and code version are on record.
-- severity: error
SELECT 'solutions' AS table_name, generator_id AS sampler_id, count(*) AS num_rows
FROM solutions
WHERE source = 'sampled'
    AND NOT EXISTS (SELECT 1 FROM samplers WHERE samplers.sampler_id = solutions.generator_id)
GROUP BY generator_id
UNION ALL
SELECT 'rollouts', completer_id, count(*)
FROM rollouts
WHERE NOT EXISTS (SELECT 1 FROM samplers WHERE samplers.sampler_id = rollouts.completer_id)
GROUP BY completer_id
ORDER BY ALL
