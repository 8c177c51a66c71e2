-- Which reward model tells right solutions from wrong ones best?
SELECT reward_model_id, kind, num_problems, num_pairs, pairs_won
FROM reward_model_comparison ORDER BY pairs_won DESC, reward_model_id
