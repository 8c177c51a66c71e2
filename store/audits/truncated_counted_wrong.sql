-- A sample cut off before its answer is truncated, never incorrect.
-- severity: error
SELECT 'solutions' AS table_name, solution_id AS row_key, outcome
FROM solutions
WHERE finish_reason = 'length' AND final_answer IS NULL AND outcome <> 'truncated'
UNION ALL
SELECT 'rollouts', concat(prefix_id, ', ', completer_id, ', ', rollout_index), outcome
FROM rollouts
WHERE finish_reason = 'length' AND final_answer IS NULL AND outcome <> 'truncated'
ORDER BY ALL
