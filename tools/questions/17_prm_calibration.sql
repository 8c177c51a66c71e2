-- Do a PRM's scores hold what they say?
SELECT reward_model_id, bucket, num_steps, mean_score, share_right
FROM prm_calibration WHERE label_source = 'oracle' ORDER BY reward_model_id, bucket
