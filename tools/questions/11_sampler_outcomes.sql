-- How many samples were cut off, or not judged in time?
SELECT model, kind, num_samples, num_correct, num_truncated, truncated_rate, num_grader_timeout, num_tokens
FROM sampler_outcomes ORDER BY kind, sampler_id
