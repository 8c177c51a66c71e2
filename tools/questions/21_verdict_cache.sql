-- How often was a verdict known already?
SELECT * FROM verdict_cache ORDER BY grader_version
