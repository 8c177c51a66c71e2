-- The counts of a label add up: correct and truncated rollouts are among the rollouts, and the value is
-- correct over decided ones, within its interval.
-- severity: error
SELECT solution_id, step_index, label_source, num_rollouts, num_correct, num_truncated, value, value_low, value_high
FROM step_labels
WHERE coalesce(num_correct, 0) + coalesce(num_truncated, 0) > coalesce(num_rollouts, 0)
    OR (num_rollouts IS NULL) <> (num_correct IS NULL)
    OR value < value_low OR value > value_high OR value_low > value_high
    OR (num_rollouts > coalesce(num_truncated, 0)
        AND abs(value - num_correct / (num_rollouts - coalesce(num_truncated, 0))) > 1e-6)
    OR (num_correct > 0 AND rating = -1)
ORDER BY ALL
