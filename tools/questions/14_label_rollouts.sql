-- Which rollouts decide a label?
-- The first step of the first solution that was continued from there.
SELECT step_index, rollout_index, outcome, final_answer, num_tokens
FROM label_rollouts
WHERE solution_id = (
    SELECT min(solution_id) FROM step_labels
    WHERE label_source = 'monte_carlo' AND step_index = 0 AND num_rollouts > 1
) AND step_index = 0
ORDER BY rollout_index
