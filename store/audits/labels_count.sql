-- The counts of a label add up: correct, truncated and ungraded rollouts are among the rollouts, and the value
-- lies in its interval; where counts alone decide, it is correct over decided ones.
-- severity: error
WITH counted AS (
    SELECT *, coalesce(num_truncated, 0) + coalesce(num_ungraded, 0) AS num_undecided FROM step_labels
)
SELECT solution_id, step_index, label_source, num_rollouts, num_correct, num_truncated, num_ungraded, value,
    value_low, value_high
FROM counted
WHERE coalesce(num_correct, 0) + num_undecided > coalesce(num_rollouts, 0)
    OR (num_rollouts IS NULL) <> (num_correct IS NULL)
    OR value < value_low OR value > value_high OR value_low > value_high
    OR (num_rollouts > num_undecided AND p_wrong_low IS NULL
        AND abs(value - num_correct / (num_rollouts - num_undecided)) > 1e-6)
    OR (num_correct > 0 AND rating = -1)
ORDER BY ALL
