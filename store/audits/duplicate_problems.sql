-- No problem stands twice in one split with nothing but white space between the two texts.
-- severity: warn
SELECT
    split,
    trim(regexp_replace(problem, '\s+', ' ', 'g')) AS text,
    count(*) AS num_problems,
    list_sort(list(problem_id)) AS problem_ids
FROM problems
GROUP BY split, text
HAVING count(*) > 1
ORDER BY ALL
