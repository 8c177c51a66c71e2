-- No reward model gives every step the same score, as one that never found its steps would.
-- severity: error
SELECT reward_model_id, count(*) AS num_scores, min(p_positive) AS p_positive
FROM scores
GROUP BY reward_model_id
HAVING count(*) > 1 AND max(p_positive) - min(p_positive) < 1e-6 AND max(p_negative) - min(p_negative) < 1e-6
ORDER BY reward_model_id
