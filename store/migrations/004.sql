-- Of an alternative only the last step stays: those before it are steps of the solution it is an alternative in.
DELETE FROM steps USING (
    SELECT solution_id, max(step_index) AS last_index
    FROM steps JOIN solutions USING (solution_id)
    WHERE source = 'alternative'
    GROUP BY solution_id
) AS alternatives
WHERE steps.solution_id = alternatives.solution_id AND steps.step_index < last_index;
COMMENT ON TABLE steps IS 'One row per step of a solution; of an alternative only the last one, which is the alternative.';
-- Scores of alternatives judged nothing.
DELETE FROM scores WHERE solution_id IN (SELECT solution_id FROM solutions WHERE source = 'alternative');
COMMENT ON COLUMN step_labels.num_rollouts IS 'Rollouts sampled from the prefix that ends in this step, n; 1 for the last step of a searched solution, which is that rollout itself: at no cost, and no row of rollouts.';
