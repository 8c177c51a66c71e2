-- A reward model that scored a solution scored all it should: a PRM every step, an ORM the last one only.
-- severity: error
WITH scored AS (
    SELECT reward_model_id, solution_id, count(*) AS num_scores, max(step_index) AS last_scored
    FROM scores
    GROUP BY reward_model_id, solution_id
)
SELECT scored.reward_model_id, reward_models.kind, scored.solution_id, scored.num_scores, num_steps
FROM scored
JOIN reward_models USING (reward_model_id)
JOIN solution_lengths USING (solution_id)
WHERE (reward_models.kind = 'prm' AND scored.num_scores <> num_steps)
    OR (reward_models.kind = 'orm' AND (scored.num_scores <> 1 OR scored.last_scored <> num_steps - 1))
ORDER BY ALL
