-- No problem stands in both splits with nothing but white space between the two texts.
-- severity: warn
WITH texts AS (
    SELECT problem_id, split, trim(regexp_replace(problem, '\s+', ' ', 'g')) AS text FROM problems
)
SELECT train.problem_id AS train_problem_id, test.problem_id AS test_problem_id, train.text AS problem
FROM texts AS train
JOIN texts AS test ON train.text = test.text
WHERE train.split = 'train' AND test.split = 'test'
ORDER BY ALL
