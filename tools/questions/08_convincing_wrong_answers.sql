-- Which wrong answers does a PRM find most convincing?
SELECT reward_model_id, solution_id, subject, final_answer, ground_truth_answer, score
FROM convincing_wrong_answers
ORDER BY score DESC, reward_model_id, solution_id LIMIT 5
