-- How does each labeler rate, and how often as most others do?
SELECT labeler, num_solutions, num_negative, num_neutral, num_positive, num_compared, agreement, ms_per_step
FROM labeler_quality ORDER BY labeler
