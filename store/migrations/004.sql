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
-- What the hashes are of.
COMMENT ON COLUMN samplers.checkpoint_sha256 IS 'Hash of the weights, configuration and tokenizer (recipe in docs/decisions/store.md); NULL where a server does not tell.';
COMMENT ON COLUMN reward_models.checkpoint_sha256 IS 'Hash of all files of the checkpoint (recipe in docs/decisions/store.md).';
COMMENT ON COLUMN reward_models.base_sha256 IS 'Hash, by the same recipe, of the model the training started from; of the model itself where it is untrained.';
