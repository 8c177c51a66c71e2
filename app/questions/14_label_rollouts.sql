-- Which rollouts decide a label?
SELECT step_index, rollout_index, outcome, final_answer, num_tokens
FROM label_rollouts
WHERE solution_id = (
    SELECT min(solution_id) FROM step_labels WHERE label_source = 'monte_carlo' AND num_rollouts > 1
) AND step_index = 0
ORDER BY rollout_index
