-- Which reward model tells right solutions of test problems from wrong ones best?
SELECT reward_model_id, kind, num_problems, num_pairs, pairs_won
FROM reward_model_comparison
WHERE split = 'test' ORDER BY pairs_won DESC, reward_model_id
