-- Do long solutions score lower?
SELECT num_steps, outcome, num_solutions, mean_score
FROM score_lengths WHERE reward_model_id LIKE 'prm_oracle%' ORDER BY num_steps, outcome
