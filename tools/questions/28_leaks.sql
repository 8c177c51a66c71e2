-- Is anything trained on that is evaluated on as well?
SELECT count(*) AS num_pairs, count(*) FILTER (WHERE is_allowed) AS num_allowed FROM leaks ORDER BY ALL
